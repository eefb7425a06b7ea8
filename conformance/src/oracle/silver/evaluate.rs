//! Values of expressions in a state.
//!
//! Every expression is checked while it is evaluated: what is read must be held, divisors are not zero, indices are in
//! range, preconditions of functions hold. Connectives look at their right side only where it matters.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;
use num_traits::Zero;
use silver::typed::{
    BinaryOperator, Expression, ExpressionKind, ExpressionRef, FunctionId, LabelReference, MethodOrigin,
    Resource, UnaryOperator,
};

use super::machine::{MAX_DEPTH, Machine, Run, Scope, State, Stop, fail};
use super::quantify::Quantified;
use super::value::{Amount, Value, none, write};

/// Elements of a sequence, or of a range, beyond which a run is given up.
const MAX_LENGTH: i128 = 200;

impl Machine<'_> {
    pub(super) fn truth(&mut self, scope: &mut Scope, state: &mut State, e: &ExpressionRef) -> Run<bool> {
        match self.evaluate(scope, state, e)? {
            Value::Bool(value) => Ok(value),
            _ => Err(Stop::GivenUp("a formula that is none")),
        }
    }

    pub(super) fn integer(&mut self, scope: &mut Scope, state: &mut State, e: &ExpressionRef) -> Run<i128> {
        match self.evaluate(scope, state, e)? {
            Value::Int(value) => Ok(value),
            _ => Err(Stop::GivenUp("a number that is none")),
        }
    }

    pub(super) fn object(&mut self, scope: &mut Scope, state: &mut State, e: &ExpressionRef) -> Run<u32> {
        match self.evaluate(scope, state, e)? {
            Value::Ref(value) => Ok(value),
            _ => Err(Stop::GivenUp("an object that is none")),
        }
    }

    pub(super) fn all(
        &mut self,
        scope: &mut Scope,
        state: &mut State,
        expressions: &[ExpressionRef],
    ) -> Run<Vec<Value>> {
        expressions.iter().map(|expression| self.evaluate(scope, state, expression)).collect()
    }

    pub(super) fn evaluate(&mut self, scope: &mut Scope, state: &mut State, e: &ExpressionRef) -> Run<Value> {
        self.step()?;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            self.depth -= 1;
            return Err(Stop::GivenUp("too deep"));
        }
        let value = self.evaluate_here(scope, state, e);
        self.depth -= 1;
        value
    }

    fn evaluate_here(&mut self, scope: &mut Scope, state: &mut State, e: &ExpressionRef) -> Run<Value> {
        use ExpressionKind as K;
        Ok(match &e.kind {
            K::Bool(value) => Value::Bool(*value),
            K::Int(digits) => Value::Int(digits.parse().map_err(|_| Stop::GivenUp("a large number"))?),
            K::Null => Value::Ref(0),
            K::FullPermission => Value::Perm(write()),
            K::NoPermission => Value::Perm(none()),
            K::Wildcard | K::Epsilon => return Err(Stop::GivenUp("a wildcard as a value")),
            K::Local(local) => {
                let cell = self.local(scope, *local)?;
                self.value(cell)?
            }
            K::Result => {
                let cell = scope.result.ok_or(Stop::GivenUp("no result"))?;
                self.value(cell)?
            }
            K::Unary(operator, operand) => {
                let operand = self.evaluate(scope, state, operand)?;
                unary(*operator, operand)?
            }
            K::Binary(operator, left, right) => return self.binary(scope, state, e, *operator, left, right),
            K::Conditional { condition, then, otherwise } => {
                let branch = if self.truth(scope, state, condition)? { then } else { otherwise };
                self.evaluate(scope, state, branch)?
            }
            K::FieldAccess { receiver, field } => {
                let object = self.object(scope, state, receiver)?;
                let cell = self.read(state, (object, *field), e)?;
                self.value(cell)?
            }
            K::FunctionApplication { function, arguments } => {
                let arguments = self.all(scope, state, arguments)?;
                self.apply_function(state, *function, arguments, e)?
            }
            K::DomainApplication { function, arguments, .. } => {
                let arguments = self.all(scope, state, arguments)?;
                self.apply_domain_function(*function, arguments, &e.ty, e.span)?
            }
            K::FieldPermission { .. } | K::PredicatePermission(_) | K::Wand(_) | K::ResourceTerm(_) => {
                return Err(Stop::GivenUp("an assertion as a value"));
            }
            K::CurrentPermission(resource) => Value::Perm(self.current(scope, state, resource)?),
            K::Unfolding { access, body } => {
                let mut inner = self.temporary(state);
                self.unfold(scope, &mut inner, access, "unfold.failed")?;
                self.evaluate(scope, &mut inner, body)?
            }
            K::Applying { wand, body } => {
                let mut inner = self.temporary(state);
                self.apply_wand(scope, &mut inner, wand)?;
                self.evaluate(scope, &mut inner, body)?
            }
            K::Asserting { assertion, body } => {
                let mut inner = self.temporary(state);
                self.exhale(scope, &mut inner, assertion, "assert.failed")?;
                self.evaluate(scope, state, body)?
            }
            K::Old(body) => {
                let old = scope.old.clone().ok_or(Stop::GivenUp("no old state"))?;
                self.evaluate(scope, &mut (*old).clone(), body)?
            }
            K::LabelledOld { label, body } => {
                let past = match label {
                    LabelReference::Label(label) => scope.labels.get(label).cloned(),
                    LabelReference::WandLeft => scope.left.clone(),
                };
                let Some(past) = past else { return fail("labelled.state.not.reached", e.span) };
                self.evaluate(scope, &mut (*past).clone(), body)?
            }
            K::Let { variable, value, body } => {
                let bound = self.evaluate(scope, state, value)?;
                scope.locals[variable.index()] = Some(self.cell(bound, &value.ty));
                self.evaluate(scope, state, body)?
            }
            K::Forall { variables, body, .. } => {
                let mut holds = true;
                let complete = self.for_all(
                    scope,
                    state,
                    variables,
                    body,
                    Quantified::Forall,
                    &mut |m, scope, state| {
                        holds = m.truth(scope, state, body)?;
                        Ok(holds)
                    },
                )?;
                self.is_exact &= complete || !holds;
                Value::Bool(holds)
            }
            K::Exists { variables, body, .. } => {
                let mut found = false;
                let complete = self.for_all(
                    scope,
                    state,
                    variables,
                    body,
                    Quantified::Exists,
                    &mut |m, scope, state| {
                        found = m.truth(scope, state, body)?;
                        Ok(!found)
                    },
                )?;
                self.is_exact &= complete || found;
                Value::Bool(found)
            }
            K::ForPerm { variables, resource, body } => {
                return self.for_perm(scope, state, variables, resource, body);
            }
            K::InhaleExhale { .. } => return Err(Stop::GivenUp("an inhale-exhale as a value")),
            K::SeqLiteral(elements) => Value::Seq(self.all(scope, state, elements)?),
            K::SetLiteral(elements) => Value::Set(self.all(scope, state, elements)?.into_iter().collect()),
            K::MultisetLiteral(elements) => {
                let mut counts = BTreeMap::new();
                for element in self.all(scope, state, elements)? {
                    *counts.entry(element).or_insert(0) += 1;
                }
                Value::Multiset(counts)
            }
            K::MapLiteral(entries) => {
                let mut map = BTreeMap::new();
                for entry in entries.iter() {
                    let key = self.evaluate(scope, state, &entry.key)?;
                    map.insert(key, self.evaluate(scope, state, &entry.value)?);
                }
                Value::Map(map)
            }
            K::SeqUpdate { base, index, value } => {
                let Value::Seq(mut elements) = self.evaluate(scope, state, base)? else {
                    return Err(Stop::GivenUp("no sequence"));
                };
                let index = self.integer(scope, state, index)?;
                let value = self.evaluate(scope, state, value)?;
                let index = in_range(index, elements.len(), e)?;
                elements[index] = value;
                Value::Seq(elements)
            }
            K::MapUpdate { base, key, value } => {
                let Value::Map(mut entries) = self.evaluate(scope, state, base)? else {
                    return Err(Stop::GivenUp("no map"));
                };
                let key = self.evaluate(scope, state, key)?;
                entries.insert(key, self.evaluate(scope, state, value)?);
                Value::Map(entries)
            }
        })
    }

    /// The cell of a location that may be read.
    pub(super) fn read(
        &mut self,
        state: &State,
        location: super::heap::Location,
        e: &Expression,
    ) -> Run<super::machine::CellId> {
        if location.0 == 0 {
            return fail("receiver.null", e.span);
        }
        if !state.can_read(location) {
            return fail("insufficient.permission", e.span);
        }
        state.heap.get(&location).copied().ok_or(Stop::GivenUp("a location without a value"))
    }

    /// A copy of the state to look around in; values are those of before an exhale that is under way.
    pub(super) fn temporary(&mut self, state: &State) -> State {
        let mut inner = state.clone();
        inner.mask = match inner.reading.take() {
            Some(reading) => (*reading).clone(),
            None => state.readable(),
        };
        inner.outside = None;
        inner
    }

    fn binary(
        &mut self,
        scope: &mut Scope,
        state: &mut State,
        e: &ExpressionRef,
        operator: BinaryOperator,
        left: &ExpressionRef,
        right: &ExpressionRef,
    ) -> Run<Value> {
        use BinaryOperator as B;
        match operator {
            B::And | B::Or | B::Implies => {
                let left = self.truth(scope, state, left)?;
                let decided = match operator {
                    B::And => (!left).then_some(false),
                    B::Or => left.then_some(true),
                    _ => (!left).then_some(true),
                };
                return match decided {
                    Some(value) => Ok(Value::Bool(value)),
                    None => Ok(Value::Bool(self.truth(scope, state, right)?)),
                };
            }
            _ => {}
        }
        let left = self.evaluate(scope, state, left)?;
        let right = self.evaluate(scope, state, right)?;
        apply_binary(operator, left, right, e)
    }

    pub(super) fn current(
        &mut self,
        scope: &mut Scope,
        state: &mut State,
        resource: &Resource,
    ) -> Run<Amount> {
        Ok(match resource {
            Resource::Field { receiver, field, .. } => {
                let object = self.object(scope, state, receiver)?;
                state.mask.of_field((object, *field))
            }
            Resource::Predicate { predicate, arguments, .. } => {
                let key = (*predicate, self.all(scope, state, arguments)?);
                state.mask.of_instance(&key)
            }
            Resource::Wand(wand) => {
                let key = self.wand_key(scope, state, wand)?;
                let count = state.mask.wands.iter().filter(|chunk| chunk.key == key).count();
                Amount::from_integer(BigInt::from(count))
            }
        })
    }

    fn for_perm(
        &mut self,
        scope: &mut Scope,
        state: &mut State,
        variables: &[silver::typed::LocalId],
        resource: &Resource,
        body: &ExpressionRef,
    ) -> Run<Value> {
        let is_variable = |expression: &ExpressionRef| match &expression.kind {
            ExpressionKind::Local(local) => variables.contains(local).then_some(*local),
            _ => None,
        };
        let mut matches: Vec<Vec<(silver::typed::LocalId, Value, silver::typed::Type)>> = Vec::new();
        match resource {
            Resource::Field { receiver, field, .. } => {
                let Some(variable) = is_variable(receiver) else {
                    return Err(Stop::GivenUp("forperm over a receiver"));
                };
                for (object, held) in state.mask.fields.keys() {
                    if held == field {
                        matches.push(vec![(variable, Value::Ref(*object), receiver.ty.clone())]);
                    }
                }
            }
            Resource::Predicate { predicate, arguments, .. } => {
                for (held, values) in state.mask.instances.keys() {
                    if held != predicate {
                        continue;
                    }
                    let mut binding = Vec::new();
                    for (argument, value) in arguments.iter().zip(values) {
                        let Some(variable) = is_variable(argument) else {
                            return Err(Stop::GivenUp("forperm over arguments"));
                        };
                        binding.push((variable, value.clone(), argument.ty.clone()));
                    }
                    matches.push(binding);
                }
            }
            Resource::Wand(_) => return Err(Stop::GivenUp("forperm over wands")),
        }
        for binding in matches {
            for (variable, value, ty) in binding {
                scope.locals[variable.index()] = Some(self.cell(value, &ty));
            }
            if !self.truth(scope, state, body)? {
                return Ok(Value::Bool(false));
            }
        }
        Ok(Value::Bool(true))
    }

    /// Checks the precondition and gives the value: of the body, or some value that is always the same for the same
    /// arguments and footprint.
    fn apply_function(
        &mut self,
        state: &mut State,
        function: FunctionId,
        arguments: Vec<Value>,
        e: &Expression,
    ) -> Run<Value> {
        let program = self.program;
        let declared = program.function(function);
        let call = (function, arguments.clone());
        if self.calls.contains(&call) && self.calls.iter().filter(|other| **other == call).count() > 3 {
            // The same call inside of itself may be about another state only if something is unfolded in between.
            let is_proved = program.methods.iter().any(
                |method| matches!(method.origin, MethodOrigin::TerminationProof(proved) if proved == function),
            );
            let same = self.calls.iter().filter(|other| **other == call).count();
            if is_proved && same > 8 {
                return fail("termination.failed", e.span);
            }
        }
        let mut scope = Scope::new(declared.locals.len());
        scope.is_function = true;
        for (formal, argument) in declared.formals.iter().zip(&arguments) {
            let cell = self.cell(argument.clone(), &declared.locals[formal.index()].ty);
            scope.locals[formal.index()] = Some(cell);
        }
        let mut inner = self.temporary(state);
        let mut footprint = Vec::new();
        for precondition in &declared.preconditions {
            match self.need(&mut scope, &mut inner, precondition, &mut footprint) {
                Err(Stop::Failed { .. }) => return fail("application.precondition", e.span),
                other => other?,
            }
        }
        match &declared.body {
            Some(body) => {
                self.calls.push(call);
                let value = self.evaluate(&mut scope, &mut inner, body);
                self.calls.pop();
                value
            }
            None => {
                let mut key = arguments;
                key.extend(footprint);
                if let Some(value) = self.abstracts.get(&(function, key.clone())) {
                    return Ok(value.clone());
                }
                let cell = self.open(&declared.result);
                scope.result = Some(cell);
                for postcondition in &declared.postconditions {
                    self.assume(&mut scope, &mut inner, postcondition)?;
                }
                let value = self.value(cell)?;
                self.abstracts.insert((function, key), value.clone());
                Ok(value)
            }
        }
    }
}

fn in_range(index: i128, length: usize, e: &Expression) -> Run<usize> {
    if index < 0 {
        return fail("seq.index.negative", e.span);
    }
    match usize::try_from(index) {
        Ok(index) if index < length => Ok(index),
        _ => fail("seq.index.length", e.span),
    }
}

fn unary(operator: UnaryOperator, operand: Value) -> Run<Value> {
    use UnaryOperator as U;
    Ok(match (operator, operand) {
        (U::Not, Value::Bool(value)) => Value::Bool(!value),
        (U::IntNegate, Value::Int(value)) => Value::Int(-value),
        (U::PermNegate, Value::Perm(value)) => Value::Perm(-value),
        (U::SeqLength, Value::Seq(elements)) => Value::Int(elements.len() as i128),
        (U::SetCardinality, Value::Set(elements)) => Value::Int(elements.len() as i128),
        (U::MultisetCardinality, Value::Multiset(elements)) => Value::Int(elements.values().sum()),
        (U::MapCardinality, Value::Map(entries)) => Value::Int(entries.len() as i128),
        (U::MapDomain, Value::Map(entries)) => Value::Set(entries.into_keys().collect()),
        (U::MapRange, Value::Map(entries)) => Value::Set(entries.into_values().collect()),
        _ => return Err(Stop::GivenUp("an operator on the wrong type")),
    })
}

fn apply_binary(operator: BinaryOperator, left: Value, right: Value, e: &Expression) -> Run<Value> {
    use BinaryOperator as B;
    let large = || Stop::GivenUp("a large number");
    Ok(match (operator, left, right) {
        (B::Equal, left, right) => Value::Bool(left == right),
        (B::NotEqual, left, right) => Value::Bool(left != right),
        (B::IntAdd, Value::Int(a), Value::Int(b)) => Value::Int(a.checked_add(b).ok_or_else(large)?),
        (B::IntSubtract, Value::Int(a), Value::Int(b)) => Value::Int(a.checked_sub(b).ok_or_else(large)?),
        (B::IntMultiply, Value::Int(a), Value::Int(b)) => Value::Int(a.checked_mul(b).ok_or_else(large)?),
        (B::IntDivide | B::IntModulo, Value::Int(_), Value::Int(0)) => {
            return fail("division.by.zero", e.span);
        }
        (B::IntDivide, Value::Int(a), Value::Int(b)) => Value::Int(a.div_euclid(b)),
        (B::IntModulo, Value::Int(a), Value::Int(b)) => Value::Int(a.rem_euclid(b)),
        (B::IntLess, Value::Int(a), Value::Int(b)) => Value::Bool(a < b),
        (B::IntLessEqual, Value::Int(a), Value::Int(b)) => Value::Bool(a <= b),
        (B::IntGreater, Value::Int(a), Value::Int(b)) => Value::Bool(a > b),
        (B::IntGreaterEqual, Value::Int(a), Value::Int(b)) => Value::Bool(a >= b),
        (B::PermAdd, Value::Perm(a), Value::Perm(b)) => Value::Perm(a + b),
        (B::PermSubtract, Value::Perm(a), Value::Perm(b)) => Value::Perm(a - b),
        (B::PermMultiply, Value::Perm(a), Value::Perm(b)) => Value::Perm(a * b),
        (B::IntPermMultiply, Value::Int(a), Value::Perm(b)) => {
            Value::Perm(Amount::from_integer(BigInt::from(a)) * b)
        }
        (B::PermIntDivide, Value::Perm(_), Value::Int(0)) => return fail("division.by.zero", e.span),
        (B::PermIntDivide, Value::Perm(a), Value::Int(b)) => {
            Value::Perm(a / Amount::from_integer(BigInt::from(b)))
        }
        (B::PermPermDivide, Value::Perm(_), Value::Perm(b)) if b.is_zero() => {
            return fail("division.by.zero", e.span);
        }
        (B::PermPermDivide, Value::Perm(a), Value::Perm(b)) => Value::Perm(a / b),
        (B::Fraction, Value::Int(_), Value::Int(0)) => return fail("division.by.zero", e.span),
        (B::Fraction, Value::Int(a), Value::Int(b)) => {
            Value::Perm(Amount::new(BigInt::from(a), BigInt::from(b)))
        }
        (B::PermLess, Value::Perm(a), Value::Perm(b)) => Value::Bool(a < b),
        (B::PermLessEqual, Value::Perm(a), Value::Perm(b)) => Value::Bool(a <= b),
        (B::PermGreater, Value::Perm(a), Value::Perm(b)) => Value::Bool(a > b),
        (B::PermGreaterEqual, Value::Perm(a), Value::Perm(b)) => Value::Bool(a >= b),
        (B::SeqRange, Value::Int(low), Value::Int(high)) => {
            if high.saturating_sub(low) > MAX_LENGTH {
                return Err(Stop::GivenUp("a long sequence"));
            }
            Value::Seq((low..high).map(Value::Int).collect())
        }
        (B::SeqAppend, Value::Seq(mut a), Value::Seq(b)) => {
            a.extend(b);
            if a.len() as i128 > MAX_LENGTH {
                return Err(Stop::GivenUp("a long sequence"));
            }
            Value::Seq(a)
        }
        (B::SeqContains, element, Value::Seq(elements)) => Value::Bool(elements.contains(&element)),
        (B::SeqIndex, Value::Seq(elements), Value::Int(index)) => {
            elements[in_range(index, elements.len(), e)?].clone()
        }
        (B::SeqTake, Value::Seq(mut elements), Value::Int(count)) => {
            elements.truncate(clamp(count, elements.len()));
            Value::Seq(elements)
        }
        (B::SeqDrop, Value::Seq(mut elements), Value::Int(count)) => {
            Value::Seq(elements.split_off(clamp(count, elements.len())))
        }
        (B::SetUnion, Value::Set(a), Value::Set(b)) => Value::Set(&a | &b),
        (B::SetIntersection, Value::Set(a), Value::Set(b)) => Value::Set(&a & &b),
        (B::SetDifference, Value::Set(a), Value::Set(b)) => Value::Set(&a - &b),
        (B::SetSubset, Value::Set(a), Value::Set(b)) => Value::Bool(a.is_subset(&b)),
        (B::SetContains, element, Value::Set(elements)) => Value::Bool(elements.contains(&element)),
        (
            B::MultisetUnion | B::MultisetIntersection | B::MultisetDifference,
            Value::Multiset(a),
            Value::Multiset(b),
        ) => {
            let elements: BTreeSet<&Value> = a.keys().chain(b.keys()).collect();
            let mut counts = BTreeMap::new();
            for element in elements {
                let (a, b) = (a.get(element).copied().unwrap_or(0), b.get(element).copied().unwrap_or(0));
                let count = match operator {
                    B::MultisetUnion => a + b,
                    B::MultisetIntersection => a.min(b),
                    _ => a - b,
                };
                if count > 0 {
                    counts.insert(element.clone(), count);
                }
            }
            Value::Multiset(counts)
        }
        (B::MultisetSubset, Value::Multiset(a), Value::Multiset(b)) => {
            Value::Bool(a.iter().all(|(element, count)| b.get(element).is_some_and(|other| other >= count)))
        }
        (B::MultisetCount, element, Value::Multiset(elements)) => {
            Value::Int(elements.get(&element).copied().unwrap_or(0))
        }
        (B::MapLookup, Value::Map(entries), key) => match entries.get(&key) {
            Some(value) => value.clone(),
            None => return fail("map.key.contains", e.span),
        },
        (B::MapContains, key, Value::Map(entries)) => Value::Bool(entries.contains_key(&key)),
        _ => return Err(Stop::GivenUp("an operator on the wrong types")),
    })
}

fn clamp(count: i128, length: usize) -> usize {
    usize::try_from(count.max(0)).unwrap_or(length).min(length)
}
