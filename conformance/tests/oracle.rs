//! The oracle: the interpreter is right about the programs of the corpus, and a small round of random programs finds
//! no program that holds and fails.

use std::path::{Path, PathBuf};

use conformance::oracle::campaign::{self, Plan, contradiction};
use conformance::oracle::silver::Silver;
use conformance::oracle::verifier::{Answer, Verifier, Word};
use conformance::oracle::{Effort, Language, minimise};
use conformance::solver;
use source::SourceMap;
use symbolic::VerifyOptions;
use testing::{Random, files_below};

fn programs() -> Vec<PathBuf> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = files_below(&workspace.join("tests/corpus/silver"), &["vpr"]);
    files.extend(files_below(&workspace.join("examples/silver"), &["vpr"]));
    // `refute` is not about single runs.
    files.retain(|file| !file.components().any(|part| part.as_os_str() == "smoke"));
    files
}

/// First and last line of every member, and whether an error is expected there.
fn members(text: &str) -> Vec<(String, bool)> {
    let mut map = SourceMap::default();
    let file = map.add("program.vpr", text);
    let resolved = silver::resolve(&mut map, file, &source::NoFiles, &silver::Options::default());
    let Some(program) = resolved.program else { return Vec::new() };
    let methods = program.methods.iter().map(|method| (&method.name, method.span));
    let functions = program.functions.iter().map(|function| (&function.name, function.span));
    let predicates = program.predicates.iter().map(|predicate| (&predicate.name, predicate.span));
    let members = methods.chain(functions).chain(predicates);
    let expected = |first: u32, last: u32| {
        let lines = text.lines().skip(first.saturating_sub(2) as usize).take((last + 2 - first) as usize);
        lines.into_iter().any(|line| line.contains("ExpectedOutput("))
    };
    members
        .map(|(name, span)| {
            let (first, last) =
                (map.file(span.file).place(span.start).line, map.file(span.file).place(span.end).line);
            (name.clone(), expected(first, last))
        })
        .collect()
}

/// What is expected to hold has no failing run; of what is expected to fail, nearly everything is found.
#[test]
fn the_interpreter_agrees_with_the_corpus() {
    let (mut wrong, mut failing, mut found) = (Vec::new(), 0, 0);
    for file in programs() {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let Ok(runs) = Silver.execute(&text, &mut Random::new(7), &Effort::default()) else { continue };
        let members = members(&text);
        if members.iter().any(|(_, fails)| *fails) {
            failing += 1;
            found += usize::from(!runs.failures.is_empty());
        }
        let word = |fails: bool| if fails { Word::Violated } else { Word::Holds };
        let answer = Answer {
            verdict: word(members.iter().any(|(_, fails)| *fails)),
            members: members.iter().map(|(name, fails)| (name.clone(), word(*fails))).collect(),
            codes: Vec::new(),
        };
        for run in runs.failures.iter().filter(|run| run.is_exact) {
            if Silver.contradicts(&text, &answer, run) {
                let (name, member) = (file.display(), &run.member);
                wrong.push(format!("{name}: `{member}` fails on line {}: {}", run.line, run.code));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(failing > 60, "{failing} programs are expected to fail");
    assert!(found * 10 >= failing * 9, "only {found} of {failing} failing programs were found");
}

/// A few hundred random programs: none holds and fails, and the round is worth something.
#[test]
fn a_small_round() {
    let mut options = VerifyOptions::new(solver::find(None, 0).unwrap_or_else(|message| panic!("{message}")));
    options.counterexamples = false;
    options.member_timeout = Some(std::time::Duration::from_secs(10));
    let verifier = Verifier::InProcess(Box::new(options));
    let plan = Plan {
        seed: 1,
        first: 0,
        programs: 120,
        jobs: std::thread::available_parallelism().map_or(1, usize::from).min(4),
        effort: Effort { runs: 30, ..Effort::default() },
        time: None,
        until_found: false,
        tries: 300,
        hunt: false,
    };
    let outcome = campaign::run(&Silver, &verifier, &plan, &|_, _| {});
    let table = outcome.counts.table();
    let bad: Vec<String> = outcome
        .findings
        .iter()
        .map(|finding| format!("{}: {}\n{}", finding.number, finding.message, finding.minimised))
        .collect();
    assert!(outcome.counts.wrong_holds == 0 && outcome.counts.faults == 0, "{table}\n{}", bad.join("\n"));
    assert!(outcome.counts.holds * 6 >= outcome.counts.programs, "too few programs hold\n{table}");
    assert!(outcome.counts.violated * 6 >= outcome.counts.programs, "too few programs fail\n{table}");
    assert!(outcome.counts.executed * 10 >= outcome.counts.programs * 8, "too few can be executed\n{table}");
}

#[test]
fn the_same_number_is_the_same_program() {
    for number in 0..5 {
        assert_eq!(campaign::program(&Silver, 3, number), campaign::program(&Silver, 3, number));
    }
    assert_ne!(campaign::program(&Silver, 3, 0), campaign::program(&Silver, 4, 0));
}

const WRONG: &str = "field f: Int
field g: Int
predicate P(x: Ref) { acc(x.f) }
function unused(x: Ref): Int requires acc(x.g) { x.g }
method m(x: Ref, y: Ref, i: Int)
  requires acc(x.f, 1/2) && acc(y.f, 1/2)
  requires i >= 0
{
  var k: Int := i + 1
  if (x == y) {
    x.f := k
    k := 2
  }
  assert x != y
}
";

fn everything_holds(text: &str) -> Option<Answer> {
    let mut map = SourceMap::default();
    let file = map.add("program.vpr", text);
    let resolved = silver::resolve(&mut map, file, &source::NoFiles, &silver::Options::default());
    resolved.program.map(|_| Answer { verdict: Word::Holds, members: Vec::new(), codes: Vec::new() })
}

/// If the tool said that everything holds, it would be refuted, by a small program.
#[test]
fn a_wrong_answer_is_found_and_made_small() {
    let is_wrong = |text: &str| {
        let Some(answer) = everything_holds(text) else { return false };
        let runs = Silver.execute(text, &mut Random::new(1), &Effort::default());
        runs.is_ok_and(|runs| contradiction(&Silver, text, &answer, &runs).is_some_and(|run| run.is_exact))
    };
    assert!(is_wrong(WRONG));
    let small = minimise::minimise(WRONG, 2000, &|text| Silver.smaller(text), &mut |text| is_wrong(text));
    assert!(is_wrong(&small));
    assert!(small.lines().count() <= 6, "{small}");
}

/// `assert false` is put before, between and behind statements, also inside of branches; each place is reached.
#[test]
fn every_point_gets_its_turn() {
    let text = "method m(b: Bool) { var k: Int := 0 if (b) { k := 1 } assert k <= 1 }";
    let points = Silver.with_false(text);
    assert_eq!(points.len(), 6);
    for point in points {
        let runs = Silver.execute(&point.text, &mut Random::new(2), &Effort::default()).unwrap_or_default();
        assert!(
            runs.failures.iter().any(|run| run.line == point.line),
            "line {}\n{}",
            point.line,
            point.text
        );
    }
}
