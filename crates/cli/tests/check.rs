//! `probity check` and `probity simulate` as people and programs use them: files, options, exit codes, JSON. What holds
//! and what does not is for the corpus of models to say.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// A folder that lasts as long as the value, in which the program runs.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, &str)]) -> Folder {
        let folder = std::env::temp_dir().join(format!("probity-check-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("there is a folder for temporary files");
        for (name, text) in files {
            let path = folder.join(name);
            std::fs::create_dir_all(path.parent().expect("it is in the folder")).expect("it is ours");
            std::fs::write(path, text).expect("it is ours");
        }
        Folder(folder)
    }

    fn run(&self, words: &[&str]) -> Output {
        self.run_with_input(words, "")
    }

    fn run_with_input(&self, words: &[&str], input: &str) -> Output {
        let mut child = Command::new(env!("CARGO_BIN_EXE_probity"))
            .args(words)
            .current_dir(&self.0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program can be started");
        let mut stdin = child.stdin.take().expect("it is piped");
        // Who has heard enough may leave.
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        child.wait_with_output().expect("the program ends")
    }

    fn json(&self, words: &[&str]) -> Value {
        let output = self.run(words);
        serde_json::from_str(&stdout(&output)).unwrap_or_else(|error| panic!("{error}: {output:?}"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

const GOOD: &str = "byte x; active proctype A() { x = 1 } ltl rises { <> (x == 1) } ltl stays { [] (x < 2) }";
const BAD: &str = "byte x; active proctype A() { x = 1; assert(x == 0) }";

#[test]
fn several_models_have_an_answer_each() {
    let folder = Folder::new("several", &[("good.pml", GOOD), ("bad.pml", BAD), ("other/bad.pml", BAD)]);
    let output = folder.run(&["check", "good.pml", "bad.pml", "other/bad.pml"]);
    assert_eq!(output.status.code(), Some(1));
    for line in ["good.pml: holds", "bad.pml: violated", "other/bad.pml: violated"] {
        assert!(stdout(&output).contains(line), "{output:?}");
    }
    // Models with one name have different files for their traces.
    for file in ["bad.pml.trail.json", "other_bad.pml.trail.json"] {
        assert!(folder.0.join(file).exists(), "{file}: {output:?}");
    }
    let output = folder.run(&["check", "good.pml", "bad.pml", "missing.pml", "--json"]);
    assert_eq!(output.status.code(), Some(3), "what cannot be read decides");
    let lines: Vec<Value> =
        stdout(&output).lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect();
    let verdicts: Vec<&Value> = lines.iter().map(|line| &line["verdict"]).collect();
    assert_eq!(verdicts, ["holds", "violated", "unknown"]);
    assert!(lines.iter().all(|line| line["version"] == 1), "{lines:?}");
    let output = folder.run(&["check", "good.pml", "bad.pml", "--trace-file", "x"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(stderr(&output).contains("--trace-file is for one model"), "{output:?}");
}

#[test]
fn a_model_can_be_piped_in() {
    let folder = Folder::new("piped", &[]);
    let output = folder.run_with_input(&["check", "-"], BAD);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("assert(x == 0) fails at <stdin>:1"), "{output:?}");
    let replay = folder.run_with_input(&["simulate", "-", "--replay", "stdin.trail.json"], BAD);
    assert_eq!(replay.status.code(), Some(1), "{replay:?}");
    let output = folder.run_with_input(&["check", "-"], "byte x; active proctype A() { y = 1 }");
    assert_eq!(output.status.code(), Some(3));
    assert!(stderr(&output).contains("--> <stdin>:1"), "{output:?}");
    let output = folder.run_with_input(&["check", "-", "-"], BAD);
    assert!(stderr(&output).contains("only once"), "{output:?}");
    let output = folder.run_with_input(&["simulate", "-i", "-"], BAD);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
}

#[test]
fn properties_can_be_picked_by_name() {
    let folder = Folder::new("named", &[("good.pml", GOOD)]);
    let names = |words: &[&str]| -> Vec<String> {
        let value = folder.json(words);
        let properties = value["properties"].as_array().cloned().unwrap_or_default();
        properties.iter().map(|property| property["name"].as_str().unwrap_or_default().to_string()).collect()
    };
    assert_eq!(names(&["good.pml", "--json", "--prop", "stays"]), ["stays"]);
    assert_eq!(
        names(&["good.pml", "--json", "--prop", "stays", "--prop", "rises", "--prop", "stays"]),
        ["stays", "rises"]
    );
    let output = folder.run(&["check", "good.pml", "--prop", "rises", "--prop", "falls"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(stderr(&output).contains("there is no property `falls`"), "{output:?}");
}

#[test]
fn a_file_for_another_command_is_told_so() {
    let folder = Folder::new("misplaced", &[("a.pml", GOOD), ("b.vpr", ""), ("c c.pvl", "")]);
    for (words, advice) in [
        (["verify", "a.pml"], "a.pml is a Promela model; try `probity check a.pml`"),
        (["print", "a.pml"], "a.pml is a Promela model; try `probity check a.pml`"),
        (["check", "b.vpr"], "b.vpr is a Silver program; try `probity verify b.vpr`"),
        (["simulate", "c c.pvl"], "no model with a process; `probity verify` proves programs"),
    ] {
        let output = folder.run(&words);
        assert_eq!(output.status.code(), Some(3), "{output:?}");
        assert!(stderr(&output).contains(advice), "{output:?}");
    }
}

/// The command that is printed is pasted into a shell, and must play the trace.
#[cfg(unix)]
#[test]
fn the_replay_command_can_be_pasted() {
    let model = "#include \"it.h\"\nbyte x; active proctype A() { x = N; assert(x CONDITION) }";
    let folder = Folder::new(
        "replay",
        &[("my models/it's.pml", model), ("some headers/it.h", "#ifndef N\n#error no N\n#endif\n")],
    );
    let words = ["my models/it's.pml", "-DN=3", "-D", "CONDITION=!= (1 + 2)", "-UM", "-I", "some headers"];
    let output = folder.run(&words);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let said = stderr(&output);
    let command = said.split('`').nth(1).unwrap_or_else(|| panic!("{said}"));
    let program = Path::new(env!("CARGO_BIN_EXE_probity")).display().to_string();
    let replay = Command::new("sh")
        .args(["-c", &command.replacen("probity", &program, 1)])
        .current_dir(&folder.0)
        .output()
        .expect("there is a shell");
    assert_eq!(replay.status.code(), Some(1), "{command}: {replay:?}");
    assert!(stderr(&replay).contains("the assertion is false"), "{command}: {replay:?}");
}

/// One search that has no end in sight does not take the time of the others, however many workers there are.
#[test]
fn time_is_shared_between_properties() {
    let model = "int a, b, c; active proctype A() { do :: a++ :: b++ :: c++ od }
        active proctype B() { do :: a-- :: b-- :: c-- od }
        ltl endless { [] (a < 100000 || b > -100000) }
        ltl wrong { [] (a + b + c == 0) }
        ltl also_endless { [] (c < 100000 || b > -100000) }";
    let folder = Folder::new("time", &[("endless.pml", model)]);
    for workers in ["1", "2", "4"] {
        let value = folder.json(&[
            "check",
            "endless.pml",
            "--json",
            "--timeout",
            "2",
            "--workers",
            workers,
            "--no-trace-file",
        ]);
        let verdicts: Vec<(&str, &str)> = value["properties"]
            .as_array()
            .map(|all| all.iter().map(|p| (p["name"].as_str().unwrap(), p["verdict"].as_str().unwrap())))
            .into_iter()
            .flatten()
            .collect();
        let expected = [
            ("assertions", "unknown"),
            ("end states", "unknown"),
            ("endless", "unknown"),
            ("wrong", "violated"),
            ("also_endless", "unknown"),
        ];
        assert_eq!(verdicts, expected, "{workers} workers");
    }
}

#[test]
fn verdicts_are_short_and_searches_are_told_on_demand() {
    let folder = Folder::new("verbose", &[("good.pml", GOOD)]);
    let plain = stdout(&folder.run(&["good.pml"]));
    assert!(!plain.contains("merging") && !plain.contains("dfs"), "{plain}");
    let verbose = stdout(&folder.run(&["good.pml", "-v"]));
    assert!(verbose.starts_with(&plain[..plain.find("good.pml:").unwrap_or(0)]), "{verbose}");
    assert!(verbose.contains("\n  assertions, end states: dfs (reachability"), "{verbose}");
    assert!(verbose.contains("statement merging"), "{verbose}");
    let asked = stdout(&folder.run(&["good.pml", "--algorithm", "ndfs"]));
    assert!(asked.contains("`ndfs` was asked for, but"), "{asked}");
}

/// A model in which depth first is the long way round: to an assertion, to a state that a formula forbids, to a cycle.
const LONG_WAY: &str = "byte x; bit bad, done, y;
    active proctype A() {
        do :: x < 200 -> x++ :: x > 2 -> break od;
        bad = 1; assert(!bad); do :: y = 1 - y od
    }
    ltl safe { [] (x < 250 && !bad) }
    ltl live { <> done }";

/// The numbers of steps of the counterexample to each property, stem and cycle.
fn lengths(value: &Value) -> Vec<(String, usize, usize)> {
    let steps = |trace: &Value, part: &str| trace[part].as_array().map_or(0, Vec::len);
    let properties = value["properties"].as_array().cloned().unwrap_or_default();
    let with_trace = properties.iter().filter(|property| !property["counterexample"].is_null());
    with_trace
        .map(|property| {
            let trace = &property["counterexample"];
            let name = property["name"].as_str().unwrap_or_default().to_string();
            (name, steps(trace, "stem"), steps(trace, "cycle"))
        })
        .collect()
}

#[test]
fn an_assertion_inside_of_a_step_is_named() {
    let text = "byte x;\nactive proctype A() {\n  d_step {\n    x = 1;\n    assert(x == 1);\n    assert(x == 2);\n    x = 3\n  }\n}\n";
    let folder = Folder::new("inside_step", &[("m.pml", text)]);
    let value = folder.json(&["check", "m.pml", "--safety", "--json", "--no-trace-file"]);
    let reason = value["properties"][0]["reason"].as_str().unwrap_or_default();
    assert_eq!(reason, "assert(x == 2) fails at m.pml:6", "{value}");
}

#[test]
fn counterexamples_are_short() {
    let folder = Folder::new("short", &[("long.pml", LONG_WAY)]);
    let run = |more: &[&str]| {
        let mut words = vec!["check", "long.pml", "--json", "--no-trace-file"];
        words.extend(more);
        lengths(&folder.json(&words))
    };
    let named = |lengths: [(&str, usize, usize); 3]| {
        lengths.map(|(name, stem, cycle)| (name.to_string(), stem, cycle))
    };
    // Three rounds of two statements each, the way out, and what is wrong there.
    let expected = named([("assertions", 9, 0), ("safe", 8, 0), ("live", 9, 2)]);
    assert_eq!(run(&["--shortest", "--plain"]), expected);
    assert_eq!(run(&["--shortest"]), expected);
    // What is long is looked for again, as it costs nothing here.
    assert_eq!(run(&[]), expected);
    for algorithm in ["dfs", "bfs", "weak", "ndfs", "scc"] {
        assert_eq!(run(&["--shortest", "--algorithm", algorithm]), expected, "{algorithm}");
    }
    // With a limit that leaves no room for it, what was found stays: a shortest cycle needs the whole product.
    let limited = run(&["--max-states", "500"]);
    assert!(limited.iter().any(|(name, stem, _)| name == "live" && *stem > 100), "{limited:?}");
}

#[test]
fn a_safety_formula_says_what_is_false_and_where() {
    let folder = Folder::new("safe", &[("long.pml", LONG_WAY)]);
    let value = folder.json(&["check", "long.pml", "--json", "--prop", "safe", "--no-trace-file"]);
    let property = &value["properties"][0];
    let reason = "`!bad` is false after long.pml:4, and with it the formula, whatever follows";
    assert_eq!(property["reason"], reason);
    assert_eq!(property["counterexample"]["cause"]["kind"], "prefix");
    assert_eq!(property["counterexample"]["stem"][7]["statement"], "bad = 1");
    // Of a claim that comes to its end, too.
    let claim =
        "byte x; active proctype A() { x = 1; x = 2; x = 3 } never { do :: x != 2 :: else -> break od }";
    let folder = Folder::new("claim", &[("claim.pml", claim)]);
    let value = folder.json(&["check", "claim.pml", "--json", "--no-trace-file", "--plain"]);
    let claim = value["properties"].as_array().and_then(|all| all.last()).cloned().unwrap_or_default();
    assert_eq!(claim["counterexample"]["cause"]["kind"], "prefix", "{claim}");
    assert_eq!(claim["counterexample"]["stem"].as_array().map(Vec::len), Some(2), "{claim}");
    // What is false from the beginning needs no step.
    let value = folder.json(&["check", "claim.pml", "--json", "--no-trace-file", "--ltl", "[] (x == 1)"]);
    assert_eq!(value["properties"][0]["counterexample"]["stem"], Value::Array(Vec::new()), "{value}");
}

#[test]
fn event_traces_say_what_they_wait_for() {
    let declarations = "mtype = {a, b}; chan q = [1] of {mtype};";
    let reason = |name: &str, model: &str, property: usize| {
        let folder = Folder::new(name, &[("t.pml", &format!("{declarations}\n{model}"))]);
        let value = folder.json(&["check", "t.pml", "--json", "--no-trace-file"]);
        value["properties"][property]["reason"].as_str().unwrap_or_default().to_string()
    };
    // Every process may rest, but the trace may not.
    let unfinished = "active proctype S() { q!a; q!a }
        active proctype R() { end: do :: q?a od }
        trace { do :: q!a; q!a; if :: q!a :: q!b fi od }";
    assert_eq!(
        reason("unfinished", unfinished, 1),
        "nothing can move, and the trace declaration still waits for q!a or q!b (t.pml:4)"
    );
    let wrong = "active proctype S() { q!a; q!a } active proctype R() { do :: q?_ od } trace { q!a; q!b }";
    assert_eq!(
        reason("wrong", wrong, 0),
        "the event q!a comes where the trace declaration waits for q!b (t.pml:2); it happens at t.pml:2"
    );
    let late = "active proctype S() { q!a; q!a } active proctype R() { do :: q?_ od } trace { q!a }";
    assert_eq!(
        reason("late", late, 0),
        "the event q!a comes after the end of the trace declaration; it happens at t.pml:2"
    );
    let forbidden = "active proctype S() { q!a; q!b } active proctype R() { q?_; q?_ } notrace { q!a; q!b }";
    assert_eq!(
        reason("forbidden", forbidden, 0),
        "the event q!b completes the notrace declaration, whose events must not all happen; it happens at t.pml:2"
    );
}

#[test]
fn a_run_by_hand_can_be_undone_looked_at_and_run_on() {
    let model = "byte x; chan q = [2] of {byte, bit};
active proctype A() { byte i;
    x = 1;
    q!7,1;
    i = 5;
    x = 2;
    assert(x == 1);
    x = 3
}";
    let folder = Folder::new("hand", &[("m.pml", model)]);
    let hold = |input: &str| folder.run_with_input(&["simulate", "-i", "m.pml"], input);
    let output = hold("r line 5\ns\nu 2\ns\nq\n");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let text = stdout(&output);
    let states: Vec<&str> = text.split("  x = 1\n").skip(1).collect();
    assert_eq!(states.len(), 2, "{text}");
    assert!(states[0].contains("channel q: [7,1]\n  A(0) at m.pml:6  x = 2\n      i = 5\n"), "{text}");
    assert!(states[1].contains("channel q: empty\n  A(0) at m.pml:4  q!7,1\n      i = 0\n"), "{text}");
    // A fault is told, and can be taken back.
    let output = hold("r end\nq\n");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(stderr(&output).contains("the assertion is false"), "{output:?}");
    assert_eq!(hold("r end\nu\nq\n").status.code(), Some(0));
    let output = hold("r process A\nr process 0\nnonsense\nh\n\n9\n");
    assert!(stdout(&output).contains("    3  A(0)  m.pml:5  i = 5"), "{output:?}");
    assert!(stdout(&output).contains("h tells what there is"), "{output:?}");
}

/// A run that refutes a formula may pass a failed assertion, and its replay says what it refutes.
#[test]
fn replays_go_on_to_what_they_refute() {
    let model = "byte x; active proctype A() { x = 1; assert(x == 0); x = 2 } ltl low { [] (x < 2) }";
    let folder = Folder::new("on", &[("m.pml", model)]);
    let output = folder.run(&["m.pml", "--prop", "low"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let replay = folder.run(&["simulate", "m.pml", "--replay", "m.pml.trail.json"]);
    assert_eq!(replay.status.code(), Some(1), "{replay:?}");
    assert!(stdout(&replay).contains("    3  A(0)  m.pml:1  x = 2"), "{replay:?}");
    assert!(stderr(&replay).contains("`x < 2` is false after m.pml:1"), "{replay:?}");
}

/// A process that may not move waits for its `provided` clause, whatever its statements need.
#[test]
fn a_stopped_process_waits_for_its_provided_clause() {
    let model = "bool go; byte x;
active proctype P() provided (go && x < 3) { x = 1 }
active proctype Q() provided (x == 0) { x == 7 }";
    let folder = Folder::new("provided", &[("m.pml", model)]);
    let text = stdout(&folder.run(&["check", "m.pml", "--no-trace-file"]));
    let clause = "x = 1: the process may move only while `go && x < 3` is true (`provided`)";
    assert!(text.contains(clause), "{text}");
    assert!(text.contains("x == 7: is false"), "{text}");
}

/// The statements that SPIN 6.5.2 lists as unreached in this model, and those that are reached and never executable. The
/// first option of the `d_step` and the jump to `done` are not in SPIN's list either way.
#[test]
fn what_is_never_executed_is_listed() {
    let model = "byte x, y; chan q = [1] of {byte};
active proctype A() {
  x = 1;
  if :: x == 2 -> y = 7; y = 8
     :: x == 1 -> skip
     :: else -> y = 9
  fi;
  d_step { y = 1; if :: y == 1 -> x = 1 :: else -> x = 5 fi; y = 2 };
  do :: x < 3 -> x++
     :: x == 3 -> break
  od;
  atomic { y = 3; q!1; y = 4 };
  false;
  y = 6
}
active proctype B() { q?1; q?2; y = 1; printf(\"x\") }
proctype C() { x = 1 }
active proctype D() { byte z; z = 1 }";
    let folder = Folder::new("coverage", &[("m.pml", model)]);
    let value = folder.json(&["check", "m.pml", "--json", "--safety", "--coverage", "--no-trace-file"]);
    assert_eq!(value["coverage"]["complete"], true);
    let processes = value["coverage"]["processes"].as_array().cloned().unwrap_or_default();
    let listed = |process: &Value, reached: bool| -> String {
        let never = process["never_executed"].as_array().cloned().unwrap_or_default();
        let chosen = never.iter().filter(|statement| statement["reached"] == reached);
        let line = |statement: &Value| {
            format!("{}: {}", statement["line"], statement["statement"].as_str().unwrap_or_default())
        };
        chosen.map(line).collect::<Vec<_>>().join(", ")
    };
    let unreached: Vec<String> = processes.iter().map(|process| listed(process, false)).collect();
    let a = "4: y = 7, 4: y = 8, 6: y = 9, 14: y = 6, 15: end";
    assert_eq!(unreached, [a, "16: y = 1, 16: printf(\"x\"), 16: end", "17: x = 1, 17: end", ""]);
    let blocked: Vec<String> = processes.iter().map(|process| listed(process, true)).collect();
    assert_eq!(blocked, ["4: x == 2, 6: else, 13: 0", "16: q?2", "", ""]);

    let text = stdout(&folder.run(&["check", "m.pml", "--coverage", "--no-trace-file"]));
    assert!(text.contains("\nD: executed in full (2 statements)\n"), "{text}");
    assert!(text.contains("\n  m.pml:16  q?2   (reached, but not executable)\n"), "{text}");
    let limited = folder.run(&["check", "m.pml", "--coverage", "--no-trace-file", "--max-states", "3"]);
    assert!(stdout(&limited).contains("did not come to its end"), "{limited:?}");
    let refused = folder.run(&["check", "m.pml", "--coverage", "--progress"]);
    assert_eq!(refused.status.code(), Some(3), "{refused:?}");
}

const STEPS: &str = "model M {
    int x;
    modifies x;
    ensures x == \\old(x) + 1;
    action incr();
    requires x == 0;
    ensures x <= 1;
    process P(int n) = 0 < n ? incr() * P(n - 1) : empty;
    ltl low { [] (x <= 5) }
    ltl rises { <> (x == 5) }
    ltl acts { [] (\\did(incr) -> 0 < x) }
    ltl next { x == 0 && X (x <= 1) }
}
";

/// A run of one of several instances is played again in that instance.
#[test]
fn a_run_of_a_process_is_played_again_in_its_instance() {
    let folder = Folder::new("process-replay", &[("m.pvl", STEPS)]);
    let asked = ["m.pvl", "--process", "P(n)", "--for", "n in 0..4"];
    let checked = folder.run(&[&["check"], &asked[..], &["--safety", "--shortest"]].concat());
    assert_eq!(checked.status.code(), Some(1), "{checked:?}");
    assert!(stdout(&checked).contains("instance: n = 2, x = 0"), "{checked:?}");
    let played = folder.run(&[&["simulate"], &asked[..], &["--replay", "m.pvl.trail.json"]].concat());
    assert_eq!(played.status.code(), Some(1), "{played:?}");
    assert!(stdout(&played).contains("x = 2 (was 1)"), "{played:?}");
    // Without a trace, the first step decides which instance it is.
    let played = folder.run(&[&["simulate"], &asked[..], &["--seed", "3"]].concat());
    assert_eq!(played.status.code(), Some(0), "{played:?}");
}

#[test]
fn the_transition_system_of_a_process_is_written() {
    let folder = Folder::new("process-lts", &[("m.pvl", STEPS), ("p.pml", "init { skip }")]);
    let asked = ["check", "m.pvl", "--process", "P(n)", "--safety", "--no-trace-file"];
    folder.run(&[&asked[..], &["--for", "n in 1..3", "--lts", "two.aut"]].concat());
    let text = std::fs::read_to_string(folder.0.join("two.aut")).unwrap_or_default();
    let mut lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.remove(0), "des (0, 7, 7)", "{text}");
    lines.sort_unstable();
    let wanted = [
        "(0, \"begin(n = 1, x = 0)\", 1)",
        "(0, \"begin(n = 2, x = 0)\", 2)",
        "(1, \"incr()\", 3)",
        "(2, \"incr()\", 4)",
        "(3, \"Terminate\", 6)",
        "(4, \"incr()\", 5)",
        "(5, \"Terminate\", 6)",
    ];
    assert_eq!(lines, wanted);
    folder.run(&[&asked[..], &["--for", "n in {1}", "--lts", "one.aut"]].concat());
    let text = std::fs::read_to_string(folder.0.join("one.aut")).unwrap_or_default();
    assert_eq!(text, "des (0, 2, 3)\n(0, \"incr()\", 1)\n(1, \"Terminate\", 2)\n");
    // What is not written is not there, and it is said why.
    let output = folder
        .run(&[&asked[..], &["--for", "n in {9000}", "--max-states", "10", "--lts", "no.aut"]].concat());
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert!(
        stderr(&output).contains("no.aut: the transition system is not written: the limit on states"),
        "{output:?}"
    );
    assert!(!folder.0.join("no.aut").exists());
    let output = folder.run(&["check", "p.pml", "--lts", "p.aut"]);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert!(stderr(&output).contains("cannot be written"), "{output:?}");
}

#[test]
fn what_programs_inherit_of_a_formula_is_said() {
    let folder = Folder::new("process-inherited", &[("m.pvl", STEPS)]);
    let asked = ["check", "m.pvl", "--process", "P(n)", "--for", "n in {1, 5}", "--json", "--no-trace-file"];
    let value = folder.json(&asked);
    let properties = value["properties"].as_array().cloned().unwrap_or_default();
    let found = |name: &str| {
        let property = properties.iter().find(|it| it["name"] == name).cloned().unwrap_or_default();
        (property["safety"].as_bool(), property["inherited"].as_bool())
    };
    assert_eq!(found("low"), (Some(true), Some(true)), "{value:#}");
    assert_eq!(found("rises"), (Some(false), Some(false)), "{value:#}");
    assert_eq!(found("acts"), (Some(true), Some(false)), "{value:#}");
    assert_eq!(found("next"), (Some(true), Some(false)), "{value:#}");
    assert_eq!(found("M.P: ensures"), (None, None), "{value:#}");
    let output = folder.run(&["check", "m.pvl", "--process", "P(n)", "--for", "n in {1}", "--prop", "low"]);
    let sentence = "a safety property: programs that follow P inherit it on these instances";
    assert!(stdout(&output).contains(sentence), "{output:?}");
}

/// What is wrong with an option is said at its text, under the code of the option, with what may help.
#[test]
fn options_of_processes_that_make_no_sense_are_diagnostics() {
    let folder = Folder::new("process-options", &[("m.pvl", STEPS)]);
    let cases: [(&[&str], &str, &str, &str); 14] = [
        (&["--process", "P("], "processOption", "--process", "expected an expression"),
        (&["--process", "Q(1)"], "processOption", "--process", "there is no process `Q`"),
        (&["--process", "P(1, 2)"], "processOption", "--process", "takes 1 argument"),
        (&["--process", "P(true)"], "processOption", "--process", "of type `boolean`"),
        (&["--process", "P(n)"], "processOption", "--process", "no variable or field `n`"),
        (&["--process", "incr()"], "processOption", "--process", "there is no process `incr`"),
        (&["--process", "P(n)", "--for", "n in 0.."], "rangeOption", "--for", "expected an expression"),
        (&["--process", "P(n)", "--for", "n"], "rangeOption", "--for", "expected"),
        (&["--process", "P(n)", "--for", "n in true..3"], "rangeOption", "--for", "of type `boolean`"),
        (&["--process", "P(1)", "--for", "z in 0..3"], "rangeOption", "--for", "nothing is called `z`"),
        (&["--process", "P(1)", "--where", "x +"], "formulaOption", "--where", "expected an expression"),
        (&["--process", "P(1)", "--where", "x + 1"], "formulaOption", "--where", "of type `int`"),
        (&["--process", "P(1)", "--ltl", "[] (x <"], "formulaOption", "<formula>", "expected an expression"),
        (&["--process", "P(1)", "--ltl", "[] \\did(go)"], "formulaOption", "<formula>", "no action `go`"),
    ];
    for (words, code, place, message) in cases {
        let output = folder.run(&[&["check", "m.pvl", "--json"], words].concat());
        assert_eq!(output.status.code(), Some(3), "{words:?}: {output:?}");
        let value: Value = serde_json::from_str(&stdout(&output)).unwrap_or_default();
        let found = &value["diagnostics"][0];
        assert_eq!(
            (found["code"].as_str(), found["file"].as_str()),
            (Some(code), Some(place)),
            "{words:?}: {value:#}"
        );
        assert!(found["message"].as_str().is_some_and(|it| it.contains(message)), "{words:?}: {value:#}");
        let is_parsed = !found["message"].as_str().is_some_and(|it| it.starts_with("expected"));
        assert!(!is_parsed || found["help"].is_string(), "{words:?}: {value:#}");
    }
}

/// Two processes that count up to twenty each, one state for each pair of numbers.
const COUNTERS: &str = "byte a, b;\nactive proctype A() { do :: a < 20 -> a++ :: else -> break od }\n\
                        active proctype B() { do :: b < 20 -> b++ :: else -> break od; assert(a + b < 50) }\n";

#[test]
fn a_store_that_may_forget_never_says_that_something_holds() {
    let folder = Folder::new("lossy", &[("counters.pml", COUNTERS)]);
    let exact = folder.json(&["check", "counters.pml", "--por", "off", "--json"]);
    assert_eq!(exact["verdict"], "holds");
    for store in ["hash-compact", "hash-compact:40", "bitstate", "bitstate:1M", "bitstate:100"] {
        let words = ["check", "counters.pml", "--por", "off", "--store", store];
        let output = folder.run(&words);
        assert_eq!(output.status.code(), Some(2), "{store}: {output:?}");
        assert!(stdout(&output).contains("no violation found") && !stdout(&output).contains("holds"));
        let found = folder.json(&[&words[..], &["--json"]].concat());
        assert_eq!(found["verdict"], "no violation found", "{store}");
        let property = &found["properties"][0];
        assert_eq!(property["store"]["kind"], store.split(':').next().expect("a name"));
        if store.starts_with("hash-compact") {
            let probability = property["store"]["omission_probability"].as_f64().expect("a number");
            assert!(probability > 0.0 && probability < 1e-3, "{found}");
            assert_eq!(found["states"], exact["states"]);
        } else {
            let coverage = property["store"]["expected_coverage"].as_f64().expect("a number");
            assert_eq!(store == "bitstate:100", coverage < 0.9, "{found}");
            assert_eq!(store == "bitstate:100", found["states"] != exact["states"], "{found}");
        }
    }
}

#[test]
fn what_a_store_that_may_forget_finds_is_shown_and_replayed() {
    let wrong = COUNTERS.replace("< 50", "< 39");
    let formula = "ltl low { [] (a < 15) }\n";
    let folder =
        Folder::new("lossy-found", &[("wrong.pml", &wrong), ("low.pml", &(wrong.clone() + formula))]);
    for store in ["hash-compact", "bitstate:1M"] {
        for workers in ["1", "4"] {
            let words = ["check", "wrong.pml", "--store", store, "--workers", workers];
            let output = folder.run(&words);
            assert_eq!(output.status.code(), Some(1), "{output:?}");
            assert!(stdout(&output).contains("assert(a + b < 39) fails"), "{output:?}");
            let played = folder.run(&["simulate", "wrong.pml", "--replay", "wrong.pml.trail.json"]);
            assert_eq!(played.status.code(), Some(1), "{played:?}");
            // The automaton of a safety formula is terminal.
            let found = folder.json(&[
                "check",
                "low.pml",
                "--prop",
                "low",
                "--store",
                store,
                "--workers",
                workers,
                "--json",
            ]);
            assert_eq!(found["verdict"], "violated", "{found}");
            assert_eq!(found["properties"][0]["counterexample"]["cause"]["kind"], "prefix", "{found}");
        }
    }
}

#[test]
fn what_cannot_be_searched_in_such_a_store_is_refused() {
    let folder = Folder::new("lossy-refused", &[("counters.pml", COUNTERS)]);
    for (words, why) in [
        (&["--store", "bitstate", "--ltl", "[] <> (a == 3)"][..], "cannot use `--store bitstate`"),
        (&["--store", "hash-compact", "--algorithm", "bfs"], "`bfs` cannot use"),
        (&["--store", "hash-compact", "--algorithm", "levels", "--workers", "2"], "`levels` cannot use"),
        (&["--store", "bitstate", "--coverage"], "`--coverage`"),
        (&["--store", "bitstate", "--shortest"], "`--shortest`"),
        (&["--store", "bits"], "a store is"),
        (&["--store", "hash-compact:7"], "24 to 64 bits"),
        (&["--workers", "65"], "at most 64"),
    ] {
        let output = folder.run(&[&["check", "counters.pml"], words].concat());
        assert_eq!(output.status.code(), Some(3), "{words:?}: {output:?}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(why), "{words:?}: {said}");
    }
}

/// Steps of an endless atomic sequence may be deterministic blocks that end; of a block that does not, an error tells.
#[test]
fn endless_sequences_are_warned_of() {
    const WARNING: &str = "promela.endless-atomic";
    let models = [
        ("blocks.pml", "do :: d_step { x = 1 - x; y = x } od", true),
        ("statements.pml", "do :: x = 1 - x od", true),
        ("ends.pml", "do :: d_step { x < 3 -> x++; y = x } :: else -> break od", false),
        ("block.pml", "y = 1; d_step { x = 2; do :: x = 3 - x od }; y = 2", false),
        ("both.pml", "if :: d_step { do :: true od } :: true fi; do :: d_step { x = 1 - x; y = x } od", true),
    ];
    for (name, sequence, is_endless) in models {
        let model = format!("byte x, y; active proctype A() {{ atomic {{ {sequence} }} }}");
        let folder = Folder::new(name, &[(name, &model)]);
        for reductions in [&[][..], &["--plain"]] {
            let report = folder.json(&[&["check", "--json", name], reductions].concat());
            let diagnostics = report["diagnostics"].as_array().expect("a list");
            let is_found = diagnostics.iter().any(|diagnostic| diagnostic["code"] == WARNING);
            assert_eq!(is_found, is_endless, "{name} {reductions:?}: {diagnostics:?}");
        }
    }
}
