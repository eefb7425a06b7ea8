//! Trying a step: with more and more complete reasoning until it succeeds or nothing is left to try.
//!
//! Most obligations need none of this. A step that fails is taken back and tried again: with the facts that follow
//! from the permissions held (see [`crate::consolidate`]), then for each case of an undecided condition.

use smt::{Operator, Term};

use crate::blame::Stop;
use crate::counterexample::Scene;
use crate::engine::{Engine, Outcome};
use crate::heap::Chunk;
use crate::limits;
use crate::quantified::remember_parted;
use crate::state::State;

type Step<'s, 'p> = &'s mut dyn FnMut(&mut Engine<'p>, State) -> Outcome<Vec<State>>;

/// The step that is being tried, and how.
pub(crate) struct Attempt {
    /// Where it began; none outside of steps.
    pub scene: Option<Scene>,
    /// No better attempt will follow: failures count.
    pub is_last: bool,
    /// It is tried again, with everything that the heap implies.
    pub thorough: bool,
    /// The attempt is meant to fail: its failure ends it and is not reported.
    pub refuting: Option<Refuting>,
    /// More than all may be held of a reference that nobody names, see `quantified/elsewhere.rs`: then what fails may be
    /// true.
    pub is_room_doubted: bool,
}

/// What it means that nothing is known about what is to be refuted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Refuting {
    /// Somebody has written that it fails: then nothing is known.
    AsWritten,
    /// Nobody has asked, and it is taken for granted.
    AsPrecaution,
}

/// The states after a step.
pub(crate) struct After {
    pub states: Vec<State>,
    /// Whether it was taken for cases, one by one: what it evaluated in one of them need not be so in the others.
    pub has_split: bool,
}

impl Attempt {
    /// Outside of steps: there is no second attempt.
    pub(crate) fn none() -> Attempt {
        Attempt { scene: None, is_last: true, thorough: false, refuting: None, is_room_doubted: false }
    }
}

impl<'p> Engine<'p> {
    /// Takes a step.
    pub(crate) fn attempt(&mut self, state: State, step: Step<'_, 'p>) -> Outcome<Vec<State>> {
        self.attempt_in_cases(state, step).map(|after| after.states)
    }

    /// As [`Engine::attempt`], for a step that leaves something outside of its states.
    pub(crate) fn attempt_in_cases(&mut self, state: State, step: Step<'_, 'p>) -> Outcome<After> {
        let scene = Scene { state: state.clone(), locals: self.around.locals.clone() };
        let Attempt { thorough, refuting, is_room_doubted, .. } = self.attempt;
        let attempt = Attempt { scene: Some(scene), is_last: false, thorough, refuting, is_room_doubted };
        let outer = std::mem::replace(&mut self.attempt, attempt);
        if outer.scene.is_none() {
            self.prover.begin_step();
        }
        let result = self.attempt_twice(state, step);
        self.attempt = outer;
        result
    }

    /// Tries what is hoped to fail.
    pub(crate) fn refuting<T>(&mut self, how: Refuting, work: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.attempt.refuting.replace(how);
        // Where somebody has written that it fails, the verdict rests on what the solver does not prove.
        let trust = (how == Refuting::AsWritten).then(|| self.prover.trust_proofs_only());
        let result = work(self);
        if let Some(trust) = trust {
            self.prover.trust_again(trust);
        }
        self.attempt.refuting = outer;
        result
    }

    fn attempt_twice(&mut self, state: State, step: Step<'_, 'p>) -> Outcome<After> {
        let before = state.heap.clone();
        let mark = self.path.mark();
        let failures = self.report.failures.len();
        let mut after = match step(self, state.clone()) {
            Err(Stop::Failed(_)) => {
                self.path.rewind(&mark);
                self.report.failures.truncate(failures);
                self.attempt.thorough = true;
                self.attempt_completely(state, step, 0)?
            }
            done => After { states: done?, has_split: false },
        };
        if !self.is_packaging() {
            after.states.iter_mut().for_each(|state| remember_parted(&before, state));
        }
        Ok(after)
    }

    fn attempt_completely(&mut self, mut state: State, step: Step<'_, 'p>, depth: u32) -> Outcome<After> {
        self.go_on()?;
        self.consolidate(&mut state);
        if self.is_infeasible() {
            self.learn_never();
            return Ok(After { states: self.impossible(state), has_split: false });
        }
        let condition = if depth < limits::SPLITS { self.undecided(&state) } else { None };
        self.attempt.is_last = condition.is_none();
        if self.attempt.is_last {
            self.assume_about_sums(&state);
        }
        let mark = self.path.mark();
        let failure = match step(self, state.clone()) {
            Err(Stop::Failed(failure)) => failure,
            done => return Ok(After { states: done?, has_split: false }),
        };
        let Some(condition) = condition else { return Err(Stop::Failed(failure)) };
        self.path.rewind(&mark);
        let origin = self.path.tip().clone();
        let mut states = Vec::new();
        for taken in [true, false] {
            self.path.move_to(origin.clone());
            self.path.push_case(condition, taken);
            let assumed = if taken { condition } else { self.encoder.terms.not(condition) };
            self.assume(assumed);
            if self.is_infeasible() {
                self.learn_never();
                states.extend(self.impossible(state.clone()));
                continue;
            }
            states.extend(self.attempt_completely(state.clone(), step, depth + 1)?.states);
        }
        Ok(After { states, has_split: true })
    }

    /// What is left of a state that cannot be reached. In the proof of a wand it still says what was taken.
    fn impossible(&self, state: State) -> Vec<State> {
        if self.is_packaging() { vec![self.suspend(state)] } else { Vec::new() }
    }

    /// The first condition on which it depends whether a permission is held.
    fn undecided(&mut self, state: &State) -> Option<Term> {
        let amounts: Vec<Term> = std::iter::once(&state.heap)
            .chain(state.reserve.iter())
            .flat_map(|heap| heap.iter())
            .map(|(_, chunk)| match chunk {
                Chunk::Basic(basic) => basic.permission,
                Chunk::Quantified(quantified) => self.guarded_amount(quantified),
            })
            .collect();
        for amount in amounts {
            let mut stack = vec![amount];
            while let Some(term) = stack.pop() {
                match self.encoder.terms.as_operation(term) {
                    Some((Operator::IfThenElse, &[condition, then, otherwise])) => {
                        let negated = self.encoder.terms.not(condition);
                        if !self.knows(condition) && !self.knows(negated) {
                            if self.check(condition) {
                                self.learn(condition);
                            } else if self.check(negated) {
                                self.learn(negated);
                            } else {
                                return Some(condition);
                            }
                        }
                        stack.extend([otherwise, then]);
                    }
                    Some((Operator::Add | Operator::Subtract, &[left, right])) => stack.extend([right, left]),
                    _ => {}
                }
            }
        }
        None
    }
}
