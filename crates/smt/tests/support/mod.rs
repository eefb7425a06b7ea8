//! The solvers that tests talk to.

use smt::{SolverError, SolverOptions, recognise, solver_version};

/// The solver of this name; without a name the one that `PROBITY_Z3` names, or `z3` on the search path.
pub(crate) fn find_solver(name: Option<&str>) -> Result<SolverOptions, SolverError> {
    let Some(name) = name else {
        let usual = std::env::var("PROBITY_Z3").ok().filter(|name| !name.is_empty());
        return recognise(usual.as_deref().unwrap_or("z3").as_ref());
    };
    match solver_version(name.as_ref()) {
        Err(SolverError::Start(..)) => Err(SolverError::NotFound(format!("as {name}"))),
        Err(error) => Err(error),
        Ok(_) => recognise(name.as_ref()),
    }
}
