//! Warns about locks that are taken and not given back.
//!
//! Keeping a lock breaks no contract, so no proof fails; but whoever wants it next waits for ever. Locks are followed
//! through the text by the way their objects are spelt. Where a contract may hand the lock on, or jumps make the ways
//! hard to follow, nothing is said.

use source::{Diagnostic, Span};

use crate::codes;
use crate::syntax::print_expression;
use crate::syntax::tree::{
    Block, Builtin, Contract, Expression, ExpressionKind, ParRegion, ParRegionKind, Statement, StatementKind,
};

/// Locks that are held, by the spelling of their objects, with the places where they were taken.
type Held = Vec<(String, Span)>;

/// Warnings about a routine with this contract.
pub(super) fn check(contract: &Contract, body: &Block) -> Vec<Diagnostic> {
    let mut search = Search { kept: Vec::new(), jumps: false };
    search.body(contract, &body.statements);
    if search.jumps {
        return Vec::new();
    }
    search.kept.sort_by_key(|(_, span)| span.start);
    search.kept.dedup();
    let warning = |(object, span): (String, Span)| {
        Diagnostic::warning(codes::KEPT_LOCK, span, format!("the lock of `{object}` is not given back"))
            .help(format!("`unlock {object};` before the end, or hand it on with `ensures held({object});`"))
    };
    search.kept.into_iter().map(warning).collect()
}

struct Search {
    kept: Held,
    jumps: bool,
}

impl Search {
    /// What a thread does from beginning to end.
    fn body(&mut self, contract: &Contract, statements: &[Statement]) {
        let mut held = Vec::new();
        let before = self.kept.len();
        if self.statements(statements, &mut held) {
            self.kept.append(&mut held);
        }
        if contract.postconditions().chain(contract.everywhere()).any(may_hand_on) {
            self.kept.truncate(before);
        }
    }

    /// Whether the end is reached.
    fn statements(&mut self, statements: &[Statement], held: &mut Held) -> bool {
        statements.iter().all(|statement| self.statement(statement, held))
    }

    fn statement(&mut self, statement: &Statement, held: &mut Held) -> bool {
        use StatementKind::*;
        match &statement.kind {
            Lock(object) => held.push((print_expression(object), statement.span)),
            Unlock(object) => {
                let object = print_expression(object);
                held.retain(|(other, _)| *other != object);
            }
            Return(_) => {
                self.kept.append(held);
                return false;
            }
            Goto(_) => self.jumps = true,
            Par(region) => self.region(region),
            If { then, otherwise, .. } => {
                let mut other = held.clone();
                let ends = self.statement(then, held);
                let other_ends = match otherwise {
                    Some(otherwise) => self.statement(otherwise, &mut other),
                    None => true,
                };
                if !ends {
                    held.clear();
                }
                if other_ends {
                    held.extend(other);
                }
                held.sort_by_key(|(_, span)| span.start);
                held.dedup();
                return ends || other_ends;
            }
            While { .. } | For { .. } | RangedFor { .. } => {
                let mut inside = held.clone();
                statement.kind.for_each_child(&mut |child| {
                    self.statement(child, &mut inside);
                });
                held.extend(inside);
                held.sort_by_key(|(_, span)| span.start);
                held.dedup();
            }
            _ => {
                let mut ends = true;
                statement.kind.for_each_child(&mut |child| ends = ends && self.statement(child, held));
                return ends;
            }
        }
        true
    }

    fn region(&mut self, region: &ParRegion) {
        match &region.kind {
            ParRegionKind::Parallel(regions) | ParRegionKind::Sequential(regions) => {
                for region in regions {
                    self.region(region);
                }
            }
            ParRegionKind::Block(block) => {
                self.body(&block.contract, std::slice::from_ref(&block.body));
            }
        }
    }
}

/// Whether an assertion holds, or may hide, the token of a lock.
fn may_hand_on(assertion: &Expression) -> bool {
    let mut found = matches!(
        &*assertion.kind,
        ExpressionKind::Builtin(Builtin::Held, _)
            | ExpressionKind::Call(_)
            | ExpressionKind::CoalescingCall { .. }
            | ExpressionKind::Binary(crate::syntax::tree::BinaryOperator::Wand, ..)
    );
    assertion.kind.for_each_child(&mut |child| found = found || may_hand_on(child));
    found
}
