//! Macro expansion, hygienic as in Viper: a name that a macro body introduces is renamed where it would clash.
//!
//! Every node of an expansion gets the place of the macro's use, because that is where Viper reports errors about
//! it. Expansion of a file stops at its first error. The work is bounded by a budget of nodes, since a few lines
//! of macros can describe a program of any size.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use source::{Diagnostic, Span};

use crate::codes;
use crate::syntax::MAX_NESTING;
use crate::syntax::rewrite::Rewrite;
use crate::syntax::tree::{
    BinaryOperator, Define, DefineBody, Expression, ExpressionKind, MemberKind, Name, Program, Statement,
    StatementKind, Type, TypeKind,
};
use crate::typed::MAX_DEPTH;

const MAX_EXPANDED_NODES: usize = 2_000_000;
const MAX_EXPANSION_DEPTH: usize = 200;
/// Macros may nest blocks a little deeper than a file can.
const MAX_SCOPES: usize = 2 * MAX_NESTING;

const CALL_AS_TARGET: &str = "only a macro can be called on the left of an assignment";

/// What went wrong with an expansion, and where.
struct Stop {
    span: Span,
    message: String,
}

type Expanded<T> = Result<T, Stop>;

/// Expands all macros of all files, in place.
pub(super) fn expand(programs: &mut [&mut Program]) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    // Later files import earlier ones; the importing file's macros come first, as its other members do.
    let macros: Vec<Define> = programs.iter().rev().flat_map(|program| defines(program)).collect();
    check_names(programs, &macros, &mut diagnostics);
    let globals = global_names(programs);
    let mut budget = MAX_EXPANDED_NODES;
    for program in programs.iter_mut() {
        if let Err(stop) = expand_program(program, &macros, &globals, &mut budget) {
            diagnostics.push(
                Diagnostic::error(codes::PARSER, stop.span, stop.message)
                    .help("macros are expanded before names and types are looked at"),
            );
        }
        program.members.retain(|member| !matches!(member.kind, MemberKind::Define(_)));
    }
    diagnostics
}

fn defines(program: &Program) -> Vec<Define> {
    let mut defines = Vec::new();
    for member in &program.members {
        if let MemberKind::Define(define) = &member.kind {
            defines.push(Define { span: member.span, ..define.clone() });
        }
    }
    defines
}

fn global_names(programs: &[&mut Program]) -> FxHashSet<Arc<str>> {
    let mut names = FxHashSet::default();
    for member in programs.iter().flat_map(|program| &program.members) {
        match &member.kind {
            MemberKind::Import(_) => {}
            MemberKind::Define(define) => {
                names.insert(define.name.text.clone());
            }
            MemberKind::Fields(bindings) => {
                names.extend(bindings.iter().map(|binding| binding.name.text.clone()))
            }
            MemberKind::Method(method) => {
                names.insert(method.name.text.clone());
            }
            MemberKind::Function(function) => {
                names.insert(function.name.text.clone());
            }
            MemberKind::Predicate(predicate) => {
                names.insert(predicate.name.text.clone());
            }
            MemberKind::Domain(domain) => {
                names.insert(domain.name.text.clone());
                names.extend(domain.functions.iter().map(|function| function.name.text.clone()));
            }
            MemberKind::Adt(adt) => {
                names.insert(adt.name.text.clone());
                names.extend(adt.constructors.iter().map(|constructor| constructor.name.text.clone()));
            }
        }
    }
    names
}

fn check_names(programs: &[&mut Program], macros: &[Define], diagnostics: &mut Vec<Diagnostic>) {
    let mut seen: FxHashMap<Arc<str>, Span> = FxHashMap::default();
    for define in macros {
        match seen.get(&define.name.text) {
            Some(first) => diagnostics.push(
                Diagnostic::error(
                    codes::PARSER,
                    define.span,
                    format!("there is already a macro named `{}`", define.name.text),
                )
                .label(*first, "the other macro")
                .help("rename one of them"),
            ),
            None => {
                seen.insert(define.name.text.clone(), define.span);
            }
        }
    }
    for member in programs.iter().flat_map(|program| &program.members) {
        let name = match &member.kind {
            MemberKind::Method(method) => &method.name,
            MemberKind::Function(function) => &function.name,
            MemberKind::Predicate(predicate) => &predicate.name,
            MemberKind::Domain(domain) => &domain.name,
            _ => continue,
        };
        if let Some(span) = seen.get(&name.text) {
            diagnostics.push(
                Diagnostic::error(
                    codes::PARSER,
                    *span,
                    format!("the name of macro `{}` is already used", name.text),
                )
                .label(name.span, "used here")
                .help("rename the macro"),
            );
        }
    }
    for member in programs.iter().flat_map(|program| &program.members) {
        if let MemberKind::Method(method) = &member.kind
            && let Some(body) = &method.body
        {
            defines_in_proof_scripts(&body.statements, false, diagnostics);
        }
    }
}

fn defines_in_proof_scripts(statements: &[Statement], inside: bool, diagnostics: &mut Vec<Diagnostic>) {
    for statement in statements {
        if inside && matches!(statement.kind, StatementKind::Define(_)) {
            diagnostics.push(
                Diagnostic::error(
                    codes::PARSER,
                    statement.span,
                    "no macro can be defined inside a proof script",
                )
                .help("define it outside the `package` statement"),
            );
        }
        let inside = inside || matches!(statement.kind, StatementKind::Package { .. });
        for_each_block(statement, &mut |block| defines_in_proof_scripts(block, inside, diagnostics));
    }
}

/// Calls `f` on the statements directly nested in a statement.
fn for_each_block<'a>(statement: &'a Statement, f: &mut dyn FnMut(&'a [Statement])) {
    use crate::syntax::tree::Otherwise;
    match &statement.kind {
        StatementKind::Annotated(_, inner) => for_each_block(inner, f),
        StatementKind::Block(block) | StatementKind::While { body: block, .. } => f(&block.statements),
        StatementKind::Package { proof: Some(block), .. } => f(&block.statements),
        StatementKind::If { then, otherwise, .. } => {
            f(&then.statements);
            match otherwise {
                Some(Otherwise::Block(block)) => f(&block.statements),
                Some(Otherwise::If(inner)) => f(std::slice::from_ref(&**inner)),
                None => {}
            }
        }
        StatementKind::Expansion(statements) => f(statements),
        _ => {}
    }
}

fn local_defines(statements: &[Statement], defines: &mut Vec<Define>) {
    for statement in statements {
        if let StatementKind::Define(define) = &statement.kind {
            defines.push(Define { span: statement.span, ..(**define).clone() });
        }
        for_each_block(statement, &mut |block| local_defines(block, defines));
    }
}

fn expand_program(
    program: &mut Program,
    macros: &[Define],
    globals: &FxHashSet<Arc<str>>,
    budget: &mut usize,
) -> Expanded<()> {
    for member in &mut program.members {
        let mut locals = Vec::new();
        if let MemberKind::Method(method) = &member.kind
            && let Some(body) = &method.body
        {
            local_defines(&body.statements, &mut locals);
        }
        if macros.is_empty() && locals.is_empty() {
            if let MemberKind::Method(method) = &member.kind
                && let Some(body) = &method.body
            {
                no_calls_as_targets(&body.statements)?;
            }
            continue;
        }
        let visible: Vec<&Define> = locals.iter().chain(macros).collect();
        let mut names = DeclaredNames::default();
        let mut cycles = CycleFinder { macros: &visible, path: Vec::new(), done: FxHashSet::default() };
        visit_member(&mut member.kind.clone(), &mut names)?;
        visit_member(&mut member.kind.clone(), &mut cycles)?;
        let mut expander = Expander {
            macros: &visible,
            globals,
            declared: names.names.into_iter().collect(),
            scopes: vec![FxHashSet::default()],
            counters: FxHashMap::default(),
            budget,
            depth: 0,
        };
        visit_member(&mut member.kind, &mut expander)?;
    }
    Ok(())
}

/// Where there are no macros, no call on the left of an assignment can become something that is assignable.
fn no_calls_as_targets(statements: &[Statement]) -> Expanded<()> {
    for statement in statements {
        if let StatementKind::Assign { targets, .. } = &statement.kind
            && let Some(target) =
                targets.iter().find(|target| matches!(&*target.kind, ExpressionKind::Call(..)))
        {
            return Err(Stop { span: target.span, message: CALL_AS_TARGET.to_string() });
        }
        let mut result = Ok(());
        for_each_block(statement, &mut |block| {
            if result.is_ok() {
                result = no_calls_as_targets(block);
            }
        });
        result?;
    }
    Ok(())
}

/// Rewrites the parts of a member in which macros are expanded.
fn visit_member<R: Rewrite<Error = Stop>>(member: &mut MemberKind, rewriting: &mut R) -> Expanded<()> {
    match member {
        MemberKind::Method(method) => {
            method.formals = rewriting.bindings(&method.formals)?;
            method.returns = rewriting.bindings(&method.returns)?;
            method.preconditions = rewriting.specifications(&method.preconditions)?;
            method.postconditions = rewriting.specifications(&method.postconditions)?;
            if let Some(body) = &method.body {
                method.body = Some(rewriting.block(body)?);
            }
        }
        MemberKind::Function(function) => {
            function.formals = rewriting.bindings(&function.formals)?;
            function.result = rewriting.ty(&function.result)?;
            function.preconditions = rewriting.specifications(&function.preconditions)?;
            function.postconditions = rewriting.specifications(&function.postconditions)?;
            function.body = rewriting.optional(function.body.as_ref())?;
        }
        MemberKind::Predicate(predicate) => {
            predicate.formals = rewriting.bindings(&predicate.formals)?;
            predicate.body = rewriting.optional(predicate.body.as_ref())?;
        }
        MemberKind::Domain(domain) => {
            for function in &mut domain.functions {
                for (_, ty) in &mut function.formals {
                    *ty = rewriting.ty(ty)?;
                }
                function.result = rewriting.ty(&function.result)?;
            }
            for axiom in &mut domain.axioms {
                axiom.body = rewriting.expression(&axiom.body)?;
            }
        }
        MemberKind::Import(_) | MemberKind::Define(_) | MemberKind::Fields(_) | MemberKind::Adt(_) => {}
    }
    Ok(())
}

/// Collects the names that a member introduces.
#[derive(Default)]
struct DeclaredNames {
    names: Vec<Arc<str>>,
}

impl Rewrite for DeclaredNames {
    type Error = Stop;

    fn definition(&mut self, name: &Name) -> Expanded<Name> {
        self.names.push(name.text.clone());
        Ok(name.clone())
    }
}

/// What a piece of syntax is in the place where it stands.
#[derive(Clone, Copy, PartialEq)]
enum Position {
    Statement,
    Expression,
    Type,
    Identifier,
}

impl Position {
    fn text(self) -> &'static str {
        match self {
            Position::Statement => "statement",
            Position::Expression => "expression",
            Position::Type => "type",
            Position::Identifier => "identifier",
        }
    }
}

fn find_macro<'a>(macros: &[&'a Define], name: &str) -> Option<&'a Define> {
    macros.iter().find(|define| &*define.name.text == name).copied()
}

/// Walks into the macros that a member uses and stops where one comes back to itself.
struct CycleFinder<'a> {
    macros: &'a [&'a Define],
    path: Vec<Arc<str>>,
    /// Macros from which no cycle can be reached.
    done: FxHashSet<Arc<str>>,
}

impl CycleFinder<'_> {
    fn follow(&mut self, name: &str) -> Expanded<()> {
        let Some(define) = find_macro(self.macros, name) else { return Ok(()) };
        if self.path.iter().any(|seen| **seen == *name) {
            return Err(Stop { span: define.span, message: format!("macro `{name}` is defined by itself") });
        }
        if self.done.contains(name) {
            return Ok(());
        }
        if self.path.len() >= MAX_EXPANSION_DEPTH {
            return Err(Stop { span: define.span, message: "macros use each other too deeply".to_string() });
        }
        self.path.push(define.name.text.clone());
        match &define.body {
            DefineBody::Statements(block) => {
                self.block(block)?;
            }
            DefineBody::Expression(expression) => {
                self.expression(expression)?;
            }
        }
        self.path.pop();
        self.done.insert(define.name.text.clone());
        Ok(())
    }
}

impl Rewrite for CycleFinder<'_> {
    type Error = Stop;

    fn reference(&mut self, name: &Name) -> Expanded<Name> {
        self.follow(&name.text)?;
        Ok(name.clone())
    }
}

struct Expander<'a> {
    macros: &'a [&'a Define],
    globals: &'a FxHashSet<Arc<str>>,
    /// All names that the member introduces.
    declared: FxHashSet<Arc<str>>,
    /// Names that earlier expansions introduced, by open scope.
    scopes: Vec<FxHashSet<Arc<str>>>,
    counters: FxHashMap<Arc<str>, usize>,
    budget: &'a mut usize,
    depth: usize,
}

impl<'a> Expander<'a> {
    fn is_taken(&self, name: &str) -> bool {
        self.globals.contains(name)
            || self.declared.contains(name)
            || self.scopes.iter().any(|scope| scope.contains(name))
    }

    fn fresh(&mut self, name: &Arc<str>) -> Arc<str> {
        let mut number = self.counters.get(name).map_or(0, |last| last + 1);
        let fresh = loop {
            let candidate: Arc<str> = format!("{name}${number}").into();
            if !self.is_taken(&candidate) {
                break candidate;
            }
            number += 1;
        };
        self.counters.insert(name.clone(), number);
        fresh
    }

    /// Checks a use against its definition.
    fn check_use(
        define: &Define,
        arguments: Option<&[Expression]>,
        position: Position,
        span: Span,
    ) -> Expanded<()> {
        let name = &define.name.text;
        match (&define.parameters, arguments) {
            (Some(_), None) => {
                let message = format!("macro `{name}` has parameters, but is used without arguments");
                return Err(Stop { span, message });
            }
            (Some(parameters), Some(arguments)) if parameters.len() != arguments.len() => {
                let message =
                    format!("macro `{name}` has {} parameters, not {}", parameters.len(), arguments.len());
                return Err(Stop { span, message });
            }
            _ => {}
        }
        let body = match &define.body {
            DefineBody::Statements(_) => Position::Statement,
            DefineBody::Expression(_) => Position::Expression,
        };
        if body != position {
            let message = format!("{} macro `{name}` is used as {}", body.text(), position.text());
            return Err(Stop { span, message });
        }
        Ok(())
    }

    fn instantiator<'b>(
        &'b mut self,
        define: &'b Define,
        arguments: &'b [Expression],
        span: Span,
    ) -> Instantiator<'b, 'a> {
        let parameters = define.parameters.iter().flatten().map(|name| name.text.clone());
        Instantiator {
            expander: self,
            arguments: parameters.zip(arguments).collect(),
            renamed: FxHashMap::default(),
            bound: Vec::new(),
            marks: Vec::new(),
            span,
            copying_argument: false,
        }
    }

    fn expand_expression(
        &mut self,
        define: &Define,
        arguments: Option<&[Expression]>,
        span: Span,
    ) -> Expanded<Expression> {
        Expander::check_use(define, arguments, Position::Expression, span)?;
        let DefineBody::Expression(body) = &define.body else {
            return Err(Stop { span, message: "a statement macro is used as expression".to_string() });
        };
        let expanded = self.instantiator(define, arguments.unwrap_or(&[]), span).expression(body)?;
        if expanded.depth as usize > MAX_DEPTH {
            return Err(Stop {
                span,
                message: format!("the expansion is more than {MAX_DEPTH} operators deep"),
            });
        }
        self.deeper(span, |expander| expander.expression(&expanded))
    }

    fn deeper<T>(&mut self, span: Span, step: impl FnOnce(&mut Self) -> Expanded<T>) -> Expanded<T> {
        if self.depth >= MAX_EXPANSION_DEPTH {
            return Err(Stop { span, message: "macros are nested too deeply".to_string() });
        }
        self.depth += 1;
        let result = step(self);
        self.depth -= 1;
        result
    }

    /// The macro and arguments of a call that uses one.
    fn used_macro<'b>(&self, kind: &'b ExpressionKind) -> Option<(&'a Define, Option<&'b [Expression]>)> {
        match kind {
            ExpressionKind::Name(name) => find_macro(self.macros, &name.text).map(|define| (define, None)),
            ExpressionKind::Call(name, arguments, None) => {
                let define = find_macro(self.macros, &name.text)?;
                define.parameters.is_some().then_some((define, Some(arguments.as_slice())))
            }
            _ => None,
        }
    }
}

impl Rewrite for Expander<'_> {
    type Error = Stop;

    fn enter_scope(&mut self) {
        self.scopes.push(FxHashSet::default());
    }

    fn leave_scope(&mut self) {
        self.scopes.pop();
    }

    fn reference(&mut self, name: &Name) -> Expanded<Name> {
        if let Some(define) = find_macro(self.macros, &name.text) {
            Expander::check_use(define, None, Position::Identifier, name.span)?;
        }
        Ok(name.clone())
    }

    fn ty(&mut self, ty: &Type) -> Expanded<Type> {
        match &ty.kind {
            TypeKind::Named(name, None) => {
                if let Some(define) = find_macro(self.macros, &name.text) {
                    Expander::check_use(define, None, Position::Type, ty.span)?;
                }
            }
            TypeKind::Macro(name, arguments) => {
                let Some(define) = find_macro(self.macros, &name.text) else {
                    return Err(Stop {
                        span: ty.span,
                        message: format!("there is no macro `{}`", name.text),
                    });
                };
                Expander::check_use(define, Some(arguments), Position::Type, ty.span)?;
            }
            _ => {}
        }
        self.walk_type(ty)
    }

    fn expression(&mut self, expression: &Expression) -> Expanded<Expression> {
        let expanded = match self.used_macro(&expression.kind) {
            Some((define, arguments)) => self.expand_expression(define, arguments, expression.span)?,
            None => self.walk_expression(expression)?,
        };
        if expanded.depth as usize > MAX_DEPTH {
            let message = format!("the expansion is more than {MAX_DEPTH} operators deep");
            return Err(Stop { span: expression.span, message });
        }
        Ok(expanded)
    }

    fn location(&mut self, expression: &Expression) -> Expanded<Expression> {
        let result = self.expression(expression)?;
        let was_macro = self.used_macro(&expression.kind).is_some();
        let is_location = matches!(
            &*result.kind,
            ExpressionKind::Field(..)
                | ExpressionKind::Call(..)
                | ExpressionKind::Access(..)
                | ExpressionKind::Binary(BinaryOperator::Wand, ..)
        );
        if was_macro && !is_location {
            let message =
                "the macro stands for something else than a location, which is needed here".to_string();
            return Err(Stop { span: expression.span, message });
        }
        Ok(result)
    }

    fn statement(&mut self, statement: &Statement) -> Expanded<Statement> {
        let span = statement.span;
        if self.scopes.len() > MAX_SCOPES {
            return Err(Stop { span, message: "macros make blocks that are nested too deeply".to_string() });
        }
        match &statement.kind {
            StatementKind::Define(_) => Ok(Statement { kind: StatementKind::Expansion(Vec::new()), span }),
            StatementKind::Assign { targets, value } if targets.is_empty() => {
                let Some((define, arguments)) = self.used_macro(&value.kind) else {
                    return self.walk_statement(statement);
                };
                Expander::check_use(define, arguments, Position::Statement, span)?;
                let DefineBody::Statements(body) = &define.body else {
                    return Err(Stop {
                        span,
                        message: "an expression macro is used as statement".to_string(),
                    });
                };
                let expanded =
                    self.instantiator(define, arguments.unwrap_or(&[]), span).statements(&body.statements)?;
                let statements = self.deeper(span, |expander| expander.statements(&expanded))?;
                Ok(Statement { kind: StatementKind::Expansion(statements), span })
            }
            StatementKind::Assign { targets, .. } => {
                for target in targets {
                    if !matches!(&*target.kind, ExpressionKind::Call(..)) {
                        continue;
                    }
                    let Some((define, arguments)) = self.used_macro(&target.kind) else {
                        return Err(Stop { span: target.span, message: CALL_AS_TARGET.to_string() });
                    };
                    let expanded = self.expand_expression(define, arguments, target.span)?;
                    if !matches!(&*expanded.kind, ExpressionKind::Name(_) | ExpressionKind::Field(..)) {
                        let message =
                            "the macro does not stand for something that can be assigned".to_string();
                        return Err(Stop { span: target.span, message });
                    }
                }
                self.walk_statement(statement)
            }
            _ => self.walk_statement(statement),
        }
    }
}

/// Copies a macro body: parameters become arguments, introduced names are renamed where they clash, and every
/// node is at the place of the use.
struct Instantiator<'b, 'a> {
    expander: &'b mut Expander<'a>,
    arguments: FxHashMap<Arc<str>, &'b Expression>,
    renamed: FxHashMap<Arc<str>, Arc<str>>,
    /// Parameters that a binder of the body hides, with marks where scopes begin.
    bound: Vec<Arc<str>>,
    marks: Vec<usize>,
    span: Span,
    copying_argument: bool,
}

impl Instantiator<'_, '_> {
    fn argument(&self, name: &str) -> Option<&Expression> {
        if self.copying_argument || self.bound.iter().any(|bound| **bound == *name) {
            return None;
        }
        self.arguments.get(name).copied()
    }

    fn count(&mut self) -> Expanded<()> {
        if *self.expander.budget == 0 {
            let message = format!("macros expand to more than {MAX_EXPANDED_NODES} nodes");
            return Err(Stop { span: self.span, message });
        }
        *self.expander.budget -= 1;
        Ok(())
    }
}

impl Rewrite for Instantiator<'_, '_> {
    type Error = Stop;

    fn span(&mut self, _span: Span) -> Span {
        self.span
    }

    fn enter_scope(&mut self) {
        self.marks.push(self.bound.len());
    }

    fn leave_scope(&mut self) {
        if let Some(mark) = self.marks.pop() {
            self.bound.truncate(mark);
        }
    }

    fn definition(&mut self, name: &Name) -> Expanded<Name> {
        let span = self.span;
        if self.copying_argument {
            return Ok(Name { text: name.text.clone(), span });
        }
        self.bound.push(name.text.clone());
        let text = if self.expander.is_taken(&name.text) {
            let fresh = self.expander.fresh(&name.text);
            self.renamed.insert(name.text.clone(), fresh.clone());
            fresh
        } else {
            name.text.clone()
        };
        if let Some(scope) = self.expander.scopes.last_mut() {
            scope.insert(text.clone());
        }
        Ok(Name { text, span })
    }

    fn reference(&mut self, name: &Name) -> Expanded<Name> {
        let span = self.span;
        if let Some(argument) = self.argument(&name.text) {
            return match &*argument.kind {
                ExpressionKind::Name(replacement) => Ok(Name { text: replacement.text.clone(), span }),
                _ => Err(Stop {
                    span,
                    message: format!(
                        "an expression cannot be put where `{}` stands: a name is needed",
                        name.text
                    ),
                }),
            };
        }
        let renamed = if self.copying_argument { None } else { self.renamed.get(&name.text) };
        Ok(Name { text: renamed.unwrap_or(&name.text).clone(), span })
    }

    fn statement(&mut self, statement: &Statement) -> Expanded<Statement> {
        self.count()?;
        // A label may be named by a parameter; then it is not the body that introduces the name.
        if let StatementKind::Label { name, invariants } = &statement.kind
            && self.argument(&name.text).is_some()
        {
            let name = self.reference(name)?;
            let kind = StatementKind::Label { name, invariants: self.specifications(invariants)? };
            return Ok(Statement { kind, span: self.span });
        }
        self.walk_statement(statement)
    }

    fn expression(&mut self, expression: &Expression) -> Expanded<Expression> {
        self.count()?;
        if let ExpressionKind::Name(name) = &*expression.kind
            && let Some(argument) = self.argument(&name.text)
        {
            let argument = argument.clone();
            self.copying_argument = true;
            let copy = self.expression(&argument);
            self.copying_argument = false;
            return copy;
        }
        self.walk_expression(expression)
    }
}
