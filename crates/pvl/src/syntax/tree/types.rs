//! Types as they are written.

use std::sync::Arc;

use source::Span;

use super::{Name, NodeId};

#[derive(Clone, Debug)]
pub struct Type {
    pub id: NodeId,
    pub kind: TypeKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum TypeKind {
    Int,
    /// `boolean` or `bool`
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
    Process,
    Ref,
    Any,
    Nothing,
    Seq(Box<Type>),
    Set(Box<Type>),
    Bag(Box<Type>),
    Option(Box<Type>),
    Map(Box<Type>, Box<Type>),
    Tuple(Box<Type>, Box<Type>),
    Either(Box<Type>, Box<Type>),
    Pointer(Box<Type>),
    /// `type<T>`
    TypeValue(Box<Type>),
    /// `vector<T, n>`; the length as it was written
    Vector(Box<Type>, Arc<str>),
    /// `T[]`; a length between the brackets has no meaning and is not kept
    Array(Box<Type>),
    /// A class, enum, data type, prover type, model or type variable.
    Named(Name, Vec<Type>),
}
