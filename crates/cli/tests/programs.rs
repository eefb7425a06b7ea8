//! Every PVL program of `examples/pvl`, `examples/models` and `tests/corpus/pvl`, verified and judged by the comments in it, and put into
//! Silver that can be read again.
//!
//! Failures that a program announces by `[/expect code] … [/end]` are the verifier's business: it reports only those
//! that are missing or too many. Everything else that is reported must be announced by a comment `//:: code` in front
//! of its line, warnings by `//:: warning code`, and a member without a verdict by `//:: unknown`. Files in a folder
//! `old` are read in the old dialect. The programs in the text of `docs/pvl.md` are judged in the same way.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;
use testing::files_below;

fn main() {
    let arguments = Arguments::from_args();
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut trials = Vec::new();
    for folder in ["examples/pvl", "examples/models", "tests/corpus/pvl"] {
        for file in files_below(&workspace.join(folder), &["pvl"]) {
            let file = file.strip_prefix(&workspace).map_or(file.clone(), Path::to_path_buf);
            let (workspace, name) = (workspace.clone(), file.display().to_string());
            let for_silver = (workspace.clone(), file.clone());
            trials.push(Trial::test(format!("verify {name}"), move || verify(&workspace, &file)));
            trials.push(Trial::test(format!("silver {name}"), move || silver(&for_silver.0, &for_silver.1)));
        }
    }
    for file in programs_of_the_guide(&workspace) {
        let (workspace, name) = (workspace.clone(), file.display().to_string());
        let name = name.rsplit("docs-").next().unwrap_or(&name).to_string();
        trials.push(Trial::test(format!("verify docs/pvl.md {name}"), move || verify(&workspace, &file)));
    }
    libtest_mimic::run(&arguments, trials).exit();
}

/// The blocks of the guide as files, named by their lines.
fn programs_of_the_guide(workspace: &Path) -> Vec<PathBuf> {
    let text = std::fs::read_to_string(workspace.join("docs/pvl.md")).unwrap_or_default();
    let folder = std::env::temp_dir().join(format!("probity-{}-guide", std::process::id()));
    let _ = std::fs::create_dir_all(folder.join("old"));
    let mut files = Vec::new();
    let mut block: Option<(PathBuf, String)> = None;
    for (index, line) in text.lines().enumerate() {
        match (line, &mut block) {
            ("```pvl" | "```pvl dialect 1", None) => {
                let folder = if line == "```pvl" { folder.clone() } else { folder.join("old") };
                block = Some((folder.join(format!("docs-{}.pvl", index + 1)), String::new()));
            }
            ("```", Some(_)) => {
                if let Some((path, text)) = block.take()
                    && std::fs::write(&path, text).is_ok()
                {
                    files.push(path);
                }
            }
            (line, Some((_, text))) => {
                text.push_str(line);
                text.push('\n');
            }
            _ => {}
        }
    }
    assert!(!files.is_empty(), "there are no programs in docs/pvl.md");
    files
}

fn probity(workspace: &Path, words: &[&str], file: &Path) -> Result<Output, Failed> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_probity"));
    command.args(words).arg(file).env("PROBITY_CACHE", "").current_dir(workspace);
    if file.components().any(|part| part.as_os_str() == "old") {
        command.args(["--dialect", "1"]);
    }
    command.output().map_err(|error| format!("the program cannot be started: {error}").into())
}

fn verify(workspace: &Path, file: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(workspace.join(file)).map_err(|error| error.to_string())?;
    let output = probity(workspace, &["verify", "--json", "--no-counterexamples", "--workers", "1"], file)?;
    let printed = String::from_utf8_lossy(&output.stdout);
    let value: Value = serde_json::from_str(&printed)
        .map_err(|error| format!("{error}: {printed}{}", String::from_utf8_lossy(&output.stderr)))?;
    let expected = expectations(&text);
    let found = reports(&value);
    let is_clean = expected.iter().all(|(_, code)| code.starts_with("warning "));
    if found != expected {
        return Err(format!("expected {expected:?}, found {found:?}\n{value:#}").into());
    }
    if is_clean && value["verdict"] != "holds" {
        return Err(format!("the verdict is {}, but nothing is reported\n{value:#}", value["verdict"]).into());
    }
    Ok(())
}

/// Lines and codes that are announced outside of regions.
fn expectations(text: &str) -> Vec<(u64, String)> {
    let mut pending: Vec<String> = Vec::new();
    let mut expected = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if let Some(code) = line.strip_prefix("//:: ") {
            pending.push(code.to_string());
        } else if !line.starts_with("//") {
            expected.extend(pending.drain(..).map(|code| (index as u64 + 1, code)));
        }
    }
    expected.sort();
    expected
}

/// Lines and codes of everything that was reported, and members without a verdict.
fn reports(value: &Value) -> Vec<(u64, String)> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let key = |report: &Value| {
        let code = report["code"].as_str().unwrap_or("?");
        let is_warning = report["severity"] == "warning";
        let code = if is_warning { format!("warning {code}") } else { code.to_string() };
        (report["line"].as_u64().unwrap_or(0), code)
    };
    let mut found: Vec<(u64, String)> = list(&value["diagnostics"]).iter().map(key).collect();
    for member in list(&value["members"]) {
        found.extend(list(&member["failures"]).iter().map(key));
        if member["verdict"] == "unknown" {
            found.push((member["line"].as_u64().unwrap_or(0), "unknown".to_string()));
        }
    }
    found.sort();
    found
}

fn silver(workspace: &Path, file: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(workspace.join(file)).map_err(|error| error.to_string())?;
    let output = probity(workspace, &["print", "--silver"], file)?;
    if expectations(&text).iter().any(|(_, code)| !code.starts_with("warning ")) && !output.status.success() {
        // Nothing to print: the program is announced to be wrong.
        return Ok(());
    }
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    let name = file.display().to_string().replace(['/', '\\'], "-");
    let printed = std::env::temp_dir().join(format!("probity-{}-{name}.vpr", std::process::id()));
    std::fs::write(&printed, &output.stdout).map_err(|error| error.to_string())?;
    let again = probity(workspace, &["print"], &printed);
    let _ = std::fs::remove_file(&printed);
    let again = again?;
    if again.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&again.stderr).into()) }
}
