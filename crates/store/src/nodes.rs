//! A table of interned nodes: each distinct node has one dense number.

use crate::StoreFull;
use crate::chunked::ChunkedVec;
use crate::hash::Key;
use crate::index::{Index, Probe};

#[derive(Clone, Debug)]
pub(crate) struct NodeTable<K> {
    nodes: ChunkedVec<K>,
    index: Index,
}

/// The table must grow before it can take a node that is not in it.
pub(crate) struct NeedsRoom;

impl<K: Key> NodeTable<K> {
    /// An empty table whose index grows when this share of its slots is taken: the larger, the more compact,
    /// the smaller, the quicker.
    pub(crate) fn new(full_percent: usize) -> Self {
        NodeTable { nodes: ChunkedVec::new(), index: Index::new(full_percent) }
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    #[inline]
    pub(crate) fn get(&self, number: u32) -> K {
        self.nodes.get(number as usize)
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.nodes.memory_bytes() + self.index.memory_bytes()
    }

    #[inline]
    pub(crate) fn needs_room(&self) -> bool {
        self.index.is_full() || !self.nodes.has_room()
    }

    /// How many bytes more [`NodeTable::grow`] takes.
    pub(crate) fn growth_bytes(&self) -> usize {
        let index =
            if self.index.is_full() { self.index.next_bytes() - self.index.memory_bytes() } else { 0 };
        index + if self.nodes.has_room() { 0 } else { ChunkedVec::<K>::CHUNK_BYTES }
    }

    /// Makes room for at least one node more.
    #[cold]
    pub(crate) fn grow(&mut self) -> Result<(), StoreFull> {
        if self.len() >= crate::StateId::LAST.index() {
            return Err(StoreFull::Names);
        }
        if !self.nodes.has_room() {
            self.nodes.add_chunk()?;
        }
        if self.index.is_full() {
            self.index.rebuild(self.nodes.iter().map(Key::hash))?;
        }
        Ok(())
    }

    /// The number of a node, and whether it is new.
    #[inline]
    pub(crate) fn intern(&mut self, node: K) -> Result<(u32, bool), NeedsRoom> {
        self.intern_hashed(node, node.hash())
    }

    #[inline]
    pub(crate) fn intern_hashed(&mut self, node: K, hash: u64) -> Result<(u32, bool), NeedsRoom> {
        if self.needs_room() {
            return Err(NeedsRoom);
        }
        let nodes = &self.nodes;
        match self.index.probe(hash, |number| nodes.get(number as usize) == node) {
            Probe::Found(number) => Ok((number, false)),
            Probe::Vacant(place) => {
                let number = self.nodes.len() as u32;
                self.nodes.push(node).map_err(|_| NeedsRoom)?;
                self.index.fill(place, hash, number);
                Ok((number, true))
            }
        }
    }

    /// Fetches what a look-up of this hash will need first; see [`Index::touch`].
    #[inline]
    pub(crate) fn touch(&self, hash: u64) {
        self.index.touch(hash);
    }
}
