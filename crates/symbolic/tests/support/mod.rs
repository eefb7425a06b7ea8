//! Programs on disk, for tests that run over a suite.

use std::path::{Path, PathBuf};

use silver::typed::Program;
use silver::{Loader, Options};
use source::SourceMap;

struct Disk;

impl Loader for Disk {
    fn load(&self, path: &str) -> Result<String, String> {
        std::fs::read_to_string(path).map_err(|error| error.to_string())
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

fn files_below(root: &Path) -> Vec<PathBuf> {
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
