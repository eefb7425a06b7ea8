//! Taking and writing single locations of quantified chunks.

use std::rc::Rc;

use smt::Term;

use crate::consume::Demand;
use crate::engine::Engine;
use crate::heap::{Chunk, Heap, QuantifiedChunk, Resource};
use crate::state::State;

impl<'p> Engine<'p> {
    /// Takes an amount from the first quantified chunk that has the location and enough of it, by its shape; gives the
    /// location's snapshot.
    pub(crate) fn take_by_shape(&mut self, heap: &mut Heap, demand: Demand<'_>) -> Option<Term> {
        let Demand { resource, location, amount, .. } = demand;
        let chunks = heap.of(resource);
        for (index, chunk) in chunks.iter().enumerate() {
            let Chunk::Quantified(chunk) = chunk else { continue };
            let Some(values) = chunk.shape.instance(&mut self.encoder.terms, location) else { continue };
            let terms = &mut self.encoder.terms;
            let condition = chunk.shape.condition_at(terms, &values, location);
            let held = chunk.shape.permission_at(terms, &values, location);
            let enough = self.meets(demand, held);
            let goal = self.encoder.terms.and(condition, enough);
            if !self.confirm(goal) {
                continue;
            }
            let positive = self.positive(amount);
            if self.knows(positive) {
                self.learn_not_null(resource, location);
            }
            if demand.is_wildcard {
                self.constrain_wildcard(amount, held);
            }
            let left = self.left_without(chunk, &values, held, demand);
            return Some(self.take_out(heap, demand, index, Chunk::Quantified(Rc::new(left))));
        }
        None
    }

    /// What is left of a chunk that holds so much for the values.
    fn left_without(
        &mut self,
        chunk: &QuantifiedChunk,
        values: &[Term],
        held: Term,
        demand: Demand<'_>,
    ) -> QuantifiedChunk {
        let variables = self.bound_terms(&chunk.shape.variables);
        let here = self.same_location(&variables, values);
        let here = self.encoder.terms.and(here, demand.guard);
        let all = self.encoder.terms.equal(held, demand.amount);
        if self.knows(all) {
            let terms = &mut self.encoder.terms;
            let elsewhere = terms.not(here);
            let condition = terms.and(chunk.shape.condition, elsewhere);
            self.left_of(chunk, condition, chunk.shape.permission, &[])
        } else {
            let terms = &mut self.encoder.terms;
            let zero = terms.zero();
            let taken = terms.if_then_else(here, demand.amount, zero);
            let permission = terms.subtract(chunk.shape.permission, taken);
            self.left_of(chunk, chunk.shape.condition, permission, &[])
        }
    }

    /// A quantified chunk after an amount was taken at one location.
    pub(crate) fn left_at(&mut self, chunk: &QuantifiedChunk, location: &[Term], taken: Term) -> Chunk {
        let formals = self.bound_terms(&chunk.shape.formals);
        let here = self.same_location(&formals, location);
        let terms = &mut self.encoder.terms;
        let zero = terms.zero();
        let taken = terms.if_then_else(here, taken, zero);
        let permission = terms.subtract(chunk.shape.permission, taken);
        let left = self.left_of(chunk, chunk.shape.condition, permission, &[]);
        Chunk::Quantified(Rc::new(left))
    }

    /// Takes an amount from the first quantified chunk that provably has it, by its inverse functions, among those that
    /// are written with the same constants as the location.
    pub(crate) fn take_by_tracing(&mut self, heap: &mut Heap, demand: Demand<'_>) -> Option<Term> {
        let Demand { resource, location, amount, .. } = demand;
        let chunks = heap.of(resource);
        if chunks.len() < 2 {
            return None;
        }
        let index = self.find_traced(&chunks, location, |engine, chunk| {
            let held = engine.permission_of(chunk, location);
            engine.meets(demand, held)
        })?;
        let Chunk::Quantified(chunk) = &chunks[index] else { return None };
        if demand.is_wildcard {
            let held = self.permission_of(chunk, location);
            self.constrain_wildcard(amount, held);
        }
        let zero = self.encoder.terms.zero();
        let taken = self.encoder.terms.if_then_else(demand.guard, amount, zero);
        let left = self.left_at(chunk, location, taken);
        Some(self.take_out(heap, demand, index, left))
    }

    /// Puts what is left in the place of a quantified chunk; gives the snapshot of the location that was taken from it.
    fn take_out(&mut self, heap: &mut Heap, demand: Demand<'_>, index: usize, left: Chunk) -> Term {
        let mut chunks = heap.of(demand.resource).to_vec();
        if let Chunk::Quantified(chunk) = &chunks[index] {
            self.learn_of_given(demand.resource, &chunk.clone());
        }
        let snapshot = self.chunk_snapshot(&chunks[index], demand.resource, demand.location);
        chunks[index] = left;
        heap.set(demand.resource, chunks);
        snapshot
    }

    /// Writes a field in a quantified chunk that provably has all of it: only the map changes.
    pub(crate) fn write_in_place(
        &mut self,
        state: &mut State,
        resource: Resource,
        receiver: Term,
        value: Term,
    ) -> bool {
        let chunks = state.heap.of(resource);
        let is_known = |chunk: &Chunk| matches!(chunk, Chunk::Basic(basic) if basic.arguments[0] == receiver);
        if chunks.iter().any(is_known) {
            return false;
        }
        let location = [receiver];
        let Some(index) = self.find_writable(&chunks, &location) else { return false };
        let Chunk::Quantified(chunk) = &chunks[index] else { return false };
        self.learn_of_given(resource, chunk);
        let mut written = (**chunk).clone();
        written.map = self.map_update(resource, chunk.map, &location, value);
        written.is_whole = false;
        self.learn_not_null(resource, &location);
        let read = self.map_read(resource, written.map, &location);
        let fact = self.encoder.terms.equal(read, value);
        self.assume(fact);
        let mut changed = chunks.to_vec();
        changed[index] = Chunk::Quantified(Rc::new(written));
        state.heap.set(resource, changed);
        true
    }

    fn find_writable(&mut self, chunks: &[Chunk], location: &[Term]) -> Option<usize> {
        let one = self.encoder.terms.one();
        for (index, chunk) in chunks.iter().enumerate() {
            let Chunk::Quantified(chunk) = chunk else { continue };
            let terms = &mut self.encoder.terms;
            let Some(values) = chunk.shape.instance(terms, location) else { continue };
            let condition = chunk.shape.condition_at(terms, &values, location);
            let held = chunk.shape.permission_at(terms, &values, location);
            let enough = terms.less_equal(one, held);
            let goal = terms.and(condition, enough);
            if self.confirm(goal) {
                return Some(index);
            }
        }
        self.find_traced(chunks, location, |engine, chunk| {
            let held = engine.permission_of(chunk, location);
            engine.encoder.terms.less_equal(one, held)
        })
    }
}
