//! Replacing terms by terms, without capturing variables and without recursion.

use std::sync::Arc;

use rustc_hash::FxHashMap;

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
    /// Variables that a quantifier inside `root` binds are renamed where a replacement mentions them.
    pub fn substitute(&mut self, root: Term, replacements: &FxHashMap<Term, Term>) -> Term {
        if replacements.is_empty() {
            return root;
        }
        let captured: Vec<Bound> = {
            let mut variables: Vec<Bound> =
                replacements.values().flat_map(|value| self.free_variables(*value).iter().copied()).collect();
            variables.sort_unstable();
            variables.dedup();
            variables
        };
        let mut images = replacements.clone();
        for term in self.reachable(&[root]) {
            if images.contains_key(&term) {
                continue;
            }
            let image = self.rebuild(term, &images, &captured);
            images.insert(term, image);
        }
        images[&root]
    }

    fn rebuild(&mut self, term: Term, images: &FxHashMap<Term, Term>, captured: &[Bound]) -> Term {
        match self.node(term).clone() {
            Node::Bool(_) | Node::Int(_) | Node::Real(_) | Node::Bound(_) => term,
            Node::Apply(function, arguments) => {
                let mapped: Vec<Term> = arguments.iter().map(|argument| images[argument]).collect();
                if *mapped == *arguments { term } else { self.apply(function, &mapped) }
            }
            Node::Operation(operator, operands) => {
                let mapped: Vec<Term> = operands.iter().map(|operand| images[operand]).collect();
                if *mapped == *operands { term } else { self.operate(operator, &mapped) }
            }
            Node::Quantified(quantifier) => self.rebuild_quantifier(term, &quantifier, images, captured),
        }
    }

    fn rebuild_quantifier(
        &mut self,
        term: Term,
        quantifier: &Quantifier,
        images: &FxHashMap<Term, Term>,
        captured: &[Bound],
    ) -> Term {
        let mut body = images[&quantifier.body];
        let mut triggers: Vec<Vec<Term>> = quantifier
            .triggers
            .iter()
            .map(|trigger| trigger.iter().map(|pattern| images[pattern]).collect())
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
            body = self.substitute(renamed_body, images);
            triggers = renamed_triggers
                .iter()
                .map(|trigger| trigger.iter().map(|pattern| self.substitute(*pattern, images)).collect())
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
