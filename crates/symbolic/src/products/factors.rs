//! What has to be fixed so that a question has no products left, and products that no fixing reaches.

use rustc_hash::FxHashSet;
use smt::{Operator, QuantifierKind, Term, Terms};

use super::is_number;

use crate::limits;

/// Numbers that can be fixed. What depends on a variable of a quantifier has no value and is none of them.
#[derive(Default)]
pub(crate) struct Factors {
    /// All factors.
    pub all: Vec<Term>,
    /// As many as it takes to leave no product, with the others free.
    pub few: Vec<Term>,
    /// What the values of factors come from: where these are no counterexample, others are looked for.
    pub sources: Vec<Term>,
    /// Numbers that depend on no other number. Products may be in definitions, which say what follows from these.
    pub inputs: Vec<Term>,
    /// All of these and other numbers.
    pub every: Vec<Term>,
}

impl Factors {
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
        let is_named = |term: &Term| {
            let sort = terms.sort_of(*term);
            (sort == terms.int_sort() || sort == terms.real_sort())
                && terms.as_application(*term).is_some()
                && terms.is_closed(*term)
        };
        let named: Vec<Term> = reachable.into_iter().filter(is_named).take(limits::FIXED_NUMBERS).collect();
        let is_input =
            |term: &Term| terms.reachable(&[*term]).iter().filter(|part| is_named(part)).count() == 1;
        factors.inputs = named.iter().copied().filter(is_input).collect();
        factors.sources = terms.reachable(&factors.all).into_iter().filter(is_named).collect();
        if factors.sources.is_empty() {
            factors.sources = factors.inputs.clone();
        }
        let mut seen: FxHashSet<Term> = FxHashSet::default();
        let every = factors.all.iter().chain(&factors.sources).chain(&named).copied();
        factors.every = every.filter(|term| seen.insert(*term)).collect();
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

/// Whether something is assumed about products of all numbers that no trigger is there for: the solver does not look at
/// it, so that nothing it finds is a counterexample. `exists x: Int :: x * x == n` is that when it is denied.
pub(crate) fn hides_products(terms: &Terms, facts: &[Term], goal: Term) -> bool {
    let mut stack: Vec<(Term, bool)> = facts.iter().map(|fact| (*fact, true)).collect();
    stack.push((goal, false));
    let mut seen: FxHashSet<(Term, bool)> = FxHashSet::default();
    while let Some((term, is_assumed)) = stack.pop() {
        if terms.sort_of(term) != terms.bool_sort() || !seen.insert((term, is_assumed)) {
            continue;
        }
        if let smt::Node::Quantified(quantifier) = terms.node(term) {
            let is_universal = (quantifier.kind == QuantifierKind::Forall) == is_assumed;
            if is_universal
                && quantifier.triggers.is_empty()
                && is_about_products_only(terms, quantifier.body)
            {
                return true;
            }
            stack.push((quantifier.body, is_assumed));
            continue;
        }
        let Some((operator, operands)) = terms.as_operation(term) else { continue };
        match (operator, operands) {
            (Operator::Not, [operand]) => stack.push((*operand, !is_assumed)),
            (Operator::Implies, [left, right]) => stack.extend([(*left, !is_assumed), (*right, is_assumed)]),
            (Operator::And | Operator::Or, _) => {
                stack.extend(operands.iter().map(|operand| (*operand, is_assumed)));
            }
            // Both sides of an equivalence, and the condition, are assumed in one case and denied in the other.
            _ => stack.extend(operands.iter().flat_map(|operand| [(*operand, true), (*operand, false)])),
        }
    }
    false
}

/// Whether variables are multiplied, and are the argument of nothing that could be a trigger.
fn is_about_products_only(terms: &Terms, body: Term) -> bool {
    let open: Vec<Term> =
        terms.reachable(&[body]).into_iter().filter(|part| !terms.is_closed(*part)).collect();
    let is_product = |part: &Term| match terms.as_operation(*part) {
        Some((Operator::Multiply, operands)) => !operands.iter().any(|operand| is_number(terms, *operand)),
        Some((Operator::IntDivide | Operator::IntModulo | Operator::RealDivide, operands)) => {
            operands.last().is_some_and(|divisor| !is_number(terms, *divisor))
        }
        _ => false,
    };
    open.iter().any(is_product) && !open.iter().any(|part| terms.as_application(*part).is_some())
}
