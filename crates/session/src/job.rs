//! One search: a property, the model lowered for it, the product, the answer.

use std::path::PathBuf;

use promela::lower::{Lowered, Optimisations, lower};
use promela::resolve::program::{ProcessKind, Temporal};
use search::reduction::static_reduction;
use search::{
    Algorithm, Choice, Control, Counterexample, FaultClass, FaultPolicy, ModelProduct, ProductOptions,
    Question, choose,
};
use source::{Diagnostic, Span};
use temporal::{AcceptanceKind, Automaton};
use transition::compiled::{Divergence, System};
use transition::model::{Action, Expr, Model};
use verdict::{Coverage, Observer, PropertyKind, PropertyReport, Reason, Silent, Statistics, Verdict};

use crate::check::{CheckOptions, Failure};
use crate::claim::claim_automaton;
use crate::coverage::coverage;
use crate::files::{Loaded, read_text};
use crate::formula::model_formula;
use crate::goal::{AutomatonOf, Goal, acceptance, question, visible};
use crate::reports::{Found, unknown};
use crate::shorten;

/// Which properties to check.
#[derive(Clone, Debug, Default)]
pub struct PropertySelection {
    /// Assertions and end states only.
    pub safety_only: bool,
    /// The `ltl` blocks and claims with these names.
    pub named: Vec<String>,
    /// Formulas given besides the model, each with a name.
    pub formulas: Vec<(String, String)>,
    /// Automata of what is forbidden, as HOA files.
    pub automata: Vec<PathBuf>,
    /// Non-progress cycles.
    pub progress: bool,
    /// Cycles through accepting locations, even if there is none.
    pub acceptance: bool,
}

/// Which reductions to use where they keep the property.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reductions {
    /// Static partial-order reduction.
    pub partial_order: bool,
    /// Statement merging, dead variables, write-only variables.
    pub optimise: bool,
}

pub(crate) enum Job {
    /// Assertions, errors at run time and end states.
    Safety,
    Formula {
        name: String,
        formula: Temporal,
    },
    Claim {
        name: String,
        index: usize,
    },
    Automaton {
        name: String,
        automaton: Automaton,
    },
    AcceptingLocations,
    NonProgress,
}

/// The jobs of a selection, in the order in which they are reported.
pub(crate) fn jobs(loaded: &mut Loaded, options: &CheckOptions) -> Result<Vec<Job>, Failure> {
    let selection = &options.selection;
    if selection.safety_only {
        return Ok(vec![Job::Safety]);
    }
    let without_safety = options.coverage
        && (!selection.named.is_empty()
            || !selection.formulas.is_empty()
            || !selection.automata.is_empty()
            || selection.progress);
    if without_safety {
        return Err(Failure::message(
            "coverage is that of the search for assertions and end states, which these options leave out",
        ));
    }
    let mut jobs = Vec::new();
    let given = !selection.formulas.is_empty() || !selection.automata.is_empty() || selection.progress;
    let program = &loaded.program;
    let claims = || program.processes.iter().filter(|process| process.kind == ProcessKind::Never);
    for (at, name) in selection.named.iter().enumerate() {
        if selection.named[..at].contains(name) {
            continue;
        }
        if let Some(formula) = program.formulas.iter().find(|formula| formula.name == *name) {
            jobs.push(Job::Formula { name: name.clone(), formula: formula.formula.clone() });
        } else if let Some(index) = claims().position(|claim| claim.name == *name) {
            jobs.push(Job::Claim { name: name.clone(), index });
        } else {
            let known: Vec<&str> = program
                .formulas
                .iter()
                .map(|f| f.name.as_str())
                .chain(claims().map(|c| c.name.as_str()))
                .collect();
            let known = if known.is_empty() {
                "the model names no property".to_string()
            } else {
                format!("the model has {}", known.join(", "))
            };
            return Err(Failure::message(format!("there is no property `{name}`: {known}")));
        }
    }
    if !given && selection.named.is_empty() {
        jobs.push(Job::Safety);
        for formula in &program.formulas {
            jobs.push(Job::Formula { name: formula.name.clone(), formula: formula.formula.clone() });
        }
        for (index, claim) in claims().enumerate() {
            jobs.push(Job::Claim { name: claim.name.clone(), index });
        }
        let has_accepting = program
            .processes
            .iter()
            .filter(|process| matches!(process.kind, ProcessKind::Proctype | ProcessKind::Init))
            .any(|process| process.labels.iter().any(|label| label.is_accept()));
        if has_accepting || selection.acceptance {
            jobs.push(Job::AcceptingLocations);
        }
    } else if selection.acceptance {
        jobs.push(Job::AcceptingLocations);
    }
    if selection.progress {
        jobs.push(Job::NonProgress);
    }
    for (name, text) in &selection.formulas {
        let (formula, diagnostics) = promela::formula(text, &loaded.program, &mut loaded.sources);
        match formula {
            Some(formula) if !diagnostics.iter().any(Diagnostic::is_error) => {
                jobs.push(Job::Formula { name: name.clone(), formula });
            }
            _ => return Err(Failure { diagnostics, ..Failure::default() }),
        }
    }
    for path in &selection.automata {
        let text = read_text(path).map_err(Failure::message)?;
        let file = loaded.sources.add(path.display().to_string(), text);
        let (automaton, diagnostics) = temporal::read_hoa(file, &loaded.sources.file(file).text);
        match automaton {
            Some(automaton) if !diagnostics.iter().any(Diagnostic::is_error) => {
                jobs.push(Job::Automaton { name: path.display().to_string(), automaton });
            }
            _ => return Err(Failure { diagnostics, ..Failure::default() }),
        }
    }
    Ok(jobs)
}

/// What a job looks for, made concrete over a lowered model.
struct Search<'p> {
    lowered: Lowered<'p>,
    goal: Goal,
    optimised: bool,
    /// Why reductions are off, where they are.
    no_reduction: Option<String>,
}

/// What a job found out.
#[derive(Default)]
pub(crate) struct Answer {
    pub(crate) reports: Vec<PropertyReport>,
    pub(crate) statistics: Statistics,
    pub(crate) coverage: Option<Coverage>,
    /// What is no violation and yet worth a look.
    pub(crate) warnings: Vec<Diagnostic>,
}

impl Answer {
    /// Nothing was searched.
    fn unknown(job: &Job, sentence: String) -> Answer {
        Answer { reports: vec![unknown(job, Reason::Unsupported(sentence))], ..Answer::default() }
    }
}

pub(crate) type JobResult = Result<Answer, Vec<Diagnostic>>;

/// How far a search sees.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sight {
    /// From ordinary state to ordinary state, as long as every atomic sequence comes to its end.
    Ordinary,
    /// Into atomic sequences and deterministic steps that never end, statement by statement.
    Open,
}

/// Runs a job.
pub(crate) fn run(
    loaded: &Loaded,
    job: &Job,
    options: &CheckOptions,
    observer: &mut dyn Observer,
) -> JobResult {
    let mut answer = search_for(loaded, job, options, observer)?;
    if let Some(options) = shorten::second_look(options, &answer.reports)
        && let Ok(second) = search_for(loaded, job, &options, &mut Silent)
    {
        shorten::take_shorter(&mut answer.reports, second.reports);
    }
    Ok(answer)
}

/// Hardly any model has an atomic sequence that need not end: the search that looks into them has no
/// reductions, and comes second.
fn search_for(loaded: &Loaded, job: &Job, options: &CheckOptions, observer: &mut dyn Observer) -> JobResult {
    if let Some(answer) = attempt(loaded, job, options, Sight::Ordinary, observer)? {
        return Ok(answer);
    }
    let answer = attempt(loaded, job, options, Sight::Open, observer)?;
    let sentence = "an atomic sequence may run for ever".to_string();
    Ok(answer.unwrap_or_else(|| Answer::unknown(job, sentence)))
}

/// One search; nothing where it met what it cannot see.
fn attempt(
    loaded: &Loaded,
    job: &Job,
    options: &CheckOptions,
    sight: Sight,
    observer: &mut dyn Observer,
) -> Result<Option<Answer>, Vec<Diagnostic>> {
    let search = match prepare(loaded, job, options, sight) {
        Ok(search) => search,
        Err(Unprepared::Diagnostics(diagnostics)) => return Err(diagnostics),
        Err(Unprepared::Sentence(sentence)) => return Ok(Some(Answer::unknown(job, sentence))),
    };
    execute(loaded, job, search, options, sight, observer)
}

enum Unprepared {
    Diagnostics(Vec<Diagnostic>),
    /// The property cannot be checked; the sentence says why.
    Sentence(String),
}

impl From<Vec<Diagnostic>> for Unprepared {
    fn from(diagnostics: Vec<Diagnostic>) -> Unprepared {
        Unprepared::Diagnostics(diagnostics)
    }
}

impl Job {
    pub(crate) fn name(&self) -> String {
        match self {
            Job::Safety => "assertions".to_string(),
            Job::Formula { name, .. } | Job::Claim { name, .. } | Job::Automaton { name, .. } => name.clone(),
            Job::AcceptingLocations => "accepting cycles".to_string(),
            Job::NonProgress => "non-progress cycles".to_string(),
        }
    }

    /// The names of the properties that it answers.
    pub(crate) fn report_names(&self) -> Vec<String> {
        match self {
            Job::Safety => vec!["assertions".to_string(), "end states".to_string()],
            _ => vec![self.name()],
        }
    }

    pub(crate) fn kind(&self) -> PropertyKind {
        match self {
            Job::Safety => PropertyKind::Assertion,
            Job::NonProgress => PropertyKind::Progress,
            _ => PropertyKind::Acceptance,
        }
    }
}

impl<'p> Search<'p> {
    /// Leaves the reductions out where the automaton may tell how many steps a state lasts.
    fn without_counting(
        &mut self,
        program: &'p promela::resolve::Program,
        observed: &[&Temporal],
        automaton: &Automaton,
        what: &str,
    ) -> Result<(), Unprepared> {
        if !temporal::automaton_stutter_invariance(automaton).holds() {
            self.lowered = lower(program, Optimisations::NONE, observed)?;
            self.optimised = false;
            self.no_reduction = Some(format!("the {what} may tell how many steps a state lasts"));
        }
        Ok(())
    }
}

fn prepare<'p>(
    loaded: &'p Loaded,
    job: &Job,
    options: &CheckOptions,
    sight: Sight,
) -> Result<Search<'p>, Unprepared> {
    let program = &loaded.program;
    let optimised = match (options.reductions.optimise, sight) {
        (true, Sight::Ordinary) => Optimisations::ALL,
        // What merging hides may be seen for ever.
        (true, Sight::Open) => Optimisations { merge_statements: false, ..Optimisations::ALL },
        (false, _) => Optimisations::NONE,
    };
    // What a property that does not stand in the model looks at must stay in its states.
    let propositions = match job {
        Job::Automaton { automaton, .. } => automaton_propositions(program, automaton)?,
        _ => Vec::new(),
    };
    let formulas: Vec<&Temporal> = match job {
        Job::Formula { formula, .. } => vec![formula],
        _ => propositions.iter().collect(),
    };
    let lowered = lower(program, optimised, &formulas)?;
    let mut search =
        Search { lowered, goal: Goal::Faults, optimised: options.reductions.optimise, no_reduction: None };
    if sight == Sight::Open {
        search.optimised = false;
        search.no_reduction = Some("an atomic sequence may run for ever".to_string());
    }
    match job {
        Job::Safety => {}
        Job::AcceptingLocations => search.goal = Goal::AcceptingLocations,
        Job::NonProgress => {
            let (automaton, atoms) = non_progress_automaton().map_err(Unprepared::Sentence)?;
            search.goal = Goal::NonProgress { automaton, atoms };
        }
        Job::Formula { formula, .. } => {
            let name = |expr: &promela::resolve::program::Expr| program.show_expr(expr);
            let mut built = model_formula(&mut search.lowered, formula, &name);
            if !temporal::formula_stutter_invariance(&mut built.store, built.formula).holds() {
                let plain = lower(program, Optimisations::NONE, &formulas)?;
                search.lowered = plain;
                search.optimised = false;
                search.no_reduction = Some("the formula can tell how many steps a state lasts".to_string());
                built = model_formula(&mut search.lowered, formula, &name);
            }
            let negation = built.store.not(built.formula);
            let kind = match options.algorithm {
                Some(Algorithm::NestedDfs) => AcceptanceKind::Tba,
                _ => AcceptanceKind::Tgba,
            };
            let automaton = temporal::translate(&mut built.store, negation, kind)
                .map_err(|error| Unprepared::Sentence(error.to_string()))?;
            search.goal = Goal::Formula { formula: Box::new(built), automaton };
        }
        Job::Claim { index, .. } => {
            let built =
                claim_automaton(&search.lowered.model.claims[*index]).map_err(Unprepared::Sentence)?;
            search.without_counting(program, &formulas, &built.automaton, "claim")?;
            // The claim is made anew over the model that is searched: locations may have other numbers.
            let built =
                claim_automaton(&search.lowered.model.claims[*index]).map_err(Unprepared::Sentence)?;
            search.goal = Goal::Automaton {
                automaton: built.automaton,
                atoms: built.atoms,
                job: AutomatonOf::Claim(*index),
            };
        }
        Job::Automaton { automaton, .. } => {
            search.without_counting(program, &formulas, automaton, "automaton")?;
            let source_atoms: Vec<_> = propositions.iter().filter_map(promela::lower::proposition).collect();
            let atoms = source_atoms.iter().map(|atom| search.lowered.expr(atom)).collect();
            search.goal = Goal::Automaton {
                automaton: automaton.clone(),
                atoms,
                job: AutomatonOf::Given(source_atoms),
            };
        }
    }
    let reduces = options.reductions.optimise || options.reductions.partial_order;
    if search.no_reduction.is_none()
        && reduces
        && let Some(what) =
            visible(&search.goal).expressions.iter().find_map(|expr| search::reduction::looks_at_steps(expr))
    {
        let plain = CheckOptions {
            reductions: Reductions { partial_order: false, optimise: false },
            ..options.clone()
        };
        search = prepare(loaded, job, &plain, sight)?;
        search.no_reduction = Some(format!("the property mentions {what}"));
    }
    if options.weak_fairness && search.no_reduction.is_none() {
        search.no_reduction = Some("weak fairness looks at which process moves".to_string());
    }
    Ok(search)
}

/// The propositions of an automaton that was given, as expressions over the model.
fn automaton_propositions(
    program: &promela::resolve::Program,
    automaton: &Automaton,
) -> Result<Vec<Temporal>, Unprepared> {
    let mut sources = source::SourceMap::default();
    let mut found = Vec::new();
    for proposition in &automaton.propositions {
        let (formula, _) = promela::formula(proposition, program, &mut sources);
        match formula.filter(|formula| promela::lower::proposition(formula).is_some()) {
            Some(formula) => found.push(formula),
            None => {
                return Err(Unprepared::Sentence(format!(
                    "the automaton's proposition `{proposition}` is not an expression over the model"
                )));
            }
        }
    }
    Ok(found)
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

fn execute(
    loaded: &Loaded,
    job: &Job,
    search: Search<'_>,
    options: &CheckOptions,
    sight: Sight,
    observer: &mut dyn Observer,
) -> Result<Option<Answer>, Vec<Diagnostic>> {
    let Search { lowered, goal, optimised, no_reduction } = search;
    let model = &lowered.model;
    let mut system = match System::new(model) {
        Ok(system) => system,
        Err(error) => {
            let span =
                loaded.program.processes.first().map_or(Span::new(source::FileId(0), 0, 0), |p| p.span);
            return Err(vec![Diagnostic::error("promela.model-too-large", span, error.to_string())]);
        }
    };
    let reduction = match (options.reductions.partial_order, &no_reduction) {
        (false, _) => Err("switched off".to_string()),
        (true, Some(reason)) => Err(reason.clone()),
        (true, None) => static_reduction(model, &visible(&goal)),
    };
    let reduction_words = describe_reductions(optimised, &reduction, &no_reduction, options);
    let table = match reduction {
        Ok(table) => system.compile_reduction(&table).ok(),
        Err(_) => None,
    };
    let acceptance = match acceptance(&mut system, &goal) {
        Ok(acceptance) => acceptance,
        Err(sentence) => return Ok(Some(Answer::unknown(job, sentence))),
    };
    let question = question(&goal, options);
    let objection = |algorithm: Algorithm| {
        algorithm.objection(question).or_else(|| shorten::objection(algorithm, question, options))
    };
    let mut chosen = choose(question);
    if objection(chosen.algorithm).is_some() {
        chosen = Choice { algorithm: Algorithm::Bfs, why: "a breadth-first search finds the shortest run" };
    }
    let (algorithm, why) = match options.algorithm {
        None => (chosen.algorithm, chosen.why.to_string()),
        Some(algorithm) => match objection(algorithm) {
            None => (algorithm, "asked for".to_string()),
            Some(objection) => {
                (chosen.algorithm, format!("`{}` was asked for, but {objection}", algorithm.name()))
            }
        },
    };
    let product_options = ProductOptions {
        acceptance,
        stutter: !matches!(goal, Goal::Faults | Goal::NonProgress { .. }),
        check_end_states: matches!(goal, Goal::Faults),
        strict_ends: options.strict_ends,
        weak_fairness: options.weak_fairness && !matches!(goal, Goal::Faults),
        open: sight == Sight::Open,
        reduction: table,
    };
    let mut product = ModelProduct::new(system, product_options, &options.limits);
    let policy = match goal {
        Goal::Faults if options.all_errors || options.coverage => FaultPolicy::CountAll,
        Goal::Faults => FaultPolicy::StopAtFirst,
        _ => FaultPolicy::Ignore,
    };
    let mut control = Control::new(&options.limits, observer);
    let mut outcome = search::run(algorithm, question, &mut product, policy, &mut control);
    let divergence = product.divergence();
    // A search that was stopped there may know a violation but not how its run goes on.
    let is_complete = matches!(outcome.counterexample, Some(Counterexample::Lasso(_)));
    if sight == Sight::Ordinary
        && divergence.is_some()
        && !matches!(goal, Goal::Faults)
        && !(outcome.verdict == Verdict::Violated && is_complete)
    {
        return Ok(None);
    }
    let warnings = match divergence {
        Some(divergence) if matches!(goal, Goal::Faults) => endless_warning(model, divergence),
        _ => None,
    };
    let not_shortest = match question {
        Question::Acceptance { .. } if options.shortest => {
            shorten::shortest(&mut product, &mut control, algorithm, &mut outcome)
        }
        _ => None,
    };
    let found = Found {
        loaded,
        job,
        goal: &goal,
        model,
        fair: options.weak_fairness,
        strict_ends: options.strict_ends,
        all_errors: options.all_errors || options.coverage,
        limits: &options.limits,
        algorithm: algorithm.name().to_string(),
        why,
        reduction: reduction_words,
    };
    let statistics = outcome.statistics.clone();
    let mut reports = found.reports(&mut product, &outcome);
    if let Some(obstacle) = not_shortest {
        for reason in reports.iter_mut().filter_map(|report| report.reason.as_mut()) {
            reason.push_str(&format!(" (not the shortest run: {obstacle})"));
        }
    }
    let coverage = match goal {
        Goal::Faults if options.coverage => {
            let is_fault = |violation: &search::Violation| violation.kind.class == FaultClass::RuntimeError;
            if optimised && outcome.violations.iter().any(is_fault) {
                // Where a step of several statements fails, only single statements tell which were executed.
                plain_coverage(loaded, job, options)
            } else {
                let explored_all = outcome.cut_short.is_none();
                coverage(loaded, model, &mut product, explored_all, &options.limits)
            }
        }
        _ => None,
    };
    Ok(Some(Answer { reports, statistics, coverage, warnings: warnings.into_iter().collect() }))
}

/// The coverage of a search without any reduction.
fn plain_coverage(loaded: &Loaded, job: &Job, options: &CheckOptions) -> Option<Coverage> {
    let reductions = Reductions { partial_order: false, optimise: false };
    let plain = CheckOptions { reductions, ..options.clone() };
    search_for(loaded, job, &plain, &mut Silent).ok()?.coverage
}

/// A run that stays in an atomic sequence violates neither assertions nor end states; SPIN goes on until its
/// depth is used up. (A deterministic step that does not end is an error of its own.)
fn endless_warning(model: &Model, divergence: Divergence) -> Option<Diagnostic> {
    let location = model.process(divergence.process).location(divergence.location);
    let edge = location.edges.first()?;
    if matches!(edge.actions.first(), Some(Action::Block(_))) {
        return None;
    }
    let span = edge.statements.first()?.span;
    Some(Diagnostic::warning("promela.endless-atomic", span, "this atomic sequence may run for ever").help(
        "no other process moves then, and no end state is reached; a formula or `--progress` finds such runs",
    ))
}

fn describe_reductions(
    optimised: bool,
    reduction: &Result<transition::reduction::ReductionTable, String>,
    no_reduction: &Option<String>,
    options: &CheckOptions,
) -> String {
    if let (false, Some(reason), Err(_)) = (optimised, no_reduction, reduction)
        && options.reductions.optimise
        && options.reductions.partial_order
    {
        return format!("no partial order and no merging ({reason})");
    }
    let merging = match (optimised, no_reduction) {
        (true, _) => "statement merging, dead variables".to_string(),
        (false, Some(reason)) if options.reductions.optimise => format!("no merging ({reason})"),
        (false, _) => "no merging".to_string(),
    };
    match reduction {
        Ok(_) => format!("static partial order, {merging}"),
        Err(_) if !options.reductions.partial_order => merging,
        Err(reason) => format!("no partial order ({reason}), {merging}"),
    }
}
