//! What has an address.

use super::checker::Checker;
use super::{NameTarget, Selection, Subscript};
use crate::codes;
use crate::syntax::tree::{Expression, ExpressionKind, UnaryOperator};

impl<'tree> Checker<'tree> {
    /// The operand of `&`.
    pub(super) fn take_address(&mut self, operand: &'tree Expression) {
        let place = match &*operand.kind {
            ExpressionKind::Unary(UnaryOperator::Dereference, _) => return,
            ExpressionKind::Index(..)
                if self.resolution.subscripts.get(&operand.id) == Some(&Subscript::Pointer) =>
            {
                return;
            }
            ExpressionKind::Name(name) => match self.resolution.names.get(&operand.id) {
                Some(NameTarget::Variable(id)) => {
                    let is_fixed = self.variable(&name.text).is_some_and(|variable| variable.fixed);
                    (!is_fixed).then_some(*id)
                }
                Some(NameTarget::Field(id) | NameTarget::StaticField(id)) => Some(*id),
                None => return,
                _ => None,
            },
            ExpressionKind::Field(..) => match self.resolution.selections.get(&operand.id) {
                Some(Selection::Field(id) | Selection::StaticField(id)) => Some(*id),
                None => return,
                _ => None,
            },
            _ => None,
        };
        match place.filter(|id| !self.resolution.items.finals.contains(id)) {
            Some(id) => {
                self.resolution.addressed.insert(id);
            }
            None => self.error(
                codes::ADDRESS,
                operand.span,
                "this has no address",
                "variables, fields that are not final, and what a pointer points to have one",
            ),
        }
    }
}
