//! Zeroed memory for arrays of atomics, by hand: it comes from the system untouched, page by page as it is used. Large arrays
//! ask for large pages, and small ones share them ([`super::pages`]): that makes random access up to half again as quick.

#[cfg(not(loom))]
use super::pages::{LARGE, Piece, advise_large_pages};
use crate::StoreFull;

/// What may begin as zero bytes.
///
/// # Safety
/// All bytes zero must be a value of the type, and it must not need to be dropped.
#[allow(unsafe_code)]
pub(crate) unsafe trait Zeroed {
    #[cfg(loom)]
    fn zeroed() -> Self;
}

/// Memory that owns `len` values; freed when dropped.
#[derive(Debug)]
pub(crate) struct Memory<T: Zeroed> {
    first: *mut T,
    len: usize,
    #[cfg(not(loom))]
    from: From,
}

/// Whom to give memory back to.
#[cfg(not(loom))]
#[derive(Debug)]
enum From {
    Slab { _piece: Piece },
    Allocator { base: *mut u8 },
}

// SAFETY: a `Memory` owns its values, as a `Box` does.
#[allow(unsafe_code)]
unsafe impl<T: Zeroed + Send> Send for Memory<T> {}
// SAFETY: shared access gives shared references only.
#[allow(unsafe_code)]
unsafe impl<T: Zeroed + Sync> Sync for Memory<T> {}

#[cfg(not(loom))]
impl<T: Zeroed> Memory<T> {
    fn layout(len: usize) -> Option<std::alloc::Layout> {
        let bytes = len.checked_mul(size_of::<T>())?.checked_add(align_of::<T>())?;
        std::alloc::Layout::from_size_align(bytes, 16).ok()
    }

    pub(crate) fn new(len: usize) -> Result<Self, StoreFull> {
        const { assert!(align_of::<T>() <= 64) };
        let layout = Self::layout(len).ok_or(StoreFull::OutOfMemory)?;
        if let Some(piece) = Piece::new(layout.size()) {
            return Ok(Memory { first: piece.first().cast(), len, from: From::Slab { _piece: piece } });
        }
        // SAFETY: the layout is not empty, since an alignment is at least one.
        #[allow(unsafe_code)]
        let base = unsafe { std::alloc::alloc_zeroed(layout) };
        if base.is_null() {
            return Err(StoreFull::OutOfMemory);
        }
        if layout.size() >= LARGE {
            advise_large_pages(base, layout.size());
        }
        // Aligned by hand: the allocator would zero memory of a large alignment by writing to all of it.
        let first = base.wrapping_add(base.align_offset(align_of::<T>())).cast::<T>();
        Ok(Memory { first, len, from: From::Allocator { base } })
    }
}

#[cfg(loom)]
impl<T: Zeroed> Memory<T> {
    pub(crate) fn new(len: usize) -> Result<Self, StoreFull> {
        let values: Box<[T]> = (0..len).map(|_| T::zeroed()).collect();
        Ok(Memory { first: Box::into_raw(values).cast(), len })
    }
}

impl<T: Zeroed> Memory<T> {
    /// The first value; all others follow it.
    #[inline]
    pub(crate) fn first(&self) -> *mut T {
        self.first
    }
}

impl<T: Zeroed> Drop for Memory<T> {
    fn drop(&mut self) {
        #[cfg(not(loom))]
        if let (From::Allocator { base }, Some(layout)) = (&self.from, Self::layout(self.len)) {
            // SAFETY: `base` was allocated with this layout, and the values need no drop.
            #[allow(unsafe_code)]
            unsafe {
                std::alloc::dealloc(*base, layout);
            }
        }
        // SAFETY: the pointer and the length are those of the box it was made of.
        #[cfg(loom)]
        #[allow(unsafe_code)]
        unsafe {
            drop(Box::from_raw(std::ptr::slice_from_raw_parts_mut(self.first, self.len)));
        }
    }
}
