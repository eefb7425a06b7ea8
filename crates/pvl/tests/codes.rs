//! Every code that the crate can report is listed in the manual.
//!
//! Codes are constants, or literals where a diagnostic or the role of a node is made, or notes at lines of the prelude: a
//! text in one of these places without blanks in it is a code.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use testing::files_below;

/// What stands in front of a code.
const MAKERS: &[&str] = &[
    "error(",
    "warning(",
    "Code(",
    "Base(",
    "Location(",
    "Quantified(",
    "established:",
    "preserved:",
    ": &str =",
];

fn is_code(text: &str) -> bool {
    text.starts_with(|it: char| it.is_ascii_lowercase())
        && text.chars().all(|it| it.is_ascii_alphanumeric() || it == ':')
}

/// The literals right behind a maker.
fn literals<'t>(text: &'t str, maker: &'t str) -> impl Iterator<Item = &'t str> {
    text.match_indices(maker).filter_map(move |(at, _)| {
        let rest = text[at + maker.len()..].trim_start().strip_prefix('"')?;
        rest.split_once('"').map(|(literal, _)| literal)
    })
}

#[test]
fn every_code_is_in_the_manual() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manual = std::fs::read_to_string(root.join("../../docs/pvl.md")).expect("the manual can be read");
    let mut codes: BTreeMap<String, PathBuf> = BTreeMap::new();
    for path in files_below(&root.join("src"), &["rs", "vpr"]) {
        let text = std::fs::read_to_string(&path).expect("a source file can be read");
        if path.extension().is_some_and(|it| it == "vpr") {
            let notes = text.lines().filter_map(|line| line.split_once("//: ")).map(|(_, code)| code.trim());
            codes.extend(notes.map(|code| (code.to_string(), path.clone())));
        } else {
            for maker in MAKERS {
                let found = literals(&text, maker).filter(|literal| is_code(literal));
                codes.extend(found.map(|code| (code.to_string(), path.clone())));
            }
        }
    }
    assert!(codes.len() > 100, "only {} codes were found", codes.len());
    let missing: Vec<String> = codes
        .iter()
        .filter(|(code, _)| !manual.contains(&format!("`{code}`")))
        .map(|(code, path)| format!("{code} ({})", path.display()))
        .collect();
    assert!(missing.is_empty(), "not in docs/pvl.md:\n{}", missing.join("\n"));
}
