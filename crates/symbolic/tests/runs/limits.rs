//! Limits: a run that meets one says so, names the obligation and ends soon.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use symbolic::VerifyOptions;
use verdict::failure::{Failure, Finding, Goal};
use verdict::{ProofObserver, Reason, Verdict};

use crate::support::{load_text, options, verify};

/// Not provable, and the solver does not see that for a long time.
const HARD: &str = "
method easy(a: Int) { assert a == a + 0 }
method hard(a: Int, b: Int, c: Int)
    requires a > 2 && b > 2 && c > 2
{
    assert a + b > 4
    assert a * a * a * a * a + b * b * b * b * b != c * c * c * c * c * 7 + a * b * c * 3 + 1
}
";

#[test]
fn an_obligation_that_takes_too_long_is_named() {
    let loaded = load_text(HARD);
    let limit = Duration::from_millis(700);
    let report = verify(&loaded, &VerifyOptions { obligation_timeout: Some(limit), ..options() });
    assert_eq!(report.members[0].verdict, Verdict::Holds);
    let hard = &report.members[1];
    assert_eq!(hard.verdict, Verdict::Unknown(Reason::Timeout), "{:?}", hard.failures);
    let stuck = hard.stuck.as_ref().expect("the obligation is named");
    assert!(loaded.sources.text(stuck.span).starts_with("a * a"), "{stuck:?}");
    assert!(stuck.text.contains("assert"), "{stuck:?}");
}

#[test]
fn a_member_that_takes_too_long_ends() {
    let loaded = load_text(HARD);
    let limit = Duration::from_millis(700);
    let start = Instant::now();
    let report = verify(&loaded, &VerifyOptions { member_timeout: Some(limit), ..options() });
    assert_eq!(report.members[1].verdict, Verdict::Unknown(Reason::Timeout));
    assert!(report.members[1].stuck.is_some());
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

#[test]
fn an_interrupted_run_ends_and_calls_nothing_verified() {
    let loaded = load_text(HARD);
    let interrupt: Arc<AtomicBool> = Arc::default();
    let options = VerifyOptions { interrupt: interrupt.clone(), ..options() };
    let start = Instant::now();
    let report = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(700));
            interrupt.store(true, Ordering::Relaxed);
        });
        verify(&loaded, &options)
    });
    assert_eq!(report.members[1].verdict, Verdict::Unknown(Reason::Interrupted));
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    let report = verify(&loaded, &options);
    let verdicts: Vec<&Verdict> = report.members.iter().map(|member| &member.verdict).collect();
    let interrupted = Verdict::Unknown(Reason::Interrupted);
    assert_eq!(verdicts, [&interrupted, &interrupted]);
}

/// Sixteen branches in a row: many paths, each of them easy.
fn many_paths() -> String {
    let conditions: String = (0..16).map(|index| format!("    if (b[{index}]) {{ x := x + 1 }}\n")).collect();
    format!(
        "method many(b: Seq[Bool]) returns (x: Int)\n    requires |b| == 16\n{{\n    x := 0\n{conditions}}}\n"
    )
}

#[test]
fn many_easy_steps_are_interrupted_as_well() {
    let loaded = load_text(&many_paths());
    let limit = Duration::from_millis(500);
    let start = Instant::now();
    let report = verify(&loaded, &VerifyOptions { member_timeout: Some(limit), ..options() });
    assert_eq!(report.members[0].verdict, Verdict::Unknown(Reason::Timeout));
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

#[test]
fn without_a_solver_there_is_no_verdict() {
    let loaded = load_text("method m(a: Int) { assert a > 0 }");
    let mut options = options();
    options.solver.path = "there/is/no/such/solver".into();
    let report = verify(&loaded, &options);
    assert!(matches!(report.members[0].verdict, Verdict::Unknown(Reason::Internal(_))), "{report:?}");
}

/// Panics inside of one member.
struct Saboteur;

impl ProofObserver<Failure, Goal> for Saboteur {
    fn obligation(&self, member: usize, _goal: &Goal) {
        assert!(member != 1, "sabotage");
    }
}

#[test]
fn a_fault_in_one_member_leaves_the_others_alone() {
    let loaded = load_text(
        "method first(a: Int) { assert a * 0 == 0 }
         method second(a: Int) requires a > 1 { assert a > 0 }
         method third(a: Int) requires a > 1 { assert a > 0 }",
    );
    for workers in [1, 2] {
        let options = VerifyOptions { workers, ..options() };
        let report = symbolic::verify(&loaded.program, &options, &Saboteur);
        let words: Vec<&str> = report.members.iter().map(|member| member.verdict.word()).collect();
        assert_eq!(words, ["holds", "unknown", "holds"]);
        let Verdict::Unknown(Reason::Internal(sentence)) = &report.members[1].verdict else {
            panic!("{:?}", report.members[1].verdict);
        };
        assert!(sentence.contains("sabotage"), "{sentence}");
    }
}

/// Counts what it is told.
#[derive(Default)]
struct Counter {
    started: AtomicUsize,
    finished: AtomicUsize,
    obligations: AtomicUsize,
}

impl ProofObserver<Failure, Goal> for Counter {
    fn member_started(&self, _member: usize) {
        self.started.fetch_add(1, Ordering::Relaxed);
    }

    fn obligation(&self, _member: usize, _goal: &Goal) {
        self.obligations.fetch_add(1, Ordering::Relaxed);
    }

    fn member_finished(&self, _member: usize, _report: &Finding) {
        self.finished.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn an_observer_hears_of_every_member() {
    let loaded =
        load_text("method m(a: Int) requires a > 1 { assert a > 0 } function f(): Int predicate p()");
    let counter = Counter::default();
    symbolic::verify(&loaded.program, &VerifyOptions { workers: 2, ..options() }, &counter);
    assert_eq!(counter.started.load(Ordering::Relaxed), 3);
    assert_eq!(counter.finished.load(Ordering::Relaxed), 3);
    assert_eq!(counter.obligations.load(Ordering::Relaxed), 1);
}
