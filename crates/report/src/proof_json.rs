//! What verifying programs says, for programs: one object.

use serde_json::{Value, json};
use source::{Diagnostic, SourceMap};
use verdict::{
    Assumption, Counterexample, Creation, FailureReport, MemberReport, ProofReport, Stability, Verdict,
};

use crate::answers::answer_value;
use crate::diagnostics::diagnostics_json;
use crate::trace_json::trace_value;

/// Of the object's shape; raised where a field is taken away or changes its meaning.
const VERSION: u32 = 1;

/// The answer about several files, filled one after the other.
#[derive(Default)]
pub struct ProofJson {
    verdict: Option<Verdict>,
    diagnostics: Vec<Value>,
    members: Vec<Value>,
    assumptions: Vec<Value>,
    stability: Vec<Value>,
    errors: Vec<String>,
    queries: u64,
    /// How many of them were answered before.
    reused: u64,
}

impl ProofJson {
    /// Warnings, or the errors of a file that was not verified.
    pub fn add_diagnostics(&mut self, sources: &SourceMap, diagnostics: &[Diagnostic]) {
        for mut value in diagnostics_json(sources, diagnostics) {
            if let Some(object) = value.as_object_mut() {
                object.remove("help");
            }
            self.diagnostics.push(value);
        }
    }

    /// Something that went wrong and has no place in a source.
    pub fn add_error(&mut self, message: &str) {
        self.errors.push(message.to_string());
    }

    pub fn add_report(&mut self, sources: &SourceMap, report: &ProofReport) {
        for member in &report.members {
            self.add_diagnostics(sources, &member.warnings);
        }
        self.members.extend(report.members.iter().map(|report| member(sources, report)));
        self.assumptions.extend(report.assumptions().into_iter().map(|it| assumption(sources, it)));
        self.queries += report.members.iter().map(|member| member.cost.queries).sum::<u64>();
        self.reused += report.members.iter().map(|member| member.cost.reused).sum::<u64>();
        self.add_verdict(report.verdict());
    }

    /// How a program came out in further runs.
    pub fn add_stability(&mut self, sources: &SourceMap, stability: &Stability) {
        let varying = stability.varying.iter().map(|member| {
            let verdicts: Vec<&str> = member.verdicts.iter().map(Verdict::word).collect();
            json!({
                "name": member.name,
                "kind": member.kind.word(),
                "file": sources.file(member.span.file).name,
                "line": sources.place(member.span).line,
                "verdicts": verdicts,
                "least_resources": member.resources.0,
                "most_resources": member.resources.1,
            })
        });
        let varying: Vec<Value> = varying.collect();
        self.stability
            .push(json!({ "runs": stability.runs, "compared": stability.compared, "varying": varying }));
    }

    /// The answer about one file; together they decide.
    pub fn add_verdict(&mut self, verdict: Verdict) {
        self.verdict = Some(match self.verdict.take() {
            Some(earlier) => earlier.and(verdict),
            None => verdict,
        });
    }

    /// The object and a line break.
    pub fn finish(self) -> String {
        let mut value = json!({
            "version": VERSION,
            "verdict": self.verdict.as_ref().map_or("unknown", Verdict::word),
            "diagnostics": self.diagnostics,
            "members": self.members,
            "assumptions": self.assumptions,
            "queries": self.queries,
            "reused": self.reused,
        });
        if !self.stability.is_empty() {
            value["stability"] = Value::from(self.stability);
        }
        if !self.errors.is_empty() {
            value["error"] = Value::from(self.errors.join("; "));
        }
        format!("{value}\n")
    }
}

fn member(sources: &SourceMap, report: &MemberReport) -> Value {
    let mut value = json!({
        "name": report.name,
        "kind": report.kind.word(),
        "verdict": report.verdict.word(),
        "file": sources.file(report.span.file).name,
        "line": sources.place(report.span).line,
        "column": sources.place(report.span).column,
        "assumptions": report.assumptions.iter().map(|it| assumption(sources, it)).collect::<Vec<_>>(),
        "seconds": report.cost.time.as_secs_f64(),
        "queries": report.cost.queries,
        "reused": report.cost.reused,
        "failures": report.failures.iter().map(|found| failure(sources, found)).collect::<Vec<_>>(),
    });
    if !report.answers.is_empty() {
        let answers = report.answers.iter().map(|answered| answer_value(sources, answered));
        value["answers"] = answers.collect();
    }
    if let Some(how) = report.how() {
        value["how"] = Value::from(how.word());
    }
    if !report.relies_on.is_empty() {
        let inherited = report.relies_on.iter().map(|it| {
            let place = sources.place(it.span);
            let file = &sources.file(it.span.file).name;
            json!({ "process": it.name, "how": it.how.word(), "file": file, "line": place.line, "column": place.column })
        });
        value["relies_on"] = Value::from(inherited.collect::<Vec<_>>());
    }
    if !report.creations.is_empty() {
        let created = report.creations.iter().map(|it| creation(sources, it));
        value["creates"] = Value::from(created.collect::<Vec<_>>());
    }
    if let Verdict::Unknown(reason) = &report.verdict {
        value["reason"] = Value::from(match &report.stuck {
            Some(stuck) => {
                let place = sources.place(stuck.span);
                let file = &sources.file(stuck.span.file).name;
                format!("{reason}, at {file}:{}:{}: {}", place.line, place.column, stuck.text)
            }
            None => reason.to_string(),
        });
    }
    value
}

fn creation(sources: &SourceMap, creation: &Creation) -> Value {
    let place = sources.place(creation.span);
    let inherits = creation.inherits.iter().map(|it| {
        let mut value = json!({ "property": it.name, "how": it.how.word() });
        if let Some(detail) = &it.detail {
            value["detail"] = Value::from(detail.clone());
        }
        if let Some(instances) = it.instances {
            value["instances"] = Value::from(instances);
        }
        value
    });
    json!({
        "process": creation.process,
        "file": sources.file(creation.span.file).name,
        "line": place.line,
        "column": place.column,
        "inherits": inherits.collect::<Vec<_>>(),
    })
}

fn assumption(sources: &SourceMap, assumption: &Assumption) -> Value {
    let place = sources.place(assumption.span);
    json!({
        "kind": assumption.kind,
        "name": assumption.name,
        "file": sources.file(assumption.span.file).name,
        "line": place.line,
        "column": place.column,
    })
}

fn failure(sources: &SourceMap, failure: &FailureReport) -> Value {
    let file = sources.file(failure.span.file);
    let (start, end) = (file.place(failure.span.start), file.place(failure.span.end));
    let mut message = failure.message.clone();
    for note in &failure.notes {
        message.push('\n');
        message.push_str(&note.text);
        if let Some(span) = note.span {
            let place = sources.place(span);
            message.push_str(&format!(" ({}:{})", sources.file(span.file).name, place.line));
        }
    }
    if let Some(help) = &failure.help {
        message.push_str(&format!("\n{help}"));
    }
    let mut value = json!({
        "code": failure.code,
        "message": message,
        "file": file.name,
        "line": start.line,
        "column": start.column,
        "end_line": end.line,
        "end_column": end.column,
        "counterexample": counterexample(failure.counterexample.as_ref()),
    });
    if let Some(run) = &failure.run {
        value["run"] = trace_value(run);
    }
    value
}

/// Values by their expressions, both as text.
fn counterexample(counterexample: Option<&Counterexample>) -> Value {
    let values = counterexample.iter().flat_map(|found| &found.values);
    Value::Object(values.map(|(name, value)| (name.clone(), Value::from(value.as_str()))).collect())
}
