//! Loops with a contract for each iteration, messages between iterations, and assignments in step.

use pvl::syntax::tree::{
    BinaryOperator, Contract, Expression, ExpressionKind, NodeId, ParRegionKind, Statement, StatementKind,
};

use super::execute::Progress;
use super::machine::Machine;
use super::state::{Activity, Env, Frame, Iteration, Task};
use super::stop::{Result, Stop};
use super::value::Value;

impl<'t> Machine<'t> {
    pub(super) fn send(
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

    pub(super) fn receive(
        &mut self,
        frame: &mut Frame<'t>,
        statement: &'t Statement,
    ) -> Result<Progress<'t>> {
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

    pub(super) fn iteration_requires(&mut self, env: &mut Env, contract: &'t Contract) -> Result<()> {
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
    pub(super) fn loop_bounds(
        &mut self,
        env: &mut Env,
        statement: &'t Statement,
    ) -> Result<Option<(i128, i128)>> {
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
    pub(super) fn loop_threads(
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
    pub(super) fn vector(&mut self, frame: &mut Frame<'t>, statement: &'t Statement) -> Result<Progress<'t>> {
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
}

fn find_send(body: &Statement, send: NodeId) -> Option<(&Expression, &Expression)> {
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
pub(super) fn loop_variable(statement: &Statement) -> Option<NodeId> {
    let StatementKind::For { initial, .. } = &statement.kind else { return None };
    match initial.first().map(|it| &it.kind) {
        Some(StatementKind::Local { declarators, .. }) => declarators.first().map(|it| it.id),
        _ => None,
    }
}
