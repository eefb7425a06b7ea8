//! Negative normal form: negations on atoms only, and no `->`, `<->`, `xor`.
//!
//! Every other operator has its dual (`U`/`R`, `W`/`M`, `F`/`G`), so the form is not larger than the formula but
//! for equivalences, whose two sides are written twice; hash-consing keeps that linear.

use rustc_hash::FxHashMap;

use crate::formula::{Formula, FormulaStore, Node};

/// The negative normal form of the formula, or of its negation.
pub(crate) fn negative_normal_form(store: &mut FormulaStore, formula: Formula, negated: bool) -> Formula {
    let mut cache = FxHashMap::default();
    convert(store, formula, negated, &mut cache)
}

fn convert(
    store: &mut FormulaStore,
    formula: Formula,
    negated: bool,
    cache: &mut FxHashMap<(Formula, bool), Formula>,
) -> Formula {
    if let Some(result) = cache.get(&(formula, negated)) {
        return *result;
    }
    let node = store.node(formula).clone();
    let result = match node {
        Node::True | Node::False | Node::Atom(_) if negated => store.not(formula),
        Node::True | Node::False | Node::Atom(_) => formula,
        Node::Not(a) => convert(store, a, !negated, cache),
        Node::And(list) | Node::Or(list) => {
            let conjunction = matches!(store.node(formula), Node::And(_)) != negated;
            let operands: Vec<Formula> = list.iter().map(|a| convert(store, *a, negated, cache)).collect();
            if conjunction { store.and(operands) } else { store.or(operands) }
        }
        Node::Implies(a, b) => {
            let left = convert(store, a, !negated, cache);
            let right = convert(store, b, negated, cache);
            if negated { store.and([left, right]) } else { store.or([left, right]) }
        }
        Node::Equivalent(a, b) => equivalence(store, a, b, !negated, cache),
        Node::Xor(a, b) => equivalence(store, a, b, negated, cache),
        Node::Next(a) => {
            let a = convert(store, a, negated, cache);
            store.next(a)
        }
        Node::Eventually(a) | Node::Always(a) => {
            let eventually = matches!(store.node(formula), Node::Eventually(_)) != negated;
            let a = convert(store, a, negated, cache);
            if eventually { store.eventually(a) } else { store.always(a) }
        }
        Node::Until(a, b) | Node::Release(a, b) => {
            let until = matches!(store.node(formula), Node::Until(..)) != negated;
            let (a, b) = (convert(store, a, negated, cache), convert(store, b, negated, cache));
            if until { store.until(a, b) } else { store.release(a, b) }
        }
        Node::WeakUntil(a, b) | Node::StrongRelease(a, b) => {
            let weak = matches!(store.node(formula), Node::WeakUntil(..)) != negated;
            let (a, b) = (convert(store, a, negated, cache), convert(store, b, negated, cache));
            if weak { store.weak_until(a, b) } else { store.strong_release(a, b) }
        }
    };
    cache.insert((formula, negated), result);
    result
}

fn equivalence(
    store: &mut FormulaStore,
    a: Formula,
    b: Formula,
    equal: bool,
    cache: &mut FxHashMap<(Formula, bool), Formula>,
) -> Formula {
    let (a_true, a_false) = (convert(store, a, false, cache), convert(store, a, true, cache));
    let (b_true, b_false) = (convert(store, b, false, cache), convert(store, b, true, cache));
    let (first, second) = if equal { (b_true, b_false) } else { (b_false, b_true) };
    let both = store.and([a_true, first]);
    let neither = store.and([a_false, second]);
    store.or([both, neither])
}
