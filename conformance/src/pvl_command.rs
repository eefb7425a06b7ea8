//! `conformance pvl`: VerCors' own tests about PVL.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use conformance::isolate::{Isolated, to_text};
use conformance::pvl_cases::{self, Case, Expected};
use conformance::pvl_export;
use conformance::pvl_judge::{Class, PvlFinding, disagreeing, summary, table};
use conformance::pvl_verify::PvlVerifier;
use conformance::run::Subject;
use conformance::solver;
use conformance::work::in_parallel;
use symbolic::VerifyOptions;

#[derive(Args)]
pub(crate) struct PvlArguments {
    /// A checkout of utwente-fmt/vercors
    root: PathBuf,
    /// The table of expectations, one row per test and file
    #[arg(long, value_name = "TSV")]
    expected: PathBuf,
    /// Only cases whose name contains one of these
    #[arg(long, value_name = "SUBSTRING")]
    filter: Vec<String>,
    /// Only cases that did not agree in an earlier run, by its table
    #[arg(long, value_name = "TSV")]
    only_failing: Option<PathBuf>,
    /// Choreographies as well
    #[arg(long)]
    choreographies: bool,
    /// Files as well that no test speaks about
    #[arg(long)]
    untested: bool,
    /// Cases that run at the same time
    #[arg(long, value_name = "N", default_value_t = 1)]
    jobs: usize,
    /// Members of a program that are proved at the same time
    #[arg(long, value_name = "N", default_value_t = 1)]
    workers: usize,
    /// z3, cvc5 or a path
    #[arg(long)]
    solver: Option<String>,
    #[arg(long, default_value_t = 0)]
    seed: u32,
    /// Seconds for each case
    #[arg(long, value_name = "SECONDS", default_value_t = 120.0)]
    timeout: f64,
    /// Seconds for each obligation
    #[arg(long, value_name = "SECONDS")]
    obligation_timeout: Option<f64>,
    /// Write a table with one row per case
    #[arg(long, value_name = "TSV")]
    table: Option<PathBuf>,
    /// Print what was said about cases that disagree
    #[arg(long)]
    explain: bool,
    /// Print a line for every case, not only for those that disagree
    #[arg(long)]
    verbose: bool,
    /// Print the text of the chosen cases instead of verifying them
    #[arg(long)]
    show: bool,
    /// Write the chosen cases into this folder, each as one PVL file with its Silver beside it, instead of verifying them
    #[arg(long, value_name = "FOLDER")]
    export: Option<PathBuf>,
    /// Run all cases in this process: a crash ends everything, a debugger sees everything
    #[arg(long)]
    in_process: bool,
    /// Kill a case that needs more than this many megabytes, its solvers included
    #[arg(long, value_name = "MB", default_value_t = 3000)]
    max_memory: u64,
    /// Verify this case and print the result for the process that asked
    #[arg(long, hide = true)]
    single: Option<PathBuf>,
    /// Print the cases that took longest
    #[arg(long, value_name = "N", default_value_t = 0)]
    slowest: usize,
}

pub(crate) fn run(arguments: &PvlArguments) -> ExitCode {
    crate::ended(try_run(arguments))
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn try_run(arguments: &PvlArguments) -> Result<bool, String> {
    let all = pvl_cases::read(&read(&arguments.expected)?)?;
    if let Some(path) = &arguments.single {
        println!("{}", to_text(&verifier(arguments, all)?.run(&arguments.root, path)));
        return Ok(true);
    }
    let cases = select(arguments, &all)?;
    if arguments.show {
        for case in &cases {
            for (name, text) in case.texts(&arguments.root)? {
                println!("// {name}: {}\n{text}", case.note);
            }
        }
        return Ok(true);
    }
    if let Some(folder) = &arguments.export {
        let written = pvl_export::export(&cases, &arguments.root, folder)?;
        println!("{written} of {} cases; the others are refused by the front end", cases.len());
        return Ok(true);
    }
    let verifier = verifier(arguments, all)?;
    let isolated = Isolated {
        program: std::env::current_exe().map_err(|error| error.to_string())?,
        arguments: std::env::args().skip(1).chain(["--single".to_string()]).collect(),
        timeout: seconds(arguments.timeout)?,
        max_memory_bytes: arguments.max_memory.saturating_mul(1 << 20),
    };
    let subject: &(dyn Subject + Sync) = if arguments.in_process { &verifier } else { &isolated };
    let findings = run_all(arguments, &cases, subject);
    print!("{}", summary(&findings));
    let mut slowest: Vec<&PvlFinding> = findings.iter().collect();
    slowest.sort_by_key(|finding| std::cmp::Reverse(finding.run.time));
    for finding in slowest.into_iter().take(arguments.slowest) {
        println!("{:>9.3} s  {}", finding.run.time.as_secs_f64(), finding.case.name);
    }
    if let Some(path) = &arguments.table {
        std::fs::write(path, table(&findings)).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(findings.iter().all(|finding| finding.class.is_agreement() || finding.class == Class::Untested))
}

fn verifier(arguments: &PvlArguments, cases: Vec<Case>) -> Result<PvlVerifier, String> {
    let options = VerifyOptions {
        workers: arguments.workers.max(1),
        // VerCors looks no further in a member than its first failure.
        all_errors: false,
        obligation_timeout: arguments.obligation_timeout.map(seconds).transpose()?,
        counterexamples: false,
        ..VerifyOptions::new(solver::find(arguments.solver.as_deref(), arguments.seed)?)
    };
    Ok(PvlVerifier { options, timeout: Some(seconds(arguments.timeout)?), cases })
}

fn seconds(value: f64) -> Result<Duration, String> {
    Duration::try_from_secs_f64(value).map_err(|error| format!("{value} seconds: {error}"))
}

fn select(arguments: &PvlArguments, all: &[Case]) -> Result<Vec<Case>, String> {
    let only = match &arguments.only_failing {
        Some(path) => Some(disagreeing(&read(path)?)),
        None => None,
    };
    let is_wanted = |case: &&Case| {
        (arguments.choreographies || !case.is_choreography)
            && (arguments.untested || case.expected != Expected::Untested)
            && (arguments.filter.is_empty() || arguments.filter.iter().any(|part| case.name.contains(part)))
            && only.as_ref().is_none_or(|only| only.contains(&case.name))
    };
    let cases: Vec<Case> = all.iter().filter(is_wanted).cloned().collect();
    if cases.is_empty() { Err("no case fits".to_string()) } else { Ok(cases) }
}

/// Runs the cases, several at a time, and tells of each as it is finished; the result has the order of the cases.
fn run_all(arguments: &PvlArguments, cases: &[Case], subject: &(dyn Subject + Sync)) -> Vec<PvlFinding> {
    let work = |_, case: &Case| {
        let run = subject.run(&arguments.root, Path::new(&case.name));
        PvlFinding::new(case.clone(), run)
    };
    in_parallel(cases, arguments.jobs, work, |finding| tell(arguments, finding))
}

fn tell(arguments: &PvlArguments, finding: &PvlFinding) {
    let disagrees = !finding.class.is_agreement();
    if disagrees || arguments.verbose {
        println!("{}", finding.line());
    }
    if disagrees && arguments.explain {
        for message in &finding.run.messages {
            println!("    {message}");
        }
    }
}
