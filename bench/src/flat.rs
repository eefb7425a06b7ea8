//! Whether a state costs the same in a small search and in a large one: two families, from one to forty million states.
//!
//! Wall-clock time of the searches alone, with one worker, so the machine is to be idle. What grows is what tables cost that
//! no longer fit into the processor's caches.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::measure::Workplace;
use crate::models::redefine;
use crate::probity;

pub(crate) const USAGE: &str = "\
usage: bench flat [--probity BINARY] [--runs N]

  --probity BINARY      the program to measure; by default the release build of this workspace
  --runs N              measure N times and keep the best time [default: 2]";

/// The families in `bench/searches`, each with its sizes: about 1, 5, 17 and 41 million states.
const FAMILIES: [(&str, [u32; 4]); 2] = [("wheels", [32, 48, 64, 80]), ("stairs", [31, 46, 63, 79])];

/// The goals: how much time and bytes of a state may grow from the first size to the last.
const TIME: f64 = 1.25;
const BYTES: f64 = 1.10;

fn parse(mut words: impl Iterator<Item = String>) -> Result<Option<(PathBuf, u32)>, String> {
    let (mut path, mut runs) = (None, 2);
    while let Some(word) = words.next() {
        if word == "--help" || word == "-h" {
            return Ok(None);
        }
        let value = words.next().ok_or_else(|| format!("`{word}` needs a value, or is not known"))?;
        match word.as_str() {
            "--probity" => path = Some(PathBuf::from(value)),
            "--runs" => {
                let given = value.parse().ok().filter(|runs| (1..=100).contains(runs));
                runs = given.ok_or("--runs takes 1 to 100")?;
            }
            _ => return Err(format!("`{word}` is not known")),
        }
    }
    Ok(Some((probity::program(path.as_deref())?, runs)))
}

/// What a state costs, of so many.
struct Cost {
    states: u64,
    nanoseconds: f64,
    bytes: f64,
}

fn measure(program: &Path, model: &Path, runs: u32) -> Result<Cost, String> {
    let mut best: Option<Cost> = None;
    for _ in 0..runs {
        let mut command = Command::new(program);
        let words = "check --safety --por off --workers 1 --json --no-trace-file".split_whitespace();
        let output = command.args(words).arg(model).output().map_err(|error| error.to_string())?;
        let value: Value =
            serde_json::from_slice(&output.stdout).map_err(|error| format!("probity: {error}"))?;
        let property = &value["properties"][0];
        if property["verdict"] != "holds" {
            return Err(format!("the verdict is {}", property["verdict"]));
        }
        let states = property["states"].as_u64().unwrap_or(0);
        let seconds = value["seconds"].as_f64().unwrap_or(f64::NAN);
        let bytes = value["store_bytes"].as_u64().unwrap_or(0) as f64;
        let by_states = |figure: f64| figure / states.max(1) as f64;
        let cost = Cost { states, nanoseconds: by_states(seconds * 1e9), bytes: by_states(bytes) };
        if best.as_ref().is_none_or(|best| cost.nanoseconds < best.nanoseconds) {
            best = Some(cost);
        }
    }
    best.ok_or_else(|| "nothing was measured".to_string())
}

/// Whether everything went well; nothing where help was asked for.
pub(crate) fn run(words: impl Iterator<Item = String>) -> Result<Option<bool>, String> {
    let Some((program, runs)) = parse(words)? else { return Ok(None) };
    let place = Workplace::new()?;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("searches");
    println!("| family | states | ns/state | tables, B/state |");
    println!("|---|---:|---:|---:|");
    let mut sentences = Vec::new();
    for (name, sizes) in FAMILIES {
        let path = folder.join(name).with_extension("pml");
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let mut costs = Vec::new();
        for size in sizes {
            let text = redefine(&text, "K", &size.to_string()).ok_or("the model has no size")?;
            let cost = measure(&program, &place.write("model.pml", &text)?, runs)?;
            println!(
                "| {name}, K = {size} | {} | {:.0} | {:.1} |",
                cost.states, cost.nanoseconds, cost.bytes
            );
            costs.push(cost);
        }
        if let [first, .., last] = costs.as_slice() {
            for (what, grown, goal) in [
                ("time", last.nanoseconds / first.nanoseconds, TIME),
                ("bytes", last.bytes / first.bytes, BYTES),
            ] {
                let met = if grown <= goal { "met" } else { "NOT MET" };
                sentences.push(format!("- {name}, {what} of a state, {} million states by {} million: {grown:.2} (goal: at most {goal}): {met}", last.states / 1_000_000, first.states / 1_000_000));
            }
        }
    }
    println!();
    sentences.iter().for_each(|sentence| println!("{sentence}"));
    Ok(Some(true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_read() {
        let parsed = |words: &[&str]| parse(words.iter().map(|word| (*word).to_string()));
        assert!(matches!(parsed(&["--help"]), Ok(None)));
        assert!(parsed(&["--runs", "0"]).is_err());
        assert!(matches!(parsed(&["--runs", "3", "--probity", "/bin/sh"]), Ok(Some((_, 3)))));
    }
}
