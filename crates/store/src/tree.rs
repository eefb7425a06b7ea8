//! The tree-compressed state store.
//!
//! A state vector of 32-bit words is folded into a binary tree of 64-bit nodes (Laarman, van de Pol, Weber,
//! SPIN 2011): a pair of words is a node, and a pair of node numbers is a node. Nodes below the root are
//! interned in one table, so equal parts of states are held once; roots are interned in a table of their
//! own, where the position of a root is the [`StateId`]. A state that differs from a known one in few words
//! costs one look-up per node on the paths from those words to the root, and the same holds for reading it.

use crate::hash::mix;
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
    width: usize,
    shape: Shape,
    /// Counts the changes of width; what was expanded before one is no base for insertions after it.
    generation: u32,
    memory_limit: usize,
    inner: NodeTable,
    roots: NodeTable,
    /// Scratch: the nodes to be folded anew for the vector at hand, as a bit set.
    dirty: Vec<u64>,
    /// Scratch: the numbers of those nodes.
    fresh: Vec<u32>,
    /// Scratch of a batch: root nodes with their hashes, and the guesses at where they are.
    batch: Vec<(u64, u64)>,
    guesses: Vec<Option<(u32, u64)>>,
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

impl TreeStore {
    /// An empty store for vectors of `width` words; an odd width is rounded up.
    pub fn new(width: usize) -> Self {
        let mut store = TreeStore {
            width: 0,
            shape: Shape::new(2),
            generation: 0,
            memory_limit: usize::MAX,
            inner: NodeTable::new(),
            roots: NodeTable::new(),
            dirty: Vec::new(),
            fresh: Vec::new(),
            batch: Vec::new(),
            guesses: Vec::new(),
        };
        store.set_width(width);
        store
    }

    fn set_width(&mut self, width: usize) {
        self.shape = Shape::new(width);
        self.width = 2 * self.shape.pairs();
        self.dirty = vec![0; self.shape.blocks()];
        self.fresh = vec![UNKNOWN; self.shape.nodes()];
    }

    /// How many words a vector has: even, and at least two.
    #[inline]
    pub fn width(&self) -> usize {
        self.width
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

    /// How many nodes below the roots are stored: a measure of how well the states compress.
    pub fn inner_nodes(&self) -> usize {
        self.inner.len()
    }

    /// The bytes held, used or not.
    pub fn memory_bytes(&self) -> usize {
        self.inner.memory_bytes() + self.roots.memory_bytes()
    }

    /// Sets how many bytes the store may hold; an insertion that would need more fails.
    pub fn set_memory_limit(&mut self, bytes: usize) {
        self.memory_limit = bytes;
    }

    /// Stores a vector of [`TreeStore::width`] words.
    pub fn insert(&mut self, words: &[u32]) -> Result<Inserted, StoreFull> {
        self.mark_all();
        let root = self.fold(&[], words)?;
        self.insert_root(root, mix(root))
    }

    /// Stores a vector that differs little from an expanded one.
    pub fn insert_near(&mut self, base: &Expanded, words: &[u32]) -> Result<Inserted, StoreFull> {
        let root = self.fold_near(base, words)?;
        self.insert_root(root, mix(root))
    }

    /// Stores several vectors that differ little from an expanded one, given one after another in `vectors`,
    /// and appends what they are to `inserted`. This is quicker than one by one, since the cache misses of
    /// the vectors overlap.
    pub fn insert_batch(
        &mut self,
        base: &Expanded,
        vectors: &[u32],
        inserted: &mut Vec<Inserted>,
    ) -> Result<(), StoreFull> {
        let mut batch = std::mem::take(&mut self.batch);
        let mut guesses = std::mem::take(&mut self.guesses);
        batch.clear();
        guesses.clear();
        let result = self.insert_all(base, vectors, inserted, &mut batch, &mut guesses);
        self.batch = batch;
        self.guesses = guesses;
        result
    }

    fn insert_all(
        &mut self,
        base: &Expanded,
        vectors: &[u32],
        inserted: &mut Vec<Inserted>,
        batch: &mut Vec<(u64, u64)>,
        guesses: &mut Vec<Option<(u32, u64)>>,
    ) -> Result<(), StoreFull> {
        for words in vectors.chunks_exact(self.width) {
            let root = self.fold_near(base, words)?;
            batch.push((root, mix(root)));
        }
        // Two rounds of loads that do not depend on each other: first the slots, then the roots they name.
        guesses.extend(batch.iter().map(|&(_, hash)| self.roots.guess(hash).map(|number| (number, 0))));
        for (number, root) in guesses.iter_mut().flatten() {
            *root = self.roots.get(*number);
        }
        for (&(root, hash), guess) in batch.iter().zip(guesses.iter()) {
            inserted.push(match *guess {
                Some((number, there)) if there == root => Inserted { state: StateId(number), is_new: false },
                _ => self.insert_root(root, hash)?,
            });
        }
        Ok(())
    }

    /// Reads a state. Only the parts in which it differs from what `into` held before are decoded, so
    /// reading a neighbour of the state read last is cheap.
    pub fn load(&self, state: StateId, into: &mut Expanded) {
        if into.generation != Some(self.generation) || into.words.len() != self.width {
            into.generation = Some(self.generation);
            into.words.clear();
            into.words.resize(self.width, 0);
            into.nodes.clear();
            into.nodes.resize(self.shape.nodes(), UNKNOWN);
        }
        let pairs = self.shape.pairs();
        let root = self.shape.root();
        let node = self.roots.get(state.0);
        if root < pairs {
            into.words[0] = node as u32;
            into.words[1] = (node >> 32) as u32;
            return;
        }
        // The waiting nodes are a path's width at most: one sibling per level.
        let mut waiting = [(0_usize, 0_u64); 64];
        waiting[0] = (root, node);
        let mut count = 1;
        while count > 0 {
            count -= 1;
            let (position, node) = waiting[count];
            let halves = [node as u32, (node >> 32) as u32];
            for (child, number) in self.shape.children(position).into_iter().zip(halves) {
                if into.nodes[child] == number {
                    continue;
                }
                into.nodes[child] = number;
                let below = self.inner.get(number);
                if child < pairs {
                    into.words[2 * child] = below as u32;
                    into.words[2 * child + 1] = (below >> 32) as u32;
                } else {
                    waiting[count] = (child, below);
                    count += 1;
                }
            }
        }
    }

    /// Makes vectors longer: every stored state gets zero words at its end and keeps its name. Costs as much
    /// as inserting all states anew and holds both forms meanwhile, so widths should grow in large steps,
    /// such as by doubling. After an error the store is what it was.
    pub fn grow_width(&mut self, width: usize) -> Result<(), StoreFull> {
        if width <= self.width {
            return Ok(());
        }
        let mut wider = TreeStore::new(width);
        wider.generation = self.generation + 1;
        wider.memory_limit = self.memory_limit.saturating_sub(self.memory_bytes());
        let mut narrow = Expanded::new();
        let mut wide = Expanded::new();
        let mut words = vec![0; wider.width];
        for number in 0..self.len() as u32 {
            self.load(StateId(number), &mut narrow);
            words[..self.width].copy_from_slice(narrow.words());
            let inserted = wider.insert_near(&wide, &words)?;
            wider.load(inserted.state, &mut wide);
        }
        wider.memory_limit = self.memory_limit;
        *self = wider;
        Ok(())
    }

    /// Marks every node as to be folded.
    fn mark_all(&mut self) {
        let nodes = self.shape.nodes();
        for (block, marks) in self.dirty.iter_mut().enumerate() {
            let here = (nodes - 64 * block).min(64);
            *marks = u64::MAX >> (64 - here);
        }
    }

    /// The root node of a vector, with everything below the root interned.
    #[inline]
    fn fold_near(&mut self, base: &Expanded, words: &[u32]) -> Result<u64, StoreFull> {
        if base.generation != Some(self.generation) || base.words.len() != self.width {
            self.mark_all();
            return self.fold(&[], words);
        }
        self.dirty.fill(0);
        let mut pair = 0;
        // Eight words at a time are compared at the price of one; most are equal.
        let (old_blocks, old_rest) = base.words.as_chunks::<8>();
        let (new_blocks, new_rest) = words.as_chunks::<8>();
        for (old, new) in old_blocks.iter().zip(new_blocks) {
            if old != new {
                for offset in 0..4 {
                    if old[2 * offset] != new[2 * offset] || old[2 * offset + 1] != new[2 * offset + 1] {
                        self.mark_path(pair + offset);
                    }
                }
            }
            pair += 4;
        }
        for (old, new) in old_rest.chunks_exact(2).zip(new_rest.chunks_exact(2)) {
            if old != new {
                self.mark_path(pair);
            }
            pair += 1;
        }
        self.fold(&base.nodes, words)
    }

    #[inline]
    fn mark_path(&mut self, pair: usize) {
        for (marks, path) in self.dirty.iter_mut().zip(self.shape.path(pair)) {
            *marks |= path;
        }
    }

    /// Interns the marked nodes below the root, children first, and gives the root. Unmarked nodes are known
    /// from `known`.
    #[inline]
    fn fold(&mut self, known: &[u32], words: &[u32]) -> Result<u64, StoreFull> {
        let root = self.shape.root();
        for block in 0..self.dirty.len() {
            let mut marks = self.dirty[block];
            while marks != 0 {
                let position = 64 * block + marks.trailing_zeros() as usize;
                marks &= marks - 1;
                if position == root {
                    break;
                }
                let node = self.node(position, known, words);
                self.fresh[position] = match self.inner.intern(node) {
                    Ok((number, _)) => number,
                    Err(_) => self.intern_with_growth(node)?,
                };
            }
        }
        Ok(self.node(root, known, words))
    }

    #[inline]
    fn node(&self, position: usize, known: &[u32], words: &[u32]) -> u64 {
        let [low, high] = if position < self.shape.pairs() {
            [words[2 * position], words[2 * position + 1]]
        } else {
            self.shape.children(position).map(|child| {
                if self.dirty[child / 64] >> (child % 64) & 1 == 1 { self.fresh[child] } else { known[child] }
            })
        };
        u64::from(low) | u64::from(high) << 32
    }

    #[cold]
    fn intern_with_growth(&mut self, node: u64) -> Result<u32, StoreFull> {
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
