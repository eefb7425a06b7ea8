//! One-way matching of terms: for which values of variables is a pattern a given term?
//!
//! Sums with one summand that has no variables are solved, so that `s[i + 1]` matches `s[k]` for `i` equal to `k - 1`.

use smt::{Bound, Node, Operator, Term, Terms};

/// Values for the variables, in their order, for which each pattern equals its target. All variables must be determined.
pub(super) fn match_all(
    terms: &mut Terms,
    variables: &[Bound],
    patterns: &[Term],
    targets: &[Term],
) -> Option<Vec<Term>> {
    let mut values: Vec<Option<Term>> = vec![None; variables.len()];
    let mut stack: Vec<(Term, Term)> = patterns.iter().copied().zip(targets.iter().copied()).rev().collect();
    while let Some((pattern, target)) = stack.pop() {
        if !mentions(terms, pattern, variables) {
            if pattern != target {
                return None;
            }
            continue;
        }
        match terms.node(pattern).clone() {
            Node::Bound(bound) => {
                let place = variables.iter().position(|variable| *variable == bound)?;
                match values[place] {
                    None => values[place] = Some(target),
                    Some(value) if value == target => {}
                    Some(_) => return None,
                }
            }
            Node::Apply(function, arguments) => match terms.as_application(target) {
                Some((other, others)) if other == function => {
                    stack.extend(arguments.iter().copied().zip(others.iter().copied()).rev());
                }
                _ => return None,
            },
            Node::Operation(operator @ (Operator::Add | Operator::Subtract), operands)
                if operands.len() == 2 =>
            {
                let (left, right) = (operands[0], operands[1]);
                match (mentions(terms, left, variables), mentions(terms, right, variables)) {
                    (true, false) if operator == Operator::Add => {
                        stack.push((left, terms.subtract(target, right)))
                    }
                    (true, false) => stack.push((left, terms.add(target, right))),
                    (false, true) if operator == Operator::Add => {
                        stack.push((right, terms.subtract(target, left)))
                    }
                    (false, true) => stack.push((right, terms.subtract(left, target))),
                    _ => push_operands(terms, operator, &operands, target, &mut stack)?,
                }
            }
            Node::Operation(operator, operands) => {
                push_operands(terms, operator, &operands, target, &mut stack)?;
            }
            Node::Bool(_) | Node::Int(_) | Node::Real(_) | Node::Quantified(_) => return None,
        }
    }
    values.into_iter().collect()
}

fn push_operands(
    terms: &Terms,
    operator: Operator,
    operands: &[Term],
    target: Term,
    stack: &mut Vec<(Term, Term)>,
) -> Option<()> {
    match terms.as_operation(target) {
        Some((other, others)) if other == operator && others.len() == operands.len() => {
            stack.extend(operands.iter().copied().zip(others.iter().copied()).rev());
            Some(())
        }
        _ => None,
    }
}

pub(super) fn mentions(terms: &Terms, term: Term, variables: &[Bound]) -> bool {
    terms.free_variables(term).iter().any(|free| variables.contains(free))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixture {
        terms: Terms,
        variables: [Bound; 2],
        x: Term,
        y: Term,
        a: Term,
        b: Term,
    }

    fn fixture() -> Fixture {
        let mut terms = Terms::new();
        let int = terms.int_sort();
        let variables = [terms.fresh_bound("x", int), terms.fresh_bound("y", int)];
        let [x, y] = variables.map(|variable| terms.bound(variable));
        let (a, b) = (terms.fresh_constant("a", int), terms.fresh_constant("b", int));
        Fixture { terms, variables, x, y, a, b }
    }

    #[test]
    fn arguments_of_the_same_function_are_matched() {
        let Fixture { mut terms, variables, x, y, a, b } = fixture();
        let int = terms.int_sort();
        let f = terms.function("f", &[int, int], int);
        let (pattern, target) = (terms.apply(f, &[x, y]), terms.apply(f, &[b, a]));
        assert_eq!(match_all(&mut terms, &variables, &[pattern], &[target]), Some(vec![b, a]));
        let g = terms.function("g", &[int, int], int);
        let other = terms.apply(g, &[b, a]);
        assert_eq!(match_all(&mut terms, &variables, &[pattern], &[other]), None);
    }

    #[test]
    fn a_repeated_variable_needs_the_same_value() {
        let Fixture { mut terms, variables, x, a, b, .. } = fixture();
        let one = &variables[..1];
        assert_eq!(match_all(&mut terms, one, &[x, x], &[a, a]), Some(vec![a]));
        assert_eq!(match_all(&mut terms, one, &[x, x], &[a, b]), None);
    }

    #[test]
    fn every_variable_must_be_determined() {
        let Fixture { mut terms, variables, x, a, .. } = fixture();
        assert_eq!(match_all(&mut terms, &variables, &[x], &[a]), None);
    }

    #[test]
    fn sums_are_solved() {
        let Fixture { mut terms, variables, x, a, b, .. } = fixture();
        let one = &variables[..1];
        let number = terms.int(1);
        let pattern = terms.add(x, number);
        let expected = terms.subtract(a, number);
        assert_eq!(match_all(&mut terms, one, &[pattern], &[a]), Some(vec![expected]));
        let shifted = terms.add(b, number);
        assert_eq!(match_all(&mut terms, one, &[pattern], &[shifted]), Some(vec![b]));
        let reversed = terms.subtract(b, x);
        let expected = terms.subtract(b, a);
        assert_eq!(match_all(&mut terms, one, &[reversed], &[a]), Some(vec![expected]));
    }
}
