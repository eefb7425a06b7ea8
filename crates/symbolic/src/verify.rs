//! A run: functions first, callees before callers, then predicates and methods, each as a job of its own.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use silver::typed::{FunctionId, Local, MethodId, PredicateId, Program};
use smt::{Budget, Session, SessionOptions, Term, Terms};
use source::Span;
use verdict::{MemberKind, MemberReport, Obligation, ProofCost, ProofObserver, ProofReport, Reason, Verdict};

use crate::blame::Stop;
use crate::dependencies::{Component, Dependencies, Execution, Member};
use crate::encode::Encoder;
use crate::engine::{Engine, Outcome, Settings, Untrusted};
use crate::functions::FunctionTable;
use crate::options::VerifyOptions;
use crate::path::Path;
use crate::prover::Prover;
use crate::wands::WandTable;

/// What one obligation may cost, in the solver's units: far more than any that succeeds needs.
const MUST_RESOURCES: u64 = 600_000_000;

/// What every job starts from.
struct Base<'p> {
    program: &'p Program,
    options: &'p VerifyOptions,
    encoder: Encoder<'p>,
    functions: Arc<FunctionTable>,
    wands: Arc<WandTable>,
    dependencies: Dependencies,
    /// What is known of each function so far.
    bundles: Vec<Option<Arc<Bundle>>>,
    untrusted: Arc<Untrusted>,
}

/// Axioms of a function in a table of their own.
struct Bundle {
    terms: Terms,
    axioms: Vec<Term>,
}

fn describe(member: Member, program: &Program) -> (MemberKind, &str, Span) {
    match member {
        Member::Function(id) => {
            let function = program.function(id);
            (MemberKind::Function, &function.name, function.span)
        }
        Member::Predicate(id) => {
            let predicate = program.predicate(id);
            (MemberKind::Predicate, &predicate.name, predicate.span)
        }
        Member::Method(id) => {
            let method = program.method(id);
            (MemberKind::Method, &method.name, method.span)
        }
    }
}

fn locals(member: Member, program: &Program) -> &[Local] {
    match member {
        Member::Function(id) => &program.function(id).locals,
        Member::Predicate(id) => &program.predicate(id).locals,
        Member::Method(id) => &program.method(id).locals,
    }
}

/// Verifies the members of a program and reports on each, in the order of the source.
pub fn verify(program: &Program, options: &VerifyOptions, observer: &dyn ProofObserver) -> ProofReport {
    let mut encoder = Encoder::new(program);
    let functions = Arc::new(FunctionTable::new(program, &mut encoder));
    let dependencies = Dependencies::of(program);
    let wands = Arc::new(WandTable::new(dependencies.wand_shapes().clone()));
    let bundles = program.functions.iter().map(|_| None).collect();
    let mut base = Base {
        program,
        options,
        encoder,
        functions,
        wands,
        dependencies,
        bundles,
        untrusted: Arc::default(),
    };
    let mut members: Vec<Member> = Vec::new();
    members.extend((0..program.functions.len()).map(|index| Member::Function(FunctionId(index as u32))));
    members.extend((0..program.predicates.len()).map(|index| Member::Predicate(PredicateId(index as u32))));
    members.extend((0..program.methods.len()).map(|index| Member::Method(MethodId(index as u32))));
    let names: Vec<(MemberKind, String)> = members
        .iter()
        .map(|member| {
            let (kind, name, _) = describe(*member, program);
            (kind, name.to_string())
        })
        .collect();
    observer.started(&names);
    let mut reports: Vec<Option<MemberReport>> = members.iter().map(|_| None).collect();
    let components: Vec<Component> = base.dependencies.call_graph().components().to_vec();
    for component in components {
        for function in &component.members {
            let index = function.index();
            observer.member_started(index);
            let group = if component.is_recursive { &component.members[..] } else { &[] };
            let mut axioms = None;
            let report = job(&base, members[index], group, &mut axioms, index, observer);
            base.bundles[index] = axioms.map(Arc::new);
            observer.member_finished(index, &report);
            reports[index] = Some(report);
        }
    }
    for (index, member) in members.iter().enumerate() {
        if reports[index].is_none() {
            observer.member_started(index);
            let report = job(&base, *member, &[], &mut None, index, observer);
            observer.member_finished(index, &report);
            reports[index] = Some(report);
        }
    }
    let untrusted = untrusted(&members, &reports);
    for (index, member) in members.iter().enumerate() {
        let holds = reports[index].as_ref().is_some_and(|report| report.verdict == Verdict::Holds);
        if holds && uses(&base.dependencies.execution(*member), &untrusted) {
            base.untrusted = Arc::new(untrusted.clone());
            let report = job(&base, *member, &[], &mut None, index, observer);
            observer.member_finished(index, &report);
            reports[index] = Some(report);
        }
    }
    ProofReport { members: reports.into_iter().flatten().collect() }
}

/// Members that others must not take on trust.
fn untrusted(members: &[Member], reports: &[Option<MemberReport>]) -> Untrusted {
    let mut untrusted = Untrusted::default();
    for (member, report) in members.iter().zip(reports) {
        let failures = report.iter().flat_map(|report| &report.failures);
        if failures.into_iter().any(|failure| failure.code.contains("not.wellformed:")) {
            match member {
                Member::Function(id) => untrusted.functions.insert(*id),
                Member::Predicate(id) => untrusted.predicates.insert(*id),
                Member::Method(id) => untrusted.methods.insert(*id),
            };
        }
    }
    untrusted
}

fn uses(execution: &Execution, untrusted: &Untrusted) -> bool {
    execution.functions.iter().any(|id| untrusted.functions.contains(id))
        || execution.opened.iter().any(|id| untrusted.predicates.contains(id))
        || execution.methods.iter().any(|id| untrusted.methods.contains(id))
}

fn job<'p>(
    base: &Base<'p>,
    member: Member,
    group: &[FunctionId],
    bundle: &mut Option<Bundle>,
    index: usize,
    observer: &'p dyn ProofObserver,
) -> MemberReport {
    let start = Instant::now();
    let (kind, name, span) = describe(member, base.program);
    let mut report = MemberReport {
        name: name.to_string(),
        kind,
        span,
        verdict: Verdict::Holds,
        failures: Vec::new(),
        stuck: None,
        cost: ProofCost::default(),
        profile: Vec::new(),
    };
    let settings = SessionOptions {
        log: base.options.log_folder.as_ref().map(|folder| folder.join(format!("{name}.smt2"))),
        profile: base.options.profile,
        interrupt: base.options.interrupt.clone(),
    };
    let session = match Session::start_with(&base.options.solver, settings) {
        Ok(session) => session,
        Err(error) => {
            report.verdict = Verdict::Unknown(Reason::Internal(error.to_string()));
            return report;
        }
    };
    let must = Budget { resources: Some(MUST_RESOURCES), wall: base.options.obligation_timeout };
    let last = std::cell::RefCell::new(None);
    let mut engine = Engine {
        program: base.program,
        encoder: base.encoder.clone(),
        prover: Prover::new(session, must),
        path: Path::new(),
        functions: base.functions.clone(),
        wands: base.wands.clone(),
        settings: Settings {
            all_errors: base.options.all_errors,
            respect_function_permission_amounts: base.options.respect_function_permission_amounts,
            counterexamples: base.options.counterexamples,
        },
        locals: Rc::new(locals(member, base.program).to_vec()),
        quantified: Vec::new(),
        parameters: 0,
        packaging: Default::default(),
        trusted: false,
        untrusted: base.untrusted.clone(),
        thorough: false,
        failures: Vec::new(),
        announce: Box::new(|obligation: &Obligation| {
            observer.obligation(index, obligation);
            last.replace(Some(obligation.clone()));
        }),
        tables: Default::default(),
        axioms: Vec::new(),
        known_axioms: Default::default(),
        in_trigger: false,
        recursive: Rc::new(group.to_vec()),
        lemmas: Default::default(),
        unfolded: Vec::new(),
        amounts_matter: base.options.respect_function_permission_amounts
            || !matches!(member, Member::Function(_)),
        opening: Vec::new(),
        last_attempt: true,
        guarded: 0,
        split: false,
        refutations: Default::default(),
        paths: 0,
    };
    engine.flush_axioms();
    for function in base.dependencies.reach(member).functions {
        if let Some(bundle) = &base.bundles[function.index()] {
            let axioms = engine.encoder.terms.import(&bundle.terms, &bundle.axioms);
            engine.add_axioms(&axioms);
        }
    }
    let outcome: Outcome<()> = match member {
        Member::Function(id) => {
            engine.encoder.terms.set_fresh_scope(&format!("{name}."));
            let mut own = Vec::new();
            let outcome = engine.check_function(id, &mut own);
            engine.flush_axioms();
            // What the axioms are about comes with them.
            own.extend(engine.axioms.iter().copied());
            let mut terms = Terms::new();
            let axioms = terms.import(&engine.encoder.terms, &own);
            *bundle = Some(Bundle { terms, axioms });
            outcome
        }
        Member::Predicate(id) => engine.check_predicate(id),
        Member::Method(id) => engine.check_method(id),
    };
    report.failures = std::mem::take(&mut engine.failures);
    match outcome {
        Ok(()) => {}
        Err(Stop::Failed(failure)) => report.failures.push(*failure),
        Err(Stop::Unknown(reason)) => {
            report.verdict = Verdict::Unknown(reason);
            report.stuck = last.borrow().clone();
        }
    }
    if !report.failures.is_empty() {
        report.verdict = Verdict::Violated;
    }
    let statistics = engine.prover.session().statistics();
    report.cost = ProofCost {
        time: start.elapsed(),
        solver_time: statistics.time,
        queries: statistics.queries,
        resources: statistics.resources,
        paths: engine.paths,
    };
    report
}
