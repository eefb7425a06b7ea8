//! From what a search found to a run that the language itself goes along, judged and told.
//!
//! The search says which states its run visits; which steps lead from one to the next is asked of the language again.
//! Formulas are evaluated on the run by fixpoints, automata of what is forbidden by their definition.

use evidence::{Refuted, accepted_by, refuted_by};
use search::{Counterexample, StateId};
use source::SourceMap;
use temporal::{Automaton, Formula, FormulaStore, Lasso};
use verdict::{Cause, Change, Trace, TraceStep, Waiting};

use super::{Explored, Step};
use crate::drive::Unshown;
use crate::port::AtomId;
use crate::sentences;

/// What the run is to show.
pub(super) enum Claim<'a> {
    /// It ends where it may not.
    End,
    /// The formula is false on it.
    Formula { store: &'a FormulaStore, formula: Formula, atoms: &'a [AtomId] },
    /// The automaton of what is forbidden accepts it.
    Automaton { automaton: &'a Automaton, atoms: &'a [AtomId] },
}

pub(super) struct Context<'a, E: Explored> {
    pub(super) model: &'a E,
    pub(super) sources: &'a SourceMap,
    pub(super) claim: Claim<'a>,
}

/// A step that was taken, with its place among those that leave the state.
struct Taken<S> {
    before: S,
    number: u32,
    step: Step<S>,
}

/// A run: its steps, and how many of them are not repeated. A run that ends repeats none.
struct Run<S> {
    start: S,
    taken: Vec<Taken<S>>,
    stem: usize,
    ends: bool,
}

impl<S> Run<S> {
    fn last(&self) -> &S {
        self.taken.last().map_or(&self.start, |taken| &taken.step.target)
    }

    /// All states in order; of a cycle, where it begins comes again at the end.
    fn states(&self) -> impl Iterator<Item = &S> {
        std::iter::once(&self.start).chain(self.taken.iter().map(|taken| &taken.step.target))
    }
}

impl<E: Explored> Context<'_, E> {
    /// Walks the run, judges it and tells it: the trace, and a sentence.
    pub(super) fn build(
        &self,
        states: &mut dyn FnMut(StateId) -> E::State,
        found: &Counterexample,
    ) -> Result<(Trace, String), Unshown> {
        let run = self.walk(states, found)?;
        let is_path = matches!(found, Counterexample::Path(_));
        let (cause, kept) = match &self.claim {
            Claim::End => {
                if !self.model.steps(run.last())?.is_empty() {
                    return Err("the last state still has a step".to_string().into());
                }
                if self.model.may_end(run.last()) {
                    return Err("the run may end in its last state".to_string().into());
                }
                let waiting = self.waiting(&run);
                (Cause::InvalidEndState { waiting, unfinished: None }, None)
            }
            Claim::Formula { store, formula, atoms } => {
                let refuted = refuted_by(self.letters(&run, atoms)?, store, *formula);
                if !is_path && temporal::evaluate(store, *formula, &self.word(&run, atoms)?) {
                    return Err("the formula holds on the run".to_string().into());
                }
                (Cause::None, refuted)
            }
            Claim::Automaton { automaton, atoms } => {
                let refuted = accepted_by(self.letters(&run, atoms)?, automaton);
                if !is_path && !temporal::accepts(automaton, &self.word(&run, atoms)?) {
                    return Err("the automaton does not accept the run".to_string().into());
                }
                (Cause::None, refuted)
            }
        };
        if is_path && !matches!(self.claim, Claim::End) && kept.is_none() {
            return Err(Unshown::Undecided);
        }
        Ok(self.tell(&run, cause, kept))
    }

    /// Takes the steps of the search one by one, as the language has them.
    fn walk(
        &self,
        states: &mut dyn FnMut(StateId) -> E::State,
        found: &Counterexample,
    ) -> Result<Run<E::State>, String> {
        let (path, cycle) = match found {
            Counterexample::Path(path) => (path, &[][..]),
            Counterexample::Lasso(lasso) => (&lasso.stem, &lasso.cycle[..]),
        };
        let start = states(path.start);
        if !self.model.initial()?.contains(&start) {
            return Err("the run does not begin in an initial state".to_string());
        }
        let mut run = Run { start, taken: Vec::new(), stem: 0, ends: false };
        for (index, step) in path.steps.iter().chain(cycle).enumerate() {
            let target = states(step.target);
            let before = run.last().clone();
            let steps = self.model.steps(&before)?;
            if steps.is_empty() && before == target {
                // The last state is repeated, for ever.
                run.ends = true;
                continue;
            }
            let found = steps.into_iter().enumerate().find(|(_, step)| step.target == target);
            let (number, step) = found.ok_or("a step of the search cannot be taken")?;
            run.taken.push(Taken { before, number: number as u32, step });
            if index < path.steps.len() {
                run.stem += 1;
            }
        }
        if run.ends {
            run.stem = run.taken.len();
        } else if !cycle.is_empty() {
            let begin = run.taken.get(run.stem).map(|taken| &taken.before);
            if begin != Some(run.last()) {
                return Err("the cycle does not come back to where it begins".to_string());
            }
        }
        Ok(run)
    }

    fn letter(&self, state: &E::State, atoms: &[AtomId]) -> Result<u64, String> {
        let mut letter = 0;
        for (bit, atom) in atoms.iter().enumerate().take(temporal::MAXIMUM_PROPOSITIONS) {
            letter |= u64::from(self.model.holds(state, *atom)?) << bit;
        }
        Ok(letter)
    }

    /// What the conditions are in each state, with the number of steps before it.
    fn letters(
        &self,
        run: &Run<E::State>,
        atoms: &[AtomId],
    ) -> Result<impl Iterator<Item = (usize, Option<[u64; 2]>)> + use<E>, String> {
        let letters = run.states().map(|state| self.letter(state, atoms)).collect::<Result<Vec<u64>, _>>()?;
        Ok(letters.into_iter().map(|letter| Some([letter; 2])).enumerate())
    }

    /// The whole run as a word.
    fn word(&self, run: &Run<E::State>, atoms: &[AtomId]) -> Result<Lasso, String> {
        let letter = |taken: &Taken<E::State>| self.letter(&taken.before, atoms);
        let stem = run.taken[..run.stem].iter().map(letter).collect::<Result<Vec<u64>, _>>()?;
        let mut cycle = run.taken[run.stem..].iter().map(letter).collect::<Result<Vec<u64>, _>>()?;
        if cycle.is_empty() {
            cycle.push(self.letter(run.last(), atoms)?);
        }
        Ok(Lasso { stem, cycle })
    }

    fn waiting(&self, run: &Run<E::State>) -> Vec<Waiting> {
        let at = run.taken.last();
        vec![waiting(self.model, self.sources, run.last(), at.map(|taken| &taken.step))]
    }

    fn tell(&self, run: &Run<E::State>, cause: Cause, refuted: Option<Refuted>) -> (Trace, String) {
        let show = |taken: &Taken<E::State>| {
            show_step(self.model, self.sources, &taken.before, &taken.step, taken.number)
        };
        let (stem, cycle) = match &refuted {
            Some(refuted) => (&run.taken[..refuted.steps.min(run.taken.len())], &[][..]),
            None => run.taken.split_at(run.stem),
        };
        let mut trace = Trace {
            processes: Vec::new(),
            stem: stem.iter().map(show).collect(),
            cycle: cycle.iter().map(show).collect(),
            cause,
        };
        let of_formula = matches!(self.claim, Claim::Formula { .. });
        let sentence = match (&self.claim, &refuted) {
            (Claim::End, _) => "nothing can move, and the model may not end there".to_string(),
            (_, Some(refuted)) => sentences::refuted_early(&mut trace, refuted, of_formula),
            (_, None) => sentences::refuted_by_cycle(&mut trace, of_formula),
        };
        trace.processes = trace.steps().map(|step| step.process.clone()).take(1).collect();
        (trace, sentence)
    }
}

/// What is said of a state where nothing can move, pointing at the step before it.
pub(super) fn waiting<E: Explored>(
    model: &E,
    sources: &SourceMap,
    state: &E::State,
    before: Option<&Step<E::State>>,
) -> Waiting {
    Waiting {
        pid: 0,
        process: before.map_or_else(String::new, |step| step.actor.clone()),
        file: before.map_or_else(String::new, |step| sources.file(step.span.file).name.clone()),
        line: before.map_or(0, |step| sources.place(step.span).line),
        for_what: model.blocked(state),
        may_rest: model.may_end(state),
    }
}

/// A step with its place, its text and what it changes.
pub(super) fn show_step<E: Explored>(
    model: &E,
    sources: &SourceMap,
    before: &E::State,
    step: &Step<E::State>,
    number: u32,
) -> TraceStep {
    let parts = model.show(before).into_iter().zip(model.show(&step.target));
    let changed = parts.filter(|((_, before), (_, after))| before != after);
    let change = |((variable, before), (_, after))| Change { variable, before, after };
    TraceStep {
        process: step.actor.clone(),
        file: sources.file(step.span.file).name.clone(),
        line: sources.place(step.span).line,
        statement: step.text.clone(),
        changes: changed.map(change).collect(),
        edge: (0, number),
        ..TraceStep::default()
    }
}
