//! Files, places in them, and what is said about those places.
//!
//! Every front end reads a [`SourceMap`], points into it with [`Span`]s and reports with [`Diagnostic`]s.
//! Texts come through a [`Loader`], and what a path means that stands in a text is decided in [`paths`].
//! This room holds data only: it opens no file and prints nothing.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod diagnostic;
mod excerpt;
mod loader;
mod map;
pub mod paths;
mod position;

pub use diagnostic::{Diagnostic, Label, Severity};
pub use excerpt::{excerpt, on_one_line};
pub use loader::{Loader, NoFiles, Texts};
pub use map::{FileId, Place, SourceFile, SourceMap, Span};
pub use position::Unit;
