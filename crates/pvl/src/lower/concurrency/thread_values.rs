//! `\old(…)` in the postcondition of `run`: values when the thread was forked.
//!
//! Whoever joins a thread does not hold what its `run` required, so the values are kept beside the token that says
//! that the thread runs: as abstract functions that depend on it. Forking says what they are, as far as they are
//! always defined and do not speak about bound variables; joining says the postcondition about them. Where it is
//! not known what a value is, it is still one and the same value.

use std::sync::Arc;

use silver::syntax::tree as s;

use crate::lower::Lowering;
use crate::lower::instances::{Instance, Part};
use crate::lower::scope::Scope;
use crate::syntax::tree::{BinaryOperator, Contract, Expression, ExpressionKind, NodeId};

/// An `\old(…)` without a label.
pub(crate) struct ValueAtFork<'t> {
    expression: &'t Expression,
    operand: &'t Expression,
    /// Variables of quantifiers and `\let` around it that it mentions.
    bound: Vec<NodeId>,
    /// Whether it is evaluated whatever holds.
    is_always_defined: bool,
}

impl<'t> Lowering<'t> {
    /// The values that the contract of a `run` asks for.
    pub(crate) fn values_at_fork(&self, contract: &'t Contract) -> Vec<ValueAtFork<'t>> {
        let mut found = Vec::new();
        for clause in contract.everywhere().chain(contract.postconditions()) {
            self.collect_values(clause, &mut Vec::new(), true, &mut found);
        }
        found
    }

    fn collect_values(
        &self,
        expression: &'t Expression,
        around: &mut Vec<NodeId>,
        is_always_defined: bool,
        found: &mut Vec<ValueAtFork<'t>>,
    ) {
        use BinaryOperator::{And, Implies, Or, Star};
        let depth = around.len();
        let mut children_are_defined = is_always_defined;
        match &*expression.kind {
            ExpressionKind::Old(None, operand) => {
                let bound = around.iter().copied().filter(|id| self.occurs(*id, operand)).collect();
                found.push(ValueAtFork { expression, operand, bound, is_always_defined });
                return;
            }
            ExpressionKind::Quantifier { bindings, .. } => {
                around.extend(bindings.iter().map(|binding| binding.id));
                children_are_defined = false;
            }
            ExpressionKind::Let { binding, .. } => around.push(binding.id),
            ExpressionKind::Binary(And | Star, left, right) => {
                let is_guarded = may_be_guard(left);
                self.collect_values(left, around, is_always_defined, found);
                self.collect_values(right, around, is_always_defined && !is_guarded, found);
                return;
            }
            ExpressionKind::Binary(Implies | Or, ..)
            | ExpressionKind::Conditional(..)
            | ExpressionKind::ForPerm { .. }
            | ExpressionKind::Unfolding(..) => children_are_defined = false,
            _ => {}
        }
        let mut children = Vec::new();
        expression.kind.for_each_child(&mut |child| children.push(child));
        for child in children {
            self.collect_values(child, around, children_are_defined, found);
        }
        around.truncate(depth);
    }

    fn occurs(&self, variable: NodeId, expression: &Expression) -> bool {
        if let Some(crate::resolve::NameTarget::Variable(id)) = self.resolution.names.get(&expression.id) {
            return *id == variable;
        }
        let mut found = false;
        expression.kind.for_each_child(&mut |child| found = found || self.occurs(variable, child));
        found
    }
}

/// Whether what stands behind a conjunct may only be defined because of it.
fn may_be_guard(conjunct: &Expression) -> bool {
    use BinaryOperator::{And, Equal, Star};
    let is_null = |side: &Expression| matches!(*side.kind, ExpressionKind::Null);
    match &*conjunct.kind {
        ExpressionKind::Binary(And | Star, left, right) => may_be_guard(left) || may_be_guard(right),
        ExpressionKind::Binary(Equal, left, right) => is_null(left) || is_null(right),
        ExpressionKind::Permission { .. } | ExpressionKind::Value(_) | ExpressionKind::PointsTo { .. } => {
            false
        }
        _ => true,
    }
}

impl<'t> Scope<'_, 't> {
    /// Lets each `\old(…)` of the postcondition stand for the value that was kept; where threads are joined.
    pub(crate) fn use_values_at_fork(&mut self, values: Vec<ValueAtFork<'t>>, class: &Instance) {
        for value in values {
            let function = self.value_at_fork(&value, class);
            self.spec.thread_values.insert(value.expression.id, (function, value.bound));
        }
    }

    /// What is known about the values behind a fork.
    pub(crate) fn say_values_at_fork(
        &mut self,
        values: Vec<ValueAtFork<'t>>,
        class: &Instance,
    ) -> Vec<s::Specification> {
        let mut clauses = Vec::new();
        for value in values {
            if !value.is_always_defined || !value.bound.is_empty() {
                continue;
            }
            let function = self.value_at_fork(&value, class);
            let place = value.expression.span;
            let this = self.this(place);
            let operand = self.assertion(value.operand);
            let mut build = self.at(place);
            let before = build.expression(s::ExpressionKind::Old(None, operand));
            let kept = build.call(&function, vec![this]);
            let equal = build.equal(kept, before);
            clauses.push(build.specification(equal));
        }
        clauses
    }

    /// `\old(…)` where a thread is joined.
    pub(crate) fn kept_value(&mut self, expression: &Expression) -> Option<s::Expression> {
        let (function, bound) = self.spec.thread_values.get(&expression.id)?.clone();
        let place = expression.span;
        let mut arguments = vec![self.this(place)];
        arguments.extend(bound.iter().map(|id| self.variable(*id, place)));
        let mut build = self.at(place);
        let kept = build.call(&function, arguments);
        Some(build.expression(s::ExpressionKind::Old(None, kept)))
    }

    /// The function that keeps a value, which is declared once.
    fn value_at_fork(&mut self, value: &ValueAtFork<'t>, class: &Instance) -> Arc<str> {
        let key = (value.expression.id, class.arguments.clone());
        if let Some(known) = self.lowering.fork_values.get(&key) {
            return known.clone();
        }
        let place = value.expression.span;
        let running = self.lowering.instance(Instance::new(Part::Running, class.id, class.arguments.clone()));
        let class_name = self.lowering.declared_name(class.id);
        let name = self.lowering.globals.fresh(&format!("{class_name}_forked_with"));
        self.lowering.fork_values.insert(key, name.clone());
        let substitution = self.bindings.substitution.clone();
        let mut scope = Scope::new(&mut *self.lowering, substitution);
        let mut formals = vec![scope.this_formal(place)];
        for id in &value.bound {
            let ty = scope.variable_type(*id);
            let ty = scope.ty(&ty, place);
            let name = scope.declare(*id, "bound");
            formals.push(scope.at(place).binding(&name, ty));
        }
        let ty = scope.converted_type(value.operand);
        let result = scope.ty(&ty, place);
        let this = scope.this(place);
        let mut build = scope.at(place);
        let token = build.call(&running, vec![this]);
        let write = build.write();
        let token = build.access(token, write);
        let preconditions = vec![build.specification(token)];
        let function = s::Function {
            name: build.name(&name),
            formals,
            result,
            preconditions,
            postconditions: Vec::new(),
            body: None,
        };
        self.lowering.add_member(place, s::MemberKind::Function(function));
        name
    }
}
