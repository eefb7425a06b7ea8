//! Par blocks: threads that start together, wait for each other at barriers, and are waited for.

use pvl::syntax::tree::{Expression, NodeId, ParRegion, ParRegionKind, Statement};

use super::machine::Machine;
use super::state::{Activity, Clock, Env, Frame, Iteration, Planned, Task, Team};
use super::stop::{Result, Stop};
use super::value::Value;

impl<'t> Machine<'t> {
    pub(super) fn region(&mut self, frame: &mut Frame<'t>, planned: Planned<'t>) -> Result<()> {
        match planned {
            Planned::Sequential(parts) => frame.tasks.extend(parts.into_iter().rev().map(Task::Region)),
            Planned::Parallel(parts) => {
                for part in &parts {
                    if matches!(part, Planned::Block(..)) {
                        self.block_clauses(&mut frame.env, part, true)?;
                    }
                }
                let (mut threads, mut blocks) = (Vec::new(), Vec::new());
                for part in parts {
                    if let Planned::Block(region, bounds) = &part {
                        threads.extend(self.start_block(frame, region, bounds)?);
                        blocks.push(part);
                    } else {
                        let tasks = vec![Task::Region(part)];
                        let env = frame.env.clone();
                        let arguments = Vec::new();
                        let values = Vec::new();
                        let activity = Activity::Coordinator;
                        let child = Frame { activity, env, arguments, tasks, values };
                        threads.push(self.state.start(Some(self.thread), child));
                    }
                }
                frame.tasks.push(Task::Await(threads, blocks));
            }
            Planned::Block(region, bounds) => {
                let block = Planned::Block(region, bounds.clone());
                self.block_clauses(&mut frame.env, &block, true)?;
                let threads = self.start_block(frame, region, &bounds)?;
                frame.tasks.push(Task::Await(threads, vec![block]));
            }
        }
        Ok(())
    }

    /// One half of the contract of a block, for all of its threads together.
    pub(super) fn block_clauses(&mut self, env: &mut Env, block: &Planned<'t>, before: bool) -> Result<()> {
        let Planned::Block(region, bounds) = block else { return Ok(()) };
        let ParRegionKind::Block(written) = &region.kind else { return Ok(()) };
        if self.manner.erased {
            return Ok(());
        }
        let clauses: Vec<&Expression> = if before {
            written.contract.preconditions().collect()
        } else {
            written.contract.postconditions().collect()
        };
        let code = if before { "parPreFailed" } else { "parPostFailed" };
        let ids: Vec<NodeId> = written.variables.iter().map(|variable| variable.id).collect();
        let envs: Vec<Env> = tuples(bounds)
            .into_iter()
            .map(|values| {
                let mut env = env.clone();
                env.variables.extend(ids.iter().copied().zip(values.into_iter().map(Value::Int)));
                env
            })
            .collect();
        self.require_for_all(envs, &clauses, code)?;
        let everywhere: Vec<&Expression> = written.contract.everywhere().collect();
        self.require(env, &everywhere, code)
    }

    fn start_block(
        &mut self,
        frame: &Frame<'t>,
        region: &'t ParRegion,
        bounds: &[(i128, i128)],
    ) -> Result<Vec<usize>> {
        let ParRegionKind::Block(block) = &region.kind else { return Ok(Vec::new()) };
        let indices = tuples(bounds);
        if indices.len() > 12 {
            return Err(Stop::unknown("many threads"));
        }
        let team = self.new_team();
        let mut threads = Vec::new();
        for values in indices {
            let mut env = frame.env.clone();
            env.blocks.push((region.id, team));
            env.iteration = match (&block.variables[..], &values[..]) {
                ([variable], [value]) => {
                    self.state.teams[team].iterations.push(*value);
                    Some(Iteration { instance: team, variable: variable.id, value: *value })
                }
                _ => None,
            };
            let own = block.variables.iter().map(|variable| variable.id);
            env.variables.extend(own.zip(values.into_iter().map(Value::Int)));
            let tasks = vec![Task::Statement(&block.body)];
            let activity = Activity::Block(region);
            let child = Frame { activity, env, arguments: Vec::new(), tasks, values: Vec::new() };
            threads.push(self.state.start(Some(self.thread), child));
        }
        self.state.teams[team].threads = threads.clone();
        self.state.teams[team].bounds = match bounds {
            [one] => Some(*one),
            _ => None,
        };
        Ok(threads)
    }

    pub(super) fn new_team(&mut self) -> usize {
        self.state.teams.push(Team::default());
        self.state.teams.len() - 1
    }

    /// Lets the threads of a block go on if all of them wait at one barrier; fails if they can never meet.
    pub(super) fn barriers(&mut self) -> Result<bool> {
        let mut moved = false;
        for team in 0..self.state.teams.len() {
            let threads = self.state.teams[team].threads.clone();
            let waiting: Vec<Option<&'t Statement>> =
                threads.iter().map(|thread| self.waits_at(*thread, team)).collect();
            let Some(first) = waiting.iter().copied().flatten().next() else { continue };
            if waiting.iter().all(|it| it.is_some_and(|it| it.id == first.id)) {
                let mut clock = Clock::default();
                for thread in &threads {
                    clock.join(&self.state.release(*thread));
                }
                for thread in &threads {
                    self.state.acquire(*thread, &clock);
                    if let Some(frame) = self.state.threads[*thread].frames.last_mut() {
                        frame.tasks.pop();
                    }
                }
                moved = true;
                continue;
            }
            let stuck = threads
                .iter()
                .zip(&waiting)
                .all(|(thread, at)| at.is_some() || self.state.threads[*thread].is_done);
            if stuck {
                return Err(Stop::fail("barrierDivergence").at(first.span));
            }
        }
        Ok(moved)
    }

    /// The barrier of this team that a thread waits at.
    fn waits_at(&self, thread: usize, team: usize) -> Option<&'t Statement> {
        let frame = self.state.threads[thread].frames.last()?;
        let Some(Task::Barrier(statement)) = frame.tasks.last() else { return None };
        let region = self.resolution.barriers.get(&statement.id)?;
        let found = frame.env.blocks.iter().rev().find(|entry| entry.0 == *region)?;
        (found.1 == team).then_some(*statement)
    }

    /// Clauses for several threads: no location may be given away twice.
    pub(super) fn require_for_all(
        &mut self,
        envs: Vec<Env>,
        clauses: &[&'t Expression],
        code: &'static str,
    ) -> Result<()> {
        let mut amounts = super::assertions::Amounts::new();
        for mut env in envs {
            self.require_of(&mut env, clauses, code, &mut amounts)?;
        }
        Ok(())
    }
}

pub(super) fn collect_bounds<'t>(region: &'t ParRegion, bounds: &mut Vec<&'t Expression>) {
    match &region.kind {
        ParRegionKind::Parallel(parts) | ParRegionKind::Sequential(parts) => {
            parts.iter().for_each(|part| collect_bounds(part, bounds));
        }
        ParRegionKind::Block(block) => {
            bounds.extend(block.variables.iter().flat_map(|variable| [&variable.low, &variable.high]));
        }
    }
}

pub(super) fn plan<'t>(region: &'t ParRegion, numbers: &mut dyn Iterator<Item = i128>) -> Planned<'t> {
    match &region.kind {
        ParRegionKind::Parallel(parts) => {
            Planned::Parallel(parts.iter().map(|part| plan(part, numbers)).collect())
        }
        ParRegionKind::Sequential(parts) => {
            Planned::Sequential(parts.iter().map(|part| plan(part, numbers)).collect())
        }
        ParRegionKind::Block(block) => {
            let mut bounds = Vec::new();
            for _ in &block.variables {
                let low = numbers.next().unwrap_or(0);
                bounds.push((low, numbers.next().unwrap_or(0)));
            }
            Planned::Block(region, bounds)
        }
    }
}

/// All tuples of values within bounds; one empty tuple where there are no bounds.
fn tuples(bounds: &[(i128, i128)]) -> Vec<Vec<i128>> {
    let mut all = vec![Vec::new()];
    for (low, high) in bounds {
        let high = (*high).min(low + 40);
        all = all
            .into_iter()
            .flat_map(|front| {
                (*low..high).map(move |value| {
                    let mut tuple = front.clone();
                    tuple.push(value);
                    tuple
                })
            })
            .collect();
    }
    all
}
