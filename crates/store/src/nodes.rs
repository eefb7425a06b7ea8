//! A table of interned nodes: each distinct node has one number.
//!
//! The table is shared by all workers; what a worker keeps for itself is a [`NodeWriter`]: numbers to use next, slots of the
//! index that were set aside for it, and a small direct-mapped memory of the nodes asked for last. Neighbouring states ask
//! for the same few nodes again and again, and that memory answers most of these questions from the nearest cache. Tables
//! whose nodes are asked for at random are used without it.

use std::ops::Range;

use crate::StoreFull;
use crate::budget::Budget;
use crate::concurrent::{Array, Index, Place, Probe, Retired, Room, SEGMENT_BITS, SEGMENTS, Stale, Start};
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
        match writer.recent.get(place) {
            Some(&(recent, number)) if recent == node && number != NOBODY => Ok(number),
            _ => self.number_not_recent(writer, node, hash, around),
        }
    }

    /// The number of a node that was not asked for recently.
    #[inline(never)]
    fn number_not_recent(
        &self,
        writer: &mut NodeWriter<K>,
        node: K,
        hash: u64,
        around: Surroundings<'_>,
    ) -> Result<u32, StoreFull> {
        let (number, _) = self.intern(writer, node, hash, around)?;
        if let Some(recent) = writer.recent.get_mut((hash >> (64 - RECENT_BITS)) as usize) {
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
        self.intern_from(writer, node, hash, self.index.start(hash), around)
    }

    /// The same where it is known where to begin; see [`NodeTable::start`].
    #[inline]
    pub(crate) fn intern_from(
        &self,
        writer: &mut NodeWriter<K>,
        node: K,
        hash: u64,
        start: Start,
        around: Surroundings<'_>,
    ) -> Result<(u32, bool), StoreFull> {
        match self.probe(node, hash, start) {
            Probe::Found(number) => Ok((number, false)),
            ended => self.add(writer, node, hash, ended, around),
        }
    }

    #[inline]
    fn probe(&self, node: K, hash: u64, start: Start) -> Probe {
        self.index.probe(hash, start, |number| self.nodes.get(number) == node)
    }

    /// Adds a node that a probe has not found, unless somebody else does: then it is found after all.
    #[inline(never)]
    fn add(
        &self,
        writer: &mut NodeWriter<K>,
        node: K,
        hash: u64,
        mut ended: Probe,
        around: Surroundings<'_>,
    ) -> Result<(u32, bool), StoreFull> {
        loop {
            match ended {
                Probe::Found(number) => return Ok((number, false)),
                Probe::Moved(stale) => self.grow(stale, around)?,
                Probe::Vacant(place) => {
                    if let Some(number) = self.put(writer, node, hash, place, around)? {
                        return Ok((number, true));
                    }
                }
            }
            ended = self.probe(node, hash, self.index.start(hash));
        }
    }

    /// Puts a node at a place that was vacant. None where it is not any more, or has to grow first: it has grown then.
    #[inline]
    fn put(
        &self,
        writer: &mut NodeWriter<K>,
        node: K,
        hash: u64,
        place: Place,
        around: Surroundings<'_>,
    ) -> Result<Option<u32>, StoreFull> {
        let segment = if SEGMENT_BITS == 0 { 0 } else { (hash >> (64 - SEGMENT_BITS)) as usize };
        if writer.unused.is_empty() {
            writer.unused = self.nodes.next_block(&mut writer.room, around.budget)?;
        }
        let number = writer.unused.start;
        if !self.index.fits(place, number) {
            self.grow(self.index.stale(place, hash), around)?;
            return Ok(None);
        }
        if writer.credit[segment] == 0 {
            match self.index.set_aside(place, hash) {
                Ok(slots) => writer.credit[segment] = slots,
                Err(stale) => {
                    self.grow(stale, around)?;
                    return Ok(None);
                }
            }
        }
        self.nodes.set(number, node, &mut writer.room, around.budget)?;
        if !self.index.publish(place, hash, number, around.alone) {
            return Ok(None);
        }
        writer.unused.start += 1;
        writer.credit[segment] -= 1;
        Ok(Some(number))
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

    /// Where a look-up of this hash begins, which is fetched. Good until the next safe point.
    #[inline]
    pub(crate) fn start(&self, hash: u64) -> Start {
        self.index.start(hash)
    }
}
