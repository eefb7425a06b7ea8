//! Terms and expressions of the crate `process` as Silver, together with the conditions under which they have a value.
//! Silver does not let anybody write what may have none; where that is so, nothing is said.

use std::cell::RefCell;
use std::rc::Rc;

use process::{Binary, ExpressionKind as Data, TermKind, Unary, Value, VariableId};
use rustc_hash::FxHashMap;
use silver::syntax::tree as s;
use source::Span;

use super::algebra::{AlgebraicModel, Opaque};
use crate::lower::scope::{Scope, Variable};

/// What the leaves of terms are in Silver.
#[derive(Clone)]
pub(super) struct Rendering<'t> {
    model: Rc<AlgebraicModel<'t>>,
    pub(super) data: FxHashMap<u32, s::Expression>,
    pub(super) terms: FxHashMap<u32, s::Expression>,
    pub(super) variables: FxHashMap<VariableId, s::Expression>,
    /// Whether processes stay what they are called, so that nothing is unfolded without end.
    pub(super) names_only: bool,
    /// That the processes which are written are those with their names.
    pub(super) names: Rc<RefCell<Vec<s::Expression>>>,
}

impl<'t> Rendering<'t> {
    pub(super) fn new(model: Rc<AlgebraicModel<'t>>) -> Rendering<'t> {
        let (data, terms, variables) = Default::default();
        Rendering { model, data, terms, variables, names_only: false, names: Rc::default() }
    }

    /// The same model, with nothing known about leaves.
    pub(super) fn without_leaves(&self) -> Rendering<'t> {
        Rendering::new(self.model.clone())
    }
}

/// A value, and where it is one.
pub(super) struct Rendered {
    pub(super) value: s::Expression,
    pub(super) defined: s::Expression,
}

impl<'t> Scope<'_, 't> {
    pub(super) fn rendered_type(&mut self, ty: &process::Type, place: Span) -> Option<s::Type> {
        let kind = match ty {
            process::Type::Integer => s::TypeKind::Int,
            process::Type::Boolean => s::TypeKind::Bool,
            process::Type::Opaque(name) => {
                let known = self.lowering.terms.types.get(name).cloned()?;
                return Some(self.ty(&known, place));
            }
            _ => return None,
        };
        Some(self.at(place).ty(kind))
    }

    pub(super) fn rendered_term(
        &mut self,
        rendering: &Rendering<'t>,
        term: &process::Term,
        place: Span,
    ) -> Option<Rendered> {
        let two = |scope: &mut Self, name: &str, left: &process::Term, right: &process::Term| {
            let left = scope.rendered_term(rendering, left, place)?;
            let right = scope.rendered_term(rendering, right, place)?;
            let mut build = scope.at(place);
            let value = build.call(name, vec![left.value, right.value]);
            Some(Rendered { value, defined: build.and(left.defined, right.defined) })
        };
        let constant = |scope: &mut Self, name: &str| {
            let mut build = scope.at(place);
            Some(Rendered { value: build.call(name, Vec::new()), defined: build.bool(true) })
        };
        match term.kind() {
            TermKind::Empty => constant(self, "process_empty"),
            TermKind::Deadlock => constant(self, "process_deadlock"),
            TermKind::Sequence(left, right) => two(self, "process_sequence", left, right),
            TermKind::Choice(left, right) => two(self, "process_choice", left, right),
            TermKind::Parallel(left, right) => two(self, "process_parallel", left, right),
            TermKind::Iteration(body) => {
                let body = self.rendered_term(rendering, body, place)?;
                let value = self.at(place).call("process_iteration", vec![body.value]);
                Some(Rendered { value, defined: body.defined })
            }
            TermKind::Action(action, arguments) => {
                let id = *rendering.model.members.actions.get(action.0 as usize)?;
                let name = self.lowering.action_function(id);
                self.rendered_call(rendering, &name, arguments, place)
            }
            TermKind::Call(process, arguments) => {
                let id = *rendering.model.members.processes.get(process.0 as usize)?;
                let name = self.lowering.process_name(id);
                let named = self.rendered_call(rendering, &name, arguments, place)?;
                if rendering.names_only {
                    return Some(named);
                }
                let function = self.lowering.process_function(id);
                let written = self.rendered_call(rendering, &function, arguments, place)?;
                let same = self.at(place).equal(written.value.clone(), named.value);
                rendering.names.borrow_mut().push(same);
                Some(written)
            }
            TermKind::Conditional(condition, yes, no) => {
                let condition = self.rendered_data(rendering, condition, place)?;
                let yes = self.rendered_term(rendering, yes, place)?;
                let no = self.rendered_term(rendering, no, place)?;
                Some(self.rendered_choice(condition, [yes, no], place))
            }
            TermKind::Foreign(number) => {
                let value = rendering.terms.get(number)?.clone();
                Some(Rendered { value, defined: self.at(place).bool(true) })
            }
            TermKind::Sum(binder, condition, body) => {
                self.rendered_sum(rendering, binder, condition, body, place)
            }
            TermKind::Family(binder, body) => self.rendered_family(rendering, binder, body, place),
        }
    }

    /// One of two by a condition: only that one need have a value.
    fn rendered_choice(&mut self, condition: Rendered, [yes, no]: [Rendered; 2], place: Span) -> Rendered {
        let mut build = self.at(place);
        let value = build.conditional(condition.value.clone(), yes.value, no.value);
        let then = build.implies(condition.value.clone(), yes.defined);
        let not = build.not(condition.value);
        let otherwise = build.implies(not, no.defined);
        let branches = build.and(then, otherwise);
        Rendered { value, defined: build.and(condition.defined, branches) }
    }

    /// Values, and where all of them have one.
    fn rendered_arguments(
        &mut self,
        rendering: &Rendering<'t>,
        arguments: &[process::Expression],
        place: Span,
    ) -> Option<(Vec<s::Expression>, Vec<s::Expression>)> {
        let (mut values, mut defined) = (Vec::new(), Vec::new());
        for argument in arguments {
            let rendered = self.rendered_data(rendering, argument, place)?;
            values.push(rendered.value);
            defined.push(rendered.defined);
        }
        Some((values, defined))
    }

    fn rendered_call(
        &mut self,
        rendering: &Rendering<'t>,
        name: &str,
        arguments: &[process::Expression],
        place: Span,
    ) -> Option<Rendered> {
        let (values, defined) = self.rendered_arguments(rendering, arguments, place)?;
        let mut build = self.at(place);
        Some(Rendered { value: build.call(name, values), defined: build.all(defined) })
    }

    pub(super) fn rendered_data(
        &mut self,
        rendering: &Rendering<'t>,
        data: &process::Expression,
        place: Span,
    ) -> Option<Rendered> {
        let total = |scope: &mut Self, value: s::Expression| {
            Some(Rendered { value, defined: scope.at(place).bool(true) })
        };
        match data.kind() {
            Data::Literal(Value::Integer(number)) => {
                let mut build = self.at(place);
                let digits = number.magnitude().to_string();
                let value = build.expression(s::ExpressionKind::Int(digits.into()));
                let value = match number.sign() {
                    num_bigint::Sign::Minus => {
                        build.expression(s::ExpressionKind::Unary(s::UnaryOperator::Negate, value))
                    }
                    _ => value,
                };
                total(self, value)
            }
            Data::Literal(Value::Boolean(value)) => {
                let value = self.at(place).bool(*value);
                total(self, value)
            }
            Data::Variable(variable) => {
                let value = rendering.variables.get(variable)?.clone();
                total(self, value)
            }
            Data::Foreign(number) => {
                let value = rendering.data.get(number)?.clone();
                total(self, value)
            }
            Data::Unary(operator, operand) => {
                let operand = self.rendered_data(rendering, operand, place)?;
                let operator = match operator {
                    Unary::Not => s::UnaryOperator::Not,
                    Unary::Negate => s::UnaryOperator::Negate,
                };
                let kind = s::ExpressionKind::Unary(operator, operand.value);
                let value = self.at(place).expression(kind);
                Some(Rendered { value, defined: operand.defined })
            }
            Data::Binary(operator, left, right) => {
                self.rendered_binary(rendering, *operator, [left, right], place)
            }
            Data::Conditional(condition, yes, no) => {
                let condition = self.rendered_data(rendering, condition, place)?;
                let yes = self.rendered_data(rendering, yes, place)?;
                let no = self.rendered_data(rendering, no, place)?;
                Some(self.rendered_choice(condition, [yes, no], place))
            }
            Data::Call(function, arguments) => {
                let known = self.lowering.terms.opaque(*function);
                let opaque = known.or_else(|| rendering.model.opaque.get(function.0 as usize))?.clone();
                self.rendered_opaque(rendering, &opaque, arguments, place)
            }
            _ => None,
        }
    }

    fn rendered_binary(
        &mut self,
        rendering: &Rendering<'t>,
        operator: Binary,
        [left, right]: [&process::Expression; 2],
        place: Span,
    ) -> Option<Rendered> {
        let left = self.rendered_data(rendering, left, place)?;
        let right = self.rendered_data(rendering, right, place)?;
        let silver = match operator {
            Binary::And => s::BinaryOperator::And,
            Binary::Or => s::BinaryOperator::Or,
            Binary::Implies => s::BinaryOperator::Implies,
            Binary::Equal => s::BinaryOperator::Equal,
            Binary::Unequal => s::BinaryOperator::NotEqual,
            Binary::Less => s::BinaryOperator::Less,
            Binary::AtMost => s::BinaryOperator::LessEqual,
            Binary::Add => s::BinaryOperator::Add,
            Binary::Subtract => s::BinaryOperator::Subtract,
            Binary::Multiply => s::BinaryOperator::Multiply,
            Binary::Divide | Binary::Remainder | Binary::DivideEuclidean | Binary::RemainderEuclidean => {
                return None;
            }
        };
        let mut build = self.at(place);
        let value = build.binary(silver, left.value, right.value);
        Some(Rendered { value, defined: build.and(left.defined, right.defined) })
    }

    /// An expression of the language with values for the parameters in it.
    fn rendered_opaque(
        &mut self,
        rendering: &Rendering<'t>,
        opaque: &Opaque<'t>,
        arguments: &[process::Expression],
        place: Span,
    ) -> Option<Rendered> {
        let (values, defined) = self.rendered_arguments(rendering, arguments, place)?;
        let (value, own) = self.locally(|scope| {
            for (parameter, value) in opaque.parameters.iter().zip(values) {
                scope.bindings.variables.insert(*parameter, Variable::Value(value));
            }
            let value = scope.assertion(opaque.expression);
            Some((value, scope.definedness(opaque.expression)?))
        })?;
        let mut build = self.at(place);
        let defined = build.all(defined);
        Some(Rendered { value, defined: build.and(defined, own) })
    }
}
