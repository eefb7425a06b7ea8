//! What a heap says about aliasing: chunks that are provably the same location are joined, and what permissions imply
//! about the others is said.
//!
//! Most obligations need none of this; see [`crate::attempt`] for when it is done.

use smt::Term;

use crate::engine::Engine;
use crate::heap::{BasicChunk, Chunk, Heap, Resource};
use crate::quantified::parted_heaps;
use crate::state::State;

impl<'p> Engine<'p> {
    /// Joins chunks that are provably the same location and says what permissions imply about the others.
    pub(crate) fn consolidate(&mut self, state: &mut State) {
        // Heaps of the past say something, too.
        let mut past: Vec<Heap> = state.labels.values().chain(&state.old).cloned().collect();
        past.extend(parted_heaps(state));
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

    /// Says that no more than the full permission to a location is held however many chunks are of that location: two by
    /// two they may have room for each other where three have none.
    pub(crate) fn assume_about_sums(&mut self, state: &State) {
        if !self.member.amounts_matter {
            return;
        }
        let mut heaps: Vec<Heap> =
            state.labels.values().chain(&state.old).chain([&state.heap]).cloned().collect();
        heaps.extend(parted_heaps(state));
        for heap in heaps {
            self.assume_about_others(&heap);
            for resource in heap.resources().into_iter().filter(|it| matches!(it, Resource::Field(_))) {
                let chunks = heap.of(resource);
                for place in 0..chunks.len() {
                    if let Some(fact) = self.bounded_sum(&chunks, place) {
                        self.assume(fact);
                    }
                }
            }
        }
    }

    /// That a chunk holds at most the full permission together with all quantified ones and all before it that may be of
    /// the same location: of those that are, the last one has the others before it. None if that is said of pairs.
    fn bounded_sum(&mut self, chunks: &[Chunk], place: usize) -> Option<Term> {
        let Chunk::Basic(own) = &chunks[place] else { return None };
        let (one, zero) = (self.encoder.terms.one(), self.encoder.terms.zero());
        let (mut sum, mut others) = (own.permission, 0);
        for (at, other) in chunks.iter().enumerate() {
            let held = match other {
                Chunk::Basic(_) if at >= place => continue,
                Chunk::Basic(other) => {
                    let same = self.same_location(&other.arguments, &own.arguments);
                    self.encoder.terms.if_then_else(same, other.permission, zero)
                }
                Chunk::Quantified(_) => self.chunk_permission(other, &own.arguments),
            };
            let terms = &mut self.encoder.terms;
            let most = if let Chunk::Basic(other) = other { other.permission } else { held };
            let both = terms.add(own.permission, most);
            let has_room = terms.less_equal(both, one);
            if held != zero && !terms.is_false(has_room) {
                sum = terms.add(sum, held);
                others += 1;
            }
        }
        (others > 1).then(|| self.encoder.terms.less_equal(sum, one))
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
            && self.member.amounts_matter
        {
            // At most a full permission to a location is held.
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
