//! Operations on collections, options, pairs and data types.

use std::collections::BTreeMap;

use crate::expression::{Binary, Builtin};
use crate::limits;

use super::code::Code;
use super::evaluator::{Evaluator, Stop};
use super::numbers;
use super::words::{Stored, Word};

const MISFIT: Stop = Stop::Undefined("an operand is of another type");

/// The value of an operation.
pub(super) fn builtin(
    evaluator: &mut Evaluator<'_>,
    builtin: &Builtin,
    operands: &[Code],
) -> Result<Word, Stop> {
    match (builtin, operands) {
        (Builtin::Size, [a]) => {
            if let Some((store, field)) = evaluator.stored_field(a)
                && let Some(size) = store.size(field)
            {
                return i64::try_from(size).ok().and_then(Word::small).ok_or(Stop::Budget);
            }
            let a = evaluator.word(a)?;
            return size(evaluator, a);
        }
        (Builtin::At, [a, b]) => {
            if let Some((store, field)) = evaluator.stored_field(a)
                && let Some(size) = store.size(field)
            {
                let place = place(evaluator.word(b)?, size)?;
                let found = evaluator.stored_field(a).and_then(|(store, field)| store.element(field, place));
                return found.ok_or(MISFIT);
            }
            let (a, b) = (evaluator.word(a)?, evaluator.word(b)?);
            return at(evaluator, a, b);
        }
        (Builtin::GetOr, [a, b]) => {
            let a = evaluator.word(a)?;
            return match evaluator.table.stored(a) {
                Some(Stored::Present(it)) => Ok(*it),
                _ => evaluator.word(b),
            };
        }
        _ => {}
    }
    let mut words = Vec::with_capacity(operands.len());
    for operand in operands {
        words.push(evaluator.word(operand)?);
    }
    on_words(evaluator, builtin, words)
}

fn on_words(evaluator: &mut Evaluator<'_>, builtin: &Builtin, words: Vec<Word>) -> Result<Word, Stop> {
    let table = &mut *evaluator.table;
    Ok(match (builtin, &words[..]) {
        (Builtin::SequenceOf, _) => table.intern(Stored::Sequence(words.into())),
        (Builtin::SetOf, _) => table.set(words),
        (Builtin::BagOf, _) => {
            let mut counts = BTreeMap::new();
            words.iter().for_each(|word| *counts.entry(*word).or_insert(0) += 1);
            table.bag(counts)
        }
        (Builtin::MapOf, _) => table.map(words.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect()),
        (Builtin::RangeSequence | Builtin::RangeSet, [low, high]) => {
            let number = |word: &Word| word.as_small().ok_or(Stop::Budget);
            let (low, high) = (number(low)?, number(high)?);
            if high - low > limits::ELEMENTS as i64 {
                return Err(Stop::Budget);
            }
            let elements: Option<Vec<Word>> = (low..high).map(Word::small).collect();
            let elements = elements.ok_or(Stop::Budget)?;
            match builtin {
                Builtin::RangeSet => table.set(elements),
                _ => table.intern(Stored::Sequence(elements.into())),
            }
        }
        (Builtin::Updated, [a, key, value]) => return updated(evaluator, *a, *key, *value),
        (Builtin::Concatenate, [a, b]) => return concatenate(evaluator, *a, *b),
        (Builtin::Take | Builtin::Drop, [a, count]) => {
            let elements = table.sequence(*a).ok_or(MISFIT)?;
            let count = count.as_small().unwrap_or(i64::MAX).clamp(0, elements.len() as i64) as usize;
            let part: Box<[Word]> = match builtin {
                Builtin::Take => elements.iter().take(count).collect(),
                _ => elements.iter().skip(count).collect(),
            };
            table.intern(Stored::Sequence(part))
        }
        (Builtin::RemovedAt, [a, index]) => {
            let mut elements = table.sequence(*a).ok_or(MISFIT)?.to_vec();
            let index = place(*index, elements.len())?;
            elements.remove(index);
            table.intern(Stored::Sequence(elements.into()))
        }
        (Builtin::Contains, [element, a]) => return contains(evaluator, *element, *a),
        (Builtin::Union | Builtin::Intersection | Builtin::Difference, [a, b]) => {
            return combined(evaluator, builtin, *a, *b);
        }
        (Builtin::Subset, [a, b]) => Word::boolean(is_within(evaluator, *a, *b)?),
        (Builtin::ProperSubset, [a, b]) => Word::boolean(a != b && is_within(evaluator, *a, *b)?),
        (Builtin::Keys | Builtin::Values | Builtin::Items | Builtin::RemovedKey, [a, ..]) => {
            let Some(Stored::Map(entries)) = table.stored(*a) else { return Err(MISFIT) };
            let entries = entries.to_vec();
            match builtin {
                Builtin::Keys => table.set(entries.into_iter().map(|(key, _)| key).collect()),
                Builtin::Values => table.set(entries.into_iter().map(|(_, value)| value).collect()),
                Builtin::Items => {
                    let pairs =
                        entries.into_iter().map(|(key, value)| table.intern(Stored::Pair(key, value)));
                    let pairs = pairs.collect();
                    table.set(pairs)
                }
                _ => table.map(entries.into_iter().filter(|(key, _)| Some(key) != words.get(1)).collect()),
            }
        }
        (Builtin::DisjointUnion, [a, b]) => {
            let (Some(Stored::Map(first)), Some(Stored::Map(second))) = (table.stored(*a), table.stored(*b))
            else {
                return Err(MISFIT);
            };
            let all: Vec<(Word, Word)> = first.iter().chain(second.iter()).copied().collect();
            if first.iter().any(|(key, _)| second.iter().any(|(other, _)| key == other)) {
                return Err(Stop::Undefined("two maps have a key in common"));
            }
            table.map(all)
        }
        (Builtin::Present, [a]) => table.intern(Stored::Present(*a)),
        (Builtin::Absent, _) => table.intern(Stored::Absent),
        (Builtin::Get, [a]) => match table.stored(*a) {
            Some(Stored::Present(it)) => *it,
            _ => return Err(Stop::Undefined("the value of an option that has none")),
        },
        (Builtin::Pair, [a, b]) => table.intern(Stored::Pair(*a, *b)),
        (Builtin::First | Builtin::Second, [a]) => match (builtin, table.stored(*a)) {
            (Builtin::First, Some(Stored::Pair(first, _))) => *first,
            (_, Some(Stored::Pair(_, second))) => *second,
            _ => return Err(MISFIT),
        },
        (Builtin::Left, [a]) => table.intern(Stored::Left(*a)),
        (Builtin::Right, [a]) => table.intern(Stored::Right(*a)),
        (Builtin::IsLeft, [a]) => Word::boolean(matches!(table.stored(*a), Some(Stored::Left(_)))),
        (Builtin::GetLeft, [a]) => match table.stored(*a) {
            Some(Stored::Left(it)) => *it,
            _ => return Err(Stop::Undefined("the left value of a right one")),
        },
        (Builtin::GetRight, [a]) => match table.stored(*a) {
            Some(Stored::Right(it)) => *it,
            _ => return Err(Stop::Undefined("the right value of a left one")),
        },
        (Builtin::Construct(number), _) => {
            let number = *number;
            table.intern(Stored::Built(number, words.into()))
        }
        (Builtin::IsBuilt(number), [a]) => {
            Word::boolean(matches!(table.stored(*a), Some(Stored::Built(by, _)) if by == number))
        }
        (Builtin::Argument(number, index), [a]) => match table.stored(*a) {
            Some(Stored::Built(by, arguments)) if by == number => {
                *arguments.get(*index as usize).ok_or(MISFIT)?
            }
            _ => return Err(Stop::Undefined("an argument of another constructor")),
        },
        (Builtin::ToRational, [a]) => *a,
        _ => return Err(MISFIT),
    })
}

fn place(index: Word, length: usize) -> Result<usize, Stop> {
    let index = index.as_small().and_then(|index| usize::try_from(index).ok());
    index.filter(|index| *index < length).ok_or(Stop::Undefined("an index outside of a sequence"))
}

fn size(evaluator: &mut Evaluator<'_>, a: Word) -> Result<Word, Stop> {
    if let Some(elements) = evaluator.table.sequence(a) {
        return i64::try_from(elements.len()).ok().and_then(Word::small).ok_or(Stop::Budget);
    }
    let size = match evaluator.table.stored(a) {
        Some(Stored::Set(it)) => it.len() as u64,
        Some(Stored::Bag(it)) => it.iter().map(|(_, count)| count).sum(),
        Some(Stored::Map(it)) => it.len() as u64,
        Some(Stored::Text(it)) => it.chars().count() as u64,
        _ => return Err(MISFIT),
    };
    i64::try_from(size).ok().and_then(Word::small).ok_or(Stop::Budget)
}

fn at(evaluator: &mut Evaluator<'_>, a: Word, key: Word) -> Result<Word, Stop> {
    if let Some(elements) = evaluator.table.sequence(a) {
        return elements.get(place(key, elements.len())?).ok_or(MISFIT);
    }
    match evaluator.table.stored(a) {
        Some(Stored::Map(entries)) => match entries.binary_search_by_key(&key, |(key, _)| *key) {
            Ok(found) => Ok(entries[found].1),
            Err(_) => Err(Stop::Undefined("a key that is not in a map")),
        },
        _ => Err(MISFIT),
    }
}

fn updated(evaluator: &mut Evaluator<'_>, a: Word, key: Word, value: Word) -> Result<Word, Stop> {
    if let Some(elements) = evaluator.table.sequence(a) {
        let index = place(key, elements.len())?;
        return evaluator.table.changed(a, index, value).ok_or(MISFIT);
    }
    match evaluator.table.stored(a) {
        Some(Stored::Map(entries)) => {
            let mut entries = entries.to_vec();
            entries.push((key, value));
            Ok(evaluator.table.map(entries))
        }
        _ => Err(MISFIT),
    }
}

fn concatenate(evaluator: &mut Evaluator<'_>, a: Word, b: Word) -> Result<Word, Stop> {
    let table = &mut *evaluator.table;
    if let (Some(first), Some(second)) = (table.sequence(a), table.sequence(b)) {
        if first.len() + second.len() > limits::ELEMENTS {
            return Err(Stop::Budget);
        }
        return table.joined(a, b).ok_or(MISFIT);
    }
    match (table.stored(a), table.stored(b)) {
        (Some(Stored::Text(first)), Some(Stored::Text(second))) => {
            if first.len() + second.len() > limits::ELEMENTS {
                return Err(Stop::Budget);
            }
            let joined = [&first[..], &second[..]].concat();
            Ok(table.intern(Stored::Text(joined.into())))
        }
        _ => Err(MISFIT),
    }
}

fn contains(evaluator: &mut Evaluator<'_>, element: Word, a: Word) -> Result<Word, Stop> {
    if let Some(elements) = evaluator.table.sequence(a) {
        return Ok(Word::boolean(elements.iter().any(|it| it == element)));
    }
    match evaluator.table.stored(a) {
        Some(Stored::Set(it)) => Ok(Word::boolean(it.binary_search(&element).is_ok())),
        Some(Stored::Map(it)) => {
            Ok(Word::boolean(it.binary_search_by_key(&element, |(key, _)| *key).is_ok()))
        }
        Some(Stored::Bag(it)) => {
            let count = it.iter().find(|(it, _)| *it == element).map_or(0, |(_, count)| *count);
            i64::try_from(count).ok().and_then(Word::small).ok_or(Stop::Budget)
        }
        _ => Err(MISFIT),
    }
}

fn combined(evaluator: &mut Evaluator<'_>, builtin: &Builtin, a: Word, b: Word) -> Result<Word, Stop> {
    let table = &mut *evaluator.table;
    match (table.stored(a), table.stored(b)) {
        (Some(Stored::Set(first)), Some(Stored::Set(second))) => {
            let has = |set: &[Word], it: &Word| set.binary_search(it).is_ok();
            let elements: Vec<Word> = match builtin {
                Builtin::Union => first.iter().chain(second.iter()).copied().collect(),
                Builtin::Intersection => first.iter().filter(|it| has(second, it)).copied().collect(),
                _ => first.iter().filter(|it| !has(second, it)).copied().collect(),
            };
            Ok(table.set(elements))
        }
        (Some(Stored::Bag(first)), Some(Stored::Bag(second))) => {
            let mut counts: BTreeMap<Word, (u64, u64)> = BTreeMap::new();
            first.iter().for_each(|(it, count)| counts.entry(*it).or_default().0 = *count);
            second.iter().for_each(|(it, count)| counts.entry(*it).or_default().1 = *count);
            let joined = |(a, b): (u64, u64)| match builtin {
                Builtin::Union => a.checked_add(b),
                Builtin::Intersection => Some(a.min(b)),
                _ => Some(a.saturating_sub(b)),
            };
            let counts: Option<BTreeMap<Word, u64>> =
                counts.into_iter().map(|(it, both)| Some((it, joined(both)?))).collect();
            Ok(table.bag(counts.ok_or(Stop::Budget)?))
        }
        (Some(Stored::Map(first)), Some(Stored::Map(second))) if *builtin == Builtin::Union => {
            let all = first.iter().chain(second.iter()).copied().collect();
            Ok(table.map(all))
        }
        _ => Err(MISFIT),
    }
}

fn is_within(evaluator: &mut Evaluator<'_>, a: Word, b: Word) -> Result<bool, Stop> {
    match (evaluator.table.stored(a), evaluator.table.stored(b)) {
        (Some(Stored::Set(first)), Some(Stored::Set(second))) => {
            Ok(first.iter().all(|it| second.binary_search(it).is_ok()))
        }
        (Some(Stored::Bag(first)), Some(Stored::Bag(second))) => Ok(first.iter().all(|(it, count)| {
            second.iter().find(|(other, _)| other == it).is_some_and(|(_, other)| count <= other)
        })),
        // Characters and other ordered values that are no numbers.
        _ => Ok(numbers::binary(evaluator.table, Binary::AtMost, a, b)? == Word::TRUE),
    }
}
