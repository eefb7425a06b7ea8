//! What functions need: permissions are looked at, nothing is taken, and the values that they cover are noted.

use silver::typed::{BinaryOperator, ExpressionKind, ExpressionRef, is_pure};

use super::heap::{Instance, InstanceKey};
use super::machine::{Machine, Run, Scope, State, Stop, fail};
use super::quantify::Quantified;
use super::value::{Value, write};

impl Machine<'_> {
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
}
