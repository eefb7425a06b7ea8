//! Reading models from disk.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use promela::resolve::Program;
use source::{Diagnostic, SourceMap};

use crate::check::Failure;

/// How a model's text is preprocessed.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// `-D NAME[=VALUE]`
    pub defines: Vec<String>,
    /// `-U NAME`
    pub undefines: Vec<String>,
    /// `-I DIR`
    pub include_paths: Vec<PathBuf>,
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

struct DiskLoader<'a> {
    include_paths: &'a [PathBuf],
}

impl promela::Loader for DiskLoader<'_> {
    fn load(&self, name: &str, from: &str, angled: bool) -> Option<(String, Arc<str>)> {
        let beside = Path::new(from).parent().map(|folder| folder.join(name));
        let own = if angled { None } else { beside };
        let candidates = own.into_iter().chain(self.include_paths.iter().map(|folder| folder.join(name)));
        for candidate in candidates {
            if let Ok(text) = read_text(&candidate) {
                return Some((candidate.display().to_string(), text));
            }
        }
        None
    }
}

/// Reads, preprocesses, parses and resolves a model.
pub fn load_model(path: &Path, options: &LoadOptions) -> Result<Loaded, Failure> {
    let mut sources = SourceMap::default();
    let name = path.display().to_string();
    let text = read_text(path).map_err(Failure::message)?;
    let loader = DiskLoader { include_paths: &options.include_paths };
    let promela_options =
        promela::Options { defines: options.defines.clone(), undefines: options.undefines.clone() };
    let (program, diagnostics) = promela::load(&name, text, &loader, &promela_options, &mut sources);
    match program {
        Some(program) if !diagnostics.iter().any(Diagnostic::is_error) => {
            Ok(Loaded { name, sources, program, warnings: diagnostics })
        }
        _ => Err(Failure { sources, diagnostics, message: None }),
    }
}
