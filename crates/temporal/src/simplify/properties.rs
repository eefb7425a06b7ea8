//! Syntactic classes of formulas in negative normal form.
//!
//! A formula is *eventual* if it holds now whenever it holds later, and *universal* if it holds for ever once it
//! holds (Etessami and Holzmann 2000). A *guarantee* is decided true by finitely many letters, a *safety*
//! property false. All are sufficient conditions read off the syntax.

use super::Simplifier;
use crate::formula::{Formula, FormulaStore, Node};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Properties {
    /// No temporal operator.
    pub(crate) boolean: bool,
    pub(crate) eventual: bool,
    pub(crate) universal: bool,
    pub(crate) guarantee: bool,
    pub(crate) safety: bool,
}

impl Properties {
    /// Neither gained nor lost by waiting: `GF` and `FG` formulas and what is built of them.
    pub(crate) fn suspendable(self) -> bool {
        self.eventual && self.universal
    }

    fn both(self, other: Properties) -> Properties {
        Properties {
            boolean: self.boolean && other.boolean,
            eventual: self.eventual && other.eventual,
            universal: self.universal && other.universal,
            guarantee: self.guarantee && other.guarantee,
            safety: self.safety && other.safety,
        }
    }
}

impl Simplifier {
    /// The formula `F g` if the given one is `G F g` with a guarantee `g` that looks beyond the present.
    pub(crate) fn recurrent_guarantee(&mut self, store: &FormulaStore, formula: Formula) -> Option<Formula> {
        let Node::Always(eventually) = *store.node(formula) else { return None };
        let Node::Eventually(goal) = *store.node(eventually) else { return None };
        let properties = self.properties(store, goal);
        (properties.guarantee && !properties.boolean).then_some(eventually)
    }

    pub(crate) fn properties(&mut self, store: &FormulaStore, formula: Formula) -> Properties {
        if let Some(result) = self.properties.get(&formula) {
            return *result;
        }
        let constant =
            Properties { boolean: true, eventual: true, universal: true, guarantee: true, safety: true };
        let result = match store.node(formula) {
            Node::True | Node::False => constant,
            Node::Atom(_) | Node::Not(_) => Properties { eventual: false, universal: false, ..constant },
            Node::And(list) | Node::Or(list) => {
                list.iter().fold(constant, |all, operand| all.both(self.properties(store, *operand)))
            }
            Node::Next(a) => Properties { boolean: false, ..self.properties(store, *a) },
            Node::Eventually(a) => {
                let a = self.properties(store, *a);
                Properties { boolean: false, eventual: true, safety: false, ..a }
            }
            Node::Always(a) => {
                let a = self.properties(store, *a);
                Properties { boolean: false, universal: true, guarantee: false, ..a }
            }
            Node::Until(a, b) => {
                let (a, b) = (self.properties(store, *a), self.properties(store, *b));
                Properties { boolean: false, eventual: b.eventual, safety: false, ..a.both(b) }
            }
            Node::Release(a, b) => {
                let (a, b) = (self.properties(store, *a), self.properties(store, *b));
                Properties { boolean: false, universal: b.universal, guarantee: false, ..a.both(b) }
            }
            Node::WeakUntil(a, b) => {
                let (a, b) = (self.properties(store, *a), self.properties(store, *b));
                Properties { boolean: false, guarantee: false, ..a.both(b) }
            }
            Node::StrongRelease(a, b) => {
                let (a, b) = (self.properties(store, *a), self.properties(store, *b));
                Properties { boolean: false, safety: false, ..a.both(b) }
            }
            Node::Implies(..) | Node::Equivalent(..) | Node::Xor(..) => Properties {
                boolean: false,
                eventual: false,
                universal: false,
                guarantee: false,
                safety: false,
            },
        };
        self.properties.insert(formula, result);
        result
    }
}
