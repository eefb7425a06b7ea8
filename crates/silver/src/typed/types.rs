//! Ground and parametric types of typed programs.
//!
//! Assertions have type `Bool` like pure formulas; whether one is pure is a property of the tree, see
//! [`super::is_pure`]. `Rational` is `Perm`.

use std::sync::Arc;

use super::DomainId;

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Type {
    Int,
    Bool,
    Perm,
    Ref,
    Seq(Arc<Type>),
    Set(Arc<Type>),
    Multiset(Arc<Type>),
    Map(Arc<Type>, Arc<Type>),
    /// A domain with its type arguments; a domain with an interpretation is a type of the solver.
    Domain(DomainId, Arc<[Type]>),
    /// The n-th type parameter of the domain that the function or axiom belongs to.
    Parameter(u32),
}

impl Type {
    pub fn seq(element: Type) -> Type {
        Type::Seq(Arc::new(element))
    }

    pub fn set(element: Type) -> Type {
        Type::Set(Arc::new(element))
    }

    pub fn multiset(element: Type) -> Type {
        Type::Multiset(Arc::new(element))
    }

    pub fn map(key: Type, value: Type) -> Type {
        Type::Map(Arc::new(key), Arc::new(value))
    }

    /// Replaces the type parameters of a domain by arguments; parameters without an argument stay.
    pub fn instantiate(&self, arguments: &[Type]) -> Type {
        match self {
            Type::Int | Type::Bool | Type::Perm | Type::Ref => self.clone(),
            Type::Seq(element) => Type::seq(element.instantiate(arguments)),
            Type::Set(element) => Type::set(element.instantiate(arguments)),
            Type::Multiset(element) => Type::multiset(element.instantiate(arguments)),
            Type::Map(key, value) => Type::map(key.instantiate(arguments), value.instantiate(arguments)),
            Type::Domain(domain, inner) => {
                Type::Domain(*domain, inner.iter().map(|ty| ty.instantiate(arguments)).collect())
            }
            Type::Parameter(index) => arguments.get(*index as usize).unwrap_or(self).clone(),
        }
    }

    /// How deep types are nested in it.
    pub fn depth(&self) -> usize {
        match self {
            Type::Int | Type::Bool | Type::Perm | Type::Ref | Type::Parameter(_) => 1,
            Type::Seq(element) | Type::Set(element) | Type::Multiset(element) => 1 + element.depth(),
            Type::Map(key, value) => 1 + key.depth().max(value.depth()),
            Type::Domain(_, arguments) => 1 + arguments.iter().map(Type::depth).max().unwrap_or(0),
        }
    }

    /// Whether no type parameter occurs.
    pub fn is_ground(&self) -> bool {
        match self {
            Type::Int | Type::Bool | Type::Perm | Type::Ref => true,
            Type::Seq(element) | Type::Set(element) | Type::Multiset(element) => element.is_ground(),
            Type::Map(key, value) => key.is_ground() && value.is_ground(),
            Type::Domain(_, arguments) => arguments.iter().all(Type::is_ground),
            Type::Parameter(_) => false,
        }
    }
}
