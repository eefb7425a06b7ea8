//! PVL as the subject of a suite: the front end, the lowering into Silver and the deductive engine.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use session::{ProgramLanguage, ProgramOptions, ProgramText};
use source::{Diagnostic, SourceMap};
use symbolic::VerifyOptions;
use verdict::{Reason, Silent, Verdict};

use crate::judge::Output;
use crate::pvl_cases::Case;
use crate::pvl_judge::{GAVE_UP, RESTS_ON};
use crate::run::{Member, Run, Subject};
use crate::verify::{add_outputs, limited, lines};

/// Runs cases by their names. Errors of the front end are outputs of a run without members.
#[derive(Clone, Debug)]
pub struct PvlVerifier {
    pub options: VerifyOptions,
    /// For each case.
    pub timeout: Option<Duration>,
    pub cases: Vec<Case>,
}

impl Subject for PvlVerifier {
    fn run(&self, root: &Path, path: &Path) -> Run {
        let name = path.display().to_string();
        let Some(case) = self.cases.iter().find(|case| case.name == name) else {
            return unreadable(format!("{name}: there is no such case"));
        };
        match case.texts(root) {
            Ok(texts) => limited(&self.options, self.timeout, move |options| verify(texts, &options)),
            Err(message) => unreadable(message),
        }
    }
}

/// A text of PVL, whatever it is called.
pub(crate) fn pvl_text(name: String, text: Arc<str>) -> ProgramText {
    ProgramText { name, text, language: ProgramLanguage::new("a PVL program", &pvl::port::Pvl) }
}

fn unreadable(message: String) -> Run {
    let outputs = vec![Output { line: None, id: "unreadable".to_string() }];
    Run { outputs, messages: vec![message], ..Run::default() }
}

fn verify(texts: Vec<(String, Arc<str>)>, options: &VerifyOptions) -> Run {
    let mut run = Run::default();
    let texts: Vec<ProgramText> = texts.into_iter().map(|(name, text)| pvl_text(name, text)).collect();
    let options_of_program = ProgramOptions { dialect: Some(2), ..ProgramOptions::default() };
    let loaded = match session::load_program(&texts, &options_of_program) {
        Ok(loaded) => loaded,
        Err(failure) => {
            add_errors(&mut run, &failure.sources, &failure.diagnostics);
            if let Some(message) = failure.message {
                run.faults.push(message);
            }
            return run;
        }
    };
    match session::verify(&loaded, options, &Silent) {
        Ok(report) => {
            for member in &report.members {
                add_outputs(&mut run, member, &loaded.sources);
                let id = match member.verdict {
                    Verdict::Unknown(Reason::GaveUp(_)) => Some(GAVE_UP),
                    Verdict::Unknown(Reason::RestsOn(_)) => Some(RESTS_ON),
                    _ => None,
                };
                if let (Some(id), Some(output)) = (id, run.outputs.last_mut()) {
                    output.id = id.to_string();
                }
                let lines = Some(lines(&loaded.sources, member.span));
                run.members.push(Member {
                    name: member.name.clone(),
                    lines,
                    verdict: member.verdict.clone(),
                });
            }
        }
        Err(failure) => run.faults.extend(failure.message),
    }
    run
}

fn add_errors(run: &mut Run, sources: &SourceMap, diagnostics: &[Diagnostic]) {
    for diagnostic in diagnostics.iter().filter(|diagnostic| diagnostic.is_error()) {
        let line = diagnostic.span().map(|span| sources.place(span).line);
        run.outputs.push(Output { line, id: diagnostic.code.to_string() });
        run.messages.push(format!("{}: {}: {}", line.unwrap_or(0), diagnostic.code, diagnostic.message));
    }
}
