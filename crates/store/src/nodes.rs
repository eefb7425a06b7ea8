//! A table of interned nodes: each distinct node has one number.
//!
//! The table is shared by all workers; what a worker keeps for itself is a [`NodeWriter`]: numbers to use next, slots of the
//! index that were set aside for it, and a small direct-mapped memory of the nodes asked for last. Neighbouring states ask
//! for the same few nodes again and again, and that memory answers most of these questions from the nearest cache. Tables
//! whose nodes are asked for at random are used without it.

use std::ops::Range;

use crate::StoreFull;
use crate::budget::Budget;
use crate::concurrent::{Array, Index, Probe, Retired, Room, SEGMENT_BITS, SEGMENTS, Stale};
use crate::hash::Key;
use crate::safe_points::SafePoints;

#[derive(Debug)]
pub(crate) struct NodeTable<K> {
    nodes: Array<K>,
    index: Index,
}

/// A worker's own part; see the module's description.
#[derive(Debug)]
pub(crate) struct NodeWriter<K> {
    /// The numbers of this worker that are not used.
    pub(crate) unused: Range<u32>,
    /// Memory for the nodes of further ones.
    room: Room,
    /// How many slots of each segment are set aside for this worker.
    credit: [u32; SEGMENTS],
    /// Nodes asked for last with their numbers, by the highest bits of their hashes.
    recent: Vec<(K, u32)>,
}

/// What all tables of a store have in common, as a worker sees it.
#[derive(Clone, Copy)]
pub(crate) struct Surroundings<'s> {
    pub(crate) budget: &'s Budget,
    pub(crate) safe_points: &'s SafePoints<Retired>,
    /// Nobody else uses the store.
    pub(crate) alone: bool,
}

/// How many of the highest bits of a hash choose the place in the memory of recent nodes.
const RECENT_BITS: u32 = if cfg!(loom) { 1 } else { 12 };

/// A number that no node has.
const NOBODY: u32 = u32::MAX;

impl<K: Key> NodeWriter<K> {
    /// A worker's part without a memory.
    pub(crate) fn new(unused: Range<u32>) -> Self {
        NodeWriter { unused, room: Room::default(), credit: [0; SEGMENTS], recent: Vec::new() }
    }

    pub(crate) fn with_memory() -> Self {
        NodeWriter { recent: vec![(K::default(), NOBODY); 1 << RECENT_BITS], ..NodeWriter::new(0..0) }
    }

    pub(crate) const MEMORY_BYTES: usize = size_of::<(K, u32)>() << RECENT_BITS;
}

impl<K: Key> NodeTable<K> {
    /// An empty table whose index grows when this share of its slots is taken: the larger, the more compact,
    /// the smaller, the quicker.
    pub(crate) fn new(full_percent: usize) -> Self {
        NodeTable { nodes: Array::new(), index: Index::new(full_percent) }
    }

    #[inline]
    pub(crate) fn get(&self, number: u32) -> K {
        self.nodes.get(number)
    }

    /// One more than the highest number that a worker may use.
    #[inline]
    pub(crate) fn given(&self) -> u32 {
        self.nodes.given()
    }

    /// See [`Array::give_out_to`].
    pub(crate) fn give_out_to(
        &self,
        end: u32,
        writer: &mut NodeWriter<K>,
        budget: &Budget,
    ) -> Result<(), StoreFull> {
        self.nodes.give_out_to(end, &mut writer.room, budget)
    }

    /// The number of a node, asked of the memory first.
    #[inline]
    pub(crate) fn number(
        &self,
        writer: &mut NodeWriter<K>,
        node: K,
        around: Surroundings<'_>,
    ) -> Result<u32, StoreFull> {
        let hash = node.hash();
        let place = (hash >> (64 - RECENT_BITS)) as usize;
        if let Some(&(recent, number)) = writer.recent.get(place)
            && recent == node
            && number != NOBODY
        {
            return Ok(number);
        }
        let (number, _) = self.intern(writer, node, hash, around)?;
        if let Some(recent) = writer.recent.get_mut(place) {
            *recent = (node, number);
        }
        Ok(number)
    }

    /// The number of a node with this hash, and whether it is new.
    #[inline]
    pub(crate) fn intern(
        &self,
        writer: &mut NodeWriter<K>,
        node: K,
        hash: u64,
        around: Surroundings<'_>,
    ) -> Result<(u32, bool), StoreFull> {
        loop {
            match self.index.probe(hash, |number| self.nodes.get(number) == node) {
                Probe::Found(number) => return Ok((number, false)),
                Probe::Moved(stale) => self.grow(stale, around)?,
                Probe::Vacant(place) => {
                    let segment = if SEGMENT_BITS == 0 { 0 } else { (hash >> (64 - SEGMENT_BITS)) as usize };
                    if writer.unused.is_empty() {
                        writer.unused = self.nodes.next_block(&mut writer.room, around.budget)?;
                    }
                    let number = writer.unused.start;
                    if !self.index.fits(place, number) {
                        self.grow(self.index.stale(place, hash), around)?;
                        continue;
                    }
                    if writer.credit[segment] == 0 {
                        match self.index.set_aside(place, hash) {
                            Ok(slots) => writer.credit[segment] = slots,
                            Err(stale) => {
                                self.grow(stale, around)?;
                                continue;
                            }
                        }
                    }
                    self.nodes.set(number, node, &mut writer.room, around.budget)?;
                    if self.index.publish(place, hash, number, around.alone) {
                        writer.unused.start += 1;
                        writer.credit[segment] -= 1;
                        return Ok((number, true));
                    }
                }
            }
        }
    }

    #[cold]
    fn grow(&self, stale: Stale, around: Surroundings<'_>) -> Result<(), StoreFull> {
        let hash_of = |number| self.nodes.get(number).hash();
        let prefetch = |number| self.nodes.prefetch(number);
        let numbers = self.nodes.given();
        let retired = self.index.grow(stale, numbers, around.alone, around.budget, hash_of, prefetch)?;
        match retired {
            Some(retired) if around.alone => around.budget.give_back(retired.bytes),
            Some(retired) => around.safe_points.retire(retired),
            None => {}
        }
        Ok(())
    }

    /// Fetches what a look-up of this hash will need first.
    #[inline]
    pub(crate) fn prefetch(&self, hash: u64) {
        self.index.prefetch(hash);
    }
}
