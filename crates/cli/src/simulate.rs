//! `probity simulate`

use session::{Choice, NoRun, Registry, Simulator, UseOf, load_model};

use crate::arguments::SimulateArguments;
use crate::check::load_options;
use crate::conversation::converse;
use crate::files::misplaced;
use crate::output::{diagnostics, err, out};
use crate::{BAD_INPUT, HOLDS, UNKNOWN, VIOLATED};

pub(crate) fn run(arguments: &SimulateArguments) -> u8 {
    let is_piped = session::is_standard_input(&arguments.model);
    let misplaced = misplaced([arguments.model.as_path()], UseOf::Models);
    let choices_missing = (is_piped && arguments.interactive)
        .then(|| "choices are read from standard input, so the model has to come from a file".to_string());
    if let Some(message) = misplaced.or(choices_missing) {
        err(&format!("probity: {message}\n"));
        return BAD_INPUT;
    }
    let loaded = match load_model(&Registry::standard(), &arguments.model, &load_options(&arguments.source)) {
        Ok(loaded) => loaded,
        Err(failure) => {
            diagnostics(&failure.sources, &failure.diagnostics);
            if let Some(message) = &failure.message {
                err(&format!("probity: {message}\n"));
            }
            return BAD_INPUT;
        }
    };
    diagnostics(&loaded.sources, &loaded.warnings);
    let stored = match &arguments.replay {
        Some(path) => match session::read_text(path).and_then(|text| report::read_trace(&text)) {
            Ok(stored) => Some(stored),
            Err(message) => {
                err(&format!("probity: {}: {message}\n", path.display()));
                return BAD_INPUT;
            }
        },
        None => None,
    };
    let mut simulator = match Simulator::new(&loaded, arguments.seed) {
        Ok(simulator) => simulator,
        Err(NoRun::Failure(failure)) => {
            diagnostics(&loaded.sources, &failure.diagnostics);
            return BAD_INPUT;
        }
        Err(NoRun::NoInitialState(message)) => {
            err(&format!("probity: in the initial values: {message}\n"));
            return VIOLATED;
        }
    };
    match stored {
        Some(stored) => replay(&mut simulator, &stored, arguments.quiet),
        None if arguments.interactive => converse(&mut simulator, arguments.steps),
        None => go(&mut simulator, arguments),
    }
}

pub(crate) fn show(step: &verdict::TraceStep, number: usize, quiet: bool) {
    if quiet {
        out(step.output.as_deref().unwrap_or_default());
    } else {
        out(&format!("{number:>5}  {}\n", report::step_line(step)));
    }
}

/// What can happen next; where that cannot be computed, an error is shown.
pub(crate) fn choices(simulator: &mut Simulator<'_>) -> Option<Vec<Choice>> {
    simulator.choices().map_err(|sentence| err(&format!("probity: {sentence}\n"))).ok()
}

fn go(simulator: &mut Simulator<'_>, arguments: &SimulateArguments) -> u8 {
    for number in 1..=arguments.steps {
        let Some(choices) = choices(simulator) else { return UNKNOWN };
        if choices.is_empty() {
            return ended(simulator);
        }
        let picked = simulator.pick(choices.len());
        let choice = &choices[picked];
        show(&choice.step, number, arguments.quiet);
        if let Some(fault) = choice.fault {
            err(&format!("probity: {fault}\n"));
            return VIOLATED;
        }
        if !simulator.take(choice) {
            return VIOLATED;
        }
    }
    err(&format!("stopped after {} steps\n", arguments.steps));
    UNKNOWN
}

pub(crate) fn ended(simulator: &Simulator<'_>) -> u8 {
    if simulator.is_valid_end() {
        err("the run has ended\n");
        HOLDS
    } else {
        err("nothing can move:\n");
        err(&report::waiting_text(&simulator.waiting()));
        VIOLATED
    }
}

fn replay(simulator: &mut Simulator<'_>, stored: &report::StoredTrace, quiet: bool) -> u8 {
    let has_cycle = stored.steps.len() > stored.stem;
    for (index, step) in stored.steps.iter().enumerate() {
        if has_cycle && index == stored.stem && !quiet {
            out("       ---- the cycle ----\n");
        }
        let Some(choices) = choices(simulator) else { return UNKNOWN };
        let fits = |choice: &&Choice| {
            let found = &choice.step;
            found.pid == step.pid
                && found.edge == step.edge
                && found.statement == step.statement
                && found.partner.as_ref().map(|partner| (partner.pid, partner.edge)) == step.partner
        };
        let Some(choice) = choices.iter().find(fits) else {
            err(&format!(
                "probity: step {} of the trace cannot be executed: has the model changed?\n",
                index + 1
            ));
            return BAD_INPUT;
        };
        show(&choice.step, index + 1, quiet);
        // A run that refutes a formula goes on after an assertion that fails on the way.
        let is_last = index + 1 == stored.steps.len();
        if let Some(fault) = choice.fault {
            err(&format!("probity: {fault}\n"));
            if is_last && stored.refutes.is_none() {
                return VIOLATED;
            }
        }
        if !simulator.take(choice) {
            return VIOLATED;
        }
    }
    if has_cycle && !quiet {
        out("       ---- and so on ----\n");
    }
    if let Some(what) = &stored.refutes {
        err(&format!("{what}\n"));
        return VIOLATED;
    }
    if has_cycle {
        return VIOLATED;
    }
    match choices(simulator) {
        Some(choices) if choices.is_empty() => ended(simulator),
        Some(_) => HOLDS,
        None => UNKNOWN,
    }
}
