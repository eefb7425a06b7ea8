//! A conversation with a solver: assertions on a stack, questions about them.
//!
//! Nothing is sent before an answer is needed. `script` is the text of the whole stack and `sent` says how much of it
//! the solver has; taking back what was never sent costs nothing. Declarations are global in the solver and live
//! apart from the stack. As both texts are kept, a solver that died or was killed is replaced by a new one that is
//! told everything again.
//!
//! Every answer is followed by an echo with a number of its own, so lines too many or too few cannot be taken for
//! the answer to another question; anything but one plain answer is an error, which never counts as *unsat*.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::answer::{Answer, Budget, UnknownReason};
use crate::node::Term;
use crate::print::print_term;
use crate::process::{Interruption, Process};
use crate::solver::{SolverError, SolverKind, SolverOptions};
use crate::symbols::Symbols;
use crate::terms::Terms;

/// What a caller may choose about a session beside the solver.
#[derive(Clone, Debug, Default)]
pub struct SessionOptions {
    /// Where to write everything that is said, as a script that can be run again.
    pub log: Option<PathBuf>,
    /// Count instances of quantifiers.
    pub profile: bool,
    /// Stop waiting soon after somebody sets this.
    pub interrupt: Arc<AtomicBool>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SessionStatistics {
    pub queries: u64,
    /// Time between a question and its answer.
    pub time: Duration,
    /// Resource units that Z3 counted.
    pub resources: u64,
    /// Processes beyond the first.
    pub restarts: u64,
}

pub struct Session {
    options: SolverOptions,
    settings: SessionOptions,
    process: Option<Process>,
    symbols: Symbols,
    /// How much of the declarations the solver has.
    declared: usize,
    /// The assertions and pushes of the current stack.
    script: String,
    /// How much of the script the solver has.
    sent: usize,
    /// Where the frames start in the script, at their push.
    frames: Vec<usize>,
    /// Frames that the solver has and that are gone here.
    pops: usize,
    /// The resource limit that the solver was told.
    limit: u64,
    /// What Z3's counter showed last.
    counter: u64,
    sentinel: u64,
    statistics: SessionStatistics,
}

impl Session {
    /// Returns at once; whether the solver works is known at the first answer.
    pub fn start(options: &SolverOptions, log: Option<PathBuf>) -> Result<Session, SolverError> {
        Session::start_with(options, SessionOptions { log, ..SessionOptions::default() })
    }

    pub fn start_with(options: &SolverOptions, settings: SessionOptions) -> Result<Session, SolverError> {
        let mut session = Session {
            options: options.clone(),
            settings,
            process: None,
            symbols: Symbols::default(),
            declared: 0,
            script: String::new(),
            sent: 0,
            frames: Vec::new(),
            pops: 0,
            limit: 0,
            counter: 0,
            sentinel: 0,
            statistics: SessionStatistics::default(),
        };
        session.launch()?;
        Ok(session)
    }

    pub fn statistics(&self) -> SessionStatistics {
        self.statistics
    }

    pub fn solver(&self) -> &SolverOptions {
        &self.options
    }

    // ---- the stack ----

    /// The number of pushes that were not popped.
    pub fn depth(&self) -> usize {
        self.frames.len()
    }

    pub fn push(&mut self) {
        self.frames.push(self.script.len());
        self.script.push_str("(push 1)\n");
    }

    /// Takes the last `count` frames back, or all if there are fewer.
    pub fn pop(&mut self, count: usize) {
        let kept = self.frames.len().saturating_sub(count);
        let Some(start) = self.frames.get(kept).copied() else { return };
        // What was pushed and never sent needs no pop.
        self.pops += self.frames[kept..].iter().filter(|frame| **frame < self.sent).count();
        self.frames.truncate(kept);
        self.script.truncate(start);
        self.sent = self.sent.min(start);
    }

    pub fn assert(&mut self, terms: &Terms, term: Term) {
        debug_assert_eq!(terms.sort_of(term), terms.bool_sort(), "only formulas can be asserted");
        if terms.is_true(term) {
            return;
        }
        self.script.push_str("(assert ");
        print_term(terms, term, &mut self.symbols, self.options.kind, &mut self.script);
        self.script.push_str(")\n");
    }

    // ---- questions ----

    /// Are the assertions satisfiable?
    pub fn check(&mut self, _terms: &Terms, budget: &Budget) -> Answer {
        self.ask(budget)
    }

    /// Does the goal follow from the assertions? If so, the answer is [`Answer::Unsat`].
    pub fn prove(&mut self, terms: &Terms, goal: Term, budget: &Budget) -> Answer {
        if terms.is_true(goal) {
            return Answer::Unsat;
        }
        self.push_negation(terms, goal);
        let answer = self.ask(budget);
        self.pop(1);
        answer
    }

    fn push_negation(&mut self, terms: &Terms, goal: Term) {
        self.push();
        self.script.push_str("(assert (not ");
        print_term(terms, goal, &mut self.symbols, self.options.kind, &mut self.script);
        self.script.push_str("))\n");
    }

    fn ask(&mut self, budget: &Budget) -> Answer {
        if self.settings.interrupt.load(Ordering::Relaxed) {
            return Answer::Unknown(UnknownReason::Interrupted);
        }
        if self.process.is_none()
            && let Err(error) = self.restart()
        {
            return Answer::Unknown(UnknownReason::Died(error.to_string()));
        }
        let start = Instant::now();
        let deadline = budget.wall.map(|wall| start + wall);
        self.statistics.queries += 1;
        let answer = self.converse(budget, deadline);
        self.statistics.time += start.elapsed();
        answer.unwrap_or_else(|interruption| Answer::Unknown(self.lose(interruption)))
    }

    fn converse(&mut self, budget: &Budget, deadline: Option<Instant>) -> Result<Answer, Interruption> {
        let mut text = self.pending(budget.resources.unwrap_or(0));
        text.push_str("(check-sat)\n");
        if self.options.kind == SolverKind::Z3 {
            text.push_str("(get-info :reason-unknown)\n(get-info :rlimit)\n");
        }
        let lines = self.exchange(text, deadline)?;
        let mut verdicts = Vec::new();
        let mut reason = None;
        let mut error = None;
        for line in &lines {
            match line.trim() {
                "sat" => verdicts.push(Answer::Sat),
                "unsat" => verdicts.push(Answer::Unsat),
                "unknown" => verdicts.push(Answer::Unknown(UnknownReason::Incomplete)),
                other => {
                    if let Some(text) = other.strip_prefix("(:reason-unknown ") {
                        reason = Some(text.trim_end_matches(')').to_owned());
                    } else if let Some(count) = other.strip_prefix("(:rlimit ") {
                        self.count_resources(count.trim_end_matches(')'));
                    } else if other.starts_with("(error") && error.is_none() {
                        error = Some(other.to_owned());
                    }
                }
            }
        }
        if let Some(error) = error {
            return Ok(Answer::Unknown(UnknownReason::Error(error)));
        }
        match verdicts[..] {
            [Answer::Unknown(_)] => {}
            [ref answer] => return Ok(answer.clone()),
            _ => {
                let said = format!("no answer in {:?}", lines.join(" "));
                return Ok(Answer::Unknown(UnknownReason::Error(said)));
            }
        }
        if reason.is_none() {
            let lines = self.exchange("(get-info :reason-unknown)\n".to_owned(), deadline)?;
            reason = lines
                .iter()
                .find_map(|line| line.trim().strip_prefix("(:reason-unknown "))
                .map(|text| text.trim_end_matches(')').to_owned());
        }
        Ok(Answer::Unknown(reason_for(&reason.unwrap_or_default())))
    }

    fn count_resources(&mut self, shown: &str) {
        if let Ok(counter) = shown.parse::<u64>() {
            // The counter of Z3 is for the whole process and may wrap round.
            self.statistics.resources += counter.saturating_sub(self.counter);
            self.counter = counter;
        }
    }

    /// What the solver has to be told before the next question.
    fn pending(&mut self, limit: u64) -> String {
        use std::fmt::Write;
        let mut text = String::new();
        if self.pops > 0 {
            let _ = writeln!(text, "(pop {})", self.pops);
            self.pops = 0;
        }
        text.push_str(&self.symbols.declarations()[self.declared..]);
        self.declared = self.symbols.declarations().len();
        text.push_str(&self.script[self.sent..]);
        self.sent = self.script.len();
        if limit != self.limit {
            let name = if self.options.kind == SolverKind::Z3 { "rlimit" } else { "rlimit-per" };
            let _ = writeln!(text, "(set-option :{name} {limit})");
            self.limit = limit;
        }
        text
    }

    /// Says something and returns the lines up to its sentinel.
    fn exchange(&mut self, mut text: String, deadline: Option<Instant>) -> Result<Vec<String>, Interruption> {
        self.sentinel += 1;
        let sentinel = format!("probity {}", self.sentinel);
        text.push_str("(echo \"");
        text.push_str(&sentinel);
        text.push_str("\")\n");
        let flag = self.settings.interrupt.clone();
        let process = self.process.as_mut().ok_or(Interruption::Gone)?;
        process.write(&text, deadline, &flag)?;
        let mut lines = Vec::new();
        loop {
            let line = process.read_line(deadline, &flag)?;
            if line.trim().trim_matches('"') == sentinel {
                return Ok(lines);
            }
            lines.push(line);
        }
    }

    // ---- life and death ----

    /// Starts a process and forgets what the last one knew.
    fn launch(&mut self) -> Result<(), SolverError> {
        self.declared = 0;
        self.sent = 0;
        self.pops = 0;
        self.limit = 0;
        self.counter = 0;
        let mut command = Command::new(&self.options.path);
        command.args(self.options.arguments());
        let mut process = Process::start(command)
            .map_err(|error| SolverError::Start(self.options.path.clone(), error.to_string()))?;
        // A solver that does not listen is noticed when it does not answer.
        let _ = process.write(&self.options.preamble(self.settings.profile), None, &AtomicBool::new(false));
        self.process = Some(process);
        Ok(())
    }

    /// Replaces the process; the next question tells the new one everything again.
    pub fn restart(&mut self) -> Result<(), SolverError> {
        self.process = None;
        self.statistics.restarts += 1;
        self.launch()
    }

    fn lose(&mut self, interruption: Interruption) -> UnknownReason {
        let mut process = self.process.take();
        match interruption {
            Interruption::Deadline => UnknownReason::Timeout,
            Interruption::Flag => UnknownReason::Interrupted,
            Interruption::Gone => {
                UnknownReason::Died(process.as_mut().map(Process::obituary).unwrap_or_default())
            }
        }
    }
}

fn reason_for(text: &str) -> UnknownReason {
    let text = text.trim_matches('"');
    if text.contains("resource") {
        UnknownReason::ResourceLimit
    } else if text.contains("timeout") || text.contains("canceled") || text.contains("interrupted") {
        UnknownReason::Timeout
    } else if text.contains("memory") || text.contains("memout") {
        UnknownReason::Error(text.to_owned())
    } else {
        UnknownReason::Incomplete
    }
}
