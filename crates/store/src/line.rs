//! Sixteen slots of an index, compared as a whole.

pub(crate) const LINE: usize = 16;

/// The slots that share a cache line.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(crate) struct Line(pub(crate) [u32; LINE]);

impl Line {
    /// The slots that have a tag in the bits of a mask, as a bit set.
    #[inline]
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn matches(&self, tag: u32, mask: u32) -> u32 {
        // SAFETY: SSE2 belongs to every x86-64 processor.
        #[allow(unsafe_code)]
        unsafe {
            self.matches_with_sse2(tag, mask)
        }
    }

    /// The slots that have a tag in the bits of a mask, as a bit set.
    #[inline]
    #[cfg(not(target_arch = "x86_64"))]
    pub(crate) fn matches(&self, tag: u32, mask: u32) -> u32 {
        self.matches_one_by_one(tag, mask)
    }

    #[inline]
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "sse2")]
    fn matches_with_sse2(&self, tag: u32, mask: u32) -> u32 {
        use std::arch::x86_64::{
            __m128i, _mm_and_si128, _mm_cmpeq_epi32, _mm_movemask_epi8, _mm_packs_epi16, _mm_packs_epi32,
            _mm_set_epi32, _mm_set1_epi32,
        };
        let (tag, mask) = (_mm_set1_epi32(tag as i32), _mm_set1_epi32(mask as i32));
        let mut equal: [__m128i; 4] = [tag; 4];
        for (equal, slots) in equal.iter_mut().zip(self.0.as_chunks::<4>().0) {
            let [first, second, third, fourth] = slots.map(u32::cast_signed);
            *equal = _mm_cmpeq_epi32(_mm_and_si128(_mm_set_epi32(fourth, third, second, first), mask), tag);
        }
        let halves = [_mm_packs_epi32(equal[0], equal[1]), _mm_packs_epi32(equal[2], equal[3])];
        _mm_movemask_epi8(_mm_packs_epi16(halves[0], halves[1])) as u32
    }

    #[cfg(any(test, not(target_arch = "x86_64")))]
    fn matches_one_by_one(&self, tag: u32, mask: u32) -> u32 {
        let mut set = 0;
        for (position, &slot) in self.0.iter().enumerate() {
            set |= u32::from(slot & mask == tag) << position;
        }
        set
    }

    /// How many slots are taken; these are the first ones. The last one must not be.
    #[inline]
    pub(crate) fn taken(&self) -> usize {
        self.matches(0, u32::MAX).trailing_zeros() as usize % LINE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_of_a_line_are_compared_all_at_once() {
        let mut line = Line([0; LINE]);
        for (position, slot) in line.0.iter_mut().enumerate() {
            *slot = [0xFFFF_0001, 0x8000_0002, 0x7FFF_0003, 0][position * 7 % 5 % 4];
        }
        for (tag, mask) in [(0xFFFF_0000, 0xFFFF_0000), (0x8000_0000, 0x8000_0000), (0, u32::MAX), (0, 0)] {
            assert_eq!(line.matches(tag, mask), line.matches_one_by_one(tag, mask));
            assert_ne!(line.matches(tag, mask), 0);
        }
    }
}
