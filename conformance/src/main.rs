//! Runs public test suites against Probity and writes tables; nothing of the suites is in this repository.
#![forbid(unsafe_code)]
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command-line program")]

use std::path::{Path, PathBuf};

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

fn main() {
    let root = std::env::args().nth(1).unwrap_or_default();
    for path in files_below(Path::new(&root)) {
        let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap_or_default()).into_owned();
        let mut map = source::SourceMap::default();
        let id = map.add(path.display().to_string(), text.as_str());
        let (program, diagnostics) = silver::syntax::parse(id, &text);
        for d in &diagnostics {
            let place = d.span().map(|span| map.place(span)).unwrap();
            println!("{}:{}:{} {}", path.display(), place.line, place.column, d.message);
        }
        if diagnostics.is_empty() {
            let once = silver::syntax::print(&program);
            let (again, errors) = silver::syntax::parse(id, &once);
            if let Some(e) = errors.first() {
                let place = map.add("x", once.as_str());
                let span = e.span().unwrap();
                println!("REPARSE {} {:?} {}", path.display(), map.file(place).place(span.start), e.message);
                continue;
            }
            let twice = silver::syntax::print(&again);
            if once != twice {
                println!("DIFF {}", path.display());
            }
            let strip = |p: &silver::syntax::tree::Program| {
                let t = format!("{p:?}");
                let mut out = String::new();
                let mut rest = t.as_str();
                while let Some(i) = rest.find("Span {") {
                    out.push_str(&rest[..i]);
                    let j = rest[i..].find("} }").map(|k| i + k).unwrap_or(rest.len() - 1);
                    let k = rest[i + 6..].find("end: ").unwrap() + i + 6;
                    let l = rest[k..].find('}').unwrap() + k + 1;
                    let _ = j;
                    rest = &rest[l..];
                }
                out.push_str(rest);
                out
            };
            if strip(&program) != strip(&again) {
                println!("TREE {}", path.display());
            }
        }
    }
}
