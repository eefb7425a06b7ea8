//! Steps of a proof: claims with a proof of their own, witnesses, and calculations.
//!
//! A proof of its own is a branch that may be taken or not and that ends when it has shown its claim: nothing that it learns
//! or changes comes back from it, and behind it the claim is known. It is shown of the state in front of the proof, so
//! the branch compares with that; variables from outside cannot be assigned in it, and it has to end, as ghost code has.

use std::sync::Arc;

use silver::syntax::tree as s;
use source::Span;

use crate::lower::origin::Role;
use crate::lower::scope::Scope;
use crate::syntax::tree::{Binding, CalcStep, Expression, ExpressionKind, Statement};

impl<'t> Scope<'_, 't> {
    /// `assert claim by proof`; what holds of all values is shown for one of which nothing else is known.
    pub(crate) fn prove(&mut self, claim: &'t Expression, proof: &'t Statement, place: Span) {
        self.proof_aside(place, |scope, before| {
            let shown = match claim.as_universal() {
                Some((bindings, condition, body)) => {
                    scope.arbitrary_values(bindings, condition, place);
                    body
                }
                None => claim,
            };
            scope.statement(proof);
            scope.show(shown, before, claim.span);
        });
        self.take(claim, place);
    }

    /// `obtain T x with e;`
    pub(crate) fn obtain(&mut self, claim: &'t Expression, place: Span) {
        let ExpressionKind::Quantifier { bindings, body, .. } = &*claim.kind else { return };
        let exists = self.assertion(claim);
        self.assert_as(Role::Code("noWitness"), exists, place);
        self.arbitrary_values(bindings, None, place);
        self.take(body, place);
    }

    /// `calc { a; == { … } b; <= c; }`: each step by itself, and the result from all of them.
    pub(crate) fn calculate(&mut self, steps: &'t [CalcStep], result: &'t Expression, place: Span) {
        self.proof_aside(place, |scope, before| {
            for step in steps {
                let place = step.claim.span;
                scope.proof_aside(place, |scope, before| {
                    step.proof.iter().for_each(|proof| scope.statement(proof));
                    scope.show(&step.claim, before, place);
                });
                scope.take(&step.claim, place);
            }
            scope.show(result, before, place);
        });
        self.take(result, place);
    }

    /// A branch that nothing comes back from, with the label of the state in front of it.
    fn proof_aside(&mut self, place: Span, work: impl FnOnce(&mut Self, &Arc<str>)) {
        let before = self.member.names.fresh("before");
        let name = self.at(place).name(&before);
        self.emit_kind(place, s::StatementKind::Label { name, invariants: Vec::new() });
        let stayed = self.path.stayed.clone();
        self.aside(place, |scope| {
            scope.locally(|scope| scope.without_exit(|scope| work(scope, &before)));
        });
        self.path.stayed = stayed;
    }

    /// Values of which only the types, ranges and the condition are known.
    fn arbitrary_values(&mut self, bindings: &'t [Binding], condition: Option<&'t Expression>, place: Span) {
        let mut known = Vec::new();
        for binding in bindings {
            let ty = self.variable_type(binding.id);
            let silver_type = self.ty(&ty, binding.span);
            let range =
                binding.range.as_ref().map(|(low, high)| (self.expression(low), self.expression(high)));
            let name = self.local(&binding.name.text, silver_type, None, place);
            self.bind(binding.id, &name, &binding.name.text);
            let variable = self.at(binding.span).variable(&name);
            if let Some((low, high)) = range {
                known.push(self.at(binding.span).within(low, variable.clone(), high));
            }
            known.extend(self.type_fact(&variable, &ty, binding.span));
        }
        known.extend(condition.map(|condition| self.assertion(condition)));
        for fact in known {
            self.inhale(fact, place);
        }
    }

    /// Checks a claim of the state at a label.
    fn show(&mut self, claim: &'t Expression, before: &Arc<str>, place: Span) {
        let claim = self.assertion(claim);
        let mut build = self.at(place);
        let label = build.name(before);
        let claim = build.expression(s::ExpressionKind::Old(Some(label), claim));
        self.assert_as(Role::Base("assertFailed"), claim, place);
    }

    /// Makes known what was shown.
    fn take(&mut self, claim: &'t Expression, place: Span) {
        let claim = self.assertion(claim);
        self.inhale(claim, place);
    }
}
