//! The set-up of a solver: where it is, and where what it is told is written down.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use smt::{Logs, SolverError, SolverOptions, recognise};

use crate::check::Failure;

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

/// Writes what each session with a solver is told into a file of its own in a folder, which is made.
pub fn logs_in(folder: &Path) -> Result<Logs, Failure> {
    std::fs::create_dir_all(folder)
        .map_err(|error| Failure::message(format!("cannot make {}: {error}", folder.display())))?;
    let folder = folder.to_path_buf();
    Ok(Logs::new(move |name| {
        let path = folder.join(format!("{name}.smt2"));
        match std::fs::File::create(&path) {
            Ok(file) => Ok(Box::new(BufWriter::new(file)) as Box<dyn Write + Send>),
            Err(error) => Err(SolverError::Log(path, error.to_string())),
        }
    }))
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

    #[test]
    fn a_log_is_written_for_each_name() {
        let folder = std::env::temp_dir().join(format!("probity-logs-{}/deep", std::process::id()));
        let logs = logs_in(&folder).unwrap_or_else(|failure| panic!("{:?}", failure.message));
        let mut log = logs.open("m").unwrap();
        log.write_all(b"(check-sat)\n").unwrap();
        drop(log);
        assert_eq!(std::fs::read_to_string(folder.join("m.smt2")).unwrap(), "(check-sat)\n");
        let error = logs.open("no/such").err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.starts_with("the log ") && error.contains("cannot be written"), "{error}");
        // Where a file is, no folder can be.
        assert!(logs_in(&folder.join("m.smt2")).is_err());
        std::fs::remove_dir_all(folder.parent().unwrap()).unwrap();
    }
}
