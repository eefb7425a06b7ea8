//! Expressions on values as they are, by recursion.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, ToPrimitive, Zero};
use process::{
    Binary, Binder, Builtin, Expression, ExpressionKind, Model, Moment, Quantifier, Type, Unary, Value,
    VariableId,
};

use super::values::{few, integers, rational};

/// How deep expressions and calls may be nested.
const DEPTH: usize = 900;

/// A model and the values of its fields.
pub(super) struct Store<'s> {
    pub(super) model: &'s Model,
    pub(super) start: &'s [Value],
    pub(super) now: &'s [Value],
}

/// The values of variables.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    values: Arc<BTreeMap<VariableId, Value>>,
}

impl Scope {
    pub(super) fn with(&self, variable: VariableId, value: Value) -> Scope {
        let mut values = (*self.values).clone();
        values.insert(variable, value);
        Scope { values: Arc::new(values) }
    }
}

type Evaluated = Result<Value, String>;

/// The value of an expression.
pub(super) fn value(store: &Store<'_>, expression: &Expression, scope: &Scope, depth: usize) -> Evaluated {
    if depth > DEPTH {
        return Err("an expression is too deep".to_string());
    }
    let depth = depth + 1;
    let of = |part: &Expression| value(store, part, scope, depth);
    match expression.kind() {
        ExpressionKind::Literal(literal) => Ok(literal.clone()),
        ExpressionKind::Variable(variable) => {
            scope.values.get(variable).cloned().ok_or_else(|| "a variable without a value".to_string())
        }
        ExpressionKind::Field(field, moment) => {
            let fields = if *moment == Moment::Start { store.start } else { store.now };
            fields.get(field.0 as usize).cloned().ok_or_else(|| "a field without a value".to_string())
        }
        ExpressionKind::Foreign(_) => Err("something that only the language knows".to_string()),
        ExpressionKind::Unary(Unary::Not, a) => Ok(Value::Boolean(!truth(&of(a)?)?)),
        ExpressionKind::Unary(Unary::Negate, a) => Ok(number(-rational(&of(a)?)?, expression.ty())),
        ExpressionKind::Binary(operator, a, b) => match operator {
            Binary::And => Ok(Value::Boolean(truth(&of(a)?)? && truth(&of(b)?)?)),
            Binary::Or => Ok(Value::Boolean(truth(&of(a)?)? || truth(&of(b)?)?)),
            Binary::Implies => Ok(Value::Boolean(!truth(&of(a)?)? || truth(&of(b)?)?)),
            Binary::Equal => Ok(Value::Boolean(same(&of(a)?, &of(b)?))),
            Binary::Unequal => Ok(Value::Boolean(!same(&of(a)?, &of(b)?))),
            _ => arithmetic(*operator, &of(a)?, &of(b)?, expression.ty()),
        },
        ExpressionKind::Conditional(condition, a, b) => {
            if truth(&of(condition)?)? {
                of(a)
            } else {
                of(b)
            }
        }
        ExpressionKind::Let(variable, bound, body) => {
            value(store, body, &scope.with(*variable, of(bound)?), depth)
        }
        ExpressionKind::Call(function, arguments) => {
            let declared = &store.model.functions[function.0 as usize];
            let Some(body) = &declared.body else {
                return Err("a function without a definition".to_string());
            };
            let mut inner = Scope::default();
            for (parameter, argument) in declared.parameters.iter().zip(arguments) {
                inner = inner.with(parameter.variable, of(argument)?);
            }
            value(store, body, &inner, depth)
        }
        ExpressionKind::Builtin(builtin, operands) => {
            if let (Builtin::GetOr, [a, b]) = (builtin, &operands[..]) {
                return match of(a)? {
                    Value::Option(Some(it)) => Ok((*it).clone()),
                    _ => of(b),
                };
            }
            let operands: Vec<Value> = operands.iter().map(of).collect::<Result<_, _>>()?;
            operation(builtin, &operands)
        }
        ExpressionKind::Quantified(quantifier, binders, condition, body) => {
            let mut cases = Vec::new();
            let quantified = Quantified { quantifier: *quantifier, condition, body };
            gather(store, &quantified, binders, scope, depth, &mut cases)?;
            match quantifier {
                Quantifier::All => Ok(Value::Boolean(cases.iter().all(|case| *case == Value::Boolean(true)))),
                Quantifier::Some => Ok(Value::Boolean(cases.contains(&Value::Boolean(true)))),
                Quantifier::Sum => {
                    let mut sum = rational(&Value::Integer(BigInt::zero()))?;
                    for case in &cases {
                        sum += rational(case)?;
                    }
                    Ok(number(sum, expression.ty()))
                }
                Quantifier::SetOf => Ok(Value::Set(Arc::new(cases.into_iter().collect()))),
            }
        }
    }
}

fn truth(value: &Value) -> Result<bool, String> {
    match value {
        Value::Boolean(truth) => Ok(*truth),
        _ => Err("a condition is neither true nor false".to_string()),
    }
}

/// Numbers are equal whatever type they are of.
fn same(a: &Value, b: &Value) -> bool {
    match (rational(a), rational(b)) {
        (Ok(a), Ok(b)) => a == b,
        _ => a == b,
    }
}

fn number(value: num_rational::BigRational, ty: &Type) -> Value {
    if *ty == Type::Rational { Value::Rational(value) } else { Value::Integer(value.to_integer()) }
}

fn arithmetic(operator: Binary, a: &Value, b: &Value, ty: &Type) -> Evaluated {
    let (x, y) = (rational(a)?, rational(b)?);
    Ok(match operator {
        Binary::Less => Value::Boolean(x < y),
        Binary::AtMost => Value::Boolean(x <= y),
        Binary::Add => number(x + y, ty),
        Binary::Subtract => number(x - y, ty),
        Binary::Multiply => number(x * y, ty),
        _ if y.is_zero() => return Err("a division by zero".to_string()),
        Binary::Divide => number(x / y, ty),
        _ => {
            let (x, y) = (x.to_integer(), y.to_integer());
            let remainder = x.mod_floor(&y.abs());
            Value::Integer(match operator {
                Binary::DivideEuclidean => (x - remainder) / y,
                Binary::RemainderEuclidean => remainder,
                _ => x % y,
            })
        }
    })
}

/// What a quantifier or a comprehension is about, but for its variables.
struct Quantified<'e> {
    quantifier: Quantifier,
    condition: &'e Expression,
    body: &'e Expression,
}

/// The bodies for all values of the variables for which the condition is true.
fn gather(
    store: &Store<'_>,
    quantified: &Quantified<'_>,
    binders: &[Binder],
    scope: &Scope,
    depth: usize,
    cases: &mut Vec<Value>,
) -> Result<(), String> {
    let Some((binder, others)) = binders.split_first() else {
        if truth(&value(store, quantified.condition, scope, depth)?)? {
            cases.push(value(store, quantified.body, scope, depth)?);
        }
        return Ok(());
    };
    for candidate in values_of(store, quantified, binder, scope, depth)? {
        let scope = scope.with(binder.variable, candidate);
        gather(store, quantified, others, &scope, depth, cases)?;
    }
    Ok(())
}

/// The values of a bound variable: its range, the values of its type, or what the conditions leave of the integers.
fn values_of(
    store: &Store<'_>,
    quantified: &Quantified<'_>,
    binder: &Binder,
    scope: &Scope,
    depth: usize,
) -> Result<Vec<Value>, String> {
    if let Some((low, high)) = &binder.range {
        return integers(&value(store, low, scope, depth)?, &value(store, high, scope, depth)?);
    }
    let all = few(&binder.ty, store.model);
    if !all.is_empty() {
        return Ok(all);
    }
    let mut found = Limits::default();
    let mut learn = |condition: &Expression, holds: bool| {
        limits(store, binder.variable, condition, holds, scope, depth, &mut found);
    };
    learn(quantified.condition, true);
    match (quantified.quantifier, quantified.body.kind()) {
        (Quantifier::All, ExpressionKind::Binary(Binary::Implies, left, _)) => learn(left, true),
        (Quantifier::All, ExpressionKind::Binary(Binary::Or, left, _)) => learn(left, false),
        (Quantifier::Some, _) => learn(quantified.body, true),
        _ => {}
    }
    match found {
        Limits { members: Some(members), .. } => Ok(members.into_iter().collect()),
        Limits { low: Some(low), high: Some(high), .. } => {
            integers(&Value::Integer(low), &Value::Integer(high + 1))
        }
        _ => Err("nothing bounds the values of a variable".to_string()),
    }
}

#[derive(Default)]
struct Limits {
    low: Option<BigInt>,
    high: Option<BigInt>,
    members: Option<BTreeSet<Value>>,
}

/// What a condition that is true, or false, says about a variable.
fn limits(
    store: &Store<'_>,
    variable: VariableId,
    condition: &Expression,
    holds: bool,
    scope: &Scope,
    depth: usize,
    found: &mut Limits,
) {
    let is_it = |part: &Expression| *part.kind() == ExpressionKind::Variable(variable);
    let known = |part: &Expression| value(store, part, scope, depth).ok();
    let whole = |part: &Expression| match known(part) {
        Some(Value::Integer(it)) => Some(it),
        _ => None,
    };
    match condition.kind() {
        ExpressionKind::Unary(Unary::Not, inner) => {
            limits(store, variable, inner, !holds, scope, depth, found);
        }
        ExpressionKind::Binary(operator, a, b) => match (operator, holds) {
            (Binary::And, true) | (Binary::Or, false) => {
                limits(store, variable, a, holds, scope, depth, found);
                limits(store, variable, b, holds, scope, depth, found);
            }
            (Binary::Less | Binary::AtMost, _) => {
                let strict = (*operator == Binary::Less) == holds;
                let (a, b) = if holds { (a, b) } else { (b, a) };
                let by = BigInt::from(u8::from(strict));
                if is_it(a)
                    && let Some(bound) = whole(b)
                {
                    let bound = bound - by;
                    found.high = Some(found.high.take().map_or(bound.clone(), |old| old.min(bound)));
                } else if is_it(b)
                    && let Some(bound) = whole(a)
                {
                    let bound = bound + by;
                    found.low = Some(found.low.take().map_or(bound.clone(), |old| old.max(bound)));
                }
            }
            (Binary::Equal, true) | (Binary::Unequal, false) => {
                let other = if is_it(a) { b } else { a };
                if (is_it(a) || is_it(b))
                    && let Some(only) = known(other)
                {
                    found.members.get_or_insert_with(|| BTreeSet::from([only]));
                }
            }
            _ => {}
        },
        ExpressionKind::Builtin(Builtin::Contains, operands) if holds => {
            if let [element, collection] = &operands[..]
                && is_it(element)
                && let Some(collection) = known(collection)
            {
                let members: Option<BTreeSet<Value>> = match collection {
                    Value::Sequence(it) => Some(it.iter().cloned().collect()),
                    Value::Set(it) => Some((*it).clone()),
                    Value::Bag(it) => Some(it.keys().cloned().collect()),
                    Value::Map(it) => Some(it.keys().cloned().collect()),
                    _ => None,
                };
                found.members = found.members.take().or(members);
            }
        }
        _ => {}
    }
}

fn operation(builtin: &Builtin, operands: &[Value]) -> Evaluated {
    use Value::{Bag, Boolean, Left, Map, Option as Maybe, Pair, Right, Sequence, Set, Text};
    let undefined = |what: &str| Err(what.to_string());
    let count = |it: usize| Value::Integer(BigInt::from(it));
    let index = |it: &Value, length: usize| -> Result<usize, String> {
        let found = match it {
            Value::Integer(it) => it.to_usize(),
            _ => None,
        };
        found.filter(|it| *it < length).ok_or_else(|| "an index outside of a sequence".to_string())
    };
    let clamp = |it: &Value, length: usize| match it {
        Value::Integer(it) if it.is_negative() => 0,
        Value::Integer(it) => it.to_usize().map_or(length, |it| it.min(length)),
        _ => 0,
    };
    Ok(match (builtin, operands) {
        (Builtin::SequenceOf, all) => Sequence(all.into()),
        (Builtin::SetOf, all) => Set(Arc::new(all.iter().cloned().collect())),
        (Builtin::BagOf, all) => {
            let mut counts = BTreeMap::new();
            all.iter().for_each(|it| *counts.entry(it.clone()).or_insert(0) += 1);
            Bag(Arc::new(counts))
        }
        (Builtin::MapOf, all) => {
            Map(Arc::new(all.chunks_exact(2).map(|it| (it[0].clone(), it[1].clone())).collect()))
        }
        (Builtin::RangeSequence, [low, high]) => Sequence(integers(low, high)?.into()),
        (Builtin::RangeSet, [low, high]) => Set(Arc::new(integers(low, high)?.into_iter().collect())),
        (Builtin::Size, [Sequence(it)]) => count(it.len()),
        (Builtin::Size, [Set(it)]) => count(it.len()),
        (Builtin::Size, [Map(it)]) => count(it.len()),
        (Builtin::Size, [Bag(it)]) => Value::Integer(it.values().map(|it| BigInt::from(*it)).sum()),
        (Builtin::Size, [Text(it)]) => count(it.chars().count()),
        (Builtin::At, [Sequence(it), at]) => it[index(at, it.len())?].clone(),
        (Builtin::At, [Map(it), key]) => match it.get(key) {
            Some(value) => value.clone(),
            None => return undefined("a key that is not in a map"),
        },
        (Builtin::Updated, [Sequence(it), at, new]) => {
            let mut all = it.to_vec();
            let at = index(at, all.len())?;
            all[at] = new.clone();
            Sequence(all.into())
        }
        (Builtin::Updated, [Map(it), key, new]) => {
            let mut all = (**it).clone();
            all.insert(key.clone(), new.clone());
            Map(Arc::new(all))
        }
        (Builtin::Concatenate, [Sequence(a), Sequence(b)]) => {
            Sequence(a.iter().chain(b.iter()).cloned().collect())
        }
        (Builtin::Concatenate, [Text(a), Text(b)]) => Text([&**a, &**b].concat().into()),
        (Builtin::Take, [Sequence(it), n]) => Sequence(it[..clamp(n, it.len())].into()),
        (Builtin::Drop, [Sequence(it), n]) => Sequence(it[clamp(n, it.len())..].into()),
        (Builtin::RemovedAt, [Sequence(it), at]) => {
            let mut all = it.to_vec();
            all.remove(index(at, it.len())?);
            Sequence(all.into())
        }
        (Builtin::Contains, [it, Sequence(all)]) => Boolean(all.contains(it)),
        (Builtin::Contains, [it, Set(all)]) => Boolean(all.contains(it)),
        (Builtin::Contains, [it, Map(all)]) => Boolean(all.contains_key(it)),
        (Builtin::Contains, [it, Bag(all)]) => {
            Value::Integer(BigInt::from(all.get(it).copied().unwrap_or(0)))
        }
        (Builtin::Union, [Set(a), Set(b)]) => Set(Arc::new(a.union(b).cloned().collect())),
        (Builtin::Intersection, [Set(a), Set(b)]) => Set(Arc::new(a.intersection(b).cloned().collect())),
        (Builtin::Difference, [Set(a), Set(b)]) => Set(Arc::new(a.difference(b).cloned().collect())),
        (Builtin::Subset, [Set(a), Set(b)]) => Boolean(a.is_subset(b)),
        (Builtin::ProperSubset, [Set(a), Set(b)]) => Boolean(a.is_subset(b) && a != b),
        (Builtin::Union | Builtin::Intersection | Builtin::Difference, [Bag(a), Bag(b)]) => {
            let mut counts = BTreeMap::new();
            for it in a.keys().chain(b.keys()) {
                let (x, y) = (a.get(it).copied().unwrap_or(0), b.get(it).copied().unwrap_or(0));
                let times = match builtin {
                    Builtin::Union => x.checked_add(y).ok_or("a bag is too large")?,
                    Builtin::Intersection => x.min(y),
                    _ => x.saturating_sub(y),
                };
                if times > 0 {
                    counts.insert(it.clone(), times);
                }
            }
            Bag(Arc::new(counts))
        }
        (Builtin::Subset | Builtin::ProperSubset, [Bag(a), Bag(b)]) => {
            let within = a.iter().all(|(it, count)| b.get(it).is_some_and(|other| count <= other));
            Boolean(within && (*builtin == Builtin::Subset || a != b))
        }
        (Builtin::Union, [Map(a), Map(b)]) => {
            Map(Arc::new(a.iter().chain(b.iter()).map(|(key, it)| (key.clone(), it.clone())).collect()))
        }
        (Builtin::Keys, [Map(it)]) => Set(Arc::new(it.keys().cloned().collect())),
        (Builtin::Values, [Map(it)]) => Set(Arc::new(it.values().cloned().collect())),
        (Builtin::Items, [Map(it)]) => {
            Set(Arc::new(it.iter().map(|(key, it)| Pair(Arc::new((key.clone(), it.clone())))).collect()))
        }
        (Builtin::RemovedKey, [Map(it), key]) => {
            let mut all = (**it).clone();
            all.remove(key);
            Map(Arc::new(all))
        }
        (Builtin::DisjointUnion, [Map(a), Map(b)]) => {
            if a.keys().any(|key| b.contains_key(key)) {
                return undefined("two maps have a key in common");
            }
            Map(Arc::new(a.iter().chain(b.iter()).map(|(key, it)| (key.clone(), it.clone())).collect()))
        }
        (Builtin::Present, [it]) => Maybe(Some(Arc::new(it.clone()))),
        (Builtin::Absent, _) => Maybe(None),
        (Builtin::Get, [Maybe(Some(it))]) => (**it).clone(),
        (Builtin::Get, _) => return undefined("the value of an option that has none"),
        (Builtin::Pair, [a, b]) => Pair(Arc::new((a.clone(), b.clone()))),
        (Builtin::First, [Pair(it)]) => it.0.clone(),
        (Builtin::Second, [Pair(it)]) => it.1.clone(),
        (Builtin::Left, [it]) => Left(Arc::new(it.clone())),
        (Builtin::Right, [it]) => Right(Arc::new(it.clone())),
        (Builtin::IsLeft, [it]) => Boolean(matches!(it, Left(_))),
        (Builtin::GetLeft, [Left(it)]) | (Builtin::GetRight, [Right(it)]) => (**it).clone(),
        (Builtin::Construct(number), all) => Value::Built(*number, all.into()),
        (Builtin::IsBuilt(number), [Value::Built(by, _)]) => Boolean(by == number),
        (Builtin::Argument(number, at), [Value::Built(by, all)]) if by == number => {
            all.get(*at as usize).cloned().ok_or("an argument that is not there")?
        }
        (Builtin::ToRational, [it]) => Value::Rational(rational(it)?),
        _ => return undefined("an operation on operands of other types"),
    })
}
