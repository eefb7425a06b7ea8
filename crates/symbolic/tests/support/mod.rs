//! Programs on disk and in tests, and how to verify them.
#![allow(dead_code, reason = "each test uses a part of it")]

use std::path::{Path, PathBuf};

use silver::Options;
use silver::port::{Context, Silver, Translation};
use silver::typed::Program;
use source::SourceMap;
use symbolic::VerifyOptions;
use testing::{Disk, files_below};
use verdict::{ProofReport, Silent};

/// All programs without errors below the folder that `PROBITY_SILVER_SUITE` names, in the order of their paths.
pub(crate) fn programs() -> impl Iterator<Item = (PathBuf, SourceMap, Program)> {
    let Ok(root) = std::env::var("PROBITY_SILVER_SUITE") else {
        panic!("set PROBITY_SILVER_SUITE to a folder with Silver programs, for example Viper's test suite");
    };
    files_below(Path::new(&root), &["vpr"]).into_iter().filter_map(|path| {
        let bytes = std::fs::read(&path).ok()?;
        let mut map = SourceMap::default();
        let file = map.add(path.to_string_lossy(), String::from_utf8_lossy(&bytes).as_ref());
        let resolved = silver::resolve(&mut map, file, &Disk, &Options::default());
        Some((path, map, resolved.program?))
    })
}

/// A program without errors.
pub(crate) struct Loaded {
    pub sources: SourceMap,
    pub program: Program,
}

/// Types a text as if it were the file's; none if it has errors.
pub(crate) fn load(path: &Path, text: &str) -> Option<Loaded> {
    let mut sources = SourceMap::default();
    let file = sources.add(path.to_string_lossy(), text);
    let resolved = silver::resolve(&mut sources, file, &Disk, &Options::default());
    resolved.program.map(|program| Loaded { sources, program })
}

pub(crate) fn load_text(text: &str) -> Loaded {
    load(Path::new("test.vpr"), text).expect("the program has no errors")
}

/// The solver that `PROBITY_Z3` names or that is on the search path.
pub(crate) fn options() -> VerifyOptions {
    let name = std::env::var("PROBITY_Z3").ok().filter(|name| !name.is_empty());
    match smt::recognise(name.as_deref().unwrap_or("z3").as_ref()) {
        Ok(solver) => VerifyOptions::new(solver),
        Err(error) => panic!("{error}"),
    }
}

pub(crate) fn verify(loaded: &Loaded, options: &VerifyOptions) -> ProofReport {
    let findings = symbolic::verify(&loaded.program, options, &Silent);
    let context = Context { program: &loaded.program, sources: &loaded.sources };
    Silver.report(context, findings.members)
}
