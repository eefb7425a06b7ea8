//! `state` and `abstractState`.

use silver::syntax::tree as s;
use source::Span;

use super::contracts::{FieldValues, ModelView};
use crate::lower::heap::permissions::{Amount, Location};
use crate::lower::origin::Role;
use crate::lower::prelude::Theory;
use crate::lower::scope::Scope;
use crate::resolve::Type;
use crate::syntax::tree::{Call, Expression, NodeId};

impl<'t> Scope<'_, 't> {
    /// The model that an expression is of.
    pub(super) fn model_of(&self, expression: &Expression) -> Option<NodeId> {
        match self.type_of(expression) {
            Type::Model(id) => Some(id),
            _ => None,
        }
    }

    /// `model_state(model, share, term, index)`
    pub(super) fn state_instance(
        &mut self,
        model: s::Expression,
        share: s::Expression,
        term: s::Expression,
        place: Span,
    ) -> s::Expression {
        self.lowering.need(Theory::Process);
        let index = self.spec.index.clone();
        let mut build = self.at(place);
        let index = match index {
            Some(index) => build.variable(&index),
            None => build.int(0),
        };
        build.call("model_state", vec![model, share, term, index])
    }

    /// All of a part of a model, as a statement needs it.
    pub(super) fn whole_state(
        &mut self,
        model: s::Expression,
        share: s::Expression,
        term: s::Expression,
        place: Span,
    ) -> s::Expression {
        let instance = self.state_instance(model, share, term, place);
        let mut build = self.at(place);
        let write = build.write();
        build.access(instance, write)
    }

    /// `m.state(q, T)`
    pub(super) fn state(&mut self, call: &'t Call, place: Span) -> s::Expression {
        let (Some(receiver), [share, term]) = (&call.receiver, &call.arguments[..]) else {
            return self.unsupported(place, "a state without its model");
        };
        let mut parts = self.receivers_are(receiver, term, &[]);
        let model = self.expression(receiver);
        let share = self.expression(share);
        self.note_share(&share);
        let term = self.expression(term);
        let instance = self.state_instance(model, share, term, place);
        let write = self.at(place).write();
        let amount = Amount::Exact(self.scaled(write, place));
        parts.push(self.held(Location::One(instance), amount, place));
        self.at(place).all(parts)
    }

    /// `m.abstractState(b)`: the promise of the model, and that it says `b` about the values at the end.
    pub(super) fn abstract_state(&mut self, call: &'t Call, place: Span) -> s::Expression {
        let (Some(receiver), [condition]) = (&call.receiver, &call.arguments[..]) else {
            return self.unsupported(place, "a promise without its model");
        };
        let Some(model) = self.model_of(receiver) else {
            return self.unsupported(place, "the promise of something that is no model");
        };
        let object = self.expression(receiver);
        let mut parts = Vec::new();
        for cell in self.promise_cells(model) {
            let mut build = self.at(place);
            let location = build.field(Role::Plain, object.clone(), &cell);
            let write = build.write();
            let amount = Amount::Exact(self.scaled(write, place));
            parts.push(self.held(Location::One(location), amount, place));
        }
        let view =
            ModelView { now: FieldValues::Final(object.clone()), start: None, object: Some(object.clone()) };
        let condition =
            self.with(|scope| &mut scope.spec.model, Some(view), |scope| scope.assertion(condition));
        let ends = self.lowering.model_ends(model);
        let mut build = self.at(place);
        let ends = build.field(Role::Location("perm"), object, &ends);
        parts.push(build.implies(ends, condition));
        build.all(parts)
    }

    /// The Silver fields of a model's promise.
    pub(super) fn promise_cells(&mut self, model: NodeId) -> Vec<std::sync::Arc<str>> {
        let fields = self.lowering.model_fields(model);
        let mut cells: Vec<_> = fields.into_iter().map(|field| self.lowering.model_final(field)).collect();
        cells.push(self.lowering.model_ends(model));
        cells
    }
}
