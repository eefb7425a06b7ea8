//! Where nothing more is learned: the alternatives of a condition, each to be tried.

use crate::evaluate::{Code, CodeBinder, Stored, Word, members, values_of};
use crate::expression::{Binary, Builtin, Quantifier};

use super::solver::{Solver, Task};

type Alternatives<'c> = Option<Vec<Vec<Task<'c>>>>;

fn task(code: &Code, wanted: Word) -> Task<'_> {
    Task { code, wanted, bindings: Vec::new() }
}

impl Solver<'_> {
    /// The alternatives of which one must be so if the expression has the value; none where there are no such.
    pub(super) fn split<'c>(&mut self, code: &'c Code, word: Word) -> Alternatives<'c> {
        if self.evaluate(code).is_ok() {
            return None;
        }
        let truth = word == Word::TRUE;
        match code {
            Code::Not(inner) => self.split(inner, Word::boolean(!truth)),
            Code::Binary(Binary::And, a, b) if truth => {
                self.split(a, Word::TRUE).or_else(|| self.split(b, Word::TRUE))
            }
            Code::Binary(Binary::Or, a, b) if !truth => {
                self.split(a, Word::FALSE).or_else(|| self.split(b, Word::FALSE))
            }
            Code::Binary(Binary::Implies, a, b) if !truth => {
                self.split(a, Word::TRUE).or_else(|| self.split(b, Word::FALSE))
            }
            Code::Binary(Binary::And, a, b) => self.either(code, (a, Word::FALSE), (b, Word::FALSE)),
            Code::Binary(Binary::Or, a, b) => self.either(code, (a, Word::TRUE), (b, Word::TRUE)),
            Code::Binary(Binary::Implies, a, b) => self.either(code, (a, Word::FALSE), (b, Word::TRUE)),
            Code::Binary(Binary::Equal, a, b) if truth => self.split_equation(a, b),
            Code::Binary(Binary::Unequal, a, b) if !truth => self.split_equation(a, b),
            Code::Conditional(condition, then, otherwise) => match self.evaluate(condition) {
                Ok(Word::TRUE) => self.split(then, word),
                Ok(_) => self.split(otherwise, word),
                Err(_) if self.is_new(code) => Some(vec![
                    vec![task(condition, Word::TRUE), task(then, word)],
                    vec![task(condition, Word::FALSE), task(otherwise, word)],
                ]),
                Err(_) => None,
            },
            Code::Builtin(Builtin::Contains, operands) if truth => {
                let [element, collection] = &operands[..] else { return None };
                let collection = self.evaluate(collection).ok()?;
                let found = self.evaluating(|evaluator, _| members(evaluator, collection))?;
                if !self.is_new(code) {
                    return None;
                }
                Some(found.into_iter().map(|member| vec![task(element, member)]).collect())
            }
            Code::Builtin(Builtin::Concatenate, operands) => {
                let [a, b] = &operands[..] else { return None };
                let elements = self.table.sequence(word)?.to_vec();
                if !self.is_new(code) {
                    return None;
                }
                let mut all = Vec::new();
                for size in 0..=elements.len() {
                    let (front, back) = elements.split_at(size);
                    let front = self.table.intern(Stored::Sequence(front.into()));
                    let back = self.table.intern(Stored::Sequence(back.into()));
                    all.push(vec![task(a, front), task(b, back)]);
                }
                Some(all)
            }
            Code::Quantified(Quantifier::Some, binders, condition, body) if truth && self.is_new(code) => {
                self.split_some(binders, condition, body, true)
            }
            Code::Quantified(Quantifier::All, binders, condition, body) if !truth && self.is_new(code) => {
                self.split_some(binders, condition, body, false)
            }
            Code::Quantified(Quantifier::All, binders, condition, body) if truth => {
                self.split_all(binders, condition, body, true)
            }
            Code::Quantified(Quantifier::Some, binders, condition, body) if !truth => {
                self.split_all(binders, condition, body, false)
            }
            _ => None,
        }
    }

    fn either<'c>(&mut self, code: &'c Code, a: (&'c Code, Word), b: (&'c Code, Word)) -> Alternatives<'c> {
        match (self.evaluate(a.0), self.evaluate(b.0)) {
            // Only the other side is left, and it was learned from.
            (Ok(word), _) if word != a.1 => self.split(b.0, b.1),
            (_, Ok(word)) if word != b.1 => self.split(a.0, a.1),
            _ if self.is_new(code) => Some(vec![vec![task(a.0, a.1)], vec![task(b.0, b.1)]]),
            // One of them is being tried, and is a task of its own.
            _ => None,
        }
    }

    fn split_equation<'c>(&mut self, a: &'c Code, b: &'c Code) -> Alternatives<'c> {
        if let Ok(word) = self.evaluate(b) {
            return self.split(a, word);
        }
        if let Ok(word) = self.evaluate(a) {
            return self.split(b, word);
        }
        match (a, b) {
            (Code::Conditional(condition, ..), _) | (_, Code::Conditional(condition, ..))
                if self.evaluate(condition).is_err() && self.is_new(condition) =>
            {
                Some(vec![vec![task(condition, Word::TRUE)], vec![task(condition, Word::FALSE)]])
            }
            _ => None,
        }
    }

    fn split_some<'c>(
        &mut self,
        binders: &'c [CodeBinder],
        condition: &'c Code,
        body: &'c Code,
        truth: bool,
    ) -> Alternatives<'c> {
        let Some((binder, others)) = binders.split_first() else {
            return Some(vec![vec![task(condition, Word::TRUE), task(body, Word::boolean(truth))]]);
        };
        let quantifier = if truth { Quantifier::Some } else { Quantifier::All };
        let later: Vec<u32> = others.iter().map(|binder| binder.variable).collect();
        let values =
            self.evaluating(|evaluator, _| values_of(evaluator, binder, &later, condition, body, quantifier));
        let mut all = Vec::new();
        for value in values.ok()? {
            let binding = (binder.variable, value);
            let inner = self.bound(&[binding], |solver| solver.split_some(others, condition, body, truth))?;
            all.extend(inner.into_iter().map(|tasks| with_binding(tasks, binding)));
        }
        Some(all)
    }

    fn split_all<'c>(
        &mut self,
        binders: &'c [CodeBinder],
        condition: &'c Code,
        body: &'c Code,
        truth: bool,
    ) -> Alternatives<'c> {
        let Some((binder, others)) = binders.split_first() else {
            return match self.evaluate(condition) {
                Ok(Word::TRUE) => self.split(body, Word::boolean(truth)),
                Ok(_) => None,
                Err(_) if self.is_new(condition) => Some(vec![
                    vec![task(condition, Word::FALSE)],
                    vec![task(condition, Word::TRUE), task(body, Word::boolean(truth))],
                ]),
                Err(_) => None,
            };
        };
        let quantifier = if truth { Quantifier::All } else { Quantifier::Some };
        let later: Vec<u32> = others.iter().map(|binder| binder.variable).collect();
        let values =
            self.evaluating(|evaluator, _| values_of(evaluator, binder, &later, condition, body, quantifier));
        for value in values.ok()? {
            let binding = (binder.variable, value);
            let inner = self.bound(&[binding], |solver| solver.split_all(others, condition, body, truth));
            if let Some(inner) = inner {
                return Some(inner.into_iter().map(|tasks| with_binding(tasks, binding)).collect());
            }
        }
        None
    }
}

fn with_binding(mut tasks: Vec<Task<'_>>, binding: (u32, Word)) -> Vec<Task<'_>> {
    tasks.iter_mut().for_each(|task| task.bindings.insert(0, binding));
    tasks
}
