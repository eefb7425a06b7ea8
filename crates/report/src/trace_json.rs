//! Traces as JSON: what programs read, what is saved beside a model, and what a replay reads back.

use serde_json::{Value, json};
use verdict::{Cause, Passage, Trace, TraceStep};

/// A trace read back from a file: the model's name and which edges were taken, by whom.
pub struct StoredTrace {
    pub model: String,
    /// Pid, location and edge; the same of the partner in a handshake.
    pub steps: Vec<StoredStep>,
    /// How many of the steps are the stem; the rest is the cycle.
    pub stem: usize,
    /// The sentence that says what the run refutes, where it is not what happens in the last step.
    pub refutes: Option<String>,
}

pub struct StoredStep {
    pub pid: u8,
    pub edge: (u32, u32),
    pub partner: Option<(u8, (u32, u32))>,
    pub statement: String,
}

/// A trace as a text that can be saved.
pub fn trace_json(model: &str, property: &str, trace: &Trace) -> String {
    let value = json!({
        "format": "probity-trace",
        "version": 1,
        "model": model,
        "property": property,
        "processes": trace.processes,
        "cause": cause(&trace.cause),
        "stem": trace.stem.iter().map(step).collect::<Vec<_>>(),
        "cycle": trace.cycle.iter().map(step).collect::<Vec<_>>(),
    });
    let mut text = serde_json::to_string_pretty(&value).unwrap_or_default();
    text.push('\n');
    text
}

/// The counterexample of a property in a report.
pub fn trace_value(trace: &Trace) -> Value {
    json!({
        "cause": cause(&trace.cause),
        "stem": trace.stem.iter().map(step).collect::<Vec<_>>(),
        "cycle": trace.cycle.iter().map(step).collect::<Vec<_>>(),
    })
}

fn step(step: &TraceStep) -> Value {
    let changes: Vec<Value> = step
        .changes
        .iter()
        .map(|change| json!({"variable": change.variable, "before": change.before, "after": change.after}))
        .collect();
    let mut value = json!({
        "pid": step.pid,
        "process": step.process,
        "file": step.file,
        "line": step.line,
        "statement": step.statement,
        "location": step.edge.0,
        "edge": step.edge.1,
        "atomic": step.atomic,
        "changes": changes,
        "message": step.message.as_ref().map(|message| json!({
            "channel": message.channel,
            "send": message.passage != Passage::Received,
            "lost": message.passage == Passage::Lost,
            "fields": message.fields,
        })),
        "output": step.output,
        "partner": step.partner.as_ref().map(|partner| json!({
            "pid": partner.pid,
            "process": partner.process,
            "file": partner.file,
            "line": partner.line,
            "statement": partner.statement,
            "location": partner.edge.0,
            "edge": partner.edge.1,
        })),
    });
    if let (Some((action, arguments)), Some(fields)) = (&step.action, value.as_object_mut()) {
        fields.insert("action".to_string(), json!(action));
        fields.insert("arguments".to_string(), json!(arguments));
        fields.insert("component".to_string(), json!(step.process));
    }
    value
}

fn cause(cause: &Cause) -> Value {
    match cause {
        Cause::None => Value::Null,
        Cause::Assertion { text } => json!({"kind": "assertion", "text": text}),
        Cause::RuntimeError { what } => json!({"kind": "error", "text": what}),
        Cause::Prefix { what } => json!({"kind": "prefix", "text": what}),
        Cause::Cycle { what } => json!({"kind": "cycle", "text": what}),
        Cause::InvalidEndState { waiting, unfinished } => json!({
            "kind": "deadlock",
            "trace_waits_for": unfinished,
            "waiting": waiting.iter().map(|process| json!({
                "pid": process.pid,
                "process": process.process,
                "file": process.file,
                "line": process.line,
                "may_rest": process.may_rest,
                "for": process.for_what.iter().map(|(statement, why)| json!({
                    "statement": statement,
                    "why": why,
                })).collect::<Vec<_>>(),
            })).collect::<Vec<_>>(),
        }),
    }
}

/// Reads a saved trace; the error says what is wrong with it.
pub fn read_trace(text: &str) -> Result<StoredTrace, String> {
    let value: Value =
        serde_json::from_str(text).map_err(|error| format!("the trace is not JSON: {error}"))?;
    if value["format"] != "probity-trace" {
        return Err("the file is no trace: it has no \"format\": \"probity-trace\"".to_string());
    }
    if value["version"] != 1 {
        return Err(format!("the trace has version {}, this program reads version 1", value["version"]));
    }
    let model = value["model"].as_str().unwrap_or_default().to_string();
    let list = |key: &str| value[key].as_array().cloned().unwrap_or_default();
    let (stem, cycle) = (list("stem"), list("cycle"));
    let steps = stem.iter().chain(&cycle).enumerate().map(|(index, step)| {
        stored_step(step).ok_or_else(|| format!("step {} of the trace is incomplete", index + 1))
    });
    let is_about_the_run = matches!(value["cause"]["kind"].as_str(), Some("prefix" | "cycle"));
    let refutes = value["cause"]["text"].as_str().filter(|_| is_about_the_run).map(str::to_string);
    Ok(StoredTrace { model, stem: stem.len(), refutes, steps: steps.collect::<Result<_, _>>()? })
}

fn stored_step(step: &Value) -> Option<StoredStep> {
    let side = |value: &Value| -> Option<(u8, (u32, u32))> {
        let pid = u8::try_from(value["pid"].as_u64()?).ok()?;
        let location = u32::try_from(value["location"].as_u64()?).ok()?;
        Some((pid, (location, u32::try_from(value["edge"].as_u64()?).ok()?)))
    };
    let (pid, edge) = side(step)?;
    let partner = if step["partner"].is_null() { None } else { Some(side(&step["partner"])?) };
    Some(StoredStep { pid, edge, partner, statement: step["statement"].as_str()?.to_string() })
}
