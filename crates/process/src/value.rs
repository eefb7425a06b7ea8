//! Concrete values. They are exact, finite and totally ordered, so that sets and maps of them have one shape.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use num_bigint::BigInt;
use num_rational::BigRational;

use crate::model::{EnumerationId, Model};

/// A value of a [`Type`](crate::Type).
///
/// Two values of the same type are equal in the model exactly when they are equal here.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value {
    /// A truth value.
    Boolean(bool),
    /// An integer of any size.
    Integer(BigInt),
    /// A rational number in lowest terms.
    Rational(BigRational),
    /// A character.
    Character(char),
    /// A text.
    Text(Arc<str>),
    /// A constant of an enumeration by its number.
    Constant(EnumerationId, u32),
    /// A constructor of a data type, by its number there, and its arguments.
    Built(u32, Arc<[Value]>),
    /// A sequence.
    Sequence(Arc<[Value]>),
    /// A set.
    Set(Arc<BTreeSet<Value>>),
    /// A multiset: how often each element is in it, never zero times.
    Bag(Arc<BTreeMap<Value, u64>>),
    /// A map.
    Map(Arc<BTreeMap<Value, Value>>),
    /// An optional value.
    Option(Option<Arc<Value>>),
    /// A pair.
    Pair(Arc<(Value, Value)>),
    /// The first alternative of an `Either`.
    Left(Arc<Value>),
    /// The second alternative of an `Either`.
    Right(Arc<Value>),
    /// One of the values that can only be told apart; zero is `null` where there is one.
    Opaque(u64),
}

impl Value {
    /// The value as people write it.
    pub fn show(&self, model: &Model) -> String {
        let all = |values: &mut dyn Iterator<Item = &Value>| -> String {
            values.map(|value| value.show(model)).collect::<Vec<_>>().join(", ")
        };
        match self {
            Value::Boolean(it) => it.to_string(),
            Value::Integer(it) => it.to_string(),
            Value::Rational(it) if it.is_integer() => it.to_integer().to_string(),
            Value::Rational(it) => format!("{}\\{}", it.numer(), it.denom()),
            Value::Character(it) => format!("'{it}'"),
            Value::Text(it) => format!("\"{it}\""),
            Value::Constant(id, number) => {
                let enumeration = model.enumerations.get(id.0 as usize);
                let name = enumeration.and_then(|it| it.constants.get(*number as usize));
                match (enumeration, name) {
                    (Some(enumeration), Some(name)) => format!("{}.{name}", enumeration.name),
                    _ => number.to_string(),
                }
            }
            Value::Built(number, arguments) => format!("#{number}({})", all(&mut arguments.iter())),
            Value::Sequence(it) => format!("[{}]", all(&mut it.iter())),
            Value::Set(it) => format!("{{{}}}", all(&mut it.iter())),
            Value::Bag(it) => {
                let entry = |(value, count): (&Value, &u64)| format!("{} times {}", count, value.show(model));
                format!("b{{{}}}", it.iter().map(entry).collect::<Vec<_>>().join(", "))
            }
            Value::Map(it) => {
                let entry =
                    |(key, value): (&Value, &Value)| format!("{} -> {}", key.show(model), value.show(model));
                format!("map{{{}}}", it.iter().map(entry).collect::<Vec<_>>().join(", "))
            }
            Value::Option(None) => "None".to_string(),
            Value::Option(Some(it)) => format!("Some({})", it.show(model)),
            Value::Pair(it) => format!("({}, {})", it.0.show(model), it.1.show(model)),
            Value::Left(it) => format!("Left({})", it.show(model)),
            Value::Right(it) => format!("Right({})", it.show(model)),
            Value::Opaque(0) => "null".to_string(),
            Value::Opaque(number) => format!("object{number}"),
        }
    }
}
