//! Rules that a typed program must obey beyond its types.
//!
//! The rules are Viper's: what contracts, bodies and axioms may contain, where `old`, `wildcard` and `result` may
//! stand, how triggers and quantified permissions must look, and what proof scripts may do.

mod contexts;
mod data_types;
mod members;
mod quantifiers;

use source::{Diagnostic, Span};

use super::checker::DecreasesClauses;
use crate::codes;
use crate::typed::{Expression, ExpressionKind, ExpressionRef, LabelReference, Program, visit_expression};

pub(super) use data_types::check_data_types;

/// What a run of the checks needs beside the program.
pub(super) struct Consistency<'a> {
    program: &'a Program,
    /// Decreases clauses, which are part of contracts as far as the rules go.
    decreases: &'a DecreasesClauses,
    /// Whether amounts in functions have their ordinary meaning.
    respect_function_permission_amounts: bool,
    diagnostics: Vec<Diagnostic>,
}

/// All violations, members in order.
pub(super) fn check(
    program: &Program,
    decreases: &DecreasesClauses,
    respect_function_permission_amounts: bool,
) -> Vec<Diagnostic> {
    let mut consistency =
        Consistency { program, decreases, respect_function_permission_amounts, diagnostics: Vec::new() };
    consistency.contexts();
    consistency.members();
    consistency.diagnostics
}

/// Rules about triggers and `forperm` that Viper reports as type errors.
pub(super) fn check_quantifier_shapes(program: &Program, decreases: &DecreasesClauses) -> Vec<Diagnostic> {
    let mut consistency = Consistency {
        program,
        decreases,
        respect_function_permission_amounts: false,
        diagnostics: Vec::new(),
    };
    consistency.quantifier_shapes();
    consistency.diagnostics
}

impl Consistency<'_> {
    fn error(&mut self, span: Span, message: &str, help: &str) {
        self.diagnostics.push(Diagnostic::error(codes::CONSISTENCY, span, message).help(help));
    }
}

/// Whether some node of the tree satisfies a predicate.
fn any(expression: &ExpressionRef, mut predicate: impl FnMut(&Expression) -> bool) -> bool {
    let mut found = false;
    visit_expression(expression, &mut |node| {
        found = found || predicate(node);
        !found
    });
    found
}

fn has_old(expression: &ExpressionRef) -> bool {
    any(expression, |node| matches!(node.kind, ExpressionKind::Old(_)))
}

/// Refers to the state at a label other than `lhs`.
fn has_labelled_old(expression: &ExpressionRef) -> bool {
    any(expression, |node| {
        matches!(node.kind, ExpressionKind::LabelledOld { label: LabelReference::Label(_), .. })
    })
}

fn has_result(expression: &ExpressionRef) -> bool {
    any(expression, |node| matches!(node.kind, ExpressionKind::Result))
}

fn has_permission_query(expression: &ExpressionRef) -> bool {
    any(expression, |node| {
        matches!(node.kind, ExpressionKind::CurrentPermission(_) | ExpressionKind::ForPerm { .. })
    })
}
