//! The searches beside each other: all algorithms, numbers of workers, stores and reductions, on the same models.
//!
//! Everything is taken from the JSON of a run, wall-clock time included, so other work on the machine decides as well: it is
//! to be idle. What must agree does: verdicts, and numbers of states of whole searches in exact stores. How long it takes to find
//! a violation is a matter of luck for several workers, so it has tables of its own, with medians.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::models::redefine;
use crate::plot::{self, Column, Row};
use crate::probity;

pub(crate) const USAGE: &str = "\
usage: bench searches [--probity BINARY] [--size K] [--workers 1,2,…] [--runs N]

  --probity BINARY      the program to measure; by default the release build of this workspace
  --size K              of the two families in bench/searches: K^4 states and more [default: 20]
  --workers 1,2         with how many workers [default: 1,2]
  --runs N              measure N times and keep the best time [default: 3]
  --plots FOLDER        write a plot for each family there as well (SVG)";

struct Arguments {
    program: PathBuf,
    size: u32,
    workers: Vec<u32>,
    runs: u32,
    plots: Option<PathBuf>,
}

fn parse(mut words: impl Iterator<Item = String>) -> Result<Option<Arguments>, String> {
    let (mut path, mut plots, mut size, mut workers, mut runs) = (None, None, 20, vec![1, 2], 3);
    while let Some(word) = words.next() {
        if word == "--help" || word == "-h" {
            return Ok(None);
        }
        let value = words.next().ok_or_else(|| format!("`{word}` needs a value, or is not known"))?;
        let number = |text: &str, most: u32| {
            let number = text.parse().ok().filter(|number| (1..=most).contains(number));
            number.ok_or_else(|| format!("{word} takes numbers from 1 to {most}"))
        };
        match word.as_str() {
            "--probity" => path = Some(PathBuf::from(value)),
            "--plots" => plots = Some(PathBuf::from(value)),
            "--size" => size = number(&value, 100)?,
            "--workers" => {
                workers = value.split(',').map(|text| number(text, 64)).collect::<Result<_, _>>()?;
            }
            "--runs" => runs = number(&value, 100)?,
            _ => return Err(format!("`{word}` is not known")),
        }
    }
    Ok(Some(Arguments { program: probity::program(path.as_deref())?, size, workers, runs, plots }))
}

/// One way of searching: what it is called in the table, and its words.
struct Way {
    words: Vec<String>,
    /// Whether its number of states is that of every other such way.
    is_whole: bool,
}

impl Way {
    fn new(words: &str, is_whole: bool) -> Way {
        Way { words: words.split_whitespace().map(str::to_string).collect(), is_whole }
    }
}

/// What is asked: of states, and of runs.
fn ways(workers: &[u32]) -> Vec<(&'static str, Vec<Way>)> {
    let mut safety = Vec::new();
    let mut formula = Vec::new();
    for count in workers {
        for search in ["dfs", "levels"] {
            let search = if search == "dfs" && *count > 1 { "steal" } else { search };
            safety.push(Way::new(&format!("--algorithm {search} --workers {count}"), true));
        }
        safety.push(Way::new(&format!("--store hash-compact --workers {count}"), false));
        safety.push(Way::new(&format!("--store bitstate --workers {count}"), false));
        let searches: &[&str] = match count {
            1 => &["ndfs", "scc"],
            _ => &["cndfs", "pndfs", "swarm", "ufscc", "renault", "lowe"],
        };
        for search in searches {
            formula.push(Way::new(&format!("--algorithm {search} --workers {count}"), true));
        }
    }
    vec![("--safety", safety), (FORMULA, formula)]
}

/// The searches that look for a cycle, with each number of workers.
fn ways_to_violations(workers: &[u32]) -> Vec<Way> {
    let formulas = ways(workers).into_iter().filter(|(question, _)| *question == FORMULA);
    formulas.flat_map(|(_, ways)| ways).collect()
}

/// The formula that holds, and the one that does not.
const FORMULA: &str = "--prop again";
const VIOLATED: &str = "--prop late";

/// How often a search for a violation is run.
const TRIES: usize = 10;

/// The numbers of one run.
struct Figures {
    verdict: String,
    states: u64,
    expansions: u64,
    waits: u64,
    seconds: f64,
    store_bytes: u64,
}

/// One run.
fn measure(program: &Path, model: &Path, words: &[&str]) -> Result<Figures, String> {
    let mut command = Command::new(program);
    command.arg("check").arg(model).args(["--por", "off", "--json", "--no-trace-file"]);
    let output = command.args(words).output().map_err(|error| error.to_string())?;
    let value: Value =
        serde_json::from_slice(&output.stdout).map_err(|error| format!("{words:?}: {error}"))?;
    let property = &value["properties"][0];
    Ok(Figures {
        verdict: property["verdict"].as_str().unwrap_or("none").to_string(),
        states: property["states"].as_u64().unwrap_or(0),
        expansions: property["expansions"].as_u64().unwrap_or(0),
        waits: property["waits"].as_u64().unwrap_or(0),
        seconds: value["seconds"].as_f64().unwrap_or(f64::NAN),
        store_bytes: value["store_bytes"].as_u64().unwrap_or(0),
    })
}

/// Whether everything agreed; nothing where help was asked for.
pub(crate) fn run(words: impl Iterator<Item = String>) -> Result<Option<bool>, String> {
    let Some(arguments) = parse(words)? else { return Ok(None) };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("searches");
    let place = crate::measure::Workplace::new()?;
    let mut agreed = true;
    for name in ["wheels", "stairs"] {
        let path = folder.join(name).with_extension("pml");
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let text = redefine(&text, "K", &arguments.size.to_string()).ok_or("the model has no size")?;
        let model = place.write(&format!("{name}.pml"), &text)?;
        let mut rows = Vec::new();
        for (group, (question, ways)) in ways(&arguments.workers).into_iter().enumerate() {
            println!("\n`{name}`, K = {}, `{question}`\n", arguments.size);
            println!(
                "| search | verdict | states | s | states/s | expansions/state | waits | tables, B/state |"
            );
            println!("|---|---|---|---|---|---|---|---|");
            let mut whole: Option<(u64, String)> = None;
            for way in ways {
                let found = one_way(&arguments, &model, question, &way)?;
                rows.push(found.row(&way, group));
                if way.is_whole {
                    let answer = (found.states, found.verdict);
                    let first = whole.get_or_insert_with(|| answer.clone());
                    if *first != answer {
                        println!("differs: {} states, {}", first.0, first.1);
                        agreed = false;
                    }
                }
            }
        }
        agreed &= find_violations(&arguments, &model, name)?;
        if let Some(folder) = &arguments.plots {
            let title = format!("{name}, K = {}: reachability, and a formula that holds", arguments.size);
            let path = folder.join(name).with_extension("svg");
            std::fs::write(&path, plot::bars(&title, &COLUMNS, &rows))
                .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        }
    }
    Ok(Some(agreed))
}

/// What is plotted.
const COLUMNS: [Column; 3] = [
    Column { title: "million states a second", decimals: 2 },
    Column { title: "bytes a state, all tables", decimals: 1 },
    Column { title: "expansions of a state", decimals: 2 },
];

impl Figures {
    fn row(&self, way: &Way, group: usize) -> Row {
        let states = self.states.max(1) as f64;
        let words = way.words.iter().filter(|word| *word != "--algorithm" && *word != "--store");
        let name: Vec<&str> = words.map(|word| word.trim_start_matches("--")).collect();
        Row {
            name: name.join(" "),
            group,
            figures: vec![
                states / self.seconds / 1e6,
                self.store_bytes as f64 / states,
                self.expansions as f64 / states,
            ],
        }
    }
}

/// Measures one way, and prints its row.
fn one_way(arguments: &Arguments, model: &Path, question: &str, way: &Way) -> Result<Figures, String> {
    let words = question.split_whitespace().chain(way.words.iter().map(String::as_str));
    let words: Vec<&str> = words.collect();
    let words: Vec<&str> = words.into_iter().chain(["--all-errors"]).collect();
    let runs = (0..arguments.runs).map(|_| measure(&arguments.program, model, &words));
    let runs = runs.collect::<Result<Vec<Figures>, String>>()?;
    let best = runs.into_iter().min_by(|one, other| one.seconds.total_cmp(&other.seconds));
    let found = best.ok_or_else(|| "nothing was measured".to_string())?;
    let states = found.states.max(1) as f64;
    println!(
        "| `{}` | {} | {} | {:.3} | {:.0} | {:.2} | {} | {:.1} |",
        way.words.join(" "),
        found.verdict,
        found.states,
        found.seconds,
        states / found.seconds,
        found.expansions as f64 / states,
        found.waits,
        found.store_bytes as f64 / states
    );
    Ok(found)
}

/// The table of the formula that does not hold; whether all say so.
fn find_violations(arguments: &Arguments, model: &Path, name: &str) -> Result<bool, String> {
    println!("\n`{name}`, K = {}, `{VIOLATED}`, {TRIES} runs\n", arguments.size);
    println!("| search | verdict | s, median | s, least | s, most | states, median |");
    println!("|---|---|---:|---:|---:|---:|");
    let mut agreed = true;
    for way in ways_to_violations(&arguments.workers) {
        let words = VIOLATED.split_whitespace().chain(way.words.iter().map(String::as_str));
        let words: Vec<&str> = words.collect();
        let runs = (0..TRIES).map(|_| measure(&arguments.program, model, &words));
        let mut runs = runs.collect::<Result<Vec<Figures>, String>>()?;
        let all_found = runs.iter().all(|run| run.verdict == "violated");
        agreed &= all_found;
        runs.sort_by_key(|run| run.states);
        let states = runs[TRIES / 2].states;
        runs.sort_by(|one, other| one.seconds.total_cmp(&other.seconds));
        println!(
            "| `{}` | {} | {:.3} | {:.3} | {:.3} | {states} |",
            way.words.join(" "),
            if all_found { "violated" } else { "DIFFERS" },
            runs[TRIES / 2].seconds,
            runs[0].seconds,
            runs[TRIES - 1].seconds,
        );
    }
    Ok(agreed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_numbers_in_their_ranges() {
        let parsed = |words: &[&str]| parse(words.iter().map(|word| (*word).to_string()));
        assert!(parsed(&["--workers", "1,65", "--probity", "/bin/sh"]).is_err());
        assert!(parsed(&["--size", "0", "--probity", "/bin/sh"]).is_err());
        assert!(matches!(parsed(&["--help"]), Ok(None)));
        let found = parsed(&["--workers", "2,8", "--size", "7", "--probity", "/bin/sh"]);
        assert!(matches!(found, Ok(Some(found)) if found.workers == [2, 8] && found.size == 7));
    }
}
