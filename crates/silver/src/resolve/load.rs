//! Reads a file and, once each, the files it imports.
//!
//! The crate opens no files itself: a [`Loader`] does. Paths are compared after removing `.` and `..`, which is a
//! matter of spelling; links are not followed.

use std::sync::Arc;

use source::{Diagnostic, FileId, Loader, SourceMap, Span, paths};

use super::standard_library;
use crate::codes;
use crate::limits;
use crate::syntax::parse_here;
use crate::syntax::tree::{Import, MemberKind, Program};

/// Parsed files in the order in which Viper looks at them: imports before the file that imports them.
#[derive(Default, Debug)]
pub(crate) struct LoadedFiles {
    pub(crate) trees: Vec<Program>,
    /// For each tree, whether it is a file of the built-in library.
    pub(crate) built_in: Vec<bool>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Where a file comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// The main file, or one that it imports by its path.
    Program,
    /// A file behind `import <…>` that is in one of the folders for that.
    Library,
    BuiltIn,
}

pub(crate) struct Importer<'a> {
    pub(crate) loader: &'a dyn Loader,
    /// Where files behind `import <…>` are.
    folders: &'a [String],
    pub(crate) map: &'a mut SourceMap,
    seen: Vec<(bool, String)>,
    result: LoadedFiles,
}

impl<'a> Importer<'a> {
    pub(crate) fn new(loader: &'a dyn Loader, folders: &'a [String], map: &'a mut SourceMap) -> Importer<'a> {
        Importer { loader, folders, map, seen: Vec::new(), result: LoadedFiles::default() }
    }

    /// Loads the main file, which is the last one of the result.
    pub(crate) fn load_main(mut self, file: FileId) -> LoadedFiles {
        let path = paths::normalize(&self.map.file(file).name);
        self.seen.push((true, path.clone()));
        self.load_file(file, &path, Origin::Program, 0);
        self.result
    }

    /// Loads files of the standard library as if a program imported them.
    pub(crate) fn load_standard(mut self, paths: &[&str]) -> LoadedFiles {
        for path in paths {
            self.load_library(path, None, 0);
        }
        self.result
    }

    fn load_file(&mut self, file: FileId, path: &str, origin: Origin, depth: usize) {
        let text = self.map.file(file).text.clone();
        let (tree, diagnostics) = parse_here(file, &text);
        self.result.diagnostics.extend(diagnostics);
        for member in &tree.members {
            if let MemberKind::Import(import) = &member.kind {
                self.import(import, member.span, path, origin != Origin::Program, depth + 1);
            }
        }
        self.result.trees.push(tree);
        self.result.built_in.push(origin == Origin::BuiltIn);
    }

    fn import(&mut self, import: &Import, span: Span, importer: &str, from_standard: bool, depth: usize) {
        if depth > limits::IMPORT_DEPTH {
            self.error(span, "imports follow each other too deeply".to_string());
            return;
        }
        let path = if import.local {
            paths::normalize(&paths::beside(importer, &import.path))
        } else {
            paths::normalize(&import.path)
        };
        if !import.local || from_standard {
            self.load_library(&path, Some(span), depth);
            return;
        }
        if self.seen.contains(&(true, path.clone())) {
            return;
        }
        self.seen.push((true, path.clone()));
        match self.loader.load(&path) {
            Ok(text) => {
                let file = self.map.add(path.clone(), text);
                self.load_file(file, &path, Origin::Program, depth);
            }
            Err(reason) => {
                self.error(span, format!("the file `{}` cannot be imported: {reason}", import.path))
            }
        }
    }

    fn load_library(&mut self, path: &str, span: Option<Span>, depth: usize) {
        if self.seen.contains(&(false, path.to_string())) {
            return;
        }
        self.seen.push((false, path.to_string()));
        let found = match standard_library::find(path) {
            Some(text) => Some((format!("<{path}>"), Arc::from(text), Origin::BuiltIn)),
            None => {
                let candidates = self.folders.iter().map(|folder| paths::join(folder, path));
                paths::first(self.loader, candidates).map(|(name, text)| (name, text, Origin::Library))
            }
        };
        match (found, span) {
            (Some((name, text, origin)), _) => {
                let is_own = origin == Origin::BuiltIn;
                let file = if is_own { self.map.add_own(name, text) } else { self.map.add(name, text) };
                self.load_file(file, path, origin, depth);
            }
            (None, Some(span)) => {
                self.error(span, format!("there is no file <{path}> in the library"));
            }
            (None, None) => {}
        }
    }

    fn error(&mut self, span: Span, message: String) {
        let diagnostic = Diagnostic::error(codes::PARSER, span, message).help(
            "paths are relative to the importing file; `<…>` names a file of the standard library, \
                 or of a folder that is given with `-I`",
        );
        self.result.diagnostics.push(diagnostic);
    }
}
