//! More complete reasoning on demand: what a heap says about aliasing, and case splits on conditions that decide which
//! permissions are held.
//!
//! Most obligations need none of this. A step that fails is taken back and tried again: with the facts that follow
//! from the permissions held, then for each case of an undecided condition.

use smt::{Operator, Term};

use crate::blame::Stop;
use crate::counterexample::Scene;
use crate::engine::{Engine, Outcome};
use crate::heap::{BasicChunk, Chunk, Heap, Resource};
use crate::quantified::remember_parted;
use crate::state::State;

/// Conditions that one step may be split on, one inside the other.
const MAX_SPLITS: u32 = 5;

type Step<'s, 'p> = &'s mut dyn FnMut(&mut Engine<'p>, State) -> Outcome<Vec<State>>;

impl<'p> Engine<'p> {
    /// Takes a step, with more and more complete reasoning until it succeeds or nothing is left to try.
    pub(crate) fn attempt(&mut self, state: State, step: Step<'_, 'p>) -> Outcome<Vec<State>> {
        let outer = std::mem::replace(&mut self.last_attempt, false);
        let scene = Scene { state: state.clone(), locals: self.locals.clone() };
        let outer_scene = self.scene.replace(scene);
        self.split = false;
        let before = state.heap.clone();
        let mark = self.path.mark();
        let failures = self.failures.len();
        let result = match step(self, state.clone()) {
            Err(Stop::Failed(_)) => {
                self.path.rewind(&mark);
                self.failures.truncate(failures);
                let thorough = std::mem::replace(&mut self.thorough, true);
                let result = self.attempt_completely(state, step, 0);
                self.thorough = thorough;
                result
            }
            done => done,
        };
        self.last_attempt = outer;
        self.scene = outer_scene;
        let mut states = result?;
        if !self.is_packaging() {
            states.iter_mut().for_each(|state| remember_parted(&before, state));
        }
        Ok(states)
    }

    /// Whether the last step was split into cases.
    pub(crate) fn has_split(&self) -> bool {
        self.split
    }

    fn attempt_completely(
        &mut self,
        mut state: State,
        step: Step<'_, 'p>,
        depth: u32,
    ) -> Outcome<Vec<State>> {
        self.go_on()?;
        self.consolidate(&mut state);
        if self.is_infeasible() {
            self.learn_never();
            return Ok(self.impossible(state));
        }
        let condition = if depth < MAX_SPLITS { self.undecided(&state) } else { None };
        self.last_attempt = condition.is_none();
        let mark = self.path.mark();
        let failure = match step(self, state.clone()) {
            Err(Stop::Failed(failure)) => failure,
            done => return done,
        };
        let Some(condition) = condition else { return Err(Stop::Failed(failure)) };
        self.path.rewind(&mark);
        self.split = true;
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
            states.extend(self.attempt_completely(state.clone(), step, depth + 1)?);
        }
        Ok(states)
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

    /// Joins chunks that are provably the same location and says what permissions imply about the others.
    pub(crate) fn consolidate(&mut self, state: &mut State) {
        // Heaps of the past say something, too.
        let past: Vec<Heap> = state.labels.values().chain(&state.old).cloned().collect();
        for heap in past {
            if !heap.is_same(&state.heap) {
                let mut scratch = heap;
                self.consolidate_heap(&mut scratch);
            }
        }
        self.consolidate_heap(&mut state.heap);
        self.assume_about_parted(state);
        // Heaps around a package are not changed: outside less is known.
        for index in 0..state.reserve.len() {
            let heap = state.reserve[index].clone();
            for resource in heap.resources() {
                self.assume_about_reserve(&heap, index, resource);
            }
        }
    }

    fn consolidate_heap(&mut self, heap: &mut Heap) {
        for resource in heap.resources() {
            // Instances of a wand may have been packaged with different values.
            if let Resource::Wand(_) = resource {
                continue;
            }
            let chunks = heap.of(resource);
            let mut merged: Vec<Chunk> = Vec::new();
            for chunk in chunks.iter() {
                match chunk {
                    Chunk::Basic(basic) => self.consolidate_chunk(resource, basic.clone(), &mut merged),
                    Chunk::Quantified(_) => {
                        for other in &merged {
                            if let Chunk::Basic(basic) = other {
                                let facts = self.facts_about_pair(resource, basic, chunk);
                                facts.into_iter().for_each(|fact| self.assume(fact));
                            }
                        }
                        merged.push(chunk.clone());
                    }
                }
            }
            self.assume_about_quantified(resource, &merged);
            heap.set(resource, merged);
        }
    }

    fn consolidate_chunk(&mut self, resource: Resource, mut chunk: BasicChunk, merged: &mut Vec<Chunk>) {
        chunk.permission = self.simplify(chunk.permission);
        for other in merged.iter_mut() {
            let Chunk::Basic(known) = other else { continue };
            let same = self.same_location(&known.arguments, &chunk.arguments);
            if self.check(same) {
                let known = known.clone();
                *other = Chunk::Basic(self.merge(resource, &known, &chunk));
                return;
            }
            for fact in self.facts_about_pair(resource, &chunk, other) {
                self.assume(fact);
            }
        }
        merged.push(Chunk::Basic(chunk));
    }

    /// What follows from holding two chunks of one resource at the same time.
    pub(crate) fn facts_about_pair(
        &mut self,
        resource: Resource,
        chunk: &BasicChunk,
        other: &Chunk,
    ) -> Vec<Term> {
        let mut facts = Vec::new();
        let own_held = self.positive(chunk.permission);
        let (same, held, snapshot) = match other {
            Chunk::Basic(other) => {
                let same = self.same_location(&other.arguments, &chunk.arguments);
                (same, other.permission, other.snapshot)
            }
            Chunk::Quantified(_) => {
                let held = self.chunk_permission(other, &chunk.arguments);
                let snapshot = self.chunk_snapshot(other, resource, &chunk.arguments);
                (self.encoder.terms.true_(), held, snapshot)
            }
        };
        if let Resource::Field(_) = resource
            && self.amounts_matter
        {
            // Nobody holds more than full permission to a location.
            let sum = self.encoder.terms.add(held, chunk.permission);
            let one = self.encoder.terms.one();
            let bounded = self.encoder.terms.less_equal(sum, one);
            facts.push(self.encoder.terms.implies(same, bounded));
        }
        let other_held = self.positive(held);
        let premise = self.encoder.terms.all([same, other_held, own_held]);
        let equal = self.encoder.terms.equal(snapshot, chunk.snapshot);
        facts.push(self.encoder.terms.implies(premise, equal));
        facts
    }
}
