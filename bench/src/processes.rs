//! Processes of PVL models beside Promela twins: models that are written twice, with the same states.
//!
//! The twins keep every process at one place with counters, so that their states are those of the terms.

use std::path::{Path, PathBuf};

use crate::measure::Workplace;
use crate::models::redefine;
use crate::probity;
use crate::spin::{self, Searched};
use crate::table::{self, Row};

pub(crate) const USAGE: &str = "\
usage: bench processes [--probity BINARY] [--models a,b,…] [--runs N]

  --probity BINARY      the program to measure; by default the release build of this workspace
  --models a,b          only these models
  --runs N              measure N times and keep the best of each figure [default: 3]";

/// A model that is written twice.
struct Twins {
    name: &'static str,
    /// Below the workspace.
    process_file: &'static str,
    promela_file: &'static str,
    /// What `N` is in the Promela twin.
    size: &'static str,
    process: &'static str,
    values: &'static str,
}

const TWINS: [Twins; 5] = [
    Twins {
        name: "election, 7 workers",
        process_file: "examples/models/election.pvl",
        promela_file: "bench/processes/election.pml",
        size: "7",
        process: "ParElect(vs)",
        values: "vs in {[0, 1, 2, 3, 4, 5, 6]}",
    },
    Twins {
        name: "election, 8 workers",
        process_file: "examples/models/election.pvl",
        promela_file: "bench/processes/election.pml",
        size: "8",
        process: "ParElect(vs)",
        values: "vs in {[0, 1, 2, 3, 4, 5, 6, 7]}",
    },
    Twins {
        name: "buffer",
        process_file: "bench/processes/buffer.pvl",
        promela_file: "bench/processes/buffer.pml",
        size: "54",
        process: "All(n)",
        values: "n in {54}",
    },
    Twins {
        name: "counters",
        process_file: "bench/processes/counters.pvl",
        promela_file: "bench/processes/counters.pml",
        size: "24",
        process: "All(n)",
        values: "n in {24}",
    },
    Twins {
        name: "counters in a sequence",
        process_file: "bench/processes/counters-in-a-sequence.pvl",
        promela_file: "bench/processes/counters.pml",
        size: "24",
        process: "All(n)",
        values: "n in {24}",
    },
];

/// The least speed on any model, in units of SPIN's.
const SPEED: f64 = 0.5;
/// The most bytes for a state.
const BYTES: f64 = 64.0;
/// The time to a verdict counts below so many states.
const SOON: u64 = 1_000_000;

struct Arguments {
    probity: Option<PathBuf>,
    models: Vec<String>,
    runs: u32,
}

fn parse(mut words: impl Iterator<Item = String>) -> Result<Option<Arguments>, String> {
    let mut arguments = Arguments { probity: None, models: Vec::new(), runs: 3 };
    while let Some(word) = words.next() {
        if word == "--help" || word == "-h" {
            return Ok(None);
        }
        let value = words.next().ok_or_else(|| format!("`{word}` needs a value, or is not known"))?;
        match word.as_str() {
            "--probity" => arguments.probity = Some(PathBuf::from(value)),
            "--models" => arguments.models.extend(value.split(',').map(str::to_string)),
            "--runs" => {
                let runs = value.parse().ok().filter(|runs| (1..=100).contains(runs));
                arguments.runs = runs.ok_or("--runs takes 1 to 100")?;
            }
            _ => return Err(format!("`{word}` is not known")),
        }
    }
    Ok(Some(arguments))
}

/// Whether everything agreed; nothing where help was asked for.
pub(crate) fn run(words: impl Iterator<Item = String>) -> Result<Option<bool>, String> {
    let Some(arguments) = parse(words)? else { return Ok(None) };
    if let Some(unknown) = arguments.models.iter().find(|name| !TWINS.iter().any(|it| it.name == **name)) {
        return Err(format!("there is no model `{unknown}`"));
    }
    let program = probity::program(arguments.probity.as_deref())?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let place = Workplace::new()?;
    let empty = place.write("model.pml", "init { skip }\n")?;
    let spin_base = spin::run(&place, &empty, arguments.runs)?.memory_bytes;
    let nothing = place.write(
        "nothing.pvl",
        "model M { int x; process P() = empty; requires x == 0; process Q() = empty; }\n",
    )?;
    let probity_base = explore(&place, &program, (&nothing, "Q()", "x in {0}"), arguments.runs)?.memory_bytes;
    println!("{}", table::HEAD);
    let mut agreed = true;
    let mut sentences = Vec::new();
    for twins in &TWINS {
        if !arguments.models.is_empty() && !arguments.models.iter().any(|name| name == twins.name) {
            continue;
        }
        let path = root.join(twins.promela_file);
        let text = std::fs::read_to_string(&path)
            .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        let text = redefine(&text, "N", twins.size)
            .ok_or_else(|| format!("{} has no `#define N`", twins.promela_file))?;
        let promela = place.write("model.pml", &text)?;
        let process = root.join(twins.process_file);
        let process = process.canonicalize().map_err(|error| format!("{}: {error}", process.display()))?;
        let spin = spin::run(&place, &promela, arguments.runs)?;
        let asked = (process.as_path(), twins.process, twins.values);
        let probity = explore(&place, &program, asked, arguments.runs)?;
        let row = Row::new(twins.name, spin, probity, (spin_base, probity_base));
        println!("{}", row.line());
        agreed &= row.agrees();
        sentences.push(judged(&row, &probity, probity_base));
    }
    println!();
    for sentence in sentences {
        println!("{sentence}");
    }
    Ok(Some(agreed))
}

/// One search of a process.
fn explore(
    place: &Workplace,
    program: &Path,
    (file, process, values): (&Path, &str, &str),
    runs: u32,
) -> Result<Searched, String> {
    let file = file.to_string_lossy();
    let words = [
        "check",
        "--workers",
        "1",
        &*file,
        "--process",
        process,
        "--for",
        values,
        "--safety",
        "--all-errors",
        "--json",
        "--no-trace-file",
    ];
    probity::searched(place, program, &words, runs)
}

/// What a row says of the goals.
fn judged(row: &Row, probity: &Searched, base: u64) -> String {
    let bytes = probity.memory_bytes.saturating_sub(base) as f64 / probity.states.max(1) as f64;
    let mark = |met: bool| if met { "met" } else { "NOT MET" };
    let speed = row.speed().map_or("too short to rate".to_string(), |speed| {
        format!("speed {speed:.2} of SPIN's (goal: {SPEED}): {}", mark(speed >= SPEED))
    });
    let time = match probity.states < SOON {
        true => format!("time {:.2} of SPIN's (goal: below 1): {}", row.time(), mark(row.time() < 1.0)),
        false => format!("time {:.2} of SPIN's", row.time()),
    };
    format!(
        "- {}: {speed}; {time}; {bytes:.1} bytes a state (goal: {BYTES}): {}",
        row.name(),
        mark(bytes <= BYTES)
    )
}
