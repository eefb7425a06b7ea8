//! Families of symbols: what is introduced for a term is the same function for all terms that differ in constants only.
//!
//! The inverse functions of `forall i :: 0 <= i && i < n ==> acc(loc(a, i).f)` are functions of `n` and `a`, so that
//! equal arrays have equal inverses, and patterns match them.

use rustc_hash::{FxHashMap, FxHashSet};
use smt::{Bound, Function, Node, Sort, Term};

use crate::engine::Engine;

/// The variables and the terms without their constants, and what tells symbols for the same terms apart.
pub(super) type Key = (Vec<Term>, &'static str, usize);

impl<'p> Engine<'p> {
    /// Closed applications in the terms, largest ones only, in order of occurrence.
    fn parameters(&self, roots: &[Term]) -> Vec<Term> {
        let terms = &self.encoder.terms;
        let mut found = Vec::new();
        let mut seen = FxHashSet::default();
        let mut stack: Vec<Term> = roots.iter().rev().copied().collect();
        while let Some(term) = stack.pop() {
            if !seen.insert(term) {
                continue;
            }
            match terms.node(term) {
                Node::Apply(..) if terms.is_closed(term) => found.push(term),
                Node::Apply(_, parts) | Node::Operation(_, parts) => stack.extend(parts.iter().rev()),
                // What is introduced for a term depends on the constants in its quantifiers, too.
                Node::Quantified(_) => {
                    let mut parts = Vec::new();
                    terms.for_each_child(term, &mut |part| parts.push(part));
                    stack.extend(parts.into_iter().rev());
                }
                Node::Bool(_) | Node::Int(_) | Node::Real(_) | Node::Bound(_) => {}
            }
        }
        found
    }

    /// The term with the same variables in all quantifiers that differ in the names of theirs only. Patterns do not
    /// matter to what it says.
    fn with_canonical_quantifiers(&mut self, root: Term) -> Term {
        let terms = &self.encoder.terms;
        let is_quantified = |term: &Term| matches!(terms.node(*term), Node::Quantified(_));
        if !terms.reachable(&[root]).iter().any(is_quantified) {
            return root;
        }
        self.canonical(root, 0, &mut FxHashMap::default())
    }

    /// As above, inside of so many variables. Terms share their parts, so each is done once.
    fn canonical(&mut self, root: Term, level: usize, known: &mut FxHashMap<(Term, usize), Term>) -> Term {
        if let Some(done) = known.get(&(root, level)) {
            return *done;
        }
        let result = match self.encoder.terms.node(root).clone() {
            Node::Quantified(quantifier) => {
                let mut renaming = Vec::new();
                for (place, variable) in quantifier.variables.iter().enumerate() {
                    let terms = &mut self.encoder.terms;
                    let sort = terms.bound_sort(*variable);
                    let table = &mut self.member.quantified.inner_variables;
                    let key = (sort, level + place);
                    let new = *table.entry(key).or_insert_with(|| terms.fresh_bound("y", sort));
                    renaming.push((*variable, new));
                }
                let level = level + renaming.len();
                let terms = &mut self.encoder.terms;
                let images: Vec<(Bound, Term)> =
                    renaming.iter().map(|(old, new)| (*old, terms.bound(*new))).collect();
                let body = terms.substitute_bound(quantifier.body, &images);
                let body = self.canonical(body, level, known);
                let variables: Vec<Bound> = renaming.into_iter().map(|(_, new)| new).collect();
                self.encoder.terms.quantify(quantifier.kind, &variables, &[], body, "", None)
            }
            Node::Apply(function, parts) => {
                let new: Vec<Term> = parts.iter().map(|part| self.canonical(*part, level, known)).collect();
                if *new == *parts { root } else { self.encoder.terms.apply(function, &new) }
            }
            Node::Operation(operator, parts) => {
                let new: Vec<Term> = parts.iter().map(|part| self.canonical(*part, level, known)).collect();
                if *new == *parts { root } else { self.encoder.terms.operate(operator, &new) }
            }
            Node::Bool(_) | Node::Int(_) | Node::Real(_) | Node::Bound(_) => root,
        };
        known.insert((root, level), result);
        result
    }

    /// Whether a symbol is one that is shared by terms which differ in constants only.
    pub(crate) fn is_of_family(&self, symbol: Function) -> bool {
        self.member.quantified.families.values().any(|known| *known == symbol)
    }

    /// A function over the constants of the terms and further arguments; the same for terms that differ in constants
    /// only. Gives the constants as well. The terms are over variables of their own.
    pub(super) fn family(
        &mut self,
        stem: &'static str,
        index: usize,
        own: &[Bound],
        roots: &[Term],
        further: &[Sort],
        result: Sort,
    ) -> (Function, Vec<Term>) {
        let roots: Vec<Term> = roots.iter().map(|root| self.with_canonical_quantifiers(*root)).collect();
        let parameters = self.parameters(&roots);
        let sorts: Vec<Sort> = parameters.iter().map(|term| self.encoder.terms.sort_of(*term)).collect();
        let variables: Vec<Bound> = sorts
            .iter()
            .enumerate()
            .map(|(place, sort)| {
                let terms = &mut self.encoder.terms;
                let table = &mut self.member.quantified.parameters;
                *table.entry((*sort, place)).or_insert_with(|| terms.fresh_bound("p", *sort))
            })
            .collect();
        let variables = self.bound_terms(&variables);
        let mut replacements: FxHashMap<Term, Term> = parameters.iter().copied().zip(variables).collect();
        let mut skeleton: Vec<Term> = Vec::new();
        // The variables of a shape depend on how deep it is; the family does not.
        for (place, variable) in own.iter().enumerate() {
            let terms = &mut self.encoder.terms;
            let sort = terms.bound_sort(*variable);
            let table = &mut self.member.quantified.variables;
            let canonical = *table.entry((sort, place)).or_insert_with(|| terms.fresh_bound("x", sort));
            let (old, new) = (terms.bound(*variable), terms.bound(canonical));
            replacements.insert(old, new);
            skeleton.push(new);
        }
        skeleton.extend(roots.iter().map(|root| self.encoder.terms.substitute(*root, &replacements)));
        let key: Key = (skeleton, stem, index);
        if let Some(function) = self.member.quantified.families.get(&key) {
            return (*function, parameters);
        }
        let all: Vec<Sort> = sorts.iter().chain(further).copied().collect();
        let function = self.encoder.terms.fresh_function(stem, &all, result);
        self.member.quantified.families.insert(key, function);
        (function, parameters)
    }
}
