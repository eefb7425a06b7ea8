//! Files, places in them, and what is said about those places.
//!
//! Every front end reads a [`SourceMap`], points into it with [`Span`]s and reports with [`Diagnostic`]s.
//! This room holds data only: it opens no file and prints nothing.
#![forbid(unsafe_code)]

mod diagnostic;
mod map;

pub use diagnostic::{Diagnostic, Label, Severity};
pub use map::{FileId, Place, SourceFile, SourceMap, Span};
