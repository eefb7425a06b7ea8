//! Quantifiers with more patterns than they were written with.
//!
//! What is assumed of all values is looked at where a pattern of its author matches, and a pattern may be about little of
//! what the body says: with `forall k :: { f(k) } g(k) > 0`, nothing is known of `g(3)`. Before a goal is called violated,
//! such a quantifier is said once more, to be looked at wherever something occurs that its body speaks of. It is heavy
//! there: an instance may bring further terms that it matches again, without end.

use smt::{Bound, Quantifier, QuantifierKind, Term, Terms};

use super::witness::is_visible;
use crate::encode::{quantify, valid_triggers};
use crate::limits;

/// The quantifier with patterns that none of its own is a part of; `None` if there are none. `outer` are variables that
/// are bound further out.
pub(super) fn wider(terms: &mut Terms, quantifier: &Quantifier, body: Term, outer: &[Bound]) -> Option<Term> {
    let Quantifier { kind, variables, name, .. } = quantifier;
    let patterns = further_patterns(terms, quantifier, outer);
    let mut parts: Vec<Term> = Vec::new();
    for trigger in patterns {
        // One by one: a pattern with a sum needs variables of its own.
        parts.push(quantify(terms, *kind, variables, &[trigger], body, name, Some(limits::WIDER_WEIGHT)));
    }
    match kind {
        _ if parts.is_empty() => None,
        QuantifierKind::Forall => Some(terms.all(parts)),
        QuantifierKind::Exists => Some(terms.any(parts)),
    }
}

/// Lists of patterns that have all variables together: the smallest parts of the body that have some of them, as far as
/// the quantifier is not looked at for them anyway.
fn further_patterns(terms: &Terms, quantifier: &Quantifier, outer: &[Bound]) -> Vec<Vec<Term>> {
    let Quantifier { variables, triggers, body, .. } = quantifier;
    let own = |term: Term| -> Vec<Bound> {
        let free = terms.free_variables(term);
        variables.iter().filter(|variable| free.contains(variable)).copied().collect()
    };
    let visible: Vec<Bound> = variables.iter().chain(outer).copied().collect();
    let mut smallest: Vec<Term> = Vec::new();
    // Parts come before what they are parts of.
    for part in terms.reachable(&[*body]) {
        let has = own(part);
        if has.is_empty()
            || !is_visible(terms, part, &visible)
            || valid_triggers(terms, variables, &[vec![part]]).is_empty()
        {
            continue;
        }
        // Where a term occurs, so do its parts.
        let below = terms.reachable(&[part]);
        let is_covered = smallest.iter().any(|other| below.contains(other) && own(*other) == has);
        if !is_covered {
            smallest.push(part);
        }
    }
    let mut found: Vec<Vec<Term>> = Vec::new();
    for (index, one) in smallest.iter().enumerate() {
        if own(*one).len() == variables.len() {
            found.push(vec![*one]);
            continue;
        }
        for other in &smallest[index + 1..] {
            let both = [own(*one), own(*other)];
            let are_all = variables.iter().all(|variable| both.iter().any(|has| has.contains(variable)));
            if are_all && both.iter().all(|has| has.len() < variables.len()) {
                found.push(vec![*one, *other]);
            }
        }
    }
    found.retain(|patterns| {
        let below = terms.reachable(patterns);
        !triggers.iter().any(|trigger| trigger.iter().all(|pattern| below.contains(pattern)))
    });
    found.truncate(limits::WIDER_PATTERNS);
    found
}
