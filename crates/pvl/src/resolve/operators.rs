//! Binary operators: what they mean depends on the types of their operands.

use std::sync::Arc;

use source::Diagnostic;

use super::checker::Checker;
use super::{Operation, Type};
use crate::codes;
use crate::syntax::tree::{BinaryOperator, Builtin, Expression, ExpressionKind, Operator};

impl<'tree> Checker<'tree> {
    pub(super) fn binary(
        &mut self,
        expression: &'tree Expression,
        operator: BinaryOperator,
        left: &'tree Expression,
        right: &'tree Expression,
        wish: Option<&Type>,
    ) -> Type {
        use BinaryOperator::*;
        let (operation, ty) = match operator {
            Implies => {
                self.check(left, &Type::Boolean);
                let ty = self.truth(right);
                (Operation::Logic, ty)
            }
            Wand => {
                self.check(left, &Type::Resource);
                self.check(right, &Type::Resource);
                self.forbid_held_amounts(left);
                self.forbid_held_amounts(right);
                (Operation::Logic, Type::Resource)
            }
            Star => {
                let first = self.truth(left);
                let second = self.truth(right);
                let both = first == Type::Boolean && second == Type::Boolean;
                (Operation::Logic, if both { Type::Boolean } else { Type::Resource })
            }
            And => self.conjunction(left, right),
            Or => {
                let first = self.infer(left, Some(&Type::Boolean));
                if first == Type::Process {
                    self.check(right, &Type::Process);
                    (Operation::Processes, Type::Process)
                } else {
                    self.convert(left, &first, &Type::Boolean);
                    self.check(right, &Type::Boolean);
                    (Operation::Logic, Type::Boolean)
                }
            }
            Equal | NotEqual => self.equality(expression, left, right),
            Less | LessEqual | Greater | GreaterEqual => self.comparison(expression, left, right),
            In => self.membership(left, right),
            Add => self.addition(expression, left, right, wish),
            Subtract | Multiply => self.difference_or_product(expression, operator, left, right, wish),
            Divide => self.division(expression, left, right, wish),
            Modulo => {
                let (first, second) = self.divided_types(left, right, None);
                if let (Type::Vector(..), Type::Vector(..)) = (&first, &second) {
                    self.vector_operation(expression, operator, left, right, (&first, &second))
                } else {
                    self.convert(left, &first, &Type::Int);
                    self.convert(right, &second, &Type::Int);
                    (Operation::Numbers(Type::Int), Type::Int)
                }
            }
            FractionDivide => {
                self.check(left, &Type::Rational);
                self.check(right, &Type::Rational);
                (Operation::Numbers(Type::Rational), Type::Rational)
            }
            Power => {
                let ty = self.power(left, right);
                (Operation::Numbers(ty.clone()), ty)
            }
            Prepend => {
                let sequence = self.infer(right, wish);
                match &sequence {
                    Type::Seq(element) => {
                        let found = self.infer(left, Some(element));
                        let ty = self.extended(left, &found, right, &sequence, element);
                        (Operation::Prepend, ty)
                    }
                    _ => {
                        self.infer(left, None);
                        self.unexpected(right, &sequence, "a sequence");
                        return Type::Unknown;
                    }
                }
            }
            Append => return self.append(expression, left, right, wish),
        };
        self.resolution.operations.insert(expression.id, operation);
        ty
    }

    /// The type of a power, which is that of products of the base.
    pub(super) fn power(&mut self, base: &'tree Expression, exponent: &'tree Expression) -> Type {
        let ty = self.infer(base, None);
        self.check(exponent, &Type::Int);
        match ty {
            Type::Unknown => Type::Int,
            Type::Int | Type::Float32 | Type::Float64 => ty,
            _ if ty.is_number() => {
                self.convert(base, &ty, &Type::Rational);
                Type::Rational
            }
            _ => {
                self.unexpected(base, &ty, "a number");
                Type::Unknown
            }
        }
    }

    /// A boolean or a resource.
    pub(super) fn truth(&mut self, expression: &'tree Expression) -> Type {
        let ty = self.infer(expression, Some(&Type::Resource));
        match ty {
            Type::Boolean | Type::Resource => ty,
            Type::ResourceValue => {
                self.convert(expression, &ty, &Type::Resource);
                Type::Resource
            }
            _ => {
                self.convert(expression, &ty, &Type::Boolean);
                Type::Boolean
            }
        }
    }

    fn conjunction(&mut self, left: &'tree Expression, right: &'tree Expression) -> (Operation, Type) {
        let mut first = self.infer(left, Some(&Type::Boolean));
        let mut second = self.infer(right, Some(&Type::Boolean));
        for (side, ty) in [(left, &mut first), (right, &mut second)] {
            if *ty == Type::ResourceValue {
                self.convert(side, ty, &Type::Resource);
                *ty = Type::Resource;
            }
        }
        let is_resource = first == Type::Resource || second == Type::Resource;
        // VerCors takes these for booleans, although they hold permissions.
        let passes = |side: &Expression, ty: &Type| {
            *ty != Type::Resource
                || matches!(&*side.kind, ExpressionKind::Builtin(Builtin::Held | Builtin::Matrix, _))
        };
        // The old dialect had no other conjunction at first.
        if is_resource && (self.is_old() || passes(left, &first) && passes(right, &second)) {
            for (side, ty) in [(left, &first), (right, &second)] {
                if *ty != Type::Resource {
                    self.convert(side, ty, &Type::Boolean);
                }
            }
            return (Operation::Logic, Type::Resource);
        }
        for (side, ty) in [(left, &first), (right, &second)] {
            if *ty == Type::Resource {
                self.error(
                    codes::TYPE,
                    side.span,
                    "`&&` joins booleans, and this holds permissions",
                    "join permissions with `**`; mind that `&&` and `**` group from the left on the same level",
                );
            } else {
                self.convert(side, ty, &Type::Boolean);
            }
        }
        (Operation::Logic, if is_resource { Type::Unknown } else { Type::Boolean })
    }

    fn equality(
        &mut self,
        expression: &Expression,
        left: &'tree Expression,
        right: &'tree Expression,
    ) -> (Operation, Type) {
        let (first, second) = self.operand_types(left, right, None);
        if let (ExpressionKind::Int(_), Type::Float32 | Type::Float64) = (&*left.kind, &second) {
            self.convert(left, &first, &second);
            return (Operation::Equality(second), Type::Boolean);
        }
        if let (ExpressionKind::Int(_), Type::Float32 | Type::Float64) = (&*right.kind, &first) {
            self.convert(right, &second, &first);
            return (Operation::Equality(first), Type::Boolean);
        }
        for (side, ty) in [(left, &first), (right, &second)] {
            if *ty == Type::Void {
                self.unexpected(side, ty, "a value");
                return (Operation::Equality(Type::Unknown), Type::Boolean);
            }
        }
        let is_kept = |ty: &Type| matches!(ty, Type::ResourceValue | Type::Resource | Type::Boolean);
        if (first == Type::ResourceValue && is_kept(&second))
            || (second == Type::ResourceValue && is_kept(&first))
        {
            self.convert(left, &first, &Type::ResourceValue);
            self.convert(right, &second, &Type::ResourceValue);
            return (Operation::Equality(Type::ResourceValue), Type::Boolean);
        }
        if first == Type::Resource || second == Type::Resource {
            self.error(
                codes::TYPE,
                expression.span,
                "permissions cannot be compared",
                "compare values, or amounts with `perm(x)`",
            );
            return (Operation::Equality(Type::Unknown), Type::Boolean);
        }
        let Some(common) = first.common(&second) else {
            let message = format!(
                "`{}` and `{}` are compared, and no values of these types are equal",
                self.show(&first),
                self.show(&second)
            );
            let by_null = matches!(first, Type::Null) || matches!(second, Type::Null);
            let help = if by_null {
                "only references, arrays, pointers and enums can be `null`"
            } else {
                "compare values of the same type"
            };
            self.report(Diagnostic::warning(codes::SUSPICIOUS, expression.span, message).help(help));
            return (Operation::Equality(Type::Any), Type::Boolean);
        };
        self.convert(left, &first, &common);
        self.convert(right, &second, &common);
        (Operation::Equality(common), Type::Boolean)
    }

    fn comparison(
        &mut self,
        expression: &Expression,
        left: &'tree Expression,
        right: &'tree Expression,
    ) -> (Operation, Type) {
        let first = self.infer(left, None);
        let second = self.infer(right, Some(&first));
        match (&first, &second) {
            (Type::Set(_), Type::Set(_)) | (Type::Bag(_), Type::Bag(_)) => {
                let common = self.joined(expression, left, &first, right, &second);
                (Operation::Collections(common), Type::Boolean)
            }
            (Type::Char, Type::Char) => (Operation::Numbers(Type::Char), Type::Boolean),
            (Type::TypeValue(_), Type::TypeValue(_)) => {
                let help = "there is no inheritance, so no class is a subtype of another; compare types with `==` or `!=`";
                self.error(codes::TYPE, expression.span, "types are not in an order", help);
                (Operation::Numbers(Type::Unknown), Type::Boolean)
            }
            (Type::Boolean, _) if matches!(&*left.kind, ExpressionKind::Binary(..)) => {
                let help = "write `a < b && b < c`";
                self.error(codes::TYPE, expression.span, "comparisons cannot be chained", help);
                (Operation::Numbers(Type::Unknown), Type::Boolean)
            }
            _ => {
                let common = self.numbers(left, &first, right, &second);
                (Operation::Numbers(common), Type::Boolean)
            }
        }
    }

    fn membership(&mut self, left: &'tree Expression, right: &'tree Expression) -> (Operation, Type) {
        let collection = self.infer(right, None);
        let (element, operation, ty) = match &collection {
            Type::Seq(element) | Type::Set(element) => (element, Operation::Member, Type::Boolean),
            Type::Map(key, _) => (key, Operation::MapKey, Type::Boolean),
            Type::Bag(element) => (element, Operation::BagCount, Type::Int),
            _ => {
                self.infer(left, None);
                self.unexpected(right, &collection, "a sequence, set, bag or map");
                return (Operation::Member, Type::Boolean);
            }
        };
        let found = self.infer(left, Some(element));
        // A reference of any class may be among objects of one, and any rational among fractions.
        let may_be_wider = match &found {
            Type::Ref => matches!(**element, Type::Class(..)),
            Type::Rational | Type::ZeroFraction => matches!(**element, Type::Fraction | Type::ZeroFraction),
            _ => false,
        };
        if !may_be_wider {
            self.convert(left, &found, element);
        }
        (operation, ty)
    }

    /// Numbers on both sides, converted to the type of the result.
    fn numbers(
        &mut self,
        left: &'tree Expression,
        first: &Type,
        right: &'tree Expression,
        second: &Type,
    ) -> Type {
        for (side, ty) in [(left, first), (right, second)] {
            if !ty.is_number() {
                self.unexpected(side, ty, "a number");
            }
        }
        if !first.is_number() || !second.is_number() {
            return Type::Unknown;
        }
        let is_literal = |side: &Expression| matches!(&*side.kind, ExpressionKind::Int(_));
        let common = match (first, second) {
            (Type::Unknown, other) | (other, Type::Unknown) => other.clone(),
            (Type::Int, Type::Int) => Type::Int,
            (Type::Float32, Type::Float32) => Type::Float32,
            (Type::Float32 | Type::Float64, Type::Float32 | Type::Float64) => Type::Float64,
            (float @ (Type::Float32 | Type::Float64), Type::Int) if is_literal(right) => float.clone(),
            (Type::Int, float @ (Type::Float32 | Type::Float64)) if is_literal(left) => float.clone(),
            _ => Type::Rational,
        };
        self.convert(left, first, &common);
        self.convert(right, second, &common);
        common
    }

    /// Collections on both sides, converted to what they have in common.
    fn joined(
        &mut self,
        expression: &Expression,
        left: &'tree Expression,
        first: &Type,
        right: &'tree Expression,
        second: &Type,
    ) -> Type {
        let Some(common) = first.common(second) else {
            let message =
                format!("a `{}` and a `{}` do not go together", self.show(first), self.show(second));
            self.report(
                Diagnostic::error(codes::TYPE, expression.span, message)
                    .help("both sides need the same type of elements"),
            );
            return Type::Unknown;
        };
        self.convert(left, first, &common);
        self.convert(right, second, &common);
        common
    }

    fn addition(
        &mut self,
        expression: &'tree Expression,
        left: &'tree Expression,
        right: &'tree Expression,
        wish: Option<&Type>,
    ) -> (Operation, Type) {
        let wish = wish.filter(|ty| !matches!(ty, Type::Class(..)));
        let (first, second) = self.operand_types(left, right, wish);
        if let Some(found) = self.declared_operator(expression, left, &first, right, &second) {
            return found;
        }
        match (&first, &second) {
            (Type::Seq(_), Type::Seq(_)) => {
                let common = self.joined(expression, left, &first, right, &second);
                (Operation::Concatenation(common.clone()), common)
            }
            (Type::String, Type::String) => (Operation::Concatenation(Type::String), Type::String),
            (Type::Set(_), Type::Set(_)) | (Type::Bag(_), Type::Bag(_)) => {
                let common = self.joined(expression, left, &first, right, &second);
                (Operation::Collections(common.clone()), common)
            }
            (Type::Process, _) | (_, Type::Process) => self.processes(left, &first, right, &second),
            (Type::Pointer(_), _) => {
                self.convert(right, &second, &Type::Int);
                (Operation::Pointers, first)
            }
            (Type::Vector(..), Type::Vector(..)) => {
                self.vector_operation(expression, BinaryOperator::Add, left, right, (&first, &second))
            }
            (Type::Seq(_), other) | (other, Type::Seq(_)) if !other.is_unknown() => {
                self.error(
                    codes::TYPE,
                    expression.span,
                    format!("`{}` and `{}` cannot be added", self.show(&first), self.show(&second)),
                    "`+` joins two sequences; one element is added with `xs + [x]` or `x :: xs`",
                );
                (Operation::Concatenation(Type::Unknown), Type::Unknown)
            }
            (Type::Set(_) | Type::Bag(_), other) | (other, Type::Set(_) | Type::Bag(_))
                if !other.is_unknown() =>
            {
                self.error(
                    codes::TYPE,
                    expression.span,
                    format!("`{}` and `{}` cannot be added", self.show(&first), self.show(&second)),
                    "`+` joins two sets or bags; one element is added with `s + {x}`",
                );
                (Operation::Collections(Type::Unknown), Type::Unknown)
            }
            _ => {
                let common = self.numbers(left, &first, right, &second);
                (Operation::Numbers(common.clone()), common)
            }
        }
    }

    fn processes(
        &mut self,
        left: &'tree Expression,
        first: &Type,
        right: &'tree Expression,
        second: &Type,
    ) -> (Operation, Type) {
        self.convert(left, first, &Type::Process);
        self.convert(right, second, &Type::Process);
        (Operation::Processes, Type::Process)
    }

    fn difference_or_product(
        &mut self,
        expression: &'tree Expression,
        operator: BinaryOperator,
        left: &'tree Expression,
        right: &'tree Expression,
        wish: Option<&Type>,
    ) -> (Operation, Type) {
        let (first, second) = self.operand_types(left, right, wish);
        let is_product = operator == BinaryOperator::Multiply;
        match (&first, &second) {
            (Type::Set(_), Type::Set(_)) | (Type::Bag(_), Type::Bag(_)) => {
                let common = self.joined(expression, left, &first, right, &second);
                (Operation::Collections(common.clone()), common)
            }
            (Type::Process, _) | (_, Type::Process) if is_product => {
                self.processes(left, &first, right, &second)
            }
            (Type::Vector(..), Type::Vector(..)) => {
                self.vector_operation(expression, operator, left, right, (&first, &second))
            }
            (Type::Pointer(_), Type::Pointer(_)) if !is_product => (Operation::Pointers, Type::Int),
            (Type::Pointer(_), _) if !is_product => {
                self.convert(right, &second, &Type::Int);
                (Operation::Pointers, first)
            }
            _ => {
                let common = self.numbers(left, &first, right, &second);
                (Operation::Numbers(common.clone()), common)
            }
        }
    }

    fn division(
        &mut self,
        expression: &Expression,
        left: &'tree Expression,
        right: &'tree Expression,
        wish: Option<&Type>,
    ) -> (Operation, Type) {
        let wants_fraction = matches!(wish, Some(Type::Fraction | Type::ZeroFraction | Type::Rational));
        let (first, second) = self.divided_types(left, right, if self.is_old() { wish } else { None });
        if let (Type::Vector(..), Type::Vector(..)) = (&first, &second) {
            let operator = BinaryOperator::Divide;
            return self.vector_operation(expression, operator, left, right, (&first, &second));
        }
        // In the old dialect amounts were divided like integers.
        if self.is_old() && wants_fraction && first.is_exact_number() && second.is_exact_number() {
            if first != Type::Rational {
                self.resolution.conversions.insert(left.id, Type::Rational);
            }
            if second != Type::Rational {
                self.resolution.conversions.insert(right.id, Type::Rational);
            }
            return (Operation::Numbers(Type::Rational), Type::Rational);
        }
        let common = self.numbers(left, &first, right, &second);
        (Operation::Numbers(common.clone()), common)
    }

    /// The type of a sequence that gets one more element.
    fn extended(
        &mut self,
        element: &'tree Expression,
        found: &Type,
        sequence: &'tree Expression,
        sequence_type: &Type,
        element_type: &Type,
    ) -> Type {
        let common = found.common(element_type).unwrap_or_else(|| element_type.clone());
        self.convert(element, found, &common);
        let target = Type::Seq(Arc::new(common));
        self.convert(sequence, sequence_type, &target);
        target
    }

    /// `xs ++ x`; two sequences are joined.
    fn append(
        &mut self,
        expression: &'tree Expression,
        left: &'tree Expression,
        right: &'tree Expression,
        wish: Option<&Type>,
    ) -> Type {
        let sequence = self.infer(left, wish);
        let Type::Seq(element) = &sequence else {
            self.infer(right, None);
            let needed = if matches!(sequence, Type::Map(..)) {
                "a sequence, or a pair `(key, value)` on the right"
            } else {
                "a sequence"
            };
            self.unexpected(left, &sequence, needed);
            return Type::Unknown;
        };
        let found = self.infer(right, Some(element));
        let joins = matches!(&found, Type::Seq(_)) && !found.fits(element);
        let (operation, ty) = if joins {
            let common = self.joined(expression, left, &sequence, right, &found);
            (Operation::Concatenation(common.clone()), common)
        } else {
            let ty = self.extended(right, &found, left, &sequence, element);
            (Operation::Append, ty)
        };
        self.resolution.operations.insert(expression.id, operation);
        ty
    }

    /// `+` that a class declares, with the object on the left or on the right.
    fn declared_operator(
        &mut self,
        expression: &'tree Expression,
        left: &'tree Expression,
        first: &Type,
        right: &'tree Expression,
        second: &Type,
    ) -> Option<(Operation, Type)> {
        if let Some((routine, result, parameter)) = self.find_operator(first, Operator::Plus, second) {
            self.convert(right, second, &parameter);
            self.check_operator_context(expression, routine);
            return Some((Operation::Declared { routine, on_right: false }, result));
        }
        if let Some((routine, result, parameter)) = self.find_operator(second, Operator::RightPlus, first) {
            self.convert(left, first, &parameter);
            self.check_operator_context(expression, routine);
            return Some((Operation::Declared { routine, on_right: true }, result));
        }
        if matches!(first, Type::Class(..)) || matches!(second, Type::Class(..)) {
            self.error(
                codes::TYPE,
                expression.span,
                format!("there is no `+` for `{}` and `{}`", self.show(first), self.show(second)),
                "declare `T +(U other)` in the class on the left, or `T right+(U other)` in the one on the right",
            );
            return Some((Operation::Numbers(Type::Unknown), Type::Unknown));
        }
        None
    }
}
