//! A model of a text and what is asked about it: from texts to what can be explored.

use process::Question;
use source::{Diagnostic, FileId, SourceMap, Span};

use super::{Converted, FormulaTree, convert_question};
use crate::codes;
use crate::resolve::{resolve, resolve_question};
use crate::syntax::tree::{self, Dialect, ModelKind, NodeId, Program};
use crate::syntax::{Options, parse, read_condition, read_formula, read_process, read_range};

/// What is asked, as texts.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Request {
    /// The process with its arguments.
    pub process: Option<String>,
    /// `name in range`
    pub ranges: Vec<String>,
    /// What must be true of the names.
    pub conditions: Vec<String>,
}

/// A process of a model that was read, with what is asked about it.
#[derive(Clone, Debug)]
pub struct Reading {
    program: Program,
    model: NodeId,
    options: Options,
    /// The model.
    pub converted: Converted,
    /// The process and its instances.
    pub question: Question,
    /// What is no error and yet worth a look.
    pub warnings: Vec<Diagnostic>,
}

/// Reads the text of a file, and what is asked about a model in it.
pub fn read(
    map: &mut SourceMap,
    file: FileId,
    dialect: Dialect,
    request: &Request,
) -> Result<Reading, Vec<Diagnostic>> {
    let options = Options { dialect };
    let text = map.file(file).text.clone();
    let (program, mut diagnostics) = parse(file, &text, options);
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Err(diagnostics);
    }
    let (resolution, messages) = resolve(&program);
    diagnostics.extend(messages);
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Err(diagnostics);
    }
    drop(resolution);
    let question = question(map, file, &program, options, request).map_err(|error| vec![error])?;
    let (resolution, model, messages) = resolve_question(&program, &question, None);
    if messages.iter().any(Diagnostic::is_error) {
        return Err(messages.into_iter().map(|message| about_option(message, &question)).collect());
    }
    let Some(model) = model else { return Err(messages) };
    if let Some(history) = resolution.items.models.get(&model).filter(|it| it.kind == ModelKind::History) {
        let message = "histories are recorded and not followed; they are not supported";
        return Err(vec![Diagnostic::error(codes::HISTORY, history.name.span, message)]);
    }
    let converted = silver::with_large_stack(|| convert_question(&resolution, model, &question));
    let unasked = || {
        let message = "this is no process of a model";
        vec![Diagnostic::error(codes::PROCESS_OPTION, Span::new(file, 0, 0), message)]
    };
    let (converted, asked) = converted.ok_or_else(unasked)?;
    let question = asked.question.ok_or_else(unasked)?;
    drop(resolution);
    if let Some(range) = unused(&question) {
        let message = format!("nothing is called `{}`", range.name);
        let help =
            "a range is for a name in `--process`, `--where` or a later `--for`, or for a field of the model";
        return Err(vec![Diagnostic::error(codes::RANGE_OPTION, range.span, message).help(help)]);
    }
    Ok(Reading { program, model, options, converted, question, warnings: diagnostics })
}

/// What is said about the text of an option is about that option, with what may help there.
fn about_option(diagnostic: Diagnostic, question: &tree::Question) -> Diagnostic {
    let file = diagnostic.span().map(|span| span.file);
    let (code, help) = if question.process.as_ref().is_some_and(|it| Some(it.span.file) == file) {
        let help = "`--process 'P(e, …)'` names a process; names in its arguments get values by `--for 'name in 0..3'`";
        (codes::PROCESS_OPTION, help)
    } else if question.ranges.iter().any(|it| Some(it.span.file) == file) {
        let help = "a range is `name in a..b`, `name in {e, …}`, `name in permutations(R)` or `name in sequences(n, R)`";
        (codes::RANGE_OPTION, help)
    } else {
        (
            codes::FORMULA_OPTION,
            "a condition is over the fields of the model and the names that `--for` gives values",
        )
    };
    let mut diagnostic = Diagnostic { code, ..diagnostic };
    if diagnostic.help.is_none() {
        diagnostic = diagnostic.help(help);
    }
    diagnostic
}

/// The first range that gives values to nothing: every value would count as an instance of its own.
fn unused(question: &Question) -> Option<&process::Range> {
    let mut used: Vec<process::VariableId> = Vec::new();
    for expression in question.arguments.iter().chain(&question.conditions) {
        variables(expression, &mut used);
    }
    for range in &question.ranges {
        variables_of_range(&range.kind, &mut used);
    }
    question.ranges.iter().find(|range| range.field.is_none() && !used.contains(&range.variable))
}

/// The variables of an expression; the parser bounds its depth.
fn variables(expression: &process::Expression, used: &mut Vec<process::VariableId>) {
    if let process::ExpressionKind::Variable(variable) = expression.kind() {
        used.push(*variable);
    }
    expression.kind().for_each_part(&mut |part| variables(part, used));
}

fn variables_of_range(range: &process::RangeKind, used: &mut Vec<process::VariableId>) {
    match range {
        process::RangeKind::Interval(low, high) => {
            variables(low, used);
            variables(high, used);
        }
        process::RangeKind::Listed(values) => values.iter().for_each(|value| variables(value, used)),
        process::RangeKind::Permutations(inner) => variables_of_range(inner, used),
        process::RangeKind::Sequences(length, inner) => {
            variables(length, used);
            variables_of_range(inner, used);
        }
        process::RangeKind::Small(_) => {}
    }
}

/// What is said about the text of a formula is about that option.
fn as_option(mut diagnostic: Diagnostic) -> Diagnostic {
    if diagnostic.code != codes::PROCESS_OPTION && diagnostic.code != codes::RANGE_OPTION {
        diagnostic.code = codes::FORMULA_OPTION;
    }
    diagnostic
}

/// Reads the texts of a request, each in a file of its own.
fn question(
    map: &mut SourceMap,
    file: FileId,
    program: &Program,
    options: Options,
    request: &Request,
) -> Result<tree::Question, Diagnostic> {
    let coded = |code: &'static str| {
        move |mut error: Diagnostic| {
            error.code = code;
            error
        }
    };
    let Some(process) = &request.process else { return Err(unnamed(file, program)) };
    let mut ranges = Vec::new();
    for text in &request.ranges {
        let file = map.add("--for", text.as_str());
        ranges.push(read_range(file, text, options).map_err(coded(codes::RANGE_OPTION))?);
    }
    let mut conditions = Vec::new();
    for text in &request.conditions {
        let file = map.add("--where", text.as_str());
        conditions.push(read_condition(file, text, options).map_err(coded(codes::FORMULA_OPTION))?);
    }
    let file = map.add("--process", process.as_str());
    let process = Some(read_process(file, process, options).map_err(coded(codes::PROCESS_OPTION))?);
    Ok(tree::Question { ranges, process, conditions, formulas: Vec::new() })
}

/// There is no process in a request.
fn unnamed(file: FileId, program: &Program) -> Diagnostic {
    let mut place = Span::new(file, 0, 0);
    let mut names = Vec::new();
    for declaration in &program.declarations {
        let tree::DeclarationKind::Model(model) = &declaration.kind else { continue };
        if names.is_empty() {
            place = model.name.span;
        }
        for member in &model.members {
            if let tree::ModelMemberKind::Process(process) = &member.kind {
                let parameters: Vec<&str> = process.parameters.iter().map(|it| &*it.name.text).collect();
                names.push(format!("{}({})", process.name.text, parameters.join(", ")));
            }
        }
    }
    let message = "which process is to be checked is not said";
    let help = match names.first() {
        None => "the text has no model with a process; `probity verify` proves programs".to_string(),
        Some(first) => {
            let all = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            format!(
                "name one with values for its parameters: `--process '{first}' --for 'name in 0..3'`; there are {all}"
            )
        }
    };
    Diagnostic::error(codes::PROCESS_OPTION, place, message).help(help)
}

impl Reading {
    /// Reads a formula over the model.
    pub fn formula(&self, map: &mut SourceMap, text: &str) -> Result<FormulaTree, Vec<Diagnostic>> {
        let file = map.add("<formula>", text);
        self.formula_in(file, text)
    }

    /// Reads a formula whose text is in a file of its own.
    pub fn formula_in(&self, file: FileId, text: &str) -> Result<FormulaTree, Vec<Diagnostic>> {
        let formula = read_formula(file, text, self.options).map_err(|mut error| {
            error.code = codes::FORMULA_OPTION;
            vec![error]
        })?;
        let question = tree::Question {
            ranges: Vec::new(),
            process: None,
            conditions: Vec::new(),
            formulas: vec![formula],
        };
        let (resolution, model, messages) = resolve_question(&self.program, &question, Some(self.model));
        if messages.iter().any(Diagnostic::is_error) {
            return Err(messages.into_iter().map(as_option).collect());
        }
        let converted = silver::with_large_stack(|| convert_question(&resolution, model?, &question));
        let formulas = converted.map(|(_, asked)| asked.formulas);
        match formulas.and_then(|formulas| formulas.into_iter().next()) {
            Some(formula) => Ok(formula),
            None => {
                let message = "this is no formula over the model";
                Err(vec![Diagnostic::error(codes::FORMULA_OPTION, Span::new(file, 0, text.len()), message)])
            }
        }
    }
}
