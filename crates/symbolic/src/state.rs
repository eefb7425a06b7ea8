//! The symbolic state of one execution path.

use std::collections::BTreeMap;
use std::rc::Rc;

use silver::typed::{LabelId, LocalId};
use smt::Term;

use crate::heap::{Chunk, Heap, Resource};
use crate::path::PathRef;

/// Values of the variables of one member.
#[derive(Clone, Default, Debug)]
pub(crate) struct Store {
    values: Rc<BTreeMap<LocalId, Term>>,
}

impl Store {
    pub(crate) fn get(&self, local: LocalId) -> Option<Term> {
        self.values.get(&local).copied()
    }

    pub(crate) fn set(&mut self, local: LocalId, value: Term) {
        Rc::make_mut(&mut self.values).insert(local, value);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (LocalId, Term)> {
        self.values.iter().map(|(local, value)| (*local, *value))
    }
}

#[derive(Clone, Default, Debug)]
pub(crate) struct State {
    pub store: Store,
    pub heap: Heap,
    /// The heap that values are read from while `heap` is being consumed; `perm` looks at `heap`.
    pub reading: Option<Heap>,
    /// The heap at the start of the member.
    pub old: Option<Heap>,
    /// Heaps at labels that were reached.
    pub labels: Rc<BTreeMap<LabelId, Heap>>,
    /// Chunks that were held together before some of them were given away.
    pub parted: Rc<Vec<(Resource, Rc<Vec<Chunk>>)>>,
    /// The heap of a wand's left-hand side, for `old[lhs]`.
    pub wand_left: Option<Heap>,
    /// Heaps set aside at the entry of the loops around the current point, outermost first.
    pub frames: Rc<Vec<Heap>>,
    /// `result` in postconditions of functions.
    pub result: Option<Term>,
    /// Where the path of a suspended state ends.
    pub path: Option<PathRef>,
    /// Heaps that a package takes from, outermost last; see the module of wands.
    pub reserve: Rc<Vec<Heap>>,
    /// What has been taken from these heaps so far.
    pub transferred: Rc<Vec<(Resource, Chunk)>>,
    /// The snapshot of a wand's right-hand side, at the end of its proof.
    pub right: Option<Term>,
}

impl State {
    /// Works with one part replaced; afterwards it is what it was.
    pub(crate) fn with<V, T>(
        &mut self,
        part: fn(&mut State) -> &mut V,
        value: V,
        work: impl FnOnce(&mut State) -> T,
    ) -> T {
        let outer = std::mem::replace(part(self), value);
        let result = work(self);
        *part(self) = outer;
        result
    }

    /// Works with another heap, for values and for `perm`.
    pub(crate) fn with_heap<T>(&mut self, heap: Heap, work: impl FnOnce(&mut State) -> T) -> T {
        self.with(|state| &mut state.heap, heap, |state| state.with(|state| &mut state.reading, None, work))
    }

    /// Works on the heap, with values as they are in the heap before, or before the work around this.
    pub(crate) fn with_values_from_before<T>(&mut self, work: impl FnOnce(&mut State) -> T) -> T {
        if self.reading.is_some() {
            return work(self);
        }
        let before = self.heap.clone();
        self.with(|state| &mut state.reading, Some(before), work)
    }

    /// The heap that expressions read.
    pub(crate) fn readable(&self) -> &Heap {
        self.reading.as_ref().unwrap_or(&self.heap)
    }
}
