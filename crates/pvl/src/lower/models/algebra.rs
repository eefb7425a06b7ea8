//! Models of a program as models of the crate `process`, as far as proofs need them: the algebra looks at terms, at sums and
//! comparisons of integers and at connectives; any other expression of the language stays what it is, a function of the
//! parameters that occur in it ([`Opaque`]).

use std::rc::Rc;
use std::sync::Arc;

use process::{ActionId, Binary, ExpressionKind as Data, FunctionId, ProcessId, TermKind, Unary, VariableId};
use rustc_hash::FxHashMap;

use crate::lower::Lowering;
use crate::resolve::{CallTarget, NameTarget, Operation, Resolution, Type};
use crate::syntax::tree::{
    BinaryOperator, Binding, Builtin, Expression, ExpressionKind, Model, ModelMemberKind, NodeId, Process,
    QuantifierKind, UnaryOperator,
};

/// An expression that the algebra does not look into.
#[derive(Clone, Debug)]
pub(super) struct Opaque<'t> {
    pub(super) expression: &'t Expression,
    /// What its arguments stand for.
    pub(super) parameters: Vec<NodeId>,
}

/// A model as the algebra sees it.
#[derive(Debug)]
pub(crate) struct AlgebraicModel<'t> {
    pub(super) model: process::Model,
    /// The declarations of actions and processes, by their numbers.
    pub(super) actions: Vec<NodeId>,
    pub(super) processes: Vec<NodeId>,
    /// By the numbers of the functions that stand for them.
    pub(super) opaque: Vec<Opaque<'t>>,
}

impl AlgebraicModel<'_> {
    fn action(&self, id: NodeId) -> Option<ActionId> {
        self.actions.iter().position(|known| *known == id).map(|at| ActionId(at as u32))
    }

    fn process(&self, id: NodeId) -> Option<ProcessId> {
        self.processes.iter().position(|known| *known == id).map(|at| ProcessId(at as u32))
    }
}

/// What stands at the leaves of a term.
pub(super) trait Leaves<'t> {
    fn data(&mut self, expression: &'t Expression) -> process::Expression;
    /// A term that is no operator and no declared process; `None` if there can be none.
    fn term(&mut self, expression: &'t Expression) -> Option<u32>;
    /// A variable that is bound around what is read next.
    fn bind(&mut self, binding: &'t Binding) -> VariableId;
    /// The type of a variable.
    fn data_type(&mut self, ty: &Type) -> process::Type;
}

/// The term that an expression is; `None` with the expression that is none.
pub(super) fn read_term<'t>(
    resolution: &Resolution<'t>,
    model: &AlgebraicModel<'t>,
    expression: &'t Expression,
    leaves: &mut dyn Leaves<'t>,
) -> Result<process::Term, &'t Expression> {
    let mut part = |part: &'t Expression| read_term(resolution, model, part, leaves);
    let kind = match &*expression.kind {
        ExpressionKind::EmptyProcess => TermKind::Empty,
        ExpressionKind::StuckProcess => TermKind::Deadlock,
        ExpressionKind::Builtin(Builtin::Iterate, arguments) => match &arguments[..] {
            [body] => TermKind::Iteration(part(body)?),
            _ => return Err(expression),
        },
        ExpressionKind::Quantifier { kind, bindings, condition, body } => {
            return read_bound(resolution, model, (*kind, bindings, condition.as_ref(), body), leaves);
        }
        ExpressionKind::Binary(operator, left, right)
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
        ExpressionKind::Conditional(condition, then, otherwise) => {
            let (then, otherwise) = (part(then)?, part(otherwise)?);
            TermKind::Conditional(leaves.data(condition), then, otherwise)
        }
        ExpressionKind::Call(call) => match resolution.calls.get(&expression.id) {
            Some(CallTarget::Process(id)) => {
                let arguments = call.arguments.iter().map(|argument| leaves.data(argument)).collect();
                match (model.action(*id), model.process(*id)) {
                    (Some(action), _) => TermKind::Action(action, arguments),
                    (_, Some(process)) => TermKind::Call(process, arguments),
                    _ => return Err(expression),
                }
            }
            _ => TermKind::Foreign(leaves.term(expression).ok_or(expression)?),
        },
        _ => TermKind::Foreign(leaves.term(expression).ok_or(expression)?),
    };
    Ok(process::Term::new(kind, expression.span))
}

/// `\sum` and `\par`; the condition belongs to the innermost variable.
fn read_bound<'t>(
    resolution: &Resolution<'t>,
    model: &AlgebraicModel<'t>,
    (kind, bindings, condition, body): Bound<'t>,
    leaves: &mut dyn Leaves<'t>,
) -> Result<process::Term, &'t Expression> {
    let mut binders = Vec::new();
    for binding in bindings {
        let range = binding.range.as_ref().map(|(low, high)| (leaves.data(low), leaves.data(high)));
        let ty = resolution.variables.get(&binding.id).cloned().unwrap_or(Type::Unknown);
        let ty = leaves.data_type(&ty);
        let variable = leaves.bind(binding);
        binders.push(process::Binder { range, variable, name: binding.name.text.clone(), ty });
    }
    let mut last = condition.map(|condition| leaves.data(condition));
    let mut inner = read_term(resolution, model, body, leaves)?;
    let always = || {
        let truth = Data::Literal(process::Value::Boolean(true));
        process::Expression::new(truth, process::Type::Boolean, body.span)
    };
    for binder in binders.into_iter().rev() {
        let kind = match kind {
            QuantifierKind::Parallel if binder.range.is_some() => TermKind::Family(binder, inner),
            QuantifierKind::Sum => TermKind::Sum(binder, last.take().unwrap_or_else(always), inner),
            _ => return Err(body),
        };
        inner = process::Term::new(kind, body.span);
    }
    Ok(inner)
}

/// A quantifier: kind, variables, condition and body.
type Bound<'t> = (QuantifierKind, &'t [Binding], Option<&'t Expression>, &'t Expression);

/// The type of a value, as far as the algebra computes with it.
pub(super) fn data_type(ty: &Type) -> process::Type {
    match ty {
        Type::Int => process::Type::Integer,
        Type::Boolean => process::Type::Boolean,
        other => process::Type::Opaque(format!("{other:?}").into()),
    }
}

/// Expressions over the parameters of a process.
struct Body<'b, 't> {
    resolution: &'b Resolution<'t>,
    variables: &'b mut FxHashMap<NodeId, VariableId>,
    opaque: &'b mut Vec<Opaque<'t>>,
    next: &'b mut u32,
    types: &'b mut OpaqueTypes,
}

/// Types that the algebra does not compute with, by what stands for them there.
pub(super) type OpaqueTypes = FxHashMap<Arc<str>, Type>;

/// The type of a value; what it stands for is kept.
pub(super) fn known_type(types: &mut OpaqueTypes, ty: &Type) -> process::Type {
    let known = data_type(ty);
    if let process::Type::Opaque(name) = &known {
        types.insert(name.clone(), ty.clone());
    }
    known
}

impl<'t> Leaves<'t> for Body<'_, 't> {
    fn data(&mut self, expression: &'t Expression) -> process::Expression {
        let own = self.resolution.expressions.get(&expression.id).cloned().unwrap_or(Type::Unknown);
        let wanted = self.resolution.conversions.get(&expression.id).cloned().unwrap_or(own.clone());
        let ty = known_type(self.types, &wanted);
        let known = if own == wanted { self.structured(expression, &own) } else { None };
        let kind = known.unwrap_or_else(|| self.opaque_call(expression));
        process::Expression::new(kind, ty, expression.span)
    }

    fn term(&mut self, _: &'t Expression) -> Option<u32> {
        None
    }

    fn bind(&mut self, binding: &'t Binding) -> VariableId {
        let variable = VariableId(*self.next);
        *self.next += 1;
        self.variables.insert(binding.id, variable);
        variable
    }

    fn data_type(&mut self, ty: &Type) -> process::Type {
        known_type(self.types, ty)
    }
}

/// An expression that the algebra looks into, with its parts read by the leaves; `None` if it is none.
pub(super) fn structured<'t>(
    resolution: &Resolution<'t>,
    variables: &FxHashMap<NodeId, VariableId>,
    expression: &'t Expression,
    ty: &Type,
    leaves: &mut dyn Leaves<'t>,
) -> Option<Data> {
    let is_known = match resolution.operations.get(&expression.id) {
        Some(Operation::Numbers(Type::Int) | Operation::Logic) => true,
        Some(Operation::Equality(ty)) => matches!(ty, Type::Int | Type::Boolean),
        _ => false,
    };
    Some(match &*expression.kind {
        ExpressionKind::Int(digits) => Data::Literal(process::Value::Integer(digits.parse().ok()?)),
        ExpressionKind::Bool(value) => Data::Literal(process::Value::Boolean(*value)),
        ExpressionKind::Name(_) => match resolution.names.get(&expression.id) {
            Some(NameTarget::Variable(id)) => Data::Variable(*variables.get(id)?),
            _ => return None,
        },
        ExpressionKind::Unary(UnaryOperator::Not, operand) => Data::Unary(Unary::Not, leaves.data(operand)),
        ExpressionKind::Unary(UnaryOperator::Negate, operand) if *ty == Type::Int => {
            Data::Unary(Unary::Negate, leaves.data(operand))
        }
        ExpressionKind::Binary(operator, left, right) if is_known => {
            let operator = match operator {
                BinaryOperator::Add => Binary::Add,
                BinaryOperator::Subtract => Binary::Subtract,
                BinaryOperator::Multiply => Binary::Multiply,
                BinaryOperator::Less => Binary::Less,
                BinaryOperator::LessEqual => Binary::AtMost,
                BinaryOperator::Greater => {
                    return Some(Data::Binary(Binary::Less, leaves.data(right), leaves.data(left)));
                }
                BinaryOperator::GreaterEqual => {
                    return Some(Data::Binary(Binary::AtMost, leaves.data(right), leaves.data(left)));
                }
                BinaryOperator::Equal => Binary::Equal,
                BinaryOperator::NotEqual => Binary::Unequal,
                // The right side need not have a value where the left one decides.
                BinaryOperator::And if is_total(resolution, right) => Binary::And,
                BinaryOperator::Or if is_total(resolution, right) => Binary::Or,
                BinaryOperator::Implies if is_total(resolution, right) => Binary::Implies,
                _ => return None,
            };
            Data::Binary(operator, leaves.data(left), leaves.data(right))
        }
        _ => return None,
    })
}

impl<'t> Body<'_, 't> {
    fn structured(&mut self, expression: &'t Expression, ty: &Type) -> Option<Data> {
        let variables = self.variables.clone();
        structured(self.resolution, &variables, expression, ty, self)
    }

    fn opaque_call(&mut self, expression: &'t Expression) -> Data {
        let mut parameters = Vec::new();
        mentioned(self.resolution, self.variables, expression, &mut parameters);
        let number = FunctionId(self.opaque.len() as u32);
        let arguments = parameters.iter().filter_map(|id| {
            let ty = self.resolution.variables.get(id).cloned().unwrap_or(Type::Unknown);
            let variable = Data::Variable(*self.variables.get(id)?);
            Some(process::Expression::new(variable, known_type(self.types, &ty), expression.span))
        });
        let arguments = arguments.collect();
        self.opaque.push(Opaque { expression, parameters });
        Data::Call(number, arguments)
    }
}

/// Whether an expression has a value wherever its variables have, as far as its shape says.
fn is_total(resolution: &Resolution<'_>, expression: &Expression) -> bool {
    let here = match &*expression.kind {
        ExpressionKind::Int(_) | ExpressionKind::Bool(_) | ExpressionKind::Name(_) => true,
        ExpressionKind::Unary(UnaryOperator::Not | UnaryOperator::Negate, _) => true,
        ExpressionKind::Binary(operator, ..) => {
            let is_known = matches!(
                resolution.operations.get(&expression.id),
                Some(Operation::Numbers(_) | Operation::Logic | Operation::Equality(_))
            );
            is_known
                && !matches!(
                    operator,
                    BinaryOperator::Divide
                        | BinaryOperator::Modulo
                        | BinaryOperator::FractionDivide
                        | BinaryOperator::Power
                )
        }
        ExpressionKind::Conditional(..) | ExpressionKind::Size(_) => true,
        _ => false,
    };
    let mut total = here;
    expression.kind.for_each_child(&mut |child| total = total && is_total(resolution, child));
    total
}

/// Parameters that an expression mentions, in order of appearance.
pub(super) fn mentioned(
    resolution: &Resolution<'_>,
    variables: &FxHashMap<NodeId, VariableId>,
    expression: &Expression,
    found: &mut Vec<NodeId>,
) {
    if let Some(NameTarget::Variable(id)) = resolution.names.get(&expression.id)
        && variables.contains_key(id)
        && !found.contains(id)
    {
        found.push(*id);
    }
    expression.kind.for_each_child(&mut |child| mentioned(resolution, variables, child, found));
}

impl<'t> Lowering<'t> {
    /// The model as the algebra sees it; it is read once.
    pub(super) fn algebraic_model(&mut self, id: NodeId) -> Option<Rc<AlgebraicModel<'t>>> {
        if let Some(known) = self.algebraic.get(&id) {
            return Some(known.clone());
        }
        let declared = self.resolution.items.models.get(&id).copied()?;
        let model = Rc::new(self.read_model(declared));
        self.algebraic.insert(id, model.clone());
        Some(model)
    }

    fn read_model(&mut self, declared: &'t Model) -> AlgebraicModel<'t> {
        let mut variables = FxHashMap::default();
        let mut next = 0;
        let types = &mut self.terms.types;
        let mut parameters_of = |process: &Process, resolution: &Resolution<'_>| -> Vec<process::Parameter> {
            let mut parameters = Vec::new();
            for parameter in &process.parameters {
                let variable = VariableId(next);
                next += 1;
                variables.insert(parameter.id, variable);
                let ty = resolution.variables.get(&parameter.id).cloned().unwrap_or(Type::Unknown);
                parameters.push(process::Parameter {
                    variable,
                    name: parameter.name.text.clone(),
                    ty: known_type(types, &ty),
                    span: parameter.span,
                });
            }
            parameters
        };
        let span = declared.name.span;
        let mut result = AlgebraicModel {
            model: process::Model {
                name: declared.name.text.clone(),
                fields: Vec::new(),
                actions: Vec::new(),
                processes: Vec::new(),
                functions: Vec::new(),
                enumerations: Vec::new(),
                data_types: Vec::new(),
                next_variable: 0,
                span,
            },
            actions: Vec::new(),
            processes: Vec::new(),
            opaque: Vec::new(),
        };
        let mut bodies = Vec::new();
        for member in &declared.members {
            match &member.kind {
                ModelMemberKind::Action(action) => {
                    result.actions.push(member.id);
                    result.model.actions.push(process::Action {
                        name: action.name.text.clone(),
                        parameters: parameters_of(action, self.resolution),
                        requires: Vec::new(),
                        ensures: Vec::new(),
                        modifies: Vec::new(),
                        accessible: Vec::new(),
                        span: action.name.span,
                    });
                }
                ModelMemberKind::Process(process) => {
                    result.processes.push(member.id);
                    bodies.push(process.body.as_ref());
                    result.model.processes.push(process::Process {
                        name: process.name.text.clone(),
                        parameters: parameters_of(process, self.resolution),
                        requires: Vec::new(),
                        ensures: Vec::new(),
                        modifies: Vec::new(),
                        accessible: Vec::new(),
                        decreases: Vec::new(),
                        body: process::Term::new(TermKind::Empty, process.name.span),
                        span: process.name.span,
                    });
                }
                _ => {}
            }
        }
        for (at, body) in bodies.into_iter().enumerate() {
            let Some(body) = body else { continue };
            let mut opaque = std::mem::take(&mut result.opaque);
            let resolution = self.resolution;
            let mut leaves = Body {
                resolution,
                variables: &mut variables,
                opaque: &mut opaque,
                next: &mut next,
                types: &mut self.terms.types,
            };
            match read_term(resolution, &result, body, &mut leaves) {
                Ok(term) => result.model.processes[at].body = term,
                Err(part) => self.unsupported(part.span, "this in the term of a process"),
            }
            result.opaque = opaque;
        }
        result.model.next_variable = next;
        for opaque in &result.opaque {
            result.model.functions.push(process::Function {
                name: "expression".into(),
                parameters: Vec::new(),
                result: process::Type::Opaque("value".into()),
                requires: Vec::new(),
                body: None,
                span: opaque.expression.span,
            });
        }
        result
    }
}
