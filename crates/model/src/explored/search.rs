//! One search over an explored model.

use search::Counterexample;
use source::SourceMap;
use verdict::{Observer, Trace};

use super::Explored;
use super::counterexample::{Claim, Context};
use super::product::ExploredProduct;
use crate::answer::Answer;
use crate::drive::{Refutation, Searchable, Unshown, drive};
use crate::goal::{Goal, Lacks};
use crate::options::SearchOptions;
use crate::property::Property;
use crate::sought::Sought;

/// What these models have not.
const LACKS: Lacks = Lacks {
    who: "models of this language",
    fairness: "weak fairness is about processes, and models of this language have none",
    coverage: "coverage is about statements of processes, and models of this language have none",
};

/// Searches; an error says why that cannot be done.
pub(super) fn search_for<E: Explored>(
    model: &E,
    sources: &SourceMap,
    property: &Property,
    options: &SearchOptions,
    observer: &mut dyn Observer,
) -> Result<Answer, String> {
    let goal = Goal::new(model, property, options, &LACKS)?;
    let product = ExploredProduct::new(model, goal.watched()?, &options.limits);
    let mut search = ExploredSearch { model, sources, goal: &goal, product };
    drive(&mut search, property, options, observer).ok_or("the search saw too little".to_string())
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
        self.goal.sought()
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
