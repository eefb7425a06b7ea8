//! Magic wands: their identity, package, apply and applying.

use silver::typed::{Block, ExpressionRef, Program, Wand};
use smt::Term;
use source::Span;

use crate::blame::{Blame, Stop};
use crate::engine::{Engine, Outcome};
use crate::heap::Resource;
use crate::produce::Manner;
use crate::state::State;

/// The structures of all wands of a program.
#[derive(Clone, Debug, Default)]
pub(crate) struct WandTable {}

impl WandTable {
    pub(crate) fn of(_program: &Program) -> WandTable {
        WandTable {}
    }
}

fn unsupported<T>() -> Outcome<T> {
    Err(Stop::Unknown(verdict::Reason::Unsupported("magic wands are not supported yet".to_string())))
}

impl<'p> Engine<'p> {
    /// The structure of a wand and the values that fix it here.
    pub(crate) fn evaluate_wand(
        &mut self,
        _: &mut State,
        _: &Wand,
        _: &Blame,
    ) -> Outcome<(Resource, Vec<Term>)> {
        unsupported()
    }

    pub(crate) fn package(&mut self, _: State, _: &'p Wand, _: &'p Block, _: Span) -> Outcome<Vec<State>> {
        unsupported()
    }

    pub(crate) fn apply_wand(&mut self, _: &mut State, _: &Wand, _: &Blame) -> Outcome<()> {
        unsupported()
    }

    pub(crate) fn evaluate_applying(
        &mut self,
        _: &mut State,
        _: &Wand,
        _: &ExpressionRef,
        _: &Blame,
    ) -> Outcome<Term> {
        unsupported()
    }

    /// Taking permission while a wand is packaged: from the first heap of the stack that has it.
    #[expect(clippy::too_many_arguments, reason = "stands in for `take`")]
    pub(crate) fn take_in_package(
        &mut self,
        _: &mut State,
        _: Resource,
        _: &[Term],
        _: Term,
        _: bool,
        _: Manner,
        _: &Blame,
        _: Span,
    ) -> Outcome<Term> {
        unsupported()
    }

    /// The same for a quantified permission.
    pub(crate) fn take_quantified_in_package(
        &mut self,
        _: &mut State,
        _: &crate::quantified::Request,
        _: Manner,
        _: &Blame,
    ) -> Outcome<Term> {
        unsupported()
    }
}
