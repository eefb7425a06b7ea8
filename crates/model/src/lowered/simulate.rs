//! A run on the reference interpreter, statement by statement.

use std::sync::Arc;

use evidence::{Names, Replayed};
use source::SourceMap;
use transition::interpret::{Interpreter, State};
use verdict::{Snapshot, Waiting};

use super::Lowering;
use crate::simulate::{Ahead, Steps, Unstarted, Walk};

pub(super) struct Interpreted<'m> {
    lowering: Arc<Lowering>,
    sources: &'m SourceMap,
}

/// A state, and who is in exclusive control there.
type Position = (State, Option<u8>);

/// At the initial state.
pub(super) fn start(
    lowering: Arc<Lowering>,
    sources: &SourceMap,
) -> Result<Walk<Interpreted<'_>>, Unstarted> {
    let initial = Interpreter::new(&lowering.model).initial();
    let state =
        initial.map_err(|fault| Unstarted::NoInitialState(evidence::explain_fault(fault).to_string()))?;
    Ok(Walk::new(Interpreted { lowering, sources }, (state, None)))
}

impl Interpreted<'_> {
    fn names(&self) -> Names<'_> {
        Names { model: &self.lowering.model, sources: self.sources }
    }

    fn interpreter(&self) -> Interpreter<'_> {
        Interpreter::new(&self.lowering.model)
    }
}

impl Steps for Interpreted<'_> {
    type Position = Position;

    fn steps(&self, (state, exclusive): &mut Position) -> Result<Vec<Ahead<Position>>, String> {
        let mut moves = self.interpreter().moves(state, *exclusive);
        if moves.is_empty() && exclusive.take().is_some() {
            moves = self.interpreter().moves(state, None);
        }
        let names = self.names();
        let ahead = moves.into_iter().map(|found| Ahead {
            step: names.step(&Replayed {
                step: found.step,
                before: state.clone(),
                after: found.state.clone(),
                inside: exclusive.is_some(),
                exclusive: found.exclusive,
                fault: found.fault,
            }),
            fault: found.fault.map(evidence::explain_fault),
            next: found.state.map(|after| (after, found.exclusive)),
        });
        Ok(ahead.collect())
    }

    fn snapshot(&self, (state, _): &Position) -> Snapshot {
        evidence::snapshot(&self.names(), state)
    }

    fn is_valid_end(&self, (state, _): &Position) -> bool {
        self.interpreter().is_valid_end(state)
    }

    fn waiting(&self, (state, _): &Position) -> Vec<Waiting> {
        evidence::waiting(&self.names(), state)
    }
}
