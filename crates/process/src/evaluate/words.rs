//! Values as words: small ones are their own word, others are numbered in a table.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::ToPrimitive;
use store::sync::{AtomicUsize, Ordering};

use super::sequences::{Elements, Known, NUMBERS, Sequences};
use crate::shared::{Numbering, Recent};
use crate::types::Type;
use crate::value::Value;

/// A value: equal words of one type are equal values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Word(pub(crate) u32);

/// No value; the cell is to be found out.
pub(crate) const UNKNOWN: Word = Word(u32::MAX);

/// From here on words are numbers of stored values: first of sequences, then of others.
const STORED: u32 = 1 << 31;
const OTHERS: u32 = STORED + NUMBERS;
/// The word of zero.
const ZERO: i64 = 1 << 30;

/// A value that is no word by itself. There may be one for each state, so what is large and rare is in a box.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Stored {
    Integer(Box<BigInt>),
    /// Never an integer.
    Rational(Box<BigRational>),
    Text(Arc<str>),
    Sequence(Box<[Word]>),
    /// Sorted by their words, each once.
    Set(Box<[Word]>),
    /// Sorted by their words, never zero times.
    Bag(Box<[(Word, u64)]>),
    /// Sorted by the words of their keys.
    Map(Box<[(Word, Word)]>),
    Absent,
    Present(Word),
    Pair(Word, Word),
    Left(Word),
    Right(Word),
    Built(u32, Box<[Word]>),
}

/// All values that are no words by themselves, for all explorers of a search.
struct Values {
    sequences: Sequences,
    /// Values that are no sequences.
    others: Numbering<Stored>,
    /// What they take beside their places.
    bytes: AtomicUsize,
}

/// One explorer's hold on them.
pub(crate) struct Table {
    values: Arc<Values>,
    known: Known,
    recent: Recent,
    /// Elements of a sequence that is looked for.
    wanted: Vec<Word>,
}

impl Word {
    pub(crate) const FALSE: Word = Word(ZERO as u32);
    pub(crate) const TRUE: Word = Word(ZERO as u32 + 1);

    /// A small integer as a word.
    #[inline]
    pub(crate) fn small(value: i64) -> Option<Word> {
        let shifted = value.checked_add(ZERO)?;
        (0..i64::from(STORED)).contains(&shifted).then_some(Word(shifted as u32))
    }

    #[inline]
    pub(crate) fn boolean(truth: bool) -> Word {
        if truth { Word::TRUE } else { Word::FALSE }
    }

    /// The integer that a word is by itself.
    #[inline]
    pub(crate) fn as_small(self) -> Option<i64> {
        (self.0 < STORED).then(|| i64::from(self.0) - ZERO)
    }
}

impl Table {
    pub(crate) fn new() -> Table {
        let others = Numbering::new();
        Table::of(Arc::new(Values { sequences: Sequences::new(), others, bytes: AtomicUsize::new(0) }))
    }

    fn of(values: Arc<Values>) -> Table {
        Table { values, known: Known::new(), recent: Recent::new(), wanted: Vec::new() }
    }

    /// The hold of another explorer: the same words are the same values.
    pub(crate) fn another(&self) -> Table {
        Table::of(Arc::clone(&self.values))
    }

    /// Bytes that the values take, about.
    pub(crate) fn memory_bytes(&self) -> usize {
        let Values { sequences, others, bytes } = &*self.values;
        bytes.load(Ordering::Relaxed) + sequences.memory_bytes() + others.memory_bytes()
    }

    /// Bytes that this hold takes.
    pub(crate) fn own_bytes(&self) -> usize {
        self.known.memory_bytes() + self.recent.memory_bytes()
    }

    pub(crate) fn intern(&mut self, value: Stored) -> Word {
        match value {
            Stored::Sequence(elements) => self.intern_sequence(&elements),
            value => self.intern_other(value),
        }
    }

    fn intern_other(&mut self, value: Stored) -> Word {
        let Values { others, bytes, .. } = &*self.values;
        let number = others.number(
            &mut self.recent,
            value,
            |value| value,
            |value| {
                let more = match value {
                    Stored::Sequence(it) | Stored::Set(it) | Stored::Built(_, it) => it.len() * 4,
                    Stored::Bag(it) => it.len() * 16,
                    Stored::Map(it) => it.len() * 8,
                    Stored::Integer(it) => (it.bits() / 8) as usize,
                    _ => 0,
                };
                bytes.fetch_add(more, Ordering::Relaxed);
            },
        );
        Word(OTHERS + number)
    }

    /// A sequence with another element in one place; none where there is no such place.
    pub(crate) fn changed(&mut self, sequence: Word, place: usize, element: Word) -> Option<Word> {
        let mut elements = std::mem::take(&mut self.wanted);
        elements.clear();
        elements.extend(self.sequence(sequence)?.iter());
        *elements.get_mut(place)? = element;
        let word = self.intern_sequence(&elements);
        self.wanted = elements;
        Some(word)
    }

    /// Two sequences one behind the other.
    pub(crate) fn joined(&mut self, first: Word, second: Word) -> Option<Word> {
        let mut elements = std::mem::take(&mut self.wanted);
        elements.clear();
        elements.extend(self.sequence(first)?.iter());
        elements.extend(self.sequence(second)?.iter());
        let word = self.intern_sequence(&elements);
        self.wanted = elements;
        Some(word)
    }

    /// What is left of a sequence behind its first elements; none where there are fewer.
    pub(crate) fn behind(&mut self, sequence: Word, first: usize) -> Option<Word> {
        let mut elements = std::mem::take(&mut self.wanted);
        elements.clear();
        let all = self.sequence(sequence).filter(|all| first <= all.len())?;
        elements.extend(all.iter().skip(first));
        let word = self.intern_sequence(&elements);
        self.wanted = elements;
        Some(word)
    }

    /// The sequence of these elements, which are only copied where it is new.
    pub(crate) fn intern_sequence(&mut self, wanted: &[Word]) -> Word {
        match self.values.sequences.intern(&mut self.known, wanted) {
            Some(number) => Word(STORED + number),
            // Behind what the numbers can say, sequences are values like others.
            None => self.intern_other(Stored::Sequence(wanted.into())),
        }
    }

    /// The same for elements that are words of a state.
    pub(crate) fn sequence_of(&mut self, elements: &[u32]) -> Word {
        let mut wanted = std::mem::take(&mut self.wanted);
        wanted.clear();
        wanted.extend(elements.iter().map(|element| Word(*element)));
        let word = self.intern_sequence(&wanted);
        self.wanted = wanted;
        word
    }

    /// What a word stands for, if that is no sequence; none for those that are values by themselves.
    #[inline]
    pub(crate) fn stored(&self, word: Word) -> Option<&Stored> {
        let stored = self.values.others.get(word.0.checked_sub(OTHERS)?)?;
        (!matches!(stored, Stored::Sequence(_))).then_some(stored)
    }

    /// The elements of a sequence.
    #[inline]
    pub(crate) fn sequence(&self, word: Word) -> Option<Elements<'_>> {
        let number = word.0.checked_sub(STORED)?;
        if number < NUMBERS {
            return self.values.sequences.get(number);
        }
        match self.values.others.get(word.0.checked_sub(OTHERS)?)? {
            Stored::Sequence(elements) => Some(Elements::of(elements)),
            _ => None,
        }
    }

    pub(crate) fn integer(&mut self, value: BigInt) -> Word {
        match value.to_i64().and_then(Word::small) {
            Some(word) => word,
            None => self.intern(Stored::Integer(Box::new(value))),
        }
    }

    pub(crate) fn number(&mut self, value: BigRational) -> Word {
        if value.is_integer() {
            self.integer(value.to_integer())
        } else {
            self.intern(Stored::Rational(Box::new(value)))
        }
    }

    pub(crate) fn set(&mut self, mut elements: Vec<Word>) -> Word {
        elements.sort_unstable();
        elements.dedup();
        self.intern(Stored::Set(elements.into()))
    }

    /// A map; of equal keys the last one counts.
    pub(crate) fn map(&mut self, entries: Vec<(Word, Word)>) -> Word {
        let sorted: BTreeMap<Word, Word> = entries.into_iter().collect();
        self.intern(Stored::Map(sorted.into_iter().collect()))
    }

    pub(crate) fn bag(&mut self, counts: BTreeMap<Word, u64>) -> Word {
        self.intern(Stored::Bag(counts.into_iter().filter(|(_, count)| *count > 0).collect()))
    }

    /// The word of a value.
    pub(crate) fn word(&mut self, value: &Value) -> Word {
        match value {
            Value::Boolean(truth) => Word::boolean(*truth),
            Value::Integer(it) => self.integer(it.clone()),
            Value::Rational(it) => self.number(it.clone()),
            Value::Character(it) => self.integer(BigInt::from(u32::from(*it))),
            Value::Text(it) => self.intern(Stored::Text(it.clone())),
            // Zero is none of the constants.
            Value::Constant(_, number) => self.integer(BigInt::from(u64::from(*number) + 1)),
            Value::Opaque(number) => self.integer(BigInt::from(*number)),
            Value::Built(constructor, arguments) => {
                let arguments = arguments.iter().map(|it| self.word(it)).collect();
                self.intern(Stored::Built(*constructor, arguments))
            }
            Value::Sequence(elements) => {
                let elements = elements.iter().map(|it| self.word(it)).collect();
                self.intern(Stored::Sequence(elements))
            }
            Value::Set(elements) => {
                let elements = elements.iter().map(|it| self.word(it)).collect();
                self.set(elements)
            }
            Value::Bag(counts) => {
                let counts = counts.iter().map(|(it, count)| (self.word(it), *count)).collect();
                self.bag(counts)
            }
            Value::Map(entries) => {
                let entries = entries.iter().map(|(key, it)| (self.word(key), self.word(it))).collect();
                self.map(entries)
            }
            Value::Option(None) => self.intern(Stored::Absent),
            Value::Option(Some(it)) => {
                let it = self.word(it);
                self.intern(Stored::Present(it))
            }
            Value::Pair(it) => {
                let (first, second) = (self.word(&it.0), self.word(&it.1));
                self.intern(Stored::Pair(first, second))
            }
            Value::Left(it) => {
                let it = self.word(it);
                self.intern(Stored::Left(it))
            }
            Value::Right(it) => {
                let it = self.word(it);
                self.intern(Stored::Right(it))
            }
        }
    }

    /// The value of a word of a type.
    pub(crate) fn value(&self, word: Word, ty: &Type) -> Value {
        let inner = |ty: &Type, word: &Word| self.value(*word, ty);
        if let Some(elements) = self.sequence(word) {
            return match ty {
                Type::Sequence(ty) => Value::Sequence(elements.iter().map(|it| inner(ty, &it)).collect()),
                // A value whose type is not what it is made of; only messages come here.
                _ => Value::Opaque(u64::from(word.0)),
            };
        }
        match (ty, self.stored(word)) {
            (_, None) => self.plain(word, ty),
            (Type::Rational, Some(Stored::Rational(it))) => Value::Rational(BigRational::clone(it)),
            (Type::Rational, Some(Stored::Integer(it))) => {
                Value::Rational(BigRational::from_integer(BigInt::clone(it)))
            }
            (_, Some(Stored::Integer(it))) => Value::Integer(BigInt::clone(it)),
            (_, Some(Stored::Rational(it))) => Value::Rational(BigRational::clone(it)),
            (_, Some(Stored::Text(it))) => Value::Text(it.clone()),
            (Type::Set(ty), Some(Stored::Set(it))) => {
                let set: BTreeSet<Value> = it.iter().map(|it| inner(ty, it)).collect();
                Value::Set(Arc::new(set))
            }
            (Type::Bag(ty), Some(Stored::Bag(it))) => {
                Value::Bag(Arc::new(it.iter().map(|(it, count)| (inner(ty, it), *count)).collect()))
            }
            (Type::Map(key, value), Some(Stored::Map(it))) => {
                Value::Map(Arc::new(it.iter().map(|(k, v)| (inner(key, k), inner(value, v))).collect()))
            }
            (_, Some(Stored::Absent)) => Value::Option(None),
            (Type::Option(ty), Some(Stored::Present(it))) => Value::Option(Some(Arc::new(inner(ty, it)))),
            (Type::Pair(first, second), Some(Stored::Pair(a, b))) => {
                Value::Pair(Arc::new((inner(first, a), inner(second, b))))
            }
            (Type::Either(ty, _), Some(Stored::Left(it))) => Value::Left(Arc::new(inner(ty, it))),
            (Type::Either(_, ty), Some(Stored::Right(it))) => Value::Right(Arc::new(inner(ty, it))),
            // A value whose type is not what it is made of; only messages come here.
            (_, Some(_)) => Value::Opaque(u64::from(word.0)),
        }
    }

    fn plain(&self, word: Word, ty: &Type) -> Value {
        let small = word.as_small().unwrap_or(0);
        match ty {
            Type::Boolean => Value::Boolean(word == Word::TRUE),
            Type::Rational => Value::Rational(BigRational::from_integer(BigInt::from(small))),
            Type::Character => Value::Character(char::from_u32(small as u32).unwrap_or('?')),
            Type::Enumeration(id) if small > 0 => Value::Constant(*id, small as u32 - 1),
            Type::Enumeration(_) => Value::Opaque(0),
            Type::Opaque(_) => Value::Opaque(small as u64),
            _ => Value::Integer(BigInt::from(small)),
        }
    }
}
