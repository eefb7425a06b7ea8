//! The tree-compressed state store.
//!
//! A state vector of 32-bit words is folded into a binary tree (Laarman, van de Pol, Weber, SPIN 2011): a few
//! words are a leaf, and the numbers of two nodes are a node above them. Leaves and nodes below the root are
//! interned in tables of their own, so equal parts of states are held once; roots are interned in a third
//! table, where the position of a root is the [`StateId`]. A state that differs from a known one in few words
//! costs one look-up per node on the paths from those words to the root, and the same holds for reading it.
//!
//! A [`TreeStore`] is one worker's hold on a store: the tables, which all workers share, and what the worker keeps for itself.
//! Workers insert and read at the same time, and nobody waits for another but where vectors become wider.

mod frozen;

pub use frozen::{FrozenStore, ThawError};

use std::ops::Range;
use std::sync::Arc;

use crate::budget::Budget;
use crate::concurrent::Retired;
use crate::hash::Key;
use crate::nodes::{NodeTable, NodeWriter, Surroundings};
use crate::safe_points::{SafePoints, Seat};
use crate::shape::{Order, Shape};
use crate::sync::{AtomicU32, Mutex, Ordering, lock};
use crate::{StateId, StoreFull};

/// Which state a vector is, and whether it was not stored before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inserted {
    /// The name of the vector.
    pub state: StateId,
    /// Whether this insertion gave it. Of all insertions of a vector, by all workers, exactly one does.
    pub is_new: bool,
}

/// The tables of one width, shared by all workers.
#[derive(Debug)]
struct Tables {
    shape: Shape,
    /// Counts the changes of width; what was expanded before one is no base for insertions after it.
    generation: u32,
    leaves: NodeTable<u128>,
    inner: NodeTable<u64>,
    roots: NodeTable<u64>,
}

/// What all workers share.
#[derive(Debug)]
struct Shared {
    current: Mutex<Arc<Tables>>,
    /// That of the current tables, for a look without the lock.
    generation: AtomicU32,
    budget: Budget,
    safe_points: SafePoints<Retired>,
    /// Numbers that workers left over when they went.
    spare: Mutex<Vec<Range<u32>>>,
}

/// What a worker keeps for itself.
#[derive(Debug)]
struct Worker {
    scratch: Scratch,
    leaves: NodeWriter<u128>,
    inner: NodeWriter<u64>,
    roots: NodeWriter<u64>,
}

/// One worker's hold on a set of state vectors of one width; see the module's description.
#[derive(Debug)]
pub struct TreeStore {
    tables: Arc<Tables>,
    worker: Worker,
    shared: Arc<Shared>,
    seat: Seat,
    /// Nobody else has a hold on the store.
    alone: bool,
    /// States read since the last safe point.
    reads: u32,
}

/// States that a worker reads between two safe points: they cost a little, and memory that is out of use waits for them.
const READS_BETWEEN_SAFE_POINTS: u32 = 64;

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
    /// The numbers of the nodes of the vector at hand, by position; those of the base between two vectors.
    nodes: Vec<u32>,
    /// The roots of the vectors with their hashes.
    roots: Vec<(u64, u64)>,
}

/// How full the index of the roots may get: most of what a state costs is its root and its slot.
pub(crate) const ROOTS_FULL_PERCENT: usize = 90;

/// The same for what lies below the roots, which is looked up more often.
const NODES_FULL_PERCENT: usize = 85;

/// A number that no node has: the mark of a position that was never filled.
const UNKNOWN: u32 = u32::MAX;

impl Expanded {
    /// Room for a state; nothing is loaded yet.
    pub fn new() -> Self {
        Expanded::default()
    }

    /// Whether insertions into these tables can build upon it.
    #[inline]
    fn is_of(&self, tables: &Tables) -> bool {
        self.generation == Some(tables.generation) && self.words.len() == tables.shape.width()
    }

    /// The words of the state loaded last.
    #[inline]
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Reads what is below a root and not here already; `nodes` are the leaves and the inner nodes by their numbers. None where
    /// a number has no node.
    #[inline]
    fn unfold(
        &mut self,
        shape: &Shape,
        generation: u32,
        root: u64,
        (leaf_of, inner_of): (impl Fn(u32) -> Option<u128>, impl Fn(u32) -> Option<u64>),
    ) -> Option<()> {
        let width = shape.width();
        if self.generation != Some(generation) || self.words.len() != width {
            self.generation = Some(generation);
            self.words.clear();
            self.words.resize(width, 0);
            self.nodes.clear();
            self.nodes.resize(shape.positions(), UNKNOWN);
        }
        // At most one sibling per level waits.
        let mut waiting = [(1, root); 64];
        let mut count = 1;
        while count > 0 {
            count -= 1;
            let (position, node) = waiting[count];
            for (child, number) in [(2 * position, node as u32), (2 * position + 1, (node >> 32) as u32)] {
                if self.nodes[child] == number {
                    continue;
                }
                self.nodes[child] = number;
                if shape.is_leaf(child) {
                    let mut leaf = leaf_of(number)?;
                    for &word in shape.words_of(child) {
                        self.words[word as usize] = leaf as u32;
                        leaf >>= 32;
                    }
                } else {
                    waiting[count] = (child, inner_of(number)?);
                    count += 1;
                }
            }
        }
        Some(())
    }
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
}

impl Worker {
    fn new(shape: &Shape, roots: Range<u32>) -> Self {
        Worker {
            scratch: Scratch::new(shape),
            // What lies below the roots is little and looked up often; roots are many and looked up once.
            leaves: NodeWriter::with_memory(),
            inner: NodeWriter::with_memory(),
            roots: NodeWriter::new(roots),
        }
    }

    const MEMORY_BYTES: usize = NodeWriter::<u128>::MEMORY_BYTES + NodeWriter::<u64>::MEMORY_BYTES;

    /// Makes ready for vectors that are near an expanded one, if it can serve as a base.
    #[inline]
    fn begin(&mut self, tables: &Tables, base: &Expanded) {
        if base.is_of(tables) {
            self.scratch.nodes.copy_from_slice(&base.nodes);
        }
    }

    /// The root of a vector, with everything below it interned. [`Worker::begin`] comes first.
    #[inline]
    fn fold(
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
            return self.fold_changed(tables, words, around);
        }
        tables.shape.changed(&base.words, words, &mut self.scratch.changed);
        let root = self.fold_changed(tables, words, around)?;
        let Scratch { changed, nodes, .. } = &mut self.scratch;
        for (block, &changed) in changed.iter().enumerate() {
            let mut positions = changed;
            while positions != 0 {
                let position = 64 * block + positions.trailing_zeros() as usize;
                positions &= positions - 1;
                nodes[position] = base.nodes[position];
            }
        }
        Ok(root)
    }

    /// Interns the changed nodes below the root, children first.
    #[inline]
    fn fold_changed(
        &mut self,
        tables: &Tables,
        words: &[u32],
        around: Surroundings<'_>,
    ) -> Result<u64, StoreFull> {
        for block in (0..self.scratch.changed.len()).rev() {
            let mut positions = self.scratch.changed[block] & tables.shape.leaves_in(block);
            while positions != 0 {
                let position = 64 * block + positions.trailing_zeros() as usize;
                positions &= positions - 1;
                let leaf = tables.shape.leaf(position, words);
                self.scratch.nodes[position] = tables.leaves.number(&mut self.leaves, leaf, around)?;
            }
        }
        for block in (0..self.scratch.changed.len()).rev() {
            let mut positions = self.scratch.changed[block] & tables.shape.inner_in(block);
            while positions != 0 {
                let bit = 63 - positions.leading_zeros() as usize;
                positions ^= 1 << bit;
                let position = 64 * block + bit;
                let node = self.scratch.above(position);
                self.scratch.nodes[position] = tables.inner.number(&mut self.inner, node, around)?;
            }
        }
        Ok(self.scratch.above(1))
    }

    #[inline]
    fn insert_root(
        &mut self,
        tables: &Tables,
        root: u64,
        hash: u64,
        around: Surroundings<'_>,
    ) -> Result<Inserted, StoreFull> {
        let (number, is_new) = tables.roots.intern(&mut self.roots, root, hash, around)?;
        Ok(Inserted { state: StateId(number), is_new })
    }
}

impl Tables {
    fn new(shape: Shape, generation: u32) -> Self {
        Tables {
            shape,
            generation,
            leaves: NodeTable::new(NODES_FULL_PERCENT),
            inner: NodeTable::new(NODES_FULL_PERCENT),
            roots: NodeTable::new(ROOTS_FULL_PERCENT),
        }
    }

    /// Reads a state; see [`TreeStore::load`].
    fn load(&self, state: StateId, into: &mut Expanded) {
        let nodes = (|number| Some(self.leaves.get(number)), |number| Some(self.inner.get(number)));
        // Every number below a root is one that was published before it.
        let _ = into.unfold(&self.shape, self.generation, self.roots.get(state.0), nodes);
    }

    /// The same states with zero words at their ends, under the same numbers. Nobody may insert meanwhile; `unused` are the
    /// numbers that no state has.
    fn widened(
        &self,
        width: usize,
        unused: &[Range<u32>],
        around: Surroundings<'_>,
    ) -> Result<Tables, StoreFull> {
        let wider = Tables::new(self.shape.widened(width), self.generation + 1);
        let mut worker = Worker::new(&wider.shape, 0..0);
        let mut narrow = Expanded::new();
        let mut wide = Expanded::new();
        let mut words = vec![0; width];
        wider.roots.give_out_to(self.roots.given(), &mut worker.roots, around.budget)?;
        for number in 0..self.roots.given() {
            if unused.iter().any(|range| range.contains(&number)) {
                continue;
            }
            self.load(StateId(number), &mut narrow);
            words[..self.shape.width()].copy_from_slice(narrow.words());
            worker.roots.unused = number..number + 1;
            worker.begin(&wider, &wide);
            let root = worker.fold(&wider, &wide, &words, around)?;
            let inserted = worker.insert_root(&wider, root, root.hash(), around)?;
            wider.load(inserted.state, &mut wide);
        }
        Ok(wider)
    }
}

impl TreeStore {
    /// An empty store for vectors of `width` words, at least one.
    pub fn new(width: usize) -> Self {
        TreeStore::with_order(width, Order::default())
    }

    /// The same for vectors of which it is known what changes together: then there is less to store. Names do not depend on it.
    pub fn with_order(width: usize, order: Order) -> Self {
        let tables = Arc::new(Tables::new(Shape::new(width, order), 0));
        let worker = Worker::new(&tables.shape, 0..0);
        let shared = Shared {
            current: Mutex::new(Arc::clone(&tables)),
            generation: AtomicU32::new(0),
            budget: Budget::new(),
            safe_points: SafePoints::new(),
            spare: Mutex::new(Vec::new()),
        };
        // Nobody has set a limit yet, and the first place is free.
        let _ = shared.budget.take(Worker::MEMORY_BYTES);
        let seat = shared.safe_points.first();
        TreeStore { tables, worker, shared: Arc::new(shared), seat, alone: true, reads: 0 }
    }

    /// A hold on the same store for another worker. An error says that there are too many.
    pub fn another(&mut self) -> Result<TreeStore, StoreFull> {
        let seat = self.shared.safe_points.enter()?;
        // From now on every insertion reckons with others.
        self.alone = false;
        let _ = self.shared.budget.take(Worker::MEMORY_BYTES);
        let tables = Arc::clone(&lock(&self.shared.current));
        let roots = lock(&self.shared.spare).pop().unwrap_or(0..0);
        self.shared.safe_points.hold(seat, roots.clone());
        let worker = Worker::new(&tables.shape, roots);
        Ok(TreeStore { tables, worker, shared: Arc::clone(&self.shared), seat, alone: false, reads: 0 })
    }

    /// How many words a vector has.
    #[inline]
    pub fn width(&self) -> usize {
        self.tables.shape.width()
    }

    /// How many states are stored.
    #[inline]
    pub fn len(&self) -> usize {
        self.shared.safe_points.stored()
    }

    /// Whether no state is stored.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A number above those of all states. While one worker has inserted everything it is [`TreeStore::len`]; with several,
    /// some numbers below it may not be used yet.
    #[inline]
    pub fn bound(&self) -> usize {
        let unused = &self.worker.roots.unused;
        let given = self.tables.roots.given();
        if self.alone && unused.end == given { unused.start as usize } else { given as usize }
    }

    /// How many leaves and inner nodes are stored: a measure of how well the states compress.
    pub fn shared_nodes(&self) -> (usize, usize) {
        let leaves = self.tables.leaves.given() as usize - self.worker.leaves.unused.len();
        (leaves, self.tables.inner.given() as usize - self.worker.inner.unused.len())
    }

    /// The bytes held, used or not.
    pub fn memory_bytes(&self) -> usize {
        self.shared.budget.held()
    }

    /// Sets how many bytes the store may hold; an insertion that would need more fails.
    pub fn set_memory_limit(&mut self, bytes: usize) {
        self.shared.budget.set_limit(bytes);
    }

    /// Stores a vector of [`TreeStore::width`] words.
    pub fn insert(&mut self, words: &[u32]) -> Result<Inserted, StoreFull> {
        self.insert_near(&Expanded::new(), words)
    }

    /// Stores a vector that differs little from an expanded one.
    pub fn insert_near(&mut self, base: &Expanded, words: &[u32]) -> Result<Inserted, StoreFull> {
        let around = surroundings(&self.shared, self.alone);
        self.worker.begin(&self.tables, base);
        let root = self.worker.fold(&self.tables, base, words, around)?;
        let inserted = self.worker.insert_root(&self.tables, root, root.hash(), around)?;
        self.shared.safe_points.count(self.seat, usize::from(inserted.is_new));
        Ok(inserted)
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
        let around = surroundings(&self.shared, self.alone);
        let TreeStore { tables, worker, .. } = self;
        worker.scratch.roots.clear();
        worker.begin(tables, base);
        for words in vectors.chunks_exact(tables.shape.width()) {
            let root = worker.fold(tables, base, words, around)?;
            let hash = root.hash();
            tables.roots.prefetch(hash);
            worker.scratch.roots.push((root, hash));
        }
        let mut new = 0;
        let mut ended = Ok(());
        for position in 0..worker.scratch.roots.len() {
            let (root, hash) = worker.scratch.roots[position];
            match worker.insert_root(tables, root, hash, around) {
                Ok(state) => {
                    new += usize::from(state.is_new);
                    inserted.push(state);
                }
                Err(full) => {
                    ended = Err(full);
                    break;
                }
            }
        }
        self.shared.safe_points.count(self.seat, new);
        ended
    }

    /// Reads a state. Only the parts in which it differs from what `into` held before are decoded, so
    /// reading a neighbour of the state read last is cheap. Where another worker has made vectors wider, the state has its
    /// new width.
    #[inline]
    pub fn load(&mut self, state: StateId, into: &mut Expanded) {
        if !self.alone {
            self.reads += 1;
            if self.reads >= READS_BETWEEN_SAFE_POINTS {
                self.pass_safe_point();
            }
        }
        self.tables.load(state, into);
    }

    /// Reads a state as [`TreeStore::load`] does, without a safe point: in the middle of an operation whose vectors must keep
    /// their width.
    pub fn load_again(&self, state: StateId, into: &mut Expanded) {
        self.tables.load(state, into);
    }

    /// The names of all stored states, in their order. Other workers must have left.
    pub fn states(&self) -> impl Iterator<Item = StateId> + use<> {
        let mut unused = lock(&self.shared.spare).clone();
        unused.push(self.worker.roots.unused.clone());
        let all = 0..self.tables.roots.given();
        all.filter(move |number| !unused.iter().any(|range| range.contains(number))).map(StateId)
    }

    /// To be called now and then by a worker that waits for others: they may need it to come past a safe point.
    pub fn pass_safe_point(&mut self) {
        self.reads = 0;
        if self.alone {
            return;
        }
        self.shared.safe_points.pass(self.seat, self.worker.roots.unused.clone());
        if self.shared.safe_points.has_waiting() {
            for retired in self.shared.safe_points.freed() {
                self.shared.budget.give_back(retired.bytes);
            }
        }
        if self.shared.generation.load(Ordering::Acquire) != self.tables.generation {
            self.take_current();
        }
    }

    /// Goes over to wider tables.
    fn take_current(&mut self) {
        self.tables = Arc::clone(&lock(&self.shared.current));
        self.worker = Worker::new(&self.tables.shape, self.worker.roots.unused.clone());
    }

    /// Makes vectors longer, for all workers: every stored state gets zero words at its end and keeps its name. All others
    /// wait meanwhile. Costs as much as inserting all states anew and holds both forms meanwhile, so widths should grow in
    /// large steps, such as by doubling. After an error the store is what it was.
    pub fn grow_width(&mut self, width: usize) -> Result<(), StoreFull> {
        if width <= self.width() {
            return Ok(());
        }
        let (shared, own) = (Arc::clone(&self.shared), self.worker.roots.unused.clone());
        if self.alone {
            shared.widen(width, vec![own])?;
        } else {
            shared.safe_points.pass(self.seat, own.clone());
            shared.safe_points.while_stopped(self.seat, |mut unused| {
                unused.push(own);
                shared.widen(width, unused)
            })?;
        }
        self.take_current();
        Ok(())
    }
}

impl Shared {
    /// Makes wider tables the current ones. Nobody else may use the store.
    fn widen(&self, width: usize, mut unused: Vec<Range<u32>>) -> Result<(), StoreFull> {
        let mut current = lock(&self.current);
        if current.shape.width() >= width {
            // Somebody else was first.
            return Ok(());
        }
        unused.extend(lock(&self.spare).iter().cloned());
        let before = self.budget.held();
        match current.widened(width, &unused, surroundings(self, true)) {
            Ok(wider) => {
                // What others keep for themselves stays as it is.
                let workers = Worker::MEMORY_BYTES * self.safe_points.present();
                self.budget.give_back(before - workers.min(before));
                self.generation.store(wider.generation, Ordering::Release);
                *current = Arc::new(wider);
                Ok(())
            }
            Err(full) => {
                self.budget.give_back(self.budget.held() - before);
                Err(full)
            }
        }
    }
}

impl Drop for TreeStore {
    fn drop(&mut self) {
        let unused = self.worker.roots.unused.clone();
        if !unused.is_empty() {
            lock(&self.shared.spare).push(unused);
        }
        self.shared.budget.give_back(Worker::MEMORY_BYTES);
        self.shared.safe_points.leave(self.seat);
    }
}

#[inline]
fn surroundings(shared: &Shared, alone: bool) -> Surroundings<'_> {
    Surroundings { budget: &shared.budget, safe_points: &shared.safe_points, alone }
}
