//! Vectors as values: arithmetic element by element, sums, comparisons, and matrices, which are vectors of rows.
//!
//! A vector is a sequence of Silver. Every variable of a vector type has the length of its type, which is what
//! [`Scope::type_fact`] says; what comes from the heap or from a collection goes through a function that gives it this
//! length. The operations are functions with quantified postconditions, so that long vectors cost no more than short
//! ones.

use std::sync::Arc;

use silver::syntax::tree as s;
use source::Span;

use crate::limits;
use crate::lower::Lowering;
use crate::lower::build::Build;
use crate::lower::prelude::{Fill, Template};
use crate::lower::scope::Scope;
use crate::lower::values::types::is_rational;
use crate::resolve::Type;
use crate::syntax::tree::{BinaryOperator, Builtin, Expression, ExpressionKind};

/// What a sum goes over.
enum Indices {
    /// From a first index up to one behind the last.
    Range(s::Expression, s::Expression),
    /// A sequence, and how many of it.
    Listed(s::Expression, Option<s::Expression>),
}

/// The element of a sequence or vector.
fn element(ty: &Type) -> Type {
    match ty {
        Type::Seq(inner) | Type::Vector(inner, _) => (**inner).clone(),
        _ => Type::Unknown,
    }
}

/// What `\vrep(e)` or `\mrep(e)` repeats.
fn repeated(expression: &Expression) -> Option<&Expression> {
    match &*expression.kind {
        ExpressionKind::Builtin(Builtin::VectorRepeat | Builtin::MatrixRepeat, arguments) => {
            arguments.first()
        }
        _ => None,
    }
}

impl<'t> Scope<'_, 't> {
    /// The vector that a value of unknown length stands for.
    pub(crate) fn stored_vector(&mut self, value: s::Expression, ty: &Type, place: Span) -> s::Expression {
        let Type::Vector(element, length) = ty else { return value };
        if matches!(**element, Type::Vector(..)) {
            let function = self.lowering.need_stored_matrix(ty, place);
            return self.at(place).call(&function, vec![value]);
        }
        let function = self.lowering.need_for(Template::StoredVector, &[("T", element)], &[], place);
        let mut build = self.at(place);
        let length = build.natural(*length);
        build.call(&function, vec![value, length])
    }

    /// That a value has the length of its type, and so have vectors in it.
    pub(crate) fn has_length(&mut self, value: &s::Expression, ty: &Type, place: Span) -> s::Expression {
        let names = &mut self.member.names;
        let mut build = self.lowering.at(place);
        shape(&mut build, value, ty, 0, &mut |_| names.fresh("i"))
    }

    /// Nothing, as an entry of a vector.
    fn zero(&mut self, entry: &Type, place: Span) -> s::Expression {
        let mut build = self.at(place);
        if is_rational(entry) { build.no_permission() } else { build.int(0) }
    }

    /// `left + right` and the like.
    pub(crate) fn vector_operation(
        &mut self,
        operator: BinaryOperator,
        ty: &Type,
        left: &'t Expression,
        right: &'t Expression,
        expression: &'t Expression,
    ) -> s::Expression {
        let place = expression.span;
        let element = element(ty);
        use s::BinaryOperator as Silver;
        let divide = if is_rational(&element) { Silver::Divide } else { Silver::IntDivide };
        let (template, name, silver) = match operator {
            BinaryOperator::Add => (Template::VectorAdd, "add", Silver::Add),
            BinaryOperator::Subtract => (Template::VectorSubtract, "subtract", Silver::Subtract),
            BinaryOperator::Multiply => (Template::VectorMultiply, "multiply", Silver::Multiply),
            BinaryOperator::Divide => (Template::VectorDivide, "divide", divide),
            BinaryOperator::Modulo => (Template::VectorModulo, "modulo", Silver::Modulo),
            _ => return self.unsupported(place, "this operator on vectors"),
        };
        let mut fills = vec![("name", Fill::Name(name.into())), ("operator", Fill::Operator(silver))];
        let is_division = matches!(operator, BinaryOperator::Divide | BinaryOperator::Modulo);
        if is_division {
            fills.push(("zero", Fill::Value(self.zero(&element, place))));
        }
        let function = self.lowering.need_for(template, &[("T", &element)], &fills, place);
        let divisor = right.span;
        let values = self.operands(&[left, right]);
        self.at(if is_division { divisor } else { place }).call(&function, values)
    }

    /// `-operand`
    pub(crate) fn negated_vector(
        &mut self,
        operand: &'t Expression,
        ty: &Type,
        expression: &'t Expression,
    ) -> s::Expression {
        let place = expression.span;
        let element = element(ty);
        let fills = [("zero", Fill::Value(self.zero(&element, place)))];
        let types = [("T", &element)];
        let function = self.lowering.need_for(Template::VectorNegate, &types, &fills, place);
        let operand = self.expression(operand);
        self.at(place).call(&function, vec![operand])
    }

    /// `\vrep(e)` or `\mrep(e)` as a vector whose type says how long it is.
    pub(crate) fn repetition(
        &mut self,
        value: &'t Expression,
        ty: &Type,
        expression: &'t Expression,
    ) -> s::Expression {
        let place = expression.span;
        let mut lengths = Vec::new();
        let mut inner = ty.clone();
        let depth = if matches!(&*expression.kind, ExpressionKind::Builtin(Builtin::MatrixRepeat, _)) {
            2
        } else {
            1
        };
        while lengths.len() < depth
            && let Type::Vector(row, length) = &inner
        {
            lengths.push(*length);
            inner = (**row).clone();
        }
        let mut result = self.expression(value);
        while let Some(length) = lengths.pop() {
            let function = self.lowering.need_for(Template::VectorRepeat, &[("T", &inner)], &[], place);
            let mut build = self.at(place);
            let count = build.natural(length);
            result = build.call(&function, vec![result, count]);
            inner = Type::Vector(Arc::new(inner), length);
        }
        result
    }

    /// `\vcmp(left, right)` and `\mcmp(left, right)`
    pub(crate) fn entries_compared(
        &mut self,
        builtin: Builtin,
        left: &'t Expression,
        right: &'t Expression,
        expression: &'t Expression,
    ) -> s::Expression {
        let place = expression.span;
        let is_matrix = builtin == Builtin::MatrixCompare;
        let (partner, value) = match (repeated(left), repeated(right)) {
            (Some(value), _) => (right, Some(value)),
            (None, Some(value)) => (left, Some(value)),
            (None, None) => (left, None),
        };
        let mut entry = element(&self.converted_type(partner));
        if is_matrix {
            entry = element(&entry);
        }
        let (row, whole) = match value {
            Some(_) => (Template::VectorCompareValue, Template::MatrixCompareValue),
            None => (Template::VectorCompare, Template::MatrixCompare),
        };
        let mut function = self.lowering.need_for(row, &[("T", &entry)], &[], place);
        if is_matrix {
            let fills = [("rows", Fill::Name(function))];
            function = self.lowering.need_for(whole, &[("T", &entry)], &fills, place);
        }
        // In the order of the text, whatever the order of the function's parameters.
        let is_turned = repeated(left).is_some();
        let mut values = match value {
            Some(value) if is_turned => self.operands(&[value, partner]),
            Some(value) => self.operands(&[partner, value]),
            None => self.operands(&[left, right]),
        };
        if is_turned {
            values.reverse();
        }
        self.at(place).call(&function, values)
    }

    /// `\sum(indices, values)`
    pub(crate) fn entries_added(
        &mut self,
        indices: &'t Expression,
        values: &'t Expression,
        expression: &'t Expression,
    ) -> s::Expression {
        let place = expression.span;
        let mut parts = index_parts(indices);
        parts.push(repeated(values).unwrap_or(values));
        let mut lowered = self.operands(&parts);
        let Some(value) = lowered.pop() else { return self.unsupported(place, "this sum") };
        let indices = take_indices(indices, &mut lowered.into_iter());
        if repeated(values).is_some() {
            let count = self.count(indices, place);
            return self.at(place).binary(s::BinaryOperator::Multiply, count, value);
        }
        let entry = element(&self.converted_type(values));
        self.sum(value, &entry, indices, place)
    }

    /// `\msum(rows * columns, values)`; without columns these are whole rows.
    pub(crate) fn rows_added(
        &mut self,
        indices: &'t Expression,
        values: &'t Expression,
        expression: &'t Expression,
    ) -> s::Expression {
        let place = expression.span;
        let (rows, columns) = match &*indices.kind {
            ExpressionKind::Binary(BinaryOperator::Multiply, rows, columns) => (rows, Some(columns)),
            _ => (indices, None),
        };
        let mut parts = index_parts(rows);
        parts.extend(columns.into_iter().flat_map(index_parts));
        parts.push(repeated(values).unwrap_or(values));
        let mut lowered = self.operands(&parts);
        let Some(matrix) = lowered.pop() else { return self.unsupported(place, "this sum") };
        let mut lowered = lowered.into_iter();
        let rows = take_indices(rows, &mut lowered);
        let columns = columns.map(|columns| take_indices(columns, &mut lowered));
        if repeated(values).is_some() {
            let mut count = self.count(rows, place);
            if let Some(columns) = columns {
                let columns = self.count(columns, place);
                count = self.at(place).binary(s::BinaryOperator::Multiply, count, columns);
            }
            return self.at(place).binary(s::BinaryOperator::Multiply, count, matrix);
        }
        let entry = element(&element(&self.converted_type(values)));
        let types = [("T", &entry)];
        let is_listed = matches!(columns, Some(Indices::Listed(..)));
        let sum = self.sum_function(&entry, !is_listed, place);
        let fills = [("sum", Fill::Name(sum))];
        let (template, check, columns) = match columns {
            None => (Template::MatrixRowTotals, None, Vec::new()),
            Some(Indices::Range(left, right)) => {
                (Template::MatrixRowSums, Some(Template::MatrixHas), vec![left, right])
            }
            Some(columns @ Indices::Listed(..)) => {
                let columns = self.listed(&columns, place);
                (Template::MatrixRowSumsAt, Some(Template::MatrixHasAt), vec![columns])
            }
        };
        let function = self.lowering.need_for(template, &types, &fills, place);
        let check = check.map(|check| {
            let check = self.lowering.need_for(check, &types, &[], place);
            let listed = self.listed(&rows, place);
            let mut arguments = vec![matrix.clone(), listed];
            arguments.extend(columns.iter().cloned());
            self.at(place).call(&check, arguments)
        });
        let mut arguments = vec![matrix];
        arguments.extend(columns);
        let sums = self.at(place).call(&function, arguments);
        let sum = self.sum(sums, &entry, rows, place);
        match check {
            Some(check) => {
                let nothing = self.zero(&entry, place);
                self.at(place).conditional(check, sum, nothing)
            }
            None => sum,
        }
    }

    fn sum(&mut self, vector: s::Expression, entry: &Type, indices: Indices, place: Span) -> s::Expression {
        let (function, arguments) = match indices {
            Indices::Range(low, high) => (self.sum_function(entry, true, place), vec![vector, low, high]),
            Indices::Listed(listed, None) => (self.sum_function(entry, false, place), vec![vector, listed]),
            Indices::Listed(listed, count) => {
                let count = self.prefix(&listed, count, place);
                (self.prefix_sum_function(entry, place), vec![vector, listed, count])
            }
        };
        self.at(place).call(&function, arguments)
    }

    /// The function for a sum of a range, or of all indices of a sequence.
    fn sum_function(&mut self, entry: &Type, is_range: bool, place: Span) -> Arc<str> {
        let types = [("T", entry)];
        if is_range {
            let fills = [("zero", Fill::Value(self.zero(entry, place)))];
            return self.lowering.need_for(Template::VectorSum, &types, &fills, place);
        }
        let fills = [("at", Fill::Name(self.prefix_sum_function(entry, place)))];
        self.lowering.need_for(Template::VectorSumOf, &types, &fills, place)
    }

    /// The function for a sum of the first indices of a sequence.
    fn prefix_sum_function(&mut self, entry: &Type, place: Span) -> Arc<str> {
        let fills = [("zero", Fill::Value(self.zero(entry, place)))];
        self.lowering.need_for(Template::VectorSumAt, &[("T", entry)], &fills, place)
    }

    /// How many indices there are.
    fn count(&mut self, indices: Indices, place: Span) -> s::Expression {
        let mut build = self.at(place);
        match indices {
            Indices::Range(low, high) => {
                let any = build.less(low.clone(), high.clone());
                let difference = build.subtract(high, low);
                let nothing = build.int(0);
                build.conditional(any, difference, nothing)
            }
            Indices::Listed(listed, count) => self.prefix(&listed, count, place),
        }
    }

    /// How many elements the first so many are: none if there are less, and all if there are more.
    fn prefix(&mut self, listed: &s::Expression, count: Option<s::Expression>, place: Span) -> s::Expression {
        let mut build = self.at(place);
        let size = build.expression(s::ExpressionKind::Size(listed.clone()));
        let Some(count) = count else { return size };
        let nothing = build.int(0);
        let is_nothing = build.at_most(count.clone(), nothing.clone());
        let is_all = build.at_most(size.clone(), count.clone());
        let some = build.conditional(is_all, size, count);
        build.conditional(is_nothing, nothing, some)
    }

    fn listed(&mut self, indices: &Indices, place: Span) -> s::Expression {
        match indices {
            Indices::Range(low, high) => {
                self.at(place).expression(s::ExpressionKind::Range(low.clone(), high.clone()))
            }
            Indices::Listed(listed, None) => listed.clone(),
            Indices::Listed(listed, count) => {
                let kind = s::ExpressionKind::Slice(listed.clone(), None, count.clone());
                self.at(place).expression(kind)
            }
        }
    }
}

impl Lowering<'_> {
    /// The function that gives a vector of vectors the lengths of its type.
    pub(crate) fn need_stored_matrix(&mut self, ty: &Type, place: Span) -> Arc<str> {
        let mut build = self.at(place);
        let (result, value) = (build.expression(s::ExpressionKind::Result), build.variable(&"v".into()));
        let mut index = |depth: usize| format!("i{depth}").into();
        let of_result = shape(&mut build, &result, ty, 0, &mut index);
        let of_value = shape(&mut build, &value, ty, 0, &mut index);
        let fills = [("result", Fill::Value(of_result)), ("shape", Fill::Value(of_value))];
        self.need_for(Template::StoredMatrix, &[("T", &element(ty))], &fills, place)
    }
}

/// That a value has the length of its type, and so have vectors in it; `name` gives a variable for each depth.
fn shape(
    build: &mut Build<'_>,
    value: &s::Expression,
    ty: &Type,
    depth: usize,
    name: &mut dyn FnMut(usize) -> Arc<str>,
) -> s::Expression {
    let Type::Vector(element, length) = ty else { return build.bool(true) };
    let index = name(depth);
    let size = build.size(value.clone());
    let count = build.natural(*length);
    let is_long = build.equal(size, count.clone());
    if depth + 1 >= limits::DIMENSIONS || !matches!(**element, Type::Vector(..)) {
        return is_long;
    }
    let variable = build.variable(&index);
    let row = build.index(value.clone(), variable.clone());
    let zero = build.int(0);
    let range = build.within(zero, variable, count);
    let int = build.ty(s::TypeKind::Int);
    let bindings = vec![build.binding(&index, int)];
    let triggers = vec![build.trigger(vec![row.clone()])];
    let is_fine = shape(build, &row, element, depth + 1, name);
    let body = build.implies(range, is_fine);
    let rows = build.forall(bindings, triggers, body);
    build.and(is_long, rows)
}

/// The expressions that are evaluated for indices.
fn index_parts(indices: &Expression) -> Vec<&Expression> {
    match &*indices.kind {
        ExpressionKind::RangeSeq(low, high) => vec![low, high],
        ExpressionKind::Slice(listed, None, Some(count)) => vec![listed, count],
        _ => vec![indices],
    }
}

/// The indices, made of as many values as they have parts.
fn take_indices(indices: &Expression, values: &mut impl Iterator<Item = s::Expression>) -> Indices {
    let is_range = matches!(&*indices.kind, ExpressionKind::RangeSeq(..));
    let is_pair = index_parts(indices).len() == 2;
    let first = values.next();
    let second = if is_pair { values.next() } else { None };
    match (first, second) {
        (Some(low), Some(high)) if is_range => Indices::Range(low, high),
        (Some(listed), count) => Indices::Listed(listed, count),
        (None, _) => {
            let nothing = s::ExpressionKind::Collection(s::CollectionKind::Seq, None, Vec::new());
            Indices::Listed(s::Expression::new(nothing, indices.span), None)
        }
    }
}
