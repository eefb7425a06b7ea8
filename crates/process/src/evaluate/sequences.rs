//! Sequences, which states have most of: each once, one behind the other, in as few bytes as their elements need.
//!
//! Few different elements are in many sequences. An element has a code by the order in which it was seen first, and a
//! sequence is kept as codes of one byte, of two bytes, or as words where the codes are too large.
//!
//! All explorers of a search share them. Codes are written before the end of their row, and that before the number of the
//! sequence is known to anybody else, so whoever has the number reads what was written.

use std::hash::Hasher;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, Ordering};

use rustc_hash::{FxHashMap, FxHasher};
use store::sync::{Mutex, lock};

use super::words::Word;
use crate::shared::{Cells, Index, Recent, chunk_end};

/// Numbers of sequences are below this; a third of them for each width.
pub(super) const NUMBERS: u32 = 3 * WIDTH;
const WIDTH: u32 = 1 << 28;

/// The elements of a sequence.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Elements<'t> {
    codes: Codes<'t>,
    /// The elements by their codes.
    coded: &'t [AtomicU32],
}

#[derive(Clone, Copy, Debug)]
enum Codes<'t> {
    One(&'t [AtomicU8]),
    Two(&'t [AtomicU16]),
    Words(&'t [AtomicU32]),
    Elsewhere(&'t [Word]),
}

impl<'t> Elements<'t> {
    /// Elements that are kept elsewhere.
    pub(super) fn of(words: &'t [Word]) -> Elements<'t> {
        Elements { codes: Codes::Elsewhere(words), coded: &[] }
    }

    #[inline]
    pub(crate) fn len(self) -> usize {
        match self.codes {
            Codes::One(codes) => codes.len(),
            Codes::Two(codes) => codes.len(),
            Codes::Words(words) => words.len(),
            Codes::Elsewhere(words) => words.len(),
        }
    }

    #[inline]
    pub(crate) fn get(self, place: usize) -> Option<Word> {
        let word = match self.codes {
            Codes::One(codes) => self.coded.get(usize::from(codes.get(place)?.load(Ordering::Relaxed)))?,
            Codes::Two(codes) => self.coded.get(usize::from(codes.get(place)?.load(Ordering::Relaxed)))?,
            Codes::Words(words) => words.get(place)?,
            Codes::Elsewhere(words) => return words.get(place).copied(),
        };
        Some(Word(word.load(Ordering::Relaxed)))
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

/// Sequences of one width, one behind the other, but that none goes over the end of a chunk.
struct Rows<A> {
    codes: Cells<A>,
    /// Where each row ends, one place behind its number; nothing is in front of the first.
    ends: Cells<AtomicU32>,
    given: Mutex<Given>,
}

/// How many rows there are, and how many cells they take.
#[derive(Clone, Copy, Default)]
struct Given {
    rows: u32,
    cells: u32,
}

impl<A: Default> Rows<A> {
    fn new() -> Rows<A> {
        Rows { codes: Cells::new(), ends: Cells::new(), given: Mutex::new(Given::default()) }
    }

    #[inline]
    fn get(&self, number: u32) -> Option<&[A]> {
        // A row that nobody has made has its end at zero.
        let (begin, end) = self.ends.pair(number)?;
        let (begin, end) = (begin.load(Ordering::Acquire), end.load(Ordering::Acquire));
        self.codes.row(begin, end.checked_sub(begin)? as usize)
    }

    /// Adds a sequence of this length, of which `write` writes the codes; none where there are more than numbers can say.
    fn add(&self, length: usize, mut write: impl FnMut(usize, &A)) -> Option<u32> {
        let mut given = lock(&self.given);
        let mut next = *given;
        while u64::from(next.cells) + length as u64 > chunk_end(next.cells) {
            // What is left of the chunk is a row that is no sequence.
            next = Given { rows: given.rows + 1, cells: u32::try_from(chunk_end(next.cells)).ok()? };
        }
        let end = next.cells.checked_add(u32::try_from(length).ok()?)?;
        if next.rows >= WIDTH {
            return None;
        }
        if next.rows > given.rows {
            self.ends.reach(next.rows).store(next.cells, Ordering::Release);
        }
        for (place, cell) in self.codes.reach_row(next.cells, length)?.iter().enumerate() {
            write(place, cell);
        }
        self.ends.reach(next.rows + 1).store(end, Ordering::Release);
        *given = Given { rows: next.rows + 1, cells: end };
        Some(next.rows)
    }

    fn memory_bytes(&self) -> usize {
        self.codes.memory_bytes() + self.ends.memory_bytes()
    }
}

/// The elements that have codes.
struct Coded {
    codes: Mutex<FxHashMap<Word, u16>>,
    /// The elements with codes of one byte, and all of them once there are others.
    first: Box<[AtomicU32]>,
    all: OnceLock<Box<[AtomicU32]>>,
}

impl Coded {
    fn new() -> Coded {
        Coded { codes: Mutex::default(), first: cells(1 << 8), all: OnceLock::new() }
    }

    /// The code of an element; none where there are too many.
    fn code(&self, word: Word) -> Option<u16> {
        let mut codes = lock(&self.codes);
        if let Some(code) = codes.get(&word) {
            return Some(*code);
        }
        let code = u16::try_from(codes.len()).ok()?;
        match self.first.get(usize::from(code)) {
            Some(cell) => cell.store(word.0, Ordering::Release),
            None => {
                let all = self.all.get_or_init(|| {
                    let all = cells(1 << 16);
                    for (cell, first) in all.iter().zip(&self.first) {
                        cell.store(first.load(Ordering::Relaxed), Ordering::Relaxed);
                    }
                    all
                });
                all[usize::from(code)].store(word.0, Ordering::Release);
            }
        }
        codes.insert(word, code);
        Some(code)
    }

    fn memory_bytes(&self) -> usize {
        let all = self.all.get().map_or(0, |all| all.len());
        (self.first.len() + all) * size_of::<u32>()
            + lock(&self.codes).capacity() * (size_of::<(Word, u16)>() + 1)
    }
}

fn cells(count: usize) -> Box<[AtomicU32]> {
    (0..count).map(|_| AtomicU32::new(0)).collect()
}

/// All sequences.
pub(super) struct Sequences {
    one: Rows<AtomicU8>,
    two: Rows<AtomicU16>,
    words: Rows<AtomicU32>,
    index: Index,
    coded: Coded,
}

/// What an explorer knows of them by itself.
pub(super) struct Known {
    recent: Recent,
    codes: FxHashMap<Word, u16>,
    /// The codes of the sequence that is added.
    adding: Vec<u16>,
}

impl Known {
    pub(super) fn new() -> Known {
        Known { recent: Recent::new(), codes: FxHashMap::default(), adding: Vec::new() }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.recent.memory_bytes() + self.codes.capacity() * (size_of::<(Word, u16)>() + 1)
    }

    /// Looks the codes of elements up, and says how wide these are.
    fn coded_width(&mut self, coded: &Coded, wanted: &[Word]) -> u32 {
        self.adding.clear();
        let mut width = 0;
        for word in wanted {
            let code = match self.codes.get(word) {
                Some(code) => *code,
                None => {
                    let Some(code) = coded.code(*word) else { return 2 };
                    self.codes.insert(*word, code);
                    code
                }
            };
            width = width.max(u32::from(code > u16::from(u8::MAX)));
            self.adding.push(code);
        }
        width
    }
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
            index: Index::new(),
            coded: Coded::new(),
        }
    }

    /// The sequence with a number.
    #[inline]
    pub(super) fn get(&self, number: u32) -> Option<Elements<'_>> {
        let coded = &self.coded;
        Some(match number / WIDTH {
            0 => Elements { codes: Codes::One(self.one.get(number)?), coded: &coded.first },
            1 => {
                let all = coded.all.get().map_or(&[][..], |all| all);
                Elements { codes: Codes::Two(self.two.get(number - WIDTH)?), coded: all }
            }
            _ => Elements { codes: Codes::Words(self.words.get(number - 2 * WIDTH)?), coded: &[] },
        })
    }

    /// The number of the sequence of these elements; none where there is no number left. `known` is the caller's own.
    pub(super) fn intern(&self, known: &mut Known, wanted: &[Word]) -> Option<u32> {
        let hashed = hash(wanted.iter().copied());
        let is_it = |number: u32| self.get(number).is_some_and(|elements| elements.are(wanted));
        if let Some(number) = known.recent.find(hashed, is_it) {
            return Some(number);
        }
        let mut numbers = self.index.locked(hashed);
        let number = match numbers.find(hashed, |number| is_it(*number)) {
            Some(number) => *number,
            None => {
                let number = self.add(known, wanted)?;
                numbers.insert_unique(hashed, number, |number| self.get(*number).map_or(0, hash_of));
                number
            }
        };
        drop(numbers);
        known.recent.put(hashed, number);
        Some(number)
    }

    fn add(&self, known: &mut Known, wanted: &[Word]) -> Option<u32> {
        let length = wanted.len();
        match known.coded_width(&self.coded, wanted) {
            0 => self.one.add(length, |at, cell| cell.store(known.adding[at] as u8, Ordering::Relaxed)),
            1 => {
                let added = self.two.add(length, |at, cell| cell.store(known.adding[at], Ordering::Relaxed));
                added.map(|number| WIDTH + number)
            }
            _ => {
                let added = self.words.add(length, |at, cell| cell.store(wanted[at].0, Ordering::Relaxed));
                added.map(|number| 2 * WIDTH + number)
            }
        }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.one.memory_bytes()
            + self.two.memory_bytes()
            + self.words.memory_bytes()
            + self.index.memory_bytes()
            + self.coded.memory_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn different() -> Vec<Vec<Word>> {
        (0..140_000_u32)
            .map(|number| vec![Word(number), Word(number / 2), Word(7)])
            .chain([vec![], vec![Word(3)]])
            .collect()
    }

    /// Sequences of all widths are found again, and each has one number.
    #[test]
    fn each_sequence_has_one_number() {
        let sequences = Sequences::new();
        let mut known = Known::new();
        let all = different();
        let numbers: Vec<Option<u32>> = all.iter().map(|words| sequences.intern(&mut known, words)).collect();
        let mut widths = [0; 3];
        let mut other = Known::new();
        for (words, number) in all.iter().zip(&numbers) {
            let number = number.unwrap_or(u32::MAX);
            assert_eq!(sequences.get(number).map(Elements::to_vec).as_ref(), Some(words));
            assert_eq!(sequences.intern(&mut known, words), Some(number));
            assert_eq!(sequences.intern(&mut other, words), Some(number));
            widths[(number / WIDTH) as usize] += 1;
        }
        assert!(widths.iter().all(|count| *count > 0), "{widths:?}");
        let different: std::collections::BTreeSet<_> = numbers.iter().collect();
        assert_eq!(different.len(), all.len());
        assert!(sequences.get(5 + 2 * WIDTH + 140_000).is_none());
    }

    /// Long ones are not cut where a chunk ends.
    #[test]
    fn sequences_of_every_length_are_whole() {
        let sequences = Sequences::new();
        let mut known = Known::new();
        let lengths = (0..200).chain([1_000, 5_000, 40_000, 3, 70_000, 0]);
        let all: Vec<Vec<Word>> =
            lengths.map(|length| (0..length).map(|it| Word(it % 300 + length % 7)).collect()).collect();
        let numbers: Vec<Option<u32>> = all.iter().map(|words| sequences.intern(&mut known, words)).collect();
        for (words, number) in all.iter().zip(&numbers) {
            let found = number.and_then(|number| sequences.get(number)).map(Elements::to_vec);
            assert_eq!(found.as_ref(), Some(words));
        }
    }

    /// Several who ask for the same at once are told the same, and who reads by number reads the whole.
    #[test]
    fn all_who_ask_are_told_the_same_number() {
        let sequences = Sequences::new();
        let all = different();
        let told: Vec<Vec<Option<u32>>> = std::thread::scope(|scope| {
            let ask = |from: usize| {
                let (all, sequences) = (&all, &sequences);
                move || {
                    let mut known = Known::new();
                    let mut told = vec![None; all.len()];
                    for step in 0..all.len() {
                        let at = (step + from) % all.len();
                        told[at] = sequences.intern(&mut known, &all[at]);
                        let read = told[at].and_then(|number| sequences.get(number));
                        assert_eq!(read.map(Elements::to_vec).as_ref(), Some(&all[at]));
                    }
                    told
                }
            };
            let threads: Vec<_> = [0, 0, 1, 70_000].into_iter().map(|from| scope.spawn(ask(from))).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        assert!(told.iter().all(|one| *one == told[0] && one.iter().all(Option::is_some)));
        let different: std::collections::BTreeSet<_> = told[0].iter().collect();
        assert_eq!(different.len(), all.len());
    }
}
