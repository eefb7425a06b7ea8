//! Ranges of variables: what a body says about where its variable has to be to matter.
//!
//! `exists k :: n < k && k <= m && B` is about the integers from `n + 1` to `m`. Where these are few, instances for all
//! of them say everything that the quantifier does.

use smt::{BigInt, Bound, Operator, QuantifierKind, Term, Terms};

use super::borders::border;
use super::witness::is_visible;

/// The first and the last value of a variable that matters.
pub(super) struct Range {
    pub variable: Bound,
    pub first: Term,
    pub last: Term,
}

/// The range of one of the variables, by bounds that mention only `outer`.
pub(super) fn range_of(
    terms: &mut Terms,
    kind: QuantifierKind,
    body: Term,
    open: &[Bound],
    outer: &[Bound],
) -> Option<Range> {
    let mut needed: Vec<(Term, bool)> = Vec::new();
    needed_for(terms, body, kind == QuantifierKind::Exists, &mut needed);
    let numbers: Vec<Bound> =
        open.iter().filter(|variable| terms.bound_sort(**variable) == terms.int_sort()).copied().collect();
    let mut ends: Vec<(Option<Term>, Option<Term>)> = vec![(None, None); numbers.len()];
    // With `0 <= i && i < j`, what bounds one bounds the other: as many rounds as there are variables pass it on.
    for _ in &numbers {
        for (at, variable) in numbers.iter().enumerate() {
            for (condition, holds) in &needed {
                let (low, high) = bounds(terms, *variable, *condition, *holds);
                let low = low.and_then(|low| closed(terms, low, &numbers, |other| ends[other].0, outer));
                let high = high.and_then(|high| closed(terms, high, &numbers, |other| ends[other].1, outer));
                ends[at] = (ends[at].0.or(low), ends[at].1.or(high));
            }
            if let (Some(first), Some(last)) = ends[at] {
                return Some(Range { variable: *variable, first, last });
            }
        }
    }
    None
}

/// A bound that mentions only `outer`, if need be with the bound of another variable in its place.
fn closed(
    terms: &mut Terms,
    bound: Term,
    numbers: &[Bound],
    end: impl Fn(usize) -> Option<Term>,
    outer: &[Bound],
) -> Option<Term> {
    if is_visible(terms, bound, outer) {
        return Some(bound);
    }
    let other = numbers.iter().position(|other| terms.free_variables(bound).contains(other))?;
    let end = end(other)?;
    // It has to grow with the variable for its end to be one.
    let zero = terms.int(0);
    let (factor, _) = border(terms, numbers[other], bound, zero)?;
    let replaced = terms.substitute_bound(bound, &[(numbers[other], end)]);
    (factor == BigInt::from(1) && is_visible(terms, replaced, outer)).then_some(replaced)
}

/// What has to be true, or false, for the body to be true, if `wanted`, or else false.
fn needed_for(terms: &Terms, body: Term, wanted: bool, found: &mut Vec<(Term, bool)>) {
    let mut work = vec![(body, wanted)];
    while let Some((part, wanted)) = work.pop() {
        match (terms.as_operation(part), wanted) {
            (Some((Operator::Not, [inner])), _) => work.push((*inner, !wanted)),
            (Some((Operator::And, parts)), true) | (Some((Operator::Or, parts)), false) => {
                work.extend(parts.iter().rev().map(|part| (*part, wanted)));
            }
            (Some((Operator::Implies, [left, right])), false) => {
                work.extend([(*right, false), (*left, true)]);
            }
            _ => found.push((part, wanted)),
        }
    }
}

/// What a comparison says about where the variable begins and ends.
fn bounds(terms: &mut Terms, variable: Bound, condition: Term, holds: bool) -> (Option<Term>, Option<Term>) {
    let Some((operator, [left, right])) = terms.as_operation(condition) else { return (None, None) };
    let (left, right) = (*left, *right);
    let is_comparison = match operator {
        Operator::Less | Operator::LessEqual => true,
        Operator::Equal => holds,
        _ => false,
    };
    if !is_comparison || terms.sort_of(left) != terms.int_sort() {
        return (None, None);
    }
    let Some((factor, rest)) = border(terms, variable, left, right) else { return (None, None) };
    // `factor * variable + rest` is compared with 0.
    let is_rising = factor == BigInt::from(1);
    if !is_rising && factor != BigInt::from(-1) {
        return (None, None);
    }
    let (one, at) = (terms.int(1), if is_rising { terms.negate(rest) } else { rest });
    let (above, below) = (terms.add(at, one), terms.subtract(at, one));
    // The last value if it is bounded from above, the first one if from below.
    let border = match (operator, holds, is_rising) {
        (Operator::Equal, ..) => return (Some(at), Some(at)),
        (Operator::LessEqual, true, _) | (Operator::Less, false, _) => at,
        (Operator::Less, true, true) | (Operator::LessEqual, false, false) => below,
        _ => above,
    };
    if is_rising == holds { (None, Some(border)) } else { (Some(border), None) }
}
