//! `assume?` in programs and `probity ask`: what is answered, what is refused, and that no verdict depends on it.

use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

/// A file that lasts as long as the value.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str, text: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("probity-ask-{}-{name}", std::process::id()));
        std::fs::write(&path, text).expect("there is a folder for temporary files");
        Scratch(path)
    }

    fn at(&self, line: usize) -> String {
        format!("{}:{line}", self.0.display())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn probity(words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_probity"));
    command.args(words).env("PROBITY_CACHE", "").output().expect("the program can be started")
}

/// The answer, and the exit code.
fn asked(file: &Scratch, line: usize, question: &str) -> (Value, Option<i32>) {
    let output = probity(&["ask", &file.at(line), question, "--json"]);
    let text = String::from_utf8_lossy(&output.stdout);
    let value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    (value, output.status.code())
}

const SILVER: &str = "\
field f: Int
method m(x: Ref, n: Int) returns (r: Int)
  requires acc(x.f) && x.f > 3
{
  if (n > 0) { r := n } else { r := 1 - n }
  r := r + x.f
  if (r < 0) {
    r := 0
  }
}
";

const PVL: &str = "\
class C {
  int v;
  requires Perm(v, 1);
  ensures Perm(v, 1) ** v == \\old(v) + 2;
  void add() {
    v = v + 1;
    v = v + 1;
  }
}
";

#[test]
fn what_is_known_at_a_line_is_told_of_every_path() {
    let file = Scratch::new("known.vpr", SILVER);
    let (answer, code) = asked(&file, 6, "r > 0");
    assert_eq!((&answer["answer"], &answer["follows"], code), (&"follows".into(), &2.into(), Some(0)));
    let (answer, code) = asked(&file, 6, "r == n");
    let paths = ["follows", "refuted", "open"].map(|key| answer[key].as_u64());
    assert_eq!((&answer["answer"], code), (&"refuted".into(), Some(1)), "{answer:#}");
    assert_eq!(paths, [Some(1), Some(1), Some(0)], "{answer:#}");
    assert!(answer["values"]["n"].is_string(), "{answer:#}");
    // What is changed on the line is not changed yet.
    assert_eq!(asked(&file, 7, "r > 4").1, Some(0));
    // No run comes there.
    let (answer, code) = asked(&file, 8, "false");
    assert!(answer["answer"] == "follows" || answer["answer"] == "not reached", "{answer:#}");
    assert!(code == Some(0) || code == Some(2), "{answer:#}");
    let printed = probity(&["ask", &file.at(6), "r == n"]);
    let printed = String::from_utf8_lossy(&printed.stdout).into_owned();
    assert!(printed.contains("`r == n` is refuted on 1 of 2 paths"), "{printed}");
}

#[test]
fn what_stands_behind_a_failure_or_a_jump_is_answered() {
    let behind = "method m(b: Bool) {\n  assert b\n  var x: Int := 1\n  assert x == 1\n}\n";
    let file = Scratch::new("behind.vpr", behind);
    let (answer, code) = asked(&file, 4, "x == 1 && b");
    assert_eq!((&answer["answer"], code), (&"follows".into(), Some(0)), "{answer:#}");
    let jump = "method c(b: Bool) {\n  goto e\n  assert true\n  label e\n  assume? b\n}\n";
    let file = Scratch::new("jump.vpr", jump);
    let (answer, code) = asked(&file, 3, "b");
    assert_eq!((&answer["answer"], code), (&"not reached".into(), Some(2)), "{answer:#}");
}

#[test]
fn questions_about_pvl_are_answered_in_its_terms() {
    let file = Scratch::new("terms.pvl", PVL);
    assert_eq!(asked(&file, 7, "v == \\old(v) + 1").1, Some(0));
    assert_eq!(asked(&file, 6, "v == \\old(v)").1, Some(0));
    assert_eq!(asked(&file, 7, "Perm(v, 1)").1, Some(0));
    let (answer, code) = asked(&file, 7, "Perm(v, 1) ** Perm(v, 1\\2)");
    assert_eq!((&answer["answer"], code), (&"refuted".into(), Some(1)), "{answer:#}");
    assert!(answer["values"]["this.v"].is_string(), "{answer:#}");
}

#[test]
fn what_cannot_be_asked_is_refused_with_a_code() {
    let file = Scratch::new("refused.pvl", PVL);
    for (line, question, expected) in [
        (3, "true", "noStatement"),
        (1, "true", "noStatement"),
        (0, "true", "noStatement"),
        (100, "true", "noStatement"),
        (7, "v >", "parseError"),
        (7, "w > 0", "noSuchName"),
        (7, "v", "resolutionError:type"),
        (7, "true); assume (false", "question"),
        (7, "", "parseError"),
        (7, "true // what comes behind is a comment", "parseError"),
    ] {
        let (answer, code) = asked(&file, line, question);
        assert_eq!(
            (&answer["diagnostics"][0]["code"], code),
            (&expected.into(), Some(3)),
            "{question}: {answer:#}"
        );
    }
    for place in ["a.pvl", "a.pvl:", ":3", "a.pvl:x", "a.pvl:-1"] {
        assert_eq!(probity(&["ask", place, "true"]).status.code(), Some(3), "{place}");
    }
    assert_eq!(probity(&["ask", "there-is-no-such-file.vpr:1", "true"]).status.code(), Some(3));
}

#[test]
fn no_verdict_depends_on_a_question() {
    let with =
        |question: &str| PVL.replace("    v = v + 1;\n  }", &format!("    {question}\n    v = v + 1;\n  }}"));
    for (name, question) in [("false", "assume? false;"), ("many", "assume? v > 0; assume? v < 0;")] {
        let file = Scratch::new(&format!("{name}.pvl"), &with(question));
        let output = probity(&["verify", &file.0.to_string_lossy(), "--json"]);
        let value: Value = serde_json::from_slice(&output.stdout).expect("an object");
        assert_eq!((&value["verdict"], output.status.code()), (&"holds".into(), Some(0)), "{value:#}");
        let members = value["members"].as_array().expect("members");
        let answers: Vec<&Value> = members.iter().flat_map(|it| it["answers"].as_array()).flatten().collect();
        assert_eq!(answers.len(), question.matches("assume?").count());
        assert!(answers.iter().all(|answer| answer["answer"] == "refuted"), "{answers:?}");
    }
    // What fails without it fails with it, and nothing is learned from it.
    let wrong = with("assume? v == \\old(v) + 1;").replace("+ 2", "+ 3");
    let file = Scratch::new("wrong.pvl", &wrong);
    assert_eq!(probity(&["verify", &file.0.to_string_lossy()]).status.code(), Some(1));
    let silver = SILVER.replace("  r := r + x.f\n", "  assume? false\n  assert r > 5\n");
    let file = Scratch::new("wrong.vpr", &silver);
    assert_eq!(probity(&["verify", &file.0.to_string_lossy()]).status.code(), Some(1));
}
