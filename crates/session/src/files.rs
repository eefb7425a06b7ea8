//! Reading models from disk.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use model::{LoadOptions, LoadedModel};
use source::{Diagnostic, SourceMap};

use crate::check::Failure;
use crate::registry::Registry;

/// A model that was read.
pub struct Loaded {
    pub name: String,
    pub sources: SourceMap,
    pub model: Box<dyn LoadedModel>,
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

/// The model by its name, included files by their paths; the language knows where to look.
struct ModelLoader {
    name: String,
    text: Arc<str>,
}

impl model::Loader for ModelLoader {
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

/// Reads a model in the language that its name tells; `-` is standard input.
pub fn load_model(registry: &Registry, path: &Path, options: &LoadOptions) -> Result<Loaded, Failure> {
    let mut sources = SourceMap::default();
    let (name, text) = if is_standard_input(path) {
        (STANDARD_INPUT.to_string(), read_standard_input())
    } else {
        (path.display().to_string(), read_text(path))
    };
    let loader = ModelLoader { name: name.clone(), text: text.map_err(Failure::message)? };
    let Some(language) = registry.model_language(path) else {
        return Err(Failure::message(format!("{name} is in no language of models that is known here")));
    };
    let (model, diagnostics) = language.load(&name, &loader, options, &mut sources);
    match model {
        Some(model) if !diagnostics.iter().any(Diagnostic::is_error) => {
            Ok(Loaded { name, sources, model, warnings: diagnostics })
        }
        _ => Err(Failure { sources, diagnostics, message: None }),
    }
}
