//! Expressions of models in their own form as Silver, with the conditions under which they have a value. What Silver has
//! no words for is left out: whoever needs it goes without.

use process::{
    Binary, Builtin, Expression, ExpressionKind as Kind, Quantifier, Substitution, Unary, Value, VariableId,
};
use rustc_hash::FxHashMap;
use silver::syntax::tree as s;
use source::Span;

use crate::lower::instances::{Instance, Part};
use crate::lower::scope::Scope;
use crate::models::Converted;

/// What variables are in Silver.
#[derive(Clone)]
pub(super) struct Values<'c> {
    converted: &'c Converted,
    pub(super) variables: FxHashMap<VariableId, s::Expression>,
}

impl<'c> Values<'c> {
    pub(super) fn new(converted: &'c Converted) -> Values<'c> {
        Values { converted, variables: FxHashMap::default() }
    }
}

/// A value, and where it is one.
type Defined = (s::Expression, s::Expression);

impl<'t> Scope<'_, 't> {
    pub(super) fn model_type(&mut self, ty: &process::Type, place: Span) -> Option<s::Type> {
        use process::Type as T;
        let kind = match ty {
            T::Boolean => s::TypeKind::Bool,
            T::Integer | T::Character => s::TypeKind::Int,
            T::Rational => s::TypeKind::Perm,
            T::Sequence(element) => s::TypeKind::Seq(Box::new(self.model_type(element, place)?)),
            T::Set(element) => s::TypeKind::Set(Box::new(self.model_type(element, place)?)),
            T::Bag(element) => s::TypeKind::Multiset(Box::new(self.model_type(element, place)?)),
            T::Map(key, value) => s::TypeKind::Map(
                Box::new(self.model_type(key, place)?),
                Box::new(self.model_type(value, place)?),
            ),
            _ => return None,
        };
        Some(self.at(place).ty(kind))
    }

    /// An expression of a model; `None` if it cannot be written.
    pub(super) fn model_value(
        &mut self,
        values: &Values<'_>,
        expression: &Expression,
        place: Span,
    ) -> Option<Defined> {
        match expression.kind() {
            Kind::Literal(value) => {
                let value = self.model_literal(value, place)?;
                Some((value, self.at(place).bool(true)))
            }
            Kind::Variable(variable) => {
                let value = values.variables.get(variable)?.clone();
                Some((value, self.at(place).bool(true)))
            }
            Kind::Unary(operator, operand) => {
                let (value, defined) = self.model_value(values, operand, place)?;
                let operator = match operator {
                    Unary::Not => s::UnaryOperator::Not,
                    Unary::Negate => s::UnaryOperator::Negate,
                };
                let value = self.at(place).expression(s::ExpressionKind::Unary(operator, value));
                Some((value, defined))
            }
            Kind::Binary(operator, left, right) => self.model_binary(values, *operator, left, right, place),
            Kind::Conditional(condition, yes, no) => {
                let (condition, known) = self.model_value(values, condition, place)?;
                let (yes, yes_defined) = self.model_value(values, yes, place)?;
                let (no, no_defined) = self.model_value(values, no, place)?;
                let mut build = self.at(place);
                let value = build.conditional(condition.clone(), yes, no);
                let branches = build.conditional(condition, yes_defined, no_defined);
                Some((value, build.and(known, branches)))
            }
            Kind::Call(function, arguments) => {
                let id = *values.converted.functions.get(function.0 as usize)?;
                let declared = values.converted.model.functions.get(function.0 as usize)?;
                let substitution = Substitution::of_parameters(&declared.parameters, arguments);
                let (mut parts, mut defined) = (Vec::new(), Vec::new());
                for argument in arguments {
                    let (value, known) = self.model_value(values, argument, place)?;
                    parts.push(value);
                    defined.push(known);
                }
                for condition in &declared.requires {
                    let (value, known) = self.model_value(values, &substitution.apply(condition), place)?;
                    defined.extend([known, value]);
                }
                // An object in front of a function is none of its arguments here.
                if self.lowering.has_this(id) {
                    return None;
                }
                let name = self.lowering.instance(Instance::new(Part::Routine, id, Vec::new()));
                let mut build = self.at(place);
                Some((build.call(&name, parts), build.all(defined)))
            }
            Kind::Builtin(builtin, operands) => {
                self.model_builtin(values, builtin, operands, expression, place)
            }
            Kind::Quantified(quantifier, binders, condition, body) => {
                self.model_quantified(values, *quantifier, binders, (condition, body), place)
            }
            Kind::Let(variable, value, body) => {
                let mut substitution = Substitution::new();
                substitution.set(*variable, value.clone());
                self.model_value(values, &substitution.apply(body), place)
            }
            Kind::Field(..) | Kind::Foreign(_) => None,
        }
    }

    fn model_literal(&mut self, value: &Value, place: Span) -> Option<s::Expression> {
        let mut build = self.at(place);
        Some(match value {
            Value::Boolean(value) => build.bool(*value),
            Value::Integer(number) => {
                let value = build.expression(s::ExpressionKind::Int(number.magnitude().to_string().into()));
                match number.sign() {
                    num_bigint::Sign::Minus => {
                        build.expression(s::ExpressionKind::Unary(s::UnaryOperator::Negate, value))
                    }
                    _ => value,
                }
            }
            Value::Character(character) => build.int(i64::from(u32::from(*character))),
            _ => return None,
        })
    }

    fn model_binary(
        &mut self,
        values: &Values<'_>,
        operator: Binary,
        left: &Expression,
        right: &Expression,
        place: Span,
    ) -> Option<Defined> {
        let is_integer = *left.ty() == process::Type::Integer;
        let (first, first_defined) = self.model_value(values, left, place)?;
        let (second, second_defined) = self.model_value(values, right, place)?;
        let mut build = self.at(place);
        let both = |build: &mut crate::lower::build::Build<'_>| {
            build.and(first_defined.clone(), second_defined.clone())
        };
        let (silver, defined) = match operator {
            Binary::And | Binary::Implies => {
                let second = build.implies(first.clone(), second_defined.clone());
                let silver =
                    if operator == Binary::And { s::BinaryOperator::And } else { s::BinaryOperator::Implies };
                (silver, build.and(first_defined.clone(), second))
            }
            Binary::Or => {
                let not = build.not(first.clone());
                let second = build.implies(not, second_defined.clone());
                (s::BinaryOperator::Or, build.and(first_defined.clone(), second))
            }
            Binary::Equal => (s::BinaryOperator::Equal, both(&mut build)),
            Binary::Unequal => (s::BinaryOperator::NotEqual, both(&mut build)),
            Binary::Less => (s::BinaryOperator::Less, both(&mut build)),
            Binary::AtMost => (s::BinaryOperator::LessEqual, both(&mut build)),
            Binary::Add => (s::BinaryOperator::Add, both(&mut build)),
            Binary::Subtract => (s::BinaryOperator::Subtract, both(&mut build)),
            Binary::Multiply => (s::BinaryOperator::Multiply, both(&mut build)),
            Binary::Divide | Binary::Remainder | Binary::DivideEuclidean | Binary::RemainderEuclidean
                if is_integer =>
            {
                let zero = build.int(0);
                let nonzero = build.different(second.clone(), zero);
                let silver = match operator {
                    Binary::Divide | Binary::DivideEuclidean => s::BinaryOperator::IntDivide,
                    _ => s::BinaryOperator::Modulo,
                };
                let both = both(&mut build);
                (silver, build.and(both, nonzero))
            }
            _ => return None,
        };
        Some((build.binary(silver, first, second), defined))
    }

    fn model_builtin(
        &mut self,
        values: &Values<'_>,
        builtin: &Builtin,
        operands: &[Expression],
        whole: &Expression,
        place: Span,
    ) -> Option<Defined> {
        let (mut parts, mut defined) = (Vec::new(), Vec::new());
        for operand in operands {
            let (value, known) = self.model_value(values, operand, place)?;
            parts.push(value);
            defined.push(known);
        }
        let is_sequence =
            |at: usize| matches!(operands.get(at).map(Expression::ty), Some(process::Type::Sequence(_)));
        let is_map = |at: usize| matches!(operands.get(at).map(Expression::ty), Some(process::Type::Map(..)));
        let ty = self.model_type(whole.ty(), place);
        let mut build = self.at(place);
        let kind = match (builtin, &parts[..]) {
            (Builtin::SequenceOf | Builtin::SetOf | Builtin::BagOf, _) => {
                if parts.is_empty() {
                    let value = build.empty(ty?)?;
                    return Some((value, build.bool(true)));
                }
                let kind = match builtin {
                    Builtin::SequenceOf => s::CollectionKind::Seq,
                    Builtin::SetOf => s::CollectionKind::Set,
                    _ => s::CollectionKind::Multiset,
                };
                s::ExpressionKind::Collection(kind, None, parts)
            }
            (Builtin::RangeSequence, [from, to]) => s::ExpressionKind::Range(from.clone(), to.clone()),
            (Builtin::Size, [of]) => s::ExpressionKind::Size(of.clone()),
            (Builtin::At, [of, at]) if is_sequence(0) => {
                let zero = build.int(0);
                let size = build.size(of.clone());
                defined.push(build.within(zero, at.clone(), size));
                s::ExpressionKind::Index(of.clone(), at.clone())
            }
            (Builtin::At, [of, key]) if is_map(0) => {
                let domain = build.expression(s::ExpressionKind::MapDomain(of.clone()));
                defined.push(build.binary(s::BinaryOperator::In, key.clone(), domain));
                let value = build.map_lookup(of.clone(), key.clone());
                return Some((value, build.all(defined)));
            }
            (Builtin::Updated, [of, at, value]) => {
                if is_sequence(0) {
                    let zero = build.int(0);
                    let size = build.size(of.clone());
                    defined.push(build.within(zero, at.clone(), size));
                }
                s::ExpressionKind::Update(of.clone(), at.clone(), value.clone())
            }
            (Builtin::Concatenate, [left, right]) => {
                s::ExpressionKind::Binary(s::BinaryOperator::Append, left.clone(), right.clone())
            }
            (Builtin::Take, [of, count]) => s::ExpressionKind::Slice(of.clone(), None, Some(count.clone())),
            (Builtin::Drop, [of, count]) => s::ExpressionKind::Slice(of.clone(), Some(count.clone()), None),
            (Builtin::Contains, [element, of]) if !is_map(1) => {
                s::ExpressionKind::Binary(s::BinaryOperator::In, element.clone(), of.clone())
            }
            (Builtin::Union, [left, right]) => {
                s::ExpressionKind::Binary(s::BinaryOperator::Union, left.clone(), right.clone())
            }
            (Builtin::Intersection, [left, right]) => {
                s::ExpressionKind::Binary(s::BinaryOperator::Intersection, left.clone(), right.clone())
            }
            (Builtin::Difference, [left, right]) => {
                s::ExpressionKind::Binary(s::BinaryOperator::SetMinus, left.clone(), right.clone())
            }
            (Builtin::Subset, [left, right]) => {
                s::ExpressionKind::Binary(s::BinaryOperator::Subset, left.clone(), right.clone())
            }
            (Builtin::Keys, [of]) => s::ExpressionKind::MapDomain(of.clone()),
            _ => return None,
        };
        let value = build.expression(kind);
        Some((value, build.all(defined)))
    }

    fn model_quantified(
        &mut self,
        values: &Values<'_>,
        quantifier: Quantifier,
        binders: &[process::Binder],
        (condition, body): (&Expression, &Expression),
        place: Span,
    ) -> Option<Defined> {
        if !matches!(quantifier, Quantifier::All | Quantifier::Some) {
            return None;
        }
        let mut inner = values.clone();
        let mut bindings = Vec::new();
        let (mut ranges, mut bounds) = (Vec::new(), Vec::new());
        for binder in binders {
            let ty = self.model_type(&binder.ty, place)?;
            let name = self.member.names.fresh(&binder.name);
            bindings.push(self.at(place).binding(&name, ty));
            let variable = self.at(place).variable(&name);
            if let Some((from, to)) = &binder.range {
                let (from, from_defined) = self.model_value(&inner, from, place)?;
                let (to, to_defined) = self.model_value(&inner, to, place)?;
                let mut build = self.at(place);
                ranges.push(build.within(from, variable.clone(), to));
                bounds.extend([from_defined, to_defined]);
            }
            inner.variables.insert(binder.variable, variable);
        }
        let (condition, condition_defined) = self.model_value(&inner, condition, place)?;
        let (body, body_defined) = self.model_value(&inner, body, place)?;
        let mut build = self.at(place);
        ranges.push(condition.clone());
        // Where something has no value, it is as if it were not there; that it always has one is asked as well.
        let conditions = build.all(ranges);
        let within = build.and(condition_defined.clone(), conditions.clone());
        let value = match quantifier {
            Quantifier::All => {
                let body = build.implies(body_defined.clone(), body);
                let body = build.implies(within.clone(), body);
                build.forall(bindings.clone(), Vec::new(), body)
            }
            _ => {
                let parts = build.and(body_defined.clone(), body);
                let body = build.and(within.clone(), parts);
                let kind =
                    s::ExpressionKind::Exists { bindings: bindings.clone(), triggers: Vec::new(), body };
                build.expression(kind)
            }
        };
        let inside = build.implies(conditions, body_defined);
        let inside = build.and(condition_defined, inside);
        let inside = build.forall(bindings, Vec::new(), inside);
        bounds.push(inside);
        Some((value, build.all(bounds)))
    }
}
