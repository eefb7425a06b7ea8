//! Quantified permissions: chunks that hold many locations, the maps that give their values, and `forperm`.

use rustc_hash::FxHashMap;
use silver::typed::{ExpressionRef, LocalId, Resource as Location};
use smt::Term;
use source::Span;

use crate::blame::{Blame, Stop};
use crate::engine::{Engine, Outcome};
use crate::heap::{Chunk, Resource};
use crate::produce::{Manner, Source};
use crate::state::State;

/// Maps that stand for several chunks of one resource together, by what the chunks are.
pub(crate) type SummaryCache = FxHashMap<(Resource, Vec<Term>), (Term, Vec<Term>)>;

fn unsupported<T>() -> Outcome<T> {
    Err(Stop::Unknown(verdict::Reason::Unsupported(
        "quantified permissions are not supported yet".to_string(),
    )))
}

impl<'p> Engine<'p> {
    pub(crate) fn lookup_by_shape(&mut self, _: &[Chunk], _: Resource, _: &[Term]) -> Option<Term> {
        None
    }

    pub(crate) fn summary(&mut self, resource: Resource, _chunks: &[Chunk]) -> Term {
        self.fresh_snapshot(resource, &[])
    }

    pub(crate) fn map_lookup(&mut self, _resource: Resource, map: Term, _location: &[Term]) -> Term {
        map
    }

    pub(crate) fn value_snapshot(&mut self, _resource: Resource, value: Term) -> Term {
        value
    }

    pub(crate) fn produce_quantified(
        &mut self,
        _: &mut State,
        _: &ExpressionRef,
        _: Source,
        _: Manner,
        _: &Blame,
    ) -> Outcome<Term> {
        unsupported()
    }

    pub(crate) fn consume_quantified(
        &mut self,
        _: &mut State,
        _: &ExpressionRef,
        _: Manner,
        _: &Blame,
    ) -> Outcome<Term> {
        unsupported()
    }

    pub(crate) fn evaluate_forperm(
        &mut self,
        _: &mut State,
        _: &[LocalId],
        _: &Location,
        _: &ExpressionRef,
        _: &Blame,
        _: Span,
    ) -> Outcome<Term> {
        unsupported()
    }

    pub(crate) fn quasihavoc(
        &mut self,
        _: &mut State,
        _: &[LocalId],
        _: Option<&ExpressionRef>,
        _: &Location,
        _: Span,
    ) -> Outcome<()> {
        unsupported()
    }

    /// A location as a term that a pattern can match.
    pub(crate) fn location_term(&mut self, _: &State, _: Resource, _: &[Term]) -> Outcome<Term> {
        unsupported()
    }
}
