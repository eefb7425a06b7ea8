//! What a property looks for, made concrete over a lowered model.

use search::Acceptance;
use search::reduction::Visible;
use temporal::{Automaton, Formula, FormulaStore};
use transition::compiled::System;
use transition::model::Expr;

use crate::port::AtomId;
use crate::sought::Sought;

/// Where an automaton's propositions come from, so that they can be made again over another model.
pub(super) enum AutomatonOf {
    Claim(usize),
    Given(Vec<AtomId>),
}

pub(super) enum Goal {
    Faults,
    Formula { formula: Box<ModelFormula>, automaton: Automaton },
    Automaton { automaton: Automaton, atoms: Vec<Expr>, origin: AutomatonOf },
    AcceptingLocations,
    NonProgress { automaton: Automaton, atoms: Vec<Expr> },
}

/// A formula whose proposition *i* is `atoms[i]`.
pub(super) struct ModelFormula {
    pub(super) store: FormulaStore,
    pub(super) formula: Formula,
    pub(super) atoms: Vec<Expr>,
    /// The same conditions, to be found again over another form of the model.
    pub(super) source_atoms: Vec<AtomId>,
}

impl Goal {
    pub(super) fn sought(&self) -> Sought<'_> {
        match self {
            Goal::Faults => Sought::Faults,
            Goal::AcceptingLocations => Sought::AcceptingLocations,
            Goal::Formula { automaton, .. } | Goal::Automaton { automaton, .. } => {
                Sought::Runs { automaton, continues_runs: true }
            }
            Goal::NonProgress { automaton, .. } => Sought::Runs { automaton, continues_runs: false },
        }
    }

    /// The conditions given besides the model that it looks at.
    pub(super) fn source_atoms(&self) -> &[AtomId] {
        match self {
            Goal::Formula { formula, .. } => &formula.source_atoms,
            Goal::Automaton { origin: AutomatonOf::Given(atoms), .. } => atoms,
            _ => &[],
        }
    }

    pub(super) fn visible(&self) -> Visible<'_> {
        match self {
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

    /// Which runs are to be found, over the system that is searched.
    pub(super) fn acceptance(&self, system: &mut System) -> Result<Acceptance, String> {
        let (automaton, atoms) = match self {
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
}
