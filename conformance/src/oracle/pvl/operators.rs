//! Operators, members and functions on values.

use std::collections::{BTreeMap, BTreeSet};

use pvl::resolve::{Member, Operation, Type};
use pvl::syntax::tree::{BinaryOperator, Builtin, UnaryOperator};

use super::stop::{Result, Stop};
use super::value::{Rational, Value, convert};

fn large<T>(value: Option<T>) -> Result<T> {
    value.ok_or_else(|| Stop::unknown("a large number"))
}

pub(super) fn unary(operator: UnaryOperator, value: Value) -> Result<Value> {
    match (operator, value) {
        (UnaryOperator::Not, value) => Ok(Value::Bool(!value.truth()?)),
        (UnaryOperator::Negate, Value::Int(it)) => Ok(Value::Int(large(it.checked_neg())?)),
        (UnaryOperator::Negate, Value::Rational(it)) => Ok(Value::Rational(-it)),
        (UnaryOperator::Negate, Value::Seq(it)) => {
            Ok(Value::Seq(it.into_iter().map(|it| unary(operator, it)).collect::<Result<_>>()?))
        }
        _ => Err(Stop::unknown("an operand")),
    }
}

/// Any binary operator but the logical ones.
pub(super) fn binary(operator: BinaryOperator, operation: &Operation, a: Value, b: Value) -> Result<Value> {
    use BinaryOperator as B;
    Ok(match operation {
        Operation::Equality(ty) => {
            let (a, b) = match ty {
                Type::Any => (a, b),
                ty => (convert(a, ty)?, convert(b, ty)?),
            };
            Value::Bool((a == b) == (operator == B::Equal))
        }
        Operation::Numbers(ty) => return numbers(operator, ty, a, b),
        Operation::Concatenation(_) => match (a, b) {
            (Value::Text(a), Value::Text(b)) => Value::Text([a, b].concat()),
            (a, b) => Value::Seq([a.seq()?, b.seq()?].concat()),
        },
        Operation::Collections(_) => return collections(operator, a, b),
        Operation::Member => Value::Bool(match b {
            Value::Set(set) => set.contains(&a),
            other => other.seq()?.contains(&a),
        }),
        Operation::MapKey => Value::Bool(b.map()?.contains_key(&a)),
        Operation::BagCount => Value::Int(b.bag()?.get(&a).copied().unwrap_or(0)),
        Operation::Prepend => Value::Seq([vec![a], b.seq()?].concat()),
        Operation::Append => Value::Seq([a.seq()?, vec![b]].concat()),
        Operation::Pointers => match (a, b) {
            (Value::Pointer(mut pointer), offset) => {
                let offset = offset.int()?;
                pointer.offset += if operator == B::Subtract { -offset } else { offset };
                Value::Pointer(pointer)
            }
            (Value::Null, _) => return Err(Stop::fail("ptrNull")),
            _ => return Err(Stop::unknown("a pointer")),
        },
        Operation::Vectors(ty) => {
            let element = match ty {
                Type::Vector(element, _) => (**element).clone(),
                other => other.clone(),
            };
            let (a, b) = (a.seq()?, b.seq()?);
            if a.len() != b.len() {
                return Err(Stop::unknown("vectors of different lengths"));
            }
            let pairs = a.into_iter().zip(b);
            Value::Seq(pairs.map(|(a, b)| numbers(operator, &element, a, b)).collect::<Result<_>>()?)
        }
        _ => return Err(Stop::unknown("an operator")),
    })
}

fn numbers(operator: BinaryOperator, ty: &Type, a: Value, b: Value) -> Result<Value> {
    use BinaryOperator as B;
    if operator == B::Power {
        return power(a, b);
    }
    if operator == B::FractionDivide {
        let (a, b) = (a.rational()?, b.rational()?);
        if b == Rational::from_integer(0) {
            return Err(Stop::fail("divByZero"));
        }
        return Ok(Value::Rational(a / b));
    }
    if *ty == Type::Int {
        let (a, b) = (a.int()?, b.int()?);
        return Ok(match operator {
            B::Add => Value::Int(large(a.checked_add(b))?),
            B::Subtract => Value::Int(large(a.checked_sub(b))?),
            B::Multiply => Value::Int(large(a.checked_mul(b))?),
            B::Divide | B::Modulo if b == 0 => return Err(Stop::fail("divByZero")),
            B::Divide => Value::Int(a.div_euclid(b)),
            B::Modulo => Value::Int(a.rem_euclid(b)),
            B::Less => Value::Bool(a < b),
            B::LessEqual => Value::Bool(a <= b),
            B::Greater => Value::Bool(a > b),
            B::GreaterEqual => Value::Bool(a >= b),
            _ => return Err(Stop::unknown("an operator on integers")),
        });
    }
    if let (Value::Char(a), Value::Char(b)) = (&a, &b) {
        return Ok(Value::Bool(match operator {
            B::Less => a < b,
            B::LessEqual => a <= b,
            B::Greater => a > b,
            B::GreaterEqual => a >= b,
            _ => return Err(Stop::unknown("an operator on characters")),
        }));
    }
    let (a, b) = (a.rational()?, b.rational()?);
    Ok(match operator {
        B::Add => Value::Rational(a + b),
        B::Subtract => Value::Rational(a - b),
        B::Multiply => Value::Rational(a * b),
        B::Divide if b == Rational::from_integer(0) => return Err(Stop::fail("divByZero")),
        B::Divide => Value::Rational(a / b),
        B::Less => Value::Bool(a < b),
        B::LessEqual => Value::Bool(a <= b),
        B::Greater => Value::Bool(a > b),
        B::GreaterEqual => Value::Bool(a >= b),
        _ => return Err(Stop::unknown("an operator on numbers")),
    })
}

fn power(base: Value, exponent: Value) -> Result<Value> {
    let exponent = exponent.int()?;
    if exponent < 0 {
        return Err(Stop::fail("negativeExponent"));
    }
    let exponent = u32::try_from(exponent).ok().filter(|it| *it < 64);
    let exponent = large(exponent)?;
    match base {
        Value::Int(base) => Ok(Value::Int(large(base.checked_pow(exponent))?)),
        _ => Err(Stop::unknown("a power")),
    }
}

fn collections(operator: BinaryOperator, a: Value, b: Value) -> Result<Value> {
    use BinaryOperator as B;
    match (a, b) {
        (Value::Set(a), Value::Set(b)) => Ok(match operator {
            B::Add => Value::Set(a.union(&b).cloned().collect()),
            B::Subtract => Value::Set(a.difference(&b).cloned().collect()),
            B::Multiply => Value::Set(a.intersection(&b).cloned().collect()),
            B::LessEqual => Value::Bool(a.is_subset(&b)),
            B::Less => Value::Bool(a.is_subset(&b) && a != b),
            B::GreaterEqual => Value::Bool(b.is_subset(&a)),
            B::Greater => Value::Bool(b.is_subset(&a) && a != b),
            _ => return Err(Stop::unknown("an operator on sets")),
        }),
        (Value::Bag(a), Value::Bag(b)) => {
            let within = |a: &BTreeMap<Value, i128>, b: &BTreeMap<Value, i128>| {
                a.iter().all(|(key, count)| b.get(key).is_some_and(|other| count <= other))
            };
            Ok(match operator {
                B::Add => bags(&a, &b, |a, b| a + b),
                B::Subtract => bags(&a, &b, |a, b| a - b),
                B::Multiply => bags(&a, &b, i128::min),
                B::LessEqual => Value::Bool(within(&a, &b)),
                B::Less => Value::Bool(within(&a, &b) && a != b),
                B::GreaterEqual => Value::Bool(within(&b, &a)),
                B::Greater => Value::Bool(within(&b, &a) && a != b),
                _ => return Err(Stop::unknown("an operator on bags")),
            })
        }
        _ => Err(Stop::unknown("an operator on collections")),
    }
}

fn bags(a: &BTreeMap<Value, i128>, b: &BTreeMap<Value, i128>, f: fn(i128, i128) -> i128) -> Value {
    let keys: BTreeSet<&Value> = a.keys().chain(b.keys()).collect();
    let count = |bag: &BTreeMap<Value, i128>, key: &Value| bag.get(key).copied().unwrap_or(0);
    let counts = keys.into_iter().map(|key| (key.clone(), f(count(a, key), count(b, key))));
    Value::Bag(counts.filter(|(_, count)| *count > 0).collect())
}

pub(super) fn element(elements: &[Value], index: i128) -> Result<Value> {
    match usize::try_from(index) {
        Err(_) => Err(Stop::fail("indexNegative")),
        Ok(index) => elements.get(index).cloned().ok_or_else(|| Stop::fail("indexExceedsLength")),
    }
}

/// From `low` on and below `high`, as far as there are such elements.
pub(super) fn slice(elements: &[Value], low: i128, high: i128) -> Vec<Value> {
    let length = elements.len() as i128;
    let (low, high) = (low.clamp(0, length), high.clamp(0, length));
    if low >= high { Vec::new() } else { elements[low as usize..high as usize].to_vec() }
}

pub(super) fn update(base: Value, index: Value, value: Value) -> Result<Value> {
    match base {
        Value::Map(mut map) => {
            map.insert(index, value);
            Ok(Value::Map(map))
        }
        base => {
            let mut elements = base.seq()?;
            element(&elements, index.int()?)?;
            elements[index.int()? as usize] = value;
            Ok(Value::Seq(elements))
        }
    }
}

pub(super) fn size(value: &Value) -> Result<Value> {
    Ok(Value::Int(match value {
        Value::Seq(it) => it.len() as i128,
        Value::Text(it) => it.len() as i128,
        Value::Set(it) => it.len() as i128,
        Value::Map(it) => it.len() as i128,
        Value::Bag(it) => it.values().sum(),
        _ => return Err(Stop::unknown("a size")),
    }))
}

pub(super) fn member(member: Member, value: Value, rest: Vec<Value>) -> Result<Value> {
    use BinaryOperator as B;
    use Member as M;
    let mut rest = rest.into_iter();
    let mut next = || rest.next().ok_or_else(|| Stop::unknown("an argument"));
    Ok(match member {
        M::Size => size(&value)?,
        M::IsEmpty => Value::Bool(size(&value)? == Value::Int(0)),
        M::SeqHead => element(&value.seq()?, 0)?,
        M::SeqTail => {
            let elements = value.seq()?;
            if elements.is_empty() {
                return Err(Stop::unknown("the tail of nothing"));
            }
            Value::Seq(elements[1..].to_vec())
        }
        M::SeqRemoveAt => {
            let mut elements = value.seq()?;
            let index = next()?.int()?;
            element(&elements, index)?;
            elements.remove(index as usize);
            Value::Seq(elements)
        }
        M::SeqConcat => Value::Seq([value.seq()?, next()?.seq()?].concat()),
        M::SeqPrepend => Value::Seq([vec![next()?], value.seq()?].concat()),
        M::SeqDrop => Value::Seq(slice(&value.seq()?, next()?.int()?, i128::MAX)),
        M::SeqTake => Value::Seq(slice(&value.seq()?, 0, next()?.int()?)),
        M::SeqSlice => Value::Seq(slice(&value.seq()?, next()?.int()?, next()?.int()?)),
        M::SeqUpdate => update(value, next()?, next()?)?,
        M::SeqContains => Value::Bool(value.seq()?.contains(&next()?)),
        M::SetIntersect | M::BagIntersect => collections(B::Multiply, value, next()?)?,
        M::SetUnion | M::BagSum => collections(B::Add, value, next()?)?,
        M::SetDifference | M::BagDifference => collections(B::Subtract, value, next()?)?,
        M::SetContains => Value::Bool(value.set()?.contains(&next()?)),
        M::SetSubset | M::BagSubset => collections(B::LessEqual, value, next()?)?,
        M::SetStrictSubset | M::BagStrictSubset => collections(B::Less, value, next()?)?,
        M::BagCount => Value::Int(value.bag()?.get(&next()?).copied().unwrap_or(0)),
        M::MapKeys => Value::Set(value.map()?.into_keys().collect()),
        M::MapValues => Value::Set(value.map()?.into_values().collect()),
        M::MapItems => Value::Set(value.map()?.into_iter().map(|it| Value::Tuple(Box::new(it))).collect()),
        M::MapAdd => {
            let mut map = value.map()?;
            map.insert(next()?, next()?);
            Value::Map(map)
        }
        M::MapRemove => {
            let mut map = value.map()?;
            map.remove(&next()?);
            Value::Map(map)
        }
        M::MapGet => value.map()?.get(&next()?).cloned().ok_or_else(|| Stop::fail("mapKey"))?,
        M::MapEquals => Value::Bool(value == next()?),
        M::MapDisjoint => {
            let other = next()?.map()?;
            Value::Bool(value.map()?.keys().all(|key| !other.contains_key(key)))
        }
        M::OptionGet => match value {
            Value::Option(Some(it)) => *it,
            Value::Option(None) => return Err(Stop::fail("optNone")),
            _ => return Err(Stop::unknown("an option")),
        },
        M::OptionGetOrElse => match value {
            Value::Option(Some(it)) => *it,
            _ => next()?,
        },
        M::OptionIsEmpty => Value::Bool(value == Value::Option(None)),
        M::TupleFirst | M::TupleSecond => match value {
            Value::Tuple(it) => {
                if member == M::TupleFirst {
                    it.0
                } else {
                    it.1
                }
            }
            _ => return Err(Stop::unknown("a tuple")),
        },
        M::EitherIsLeft => Value::Bool(matches!(value, Value::Left(_))),
        M::EitherIsRight => Value::Bool(matches!(value, Value::Right(_))),
        M::EitherLeft => match value {
            Value::Left(it) => *it,
            _ => return Err(Stop::fail("left")),
        },
        M::EitherRight => match value {
            Value::Right(it) => *it,
            _ => return Err(Stop::fail("right")),
        },
        M::ToFloat32 | M::ToFloat64 => value,
        M::ArrayLength => return Err(Stop::unknown("a length")),
    })
}

/// Functions that need no heap.
pub(super) fn builtin(builtin: Builtin, values: Vec<Value>) -> Result<Value> {
    let numbers = || values.iter().map(Value::int).collect::<Result<Vec<i128>>>();
    match builtin {
        Builtin::EuclideanDiv | Builtin::EuclideanMod => match numbers()?[..] {
            [_, 0] => Err(Stop::fail("divByZero")),
            [a, b] if builtin == Builtin::EuclideanDiv => Ok(Value::Int(a.div_euclid(b))),
            [a, b] => Ok(Value::Int(a.rem_euclid(b))),
            _ => Err(Stop::unknown("arguments")),
        },
        Builtin::Pow => match &values[..] {
            [a, b] => power(a.clone(), b.clone()),
            _ => Err(Stop::unknown("arguments")),
        },
        Builtin::IsInt => Ok(Value::Bool(values[0].rational()?.is_integer())),
        Builtin::Some => Ok(Value::Option(values.into_iter().next().map(Box::new))),
        Builtin::Left => Ok(Value::Left(Box::new(values.into_iter().next().unwrap_or(Value::Void)))),
        Builtin::Right => Ok(Value::Right(Box::new(values.into_iter().next().unwrap_or(Value::Void)))),
        Builtin::VectorSum => match &values[..] {
            [Value::Seq(indices), Value::Seq(elements)] => {
                let mut sum = Rational::from_integer(0);
                let mut whole = true;
                for index in indices {
                    let value = element(elements, index.int()?)?;
                    whole = whole && matches!(value, Value::Int(_));
                    sum += value.rational()?;
                }
                whole = whole && elements.iter().all(|it| matches!(it, Value::Int(_)));
                Ok(if whole { Value::Int(sum.to_integer()) } else { Value::Rational(sum) })
            }
            _ => Err(Stop::unknown("a sum")),
        },
        Builtin::VectorCompare => match &values[..] {
            [Value::Seq(a), Value::Seq(b)] if a.len() == b.len() => {
                Ok(Value::Seq(a.iter().zip(b).map(|(a, b)| Value::Int(i128::from(a == b))).collect()))
            }
            _ => Err(Stop::unknown("a comparison")),
        },
        Builtin::NdLength => {
            Ok(Value::Int(large(numbers()?.into_iter().try_fold(1i128, i128::checked_mul))?))
        }
        Builtin::NdIndex => {
            let mut position = 0i128;
            for pair in numbers()?.chunks(2) {
                let [index, length] = pair else { return Err(Stop::unknown("arguments")) };
                position = large(position.checked_mul(*length).and_then(|it| it.checked_add(*index)))?;
            }
            Ok(Value::Int(position))
        }
        _ => Err(Stop::unknown("a function")),
    }
}
