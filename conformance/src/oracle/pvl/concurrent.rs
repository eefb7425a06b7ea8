//! Threads: `fork` and `join`, locks, shared invariants, par blocks, barriers, messages.
//!
//! What one thread does behind another is ordered by clocks: each of these hands on what its thread has done so far.

use pvl::syntax::tree::{
    BinaryOperator, ClassMemberKind, Contract, Expression, ExpressionKind, NodeId, ParRegion, ParRegionKind,
    Statement, StatementKind,
};

use super::calls::Start;
use super::execute::{Progress, pop};
use super::machine::Machine;
use super::state::{Activity, Clock, Env, Frame, Iteration, Planned, Shared, Task, Team};
use super::stop::{Result, Stop};
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
                if self.state.locks.get(&object).is_some_and(|lock| lock.committed) {
                    return Err(Stop::fail("commitFailed"));
                }
                self.lock_invariant(object, "commitFailed")?;
                let clock = self.state.release(self.thread);
                let lock = self.state.locks.entry(object).or_default();
                lock.committed = true;
                lock.clock = clock;
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

    fn region(&mut self, frame: &mut Frame<'t>, planned: Planned<'t>) -> Result<()> {
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
    fn block_clauses(&mut self, env: &mut Env, block: &Planned<'t>, before: bool) -> Result<()> {
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

    fn send(
        &mut self,
        frame: &mut Frame<'t>,
        statement: &'t Statement,
        distance: &'t Expression,
        resource: &'t Expression,
    ) -> Result<()> {
        let Some(iteration) = frame.env.iteration.clone() else { return Err(Stop::unknown("an iteration")) };
        let distance = self.evaluate(&mut frame.env, distance)?.int()?;
        let target = iteration.value + distance;
        let bounds = self.state.teams[iteration.instance].bounds;
        if bounds.is_none_or(|(low, high)| low <= target && target < high) {
            self.require(&mut frame.env, &[resource], "sendFailed")?;
        }
        let clock = self.state.release(self.thread);
        let key = (iteration.instance, statement.id, iteration.value);
        self.state.messages.insert(key, (clock, frame.env.clone()));
        Ok(())
    }

    fn receive(&mut self, frame: &mut Frame<'t>, statement: &'t Statement) -> Result<Progress<'t>> {
        let Some(iteration) = frame.env.iteration.clone() else { return Err(Stop::unknown("an iteration")) };
        let Some(send) = self.resolution.sends.get(&statement.id).copied() else {
            return Err(Stop::unknown("a message"));
        };
        let Some((distance, resource)) = self.find_send(frame, send) else {
            return Err(Stop::unknown("a message from elsewhere"));
        };
        let distance = self.evaluate(&mut frame.env, distance)?.int()?;
        let source = iteration.value - distance;
        let team = &self.state.teams[iteration.instance];
        if team.bounds.is_some_and(|(low, high)| source < low || source >= high) {
            return Ok(Progress::Ran);
        }
        let Some((clock, sender)) = self.state.messages.get(&(iteration.instance, send, source)).cloned()
        else {
            let at = team.iterations.iter().position(|it| *it == source);
            return match at.and_then(|at| team.threads.get(at)) {
                Some(thread) if !self.state.threads[*thread].is_done => {
                    Ok(Progress::Blocked(Task::Receive(statement)))
                }
                _ if self.manner.erased => Ok(Progress::Ran),
                _ => Err(Stop::fail("recvFailed")),
            };
        };
        self.state.acquire(self.thread, &clock);
        // What the receiver takes it for, and what the sender meant.
        let mut mine = frame.env.clone();
        mine.variables.push((iteration.variable, Value::Int(source)));
        self.require(&mut mine, &[resource], "recvFailed")?;
        let mut theirs = sender;
        self.require(&mut theirs, &[resource], "recvFailed")?;
        Ok(Progress::Ran)
    }

    /// The distance and the resource of a `send` in the same block or loop.
    fn find_send(&self, frame: &Frame<'t>, send: NodeId) -> Option<(&'t Expression, &'t Expression)> {
        let inside = |body: &'t Statement| find_send(body, send);
        if let Activity::Block(region) = frame.activity
            && let ParRegionKind::Block(block) = &region.kind
            && let Some(found) = inside(&block.body)
        {
            return Some(found);
        }
        if let Activity::Loop(statement) = frame.activity
            && let Some(found) = inside(statement)
        {
            return Some(found);
        }
        frame.tasks.iter().rev().find_map(|task| match task {
            Task::IterationEnd(statement, _) | Task::Range(statement, ..) => inside(statement),
            _ => None,
        })
    }

    fn iteration_requires(&mut self, env: &mut Env, contract: &'t Contract) -> Result<()> {
        let mut clauses: Vec<&Expression> = contract.everywhere().collect();
        clauses.extend(contract.preconditions());
        self.require(env, &clauses, "parPreFailed")
    }

    pub(super) fn iteration_ensures(&mut self, env: &mut Env, statement: &'t Statement) -> Result<()> {
        let (StatementKind::For { contract, .. } | StatementKind::RangedFor { contract, .. }) =
            &statement.kind
        else {
            return Ok(());
        };
        let clauses: Vec<&Expression> = contract.everywhere().chain(contract.postconditions()).collect();
        self.require(env, &clauses, "parPostFailed")
    }

    /// `for (int i = a .. b)` with a contract for each iteration.
    pub(super) fn ranged_iterations(
        &mut self,
        frame: &mut Frame<'t>,
        statement: &'t Statement,
        low: i128,
        high: i128,
    ) -> Result<Progress<'t>> {
        let StatementKind::RangedFor { contract, variable, body } = &statement.kind else {
            return Err(Stop::unknown("a loop"));
        };
        let threads = self.iterations(frame, statement, contract, variable.id, body, (low, high))?;
        frame.tasks.push(Task::Await(threads, Vec::new()));
        Ok(Progress::Ran)
    }

    /// Threads for the iterations of a loop. Unless loops are parallel each waits for the one before.
    fn iterations(
        &mut self,
        frame: &mut Frame<'t>,
        statement: &'t Statement,
        contract: &'t Contract,
        variable: NodeId,
        body: &'t Statement,
        bounds: (i128, i128),
    ) -> Result<Vec<usize>> {
        if bounds.1 - bounds.0 > 12 {
            return Err(Stop::unknown("many threads"));
        }
        let team = self.new_team();
        self.state.teams[team].bounds = Some(bounds);
        let envs: Vec<Env> = (bounds.0..bounds.1)
            .map(|value| {
                let mut env = frame.env.clone();
                env.variables.retain(|entry| entry.0 != variable);
                env.variables.push((variable, Value::Int(value)));
                env.iteration = Some(Iteration { instance: team, variable, value });
                env
            })
            .collect();
        let clauses: Vec<&Expression> = contract.preconditions().collect();
        self.require_for_all(envs.clone(), &clauses, "parPreFailed")?;
        let mut threads: Vec<usize> = Vec::new();
        for (env, value) in envs.into_iter().zip(bounds.0..) {
            let mut tasks = vec![Task::Statement(body)];
            if let (false, Some(last)) = (self.manner.parallel_loops, threads.last()) {
                tasks.push(Task::Await(vec![*last], Vec::new()));
            }
            let activity = Activity::Loop(statement);
            let child = Frame { activity, env, arguments: Vec::new(), tasks, values: Vec::new() };
            threads.push(self.state.start(Some(self.thread), child));
            self.state.teams[team].iterations.push(value);
        }
        self.state.teams[team].threads = threads.clone();
        Ok(threads)
    }

    /// The bounds of `for (int i = a; i < b; …)`, where `i` has its first value.
    fn loop_bounds(&mut self, env: &mut Env, statement: &'t Statement) -> Result<Option<(i128, i128)>> {
        let (Some(variable), StatementKind::For { condition: Some(condition), .. }) =
            (loop_variable(statement), &statement.kind)
        else {
            return Ok(None);
        };
        let ExpressionKind::Binary(operator, _, bound) = &*condition.kind else { return Ok(None) };
        let low = self.variable(env, variable, statement.span)?.int()?;
        let high = self.evaluate(env, bound)?.int()?;
        Ok(match operator {
            BinaryOperator::Less => Some((low, high)),
            BinaryOperator::LessEqual => Some((low, high + 1)),
            _ => None,
        })
    }

    /// The threads of a loop with a contract for its iterations, if loops run in parallel.
    fn loop_threads(
        &mut self,
        frame: &mut Frame<'t>,
        statement: &'t Statement,
    ) -> Result<Option<Vec<usize>>> {
        let StatementKind::For { contract, body, .. } = &statement.kind else { return Ok(None) };
        if !self.manner.parallel_loops {
            return Ok(None);
        }
        let Some(bounds) = self.loop_bounds(&mut frame.env, statement)? else { return Ok(None) };
        let Some(variable) = loop_variable(statement) else { return Ok(None) };
        self.iterations(frame, statement, contract, variable, body, bounds).map(Some)
    }

    /// Assignments in step: all are evaluated before any takes place.
    fn vector(&mut self, frame: &mut Frame<'t>, statement: &'t Statement) -> Result<Progress<'t>> {
        let StatementKind::Vector { variable, body } = &statement.kind else { return Ok(Progress::Ran) };
        let low = self.evaluate(&mut frame.env, &variable.low)?.int()?;
        let high = self.evaluate(&mut frame.env, &variable.high)?.int()?;
        for assignment in &body.statements {
            let StatementKind::Assign { target, value } = &assignment.kind else {
                return Err(Stop::unknown("this statement"));
            };
            let mut writes = Vec::new();
            for index in low..high {
                let mark = frame.env.variables.len();
                frame.env.variables.push((variable.id, Value::Int(index)));
                let location = self.location(&mut frame.env, target);
                let value = self.evaluate(&mut frame.env, value);
                frame.env.variables.truncate(mark);
                writes.push((location?, value?));
            }
            let mut written = Vec::new();
            for (location, value) in writes {
                if written.contains(&location) {
                    return Err(Stop::fail("dataRace").at(target.span));
                }
                written.push(location);
                self.state.write(location, value, self.thread, target.span)?;
            }
        }
        Ok(Progress::Ran)
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
    fn require_for_all(
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

fn collect_bounds<'t>(region: &'t ParRegion, bounds: &mut Vec<&'t Expression>) {
    match &region.kind {
        ParRegionKind::Parallel(parts) | ParRegionKind::Sequential(parts) => {
            parts.iter().for_each(|part| collect_bounds(part, bounds));
        }
        ParRegionKind::Block(block) => {
            bounds.extend(block.variables.iter().flat_map(|variable| [&variable.low, &variable.high]));
        }
    }
}

fn plan<'t>(region: &'t ParRegion, numbers: &mut dyn Iterator<Item = i128>) -> Planned<'t> {
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

fn find_send<'t>(body: &'t Statement, send: NodeId) -> Option<(&'t Expression, &'t Expression)> {
    if body.id == send
        && let StatementKind::Send { distance, resource, .. } = &body.kind
    {
        return Some((distance, resource));
    }
    let mut found = None;
    body.kind.for_each_child(&mut |child| found = found.or_else(|| find_send(child, send)));
    found
}

/// The variable that the first statement of a loop declares.
fn loop_variable(statement: &Statement) -> Option<NodeId> {
    let StatementKind::For { initial, .. } = &statement.kind else { return None };
    match initial.first().map(|it| &it.kind) {
        Some(StatementKind::Local { declarators, .. }) => declarators.first().map(|it| it.id),
        _ => None,
    }
}
