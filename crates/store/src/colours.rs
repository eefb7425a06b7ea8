//! Two bits per state: the colours of depth-first searches.

use crate::{ChunkedVec, StateId, StoreFull};

/// A colour from 0 to 3 for every state; a state that was never coloured is 0.
#[derive(Clone, Debug, Default)]
pub struct Colours {
    /// Four states per byte.
    bytes: ChunkedVec<u8>,
}

impl Colours {
    /// All states have colour 0.
    pub fn new() -> Self {
        Colours::default()
    }

    /// The colour of a state.
    #[inline]
    pub fn get(&self, state: StateId) -> u8 {
        let position = state.index() / 4;
        if position < self.bytes.len() { self.bytes.get(position) >> (2 * (state.0 % 4)) & 3 } else { 0 }
    }

    /// Gives a state a colour; only the two lowest bits count.
    #[inline]
    pub fn set(&mut self, state: StateId, colour: u8) -> Result<(), StoreFull> {
        let position = state.index() / 4;
        if position >= self.bytes.len() {
            self.bytes.extend_to(position + 1, 0)?;
        }
        let shift = 2 * (state.0 % 4);
        let byte = self.bytes.get_mut(position);
        *byte = *byte & !(3 << shift) | (colour & 3) << shift;
        Ok(())
    }

    /// A number above those of all states that have another colour than 0.
    pub fn bound(&self) -> usize {
        self.bytes.len() * 4
    }

    /// The bytes held, used or not.
    pub fn memory_bytes(&self) -> usize {
        self.bytes.memory_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colour_leaves_its_neighbours_alone() {
        let mut colours = Colours::new();
        for number in 0..1000_u32 {
            colours.set(StateId(number), (number * number) as u8).expect("memory");
        }
        colours.set(StateId(500), 3).expect("memory");
        for number in (0..1000_u32).filter(|&number| number != 500) {
            assert_eq!(colours.get(StateId(number)), (number * number) as u8 & 3);
        }
        assert_eq!(colours.get(StateId(500)), 3);
        assert_eq!(colours.get(StateId(1_000_000)), 0);
    }
}
