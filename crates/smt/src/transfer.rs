//! Carrying terms from one table into another, in a form that does not depend on the table they come from.
//!
//! Bound variables get canonical ids: their name, their sort, and how deep quantifiers nest below the one that binds
//! them. Two formulas that differ in the identity of variables only therefore become one term.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::node::{Bound, Node, Quantifier, Term};
use crate::terms::Terms;

impl Terms {
    /// Builds terms of another table in this one. Functions are identified by name.
    pub fn import(&mut self, from: &Terms, roots: &[Term]) -> Vec<Term> {
        let reachable = from.reachable(roots);
        let variables = self.canonical_variables(from, &reachable);
        let mut images: FxHashMap<Term, Term> = FxHashMap::default();
        for term in reachable {
            let sort = self.import_sort(from, from.sort_of(term));
            let node = match from.node(term) {
                Node::Bound(bound) => Node::Bound(match variables.get(bound) {
                    Some(variable) => *variable,
                    None => {
                        let name: Arc<str> = Arc::from(from.bound_name(*bound));
                        self.fresh_bound(&name, sort)
                    }
                }),
                Node::Apply(function, arguments) => Node::Apply(
                    self.import_function(from, *function),
                    arguments.iter().map(|argument| images[argument]).collect(),
                ),
                Node::Operation(operator, operands) => {
                    Node::Operation(*operator, operands.iter().map(|operand| images[operand]).collect())
                }
                Node::Quantified(quantifier) => Node::Quantified(Arc::new(Quantifier {
                    variables: quantifier.variables.iter().map(|bound| variables[bound]).collect(),
                    triggers: quantifier
                        .triggers
                        .iter()
                        .map(|trigger| trigger.iter().map(|pattern| images[pattern]).collect())
                        .collect(),
                    body: images[&quantifier.body],
                    ..(**quantifier).clone()
                })),
                literal @ (Node::Bool(_) | Node::Int(_) | Node::Real(_)) => literal.clone(),
            };
            let image = self.intern(node, sort);
            images.insert(term, image);
        }
        roots.iter().map(|root| images[root]).collect()
    }

    /// The terms with canonical bound variables.
    pub fn canonical(&mut self, roots: &[Term]) -> Vec<Term> {
        let mut small = Terms::new();
        let exported = small.import(self, roots);
        self.import(&small, &exported)
    }

    /// Which variable of this table stands for each bound variable of the other.
    fn canonical_variables(&mut self, from: &Terms, reachable: &[Term]) -> FxHashMap<Bound, Bound> {
        // How deep quantifiers nest in each term, and the deepest use of each variable.
        let mut heights: FxHashMap<Term, u32> = FxHashMap::default();
        let mut levels: FxHashMap<Bound, (u32, u32)> = FxHashMap::default();
        for term in reachable {
            let mut height = 0;
            from.for_each_child(*term, &mut |child| height = height.max(heights[&child]));
            if let Node::Quantified(quantifier) = from.node(*term) {
                height += 1;
                for (index, bound) in quantifier.variables.iter().enumerate() {
                    let level = levels.entry(*bound).or_insert((height, index as u32));
                    *level = (*level).max((height, index as u32));
                }
            }
            heights.insert(*term, height);
        }
        let mut images = FxHashMap::default();
        let mut bound: Vec<_> = levels.into_iter().collect();
        bound.sort_unstable();
        for (variable, (height, index)) in bound {
            let sort = self.import_sort(from, from.bound_sort(variable));
            images.insert(variable, self.canonical_bound(from.bound_name(variable), sort, height, index));
        }
        if is_faithful(from, reachable, &images) {
            return images;
        }
        for (variable, image) in &mut images {
            let sort = self.bound_sort(*image);
            *image = self.fresh_bound(from.bound_name(*variable), sort);
        }
        images
    }
}

/// Whether no two variables that occur together became one.
fn is_faithful(from: &Terms, reachable: &[Term], images: &FxHashMap<Bound, Bound>) -> bool {
    reachable.iter().all(|term| {
        let Node::Quantified(quantifier) = from.node(*term) else { return true };
        let mut seen = FxHashSet::default();
        let free = from.free_variables(*term).iter().chain(quantifier.variables.iter());
        free.filter_map(|variable| images.get(variable)).all(|image| seen.insert(*image))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn positive(terms: &mut Terms, name: &str) -> Term {
        let int = terms.int_sort();
        let bound = terms.fresh_bound(name, int);
        let (variable, zero) = (terms.bound(bound), terms.int(0));
        let body = terms.less(zero, variable);
        terms.forall(&[bound], &[], body, "positive")
    }

    #[test]
    fn formulas_that_differ_in_the_identity_of_variables_become_one() {
        let mut terms = Terms::new();
        let (first, second) = (positive(&mut terms, "x"), positive(&mut terms, "x"));
        assert_ne!(first, second);
        let canonical = terms.canonical(&[first, second]);
        assert_eq!(canonical[0], canonical[1]);
    }

    #[test]
    fn nested_variables_of_one_name_stay_apart() {
        let mut terms = Terms::new();
        let int = terms.int_sort();
        let (outer, inner) = (terms.fresh_bound("x", int), terms.fresh_bound("x", int));
        let (left, right) = (terms.bound(outer), terms.bound(inner));
        let body = terms.less(left, right);
        let some = terms.exists(&[inner], &[], body, "some");
        let all = terms.forall(&[outer], &[], some, "all");
        let mut other = Terms::new();
        let image = other.import(&terms, &[all])[0];
        let Node::Quantified(forall) = other.node(image).clone() else { panic!("a quantifier") };
        let Node::Quantified(exists) = other.node(forall.body).clone() else { panic!("a quantifier") };
        assert_ne!(forall.variables, exists.variables);
        assert!(other.is_closed(image));
    }
}
