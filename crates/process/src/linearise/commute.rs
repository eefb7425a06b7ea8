//! That actions can be swapped: `q` then `p` from a store to another implies `p` then `q` from and to the same stores. With
//! this for all actions `p` of P and `q` of Q, every run of P‖Q that ends can be sorted into one of P·Q.
//!
//! The direction matters. That *p then q* can be swapped says nothing about runs in which `q` comes first.

use std::collections::BTreeMap;

use super::alphabet::Letter;
use super::statement::{Block, Claim, Statement};
use super::store::Store;
use super::{Lemma, Lineariser, Refusal};
use crate::expression::{Binary, Expression, ExpressionKind};
use crate::limits;
use crate::model::{Action, ActionId, FieldId, VariableId};
use crate::normal::Bound;
use crate::simplify::{equal, truth_of, variable};
use crate::substitute::fields_read;
use crate::types::Type;

impl Lineariser<'_> {
    /// Sees to it that every action of `then` followed by one of `first` can be swapped, where the conditions are true.
    pub(super) fn commute(
        &mut self,
        first: &[Letter],
        then: &[Letter],
        conditions: &[Expression],
    ) -> Result<(), Refusal> {
        for p in first {
            for q in then {
                if !self.are_independent(p.action, q.action) {
                    self.swap(p, q, conditions)?;
                }
            }
        }
        Ok(())
    }

    /// Whether neither action changes what the other reads or changes. Such actions can be swapped whatever they do.
    fn are_independent(&self, one: ActionId, other: ActionId) -> bool {
        let [one, other] = [one, other].map(|action| &self.model().actions[action.0 as usize]);
        !changes_what_matters(one, other) && !changes_what_matters(other, one)
    }

    fn swap(&mut self, p: &Letter, q: &Letter, conditions: &[Expression]) -> Result<(), Refusal> {
        let p_term = self.algebra.action(p.action, &p.arguments)?;
        let p_term = self.algebra.guarded(&p.guard, p_term)?;
        let q_term = self.algebra.action(q.action, &q.arguments)?;
        let q_term = self.algebra.guarded(&q.guard, q_term)?;
        if let Some(known) = self.known_lemmas.get(&(p_term, q_term)) {
            self.lemmas.insert(*known);
            return Ok(());
        }
        if self.proof.lemmas.len() >= limits::LEMMAS {
            return Err(Refusal::TooLarge);
        }
        let model = self.model();
        let Some(explicit) = self.effects.explicit(model, p.action) else {
            return Err(Refusal::NoExplicitEffect(p.action));
        };
        let (p_guard, renaming) = self.algebra.refreshed(&p.guard);
        let p_arguments = renaming.apply_all(&p.arguments);
        let (q_guard, renaming) = self.algebra.refreshed(&q.guard);
        let q_arguments = renaming.apply_all(&q.arguments);
        let (p_action, q_action) = (&model.actions[p.action.0 as usize], &model.actions[q.action.0 as usize]);

        let mut block = Block::new();
        self.declare_parameters(&mut block);
        let mut known: Vec<VariableId> = Vec::new();
        known.extend(model.processes[self.process.0 as usize].parameters.iter().map(|known| known.variable));
        let mut used = BTreeMap::new();
        let mentioned = [&p_guard.condition, &q_guard.condition].into_iter().chain(conditions);
        for expression in mentioned.chain(&p_arguments).chain(&q_arguments) {
            variables_with_types(expression, &mut used);
        }
        for (variable, ty) in used.into_iter().filter(|(variable, _)| !known.contains(variable)) {
            block.push(Statement::Declare(Bound { variable, name: "v".into(), ty }));
        }
        self.assume_about_parameters(&mut block);
        for condition in [&p_guard.condition, &q_guard.condition].into_iter().chain(conditions) {
            assume(&mut block, condition.clone());
        }
        let p_arguments = self.named(&p_arguments, &mut block);
        let q_arguments = self.named(&q_arguments, &mut block);
        // First q, then p, as a run has it.
        let begin = self.any_store(&mut block);
        let between = self.act(q.action, &q_arguments, &begin, &mut block);
        let end = self.act(p.action, &p_arguments, &between, &mut block);
        // Then p, which leads to a store that is named, and q.
        let mut other = begin.clone();
        for (field, value) in explicit {
            let value = begin.contract(&[value], &begin, &p_action.parameters, &p_arguments);
            other.values[field.0 as usize] = value.into_iter().next().ok_or(Refusal::TooLarge)?;
        }
        let mut claims = begin.contract(&p_action.requires, &begin, &p_action.parameters, &p_arguments);
        claims.extend(begin.contract(&p_action.ensures, &other, &p_action.parameters, &p_arguments));
        claims.extend(other.contract(&q_action.requires, &other, &q_action.parameters, &q_arguments));
        claims.extend(other.contract(&q_action.ensures, &end, &q_action.parameters, &q_arguments));
        for place in 0..model.fields.len() {
            if !q_action.modifies.contains(&FieldId(place as u32)) {
                claims.push(equal(&other.values[place], &end.values[place]));
            }
        }
        let claims = claims.into_iter().filter(|claim| truth_of(claim) != Some(true));
        block.extend(claims.map(|claim| Statement::Assert(claim, Claim::Swapped)));
        let place = self.proof.lemmas.len();
        self.proof.lemmas.push(Lemma { first: p.action, second: q.action, body: block });
        if conditions.is_empty() {
            self.known_lemmas.insert((p_term, q_term), place);
        }
        self.lemmas.insert(place);
        Ok(())
    }

    /// Arguments that may have no value, such as `xs[i]`, by the names of what they are then: actions swap whatever it is.
    fn named(&mut self, arguments: &[Expression], block: &mut Block) -> Vec<Expression> {
        let mut names = Vec::with_capacity(arguments.len());
        for argument in arguments {
            if is_total(argument) {
                names.push(argument.clone());
                continue;
            }
            let bound = Bound {
                variable: self.algebra.fresh_variable(),
                name: "v".into(),
                ty: argument.ty().clone(),
            };
            let name = variable(bound.variable, bound.ty.clone(), argument.span());
            block.push(Statement::Declare(bound));
            assume(block, equal(&name, argument));
            names.push(name);
        }
        names
    }

    /// What the contract supposes about parameters alone is true at all times.
    fn assume_about_parameters(&self, block: &mut Block) {
        for condition in &self.model().processes[self.process.0 as usize].requires {
            let mut read = Default::default();
            fields_read(condition, &mut read);
            if read.is_empty() {
                assume(block, self.begin.at_both(condition, &self.begin));
            }
        }
    }

    /// An action: its guard is true, what it modifies is forgotten, its effect is true.
    pub(super) fn act(
        &mut self,
        action: ActionId,
        arguments: &[Expression],
        before: &Store,
        block: &mut Block,
    ) -> Store {
        let declared = &self.model().actions[action.0 as usize];
        for condition in before.contract(&declared.requires, before, &declared.parameters, arguments) {
            assume(block, condition);
        }
        let mut after = before.clone();
        for field in &declared.modifies {
            after.values[field.0 as usize] = self.any_value(field.0 as usize, block);
        }
        for effect in before.contract(&declared.ensures, &after, &declared.parameters, arguments) {
            assume(block, effect);
        }
        after
    }
}

pub(super) fn assume(block: &mut Block, condition: Expression) {
    if truth_of(&condition) != Some(true) {
        block.push(Statement::Assume(condition));
    }
}

/// Whether one action changes a field that the other reads or changes.
fn changes_what_matters(one: &Action, other: &Action) -> bool {
    let mut read = Default::default();
    for expression in other.requires.iter().chain(&other.ensures) {
        fields_read(expression, &mut read);
    }
    let mut matter = read.iter().map(|(field, _)| field).chain(&other.modifies);
    matter.any(|field| one.modifies.contains(field))
}

/// Whether an expression certainly has a value.
fn is_total(expression: &Expression) -> bool {
    let mut has_value = match expression.kind() {
        ExpressionKind::Literal(_) | ExpressionKind::Variable(_) | ExpressionKind::Unary(..) => true,
        ExpressionKind::Binary(operator, ..) => matches!(
            operator,
            Binary::And
                | Binary::Or
                | Binary::Implies
                | Binary::Equal
                | Binary::Unequal
                | Binary::Less
                | Binary::AtMost
                | Binary::Add
                | Binary::Subtract
                | Binary::Multiply
        ),
        ExpressionKind::Conditional(..) => true,
        _ => false,
    };
    expression.kind().for_each_part(&mut |part| has_value = has_value && is_total(part));
    has_value
}

fn variables_with_types(expression: &Expression, found: &mut BTreeMap<VariableId, Type>) {
    match expression.kind() {
        ExpressionKind::Variable(variable) => {
            found.insert(*variable, expression.ty().clone());
        }
        ExpressionKind::Let(bound, _, _) => {
            expression.kind().for_each_part(&mut |part| variables_with_types(part, found));
            found.remove(bound);
        }
        ExpressionKind::Quantified(_, binders, ..) => {
            expression.kind().for_each_part(&mut |part| variables_with_types(part, found));
            for binder in binders {
                found.remove(&binder.variable);
            }
        }
        kind => kind.for_each_part(&mut |part| variables_with_types(part, found)),
    }
}
