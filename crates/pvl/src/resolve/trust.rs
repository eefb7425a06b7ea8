//! What a program takes for granted: contracts without a body, axioms, `assume`, measures that are assumed or missing.
//!
//! Each of these can be wrong, and then everything is proved. They are allowed, but whoever reads *holds* has to be told
//! of them. A contract without a body that promises nothing is not among them: nothing follows from it.

use rustc_hash::FxHashMap;
use source::Span;

use super::lemmas::functions_without_end;
use super::{Resolution, routines_in_order};
use crate::syntax::print_parameter_types;
use crate::syntax::tree::{
    Block, Builtin, ClassMemberKind, ClauseKind, Contract, DeclarationKind, Expression, ExpressionKind,
    Measure, Name, Parameter, Program, Routine, Statement, StatementKind,
};

/// Something that is taken for granted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trusted {
    /// `abstract function`, `axiom`, `assume` …
    pub kind: &'static str,
    /// Of what it is about, or belongs to.
    pub name: String,
    pub span: Span,
}

/// Everything that a program without errors takes for granted, in the order of the text.
pub fn trusted(program: &Program, resolution: &Resolution<'_>) -> Vec<Trusted> {
    let mut found = Found { items: Vec::new(), overloads: overloads(program) };
    for declaration in &program.declarations {
        if let Some(routine) = declaration.kind.routine() {
            found.routine(routine, "");
        }
        match &declaration.kind {
            DeclarationKind::Class(class) => {
                let prefix = format!("{}.", class.name.text);
                found.contract(&class.contract, &class.name.text);
                class.members.iter().for_each(|member| found.class_member(&member.kind, &prefix));
            }
            DeclarationKind::Adt(adt) => {
                adt.axioms.iter().for_each(|axiom| found.add("axiom", &adt.name.text, axiom.span));
            }
            DeclarationKind::ProverType(it) => found.add("prover type", &it.name.text, it.name.span),
            DeclarationKind::ProverFunction(it) => found.add("prover function", &it.name.text, it.name.span),
            _ => {}
        }
    }
    for name in functions_without_end(resolution, &routines_in_order(program)) {
        let text = found.overloads.get(&name.span).map_or(&*name.text, String::as_str).to_string();
        found.add("unmeasured recursion", &text, name.span);
    }
    let mut items = found.items;
    items.sort_by_key(|item| (item.span.file, item.span.start, item.span.end));
    items.dedup();
    items
}

/// What to call the routines and constructors that share their name with another one, by the places of their names.
fn overloads(program: &Program) -> FxHashMap<Span, String> {
    let mut named: Vec<(String, Span, &[Parameter])> = Vec::new();
    for declaration in &program.declarations {
        if let Some(routine) = declaration.kind.routine() {
            let name = routine.name();
            named.push((name.text.to_string(), name.span, routine.parameters()));
        }
        let DeclarationKind::Class(class) = &declaration.kind else { continue };
        for member in &class.members {
            if let ClassMemberKind::Constructor(it) = &member.kind {
                named.push((class.name.text.to_string(), it.keyword, &it.parameters));
            }
            if let Some(routine) = member.kind.routine() {
                let name = routine.name();
                let text = format!("{}.{}", class.name.text, name.text);
                named.push((text, name.span, routine.parameters()));
            }
        }
    }
    let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
    named.iter().for_each(|(name, ..)| *counts.entry(name).or_default() += 1);
    let shared = named.iter().filter(|(name, ..)| counts.get(&**name).is_some_and(|count| *count > 1));
    shared
        .map(|(name, span, parameters)| (*span, format!("{name}{}", print_parameter_types(parameters))))
        .collect()
}

struct Found {
    items: Vec<Trusted>,
    overloads: FxHashMap<Span, String>,
}

impl Found {
    fn add(&mut self, kind: &'static str, name: &str, span: Span) {
        self.items.push(Trusted { kind, name: name.to_string(), span });
    }

    fn class_member(&mut self, member: &ClassMemberKind, prefix: &str) {
        if let Some(routine) = member.routine() {
            self.routine(routine, prefix);
        }
        let class = prefix.trim_end_matches('.');
        match member {
            ClassMemberKind::Constructor(it) => {
                let name = self.overloads.get(&it.keyword).cloned().unwrap_or_else(|| class.to_string());
                self.code("abstract constructor", &name, it.keyword, &it.contract, it.body.as_ref());
            }
            ClassMemberKind::Run(it) => {
                let name = format!("{prefix}run");
                self.code("abstract method", &name, it.keyword, &it.contract, it.body.as_ref());
            }
            _ => {}
        }
    }

    fn routine(&mut self, routine: Routine<'_>, prefix: &str) {
        let Name { text, span, .. } = routine.name();
        let name = self.overloads.get(span).cloned().unwrap_or_else(|| format!("{prefix}{text}"));
        match routine {
            Routine::Method(it) => {
                let is_pure = it.modifiers.pure.is_some();
                let kind = if is_pure { "abstract function" } else { "abstract method" };
                self.code(kind, &name, *span, &it.contract, it.body.as_ref());
            }
            Routine::Lemma(it) => self.code("abstract lemma", &name, *span, &it.contract, it.body.as_ref()),
            Routine::Function(it) => {
                self.contract(&it.contract, &name);
                match &it.body {
                    Some(body) => self.expression(body, &name),
                    None if promises(&it.contract) => self.add("abstract function", &name, *span),
                    None => {}
                }
            }
            Routine::Predicate(it) => it.body.iter().for_each(|body| self.expression(body, &name)),
        }
    }

    fn code(
        &mut self,
        kind: &'static str,
        name: &str,
        span: Span,
        contract: &Contract,
        body: Option<&Block>,
    ) {
        self.contract(contract, name);
        match body {
            Some(body) => body.statements.iter().for_each(|statement| self.statement(statement, name)),
            None if promises(contract) => self.add(kind, name, span),
            None => {}
        }
    }

    fn statement(&mut self, root: &Statement, name: &str) {
        let mut work = vec![root];
        while let Some(statement) = work.pop() {
            match &statement.kind {
                StatementKind::Assume(_) => self.add("assume", name, statement.span),
                StatementKind::Inhale(_) => self.add("inhale", name, statement.span),
                StatementKind::While { contract, .. }
                | StatementKind::For { contract, .. }
                | StatementKind::RangedFor { contract, .. } => self.measure(contract, name),
                _ => {}
            }
            statement.kind.for_each_expression(&mut |expression| self.expression(expression, name));
            statement.kind.for_each_child(&mut |child| work.push(child));
        }
    }

    fn contract(&mut self, contract: &Contract, name: &str) {
        self.measure(contract, name);
        contract.for_each_expression(&mut |expression| self.expression(expression, name));
    }

    fn measure(&mut self, contract: &Contract, name: &str) {
        if let Some((Measure::Assume, span)) = contract.measure() {
            self.add("assumed termination", name, span);
        }
    }

    /// `\polarity_dependent(a, b)` assumes what is not what it checks. Ghost statements inside may do anything.
    fn expression(&mut self, root: &Expression, name: &str) {
        let mut work = vec![root];
        while let Some(expression) = work.pop() {
            if let ExpressionKind::Builtin(Builtin::PolarityDependent, _) = &*expression.kind {
                self.add("inhale-exhale", name, expression.span);
            }
            expression.kind.ghost_statements().for_each(|statement| self.statement(statement, name));
            expression.kind.for_each_child(&mut |child| work.push(child));
        }
    }
}

/// Whether something follows from a contract: a postcondition, or that a call ends.
fn promises(contract: &Contract) -> bool {
    contract.clauses.iter().any(|clause| {
        matches!(
            clause.kind,
            ClauseKind::Ensures(_)
                | ClauseKind::Context(_)
                | ClauseKind::ContextEverywhere(_)
                | ClauseKind::Decreases(_)
        )
    })
}
