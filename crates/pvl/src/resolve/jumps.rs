//! Where `goto` may lead.
//!
//! What a `par` block, an iteration, `atomic`, `invariant` and their like promise is checked at their end, so nobody may
//! leave them by a jump, nor get into them by one. A loop may be left, but not entered: its invariant is checked on
//! entry.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use source::{Diagnostic, Span};

use crate::codes;
use crate::syntax::tree::{Block, Expression, NodeId, Statement, StatementKind};

/// Statements around a place, the innermost last; loops are told apart.
type Around = Vec<(NodeId, Kind)>;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Loop,
    Wall,
    Action,
}

#[derive(Default)]
struct Jumps {
    labels: FxHashMap<Arc<str>, Around>,
    jumps: Vec<(Arc<str>, Span, Around)>,
}

/// Errors about the jumps in the body of a routine.
pub(super) fn check(body: &Block) -> Vec<Diagnostic> {
    let mut found = Jumps::default();
    let mut around = Vec::new();
    for statement in &body.statements {
        found.statement(statement, &mut around);
    }
    let mut errors = Vec::new();
    for (name, span, from) in &found.jumps {
        let Some(to) = found.labels.get(name) else { continue };
        let is_inside = from.starts_with(to);
        let left = &from[to.len().min(from.len())..];
        if !is_inside {
            let message = format!("`{name}` is inside of a loop or block that this jump is outside of");
            errors.push(
                Diagnostic::error(codes::JUMP, *span, message)
                    .help("what holds inside is established on entry: start at the beginning"),
            );
        } else if left.iter().any(|(_, kind)| *kind == Kind::Action) {
            let message = format!("the jump to `{name}` leaves an action block");
            errors.push(Diagnostic::error(codes::ACTION_LEFT, *span, message).help(codes::ACTION_ENDS));
        } else if left.iter().any(|(_, kind)| *kind == Kind::Wall) {
            let message = format!("the jump to `{name}` leaves a block whose end must be reached");
            errors.push(
                Diagnostic::error(codes::JUMP, *span, message)
                    .help("what the block promises is checked at its end: let it end instead"),
            );
        }
    }
    errors
}

impl Jumps {
    fn statement(&mut self, statement: &Statement, around: &mut Around) {
        use StatementKind::*;
        match &statement.kind {
            Label(name) => {
                self.labels.insert(name.text.clone(), around.clone());
            }
            Goto(name) => self.jumps.push((name.text.clone(), name.span, around.clone())),
            _ => {}
        }
        let mut ghosts = Vec::new();
        statement.kind.for_each_expression(&mut |expression| ghost_statements(expression, &mut ghosts));
        for ghost in ghosts {
            around.push((statement.id, Kind::Wall));
            self.statement(ghost, around);
            around.pop();
        }
        let mut children = Vec::new();
        statement.kind.for_each_child(&mut |child| children.push(child));
        for child in children {
            let entered = match &statement.kind {
                While { contract, .. } | For { contract, .. } | RangedFor { contract, .. } => {
                    let kind = if contract.is_iteration_contract() { Kind::Wall } else { Kind::Loop };
                    Some((statement.id, kind))
                }
                // Blocks side by side are different.
                Par(_) => Some((child.id, Kind::Wall)),
                Barrier { .. }
                | Invariant { .. }
                | Atomic { .. }
                | Vector { .. }
                | Package { .. }
                | Prove { .. }
                | Calc { .. }
                | Extract(_)
                | Frame { .. }
                | Ghost(_) => Some((statement.id, Kind::Wall)),
                Action { .. } => Some((statement.id, Kind::Action)),
                _ => None,
            };
            around.extend(entered);
            self.statement(child, around);
            if entered.is_some() {
                around.pop();
            }
        }
    }
}

/// Statements in front of and behind expressions.
fn ghost_statements<'t>(expression: &'t Expression, found: &mut Vec<&'t Statement>) {
    found.extend(expression.kind.ghost_statements());
    expression.kind.for_each_child(&mut |child| ghost_statements(child, found));
}
