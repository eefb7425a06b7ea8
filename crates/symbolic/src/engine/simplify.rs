//! Terms without the choices that the path has already made.

use smt::Term;

use super::Engine;
use crate::limits;

impl<'p> Engine<'p> {
    /// As [`Engine::simplify`], for what is kept in the heap: inside a conditional part of an assertion the path
    /// assumes more than what will be assumed when the heap is read.
    pub(crate) fn simplify_kept(&mut self, term: Term) -> Term {
        if self.around.guarded > 0 { term } else { self.simplify(term) }
    }

    /// Replaces choices that the path has already made, as far as a few steps lead.
    pub(crate) fn simplify(&mut self, term: Term) -> Term {
        let mut steps = limits::SIMPLIFIED_NODES;
        self.simplify_to(term, limits::SIMPLIFIED_DEPTH, &mut steps)
    }

    fn simplify_to(&mut self, term: Term, depth: u32, steps: &mut u32) -> Term {
        use smt::Operator::{Add, IfThenElse, Subtract};
        if depth == 0 || *steps == 0 {
            return term;
        }
        *steps -= 1;
        let Some((operator, operands)) = self.encoder.terms.as_operation(term) else { return term };
        match (operator, operands) {
            (IfThenElse, &[condition, then, otherwise]) => {
                if self.knows(condition) {
                    return self.simplify_to(then, depth - 1, steps);
                }
                let negated = self.encoder.terms.not(condition);
                if self.path.knows(negated) {
                    return self.simplify_to(otherwise, depth - 1, steps);
                }
                let then = self.simplify_to(then, depth - 1, steps);
                let otherwise = self.simplify_to(otherwise, depth - 1, steps);
                self.encoder.terms.if_then_else(condition, then, otherwise)
            }
            (Add | Subtract, &[left, right]) => {
                let left = self.simplify_to(left, depth - 1, steps);
                let right = self.simplify_to(right, depth - 1, steps);
                self.encoder.terms.operate(operator, &[left, right])
            }
            _ => term,
        }
    }
}
