//! Expressions over fields, parameters and bound variables.

use num_bigint::BigInt;
use process::{Binary, Binder, Builtin, Expression, ExpressionKind, Moment, Quantifier, Type, Unary, Value};
use source::Span;

use super::terms::read_binder;
use super::{Converter, Leaves, operator_on_numbers};
use crate::resolve::{self, CallTarget, Member, NameTarget, Operation, Selection};
use crate::syntax::tree::{self, BinaryOperator, QuantifierKind, UnaryOperator};

impl<'tree> Converter<'_, 'tree> {
    /// The conjuncts of a condition, in order.
    pub(super) fn conjuncts(&mut self, condition: &'tree tree::Expression, into: &mut Vec<Expression>) {
        match &*condition.kind {
            tree::ExpressionKind::Binary(BinaryOperator::And | BinaryOperator::Star, left, right) => {
                self.conjuncts(left, into);
                self.conjuncts(right, into);
            }
            _ => {
                let condition = self.expression(condition);
                into.push(condition);
            }
        }
    }

    /// An expression, converted as its context needs it; the parser bounds its depth.
    pub(super) fn expression(&mut self, expression: &'tree tree::Expression) -> Expression {
        let own = self.resolution.expressions.get(&expression.id).cloned();
        let ty = self.ty(&own.clone().unwrap_or(resolve::Type::Unknown));
        let kind = self.kind(expression, &ty);
        let converted = Expression::new(kind, ty, expression.span);
        match self.resolution.conversions.get(&expression.id) {
            Some(wanted) => {
                let wanted = self.ty(wanted);
                if *converted.ty() == Type::Integer && wanted == Type::Rational {
                    let kind = ExpressionKind::Builtin(Builtin::ToRational, vec![converted]);
                    return Expression::new(kind, wanted, expression.span);
                }
                Expression::new(converted.kind().clone(), wanted, expression.span)
            }
            None => converted,
        }
    }

    fn expressions(&mut self, expressions: &'tree [tree::Expression]) -> Vec<Expression> {
        expressions.iter().map(|expression| self.expression(expression)).collect()
    }

    fn unknown(&mut self, what: &str) -> ExpressionKind {
        ExpressionKind::Foreign(self.foreign(what))
    }

    fn kind(&mut self, expression: &'tree tree::Expression, ty: &Type) -> ExpressionKind {
        use tree::ExpressionKind as Kind;
        let span = expression.span;
        match &*expression.kind {
            Kind::Int(digits) => match digits.parse::<BigInt>() {
                Ok(number) => ExpressionKind::Literal(Value::Integer(number)),
                Err(_) => self.unknown("a number"),
            },
            Kind::Bool(truth) => ExpressionKind::Literal(Value::Boolean(*truth)),
            Kind::Char(character) => ExpressionKind::Literal(Value::Character(*character)),
            Kind::String(text) => ExpressionKind::Literal(Value::Text(text.clone())),
            Kind::Null => ExpressionKind::Literal(Value::Opaque(0)),
            Kind::NoneOption => ExpressionKind::Builtin(Builtin::Absent, Vec::new()),
            Kind::Name(_) => self.name(expression),
            Kind::Field(object, _) => self.selection(expression, object),
            Kind::Unary(UnaryOperator::Not, operand) => {
                ExpressionKind::Unary(Unary::Not, self.expression(operand))
            }
            Kind::Unary(UnaryOperator::Negate, operand) => {
                ExpressionKind::Unary(Unary::Negate, self.expression(operand))
            }
            Kind::Binary(operator, left, right) => self.binary(expression, *operator, left, right),
            Kind::Conditional(condition, then, otherwise) => ExpressionKind::Conditional(
                self.expression(condition),
                self.expression(then),
                self.expression(otherwise),
            ),
            Kind::MapInsert(map, key, value) => {
                let operands = vec![self.expression(map), self.expression(key), self.expression(value)];
                ExpressionKind::Builtin(Builtin::Updated, operands)
            }
            Kind::Index(base, index) => {
                let operands = vec![self.expression(base), self.expression(index)];
                ExpressionKind::Builtin(Builtin::At, operands)
            }
            Kind::Slice(base, low, high) => self.slice(base, low.as_ref(), high.as_ref(), ty, span),
            Kind::Update(base, index, value) => {
                let operands = vec![self.expression(base), self.expression(index), self.expression(value)];
                ExpressionKind::Builtin(Builtin::Updated, operands)
            }
            Kind::Size(inner) => ExpressionKind::Builtin(Builtin::Size, vec![self.expression(inner)]),
            Kind::Let { binding, value, body } => {
                let value = self.expression(value);
                let variable = self.variable(binding.id);
                ExpressionKind::Let(variable, value, self.expression(body))
            }
            Kind::Trigger(_, inner) => self.kind(inner, ty),
            Kind::Old(None, inner) => {
                let before = std::mem::replace(&mut self.in_old, self.has_old);
                let kind = self.kind(inner, ty);
                self.in_old = before;
                kind
            }
            Kind::Collection { kind, elements, .. } => {
                let builtin = match kind {
                    tree::CollectionKind::Seq => Builtin::SequenceOf,
                    tree::CollectionKind::Set => Builtin::SetOf,
                    tree::CollectionKind::Bag => Builtin::BagOf,
                    tree::CollectionKind::Vector => return self.unknown("a vector"),
                };
                ExpressionKind::Builtin(builtin, self.expressions(elements))
            }
            Kind::Map { entries, .. } => {
                let mut operands = Vec::new();
                for (key, value) in entries {
                    operands.push(self.expression(key));
                    operands.push(self.expression(value));
                }
                ExpressionKind::Builtin(Builtin::MapOf, operands)
            }
            Kind::Tuple { first, second, .. } => {
                let operands = vec![self.expression(first), self.expression(second)];
                ExpressionKind::Builtin(Builtin::Pair, operands)
            }
            Kind::RangeSeq(low, high) => {
                let operands = vec![self.expression(low), self.expression(high)];
                ExpressionKind::Builtin(Builtin::RangeSequence, operands)
            }
            Kind::RangeSet(low, high) => {
                let operands = vec![self.expression(low), self.expression(high)];
                ExpressionKind::Builtin(Builtin::RangeSet, operands)
            }
            Kind::Quantifier { kind, bindings, condition, body } => {
                self.quantifier(*kind, bindings, condition.as_ref(), body, span)
            }
            Kind::Comprehension { value, selectors, condition, .. } => {
                self.comprehension(value, selectors, condition, span)
            }
            Kind::Call(call) => self.call(expression, call),
            Kind::Builtin(builtin, arguments) => self.builtin(*builtin, arguments),
            _ => self.unknown("an expression that has no value in a model"),
        }
    }

    fn field(&mut self, field: tree::NodeId) -> ExpressionKind {
        let moment = if self.in_old { Moment::Start } else { Moment::Now };
        match self.fields.get(&field) {
            Some(number) => ExpressionKind::Field(*number, moment),
            None => self.unknown("a field of another model"),
        }
    }

    fn name(&mut self, expression: &tree::Expression) -> ExpressionKind {
        match self.resolution.names.get(&expression.id) {
            Some(NameTarget::Variable(id)) => {
                let id = *id;
                ExpressionKind::Variable(self.variable(id))
            }
            Some(NameTarget::ModelField(field)) => {
                let field = *field;
                self.field(field)
            }
            _ => self.unknown("a field of an object"),
        }
    }

    fn selection(
        &mut self,
        expression: &tree::Expression,
        object: &'tree tree::Expression,
    ) -> ExpressionKind {
        match self.resolution.selections.get(&expression.id) {
            Some(Selection::ModelField(field)) => {
                let field = *field;
                self.field(field)
            }
            Some(Selection::EnumConstant(constant)) => {
                let constant = *constant;
                let owner = self.resolution.items.owners.get(&constant).copied();
                let Some(owner) = owner else { return self.unknown("a constant") };
                let number = self.enumeration(owner);
                let index = self
                    .resolution
                    .items
                    .enums
                    .get(&owner)
                    .and_then(|it| it.constants.iter().position(|it| it.id == constant));
                match index {
                    Some(index) => ExpressionKind::Literal(Value::Constant(number, index as u32)),
                    None => self.unknown("a constant"),
                }
            }
            Some(Selection::Member(member)) => {
                let member = *member;
                let object = self.expression(object);
                self.member(member, vec![object], expression.span)
            }
            _ => self.unknown("a field of an object"),
        }
    }

    fn slice(
        &mut self,
        base: &'tree tree::Expression,
        low: Option<&'tree tree::Expression>,
        high: Option<&'tree tree::Expression>,
        ty: &Type,
        span: Span,
    ) -> ExpressionKind {
        let mut sequence = self.expression(base);
        if let Some(high) = high {
            let operands = vec![sequence, self.expression(high)];
            sequence = Expression::new(ExpressionKind::Builtin(Builtin::Take, operands), ty.clone(), span);
        }
        match low {
            Some(low) => ExpressionKind::Builtin(Builtin::Drop, vec![sequence, self.expression(low)]),
            None => sequence.kind().clone(),
        }
    }

    fn binary(
        &mut self,
        expression: &tree::Expression,
        operator: BinaryOperator,
        left: &'tree tree::Expression,
        right: &'tree tree::Expression,
    ) -> ExpressionKind {
        use BinaryOperator as B;
        let operation = self.resolution.operations.get(&expression.id).cloned();
        let (a, b) = (self.expression(left), self.expression(right));
        let binary = |operator, a, b| ExpressionKind::Binary(operator, a, b);
        let builtin = |builtin, a, b| ExpressionKind::Builtin(builtin, vec![a, b]);
        let is_integer = matches!(operation, Some(Operation::Numbers(resolve::Type::Int)));
        match (operator, &operation) {
            (B::Implies, _) => binary(Binary::Implies, a, b),
            (B::And | B::Star, _) => binary(Binary::And, a, b),
            (B::Or, Some(Operation::Logic)) => binary(Binary::Or, a, b),
            (B::Equal, Some(Operation::Equality(_))) => binary(Binary::Equal, a, b),
            (B::NotEqual, Some(Operation::Equality(_))) => binary(Binary::Unequal, a, b),
            (_, Some(Operation::Numbers(_)))
                if let Some((operator, turned)) = operator_on_numbers(operator) =>
            {
                if turned {
                    binary(operator, b, a)
                } else {
                    binary(operator, a, b)
                }
            }
            (_, Some(Operation::Numbers(_))) => match operator {
                B::Divide if is_integer => binary(Binary::DivideEuclidean, a, b),
                B::Modulo => binary(Binary::RemainderEuclidean, a, b),
                B::Divide | B::FractionDivide => binary(Binary::Divide, a, b),
                _ => self.unknown("a power"),
            },
            (_, Some(Operation::Concatenation(_))) => builtin(Builtin::Concatenate, a, b),
            (_, Some(Operation::Collections(_))) => match operator {
                B::Add => builtin(Builtin::Union, a, b),
                B::Subtract => builtin(Builtin::Difference, a, b),
                B::Multiply => builtin(Builtin::Intersection, a, b),
                B::LessEqual => builtin(Builtin::Subset, a, b),
                B::Less => builtin(Builtin::ProperSubset, a, b),
                B::GreaterEqual => builtin(Builtin::Subset, b, a),
                _ => builtin(Builtin::ProperSubset, b, a),
            },
            (_, Some(Operation::Member | Operation::MapKey | Operation::BagCount)) => {
                builtin(Builtin::Contains, a, b)
            }
            (_, Some(Operation::Prepend)) => {
                let ty = b.ty().clone();
                let front =
                    Expression::new(ExpressionKind::Builtin(Builtin::SequenceOf, vec![a]), ty, left.span);
                builtin(Builtin::Concatenate, front, b)
            }
            (_, Some(Operation::Append)) => {
                let ty = a.ty().clone();
                let back =
                    Expression::new(ExpressionKind::Builtin(Builtin::SequenceOf, vec![b]), ty, right.span);
                builtin(Builtin::Concatenate, a, back)
            }
            _ => self.unknown("an operator that has no value in a model"),
        }
    }

    fn quantifier(
        &mut self,
        kind: QuantifierKind,
        bindings: &'tree [tree::Binding],
        condition: Option<&'tree tree::Expression>,
        body: &'tree tree::Expression,
        span: Span,
    ) -> ExpressionKind {
        let binders = bindings.iter().map(|binding| read_binder(binding, self)).collect();
        let condition = match condition {
            Some(condition) => self.expression(condition),
            None => literal(Value::Boolean(true), Type::Boolean, span),
        };
        let body = self.expression(body);
        let number = |value: i32| literal(Value::Integer(value.into()), Type::Integer, span);
        match kind {
            QuantifierKind::Forall | QuantifierKind::Starall => {
                ExpressionKind::Quantified(Quantifier::All, binders, condition, body)
            }
            QuantifierKind::Exists => ExpressionKind::Quantified(Quantifier::Some, binders, condition, body),
            QuantifierKind::Sum => ExpressionKind::Quantified(Quantifier::Sum, binders, condition, body),
            QuantifierKind::Count => {
                let kind = ExpressionKind::Conditional(body, number(1), number(0));
                let counted = Expression::new(kind, Type::Integer, span);
                ExpressionKind::Quantified(Quantifier::Sum, binders, condition, counted)
            }
            QuantifierKind::Parallel => self.unknown("a process term"),
        }
    }

    /// A set by its selectors; a source is one more condition.
    fn comprehension(
        &mut self,
        value: &'tree tree::Expression,
        selectors: &'tree [tree::Selector],
        condition: &'tree tree::Expression,
        span: Span,
    ) -> ExpressionKind {
        let mut binders = Vec::new();
        let mut all: Option<Expression> = None;
        for selector in selectors {
            let variable = self.variable(selector.id);
            let ty = self.type_of_variable(selector.id);
            let name = selector.name.text.clone();
            binders.push(Binder { variable, name, ty: ty.clone(), range: None });
            if let Some(source) = &selector.source {
                let element = Expression::new(ExpressionKind::Variable(variable), ty, selector.span);
                let operands = vec![element, self.expression(source)];
                let member = Expression::new(
                    ExpressionKind::Builtin(Builtin::Contains, operands),
                    Type::Boolean,
                    selector.span,
                );
                all = Some(both(all, member, span));
            }
        }
        let condition = self.expression(condition);
        let condition = both(all, condition, span);
        let value = self.expression(value);
        ExpressionKind::Quantified(Quantifier::SetOf, binders, condition, value)
    }

    fn call(&mut self, expression: &tree::Expression, call: &'tree tree::Call) -> ExpressionKind {
        match self.resolution.calls.get(&expression.id).cloned() {
            Some(CallTarget::Routine(target)) => {
                let has_receiver = target.receiver == resolve::Receiver::Explicit;
                match self.function_of(target.routine, call.name.span) {
                    Some(function) if !has_receiver => {
                        ExpressionKind::Call(function, self.expressions(&call.arguments))
                    }
                    _ => {
                        self.unknown("the value of a function that reads the heap, is generic or has no body")
                    }
                }
            }
            Some(CallTarget::Member(member)) => {
                let mut operands: Vec<Expression> =
                    call.receiver.iter().map(|receiver| self.expression(receiver)).collect();
                operands.extend(self.expressions(&call.arguments));
                self.member(member, operands, expression.span)
            }
            Some(CallTarget::MemberFunction(member)) => {
                let operands = self.expressions(&call.arguments);
                self.member(member, operands, expression.span)
            }
            _ => self.unknown("the value of a function that only axioms define"),
        }
    }

    fn member(&mut self, member: Member, mut operands: Vec<Expression>, span: Span) -> ExpressionKind {
        use Member as M;
        let number = |value: i32| literal(Value::Integer(value.into()), Type::Integer, span);
        let ty = operands.first().map_or(Type::Boolean, |operand| operand.ty().clone());
        let builtin = match member {
            M::Size => Builtin::Size,
            M::IsEmpty => {
                let size =
                    Expression::new(ExpressionKind::Builtin(Builtin::Size, operands), Type::Integer, span);
                return ExpressionKind::Binary(Binary::Equal, size, number(0));
            }
            M::SeqHead => {
                operands.push(number(0));
                Builtin::At
            }
            M::SeqTail => {
                operands.push(number(1));
                Builtin::Drop
            }
            M::SeqRemoveAt => Builtin::RemovedAt,
            M::SeqConcat => Builtin::Concatenate,
            M::SeqPrepend => {
                let front = operands.split_off(1);
                let front = Expression::new(ExpressionKind::Builtin(Builtin::SequenceOf, front), ty, span);
                operands.insert(0, front);
                Builtin::Concatenate
            }
            M::SeqDrop => Builtin::Drop,
            M::SeqTake => Builtin::Take,
            M::SeqSlice => {
                let high = operands.pop();
                let low = operands.pop();
                operands.extend(high);
                let taken = Expression::new(ExpressionKind::Builtin(Builtin::Take, operands), ty, span);
                operands = vec![taken];
                operands.extend(low);
                Builtin::Drop
            }
            M::SeqUpdate | M::MapAdd => Builtin::Updated,
            M::SeqContains | M::SetContains | M::BagCount => {
                operands.reverse();
                Builtin::Contains
            }
            M::SetIntersect | M::BagIntersect => Builtin::Intersection,
            M::SetUnion | M::BagSum => Builtin::Union,
            M::SetDifference | M::BagDifference => Builtin::Difference,
            M::SetSubset | M::BagSubset => Builtin::Subset,
            M::SetStrictSubset | M::BagStrictSubset => Builtin::ProperSubset,
            M::MapKeys => Builtin::Keys,
            M::MapValues => Builtin::Values,
            M::MapItems => Builtin::Items,
            M::MapRemove => Builtin::RemovedKey,
            M::MapGet => Builtin::At,
            M::MapEquals => return self.comparison(operands),
            M::OptionGet => Builtin::Get,
            M::OptionGetOrElse => Builtin::GetOr,
            M::OptionIsEmpty => {
                let none = Expression::new(ExpressionKind::Builtin(Builtin::Absent, Vec::new()), ty, span);
                operands.push(none);
                return self.comparison(operands);
            }
            M::TupleFirst => Builtin::First,
            M::TupleSecond => Builtin::Second,
            M::EitherLeft => Builtin::GetLeft,
            M::EitherRight => Builtin::GetRight,
            M::EitherIsLeft => Builtin::IsLeft,
            M::EitherIsRight => {
                let kind = ExpressionKind::Builtin(Builtin::IsLeft, operands);
                let is_left = Expression::new(kind, Type::Boolean, span);
                return ExpressionKind::Unary(Unary::Not, is_left);
            }
            M::ToFloat32 | M::ToFloat64 | M::ArrayLength | M::MapDisjoint => {
                return self.unknown("a member that has no value in a model");
            }
        };
        ExpressionKind::Builtin(builtin, operands)
    }

    fn comparison(&mut self, operands: Vec<Expression>) -> ExpressionKind {
        match <[Expression; 2]>::try_from(operands) {
            Ok([left, right]) => ExpressionKind::Binary(Binary::Equal, left, right),
            Err(_) => self.unknown("a comparison"),
        }
    }

    fn builtin(&mut self, builtin: tree::Builtin, arguments: &'tree [tree::Expression]) -> ExpressionKind {
        let mut operands = self.expressions(arguments);
        let both = |operator, operands: Vec<Expression>| {
            let mut operands = operands.into_iter();
            Some(ExpressionKind::Binary(operator, operands.next()?, operands.next()?))
        };
        let found = match builtin {
            tree::Builtin::EuclideanDiv => both(Binary::DivideEuclidean, std::mem::take(&mut operands)),
            tree::Builtin::EuclideanMod => both(Binary::RemainderEuclidean, std::mem::take(&mut operands)),
            tree::Builtin::Some => Some(ExpressionKind::Builtin(Builtin::Present, operands)),
            tree::Builtin::Left => Some(ExpressionKind::Builtin(Builtin::Left, operands)),
            tree::Builtin::Right => Some(ExpressionKind::Builtin(Builtin::Right, operands)),
            _ => None,
        };
        found.unwrap_or_else(|| self.unknown("a function that has no value in a model"))
    }
}

fn literal(value: Value, ty: Type, span: Span) -> Expression {
    Expression::new(ExpressionKind::Literal(value), ty, span)
}

fn both(first: Option<Expression>, second: Expression, span: Span) -> Expression {
    match first {
        Some(first) => {
            Expression::new(ExpressionKind::Binary(Binary::And, first, second), Type::Boolean, span)
        }
        None => second,
    }
}
