//! Values of Silver, as they are: exact, finite, comparable.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};
use silver::typed::DomainFunctionId;

/// A permission amount.
pub(super) type Amount = BigRational;

pub(super) fn amount(numerator: i64, denominator: i64) -> Amount {
    BigRational::new(BigInt::from(numerator), BigInt::from(denominator))
}

pub(super) fn none() -> Amount {
    BigRational::zero()
}

pub(super) fn write() -> Amount {
    BigRational::one()
}

/// An object by its number; 0 is `null`.
pub(super) type Object = u32;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Value {
    Bool(bool),
    Int(i128),
    Perm(Amount),
    Ref(Object),
    Seq(Vec<Value>),
    Set(BTreeSet<Value>),
    /// Elements occur at least once.
    Multiset(BTreeMap<Value, i128>),
    Map(BTreeMap<Value, Value>),
    Data {
        constructor: DomainFunctionId,
        fields: Vec<Value>,
    },
    /// A value of a domain that says nothing about what its values are.
    Opaque(u32),
}

impl Value {
    /// Whether `self` occurs strictly inside a value of a data type.
    pub(super) fn is_inside(&self, outer: &Value) -> bool {
        match outer {
            Value::Data { fields, .. } => fields.iter().any(|field| field == self || self.is_inside(field)),
            _ => false,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |values: &mut dyn Iterator<Item = String>| values.collect::<Vec<_>>().join(", ");
        match self {
            Value::Bool(value) => write!(formatter, "{value}"),
            Value::Int(value) => write!(formatter, "{value}"),
            Value::Perm(value) => write!(formatter, "{value}"),
            Value::Ref(0) => formatter.write_str("null"),
            Value::Ref(object) => write!(formatter, "o{object}"),
            Value::Seq(values) => write!(formatter, "[{}]", list(&mut values.iter().map(Value::to_string))),
            Value::Set(values) => write!(formatter, "{{{}}}", list(&mut values.iter().map(Value::to_string))),
            Value::Multiset(values) => {
                let mut values = values.iter().map(|(value, count)| format!("{value} x{count}"));
                write!(formatter, "{{{}}}", list(&mut values))
            }
            Value::Map(entries) => {
                let mut entries = entries.iter().map(|(key, value)| format!("{key} := {value}"));
                write!(formatter, "{{{}}}", list(&mut entries))
            }
            Value::Data { constructor, fields } => {
                let fields = list(&mut fields.iter().map(Value::to_string));
                write!(formatter, "#{}({fields})", constructor.0)
            }
            Value::Opaque(number) => write!(formatter, "v{number}"),
        }
    }
}
