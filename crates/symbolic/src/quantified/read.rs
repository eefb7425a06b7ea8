//! Reading single locations of quantified chunks, and locations in patterns.

use smt::Term;

use crate::engine::{Engine, Outcome};
use crate::heap::{Chunk, QuantifiedChunk, Resource};
use crate::state::State;

impl<'p> Engine<'p> {
    /// The snapshot of a location that is an instance of a quantified chunk's shape and provably held there.
    pub(crate) fn lookup_by_shape(
        &mut self,
        chunks: &[Chunk],
        resource: Resource,
        location: &[Term],
        checked: bool,
    ) -> Option<Term> {
        let only = if checked { None } else { self.only_quantified(chunks) };
        let map = match only {
            Some(only) => only.map,
            None => {
                let map = self.find_by_shape(chunks, location)?;
                self.learn_not_null(resource, location);
                map
            }
        };
        let value = self.map_lookup(resource, map, location);
        Some(self.value_snapshot(resource, value))
    }

    /// A field that is held belongs to an object.
    pub(super) fn learn_not_null(&mut self, resource: Resource, location: &[Term]) {
        if let (Resource::Field(_), [receiver]) = (resource, location) {
            let null = self.encoder.null();
            let not_null = self.encoder.terms.not_equal(*receiver, null);
            self.learn(not_null);
        }
    }

    fn find_by_shape(&mut self, chunks: &[Chunk], location: &[Term]) -> Option<Term> {
        let mut goals = Vec::new();
        for chunk in chunks {
            let Chunk::Quantified(chunk) = chunk else { continue };
            let terms = &mut self.encoder.terms;
            let Some(values) = chunk.shape.instance(terms, location) else { continue };
            goals.push((chunk.map, chunk.shape.is_held_at(terms, &values, location)));
        }
        for (map, goal) in &goals {
            if self.knows_all(*goal) {
                return Some(*map);
            }
        }
        if self.in_trigger {
            return None;
        }
        if let Some((map, _)) = goals.into_iter().find(|(_, goal)| self.confirm(*goal)) {
            return Some(map);
        }
        if chunks.len() < 2 {
            return None;
        }
        let is_held = |engine: &mut Self, chunk: &QuantifiedChunk| engine.is_held_in(chunk, location);
        match &chunks[self.find_traced(chunks, location, is_held)?] {
            Chunk::Quantified(chunk) => Some(chunk.map),
            Chunk::Basic(_) => None,
        }
    }

    /// A location as a term that a pattern can match.
    pub(crate) fn location_term(
        &mut self,
        state: &State,
        resource: Resource,
        location: &[Term],
    ) -> Outcome<Term> {
        let chunks = state.readable().of(resource);
        let map = self.summary(resource, &chunks, location);
        Ok(self.map_lookup(resource, map, location))
    }
}
