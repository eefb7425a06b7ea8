//! What solvers find out about collections with the axioms of the theories: each file beside this one lists facts.
//!
//! ```text
//! (method name            a test of its own
//!   (sort E) (const x Int) (function f (Int E) Bool)
//!   (assume F)            F holds from here on
//!   (prove F)             F must be found out, and holds from here on
//!   (doubt F))            F must not be found out, and the solver must come to an end
//! ```
//! Solvers work within a budget that is small, since a program asks for facts like these thousands of times.

mod expression;
mod reader;
#[path = "../support/mod.rs"]
mod support;

use std::path::Path;
use std::process::ExitCode;

use expression::{Expression, read};
use libtest_mimic::{Arguments, Failed, Trial};
use reader::Reader;
use smt::{Answer, Budget, Session, SolverKind, SolverOptions};
use support::find_solver;
use testing::files_below;

/// Units of work for one question; about half a second of Z3.
const BUDGET: u64 = 5_000_000;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/theory_facts");
    libtest_mimic::run(&arguments, trials(&folder)).exit_code()
}

fn trials(folder: &Path) -> Vec<Trial> {
    let mut trials = Vec::new();
    for path in files_below(folder, &["facts"]) {
        let file = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let methods =
            std::fs::read_to_string(&path).map_err(|error| error.to_string()).and_then(|text| read(&text));
        match methods {
            Ok(methods) => trials.extend(methods.into_iter().map(|method| trial(&file, method))),
            Err(error) => trials.push(Trial::test(file, || Err(Failed::from(error)))),
        }
    }
    trials
}

fn trial(file: &str, method: Expression) -> Trial {
    let Some(("method", [name, commands @ ..])) = method.call() else {
        return Trial::test(format!("{file}::?"), || Err("every expression is a method".into()));
    };
    let name = format!("{file}::{}", name.word().unwrap_or("?"));
    // Triggers and weights are chosen for Z3; what cvc5 finds out is another matter.
    let other = find_solver(None).is_ok_and(|solver| solver.kind != SolverKind::Z3);
    let commands = commands.to_vec();
    Trial::test(name, move || {
        let solver = find_solver(None).map_err(|error| error.to_string())?;
        Ok(check(&commands, &solver)?)
    })
    .with_ignored_flag(other)
}

fn check(commands: &[Expression], solver: &SolverOptions) -> Result<(), String> {
    let mut reader = Reader::default();
    let mut session = Session::start(solver, None).map_err(|error| error.to_string())?;
    for command in commands {
        match command.call() {
            Some(("sort", [name])) => reader.declare_sort(name.word().unwrap_or_default()),
            Some(("const", [name, sort])) => {
                reader.declare_function(name.word().unwrap_or_default(), &[], sort)?;
            }
            Some(("function", [name, Expression::List(arguments), result])) => {
                reader.declare_function(name.word().unwrap_or_default(), arguments, result)?;
            }
            Some((question @ ("assume" | "prove" | "doubt"), [formula])) => {
                ask(&mut reader, &mut session, question, formula)?;
            }
            _ => return Err(format!("not understood: {command:?}")),
        }
    }
    Ok(())
}

fn ask(
    reader: &mut Reader,
    session: &mut Session,
    question: &str,
    formula: &Expression,
) -> Result<(), String> {
    let term = reader.term(formula)?;
    for axiom in reader.theories.take_axioms(&mut reader.terms) {
        session.assert(&reader.terms, axiom);
    }
    if question == "assume" {
        session.assert(&reader.terms, term);
        return Ok(());
    }
    let answer = session.prove(&reader.terms, term, &Budget::resources(BUDGET));
    match (question, &answer) {
        ("prove", Answer::Unsat) => {
            session.assert(&reader.terms, term);
            Ok(())
        }
        ("doubt", answer) if answer.is_considered() && !answer.is_unsat() => Ok(()),
        _ => Err(format!("{question} {}: {answer:?}", show(formula))),
    }
}

fn show(expression: &Expression) -> String {
    match expression {
        Expression::Word(word) => word.clone(),
        Expression::List(parts) => format!("({})", parts.iter().map(show).collect::<Vec<_>>().join(" ")),
    }
}
