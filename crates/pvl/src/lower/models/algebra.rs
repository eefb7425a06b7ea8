//! Models of a program as models of the crate `process`, as far as proofs need them: the algebra looks at terms, at sums and
//! comparisons of integers and at connectives; any other expression of the language stays what it is, a function of the
//! parameters that occur in it ([`Opaque`]).

use std::rc::Rc;
use std::sync::Arc;

use process::{Binary, ExpressionKind as Data, FunctionId, Unary, VariableId};
use rustc_hash::FxHashMap;

use crate::lower::Lowering;
use crate::models::{Leaves, Members, Other, declare, empty_model, operator_on_numbers, read_term};
use crate::resolve::{NameTarget, Operation, Resolution, Type};
use crate::syntax::tree::{
    BinaryOperator, Expression, ExpressionKind, Model, ModelMemberKind, NodeId, UnaryOperator,
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
    pub(super) members: Members,
    /// By the numbers of the functions that stand for them.
    pub(super) opaque: Vec<Opaque<'t>>,
}

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
    types: &'b mut OpaqueTypes,
    variables: FxHashMap<NodeId, VariableId>,
    opaque: Vec<Opaque<'t>>,
    next: u32,
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

    fn other(&mut self, _: &'t Expression, _: Other) -> Option<u32> {
        None
    }

    fn variable(&mut self, declared: NodeId) -> VariableId {
        let variable = VariableId(self.next);
        self.next += 1;
        self.variables.insert(declared, variable);
        variable
    }

    fn type_of_variable(&mut self, declared: NodeId) -> process::Type {
        let ty = self.resolution.variables.get(&declared).cloned().unwrap_or(Type::Unknown);
        known_type(self.types, &ty)
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
            let (operator, turned) = match operator {
                BinaryOperator::Equal => (Binary::Equal, false),
                BinaryOperator::NotEqual => (Binary::Unequal, false),
                // The right side need not have a value where the left one decides.
                BinaryOperator::And if is_total(resolution, right) => (Binary::And, false),
                BinaryOperator::Or if is_total(resolution, right) => (Binary::Or, false),
                BinaryOperator::Implies if is_total(resolution, right) => (Binary::Implies, false),
                other => operator_on_numbers(*other)?,
            };
            let (left, right) = if turned { (right, left) } else { (left, right) };
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
        mentioned(self.resolution, &self.variables, expression, &mut parameters);
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
        let resolution = self.resolution;
        let mut leaves = Body {
            resolution,
            types: &mut self.terms.types,
            variables: FxHashMap::default(),
            opaque: Vec::new(),
            next: 0,
        };
        let mut model = empty_model(declared);
        let members;
        (members, model.actions, model.processes) = declare(declared, &mut leaves);
        let mut refused = Vec::new();
        let bodies = declared.members.iter().filter_map(|member| match &member.kind {
            ModelMemberKind::Process(process) => Some(process.body.as_ref()),
            _ => None,
        });
        for (process, body) in model.processes.iter_mut().zip(bodies) {
            match body.map(|body| read_term(resolution, &members, body, &mut leaves)) {
                Some(Ok(term)) => process.body = term,
                Some(Err(part)) => refused.push(part.span),
                None => {}
            }
        }
        model.next_variable = leaves.next;
        let opaque = leaves.opaque;
        model.functions.extend(opaque.iter().map(|opaque| process::Function {
            name: "expression".into(),
            parameters: Vec::new(),
            result: process::Type::Opaque("value".into()),
            requires: Vec::new(),
            body: None,
            span: opaque.expression.span,
        }));
        for span in refused {
            self.unsupported(span, "this in the term of a process");
        }
        AlgebraicModel { model, members, opaque }
    }
}
