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

use smt::{BigInt, Bound, Node, Operator, Quantifier, QuantifierKind, Term, Terms};

/// Values that are tried for one variable, and for several together.
const MAX_VALUES: usize = 24;
const MAX_CHOICES: usize = 64;

/// How far quantifiers are looked for below operations and other quantifiers.
const MAX_DEPTH: usize = 200;

/// Questions with instances of what the solver does not look at.
pub(super) struct Instances {
    found: bool,
    is_complete: bool,
}

impl Instances {
    pub(super) fn new() -> Instances {
        Instances { found: false, is_complete: true }
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
        if depth > MAX_DEPTH || terms.sort_of(term) != terms.bool_sort() {
            return term;
        }
        match terms.node(term).clone() {
            Node::Operation(operator, operands) => {
                let images: Vec<Term> =
                    operands.iter().map(|operand| self.walk(terms, *operand, depth + 1)).collect();
                if images[..] == operands[..] { term } else { terms.operate(operator, &images) }
            }
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
        let mut choices: Vec<Vec<(Bound, Term)>> = vec![Vec::new()];
        for variable in quantifier.variables.iter() {
            let values = values(terms, *variable, quantifier.body, &outer);
            choices = choices
                .iter()
                .flat_map(|choice| {
                    values.iter().map(move |value| {
                        let mut longer = choice.clone();
                        longer.push((*variable, *value));
                        longer
                    })
                })
                .collect();
            if choices.len() > MAX_CHOICES {
                self.is_complete = false;
                choices.truncate(MAX_CHOICES);
            }
        }
        let mut parts = vec![whole];
        for choice in choices.iter().filter(|choice| choice.len() == quantifier.variables.len()) {
            parts.push(terms.substitute_bound(body, choice));
        }
        match quantifier.kind {
            QuantifierKind::Forall => terms.all(parts),
            QuantifierKind::Exists => terms.any(parts),
        }
    }
}

/// Whether nothing in the body can be a trigger.
fn is_unseen(terms: &Terms, quantifier: &Quantifier) -> bool {
    let mentions = |part: &Term| {
        terms.free_variables(*part).iter().any(|variable| quantifier.variables.contains(variable))
    };
    let parts = terms.reachable(&[quantifier.body]);
    quantifier.triggers.is_empty()
        && !parts.iter().any(|part| terms.as_application(*part).is_some() && mentions(part))
}

/// Whether the values of [`values`] are all that matter: there is one variable, an integer, and the body compares it
/// with others by itself.
fn is_exact(terms: &mut Terms, quantifier: &Quantifier) -> bool {
    let [variable] = &quantifier.variables[..] else { return false };
    let variable_term = terms.bound(*variable);
    if terms.sort_of(variable_term) != terms.int_sort() {
        return false;
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
    distinct.truncate(MAX_VALUES);
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
