//! Types of values in a model.

use std::sync::Arc;

use process::Type;

use super::Converter;
use crate::resolve;
use crate::syntax::tree;

impl Converter<'_, '_> {
    pub(super) fn written_type(&mut self, ty: &tree::Type) -> Type {
        let ty = self.resolution.types.get(&ty.id).cloned().unwrap_or(resolve::Type::Unknown);
        self.ty(&ty)
    }

    /// A resolved type. What has no values of its own here can only be told apart.
    pub(super) fn ty(&mut self, ty: &resolve::Type) -> Type {
        use resolve::Type as T;
        match ty {
            T::Int => Type::Integer,
            T::Boolean => Type::Boolean,
            T::Char => Type::Character,
            T::String => Type::Text,
            T::Fraction | T::ZeroFraction | T::Rational | T::Float32 | T::Float64 => Type::Rational,
            T::Seq(a) => Type::Sequence(Arc::new(self.ty(a))),
            T::Set(a) => Type::Set(Arc::new(self.ty(a))),
            T::Bag(a) => Type::Bag(Arc::new(self.ty(a))),
            T::Option(a) => Type::Option(Arc::new(self.ty(a))),
            T::Map(a, b) => Type::Map(Arc::new(self.ty(a)), Arc::new(self.ty(b))),
            T::Tuple(a, b) => Type::Pair(Arc::new(self.ty(a)), Arc::new(self.ty(b))),
            T::Either(a, b) => Type::Either(Arc::new(self.ty(a)), Arc::new(self.ty(b))),
            T::Enum(id) => Type::Enumeration(self.enumeration(*id)),
            other => Type::Opaque(self.resolution.show(other).into()),
        }
    }
}
