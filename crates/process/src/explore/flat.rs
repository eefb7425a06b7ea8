//! States with their sequences written out: an element of a sequence then stands beside what changes with it, and states share
//! what they have in common. Each sequence that is written out has its length in front.

use super::explorer::{Explorer, FIELDS};
use crate::evaluate::Word;

/// In front of a value that is no sequence.
const NO_SEQUENCE: u32 = u32::MAX;

impl Explorer<'_> {
    /// The length of the sequence that each field is in a state; none where it is no sequence.
    pub fn lengths<'w>(&'w self, state: &'w [u32]) -> impl Iterator<Item = Option<usize>> + 'w {
        let fields = state.iter().skip(FIELDS).take(self.model.fields.len());
        fields.map(|word| self.table.sequence(Word(*word)).map(|elements| elements.len()))
    }

    /// Adds the words of a state with the sequences of these fields written out.
    pub fn flatten(&self, fields: &[bool], state: &[u32], into: &mut Vec<u32>) {
        let (front, rest) = state.split_at(FIELDS.min(state.len()));
        let (values, behind) = rest.split_at(self.model.fields.len().min(rest.len()));
        into.extend_from_slice(front);
        for (place, value) in values.iter().enumerate() {
            let is_flat = fields.get(place) == Some(&true);
            match self.table.sequence(Word(*value)).filter(|_| is_flat) {
                Some(elements) => {
                    into.push(elements.len() as u32);
                    into.extend(elements.iter().map(|element| element.0));
                }
                None if is_flat => into.extend([NO_SEQUENCE, *value]),
                None => into.push(*value),
            }
        }
        into.extend_from_slice(behind);
    }

    /// The words of a state whose sequences were written out.
    pub fn restore(&mut self, fields: &[bool], flat: &[u32], state: &mut Vec<u32>) {
        state.clear();
        let (front, mut rest) = flat.split_at(FIELDS.min(flat.len()));
        state.extend_from_slice(front);
        for place in 0..self.model.fields.len() {
            let Some((first, others)) = rest.split_first() else { return };
            rest = others;
            if fields.get(place) != Some(&true) {
                state.push(*first);
                continue;
            }
            let length = if *first == NO_SEQUENCE { 1 } else { *first as usize };
            let (elements, others) = rest.split_at(length.min(rest.len()));
            rest = others;
            if *first == NO_SEQUENCE {
                state.extend_from_slice(elements);
                continue;
            }
            let mut wanted = std::mem::take(&mut self.saved);
            let before = wanted.len();
            wanted.extend(elements.iter().map(|element| Word(*element)));
            state.push(self.table.intern_sequence(&wanted[before..]).0);
            wanted.truncate(before);
            self.saved = wanted;
        }
        state.extend_from_slice(rest);
    }
}
