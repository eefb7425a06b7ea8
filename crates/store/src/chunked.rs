//! An append-only array that grows by whole chunks and never moves an element.
//!
//! Growing a `Vec` may need the old and the new block at once; a chunked array needs one chunk more, which
//! keeps the peak of memory at the size of the data. The price is one more load per access, from a short
//! and therefore cached list of chunks.

use crate::StoreFull;

const CHUNK_BITS: u32 = 15;
const CHUNK: usize = 1 << CHUNK_BITS;
const MASK: usize = CHUNK - 1;

/// A growing array of plain values; see the module's description.
#[derive(Clone, Debug, Default)]
pub struct ChunkedVec<T> {
    chunks: Vec<Box<[T; CHUNK]>>,
    len: usize,
}

impl<T: Copy + Default> ChunkedVec<T> {
    /// An empty array that owns no memory yet.
    pub fn new() -> Self {
        ChunkedVec { chunks: Vec::new(), len: 0 }
    }

    /// How many elements the array has.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the array has no element.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The bytes held, used or not.
    pub fn memory_bytes(&self) -> usize {
        self.chunks.len() * size_of::<[T; CHUNK]>() + self.chunks.capacity() * size_of::<usize>()
    }

    /// Whether the next element has its place already.
    #[inline]
    pub(crate) fn has_room(&self) -> bool {
        self.len < self.chunks.len() << CHUNK_BITS
    }

    /// The element at a position below [`ChunkedVec::len`].
    #[inline]
    pub fn get(&self, position: usize) -> T {
        self.chunks[position >> CHUNK_BITS][position & MASK]
    }

    /// Replaces the element at a position below [`ChunkedVec::len`].
    #[inline]
    pub fn set(&mut self, position: usize, value: T) {
        self.chunks[position >> CHUNK_BITS][position & MASK] = value;
    }

    /// The element at a position below [`ChunkedVec::len`], to be changed in place.
    #[inline]
    pub fn get_mut(&mut self, position: usize) -> &mut T {
        &mut self.chunks[position >> CHUNK_BITS][position & MASK]
    }

    /// Appends an element.
    #[inline]
    pub fn push(&mut self, value: T) -> Result<(), StoreFull> {
        if !self.has_room() {
            self.add_chunk()?;
        }
        let position = self.len;
        self.len += 1;
        self.set(position, value);
        Ok(())
    }

    /// Makes the array at least `len` long; new elements are `value`.
    pub fn extend_to(&mut self, len: usize, value: T) -> Result<(), StoreFull> {
        while self.len < len {
            self.push(value)?;
        }
        Ok(())
    }

    /// The elements in order.
    pub fn iter(&self) -> impl Iterator<Item = T> + '_ {
        let len = self.len;
        self.chunks.iter().enumerate().flat_map(move |(number, chunk)| {
            chunk[..(len - (number << CHUNK_BITS)).min(CHUNK)].iter().copied()
        })
    }

    /// Adds one chunk, so that [`ChunkedVec::has_room`].
    #[cold]
    pub(crate) fn add_chunk(&mut self) -> Result<(), StoreFull> {
        let mut elements = Vec::new();
        elements.try_reserve_exact(CHUNK).map_err(|_| StoreFull::OutOfMemory)?;
        elements.resize(CHUNK, T::default());
        let chunk = elements.into_boxed_slice().try_into().map_err(|_| StoreFull::OutOfMemory)?;
        self.chunks.try_reserve(1).map_err(|_| StoreFull::OutOfMemory)?;
        self.chunks.push(chunk);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_elements_across_chunk_borders() {
        let mut array = ChunkedVec::<u32>::new();
        let count = 2 * CHUNK + 3;
        for value in 0..count {
            array.push(value as u32 * 7).expect("memory");
        }
        assert_eq!(array.len(), count);
        assert!((0..count).all(|position| array.get(position) == position as u32 * 7));
        assert_eq!(array.iter().count(), count);
        assert_eq!(array.iter().last(), Some((count as u32 - 1) * 7));
    }

    #[test]
    fn an_exact_multiple_of_the_chunk_has_no_empty_tail() {
        let mut array = ChunkedVec::<u8>::new();
        array.extend_to(CHUNK, 3).expect("memory");
        assert_eq!(array.iter().map(usize::from).sum::<usize>(), 3 * CHUNK);
        assert!(!array.has_room());
    }
}
