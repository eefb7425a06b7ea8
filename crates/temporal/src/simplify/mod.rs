//! Rewrites a formula in negative normal form into an equivalent one that translates better.
//!
//! The rules are those of Somenzi and Bloem (CAV'00) and Etessami and Holzmann (CONCUR'00), with the eventual and
//! universal formulas of the latter, as collected in the manual of Spot. Only one rule of each dual pair is
//! written: `F`, `U`, `W` and `|` directly, `G`, `R`, `M` and `&` through the negation.

mod containment;
mod disjunction;
mod implication;
mod properties;
mod temporal;

use rustc_hash::FxHashMap;

use crate::bdd::{Bdd, BddManager};
use crate::formula::{Formula, FormulaStore, Node};
use crate::limits;
use crate::normal_form::negative_normal_form;
pub(crate) use properties::Properties;

/// Simplifies a formula; the result is in negative normal form and equivalent.
pub fn simplify(store: &mut FormulaStore, formula: Formula) -> Formula {
    if store.depth(formula) > limits::DEPTH {
        return formula;
    }
    Simplifier::default().simplify(store, formula)
}

/// The caches of a series of simplifications over one store.
#[derive(Default)]
pub(crate) struct Simplifier {
    simplified: FxHashMap<Formula, Formula>,
    negations: FxHashMap<Formula, Formula>,
    properties: FxHashMap<Formula, Properties>,
    implications: FxHashMap<(Formula, Formula), bool>,
    booleans: FxHashMap<Formula, Bdd>,
    manager: BddManager,
    /// Whether suspendable operands are drawn under a neighbouring `F` or `G`, which can save the initial state.
    gather: bool,
    /// Whether `F (a & e)` with eventual `e` is read as "at the first `a`", which has fewer choices.
    first: bool,
    /// Whether implications are also looked for in automata, and how often that was done.
    semantic: bool,
    questions: u32,
    contained: FxHashMap<(Formula, Formula), bool>,
}

impl Simplifier {
    pub(crate) fn gathering() -> Simplifier {
        Simplifier { gather: true, ..Simplifier::default() }
    }

    pub(crate) fn taking_the_first() -> Simplifier {
        Simplifier { first: true, ..Simplifier::default() }
    }

    pub(crate) fn semantic() -> Simplifier {
        Simplifier { semantic: true, ..Simplifier::default() }
    }

    pub(crate) fn simplify(&mut self, store: &mut FormulaStore, formula: Formula) -> Formula {
        let normal = negative_normal_form(store, formula, false);
        self.rewrite(store, normal)
    }

    /// The negation of a formula in negative normal form, in that form again.
    pub(crate) fn negate(&mut self, store: &mut FormulaStore, formula: Formula) -> Formula {
        if let Some(result) = self.negations.get(&formula) {
            return *result;
        }
        let result = negative_normal_form(store, formula, true);
        self.negations.insert(formula, result);
        self.negations.insert(result, formula);
        result
    }

    fn rewrite(&mut self, store: &mut FormulaStore, formula: Formula) -> Formula {
        if let Some(result) = self.simplified.get(&formula) {
            return *result;
        }
        let mut current = formula;
        for _ in 0..limits::REWRITING_STEPS {
            let inner = self.rewrite_operands(store, current);
            let next = self.rewrite_root(store, inner);
            if next == current {
                break;
            }
            current = next;
            if let Some(result) = self.simplified.get(&current) {
                current = *result;
                break;
            }
        }
        self.simplified.insert(formula, current);
        self.simplified.insert(current, current);
        current
    }

    fn rewrite_operands(&mut self, store: &mut FormulaStore, formula: Formula) -> Formula {
        match store.node(formula).clone() {
            Node::And(list) => {
                let operands: Vec<Formula> = list.iter().map(|a| self.rewrite(store, *a)).collect();
                store.and(operands)
            }
            Node::Or(list) => {
                let operands: Vec<Formula> = list.iter().map(|a| self.rewrite(store, *a)).collect();
                store.or(operands)
            }
            Node::Next(a) => {
                let a = self.rewrite(store, a);
                store.next(a)
            }
            Node::Eventually(a) => {
                let a = self.rewrite(store, a);
                store.eventually(a)
            }
            Node::Always(a) => {
                let a = self.rewrite(store, a);
                store.always(a)
            }
            Node::Until(a, b) => {
                let (a, b) = (self.rewrite(store, a), self.rewrite(store, b));
                store.until(a, b)
            }
            Node::Release(a, b) => {
                let (a, b) = (self.rewrite(store, a), self.rewrite(store, b));
                store.release(a, b)
            }
            Node::WeakUntil(a, b) => {
                let (a, b) = (self.rewrite(store, a), self.rewrite(store, b));
                store.weak_until(a, b)
            }
            Node::StrongRelease(a, b) => {
                let (a, b) = (self.rewrite(store, a), self.rewrite(store, b));
                store.strong_release(a, b)
            }
            _ => formula,
        }
    }

    /// One step at the root; the formula itself if no rule applies.
    fn rewrite_root(&mut self, store: &mut FormulaStore, formula: Formula) -> Formula {
        let result = match store.node(formula) {
            Node::Always(_) | Node::Release(..) | Node::StrongRelease(..) | Node::And(_) => {
                let dual = self.negate(store, formula);
                let result = self.apply(store, dual);
                if result == Some(dual) { None } else { result.map(|result| self.negate(store, result)) }
            }
            _ => self.apply(store, formula),
        };
        result.unwrap_or(formula)
    }

    fn apply(&mut self, store: &mut FormulaStore, formula: Formula) -> Option<Formula> {
        match store.node(formula).clone() {
            Node::Next(a) => self.rewrite_next(store, a),
            Node::Eventually(a) => self.rewrite_eventually(store, a),
            Node::Until(a, b) => self.rewrite_until(store, a, b),
            Node::WeakUntil(a, b) => self.rewrite_weak_until(store, a, b),
            Node::Or(list) => self.rewrite_or(store, &list),
            _ => None,
        }
    }
}
