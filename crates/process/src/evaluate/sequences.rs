//! Sequences, which states have most of: each once, one behind the other, in as few bytes as their elements need.
//!
//! Few different elements are in many sequences. An element has a code by the order in which it was seen first, and a
//! sequence is kept as codes of one byte, of two bytes, or as words where the codes are too large.

use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::{FxHashMap, FxHasher};

use super::words::Word;

/// Numbers of sequences are below this; a third of them for each width.
pub(super) const NUMBERS: u32 = 3 * WIDTH;
const WIDTH: u32 = 1 << 28;

/// The elements of a sequence.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Elements<'t> {
    codes: Codes<'t>,
    /// The elements by their codes.
    coded: &'t [Word],
}

#[derive(Clone, Copy, Debug)]
enum Codes<'t> {
    One(&'t [u8]),
    Two(&'t [u16]),
    Words(&'t [Word]),
}

impl<'t> Elements<'t> {
    /// Elements that are kept elsewhere.
    pub(super) fn of(words: &'t [Word]) -> Elements<'t> {
        Elements { codes: Codes::Words(words), coded: &[] }
    }

    #[inline]
    pub(crate) fn len(self) -> usize {
        match self.codes {
            Codes::One(codes) => codes.len(),
            Codes::Two(codes) => codes.len(),
            Codes::Words(words) => words.len(),
        }
    }

    #[inline]
    pub(crate) fn get(self, place: usize) -> Option<Word> {
        match self.codes {
            Codes::One(codes) => self.coded.get(usize::from(*codes.get(place)?)).copied(),
            Codes::Two(codes) => self.coded.get(usize::from(*codes.get(place)?)).copied(),
            Codes::Words(words) => words.get(place).copied(),
        }
    }

    #[inline]
    pub(crate) fn iter(self) -> impl Iterator<Item = Word> + use<'t> {
        (0..self.len()).filter_map(move |place| self.get(place))
    }

    pub(crate) fn to_vec(self) -> Vec<Word> {
        self.iter().collect()
    }

    /// Whether these are the elements.
    #[inline]
    fn are(self, words: &[Word]) -> bool {
        self.len() == words.len() && self.iter().eq(words.iter().copied())
    }
}

/// Sequences of one width, one behind the other.
struct Rows<T> {
    codes: Vec<T>,
    /// Where each sequence ends; nothing is in front of the first.
    ends: Vec<u32>,
}

impl<T: Copy> Rows<T> {
    fn new() -> Rows<T> {
        Rows { codes: Vec::new(), ends: vec![0] }
    }

    #[inline]
    fn get(&self, number: u32) -> Option<&[T]> {
        let number = number as usize;
        let (begin, end) = (*self.ends.get(number)?, *self.ends.get(number + 1)?);
        self.codes.get(begin as usize..end as usize)
    }

    /// Adds a sequence; none where there are more than numbers can say.
    fn add(&mut self, codes: impl ExactSizeIterator<Item = T>) -> Option<u32> {
        let number = u32::try_from(self.ends.len() - 1).ok().filter(|number| *number < WIDTH)?;
        let end = u32::try_from(self.codes.len() + codes.len()).ok()?;
        self.codes.extend(codes);
        self.ends.push(end);
        Some(number)
    }

    fn memory_bytes(&self) -> usize {
        self.codes.capacity() * size_of::<T>() + self.ends.capacity() * size_of::<u32>()
    }
}

/// All sequences.
pub(super) struct Sequences {
    one: Rows<u8>,
    two: Rows<u16>,
    words: Rows<Word>,
    numbers: HashTable<u32>,
    coded: Vec<Word>,
    codes: FxHashMap<Word, u16>,
    /// The codes of the sequence that is added.
    adding: Vec<u16>,
}

fn hash(elements: impl ExactSizeIterator<Item = Word>) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_usize(elements.len());
    for element in elements {
        hasher.write_u32(element.0);
    }
    hasher.finish()
}

fn hash_of(elements: Elements<'_>) -> u64 {
    hash((0..elements.len()).map(|place| elements.get(place).unwrap_or(Word::FALSE)))
}

impl Sequences {
    pub(super) fn new() -> Sequences {
        Sequences {
            one: Rows::new(),
            two: Rows::new(),
            words: Rows::new(),
            numbers: HashTable::new(),
            coded: Vec::new(),
            codes: FxHashMap::default(),
            adding: Vec::new(),
        }
    }

    /// The sequence with a number.
    #[inline]
    pub(super) fn get(&self, number: u32) -> Option<Elements<'_>> {
        let codes = match number / WIDTH {
            0 => Codes::One(self.one.get(number)?),
            1 => Codes::Two(self.two.get(number - WIDTH)?),
            _ => Codes::Words(self.words.get(number - 2 * WIDTH)?),
        };
        Some(Elements { codes, coded: &self.coded })
    }

    /// The number of the sequence of these elements; none where there is no number left.
    pub(super) fn intern(&mut self, wanted: &[Word]) -> Option<u32> {
        let hashed = hash(wanted.iter().copied());
        let is_it = |number: &u32| self.get(*number).is_some_and(|elements| elements.are(wanted));
        if let Some(number) = self.numbers.find(hashed, is_it) {
            return Some(*number);
        }
        let number = match self.coded_width(wanted) {
            0 => self.one.add(self.adding.iter().map(|code| *code as u8))?,
            1 => WIDTH + self.two.add(self.adding.iter().copied())?,
            _ => 2 * WIDTH + self.words.add(wanted.iter().copied())?,
        };
        let mut numbers = std::mem::take(&mut self.numbers);
        let hash = |number: &u32| self.get(*number).map_or(0, hash_of);
        numbers.insert_unique(hashed, number, hash);
        self.numbers = numbers;
        Some(number)
    }

    /// Gives elements codes, and says how wide these are.
    fn coded_width(&mut self, wanted: &[Word]) -> u32 {
        self.adding.clear();
        let mut width = 0;
        for word in wanted {
            let code = match self.codes.get(word) {
                Some(code) => *code,
                None => {
                    let Ok(code) = u16::try_from(self.coded.len()) else { return 2 };
                    self.coded.push(*word);
                    self.codes.insert(*word, code);
                    code
                }
            };
            width = width.max(u32::from(code > u16::from(u8::MAX)));
            self.adding.push(code);
        }
        width
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.one.memory_bytes()
            + self.two.memory_bytes()
            + self.words.memory_bytes()
            + self.numbers.capacity() * (size_of::<u32>() + 1)
            + self.coded.capacity() * size_of::<Word>()
            + self.codes.capacity() * (size_of::<(Word, u16)>() + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sequences of all widths are found again, and each has one number.
    #[test]
    fn each_sequence_has_one_number() {
        let mut sequences = Sequences::new();
        let all: Vec<Vec<Word>> = (0..140_000_u32)
            .map(|number| vec![Word(number), Word(number / 2), Word(7)])
            .chain([vec![], vec![Word(3)]])
            .collect();
        let numbers: Vec<Option<u32>> = all.iter().map(|words| sequences.intern(words)).collect();
        let mut widths = [0; 3];
        for (words, number) in all.iter().zip(&numbers) {
            let number = number.unwrap_or(u32::MAX);
            assert_eq!(sequences.get(number).map(Elements::to_vec).as_ref(), Some(words));
            assert_eq!(sequences.intern(words), Some(number));
            widths[(number / WIDTH) as usize] += 1;
        }
        assert!(widths.iter().all(|count| *count > 0), "{widths:?}");
        let different: std::collections::BTreeSet<_> = numbers.iter().collect();
        assert_eq!(different.len(), all.len());
        assert!(sequences.get(5 + 2 * WIDTH + 140_000).is_none());
    }
}
