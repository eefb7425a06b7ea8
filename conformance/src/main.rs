//! Runs public test suites against Probity and writes tables; nothing of the suites is in this repository.
#![forbid(unsafe_code)]
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command-line program")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use conformance::judge::{self, Mode, Verdict};
use conformance::run::{FrontEnd, Subject};
use conformance::{annotations, roundtrip};

#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Judge every `.vpr` file below a folder by its annotations, as far as the front end decides them.
    Static {
        /// `src/test/resources` of a checkout of viperproject/silver.
        root: PathBuf,
        #[arg(long, value_enum, default_value = "lenient")]
        mode: Mode,
        /// Write a table with one row per file.
        #[arg(long)]
        table: Option<PathBuf>,
        /// Only files whose path contains this.
        #[arg(long, default_value = "")]
        filter: String,
        /// Print what the front end said about files that disagree.
        #[arg(long)]
        explain: bool,
    },
    /// Parse, print, parse and print again: trees and texts must agree.
    Roundtrip { root: PathBuf },
}

/// All `.vpr` files below a folder, in order.
fn files_below(root: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "vpr") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

fn main() -> ExitCode {
    match Arguments::parse().command {
        Command::Static { root, mode, table, filter, explain } => {
            judge_all(&root, mode, table.as_deref(), &filter, explain)
        }
        Command::Roundtrip { root } => {
            let summary = roundtrip::run(&files_below(&root));
            for (path, problem) in &summary.problems {
                println!("{}: {problem}", path.display());
            }
            println!(
                "agree\t{}\nrejected\t{}\ndisagree\t{}",
                summary.agree,
                summary.rejected,
                summary.problems.len()
            );
            if summary.problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
    }
}

fn judge_all(root: &Path, mode: Mode, table: Option<&Path>, filter: &str, explain: bool) -> ExitCode {
    let mut rows = String::from("path\tstage\tverdict\tseconds\toutputs\tdisagreements\n");
    let mut counts: BTreeMap<(&str, Verdict), usize> = BTreeMap::new();
    let mut faults = 0;
    for path in files_below(root) {
        let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        if !name.contains(filter) {
            continue;
        }
        let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap_or_default()).into_owned();
        let annotations = annotations::parse(&text);
        let stage = if judge::expects_static_error(&annotations) { "static" } else { "verify" };
        let run = FrontEnd.run(root, &path);
        let (verdict, disagreements) = judge::judge(&judge::static_part(&annotations), &run.outputs, mode);
        *counts.entry((stage, verdict)).or_default() += 1;
        let outputs: Vec<String> = run
            .outputs
            .iter()
            .map(|output| {
                format!("{}:{}", output.line.map_or_else(String::new, |line| line.to_string()), output.id)
            })
            .collect();
        let seconds = run.time.as_secs_f64();
        let _ = writeln!(
            rows,
            "{name}\t{stage}\t{}\t{seconds:.4}\t{}\t{}",
            verdict.text(),
            outputs.join(" "),
            disagreements.join("; ")
        );
        for fault in &run.faults {
            println!("{name}: FAULT: {}", fault.chars().take(400).collect::<String>());
        }
        faults += run.faults.len();
        if verdict == Verdict::Fail {
            println!("{name} ({stage}): {}", disagreements.join("; "));
            if explain {
                for message in &run.messages {
                    println!("    {message}");
                }
            }
        }
    }
    for ((stage, verdict), count) in &counts {
        println!("{stage}\t{}\t{count}", verdict.text());
    }
    if let Some(table) = table
        && let Err(error) = std::fs::write(table, rows)
    {
        eprintln!("{}: {error}", table.display());
        return ExitCode::from(2);
    }
    println!("faults\t{faults}");
    let failed = faults > 0 || counts.keys().any(|(_, verdict)| *verdict == Verdict::Fail);
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
