//! Models that are process terms with data, explored for given values of their parameters and fields.
//!
//! A language gives a [`process::Model`], a question about one of its processes, and reads formulas ([`Wording`]). Each
//! search has an explorer of its own; what it finds is played again by an interpreter in `evidence` that knows nothing of
//! exploration.

mod counterexample;
mod inherit;
mod product;
mod refute;
mod search;
mod simulate;
mod transitions;

use process::{Atom, Explorer, Model, ProcessId, Question};
use source::{Diagnostic, SourceMap};
use verdict::{Limits, Observer};

use crate::answer::{Answer, Checked};
use crate::formula::Ltl;
use crate::options::SearchOptions;
use crate::port::{AtomId, Contents, FormulaId, LoadedModel, Open, Vocabulary};
use crate::property::Property;
use crate::simulate::{Simulation, Unstarted};

pub use inherit::{FormulaOfProgram, formula_of_program};
pub use refute::{Covered, SmallSearch, is_seen_to_end, refute};

/// Gives a condition its number; one that is known keeps it.
pub type NumberOf<'a> = &'a mut dyn FnMut(Atom, String) -> AtomId;

/// How a language reads formulas over a model.
pub trait Wording: Send + Sync {
    /// Reads a formula; conditions are numbered by the function.
    fn read_formula(
        &self,
        text: &str,
        map: &mut SourceMap,
        atom: NumberOf<'_>,
    ) -> Result<Ltl, Vec<Diagnostic>>;

    /// Reads a condition with its text.
    fn read_atom(&self, text: &str) -> Option<(Atom, String)>;
}

/// A process of a model that was read without errors.
pub struct ProcessModel {
    model: Model,
    foreign: Vec<String>,
    question: Question,
    wording: Box<dyn Wording>,
    /// The names of the formulas that stand in the model; they are the first.
    names: Vec<String>,
    formulas: Vec<Ltl>,
    atoms: Vec<(Atom, String)>,
    /// How the question was asked, for reports.
    asked: String,
}

impl ProcessModel {
    /// A model and what is asked about it. `foreign` says what each foreign leaf is; `asked` is the ranges as they were
    /// given.
    pub fn new(
        model: Model,
        foreign: Vec<String>,
        question: Question,
        wording: Box<dyn Wording>,
        asked: String,
    ) -> ProcessModel {
        let (names, formulas, atoms) = (Vec::new(), Vec::new(), Vec::new());
        ProcessModel { model, foreign, question, wording, names, formulas, atoms, asked }
    }

    /// Adds a formula that stands in the model.
    pub fn add_formula(&mut self, name: String, build: impl FnOnce(NumberOf<'_>) -> Ltl) {
        let atoms = &mut self.atoms;
        let formula = build(&mut |atom, text| number(atoms, atom, text));
        self.names.push(name);
        self.formulas.push(formula);
    }

    fn explorer(&self) -> Result<Explorer<'_>, String> {
        Explorer::new(&self.model, &self.foreign, &self.question)
    }

    fn subject(&self) -> Subject<'_> {
        Subject { model: &self.model, process: self.question.process, atoms: &self.atoms }
    }
}

/// What searches and their counterexamples are about.
#[derive(Clone, Copy)]
struct Subject<'m> {
    model: &'m Model,
    process: ProcessId,
    atoms: &'m [(Atom, String)],
}

impl Subject<'_> {
    fn process(&self) -> &process::Process {
        &self.model.processes[self.process.0 as usize]
    }

    /// The process as it is named in reports.
    fn process_name(&self) -> String {
        format!("{}.{}", self.model.name, self.process().name)
    }
}

fn number(atoms: &mut Vec<(Atom, String)>, atom: Atom, text: String) -> AtomId {
    let known = atoms.iter().position(|(known, _)| *known == atom);
    AtomId(known.unwrap_or_else(|| {
        atoms.push((atom, text));
        atoms.len() - 1
    }) as u32)
}

impl Vocabulary for ProcessModel {
    fn contents(&self) -> Contents {
        let formulas = self.names.iter().cloned().zip((0..).map(FormulaId)).collect();
        Contents { formulas, ..Contents::default() }
    }

    fn read_formula(&mut self, text: &str, map: &mut SourceMap) -> Result<FormulaId, Vec<Diagnostic>> {
        let atoms = &mut self.atoms;
        let formula = self.wording.read_formula(text, map, &mut |atom, text| number(atoms, atom, text))?;
        self.formulas.push(formula);
        Ok(FormulaId(self.formulas.len() as u32 - 1))
    }

    fn read_atom(&mut self, text: &str) -> Option<AtomId> {
        let (atom, text) = self.wording.read_atom(text)?;
        Some(number(&mut self.atoms, atom, text))
    }

    fn formula(&self, formula: FormulaId) -> &Ltl {
        &self.formulas[formula.0 as usize]
    }

    fn show_atom(&self, atom: AtomId) -> String {
        self.atoms.get(atom.0 as usize).map_or_else(String::new, |(_, text)| text.clone())
    }
}

impl LoadedModel for ProcessModel {
    fn vocabulary(&self) -> &dyn Vocabulary {
        self
    }

    fn vocabulary_mut(&mut self) -> &mut dyn Vocabulary {
        self
    }

    fn check(
        &self,
        sources: &SourceMap,
        property: &Property,
        options: &SearchOptions,
        observer: &mut dyn Observer,
    ) -> Checked {
        crate::drive::with_second_look(options, observer, |options, observer| {
            Ok(search::search_for(self, sources, property, options, observer)
                .unwrap_or_else(|sentence| self.unanswered(property, sentence)))
        })
    }

    fn write_transitions(&self, limits: &Limits, open: Open<'_>) -> Result<(), String> {
        transitions::write(self, limits, open)
    }

    fn simulate<'m>(&'m self, sources: &'m SourceMap) -> Result<Box<dyn Simulation + 'm>, Unstarted> {
        let explorer = self.explorer().map_err(Unstarted::NoInitialState)?;
        Ok(Box::new(simulate::start(self, sources, explorer)?))
    }
}

impl ProcessModel {
    /// Nothing was searched.
    fn unanswered(&self, property: &Property, sentence: String) -> Answer {
        let mut answer = Answer::unknown(property, sentence);
        if *property == Property::Safety {
            for report in &mut answer.reports {
                report.name = format!("{}: ensures", self.subject().process_name());
            }
        }
        answer
    }
}
