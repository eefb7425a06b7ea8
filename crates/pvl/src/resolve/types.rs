//! Types after names are known.
//!
//! A declared type is named by the id of its declaration; the source text for messages comes from
//! the resolution.

use std::sync::Arc;

use crate::syntax::tree::NodeId;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    Int,
    Boolean,
    Char,
    String,
    Void,
    Float32,
    Float64,
    /// `frac`, above 0 and up to 1
    Fraction,
    /// `zfrac`, from 0 to 1
    ZeroFraction,
    Rational,
    Resource,
    /// An assertion that is kept, as the value of a variable or field.
    ResourceValue,
    Process,
    /// `ref`, any object
    Ref,
    Any,
    /// No value; the element type of `None`.
    Nothing,
    /// The type of `null` before it is given one.
    Null,
    Seq(Arc<Type>),
    Set(Arc<Type>),
    Bag(Arc<Type>),
    Option(Arc<Type>),
    Map(Arc<Type>, Arc<Type>),
    Tuple(Arc<Type>, Arc<Type>),
    Either(Arc<Type>, Arc<Type>),
    Pointer(Arc<Type>),
    Array(Arc<Type>),
    Vector(Arc<Type>, u64),
    /// `type<T>`
    TypeValue(Arc<Type>),
    Class(NodeId, Arc<[Type]>),
    Enum(NodeId),
    Adt(NodeId, Arc<[Type]>),
    ProverType(NodeId),
    Model(NodeId),
    /// A type parameter, by its own id.
    Variable(NodeId),
    /// What has no type because of an error that was reported; fits everywhere.
    Unknown,
}
