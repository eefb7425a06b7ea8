//! `probity verify`

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use report::ProofJson;
use session::{Failure, History, LoadedProgram, Registry, UseOf, VerifyOptions};
use verdict::{ProofReport, Reason, Verdict};

use crate::files::misplaced;
use crate::output::{diagnostics, err, out};
use crate::proof_terminal::ProofTerminal;
use crate::verify_arguments::VerifyArguments;
use crate::{BAD_INPUT, HOLDS, UNKNOWN, VIOLATED, interrupt};

/// A file that was read, and what became of it.
struct Outcome {
    loaded: LoadedProgram,
    report: ProofReport,
}

pub(crate) fn run(arguments: &VerifyArguments) -> u8 {
    let start = Instant::now();
    let mut json = ProofJson::default();
    let mut rejected = 0;
    let mut programs = Vec::new();
    let files = arguments.files.iter().map(PathBuf::as_path);
    if let Some(message) = misplaced(files, UseOf::Programs) {
        reject(&mut json, &Failure::message(message), arguments.json);
        return finish(json, arguments.json, BAD_INPUT);
    }
    let mut texts = Vec::new();
    for path in &arguments.files {
        match session::read_program(&Registry::standard(), path) {
            Ok(text) => texts.push(text),
            Err(failure) => {
                reject(&mut json, &failure, arguments.json);
                rejected += 1;
            }
        }
    }
    if let Some(message) = arguments.language.misuse(&texts) {
        reject(&mut json, &Failure::message(message), arguments.json);
        return finish(json, arguments.json, BAD_INPUT);
    }
    let several = texts.len() > 1;
    for parts in session::programs_of(texts, arguments.together) {
        match session::load_program(&parts, &arguments.language.options()) {
            Ok(loaded) => {
                json.add_diagnostics(&loaded.sources, &loaded.warnings);
                if !arguments.json {
                    diagnostics(&loaded.sources, &loaded.warnings);
                }
                programs.push(loaded);
            }
            Err(failure) => {
                reject(&mut json, &failure, arguments.json);
                rejected += 1;
            }
        }
    }
    let is_absent = |name: &&String| !programs.iter().any(|loaded| loaded.has_member(name));
    if rejected == 0
        && let Some(name) = arguments.member.iter().find(is_absent)
    {
        let near: Vec<String> = programs.iter().flat_map(|loaded| loaded.near_members(name)).collect();
        reject(&mut json, &Failure::message(absent(name, &near)), arguments.json);
        return finish(json, arguments.json, BAD_INPUT);
    }
    if programs.is_empty() {
        return finish(json, arguments.json, BAD_INPUT);
    }
    let options = match options(arguments) {
        Ok(options) => options,
        Err((message, code)) => {
            reject(&mut json, &Failure::message(message), arguments.json);
            return finish(json, arguments.json, if rejected > 0 { BAD_INPUT } else { code });
        }
    };
    let mut outcomes = Vec::new();
    let mut history = if arguments.no_history { History::default() } else { History::of_user() };
    for loaded in programs {
        if !arguments.member.is_empty() && !arguments.member.iter().any(|name| loaded.has_member(name)) {
            continue;
        }
        match verify(arguments, &loaded, several, &options, &mut history) {
            Ok(report) => {
                json.add_report(&loaded.sources, &report);
                outcomes.push(Outcome { loaded, report });
            }
            Err(failure) => {
                reject(&mut json, &failure, arguments.json);
                rejected += 1;
            }
        }
    }
    if !arguments.json {
        show_tables(arguments, &outcomes);
        if outcomes.len() + rejected > 1 {
            let verdicts: Vec<Verdict> = outcomes.iter().map(|outcome| outcome.report.verdict()).collect();
            let members = outcomes.iter().map(|outcome| outcome.report.members.len()).sum();
            out(&report::totals_text(&verdicts, rejected, members, start.elapsed()));
        }
    }
    let verdict =
        outcomes.iter().fold(Verdict::Holds, |verdict, outcome| verdict.and(outcome.report.verdict()));
    let code = match verdict {
        _ if rejected > 0 => BAD_INPUT,
        Verdict::Holds => HOLDS,
        Verdict::Violated => VIOLATED,
        Verdict::Unknown(_) => UNKNOWN,
    };
    finish(json, arguments.json, code)
}

/// What to say where a member is asked for that is not there.
fn absent(name: &str, near: &[String]) -> String {
    let near: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
    match near.split_last() {
        None => format!("there is no member `{name}`"),
        Some((only, [])) => format!("there is no member `{name}`; did you mean {only}?"),
        Some((last, others)) => {
            format!("there is no member `{name}`; did you mean {} or {last}?", others.join(", "))
        }
    }
}

fn finish(json: ProofJson, print: bool, code: u8) -> u8 {
    if print {
        out(&json.finish());
    }
    code
}

/// A file that cannot be verified leaves the question open, whatever the other files say.
fn reject(json: &mut ProofJson, failure: &Failure, quiet: bool) {
    json.add_diagnostics(&failure.sources, &failure.diagnostics);
    json.add_verdict(Verdict::Unknown(Reason::Unsupported("the input is not a program".to_string())));
    if !quiet {
        diagnostics(&failure.sources, &failure.diagnostics);
    }
    if let Some(message) = &failure.message {
        json.add_error(message);
        err(&format!("probity: {message}\n"));
    }
}

/// The options of the engine, or why there are none and the exit code for that.
fn options(arguments: &VerifyArguments) -> Result<VerifyOptions, (String, u8)> {
    let mut solver = session::find_solver(arguments.solver.as_deref())
        .map_err(|error| (error.to_string(), if arguments.solver.is_some() { BAD_INPUT } else { UNKNOWN }))?;
    solver.seed = arguments.seed;
    let interrupt = interrupt::flag().map_err(|message| (message, UNKNOWN))?;
    interrupt::insist(&interrupt);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    Ok(VerifyOptions {
        workers: arguments.workers.unwrap_or(cores),
        members: (!arguments.member.is_empty()).then(|| arguments.member.clone()),
        all_errors: arguments.all_errors,
        obligation_timeout: arguments.timeout,
        member_timeout: arguments.member_timeout,
        profile: arguments.profile,
        respect_function_permission_amounts: arguments.language.exact_function_permissions,
        counterexamples: !arguments.no_counterexamples,
        interrupt,
        ..VerifyOptions::new(solver)
    })
}

/// Verifies a program and tells people about it at once.
fn verify(
    arguments: &VerifyArguments,
    loaded: &LoadedProgram,
    several: bool,
    options: &VerifyOptions,
    history: &mut History,
) -> Result<ProofReport, Failure> {
    let logs = |folder: &Path| session::logs_in(&log_folder(folder, Path::new(&loaded.name), several));
    let logs = arguments.log_smt.as_deref().map(logs).transpose()?;
    let options = VerifyOptions { logs, ..options.clone() };
    let terminal = ProofTerminal::new(&loaded.name, &loaded.sources, options.workers);
    let start = Instant::now();
    let report = terminal.during(|| session::verify_with_history(loaded, &options, &terminal, history))?;
    if !arguments.json {
        show(loaded, &report, start.elapsed());
    }
    Ok(report)
}

/// Scripts of several programs are kept apart, also where files in different folders have the same name.
fn log_folder(folder: &Path, program: &Path, several: bool) -> PathBuf {
    if !several {
        return folder.to_path_buf();
    }
    let name = program.with_extension("").display().to_string();
    folder.join(name.trim_start_matches(['.', '/']).replace(['/', '\\'], "_"))
}

fn show(loaded: &LoadedProgram, report: &ProofReport, time: Duration) {
    let colour = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    out(&report::failures_text(&loaded.sources, report, colour));
    out(&report::verdict_line(&loaded.name, report, time));
}

fn show_tables(arguments: &VerifyArguments, outcomes: &[Outcome]) {
    let reports: Vec<_> = outcomes.iter().map(|outcome| (&outcome.loaded.sources, &outcome.report)).collect();
    if let Some(count) = arguments.slowest {
        out(&format!("\n{}\n", report::slowest_text(&reports, count)));
    }
    if arguments.trusted {
        out(&format!("\n{}\n", report::assumptions_text(&reports)));
    }
    if arguments.profile {
        out(&format!("\n{}\n", report::profile_text(&reports)));
    }
}
