//! Where the solver is.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;

use crate::limits;
use crate::solver::{SolverError, SolverKind, SolverOptions};

/// The solver to use: the one asked for by path or name, else the one that `PROBITY_Z3` names, else `z3` or `cvc5`
/// on the search path, else the one that was fetched beside the program.
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
        .or_else(|| std::env::current_exe().ok().and_then(|program| beside(&program)))
        .ok_or_else(|| SolverError::NotFound("on the search path".to_owned()))?;
    recognise(&path)
}

/// The oldest version of Z3 whose new arithmetic was tried. That of 4.8.7 hangs, heeds no limit and crashes.
const RELIABLE_ON_PRODUCTS: [u32; 3] = [4, 8, 12];

/// Whether a Z3 is new enough for its new procedure for arithmetic.
pub(crate) fn is_reliable_on_products(path: &Path) -> bool {
    let version = solver_version(path).unwrap_or_default();
    let number = version.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    let parts: Vec<u32> = number.unwrap_or_default().split('.').map_while(|part| part.parse().ok()).collect();
    parts.as_slice() >= RELIABLE_ON_PRODUCTS.as_slice()
}

/// What the solver says about itself, for example `Z3 version 4.8.12 - 64 bit`.
pub fn solver_version(path: &Path) -> Result<String, SolverError> {
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

fn recognise(path: &Path) -> Result<SolverOptions, SolverError> {
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

/// The solver that `tools/with-solver` fetched into the folder in which the program was built: `solver/bin/z3` beside
/// `release/probity` or `debug/deps/a_test`.
fn beside(program: &Path) -> Option<PathBuf> {
    let folders = program.ancestors().skip(2).take(2);
    folders.map(|folder| folder.join("solver/bin/z3")).find(|candidate| candidate.is_file())
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

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn solvers_are_known_by_their_names() {
        let kinds =
            ["z3", "/opt/z3-4.8.7/bin/z3", "Z3.exe", "z3-4.13", "cvc5", "cvc5-Linux", "z3py", "solver", ""]
                .map(|name| kind_by_name(Path::new(name)));
        let (z3, cvc5) = (Some(SolverKind::Z3), Some(SolverKind::Cvc5));
        assert_eq!(kinds, [z3, z3, z3, z3, cvc5, cvc5, None, None, None]);
    }

    #[test]
    fn a_solver_that_was_fetched_is_found() {
        let target = std::env::temp_dir().join(format!("probity-fetched-{}", std::process::id()));
        let solver = target.join("solver/bin/z3");
        std::fs::create_dir_all(target.join("solver/bin")).unwrap();
        std::fs::write(&solver, "").unwrap();
        let found = ["release/probity", "debug/deps/a_test", "solver", "a/b/c/d"]
            .map(|program| beside(&target.join(program)));
        std::fs::remove_dir_all(&target).unwrap();
        assert_eq!(found, [Some(solver.clone()), Some(solver), None, None]);
    }

    #[test]
    fn who_has_no_solver_is_told_how_to_get_one() {
        let error = find_solver(Some("no/such/solver")).unwrap_err();
        expect!["no solver was found at no/such/solver; install Z3 (Debian and Ubuntu: `apt install z3`; anywhere: `pip install z3-solver`) or name a solver in the environment variable PROBITY_Z3"].assert_eq(&error.to_string());
    }

    #[cfg(unix)]
    #[test]
    fn not_every_program_is_a_solver() {
        let error = find_solver(Some("sh")).unwrap_err();
        assert!(matches!(error, SolverError::NotASolver(..)), "{error:?}");
    }
}
