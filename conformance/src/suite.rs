//! Runs a subject over all files of a suite and collects what came of it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use crate::annotations;
use crate::judge::{self, Mode, Verdict};
use crate::run::{Run, Subject};

/// How far the subject goes, and which expectations it can therefore meet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// Errors of the front end; expectations of verification errors do not count.
    Static,
    /// Everything.
    Full,
}

/// A file with its verdict.
#[derive(Debug)]
pub struct Row {
    pub name: String,
    /// Whether an error of the front end is expected.
    pub expects_static_error: bool,
    pub verdict: Verdict,
    pub disagreements: Vec<String>,
    pub run: Run,
}

/// Judges one file.
pub fn judge_file(root: &Path, path: &Path, subject: &dyn Subject, stage: Stage, mode: Mode) -> Row {
    let name = path.strip_prefix(root).unwrap_or(path).display().to_string();
    let text = String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned();
    let annotations = annotations::parse(&text);
    let expects_static_error = judge::expects_static_error(&annotations);
    let run = subject.run(root, path);
    let (verdict, disagreements) = match stage {
        Stage::Static => judge::judge(&judge::static_part(&annotations), &run.outputs, mode),
        Stage::Full => judge::judge(&annotations, &run.outputs, mode),
    };
    Row { name, expects_static_error, verdict, disagreements, run }
}

impl Row {
    pub fn stage_text(&self) -> &'static str {
        if self.expects_static_error { "static" } else { "verify" }
    }
}

/// One line per file, separated by tabs.
pub fn table(rows: &[Row]) -> String {
    let mut table = String::from("path\tstage\tverdict\tseconds\toutputs\tdisagreements\n");
    for row in rows {
        let outputs: Vec<String> = row
            .run
            .outputs
            .iter()
            .map(|output| {
                format!("{}:{}", output.line.map_or_else(String::new, |line| line.to_string()), output.id)
            })
            .collect();
        let _ = writeln!(
            table,
            "{}\t{}\t{}\t{:.4}\t{}\t{}",
            row.name,
            row.stage_text(),
            row.verdict.text(),
            row.run.time.as_secs_f64(),
            outputs.join(" "),
            row.disagreements.join("; ")
        );
    }
    table
}

/// How many files of each stage have each verdict.
pub fn counts(rows: &[Row]) -> BTreeMap<(&'static str, Verdict), usize> {
    let mut counts = BTreeMap::new();
    for row in rows {
        *counts.entry((row.stage_text(), row.verdict)).or_default() += 1;
    }
    counts
}
