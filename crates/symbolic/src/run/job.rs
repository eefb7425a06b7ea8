//! One job: the proof of one member, from a new table of terms and a solver of its own to a report.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use silver::typed::{FunctionId, Local, Program};
use smt::{Budget, Reuse, Session, SessionOptions, Standby, Trust};
use verdict::failure::{Finding, FindingObserver, Goal};
use verdict::{ProofCost, Reason, Verdict};

use super::bundle::Bundle;
use super::plan::Entry;
use super::profile;
use crate::attempt::Attempt;
use crate::blame::Stop;
use crate::dependencies::{Dependencies, Member};
use crate::encode::Encoder;
use crate::engine::{Around, Engine, MemberTables, Outcome, Report, Run, Settings, Untrusted};
use crate::functions::Knowledge;
use crate::limits;
use crate::options::VerifyOptions;
use crate::path::Path;
use crate::prover::Prover;
use crate::quantified::Tables;
use crate::wands::WandTable;
use crate::watch::Watch;

/// Why nothing is known of a member for which an answer was kept that is wrong.
const REFUTED: &str = "an answer of the solver that was kept is wrong, and all that were kept are gone; run it again, and \
                       please report it with this input";

/// What all jobs share.
pub(super) struct Base<'r> {
    pub program: &'r Program,
    pub options: &'r VerifyOptions,
    pub wands: Arc<WandTable>,
    pub dependencies: &'r Dependencies,
    pub standby: Arc<Standby>,
    pub observer: &'r FindingObserver<'r>,
}

pub(super) struct Job<'r> {
    pub base: &'r Base<'r>,
    pub entry: &'r Entry,
    /// Its place in the plan.
    pub place: usize,
    /// What is known of functions.
    pub bundles: Vec<Arc<Bundle>>,
    pub untrusted: Arc<Untrusted>,
    /// Go on after a failure, as if what failed held.
    pub goes_on: bool,
}

/// What a job found out.
pub(super) struct Found {
    pub report: Finding,
    /// For a function, what others may know of it.
    pub bundle: Option<Bundle>,
    /// Whether it is known what the member means where others use it: what a function or a predicate stands for, what
    /// the contract of a method says.
    pub is_settled: bool,
}

impl Found {
    /// Nothing is known of the member.
    pub(super) fn unknown(entry: &Entry, reason: Reason) -> Found {
        let report = Finding { verdict: Verdict::Unknown(reason), ..empty_report(entry) };
        Found { report, bundle: None, is_settled: false }
    }
}

/// A report that says nothing is wrong and nothing was done.
pub(super) fn empty_report(entry: &Entry) -> Finding {
    Finding::new(entry.kind, &entry.name, entry.span, Verdict::Holds)
}

fn locals(program: &Program, member: Member) -> &[Local] {
    match member {
        Member::Function(id) => &program.function(id).locals,
        Member::Predicate(id) => &program.predicate(id).locals,
        Member::Method(id) => &program.method(id).locals,
    }
}

impl Job<'_> {
    /// Looks at the member: with the solver's answers from before, and without them if they do not prove it.
    pub(super) fn run(self) -> Found {
        let start = Instant::now();
        let Some(book) = self.base.options.books().map(|books| books.open(&self.entry.key())) else {
            return self.look(None);
        };
        let reuse = Reuse::new(book.clone(), Trust::Everything);
        let mut found = self.look(Some(&reuse));
        let is_over = matches!(found.report.verdict, Verdict::Holds | Verdict::Unknown(Reason::Interrupted));
        // What was asked in it has an answer that rests on what the solver does not prove.
        let is_over = is_over && found.report.answers.is_empty();
        if !is_over && found.report.cost.reused > 0 && !reuse.is_refuted() {
            found = self.look(Some(&Reuse::new(book.clone(), Trust::Nothing)));
            found.report.cost.time = start.elapsed();
        }
        if reuse.is_refuted() {
            let cost = found.report.cost;
            found = Found::unknown(self.entry, Reason::Internal(REFUTED.to_string()));
            found.report.cost = cost;
        }
        book.close();
        found
    }

    fn look(&self, reuse: Option<&Reuse>) -> Found {
        let start = Instant::now();
        let options = self.base.options;
        let mut report = empty_report(self.entry);
        let watch = Watch::new(options.interrupt.clone(), options.member_timeout);
        if let Some(reason) = watch.look() {
            return Found::unknown(self.entry, reason);
        }
        let session = match self.session(reuse) {
            Ok(session) => session,
            Err(error) => {
                return Found::unknown(self.entry, Reason::Internal(error.to_string()));
            }
        };
        let last = RefCell::new(None);
        let announce = |goal: &Goal| {
            self.base.observer.obligation(self.place, goal);
            last.replace(Some(*goal));
        };
        let mut engine = self.engine(session, watch, Box::new(announce));
        engine.flush_axioms();
        for bundle in &self.bundles {
            let known = bundle.open(&mut engine.encoder);
            engine.add_axioms(&known.axioms);
            engine.prover.add_steps(&known.steps);
            engine.prover.add_unrolled(&known.unrolled);
        }
        let (outcome, bundle) = prove(&mut engine, self.entry);
        report.failures = std::mem::take(&mut engine.report.failures);
        report.answers = std::mem::take(&mut engine.report.answers);
        match outcome {
            Ok(()) => {}
            Err(Stop::Failed(failure)) => report.failures.push(*failure),
            Err(Stop::Unknown(reason)) => {
                let is_about_input = matches!(reason, Reason::Unsupported(_));
                report.stuck = last.borrow().filter(|_| !is_about_input);
                report.verdict = Verdict::Unknown(reason);
            }
        }
        if !report.failures.is_empty() {
            report.verdict = Verdict::Violated;
        }
        let is_settled = engine.report.contract_checked || !matches!(report.verdict, Verdict::Unknown(_));
        let paths = engine.report.paths;
        if options.profile {
            let counts = engine.prover.session().profile();
            report.profile = profile::by_place(self.base.program, &engine.encoder.meanings, counts);
        }
        let statistics = engine.prover.statistics();
        report.cost = ProofCost {
            time: start.elapsed(),
            solver_time: statistics.time,
            queries: statistics.queries,
            reused: statistics.reused,
            resources: statistics.resources,
            paths,
        };
        Found { report, bundle, is_settled }
    }

    fn session(&self, reuse: Option<&Reuse>) -> Result<Session, smt::SolverError> {
        let options = self.base.options;
        let log = options.logs.as_ref().map(|logs| logs.open(&self.entry.name)).transpose()?;
        let settings = SessionOptions {
            log,
            profile: options.profile,
            interrupt: options.interrupt.clone(),
            standby: Some(self.base.standby.clone()),
            processor_time: options.processor_time.clone(),
            reuse: reuse.cloned(),
        };
        Session::start_with(&options.solver, settings)
    }

    fn engine<'e>(&'e self, session: Session, watch: Watch, announce: Box<dyn Fn(&Goal) + 'e>) -> Engine<'e> {
        let Base { program, options, wands, dependencies, .. } = self.base;
        let member = self.entry.member;
        let texts = dependencies.texts(program, member);
        let must = Budget { resources: Some(limits::MUST_RESOURCES), wall: options.obligation_timeout };
        let mut encoder = Encoder::new(program, &texts);
        let is_made = |(_, function): &(usize, &silver::typed::Function)| {
            options.made_functions.contains(&function.name)
        };
        let made = program.functions.iter().enumerate().filter(is_made);
        encoder.meanings.triggers_are_written = options.triggers_are_written;
        encoder.meanings.function_names = options.function_names.clone();
        encoder.meanings.written_quantifiers = options.written_quantifiers.clone();
        let types = program.domains.iter().filter(|domain| program.is_of_data_type(domain));
        encoder.meanings.data_functions = types.clone().flat_map(|it| it.functions.clone()).collect();
        encoder.meanings.data_types = types.map(|domain| domain.name.clone()).collect();
        let types = encoder.meanings.data_types.iter();
        encoder.meanings.made_domains = options.made_domains.iter().chain(types).cloned().collect();
        encoder.meanings.add_made(made.map(|(index, _)| FunctionId(index as u32)));
        Engine {
            run: Run {
                program,
                wands: wands.clone(),
                settings: Settings {
                    all_errors: self.goes_on,
                    respect_function_permission_amounts: options.respect_function_permission_amounts,
                    counterexamples: options.counterexamples,
                    chooses_where_known: options.chooses_where_known,
                },
                untrusted: self.untrusted.clone(),
            },
            encoder,
            prover: Prover::new(session, must, options.quick_resources, watch),
            member: MemberTables {
                functions: Default::default(),
                recursive: Rc::new(self.entry.group.clone()),
                unfolded: Vec::new(),
                amounts_matter: options.respect_function_permission_amounts
                    || !matches!(member, Member::Function(_)),
                quantified: Tables::new(&texts),
                packaging: Default::default(),
            },
            path: Path::new(),
            around: Around { locals: Rc::new(locals(program, member).to_vec()), ..Around::default() },
            attempt: Attempt::none(),
            report: Report::new(announce),
        }
    }
}

fn prove(engine: &mut Engine<'_>, entry: &Entry) -> (Outcome<()>, Option<Bundle>) {
    match entry.member {
        Member::Predicate(id) => (engine.check_predicate(id), None),
        Member::Method(id) => (engine.check_method(id, entry.with_body), None),
        Member::Function(id) => {
            engine.encoder.terms.set_fresh_scope(&format!("{}.", entry.name));
            let before = engine.prover.axioms().len();
            let mut known = Knowledge::default();
            let outcome = engine.check_function(id, &mut known);
            engine.flush_axioms();
            // What the axioms are about comes with them, except for what everybody knows who needs them: the axioms of
            // domains, and those of further functions.
            known.axioms.extend_from_slice(&engine.prover.axioms()[before..]);
            (outcome, Some(Bundle::new(&engine.encoder, &known)))
        }
    }
}
