//! Ranges of variables: what a body says about where its variable has to be to matter.
//!
//! `exists k :: n < k && k <= m && B` is about the integers from `n + 1` to `m`. Where these are few, instances for all
//! of them say everything that the quantifier does.

use smt::{BigInt, Bound, Operator, QuantifierKind, Term, Terms};

use super::witness::{border, is_visible};

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
    for variable in open {
        if terms.bound_sort(*variable) != terms.int_sort() {
            continue;
        }
        let (mut first, mut last) = (None, None);
        for (condition, holds) in &needed {
            let (low, high) = bounds(terms, *variable, *condition, *holds, outer);
            first = first.or(low);
            last = last.or(high);
        }
        if let (Some(first), Some(last)) = (first, last) {
            return Some(Range { variable: *variable, first, last });
        }
    }
    None
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
fn bounds(
    terms: &mut Terms,
    variable: Bound,
    condition: Term,
    holds: bool,
    outer: &[Bound],
) -> (Option<Term>, Option<Term>) {
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
    if !is_visible(terms, rest, outer) {
        return (None, None);
    }
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
