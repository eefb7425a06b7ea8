//! Sizes of sets and multisets that are compared with each other.
//!
//! What is known of sizes is tied to operations: from elements that two sets share nothing follows about their sizes as
//! long as nobody speaks of their difference. So before a goal is called violated, the differences of those whose sizes
//! occur are mentioned. That a size is not negative holds of every collection.

use smt::{CollectionKind, Term};

use crate::engine::Engine;
use crate::limits;

impl<'p> Engine<'p> {
    /// What brings the collections together whose sizes occur.
    pub(crate) fn facts_about_sizes(&mut self, goal: Term) -> Vec<Term> {
        let sized = self.sized_collections(goal);
        let mut facts = Vec::new();
        for (index, one) in sized.iter().enumerate() {
            for other in &sized[..index] {
                let is_pair = self.encoder.terms.sort_of(*one) == self.encoder.terms.sort_of(*other);
                if is_pair && facts.len() < limits::SIZES_COMPARED {
                    facts.push(self.has_difference(*one, *other));
                }
            }
        }
        self.flush_axioms();
        facts
    }

    /// Sets and multisets whose sizes occur, those of the goal first.
    fn sized_collections(&mut self, goal: Term) -> Vec<Term> {
        let facts = self.path.chain().iter().flat_map(|node| node.facts.borrow().clone()).collect::<Vec<_>>();
        let mut parts = self.encoder.terms.reachable(&[goal]);
        parts.extend(self.encoder.terms.reachable(&facts));
        let mut found: Vec<Term> = Vec::new();
        for part in parts {
            let terms = &self.encoder.terms;
            let Some((_, &[collection])) = terms.as_application(part) else { continue };
            let is_closed = terms.is_closed(part) && terms.sort_of(part) == terms.int_sort();
            if is_closed && !found.contains(&collection) && self.size(collection) == Some(part) {
                found.push(collection);
            }
        }
        found
    }

    fn size(&mut self, collection: Term) -> Option<Term> {
        let (terms, theories) = (&mut self.encoder.terms, &mut self.encoder.theories);
        match theories.kind_of(terms.sort_of(collection))? {
            CollectionKind::Set => Some(theories.set_cardinality(terms, collection)),
            CollectionKind::Multiset => Some(theories.multiset_cardinality(terms, collection)),
            _ => None,
        }
    }

    /// A fact that speaks of the difference of two collections, from which that of the other way round follows.
    fn has_difference(&mut self, one: Term, other: Term) -> Term {
        let (terms, theories) = (&mut self.encoder.terms, &mut self.encoder.theories);
        let difference = match theories.kind_of(terms.sort_of(one)) {
            Some(CollectionKind::Multiset) => theories.multiset_difference(terms, one, other),
            _ => theories.set_difference(terms, one, other),
        };
        let size = self.size(difference).unwrap_or(difference);
        let terms = &mut self.encoder.terms;
        let zero = terms.int(0);
        terms.less_equal(zero, size)
    }
}
