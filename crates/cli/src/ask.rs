//! `probity ask`: one question about a program at one of its lines.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use session::{AskRequest, Registry};
use verdict::Answer;

use crate::arguments::parse_seconds;
use crate::output::{diagnostics, err, out};
use crate::verify_arguments::LanguageArguments;
use crate::{BAD_INPUT, HOLDS, UNKNOWN, VIOLATED, interrupt};

#[derive(Args, Debug, Clone)]
pub(crate) struct AskArguments {
    /// Where: a line on which a statement begins
    #[arg(value_name = "FILE:LINE", value_parser = parse_place)]
    pub(crate) place: (PathBuf, usize),
    /// An assertion of the language of the file
    #[arg(value_name = "QUESTION")]
    pub(crate) question: String,
    /// Print one JSON object on standard output and nothing else
    #[arg(long)]
    pub(crate) json: bool,
    /// Give up after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub(crate) timeout: Option<Duration>,
    /// z3, cvc5, or the path of one of them [default: PROBITY_Z3, then z3 on PATH]
    #[arg(long, value_name = "SOLVER")]
    pub(crate) solver: Option<String>,
    /// For the random choices of the solver
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u32,
    #[command(flatten)]
    pub(crate) language: LanguageArguments,
}

fn parse_place(text: &str) -> Result<(PathBuf, usize), String> {
    let place = text.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?)));
    match place {
        Some((file, line)) if !file.is_empty() => Ok((PathBuf::from(file), line)),
        _ => Err("a place is a file and a line, as in FILE:27".to_string()),
    }
}

pub(crate) fn run(arguments: &AskArguments) -> u8 {
    let (file, line) = arguments.place.clone();
    let request = AskRequest {
        file,
        line,
        question: arguments.question.clone(),
        load: arguments.language.options(),
        solver: arguments.solver.clone(),
        seed: arguments.seed,
        obligation_timeout: arguments.timeout,
    };
    let interrupt = match interrupt::flag() {
        Ok(flag) => flag,
        Err(message) => {
            err(&format!("probity: {message}\n"));
            return UNKNOWN;
        }
    };
    match session::ask(&Registry::standard(), &request, interrupt) {
        Ok(asked) => {
            let sources = &asked.program.sources;
            out(&match arguments.json {
                true => report::answer_json(sources, &asked.answered),
                false => report::answer_text(sources, &asked.answered),
            });
            match asked.answered.answer() {
                Answer::Follows => HOLDS,
                Answer::Refuted => VIOLATED,
                Answer::Open | Answer::NotReached => UNKNOWN,
            }
        }
        Err(failure) => {
            if arguments.json {
                out(&report::question_refused_json(
                    &failure.sources,
                    &failure.diagnostics,
                    failure.message.as_deref(),
                ));
            } else {
                diagnostics(&failure.sources, &failure.diagnostics);
            }
            if let Some(message) = &failure.message {
                err(&format!("probity: {message}\n"));
            }
            BAD_INPUT
        }
    }
}
