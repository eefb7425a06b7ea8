//! SPIN: its own three programs, one after another.

use std::path::Path;

use crate::measure::Workplace;

/// What a search said and cost, for either program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Searched {
    pub(crate) states: u64,
    /// User time of the search alone.
    pub(crate) search_seconds: f64,
    /// Processor time from the source to the verdict.
    pub(crate) total_seconds: f64,
    pub(crate) memory_bytes: u64,
}

const COMPILER_FLAGS: [&str; 9] =
    ["-w", "-O2", "-DNOREDUCE", "-DSAFETY", "-DNOCLAIM", "-DMEMLIM=16000", "-o", "pan", "pan.c"];

pub(crate) fn run(place: &Workplace, model: &Path, runs: u32) -> Result<Searched, String> {
    let name = model.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let (generate, said) = place.measured("spin", &["-a", &name], runs)?;
    if said.contains("Error:") || said.contains("error:") {
        return Err(format!("spin: {}", said.lines().next().unwrap_or_default()));
    }
    let (compile, said) = place.measured("gcc", &COMPILER_FLAGS, runs.min(2))?;
    if said.contains("error:") {
        return Err(format!("gcc: {}", said.lines().next().unwrap_or_default()));
    }
    let (search, said) = place.measured("./pan", &["-c0", "-n", "-m5000000"], runs)?;
    let states = stored(&said).ok_or_else(|| format!("pan: {}", said.lines().next().unwrap_or_default()))?;
    if said.contains("max search depth too small") || said.contains("aborted") {
        return Err("pan did not search everything".to_string());
    }
    Ok(Searched {
        states,
        search_seconds: search.user_seconds,
        total_seconds: generate.seconds() + compile.seconds() + search.seconds(),
        memory_bytes: search.peak_bytes,
    })
}

/// The number before `states, stored`.
fn stored(text: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.contains("states, stored"))?;
    let number: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(number as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_stored_states_is_found() {
        assert_eq!(stored("  2376180 states, stored\n 4409638 states, matched\n"), Some(2_376_180));
        assert_eq!(stored("  1.5e+06 states, stored"), Some(1_500_000));
        assert_eq!(stored("nothing"), None);
    }
}
