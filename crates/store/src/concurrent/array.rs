//! An array of nodes that workers append to and read at the same time.
//!
//! It grows by chunks, each twice as large as the one before, and no element ever moves, so whoever has a number reads its
//! element without asking anybody. Numbers are given out in blocks, which belong to one worker; a chunk that a block lies in
//! is there before the block is given out. The memory of a chunk is taken from the system as it is first written.

use std::marker::PhantomData;
use std::ops::Range;

use super::memory::{Memory, Zeroed};
use crate::budget::Budget;
use crate::hash::Key;
use crate::sync::{AtomicU32, AtomicU64, Mutex, Ordering, lock};
use crate::{StateId, StoreFull};

/// Numbers that a worker takes at once. They are few enough that the tail of a last block costs nothing.
pub(crate) const BLOCK: u32 = if cfg!(loom) { 1 } else { 1 << 10 };

/// The first chunk has so many elements; a whole number of blocks.
const FIRST_BITS: u32 = 13;
const CHUNKS: usize = 33 - FIRST_BITS as usize;

// SAFETY: zero bytes are the number zero, which needs no drop.
#[cfg(not(loom))]
#[allow(unsafe_code)]
unsafe impl Zeroed for AtomicU64 {}
// SAFETY: it is made by its own constructor.
#[cfg(loom)]
#[allow(unsafe_code)]
unsafe impl Zeroed for AtomicU64 {
    fn zeroed() -> Self {
        AtomicU64::new(0)
    }
}

pub(crate) struct Array<K> {
    /// The first words of the chunks, as addresses; zero where there is none yet. Once set they stay.
    chunks: [AtomicU64; CHUNKS],
    /// Who owns the chunks.
    owned: Mutex<Vec<Memory<AtomicU64>>>,
    /// The first number that was not given out.
    given: AtomicU32,
    keys: PhantomData<K>,
}

impl<K> std::fmt::Debug for Array<K> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "an array of {} numbers", self.given.load(Ordering::Relaxed))
    }
}

/// The chunk of a number, and its place in there.
#[inline]
fn place(number: u32) -> (usize, usize) {
    let shifted = u64::from(number) + (1 << FIRST_BITS);
    let bit = 63 - shifted.leading_zeros();
    ((bit - FIRST_BITS) as usize, (shifted ^ (1 << bit)) as usize)
}

/// How many elements a chunk has room for. Under `loom` there are as many as its tests use.
fn chunk_len(chunk: usize) -> usize {
    if cfg!(loom) { 8 } else { 1 << (FIRST_BITS as usize + chunk) }
}

impl<K: Key> Array<K> {
    pub(crate) fn new() -> Self {
        Array {
            chunks: std::array::from_fn(|_| AtomicU64::new(0)),
            owned: Mutex::new(Vec::new()),
            given: AtomicU32::new(0),
            keys: PhantomData,
        }
    }

    /// The words of an element, whose chunk must be there.
    #[inline]
    fn words(&self, number: u32) -> &[AtomicU64] {
        let (chunk, position) = place(number);
        let address = self.chunks[chunk].load(Ordering::Acquire) as usize;
        assert!(address != 0, "a number that was not given out");
        let words = std::ptr::with_exposed_provenance::<AtomicU64>(address);
        // SAFETY: the address is that of a chunk with at least `chunk_len` elements of `K::WORDS` words, which lives as
        // long as the array; `place` gives a position below that length.
        #[allow(unsafe_code)]
        unsafe {
            std::slice::from_raw_parts(words.add(position * K::WORDS), K::WORDS)
        }
    }

    /// The element with a number that was published.
    #[inline]
    pub(crate) fn get(&self, number: u32) -> K {
        K::read(self.words(number))
    }

    /// Writes the element with a number of the caller's own block, before it is published.
    #[inline]
    pub(crate) fn set(&self, number: u32, key: K) {
        key.write(self.words(number));
    }

    /// Fetches an element into the cache.
    #[inline]
    pub(crate) fn prefetch(&self, number: u32) {
        #[cfg(all(target_arch = "x86_64", not(loom)))]
        // SAFETY: a prefetch reads nothing that can be observed, whatever the address.
        #[allow(unsafe_code)]
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(self.words(number).as_ptr().cast());
        }
        #[cfg(not(all(target_arch = "x86_64", not(loom))))]
        let _ = number;
    }

    /// One more than the highest number that was given out.
    #[inline]
    pub(crate) fn given(&self) -> u32 {
        self.given.load(Ordering::Relaxed)
    }

    /// The numbers below this one count as given out. Nobody else may use the array.
    pub(crate) fn give_out_to(&self, end: u32, budget: &Budget) -> Result<(), StoreFull> {
        while self.given() < end {
            self.next_block(budget)?;
        }
        Ok(())
    }

    /// Takes a block of numbers.
    #[cold]
    pub(crate) fn next_block(&self, budget: &Budget) -> Result<Range<u32>, StoreFull> {
        if self.given() >= StateId::LAST.0 - 80 * BLOCK {
            return Err(StoreFull::Names);
        }
        budget.take(BLOCK as usize * K::WORDS * 8)?;
        let first = self.given.fetch_add(BLOCK, Ordering::Relaxed);
        let (chunk, _) = place(first);
        if self.chunks[chunk].load(Ordering::Acquire) == 0
            && let Err(full) = self.add_chunk(chunk)
        {
            // The numbers of the block are lost, which matters to nobody: there is no memory for others.
            budget.give_back(BLOCK as usize * K::WORDS * 8);
            return Err(full);
        }
        Ok(first..first + BLOCK)
    }

    /// Allocates a chunk, unless somebody has done so meanwhile. Whoever waits for the lock waits for one allocation of
    /// memory that is not touched.
    fn add_chunk(&self, chunk: usize) -> Result<(), StoreFull> {
        let mut owned = lock(&self.owned);
        if self.chunks[chunk].load(Ordering::Acquire) == 0 {
            let memory = Memory::<AtomicU64>::new(chunk_len(chunk) * K::WORDS)?;
            self.chunks[chunk].store(memory.first().expose_provenance() as u64, Ordering::Release);
            owned.push(memory);
        }
        Ok(())
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_a_place_of_its_own() {
        let mut expected = (0, 0);
        for number in 0..1_000_000 {
            assert_eq!(place(number), expected);
            expected.1 += 1;
            if expected.1 == chunk_len(expected.0) {
                expected = (expected.0 + 1, 0);
            }
        }
        assert!(place(StateId::LAST.0).0 < CHUNKS);
        assert!(place(StateId::LAST.0).1 < chunk_len(place(StateId::LAST.0).0));
    }

    #[test]
    fn elements_stay_where_they_are() {
        let array = Array::<u128>::new();
        let budget = Budget::new();
        for _ in 0..100 {
            for number in array.next_block(&budget).expect("memory") {
                array.set(number, u128::from(number) << 60);
            }
        }
        assert!((0..100 * BLOCK).all(|number| array.get(number) == u128::from(number) << 60));
        assert_eq!(budget.held(), 100 * BLOCK as usize * 16);
    }
}
