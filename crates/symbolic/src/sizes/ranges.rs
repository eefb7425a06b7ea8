//! Ranges of integers that quantifiers put into collections.
//!
//! Where a body compares its variable with literals and asks whether it is an element, and does nothing else with it, it
//! says the same of all values outside of these literals that are no elements.

use smt::{BigInt, Operator, Term};

use super::said::{Claim, Said};
use crate::engine::Engine;
use crate::limits;

impl<'p> Engine<'p> {
    /// What makes claims known where all elements have names: instances for the names and for all literals, and that
    /// nothing is said of what is neither. None if there is more to what they say.
    pub(super) fn known_by_names(&mut self, said: &Said, names: &[Term]) -> Option<Vec<Term>> {
        let mut facts = Vec::new();
        for claim in said.bounding.iter().chain(&said.filling) {
            let terms = &mut self.encoder.terms;
            let sort = terms.bound_sort(claim.variable);
            for name in names.iter().filter(|name| terms.sort_of(**name) == sort).copied().collect::<Vec<_>>()
            {
                let instance = self.encoder.terms.substitute_bound(claim.body, &[(claim.variable, name)]);
                facts.push(self.lemma(claim, instance));
            }
        }
        for claim in &said.filling {
            let outside = self.with_members(claim, false);
            let Some((first, last)) = self.compared_literals(claim)? else {
                facts.push(self.lemma(claim, outside));
                continue;
            };
            for value in values(&(first.clone() - 1), &(last.clone() + 1)) {
                let is_outside = value < first || value > last;
                let terms = &mut self.encoder.terms;
                let literal = terms.int(value);
                let body = if is_outside { outside } else { claim.body };
                let instance = terms.substitute_bound(body, &[(claim.variable, literal)]);
                facts.push(self.lemma(claim, instance));
            }
        }
        Some(facts)
    }

    /// The least and the largest literal that a variable is compared with, if there are any; none if something else is
    /// done with it, or there are too many between them.
    fn compared_literals(&mut self, claim: &Claim) -> Option<Option<(BigInt, BigInt)>> {
        let mut found: Option<(BigInt, BigInt)> = None;
        let mut work = vec![claim.body];
        while let Some(part) = work.pop() {
            if !self.encoder.terms.free_variables(part).contains(&claim.variable) {
                continue;
            }
            let variable = self.encoder.terms.bound(claim.variable);
            if let Some((collection, element)) = self.membership(part)
                && element == variable
                && self.encoder.terms.is_closed(collection)
            {
                continue;
            }
            let terms = &self.encoder.terms;
            let (operator, operands) = terms.as_operation(part)?;
            let is_comparison = matches!(operator, Operator::Equal | Operator::Less | Operator::LessEqual);
            let literal = match *operands {
                [left, right] if is_comparison && left == variable => terms.as_int(right),
                [left, right] if is_comparison && right == variable => terms.as_int(left),
                _ => None,
            };
            match (literal.cloned(), found.take()) {
                (Some(literal), Some((first, last))) => {
                    found = Some((first.min(literal.clone()), last.max(literal)));
                }
                (Some(literal), None) => found = Some((literal.clone(), literal)),
                (None, before) => {
                    found = before;
                    work.extend(operands);
                }
            }
        }
        let is_short =
            found.as_ref().is_none_or(|(first, last)| last - first <= limits::MEMBERS_COMPARED.into());
        is_short.then_some(found)
    }

    /// The integers that have to be elements by what a claim says; if there are none, those that may be.
    pub(super) fn members_by_claim(&mut self, claim: &Claim) -> Vec<Term> {
        let Some(Some((first, last))) = self.compared_literals(claim) else { return Vec::new() };
        let (with, without) = (self.with_members(claim, true), self.with_members(claim, false));
        let (mut needed, mut possible) = (Vec::new(), Vec::new());
        for value in values(&first, &last) {
            let terms = &mut self.encoder.terms;
            let literal = terms.int(value);
            let [with, without] =
                [with, without].map(|body| terms.substitute_bound(body, &[(claim.variable, literal)]));
            if terms.is_false(without) {
                needed.push(literal);
            }
            if !terms.is_false(with) {
                possible.push(literal);
            }
        }
        if needed.is_empty() { possible } else { needed }
    }
}

/// All integers from one to another.
fn values(first: &BigInt, last: &BigInt) -> Vec<BigInt> {
    let mut values = Vec::new();
    let mut value = first.clone();
    while value <= *last {
        values.push(value.clone());
        value += 1;
    }
    values
}
