//! Reading models from disk.

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

/// Included files by their paths; the preprocessor knows where to look.
struct DiskLoader;

impl promela::Loader for DiskLoader {
    fn load(&self, path: &str) -> Option<Arc<str>> {
        read_text(Path::new(path)).ok()
    }
}

/// Reads, preprocesses, parses and resolves a model.
pub fn load_model(path: &Path, options: &LoadOptions) -> Result<Loaded, Failure> {
    let mut sources = SourceMap::default();
    let name = path.display().to_string();
    // The first read is for its error: the loader below can only say that there is no such text.
    read_text(path).map_err(Failure::message)?;
    let split = |define: &String| match define.split_once('=') {
        Some((name, text)) => (name.to_string(), Some(text.to_string())),
        None => (define.clone(), None),
    };
    let preprocessing = promela::Options {
        defines: options.defines.iter().map(split).collect(),
        undefines: options.undefines.clone(),
        includes: options.include_paths.iter().map(|path| path.display().to_string()).collect(),
    };
    let (program, diagnostics) = promela::load(&name, &DiskLoader, &preprocessing, &mut sources);
    match program {
        Some(mut program) if !diagnostics.iter().any(Diagnostic::is_error) => {
            program.loses_messages = options.loses_messages;
            Ok(Loaded { name, sources, program, warnings: diagnostics })
        }
        _ => Err(Failure { sources, diagnostics, message: None }),
    }
}
