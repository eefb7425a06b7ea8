//! What `probity verify` says about mistakes that people make, beside each program of `tests/messages` in a file `.txt`.
//!
//! Values of counterexamples differ between solvers and are left out. `UPDATE_EXPECT=1` writes the files anew.

use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::{Arguments, Failed, Trial};
use testing::files_below;

/// What names begin or end with that exist in the lowered program only.
const GENERATED: &[&str] = &[
    "array_",
    "option_",
    "either_",
    "tuple_",
    "_null",
    "Type_",
    "Ref#",
    "acc(",
    "decreasing(",
    "bounded(",
    ".vpr",
    "Resource#",
    "resource_1",
    "resource_kind",
    "resource_unknown",
    "_block",
    "captured",
    "$",
];

/// The same for Silver, where plugins generate names.
const GENERATED_IN_SILVER: &[&str] = &["get_", "_tag", "PI_", "PredicateInstance", "_termination_proof", "$"];

fn main() {
    let arguments = Arguments::from_args();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/messages");
    let files = files_below(&folder, &["pvl", "vpr"]);
    assert!(!files.is_empty(), "there are no programs");
    let trial = |path: PathBuf| {
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        Trial::test(name, move || check(&path))
    };
    libtest_mimic::run(&arguments, files.into_iter().map(trial).collect()).exit();
}

fn check(path: &Path) -> Result<(), Failed> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return Ok(()) };
    let output = Command::new(env!("CARGO_BIN_EXE_probity"))
        .args(["verify", "--all-errors", "--workers", "1"])
        .arg(name)
        .env("PROBITY_CACHE", "")
        .current_dir(folder)
        .output()
        .map_err(|error| format!("the program cannot be started: {error}"))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    let text = format!("{errors}{}", String::from_utf8_lossy(&output.stdout));
    let is_silver = path.extension().is_some_and(|extension| extension == "vpr");
    let generated = if is_silver { GENERATED_IN_SILVER } else { GENERATED };
    if let Some(word) = generated.iter().find(|word| text.contains(**word)) {
        return Err(format!("`{word}` is a word of the Silver that nobody wrote:\n{text}").into());
    }
    let found = without_values(&text);
    let expected_path = path.with_extension("txt");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&expected_path, &found).map_err(|error| error.to_string())?;
        return Ok(());
    }
    let expected = std::fs::read_to_string(&expected_path).unwrap_or_default();
    if found == expected {
        return Ok(());
    }
    Err(format!("expected\n{expected}\nfound\n{found}").into())
}

/// The text without the values of counterexamples, and without time and number of queries.
fn without_values(text: &str) -> String {
    let mut result = String::new();
    let mut is_value = false;
    for line in text.lines() {
        if line.contains("= note: it fails for") {
            is_value = true;
            continue;
        }
        is_value &= line.starts_with("          ");
        if is_value {
            continue;
        }
        let line = if line.ends_with(" queries)") {
            line.rsplit_once("  (").map_or(line, |(line, _)| line)
        } else {
            line
        };
        result.push_str(line.trim_end());
        result.push('\n');
    }
    result
}
