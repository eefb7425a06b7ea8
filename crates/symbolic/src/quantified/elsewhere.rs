//! What a heap with permissions to all references of some kind says of a reference that the program does not speak of.
//!
//! There are always more references than terms and collections can name, all collections being finite. So there is one that
//! is not `null`, equals no term and is in no collection of the conditions of a heap's permissions; what these conditions
//! leave open of it is anything.

use smt::{Access, Node, Term};

use crate::engine::Engine;
use crate::heap::{Chunk, Heap, Resource};

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
        for term in same {
            let is_same = terms.equal(other, term);
            facts.push(terms.not(is_same));
        }
        for member in members {
            // Whether it is in a set, or how often in a multiset.
            let never =
                if terms.sort_of(member) == terms.bool_sort() { terms.false_() } else { terms.int(0) };
            facts.push(terms.equal(member, never));
        }
        let one = terms.one();
        facts.push(terms.less_equal(held, one));
        facts.into_iter().for_each(|fact| self.assume(fact));
    }
}
