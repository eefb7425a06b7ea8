//! Silicon, behind a command that the user gives: `COMMAND cold FILE OPTION…` verifies a file in a fresh process,
//! `COMMAND warm OUT ROOT LIST OPTION…` verifies the files of a list one after another in one process.
//!
//! `warm` appends a line for each file to OUT, separated by tabs: the file, `ok` or `fail`, the number of errors, the
//! seconds, and in the last column the errors as `line~id~…`, separated by ` | `.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::run::{Measured, timed};
use crate::measure::Workplace;

pub(crate) struct Peer {
    command: String,
    timeout: Duration,
}

impl Peer {
    pub(crate) fn new(command: &str, timeout: Duration) -> Peer {
        Peer { command: command.to_string(), timeout }
    }

    fn command(&self, verb: &str) -> Command {
        let mut words = self.command.split_whitespace();
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words).arg(verb);
        command
    }

    /// Seconds from the start of a process to its verdict.
    pub(crate) fn cold(&self, place: &Workplace, path: &Path) -> Result<f64, String> {
        let path = absolute(path)?;
        let mut command = self.command("cold");
        command.arg(&path).args(["--numberOfParallelVerifiers", "1"]).current_dir(place.folder());
        Ok(timed(&mut command, self.timeout)?.0)
    }

    /// All files in one process, twice over: the second pass counts, when the process is warm.
    pub(crate) fn warm(
        &self,
        place: &Workplace,
        root: &Path,
        files: &[String],
    ) -> Result<Vec<Measured>, String> {
        let out = place.folder().join("warm.tsv");
        let _ = std::fs::remove_file(&out);
        let twice: Vec<&str> = files.iter().chain(files).map(String::as_str).collect();
        let list = place.write("warm.txt", &format!("{}\n", twice.join("\n")))?;
        let mut command = self.command("warm");
        command.arg(&out).arg(absolute(root)?).arg(&list).current_dir(place.folder());
        // Both passes may use all the time they are given, and the start of the process some more.
        let limit = self.timeout * (2 * files.len() as u32 + 2);
        if timed(&mut command, limit)?.1.is_none() {
            return Err("Silicon took too long".to_string());
        }
        let text = std::fs::read_to_string(&out).map_err(|error| format!("no answer of Silicon: {error}"))?;
        let rows: Vec<Measured> = text.lines().filter_map(row).collect();
        if rows.len() != 2 * files.len() {
            return Err(format!("Silicon answered {} times for {} files", rows.len(), files.len()));
        }
        Ok(rows.into_iter().skip(files.len()).collect())
    }

    /// Seconds that the solver needs for the questions that Silicon asks it about a file.
    pub(crate) fn replay(&self, place: &Workplace, path: &Path, solver: &Path) -> Result<f64, String> {
        let folder = place.folder().join("log");
        std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let mut command = self.command("cold");
        command.arg(absolute(path)?).args(["--numberOfParallelVerifiers", "1", "--enableTempDirectory"]);
        command.arg("--proverLogFile").arg(folder.join("log")).current_dir(place.folder());
        timed(&mut command, self.timeout)?;
        let seconds = replay_folder(&folder, solver);
        let _ = std::fs::remove_dir_all(&folder);
        seconds
    }
}

/// Seconds that the solver needs for all scripts of a folder, the best of three.
pub(crate) fn replay_folder(folder: &Path, solver: &Path) -> Result<f64, String> {
    let mut total = 0.0;
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.extension().is_none_or(|extension| extension != "smt2") {
            continue;
        }
        let mut best = f64::INFINITY;
        for _ in 0..3 {
            let mut command = Command::new(solver);
            let (seconds, _) = timed(command.arg("-smt2").arg(&path), Duration::from_secs(600))?;
            best = best.min(seconds);
        }
        total += best;
    }
    Ok(total)
}

fn absolute(path: &Path) -> Result<std::path::PathBuf, String> {
    path.canonicalize().map_err(|error| format!("{}: {error}", path.display()))
}

fn row(line: &str) -> Option<Measured> {
    let cells: Vec<&str> = line.split('\t').collect();
    let [_, verdict, _, seconds, ..] = cells.as_slice() else { return None };
    let mut errors = Vec::new();
    for error in cells.last()?.split(" | ") {
        let mut parts = error.split('~');
        if let (Some(line), Some(id)) = (parts.next(), parts.next()) {
            errors.push(format!("{line}:{id}"));
        }
    }
    errors.sort();
    let verdict = match *verdict {
        "ok" => "holds",
        "fail" => "violated",
        other => other,
    };
    Some(Measured { verdict: verdict.to_string(), errors, seconds: seconds.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_a_warm_run_can_be_read() {
        let line = "a.vpr\tfail\t2\t0.296\t0.1;0.2;\t0.2\t0.1\t37~b:c~S~a.vpr~no (x) | 4~a:b~S~a.vpr~yes";
        let found = row(line).expect("the line is complete");
        assert_eq!((found.verdict.as_str(), found.seconds), ("violated", 0.296));
        assert_eq!(found.errors, ["37:b:c", "4:a:b"]);
        assert!(row("a.vpr\tok\t0\t0.1\t\t0\t0\t").is_some_and(|found| found.errors.is_empty()));
        assert!(row("garbage").is_none());
    }
}
