//! Runs that are kept, killed and taken up again, and checkpoints that are not what they were.
//!
//! A small round is part of every test run; with `PROBITY_SLOW_TESTS` it is twenty runs of each kind that are killed, and two
//! hundred damaged checkpoints.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use testing::Random;

/// Components of some thousand states, one after another, behind each other in many ways.
const MODEL: &str = "
#ifndef P
#define P 12
#endif
#define N 23
#ifdef BAD
#define bad 1
#else
#define bad 0
#endif
byte phase, a, b, c;
active proctype A() { do :: a = (a + 1) % N od }
active proctype B() { do :: b = (b + 1) % N od }
active proctype C() { do :: c = (c + 1) % N od }
active proctype Phases() {
    do
    :: phase < P -> phase++
    :: phase == P && a == 3 && b == 16 && c == 11 -> assert(bad == 0); break
    od
}
ltl stays { <> [] (phase <= P) }
ltl answered { [] ((phase == P && a == 5 && b == 11) -> <> (a == 6)) }
ltl kept { [] (phase == 3 -> [] (phase >= 3)) }
";

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("probity-checkpoints-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("there is a folder for temporary files");
        std::fs::write(folder.join("m.pml"), MODEL).expect("it is ours");
        Folder(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_probity"));
        command.args(["check", "m.pml", "--json", "--no-trace-file"]).args(words).current_dir(&self.0);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, words: &[&str]) -> Output {
        self.command(words).output().expect("the program can be started")
    }

    /// Runs until there is a checkpoint that is at least so old, and kills it. False where the run was quicker.
    fn run_and_kill(&self, words: &[&str], after: Duration) -> bool {
        // Nobody reads what it says: a pipe that is full would hold it up at its end.
        let mut command = self.command(words);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the program can be started");
        let (start, mut kept) = (Instant::now(), None);
        loop {
            if child.try_wait().expect("it is ours").is_some() {
                return false;
            }
            if kept.is_none() && self.path("kept/checkpoint").exists() {
                kept = Some(Instant::now());
            }
            if kept.is_some_and(|kept| kept.elapsed() >= after) {
                break;
            }
            assert!(start.elapsed() < Duration::from_secs(300), "there is never a checkpoint");
            std::thread::sleep(Duration::from_millis(1));
        }
        // SIGKILL.
        child.kill().expect("it is ours");
        child.wait().expect("it is ours");
        true
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn is_slow() -> bool {
    std::env::var_os("PROBITY_SLOW_TESTS").is_some()
}

/// What must be the same in a run that was taken up: verdicts, and counts where the search came to its end.
fn results(output: &Output) -> (Option<i32>, Vec<Value>) {
    let text = String::from_utf8_lossy(&output.stdout);
    let value: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {output:?}"));
    let of = |property: &Value| {
        let mut kept = vec![property["name"].clone(), property["verdict"].clone()];
        if property["verdict"] == "holds" {
            kept.extend([property["states"].clone(), property["transitions"].clone()]);
        }
        Value::from(kept)
    };
    let properties = value["properties"].as_array().expect("there are properties").iter().map(of).collect();
    (output.status.code(), properties)
}

/// Kills a run at a random moment, takes it up, kills that, and so on for a few times; then lets it come to its end.
fn kill_and_resume(folder: &Folder, question: &[&str], workers: &[&str], random: &mut Random) -> usize {
    let expected = results(&folder.run(question));
    let _ = std::fs::remove_dir_all(folder.path("kept"));
    let mut killed = 0;
    for round in 0..1 + random.below(3) {
        let mut words = question.to_vec();
        words.extend(["--checkpoint", "kept", "--every", "0.02"]);
        words.extend(["--workers", workers[random.below(workers.len())]]);
        if round > 0 {
            words.extend(["--resume", "kept"]);
        }
        let after = Duration::from_millis(random.below(300) as u64);
        if !folder.run_and_kill(&words, after) {
            break;
        }
        killed += 1;
    }
    if killed > 0 {
        let mut words = question.to_vec();
        words.extend(["--resume", "kept", "--workers", workers[random.below(workers.len())]]);
        let output = folder.run(&words);
        assert_eq!(results(&output), expected, "{words:?} after {killed} kills: {output:?}");
    }
    killed
}

fn rounds(few: usize, many: usize) -> usize {
    if is_slow() { many } else { few }
}

#[test]
fn killed_searches_for_faults_are_taken_up() {
    let folder = Folder::new("faults");
    let questions: [&[&str]; 4] = [
        &["--safety", "--por", "off"],
        &["--safety", "--por", "off", "-DBAD"],
        &["--safety", "--por", "off", "-DBAD", "--all-errors"],
        &["--safety", "--por", "off", "-DBAD", "--shortest"],
    ];
    let (mut random, mut killed) = (Random::new(1), 0);
    for round in 0..rounds(4, 20) {
        killed +=
            usize::from(kill_and_resume(&folder, questions[round % 4], &["1", "2", "3"], &mut random) > 0);
    }
    assert!(killed >= rounds(2, 15), "{killed} runs were killed");
}

#[test]
fn killed_searches_for_cycles_are_taken_up() {
    let folder = Folder::new("cycles");
    let algorithms = ["scc", "ufscc", "ndfs", "cndfs", "renault", "lowe", "pndfs", "swarm", "auto", "weak"];
    let (mut random, mut killed) = (Random::new(2), 0);
    for round in 0..rounds(5, 20) {
        let property = ["stays", "answered", "stays", "kept"][round % 4];
        let question = ["--prop", property, "--por", "off", "--algorithm", algorithms[round % 10]];
        killed += usize::from(kill_and_resume(&folder, &question, &["1", "2", "3"], &mut random) > 0);
    }
    assert!(killed >= rounds(2, 15), "{killed} runs were killed");
}

/// All properties of a run, each with a checkpoint of its own.
#[test]
fn several_properties_are_taken_up() {
    let folder = Folder::new("several");
    let mut random = Random::new(3);
    assert!(kill_and_resume(&folder, &["--por", "off"], &["1", "4"], &mut random) > 0);
}

/// The code of the one error, and how the program ended.
fn refusal(output: &Output) -> (Option<i32>, String) {
    let text = String::from_utf8_lossy(&output.stdout);
    let value: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {output:?}"));
    let diagnostics = value["diagnostics"].as_array().expect("there are diagnostics");
    assert_eq!(diagnostics.len(), 1, "{output:?}");
    (output.status.code(), diagnostics[0]["code"].as_str().unwrap_or_default().to_string())
}

/// A folder in which a run was killed.
fn kept(name: &str) -> Folder {
    let folder = Folder::new(name);
    let words = ["--prop", "stays", "--por", "off", "--checkpoint", "kept", "--every", "0.02"];
    assert!(folder.run_and_kill(&words, Duration::from_millis(50)), "the run is long enough");
    folder
}

fn copy(from: &Path, to: &Path) {
    let _ = std::fs::remove_dir_all(to);
    std::fs::create_dir_all(to).expect("it is ours");
    for entry in std::fs::read_dir(from).expect("it is there").flatten() {
        std::fs::copy(entry.path(), to.join(entry.file_name())).expect("it is ours");
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("it is there").flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.sort();
    files
}

#[test]
fn damaged_checkpoints_are_refused() {
    let (folder, other) = (kept("damaged"), kept("damaged-too"));
    let (whole, broken) = (folder.path("whole"), folder.path("kept"));
    // A killed run may leave files behind that belong to no checkpoint.
    copy(&broken, &whole);
    let manifest = std::fs::read_to_string(whole.join("checkpoint")).expect("it is a text");
    for file in files(&whole) {
        let name = file.file_name().expect("it has one").to_string_lossy().into_owned();
        if name != "checkpoint" && !manifest.contains(&format!(" {name} ")) {
            std::fs::remove_file(file).expect("it is ours");
        }
    }
    let resume = ["--prop", "stays", "--por", "off", "--resume", "kept", "--max-states", "1"];
    let mut random = Random::new(4);
    for round in 0..rounds(40, 200) {
        copy(&whole, &broken);
        let files = files(&broken);
        let file = &files[random.below(files.len())];
        let mut bytes = std::fs::read(file).expect("it is there");
        let what = match round % 5 {
            0 | 1 => {
                let bit = random.below(8 * bytes.len());
                bytes[bit / 8] ^= 1 << (bit % 8);
                std::fs::write(file, bytes).expect("it is ours");
                format!("bit {bit} changed")
            }
            2 => {
                bytes.truncate(random.below(bytes.len()));
                std::fs::write(file, &bytes).expect("it is ours");
                format!("cut to {}", bytes.len())
            }
            3 => {
                std::fs::remove_file(file).expect("it is ours");
                "missing".to_string()
            }
            _ => {
                // The same file of another run, or a copy of another file of this one.
                let theirs = self::files(&other.path("kept"));
                let from = [&theirs[random.below(theirs.len())], &files[random.below(files.len())]];
                let from = std::fs::read(from[random.below(2)]).expect("it is there");
                let from = if from == bytes { Vec::new() } else { from };
                std::fs::write(file, from).expect("it is ours");
                "another one's".to_string()
            }
        };
        let output = folder.run(&resume);
        let (exit, code) = refusal(&output);
        // A bit of the number of the version may have changed.
        let codes =
            ["checkpoint.damaged", "checkpoint.incomplete", "checkpoint.missing", "checkpoint.version"];
        let is_refused = exit == Some(3) && codes.contains(&code.as_str());
        assert!(is_refused, "{} {what}: {output:?}", file.display());
    }
    // What was not damaged is taken up: the limit ends it.
    copy(&whole, &broken);
    assert_eq!(folder.run(&resume).status.code(), Some(2));
}

#[test]
fn checkpoints_of_something_else_are_refused() {
    let folder = kept("else");
    let resume = |words: &[&str]| refusal(&folder.run(&[&["--resume", "kept"], words].concat()));
    let same = ["--prop", "stays", "--por", "off"];
    let refused = |code: &str| (Some(3), code.to_string());
    assert_eq!(resume(&["--prop", "answered", "--por", "off"]), refused("checkpoint.property"));
    assert_eq!(resume(&["--por", "off"]), refused("checkpoint.property"));
    assert_eq!(resume(&["--prop", "stays"]), refused("checkpoint.option"));
    assert_eq!(resume(&[&same[..], &["-DP=3"]].concat()), refused("checkpoint.option"));
    assert_eq!(resume(&[&same[..], &["--algorithm", "scc"]].concat()), refused("checkpoint.option"));
    assert_eq!(resume(&[&same[..], &["--fair"]].concat()), refused("checkpoint.option"));
    std::fs::write(folder.path("m.pml"), MODEL.replace("#define N 23", "#define N 22")).expect("it is ours");
    assert_eq!(resume(&same), refused("checkpoint.model"));
    std::fs::write(folder.path("m.pml"), MODEL).expect("it is ours");
    assert_eq!(refusal(&folder.run(&["--resume", "nowhere"])), refused("checkpoint.missing"));
    let manifest = std::fs::read_to_string(folder.path("kept/checkpoint")).expect("it is there");
    let newer = manifest.replacen("checkpoint 1", "checkpoint 2", 1);
    std::fs::write(folder.path("kept/checkpoint"), newer).expect("it is ours");
    assert_eq!(resume(&same), refused("checkpoint.version"));
}

#[test]
fn what_cannot_be_kept_is_refused() {
    let folder = Folder::new("refused");
    let refused = |code: &str| (Some(3), code.to_string());
    // A file is no folder.
    let here = ["--safety", "--checkpoint", "m.pml/kept"];
    assert_eq!(refusal(&folder.run(&here)), refused("checkpoint.folder"));
    let lossy = ["--safety", "--store", "bitstate:1M", "--checkpoint", "kept"];
    assert_eq!(refusal(&folder.run(&lossy)), refused("checkpoint.unsupported"));
    let process =
        "model M { int x; modifies x; ensures x == \\old(x) + 1; action up(); process P() = up(); }";
    std::fs::write(folder.path("m.pvl"), process).expect("it is ours");
    let mut command = Command::new(env!("CARGO_BIN_EXE_probity"));
    command.args(["check", "m.pvl", "--process", "P()", "--for", "x in 0..2", "--json"]);
    command.args(["--checkpoint", "kept"]);
    let output = command.current_dir(&folder.0).output().expect("the program can be started");
    assert_eq!(refusal(&output), refused("checkpoint.unsupported"));
    let two = folder.run(&["m.pml", "--checkpoint", "kept"]);
    assert_eq!(two.status.code(), Some(3));
}

/// A disk that fills up, or a folder that goes away, does not end a run.
#[test]
fn a_checkpoint_that_cannot_be_written_is_a_warning() {
    let folder = Folder::new("full");
    let words = ["--safety", "--por", "off", "--checkpoint", "kept", "--every", "0.02"];
    let child = folder.command(&words).spawn().expect("the program can be started");
    // The folder is looked at before anything is kept: what goes away before the first checkpoint is refused.
    let start = Instant::now();
    while !folder.path("kept/checkpoint").exists() && start.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(1));
    }
    // Whatever is there by now goes away, again and again, and a file is in its place.
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(30) {
        let _ = std::fs::remove_dir_all(folder.path("kept"));
        if std::fs::write(folder.path("kept"), "").is_ok() {
            break;
        }
    }
    let output = child.wait_with_output().expect("it is ours");
    let value: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let codes: Vec<&Value> =
        value["diagnostics"].as_array().expect("a list").iter().map(|warning| &warning["code"]).collect();
    assert_eq!(codes, ["checkpoint.unwritten"], "{output:?}");
}
