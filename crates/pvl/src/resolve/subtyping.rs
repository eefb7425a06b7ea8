//! Which types convert into which, and what two types have in common.
//!
//! Conversions go upwards (`int` to `rational`, `boolean` to `resource`, `null` to references, covariantly through
//! collections), and downwards only between the types of fractions, where the verifier checks the range.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Type;
use crate::syntax::tree::NodeId;

impl Type {
    pub fn is_unknown(&self) -> bool {
        *self == Type::Unknown
    }

    /// Whether `null` is a value.
    pub fn is_nullable(&self) -> bool {
        matches!(
            self,
            Type::Null
                | Type::Ref
                | Type::Class(..)
                | Type::Array(_)
                | Type::Pointer(_)
                | Type::Enum(_)
                | Type::Model(_)
                | Type::Unknown
        )
    }

    /// Numbers of any kind.
    pub fn is_number(&self) -> bool {
        self.is_exact_number() || self.is_float() || self.is_unknown()
    }

    pub fn is_float(&self) -> bool {
        matches!(self, Type::Float32 | Type::Float64)
    }

    /// `int`, `rational` and fractions.
    pub fn is_exact_number(&self) -> bool {
        matches!(self, Type::Int | Type::Rational | Type::Fraction | Type::ZeroFraction)
    }

    /// The type of values: an assertion is one if it is kept.
    pub fn as_value(&self) -> Type {
        if *self == Type::Resource { Type::ResourceValue } else { self.clone() }
    }

    /// Whether a value of this type can stand where the other type is needed.
    pub fn fits(&self, target: &Type) -> bool {
        use Type::*;
        if self == target {
            return true;
        }
        // A part of a value is not an assertion that could be kept.
        let part = |a: &Type, b: &Type| a.fits(b) && (*b != ResourceValue || a.same(b));
        match (self, target) {
            (Unknown | Nothing, _) | (_, Unknown) => true,
            (Resource, Any) => false,
            (_, Any) => true,
            (Null, _) => target.is_nullable(),
            (Boolean | ResourceValue, Resource) | (Boolean | Resource, ResourceValue) => true,
            (Class(..), Ref) => true,
            (Int | Fraction | ZeroFraction | Float32 | Float64, Rational) => true,
            (Fraction, ZeroFraction) | (Float32, Float64) => true,
            // The range is checked by the verifier.
            (Rational, ZeroFraction | Fraction) | (ZeroFraction, Fraction) => true,
            (Option(a), Option(b)) | (Seq(a), Seq(b)) | (TypeValue(a), TypeValue(b)) => part(a, b),
            (Set(a), Set(b)) | (Bag(a), Bag(b)) => part(a, b) && a.widens(b),
            (Vector(a, n), Vector(b, m)) => n == m && part(a, b) && a.widens(b),
            (Tuple(a, b), Tuple(c, d)) | (Either(a, b), Either(c, d)) => part(a, c) && part(b, d),
            (Map(a, b), Map(c, d)) => a.same(c) && part(b, d),
            (Array(a), Array(b)) | (Pointer(a), Pointer(b)) => a.same(b),
            (Class(a, xs), Class(b, ys)) | (Adt(a, xs), Adt(b, ys)) => {
                a == b && xs.len() == ys.len() && xs.iter().zip(&**ys).all(|(x, y)| x.same(y))
            }
            _ => false,
        }
    }

    /// Fits without a check.
    pub fn widens(&self, target: &Type) -> bool {
        use Type::*;
        let narrows =
            matches!((self, target), (Rational, ZeroFraction | Fraction) | (ZeroFraction, Fraction));
        !narrows && self.fits(target)
    }

    /// Equal, with what is not known equal to everything.
    pub fn same(&self, other: &Type) -> bool {
        use Type::*;
        match (self, other) {
            (Unknown | Nothing, _) | (_, Unknown | Nothing) => true,
            (Option(a), Option(b))
            | (Seq(a), Seq(b))
            | (Set(a), Set(b))
            | (Bag(a), Bag(b))
            | (Array(a), Array(b))
            | (Pointer(a), Pointer(b))
            | (TypeValue(a), TypeValue(b)) => a.same(b),
            (Tuple(a, b), Tuple(c, d)) | (Either(a, b), Either(c, d)) | (Map(a, b), Map(c, d)) => {
                a.same(c) && b.same(d)
            }
            (Class(a, xs), Class(b, ys)) | (Adt(a, xs), Adt(b, ys)) => {
                a == b && xs.len() == ys.len() && xs.iter().zip(&**ys).all(|(x, y)| x.same(y))
            }
            _ => self == other,
        }
    }

    /// The smallest type that both fit into, `None` if there is only `any`.
    pub fn common(&self, other: &Type) -> Option<Type> {
        use Type::*;
        if self.is_unknown() || other.is_unknown() {
            return Some(if self.is_unknown() { other.clone() } else { self.clone() });
        }
        let pair = |a: &Arc<Type>, b: &Arc<Type>| a.common(b).map(Arc::new);
        match (self, other) {
            (Any, _) | (_, Any) => Some(Any),
            (ResourceValue, Boolean | Resource) | (Boolean | Resource, ResourceValue) => Some(Resource),
            (Option(a), Option(b)) => pair(a, b).map(Option),
            (Seq(a), Seq(b)) => pair(a, b).map(Seq),
            (Set(a), Set(b)) => pair(a, b).map(Set),
            (Bag(a), Bag(b)) => pair(a, b).map(Bag),
            (TypeValue(a), TypeValue(b)) => Some(TypeValue(pair(a, b).unwrap_or_else(|| Arc::new(Any)))),
            (Tuple(a, b), Tuple(c, d)) => Some(Tuple(pair(a, c)?, pair(b, d)?)),
            (Either(a, b), Either(c, d)) => Some(Either(pair(a, c)?, pair(b, d)?)),
            (Map(a, b), Map(c, d)) if a.same(c) => Some(Map(pair(a, c)?, pair(b, d)?)),
            _ if self.widens(other) => Some(other.clone()),
            _ if other.widens(self) => Some(self.clone()),
            _ if self.is_number() && other.is_number() => Some(Rational),
            (Class(..) | Ref, Class(..) | Ref) => Some(Ref),
            _ => None,
        }
    }

    /// The type with type parameters replaced.
    pub fn substitute(&self, arguments: &FxHashMap<NodeId, Type>) -> Type {
        use Type::*;
        if arguments.is_empty() {
            return self.clone();
        }
        let one = |ty: &Arc<Type>| Arc::new(ty.substitute(arguments));
        let all = |types: &Arc<[Type]>| types.iter().map(|ty| ty.substitute(arguments)).collect();
        match self {
            Variable(id) => arguments.get(id).cloned().unwrap_or_else(|| self.clone()),
            Seq(a) => Seq(one(a)),
            Set(a) => Set(one(a)),
            Bag(a) => Bag(one(a)),
            Option(a) => Option(one(a)),
            Pointer(a) => Pointer(one(a)),
            Array(a) => Array(one(a)),
            Vector(a, n) => Vector(one(a), *n),
            TypeValue(a) => TypeValue(one(a)),
            Map(a, b) => Map(one(a), one(b)),
            Tuple(a, b) => Tuple(one(a), one(b)),
            Either(a, b) => Either(one(a), one(b)),
            Class(id, types) => Class(*id, all(types)),
            Adt(id, types) => Adt(*id, all(types)),
            _ => self.clone(),
        }
    }

    /// Finds types for type parameters such that this type, which mentions them, becomes the other one.
    pub(super) fn infer_parameters(
        &self,
        other: &Type,
        parameters: &[NodeId],
        found: &mut FxHashMap<NodeId, Type>,
    ) {
        use Type::*;
        match (self, other) {
            (Variable(id), _) if parameters.contains(id) => {
                if other.is_unknown() || matches!(other, Null) {
                    return;
                }
                let joined = match found.get(id) {
                    Some(before) => before.common(other).unwrap_or_else(|| before.clone()),
                    None => other.as_value(),
                };
                found.insert(*id, joined);
            }
            (Seq(a), Seq(b))
            | (Set(a), Set(b))
            | (Bag(a), Bag(b))
            | (Option(a), Option(b))
            | (Pointer(a), Pointer(b))
            | (Array(a), Array(b))
            | (Vector(a, _), Vector(b, _))
            | (TypeValue(a), TypeValue(b)) => a.infer_parameters(b, parameters, found),
            (Map(a, b), Map(c, d)) | (Tuple(a, b), Tuple(c, d)) | (Either(a, b), Either(c, d)) => {
                a.infer_parameters(c, parameters, found);
                b.infer_parameters(d, parameters, found);
            }
            (Class(a, xs), Class(b, ys)) | (Adt(a, xs), Adt(b, ys)) if a == b => {
                for (x, y) in xs.iter().zip(&**ys) {
                    x.infer_parameters(y, parameters, found);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seq(ty: Type) -> Type {
        Type::Seq(Arc::new(ty))
    }

    #[test]
    fn numbers_widen_and_fractions_narrow_with_a_check() {
        assert!(Type::Int.fits(&Type::Rational));
        assert!(Type::Rational.fits(&Type::Fraction));
        assert!(!Type::Rational.widens(&Type::Fraction));
        assert!(!Type::Int.fits(&Type::Boolean));
        assert!(!Type::Rational.fits(&Type::Int));
    }

    #[test]
    fn collections_are_covariant_and_arrays_are_not() {
        assert!(seq(Type::Int).fits(&seq(Type::Rational)));
        let array = |ty: Type| Type::Array(Arc::new(ty));
        assert!(!array(Type::Int).fits(&array(Type::Rational)));
        assert!(Type::Null.fits(&array(Type::Int)));
    }

    #[test]
    fn unrelated_types_have_nothing_in_common() {
        assert_eq!(Type::Int.common(&Type::Boolean), None);
        assert_eq!(Type::Fraction.common(&Type::Int), Some(Type::Rational));
        assert_eq!(Type::Boolean.common(&Type::Resource), Some(Type::Resource));
        assert_eq!(seq(Type::Nothing).common(&seq(Type::Int)), Some(seq(Type::Int)));
    }
}
