//! `forperm`: a formula for every location to which permission is held.

use silver::typed::{ExpressionRef, LocalId, Resource as Location};
use smt::Term;
use source::Span;

use crate::blame::Blame;
use crate::engine::{Engine, Outcome};
use crate::heap::{BasicChunk, Chunk, QuantifiedChunk, Resource};
use crate::quantifier::Opened;
use crate::state::State;

/// What is the same for all chunks.
struct ForPerm<'a> {
    variables: &'a [LocalId],
    location: &'a Location,
    body: &'a ExpressionRef,
    resource: Resource,
    /// For each variable, the part of the location that it is; absent if some part depends on variables otherwise.
    places: Option<Vec<usize>>,
    /// The other parts.
    fixed: Vec<(usize, Term)>,
    blame: &'a Blame,
    name: String,
    /// Whether it may depend on what a wand will be applied to which locations are held.
    is_doubtful: bool,
}

impl<'p> Engine<'p> {
    pub(crate) fn evaluate_forperm(
        &mut self,
        state: &mut State,
        variables: &[LocalId],
        location: &Location,
        body: &ExpressionRef,
        blame: &Blame,
        span: Span,
    ) -> Outcome<Term> {
        let opened = self.open(state, variables);
        let outer = self.path.open_scope();
        let evaluated = self.evaluate_location(state, location, blame);
        self.path.close_scope(&outer);
        let (resource, arguments) = evaluated?;
        let places: Option<Vec<usize>> = opened
            .constants
            .iter()
            .map(|constant| arguments.iter().position(|argument| argument == constant))
            .collect();
        let is_place = |index: &usize| places.iter().flatten().any(|place| place == index);
        let fixed: Vec<(usize, Term)> =
            arguments.iter().copied().enumerate().filter(|(index, _)| !is_place(index)).collect();
        let depends = fixed.iter().any(|(_, argument)| opened.occurs_in(self, *argument));
        let places = places.filter(|_| !depends);
        let name = format!("forperm@{}", span.start);
        let is_doubtful = self.is_prophecy(state, &self.amounts_of(state, resource));
        // While an assertion is consumed, `forperm` sees what is left, and so does its body.
        let forperm =
            ForPerm { variables, location, body, resource, places, fixed, blame, name, is_doubtful };
        state.with(|state| &mut state.reading, None, |state| self.for_chunks(state, &forperm))
    }

    /// The amounts of all chunks of a resource, and their conditions.
    fn amounts_of(&self, state: &State, resource: Resource) -> Vec<Term> {
        let chunks = state.heap.of(resource);
        let amounts = chunks.iter().flat_map(|chunk| match chunk {
            Chunk::Basic(basic) => vec![basic.permission],
            Chunk::Quantified(chunk) => vec![chunk.shape.condition, chunk.shape.permission],
        });
        amounts.collect()
    }

    fn for_chunks(&mut self, state: &mut State, forperm: &ForPerm<'_>) -> Outcome<Term> {
        let chunks = state.heap.of(forperm.resource);
        let mut parts = Vec::new();
        for chunk in chunks.iter() {
            parts.push(match (chunk, &forperm.places) {
                (Chunk::Basic(basic), Some(places)) => self.for_location(state, forperm, places, basic)?,
                (Chunk::Quantified(quantified), Some(places)) => {
                    self.for_locations(state, forperm, places, quantified)?
                }
                (chunk, None) => self.for_instances(state, forperm, chunk)?,
            });
        }
        Ok(self.encoder.terms.all(parts))
    }

    fn for_location(
        &mut self,
        state: &mut State,
        forperm: &ForPerm<'_>,
        places: &[usize],
        chunk: &BasicChunk,
    ) -> Outcome<Term> {
        for (variable, place) in forperm.variables.iter().zip(places) {
            state.store.set(*variable, chunk.arguments[*place]);
        }
        let held = self.positive(chunk.permission);
        let held = self.seen_as_held(forperm.is_doubtful, held, &[]);
        let held = self.with_fixed_parts(forperm, &chunk.arguments, held);
        let value = self.under(held, |engine| engine.evaluate(state, forperm.body, forperm.blame))?;
        Ok(self.encoder.terms.implies(held, value))
    }

    /// Whether a location is held and is one of those that `forperm` speaks about.
    fn with_fixed_parts(&mut self, forperm: &ForPerm<'_>, location: &[Term], held: Term) -> Term {
        let mut held = held;
        for (index, value) in &forperm.fixed {
            let same = self.same_location(&[location[*index]], &[*value]);
            held = self.encoder.terms.and(held, same);
        }
        held
    }

    /// For the locations of a shape: quantified over the shape's variables.
    fn for_locations(
        &mut self,
        state: &mut State,
        forperm: &ForPerm<'_>,
        places: &[usize],
        chunk: &QuantifiedChunk,
    ) -> Outcome<Term> {
        let shape = &chunk.shape;
        let sorts: Vec<_> =
            shape.variables.iter().map(|variable| self.encoder.terms.bound_sort(*variable)).collect();
        let mut opened = self.open_sorts("x", &sorts);
        opened.variables = shape.variables.to_vec();
        let location = shape.arguments_at(&mut self.encoder.terms, &opened.constants);
        for (variable, place) in forperm.variables.iter().zip(places) {
            state.store.set(*variable, location[*place]);
        }
        let held = shape.is_held_at(&mut self.encoder.terms, &opened.constants, &location);
        let held = self.with_fixed_parts(forperm, &location, held);
        self.for_held(state, forperm, &opened, &shape.triggers, held)
    }

    /// For instances of the location that a chunk holds: quantified over the variables of `forperm`.
    fn for_instances(&mut self, state: &mut State, forperm: &ForPerm<'_>, chunk: &Chunk) -> Outcome<Term> {
        let opened = self.open(state, forperm.variables);
        let outer = self.path.open_scope();
        let evaluated = self.evaluate_location(state, forperm.location, forperm.blame);
        self.path.close_scope(&outer);
        let (_, location) = evaluated?;
        let held = self.chunk_permission(chunk, &location);
        let held = self.positive(held);
        self.for_held(state, forperm, &opened, &[], held)
    }

    fn for_held(
        &mut self,
        state: &mut State,
        forperm: &ForPerm<'_>,
        opened: &Opened,
        triggers: &[Vec<Term>],
        held: Term,
    ) -> Outcome<Term> {
        let held = self.seen_as_held(forperm.is_doubtful, held, &opened.constants);
        let value = self.for_all(opened, triggers, &format!("{}-aux", forperm.name), |engine| {
            engine.under(held, |engine| engine.evaluate(state, forperm.body, forperm.blame))
        })?;
        let body = self.encoder.terms.implies(held, value);
        let body = opened.close(self, body);
        Ok(self.encoder.terms.forall(&opened.variables, triggers, body, &forperm.name))
    }
}
