//! What a condition that is true, or false, says about the cells in it.

use crate::evaluate::{Code, Stop, Word, arithmetic, members, values_of};
use crate::expression::{Binary, Builtin, Quantifier};

use super::partial::{Learned, Partial};
use super::solver::{Solver, Status};

impl Solver<'_> {
    /// Learns from a condition that has no value yet.
    pub(super) fn constrain(&mut self, code: &Code, truth: bool) -> Status {
        match code {
            Code::Not(inner) => self.assign(inner, Word::boolean(!truth)),
            Code::Binary(Binary::And, a, b) if truth => self.both(a, true, b, true),
            Code::Binary(Binary::Or, a, b) if !truth => self.both(a, false, b, false),
            Code::Binary(Binary::Implies, a, b) if !truth => self.both(a, true, b, false),
            Code::Binary(Binary::And, a, b) => self.one_of(a, false, b, false),
            Code::Binary(Binary::Or, a, b) => self.one_of(a, true, b, true),
            Code::Binary(Binary::Implies, a, b) => self.one_of(a, false, b, true),
            Code::Binary(Binary::Equal, a, b) if truth => self.equation(a, b),
            Code::Binary(Binary::Unequal, a, b) if !truth => self.equation(a, b),
            Code::Binary(operator @ (Binary::Less | Binary::AtMost), a, b) => {
                let strict = (*operator == Binary::Less) == truth;
                if truth { self.ordered(a, b, strict) } else { self.ordered(b, a, strict) }
            }
            Code::Quantified(Quantifier::All, binders, condition, body) if truth => {
                self.for_all(binders, condition, body, true)
            }
            Code::Quantified(Quantifier::Some, binders, condition, body) if !truth => {
                self.for_all(binders, condition, body, false)
            }
            Code::Builtin(Builtin::Contains, operands) if truth => match &operands[..] {
                [element, collection] => self.member(element, collection),
                _ => Status::Open,
            },
            _ => Status::Open,
        }
    }

    fn both(&mut self, a: &Code, a_truth: bool, b: &Code, b_truth: bool) -> Status {
        let first = self.assign(a, Word::boolean(a_truth));
        if first == Status::Conflict {
            return first;
        }
        first.and(self.assign(b, Word::boolean(b_truth)))
    }

    /// One of two conditions is as wanted: if one is known not to be, the other is.
    fn one_of(&mut self, a: &Code, a_truth: bool, b: &Code, b_truth: bool) -> Status {
        if let Ok(word) = self.evaluate(a)
            && word != Word::boolean(a_truth)
        {
            return self.assign(b, Word::boolean(b_truth));
        }
        if let Ok(word) = self.evaluate(b)
            && word != Word::boolean(b_truth)
        {
            return self.assign(a, Word::boolean(a_truth));
        }
        Status::Open
    }

    fn equation(&mut self, a: &Code, b: &Code) -> Status {
        if let Ok(word) = self.evaluate(b) {
            return self.assign(a, word);
        }
        if let Ok(word) = self.evaluate(a) {
            return self.assign(b, word);
        }
        let (Code::Builtin(first, x), Code::Builtin(second, y)) = (a, b) else { return Status::Open };
        // Two values that are built the same way have equal parts.
        let is_free = matches!(
            first,
            Builtin::Pair
                | Builtin::Present
                | Builtin::Left
                | Builtin::Right
                | Builtin::SequenceOf
                | Builtin::Construct(_)
        );
        if !is_free || first != second {
            return Status::Open;
        }
        if x.len() != y.len() {
            return Status::Conflict;
        }
        x.iter().zip(y).fold(Status::Done, |status, (a, b)| match status {
            Status::Conflict => status,
            _ => status.and(self.equation_or_open(a, b)),
        })
    }

    fn equation_or_open(&mut self, a: &Code, b: &Code) -> Status {
        match (self.evaluate(a), self.evaluate(b)) {
            (Ok(a), Ok(b)) => {
                if a == b {
                    Status::Done
                } else {
                    Status::Conflict
                }
            }
            _ => self.equation(a, b),
        }
    }

    /// `a < b` or `a <= b`, where one of them has a value: the other has a bound.
    fn ordered(&mut self, a: &Code, b: &Code, strict: bool) -> Status {
        if let Ok(bound) = self.evaluate(b) {
            self.bounded(a, bound, i64::from(strict), false);
        } else if let Ok(bound) = self.evaluate(a) {
            self.bounded(b, bound, i64::from(strict), true);
        }
        // The bound is kept, and the condition is evaluated at the end all the same.
        Status::Open
    }

    fn bounded(&mut self, code: &Code, bound: Word, strict: i64, from_below: bool) {
        if let Code::Binary(operator @ (Binary::Add | Binary::Subtract), a, b) = code {
            let back = if *operator == Binary::Add { Binary::Subtract } else { Binary::Add };
            if let Ok(amount) = self.evaluate(b)
                && let Ok(bound) = arithmetic(self.table, back, bound, amount)
            {
                self.bounded(a, bound, strict, from_below);
            } else if *operator == Binary::Add
                && let Ok(amount) = self.evaluate(a)
                && let Ok(bound) = arithmetic(self.table, back, bound, amount)
            {
                self.bounded(b, bound, strict, from_below);
            }
            return;
        }
        let Some(bound) = bound.as_small() else { return };
        let Some((cell, steps)) = self.evaluating(|evaluator, view| view.place(evaluator, code)) else {
            return;
        };
        self.learn(cell, &steps, |_, partial, ty| {
            if *ty != crate::types::Type::Integer {
                return Learned::Nothing;
            }
            let (low, high) = match partial {
                Partial::Unknown => (None, None),
                Partial::Bounded(low, high) => (*low, *high),
                _ => return Learned::Nothing,
            };
            let new = match from_below {
                true => (Some(low.map_or(bound + strict, |low| low.max(bound + strict))), high),
                false => (low, Some(high.map_or(bound - strict, |high| high.min(bound - strict)))),
            };
            if let (Some(low), Some(high)) = new
                && low > high
            {
                return Learned::Conflict;
            }
            if *partial == Partial::Bounded(new.0, new.1) {
                return Learned::Nothing;
            }
            *partial = Partial::Bounded(new.0, new.1);
            Learned::Something
        });
    }

    /// An element of a collection that has a value: none, one, or several to try.
    fn member(&mut self, element: &Code, collection: &Code) -> Status {
        let Ok(word) = self.evaluate(collection) else { return Status::Open };
        let found = self.evaluating(|evaluator, _| members(evaluator, word));
        match found.as_deref() {
            Some([]) => Status::Conflict,
            Some([only]) => self.assign(element, *only),
            _ => Status::Open,
        }
    }

    /// The body is as wanted for all values for which the condition is true.
    fn for_all(
        &mut self,
        binders: &[crate::evaluate::CodeBinder],
        condition: &Code,
        body: &Code,
        truth: bool,
    ) -> Status {
        let Some((binder, others)) = binders.split_first() else {
            return match self.evaluate(condition) {
                Ok(Word::TRUE) => self.assign(body, Word::boolean(truth)),
                Ok(_) => Status::Done,
                Err(_) => Status::Open,
            };
        };
        let later: Vec<u32> = others.iter().map(|binder| binder.variable).collect();
        let quantifier = if truth { Quantifier::All } else { Quantifier::Some };
        let values: Result<Vec<Word>, Stop> =
            self.evaluating(|evaluator, _| values_of(evaluator, binder, &later, condition, body, quantifier));
        let Ok(values) = values else { return Status::Open };
        let mut status = Status::Done;
        for value in values {
            let next = self
                .bound(&[(binder.variable, value)], |solver| solver.for_all(others, condition, body, truth));
            status = status.and(next);
            if status == Status::Conflict {
                break;
            }
        }
        status
    }
}
