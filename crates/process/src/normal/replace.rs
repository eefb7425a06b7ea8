//! Putting expressions in the place of variables of a normal form. The result is built anew by the laws, since with other
//! data other laws may apply; parts without one of the variables stay what they are.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Algebra, Limit, Normal, NormalKind};
use crate::expression::Expression;
use crate::limits;
use crate::substitute::Substitution;

impl Algebra<'_> {
    /// The normal form with expressions in the place of variables.
    pub fn substitute(&mut self, normal: Normal, substitution: &Substitution) -> Result<Normal, Limit> {
        self.replace(normal, &Replacement { substitution, renames: false }, &mut HashMap::new())
    }

    /// The same for one variable that becomes another, which occurs nowhere in the normal form, bound or free. No law
    /// applies afterwards that did not before, so binders stay as they are.
    pub(crate) fn rename(&mut self, normal: Normal, substitution: &Substitution) -> Result<Normal, Limit> {
        self.replace(normal, &Replacement { substitution, renames: true }, &mut HashMap::new())
    }

    fn replace(
        &mut self,
        normal: Normal,
        replacement: &Replacement<'_>,
        done: &mut HashMap<Normal, Normal>,
    ) -> Result<Normal, Limit> {
        // A sequence is walked along in a loop, however long it is.
        let mut spine = Vec::new();
        let mut last = normal;
        let mut result = loop {
            let is_met = replacement
                .substitution
                .variables()
                .any(|met| self.free_variables(last).binary_search(&met).is_ok());
            if !is_met {
                break last;
            }
            if let Some(known) = done.get(&last) {
                break *known;
            }
            match *self.kind(last) {
                NormalKind::Sequence(head, rest) => {
                    spine.push((last, head));
                    last = rest;
                }
                _ => {
                    let result = self.replace_parts(last, replacement, done)?;
                    done.insert(last, result);
                    break result;
                }
            }
        };
        for (whole, head) in spine.into_iter().rev() {
            let head = self.replace(head, replacement, done)?;
            result = self.sequence(head, result)?;
            done.insert(whole, result);
        }
        Ok(result)
    }

    fn replace_parts(
        &mut self,
        normal: Normal,
        replacement: &Replacement<'_>,
        done: &mut HashMap<Normal, Normal>,
    ) -> Result<Normal, Limit> {
        let substitution = replacement.substitution;
        match self.kind(normal).clone() {
            NormalKind::Empty | NormalKind::Deadlock | NormalKind::Foreign(_) | NormalKind::Sequence(..) => {
                Ok(normal)
            }
            NormalKind::Action(action, arguments) => {
                let arguments = replaced_arguments(&arguments, substitution)?;
                self.intern(NormalKind::Action(action, arguments))
            }
            NormalKind::Call(process, arguments) => {
                let arguments = replaced_arguments(&arguments, substitution)?;
                self.intern(NormalKind::Call(process, arguments))
            }
            NormalKind::Choice(alternatives) => {
                let mut all = Vec::with_capacity(alternatives.len());
                for alternative in alternatives.iter() {
                    all.push(self.replace(*alternative, replacement, done)?);
                }
                self.choice(all)
            }
            NormalKind::Parallel(components) => {
                let mut all = Vec::with_capacity(components.len());
                for (component, count) in components.iter() {
                    all.push((self.replace(*component, replacement, done)?, *count));
                }
                self.parallel(all)
            }
            NormalKind::Conditional(condition, yes, no) => {
                let condition = substitution.apply(&condition);
                let yes = self.replace(yes, replacement, done)?;
                let no = self.replace(no, replacement, done)?;
                self.conditional(&condition, yes, no)
            }
            NormalKind::Iteration(body) => {
                let body = self.replace(body, replacement, done)?;
                self.iteration(body)
            }
            NormalKind::Sum(bound, condition, body) if replacement.renames => {
                let body = self.replace(body, replacement, done)?;
                self.intern(NormalKind::Sum(bound, substitution.apply(&condition), body))
            }
            NormalKind::Family(bound, from, to, body) if replacement.renames => {
                let body = self.replace(body, replacement, done)?;
                let (from, to) = (substitution.apply(&from), substitution.apply(&to));
                self.intern(NormalKind::Family(bound, from, to, body))
            }
            NormalKind::Sum(bound, condition, body) => {
                let (fresh, condition, body) = self.open(&bound, &condition, body)?;
                let condition = substitution.apply(&condition);
                let body = self.substitute(body, substitution)?;
                self.sum(&fresh, &condition, body)
            }
            NormalKind::Family(bound, from, to, body) => {
                let (fresh, from_now, body) = self.open(&bound, &from, body)?;
                let body = self.substitute(body, substitution)?;
                self.family(&fresh, &substitution.apply(&from_now), &substitution.apply(&to), body)
            }
        }
    }
}

/// What is put in the place of what, and whether that only gives variables other names.
struct Replacement<'s> {
    substitution: &'s Substitution,
    renames: bool,
}

fn replaced_arguments(
    arguments: &[Expression],
    substitution: &Substitution,
) -> Result<Arc<[Expression]>, Limit> {
    let mut all = Vec::with_capacity(arguments.len());
    for argument in arguments {
        let argument = substitution.apply(argument);
        if argument.size() > limits::EXPRESSION_NODES || argument.depth() > limits::EXPRESSION_DEPTH {
            return Err(Limit::ExpressionSize);
        }
        all.push(argument);
    }
    Ok(all.into())
}
