//! From what a search found to a trace that was replayed and judged.

use evidence::{
    Claimed, Goal as ReplayGoal, GoalSide, GoalStatement, Names, Refuted, Replayed, Witness, accepted_prefix,
    expected_events, explain_event, explain_fault, refuted_formula, replay_endless, replay_lasso,
    replay_path, replay_to_rest, verify, waiting,
};
use search::{Counterexample, FaultKind, ModelProduct, fault_kind};
use source::SourceMap;
use transition::compiled;
use transition::interpret::{Executed, Interpreter, MicroStep, State};
use transition::model::{Action, Expr, Fault, Model};
use verdict::{Cause, Passage, Trace};

use super::Lowering;
use super::goal::{AutomatonOf, Goal};
use crate::drive::{Refutation, Unshown};
use crate::sentences;

/// What a run is replayed on, and what it is to refute.
pub(super) struct Context<'a> {
    /// The model that was searched.
    pub(super) search_model: &'a Model,
    /// The same without reductions.
    pub(super) plain: &'a Lowering,
    pub(super) goal: &'a Goal,
    pub(super) sources: &'a SourceMap,
    pub(super) fair: bool,
}

impl Context<'_> {
    /// Replays a counterexample on the unreduced model and explains it: the trace, and a sentence.
    pub(super) fn build(
        &self,
        product: &mut ModelProduct,
        found: &Counterexample,
        refutation: &Refutation,
    ) -> Result<(Trace, String), Unshown> {
        let Context { search_model, plain, goal, sources, fair } = *self;
        let (stem, cycle) = micro_steps(product, found, refutation)?;
        let mut walk = Walk::new(search_model)?;
        let stem = walk.goals(&stem)?;
        let cycle = walk.goals(&cycle)?;

        let atoms = plain_atoms(plain, goal)?;
        let model = &plain.model;
        let interpreter = Interpreter::new(model);
        let stays_inside = stays_inside(product, found);
        // A path that was not led into a cycle must refute the property as it is.
        let is_path = matches!((refutation, found), (Refutation::Cycle, Counterexample::Path(_)));
        let (stem, cycle) = match refutation {
            Refutation::Cycle if stays_inside => replay_endless(interpreter, &stem, &cycle)?,
            Refutation::Cycle if is_path => (replay_path(interpreter, &stem)?, Vec::new()),
            Refutation::Cycle => replay_lasso(interpreter, &stem, &cycle)?,
            Refutation::Fault(kind) => {
                let fault = fault_of(*kind);
                let mut steps = replay_path(interpreter, &stem)?;
                // Where statements were merged, the one at fault may not be the last.
                if let Some(at) = steps.iter().position(|step| step.fault == Some(fault)) {
                    steps.truncate(at + 1);
                }
                (steps, Vec::new())
            }
            Refutation::EndState { .. } => (replay_to_rest(interpreter, &stem)?, Vec::new()),
        };
        let claimed = match (refutation, goal) {
            (Refutation::Fault(kind), _) => Claimed::Fault(fault_of(*kind)),
            (Refutation::EndState { strict }, _) => Claimed::InvalidEndState { strict: *strict },
            (_, Goal::Faults) => Claimed::InvalidEndState { strict: false },
            (_, Goal::Formula { formula, .. }) => {
                Claimed::Formula { store: &formula.store, formula: formula.formula, atoms: &atoms }
            }
            (_, Goal::Automaton { automaton, .. }) => Claimed::Automaton { automaton, atoms: &atoms },
            (_, Goal::AcceptingLocations) => Claimed::AcceptingLocation,
            (_, Goal::NonProgress { .. }) => Claimed::NoProgress,
        };
        let refuted = match refutation {
            // What is seen inside an atomic sequence is seen because it never ends: the cycle belongs to the run.
            Refutation::Cycle if !stays_inside => refuted_early(model, &stem, &cycle, &claimed),
            _ => None,
        };
        if is_path && refuted.is_none() {
            return Err(Unshown::Undecided);
        }
        if !is_path {
            verify(model, &Witness { stem: &stem, cycle: &cycle, fair }, &claimed)?;
        }
        let (stem, cycle) = match &refuted {
            Some(refuted) => (stem.into_iter().chain(cycle).take(refuted.steps).collect(), Vec::new()),
            None => (stem, cycle),
        };

        let names = Names { model, sources };
        let last = stem.last().map(|step| step.after.clone().unwrap_or_else(|| step.before.clone()));
        let last = match last {
            Some(state) => state,
            None => interpreter.initial().map_err(|fault| format!("{fault:?}"))?,
        };
        let mut trace = Trace {
            processes: process_names(&names, &stem, &cycle),
            stem: stem.iter().map(|step| names.step(step)).collect(),
            cycle: cycle.iter().map(|step| names.step(step)).collect(),
            cause: Cause::None,
        };
        let reason = match &refuted {
            Some(refuted) => {
                sentences::refuted_early(&mut trace, refuted, matches!(goal, Goal::Formula { .. }))
            }
            None => {
                let fault = stem.last().and_then(|step| fault_inside(&names, &interpreter, step));
                explain(&names, &mut trace, refutation, goal, (&last, stays_inside), fault)
            }
        };
        Ok((trace, reason))
    }
}

/// Does the run never leave an atomic sequence that it is in?
fn stays_inside(product: &mut ModelProduct, found: &Counterexample) -> bool {
    match found {
        Counterexample::Lasso(lasso) => {
            lasso.cycle.first().is_some_and(|step| product.is_inside(step.source))
        }
        Counterexample::Path(_) => false,
    }
}

/// The model's fault behind what a search calls it.
fn fault_of(kind: FaultKind) -> Fault {
    Fault::ALL.into_iter().find(|fault| fault_kind(*fault) == kind).unwrap_or(Fault::Assertion)
}

/// Where the property is false for good, if that is before the run comes to its cycle.
fn refuted_early(
    model: &Model,
    stem: &[Replayed],
    cycle: &[Replayed],
    claimed: &Claimed<'_>,
) -> Option<Refuted> {
    let run: Vec<&Replayed> = stem.iter().chain(cycle).collect();
    match claimed {
        Claimed::Formula { store, formula, atoms } => refuted_formula(model, &run, store, *formula, atoms),
        Claimed::Automaton { automaton, atoms } => accepted_prefix(model, &run, automaton, atoms),
        _ => None,
    }
}

/// The compiled micro steps of the stem and of the cycle.
type Steps = Vec<compiled::MicroStep>;

fn micro_steps(
    product: &mut ModelProduct,
    found: &Counterexample,
    refutation: &Refutation,
) -> Result<(Steps, Steps), String> {
    let mut collect = |steps: &[search::Step]| -> Result<Steps, String> {
        let mut all = Vec::new();
        for step in steps {
            let found = product.micro_steps(step);
            all.extend(found.ok_or("a step of the search leads nowhere")?);
        }
        Ok(all)
    };
    match found {
        Counterexample::Path(path) => {
            let mut stem = collect(&path.steps)?;
            match refutation {
                Refutation::Fault(kind) => {
                    let last = product.fault_steps(path.end(), *kind);
                    stem.extend(last.ok_or("the fault does not happen again")?);
                    Ok((stem, Vec::new()))
                }
                _ => Ok((stem, Vec::new())),
            }
        }
        Counterexample::Lasso(lasso) => Ok((collect(&lasso.stem.steps)?, collect(&lasso.cycle)?)),
    }
}

/// Goes along the search's own model, by the interpreter, to learn which statements each step executes.
struct Walk<'m> {
    interpreter: Interpreter<'m>,
    state: State,
    exclusive: Option<u8>,
}

impl<'m> Walk<'m> {
    fn new(model: &'m Model) -> Result<Walk<'m>, String> {
        let interpreter = Interpreter::new(model);
        let state = interpreter.initial().map_err(|fault| format!("there is no initial state: {fault:?}"))?;
        Ok(Walk { interpreter, state, exclusive: None })
    }

    fn goals(&mut self, steps: &[compiled::MicroStep]) -> Result<Vec<ReplayGoal>, String> {
        steps.iter().map(|step| self.goal(step)).collect()
    }

    fn goal(&mut self, step: &compiled::MicroStep) -> Result<ReplayGoal, String> {
        let side = |executed: compiled::Executed| Executed {
            pid: executed.pid,
            location: executed.location,
            edge: executed.edge,
        };
        let wanted = MicroStep { mover: side(step.mover), partner: step.partner.map(side) };
        let mut moves = self.interpreter.moves(&self.state, self.exclusive);
        if moves.is_empty() && self.exclusive.is_some() {
            self.exclusive = None;
            moves = self.interpreter.moves(&self.state, None);
        }
        let found = moves
            .into_iter()
            .find(|found| found.step == wanted)
            .ok_or_else(|| format!("the interpreter cannot follow the search at {wanted:?}"))?;
        let goal = ReplayGoal {
            mover: self.side(wanted.mover)?,
            partner: match wanted.partner {
                Some(partner) => Some(self.side(partner)?),
                None => None,
            },
        };
        if let Some(after) = found.state {
            self.state = after;
        }
        self.exclusive = found.exclusive;
        Ok(goal)
    }

    fn side(&self, executed: Executed) -> Result<GoalSide, String> {
        let process = self.state.processes.get(usize::from(executed.pid)).ok_or("no such process")?;
        let location = self.interpreter.model().process(process.kind).location(executed.location);
        let edge = location.edges.get(executed.edge as usize).ok_or("no such edge")?;
        let statements = edge.statements.iter().zip(&edge.actions).map(|(statement, action)| GoalStatement {
            number: statement.number,
            is_jump: matches!(action, Action::Skip),
        });
        let statements = statements.collect();
        Ok(GoalSide { pid: executed.pid, statements })
    }
}

/// The atoms of the property, over the unreduced model.
fn plain_atoms(plain: &Lowering, goal: &Goal) -> Result<Vec<Expr>, String> {
    match goal {
        Goal::Formula { formula, .. } => plain.atoms(&formula.source_atoms),
        Goal::Automaton { origin: AutomatonOf::Given(atoms), .. } => plain.atoms(atoms),
        // The same claim over the other model: conditions come in the same order.
        Goal::Automaton { origin: AutomatonOf::Claim(index), .. } => Ok(plain.claim(*index)?.atoms.clone()),
        Goal::NonProgress { atoms, .. } => Ok(atoms.clone()),
        Goal::Faults | Goal::AcceptingLocations => Ok(Vec::new()),
    }
}

fn process_names(names: &Names<'_>, stem: &[Replayed], cycle: &[Replayed]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for step in stem.iter().chain(cycle) {
        for state in std::iter::once(&step.before).chain(&step.after) {
            for pid in found.len()..state.processes.len() {
                found.push(names.process(state, pid as u8));
            }
        }
    }
    found
}

/// The assertion inside of a `d_step` that fails, and its place. What does not end is not gone through.
fn fault_inside(
    names: &Names<'_>,
    interpreter: &Interpreter<'_>,
    step: &Replayed,
) -> Option<(String, String)> {
    let fault = step.fault.filter(|fault| *fault == Fault::Assertion)?;
    let statement = interpreter.statement_at_fault(&step.before, step.step.mover, fault)?;
    let (file, line) =
        (&names.sources.file(statement.span.file).name, names.sources.place(statement.span).line);
    Some((statement.text.clone(), format!("{file}:{line}")))
}

fn explain(
    names: &Names<'_>,
    trace: &mut Trace,
    refutation: &Refutation,
    goal: &Goal,
    (last, stays_inside): (&State, bool),
    inside: Option<(String, String)>,
) -> String {
    // A block that is executed as one says by itself which of its statements is meant.
    let shown =
        trace.stem.last().map(|step| (step.statement.clone(), format!("{}:{}", step.file, step.line)));
    let (statement, place) = inside.or(shown).unwrap_or_default();
    let fault = match refutation {
        Refutation::Fault(kind) => Some(fault_of(*kind)),
        _ => None,
    };
    match refutation {
        Refutation::Fault(_) if fault == Some(Fault::Assertion) => {
            let sentence = format!("{statement} fails at {place}");
            trace.cause = Cause::Assertion { text: statement };
            sentence
        }
        Refutation::Fault(_) if fault == Some(Fault::EventTrace) => {
            let message = trace.stem.last().and_then(|step| step.message.as_ref());
            let event = message.map_or(String::new(), |message| {
                let sign = if message.passage == Passage::Received { "?" } else { "!" };
                format!("{}{sign}{}", message.channel, message.fields.join(","))
            });
            let what = explain_event(names, last, &event);
            trace.cause = Cause::RuntimeError { what: what.clone() };
            format!("{what}; it happens at {place}")
        }
        Refutation::Fault(kind) => {
            let what = explain_fault(fault_of(*kind)).to_string();
            trace.cause = Cause::RuntimeError { what: what.clone() };
            format!("{what} at {place}")
        }
        Refutation::EndState { .. } => {
            let waiting = waiting(names, last);
            let stuck: Vec<String> =
                waiting.iter().filter(|w| !w.may_rest).map(|w| format!("{}({})", w.process, w.pid)).collect();
            let unfinished = expected_events(names, last);
            trace.cause = Cause::InvalidEndState { waiting, unfinished: unfinished.clone() };
            if let (true, Some(events)) = (stuck.is_empty(), unfinished) {
                return format!("nothing can move, and the trace declaration still waits for {events}");
            }
            if stuck.is_empty() {
                return "nothing can move, and messages are left in channels".to_string();
            }
            format!("nothing can move, and {} did not reach a valid end state", stuck.join(", "))
        }
        Refutation::Cycle => {
            let what = match goal {
                Goal::AcceptingLocations => "the cycle visits an accept label again and again",
                Goal::NonProgress { .. } => "the cycle passes no progress label",
                Goal::Formula { .. } | Goal::Faults if stays_inside && !trace.cycle.is_empty() => {
                    "the formula is false on this run, which stays inside an atomic sequence for ever"
                }
                Goal::Formula { .. } | Goal::Faults => return sentences::refuted_by_cycle(trace, true),
                Goal::Automaton { .. } => return sentences::refuted_by_cycle(trace, false),
            };
            let what = what.to_string();
            trace.cause = Cause::Cycle { what: what.clone() };
            what
        }
    }
}
