//! Producing quantified permissions.

use std::rc::Rc;

use silver::typed::{ExpressionKind, ExpressionRef};
use smt::Term;

use super::Request;
use crate::blame::{Blame, Reason};
use crate::encode::names;
use crate::engine::{Engine, Outcome};
use crate::heap::{Chunk, QuantifiedChunk, Resource};
use crate::produce::{Manner, Source};
use crate::state::State;

impl<'p> Engine<'p> {
    pub(crate) fn produce_quantified(
        &mut self,
        state: &mut State,
        assertion: &ExpressionRef,
        source: Source,
        manner: Manner,
        blame: &Blame,
    ) -> Outcome<Term> {
        let map = match source {
            Source::Given(snapshot) => snapshot,
            Source::Fresh => self.fresh_map(assertion),
        };
        let Some(request) = self.request(state, assertion, Some(map), manner, blame)? else {
            return Ok(self.encoder.unit());
        };
        if !self.around.trusted {
            self.check_injective(&request, Reason::NotInjective, blame)?;
        }
        self.assume_about_amounts(&request);
        let inverse = self.invert(request.resource, &request.shape);
        let chunk = QuantifiedChunk {
            definitions: inverse.definitions.clone(),
            inverse,
            shape: request.shape,
            guard: request.guard,
            map,
            is_whole: true,
            is_given: matches!(source, Source::Given(_)),
        };
        if !self.encoder.terms.is_false(chunk.shape.condition) {
            state.heap.add(request.resource, Chunk::Quantified(Rc::new(chunk)));
        }
        Ok(map)
    }

    fn fresh_map(&mut self, assertion: &ExpressionRef) -> Term {
        let permission = assertion.as_quantified_permission().map(|permission| &permission.assertion.kind);
        let name = match permission {
            Some(ExpressionKind::FieldPermission { field, .. }) => {
                self.run.program.field(*field).name.clone()
            }
            Some(ExpressionKind::PredicatePermission(access)) => {
                self.run.program.predicate(access.predicate).name.clone()
            }
            _ => "wand".to_string(),
        };
        let sort = self.encoder.snap_sort();
        self.fresh(&name, sort)
    }

    /// The receivers of fields that are held are not null, and at most a full permission to each is held.
    fn assume_about_amounts(&mut self, request: &Request) {
        let Resource::Field(_) = request.resource else { return };
        let shape = &request.shape;
        let null = self.encoder.null();
        let domain = self.shape_domain(shape);
        let terms = &mut self.encoder.terms;
        let not_null = terms.not_equal(shape.arguments[0], null);
        let one = terms.one();
        let bounded = terms.less_equal(shape.permission, one);
        let not_null = terms.implies(domain, not_null);
        let not_null = terms.forall(&shape.variables, &shape.triggers, not_null, names::NOT_NULL);
        let bounded = terms.implies(shape.condition, bounded);
        let bounded = terms.forall(&shape.variables, &shape.triggers, bounded, names::AT_MOST_WRITE);
        self.assume(not_null);
        if self.member.amounts_matter {
            self.assume(bounded);
        }
    }
}
