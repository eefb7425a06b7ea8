//! One search over an explored model.

use search::{Algorithm, Counterexample};
use source::SourceMap;
use temporal::{AcceptanceKind, Automaton};
use verdict::{Observer, Trace};

use super::Explored;
use super::counterexample::{Claim, Context};
use super::product::{ExploredProduct, Watched};
use crate::answer::Answer;
use crate::drive::{Refutation, Searchable, Unshown, drive};
use crate::formula::{AtomFormula, build};
use crate::options::SearchOptions;
use crate::port::AtomId;
use crate::property::Property;
use crate::sought::Sought;

/// What a property looks for.
enum Goal {
    Ends,
    Formula { formula: AtomFormula, automaton: Automaton },
    Automaton { automaton: Automaton, atoms: Vec<AtomId> },
}

pub(super) fn search_for<E: Explored>(
    model: &E,
    sources: &SourceMap,
    property: &Property,
    options: &SearchOptions,
    observer: &mut dyn Observer,
) -> Answer {
    let goal = match goal(model, property, options) {
        Ok(goal) => goal,
        Err(sentence) => return Answer::unknown(property, sentence),
    };
    let watched = match goal.watched() {
        Ok(watched) => watched,
        Err(sentence) => return Answer::unknown(property, sentence),
    };
    let product = ExploredProduct::new(model, watched, &options.limits);
    let mut search = ExploredSearch { model, sources, goal: &goal, product };
    let answer = drive(&mut search, property, options, observer);
    answer.unwrap_or_else(|| Answer::unknown(property, "the search saw too little".to_string()))
}

/// What a property looks for, or the sentence that says why that cannot be looked for.
fn goal<E: Explored>(model: &E, property: &Property, options: &SearchOptions) -> Result<Goal, String> {
    if options.weak_fairness && *property != Property::Safety {
        return Err("weak fairness is about processes, and models of this language have none".to_string());
    }
    if options.coverage {
        return Err(
            "coverage is about statements of processes, and models of this language have none".to_string()
        );
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
            let automaton =
                temporal::translate(&mut built.store, negation, kind).map_err(|error| error.to_string())?;
            Ok(Goal::Formula { formula: built, automaton })
        }
        Property::Automaton { automaton, atoms, .. } => {
            Ok(Goal::Automaton { automaton: automaton.clone(), atoms: atoms.clone()? })
        }
        Property::Claim { .. } => Err("models of this language have no claims".to_string()),
        Property::AcceptingLocations => Err("models of this language have no accept labels".to_string()),
        Property::NonProgress => Err("models of this language have no progress labels".to_string()),
    }
}

impl Goal {
    /// The automaton, with the conditions that its own propositions are.
    fn watched(&self) -> Result<Option<Watched<'_>>, String> {
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
        Ok(Some(Watched { automaton, atoms }))
    }
}

struct ExploredSearch<'m, E: Explored> {
    model: &'m E,
    sources: &'m SourceMap,
    goal: &'m Goal,
    product: ExploredProduct<'m, E>,
}

impl<'m, E: Explored> Searchable for ExploredSearch<'m, E> {
    type Product = ExploredProduct<'m, E>;

    fn product(&mut self) -> &mut ExploredProduct<'m, E> {
        &mut self.product
    }

    fn sought(&self) -> Sought<'_> {
        match self.goal {
            Goal::Ends => Sought::Faults,
            Goal::Formula { automaton, .. } | Goal::Automaton { automaton, .. } => {
                Sought::Runs { automaton, continues_runs: true }
            }
        }
    }

    fn reductions(&self) -> String {
        "no reduction".to_string()
    }

    fn has_assertions(&self) -> bool {
        false
    }

    fn counterexample(
        &mut self,
        found: &Counterexample,
        refutation: &Refutation,
    ) -> Result<(Trace, String), Unshown> {
        let claim = match (refutation, self.goal) {
            (Refutation::Fault(_), _) => {
                return Err("a step is said to fail that cannot".to_string().into());
            }
            (Refutation::EndState { .. }, _) | (_, Goal::Ends) => Claim::End,
            (_, Goal::Formula { formula, .. }) => {
                Claim::Formula { store: &formula.store, formula: formula.formula, atoms: &formula.atoms }
            }
            (_, Goal::Automaton { automaton, atoms }) => Claim::Automaton { automaton, atoms },
        };
        let mut states = |id| self.product.state(id);
        Context { model: self.model, sources: self.sources, claim }.build(&mut states, found)
    }
}
