//! `new T[a][b]…`: a method that gives an array of new arrays, whatever its number of dimensions.

use std::sync::Arc;

use silver::syntax::tree as s;

use crate::lower::Lowering;
use crate::lower::build::Build;
use crate::lower::origin::Role;
use crate::resolve::Type;

impl Lowering<'_> {
    /// The method for arrays whose elements are in these fields, from the outside in.
    pub(crate) fn need_new_arrays(
        &mut self,
        fields: &[Arc<str>],
        default: Option<&s::Expression>,
        element: &Type,
    ) -> Arc<str> {
        if let Some((_, name)) = self.prelude.new_arrays.iter().find(|(known, _)| known == fields) {
            return name.clone();
        }
        let word = self.type_word(element);
        let name = self.globals.fresh(&format!("new_arrays_{word}_{}", fields.len()));
        self.prelude.new_arrays.push((fields.to_vec(), name.clone()));
        let place = self.built_place("new arrays");
        let sizes = sizes(&mut self.at(place).coded("arraySize"), fields.len());
        let mut build = self.at(place);
        let array = build.name_of("Array");
        let array = build.ty(s::TypeKind::Named(array, None));
        let postconditions = Postconditions { build: &mut build, fields }.all(default);
        let method = s::Method {
            name: build.name(&name),
            formals: integers(&mut build, "count", fields.len()),
            returns: vec![build.binding(&"a".into(), array)],
            preconditions: sizes.into_iter().map(|size| build.specification(size)).collect(),
            postconditions: postconditions.into_iter().map(|clause| build.specification(clause)).collect(),
            body: None,
        };
        let member = build.member(s::MemberKind::Method(method));
        self.prelude.members.push(member);
        name
    }
}

/// The variable of a dimension: `word0`, `word1` and so on.
fn numbered(word: &str, dimension: usize) -> Arc<str> {
    format!("{word}{dimension}").into()
}

fn integers(build: &mut Build<'_>, word: &str, count: usize) -> Vec<s::Binding> {
    let binding = |dimension| {
        let int = build.ty(s::TypeKind::Int);
        build.binding(&numbered(word, dimension), int)
    };
    (0..count).map(binding).collect()
}

/// `a && b && …`, which Silver reads from the right.
fn joined(build: &mut Build<'_>, operator: s::BinaryOperator, parts: Vec<s::Expression>) -> s::Expression {
    let joined = parts.into_iter().rev().reduce(|right, left| build.binary(operator, left, right));
    joined.unwrap_or_else(|| build.bool(true))
}

/// No size is negative.
fn sizes(build: &mut Build<'_>, dimensions: usize) -> Vec<s::Expression> {
    let size = |dimension| {
        let (zero, count) = (build.int(0), build.variable(&numbered("count", dimension)));
        build.at_most(zero, count)
    };
    (0..dimensions).map(size).collect()
}

/// What the method says of the array `a`. An element is named by the variables of its indices, one per dimension.
struct Postconditions<'b, 'o, 'f> {
    build: &'b mut Build<'o>,
    fields: &'f [Arc<str>],
}

impl Postconditions<'_, '_, '_> {
    fn all(mut self, default: Option<&s::Expression>) -> Vec<s::Expression> {
        let array = self.build.variable(&"a".into());
        let mut clauses = vec![self.is_array(array, 0)];
        for level in 0..self.fields.len() {
            let element = self.element(level, "i");
            let write = self.build.write();
            let access = self.build.access(element.clone(), write);
            clauses.push(self.for_all(level, access));
            if level + 1 < self.fields.len() {
                let is_array = self.is_array(element, level + 1);
                clauses.push(self.for_all(level, is_array));
                clauses.push(self.are_different(level));
            } else if let Some(default) = default {
                let is_default = self.build.equal(element, default.clone());
                clauses.push(self.for_all(level, is_default));
            }
        }
        clauses
    }

    /// The array exists and is as long as the count of its dimension says.
    fn is_array(&mut self, array: s::Expression, dimension: usize) -> s::Expression {
        let build = &mut *self.build;
        let null = build.call("array_null", Vec::new());
        let exists = build.different(array.clone(), null);
        let length = build.call("array_length", vec![array]);
        let count = build.variable(&numbered("count", dimension));
        let is_long = build.equal(length, count);
        build.and(exists, is_long)
    }

    /// The reference that has the element at some indices in its field.
    fn reference(&mut self, level: usize, word: &str) -> s::Expression {
        let array = match level.checked_sub(1) {
            Some(outer) => self.element(outer, word),
            None => self.build.variable(&"a".into()),
        };
        let index = self.build.variable(&numbered(word, level));
        self.build.call("element", vec![array, index])
    }

    fn element(&mut self, level: usize, word: &str) -> s::Expression {
        let reference = self.reference(level, word);
        self.build.field(Role::Plain, reference, &self.fields[level])
    }

    /// All indices are inside of their arrays.
    fn range(&mut self, level: usize, word: &str) -> Vec<s::Expression> {
        let mut bounds = Vec::new();
        for dimension in 0..=level {
            let index = self.build.variable(&numbered(word, dimension));
            let count = self.build.variable(&numbered("count", dimension));
            let zero = self.build.int(0);
            bounds.push(self.build.at_most(zero, index.clone()));
            bounds.push(self.build.less(index, count));
        }
        bounds
    }

    /// `property` of all elements of a dimension.
    fn for_all(&mut self, level: usize, property: s::Expression) -> s::Expression {
        let reference = self.reference(level, "i");
        let range = self.range(level, "i");
        let range = joined(self.build, s::BinaryOperator::And, range);
        let body = self.build.implies(range, property);
        let triggers = vec![self.build.trigger(vec![reference])];
        let bindings = integers(self.build, "i", level + 1);
        self.build.forall(bindings, triggers, body)
    }

    /// No two arrays of a dimension are the same.
    fn are_different(&mut self, level: usize) -> s::Expression {
        let mut conditions = self.range(level, "i");
        conditions.extend(self.range(level, "j"));
        let differences: Vec<s::Expression> = (0..=level)
            .map(|dimension| {
                let (i, j) = (numbered("i", dimension), numbered("j", dimension));
                let (i, j) = (self.build.variable(&i), self.build.variable(&j));
                self.build.different(i, j)
            })
            .collect();
        conditions.push(joined(self.build, s::BinaryOperator::Or, differences));
        let (element, other) = (self.element(level, "i"), self.element(level, "j"));
        let condition = joined(self.build, s::BinaryOperator::And, conditions);
        let different = self.build.different(element.clone(), other.clone());
        let body = self.build.implies(condition, different);
        let triggers = vec![self.build.trigger(vec![element, other])];
        let mut bindings = integers(self.build, "i", level + 1);
        bindings.extend(integers(self.build, "j", level + 1));
        self.build.forall(bindings, triggers, body)
    }
}
