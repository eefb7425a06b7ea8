//! Arrays and pointers: values that give a heap location for each index.
//!
//! `a[i]` is `element(a, i).array_T`: `element` checks that the array is not null and the index is inside, and all
//! arrays with elements of one type share one field.

use std::sync::Arc;

use silver::syntax::tree as s;
use source::Span;

use crate::limits;
use crate::lower::heap::all_fields::Stored;
use crate::lower::heap::permissions::Location;
use crate::lower::origin::Role;
use crate::lower::prelude::{Fill, Template, Theory};
use crate::lower::scope::Scope;
use crate::resolve::{Subscript, Type};
use crate::syntax::tree::{BinaryOperator, Builtin, Expression};

impl<'t> Scope<'_, 't> {
    fn element_type(&self, array: &Expression) -> Type {
        match self.type_of(array) {
            Type::Array(element) | Type::Pointer(element) => (*element).clone(),
            _ => Type::Unknown,
        }
    }

    pub(crate) fn array_field(&mut self, element: &Type, place: Span) -> Arc<str> {
        self.lowering.need(Theory::Array);
        self.lowering.note_field(Stored::ArrayElement(element.clone()));
        self.lowering.need_for(Template::ArrayField, &[("T", element)], &[], place)
    }

    /// The field access that is the element.
    pub(crate) fn array_location(
        &mut self,
        array: &'t Expression,
        index: &'t Expression,
        role: Role,
        expression: &'t Expression,
    ) -> s::Expression {
        let element = self.element_type(array);
        let field = self.array_field(&element, expression.span);
        let arguments = self.operands(&[array, index]);
        let mut build = self.at(expression.span);
        let reference = build.call("element", arguments);
        build.field(role, reference, &field)
    }

    /// The object that has the element as its field.
    pub(crate) fn element_reference(
        &mut self,
        array: &'t Expression,
        index: &'t Expression,
        place: Span,
    ) -> s::Expression {
        self.lowering.need(Theory::Array);
        let arguments = self.operands(&[array, index]);
        self.at(place).call("element", arguments)
    }

    /// `a[*]`
    pub(crate) fn all_elements(&mut self, array: &'t Expression, expression: &'t Expression) -> Location {
        let place = expression.span;
        let element = self.element_type(array);
        let field = self.array_field(&element, place);
        let array = self.expression(array);
        let index = self.member.names.fresh("i");
        let mut build = self.at(place);
        let zero = build.int(0);
        let variable = build.variable(&index);
        let length = build.call("length", vec![array.clone()]);
        let range = build.within(zero, variable.clone(), length);
        let reference = build.call("element", vec![array.clone(), variable.clone()]);
        let location = build.field(Role::Plain, reference, &field);
        let trigger = build.call("element", vec![array, variable]);
        Location::All { index, range, location, trigger }
    }

    /// `base[index]` as a value.
    pub(crate) fn index(
        &mut self,
        base: &'t Expression,
        index: &'t Expression,
        expression: &'t Expression,
    ) -> s::Expression {
        let place = expression.span;
        match self.resolution.subscripts.get(&expression.id) {
            Some(Subscript::Array) => {
                self.array_location(base, index, Role::Location("arrayPerm"), expression)
            }
            Some(Subscript::Pointer) => {
                self.pointer_location(base, Some(index), Role::Location("ptrPerm"), expression)
            }
            Some(kind @ (Subscript::Seq | Subscript::Map | Subscript::String | Subscript::Vector)) => {
                let mut values = self.operands(&[base, index]);
                let (Some(index), Some(base)) = (values.pop(), values.pop()) else {
                    return self.unsupported(place, "this subscript");
                };
                let mut build = self.at(place);
                match kind {
                    Subscript::Map => build.map_lookup(base, index),
                    _ => build.expression(s::ExpressionKind::Index(base, index)),
                }
            }
            None => self.unsupported(place, "this subscript"),
        }
    }

    /// `new T[n]…`
    pub(crate) fn new_array(
        &mut self,
        dimensions: &'t [Expression],
        expression: &'t Expression,
    ) -> s::Expression {
        let place = expression.span;
        let Type::Array(element) = self.type_of(expression) else {
            return self.unsupported(place, "this array");
        };
        self.lowering.need(Theory::Array);
        if dimensions.len() > 1 {
            return self.new_matrix(&element, dimensions, expression);
        }
        let Some(count) = dimensions.first() else { return self.unsupported(place, "this array") };
        let method = self.new_array_method(&element, place);
        let count = self.expression(count);
        let ty = self.ty(&Type::Array(element.clone()), place);
        let name = self.local("array", ty, None, place);
        let mut build = self.at(place);
        let target = build.variable(&name);
        let call = build.call(&method, vec![count]);
        self.assign(target, call, place);
        self.at(place).variable(&name)
    }

    fn new_array_method(&mut self, element: &Type, place: Span) -> Arc<str> {
        let field = ("field", Fill::Name(self.array_field(element, place)));
        let types = [("T", element)];
        match self.default_value(element, place) {
            Some(default) => {
                let fills = [field, ("default", Fill::Value(default))];
                self.lowering.need_for(Template::ArrayNew, &types, &fills, place)
            }
            None => self.lowering.need_for(Template::ArrayNewArbitrary, &types, &[field], place),
        }
    }

    /// The value that elements of a new array have; `None` if it is arbitrary.
    fn default_value(&mut self, ty: &Type, place: Span) -> Option<s::Expression> {
        let silver = match ty {
            Type::Enum(id) => {
                let null = self.enum_null(*id, place);
                return matches!(*null.kind, s::ExpressionKind::Call(..)).then_some(null);
            }
            Type::String | Type::Seq(_) | Type::Set(_) | Type::Bag(_) | Type::Map(..) | Type::Option(_) => {
                Some(self.ty(ty, place))
            }
            _ => None,
        };
        let mut build = self.at(place);
        Some(match (ty, silver) {
            (Type::Int | Type::Char, _) => build.int(0),
            (Type::Boolean, _) => build.bool(false),
            (Type::Float32 | Type::Float64 | Type::Rational | Type::ZeroFraction, _) => build.no_permission(),
            (Type::Ref | Type::Null | Type::Class(..), _) => build.null(),
            (Type::Array(_), _) => build.call("array_null", Vec::new()),
            (Type::Pointer(_), _) => build.call("pointer_null", Vec::new()),
            (Type::Option(_), Some(silver)) => build.call_typed("none_option", Vec::new(), silver),
            (_, Some(silver)) => build.empty(silver)?,
            _ => return None,
        })
    }

    /// An array whose elements are new arrays, and so on: no two of them are the same.
    fn new_matrix(
        &mut self,
        element: &Type,
        dimensions: &'t [Expression],
        expression: &'t Expression,
    ) -> s::Expression {
        let place = expression.span;
        if dimensions.len() > limits::DIMENSIONS {
            return self.unsupported(place, "a new array with this many dimensions");
        }
        let mut fields = Vec::new();
        let mut inner = element.clone();
        for dimension in 1..=dimensions.len() {
            fields.push(self.array_field(&inner, place));
            match &inner {
                Type::Array(next) if dimension < dimensions.len() => inner = (**next).clone(),
                _ if dimension == dimensions.len() => {}
                _ => return self.unsupported(place, "this array"),
            }
        }
        let dimensions: Vec<&Expression> = dimensions.iter().collect();
        let counts = self.operands(&dimensions);
        let default = self.default_value(&inner, place);
        let method = self.lowering.need_new_arrays(&fields, default.as_ref(), &inner);
        let ty = self.ty(&Type::Array(Arc::new(element.clone())), place);
        let name = self.local("array", ty, None, place);
        let mut build = self.at(place);
        let target = build.variable(&name);
        let call = build.call(&method, counts);
        self.assign(target, call, place);
        self.at(place).variable(&name)
    }

    pub(crate) fn array_builtin(
        &mut self,
        builtin: Builtin,
        arguments: &'t [Expression],
        expression: &'t Expression,
    ) -> s::Expression {
        let place = expression.span;
        self.lowering.need(Theory::Array);
        let element = self.element_type(&arguments[0]);
        let values: Vec<&Expression> = arguments.iter().collect();
        let mut values = self.operands(&values).into_iter();
        let (Some(array), Some(first)) = (values.next(), values.next()) else {
            return self.unsupported(place, "this array");
        };
        match builtin {
            Builtin::Array => {
                let mut build = self.at(place);
                let null = build.call("array_null", Vec::new());
                let exists = build.different(array.clone(), null);
                let length = build.call("length", vec![array]);
                let long = build.equal(length, first);
                build.and(exists, long)
            }
            Builtin::Values => {
                let Some(high) = values.next() else { return self.unsupported(place, "this array") };
                let field = self.array_field(&element, place);
                let function = self.lowering.need_for(
                    Template::ArrayValues,
                    &[("T", &element)],
                    &[("field", Fill::Name(field))],
                    place,
                );
                self.at(place).call(&function, vec![array, first, high])
            }
            _ => {
                let Some(columns) = values.next() else { return self.unsupported(place, "this array") };
                self.matrix(array, first, columns, &element, place)
            }
        }
    }

    /// `\matrix(m, rows, columns)`: rows can be read, exist, are as long as said, and differ from each other.
    fn matrix(
        &mut self,
        array: s::Expression,
        rows: s::Expression,
        columns: s::Expression,
        element: &Type,
        place: Span,
    ) -> s::Expression {
        let field = self.array_field(element, place);
        let (i, j) = (self.member.names.fresh("i"), self.member.names.fresh("j"));
        let factors = self.some_amount(place);
        let crate::lower::heap::permissions::Amount::Some { guard } = factors else {
            return self.unsupported(place, "this array");
        };
        let mut build = self.at(place);
        let null = build.call("array_null", Vec::new());
        let exists = build.different(array.clone(), null.clone());
        let length = build.call("length", vec![array.clone()]);
        let long = build.equal(length, rows.clone());
        let row_place = |build: &mut crate::lower::build::Build<'_>, index: &Arc<str>| {
            let variable = build.variable(index);
            let reference = build.call("element", vec![array.clone(), variable]);
            build.field(Role::Location("arrayPerm"), reference, &field)
        };
        let range = |build: &mut crate::lower::build::Build<'_>, index: &Arc<str>| {
            let zero = build.int(0);
            let variable = build.variable(index);
            build.within(zero, variable, rows.clone())
        };
        let trigger = |build: &mut crate::lower::build::Build<'_>, index: &Arc<str>| {
            let variable = build.variable(index);
            build.call("element", vec![array.clone(), variable])
        };
        let binding = |build: &mut crate::lower::build::Build<'_>, index: &Arc<str>| {
            let int = build.ty(s::TypeKind::Int);
            build.binding(index, int)
        };
        let row = row_place(&mut build, &i);
        let wildcard = build.wildcard();
        let access = build.access(row, wildcard);
        let condition = range(&mut build, &i);
        let body = build.implies(condition, access);
        let term = trigger(&mut build, &i);
        let triggers = vec![build.trigger(vec![term])];
        let bindings = vec![binding(&mut build, &i)];
        let readable = build.forall(bindings, triggers, body);
        let readable = match guard {
            Some(guard) => build.implies(guard, readable),
            None => readable,
        };
        let row = row_place(&mut build, &i);
        let row_exists = build.different(row.clone(), null);
        let row_length = build.call("length", vec![row]);
        let row_long = build.equal(row_length, columns);
        let shape = build.and(row_exists, row_long);
        let condition = range(&mut build, &i);
        let body = build.implies(condition, shape);
        let term = trigger(&mut build, &i);
        let triggers = vec![build.trigger(vec![term])];
        let bindings = vec![binding(&mut build, &i)];
        let shapes = build.forall(bindings, triggers, body);
        let (left, right) = (row_place(&mut build, &i), row_place(&mut build, &j));
        let (index, other) = (build.variable(&i), build.variable(&j));
        let condition = range(&mut build, &i);
        let second = range(&mut build, &j);
        let condition = build.and(condition, second);
        let same = build.equal(left, right);
        let condition = build.and(condition, same);
        let equal = build.equal(index, other);
        let body = build.implies(condition, equal);
        let terms = vec![trigger(&mut build, &i), trigger(&mut build, &j)];
        let triggers = vec![build.trigger(terms)];
        let bindings = vec![binding(&mut build, &i), binding(&mut build, &j)];
        let distinct = build.forall(bindings, triggers, body);
        build.all(vec![exists, long, readable, shapes, distinct])
    }

    pub(crate) fn pointer_field(&mut self, element: &Type, place: Span) -> Arc<str> {
        self.lowering.need(Theory::Pointer);
        self.lowering.note_field(Stored::PointerElement(element.clone()));
        self.lowering.need_for(Template::PointerField, &[("T", element)], &[], place)
    }

    pub(crate) fn pointer_location(
        &mut self,
        pointer: &'t Expression,
        index: Option<&'t Expression>,
        role: Role,
        expression: &'t Expression,
    ) -> s::Expression {
        let place = expression.span;
        let element = self.element_type(pointer);
        let field = self.pointer_field(&element, place);
        let mut arguments = match index {
            Some(index) => self.operands(&[pointer, index]),
            None => self.operands(&[pointer]),
        };
        let mut build = self.at(place);
        if arguments.len() == 1 {
            arguments.push(build.int(0));
        }
        let reference = build.call("pointer_element", arguments);
        build.field(role, reference, &field)
    }

    pub(crate) fn dereference(
        &mut self,
        pointer: &'t Expression,
        expression: &'t Expression,
    ) -> s::Expression {
        self.pointer_location(pointer, None, Role::Location("ptrPerm"), expression)
    }

    pub(crate) fn pointer_arithmetic(
        &mut self,
        operator: BinaryOperator,
        left: &'t Expression,
        right: &'t Expression,
        expression: &'t Expression,
    ) -> s::Expression {
        let place = expression.span;
        self.lowering.need(Theory::Pointer);
        let mut values = self.operands(&[left, right]);
        let (Some(offset), Some(pointer)) = (values.pop(), values.pop()) else {
            return self.unsupported(place, "this operator on pointers");
        };
        let mut build = self.at(place);
        let offset = match operator {
            BinaryOperator::Subtract => {
                build.expression(s::ExpressionKind::Unary(s::UnaryOperator::Negate, offset))
            }
            _ => offset,
        };
        build.call("pointer_add", vec![pointer, offset])
    }

    pub(crate) fn pointer_builtin(
        &mut self,
        builtin: Builtin,
        arguments: &'t [Expression],
        expression: &'t Expression,
    ) -> s::Expression {
        let place = expression.span;
        self.lowering.need(Theory::Pointer);
        let element = self.element_type(&arguments[0]);
        let pointer = self.expression(&arguments[0]);
        match builtin {
            Builtin::PointerBlockLength | Builtin::PointerBlockOffset => {
                let function = match builtin {
                    Builtin::PointerBlockLength => "pointer_block_length",
                    _ => "pointer_block_offset",
                };
                self.at(place).call(function, vec![pointer])
            }
            Builtin::PointerLength => {
                let mut build = self.at(place);
                let length = build.call("pointer_block_length", vec![pointer.clone()]);
                let offset = build.call("pointer_block_offset", vec![pointer]);
                build.subtract(length, offset)
            }
            Builtin::PointerIndex => {
                let field = self.pointer_field(&element, place);
                let index = self.expression(&arguments[1]);
                let amount = self.amount(&arguments[2]);
                let mut build = self.at(place);
                let null = build.call("pointer_null", Vec::new());
                let exists = build.different(pointer.clone(), null);
                let length = build.call("pointer_block_length", vec![pointer.clone()]);
                let offset = build.call("pointer_block_offset", vec![pointer.clone()]);
                let at = build.binary(s::BinaryOperator::Add, offset, index.clone());
                let zero = build.int(0);
                let inside = build.within(zero, at, length);
                let facts = build.and(exists, inside);
                let reference = build.call("pointer_element", vec![pointer, index]);
                let location = build.field(Role::Plain, reference, &field);
                let held = self.held(Location::One(location), amount, place);
                self.at(place).and(facts, held)
            }
            _ => {
                let field = self.pointer_field(&element, place);
                let count = self.expression(&arguments[1]);
                let amount = self.amount(&arguments[2]);
                let index = self.member.names.fresh("i");
                let mut build = self.at(place);
                let null = build.call("pointer_null", Vec::new());
                let exists = build.different(pointer.clone(), null);
                let length = build.call("pointer_block_length", vec![pointer.clone()]);
                let offset = build.call("pointer_block_offset", vec![pointer.clone()]);
                let rest = build.subtract(length, offset.clone());
                let long = build.at_most(count.clone(), rest);
                let zero = build.int(0);
                let starts = build.at_most(zero, offset.clone());
                let long = build.and(starts, long);
                // By places of the block, so that other pointers into it find them.
                let variable = build.variable(&index);
                let end = build.binary(s::BinaryOperator::Add, offset.clone(), count);
                let range = build.within(offset, variable.clone(), end);
                let block = build.call("pointer_block", vec![pointer]);
                let reference = build.call("block_location", vec![block, variable]);
                let location = build.field(Role::Plain, reference.clone(), &field);
                let facts = build.and(exists, long);
                let held =
                    self.held(Location::All { index, range, location, trigger: reference }, amount, place);
                self.at(place).and(facts, held)
            }
        }
    }

    /// Row-major index: pairs of an index and a dimension, the first index outermost.
    pub(crate) fn nd_index(
        &mut self,
        arguments: &'t [Expression],
        expression: &'t Expression,
    ) -> s::Expression {
        let values: Vec<&Expression> = arguments.iter().collect();
        let values = self.operands(&values);
        let mut build = self.at(expression.span);
        let mut result: Option<s::Expression> = None;
        for pair in values.chunks(2) {
            let [index, dimension] = pair else { continue };
            result = Some(match result {
                None => index.clone(),
                Some(outer) => {
                    let rows = build.binary(s::BinaryOperator::Multiply, outer, dimension.clone());
                    build.binary(s::BinaryOperator::Add, rows, index.clone())
                }
            });
        }
        result.unwrap_or_else(|| self.at(expression.span).int(0))
    }

    /// Row-major index of a prefix of the indices.
    pub(crate) fn partial_index(
        &mut self,
        indices: &'t [Expression],
        dimensions: &'t [Expression],
        expression: &'t Expression,
    ) -> s::Expression {
        let values: Vec<&Expression> = indices.iter().chain(dimensions).collect();
        let values = self.operands(&values);
        let (indices, dimensions) = values.split_at(indices.len());
        let mut build = self.at(expression.span);
        let mut result: Option<s::Expression> = None;
        for (index, dimension) in indices.iter().zip(dimensions) {
            result = Some(match result {
                None => index.clone(),
                Some(outer) => {
                    let rows = build.binary(s::BinaryOperator::Multiply, outer, dimension.clone());
                    build.binary(s::BinaryOperator::Add, rows, index.clone())
                }
            });
        }
        for dimension in dimensions.iter().skip(indices.len()) {
            let outer = result.unwrap_or_else(|| build.int(0));
            result = Some(build.binary(s::BinaryOperator::Multiply, outer, dimension.clone()));
        }
        result.unwrap_or_else(|| self.at(expression.span).int(0))
    }
}
