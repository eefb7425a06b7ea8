//! Assertions on the real heap: their facts, and how much permission they speak of in total.
//!
//! A predicate stands for its body. Who holds what is not followed; but no assertion can be true that asks for more
//! than all of one location, or for a part of something that is not there.

use std::collections::BTreeMap;

use pvl::resolve::{CallTarget, Receiver, RoutineCall, Type};
use pvl::syntax::print_expression;
use pvl::syntax::tree::{
    BinaryOperator, Builtin, Expression, ExpressionKind, NodeId, Routine, UnaryOperator,
};
use source::Span;

use super::machine::{MAX_DEPTH, Machine};
use super::state::{Env, Location};
use super::stop::{Result, Stop};
use super::value::{Rational, Value};

#[derive(Clone, PartialEq, Debug)]
pub(super) enum Truth {
    True,
    Unknown,
    False(Span, String),
}

/// Amounts by location, and whether an unknown positive amount comes on top.
pub(super) type Amounts = BTreeMap<Location, (Rational, bool)>;

/// A factor of all amounts; `None` is an unknown positive one.
type Factor = Option<Rational>;

impl<'t> Machine<'t> {
    pub(super) fn all_hold(&mut self, env: &mut Env, clauses: &[&'t Expression]) -> Result<Truth> {
        self.all_hold_with(env, clauses, &mut Amounts::new())
    }

    pub(super) fn all_hold_with(
        &mut self,
        env: &mut Env,
        clauses: &[&'t Expression],
        amounts: &mut Amounts,
    ) -> Result<Truth> {
        let mut result = Truth::True;
        for clause in clauses {
            match self.assertion(env, clause, Some(one()), amounts)? {
                Truth::True => {}
                Truth::Unknown => result = Truth::Unknown,
                found => return Ok(found),
            }
        }
        Ok(result)
    }

    fn assertion(
        &mut self,
        env: &mut Env,
        e: &'t Expression,
        factor: Factor,
        amounts: &mut Amounts,
    ) -> Result<Truth> {
        match self.assertion_here(env, e, factor, amounts) {
            Err(Stop::Unknown(_)) => Ok(Truth::Unknown),
            other => other,
        }
    }

    fn assertion_here(
        &mut self,
        env: &mut Env,
        e: &'t Expression,
        factor: Factor,
        amounts: &mut Amounts,
    ) -> Result<Truth> {
        use ExpressionKind as K;
        match &*e.kind {
            K::Binary(BinaryOperator::And | BinaryOperator::Star, a, b) => {
                let first = self.assertion(env, a, factor, amounts)?;
                if matches!(first, Truth::False(..)) {
                    return Ok(first);
                }
                match (self.assertion(env, b, factor, amounts), first) {
                    (Ok(Truth::True), Truth::Unknown) => Ok(Truth::Unknown),
                    (Err(_), Truth::Unknown) => Ok(Truth::Unknown),
                    (second, _) => second,
                }
            }
            K::Binary(BinaryOperator::Implies, a, b) => {
                if self.truth(env, a)? {
                    self.assertion(env, b, factor, amounts)
                } else {
                    Ok(Truth::True)
                }
            }
            K::Binary(BinaryOperator::Wand, ..) => Ok(Truth::Unknown),
            K::Conditional(condition, yes, no) => {
                let branch = if self.truth(env, condition)? { yes } else { no };
                self.assertion(env, branch, factor, amounts)
            }
            K::Permission { location, amount, .. } => {
                let factor = match (&*amount.kind, factor) {
                    (K::ReadPermission, _) => None,
                    (_, factor) => {
                        let amount = self.evaluate(env, amount)?.rational()?;
                        if amount < zero() {
                            return Err(Stop::fail("negativePermValue").at(e.span));
                        }
                        if amount == zero() {
                            return Ok(Truth::True);
                        }
                        factor.map(|factor| factor * amount)
                    }
                };
                self.permission(env, location, factor, amounts)
            }
            K::Value(location) | K::AutoValue(location) => self.permission(env, location, None, amounts),
            K::PointsTo { location, amount, value } => {
                let amount = self.evaluate(env, amount)?.rational()?;
                let factor = factor.map(|factor| factor * amount);
                let held = if amount > zero() {
                    self.permission(env, location, factor, amounts)?
                } else {
                    Truth::True
                };
                if held != Truth::True {
                    return Ok(held);
                }
                let (is, wanted) = (self.evaluate(env, location)?, self.evaluate(env, value)?);
                Ok(if is == wanted { Truth::True } else { is_false(e) })
            }
            K::Scale(scale, inner) => {
                let scale = self.evaluate(env, scale)?.rational()?;
                if scale < zero() {
                    return Err(Stop::fail("scaleNeg").at(e.span));
                }
                if scale == zero() {
                    return Ok(Truth::Unknown);
                }
                self.assertion(env, inner, factor.map(|factor| factor * scale), amounts)
            }
            K::Quantifier { bindings, condition, body, .. } if self.is_resource(e) => {
                let mut result = Truth::True;
                let complete =
                    self.each(env, bindings, condition.as_ref(), body, &mut |machine, env| match machine
                        .assertion(env, body, factor, amounts)?
                    {
                        Truth::True => Ok(true),
                        Truth::Unknown => {
                            result = Truth::Unknown;
                            Ok(true)
                        }
                        found => {
                            result = found;
                            Ok(false)
                        }
                    })?;
                Ok(if !complete && result == Truth::True { Truth::Unknown } else { result })
            }
            K::Call(_) | K::CoalescingCall { .. } if self.predicate(e).is_some() => {
                self.permission(env, e, factor, amounts)
            }
            K::Let { binding, value, body } => {
                let value = self.evaluate(env, value)?;
                let mark = env.variables.len();
                env.variables.push((binding.id, value));
                let result = self.assertion(env, body, factor, amounts);
                env.variables.truncate(mark);
                result
            }
            K::Unfolding(_, inner) | K::Trigger(_, inner) => self.assertion(env, inner, factor, amounts),
            K::Builtin(builtin, arguments) if self.is_resource(e) => {
                self.resource(env, e, *builtin, arguments, factor, amounts)
            }
            _ => {
                let holds = self.evaluate(env, e)?.truth()?;
                Ok(if holds { Truth::True } else { is_false(e) })
            }
        }
    }

    pub(super) fn is_resource(&self, e: &Expression) -> bool {
        self.resolution.expressions.get(&e.id) == Some(&Type::Resource)
    }

    fn predicate(&self, e: &Expression) -> Option<&'t RoutineCall> {
        match self.resolution.calls.get(&e.id) {
            Some(CallTarget::Routine(call)) => {
                let routine = self.resolution.items.routines.get(&call.routine);
                matches!(routine, Some(Routine::Predicate(_))).then_some(call)
            }
            _ => None,
        }
    }

    /// A part of a location, of all elements of an array, or of a predicate.
    fn permission(
        &mut self,
        env: &mut Env,
        location: &'t Expression,
        factor: Factor,
        amounts: &mut Amounts,
    ) -> Result<Truth> {
        if let Some(call) = self.predicate(location) {
            return self.predicate_body(env, location, call, factor, amounts);
        }
        if let ExpressionKind::Index(base, index) = &*location.kind
            && matches!(&*index.kind, ExpressionKind::AnyIndex)
        {
            return match self.evaluate(env, base)? {
                Value::Array(block) => {
                    let length = self.state.heap[block].slots.len();
                    let found = (0..length).find_map(|slot| add(amounts, (block, slot), factor, location));
                    Ok(found.unwrap_or(Truth::True))
                }
                Value::Null => Err(Stop::fail("arrayNull").at(location.span)),
                _ => Ok(Truth::Unknown),
            };
        }
        if let ExpressionKind::Unary(UnaryOperator::Dereference, _) = &*location.kind
            && self.view.is_some()
        {
            return Ok(Truth::Unknown);
        }
        match self.location(env, location) {
            Ok(found) => Ok(add(amounts, found, factor, location).unwrap_or(Truth::True)),
            Err(Stop::Fail(failure)) if failure.code == "nullField" => Ok(is_false(location)),
            Err(stop) => Err(stop),
        }
    }

    fn predicate_body(
        &mut self,
        env: &mut Env,
        e: &'t Expression,
        call: &'t RoutineCall,
        factor: Factor,
        amounts: &mut Amounts,
    ) -> Result<Truth> {
        let (this, arguments) = match &*e.kind {
            ExpressionKind::Call(written) => {
                let this = match (call.receiver, &written.receiver) {
                    (Receiver::Explicit, Some(receiver)) => Some(self.evaluate(env, receiver)?),
                    (Receiver::ImplicitThis, _) => env.this.clone(),
                    _ => None,
                };
                (this, &written.arguments)
            }
            ExpressionKind::CoalescingCall { receiver, arguments, .. } => {
                let this = self.evaluate(env, receiver)?;
                if this == Value::Null {
                    return Ok(Truth::True);
                }
                (Some(this), arguments)
            }
            _ => return Ok(Truth::Unknown),
        };
        if this == Some(Value::Null) {
            return Ok(is_false(e));
        }
        let mut values = Vec::new();
        for argument in arguments {
            values.push(self.evaluate(env, argument)?);
        }
        let Some(Routine::Predicate(predicate)) = self.resolution.items.routines.get(&call.routine).copied()
        else {
            return Ok(Truth::Unknown);
        };
        let Some(body) = &predicate.body else { return Ok(Truth::Unknown) };
        if self.depth > MAX_DEPTH {
            return Ok(Truth::Unknown);
        }
        let types = self.type_arguments(env, call);
        let mut inner = Env { this, types, ..Env::default() };
        for (parameter, value) in predicate.parameters.iter().zip(values) {
            inner.variables.push((parameter.id, value));
        }
        self.depth += 1;
        let result = self.assertion(&mut inner, body, factor, amounts);
        self.depth -= 1;
        match result? {
            Truth::False(span, detail) => {
                Ok(Truth::False(span, format!("{detail}, in {}", print_expression(e))))
            }
            other => Ok(other),
        }
    }

    fn resource(
        &mut self,
        env: &mut Env,
        e: &'t Expression,
        builtin: Builtin,
        arguments: &'t [Expression],
        factor: Factor,
        amounts: &mut Amounts,
    ) -> Result<Truth> {
        if builtin == Builtin::PolarityDependent {
            return Ok(Truth::Unknown);
        }
        let value = |machine: &mut Self, env: &mut Env, at: usize| machine.evaluate(env, &arguments[at]);
        let first = value(self, env, 0)?;
        let yes = |it: bool| if it { Truth::True } else { is_false(e) };
        match builtin {
            Builtin::Held => Ok(match first {
                Value::Object(object) => {
                    yes(self.state.locks.get(&object).is_some_and(|lock| lock.holder.is_some()))
                }
                _ => Truth::Unknown,
            }),
            Builtin::Idle | Builtin::Running => Ok(match first {
                Value::Object(object) => {
                    yes(self.state.running.contains_key(&object) == (builtin == Builtin::Running))
                }
                _ => Truth::Unknown,
            }),
            Builtin::Pointer | Builtin::PointerIndex => {
                let Value::Pointer(pointer) = first else { return Ok(is_false(e)) };
                let count = value(self, env, 1)?.int()?;
                let amount = value(self, env, 2)?.rational()?;
                let factor = factor.map(|factor| factor * amount);
                let indices = if builtin == Builtin::Pointer { 0..count } else { count..count + 1 };
                for index in indices {
                    match self.pointed(pointer, index) {
                        Ok(location) if amount > zero() => {
                            if let Some(found) = add(amounts, location, factor, e) {
                                return Ok(found);
                            }
                        }
                        Ok(_) => {}
                        Err(_) => return Ok(is_false(e)),
                    }
                }
                Ok(Truth::True)
            }
            Builtin::ArrayPermission => {
                let (low, step) = (value(self, env, 1)?.int()?, value(self, env, 2)?.int()?);
                let count = value(self, env, 3)?.int()?;
                let amount = value(self, env, 4)?.rational()?;
                let factor = factor.map(|factor| factor * amount);
                for at in 0..count.min(100) {
                    let location = self.element(&first, low + at * step).map_err(|stop| stop.at(e.span))?;
                    if amount > zero()
                        && let Some(found) = add(amounts, location, factor, e)
                    {
                        return Ok(found);
                    }
                }
                Ok(Truth::True)
            }
            Builtin::Matrix => {
                let (rows, columns) = (value(self, env, 1)?.int()?, value(self, env, 2)?.int()?);
                let Value::Array(block) = first else { return Ok(is_false(e)) };
                let rows_there = self.state.heap[block].slots.clone();
                let mut seen = Vec::new();
                for row in &rows_there {
                    match row {
                        Value::Array(row)
                            if self.state.heap[*row].slots.len() as i128 == columns
                                && !seen.contains(row) =>
                        {
                            seen.push(*row);
                        }
                        _ => return Ok(is_false(e)),
                    }
                }
                Ok(yes(rows_there.len() as i128 == rows))
            }
            _ => Ok(Truth::Unknown),
        }
    }

    pub(super) fn type_arguments(&self, env: &Env, call: &RoutineCall) -> Vec<(NodeId, Type)> {
        let Some(routine) = self.resolution.items.routines.get(&call.routine) else { return Vec::new() };
        let own = routine.type_parameters().iter().map(|parameter| parameter.id).zip(&call.type_arguments);
        let owner = self.resolution.items.owners.get(&call.routine);
        let class = owner.and_then(|owner| self.resolution.items.classes.get(owner));
        let class = class.map_or(&[][..], |class| &class.type_parameters[..]);
        let of_class = class.iter().map(|parameter| parameter.id).zip(&call.class_arguments);
        own.chain(of_class).map(|(id, ty)| (id, self.type_in(env, ty))).collect()
    }
}

fn zero() -> Rational {
    Rational::from_integer(0)
}

fn one() -> Rational {
    Rational::from_integer(1)
}

fn is_false(e: &Expression) -> Truth {
    Truth::False(e.span, print_expression(e))
}

/// Adds to what is asked for of a location; more than all of it is false.
fn add(amounts: &mut Amounts, location: Location, factor: Factor, e: &Expression) -> Option<Truth> {
    let entry = amounts.entry(location).or_insert((zero(), false));
    match factor {
        Some(amount) => entry.0 += amount,
        None => entry.1 = true,
    }
    let too_much = entry.0 > one() || (entry.0 == one() && entry.1);
    too_much.then(|| Truth::False(e.span, format!("more than all of {}", print_expression(e))))
}
