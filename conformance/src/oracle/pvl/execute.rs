//! Statements, one small step at a time, so that a thread can be stopped anywhere.

use std::rc::Rc;

use pvl::resolve::NameTarget;
use pvl::syntax::tree::{
    BinaryOperator, Block, Branch, Expression, ExpressionKind, Measure, Statement, StatementKind,
    UnaryOperator,
};

use super::machine::{MAX_STEPS, Machine};
use super::state::{Activity, Frame, Task};
use super::stop::{Failure, Result, Stop};
use super::value::Value;

/// How a step ends.
pub(super) enum Progress<'t> {
    Ran,
    /// Another routine runs first.
    Called(Box<Frame<'t>>),
    /// The task waits for somebody else.
    Blocked(Task<'t>),
    /// The task needs one of this many answers.
    Choice(Task<'t>, usize),
}

/// What a thread came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Halt {
    Done,
    /// Whether it did something before.
    Blocked(bool),
    Choice(usize),
}

impl<'t> Machine<'t> {
    /// Runs the current thread until it ends, waits, or has a choice.
    pub(super) fn run_thread(&mut self) -> Result<Halt> {
        let mut moved = false;
        loop {
            self.steps += 1;
            if self.steps > MAX_STEPS {
                return Err(Stop::unknown("a long run"));
            }
            let number = self.thread;
            let Some(mut frame) = self.state.threads[number].frames.pop() else {
                self.state.threads[number].is_done = true;
                return Ok(Halt::Done);
            };
            let Some(task) = frame.tasks.pop() else {
                self.finish(frame)?;
                continue;
            };
            let progress = self.perform(&mut frame, task)?;
            let frames = &mut self.state.threads[number].frames;
            match progress {
                Progress::Ran => frames.push(frame),
                Progress::Called(callee) => {
                    frames.push(frame);
                    frames.push(*callee);
                    if frames.len() > 40 {
                        return Err(Stop::unknown("a deep recursion"));
                    }
                }
                Progress::Blocked(task) => {
                    frame.tasks.push(task);
                    frames.push(frame);
                    return Ok(Halt::Blocked(moved));
                }
                Progress::Choice(task, count) => {
                    frame.tasks.push(task);
                    frames.push(frame);
                    return Ok(Halt::Choice(count));
                }
            }
            moved = true;
        }
    }

    fn perform(&mut self, frame: &mut Frame<'t>, task: Task<'t>) -> Result<Progress<'t>> {
        match task {
            Task::Statement(statement) => {
                return self.statement(frame, statement).map_err(|stop| stop.at(statement.span));
            }
            Task::Sequence(block, at) => match block.statements.get(at) {
                Some(statement) => {
                    self.reached.insert(statement.span.start as usize);
                    frame.tasks.push(Task::Sequence(block, at + 1));
                    frame.tasks.push(Task::Statement(statement));
                }
                None => {
                    self.reached.insert(block.span.end as usize - 1);
                }
            },
            Task::Evaluate(e) => return self.evaluate_task(frame, e),
            Task::Combine(e, count) => return self.combine(frame, e, count),
            Task::Shortcut(e) => self.shortcut(frame, e)?,
            Task::Discard => {
                frame.values.pop();
            }
            Task::Declare(id) => {
                let value = pop(frame)?;
                self.declare(&mut frame.env, id, value);
            }
            Task::Store(target) => self.store(frame, target).map_err(|stop| stop.at(target.span))?,
            Task::Return => {
                frame.env.result = Some(pop(frame)?);
                leave(frame)?;
            }
            Task::Branch(statement) => {
                if let StatementKind::If { then, otherwise, .. } = &statement.kind {
                    if pop(frame)?.truth()? {
                        self.reached.insert(then.span.start as usize);
                        frame.tasks.push(Task::Statement(then));
                    } else if let Some(otherwise) = otherwise {
                        self.reached.insert(otherwise.span.start as usize);
                        frame.tasks.push(Task::Statement(otherwise));
                    }
                }
            }
            Task::LoopHead(statement, measure) => self.loop_head(frame, statement, measure)?,
            Task::LoopTest(statement, measure) => {
                if pop(frame)?.truth()? {
                    frame.tasks.push(Task::LoopHead(statement, measure));
                    match &statement.kind {
                        StatementKind::While { body, .. } => frame.tasks.push(Task::Statement(body)),
                        StatementKind::For { update, body, .. } => {
                            frame.tasks.extend(update.iter().rev().map(Task::Statement));
                            frame.tasks.push(Task::Statement(body));
                        }
                        _ => {}
                    }
                }
            }
            Task::RangeBounds(statement) => {
                let high = pop(frame)?.int()?;
                let low = pop(frame)?.int()?;
                let StatementKind::RangedFor { contract, variable, .. } = &statement.kind else {
                    return Err(Stop::unknown("a loop"));
                };
                if contract.is_iteration_contract() {
                    return self.ranged_iterations(frame, statement, low, high);
                }
                frame.tasks.push(Task::Scope(frame.env.variables.len()));
                frame.env.variables.push((variable.id, Value::Int(low)));
                frame.tasks.push(Task::Range(statement, low, high));
            }
            Task::Range(statement, next, high) => {
                if let StatementKind::RangedFor { contract, variable, body } = &statement.kind {
                    self.set_variable(&mut frame.env, variable.id, Value::Int(next), statement.span)?;
                    let invariants: Vec<&Expression> = contract.loop_invariants().collect();
                    self.require(&mut frame.env, &invariants, "notMaintained")?;
                    if next < high {
                        frame.tasks.push(Task::Range(statement, next + 1, high));
                        frame.tasks.push(Task::Statement(body));
                    }
                }
            }
            Task::Scope(count) => frame.env.variables.truncate(count),
            Task::FrameEnd(statement) => {
                if let StatementKind::Frame { contract, .. } = &statement.kind {
                    let clauses: Vec<&Expression> = contract.postconditions().collect();
                    if !clauses.iter().any(|clause| has_old(clause)) {
                        self.require(&mut frame.env, &clauses, "framePost")?;
                    }
                }
            }
            other => return self.concurrent(frame, other),
        }
        Ok(Progress::Ran)
    }

    fn evaluate_task(&mut self, frame: &mut Frame<'t>, e: &'t Expression) -> Result<Progress<'t>> {
        if !self.acts(e) {
            let value = self.evaluate(&mut frame.env, e)?;
            frame.values.push(value);
            return Ok(Progress::Ran);
        }
        match &*e.kind {
            ExpressionKind::With { before, value, after } => {
                frame.tasks.push(Task::Combine(e, 1));
                if !self.manner.erased {
                    frame.tasks.extend(after.iter().map(|after| Task::Statement(after)));
                }
                frame.tasks.push(Task::Evaluate(value));
                if !self.manner.erased {
                    frame.tasks.extend(before.iter().map(|before| Task::Statement(before)));
                }
            }
            ExpressionKind::Binary(
                BinaryOperator::And | BinaryOperator::Star | BinaryOperator::Or | BinaryOperator::Implies,
                first,
                _,
            )
            | ExpressionKind::Conditional(first, ..) => {
                frame.tasks.push(Task::Shortcut(e));
                frame.tasks.push(Task::Evaluate(first));
            }
            _ => {
                let parts = self.parts(e)?;
                frame.tasks.push(Task::Combine(e, parts.len()));
                frame.tasks.extend(parts.into_iter().rev().map(Task::Evaluate));
            }
        }
        Ok(Progress::Ran)
    }

    fn shortcut(&mut self, frame: &mut Frame<'t>, e: &'t Expression) -> Result<()> {
        let first = pop(frame)?.truth()?;
        match &*e.kind {
            ExpressionKind::Conditional(_, yes, no) => {
                frame.tasks.push(Task::Evaluate(if first { yes } else { no }));
            }
            ExpressionKind::Binary(operator, _, second) => match operator {
                BinaryOperator::Implies if !first => frame.values.push(Value::Bool(true)),
                BinaryOperator::And | BinaryOperator::Star if !first => frame.values.push(Value::Bool(false)),
                BinaryOperator::Or if first => frame.values.push(Value::Bool(true)),
                _ => frame.tasks.push(Task::Evaluate(second)),
            },
            _ => {}
        }
        Ok(())
    }

    /// The parts of an expression that are evaluated before it, in this order.
    pub(super) fn parts(&self, e: &'t Expression) -> Result<Vec<&'t Expression>> {
        let mut parts = Vec::new();
        match &*e.kind {
            ExpressionKind::Call(call) => {
                if self.has_receiver(e) {
                    parts.extend(&call.receiver);
                }
                parts.extend(&call.arguments);
                if !self.manner.erased {
                    parts.extend(call.given.iter().map(|given| &given.value));
                }
            }
            ExpressionKind::New { arguments, given, .. } => {
                parts.extend(arguments);
                if !self.manner.erased {
                    parts.extend(given.iter().map(|given| &given.value));
                }
            }
            ExpressionKind::Quantifier { .. }
            | ExpressionKind::Let { .. }
            | ExpressionKind::Comprehension { .. }
            | ExpressionKind::Old(..)
            | ExpressionKind::Unary(UnaryOperator::AddressOf, _) => {
                return Err(Stop::unknown("a call inside of this expression"));
            }
            kind => kind.for_each_child(&mut |child| parts.push(child)),
        }
        Ok(parts)
    }

    fn store(&mut self, frame: &mut Frame<'t>, target: &'t Expression) -> Result<()> {
        let value = pop(frame)?;
        let location = match &*target.kind {
            ExpressionKind::Name(_) => match self.resolution.names.get(&target.id) {
                Some(NameTarget::Variable(id)) => {
                    return self.set_variable(&mut frame.env, *id, value, target.span);
                }
                _ => self.location(&mut frame.env, target)?,
            },
            ExpressionKind::Field(..) if count_parts(self, target) == 0 => {
                self.location(&mut frame.env, target)?
            }
            ExpressionKind::Field(..) => {
                let object = pop(frame)?;
                match self.resolution.selections.get(&target.id) {
                    Some(pvl::resolve::Selection::Field(field)) => {
                        self.field(&object, *field, "nullField")?
                    }
                    _ => return Err(Stop::unknown("a field")),
                }
            }
            ExpressionKind::Index(..) => {
                let index = pop(frame)?.int()?;
                let base = pop(frame)?;
                self.element(&base, index)?
            }
            ExpressionKind::Unary(UnaryOperator::Dereference, _) => match pop(frame)? {
                Value::Pointer(pointer) => self.pointed(pointer, 0)?,
                Value::Null => return Err(Stop::fail("ptrNull")),
                _ => return Err(Stop::unknown("a pointer")),
            },
            _ => return Err(Stop::unknown("an assignment")),
        };
        self.state.write(location, value, self.thread, target.span)
    }

    /// Pushes what evaluates the parts of a target.
    fn target_tasks(&self, frame: &mut Frame<'t>, target: &'t Expression) {
        match &*target.kind {
            ExpressionKind::Field(base, _) if count_parts(self, target) == 1 => {
                frame.tasks.push(Task::Evaluate(base));
            }
            ExpressionKind::Index(base, index) => {
                frame.tasks.push(Task::Evaluate(index));
                frame.tasks.push(Task::Evaluate(base));
            }
            ExpressionKind::Unary(UnaryOperator::Dereference, pointer) => {
                frame.tasks.push(Task::Evaluate(pointer));
            }
            _ => {}
        }
    }

    fn loop_head(
        &mut self,
        frame: &mut Frame<'t>,
        statement: &'t Statement,
        measure: Option<i128>,
    ) -> Result<()> {
        let (contract, condition) = match &statement.kind {
            StatementKind::While { contract, condition, .. } => (contract, Some(condition)),
            StatementKind::For { contract, condition, .. } => (contract, condition.as_ref()),
            _ => return Err(Stop::unknown("a loop")),
        };
        let invariants: Vec<&Expression> = contract.loop_invariants().collect();
        let code = if measure.is_some() { "notMaintained" } else { "invariantNotEstablished" };
        self.require(&mut frame.env, &invariants, code)?;
        let next = self.measure(frame, contract.measure().map(|found| found.0));
        let next = if condition.is_some_and(|it| self.acts(it)) { None } else { next };
        let goes_on = match condition {
            Some(condition) if !self.acts(condition) => {
                Some(self.truth(&mut frame.env, condition).map_err(|stop| stop.at(condition.span))?)
            }
            _ => None,
        };
        if let (Some(next), Some(true)) = (next, goes_on)
            && !self.manner.erased
        {
            let place = contract.measure().map(|found| found.1);
            if next < 0 || measure.is_some_and(|last| next >= last) {
                let detail = format!("{next} after {measure:?}");
                return Err(Stop::Fail(Failure { code: "loopDecreasesFailed", place, detail }));
            }
        }
        let next = next.or(Some(i128::MAX));
        frame.tasks.push(Task::LoopTest(statement, next));
        match condition {
            Some(condition) => frame.tasks.push(Task::Evaluate(condition)),
            None => frame.values.push(Value::Bool(true)),
        }
        Ok(())
    }

    /// The value of a measure that is one number.
    fn measure(&mut self, frame: &mut Frame<'t>, measure: Option<&'t Measure>) -> Option<i128> {
        match measure {
            Some(Measure::Tuple(measures)) => match &measures[..] {
                [one] => match self.evaluate(&mut frame.env, one) {
                    Ok(Value::Int(value)) => Some(value),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        }
    }

    fn statement(&mut self, frame: &mut Frame<'t>, statement: &'t Statement) -> Result<Progress<'t>> {
        use StatementKind as K;
        match &statement.kind {
            K::Block(block) => self.block(frame, block),
            K::Local { declarators, .. } => {
                for declarator in declarators.iter().rev() {
                    match &declarator.value {
                        Some(value) => {
                            frame.tasks.push(Task::Declare(declarator.id));
                            frame.tasks.push(Task::Evaluate(value));
                        }
                        None => {
                            let ty = self.resolution.variables.get(&declarator.id);
                            let ty = ty.ok_or_else(|| Stop::unknown("a type"))?;
                            let ty = self.type_in(&frame.env, ty);
                            let value = self.garbage(&ty)?;
                            self.declare(&mut frame.env, declarator.id, value);
                        }
                    }
                }
            }
            K::Assign { target, value } => {
                frame.tasks.push(Task::Store(target));
                frame.tasks.push(Task::Evaluate(value));
                self.target_tasks(frame, target);
            }
            K::Increment(target) | K::Decrement(target) => {
                let step = if matches!(statement.kind, K::Increment(_)) { 1 } else { -1 };
                let value = self.evaluate(&mut frame.env, target)?.int()? + step;
                match self.resolution.names.get(&target.id) {
                    Some(NameTarget::Variable(id)) => {
                        self.set_variable(&mut frame.env, *id, Value::Int(value), target.span)?;
                    }
                    _ => {
                        let location = self.location(&mut frame.env, target)?;
                        self.state.write(location, Value::Int(value), self.thread, target.span)?;
                    }
                }
            }
            K::Evaluate(e) => {
                if !(self.manner.erased && self.calls_ghost(e)) {
                    frame.tasks.push(Task::Discard);
                    frame.tasks.push(Task::Evaluate(e));
                }
            }
            K::Return(Some(e)) => {
                frame.tasks.push(Task::Return);
                frame.tasks.push(Task::Evaluate(e));
            }
            K::Return(None) => {
                frame.env.result = Some(Value::Void);
                leave(frame)?;
            }
            K::If { condition: Branch::Condition(condition), .. } => {
                frame.tasks.push(Task::Branch(statement));
                frame.tasks.push(Task::Evaluate(condition));
            }
            K::If { condition: Branch::Arbitrary(_), .. } => {
                match self.state.threads[self.thread].choice.take() {
                    Some(choice) => {
                        frame.values.push(Value::Bool(choice == 0));
                        frame.tasks.push(Task::Branch(statement));
                    }
                    None => return Ok(Progress::Choice(Task::Statement(statement), 2)),
                }
            }
            K::While { .. } => frame.tasks.push(Task::LoopHead(statement, None)),
            K::For { contract, initial, .. } => {
                frame.tasks.push(Task::Scope(frame.env.variables.len()));
                if contract.is_iteration_contract() {
                    let team = self.new_team();
                    frame.tasks.push(Task::IterationHead(statement, team));
                } else {
                    frame.tasks.push(Task::LoopHead(statement, None));
                }
                frame.tasks.extend(initial.iter().rev().map(Task::Statement));
            }
            K::RangedFor { variable, .. } => {
                frame.tasks.push(Task::RangeBounds(statement));
                frame.tasks.push(Task::Evaluate(&variable.high));
                frame.tasks.push(Task::Evaluate(&variable.low));
            }
            K::Goto(_) => self.goto(frame, statement)?,
            K::Label(_) => {
                let heap = Rc::new(self.state.heap.clone());
                frame.env.labels.retain(|entry| entry.0 != statement.id);
                frame.env.labels.push((statement.id, heap));
            }
            K::Assert(e) | K::Exhale(e) => self.require(&mut frame.env, &[e], "assertFailed")?,
            K::Assume(e) => self.assume(frame, e)?,
            // Permission from nowhere makes anything possible.
            K::Inhale(e) if self.is_resource(e) => return Err(Stop::unknown("permission from nowhere")),
            K::Inhale(e) => self.assume(frame, e)?,
            K::Fold(e) | K::Unfold(e) => self.require(&mut frame.env, &[e], "foldFailed")?,
            K::Refute(_) | K::Question(_) | K::Package { .. } | K::Apply(_) => {}
            K::Extract(inner) => frame.tasks.push(Task::Statement(inner)),
            K::Frame { contract, body } => {
                let clauses: Vec<&Expression> = contract.preconditions().collect();
                self.require(&mut frame.env, &clauses, "framePre")?;
                frame.tasks.push(Task::FrameEnd(statement));
                frame.tasks.push(Task::Statement(body));
            }
            K::Ghost(inner) => {
                if !self.manner.erased {
                    frame.tasks.push(Task::Statement(inner));
                }
            }
            _ => return self.start_concurrent(frame, statement),
        }
        Ok(Progress::Ran)
    }

    pub(super) fn block(&mut self, frame: &mut Frame<'t>, block: &'t Block) {
        frame.tasks.push(Task::Scope(frame.env.variables.len()));
        frame.tasks.push(Task::Sequence(block, 0));
    }

    /// What is assumed is a fact of all runs that count.
    fn assume(&mut self, frame: &mut Frame<'t>, e: &'t Expression) -> Result<()> {
        if self.manner.erased {
            return Ok(());
        }
        match self.all_hold(&mut frame.env, &[e]) {
            Ok(super::assertions::Truth::True) => Ok(()),
            Ok(super::assertions::Truth::Unknown) => Err(Stop::unknown("an assumption")),
            Ok(super::assertions::Truth::False(..)) => Err(Stop::Pruned),
            Err(Stop::Fail(_)) => Err(Stop::Pruned),
            Err(stop) => Err(stop),
        }
    }

    fn goto(&mut self, frame: &mut Frame<'t>, statement: &'t Statement) -> Result<()> {
        let Some(label) = self.resolution.labels.get(&statement.id).copied() else {
            return Err(Stop::unknown("a label"));
        };
        while let Some(task) = frame.tasks.pop() {
            match task {
                Task::Sequence(block, _) => {
                    if let Some(at) = block.statements.iter().position(|it| it.id == label) {
                        frame.tasks.push(Task::Sequence(block, at));
                        return Ok(());
                    }
                }
                Task::Scope(count) => frame.env.variables.truncate(count),
                other if is_duty(&other) => return Err(Stop::unknown("a jump out of this")),
                _ => {}
            }
        }
        Err(Stop::unknown("a jump into a block"))
    }
}

pub(super) fn pop(frame: &mut Frame<'_>) -> Result<Value> {
    frame.values.pop().ok_or_else(|| Stop::unknown("a value"))
}

/// Leaves the routine; nothing may be left undone.
fn leave(frame: &mut Frame<'_>) -> Result<()> {
    if frame.tasks.iter().any(is_duty) || matches!(frame.activity, Activity::Block(_) | Activity::Loop(_)) {
        return Err(Stop::unknown("a return out of this"));
    }
    frame.tasks.clear();
    Ok(())
}

fn is_duty(task: &Task<'_>) -> bool {
    matches!(
        task,
        Task::AtomicEnd(..)
            | Task::InvariantEnd(..)
            | Task::Await(..)
            | Task::IterationEnd(..)
            | Task::IterationHead(..)
            | Task::FrameEnd(_)
    )
}

fn has_old(e: &Expression) -> bool {
    let mut found = matches!(&*e.kind, ExpressionKind::Old(..));
    e.kind.for_each_child(&mut |child| found = found || has_old(child));
    found
}

/// How many values a target that is a field needs.
fn count_parts(machine: &Machine<'_>, target: &Expression) -> usize {
    match machine.resolution.selections.get(&target.id) {
        Some(pvl::resolve::Selection::Field(_)) => 1,
        _ => 0,
    }
}
