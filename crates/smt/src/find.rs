//! Where the solver is.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::solver::{SolverError, SolverKind, SolverOptions};

/// The solver to use: the one asked for by path or name, else the one that `PROBITY_Z3` names, else `z3` or `cvc5`
/// on the search path.
pub fn find_solver(explicit: Option<&str>) -> Result<SolverOptions, SolverError> {
    if let Some(name) = explicit {
        return recognise(&locate(name).ok_or_else(|| SolverError::NotFound(format!("at {name}")))?);
    }
    if let Some(name) = std::env::var_os("PROBITY_Z3").filter(|name| !name.is_empty()) {
        let name = name.to_string_lossy();
        let path = locate(&name)
            .ok_or_else(|| SolverError::NotFound(format!("at {name}, which PROBITY_Z3 names")))?;
        return recognise(&path);
    }
    let path = locate("z3")
        .or_else(|| locate("cvc5"))
        .ok_or_else(|| SolverError::NotFound("on the search path".to_owned()))?;
    recognise(&path)
}

/// What the solver says about itself, for example `Z3 version 4.8.12 - 64 bit`.
pub fn solver_version(path: &Path) -> Result<String, SolverError> {
    let output = Command::new(path)
        .arg("--version")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .map_err(|error| SolverError::Start(path.to_owned(), error.to_string()))?;
    Ok(String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().trim().to_owned())
}

fn recognise(path: &Path) -> Result<SolverOptions, SolverError> {
    let version = solver_version(path)?;
    let kind = if version.contains("Z3") {
        SolverKind::Z3
    } else if version.contains("cvc5") {
        SolverKind::Cvc5
    } else {
        return Err(SolverError::NotASolver(path.to_owned(), version));
    };
    Ok(SolverOptions { kind, path: path.to_owned(), seed: 0 })
}

/// A file at the path, or a program of that name.
fn locate(name: &str) -> Option<PathBuf> {
    let path = Path::new(name);
    if path.components().count() > 1 || path.is_absolute() {
        return path.is_file().then(|| path.to_owned());
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders)
        .flat_map(|folder| [folder.join(name), folder.join(format!("{name}.exe"))])
        .find(|candidate| candidate.is_file())
}
