//! Quantifiers, built so that they stay small: variables that do not occur are dropped.
//!
//! A variable may occur in triggers only: it stands for a part of a pattern that may be anything.

use std::sync::Arc;

use crate::node::{Bound, Quantifier, QuantifierKind, Term};
use crate::terms::Terms;

impl Terms {
    /// `name` is what profiles show. Triggers that bind too few variables are the caller's fault and are dropped.
    pub fn forall(&mut self, variables: &[Bound], triggers: &[Vec<Term>], body: Term, name: &str) -> Term {
        self.quantify(QuantifierKind::Forall, variables, triggers, body, name, None)
    }

    pub fn exists(&mut self, variables: &[Bound], triggers: &[Vec<Term>], body: Term, name: &str) -> Term {
        self.quantify(QuantifierKind::Exists, variables, triggers, body, name, None)
    }

    pub fn quantify(
        &mut self,
        kind: QuantifierKind,
        variables: &[Bound],
        triggers: &[Vec<Term>],
        body: Term,
        name: &str,
        weight: Option<u32>,
    ) -> Term {
        if self.is_true(body) || self.is_false(body) {
            return body;
        }
        // A sort is never empty, so a quantifier over nothing that occurs is its body.
        let (in_body, others): (Vec<Bound>, Vec<Bound>) =
            variables.iter().copied().partition(|variable| self.occurs(*variable, body));
        if in_body.is_empty() {
            return body;
        }
        // A variable that only triggers mention is kept where that keeps more of the triggers.
        let in_triggers = |variable: &Bound| {
            in_body.contains(variable)
                || triggers.iter().flatten().any(|pattern| self.occurs(*variable, *pattern))
        };
        let with_triggers: Vec<Bound> = variables.iter().copied().filter(in_triggers).collect();
        let kept_without = self.usable_triggers(triggers, &in_body, &others);
        let kept_with = self.usable_triggers(triggers, &with_triggers, &[]);
        let (variables, triggers) = if kept_with.len() > kept_without.len() {
            (with_triggers, kept_with)
        } else {
            (in_body, kept_without)
        };
        self.quantified(Quantifier {
            kind,
            variables: Arc::from(variables),
            triggers,
            body,
            name: Arc::from(name),
            weight,
        })
    }

    /// Triggers that mention all variables of the one kind and none of the other.
    fn usable_triggers(
        &self,
        triggers: &[Vec<Term>],
        all_of: &[Bound],
        none_of: &[Bound],
    ) -> Arc<[Arc<[Term]>]> {
        let mentions = |trigger: &[Term], variable: &Bound| {
            trigger.iter().any(|pattern| self.occurs(*variable, *pattern))
        };
        triggers
            .iter()
            .filter(|trigger| all_of.iter().all(|variable| mentions(trigger, variable)))
            .filter(|trigger| !none_of.iter().any(|variable| mentions(trigger, variable)))
            .map(|trigger| Arc::from(trigger.as_slice()))
            .collect()
    }

    fn occurs(&self, variable: Bound, term: Term) -> bool {
        self.free_variables(term).binary_search(&variable).is_ok()
    }
}
