//! Nodes of the tree: their hashes, and how they lie in memory that workers share.
//!
//! A hash is a multiplication to 128 bits whose halves are folded together. Both ends of the result are used: the high
//! bits choose the place in an index, the low bits are kept there as a tag.

use crate::sync::{AtomicU64, Ordering};

/// How many bits the two halves of a pair take in a block of an array, six bits each. Other nodes have no form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Form(pub(crate) u16);

impl Form {
    const NONE: Form = Form(0);

    fn new(low: u32, high: u32) -> Form {
        Form((low | high << 6) as u16)
    }

    #[inline]
    fn low(self) -> u32 {
        u32::from(self.0) & 63
    }

    #[inline]
    fn high(self) -> u32 {
        u32::from(self.0) >> 6
    }

    /// A form for what either of two is for.
    pub(crate) fn join(self, other: Form) -> Form {
        Form::new(self.low().max(other.low()), self.high().max(other.high()))
    }
}

/// What is interned: a plain value with a hash.
pub(crate) trait Key: Copy + Default + PartialEq + Send + Sync + 'static {
    fn hash(self) -> u64;

    /// How many bits a node takes in a form.
    fn bits(form: Form) -> usize;

    /// The narrowest form that it fits.
    fn form(self) -> Form;

    fn fits(self, form: Form) -> bool;

    /// Reads a node that its number leads to, from so many bits on. Whoever knows the number has acquired what was written
    /// before it was published, so the words need no order of their own.
    fn read(words: &[AtomicU64; 2], shift: u32, form: Form) -> Self;

    /// Writes a node that nobody has the number of, and nothing else. Nobody else writes these words.
    fn write(self, words: &[AtomicU64; 2], shift: u32, form: Form);
}

impl Key for u64 {
    #[inline]
    fn hash(self) -> u64 {
        fold(self ^ 0x9E37_79B9_7F4A_7C15, 0xD6E8_FEB8_6659_FD93)
    }

    #[inline]
    fn bits(form: Form) -> usize {
        (form.low() + form.high()) as usize
    }

    fn form(self) -> Form {
        let bits = |half: u32| 32 - half.leading_zeros();
        Form::new(bits(self as u32), bits((self >> 32) as u32))
    }

    #[inline]
    fn fits(self, form: Form) -> bool {
        (self & 0xFFFF_FFFF) >> form.low() == 0 && (self >> 32) >> form.high() == 0
    }

    #[inline]
    fn read(words: &[AtomicU64; 2], shift: u32, form: Form) -> u64 {
        let first = words[0].load(Ordering::Relaxed);
        // The second word is read whether it is needed or not, but where that is one more step to try in every order.
        let is_idle = cfg!(loom) && shift as usize + Self::bits(form) <= 64;
        let second = if is_idle { 0 } else { words[1].load(Ordering::Relaxed) };
        // Without a branch for a shift by nothing.
        let bits = first >> (shift % 64) | (second << 1) << (63 - shift % 64);
        let low = bits & ((1 << form.low()) - 1);
        let high = (bits >> form.low()) & ((1 << form.high()) - 1);
        low | high << 32
    }

    #[inline]
    fn write(self, words: &[AtomicU64; 2], shift: u32, form: Form) {
        let bits = self & 0xFFFF_FFFF | (self >> 32) << form.low();
        let bits = u128::from(bits) << shift;
        let mask = ((1_u128 << Self::bits(form)) - 1) << shift;
        let put = |word: &AtomicU64, mask: u64, bits: u64| {
            word.store(word.load(Ordering::Relaxed) & !mask | bits, Ordering::Relaxed);
        };
        put(&words[0], mask as u64, bits as u64);
        if mask >> 64 != 0 {
            put(&words[1], (mask >> 64) as u64, (bits >> 64) as u64);
        }
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

    #[inline]
    fn bits(_: Form) -> usize {
        128
    }

    fn form(self) -> Form {
        Form::NONE
    }

    #[inline]
    fn fits(self, _: Form) -> bool {
        true
    }

    #[inline]
    fn read(words: &[AtomicU64; 2], _: u32, _: Form) -> u128 {
        u128::from(words[0].load(Ordering::Relaxed)) | u128::from(words[1].load(Ordering::Relaxed)) << 64
    }

    #[inline]
    fn write(self, words: &[AtomicU64; 2], _: u32, _: Form) {
        words[0].store(self as u64, Ordering::Relaxed);
        words[1].store((self >> 64) as u64, Ordering::Relaxed);
    }
}

#[inline]
fn fold(one: u64, other: u64) -> u64 {
    let product = u128::from(one) * u128::from(other);
    (product as u64) ^ ((product >> 64) as u64)
}
