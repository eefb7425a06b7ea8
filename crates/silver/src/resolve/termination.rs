//! Decreases clauses: their typed form.

use source::Span;

use super::checker::Checker;
use super::unify::Ty;
use crate::syntax::tree;
use crate::typed::ExpressionRef;

/// A typed decreases clause.
#[derive(Clone, Debug)]
pub(super) struct Decreases {
    pub(super) measure: Measure,
    /// `None` is `true`.
    pub(super) condition: Option<ExpressionRef>,
    pub(super) span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum Measure {
    Tuple(Vec<ExpressionRef>),
    /// `_`: terminates, without a proof.
    Wildcard,
    /// `*`: may not terminate.
    Star,
}

impl Checker {
    pub(super) fn decreases_clause(&mut self, clause: &tree::Decreases) -> Decreases {
        let condition = clause.condition.as_ref().map(|condition| self.check(condition, &Ty::Bool));
        let measure = match &clause.measure {
            tree::Measure::Tuple(expressions) => {
                self.in_measure = true;
                let typed = expressions.iter().map(|expression| self.check_any(expression).0).collect();
                self.in_measure = false;
                Measure::Tuple(typed)
            }
            tree::Measure::Wildcard => Measure::Wildcard,
            tree::Measure::Star => Measure::Star,
        };
        Decreases { measure, condition, span: clause.span }
    }
}
