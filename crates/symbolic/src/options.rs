//! What a caller may choose about a run.

use source::Span;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

#[derive(Clone, Debug)]
pub struct VerifyOptions {
    pub solver: smt::SolverOptions,
    /// Members that are proved at the same time.
    pub workers: usize,
    /// Names of the members to prove; all if absent.
    pub members: Option<Vec<String>>,
    /// Go on after a failure, as if the failed obligation held.
    pub all_errors: bool,
    pub obligation_timeout: Option<Duration>,
    pub member_timeout: Option<Duration>,
    /// What a question may cost, in the solver's units, whose answer decides how work goes on and never a verdict.
    pub quick_resources: u64,
    /// Count quantifier instances.
    pub profile: bool,
    /// Where one replayable script for each member goes.
    pub logs: Option<smt::Logs>,
    /// Where the solver's answers are kept and taken from; nothing is taken for records and profiles.
    pub answers: Option<smt::Books>,
    /// Who tells how much a solver works; the clock on the wall stands for it where nobody does.
    pub processor_time: Option<smt::ProcessorTime>,
    /// Preconditions of functions need the amounts that they state, not just some permission.
    pub respect_function_permission_amounts: bool,
    /// Whether the program's author chose the triggers. A language that is put into Silver chooses its own, with care.
    pub triggers_are_written: bool,
    /// Whether the proof chooses the way at an `if` with the annotation `@where_known`: where ghost steps that nobody wrote
    /// are taken if they can be. Never for programs that somebody has written in Silver.
    pub chooses_where_known: bool,
    /// Functions that the program's language has made by itself, with triggers that leave nothing out.
    pub made_functions: Arc<BTreeSet<String>>,
    /// Domains that the program's language has made by itself, with axioms whose triggers leave nothing out.
    pub made_domains: Arc<BTreeSet<String>>,
    /// Quantifiers that the program's author wrote, by their places; none if all are.
    pub written_quantifiers: Option<Arc<BTreeSet<Span>>>,
    /// What functions are called in the program's language, where that is not their name; nothing for those that its
    /// author does not know.
    pub function_names: Arc<BTreeMap<String, Option<String>>>,
    /// Build counterexamples for failures.
    pub counterexamples: bool,
    /// Stop soon after this is set.
    pub interrupt: Arc<AtomicBool>,
}

impl VerifyOptions {
    /// Where answers are kept, unless somebody wants to see the solver at work.
    pub(crate) fn books(&self) -> Option<&smt::Books> {
        self.answers.as_ref().filter(|_| self.logs.is_none() && !self.profile)
    }

    /// Whether most answers are likely to be known.
    pub(crate) fn expects_answers(&self) -> bool {
        self.books().is_some_and(smt::Books::is_filled)
    }

    pub fn new(solver: smt::SolverOptions) -> VerifyOptions {
        VerifyOptions {
            solver,
            workers: 1,
            members: None,
            all_errors: false,
            obligation_timeout: None,
            member_timeout: None,
            quick_resources: crate::limits::QUICK_RESOURCES,
            profile: false,
            logs: None,
            answers: None,
            processor_time: None,
            respect_function_permission_amounts: false,
            triggers_are_written: true,
            chooses_where_known: false,
            made_functions: Arc::default(),
            made_domains: Arc::default(),
            written_quantifiers: None,
            function_names: Arc::default(),
            counterexamples: true,
            interrupt: Arc::default(),
        }
    }
}
