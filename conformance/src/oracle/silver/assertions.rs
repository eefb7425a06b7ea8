//! Assertions: what they take, what they give, and what functions need.
//!
//! `exhale` goes from left to right, takes permissions as it meets them, and reads values as they were when it began;
//! `perm` sees what is left. `inhale` adds permissions as it meets them, and reads what is held by then. A location that
//! nothing is held of has any value when permission to it comes back. In functions amounts do not matter, only whether
//! there are some.

use std::collections::BTreeSet;
use std::rc::Rc;

use num_traits::Zero;
use silver::typed::{
    BinaryOperator, Expression, ExpressionKind, ExpressionRef, PredicateAccess, Type, is_pure,
};
use source::Span;

use super::heap::{Instance, InstanceKey, Location, Mask, WandChunk};
use super::machine::{CellId, Machine, Run, Scope, State, Stop, fail};
use super::quantify::Quantified;
use super::value::{Amount, Value, none, write};

/// How much is asked for or given.
#[derive(Clone, Debug)]
enum Wanted {
    Exactly(Amount),
    Some,
}

/// How deep predicates may be nested in a starting state.
const MAX_UNROLLING: usize = 5;

impl Machine<'_> {
    fn wanted(
        &mut self,
        scope: &mut Scope,
        state: &mut State,
        amount: Option<&ExpressionRef>,
        scale: &Amount,
        span: Span,
    ) -> Run<Wanted> {
        let Some(expression) = amount else { return Ok(Wanted::Exactly(scale.clone())) };
        match &expression.kind {
            ExpressionKind::Wildcard => Ok(Wanted::Some),
            ExpressionKind::Conditional { condition, then, otherwise } => {
                let branch = if self.truth(scope, state, condition)? { then } else { otherwise };
                self.wanted(scope, state, Some(branch), scale, span)
            }
            _ => match self.evaluate(scope, state, expression)? {
                Value::Perm(value) if value < none() => fail("negative.permission", span),
                Value::Perm(value) => Ok(Wanted::Exactly(value * scale)),
                _ => Err(Stop::GivenUp("an amount that is none")),
            },
        }
    }

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

    /// The resource of a quantified permission for the values that its variables have now.
    fn quantified<'a>(
        &mut self,
        scope: &mut Scope,
        state: &mut State,
        body: &'a ExpressionRef,
    ) -> Run<Option<&'a ExpressionRef>> {
        match &body.kind {
            ExpressionKind::Binary(BinaryOperator::Implies, condition, resource) => {
                if self.truth(scope, state, condition)? {
                    self.quantified(scope, state, resource)
                } else {
                    Ok(None)
                }
            }
            ExpressionKind::Wand(_) => Err(Stop::GivenUp("quantified wands")),
            _ => Ok(Some(body)),
        }
    }

    fn location_of(
        &mut self,
        scope: &mut Scope,
        state: &mut State,
        resource: &ExpressionRef,
    ) -> Run<Vec<Value>> {
        match &resource.kind {
            ExpressionKind::FieldPermission { receiver, .. } => {
                Ok(vec![self.evaluate(scope, state, receiver)?])
            }
            ExpressionKind::PredicatePermission(access) => self.all(scope, state, &access.arguments),
            _ => Err(Stop::GivenUp("a quantified assertion of an unknown kind")),
        }
    }

    fn is_something(
        &mut self,
        scope: &mut Scope,
        state: &mut State,
        resource: &ExpressionRef,
        scale: &Amount,
    ) -> Run<bool> {
        let amount = match &resource.kind {
            ExpressionKind::FieldPermission { amount, .. } => amount.as_ref(),
            ExpressionKind::PredicatePermission(access) => access.amount.as_ref(),
            _ => None,
        };
        Ok(match self.wanted(scope, state, amount, scale, resource.span)? {
            Wanted::Some => true,
            Wanted::Exactly(amount) => !amount.is_zero(),
        })
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
        let held = state.mask.of_field(location) + outside;
        let wanted = match wanted {
            Wanted::Exactly(amount) if amount.is_zero() => return Ok(()),
            Wanted::Some if held.is_zero() => return fail("insufficient.permission", span),
            Wanted::Exactly(_) if scope.is_function && held > none() => held * self.choose_share(),
            Wanted::Exactly(amount) => amount,
            Wanted::Some => held * self.choose_share(),
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

    fn take_instance(
        &mut self,
        scope: &Scope,
        state: &mut State,
        key: &InstanceKey,
        wanted: Wanted,
        span: Span,
    ) -> Run<Option<Instance>> {
        let outside = state.outside.as_ref().map_or_else(none, |outside| outside.mask.of_instance(key));
        let held = state.mask.of_instance(key) + outside;
        let wanted = match wanted {
            Wanted::Exactly(amount) if amount.is_zero() => return Ok(None),
            Wanted::Some if held.is_zero() => return fail("insufficient.permission", span),
            Wanted::Exactly(_) if scope.is_function && held > none() => held * self.choose_share(),
            Wanted::Exactly(amount) => amount,
            Wanted::Some => held * self.choose_share(),
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
                // Permission to `null` is never held.
                if let Some(cell) = self.open_cell(scope, state, receiver)? {
                    self.prefer_object(cell)?;
                }
                let object = self.object(scope, state, receiver)?;
                let wanted = self.wanted(scope, state, amount.as_ref(), scale, a.span)?;
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
                if held.is_zero() { self.choose_share() } else { held * self.choose_share() }
            }
        };
        Ok((key, amount))
    }

    /// What a function's precondition asks for is there; nothing is taken. Values that are covered are noted.
    pub(super) fn need(
        &mut self,
        scope: &mut Scope,
        state: &mut State,
        a: &ExpressionRef,
        footprint: &mut Vec<Value>,
    ) -> Run<()> {
        use ExpressionKind as K;
        self.step()?;
        match &a.kind {
            K::Binary(BinaryOperator::And, left, right) => {
                self.need(scope, state, left, footprint)?;
                self.need(scope, state, right, footprint)
            }
            K::InhaleExhale { exhale, .. } => self.need(scope, state, exhale, footprint),
            _ if is_pure(a) => {
                if self.truth(scope, state, a)? {
                    Ok(())
                } else {
                    fail("application.precondition", a.span)
                }
            }
            K::Binary(BinaryOperator::Implies, condition, body) => {
                if self.truth(scope, state, condition)? {
                    self.need(scope, state, body, footprint)?;
                }
                Ok(())
            }
            K::Conditional { condition, then, otherwise } => {
                let branch = if self.truth(scope, state, condition)? { then } else { otherwise };
                self.need(scope, state, branch, footprint)
            }
            K::Let { variable, value, body } => {
                let bound = self.evaluate(scope, state, value)?;
                scope.locals[variable.index()] = Some(self.cell(bound, &value.ty));
                self.need(scope, state, body, footprint)
            }
            K::FieldPermission { receiver, field, .. } => {
                let object = self.object(scope, state, receiver)?;
                if !self.is_something(scope, state, a, &write())? {
                    return Ok(());
                }
                let cell = self.read(state, (object, *field), a)?;
                footprint.push(Value::Ref(object));
                // A value that is read as part of a footprint has to be chosen: it may be what the function depends on.
                footprint.push(self.value(cell)?);
                Ok(())
            }
            K::PredicatePermission(access) => {
                let key = (access.predicate, self.all(scope, state, &access.arguments)?);
                if !self.is_something(scope, state, a, &write())? {
                    return Ok(());
                }
                let outside = state.outside.iter().map(|outside| &outside.mask);
                let held = std::iter::once(&state.mask).chain(outside);
                let Some(instance) = held.filter_map(|mask| mask.instances.get(&key)).next().cloned() else {
                    return fail("insufficient.permission", a.span);
                };
                self.note_inside(state, &key, &instance, footprint)
            }
            K::Wand(_) => Err(Stop::GivenUp("a wand in a function")),
            K::Forall { variables, body, .. } => {
                let mut noted = Vec::new();
                let complete = self.for_all(
                    scope,
                    state,
                    variables,
                    body,
                    Quantified::Permissions,
                    &mut |machine, scope, state| {
                        if let Some(resource) = machine.quantified(scope, state, body)? {
                            let resource = resource.clone();
                            machine.need(scope, state, &resource, &mut noted)?;
                        }
                        Ok(true)
                    },
                )?;
                self.is_exact &= complete;
                footprint.append(&mut noted);
                Ok(())
            }
            _ => Err(Stop::GivenUp("an assertion of an unknown kind")),
        }
    }

    fn note_inside(
        &mut self,
        state: &State,
        key: &InstanceKey,
        instance: &Instance,
        footprint: &mut Vec<Value>,
    ) -> Run<()> {
        footprint.extend(key.1.iter().cloned());
        if self.program.predicate(key.0).body.is_none() {
            footprint.push(Value::Opaque(instance.version));
        }
        for location in instance.inside.fields.keys() {
            if let Some(cell) = state.heap.get(location) {
                footprint.push(Value::Ref(location.0));
                footprint.push(self.value(*cell)?);
            }
        }
        for (key, inner) in &instance.inside.instances {
            self.note_inside(state, key, inner, footprint)?;
        }
        Ok(())
    }

    /// The cell that an expression reads, if it has no value yet and may be read.
    pub(super) fn open_cell(
        &mut self,
        scope: &mut Scope,
        state: &mut State,
        expression: &Expression,
    ) -> Run<Option<CellId>> {
        let cell = match &expression.kind {
            ExpressionKind::Local(local) => self.local(scope, *local)?,
            ExpressionKind::Result => match scope.result {
                Some(cell) => cell,
                None => return Ok(None),
            },
            ExpressionKind::FieldAccess { receiver, field } => {
                let object = self.object(scope, state, receiver)?;
                if object == 0 || !state.can_read((object, *field)) {
                    return Ok(None);
                }
                match state.heap.get(&(object, *field)) {
                    Some(cell) => *cell,
                    None => return Ok(None),
                }
            }
            ExpressionKind::Old(body) => {
                let Some(old) = scope.old.clone() else { return Ok(None) };
                return self.open_cell(scope, &mut (*old).clone(), body);
            }
            _ => return Ok(None),
        };
        Ok((!self.has_value(cell)).then_some(cell))
    }

    /// An open reference that permission is given to is not `null`.
    fn prefer_object(&mut self, cell: CellId) -> Run<()> {
        let birth = self.birth(cell);
        for _ in 0..4 {
            let value = self.choose(&Type::Ref, birth)?;
            if value != Value::Ref(0) {
                self.set(cell, value);
                return Ok(());
            }
        }
        Ok(())
    }

    /// Lets a formula be true: by choosing open values so that it is, or by giving the run up if it is false.
    pub(super) fn assume(&mut self, scope: &mut Scope, state: &mut State, a: &ExpressionRef) -> Run<()> {
        use BinaryOperator as B;
        use ExpressionKind as K;
        self.step()?;
        match &a.kind {
            K::Binary(B::And, left, right) => {
                self.assume(scope, state, left)?;
                return self.assume(scope, state, right);
            }
            K::Binary(B::Implies, left, right) => {
                if self.truth(scope, state, left)? {
                    self.assume(scope, state, right)?;
                }
                return Ok(());
            }
            K::Conditional { condition, then, otherwise } => {
                let branch = if self.truth(scope, state, condition)? { then } else { otherwise };
                return self.assume(scope, state, branch);
            }
            K::Binary(operator, left, right)
                if self.assume_comparison(scope, state, *operator, left, right)? =>
            {
                return Ok(());
            }
            K::Forall { variables, body, .. } => {
                let complete = self.for_all(
                    scope,
                    state,
                    variables,
                    body,
                    Quantified::Forall,
                    &mut |machine, scope, state| {
                        machine.assume(scope, state, body)?;
                        Ok(true)
                    },
                )?;
                self.is_exact &= complete;
                return Ok(());
            }
            K::InhaleExhale { inhale, .. } => return self.assume(scope, state, inhale),
            _ => {}
        }
        if self.truth(scope, state, a)? { Ok(()) } else { Err(Stop::Pruned) }
    }

    /// Chooses an open side of a comparison by the other side; whether it did.
    fn assume_comparison(
        &mut self,
        scope: &mut Scope,
        state: &mut State,
        operator: BinaryOperator,
        left: &ExpressionRef,
        right: &ExpressionRef,
    ) -> Run<bool> {
        use BinaryOperator as B;
        for (open, other, operator) in [(left, right, Some(operator)), (right, left, mirrored(operator))] {
            let Some(operator) = operator else { continue };
            if operator == B::Equal
                && let Some(key) = self.open_application(scope, state, open)?
            {
                let value = self.evaluate(scope, state, other)?;
                let key_is_open = !self.domain_values.contains_key(&key);
                if key_is_open {
                    return if self.fix_domain_value(key, value, open.span)? {
                        Ok(true)
                    } else {
                        Err(Stop::Pruned)
                    };
                }
                continue;
            }
            let Some(cell) = self.open_cell(scope, state, open)? else { continue };
            let value = self.evaluate(scope, state, other)?;
            if self.has_value(cell) {
                continue;
            }
            let step = i128::from(self.random.weighted(&[5, 3, 2, 1]) as u32);
            let chosen = match (operator, value) {
                (B::Equal, Value::Ref(object)) if !self.objects_at(self.birth(cell)).contains(&object) => {
                    continue;
                }
                (B::Equal, value) => value,
                (B::IntLess, Value::Int(bound)) => Value::Int(bound.saturating_sub(1 + step)),
                (B::IntLessEqual, Value::Int(bound)) => Value::Int(bound.saturating_sub(step)),
                (B::IntGreater, Value::Int(bound)) => Value::Int(bound.saturating_add(1 + step)),
                (B::IntGreaterEqual, Value::Int(bound)) => Value::Int(bound.saturating_add(step)),
                (B::SetContains, Value::Set(elements)) if !elements.is_empty() => {
                    let elements: Vec<Value> = elements.into_iter().collect();
                    self.random.pick(&elements).cloned().ok_or(Stop::Pruned)?
                }
                (B::SeqContains, Value::Seq(elements)) if !elements.is_empty() => {
                    self.random.pick(&elements).cloned().ok_or(Stop::Pruned)?
                }
                (B::NotEqual, Value::Ref(0)) => {
                    self.prefer_object(cell)?;
                    continue;
                }
                _ => continue,
            };
            self.set(cell, chosen);
            return Ok(true);
        }
        Ok(false)
    }
}

fn mirrored(operator: BinaryOperator) -> Option<BinaryOperator> {
    use BinaryOperator as B;
    Some(match operator {
        B::Equal => B::Equal,
        B::NotEqual => B::NotEqual,
        B::IntLess => B::IntGreater,
        B::IntLessEqual => B::IntGreaterEqual,
        B::IntGreater => B::IntLess,
        B::IntGreaterEqual => B::IntLessEqual,
        _ => return None,
    })
}
