//! Binary operators, by what resolution says they mean.

use silver::syntax::tree as s;
use source::Span;

use crate::lower::prelude::Theory;
use crate::lower::scope::{Mode, Scope};
use crate::lower::values::types::is_rational;
use crate::resolve::{Operation, Type};
use crate::syntax::tree::{BinaryOperator, Expression, ExpressionKind};

impl<'t> Scope<'_, 't> {
    pub(crate) fn binary(
        &mut self,
        operator: BinaryOperator,
        left: &'t Expression,
        right: &'t Expression,
        expression: &'t Expression,
    ) -> s::Expression {
        let place = expression.span;
        let Some(operation) = self.resolution.operations.get(&expression.id) else {
            return self.unsupported(place, "this operator");
        };
        match operation {
            Operation::Logic => self.logic(operator, left, right, expression),
            Operation::Declared { routine, on_right } => {
                self.declared_operator(*routine, *on_right, left, right, expression)
            }
            Operation::Numbers(ty) => {
                let ty = self.substituted(ty);
                self.numbers(operator, &ty, left, right, expression)
            }
            Operation::Collections(ty) => {
                let ty = self.substituted(ty);
                self.collections(operator, &ty, left, right, expression)
            }
            Operation::Processes => self.process_term(expression),
            Operation::Vectors(ty) => {
                let ty = self.substituted(ty);
                self.vector_operation(operator, &ty, left, right, expression)
            }
            Operation::Pointers => self.pointer_arithmetic(operator, left, right, expression),
            Operation::Equality(_)
            | Operation::Concatenation(_)
            | Operation::Member
            | Operation::MapKey
            | Operation::BagCount
            | Operation::Prepend
            | Operation::Append => {
                let expressions = (left, right);
                let mut values = self.operands(&[left, right]);
                let (Some(mut right), Some(mut left)) = (values.pop(), values.pop()) else {
                    return self.unsupported(place, "this operator");
                };
                // Values of unrelated types are compared as values of a type that has them all.
                let mut is_never_equal = false;
                if matches!(operation, Operation::Equality(Type::Any)) {
                    let (left_type, right_type) =
                        (self.converted_type(expressions.0), self.converted_type(expressions.1));
                    is_never_equal = are_unrelated(&left_type, &right_type);
                    left = self.convert(left, &left_type, &Type::Any, expressions.0);
                    right = self.convert(right, &right_type, &Type::Any, expressions.1);
                }
                if let Operation::Equality(ty) = operation
                    && let Type::Enum(id) = self.substituted(ty)
                {
                    left = self.enum_index(id, left, place);
                    right = self.enum_index(id, right, place);
                }
                if *operation == Operation::Member
                    && let s::ExpressionKind::MapRange(map) = &*right.kind
                    && let ExpressionKind::Field(base, _) = &*expressions.1.kind
                    && let Type::Map(key, _) = self.type_of(base)
                    && !self.spec.triggers.is_one
                {
                    return self.value_of_map(left, map.clone(), &key, place);
                }
                let mut build = self.at(place);
                let singleton = |build: &mut crate::lower::build::Build<'_>, value| {
                    build.expression(s::ExpressionKind::Collection(s::CollectionKind::Seq, None, vec![value]))
                };
                match operation {
                    Operation::Equality(_) if operator == BinaryOperator::NotEqual => {
                        let different = build.different(left, right);
                        let truth = build.bool(true);
                        if is_never_equal {
                            build.binary(s::BinaryOperator::Or, different, truth)
                        } else {
                            different
                        }
                    }
                    Operation::Equality(_) => {
                        let equal = build.equal(left, right);
                        let falsehood = build.bool(false);
                        if is_never_equal { build.and(equal, falsehood) } else { equal }
                    }
                    Operation::Concatenation(_) => build.binary(s::BinaryOperator::Append, left, right),
                    Operation::Prepend => {
                        let left = singleton(&mut build, left);
                        build.binary(s::BinaryOperator::Append, left, right)
                    }
                    Operation::Append => {
                        let right = singleton(&mut build, right);
                        build.binary(s::BinaryOperator::Append, left, right)
                    }
                    Operation::MapKey => {
                        let domain = build.expression(s::ExpressionKind::MapDomain(right));
                        build.binary(s::BinaryOperator::In, left, domain)
                    }
                    _ => build.binary(s::BinaryOperator::In, left, right),
                }
            }
        }
    }

    /// `value in map.values`: some key has it. Said like this, keys that are known are tried; what Silver knows about the
    /// values of a map does not lead from a key to its value, since values lead to keys.
    fn value_of_map(
        &mut self,
        value: s::Expression,
        map: s::Expression,
        key: &Type,
        place: Span,
    ) -> s::Expression {
        let ty = self.ty(key, place);
        let (key, wanted) = (self.member.names.fresh("key"), self.member.names.fresh("value"));
        let mut build = self.at(place);
        let variable = build.variable(&key);
        let found = build.variable(&wanted);
        let domain = build.expression(s::ExpressionKind::MapDomain(map.clone()));
        let is_key = build.binary(s::BinaryOperator::In, variable.clone(), domain);
        let lookup = build.map_lookup(map, variable);
        let equal = build.equal(lookup, found);
        let triggers = vec![build.trigger(vec![is_key.clone()])];
        let body = build.and(is_key, equal);
        let bindings = vec![build.binding(&key, ty)];
        let body = build.expression(s::ExpressionKind::Exists { bindings, triggers, body });
        let name = build.name(&wanted);
        build.expression(s::ExpressionKind::Let { name, value, body })
    }

    fn logic(
        &mut self,
        operator: BinaryOperator,
        left: &'t Expression,
        right: &'t Expression,
        expression: &'t Expression,
    ) -> s::Expression {
        let place = expression.span;
        if operator == BinaryOperator::Wand {
            return self.wand(left, right, expression);
        }
        if self.spec.mode == Mode::Code && self.has_effects(right) {
            return self.short_circuit_code(operator, left, right, expression);
        }
        let left = self.expression(left);
        let right = self.expression(right);
        let silver = match operator {
            BinaryOperator::Implies => s::BinaryOperator::Implies,
            BinaryOperator::Or => s::BinaryOperator::Or,
            _ => s::BinaryOperator::And,
        };
        self.at(place).binary(silver, left, right)
    }

    fn numbers(
        &mut self,
        operator: BinaryOperator,
        ty: &Type,
        left: &'t Expression,
        right: &'t Expression,
        expression: &'t Expression,
    ) -> s::Expression {
        let place = expression.span;
        if matches!(operator, BinaryOperator::FractionDivide)
            || (operator == BinaryOperator::Divide && is_rational(ty))
        {
            return self.exact_division(left, right, expression);
        }
        let (base, exponent) = (left, right);
        let mut values = self.operands(&[left, right]);
        let (Some(right), Some(left)) = (values.pop(), values.pop()) else {
            return self.unsupported(place, "this operator");
        };
        let silver = match operator {
            BinaryOperator::Add => s::BinaryOperator::Add,
            BinaryOperator::Subtract => s::BinaryOperator::Subtract,
            BinaryOperator::Multiply => s::BinaryOperator::Multiply,
            BinaryOperator::Divide => s::BinaryOperator::IntDivide,
            BinaryOperator::Modulo => s::BinaryOperator::Modulo,
            BinaryOperator::Less => s::BinaryOperator::Less,
            BinaryOperator::LessEqual => s::BinaryOperator::LessEqual,
            BinaryOperator::Greater => s::BinaryOperator::Greater,
            BinaryOperator::GreaterEqual => s::BinaryOperator::GreaterEqual,
            BinaryOperator::Power => {
                return self.power([left, right], base, exponent, place);
            }
            _ => return self.unsupported(place, "this operator on numbers"),
        };
        self.at(place).binary(silver, left, right)
    }

    /// A power of a number. With a small number for an exponent it is a product, which solvers know more about.
    pub(crate) fn power(
        &mut self,
        values: [s::Expression; 2],
        base: &Expression,
        exponent: &Expression,
        place: Span,
    ) -> s::Expression {
        if let Some(value) = constant_power(&values[0], &values[1]) {
            return self.at(place).int(value);
        }
        let number = match &*exponent.kind {
            ExpressionKind::Int(digits) => digits.parse::<usize>().ok(),
            _ => None,
        };
        // A base that is a power itself would grow with every level.
        if let (Some(number @ 1..=16), true) = (number, base.depth <= 2) {
            let [factor, _] = values;
            let mut build = self.at(place);
            let mut product = factor.clone();
            for _ in 1..number {
                product = build.binary(s::BinaryOperator::Multiply, product, factor.clone());
            }
            return product;
        }
        let (theory, function) = if is_rational(&self.converted_type(base)) {
            (Theory::PowerOfRational, "power_of_rational")
        } else {
            (Theory::Power, "power")
        };
        self.lowering.need(theory);
        self.at(place).call(function, values.into())
    }

    /// A quotient of rationals. Integers are divided as they are, which Silver reads as a fraction.
    fn exact_division(
        &mut self,
        left: &'t Expression,
        right: &'t Expression,
        expression: &'t Expression,
    ) -> s::Expression {
        let place = expression.span;
        let (left_type, right_type) = (self.type_of(left), self.type_of(right));
        let is_plain = matches!((&left_type, &right_type), (Type::Int, Type::Int));
        let kept_type = if is_plain { left_type.clone() } else { self.converted_type(left) };
        let mut dividend = match is_plain {
            true => self.unconverted(left, &left_type),
            false => self.expression(left),
        };
        if self.spec.mode == Mode::Code && self.has_effects(right) {
            dividend = self.keep(dividend, &kept_type, "operand", left.span);
        }
        let left = dividend;
        let right = match right_type {
            Type::Int => self.unconverted(right, &right_type),
            _ => self.expression(right),
        };
        self.at(place).binary(s::BinaryOperator::Divide, left, right)
    }

    fn collections(
        &mut self,
        operator: BinaryOperator,
        ty: &Type,
        left: &'t Expression,
        right: &'t Expression,
        expression: &'t Expression,
    ) -> s::Expression {
        let place = expression.span;
        if matches!(ty, Type::Map(..)) {
            return self.unsupported(place, "this operator on maps");
        }
        let mut values = self.operands(&[left, right]);
        let (Some(right), Some(left)) = (values.pop(), values.pop()) else {
            return self.unsupported(place, "this operator");
        };
        let mut build = self.at(place);
        let (left, right) = match operator {
            BinaryOperator::Greater | BinaryOperator::GreaterEqual => (right, left),
            _ => (left, right),
        };
        match operator {
            BinaryOperator::Add => build.binary(s::BinaryOperator::Union, left, right),
            BinaryOperator::Subtract => build.binary(s::BinaryOperator::SetMinus, left, right),
            BinaryOperator::Multiply => build.binary(s::BinaryOperator::Intersection, left, right),
            BinaryOperator::LessEqual | BinaryOperator::GreaterEqual => {
                build.binary(s::BinaryOperator::Subset, left, right)
            }
            BinaryOperator::Less | BinaryOperator::Greater => {
                let subset = build.binary(s::BinaryOperator::Subset, left.clone(), right.clone());
                let different = build.different(left, right);
                build.and(subset, different)
            }
            _ => self.unsupported(place, "this operator on collections"),
        }
    }
}

/// A power of literals, if it is not too large.
fn constant_power(base: &s::Expression, exponent: &s::Expression) -> Option<i64> {
    let (s::ExpressionKind::Int(base), s::ExpressionKind::Int(exponent)) = (&*base.kind, &*exponent.kind)
    else {
        return None;
    };
    base.parse::<i64>().ok()?.checked_pow(exponent.parse().ok()?)
}

/// Whether no values of two types are equal, which is known where both are: `null` is a value of several types.
fn are_unrelated(one: &Type, other: &Type) -> bool {
    let is_open = |part: &Type| {
        matches!(part, Type::Any | Type::Unknown | Type::Nothing | Type::Variable(_) | Type::ProverType(_))
    };
    let may_be_null = one.is_nullable() && other.is_nullable();
    !one.any_part(&is_open) && !other.any_part(&is_open) && !may_be_null && one.common(other).is_none()
}
