//! What checking a model says, for programs: one object.

use serde_json::{Value, json};
use verdict::{CheckReport, Coverage, LossyStore, ProcessCoverage, PropertyReport, Unexecuted};

use crate::trace_json::trace_value;

/// The version of the objects that `--json` prints. It changes when a field gets another meaning or goes away.
pub const JSON_VERSION: u32 = 1;

/// The object that `--json` prints. `peak_memory_bytes` is the whole program's.
pub fn check_json(report: &CheckReport, peak_memory_bytes: u64, warnings: Vec<Value>) -> String {
    let value = json!({
        "version": JSON_VERSION,
        "model": report.model,
        "verdict": report.verdict.word(),
        "states": report.statistics.states,
        "transitions": report.statistics.transitions,
        "depth": report.statistics.depth,
        "seconds": report.statistics.seconds(),
        "peak_memory_bytes": peak_memory_bytes,
        "store_bytes": report.statistics.peak_memory_bytes,
        "properties": report.properties.iter().map(property).collect::<Vec<_>>(),
        "coverage": report.coverage.as_ref().map(coverage),
        "diagnostics": warnings,
    });
    let mut text = serde_json::to_string(&value).unwrap_or_default();
    text.push('\n');
    text
}

fn lossy_store(store: &LossyStore) -> Value {
    match *store {
        LossyStore::HashCompact { bits, omission_probability } => json!({
            "kind": store.name(),
            "bits": bits,
            "omission_probability": omission_probability,
        }),
        LossyStore::Bitstate { bytes, probes, expected_omissions, expected_coverage } => json!({
            "kind": store.name(),
            "bytes": bytes,
            "probes": probes,
            "expected_omissions": expected_omissions,
            "expected_coverage": expected_coverage,
        }),
    }
}

fn coverage(coverage: &Coverage) -> Value {
    let never = |unexecuted: &Unexecuted| {
        json!({
            "file": unexecuted.file,
            "line": unexecuted.line,
            "statement": unexecuted.statement,
            "reached": unexecuted.reached,
        })
    };
    let process = |process: &ProcessCoverage| {
        json!({
            "process": process.process,
            "statements": process.statements,
            "never_executed": process.never.iter().map(never).collect::<Vec<_>>(),
        })
    };
    json!({
        "complete": coverage.is_complete,
        "processes": coverage.processes.iter().map(process).collect::<Vec<_>>(),
    })
}

fn property(property: &PropertyReport) -> Value {
    let mut value = json!({
        "name": property.name,
        "kind": property.kind.word(),
        "verdict": property.verdict.word(),
        "reason": property.reason,
        "states": property.statistics.states,
        "transitions": property.statistics.transitions,
        "expansions": property.statistics.expansions,
        "waits": property.statistics.waits,
        "depth": property.statistics.depth,
        "violations": property.violations,
        "seconds": property.statistics.seconds(),
        "algorithm": property.algorithm,
        "why_algorithm": property.why_algorithm,
        "reduction": property.reduction,
        "counterexample": property.trace.as_ref().map(trace_value),
    });
    if let (Some(store), Some(fields)) = (&property.store, value.as_object_mut()) {
        fields.insert("store".to_string(), lossy_store(store));
    }
    if let (Some(instances), Some(fields)) = (&property.instances, value.as_object_mut()) {
        let named = |values: &[(String, String)]| -> Value {
            values
                .iter()
                .map(|(name, value)| (name.clone(), json!(value)))
                .collect::<serde_json::Map<_, _>>()
                .into()
        };
        fields.insert("instances".to_string(), json!(instances.count));
        fields.insert("ends".to_string(), json!(instances.ends));
        let instance = instances.instance.as_ref();
        let instance =
            instance.map(|it| json!({"arguments": named(&it.arguments), "fields": named(&it.fields)}));
        fields.insert("instance".to_string(), json!(instance));
        if let Some(carried) = &instances.carried {
            fields.insert("safety".to_string(), json!(carried.safety));
            fields.insert("inherited".to_string(), json!(carried.inherited));
        }
    }
    value
}
