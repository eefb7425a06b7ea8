//! `\forall* … m.state(q, T)`: parts with one share for the values of a range are one part, of all terms side by side (VMCAI
//! 2020, figure 4, PROC-SPLITMERGE).

use silver::syntax::tree as s;
use source::Span;

use crate::lower::concurrency::par::split;
use crate::lower::scope::Scope;
use crate::resolve::{NameTarget, Operation, Type};
use crate::syntax::tree::{BinaryOperator, Binding, Expression, ExpressionKind, NodeId, QuantifierKind};

impl<'t> Scope<'_, 't> {
    /// `(\forall* int i; low <= i && i < high; m.state(q, T))`, where only T depends on i.
    pub(crate) fn iterated_state(
        &mut self,
        kind: QuantifierKind,
        bindings: &'t [Binding],
        condition: Option<&'t Expression>,
        body: &'t Expression,
        place: Span,
    ) -> Option<s::Expression> {
        let state = self.written_state(body)?;
        let ids: Vec<NodeId> = bindings.iter().map(|binding| binding.id).collect();
        // A model for each value is none that is iterated over.
        if self.mentions(state.object, &ids) || kind == QuantifierKind::Exists {
            return None;
        }
        let range = match bindings {
            [binding] if !self.mentions(state.share, &ids) => {
                self.bounds_of_iteration(binding, condition, place)
            }
            _ => None,
        };
        let Some((low, high)) = range else {
            let what = "parts of a model with another share for each value, or for values that are no range of integers,";
            return Some(self.unsupported(place, what));
        };
        let mut parts = self.receivers_are(state.object, state.term, &ids);
        let object = self.assertion(state.object);
        let share = self.assertion(state.share);
        let term = self.family_term(&bindings[0], (low.clone(), high.clone()), state.term, place);
        let mut build = self.at(place);
        let some = build.less(low.clone(), high.clone());
        let count = build.subtract(high, low);
        let all = build.binary(s::BinaryOperator::Multiply, count, share);
        let instance = self.state_instance(object, all, term, place);
        let write = self.at(place).write();
        let amount = self.scaled(write, place);
        let mut build = self.at(place);
        parts.push(build.access(instance, amount));
        let held = build.all(parts);
        Some(build.implies(some, held))
    }

    /// The bounds of a variable, if nothing else is said of it.
    fn bounds_of_iteration(
        &mut self,
        binding: &'t Binding,
        condition: Option<&'t Expression>,
        place: Span,
    ) -> Option<(s::Expression, s::Expression)> {
        if self.variable_type(binding.id) != Type::Int {
            return None;
        }
        let mut conditions = Vec::new();
        if let Some(condition) = condition {
            split(condition, &mut conditions);
        }
        let (mut low, mut high) = match &binding.range {
            Some((low, high)) => (Some(self.assertion(low)), Some(self.assertion(high))),
            None => (None, None),
        };
        for condition in conditions {
            let ExpressionKind::Binary(operator, left, right) = &*condition.kind else { return None };
            if self.resolution.operations.get(&condition.id) != Some(&Operation::Numbers(Type::Int)) {
                return None;
            }
            let is_it = |side: &Expression| {
                self.resolution.names.get(&side.id) == Some(&NameTarget::Variable(binding.id))
            };
            let (smaller, larger, is_strict) = match operator {
                BinaryOperator::Less => (left, right, true),
                BinaryOperator::LessEqual => (left, right, false),
                BinaryOperator::Greater => (right, left, true),
                BinaryOperator::GreaterEqual => (right, left, false),
                _ => return None,
            };
            let (is_low, bound) = match (is_it(smaller), is_it(larger)) {
                (false, true) if low.is_none() => (true, smaller),
                (true, false) if high.is_none() => (false, larger),
                _ => return None,
            };
            if self.mentions(bound, &[binding.id]) {
                return None;
            }
            let value = self.assertion(bound);
            let mut build = self.at(place);
            let one = build.int(1);
            let next = |build: &mut crate::lower::build::Build<'_>, value| {
                build.binary(s::BinaryOperator::Add, value, one)
            };
            // The lower bound is included, the upper one is not.
            match (is_low, is_strict) {
                (true, false) => low = Some(value),
                (true, true) => low = Some(next(&mut build, value)),
                (false, true) => high = Some(value),
                (false, false) => high = Some(next(&mut build, value)),
            }
        }
        Some((low?, high?))
    }
}
