//! What a heap with permissions to all references of some kind says of a reference that the program does not speak of.
//!
//! There are always more references than terms and collections can name, all collections being finite. So there is one that
//! is not `null`, equals no term and is in no collection of the conditions of a heap's permissions; what these conditions
//! leave open of it is anything, but for what definitions and laws say: where these may leave no room for what is held, a
//! failure is not known to be one. References that conditions name are looked at, too.

use rustc_hash::FxHashMap;
use smt::{Access, Bound, Node, Term};

use crate::encode::meaning::Meaning;
use crate::engine::Engine;
use crate::heap::{Chunk, Heap, Resource};
use crate::limits;

impl<'p> Engine<'p> {
    /// Says of each field of a heap that no more than the full permission is held to such a reference.
    pub(crate) fn assume_about_others(&mut self, heap: &Heap) {
        for resource in heap.resources() {
            let chunks = heap.of(resource);
            let is_of_all = |chunk: &Chunk| match chunk {
                Chunk::Quantified(chunk) => {
                    let argument = chunk.shape.arguments.first();
                    argument.is_some_and(|it| matches!(self.encoder.terms.node(*it), Node::Bound(_)))
                }
                Chunk::Basic(_) => false,
            };
            if matches!(resource, Resource::Field(_)) && chunks.iter().any(is_of_all) {
                self.assume_about_other(heap, resource);
            }
        }
    }

    fn assume_about_other(&mut self, heap: &Heap, resource: Resource) {
        let null = self.encoder.null();
        let terms = &mut self.encoder.terms;
        let other = terms.fresh_constant("elsewhere", terms.sort_of(null));
        let held = self.held(heap, resource, &[other]);
        let terms = &mut self.encoder.terms;
        let parts = terms.reachable(&[held]);
        let is_fixed = |term: Term| terms.is_closed(term) && !terms.reachable(&[term]).contains(&other);
        let mut same = vec![null];
        let mut members: Vec<Term> = Vec::new();
        for part in parts {
            if terms.sort_of(part) == terms.sort_of(null) && is_fixed(part) {
                same.push(part);
            }
            let Some((function, &[collection, element])) = terms.as_application(part) else { continue };
            let is_member = self.encoder.theories.access(function) == Some(Access::Member);
            if is_member && element == other && is_fixed(collection) {
                members.push(part);
            }
        }
        let mut facts: Vec<Term> = Vec::new();
        let mut values: FxHashMap<Term, Term> = FxHashMap::default();
        let named = same.clone();
        for term in same {
            let is_same = terms.equal(other, term);
            facts.push(terms.not(is_same));
            values.insert(is_same, terms.false_());
        }
        for member in members {
            // Whether it is in a set, or how often in a multiset.
            let never =
                if terms.sort_of(member) == terms.bool_sort() { terms.false_() } else { terms.int(0) };
            facts.push(terms.equal(member, never));
            values.insert(member, never);
        }
        let left = terms.substitute(held, &values);
        let one = terms.one();
        let has_room = terms.less_equal(held, one);
        facts.into_iter().for_each(|fact| self.assume(fact));
        if self.is_known_by_laws(left, other) && !self.has_room_everywhere(heap, resource, other) {
            self.attempt.is_room_doubted = true;
        }
        self.assume(has_room);
        // Permissions to `null` that nobody meant are told of elsewhere.
        for term in named.into_iter().filter(|term| *term != null).take(limits::REFERENCES_IN_SIGHT) {
            self.assume_about_named(heap, resource, term);
        }
    }

    /// The same of a reference that a condition names: the solver looks at it only where somebody asks what is held of it.
    fn assume_about_named(&mut self, heap: &Heap, resource: Resource, reference: Term) {
        let null = self.encoder.null();
        let held = self.held(heap, resource, &[reference]);
        let is_held = self.positive(held);
        let terms = &mut self.encoder.terms;
        let is_null = terms.equal(reference, null);
        let is_object = terms.not(is_null);
        let one = terms.one();
        let facts = [terms.less_equal(held, one), terms.implies(is_held, is_object)];
        facts.into_iter().for_each(|fact| self.assume(fact));
    }

    /// Whether all chunks together hold no more than the full permission, whatever their conditions are.
    fn has_room_everywhere(&mut self, heap: &Heap, resource: Resource, other: Term) -> bool {
        let mut most = self.encoder.terms.zero();
        for chunk in heap.of(resource).iter() {
            let Chunk::Quantified(chunk) = chunk else { continue };
            let terms = &mut self.encoder.terms;
            let values: Vec<(Bound, Term)> = chunk.shape.variables.iter().map(|it| (*it, other)).collect();
            let is_one = chunk.shape.variables.iter().all(|it| terms.bound_sort(*it) == terms.sort_of(other));
            let amount = if is_one {
                terms.substitute_bound(chunk.shape.permission, &values)
            } else {
                self.chunk_permission(&Chunk::Quantified(chunk.clone()), &[other])
            };
            most = self.encoder.terms.add(most, amount);
        }
        let one = self.encoder.terms.one();
        let has_room = self.encoder.terms.less_equal(most, one);
        self.check(has_room)
    }

    /// Whether a term says something of such a reference that follows from definitions or laws: fields and functions that
    /// are free have some values there.
    fn is_known_by_laws(&self, term: Term, other: Term) -> bool {
        let terms = &self.encoder.terms;
        let speaks_of_it = |part: &Term| terms.reachable(&[*part]).contains(&other);
        terms.reachable(&[term]).iter().filter(|part| **part != other && speaks_of_it(part)).any(|part| {
            match terms.node(*part) {
                Node::Quantified(_) => true,
                Node::Apply(function, _) => !matches!(
                    self.encoder.meanings.symbol(terms, *function),
                    Some(Meaning::Field(_) | Meaning::DomainFunction(_))
                ),
                _ => false,
            }
        })
    }
}
