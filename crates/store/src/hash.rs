//! Nodes of the tree: their hashes, and how they lie in memory that workers share.
//!
//! A hash is a multiplication to 128 bits whose halves are folded together. Both ends of the result are used: the high
//! bits choose the place in an index, the low bits are kept there as a tag.

use crate::sync::{AtomicU64, Ordering};

/// What is interned: a plain value with a hash.
pub(crate) trait Key: Copy + Default + PartialEq + Send + Sync + 'static {
    /// How many 64-bit words it takes.
    const WORDS: usize;

    fn hash(self) -> u64;

    /// Reads a node that its number leads to. Whoever knows the number has acquired what was written before it was
    /// published, so the words need no order of their own.
    fn read(words: &[AtomicU64]) -> Self;

    /// Writes a node that nobody has the number of.
    fn write(self, words: &[AtomicU64]);
}

impl Key for u64 {
    const WORDS: usize = 1;

    #[inline]
    fn hash(self) -> u64 {
        fold(self ^ 0x9E37_79B9_7F4A_7C15, 0xD6E8_FEB8_6659_FD93)
    }

    #[inline]
    fn read(words: &[AtomicU64]) -> u64 {
        words[0].load(Ordering::Relaxed)
    }

    #[inline]
    fn write(self, words: &[AtomicU64]) {
        words[0].store(self, Ordering::Relaxed);
    }
}

impl Key for u128 {
    const WORDS: usize = 2;

    #[inline]
    fn hash(self) -> u64 {
        let low = self as u64 ^ 0x9E37_79B9_7F4A_7C15;
        let high = (self >> 64) as u64 ^ 0xD6E8_FEB8_6659_FD93;
        // The second multiplication keeps the rare value that makes one factor zero from hiding the other.
        fold(fold(low, high) ^ low, 0xA076_1D64_78BD_642F)
    }

    #[inline]
    fn read(words: &[AtomicU64]) -> u128 {
        u128::from(words[0].load(Ordering::Relaxed)) | u128::from(words[1].load(Ordering::Relaxed)) << 64
    }

    #[inline]
    fn write(self, words: &[AtomicU64]) {
        words[0].store(self as u64, Ordering::Relaxed);
        words[1].store((self >> 64) as u64, Ordering::Relaxed);
    }
}

#[inline]
fn fold(one: u64, other: u64) -> u64 {
    let product = u128::from(one) * u128::from(other);
    (product as u64) ^ ((product >> 64) as u64)
}
