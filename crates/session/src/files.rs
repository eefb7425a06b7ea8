//! Reading models from disk.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use promela::resolve::Program;
use source::{Diagnostic, SourceMap};

use crate::check::Failure;

/// How a model is read.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// `-D NAME[=VALUE]`
    pub defines: Vec<String>,
    /// `-U NAME`
    pub undefines: Vec<String>,
    /// `-I DIR`
    pub include_paths: Vec<PathBuf>,
    /// `-m`: messages that are sent to full channels are lost.
    pub loses_messages: bool,
}

/// A model that was read and resolved.
pub struct Loaded {
    pub name: String,
    pub sources: SourceMap,
    pub program: Program,
    /// Warnings: errors end the loading.
    pub warnings: Vec<Diagnostic>,
}

/// The text of a file; bytes that are no UTF-8 become replacement characters, so that every file can be
/// given places and diagnostics.
pub fn read_text(path: &Path) -> Result<Arc<str>, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into())
}

/// How a model is named that is read from standard input.
pub const STANDARD_INPUT: &str = "<stdin>";

/// Whether a path stands for standard input.
pub fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The model by its name, included files by their paths; the preprocessor knows where to look.
struct ModelLoader {
    name: String,
    text: Arc<str>,
}

impl promela::Loader for ModelLoader {
    fn load(&self, path: &str) -> Option<Arc<str>> {
        if path == self.name { Some(self.text.clone()) } else { read_text(Path::new(path)).ok() }
    }
}

fn read_standard_input() -> Result<Arc<str>, String> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().read_to_end(&mut bytes);
    read.map_err(|error| format!("cannot read standard input: {error}"))?;
    Ok(String::from_utf8_lossy(&bytes).into())
}

/// Reads, preprocesses, parses and resolves a model; `-` is standard input.
pub fn load_model(path: &Path, options: &LoadOptions) -> Result<Loaded, Failure> {
    let mut sources = SourceMap::default();
    let (name, text) = if is_standard_input(path) {
        (STANDARD_INPUT.to_string(), read_standard_input())
    } else {
        (path.display().to_string(), read_text(path))
    };
    let loader = ModelLoader { name: name.clone(), text: text.map_err(Failure::message)? };
    let split = |define: &String| match define.split_once('=') {
        Some((name, text)) => (name.to_string(), Some(text.to_string())),
        None => (define.clone(), None),
    };
    let preprocessing = promela::Options {
        defines: options.defines.iter().map(split).collect(),
        undefines: options.undefines.clone(),
        includes: options.include_paths.iter().map(|path| path.display().to_string()).collect(),
    };
    let (program, diagnostics) = promela::load(&name, &loader, &preprocessing, &mut sources);
    match program {
        Some(mut program) if !diagnostics.iter().any(Diagnostic::is_error) => {
            program.loses_messages = options.loses_messages;
            Ok(Loaded { name, sources, program, warnings: diagnostics })
        }
        _ => Err(Failure { sources, diagnostics, message: None }),
    }
}
