//! Quantifiers, sums and comprehensions: over ranges, over what the condition bounds, and over types with few values.

use crate::expression::{Binary, Builtin, Quantifier};
use crate::limits;
use crate::types::Type;

use super::code::{Code, CodeBinder};
use super::evaluator::{Evaluator, Stop};
use super::numbers;
use super::words::{Stored, Word};

/// The value of a quantified expression.
pub(super) fn quantified(
    evaluator: &mut Evaluator<'_>,
    quantifier: Quantifier,
    binders: &[CodeBinder],
    condition: &Code,
    body: &Code,
) -> Result<Word, Stop> {
    let mut result = Gathered { quantifier, sum: Word::FALSE, elements: Vec::new(), decided: None };
    walk(evaluator, binders, condition, body, &mut result)?;
    match quantifier {
        Quantifier::All => Ok(result.decided.unwrap_or(Word::TRUE)),
        Quantifier::Some => Ok(result.decided.unwrap_or(Word::FALSE)),
        Quantifier::Sum => Ok(result.sum),
        Quantifier::SetOf => Ok(evaluator.table.set(result.elements)),
    }
}

struct Gathered {
    quantifier: Quantifier,
    sum: Word,
    elements: Vec<Word>,
    decided: Option<Word>,
}

fn walk(
    evaluator: &mut Evaluator<'_>,
    binders: &[CodeBinder],
    condition: &Code,
    body: &Code,
    result: &mut Gathered,
) -> Result<(), Stop> {
    let Some((binder, others)) = binders.split_first() else {
        return case(evaluator, condition, body, result);
    };
    let later: Vec<u32> = others.iter().map(|binder| binder.variable).collect();
    for value in values_of(evaluator, binder, &later, condition, body, result.quantifier)? {
        evaluator
            .with(binder.variable, value, |evaluator| walk(evaluator, others, condition, body, result))?;
        if result.decided.is_some() {
            return Ok(());
        }
    }
    Ok(())
}

fn case(
    evaluator: &mut Evaluator<'_>,
    condition: &Code,
    body: &Code,
    result: &mut Gathered,
) -> Result<(), Stop> {
    evaluator.steps += 1;
    if !evaluator.truth(condition)? {
        return Ok(());
    }
    match result.quantifier {
        Quantifier::All | Quantifier::Some => {
            let truth = evaluator.truth(body)?;
            if Evaluator::decides(result.quantifier, truth) {
                result.decided = Some(Word::boolean(truth));
            }
        }
        Quantifier::Sum => {
            let value = evaluator.word(body)?;
            result.sum = numbers::binary(evaluator.table, Binary::Add, result.sum, value)?;
        }
        Quantifier::SetOf => {
            let value = evaluator.word(body)?;
            result.elements.push(value);
            if result.elements.len() > limits::ELEMENTS {
                return Err(Stop::Budget);
            }
        }
    }
    Ok(())
}

/// The values of a bound variable: its range, what conditions around the body bound it to, or all of its type.
/// `later` are variables that are bound inside and have no value yet.
pub(crate) fn values_of(
    evaluator: &mut Evaluator<'_>,
    binder: &CodeBinder,
    later: &[u32],
    condition: &Code,
    body: &Code,
    quantifier: Quantifier,
) -> Result<Vec<Word>, Stop> {
    if let Some((low, high)) = &binder.range {
        let (low, high) = (evaluator.word(low)?, evaluator.word(high)?);
        return integers(evaluator, low, high);
    }
    let mut bounds = Bounds { variable: binder.variable, later, low: None, high: None, members: None };
    bounds.look(evaluator, condition, true)?;
    // What a universal statement supposes, and what an existential one says, bounds it as well.
    match (quantifier, body) {
        (Quantifier::All, Code::Binary(Binary::Implies, left, _)) => bounds.look(evaluator, left, true)?,
        (Quantifier::All, Code::Binary(Binary::Or, left, _)) => bounds.look(evaluator, left, false)?,
        (Quantifier::Some, body) => bounds.look(evaluator, body, true)?,
        _ => {}
    }
    if let Some(mut members) = bounds.members {
        // In an order that does not depend on who has numbered them when: where one decides and another one is undefined, it
        // matters which comes first.
        if members.iter().any(|member| member.as_small().is_none()) {
            members.sort_by_cached_key(|member| evaluator.table.value(*member, &binder.ty));
        }
        return Ok(members);
    }
    if let (Some(low), Some(high)) = (bounds.low, bounds.high) {
        return integers(evaluator, low, high);
    }
    all_of(&binder.ty, evaluator.enumerations)
        .ok_or(Stop::Undefined("nothing bounds the values of a variable"))
}

/// All values of a type with few of them.
pub(crate) fn all_of(ty: &Type, enumerations: &[u32]) -> Option<Vec<Word>> {
    match ty {
        Type::Boolean => Some(vec![Word::FALSE, Word::TRUE]),
        // None of the constants is a value, too.
        Type::Enumeration(id) => {
            let count = enumerations.get(id.0 as usize)?;
            (0..=i64::from(*count)).map(Word::small).collect()
        }
        _ => None,
    }
}

fn integers(evaluator: &mut Evaluator<'_>, low: Word, high: Word) -> Result<Vec<Word>, Stop> {
    let number = |word: Word| word.as_small().ok_or(Stop::Budget);
    let (low, high) = (number(low)?, number(high)?);
    let count = usize::try_from((high - low).max(0)).unwrap_or(usize::MAX);
    if count > limits::ELEMENTS {
        return Err(Stop::Budget);
    }
    evaluator.steps += count as u64;
    (low..high).map(|value| Word::small(value).ok_or(Stop::Budget)).collect()
}

/// What conditions say about a variable.
struct Bounds<'b> {
    variable: u32,
    later: &'b [u32],
    low: Option<Word>,
    /// Not included.
    high: Option<Word>,
    members: Option<Vec<Word>>,
}

impl Bounds<'_> {
    fn is_it(&self, code: &Code) -> bool {
        matches!(code, Code::Variable(variable) if *variable == self.variable)
    }

    /// A bound that does not depend on the variable or on those inside; none where it has no value.
    fn bound(&self, evaluator: &mut Evaluator<'_>, code: &Code) -> Result<Option<Word>, Stop> {
        let depends =
            |part: &Code| self.is_it(part) || matches!(part, Code::Variable(it) if self.later.contains(it));
        if code.any(&depends) {
            return Ok(None);
        }
        match evaluator.word(code) {
            Ok(word) => Ok(Some(word)),
            Err(Stop::Unknown) => Err(Stop::Unknown),
            Err(_) => Ok(None),
        }
    }

    /// Looks at a condition that is true, or false.
    fn look(&mut self, evaluator: &mut Evaluator<'_>, code: &Code, truth: bool) -> Result<(), Stop> {
        match code {
            Code::Not(inner) => self.look(evaluator, inner, !truth)?,
            Code::Binary(Binary::And, a, b) if truth => {
                self.look(evaluator, a, truth)?;
                self.look(evaluator, b, truth)?;
            }
            Code::Binary(Binary::Or, a, b) if !truth => {
                self.look(evaluator, a, truth)?;
                self.look(evaluator, b, truth)?;
            }
            Code::Binary(Binary::Implies, a, b) if !truth => {
                self.look(evaluator, a, true)?;
                self.look(evaluator, b, false)?;
            }
            Code::Binary(operator @ (Binary::Less | Binary::AtMost), a, b) => {
                // `a < b`, or its negation `b <= a`.
                let (a, b, strict) = match truth {
                    true => (a, b, *operator == Binary::Less),
                    false => (b, a, *operator == Binary::AtMost),
                };
                if self.is_it(a) {
                    if let Some(bound) = self.bound(evaluator, b)? {
                        self.add_high(evaluator, bound, !strict)?;
                    }
                } else if self.is_it(b)
                    && let Some(bound) = self.bound(evaluator, a)?
                {
                    self.add_low(evaluator, bound, strict)?;
                }
            }
            Code::Binary(operator @ (Binary::Equal | Binary::Unequal), a, b)
                if (*operator == Binary::Equal) == truth =>
            {
                let other = if self.is_it(a) { b } else { a };
                if (self.is_it(a) || self.is_it(b))
                    && let Some(word) = self.bound(evaluator, other)?
                {
                    self.members.get_or_insert_with(|| vec![word]);
                }
            }
            Code::Builtin(Builtin::Contains, operands) if truth => {
                if let [element, collection] = &operands[..]
                    && self.is_it(element)
                    && let Some(collection) = self.bound(evaluator, collection)?
                {
                    let members = members(evaluator, collection);
                    self.members = self.members.take().or(members);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn add_high(&mut self, evaluator: &mut Evaluator<'_>, bound: Word, included: bool) -> Result<(), Stop> {
        let one = Word::boolean(included);
        let bound = numbers::binary(evaluator.table, Binary::Add, bound, one)?;
        let tighter = match self.high {
            Some(before) => numbers::binary(evaluator.table, Binary::Less, bound, before)? == Word::TRUE,
            None => true,
        };
        if tighter {
            self.high = Some(bound);
        }
        Ok(())
    }

    fn add_low(&mut self, evaluator: &mut Evaluator<'_>, bound: Word, excluded: bool) -> Result<(), Stop> {
        let one = Word::boolean(excluded);
        let bound = numbers::binary(evaluator.table, Binary::Add, bound, one)?;
        let tighter = match self.low {
            Some(before) => numbers::binary(evaluator.table, Binary::Less, before, bound)? == Word::TRUE,
            None => true,
        };
        if tighter {
            self.low = Some(bound);
        }
        Ok(())
    }
}

/// The elements of a collection, the keys of a map.
pub(crate) fn members(evaluator: &Evaluator<'_>, collection: Word) -> Option<Vec<Word>> {
    if let Some(elements) = evaluator.table.sequence(collection) {
        let mut found = elements.to_vec();
        found.sort_unstable();
        found.dedup();
        return Some(found);
    }
    match evaluator.table.stored(collection)? {
        Stored::Set(it) => Some(it.to_vec()),
        Stored::Bag(it) => Some(it.iter().map(|(element, _)| *element).collect()),
        Stored::Map(it) => Some(it.iter().map(|(key, _)| *key).collect()),
        _ => None,
    }
}
