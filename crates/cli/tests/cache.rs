//! Answers of the solver that are kept: they change times and no verdicts, whatever was kept, by whom, and of which text.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;
use testing::Random;

/// A folder for the time of a test.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Scratch {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("probity-kept-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("there is a folder for temporary files");
        Scratch(folder)
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, text).expect("it can be written");
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A program that holds.
const RIGHT: &str = "field f: Int
method sum(s: Seq[Int]) returns (r: Int)
    requires forall i: Int :: 0 <= i && i < |s| ==> s[i] >= 0
    ensures r >= 0
{
    var n: Int := 0
    r := 0
    while (n < |s|)
        invariant 0 <= n && n <= |s| && r >= 0
    {
        r := r + s[n]
        n := n + 1
    }
}
method swap(x: Ref, y: Ref)
    requires acc(x.f) && acc(y.f)
    ensures acc(x.f) && acc(y.f) && x.f == old(y.f) && y.f == old(x.f)
{
    var t: Int := x.f
    x.f := y.f
    y.f := t
}
";

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn command(cache: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_probity"));
    command.args(words).env("PROBITY_CACHE", cache).current_dir(workspace());
    command
}

fn run(cache: &Path, words: &[&str]) -> Output {
    command(cache, words).output().expect("the program can be started")
}

/// One run over a file as JSON, and what it says: verdicts and failures, but no times.
fn verify(cache: &Path, file: &Path, words: &[&str]) -> (Value, String) {
    let mut command = command(cache, &["verify", "--json", "--no-counterexamples", "--workers", "1"]);
    if file.components().any(|part| part.as_os_str() == "old") {
        command.args(["--dialect", "1"]);
    }
    let output = command.args(words).arg(file).output().expect("the program can be started");
    let text = String::from_utf8_lossy(&output.stdout);
    let value: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let list = |value: &Value, key: &str| value[key].as_array().cloned().unwrap_or_default();
    let mut said = format!("{} {} {:?}\n", file.display(), value["verdict"], output.status.code());
    for member in list(&value, "members") {
        said.push_str(&format!("{} {} {}", member["kind"], member["name"], member["verdict"]));
        for failure in list(&member, "failures") {
            said.push_str(&format!(" {}:{}", failure["line"], failure["code"]));
        }
        said.push('\n');
    }
    for diagnostic in list(&value, "diagnostics") {
        said.push_str(&format!("{}:{}\n", diagnostic["line"], diagnostic["code"]));
    }
    (value, said)
}

/// The programs of the corpus and the examples: all of them in a slow round, otherwise some that are short.
fn programs() -> Vec<PathBuf> {
    let folders = [
        "tests/corpus/silver",
        "tests/corpus/pvl",
        "tests/corpus/footing",
        "examples/silver",
        "examples/pvl",
    ];
    let all = folders.iter().flat_map(|it| testing::files_below(&workspace().join(it), &["vpr", "pvl"]));
    if testing::is_slow_round() {
        return all.collect();
    }
    let short = all.filter(|it| std::fs::metadata(it).is_ok_and(|it| it.len() < 1_500));
    short.step_by(16).collect()
}

#[test]
fn verdicts_are_the_same_in_every_run() {
    let scratch = Scratch::new();
    let (mut some, mut all) = (0, 0);
    for file in programs() {
        let (_, plain) = verify(&scratch.0, &file, &["--no-cache", "--no-history"]);
        for _ in 0..2 {
            let (value, said) = verify(&scratch.0, &file, &[]);
            assert_eq!(said, plain);
            some += value["reused"].as_u64().unwrap_or_default();
            all += value["queries"].as_u64().unwrap_or_default();
        }
    }
    // Half of the runs are the first, and most programs of the corpus are there to fail.
    assert!(2 * some < all && 20 * some > all, "{some} of {all} are reused");
}

/// A text with one line left out, written twice, or with another number in it.
fn mutant(text: &str, random: &mut Random) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    let is_code = |line: &String| !line.trim().is_empty() && !line.trim().starts_with("//");
    let places: Vec<usize> = (0..lines.len()).filter(|at| is_code(&lines[*at])).collect();
    let Some(at) = random.pick(&places).copied() else { return text.to_string() };
    match random.below(3) {
        0 => {
            lines.remove(at);
        }
        1 => lines.insert(at, lines[at].clone()),
        _ => {
            let digits: Vec<usize> =
                places.into_iter().filter(|at| lines[*at].contains(|it: char| it.is_ascii_digit())).collect();
            if let Some(at) = random.pick(&digits) {
                let change =
                    |it: char| if it.is_ascii_digit() { if it == '0' { '1' } else { '0' } } else { it };
                lines[*at] = lines[*at].chars().map(change).collect();
            }
        }
    }
    lines.join("\n") + "\n"
}

/// Whatever was kept of a text, another text has the verdicts that it has by itself.
#[test]
fn edits_have_their_own_verdicts() {
    let slow = testing::is_slow_round();
    let (examples, rounds) = if slow { (30, 20) } else { (4, 3) };
    let mut random = Random::new(15);
    let files: Vec<PathBuf> = ["examples/silver", "examples/pvl"]
        .iter()
        .flat_map(|it| testing::files_below(&workspace().join(it), &["vpr", "pvl"]))
        // Those that take long take longer when they are wrong.
        .filter(|it| std::fs::metadata(it).is_ok_and(|it| it.len() < if slow { 6_000 } else { 1_500 }))
        .collect();
    let step = files.len().div_ceil(examples).max(1);
    for file in files.iter().step_by(step) {
        let scratch = Scratch::new();
        let text = std::fs::read_to_string(file).expect("it is there");
        let name = file.file_name().and_then(|it| it.to_str()).expect("it has a name");
        let path = scratch.file(name, &text);
        verify(&scratch.0, &path, &[]);
        for _ in 0..rounds {
            let edited = mutant(&text, &mut random);
            scratch.file(name, &edited);
            let limit = ["--member-timeout", "20"];
            let (_, with) = verify(&scratch.0, &path, &limit);
            let (_, without) = verify(Path::new(""), &path, &limit);
            assert_eq!(with, without, "{edited}");
        }
    }
}

#[test]
fn two_processes_keep_their_answers_at_once() {
    let scratch = Scratch::new();
    let files = ["a.vpr", "b.vpr"].map(|name| scratch.file(name, RIGHT));
    let words: Vec<&str> = ["verify"].into_iter().chain(files.iter().filter_map(|it| it.to_str())).collect();
    let children: Vec<_> = (0..3)
        .map(|_| {
            let mut command = command(&scratch.0, &words);
            command.stdout(std::process::Stdio::null()).spawn().expect("the program can be started")
        })
        .collect();
    for mut child in children {
        assert_eq!(child.wait().ok().and_then(|status| status.code()), Some(0));
    }
    for file in &files {
        let (value, said) = verify(&scratch.0, file, &["--recheck", "0"]);
        assert_eq!(value["reused"], value["queries"], "{said}");
        assert!(value["queries"].as_u64() > Some(0), "{said}");
    }
    let left = testing::files_below(&scratch.0, &["tmp"]);
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn the_cache_can_be_left_alone_shown_and_emptied() {
    let scratch = Scratch::new();
    let path = scratch.file("a.vpr", RIGHT);
    let file = path.to_str().expect("the path is text");
    let answers = scratch.0.join("answers");
    let folder = answers.display().to_string();
    run(&scratch.0, &["verify", "--no-cache", file]);
    run(&scratch.0, &["verify", "--log-smt", scratch.0.join("log").to_str().expect("a path"), file]);
    run(&scratch.0, &["verify", "--profile", file]);
    assert!(!answers.exists(), "nothing is kept");
    run(&scratch.0, &["verify", file]);
    let warm = run(&scratch.0, &["verify", file]);
    let warm = String::from_utf8_lossy(&warm.stdout).into_owned();
    assert!(warm.contains(" queries, ") && warm.contains(" answered before)"), "{warm}");
    let shown = |words: &[&str]| String::from_utf8_lossy(&run(&scratch.0, words).stdout).into_owned();
    let text = shown(&["cache"]);
    assert!(text.contains(&folder) && text.contains(" answers for "), "{text}");
    assert_eq!(shown(&["cache", "--clear"]), format!("{folder}\n  0 answers for 0 members, 0 KiB\n"));
    assert!(!answers.exists() && scratch.0.join("history").exists(), "what else is kept stays");
    let output = run(Path::new(""), &["cache"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stdout).contains("no answers are kept"));
    assert_eq!(run(&scratch.0, &["verify", "--recheck", "101", file]).status.code(), Some(3));
}

#[test]
fn a_cache_that_cannot_be_written_changes_no_verdict() {
    let scratch = Scratch::new();
    // Where a file is, no folder can be.
    let file = scratch.file("in_the_way", "");
    let program = scratch.file("a.vpr", RIGHT);
    let output = run(&file, &["verify", program.to_str().expect("the path is text")]);
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0));
    assert!(
        complaint.contains("warning[cache.unwritten]: the solver's answers cannot be kept in "),
        "{complaint}"
    );
    assert!(complaint.contains("PROBITY_CACHE") && complaint.contains("--no-cache"), "{complaint}");
    let (value, _) = verify(&file, &program, &[]);
    assert_eq!(value["diagnostics"][0]["code"], "cache.unwritten");
    assert_eq!(value["verdict"], "holds");
}

/// Damage of a hundred kinds in the folder of one program: verdicts stay, and what is damaged is not taken.
#[test]
fn damage_is_not_believed() {
    let scratch = Scratch::new();
    let file = Path::new("examples/silver/overdraft.vpr");
    let (_, plain) = verify(&scratch.0, file, &[]);
    let books: Vec<PathBuf> = list(&scratch.0.join("answers")).iter().flat_map(|it| list(it)).collect();
    let whole: Vec<Vec<u8>> = books.iter().map(|it| std::fs::read(it).expect("it is there")).collect();
    assert!(!books.is_empty());
    let mut random = Random::new(3);
    for round in 0..if testing::is_slow_round() { 100 } else { 10 } {
        for (book, bytes) in books.iter().zip(&whole) {
            let mut bytes = bytes.clone();
            if round % 3 == 0 {
                bytes.truncate(random.below(bytes.len()));
            } else {
                let at = random.below(bytes.len());
                bytes[at] ^= 1 << random.below(8);
            }
            std::fs::write(book, bytes).expect("it can be written");
        }
        let (value, said) = verify(&scratch.0, file, &[]);
        assert_eq!((said, &value["reused"]), (plain.clone(), &Value::from(0)), "round {round}");
    }
}

fn list(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).map(|it| it.flatten().map(|it| it.path()).collect());
    entries.unwrap_or_default()
}
