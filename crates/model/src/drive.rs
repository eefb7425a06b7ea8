//! One search from the question to the answer, whatever the states are made of.

use search::{
    Algorithm, Choice, Control, Counterexample, FaultKind, FaultPolicy, Keeper, Kept, Lost, Outcome, Product,
    Question, ReachOptions, Stage,
};
use source::Diagnostic;
use store::Lossy;
use verdict::{Coverage, Observer, Silent, Trace};

use crate::answer::{Answer, Checked};
use crate::kept;
use crate::lossy;
use crate::options::{SearchOptions, StoreKind};
use crate::property::Property;
use crate::reports::Found;
use crate::shorten;
use crate::sought::Sought;

/// What a search says is wrong with a run that it found.
pub(crate) enum Refutation {
    /// The run ends with this fault.
    Fault(FaultKind),
    /// Nothing can move at the end of the run, and that is no place to rest; `strict`: messages left in channels count.
    EndState { strict: bool },
    /// The run is one of those that are sought.
    Cycle,
}

/// Why there is no trace.
pub(crate) enum Unshown {
    /// The run is only the beginning of one that refutes the property.
    Undecided,
    /// The run is not what the search says it is: an error of ours.
    Wrong(String),
}

impl From<String> for Unshown {
    fn from(sentence: String) -> Unshown {
        Unshown::Wrong(sentence)
    }
}

/// A product that is ready to be searched, and the way back from what is found in it to what people read.
pub(crate) trait Searchable {
    type Product: Product;

    fn product(&mut self) -> &mut Self::Product;

    /// How many of so many workers can search it.
    fn workers(&self, asked: usize) -> usize {
        asked.min(1)
    }

    /// Runs a search on it.
    fn run(
        &mut self,
        (algorithm, question): (Algorithm, Question),
        policy: FaultPolicy,
        control: &mut Control<'_>,
        workers: usize,
    ) -> Outcome {
        let _ = workers;
        search::run(algorithm, question, self.product(), policy, control)
    }

    /// Looks for faults, or for accepting sinks, with a store that may forget states; none where there is no such search.
    fn run_lossy(
        &mut self,
        options: ReachOptions,
        control: &mut Control<'_>,
        workers: usize,
        store: Lossy,
    ) -> Option<(Outcome, Option<Lost>)> {
        let _ = (options, control, workers, store);
        None
    }

    /// Whether there is such a search.
    fn has_lossy_search(&self) -> bool {
        false
    }

    /// Whether what it has found out means the same in another run, so that it can be kept.
    fn can_be_kept(&self) -> bool {
        false
    }

    /// Which of the searches it is that answer one question one after the other.
    fn stage(&self) -> Stage {
        Stage(0)
    }

    /// What it was made to find.
    fn sought(&self) -> Sought<'_>;

    /// Which reductions are used, and why not others.
    fn reductions(&self) -> String;

    /// Whether steps of such a model can fail; if not, nothing is said about assertions.
    fn has_assertions(&self) -> bool {
        true
    }

    /// What the two properties are called that a search for faults answers: of steps and ends, and of states where
    /// nothing can move.
    fn safety_names(&self) -> (String, String) {
        ("assertions".to_string(), "end states".to_string())
    }

    /// Why there is no initial state; none where there is one.
    fn without_initial_state(&mut self) -> Option<String> {
        None
    }

    /// Whether the search met something that this product cannot see, so that its answer is none.
    fn is_blind(&mut self, outcome: &Outcome) -> bool {
        let _ = outcome;
        false
    }

    /// Where a property that is not violated was not decided, because it has no value there.
    fn without_value(&mut self) -> Option<String> {
        None
    }

    /// Walks a run again without the search's help, judges it, and tells it: the trace, and a sentence.
    fn counterexample(
        &mut self,
        found: &Counterexample,
        refutation: &Refutation,
    ) -> Result<(Trace, String), Unshown>;

    /// A warning: something that is no violation, but is probably not meant.
    fn warning(&mut self) -> Option<Diagnostic> {
        None
    }

    /// Which statements were executed.
    fn coverage(&mut self, outcome: &Outcome) -> Option<Coverage> {
        let _ = outcome;
        None
    }
}

/// Searches, and looks for a shorter run once more where that is worth it.
pub(crate) fn with_second_look(
    options: &SearchOptions,
    observer: &mut dyn Observer,
    mut search: impl FnMut(&SearchOptions, &mut dyn Observer) -> Checked,
) -> Checked {
    let mut answer = search(options, observer)?;
    if let Some(options) = shorten::second_look(options, &answer.reports)
        && let Ok(second) = search(&options, &mut Silent)
    {
        shorten::take_shorter(&mut answer.reports, second.reports);
    }
    Ok(answer)
}

/// One search; nothing where it met what it cannot see.
pub(crate) fn drive(
    search: &mut impl Searchable,
    property: &Property,
    options: &SearchOptions,
    observer: &mut dyn Observer,
) -> Option<Answer> {
    let looks_for_faults = matches!(search.sought(), Sought::Faults);
    let question = search.sought().question(options);
    let workers = search.workers(options.workers);
    let (algorithm, why) = choose(question, options, workers);
    if let StoreKind::Lossy(kind) = options.store
        && let Some(sentence) = lossy::refusal(search, kind, (algorithm, question), options)
    {
        return Some(Answer::refused(sentence));
    }
    if let Some(refused) = kept::refusal(search, options) {
        return Some(refused);
    }
    if options.only_ask {
        return Some(Answer::default());
    }
    let keeper = options.keeper.as_deref();
    let saves = keeper.filter(|keeper| keeper.is_keeping()).map(|keeper| keeper as &dyn Keeper);
    let mut kept = Kept::new(saves, search.stage());
    if let Some(keeper) = keeper {
        match kept::take_up(&mut kept, keeper, search) {
            // That of a later search: this one had seen too little.
            Ok(Some(stage)) if stage > search.stage() => return None,
            Ok(_) => {}
            Err(refused) => return Some(*refused),
        }
    }
    let policy = match looks_for_faults {
        true if options.all_errors || options.coverage => FaultPolicy::CountAll,
        true => FaultPolicy::StopAtFirst,
        false => FaultPolicy::Ignore,
    };
    let mut control = Control::new(&options.limits, observer).with_head_start(options.head_start);
    if keeper.is_some() {
        control = control.with_kept(&kept);
    }
    let (mut outcome, lost) = match options.store {
        StoreKind::Exact => (search.run((algorithm, question), policy, &mut control, workers), None),
        StoreKind::Lossy(kind) => {
            let accepting_sinks = matches!(question, Question::Acceptance { .. });
            let reach = ReachOptions { faults: policy, accepting_sinks };
            match search.run_lossy(reach, &mut control, workers, kind) {
                Some((outcome, lost)) => (outcome, lost),
                None => return Some(Answer::refused(lossy::NO_SUCH_SEARCH.to_string())),
            }
        }
    };
    if search.is_blind(&outcome) {
        return None;
    }
    let warnings = search.warning();
    let not_shortest = match question {
        Question::Acceptance { .. } if options.shortest => {
            shorten::shortest(search.product(), &mut control, algorithm, &mut outcome)
        }
        _ => None,
    };
    let found = Found {
        property,
        strict_ends: options.strict_ends,
        all_errors: options.all_errors || options.coverage,
        limits: &options.limits,
        algorithm: algorithm.name().to_string(),
        why,
        reduction: search.reductions(),
        lost,
    };
    let statistics = outcome.statistics.clone();
    let mut reports = found.reports(search, &outcome);
    if let Some(obstacle) = not_shortest {
        for reason in reports.iter_mut().filter_map(|report| report.reason.as_mut()) {
            reason.push_str(&format!(" (not the shortest run: {obstacle})"));
        }
    }
    let coverage = if looks_for_faults && options.coverage { search.coverage(&outcome) } else { None };
    Some(Answer { reports, statistics, coverage, warnings: warnings.into_iter().collect(), refused: None })
}

/// The search for a question, and why it is that one.
fn choose(question: Question, options: &SearchOptions, workers: usize) -> (Algorithm, String) {
    let objection = |algorithm: Algorithm| {
        algorithm.objection(question).or_else(|| shorten::objection(algorithm, question, options))
    };
    let mut chosen = search::choose(question, workers);
    if objection(chosen.algorithm).is_some() {
        chosen = Choice { algorithm: Algorithm::Bfs, why: "a breadth-first search finds the shortest run" };
    }
    match options.algorithm {
        None => (chosen.algorithm, chosen.why.to_string()),
        Some(algorithm) => match objection(algorithm) {
            None => (algorithm, "asked for".to_string()),
            Some(objection) => {
                (chosen.algorithm, format!("`{}` was asked for, but {objection}", algorithm.name()))
            }
        },
    }
}
