//! Strongly connected components by several workers, each state explored by one (Lowe, TACAS 2014; STTT 2016: concurrent
//! Tarjan with suspension).
//!
//! There are many searches for components, more than workers. A state belongs to the search that takes it first, and
//! nobody else explores it. A search that comes to a state of another one that is not done is suspended until it is, and
//! its worker begins or resumes another search. Searches that wait for each other in a circle are all inside one
//! component: what they have on their stacks from there on is handed to the search that closes the circle, which goes on with
//! it as if it had found it itself.
//!
//! **A search** is the path-based one of [`crate::renault`]: `live` are its states in the order in which it came to them, each
//! root begins a partial component, which is the part of `live` up to the next root, and the frames are the states whose edges
//! are not all looked at. Handing over cuts the other search at a root and appends the pieces: the edge for which the one
//! search waited is the edge by which it enters the root. The other search keeps what is below; it waits, with the edge
//! by which it had entered that root, for the new owner. The edge that closes the circle then unites everything.
//!
//! **Suspended searches** lie under a lock; running ones belong to their workers. Whoever takes the lock sees who waits for
//! which state and who owns it; owners change only there, but for states that are taken and states that are done. A worker
//! without a search looks through the suspended ones for one that waits for what is done, again and again, so no
//! message about that can be lost. Waiting is never circular, so the last search in a chain runs or can be resumed.
//!
//! Generalised acceptance is taken as it is. Four bytes per state, and what is on the stacks of all searches. Where all is one
//! component, searches hand over to each other again and again: slow.

use std::sync::PoisonError;
use std::time::Duration;

use rustc_hash::{FxHashMap, FxHashSet};
use store::sync::{AtomicU32, AtomicUsize, Condvar, Mutex, MutexGuard, Ordering, lock};
use store::{Owner, SharedOwners};
use verdict::Reason;

use crate::control::Control;
use crate::faults::{FaultLog, FaultPolicy};
use crate::order;
use crate::outcome::Outcome;
use crate::pause::Final;
use crate::product::{Edge, Expansion, Halt, Marks, Product, Shared, StateId};
use crate::shared_search::{Found, Place, SharedSearch, search};

/// How long a worker without a search waits before it looks at the clock and passes a safe point.
const PAUSE: Duration = Duration::from_millis(1);

/// Suspended searches for each worker, beyond which it waits for one of them in place of beginning another.
const SUSPENDED: usize = 8;

/// Edges of a suspended search that are looked at for a state to begin with.
const LOOKED_AT: usize = 64;

/// Looks for an accepting strongly connected component.
pub(crate) fn lowe<P: Shared>(
    product: &mut P,
    policy: FaultPolicy,
    control: &mut Control<'_>,
    workers: usize,
) -> Outcome {
    let common = Common {
        owners: SharedOwners::new(),
        table: Mutex::new(Table::default()),
        changed: Condvar::new(),
        idle: AtomicUsize::new(0),
        next: AtomicU32::new(0),
        workers,
    };
    search(product, policy, control, workers, &common)
}

impl SharedSearch for Common {
    const TELLS_WAYS: bool = false;

    fn put_final(&self, state: StateId) -> Result<(), Halt> {
        Ok(self.owners.finish(state)?)
    }

    fn work<P: Shared>(
        &self,
        place: Place<'_>,
        view: &mut P,
        control: &mut Control<'_>,
        faults: &mut FaultLog,
    ) -> Result<Option<Found>, Halt> {
        let mut worker = Worker { place, common: self, out: Expansion::new() };
        let component = worker.work(view, control, faults)?;
        Ok(component.map(|component| Found { stack: Vec::new(), inside: component }))
    }

    fn is_expanded(&self, state: StateId) -> bool {
        self.owners.get(state) != Owner::Nobody
    }

    fn memory_bytes(&self) -> usize {
        self.owners.memory_bytes()
    }
}

/// A partial component on a search's path.
struct Root {
    state: StateId,
    /// The place of its first state among those that live.
    order: u32,
    /// The marks of the edge by which the search came to it.
    entry: Marks,
    /// The marks of the edges inside.
    inside: Marks,
}

/// A state whose edges are not all looked at.
struct Frame {
    /// Its place among those that live.
    order: u32,
    /// Where its edges begin among those that wait.
    waiting: usize,
}

/// One search for components.
struct Search {
    number: u32,
    /// The states whose components are not complete, in the order in which the search came to them or was given them.
    live: Vec<StateId>,
    /// Their places.
    order: FxHashMap<StateId, u32>,
    roots: Vec<Root>,
    frames: Vec<Frame>,
    /// The edges that are not looked at, those of the state on top last. The last one is what a suspended search waits for.
    waiting: Vec<Edge>,
}

/// What is known of all searches.
#[derive(Default)]
struct Table {
    suspended: FxHashMap<u32, Search>,
    /// How many searches workers have in hand.
    running: usize,
    /// How many of the initial states somebody has looked at to begin there.
    begun: usize,
}

struct Common {
    owners: SharedOwners,
    table: Mutex<Table>,
    changed: Condvar,
    /// How many workers wait for a search to go on with.
    idle: AtomicUsize,
    /// The number of the next search.
    next: AtomicU32,
    workers: usize,
}

impl Common {
    fn lock(&self) -> MutexGuard<'_, Table> {
        lock(&self.table)
    }
}

impl Search {
    fn new(number: u32) -> Self {
        Search {
            number,
            live: Vec::new(),
            order: FxHashMap::default(),
            roots: Vec::new(),
            frames: Vec::new(),
            waiting: Vec::new(),
        }
    }

    /// The root of the partial component that a live state is in.
    fn root_of(&self, state: StateId) -> Option<usize> {
        let order = *self.order.get(&state)?;
        self.roots.partition_point(|root| root.order <= order).checked_sub(1)
    }

    /// Appends all of another search from the component of a state on, which this one enters over `edge`. Says whether the
    /// other search has anything left.
    fn take_over(&mut self, other: &mut Search, edge: Edge) -> Option<bool> {
        let first = other.root_of(edge.target)?;
        let begin = other.roots[first].order;
        let frame = other.frames.partition_point(|frame| frame.order < begin);
        let waiting = other.frames.get(frame)?.waiting;
        let (shift, moved) = (self.live.len() as u32, self.waiting.len());
        self.waiting.extend(other.waiting.drain(waiting..));
        for state in other.live.drain(begin as usize..) {
            other.order.remove(&state);
            self.order.insert(state, self.live.len() as u32);
            self.live.push(state);
        }
        self.frames.extend(other.frames.drain(frame..).map(|frame| Frame {
            order: frame.order - begin + shift,
            waiting: frame.waiting - waiting + moved,
        }));
        let entered = (other.roots[first].state, other.roots[first].entry);
        let mut entry = Some(edge.marks);
        self.roots.extend(other.roots.drain(first..).map(|root| Root {
            order: root.order - begin + shift,
            entry: entry.take().unwrap_or(root.entry),
            ..root
        }));
        if other.frames.is_empty() {
            return Some(false);
        }
        // What is left comes to that root as it did before, and waits for it.
        other.waiting.push(Edge { target: entered.0, marks: entered.1, is_new: false });
        Some(true)
    }
}

struct Worker<'s> {
    place: Place<'s>,
    common: &'s Common,
    out: Expansion,
}

/// Why a worker puts a search down.
enum Ended {
    /// Everything it came to is done.
    Done,
    /// It waits for another one, and lies among the suspended ones.
    Suspended,
    /// It found an accepting component: these states are part of it.
    Found(FxHashSet<StateId>),
    /// It found a fault, and one is enough.
    Fault,
}

impl Worker<'_> {
    /// States of an accepting component, if there is one.
    fn work<P: Product>(
        &mut self,
        view: &mut P,
        control: &mut Control<'_>,
        faults: &mut FaultLog,
    ) -> Result<Option<FxHashSet<StateId>>, Halt> {
        while let Some(mut search) = self.next_search(view, control, faults)? {
            match self.run(view, control, &mut search, faults)? {
                Ended::Found(component) => return Ok(Some(component)),
                Ended::Fault => return Ok(None),
                // It was put down in the same moment.
                Ended::Suspended => {}
                Ended::Done => {
                    self.common.lock().running -= 1;
                    self.common.changed.notify_all();
                }
            }
        }
        Ok(None)
    }

    /// A search to go on with; none when there is no work left.
    fn next_search<P: Product>(
        &mut self,
        view: &mut P,
        control: &mut Control<'_>,
        faults: &mut FaultLog,
    ) -> Result<Option<Search>, Halt> {
        let mut table = self.common.lock();
        loop {
            if self.place.team.is_over() {
                return Ok(None);
            }
            let is_done = |search: &Search| {
                let edge = search.waiting.last();
                edge.is_none_or(|edge| self.common.owners.get(edge.target) == Owner::Done)
            };
            let resumed = table.suspended.values().filter(|search| is_done(search));
            if let Some(number) = resumed.map(|search| search.number).min()
                && let Some(search) = table.suspended.remove(&number)
            {
                table.running += 1;
                return Ok(Some(search));
            }
            if let Some((number, state)) = self.beginning(&mut table)? {
                table.running += 1;
                drop(table);
                let search = self.begin(view, control, number, state, faults)?;
                return Ok(Some(search));
            }
            if table.running == 0 {
                if table.suspended.is_empty() {
                    return Ok(None);
                }
                return Err(Halt(Reason::Internal("searches wait for each other in a circle".to_owned())));
            }
            self.common.idle.fetch_add(1, Ordering::Relaxed);
            drop(self.common.changed.wait_timeout(table, PAUSE).unwrap_or_else(PoisonError::into_inner));
            self.common.idle.fetch_sub(1, Ordering::Relaxed);
            self.pause(view, control);
            control.wait(view)?;
            table = self.common.lock();
        }
    }

    /// Stands still where that is asked for.
    fn pause<P: Product>(&self, view: &mut P, control: &mut Control<'_>) {
        control.pause(view, &Final(|state| self.common.owners.get(state) == Owner::Done));
    }

    /// A state that nobody has taken, and the number of the search that takes it now.
    fn beginning(&self, table: &mut Table) -> Result<Option<(u32, StateId)>, Halt> {
        let number = self.common.next.fetch_add(1, Ordering::Relaxed);
        if number >= SharedOwners::MOST_SEARCHES {
            return Err(Halt(Reason::TooManyStates));
        }
        while let Some(&state) = self.place.initial.get(table.begun) {
            table.begun += 1;
            if self.common.owners.take(state, number)? == Owner::Nobody {
                return Ok(Some((number, state)));
            }
        }
        if table.suspended.len() >= SUSPENDED * self.common.workers {
            return Ok(None);
        }
        for search in table.suspended.values() {
            for edge in search.waiting.iter().take(LOOKED_AT) {
                if self.common.owners.get(edge.target) == Owner::Nobody
                    && self.common.owners.take(edge.target, number)? == Owner::Nobody
                {
                    return Ok(Some((number, edge.target)));
                }
            }
        }
        Ok(None)
    }

    fn begin<P: Product>(
        &mut self,
        view: &mut P,
        control: &mut Control<'_>,
        number: u32,
        state: StateId,
        faults: &mut FaultLog,
    ) -> Result<Search, Halt> {
        let mut search = Search::new(number);
        self.enter(view, control, &mut search, (state, Marks::NONE), faults)?;
        Ok(search)
    }

    /// Goes on with a search as far as it comes.
    fn run<P: Product>(
        &mut self,
        view: &mut P,
        control: &mut Control<'_>,
        search: &mut Search,
        faults: &mut FaultLog,
    ) -> Result<Ended, Halt> {
        while let Some(frame) = search.frames.last() {
            self.pause(view, control);
            if self.place.has_enough(faults) {
                return Ok(Ended::Fault);
            }
            if search.waiting.len() <= frame.waiting {
                self.leave(search)?;
                continue;
            }
            let Some(edge) = search.waiting.pop() else { continue };
            match self.common.owners.take(edge.target, search.number)? {
                Owner::Done => {}
                Owner::Nobody => self.enter(view, control, search, (edge.target, edge.marks), faults)?,
                Owner::Search(owner) if owner == search.number => {
                    if let Some(component) = self.close(search, edge) {
                        return Ok(Ended::Found(component));
                    }
                }
                Owner::Search(_) => {
                    if self.is_suspended(search, edge)? {
                        return Ok(Ended::Suspended);
                    }
                }
            }
        }
        Ok(Ended::Done)
    }

    /// Deals with an edge to a state that another search had. If that is still so, either the other one waits for this one in
    /// the end, and hands over what it has, or this one is suspended: then it lies among the suspended ones.
    fn is_suspended(&self, search: &mut Search, edge: Edge) -> Result<bool, Halt> {
        let common = self.common;
        let mut table = common.lock();
        let mut circle: Vec<u32> = Vec::new();
        let mut target = edge.target;
        loop {
            match common.owners.get(target) {
                // The one that waits for it can go on, or this one can.
                Owner::Done | Owner::Nobody => break,
                Owner::Search(owner) if owner == search.number => {
                    self.take_over_all(&mut table, search, edge, &circle)?;
                    return Ok(false);
                }
                Owner::Search(owner) => {
                    let Some(other) = table.suspended.get(&owner) else { break };
                    circle.push(owner);
                    match other.waiting.last() {
                        Some(edge) => target = edge.target,
                        None => break,
                    }
                }
            }
        }
        search.waiting.push(edge);
        // This look saves time only: whoever has no search looks at all that are suspended.
        if common.owners.get(edge.target) == Owner::Done {
            return Ok(false);
        }
        table.running -= 1;
        let number = search.number;
        table.suspended.insert(number, std::mem::replace(search, Search::new(number)));
        common.changed.notify_all();
        Ok(true)
    }

    /// Takes over what the searches of a circle have, in its order, each over the edge that the one before waits for.
    fn take_over_all(
        &self,
        table: &mut Table,
        search: &mut Search,
        mut edge: Edge,
        circle: &[u32],
    ) -> Result<(), Halt> {
        let lost = || Halt(Reason::Internal("a search does not have what it waits with".to_owned()));
        for number in circle {
            let other = table.suspended.get_mut(number).ok_or_else(lost)?;
            let next = other.waiting.pop().ok_or_else(lost)?;
            let given = search.live.len();
            let has_rest = search.take_over(other, edge).ok_or_else(lost)?;
            for &state in &search.live[given..] {
                self.common.owners.give(state, search.number)?;
            }
            if !has_rest {
                table.suspended.remove(number);
            }
            edge = next;
        }
        // The edge that closes the circle.
        search.waiting.push(edge);
        Ok(())
    }

    fn enter<P: Product>(
        &mut self,
        view: &mut P,
        control: &mut Control<'_>,
        search: &mut Search,
        (state, entry): (StateId, Marks),
        faults: &mut FaultLog,
    ) -> Result<(), Halt> {
        let order = search.live.len() as u32;
        search.order.insert(state, order);
        search.live.push(state);
        search.roots.push(Root { state, order, entry, inside: Marks::NONE });
        search.frames.push(Frame { order, waiting: search.waiting.len() });
        let bytes = search.memory_bytes();
        control.expand(view, state, &mut self.out, search.frames.len(), || bytes)?;
        faults.record_at(&self.out.faults, self.place.policy, state);
        order::put_waiting(&mut search.waiting, self.place.number, state, &self.out.edges);
        Ok(())
    }

    /// Collapses the components from the top down to the one that holds the target of an edge. Gives the result if it is
    /// accepting.
    fn close(&self, search: &mut Search, edge: Edge) -> Option<FxHashSet<StateId>> {
        let order = *search.order.get(&edge.target)?;
        let mut marks = edge.marks;
        while let Some(upper) = search.roots.pop_if(|root| root.order > order) {
            marks = marks.union(upper.entry).union(upper.inside);
        }
        let root = search.roots.last_mut()?;
        root.inside = root.inside.union(marks);
        let begin = root.order as usize;
        root.inside.covers(self.place.required).then(|| search.live[begin..].iter().copied().collect())
    }

    /// Leaves the state on top, and with it the component of which it is the root: that is done, for everybody.
    fn leave(&self, search: &mut Search) -> Result<(), Halt> {
        let Some(frame) = search.frames.pop() else { return Ok(()) };
        if search.roots.pop_if(|root| root.order == frame.order).is_none() {
            return Ok(());
        }
        for state in search.live.drain(frame.order as usize..) {
            search.order.remove(&state);
            self.common.owners.finish(state)?;
        }
        // Whoever waits looks again by itself; this is only quicker.
        if self.common.idle.load(Ordering::Relaxed) > 0 {
            self.common.changed.notify_all();
        }
        Ok(())
    }
}

impl Search {
    fn memory_bytes(&self) -> usize {
        self.order.capacity() * 9
            + self.live.capacity() * size_of::<StateId>()
            + self.roots.capacity() * size_of::<Root>()
            + self.frames.capacity() * size_of::<Frame>()
            + self.waiting.capacity() * size_of::<Edge>()
    }
}
