//! A property over the lowered model that fits it: which optimisations keep it, what it looks for, which steps may be
//! followed alone.

use std::sync::{Arc, OnceLock};

use search::Algorithm;
use search::reduction::{looks_at_steps, static_reduction};
use source::Diagnostic;
use temporal::{AcceptanceKind, Automaton};
use transition::model::Expr;
use transition::reduction::{Construction, ReductionTable};

use super::goal::{AutomatonOf, Goal, ModelFormula};
use super::{Lowered, LoweredModel, Lowering, Lowers, Optimisations};
use crate::formula::build;
use crate::options::{PartialOrder, Reductions, SearchOptions};
use crate::port::AtomId;
use crate::property::Property;

/// How far a search sees.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sight {
    /// From ordinary state to ordinary state, as long as every atomic sequence comes to its end.
    Ordinary,
    /// Into atomic sequences and deterministic steps that never end, statement by statement.
    Open,
}

/// All that decides how a property is prepared.
#[derive(PartialEq)]
pub(super) struct PreparedFor {
    property: Property,
    reductions: Reductions,
    weak_fairness: bool,
    /// The automaton is for nested depth-first search.
    degeneralised: bool,
    sight: Sight,
}

impl PreparedFor {
    pub(super) fn new(property: &Property, options: &SearchOptions, sight: Sight) -> PreparedFor {
        PreparedFor {
            property: property.clone(),
            reductions: options.reductions(),
            weak_fairness: options.weak_fairness,
            degeneralised: options.algorithm == Some(Algorithm::NestedDfs),
            sight,
        }
    }
}

/// What a property looks for, made concrete over a lowered model.
pub(super) struct Prepared {
    pub(super) lowering: Arc<Lowering>,
    pub(super) goal: Goal,
    pub(super) optimised: bool,
    /// Why reductions are off, where they are.
    pub(super) no_reduction: Option<String>,
    /// How a partial-order reduction is made.
    construction: Option<Construction>,
    reduction: OnceLock<Result<ReductionTable, String>>,
}

/// Why a property is not searched.
#[derive(Clone)]
pub(super) enum Unprepared {
    /// The model cannot be lowered.
    Diagnostics(Vec<Diagnostic>),
    /// The property cannot be checked; the sentence says why.
    Sentence(String),
}

impl From<Vec<Diagnostic>> for Unprepared {
    fn from(diagnostics: Vec<Diagnostic>) -> Unprepared {
        Unprepared::Diagnostics(diagnostics)
    }
}

impl From<String> for Unprepared {
    fn from(sentence: String) -> Unprepared {
        Unprepared::Sentence(sentence)
    }
}

impl Prepared {
    /// Where one process may be followed alone, or the sentence that says why nowhere.
    pub(super) fn reduction(&self) -> &Result<ReductionTable, String> {
        self.reduction.get_or_init(|| match (&self.no_reduction, self.construction) {
            (Some(reason), _) => Err(reason.clone()),
            (None, None) => Err("switched off".to_string()),
            (None, Some(construction)) => {
                static_reduction(&self.lowering.model, &self.goal.visible(), construction)
            }
        })
    }
}

impl<L: Lowers> LoweredModel<L> {
    /// Prepares a property, once for all searches that need it in the same way.
    pub(super) fn prepared(&self, wanted: PreparedFor) -> Result<Arc<Prepared>, Unprepared> {
        let copy = PreparedFor { property: wanted.property.clone(), ..wanted };
        self.searches.get(copy, || self.prepare(&wanted).map(Arc::new))
    }

    fn prepare(&self, wanted: &PreparedFor) -> Result<Prepared, Unprepared> {
        let Reductions { optimise, partial_order } = wanted.reductions;
        let optimisations = match (optimise, wanted.sight) {
            (true, Sight::Ordinary) => Optimisations::ALL,
            // What merging hides may be seen for ever.
            (true, Sight::Open) => Optimisations { merge_statements: false, ..Optimisations::ALL },
            (false, _) => Optimisations::NONE,
        };
        // What a property that does not stand in the model looks at must stay in its states.
        let observed = self.observed(&wanted.property)?;
        let mut prepared = Prepared {
            lowering: self.lower(optimisations, &observed)?,
            goal: Goal::Faults,
            optimised: optimise,
            no_reduction: None,
            construction: match partial_order {
                PartialOrder::Off => None,
                PartialOrder::Sticky => Some(Construction::Sticky),
                PartialOrder::Inside => Some(Construction::Inside),
            },
            reduction: OnceLock::new(),
        };
        if wanted.sight == Sight::Open {
            prepared.optimised = false;
            prepared.no_reduction = Some("an atomic sequence may run for ever".to_string());
        }
        let plain = || self.lower(Optimisations::NONE, &observed);
        prepared.goal = self.goal(&mut prepared, wanted, &observed, &plain)?;
        let reduces = optimise || partial_order != PartialOrder::Off;
        if prepared.no_reduction.is_none()
            && reduces
            && let Some(what) =
                prepared.goal.visible().expressions.iter().find_map(|expr| looks_at_steps(expr))
        {
            let plain =
                PreparedFor { reductions: Reductions::NONE, property: wanted.property.clone(), ..*wanted };
            prepared = self.prepare(&plain)?;
            prepared.no_reduction = Some(format!("the property mentions {what}"));
        }
        if wanted.weak_fairness && prepared.no_reduction.is_none() {
            prepared.no_reduction = Some("weak fairness looks at which process moves".to_string());
        }
        Ok(prepared)
    }

    /// The conditions that a property given besides the model looks at.
    fn observed(&self, property: &Property) -> Result<Vec<AtomId>, Unprepared> {
        match property {
            Property::Formula { formula, .. } => Ok(self.language.formula(*formula).atoms()),
            Property::Automaton { atoms, .. } => atoms.clone().map_err(Unprepared::Sentence),
            _ => Ok(Vec::new()),
        }
    }

    fn goal(
        &self,
        prepared: &mut Prepared,
        wanted: &PreparedFor,
        observed: &[AtomId],
        plain: &dyn Fn() -> Lowered,
    ) -> Result<Goal, Unprepared> {
        Ok(match &wanted.property {
            Property::Safety => Goal::Faults,
            Property::AcceptingLocations => Goal::AcceptingLocations,
            Property::NonProgress => {
                let (automaton, atoms) = non_progress_automaton()?;
                Goal::NonProgress { automaton, atoms }
            }
            Property::Formula { formula, .. } => {
                let formula = self.language.formula(*formula);
                let build = |lowering: &Lowering| -> Result<ModelFormula, String> {
                    let same =
                        |left: AtomId, right: AtomId| lowering.atoms.get(&left) == lowering.atoms.get(&right);
                    let built = build(formula, &same, &|atom| self.language.show_atom(atom))?;
                    let atoms = lowering.atoms(&built.atoms)?;
                    let (store, formula) = (built.store, built.formula);
                    Ok(ModelFormula { store, formula, atoms, source_atoms: built.atoms })
                };
                let mut built = build(&prepared.lowering)?;
                if !temporal::formula_stutter_invariance(&mut built.store, built.formula).holds() {
                    prepared.without_reductions(
                        plain()?,
                        "the formula can tell how many steps a state lasts".to_string(),
                    );
                    built = build(&prepared.lowering)?;
                }
                let negation = built.store.not(built.formula);
                let kind = if wanted.degeneralised { AcceptanceKind::Tba } else { AcceptanceKind::Tgba };
                let automaton = temporal::translate(&mut built.store, negation, kind)
                    .map_err(|error| Unprepared::Sentence(error.to_string()))?;
                Goal::Formula { formula: Box::new(built), automaton }
            }
            Property::Claim { index, .. } => {
                let automaton = &prepared.lowering.claim(*index)?.automaton;
                if !temporal::automaton_stutter_invariance(automaton).holds() {
                    prepared.without_reductions(plain()?, counts_steps("claim"));
                }
                // The claim of the model that is searched: locations may have other numbers.
                let built = prepared.lowering.claim(*index)?;
                Goal::Automaton {
                    automaton: built.automaton.clone(),
                    atoms: built.atoms.clone(),
                    origin: AutomatonOf::Claim(*index),
                }
            }
            Property::Automaton { automaton, .. } => {
                if !temporal::automaton_stutter_invariance(automaton).holds() {
                    prepared.without_reductions(plain()?, counts_steps("automaton"));
                }
                Goal::Automaton {
                    automaton: automaton.clone(),
                    atoms: prepared.lowering.atoms(observed)?,
                    origin: AutomatonOf::Given(observed.to_vec()),
                }
            }
        })
    }
}

impl Prepared {
    /// Leaves the reductions out.
    fn without_reductions(&mut self, plain: Arc<Lowering>, why: String) {
        self.lowering = plain;
        self.optimised = false;
        self.no_reduction = Some(why);
    }
}

fn counts_steps(what: &str) -> String {
    format!("the {what} may tell how many steps a state lasts")
}

/// The automaton of `<>[] np_`.
fn non_progress_automaton() -> Result<(Automaton, Vec<Expr>), String> {
    let mut store = temporal::FormulaStore::new();
    let atom = store.named("np_");
    let always = store.always(atom);
    let formula = store.eventually(always);
    let automaton =
        temporal::translate(&mut store, formula, AcceptanceKind::Tgba).map_err(|error| error.to_string())?;
    Ok((automaton, vec![Expr::NonProgress]))
}
