//! The solver that a run uses.

use smt::SolverOptions;

/// The solver that was named, or the one that is found, with a seed.
pub fn find(explicit: Option<&str>, seed: u32) -> Result<SolverOptions, String> {
    let solver = session::find_solver(explicit).map_err(|error| error.to_string())?;
    Ok(SolverOptions { seed, ..solver })
}
