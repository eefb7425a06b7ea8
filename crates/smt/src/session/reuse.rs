//! Questions that were answered before.

use super::Session;
use crate::answer::{Answer, Budget};
use crate::kept::{Kept, KeptAnswer, Key, Reuse};
use crate::limits;

impl Session {
    /// The answer from before, or else that of the solver, which is kept.
    pub(super) fn ask(&mut self, budget: &Budget) -> Answer {
        let Some(reuse) = self.reuse.clone() else { return self.ask_solver(budget) };
        let key = self.key(&reuse, budget);
        match reuse.get(&key) {
            Some(kept) if reuse.is_rechecked(&key) => {
                let answer = self.ask_and_keep(&reuse, key, budget);
                if kept.answer == KeptAnswer::Unsat && self.is_refuted(&answer, budget) {
                    self.remark("this was said to be unsat before");
                    reuse.refute(&key);
                }
                answer
            }
            Some(kept) => {
                self.statistics.queries += 1;
                self.statistics.reused += 1;
                self.statistics.resources = self.statistics.resources.saturating_add(kept.spent);
                kept.answer.answer()
            }
            None => self.ask_and_keep(&reuse, key, budget),
        }
    }

    fn ask_and_keep(&mut self, reuse: &Reuse, key: Key, budget: &Budget) -> Answer {
        let before = self.statistics.resources;
        let answer = self.ask_solver(budget);
        // A solver that was ended did not answer, whatever is said in its place.
        if self.process.is_some()
            && let Some(kept) = KeptAnswer::of(&answer)
        {
            reuse.put(key, Kept { answer: kept, spent: self.statistics.resources.saturating_sub(before) });
        }
        answer
    }

    /// Whether an answer shows that the question cannot be *unsat*. A solver that knows no model may have lost its way, so
    /// that a new one is given more time before it counts.
    fn is_refuted(&mut self, answer: &Answer, budget: &Budget) -> bool {
        if *answer == Answer::Sat {
            return true;
        }
        if answer.is_unsat() || !answer.is_considered() || self.restart().is_err() {
            return false;
        }
        let more = |units: u64| units.saturating_mul(limits::SECOND_LOOK);
        let again = self.ask_solver(&Budget { resources: budget.resources.map(more), ..*budget });
        !again.is_unsat() && again.is_considered()
    }

    /// The question: what is asserted with all that it takes to understand it, whom it is put to, and what the answer may
    /// cost. Parts have a fixed length, so that no two questions are the same bytes.
    fn key(&mut self, reuse: &Reuse, budget: &Budget) -> Key {
        let base = match self.base {
            Some(base) => base,
            None => self.base(reuse),
        };
        self.base = Some(base);
        let [declarations, script] = self.digest.of(self.symbols.declarations(), &self.script, &self.frames);
        let mut hasher = blake3::Hasher::new();
        hasher.update(&base);
        hasher.update(&[u8::from(budget.resources.is_some())]);
        hasher.update(&budget.resources.unwrap_or_default().to_le_bytes());
        hasher.update(&declarations);
        hasher.update(&script);
        Key(*hasher.finalize().as_bytes())
    }

    fn base(&self, reuse: &Reuse) -> [u8; 32] {
        let preamble = self.options.preamble(self.profiling, self.manner);
        let mut hasher = blake3::Hasher::new();
        let parts = [reuse.solver(), &preamble].into_iter().chain(self.options.arguments().iter().copied());
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        *hasher.finalize().as_bytes()
    }
}
