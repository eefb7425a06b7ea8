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
    changed: Vec<u64>,
    /// The positions that some vector changes, as a bit set.
    positions: Vec<u64>,
    /// The numbers of changed nodes; those of one position lie together.
    fresh: Vec<u32>,
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

impl TreeStore {
    /// An empty store for vectors of `width` words; an odd width is rounded up.
    pub fn new(width: usize) -> Self {
        let mut store = TreeStore {
            width: 0,
            shape: Shape::new(2),
            generation: 0,
            memory_limit: usize::MAX,
            // Inner nodes are few and looked up often, roots are many and looked up once per insertion.
            inner: NodeTable::new(60),
            roots: NodeTable::new(85),
            scratch: Scratch::default(),
        };
        store.set_width(width);
        store
    }

    fn set_width(&mut self, width: usize) {
        self.shape = Shape::new(width);
        self.width = 2 * self.shape.pairs();
        self.scratch.changed = vec![0; self.shape.nodes()];
        self.scratch.positions = vec![0; self.shape.blocks()];
        self.scratch.fresh = vec![UNKNOWN; self.shape.nodes() * BATCH];
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
        self.insert_near(&Expanded::new(), words)
    }

    /// Stores a vector that differs little from an expanded one.
    pub fn insert_near(&mut self, base: &Expanded, words: &[u32]) -> Result<Inserted, StoreFull> {
        self.fold(base, &words[..self.width])?;
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
        for some in vectors.chunks(self.width * BATCH) {
            self.fold(base, some)?;
            // Two rounds of loads that do not depend on each other: the slots, then the roots they name.
            let mut guesses = std::mem::take(&mut self.scratch.guesses);
            guesses.clear();
            let roots = &self.roots;
            guesses.extend(
                self.scratch.roots.iter().map(|&(_, hash)| roots.guess(hash).map(|number| (number, 0))),
            );
            for (number, root) in guesses.iter_mut().flatten() {
                *root = self.roots.get(*number);
            }
            for (position, guess) in guesses.iter().enumerate() {
                let (root, hash) = self.scratch.roots[position];
                inserted.push(match *guess {
                    Some((number, there)) if there == root => {
                        Inserted { state: StateId(number), is_new: false }
                    }
                    _ => self.insert_root(root, hash)?,
                });
            }
            self.scratch.guesses = guesses;
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

    /// Interns everything below the roots of at most [`BATCH`] vectors and leaves the roots in the scratch.
    ///
    /// The nodes are taken position by position, children first, and at each position vector by vector: the
    /// look-ups along one vector's path wait for each other, those of different vectors do not.
    fn fold(&mut self, base: &Expanded, vectors: &[u32]) -> Result<(), StoreFull> {
        let count = vectors.len() / self.width;
        if base.generation == Some(self.generation) && base.words.len() == self.width {
            for (number, words) in vectors.chunks_exact(self.width).enumerate() {
                self.mark_changes(number, &base.words, words);
            }
        } else {
            self.scratch.changed.fill(u64::MAX >> (64 - count));
            let nodes = self.shape.nodes();
            for (block, positions) in self.scratch.positions.iter_mut().enumerate() {
                *positions = u64::MAX >> (64 - (nodes - 64 * block).min(64));
            }
        }
        let result = self.fold_marked(&base.nodes, vectors);
        for block in 0..self.scratch.positions.len() {
            let mut positions = std::mem::take(&mut self.scratch.positions[block]);
            while positions != 0 {
                self.scratch.changed[64 * block + positions.trailing_zeros() as usize] = 0;
                positions &= positions - 1;
            }
        }
        result
    }

    /// Marks the paths from the words of a vector that differ from the base up to the root.
    #[inline]
    fn mark_changes(&mut self, number: usize, old: &[u32], new: &[u32]) {
        let mut pair = 0;
        // Eight words at a time are compared at the price of one; most are equal.
        let (old_blocks, old_rest) = old.as_chunks::<8>();
        let (new_blocks, new_rest) = new.as_chunks::<8>();
        for (old, new) in old_blocks.iter().zip(new_blocks) {
            if old != new {
                for offset in 0..4 {
                    if old[2 * offset] != new[2 * offset] || old[2 * offset + 1] != new[2 * offset + 1] {
                        self.mark_path(number, pair + offset);
                    }
                }
            }
            pair += 4;
        }
        for (old, new) in old_rest.chunks_exact(2).zip(new_rest.chunks_exact(2)) {
            if old != new {
                self.mark_path(number, pair);
            }
            pair += 1;
        }
    }

    #[inline]
    fn mark_path(&mut self, number: usize, pair: usize) {
        let vector = 1 << number;
        for (block, &path) in self.shape.path(pair).iter().enumerate() {
            self.scratch.positions[block] |= path;
            let mut positions = path;
            while positions != 0 {
                self.scratch.changed[64 * block + positions.trailing_zeros() as usize] |= vector;
                positions &= positions - 1;
            }
        }
    }

    #[inline]
    fn fold_marked(&mut self, known: &[u32], vectors: &[u32]) -> Result<(), StoreFull> {
        let root = self.shape.root();
        for block in 0..self.scratch.positions.len() {
            let mut positions = self.scratch.positions[block];
            while positions != 0 {
                let position = 64 * block + positions.trailing_zeros() as usize;
                positions &= positions - 1;
                if position == root {
                    break;
                }
                let mut which = self.scratch.changed[position];
                while which != 0 {
                    let number = which.trailing_zeros() as usize;
                    which &= which - 1;
                    let node = self.node(position, number, known, vectors);
                    let interned = match self.inner.intern(node) {
                        Ok((interned, _)) => interned,
                        Err(_) => self.intern_with_growth(node)?,
                    };
                    self.scratch.fresh[position * BATCH + number] = interned;
                }
            }
        }
        self.scratch.roots.clear();
        for number in 0..vectors.len() / self.width {
            let node = self.node(root, number, known, vectors);
            self.scratch.roots.push((node, mix(node)));
        }
        Ok(())
    }

    /// The node of a vector at a position whose children are done.
    #[inline]
    fn node(&self, position: usize, number: usize, known: &[u32], vectors: &[u32]) -> u64 {
        let (low, high) = if position < self.shape.pairs() {
            let first = number * self.width + 2 * position;
            (vectors[first], vectors[first + 1])
        } else {
            let [left, right] = self.shape.children(position);
            (self.number(left, number, known), self.number(right, number, known))
        };
        u64::from(low) | u64::from(high) << 32
    }

    /// The number of a vector's node at a position.
    #[inline]
    fn number(&self, position: usize, number: usize, known: &[u32]) -> u32 {
        if self.scratch.changed[position] >> number & 1 == 1 {
            self.scratch.fresh[position * BATCH + number]
        } else {
            known[position]
        }
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
