//! Replacing terms by terms, without capturing variables and without recursion.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::node::{Bound, Node, Operator, Quantifier, Term};
use crate::terms::Terms;

impl Terms {
    /// Replaces variables by terms.
    pub fn substitute_bound(&mut self, root: Term, replacements: &[(Bound, Term)]) -> Term {
        let mut images: FxHashMap<Term, Term> = FxHashMap::default();
        for (bound, term) in replacements {
            let variable = self.bound(*bound);
            images.insert(variable, *term);
        }
        self.substitute(root, &images)
    }

    /// Replaces every occurrence of the given terms, largest first; results are simplified again.
    ///
    /// Variables that a quantifier inside `root` binds are renamed where a replacement mentions them; what is to be
    /// replaced does not occur where a quantifier binds one of its variables.
    pub fn substitute(&mut self, root: Term, replacements: &FxHashMap<Term, Term>) -> Term {
        let Some(oldest) = replacements.keys().min().copied() else { return root };
        let replaced = self.variables_of(replacements.keys().copied());
        let captured = self.variables_of(replacements.values().copied());
        let only_variables = replacements.keys().all(|key| matches!(self.node(*key), Node::Bound(_)));
        let mut images = replacements.clone();
        for term in self.affected(root, oldest, only_variables.then_some(&replaced)) {
            if images.contains_key(&term) {
                continue;
            }
            let image = match self.node(term).clone() {
                Node::Quantified(quantifier) if shares(&quantifier.variables, &replaced) => {
                    self.substitute_below(term, &quantifier, replacements)
                }
                node => self.rebuild(term, &node, &images, replacements, &captured),
            };
            images.insert(term, image);
        }
        image_of(&images, root)
    }

    fn variables_of(&self, terms: impl Iterator<Item = Term>) -> Vec<Bound> {
        let mut variables: Vec<Bound> =
            terms.flat_map(|term| self.free_variables(term).iter().copied()).collect();
        variables.sort_unstable();
        variables.dedup();
        variables
    }

    /// Parts in which something may be replaced, parts before wholes.
    ///
    /// A term is younger than its parts, so nothing happens in what is older than `oldest`; and where only variables
    /// are replaced, nothing happens in what does not mention them.
    fn affected(&self, root: Term, oldest: Term, variables: Option<&Vec<Bound>>) -> Vec<Term> {
        let is_affected = |term: Term| {
            term >= oldest && variables.is_none_or(|variables| shares(self.free_variables(term), variables))
        };
        let mut seen = FxHashSet::default();
        let mut stack = vec![root];
        let mut found = Vec::new();
        while let Some(term) = stack.pop() {
            if is_affected(term) && seen.insert(term) {
                found.push(term);
                self.for_each_child(term, &mut |child| stack.push(child));
            }
        }
        found.sort_unstable();
        found
    }

    /// Inside a quantifier that binds a variable of what is to be replaced, which is then another variable.
    fn substitute_below(
        &mut self,
        term: Term,
        quantifier: &Quantifier,
        replacements: &FxHashMap<Term, Term>,
    ) -> Term {
        let remaining: FxHashMap<Term, Term> = replacements
            .iter()
            .filter(|(key, _)| !shares(&quantifier.variables, self.free_variables(**key)))
            .map(|(key, value)| (*key, *value))
            .collect();
        // At most one level for each variable that is replaced.
        self.substitute(term, &remaining)
    }

    fn rebuild(
        &mut self,
        term: Term,
        node: &Node,
        images: &FxHashMap<Term, Term>,
        replacements: &FxHashMap<Term, Term>,
        captured: &[Bound],
    ) -> Term {
        match node {
            Node::Bool(_) | Node::Int(_) | Node::Real(_) | Node::Bound(_) => term,
            Node::Apply(function, arguments) => {
                let mapped: Vec<Term> = arguments.iter().map(|part| image_of(images, *part)).collect();
                if *mapped == **arguments { term } else { self.apply(*function, &mapped) }
            }
            Node::Operation(operator, operands) => {
                let mapped: Vec<Term> = operands.iter().map(|part| image_of(images, *part)).collect();
                if *mapped == **operands { term } else { self.operate(*operator, &mapped) }
            }
            Node::Quantified(quantifier) => {
                self.rebuild_quantifier(term, quantifier, images, replacements, captured)
            }
        }
    }

    fn rebuild_quantifier(
        &mut self,
        term: Term,
        quantifier: &Quantifier,
        images: &FxHashMap<Term, Term>,
        replacements: &FxHashMap<Term, Term>,
        captured: &[Bound],
    ) -> Term {
        let mut body = image_of(images, quantifier.body);
        let mut triggers: Vec<Vec<Term>> = quantifier
            .triggers
            .iter()
            .map(|trigger| trigger.iter().map(|pattern| image_of(images, *pattern)).collect())
            .collect();
        if body == quantifier.body
            && triggers.iter().zip(quantifier.triggers.iter()).all(|(new, old)| **new == **old)
        {
            return term;
        }
        let mut variables = quantifier.variables.to_vec();
        if variables.iter().any(|variable| captured.binary_search(variable).is_ok()) {
            // The images already mix both meanings of the variable: rename first, then replace.
            let mut renaming: FxHashMap<Term, Term> = FxHashMap::default();
            for variable in &mut variables {
                let old = self.bound(*variable);
                let name: Arc<str> = Arc::from(self.bound_name(*variable));
                let sort = self.bound_sort(*variable);
                *variable = self.fresh_bound(&name, sort);
                let new = self.bound(*variable);
                renaming.insert(old, new);
            }
            let renamed_body = self.substitute(quantifier.body, &renaming);
            let renamed_triggers: Vec<Vec<Term>> = quantifier
                .triggers
                .iter()
                .map(|trigger| trigger.iter().map(|pattern| self.substitute(*pattern, &renaming)).collect())
                .collect();
            body = self.substitute(renamed_body, replacements);
            triggers = renamed_triggers
                .iter()
                .map(|trigger| {
                    trigger.iter().map(|pattern| self.substitute(*pattern, replacements)).collect()
                })
                .collect();
        }
        self.quantify(quantifier.kind, &variables, &triggers, body, &quantifier.name, quantifier.weight)
    }

    /// An operation by its operator, simplified.
    pub fn operate(&mut self, operator: Operator, operands: &[Term]) -> Term {
        match (operator, operands) {
            (Operator::Not, [term]) => self.not(*term),
            (Operator::And, terms) => self.all(terms.iter().copied()),
            (Operator::Or, terms) => self.any(terms.iter().copied()),
            (Operator::Implies, [left, right]) => self.implies(*left, *right),
            (Operator::Equal, [left, right]) => self.equal(*left, *right),
            (Operator::IfThenElse, [condition, then, otherwise]) => {
                self.if_then_else(*condition, *then, *otherwise)
            }
            (Operator::Add, [left, right]) => self.add(*left, *right),
            (Operator::Subtract, [left, right]) => self.subtract(*left, *right),
            (Operator::Multiply, [left, right]) => self.multiply(*left, *right),
            (Operator::IntDivide, [left, right]) => self.int_divide(*left, *right),
            (Operator::IntModulo, [left, right]) => self.int_modulo(*left, *right),
            (Operator::RealDivide, [left, right]) => self.real_divide(*left, *right),
            (Operator::Less, [left, right]) => self.less(*left, *right),
            (Operator::LessEqual, [left, right]) => self.less_equal(*left, *right),
            (Operator::IntToReal, [term]) => self.int_to_real(*term),
            _ => {
                debug_assert!(false, "{operator:?} with {} operands", operands.len());
                let sort =
                    operands.first().map_or_else(|| self.bool_sort(), |operand| self.sort_of(*operand));
                self.operation(operator, operands, sort)
            }
        }
    }
}

/// Have the two a variable in common? The second is ascending.
fn shares(variables: &[Bound], ascending: &[Bound]) -> bool {
    variables.iter().any(|variable| ascending.binary_search(variable).is_ok())
}

/// What is not in the table stays as it is.
fn image_of(images: &FxHashMap<Term, Term>, term: Term) -> Term {
    images.get(&term).copied().unwrap_or(term)
}
