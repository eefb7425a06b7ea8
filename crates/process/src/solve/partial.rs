//! What is known of a value before all of it is.

use crate::evaluate::{Stored, Table, Word};
use crate::types::Type;

/// A value as far as it is known.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Partial {
    Unknown,
    Known(Word),
    /// An integer from the first to the second, both included, where they are there.
    Bounded(Option<i64>, Option<i64>),
    Sequence {
        size: Option<usize>,
        elements: Vec<(usize, Partial)>,
    },
    /// Entries that are known to be there.
    Map(Vec<(Word, Partial)>),
    Pair(Box<(Partial, Partial)>),
    Present(Box<Partial>),
    Left(Box<Partial>),
    Right(Box<Partial>),
}

/// A way from a value to a part of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Step {
    /// An element of a sequence or the value of a key.
    At(Word),
    First,
    Second,
    Get,
    Left,
    Right,
}

/// What became of a value when something was learned about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Learned {
    /// It cannot be.
    Conflict,
    /// It was known, or does not help.
    Nothing,
    /// More is known now.
    Something,
}

impl Partial {
    /// Learns the whole value.
    pub(super) fn unify(&mut self, table: &Table, ty: &Type, word: Word) -> Learned {
        if matches!(ty, Type::Integer) && matches!(table.stored(word), Some(Stored::Rational(_))) {
            return Learned::Conflict;
        }
        let fits = match (&mut *self, table.stored(word)) {
            (Partial::Unknown, _) => true,
            (Partial::Known(known), _) => {
                return if *known == word { Learned::Nothing } else { Learned::Conflict };
            }
            (Partial::Bounded(low, high), _) => word.as_small().is_none_or(|value| {
                low.is_none_or(|low| low <= value) && high.is_none_or(|high| value <= high)
            }),
            (Partial::Sequence { size, elements }, None) if table.sequence(word).is_some() => {
                let Type::Sequence(inner) = ty else { return Learned::Nothing };
                let Some(found) = table.sequence(word) else { return Learned::Nothing };
                size.is_none_or(|size| size == found.len())
                    && elements.iter_mut().all(|(index, part)| {
                        found.get(*index).is_none_or(|it| part.unify(table, inner, it) != Learned::Conflict)
                    })
            }
            (Partial::Map(entries), Some(Stored::Map(found))) => {
                let Type::Map(_, inner) = ty else { return Learned::Nothing };
                entries.iter_mut().all(|(key, part)| {
                    let it = found.iter().find(|(it, _)| it == key);
                    it.is_none_or(|(_, it)| part.unify(table, inner, *it) != Learned::Conflict)
                })
            }
            (Partial::Pair(parts), Some(Stored::Pair(first, second))) => {
                let Type::Pair(a, b) = ty else { return Learned::Nothing };
                parts.0.unify(table, a, *first) != Learned::Conflict
                    && parts.1.unify(table, b, *second) != Learned::Conflict
            }
            (Partial::Present(part), Some(Stored::Present(it))) => {
                let Type::Option(inner) = ty else { return Learned::Nothing };
                part.unify(table, inner, *it) != Learned::Conflict
            }
            (Partial::Left(part), Some(Stored::Left(it))) => {
                let Type::Either(inner, _) = ty else { return Learned::Nothing };
                part.unify(table, inner, *it) != Learned::Conflict
            }
            (Partial::Right(part), Some(Stored::Right(it))) => {
                let Type::Either(_, inner) = ty else { return Learned::Nothing };
                part.unify(table, inner, *it) != Learned::Conflict
            }
            // A part was asked for of a value that has none: the condition is undefined there, and that is said when it
            // is evaluated.
            _ => true,
        };
        if !fits {
            return Learned::Conflict;
        }
        *self = Partial::Known(word);
        Learned::Something
    }

    /// The part behind a step as it is known, with its type; the shape is made where there is none yet. None where the
    /// whole is known, or has no such part.
    pub(super) fn part<'t>(&mut self, ty: &'t Type, step: Step) -> Option<(&mut Partial, &'t Type)> {
        if *self == Partial::Unknown {
            *self = match (ty, step) {
                (Type::Sequence(_), Step::At(_)) => Partial::Sequence { size: None, elements: Vec::new() },
                (Type::Map(..), Step::At(_)) => Partial::Map(Vec::new()),
                (Type::Pair(..), Step::First | Step::Second) => {
                    Partial::Pair(Box::new((Partial::Unknown, Partial::Unknown)))
                }
                (Type::Option(_), Step::Get) => Partial::Present(Box::new(Partial::Unknown)),
                (Type::Either(..), Step::Left) => Partial::Left(Box::new(Partial::Unknown)),
                (Type::Either(..), Step::Right) => Partial::Right(Box::new(Partial::Unknown)),
                _ => return None,
            };
        }
        match (self, ty, step) {
            (Partial::Sequence { size, elements }, Type::Sequence(inner), Step::At(index)) => {
                let index = usize::try_from(index.as_small()?).ok()?;
                if size.is_some_and(|size| index >= size) || index > crate::limits::ELEMENTS {
                    return None;
                }
                let place = match elements.binary_search_by_key(&index, |(index, _)| *index) {
                    Ok(place) => place,
                    Err(place) => {
                        elements.insert(place, (index, Partial::Unknown));
                        place
                    }
                };
                Some((&mut elements[place].1, inner))
            }
            (Partial::Map(entries), Type::Map(_, inner), Step::At(key)) => {
                let place = match entries.binary_search_by_key(&key, |(key, _)| *key) {
                    Ok(place) => place,
                    Err(place) => {
                        entries.insert(place, (key, Partial::Unknown));
                        place
                    }
                };
                Some((&mut entries[place].1, inner))
            }
            (Partial::Pair(parts), Type::Pair(ty, _), Step::First) => Some((&mut parts.0, ty)),
            (Partial::Pair(parts), Type::Pair(_, ty), Step::Second) => Some((&mut parts.1, ty)),
            (Partial::Present(part), Type::Option(ty), Step::Get) => Some((part, ty)),
            (Partial::Left(part), Type::Either(ty, _), Step::Left) => Some((part, ty)),
            (Partial::Right(part), Type::Either(_, ty), Step::Right) => Some((part, ty)),
            _ => None,
        }
    }

    /// The part behind a step, if it is known that far.
    pub(super) fn look(&self, step: Step) -> Option<&Partial> {
        match (self, step) {
            (Partial::Sequence { elements, .. }, Step::At(index)) => {
                let index = usize::try_from(index.as_small()?).ok()?;
                elements
                    .binary_search_by_key(&index, |(index, _)| *index)
                    .ok()
                    .map(|place| &elements[place].1)
            }
            (Partial::Map(entries), Step::At(key)) => {
                entries.binary_search_by_key(&key, |(key, _)| *key).ok().map(|place| &entries[place].1)
            }
            (Partial::Pair(parts), Step::First) => Some(&parts.0),
            (Partial::Pair(parts), Step::Second) => Some(&parts.1),
            (Partial::Present(part), Step::Get)
            | (Partial::Left(part), Step::Left)
            | (Partial::Right(part), Step::Right) => Some(part),
            _ => None,
        }
    }

    /// Makes one word of what is known in all its parts.
    pub(super) fn settle(&mut self, table: &mut Table) {
        let known = |part: &Partial| match part {
            Partial::Known(word) => Some(*word),
            _ => None,
        };
        let stored = match self {
            Partial::Sequence { size: Some(size), elements } => {
                elements.iter_mut().for_each(|(_, part)| part.settle(table));
                if elements.len() < *size {
                    return;
                }
                let words: Option<Box<[Word]>> =
                    elements.iter().take(*size).map(|(_, part)| known(part)).collect();
                words.map(Stored::Sequence)
            }
            Partial::Pair(parts) => {
                parts.0.settle(table);
                parts.1.settle(table);
                known(&parts.0).zip(known(&parts.1)).map(|(first, second)| Stored::Pair(first, second))
            }
            Partial::Present(part) => {
                part.settle(table);
                known(part).map(Stored::Present)
            }
            Partial::Left(part) => {
                part.settle(table);
                known(part).map(Stored::Left)
            }
            Partial::Right(part) => {
                part.settle(table);
                known(part).map(Stored::Right)
            }
            Partial::Bounded(Some(low), Some(high)) if low == high => {
                if let Some(word) = Word::small(*low) {
                    *self = Partial::Known(word);
                }
                return;
            }
            _ => None,
        };
        if let Some(stored) = stored {
            *self = Partial::Known(table.intern(stored));
        }
    }
}
