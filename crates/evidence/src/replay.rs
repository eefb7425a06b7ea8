//! Replaying a run on the unreduced model.
//!
//! A search may execute several statements as one step. What it says of a step are the statements'
//! numbers; the replay finds, for each of them in turn, the edge with that number which the process can
//! execute now. Where statements are merged, jumps are places of their own in one graph and passed over in
//! the other, either way round (as in SPIN, whose counts depend on it). They change nothing but the place,
//! so the two runs are the same up to jumps: one that the search passed over is taken here when needed, one
//! that was passed over here is not asked for again, and those that are left at the end are taken there.

use transition::interpret::{Interpreter, MicroStep, Move, State};
use transition::model::{Action, Fault};

/// One micro step of a search, told by statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goal {
    pub mover: GoalSide,
    /// The receiving side of a handshake.
    pub partner: Option<GoalSide>,
}

/// The statements one process executes, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoalSide {
    pub pid: u8,
    pub statements: Vec<GoalStatement>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GoalStatement {
    pub number: u32,
    /// It does nothing but lead elsewhere.
    pub is_jump: bool,
}

/// A step of the unreduced model with the state it leads to.
#[derive(Clone, Debug)]
pub struct Replayed {
    pub step: MicroStep,
    /// The state before it, which for a fault may be all there is.
    pub before: State,
    pub after: Option<State>,
    /// The step was made in exclusive control: the state before it is inside an atomic sequence.
    pub inside: bool,
    /// The process that keeps exclusive control after it.
    pub exclusive: Option<u8>,
    pub fault: Option<Fault>,
}

/// More jumps than this in a row are not passed over.
const JUMP_LIMIT: usize = 1000;
/// How often a cycle is repeated until it closes. Variables that a reduction takes for dead may need a
/// round to settle, not many.
const ROUND_LIMIT: usize = 64;

struct Replay<'m> {
    interpreter: Interpreter<'m>,
    state: State,
    exclusive: Option<u8>,
    steps: Vec<Replayed>,
}

/// Replays a finite run. The last step may end in a fault.
pub fn replay_path(interpreter: Interpreter<'_>, goals: &[Goal]) -> Result<Vec<Replayed>, String> {
    let mut replay = Replay::new(interpreter)?;
    replay.follow_all(goals)?;
    Ok(replay.steps)
}

/// Replays a run that ends where nothing can move.
pub fn replay_to_rest(interpreter: Interpreter<'_>, goals: &[Goal]) -> Result<Vec<Replayed>, String> {
    let mut replay = Replay::new(interpreter)?;
    replay.follow_all(goals)?;
    replay.come_to_rest()?;
    Ok(replay.steps)
}

/// Replays a stem and a cycle that lies inside an atomic sequence which is never left.
pub fn replay_endless(
    interpreter: Interpreter<'_>,
    stem: &[Goal],
    cycle: &[Goal],
) -> Result<(Vec<Replayed>, Vec<Replayed>), String> {
    let mut replay = Replay::new(interpreter)?;
    replay.follow_all(stem)?;
    let mut rounds = vec![(replay.state.clone(), replay.exclusive, replay.steps.len())];
    for _ in 0..ROUND_LIMIT {
        replay.follow_all(cycle)?;
        let again =
            rounds.iter().find(|(state, holder, _)| *state == replay.state && *holder == replay.exclusive);
        if let Some((_, holder, start)) = again {
            let cycle = replay.steps.split_off(*start);
            let stays = holder.is_some() && cycle.iter().all(|step| step.inside);
            return if stays {
                Ok((replay.steps, cycle))
            } else {
                Err("the cycle leaves the atomic sequence".to_string())
            };
        }
        rounds.push((replay.state.clone(), replay.exclusive, replay.steps.len()));
    }
    Err("the cycle does not come back to where it began".to_string())
}

/// Replays a stem and a cycle; what comes back closes exactly: the state after the cycle is the state
/// before it. An empty cycle is a run that ends.
pub fn replay_lasso(
    interpreter: Interpreter<'_>,
    stem: &[Goal],
    cycle: &[Goal],
) -> Result<(Vec<Replayed>, Vec<Replayed>), String> {
    let mut replay = Replay::new(interpreter)?;
    replay.follow_all(stem)?;
    if cycle.is_empty() {
        replay.come_to_rest()?;
        return Ok((replay.steps, Vec::new()));
    }
    replay.leave_atomic()?;
    let mut rounds: Vec<(State, usize)> = vec![(replay.state.clone(), replay.steps.len())];
    for _ in 0..ROUND_LIMIT {
        replay.follow_all(cycle)?;
        replay.leave_atomic()?;
        if let Some((_, start)) = rounds.iter().find(|(state, _)| *state == replay.state) {
            let cycle = replay.steps.split_off(*start);
            return Ok((replay.steps, cycle));
        }
        rounds.push((replay.state.clone(), replay.steps.len()));
    }
    Err("the cycle does not come back to where it began".to_string())
}

impl<'m> Replay<'m> {
    fn new(interpreter: Interpreter<'m>) -> Result<Replay<'m>, String> {
        let state = interpreter.initial().map_err(|fault| format!("there is no initial state: {fault:?}"))?;
        Ok(Replay { interpreter, state, exclusive: None, steps: Vec::new() })
    }

    fn follow_all(&mut self, goals: &[Goal]) -> Result<(), String> {
        goals.iter().enumerate().try_for_each(|(index, goal)| {
            self.follow(goal)
                .map_err(|error| format!("step {} of the run does not replay: {error}", index + 1))
        })
    }

    fn follow(&mut self, goal: &Goal) -> Result<(), String> {
        let first = |side: &GoalSide| side.statements.first().copied();
        let (Some(statement), partner) = (first(&goal.mover), &goal.partner) else {
            return Err("it executes nothing".to_string());
        };
        let handshake = match partner {
            Some(side) => match first(side) {
                Some(statement) => Some((side.pid, statement.number)),
                None => return Err("its partner executes nothing".to_string()),
            },
            None => None,
        };
        self.execute(goal.mover.pid, statement, handshake)?;
        for statement in goal.mover.statements.iter().skip(1) {
            self.execute(goal.mover.pid, *statement, None)?;
        }
        for side in partner.iter() {
            for statement in side.statements.iter().skip(1) {
                self.execute(side.pid, *statement, None)?;
            }
        }
        Ok(())
    }

    /// Executes the edge with this statement, after as many jumps as it takes to get there.
    fn execute(&mut self, pid: u8, wanted: GoalStatement, partner: Option<(u8, u32)>) -> Result<(), String> {
        // After a fault that leaves no state there is nothing to go on with.
        if self.steps.last().is_some_and(|step| step.after.is_none()) {
            return Ok(());
        }
        for _ in 0..JUMP_LIMIT {
            let moves = self.interpreter.moves(&self.state, self.exclusive);
            if moves.is_empty() && self.exclusive.is_some() {
                self.exclusive = None;
                continue;
            }
            let fits = |found: &&Move| {
                found.step.mover.pid == pid
                    && self.number(found, false) == Some(wanted.number)
                    && match (partner, found.step.partner) {
                        (None, None) => true,
                        (Some((pid, statement)), Some(there)) => {
                            there.pid == pid && self.number(found, true) == Some(statement)
                        }
                        _ => false,
                    }
            };
            // A fault and the state after it are two moves of the same edge in a failed assertion's case.
            if let Some(found) = moves.iter().find(fits) {
                let found = found.clone();
                self.take(found);
                return Ok(());
            }
            let jumper = self.exclusive.unwrap_or(pid);
            let jump =
                moves.into_iter().find(|found| found.step.mover.pid == jumper && self.is_only_jump(found));
            match jump {
                Some(jump) => self.take(jump),
                // The way here did not lead through that jump.
                None if wanted.is_jump => return Ok(()),
                None => {
                    return Err(format!("process {pid} cannot execute statement {} here", wanted.number));
                }
            }
        }
        Err(format!("process {pid} jumps without end"))
    }

    /// Takes the jumps that are left in an atomic sequence, so that the state is one a search has seen.
    fn leave_atomic(&mut self) -> Result<(), String> {
        for _ in 0..JUMP_LIMIT {
            let Some(pid) = self.exclusive else { return Ok(()) };
            let moves = self.interpreter.moves(&self.state, self.exclusive);
            match moves.into_iter().find(|found| found.step.mover.pid == pid && self.is_only_jump(found)) {
                Some(jump) => self.take(jump),
                None => self.exclusive = None,
            }
        }
        Err("an atomic sequence jumps without end".to_string())
    }

    /// Takes all jumps that are left where nothing else is: the search has seen a state that nobody leaves.
    fn come_to_rest(&mut self) -> Result<(), String> {
        self.leave_atomic()?;
        for _ in 0..JUMP_LIMIT {
            let moves = self.interpreter.moves(&self.state, None);
            if moves.is_empty() || self.all_fail() {
                return Ok(());
            }
            let Some(jump) = moves.into_iter().find(|found| self.is_only_jump(found)) else {
                return Err("the run is said to end, but something can move".to_string());
            };
            self.take(jump);
            self.leave_atomic()?;
        }
        Err("the run is said to end, but jumps without end".to_string())
    }

    /// Does everything that can happen next end in an error, at once or inside an atomic sequence?
    fn all_fail(&self) -> bool {
        self.interpreter.macro_moves(&self.state).iter().all(|found| found.state.is_none())
    }

    fn take(&mut self, found: Move) {
        let inside = self.exclusive.is_some();
        let before = self.state.clone();
        if let Some(after) = &found.state {
            self.state = after.clone();
        }
        self.exclusive = found.exclusive;
        let (step, after, exclusive, fault) = (found.step, found.state, found.exclusive, found.fault);
        self.steps.push(Replayed { step, before, after, inside, exclusive, fault });
    }

    fn number(&self, found: &Move, of_partner: bool) -> Option<u32> {
        let executed = if of_partner { found.step.partner? } else { found.step.mover };
        let process = self.state.processes.get(usize::from(executed.pid))?;
        let location = self.interpreter.model().process(process.kind).location(executed.location);
        let edge = location.edges.get(executed.edge as usize)?;
        edge.statements.first().map(|statement| statement.number)
    }

    /// Does nothing but lead elsewhere, and from there nothing else does: who comes here must go this way.
    fn is_only_jump(&self, found: &Move) -> bool {
        let executed = found.step.mover;
        let Some(process) = self.state.processes.get(usize::from(executed.pid)) else { return false };
        let location = self.interpreter.model().process(process.kind).location(executed.location);
        matches!(location.edges.as_slice(), [edge] if matches!(edge.actions.as_slice(), [Action::Skip]))
    }
}
