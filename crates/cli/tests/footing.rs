//! What verdicts rest on: each program of `tests/corpus/footing`, with a file `NAME.txt` beside it that says for each member
//! what is said about it, why there is no verdict, and what is taken for granted.
//!
//! A comment `// flags: …` in the first line adds arguments. `UPDATE_EXPECT=1` writes the files anew.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;
use testing::files_below;

fn main() {
    let arguments = Arguments::from_args();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/footing");
    let files = files_below(&folder, &["pvl", "vpr"]);
    assert!(!files.is_empty(), "there are no programs");
    let trial = |path: PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        Trial::test(name, move || check(&path))
    };
    libtest_mimic::run(&arguments, files.into_iter().map(trial).collect()).exit();
}

fn check(path: &Path) -> Result<(), Failed> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return Ok(()) };
    let program = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let flags = program.lines().next().and_then(|line| line.strip_prefix("// flags: ")).unwrap_or_default();
    let output = Command::new(env!("CARGO_BIN_EXE_probity"))
        .args(["verify", "--json", "--workers", "1"])
        .args(flags.split_whitespace())
        .arg(name)
        .env("PROBITY_CACHE", "")
        .current_dir(folder)
        .output()
        .map_err(|error| format!("the program cannot be started: {error}"))?;
    let printed = String::from_utf8_lossy(&output.stdout);
    let value: Value = serde_json::from_str(&printed).map_err(|error| format!("{error}: {printed}"))?;
    let text = summary(&value);
    let expected = path.with_file_name(format!("{}.txt", name.to_string_lossy()));
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&expected, text).map_err(|error| error.to_string())?;
        return Ok(());
    }
    let expected = std::fs::read_to_string(&expected).unwrap_or_default();
    if expected == text { Ok(()) } else { Err(format!("expected:\n{expected}\nfound:\n{text}").into()) }
}

/// One line for each member, and one for each thing that it rests on.
fn summary(value: &Value) -> String {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let word = |value: &Value| value.as_str().unwrap_or("?").to_string();
    let mut text = format!("{}\n", word(&value["verdict"]));
    for diagnostic in list(&value["diagnostics"]) {
        let (severity, code) = (word(&diagnostic["severity"]), word(&diagnostic["code"]));
        let _ = writeln!(text, "line {}: {severity} {code}", diagnostic["line"]);
    }
    for member in list(&value["members"]) {
        let (kind, name, verdict) = (word(&member["kind"]), word(&member["name"]), word(&member["verdict"]));
        let _ = write!(text, "{kind} {name}: {verdict}");
        if let Some(reason) = member["reason"].as_str() {
            // Where a proof got stuck depends on the solver.
            let _ = write!(text, ", {}", reason.split(", at ").next().unwrap_or(reason));
        }
        text.push('\n');
        for failure in list(&member["failures"]) {
            let _ = writeln!(text, "    line {}: {}", failure["line"], word(&failure["code"]));
        }
        for item in list(&member["assumptions"]) {
            let (kind, name) = (word(&item["kind"]), word(&item["name"]));
            let _ = writeln!(text, "    rests on line {}: {kind} {name}", item["line"]);
        }
    }
    text
}
