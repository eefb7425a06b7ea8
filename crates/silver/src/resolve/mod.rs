//! From parse trees to the typed program: imports, macros, names, types, consistency and plugins.
//!
//! The phases follow Viper's: the first phase with errors ends the run, so that each file's errors all carry one id.

mod assumptions;
mod calls;
mod checker;
mod consistency;
mod draft;
mod expressions;
mod load;
mod macros;
mod members;
mod names;
mod operators;
mod predicate_instances;
mod quantified_permissions;
mod standard_library;
mod statements;
mod termination;
mod unify;

use source::{Diagnostic, FileId, SourceMap};

use self::checker::Checker;
use self::load::Importer;
pub use self::load::{Loader, NoFiles};
use crate::syntax::tree;
use crate::typed::Program;

/// What a caller can choose about the language.
#[derive(Clone, Copy, Default, Debug)]
pub struct Options {
    /// Insert `refute false` where a proof must not be vacuous.
    pub smoke_detection: bool,
    /// Let exact amounts in function preconditions mean what they say, instead of only zero or positive.
    pub respect_function_permission_amounts: bool,
}

/// The result of the front end.
#[derive(Debug)]
pub struct Resolved {
    /// Present if there are no errors.
    pub program: Option<Program>,
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a file of the map with its imports and gives it its meaning.
pub fn resolve(map: &mut SourceMap, file: FileId, loader: &dyn Loader, options: &Options) -> Resolved {
    crate::with_large_stack(|| resolve_here(map, file, loader, options))
}

fn resolve_here(map: &mut SourceMap, file: FileId, loader: &dyn Loader, options: &Options) -> Resolved {
    let loaded = Importer::new(loader, map).load_main(file);
    let mut diagnostics = loaded.diagnostics;
    let mut trees: Vec<tree::Program> = loaded.files.into_iter().map(|file| file.tree).collect();
    diagnostics.extend(macros::expand(&mut trees.iter_mut().collect::<Vec<_>>()));
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Resolved { program: None, diagnostics };
    }
    let derives = trees.iter().flat_map(|tree| &tree.members).any(|member| {
        matches!(&member.kind, tree::MemberKind::Import(import) if !import.local && &*import.path == "adt/derives.vpr")
    });
    diagnostics.extend(names::check(trees.iter().flat_map(|tree| &tree.members)));
    let mut checker = Checker::new();
    // The main file's members come first, as in Viper.
    checker.check_members(trees.iter().rev().flat_map(|tree| &tree.members), derives);
    diagnostics.append(&mut checker.diagnostics);
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Resolved { program: None, diagnostics };
    }
    diagnostics.extend(consistency::check_quantifier_shapes(&checker.program));
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Resolved { program: None, diagnostics };
    }
    diagnostics.append(&mut checker.inconsistencies);
    diagnostics.extend(consistency::check(&checker.program, options.respect_function_permission_amounts));
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Resolved { program: None, diagnostics };
    }
    Resolved { program: Some(checker.program), diagnostics }
}
