//! Where values are kept, and which places may be one and the same.
//!
//! Two names of one location always agree on its field, or on the type of what it holds. So a location stands for all
//! locations of its field, and an element for all elements of the arrays of its type that cannot be told apart;
//! whatever has a type parameter in it may be any other. A pointer may point to everything of its type whose address is
//! taken.

use super::arrays::Arrays;
use crate::resolve::Type;
use crate::syntax::tree::NodeId;

/// Locations on the heap that are not told apart.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Location {
    /// A field, of any object, or a static one.
    Field(NodeId),
    /// Elements of the arrays of a group.
    Element(Type, u32),
    /// What pointers point to.
    Target(Type),
    /// Whatever an opaque predicate holds.
    Anything,
}

impl Location {
    /// Whether the two may have a location in common; addressed variables and fields are also written as targets.
    pub(super) fn overlaps(&self, other: &Location, arrays: &Arrays) -> bool {
        match (self, other) {
            (Location::Anything, _) | (_, Location::Anything) => true,
            (Location::Field(a), Location::Field(b)) => a == b,
            (Location::Element(a, first), Location::Element(b, second)) => {
                is_same_type(a, b)
                    && (arrays.is_same_group(*first, *second)
                        || arrays.is_compared(a)
                        || arrays.is_compared(b))
            }
            (Location::Target(a), Location::Target(b)) => is_same_type(a, b),
            _ => false,
        }
    }
}

fn is_same_type(a: &Type, b: &Type) -> bool {
    a == b || is_open(a) || is_open(b)
}

/// Whether the type stands for others.
fn is_open(ty: &Type) -> bool {
    ty.any_part(&|part| matches!(part, Type::Variable(_) | Type::Any | Type::Unknown))
}

/// A place that a value can come from, for the way that a message shows.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Place {
    Variable(NodeId),
    Heap(Location),
    Result(NodeId),
}
