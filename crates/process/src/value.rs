//! Concrete values. They are exact, finite and totally ordered, so that sets and maps of them have one shape.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use num_bigint::BigInt;
use num_rational::BigRational;

use crate::model::EnumerationId;

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
