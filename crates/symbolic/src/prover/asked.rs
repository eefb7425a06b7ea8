//! Questions that were asked and stayed open, so that they are not asked again.
//!
//! A step that fails is tried again, and the same question comes up where better reasoning finds nothing to add. A solver
//! that had nothing left to do has nothing left to do then, whatever it may spend. To ask again costs time and changes the
//! order in which the solver looks at what comes after. Nothing is proved from here: only open answers are kept, and the
//! facts of the path are compared one by one.

use smt::{Answer, Term};

use super::{Prover, facts_of, is_open};
use crate::limits;
use crate::path::Path;

struct Question {
    goal: Term,
    facts: Vec<Term>,
    /// How many axioms the solver knew; it never forgets one.
    axioms: usize,
    answer: Answer,
}

/// The latest questions that stayed open, oldest first.
#[derive(Default)]
pub(super) struct Asked(Vec<Question>);

impl Prover {
    /// The answer to the same question, if it was asked not long ago and stayed open.
    pub(super) fn asked_before(&self, path: &Path, goal: Term) -> Option<Answer> {
        let mut same = self.asked.0.iter().filter(|it| it.goal == goal && it.axioms == self.axioms.len());
        let first = same.next()?;
        let facts = facts_of(path);
        std::iter::once(first).chain(same).find(|it| it.facts == facts).map(|it| it.answer.clone())
    }

    /// Keeps a question in mind that stayed open.
    pub(super) fn keep_in_mind(&mut self, path: &Path, goal: Term, answer: &Answer) {
        if *answer != Answer::Sat && !is_open(answer) {
            return;
        }
        let questions = &mut self.asked.0;
        if questions.len() == limits::QUESTIONS_IN_MIND {
            questions.remove(0);
        }
        let (facts, axioms) = (facts_of(path), self.axioms.len());
        questions.push(Question { goal, facts, axioms, answer: answer.clone() });
    }
}
