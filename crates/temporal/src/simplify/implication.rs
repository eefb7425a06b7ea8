//! Whether one formula implies another, as far as their syntax shows (Somenzi and Bloem, CAV'00).
//!
//! Formulas are in negative normal form. A positive answer is certain, a negative one is not. Formulas without
//! temporal operators are compared exactly.

use super::Simplifier;
use crate::bdd::Bdd;
use crate::formula::{Formula, FormulaStore, Node};
use crate::limits;

impl Simplifier {
    pub(crate) fn implies(&mut self, store: &FormulaStore, f: Formula, g: Formula) -> bool {
        if f == g || f == store.falsum() || g == store.verum() {
            return true;
        }
        if f == store.verum() && store.as_constant(g).is_some() {
            return false;
        }
        if let Some(known) = self.implications.get(&(f, g)) {
            return *known;
        }
        if self.implications.len() > limits::IMPLICATION_PAIRS {
            return false;
        }
        let result = self.compute_implies(store, f, g);
        self.implications.insert((f, g), result);
        result
    }

    /// Whether one formula implies the other, by syntax or, if this simplifier does so, by automata.
    pub(crate) fn entails(&mut self, store: &mut FormulaStore, f: Formula, g: Formula) -> bool {
        if self.implies(store, f, g) {
            return true;
        }
        if let Some(known) = self.contained.get(&(f, g)) {
            return *known;
        }
        let result = self.contained(store, f, g);
        self.contained.insert((f, g), result);
        result
    }

    /// Whether the disjunction of the two is valid.
    pub(crate) fn covers(&mut self, store: &mut FormulaStore, f: Formula, g: Formula) -> bool {
        let negated = self.negate(store, f);
        self.entails(store, negated, g)
    }

    fn compute_implies(&mut self, store: &FormulaStore, f: Formula, g: Formula) -> bool {
        let (properties_f, properties_g) = (self.properties(store, f), self.properties(store, g));
        if properties_f.boolean && properties_g.boolean {
            let (f, g) = (self.boolean(store, f), self.boolean(store, g));
            return self.manager.implies(f, g) && !self.manager.is_exhausted();
        }
        // Conjunctions on the right and disjunctions on the left lose nothing by being taken apart.
        if let Node::Or(list) = store.node(f) {
            return list.iter().all(|a| self.implies(store, *a, g));
        }
        if let Node::And(list) = store.node(g) {
            return list.iter().all(|b| self.implies(store, f, *b));
        }
        let weakened = self.implies_by_left(store, f, g, properties_g.eventual);
        weakened || self.implies_by_right(store, f, g, properties_f.universal)
    }

    /// Weakens the left side.
    fn implies_by_left(&mut self, store: &FormulaStore, f: Formula, g: Formula, g_eventual: bool) -> bool {
        match store.node(f) {
            Node::And(list) => list.iter().any(|a| self.implies(store, *a, g)),
            Node::Always(a) => self.implies(store, *a, g),
            Node::Eventually(a) => g_eventual && self.implies(store, *a, g),
            Node::Next(a) => g_eventual && self.implies(store, *a, g),
            Node::Until(a, b) => self.implies(store, *b, g) && (g_eventual || self.implies(store, *a, g)),
            Node::WeakUntil(a, b) => self.implies(store, *a, g) && self.implies(store, *b, g),
            Node::Release(_, b) => self.implies(store, *b, g),
            Node::StrongRelease(a, b) => {
                self.implies(store, *b, g) || g_eventual && self.implies(store, *a, g)
            }
            _ => false,
        }
    }

    /// Strengthens the right side, or compares operators of both sides.
    fn implies_by_right(&mut self, store: &FormulaStore, f: Formula, g: Formula, f_universal: bool) -> bool {
        match (store.node(f), store.node(g)) {
            (_, Node::Or(list)) if list.iter().any(|b| self.implies(store, f, *b)) => true,
            (Node::Next(a), Node::Next(b)) if self.implies(store, *a, *b) => true,
            (_, Node::Next(b)) => f_universal && self.implies(store, f, *b),
            (_, Node::Eventually(b)) => self.implies(store, f, *b),
            (_, Node::Always(b)) => f_universal && self.implies(store, f, *b),
            (_, Node::Until(c, d)) => {
                self.implies(store, f, *d)
                    || match store.node(f) {
                        Node::Until(a, b) => self.implies(store, *a, *c) && self.implies(store, *b, *d),
                        Node::StrongRelease(a, b) => {
                            self.implies(store, *b, *c)
                                && (self.implies(store, *a, *d) || self.implies(store, *b, *d))
                        }
                        _ => false,
                    }
            }
            (_, Node::WeakUntil(c, d)) => {
                self.implies(store, f, *d)
                    || f_universal && self.implies(store, f, *c)
                    || match store.node(f) {
                        Node::Until(a, b) | Node::WeakUntil(a, b) => {
                            self.implies(store, *a, *c) && self.implies(store, *b, *d)
                        }
                        Node::Release(a, b) | Node::StrongRelease(a, b) => {
                            self.implies(store, *b, *c)
                                && (self.implies(store, *a, *d) || self.implies(store, *b, *d))
                        }
                        _ => false,
                    }
            }
            (_, Node::Release(c, d)) => {
                self.implies(store, f, *d) && (f_universal || self.implies(store, f, *c))
                    || match store.node(f) {
                        Node::Release(a, b) | Node::StrongRelease(a, b) => {
                            self.implies(store, *a, *c) && self.implies(store, *b, *d)
                        }
                        Node::Until(a, b) | Node::WeakUntil(a, b) => {
                            self.implies(store, *a, *d)
                                && self.implies(store, *b, *c)
                                && self.implies(store, *b, *d)
                        }
                        _ => false,
                    }
            }
            (_, Node::StrongRelease(c, d)) => {
                self.implies(store, f, *d) && self.implies(store, f, *c)
                    || match store.node(f) {
                        Node::StrongRelease(a, b) => {
                            self.implies(store, *a, *c) && self.implies(store, *b, *d)
                        }
                        Node::Until(a, b) => {
                            self.implies(store, *a, *d)
                                && self.implies(store, *b, *c)
                                && self.implies(store, *b, *d)
                        }
                        _ => false,
                    }
            }
            _ => false,
        }
    }

    fn boolean(&mut self, store: &FormulaStore, formula: Formula) -> Bdd {
        if let Some(bdd) = self.booleans.get(&formula) {
            return *bdd;
        }
        let result = match store.node(formula) {
            Node::True => Bdd::TRUE,
            Node::Atom(atom) => self.manager.variable(atom.0),
            Node::Not(a) => {
                let a = self.boolean(store, *a);
                self.manager.not(a)
            }
            Node::And(list) => list.iter().fold(Bdd::TRUE, |all, a| {
                let a = self.boolean(store, *a);
                self.manager.and(all, a)
            }),
            Node::Or(list) => list.iter().fold(Bdd::FALSE, |any, a| {
                let a = self.boolean(store, *a);
                self.manager.or(any, a)
            }),
            _ => Bdd::FALSE,
        };
        self.booleans.insert(formula, result);
        result
    }
}
