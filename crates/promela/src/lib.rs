//! The Promela language: preprocessor, parser, names and types.
//!
//! `syntax` reads text into a tree, `resolve` turns the tree into a [`resolve::Program`] in which every
//! name is an id and the statements are the ones SPIN 6.5 would generate; `lower` makes a model of it, and `port` is
//! how a run meets the language. Nothing here opens a file:
//! texts come through a [`Loader`] of the caller. Any text gives a program or diagnostics, never a panic.
#![forbid(unsafe_code)]

mod limits;
pub mod lower;
pub mod port;
pub mod resolve;
pub mod syntax;

use source::{Diagnostic, Loader, SourceMap, Span};

use resolve::Program;
use resolve::program::Temporal;
pub use syntax::Options;

/// Reads the model that the loader has under `name`. There is a program exactly if no diagnostic is an error.
pub fn load(
    name: &str,
    loader: &dyn Loader,
    options: &Options,
    map: &mut SourceMap,
) -> (Option<Program>, Vec<Diagnostic>) {
    let Ok(text) = loader.load(name) else {
        let file = map.add(name, "");
        let diagnostic =
            Diagnostic::error("load.missing", Span::new(file, 0, 0), format!("cannot read `{name}`"))
                .help("check the path and the permissions");
        return (None, vec![diagnostic]);
    };
    let file = map.add(name, text);
    let (preprocessed, mut diagnostics) = syntax::preprocess(file, loader, options, map);
    let (module, parsing) = syntax::parse(preprocessed.tokens);
    // Where text is missing, errors in the rest are likely to be consequences of that, and are not reported.
    let incomplete = |diagnostic: &Diagnostic| {
        matches!(
            diagnostic.code,
            "preprocess.include.missing"
                | "preprocess.macro.unterminated"
                | "scan.comment.unterminated"
                | "scan.too.large"
        )
    };
    if !diagnostics.iter().any(incomplete) {
        diagnostics.extend(parsing);
    }
    // Names are looked at even after syntax errors, but what a faulty declaration should have declared is
    // unknown, so only a clean parse is worth the further messages.
    if diagnostics.iter().any(Diagnostic::is_error) {
        return (None, diagnostics);
    }
    let (program, resolving) = resolve::resolve(&module, preprocessed.macros);
    diagnostics.extend(resolving);
    (program, diagnostics)
}

/// Reads a formula about a model: its globals, symbolic constants, processes and macros may be used.
pub fn formula(text: &str, program: &Program, map: &mut SourceMap) -> (Option<Temporal>, Vec<Diagnostic>) {
    let file = map.add("<formula>", text);
    let (tokens, mut diagnostics) = syntax::preprocess_with(file, program.macros.clone(), map);
    let (tree, parsing) = syntax::parse_formula(tokens, program.lexer_names());
    diagnostics.extend(parsing);
    let Some(tree) = tree.filter(|_| !diagnostics.iter().any(Diagnostic::is_error)) else {
        return (None, diagnostics);
    };
    let (formula, resolving) = resolve::resolve_formula(&tree, program);
    diagnostics.extend(resolving);
    (formula, diagnostics)
}
