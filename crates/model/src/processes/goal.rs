//! What a search over a process looks for.

use search::Algorithm;
use temporal::{AcceptanceKind, Automaton};

use super::ProcessModel;
use crate::formula::{AtomFormula, build};
use crate::options::SearchOptions;
use crate::port::{AtomId, Vocabulary};
use crate::property::Property;

/// What a property looks for.
pub(super) enum Goal {
    /// Ends with a false contract, and states where nothing moves that are no ends.
    Ends,
    Formula {
        formula: AtomFormula,
        automaton: Automaton,
    },
    Automaton {
        automaton: Automaton,
        atoms: Vec<AtomId>,
    },
}

impl Goal {
    /// The goal of a property, or the sentence that says why it cannot be looked for.
    pub(super) fn new(
        model: &ProcessModel,
        property: &Property,
        options: &SearchOptions,
    ) -> Result<Goal, String> {
        if options.weak_fairness && *property != Property::Safety {
            return Err(
                "weak fairness is about processes of their own, and a term is one process".to_string()
            );
        }
        if options.coverage {
            return Err("coverage is about statements, and processes have none".to_string());
        }
        match property {
            Property::Safety => Ok(Goal::Ends),
            Property::Formula { formula, .. } => {
                let is_same = |left: AtomId, right: AtomId| left == right;
                let show = |atom: AtomId| model.show_atom(atom);
                let mut built = build(model.formula(*formula), &is_same, &show)?;
                let negation = built.store.not(built.formula);
                let kind = match options.algorithm {
                    Some(Algorithm::NestedDfs) => AcceptanceKind::Tba,
                    _ => AcceptanceKind::Tgba,
                };
                let automaton = temporal::translate(&mut built.store, negation, kind)
                    .map_err(|error| error.to_string())?;
                Ok(Goal::Formula { formula: built, automaton })
            }
            Property::Automaton { automaton, atoms, .. } => {
                Ok(Goal::Automaton { automaton: automaton.clone(), atoms: atoms.clone()? })
            }
            Property::Claim { .. } => Err("processes have no claims".to_string()),
            Property::AcceptingLocations => Err("processes have no accept labels".to_string()),
            Property::NonProgress => Err("processes have no progress labels".to_string()),
        }
    }

    /// The automaton, with the conditions that its propositions are.
    pub(super) fn watched(&self) -> Result<Option<(&Automaton, Vec<AtomId>)>, String> {
        let (automaton, atoms) = match self {
            Goal::Ends => return Ok(None),
            Goal::Automaton { automaton, atoms } => (automaton, Some(atoms.clone())),
            Goal::Formula { formula, automaton } => {
                let names = formula.store.propositions();
                let of = |name: &String| {
                    names.iter().position(|known| known == name).and_then(|at| formula.atoms.get(at).copied())
                };
                (automaton, automaton.propositions.iter().map(of).collect())
            }
        };
        Ok(Some((automaton, atoms.ok_or("the automaton mentions an unknown proposition")?)))
    }
}
