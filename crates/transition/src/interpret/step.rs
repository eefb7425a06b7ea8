//! Which edges can be executed, and what they do.

use super::evaluate::View;
use super::{Executed, Interpreter, MicroStep, Move, State};
use crate::model::{Action, Edge, Fault, LocationId, RunUse};

/// What came of trying an edge.
enum Attempt {
    Blocked,
    /// Executed by the process alone; an assertion may have failed on the way.
    Done(State, Option<Fault>),
    /// A fault that leaves no state.
    Broken(Fault),
    /// A send that needs a partner.
    Offers {
        channel: i32,
        message: Vec<i32>,
    },
}

/// What came of a single action.
pub(super) enum Outcome {
    Blocked,
    Done,
    /// Done, although this went wrong in it.
    Survived(Fault),
    Failed(Fault),
    Offers {
        channel: i32,
        message: Vec<i32>,
    },
}

/// The message on offer while a handshake looks for its receiver.
#[derive(Clone, Copy)]
pub(super) struct Offer<'a> {
    channel: i32,
    message: &'a [i32],
}

/// One of the two processes in a handshake, and its edge.
#[derive(Clone, Copy)]
struct Side<'e> {
    pid: u8,
    edge: &'e Edge,
}

impl Interpreter<'_> {
    /// One round over the processes, with `timeout` as given.
    pub(super) fn round(&self, state: &State, exclusive: Option<u8>, timeout: bool) -> Vec<Move> {
        let view = View { timeout, run_result: state.processes.len() as i32, depth: 0 };
        let pids = match exclusive {
            Some(pid) => pid..pid.saturating_add(1),
            None => 0..state.processes.len() as u8,
        };
        let mut moves = Vec::new();
        for pid in pids {
            if exclusive.is_some()
                && let Some(found) = self.move_inside(state, pid, view)
            {
                moves.push(found);
            } else if self.may_move(state, pid, timeout) {
                self.moves_of(state, pid, view, &mut moves);
            }
        }
        moves
    }

    /// Rule 1: `provided`, and nobody with a higher priority can move.
    fn may_move(&self, state: &State, pid: u8, timeout: bool) -> bool {
        let Some(process) = state.processes.get(usize::from(pid)) else { return false };
        if !self.is_provided(state, pid) {
            return false;
        }
        if !self.model.uses_priorities {
            return true;
        }
        (0..state.processes.len() as u8).all(|other| {
            other == pid
                || state.processes[usize::from(other)].priority <= process.priority
                || !self.is_provided(state, other)
                || !self.is_enabled(state, other, timeout, 0)
        })
    }

    /// Whether its `provided` clause lets a process move.
    pub fn is_provided(&self, state: &State, pid: u8) -> bool {
        let process = &state.processes[usize::from(pid)];
        match &self.model.process(process.kind).provided {
            Some(provided) => self.evaluate(state, pid, &provided.condition).is_ok_and(|value| value != 0),
            None => true,
        }
    }

    /// Has the process an executable edge? A send that needs a partner counts, its partner's receive
    /// does not.
    pub(super) fn is_enabled(&self, state: &State, pid: u8, timeout: bool, depth: u32) -> bool {
        let view = View { timeout, run_result: state.processes.len() as i32, depth };
        let process = &state.processes[usize::from(pid)];
        let edges = &self.model.process(process.kind).location(process.location).edges;
        edges.iter().any(|edge| {
            matches!(edge.actions.first(), Some(Action::Else))
                || !matches!(self.attempt(state, pid, edge, view), Attempt::Blocked)
        })
    }

    /// Rules 2 and 3 for one process.
    fn moves_of(&self, state: &State, pid: u8, view: View, moves: &mut Vec<Move>) {
        let process = &state.processes[usize::from(pid)];
        let process_type = self.model.process(process.kind);
        let mut executed_alone = false;
        let mut escape = 0;
        for (edge_index, edge) in process_type.location(process.location).edges.iter().enumerate() {
            if escape != 0 && escape != edge.escape {
                break;
            }
            if matches!(edge.actions.first(), Some(Action::Else)) && executed_alone {
                continue;
            }
            let mover = Executed { pid, location: process.location, edge: edge_index as u32 };
            let step = MicroStep { mover, partner: None };
            match self.attempt(state, pid, edge, view) {
                Attempt::Blocked => continue,
                Attempt::Broken(fault) => {
                    let entered = (fault == Fault::StepDoesNotEnd)
                        .then(|| self.entered(state, pid, edge, view, None))
                        .flatten();
                    let exclusive = entered.as_ref().map(|_| pid);
                    moves.push(Move { step, state: entered, exclusive, fault: Some(fault) });
                    executed_alone = true;
                }
                Attempt::Done(mut after, mut fault) => {
                    if self.model.uses_last {
                        after.last = pid;
                    }
                    if process_type.deterministic && executed_alone {
                        fault = fault.or(Some(Fault::NotDeterministic));
                    }
                    let exclusive = edge.atomic.then_some(pid);
                    moves.push(Move { step, state: Some(after), exclusive, fault });
                    executed_alone = true;
                }
                Attempt::Offers { channel, message } => {
                    let before = moves.len();
                    self.handshakes(state, mover, edge, Offer { channel, message: &message }, view, moves);
                    if moves.len() == before {
                        continue;
                    }
                    executed_alone = true;
                }
            }
            escape = edge.escape;
        }
    }

    /// Tries an edge on a copy of the state.
    fn attempt(&self, state: &State, pid: u8, edge: &Edge, view: View) -> Attempt {
        let mut after = state.clone();
        let mut fault = None;
        for action in &edge.actions {
            match self.act(&mut after, pid, action, view) {
                Outcome::Blocked => return Attempt::Blocked,
                Outcome::Done => {}
                Outcome::Survived(failed) => fault = fault.or(Some(failed)),
                Outcome::Failed(failed) => return Attempt::Broken(failed),
                Outcome::Offers { channel, message } => return Attempt::Offers { channel, message },
            }
        }
        match self.arrive(&mut after, pid, edge) {
            Ok(()) => Attempt::Done(after, fault),
            Err(failed) => Attempt::Broken(failed),
        }
    }

    /// Resets dead slots and moves the process to the edge's target.
    fn arrive(&self, state: &mut State, pid: u8, edge: &Edge) -> Result<(), Fault> {
        if matches!(edge.actions.last(), Some(Action::End)) {
            return Ok(());
        }
        for place in &edge.resets {
            self.store(state, pid, place, 0)?;
        }
        if let Some(process) = state.processes.get_mut(usize::from(pid)) {
            process.location = edge.target;
        }
        Ok(())
    }

    pub(super) fn act(&self, state: &mut State, pid: u8, action: &Action, view: View) -> Outcome {
        match self.try_act(state, pid, action, view) {
            Ok(outcome) => outcome,
            Err(fault) => Outcome::Failed(fault),
        }
    }

    fn try_act(&self, state: &mut State, pid: u8, action: &Action, view: View) -> Result<Outcome, Fault> {
        let executable = |yes: bool| if yes { Outcome::Done } else { Outcome::Blocked };
        Ok(match action {
            Action::Skip | Action::Else | Action::Print { .. } => Outcome::Done,
            Action::Condition(expr) => executable(self.value(state, pid, expr, view)? != 0),
            Action::Assign(place, expr) => {
                let stored =
                    self.value(state, pid, expr, view).and_then(|value| self.store(state, pid, place, value));
                match stored {
                    Ok(()) => Outcome::Done,
                    Err(fault @ Fault::IndexOutOfRange) => Outcome::Survived(fault),
                    Err(fault) => return Err(fault),
                }
            }
            Action::Assert(expr) => {
                if self.value(state, pid, expr, view)? == 0 {
                    return Ok(Outcome::Survived(Fault::Assertion));
                }
                Outcome::Done
            }
            Action::Send { channel, arguments, sorted } => {
                let number = self.value(state, pid, channel, view)?;
                if self.channel(state, number)?.is_full() {
                    return Ok(if self.model.loses_messages { Outcome::Done } else { Outcome::Blocked });
                }
                let values: Vec<i32> =
                    arguments.iter().map(|a| self.value(state, pid, a, view)).collect::<Result<_, _>>()?;
                let message = self.message(state, number, &values)?;
                if self.channel(state, number)?.capacity == 0 {
                    return Ok(Outcome::Offers { channel: number, message });
                }
                self.put(state, number, message.clone(), *sorted)?;
                self.event(state, true, number, &message)
            }
            Action::Receive { channel, patterns, random, keep } => {
                let number = self.value(state, pid, channel, view)?;
                let Some(position) = self.matching(state, pid, number, patterns, *random, view)? else {
                    return Ok(Outcome::Blocked);
                };
                let message = self.channel(state, number)?.messages[position].clone();
                if !keep {
                    self.take(state, number, position)?;
                }
                self.store_fields(state, pid, &message, patterns)?;
                if *keep { Outcome::Done } else { self.event(state, false, number, &message) }
            }
            Action::Run(run) => {
                if let RunUse::Condition(expr) = &run.then
                    && self.value(state, pid, expr, view)? == 0
                {
                    return Ok(Outcome::Blocked);
                }
                let values: Vec<i32> = run
                    .arguments
                    .iter()
                    .map(|a| self.value(state, pid, a, view))
                    .collect::<Result<_, _>>()?;
                let priority = match &run.priority {
                    Some(expr) => Some(self.value(state, pid, expr, view)?.clamp(1, 255) as u8),
                    None => None,
                };
                self.create(state, run.process, &values, priority)?;
                if let RunUse::Assign(place, expr) = &run.then {
                    let value = self.value(state, pid, expr, view)?;
                    self.store(state, pid, place, value)?;
                }
                Outcome::Done
            }
            Action::SetPriority(of, priority) => {
                let of = self.value(state, pid, of, view)?;
                let priority = self.value(state, pid, priority, view)?.clamp(1, 255) as u8;
                if let Some(process) = usize::try_from(of).ok().and_then(|of| state.processes.get_mut(of)) {
                    process.priority = priority;
                }
                Outcome::Done
            }
            Action::End => {
                if usize::from(pid) + 1 != state.processes.len() {
                    return Ok(Outcome::Blocked);
                }
                self.remove_youngest(state);
                Outcome::Done
            }
            Action::Block(block) => return self.block(state, pid, block, view, None),
        })
    }

    /// Executes the receiving side of a handshake, if this action is one that takes the message.
    pub(super) fn accept(
        &self,
        state: &mut State,
        pid: u8,
        action: &Action,
        view: View,
        offer: Offer<'_>,
    ) -> Result<Outcome, Fault> {
        match action {
            Action::Receive { channel, patterns, keep: false, .. } => {
                let number = self.value(state, pid, channel, view)?;
                if number != offer.channel || !self.fits(state, pid, offer.message, patterns, view)? {
                    return Ok(Outcome::Blocked);
                }
                self.store_fields(state, pid, offer.message, patterns)?;
                match self.event(state, true, number, offer.message) {
                    Outcome::Done => Ok(self.event(state, false, number, offer.message)),
                    survived => Ok(survived),
                }
            }
            Action::Block(block) => self.block(state, pid, block, view, Some(offer)),
            _ => Ok(Outcome::Blocked),
        }
    }

    /// All ways to complete a handshake that `mover` offers.
    fn handshakes(
        &self,
        state: &State,
        mover: Executed,
        sending: &Edge,
        offer: Offer<'_>,
        view: View,
        moves: &mut Vec<Move>,
    ) {
        for pid in 0..state.processes.len() as u8 {
            if pid == mover.pid {
                continue;
            }
            let process = &state.processes[usize::from(pid)];
            let mut escape = 0;
            for (edge_index, edge) in
                self.model.process(process.kind).location(process.location).edges.iter().enumerate()
            {
                if escape != 0 && escape != edge.escape {
                    break;
                }
                let partner = Executed { pid, location: process.location, edge: edge_index as u32 };
                let step = MicroStep { mover, partner: Some(partner) };
                let sender = Side { pid: mover.pid, edge: sending };
                match self.complete(state, sender, Side { pid, edge }, offer, view) {
                    Ok(None) => continue,
                    Ok(Some((after, fault))) => {
                        let exclusive = edge.atomic.then_some(pid);
                        moves.push(Move { step, state: Some(after), exclusive, fault });
                    }
                    Err(fault) => {
                        let entered = (fault == Fault::StepDoesNotEnd)
                            .then(|| self.sender_part(state, sender, view).ok().flatten())
                            .flatten()
                            .and_then(|(after, _)| self.entered(&after, pid, edge, view, Some(offer)));
                        let exclusive = entered.as_ref().map(|_| pid);
                        moves.push(Move { step, state: entered, exclusive, fault: Some(fault) });
                    }
                }
                escape = edge.escape;
            }
        }
    }

    fn complete(
        &self,
        state: &State,
        sender: Side<'_>,
        receiver: Side<'_>,
        offer: Offer<'_>,
        view: View,
    ) -> Result<Option<(State, Option<Fault>)>, Fault> {
        // The sender's part comes first, whatever else its step does included.
        let Some((mut after, mut fault)) = self.sender_part(state, sender, view)? else {
            return Ok(None);
        };
        if !self.may_move(&after, receiver.pid, view.timeout) {
            return Ok(None);
        }
        for (index, action) in receiver.edge.actions.iter().enumerate() {
            let outcome = match index {
                0 => match self.accept(&mut after, receiver.pid, action, view, offer) {
                    Ok(outcome) => outcome,
                    Err(failed) => Outcome::Failed(failed),
                },
                _ => self.act(&mut after, receiver.pid, action, view),
            };
            match outcome {
                Outcome::Done => {}
                Outcome::Blocked | Outcome::Offers { .. } => return Ok(None),
                Outcome::Survived(failed) => fault = fault.or(Some(failed)),
                Outcome::Failed(failed) => return Err(failed),
            }
        }
        self.arrive(&mut after, receiver.pid, receiver.edge)?;
        if self.model.uses_last {
            after.last = receiver.pid;
        }
        Ok(Some((after, fault)))
    }

    /// What a sender does in a handshake besides handing over the message.
    fn sender_part(
        &self,
        state: &State,
        sender: Side<'_>,
        view: View,
    ) -> Result<Option<(State, Option<Fault>)>, Fault> {
        let mut after = state.clone();
        let mut fault = None;
        for action in sender.edge.actions.iter().skip(1) {
            match self.act(&mut after, sender.pid, action, view) {
                Outcome::Done => {}
                Outcome::Survived(failed) => fault = fault.or(Some(failed)),
                Outcome::Failed(failed) => return Err(failed),
                Outcome::Blocked | Outcome::Offers { .. } => return Ok(None),
            }
        }
        self.arrive(&mut after, sender.pid, sender.edge)?;
        Ok(Some((after, fault)))
    }

    /// Lets the event trace see a send or a receive.
    fn event(&self, state: &mut State, is_send: bool, number: i32, message: &[i32]) -> Outcome {
        let Some(trace) = &self.model.trace else { return Outcome::Done };
        let watches = |action: &Action| -> Option<bool> {
            let (send, channel, patterns) = match action {
                Action::Send { channel, .. } => (true, channel, None),
                Action::Receive { channel, patterns, .. } => (false, channel, Some(patterns)),
                _ => return None,
            };
            if send != is_send || self.evaluate(state, 0, channel).ok()? != number {
                return None;
            }
            let fits = match (action, patterns) {
                (_, Some(patterns)) => {
                    self.fits(state, 0, message, patterns, View::default()).unwrap_or(false)
                }
                (Action::Send { arguments, .. }, _) => {
                    arguments.iter().zip(message).all(|(argument, value)| {
                        !argument.is_constant()
                            || self.evaluate(state, 0, argument).is_ok_and(|wanted| wanted == *value)
                    })
                }
                _ => false,
            };
            Some(fits)
        };
        let in_scope = trace
            .process
            .locations
            .iter()
            .flat_map(|location| &location.edges)
            .any(|edge| edge.actions.first().is_some_and(|action| watches(action).is_some()));
        if !in_scope {
            return Outcome::Done;
        }
        let here = trace.process.location(state.trace);
        let next = here
            .edges
            .iter()
            .find(|edge| edge.actions.first().and_then(watches) == Some(true))
            .map(|edge| edge.target);
        let ends = |at: LocationId| {
            trace
                .process
                .location(at)
                .edges
                .iter()
                .any(|edge| matches!(edge.actions.first(), Some(Action::End)))
        };
        match next {
            Some(target) => {
                state.trace = target;
                if trace.forbidden && ends(target) {
                    Outcome::Survived(Fault::EventTrace)
                } else {
                    Outcome::Done
                }
            }
            None if trace.forbidden => {
                let end = (0..trace.process.locations.len() as u32).map(LocationId).find(|at| ends(*at));
                state.trace = end.unwrap_or(state.trace);
                Outcome::Done
            }
            None => Outcome::Survived(Fault::EventTrace),
        }
    }
}
