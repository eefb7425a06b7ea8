//! Probity: one program from the source to the verdict.

use std::path::{Path, PathBuf};

use crate::arguments::Arguments;
use crate::json;
use crate::measure::Workplace;
use crate::spin::Searched;

/// The program to measure.
pub(crate) fn find(arguments: &Arguments) -> Result<PathBuf, String> {
    program(arguments.probity.as_deref())
}

/// The program of this path, or the one that was built here.
pub(crate) fn program(path: Option<&Path>) -> Result<PathBuf, String> {
    let path = match path {
        Some(path) => path.to_path_buf(),
        None => {
            let target = std::env::var_os("CARGO_TARGET_DIR")
                .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../target"), PathBuf::from);
            target.join("release/probity")
        }
    };
    path.canonicalize().map_err(|_| {
        format!("there is no {}: `cargo build --release -p probity`, or give --probity", path.display())
    })
}

pub(crate) fn run(place: &Workplace, program: &Path, model: &Path, runs: u32) -> Result<Searched, String> {
    let model = model.to_string_lossy();
    let words = [
        "check",
        &*model,
        "--safety",
        "--all-errors",
        "--por",
        "off",
        "--workers",
        "1",
        "--json",
        "--no-trace-file",
    ];
    searched(place, program, &words, runs)
}

/// One search, by the words of its command; they must ask for JSON.
pub(crate) fn searched(
    place: &Workplace,
    program: &Path,
    words: &[&str],
    runs: u32,
) -> Result<Searched, String> {
    let (cost, said) = place.measured(&program.to_string_lossy(), words, runs)?;
    let states = json::number(&said, "states").ok_or_else(|| format!("probity: {said}"))?;
    Ok(Searched {
        states: states as u64,
        search_seconds: cost.user_seconds,
        total_seconds: cost.seconds(),
        memory_bytes: cost.peak_bytes,
    })
}
