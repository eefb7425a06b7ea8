//! The functions that terms of the program are: without a body, with the equations that the algebra knows of a term as their
//! postconditions, so that these are known wherever the term is written.

use std::rc::Rc;
use std::sync::Arc;

use process::{Term, TermKind};
use silver::syntax::tree as s;
use source::Span;

use super::algebra::AlgebraicModel;
use super::laws::{Law, Says, laws};
use super::rendering::{Rendered, Rendering};
use super::spelled::{offers, pieces};
use crate::lower::Lowering;
use crate::lower::scope::Scope;
use crate::lower::sums::footprints::terms::mentions;
use crate::resolve::Type;

impl<'t> Lowering<'t> {
    /// Adds the function of a term, with what the algebra knows of it.
    pub(super) fn lower_term(
        &mut self,
        name: &Arc<str>,
        model: &Rc<AlgebraicModel<'t>>,
        term: &Term,
        (types, processes): (&[s::Type], usize),
        place: Span,
    ) {
        let mut scope = Scope::new(self, Rc::default());
        scope.member.is_definition = true;
        let mut rendering = Rendering::new(model.clone());
        let mut formals = Vec::new();
        for (at, ty) in types.iter().enumerate() {
            let formal = scope.member.names.fresh(&format!("data{at}"));
            formals.push(scope.at(place).binding(&formal, ty.clone()));
            rendering.data.insert(at as u32, scope.at(place).variable(&formal));
        }
        for at in 0..processes {
            let ty = scope.ty(&Type::Process, place);
            let formal = scope.member.names.fresh(&format!("process{at}"));
            formals.push(scope.at(place).binding(&formal, ty));
            rendering.terms.insert(at as u32, scope.at(place).variable(&formal));
        }
        let mut postconditions = Vec::new();
        let mut known = Vec::new();
        let laws = laws(&model.model, term);
        let offers = offers(&model.model, &laws, types.len());
        for law in laws {
            let Some(clause) = scope.law(&rendering, &law, place) else { continue };
            let text = silver::syntax::print_expression(&clause);
            if !known.contains(&text) {
                known.push(text);
                postconditions.push(scope.at(place).specification(clause));
            }
        }
        let function = s::Function { postconditions, ..self.function_to_processes(name, formals, place) };
        self.spelling.add_process(name, pieces(&model.model, term, types.len()), offers);
        self.add_member(place, s::MemberKind::Function(function));
    }
}

impl<'t> Scope<'_, 't> {
    /// An equation about the result of a function; `None` if it cannot be written.
    fn law(&mut self, rendering: &Rendering<'t>, law: &Law, place: Span) -> Option<s::Expression> {
        let mut rendering = rendering.clone();
        rendering.names = Rc::default();
        // What is said for all values is also said for those that only the solver names, and is not unfolded for them.
        rendering.names_only = !law.guard.binders.is_empty();
        let mut bindings = Vec::new();
        for bound in &law.guard.binders {
            let ty = self.rendered_type(&bound.ty, place)?;
            let name = self.member.names.fresh(&bound.name);
            bindings.push(self.at(place).binding(&name, ty));
            rendering.variables.insert(bound.variable, self.at(place).variable(&name));
        }
        let condition = self.rendered_data(&rendering, &law.guard.condition, place)?;
        let mut conditions = vec![condition.defined, condition.value];
        for excluded in &law.excluded {
            let Rendered { value, defined } = self.rendered_data(&rendering, excluded, place)?;
            conditions.push(defined);
            conditions.push(self.at(place).not(value));
        }
        for foreign in &law.guard.foreign_ends {
            let process = rendering.terms.get(foreign)?.clone();
            conditions.push(self.may_end(process, place));
        }
        let result = match &law.subject {
            None => self.at(place).expression(s::ExpressionKind::Result),
            Some(subject) => {
                let Rendered { value, defined } = self.rendered_term(&rendering, subject, place)?;
                conditions.push(defined);
                value
            }
        };
        let mut trigger = None;
        let equation = match &law.says {
            Says::Is(term) => {
                let Rendered { value, defined } = self.rendered_term(&rendering, term, place)?;
                conditions.push(defined);
                self.at(place).equal(result, value)
            }
            Says::Begins(action, arguments, rest) => {
                let action = Term::new(TermKind::Action(*action, arguments.clone()), place);
                let action = self.rendered_term(&rendering, &action, place)?;
                let rest = self.rendered_term(&rendering, rest, place)?;
                conditions.extend([action.defined, rest.defined]);
                let mut build = self.at(place);
                let step = build.call("process_sequence", vec![action.value.clone(), rest.value.clone()]);
                // Who asks for a step names its action. What is not named there is in what is left, of which there is no end.
                trigger = trigger_in(&action.value, &bindings);
                let both = build.call("process_choice", vec![step.clone(), result.clone()]);
                let begins = build.equal(both, result);
                // Where nothing is left, the action is all.
                let empty = build.call("process_empty", Vec::new());
                let nothing = build.equal(rest.value, empty);
                let alone = build.equal(step, action.value);
                let unit = build.implies(nothing, alone);
                build.and(begins, unit)
            }
            Says::Offers(alternative) => {
                let Rendered { value, defined } = self.rendered_term(&rendering, alternative, place)?;
                conditions.push(defined);
                trigger = trigger_in(&value, &bindings);
                let mut build = self.at(place);
                let both = build.call("process_choice", vec![value, result.clone()]);
                build.equal(both, result)
            }
            Says::Ends => self.may_end(result, place),
        };
        // What is named under a binder is what is written here.
        let mut said = vec![equation];
        said.append(&mut rendering.names.borrow_mut());
        let mut build = self.at(place);
        let condition = build.all(conditions);
        let equation = build.all(said);
        let body = build.implies(condition, equation);
        if bindings.is_empty() {
            return Some(body);
        }
        // What nobody could ever ask for is not said.
        let trigger = build.trigger(vec![trigger?]);
        Some(build.forall(bindings, vec![trigger], body))
    }

    /// ε is one of the alternatives.
    fn may_end(&mut self, process: s::Expression, place: Span) -> s::Expression {
        let mut build = self.at(place);
        let empty = build.call("process_empty", Vec::new());
        let both = build.call("process_choice", vec![empty, process.clone()]);
        build.equal(both, process)
    }
}

/// The smallest application in a term that mentions all bound variables and has no operators in it.
fn trigger_in(term: &s::Expression, bindings: &[s::Binding]) -> Option<s::Expression> {
    let s::ExpressionKind::Call(_, arguments, _) = &*term.kind else { return None };
    let inner = arguments.iter().find_map(|argument| trigger_in(argument, bindings));
    let names_all = || {
        let is_named = |binding: &s::Binding| mentions(term, std::slice::from_ref(&binding.name.text));
        bindings.iter().all(is_named)
    };
    inner.or_else(|| (is_plain(term) && names_all()).then(|| term.clone()))
}

fn is_plain(term: &s::Expression) -> bool {
    match &*term.kind {
        s::ExpressionKind::Call(_, arguments, _) => arguments.iter().all(is_plain),
        s::ExpressionKind::Name(_) | s::ExpressionKind::Int(_) | s::ExpressionKind::Bool(_) => true,
        _ => false,
    }
}
