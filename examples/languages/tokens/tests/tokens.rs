//! The toy language, read by a registry that has one line more, and checked like any other.

use std::path::{Path, PathBuf};

use expect_test::{Expect, expect};
use search::Algorithm;
use session::{
    CheckOptions, Checked, Failure, LoadOptions, PropertySelection, Reductions, Registry, Simulator, UseOf,
    check_in, load_model,
};
use testing::Random;
use verdict::{PropertyReport, Silent, Verdict};

/// The one line.
fn registry() -> Registry {
    Registry::standard().with_models(&["tokens"], "a token game", &tokens::Tokens)
}

fn options() -> CheckOptions {
    CheckOptions { workers: Some(2), ..CheckOptions::default() }
}

fn model(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("models").join(name)
}

fn try_check(path: &Path, options: &CheckOptions) -> Result<Checked, Failure> {
    check_in(&registry(), path, options, &mut Silent)
}

fn check(path: &Path, options: &CheckOptions) -> Vec<PropertyReport> {
    match try_check(path, options) {
        Ok(checked) => checked.report.properties,
        Err(failure) => panic!("{:?} {:?}", failure.message, failure.diagnostics),
    }
}

/// Each property with its verdict and why.
fn answers(path: &Path, options: &CheckOptions) -> String {
    let answer = |report: &PropertyReport| {
        let verdict = match &report.verdict {
            Verdict::Holds => "holds".to_string(),
            Verdict::Violated => "violated".to_string(),
            Verdict::Unknown(_) => "unknown".to_string(),
        };
        let place = path.display().to_string();
        let reason = report.reason.as_deref().unwrap_or_default().replace(&place, "model");
        format!("{}: {verdict} {reason}", report.name).trim_end().to_string() + "\n"
    };
    check(path, options).iter().map(answer).collect()
}

fn expect_answers(name: &str, options: &CheckOptions, expected: Expect) {
    expected.assert_eq(&answers(&model(name), options));
}

#[test]
fn properties_are_decided() {
    expect_answers(
        "printer.tokens",
        &options(),
        expect![[r#"
        end states: holds
        alone: holds
        prints: holds
        returns: holds
        often: holds
    "#]],
    );
    expect_answers(
        "philosophers.tokens",
        &options(),
        expect![[r#"
        end states: violated nothing can move, and the model may not end there
        one: holds
        first: violated the formula is false on this run, which then stops
    "#]],
    );
    expect_answers(
        "countdown.tokens",
        &options(),
        expect![[r#"
        end states: holds
        over: holds
        never: violated `spent < 3` is false after model:3, and with it the formula, whatever follows
        step: holds
    "#]],
    );
}

#[test]
fn every_search_gives_the_same_answers() {
    for name in ["printer.tokens", "philosophers.tokens", "countdown.tokens"] {
        let verdicts = |options: &CheckOptions| -> Vec<(String, Verdict)> {
            check(&model(name), options).into_iter().map(|report| (report.name, report.verdict)).collect()
        };
        let expected = verdicts(&options());
        for algorithm in Algorithm::ALL {
            assert_eq!(verdicts(&CheckOptions { algorithm: Some(algorithm), ..options() }), expected);
        }
        assert_eq!(verdicts(&CheckOptions { shortest: true, ..options() }), expected);
    }
}

#[test]
fn runs_are_told() {
    let path = model("philosophers.tokens");
    let options = CheckOptions { shortest: true, ..options() };
    let reports = check(&path, &options);
    let texts: Vec<String> = reports
        .iter()
        .filter_map(|report| report.trace.as_ref())
        .map(|trace| report::trace_text(trace).replace(&path.display().to_string(), "model"))
        .collect();
    expect![[r#"
        two runs
             1  game(0)  model:3  left1: thinks1 fork1 -> waits1   {fork1 = 0 (was 1), thinks1 = 0 (was 1), waits1 = 1 (was 0)}
             2  game(0)  model:6  left2: thinks2 fork2 -> waits2   {fork2 = 0 (was 1), thinks2 = 0 (was 1), waits2 = 1 (was 0)}
          cause: nothing can move
            game(0) at model:6
              left1: thinks1 fork1 -> waits1: a token is missing on fork1
              right1: waits1 fork2 -> eats1: a token is missing on fork2
              down1: eats1 -> thinks1 fork1 fork2: a token is missing on eats1
              left2: thinks2 fork2 -> waits2: a token is missing on fork2
              right2: waits2 fork1 -> eats2: a token is missing on fork1
              down2: eats2 -> thinks2 fork2 fork1: a token is missing on eats2

             1  game(0)  model:3  left1: thinks1 fork1 -> waits1   {fork1 = 0 (was 1), thinks1 = 0 (was 1), waits1 = 1 (was 0)}
             2  game(0)  model:6  left2: thinks2 fork2 -> waits2   {fork2 = 0 (was 1), thinks2 = 0 (was 1), waits2 = 1 (was 0)}
                ---- the run ends here; its last state is repeated for ever ----
          cause: the formula is false on this run, which then stops
    "#]].assert_eq(&format!("two runs\n{}", texts.join("\n")));
}

#[test]
fn what_is_wrong_with_a_text_is_said() {
    let text =
        "tokens a 1, a\nsteps a -> a\nstep s: a -> b\nend a == x\ncheck f: [] {c > 1}\ncheck g: [] (\n";
    let path = std::env::temp_dir().join(format!("probity-{}-wrong.tokens", std::process::id()));
    assert!(std::fs::write(&path, text).is_ok());
    let found = try_check(&path, &options());
    let _ = std::fs::remove_file(&path);
    let Err(failure) = found else { panic!("the model is wrong") };
    let shown: Vec<String> = failure
        .diagnostics
        .iter()
        .map(|diagnostic| {
            let at = diagnostic.span().map(|span| failure.sources.place(span));
            let at = at.map_or_else(String::new, |at| format!("{}:{}", at.line, at.column));
            format!("{at} {}: {}\n", diagnostic.code, diagnostic.message)
        })
        .collect();
    expect![[r#"
        1:13 tokens.twice: there is a place `a` already
        2:1 tokens.line: lines begin with `tokens`, `step`, `end` or `check`
        3:14 tokens.unknown: there is no place `b`
        4:5 tokens.number: a number of tokens, such as 2
        5:14 tokens.unknown: there is no place `c`
        6:13 ltl.unmatched-parenthesis: this `(` is never closed
        6:14 ltl.missing-operand: a formula is missing before the end
    "#]]
    .assert_eq(&shown.concat());
}

#[test]
fn what_the_language_has_no_use_for_is_refused() {
    let load = LoadOptions { loses_messages: true, ..LoadOptions::default() };
    let found = try_check(&model("printer.tokens"), &CheckOptions { load, ..options() });
    assert_eq!(found.err().map(|failure| failure.diagnostics[0].code), Some("tokens.option"));
    let fair = CheckOptions { weak_fairness: true, ..options() };
    expect_answers(
        "countdown.tokens",
        &fair,
        expect![[r#"
        end states: holds
        over: unknown weak fairness is about processes, and models of this language have none
        never: unknown weak fairness is about processes, and models of this language have none
        step: unknown weak fairness is about processes, and models of this language have none
    "#]],
    );
    let selection = PropertySelection { progress: true, acceptance: true, ..PropertySelection::default() };
    expect_answers(
        "countdown.tokens",
        &CheckOptions { selection, ..options() },
        expect![[r#"
        accepting cycles: unknown models of this language have no accept labels
        non-progress cycles: unknown models of this language have no progress labels
    "#]],
    );
}

#[test]
fn formulas_and_automata_can_be_given() {
    let hoa = "HOA: v1\nStates: 2\nStart: 0\nAP: 1 \"spent >= 2\"\nAcceptance: 1 Inf(0)\n--BODY--\n\
               State: 0\n[!0] 0\n[0] 1\nState: 1 {0}\n[t] 1\n--END--\n";
    let path = std::env::temp_dir().join(format!("probity-{}-tokens.hoa", std::process::id()));
    assert!(std::fs::write(&path, hoa).is_ok());
    let selection = PropertySelection {
        formulas: vec![("given".to_string(), "left U {spent == 3}".to_string())],
        automata: vec![path.clone()],
        ..PropertySelection::default()
    };
    let answers = answers(&model("countdown.tokens"), &CheckOptions { selection, ..options() });
    let _ = std::fs::remove_file(&path);
    expect![[r#"
        given: holds
        automaton: violated the claim accepts this run after model:3, whatever follows
    "#]]
    .assert_eq(&answers.replace(&path.display().to_string(), "automaton"));
}

#[test]
fn tokens_that_cannot_be_counted_leave_the_question_open() {
    let text = "tokens a 4294967295\nstep more: a -> a a\ncheck few: [] {a >= 1}\n";
    let path = std::env::temp_dir().join(format!("probity-{}-many.tokens", std::process::id()));
    assert!(std::fs::write(&path, text).is_ok());
    let answers = answers(&path, &options());
    let _ = std::fs::remove_file(&path);
    expect![[r#"
        end states: unknown `more: a -> a a` makes more tokens than can be counted
        few: unknown `more: a -> a a` makes more tokens than can be counted
    "#]]
    .assert_eq(&answers);
}

#[test]
fn a_game_can_be_played() {
    let Ok(loaded) = load_model(&registry(), &model("countdown.tokens"), &LoadOptions::default()) else {
        panic!("the model can be read")
    };
    let Ok(mut simulator) = Simulator::new(&loaded, 1) else { panic!("there is an initial state") };
    simulator.remember();
    for _ in 0..3 {
        let choices = simulator.choices().unwrap_or_default();
        assert_eq!(choices.len(), 1);
        assert!(simulator.take(&choices[0]));
    }
    assert_eq!(simulator.choices().map(|choices| choices.len()), Ok(0));
    assert!(simulator.is_valid_end());
    assert_eq!(simulator.snapshot().variables[1], ("spent".to_string(), "3".to_string()));
    simulator.undo(2);
    assert!(!simulator.is_valid_end());
}

/// The guide says so.
#[test]
fn the_language_is_small() {
    assert!(include_str!("../src/lib.rs").lines().count() < 300);
}

#[test]
fn the_name_tells_the_language() {
    assert_eq!(registry().kind(Path::new("a.tokens")).map(|kind| kind.uses), Some(&[UseOf::Models][..]));
    assert_eq!(Registry::standard().kind(Path::new("a.tokens")), None);
}

// ---- against the other kind of model ------------------------------------------------------------------

const FORMULAS: &[(&str, &str)] = &[
    ("f0", "[] {p0 <= 1}"),
    ("f1", "<> {p1 >= 2}"),
    ("f2", "[] <> {p0 > 0}"),
    ("f3", "[] ({p0 > 0} -> <> {p1 > 0})"),
    ("f4", "{p2 == 0} U {p1 != 0}"),
    ("f5", "X {p0 < 2}"),
    ("f6", "<> [] {p2 == 0}"),
];

/// A game in which no step changes the number of tokens, and the same as a process that takes the steps.
fn game(random: &mut Random) -> (String, String) {
    let counts: Vec<usize> = (0..3).map(|_| random.below(3)).collect();
    let mut game = format!("tokens p0 {}, p1 {}, p2 {}\n", counts[0], counts[1], counts[2]);
    let mut process = format!("byte p0 = {}, p1 = {}, p2 = {};\n", counts[0], counts[1], counts[2]);
    process.push_str("active proctype game() {\n  do\n");
    for rule in 0..1 + random.below(5) {
        let size = 1 + random.below(2);
        let mut places = || (0..size).map(|_| random.below(3)).collect::<Vec<_>>();
        let (takes, gives) = (places(), places());
        let names = |places: &[usize]| places.iter().map(|place| format!(" p{place}")).collect::<String>();
        game.push_str(&format!("step s{rule}:{} ->{}\n", names(&takes), names(&gives)));
        let wanted = |place: usize| takes.iter().filter(|taken| **taken == place).count();
        let guard: Vec<String> = (0..3).map(|place| format!("p{place} >= {}", wanted(place))).collect();
        let takes: String = takes.iter().map(|place| format!("; p{place}--")).collect();
        let gives: String = gives.iter().map(|place| format!("; p{place}++")).collect();
        process.push_str(&format!("  :: d_step {{ ({}){takes}{gives} }}\n", guard.join(" && ")));
    }
    process.push_str("  od\n}\n");
    for (name, formula) in FORMULAS {
        game.push_str(&format!("check {name}: {formula}\n"));
        let formula = formula.replace('{', "(").replace('}', ")");
        process.push_str(&format!("ltl {name} {{ {formula} }}\n"));
    }
    (game, process)
}

#[test]
fn random_games_are_as_in_the_first_language() {
    let mut random = Random::new(1);
    let file =
        |name: &str| std::env::temp_dir().join(format!("probity-{}-random.{name}", std::process::id()));
    let (game_path, process_path) = (file("tokens"), file("pml"));
    let plain = CheckOptions { reductions: Reductions::NONE, all_errors: true, ..options() };
    let mut violated = 0;
    for _ in 0..150 {
        let (game, process) = game(&mut random);
        assert!(std::fs::write(&game_path, &game).is_ok() && std::fs::write(&process_path, &process).is_ok());
        let answers = |path: &Path| -> Vec<(String, Verdict, Option<u64>)> {
            let reports = check(path, &plain).into_iter().filter(|report| report.name != "assertions");
            let states =
                |report: &PropertyReport| (report.name == "end states").then_some(report.statistics.states);
            reports.map(|report| (report.name.clone(), report.verdict.clone(), states(&report))).collect()
        };
        let found = answers(&game_path);
        assert_eq!(found, answers(&process_path), "{game}\n{process}");
        violated += found.iter().filter(|(_, verdict, _)| *verdict == Verdict::Violated).count();
    }
    let _ = (std::fs::remove_file(&game_path), std::fs::remove_file(&process_path));
    assert!(violated > 100, "only {violated} properties were violated");
}
