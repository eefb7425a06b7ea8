//! `fold` and `unfold`: what is inside of a predicate's instance goes into it and comes out again.

use num_traits::Zero;
use silver::typed::{ExpressionKind, PredicateAccess};

use super::assertions::Wanted;
use super::heap::{Instance, InstanceKey};
use super::machine::{Machine, Run, Scope, State, Stop, fail};
use super::value::{Amount, write};

impl Machine<'_> {
    pub(super) fn fold(&mut self, scope: &mut Scope, state: &mut State, access: &PredicateAccess) -> Run<()> {
        let (key, mut amount) = self.instance_of(scope, state, access)?;
        let program = self.program;
        let declared = program.predicate(key.0);
        let Some(body) = &declared.body else { return Err(Stop::GivenUp("an abstract predicate")) };
        let is_wildcard =
            access.amount.as_ref().is_some_and(|amount| matches!(amount.kind, ExpressionKind::Wildcard));
        // A wildcard is as small as need be.
        let mut tries = if is_wildcard { 10 } else { 1 };
        let inside = loop {
            let mut inner = self.scope_of_predicate(&key, scope);
            let mut attempt = state.clone();
            tries -= 1;
            match self.exhale_scaled(&mut inner, &mut attempt, body, &amount, "fold.failed") {
                Ok(inside) => {
                    *state = attempt;
                    break inside;
                }
                Err(Stop::Failed { .. }) if tries > 0 => amount *= super::value::amount(1, 5),
                Err(Stop::Failed { .. }) => return fail("fold.failed", access.span),
                Err(stop) => return Err(stop),
            }
        };
        self.version += 1;
        state.mask.add_instance(key, Instance { amount, inside, version: self.version });
        Ok(())
    }

    pub(super) fn unfold(
        &mut self,
        scope: &mut Scope,
        state: &mut State,
        access: &PredicateAccess,
        code: &'static str,
    ) -> Run<()> {
        let (key, mut amount) = self.instance_of(scope, state, access)?;
        if self.program.predicate(key.0).body.is_none() {
            return Err(Stop::GivenUp("an abstract predicate"));
        }
        if scope.is_function {
            amount = state.mask.of_instance(&key);
            if amount.is_zero() {
                return fail(code, access.span);
            }
        }
        match self.take_instance(scope, state, &key, Wanted::Exactly(amount), access.span) {
            Err(Stop::Failed { .. }) => fail(code, access.span),
            Err(stop) => Err(stop),
            Ok(instance) => {
                state.mask.add(instance.map(|instance| instance.inside).unwrap_or_default());
                if state.mask.holds_too_much() {
                    return Err(Stop::Pruned);
                }
                Ok(())
            }
        }
    }

    fn scope_of_predicate(&mut self, key: &InstanceKey, outer: &Scope) -> Scope {
        let program = self.program;
        let declared = program.predicate(key.0);
        let mut scope = Scope::new(declared.locals.len());
        scope.is_function = outer.is_function;
        for (formal, argument) in declared.formals.iter().zip(&key.1) {
            let cell = self.cell(argument.clone(), &declared.locals[formal.index()].ty);
            scope.locals[formal.index()] = Some(cell);
        }
        scope
    }

    fn instance_of(
        &mut self,
        scope: &mut Scope,
        state: &mut State,
        access: &PredicateAccess,
    ) -> Run<(InstanceKey, Amount)> {
        let key = (access.predicate, self.all(scope, state, &access.arguments)?);
        let amount = match self.wanted(scope, state, access.amount.as_ref(), &write(), access.span)? {
            Wanted::Exactly(amount) if amount.is_zero() => {
                return fail("permission.not.positive", access.span);
            }
            Wanted::Exactly(amount) => amount,
            Wanted::Some => {
                let held = state.mask.of_instance(&key);
                if held.is_zero() { self.choose_little() } else { held * self.choose_little() }
            }
        };
        Ok((key, amount))
    }
}
