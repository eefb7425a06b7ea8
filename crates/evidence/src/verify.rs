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

/// The ordinary states from which the cycle's steps leave; of a run that ends, its last state.
fn cycle_states<'s>(initial: &'s State, witness: &'s Witness<'_>) -> impl Iterator<Item = &'s State> {
    let ended = witness.cycle.is_empty().then(|| last_state(initial, witness.stem));
    ended.into_iter().chain(ordinary(witness.cycle))
}

/// The states in which the system was when it was not inside an atomic sequence.
fn ordinary(steps: &[Replayed]) -> impl Iterator<Item = &State> {
    let internal = |index: usize| index > 0 && steps[index - 1].exclusive.is_some();
    (0..steps.len()).filter(move |index| !internal(*index)).map(|index| &steps[index].before)
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
        for (bit, atom) in atoms.iter().enumerate() {
            letter |= match interpreter.evaluate_for_nobody(state, atom) {
                Ok(value) => u64::from(value != 0) << bit,
                Err(_) => missing << bit,
            };
        }
        letter
    };
    [0, 1].map(|missing| Lasso {
        stem: ordinary(witness.stem).map(|state| letter(state, missing)).collect(),
        cycle: cycle_states(initial, witness).map(|state| letter(state, missing)).collect(),
    })
}

fn check_fair(interpreter: &Interpreter<'_>, witness: &Witness<'_>) -> Result<(), String> {
    let count = witness.cycle.iter().map(|step| step.before.processes.len()).max().unwrap_or(0);
    for pid in 0..count as u8 {
        let moves = |step: &Replayed| {
            step.step.mover.pid == pid || step.step.partner.is_some_and(|partner| partner.pid == pid)
        };
        let rests = |state: &State| {
            !interpreter.moves(state, None).iter().any(|found| {
                found.step.mover.pid == pid || found.step.partner.is_some_and(|partner| partner.pid == pid)
            })
        };
        if !witness.cycle.iter().any(moves) && !ordinary(witness.cycle).any(rests) {
            return Err(format!("process {pid} could always move in the cycle and never does"));
        }
    }
    Ok(())
}
