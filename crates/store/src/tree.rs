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

/// What is known of the vectors of an insertion while they are folded.
#[derive(Clone, Debug, Default)]
struct Scratch {
    /// The positions at which the vector at hand differs from the base, as a bit set.
    changed: Vec<u64>,
    /// The numbers of its nodes at those positions.
    fresh: Vec<u32>,
    /// The nodes of no state, in place of a base.
    nobody: Vec<u32>,
    /// The roots of the vectors with their hashes.
    roots: Vec<(u64, u64)>,
}

/// How full the index of the roots may get: most of what a state costs is its root and its slot.
pub(crate) const ROOTS_FULL_PERCENT: usize = 90;

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
    fn new(shape: &Shape) -> Self {
        Scratch {
            changed: vec![0; shape.blocks()],
            fresh: vec![UNKNOWN; shape.positions()],
            nobody: vec![UNKNOWN; shape.positions()],
            roots: Vec::new(),
        }
    }

    /// The number of the node at a position, which is the base's unless it is changed.
    #[inline]
    fn number(&self, position: usize, base: &[u32]) -> u32 {
        let (fresh, known) = (self.fresh[position], base[position]);
        if self.changed[position / 64] >> (position % 64) & 1 == 1 { fresh } else { known }
    }

    /// The node above two that are done.
    #[inline]
    fn above(&self, position: usize, base: &[u32]) -> u64 {
        let low = self.number(2 * position, base);
        let high = self.number(2 * position + 1, base);
        u64::from(low) | u64::from(high) << 32
    }
}

impl TreeStore {
    /// An empty store for vectors of `width` words, at least one.
    pub fn new(width: usize) -> Self {
        let shape = Shape::new(width);
        let scratch = Scratch::new(&shape);
        TreeStore {
            shape,
            generation: 0,
            memory_limit: usize::MAX,
            // What lies below the roots is little and looked up often; roots are many and looked up once.
            leaves: NodeTable::new(70).with_memory(),
            inner: NodeTable::new(70).with_memory(),
            roots: NodeTable::new(ROOTS_FULL_PERCENT),
            scratch,
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
        let root = self.fold(base, words)?;
        self.insert_root(root, root.hash())
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
        self.scratch.roots.clear();
        for words in vectors.chunks_exact(self.width()) {
            let root = self.fold(base, words)?;
            let hash = root.hash();
            self.roots.touch(hash);
            self.scratch.roots.push((root, hash));
        }
        for position in 0..self.scratch.roots.len() {
            let (root, hash) = self.scratch.roots[position];
            inserted.push(self.insert_root(root, hash)?);
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

    /// The root of a vector, with everything below it interned.
    #[inline]
    fn fold(&mut self, base: &Expanded, words: &[u32]) -> Result<u64, StoreFull> {
        let words = &words[..self.shape.width()];
        if base.generation == Some(self.generation) && base.words.len() == words.len() {
            self.shape.changed(&base.words, words, &mut self.scratch.changed);
            self.fold_changed(&base.nodes, words)
        } else {
            self.shape.all(&mut self.scratch.changed);
            // Every node is changed, so none is taken from a base.
            let nobody = std::mem::take(&mut self.scratch.nobody);
            let root = self.fold_changed(&nobody, words);
            self.scratch.nobody = nobody;
            root
        }
    }

    /// Interns the changed nodes below the root, children first.
    #[inline]
    fn fold_changed(&mut self, base: &[u32], words: &[u32]) -> Result<u64, StoreFull> {
        for block in (0..self.scratch.changed.len()).rev() {
            let mut positions = self.scratch.changed[block] & self.shape.leaves_in(block);
            while positions != 0 {
                let position = 64 * block + positions.trailing_zeros() as usize;
                positions &= positions - 1;
                let leaf = self.shape.leaf(position, words);
                self.scratch.fresh[position] = match self.leaves.number(leaf) {
                    Ok(number) => number,
                    Err(_) => self.intern_leaf_with_growth(leaf)?,
                };
            }
        }
        for block in (0..self.scratch.changed.len()).rev() {
            let mut positions = self.scratch.changed[block] & self.shape.inner_in(block);
            while positions != 0 {
                let bit = 63 - positions.leading_zeros() as usize;
                positions ^= 1 << bit;
                let position = 64 * block + bit;
                let node = self.scratch.above(position, base);
                self.scratch.fresh[position] = match self.inner.number(node) {
                    Ok(number) => number,
                    Err(_) => self.intern_inner_with_growth(node)?,
                };
            }
        }
        Ok(self.scratch.above(1, base))
    }

    #[cold]
    fn intern_leaf_with_growth(&mut self, leaf: u128) -> Result<u32, StoreFull> {
        self.check_limit(self.leaves.growth_bytes())?;
        self.leaves.grow()?;
        self.leaves.number(leaf).map_err(|_| StoreFull::OutOfMemory)
    }

    #[cold]
    fn intern_inner_with_growth(&mut self, node: u64) -> Result<u32, StoreFull> {
        self.check_limit(self.inner.growth_bytes())?;
        self.inner.grow()?;
        self.inner.number(node).map_err(|_| StoreFull::OutOfMemory)
    }

    #[inline]
    fn insert_root(&mut self, root: u64, hash: u64) -> Result<Inserted, StoreFull> {
        if self.roots.needs_room() {
            self.check_limit(self.roots.growth_bytes())?;
            self.roots.grow()?;
        }
        let (number, is_new) = self.roots.intern(root, hash).map_err(|_| StoreFull::OutOfMemory)?;
        Ok(Inserted { state: StateId(number), is_new })
    }

    fn check_limit(&self, more: usize) -> Result<(), StoreFull> {
        let enough = self.memory_bytes().saturating_add(more) <= self.memory_limit;
        if enough { Ok(()) } else { Err(StoreFull::MemoryLimit) }
    }
}
