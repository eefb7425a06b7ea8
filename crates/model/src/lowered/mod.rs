//! Models that are lowered into `transition`.
//!
//! A language says how a model becomes a [`Model`] ([`Lowers`]); everything else is here and is the same for all such
//! languages. A violation is found on a merged and reduced model and believed after it was replayed on one without.

mod claim;
mod claim_variables;
mod counterexample;
mod coverage;
mod goal;
mod prepare;
mod search;
mod simulate;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use source::{Diagnostic, SourceMap, Span};
use transition::model::{Expr, Model};
use verdict::Observer;

use crate::answer::Checked;
use crate::memo::Memo;
use crate::options::SearchOptions;
use crate::port::{AtomId, LoadedModel, Vocabulary};
use crate::property::Property;
use crate::simulate::{Simulation, Unstarted};
use claim::{ClaimAutomaton, claim_automaton};
use prepare::{Prepared, PreparedFor, Unprepared};

/// Which optimisations to apply while lowering. All keep every property that cannot count steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Optimisations {
    /// Merge chains of private statements into one step.
    pub merge_statements: bool,
    /// Reset local variables whose value is not needed any more.
    pub reset_dead_variables: bool,
    /// Leave globals that are never read out of the state.
    pub drop_write_only: bool,
}

impl Optimisations {
    /// All of them.
    pub const ALL: Optimisations =
        Optimisations { merge_statements: true, reset_dead_variables: true, drop_write_only: true };
    /// None, as counts are compared.
    pub const NONE: Optimisations =
        Optimisations { merge_statements: false, reset_dead_variables: false, drop_write_only: false };
}

/// A language's own model: what it calls things, and how it is lowered.
pub trait Lowers: Vocabulary {
    /// Lowers the model. What the model's own formulas and the `given` conditions mention must stay observable, and
    /// there is an expression for each of those conditions. The claims of the model are in the order of
    /// [`crate::Contents::claims`].
    fn lower(
        &self,
        optimisations: Optimisations,
        given: &[AtomId],
    ) -> Result<(Model, BTreeMap<AtomId, Expr>), Vec<Diagnostic>>;

    /// Whether a condition belongs to a formula that stands in the model.
    fn is_own(&self, atom: AtomId) -> bool;

    /// Where to point at for the model as a whole.
    fn place(&self) -> Span;

    /// The language's code for something that is found after lowering.
    fn code(&self, finding: Finding) -> &'static str;
}

/// What is found after lowering that has a place in the model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Finding {
    /// A state would be too large.
    TooLarge,
    /// An atomic sequence may run for ever.
    EndlessAtomic,
}

/// A lowered model with its conditions and the automata of its claims.
struct Lowering {
    model: Model,
    atoms: BTreeMap<AtomId, Expr>,
    claims: Vec<OnceLock<Result<ClaimAutomaton, String>>>,
}

impl Lowering {
    fn atoms(&self, atoms: &[AtomId]) -> Result<Vec<Expr>, String> {
        let of = |atom: &AtomId| self.atoms.get(atom).cloned();
        atoms.iter().map(of).collect::<Option<Vec<Expr>>>().ok_or_else(|| {
            "a condition of the property was not lowered; please report this model".to_string()
        })
    }

    /// The automaton of a claim, made once.
    fn claim(&self, index: usize) -> Result<&ClaimAutomaton, String> {
        let (Some(cell), Some(claim)) = (self.claims.get(index), self.model.claims.get(index)) else {
            return Err("there is no such claim".to_string());
        };
        cell.get_or_init(|| claim_automaton(claim)).as_ref().map_err(Clone::clone)
    }
}

type Lowered = Result<Arc<Lowering>, Vec<Diagnostic>>;

/// A model that is lowered: how a [`Lowers`] becomes a [`LoadedModel`].
pub struct LoweredModel<L> {
    language: L,
    /// By optimisations and given conditions.
    lowerings: Memo<(Optimisations, Vec<AtomId>), Lowered>,
    searches: Memo<PreparedFor, Result<Arc<Prepared>, Unprepared>>,
}

impl<L: Lowers> LoweredModel<L> {
    /// A model from what the language knows of it.
    pub fn new(language: L) -> LoweredModel<L> {
        LoweredModel { language, lowerings: Memo::new(), searches: Memo::new() }
    }

    /// The lowered model that these conditions can be observed in. It is made once for all that stand in the model.
    fn lower(&self, optimisations: Optimisations, observed: &[AtomId]) -> Lowered {
        let mut given: Vec<AtomId> =
            observed.iter().copied().filter(|atom| !self.language.is_own(*atom)).collect();
        given.sort_unstable();
        given.dedup();
        self.lowerings.get((optimisations, given.clone()), || {
            let (model, atoms) = self.language.lower(optimisations, &given)?;
            let claims = model.claims.iter().map(|_| OnceLock::new()).collect();
            Ok(Arc::new(Lowering { model, atoms, claims }))
        })
    }
}

impl<L: Lowers> LoadedModel for LoweredModel<L> {
    fn vocabulary(&self) -> &dyn Vocabulary {
        &self.language
    }

    fn vocabulary_mut(&mut self) -> &mut dyn Vocabulary {
        &mut self.language
    }

    fn check(
        &self,
        sources: &SourceMap,
        property: &Property,
        options: &SearchOptions,
        observer: &mut dyn Observer,
    ) -> Checked {
        crate::drive::with_second_look(options, observer, |options, observer| {
            search::search_for(self, sources, property, options, observer)
        })
    }

    fn simulate<'m>(&'m self, sources: &'m SourceMap) -> Result<Box<dyn Simulation + 'm>, Unstarted> {
        let lowering = self.lower(Optimisations::NONE, &[]).map_err(Unstarted::Diagnostics)?;
        Ok(Box::new(simulate::start(lowering, sources)?))
    }
}
