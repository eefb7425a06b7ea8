//! Whose actions and processes a term names.
//!
//! A term belongs to no object: in `m.state(q, n.P())` the `n` only says which model `P` is of. Whoever writes it means
//! something all the same, so what a step or a part of `m` names is to be of `m`. Another model is an error; whether
//! another expression of the same model is the same object is decided where everything else is, in the proof.

use silver::syntax::tree as s;
use source::Span;

use crate::lower::origin::Role;
use crate::lower::scope::Scope;
use crate::resolve::CallTarget;
use crate::syntax::tree::{Expression, ExpressionKind, NodeId};

/// The code of a receiver that is another object than the one a term is for.
const CODE: &str = "modelReceiver";

/// An action or process that a term names.
struct Named<'t> {
    id: NodeId,
    receiver: Option<&'t Expression>,
    span: Span,
}

impl<'t> Scope<'_, 't> {
    /// The model whose actions and processes a term names; `None` if it names none.
    pub(super) fn model_of_term(&self, term: &'t Expression) -> Option<NodeId> {
        let mut found = Vec::new();
        self.named_in_term(term, &mut Vec::new(), &mut found);
        found.iter().find_map(|named| self.resolution.items.owners.get(&named.id).copied())
    }

    /// Names in a term, and the variables that are bound in it.
    fn named_in_term(&self, term: &'t Expression, bound: &mut Vec<NodeId>, found: &mut Vec<Named<'t>>) {
        if let (ExpressionKind::Call(call), Some(CallTarget::Process(id))) =
            (&*term.kind, self.resolution.calls.get(&term.id))
        {
            let receiver = call.receiver.as_ref();
            found.push(Named { id: *id, receiver, span: term.span });
        }
        if let ExpressionKind::Quantifier { bindings, .. } = &*term.kind {
            bound.extend(bindings.iter().map(|binding| binding.id));
        }
        term.kind.for_each_child(&mut |child| self.named_in_term(child, bound, found));
    }

    /// What has to be true for all that a term names to be of this object. What is of another model, and an object that
    /// depends on variables which are bound around the name, are errors.
    pub(super) fn receivers_are(
        &mut self,
        object: &'t Expression,
        term: &'t Expression,
        around: &[NodeId],
    ) -> Vec<s::Expression> {
        let Some(model) = self.model_of(object) else { return Vec::new() };
        let (mut bound, mut found) = (around.to_vec(), Vec::new());
        self.named_in_term(term, &mut bound, &mut found);
        let mut same = Vec::new();
        let mut texts = Vec::new();
        for named in found {
            if self.resolution.items.owners.get(&named.id) != Some(&model) {
                let message = "this belongs to another model";
                let help = "a term is made of the actions and processes of its model";
                self.error("modelMismatch", named.span, message, help);
                continue;
            }
            let Some(receiver) = named.receiver else { continue };
            if self.mentions(receiver, &bound) {
                let message = "for each value this would be of another object";
                let help = "a term is made of the actions and processes of one object: name that";
                self.error(CODE, receiver.span, message, help);
                continue;
            }
            let (this, wanted) = (self.assertion(receiver), self.assertion(object));
            let text = silver::syntax::print_expression(&this);
            if text == silver::syntax::print_expression(&wanted) || texts.contains(&text) {
                continue;
            }
            texts.push(text);
            let equal = s::ExpressionKind::Binary(s::BinaryOperator::Equal, this, wanted);
            same.push(self.at(receiver.span).expression_as(Role::Code(CODE), equal));
        }
        same
    }

    /// Checks that what the terms of a step name is of its object.
    pub(super) fn check_receivers(&mut self, object: &'t Expression, terms: &[&'t Expression]) {
        for term in terms {
            for same in self.receivers_are(object, term, &[]) {
                self.assert_as(Role::Code(CODE), same, term.span);
            }
        }
    }
}
