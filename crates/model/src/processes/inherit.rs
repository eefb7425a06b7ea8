//! What a program that follows a process has of a formula of the model.
//!
//! Programs inherit safety properties over fields to which repeated states do not matter. Whether a formula is one is
//! decided on its automaton; whether it is true of the process is looked at on small instances, within bounds.

use std::time::Instant;

use process::{Explorer, Model, ProcessId, Question};
use source::{Diagnostic, SourceMap};
use verdict::{Instance, Limits, Silent, Verdict};

use super::product::ProcessProduct;
use super::refute::{Covered, options};
use super::search::{LACKS, ProcessSearch, carried};
use super::{NumberOf, ProcessModel, Wording};
use crate::drive::drive;
use crate::formula::Ltl;
use crate::goal::Goal;
use crate::limits;
use crate::port::FormulaId;
use crate::property::Property;

/// What a formula is worth to programs that follow a process.
#[derive(Clone, Debug)]
pub enum FormulaOfProgram {
    /// They do not inherit it; the sentence says why.
    NotInherited(String),
    /// It is true on all small instances that were searched.
    Checked(Covered),
    /// It is false of the process.
    Refuted {
        /// What is false, and where.
        sentence: String,
        /// The values that the run begins with.
        instance: Option<Instance>,
    },
    /// It could not be looked at; the sentence says why.
    Open(String),
}

/// Nobody asks for other formulas.
struct Wordless;

impl Wording for Wordless {
    fn read_formula(&self, _: &str, _: &mut SourceMap, _: NumberOf<'_>) -> Result<Ltl, Vec<Diagnostic>> {
        Err(Vec::new())
    }

    fn read_atom(&self, _: &str) -> Option<(process::Atom, String)> {
        None
    }
}

/// Looks at a formula of a model for programs that follow one of its processes.
pub fn formula_of_program(
    (model, foreign): (&Model, &[String]),
    process: ProcessId,
    build: impl FnOnce(NumberOf<'_>) -> Ltl,
    sources: &SourceMap,
) -> FormulaOfProgram {
    let question = Question::small(model, process, 1);
    let mut asked =
        ProcessModel::new(model.clone(), foreign.to_vec(), question, Box::new(Wordless), String::new());
    asked.add_formula(String::new(), build);
    let property = Property::Formula { name: String::new(), formula: FormulaId(0) };
    let goal = match Goal::new(&asked, &property, &options(Limits::default()), &LACKS) {
        Ok(goal) => goal,
        Err(sentence) => return FormulaOfProgram::Open(sentence),
    };
    match carried(&asked, &goal) {
        Some(carried) if carried.inherited => {}
        Some(carried) => return FormulaOfProgram::NotInherited(carried.sentence),
        None => return FormulaOfProgram::Open("it is no formula".to_string()),
    }
    on_small_instances(&mut asked, &goal, &property, sources)
}

fn on_small_instances(
    asked: &mut ProcessModel,
    goal: &Goal,
    property: &Property,
    sources: &SourceMap,
) -> FormulaOfProgram {
    let deadline = Instant::now() + limits::SMALL_TIME;
    let mut covered = Covered::default();
    for size in limits::INHERITED_SIZES {
        asked.question = Question::small(&asked.model, asked.question.process, size);
        let bounds = Limits {
            max_states: Some(limits::SMALL_STATES),
            max_memory_bytes: Some(limits::SMALL_MEMORY),
            deadline: Some(deadline),
            ..Limits::default()
        };
        match of_size(asked, goal, property, sources, bounds) {
            Ok(OfSize::Refuted(sentence, instance)) => {
                return FormulaOfProgram::Refuted { sentence, instance };
            }
            Ok(OfSize::Whole(whole)) if whole.instances > 0 => covered = Covered { size, ..whole },
            // A larger size is no easier.
            Ok(OfSize::Unfinished) | Err(_) if covered.instances > 0 => break,
            Ok(OfSize::Unfinished) => {
                return FormulaOfProgram::Open("small instances have too many states".to_string());
            }
            Ok(OfSize::Whole(_)) => {}
            Err(sentence) => return FormulaOfProgram::Open(sentence),
        }
    }
    match covered.instances {
        0 => FormulaOfProgram::Open("no small values could be tried".to_string()),
        _ => FormulaOfProgram::Checked(covered),
    }
}

/// What became of the search through all instances of one size.
enum OfSize {
    Whole(Covered),
    Refuted(String, Option<Instance>),
    Unfinished,
}

fn of_size(
    asked: &ProcessModel,
    goal: &Goal,
    property: &Property,
    sources: &SourceMap,
    bounds: Limits,
) -> Result<OfSize, String> {
    let mut explorer = Explorer::new(&asked.model, &asked.foreign, &asked.question)?;
    let watched = goal.watched()?;
    if let Some(watched) = &watched {
        let atoms = watched.atoms.iter().map(|atom| asked.atoms[atom.0 as usize].0.clone());
        explorer.watch(&atoms.collect::<Vec<_>>());
    }
    let instances = explorer.instances().len() as u64;
    if instances == 0 {
        return Ok(OfSize::Whole(Covered::default()));
    }
    let options = options(bounds);
    let product = ProcessProduct::to_refute(explorer, watched, &options.limits);
    let mut search = ProcessSearch { subject: asked.subject(), sources, goal, product, found: None };
    let answer = drive(&mut search, property, &options, &mut Silent).ok_or("the search saw too little")?;
    let states = answer.statistics.states;
    let report = answer.reports.into_iter().next().ok_or("the search saw too little")?;
    let left_out = search.product.left_out();
    Ok(match report.verdict {
        Verdict::Holds => OfSize::Whole(Covered { size: 0, instances, states, ends: 0, left_out }),
        Verdict::Violated => OfSize::Refuted(report.reason.unwrap_or_default(), search.found),
        Verdict::Unknown(_) => OfSize::Unfinished,
    })
}
