//! Values for variables of quantifiers that the solver never looks at.
//!
//! A solver instantiates what is assumed of all values by triggers: terms of the body that apply a function to the
//! variables. Where there are none, as in `exists z: Int :: z == x + 1` when it is denied, nothing is ever put in, and
//! what the solver then has is no counterexample. Here such quantifiers are given instances: the closed parts of the
//! body, and the values at which its comparisons change. `exists z :: B` is the same as `(exists z :: B) || B(t)`, so
//! that nothing is proved that does not hold.
//!
//! For one integer variable that is compared with coefficients 1 and -1 only, these values are all that matter: without
//! divisibility they are the test points of Cooper's elimination ("Theorem proving in arithmetic without
//! multiplication", 1972), and there is a value among them if there is one at all.

use rustc_hash::FxHashMap;
use smt::{BigInt, Bound, Node, Operator, Quantifier, QuantifierKind, Term, Terms};

use crate::limits;

/// Questions with instances of what the solver does not look at.
pub(super) struct Instances {
    found: bool,
    is_complete: bool,
    /// Nodes of the instances that were made.
    nodes: u64,
    /// Terms share their parts, so each is done once.
    known: FxHashMap<Term, Term>,
}

impl Instances {
    pub(super) fn new() -> Instances {
        Instances { found: false, is_complete: true, nodes: 0, known: FxHashMap::default() }
    }

    /// Whether there was any such quantifier.
    pub(super) fn found(&self) -> bool {
        self.found
    }

    /// Whether the instances say all that the quantifiers say.
    pub(super) fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// An equivalent term that the solver can do more with.
    pub(super) fn add_to(&mut self, terms: &mut Terms, term: Term) -> Term {
        self.walk(terms, term, 0)
    }

    fn walk(&mut self, terms: &mut Terms, term: Term, depth: usize) -> Term {
        if let Some(done) = self.known.get(&term) {
            return *done;
        }
        if depth > limits::WITNESS_DEPTH {
            let is_left_out = |part: &Term| match terms.node(*part) {
                Node::Quantified(quantifier) => is_unseen(terms, quantifier),
                _ => false,
            };
            if terms.reachable(&[term]).iter().any(is_left_out) {
                self.found = true;
                self.is_complete = false;
            }
            return term;
        }
        let done = self.walk_into(terms, term, depth);
        self.known.insert(term, done);
        done
    }

    fn walk_into(&mut self, terms: &mut Terms, term: Term, depth: usize) -> Term {
        let mut parts = |terms: &mut Terms, parts: &[Term]| -> Option<Vec<Term>> {
            let images: Vec<Term> = parts.iter().map(|part| self.walk(terms, *part, depth + 1)).collect();
            (images[..] != *parts).then_some(images)
        };
        match terms.node(term).clone() {
            Node::Operation(operator, operands) => match parts(terms, &operands) {
                Some(images) => terms.operate(operator, &images),
                None => term,
            },
            Node::Apply(function, arguments) => match parts(terms, &arguments) {
                Some(images) => terms.apply(function, &images),
                None => term,
            },
            Node::Quantified(quantifier) => {
                let before = self.found;
                let body = self.walk(terms, quantifier.body, depth + 1);
                let has_inner = self.found && !before || body != quantifier.body;
                let whole = if body == quantifier.body {
                    term
                } else {
                    let triggers: Vec<Vec<Term>> =
                        quantifier.triggers.iter().map(|trigger| trigger.to_vec()).collect();
                    let Quantifier { kind, variables, name, weight, .. } = &*quantifier;
                    terms.quantify(*kind, variables, &triggers, body, name, *weight)
                };
                if !is_unseen(terms, &quantifier) {
                    return whole;
                }
                self.found = true;
                self.is_complete &= !has_inner && is_exact(terms, &quantifier);
                self.with_instances(terms, term, &quantifier, (whole, body))
            }
            _ => term,
        }
    }

    fn with_instances(
        &mut self,
        terms: &mut Terms,
        original: Term,
        quantifier: &Quantifier,
        (whole, body): (Term, Term),
    ) -> Term {
        let outer: Vec<Bound> = terms.free_variables(original).to_vec();
        let mut parts = vec![whole];
        // Bodies with values for some of the variables, and what is left.
        let mut work = vec![(body, quantifier.variables.to_vec())];
        while let Some((body, open)) = work.pop() {
            if open.is_empty() {
                self.nodes += u64::from(terms.size(body));
                parts.push(body);
                continue;
            }
            if self.nodes > limits::WITNESS_NODES || parts.len() + work.len() > limits::WITNESS_CHOICES {
                self.is_complete = false;
                break;
            }
            // A variable whose values mention another one comes after it.
            let candidates = open.iter().map(|variable| (*variable, values(terms, *variable, body, &outer)));
            let Some((variable, mut values)) = candidates.into_iter().find(|(_, values)| !values.is_empty())
            else {
                self.is_complete = false;
                continue;
            };
            if values.len() > limits::WITNESS_VALUES {
                self.is_complete = false;
                values.truncate(limits::WITNESS_VALUES);
            }
            let others: Vec<Bound> = open.into_iter().filter(|other| *other != variable).collect();
            for value in values.into_iter().rev() {
                work.push((terms.substitute_bound(body, &[(variable, value)]), others.clone()));
            }
        }
        match quantifier.kind {
            QuantifierKind::Forall => terms.all(parts),
            QuantifierKind::Exists => terms.any(parts),
        }
    }
}

/// Whether some variable is the argument of nothing, so that there is no trigger that gives values to all of them.
fn is_unseen(terms: &Terms, quantifier: &Quantifier) -> bool {
    if !quantifier.triggers.is_empty() {
        return false;
    }
    let parts = terms.reachable(&[quantifier.body]);
    let is_argument = |variable: &Bound| {
        parts.iter().any(|part| {
            terms.as_application(*part).is_some() && terms.free_variables(*part).contains(variable)
        })
    };
    !quantifier.variables.iter().all(is_argument)
}

/// Whether the values of [`values`] are all that matter: there is one variable, and the body compares it with others by
/// itself; if it is no integer, it says something only about those that it is equal to.
fn is_exact(terms: &mut Terms, quantifier: &Quantifier) -> bool {
    let [variable] = &quantifier.variables[..] else { return false };
    let variable_term = terms.bound(*variable);
    let sort = terms.sort_of(variable_term);
    if sort == terms.bool_sort() {
        return true;
    }
    if sort != terms.int_sort() {
        return says_nothing_else(terms, quantifier, *variable);
    }
    let mut work = vec![quantifier.body];
    while let Some(part) = work.pop() {
        if !terms.free_variables(part).contains(variable) {
            continue;
        }
        match terms.as_operation(part).map(|(operator, operands)| (operator, operands.to_vec())) {
            Some((Operator::Not | Operator::And | Operator::Or | Operator::Implies, operands)) => {
                work.extend(operands);
            }
            Some((Operator::Equal | Operator::Less | Operator::LessEqual, operands)) => {
                let [left, right] = operands[..] else { return false };
                if terms.sort_of(left) == terms.bool_sort() {
                    work.extend([left, right]);
                    continue;
                }
                match border(terms, *variable, left, right) {
                    Some((factor, _)) if *factor.magnitude() == 1u32.into() => {}
                    _ => return false,
                }
            }
            _ => return false,
        }
    }
    true
}

/// Whether the body is true (of all) or false (of some) whatever a variable is that is equal to none of the others.
fn says_nothing_else(terms: &mut Terms, quantifier: &Quantifier, variable: Bound) -> bool {
    let variable_term = terms.bound(variable);
    let equations: Vec<Term> = terms
        .reachable(&[quantifier.body])
        .into_iter()
        .filter(|part| match terms.as_operation(*part) {
            Some((Operator::Equal, [left, right])) => {
                let is_free = |term: &Term| !terms.free_variables(*term).contains(&variable);
                *left == variable_term && is_free(right) || *right == variable_term && is_free(left)
            }
            _ => false,
        })
        .collect();
    let never = terms.false_();
    let replacements = equations.into_iter().map(|equation| (equation, never)).collect();
    let rest = terms.substitute(quantifier.body, &replacements);
    match quantifier.kind {
        QuantifierKind::Forall => terms.is_true(rest),
        QuantifierKind::Exists => terms.is_false(rest),
    }
}

/// Values for a variable: closed parts of the body (`outer` are variables that are bound further out), and where its
/// comparisons change.
fn values(terms: &mut Terms, variable: Bound, body: Term, outer: &[Bound]) -> Vec<Term> {
    let variable_term = terms.bound(variable);
    let sort = terms.sort_of(variable_term);
    if sort == terms.bool_sort() {
        return vec![terms.true_(), terms.false_()];
    }
    let parts = terms.reachable(&[body]);
    let is_known = |terms: &Terms, term: Term| terms.free_variables(term).iter().all(|it| outer.contains(it));
    let mut found: Vec<Term> = Vec::new();
    if sort == terms.int_sort() {
        for part in &parts {
            let Some((Operator::Equal | Operator::Less | Operator::LessEqual, operands)) =
                terms.as_operation(*part)
            else {
                continue;
            };
            let [left, right] = *operands else { continue };
            if terms.sort_of(left) != sort {
                continue;
            }
            let Some((factor, rest)) = border(terms, variable, left, right) else { continue };
            if !is_known(terms, rest) {
                continue;
            }
            // The comparison changes where `factor * variable + rest` passes 0.
            let negated = terms.negate(rest);
            let factor = terms.int(factor);
            let at = terms.int_divide(negated, factor);
            let one = terms.int(1);
            found.extend([at, terms.add(at, one), terms.subtract(at, one)]);
        }
    }
    found.extend(parts.iter().copied().filter(|part| terms.sort_of(*part) == sort && is_known(terms, *part)));
    if found.is_empty() && sort == terms.int_sort() {
        found.push(terms.int(0));
    }
    let mut distinct: Vec<Term> = Vec::new();
    for value in found {
        if !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    distinct
}

/// `left - right` as a multiple of the variable and a rest without it; none if it is not linear in it.
fn border(terms: &mut Terms, variable: Bound, left: Term, right: Term) -> Option<(BigInt, Term)> {
    let (left_factor, left_rest) = linear(terms, variable, left)?;
    let (right_factor, right_rest) = linear(terms, variable, right)?;
    let factor = left_factor - right_factor;
    if factor == BigInt::ZERO {
        return None;
    }
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
