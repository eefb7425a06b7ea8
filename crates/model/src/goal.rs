//! What a search over states of a language's own looks for: ends, runs that violate a formula, or runs that an automaton
//! accepts. Both kinds of models that are not lowered use it; what they lack they say in words of their own.

use search::Algorithm;
use temporal::{AcceptanceKind, Automaton};

use crate::formula::{AtomFormula, build};
use crate::options::SearchOptions;
use crate::port::{AtomId, Vocabulary};
use crate::property::Property;
use crate::sought::Sought;
use crate::watched::Watched;

/// What a kind of models has not, in its own words.
pub(crate) struct Lacks {
    /// Who lacks claims and labels.
    pub(crate) who: &'static str,
    /// Why weak fairness means nothing.
    pub(crate) fairness: &'static str,
    /// Why coverage means nothing.
    pub(crate) coverage: &'static str,
}

/// What a property looks for.
pub(crate) enum Goal {
    /// States where a run may not end, and faults.
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
    pub(crate) fn new(
        vocabulary: &dyn Vocabulary,
        property: &Property,
        options: &SearchOptions,
        lacks: &Lacks,
    ) -> Result<Goal, String> {
        if options.weak_fairness && *property != Property::Safety {
            return Err(lacks.fairness.to_string());
        }
        if options.coverage {
            return Err(lacks.coverage.to_string());
        }
        match property {
            Property::Safety => Ok(Goal::Ends),
            Property::Formula { formula, .. } => {
                let is_same = |left: AtomId, right: AtomId| left == right;
                let show = |atom: AtomId| vocabulary.show_atom(atom);
                let mut built = build(vocabulary.formula(*formula), &is_same, &show)?;
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
            Property::Claim { .. } => Err(format!("{} have no claims", lacks.who)),
            Property::AcceptingLocations => Err(format!("{} have no accept labels", lacks.who)),
            Property::NonProgress => Err(format!("{} have no progress labels", lacks.who)),
        }
    }

    /// The automaton, with the conditions that its own propositions are; none where ends are looked for.
    pub(crate) fn watched(&self) -> Result<Option<Watched<'_>>, String> {
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
        let atoms = atoms.ok_or("the automaton mentions an unknown proposition")?;
        Ok(Some(Watched::new(automaton, atoms)))
    }

    /// What the search looks at. Runs that end are continued by the products.
    pub(crate) fn sought(&self) -> Sought<'_> {
        match self {
            Goal::Ends => Sought::Faults,
            Goal::Formula { automaton, .. } | Goal::Automaton { automaton, .. } => {
                Sought::Runs { automaton, continues_runs: true }
            }
        }
    }
}
