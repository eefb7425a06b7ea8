//! `probity verify` and `probity print` as programs see them: exit codes and JSON. What is proved and what is not is for
//! the corpus of Silver programs to say.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn probity(words: &[&str]) -> Output {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut command = Command::new(env!("CARGO_BIN_EXE_probity"));
    let output = command.args(words).env("PROBITY_CACHE", "").current_dir(root).output();
    output.expect("the program can be started")
}

fn json(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// A file that lasts as long as the value.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str, text: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("probity-{}-{name}", std::process::id()));
        std::fs::write(&path, text).expect("there is a folder for temporary files");
        Scratch(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().expect("the path is text")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn a_failure_has_its_code_and_its_place() {
    let output = probity(&["verify", "examples/silver/overdraft.vpr", "--json"]);
    let value = json(&output);
    assert_eq!(output.status.code(), Some(1), "{value}");
    assert_eq!(value["verdict"], "violated");
    let members = value["members"].as_array().expect("members are a list");
    let member = members.iter().find(|member| member["name"] == "withdraw").expect("it is a member");
    assert_eq!((member["kind"].as_str(), member["verdict"].as_str()), (Some("method"), Some("violated")));
    assert!(member["seconds"].is_number());
    let failure = &member["failures"][0];
    assert_eq!(failure["code"], "postcondition.violated:assertion.false");
    assert_eq!(failure["file"], "examples/silver/overdraft.vpr");
    let place = ["line", "column", "end_line", "end_column"].map(|key| failure[key].as_u64());
    assert_eq!(place, [Some(16), Some(13), Some(16), Some(33)]);
    let careful = members.iter().find(|member| member["name"] == "withdraw_with_care");
    assert_eq!(careful.map(|member| &member["verdict"]), Some(&Value::from("holds")));
}

#[test]
fn a_file_alone_is_verified_and_holds() {
    let file = Scratch::new("holds.vpr", "method m(x: Int) requires x > 0 { assert x != 0 }");
    let output = probity(&[file.path()]);
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("holds "));
}

#[test]
fn only_the_members_that_were_asked_for_are_verified() {
    let words = ["verify", "examples/silver/overdraft.vpr", "--json", "--member"];
    let output = probity(&[&words[..], &["withdraw_with_care"]].concat());
    let value = json(&output);
    assert_eq!(output.status.code(), Some(0), "{value}");
    assert_eq!(value["members"].as_array().map(Vec::len), Some(1), "{value}");
    let output = probity(&[&words[..], &["nobody"]].concat());
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(json(&output)["error"], "there is no member `nobody`");
    let output = probity(&[&words[..], &["withdraw_with_car"]].concat());
    let error = json(&output)["error"].as_str().unwrap_or_default().to_string();
    assert!(error.contains("did you mean `withdraw_with_care`"), "{error}");
}

#[test]
fn static_errors_are_diagnostics() {
    let output = probity(&["verify", "tests/corpus/silver/language/static_errors.vpr", "--json"]);
    let value = json(&output);
    assert_eq!(output.status.code(), Some(3), "{value}");
    assert_eq!(value["verdict"], "unknown");
    assert_eq!(value["members"], Value::Array(Vec::new()));
    let first = &value["diagnostics"][0];
    assert_eq!(
        (first["severity"].as_str(), first["code"].as_str()),
        (Some("error"), Some("typechecker.error"))
    );
    assert_eq!((first["line"].as_u64(), first["column"].is_u64()), (Some(6), true));
    let keys: Vec<&str> =
        first.as_object().map(|object| object.keys().map(String::as_str).collect()).unwrap_or_default();
    assert_eq!(keys, ["code", "column", "file", "line", "message", "severity"]);
}

#[test]
fn one_bad_file_leaves_the_question_open() {
    let words = ["verify", "examples/silver/swap.vpr", "no/such/file.vpr"];
    let output = probity(&words);
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stdout).contains("2 files: 1 violated, 1 rejected"));
    let value = json(&probity(&[&words[..], &["--json"]].concat()));
    assert_eq!(value["verdict"], "violated");
}

#[test]
fn a_solver_that_is_not_there_is_bad_input() {
    let output = probity(&["verify", "examples/silver/swap.vpr", "--solver", "/no/such/solver"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no solver"));
}

#[test]
fn a_log_is_written_for_each_member() {
    let folder = std::env::temp_dir().join(format!("probity-{}-log", std::process::id()));
    let path = folder.to_str().expect("the path is text");
    probity(&["verify", "examples/silver/swap.vpr", "--log-smt", path]);
    let count = std::fs::read_dir(&folder).into_iter().flatten().count();
    let _ = std::fs::remove_dir_all(&folder);
    assert_eq!(count, 3);
}

#[test]
fn printing_is_idempotent() {
    let first = probity(&["print", "examples/silver/linked_list.vpr"]);
    assert_eq!(first.status.code(), Some(0));
    let text = String::from_utf8_lossy(&first.stdout).into_owned();
    let file = Scratch::new("printed.vpr", &text);
    assert_eq!(String::from_utf8_lossy(&probity(&["print", file.path()]).stdout), text);
    let expanded = probity(&["print", "--expanded", "examples/silver/lock.vpr"]);
    assert!(!String::from_utf8_lossy(&expanded.stdout).contains("define"));
    let bad = Scratch::new("bad.vpr", "method m( {");
    assert_eq!(probity(&["print", bad.path()]).status.code(), Some(3));
}

const TWO_FILES: [(&str, &str); 2] = [
    ("first.pvl", "class C { int x; }\n\nrequires n > 0;\nensures \\result > n;\nlemma more(int n) { }\n"),
    (
        "second.pvl",
        "requires c != null ** Perm(c.x, 1\\2);\nvoid put(C c) {\n    c.x = 1;\n}\n\n\
         resource p(C c) = c != null ** Perm(c.x, write);\n\npure int two() = 2;\n",
    ),
];

#[test]
fn members_have_their_kinds_and_failures_their_files() {
    let [first, second] = TWO_FILES
        .map(|(name, text)| Scratch::new(name, &text.replace("ensures \\result > n;", "ensures n > 1;")));
    let output = probity(&["verify", "--json", "--together", first.path(), second.path()]);
    let value = json(&output);
    assert_eq!(output.status.code(), Some(1), "{value}");
    assert_eq!((value["verdict"].as_str(), value["version"].as_u64()), (Some("violated"), Some(1)));
    let members = value["members"].as_array().expect("members are a list");
    let shown = |member: &Value| {
        format!("{} {} {}", member["kind"], member["name"], member["verdict"]).replace('"', "")
    };
    let mut shown: Vec<String> = members.iter().map(shown).collect();
    shown.sort();
    assert_eq!(
        shown,
        ["function two holds", "lemma more violated", "method put violated", "predicate p holds"],
        "{value}"
    );
    for (name, file, line, code) in
        [("more", &first, 4, "postFailed:false"), ("put", &second, 3, "assignFieldFailed")]
    {
        let member = members.iter().find(|member| member["name"] == name).expect("it is a member");
        assert_eq!((member["file"].as_str(), member["line"].is_u64()), (Some(file.path()), true), "{value}");
        let failure = &member["failures"][0];
        assert_eq!(failure["file"], file.path(), "{value}");
        assert_eq!((failure["line"].as_u64(), failure["code"].as_str()), (Some(line), Some(code)), "{value}");
        let counterexample = failure["counterexample"].as_object().expect("it is an object");
        assert!(counterexample.values().all(Value::is_string) && !counterexample.is_empty(), "{value}");
    }
}

#[test]
fn a_dialect_is_for_pvl() {
    let file = Scratch::new("silver.vpr", "method m() { }");
    for command in ["verify", "print"] {
        let output = probity(&[command, "--dialect", "1", file.path()]);
        assert_eq!(output.status.code(), Some(3));
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(text.contains("--dialect is about PVL programs"), "{text}");
    }
}

#[test]
fn places_that_are_not_reached_are_found() {
    let text = "void m(int n) {\n    if (n > 0) {\n        assume n < 0;\n        return;\n    }\n}\n\n\
                void fine(int n) {\n    par (int i = 0 .. n) { }\n    if (n > 0) {\n        return;\n    }\n}\n";
    let file = Scratch::new("smoke.pvl", text);
    let value = json(&probity(&["verify", "--json", "--smoke", file.path()]));
    let failures = value["members"][0]["failures"].as_array().expect("failures are a list");
    let places: Vec<(Option<u64>, Option<&str>)> =
        failures.iter().map(|failure| (failure["line"].as_u64(), failure["code"].as_str())).collect();
    assert_eq!(places, [(Some(3), Some("unreachable")), (Some(5), Some("unreachable"))], "{value}");
    assert_eq!(value["members"][1]["verdict"], "holds", "{value}");
}

#[test]
fn times_are_remembered_and_change_nothing() {
    let file = Scratch::new("history.pvl", "requires n > 0;\nvoid m(int n) {\n    assert n != 0;\n}\n");
    let folder = std::env::temp_dir().join(format!("probity-cache-{}", std::process::id()));
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let verify = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_probity"));
        command.arg("verify").args(words).arg(file.path()).env("PROBITY_CACHE", &folder).current_dir(root);
        command.output().expect("the program can be started")
    };
    assert_eq!(verify(&["--no-history", "--no-cache"]).status.code(), Some(0));
    assert!(!folder.exists(), "nothing is kept");
    assert_eq!(verify(&[]).status.code(), Some(0));
    let history = folder.join("history");
    assert_eq!(std::fs::read_to_string(&history).unwrap_or_default().lines().count(), 2);
    std::fs::write(&history, "nonsense").expect("the file can be written");
    let output = verify(&[]);
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty());
    let _ = std::fs::remove_dir_all(&folder);
}

/// The program with a text as its standard input.
fn probity_reads(words: &[&str], text: &str) -> Output {
    use std::io::Write;
    use std::process::Stdio;
    let mut command = Command::new(env!("CARGO_BIN_EXE_probity"));
    command.args(words).env("PROBITY_CACHE", "").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::piped()).spawn().expect("the program can be started");
    if let Some(mut input) = child.stdin.take() {
        let _ = input.write_all(text.as_bytes());
    }
    child.wait_with_output().expect("the program ends")
}

#[test]
fn files_are_programs_of_their_own() {
    let text = "class C { int x; }\nensures \\result == 1;\nint one() { return 1; }\n";
    let [first, second] = ["own1.pvl", "own2.pvl"].map(|name| Scratch::new(name, text));
    let output = probity(&["verify", first.path(), second.path()]);
    let printed = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{printed}");
    assert!(printed.contains("2 files: 2 holds"), "{printed}");
    let value = json(&probity(&["verify", "--json", "--together", first.path(), second.path()]));
    let codes: Vec<Option<&str>> =
        value["diagnostics"].as_array().into_iter().flatten().map(|it| it["code"].as_str()).collect();
    assert_eq!(codes, [Some("duplicateName"); 2], "{value}");
    assert_eq!(value["diagnostics"][0]["file"], second.path());
}

#[test]
fn standard_input_is_a_program() {
    for (text, verdict) in [
        ("method m(x: Int) requires x > 0 { assert x != 0 }", "holds"),
        ("requires x > 0; void m(int x) { assert x == 1; }", "violated"),
        ("class M { int x; ensures Perm(x, 1); M() { } }", "holds"),
        ("neither of the two {", "unknown"),
    ] {
        let value = json(&probity_reads(&["verify", "--json", "-"], text));
        assert_eq!(value["verdict"], verdict, "{text}: {value}");
    }
    let value = json(&probity_reads(&["verify", "--json", "-"], "method m() { assert false }"));
    assert_eq!(value["members"][0]["file"], "<stdin>", "{value}");
    for command in ["verify", "print"] {
        let twice = probity_reads(&[command, "-", "-"], "method m() { assert false }");
        assert_eq!(twice.status.code(), Some(3), "{twice:?}");
        assert!(String::from_utf8_lossy(&twice.stderr).contains("only once"), "{twice:?}");
    }
    let printed = probity_reads(&["print", "-"], "method m()  {  }");
    assert_eq!(String::from_utf8_lossy(&printed.stdout), "method m()\n{\n}\n");
}

#[test]
fn what_is_not_known_is_said_in_names_of_the_program() {
    let text = "pure int count(int n) = n <= 0 ? 0 : count(n - 1) + 1;\n\
                class C { int count; requires Perm(count, 1\\2); pure int count(int n) = n <= 0 ? count : count(n - 1) + 1;\n\
                requires Perm(count, 1\\2) ** n >= 0; void m(int n) { assert count(n) == n + count; } }\n\
                requires n >= 0; void f(int n) { assert count(n) == n; }\n";
    let file = Scratch::new("spoken.pvl", text);
    let value = json(&probity(&["verify", "--json", file.path()]));
    let members = value["members"].as_array().cloned().unwrap_or_default();
    for (name, function) in [("f", "`count`"), ("C.m", "`C.count`")] {
        let member = members.iter().find(|member| member["name"] == name);
        let reason = member.and_then(|member| member["reason"].as_str()).unwrap_or_default();
        assert!(reason.contains(function), "{name}: {value}");
    }
}

/// A device that is always full is a thing of Linux.
#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_written_is_told() {
    let file = Scratch::new("full.vpr", "method m(x: Int) requires x > 0 { assert x != 0 }");
    for words in [&["verify", file.path()][..], &["verify", "--json", file.path()], &["print", file.path()]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
        let mut command = Command::new(env!("CARGO_BIN_EXE_probity"));
        let output = command.args(words).env("PROBITY_CACHE", "").stdout(full).output();
        let output = output.expect("the program can be started");
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("standard output is incomplete"), "{words:?}: {said}");
    }
}

#[test]
fn a_program_is_read_in_the_dialect_that_it_is_written_in() {
    let text = "class M { int x; ensures Perm(x, 1); M() { } }";
    let file = Scratch::new("old.pvl", text);
    let codes = |words: &[&str]| {
        let value = json(&probity(&[&["verify", "--json", file.path()], words].concat()));
        let list = value["diagnostics"].as_array().cloned().unwrap_or_default();
        let codes: Vec<String> =
            list.iter().map(|it| it["code"].as_str().unwrap_or_default().to_string()).collect();
        (value["verdict"].as_str().unwrap_or_default().to_string(), codes.join(" "))
    };
    assert_eq!(codes(&[]), ("holds".to_string(), "dialect".to_string()));
    assert_eq!(codes(&["--dialect", "1"]), ("holds".to_string(), String::new()));
    let (verdict, errors) = codes(&["--dialect", "2"]);
    assert_eq!(verdict, "unknown");
    assert!(errors.contains("parseError"), "{errors}");
    // What is wrong in both is told in the words of the default.
    let neither = Scratch::new("neither.pvl", "class M { int x = ; M( }");
    let output = probity(&["verify", neither.path()]);
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(3) && !message.contains("[dialect]"), "{message}");
}

#[test]
fn an_empty_program_is_warned_about() {
    for (name, text) in [("empty.vpr", "// nothing\n"), ("empty.pvl", ""), ("fields.vpr", "field f: Int")] {
        let file = Scratch::new(name, text);
        let value = json(&probity(&["verify", "--json", file.path()]));
        assert_eq!(
            (value["verdict"].as_str(), value["diagnostics"][0]["code"].as_str()),
            (Some("holds"), Some("empty"))
        );
        assert_eq!(value["diagnostics"][0]["severity"], "warning");
    }
}

#[test]
fn a_library_of_ones_own_is_found() {
    let folder = std::env::temp_dir().join(format!("probity-{}-library", std::process::id()));
    let below = folder.join("lists");
    std::fs::create_dir_all(&below).expect("there is a folder for temporary files");
    std::fs::write(below.join("one.vpr"), "import \"two.vpr\"\nmethod one() ensures two() == 2")
        .expect("written");
    std::fs::write(below.join("two.vpr"), "function two(): Int { 2 }").expect("written");
    let file = Scratch::new("imports.vpr", "import <lists/one.vpr>\nmethod m() { one() assert two() == 2 }");
    let library = folder.to_str().expect("the path is text").to_string();
    let value = json(&probity(&["verify", "--json", file.path(), "-I", "no/such/folder", "-I", &library]));
    let without = probity(&["verify", file.path()]);
    let _ = std::fs::remove_dir_all(&folder);
    assert_eq!(value["verdict"], "holds", "{value}");
    let kinds: Vec<&str> =
        value["assumptions"].as_array().into_iter().flatten().filter_map(|it| it["kind"].as_str()).collect();
    assert_eq!(kinds, ["abstract method"], "{value}");
    assert_eq!(without.status.code(), Some(3));
    let message = String::from_utf8_lossy(&without.stderr);
    assert!(message.contains("-I"), "{message}");
}

#[test]
fn what_is_given_up_makes_nobody_else_wrong() {
    // Fermat's last theorem for the exponent 3 is out of reach, so the function has no definition.
    let text = "function hard(a: Int, b: Int, c: Int): Int\n  requires a > 0 && b > 0 && c > 0\n  \
                ensures a*a*a + b*b*b != c*c*c\n{ a + b + c }\n\
                method caller() { var r: Int := hard(1, 2, 3); assert r == 6 }\n\
                method other() { assert 1 < 2 }\n";
    let file = Scratch::new("hard.vpr", text);
    let value = json(&probity(&["verify", "--json", "--member-timeout", "0.3", file.path()]));
    let members = value["members"].as_array().cloned().unwrap_or_default();
    let function = members.iter().find(|member| member["name"] == "hard").expect("it is a member");
    let caller = members.iter().find(|member| member["name"] == "caller").expect("it is a member");
    if function["verdict"] == "unknown" {
        assert_eq!(caller["verdict"], "unknown", "{value}");
        assert_eq!(caller["reason"], "it rests on the function `hard`, which is not proved", "{value}");
    }
    assert_ne!(caller["verdict"], "violated", "{value}");
    assert_ne!(caller["verdict"], "holds", "{value}");
}

#[test]
fn what_a_verdict_rests_on_is_counted_and_listed() {
    let words = ["verify", "--trusted", "tests/corpus/footing/trusted.pvl"];
    let printed = String::from_utf8_lossy(&probity(&words).stdout).into_owned();
    assert!(printed.contains("members; rests on "), "{printed}");
    assert!(printed.contains(" trusted items and 1 recursive function without a measure  ("), "{printed}");
    assert!(printed.contains("trusted.pvl:38:7  abstract lemma, `impossible`"), "{printed}");
    let file = Scratch::new("alone.vpr", "method m() { assert 1 < 2 }");
    let printed = String::from_utf8_lossy(&probity(&["verify", file.path()]).stdout).into_owned();
    assert!(printed.contains("1 member  ("), "{printed}");
}

/// The contract of a process says how its verdict came about; a refuted one shows the run.
#[test]
fn contracts_of_processes_say_how_they_were_established() {
    let text = "model Sum {
        int sum;
        modifies sum;
        ensures sum == \\old(sum) + n;
        action incr(int n);
        requires 0 < |xs|;
        ensures sum == total(xs);
        process P(seq<int> xs) = 0 < |xs| ? incr(xs.head) || Rest(xs.tail) : empty;
        process Rest(seq<int> xs) = 0 < |xs| ? incr(xs.head) || Rest(xs.tail) : empty;
        ensures sum == \\old(sum) + 3;
        process Three() = incr(1) || incr(2);
        ensures \\old(sum) <= sum;
        process Rounds() = \\iter(incr(1));
    }
    decreases |xs|;
    pure int total(seq<int> xs) = 0 < |xs| ? xs.head + total(xs.tail) : 0;";
    let file = Scratch::new("established.pvl", text);
    let value = json(&probity(&["verify", file.path(), "--json"]));
    let members = value["members"].as_array().cloned().unwrap_or_default();
    let how = |name: &str| {
        let member = members.iter().find(|member| member["name"] == name).unwrap_or(&Value::Null);
        (member["kind"].as_str(), member["verdict"].as_str(), member["how"].as_str())
    };
    assert_eq!(how("Sum.P"), (Some("process"), Some("violated"), Some("refuted")), "{value:#}");
    assert_eq!(how("Sum.Three"), (Some("process"), Some("holds"), Some("proved")), "{value:#}");
    assert_eq!(how("Sum.Rounds"), (Some("process"), Some("unknown"), Some("unknown")), "{value:#}");
    assert_eq!(how("total").2, None);
    let refuted = members.iter().find(|member| member["name"] == "Sum.P").unwrap_or(&Value::Null);
    let failure = &refuted["failures"][0];
    assert_eq!(failure["counterexample"]["xs"], "[0]", "{failure:#}");
    assert_eq!(failure["counterexample"]["sum"], "1", "{failure:#}");
    let steps = failure["run"]["stem"].as_array().cloned().unwrap_or_default();
    assert_eq!(steps.len(), 1, "{failure:#}");
    assert_eq!((steps[0]["action"].as_str(), &steps[0]["arguments"][0]), (Some("incr"), &Value::from("0")));
    let assumed = json(&probity(&["verify", file.path(), "--json", "--assume-contract", "Sum.Rounds"]));
    let assumed = assumed["members"].as_array().cloned().unwrap_or_default();
    let rounds = assumed.iter().find(|member| member["name"] == "Sum.Rounds").unwrap_or(&Value::Null);
    assert_eq!((rounds["verdict"].as_str(), rounds["how"].as_str()), (Some("holds"), Some("assumed")));
}

/// For each model that a member creates it is said what the program inherits, and how that was established.
#[test]
fn inherited_properties_are_listed() {
    let text = "model Cell {
        int x;
        modifies x;
        requires x < n;
        ensures x == \\old(x) + 1;
        action incr(int n);
        requires x == 0 && 0 <= n;
        ensures x == n;
        process Up(int n) = x_up(n, n);
        requires 0 <= k && x == n - k;
        ensures x == n;
        process x_up(int n, int k) = 0 < k ? incr(n) * x_up(n, k - 1) : empty;
        ensures x == \\old(x) + 1;
        process Any(int n) = incr(n);
        ltl bounded { [] (0 <= x) }
        ltl small { [] (x < 2) }
        ltl reached { <> (x == 3) }
        ltl steps { [] (x == 0 -> X (x == 1)) }
        ltl first { [] (\\did(incr) -> 0 <= x) }
    }
    requires 0 <= n;
    void main(int n) {
        Cell m = new Cell();
        m.x = 0;
        m.create(m.Up(n));
        assume false;
    }
    void single(int n) {
        Cell m = new Cell();
        m.x = 0;
        m.create(m.incr(1));
        action(m, 1, empty, m.incr(1)) { m.x = m.x + 1; }
        m.destroy();
        assert m.x == 1;
    }
    void wrong() {
        Cell m = new Cell();
        m.x = 0;
        m.create(m.Any(1));
        assert false;
    }";
    let file = Scratch::new("inherited.pvl", text);
    let value = json(&probity(&["verify", file.path(), "--json"]));
    let members = value["members"].as_array().cloned().unwrap_or_default();
    let creates = |name: &str| {
        let member = members.iter().find(|member| member["name"] == name).cloned().unwrap_or_default();
        member["creates"].as_array().cloned().unwrap_or_default()
    };
    let [created] = &creates("main")[..] else { panic!("{value:#}") };
    assert_eq!(
        (created["process"].as_str(), created["line"].as_u64()),
        (Some("Cell.Up"), Some(25)),
        "{value:#}"
    );
    let inherits = created["inherits"].as_array().cloned().unwrap_or_default();
    let how = |property: &str| {
        let found = inherits.iter().find(|it| it["property"] == property);
        found.and_then(|it| it["how"].as_str().map(str::to_string))
    };
    assert_eq!(how("ensures").as_deref(), Some("proved"), "{created:#}");
    assert_eq!(how("ltl bounded").as_deref(), Some("checked"), "{created:#}");
    assert_eq!(how("ltl small").as_deref(), Some("refuted"), "{created:#}");
    // No safety property, one that counts steps, one that is not over fields.
    for other in ["ltl reached", "ltl steps", "ltl first"] {
        assert_eq!(how(other), None, "{created:#}");
    }
    let bounded = inherits.iter().find(|it| it["property"] == "ltl bounded").cloned().unwrap_or_default();
    assert!(bounded["instances"].as_u64().is_some_and(|count| count > 1), "{created:#}");
    let [single] = &creates("single")[..] else { panic!("{value:#}") };
    assert_eq!(single["inherits"][0]["how"], "proved", "{single:#}");
    // Who does not follow a process has nothing of it.
    assert_eq!(creates("wrong"), Vec::<Value>::new(), "{value:#}");
    let printed = String::from_utf8_lossy(&probity(&["verify", file.path()]).stdout).into_owned();
    assert!(printed.contains("method `main` follows `Cell.Up` ("), "{printed}");
    assert!(printed.contains("  ensures      proved for all inputs\n"), "{printed}");
    assert!(printed.contains("  ltl bounded  checked: on "), "{printed}");
}

#[test]
fn further_runs_are_compared_with_the_first() {
    let text = "function f(x: Int): Int { x + 1 }\n\
                method wrong() { assert f(1) == 3 }\n\
                method right() { assert f(1) == 2 }\n";
    let file = Scratch::new("stability.vpr", text);
    let output = probity(&["verify", file.path(), "--stability", "3", "--json"]);
    // The verdict is that of the first run.
    assert_eq!(output.status.code(), Some(1));
    let expected = serde_json::json!([{ "runs": 3, "compared": 3, "varying": [] }]);
    assert_eq!(json(&output)["stability"], expected);
    let printed =
        String::from_utf8_lossy(&probity(&["verify", file.path(), "--stability", "1"]).stdout).into_owned();
    assert!(
        printed.contains("proved once again, with other seeds and orders: all 3 members as before"),
        "{printed}"
    );
    assert_eq!(probity(&["verify", file.path(), "--stability", "0"]).status.code(), Some(3));
}
