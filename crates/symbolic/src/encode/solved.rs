//! Quantifiers whose patterns would hold sums: `forall i :: f(i + 1)`.
//!
//! A solver does not find `f(7)` by the pattern `f(i + 1)`. The sum takes every value once as `i` does, so the quantifier
//! says the same with the sum as its variable: `forall j :: f(j)`, where the body has `j - 1` for `i`. Sums that are left
//! over in a pattern may be anything: they become variables that only the pattern mentions.

use smt::{Bound, Node, Operator, QuantifierKind, Term, Terms};

use crate::limits;

/// A quantifier over what its patterns can be matched for.
pub(crate) fn quantify(
    terms: &mut Terms,
    kind: QuantifierKind,
    variables: &[Bound],
    triggers: &[Vec<Term>],
    body: Term,
    name: &str,
    weight: Option<u32>,
) -> Term {
    let has_sum = |trigger: &Vec<Term>| !sums(terms, trigger, variables).is_empty();
    if triggers.is_empty() || !triggers.iter().all(has_sum) {
        return terms.quantify(kind, variables, triggers, body, name, weight);
    }
    let mut parts: Vec<Term> = Vec::new();
    for trigger in triggers {
        let Some(solved) = solve(terms, variables, trigger, body) else { continue };
        let Solved { variables, trigger, body } = solved;
        parts.push(terms.quantify(kind, &variables, &[trigger], body, name, weight));
        // Each says the same; of something that exists it is enough to say it once.
        if parts.len() == limits::QUANTIFIERS_OF_ONE || kind == QuantifierKind::Exists {
            break;
        }
    }
    if parts.is_empty() {
        return terms.quantify(kind, variables, triggers, body, name, weight);
    }
    terms.all(parts)
}

struct Solved {
    variables: Vec<Bound>,
    trigger: Vec<Term>,
    body: Term,
}

/// The same quantifier with sums of the trigger as variables, if the trigger then has all of them.
fn solve(terms: &mut Terms, variables: &[Bound], trigger: &[Term], body: Term) -> Option<Solved> {
    let mut variables = variables.to_vec();
    let mut trigger = trigger.to_vec();
    let mut body = body;
    for _ in 0..variables.len() {
        let bare = bare_variables(terms, &trigger);
        let found = sums(terms, &trigger, &variables).into_iter().find_map(|sum| {
            let place = variables.iter().position(|variable| {
                let occurs = terms.free_variables(sum).contains(variable);
                occurs
                    && !bare.contains(variable)
                    && terms.bound_sort(*variable) == terms.sort_of(sum)
                    && is_solvable(terms, sum, *variable)
            })?;
            Some((sum, place))
        });
        let Some((sum, place)) = found else { break };
        let sort = terms.sort_of(sum);
        let fresh = terms.fresh_bound("sum", sort);
        let value = terms.bound(fresh);
        let old = variables[place];
        let solution = inverse(terms, sum, old, value)?;
        let image = |terms: &mut Terms, term: Term| {
            let replaced = terms.substitute(term, &[(sum, value)].into_iter().collect());
            terms.substitute_bound(replaced, &[(old, solution)])
        };
        trigger = trigger.into_iter().map(|pattern| image(terms, pattern)).collect();
        body = image(terms, body);
        variables[place] = fresh;
    }
    for sum in sums(terms, &trigger, &variables) {
        let sort = terms.sort_of(sum);
        let fresh = terms.fresh_bound("any", sort);
        let value = terms.bound(fresh);
        let replacement = [(sum, value)].into_iter().collect();
        trigger = trigger.into_iter().map(|pattern| terms.substitute(pattern, &replacement)).collect();
        variables.push(fresh);
    }
    let is_covered =
        |variable: &Bound| trigger.iter().any(|pattern| terms.free_variables(*pattern).contains(variable));
    variables.iter().all(is_covered).then_some(Solved { variables, trigger, body })
}

/// The largest parts of patterns that are no applications and mention a variable without being one.
fn sums(terms: &Terms, trigger: &[Term], variables: &[Bound]) -> Vec<Term> {
    let mut found = Vec::new();
    let mut stack: Vec<Term> = trigger.iter().rev().copied().collect();
    while let Some(term) = stack.pop() {
        match terms.node(term) {
            Node::Apply(_, arguments) => stack.extend(arguments.iter().rev()),
            Node::Operation(..)
                if terms.free_variables(term).iter().any(|variable| variables.contains(variable))
                    && !found.contains(&term) =>
            {
                found.push(term);
            }
            _ => {}
        }
    }
    found
}

/// Variables that are arguments of applications.
fn bare_variables(terms: &Terms, trigger: &[Term]) -> Vec<Bound> {
    let mut found = Vec::new();
    let mut stack = trigger.to_vec();
    while let Some(term) = stack.pop() {
        match terms.node(term) {
            Node::Apply(_, arguments) => stack.extend(arguments.iter()),
            Node::Bound(variable) => found.push(*variable),
            _ => {}
        }
    }
    found
}

/// Which operand of a sum has the variable, if just one has it.
fn side(terms: &Terms, operands: &[Term], variable: Bound) -> Option<usize> {
    let has = |operand: &Term| terms.free_variables(*operand).contains(&variable);
    match operands {
        [left, right] if has(left) != has(right) => Some(usize::from(has(right))),
        _ => None,
    }
}

fn is_solvable(terms: &Terms, sum: Term, variable: Bound) -> bool {
    match terms.node(sum) {
        Node::Bound(bound) => *bound == variable,
        Node::Operation(Operator::Add | Operator::Subtract, operands) => {
            side(terms, operands, variable).is_some_and(|side| is_solvable(terms, operands[side], variable))
        }
        _ => false,
    }
}

/// The variable's value for which the sum has a value.
fn inverse(terms: &mut Terms, sum: Term, variable: Bound, value: Term) -> Option<Term> {
    let (mut sum, mut value) = (sum, value);
    loop {
        let (operator, operands) = match terms.node(sum) {
            Node::Bound(bound) if *bound == variable => return Some(value),
            Node::Operation(operator, operands) => (*operator, operands.to_vec()),
            _ => return None,
        };
        let side = side(terms, &operands, variable)?;
        let other = operands[1 - side];
        value = match (operator, side) {
            (Operator::Add, _) => terms.subtract(value, other),
            (Operator::Subtract, 0) => terms.add(value, other),
            (Operator::Subtract, _) => terms.subtract(other, value),
            _ => return None,
        };
        sum = operands[side];
    }
}
