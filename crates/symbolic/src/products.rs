//! A second conversation for obligations about products.
//!
//! The solver's usual procedure for arithmetic gives up on `i < m && j < n ==> i * n + j < m * n` and the like; another
//! one, which is less predictable elsewhere, proves it at once. So what is open after the usual way is asked there, if
//! products of integers occur at all. Only *unsat* counts; everything else leaves the first answer as it is.
//!
//! What neither proves need not fail: where the solver gives up on products, the values that it has are a guess. With
//! the factors fixed to them the question is linear, and its answer tells whether they are a counterexample.

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

/// How many integers are fixed beside factors.
const MAX_INTEGERS: usize = 100;

/// The factors of the products in some terms that can be fixed.
#[derive(Default)]
pub(crate) struct Factors {
    /// All of them.
    pub all: Vec<Term>,
    /// As many as it takes to leave no product, with the others free.
    pub few: Vec<Term>,
    /// All of them and every other integer: products may be in definitions, which are about what they are applied to.
    pub every: Vec<Term>,
}

impl Factors {
    /// What depends on a variable of a quantifier has no value.
    pub(crate) fn of(terms: &Terms, roots: &[Term]) -> Factors {
        let is_variable = |term: &Term| !is_number(terms, *term) && terms.is_closed(*term);
        let mut factors = Factors::default();
        let reachable = terms.reachable(roots);
        for term in reachable.iter().copied() {
            let Some((operator, operands)) = terms.as_operation(term) else { continue };
            match operator {
                Operator::Multiply => {
                    let variables: Vec<Term> = operands.iter().copied().filter(is_variable).collect();
                    if operands.iter().filter(|operand| !is_number(terms, **operand)).count() < 2 {
                        continue;
                    }
                    // Of a product, one factor may stay free, unless it is there twice.
                    for (index, factor) in variables.iter().enumerate() {
                        let is_last = index + 1 == variables.len() && !variables[..index].contains(factor);
                        factors.add(*factor, !is_last);
                    }
                }
                Operator::IntDivide | Operator::IntModulo | Operator::RealDivide => {
                    if let Some(divisor) = operands.last().filter(|operand| is_variable(operand)) {
                        factors.add(*divisor, true);
                    }
                }
                _ => {}
            }
        }
        let is_integer = |term: &Term| {
            terms.sort_of(*term) == terms.int_sort()
                && terms.as_application(*term).is_some()
                && terms.is_closed(*term)
                && !factors.all.contains(term)
        };
        let others: Vec<Term> = reachable.into_iter().filter(is_integer).take(MAX_INTEGERS).collect();
        factors.every = factors.all.iter().copied().chain(others).collect();
        factors
    }

    fn add(&mut self, factor: Term, is_needed: bool) {
        if !self.all.contains(&factor) {
            self.all.push(factor);
        }
        if is_needed && !self.few.contains(&factor) {
            self.few.push(factor);
        }
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
