//! Runs public test suites against Probity and writes tables; nothing of the suites is in this repository.
#![forbid(unsafe_code)]
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command-line program")]

mod attack_command;
mod mutate_command;
mod pvl_command;
mod verify_command;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use conformance::judge::{Mode, Verdict};
use conformance::roundtrip;
use conformance::run::FrontEnd;
use conformance::suite::{Row, Stage, counts, judge_file, table};
use testing::list_below;

#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Judge every `.vpr` file below a folder by its annotations, as far as the front end decides them
    Static {
        /// `src/test/resources` of a checkout of viperproject/silver
        root: PathBuf,
        #[arg(long, value_enum, default_value = "lenient")]
        mode: Mode,
        /// Write a table with one row per file
        #[arg(long)]
        table: Option<PathBuf>,
        /// Only files whose path contains this
        #[arg(long, default_value = "")]
        filter: String,
        /// Print what the front end said about files that disagree
        #[arg(long)]
        explain: bool,
    },
    /// Judge every `.vpr` file below a folder by all its annotations: front end and deductive engine
    Verify(Box<verify_command::VerifyArguments>),
    /// Judge PVL programs by VerCors' own tests
    Pvl(Box<pvl_command::PvlArguments>),
    /// Change verified PVL programs a little and see whether they are still verified
    Mutate(Box<mutate_command::MutateArguments>),
    /// Run random programs on the tool and on a concrete interpreter, which share nothing
    Attack(Box<attack_command::AttackArguments>),
    /// Show which files came out differently in several runs of `verify`, by their tables
    Compare(verify_command::CompareArguments),
    /// Parse, print, parse and print again: trees and texts must agree
    Roundtrip { root: PathBuf },
}

fn main() -> ExitCode {
    match Arguments::parse().command {
        Command::Static { root, mode, table, filter, explain } => {
            match judge_all(&root, mode, &filter, explain) {
                Ok(rows) => report(&rows, table.as_deref()),
                Err(error) => failed(&error),
            }
        }
        Command::Verify(arguments) => verify_command::run(&arguments),
        Command::Pvl(arguments) => pvl_command::run(&arguments),
        Command::Mutate(arguments) => mutate_command::run(&arguments),
        Command::Attack(arguments) => attack_command::run(&arguments),
        Command::Compare(arguments) => verify_command::run_compare(&arguments),
        Command::Roundtrip { root } => {
            let files = match list_below(&root, &["vpr"]) {
                Ok(files) => files,
                Err(error) => return failed(&error),
            };
            let summary = roundtrip::run(&files);
            for (path, problem) in &summary.problems {
                println!("{}: {problem}", path.display());
            }
            let (agree, rejected, problems) = (summary.agree, summary.rejected, summary.problems.len());
            println!("agree\t{agree}\nrejected\t{rejected}\ndisagree\t{problems}");
            if problems == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
    }
}

/// How a command ends that says whether everything was as it should be, or why it could not tell.
pub(crate) fn ended(result: Result<bool, String>) -> ExitCode {
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("conformance: {message}");
            ExitCode::from(2)
        }
    }
}

fn failed(error: &str) -> ExitCode {
    eprintln!("{error}");
    ExitCode::FAILURE
}

fn judge_all(root: &Path, mode: Mode, filter: &str, explain: bool) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for path in list_below(root, &["vpr"])? {
        if !path.to_string_lossy().contains(filter) {
            continue;
        }
        let row = judge_file(root, &path, &FrontEnd, Stage::Static, mode);
        for fault in &row.run.faults {
            println!("{}: FAULT: {}", row.name, fault.chars().take(400).collect::<String>());
        }
        if row.verdict == Verdict::Fail {
            println!("{} ({}): {}", row.name, row.stage_text(), row.disagreements.join("; "));
            let messages = if explain { row.run.messages.as_slice() } else { &[] };
            for message in messages {
                println!("    {message}");
            }
        }
        rows.push(row);
    }
    Ok(rows)
}

fn report(rows: &[Row], path: Option<&Path>) -> ExitCode {
    let counts = counts(rows);
    for ((stage, verdict), count) in &counts {
        println!("{stage}\t{}\t{count}", verdict.text());
    }
    let faults: usize = rows.iter().map(|row| row.run.faults.len()).sum();
    println!("faults\t{faults}");
    if let Some(path) = path
        && let Err(error) = std::fs::write(path, table(rows))
    {
        eprintln!("{}: {error}", path.display());
        return ExitCode::from(2);
    }
    let failed = faults > 0 || counts.keys().any(|(_, verdict)| *verdict == Verdict::Fail);
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
