//! `probity check`

use std::path::Path;
use std::time::{Duration, Instant};

use search::Algorithm;
use session::{CheckOptions, Checked, Failure, LoadOptions, PropertySelection, Reductions};
use verdict::{Limits, PropertyReport, Verdict};

use crate::arguments::{AlgorithmName, CheckArguments, PartialOrder, SourceArguments, TraceFormat};
use crate::output::{Terminal, diagnostics, err, out, peak_memory_bytes};
use crate::{BAD_INPUT, HOLDS, UNKNOWN, VIOLATED, interrupt};

pub(crate) fn load_options(arguments: &SourceArguments) -> LoadOptions {
    LoadOptions {
        defines: arguments.define.clone(),
        undefines: arguments.undefine.clone(),
        include_paths: arguments.include.clone(),
        loses_messages: arguments.lose_messages,
    }
}

pub(crate) fn run(arguments: &CheckArguments) -> u8 {
    let options = match options(arguments) {
        Ok(options) => options,
        Err(message) => return bad_input(arguments.json, &Failure::message(message)),
    };
    let mut terminal = Terminal::new();
    let checked = session::check(&arguments.model, &options, &mut terminal);
    terminal.clear();
    match checked {
        Ok(checked) => show(arguments, &checked),
        Err(failure) => bad_input(arguments.json, &failure),
    }
}

fn options(arguments: &CheckArguments) -> Result<CheckOptions, String> {
    let mut formulas: Vec<(String, String)> = Vec::new();
    for text in &arguments.ltl {
        formulas.push((text.clone(), text.clone()));
    }
    for path in &arguments.ltl_file {
        let text = session::read_text(path)?;
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            formulas.push((line.to_string(), line.to_string()));
        }
    }
    let interrupt = interrupt::flag()?;
    let deadline = match arguments.timeout {
        Some(seconds) if seconds.is_finite() && seconds >= 0.0 => {
            Some(Instant::now() + Duration::from_secs_f64(seconds.min(1e9)))
        }
        Some(seconds) => return Err(format!("a time limit of {seconds} seconds makes no sense")),
        None => None,
    };
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
        },
        reductions: Reductions {
            partial_order: arguments.por == PartialOrder::Static && !arguments.plain,
            optimise: !arguments.plain,
        },
        all_errors: arguments.all_errors,
        shortest: arguments.shortest,
        strict_ends: arguments.strict_ends,
        weak_fairness: arguments.fair,
        workers: arguments.workers.max(1),
        limits: Limits {
            max_states: arguments.max_states,
            max_memory_bytes: arguments.max_memory,
            deadline,
            interrupt,
        },
    })
}

fn bad_input(json: bool, failure: &Failure) -> u8 {
    if json {
        let value = serde_json::json!({
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

fn show(arguments: &CheckArguments, checked: &Checked) -> u8 {
    let report = &checked.report;
    if arguments.json {
        let peak = peak_memory_bytes().unwrap_or(report.statistics.peak_memory_bytes);
        let warnings = report::diagnostics_json(&checked.sources, &checked.warnings);
        out(&report::check_json(report, peak, warnings));
    } else {
        diagnostics(&checked.sources, &checked.warnings);
        match arguments.trace {
            TraceFormat::Text => out(&report::check_text(report, true)),
            TraceFormat::Json | TraceFormat::Svg => {
                err(&report::check_text(report, false));
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
        let path = arguments.trace_file.clone().unwrap_or_else(|| {
            let name = arguments.model.file_name().unwrap_or_default().to_string_lossy();
            Path::new(&format!("{name}.trail.json")).to_path_buf()
        });
        match std::fs::write(&path, report::trace_json(&report.model, &property.name, trace)) {
            Ok(()) if !arguments.json => {
                let model = arguments.model.display();
                err(&format!("saved; `probity simulate {model} --replay {}` plays it\n", path.display()));
            }
            Ok(()) => {}
            Err(error) => err(&format!("probity: cannot save the trace to {}: {error}\n", path.display())),
        }
    }
    match report.verdict {
        Verdict::Holds => HOLDS,
        Verdict::Violated => VIOLATED,
        Verdict::Unknown(_) => UNKNOWN,
    }
}

fn first_trace(properties: &[PropertyReport]) -> Option<(&PropertyReport, &verdict::Trace)> {
    properties.iter().find_map(|property| property.trace.as_ref().map(|trace| (property, trace)))
}
