//! All schedules of a program, within a bound.
//!
//! Between two points where threads compete, the order of their steps makes no difference in a program without data
//! races, and races are found by clocks in any order. Threads compete for locks and shared invariants only, so only
//! who gets these is tried in all ways, and every arbitrary choice.

use std::collections::{BTreeMap, BTreeSet};

use pvl::resolve::Resolution;
use pvl::syntax::tree::{Expression, NodeId, Routine};

use super::assertions::Truth;
use super::calls::Start;
use super::entries::Recipe;
use super::execute::Halt;
use super::machine::{Machine, Manner};
use super::state::{Activity, Clock, Env, State, Task, Thread};
use super::stop::{Failure, Result, Stop};
use super::value::Value;

/// How many runs of a method on its arguments are looked at, and how many steps they have together.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    pub runs: usize,
    pub steps: usize,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { runs: 200, steps: 400_000 }
    }
}

/// What the runs of one entry came to.
#[derive(Clone, Default, Debug)]
pub struct Exploration {
    pub runs: usize,
    /// The first failure.
    pub failure: Option<Failure>,
    /// Why a run was given up, if one was.
    pub unknown: Option<String>,
    pub pruned: usize,
    pub deadlocks: usize,
    pub most_threads: usize,
    /// Offsets in the text of statements and ends of blocks that were reached.
    pub reached: BTreeSet<usize>,
    /// What was seen where a hole is.
    pub(super) holes: BTreeMap<i128, BTreeSet<i128>>,
    /// Whether all runs were looked at.
    pub complete: bool,
    pub steps: usize,
}

/// Runs a routine without `this` on these arguments in all ways.
pub(super) fn explore<'t>(
    resolution: &'t Resolution<'t>,
    routine: NodeId,
    recipe: &Recipe,
    manner: Manner,
    bounds: Bounds,
) -> Exploration {
    let mut machine = Machine::new(resolution, manner);
    let mut result = Exploration { complete: true, ..Exploration::default() };
    match begin(&mut machine, routine, recipe) {
        Ok(()) => {}
        Err(Stop::Fail(_) | Stop::Pruned) => {
            result.pruned += 1;
            return result;
        }
        Err(Stop::Unknown(why)) => {
            result.unknown = Some(why);
            return result;
        }
    }
    let mut open: Vec<State<'t>> = vec![std::mem::take(&mut machine.state)];
    let mut steps = 0;
    while let Some(state) = open.pop() {
        if result.runs >= bounds.runs || steps > bounds.steps {
            result.complete = false;
            break;
        }
        machine.state = state;
        machine.view = None;
        machine.depth = 0;
        let outcome = advance(&mut machine, &mut open);
        steps += machine.steps;
        machine.steps = 0;
        result.most_threads = result.most_threads.max(machine.state.threads.len());
        match outcome {
            Ok(End::Forked) => {}
            Ok(End::Finished) => result.runs += 1,
            Ok(End::Stuck) => {
                result.runs += 1;
                result.deadlocks += 1;
            }
            Err(Stop::Pruned) => result.pruned += 1,
            Err(Stop::Unknown(why)) => {
                result.runs += 1;
                result.complete = false;
                result.unknown.get_or_insert(why);
            }
            Err(Stop::Fail(failure)) => {
                result.runs += 1;
                result.failure = Some(failure);
                break;
            }
        }
    }
    result.reached = std::mem::take(&mut machine.reached);
    result.steps = steps;
    result.holes = std::mem::take(&mut machine.holes);
    result
}

enum End {
    /// Other states go on.
    Forked,
    Finished,
    /// Everybody waits for somebody.
    Stuck,
}

fn begin<'t>(machine: &mut Machine<'t>, routine: NodeId, recipe: &Recipe) -> Result<()> {
    let Some(Routine::Method(method)) = machine.resolution.items.routines.get(&routine).copied() else {
        return Err(Stop::unknown("a method"));
    };
    machine.state.threads.push(Thread {
        frames: Vec::new(),
        clock: Clock::default(),
        is_done: false,
        choice: None,
    });
    machine.state.threads[0].clock.tick(0);
    machine.make_statics()?;
    let this = recipe.this.as_ref().map(|this| this.make(machine)).transpose()?;
    let arguments = recipe.arguments.iter().map(|it| it.make(machine)).collect::<Result<Vec<Value>>>()?;
    // What the precondition asks for must really be there.
    let ids = method.parameters.iter().map(|parameter| parameter.id);
    let variables = ids.zip(arguments.iter().cloned()).collect();
    let mut env = Env { this: this.clone(), variables, ..Env::default() };
    let clauses: Vec<&Expression> =
        method.contract.everywhere().chain(method.contract.preconditions()).collect();
    match machine.all_hold(&mut env, &clauses)? {
        Truth::True => {}
        Truth::False(..) => return Err(Stop::Pruned),
        Truth::Unknown => return Err(Stop::unknown("a precondition")),
    }
    let start = Start {
        activity: Activity::Entry(routine),
        contract: Some(&method.contract),
        parameters: &method.parameters,
        body: method.body.as_ref(),
        this,
        arguments,
        given: Vec::new(),
        types: Vec::new(),
    };
    let frame = machine.enter(start)?;
    machine.state.threads[0].frames.push(frame);
    Ok(())
}

/// Runs everything that does not compete, then forks over what does.
fn advance<'t>(machine: &mut Machine<'t>, open: &mut Vec<State<'t>>) -> Result<End> {
    loop {
        let mut moved = false;
        let mut number = 0;
        while number < machine.state.threads.len() {
            if !machine.state.threads[number].is_done && !competes(&machine.state.threads[number]) {
                machine.thread = number;
                match machine.run_thread()? {
                    Halt::Choice(count) => {
                        for choice in (0..count).rev() {
                            let mut state = machine.state.clone();
                            state.threads[number].choice = Some(choice);
                            open.push(state);
                        }
                        return Ok(End::Forked);
                    }
                    Halt::Done => moved = true,
                    Halt::Blocked(some) => moved = moved || some,
                }
            }
            number += 1;
        }
        moved = machine.barriers()? || moved;
        if !moved {
            break;
        }
    }
    let mut ready = Vec::new();
    for number in 0..machine.state.threads.len() {
        if !machine.state.threads[number].is_done && competes(&machine.state.threads[number]) {
            machine.thread = number;
            if machine.can_acquire()? {
                ready.push(number);
            }
        }
    }
    if ready.is_empty() {
        let all_done = machine.state.threads.iter().all(|thread| thread.is_done);
        return Ok(if all_done { End::Finished } else { End::Stuck });
    }
    let state = machine.state.clone();
    for number in ready.into_iter().rev() {
        machine.state = state.clone();
        machine.thread = number;
        machine.acquire()?;
        open.push(std::mem::take(&mut machine.state));
    }
    machine.state = state;
    Ok(End::Forked)
}

fn competes(thread: &Thread<'_>) -> bool {
    let task = thread.frames.last().and_then(|frame| frame.tasks.last());
    matches!(task, Some(Task::Acquire(_)))
}
