//! A question about a program at one of its lines: what is known of an assertion there.
//!
//! The question is put into the text, in front of what stands on the line, and the member around it is proved. Nothing is
//! written to disk, and no verdict depends on it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use silver::port::LoadOptions;
use source::{FileId, Span};
use symbolic::VerifyOptions;
use verdict::{Answered, ProofReport, Silent};

use crate::check::Failure;
use crate::programs::{ProgramText, load, read_program};
use crate::registry::Registry;
use crate::solver::find_solver;
use crate::verify::{LoadedProgram, verify};

/// What is asked, and where.
#[derive(Clone, Debug, Default)]
pub struct AskRequest {
    pub file: PathBuf,
    /// Counted from one.
    pub line: usize,
    pub question: String,
    pub load: LoadOptions,
    /// As [`find_solver`] takes it.
    pub solver: Option<String>,
    pub seed: u32,
    pub obligation_timeout: Option<Duration>,
}

/// The answer, and the program that it is about: the one that was read, with the question in it.
pub struct Asked {
    pub program: LoadedProgram,
    pub report: ProofReport,
    /// What was asked, as it stands in the program.
    pub answered: Answered,
}

/// Answers a question.
pub fn ask(registry: &Registry, request: &AskRequest, interrupt: Arc<AtomicBool>) -> Result<Asked, Failure> {
    let text = read_program(registry, &request.file)?;
    // Where no question can be put, there is something wrong with the line and not with what is asked.
    let written = |question: &str| put(&text, request.line, question);
    let harmless = written("true").ok_or_else(|| no_statement(&request.file, request.line))?;
    load(std::slice::from_ref(&text), &request.load)?;
    load(&[harmless.text], &request.load).map_err(|_| no_statement(&request.file, request.line))?;
    let Put { text, asked } =
        written(&request.question).ok_or_else(|| no_statement(&request.file, request.line))?;
    let program = load(&[text], &request.load)?;
    let members = program.translation.members(program.context());
    let around = members.iter().filter(|it| it.span.start <= asked.start && asked.end <= it.span.end);
    let member = around.min_by_key(|it| it.span.end - it.span.start).map(|it| it.name.clone());
    let member = member.ok_or_else(|| no_statement(&request.file, request.line))?;
    let mut solver =
        find_solver(request.solver.as_deref()).map_err(|error| Failure::message(error.to_string()))?;
    solver.seed = request.seed;
    let options = VerifyOptions {
        members: Some(vec![member]),
        obligation_timeout: request.obligation_timeout,
        // Behind what fails, runs go on for which it held.
        all_errors: true,
        respect_function_permission_amounts: request.load.respect_function_permission_amounts,
        interrupt,
        ..VerifyOptions::new(solver)
    };
    let report = verify(&program, &options, &Silent)?;
    let mut answers = report.members.iter().flat_map(|member| &member.answers);
    // Brackets around what was asked belong to it, or not, as the language likes.
    let is_it = |it: &&Answered| it.span.start <= asked.start + 1 && asked.end <= it.span.end + 1;
    let found = answers.find(is_it).cloned();
    // A question that ends earlier than it was put, or begins later, is not the one that was put.
    let is_part = |it: &Answered| it.span.start < asked.end && asked.start < it.span.end;
    if found.is_none() && report.members.iter().flat_map(|member| &member.answers).any(is_part) {
        let message = format!("`{}` is not one expression", request.question);
        return Err(Failure::coded("question", message));
    }
    let answered = Answered { span: asked, ..found.unwrap_or_else(|| Answered::new(asked)) };
    Ok(Asked { program, report, answered })
}

fn no_statement(file: &Path, line: usize) -> Failure {
    let file = file.display();
    let message = format!(
        "nothing can be asked at {file}:{line}: no statement begins there; name a line with the first word of a statement in a body"
    );
    Failure::coded("noStatement", message)
}

/// A text with a question in it.
struct Put {
    text: ProgramText,
    /// The question.
    asked: Span,
}

/// Puts a question in front of what stands on a line. Places before it and on other lines stay what they are.
fn put(text: &ProgramText, line: usize, question: &str) -> Option<Put> {
    let lines = text.text.split_inclusive('\n');
    let start: usize = lines.clone().take(line.checked_sub(1)?).map(str::len).sum();
    let found = lines.clone().nth(line - 1)?;
    let place = start + found.find(|character: char| !character.is_whitespace())?;
    let (before, after) = text.text.split_at(place);
    const HEAD: &str = "assume? (";
    let begin = place + HEAD.len();
    let asked = Span::new(FileId(0), begin, begin + question.len());
    let text = ProgramText { text: format!("{before}{HEAD}{question}); {after}").into(), ..text.clone() };
    Some(Put { text, asked })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_stands_in_front_of_what_is_on_the_line() {
        let registry = Registry::standard();
        let language = registry.program_language(Path::new("a.vpr")).expect("there is Silver");
        let text = |text: &str| ProgramText { name: "a.vpr".to_string(), text: text.into(), language };
        let put_at = |line| put(&text("a\n\n  b;\n"), line, "x").map(|put| put.text.text.to_string());
        assert_eq!(put_at(1).as_deref(), Some("assume? (x); a\n\n  b;\n"));
        assert_eq!(put_at(2), None);
        assert_eq!(put_at(3).as_deref(), Some("a\n\n  assume? (x); b;\n"));
        assert_eq!((put_at(0), put_at(4), put_at(usize::MAX)), (None, None, None));
    }
}
