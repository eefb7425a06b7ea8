//! Runs each file in a process of its own: what overflows its stack, eats all memory or does not stop is killed together
//! with its solvers, and the run over the suite goes on.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use verdict::{Reason, Verdict};

use crate::judge::Output;
use crate::run::{Member, Run, Subject};

/// How long a process may take to stop by itself after its time is over.
const GRACE: Duration = Duration::from_secs(10);
const POLL: Duration = Duration::from_millis(2);

/// Starts a program that answers with the text of [`to_text`].
#[derive(Clone, Debug)]
pub struct Isolated {
    pub program: PathBuf,
    /// Everything but the file, which comes last.
    pub arguments: Vec<String>,
    /// The process is expected to heed this itself.
    pub timeout: Duration,
    /// For the process and its solvers together.
    pub max_memory_bytes: u64,
}

impl Subject for Isolated {
    fn run(&self, _root: &Path, path: &Path) -> Run {
        let start = Instant::now();
        let mut run = self.answer(path, start).unwrap_or_else(|fault| Run {
            outputs: vec![Output { line: None, id: "crash".to_string() }],
            faults: vec![fault],
            ..Run::default()
        });
        run.time = start.elapsed();
        run
    }
}

impl Isolated {
    fn answer(&self, path: &Path, start: Instant) -> Result<Run, String> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).arg(path);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(|error| format!("cannot start: {error}"))?;
        let stdout = reader(child.stdout.take());
        let stderr = reader(child.stderr.take());
        let limit = self.timeout + GRACE;
        let mut looked = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
                break status;
            }
            if start.elapsed() > limit {
                kill(&mut child);
                return Err("killed: it does not stop when it is asked to".to_string());
            }
            if looked.elapsed() > Duration::from_millis(100) {
                looked = Instant::now();
                if memory_of_group(child.id()) > self.max_memory_bytes {
                    kill(&mut child);
                    return Err(format!("killed: more than {} MiB of memory", self.max_memory_bytes >> 20));
                }
            }
            std::thread::sleep(POLL);
        };
        let text = stdout.join().unwrap_or_default();
        if !status.success() || start.elapsed() > self.timeout {
            // A solver that is in the middle of a question does not notice that nobody wants the answer.
            kill_group(child.id());
        }
        from_text(&text).ok_or_else(|| {
            let said = stderr.join().unwrap_or_default();
            let said = said.lines().filter(|line| !line.trim().is_empty()).collect::<Vec<_>>().join(" ");
            format!("the process ended with {status}: {said}")
        })
    }
}

fn reader(stream: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut stream) = stream {
            // What was read before an error is better than nothing.
            let _ = stream.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Ends the process and all that it started.
fn kill(child: &mut Child) {
    kill_group(child.id());
    let _ = child.kill();
    let _ = child.wait();
}

fn kill_group(group: u32) {
    // Where there is no such command, only the process itself can be ended.
    let group = format!("-{group}");
    let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
}

/// Resident bytes of all processes of a group, where the system tells.
fn memory_of_group(group: u32) -> u64 {
    const PAGE: u64 = 4096;
    let mut pages = 0;
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else { continue };
        // The name in parentheses may contain anything.
        let Some((_, rest)) = stat.rsplit_once(')') else { continue };
        let fields: Vec<&str> = rest.split_whitespace().collect();
        if fields.get(2).and_then(|field| field.parse().ok()) == Some(group) {
            pages += fields.get(21).and_then(|field| field.parse::<u64>().ok()).unwrap_or(0);
        }
    }
    pages * PAGE
}

/// A run in one line.
pub fn to_text(run: &Run) -> String {
    let output = |output: &Output| json!([output.line, output.id]);
    let member = |member: &Member| {
        let reason = match &member.verdict {
            Verdict::Unknown(reason) => Some(reason.to_string()),
            _ => None,
        };
        json!([member.name, member.lines, member.verdict.word(), reason])
    };
    let value = json!({
        "outputs": run.outputs.iter().map(output).collect::<Vec<_>>(),
        "messages": run.messages,
        "faults": run.faults,
        "members": run.members.iter().map(member).collect::<Vec<_>>(),
    });
    value.to_string()
}

/// What [`to_text`] made, without its time.
pub fn from_text(text: &str) -> Option<Run> {
    let value: Value = serde_json::from_str(text.trim()).ok()?;
    let list = |key: &str| value[key].as_array().cloned();
    let words = |key: &str| -> Option<Vec<String>> {
        list(key)?.iter().map(|word| word.as_str().map(str::to_string)).collect()
    };
    let number = |value: &Value| value.as_u64().and_then(|number| u32::try_from(number).ok());
    let output = |value: &Value| Some(Output { line: number(&value[0]), id: value[1].as_str()?.to_string() });
    let member = |value: &Value| {
        let reason = || Reason::Internal(value[3].as_str().unwrap_or_default().to_string());
        Some(Member {
            name: value[0].as_str()?.to_string(),
            lines: number(&value[1][0]).zip(number(&value[1][1])),
            verdict: match value[2].as_str()? {
                "holds" => Verdict::Holds,
                "violated" => Verdict::Violated,
                _ => Verdict::Unknown(reason()),
            },
        })
    };
    Some(Run {
        outputs: list("outputs")?.iter().map(output).collect::<Option<_>>()?,
        messages: words("messages")?,
        faults: words("faults")?,
        members: list("members")?.iter().map(member).collect::<Option<_>>()?,
        time: Duration::ZERO,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_survives_the_way_through_a_pipe() {
        let member = |verdict| Member { name: "m".to_string(), lines: Some((1, 9)), verdict };
        let run = Run {
            outputs: vec![
                Output { line: Some(3), id: "a:b".to_string() },
                Output { line: None, id: "c".to_string() },
            ],
            messages: vec!["3: \"x\"".to_string()],
            faults: vec!["oh".to_string()],
            members: vec![
                member(Verdict::Holds),
                member(Verdict::Unknown(Reason::Internal("why".to_string()))),
                Member { lines: None, ..member(Verdict::Violated) },
            ],
            time: Duration::ZERO,
        };
        let back = from_text(&to_text(&run)).expect("the text is complete");
        assert_eq!((back.outputs, back.messages, back.faults), (run.outputs, run.messages, run.faults));
        assert_eq!(back.members, run.members);
        assert!(from_text("").is_none());
    }

    #[test]
    fn what_does_not_answer_is_a_fault() {
        let isolated = |program: &str, arguments: &[&str]| Isolated {
            program: PathBuf::from(program),
            arguments: arguments.iter().map(|word| (*word).to_string()).collect(),
            timeout: Duration::from_secs(30),
            max_memory_bytes: u64::MAX,
        };
        let run = isolated("sh", &["-c", "echo oh >&2; exit 3"]).run(Path::new("."), Path::new("a.vpr"));
        assert_eq!(run.outputs[0].id, "crash");
        assert!(run.faults[0].contains("oh"), "{:?}", run.faults);
        let run = isolated("/does/not/exist", &[]).run(Path::new("."), Path::new("a.vpr"));
        assert!(run.faults[0].starts_with("cannot start"), "{:?}", run.faults);
    }
}
