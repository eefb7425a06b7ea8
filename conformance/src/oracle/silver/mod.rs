//! Silver: a concrete interpreter and a generator of random programs.
//!
//! Of the tool only the front end is used (crate `silver`: names and types resolved, plugins desugared). The meaning of
//! what it gives is written down here once more, for single states instead of formulas about all states.

mod assertions;
mod assume;
mod domains;
mod evaluate;
mod execute;
mod exhale;
mod footprint;
mod generate;
mod heap;
mod inhale;
mod machine;
mod members;
mod predicates;
mod quantify;
mod sample;
mod shrink;
mod value;
mod wands;

use silver::typed::{MethodOrigin, Program, StatementKind, visit_statements};
use source::SourceMap;

use super::verifier::{Answer, Word};
use super::{Effort, FailingRun, Language, Point, Runs};
use testing::Random;

pub struct Silver;

impl Language for Silver {
    fn name(&self) -> &'static str {
        "silver"
    }

    fn extension(&self) -> &'static str {
        "vpr"
    }

    fn generate(&self, random: &mut Random) -> String {
        generate::program(random)
    }

    fn execute(&self, text: &str, random: &mut Random, effort: &Effort) -> Result<Runs, String> {
        let (program, map) = resolve(text)?;
        silver::with_large_stack(|| members::execute(&program, &map, random, effort, None))
    }

    fn smaller(&self, text: &str) -> Vec<String> {
        shrink::smaller(text)
    }

    fn with_false(&self, text: &str) -> Vec<Point> {
        shrink::with_false(text)
    }

    /// A method that holds rests on functions, predicates and the contracts of what it calls.
    fn contradicts(&self, text: &str, answer: &Answer, run: &FailingRun) -> bool {
        if answer.verdict == Word::Holds {
            return true;
        }
        let Ok((program, _)) = resolve(text) else { return false };
        let holds = |name: &str| answer.of(name).is_none_or(|word| word == Word::Holds);
        let rests_on_proofs = program.functions.iter().all(|function| holds(&function.name))
            && program.predicates.iter().all(|predicate| holds(&predicate.name))
            && program
                .methods
                .iter()
                .all(|method| method.origin == MethodOrigin::Source || holds(&method.name));
        let method = program.methods.iter().find(|method| method.name == run.member);
        let mut calls_are_proved = true;
        if let Some(body) = method.and_then(|method| method.body.as_ref()) {
            visit_statements(body, &mut |statement| {
                if let StatementKind::Call { method, .. } = &statement.kind {
                    calls_are_proved &= holds(&program.method(*method).name);
                }
            });
        }
        answer.of(&run.member) == Some(Word::Holds) && rests_on_proofs && calls_are_proved
    }
}

fn resolve(text: &str) -> Result<(Program, SourceMap), String> {
    let mut map = SourceMap::default();
    let file = map.add("program.vpr", text);
    let resolved = silver::resolve(&mut map, file, &source::NoFiles, &silver::Options::default());
    let first = resolved.diagnostics.iter().find(|diagnostic| diagnostic.is_error());
    let message = first.map(|diagnostic| diagnostic.message.clone()).unwrap_or_default();
    Ok((resolved.program.ok_or(message)?, map))
}
