//! Who answers for the tool: the engine in this process, or another build of the program as a child process.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::Value;
use session::ProgramOptions;
use silver::port::{Context, Silver, Translation};
use source::{Diagnostic, SourceMap};
use symbolic::VerifyOptions;
use verdict::{ProofReport, Silent, Verdict};

use crate::pvl_verify::pvl_text;
use crate::work::bounded;

/// The verdict on a program or a member.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Word {
    Holds,
    Violated,
    Unknown,
    /// Not a program of the language, or not one that is supported.
    Rejected,
}

/// What the tool says about a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    pub verdict: Word,
    pub members: Vec<(String, Word)>,
    /// Codes of failures and errors.
    pub codes: Vec<String>,
}

impl Answer {
    pub fn rejected(codes: Vec<String>) -> Answer {
        Answer { verdict: Word::Rejected, members: Vec::new(), codes }
    }

    pub fn of(&self, member: &str) -> Option<Word> {
        self.members.iter().find(|(name, _)| name == member).map(|(_, word)| *word)
    }
}

#[derive(Clone, Debug)]
pub enum Verifier {
    /// The engine that this program is built with.
    InProcess(Box<VerifyOptions>),
    /// `PATH verify --json …` on a file.
    Child { program: PathBuf, solver: Option<String>, timeout: Duration },
}

impl Verifier {
    /// Asks about some members only.
    pub fn ask_about(&self, text: &str, extension: &str, members: &[String]) -> Answer {
        match self {
            Verifier::InProcess(options) => {
                let options = VerifyOptions { members: Some(members.to_vec()), ..(**options).clone() };
                Verifier::InProcess(Box::new(options)).ask(text, extension)
            }
            Verifier::Child { .. } => self.ask(text, extension),
        }
    }

    /// Asks about a program; `extension` tells its language.
    pub fn ask(&self, text: &str, extension: &str) -> Answer {
        match self {
            Verifier::InProcess(options) if extension == "vpr" => silver(text, options),
            Verifier::InProcess(options) => pvl(text, options),
            Verifier::Child { program, solver, timeout } => {
                child(program, solver.as_deref(), *timeout, text, extension)
                    .unwrap_or_else(|message| Answer::rejected(vec![message]))
            }
        }
    }
}

fn silver(text: &str, options: &VerifyOptions) -> Answer {
    let mut map = SourceMap::default();
    let file = map.add("program.vpr", text);
    let resolved = silver::resolve(&mut map, file, &source::NoFiles, &silver::Options::default());
    match resolved.program {
        Some(program) => {
            let findings = symbolic::verify(&program, options, &Silent);
            let context = Context { program: &program, sources: &map };
            of_report(&Silver.report(context, findings.members))
        }
        None => Answer::rejected(codes_of(&resolved.diagnostics)),
    }
}

fn pvl(text: &str, options: &VerifyOptions) -> Answer {
    let text = pvl_text("program.pvl".to_string(), text.into());
    let program = ProgramOptions { dialect: Some(2), ..ProgramOptions::default() };
    match session::load_program(&[text], &program) {
        Err(failure) => Answer::rejected(codes_of(&failure.diagnostics)),
        Ok(loaded) => match session::verify(&loaded, options, &Silent) {
            Ok(report) => of_report(&report),
            Err(failure) => Answer::rejected(failure.message.into_iter().collect()),
        },
    }
}

fn codes_of(diagnostics: &[Diagnostic]) -> Vec<String> {
    diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.is_error())
        .map(|diagnostic| format!("{}: {}", diagnostic.code, diagnostic.message))
        .collect()
}

fn of_report(report: &ProofReport) -> Answer {
    let word = |verdict: &Verdict| match verdict {
        Verdict::Holds => Word::Holds,
        Verdict::Violated => Word::Violated,
        Verdict::Unknown(_) => Word::Unknown,
    };
    let members = report.members.iter().map(|member| (member.name.clone(), word(&member.verdict))).collect();
    let failures = report.members.iter().flat_map(|member| &member.failures);
    let codes = failures.map(|failure| failure.code.clone()).collect();
    Answer { verdict: word(&report.verdict()), members, codes }
}

/// Asks a program in a process of its own.
fn child(
    program: &Path,
    solver: Option<&str>,
    timeout: Duration,
    text: &str,
    extension: &str,
) -> Result<Answer, String> {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = format!("probity-attack-{}-{number}.{extension}", std::process::id());
    let file = std::env::temp_dir().join(name);
    fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))?;
    let mut command = Command::new(program);
    command
        .env("PROBITY_CACHE", "")
        .args(["verify", "--json", "--no-counterexamples", "--workers", "1"])
        .arg(&file);
    command.args(["--member-timeout", &timeout.as_secs().max(1).to_string()]);
    if let Some(solver) = solver {
        command.args(["--solver", solver]);
    }
    let output = bounded(command, timeout * 3);
    let _ = fs::remove_file(&file);
    let unknown = Answer { verdict: Word::Unknown, members: Vec::new(), codes: Vec::new() };
    let Some(output) = output? else { return Ok(unknown) };
    let value: Value = serde_json::from_slice(&output).map_err(|_| "there is no report".to_string())?;
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let word = |value: &Value| match value["verdict"].as_str() {
        Some("holds") => Word::Holds,
        Some("violated") => Word::Violated,
        _ => Word::Unknown,
    };
    let text_of = |value: &Value| value.as_str().unwrap_or("?").to_string();
    let errors = list(&value["diagnostics"]);
    let errors: Vec<String> = errors
        .iter()
        .filter(|diagnostic| diagnostic["severity"] == "error")
        .map(|diagnostic| text_of(&diagnostic["code"]))
        .collect();
    let members = list(&value["members"]);
    if members.is_empty() && !errors.is_empty() {
        return Ok(Answer::rejected(errors));
    }
    let failures = members.iter().flat_map(|member| list(&member["failures"]));
    let codes = failures.map(|failure| text_of(&failure["code"])).collect();
    let members = members.iter().map(|member| (text_of(&member["name"]), word(member))).collect();
    Ok(Answer { verdict: word(&value), members, codes })
}
