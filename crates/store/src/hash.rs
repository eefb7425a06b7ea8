//! Hashes of tree nodes.
//!
//! A multiplication to 128 bits whose halves are folded together. Both ends of the result are used: the high
//! bits choose the place in an index, the low bits are kept there as a tag.

/// What is interned: a plain value with a hash.
pub(crate) trait Key: Copy + Default + PartialEq {
    fn hash(self) -> u64;
}

impl Key for u64 {
    #[inline]
    fn hash(self) -> u64 {
        fold(self ^ 0x9E37_79B9_7F4A_7C15, 0xD6E8_FEB8_6659_FD93)
    }
}

impl Key for u128 {
    #[inline]
    fn hash(self) -> u64 {
        let low = self as u64 ^ 0x9E37_79B9_7F4A_7C15;
        let high = (self >> 64) as u64 ^ 0xD6E8_FEB8_6659_FD93;
        // The second multiplication keeps the rare value that makes one factor zero from hiding the other.
        fold(fold(low, high) ^ low, 0xA076_1D64_78BD_642F)
    }
}

#[inline]
fn fold(one: u64, other: u64) -> u64 {
    let product = u128::from(one) * u128::from(other);
    (product as u64) ^ ((product >> 64) as u64)
}
