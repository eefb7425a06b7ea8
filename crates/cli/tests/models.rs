//! Every model of the corpus and of the examples, checked in every way, against what its header announces.
//!
//! A header is the comment lines at the top of a model: `// expect: PROPERTY VERDICT` for each property that
//! is to be reported, `// states: plain N default N` for the number of states of a full safety search,
//! `// flags: …` for what the command line needs, and `// slow` for a model that only the long suite checks
//! (set `PROBITY_SLOW_TESTS`). All ways of searching must agree: with and without reductions, and with every
//! algorithm that applies. The long suite has sixteen workers where the short one has two for each search.

use std::path::Path;
use std::process::Command;

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;
use testing::files_below;

fn main() {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = ["tests/corpus/promela", "examples"].map(|folder| root.join(folder));
    let trials = folders
        .iter()
        .flat_map(|folder| files_below(folder, &["pml"]))
        .map(|path| {
            let name = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
            Trial::test(name, move || check(&path))
        })
        .collect();
    libtest_mimic::run(&arguments, trials).exit();
}

#[derive(Default)]
struct Header {
    expected: Vec<(String, String)>,
    plain: Option<u64>,
    default: Option<u64>,
    flags: Vec<String>,
    slow: bool,
}

fn header(text: &str) -> Result<Header, Failed> {
    let mut header = Header::default();
    for line in text.lines().take_while(|line| line.starts_with("//") || line.trim().is_empty()) {
        let line = line.trim_start_matches('/').trim();
        if let Some(rest) = line.strip_prefix("expect:") {
            let (name, verdict) =
                rest.trim().rsplit_once(' ').ok_or("an expectation needs a name and a verdict")?;
            header.expected.push((name.to_string(), verdict.to_string()));
        } else if let Some(rest) = line.strip_prefix("states:") {
            let words: Vec<&str> = rest.split_whitespace().collect();
            for pair in words.chunks_exact(2) {
                let count = Some(pair[1].parse::<u64>().map_err(|error| format!("{}: {error}", pair[1]))?);
                match pair[0] {
                    "plain" => header.plain = count,
                    "default" => header.default = count,
                    other => return Err(format!("unknown setting `{other}`").into()),
                }
            }
        } else if let Some(rest) = line.strip_prefix("flags:") {
            header.flags.extend(rest.split_whitespace().map(str::to_string));
        } else if line == "slow" {
            header.slow = true;
        }
    }
    Ok(header)
}

fn run(path: &Path, flags: &[&str]) -> Result<Value, Failed> {
    let output = Command::new(env!("CARGO_BIN_EXE_probity"))
        .arg("check")
        .arg(path)
        .args(["--json", "--no-trace-file"])
        .args(flags)
        .output()
        .map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text).map_err(|error| {
        format!("{flags:?}: no JSON ({error}): {text}{}", String::from_utf8_lossy(&output.stderr)).into()
    })
}

fn check(path: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let header = header(&text)?;
    if header.expected.is_empty() && header.plain.is_none() {
        return Err("the model announces nothing".into());
    }
    let is_long_round = std::env::var_os("PROBITY_SLOW_TESTS").is_some();
    if header.slow && !is_long_round {
        return Ok(());
    }
    // So many that several are left for each property.
    let several = if is_long_round { 16 } else { (2 * header.expected.len()).clamp(3, 16) }.to_string();
    let flags: Vec<&str> = header.flags.iter().map(String::as_str).collect();
    // Flags of one letter say which model it is (`-D`, `-m`), the others what is asked about it.
    let model: Vec<&str> =
        flags.iter().copied().filter(|flag| flag.starts_with('-') && !flag.starts_with("--")).collect();
    check_states(path, &[&model[..], &["--plain"]].concat(), header.plain)?;
    check_states(path, &[&model[..], &["--por", "off"]].concat(), header.default)?;
    check_states(path, &[&model[..], &["--por", "off", "--workers", "4"]].concat(), header.default)?;
    let by_levels = ["--plain", "--workers", "3", "--algorithm", "levels"];
    check_states(path, &[&model[..], &by_levels].concat(), header.plain)?;
    check_coverage(path, &model)?;
    check_lossy(path, &flags, &model, &header)?;

    let mut ways: Vec<Vec<&str>> =
        vec![vec![], vec!["--por", "off"], vec!["--por", "sticky"], vec!["--plain"], vec!["--workers", "2"]];
    if !flags.contains(&"--algorithm") {
        ways.push(vec!["--shortest"]);
        ways.extend(["bfs", "ndfs", "scc", "weak"].map(|name| vec!["--algorithm", name]));
        ways.push(vec!["--plain", "--algorithm", "ndfs"]);
        ways.push(vec!["--workers", &several]);
        ways.push(vec!["--workers", &several, "--shortest"]);
        ways.extend(
            ["cndfs", "ufscc", "renault", "pndfs", "swarm", "lowe"]
                .map(|name| vec!["--por", "off", "--workers", &several, "--algorithm", name]),
        );
    }
    for way in ways {
        let mut all = flags.clone();
        all.push("--all-errors");
        all.extend(&way);
        let found = run(path, &all)?;
        let properties = found["properties"].as_array().cloned().unwrap_or_default();
        for (name, verdict) in &header.expected {
            let property = properties.iter().find(|property| property["name"] == name.as_str());
            let Some(property) = property else {
                return Err(format!("{all:?}: `{name}` was not checked: {found}").into());
            };
            if property["verdict"] != verdict.as_str() {
                return Err(format!("{all:?}: expected {name} {verdict}, found {property}").into());
            }
        }
    }
    Ok(())
}

fn check_states(path: &Path, flags: &[&str], expected: Option<u64>) -> Result<(), Failed> {
    let Some(expected) = expected else { return Ok(()) };
    let mut all = vec!["--safety", "--all-errors"];
    all.extend(flags);
    let found = run(path, &all)?;
    if found["states"].as_u64() != Some(expected) {
        return Err(format!("{all:?}: {} states, expected {expected}", found["states"]).into());
    }
    Ok(())
}

/// Stores that may forget find the violations of these small models, and never say that a property holds.
fn check_lossy(path: &Path, flags: &[&str], model: &[&str], header: &Header) -> Result<(), Failed> {
    let of_states = ["assertions", "end states"];
    let expected: Vec<_> =
        header.expected.iter().filter(|(name, _)| of_states.contains(&name.as_str())).collect();
    // Flags that say what else is asked for, or how, do not go with every store.
    if flags.len() != model.len() && flags != ["--strict-ends"] {
        return Ok(());
    }
    for way in [&["--store", "hash-compact", "--workers", "3"][..], &["--store", "bitstate:16M"]] {
        let all = [flags, &["--safety", "--all-errors", "--por", "off"], way].concat();
        let found = run(path, &all)?;
        if let Some(states) = header.default
            && found["states"].as_u64() != Some(states)
        {
            return Err(format!("{all:?}: {} states, expected {states}", found["states"]).into());
        }
        let properties = found["properties"].as_array().cloned().unwrap_or_default();
        for property in &properties {
            if property["verdict"] == "holds" {
                return Err(format!("{all:?}: nothing is shown by such a store: {property}").into());
            }
        }
        for (name, verdict) in &expected {
            let verdict = if verdict == "holds" { "no violation found" } else { verdict.as_str() };
            let property = properties.iter().find(|property| property["name"] == name.as_str());
            if property.is_none_or(|property| property["verdict"] != verdict) {
                return Err(format!("{all:?}: expected {name} {verdict}, found {found}").into());
            }
        }
    }
    Ok(())
}

/// What can be executed at all does not depend on reductions.
fn check_coverage(path: &Path, model: &[&str]) -> Result<(), Failed> {
    let coverage = |way: &[&str]| -> Result<Value, Failed> {
        let all = [model, &["--safety", "--coverage"], way].concat();
        Ok(run(path, &all)?["coverage"].clone())
    };
    let expected = coverage(&["--plain"])?;
    for way in [&[][..], &["--por", "off"], &["--por", "off", "--workers", "3"]] {
        let found = coverage(way)?;
        if found != expected {
            return Err(format!("{way:?}: the coverage is {found}, expected {expected}").into());
        }
    }
    Ok(())
}
