//! The graphs of all programs below a folder, which is given by an environment variable.

use std::path::{Path, PathBuf};

use silver::typed::{MethodId, StatementKind, visit_statements};
use silver::{Loader, Options};
use source::SourceMap;
use symbolic::control::{ControlFlow, check_graph};

struct Disk;

impl Loader for Disk {
    fn load(&self, path: &str) -> Result<String, String> {
        std::fs::read_to_string(path).map_err(|error| error.to_string())
    }
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

/// `PROBITY_SILVER_SUITE=folder cargo test -p probity-symbolic -- --ignored`
#[test]
#[ignore = "needs a folder of Silver programs in PROBITY_SILVER_SUITE"]
fn every_program_of_the_suite_has_a_graph() {
    let Ok(root) = std::env::var("PROBITY_SILVER_SUITE") else {
        panic!("set PROBITY_SILVER_SUITE to a folder with Silver programs, for example Viper's test suite");
    };
    let mut problems = Vec::new();
    let mut bodies = 0;
    for path in files_below(Path::new(&root)) {
        let Ok(bytes) = std::fs::read(&path) else { continue };
        let mut map = SourceMap::default();
        let file = map.add(path.to_string_lossy(), String::from_utf8_lossy(&bytes).as_ref());
        let resolved = silver::resolve(&mut map, file, &Disk, &Options::default());
        let Some(program) = resolved.program else { continue };
        for (index, method) in program.methods.iter().enumerate() {
            let id = MethodId(index as u32);
            let mut flows = vec![ControlFlow::of(&program, id)];
            if let Some(body) = &method.body {
                visit_statements(body, &mut |statement| {
                    if let StatementKind::Package { proof, .. } = &statement.kind {
                        flows.push(ControlFlow::of_proof(&program, id, proof));
                    }
                });
            }
            for flow in flows {
                bodies += 1;
                match flow {
                    Ok(flow) => {
                        assert_eq!(check_graph(&flow), None, "{}: {}", path.display(), method.name);
                    }
                    Err(error) => {
                        let place = map.place(error.span);
                        problems.push(format!("{}:{}: {}", path.display(), place.line, error.message));
                    }
                }
            }
        }
    }
    assert_ne!(bodies, 0, "no method below {root}");
    assert!(problems.is_empty(), "no graph for {} bodies:\n{}", problems.len(), problems.join("\n"));
}
