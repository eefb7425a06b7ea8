//! From a normal form back to a term, for messages and for equations that others state. Bound variables get numbers of their
//! own again, one for each binder that is written.

use std::collections::HashMap;

use super::{Algebra, Bound, Limit, Normal, NormalKind};
use crate::expression::Binder;
use crate::limits;
use crate::term::{Term, TermKind};

impl Algebra<'_> {
    /// The term that a normal form is. What is shared in the normal form is shared in the term.
    pub fn term(&mut self, normal: Normal) -> Result<Term, Limit> {
        let term = self.write(normal, &mut HashMap::new())?;
        if term.size() > limits::TERM_NODES { Err(Limit::TermSize) } else { Ok(term) }
    }

    fn write(&mut self, normal: Normal, done: &mut HashMap<Normal, Term>) -> Result<Term, Limit> {
        let mut spine = Vec::new();
        let mut last = normal;
        while let NormalKind::Sequence(head, rest) = *self.kind(last) {
            if done.contains_key(&last) {
                break;
            }
            spine.push((last, head));
            last = rest;
        }
        let mut result = match done.get(&last) {
            Some(known) => known.clone(),
            None => {
                let term = self.write_one(last, done)?;
                done.insert(last, term.clone());
                term
            }
        };
        let span = self.nowhere();
        for (whole, head) in spine.into_iter().rev() {
            let head = self.write(head, done)?;
            result = Term::new(TermKind::Sequence(head, result), span);
            done.insert(whole, result.clone());
        }
        Ok(result)
    }

    fn write_one(&mut self, normal: Normal, done: &mut HashMap<Normal, Term>) -> Result<Term, Limit> {
        let span = self.nowhere();
        let kind = match self.kind(normal).clone() {
            NormalKind::Empty => TermKind::Empty,
            NormalKind::Deadlock => TermKind::Deadlock,
            NormalKind::Foreign(number) => TermKind::Foreign(number),
            NormalKind::Action(action, arguments) => TermKind::Action(action, arguments.to_vec()),
            NormalKind::Call(process, arguments) => TermKind::Call(process, arguments.to_vec()),
            NormalKind::Sequence(first, second) => {
                TermKind::Sequence(self.write(first, done)?, self.write(second, done)?)
            }
            NormalKind::Choice(alternatives) => {
                let mut all = Vec::with_capacity(alternatives.len());
                for alternative in alternatives.iter() {
                    all.push(self.write(*alternative, done)?);
                }
                return Ok(chained(all, span, TermKind::Choice, TermKind::Deadlock));
            }
            NormalKind::Parallel(components) => {
                let mut all = Vec::new();
                for (component, count) in components.iter() {
                    let component = self.write(*component, done)?;
                    if all.len() + *count as usize > limits::SUMMANDS {
                        return Err(Limit::TermSize);
                    }
                    all.extend(std::iter::repeat_n(component, *count as usize));
                }
                return Ok(chained(all, span, TermKind::Parallel, TermKind::Empty));
            }
            NormalKind::Conditional(condition, yes, no) => {
                TermKind::Conditional(condition, self.write(yes, done)?, self.write(no, done)?)
            }
            NormalKind::Iteration(body) => TermKind::Iteration(self.write(body, done)?),
            NormalKind::Sum(bound, condition, body) => {
                let (bound, condition, body) = self.open(&bound, &condition, body)?;
                let body = self.write(body, &mut HashMap::new())?;
                TermKind::Sum(binder(bound, None), condition, body)
            }
            NormalKind::Family(bound, from, to, body) => {
                let (bound, from, body) = self.open(&bound, &from, body)?;
                let body = self.write(body, &mut HashMap::new())?;
                TermKind::Family(binder(bound, Some((from, to))), body)
            }
        };
        Ok(Term::new(kind, span))
    }
}

fn binder(
    bound: Bound,
    range: Option<(crate::expression::Expression, crate::expression::Expression)>,
) -> Binder {
    Binder { variable: bound.variable, name: bound.name, ty: bound.ty, range }
}

fn chained(
    all: Vec<Term>,
    span: source::Span,
    operator: impl Fn(Term, Term) -> TermKind,
    unit: TermKind,
) -> Term {
    let joined = all.into_iter().reduce(|left, right| Term::new(operator(left, right), span));
    joined.unwrap_or_else(|| Term::new(unit, span))
}
