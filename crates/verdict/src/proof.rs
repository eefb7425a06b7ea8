//! What a run of the deductive engine says: one report per member, with a failure for each refuted obligation.

use std::fmt;
use std::time::Duration;

use source::{Diagnostic, Span};

use crate::{Reason, Trace, Verdict};

/// The answer about a whole program; `F` and `O` are failures and obligations as text, or as data before they are rendered.
#[derive(Clone, Debug)]
pub struct ProofReport<F = FailureReport, O = Obligation> {
    /// In the order of the source.
    pub members: Vec<MemberReport<F, O>>,
}

impl<F, O> Default for ProofReport<F, O> {
    fn default() -> Self {
        ProofReport { members: Vec::new() }
    }
}

impl<F, O> ProofReport<F, O> {
    /// All members as one question.
    pub fn verdict(&self) -> Verdict {
        self.members.iter().fold(Verdict::Holds, |verdict, member| verdict.and(member.verdict.clone()))
    }

    /// What the proofs of all members rest on, each thing once, in the order of the source.
    pub fn assumptions(&self) -> Vec<&Assumption> {
        let mut all: Vec<&Assumption> = self.members.iter().flat_map(|member| &member.assumptions).collect();
        all.sort_by_key(|it| (it.span.file, it.span.start, it.span.end, it.kind));
        all.dedup();
        all
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberKind {
    Domain,
    Function,
    Predicate,
    Method,
    Constructor,
    /// What the thread of an object does.
    Run,
    Lemma,
    /// What the lock of an object protects.
    LockInvariant,
    /// Whether a member can be called at all, where its body does not tell.
    Contract,
    /// An assertion that is kept as a value.
    Resource,
    /// The contract of a process of a model.
    Process,
}

impl MemberKind {
    pub fn word(self) -> &'static str {
        match self {
            MemberKind::Domain => "domain",
            MemberKind::Function => "function",
            MemberKind::Predicate => "predicate",
            MemberKind::Method => "method",
            MemberKind::Constructor => "constructor",
            MemberKind::Run => "run",
            MemberKind::Lemma => "lemma",
            MemberKind::LockInvariant => "lock invariant",
            MemberKind::Contract => "contract",
            MemberKind::Resource => "resource",
            MemberKind::Process => "process",
        }
    }
}

/// The answer about one member.
#[derive(Clone, PartialEq, Debug)]
pub struct MemberReport<F = FailureReport, O = Obligation> {
    pub name: String,
    pub kind: MemberKind,
    pub span: Span,
    /// The part of it that says which member it is: what stands in front of contract and body.
    pub head: Span,
    /// [`Verdict::Violated`] if and only if there is a failure.
    pub verdict: Verdict,
    /// In the order in which they were found.
    pub failures: Vec<F>,
    /// The obligation at which the verdict became unknown.
    pub stuck: Option<O>,
    /// What the proof rests on without a proof, in the order of the source.
    pub assumptions: Vec<Assumption>,
    /// Contracts of processes that it follows, in the order of the source: what it inherits from them.
    pub relies_on: Vec<Inherited>,
    /// Models that it creates, in the order of the source; only where the proof shows that it follows them.
    pub creations: Vec<Creation>,
    pub cost: ProofCost,
    /// The most instantiated quantifiers, where a profile was asked for.
    pub profile: Vec<QuantifierCount>,
    /// What is no failure and yet worth a look.
    pub warnings: Vec<Diagnostic>,
    /// What was asked inside of it, in the order in which it was come to.
    pub answers: Vec<Answered<F>>,
}

/// What is known about something that was asked at a place in a member. No verdict depends on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Answered<F = FailureReport> {
    /// What was asked.
    pub span: Span,
    /// On how many paths to that place it follows, is refuted, and is open.
    pub follows: u32,
    pub refuted: u32,
    pub open: u32,
    /// Of a path on which it is refuted.
    pub refutation: Option<F>,
    /// Why nothing is known on a path where it is open.
    pub reason: Option<Reason>,
}

/// The answer for all paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It holds whenever a run comes to the place.
    Follows,
    /// It need not hold.
    Refuted,
    /// The solver could tell neither.
    Open,
    /// Nothing is known of a path that leads to the place.
    NotReached,
}

impl Answer {
    /// A word for it.
    pub fn word(self) -> &'static str {
        match self {
            Answer::Follows => "follows",
            Answer::Refuted => "refuted",
            Answer::Open => "open",
            Answer::NotReached => "not reached",
        }
    }
}

impl<F> Answered<F> {
    /// Nothing yet.
    pub fn new(span: Span) -> Self {
        Answered { span, follows: 0, refuted: 0, open: 0, refutation: None, reason: None }
    }

    /// For all paths together: one on which it is refuted decides, then one on which it is open.
    pub fn answer(&self) -> Answer {
        match (self.refuted, self.open, self.follows) {
            (0, 0, 0) => Answer::NotReached,
            (0, 0, _) => Answer::Follows,
            (0, _, _) => Answer::Open,
            _ => Answer::Refuted,
        }
    }

    /// The same with another refutation, about another place.
    pub fn with<G>(self, span: Span, refutation: Option<G>) -> Answered<G> {
        let Answered { follows, refuted, open, reason, .. } = self;
        Answered { span, follows, refuted, open, refutation, reason }
    }
}

/// Something that a proof takes for granted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assumption {
    /// What kind of thing it is, in two or three words: `axiom`, `abstract method`, `unmeasured recursion`.
    pub kind: &'static str,
    /// The member that it is, or that it stands in.
    pub name: String,
    pub span: Span,
}

/// The contract of a process that a program follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inherited {
    /// The process.
    pub name: String,
    pub span: Span,
    /// How the contract was established.
    pub how: How,
}

/// A model that a program creates, and what the program has of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Creation {
    /// The process that is followed.
    pub process: String,
    /// Where it is created.
    pub span: Span,
    /// Properties of the process that the program inherits, as far as they are true.
    pub inherits: Vec<InheritedProperty>,
}

/// A property of a process that holds of programs that follow it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InheritedProperty {
    /// `ensures`, or the name of a formula.
    pub name: String,
    pub how: How,
    /// On what it was checked, or why it is not known, in words.
    pub detail: Option<String>,
    /// How many instances it was checked on.
    pub instances: Option<u64>,
}

/// What is known of the contract of a process, or of another property of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// It holds for all inputs.
    Proved,
    /// It holds on the instances that were searched.
    Checked,
    /// Somebody asked to believe it.
    Assumed,
    /// There is a run that breaks it.
    Refuted,
    Unknown,
}

impl How {
    pub fn word(self) -> &'static str {
        match self {
            How::Proved => "proved",
            How::Checked => "checked",
            How::Assumed => "assumed",
            How::Refuted => "refuted",
            How::Unknown => "unknown",
        }
    }
}

impl Assumption {
    /// The contract of a process that somebody asked to believe.
    pub const CONTRACT: &'static str = "assumed contract";
    /// A function that applies itself and of which nothing shows that it ends.
    pub const UNMEASURED: &'static str = "unmeasured recursion";
    /// A member that was left out of the run, and of which only the contract was looked at.
    pub const NOT_SELECTED: &'static str = "not selected";
}

impl<F, O> MemberReport<F, O> {
    /// A report without failures, before anything was done.
    pub fn new(kind: MemberKind, name: impl Into<String>, span: Span, verdict: Verdict) -> Self {
        MemberReport {
            name: name.into(),
            kind,
            span,
            head: span,
            verdict,
            failures: Vec::new(),
            stuck: None,
            assumptions: Vec::new(),
            relies_on: Vec::new(),
            creations: Vec::new(),
            cost: ProofCost::default(),
            profile: Vec::new(),
            warnings: Vec::new(),
            answers: Vec::new(),
        }
    }

    /// The same report with other failures, answers and obligations.
    pub fn with<G, P>(
        self,
        failures: Vec<G>,
        answers: Vec<Answered<G>>,
        stuck: Option<P>,
    ) -> MemberReport<G, P> {
        MemberReport {
            name: self.name,
            kind: self.kind,
            span: self.span,
            head: self.head,
            verdict: self.verdict,
            failures,
            stuck,
            assumptions: self.assumptions,
            relies_on: self.relies_on,
            creations: self.creations,
            cost: self.cost,
            profile: self.profile,
            warnings: self.warnings,
            answers,
        }
    }

    /// How the contract of a process was established, if it is one.
    pub fn how(&self) -> Option<How> {
        let is_assumed =
            self.assumptions.iter().any(|it| it.kind == Assumption::CONTRACT && it.name == self.name);
        (self.kind == MemberKind::Process).then_some(match &self.verdict {
            Verdict::Holds if is_assumed => How::Assumed,
            Verdict::Holds => How::Proved,
            Verdict::Violated => How::Refuted,
            Verdict::Unknown(_) => How::Unknown,
        })
    }

    /// Adds what was found out about another part of the same member.
    pub fn join(&mut self, part: Self) {
        self.verdict = self.verdict.clone().and(part.verdict);
        self.failures.extend(part.failures);
        self.stuck = self.stuck.take().or(part.stuck);
        self.profile.extend(part.profile);
        self.warnings.extend(part.warnings);
        self.answers.extend(part.answers);
        self.cost.time += part.cost.time;
        self.cost.solver_time += part.cost.solver_time;
        self.cost.queries += part.cost.queries;
        self.cost.reused += part.cost.reused;
        self.cost.resources += part.cost.resources;
        self.cost.paths += part.cost.paths;
    }
}

/// A refuted obligation as people read it, in the terms of their program.
#[derive(Clone, PartialEq, Debug)]
pub struct FailureReport {
    /// Error and reason as the language names them, for example `assert.failed:assertion.false`.
    pub code: String,
    /// Where the error is reported.
    pub span: Span,
    /// A sentence: what might not hold, and why.
    pub message: String,
    /// The part that is to blame (a conjunct, a location), what is held and what is needed, the branches taken.
    pub notes: Vec<Note>,
    /// What is often the remedy.
    pub help: Option<String>,
    pub counterexample: Option<Counterexample>,
    /// A run that shows it, where there is one.
    pub run: Option<Box<Trace>>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    pub span: Option<Span>,
    pub text: String,
}

/// Values in source terms for which the obligation fails, in the order in which people want to read them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counterexample {
    /// An expression of the source (`x`, `x.f`, `perm(x.f)`, `s[0]`) and its value.
    pub values: Vec<(String, String)>,
}

/// Something that is being proved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Obligation {
    pub span: Span,
    /// Where it is declared what has to hold, if that is elsewhere: the precondition of a call, the body of a predicate.
    pub clause: Option<Span>,
    /// The statement, contract or member that it is an obligation of.
    pub construct: Span,
    /// For example "the postcondition holds".
    pub text: String,
    /// What the failure would be called, for example `postcondition.violated:assertion.false`, where it has a name in the
    /// language of the program.
    pub code: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ProofCost {
    pub time: Duration,
    /// The part of `time` in which the solver worked.
    pub solver_time: Duration,
    /// Questions put to the solver.
    pub queries: u64,
    /// How many of them were answered from before.
    pub reused: u64,
    /// The solver's own unit of work, where it has one.
    pub resources: u64,
    /// Execution paths.
    pub paths: u64,
}

/// What a quantifier is for.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum QuantifierRole {
    /// It is written where it says.
    Written,
    /// What is known about the terms in the body of one that is written there.
    Body,
    /// A part of what is known about a function: its `definition`, its `postcondition`.
    Function { name: String, part: &'static str },
    /// An axiom of a domain for some types, which are a text between `<` and `>`.
    Axiom { domain: String, types: String, label: String },
    /// A law of a kind of collections: `seq`, `set`, `multiset` or `map`.
    Collection { kind: &'static str, law: &'static str },
    /// Permissions to many locations and their values.
    Locations(String),
    /// Something else that has a name.
    Named(String),
}

impl fmt::Display for QuantifierRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            QuantifierRole::Written => f.write_str("quantifier"),
            QuantifierRole::Body => f.write_str("what the body of the quantifier needs"),
            QuantifierRole::Function { name, part } => write!(f, "{name}.{part}"),
            QuantifierRole::Axiom { domain, types, label } => write!(f, "{domain}<{types}>.{label}"),
            QuantifierRole::Collection { kind, law } => write!(f, "{kind}.{law}"),
            QuantifierRole::Locations(name) | QuantifierRole::Named(name) => f.write_str(name),
        }
    }
}

/// How often a quantifier was instantiated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QuantifierCount {
    pub role: QuantifierRole,
    pub span: Option<Span>,
    /// Where the terms of its triggers are written, one list for each trigger.
    pub triggers: Vec<Vec<Span>>,
    pub instances: u64,
}

/// Is told how a proof gets on. Called from several threads.
pub trait ProofObserver<F = FailureReport, O = Obligation>: Sync {
    /// The names of all members that will be looked at, in the order of the source; `member` below is an index.
    fn started(&self, _members: &[(MemberKind, String)]) {}
    /// How long each of them took in an earlier run, where that is known; told once, after `started`.
    fn expected(&self, _times: &[Option<Duration>]) {}
    fn member_started(&self, _member: usize) {}
    fn obligation(&self, _member: usize, _obligation: &O) {}
    /// May be told again of a member that had to be looked at once more; the last report counts.
    fn member_finished(&self, _member: usize, _report: &MemberReport<F, O>) {}
}

impl<F, O> ProofObserver<F, O> for crate::Silent {}
