//! VerCors' own examples, from a checkout given by `PROBITY_VERCORS`: all of them can be read.

use std::path::{Path, PathBuf};

use pvl::syntax::tree::Dialect;
use pvl::syntax::{Options, parse};
use source::{Diagnostic, SourceMap};

fn checkout() -> Option<PathBuf> {
    std::env::var_os("PROBITY_VERCORS").map(PathBuf::from)
}

fn files_below(root: &Path, extension: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

fn describe(map: &SourceMap, diagnostic: &Diagnostic) -> String {
    let place = diagnostic.span().map(|span| map.place(span));
    let place = place.map_or(String::new(), |place| format!("{}:{}", place.line, place.column));
    let help = diagnostic.help.as_deref().unwrap_or("");
    format!("  {place} {:?} {}: {} [{help}]", diagnostic.severity, diagnostic.code, diagnostic.message)
}

#[test]
fn all_examples_parse() {
    let Some(root) = checkout() else { return };
    let files = files_below(&root.join("examples"), "pvl");
    assert!(!files.is_empty(), "there are no examples below {}", root.display());
    let mut failed = Vec::new();
    for path in &files {
        let text = String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned();
        let mut map = SourceMap::default();
        let file = map.add(path.display().to_string(), text.clone());
        let (_, diagnostics) = parse(file, &text, Options { dialect: Dialect::New });
        let errors: Vec<&Diagnostic> = diagnostics.iter().filter(|it| it.is_error()).collect();
        if !errors.is_empty() {
            let lines: Vec<String> = diagnostics.iter().map(|it| describe(&map, it)).collect();
            failed.push(format!("{}\n{}", path.display(), lines.join("\n")));
        }
    }
    assert!(failed.is_empty(), "{} of {}\n{}", failed.len(), files.len(), failed.join("\n"));
}
