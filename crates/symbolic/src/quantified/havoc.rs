//! `quasihavoc` and `quasihavocall`: locations that are held get arbitrary values, permissions stay.

use std::rc::Rc;

use silver::typed::{ExpressionRef, LocalId, Resource as Location};
use smt::Term;

use super::Request;
use crate::blame::{Blame, ErrorKind, Reason};
use crate::engine::{Engine, Outcome};
use crate::heap::{BasicChunk, Chunk, Inverse, QuantifiedChunk, QuantifiedShape};
use crate::state::State;

impl<'p> Engine<'p> {
    pub(crate) fn quasihavoc(
        &mut self,
        state: &mut State,
        variables: &[LocalId],
        condition: Option<&ExpressionRef>,
        location: &Location,
    ) -> Outcome<()> {
        let is_quantified = !variables.is_empty();
        let error = if is_quantified { ErrorKind::Quasihavocall } else { ErrorKind::Quasihavoc };
        let blame = Blame::new(error, location.span());
        let request = self.havoc_request(state, variables, condition, location, &blame)?;
        if is_quantified {
            self.check_injective(&request, Reason::QuasihavocNotInjective, &blame)?;
        }
        let resource = request.resource;
        let inverse = self.invert(resource, &request.shape);
        for definition in inverse.definitions.iter() {
            self.assume(*definition);
        }
        let sort = self.encoder.snap_sort();
        let havocked = self.fresh("havoc", sort);
        let chunks = state.heap.of(resource);
        let mut changed = Vec::new();
        for chunk in chunks.iter() {
            changed.push(match chunk {
                Chunk::Basic(basic) => self.havoc_basic(&request, &inverse, havocked, basic),
                Chunk::Quantified(quantified) => {
                    self.havoc_quantified(&request, &inverse, havocked, quantified)
                }
            });
        }
        state.heap.set(resource, changed);
        Ok(())
    }

    fn havoc_request(
        &mut self,
        state: &mut State,
        variables: &[LocalId],
        condition: Option<&ExpressionRef>,
        location: &Location,
        blame: &Blame,
    ) -> Outcome<Request> {
        let opened = self.open_shape(state, variables);
        let (evaluated, facts) = self
            .for_arbitrary(&opened.constants, |engine| engine.havoc_parts(state, condition, location, blame));
        let (resource, condition, arguments) = evaluated?;
        let formals = self.location_variables(&arguments);
        let closed: Vec<Term> = arguments.iter().map(|argument| opened.close(self, *argument)).collect();
        let triggers = crate::encode::valid_triggers(
            &self.encoder.terms,
            &opened.variables,
            std::slice::from_ref(&closed),
        );
        self.keep_for_all(&opened, &triggers, "quasihavoc-aux", &facts);
        let amount = self.encoder.terms.one();
        let shape = QuantifiedShape {
            variables: Rc::from(&opened.variables[..]),
            formals,
            condition: opened.close(self, condition),
            arguments: Rc::from(closed),
            permission: amount,
            triggers: Rc::from(triggers),
        };
        Ok(Request {
            resource,
            constants: opened.constants,
            condition,
            arguments,
            amount,
            is_wildcard: false,
            needs_common_share: false,
            facts,
            shape,
            guard: self.encoder.terms.true_(),
            span: location.span(),
        })
    }

    fn havoc_parts(
        &mut self,
        state: &mut State,
        condition: Option<&ExpressionRef>,
        location: &Location,
        blame: &Blame,
    ) -> Outcome<(crate::heap::Resource, Term, Vec<Term>)> {
        let condition = match condition {
            Some(condition) => self.evaluate(state, condition, blame)?,
            None => self.encoder.terms.true_(),
        };
        let (resource, arguments) =
            self.under(condition, |engine| engine.evaluate_location(state, location, blame))?;
        Ok((resource, condition, arguments))
    }

    /// Whether a location is havocked.
    fn is_havocked(&mut self, request: &Request, inverse: &Inverse, location: &[Term]) -> Term {
        let terms = &mut self.encoder.terms;
        let (values, image) = request.shape.traced_back(terms, inverse, location);
        let condition = request.shape.condition_at(terms, &values, location);
        terms.and(image, condition)
    }

    fn havoc_basic(
        &mut self,
        request: &Request,
        inverse: &Inverse,
        havocked: Term,
        chunk: &BasicChunk,
    ) -> Chunk {
        let here = self.is_havocked(request, inverse, &chunk.arguments);
        let value = self.map_lookup(request.resource, havocked, &chunk.arguments);
        let fresh = self.value_snapshot(value);
        let snapshot = self.encoder.terms.if_then_else(here, fresh, chunk.snapshot);
        Chunk::Basic(BasicChunk { snapshot, ..chunk.clone() })
    }

    fn havoc_quantified(
        &mut self,
        request: &Request,
        inverse: &Inverse,
        havocked: Term,
        chunk: &QuantifiedChunk,
    ) -> Chunk {
        let resource = request.resource;
        let sort = self.encoder.snap_sort();
        let map = self.fresh("havoc", sort);
        let location = self.bound_terms(&request.shape.formals);
        let here = self.is_havocked(request, inverse, &location);
        let new = self.map_lookup(resource, map, &location);
        let old = self.map_lookup(resource, chunk.map, &location);
        let fresh = self.map_lookup(resource, havocked, &location);
        let value = self.encoder.terms.if_then_else(here, fresh, old);
        let equal = self.encoder.terms.equal(new, value);
        let mut triggers = vec![vec![new]];
        if self.is_in_patterns(resource) {
            triggers.push(vec![old]);
        }
        let fact = self.encoder.terms.forall(&request.shape.formals, &triggers, equal, "quasihavoc-value");
        self.assume(fact);
        Chunk::Quantified(Rc::new(QuantifiedChunk { map, is_whole: false, ..chunk.clone() }))
    }
}
