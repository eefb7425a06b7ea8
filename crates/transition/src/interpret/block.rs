//! Deterministic blocks: run as one step, or followed statement by statement where they have no end.

use super::evaluate::View;
use super::step::{Offer, Outcome};
use super::{Executed, Interpreter, MicroStep, Move, State};
use crate::limits;
use crate::model::{Action, DeterministicBlock, Edge, Fault, LocationId, Statement};

impl Interpreter<'_> {
    /// Runs a deterministic block; with an offer, its first step must take the offered message.
    pub(super) fn block(
        &self,
        state: &mut State,
        pid: u8,
        block: &DeterministicBlock,
        view: View,
        offer: Option<Offer<'_>>,
    ) -> Result<Outcome, Fault> {
        let locations = &self.model.process(state.processes[usize::from(pid)].kind).locations;
        let mut at = block.entry;
        let mut offer = offer;
        let mut survived = None;
        let mut mark: Option<(LocationId, State)> = None;
        for steps in 0..self.model.block_step_limit {
            if at == block.exit {
                return Ok(survived.map_or(Outcome::Done, Outcome::Survived));
            }
            if mark.as_ref().is_some_and(|(location, known)| *location == at && known == state) {
                return Err(Fault::StepDoesNotEnd);
            }
            if steps >= limits::SUSPICIOUS_STEPS && steps.is_power_of_two() {
                mark = Some((at, state.clone()));
            }
            let mut taken = None;
            for edge in &locations[at.0 as usize].edges {
                if let Some(next) = self.block_edge(state, pid, edge, view, offer, &mut survived)? {
                    taken = Some(next);
                    break;
                }
            }
            match taken {
                Some(next) => at = next,
                None if steps == 0 => return Ok(Outcome::Blocked),
                None => return Err(Fault::BlockInStep),
            }
            offer = None;
        }
        Err(Fault::StepDoesNotEnd)
    }

    /// Tries one edge within a block; the location it leads to, if it could be executed.
    fn block_edge(
        &self,
        state: &mut State,
        pid: u8,
        edge: &Edge,
        view: View,
        offer: Option<Offer<'_>>,
        survived: &mut Option<Fault>,
    ) -> Result<Option<LocationId>, Fault> {
        for (index, action) in edge.actions.iter().enumerate() {
            let outcome = match (offer, index) {
                (Some(offer), 0) => self.accept(state, pid, action, view, offer)?,
                _ => self.act(state, pid, action, view),
            };
            match outcome {
                Outcome::Done => {}
                Outcome::Survived(fault) => *survived = survived.or(Some(fault)),
                Outcome::Failed(fault) => return Err(fault),
                Outcome::Blocked if index == 0 => return Ok(None),
                Outcome::Blocked | Outcome::Offers { .. } => return Err(Fault::BlockInStep),
            }
        }
        for place in &edge.resets {
            self.store(state, pid, place, 0)?;
        }
        Ok(Some(edge.target))
    }

    /// The statement inside of a deterministic block at which a step goes wrong; `None` where the step is no such block.
    pub fn statement_at_fault(&self, state: &State, mover: Executed, fault: Fault) -> Option<&Statement> {
        let kind = state.processes.get(usize::from(mover.pid))?.kind;
        let process_type = self.model.process(kind);
        let edge = process_type.location(mover.location).edges.get(mover.edge as usize)?;
        let Some(Action::Block(block)) = edge.actions.first() else { return None };
        let (mut at, mut now) = (block.entry, state.clone());
        for _ in 0..self.model.block_step_limit {
            if at == block.exit {
                return None;
            }
            let edges = &process_type.location(at).edges;
            let (edge, after, found) = edges.iter().find_map(|edge| {
                let (after, found) = self.follow_in_block(&now, mover.pid, edge, fault)?;
                Some((edge, after, found))
            })?;
            if let Some(index) = found {
                return edge.statements.get(index);
            }
            (at, now) = (edge.target, after);
        }
        None
    }

    /// Executes one edge of a block up to the action with a fault, and says which that is; `None` where it is blocked.
    fn follow_in_block(
        &self,
        state: &State,
        pid: u8,
        edge: &Edge,
        fault: Fault,
    ) -> Option<(State, Option<usize>)> {
        let mut after = state.clone();
        for (index, action) in edge.actions.iter().enumerate() {
            match self.act(&mut after, pid, action, View::default()) {
                Outcome::Survived(found) | Outcome::Failed(found) if found == fault => {
                    return Some((after, Some(index)));
                }
                Outcome::Done | Outcome::Survived(_) => {}
                Outcome::Failed(_) | Outcome::Blocked | Outcome::Offers { .. } => return None,
            }
        }
        for place in &edge.resets {
            self.store(&mut after, pid, place, 0).ok()?;
        }
        Some((after, None))
    }

    /// The state behind the first statement of a block that never ends.
    pub(super) fn entered(
        &self,
        state: &State,
        pid: u8,
        edge: &Edge,
        view: View,
        offer: Option<Offer<'_>>,
    ) -> Option<State> {
        let Some(Action::Block(block)) = edge.actions.first() else { return None };
        self.step_inside(state, pid, block.entry, view, offer).map(|(_, after, _)| after)
    }

    /// The only move of a process that is inside such a block; `None` where it is not.
    pub(super) fn move_inside(&self, state: &State, pid: u8, view: View) -> Option<Move> {
        let process = state.processes.get(usize::from(pid))?;
        let at = process.location;
        if !self.model.process(process.kind).location(at).in_step {
            return None;
        }
        let (edge, after, fault) = self.step_inside(state, pid, at, view, None)?;
        let step = MicroStep { mover: Executed { pid, location: at, edge }, partner: None };
        Some(Move { step, state: Some(after), exclusive: Some(pid), fault })
    }

    /// Takes the first executable edge of a location within a block: its index, and what comes of it.
    fn step_inside(
        &self,
        state: &State,
        pid: u8,
        at: LocationId,
        view: View,
        offer: Option<Offer<'_>>,
    ) -> Option<(u32, State, Option<Fault>)> {
        let kind = state.processes.get(usize::from(pid))?.kind;
        for (index, edge) in self.model.process(kind).location(at).edges.iter().enumerate() {
            let mut after = state.clone();
            let mut survived = None;
            match self.block_edge(&mut after, pid, edge, view, offer, &mut survived) {
                Ok(Some(target)) => {
                    after.processes.get_mut(usize::from(pid))?.location = target;
                    if self.model.uses_last {
                        after.last = pid;
                    }
                    return Some((index as u32, after, survived));
                }
                Ok(None) => {}
                Err(_) => return None,
            }
        }
        None
    }
}
