//! Words compared four at a time: nothing is shared here, but vector instructions have no safe name.

/// Which of four words differ, as a bit set.
#[inline]
#[cfg(target_arch = "x86_64")]
pub(crate) fn unequal(old: &[u32; 4], new: &[u32; 4]) -> u32 {
    use std::arch::x86_64::{_mm_castsi128_ps, _mm_cmpeq_epi32, _mm_loadu_si128, _mm_movemask_ps};
    // SAFETY: SSE2 belongs to every x86-64 processor, and the loads are those of the two arrays, at any alignment.
    #[allow(unsafe_code)]
    unsafe {
        let (old, new) = (_mm_loadu_si128(old.as_ptr().cast()), _mm_loadu_si128(new.as_ptr().cast()));
        !_mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(old, new))) as u32 & 15
    }
}

/// Which of four words differ, as a bit set.
#[inline]
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn unequal(old: &[u32; 4], new: &[u32; 4]) -> u32 {
    (0..4).fold(0, |set, word| set | u32::from(old[word] != new[word]) << word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_has_its_bit() {
        let old = [1, 0, u32::MAX, 7];
        for set in 0..16_u32 {
            let new: [u32; 4] =
                std::array::from_fn(|word| if set >> word & 1 == 1 { !old[word] } else { old[word] });
            assert_eq!(unequal(&old, &new), set);
        }
    }
}
