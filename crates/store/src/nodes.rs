//! A table of interned nodes: each distinct node has one dense number.
//!
//! Neighbouring states ask for the same few nodes again and again; a small direct-mapped memory of the nodes
//! asked for last answers most of these questions from the nearest cache. Tables whose nodes are asked for
//! at random are made without it.

use crate::StoreFull;
use crate::chunked::ChunkedVec;
use crate::hash::Key;
use crate::index::{Index, Probe};

#[derive(Clone, Debug)]
pub(crate) struct NodeTable<K> {
    nodes: ChunkedVec<K>,
    index: Index,
    /// Nodes asked for last with their numbers, by the highest bits of their hashes.
    recent: Vec<(K, u32)>,
}

/// How many of the highest bits of a hash choose the place in the memory of recent nodes.
const RECENT_BITS: u32 = 12;

/// A number that no node has.
const NOBODY: u32 = u32::MAX;

/// The table must grow before it can take a node that is not in it.
pub(crate) struct NeedsRoom;

impl<K: Key> NodeTable<K> {
    /// An empty table whose index grows when this share of its slots is taken: the larger, the more compact,
    /// the smaller, the quicker.
    pub(crate) fn new(full_percent: usize) -> Self {
        NodeTable { nodes: ChunkedVec::new(), index: Index::new(full_percent), recent: Vec::new() }
    }

    /// The same table with a memory of the nodes asked for last.
    pub(crate) fn with_memory(self) -> Self {
        NodeTable { recent: vec![(K::default(), NOBODY); 1 << RECENT_BITS], ..self }
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
        self.nodes.memory_bytes() + self.index.memory_bytes() + self.recent.len() * size_of::<(K, u32)>()
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

    /// The number of a node, asked of the memory first.
    #[inline]
    pub(crate) fn number(&mut self, node: K) -> Result<u32, NeedsRoom> {
        let hash = node.hash();
        let place = (hash >> (64 - RECENT_BITS)) as usize;
        if let Some(&(recent, number)) = self.recent.get(place)
            && recent == node
            && number != NOBODY
        {
            return Ok(number);
        }
        let (number, _) = self.intern(node, hash)?;
        if let Some(recent) = self.recent.get_mut(place) {
            *recent = (node, number);
        }
        Ok(number)
    }

    /// The number of a node with this hash, and whether it is new.
    #[inline]
    pub(crate) fn intern(&mut self, node: K, hash: u64) -> Result<(u32, bool), NeedsRoom> {
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
