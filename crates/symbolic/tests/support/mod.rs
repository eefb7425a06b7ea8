//! Programs on disk and in tests, and how to verify them.
#![allow(dead_code, reason = "each test uses a part of it")]

use std::path::{Path, PathBuf};

use silver::Options;
use silver::port::{Context, Silver, Translation};
use silver::typed::Program;
use source::{Loader, SourceMap};
use symbolic::VerifyOptions;
use verdict::{ProofReport, Silent};

struct Disk;

impl Loader for Disk {
    fn load(&self, path: &str) -> Result<std::sync::Arc<str>, String> {
        std::fs::read_to_string(path).map(Into::into).map_err(|error| error.to_string())
    }
}

/// All programs without errors below the folder that `PROBITY_SILVER_SUITE` names, in the order of their paths.
pub(crate) fn programs() -> impl Iterator<Item = (PathBuf, SourceMap, Program)> {
    let Ok(root) = std::env::var("PROBITY_SILVER_SUITE") else {
        panic!("set PROBITY_SILVER_SUITE to a folder with Silver programs, for example Viper's test suite");
    };
    files_below(Path::new(&root)).into_iter().filter_map(|path| {
        let bytes = std::fs::read(&path).ok()?;
        let mut map = SourceMap::default();
        let file = map.add(path.to_string_lossy(), String::from_utf8_lossy(&bytes).as_ref());
        let resolved = silver::resolve(&mut map, file, &Disk, &Options::default());
        Some((path, map, resolved.program?))
    })
}

pub(crate) fn files_below(root: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "vpr") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
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
