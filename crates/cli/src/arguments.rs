//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Args, Parser, Subcommand, ValueEnum};

use session::{LanguageOption, Lossy, MOST_WORKERS, StoreKind};

use crate::ask::AskArguments;
use crate::files::languages;
use crate::verify_arguments::{CacheArguments, PrintArguments, VerifyArguments};

/// Proves programs and checks models.
#[derive(Parser, Debug)]
#[command(name = "probity", version, about, after_help = languages(), max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Check models: assertions, end states, LTL, claims
    Check(Box<CheckArguments>),
    /// Prove the members of programs correct
    Verify(Box<VerifyArguments>),
    /// Ask what is known at a line of a program
    Ask(AskArguments),
    /// Print a program in a uniform layout, or what it is put into to be proved
    Print(PrintArguments),
    /// Run a model step by step
    Simulate(SimulateArguments),
    /// Translate an LTL formula into an automaton
    Ltl(LtlArguments),
    /// Show how many of the solver's answers are kept, and where
    Cache(CacheArguments),
}

/// How a model's text is read.
#[derive(Args, Debug, Clone)]
pub(crate) struct SourceArguments {
    /// Define a macro for the preprocessor
    #[arg(short = 'D', value_name = "NAME[=TEXT]")]
    pub(crate) define: Vec<String>,
    /// Undefine a macro
    #[arg(short = 'U', value_name = "NAME")]
    pub(crate) undefine: Vec<String>,
    /// Look for included files here
    #[arg(short = 'I', value_name = "FOLDER")]
    pub(crate) include: Vec<PathBuf>,
    /// Lose messages that are sent to full channels, instead of waiting
    #[arg(short = 'm', long = "lose-messages")]
    pub(crate) lose_messages: bool,
    /// Options that only some languages have, see [`with_language_options`].
    #[arg(skip)]
    pub(crate) own: Vec<(String, String)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum AlgorithmName {
    /// Chosen by the property
    Auto,
    /// Reachability, depth first
    Dfs,
    /// Reachability, breadth first
    Bfs,
    /// One depth-first search, for weak automata
    Weak,
    /// Nested depth-first search
    Ndfs,
    /// Strongly connected components with union-find
    Scc,
    /// Reachability, depth first, shared by all workers
    Steal,
    /// Reachability, level by level, shared by all workers
    Levels,
    /// Nested depth-first search, shared by all workers
    Cndfs,
    /// Strongly connected components, shared by all workers
    Ufscc,
    /// Strongly connected components, each worker for itself, with what they find out in common
    Renault,
    /// Nested depth-first search, shared by all workers as far as it is red
    Pndfs,
    /// Nested depth-first search, each worker for itself in an order of its own
    Swarm,
    /// Strongly connected components, each state explored by one worker
    Lowe,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum PartialOrder {
    /// None
    Off,
    /// Ample sets with sticky edges: every state is stored
    #[value(alias = "static")]
    Sticky,
    /// Steps that one process may take alone are taken within the step before them
    Inside,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum TraceFormat {
    Text,
    Json,
    Svg,
}

#[derive(Args, Debug, Clone)]
pub(crate) struct CheckArguments {
    /// The models; `-` is standard input
    #[arg(required = true, value_name = "MODEL")]
    pub(crate) models: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) source: SourceArguments,
    /// Assertions and invalid end states only; claims and `ltl` blocks are left aside
    #[arg(long, conflicts_with_all = ["prop", "ltl", "ltl_file", "automaton", "progress", "acceptance"])]
    pub(crate) safety: bool,
    /// The `ltl` block or never claim with this name only; may be given several times
    #[arg(long, value_name = "NAME")]
    pub(crate) prop: Vec<String>,
    /// A formula to check, such as '[] (p -> <> q)'
    #[arg(long, value_name = "FORMULA")]
    pub(crate) ltl: Vec<String>,
    /// A file with formulas, one a line; empty lines and lines that begin with # are skipped
    #[arg(long, value_name = "FILE")]
    pub(crate) ltl_file: Vec<PathBuf>,
    /// An automaton in HOA format whose runs are forbidden
    #[arg(long, value_name = "FILE")]
    pub(crate) automaton: Vec<PathBuf>,
    /// Look for non-progress cycles
    #[arg(long)]
    pub(crate) progress: bool,
    /// Look for cycles through accept labels (the default where the model has such labels)
    #[arg(long)]
    pub(crate) acceptance: bool,
    /// Only runs in which every process that stays executable moves again and again
    #[arg(long)]
    pub(crate) fair: bool,
    /// Which search to use
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) algorithm: AlgorithmName,
    /// Partial-order reduction
    #[arg(long, value_enum, default_value = "inside")]
    pub(crate) por: PartialOrder,
    /// No reduction of any kind: no partial order, no merging, no dead variables
    #[arg(long)]
    pub(crate) plain: bool,
    /// Explore everything past violated assertions and invalid end states and count them; a search for cycles
    /// still ends at the first
    #[arg(long)]
    pub(crate) all_errors: bool,
    /// List the statements that were never executed; explores everything, as --all-errors does
    #[arg(long)]
    pub(crate) coverage: bool,
    /// A shortest counterexample; of a run without end the shortest stem, then the shortest cycle
    #[arg(long)]
    pub(crate) shortest: bool,
    /// A state is a valid end only if all channels are empty
    #[arg(long)]
    pub(crate) strict_ends: bool,
    /// How many workers to search with, at most 64; several properties share them [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = parse_search_workers)]
    pub(crate) workers: Option<usize>,
    /// How states are kept: `exact`; `hash-compact[:BITS]`, 24 to 64 bits a state (64 by default); `bitstate[:SIZE]`, a
    /// field of bits such as 1G (256M by default). The latter two may overlook violations
    #[arg(long, value_name = "STORE", default_value = "exact", value_parser = parse_store)]
    pub(crate) store: StoreKind,
    /// Keep the run in this folder now and then, so that it can be taken up again
    #[arg(long, value_name = "FOLDER")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// The time between two checkpoints
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = parse_seconds, requires = "checkpoint")]
    pub(crate) every: Duration,
    /// Take up the run that is kept in this folder, with any number of workers
    #[arg(long, value_name = "FOLDER")]
    pub(crate) resume: Option<PathBuf>,
    /// Stop after this many states
    #[arg(long, value_name = "N")]
    pub(crate) max_states: Option<u64>,
    /// Stop when the tables need more than this, such as 500M or 8G
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub(crate) max_memory: Option<u64>,
    /// Stop after this many seconds of searching, shared between the properties of a model
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub(crate) timeout: Option<Duration>,
    /// Print one JSON object for each model on standard output and nothing else
    #[arg(long)]
    pub(crate) json: bool,
    /// Say which search answered which property, with which reductions, and why
    #[arg(long, short = 'v')]
    pub(crate) verbose: bool,
    /// How to show counterexamples
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) trace: TraceFormat,
    /// Write the transition system of a process here, in the format of Aldebaran
    #[arg(long, value_name = "FILE.aut")]
    pub(crate) lts: Option<PathBuf>,
    /// Where to save the first counterexample [default: MODEL.trail.json in the current folder]
    #[arg(long, value_name = "FILE")]
    pub(crate) trace_file: Option<PathBuf>,
    /// Save no counterexample
    #[arg(long)]
    pub(crate) no_trace_file: bool,
}

#[derive(Args, Debug, Clone)]
pub(crate) struct SimulateArguments {
    /// The model; `-` is standard input
    pub(crate) model: PathBuf,
    #[command(flatten)]
    pub(crate) source: SourceArguments,
    /// For the choices of a random run
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Choose each step yourself
    #[arg(long, short = 'i', conflicts_with = "replay")]
    pub(crate) interactive: bool,
    /// Play a saved counterexample
    #[arg(long, value_name = "FILE")]
    pub(crate) replay: Option<PathBuf>,
    /// Stop after this many steps
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub(crate) steps: usize,
    /// Show only what the model prints
    #[arg(long, short = 'q')]
    pub(crate) quiet: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum AutomatonFormat {
    /// Sizes only
    Sizes,
    Hoa,
    /// A SPIN never claim
    Never,
    /// Graphviz
    Dot,
    Svg,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum AutomatonKind {
    /// Transition-based generalised Büchi
    Tgba,
    /// State-based generalised Büchi
    Sgba,
    /// Transition-based Büchi
    Tba,
    /// State-based Büchi
    Sba,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum DialectName {
    /// SPIN's operators; binary operators associate to the left
    Spin,
    /// Spot's operators; `U R W M -> <->` associate to the right
    Spot,
}

#[derive(Args, Debug, Clone)]
pub(crate) struct LtlArguments {
    /// The formula
    pub(crate) formula: String,
    /// How the formula is written
    #[arg(long, value_enum, default_value = "spin")]
    pub(crate) dialect: DialectName,
    /// Translate the negation
    #[arg(long)]
    pub(crate) negate: bool,
    #[arg(long, value_enum, default_value = "tgba")]
    pub(crate) kind: AutomatonKind,
    #[arg(long, value_enum, default_value = "hoa")]
    pub(crate) format: AutomatonFormat,
    /// Print one JSON object with the sizes and the automaton
    #[arg(long)]
    pub(crate) json: bool,
}

/// The commands that read models.
const OF_MODELS: [&str; 2] = ["check", "simulate"];

/// The command line with the options that only some model languages have: for these, the languages say what they are
/// called and what they are for.
pub(crate) fn with_language_options(
    command: clap::Command,
    options: &[(&'static str, LanguageOption)],
) -> clap::Command {
    OF_MODELS.into_iter().fold(command, |command, verb| {
        command.mut_subcommand(verb, |verb| {
            options.iter().fold(verb, |verb, (files, option)| {
                let argument = Arg::new(option.name).long(option.name).value_name(option.value);
                let help = format!("{} (for {files})", option.help);
                verb.arg(argument.help(help).action(ArgAction::Append))
            })
        })
    })
}

impl Arguments {
    /// Takes over what was given for options that only some languages have.
    pub(crate) fn add_language_options(
        &mut self,
        matches: &ArgMatches,
        options: &[(&'static str, LanguageOption)],
    ) {
        let source = match &mut self.command {
            Command::Check(check) => &mut check.source,
            Command::Simulate(simulate) => &mut simulate.source,
            _ => return,
        };
        let Some((_, matches)) = matches.subcommand() else { return };
        for (_, option) in options {
            let values = matches.get_many::<String>(option.name).into_iter().flatten();
            source.own.extend(values.map(|value| (option.name.to_string(), value.clone())));
        }
    }
}

pub(crate) fn parse_workers(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(0) => Err("there must be a worker".to_string()),
        Ok(count) => Ok(count),
        Err(error) => Err(error.to_string()),
    }
}

fn parse_search_workers(text: &str) -> Result<usize, String> {
    match parse_workers(text)? {
        count if count > MOST_WORKERS => {
            Err(format!("a search takes at most {MOST_WORKERS} workers; more would wait for each other"))
        }
        count => Ok(count),
    }
}

/// The bytes of a field of bits where nothing is said about its size.
const BITSTATE_BYTES: u64 = 256 << 20;

/// How states are to be kept.
fn parse_store(text: &str) -> Result<StoreKind, String> {
    let (name, size) = text.split_once(':').map_or((text, None), |(name, size)| (name, Some(size)));
    match (name, size) {
        ("exact", None) => Ok(StoreKind::Exact),
        ("exact", Some(_)) => Err("`exact` has no size: it grows as it needs to".to_string()),
        ("hash-compact", size) => {
            let bits = size.map_or(Ok(64), str::parse).map_err(|_| "a number of bits, such as 48")?;
            if !(Lossy::FEWEST_BITS..=64).contains(&bits) {
                return Err(format!("a hash has {} to 64 bits", Lossy::FEWEST_BITS));
            }
            Ok(StoreKind::Lossy(Lossy::HashCompact { bits }))
        }
        ("bitstate", size) => {
            let bytes = size.map_or(Ok(BITSTATE_BYTES), parse_size)?;
            if !(1..=Lossy::MOST_BYTES).contains(&bytes) {
                return Err("a field of bits has 1 byte to 16 GiB".to_string());
            }
            Ok(StoreKind::Lossy(Lossy::Bitstate { bytes }))
        }
        _ => Err("a store is `exact`, `hash-compact[:BITS]` or `bitstate[:SIZE]`".to_string()),
    }
}

/// Sizes with the usual suffixes.
fn parse_size(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let (digits, unit) = match text.char_indices().find(|(_, c)| !c.is_ascii_digit()) {
        Some((at, _)) => text.split_at(at),
        None => (text, ""),
    };
    let factor: u64 = match unit.to_ascii_lowercase().trim_end_matches("ib").trim_end_matches('b') {
        "" => 1,
        "k" => 1 << 10,
        "m" => 1 << 20,
        "g" => 1 << 30,
        "t" => 1 << 40,
        _ => return Err(format!("`{unit}` is no unit: use K, M, G or T")),
    };
    let number: u64 = digits.parse().map_err(|_| "a size begins with a number".to_string())?;
    number.checked_mul(factor).ok_or_else(|| "the size is too large".to_string())
}

pub(crate) fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "a number of seconds, such as 2.5".to_string())?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        Arguments::command().debug_assert();
    }

    /// What a language wants to be told comes along as it was given.
    #[test]
    fn languages_have_options_of_their_own() {
        use clap::{CommandFactory, FromArgMatches};
        let option = LanguageOption { name: "process", value: "NAME", help: "The process to check" };
        let options = [("a toy", option)];
        let command = with_language_options(Arguments::command(), &options);
        command.clone().debug_assert();
        let words = ["probity", "check", "a.toy", "--process", "P", "--process=Q"];
        let matches = command.clone().try_get_matches_from(words).unwrap_or_else(|error| panic!("{error}"));
        let mut arguments = Arguments::from_arg_matches(&matches).unwrap_or_else(|error| panic!("{error}"));
        arguments.add_language_options(&matches, &options);
        let Command::Check(check) = &arguments.command else { panic!("{arguments:?}") };
        let pair = |value: &str| ("process".to_string(), value.to_string());
        assert_eq!(check.source.own, [pair("P"), pair("Q")]);
        assert!(command.try_get_matches_from(["probity", "verify", "a.toy", "--process", "P"]).is_err());
    }

    #[test]
    fn stores_have_sizes() {
        assert_eq!(parse_store("exact"), Ok(StoreKind::Exact));
        assert_eq!(parse_store("hash-compact:40"), Ok(StoreKind::Lossy(Lossy::HashCompact { bits: 40 })));
        assert_eq!(parse_store("bitstate:2M"), Ok(StoreKind::Lossy(Lossy::Bitstate { bytes: 2 << 20 })));
        for wrong in [
            "exact:4",
            "hash-compact:8",
            "hash-compact:65",
            "hash-compact:x",
            "bitstate:0",
            "bits",
            "bitstate:17G",
        ] {
            assert!(parse_store(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sizes_have_suffixes() {
        assert_eq!(parse_size("500M"), Ok(500 << 20));
        assert_eq!(parse_size("8GiB"), Ok(8 << 30));
        assert_eq!(parse_size("12"), Ok(12));
        assert!(parse_size("many").is_err());
        assert!(parse_size("99999999999999T").is_err());
    }
}
