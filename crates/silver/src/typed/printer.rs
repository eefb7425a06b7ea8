//! Prints a typed program as Silver text, with all desugarings visible.
//!
//! The text is Silver again: other tools can read it, and so can this front end. Variables of one name that could be
//! confused get their number appended. Operands are put in parentheses throughout.

use std::fmt::Write as _;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    Annotations, BinaryOperator, Block, Domain, Expression, ExpressionKind, ExpressionRef, LabelReference,
    Local, LocalId, PredicateAccess, Program, Resource, Statement, StatementKind, Trigger, Type,
    UnaryOperator, Wand, visit_expression,
};

/// The text of a program.
pub fn print(program: &Program) -> String {
    crate::with_large_stack(|| print_here(program))
}

fn print_here(program: &Program) -> String {
    let mut text = String::new();
    let globals: FxHashSet<&str> = global_names(program).collect();
    for domain in &program.domains {
        print_domain(program, &globals, domain, &mut text);
    }
    for field in &program.fields {
        let _ = writeln!(text, "field {}: {}", field.name, ty(program, &field.ty, &[]));
    }
    for function in &program.functions {
        let member = Member::new(program, &globals, &function.locals, &[]);
        print_annotations(&function.annotations, "\n", &mut text);
        let formals = member.bindings(&function.formals);
        let _ = write!(text, "\nfunction {}({formals}): {}", function.name, member.ty(&function.result));
        member.clauses("requires", &function.preconditions, &mut text);
        // Termination is proved by methods of its own; without a clause some postconditions would be refused.
        let applies_functions = function.postconditions.iter().any(|postcondition| {
            let mut found = false;
            visit_expression(postcondition, &mut |node| {
                found |= matches!(node.kind, ExpressionKind::FunctionApplication { .. });
                !found
            });
            found
        });
        if applies_functions {
            text.push_str("\n    decreases _");
        }
        member.clauses("ensures", &function.postconditions, &mut text);
        if let Some(body) = &function.body {
            let _ = write!(text, "\n{{\n    {}\n}}", member.expression(body));
        }
        text.push('\n');
    }
    for predicate in &program.predicates {
        let member = Member::new(program, &globals, &predicate.locals, &[]);
        print_annotations(&predicate.annotations, "\n", &mut text);
        let _ = write!(text, "\npredicate {}({})", predicate.name, member.bindings(&predicate.formals));
        if let Some(body) = &predicate.body {
            let _ = write!(text, " {{\n    {}\n}}", member.expression(body));
        }
        text.push('\n');
    }
    for method in &program.methods {
        let mut member = Member::new(program, &globals, &method.locals, &[]);
        member.labels = method.labels.iter().map(|label| label.name.clone()).collect();
        print_annotations(&method.annotations, "\n", &mut text);
        let _ = write!(text, "\nmethod {}({})", method.name, member.bindings(&method.formals));
        if !method.returns.is_empty() {
            let _ = write!(text, " returns ({})", member.bindings(&method.returns));
        }
        member.clauses("requires", &method.preconditions, &mut text);
        member.clauses("ensures", &method.postconditions, &mut text);
        if let Some(body) = &method.body {
            text.push('\n');
            member.block(body, 0, &mut text);
        }
        text.push('\n');
    }
    text
}

fn print_annotations(annotations: &Annotations, before: &str, text: &mut String) {
    for (key, values) in annotations.iter() {
        let values: Vec<String> = values.iter().map(|value| format!("\"{value}\"")).collect();
        let _ = write!(text, "{before}@{key}({})", values.join(", "));
    }
}

fn print_domain(program: &Program, globals: &FxHashSet<&str>, domain: &Domain, text: &mut String) {
    print_annotations(&domain.annotations, "\n", text);
    let _ = write!(text, "\ndomain {}", domain.name);
    if !domain.parameters.is_empty() {
        let _ = write!(text, "[{}]", domain.parameters.join(", "));
    }
    if let Some(interpretations) = &domain.interpretations {
        let entries: Vec<String> =
            interpretations.iter().map(|(backend, name)| format!("{backend}: \"{name}\"")).collect();
        let _ = write!(text, " interpretation ({})", entries.join(", "));
    }
    text.push_str(" {\n");
    for function in &domain.functions {
        let function = program.domain_function(*function);
        let formals: Vec<String> = function
            .formals
            .iter()
            .map(|formal| {
                let written = ty(program, &formal.ty, &domain.parameters);
                match &formal.name {
                    Some(name) => format!("{name}: {written}"),
                    None => written,
                }
            })
            .collect();
        let unique = if function.unique { "unique " } else { "" };
        let result = ty(program, &function.result, &domain.parameters);
        let _ = write!(text, "    {unique}function {}({}): {result}", function.name, formals.join(", "));
        if let Some(interpretation) = &function.interpretation {
            let _ = write!(text, " interpretation \"{interpretation}\"");
        }
        text.push('\n');
    }
    for axiom in &domain.axioms {
        let member = Member::new(program, globals, &axiom.locals, &domain.parameters);
        let name = axiom.name.as_deref().unwrap_or("");
        let _ = writeln!(text, "    axiom {name} {{ {} }}", member.expression(&axiom.body));
    }
    text.push_str("}\n");
}

fn ty(program: &Program, written: &Type, parameters: &[String]) -> String {
    let inner = |inner: &Type| ty(program, inner, parameters);
    match written {
        Type::Int => "Int".to_string(),
        Type::Bool => "Bool".to_string(),
        Type::Perm => "Perm".to_string(),
        Type::Ref => "Ref".to_string(),
        Type::Seq(element) => format!("Seq[{}]", inner(element)),
        Type::Set(element) => format!("Set[{}]", inner(element)),
        Type::Multiset(element) => format!("Multiset[{}]", inner(element)),
        Type::Map(key, value) => format!("Map[{}, {}]", inner(key), inner(value)),
        Type::Domain(domain, arguments) => {
            let name = &program.domain(*domain).name;
            if arguments.is_empty() {
                return name.clone();
            }
            let arguments: Vec<String> = arguments.iter().map(inner).collect();
            format!("{name}[{}]", arguments.join(", "))
        }
        Type::Parameter(index) => {
            parameters.get(*index as usize).cloned().unwrap_or_else(|| format!("T{index}"))
        }
    }
}

fn mentions_parameter(written: &Type) -> bool {
    !written.is_ground()
}

fn global_names(program: &Program) -> impl Iterator<Item = &str> {
    let functions = program.functions.iter().map(|function| function.name.as_str());
    let fields = program.fields.iter().map(|field| field.name.as_str());
    let domains = program.domains.iter().map(|domain| domain.name.as_str());
    let domain_functions = program.domain_functions.iter().map(|function| function.name.as_str());
    let predicates = program.predicates.iter().map(|predicate| predicate.name.as_str());
    let methods = program.methods.iter().map(|method| method.name.as_str());
    functions.chain(fields).chain(domains).chain(domain_functions).chain(predicates).chain(methods)
}

/// What printing an expression of a member needs.
struct Member<'a> {
    program: &'a Program,
    names: Vec<String>,
    locals: &'a [Local],
    labels: Vec<String>,
    parameters: &'a [String],
}

impl<'a> Member<'a> {
    fn new(
        program: &'a Program,
        globals: &FxHashSet<&str>,
        locals: &'a [Local],
        parameters: &'a [String],
    ) -> Member<'a> {
        let mut uses: FxHashMap<&str, usize> = FxHashMap::default();
        for local in locals {
            *uses.entry(&*local.name).or_default() += 1;
        }
        let names = locals
            .iter()
            .enumerate()
            .map(|(index, local)| {
                let is_unique = uses.get(&*local.name) == Some(&1) && !globals.contains(&*local.name);
                if is_unique { local.name.to_string() } else { format!("{}_{index}", local.name) }
            })
            .collect();
        Member { program, names, locals, labels: Vec::new(), parameters }
    }

    fn name(&self, local: LocalId) -> &str {
        self.names.get(local.index()).map_or("?", String::as_str)
    }

    fn ty(&self, written: &Type) -> String {
        ty(self.program, written, self.parameters)
    }

    fn bindings(&self, locals: &[LocalId]) -> String {
        let bindings: Vec<String> = locals
            .iter()
            .map(|local| format!("{}: {}", self.name(*local), self.ty(&self.locals[local.index()].ty)))
            .collect();
        bindings.join(", ")
    }

    fn clauses(&self, keyword: &str, clauses: &[ExpressionRef], text: &mut String) {
        for clause in clauses {
            let _ = write!(text, "\n    {keyword} {}", self.expression(clause));
        }
    }

    fn list(&self, expressions: &[ExpressionRef]) -> String {
        let expressions: Vec<String> =
            expressions.iter().map(|expression| self.expression(expression)).collect();
        expressions.join(", ")
    }

    fn label(&self, label: LabelReference) -> &str {
        match label {
            LabelReference::WandLeft => "lhs",
            LabelReference::Label(label) => self.labels.get(label.index()).map_or("?", String::as_str),
        }
    }

    fn access(&self, access: &PredicateAccess) -> String {
        let name = &self.program.predicate(access.predicate).name;
        let arguments = self.list(&access.arguments);
        match &access.amount {
            Some(amount) => format!("acc({name}({arguments}), {})", self.expression(amount)),
            None => format!("acc({name}({arguments}))"),
        }
    }

    fn wand(&self, wand: &Wand) -> String {
        format!("({}) --* ({})", self.expression(&wand.left), self.expression(&wand.right))
    }

    fn resource(&self, resource: &Resource) -> String {
        match resource {
            Resource::Field { receiver, field, .. } => {
                format!("({}).{}", self.expression(receiver), self.program.field(*field).name)
            }
            Resource::Predicate { predicate, arguments, .. } => {
                format!("{}({})", self.program.predicate(*predicate).name, self.list(arguments))
            }
            Resource::Wand(wand) => self.wand(wand),
        }
    }

    fn quantifier(
        &self,
        keyword: &str,
        variables: &[LocalId],
        triggers: &[Trigger],
        body: &Expression,
    ) -> String {
        let triggers: String =
            triggers.iter().map(|trigger| format!("{{{}}} ", self.list(&trigger.expressions))).collect();
        format!("({keyword} {} :: {triggers}{})", self.bindings(variables), self.expression(body))
    }

    fn expression(&self, expression: &Expression) -> String {
        let plain = self.plain(expression);
        let Some(annotations) = &expression.annotations else { return plain };
        let mut text = String::new();
        print_annotations(annotations, "", &mut text);
        format!("({text} ({plain}))")
    }

    fn plain(&self, expression: &Expression) -> String {
        use ExpressionKind::*;
        match &expression.kind {
            Bool(value) => value.to_string(),
            Int(digits) => digits.to_string(),
            Null => "null".to_string(),
            FullPermission => "write".to_string(),
            NoPermission => "none".to_string(),
            Wildcard => "wildcard".to_string(),
            Epsilon => "epsilon".to_string(),
            Local(local) => self.name(*local).to_string(),
            Result => "result".to_string(),
            Unary(operator, operand) => self.unary(*operator, operand),
            Binary(operator, left, right) => self.binary(*operator, left, right),
            Conditional { .. } => self.conditional(expression),
            FieldAccess { receiver, field } => {
                format!("({}).{}", self.expression(receiver), self.program.field(*field).name)
            }
            FunctionApplication { function, arguments } => {
                format!("{}({})", self.program.function(*function).name, self.list(arguments))
            }
            DomainApplication { function, arguments, .. } => {
                let function = self.program.domain_function(*function);
                let application = format!("{}({})", function.name, self.list(arguments));
                if mentions_parameter(&function.result) {
                    format!("({application}: {})", self.ty(&expression.ty))
                } else {
                    application
                }
            }
            FieldPermission { receiver, field, amount } => {
                let location = format!("({}).{}", self.expression(receiver), self.program.field(*field).name);
                match amount {
                    Some(amount) => format!("acc({location}, {})", self.expression(amount)),
                    None => format!("acc({location})"),
                }
            }
            PredicatePermission(access) => self.access(access),
            Wand(wand) => format!("({})", self.wand(wand)),
            ResourceTerm(resource) => self.resource(resource),
            CurrentPermission(resource) => format!("perm({})", self.resource(resource)),
            Unfolding { access, body } => {
                format!("(unfolding {} in {})", self.access(access), self.expression(body))
            }
            Applying { wand, body } => {
                format!("(applying ({}) in {})", self.wand(wand), self.expression(body))
            }
            Asserting { assertion, body } => {
                format!("(asserting ({}) in {})", self.expression(assertion), self.expression(body))
            }
            Old(body) => format!("old({})", self.expression(body)),
            LabelledOld { label, body } => format!("old[{}]({})", self.label(*label), self.expression(body)),
            Let { variable, value, body } => format!(
                "(let {} == ({}) in {})",
                self.name(*variable),
                self.expression(value),
                self.expression(body)
            ),
            Forall { variables, triggers, body } => self.quantifier("forall", variables, triggers, body),
            Exists { variables, triggers, body } => self.quantifier("exists", variables, triggers, body),
            ForPerm { variables, resource, body } => format!(
                "(forperm {} [{}] :: {})",
                self.bindings(variables),
                self.resource(resource),
                self.expression(body)
            ),
            InhaleExhale { inhale, exhale } => {
                format!("[{}, {}]", self.expression(inhale), self.expression(exhale))
            }
            SeqLiteral(elements) => self.collection("Seq", elements, &expression.ty),
            SetLiteral(elements) => self.collection("Set", elements, &expression.ty),
            MultisetLiteral(elements) => self.collection("Multiset", elements, &expression.ty),
            MapLiteral(entries) => {
                if entries.is_empty() {
                    return format!("{}()", self.ty(&expression.ty));
                }
                let entries: Vec<String> = entries
                    .iter()
                    .map(|entry| {
                        format!("{} := {}", self.expression(&entry.key), self.expression(&entry.value))
                    })
                    .collect();
                format!("Map({})", entries.join(", "))
            }
            SeqUpdate { base, index: key, value } | MapUpdate { base, key, value } => {
                format!("({})[{} := {}]", self.expression(base), self.expression(key), self.expression(value))
            }
        }
    }

    /// A chain of conditionals in one pair of parentheses.
    fn conditional(&self, expression: &Expression) -> String {
        let mut text = String::from("(");
        let mut node = expression;
        while let ExpressionKind::Conditional { condition, then, otherwise } = &node.kind {
            let _ = write!(text, "{} ? {} : ", self.expression(condition), self.expression(then));
            node = otherwise;
            if node.annotations.is_some() {
                break;
            }
        }
        text.push_str(&self.expression(node));
        text.push(')');
        text
    }

    fn collection(&self, name: &str, elements: &[ExpressionRef], written: &Type) -> String {
        if elements.is_empty() {
            format!("{}()", self.ty(written))
        } else {
            format!("{name}({})", self.list(elements))
        }
    }

    fn unary(&self, operator: UnaryOperator, operand: &Expression) -> String {
        let operand = self.expression(operand);
        match operator {
            UnaryOperator::Not => format!("!({operand})"),
            UnaryOperator::IntNegate | UnaryOperator::PermNegate => format!("-({operand})"),
            UnaryOperator::SeqLength
            | UnaryOperator::SetCardinality
            | UnaryOperator::MultisetCardinality
            | UnaryOperator::MapCardinality => format!("|({operand})|"),
            UnaryOperator::MapDomain => format!("domain({operand})"),
            UnaryOperator::MapRange => format!("range({operand})"),
        }
    }

    fn binary(&self, operator: BinaryOperator, left: &Expression, right: &Expression) -> String {
        use BinaryOperator::*;
        if let Some(chain) = self.chain(operator, left, right) {
            return chain;
        }
        let (left, right) = (self.expression(left), self.expression(right));
        let symbol = match operator {
            And => "&&",
            Or => "||",
            Implies => "==>",
            Equal => "==",
            NotEqual => "!=",
            IntAdd | PermAdd => "+",
            IntSubtract | PermSubtract => "-",
            IntMultiply | PermMultiply | IntPermMultiply => "*",
            IntDivide => "\\",
            IntModulo => "%",
            IntLess | PermLess => "<",
            IntLessEqual | PermLessEqual => "<=",
            IntGreater | PermGreater => ">",
            IntGreaterEqual | PermGreaterEqual => ">=",
            PermIntDivide | PermPermDivide | Fraction => "/",
            SeqAppend => "++",
            SeqContains | SetContains | MultisetCount | MapContains => "in",
            SetUnion | MultisetUnion => "union",
            SetIntersection | MultisetIntersection => "intersection",
            SetDifference | MultisetDifference => "setminus",
            SetSubset | MultisetSubset => "subset",
            SeqRange => return format!("[{left}..{right})"),
            SeqIndex | MapLookup => return format!("({left})[{right}]"),
            SeqTake => return format!("({left})[..{right}]"),
            SeqDrop => return format!("({left})[{right}..]"),
        };
        format!("({left} {symbol} {right})")
    }

    /// Operators in a row need no parentheses between them where they associate that way.
    fn chain(&self, operator: BinaryOperator, left: &Expression, right: &Expression) -> Option<String> {
        use BinaryOperator::*;
        let (symbol, to_the_right) = match operator {
            And => (" && ", true),
            Or => (" || ", true),
            Implies => (" ==> ", true),
            IntAdd | PermAdd => (" + ", false),
            SeqAppend => (" ++ ", false),
            _ => return None,
        };
        let mut operands = Vec::new();
        let (mut side, mut next) = if to_the_right { (left, right) } else { (right, left) };
        loop {
            operands.push(self.expression(side));
            match &next.kind {
                ExpressionKind::Binary(inner, a, b) if *inner == operator && next.annotations.is_none() => {
                    (side, next) = if to_the_right { (a, b) } else { (b, a) };
                }
                _ => break,
            }
        }
        operands.push(self.expression(next));
        if !to_the_right {
            operands.reverse();
        }
        Some(format!("({})", operands.join(symbol)))
    }

    fn block(&self, block: &Block, level: usize, text: &mut String) {
        let indent = "    ".repeat(level + 1);
        text.push_str("{\n");
        for local in &block.locals {
            let _ = writeln!(text, "{indent}var {}", self.bindings(std::slice::from_ref(local)));
        }
        for statement in &block.statements {
            text.push_str(&indent);
            self.statement(statement, level, text);
            text.push('\n');
        }
        let _ = write!(text, "{}}}", "    ".repeat(level));
    }

    fn statement(&self, statement: &Statement, level: usize, text: &mut String) {
        if let Some(annotations) = &statement.annotations
            && !matches!(&statement.kind, StatementKind::Block(block) if block.is_empty())
        {
            print_annotations(annotations, "", text);
            text.push(' ');
        }
        let written = match &statement.kind {
            StatementKind::Assign { target, value } => {
                format!("{} := {}", self.name(*target), self.expression(value))
            }
            StatementKind::FieldAssign { receiver, field, value, .. } => format!(
                "({}).{} := {}",
                self.expression(receiver),
                self.program.field(*field).name,
                self.expression(value)
            ),
            StatementKind::New { target, fields, .. } => {
                let fields: Vec<&str> =
                    fields.iter().map(|field| self.program.field(*field).name.as_str()).collect();
                format!("{} := new({})", self.name(*target), fields.join(", "))
            }
            StatementKind::Call { method, arguments, targets } => {
                let targets: Vec<&str> = targets.iter().map(|target| self.name(*target)).collect();
                let assign = if targets.is_empty() { "" } else { " := " };
                let name = &self.program.method(*method).name;
                format!("{}{assign}{name}({})", targets.join(", "), self.list(arguments))
            }
            StatementKind::Inhale(assertion) => format!("inhale {}", self.expression(assertion)),
            StatementKind::Exhale(assertion) => format!("exhale {}", self.expression(assertion)),
            StatementKind::Assert { assertion, .. } => format!("assert {}", self.expression(assertion)),
            StatementKind::Refute { assertion, .. } => format!("refute {}", self.expression(assertion)),
            StatementKind::Question(assertion) => format!("assume? {}", self.expression(assertion)),
            StatementKind::Fold(access) => format!("fold {}", self.access(access)),
            StatementKind::Unfold(access) => format!("unfold {}", self.access(access)),
            StatementKind::Package { wand, proof } => {
                let _ = write!(text, "package {} ", self.wand(wand));
                return self.block(proof, level + 1, text);
            }
            StatementKind::Apply(wand) => format!("apply {}", self.wand(wand)),
            StatementKind::Quasihavoc { condition, resource } => {
                format!("quasihavoc {}{}", self.guard(condition.as_ref()), self.resource(resource))
            }
            StatementKind::QuasihavocAll { variables, condition, resource } => format!(
                "quasihavocall {} :: {}{}",
                self.bindings(variables),
                self.guard(condition.as_ref()),
                self.resource(resource)
            ),
            StatementKind::If { condition, then, otherwise } => {
                let _ = write!(text, "if ({}) ", self.expression(condition));
                self.block(then, level + 1, text);
                if !otherwise.is_empty() {
                    text.push_str(" else ");
                    self.block(otherwise, level + 1, text);
                }
                return;
            }
            StatementKind::While { condition, invariants, body } => {
                let _ = write!(text, "while ({})", self.expression(condition));
                self.clauses("invariant", invariants, text);
                text.push(' ');
                return self.block(body, level + 1, text);
            }
            StatementKind::Label { label, invariants } => {
                let _ = write!(text, "label {}", self.label(LabelReference::Label(*label)));
                return self.clauses("invariant", invariants, text);
            }
            StatementKind::Goto(label) => format!("goto {}", self.label(LabelReference::Label(*label))),
            StatementKind::Block(block) => return self.block(block, level + 1, text),
        };
        text.push_str(&written);
    }

    fn guard(&self, condition: Option<&ExpressionRef>) -> String {
        condition.map_or_else(String::new, |condition| format!("({}) ==> ", self.expression(condition)))
    }
}
