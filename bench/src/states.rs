//! What a stored state costs, beside SPIN: bytes of the tables, and processor time, on models of half a million states and more.
//!
//! The families are in `bench/states`; most have no channels and few small variables, where SPIN is at its best. The same
//! question is asked as elsewhere: the whole state space, no reduction, one worker.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use crate::json;
use crate::measure::Workplace;
use crate::models::redefine;
use crate::spin::{self, Searched};

pub(crate) const USAGE: &str = "\
usage: bench states [--probity BINARY] [--spin-examples PATH] [--models a,b,…] [--runs N] [--workers N]

  --probity BINARY      the program to measure; by default the release build of this workspace
  --spin-examples PATH  a checkout of SPIN, or its Examples folder, for three of its models
  --models a,b          only these models
  --runs N              measure N times and keep the best of each figure [default: 3]
  --workers N           the wall-clock time with N workers as well, beside that with one and SPIN's";

/// The goals: bytes of the tables for a state, in the median and at most; speed in units of SPIN's, in the median and at least.
const BYTES: (f64, f64) = (12.0, 16.0);
const SPEED: (f64, f64) = (1.2, 0.9);

/// Families that are written here.
const HERE: [&str; 12] = [
    "bakery",
    "buffers",
    "clocks",
    "counters",
    "election",
    "elevators",
    "filter",
    "fischer",
    "pairs",
    "philosophers",
    "szymanski",
    "window",
];

/// A name and a new text.
type Definition = (&'static str, &'static str);

/// Models of SPIN, with their place below `Examples` and a definition to change.
const OF_SPIN: [(&str, &str, Option<Definition>); 3] = [
    ("leader", "LTL/leader.pml", None),
    ("cambridge", "cambridge.pml", None),
    ("petersonN", "LTL/petersonN.pml", Some(("N", "4"))),
];

struct Arguments {
    probity: Option<PathBuf>,
    examples: Option<PathBuf>,
    models: Vec<String>,
    runs: u32,
    workers: Option<u32>,
}

fn parse(mut words: impl Iterator<Item = String>) -> Result<Option<Arguments>, String> {
    let mut arguments =
        Arguments { probity: None, examples: None, models: Vec::new(), runs: 3, workers: None };
    while let Some(word) = words.next() {
        if word == "--help" || word == "-h" {
            return Ok(None);
        }
        let value = words.next().ok_or_else(|| format!("`{word}` needs a value, or is not known"))?;
        match word.as_str() {
            "--probity" => arguments.probity = Some(PathBuf::from(value)),
            "--spin-examples" => arguments.examples = Some(PathBuf::from(value)),
            "--models" => arguments.models.extend(value.split(',').map(str::to_string)),
            "--runs" => {
                let runs = value.parse().ok().filter(|runs| (1..=100).contains(runs));
                arguments.runs = runs.ok_or("--runs takes 1 to 100")?;
            }
            "--workers" => {
                let workers = value.parse().ok().filter(|workers| (2..=64).contains(workers));
                arguments.workers = Some(workers.ok_or("--workers takes 2 to 64")?);
            }
            _ => return Err(format!("`{word}` is not known")),
        }
    }
    Ok(Some(arguments))
}

/// A model's name and text.
type Text = (&'static str, String);

fn texts(arguments: &Arguments) -> Result<Vec<Text>, String> {
    let read = |path: &Path| {
        let bytes =
            std::fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        Ok::<String, String>(String::from_utf8_lossy(&bytes).into_owned())
    };
    let is_wanted =
        |name: &str| arguments.models.is_empty() || arguments.models.iter().any(|model| model == name);
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("states");
    let mut texts = Vec::new();
    for name in HERE.into_iter().filter(|name| is_wanted(name)) {
        texts.push((name, read(&here.join(name).with_extension("pml"))?));
    }
    if let Some(given) = &arguments.examples {
        let inner = given.join("Examples");
        let examples = if inner.is_dir() { inner } else { given.clone() };
        for (name, path, define) in OF_SPIN.into_iter().filter(|(name, _, _)| is_wanted(name)) {
            let text = read(&examples.join(path))?;
            let text = match define {
                Some((name, value)) => redefine(&text, name, value).ok_or(format!("{path} has no {name}"))?,
                None => text,
            };
            texts.push((name, text));
        }
    }
    if let Some(unknown) = arguments.models.iter().find(|name| !texts.iter().any(|(known, _)| known == *name))
    {
        return Err(format!("there is no model `{unknown}`"));
    }
    Ok(texts)
}

/// One model, searched by both.
struct Row {
    spin: Searched,
    probity: Searched,
    shared: Option<Shared>,
}

/// Wall-clock times, from the start of the program to its end.
#[derive(Clone, Copy)]
struct Shared {
    one: f64,
    several: f64,
}

impl Row {
    fn bytes(&self) -> f64 {
        self.probity.memory_bytes as f64 / self.probity.states.max(1) as f64
    }

    fn speed(&self) -> f64 {
        let rate = |found: &Searched| found.states as f64 / found.search_seconds.max(0.01);
        rate(&self.probity) / rate(&self.spin)
    }
}

/// Searches with Probity; the bytes are those that its tables held, as they count themselves, stack included.
fn explore(place: &Workplace, program: &Path, model: &Path, runs: u32) -> Result<Searched, String> {
    let model = model.to_string_lossy();
    let words = "check --safety --all-errors --por off --workers 1 --json --no-trace-file".split_whitespace();
    let words: Vec<&str> = words.chain([&*model]).collect();
    let (cost, said) = place.measured(&program.to_string_lossy(), &words, runs)?;
    let number = |name: &str| json::number(&said, name).ok_or_else(|| format!("probity: {said}"));
    Ok(Searched {
        states: number("states")? as u64,
        search_seconds: cost.user_seconds,
        total_seconds: cost.seconds(),
        memory_bytes: number("store_bytes")? as u64,
    })
}

/// The time with one and with several workers.
fn share(program: &Path, model: &Path, workers: u32, runs: u32) -> Result<Shared, String> {
    let time = |workers: u32| {
        let mut best = f64::INFINITY;
        for _ in 0..runs {
            let mut command = Command::new(program);
            command.args([
                "check",
                "--safety",
                "--all-errors",
                "--por",
                "off",
                "--no-trace-file",
                "--workers",
            ]);
            let started = Instant::now();
            let output = command.arg(workers.to_string()).arg(model).output();
            output.map_err(|error| format!("probity: {error}"))?;
            best = started.elapsed().as_secs_f64().min(best);
        }
        Ok::<f64, String>(best)
    };
    Ok(Shared { one: time(1)?, several: time(workers)? })
}

/// The second table: how much is gained by several workers, and how far SPIN is behind them.
fn print_shared(rows: &[(&str, Row)], workers: u32) {
    println!();
    println!(
        "| model | 1 worker, s | {workers} workers, s | gain | SPIN's search by that | SPIN from the source by that |"
    );
    println!("|---|---:|---:|---:|---:|---:|");
    let mut ratios: [Vec<f64>; 3] = Default::default();
    for (name, row) in rows {
        let Some(Shared { one, several }) = row.shared else { continue };
        let all = [one, row.spin.search_seconds, row.spin.total_seconds].map(|seconds| seconds / several);
        println!("| {name} | {one:.2} | {several:.2} | {:.2} | {:.2} | {:.2} |", all[0], all[1], all[2]);
        ratios.iter_mut().zip(all).for_each(|(ratios, ratio)| ratios.push(ratio));
    }
    println!();
    let goals = [("gain", 1.7), ("SPIN's search", 2.0), ("SPIN from the source", 3.0)];
    for ((what, goal), ratios) in goals.into_iter().zip(ratios) {
        if !ratios.is_empty() {
            let median = middle(&sorted(ratios.into_iter()));
            let met = if median >= goal { "met" } else { "NOT MET" };
            println!("- {what}, median: {median:.2} (goal: at least {goal}): {met}");
        }
    }
}

/// Whether everything agreed; nothing where help was asked for.
pub(crate) fn run(words: impl Iterator<Item = String>) -> Result<Option<bool>, String> {
    let Some(arguments) = parse(words)? else { return Ok(None) };
    let texts = texts(&arguments)?;
    let program = crate::probity::program(arguments.probity.as_deref())?;
    let place = Workplace::new()?;
    println!(
        "| model | states | SPIN states/s | Probity states/s | ratio | SPIN B/state | tables, B/state |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|");
    let mut rows = Vec::new();
    let mut agreed = true;
    for (name, text) in texts {
        let model = place.write("model.pml", &text)?;
        let spin = spin::run(&place, &model, arguments.runs)?;
        let probity = explore(&place, &program, &model, arguments.runs)?;
        let shared = arguments.workers.map(|workers| share(&program, &model, workers, arguments.runs));
        let row = Row { spin, probity, shared: shared.transpose()? };
        let rate = |found: &Searched| found.states as f64 / found.search_seconds.max(0.01);
        println!(
            "| {name} | {} | {:.0} | {:.0} | {:.2} | {:.1} | {:.1} |",
            probity.states,
            rate(&spin),
            rate(&probity),
            row.speed(),
            spin.memory_bytes as f64 / spin.states.max(1) as f64,
            row.bytes()
        );
        if spin.states != probity.states {
            println!("differs: SPIN stored {} states", spin.states);
            agreed = false;
        }
        rows.push((name, row));
    }
    print_goals(&rows);
    if let Some(workers) = arguments.workers {
        print_shared(&rows, workers);
    }
    Ok(Some(agreed))
}

fn print_goals(rows: &[(&str, Row)]) {
    println!();
    let mark = |met: bool| if met { "met" } else { "NOT MET" };
    let bytes = sorted(rows.iter().map(|(_, row)| row.bytes()));
    let speed = sorted(rows.iter().map(|(_, row)| row.speed()));
    if let (Some(most), Some(least)) = (bytes.last(), speed.first()) {
        let (bytes, speed) = (middle(&bytes), middle(&speed));
        println!(
            "- bytes a state, median: {bytes:.1} (goal: at most {}): {}",
            BYTES.0,
            mark(bytes <= BYTES.0)
        );
        println!("- bytes a state, most: {most:.1} (goal: at most {}): {}", BYTES.1, mark(*most <= BYTES.1));
        println!(
            "- speed, median of the ratios: {speed:.2} (goal: at least {}): {}",
            SPEED.0,
            mark(speed >= SPEED.0)
        );
        println!(
            "- speed, smallest ratio: {least:.2} (goal: at least {}): {}",
            SPEED.1,
            mark(*least >= SPEED.1)
        );
    }
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values
}

/// The median of sorted values, of which there is one at least.
fn middle(sorted: &[f64]) -> f64 {
    (sorted[(sorted.len() - 1) / 2] + sorted[sorted.len() / 2]) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_between_the_middle_values() {
        assert_eq!(middle(&sorted([3.0, 1.0, 2.0].into_iter())), 2.0);
        assert_eq!(middle(&sorted([4.0, 1.0, 2.0, 3.0].into_iter())), 2.5);
    }

    #[test]
    fn every_family_has_its_file_and_no_file_is_left_out() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("states");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .expect("the folder")
            .map(|entry| entry.expect("a file").file_name().to_string_lossy().replace(".pml", ""))
            .collect();
        files.sort();
        assert_eq!(files, HERE);
    }

    #[test]
    fn models_are_named() {
        let parsed = |words: &[&str]| parse(words.iter().map(|word| (*word).to_string()));
        assert!(parsed(&["--runs", "0"]).is_err());
        assert!(matches!(parsed(&["--help"]), Ok(None)));
        let unknown = parsed(&["--models", "nothing"]).ok().flatten().expect("arguments");
        assert!(texts(&unknown).is_err());
    }
}
