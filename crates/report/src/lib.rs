//! Answers in the forms people and programs read: text, JSON, pictures.
//!
//! Pure functions from verdicts and diagnostics to strings; whoever calls decides where they go.
#![forbid(unsafe_code)]

mod chart;
mod check_json;
mod check_text;
mod diagnostics;
mod number;
mod trace_json;
mod trace_text;

pub use chart::trace_svg;
pub use check_json::check_json;
pub use check_text::{check_text, progress_line};
pub use diagnostics::{diagnostics_json, render_diagnostics};
pub use number::{bytes, grouped};
pub use trace_json::{StoredTrace, read_trace, trace_json, trace_value};
pub use trace_text::{step_line, trace_text, waiting_text};
