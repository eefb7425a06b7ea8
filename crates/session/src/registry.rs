//! The languages, and which file names belong to which: the one place that names them.
//!
//! A language is one line of [`Registry::standard`]. A test or an editor that needs another one adds a line to a registry
//! of its own.

use std::path::Path;

use model::{LanguageOption, ModelLanguage};
use silver::port::{Features, ProofLanguage};

/// A language and the names of its files. What its files hold can be models, programs, or both: then each command asks
/// the one that it is for.
#[derive(Clone, Copy)]
struct Entry {
    extensions: &'static [&'static str],
    description: &'static str,
    /// Models are checked, and run step by step.
    models: Option<&'static dyn ModelLanguage>,
    /// Programs are proved.
    programs: Option<&'static dyn ProofLanguage>,
}

impl Entry {
    fn kind(&self) -> FileKind {
        let uses: &[UseOf] = match (self.programs, self.models) {
            (Some(_), Some(_)) => &[UseOf::Programs, UseOf::Models],
            (Some(_), None) => &[UseOf::Programs],
            (None, _) => &[UseOf::Models],
        };
        FileKind { description: self.description, uses }
    }

    fn program_language(&self) -> Option<ProgramLanguage> {
        self.programs.map(|port| ProgramLanguage::new(self.description, port))
    }
}

/// The languages that are known.
#[derive(Clone)]
pub struct Registry {
    entries: Vec<Entry>,
}

/// A language whose programs are proved. It is known by what its programs are called.
#[derive(Clone, Copy)]
pub struct ProgramLanguage {
    description: &'static str,
    port: &'static dyn ProofLanguage,
}

impl ProgramLanguage {
    /// A language by what its programs are called, with an article.
    pub fn new(description: &'static str, port: &'static dyn ProofLanguage) -> ProgramLanguage {
        ProgramLanguage { description, port }
    }

    /// What its programs are called, with an article.
    pub fn description(self) -> &'static str {
        self.description
    }

    /// What sets it apart.
    pub fn features(self) -> Features {
        self.port.features()
    }

    /// How its programs are read and spoken about.
    pub(crate) fn port(self) -> &'static dyn ProofLanguage {
        self.port
    }
}

impl PartialEq for ProgramLanguage {
    fn eq(&self, other: &ProgramLanguage) -> bool {
        self.description == other.description
    }
}

impl Eq for ProgramLanguage {}

impl std::fmt::Debug for ProgramLanguage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.description)
    }
}

/// What a file holds, as far as its name tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileKind {
    /// What it is, with its article.
    pub description: &'static str,
    /// What can be done with it; the first is the default. There is always one.
    pub uses: &'static [UseOf],
}

impl FileKind {
    /// Whether this can be done with it.
    pub fn is_for(self, use_of: UseOf) -> bool {
        self.uses.contains(&use_of)
    }
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
    /// models; a program is then in the first language that it reads in.
    pub fn standard() -> Registry {
        Registry::empty()
            .with_models(&["pml", "prom", "promela", "spin"], "a Promela model", &promela::port::Promela)
            .with_programs(&["vpr", "sil"], "a Silver program", &silver::port::Silver)
            .with_models_and_programs(&["pvl"], "a PVL program", &pvl::port::Pvl, &pvl::port::Pvl)
    }

    /// One language of models more. An extension belongs to the first language that claims it.
    #[must_use]
    pub fn with_models(
        mut self,
        extensions: &'static [&'static str],
        description: &'static str,
        language: &'static dyn ModelLanguage,
    ) -> Registry {
        self.entries.push(Entry { extensions, description, models: Some(language), programs: None });
        self
    }

    /// One language more whose programs are proved. An extension belongs to the first language that claims it.
    #[must_use]
    pub fn with_programs(
        mut self,
        extensions: &'static [&'static str],
        description: &'static str,
        language: &'static dyn ProofLanguage,
    ) -> Registry {
        self.entries.push(Entry { extensions, description, models: None, programs: Some(language) });
        self
    }

    /// One language more whose files hold models and programs. An extension belongs to the first language that claims it.
    #[must_use]
    pub fn with_models_and_programs(
        mut self,
        extensions: &'static [&'static str],
        description: &'static str,
        models: &'static dyn ModelLanguage,
        programs: &'static dyn ProofLanguage,
    ) -> Registry {
        self.entries.push(Entry { extensions, description, models: Some(models), programs: Some(programs) });
        self
    }

    fn entry(&self, path: &Path) -> Option<&Entry> {
        let extension = path.extension()?;
        let is_its = |entry: &&Entry| entry.extensions.iter().any(|its| extension.eq_ignore_ascii_case(its));
        self.entries.iter().find(is_its)
    }

    /// What a file holds, if its name tells.
    pub fn kind(&self, path: &Path) -> Option<FileKind> {
        self.entry(path).map(Entry::kind)
    }

    /// Which extensions there are, and what files with them hold.
    pub fn languages(&self) -> impl Iterator<Item = (&'static [&'static str], FileKind)> {
        self.entries.iter().map(|entry| (entry.extensions, entry.kind()))
    }

    /// The options that only some languages of models have, with what the files of these are called.
    pub fn model_options(&self) -> Vec<(&'static str, LanguageOption)> {
        let models = self.entries.iter().filter_map(|entry| Some((entry.description, entry.models?)));
        models
            .flat_map(|(description, language)| language.options().iter().map(move |it| (description, *it)))
            .collect()
    }

    /// The language of a model: the one that its name tells, or else the first of all.
    pub(crate) fn model_language(&self, path: &Path) -> Option<&'static dyn ModelLanguage> {
        let models = |entry: &Entry| entry.models;
        self.entry(path).and_then(models).or_else(|| self.entries.iter().find_map(models))
    }

    /// The language of a program by its name; none for a name that says nothing.
    pub fn program_language(&self, path: &Path) -> Option<ProgramLanguage> {
        self.entry(path).and_then(Entry::program_language)
    }

    /// The language of a program by its text: the first that it reads in, or else the first of all.
    pub fn language_of_program(&self, text: &str) -> Option<ProgramLanguage> {
        let languages = || self.entries.iter().filter_map(Entry::program_language);
        languages().find(|language| language.port.reads(text)).or_else(|| languages().next())
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
        let use_of = |name: &str| registry.kind(Path::new(name)).map(|kind| kind.uses[0]);
        assert_eq!(use_of("a.PML"), Some(UseOf::Models));
        assert_eq!(use_of("folder.pml/a.pvl"), Some(UseOf::Programs));
        assert_eq!(use_of("a.txt"), None);
        assert_eq!(use_of("pml"), None);
        let program =
            |name: &str| registry.program_language(Path::new(name)).map(ProgramLanguage::description);
        assert_eq!(program("a.sil"), Some("a Silver program"));
        assert_eq!(program("A.VPR"), Some("a Silver program"));
        assert_eq!(program("a.pvl"), Some("a PVL program"));
        assert_eq!(program("a.pml"), None);
        assert!(registry.model_language(Path::new("a.txt")).is_some());
        assert!(Registry::empty().model_language(Path::new("a.pml")).is_none());
        assert!(Registry::empty().language_of_program("method m() {}").is_none());
    }

    #[test]
    fn texts_tell_what_names_do_not() {
        let registry = Registry::standard();
        let language = |text: &str| registry.language_of_program(text).map(ProgramLanguage::description);
        assert_eq!(language("method m() { assert true }"), Some("a Silver program"));
        assert_eq!(language("class C { void m() { assert true; } }"), Some("a PVL program"));
        // What nothing reads is the first language's business, which says what is wrong with it.
        assert_eq!(language("~~"), Some("a Silver program"));
    }
}
