//! When something can be done: for some values of bound variables a condition is true, and some terms that only the
//! language knows may end.

use std::collections::BTreeSet;

use source::Span;

use crate::expression::{Binder, Expression, ExpressionKind, Quantifier};
use crate::normal::{Bound, one_point};
use crate::simplify::{and, build, truth, truth_of};
use crate::substitute::Substitution;
use crate::types::Type;

/// `∃ binders. condition`, and each of the foreign terms may end.
#[derive(Clone, Debug)]
pub struct Guard {
    /// The bound variables; they occur nowhere else but in what the guard is for.
    pub binders: Vec<Bound>,
    /// The condition.
    pub condition: Expression,
    /// Terms that only the language knows and that have to be able to end.
    pub foreign_ends: BTreeSet<u32>,
}

impl Guard {
    /// Always.
    pub fn always(span: Span) -> Guard {
        Guard::when(truth(true, span))
    }

    /// Where this is true.
    pub fn when(condition: Expression) -> Guard {
        Guard { binders: Vec::new(), condition, foreign_ends: BTreeSet::new() }
    }

    /// Whether it is true whatever the data and the foreign terms are.
    pub fn is_true(&self) -> bool {
        self.binders.is_empty() && self.foreign_ends.is_empty() && truth_of(&self.condition) == Some(true)
    }

    /// Whether it is never true, seen on sight.
    pub fn is_false(&self) -> bool {
        truth_of(&self.condition) == Some(false)
    }

    /// Both, which have no bound variable in common.
    pub(crate) fn and(&self, other: &Guard) -> Guard {
        debug_assert!(self.binders.iter().all(|bound| !other.binders.contains(bound)));
        let mut binders = self.binders.clone();
        binders.extend(other.binders.iter().cloned());
        let mut foreign_ends = self.foreign_ends.clone();
        foreign_ends.extend(&other.foreign_ends);
        Guard { binders, condition: and(&self.condition, &other.condition), foreign_ends }
    }

    /// A variable that has to have a certain value is no bound variable: what stands for it.
    pub(crate) fn eliminated(&mut self) -> Substitution {
        let mut all = Substitution::new();
        let mut place = 0;
        while place < self.binders.len() {
            match one_point(self.binders[place].variable, &self.condition) {
                Some((value, rest)) => {
                    let bound = self.binders.remove(place);
                    let mut one = Substitution::new();
                    one.set(bound.variable, value.clone());
                    self.condition = one.apply(&rest);
                    let known: Vec<_> = all.variables().collect();
                    for variable in known {
                        if let Some(expression) = all.get(variable) {
                            let expression = one.apply(expression);
                            all.set(variable, expression);
                        }
                    }
                    all.set(bound.variable, value);
                    place = 0;
                }
                None => place += 1,
            }
        }
        all
    }

    /// The guard as a condition, if no foreign term is in it.
    pub fn as_condition(&self) -> Option<Expression> {
        if !self.foreign_ends.is_empty() {
            return None;
        }
        if self.binders.is_empty() || truth_of(&self.condition).is_some() {
            return Some(self.condition.clone());
        }
        let binders = self.binders.iter().map(|bound| Binder {
            variable: bound.variable,
            name: bound.name.clone(),
            ty: bound.ty.clone(),
            range: None,
        });
        let span = self.condition.span();
        let kind = ExpressionKind::Quantified(
            Quantifier::Some,
            binders.collect(),
            truth(true, span),
            self.condition.clone(),
        );
        Some(build(kind, Type::Boolean, span))
    }
}
