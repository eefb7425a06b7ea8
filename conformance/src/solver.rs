//! Finds the solver: the one that was named, `PROBITY_Z3`, or the first on `PATH`.

use std::path::{Path, PathBuf};

use smt::{SolverKind, SolverOptions};

pub fn find(explicit: Option<&str>, seed: u32) -> Result<SolverOptions, String> {
    let named = explicit.map(str::to_string).or_else(|| std::env::var("PROBITY_Z3").ok());
    let program = named.unwrap_or_else(|| "z3".to_string());
    let path = if program.contains('/') { Some(PathBuf::from(&program)) } else { on_path(&program) };
    let is_cvc5 = Path::new(&program).file_name().is_some_and(|name| name.to_string_lossy().contains("cvc5"));
    let kind = if is_cvc5 { SolverKind::Cvc5 } else { SolverKind::Z3 };
    match path.filter(|path| path.is_file()) {
        Some(path) => Ok(SolverOptions { kind, path, seed }),
        None => Err(format!("no solver `{program}`: install Z3 or name one with --solver")),
    }
}

fn on_path(program: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(program)).find(|path| path.is_file())
}
