//! Answers to what was asked inside of programs: for people, and for programs.

use std::fmt::Write;

use serde_json::{Value, json};
use source::{Diagnostic, SourceMap};
use verdict::{Answer, Answered, ProofReport};

use crate::diagnostics::diagnostics_json;

/// A paragraph for each answer, in the order of the report.
pub fn answers_text(sources: &SourceMap, report: &ProofReport) -> String {
    let answers = report.members.iter().flat_map(|member| &member.answers);
    answers.map(|answered| answer_text(sources, answered)).collect()
}

/// One answer.
pub fn answer_text(sources: &SourceMap, answered: &Answered) -> String {
    let Answered { span, follows, refuted, open, refutation, reason } = answered;
    let place = sources.place(*span);
    let (file, asked) = (&sources.file(span.file).name, sources.text(*span));
    let paths = follows + refuted + open;
    let on = |some: u32| match paths {
        1 => String::new(),
        2 if some == 2 => " on both paths".to_string(),
        all if some == all => format!(" on all {all} paths"),
        all => format!(" on {some} of {all} paths"),
    };
    let what = match answered.answer() {
        Answer::Follows => format!("follows{}", on(paths)),
        Answer::Refuted => format!("is refuted{}", on(*refuted)),
        Answer::Open => format!("is open{}", on(*open)),
        Answer::NotReached => "is not come to: no path leads here".to_string(),
    };
    let mut text = format!("{file}:{}:{}: `{asked}` {what}\n", place.line, place.column);
    match (answered.answer(), refutation, reason) {
        (Answer::Refuted, Some(failure), _) => {
            let _ = writeln!(text, "  {}", failure.message);
            let notes = failure.notes.iter().filter(|note| note.span.is_some_and(|it| it.file == span.file));
            for note in notes {
                let about = note.span.map_or("", |it| sources.text(it));
                let _ = writeln!(text, "  `{about}`: {}", note.text);
            }
            for (expression, value) in failure.counterexample.iter().flat_map(|it| &it.values) {
                let _ = writeln!(text, "    {expression} = {value}");
            }
        }
        (Answer::Open, _, Some(reason)) => {
            let _ = writeln!(text, "  {reason}");
        }
        _ => {}
    }
    text
}

/// One answer as an object and a line break.
pub fn answer_json(sources: &SourceMap, answered: &Answered) -> String {
    format!("{}\n", answer_value(sources, answered))
}

/// Why a question has no answer, as an object and a line break.
pub fn question_refused_json(
    sources: &SourceMap,
    diagnostics: &[Diagnostic],
    message: Option<&str>,
) -> String {
    let diagnostics = diagnostics_json(sources, diagnostics);
    format!("{}\n", json!({ "answer": null, "diagnostics": diagnostics, "error": message }))
}

/// One answer as an object.
pub(crate) fn answer_value(sources: &SourceMap, answered: &Answered) -> Value {
    let place = sources.place(answered.span);
    let values: serde_json::Map<String, Value> = answered
        .refutation
        .iter()
        .flat_map(|failure| &failure.counterexample)
        .flat_map(|it| &it.values)
        .map(|(expression, value)| (expression.clone(), Value::from(value.to_string())))
        .collect();
    json!({
        "asked": sources.text(answered.span),
        "file": sources.file(answered.span.file).name,
        "line": place.line,
        "column": place.column,
        "answer": answered.answer().word(),
        "follows": answered.follows,
        "refuted": answered.refuted,
        "open": answered.open,
        "message": answered.refutation.as_ref().map(|failure| failure.message.clone()),
        "reason": answered.reason.as_ref().map(ToString::to_string),
        "values": values,
    })
}
