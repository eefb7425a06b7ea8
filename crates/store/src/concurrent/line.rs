//! The slots of an index that share a cache line, looked at as a whole.
//!
//! A slot is written once: from empty to an entry, or to the mark of a slot that will stay empty. So what was seen in a
//! slot that was not empty is final, and a line in which no slot was seen empty is known for good.

use super::memory::Zeroed;
use crate::sync::{AtomicU32, Ordering};

/// Slots of a line; few under `loom`, whose tests try every order of steps.
pub(crate) const LINE: usize = if cfg!(loom) { 2 } else { 16 };

/// The mark of a slot that was empty when its entries moved on, and stays so.
pub(crate) const FROZEN: u32 = u32::MAX;

#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct Line([AtomicU32; LINE]);

// SAFETY: zero bytes are empty slots, which need no drop.
#[cfg(not(loom))]
#[allow(unsafe_code)]
unsafe impl Zeroed for Line {}
// SAFETY: it is made slot by slot.
#[cfg(loom)]
#[allow(unsafe_code)]
unsafe impl Zeroed for Line {
    fn zeroed() -> Self {
        Line(std::array::from_fn(|_| AtomicU32::new(0)))
    }
}

/// What one look at a line showed, as bit sets of slots.
#[derive(Clone, Copy)]
pub(crate) struct Look {
    /// The slots that have the tag in the bits of the mask; without a tag to compare these may be empty or frozen.
    pub(crate) matches: u32,
    pub(crate) empty: u32,
}

impl Line {
    /// Which slots have a tag in the bits of a mask, and which are empty.
    #[inline]
    #[cfg(all(target_arch = "x86_64", not(loom)))]
    pub(crate) fn look(&self, tag: u32, mask: u32) -> Look {
        use std::arch::x86_64::{
            __m128i, _mm_and_si128, _mm_cmpeq_epi32, _mm_movemask_epi8, _mm_packs_epi16, _mm_packs_epi32,
            _mm_set1_epi32, _mm_setzero_si128,
        };
        crate::sync::step();
        let (first, second, third, fourth): (__m128i, __m128i, __m128i, __m128i);
        // SAFETY: SSE2 belongs to every x86-64 processor; the four loads lie within this line, which is aligned to 64
        // bytes. They are made by the assembler since other workers may write meanwhile, and loads of vectors that are
        // atomic slot by slot have no other name; the processor reads aligned words of four bytes as a whole, and
        // orders loads as an acquiring one needs it.
        #[allow(unsafe_code)]
        unsafe {
            std::arch::asm!(
                "movdqa {first}, [{line}]",
                "movdqa {second}, [{line} + 16]",
                "movdqa {third}, [{line} + 32]",
                "movdqa {fourth}, [{line} + 48]",
                line = in(reg) self.0.as_ptr(),
                first = out(xmm_reg) first,
                second = out(xmm_reg) second,
                third = out(xmm_reg) third,
                fourth = out(xmm_reg) fourth,
                options(readonly, nostack, preserves_flags),
            );
        }
        // SAFETY: SSE2, as above.
        #[allow(unsafe_code)]
        unsafe {
            let (tag, mask, zero) =
                (_mm_set1_epi32(tag as i32), _mm_set1_epi32(mask as i32), _mm_setzero_si128());
            let slots = [first, second, third, fourth];
            let gather = |equal: [__m128i; 4]| {
                let halves = [_mm_packs_epi32(equal[0], equal[1]), _mm_packs_epi32(equal[2], equal[3])];
                _mm_movemask_epi8(_mm_packs_epi16(halves[0], halves[1])) as u32
            };
            let matches = gather(slots.map(|slots| _mm_cmpeq_epi32(_mm_and_si128(slots, mask), tag)));
            let empty = gather(slots.map(|slots| _mm_cmpeq_epi32(slots, zero)));
            Look { matches, empty }
        }
    }

    /// Which slots have a tag in the bits of a mask, and which are empty.
    #[inline]
    #[cfg(not(all(target_arch = "x86_64", not(loom))))]
    pub(crate) fn look(&self, tag: u32, mask: u32) -> Look {
        self.look_one_by_one(tag, mask)
    }

    #[cfg(any(test, loom, not(target_arch = "x86_64")))]
    fn look_one_by_one(&self, tag: u32, mask: u32) -> Look {
        let mut look = Look { matches: 0, empty: 0 };
        for (position, slot) in self.0.iter().enumerate() {
            let slot = slot.load(Ordering::Acquire);
            look.matches |= u32::from(slot & mask == tag) << position;
            look.empty |= u32::from(slot == 0) << position;
        }
        look
    }

    /// The first slot that is empty, in a line that nobody else writes: slots are filled one after another.
    #[inline]
    pub(crate) fn first_empty(&self) -> Option<usize> {
        let (mut filled, mut step) = (0, LINE / 2);
        while step > 0 {
            filled += if self.slot(filled + step - 1) == 0 { 0 } else { step };
            step /= 2;
        }
        (self.slot(filled) == 0).then_some(filled)
    }

    /// What is in a slot.
    #[inline]
    pub(crate) fn slot(&self, position: usize) -> u32 {
        self.0[position % LINE].load(Ordering::Acquire)
    }

    /// Fills an empty slot and publishes what was written before. Gives what is in there where it is not empty any more.
    /// Who is alone needs no exchange.
    #[inline]
    pub(crate) fn fill(&self, position: usize, value: u32, alone: bool) -> Result<(), u32> {
        let slot = &self.0[position % LINE];
        if alone {
            slot.store(value, Ordering::Release);
            return Ok(());
        }
        slot.compare_exchange(0, value, Ordering::AcqRel, Ordering::Acquire).map(|_| ())
    }

    /// Whether some slot of the line stays empty for ever.
    #[cold]
    pub(crate) fn is_frozen(&self) -> bool {
        self.look(FROZEN, u32::MAX).matches != 0
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn slots_of_a_line_are_compared_all_at_once() {
        let line = Line(std::array::from_fn(|position| {
            AtomicU32::new([0xFFFF_0001, 0x8000_0002, 0x7FFF_0003, 0, FROZEN][position * 7 % 5])
        }));
        for (tag, mask) in [(0xFFFF_0000, 0xFFFF_0000), (0x8000_0000, 0x8000_0000), (3, u32::MAX), (0, 0)] {
            let (look, expected) = (line.look(tag, mask), line.look_one_by_one(tag, mask));
            assert_eq!((look.matches, look.empty), (expected.matches, expected.empty));
            assert_eq!(look.empty.count_ones(), 3);
        }
        assert!(line.is_frozen());
    }

    #[test]
    fn slots_are_filled_one_after_another() {
        let line = Line(std::array::from_fn(|_| AtomicU32::new(0)));
        for position in 0..LINE {
            assert_eq!(line.first_empty(), Some(position));
            assert_eq!(line.fill(position, 7, true), Ok(()));
        }
        assert_eq!(line.first_empty(), None);
    }
}
