//! `conformance verify`: the whole suite, or the part of it that somebody works on.

use std::collections::BTreeSet;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use conformance::findings::{Finding, compare, failing, find, read_table, summary, table};
use conformance::isolate::{Isolated, to_text};
use conformance::judge::{Mode, Verdict};
use conformance::run::Subject;
use conformance::solver;
use conformance::tiers::Tiers;
use conformance::verify::Verifier;
use conformance::work::in_parallel;
use symbolic::VerifyOptions;
use testing::list_below;

#[derive(Args)]
pub(crate) struct VerifyArguments {
    /// `src/test/resources` of a checkout of viperproject/silver
    root: PathBuf,
    /// A table that gives each file its tier; without it, all files count
    #[arg(long, value_name = "TSV")]
    suite: Option<PathBuf>,
    #[arg(long, value_enum, default_value = "lenient")]
    mode: Mode,
    /// Only files of these tiers
    #[arg(long, value_name = "TIER", value_delimiter = ',')]
    tier: Vec<String>,
    /// Only files whose path contains one of these
    #[arg(long, value_name = "SUBSTRING")]
    filter: Vec<String>,
    /// Only files that failed in an earlier run, by its table
    #[arg(long, value_name = "TSV")]
    only_failing: Option<PathBuf>,
    /// Files that run at the same time
    #[arg(long, value_name = "N", default_value_t = 1)]
    jobs: usize,
    /// Members of a file that are proved at the same time
    #[arg(long, value_name = "N", default_value_t = 1)]
    workers: usize,
    /// z3, cvc5 or a path
    #[arg(long)]
    solver: Option<String>,
    #[arg(long, default_value_t = 0)]
    seed: u32,
    /// Seconds for each file
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0)]
    timeout: f64,
    /// Seconds for each obligation
    #[arg(long, value_name = "SECONDS")]
    obligation_timeout: Option<f64>,
    /// Go on after a failure
    #[arg(long)]
    all_errors: bool,
    /// Build counterexamples, which costs time and changes no verdict
    #[arg(long)]
    counterexamples: bool,
    /// Write one folder of solver scripts per file
    #[arg(long, value_name = "DIR")]
    log_smt: Option<PathBuf>,
    /// Write a table with one row per file
    #[arg(long, value_name = "TSV")]
    table: Option<PathBuf>,
    /// Print what was said about files that disagree
    #[arg(long)]
    explain: bool,
    /// Print a line for every file, not only for those that disagree
    #[arg(long)]
    verbose: bool,
    /// Run all files in this process: a crash ends everything, a debugger sees everything
    #[arg(long)]
    in_process: bool,
    /// Kill a file that needs more than this many megabytes, its solvers included
    #[arg(long, value_name = "MB", default_value_t = 3000)]
    max_memory: u64,
    /// Verify this file and print the result for the process that asked
    #[arg(long, hide = true)]
    single: Option<PathBuf>,
    /// Print the files that took longest
    #[arg(long, value_name = "N", default_value_t = 0)]
    slowest: usize,
}

pub(crate) fn run(arguments: &VerifyArguments) -> ExitCode {
    crate::ended(try_run(arguments))
}

fn try_run(arguments: &VerifyArguments) -> Result<bool, String> {
    if let Some(path) = &arguments.single {
        println!("{}", to_text(&verifier(arguments)?.run(&arguments.root, path)));
        return Ok(true);
    }
    let tiers = match &arguments.suite {
        Some(path) => Tiers::read(path)?,
        None => Tiers::default(),
    };
    let files = select(arguments, &tiers)?;
    let verifier = verifier(arguments)?;
    let isolated = Isolated {
        program: std::env::current_exe().map_err(|error| error.to_string())?,
        arguments: std::env::args().skip(1).chain(["--single".to_string()]).collect(),
        timeout: seconds(arguments.timeout)?,
        max_memory_bytes: arguments.max_memory.saturating_mul(1 << 20),
    };
    let subject: &(dyn Subject + Sync) = if arguments.in_process { &verifier } else { &isolated };
    let findings = run_all(arguments, &tiers, &files, subject);
    print!("{}", summary(&findings));
    print_slowest(&findings, arguments.slowest);
    if let Some(path) = &arguments.table {
        std::fs::write(path, table(&findings)).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(findings.iter().all(|finding| finding.verdict != Verdict::Fail))
}

fn verifier(arguments: &VerifyArguments) -> Result<Verifier, String> {
    let options = VerifyOptions {
        workers: arguments.workers.max(1),
        all_errors: arguments.all_errors,
        obligation_timeout: arguments.obligation_timeout.map(seconds).transpose()?,
        counterexamples: arguments.counterexamples,
        ..VerifyOptions::new(solver::find(arguments.solver.as_deref(), arguments.seed)?)
    };
    Ok(Verifier {
        options,
        timeout: Some(seconds(arguments.timeout)?),
        log_folder: arguments.log_smt.clone(),
    })
}

fn seconds(value: f64) -> Result<Duration, String> {
    Duration::try_from_secs_f64(value).map_err(|error| format!("{value} seconds: {error}"))
}

fn select(arguments: &VerifyArguments, tiers: &Tiers) -> Result<Vec<PathBuf>, String> {
    let only: Option<BTreeSet<String>> = match &arguments.only_failing {
        Some(path) => {
            let text =
                std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
            Some(failing(&text))
        }
        None => None,
    };
    let is_wanted = |path: &PathBuf| {
        let name = name_of(&arguments.root, path);
        let is_filtered = !arguments.filter.is_empty();
        tiers.counts(&name)
            && (arguments.tier.is_empty() || arguments.tier.iter().any(|tier| tier == tiers.tier(&name)))
            && (!is_filtered || arguments.filter.iter().any(|part| name.contains(part)))
            && only.as_ref().is_none_or(|only| only.contains(&name))
    };
    let all = list_below(&arguments.root, &["vpr"])?;
    let files: Vec<PathBuf> = all.into_iter().filter(is_wanted).collect();
    if files.is_empty() { Err("no file fits".to_string()) } else { Ok(files) }
}

fn name_of(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).display().to_string()
}

/// Runs the files, several at a time, and tells of each as it is finished; the result has the order of the files.
fn run_all(
    arguments: &VerifyArguments,
    tiers: &Tiers,
    files: &[PathBuf],
    subject: &(dyn Subject + Sync),
) -> Vec<Finding> {
    let show = std::io::stderr().is_terminal();
    let work = |index: usize, path: &PathBuf| {
        let name = name_of(&arguments.root, path);
        if show {
            eprint!("\r\x1b[K{}/{} {name}", index + 1, files.len());
            let _ = std::io::stderr().flush();
        }
        find(&arguments.root, path, tiers.tier(&name), subject, arguments.mode)
    };
    in_parallel(files, arguments.jobs, work, |finding| {
        if show {
            eprint!("\r\x1b[K");
        }
        tell(arguments, finding);
    })
}

fn tell(arguments: &VerifyArguments, finding: &Finding) {
    if finding.verdict == Verdict::Fail || !finding.missed.is_empty() {
        println!("{}", finding.line());
        let messages = if arguments.explain { finding.run.messages.as_slice() } else { &[] };
        for message in messages {
            println!("    {message}");
        }
    } else if arguments.verbose {
        println!("{}  {}", finding.line(), finding.verdict.text());
    }
}

fn print_slowest(findings: &[Finding], count: usize) {
    let mut slowest: Vec<&Finding> = findings.iter().collect();
    slowest.sort_by_key(|finding| std::cmp::Reverse(finding.run.time));
    for finding in slowest.into_iter().take(count) {
        println!("{:>9.3} s  {} ({})", finding.run.time.as_secs_f64(), finding.name, finding.tier);
    }
}

#[derive(Args)]
pub(crate) struct CompareArguments {
    /// Tables of `conformance verify`
    #[arg(required = true, num_args = 2..)]
    tables: Vec<PathBuf>,
}

/// Shows what differs between runs.
pub(crate) fn run_compare(arguments: &CompareArguments) -> ExitCode {
    let mut tables = Vec::new();
    for path in &arguments.tables {
        match std::fs::read_to_string(path) {
            Ok(text) => tables.push((path.display().to_string(), read_table(&text))),
            Err(error) => {
                eprintln!("conformance: {}: {error}", path.display());
                return ExitCode::from(2);
            }
        }
    }
    print!("{}", compare(&tables));
    ExitCode::SUCCESS
}
