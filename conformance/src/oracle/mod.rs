//! An oracle that shares nothing with the engines: concrete interpreters, random programs, and campaigns over both.
//!
//! A program that the tool calls *holding* although a concrete run of it fails is a defect. Each language brings an
//! interpreter written from its definition and a generator ([`Language`]); how programs are tried, counted, made small
//! and kept is common ([`campaign`], [`minimise`]), and so is who answers for the tool ([`verifier`]).

pub mod campaign;
pub mod minimise;
pub mod pvl;
pub mod silver;
pub mod verifier;

use std::collections::BTreeMap;

use self::verifier::Answer;
use testing::Random;

/// What a campaign needs to know of a language. Programs travel as texts, so that what is kept is what was tried.
pub trait Language: Sync {
    /// As it is named on the command line.
    fn name(&self) -> &'static str;
    /// Of files, without the dot.
    fn extension(&self) -> &'static str;
    /// A program; the same source of numbers gives the same program.
    fn generate(&self, random: &mut Random) -> String;
    /// Executes the program, with starting states and choices drawn from `random`; an error says what the interpreter
    /// does not know.
    fn execute(&self, text: &str, random: &mut Random, effort: &Effort) -> Result<Runs, String>;
    /// Programs that are one step smaller, the most promising first. They need not be well typed.
    fn smaller(&self, text: &str) -> Vec<String>;
    /// The program with `assert false` at each of its points, one at a time.
    fn with_false(&self, text: &str) -> Vec<Point>;
    /// Whether what the tool says rules out that this run fails.
    fn contradicts(&self, _text: &str, answer: &Answer, _run: &FailingRun) -> bool {
        answer.verdict == verifier::Word::Holds
    }
}

/// How hard to look for a failing run.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Runs that are started for each member.
    pub runs: usize,
    /// Steps that a run may take before it is given up.
    pub steps: usize,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort { runs: 60, steps: 20_000 }
    }
}

/// What became of the concrete runs of a program.
#[derive(Clone, Default, Debug)]
pub struct Runs {
    /// Came to an end, or to a failure.
    pub complete: usize,
    /// Contradicted an assumption.
    pub pruned: usize,
    /// Met a limit or something that cannot be executed.
    pub given_up: usize,
    /// Why runs were given up, and how often.
    pub reasons: BTreeMap<String, usize>,
    /// How often each member came to an end.
    pub members: BTreeMap<String, usize>,
    /// The most threads that a run had.
    pub threads: usize,
    /// At most one for each member and place.
    pub failures: Vec<FailingRun>,
}

/// A run that ends in a failed check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FailingRun {
    pub member: String,
    /// What failed, in a word.
    pub code: String,
    pub line: u32,
    /// The state that it began in and the choices that it made, for people.
    pub story: String,
    /// Whether nothing infinite was cut down to a finite part on the way.
    pub is_exact: bool,
}

/// A program with `assert false` at one of its points.
#[derive(Clone, Debug)]
pub struct Point {
    pub member: String,
    /// The line of the new assertion in the new text.
    pub line: u32,
    pub text: String,
}
