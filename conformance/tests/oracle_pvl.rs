//! The PVL half of the oracle: the interpreter is right about the programs of the corpus and the examples, every shape
//! of random programs is mostly true, and a small round finds no program that holds and fails.

use std::path::{Path, PathBuf};

use conformance::oracle::campaign::{self, Plan};
use conformance::oracle::pvl::{Pvl, plain, shapes};
use conformance::oracle::verifier::{Answer, Verifier, Word};
use conformance::oracle::{Effort, FailingRun, Language};
use conformance::solver;
use symbolic::VerifyOptions;
use testing::{Random, files_below};

fn programs() -> Vec<PathBuf> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folders = ["examples/pvl", "tests/corpus/pvl"].map(|folder| workspace.join(folder));
    folders.iter().flat_map(|folder| files_below(folder, &["pvl"])).collect()
}

fn holds() -> Answer {
    Answer { verdict: Word::Holds, members: Vec::new(), codes: Vec::new() }
}

fn failures(text: &str) -> Vec<FailingRun> {
    let runs = Pvl.execute(text, &mut Random::new(1), &Effort::default());
    runs.map(|runs| runs.failures).unwrap_or_default()
}

/// Everything in these files holds, but for what is expected to fail; there, many runs fail.
#[test]
fn the_interpreter_agrees_with_the_corpus() {
    let (mut wrong, mut failing) = (Vec::new(), 0);
    for file in programs() {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        // A text with errors that are expected is not for running.
        if text.contains("//:: ") {
            continue;
        }
        for run in failures(&text) {
            failing += 1;
            if run.is_exact && Pvl.contradicts(&text, &holds(), &run) {
                let (name, code, line) = (file.display(), &run.code, run.line);
                wrong.push(format!("{name}: line {line}: {code}: {}", run.story));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(failing > 60, "{failing} members were seen to fail");
}

fn verifier() -> Verifier {
    let mut options = VerifyOptions::new(solver::find(None, 0).unwrap_or_else(|message| panic!("{message}")));
    options.counterexamples = false;
    options.member_timeout = Some(std::time::Duration::from_secs(10));
    Verifier::InProcess(Box::new(options))
}

/// Every shape gives programs that can be run and that hold: an attack with programs that fail finds nothing.
#[test]
fn every_shape_holds_sometimes() {
    let verifier = verifier();
    for shape in shapes() {
        let holds = (0..60).any(|number| {
            let text = plain(shape, &mut Random::nth(5, number));
            verifier.ask(&text, "pvl").verdict == Word::Holds && failures(&text).is_empty()
        });
        assert!(holds, "no program of the shape `{shape}` holds");
    }
}

/// A hundred random programs: none holds and fails.
#[test]
fn a_small_round() {
    let plan = Plan {
        seed: 1,
        first: 0,
        programs: 100,
        jobs: std::thread::available_parallelism().map_or(1, usize::from).min(4),
        effort: Effort { runs: 30, ..Effort::default() },
        time: None,
        until_found: false,
        tries: 300,
        hunt: false,
    };
    let outcome = campaign::run(&Pvl, &verifier(), &plan, &|_, _| {});
    let table = outcome.counts.table();
    let bad: Vec<String> = outcome
        .findings
        .iter()
        .map(|finding| format!("{}: {}\n{}", finding.number, finding.message, finding.minimised))
        .collect();
    assert!(outcome.counts.wrong_holds == 0 && outcome.counts.faults == 0, "{table}\n{}", bad.join("\n"));
    assert!(outcome.counts.holds * 4 >= outcome.counts.programs, "too few programs hold\n{table}");
    assert!(outcome.counts.violated * 5 >= outcome.counts.programs, "too few programs fail\n{table}");
}

#[test]
fn the_same_number_is_the_same_program() {
    for number in 0..5 {
        assert_eq!(campaign::program(&Pvl, 3, number), campaign::program(&Pvl, 3, number));
    }
}

/// Failures that a run must show, each with its code.
const FAILING: &[(&str, &str)] = &[
    ("void main() { int[] a = new int[2]; a[2] = 1; }", "arrayBounds"),
    ("void main() { int x = 0; int y = 3 / x; }", "divByZero"),
    ("class C { int f; } void main() { C c = null; c.f = 1; }", "nullField"),
    ("class C { int f; } void main() { C c = new C(); assert c.f == 0; }", "assertFailed"),
    ("class C { int f; } void main() { C c = new C(); par (int i = 0 .. 2) { c.f = i; } }", "dataRace"),
    (
        "class C { int f; run { f = 1; } } void main() { C c = new C(); fork c; c.f = 2; join c; }",
        "dataRace",
    ),
    ("class C { int f; run { f = 1; } } void main() { C c = new C(); fork c; fork c; }", "idle"),
    ("class C { int f; run { f = 1; } } void main() { C c = new C(); join c; }", "running"),
    ("void main() { par t (int i = 0 .. 2) { if (i == 0) { barrier(t) { } } } }", "barrierDivergence"),
    ("class C { int f; } void main() { C c = new C(); lock c; }", "lockNotCommitted"),
    ("class C { int f; } void main() { C c = new C(); commit c; unlock c; }", "heldFailed"),
    (
        "lock_invariant Perm(f, write) ** f == 0; class C { int f; }
         void main() { C c = new C(); c.f = 0; commit c; lock c; c.f = 1; unlock c; }",
        "invariantFailed",
    ),
    (
        "class C { int f; } void main() { C c = new C(); c.f = 0;
         invariant s(Perm(c.f, write) ** c.f <= 1) {
         par (int i = 0 .. 2) { atomic(s) { c.f = c.f + 1; } } } }",
        "notMaintained",
    ),
    (
        "void main() { int[] a = new int[3]; requires Perm(a[i], write);
         for (int i = 0; i < 3; i++) { if (i > 0) { recv l; } if (i < 1) { send l, 1: Perm(a[i], 1\\2); } } }",
        "recvFailed",
    ),
    ("requires n > 0; void m(int n) { } void main() { m(0); }", "preFailed"),
    ("ensures \\result > n; int m(int n) { return n; } void main() { int r = m(0); }", "postFailed"),
    (
        "void main() { int i = 0; loop_invariant i < 2; while (i < 3) { i = i + 1; } }",
        "notMaintained",
    ),
    ("void main() { int k = 1; pointer<int> p = &k; *p = 2; assert k == 1; }", "assertFailed"),
    ("void main() { if (*) { assert false; } }", "assertFailed"),
    (
        "class C { int f; } requires Perm(a.f, write) ** Perm(b.f, write); void m(C a, C b) { }
         void main() { C c = new C(); m(c, c); }",
        "preFailed",
    ),
];

#[test]
fn wrong_programs_fail() {
    for (text, code) in FAILING {
        let found = failures(text);
        let codes: Vec<&str> = found.iter().map(|run| run.code.as_str()).collect();
        assert!(codes.contains(code), "{text}\nfails with {codes:?}");
    }
}

/// Programs that are right in a way that is easy to get wrong.
const PASSING: &[&str] = &[
    "ensures \\result == n; int m(int n) { n = n + 1; return n - 1; } void main() { assert m(3) == 3; }",
    "class C { int f; run { f = 1; } } void main() { C c = new C(); fork c; join c; assert c.f == 1; }",
    "void main() { int n = 3; int r = 0; for (int i = 0 .. n) { n = 0; r = r + 1; } assert r == 3; }",
    "void main() { int[] a = new int[3]; par (int i = 0 .. 3) { a[i] = i; } assert a[2] == 2; }",
    "void main() { int[] a = new int[2]; par t (int i = 0 .. 2) { a[i] = i; barrier(t) { } int x = a[1 - i]; } }",
    "lock_invariant Perm(f, write); class C { int f; run { lock this; f = 1; unlock this; } }
     void main() { C c = new C(); commit c; fork c; lock c; c.f = 2; unlock c; join c; }",
    "void main() { assume false; assert false; }",
    "void main() { seq<int> xs = [1, 2]; assert (\\forall int i; 0 <= i && i < |xs|; xs[i] == i + 1); }",
    "void main() { assert -7 / 2 == -4 && -7 % 2 == 1; }",
    "class C { int f; } void main() { C c = new C(); c.f = 1; label l; c.f = 2; assert \\old[l](c.f) == 1; }",
];

#[test]
fn right_programs_do_not() {
    for text in PASSING {
        let runs = Pvl.execute(text, &mut Random::new(1), &Effort::default());
        let runs = runs.unwrap_or_else(|message| panic!("{text}\n{message}"));
        assert!(runs.complete + runs.pruned > 0 && runs.failures.is_empty(), "{text}\n{runs:?}");
    }
}

/// `assert false` is refuted wherever a run gets to it.
#[test]
fn false_is_not_proved() {
    let text = "class C { int f; }
context Perm(c.f, write);
void m(C c) {
  c.f = 1;
  if (c.f > 0) { c.f = 2; }
}
void main() {
  C c = new C();
  par (int i = 0 .. 1) context Perm(c.f, write); { c.f = i; }
  m(c);
}
";
    let points = Pvl.with_false(text);
    assert!(points.len() >= 8, "{} points", points.len());
    let verifier = verifier();
    for point in points {
        assert_ne!(verifier.ask(&point.text, "pvl").verdict, Word::Holds, "{}", point.text);
    }
}
