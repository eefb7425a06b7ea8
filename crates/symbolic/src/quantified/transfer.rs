//! Quantified permissions while a wand is packaged: what the heap of the proof lacks is taken from the heaps around.
//!
//! What is left there may depend on inverse functions of permissions inside the package. Injectivity was shown inside
//! only, where more is assumed, so their definitions go along as far as injectivity holds outside, too.

use std::rc::Rc;

use smt::Term;

use super::Request;
use super::consume::Plan;
use crate::blame::Blame;
use crate::encode::names;
use crate::engine::{Engine, Outcome};
use crate::heap::{BasicChunk, Chunk, Heap, QuantifiedChunk, Resource};
use crate::produce::Manner;
use crate::state::State;

/// What is missing, over the location.
struct Missing {
    /// Whether the location is asked for.
    asked: Term,
    /// How much is needed beyond what is held.
    amount: Term,
    /// What the symbols in these terms mean, as far as it is safe to say outside.
    definitions: Vec<Term>,
}

impl<'p> Engine<'p> {
    pub(crate) fn take_quantified_in_package(
        &mut self,
        state: &mut State,
        request: &Request,
        manner: Manner,
        blame: &Blame,
    ) -> Outcome<Term> {
        if !self.has_enough(&state.heap.clone(), request) {
            self.transfer_quantified(state, request);
            if self.is_dead() {
                return Ok(self.encoder.unit());
            }
        }
        let mut heap = state.heap.clone();
        let snapshot = self.take_quantified(&mut heap, request, manner, blame)?;
        state.heap = heap;
        Ok(snapshot)
    }

    /// Whether a heap has all that is asked for, as far as a quick question tells.
    fn has_enough(&mut self, heap: &Heap, request: &Request) -> bool {
        let chunks = heap.of(request.resource);
        if chunks.is_empty() {
            return false;
        }
        let matches = self.correspondences(request, &chunks);
        if !matches!(self.plan(request, &matches), Plan::All) {
            return true;
        }
        self.define_all(&chunks);
        let total = self.total(request, &chunks);
        let enough = self.is_enough(request, total);
        self.inside(request, |engine| engine.check(enough))
    }

    fn transfer_quantified(&mut self, state: &mut State, request: &Request) {
        let mut reserve = state.reserve.to_vec();
        for around in &mut reserve {
            if around.of(request.resource).is_empty() {
                continue;
            }
            let had_some = !state.readable().of(request.resource).is_empty();
            let moved = if state.heap.of(request.resource).is_empty() {
                self.move_matching(around, request)
            } else {
                None
            };
            let moved = match moved {
                Some(moved) => vec![moved],
                None => {
                    let missing = self.missing(&state.heap.clone(), request);
                    self.move_missing(around, request, missing)
                }
            };
            for chunk in moved {
                self.receive(state, request.resource, chunk);
            }
            // What the left-hand side gives may contradict what is around: then the wand can never be applied.
            if had_some && self.is_infeasible() {
                self.learn_never();
                break;
            }
            if self.has_enough(&state.heap.clone(), request) {
                break;
            }
        }
        state.reserve = Rc::new(reserve);
    }

    /// Takes everything from one chunk that has it, by its shape.
    fn move_matching(&mut self, around: &mut Heap, request: &Request) -> Option<Chunk> {
        if request.is_wildcard {
            return None;
        }
        let chunks = around.of(request.resource);
        let matches = self.correspondences(request, &chunks);
        let Plan::One(index) = self.plan(request, &matches) else { return None };
        let (rest, used) = self.take_from_one(request, &chunks, &matches, index);
        let Some(Chunk::Quantified(used)) = used.first() else { return None };
        around.set(request.resource, rest);
        let inverse = self.invert(request.resource, &request.shape);
        Some(Chunk::Quantified(Rc::new(QuantifiedChunk {
            definitions: inverse.definitions.clone(),
            inverse,
            shape: request.shape.clone(),
            guard: request.guard,
            map: used.map,
            is_whole: false,
            is_given: false,
        })))
    }

    fn missing(&mut self, heap: &Heap, request: &Request) -> Missing {
        let inverse = self.invert(request.resource, &request.shape);
        for definition in inverse.definitions.iter() {
            self.assume(*definition);
        }
        let location = self.bound_terms(&request.shape.formals);
        let terms = &mut self.encoder.terms;
        let condition = request.shape.condition_at(terms, &inverse.values, &location);
        let amount = request.shape.permission_at(terms, &inverse.values, &location);
        let asked = terms.and(inverse.image, condition);
        let mut definitions = self.guarded_definitions(&inverse.definitions);
        let mut held = self.encoder.terms.zero();
        for chunk in heap.of(request.resource).iter() {
            let part = match chunk {
                Chunk::Basic(basic) => {
                    let here = self.same_location(&location, &basic.arguments);
                    let zero = self.encoder.terms.zero();
                    self.encoder.terms.if_then_else(here, basic.permission, zero)
                }
                Chunk::Quantified(quantified) => {
                    self.assume_definitions(quantified);
                    definitions.extend(self.guarded_definitions(&quantified.definitions));
                    self.permission_of(quantified, &location)
                }
            };
            held = self.encoder.terms.add(held, part);
        }
        let terms = &mut self.encoder.terms;
        let zero = terms.zero();
        let enough = terms.less_equal(amount, held);
        let difference = terms.subtract(amount, held);
        let amount = terms.if_then_else(enough, zero, difference);
        let amount = terms.if_then_else(asked, amount, zero);
        Missing { asked, amount, definitions }
    }

    /// Takes from every chunk in turn as much as is missing.
    fn move_missing(&mut self, around: &mut Heap, request: &Request, mut missing: Missing) -> Vec<Chunk> {
        let resource = request.resource;
        let location = self.bound_terms(&request.shape.formals);
        let zero = self.encoder.terms.zero();
        let mut rest = Vec::new();
        let mut moved = Vec::new();
        for chunk in around.of(resource).iter() {
            if self.is_untouched(request, chunk) {
                rest.push(chunk.clone());
                continue;
            }
            match chunk {
                Chunk::Basic(basic) => {
                    let terms = &mut self.encoder.terms;
                    let asked = request.shape.at(terms, missing.asked, &basic.arguments);
                    let needed = request.shape.at(terms, missing.amount, &basic.arguments);
                    let taken = self.quantified_share(request, basic.permission, asked, needed, &[]);
                    let left = self.encoder.terms.subtract(basic.permission, taken);
                    if left != zero {
                        rest.push(Chunk::Basic(BasicChunk { permission: left, ..basic.clone() }));
                    }
                    moved.push(Chunk::Basic(BasicChunk { permission: taken, ..basic.clone() }));
                    let here = self.same_location(&location, &basic.arguments);
                    let taken = self.encoder.terms.if_then_else(here, taken, zero);
                    missing.amount = self.encoder.terms.subtract(missing.amount, taken);
                }
                Chunk::Quantified(quantified) => {
                    let shape = &quantified.shape;
                    let taken = if request.is_wildcard {
                        let held = self.permission_of(quantified, &location);
                        self.quantified_share(request, held, missing.asked, missing.amount, &location)
                    } else {
                        self.encoder.terms.minimum(shape.permission, missing.amount)
                    };
                    let left = self.encoder.terms.subtract(shape.permission, taken);
                    let left = self.left_of(quantified, shape.condition, left, &missing.definitions);
                    rest.push(Chunk::Quantified(Rc::new(left)));
                    let given = self.left_of(quantified, shape.condition, taken, &missing.definitions);
                    let taken = self.permission_of(&given, &location);
                    missing.amount = self.encoder.terms.subtract(missing.amount, taken);
                    moved.push(Chunk::Quantified(Rc::new(given)));
                }
            }
        }
        around.set(resource, rest);
        moved
    }

    /// What follows from holding two quantified chunks at the same time.
    pub(crate) fn facts_about_quantified_pair(
        &mut self,
        resource: Resource,
        left: &QuantifiedChunk,
        right: &QuantifiedChunk,
    ) -> Vec<Term> {
        self.assume_definitions(left);
        self.assume_definitions(right);
        let formals = left.shape.formals.clone();
        let location = self.bound_terms(&formals);
        let values = [left.map, right.map].map(|map| self.map_lookup(resource, map, &location));
        let triggers = values.map(|value| vec![value]);
        let held = [left, right].map(|chunk| self.is_held_in(chunk, &location));
        let amounts = [left, right].map(|chunk| self.permission_of(chunk, &location));
        let terms = &mut self.encoder.terms;
        let both = terms.all(held);
        let equal = terms.equal(values[0], values[1]);
        let equal = terms.implies(both, equal);
        let mut facts = vec![terms.forall(&formals, &triggers, equal, names::AGREE)];
        if let Resource::Field(_) = resource {
            let sum = terms.add(amounts[0], amounts[1]);
            let one = terms.one();
            let bounded = terms.less_equal(sum, one);
            facts.push(terms.forall(&formals, &triggers, bounded, names::AT_MOST_WRITE));
        }
        facts
    }

    /// How much of what is held goes to meet the demand; over the location unless it is a single one.
    fn quantified_share(
        &mut self,
        request: &Request,
        held: Term,
        asked: Term,
        needed: Term,
        location: &[Term],
    ) -> Term {
        if !request.is_wildcard {
            return self.encoder.terms.minimum(held, needed);
        }
        let sort = self.encoder.terms.real_sort();
        let mut arguments = self.lefts_in(held);
        arguments.extend_from_slice(&self.around.quantified);
        arguments.extend_from_slice(location);
        let part = self.fresh_over("wildcard", sort, &arguments);
        let (some, positive) = (self.positive(held), self.positive(part));
        let terms = &mut self.encoder.terms;
        let less = terms.less(part, held);
        let bounded = terms.and(positive, less);
        let bounded = terms.implies(some, bounded);
        let variables = terms.free_variables(bounded).to_vec();
        let fact = terms.forall(&variables, &[vec![part]], bounded, names::WILDCARD);
        self.assume_meaning(fact);
        let terms = &mut self.encoder.terms;
        let zero = terms.zero();
        let wanted = terms.and(asked, some);
        terms.if_then_else(wanted, part, zero)
    }
}
