//! The languages, and which file names belong to which: the one place that names them.
//!
//! A language is one line of [`Registry::standard`]. Whoever wants another (a test, an editor) adds a line to a registry
//! of their own.

use std::path::Path;

use model::ModelLanguage;

use crate::programs::Language;

/// What is done with files of a language.
#[derive(Clone, Copy)]
enum Engine {
    /// Models are checked, and run step by step.
    Models(&'static dyn ModelLanguage),
    /// Programs are proved.
    Programs(Language),
}

/// A language and the names of its files.
#[derive(Clone, Copy)]
struct Entry {
    extensions: &'static [&'static str],
    description: &'static str,
    engine: Engine,
}

/// The languages that are known.
#[derive(Clone)]
pub struct Registry {
    entries: Vec<Entry>,
}

/// What a file holds, as far as its name tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileKind {
    /// What it is, with its article.
    pub description: &'static str,
    pub use_of: UseOf,
}

/// What files are for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UseOf {
    /// To be checked.
    Models,
    /// To be proved.
    Programs,
}

impl Registry {
    /// No language at all.
    pub fn empty() -> Registry {
        Registry { entries: Vec::new() }
    }

    /// The languages of the program as it is shipped. Where a model's name tells nothing, it is in the first language of
    /// models.
    pub fn standard() -> Registry {
        Registry::empty()
            .with_models(&["pml", "prom", "promela", "spin"], "a Promela model", &promela::port::Promela)
            .with_programs(&["vpr", "sil"], "a Silver program", Language::Silver)
            .with_programs(&["pvl"], "a PVL program", Language::Pvl)
    }

    /// One language of models more. An extension belongs to the first language that claims it.
    #[must_use]
    pub fn with_models(
        mut self,
        extensions: &'static [&'static str],
        description: &'static str,
        language: &'static dyn ModelLanguage,
    ) -> Registry {
        self.entries.push(Entry { extensions, description, engine: Engine::Models(language) });
        self
    }

    fn with_programs(
        mut self,
        extensions: &'static [&'static str],
        description: &'static str,
        language: Language,
    ) -> Registry {
        self.entries.push(Entry { extensions, description, engine: Engine::Programs(language) });
        self
    }

    fn entry(&self, path: &Path) -> Option<&Entry> {
        let extension = path.extension()?;
        let is_its = |entry: &&Entry| entry.extensions.iter().any(|its| extension.eq_ignore_ascii_case(its));
        self.entries.iter().find(is_its)
    }

    /// What a file holds, if its name tells.
    pub fn kind(&self, path: &Path) -> Option<FileKind> {
        let entry = self.entry(path)?;
        let use_of = match entry.engine {
            Engine::Models(_) => UseOf::Models,
            Engine::Programs(_) => UseOf::Programs,
        };
        Some(FileKind { description: entry.description, use_of })
    }

    /// The language of a model: the one that its name tells, or else the first of all.
    pub(crate) fn model_language(&self, path: &Path) -> Option<&'static dyn ModelLanguage> {
        let models = |entry: &Entry| match entry.engine {
            Engine::Models(language) => Some(language),
            Engine::Programs(_) => None,
        };
        self.entry(path).and_then(models).or_else(|| self.entries.iter().find_map(models))
    }

    /// The language of a program by its name; none for a name that says nothing.
    pub fn program_language(&self, path: &Path) -> Option<Language> {
        match self.entry(path)?.engine {
            Engine::Models(_) => None,
            Engine::Programs(language) => Some(language),
        }
    }
}

impl Default for Registry {
    fn default() -> Registry {
        Registry::standard()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_what_files_are_for() {
        let registry = Registry::standard();
        let use_of = |name: &str| registry.kind(Path::new(name)).map(|kind| kind.use_of);
        assert_eq!(use_of("a.PML"), Some(UseOf::Models));
        assert_eq!(use_of("folder.pml/a.pvl"), Some(UseOf::Programs));
        assert_eq!(use_of("a.txt"), None);
        assert_eq!(use_of("pml"), None);
        assert_eq!(registry.program_language(Path::new("a.sil")), Some(Language::Silver));
        assert_eq!(registry.program_language(Path::new("a.pml")), None);
        assert!(registry.model_language(Path::new("a.txt")).is_some());
        assert!(Registry::empty().model_language(Path::new("a.pml")).is_none());
    }
}
