//! Members and terms of a model, read in one way for those who explore it and for those who prove that a program follows it.
//! What stands at the leaves of a term (data, and processes that the model does not declare) is seen differently by them
//! and is a parameter ([`Leaves`]).

use process::{
    Action, ActionId, Binary, Binder, Expression as Data, ExpressionKind, Parameter, Process, ProcessId,
    Term, TermKind, Type, Value, VariableId,
};

use crate::resolve::{CallTarget, Operation, Resolution};
use crate::syntax::tree::{
    self, BinaryOperator, Binding, Builtin, Expression, ExpressionKind as Written, ModelMemberKind, NodeId,
    QuantifierKind,
};

/// What stands at the leaves of a term.
pub(crate) trait Leaves<'t> {
    /// A value.
    fn data(&mut self, expression: &'t Expression) -> Data;
    /// The number of a process that the model does not declare; `None` if there can be none here.
    fn other(&mut self, expression: &'t Expression, what: Other) -> Option<u32>;
    /// The number of a parameter, or of a variable that is bound around what is read next.
    fn variable(&mut self, declared: NodeId) -> VariableId;
    /// The type of a variable.
    fn type_of_variable(&mut self, declared: NodeId) -> Type;
}

/// What a process is that the model does not declare.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Other {
    /// Another model declares it.
    OfAnotherModel,
    /// A method or a function returns it.
    Returned,
    /// Some other value: a variable, say.
    Value,
}

/// The declarations of actions and processes, by their numbers.
#[derive(Clone, Default, Debug)]
pub(crate) struct Members {
    pub(crate) actions: Vec<NodeId>,
    pub(crate) processes: Vec<NodeId>,
}

impl Members {
    /// The number of an action.
    pub(crate) fn action(&self, id: NodeId) -> Option<ActionId> {
        self.actions.iter().position(|known| *known == id).map(|at| ActionId(at as u32))
    }

    /// The number of a process.
    pub(crate) fn process(&self, id: NodeId) -> Option<ProcessId> {
        self.processes.iter().position(|known| *known == id).map(|at| ProcessId(at as u32))
    }
}

/// A model in which nothing is declared.
pub(crate) fn empty_model(source: &tree::Model) -> process::Model {
    process::Model {
        name: source.name.text.clone(),
        fields: Vec::new(),
        actions: Vec::new(),
        processes: Vec::new(),
        functions: Vec::new(),
        enumerations: Vec::new(),
        data_types: Vec::new(),
        next_variable: 0,
        span: source.name.span,
    }
}

/// The actions and processes of a model with their parameters, without contracts and without bodies, so that members can
/// refer to each other.
pub(crate) fn declare<'t>(
    source: &'t tree::Model,
    leaves: &mut dyn Leaves<'t>,
) -> (Members, Vec<Action>, Vec<Process>) {
    let (mut members, mut actions, mut processes) = (Members::default(), Vec::new(), Vec::new());
    for member in &source.members {
        match &member.kind {
            ModelMemberKind::Action(it) => {
                members.actions.push(member.id);
                actions.push(Action {
                    name: it.name.text.clone(),
                    parameters: parameters(&it.parameters, leaves),
                    requires: Vec::new(),
                    ensures: Vec::new(),
                    modifies: Vec::new(),
                    accessible: Vec::new(),
                    span: it.name.span,
                });
            }
            ModelMemberKind::Process(it) => {
                members.processes.push(member.id);
                processes.push(Process {
                    name: it.name.text.clone(),
                    parameters: parameters(&it.parameters, leaves),
                    requires: Vec::new(),
                    ensures: Vec::new(),
                    modifies: Vec::new(),
                    accessible: Vec::new(),
                    decreases: Vec::new(),
                    body: Term::new(TermKind::Deadlock, it.name.span),
                    span: it.name.span,
                });
            }
            _ => {}
        }
    }
    (members, actions, processes)
}

/// Parameters with the numbers of their variables.
pub(crate) fn parameters<'t>(declared: &'t [tree::Parameter], leaves: &mut dyn Leaves<'t>) -> Vec<Parameter> {
    let parameter = |it: &tree::Parameter| Parameter {
        variable: leaves.variable(it.id),
        name: it.name.text.clone(),
        ty: leaves.type_of_variable(it.id),
        span: it.span,
    };
    declared.iter().map(parameter).collect()
}

/// The term that an expression is, or the part of it that is none. The parser bounds its depth.
pub(crate) fn read_term<'t>(
    resolution: &Resolution<'t>,
    members: &Members,
    expression: &'t Expression,
    leaves: &mut dyn Leaves<'t>,
) -> Result<Term, &'t Expression> {
    let mut part = |part: &'t Expression| read_term(resolution, members, part, leaves);
    let kind = match &*expression.kind {
        Written::EmptyProcess => TermKind::Empty,
        Written::StuckProcess => TermKind::Deadlock,
        Written::Builtin(Builtin::Iterate, arguments) => match &arguments[..] {
            [body] => TermKind::Iteration(part(body)?),
            _ => return Err(expression),
        },
        Written::Trigger(_, inner) => part(inner)?.kind().clone(),
        Written::Quantifier { kind, bindings, condition, body } => {
            let binders = bindings.iter().map(|binding| read_binder(binding, leaves)).collect();
            let condition = condition.as_ref().map(|condition| leaves.data(condition));
            let body = read_term(resolution, members, body, leaves)?;
            bound(*kind, binders, condition, body).ok_or(expression)?.kind().clone()
        }
        Written::Binary(operator, left, right)
            if matches!(resolution.operations.get(&expression.id), Some(Operation::Processes)) =>
        {
            let (left, right) = (part(left)?, part(right)?);
            match operator {
                BinaryOperator::Multiply => TermKind::Sequence(left, right),
                BinaryOperator::Add => TermKind::Choice(left, right),
                BinaryOperator::Or => TermKind::Parallel(left, right),
                _ => return Err(expression),
            }
        }
        Written::Conditional(condition, then, otherwise) => {
            let (then, otherwise) = (part(then)?, part(otherwise)?);
            TermKind::Conditional(leaves.data(condition), then, otherwise)
        }
        Written::Call(call) => match resolution.calls.get(&expression.id) {
            Some(CallTarget::Process(id)) => {
                let arguments = call.arguments.iter().map(|argument| leaves.data(argument)).collect();
                match (members.action(*id), members.process(*id)) {
                    (Some(action), _) => TermKind::Action(action, arguments),
                    (_, Some(process)) => TermKind::Call(process, arguments),
                    _ => other(expression, Other::OfAnotherModel, leaves)?,
                }
            }
            _ => other(expression, Other::Returned, leaves)?,
        },
        _ => other(expression, Other::Value, leaves)?,
    };
    Ok(Term::new(kind, expression.span))
}

fn other<'t>(
    expression: &'t Expression,
    what: Other,
    leaves: &mut dyn Leaves<'t>,
) -> Result<TermKind, &'t Expression> {
    leaves.other(expression, what).map(TermKind::Foreign).ok_or(expression)
}

/// A variable with its range, which is read outside of it.
pub(crate) fn read_binder<'t>(binding: &'t Binding, leaves: &mut dyn Leaves<'t>) -> Binder {
    let range = binding.range.as_ref().map(|(low, high)| (leaves.data(low), leaves.data(high)));
    Binder {
        range,
        variable: leaves.variable(binding.id),
        name: binding.name.text.clone(),
        ty: leaves.type_of_variable(binding.id),
    }
}

/// `\sum` and `\par`; the condition belongs to the innermost variable.
fn bound(
    kind: QuantifierKind,
    binders: Vec<Binder>,
    mut condition: Option<Data>,
    mut inner: Term,
) -> Option<Term> {
    let span = inner.span();
    let always = || Data::new(ExpressionKind::Literal(Value::Boolean(true)), Type::Boolean, span);
    for binder in binders.into_iter().rev() {
        let kind = match kind {
            QuantifierKind::Parallel if binder.range.is_some() => TermKind::Family(binder, inner),
            QuantifierKind::Sum => TermKind::Sum(binder, condition.take().unwrap_or_else(always), inner),
            _ => return None,
        };
        inner = Term::new(kind, span);
    }
    Some(inner)
}

/// An operator on numbers that means the same for numbers of all types, and whether its operands change places.
pub(crate) fn operator_on_numbers(operator: BinaryOperator) -> Option<(Binary, bool)> {
    Some(match operator {
        BinaryOperator::Add => (Binary::Add, false),
        BinaryOperator::Subtract => (Binary::Subtract, false),
        BinaryOperator::Multiply => (Binary::Multiply, false),
        BinaryOperator::Less => (Binary::Less, false),
        BinaryOperator::LessEqual => (Binary::AtMost, false),
        BinaryOperator::Greater => (Binary::Less, true),
        BinaryOperator::GreaterEqual => (Binary::AtMost, true),
        _ => return None,
    })
}
