//! One search over a lowered model: the product, what it cannot see, and the way back from what was found.

use std::sync::Arc;

use search::{
    Algorithm, Control, Counterexample, FaultClass, FaultPolicy, Lost, ModelProduct, Outcome, ProductOptions,
    Question, ReachOptions, Stage, Violation,
};
use source::{Diagnostic, SourceMap};
use store::Lossy;
use transition::compiled::{Divergence, Stay, System};
use transition::model::Model;
use transition::reduction::{Construction, ReductionTable};
use verdict::{Coverage, Observer, Silent, Trace, Verdict};

use super::coverage::coverage;
use super::goal::Goal;
use super::prepare::{Prepared, PreparedFor, Sight, Unprepared};
use super::{Finding, LoweredModel, Lowers, Optimisations};
use crate::answer::{Answer, Checked};
use crate::drive::{Refutation, Searchable, Unshown, drive};
use crate::options::{PartialOrder, Reductions, SearchOptions};
use crate::property::Property;
use crate::sought::Sought;

/// Hardly any model has an atomic sequence that need not end: the search that looks into them has no
/// reductions, and comes second.
pub(super) fn search_for<L: Lowers>(
    model: &LoweredModel<L>,
    sources: &SourceMap,
    property: &Property,
    options: &SearchOptions,
    observer: &mut dyn Observer,
) -> Checked {
    for sight in [Sight::Ordinary, Sight::Open] {
        let asked = Asked { model, sources, property, options, sight };
        if let Some(answer) = asked.attempt(observer)? {
            return Ok(answer);
        }
    }
    Ok(Answer::unknown(property, "an atomic sequence may run for ever".to_string()))
}

/// A property, and how it is to be searched.
struct Asked<'a, L> {
    model: &'a LoweredModel<L>,
    sources: &'a SourceMap,
    property: &'a Property,
    options: &'a SearchOptions,
    sight: Sight,
}

impl<L: Lowers> Asked<'_, L> {
    /// One search; nothing where it met what it cannot see.
    fn attempt(&self, observer: &mut dyn Observer) -> Result<Option<Answer>, Vec<Diagnostic>> {
        let wanted = PreparedFor::new(self.property, self.options, self.sight);
        let unknown = |sentence: String| Ok(Some(Answer::unknown(self.property, sentence)));
        let prepared = match self.model.prepared(wanted) {
            Ok(prepared) => prepared,
            Err(Unprepared::Diagnostics(diagnostics)) => return Err(diagnostics),
            Err(Unprepared::Sentence(sentence)) => return unknown(sentence),
        };
        let mut system = System::new(&prepared.lowering.model).map_err(|error| {
            let language = &self.model.language;
            vec![Diagnostic::error(language.code(Finding::TooLarge), language.place(), error.to_string())]
        })?;
        let reduction = prepared.reduction();
        let reduction_words = describe_reductions(&prepared, reduction, self.options);
        let table = reduction.as_ref().ok().and_then(|table| system.compile_reduction(table).ok());
        let goal = &prepared.goal;
        let acceptance = match goal.acceptance(&mut system) {
            Ok(acceptance) => acceptance,
            Err(sentence) => return unknown(sentence),
        };
        let product_options = ProductOptions {
            acceptance,
            stutter: !matches!(goal, Goal::Faults | Goal::NonProgress { .. }),
            check_end_states: matches!(goal, Goal::Faults),
            strict_ends: self.options.strict_ends,
            weak_fairness: self.options.weak_fairness && !matches!(goal, Goal::Faults),
            open: self.sight == Sight::Open,
            reduction: table,
        };
        let product = ModelProduct::new(system, product_options, &self.options.limits);
        let mut search = LoweredSearch { asked: self, prepared, product, reduction_words };
        Ok(drive(&mut search, self.property, self.options, observer))
    }
}

/// A search that is ready to run, or has run.
pub(super) struct LoweredSearch<'a, L> {
    asked: &'a Asked<'a, L>,
    prepared: Arc<Prepared>,
    product: ModelProduct,
    reduction_words: String,
}

impl<L: Lowers> Searchable for LoweredSearch<'_, L> {
    type Product = ModelProduct;

    fn product(&mut self) -> &mut ModelProduct {
        &mut self.product
    }

    fn workers(&self, asked: usize) -> usize {
        asked
    }

    fn run(
        &mut self,
        (algorithm, question): (Algorithm, Question),
        policy: FaultPolicy,
        control: &mut Control<'_>,
        workers: usize,
    ) -> Outcome {
        search::run_shared(algorithm, question, &mut self.product, policy, control, workers)
    }

    fn run_lossy(
        &mut self,
        options: ReachOptions,
        control: &mut Control<'_>,
        workers: usize,
        store: Lossy,
    ) -> Option<(Outcome, Option<Lost>)> {
        Some(search::lossy_reach(&mut self.product, options, control, workers, store))
    }

    fn has_lossy_search(&self) -> bool {
        true
    }

    fn can_be_kept(&self) -> bool {
        true
    }

    fn stage(&self) -> Stage {
        Stage(match self.asked.sight {
            Sight::Ordinary => 0,
            Sight::Open => 1,
        })
    }

    fn sought(&self) -> Sought<'_> {
        self.prepared.goal.sought()
    }

    fn reductions(&self) -> String {
        self.reduction_words.clone()
    }

    fn without_initial_state(&mut self) -> Option<String> {
        let fault = self.product.initial_fault()?;
        Some(format!("in the initial values: {}", evidence::explain_fault(fault)))
    }

    fn is_blind(&mut self, outcome: &Outcome) -> bool {
        // A search that was stopped there may know a violation but not how its run goes on.
        let is_complete = matches!(outcome.counterexample, Some(Counterexample::Lasso(_)));
        self.asked.sight == Sight::Ordinary
            && self.product.divergence().is_some()
            && !matches!(self.prepared.goal, Goal::Faults)
            && !(outcome.verdict == Verdict::Violated && is_complete)
    }

    fn without_value(&mut self) -> Option<String> {
        let place = self.product.valueless()?;
        let model = &self.prepared.lowering.model;
        let sources = self.asked.sources;
        let words = self.product.model_state(place.state);
        let snapshot = self.product.system().snapshot(&words);
        let at = snapshot.processes.iter().enumerate().map(|(pid, process)| {
            let kind = model.process(process.kind);
            let edges = &kind.location(process.location).edges;
            let line = edges.iter().find_map(|edge| edge.statements.first()).map(|statement| {
                let file = &sources.file(statement.span.file).name;
                format!(" at {file}:{}", sources.place(statement.span).line)
            });
            format!("{}({pid}){}", kind.name, line.unwrap_or_else(|| " at its end".to_string()))
        });
        let at: Vec<String> = at.collect();
        let name = match self.prepared.goal.sought() {
            Sought::Runs { automaton, .. } => automaton.propositions.get(place.proposition),
            Sought::Faults | Sought::AcceptingLocations => None,
        };
        let name = name.map_or("a condition of the property", String::as_str);
        let fault = evidence::explain_fault(place.fault);
        Some(format!(
            "it is not violated where it has a value, but `{name}` has none ({fault}) with {}",
            at.join(", ")
        ))
    }

    fn counterexample(
        &mut self,
        found: &Counterexample,
        refutation: &Refutation,
    ) -> Result<(Trace, String), Unshown> {
        // Globals that are never read keep their values here, but a cycle need not restore them.
        let unreduced = Optimisations { drop_write_only: true, ..Optimisations::NONE };
        let plain = self
            .asked
            .model
            .lower(unreduced, self.prepared.goal.source_atoms())
            .map_err(|_| "the unreduced model cannot be built".to_string())?;
        let fair = self.asked.options.weak_fairness && matches!(refutation, Refutation::Cycle);
        let context = super::counterexample::Context {
            search_model: &self.prepared.lowering.model,
            plain: &plain,
            goal: &self.prepared.goal,
            sources: self.asked.sources,
            fair,
        };
        context.build(&mut self.product, found, refutation)
    }

    fn warning(&mut self) -> Option<Diagnostic> {
        let divergence = self.product.divergence()?;
        if !matches!(self.prepared.goal, Goal::Faults) {
            return None;
        }
        let code = self.asked.model.language.code(Finding::EndlessAtomic);
        endless_warning(&self.prepared.lowering.model, divergence, code)
    }

    fn coverage(&mut self, outcome: &Outcome) -> Option<Coverage> {
        let Asked { model, sources, property, options, .. } = self.asked;
        let is_fault = |violation: &Violation| violation.kind.class == FaultClass::RuntimeError;
        if self.prepared.optimised && outcome.violations.iter().any(is_fault) {
            // Where a step of several statements fails, only single statements tell which were executed.
            let plain = SearchOptions { reductions: Reductions::NONE, keeper: None, ..(*options).clone() };
            return search_for(model, sources, property, &plain, &mut Silent).ok()?.coverage;
        }
        let plain = model.lower(Optimisations::NONE, &[]).ok()?;
        let explored_all = outcome.cut_short.is_none();
        let searched = &self.prepared.lowering.model;
        Some(coverage(&plain.model, sources, searched, &mut self.product, explored_all, &options.limits))
    }
}

/// A run that stays in an atomic sequence violates neither assertions nor end states, and a search that takes
/// such steps one by one only ends when its depth is used up. (A deterministic step that does not end is an error of its own.)
fn endless_warning(model: &Model, divergence: Divergence, code: &'static str) -> Option<Diagnostic> {
    let location = model.process(divergence.process).location(divergence.location);
    if divergence.stay == Stay::Step {
        return None;
    }
    let span = location.edges.first()?.statements.first()?.span;
    Some(Diagnostic::warning(code, span, "this atomic sequence may run for ever").help(
        "no other process moves then, and no end state is reached; a formula or `--progress` finds such runs",
    ))
}

fn describe_reductions(
    prepared: &Prepared,
    reduction: &Result<ReductionTable, String>,
    options: &SearchOptions,
) -> String {
    let Prepared { optimised, no_reduction, .. } = prepared;
    let Reductions { partial_order, optimise } = options.reductions;
    let wants_partial_order = partial_order != PartialOrder::Off;
    if let (false, Some(reason), Err(_)) = (optimised, no_reduction, reduction)
        && optimise
        && wants_partial_order
    {
        return format!("no partial order and no merging ({reason})");
    }
    let merging = match (optimised, no_reduction) {
        (true, _) => "statement merging, dead variables".to_string(),
        (false, Some(reason)) if optimise => format!("no merging ({reason})"),
        (false, _) => "no merging".to_string(),
    };
    match reduction.as_ref().map(|table| table.construction) {
        Ok(Construction::Inside) => format!("partial order inside steps, {merging}"),
        Ok(Construction::Sticky) if partial_order == PartialOrder::Inside => {
            format!("partial order with sticky edges (the shortest run is counted in steps), {merging}")
        }
        Ok(Construction::Sticky) => format!("partial order with sticky edges, {merging}"),
        Err(_) if !wants_partial_order => merging,
        Err(reason) => format!("no partial order ({reason}), {merging}"),
    }
}
