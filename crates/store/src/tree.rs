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
mod worker;

pub use frozen::{FrozenStore, ThawError};

use std::ops::Range;
use std::sync::Arc;

use crate::budget::Budget;
use crate::concurrent::{Retired, Start};
use crate::hash::Key;
use crate::nodes::{NodeTable, Surroundings};
use crate::safe_points::{SafePoints, Seat};
use crate::shape::{Order, Shape};
use crate::sync::{AtomicU32, Mutex, Ordering, lock};
use crate::{StateId, StoreFull};
use worker::Worker;

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
        nodes: (impl Fn(u32) -> Option<u128>, impl Fn(u32) -> Option<u64>),
    ) -> Option<()> {
        let width = shape.width();
        if self.generation != Some(generation) || self.words.len() != width {
            self.generation = Some(generation);
            self.words.clear();
            self.words.resize(width, 0);
            self.nodes.clear();
            self.nodes.resize(shape.positions(), UNKNOWN);
        }
        self.unfold_below(shape, 1, root, &nodes)
    }

    /// Reads what is below a node at a position and not here already. Trees are as deep as numbers of words have bits.
    fn unfold_below(
        &mut self,
        shape: &Shape,
        position: usize,
        node: u64,
        nodes: &(impl Fn(u32) -> Option<u128>, impl Fn(u32) -> Option<u64>),
    ) -> Option<()> {
        for (child, number) in [(2 * position, node as u32), (2 * position + 1, (node >> 32) as u32)] {
            if self.nodes[child] == number {
                continue;
            }
            self.nodes[child] = number;
            if shape.is_leaf(child) {
                let mut leaf = nodes.0(number)?;
                for &word in shape.words_of(child) {
                    self.words[word as usize] = leaf as u32;
                    leaf >>= 32;
                }
            } else {
                self.unfold_below(shape, child, nodes.1(number)?, nodes)?;
            }
        }
        Some(())
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

    /// A root, its hash, and where to look for it, which is fetched.
    #[inline]
    fn look_for(&self, root: u64) -> (u64, u64, Start) {
        let hash = root.hash();
        (root, hash, self.roots.start(hash))
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
            let inserted = worker.insert_root(&wider, wider.look_for(root), around)?;
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
        let inserted = self.worker.insert_root(&self.tables, self.tables.look_for(root), around)?;
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
            worker.scratch.roots.push(tables.look_for(root));
        }
        let mut new = 0;
        let mut ended = Ok(());
        for position in 0..worker.scratch.roots.len() {
            match worker.insert_root(tables, worker.scratch.roots[position], around) {
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
