//! The command line of `probity verify` and `probity print`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use session::{ProgramOptions, ProgramText};

use crate::arguments::{parse_seconds, parse_workers};

#[derive(Args, Debug, Clone)]
pub(crate) struct VerifyArguments {
    /// The programs; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Only the member with this name; may be given several times
    #[arg(long, value_name = "NAME")]
    pub(crate) member: Vec<String>,
    /// How many members to prove at once [default: one for each core]
    #[arg(long, value_name = "N", value_parser = parse_workers)]
    pub(crate) workers: Option<usize>,
    /// Go on after a failure, as if what failed held; otherwise a member is left at its first failure
    #[arg(long)]
    pub(crate) all_errors: bool,
    /// Print one JSON object on standard output and nothing else
    #[arg(long)]
    pub(crate) json: bool,
    /// Give up on an obligation after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub(crate) timeout: Option<Duration>,
    /// Give up on a member after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub(crate) member_timeout: Option<Duration>,
    /// List the members that took longest
    #[arg(long, value_name = "N")]
    pub(crate) slowest: Option<usize>,
    /// List the most instantiated quantifiers with their places
    #[arg(long)]
    pub(crate) profile: bool,
    /// Write what the solver is told into this folder, one script for each member
    #[arg(long, value_name = "DIR")]
    pub(crate) log_smt: Option<PathBuf>,
    /// z3, cvc5, or the path of one of them [default: PROBITY_Z3, then z3 on PATH]
    #[arg(long, value_name = "SOLVER")]
    pub(crate) solver: Option<String>,
    /// For the random choices of the solver
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u32,
    /// Prove everything N times again, with other seeds and with declarations in other orders, and list the members that depend
    /// on luck: those with other verdicts, and those that cost much more at times
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) stability: Option<u32>,
    /// Neither read nor keep how long members take, which is what the time left is judged by
    #[arg(long)]
    pub(crate) no_history: bool,
    /// Neither read nor keep the solver's answers: every question is asked anew
    #[arg(long)]
    pub(crate) no_cache: bool,
    /// Ask again for this share of the answers that are kept, and compare; an answer that is wrong empties the cache
    #[arg(long, value_name = "PERCENT", default_value_t = 0, conflicts_with = "no_cache",
          value_parser = clap::value_parser!(u8).range(0..=100))]
    pub(crate) recheck: u8,
    /// No values for failures
    #[arg(long)]
    pub(crate) no_counterexamples: bool,
    /// All PVL files are one program; otherwise each file is one
    #[arg(long)]
    pub(crate) together: bool,
    /// List what the verdicts rest on without a proof: axioms, contracts without a body and their like
    #[arg(long)]
    pub(crate) trusted: bool,
    #[command(flatten)]
    pub(crate) language: LanguageArguments,
}

/// What a program means, where that is a matter of choice.
#[derive(Args, Debug, Clone)]
pub(crate) struct LanguageArguments {
    /// Look for the files of Silver's `import <…>` here; may be given several times
    #[arg(short = 'I', value_name = "FOLDER")]
    pub(crate) include: Vec<PathBuf>,
    /// Report places that no execution reaches, where proofs are empty
    #[arg(long)]
    pub(crate) smoke: bool,
    /// Functions need the permission amounts that their preconditions state, not just some
    #[arg(long)]
    pub(crate) exact_function_permissions: bool,
    /// Which VerCors a PVL program is written for: 1 or 2 [default: 2, or 1 if it only reads in that]
    #[arg(long, value_name = "VERSION", value_parser = clap::value_parser!(u8).range(1..=2))]
    pub(crate) dialect: Option<u8>,
    /// Believe the contract of this process of a model without a proof; may be given several times
    #[arg(long, value_name = "MODEL.PROCESS")]
    pub(crate) assume_contract: Vec<String>,
}

impl LanguageArguments {
    /// What is wrong with asking this of these programs.
    pub(crate) fn misuse(&self, programs: &[ProgramText]) -> Option<String> {
        let other = programs.iter().find(|it| !it.language.features().has_dialects)?;
        let name = &other.name;
        if !self.assume_contract.is_empty() {
            return Some(format!("--assume-contract is about models, and there are none in {name}"));
        }
        self.dialect.map(|_| format!("--dialect is about PVL programs, and {name} is not one"))
    }

    pub(crate) fn options(&self) -> ProgramOptions {
        ProgramOptions {
            smoke_detection: self.smoke,
            respect_function_permission_amounts: self.exact_function_permissions,
            folders: self.include.iter().map(|folder| folder.display().to_string()).collect(),
            dialect: self.dialect,
            assumed_contracts: self.assume_contract.clone(),
            order: None,
        }
    }
}

#[derive(Args, Debug, Clone)]
pub(crate) struct CacheArguments {
    /// Forget all answers
    #[arg(long)]
    pub(crate) clear: bool,
}

#[derive(Args, Debug, Clone)]
pub(crate) struct PrintArguments {
    /// The files of the program; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Print what is verified: imports and macros expanded, plugins encoded
    #[arg(long)]
    pub(crate) expanded: bool,
    /// Print the Silver that a PVL program is put into, which is the default for PVL
    #[arg(long, conflicts_with = "expanded")]
    pub(crate) silver: bool,
    #[command(flatten)]
    pub(crate) language: LanguageArguments,
}
