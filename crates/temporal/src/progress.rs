//! What is left of a formula after one letter, straight from the expansion laws: `G f` is `f ∧ X G f`, and so on
//! (Bacchus, Kabanza, AIJ 2000). A formula of which nothing but *false* is left is refuted by what was read, whatever
//! follows. Nothing here knows automata. Not every refuting word is recognised, as nothing is simplified but what the
//! constructors of formulas simplify; what is recognised refutes.

use rustc_hash::FxHashMap;

use crate::evaluate::Valuation;
use crate::formula::{Formula, FormulaStore, Node};
use crate::limits;

/// The formula that has to hold from the next letter on, for this one to hold from this letter on. None where formulas
/// get too deep.
pub fn progress(store: &mut FormulaStore, formula: Formula, letter: Valuation) -> Option<Formula> {
    Progress { store, letter, known: FxHashMap::default() }.of(formula)
}

struct Progress<'s> {
    store: &'s mut FormulaStore,
    letter: Valuation,
    known: FxHashMap<Formula, Formula>,
}

impl Progress<'_> {
    fn of(&mut self, formula: Formula) -> Option<Formula> {
        if let Some(known) = self.known.get(&formula) {
            return Some(*known);
        }
        if self.store.depth(formula) > limits::DEPTH {
            return None;
        }
        let result = match self.store.node(formula).clone() {
            Node::True | Node::False => formula,
            Node::Atom(atom) => {
                let value = atom.0 < Valuation::BITS && self.letter >> atom.0 & 1 == 1;
                self.store.constant(value)
            }
            Node::Not(operand) => {
                let operand = self.of(operand)?;
                self.store.not(operand)
            }
            Node::And(operands) => {
                let operands =
                    operands.iter().map(|operand| self.of(*operand)).collect::<Option<Vec<_>>>()?;
                self.store.and(operands)
            }
            Node::Or(operands) => {
                let operands =
                    operands.iter().map(|operand| self.of(*operand)).collect::<Option<Vec<_>>>()?;
                self.store.or(operands)
            }
            Node::Implies(left, right) => {
                let (left, right) = (self.of(left)?, self.of(right)?);
                self.store.implies(left, right)
            }
            Node::Equivalent(left, right) => {
                let (left, right) = (self.of(left)?, self.of(right)?);
                self.store.equivalent(left, right)
            }
            Node::Xor(left, right) => {
                let (left, right) = (self.of(left)?, self.of(right)?);
                self.store.xor(left, right)
            }
            Node::Next(operand) => operand,
            Node::Eventually(operand) => {
                let now = self.of(operand)?;
                self.store.or([now, formula])
            }
            Node::Always(operand) => {
                let now = self.of(operand)?;
                self.store.and([now, formula])
            }
            // Until and weak until, release and strong release differ only in what may go on for ever.
            Node::Until(left, right) | Node::WeakUntil(left, right) => {
                let (left, right) = (self.of(left)?, self.of(right)?);
                let later = self.store.and([left, formula]);
                self.store.or([right, later])
            }
            Node::Release(left, right) | Node::StrongRelease(left, right) => {
                let (left, right) = (self.of(left)?, self.of(right)?);
                let later = self.store.or([left, formula]);
                self.store.and([right, later])
            }
        };
        self.known.insert(formula, result);
        Some(result)
    }
}

/// The part of a formula that a letter makes false and the formula with it: the conjunct, what must always hold. The
/// formula itself where no part is to blame alone.
pub fn refuted_part(store: &mut FormulaStore, formula: Formula, letter: Valuation) -> Formula {
    let mut part = formula;
    loop {
        let candidates: Vec<Formula> = match store.node(part).clone() {
            Node::And(operands) => operands.to_vec(),
            Node::Always(operand) => vec![operand],
            Node::Release(_, right) | Node::StrongRelease(_, right) => vec![right],
            _ => Vec::new(),
        };
        let is_refuted = |candidate: &&Formula| {
            let left = progress(store, **candidate, letter);
            left == Some(store.falsum())
        };
        match candidates.iter().find(is_refuted) {
            Some(smaller) => part = *smaller,
            None => return part,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dialect, Lasso, evaluate, parse};

    fn read(store: &mut FormulaStore, text: &str) -> Formula {
        let (formula, diagnostics) = parse(store, source::FileId(0), text, Dialect::Spin);
        assert!(diagnostics.is_empty(), "{text}: {diagnostics:?}");
        formula
    }

    /// After which letter nothing but false is left, and which part was to blame.
    fn refuted(text: &str, word: &[Valuation]) -> Option<(usize, String)> {
        let mut store = FormulaStore::with_propositions(["p", "q", "r"]);
        let mut formula = read(&mut store, text);
        for (index, letter) in word.iter().enumerate() {
            let left = progress(&mut store, formula, *letter)?;
            if left == store.falsum() {
                let part = refuted_part(&mut store, formula, *letter);
                return Some((index, crate::display(&store, part, Dialect::Spin).to_string()));
            }
            formula = left;
        }
        None
    }

    const P: Valuation = 1;
    const Q: Valuation = 2;

    #[test]
    fn safety_is_refuted_where_it_becomes_false() {
        assert_eq!(refuted("[] p", &[P, P, 0, P]), Some((2, "p".to_string())));
        assert_eq!(refuted("[] (p -> q)", &[0, Q, P | Q, P]), Some((3, "p -> q".to_string())));
        assert_eq!(refuted("[] (p -> X q)", &[0, P, 0]), Some((2, "q".to_string())));
        assert_eq!(refuted("p W q", &[P, P, 0]).map(|found| found.0), Some(2));
        assert_eq!(refuted("p W q", &[P, Q, 0]), None);
        assert_eq!(refuted("[] p && <> q", &[P, 0]), Some((1, "p".to_string())));
        assert_eq!(refuted("<> q", &[0, 0, 0]), None);
        assert_eq!(refuted("[] (p -> <> q)", &[P, 0, 0]), None);
    }

    /// What is left holds on the rest exactly where the formula holds on the whole.
    #[test]
    fn progress_keeps_the_value() {
        let texts = [
            "p U (q V p)",
            "(p W q) U X p",
            "!(p U q) || [] <> p",
            "p <-> X q",
            "<> (p && X !q)",
            "(p V q) V p",
            "!([] (p -> q))",
        ];
        for text in texts {
            for bits in 0..1_u64 << 12 {
                let letters: Vec<Valuation> = (0..6).map(|at| bits >> (2 * at) & 3).collect();
                let mut store = FormulaStore::with_propositions(["p", "q", "r"]);
                let formula = read(&mut store, text);
                let whole = Lasso { stem: letters[..3].to_vec(), cycle: letters[3..].to_vec() };
                let rest = Lasso { stem: letters[1..3].to_vec(), cycle: letters[3..].to_vec() };
                let left = progress(&mut store, formula, letters[0]).expect("it is not deep");
                assert_eq!(evaluate(&store, formula, &whole), evaluate(&store, left, &rest), "{text}");
            }
        }
    }
}
