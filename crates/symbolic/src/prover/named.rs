//! What axioms say of the values that a question names.
//!
//! An axiom about all values of a type of the program, such as that each is made by one of the constructors, is looked at
//! where its patterns match: where somebody asks which constructor that is. Before a goal is called violated it is said of
//! all values that have a name, so that two values of a type with one constructor are the same.

use smt::{Node, QuantifierKind, Term, Terms};

use super::written::Written;
use crate::limits;

/// Axioms with one variable of a type of the program, for all terms of the question with that type.
pub(super) fn of_named_values(
    terms: &mut Terms,
    written: &Written<'_>,
    axioms: &[Term],
    roots: &[Term],
) -> Vec<Term> {
    let parts = terms.reachable(roots);
    let mut found: Vec<Term> = Vec::new();
    for axiom in axioms {
        let Node::Quantified(quantifier) = terms.node(*axiom).clone() else { continue };
        let [variable] = quantifier.variables[..] else { continue };
        let sort = terms.bound_sort(variable);
        let is_of_program = written.is_written(&quantifier) && written.is_declared_sort(terms, sort);
        if quantifier.kind != QuantifierKind::Forall || !is_of_program {
            continue;
        }
        let named = parts.iter().filter(|part| terms.sort_of(**part) == sort && terms.is_closed(**part));
        let named: Vec<Term> = named.take(limits::NAMED_VALUES).copied().collect();
        for value in named {
            found.push(terms.substitute_bound(quantifier.body, &[(variable, value)]));
        }
    }
    found
}
