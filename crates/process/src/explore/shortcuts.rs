//! Effects that need no solving: contracts that say for each field that they modify what its new value is.
//!
//! A contract is taken apart once. If each conjunct is the definition of a field (`x == e`), or one of the three that
//! together change one element of a sequence (its size stays, one element is `e`, all others stay), and all modified fields
//! are defined, there is exactly one solution wherever all that is read has a value. Elsewhere the effect is solved.

use crate::evaluate::{Code, Elements, Store, Word};
use crate::expression::{Binary, Builtin, Quantifier};

use super::explorer::Explorer;
use super::layout::{WHOLE, Write};
use super::program::Program;

/// The new value of a field.
#[derive(Clone)]
pub(super) enum Update {
    Whole {
        value: Code,
    },
    /// One element of a sequence: the value, or what is left of it behind the elements in front.
    Element {
        field: u32,
        index: Code,
        value: Code,
        front: Vec<Code>,
    },
}

/// What a contract says about the fields that it modifies.
#[derive(Clone)]
pub(super) struct Definition {
    updates: Vec<Update>,
}

/// What is known without solving.
pub(super) enum Direct {
    /// Nothing.
    Unknown,
    /// There is no solution.
    Blocked,
    /// What the modified fields become is in `defined`, in their order; this is the value of the open parameter.
    One(Option<Word>),
}

impl Definition {
    /// The definition of the modified fields, if the conjuncts are that and nothing else.
    pub(super) fn new(conjuncts: &[Code], modifies: &[u32]) -> Option<Definition> {
        let mut flat = Vec::new();
        conjuncts.iter().for_each(|code| flatten(code, &mut flat));
        let mut updates = Vec::new();
        for field in modifies {
            updates.push(take_update(*field, modifies, &mut flat)?);
        }
        flat.is_empty().then_some(Definition { updates })
    }

    /// Whether a parameter is only the first element of what a sequence had: then its value is found there.
    pub(super) fn opens(&self, parameter: u32) -> bool {
        let is_it = |code: &Code| matches!(code, Code::Variable(it) if *it == parameter);
        let mentions = |code: &Code| code.any(&is_it);
        let mut openings = 0;
        for update in &self.updates {
            match update {
                Update::Whole { value } if mentions(value) => return false,
                Update::Whole { .. } => {}
                Update::Element { index, value, front, .. } => {
                    if mentions(index) || mentions(value) {
                        return false;
                    }
                    match &front[..] {
                        [only] if is_it(only) => openings += 1,
                        others if others.iter().any(mentions) => return false,
                        _ => {}
                    }
                }
            }
        }
        openings == 1
    }
}

fn flatten<'c>(code: &'c Code, into: &mut Vec<&'c Code>) {
    match code {
        Code::Binary(Binary::And, a, b) => {
            flatten(a, into);
            flatten(b, into);
        }
        _ => into.push(code),
    }
}

/// Whether nothing that changes is read.
fn is_before(code: &Code, modifies: &[u32]) -> bool {
    !code.any(&|part| matches!(part, Code::Now(field) if modifies.contains(field)))
}

fn is_now(code: &Code, field: u32) -> bool {
    matches!(code, Code::Now(it) if *it == field)
}

fn builtin<'c>(code: &'c Code, wanted: &Builtin) -> Option<&'c [Code]> {
    match code {
        Code::Builtin(builtin, operands) if builtin == wanted => Some(operands),
        _ => None,
    }
}

/// The sides of an equation, in both orders.
fn sides(code: &Code) -> Vec<(&Code, &Code)> {
    match code {
        Code::Binary(Binary::Equal, a, b) => vec![(a, b), (b, a)],
        _ => Vec::new(),
    }
}

/// Takes the conjuncts away that define a field.
fn take_update(field: u32, modifies: &[u32], flat: &mut Vec<&Code>) -> Option<Update> {
    let whole = flat.iter().enumerate().find_map(|(at, code)| {
        let mut sides = sides(code).into_iter();
        let (_, value) = sides.find(|(a, b)| is_now(a, field) && is_before(b, modifies))?;
        Some((at, value.clone()))
    });
    if let Some((at, value)) = whole {
        flat.remove(at);
        return Some(Update::Whole { value });
    }
    let size = flat.iter().position(|code| keeps_size(code, field))?;
    flat.remove(size);
    let found = flat.iter().enumerate().find_map(|(at, code)| Some((at, element(code, field, modifies)?)));
    let (at, (index, value, front)) = found?;
    flat.remove(at);
    let others = flat.iter().position(|code| keeps_others(code, field, &index))?;
    flat.remove(others);
    Some(Update::Element { field, index, value, front })
}

/// `|x| == |\old(x)|`
fn keeps_size(code: &Code, field: u32) -> bool {
    sides(code).into_iter().any(|(a, b)| {
        let of = |code| builtin(code, &Builtin::Size).and_then(<[Code]>::first);
        of(a).is_some_and(|it| is_now(it, field))
            && of(b).is_some_and(|it| matches!(it, Code::Start(it) if *it == field))
    })
}

/// `x[i] == e`, or `[m] + x[i] == e`: index, value and what is in front.
fn element(code: &Code, field: u32, modifies: &[u32]) -> Option<(Code, Code, Vec<Code>)> {
    let at_index = |code: &Code| match builtin(code, &Builtin::At)? {
        [base, index] if is_now(base, field) && is_before(index, modifies) => Some(index.clone()),
        _ => None,
    };
    sides(code).into_iter().find_map(|(a, value)| {
        if !is_before(value, modifies) {
            return None;
        }
        if let Some(index) = at_index(a) {
            return Some((index, value.clone(), Vec::new()));
        }
        let [front, rest] = builtin(a, &Builtin::Concatenate)? else { return None };
        let front = builtin(front, &Builtin::SequenceOf)?;
        if !front.iter().all(|part| is_before(part, modifies)) {
            return None;
        }
        Some((at_index(rest)?, value.clone(), front.to_vec()))
    })
}

/// `(\forall int r; 0 <= r && r < |x| && r != i; x[r] == \old(x[r]))`
fn keeps_others(code: &Code, field: u32, index: &Code) -> bool {
    let Code::Quantified(Quantifier::All, binders, condition, body) = code else { return false };
    let [binder] = &binders[..] else { return false };
    if binder.range.is_some() || binder.ty != crate::types::Type::Integer {
        return false;
    }
    let is_bound = |code: &Code| matches!(code, Code::Variable(it) if *it == binder.variable);
    let element = |code: &Code, now: bool| match builtin(code, &Builtin::At) {
        Some([base, at]) => {
            is_bound(at)
                && match base {
                    Code::Now(it) => now && *it == field,
                    Code::Start(it) => !now && *it == field,
                    _ => false,
                }
        }
        _ => false,
    };
    if !sides(body).into_iter().any(|(a, b)| element(a, true) && element(b, false)) {
        return false;
    }
    let mut parts = Vec::new();
    flatten(condition, &mut parts);
    let is_zero = |code: &Code| matches!(code, Code::Constant(word) if *word == Word::FALSE);
    let is_size = |code: &Code| {
        builtin(code, &Builtin::Size)
            .and_then(<[Code]>::first)
            .is_some_and(|it| matches!(it, Code::Now(it) | Code::Start(it) if *it == field))
    };
    let (mut from, mut to, mut other) = (0, 0, 0);
    for part in parts {
        match part {
            Code::Binary(Binary::AtMost, a, b) if is_zero(a) && is_bound(b) => from += 1,
            Code::Binary(Binary::Less, a, b) if is_bound(a) && is_size(b) => to += 1,
            Code::Binary(Binary::Unequal, a, b)
                if is_bound(a) && **b == *index || is_bound(b) && **a == *index =>
            {
                other += 1;
            }
            _ => return false,
        }
    }
    (from, to, other) == (1, 1, 1)
}

impl Explorer<'_> {
    /// The effect of an action whose parameters have their values, except for one that may be open.
    pub(super) fn direct(&mut self, program: &Program, action: u32, open: Option<u32>) -> Direct {
        let Some(definition) = &program.actions[action as usize].definition else { return Direct::Unknown };
        let mut found = None;
        self.defined.clear();
        for (update, field) in definition.updates.iter().zip(&program.actions[action as usize].modifies) {
            match update {
                Update::Whole { value } => match self.in_state(value) {
                    Ok(word) => self.defined.push(Write { field: *field, element: WHOLE, word }),
                    Err(_) => return Direct::Unknown,
                },
                Update::Element { field, index, value, front } => {
                    match self.element_written(*field, (index, value), front, open, &mut found) {
                        Direct::One(_) => {}
                        other => return other,
                    }
                }
            }
        }
        Direct::One(found)
    }

    /// Adds what one element of a sequence becomes.
    fn element_written(
        &mut self,
        field: u32,
        (index, value): (&Code, &Code),
        front: &[Code],
        open: Option<u32>,
        found: &mut Option<Word>,
    ) -> Direct {
        let (Ok(index), Ok(value)) = (self.in_state(index), self.in_state(value)) else {
            return Direct::Unknown;
        };
        let mut wanted = Vec::new();
        for part in front {
            match (part, open) {
                (Code::Variable(it), Some(open)) if *it == open => wanted.push(None),
                _ => match self.in_state(part) {
                    Ok(word) => wanted.push(Some(word)),
                    Err(_) => return Direct::Unknown,
                },
            }
        }
        let place = index.as_small().and_then(|index| usize::try_from(index).ok());
        let (size, whole) = match self.here.size(field) {
            Some(size) => (size, None),
            None => {
                let whole = Store::whole(&mut self.here, &mut self.table, field);
                (self.table.sequence(whole).map_or(0, Elements::len), Some(whole))
            }
        };
        let Some(place) = place.filter(|place| *place < size) else { return Direct::Unknown };
        let value = match wanted.is_empty() {
            true => value,
            false => match self.behind(value, &wanted, found) {
                Some(Some(rest)) => rest,
                Some(None) => return Direct::Blocked,
                None => return Direct::Unknown,
            },
        };
        let write = match whole {
            None => Write { field, element: place as u32, word: value },
            Some(whole) => match self.table.changed(whole, place, value) {
                Some(word) => Write { field, element: WHOLE, word },
                None => return Direct::Unknown,
            },
        };
        self.defined.push(write);
        Direct::One(None)
    }

    /// What is left of a sequence behind some elements; one that is open gets its value.
    fn behind(
        &mut self,
        sequence: Word,
        front: &[Option<Word>],
        found: &mut Option<Word>,
    ) -> Option<Option<Word>> {
        let elements = self.table.sequence(sequence)?;
        if elements.len() < front.len() {
            return Some(None);
        }
        for (element, wanted) in elements.iter().zip(front) {
            match wanted {
                Some(wanted) if *wanted != element => return Some(None),
                Some(_) => {}
                None => *found = Some(element),
            }
        }
        self.table.behind(sequence, front.len()).map(Some)
    }
}
