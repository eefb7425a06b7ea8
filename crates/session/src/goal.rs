//! What a job looks for, made concrete over a lowered model, and how a search is asked for it.

use search::reduction::Visible;
use search::{Acceptance, Question, Strength};
use temporal::Automaton;
use transition::compiled::System;
use transition::model::Expr;

use crate::check::CheckOptions;
use crate::formula::ModelFormula;

/// Where an automaton's propositions come from, so that they can be made again over another model.
pub(crate) enum AutomatonOf {
    Claim(usize),
    Given(Vec<promela::resolve::program::Expr>),
}

pub(crate) enum Goal {
    Faults,
    Formula { formula: Box<ModelFormula>, automaton: Automaton },
    Automaton { automaton: Automaton, atoms: Vec<Expr>, job: AutomatonOf },
    AcceptingLocations,
    NonProgress { automaton: Automaton, atoms: Vec<Expr> },
}

pub(crate) fn visible(goal: &Goal) -> Visible<'_> {
    match goal {
        Goal::Faults => Visible::default(),
        Goal::Formula { formula, .. } => {
            Visible { expressions: formula.atoms.iter().collect(), ..Visible::default() }
        }
        Goal::Automaton { atoms, .. } => {
            Visible { expressions: atoms.iter().collect(), ..Visible::default() }
        }
        Goal::AcceptingLocations => Visible { acceptance: true, ..Visible::default() },
        Goal::NonProgress { .. } => Visible { progress: true, ..Visible::default() },
    }
}

pub(crate) fn acceptance(system: &mut System, goal: &Goal) -> Result<Acceptance, String> {
    let (automaton, atoms) = match goal {
        Goal::Faults => return Ok(Acceptance::None),
        Goal::AcceptingLocations => return Ok(Acceptance::Locations),
        Goal::Formula { formula, automaton } => {
            let names = formula.store.propositions();
            let of = |name: &String| {
                names.iter().position(|known| known == name).map(|at| formula.atoms[at].clone())
            };
            (automaton, automaton.propositions.iter().map(of).collect::<Option<Vec<Expr>>>())
        }
        Goal::Automaton { automaton, atoms, .. } => (automaton, Some(atoms.clone())),
        Goal::NonProgress { automaton, atoms } => {
            (automaton, Some(atoms.iter().take(automaton.propositions.len()).cloned().collect()))
        }
    };
    let atoms = atoms.ok_or("the automaton mentions an unknown proposition")?;
    let propositions = atoms
        .iter()
        .map(|atom| system.compile_proposition(atom).map_err(|error| error.to_string()))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(Acceptance::Automaton { automaton: automaton.clone(), propositions })
}

pub(crate) fn question(goal: &Goal, options: &CheckOptions) -> Question {
    let shortest = options.shortest;
    match goal {
        Goal::Faults => Question::Faults { shortest },
        Goal::AcceptingLocations => {
            let sets = if options.weak_fairness { 64 } else { 1 };
            Question::Acceptance { strength: Strength::General, sets }
        }
        Goal::Formula { automaton, .. }
        | Goal::Automaton { automaton, .. }
        | Goal::NonProgress { automaton, .. } => {
            if options.weak_fairness {
                return Question::Acceptance { strength: Strength::General, sets: 64 };
            }
            let class = temporal::classify(automaton);
            let strength = match (class.terminal, class.weak) {
                (true, _) => Strength::Terminal,
                (false, true) => Strength::Weak,
                (false, false) => Strength::General,
            };
            // Without stuttering a run may end in the sink, and then there is no infinite run to accept.
            let strength = match goal {
                Goal::NonProgress { .. } => strength.max(Strength::Weak),
                _ => strength,
            };
            Question::Acceptance { strength, sets: automaton.sets }
        }
    }
}
