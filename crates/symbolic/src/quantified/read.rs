//! Reading single locations of quantified chunks, and locations in patterns.

use rustc_hash::FxHashMap;
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
                let map = self.find_by_shape(chunks, resource, location)?;
                self.learn_not_null(resource, location);
                map
            }
        };
        let value = self.map_lookup(resource, map, location);
        Some(self.value_snapshot(value))
    }

    /// A field that is held belongs to an object.
    pub(super) fn learn_not_null(&mut self, resource: Resource, location: &[Term]) {
        if let (Resource::Field(_), [receiver]) = (resource, location) {
            let null = self.encoder.null();
            let not_null = self.encoder.terms.not_equal(*receiver, null);
            self.learn(not_null);
        }
    }

    /// The map of a chunk that provably holds the location. In a pattern, it is the one that the quantifier's body read
    /// before: a pattern about another map would match nothing that the body is about.
    fn find_by_shape(&mut self, chunks: &[Chunk], resource: Resource, location: &[Term]) -> Option<Term> {
        let is_remembered = chunks.len() > 1 && !self.around.quantified.is_empty();
        if is_remembered && self.around.in_trigger {
            let key = (resource, self.as_in_patterns(location));
            let map = self.member.quantified.maps_read.get(&key).copied();
            let is_here = |map: &Term| {
                chunks.iter().any(|chunk| matches!(chunk, Chunk::Quantified(chunk) if chunk.map == *map))
            };
            if let Some(map) = map.filter(is_here) {
                return Some(map);
            }
        }
        let map = self.find_held(chunks, location)?;
        if is_remembered && !self.around.in_trigger {
            let key = (resource, self.as_in_patterns(location));
            self.member.quantified.maps_read.insert(key, map);
        }
        Some(map)
    }

    /// Terms with functions as they are in patterns, whose definitions are not to be unfolded.
    pub(crate) fn as_in_patterns(&mut self, location: &[Term]) -> Vec<Term> {
        let mut parts = self.encoder.terms.reachable(location);
        // A term is younger than its parts.
        parts.sort_unstable();
        let mut images = FxHashMap::default();
        for part in parts {
            let Some((function, arguments)) = self.encoder.terms.as_application(part) else { continue };
            let Some(limited) = self.member.functions.limited(function) else { continue };
            let arguments = arguments.to_vec();
            let terms = &mut self.encoder.terms;
            let arguments: Vec<Term> =
                arguments.into_iter().map(|argument| terms.substitute(argument, &images)).collect();
            images.insert(part, terms.apply(limited, &arguments));
        }
        location.iter().map(|term| self.encoder.terms.substitute(*term, &images)).collect()
    }

    fn find_held(&mut self, chunks: &[Chunk], location: &[Term]) -> Option<Term> {
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
        if self.around.in_trigger {
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
