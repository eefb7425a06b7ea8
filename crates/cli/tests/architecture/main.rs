//! What `ARCHITECTURE.md` says about the rooms is so: the arrows between them are those of its table, and what only one of
//! them may do, only one does.

mod code;
mod rules;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// What each package of the workspace uses, as `cargo metadata` tells.
fn metadata() -> Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo is what runs this test");
    serde_json::from_slice(&output.stdout).expect("cargo metadata prints JSON")
}

/// The rooms that a package uses, beside what its tests do.
fn used(package: &Value) -> Vec<String> {
    let dependencies = package["dependencies"].as_array().into_iter().flatten();
    let normal = dependencies.filter(|dependency| dependency["kind"].is_null());
    let names = normal.filter_map(|dependency| dependency["name"].as_str());
    names.filter(|name| name.starts_with("probity-")).map(room_of).collect()
}

#[test]
fn rooms_use_only_what_the_table_allows() {
    let allowed = table();
    let metadata = metadata();
    let mut seen = 0;
    for package in metadata["packages"].as_array().expect("there are packages") {
        let room = room_of(package["name"].as_str().unwrap_or_default());
        let Some(may_use) = allowed.get(&room) else { continue };
        seen += 1;
        let used = used(package);
        for other in &used {
            assert!(
                may_use.contains(other),
                "`{room}` uses `{other}`, which ARCHITECTURE.md does not allow: only {may_use:?}"
            );
        }
        // The table is no wish list either.
        let is_open = room == "session";
        let unused: Vec<_> = may_use.iter().filter(|other| !is_open && !used.contains(other)).collect();
        assert!(unused.is_empty(), "`{room}` does not use {unused:?}, which ARCHITECTURE.md says it may");
    }
    assert_eq!(seen, allowed.len(), "every room of the table is a crate");
    assert_eq!(seen, code::room_names().len(), "every crate is a room of the table");
}

/// What stands outside of the rooms is as safe as they are.
#[test]
fn no_package_has_unsafe_code() {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().expect("there are packages");
    for target in packages.iter().flat_map(|package| package["targets"].as_array().into_iter().flatten()) {
        let is_program = |kind: &Value| matches!(kind.as_str(), Some("lib" | "bin"));
        if !target["kind"].as_array().into_iter().flatten().any(is_program) {
            continue;
        }
        let path = target["src_path"].as_str().unwrap_or_default();
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let code = code::code(&text, code::Keep::Code);
        let is_safe = ["#![forbid(unsafe_code)]", "#![deny(unsafe_code)]"].iter().any(|it| code.contains(it));
        assert!(is_safe, "{path} lacks #![forbid(unsafe_code)]");
    }
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
            let above = || all.iter().take_while(|other| **other != room).cloned().collect();
            let may_use = if cell.contains("all above") { above() } else { names(cell) };
            (room, may_use)
        })
        .collect()
}
