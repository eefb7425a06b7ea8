//! Proofs with a heap of their own: threads, `frame`, and `extract`.
//!
//! A loop that is entered or not gives its body exactly what its invariant holds. The body then proves what it has to
//! and ends. What is taken into the frame keeps its values: the invariant says so when it is assumed.

use silver::syntax::tree as s;
use source::Span;

use crate::lower::origin::Role;
use crate::lower::scope::{Scope, Variable};
use crate::syntax::tree::{Contract, Statement};

/// A proof of `after` from `before`.
pub(crate) struct Framed {
    pub(crate) before: Vec<s::Expression>,
    pub(crate) after: Vec<s::Expression>,
    /// The code if `before` does not hold.
    pub(crate) established: &'static str,
    /// The code if `after` does not hold.
    pub(crate) ensured: &'static str,
    pub(crate) place: Span,
}

impl<'t> Scope<'_, 't> {
    /// Proves `{before} work {after}`; nothing comes back from it.
    pub(crate) fn framed(&mut self, framed: Framed, work: impl FnOnce(&mut Self)) {
        let Framed { before, after, established, ensured, place } = framed;
        let condition = self.arbitrary(place);
        let label = self.member.names.fresh("before");
        let mut invariants = Vec::new();
        let role = Role::Invariant { established, preserved: established };
        let mut facts = Vec::new();
        for mut assertion in before {
            facts.extend(self.same_values(&assertion, &label, place));
            assertion.span = self.lowering.origins.add_statement(assertion.span, place, role);
            invariants.push(self.at(place).specification(assertion));
        }
        if !facts.is_empty() {
            let mut build = self.at(place);
            let facts = build.all(facts);
            let truth = build.bool(true);
            let assertion = build.expression(s::ExpressionKind::InhaleExhale(facts, truth));
            invariants.push(build.specification(assertion));
        }
        if self.member.terminates {
            // The loop runs once at most: nothing comes back from its body.
            let span = self.at(place).node(Role::Plain);
            let decreases = s::Decreases { measure: s::Measure::Wildcard, condition: None, span };
            invariants.push(s::Specification { kind: s::SpecificationKind::Decreases(decreases), span });
        }
        let name = self.at(place).name(&label);
        self.emit_kind(place, s::StatementKind::Label { name, invariants: Vec::new() });
        let body = self.block(place, |scope| {
            // What stayed of a model outside is not there.
            scope.with(|scope| &mut scope.path.stayed, Vec::new(), work);
            let after = scope.at(place).all(after);
            scope.exhale_as(Role::Base(ensured), after, place);
            let falsehood = scope.at(place).bool(false);
            scope.inhale(falsehood, place);
        });
        self.emit_kind(place, s::StatementKind::While { condition, invariants, body });
        let falsehood = self.at(place).bool(false);
        self.inhale(falsehood, place);
    }

    /// That the fields for which an assertion holds permission have the values that they had at a label.
    fn same_values(
        &mut self,
        assertion: &s::Expression,
        label: &std::sync::Arc<str>,
        place: Span,
    ) -> Option<s::Expression> {
        use s::ExpressionKind::*;
        match &*assertion.kind {
            Binary(s::BinaryOperator::And, left, right) => {
                let left = self.same_values(left, label, place);
                let right = self.same_values(right, label, place);
                match (left, right) {
                    (Some(left), Some(right)) => Some(self.at(place).and(left, right)),
                    (one, other) => one.or(other),
                }
            }
            Binary(s::BinaryOperator::Implies, condition, body) => {
                let body = self.same_values(body, label, place)?;
                Some(self.at(place).implies(condition.clone(), body))
            }
            Conditional(condition, then, otherwise) => {
                let then = self.same_values(then, label, place);
                let otherwise = self.same_values(otherwise, label, place);
                if then.is_none() && otherwise.is_none() {
                    return None;
                }
                let mut build = self.at(place);
                let then = then.unwrap_or_else(|| build.bool(true));
                let otherwise = otherwise.unwrap_or_else(|| build.bool(true));
                Some(build.conditional(condition.clone(), then, otherwise))
            }
            Let { name, value, body } => {
                let body = self.same_values(body, label, place)?;
                let kind = Let { name: name.clone(), value: value.clone(), body };
                Some(self.at(place).expression(kind))
            }
            Forall { bindings, triggers, body } => {
                let body = self.same_values(body, label, place)?;
                Some(self.at(place).forall(bindings.clone(), triggers.clone(), body))
            }
            Access(location, amount) if matches!(*location.kind, Field(..)) => {
                let mut build = self.at(place);
                let label = build.name(label);
                let before = build.expression(Old(Some(label), location.clone()));
                let same = build.equal(location.clone(), before);
                match amount {
                    Some(amount) if !is_surely_positive(amount) => {
                        let none = build.no_permission();
                        let some = build.less(none, amount.clone());
                        Some(build.implies(some, same))
                    }
                    _ => Some(same),
                }
            }
            _ => None,
        }
    }

    /// `frame contract { … }`: proves the body from the contract alone, in place.
    pub(crate) fn frame(&mut self, contract: &'t Contract, body: &'t Statement, statement: &'t Statement) {
        let place = statement.span;
        let whole = self.block(place, |scope| {
            let half = |scope: &mut Self, assertions: Vec<&'t crate::syntax::tree::Expression>| {
                let mut result = Vec::new();
                for specification in scope.everywhere_clauses(Role::Plain) {
                    if let s::SpecificationKind::Assertion(assertion) = specification.kind {
                        result.push(assertion);
                    }
                }
                for assertion in contract.everywhere().chain(assertions) {
                    result.push(scope.assertion(assertion));
                }
                result
            };
            let before = half(scope, contract.preconditions().collect());
            let after = half(scope, contract.postconditions().collect());
            let (taken, given) = (before.clone(), after.clone());
            // The body may assign variables; afterwards only the contract speaks about them.
            let mut assigned = rustc_hash::FxHashSet::default();
            scope.assigned_variables(body, &mut assigned);
            // What is on the heap is forgotten with its permissions.
            assigned.retain(|id| matches!(scope.bindings.variables.get(id), Some(Variable::Named(_))));
            scope.aside(place, |scope| {
                let framed = Framed { before, after, established: "framePre", ensured: "framePost", place };
                scope.framed(framed, |scope| scope.loop_body(body));
            });
            let taken = scope.at(place).all(taken);
            scope.exhale_as(Role::Base("framePre"), taken, place);
            scope.havoc(assigned, place);
            let given = scope.at(place).all(given);
            // Asked about any values that the body may leave in variables: an assertion that contradicts those of
            // before frames everything.
            scope.check_self_framing(place, |scope| {
                let given = half(scope, contract.postconditions().collect());
                scope.at(place).all(given)
            });
            scope.inhale(given, place);
        });
        self.emit_kind(place, s::StatementKind::Block(whole));
    }

    /// Forgets the values of variables.
    pub(crate) fn havoc(
        &mut self,
        assigned: rustc_hash::FxHashSet<crate::syntax::tree::NodeId>,
        place: Span,
    ) {
        let mut assigned: Vec<_> = assigned.into_iter().collect();
        assigned.sort_unstable();
        for id in assigned {
            let ty = self.variable_type(id);
            let silver_type = self.ty(&ty, place);
            let name = self.local("arbitrary", silver_type, None, place);
            let value = self.at(place).variable(&name);
            if let Some(fact) = self.type_fact(&value, &ty, place) {
                self.inhale(fact, place);
            }
            let target = self.variable(id, place);
            self.assign(target, value, place);
        }
    }
}

fn is_surely_positive(amount: &s::Expression) -> bool {
    match &*amount.kind {
        s::ExpressionKind::FullPermission | s::ExpressionKind::Wildcard => true,
        s::ExpressionKind::Binary(s::BinaryOperator::Divide, left, right) => {
            let positive =
                |e: &s::Expression| matches!(&*e.kind, s::ExpressionKind::Int(digits) if &**digits != "0");
            positive(left) && positive(right)
        }
        _ => false,
    }
}
