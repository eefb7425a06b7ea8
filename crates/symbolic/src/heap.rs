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

/// Permission to many locations: `permission` over `formals` says how much to which.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct QuantifiedChunk {
    pub formals: Rc<[Bound]>,
    pub permission: Term,
    /// Maps locations to values; see the module of quantified permissions.
    pub map: Term,
    /// The snapshot that `map` was taken from or stands for.
    pub snapshot: Term,
    /// How the chunk was written, as long as nothing has been taken from it.
    pub shape: Option<QuantifiedShape>,
}

/// `forall variables :: condition ==> acc(resource(arguments), permission)`
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct QuantifiedShape {
    pub variables: Rc<[Bound]>,
    pub condition: Term,
    pub arguments: Rc<[Term]>,
    pub permission: Term,
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

    pub(crate) fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// Adds all chunks of another heap.
    pub(crate) fn join(&mut self, other: &Heap) {
        for (resource, chunks) in other.chunks.iter() {
            let own = Rc::make_mut(&mut self.chunks).entry(*resource).or_default();
            Rc::make_mut(own).extend(chunks.iter().cloned());
        }
    }

    /// Whether both hold the same chunks, term by term.
    pub(crate) fn is_same(&self, other: &Heap) -> bool {
        Rc::ptr_eq(&self.chunks, &other.chunks) || self.chunks == other.chunks
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (Resource, &Chunk)> {
        self.chunks.iter().flat_map(|(resource, chunks)| chunks.iter().map(|chunk| (*resource, chunk)))
    }
}
