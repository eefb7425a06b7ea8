//! Assumptions: values that are still open are chosen so that they are true; what is false nevertheless ends the run.

use silver::typed::{BinaryOperator, Expression, ExpressionKind, ExpressionRef, Type};

use super::machine::{CellId, Machine, Run, Scope, State, Stop};
use super::quantify::Quantified;
use super::value::Value;

impl Machine<'_> {
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
    pub(super) fn prefer_object(&mut self, cell: CellId) -> Run<()> {
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
