//! A conversation in which quantifiers are instantiated by values of models, too.
//!
//! It proves what no trigger leads to, and where it says *sat*, there is a model of all that was said: no quantifier is
//! left out. It seldom ends where there is a heap, so that only answers count, not their absence.

use smt::{Answer, Budget, Session, SessionStatistics, Term, Terms, UnknownReason};

#[derive(Default)]
pub(super) struct ByValues {
    /// Absent before the first question; there may be none to be had.
    session: Option<Option<Session>>,
}

impl ByValues {
    pub(super) fn statistics(&self) -> SessionStatistics {
        self.session.iter().flatten().map(Session::statistics).next().unwrap_or_default()
    }

    /// Asks with everything told at once, the axioms that matter among the facts: what others say may be impossible, and
    /// would be found to be.
    pub(super) fn prove(
        &mut self,
        usual: &Session,
        terms: &Terms,
        facts: &[Term],
        goal: Term,
        budget: &Budget,
    ) -> Answer {
        let Some(session) = self.session.get_or_insert_with(|| usual.for_values()) else {
            return Answer::Unknown(UnknownReason::Incomplete);
        };
        session.prove_from(terms, facts, goal, budget)
    }
}
