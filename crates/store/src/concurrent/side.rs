//! Tables beside the states that several workers write: one value for each number, zero until somebody changes it.
//!
//! They grow by chunks, each twice as large as the one before, which appear when a number in them is first asked for; nothing
//! moves, so a reference to a value stays good. The memory of a chunk is taken from the system as it is first touched.

use super::memory::{Memory, Zeroed};
use crate::StoreFull;
use crate::sync::{AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Mutex, Ordering, lock};

/// The first chunk has so many values.
const FIRST_BITS: u32 = if cfg!(loom) { 2 } else { 13 };
const CHUNKS: usize = 33 - FIRST_BITS as usize;

pub(crate) struct SideTable<T: Zeroed> {
    /// The chunks, as addresses; zero where there is none yet. Once set they stay.
    chunks: [AtomicU64; CHUNKS],
    owned: Mutex<Vec<Memory<T>>>,
    /// One more than the highest number asked for, roughly: for [`SideTable::memory_bytes`].
    reached: AtomicUsize,
}

// SAFETY: zero bytes are the number zero, which needs no drop.
#[cfg(not(loom))]
#[allow(unsafe_code)]
unsafe impl Zeroed for AtomicU8 {}
// SAFETY: it is made by its own constructor.
#[cfg(loom)]
#[allow(unsafe_code)]
unsafe impl Zeroed for AtomicU8 {
    fn zeroed() -> Self {
        AtomicU8::new(0)
    }
}

// SAFETY: as for bytes.
#[cfg(not(loom))]
#[allow(unsafe_code)]
unsafe impl Zeroed for AtomicU32 {}
// SAFETY: as for bytes.
#[cfg(loom)]
#[allow(unsafe_code)]
unsafe impl Zeroed for AtomicU32 {
    fn zeroed() -> Self {
        AtomicU32::new(0)
    }
}

impl<T: Zeroed> SideTable<T> {
    pub(crate) fn new() -> Self {
        SideTable {
            chunks: std::array::from_fn(|_| AtomicU64::new(0)),
            owned: Mutex::new(Vec::new()),
            reached: AtomicUsize::new(0),
        }
    }

    #[inline]
    fn place(number: u32) -> (usize, usize) {
        let shifted = u64::from(number) + (1 << FIRST_BITS);
        let bit = 63 - shifted.leading_zeros();
        ((bit - FIRST_BITS) as usize, (shifted ^ (1 << bit)) as usize)
    }

    /// The value of a number whose chunk is there; none where nobody has asked for it.
    #[inline]
    pub(crate) fn known(&self, number: u32) -> Option<&T> {
        let (chunk, position) = Self::place(number);
        let address = self.chunks[chunk].load(Ordering::Acquire) as usize;
        if address == 0 {
            return None;
        }
        let first = std::ptr::with_exposed_provenance::<T>(address);
        // SAFETY: the address is that of a chunk of `1 << (FIRST_BITS + chunk)` values, which lives as long as the table, and
        // `place` gives a position below that.
        #[allow(unsafe_code)]
        unsafe {
            Some(&*first.add(position))
        }
    }

    /// The value of a number.
    #[inline]
    pub(crate) fn at(&self, number: u32) -> Result<&T, StoreFull> {
        match self.known(number) {
            Some(value) => Ok(value),
            None => self.add(number),
        }
    }

    #[cold]
    fn add(&self, number: u32) -> Result<&T, StoreFull> {
        let (chunk, _) = Self::place(number);
        let mut owned = lock(&self.owned);
        if self.chunks[chunk].load(Ordering::Acquire) == 0 {
            let memory = Memory::<T>::new(1 << (FIRST_BITS as usize + chunk))?;
            self.chunks[chunk].store(memory.first().expose_provenance() as u64, Ordering::Release);
            owned.push(memory);
        }
        drop(owned);
        self.known(number).ok_or(StoreFull::OutOfMemory)
    }

    /// Notes that numbers up to this one are in use.
    pub(crate) fn reach(&self, number: u32) {
        if self.reached.load(Ordering::Relaxed) <= number as usize {
            self.reached.fetch_max(number as usize + 1, Ordering::Relaxed);
        }
    }

    /// The bytes of the values up to the highest one in use.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.reached.load(Ordering::Relaxed) * size_of::<T>()
    }
}
