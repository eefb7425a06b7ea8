//! Outcomes of actions by what they depend on, in one array: who finds the key has the outcomes beside it.
//!
//! An entry is a word with the numbers of its parts, the key, and for each outcome its label, the number of its values and
//! the fields that it modifies. What is not worth keeping stands behind what is, until the next entry begins.

use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use crate::evaluate::Word;

/// The number of values of a step that is not one of a sum.
pub(super) const NO_VALUES: u32 = u32::MAX;

/// One way to do an action.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Outcome {
    /// The action with its arguments.
    pub(super) label: u32,
    /// The number of the values of the variables of a sum.
    pub(super) number: u32,
    /// Where the values of the fields begin that it modifies.
    fields: u32,
}

/// The outcomes of an entry: where the first one is, how many words each has, and how many there are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outcomes {
    at: u32,
    width: u32,
    pub(super) count: u32,
}

/// Outcomes by what they depend on.
#[derive(Default)]
pub(super) struct Effects {
    words: Vec<u32>,
    /// Where entries begin, and part of their hashes.
    places: HashTable<(u32, u32)>,
    /// How many of the words are kept.
    kept: usize,
    /// The words of each outcome of the entry that is made, and how many there are.
    width: usize,
    count: usize,
}

/// The most that the numbers of an entry can say.
const KEY: usize = 0xff;
const WIDTH: usize = 0xff;
const COUNT: usize = 0xffff;

fn hash(key: &[u32]) -> u64 {
    let mut hasher = FxHasher::default();
    for word in key {
        hasher.write_u32(*word);
    }
    hasher.finish()
}

/// The bits of a hash that are kept, spread out again: growing the table needs no look at the entries.
fn spread(part: u32) -> u64 {
    u64::from(part).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl Effects {
    /// The outcomes that are kept for a key.
    pub(super) fn find(&self, key: &[u32]) -> Option<Outcomes> {
        let part = hash(key) as u32;
        let is_it = |(place, other): &(u32, u32)| {
            let begin = *place as usize;
            *other == part
                && self.words[begin] as usize & KEY == key.len()
                && self.words[begin + 1..begin + 1 + key.len()] == *key
        };
        let (place, _) = self.places.find(spread(part), is_it)?;
        let head = self.words[*place as usize] as usize;
        Some(Outcomes {
            at: place + 1 + key.len() as u32,
            width: (head >> 8 & WIDTH) as u32,
            count: (head >> 16) as u32,
        })
    }

    /// Begins an entry; one that was not kept is forgotten.
    pub(super) fn begin(&mut self, key: &[u32]) {
        self.words.truncate(self.kept);
        self.words.push(0);
        self.words.extend_from_slice(key);
        (self.width, self.count) = (0, 0);
    }

    /// Adds an outcome with the values of the fields that it modifies; each of an entry modifies as many.
    pub(super) fn add(&mut self, label: u32, number: u32, fields: &[Word]) {
        self.words.extend([label, number]);
        self.words.extend(fields.iter().map(|word| word.0));
        self.width = 2 + fields.len();
        self.count += 1;
    }

    /// The outcomes of the entry that was begun, which is kept or stays until the next one.
    pub(super) fn end(&mut self, key: &[u32], is_kept: bool) -> Outcomes {
        let (begin, Effects { width, count, .. }) = (self.kept, &*self);
        let found =
            Outcomes { at: (begin + 1 + key.len()) as u32, width: *width as u32, count: *count as u32 };
        let fits = key.len() <= KEY && *width <= WIDTH && *count <= COUNT;
        // Places are numbers of 32 bits; who has so many words has no memory left in any case.
        if is_kept && fits && self.words.len() < u32::MAX as usize / 2 {
            self.words[begin] = (key.len() | self.width << 8 | self.count << 16) as u32;
            self.kept = self.words.len();
            let part = hash(key) as u32;
            self.places.insert_unique(spread(part), (begin as u32, part), |(_, part)| spread(*part));
        }
        found
    }

    pub(super) fn outcome(&self, outcomes: Outcomes, number: u32) -> Outcome {
        let at = (outcomes.at + number * outcomes.width) as usize;
        Outcome { label: self.words[at], number: self.words[at + 1], fields: at as u32 + 2 }
    }

    /// The words of the fields that an outcome modifies.
    pub(super) fn fields(&self, outcome: Outcome, count: usize) -> &[u32] {
        let begin = outcome.fields as usize;
        &self.words[begin..begin + count]
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.words.capacity() * 4 + self.places.capacity() * 9
    }
}
