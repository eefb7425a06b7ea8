//! What several tests of this crate need.
#![allow(dead_code, reason = "each test needs a part of it")]

use std::path::{Path, PathBuf};

use pvl::syntax::tree::Program;

/// All files of a folder and its folders with this extension, in order.
pub(crate) fn files_below(root: &Path, extension: &str) -> Vec<PathBuf> {
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

/// A tree without places and ids.
pub(crate) fn shape(program: &Program) -> String {
    let written = format!("{:?}", program.declarations);
    let mut shape = String::with_capacity(written.len() / 2);
    let mut rest = written.as_str();
    while let Some(at) = rest.find(['S', '#']) {
        shape.push_str(&rest[..at]);
        rest = &rest[at..];
        if rest.starts_with("Span {") {
            rest = &rest[rest.find(" }").map_or(rest.len(), |end| end + 2)..];
        } else if rest[1..].starts_with(|c: char| c.is_ascii_digit()) && rest.starts_with('#') {
            rest = rest[1..].trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        } else {
            shape.push_str(&rest[..1]);
            rest = &rest[1..];
        }
    }
    shape.push_str(rest);
    shape
}
