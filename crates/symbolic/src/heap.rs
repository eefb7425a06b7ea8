//! The heap: what permission is held to which resource, as chunks.
//!
//! Heaps are persistent: a copy is cheap, and changing one leaves its copies alone. Within a resource, chunks keep the
//! order in which they were added, so that results do not depend on anything else.

use std::collections::BTreeMap;
use std::rc::Rc;

use silver::typed::{FieldId, PredicateId};
use smt::{Bound, Term};

pub(crate) use crate::dependencies::WandShapeId;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Resource {
    Field(FieldId),
    Predicate(PredicateId),
    Wand(WandShapeId),
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Chunk {
    Basic(BasicChunk),
    Quantified(Rc<QuantifiedChunk>),
}

/// Permission to one location.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct BasicChunk {
    /// The receiver of a field, the arguments of a predicate, the values that fix a wand.
    pub arguments: Rc<[Term]>,
    pub permission: Term,
    /// Of the snapshot sort, whatever the resource.
    pub snapshot: Term,
}

/// Permission to many locations; see the module of quantified permissions.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct QuantifiedChunk {
    pub shape: QuantifiedShape,
    /// Which values of the shape's variables a location has.
    pub inverse: Rc<Inverse>,
    /// What has to be assumed before a question about the permission to a location that does not follow the shape.
    pub definitions: Rc<[Term]>,
    /// The conditions inside the assertion that led to the permission; part of the shape's condition.
    pub guard: Term,
    /// Maps locations to values.
    pub map: Term,
    /// Whether the map describes these locations and no others: nothing was taken, no value changed.
    pub is_whole: bool,
    /// Whether the map is part of a snapshot that was there before the chunk: of a predicate, or of a function's
    /// precondition.
    pub is_given: bool,
}

/// `forall variables :: condition ==> acc(resource(arguments), permission)`
///
/// Condition and permission may also mention the location itself, by `formals`.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct QuantifiedShape {
    pub variables: Rc<[Bound]>,
    pub formals: Rc<[Bound]>,
    pub condition: Term,
    pub arguments: Rc<[Term]>,
    pub permission: Term,
    /// Patterns over the variables; none leaves the choice to the solver.
    pub triggers: Rc<[Vec<Term>]>,
}

/// The inverse of a shape's arguments, as terms over its formals.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Inverse {
    /// One for each variable.
    pub values: Rc<[Term]>,
    /// Whether a location is one of the shape's, apart from the shape's condition.
    pub image: Term,
    /// What the symbols in it mean.
    pub definitions: Rc<[Term]>,
}

#[derive(Clone, Default, Debug)]
pub(crate) struct Heap {
    chunks: Rc<BTreeMap<Resource, Rc<Vec<Chunk>>>>,
}

impl Heap {
    pub(crate) fn of(&self, resource: Resource) -> Rc<Vec<Chunk>> {
        self.chunks.get(&resource).cloned().unwrap_or_default()
    }

    pub(crate) fn add(&mut self, resource: Resource, chunk: Chunk) {
        let chunks = Rc::make_mut(&mut self.chunks).entry(resource).or_default();
        Rc::make_mut(chunks).push(chunk);
    }

    pub(crate) fn set(&mut self, resource: Resource, chunks: Vec<Chunk>) {
        let map = Rc::make_mut(&mut self.chunks);
        if chunks.is_empty() {
            map.remove(&resource);
        } else {
            map.insert(resource, Rc::new(chunks));
        }
    }

    pub(crate) fn resources(&self) -> Vec<Resource> {
        self.chunks.keys().copied().collect()
    }

    /// Whether both hold the same chunks, term by term.
    pub(crate) fn is_same(&self, other: &Heap) -> bool {
        Rc::ptr_eq(&self.chunks, &other.chunks) || self.chunks == other.chunks
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (Resource, &Chunk)> {
        self.chunks.iter().flat_map(|(resource, chunks)| chunks.iter().map(|chunk| (*resource, chunk)))
    }
}
