//! Types of values in a model.

use std::sync::Arc;

use crate::model::{DataId, EnumerationId};

/// The type of an expression, a field or a parameter.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// Truth values.
    Boolean,
    /// All integers; they never wrap.
    Integer,
    /// Rational numbers, among them fractions of permissions.
    Rational,
    /// Characters, by their code points.
    Character,
    /// Texts.
    Text,
    /// A constant of an enumeration, or none of them.
    Enumeration(EnumerationId),
    /// An algebraic data type at its type arguments.
    Data(DataId, Arc<[Type]>),
    /// Finite sequences.
    Sequence(Arc<Type>),
    /// Finite sets.
    Set(Arc<Type>),
    /// Finite multisets.
    Bag(Arc<Type>),
    /// Finite maps.
    Map(Arc<Type>, Arc<Type>),
    /// A value or none.
    Option(Arc<Type>),
    /// Pairs.
    Pair(Arc<Type>, Arc<Type>),
    /// A value of one type or of another.
    Either(Arc<Type>, Arc<Type>),
    /// Values that are only equal or different: objects, prover types. The name is for messages.
    Opaque(Arc<str>),
}
