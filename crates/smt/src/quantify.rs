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
        if !variables.iter().any(|variable| self.occurs(*variable, body)) {
            return body;
        }
        let in_triggers = |variable| triggers.iter().flatten().any(|pattern| self.occurs(variable, *pattern));
        let used: Vec<Bound> = variables
            .iter()
            .copied()
            .filter(|variable| self.occurs(*variable, body) || in_triggers(*variable))
            .collect();
        let complete = |trigger: &&Vec<Term>| {
            !trigger.is_empty()
                && used.iter().all(|variable| trigger.iter().any(|pattern| self.occurs(*variable, *pattern)))
        };
        let triggers: Arc<[Arc<[Term]>]> =
            triggers.iter().filter(complete).map(|trigger| Arc::from(trigger.as_slice())).collect();
        self.quantified(Quantifier {
            kind,
            variables: Arc::from(used),
            triggers,
            body,
            name: Arc::from(name),
            weight,
        })
    }

    fn occurs(&self, variable: Bound, term: Term) -> bool {
        self.free_variables(term).binary_search(&variable).is_ok()
    }
}
