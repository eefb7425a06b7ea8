//! Where comparisons of a variable change.
//!
//! A comparison that is linear in an integer variable is true on one side of a border and false on the other. The borders of
//! all comparisons of a body are the values that matter for the variable (`witness.rs`).

use rustc_hash::FxHashSet;
use smt::{BigInt, Bound, Operator, Term, Terms};

use super::witness::is_visible;

/// The integers on both sides of where a comparison of the variable in the body changes, as far as they mention only
/// `outer`.
pub(super) fn borders(terms: &mut Terms, variable: Bound, body: Term, outer: &[Bound]) -> Vec<Term> {
    let mut found: Vec<Term> = Vec::new();
    for part in terms.reachable(&[body]) {
        let Some((operator @ (Operator::Equal | Operator::Less | Operator::LessEqual), operands)) =
            terms.as_operation(part)
        else {
            continue;
        };
        let [left, right] = *operands else { continue };
        if terms.sort_of(left) != terms.int_sort() {
            continue;
        }
        let Some((factor, rest)) = border(terms, variable, left, right) else { continue };
        if factor == BigInt::ZERO || !is_visible(terms, rest, outer) {
            continue;
        }
        // `factor * variable + rest` is compared with 0; of integers, less than 0 is at most -1.
        let one = terms.int(1);
        let rest = if operator == Operator::Less { terms.add(rest, one) } else { rest };
        let is_rising = factor > BigInt::ZERO;
        let at = quotient(terms, rest, factor);
        let (above, below) = (terms.add(at, one), terms.subtract(at, one));
        // Euclidean division rounds down for a positive divisor and up for a negative one: `at` is the last value, or
        // the first, for which the comparison holds.
        match operator {
            Operator::Equal => found.extend([at, above, below]),
            _ if is_rising => found.extend([at, above]),
            _ => found.extend([at, below]),
        }
    }
    let mut seen: FxHashSet<Term> = FxHashSet::default();
    found.retain(|value| seen.insert(*value));
    found
}

/// `-rest / factor`, rounded.
fn quotient(terms: &mut Terms, rest: Term, factor: BigInt) -> Term {
    if factor == BigInt::from(-1) {
        return rest;
    }
    let negated = terms.negate(rest);
    if factor == BigInt::from(1) {
        return negated;
    }
    let factor = terms.int(factor);
    terms.int_divide(negated, factor)
}

/// `left - right` as a multiple of the variable and a rest without it; none if it is not linear in it.
pub(super) fn border(terms: &mut Terms, variable: Bound, left: Term, right: Term) -> Option<(BigInt, Term)> {
    let (left_factor, left_rest) = linear(terms, variable, left)?;
    let (right_factor, right_rest) = linear(terms, variable, right)?;
    let factor = left_factor - right_factor;
    Some((factor, terms.subtract(left_rest, right_rest)))
}

fn linear(terms: &mut Terms, variable: Bound, term: Term) -> Option<(BigInt, Term)> {
    if !terms.free_variables(term).contains(&variable) {
        return Some((BigInt::ZERO, term));
    }
    if term == terms.bound(variable) {
        return Some((BigInt::from(1), terms.int(0)));
    }
    let (operator, operands) = terms.as_operation(term)?;
    let [left, right] = *operands else { return None };
    match operator {
        Operator::Add | Operator::Subtract => {
            let (left_factor, left_rest) = linear(terms, variable, left)?;
            let (right_factor, right_rest) = linear(terms, variable, right)?;
            Some(match operator {
                Operator::Add => (left_factor + right_factor, terms.add(left_rest, right_rest)),
                _ => (left_factor - right_factor, terms.subtract(left_rest, right_rest)),
            })
        }
        Operator::Multiply => {
            let (number, other) = match (terms.as_int(left), terms.as_int(right)) {
                (Some(number), _) => (number.clone(), right),
                (_, Some(number)) => (number.clone(), left),
                _ => return None,
            };
            let (factor, rest) = linear(terms, variable, other)?;
            let number_term = terms.int(number.clone());
            Some((factor * number, terms.multiply(number_term, rest)))
        }
        _ => None,
    }
}
