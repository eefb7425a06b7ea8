//! Shapes: how a quantified permission was written, and what it says about one location.

use std::rc::Rc;

use smt::{Bound, Sort, Term, Terms};

use super::matching;
use crate::engine::Engine;
use crate::heap::{Chunk, Inverse, QuantifiedChunk, QuantifiedShape, Resource};

impl QuantifiedShape {
    /// Values of the variables for which the arguments are this location, if matching finds any.
    pub(super) fn instance(&self, terms: &mut Terms, location: &[Term]) -> Option<Vec<Term>> {
        matching::match_all(terms, &self.variables, &self.arguments, location)
    }

    /// A term over the parts of a location, for one location.
    pub(super) fn at(&self, terms: &mut Terms, term: Term, location: &[Term]) -> Term {
        let replacements: Vec<_> = self.formals.iter().copied().zip(location.iter().copied()).collect();
        terms.substitute_bound(term, &replacements)
    }

    /// The variables' values that a location has by inverse functions, and whether it has any.
    pub(super) fn traced_back(
        &self,
        terms: &mut Terms,
        inverse: &Inverse,
        location: &[Term],
    ) -> (Vec<Term>, Term) {
        let values = inverse.values.iter().map(|value| self.at(terms, *value, location)).collect();
        (values, self.at(terms, inverse.image, location))
    }

    fn replacements(&self, values: &[Term], location: &[Term]) -> Vec<(Bound, Term)> {
        let variables = self.variables.iter().copied().zip(values.iter().copied());
        variables.chain(self.formals.iter().copied().zip(location.iter().copied())).collect()
    }

    /// The condition for values of the variables whose location is the given one.
    pub(super) fn condition_at(&self, terms: &mut Terms, values: &[Term], location: &[Term]) -> Term {
        terms.substitute_bound(self.condition, &self.replacements(values, location))
    }

    /// The amount, where the condition holds.
    pub(super) fn permission_at(&self, terms: &mut Terms, values: &[Term], location: &[Term]) -> Term {
        terms.substitute_bound(self.permission, &self.replacements(values, location))
    }

    pub(super) fn arguments_at(&self, terms: &mut Terms, values: &[Term]) -> Vec<Term> {
        let replacements: Vec<_> = self.variables.iter().copied().zip(values.iter().copied()).collect();
        self.arguments.iter().map(|argument| terms.substitute_bound(*argument, &replacements)).collect()
    }

    /// The amount as a term that is zero where the condition fails.
    pub(super) fn amount_at(&self, terms: &mut Terms, values: &[Term], location: &[Term]) -> Term {
        let condition = self.condition_at(terms, values, location);
        let permission = self.permission_at(terms, values, location);
        let zero = terms.zero();
        terms.if_then_else(condition, permission, zero)
    }

    /// Whether the location of the given values is held at all.
    pub(super) fn is_held_at(&self, terms: &mut Terms, values: &[Term], location: &[Term]) -> Term {
        let condition = self.condition_at(terms, values, location);
        let permission = self.permission_at(terms, values, location);
        let zero = terms.zero();
        let positive = terms.less(zero, permission);
        terms.and(condition, positive)
    }
}

impl<'p> Engine<'p> {
    /// Variables for a shape below the quantifiers around the current point.
    pub(super) fn shape_variables(&mut self, sorts: &[Sort]) -> Rc<[Bound]> {
        let depth = self.around.quantified.len();
        let terms = &mut self.encoder.terms;
        let table = &mut self.member.quantified.variables;
        let place = |(index, sort): (usize, &Sort)| {
            *table.entry((*sort, depth + index)).or_insert_with(|| terms.fresh_bound("x", *sort))
        };
        sorts.iter().enumerate().map(place).collect()
    }

    /// Variables for the parts of a location.
    pub(super) fn location_variables(&mut self, location: &[Term]) -> Rc<[Bound]> {
        let terms = &mut self.encoder.terms;
        let table = &mut self.member.quantified.formals;
        let sorts: Vec<Sort> = location.iter().map(|part| terms.sort_of(*part)).collect();
        let place = |(index, sort): (usize, &Sort)| {
            *table.entry((*sort, index)).or_insert_with(|| terms.fresh_bound("r", *sort))
        };
        sorts.iter().enumerate().map(place).collect()
    }

    pub(super) fn bound_terms(&mut self, variables: &[Bound]) -> Vec<Term> {
        variables.iter().map(|variable| self.encoder.terms.bound(*variable)).collect()
    }

    /// What a quantified chunk holds to a location, by its inverse functions; their meaning is assumed.
    pub(crate) fn quantified_permission(&mut self, chunk: &QuantifiedChunk, location: &[Term]) -> Term {
        self.assume_definitions(chunk);
        self.permission_of(chunk, location)
    }

    pub(super) fn assume_definitions(&mut self, chunk: &QuantifiedChunk) {
        for definition in chunk.definitions.iter() {
            self.assume_of_heap(*definition);
        }
    }

    /// Assumes what holds of a heap, wherever it is read: outside of the expression that is evaluated now, if the heap
    /// exists there.
    pub(super) fn assume_of_heap(&mut self, fact: Term) {
        let is_local = self.around.local_heaps > 0 || self.is_packaging();
        if is_local || crate::quantifier::mentions(&self.encoder.terms, fact, &self.around.quantified) {
            self.assume(fact);
        } else if !self.encoder.terms.is_true(fact) {
            self.path.add_outside(fact);
        }
    }

    /// As [`Engine::quantified_permission`], with the meaning of the inverse functions left to the caller.
    pub(super) fn permission_of(&mut self, chunk: &QuantifiedChunk, location: &[Term]) -> Term {
        let terms = &mut self.encoder.terms;
        let (values, image) = chunk.shape.traced_back(terms, &chunk.inverse, location);
        let condition = chunk.shape.condition_at(terms, &values, location);
        let permission = chunk.shape.permission_at(terms, &values, location);
        let inside = terms.and(image, condition);
        let zero = terms.zero();
        terms.if_then_else(inside, permission, zero)
    }

    /// Whether a quantified chunk holds a location at all, with the meaning of inverse functions left to the caller.
    pub(super) fn is_held_in(&mut self, chunk: &QuantifiedChunk, location: &[Term]) -> Term {
        let terms = &mut self.encoder.terms;
        let (values, image) = chunk.shape.traced_back(terms, &chunk.inverse, location);
        let held = chunk.shape.is_held_at(terms, &values, location);
        terms.and(image, held)
    }

    /// The parts of a conjunction.
    pub(super) fn conjuncts(&self, term: Term) -> Vec<Term> {
        match self.encoder.terms.as_operation(term) {
            Some((smt::Operator::And, parts)) => parts.to_vec(),
            _ if self.encoder.terms.is_true(term) => Vec::new(),
            _ => vec![term],
        }
    }

    /// Whether every part of a conjunction is literally known.
    pub(super) fn knows_all(&self, goal: Term) -> bool {
        self.conjuncts(goal).into_iter().all(|part| self.knows(part))
    }

    /// As [`Engine::check`]; what is found is kept, so that it is not asked again.
    pub(super) fn confirm(&mut self, goal: Term) -> bool {
        for part in self.conjuncts(goal) {
            if self.knows(part) {
                continue;
            }
            if self.encoder.terms.is_false(part) || !self.check(part) {
                return false;
            }
            self.learn(part);
        }
        true
    }

    /// Whether patterns of the program mention the resource, so that reading it must leave a trace.
    pub(crate) fn is_in_patterns(&self, resource: Resource) -> bool {
        let found = &self.member.quantified.in_patterns;
        match resource {
            Resource::Wand(_) => found.iter().any(|found| matches!(found, Resource::Wand(_))),
            _ => found.contains(&resource),
        }
    }

    /// The only chunk, if it is quantified.
    pub(super) fn only_quantified<'c>(&self, chunks: &'c [Chunk]) -> Option<&'c Rc<QuantifiedChunk>> {
        match chunks {
            [Chunk::Quantified(only)] => Some(only),
            _ => None,
        }
    }
}
