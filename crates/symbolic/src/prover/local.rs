//! Which of the quantifiers that a program assumes are known by their instances.
//!
//! A solver that has instantiated all that its patterns match has values for the terms that occur, and nothing else. That is
//! a counterexample if the functions of the program can be given values everywhere else, too. Ge and de Moura ("Complete
//! instantiation for quantified formulas in satisfiability modulo theories", 2009) show for which bodies they can: those
//! where variables are arguments of free functions and are compared with what is fixed, and nothing more (essentially
//! uninterpreted, section 3). What is said at one value then says nothing about another one.
//!
//! `g(i) == g(i + 1)` is not like that: it ties each value to the next, up to those that occur. Neither are `g(inc(i)) == i`
//! where `inc` has a definition, `g(|s|)` for all sequences `s`, and `i < j ==> g(i) < g(j)` for integers, between which
//! there are only so many others.

use rustc_hash::{FxHashMap, FxHashSet};
use smt::{BigInt, Bound, Node, Operator, Quantifier, Term, Terms};

use super::borders::border;
use super::written::Written;

/// Whether nothing follows from it but what its instances for the terms that occur say.
pub(super) fn is_local(terms: &mut Terms, written: &Written<'_>, quantifier: &Quantifier) -> bool {
    let parts = terms.reachable(&[quantifier.body]);
    let mut shifts: FxHashMap<Bound, Term> = FxHashMap::default();
    for part in parts.iter().copied() {
        if !has_any(terms, part, &quantifier.variables) {
            continue;
        }
        let is_local = match terms.node(part).clone() {
            Node::Apply(function, arguments) => {
                (!written.has_laws(terms, function) || has_keys(terms, written, quantifier, part, &parts))
                    && arguments
                        .iter()
                        .all(|argument| is_plain_argument(terms, written, quantifier, *argument, &mut shifts))
            }
            Node::Operation(Operator::Equal | Operator::Less | Operator::LessEqual, operands) => {
                let [left, right] = operands[..] else { return false };
                is_loose(terms, written, quantifier, left, right)
            }
            _ => true,
        };
        if !is_local {
            return false;
        }
    }
    if is_turned_around(terms, written, quantifier, &parts) {
        return false;
    }
    quantifier.variables.iter().all(|variable| {
        written.is_plain_sort(terms, terms.bound_sort(*variable))
            || is_given_to_function(terms, written, *variable, &parts)
    })
}

/// Whether each variable that a function with laws is applied to is an argument of something free as well: there the body can
/// be made true whatever the laws say.
fn has_keys(
    terms: &mut Terms,
    written: &Written<'_>,
    quantifier: &Quantifier,
    application: Term,
    parts: &[Term],
) -> bool {
    let free = terms.free_variables(application).to_vec();
    free.into_iter().filter(|variable| quantifier.variables.contains(variable)).all(|variable| {
        let bare = terms.bound(variable);
        parts.iter().any(|part| {
            terms.as_application(*part).is_some_and(|(function, arguments)| {
                arguments.contains(&bare) && !written.has_laws(terms, function)
            })
        })
    })
}

/// Whether an argument is a variable, always at the same distance, or the value of another function that is free.
fn is_plain_argument(
    terms: &mut Terms,
    written: &Written<'_>,
    quantifier: &Quantifier,
    argument: Term,
    shifts: &mut FxHashMap<Bound, Term>,
) -> bool {
    if !has_any(terms, argument, &quantifier.variables) {
        return true;
    }
    let sort = terms.sort_of(argument);
    if sort == terms.bool_sort() {
        // A condition: what it compares is looked at as every comparison is.
        return true;
    }
    let variables = terms.free_variables(argument).to_vec();
    match terms.node(argument).clone() {
        // What a definition says of its value may be said of another value, too.
        Node::Apply(function, _) if written.is_defined(terms, function) => false,
        Node::Apply(_, inner) => inner.iter().all(|part| {
            let is_fixed = !has_any(terms, *part, &quantifier.variables);
            is_fixed || written.is_plain_sort(terms, terms.sort_of(*part))
        }),
        Node::Quantified(_) => false,
        _ if sort != terms.int_sort() => variables.len() == 1 && argument == terms.bound(variables[0]),
        _ => {
            let own: Vec<Bound> =
                variables.into_iter().filter(|it| quantifier.variables.contains(it)).collect();
            let [variable] = own[..] else { return false };
            let zero = terms.int(0);
            match border(terms, variable, argument, zero) {
                Some((factor, shift)) if factor == BigInt::from(1) => {
                    *shifts.entry(variable).or_insert(shift) == shift
                }
                _ => false,
            }
        }
    }
}

/// Whether a comparison of two variables leaves open what they are apart: what is said of two that are far from each other
/// has to hold of two that are the same. Otherwise there have to be different values for them, in order, and of integers
/// there are only so many.
fn is_loose(
    terms: &mut Terms,
    written: &Written<'_>,
    quantifier: &Quantifier,
    left: Term,
    right: Term,
) -> bool {
    let Some((one, other)) = compared(terms, quantifier, left, right) else {
        return !compares_distances(terms, quantifier, left, right);
    };
    let comparisons: Vec<(Term, Operator, [Term; 2])> = terms
        .reachable(&[quantifier.body])
        .into_iter()
        .filter_map(|part| match terms.as_operation(part) {
            Some((operator @ (Operator::Equal | Operator::Less | Operator::LessEqual), &[left, right])) => {
                Some((part, operator, [left, right]))
            }
            _ => None,
        })
        .collect();
    for is_first_smaller in [true, false] {
        let mut truth: FxHashMap<Term, Term> = FxHashMap::default();
        for (part, operator, [left, right]) in &comparisons {
            let pair = compared(terms, quantifier, *left, *right);
            if pair != Some((one, other)) && pair != Some((other, one)) {
                continue;
            }
            let is_rising = match border(terms, one, *left, *right) {
                Some((factor, _)) => factor > BigInt::ZERO,
                None => return false,
            };
            let is_true = *operator != Operator::Equal && is_rising == is_first_smaller;
            truth.insert(*part, terms.boolean(is_true));
        }
        let body = terms.substitute(quantifier.body, &truth);
        let same = terms.bound(one);
        let body = terms.substitute_bound(body, &[(other, same)]);
        if !terms.is_true(body) {
            return tells_references_apart(terms, written, quantifier);
        }
    }
    true
}

/// The two variables that a comparison compares, themselves and nothing else.
fn compared(terms: &mut Terms, quantifier: &Quantifier, left: Term, right: Term) -> Option<(Bound, Bound)> {
    let variable_of = |term: Term| match terms.node(term) {
        Node::Bound(variable) if quantifier.variables.contains(variable) => Some(*variable),
        _ => None,
    };
    let pair = (variable_of(left)?, variable_of(right)?);
    (pair.0 != pair.1).then_some(pair)
}

/// Whether a comparison is about the distance, or a sum, of several variables.
fn compares_distances(terms: &Terms, quantifier: &Quantifier, left: Term, right: Term) -> bool {
    let own = quantifier.variables.iter();
    own.filter(|variable| mentions(terms, &[left, right], &|term| is_bound(terms, *term, **variable))).count()
        > 1
}

/// Whether all that the body says of values of functions is which references are the same, or what is true of them: of
/// references there are always more.
fn tells_references_apart(terms: &Terms, written: &Written<'_>, quantifier: &Quantifier) -> bool {
    terms.reachable(&[quantifier.body]).into_iter().all(|part| {
        let is_applied = |term: &Term| {
            let below = terms.reachable(&[*term]);
            below
                .iter()
                .any(|it| terms.as_application(*it).is_some() && has_any(terms, *it, &quantifier.variables))
        };
        match terms.as_operation(part) {
            Some((Operator::Equal | Operator::Less | Operator::LessEqual, operands)) => {
                !operands.iter().any(is_applied)
                    || operands.iter().all(|it| written.is_reference_sort(terms, terms.sort_of(*it)))
            }
            _ => true,
        }
    })
}

/// Whether a body may say that a function has an inverse where there are only so many values, as with `h(g(i)) == i`: it
/// applies a function to a number or to data that another one gives, and says what that has to do with the variable.
fn is_turned_around(terms: &Terms, written: &Written<'_>, quantifier: &Quantifier, parts: &[Term]) -> bool {
    let is_applied =
        |term: &Term| terms.as_application(*term).is_some() && has_any(terms, *term, &quantifier.variables);
    let is_counted = |term: &Term| {
        let sort = terms.sort_of(*term);
        sort == terms.int_sort() || written.is_data_sort(terms, sort)
    };
    let is_nested = parts
        .iter()
        .filter_map(|part| terms.as_application(*part))
        .any(|(_, arguments)| arguments.iter().any(|argument| is_counted(argument) && is_applied(argument)));
    is_nested
        && parts.iter().any(|part| match terms.as_operation(*part) {
            Some((Operator::Equal | Operator::Less | Operator::LessEqual, operands)) => {
                mentions(terms, operands, &is_applied)
                    && mentions(terms, operands, &|term| {
                        quantifier.variables.iter().any(|variable| is_bound(terms, *term, *variable))
                    })
            }
            _ => false,
        })
}

/// Whether something is among the operands of operations, outside of all applications.
fn mentions(terms: &Terms, roots: &[Term], is_it: &dyn Fn(&Term) -> bool) -> bool {
    let mut work: Vec<Term> = roots.to_vec();
    // Terms share their parts, so each is looked at once.
    let mut seen: FxHashSet<Term> = FxHashSet::default();
    while let Some(part) = work.pop() {
        if is_it(&part) {
            return true;
        }
        if let Some((_, operands)) = terms.as_operation(part) {
            work.extend(operands.iter().filter(|operand| seen.insert(**operand)));
        }
    }
    false
}

fn is_bound(terms: &Terms, term: Term, variable: Bound) -> bool {
    matches!(terms.node(term), Node::Bound(bound) if *bound == variable)
}

/// Whether a function of the program is applied to a variable itself.
fn is_given_to_function(terms: &mut Terms, written: &Written<'_>, variable: Bound, parts: &[Term]) -> bool {
    let variable = terms.bound(variable);
    parts.iter().any(|part| {
        terms.as_application(*part).is_some_and(|(function, arguments)| {
            arguments.contains(&variable) && written.is_of_program(terms, function)
        })
    })
}

fn has_any(terms: &Terms, term: Term, variables: &[Bound]) -> bool {
    terms.free_variables(term).iter().any(|free| variables.contains(free))
}
