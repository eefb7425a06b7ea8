//! The reference interpreter: the rules of [`crate::model`], written to be read.
//!
//! It keeps a state as plain vectors and walks expressions as trees. The search never uses it; replaying a
//! counterexample, simulation and the tests that judge the compiled successor function do. It shares no
//! code with that function, so an error in one shows up as a disagreement.

mod block;
mod channel;
mod evaluate;
mod state;
mod step;

use crate::model::{Action, EdgeId, Fault, LocationId, Model};
pub use state::{ChannelState, Process, State};

/// One edge of one process, or a handshake of two.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MicroStep {
    pub mover: Executed,
    /// The receiving side of a handshake.
    pub partner: Option<Executed>,
}

/// An edge that was executed, by whom and where.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Executed {
    pub pid: u8,
    pub location: LocationId,
    pub edge: EdgeId,
}

/// A state that a step leads to.
#[derive(Clone, Debug)]
pub struct Move {
    pub step: MicroStep,
    /// `None` where a fault left no state behind. A deterministic block that never ends is entered: this is
    /// the state behind its first statement, and its further statements are moves of their own.
    pub state: Option<State>,
    /// Who keeps exclusive control there.
    pub exclusive: Option<u8>,
    pub fault: Option<Fault>,
}

/// A step between two ordinary states: micro steps with internal states between them.
#[derive(Clone, Debug)]
pub struct MacroMove {
    pub steps: Vec<MicroStep>,
    pub state: Option<State>,
    pub fault: Option<Fault>,
}

#[derive(Clone, Copy)]
pub struct Interpreter<'m> {
    model: &'m Model,
}

impl<'m> Interpreter<'m> {
    pub fn new(model: &'m Model) -> Interpreter<'m> {
        Interpreter { model }
    }

    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// Everything that can happen next. With `exclusive`, only that process may move; an empty answer then
    /// means that it lost control and the state is an ordinary one.
    pub fn moves(&self, state: &State, exclusive: Option<u8>) -> Vec<Move> {
        let moves = self.round(state, exclusive, false);
        if moves.is_empty() && exclusive.is_none() && self.model.uses_timeout {
            return self.round(state, None, true);
        }
        moves
    }

    /// Everything that can happen next, from ordinary state to ordinary state.
    ///
    /// Internal states are visited once for each start, so a loop without an ordinary state ends.
    pub fn macro_moves(&self, state: &State) -> Vec<MacroMove> {
        let mut found = Vec::new();
        let mut internal_seen = std::collections::HashSet::new();
        let mut pending: Vec<(Vec<MicroStep>, State, Option<u8>)> = vec![(Vec::new(), state.clone(), None)];
        while let Some((path, at, exclusive)) = pending.pop() {
            let moves = self.moves(&at, exclusive);
            if moves.is_empty() && exclusive.is_some() {
                found.push(MacroMove { steps: path, state: Some(at), fault: None });
                continue;
            }
            for next in moves {
                let mut steps = path.clone();
                steps.push(next.step);
                if let Some(fault) = next.fault {
                    found.push(MacroMove { steps: steps.clone(), state: None, fault: Some(fault) });
                }
                // No ordinary state comes after this one.
                if next.fault == Some(Fault::StepDoesNotEnd) {
                    continue;
                }
                let Some(reached) = next.state else { continue };
                match next.exclusive {
                    None => found.push(MacroMove { steps, state: Some(reached), fault: None }),
                    Some(pid) => {
                        if internal_seen.insert((reached.clone(), pid)) {
                            pending.push((steps, reached, Some(pid)));
                        }
                    }
                }
            }
        }
        found
    }

    /// May every process rest where it is, and the event trace too?
    pub fn is_valid_end(&self, state: &State) -> bool {
        let trace_rests = self.model.trace.as_ref().is_none_or(|trace| {
            let here = trace.process.location(state.trace);
            here.is_end || here.edges.iter().any(|edge| matches!(edge.actions.first(), Some(Action::End)))
        });
        (trace_rests || state.processes.is_empty())
            && state
                .processes
                .iter()
                .all(|process| self.model.process(process.kind).location(process.location).is_end)
    }
}
