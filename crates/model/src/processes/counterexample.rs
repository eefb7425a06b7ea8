//! From what a search found to a run that another interpreter plays again, judged and told.

use evidence::{ProcessRun, Refuted, accepted_by, refuted_by};
use process::{ActionId, Atom, Successor, Value};
use search::{Counterexample, StateId};
use source::{SourceMap, Span};
use temporal::{Automaton, Formula, FormulaStore, Lasso};
use verdict::{Cause, Change, Instance, Trace, TraceStep, Waiting};

use super::Subject;
use super::product::ProcessProduct;
use crate::drive::Unshown;
use crate::port::AtomId;
use crate::sentences;

/// What the run is to show.
pub(super) enum Claim<'a> {
    /// It ends where the contract is false.
    Contract,
    /// Nothing can move, and it may not end there.
    Stuck,
    /// The formula is false on it.
    Formula { store: &'a FormulaStore, formula: Formula, atoms: &'a [AtomId] },
    /// The automaton of what is forbidden accepts it.
    Automaton { automaton: &'a Automaton, atoms: &'a [AtomId] },
}

pub(super) struct Context<'a> {
    pub(super) subject: Subject<'a>,
    pub(super) sources: &'a SourceMap,
    pub(super) claim: Claim<'a>,
}

/// A step that was taken.
struct Taken {
    action: ActionId,
    arguments: Vec<Value>,
    component: String,
    span: Span,
    before: Vec<Value>,
    after: Vec<Value>,
    /// The instance, and which of the steps of the state.
    edge: (u32, u32),
}

/// A run: its steps, how many of them are not repeated, and what is true in each of its states.
struct Run {
    taken: Vec<Taken>,
    stem: usize,
    /// It repeats its last state.
    stops: bool,
    /// What the interpreter says about the conditions in each state.
    letters: Vec<u64>,
}

impl Context<'_> {
    /// Plays the run again, judges it and tells it: the trace, a sentence, and the instance.
    pub(super) fn build(
        &self,
        product: &mut ProcessProduct<'_>,
        found: &Counterexample,
    ) -> Result<(Trace, String, Instance), Unshown> {
        let start = match found {
            Counterexample::Path(path) => path.start,
            Counterexample::Lasso(lasso) => lasso.stem.start,
        };
        let first = product.state(start);
        let Some(instance) = product.explorer.instance(&first).cloned() else {
            return Err("the run begins in no instance".to_string().into());
        };
        let mut played =
            ProcessRun::new(self.subject.model, self.subject.process, &instance.arguments, &instance.fields)?;
        let run = self.play(product, found, &mut played)?;
        let is_path = matches!(found, Counterexample::Path(_));
        let mut sentence = None;
        let (cause, refuted) = match &self.claim {
            Claim::Contract => {
                sentence = Some(self.contract(product, found, &played)?);
                let what = sentence.clone().unwrap_or_default();
                (Cause::Prefix { what }, None)
            }
            Claim::Stuck => {
                if played.may_end()? {
                    return Err("the run may end in its last state".to_string().into());
                }
                (self.stuck(product, found), None)
            }
            Claim::Formula { store, formula, .. } => {
                let refuted = refuted_by(letters(&run), store, *formula);
                if !is_path && temporal::evaluate(store, *formula, &word(&run)) {
                    return Err("the formula holds on the run".to_string().into());
                }
                (Cause::None, refuted)
            }
            Claim::Automaton { automaton, .. } => {
                let refuted = accepted_by(letters(&run), automaton);
                if !is_path && !temporal::accepts(automaton, &word(&run)) {
                    return Err("the automaton does not accept the run".to_string().into());
                }
                (Cause::None, refuted)
            }
        };
        if is_path
            && matches!(self.claim, Claim::Formula { .. } | Claim::Automaton { .. })
            && refuted.is_none()
        {
            return Err(Unshown::Undecided);
        }
        let (trace, told) = self.tell(&run, cause, refuted);
        let shown = self.instance(&instance);
        Ok((trace, sentence.unwrap_or(told), shown))
    }

    fn atoms(&self) -> Vec<&Atom> {
        match &self.claim {
            Claim::Formula { atoms, .. } | Claim::Automaton { atoms, .. } => {
                atoms.iter().map(|atom| &self.subject.atoms[atom.0 as usize].0).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Takes the steps of the search one by one; the interpreter must be able to take each of them.
    fn play(
        &self,
        product: &mut ProcessProduct<'_>,
        found: &Counterexample,
        played: &mut ProcessRun<'_>,
    ) -> Result<Run, String> {
        let (path, cycle) = match found {
            Counterexample::Path(path) => (path, &[][..]),
            Counterexample::Lasso(lasso) => (&lasso.stem, &lasso.cycle[..]),
        };
        let atoms = self.atoms();
        let mut here = product.state(path.start);
        let mut run = Run { taken: Vec::new(), stem: 0, stops: false, letters: Vec::new() };
        played.choose_by_end(product.explorer.may_end(&here)?)?;
        run.letters.push(letter(played, &atoms)?);
        let mut successors: Vec<Successor> = Vec::new();
        for (index, step) in path.steps.iter().chain(cycle).enumerate() {
            let target = product.state(step.target);
            product.explorer.successors(&here, &mut successors)?;
            let Some(number) = successors.iter().position(|it| it.words == target) else {
                if here == target {
                    // The last state is repeated, for ever.
                    run.stops = true;
                    continue;
                }
                return Err("a step of the search cannot be taken".to_string());
            };
            if run.stops {
                return Err("the run goes on behind its end".to_string());
            }
            let text = product.explorer.text(&successors[number].step);
            let (before, after) = (product.explorer.fields(&here), product.explorer.fields(&target));
            played.step(text.action, &text.arguments, &text.values, &after)?;
            played.choose_by_end(product.explorer.may_end(&target)?)?;
            run.letters.push(letter(played, &atoms)?);
            run.taken.push(Taken {
                action: text.action,
                arguments: text.arguments,
                component: text.component,
                span: text.span,
                before,
                after,
                edge: (here.first().copied().unwrap_or(0), number as u32),
            });
            if index < path.steps.len() {
                run.stem += 1;
            }
            here = target;
        }
        if run.stops {
            run.stem = run.taken.len();
            if !successors.is_empty() && !played.may_end()? {
                return Err("the run stops where it may not end".to_string());
            }
        }
        Ok(run)
    }

    /// What is false at the end of the run, as the interpreter has it.
    fn contract(
        &self,
        product: &mut ProcessProduct<'_>,
        found: &Counterexample,
        played: &ProcessRun<'_>,
    ) -> Result<String, String> {
        if !played.may_end()? {
            return Err("the run may not end in its last state".to_string());
        }
        let Some(conjunct) = played.failing()? else {
            return Err("the contract is true at the end of the run".to_string());
        };
        let last = product.state(last_of(found));
        let failing = product.explorer.failing(&last)?;
        let failing = failing.filter(|failing| failing.conjunct == conjunct);
        let Some(failing) = failing else {
            return Err("another part of the contract is false".to_string());
        };
        let text = self.text_at(failing.span);
        Ok(match failing.sides {
            Some((left, between, right)) => format!("`ensures {text}` is {left} {between} {right}"),
            None => format!("`ensures {text}` is false"),
        })
    }

    fn text_at(&self, span: Span) -> String {
        source::on_one_line(self.sources.text(span))
    }

    fn stuck(&self, product: &mut ProcessProduct<'_>, found: &Counterexample) -> Cause {
        let last = product.state(last_of(found));
        let term = product.explorer.term(&last);
        let span = self.subject.process().span;
        let waiting = Waiting {
            pid: 0,
            process: term,
            file: self.sources.file(span.file).name.clone(),
            line: self.sources.place(span).line,
            for_what: product.explorer.blocked(&last),
            may_rest: false,
        };
        Cause::InvalidEndState { waiting: vec![waiting], unfinished: None }
    }

    fn instance(&self, instance: &process::Instance) -> Instance {
        let model = self.subject.model;
        let process = self.subject.process();
        let named = |(name, value): (&std::sync::Arc<str>, &Value)| (name.to_string(), value.show(model));
        Instance {
            arguments: process
                .parameters
                .iter()
                .map(|it| &it.name)
                .zip(&instance.arguments)
                .map(named)
                .collect(),
            fields: model.fields.iter().map(|it| &it.name).zip(&instance.fields).map(named).collect(),
        }
    }

    fn show(&self, taken: &Taken) -> TraceStep {
        let model = self.subject.model;
        let shown = |values: &[Value]| values.iter().map(|value| value.show(model)).collect::<Vec<_>>();
        let mut changes = Vec::new();
        for ((field, before), after) in model.fields.iter().zip(&taken.before).zip(&taken.after) {
            if before != after {
                let (before, after) = (before.show(model), after.show(model));
                changes.push(Change { variable: field.name.to_string(), before, after });
            }
        }
        let name = model.actions[taken.action.0 as usize].name.to_string();
        let arguments = shown(&taken.arguments);
        TraceStep {
            process: taken.component.clone(),
            file: self.sources.file(taken.span.file).name.clone(),
            line: self.sources.place(taken.span).line,
            statement: format!("{name}({})", arguments.join(", ")),
            changes,
            edge: taken.edge,
            action: Some((name, arguments)),
            ..TraceStep::default()
        }
    }

    fn tell(&self, run: &Run, cause: Cause, refuted: Option<Refuted>) -> (Trace, String) {
        let (stem, cycle) = match &refuted {
            Some(refuted) => (&run.taken[..refuted.steps.min(run.taken.len())], &[][..]),
            None => run.taken.split_at(run.stem),
        };
        let mut trace = Trace {
            processes: Vec::new(),
            stem: stem.iter().map(|taken| self.show(taken)).collect(),
            cycle: cycle.iter().map(|taken| self.show(taken)).collect(),
            cause,
        };
        let of_formula = matches!(self.claim, Claim::Formula { .. });
        let sentence = match (&self.claim, &refuted) {
            (Claim::Contract, _) => String::new(),
            (Claim::Stuck, _) => "nothing can move, and the process may not end there".to_string(),
            (_, Some(refuted)) => sentences::refuted_early(&mut trace, refuted, of_formula),
            (_, None) => sentences::refuted_by_cycle(&mut trace, of_formula),
        };
        (trace, sentence)
    }
}

fn last_of(found: &Counterexample) -> StateId {
    let path = match found {
        Counterexample::Path(path) => path,
        Counterexample::Lasso(lasso) => &lasso.stem,
    };
    path.steps.last().map_or(path.start, |step| step.target)
}

/// What the interpreter says about the conditions.
fn letter(played: &ProcessRun<'_>, atoms: &[&Atom]) -> Result<u64, String> {
    let mut letter = 0;
    for (bit, atom) in atoms.iter().enumerate().take(temporal::MAXIMUM_PROPOSITIONS) {
        letter |= u64::from(played.holds(atom)?) << bit;
    }
    Ok(letter)
}

fn letters(run: &Run) -> impl Iterator<Item = (usize, Option<[u64; 2]>)> + use<> {
    let letters = run.letters.clone();
    letters.into_iter().map(|letter| Some([letter; 2])).enumerate()
}

/// The whole run as a word.
fn word(run: &Run) -> Lasso {
    let steps = run.taken.len();
    let stem = run.letters[..run.stem.min(steps)].to_vec();
    let mut cycle = run.letters[run.stem.min(steps)..steps].to_vec();
    if cycle.is_empty() {
        cycle.extend(run.letters.last());
    }
    Lasso { stem, cycle }
}
