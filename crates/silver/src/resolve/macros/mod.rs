//! Macro expansion, hygienic as in Viper: a name that a macro body introduces is renamed where it would clash.
//!
//! Every node of an expansion gets the place of the macro's use, because that is where Viper reports errors about
//! it. Expansion of a file stops at its first error. The work is bounded by a budget of nodes, since a few lines
//! of macros can describe a program of any size.

mod expand;
mod instantiate;

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use source::{Diagnostic, Span};

use self::expand::Expander;
use crate::codes;
use crate::limits;
use crate::syntax::rewrite::Rewrite;
use crate::syntax::tree::{
    Define, DefineBody, Expression, ExpressionKind, MemberKind, Name, Program, Statement, StatementKind,
};

const CALL_AS_TARGET: &str = "only a macro can be called on the left of an assignment";

/// What went wrong with an expansion, and where.
struct Stop {
    span: Span,
    message: String,
}

type Expanded<T> = Result<T, Stop>;

/// Expands all macros of all files, in place. The built-in library uses none, whatever the program calls its own.
pub(super) fn expand(programs: &mut [&mut Program], built_in: &[bool]) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    // Later files import earlier ones; the importing file's macros come first, as its other members do.
    let macros: Vec<Define> = programs.iter().rev().flat_map(|program| defines(program)).collect();
    check_names(programs, &macros, &mut diagnostics);
    unused_parameters(programs, &macros, &mut diagnostics);
    let globals = global_names(programs);
    let mut budget = limits::EXPANDED_NODES;
    for (program, built_in) in programs.iter_mut().zip(built_in) {
        if !built_in && let Err(stop) = expand_program(program, &macros, &globals, &mut budget) {
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

/// A parameter that the body does not mention is probably a slip.
fn unused_parameters(programs: &[&mut Program], macros: &[Define], diagnostics: &mut Vec<Diagnostic>) {
    let mut locals = Vec::new();
    for member in programs.iter().flat_map(|program| &program.members) {
        if let MemberKind::Method(method) = &member.kind
            && let Some(body) = &method.body
        {
            local_defines(&body.statements, &mut locals);
        }
    }
    for define in macros.iter().chain(&locals) {
        let mut mentioned = MentionedNames::default();
        let _ = match &define.body {
            DefineBody::Statements(block) => mentioned.block(block).map(|_| ()),
            DefineBody::Expression(expression) => mentioned.expression(expression).map(|_| ()),
        };
        for parameter in define.parameters.iter().flatten() {
            if !mentioned.names.contains(&parameter.text) {
                let message =
                    format!("macro `{}` does not use its parameter `{}`", define.name.text, parameter.text);
                diagnostics.push(
                    Diagnostic::warning(codes::PARSER_WARNING, define.span, message)
                        .help("remove the parameter"),
                );
            }
        }
    }
}

/// Collects all names of a macro body.
#[derive(Default)]
struct MentionedNames {
    names: FxHashSet<Arc<str>>,
}

impl Rewrite for MentionedNames {
    type Error = Stop;

    fn reference(&mut self, name: &Name) -> Expanded<Name> {
        self.names.insert(name.text.clone());
        Ok(name.clone())
    }

    fn definition(&mut self, name: &Name) -> Expanded<Name> {
        self.names.insert(name.text.clone());
        Ok(name.clone())
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
        let mut cycles =
            CycleFinder { macros: &visible, path: Vec::new(), done: FxHashSet::default(), depth: 0 };
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
            walk_depth: 0,
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

fn find_macro<'a>(macros: &[&'a Define], name: &str) -> Option<&'a Define> {
    macros.iter().find(|define| &*define.name.text == name).copied()
}

/// Walks into the macros that a member uses and stops where one comes back to itself.
struct CycleFinder<'a> {
    macros: &'a [&'a Define],
    path: Vec<Arc<str>>,
    /// Macros from which no cycle can be reached.
    done: FxHashSet<Arc<str>>,
    /// How deep the walk is, through macros too.
    depth: usize,
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
        if self.path.len() >= limits::EXPANSION_DEPTH {
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

    fn expression(&mut self, expression: &Expression) -> Expanded<Expression> {
        self.depth += 1;
        if self.depth > limits::EXPANSION_WALK {
            return Err(Stop {
                span: expression.span,
                message: "macros use each other too deeply".to_string(),
            });
        }
        let result = self.walk_expression(expression);
        self.depth -= 1;
        result
    }
}
