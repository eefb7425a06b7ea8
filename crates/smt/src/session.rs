//! A conversation with a solver: assertions on a stack, questions about them.
//!
//! Nothing is sent before an answer is needed. `script` is the text of the whole stack and `sent` says how much of it
//! the solver has; taking back what was never sent costs nothing. Declarations are global in the solver and live
//! apart from the stack. As both texts are kept, a solver that died or was killed is replaced by a new one that is
//! told everything again.
//!
//! Every answer is followed by an echo with a number of its own, so lines too many or too few cannot be taken for
//! the answer to another question. A solver that reported an error may not have the stack that we think it has: its
//! answer does not count, and it is replaced.

mod life;
mod reuse;

use std::fmt::Write;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::answer::{Answer, Budget, UnknownReason};
use crate::digest::Digest;
use crate::kept::Reuse;
use crate::limits;
use crate::log::Log;
use crate::model::{ModelValue, read_value};
use crate::node::Term;
use crate::patience::{Patience, ProcessorTime};
use crate::print::print_term;
use crate::process::{Interruption, Process, SENTINELS};
use crate::profile::Profile;
use crate::recognise::is_reliable_on_products;
use crate::reply::{Exhausted, Reply, reason_for};
use crate::solver::{Manner, SolverError, SolverKind, SolverOptions};
use crate::standby::Standby;
use crate::symbols::Symbols;
use crate::terms::Terms;

/// What a caller may choose about a session beside the solver.
#[derive(Default)]
pub struct SessionOptions {
    /// Where to write everything that is said, as a script that can be run again.
    pub log: Option<Box<dyn io::Write + Send>>,
    /// Count instances of quantifiers; see [`Session::profile`].
    pub profile: bool,
    /// Stop waiting soon after somebody sets this.
    pub interrupt: Arc<AtomicBool>,
    /// Where to take processes from. With it, a session has no process before its first question.
    pub standby: Option<Arc<Standby>>,
    /// Who tells how much a process works; by default, the clock on the wall stands for it.
    pub processor_time: Option<ProcessorTime>,
    /// Answers that were given before. With them, too, a session has no process before it needs one.
    pub reuse: Option<Reuse>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SessionStatistics {
    pub queries: u64,
    /// How many of them were answered from before.
    pub reused: u64,
    /// Time between questions and their answers.
    pub time: Duration,
    /// Resource units that Z3 counted, now or when it was asked.
    pub resources: u64,
    /// Processes beyond the first.
    pub restarts: u64,
}

/// A solver and what it was told; can be handed to another thread.
pub struct Session {
    options: SolverOptions,
    manner: Manner,
    profiling: bool,
    interrupt: Arc<AtomicBool>,
    log: Option<Log>,
    standby: Option<Arc<Standby>>,
    processor_time: Option<ProcessorTime>,
    /// Whether there has ever been a process.
    is_started: bool,
    /// How long processes were waited for that never said a word, since the last one that did.
    silence: Duration,
    /// Whether the solver is given up for that.
    is_mute: bool,
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
    /// What Z3's counter showed last.
    counter: u64,
    sentinel: u64,
    /// What solvers that are gone told about quantifiers.
    instances: Profile,
    statistics: SessionStatistics,
    reuse: Option<Reuse>,
    /// Of what was said, where answers are kept.
    digest: Digest,
    /// The part of keys that does not change.
    base: Option<[u8; 32]>,
}

impl Session {
    /// Returns at once; whether the solver works is known at the first answer.
    pub fn start(
        options: &SolverOptions,
        log: Option<Box<dyn io::Write + Send>>,
    ) -> Result<Session, SolverError> {
        Session::start_with(options, SessionOptions { log, ..SessionOptions::default() })
    }

    pub fn start_with(options: &SolverOptions, settings: SessionOptions) -> Result<Session, SolverError> {
        let mut session = Session::idle(options, settings.interrupt);
        session.profiling = settings.profile && options.kind == SolverKind::Z3;
        session.log = settings.log.map(Log);
        session.standby = settings.standby;
        session.processor_time = settings.processor_time;
        session.reuse = settings.reuse;
        if session.standby.is_none() && session.reuse.is_none() {
            session.launch()?;
        }
        Ok(session)
    }

    /// Another session with the same solver, which is told nothing of this one and is better at products; `None` if the
    /// solver has no procedure for these beside its usual one that could be relied on. Its process is started with the
    /// first question.
    pub fn for_products(&self) -> Option<Session> {
        let session = self.in_manner(Manner::Products)?;
        is_reliable_on_products(&self.options.path).then_some(session)
    }

    /// The same, with quantifiers that are instantiated by values of models as well. Its *sat* means that there is a
    /// model of all that it was told.
    pub fn for_values(&self) -> Option<Session> {
        self.in_manner(Manner::Values)
    }

    fn in_manner(&self, manner: Manner) -> Option<Session> {
        let is_other = self.options.kind == SolverKind::Z3 && self.manner == Manner::Usual;
        is_other.then(|| Session {
            manner,
            processor_time: self.processor_time.clone(),
            reuse: self.reuse.clone(),
            ..Session::idle(&self.options, self.interrupt.clone())
        })
    }

    /// Without a process.
    fn idle(options: &SolverOptions, interrupt: Arc<AtomicBool>) -> Session {
        Session {
            options: options.clone(),
            manner: Manner::Usual,
            profiling: false,
            interrupt,
            log: None,
            standby: None,
            processor_time: None,
            is_started: false,
            silence: Duration::ZERO,
            is_mute: false,
            process: None,
            symbols: Symbols::default(),
            declared: 0,
            script: String::new(),
            sent: 0,
            frames: Vec::new(),
            pops: 0,
            counter: 0,
            sentinel: 0,
            instances: Profile::default(),
            statistics: SessionStatistics::default(),
            reuse: None,
            digest: Digest::default(),
            base: None,
        }
    }

    pub fn statistics(&self) -> SessionStatistics {
        self.statistics
    }

    /// The answers from before, where there are any.
    pub fn reuse(&self) -> Option<&Reuse> {
        self.reuse.as_ref()
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
        self.digest.pop(kept, start);
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

    /// Writes a comment into the log, where there is one.
    pub fn remark(&mut self, text: &str) {
        if let Some(log) = &mut self.log {
            log.remarks([text]);
        }
    }

    // ---- questions ----

    /// Are the assertions satisfiable?
    pub fn check(&mut self, budget: &Budget) -> Answer {
        // Z3 takes another solver where nothing was ever pushed.
        let is_base = self.frames.is_empty();
        if is_base {
            self.push();
        }
        let answer = self.ask(budget);
        if is_base {
            self.pop(1);
        }
        answer
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

    /// Does the goal follow from the assertions and the facts? The solver sees the facts together with the goal, not
    /// before it, so that the goal directs the search from the beginning.
    pub fn prove_from(&mut self, terms: &Terms, facts: &[Term], goal: Term, budget: &Budget) -> Answer {
        if terms.is_true(goal) {
            return Answer::Unsat;
        }
        self.push_negation(terms, goal);
        for fact in facts {
            self.assert(terms, *fact);
        }
        let answer = self.ask(budget);
        self.pop(1);
        answer
    }

    /// As [`Session::prove`]; if the goal is not proved and the solver has a model, or something that might be one,
    /// also the values of the terms given, in their order.
    pub fn prove_with_model(
        &mut self,
        terms: &Terms,
        goal: Term,
        budget: &Budget,
        values: &[Term],
    ) -> (Answer, Option<Vec<ModelValue>>) {
        if terms.is_true(goal) {
            return (Answer::Unsat, None);
        }
        self.push_negation(terms, goal);
        // Before the question, so that everything they mention is declared when the model is made.
        let texts: Vec<String> = values
            .iter()
            .map(|value| {
                let mut text = String::new();
                print_term(terms, *value, &mut self.symbols, self.options.kind, &mut text);
                text
            })
            .collect();
        let answer = self.ask_solver(budget);
        let model = match answer {
            Answer::Sat | Answer::Unknown(UnknownReason::Incomplete | UnknownReason::Arithmetic) => {
                self.values(terms, values, &texts, budget)
            }
            _ => None,
        };
        self.pop(1);
        (answer, model)
    }

    fn push_negation(&mut self, terms: &Terms, goal: Term) {
        self.push();
        self.script.push_str("(assert (not ");
        print_term(terms, goal, &mut self.symbols, self.options.kind, &mut self.script);
        self.script.push_str("))\n");
    }

    fn values(
        &mut self,
        terms: &Terms,
        values: &[Term],
        texts: &[String],
        budget: &Budget,
    ) -> Option<Vec<ModelValue>> {
        let time = if *budget == Budget::UNLIMITED { Some(limits::READING_TIME) } else { budget.wall };
        let mut patience = Patience::new(Instant::now(), time, budget.longest_work());
        let first = self.sentinel + 1;
        let mut commands = String::new();
        for text in texts {
            // One by one: a value that cannot be had must not spoil the others.
            let _ = writeln!(commands, "(get-value ({text}))");
            self.add_sentinel(&mut commands);
        }
        let replies = self.say(&commands, &mut patience).and_then(|()| {
            (first..=self.sentinel)
                .map(|sentinel| self.hear(sentinel, &mut patience))
                .collect::<Result<Vec<_>, _>>()
        });
        match replies {
            Ok(replies) => Some(
                values
                    .iter()
                    .zip(replies)
                    .map(|(value, lines)| {
                        read_value(&lines.join("\n"), terms.sort_kind(terms.sort_of(*value)))
                    })
                    .collect(),
            ),
            Err(interruption) => {
                self.lose(interruption, &[]);
                None
            }
        }
    }

    /// Puts the question to the solver.
    fn ask_solver(&mut self, budget: &Budget) -> Answer {
        if self.interrupt.load(Ordering::Relaxed) {
            return Answer::Unknown(UnknownReason::Interrupted);
        }
        if self.is_mute || self.standby.as_ref().is_some_and(|standby| standby.is_mute()) {
            return Answer::Unknown(life::mute());
        }
        let is_alive = self.process.as_mut().is_some_and(Process::is_alive);
        if !is_alive {
            let started = if self.is_started { self.restart() } else { self.launch() };
            if let Err(error) = started {
                return Answer::Unknown(UnknownReason::Died(error.to_string()));
            }
        }
        let start = Instant::now();
        self.statistics.queries += 1;
        let answer = self.converse(budget, start);
        self.statistics.time += start.elapsed();
        if let Answer::Unknown(reason) = &answer {
            self.remark(&reason.to_string());
            if let UnknownReason::Error(_) = reason {
                self.abandon();
            }
        }
        answer
    }

    fn converse(&mut self, budget: &Budget, start: Instant) -> Answer {
        let stopping = if self.profiling { limits::STOPPING_TIME } else { Duration::ZERO };
        let [wall, work] = [budget.wall, budget.longest_work()].map(|limit| limit.map(|it| it + stopping));
        let mut patience = Patience::new(start, wall, work);
        let mut text = self.pending();
        self.write_question(&mut text, budget);
        let lines = match self.exchange(text, &mut patience) {
            Ok(lines) => lines,
            Err((Interruption::Deadline, _)) if budget.wall.is_none_or(|wall| start.elapsed() < wall) => {
                self.abandon();
                return Answer::Unknown(UnknownReason::ResourceLimit);
            }
            Err((interruption, lines)) => return Answer::Unknown(self.lose(interruption, &lines)),
        };
        let mut reply = Reply::read(&lines);
        let spent = reply.counter.map_or(0, |counter| self.count_resources(counter));
        match reply.answer(&lines) {
            Ok(Answer::Unknown(UnknownReason::Incomplete)) => {}
            Ok(answer) => return answer,
            Err(reason) => return Answer::Unknown(reason),
        }
        if reply.reason().is_none() {
            reply = match self.exchange("(get-info :reason-unknown)\n".to_owned(), &mut patience) {
                Ok(lines) => Reply::read(&lines),
                Err((interruption, lines)) => return Answer::Unknown(self.lose(interruption, &lines)),
            };
        }
        // Not every version says why it stopped, so what it used counts as well.
        let exhausted = Exhausted {
            resources: budget.resources.map(|limit| spent >= limit),
            time: budget.wall.is_some_and(|wall| start.elapsed() >= wall),
        };
        Answer::Unknown(reason_for(reply.reason().unwrap_or_default(), exhausted))
    }

    fn write_question(&self, text: &mut String, budget: &Budget) {
        match self.options.kind {
            SolverKind::Z3 => {
                // A limit is for one question only where it is lifted again before anything else is said.
                if let Some(limit) = budget.resources {
                    let _ = writeln!(text, "(set-option :rlimit {})", limit.clamp(1, u64::from(u32::MAX)));
                }
                if self.profiling {
                    // A solver that is killed does not tell what it counted.
                    let limit = budget.wall.map_or(u128::from(u32::MAX), |wall| wall.as_millis().max(1));
                    let _ = writeln!(text, "(set-option :timeout {limit})");
                }
                text.push_str("(check-sat)\n");
                if budget.resources.is_some() {
                    text.push_str("(set-option :rlimit 0)\n");
                }
                text.push_str("(get-info :reason-unknown)\n(get-info :rlimit)\n");
            }
            SolverKind::Cvc5 => {
                // Its units are about forty times as large.
                let limit = budget.resources.map_or(0, |limit| (limit / 40).max(1));
                let _ = writeln!(text, "(set-option :reproducible-resource-limit {limit})\n(check-sat)");
            }
        }
    }

    /// Returns what was spent since the last call.
    fn count_resources(&mut self, counter: u64) -> u64 {
        let spent = counter.saturating_sub(self.counter);
        self.statistics.resources += spent;
        self.counter = counter;
        spent
    }

    // ---- the wire ----

    /// What the solver has to be told before the next question.
    fn pending(&mut self) -> String {
        let mut text = String::new();
        if self.pops > 0 {
            let _ = writeln!(text, "(pop {})", self.pops);
            self.pops = 0;
        }
        if let Some(log) = &mut self.log {
            log.remarks(self.symbols.take_news().iter().map(String::as_str));
        }
        text.push_str(&self.symbols.declarations()[self.declared..]);
        self.declared = self.symbols.declarations().len();
        text.push_str(&self.script[self.sent..]);
        self.sent = self.script.len();
        text
    }

    /// Lets the solver read what it will need for the next question while the caller does something else.
    pub fn send(&mut self) {
        // A solver that is still reading will be told the rest with the question.
        if self.process.as_mut().is_some_and(|process| !process.is_busy()) {
            let text = self.pending();
            if let Err(interruption) = self.say(&text, &mut Patience::default()) {
                self.lose(interruption, &[]);
            }
        }
    }

    fn add_sentinel(&mut self, text: &mut String) {
        self.sentinel += 1;
        let _ = writeln!(text, "(echo \"{}{}\")", SENTINELS[0], self.sentinel);
    }

    fn exchange(
        &mut self,
        mut text: String,
        patience: &mut Patience,
    ) -> Result<Vec<String>, (Interruption, Vec<String>)> {
        self.add_sentinel(&mut text);
        self.say(&text, patience).map_err(|interruption| (interruption, Vec::new()))?;
        let mut lines = Vec::new();
        match self.hear_into(&mut lines, self.sentinel, patience) {
            Ok(()) => Ok(lines),
            Err(interruption) => Err((interruption, lines)),
        }
    }

    fn say(&mut self, text: &str, patience: &mut Patience) -> Result<(), Interruption> {
        self.write_log(text);
        self.process.as_mut().ok_or(Interruption::Gone)?.write(text, patience, &self.interrupt)
    }

    fn write_log(&mut self, text: &str) {
        if let Some(log) = &mut self.log {
            let is_sentinel = |line: &&str| line.starts_with("(echo \"probity ");
            for line in text.split_inclusive('\n').filter(|line| !is_sentinel(line)) {
                log.commands(line);
            }
        }
    }

    fn hear(&mut self, sentinel: u64, patience: &mut Patience) -> Result<Vec<String>, Interruption> {
        let mut lines = Vec::new();
        self.hear_into(&mut lines, sentinel, patience)?;
        Ok(lines)
    }

    /// Reads up to the sentinel.
    fn hear_into(
        &mut self,
        lines: &mut Vec<String>,
        sentinel: u64,
        patience: &mut Patience,
    ) -> Result<(), Interruption> {
        let expected = format!("{}{sentinel}", SENTINELS[0]);
        let process = self.process.as_mut().ok_or(Interruption::Gone)?;
        loop {
            let block = process.read_block(patience, &self.interrupt)?;
            lines.extend(block.lines);
            match block.sentinel {
                None => return Err(Interruption::Gone),
                Some(sentinel) if sentinel.trim().trim_matches('"') == expected => break,
                // The sentinel of something nobody waited for.
                Some(_) => {}
            }
        }
        if let Some(log) = &mut self.log {
            log.remarks(lines.iter().map(String::as_str));
        }
        Ok(())
    }
}
