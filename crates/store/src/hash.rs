//! The hash of a tree node.

/// Mixes a node: a multiplication to 128 bits whose halves are folded together. Both ends of the result are
/// used: the high bits choose the place in an index, the low bits are kept there as a tag.
#[inline]
pub(crate) fn mix(node: u64) -> u64 {
    let product = u128::from(node ^ 0x9E37_79B9_7F4A_7C15) * 0xD6E8_FEB8_6659_FD93_u128;
    let folded = (product as u64) ^ ((product >> 64) as u64);
    // One more multiplication spreads the low bits of small nodes to the top, where the place is taken from.
    folded.wrapping_mul(0xA076_1D64_78BD_642F) ^ folded >> 32
}
