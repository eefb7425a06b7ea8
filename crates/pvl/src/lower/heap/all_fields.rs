//! `(\forpermwithvalue any x; e)`: `e` for the value of every location for which permission is held.
//!
//! This speaks about all fields of the program, those of elements included, which are known only when everything has
//! been lowered. So a program that asks for them is lowered twice, and the second time they are known.

use std::sync::Arc;

use silver::syntax::tree as s;
use source::Span;

use crate::lower::Lowering;
use crate::lower::instances::Instance;
use crate::lower::origin::Role;
use crate::lower::prelude::Theory;
use crate::lower::scope::{Scope, Variable};
use crate::resolve::Type;
use crate::syntax::tree::{Expression, NodeId};

/// A field of Silver: what it holds.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Stored {
    Declared(Instance),
    /// Elements of this type.
    ArrayElement(Type),
    PointerElement(Type),
}

/// Fields as far as they are known.
#[derive(Default, Debug)]
pub(crate) struct AllFields {
    /// What this lowering has asked for so far.
    found: Vec<Stored>,
    /// All that a lowering before has asked for.
    known: Option<Vec<Stored>>,
    /// Whether somebody wanted to know all.
    is_asked: bool,
}

impl AllFields {
    pub(crate) fn add(&mut self, field: Stored) {
        if !self.found.contains(&field) {
            self.found.push(field);
        }
    }

    /// What the next lowering has to know, if there has to be one: until nothing new is found.
    pub(crate) fn for_next(self) -> Option<AllFields> {
        let known = self.known.unwrap_or_default();
        let is_new = |field: &Stored| !known.contains(field);
        let is_needed = self.is_asked && self.found.iter().any(is_new);
        is_needed.then(|| AllFields { found: Vec::new(), known: Some(self.found), is_asked: false })
    }
}

impl<'t> Scope<'_, 't> {
    pub(crate) fn for_perm_with_value(
        &mut self,
        variable: NodeId,
        body: &'t Expression,
        expression: &'t Expression,
    ) -> s::Expression {
        let place = expression.span;
        self.lowering.fields.is_asked = true;
        let fields = self.lowering.fields.known.clone().unwrap_or_default();
        let mut names: Vec<Arc<str>> = Vec::new();
        let mut conjuncts = Vec::new();
        for field in fields {
            let (name, ty) = self.stored_field(&field, place);
            // Types of PVL that are one type of Silver share a field for elements.
            if names.contains(&name) {
                continue;
            }
            names.push(name.clone());
            let object = self.member.names.fresh("object");
            let mut build = self.at(place);
            let reference = build.variable(&object);
            let resource = build.field(Role::Plain, reference.clone(), &name);
            let mut value = build.field(Role::Location("perm"), reference, &name);
            let ref_type = build.ty(s::TypeKind::Ref);
            let bindings = vec![build.binding(&object, ref_type)];
            value = self.read_value(value, &ty, place);
            value = self.convert(value, &ty, &Type::Any, expression);
            let value = Variable::Value(value);
            let body = self.with_variable(variable, value, |scope| scope.assertion(body));
            let kind = s::ExpressionKind::ForPerm { bindings, resource, body };
            conjuncts.push(self.at(place).expression(kind));
        }
        self.lowering.need(Theory::Any);
        self.at(place).all(conjuncts)
    }

    fn stored_field(&mut self, field: &Stored, place: Span) -> (Arc<str>, Type) {
        match field {
            Stored::Declared(instance) => {
                let ty = self.lowering.field_type(instance);
                (self.lowering.instance(instance.clone()), ty)
            }
            Stored::ArrayElement(element) => (self.array_field(element, place), element.clone()),
            Stored::PointerElement(element) => (self.pointer_field(element, place), element.clone()),
        }
    }
}

impl Lowering<'_> {
    pub(crate) fn note_field(&mut self, field: Stored) {
        self.fields.add(field);
    }
}
