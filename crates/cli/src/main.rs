//! `probity`: arguments in, answers out, an exit code at the end.
#![forbid(unsafe_code)]
#![expect(clippy::print_stderr, reason = "the one room that prints")]

mod arguments;
mod ask;
mod cache;
mod check;
mod conversation;
mod files;
mod interrupt;
mod ltl;
mod output;
mod print;
mod proof_terminal;
mod shell;
mod simulate;
mod verify;
mod verify_arguments;

use std::process::ExitCode;

use arguments::{Arguments, with_language_options};
use clap::{CommandFactory, FromArgMatches};

/// Everything asked for holds.
pub(crate) const HOLDS: u8 = 0;
/// A violation was found.
pub(crate) const VIOLATED: u8 = 1;
/// There is no verdict: a limit was reached, the run was interrupted, or the question is out of reach.
pub(crate) const UNKNOWN: u8 = 2;
/// The arguments or the input are wrong.
pub(crate) const BAD_INPUT: u8 = 3;

/// The command line, with the options that the languages bring along.
fn read_arguments() -> Result<Arguments, clap::Error> {
    let options = session::Registry::standard().model_options();
    let command = with_language_options(Arguments::command(), &options);
    let matches = command.try_get_matches_from(files::with_verb(std::env::args_os()))?;
    let mut arguments = Arguments::from_arg_matches(&matches)?;
    arguments.add_language_options(&matches, &options);
    Ok(arguments)
}

fn main() -> ExitCode {
    let arguments = match read_arguments() {
        Ok(arguments) => arguments,
        Err(error) => {
            let code = if error.use_stderr() { BAD_INPUT } else { HOLDS };
            // A closed terminal cannot be told anything.
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    // A run on its own thread has a stack of known size, whatever the environment says.
    let run = move || match arguments.command {
        arguments::Command::Check(check) => check::run(&check),
        arguments::Command::Simulate(simulate) => simulate::run(&simulate),
        arguments::Command::Ltl(ltl) => ltl::run(&ltl),
        arguments::Command::Verify(verify) => verify::run(&verify),
        arguments::Command::Ask(ask) => ask::run(&ask),
        arguments::Command::Print(print) => print::run(&print),
        arguments::Command::Cache(cache) => cache::run(&cache),
    };
    let outcome =
        std::thread::Builder::new().stack_size(256 << 20).spawn(run).map(std::thread::JoinHandle::join);
    match outcome {
        Ok(Ok(code)) => {
            // Who reads an answer that is cut short must not take it for all there is.
            let is_lost = output::say_what_is_lost();
            ExitCode::from(if is_lost && code == HOLDS { UNKNOWN } else { code })
        }
        _ => {
            eprintln!("probity: internal error; please report it with the input that led here");
            ExitCode::from(UNKNOWN)
        }
    }
}
