//! What a worker keeps for itself, and how it folds vectors with it: only what differs from a state at hand is looked up.

use std::ops::Range;

use super::{Expanded, Inserted, Tables, UNKNOWN};
use crate::concurrent::Start;
use crate::nodes::{NodeWriter, Surroundings};
use crate::shape::Shape;
use crate::{StateId, StoreFull};

/// What a worker keeps for itself.
#[derive(Debug)]
pub(super) struct Worker {
    pub(super) scratch: Scratch,
    pub(super) leaves: NodeWriter<u128>,
    pub(super) inner: NodeWriter<u64>,
    pub(super) roots: NodeWriter<u64>,
}

/// What is known of the vectors of an insertion while they are folded.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    /// The positions at which the vector at hand differs from the base, as a bit set.
    changed: Vec<u64>,
    /// The numbers of the nodes of the vector at hand, by position; those of the base between two vectors.
    nodes: Vec<u32>,
    /// The roots of the vectors with their hashes, and where to look for them.
    pub(super) roots: Vec<(u64, u64, Start)>,
}

impl Scratch {
    fn new(shape: &Shape) -> Self {
        Scratch {
            changed: vec![0; shape.blocks()],
            nodes: vec![UNKNOWN; shape.positions()],
            roots: Vec::new(),
        }
    }

    /// The node above two that are done.
    #[inline]
    fn above(&self, position: usize) -> u64 {
        let children = &self.nodes[2 * position..][..2];
        u64::from(children[0]) | u64::from(children[1]) << 32
    }

    /// Puts the nodes of the base back in some positions of a block.
    #[inline]
    fn restore(&mut self, block: usize, mut positions: u64, base: &[u32]) {
        while positions != 0 {
            let position = 64 * block + positions.trailing_zeros() as usize;
            positions &= positions - 1;
            self.nodes[position] = base[position];
        }
    }
}

impl Worker {
    pub(super) fn new(shape: &Shape, roots: Range<u32>) -> Self {
        Worker {
            scratch: Scratch::new(shape),
            // What lies below the roots is little and looked up often; roots are many and looked up once.
            leaves: NodeWriter::with_memory(),
            inner: NodeWriter::with_memory(),
            roots: NodeWriter::new(roots),
        }
    }

    pub(super) const MEMORY_BYTES: usize = NodeWriter::<u128>::MEMORY_BYTES + NodeWriter::<u64>::MEMORY_BYTES;

    /// Makes ready for vectors that are near an expanded one, if it can serve as a base.
    #[inline]
    pub(super) fn begin(&mut self, tables: &Tables, base: &Expanded) {
        if base.is_of(tables) {
            self.scratch.nodes.copy_from_slice(&base.nodes);
        }
    }

    /// The root of a vector, with everything below it interned. [`Worker::begin`] comes first.
    #[inline(always)]
    pub(super) fn fold(
        &mut self,
        tables: &Tables,
        base: &Expanded,
        words: &[u32],
        around: Surroundings<'_>,
    ) -> Result<u64, StoreFull> {
        let words = &words[..tables.shape.width()];
        if !base.is_of(tables) {
            // Every node is changed, so none is taken from a base.
            tables.shape.all(&mut self.scratch.changed);
            return self.fold_blocks(tables, words, around);
        }
        if self.scratch.changed.len() == 1 {
            let changed = tables.shape.changed_in_one_block(&base.words, words);
            self.fold_leaves(tables, 0, changed, words, around)?;
            self.fold_inner(tables, 0, changed, around)?;
            let root = self.scratch.above(1);
            self.scratch.restore(0, changed, &base.nodes);
            return Ok(root);
        }
        tables.shape.changed(&base.words, words, &mut self.scratch.changed);
        let root = self.fold_blocks(tables, words, around)?;
        for block in 0..self.scratch.changed.len() {
            self.scratch.restore(block, self.scratch.changed[block], &base.nodes);
        }
        Ok(root)
    }

    /// Interns the changed nodes below the root, children first.
    fn fold_blocks(
        &mut self,
        tables: &Tables,
        words: &[u32],
        around: Surroundings<'_>,
    ) -> Result<u64, StoreFull> {
        for block in (0..self.scratch.changed.len()).rev() {
            self.fold_leaves(tables, block, self.scratch.changed[block], words, around)?;
        }
        for block in (0..self.scratch.changed.len()).rev() {
            self.fold_inner(tables, block, self.scratch.changed[block], around)?;
        }
        Ok(self.scratch.above(1))
    }

    /// Interns the changed leaves of a block.
    #[inline(always)]
    fn fold_leaves(
        &mut self,
        tables: &Tables,
        block: usize,
        changed: u64,
        words: &[u32],
        around: Surroundings<'_>,
    ) -> Result<(), StoreFull> {
        let mut positions = changed & tables.shape.leaves_in(block);
        while positions != 0 {
            let position = 64 * block + positions.trailing_zeros() as usize;
            positions &= positions - 1;
            let leaf = tables.shape.leaf(position, words);
            self.scratch.nodes[position] = tables.leaves.number(&mut self.leaves, leaf, around)?;
        }
        Ok(())
    }

    /// Interns the changed nodes of a block between root and leaves, of which those below are done.
    #[inline(always)]
    fn fold_inner(
        &mut self,
        tables: &Tables,
        block: usize,
        changed: u64,
        around: Surroundings<'_>,
    ) -> Result<(), StoreFull> {
        let mut positions = changed & tables.shape.inner_in(block);
        while positions != 0 {
            let bit = 63 - positions.leading_zeros() as usize;
            positions ^= 1 << bit;
            let position = 64 * block + bit;
            let node = self.scratch.above(position);
            self.scratch.nodes[position] = tables.inner.number(&mut self.inner, node, around)?;
        }
        Ok(())
    }

    #[inline]
    pub(super) fn insert_root(
        &mut self,
        tables: &Tables,
        (root, hash, start): (u64, u64, Start),
        around: Surroundings<'_>,
    ) -> Result<Inserted, StoreFull> {
        let (number, is_new) = tables.roots.intern_from(&mut self.roots, root, hash, start, around)?;
        Ok(Inserted { state: StateId(number), is_new })
    }
}
