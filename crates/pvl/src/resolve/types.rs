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

impl Type {
    /// Whether the type, or a type that it is made of, is such a one.
    pub fn any_part(&self, is_it: &dyn Fn(&Type) -> bool) -> bool {
        is_it(self)
            || match self {
                Type::Seq(a)
                | Type::Set(a)
                | Type::Bag(a)
                | Type::Option(a)
                | Type::Pointer(a)
                | Type::Array(a)
                | Type::Vector(a, _)
                | Type::TypeValue(a) => a.any_part(is_it),
                Type::Map(a, b) | Type::Tuple(a, b) | Type::Either(a, b) => {
                    a.any_part(is_it) || b.any_part(is_it)
                }
                Type::Class(_, arguments) | Type::Adt(_, arguments) => {
                    arguments.iter().any(|argument| argument.any_part(is_it))
                }
                _ => false,
            }
    }
}
