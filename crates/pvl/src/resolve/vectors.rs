//! Vectors and matrices: arithmetic element by element, and `\sum`, `\vcmp`, `\vrep` with their relatives for matrices.
//!
//! A vector is a `vector<T, n>` or a sequence, a matrix a vector of rows. `\vrep(e)` and `\mrep(e)` have the value `e`
//! everywhere and no shape of their own: it comes from what they stand beside.

use std::sync::Arc;

use super::checker::Checker;
use super::{Operation, Type};
use crate::codes;
use crate::syntax::tree::{BinaryOperator, Builtin, Expression, ExpressionKind};

/// The type of the entries, so many levels down.
fn entry(ty: &Type, depth: usize) -> Option<&Type> {
    match ty {
        _ if depth == 0 => Some(ty),
        Type::Seq(inner) | Type::Vector(inner, _) => entry(inner, depth - 1),
        _ => None,
    }
}

/// The same shape with entries of another type.
fn with_entry(ty: &Type, depth: usize, value: &Type) -> Type {
    match ty {
        Type::Seq(inner) if depth > 0 => Type::Seq(Arc::new(with_entry(inner, depth - 1, value))),
        Type::Vector(inner, length) if depth > 0 => {
            Type::Vector(Arc::new(with_entry(inner, depth - 1, value)), *length)
        }
        _ => value.clone(),
    }
}

/// Whether two types have the same shape as far as types tell.
fn same_shape(first: &Type, second: &Type, depth: usize) -> bool {
    match (first, second) {
        _ if depth == 0 => true,
        (Type::Seq(a), Type::Seq(b)) => same_shape(a, b, depth - 1),
        (Type::Vector(a, n), Type::Vector(b, m)) => n == m && same_shape(a, b, depth - 1),
        _ => false,
    }
}

/// The type in which numbers are added up or negated: fractions leave their range.
fn wide(ty: &Type) -> Type {
    match ty {
        Type::Fraction | Type::ZeroFraction => Type::Rational,
        other => other.clone(),
    }
}

/// What `\vrep(e)` or `\mrep(e)` repeats.
fn repeated(expression: &Expression) -> Option<(&Expression, usize)> {
    match &*expression.kind {
        ExpressionKind::Builtin(Builtin::VectorRepeat, arguments) => Some((arguments.first()?, 1)),
        ExpressionKind::Builtin(Builtin::MatrixRepeat, arguments) => Some((arguments.first()?, 2)),
        _ => None,
    }
}

impl<'tree> Checker<'tree> {
    /// The types of two operands, where `\vrep` and `\mrep` follow the other one.
    pub(super) fn operand_types(
        &mut self,
        left: &'tree Expression,
        right: &'tree Expression,
        wish: Option<&Type>,
    ) -> (Type, Type) {
        if repeated(left).is_some() && repeated(right).is_none() {
            let second = self.infer(right, wish);
            let first = self.infer(left, Some(&second));
            return (first, second);
        }
        let first = self.infer(left, wish);
        let second = self.infer(right, Some(&first));
        (first, second)
    }

    /// The types of two operands of a division, which follow each other only if they are vectors.
    pub(super) fn divided_types(
        &mut self,
        left: &'tree Expression,
        right: &'tree Expression,
        wish: Option<&Type>,
    ) -> (Type, Type) {
        if repeated(left).is_some() {
            return self.operand_types(left, right, wish);
        }
        let first = self.infer(left, wish);
        let second = self.infer(right, Some(&first).filter(|first| matches!(first, Type::Vector(..))));
        (first, second)
    }

    /// An operator between vectors, which is applied to their elements.
    pub(super) fn vector_operation(
        &mut self,
        expression: &Expression,
        operator: BinaryOperator,
        left: &'tree Expression,
        right: &'tree Expression,
        (first, second): (&Type, &Type),
    ) -> (Operation, Type) {
        let failed = (Operation::Vectors(Type::Unknown), Type::Unknown);
        let (Type::Vector(a, length), Type::Vector(b, other)) = (first, second) else { return failed };
        if length != other {
            let message = format!("vectors of length {length} and {other} do not go together");
            self.error(codes::TYPE, expression.span, message, "both sides need the same length");
            return failed;
        }
        for (side, ty, element) in [(left, first, a), (right, second, b)] {
            let is_fine = match operator {
                BinaryOperator::Modulo => matches!(**element, Type::Int | Type::Unknown),
                _ => element.is_number(),
            };
            if !is_fine {
                let needed = match operator {
                    BinaryOperator::Modulo => "a vector of integers",
                    _ => "a vector of numbers",
                };
                self.unexpected(side, ty, needed);
                return failed;
            }
        }
        let element = match (&**a, &**b) {
            (Type::Unknown, known) | (known, Type::Unknown) => wide(known),
            (Type::Int, Type::Int) => Type::Int,
            (Type::Float32, Type::Float32) => Type::Float32,
            (Type::Float32 | Type::Float64, Type::Float32 | Type::Float64) => Type::Float64,
            _ => Type::Rational,
        };
        let common = Type::Vector(Arc::new(element), *length);
        self.convert(left, first, &common);
        self.convert(right, second, &common);
        (Operation::Vectors(common.clone()), common)
    }

    /// `-v`
    pub(super) fn negated_vector(&mut self, operand: &'tree Expression, ty: Type) -> Type {
        match &ty {
            Type::Vector(element, _) if element.is_number() => {
                let target = with_entry(&ty, 1, &wide(element));
                self.convert(operand, &ty, &target);
                target
            }
            _ => {
                self.unexpected(operand, &ty, "a number");
                Type::Unknown
            }
        }
    }

    /// `\vrep(e)` and `\mrep(e)` where they stand alone: only a type can say how long they are.
    pub(super) fn repetition(
        &mut self,
        expression: &'tree Expression,
        value: &'tree Expression,
        wish: Option<&Type>,
    ) -> Type {
        let depth = repeated(expression).map_or(1, |(_, depth)| depth);
        let is_vector = |ty: &&Type| match (ty, depth) {
            (Type::Vector(row, _), 2) => matches!(**row, Type::Vector(..)),
            (Type::Vector(..), _) => true,
            _ => false,
        };
        let Some(shape) = wish.filter(is_vector) else {
            let found = self.infer(value, None);
            if !found.is_unknown() && !wish.is_some_and(Type::is_unknown) {
                self.no_shape(expression);
            }
            return Type::Unknown;
        };
        self.repeated_in(shape, value, depth)
    }

    /// The type of a repetition in this shape, with entries as wide as the value needs.
    fn repeated_in(&mut self, shape: &Type, value: &'tree Expression, depth: usize) -> Type {
        let wished = entry(shape, depth);
        let found = self.infer(value, wished);
        let becomes = |wished: &Type| match (&*value.kind, wished) {
            (ExpressionKind::Int(digits), Type::Fraction) => &**digits == "1",
            (ExpressionKind::Int(digits), Type::ZeroFraction) => matches!(&**digits, "0" | "1"),
            (ExpressionKind::Int(_), _) => wished.is_number(),
            _ => found.widens(wished),
        };
        let target = wished.filter(|wished| becomes(wished)).unwrap_or(&found).clone();
        self.convert(value, &found, &target);
        with_entry(shape, depth, &target)
    }

    fn no_shape(&mut self, expression: &Expression) {
        let (message, help) = match &*expression.kind {
            ExpressionKind::Builtin(Builtin::MatrixRepeat, _) => (
                "nothing says how many rows and columns this has",
                "use it where a `vector<vector<T, m>, n>` is needed, beside a matrix in `\\mcmp`, or in `\\msum(rows * columns, …)`",
            ),
            _ => (
                "nothing says how long this is",
                "use it where a `vector<T, n>` is needed, beside a vector in `\\vcmp`, or in `\\sum(indices, …)`",
            ),
        };
        self.error(codes::TYPE, expression.span, message, help);
    }

    /// `\vcmp(a, b)` and `\mcmp(a, b)`
    pub(super) fn entries_compared(
        &mut self,
        expression: &'tree Expression,
        left: &'tree Expression,
        right: &'tree Expression,
        depth: usize,
    ) -> Type {
        let is_repeated = |side| matches!(repeated(side), Some((_, found)) if found == depth);
        let (partner, repetition) = match (is_repeated(left), is_repeated(right)) {
            (true, true) => {
                for side in [left, right] {
                    repeated(side).map(|(value, _)| self.infer(value, None));
                }
                self.no_shape(left);
                return Type::Unknown;
            }
            (true, false) => (right, left),
            (false, true) => (left, right),
            (false, false) => return self.vectors_compared(expression, left, right, depth),
        };
        let needed = if depth == 1 { "a sequence or a vector" } else { "a sequence or a vector of rows" };
        let ty = self.infer(partner, None);
        let Some((value, _)) = repeated(repetition) else { return Type::Unknown };
        let Some(element) = entry(&ty, depth) else {
            self.infer(value, None);
            self.unexpected(partner, &ty, needed);
            return Type::Unknown;
        };
        let found = self.infer(value, Some(element));
        let Some(common) = element.common(&found).map(|common| wide(&common)) else {
            self.unrelated(expression, element, &found);
            return Type::Unknown;
        };
        let shape = with_entry(&ty, depth, &common);
        self.convert(partner, &ty, &shape);
        self.convert(value, &found, &common);
        self.resolution.expressions.insert(repetition.id, shape);
        with_entry(&ty, depth, &Type::Int)
    }

    fn vectors_compared(
        &mut self,
        expression: &Expression,
        left: &'tree Expression,
        right: &'tree Expression,
        depth: usize,
    ) -> Type {
        let needed = if depth == 1 { "a sequence or a vector" } else { "a sequence or a vector of rows" };
        let first = self.infer(left, None);
        let second = self.infer(right, Some(&first));
        let (Some(a), Some(b)) = (entry(&first, depth), entry(&second, depth)) else {
            let (side, ty) = if entry(&first, depth).is_none() { (left, &first) } else { (right, &second) };
            self.unexpected(side, ty, needed);
            return Type::Unknown;
        };
        if !same_shape(&first, &second, depth) {
            let message =
                format!("`{}` and `{}` have different shapes", self.show(&first), self.show(&second));
            self.error(codes::TYPE, expression.span, message, "compare what has the same length");
            return Type::Unknown;
        }
        let Some(common) = a.common(b).map(|common| wide(&common)) else {
            self.unrelated(expression, a, b);
            return Type::Unknown;
        };
        let shape = with_entry(&first, depth, &common);
        self.convert(left, &first, &shape);
        self.convert(right, &second, &shape);
        with_entry(&first, depth, &Type::Int)
    }

    fn unrelated(&mut self, expression: &Expression, first: &Type, second: &Type) {
        let message = format!("no `{}` equals a `{}`", self.show(first), self.show(second));
        self.error(codes::TYPE, expression.span, message, "compare entries of the same type");
    }

    /// `\sum(indices, vector)` and `\msum(rows * columns, matrix)`
    pub(super) fn entries_added(
        &mut self,
        expression: &'tree Expression,
        indices: &'tree Expression,
        values: &'tree Expression,
        depth: usize,
    ) -> Type {
        let numbers = Type::Seq(Arc::new(Type::Int));
        let columns = match &*indices.kind {
            ExpressionKind::Binary(BinaryOperator::Multiply, rows, columns) if depth == 2 => {
                self.check(rows, &numbers);
                self.check(columns, &numbers);
                self.resolution.expressions.insert(indices.id, numbers);
                true
            }
            _ => {
                self.check(indices, &numbers);
                false
            }
        };
        let element = match repeated(values) {
            Some((value, found)) if found == depth => {
                let ty = self.infer(value, None);
                if depth == 2 && !columns {
                    self.error(
                        codes::TYPE,
                        expression.span,
                        "nothing says how many columns there are",
                        "write `\\msum(rows * columns, …)`",
                    );
                }
                self.resolution.expressions.insert(values.id, Type::Seq(Arc::new(ty.clone())));
                ty
            }
            _ => {
                let ty = self.infer(values, None);
                match entry(&ty, depth) {
                    Some(element) => {
                        let element = element.clone();
                        self.convert(values, &ty, &with_entry(&ty, depth, &wide(&element)));
                        element
                    }
                    None => {
                        let needed = if depth == 1 { "a vector of numbers" } else { "a matrix of numbers" };
                        self.unexpected(values, &ty, needed);
                        return Type::Unknown;
                    }
                }
            }
        };
        if !element.is_number() {
            self.unexpected(values, &element, "a number");
            return Type::Unknown;
        }
        wide(&element)
    }
}
