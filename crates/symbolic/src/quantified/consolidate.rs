//! What follows from holding quantified chunks together with others, and on which conditions it depends that they are
//! held at all.

use smt::Term;

use crate::encode::names;
use crate::engine::Engine;
use crate::heap::{Chunk, QuantifiedChunk, Resource};

impl<'p> Engine<'p> {
    /// Says that no more than the full permission to a location is held and that a location has one value, as far as quantified chunks are
    /// concerned.
    pub(crate) fn assume_about_quantified(&mut self, resource: Resource, chunks: &[Chunk]) {
        for (index, chunk) in chunks.iter().enumerate() {
            let Chunk::Quantified(quantified) = chunk else { continue };
            for (other_index, other) in chunks.iter().enumerate() {
                match other {
                    Chunk::Basic(basic) => {
                        for fact in self.facts_about_pair(resource, basic, chunk) {
                            self.assume(fact);
                        }
                    }
                    Chunk::Quantified(other) if other_index < index => {
                        self.assume_agreement(resource, quantified, other);
                    }
                    Chunk::Quantified(_) => {}
                }
            }
            if let Resource::Field(_) = resource
                && self.member.amounts_matter
            {
                self.assume_bound(quantified, chunks);
            }
        }
    }

    /// At the locations of one chunk, all together hold at most full permission.
    fn assume_bound(&mut self, chunk: &QuantifiedChunk, chunks: &[Chunk]) {
        let shape = &chunk.shape;
        let variables = self.bound_terms(&shape.variables);
        let location = shape.arguments.to_vec();
        let mut total = self.encoder.terms.zero();
        for other in chunks {
            let held = match other {
                Chunk::Quantified(other) if std::ptr::eq(&**other, chunk) => {
                    shape.permission_at(&mut self.encoder.terms, &variables, &location)
                }
                other => self.chunk_permission(other, &location),
            };
            total = self.encoder.terms.add(total, held);
        }
        let held = shape.is_held_at(&mut self.encoder.terms, &variables, &location);
        let terms = &mut self.encoder.terms;
        let one = terms.one();
        let bounded = terms.less_equal(total, one);
        let body = terms.implies(held, bounded);
        let fact = terms.forall(&shape.variables, &shape.triggers, body, names::AT_MOST_WRITE);
        self.assume(fact);
    }

    /// Two chunks have the same value where both hold permission.
    pub(super) fn assume_agreement(
        &mut self,
        resource: Resource,
        left: &QuantifiedChunk,
        right: &QuantifiedChunk,
    ) {
        let one = self.encoder.terms.one();
        let sum = self.encoder.terms.add(left.shape.permission, right.shape.permission);
        let possible = self.encoder.terms.less_equal(sum, one);
        let is_disjoint = matches!(resource, Resource::Field(_)) && self.encoder.terms.is_false(possible);
        if left.map == right.map || is_disjoint && self.member.amounts_matter {
            return;
        }
        self.assume_definitions(left);
        self.assume_definitions(right);
        let location = self.bound_terms(&left.shape.formals);
        let values = [left.map, right.map].map(|map| self.map_lookup(resource, map, &location));
        let held = [left, right].map(|chunk| self.is_held_in(chunk, &location));
        let terms = &mut self.encoder.terms;
        let both = terms.all(held);
        let equal = terms.equal(values[0], values[1]);
        let body = terms.implies(both, equal);
        let triggers = values.map(|value| vec![value]);
        let fact = terms.forall(&left.shape.formals, &triggers, body, names::AGREE);
        self.assume(fact);
    }

    /// An amount that depends on those parts of a chunk's condition that are the same for all locations.
    pub(crate) fn guarded_amount(&mut self, chunk: &QuantifiedChunk) -> Term {
        let closed: Vec<Term> = self
            .conjuncts(chunk.shape.condition)
            .into_iter()
            .filter(|part| self.encoder.terms.is_closed(*part))
            .collect();
        let terms = &mut self.encoder.terms;
        let guard = terms.all(closed);
        let (one, zero) = (terms.one(), terms.zero());
        terms.if_then_else(guard, one, zero)
    }
}
