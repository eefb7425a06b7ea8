//! Arrays that grow while others read them. They consist of chunks, each twice as large as the one before, so nothing moves.

use std::sync::OnceLock;

/// The first chunk has so many items.
const FIRST_BITS: u32 = 6;
const CHUNKS: usize = 33 - FIRST_BITS as usize;

/// The chunk of an item, and its place there.
#[inline]
fn place(number: u32) -> (usize, usize) {
    let shifted = u64::from(number) + (1 << FIRST_BITS);
    let bit = 63 - shifted.leading_zeros();
    ((bit - FIRST_BITS) as usize, (shifted - (1 << bit)) as usize)
}

fn size(chunk: usize) -> usize {
    1 << (FIRST_BITS as usize + chunk)
}

/// The number behind the last item of the chunk of an item.
pub(crate) fn chunk_end(number: u32) -> u64 {
    let (chunk, at) = place(number);
    u64::from(number) + (size(chunk) - at) as u64
}

fn bytes<T>(chunks: &[OnceLock<Box<[T]>>]) -> usize {
    chunks.iter().filter_map(OnceLock::get).map(|chunk| chunk.len() * size_of::<T>()).sum()
}

/// Items that are put in their places once.
pub(crate) struct Shelf<T> {
    chunks: [OnceLock<Box<[OnceLock<T>]>>; CHUNKS],
}

impl<T> Shelf<T> {
    pub(crate) fn new() -> Shelf<T> {
        Shelf { chunks: [const { OnceLock::new() }; CHUNKS] }
    }

    #[inline]
    pub(crate) fn get(&self, number: u32) -> Option<&T> {
        let (chunk, at) = place(number);
        self.chunks[chunk].get()?[at].get()
    }

    /// Puts an item into a place that nobody else has.
    pub(crate) fn put(&self, number: u32, item: T) {
        let (chunk, at) = place(number);
        let items = self.chunks[chunk].get_or_init(|| (0..size(chunk)).map(|_| OnceLock::new()).collect());
        let was_free = items[at].set(item).is_ok();
        debug_assert!(was_free, "a number was given twice");
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        bytes(&self.chunks)
    }
}

/// Atomics, which are zero until somebody changes them.
pub(crate) struct Cells<A> {
    chunks: [OnceLock<Box<[A]>>; CHUNKS],
}

impl<A: Default> Cells<A> {
    pub(crate) fn new() -> Cells<A> {
        Cells { chunks: [const { OnceLock::new() }; CHUNKS] }
    }

    /// A cell, if there was a reason to make it.
    #[inline]
    pub(crate) fn get(&self, number: u32) -> Option<&A> {
        let (chunk, at) = place(number);
        Some(&self.chunks[chunk].get()?[at])
    }

    /// A cell and the next one.
    #[inline]
    pub(crate) fn pair(&self, number: u32) -> Option<(&A, &A)> {
        let (chunk, at) = place(number);
        let cells = self.chunks[chunk].get()?;
        match cells.get(at + 1) {
            Some(next) => Some((&cells[at], next)),
            None => Some((&cells[at], self.get(number.checked_add(1)?)?)),
        }
    }

    /// A cell.
    #[inline]
    pub(crate) fn reach(&self, number: u32) -> &A {
        let (chunk, at) = place(number);
        &self.made(chunk)[at]
    }

    /// So many cells from a place on, all of which are in one chunk.
    #[inline]
    pub(crate) fn row(&self, number: u32, count: usize) -> Option<&[A]> {
        if count == 0 {
            return Some(&[]);
        }
        let (chunk, at) = place(number);
        self.chunks[chunk].get()?.get(at..at + count)
    }

    /// The same where they may be new.
    pub(crate) fn reach_row(&self, number: u32, count: usize) -> Option<&[A]> {
        if count == 0 {
            return Some(&[]);
        }
        let (chunk, at) = place(number);
        self.made(chunk).get(at..at + count)
    }

    fn made(&self, chunk: usize) -> &[A] {
        self.chunks[chunk].get_or_init(|| (0..size(chunk)).map(|_| A::default()).collect())
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        bytes(&self.chunks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_a_place_of_its_own() {
        let mut before = (0, 0);
        for number in 1..10_000 {
            let (chunk, at) = place(number);
            let is_next = (chunk, at) == (before.0, before.1 + 1) || (chunk, at) == (before.0 + 1, 0);
            assert!(is_next && at < size(chunk), "{number}");
            assert_eq!(chunk_end(number) == chunk_end(number - 1), chunk == before.0);
            before = (chunk, at);
        }
        assert_eq!(place(u32::MAX).0, CHUNKS - 1);
        assert_eq!(chunk_end(0), 64);
    }
}
