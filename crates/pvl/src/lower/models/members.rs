//! Terms for many values: Σ and `\par`.
//!
//! Both are made of a function from values to processes, which is a value of Silver without a text: a function for each term
//! says what it is for each value. Where the data of a term have no value nothing is said about it. That two such functions
//! are the same if they agree is all that the prelude knows of them, beside what is true of empty and single families.

use process::{Binder, Expression, ExpressionKind as Data, Term, TermKind, VariableId};
use silver::syntax::tree as s;
use source::Span;

use super::rendering::{Rendered, Rendering};
use crate::lower::prelude::Theory;
use crate::lower::scope::Scope;
use crate::lower::sums::shared_functions::shape;

/// What a term mentions from around it, in the order of appearance.
#[derive(Default)]
struct Free {
    variables: Vec<(VariableId, process::Type)>,
    data: Vec<(u32, process::Type)>,
    terms: Vec<u32>,
    /// Variables that are bound inside.
    bound: Vec<VariableId>,
}

impl Free {
    fn expression(&mut self, expression: &Expression) {
        match expression.kind() {
            Data::Variable(variable) => {
                let is_known = self.variables.iter().any(|known| known.0 == *variable);
                if !is_known && !self.bound.contains(variable) {
                    self.variables.push((*variable, expression.ty().clone()));
                }
            }
            Data::Foreign(number) => {
                if !self.data.iter().any(|known| known.0 == *number) {
                    self.data.push((*number, expression.ty().clone()));
                }
            }
            kind => kind.for_each_part(&mut |part| self.expression(part)),
        }
    }

    fn term(&mut self, term: &Term) {
        match term.kind() {
            TermKind::Action(_, arguments) | TermKind::Call(_, arguments) => {
                arguments.iter().for_each(|argument| self.expression(argument));
            }
            TermKind::Conditional(condition, _, _) => self.expression(condition),
            TermKind::Foreign(number) if !self.terms.contains(number) => self.terms.push(*number),
            TermKind::Sum(binder, condition, body) => return self.under(binder, Some(condition), body),
            TermKind::Family(binder, body) => return self.under(binder, None, body),
            _ => {}
        }
        term.kind().parts().for_each(|part| self.term(part));
    }

    fn under(&mut self, binder: &Binder, condition: Option<&Expression>, body: &Term) {
        if let Some((low, high)) = &binder.range {
            self.expression(low);
            self.expression(high);
        }
        self.bound.push(binder.variable);
        condition.into_iter().for_each(|condition| self.expression(condition));
        self.term(body);
        self.bound.pop();
    }
}

impl<'t> Scope<'_, 't> {
    /// `(\sum T x; condition; body)`
    pub(super) fn rendered_sum(
        &mut self,
        rendering: &Rendering<'t>,
        binder: &Binder,
        condition: &Expression,
        body: &Term,
        place: Span,
    ) -> Option<Rendered> {
        let members = self.rendered_members(rendering, binder, Some(condition), body, place)?;
        let mut build = self.at(place);
        Some(Rendered { value: build.call("process_sum", vec![members]), defined: build.bool(true) })
    }

    /// `(\par int i = low .. high; body)`
    pub(super) fn rendered_family(
        &mut self,
        rendering: &Rendering<'t>,
        binder: &Binder,
        body: &Term,
        place: Span,
    ) -> Option<Rendered> {
        let (low, high) = binder.range.as_ref()?;
        let low = self.rendered_data(rendering, low, place)?;
        let high = self.rendered_data(rendering, high, place)?;
        let members = self.rendered_members(rendering, binder, None, body, place)?;
        let mut build = self.at(place);
        let value = build.call("process_family", vec![low.value, high.value, members]);
        Some(Rendered { value, defined: build.and(low.defined, high.defined) })
    }

    /// The processes for all values of a variable; with a condition, those for which it is false can do nothing. What the
    /// body mentions becomes arguments of the function that gives them, and equal functions are one.
    fn rendered_members(
        &mut self,
        rendering: &Rendering<'t>,
        binder: &Binder,
        condition: Option<&Expression>,
        body: &Term,
        place: Span,
    ) -> Option<s::Expression> {
        self.lowering.need(Theory::Process);
        self.lowering.need(Theory::ProcessMembers);
        let mut free = Free { bound: vec![binder.variable], ..Free::default() };
        if condition.is_some()
            && let Some((low, high)) = &binder.range
        {
            free.expression(low);
            free.expression(high);
        }
        condition.into_iter().for_each(|condition| free.expression(condition));
        free.term(body);
        let mut arguments = Vec::new();
        for (variable, _) in &free.variables {
            arguments.push(rendering.variables.get(variable)?.clone());
        }
        for (number, _) in &free.data {
            arguments.push(rendering.data.get(number)?.clone());
        }
        for number in &free.terms {
            arguments.push(rendering.terms.get(number)?.clone());
        }
        let name = self.lowering.globals.fresh("members");
        let function = self.members_function(&name, rendering, (binder, condition, body), &free, place)?;
        let declared = self.at(place).member(s::MemberKind::Function(function.clone()));
        let key = shape(&[declared], &[&name]);
        let name = match self.lowering.shared.get(&key) {
            Some(known) => known.clone(),
            None => {
                self.lowering.shared.insert(key, name.clone());
                self.lowering.add_member(place, s::MemberKind::Function(function));
                name
            }
        };
        Some(self.at(place).call(&name, arguments))
    }

    fn members_function(
        &mut self,
        name: &std::sync::Arc<str>,
        rendering: &Rendering<'t>,
        (binder, condition, body): (&Binder, Option<&Expression>, &Term),
        free: &Free,
        place: Span,
    ) -> Option<s::Function> {
        let mut scope = Scope::new(&mut *self.lowering, std::rc::Rc::default());
        scope.member.is_definition = true;
        let mut inner = rendering.without_leaves();
        inner.names_only = true;
        let mut formals = Vec::new();
        let mut formal = |scope: &mut Scope<'_, 't>, ty: s::Type| {
            let name = scope.member.names.fresh("mentioned");
            formals.push(scope.at(place).binding(&name, ty));
            scope.at(place).variable(&name)
        };
        for (variable, ty) in &free.variables {
            let ty = scope.rendered_type(ty, place)?;
            let value = formal(&mut scope, ty);
            inner.variables.insert(*variable, value);
        }
        for (number, ty) in &free.data {
            let ty = scope.rendered_type(ty, place)?;
            let value = formal(&mut scope, ty);
            inner.data.insert(*number, value);
        }
        for number in &free.terms {
            let ty = scope.ty(&crate::resolve::Type::Process, place);
            let value = formal(&mut scope, ty);
            inner.terms.insert(*number, value);
        }
        let element = scope.rendered_type(&binder.ty, place)?;
        let index = scope.member.names.fresh("value");
        let value = scope.at(place).variable(&index);
        inner.variables.insert(binder.variable, value.clone());
        let mut conditions = Vec::new();
        let mut member = scope.rendered_term(&inner, body, place)?;
        if let Some(condition) = condition {
            let condition = scope.rendered_data(&inner, condition, place)?;
            let mut holds = vec![condition.value];
            conditions.push(condition.defined);
            if let Some((low, high)) = &binder.range {
                let low = scope.rendered_data(&inner, low, place)?;
                let high = scope.rendered_data(&inner, high, place)?;
                conditions.extend([low.defined, high.defined]);
                holds.insert(0, scope.at(place).within(low.value, value.clone(), high.value));
            }
            let mut build = scope.at(place);
            let holds = build.all(holds);
            let nothing = build.call("process_deadlock", Vec::new());
            if !crate::lower::build::is_true(&holds) {
                member.defined = build.implies(holds.clone(), member.defined);
                member.value = build.conditional(holds, member.value, nothing);
            }
        }
        conditions.push(member.defined);
        let mut build = scope.at(place);
        let all = build.expression(s::ExpressionKind::Result);
        let one = build.call("process_member", vec![all, value]);
        let condition = build.all(conditions);
        let same = build.equal(one.clone(), member.value);
        let says = build.implies(condition, same);
        let binding = build.binding(&index, element.clone());
        let trigger = build.trigger(vec![one]);
        let says = build.forall(vec![binding], vec![trigger], says);
        let result = build.members_type(element);
        Some(s::Function {
            name: build.name(name),
            formals,
            result,
            preconditions: Vec::new(),
            postconditions: vec![build.specification(says)],
            body: None,
        })
    }
}
