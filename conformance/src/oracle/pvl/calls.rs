//! Calls of methods and constructors: frames, contracts at both ends, ghost arguments and results.

use std::rc::Rc;

use pvl::resolve::{CallTarget, Operation, Receiver, Type};
use pvl::syntax::tree::{
    Block, ClassMemberKind, Contract, Expression, ExpressionKind, NodeId, Parameter, Routine, Run,
};

use super::evaluate::Known;
use super::execute::Progress;
use super::machine::Machine;
use super::state::{Activity, BlockKind, Env, Frame, Task};
use super::stop::{Result, Stop};
use super::value::Value;

/// What a routine, constructor or thread starts with.
pub(super) struct Start<'t> {
    pub(super) activity: Activity<'t>,
    pub(super) contract: Option<&'t Contract>,
    pub(super) parameters: &'t [Parameter],
    pub(super) body: Option<&'t Block>,
    pub(super) this: Option<Value>,
    pub(super) arguments: Vec<Value>,
    pub(super) given: Vec<(NodeId, Value)>,
    pub(super) types: Vec<(NodeId, Type)>,
}

impl<'t> Machine<'t> {
    /// Whether the part in front of the dot of a call is a value.
    pub(super) fn has_receiver(&self, e: &Expression) -> bool {
        match self.resolution.calls.get(&e.id) {
            Some(CallTarget::Routine(call)) => call.receiver == Receiver::Explicit,
            Some(CallTarget::Member(_)) => true,
            _ => false,
        }
    }

    /// Whether a statement is a call of what exists for the proof only.
    pub(super) fn calls_ghost(&self, e: &Expression) -> bool {
        match self.resolution.calls.get(&e.id) {
            Some(CallTarget::Routine(call)) => {
                self.resolution.items.is_ghost(call.routine)
                    || matches!(self.resolution.items.routines.get(&call.routine), Some(Routine::Lemma(_)))
            }
            _ => false,
        }
    }

    /// An expression whose parts have been evaluated.
    pub(super) fn combine(
        &mut self,
        frame: &mut Frame<'t>,
        e: &'t Expression,
        count: usize,
    ) -> Result<Progress<'t>> {
        let values = frame.values.split_off(frame.values.len().saturating_sub(count));
        match &*e.kind {
            ExpressionKind::With { .. } => {
                let value = values.into_iter().next().unwrap_or(Value::Void);
                let value = self.converted(&frame.env, e, value)?;
                frame.values.push(value);
                return Ok(Progress::Ran);
            }
            ExpressionKind::Call(call) => {
                if let Some(CallTarget::Routine(target)) = self.resolution.calls.get(&e.id)
                    && self.is_method(target.routine)
                {
                    let mut values = values.into_iter();
                    let this = match target.receiver {
                        Receiver::Explicit => values.next(),
                        Receiver::ImplicitThis => frame.env.this.clone(),
                        Receiver::None => None,
                    };
                    let arguments: Vec<Value> = values.by_ref().take(call.arguments.len()).collect();
                    let given = self.given(e, values.collect());
                    let types = self.type_arguments(&frame.env, target);
                    return self.call(e, target.routine, this, arguments, given, types);
                }
            }
            ExpressionKind::Binary(..) => {
                if let Some(Operation::Declared { routine, on_right }) = self.resolution.operations.get(&e.id)
                    && self.is_method(*routine)
                {
                    let [left, right] = &values[..] else { return Err(Stop::unknown("an operator")) };
                    let (this, argument) = if *on_right { (right, left) } else { (left, right) };
                    let (this, argument) = (this.clone(), argument.clone());
                    return self.call(e, *routine, Some(this), vec![argument], Vec::new(), Vec::new());
                }
            }
            ExpressionKind::New { arguments, .. } => {
                let count = arguments.len();
                return self.create(frame, e, values, count);
            }
            _ => {}
        }
        let known: Known = self.parts(e)?.into_iter().map(|part| part.id).zip(values).collect();
        let value = self.evaluate_known(&mut frame.env, e, &known)?;
        frame.values.push(value);
        Ok(Progress::Ran)
    }

    fn given(&self, e: &Expression, values: Vec<Value>) -> Vec<(NodeId, Value)> {
        let names = self.resolution.ghost_arguments.get(&e.id).map_or(&[][..], |it| &it.given[..]);
        names.iter().copied().zip(values).collect()
    }

    fn call(
        &mut self,
        e: &'t Expression,
        routine: NodeId,
        this: Option<Value>,
        arguments: Vec<Value>,
        given: Vec<(NodeId, Value)>,
        types: Vec<(NodeId, Type)>,
    ) -> Result<Progress<'t>> {
        if this == Some(Value::Null) {
            return Err(Stop::fail("invocationObjectNull").at(e.span));
        }
        let Some(found) = self.resolution.items.routines.get(&routine).copied() else {
            return Err(Stop::unknown("a routine"));
        };
        let body = match found {
            Routine::Method(method) => method.body.as_ref(),
            Routine::Lemma(lemma) => lemma.body.as_ref(),
            _ => None,
        };
        let activity = Activity::Routine(routine, e);
        let (contract, parameters) = (found.contract(), found.parameters());
        let start = Start { activity, contract, parameters, body, this, arguments, given, types };
        self.enter(start).map(|frame| Progress::Called(Box::new(frame))).map_err(|stop| stop.at(e.span))
    }

    /// A frame for a routine, after its precondition was looked at.
    pub(super) fn enter(&mut self, start: Start<'t>) -> Result<Frame<'t>> {
        let body = start.body.ok_or_else(|| Stop::unknown("a routine without a body"))?;
        let mut env = Env { this: start.this, types: start.types, ..Env::default() };
        let mut arguments = Vec::new();
        for (parameter, value) in start.parameters.iter().zip(start.arguments) {
            arguments.push((parameter.id, value));
        }
        arguments.extend(start.given);
        // What is given must be given, but ghost arguments that were left out have any value when erased.
        if let Some(contract) = start.contract {
            for parameter in contract.given() {
                if !arguments.iter().any(|entry| entry.0 == parameter.id) {
                    let ty = self.resolution.variables.get(&parameter.id).cloned().unwrap_or(Type::Int);
                    arguments.push((parameter.id, self.garbage(&ty)?));
                }
            }
            let mut before = Env { variables: arguments.clone(), ..env.clone() };
            let clauses = preconditions(contract);
            self.require(&mut before, &clauses, "preFailed")?;
        }
        for (id, value) in &arguments {
            self.declare(&mut env, *id, value.clone());
        }
        for parameter in start.contract.into_iter().flat_map(Contract::yields) {
            let ty = self.resolution.variables.get(&parameter.id).cloned().unwrap_or(Type::Int);
            let value = self.garbage(&ty)?;
            self.declare(&mut env, parameter.id, value);
        }
        env.old = Some(Rc::new(self.state.heap.clone()));
        let tasks = vec![Task::Sequence(body, 0)];
        Ok(Frame { activity: start.activity, env, arguments, tasks, values: Vec::new() })
    }

    /// `new C(…)`
    fn create(
        &mut self,
        frame: &mut Frame<'t>,
        e: &'t Expression,
        values: Vec<Value>,
        count: usize,
    ) -> Result<Progress<'t>> {
        let Some(creation) = self.resolution.creations.get(&e.id) else {
            return Err(Stop::unknown("a class"));
        };
        let class = creation.class;
        let Some(declared) = self.resolution.items.classes.get(&class).copied() else {
            return Err(Stop::unknown("a model"));
        };
        let parameters = declared.type_parameters.iter().map(|it| it.id);
        let mut types: Vec<(NodeId, Type)> = parameters
            .zip(&creation.class_arguments)
            .map(|(id, ty)| (id, self.type_in(&frame.env, ty)))
            .collect();
        let scope = Env { types: types.clone(), ..Env::default() };
        let mut slots = Vec::new();
        for member in &declared.members {
            if let ClassMemberKind::Fields(fields) = &member.kind {
                for (id, _) in &fields.names {
                    if !self.resolution.items.statics.contains(id) {
                        let ty = self.resolution.variables.get(id).cloned().unwrap_or(Type::Unknown);
                        let ty = self.type_in(&scope, &ty);
                        slots.push(self.garbage(&ty)?);
                    }
                }
            }
        }
        let object = Value::Object(self.state.allocate(BlockKind::Object(class), slots, self.thread));
        let Some(id) = creation.constructor else {
            frame.values.push(object);
            return Ok(Progress::Ran);
        };
        let Some(constructor) = self.resolution.items.constructors.get(&id).copied() else {
            return Err(Stop::unknown("a constructor"));
        };
        let own = constructor.type_parameters.iter().map(|it| it.id).zip(&creation.type_arguments);
        types.extend(own.map(|(id, ty)| (id, self.type_in(&frame.env, ty))));
        let mut values = values.into_iter();
        let arguments: Vec<Value> = values.by_ref().take(count).collect();
        let given = self.given(e, values.collect());
        let start = Start {
            activity: Activity::Constructor(Some(id), e),
            contract: Some(&constructor.contract),
            parameters: &constructor.parameters,
            body: constructor.body.as_ref(),
            this: Some(object),
            arguments,
            given,
            types,
        };
        self.enter(start).map(|frame| Progress::Called(Box::new(frame))).map_err(|stop| stop.at(e.span))
    }

    pub(super) fn run_of(&self, class: NodeId) -> Option<(NodeId, &'t Run)> {
        let members = self.resolution.items.members.get(&class)?;
        members.iter().find_map(|member| match &member.kind {
            ClassMemberKind::Run(run) => Some((member.id, run)),
            _ => None,
        })
    }

    fn contract_of(&self, activity: Activity<'t>) -> Option<&'t Contract> {
        match activity {
            Activity::Routine(id, _) | Activity::Entry(id) => {
                self.resolution.items.routines.get(&id)?.contract()
            }
            Activity::Constructor(id, _) => Some(&self.resolution.items.constructors.get(&id?)?.contract),
            Activity::Run(id) => Some(&self.resolution.items.runs.get(&id)?.contract),
            _ => None,
        }
    }

    /// The end of a routine or thread.
    pub(super) fn finish(&mut self, frame: Frame<'t>) -> Result<()> {
        let mut after = frame.env.clone();
        after.variables.extend(frame.arguments.iter().cloned());
        if let Some(contract) = self.contract_of(frame.activity) {
            let mut clauses: Vec<&Expression> = contract.everywhere().collect();
            clauses.extend(contract.postconditions());
            self.require(&mut after, &clauses, "postFailed")?;
        }
        match frame.activity {
            Activity::Routine(_, e) | Activity::Constructor(_, e) => {
                let value = match frame.activity {
                    Activity::Constructor(..) => frame.env.this.clone(),
                    _ => frame.env.result.clone(),
                };
                let value = value.unwrap_or(Value::Void);
                self.deliver(e, value, &frame.env)?;
            }
            Activity::Block(region) => {
                if let pvl::syntax::tree::ParRegionKind::Block(block) = &region.kind {
                    let clauses: Vec<&Expression> = block.contract.postconditions().collect();
                    self.require(&mut after, &clauses, "parPostFailed")?;
                }
            }
            Activity::Loop(statement) => self.iteration_ensures(&mut after, statement)?,
            Activity::Run(_) | Activity::Coordinator | Activity::Entry(_) => {}
        }
        let number = self.thread;
        if self.state.threads[number].frames.is_empty() {
            self.state.threads[number].is_done = true;
        }
        Ok(())
    }

    /// Gives a result, and ghost results, to the caller.
    fn deliver(&mut self, e: &'t Expression, value: Value, callee: &Env) -> Result<()> {
        let number = self.thread;
        let Some(mut caller) = self.state.threads[number].frames.pop() else { return Ok(()) };
        let value = self.converted(&caller.env, e, value)?;
        caller.values.push(value);
        let yields = match &*e.kind {
            ExpressionKind::Call(call) => &call.yields[..],
            ExpressionKind::New { yields, .. } => &yields[..],
            _ => &[],
        };
        let names = self.resolution.ghost_arguments.get(&e.id).map_or(&[][..], |it| &it.yields[..]);
        if !self.manner.erased {
            for (id, written) in names.iter().zip(yields) {
                let value = self.variable(callee, *id, e.span)?;
                match self.resolution.names.get(&written.target.id) {
                    Some(pvl::resolve::NameTarget::Variable(target)) => {
                        self.set_variable(&mut caller.env, *target, value, e.span)?;
                    }
                    _ => {
                        let location = self.location(&mut caller.env, &written.target)?;
                        self.state.write(location, value, number, e.span)?;
                    }
                }
            }
        }
        self.state.threads[number].frames.push(caller);
        Ok(())
    }
}

fn preconditions(contract: &Contract) -> Vec<&Expression> {
    let mut clauses: Vec<&Expression> = contract.everywhere().collect();
    clauses.extend(contract.preconditions());
    clauses
}
