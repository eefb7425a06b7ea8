//! Which solver a program is. Where it is found, others know.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::sync::{Mutex, PoisonError};

use crate::limits;
use crate::solver::{SolverError, SolverKind, SolverOptions};

/// The oldest version of Z3 whose new arithmetic was tried. That of 4.8.7 hangs, heeds no limit and crashes.
const RELIABLE_ON_PRODUCTS: [u32; 3] = [4, 8, 12];

/// Whether a Z3 is new enough for its new procedure for arithmetic.
pub(crate) fn is_reliable_on_products(path: &Path) -> bool {
    let version = solver_version(path).unwrap_or_default();
    let number = version.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    let parts: Vec<u32> = number.unwrap_or_default().split('.').map_while(|part| part.parse().ok()).collect();
    parts.as_slice() >= RELIABLE_ON_PRODUCTS.as_slice()
}

/// What the solver says about itself, for example `Z3 version 4.8.12 - 64 bit`. It is asked once: that takes as long as a
/// small proof.
pub fn solver_version(path: &Path) -> Result<String, SolverError> {
    static KNOWN: Mutex<BTreeMap<PathBuf, String>> = Mutex::new(BTreeMap::new());
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(version) = known().get(path) {
        return Ok(version.clone());
    }
    let version = ask_for_version(path)?;
    known().insert(path.to_owned(), version.clone());
    Ok(version)
}

fn ask_for_version(path: &Path) -> Result<String, SolverError> {
    let start = |error: std::io::Error| SolverError::Start(path.to_owned(), error.to_string());
    let mut child = Command::new(path)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(start)?;
    let (sender, line) = channel();
    if let Some(output) = child.stdout.take() {
        // On a thread of its own, which ends with the pipe: a program that says nothing must not stop its caller.
        let read = move || {
            let mut text = Vec::new();
            let _ = BufReader::new(output.take(limits::VERSION_BYTES)).read_until(b'\n', &mut text);
            let _ = sender.send(text);
        };
        std::thread::Builder::new().name("solver version".to_owned()).spawn(read).map_err(start)?;
    }
    let said = line.recv_timeout(limits::LONGEST_START);
    let _ = child.kill();
    let _ = child.wait();
    match said {
        Ok(text) => Ok(String::from_utf8_lossy(&text).trim().to_owned()),
        Err(_) => Err(SolverError::Mute(path.to_owned())),
    }
}

/// The solver that the program at a path is, or of a name that the system knows. It is believed to be what it is called,
/// and otherwise asked.
pub fn recognise(path: &Path) -> Result<SolverOptions, SolverError> {
    let kind = match kind_by_name(path) {
        Some(kind) => kind,
        None => kind_by_version(path)?,
    };
    Ok(SolverOptions { kind, path: path.to_owned(), seed: 0 })
}

/// Asking a solver for its version takes as long as a small proof, so those are believed that are called what they
/// are.
fn kind_by_name(path: &Path) -> Option<SolverKind> {
    let name = path.file_name()?.to_str()?.to_ascii_lowercase();
    let is_called = |solver: &str| {
        name.strip_prefix(solver).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-']))
    };
    if is_called("z3") {
        Some(SolverKind::Z3)
    } else if is_called("cvc5") {
        Some(SolverKind::Cvc5)
    } else {
        None
    }
}

fn kind_by_version(path: &Path) -> Result<SolverKind, SolverError> {
    let version = solver_version(path)?;
    if version.contains("Z3") {
        Ok(SolverKind::Z3)
    } else if version.contains("cvc5") {
        Ok(SolverKind::Cvc5)
    } else {
        Err(SolverError::NotASolver(path.to_owned(), version))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solvers_are_known_by_their_names() {
        let kinds =
            ["z3", "/opt/z3-4.8.7/bin/z3", "Z3.exe", "z3-4.13", "cvc5", "cvc5-Linux", "z3py", "solver", ""]
                .map(|name| kind_by_name(Path::new(name)));
        let (z3, cvc5) = (Some(SolverKind::Z3), Some(SolverKind::Cvc5));
        assert_eq!(kinds, [z3, z3, z3, z3, cvc5, cvc5, None, None, None]);
    }

    #[cfg(unix)]
    #[test]
    fn not_every_program_is_a_solver() {
        let error = recognise(Path::new("sh")).unwrap_err();
        assert!(matches!(error, SolverError::NotASolver(..)), "{error:?}");
    }
}
