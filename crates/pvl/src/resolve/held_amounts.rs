//! `perm(l)`, `\forperm` and `\forpermwithvalue` speak about what is held at a place of the program.
//!
//! A contract, an invariant or a resource is checked at one place and relied upon at another one, where other amounts
//! are held, so that it would say something else there. What `\polarity_dependent` says is different by intent.

use super::checker::Checker;
use crate::codes;
use crate::syntax::tree::{Block, Builtin, Expression, ExpressionKind, Statement};

impl<'tree> Checker<'tree> {
    /// Reports amounts that are held in what is read at several places.
    pub(super) fn forbid_held_amounts(&mut self, assertion: &Expression) {
        let mut open = vec![assertion];
        while let Some(expression) = open.pop() {
            let what = match &*expression.kind {
                ExpressionKind::CurrentPermission(_) => "perm",
                ExpressionKind::ForPerm { .. } => "\\forperm",
                ExpressionKind::ForPermWithValue { .. } => "\\forpermwithvalue",
                ExpressionKind::Builtin(Builtin::PolarityDependent, _) => continue,
                kind => {
                    kind.for_each_child(&mut |child| open.push(child));
                    continue;
                }
            };
            self.error(
                codes::HELD_AMOUNT,
                expression.span,
                format!("`{what}` is about what is held at one place, and this is read at several"),
                "use it in `assert`, `refute`, `inhale` and `exhale`; what has to be held is said by `Perm(x, f)`",
            );
        }
    }

    /// As [`Checker::forbid_held_amounts`], in the body of a pure method.
    pub(super) fn forbid_held_amounts_in(&mut self, block: &'tree Block) {
        let mut open: Vec<&'tree Statement> = block.statements.iter().collect();
        while let Some(statement) = open.pop() {
            let mut expressions = Vec::new();
            statement.kind.for_each_expression(&mut |expression| expressions.push(expression));
            for expression in expressions {
                self.forbid_held_amounts(expression);
            }
            statement.kind.for_each_child(&mut |child| open.push(child));
        }
    }
}
