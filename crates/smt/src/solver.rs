//! Which solver to run, and how.

use std::fmt::Write;
use std::path::PathBuf;

use crate::limits;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SolverKind {
    Z3,
    Cvc5,
}

/// Which of a solver's procedures to use, where it has several.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Manner {
    /// Those whose behaviour is best known.
    #[default]
    Usual,
    /// The one for arithmetic that is stronger on products.
    Products,
    /// Quantifiers are also instantiated by what would make them false in a model; if nothing does, it is one.
    Values,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SolverOptions {
    pub kind: SolverKind,
    /// The program to start.
    pub path: PathBuf,
    pub seed: u32,
}

/// Why there is no solver to talk to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SolverError {
    /// The program could not be started.
    Start(PathBuf, String),
    /// No solver was found; where it was looked for.
    NotFound(String),
    /// The program is not a solver that we know; what it said.
    NotASolver(PathBuf, String),
    /// The program does not even say what it is.
    Mute(PathBuf),
    /// The log cannot be written.
    Log(PathBuf, String),
}

impl std::fmt::Display for SolverError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let path = match self {
            SolverError::Start(path, reason) => {
                return write!(f, "the solver {} cannot be started: {reason}", path.display());
            }
            SolverError::NotFound(place) => return write!(f, "no solver was found {place}; {INSTALL}"),
            SolverError::Log(path, reason) => {
                return write!(f, "the log {} cannot be written: {reason}", path.display());
            }
            SolverError::Mute(path) => {
                let seconds = limits::LONGEST_START.as_secs();
                let path = path.display();
                return write!(f, "{path} did not say within {seconds} s what it is; {INSTALL}");
            }
            SolverError::NotASolver(path, _) => path,
        };
        write!(f, "{} is neither Z3 nor cvc5; {INSTALL}", path.display())
    }
}

impl std::error::Error for SolverError {}

const INSTALL: &str = "install Z3 (Debian and Ubuntu: `apt install z3`; anywhere: `pip install z3-solver`) \
                       or name a solver in the environment variable PROBITY_Z3";

impl SolverOptions {
    pub(crate) fn arguments(&self) -> &'static [&'static str] {
        match self.kind {
            SolverKind::Z3 => &["-smt2", "-in"],
            SolverKind::Cvc5 => &["--lang=smt2", "--incremental", "--quiet", "-"],
        }
    }

    /// The commands that come before any other.
    ///
    /// Z3's are those of Viper and Dafny: quantifiers are instantiated by triggers only, the relevancy-driven case
    /// split visits what a formula's structure asks for, and the old arithmetic solver is the one whose behaviour the
    /// axioms of such tools are tuned to. The new one reasons about products; values of models are for questions that
    /// triggers leave open.
    pub(crate) fn preamble(&self, profile: bool, manner: Manner) -> String {
        let seed = self.seed;
        let procedure = if manner == Manner::Products { 6 } else { 2 };
        let by_values = manner == Manner::Values;
        let mut text = String::from("(set-option :print-success false)\n");
        match self.kind {
            SolverKind::Z3 => {
                text.push_str(
                    "(set-option :global-decls true)\n\
                     (set-option :auto_config false)\n\
                     (set-option :smt.case_split 3)\n\
                     (set-option :smt.delay_units true)\n\
                     (set-option :type_check true)\n\
                     (set-option :pp.bv_literals false)\n\
                     (set-option :smt.qi.eager_threshold 100)\n\
                     (set-option :model.v2 true)\n\
                     (set-option :smt.qi.max_multi_patterns 1000)\n",
                );
                let _ = writeln!(text, "(set-option :smt.mbqi {by_values})");
                let _ = writeln!(text, "(set-option :smt.arith.solver {procedure})");
                let _ = writeln!(text, "(set-option :smt.random_seed {seed})");
                let _ = writeln!(text, "(set-option :sat.random_seed {seed})");
                if profile {
                    text.push_str("(set-option :smt.qi.profile true)\n");
                }
            }
            SolverKind::Cvc5 => {
                text.push_str("(set-option :global-declarations true)\n(set-option :produce-models true)\n");
                let _ = writeln!(text, "(set-option :seed {seed})");
                let _ = writeln!(text, "(set-option :sat-random-seed {seed})");
                text.push_str("(set-logic ALL)\n");
            }
        }
        text
    }
}
