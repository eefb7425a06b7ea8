//! Collections that functions are applied to, or that are elements and keys of others.
//!
//! Two collections are the same if they have the same elements, but the solver compares them only where an equation between
//! them occurs. `f(Set(1, 2))` and `f(Set(2, 1))` are the same although no program has that equation: so before a goal is
//! called violated, the collections that a function is applied to are compared with each other.

use rustc_hash::FxHashMap;
use smt::{Function, Sort, Term};

use crate::engine::Engine;
use crate::limits;
use crate::prover::Proof;

/// Where a collection stands; two that stand in the same place are compared.
#[derive(PartialEq, Eq, Hash)]
enum Place {
    /// An argument of a function of the program.
    Argument(Function, usize),
    /// An element, or a key, of other collections.
    Inside(Sort),
}

impl<'p> Engine<'p> {
    /// Whether a goal follows from that.
    pub(crate) fn follows_by_elements(&mut self, goal: Term) -> bool {
        let facts = self.facts_about_arguments(goal);
        if facts.is_empty() {
            return false;
        }
        self.flush_axioms();
        let outer = self.path.open_scope();
        for fact in facts {
            self.path.add(fact);
        }
        let proof = self.prover.prove_soon(&self.encoder.terms, &self.path, goal, limits::QUICK_RESOURCES);
        self.path.close_scope(&outer);
        proof == Some(Proof::Proved)
    }

    /// That collections which stand in the same place are the same if they have the same elements.
    fn facts_about_arguments(&mut self, goal: Term) -> Vec<Term> {
        let mut places: FxHashMap<Place, Vec<Term>> = FxHashMap::default();
        let mut facts: Vec<Term> = Vec::new();
        for (place, argument) in self.collections_in_places(goal) {
            let others = places.entry(place).or_default();
            if others.contains(&argument) {
                continue;
            }
            for other in others.iter() {
                let (terms, theories) = (&mut self.encoder.terms, &mut self.encoder.theories);
                let has_same_elements = theories.equal(terms, *other, argument);
                let is_same = terms.equal(*other, argument);
                facts.push(terms.implies(has_same_elements, is_same));
            }
            others.push(argument);
            if facts.len() >= limits::COLLECTIONS_COMPARED {
                break;
            }
        }
        facts
    }

    /// The collections of which it matters which ones they are, those of the goal first. What belongs to a collection itself
    /// is said of its elements.
    fn collections_in_places(&self, goal: Term) -> Vec<(Place, Term)> {
        let (terms, theories) = (&self.encoder.terms, &self.encoder.theories);
        let mut found: Vec<(Place, Term)> = Vec::new();
        for part in self.parts_of_question(goal) {
            let Some((function, arguments)) = terms.as_application(part) else { continue };
            let is_of_program = self.encoder.meanings.symbol(terms, function).is_some();
            let is_made = theories.kind_of(terms.sort_of(part)).is_some();
            for (index, argument) in arguments.iter().enumerate() {
                let sort = terms.sort_of(*argument);
                if theories.kind_of(sort).is_none() || !terms.is_closed(*argument) {
                    continue;
                }
                let whole = if is_made { terms.sort_of(part) } else { terms.sort_of(arguments[0]) };
                if is_of_program {
                    found.push((Place::Argument(function, index), *argument));
                } else if sort != whole && theories.kind_of(whole).is_some() {
                    found.push((Place::Inside(sort), *argument));
                }
            }
        }
        found
    }
}
