//! The arrows between the rooms are those of `ARCHITECTURE.md`, and no others.

use std::collections::BTreeMap;
use std::path::Path;
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
