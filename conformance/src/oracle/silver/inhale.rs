//! What assertions give.
//!
//! `inhale` adds permissions as it meets them, and reads what is held by then. A location that nothing is held of has any
//! value when permission to it comes back.

use std::collections::BTreeSet;

use num_traits::Zero;
use silver::typed::{BinaryOperator, ExpressionKind, ExpressionRef, is_pure};

use super::assertions::Wanted;
use super::heap::{Instance, InstanceKey, Location, Mask, WandChunk};
use super::machine::{Machine, Run, Scope, State, Stop, fail};
use super::quantify::Quantified;
use super::value::{Amount, none, write};

/// How deep predicates may be nested in a starting state.
const MAX_UNROLLING: usize = 5;

impl Machine<'_> {
    pub(super) fn inhale(&mut self, scope: &mut Scope, state: &mut State, a: &ExpressionRef) -> Run<()> {
        self.inhale_scaled(scope, state, a, &write())
    }

    pub(super) fn inhale_scaled(
        &mut self,
        scope: &mut Scope,
        state: &mut State,
        a: &ExpressionRef,
        scale: &Amount,
    ) -> Run<()> {
        use ExpressionKind as K;
        self.step()?;
        match &a.kind {
            K::Binary(BinaryOperator::And, left, right) => {
                self.inhale_scaled(scope, state, left, scale)?;
                self.inhale_scaled(scope, state, right, scale)
            }
            K::InhaleExhale { inhale, .. } => self.inhale_scaled(scope, state, inhale, scale),
            _ if is_pure(a) => self.assume(scope, state, a),
            K::Binary(BinaryOperator::Implies, condition, body) => {
                if self.truth(scope, state, condition)? {
                    self.inhale_scaled(scope, state, body, scale)?;
                }
                Ok(())
            }
            K::Conditional { condition, then, otherwise } => {
                let branch = if self.truth(scope, state, condition)? { then } else { otherwise };
                self.inhale_scaled(scope, state, branch, scale)
            }
            K::Let { variable, value, body } => {
                let bound = self.evaluate(scope, state, value)?;
                scope.locals[variable.index()] = Some(self.cell(bound, &value.ty));
                self.inhale_scaled(scope, state, body, scale)
            }
            K::FieldPermission { receiver, field, amount } => {
                let wanted = self.wanted(scope, state, amount.as_ref(), scale, a.span)?;
                // Permission to `null` is never held; none of it always is.
                let is_none = matches!(&wanted, Wanted::Exactly(amount) if amount.is_zero());
                if !is_none && let Some(cell) = self.open_cell(scope, state, receiver)? {
                    self.prefer_object(cell)?;
                }
                let object = self.object(scope, state, receiver)?;
                self.give_field(scope, state, (object, *field), wanted)
            }
            K::PredicatePermission(access) => {
                let key = (access.predicate, self.all(scope, state, &access.arguments)?);
                let wanted = self.wanted(scope, state, access.amount.as_ref(), scale, a.span)?;
                self.give_instance(scope, state, key, wanted)
            }
            K::Wand(wand) => {
                let key = self.wand_key(scope, state, wand)?;
                state.mask.wands.push(WandChunk { key, package: None, footprint: Mask::default() });
                Ok(())
            }
            K::Forall { variables, body, .. } => {
                let mut seen = BTreeSet::new();
                // Amounts and receivers are those of before; what the quantifier itself gives cannot be read in it.
                let mut gifts = Vec::new();
                let complete = self.for_all(
                    scope,
                    state,
                    variables,
                    body,
                    Quantified::Permissions,
                    &mut |machine, scope, state| {
                        let Some(resource) = machine.quantified(scope, state, body)? else { return Ok(true) };
                        let key = machine.location_of(scope, state, resource)?;
                        if machine.is_something(scope, state, resource, scale)? && !seen.insert(key) {
                            return fail("qp.not.injective", a.span);
                        }
                        gifts.push((scope.locals.clone(), resource.clone()));
                        Ok(true)
                    },
                )?;
                self.is_exact &= complete;
                let before = state.clone();
                for (locals, resource) in gifts {
                    scope.locals = locals;
                    self.give_quantified(scope, state, &mut before.clone(), &resource, scale)?;
                }
                Ok(())
            }
            _ => Err(Stop::GivenUp("an assertion of an unknown kind")),
        }
    }

    fn give_quantified(
        &mut self,
        scope: &mut Scope,
        state: &mut State,
        before: &mut State,
        resource: &ExpressionRef,
        scale: &Amount,
    ) -> Run<()> {
        match &resource.kind {
            ExpressionKind::FieldPermission { receiver, field, amount } => {
                let object = self.object(scope, before, receiver)?;
                let wanted = self.wanted(scope, before, amount.as_ref(), scale, resource.span)?;
                self.give_field(scope, state, (object, *field), wanted)
            }
            ExpressionKind::PredicatePermission(access) => {
                let key = (access.predicate, self.all(scope, before, &access.arguments)?);
                let wanted = self.wanted(scope, before, access.amount.as_ref(), scale, resource.span)?;
                self.give_instance(scope, state, key, wanted)
            }
            _ => Err(Stop::GivenUp("a quantified assertion of an unknown kind")),
        }
    }

    fn give_field(
        &mut self,
        scope: &Scope,
        state: &mut State,
        location: Location,
        wanted: Wanted,
    ) -> Run<()> {
        if matches!(&wanted, Wanted::Exactly(amount) if amount.is_zero()) {
            return Ok(());
        }
        if location.0 == 0 {
            return Err(Stop::Pruned);
        }
        let total = state.total(location);
        let room = write() - &total;
        let amount = match wanted {
            // Only whether there is some: any small share will do.
            Wanted::Exactly(_) if scope.is_function => room * self.choose_share(),
            Wanted::Exactly(amount) => amount,
            Wanted::Some => room * self.choose_share(),
        };
        if amount <= none() || &total + &amount > write() {
            return Err(Stop::Pruned);
        }
        if total.is_zero() {
            let ty = self.program.field(location.1).ty.clone();
            let cell = self.open(&ty);
            state.heap.insert(location, cell);
        }
        state.mask.add_field(location, amount);
        Ok(())
    }

    /// Permission to an instance comes with some inside: what is known of it already, or anything that satisfies its
    /// body.
    fn give_instance(
        &mut self,
        scope: &Scope,
        state: &mut State,
        key: InstanceKey,
        wanted: Wanted,
    ) -> Run<()> {
        let amount = match wanted {
            Wanted::Exactly(amount) if amount.is_zero() => return Ok(()),
            Wanted::Exactly(amount) => amount,
            Wanted::Some => self.choose_share(),
        };
        let masks = std::iter::once(&state.mask).chain(&state.frames);
        let known = masks.chain(state.outside.iter().map(|outside| &outside.mask));
        let known = known.filter_map(|mask| mask.total_instance(&key)).next().cloned();
        let instance = match known {
            Some(known) => {
                let inside = known.inside.scaled(&(&amount / &known.amount));
                Instance { amount, inside, version: known.version }
            }
            None => {
                let inside = self.inside(scope, state, &key, &amount)?;
                self.version += 1;
                Instance { amount, inside, version: self.version }
            }
        };
        let mut found = Vec::new();
        instance.inside.locations(&mut found);
        state.mask.add_instance(key, instance);
        if found.into_iter().any(|location| state.total(location) > write()) {
            return Err(Stop::Pruned);
        }
        Ok(())
    }

    /// Chooses what is inside an instance.
    fn inside(&mut self, outer: &Scope, state: &mut State, key: &InstanceKey, amount: &Amount) -> Run<Mask> {
        let program = self.program;
        let declared = program.predicate(key.0);
        let Some(body) = &declared.body else { return Ok(Mask::default()) };
        if self.unrolling >= MAX_UNROLLING {
            return Err(Stop::Pruned);
        }
        let mut scope = Scope::new(declared.locals.len());
        scope.is_function = outer.is_function;
        for (formal, argument) in declared.formals.iter().zip(&key.1) {
            let cell = self.cell(argument.clone(), &declared.locals[formal.index()].ty);
            scope.locals[formal.index()] = Some(cell);
        }
        let around = std::mem::take(&mut state.mask);
        state.frames.push(around);
        self.unrolling += 1;
        let result = self.inhale_scaled(&mut scope, state, body, amount);
        self.unrolling -= 1;
        let inside = std::mem::replace(&mut state.mask, state.frames.pop().unwrap_or_default());
        result.map(|()| inside)
    }
}
