//! Tries many random programs on both sides, counts what happens, and makes small what must not happen.
//!
//! Which programs are tried depends on the seed only, not on the number of jobs; findings are listed in the order of
//! their numbers.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::minimise::minimise;
use super::verifier::{Answer, Verifier, Word};
use super::{Effort, FailingRun, Language, Runs};
use testing::Random;

#[derive(Clone, Debug)]
pub struct Plan {
    pub seed: u64,
    /// Numbers of the programs to try.
    pub first: u64,
    pub programs: u64,
    pub jobs: usize,
    pub effort: Effort,
    /// Start no more programs after this time.
    pub time: Option<Duration>,
    /// Start no more programs once something that must not be was found.
    pub until_found: bool,
    /// Smaller programs to try for each finding.
    pub tries: usize,
    /// Ask the tool only where a run fails, and first only about the members that do. What is not asked about counts as
    /// unknown.
    pub hunt: bool,
}

/// What a campaign has seen.
#[derive(Clone, Default, Debug)]
pub struct Counts {
    pub programs: u64,
    pub holds: u64,
    pub violated: u64,
    pub unknown: u64,
    pub rejected: u64,
    /// Programs with at least one concrete run that came to an end.
    pub executed: u64,
    /// Of those, the ones that hold.
    pub executed_holds: u64,
    /// Programs that the interpreter does not know.
    pub not_executable: u64,
    pub runs: u64,
    /// Programs whose runs have several threads.
    pub threads: u64,
    /// Programs with a failing run.
    pub failing: u64,
    pub wrong_holds: u64,
    /// As wrong holds, but something infinite was cut down in the run.
    pub suspects: u64,
    /// Violated although every run that came to an end passed: for statistics only.
    pub violated_without_run: u64,
    /// Panics of either side.
    pub faults: u64,
    /// How often each code of a failure was reported.
    pub codes: BTreeMap<String, u64>,
}

#[derive(Clone, Debug)]
pub struct Finding {
    pub number: u64,
    pub kind: Kind,
    pub program: String,
    pub minimised: String,
    pub run: Option<FailingRun>,
    pub message: String,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    WrongHolds,
    Suspect,
    Fault,
}

impl Kind {
    pub fn word(self) -> &'static str {
        match self {
            Kind::WrongHolds => "wrong-holds",
            Kind::Suspect => "suspect",
            Kind::Fault => "fault",
        }
    }
}

#[derive(Clone, Default, Debug)]
pub struct Outcome {
    pub counts: Counts,
    pub findings: Vec<Finding>,
    pub time: Duration,
}

/// Tries the programs of a plan. `observe` is told of each finding as soon as it is there, and of the counts so far.
pub fn run(
    language: &dyn Language,
    verifier: &Verifier,
    plan: &Plan,
    observe: &(dyn Fn(&Counts, Option<&Finding>) + Sync),
) -> Outcome {
    let start = Instant::now();
    let next = AtomicU64::new(plan.first);
    let outcome = Mutex::new(Outcome::default());
    let is_found = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..plan.jobs.max(1) {
            let work = || {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let is_late = plan.time.is_some_and(|time| start.elapsed() > time);
                    let is_over = plan.until_found && is_found.load(Ordering::Relaxed);
                    if number >= plan.first + plan.programs || is_late || is_over {
                        break;
                    }
                    let tried = try_one(language, verifier, plan, number);
                    if tried.finding.as_ref().is_some_and(|finding| finding.kind != Kind::Suspect) {
                        is_found.store(true, Ordering::Relaxed);
                    }
                    if let Ok(mut outcome) = outcome.lock() {
                        outcome.counts.add(&tried);
                        observe(&outcome.counts, tried.finding.as_ref());
                        outcome.findings.extend(tried.finding);
                    }
                }
            };
            // Programs may be deep; one large stack serves all of them.
            scope.spawn(move || silver::with_large_stack(work));
        }
    });
    let mut outcome = outcome.into_inner().unwrap_or_default();
    outcome.findings.sort_by_key(|finding| finding.number);
    outcome.time = start.elapsed();
    outcome
}

/// The program with this number.
pub fn program(language: &dyn Language, seed: u64, number: u64) -> String {
    language.generate(&mut Random::nth(seed, number))
}

struct Tried {
    answer: Answer,
    runs: Option<Runs>,
    finding: Option<Finding>,
    is_fault: bool,
}

fn try_one(language: &dyn Language, verifier: &Verifier, plan: &Plan, number: u64) -> Tried {
    let mut program = String::new();
    let work = AssertUnwindSafe(|| {
        program = self::program(language, plan.seed, number);
        let runs = language.execute(&program, &mut Random::nth(!plan.seed, number), &plan.effort).ok();
        let answer = match &runs {
            _ if !plan.hunt => verifier.ask(&program, language.extension()),
            Some(runs) => hunt(language, verifier, &program, runs),
            None => unasked(),
        };
        let finding = runs.as_ref().and_then(|runs| contradiction(language, &program, &answer, runs));
        (answer, runs, finding)
    });
    match std::panic::catch_unwind(work) {
        Err(payload) => {
            let message = payload
                .downcast_ref::<&str>()
                .map(|text| (*text).to_string())
                .or_else(|| payload.downcast_ref::<String>().cloned())
                .unwrap_or_default();
            let finding = Finding {
                number,
                kind: Kind::Fault,
                minimised: program.clone(),
                program,
                run: None,
                message: format!("panic: {message}"),
            };
            Tried { answer: unasked(), runs: None, finding: Some(finding), is_fault: true }
        }
        Ok((answer, runs, found)) => {
            let finding = found.map(|run| {
                let kind = if run.is_exact { Kind::WrongHolds } else { Kind::Suspect };
                let (minimised, run) = smallest(language, verifier, plan, &program, run);
                let message = format!("`{}` fails on line {}: {}", run.member, run.line, run.code);
                Finding { number, kind, program, minimised, run: Some(run), message }
            });
            Tried { answer, runs, finding, is_fault: false }
        }
    }
}

fn unasked() -> Answer {
    Answer { verdict: Word::Unknown, members: Vec::new(), codes: Vec::new() }
}

/// The whole answer, but only if the tool holds a member for right that fails.
fn hunt(language: &dyn Language, verifier: &Verifier, program: &str, runs: &Runs) -> Answer {
    let failing: Vec<String> = runs.failures.iter().map(|run| run.member.clone()).collect();
    if failing.is_empty() {
        return unasked();
    }
    let answer = verifier.ask_about(program, language.extension(), &failing);
    if failing.iter().all(|member| answer.of(member).is_some_and(|word| word != Word::Holds)) {
        return answer;
    }
    verifier.ask(program, language.extension())
}

/// The first failing run that cannot be if the tool is right; exact ones first.
pub fn contradiction(
    language: &dyn Language,
    program: &str,
    answer: &Answer,
    runs: &Runs,
) -> Option<FailingRun> {
    let mut found = runs.failures.iter().filter(|run| language.contradicts(program, answer, run));
    let first = found.next()?;
    let exact = std::iter::once(first).chain(found).find(|run| run.is_exact);
    Some(exact.unwrap_or(first).clone())
}

/// The smallest program found on which the two sides still contradict each other in the same way.
fn smallest(
    language: &dyn Language,
    verifier: &Verifier,
    plan: &Plan,
    program: &str,
    run: FailingRun,
) -> (String, FailingRun) {
    let mut best = run;
    let minimised = minimise(program, plan.tries, &|text| language.smaller(text), &mut |text| {
        // Cheap first: most smaller programs have no failing run.
        let runs = language.execute(text, &mut Random::new(plan.seed), &plan.effort);
        let Ok(runs) = runs else { return false };
        if !runs.failures.iter().any(|run| run.is_exact || !best.is_exact) {
            return false;
        }
        let answer = verifier.ask(text, language.extension());
        match contradiction(language, text, &answer, &runs) {
            Some(run) if run.is_exact == best.is_exact => {
                best = run;
                true
            }
            _ => false,
        }
    });
    (minimised, best)
}

impl Counts {
    fn add(&mut self, tried: &Tried) {
        self.programs += 1;
        let counter = match tried.answer.verdict {
            Word::Holds => &mut self.holds,
            Word::Violated => &mut self.violated,
            Word::Unknown => &mut self.unknown,
            Word::Rejected => &mut self.rejected,
        };
        *counter += 1;
        for code in &tried.answer.codes {
            *self.codes.entry(code.clone()).or_default() += 1;
        }
        self.faults += u64::from(tried.is_fault);
        match &tried.runs {
            None => self.not_executable += u64::from(!tried.is_fault),
            Some(runs) => {
                self.runs += (runs.complete + runs.pruned + runs.given_up) as u64;
                self.executed += u64::from(runs.complete > 0);
                let holds = tried.answer.verdict == Word::Holds;
                self.executed_holds += u64::from(runs.complete > 0 && holds);
                self.threads += u64::from(runs.threads > 1);
                self.failing += u64::from(!runs.failures.is_empty());
                let is_violated = tried.answer.verdict == Word::Violated;
                self.violated_without_run +=
                    u64::from(is_violated && runs.complete > 0 && runs.failures.is_empty());
            }
        }
        match tried.finding.as_ref().map(|finding| finding.kind) {
            Some(Kind::WrongHolds) => self.wrong_holds += 1,
            Some(Kind::Suspect) => self.suspects += 1,
            Some(Kind::Fault) | None => {}
        }
    }

    /// One line for each number.
    pub fn table(&self) -> String {
        let rows = [
            ("programs", self.programs),
            ("hold", self.holds),
            ("fail", self.violated),
            ("unknown", self.unknown),
            ("rejected", self.rejected),
            ("executed to an end at least once", self.executed),
            ("of those that hold", self.executed_holds),
            ("not executable", self.not_executable),
            ("concrete runs", self.runs),
            ("programs with threads", self.threads),
            ("programs with a failing run", self.failing),
            ("WRONG HOLDS", self.wrong_holds),
            ("suspects (something infinite was cut down)", self.suspects),
            ("violated, but all runs pass", self.violated_without_run),
            ("faults", self.faults),
        ];
        rows.iter().map(|(name, number)| format!("{name}\t{number}\n")).collect()
    }
}
