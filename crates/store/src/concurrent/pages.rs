//! Memory in large pages for arrays that are too small to fill one each.
//!
//! The tables of a store are cut into many pieces, so that growth never copies all of them, and look-ups go to any of these:
//! with pages of 4 KiB the processor's table of pages is soon too small for that. So pieces are cut from slabs that begin where
//! a large page does and ask for large pages as a whole. What is given back is joined with what is free beside it, and a slab
//! that is free as a whole goes back to the system.

use std::alloc::Layout;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The size of a large page, and the alignment of slabs.
const PAGE: usize = 2 << 20;

/// What has to be held by ordinary means before pieces are cut from slabs: little memory is not worth a large page.
const LITTLE: usize = 1 << 20;

/// Pieces of this size come from the system directly: they fill large pages by themselves.
pub(super) const LARGE: usize = 4 << 20;

/// The largest slab.
const LARGEST_SLAB: usize = 64 << 20;

/// Pieces begin where a line of the processor's cache does.
const LINE: usize = 64;

/// What all pieces of the process are cut from.
static SLABS: Mutex<Slabs> = Mutex::new(Slabs::new());

fn slabs() -> MutexGuard<'static, Slabs> {
    SLABS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Zeroed memory that begins at a cache line; freed when dropped.
#[derive(Debug)]
pub(super) struct Piece {
    address: usize,
    bytes: usize,
}

impl Piece {
    /// None where the ordinary allocator is the better place for it, or has the last word on whether there is memory.
    pub(super) fn new(bytes: usize) -> Option<Piece> {
        let bytes = bytes.max(1).checked_next_multiple_of(LINE)?;
        let mut slabs = slabs();
        if bytes >= LARGE || slabs.asked < LITTLE {
            slabs.asked = slabs.asked.saturating_add(bytes);
            return None;
        }
        let Cut { address, is_zero } = slabs.cut(bytes)?;
        drop(slabs);
        let piece = Piece { address, bytes };
        if !is_zero {
            // SAFETY: the bytes lie in a slab, and were free until they became those of this piece.
            #[allow(unsafe_code)]
            unsafe {
                piece.first().write_bytes(0, bytes);
            }
        }
        Some(piece)
    }

    /// Where it begins.
    pub(super) fn first(&self) -> *mut u8 {
        std::ptr::with_exposed_provenance_mut(self.address)
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        let empty = slabs().give_back(self.address, self.bytes);
        // Outside of the lock, as it takes the system a while.
        drop(empty);
    }
}

struct Slabs {
    /// By address.
    slabs: BTreeMap<usize, Slab>,
    /// What is free, by address. Parts that touch each other are one, but for those that were never used.
    free: BTreeMap<usize, Part>,
    /// The bytes that were asked for up to now and came from the ordinary allocator.
    asked: usize,
}

#[derive(Clone, Copy)]
struct Part {
    bytes: usize,
    slab: usize,
    /// Nobody has used it since it came from the system.
    is_zero: bool,
}

struct Cut {
    address: usize,
    is_zero: bool,
}

impl Slabs {
    const fn new() -> Slabs {
        Slabs { slabs: BTreeMap::new(), free: BTreeMap::new(), asked: 0 }
    }

    fn cut(&mut self, bytes: usize) -> Option<Cut> {
        // What was used before, and of that the smallest: then fewer pages are touched, and large parts stay.
        let fitting = self.free.iter().filter(|(_, part)| part.bytes >= bytes);
        let best = fitting.min_by_key(|(_, part)| (part.is_zero, part.bytes)).map(|(address, _)| *address);
        let address = match best {
            Some(address) => address,
            None => self.add(bytes)?,
        };
        let part = self.free.remove(&address)?;
        if part.bytes > bytes {
            self.free.insert(address + bytes, Part { bytes: part.bytes - bytes, ..part });
        }
        self.slabs.get_mut(&part.slab)?.used += bytes;
        Some(Cut { address, is_zero: part.is_zero })
    }

    /// A further slab, for at least so many bytes: its address.
    fn add(&mut self, bytes: usize) -> Option<usize> {
        // In proportion to what there is. What is never touched costs nothing, but for the rest of the last page.
        let held: usize = self.slabs.values().map(|slab| slab.bytes).sum();
        let wanted = (held / 4).clamp(PAGE, LARGEST_SLAB).max(bytes);
        let slab = Slab::new(wanted.checked_next_multiple_of(PAGE)?)?;
        let address = slab.address;
        self.free.insert(address, Part { bytes: slab.bytes, slab: address, is_zero: true });
        self.slabs.insert(address, slab);
        Some(address)
    }

    /// Takes a piece back. The slab, if nothing of it is in use any more.
    fn give_back(&mut self, address: usize, bytes: usize) -> Option<Slab> {
        let (&base, slab) = self.slabs.range_mut(..=address).next_back()?;
        slab.used -= bytes;
        if slab.used == 0 {
            self.free.retain(|_, part| part.slab != base);
            return self.slabs.remove(&base);
        }
        let joins = |part: &Part| part.slab == base && !part.is_zero;
        let (mut address, mut part) = (address, Part { bytes, slab: base, is_zero: false });
        let end = address + bytes;
        if let Some(after) = self.free.get(&end).copied().filter(joins) {
            self.free.remove(&end);
            part.bytes += after.bytes;
        }
        if let Some((&before, other)) = self.free.range(..address).next_back()
            && joins(other)
            && before + other.bytes == address
        {
            part.bytes += other.bytes;
            address = before;
        }
        self.free.insert(address, part);
        None
    }
}

/// Memory of the system that begins where a large page does.
struct Slab {
    address: usize,
    bytes: usize,
    used: usize,
    base: *mut u8,
}

// SAFETY: a slab owns its memory, as a `Box` does.
#[allow(unsafe_code)]
unsafe impl Send for Slab {}

impl Slab {
    fn layout(bytes: usize) -> Option<Layout> {
        Layout::from_size_align(bytes.checked_add(PAGE)?, 16).ok()
    }

    fn new(bytes: usize) -> Option<Slab> {
        // Aligned by hand: the allocator would zero memory of a large alignment by writing to all of it.
        // SAFETY: the layout is not empty.
        #[allow(unsafe_code)]
        let base = unsafe { std::alloc::alloc_zeroed(Self::layout(bytes)?) };
        if base.is_null() {
            return None;
        }
        let first = base.wrapping_add(base.align_offset(PAGE));
        advise_large_pages(first, bytes);
        Some(Slab { address: first.expose_provenance(), bytes, used: 0, base })
    }
}

impl Drop for Slab {
    fn drop(&mut self) {
        if let Some(layout) = Self::layout(self.bytes) {
            // SAFETY: `base` was allocated with this layout, and no piece of it is in use: slabs are removed when the last is
            // given back.
            #[allow(unsafe_code)]
            unsafe {
                std::alloc::dealloc(self.base, layout);
            }
        }
    }
}

/// Asks for large pages; where that is refused nothing happens.
#[cfg(target_os = "linux")]
pub(super) fn advise_large_pages(base: *mut u8, bytes: usize) {
    #[allow(unsafe_code)]
    unsafe extern "C" {
        fn madvise(address: *mut u8, length: usize, advice: i32) -> i32;
    }
    const SMALL_PAGE: usize = 4096;
    const MADV_HUGEPAGE: i32 = 14;
    let skipped = base.align_offset(SMALL_PAGE);
    let length = bytes.saturating_sub(skipped) / SMALL_PAGE * SMALL_PAGE;
    // SAFETY: the pages lie within an allocation of the caller's, and the advice changes nothing that can be observed but time.
    #[allow(unsafe_code)]
    unsafe {
        madvise(base.wrapping_add(skipped), length, MADV_HUGEPAGE);
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn advise_large_pages(_: *mut u8, _: usize) {}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(slabs: &Slabs) -> Vec<usize> {
        slabs.free.values().map(|part| part.bytes).collect()
    }

    #[test]
    fn what_is_given_back_is_joined_and_used_again() {
        let mut slabs = Slabs::new();
        let cuts: Vec<Cut> = (0..4).map(|_| slabs.cut(1 << 12).expect("memory")).collect();
        assert!(cuts.iter().all(|cut| cut.is_zero && cut.address % LINE == 0));
        assert!(slabs.give_back(cuts[0].address, 1 << 12).is_none());
        assert!(slabs.give_back(cuts[2].address, 1 << 12).is_none());
        assert_eq!(parts(&slabs), [1 << 12, 1 << 12, PAGE - (4 << 12)]);
        assert!(slabs.give_back(cuts[1].address, 1 << 12).is_none());
        assert_eq!(parts(&slabs), [3 << 12, PAGE - (4 << 12)]);
        // What was used before comes first, and is not said to be zero.
        let again = slabs.cut(2 << 12).expect("memory");
        assert_eq!((again.address, again.is_zero), (cuts[0].address, false));
        assert!(slabs.give_back(again.address, 2 << 12).is_none());
        // The last piece takes the slab with it.
        assert!(slabs.give_back(cuts[3].address, 1 << 12).is_some());
        assert!(slabs.slabs.is_empty() && slabs.free.is_empty());
    }

    #[test]
    fn pieces_are_apart_and_zero_whatever_was_there_before() {
        let mut random = 1_u64;
        let mut held: Vec<(Piece, u8)> = Vec::new();
        for round in 0..2_000_u32 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            if random >> 63 == 1 && !held.is_empty() {
                let (piece, mark) = held.swap_remove((random >> 33) as usize % held.len());
                // SAFETY: the piece is this test's own.
                #[allow(unsafe_code)]
                let bytes = unsafe { std::slice::from_raw_parts(piece.first(), piece.bytes) };
                assert!(bytes.iter().all(|byte| *byte == mark));
            } else if let Some(piece) = Piece::new((random >> 33) as usize % 100_000) {
                let mark = round as u8 | 1;
                // SAFETY: as above.
                #[allow(unsafe_code)]
                let bytes = unsafe { std::slice::from_raw_parts_mut(piece.first(), piece.bytes) };
                assert!(bytes.iter().all(|byte| *byte == 0));
                bytes.fill(mark);
                held.push((piece, mark));
            }
        }
        assert!(held.len() > 10);
    }
}
