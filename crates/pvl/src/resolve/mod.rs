//! Names and types: tables that say what each node of the tree means.
//!
//! First everything that is declared is collected, then the types of parameters, results and fields are found, then
//! contracts and bodies are checked in the order of the text. Errors do not stop the pass; what they leave open has
//! the type [`Type::Unknown`], which fits everywhere, so that one mistake is reported once.

mod addresses;
mod assignments;
mod builtins;
mod call_errors;
mod calls;
mod checker;
mod creations;
mod data_types;
mod expressions;
mod finals;
mod ghost_arguments;
mod held_amounts;
mod inlining;
mod items;
mod jumps;
mod kept_locks;
mod kept_resources;
mod lemmas;
mod locations;
mod members;
mod mentions;
mod models;
mod opaque;
mod operators;
mod overloads;
mod parallel;
mod processes;
mod pure_methods;
mod questions;
mod recursion;
mod resolution;
mod selections;
mod statements;
mod subscripts;
mod subtyping;
mod trust;
mod types;
mod vectors;
mod written_types;

use source::Diagnostic;

use crate::syntax::tree::{DeclarationKind, NodeId, Program, Question};
pub(crate) use processes::frame;
pub use resolution::{
    CallTarget, Creation, GhostArguments, Items, Member, ModelOperation, NameTarget, Operation, Receiver,
    Resolution, RoutineCall, Selection, Subscript,
};
pub use trust::{Trusted, trusted};
pub use types::Type;

/// Resolves a program. The tables are complete if no diagnostic is an error.
pub fn resolve(program: &Program) -> (Resolution<'_>, Vec<Diagnostic>) {
    silver::with_large_stack(|| resolve_here(program))
}

/// Resolves a program together with what is asked about one of its models: the one whose process is named, or the given
/// one. The model is none where there is an error.
pub fn resolve_question<'tree>(
    program: &'tree Program,
    question: &'tree Question,
    model: Option<NodeId>,
) -> (Resolution<'tree>, Option<NodeId>, Vec<Diagnostic>) {
    silver::with_large_stack(|| {
        let mut checker = checked(program);
        let before = checker.diagnostics.len();
        let model = checker.question(question, model);
        let diagnostics = checker.diagnostics.split_off(before);
        (checker.resolution, model, diagnostics)
    })
}

fn resolve_here(program: &Program) -> (Resolution<'_>, Vec<Diagnostic>) {
    let checker = checked(program);
    let order = routines_in_order(program);
    let checker::Checker { resolution, mut diagnostics, .. } = checker;
    diagnostics.append(&mut inlining::check(&resolution, &order));
    diagnostics.append(&mut lemmas::check(&resolution, &order));
    diagnostics.append(&mut recursion::check(&resolution, &order));
    diagnostics.append(&mut overloads::check(&resolution, &order));
    diagnostics.append(&mut processes::check(&resolution));
    // It needs complete tables.
    if !diagnostics.iter().any(Diagnostic::is_error) {
        diagnostics.append(&mut crate::erasure::check(&resolution, &order));
    }
    (resolution, diagnostics)
}

/// The tables of a program, from its declarations.
fn checked(program: &Program) -> checker::Checker<'_> {
    let collected = items::collect(program);
    let resolution = Resolution { dialect: program.dialect, items: collected.items, ..Resolution::default() };
    let mut checker =
        checker::Checker::new(program.dialect, collected.names, resolution, collected.diagnostics);
    for declaration in &program.declarations {
        checker.declare_types(declaration);
    }
    for declaration in &program.declarations {
        checker.declaration(declaration);
    }
    checker
}

/// The ids of everything that can be called, in the order of the text.
fn routines_in_order(program: &Program) -> Vec<NodeId> {
    let mut order = Vec::new();
    for declaration in &program.declarations {
        order.push(declaration.id);
        match &declaration.kind {
            DeclarationKind::Class(class) => order.extend(class.members.iter().map(|member| member.id)),
            DeclarationKind::Model(model) => order.extend(model.members.iter().map(|member| member.id)),
            _ => {}
        }
    }
    order
}
