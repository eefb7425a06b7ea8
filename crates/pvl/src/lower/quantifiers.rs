//! Quantifiers and their triggers.
//!
//! Bounds of a binding and the condition become one condition. Triggers are collected from the body, where PVL
//! writes them; without any, Silver's front end infers them.

use std::collections::BTreeMap;

use silver::syntax::tree as s;

use super::scope::{Mode, Scope};
use crate::resolve::{Subscript, Type};
use crate::syntax::tree::{Binding, Expression, ExpressionKind, QuantifierKind, TriggerGroup};

impl<'t> Scope<'_, 't> {
    pub(super) fn quantifier(
        &mut self,
        kind: QuantifierKind,
        bindings: &'t [Binding],
        condition: Option<&'t Expression>,
        body: &'t Expression,
        expression: &'t Expression,
    ) -> s::Expression {
        let place = expression.span;
        if matches!(kind, QuantifierKind::Sum | QuantifierKind::Count) {
            return self.reduction(kind, bindings, condition, body, expression);
        }
        let mode = std::mem::replace(&mut self.mode, Mode::Specification);
        let mut declared = Vec::new();
        let mut guards = Vec::new();
        self.triggers.push(Vec::new());
        for binding in bindings {
            let ty = self.variable_type(binding.id);
            let silver_type = self.ty(&ty, binding.span);
            let range =
                binding.range.as_ref().map(|(low, high)| (self.expression(low), self.expression(high)));
            let name = self.declare(binding.id, &binding.name.text);
            declared.push(self.at(binding.span).binding(&name, silver_type));
            if let Some((low, high)) = range {
                let mut build = self.at(binding.span);
                let variable = build.variable(&name);
                guards.push(build.within(low, variable, high));
            }
            let variable = self.at(binding.span).variable(&name);
            guards.extend(self.type_fact(&variable, &ty, binding.span));
        }
        if let Some(condition) = condition {
            guards.push(self.expression(condition));
        }
        let body = self.expression(body);
        let triggers = self.triggers.pop().unwrap_or_default();
        self.mode = mode;
        let mut groups: BTreeMap<u32, Vec<s::Expression>> = BTreeMap::new();
        for (group, term) in triggers {
            groups.entry(group).or_default().push(term);
        }
        let mut build = self.at(place);
        let triggers = groups.into_values().map(|terms| build.trigger(terms)).collect();
        let guard = build.all(guards);
        match kind {
            QuantifierKind::Exists => {
                let body = build.and(guard, body);
                build.expression(s::ExpressionKind::Exists { bindings: declared, triggers, body })
            }
            _ => {
                let body = build.implies(guard, body);
                build.forall(declared, triggers, body)
            }
        }
    }

    /// What is true of every value of a type although its Silver type does not say so.
    pub(super) fn type_fact(
        &mut self,
        value: &s::Expression,
        ty: &Type,
        place: source::Span,
    ) -> Option<s::Expression> {
        let mut build = self.at(place);
        let none = build.no_permission();
        let write = build.write();
        let lower = match ty {
            Type::Fraction => build.less(none, value.clone()),
            Type::ZeroFraction => build.at_most(none, value.clone()),
            _ => return None,
        };
        let upper = build.at_most(value.clone(), write);
        Some(build.and(lower, upper))
    }

    /// `{: e :}`: the value, and a trigger of a quantifier around it.
    pub(super) fn inline_trigger(&mut self, group: TriggerGroup, term: &'t Expression) -> s::Expression {
        self.add_trigger(group, term);
        self.expression(term)
    }

    /// Makes a term a trigger of a quantifier around it. An element of an array is there as soon as its location is.
    pub(super) fn add_trigger(&mut self, group: TriggerGroup, term: &'t Expression) {
        let trigger = match &*term.kind {
            ExpressionKind::Index(array, index)
                if self.resolution.subscripts.get(&term.id) == Some(&Subscript::Array) =>
            {
                self.element_reference(array, index, term.span)
            }
            _ => self.expression(term),
        };
        let (levels, group) = match group {
            TriggerGroup::Default => (0, 0),
            TriggerGroup::Numbered(group) => (0, group),
            TriggerGroup::Outer { levels, group } => (levels as usize, group),
        };
        let depth = self.triggers.len();
        if let Some(triggers) = depth.checked_sub(levels + 1).and_then(|index| self.triggers.get_mut(index)) {
            triggers.push((group, trigger));
        } else {
            let message = "this trigger is not inside of a quantifier";
            self.error(
                "noTriggerContext",
                term.span,
                message,
                "triggers belong into `\\forall` and `\\exists`",
            );
        }
    }

    /// Whether a variable of the list occurs in the expression.
    pub(super) fn mentions(
        &self,
        expression: &Expression,
        variables: &[crate::syntax::tree::NodeId],
    ) -> bool {
        if let ExpressionKind::Name(_) = &*expression.kind {
            return match self.resolution.names.get(&expression.id) {
                Some(crate::resolve::NameTarget::Variable(id)) => variables.contains(id),
                _ => false,
            };
        }
        let mut found = false;
        expression.kind.for_each_child(&mut |child| found = found || self.mentions(child, variables));
        found
    }
}
