//! Does the replayed run really refute the property?

use temporal::{Automaton, Formula, FormulaStore, Lasso};
use transition::interpret::{Interpreter, State};
use transition::model::{Expr, Fault, Model};

use crate::replay::Replayed;

/// What a search claims about a run.
pub enum Claimed<'a> {
    /// The last step has this fault.
    Fault(Fault),
    /// The run ends where some process may not rest; `strict`: or where a message is left.
    InvalidEndState { strict: bool },
    /// The run refutes the formula, whose atoms are these expressions.
    Formula { store: &'a FormulaStore, formula: Formula, atoms: &'a [Expr] },
    /// The automaton of what is forbidden accepts the run.
    Automaton { automaton: &'a Automaton, atoms: &'a [Expr] },
    /// The cycle visits an accepting location.
    AcceptingLocation,
    /// The cycle visits no progress location.
    NoProgress,
}

/// A replayed run.
pub struct Witness<'a> {
    pub stem: &'a [Replayed],
    pub cycle: &'a [Replayed],
    /// Every process that could always move in the cycle must move in it.
    pub fair: bool,
}

impl Witness<'_> {
    /// Does the run never leave an atomic sequence (or a deterministic step) that it is in?
    fn stays_inside(&self) -> bool {
        !self.cycle.is_empty() && self.cycle.iter().all(|step| step.inside)
    }
}

/// Checks the claim; the error says what is not as claimed.
pub fn verify(model: &Model, witness: &Witness<'_>, claimed: &Claimed<'_>) -> Result<(), String> {
    let interpreter = Interpreter::new(model);
    let initial = interpreter.initial().map_err(|fault| format!("no initial state: {fault:?}"))?;
    if witness.fair {
        check_fair(&interpreter, witness)?;
    }
    let last = last_state(&initial, witness.stem);
    let is = |yes: bool, what: &str| if yes { Ok(()) } else { Err(what.to_string()) };
    match claimed {
        Claimed::Fault(fault) => {
            let found = witness.stem.last().and_then(|step| step.fault);
            is(
                found == Some(*fault),
                &format!("the last step should fail with {fault:?}, but gives {found:?}"),
            )
        }
        Claimed::InvalidEndState { strict } => {
            is(interpreter.moves(last, None).is_empty(), "the last state still has a step")?;
            let left = *strict && last.channels.iter().any(|channel| !channel.messages.is_empty());
            is(left || !interpreter.is_valid_end(last), "every process may rest in the last state")
        }
        Claimed::Formula { store, formula, atoms } => {
            let words = words(&interpreter, &initial, witness, atoms);
            let refuted = words.iter().all(|word| !temporal::evaluate(store, *formula, word));
            is(refuted, "the formula holds on the run")
        }
        Claimed::Automaton { automaton, atoms } => {
            let words = words(&interpreter, &initial, witness, atoms);
            let accepted = words.iter().all(|word| temporal::accepts(automaton, word));
            is(accepted, "the automaton does not accept the run")
        }
        Claimed::AcceptingLocation => {
            let visits = cycle_states(&initial, witness).any(|state| {
                state.processes.iter().any(|p| model.process(p.kind).location(p.location).is_accepting)
            });
            is(visits, "the cycle visits no accepting location")
        }
        Claimed::NoProgress => {
            let visits = cycle_states(&initial, witness).any(|state| {
                state.processes.iter().any(|p| model.process(p.kind).location(p.location).is_progress)
            });
            is(!witness.cycle.is_empty() && !visits, "the cycle visits a progress location")
        }
    }
}

fn last_state<'s>(initial: &'s State, steps: &'s [Replayed]) -> &'s State {
    steps.last().map_or(initial, |step| step.after.as_ref().unwrap_or(&step.before))
}

/// The states of the cycle that are seen; of a run that ends, its last state.
fn cycle_states<'s>(initial: &'s State, witness: &'s Witness<'_>) -> impl Iterator<Item = &'s State> {
    let ended = witness.cycle.is_empty().then(|| last_state(initial, witness.stem));
    let stays = witness.stays_inside();
    let seen = witness.cycle.iter().filter(move |step| stays || !step.inside);
    ended.into_iter().chain(seen.map(|step| &step.before))
}

/// The states of the stem that the property is about: those inside an atomic sequence are not, unless it never ends.
fn stem_states<'s>(witness: &'s Witness<'_>) -> impl Iterator<Item = &'s State> {
    let entered = witness.stem.iter().rposition(|step| !step.inside).unwrap_or(0);
    let from = if witness.stays_inside() { entered } else { witness.stem.len() };
    let seen = witness.stem.iter().enumerate().filter(move |(index, step)| *index >= from || !step.inside);
    seen.map(|(_, step)| &step.before)
}

/// The run as a word over the atoms. Where an atom has no value it is false in the first word and true in the
/// second: what is claimed must not depend on it.
fn words(
    interpreter: &Interpreter<'_>,
    initial: &State,
    witness: &Witness<'_>,
    atoms: &[Expr],
) -> [Lasso; 2] {
    let letter = |state: &State, missing: u64| -> u64 {
        let mut letter = 0;
        for (bit, atom) in atoms.iter().enumerate().take(temporal::MAXIMUM_PROPOSITIONS) {
            letter |= match interpreter.evaluate_for_nobody(state, atom) {
                Ok(value) => u64::from(value != 0) << bit,
                Err(_) => missing << bit,
            };
        }
        letter
    };
    [0, 1].map(|missing| Lasso {
        stem: stem_states(witness).map(|state| letter(state, missing)).collect(),
        cycle: cycle_states(initial, witness).map(|state| letter(state, missing)).collect(),
    })
}

fn check_fair(interpreter: &Interpreter<'_>, witness: &Witness<'_>) -> Result<(), String> {
    let count = witness.cycle.iter().map(|step| step.before.processes.len()).max().unwrap_or(0);
    for pid in 0..count as u8 {
        let moves = |step: &Replayed| {
            step.step.mover.pid == pid || step.step.partner.is_some_and(|partner| partner.pid == pid)
        };
        // Inside an atomic sequence only the process in control can move.
        let rests = |step: &Replayed| {
            step.inside
                || !interpreter.moves(&step.before, None).iter().any(|found| {
                    found.step.mover.pid == pid
                        || found.step.partner.is_some_and(|partner| partner.pid == pid)
                })
        };
        let mut seen = witness.cycle.iter().filter(|step| witness.stays_inside() || !step.inside);
        if !witness.cycle.iter().any(moves) && !seen.any(rests) {
            return Err(format!("process {pid} could always move in the cycle and never does"));
        }
    }
    Ok(())
}
