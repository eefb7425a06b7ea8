//! Runs of Probity, with their wall-clock times: the solver is a process of its own, and waiting counts.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::arguments::Arguments;

/// What a verifier said about a file, and how long that took.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Measured {
    /// `holds`, `violated`, `unknown`, `timeout`, or what went wrong.
    pub(crate) verdict: String,
    /// `line:id`, sorted.
    pub(crate) errors: Vec<String>,
    pub(crate) seconds: f64,
}

impl Measured {
    pub(crate) fn is_answer(&self) -> bool {
        self.verdict == "holds" || self.verdict == "violated"
    }
}

pub(crate) struct Prover {
    program: PathBuf,
    solver: PathBuf,
    timeout: Duration,
}

impl Prover {
    pub(crate) fn new(arguments: &Arguments) -> Result<Prover, String> {
        let program = crate::probity::program(arguments.probity.as_deref())?;
        let named = arguments.solver.clone().or_else(|| std::env::var("PROBITY_Z3").ok());
        let solver = find(&named.unwrap_or_else(|| "z3".to_string()))
            .ok_or("no solver: install Z3, or name one with --solver or PROBITY_Z3")?;
        Ok(Prover { program, solver, timeout: arguments.timeout })
    }

    pub(crate) fn solver(&self) -> &Path {
        &self.solver
    }

    /// As [`Prover::verify`]; where the Silver was made from a PVL program beside it, the time is that of the PVL program,
    /// from its source. What is said about the Silver is still what Silicon's answer is compared with.
    pub(crate) fn verify_source(&self, path: &Path, runs: u32) -> Result<Measured, String> {
        let source = path.with_extension("pvl");
        if !source.is_file() {
            return self.verify(path, runs, None);
        }
        let measured = self.verify(path, 1, None)?;
        let seconds = self.verify(&source, runs, None)?.seconds;
        Ok(Measured { seconds, ..measured })
    }

    /// The best of several runs with one worker.
    pub(crate) fn verify(&self, path: &Path, runs: u32, log: Option<&Path>) -> Result<Measured, String> {
        let mut best: Option<Measured> = None;
        for _ in 0..runs.max(1) {
            let mut command = Command::new(&self.program);
            command.env("PROBITY_CACHE", "").arg("verify").arg(path).args([
                "--json",
                "--workers",
                "1",
                "--no-counterexamples",
            ]);
            command.arg("--solver").arg(&self.solver);
            if let Some(folder) = log {
                command.arg("--log-smt").arg(folder);
            }
            let (seconds, output) = timed(&mut command, self.timeout)?;
            let measured = match output {
                Some(output) => judged(&output, seconds),
                None => Measured { verdict: "timeout".to_string(), errors: Vec::new(), seconds },
            };
            let is_over = measured.verdict == "timeout";
            if best.as_ref().is_none_or(|best| measured.seconds < best.seconds) {
                best = Some(measured);
            }
            if is_over {
                break;
            }
        }
        best.ok_or_else(|| "nothing was run".to_string())
    }
}

fn judged(output: &str, seconds: f64) -> Measured {
    let value: Value = serde_json::from_str(output).unwrap_or_default();
    let list = |value: &Value, key: &str| value[key].as_array().cloned().unwrap_or_default();
    let mut errors = Vec::new();
    let failures = list(&value, "members").into_iter().flat_map(|member| list(&member, "failures"));
    let statics = list(&value, "diagnostics").into_iter().filter(|one| one["severity"] == "error");
    for error in failures.chain(statics) {
        errors.push(format!("{}:{}", error["line"], error["code"].as_str().unwrap_or_default()));
    }
    errors.sort();
    let verdict = value["verdict"].as_str().unwrap_or("no answer");
    Measured { verdict: verdict.to_string(), errors, seconds }
}

/// Runs a program and gives the seconds and what it printed on standard output; nothing where it took too long.
pub(crate) fn timed(command: &mut Command, timeout: Duration) -> Result<(f64, Option<String>), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let start = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("{name}: {error}"))?;
    let mut stdout = child.stdout.take().ok_or_else(|| format!("{name}: no output"))?;
    // A full pipe would stop the program, so somebody reads while it is waited for.
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        let _ = std::io::Read::read_to_end(&mut stdout, &mut text);
        String::from_utf8_lossy(&text).into_owned()
    });
    loop {
        match child.try_wait().map_err(|error| format!("{name}: {error}"))? {
            Some(_) => break,
            None if start.elapsed() > timeout => {
                let _ = child.kill();
                let _ = child.wait();
                return Ok((start.elapsed().as_secs_f64(), None));
            }
            None => std::thread::sleep(Duration::from_micros(500)),
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    Ok((seconds, Some(reader.join().unwrap_or_default())))
}

/// A program by its path, or on the search path.
fn find(name: &str) -> Option<PathBuf> {
    if name.contains('/') {
        return Path::new(name).canonicalize().ok();
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_lines_and_ids() {
        let output = r#"{"verdict":"violated","diagnostics":[{"severity":"warning","line":1,"code":"w"}],
            "members":[{"failures":[{"line":7,"code":"a:b"}]},{"failures":[{"line":3,"code":"c:d"}]}]}"#;
        let found = judged(output, 0.5);
        assert_eq!(
            (found.verdict.as_str(), found.errors),
            ("violated", vec!["3:c:d".into(), "7:a:b".into()])
        );
        assert_eq!(judged("", 0.5).verdict, "no answer");
    }
}
