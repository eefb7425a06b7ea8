//! The value of a formula on an ultimately periodic word, straight from the semantics.
//!
//! A lasso has finitely many positions, so every subformula is a bit per position. Temporal operators are least
//! (`U`, `M`, `F`) or greatest (`R`, `W`, `G`) solutions of their expansion laws; two backward sweeps over the
//! cycle reach them. Nothing here knows automata: this is the oracle for everything that does.

use rustc_hash::FxHashMap;

use crate::formula::{Formula, FormulaStore, Node};

/// A set of atoms: bit `i` is the value of atom `i`.
pub type Valuation = u64;

/// The word `stem · cycle^ω`; the cycle of a proper word is not empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lasso {
    pub stem: Vec<Valuation>,
    pub cycle: Vec<Valuation>,
}

/// Whether the word satisfies the formula at its first position; an empty cycle repeats the last letter of the
/// stem (and the empty valuation if there is none), as a run that has stopped is continued.
///
/// Atoms from 64 on are not part of a [`Valuation`] and are false; use [`evaluate_with`] for them.
pub fn evaluate(store: &FormulaStore, formula: Formula, word: &Lasso) -> bool {
    let letters: Vec<Valuation> = word.stem.iter().chain(&word.cycle).copied().collect();
    let value =
        |position: usize, atom: u32| atom < 64 && letters.get(position).is_some_and(|v| v >> atom & 1 == 1);
    match (word.stem.len(), word.cycle.len()) {
        (0, 0) => evaluate_with(store, formula, 1, 0, |_, _| false),
        (stem, 0) => evaluate_with(store, formula, stem, stem - 1, value),
        (stem, cycle) => evaluate_with(store, formula, stem + cycle, stem, value),
    }
}

/// The same on `length` positions of which the last is followed by `back`; `value` gives an atom's value there.
pub fn evaluate_with(
    store: &FormulaStore,
    formula: Formula,
    length: usize,
    back: usize,
    value: impl Fn(usize, u32) -> bool,
) -> bool {
    if length == 0 {
        return false;
    }
    let mut table: FxHashMap<Formula, Vec<bool>> = FxHashMap::default();
    let mut work = vec![(formula, false)];
    while let Some((current, operands_done)) = work.pop() {
        if table.contains_key(&current) {
            continue;
        }
        if !operands_done {
            work.push((current, true));
            work.extend(store.node(current).operands().map(|operand| (operand, false)));
            continue;
        }
        let row = row_of(store, current, &table, length, back, &value);
        table.insert(current, row);
    }
    table[&formula][0]
}

fn row_of(
    store: &FormulaStore,
    formula: Formula,
    table: &FxHashMap<Formula, Vec<bool>>,
    length: usize,
    back: usize,
    value: &impl Fn(usize, u32) -> bool,
) -> Vec<bool> {
    let successor = |position: usize| if position + 1 == length { back } else { position + 1 };
    let pointwise = |compute: &dyn Fn(usize) -> bool| (0..length).map(compute).collect::<Vec<bool>>();
    // Solves row[i] = law(i, row[successor(i)]) from the given start value: the first sweep settles the
    // positions of the cycle behind a deciding one, the second carries that around the cycle.
    let fixpoint = |start: bool, law: &dyn Fn(usize, bool) -> bool| {
        let mut row = vec![start; length];
        for _ in 0..2 {
            for position in (0..length).rev() {
                row[position] = law(position, row[successor(position)]);
            }
        }
        row
    };
    match store.node(formula) {
        Node::True => vec![true; length],
        Node::False => vec![false; length],
        Node::Atom(atom) => pointwise(&|i| value(i, atom.0)),
        Node::Not(a) => pointwise(&|i| !table[a][i]),
        Node::And(list) => pointwise(&|i| list.iter().all(|a| table[a][i])),
        Node::Or(list) => pointwise(&|i| list.iter().any(|a| table[a][i])),
        Node::Implies(a, b) => pointwise(&|i| !table[a][i] || table[b][i]),
        Node::Equivalent(a, b) => pointwise(&|i| table[a][i] == table[b][i]),
        Node::Xor(a, b) => pointwise(&|i| table[a][i] != table[b][i]),
        Node::Next(a) => pointwise(&|i| table[a][successor(i)]),
        Node::Eventually(a) => fixpoint(false, &|i, next| table[a][i] || next),
        Node::Always(a) => fixpoint(true, &|i, next| table[a][i] && next),
        Node::Until(a, b) => fixpoint(false, &|i, next| table[b][i] || table[a][i] && next),
        Node::WeakUntil(a, b) => fixpoint(true, &|i, next| table[b][i] || table[a][i] && next),
        Node::Release(a, b) => fixpoint(true, &|i, next| table[b][i] && (table[a][i] || next)),
        Node::StrongRelease(a, b) => fixpoint(false, &|i, next| table[b][i] && (table[a][i] || next)),
    }
}
