//! PVL as a language of models: a process of a model is explored for the values that options say.

use std::sync::Arc;

use model::processes::{NumberOf, ProcessModel, Wording};
use model::{LanguageOption, LoadOptions, LoadedModel, Ltl, ModelLanguage};
use process::Atom;
use source::{Diagnostic, Loader, SourceMap, Span};

use super::{Pvl, parses};
use crate::codes;
use crate::models::{FormulaAtom, FormulaTree, Reading, Request, read};
use crate::syntax::tree::{Dialect, Temporal};

const OPTIONS: &[LanguageOption] = &[
    LanguageOption { name: "process", value: "P(E, …)", help: "The process to check, with its arguments" },
    LanguageOption {
        name: "for",
        value: "X in RANGE",
        help: "Values of a name in the process or of a field: a..b, {a, b}, permutations(R), sequences(n, R)",
    },
    LanguageOption { name: "where", value: "E", help: "Only values for which this is true" },
    LanguageOption { name: "dialect", value: "1|2", help: "VerCors 1.x or 2.x" },
];

impl ModelLanguage for Pvl {
    fn options(&self) -> &'static [LanguageOption] {
        OPTIONS
    }

    fn load(
        &self,
        name: &str,
        loader: &dyn Loader,
        options: &LoadOptions,
        map: &mut SourceMap,
    ) -> (Option<Box<dyn LoadedModel>>, Vec<Diagnostic>) {
        let text = loader.load(name);
        let file = map.add(name, text.clone().unwrap_or_default());
        let whole = Span::new(file, 0, 0);
        if let Err(reason) = text {
            let message = format!("cannot read `{name}`: {reason}");
            return (None, vec![Diagnostic::error(codes::PARSE, whole, message)]);
        }
        let others = LoadOptions { own: options.own.clone(), ..LoadOptions::default() };
        if *options != others {
            let message = "models of processes have neither macros nor channels that lose messages";
            return (None, vec![Diagnostic::error(codes::PROCESS_OPTION, whole, message)]);
        }
        let dialect = match dialect(options, &map.file(file).text) {
            Ok(dialect) => dialect,
            Err(message) => return (None, vec![Diagnostic::error(codes::DIALECT, whole, message)]),
        };
        let mut processes = options.own_values("process");
        let request = Request {
            process: processes.next().map(str::to_string),
            ranges: options.own_values("for").map(str::to_string).collect(),
            conditions: options.own_values("where").map(str::to_string).collect(),
        };
        if processes.next().is_some() {
            let message = "one process is checked at a time";
            return (None, vec![Diagnostic::error(codes::PROCESS_OPTION, whole, message)]);
        }
        match read(map, file, dialect, &request) {
            Err(diagnostics) => (None, diagnostics),
            Ok(reading) => {
                let warnings = reading.warnings.clone();
                (Some(Box::new(process_model(reading, &request))), warnings)
            }
        }
    }
}

/// The dialect that was asked for, or the one that the text reads in.
fn dialect(options: &LoadOptions, text: &str) -> Result<Dialect, String> {
    match options.own_values("dialect").last() {
        Some("1") => Ok(Dialect::Old),
        Some("2") => Ok(Dialect::New),
        Some(other) => Err(format!("PVL has the dialects 1 and 2, and no dialect `{other}`")),
        None if !parses(text, Dialect::New) && parses(text, Dialect::Old) => Ok(Dialect::Old),
        None => Ok(Dialect::New),
    }
}

fn process_model(reading: Reading, request: &Request) -> ProcessModel {
    let converted = reading.converted.clone();
    let formulas = converted.formulas.clone();
    let question = reading.question.clone();
    let wording = Box::new(Words { reading: Arc::new(reading) });
    let asked = request.ranges.join(", ");
    let mut model = ProcessModel::new(converted.model, converted.foreign, question, wording, asked);
    for (name, formula) in formulas {
        model.add_formula(name, |atom| written(&formula, atom));
    }
    model
}

/// How formulas over the model are read.
struct Words {
    reading: Arc<Reading>,
}

impl Wording for Words {
    fn read_formula(
        &self,
        text: &str,
        map: &mut SourceMap,
        atom: NumberOf<'_>,
    ) -> Result<Ltl, Vec<Diagnostic>> {
        Ok(written(&self.reading.formula(map, text)?, atom))
    }

    fn read_atom(&self, text: &str) -> Option<(Atom, String)> {
        // The text is in no file that anybody looks at; its number must not be that of the model.
        let file = source::FileId(u32::MAX);
        match self.reading.formula_in(file, text).ok()? {
            FormulaTree::Atom(found, text) => Some((condition(&found)?, text)),
            _ => None,
        }
    }
}

fn condition(atom: &FormulaAtom) -> Option<Atom> {
    Some(match atom {
        FormulaAtom::Condition(condition) => Atom::Condition(condition.clone()),
        FormulaAtom::Did(action, arguments) => Atom::Did((*action)?, arguments.clone()),
        FormulaAtom::Ended => Atom::Ended,
    })
}

/// A formula with numbers for its conditions; the parser bounds its depth.
pub(super) fn written(formula: &FormulaTree, atom: NumberOf<'_>) -> Ltl {
    match formula {
        FormulaTree::Atom(found, text) => match condition(found) {
            Some(found) => Ltl::Atom(atom(found, text.clone())),
            None => Ltl::Constant(false),
        },
        FormulaTree::Unary(operator, operand) => {
            let operand = Box::new(written(operand, atom));
            match operator {
                Temporal::Next => Ltl::Next(operand),
                Temporal::Always => Ltl::Always(operand),
                Temporal::Eventually => Ltl::Eventually(operand),
                _ => Ltl::Not(operand),
            }
        }
        FormulaTree::Binary(operator, left, right) => {
            let (left, right) = (Box::new(written(left, atom)), Box::new(written(right, atom)));
            match operator {
                Temporal::And => Ltl::And(left, right),
                Temporal::Or => Ltl::Or(left, right),
                Temporal::Implies => Ltl::Implies(left, right),
                Temporal::Equivalent => Ltl::Equivalent(left, right),
                Temporal::Until => Ltl::Until(left, right),
                Temporal::WeakUntil => Ltl::WeakUntil(left, right),
                _ => Ltl::Release(left, right),
            }
        }
    }
}
