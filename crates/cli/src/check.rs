//! `probity check`

use std::path::{Path, PathBuf};

use report::CheckDetail;
use session::{
    Algorithm, CheckListener, CheckOptions, Checked, CheckpointOptions, Failure, LoadOptions,
    PropertySelection, Reductions, Registry, UseOf,
};
use verdict::{Limits, Observer, Progress, PropertyReport, Verdict};

use crate::arguments::{AlgorithmName, CheckArguments, PartialOrder, SourceArguments, TraceFormat};
use crate::files::misplaced;
use crate::output::{Terminal, diagnostics, err, out};
use crate::{BAD_INPUT, HOLDS, UNKNOWN, VIOLATED, interrupt, shell};

pub(crate) fn load_options(arguments: &SourceArguments) -> LoadOptions {
    LoadOptions {
        defines: arguments.define.clone(),
        undefines: arguments.undefine.clone(),
        include_paths: arguments.include.clone(),
        loses_messages: arguments.lose_messages,
        own: arguments.own.clone(),
    }
}

pub(crate) fn run(arguments: &CheckArguments) -> u8 {
    let options = match misuse(arguments).map_or_else(|| options(arguments), Err) {
        Ok(options) => options,
        Err(message) => return bad_input(arguments.json, &Failure::message(message)),
    };
    let mut shown = Shown { arguments, terminal: Terminal::new() };
    let checked = session::check_files(&Registry::standard(), &arguments.models, &options, &mut shown);
    match checked.verdict() {
        None => BAD_INPUT,
        Some(Verdict::Holds) => HOLDS,
        Some(Verdict::Violated) => VIOLATED,
        Some(Verdict::Unknown(_)) => UNKNOWN,
    }
}

/// Shows how the searches get on, and what became of each model.
struct Shown<'a> {
    arguments: &'a CheckArguments,
    terminal: Terminal,
}

impl Observer for Shown<'_> {
    fn observe(&mut self, progress: &Progress) {
        self.terminal.observe(progress);
    }
}

impl CheckListener for Shown<'_> {
    fn checked(&mut self, model: &Path, result: &Result<Checked, Failure>) {
        self.terminal.clear();
        self.terminal = Terminal::new();
        match result {
            Ok(checked) => show(self.arguments, model, checked),
            Err(failure) => {
                bad_input(self.arguments.json, failure);
            }
        }
    }
}

/// What is wrong with asking this of these models.
fn misuse(arguments: &CheckArguments) -> Option<String> {
    let models = &arguments.models;
    if let Some(message) = misplaced(models.iter().map(PathBuf::as_path), UseOf::Models) {
        return Some(message);
    }
    if models.len() > 1 && arguments.trace_file.is_some() {
        return Some("--trace-file is for one model; without it each has a file of its own".to_string());
    }
    if models.len() > 1 && (arguments.checkpoint.is_some() || arguments.resume.is_some()) {
        return Some("--checkpoint and --resume are for one model".to_string());
    }
    if models.len() > 1 && arguments.lts.is_some() {
        return Some("--lts is for one model".to_string());
    }
    None
}

fn options(arguments: &CheckArguments) -> Result<CheckOptions, String> {
    let mut formulas: Vec<(String, String)> = Vec::new();
    for text in &arguments.ltl {
        formulas.push((text.clone(), text.clone()));
    }
    for path in &arguments.ltl_file {
        formulas.extend(session::formulas_in(path)?.into_iter().map(|line| (line.clone(), line)));
    }
    let interrupt = interrupt::flag()?;
    Ok(CheckOptions {
        load: load_options(&arguments.source),
        selection: PropertySelection {
            safety_only: arguments.safety,
            named: arguments.prop.clone(),
            formulas,
            automata: arguments.automaton.clone(),
            progress: arguments.progress,
            acceptance: arguments.acceptance,
        },
        algorithm: match arguments.algorithm {
            AlgorithmName::Auto => None,
            AlgorithmName::Dfs => Some(Algorithm::Dfs),
            AlgorithmName::Bfs => Some(Algorithm::Bfs),
            AlgorithmName::Weak => Some(Algorithm::WeakDfs),
            AlgorithmName::Ndfs => Some(Algorithm::NestedDfs),
            AlgorithmName::Scc => Some(Algorithm::SetBasedScc),
            AlgorithmName::Steal => Some(Algorithm::Steal),
            AlgorithmName::Levels => Some(Algorithm::Levels),
            AlgorithmName::Cndfs => Some(Algorithm::Cndfs),
            AlgorithmName::Ufscc => Some(Algorithm::Ufscc),
            AlgorithmName::Renault => Some(Algorithm::Renault),
            AlgorithmName::Pndfs => Some(Algorithm::Pndfs),
            AlgorithmName::Swarm => Some(Algorithm::Swarm),
            AlgorithmName::Lowe => Some(Algorithm::Lowe),
        },
        reductions: Reductions {
            partial_order: match arguments.por {
                _ if arguments.plain => session::PartialOrder::Off,
                PartialOrder::Off => session::PartialOrder::Off,
                PartialOrder::Sticky => session::PartialOrder::Sticky,
                PartialOrder::Inside => session::PartialOrder::Inside,
            },
            optimise: !arguments.plain,
        },
        all_errors: arguments.all_errors,
        coverage: arguments.coverage,
        shortest: arguments.shortest,
        strict_ends: arguments.strict_ends,
        weak_fairness: arguments.fair,
        workers: arguments.workers,
        store: arguments.store,
        time: arguments.timeout,
        limits: Limits {
            max_states: arguments.max_states,
            max_memory_bytes: arguments.max_memory,
            deadline: None,
            interrupt,
        },
        transitions: arguments.lts.clone(),
        checkpoint: arguments
            .checkpoint
            .clone()
            .map(|folder| CheckpointOptions { folder, every: arguments.every }),
        resume: arguments.resume.clone(),
    })
}

fn bad_input(json: bool, failure: &Failure) -> u8 {
    if json {
        let value = serde_json::json!({
            "version": report::JSON_VERSION,
            "verdict": "unknown",
            "error": failure.message,
            "diagnostics": report::diagnostics_json(&failure.sources, &failure.diagnostics),
        });
        out(&format!("{value}\n"));
    }
    diagnostics(&failure.sources, &failure.diagnostics);
    if let Some(message) = &failure.message {
        err(&format!("probity: {message}\n"));
    }
    BAD_INPUT
}

fn show(arguments: &CheckArguments, model: &Path, checked: &Checked) {
    let report = &checked.report;
    if arguments.json {
        let peak = session::peak_memory_bytes().unwrap_or(report.statistics.peak_memory_bytes);
        let warnings = report::diagnostics_json(&checked.sources, &checked.warnings);
        out(&report::check_json(report, peak, warnings));
    } else {
        diagnostics(&checked.sources, &checked.warnings);
        // Where a search was asked for, it is said whether it was taken.
        let searches = arguments.verbose || arguments.algorithm != AlgorithmName::Auto;
        let detail = CheckDetail { traces: arguments.trace == TraceFormat::Text, searches };
        match arguments.trace {
            TraceFormat::Text => out(&report::check_text(report, detail)),
            TraceFormat::Json | TraceFormat::Svg => {
                err(&report::check_text(report, detail));
                if let Some((property, trace)) = first_trace(&report.properties) {
                    out(&match arguments.trace {
                        TraceFormat::Svg => {
                            report::trace_svg(&format!("{}: {}", report.model, property.name), trace)
                        }
                        _ => report::trace_json(&report.model, &property.name, trace),
                    });
                }
            }
        }
    }
    if let Some((property, trace)) = first_trace(&report.properties)
        && !arguments.no_trace_file
    {
        let path = arguments.trace_file.clone().unwrap_or_else(|| trace_file(&arguments.models, model));
        match session::write_text(&path, &report::trace_json(&report.model, &property.name, trace)) {
            Ok(()) if !arguments.json => {
                let command = replay_command(&arguments.source, model, &path);
                err(&format!("saved; `{command}` plays it\n"));
            }
            Ok(()) => {}
            Err(error) => err(&format!("probity: cannot save the trace to {}: {error}\n", path.display())),
        }
    }
}

/// Where the counterexample of a model is saved: by its name, and where another model has the same name, by its path.
fn trace_file(models: &[PathBuf], model: &Path) -> PathBuf {
    let name_of = |model: &Path| -> String {
        if session::is_standard_input(model) {
            return "stdin".to_string();
        }
        model.file_name().unwrap_or_default().to_string_lossy().into_owned()
    };
    let name = name_of(model);
    let is_shared = models.iter().any(|other| other != model && name_of(other) == name);
    let name = if is_shared { session::flat_name(model) } else { name };
    PathBuf::from(format!("{name}.trail.json"))
}

/// What plays a saved counterexample, with everything that decides how the model is read.
fn replay_command(source: &SourceArguments, model: &Path, trace: &Path) -> String {
    let mut words = vec!["probity simulate".to_string(), shell::quoted(model)];
    let option = |letter: char, value: &str| shell::word(&format!("-{letter}{value}"));
    words.extend(source.define.iter().map(|define| option('D', define)));
    words.extend(source.undefine.iter().map(|name| option('U', name)));
    words.extend(source.include.iter().map(|folder| option('I', &folder.display().to_string())));
    words.extend(source.own.iter().flat_map(|(name, value)| [format!("--{name}"), shell::word(value)]));
    if source.lose_messages {
        words.push("-m".to_string());
    }
    words.push("--replay".to_string());
    words.push(shell::quoted(trace));
    if session::is_standard_input(model) {
        words.push("< MODEL".to_string());
    }
    words.join(" ")
}

fn first_trace(properties: &[PropertyReport]) -> Option<(&PropertyReport, &verdict::Trace)> {
    properties.iter().find_map(|property| property.trace.as_ref().map(|trace| (property, trace)))
}
