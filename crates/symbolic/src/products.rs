//! A second conversation for obligations about products.
//!
//! The solver's usual procedure for arithmetic gives up on `i < m && j < n ==> i * n + j < m * n` and the like; another
//! one, which is less predictable elsewhere, proves it at once. So what is open after the usual way is asked there, if
//! products of integers occur at all. Only *unsat* counts; everything else leaves the first answer as it is.
//!
//! `lemmas.rs` tells the usual procedure what is known about signs and sizes of products; `factors.rs` finds what has to
//! be fixed for a question to have none.

mod factors;
mod lemmas;

pub(crate) use factors::{Factors, hides_products};
pub(crate) use lemmas::about_products;

use rustc_hash::FxHashSet;
use smt::{Answer, Budget, Node, Operator, Session, SessionStatistics, Term, Terms, UnknownReason};

#[derive(Default)]
pub(crate) struct Products {
    /// Absent before the first question; there may be none to be had.
    session: Option<Option<Session>>,
    /// How many of the axioms the session has.
    told: usize,
    /// Terms without products.
    linear: FxHashSet<Term>,
}

impl Products {
    pub(crate) fn statistics(&self) -> SessionStatistics {
        self.session.iter().flatten().map(Session::statistics).next().unwrap_or_default()
    }

    /// Whether integers are multiplied, or divided by something that is not a literal.
    pub(crate) fn occur_in(&mut self, terms: &Terms, roots: &[Term]) -> bool {
        let mut stack = roots.to_vec();
        let mut seen: FxHashSet<Term> = FxHashSet::default();
        while let Some(term) = stack.pop() {
            if self.linear.contains(&term) || !seen.insert(term) {
                continue;
            }
            if is_product(terms, term) {
                return true;
            }
            terms.for_each_child(term, &mut |child| stack.push(child));
        }
        self.linear.extend(seen);
        false
    }

    /// Asks with everything told at once.
    pub(crate) fn prove(
        &mut self,
        usual: &Session,
        terms: &Terms,
        axioms: &[Term],
        facts: &[Term],
        goal: Term,
        budget: &Budget,
    ) -> Answer {
        let Some(session) = self.session.get_or_insert_with(|| usual.for_products()) else {
            return Answer::Unknown(UnknownReason::Incomplete);
        };
        for axiom in &axioms[self.told..] {
            session.assert(terms, *axiom);
        }
        self.told = axioms.len();
        session.prove_from(terms, facts, goal, budget)
    }
}

fn is_number(terms: &Terms, term: Term) -> bool {
    matches!(terms.node(term), Node::Int(_) | Node::Real(_))
}

fn is_product(terms: &Terms, term: Term) -> bool {
    if terms.sort_of(term) != terms.int_sort() {
        return false;
    }
    let is_literal = |term: &Term| matches!(terms.node(*term), Node::Int(_));
    match terms.as_operation(term) {
        Some((Operator::Multiply, operands)) => !operands.iter().any(is_literal),
        Some((Operator::IntDivide | Operator::IntModulo, operands)) => {
            !operands.last().is_some_and(is_literal)
        }
        _ => false,
    }
}
