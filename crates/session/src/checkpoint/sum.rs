//! Checksums of what is written and read, eight bytes at a time.

use std::io::{Read, Result, Write};

/// A sum over bytes in their order. Each step can be undone if the bytes are known, so a change within eight bytes always
/// changes the sum; two changes cancel each other once in 2⁶⁴ times.
#[derive(Clone, Debug, Default)]
pub(super) struct Sum {
    state: u64,
    pending: [u8; 8],
    length: u64,
}

impl Sum {
    fn step(&mut self, word: [u8; 8]) {
        self.state =
            (self.state.rotate_left(29) ^ u64::from_le_bytes(word)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    pub(super) fn add(&mut self, mut bytes: &[u8]) {
        let filled = (self.length % 8) as usize;
        self.length += bytes.len() as u64;
        if filled != 0 {
            let count = bytes.len().min(8 - filled);
            self.pending[filled..filled + count].copy_from_slice(&bytes[..count]);
            bytes = &bytes[count..];
            if filled + count < 8 {
                return;
            }
            self.step(self.pending);
        }
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|word| self.step(*word));
        self.pending[..rest.len()].copy_from_slice(rest);
    }

    /// How many bytes there were.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// The sum of all bytes and their number.
    pub(super) fn value(&self) -> u64 {
        let mut sum = self.clone();
        let filled = (sum.length % 8) as usize;
        sum.pending[filled..].fill(0);
        sum.step(sum.pending);
        sum.step(sum.length.to_le_bytes());
        sum.state ^ sum.state >> 32
    }

    /// The sum of a text.
    pub(super) fn of(bytes: &[u8]) -> u64 {
        let mut sum = Sum::default();
        sum.add(bytes);
        sum.value()
    }

    /// The sum of all that can be read.
    pub(super) fn of_all(from: &mut dyn Read) -> Result<Sum> {
        let (mut sum, mut bytes) = (Sum::default(), vec![0; 1 << 16]);
        loop {
            match from.read(&mut bytes) {
                Ok(0) => return Ok(sum),
                Ok(count) => sum.add(&bytes[..count]),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// Sums what is written.
pub(super) struct Summed<W> {
    pub(super) out: W,
    pub(super) sum: Sum,
}

impl<W: Write> Write for Summed<W> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        let count = self.out.write(bytes)?;
        self.sum.add(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_changed_bit_and_every_length_shows() {
        let bytes: Vec<u8> = (0..100_u8).collect();
        let whole = Sum::of(&bytes);
        for place in 0..800 {
            let mut changed = bytes.clone();
            changed[place / 8] ^= 1 << (place % 8);
            assert_ne!(Sum::of(&changed), whole);
        }
        for end in 0..100 {
            assert_ne!(Sum::of(&bytes[..end]), whole);
            let mut parts = Sum::default();
            parts.add(&bytes[..end]);
            parts.add(&bytes[end..]);
            assert_eq!((parts.value(), parts.length()), (whole, 100));
        }
        assert_ne!(Sum::of(&[0; 3]), Sum::of(&[0; 4]));
        assert_eq!(Sum::of_all(&mut &bytes[..]).expect("memory").value(), whole);
    }
}
