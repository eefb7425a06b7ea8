//! Reading a location, and how much permission is held to it.

use smt::Term;
use source::Span;

use crate::blame::{Blame, Missing, Reason, Shortage};
use crate::engine::{Engine, Outcome};
use crate::heap::{BasicChunk, Chunk, Heap, Resource};

impl<'p> Engine<'p> {
    /// Whether an amount is positive, as far as it shows.
    pub(crate) fn is_positive(&mut self, amount: Term) -> Option<bool> {
        let zero = self.encoder.terms.zero();
        let positive = self.encoder.terms.less(zero, amount);
        if self.knows(positive) {
            return Some(true);
        }
        let negated = self.encoder.terms.not(positive);
        self.knows(negated).then_some(false)
    }

    pub(crate) fn positive(&mut self, amount: Term) -> Term {
        let zero = self.encoder.terms.zero();
        self.encoder.terms.less(zero, amount)
    }

    /// That two locations of one resource are the same.
    pub(crate) fn same_location(&mut self, left: &[Term], right: &[Term]) -> Term {
        let mut equal = self.encoder.terms.true_();
        for (left, right) in left.iter().zip(right) {
            let part = self.encoder.binary(silver::typed::BinaryOperator::Equal, *left, *right);
            equal = self.encoder.terms.and(equal, part);
        }
        equal
    }

    /// What a chunk holds to a location.
    pub(crate) fn chunk_permission(&mut self, chunk: &Chunk, location: &[Term]) -> Term {
        match chunk {
            Chunk::Basic(basic) => {
                let same = self.same_location(&basic.arguments, location);
                let zero = self.encoder.terms.zero();
                self.encoder.terms.if_then_else(same, basic.permission, zero)
            }
            Chunk::Quantified(quantified) => self.quantified_permission(quantified, location),
        }
    }

    /// What is held to a location altogether.
    pub(crate) fn held(&mut self, heap: &Heap, resource: Resource, location: &[Term]) -> Term {
        let mut total = self.encoder.terms.zero();
        for chunk in heap.of(resource).iter() {
            let part = self.chunk_permission(chunk, location);
            let part = self.simplify(part);
            total = self.encoder.terms.add(total, part);
        }
        total
    }

    /// `perm`: as [`Engine::held`], with what can be said about it.
    pub(crate) fn current_permission(&mut self, heap: &Heap, resource: Resource, location: &[Term]) -> Term {
        if self.is_in_patterns(resource) {
            let snapshot = self.summarised(&heap.of(resource), resource, location);
            self.mention(snapshot);
        }
        let total = self.held(heap, resource, location);
        if let Resource::Field(_) = resource
            && self.member.amounts_matter
            && self.around.quantified.is_empty()
        {
            let one = self.encoder.terms.one();
            let bounded = self.encoder.terms.less_equal(total, one);
            self.assume(bounded);
        }
        total
    }

    /// The snapshot of a location that some permission is held to.
    pub(crate) fn lookup(
        &mut self,
        heap: &Heap,
        resource: Resource,
        location: &[Term],
        checked: bool,
        blame: &Blame,
        part: Span,
    ) -> Outcome<Term> {
        let chunks = heap.of(resource);
        // The same terms name the location.
        for chunk in chunks.iter() {
            if let Chunk::Basic(basic) = chunk
                && *basic.arguments == *location
                && (!checked && chunks.len() == 1 || self.is_held(basic))
            {
                return Ok(basic.snapshot);
            }
        }
        if let Some(snapshot) = self.lookup_by_shape(&chunks, resource, location, checked) {
            return Ok(snapshot);
        }
        // Other terms, but provably the same location.
        if chunks.len() == 1 || !self.varies(location) {
            for chunk in chunks.iter() {
                let Chunk::Basic(basic) = chunk else { continue };
                if *basic.arguments == *location {
                    continue;
                }
                let same = self.same_location(&basic.arguments, location);
                if self.check(same) && self.is_held(basic) {
                    return Ok(basic.snapshot);
                }
            }
        }
        if checked && self.is_in_patterns(resource) {
            // Patterns may need the value to find out about the permission.
            let snapshot = self.summarised(&chunks, resource, location);
            self.mention(snapshot);
        }
        let total = self.held(heap, resource, location);
        if checked {
            let enough = self.positive(total);
            self.must_with(enough, blame, Reason::InsufficientPermission, part, |_| {
                let location = location.to_vec();
                Missing::Permission(Shortage { resource, location, needed: None, held: total })
            })?;
        }
        Ok(self.summarised(&chunks, resource, location))
    }

    fn is_held(&mut self, basic: &BasicChunk) -> bool {
        let amount = self.simplify(basic.permission);
        let positive = self.positive(amount);
        self.check(positive)
    }

    /// The snapshot of a location that several chunks may hold: equal to the snapshot of each that does.
    pub(crate) fn summarised(&mut self, chunks: &[Chunk], resource: Resource, location: &[Term]) -> Term {
        if let Resource::Wand(_) = resource {
            return self.first_held(chunks, resource, location);
        }
        let has_quantified = chunks.iter().any(|chunk| matches!(chunk, Chunk::Quantified(_)));
        if has_quantified || self.varies(location) {
            let map = self.summary(resource, chunks, location);
            let value = self.map_lookup(resource, map, location);
            return self.value_snapshot(value);
        }
        if let [Chunk::Basic(single)] = chunks {
            return single.snapshot;
        }
        let sort = self.encoder.snap_sort();
        let snapshot = self.fresh("read", sort);
        for chunk in chunks {
            let Chunk::Basic(basic) = chunk else { continue };
            let same = self.same_location(&basic.arguments, location);
            let positive = self.positive(basic.permission);
            let applies = self.encoder.terms.and(same, positive);
            let equal = self.encoder.terms.equal(snapshot, basic.snapshot);
            let fact = self.encoder.terms.implies(applies, equal);
            self.assume(fact);
        }
        snapshot
    }
}
