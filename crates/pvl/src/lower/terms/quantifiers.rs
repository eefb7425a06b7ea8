//! Quantifiers and their triggers.
//!
//! Bounds of a binding and the condition become one condition. Triggers are collected from the body, where PVL
//! writes them; without any, Silver's front end infers them.

use silver::syntax::tree as s;

use crate::lower::scope::{Scope, Variable};
use crate::lower::terms::triggers::elements_with_length;
use crate::resolve::{Subscript, Type};
use crate::syntax::tree::{Binding, Expression, ExpressionKind, QuantifierKind, TriggerGroup};

impl<'t> Scope<'_, 't> {
    pub(crate) fn quantifier(
        &mut self,
        kind: QuantifierKind,
        bindings: &'t [Binding],
        condition: Option<&'t Expression>,
        body: &'t Expression,
        expression: &'t Expression,
    ) -> s::Expression {
        let place = expression.span;
        if self.resolution.expressions.get(&expression.id) == Some(&Type::Process) {
            return self.process_term(expression);
        }
        if let Some(state) = self.iterated_state(kind, bindings, condition, body, place) {
            return state;
        }
        if matches!(kind, QuantifierKind::Sum | QuantifierKind::Count) {
            return self.reduction(kind, bindings, condition, body, expression);
        }
        // Where each conjunct has triggers of its own, it is not to wait for those of the others.
        let mut parts = Vec::new();
        crate::lower::concurrency::par::split(body, &mut parts);
        if kind == QuantifierKind::Exists || parts.len() < 2 || !parts.iter().all(|part| has_trigger(part)) {
            return self.whole_quantifier(kind, bindings, condition, body, expression);
        }
        let parts = parts
            .into_iter()
            .map(|part| self.whole_quantifier(kind, bindings, condition, part, expression))
            .collect();
        self.at(place).all(parts)
    }

    fn whole_quantifier(
        &mut self,
        kind: QuantifierKind,
        bindings: &'t [Binding],
        condition: Option<&'t Expression>,
        body: &'t Expression,
        expression: &'t Expression,
    ) -> s::Expression {
        let place = expression.span;
        let mut declared = Vec::new();
        let mut guards = Vec::new();
        let (body, triggers) = self.quantified(|scope| {
            scope.specification(|scope| {
                for binding in bindings {
                    declared.push(scope.quantified_variable(binding, &mut guards));
                }
                guards.extend(condition.map(|condition| scope.expression(condition)));
                let index = scope.index_of(&declared);
                scope.with(|scope| &mut scope.spec.index, index, |scope| scope.expression(body))
            })
        });
        let mut triggers = self.grouped_triggers(triggers, &declared, place);
        let mut build = self.at(place);
        if let ([only], true, QuantifierKind::Forall) = (&declared[..], triggers.is_empty(), kind) {
            let elements = elements_with_length(&body, &only.name.text);
            triggers.extend(elements.into_iter().map(|element| build.trigger(vec![element])));
        }
        let guard = build.all(guards);
        let whole = match kind {
            QuantifierKind::Exists => {
                let body = build.and(guard, body);
                build.expression(s::ExpressionKind::Exists { bindings: declared, triggers, body })
            }
            _ => {
                let body = build.implies(guard, body);
                build.forall(declared, triggers, body)
            }
        };
        self.lowering.origins.add_quantifier(whole.span);
        whole
    }

    /// What tells the parts of models apart that there is one of for each value of these variables.
    pub(crate) fn index_of(&self, bindings: &[s::Binding]) -> Option<std::sync::Arc<str>> {
        let is_integer = |binding: &&s::Binding| matches!(binding.ty.kind, s::TypeKind::Int);
        let own = bindings.last().filter(is_integer).map(|binding| binding.name.text.clone());
        own.or_else(|| self.spec.index.clone())
    }

    /// A variable of a quantifier; what is known of it goes to the guards.
    fn quantified_variable(&mut self, binding: &'t Binding, guards: &mut Vec<s::Expression>) -> s::Binding {
        let ty = self.variable_type(binding.id);
        let silver_type = self.ty(&ty, binding.span);
        let range = binding.range.as_ref().map(|(low, high)| (self.expression(low), self.expression(high)));
        let name = self.declare(binding.id, &binding.name.text);
        let declared = self.at(binding.span).binding(&name, silver_type);
        if let Some((low, high)) = range {
            let mut build = self.at(binding.span);
            let variable = build.variable(&name);
            guards.push(build.within(low, variable, high));
        }
        let variable = self.at(binding.span).variable(&name);
        guards.extend(self.type_fact(&variable, &ty, binding.span));
        declared
    }

    /// What is true of every value of a type although its Silver type does not say so.
    pub(crate) fn type_fact(
        &mut self,
        value: &s::Expression,
        ty: &Type,
        place: source::Span,
    ) -> Option<s::Expression> {
        if matches!(ty, Type::Vector(..)) {
            return Some(self.has_length(value, ty, place));
        }
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
    pub(crate) fn inline_trigger(&mut self, group: TriggerGroup, term: &'t Expression) -> s::Expression {
        self.add_trigger(group, term);
        self.expression(term)
    }

    /// Makes a term a trigger of a quantifier around it; without one there is nothing to be triggered.
    ///
    /// An element of an array is there as soon as its location is.
    pub(crate) fn add_trigger(&mut self, group: TriggerGroup, term: &'t Expression) {
        let (levels, group) = match group {
            TriggerGroup::Default => (0, 0),
            TriggerGroup::Numbered(group) => (0, group),
            TriggerGroup::Outer { levels, group } => (levels as usize, group),
        };
        let Some(position) = self.spec.triggers.found.len().checked_sub(levels + 1) else { return };
        let lower = |scope: &mut Self| match &*term.kind {
            ExpressionKind::Index(array, index)
                if scope.resolution.subscripts.get(&term.id) == Some(&Subscript::Array) =>
            {
                scope.element_reference(array, index, term.span)
            }
            _ => scope.assertion(term),
        };
        let is_one = |scope: &mut Self| scope.with(|scope| &mut scope.spec.triggers.is_one, true, lower);
        let trigger = self.without_lets(is_one);
        self.spec.triggers.found[position].push((group, trigger));
    }

    /// Lowers with the values of `\let` in the place of its variables.
    pub(crate) fn without_lets<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        self.locally(|scope| {
            for (id, value) in scope.spec.triggers.lets.clone() {
                scope.bindings.variables.insert(id, Variable::Value(value));
            }
            work(scope)
        })
    }

    /// Whether a variable of the list occurs in the expression.
    pub(crate) fn mentions(
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

/// Whether a trigger is written anywhere inside.
fn has_trigger(expression: &Expression) -> bool {
    let mut found = matches!(*expression.kind, ExpressionKind::Trigger(..));
    expression.kind.for_each_child(&mut |child| found = found || has_trigger(child));
    found
}
