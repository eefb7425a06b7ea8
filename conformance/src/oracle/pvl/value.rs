//! The values of a running PVL program. All of them are finite and compared by what they are.

use std::collections::{BTreeMap, BTreeSet};

use num_rational::Ratio;
use pvl::resolve::{Resolution, Type};
use pvl::syntax::tree::NodeId;

use super::stop::{Result, Stop};

pub(super) type Rational = Ratio<i128>;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Value {
    Null,
    Bool(bool),
    Int(i128),
    Rational(Rational),
    Char(char),
    Text(Vec<char>),
    Object(usize),
    Array(usize),
    Pointer(Pointer),
    Seq(Vec<Value>),
    Set(BTreeSet<Value>),
    /// No element occurs zero times.
    Bag(BTreeMap<Value, i128>),
    Map(BTreeMap<Value, Value>),
    Option(Option<Box<Value>>),
    Tuple(Box<(Value, Value)>),
    Left(Box<Value>),
    Right(Box<Value>),
    Enum(NodeId),
    Void,
}

/// A place in a run of `length` slots that starts at `base`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Pointer {
    pub(super) block: usize,
    pub(super) base: usize,
    pub(super) length: usize,
    pub(super) offset: i128,
}

impl Value {
    pub(super) fn truth(&self) -> Result<bool> {
        match self {
            Value::Bool(it) => Ok(*it),
            _ => Err(Stop::unknown("a truth value")),
        }
    }

    pub(super) fn int(&self) -> Result<i128> {
        match self {
            Value::Int(it) => Ok(*it),
            Value::Rational(it) if it.is_integer() => Ok(it.to_integer()),
            _ => Err(Stop::unknown("an integer")),
        }
    }

    pub(super) fn rational(&self) -> Result<Rational> {
        match self {
            Value::Int(it) => Ok(Rational::from_integer(*it)),
            Value::Rational(it) => Ok(*it),
            _ => Err(Stop::unknown("a number")),
        }
    }

    pub(super) fn seq(self) -> Result<Vec<Value>> {
        match self {
            Value::Seq(it) => Ok(it),
            Value::Text(it) => Ok(it.into_iter().map(Value::Char).collect()),
            _ => Err(Stop::unknown("a sequence")),
        }
    }

    pub(super) fn bag(self) -> Result<BTreeMap<Value, i128>> {
        match self {
            Value::Bag(it) => Ok(it),
            _ => Err(Stop::unknown("a bag")),
        }
    }

    pub(super) fn set(self) -> Result<BTreeSet<Value>> {
        match self {
            Value::Set(it) => Ok(it),
            _ => Err(Stop::unknown("a set")),
        }
    }

    pub(super) fn map(self) -> Result<BTreeMap<Value, Value>> {
        match self {
            Value::Map(it) => Ok(it),
            _ => Err(Stop::unknown("a map")),
        }
    }
}

/// The value as one of another type; the error is the code of the check that fails.
pub(super) fn convert(value: Value, ty: &Type) -> Result<Value> {
    Ok(match (ty, value) {
        (Type::Rational | Type::Float32 | Type::Float64, Value::Int(it)) => {
            Value::Rational(Rational::from_integer(it))
        }
        (Type::Fraction | Type::ZeroFraction, it) => {
            let number = it.rational()?;
            let (zero, one) = (Rational::from_integer(0), Rational::from_integer(1));
            let low = if *ty == Type::Fraction { number > zero } else { number >= zero };
            if !low || number > one {
                return Err(Stop::fail("ratFrac"));
            }
            Value::Rational(number)
        }
        (Type::Seq(element), Value::Seq(it)) => Value::Seq(all(it, element)?),
        (Type::Vector(element, _), Value::Seq(it)) => Value::Seq(all(it, element)?),
        (Type::Set(element), Value::Set(it)) => {
            Value::Set(it.into_iter().map(|it| convert(it, element)).collect::<Result<_>>()?)
        }
        (Type::Bag(element), Value::Bag(it)) => {
            let mut bag = BTreeMap::new();
            for (key, count) in it {
                *bag.entry(convert(key, element)?).or_insert(0) += count;
            }
            Value::Bag(bag)
        }
        (Type::Map(key, value), Value::Map(it)) => {
            let mut map = BTreeMap::new();
            for (k, v) in it {
                map.insert(convert(k, key)?, convert(v, value)?);
            }
            Value::Map(map)
        }
        (Type::Option(element), Value::Option(Some(it))) => {
            Value::Option(Some(Box::new(convert(*it, element)?)))
        }
        (Type::Tuple(a, b), Value::Tuple(it)) => {
            Value::Tuple(Box::new((convert(it.0, a)?, convert(it.1, b)?)))
        }
        (Type::Either(a, _), Value::Left(it)) => Value::Left(Box::new(convert(*it, a)?)),
        (Type::Either(_, b), Value::Right(it)) => Value::Right(Box::new(convert(*it, b)?)),
        (Type::Resource | Type::ResourceValue, Value::Bool(it)) => Value::Bool(it),
        (Type::ResourceValue, _) => return Err(Stop::unknown("an assertion as a value")),
        (_, it) => it,
    })
}

fn all(values: Vec<Value>, element: &Type) -> Result<Vec<Value>> {
    values.into_iter().map(|it| convert(it, element)).collect()
}

/// What an array's elements are at first.
pub(super) fn default_of(ty: &Type) -> Result<Value> {
    Ok(match ty {
        Type::Int => Value::Int(0),
        Type::Boolean => Value::Bool(false),
        Type::Rational | Type::Float32 | Type::Float64 | Type::ZeroFraction => {
            Value::Rational(Rational::from_integer(0))
        }
        Type::Fraction => Value::Rational(Rational::from_integer(1)),
        Type::Char => Value::Char('\0'),
        Type::String => Value::Text(Vec::new()),
        Type::Seq(_) => Value::Seq(Vec::new()),
        Type::Set(_) => Value::Set(BTreeSet::new()),
        Type::Bag(_) => Value::Bag(BTreeMap::new()),
        Type::Map(..) => Value::Map(BTreeMap::new()),
        Type::Option(_) => Value::Option(None),
        Type::Tuple(a, b) => Value::Tuple(Box::new((default_of(a)?, default_of(b)?))),
        Type::Either(a, _) => Value::Left(Box::new(default_of(a)?)),
        Type::Vector(element, length) => {
            let length = usize::try_from(*length).map_err(|_| Stop::unknown("a vector of this length"))?;
            Value::Seq(vec![default_of(element)?; length])
        }
        Type::Void => Value::Void,
        Type::Ref
        | Type::Any
        | Type::Null
        | Type::Pointer(_)
        | Type::Array(_)
        | Type::Class(..)
        | Type::Enum(_) => Value::Null,
        _ => return Err(Stop::unknown("a value of this type")),
    })
}

/// What something that was never assigned is: any value of its type. `round` 0 gives the plainest ones.
pub(super) fn garbage_of(
    ty: &Type,
    round: usize,
    serial: i128,
    resolution: &Resolution<'_>,
) -> Result<Value> {
    if round == 0 {
        return default_of(ty);
    }
    let element = |ty: &Type| garbage_of(ty, round, serial, resolution);
    Ok(match ty {
        Type::Int => Value::Int(if serial % 2 == 0 { 3 + serial } else { -1 - serial }),
        Type::Boolean => Value::Bool(true),
        Type::Rational | Type::Float32 | Type::Float64 => Value::Rational(Rational::new(-7, 2)),
        Type::Seq(it) => Value::Seq(vec![element(it)?]),
        Type::Set(it) => Value::Set(BTreeSet::from([element(it)?])),
        Type::Bag(it) => Value::Bag(BTreeMap::from([(element(it)?, 2)])),
        Type::Map(k, v) => Value::Map(BTreeMap::from([(element(k)?, element(v)?)])),
        Type::Option(it) => Value::Option(Some(Box::new(element(it)?))),
        Type::Tuple(a, b) => Value::Tuple(Box::new((element(a)?, element(b)?))),
        Type::Either(_, b) => Value::Right(Box::new(element(b)?)),
        Type::Enum(id) => match resolution.items.enums.get(id).and_then(|it| it.constants.last()) {
            Some(constant) => Value::Enum(constant.id),
            None => Value::Null,
        },
        _ => default_of(ty)?,
    })
}
