//! Answers in the forms people and programs read: text, JSON, pictures.
//!
//! Pure functions from verdicts and diagnostics to strings; the caller decides where they go.
#![forbid(unsafe_code)]

mod answers;
mod chart;
mod check_json;
mod check_text;
mod diagnostics;
mod number;
mod proof_json;
mod proof_progress;
#[cfg(test)]
mod proof_tests;
mod proof_text;
mod snapshot_text;
mod stability_text;
mod trace_json;
mod trace_text;

pub use answers::{answer_json, answer_text, answers_text, question_refused_json};
pub use chart::trace_svg;
pub use check_json::{JSON_VERSION, check_json};
pub use check_text::{CheckDetail, check_text, progress_line};
pub use diagnostics::{diagnostics_json, render_diagnostics};
pub use number::{bytes, counted, grouped};
pub use proof_json::ProofJson;
pub use proof_progress::{ProofProgress, obligation_text, proof_progress};
pub use proof_text::{
    assumptions_text, cache_text, failures_text, inherited_text, profile_text, slowest_text, totals_text,
    verdict_line,
};
pub use snapshot_text::snapshot_text;
pub use stability_text::stability_text;
pub use trace_json::{StoredTrace, read_trace, trace_json, trace_value};
pub use trace_text::{step_line, trace_text, waiting_text};
