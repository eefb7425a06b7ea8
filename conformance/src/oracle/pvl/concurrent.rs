//! Threads: `fork` and `join`, locks, shared invariants, and what else waits for others.
//!
//! What one thread does behind another is ordered by clocks: each of these hands on what its thread has done so far.

use pvl::syntax::tree::{ClassMemberKind, Expression, NodeId, Statement, StatementKind};

use super::calls::Start;
use super::execute::{Progress, pop};
use super::iterations::loop_variable;
use super::machine::Machine;
use super::state::{Activity, Env, Frame, Iteration, Shared, Task};
use super::stop::{Result, Stop};
use super::teams::{collect_bounds, plan};
use super::value::Value;

impl<'t> Machine<'t> {
    /// A statement about threads: what has to be evaluated for it comes first.
    pub(super) fn start_concurrent(
        &mut self,
        frame: &mut Frame<'t>,
        statement: &'t Statement,
    ) -> Result<Progress<'t>> {
        use StatementKind as K;
        match &statement.kind {
            K::Lock(e) => {
                frame.tasks.push(Task::Acquire(statement));
                frame.tasks.push(Task::Evaluate(e));
            }
            K::Unlock(e) | K::Notify(e) | K::Commit(e) | K::Fork(e) | K::Join(e) | K::Wait(e) => {
                frame.tasks.push(Task::Synchronise(statement));
                frame.tasks.push(Task::Evaluate(e));
            }
            K::Par(region) => {
                frame.tasks.push(Task::Parallel(region));
                let mut bounds = Vec::new();
                collect_bounds(region, &mut bounds);
                frame.tasks.extend(bounds.into_iter().rev().map(Task::Evaluate));
            }
            K::Barrier { contract, .. } => {
                let clauses: Vec<&Expression> = contract.preconditions().collect();
                self.require(&mut frame.env, &clauses, "notEstablished")?;
                frame.tasks.push(Task::BarrierPassed(statement));
                return Ok(Progress::Blocked(Task::Barrier(statement)));
            }
            K::Invariant { resource, body, .. } => {
                self.require(&mut frame.env, &[resource], "notEstablished")?;
                let clock = self.state.release(self.thread);
                let number = self.state.shared.len();
                let env = frame.env.clone();
                self.state.shared.push(Shared { resource, env, holder: None, clock });
                frame.env.invariants.push((statement.id, number));
                frame.tasks.push(Task::InvariantEnd(number));
                self.block(frame, body);
            }
            K::Atomic { .. } => frame.tasks.push(Task::Acquire(statement)),
            K::Vector { .. } => return self.vector(frame, statement),
            K::Send { distance, resource, .. } => self.send(frame, statement, distance, resource)?,
            K::Receive { .. } => frame.tasks.push(Task::Receive(statement)),
            _ => return Err(Stop::unknown("this statement")),
        }
        Ok(Progress::Ran)
    }

    pub(super) fn concurrent(&mut self, frame: &mut Frame<'t>, task: Task<'t>) -> Result<Progress<'t>> {
        match task {
            Task::Synchronise(statement) => {
                let progress = self.synchronise(frame, statement);
                return progress.map_err(|stop| stop.at(statement.span));
            }
            // Taken by the scheduler.
            Task::Acquire(statement) => return Ok(Progress::Blocked(Task::Acquire(statement))),
            Task::Barrier(statement) => return Ok(Progress::Blocked(Task::Barrier(statement))),
            Task::BarrierPassed(statement) => {
                if let StatementKind::Barrier { contract, .. } = &statement.kind {
                    let clauses: Vec<&Expression> = contract.postconditions().collect();
                    self.require(&mut frame.env, &clauses, "inconsistent")?;
                }
            }
            Task::AtomicEnd(numbers) => {
                for number in numbers {
                    self.shared_holds(number, "notMaintained")?;
                    let clock = self.state.release(self.thread);
                    self.state.shared[number].holder = None;
                    self.state.shared[number].clock = clock;
                }
            }
            Task::InvariantEnd(number) => {
                let clock = self.state.shared[number].clock.clone();
                self.state.acquire(self.thread, &clock);
                frame.env.invariants.pop();
                self.shared_holds(number, "notMaintained")?;
            }
            Task::Parallel(region) => {
                let mut bounds = Vec::new();
                collect_bounds(region, &mut bounds);
                let values = frame.values.split_off(frame.values.len().saturating_sub(bounds.len()));
                let numbers = values.iter().map(Value::int).collect::<Result<Vec<i128>>>()?;
                let planned = plan(region, &mut numbers.into_iter());
                frame.tasks.push(Task::Region(planned));
            }
            Task::Region(planned) => self.region(frame, planned)?,
            Task::Await(threads, blocks) => {
                if threads.iter().any(|thread| !self.state.threads[*thread].is_done) {
                    return Ok(Progress::Blocked(Task::Await(threads, blocks)));
                }
                for thread in threads {
                    let clock = self.state.release(thread);
                    self.state.acquire(self.thread, &clock);
                }
                for block in blocks {
                    self.block_clauses(&mut frame.env, &block, false)?;
                }
            }
            Task::Receive(statement) => {
                return self.receive(frame, statement).map_err(|stop| stop.at(statement.span));
            }
            Task::IterationHead(statement, team) => {
                if let Some(threads) = self.loop_threads(frame, statement)? {
                    frame.tasks.push(Task::Await(threads, Vec::new()));
                } else if let StatementKind::For { condition, .. } = &statement.kind {
                    if self.state.teams[team].bounds.is_none() {
                        self.state.teams[team].bounds = self.loop_bounds(&mut frame.env, statement)?;
                    }
                    frame.tasks.push(Task::IterationTest(statement, team));
                    match condition {
                        Some(condition) => frame.tasks.push(Task::Evaluate(condition)),
                        None => frame.values.push(Value::Bool(true)),
                    }
                }
            }
            Task::IterationTest(statement, team) => {
                if pop(frame)?.truth()?
                    && let StatementKind::For { update, body, contract, .. } = &statement.kind
                {
                    let outer = Box::new(frame.env.clone());
                    if let Some(variable) = loop_variable(statement) {
                        let value = self.variable(&frame.env, variable, statement.span)?.int()?;
                        frame.env.iteration = Some(Iteration { instance: team, variable, value });
                    }
                    self.iteration_requires(&mut frame.env, contract)?;
                    frame.tasks.push(Task::IterationHead(statement, team));
                    frame.tasks.extend(update.iter().rev().map(Task::Statement));
                    frame.tasks.push(Task::IterationEnd(statement, outer));
                    frame.tasks.push(Task::Statement(body));
                }
            }
            Task::IterationEnd(statement, outer) => {
                self.iteration_ensures(&mut frame.env, statement)?;
                frame.env.iteration = outer.iteration;
            }
            _ => return Err(Stop::unknown("this step")),
        }
        Ok(Progress::Ran)
    }

    fn synchronise(&mut self, frame: &mut Frame<'t>, statement: &'t Statement) -> Result<Progress<'t>> {
        use StatementKind as K;
        let value = pop(frame)?;
        let Value::Object(object) = value else {
            return Err(Stop::fail("nullObject"));
        };
        match &statement.kind {
            K::Unlock(_) | K::Wait(_) => {
                self.unlock(object, "heldFailed")?;
                if matches!(statement.kind, K::Wait(_)) {
                    frame.values.push(value);
                    frame.tasks.push(Task::Acquire(statement));
                }
            }
            K::Notify(_) => {
                if self.state.locks.get(&object).is_none_or(|lock| lock.holder.is_none())
                    && !self.manner.erased
                {
                    return Err(Stop::fail("heldFailed"));
                }
            }
            K::Commit(_) => {
                // Once more gives the invariant once more: that is possible where it holds no whole location.
                self.lock_invariant(object, "commitFailed")?;
                let clock = self.state.release(self.thread);
                let lock = self.state.locks.entry(object).or_default();
                lock.committed = true;
                lock.clock.join(&clock);
            }
            K::Fork(_) => {
                let class = self.class_of(object).ok_or_else(|| Stop::unknown("a class"))?;
                let (id, run) = self.run_of(class).ok_or_else(|| Stop::unknown("a thread"))?;
                if self.state.running.contains_key(&object) {
                    return Err(Stop::fail("idle"));
                }
                let start = Start {
                    activity: Activity::Run(id),
                    contract: Some(&run.contract),
                    parameters: &[],
                    body: run.body.as_ref(),
                    this: Some(value),
                    arguments: Vec::new(),
                    given: Vec::new(),
                    types: frame.env.types.clone(),
                };
                let child = self.enter(start)?;
                let thread = self.state.start(Some(self.thread), child);
                self.state.running.insert(object, thread);
            }
            K::Join(_) => {
                let Some(thread) = self.state.running.get(&object).copied() else {
                    return Err(Stop::fail("running"));
                };
                if !self.state.threads[thread].is_done {
                    frame.values.push(value);
                    return Ok(Progress::Blocked(Task::Synchronise(statement)));
                }
                self.state.running.remove(&object);
                let clock = self.state.threads[thread].clock.clone();
                self.state.acquire(self.thread, &clock);
            }
            _ => return Err(Stop::unknown("this statement")),
        }
        Ok(Progress::Ran)
    }

    fn unlock(&mut self, object: usize, code: &'static str) -> Result<()> {
        if self.state.locks.get(&object).is_none_or(|lock| lock.holder.is_none()) {
            return Err(Stop::fail(code));
        }
        self.lock_invariant(object, "invariantFailed")?;
        let clock = self.state.release(self.thread);
        let lock = self.state.locks.entry(object).or_default();
        lock.holder = None;
        lock.clock = clock;
        Ok(())
    }

    fn lock_invariant(&mut self, object: usize, code: &'static str) -> Result<()> {
        let class = self.class_of(object).ok_or_else(|| Stop::unknown("a class"))?;
        let Some(declared) = self.resolution.items.classes.get(&class).copied() else { return Ok(()) };
        let clauses: Vec<&Expression> = declared.contract.lock_invariants().collect();
        let mut env = Env { this: Some(Value::Object(object)), ..Env::default() };
        self.require(&mut env, &clauses, code)?;
        for member in &declared.members {
            // The old dialect's `resource lock_invariant()`.
            if let ClassMemberKind::Predicate(predicate) = &member.kind
                && &*predicate.name.text == "lock_invariant"
                && let Some(body) = &predicate.body
            {
                self.require(&mut env, &[body], code)?;
            }
        }
        Ok(())
    }

    fn shared_holds(&mut self, number: usize, code: &'static str) -> Result<()> {
        let resource = self.state.shared[number].resource;
        let mut env = self.state.shared[number].env.clone();
        self.require(&mut env, &[resource], code)
    }

    /// Whether the current thread, which waits to acquire something, could do so now.
    pub(super) fn can_acquire(&mut self) -> Result<bool> {
        let frames = &self.state.threads[self.thread].frames;
        let Some(frame) = frames.last() else { return Ok(false) };
        let Some(Task::Acquire(statement)) = frame.tasks.last() else { return Ok(false) };
        let statement = *statement;
        match &statement.kind {
            StatementKind::Atomic { .. } => {
                let numbers = self.opened(&frame.env, statement)?;
                Ok(numbers.iter().all(|number| self.state.shared[*number].holder.is_none()))
            }
            _ => match frame.values.last() {
                Some(Value::Object(object)) => match self.state.locks.get(object) {
                    Some(lock) if lock.committed => Ok(lock.holder.is_none()),
                    _ => Err(Stop::fail("lockNotCommitted").at(statement.span)),
                },
                _ => Err(Stop::fail("lockNull").at(statement.span)),
            },
        }
    }

    fn opened(&self, env: &Env, statement: &Statement) -> Result<Vec<usize>> {
        let ids = self.resolution.opened.get(&statement.id).map_or(&[][..], |ids| &ids[..]);
        let number =
            |id: &NodeId| env.invariants.iter().rev().find(|entry| entry.0 == *id).map(|entry| entry.1);
        ids.iter().map(|id| number(id).ok_or_else(|| Stop::unknown("an invariant"))).collect()
    }

    /// What the current thread waits for is there, and it takes it.
    pub(super) fn acquire(&mut self) -> Result<()> {
        let thread = self.thread;
        let Some(mut frame) = self.state.threads[thread].frames.pop() else { return Ok(()) };
        let Some(Task::Acquire(statement)) = frame.tasks.pop() else {
            return Err(Stop::unknown("this step"));
        };
        if let StatementKind::Atomic { body, .. } = &statement.kind {
            let numbers = self.opened(&frame.env, statement)?;
            for number in &numbers {
                let clock = self.state.shared[*number].clock.clone();
                self.state.acquire(thread, &clock);
                self.state.shared[*number].holder = Some(thread);
                self.shared_holds(*number, "atomicInvariant")?;
            }
            frame.tasks.push(Task::AtomicEnd(numbers));
            frame.tasks.push(Task::Statement(body));
        } else if let Some(Value::Object(object)) = frame.values.pop() {
            let lock = self.state.locks.entry(object).or_default();
            lock.holder = Some(thread);
            let clock = lock.clock.clone();
            self.state.acquire(thread, &clock);
            self.lock_invariant(object, "lockInvariant").map_err(|stop| stop.at(statement.span))?;
        }
        self.state.threads[thread].frames.push(frame);
        Ok(())
    }
}
