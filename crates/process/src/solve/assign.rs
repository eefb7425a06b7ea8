//! An expression is turned around: what its parts are if the whole has a value.

use crate::evaluate::{Code, Elements, Stop, Stored, Word, arithmetic, negate};
use crate::expression::{Binary, Builtin};

use super::partial::{Learned, Partial, Step};
use super::solver::{Solver, Status};

impl Solver<'_> {
    /// Learns from an expression that it has a value. Its depth is that of the expression.
    pub(super) fn assign(&mut self, code: &Code, word: Word) -> Status {
        match self.evaluate(code) {
            Ok(found) if found == word => return Status::Done,
            Ok(_) => return Status::Conflict,
            Err(Stop::Unknown) => {}
            // What is undefined now may be unreachable later; the last evaluation says so.
            Err(_) => return Status::Open,
        }
        if let Some((cell, steps)) = self.evaluating(|evaluator, view| view.place(evaluator, code)) {
            return self.learn(cell, &steps, |table, partial, ty| partial.unify(table, ty, word));
        }
        match code {
            Code::Negate(a) => match negate(self.table, word) {
                Ok(word) => self.assign(a, word),
                Err(_) => Status::Open,
            },
            Code::Binary(Binary::Add | Binary::Subtract | Binary::Multiply, ..) => self.unwind(code, word),
            Code::Conditional(condition, then, otherwise) => match self.evaluate(condition) {
                Ok(Word::TRUE) => self.assign(then, word),
                Ok(_) => self.assign(otherwise, word),
                Err(_) => Status::Open,
            },
            Code::Let(variable, value, body) => match self.evaluate(value) {
                Ok(value) => self.bound(&[(*variable, value)], |solver| solver.assign(body, word)),
                Err(_) => Status::Open,
            },
            Code::Builtin(builtin, operands) if *builtin != Builtin::Contains => {
                self.build(builtin, operands, word)
            }
            _ if word == Word::TRUE || word == Word::FALSE => self.constrain(code, word == Word::TRUE),
            _ => Status::Open,
        }
    }

    /// Arithmetic with one operand that has a value.
    fn unwind(&mut self, code: &Code, word: Word) -> Status {
        let Code::Binary(operator, a, b) = code else { return Status::Open };
        let (left, right) = (self.evaluate(a), self.evaluate(b));
        let back = match (operator, left, right) {
            (Binary::Add, Ok(left), _) => {
                arithmetic(self.table, Binary::Subtract, word, left).map(|it| (b, it))
            }
            (Binary::Add, _, Ok(right)) => {
                arithmetic(self.table, Binary::Subtract, word, right).map(|it| (a, it))
            }
            (Binary::Subtract, Ok(left), _) => {
                arithmetic(self.table, Binary::Subtract, left, word).map(|it| (b, it))
            }
            (Binary::Subtract, _, Ok(right)) => {
                arithmetic(self.table, Binary::Add, word, right).map(|it| (a, it))
            }
            (Binary::Multiply, Ok(factor), _) => self.factor(factor, word).map(|it| (b, it)),
            (Binary::Multiply, _, Ok(factor)) => self.factor(factor, word).map(|it| (a, it)),
            _ => return Status::Open,
        };
        match back {
            Ok((operand, word)) => self.assign(operand, word),
            Err(_) => Status::Open,
        }
    }

    /// The other factor of a product; where this one is zero it can be anything.
    fn factor(&mut self, factor: Word, product: Word) -> Result<Word, Stop> {
        arithmetic(self.table, Binary::Divide, product, factor)
    }

    fn build(&mut self, builtin: &Builtin, operands: &[Code], word: Word) -> Status {
        match (builtin, operands) {
            (Builtin::Concatenate, [a, b]) => self.joined(a, b, word),
            (Builtin::SequenceOf, parts) => match self.table.sequence(word) {
                Some(elements) if elements.len() == parts.len() => {
                    let elements = elements.to_vec();
                    self.each(parts, &elements)
                }
                _ => Status::Conflict,
            },
            (Builtin::Pair, parts) => match self.table.stored(word) {
                Some(Stored::Pair(first, second)) => {
                    let both = [*first, *second];
                    self.each(parts, &both)
                }
                _ => Status::Conflict,
            },
            (Builtin::Present | Builtin::Left | Builtin::Right, [part]) => {
                match (builtin, self.table.stored(word)) {
                    (Builtin::Present, Some(Stored::Present(it)))
                    | (Builtin::Left, Some(Stored::Left(it)))
                    | (Builtin::Right, Some(Stored::Right(it))) => {
                        let it = *it;
                        self.assign(part, it)
                    }
                    _ => Status::Conflict,
                }
            }
            (Builtin::Construct(number), parts) => match self.table.stored(word) {
                Some(Stored::Built(by, arguments)) if by == number && arguments.len() == parts.len() => {
                    let arguments = arguments.to_vec();
                    self.each(parts, &arguments)
                }
                _ => Status::Conflict,
            },
            (Builtin::SetOf, [part]) => match self.table.stored(word) {
                Some(Stored::Set(elements)) if elements.len() == 1 => {
                    let only = elements[0];
                    self.assign(part, only)
                }
                Some(Stored::Set(_)) => Status::Conflict,
                _ => Status::Open,
            },
            (Builtin::Size, [part]) => self.sized(part, word),
            (Builtin::Updated, [base, index, value]) => self.changed_at(base, index, value, word),
            (Builtin::Drop, [base, count]) => self.dropped(base, count, word),
            (Builtin::ToRational, [part]) => self.assign(part, word),
            (Builtin::Absent, _) => Status::Open,
            _ => Status::Open,
        }
    }

    fn each(&mut self, parts: &[Code], words: &[Word]) -> Status {
        let mut status = Status::Done;
        for (part, word) in parts.iter().zip(words) {
            status = status.and(self.assign(part, *word));
            if status == Status::Conflict {
                break;
            }
        }
        status
    }

    /// The size of an expression whose elements need not be known.
    fn size_of(&mut self, code: &Code) -> Option<usize> {
        if let Code::Builtin(Builtin::SequenceOf, parts) = code {
            return Some(parts.len());
        }
        let size = Code::Builtin(Builtin::Size, vec![code.clone()]);
        usize::try_from(self.evaluate(&size).ok()?.as_small()?).ok()
    }

    /// `a + b` is a sequence: one of them is known, or its size is.
    fn joined(&mut self, a: &Code, b: &Code, word: Word) -> Status {
        let Some(elements) = self.table.sequence(word).map(Elements::to_vec) else { return Status::Open };
        let split = match (self.size_of(a), self.size_of(b)) {
            (Some(size), _) => Some(size),
            (None, Some(size)) => match elements.len().checked_sub(size) {
                Some(size) => Some(size),
                None => return Status::Conflict,
            },
            (None, None) => None,
        };
        match split {
            Some(size) if size > elements.len() => Status::Conflict,
            Some(size) => {
                let (front, back) = elements.split_at(size);
                let front = self.table.intern(Stored::Sequence(front.into()));
                let back = self.table.intern(Stored::Sequence(back.into()));
                let first = self.assign(a, front);
                if first == Status::Conflict { first } else { first.and(self.assign(b, back)) }
            }
            None => Status::Open,
        }
    }

    /// `|part|` is a number.
    fn sized(&mut self, part: &Code, word: Word) -> Status {
        let Some(size) = word.as_small() else { return Status::Open };
        let Ok(size) = usize::try_from(size) else { return Status::Conflict };
        let Some((cell, steps)) = self.evaluating(|evaluator, view| view.place(evaluator, part)) else {
            return Status::Open;
        };
        self.learn(cell, &steps, |_, partial, ty| {
            if !matches!(ty, crate::types::Type::Sequence(_)) || size > crate::limits::ELEMENTS {
                return Learned::Nothing;
            }
            match partial {
                Partial::Unknown => {
                    *partial = Partial::Sequence { size: Some(size), elements: Vec::new() };
                    Learned::Something
                }
                Partial::Sequence { size: known, elements } => match known {
                    Some(known) if *known == size => Learned::Nothing,
                    Some(_) => Learned::Conflict,
                    None => {
                        *known = Some(size);
                        elements.retain(|(index, _)| *index < size);
                        Learned::Something
                    }
                },
                _ => Learned::Nothing,
            }
        })
    }

    /// A sequence with one element changed has a value: that element, and all others of the sequence.
    fn changed_at(&mut self, base: &Code, index: &Code, value: &Code, word: Word) -> Status {
        let (Some(elements), Ok(at)) =
            (self.table.sequence(word).map(Elements::to_vec), self.evaluate(index))
        else {
            return Status::Open;
        };
        let Some(at) = at.as_small().and_then(|at| usize::try_from(at).ok()) else { return Status::Open };
        let Some(new) = elements.get(at) else { return Status::Open };
        let mut status = self.assign(value, *new);
        if status == Status::Conflict {
            return status;
        }
        let Some((cell, steps)) = self.evaluating(|evaluator, view| view.place(evaluator, base)) else {
            return Status::Open;
        };
        let size = Word::small(elements.len() as i64).map_or(Status::Open, |size| self.sized(base, size));
        status = status.and(size);
        for (index, element) in elements.iter().enumerate().filter(|(index, _)| *index != at) {
            let Some(step) = Word::small(index as i64) else { return Status::Open };
            let mut steps = steps.clone();
            steps.push(Step::At(step));
            let next = self.learn(cell, &steps, |table, partial, ty| partial.unify(table, ty, *element));
            status = status.and(next);
        }
        status
    }

    /// A sequence without its first elements has a value.
    fn dropped(&mut self, base: &Code, count: &Code, word: Word) -> Status {
        let (Some(elements), Ok(count)) =
            (self.table.sequence(word).map(Elements::to_vec), self.evaluate(count))
        else {
            return Status::Open;
        };
        let Some(count) = count.as_small() else { return Status::Open };
        let count = count.max(0);
        let Some((cell, steps)) = self.evaluating(|evaluator, view| view.place(evaluator, base)) else {
            return Status::Open;
        };
        if elements.is_empty() {
            return Status::Open;
        }
        if let Some(size) = Word::small(count + elements.len() as i64) {
            let status = self.sized(base, size);
            if status == Status::Conflict {
                return status;
            }
        }
        for (index, element) in elements.iter().enumerate() {
            let Some(step) = Word::small(count + index as i64) else { return Status::Open };
            let mut steps = steps.clone();
            steps.push(Step::At(step));
            let next = self.learn(cell, &steps, |table, partial, ty| partial.unify(table, ty, *element));
            if next == Status::Conflict {
                return next;
            }
        }
        Status::Open
    }
}
