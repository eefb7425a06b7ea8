//! Snapshots of quantified permissions: canonical maps, so that equal footprints have equal snapshots.

use std::rc::Rc;

use smt::Term;

use super::Request;
use crate::encode::names;
use crate::engine::Engine;
use crate::heap::{Inverse, QuantifiedChunk, QuantifiedShape, Resource};

/// The resource, the domain and the arguments over the shape's variables, and the map that the values come from.
pub(super) type Key = (Resource, Term, Rc<[Term]>, Term);

impl<'p> Engine<'p> {
    /// The snapshot of a consumed permission whose values another map has.
    pub(super) fn snapshot_of(&mut self, request: &Request, source: Term) -> Term {
        let domain = self.shape_domain(&request.shape);
        let key: Key = (request.resource, domain, request.shape.arguments.clone(), source);
        let (snapshot, facts) = match self.member.quantified.snapshots.get(&key) {
            Some(known) => known.clone(),
            None => {
                let made = self.build_snapshot(request, source);
                self.member.quantified.snapshots.insert(key, made.clone());
                made
            }
        };
        for fact in facts.iter() {
            self.assume(*fact);
        }
        snapshot
    }

    fn build_snapshot(&mut self, request: &Request, source: Term) -> (Term, Rc<[Term]>) {
        let resource = request.resource;
        let shape = &request.shape;
        let inverse = self.invert(resource, shape);
        let domain = self.shape_domain(shape);
        let sort = self.encoder.snap_sort();
        let roots = [&[domain], &shape.arguments[..]].concat();
        // Maps of different resources are never the same symbol.
        let index = match resource {
            Resource::Field(field) => 3 * field.index(),
            Resource::Predicate(predicate) => 3 * predicate.index() + 1,
            Resource::Wand(wand) => 3 * wand.0 as usize + 2,
        };
        let (function, mut parameters) =
            self.family("$footprint", index, &shape.variables, &roots, &[sort], sort);
        parameters.push(source);
        let snapshot = self.encoder.terms.apply(function, &parameters);
        let mut facts = inverse.definitions.to_vec();
        facts.extend(self.canonical_facts(resource, shape, &inverse, snapshot));
        let location = self.bound_terms(&shape.formals);
        let inside = self.traced_domain(shape, &inverse);
        let own = self.map_lookup(resource, snapshot, &location);
        let given = self.map_lookup(resource, source, &location);
        let terms = &mut self.encoder.terms;
        let equal = terms.equal(own, given);
        let body = terms.implies(inside, equal);
        facts.push(terms.forall(&shape.formals, &[vec![own]], body, names::FOOTPRINT_VALUE));
        (snapshot, Rc::from(facts))
    }

    /// The snapshot of a chunk that nothing was taken from: its map.
    pub(super) fn whole_snapshot(&mut self, resource: Resource, chunk: &QuantifiedChunk) -> Term {
        self.assume_definitions(chunk);
        // A snapshot that was given may be that of another part of the assertion where the guard fails.
        for fact in self.canonical_facts(resource, &chunk.shape, &chunk.inverse, chunk.map) {
            let fact = self.encoder.terms.implies(chunk.guard, fact);
            self.assume(fact);
        }
        chunk.map
    }

    /// What is known of a map that was given, before the chunk is changed: folding what is unchanged in the end gives it
    /// again.
    pub(super) fn learn_of_given(&mut self, resource: Resource, chunk: &QuantifiedChunk) {
        if !chunk.is_given || !chunk.is_whole {
            return;
        }
        self.assume_definitions(chunk);
        for fact in self.canonical_facts(resource, &chunk.shape, &chunk.inverse, chunk.map) {
            let fact = self.encoder.terms.implies(chunk.guard, fact);
            self.learn(fact);
        }
    }

    /// That a map is canonical with the locations of a shape as its domain.
    fn canonical_facts(
        &mut self,
        resource: Resource,
        shape: &QuantifiedShape,
        inverse: &Inverse,
        map: Term,
    ) -> [Term; 2] {
        let location = self.bound_terms(&shape.formals);
        let inside = self.traced_domain(shape, inverse);
        let in_domain = self.map_domain(resource, map, &location);
        let canonical = self.map_is_canonical(resource, map, &location);
        let terms = &mut self.encoder.terms;
        let body = terms.equal(in_domain, inside);
        let domain = terms.forall(&shape.formals, &[vec![in_domain]], body, names::FOOTPRINT_DOMAIN);
        [canonical, domain]
    }

    /// Whether a location is one of the shape's, over its formals.
    fn traced_domain(&mut self, shape: &QuantifiedShape, inverse: &Inverse) -> Term {
        let location = self.bound_terms(&shape.formals);
        let terms = &mut self.encoder.terms;
        let held = shape.is_held_at(terms, &inverse.values, &location);
        terms.and(inverse.image, held)
    }
}
