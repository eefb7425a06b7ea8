//! What assertions take.
//!
//! `exhale` goes from left to right, takes permissions as it meets them, and reads values as they were when it began;
//! `perm` sees what is left.

use std::collections::BTreeSet;
use std::rc::Rc;

use num_traits::Zero;
use silver::typed::{BinaryOperator, ExpressionKind, ExpressionRef, is_pure};
use source::Span;

use super::assertions::Wanted;
use super::heap::{Instance, InstanceKey, Location, Mask, WandChunk};
use super::machine::{Machine, Run, Scope, State, Stop, fail};
use super::quantify::Quantified;
use super::value::{Amount, none, write};

impl Machine<'_> {
    /// Takes what the assertion speaks about; gives what was taken. Nothing is said about values that are lost.
    pub(super) fn exhale(
        &mut self,
        scope: &mut Scope,
        state: &mut State,
        assertion: &ExpressionRef,
        code: &'static str,
    ) -> Run<Mask> {
        self.exhale_scaled(scope, state, assertion, &write(), code)
    }

    pub(super) fn exhale_scaled(
        &mut self,
        scope: &mut Scope,
        state: &mut State,
        assertion: &ExpressionRef,
        scale: &Amount,
        code: &'static str,
    ) -> Run<Mask> {
        let outer = state.reading.take();
        state.reading = Some(Rc::new(state.readable()));
        let mut taken = Mask::default();
        let result = self.exhale_part(scope, state, assertion, scale, code, &mut taken);
        state.reading = outer;
        result.map(|()| taken)
    }

    /// Takes permissions while values are read by what was held at another moment.
    pub(super) fn exhale_reading(
        &mut self,
        scope: &mut Scope,
        state: &mut State,
        assertion: &ExpressionRef,
        reading: &Rc<Mask>,
        code: &'static str,
    ) -> Run<Mask> {
        let outer = state.reading.replace(Rc::clone(reading));
        let mut taken = Mask::default();
        let result = self.exhale_part(scope, state, assertion, &write(), code, &mut taken);
        state.reading = outer;
        result.map(|()| taken)
    }

    fn exhale_part(
        &mut self,
        scope: &mut Scope,
        state: &mut State,
        a: &ExpressionRef,
        scale: &Amount,
        code: &'static str,
        taken: &mut Mask,
    ) -> Run<()> {
        use ExpressionKind as K;
        self.step()?;
        match &a.kind {
            K::Binary(BinaryOperator::And, left, right) => {
                self.exhale_part(scope, state, left, scale, code, taken)?;
                self.exhale_part(scope, state, right, scale, code, taken)
            }
            K::InhaleExhale { exhale, .. } => self.exhale_part(scope, state, exhale, scale, code, taken),
            _ if is_pure(a) => {
                if self.truth(scope, state, a)? {
                    return Ok(());
                }
                match &mut self.survey {
                    Some(survey) => {
                        survey.failing.push(a.span);
                        Ok(())
                    }
                    None => fail(code, a.span),
                }
            }
            K::Binary(BinaryOperator::Implies, condition, body) => {
                if self.truth(scope, state, condition)? {
                    self.exhale_part(scope, state, body, scale, code, taken)?;
                }
                Ok(())
            }
            K::Conditional { condition, then, otherwise } => {
                let branch = if self.truth(scope, state, condition)? { then } else { otherwise };
                self.exhale_part(scope, state, branch, scale, code, taken)
            }
            K::Let { variable, value, body } => {
                let bound = self.evaluate(scope, state, value)?;
                scope.locals[variable.index()] = Some(self.cell(bound, &value.ty));
                self.exhale_part(scope, state, body, scale, code, taken)
            }
            K::FieldPermission { receiver, field, amount } => {
                let object = self.object(scope, state, receiver)?;
                let wanted = self.wanted(scope, state, amount.as_ref(), scale, a.span)?;
                self.take_field(scope, state, (object, *field), wanted, a.span, taken)
            }
            K::PredicatePermission(access) => {
                let key = (access.predicate, self.all(scope, state, &access.arguments)?);
                let wanted = self.wanted(scope, state, access.amount.as_ref(), scale, a.span)?;
                let instance = self.take_instance(scope, state, &key, wanted, a.span)?;
                if let Some(instance) = instance {
                    taken.add_instance(key, instance);
                }
                Ok(())
            }
            K::Wand(wand) => {
                let key = self.wand_key(scope, state, wand)?;
                let chunk = self.take_wand(state, &key, a.span)?;
                taken.wands.push(chunk);
                Ok(())
            }
            K::Forall { variables, body, .. } => {
                let mut seen = BTreeSet::new();
                let complete = self.for_all(
                    scope,
                    state,
                    variables,
                    body,
                    Quantified::Permissions,
                    &mut |machine, scope, state| {
                        let Some(resource) = machine.quantified(scope, state, body)? else { return Ok(true) };
                        let key = machine.location_of(scope, state, resource)?;
                        let before = machine.is_something(scope, state, resource, scale)?;
                        if before && !seen.insert(key) {
                            return fail("qp.not.injective", a.span);
                        }
                        machine.exhale_part(scope, state, resource, scale, code, taken)?;
                        Ok(true)
                    },
                )?;
                self.is_exact &= complete;
                Ok(())
            }
            _ => Err(Stop::GivenUp("an assertion of an unknown kind")),
        }
    }

    fn take_field(
        &mut self,
        scope: &Scope,
        state: &mut State,
        location: Location,
        wanted: Wanted,
        span: Span,
        taken: &mut Mask,
    ) -> Run<()> {
        let outside = state.outside.as_ref().map_or_else(none, |outside| outside.mask.of_field(location));
        let own = state.mask.of_field(location);
        let held = &own + outside;
        let wanted = match wanted {
            Wanted::Exactly(amount) if amount.is_zero() => return Ok(()),
            Wanted::Some if held.is_zero() => return fail("insufficient.permission", span),
            Wanted::Exactly(_) if scope.is_function && held > none() => held * self.choose_share(),
            Wanted::Exactly(amount) => amount,
            // A wand's proof takes nothing from outside that it has itself, and some of that is enough.
            Wanted::Some if !own.is_zero() => own * self.choose_little(),
            Wanted::Some => held * self.choose_little(),
        };
        let mut got = state.mask.take_field(location, &wanted);
        if got < wanted
            && let Some(outside) = &mut state.outside
        {
            let more = outside.mask.take_field(location, &(&wanted - &got));
            outside.taken.add_field(location, more.clone());
            got += more;
        }
        if got < wanted {
            return fail("insufficient.permission", span);
        }
        taken.add_field(location, got);
        Ok(())
    }

    pub(super) fn take_instance(
        &mut self,
        scope: &Scope,
        state: &mut State,
        key: &InstanceKey,
        wanted: Wanted,
        span: Span,
    ) -> Run<Option<Instance>> {
        let outside = state.outside.as_ref().map_or_else(none, |outside| outside.mask.of_instance(key));
        let own = state.mask.of_instance(key);
        let held = &own + outside;
        let wanted = match wanted {
            Wanted::Exactly(amount) if amount.is_zero() => return Ok(None),
            Wanted::Some if held.is_zero() => return fail("insufficient.permission", span),
            Wanted::Exactly(_) if scope.is_function && held > none() => held * self.choose_share(),
            Wanted::Exactly(amount) => amount,
            // A wand's proof takes nothing from outside that it has itself, and some of that is enough.
            Wanted::Some if !own.is_zero() => own * self.choose_little(),
            Wanted::Some => held * self.choose_little(),
        };
        let mut pot = Mask::default();
        if let Some(instance) = state.mask.take_instance(key, &wanted) {
            pot.add_instance(key.clone(), instance);
        }
        let missing = &wanted - pot.of_instance(key);
        if missing > none()
            && let Some(outside) = &mut state.outside
            && let Some(instance) = outside.mask.take_instance(key, &missing)
        {
            outside.taken.add_instance(key.clone(), instance.clone());
            pot.add_instance(key.clone(), instance);
        }
        if pot.of_instance(key) < wanted {
            return fail("insufficient.permission", span);
        }
        Ok(pot.instances.remove(key))
    }

    pub(super) fn take_wand(&mut self, state: &mut State, key: &str, span: Span) -> Run<WandChunk> {
        let position = |mask: &Mask| mask.wands.iter().position(|chunk| chunk.key == key);
        if let Some(index) = position(&state.mask) {
            return Ok(state.mask.wands.remove(index));
        }
        if let Some(outside) = &mut state.outside
            && let Some(index) = position(&outside.mask)
        {
            let chunk = outside.mask.wands.remove(index);
            outside.taken.wands.push(chunk.clone());
            return Ok(chunk);
        }
        fail("wand.not.found", span)
    }
}
