//! `probity simulate -i`: a run by hand, with steps taken back, looked at and run on.

use std::io::{BufRead, Write};

use session::{Choice, Simulator};
use verdict::TraceStep;

use crate::output::{err, out};
use crate::simulate::{choices, ended, show};
use crate::{HOLDS, UNKNOWN, VIOLATED};

const HELP: &str = "  NUMBER          take this step
  (empty)         take the only step there is
  u [N]           undo the last step, or the last N
  s               show the state: variables, channels, processes
  r [N]           run on by N steps chosen at random (1)
  r end           run on to the end
  r line N        run on until a statement of line N was executed
  r process P     run on until a process of this name, or with this pid, has moved
  l               list the steps again
  q               quit
";

/// What was asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Request {
    Take(usize),
    Undo(usize),
    State,
    Run(Until),
    List,
    Help,
    Quit,
}

/// How far to run on.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Until {
    Steps(usize),
    End,
    Line(u32),
    Process(String),
}

impl Until {
    fn is_reached(&self, step: &TraceStep, taken: usize) -> bool {
        let sides = || std::iter::once(step).chain(step.partner.as_deref());
        match self {
            Until::Steps(steps) => taken >= *steps,
            Until::End => false,
            Until::Line(line) => sides().any(|side| side.line == *line),
            Until::Process(name) => {
                sides().any(|side| side.process == *name || side.pid.to_string() == *name)
            }
        }
    }
}

fn read(line: &str, choices: usize) -> Option<Request> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let count = |word: &str| word.parse::<usize>().ok();
    Some(match words[..] {
        [] if choices == 1 => Request::Take(0),
        ["u" | "undo"] => Request::Undo(1),
        ["u" | "undo", steps] => Request::Undo(count(steps)?),
        ["s" | "state"] => Request::State,
        ["r" | "run"] => Request::Run(Until::Steps(1)),
        ["r" | "run", "end"] => Request::Run(Until::End),
        ["r" | "run", steps] => Request::Run(Until::Steps(count(steps)?)),
        ["r" | "run", "line", line] => Request::Run(Until::Line(line.parse().ok()?)),
        ["r" | "run", "process", name] => Request::Run(Until::Process(name.to_string())),
        ["l" | "list"] => Request::List,
        ["h" | "help" | "?"] => Request::Help,
        ["q" | "quit"] => Request::Quit,
        [number] => Request::Take(count(number)?.checked_sub(1).filter(|number| *number < choices)?),
        _ => return None,
    })
}

/// Asks for commands until `q` or the end of the input. Random runs stop after so many steps.
pub(crate) fn converse(simulator: &mut Simulator<'_>, longest: usize) -> u8 {
    simulator.remember();
    // After how many steps something went wrong.
    let mut faults: Vec<usize> = Vec::new();
    let mut is_listed = false;
    loop {
        faults.retain(|step| *step <= simulator.length());
        let Some(choices) = choices(simulator) else { return UNKNOWN };
        let code = if faults.is_empty() { HOLDS } else { VIOLATED };
        if !is_listed {
            list(simulator, &choices);
        }
        is_listed = true;
        let Some(line) = ask(choices.len()) else {
            return if choices.is_empty() && !simulator.is_valid_end() { VIOLATED } else { code };
        };
        match read(&line, choices.len()) {
            Some(Request::Take(number)) => {
                take(simulator, &choices[number], &mut faults);
                is_listed = false;
            }
            Some(Request::Undo(steps)) => {
                simulator.undo(steps);
                is_listed = false;
            }
            Some(Request::Run(until)) => {
                run(simulator, &until, longest, &mut faults);
                is_listed = false;
            }
            Some(Request::State) => out(&report::snapshot_text(&simulator.snapshot())),
            Some(Request::List) => is_listed = false,
            Some(Request::Help) => out(HELP),
            Some(Request::Quit) => return code,
            None => out("that is neither a step nor a command; h tells what there is\n"),
        }
    }
}

fn list(simulator: &Simulator<'_>, choices: &[Choice]) {
    if choices.is_empty() {
        ended(simulator);
    }
    for (index, choice) in choices.iter().enumerate() {
        out(&format!("  [{}] {}\n", index + 1, report::step_line(&choice.step)));
    }
}

fn ask(choices: usize) -> Option<String> {
    out(&match choices {
        0 => "u, s, h or q: ".to_string(),
        1 => "choose 1, or h for help: ".to_string(),
        count => format!("choose 1-{count}, or h for help: "),
    });
    let _ = std::io::stdout().flush();
    let mut line = String::new();
    match std::io::stdin().lock().read_line(&mut line) {
        Ok(0) | Err(_) => None,
        Ok(_) => Some(line),
    }
}

/// Takes a step and shows it. False where the run cannot go on or something is wrong with the step.
fn take(simulator: &mut Simulator<'_>, choice: &Choice, faults: &mut Vec<usize>) -> bool {
    show(&choice.step, simulator.length() + 1, false);
    let went_on = simulator.take(choice);
    if let Some(fault) = choice.fault {
        err(&format!("probity: {fault}\n"));
        faults.push(simulator.length());
    }
    went_on && choice.fault.is_none()
}

fn run(simulator: &mut Simulator<'_>, until: &Until, longest: usize, faults: &mut Vec<usize>) {
    for taken in 1..=longest {
        let Some(choices) = choices(simulator).filter(|choices| !choices.is_empty()) else { return };
        let picked = simulator.pick(choices.len());
        let choice = &choices[picked];
        if !take(simulator, choice, faults) || until.is_reached(&choice.step, taken) {
            return;
        }
    }
    err(&format!("stopped after {longest} steps\n"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_understood() {
        assert_eq!(read("2", 3), Some(Request::Take(1)));
        assert_eq!(read("4", 3), None);
        assert_eq!(read("0", 3), None);
        assert_eq!(read(" ", 1), Some(Request::Take(0)));
        assert_eq!(read("", 2), None);
        assert_eq!(read("u 3", 0), Some(Request::Undo(3)));
        assert_eq!(read("r", 2), Some(Request::Run(Until::Steps(1))));
        assert_eq!(read("run end", 2), Some(Request::Run(Until::End)));
        assert_eq!(read("r line 12", 2), Some(Request::Run(Until::Line(12))));
        assert_eq!(read("r process client", 2), Some(Request::Run(Until::Process("client".to_string()))));
        assert_eq!(read("r away", 2), None);
    }
}
