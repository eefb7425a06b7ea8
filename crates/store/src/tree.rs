//! The tree-compressed state store.
//!
//! A state vector of 32-bit words is folded into a binary tree (Laarman, van de Pol, Weber, SPIN 2011): a few
//! words are a leaf, and the numbers of two nodes are a node above them. Leaves and nodes below the root are
//! interned in tables of their own, so equal parts of states are held once; roots are interned in a third
//! table, where the position of a root is the [`StateId`]. A state that differs from a known one in few words
//! costs one look-up per node on the paths from those words to the root, and the same holds for reading it.

use crate::hash::Key;
use crate::nodes::NodeTable;
use crate::shape::Shape;
use crate::{StateId, StoreFull};

/// Which state a vector is, and whether it was not stored before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inserted {
    /// The name of the vector.
    pub state: StateId,
    /// Whether this insertion gave it.
    pub is_new: bool,
}

/// A set of state vectors of one width; see the module's description.
#[derive(Clone, Debug)]
pub struct TreeStore {
    shape: Shape,
    /// Counts the changes of width; what was expanded before one is no base for insertions after it.
    generation: u32,
    memory_limit: usize,
    leaves: NodeTable<u128>,
    inner: NodeTable<u64>,
    roots: NodeTable<u64>,
    scratch: Scratch,
}

/// A state in both forms, words and tree: what [`TreeStore::load`] reads into, and what later insertions are
/// compared with. It belongs to the store that filled it.
#[derive(Clone, Debug, Default)]
pub struct Expanded {
    words: Vec<u32>,
    /// The numbers of the nodes below the root, by their position in the shape.
    nodes: Vec<u32>,
    generation: Option<u32>,
}

/// What is known of a batch of vectors while it is folded. A batch has up to [`BATCH`] vectors, and a set of
/// them is a bit set in one word.
#[derive(Clone, Debug, Default)]
struct Scratch {
    /// For each position in the tree the vectors whose node there differs from the base.
    changed: Vec<u32>,
    /// The positions that some vector changes, as a bit set.
    positions: Vec<u64>,
    /// The numbers of changed nodes; those of one position lie together.
    fresh: Vec<[u32; BATCH]>,
    /// The roots of the vectors with their hashes, and guesses at where they are.
    roots: Vec<(u64, u64)>,
    guesses: Vec<Option<(u32, u64)>>,
}

/// The most vectors that are folded at once.
const BATCH: usize = 32;

/// A number that no node has: the mark of a position that was never filled.
const UNKNOWN: u32 = u32::MAX;

impl Expanded {
    /// Room for a state; nothing is loaded yet.
    pub fn new() -> Self {
        Expanded::default()
    }

    /// The words of the state loaded last.
    #[inline]
    pub fn words(&self) -> &[u32] {
        &self.words
    }
}

impl Scratch {
    fn new(shape: Shape) -> Self {
        Scratch {
            changed: vec![0; shape.positions()],
            positions: vec![0; shape.positions().div_ceil(64)],
            fresh: vec![[UNKNOWN; BATCH]; shape.positions()],
            roots: Vec::with_capacity(BATCH),
            guesses: Vec::with_capacity(BATCH),
        }
    }

    /// Marks the nodes from a leaf up to the root as changed by a vector.
    #[inline]
    fn mark_path(&mut self, leaf: usize, vector: usize) {
        let mut position = leaf;
        while position > 0 && self.changed[position] >> vector & 1 == 0 {
            self.changed[position] |= 1 << vector;
            self.positions[position / 64] |= 1 << (position % 64);
            position /= 2;
        }
    }

    /// The number of a vector's node, which is the base's unless it is marked.
    #[inline]
    fn number(&self, position: usize, vector: usize, base: &[u32]) -> u32 {
        if self.changed[position] >> vector & 1 == 1 {
            self.fresh[position][vector % BATCH]
        } else {
            base[position]
        }
    }

    /// The node above two that are done.
    #[inline]
    fn above(&self, position: usize, vector: usize, base: &[u32]) -> u64 {
        let low = self.number(2 * position, vector, base);
        let high = self.number(2 * position + 1, vector, base);
        u64::from(low) | u64::from(high) << 32
    }

    fn unmark(&mut self) {
        for block in 0..self.positions.len() {
            let mut positions = std::mem::take(&mut self.positions[block]);
            while positions != 0 {
                self.changed[64 * block + positions.trailing_zeros() as usize] = 0;
                positions &= positions - 1;
            }
        }
    }
}

impl TreeStore {
    /// An empty store for vectors of `width` words, at least one.
    pub fn new(width: usize) -> Self {
        let shape = Shape::new(width);
        TreeStore {
            shape,
            generation: 0,
            memory_limit: usize::MAX,
            // What lies below the roots is little and looked up often; roots are many and looked up once.
            leaves: NodeTable::new(60),
            inner: NodeTable::new(60),
            roots: NodeTable::new(85),
            scratch: Scratch::new(shape),
        }
    }

    /// How many words a vector has.
    #[inline]
    pub fn width(&self) -> usize {
        self.shape.width()
    }

    /// How many states are stored. Their names are the numbers below this one.
    #[inline]
    pub fn len(&self) -> usize {
        self.roots.len()
    }

    /// Whether no state is stored.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many leaves and inner nodes are stored: a measure of how well the states compress.
    pub fn shared_nodes(&self) -> (usize, usize) {
        (self.leaves.len(), self.inner.len())
    }

    /// The bytes held, used or not.
    pub fn memory_bytes(&self) -> usize {
        self.leaves.memory_bytes() + self.inner.memory_bytes() + self.roots.memory_bytes()
    }

    /// Sets how many bytes the store may hold; an insertion that would need more fails.
    pub fn set_memory_limit(&mut self, bytes: usize) {
        self.memory_limit = bytes;
    }

    /// Stores a vector of [`TreeStore::width`] words.
    pub fn insert(&mut self, words: &[u32]) -> Result<Inserted, StoreFull> {
        self.insert_near(&Expanded::new(), words)
    }

    /// Stores a vector that differs little from an expanded one.
    pub fn insert_near(&mut self, base: &Expanded, words: &[u32]) -> Result<Inserted, StoreFull> {
        self.fold(base, words)?;
        let (root, hash) = self.scratch.roots[0];
        self.insert_root(root, hash)
    }

    /// Stores several vectors that differ little from an expanded one, given one after another in `vectors`,
    /// and appends what they are to `inserted`. This is quicker than one by one, since the processor waits
    /// for the memory of all of them at once.
    pub fn insert_batch(
        &mut self,
        base: &Expanded,
        vectors: &[u32],
        inserted: &mut Vec<Inserted>,
    ) -> Result<(), StoreFull> {
        for some in vectors.chunks(self.width() * BATCH) {
            self.fold(base, some)?;
            // Two rounds of loads that do not depend on each other: the slots, then the roots they name.
            let Scratch { roots, guesses, .. } = &mut self.scratch;
            let table = &self.roots;
            guesses.clear();
            guesses.extend(roots.iter().map(|&(_, hash)| table.guess(hash).map(|number| (number, 0))));
            for (number, root) in guesses.iter_mut().flatten() {
                *root = table.get(*number);
            }
            for position in 0..self.scratch.roots.len() {
                let (root, hash) = self.scratch.roots[position];
                inserted.push(match self.scratch.guesses[position] {
                    Some((number, there)) if there == root => {
                        Inserted { state: StateId(number), is_new: false }
                    }
                    _ => self.insert_root(root, hash)?,
                });
            }
        }
        Ok(())
    }

    /// Reads a state. Only the parts in which it differs from what `into` held before are decoded, so
    /// reading a neighbour of the state read last is cheap.
    pub fn load(&self, state: StateId, into: &mut Expanded) {
        if into.generation != Some(self.generation) || into.words.len() != self.width() {
            into.generation = Some(self.generation);
            into.words.clear();
            into.words.resize(self.width(), 0);
            into.nodes.clear();
            into.nodes.resize(self.shape.positions(), UNKNOWN);
        }
        // At most one sibling per level waits.
        let mut waiting = [(1, self.roots.get(state.0)); 64];
        let mut count = 1;
        while count > 0 {
            count -= 1;
            let (position, node) = waiting[count];
            for (child, number) in [(2 * position, node as u32), (2 * position + 1, (node >> 32) as u32)] {
                if into.nodes[child] == number {
                    continue;
                }
                into.nodes[child] = number;
                if self.shape.is_leaf(child) {
                    let mut leaf = self.leaves.get(number);
                    for word in &mut into.words[self.shape.words_of(child)] {
                        *word = leaf as u32;
                        leaf >>= 32;
                    }
                } else {
                    waiting[count] = (child, self.inner.get(number));
                    count += 1;
                }
            }
        }
    }

    /// Makes vectors longer: every stored state gets zero words at its end and keeps its name. Costs as much
    /// as inserting all states anew and holds both forms meanwhile, so widths should grow in large steps,
    /// such as by doubling. After an error the store is what it was.
    pub fn grow_width(&mut self, width: usize) -> Result<(), StoreFull> {
        if width <= self.width() {
            return Ok(());
        }
        let mut wider = TreeStore::new(width);
        wider.generation = self.generation + 1;
        wider.memory_limit = self.memory_limit.saturating_sub(self.memory_bytes());
        let mut narrow = Expanded::new();
        let mut wide = Expanded::new();
        let mut words = vec![0; width];
        for number in 0..self.len() as u32 {
            self.load(StateId(number), &mut narrow);
            words[..self.width()].copy_from_slice(narrow.words());
            let inserted = wider.insert_near(&wide, &words)?;
            wider.load(inserted.state, &mut wide);
        }
        wider.memory_limit = self.memory_limit;
        *self = wider;
        Ok(())
    }

    /// Interns everything below the roots of at most [`BATCH`] vectors and leaves the roots in the scratch.
    fn fold(&mut self, base: &Expanded, vectors: &[u32]) -> Result<(), StoreFull> {
        let has_base = base.generation == Some(self.generation) && base.words.len() == self.width();
        for (vector, words) in vectors.chunks_exact(self.width()).enumerate() {
            if has_base {
                self.mark_changes(vector, &base.words, words);
            } else {
                for leaf in self.shape.positions() / 2..self.shape.positions() {
                    self.scratch.mark_path(leaf, vector);
                }
            }
        }
        let result = self.fold_marked(&base.nodes, vectors);
        self.scratch.unmark();
        result
    }

    /// Marks the paths from the words of a vector that differ from the base up to the root.
    #[inline]
    fn mark_changes(&mut self, vector: usize, old: &[u32], new: &[u32]) {
        // Eight words at a time are compared at the price of one; most are equal.
        let (old_blocks, old_rest) = old.as_chunks::<8>();
        let (new_blocks, new_rest) = new.as_chunks::<8>();
        let mut first = 0;
        for (old, new) in old_blocks.iter().zip(new_blocks) {
            if old != new {
                for word in 0..8 {
                    if old[word] != new[word] {
                        self.scratch.mark_path(self.shape.leaf_of(first + word), vector);
                    }
                }
            }
            first += 8;
        }
        for (old, new) in old_rest.iter().zip(new_rest) {
            if old != new {
                self.scratch.mark_path(self.shape.leaf_of(first), vector);
            }
            first += 1;
        }
    }

    /// Takes the marked nodes position by position, children first, and at each position vector by vector:
    /// the look-ups along one vector's path wait for each other, those of different vectors do not.
    #[inline]
    fn fold_marked(&mut self, base: &[u32], vectors: &[u32]) -> Result<(), StoreFull> {
        let width = self.width();
        for block in (0..self.scratch.positions.len()).rev() {
            let mut positions = self.scratch.positions[block];
            while positions != 0 {
                let bit = 63 - positions.leading_zeros() as usize;
                positions ^= 1 << bit;
                let position = 64 * block + bit;
                if position == 1 {
                    break;
                }
                let mut which = self.scratch.changed[position];
                while which != 0 {
                    let vector = which.trailing_zeros() as usize;
                    which &= which - 1;
                    let number = if self.shape.is_leaf(position) {
                        let words = &vectors[vector * width..][self.shape.words_of(position)];
                        let leaf = words.iter().rev().fold(0, |leaf, &word| leaf << 32 | u128::from(word));
                        match self.leaves.intern(leaf) {
                            Ok((number, _)) => number,
                            Err(_) => self.intern_leaf_with_growth(leaf)?,
                        }
                    } else {
                        let node = self.scratch.above(position, vector, base);
                        match self.inner.intern(node) {
                            Ok((number, _)) => number,
                            Err(_) => self.intern_inner_with_growth(node)?,
                        }
                    };
                    self.scratch.fresh[position][vector] = number;
                }
            }
        }
        self.scratch.roots.clear();
        for vector in 0..vectors.len() / width {
            let root = self.scratch.above(1, vector, base);
            self.scratch.roots.push((root, root.hash()));
        }
        Ok(())
    }

    #[cold]
    fn intern_leaf_with_growth(&mut self, leaf: u128) -> Result<u32, StoreFull> {
        self.check_limit(self.leaves.growth_bytes())?;
        self.leaves.grow()?;
        self.leaves.intern(leaf).map(|(number, _)| number).map_err(|_| StoreFull::OutOfMemory)
    }

    #[cold]
    fn intern_inner_with_growth(&mut self, node: u64) -> Result<u32, StoreFull> {
        self.check_limit(self.inner.growth_bytes())?;
        self.inner.grow()?;
        self.inner.intern(node).map(|(number, _)| number).map_err(|_| StoreFull::OutOfMemory)
    }

    #[inline]
    fn insert_root(&mut self, root: u64, hash: u64) -> Result<Inserted, StoreFull> {
        if self.roots.needs_room() {
            self.check_limit(self.roots.growth_bytes())?;
            self.roots.grow()?;
        }
        let (number, is_new) = self.roots.intern_hashed(root, hash).map_err(|_| StoreFull::OutOfMemory)?;
        Ok(Inserted { state: StateId(number), is_new })
    }

    fn check_limit(&self, more: usize) -> Result<(), StoreFull> {
        let enough = self.memory_bytes().saturating_add(more) <= self.memory_limit;
        if enough { Ok(()) } else { Err(StoreFull::MemoryLimit) }
    }
}
