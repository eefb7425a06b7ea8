//! Small values of a type, the smallest first: for searches that want a counterexample and need not see everything.
//!
//! The size bounds the absolute value of integers and the length of collections. Not all values of a size are listed where
//! there are many; nobody may conclude anything from what is missing.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_rational::BigRational;

use crate::evaluate::{Stored, Table, Word, all_of};
use crate::limits;
use crate::types::Type;

/// Values of a type up to a size, each once.
pub(super) fn small_values(table: &mut Table, enumerations: &[u32], ty: &Type, size: u32) -> Vec<Word> {
    let mut small = Small { table, enumerations };
    small.values(ty, size, limits::SMALL_VALUES)
}

struct Small<'t> {
    table: &'t mut Table,
    enumerations: &'t [u32],
}

impl Small<'_> {
    /// At most so many values; types are as deep as somebody has written them.
    fn values(&mut self, ty: &Type, size: u32, most: usize) -> Vec<Word> {
        let mut values = match ty {
            Type::Boolean | Type::Enumeration(_) => all_of(ty, self.enumerations).unwrap_or_default(),
            Type::Integer => integers(size).filter_map(Word::small).collect(),
            Type::Rational => self.rationals(size),
            Type::Character => (0..=size).filter_map(|it| Word::small(i64::from('a' as u32 + it))).collect(),
            Type::Text => {
                let texts = (0..=size).map(|length| "a".repeat(length as usize));
                texts.map(|text| self.table.intern(Stored::Text(text.into()))).collect()
            }
            Type::Opaque(_) => (0..=i64::from(size)).filter_map(Word::small).collect(),
            Type::Sequence(inner) => {
                let elements = self.elements(inner, size, most);
                let lists = lists(&elements, size, most, false);
                lists.into_iter().map(|it| self.table.intern(Stored::Sequence(it.into()))).collect()
            }
            Type::Set(inner) => {
                let elements = self.elements(inner, size, most);
                let lists = lists(&elements, size, most, true);
                lists.into_iter().map(|it| self.table.set(it)).collect()
            }
            Type::Bag(inner) => {
                let elements = self.elements(inner, size, most);
                let lists = lists(&elements, size, most, true);
                lists.into_iter().map(|it| self.bag(it)).collect()
            }
            Type::Map(key, value) => {
                let keys = self.elements(key, size, most);
                let values = self.elements(value, size, most);
                let mut maps = Vec::new();
                for keys in lists(&keys, size, most, true) {
                    for values in lists_of(&values, keys.len(), most) {
                        maps.push(self.table.map(keys.iter().copied().zip(values).collect()));
                    }
                    if maps.len() > most {
                        break;
                    }
                }
                maps
            }
            Type::Option(inner) => {
                let inner = self.values(inner, size, most);
                let mut values = vec![self.table.intern(Stored::Absent)];
                values.extend(inner.into_iter().map(|it| self.table.intern(Stored::Present(it))));
                values
            }
            Type::Pair(first, second) => {
                let (first, second) = (self.elements(first, size, most), self.elements(second, size, most));
                let pairs = first.iter().flat_map(|a| second.iter().map(move |b| (*a, *b)));
                pairs.take(most).map(|(a, b)| self.table.intern(Stored::Pair(a, b))).collect()
            }
            Type::Either(left, right) => {
                let (left, right) = (self.values(left, size, most), self.values(right, size, most));
                let left: Vec<Word> =
                    left.into_iter().map(|it| self.table.intern(Stored::Left(it))).collect();
                let right: Vec<Word> =
                    right.into_iter().map(|it| self.table.intern(Stored::Right(it))).collect();
                left.into_iter().chain(right).collect()
            }
            // Nobody here knows what the types of a constructor's arguments are.
            Type::Data(..) => Vec::new(),
        };
        values.truncate(most);
        let mut seen = std::collections::BTreeSet::new();
        values.retain(|value| seen.insert(*value));
        values
    }

    /// Values of the parts of a value: a little smaller, so that there is room for longer ones.
    fn elements(&mut self, ty: &Type, size: u32, most: usize) -> Vec<Word> {
        self.values(ty, size.saturating_sub(1).max(1), most)
    }

    fn rationals(&mut self, size: u32) -> Vec<Word> {
        let mut values = Vec::new();
        for denominator in 1..=i64::from(size) + 1 {
            for numerator in integers(size) {
                let value = BigRational::new(BigInt::from(numerator), BigInt::from(denominator));
                values.push(self.table.number(value));
            }
        }
        values
    }

    fn bag(&mut self, elements: Vec<Word>) -> Word {
        let mut counts: BTreeMap<Word, u64> = BTreeMap::new();
        for element in elements {
            *counts.entry(element).or_default() += 1;
        }
        self.table.bag(counts)
    }
}

/// 0, 1, -1, 2, -2, …
fn integers(size: u32) -> impl Iterator<Item = i64> {
    let size = i64::from(size);
    std::iter::once(0).chain((1..=size).flat_map(|value| [value, -value]))
}

/// All lists of some elements up to a length, the shortest first; where the order does not matter, one of each.
fn lists(elements: &[Word], size: u32, most: usize, unordered: bool) -> Vec<Vec<Word>> {
    let mut all: Vec<Vec<Word>> = vec![Vec::new()];
    let mut from = 0;
    for _ in 0..size {
        let until = all.len();
        for start in from..until {
            for (index, element) in elements.iter().enumerate() {
                let last = all[start].last().and_then(|last| elements.iter().position(|it| it == last));
                if unordered && last.is_some_and(|last| index < last) {
                    continue;
                }
                if all.len() >= most {
                    return all;
                }
                let mut longer = all[start].clone();
                longer.push(*element);
                all.push(longer);
            }
        }
        from = until;
    }
    all
}

/// Lists of a length.
fn lists_of(elements: &[Word], length: usize, most: usize) -> Vec<Vec<Word>> {
    let mut all: Vec<Vec<Word>> = vec![Vec::new()];
    for _ in 0..length {
        let longer = all.iter().flat_map(|start| {
            elements.iter().map(move |element| {
                let mut longer = start.clone();
                longer.push(*element);
                longer
            })
        });
        all = longer.take(most).collect();
    }
    all
}
