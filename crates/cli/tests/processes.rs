//! Every process that the corpus and the examples name, checked by one worker and by several, with every search: verdicts,
//! states and transitions are the same, and every counterexample is played again.
//!
//! The corpus names them in lines `// check: PROCESS | RANGE | … => EXPECTATION`, the examples in lines `// probity check FILE …`.

use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;
use testing::{files_below, is_slow_round};

fn main() {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut trials = Vec::new();
    for folder in ["tests/corpus/models", "examples/models"] {
        for path in files_below(&root.join(folder), &["pvl"]) {
            let name = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            for asked in text.lines().filter_map(asked) {
                let path = path.clone();
                trials.push(Trial::test(format!("{name} {}", asked.join(" ")), move || check(&path, &asked)));
            }
        }
    }
    assert!(trials.len() > 30, "the lines are not found");
    libtest_mimic::run(&arguments, trials).exit();
}

/// The options that a line asks with.
fn asked(line: &str) -> Option<Vec<String>> {
    let line = line.trim_start_matches('/').trim();
    if let Some(asked) = line.strip_prefix("check: ") {
        let (asked, _) = asked.split_once(" => ")?;
        let mut parts = asked.split(" | ");
        let mut words = vec!["--process".to_string(), parts.next()?.to_string()];
        words.extend(parts.flat_map(|range| ["--for".to_string(), range.to_string()]));
        return Some(words);
    }
    // Behind the name of the file; what is between quotation marks is one word.
    let (_, options) = line.strip_prefix("probity check ")?.split_once(' ')?;
    let parts = options.split('\'').enumerate();
    let words = parts.flat_map(|(place, part)| match place % 2 {
        0 => part.split_whitespace().map(str::to_string).collect(),
        _ => vec![part.to_string()],
    });
    Some(words.collect())
}

fn run(path: &Path, asked: &[String], way: &[&str]) -> Result<Value, Failed> {
    let output = Command::new(env!("CARGO_BIN_EXE_probity"))
        .arg("check")
        .arg(path)
        .args(["--json", "--no-trace-file", "--all-errors"])
        .args(asked)
        .args(way)
        .output()
        .map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text).map_err(|error| {
        format!("{way:?}: no JSON ({error}): {text}{}", String::from_utf8_lossy(&output.stderr)).into()
    })
}

/// Name and verdict of each property, its instances with their ends, and what was seen where that was everything.
fn said(found: &Value) -> Value {
    let properties = found["properties"].as_array().cloned().unwrap_or_default();
    let is_known = |it: &Value| it["verdict"] == "holds" || it["verdict"] == "violated";
    let is_complete = properties.iter().all(is_known);
    let of_each = properties.iter().map(|it| {
        let seen = [&it["states"], &it["transitions"], &it["ends"]].map(Value::clone);
        let is_whole = it["verdict"] == "holds";
        serde_json::json!([it["name"], it["verdict"], if is_whole { seen.to_vec() } else { Vec::new() }])
    });
    let of_each: Vec<Value> = of_each.collect();
    let seen = [&found["states"], &found["transitions"]].map(Value::clone);
    serde_json::json!([of_each, if is_complete { seen.to_vec() } else { Vec::new() }])
}

fn check(path: &PathBuf, asked: &[String]) -> Result<(), Failed> {
    let safety = said(&run(path, asked, &["--safety", "--workers", "1"])?);
    let shown = |found: &Value| format!("{found}");
    let most = if is_slow_round() { 16 } else { 8 };
    for workers in [1, 2, 4, most] {
        let workers = workers.to_string();
        for algorithm in ["auto", "dfs", "bfs", "steal", "levels"] {
            let way = ["--safety", "--workers", &workers, "--algorithm", algorithm];
            let found = run(path, asked, &way)?;
            if said(&found) != safety {
                return Err(format!("{way:?}: {}, expected {}", shown(&said(&found)), shown(&safety)).into());
            }
        }
        let way = ["--safety", "--workers", &workers, "--shortest"];
        if said(&run(path, asked, &way)?) != safety {
            return Err(format!("{way:?} differs").into());
        }
    }
    // Both formulas are about every model: one holds, and what the other says depends on the model.
    for formula in ["[] (\\ended -> <> \\ended)", "<> [] ! \\ended"] {
        let verdict = |way: &[&str]| -> Result<Value, Failed> {
            let found = run(path, asked, &[&["--ltl", formula][..], way].concat())?;
            let property = found["properties"].as_array().and_then(|all| all.last().cloned());
            let property = property.ok_or_else(|| format!("{way:?}: nothing was checked: {found}"))?;
            let is_whole = property["verdict"] == "holds";
            let seen =
                if is_whole { vec![found["states"].clone(), found["transitions"].clone()] } else { vec![] };
            Ok(serde_json::json!([property["name"], property["verdict"], seen]))
        };
        let expected = verdict(&["--workers", "1"])?;
        for workers in ["2", "4", "8"] {
            let searches =
                ["auto", "weak", "ndfs", "scc", "cndfs", "ufscc", "renault", "pndfs", "swarm", "lowe"];
            for algorithm in searches {
                let way = ["--workers", workers, "--algorithm", algorithm];
                let found = verdict(&way)?;
                if found != expected {
                    return Err(format!("{formula}, {way:?}: {found}, expected {expected}").into());
                }
            }
        }
    }
    Ok(())
}
