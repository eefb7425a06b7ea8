//! Is a property refuted by the beginning of a run already, whatever follows?
//!
//! Then the run is told up to there and no further. Formulas are judged by what is left of them after each state,
//! automata of what is forbidden by whether they reach a state that accepts everything.

use temporal::{Automaton, Dialect, Formula, FormulaStore, Node};
use transition::interpret::{Interpreter, State};
use transition::model::{Expr, Model};

use crate::replay::Replayed;

/// Where a property is refuted for good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refuted {
    /// After how many steps of the run.
    pub steps: usize,
    /// The part of the formula that is false there, if one alone is to blame.
    pub part: Option<String>,
}

/// Formulas that grow beyond so many parts are left alone.
const MOST_PARTS: usize = 1 << 16;

/// The first state of a run at which nothing but *false* is left of the formula; none where there is no such state, or
/// where that depends on an atom that has no value.
pub fn refuted_formula(
    model: &Model,
    run: &[&Replayed],
    store: &FormulaStore,
    formula: Formula,
    atoms: &[Expr],
) -> Option<Refuted> {
    refuted_by(Letters::new(model, run, atoms)?, store, formula)
}

/// The same for any run: the letters of the states that a property sees, each with the number of steps before it. A
/// letter is given twice, once with the atoms that have no value false and once with them true; none where there is no
/// state.
pub fn refuted_by(
    letters: impl Iterator<Item = (usize, Option<[u64; 2]>)>,
    store: &FormulaStore,
    formula: Formula,
) -> Option<Refuted> {
    let mut store = store.clone();
    let mut left = formula;
    for (steps, letter) in letters {
        let [letter, other] = letter?;
        let next = temporal::progress(&mut store, left, letter)?;
        if letter != other && temporal::progress(&mut store, left, other)? != next {
            return None;
        }
        if next == store.falsum() {
            let part = temporal::refuted_part(&mut store, left, letter);
            return Some(Refuted { steps, part: (part != formula).then(|| spelling(&store, part)) });
        }
        if store.size(next) > MOST_PARTS {
            return None;
        }
        left = next;
    }
    None
}

/// A formula with its atoms as the model spells them.
fn spelling(store: &FormulaStore, formula: Formula) -> String {
    if let Node::Atom(atom) = store.node(formula) {
        return store.name(*atom).to_string();
    }
    temporal::display(store, formula, Dialect::Spin).with_parentheses().to_string()
}

/// The first state of a run at which the automaton can be in a state that accepts everything.
pub fn accepted_prefix(
    model: &Model,
    run: &[&Replayed],
    automaton: &Automaton,
    atoms: &[Expr],
) -> Option<Refuted> {
    accepted_by(Letters::new(model, run, atoms)?, automaton)
}

/// The same for any run, given by its letters as for [`refuted_by`].
pub fn accepted_by(
    letters: impl Iterator<Item = (usize, Option<[u64; 2]>)>,
    automaton: &Automaton,
) -> Option<Refuted> {
    let all = temporal::Marks::all(automaton.sets);
    let accepts_everything = |state: u32| {
        let mut edges = automaton.edges(state).iter();
        edges.any(|edge| edge.target == state && edge.label.is_anything() && edge.marks.includes(all))
    };
    let mut states = vec![automaton.initial];
    for (steps, letter) in letters {
        let [letter, other] = letter?;
        if letter != other {
            return None;
        }
        let targets =
            |state: &u32| automaton.successors(*state, letter).map(|edge| edge.target).collect::<Vec<_>>();
        states = states.iter().flat_map(targets).collect();
        states.sort_unstable();
        states.dedup();
        if states.iter().any(|state| accepts_everything(*state)) {
            return Some(Refuted { steps, part: None });
        }
    }
    None
}

/// What the atoms are in the states of a run that a property sees, each with the number of steps before it. An atom without
/// a value is false in the first letter and true in the second.
struct Letters<'r> {
    interpreter: Interpreter<'r>,
    run: &'r [&'r Replayed],
    atoms: &'r [Expr],
    initial: State,
    next: usize,
}

impl<'r> Letters<'r> {
    fn new(model: &'r Model, run: &'r [&'r Replayed], atoms: &'r [Expr]) -> Option<Letters<'r>> {
        let interpreter = Interpreter::new(model);
        let initial = interpreter.initial().ok()?;
        Some(Letters { interpreter, run, atoms, initial, next: 0 })
    }

    fn letter(&self, steps: usize) -> Option<[u64; 2]> {
        let state = match steps.checked_sub(1) {
            None => &self.initial,
            Some(last) => self.run[last].after.as_ref()?,
        };
        let mut letters = [0; 2];
        for (bit, atom) in self.atoms.iter().enumerate().take(u64::BITS as usize) {
            let value = self.interpreter.evaluate_for_nobody(state, atom).map(|value| u64::from(value != 0));
            letters[0] |= value.unwrap_or(0) << bit;
            letters[1] |= value.unwrap_or(1) << bit;
        }
        Some(letters)
    }
}

impl Iterator for Letters<'_> {
    type Item = (usize, Option<[u64; 2]>);

    fn next(&mut self) -> Option<Self::Item> {
        // States inside an atomic sequence are not observed. The state behind the last step may be one.
        let is_inside = |next: usize| match self.run.get(next) {
            Some(step) => step.inside,
            None => next == self.run.len() && self.run.last().is_some_and(|step| step.exclusive.is_some()),
        };
        while is_inside(self.next) {
            self.next += 1;
        }
        if self.next > self.run.len() {
            return None;
        }
        self.next += 1;
        Some((self.next - 1, self.letter(self.next - 1)))
    }
}
