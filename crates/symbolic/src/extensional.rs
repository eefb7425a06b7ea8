//! Collections that functions are applied to, or that are elements and keys of others.
//!
//! Two collections are the same if they have the same elements, but the solver compares them only where an equation between
//! them occurs. `f(Set(1, 2))` and `f(Set(2, 1))` are the same although no program has that equation: so before a goal is
//! called violated, the collections that a function is applied to are compared with each other.

use rustc_hash::FxHashMap;
use smt::{Access, Bound, Function, Sort, Term};

use crate::encode::triggers::valid_triggers;
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

/// Collections of which only short ones tell what fails.
struct Doubted {
    /// Sequences that are made of others, in equations.
    made: Vec<Term>,
    /// Sets that are made of themselves.
    circular: Vec<Term>,
}

impl<'p> Engine<'p> {
    /// Looks at a goal that fails, with what is known of collections by their elements and what only short ones tell.
    pub(crate) fn confirm_collections(&mut self, goal: Term) -> Proof {
        // What is said of collections besides brings no equations of the program.
        let doubted = Doubted { made: self.made_sequences(goal), circular: self.circular_collections(goal) };
        let (facts, mut further) = self.facts_about_arguments(goal);
        further.extend(self.facts_about_values(goal));
        further.extend(self.first_places(goal));
        if facts.is_empty() && further.is_empty() {
            return self.confirm_shorter(goal, &doubted);
        }
        // One that has all elements of another and is as large is the same.
        further.extend(self.facts_about_sizes(goal));
        let outer = self.path.open_scope();
        for fact in facts {
            self.path.add(fact);
        }
        let inner = self.path.open_scope();
        for fact in further {
            self.path.add(fact);
        }
        self.flush_axioms();
        let proof = self.prover.prove_soon(&self.encoder.terms, &self.path, goal, limits::QUICK_RESOURCES);
        self.path.close_scope(&inner);
        let proof = match proof {
            Some(Proof::Proved) => Proof::Proved,
            _ => self.confirm_shorter(goal, &doubted),
        };
        self.path.close_scope(&outer);
        proof
    }

    fn confirm_shorter(&mut self, goal: Term, doubted: &Doubted) -> Proof {
        let mut proof = self.confirm_sizes(goal);
        if proof == Proof::Open {
            proof = self.confirm_equations(goal, &doubted.made);
        }
        if proof == Proof::Open {
            proof = self.confirm_circular(goal, &doubted.circular);
        }
        proof
    }

    /// That collections which stand in the same place are the same if they have the same elements: of those that occur, and of
    /// those that instances bring.
    fn facts_about_arguments(&mut self, goal: Term) -> (Vec<Term>, Vec<Term>) {
        let mut places: FxHashMap<Place, Vec<Term>> = FxHashMap::default();
        let mut facts: Vec<Term> = Vec::new();
        let question = self.parts_of_question(goal);
        for (place, argument) in self.collections_in_places(&question) {
            if !self.encoder.terms.is_closed(argument) {
                continue;
            }
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
        let of_instances = self.facts_about_instances(&question, &places);
        (facts, of_instances)
    }

    /// The same of collections that axioms and facts speak of for all values, as `Set(x, 1) in t`: those that come from their
    /// instances are compared with the ones that occur.
    fn facts_about_instances(
        &mut self,
        question: &[Term],
        places: &FxHashMap<Place, Vec<Term>>,
    ) -> Vec<Term> {
        let axioms = self.prover.axioms_about(&self.encoder.terms, question);
        let mut parts = self.encoder.terms.reachable(&axioms);
        parts.extend_from_slice(question);
        let mut facts: Vec<Term> = Vec::new();
        for (place, argument) in self.collections_in_places(&parts) {
            let variables: Vec<Bound> = self.encoder.terms.free_variables(argument).to_vec();
            let triggers = valid_triggers(&self.encoder.terms, &variables, &[vec![argument]]);
            if triggers.is_empty() {
                continue;
            }
            for other in places.get(&place).into_iter().flatten() {
                let (terms, theories) = (&mut self.encoder.terms, &mut self.encoder.theories);
                let has_same_elements = theories.equal(terms, *other, argument);
                let is_same = terms.equal(*other, argument);
                let body = terms.implies(has_same_elements, is_same);
                let fact = terms.forall(&variables, &triggers, body, "equal_by_elements");
                if !facts.contains(&fact) && facts.len() < limits::COLLECTIONS_COMPARED {
                    facts.push(fact);
                }
            }
        }
        facts
    }

    /// That what keys lead to are values, of maps whose values occur. As a law of all maps this would find keys and values of
    /// each other without end.
    fn facts_about_values(&mut self, goal: Term) -> Vec<Term> {
        let parts = self.parts_of_question(goal);
        let mut facts: Vec<Term> = Vec::new();
        for part in parts {
            let (terms, theories) = (&mut self.encoder.terms, &mut self.encoder.theories);
            let Some((function, &[map])) = terms.as_application(part) else { continue };
            let is_one = theories.access(function) == Some(Access::Values) && terms.is_closed(map);
            let Some(key) = theories.element_of(terms.sort_of(map)).filter(|_| is_one) else { continue };
            let variable = terms.fresh_bound("key", key);
            let key = terms.bound(variable);
            let keys = theories.map_domain(terms, map);
            let is_key = theories.set_contains(terms, keys, key);
            let value = theories.map_lookup(terms, map, key);
            let is_value = theories.set_contains(terms, part, value);
            let body = terms.implies(is_key, is_value);
            facts.push(terms.forall(&[variable], &[vec![is_key]], body, "values_of_keys"));
        }
        facts
    }

    /// That sequences in equations have something at their first places: who looks for an element finds it there.
    fn first_places(&mut self, goal: Term) -> Vec<Term> {
        let mut facts: Vec<Term> = Vec::new();
        for sequence in self.sequences_in_equations(goal) {
            let (terms, theories) = (&mut self.encoder.terms, &mut self.encoder.theories);
            let Some(element) = theories.element_of(terms.sort_of(sequence)) else { continue };
            for place in 0..limits::FIRST_PLACES {
                let place = terms.int(place);
                let held = theories.seq_index(terms, sequence, place);
                let name = terms.fresh_constant("element", element);
                facts.push(terms.equal(held, name));
            }
        }
        facts
    }

    /// The collections of which it matters which ones they are. What belongs to a collection itself
    /// is said of its elements.
    fn collections_in_places(&self, parts: &[Term]) -> Vec<(Place, Term)> {
        let (terms, theories) = (&self.encoder.terms, &self.encoder.theories);
        let mut found: Vec<(Place, Term)> = Vec::new();
        for part in parts {
            let Some((function, arguments)) = terms.as_application(*part) else { continue };
            let is_of_program = self.encoder.meanings.symbol(terms, function).is_some();
            let is_made = theories.kind_of(terms.sort_of(*part)).is_some();
            for (index, argument) in arguments.iter().enumerate() {
                let sort = terms.sort_of(*argument);
                if theories.kind_of(sort).is_none() {
                    continue;
                }
                let whole = if is_made { terms.sort_of(*part) } else { terms.sort_of(arguments[0]) };
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
