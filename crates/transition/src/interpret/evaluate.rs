//! The value of an expression in a state, seen by one process.

use super::{Interpreter, State};
use crate::limits;
use crate::model::{Binary, Expr, Fault, Place, ProcessTypeId, Scope, Unary};

/// What an expression sees besides the state.
#[derive(Clone, Copy, Default)]
pub(super) struct View {
    pub(super) timeout: bool,
    pub(super) run_result: i32,
    /// How many `enabled` we are inside of.
    pub(super) depth: u32,
}

impl Interpreter<'_> {
    /// The value for the process `pid`, with `timeout` false.
    pub fn evaluate(&self, state: &State, pid: u8, expr: &Expr) -> Result<i32, Fault> {
        self.value(state, pid, expr, View::default())
    }

    /// The value of an expression that belongs to no process: an atom of a formula, a condition of a claim.
    pub fn evaluate_for_nobody(&self, state: &State, expr: &Expr) -> Result<i32, Fault> {
        // No process has this pid: there are at most 255.
        self.value(state, u8::MAX, expr, View::default())
    }

    pub(super) fn value(&self, state: &State, pid: u8, expr: &Expr, view: View) -> Result<i32, Fault> {
        let go = |e: &Expr| self.value(state, pid, e, view);
        Ok(match expr {
            Expr::Constant(value) => *value,
            Expr::Load(place) => self.load(state, pid, place, view)?,
            Expr::Unary(operator, operand) => {
                let value = go(operand)?;
                match operator {
                    Unary::Negate => value.wrapping_neg(),
                    Unary::Not => i32::from(value == 0),
                    Unary::Complement => !value,
                }
            }
            Expr::Binary(Binary::And, left, right) => i32::from(go(left)? != 0 && go(right)? != 0),
            Expr::Binary(Binary::Or, left, right) => i32::from(go(left)? != 0 || go(right)? != 0),
            Expr::Binary(operator, left, right) => operator.apply(go(left)?, go(right)?)?,
            Expr::Conditional(parts) => {
                if go(&parts.0)? != 0 {
                    go(&parts.1)?
                } else {
                    go(&parts.2)?
                }
            }
            Expr::Pid => i32::from(pid),
            Expr::ProcessCount => state.processes.len() as i32,
            Expr::Last => i32::from(state.last),
            Expr::Timeout => i32::from(view.timeout),
            Expr::NonProgress => i32::from(
                !state
                    .processes
                    .iter()
                    .any(|process| self.model.process(process.kind).location(process.location).is_progress),
            ),
            Expr::Length(channel) => self.channel(state, go(channel)?)?.messages.len() as i32,
            Expr::Empty(channel) => i32::from(self.channel(state, go(channel)?)?.messages.is_empty()),
            Expr::NotEmpty(channel) => i32::from(!self.channel(state, go(channel)?)?.messages.is_empty()),
            Expr::Full(channel) => i32::from(self.channel(state, go(channel)?)?.is_full()),
            Expr::NotFull(channel) => i32::from(!self.channel(state, go(channel)?)?.is_full()),
            Expr::Poll { channel, patterns, random } => {
                let number = go(channel)?;
                if self.channel(state, number)?.capacity == 0 {
                    0
                } else {
                    i32::from(self.matching(state, pid, number, patterns, *random, view)?.is_some())
                }
            }
            Expr::Enabled(of) => {
                let of = go(of)?;
                match u8::try_from(of) {
                    Ok(of)
                        if usize::from(of) < state.processes.len()
                            && of != pid
                            && view.depth < limits::ENABLED_DEPTH =>
                    {
                        i32::from(self.is_enabled(state, of, view.timeout, view.depth + 1))
                    }
                    _ => 0,
                }
            }
            Expr::ProgramCounter(of) => {
                let of = go(of)?;
                usize::try_from(of)
                    .ok()
                    .and_then(|of| state.processes.get(of))
                    .map_or(0, |p| p.location.0 as i32)
            }
            Expr::Priority(of) => {
                let of = go(of)?;
                usize::try_from(of)
                    .ok()
                    .and_then(|of| state.processes.get(of))
                    .map_or(0, |p| i32::from(p.priority))
            }
            Expr::FirstOfType(kind) => {
                state.processes.iter().position(|process| process.kind == *kind).map_or(-1, |pid| pid as i32)
            }
            Expr::RemoteAt { process, pid: of, locations } => {
                let of = go(of)?;
                match self.remote(state, *process, of) {
                    Some(of) => i32::from(locations.contains(&state.processes[usize::from(of)].location)),
                    None => 0,
                }
            }
            Expr::RemoteLoad { process, pid: of, place } => {
                let of = go(of)?;
                match self.remote(state, *process, of) {
                    Some(of) => self.load(state, of, place, view)?,
                    None => 0,
                }
            }
            Expr::RunResult => view.run_result,
        })
    }

    /// The pid, if that process exists and is of this type.
    fn remote(&self, state: &State, kind: ProcessTypeId, pid: i32) -> Option<u8> {
        let process = state.processes.get(usize::try_from(pid).ok()?)?;
        (process.kind == kind).then_some(pid as u8)
    }

    fn load(&self, state: &State, pid: u8, place: &Place, view: View) -> Result<i32, Fault> {
        let slot = self.slot(state, pid, place, view)?;
        let slots = match place.scope {
            Scope::Global => Some(&state.globals),
            Scope::Local => state.processes.get(usize::from(pid)).map(|process| &process.locals),
        };
        Ok(slots.and_then(|slots| slots.get(slot)).copied().unwrap_or(0))
    }

    /// Which slot a place means now.
    pub(super) fn slot(&self, state: &State, pid: u8, place: &Place, view: View) -> Result<usize, Fault> {
        let mut slot = place.slot as usize;
        for index in &place.indices {
            let value = self.value(state, pid, &index.value, view)?;
            match u32::try_from(value) {
                Ok(value) if value < index.length => slot += (value * index.stride) as usize,
                _ => return Err(Fault::IndexOutOfRange),
            }
        }
        Ok(slot)
    }

    /// Stores a value, cut to what the slot keeps.
    pub(super) fn store(&self, state: &mut State, pid: u8, place: &Place, value: i32) -> Result<(), Fault> {
        let slot = self.slot(state, pid, place, View::default())?;
        if let Some(target) = self.slots(state, pid, place.scope).and_then(|slots| slots.get_mut(slot)) {
            *target = place.scalar.cut(value);
        }
        Ok(())
    }
}
