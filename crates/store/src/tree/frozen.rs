//! A store as it was in one moment, written while workers go on, and a store made of what was written.
//!
//! Nodes are never changed once they are published, so a moment is no more than how many numbers of each table were given out
//! and which of those no state had. Leaves and inner nodes are written with whatever lies between them; what no state
//! leads to is not looked at when they are read. There, every state is put into new tables under its old number: what is read
//! is a store like any other, however its nodes were numbered before.

use std::io::{Error, ErrorKind, Read, Write};
use std::ops::Range;
use std::sync::Arc;

use super::{Expanded, Tables, TreeStore, Worker, surroundings};
use crate::shape::{Order, Shape};
use crate::sync::{Ordering, lock};
use crate::{StateId, StoreFull};

/// Bytes that are written or read at once.
const PORTION: usize = 1 << 16;

/// Words of a vector that are believed.
const WIDEST: u32 = 1 << 20;

/// A generation that no table has: of nodes as they are in a file.
const WRITTEN: u32 = u32::MAX;

/// A store in one moment.
#[derive(Debug)]
pub struct FrozenStore {
    tables: Arc<Tables>,
    leaves: u32,
    inner: u32,
    roots: u32,
    /// Numbers that no state had, in their order.
    unused: Vec<Range<u32>>,
}

/// Why a store cannot be made of what was written.
#[derive(Debug)]
pub enum ThawError {
    /// It cannot be read, or is not what was written.
    Unreadable(Error),
    /// There is no room for it.
    Full(StoreFull),
}

impl From<Error> for ThawError {
    fn from(error: Error) -> ThawError {
        ThawError::Unreadable(error)
    }
}

impl From<StoreFull> for ThawError {
    fn from(full: StoreFull) -> ThawError {
        ThawError::Full(full)
    }
}

fn damaged(what: &str) -> ThawError {
    ThawError::Unreadable(Error::new(ErrorKind::InvalidData, what))
}

/// Bytes on their way out, in large portions.
struct Writer<'w> {
    out: &'w mut dyn Write,
    bytes: Vec<u8>,
}

impl Writer<'_> {
    fn put(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() >= PORTION { self.flush() } else { Ok(()) }
    }

    fn number(&mut self, number: u32) -> Result<(), Error> {
        self.put(&number.to_le_bytes())
    }

    fn flush(&mut self) -> Result<(), Error> {
        self.out.write_all(&self.bytes)?;
        self.bytes.clear();
        Ok(())
    }
}

/// The ranges of numbers below a bound that are in none of some ranges, which are in their order.
fn between(unused: &[Range<u32>], bound: u32) -> Vec<Range<u32>> {
    let ends = unused.iter().map(|range| range.end);
    let starts = unused.iter().map(|range| range.start).chain([bound]);
    let between = std::iter::once(0).chain(ends).zip(starts);
    between.filter(|(start, end)| start < end).map(|(start, end)| start..end).collect()
}

impl FrozenStore {
    /// Writes all states with their numbers.
    pub fn write(&self, out: &mut dyn Write) -> Result<(), Error> {
        let mut out = Writer { out, bytes: Vec::with_capacity(2 * PORTION) };
        let shape = &self.tables.shape;
        out.number(shape.width() as u32)?;
        out.number(shape.changing().len() as u32)?;
        for &word in shape.changing() {
            out.number(word)?;
        }
        for number in [self.leaves, self.inner, self.roots, self.unused.len() as u32] {
            out.number(number)?;
        }
        for range in &self.unused {
            out.number(range.start)?;
            out.number(range.end)?;
        }
        for number in 0..self.leaves {
            out.put(&self.tables.leaves.get(number).to_le_bytes())?;
        }
        for number in 0..self.inner {
            out.put(&self.tables.inner.get(number).to_le_bytes())?;
        }
        for number in between(&self.unused, self.roots).into_iter().flatten() {
            out.put(&self.tables.roots.get(number).to_le_bytes())?;
        }
        out.flush()
    }
}

/// A number that was written.
fn read_number(from: &mut dyn Read) -> Result<u32, Error> {
    let mut bytes = [0; 4];
    from.read_exact(&mut bytes)?;
    Ok(u32::from_le_bytes(bytes))
}

/// Nodes that were written, handed to `each` in their order.
fn read_nodes<const SIZE: usize>(
    from: &mut dyn Read,
    count: usize,
    mut each: impl FnMut([u8; SIZE]) -> Result<(), ThawError>,
) -> Result<(), ThawError> {
    let mut bytes = vec![0; PORTION];
    let mut left = count;
    while left > 0 {
        let portion = &mut bytes[..SIZE * left.min(PORTION / SIZE)];
        from.read_exact(portion)?;
        left -= portion.len() / SIZE;
        portion.as_chunks::<SIZE>().0.iter().try_for_each(|node| each(*node))?;
    }
    Ok(())
}

impl TreeStore {
    /// What is stored in this moment. Other workers must stand at safe points, and nobody may have widened vectors since this
    /// one passed one.
    pub fn freeze(&self) -> FrozenStore {
        let mut unused = self.shared.safe_points.unused_by_others(self.seat);
        unused.push(self.worker.roots.unused.clone());
        unused.extend(lock(&self.shared.spare).iter().cloned());
        unused.retain(|range| !range.is_empty());
        unused.sort_unstable_by_key(|range| range.start);
        FrozenStore {
            leaves: self.tables.leaves.given(),
            inner: self.tables.inner.given(),
            roots: self.tables.roots.given(),
            tables: Arc::clone(&self.tables),
            unused,
        }
    }

    /// Takes all states of a store that was written, under their numbers. Nothing may be stored here yet, and nobody else may
    /// have a hold on the store.
    pub fn thaw(&mut self, from: &mut dyn Read) -> Result<(), ThawError> {
        if !self.alone || !self.is_empty() {
            return Err(damaged("states are already stored"));
        }
        let (width, changing) = (read_number(from)?, read_number(from)?);
        if width == 0 || width > WIDEST || changing > WIDEST {
            return Err(damaged("vectors of no width that there is"));
        }
        let order: Result<Vec<u32>, Error> = (0..changing).map(|_| read_number(from)).collect();
        let shape = Shape::new(width as usize, Order::new(order?));
        let [leaf_count, inner_count, given, ranges] =
            [read_number(from)?, read_number(from)?, read_number(from)?, read_number(from)?];
        let mut unused = Vec::new();
        for _ in 0..ranges {
            let range = read_number(from)?..read_number(from)?;
            if range.end > given || unused.last().is_some_and(|last: &Range<u32>| last.end > range.start) {
                return Err(damaged("numbers out of their order"));
            }
            unused.push(range);
        }
        let (mut leaves, mut inner) = (Vec::new(), Vec::new());
        read_nodes(from, leaf_count as usize, |node| {
            leaves.push(u128::from_le_bytes(node));
            Ok(())
        })?;
        read_nodes(from, inner_count as usize, |node| {
            inner.push(u64::from_le_bytes(node));
            Ok(())
        })?;
        let nodes = |number: u32| leaves.get(number as usize).copied();
        let inner = |number: u32| inner.get(number as usize).copied();
        self.fill(shape, given, unused, |states, each| {
            let mut written = Expanded::new();
            let mut numbers = states.iter().cloned().flatten();
            let count = states.iter().map(Range::len).sum();
            read_nodes(from, count, |root| {
                let (root, shape) = (u64::from_le_bytes(root), each.shape());
                let unfolded = written.unfold(shape, WRITTEN, root, (nodes, inner));
                unfolded.ok_or_else(|| damaged("a state of nodes that are not there"))?;
                let number = numbers.next().ok_or_else(|| damaged("more states than numbers"))?;
                each.put(number, &written)
            })
        })
    }

    /// Makes tables of a shape the current ones, with states that `fill` gives.
    fn fill(
        &mut self,
        shape: Shape,
        given: u32,
        unused: Vec<Range<u32>>,
        fill: impl FnOnce(&[Range<u32>], &mut Filled<'_>) -> Result<(), ThawError>,
    ) -> Result<(), ThawError> {
        let shared = Arc::clone(&self.shared);
        let tables = Tables::new(shape, self.tables.generation + 1);
        let worker = Worker::new(&tables.shape, 0..0);
        let states = between(&unused, given);
        let mut filled = Filled { tables, worker, store: self, last: Expanded::new() };
        fill(&states, &mut filled)?;
        let Filled { tables, mut worker, .. } = filled;
        tables.roots.give_out_to(given, &mut worker.roots, &shared.budget)?;
        if tables.roots.given() != given {
            return Err(damaged("numbers that were never given out"));
        }
        let count: usize = states.iter().map(Range::len).sum();
        shared.safe_points.count(self.seat, count);
        lock(&shared.spare).extend(unused);
        shared.generation.store(tables.generation, Ordering::Release);
        *lock(&shared.current) = Arc::new(tables);
        self.worker.roots.unused = 0..0;
        self.take_current();
        Ok(())
    }
}

/// Tables on their way.
struct Filled<'s> {
    tables: Tables,
    worker: Worker,
    store: &'s TreeStore,
    /// The state that was put last.
    last: Expanded,
}

impl Filled<'_> {
    fn shape(&self) -> &Shape {
        &self.tables.shape
    }

    fn put(&mut self, number: u32, state: &Expanded) -> Result<(), ThawError> {
        let around = surroundings(&self.store.shared, true);
        self.tables.roots.give_out_to(number + 1, &mut self.worker.roots, around.budget)?;
        self.worker.roots.unused = number..number + 1;
        self.worker.begin(&self.tables, &self.last);
        let root = self.worker.fold(&self.tables, &self.last, state.words(), around)?;
        let inserted = self.worker.insert_root(&self.tables, self.tables.look_for(root), around)?;
        if !inserted.is_new || inserted.state != StateId(number) {
            return Err(damaged("a state has two numbers"));
        }
        self.tables.load(inserted.state, &mut self.last);
        Ok(())
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn vector(number: u32, width: usize) -> Vec<u32> {
        (0..width as u32).map(|word| number.wrapping_mul(word + 3) >> (word % 7 * 4) & 0xFF).collect()
    }

    fn written(store: &TreeStore) -> Vec<u8> {
        let mut bytes = Vec::new();
        store.freeze().write(&mut bytes).expect("memory");
        bytes
    }

    #[test]
    fn states_keep_their_numbers_and_their_store_goes_on() {
        for width in [1, 3, 9, 40] {
            let mut store = TreeStore::with_order(width, Order::new(vec![2, 0, 7]));
            for number in 0..5_000 {
                store.insert(&vector(number, width)).expect("memory");
            }
            let bytes = written(&store);
            let mut again = TreeStore::new(1);
            again.thaw(&mut &bytes[..]).expect("it is whole");
            assert_eq!((again.len(), again.width()), (store.len(), width));
            for number in 0..6_000 {
                let (left, right) =
                    (store.insert(&vector(number, width)), again.insert(&vector(number, width)));
                let (left, right) = (left.expect("memory"), right.expect("memory"));
                assert_eq!(left.is_new, right.is_new);
                if number < 5_000 {
                    assert_eq!(left.state, right.state);
                }
            }
            assert_eq!(again.len(), store.len());
            assert!(again.thaw(&mut &bytes[..]).is_err(), "there are states already");
        }
    }

    #[test]
    fn numbers_that_workers_left_stay_unused() {
        let mut store = TreeStore::new(4);
        store.insert(&vector(0, 4)).expect("memory");
        {
            let mut other = store.another().expect("a place");
            for number in 1..1_500 {
                other.insert(&vector(number, 4)).expect("memory");
            }
            store.insert(&vector(9_999, 4)).expect("memory");
            other.pass_safe_point();
            store.pass_safe_point();
            let bytes = written(&store);
            let mut again = TreeStore::new(1);
            again.thaw(&mut &bytes[..]).expect("it is whole");
            assert_eq!(again.len(), store.len());
            let (mut left, mut right) = (Expanded::new(), Expanded::new());
            for state in again.states() {
                again.load(state, &mut left);
                store.load(state, &mut right);
                assert_eq!(left.words(), right.words());
            }
            assert_eq!(again.states().count(), store.len());
            assert!(again.insert(&vector(77_777, 4)).expect("memory").is_new);
        }
    }

    #[test]
    fn what_was_not_written_is_not_read() {
        let mut store = TreeStore::new(5);
        for number in 0..50 {
            store.insert(&vector(number, 5)).expect("memory");
        }
        let bytes = written(&store);
        for end in (0..bytes.len()).step_by(7) {
            assert!(TreeStore::new(1).thaw(&mut &bytes[..end]).is_err());
        }
        // Whatever is there instead is refused or some store; nothing panics.
        for place in (0..bytes.len()).step_by(if bytes.len() > 999 { 37 } else { 1 }) {
            let mut bytes = bytes.clone();
            bytes[place] ^= 0x55;
            let _ = TreeStore::new(1).thaw(&mut &bytes[..]);
        }
    }
}
