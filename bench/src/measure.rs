//! Running programs and taking their times and their memory, by `/usr/bin/time`.
//!
//! Processor times come in hundredths of a second, so a short program is run again and again within one
//! measurement until enough time has gone by, and the total is divided.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::models::Model;

const TIME: &str = "/usr/bin/time";

/// A single run shorter than this is repeated.
const LONG_ENOUGH: f64 = 0.5;

/// What one run of a program cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    pub(crate) user_seconds: f64,
    pub(crate) system_seconds: f64,
    pub(crate) peak_bytes: u64,
}

impl Cost {
    /// Processor time of all kinds.
    pub(crate) fn seconds(&self) -> f64 {
        self.user_seconds + self.system_seconds
    }

    /// The smaller of each: what disturbs a measurement makes it larger.
    fn best(self, other: Cost) -> Cost {
        Cost {
            user_seconds: self.user_seconds.min(other.user_seconds),
            system_seconds: self.system_seconds.min(other.system_seconds),
            peak_bytes: self.peak_bytes.min(other.peak_bytes),
        }
    }
}

/// A sentence for each tool that is not there.
pub(crate) fn missing_tools() -> Vec<String> {
    let mut missing = Vec::new();
    if !Path::new(TIME).exists() {
        missing.push(format!("{TIME} is missing: `apt install time`"));
    }
    for (tool, advice) in [
        ("spin", "`apt install spin`, or build it from https://github.com/nimble-code/Spin"),
        ("gcc", "`apt install gcc`; SPIN needs it to build its verifiers"),
    ] {
        let found = std::env::var_os("PATH")
            .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(tool).is_file()));
        if !found {
            missing.push(format!("`{tool}` is missing: {advice}"));
        }
    }
    missing
}

/// A folder of our own, gone when the value is.
pub(crate) struct Workplace {
    folder: PathBuf,
}

impl Workplace {
    pub(crate) fn new() -> Result<Workplace, String> {
        let folder = std::env::temp_dir().join(format!("probity-bench-{}", std::process::id()));
        std::fs::create_dir_all(&folder)
            .map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
        Ok(Workplace { folder })
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> Result<PathBuf, String> {
        let path = self.folder.join(name);
        std::fs::write(&path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        Ok(path)
    }

    /// A model, and the headers beside it that it may include.
    pub(crate) fn write_model(&self, model: &Model, text: &str) -> Result<PathBuf, String> {
        let headers = model.folder().and_then(|folder| std::fs::read_dir(folder).ok());
        for entry in headers.into_iter().flatten().flatten() {
            let path = entry.path();
            if path.extension().is_some_and(|extension| extension == "h")
                && let Some(name) = path.file_name()
            {
                std::fs::copy(&path, self.folder.join(name)).map_err(|error| error.to_string())?;
            }
        }
        self.write("model.pml", text)
    }

    /// Runs a program here once, and says what it printed.
    pub(crate) fn once(&self, program: &str, words: &[&str]) -> Result<(Cost, String), String> {
        self.timed(program, words, 1)
    }

    /// Runs a program here as often as it takes to measure it, `runs` times over.
    pub(crate) fn measured(
        &self,
        program: &str,
        words: &[&str],
        runs: u32,
    ) -> Result<(Cost, String), String> {
        let (mut cost, output) = self.once(program, words)?;
        let repeats = if cost.seconds() >= LONG_ENOUGH {
            1
        } else {
            (LONG_ENOUGH / cost.seconds().max(0.01)).ceil().min(50.0) as u32
        };
        if repeats > 1 {
            // A single short run says too little to take part.
            cost = self.timed(program, words, repeats)?.0;
        }
        for _ in 1..runs {
            cost = cost.best(self.timed(program, words, repeats)?.0);
        }
        Ok((cost, output))
    }

    fn timed(&self, program: &str, words: &[&str], repeats: u32) -> Result<(Cost, String), String> {
        let note = self.folder.join("time.txt");
        let mut command = Command::new(TIME);
        command.current_dir(&self.folder).stdin(Stdio::null());
        command.arg("-o").arg(&note).args(["-f", "%U %S %M"]);
        if repeats > 1 {
            // The shell waits for each run, so its own account holds the times of all and the largest memory.
            let script = format!(
                "n={repeats}; while [ $n -gt 0 ]; do \"$0\" \"$@\" >/dev/null 2>&1; n=$((n-1)); done"
            );
            command.args(["sh", "-c", &script]);
        }
        let output =
            command.arg(program).args(words).output().map_err(|error| format!("{program}: {error}"))?;
        let note =
            std::fs::read_to_string(&note).map_err(|error| format!("no times of {program}: {error}"))?;
        let cost = cost(&note, repeats).ok_or_else(|| format!("no times of {program}: {note}"))?;
        let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.push_str(&String::from_utf8_lossy(&output.stderr));
        Ok((cost, text))
    }
}

impl Drop for Workplace {
    fn drop(&mut self) {
        // What cannot be removed stays in the folder for temporary files.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// The last line of the note; one before it may speak of an exit code.
fn cost(note: &str, repeats: u32) -> Option<Cost> {
    let mut words = note.lines().last()?.split_whitespace();
    let user: f64 = words.next()?.parse().ok()?;
    let system: f64 = words.next()?.parse().ok()?;
    let kilobytes: u64 = words.next()?.parse().ok()?;
    let repeats = f64::from(repeats);
    Some(Cost {
        user_seconds: user / repeats,
        system_seconds: system / repeats,
        peak_bytes: kilobytes * 1024,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_several_runs_are_divided() {
        let found = cost("Command exited with non-zero status 1\n1.00 0.50 2048\n", 2);
        assert!(matches!(found, Some(cost) if cost.seconds() == 0.75 && cost.peak_bytes == 2 << 20));
        assert!(cost("", 1).is_none());
    }
}
