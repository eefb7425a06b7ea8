//! Which terms a solver accepts as patterns of quantifiers.

use smt::{Bound, CollectionKind, FunctionKind, Node, Operator, Term, Terms};

use super::Encoder;

/// The triggers that can be matched: of each list, the patterns that mention one of the variables.
///
/// A list is dropped if one of its patterns is no application or has something inside that solvers interpret; sums are
/// tolerated below the root. Whether the patterns that stay cover all variables is checked when the quantifier is built.
pub(crate) fn valid_triggers(terms: &Terms, variables: &[Bound], triggers: &[Vec<Term>]) -> Vec<Vec<Term>> {
    let mut valid: Vec<Vec<Term>> = Vec::new();
    for trigger in triggers {
        let mut patterns: Vec<Term> = Vec::new();
        for pattern in trigger {
            let mentions = terms.free_variables(*pattern).iter().any(|variable| variables.contains(variable));
            if mentions && !patterns.contains(pattern) {
                patterns.push(*pattern);
            }
        }
        if !patterns.is_empty()
            && patterns.iter().all(|pattern| is_pattern(terms, *pattern))
            && !valid.contains(&patterns)
        {
            valid.push(patterns);
        }
    }
    valid
}

fn is_pattern(terms: &Terms, pattern: Term) -> bool {
    match terms.as_application(pattern) {
        Some((function, _)) if terms.function_kind(function) == FunctionKind::Declared => {}
        _ => return false,
    }
    let is_allowed = |term: &Term| match terms.node(*term) {
        Node::Apply(..) | Node::Bound(_) | Node::Int(_) | Node::Real(_) | Node::Bool(_) => true,
        Node::Operation(operator, _) => matches!(operator, Operator::Add | Operator::Subtract),
        Node::Quantified(_) => false,
    };
    terms.reachable(&[pattern]).iter().all(|term| terms.is_closed(*term) || is_allowed(term))
}

impl Encoder<'_> {
    /// What a trigger has in place of a term: membership in a sequence also matches elements that are read by index.
    pub(crate) fn pattern(&mut self, term: Term) -> Term {
        let Some((_, &[sequence, element])) = self.terms.as_application(term) else { return term };
        let is_membership = self.theories.kind_of(self.terms.sort_of(sequence)) == Some(CollectionKind::Seq)
            && self.theories.element_of(self.terms.sort_of(sequence)) == Some(self.terms.sort_of(element))
            && self.terms.sort_of(term) == self.terms.bool_sort()
            && self.theories.seq_contains(&mut self.terms, sequence, element) == term;
        if is_membership {
            self.theories.seq_contains_trigger(&mut self.terms, sequence, element)
        } else {
            term
        }
    }
}
