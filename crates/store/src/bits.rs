//! A set of states as bits, to be written and read again.

use std::io::{Error, ErrorKind, Read, Result, Write};

use crate::StateId;

/// A set of states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bits {
    blocks: Vec<u64>,
}

/// Blocks that are read at once: what a file says of its length is not believed beforehand.
const PORTION: usize = 1 << 13;

impl Bits {
    /// The empty set.
    pub fn new() -> Self {
        Bits::default()
    }

    /// The set with these bits, 64 states each.
    pub(crate) fn of_blocks(blocks: Vec<u64>) -> Self {
        Bits { blocks }
    }

    /// Adds a state.
    pub fn insert(&mut self, state: StateId) {
        let block = state.index() / 64;
        if block >= self.blocks.len() {
            self.blocks.resize(block + 1, 0);
        }
        self.blocks[block] |= 1 << (state.0 % 64);
    }

    /// Whether a state is in the set.
    #[inline]
    pub fn contains(&self, state: StateId) -> bool {
        self.blocks.get(state.index() / 64).is_some_and(|block| block >> (state.0 % 64) & 1 != 0)
    }

    /// The states of the set, in their order.
    pub fn iter(&self) -> impl Iterator<Item = StateId> + '_ {
        self.blocks.iter().enumerate().flat_map(|(number, &block)| {
            let mut left = block;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros())?;
                left &= left - 1;
                Some(StateId(number as u32 * 64 + bit))
            })
        })
    }

    /// How many states are in the set.
    pub fn len(&self) -> usize {
        self.blocks.iter().map(|block| block.count_ones() as usize).sum()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.blocks.iter().all(|block| *block == 0)
    }

    /// Writes the set.
    pub fn write(&self, out: &mut dyn Write) -> Result<()> {
        out.write_all(&(self.blocks.len() as u32).to_le_bytes())?;
        let mut bytes = Vec::with_capacity(PORTION * 8);
        for blocks in self.blocks.chunks(PORTION) {
            bytes.clear();
            bytes.extend(blocks.iter().flat_map(|block| block.to_le_bytes()));
            out.write_all(&bytes)?;
        }
        Ok(())
    }

    /// Reads a set that was written.
    pub fn read(from: &mut dyn Read) -> Result<Bits> {
        let mut count = [0; 4];
        from.read_exact(&mut count)?;
        let mut left = u32::from_le_bytes(count) as usize;
        if left > (1 << 26) {
            return Err(Error::new(ErrorKind::InvalidData, "a set of more states than there can be"));
        }
        let (mut blocks, mut bytes) = (Vec::new(), vec![0; PORTION * 8]);
        while left > 0 {
            let portion = &mut bytes[..8 * left.min(PORTION)];
            from.read_exact(portion)?;
            blocks.extend(portion.as_chunks::<8>().0.iter().map(|block| u64::from_le_bytes(*block)));
            left -= portion.len() / 8;
        }
        Ok(Bits { blocks })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut bits = Bits::new();
        let states = [0, 1, 63, 64, 700, 4_000_001].map(StateId);
        states.into_iter().for_each(|state| bits.insert(state));
        assert_eq!(bits.iter().collect::<Vec<_>>(), states);
        assert_eq!((bits.len(), bits.contains(StateId(700)), bits.contains(StateId(701))), (6, true, false));
        let mut bytes = Vec::new();
        bits.write(&mut bytes).expect("memory");
        assert_eq!(Bits::read(&mut &bytes[..]).expect("it is whole"), bits);
        assert!(Bits::read(&mut &bytes[..bytes.len() - 1]).is_err());
        assert!(Bits::read(&mut &[255; 4][..]).is_err());
    }
}
