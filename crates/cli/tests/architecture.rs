//! The arrows between the rooms are those of `ARCHITECTURE.md`, and no others.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

#[test]
fn rooms_use_only_what_the_table_allows() {
    let allowed = table();
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo is what runs this test");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo metadata prints JSON");
    let mut seen = 0;
    for package in metadata["packages"].as_array().expect("there are packages") {
        let room = room_of(package["name"].as_str().unwrap_or_default());
        let Some(may_use) = allowed.get(&room) else { continue };
        seen += 1;
        let dependencies = package["dependencies"].as_array().cloned().unwrap_or_default();
        for dependency in dependencies.iter().filter(|dependency| dependency["kind"].is_null()) {
            let name = dependency["name"].as_str().unwrap_or_default();
            let is_room = name.starts_with("probity-");
            assert!(
                !is_room || may_use.contains(&room_of(name)),
                "`{room}` uses `{}`, which ARCHITECTURE.md does not allow",
                room_of(name)
            );
        }
    }
    assert_eq!(seen, allowed.len(), "every room of the table is a crate");
}

/// Languages of models, as code would name them.
const MODEL_LANGUAGES: &[&str] = &["promela", "pml"];

/// Files of `session`, `report`, `cli` and `model` that may name them: the registry, and the words of the command line.
const MAY_NAME: &[&str] = &["session/src/registry.rs", "cli/src/arguments.rs"];

#[test]
fn only_the_registry_names_languages_of_models() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Vec::new();
    for room in ["session", "report", "cli", "model"] {
        for file in sources(&crates.join(room).join("src")) {
            let name = file.strip_prefix(&crates).unwrap_or(&file).display().to_string();
            let text = std::fs::read_to_string(&file).unwrap_or_default().to_lowercase();
            // What stands behind the tests' own line is no part of the room.
            let text = text.split("#[cfg(test)]").next().unwrap_or_default();
            if !MAY_NAME.contains(&name.as_str()) && MODEL_LANGUAGES.iter().any(|word| text.contains(word)) {
                found.push(name);
            }
        }
    }
    assert!(found.is_empty(), "these files name a language of models: {}", found.join(", "));
}

/// All files of Rust below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

fn room_of(package: &str) -> String {
    match package {
        "probity" => "cli".to_string(),
        other => other.trim_start_matches("probity-").to_string(),
    }
}

/// The rooms of the table and what each may use.
fn table() -> BTreeMap<String, Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ARCHITECTURE.md");
    let text = std::fs::read_to_string(path).expect("the document exists");
    let names =
        |cell: &str| -> Vec<String> { cell.split('`').skip(1).step_by(2).map(str::to_string).collect() };
    let rows: Vec<Vec<&str>> = text
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| line.trim_matches('|').split(" | ").collect())
        .collect();
    let all: Vec<String> = rows.iter().flat_map(|row| names(row[0])).collect();
    rows.iter()
        .map(|row| {
            let room = names(row[0]).remove(0);
            let cell = row.last().copied().unwrap_or_default();
            let may_use = if cell.contains("all above") || room == "cli" { all.clone() } else { names(cell) };
            (room, may_use)
        })
        .collect()
}
