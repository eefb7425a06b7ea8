//! What a run over a suite found: the table, the percentages by tier, and above all the errors that were missed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use crate::annotations::{self, Kind};
use crate::judge::{self, Mode, Output, Verdict};
use crate::run::Run;
use crate::run::Subject;
use crate::stronger;

/// Outputs that say that there is no verdict.
fn is_no_verdict(id: &str) -> bool {
    judge::open_code(id).is_some() || [judge::UNKNOWN, "timeout", "crash"].contains(&id)
}

/// A file with everything that is known about it.
#[derive(Debug)]
pub struct Finding {
    pub name: String,
    pub tier: String,
    pub verdict: Verdict,
    /// `line:id` of the expected errors.
    pub expected: Vec<String>,
    pub disagreements: Vec<String>,
    /// Expected errors of members that were called verified.
    pub missed: Vec<String>,
    pub run: Run,
}

/// Runs the subject on a file and judges; a file that is to be ignored is not run.
pub fn find(root: &Path, path: &Path, tier: &str, subject: &dyn Subject, mode: Mode) -> Finding {
    let name = path.strip_prefix(root).unwrap_or(path).display().to_string();
    let text = String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned();
    let mut annotations = annotations::parse(&text);
    let expected = annotations
        .all
        .iter()
        .filter(|annotation| annotation.kind == Kind::Expected)
        .map(|annotation| format!("{}:{}", annotation.line, annotation.id()))
        .collect();
    let ignored = judge::is_ignored(&annotations, mode);
    let run = if ignored { Run::default() } else { subject.run(root, path) };
    if mode != Mode::Ideal {
        stronger::excuse(&name, &mut annotations, &run.outputs);
    }
    let (mut verdict, disagreements) = judge::judge(&annotations, &run.outputs, mode);
    if !run.faults.is_empty() {
        verdict = Verdict::Fail;
    }
    let missed = if ignored { Vec::new() } else { judge::missed(&annotations, &run) };
    Finding { name, tier: tier.to_string(), verdict, expected, disagreements, missed, run }
}

impl Finding {
    pub fn is_active(&self) -> bool {
        self.verdict != Verdict::Ignored
    }

    fn has_unknown(&self) -> bool {
        self.run.outputs.iter().any(|output| is_no_verdict(&output.id))
    }

    fn spurious(&self) -> Vec<&str> {
        let additional = self.disagreements.iter().filter_map(|text| text.strip_prefix("additional "));
        let is_error = |text: &&str| text.split_once(':').is_none_or(|(_, id)| !is_no_verdict(id));
        additional.filter(is_error).collect()
    }

    /// One line that says what is wrong with the file.
    pub fn line(&self) -> String {
        let mut line = format!("{}\t{}\t{:.2}s", self.tier, self.name, self.run.time.as_secs_f64());
        for missed in &self.missed {
            let _ = write!(line, "  MISSED {missed}");
        }
        for text in &self.disagreements {
            let is_missed = text
                .strip_prefix("absent ")
                .is_some_and(|text| self.missed.iter().any(|missed| missed == text));
            if !is_missed {
                let _ = write!(line, "  {text}");
            }
        }
        for fault in &self.run.faults {
            let _ = write!(line, "  FAULT {}", one_line(fault, 300));
        }
        line
    }
}

fn one_line(text: &str, length: usize) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(length).collect()
}

const HEADER: &str = "path\ttier\tverdict\texpected\tgot\tseconds\tmissed\tdisagreements\tfaults";

/// One line per file, separated by tabs.
pub fn table(findings: &[Finding]) -> String {
    let mut table = format!("{HEADER}\n");
    for finding in findings {
        let mut got: Vec<String> = finding.run.outputs.iter().map(output_text).collect();
        got.sort();
        let faults: Vec<String> = finding.run.faults.iter().map(|fault| one_line(fault, 200)).collect();
        let _ = writeln!(
            table,
            "{}\t{}\t{}\t{}\t{}\t{:.3}\t{}\t{}\t{}",
            finding.name,
            finding.tier,
            finding.verdict.text(),
            finding.expected.join(" "),
            got.join(" "),
            finding.run.time.as_secs_f64(),
            finding.missed.join(" "),
            finding.disagreements.join("; "),
            faults.join("; "),
        );
    }
    table
}

fn output_text(output: &Output) -> String {
    format!("{}:{}", output.line.map_or_else(|| "?".to_string(), |line| line.to_string()), output.id)
}

/// The rows of a table that was written earlier.
pub struct StoredRow {
    pub name: String,
    pub tier: String,
    pub verdict: String,
    pub got: String,
    pub seconds: f64,
}

pub fn read_table(text: &str) -> Vec<StoredRow> {
    let mut rows = Vec::new();
    for line in text.lines().filter(|line| *line != HEADER && !line.is_empty()) {
        let cells: Vec<&str> = line.split('\t').collect();
        if let [name, tier, verdict, _, got, seconds, ..] = cells.as_slice() {
            rows.push(StoredRow {
                name: (*name).to_string(),
                tier: (*tier).to_string(),
                verdict: (*verdict).to_string(),
                got: (*got).to_string(),
                seconds: seconds.parse().unwrap_or(0.0),
            });
        }
    }
    rows
}

/// The names of the files that failed in an earlier run.
pub fn failing(text: &str) -> BTreeSet<String> {
    let failed = read_table(text).into_iter().filter(|row| row.verdict == Verdict::Fail.text());
    failed.map(|row| row.name).collect()
}

/// What differs between runs: a line for each file whose verdict or errors are not the same everywhere.
pub fn compare(tables: &[(String, Vec<StoredRow>)]) -> String {
    let mut by_name: BTreeMap<&str, Vec<Option<&StoredRow>>> = BTreeMap::new();
    for (index, (_, rows)) in tables.iter().enumerate() {
        for row in rows {
            by_name.entry(&row.name).or_insert_with(|| vec![None; tables.len()])[index] = Some(row);
        }
    }
    let (mut text, mut same, mut moved) = (String::new(), 0_usize, 0_usize);
    for (name, rows) in &by_name {
        let present: Vec<&StoredRow> = rows.iter().flatten().copied().collect();
        let differs = present
            .windows(2)
            .any(|pair| (&pair[0].verdict, &pair[0].got) != (&pair[1].verdict, &pair[1].got));
        if !differs && present.len() == tables.len() {
            same += 1;
            continue;
        }
        moved += 1;
        let _ = writeln!(text, "{name}");
        for ((label, _), row) in tables.iter().zip(rows) {
            let _ = match row {
                Some(row) => {
                    writeln!(text, "    {label}: {} {} ({:.2} s)", row.verdict, row.got, row.seconds)
                }
                None => writeln!(text, "    {label}: not run"),
            };
        }
    }
    let _ = writeln!(text, "same\t{same}\nmoved\t{moved}");
    text
}

/// Percentages by tier and the lists that need somebody's attention.
pub fn summary(findings: &[Finding]) -> String {
    let mut text = String::new();
    let active = || findings.iter().filter(|finding| finding.is_active());
    section(
        &mut text,
        "spurious errors",
        active().filter(|finding| !finding.spurious().is_empty()),
        |finding| finding.spurious().join(" "),
    );
    section(&mut text, "unknown", active().filter(|finding| finding.has_unknown()), |finding| {
        let reasons = finding.run.messages.iter().filter(|message| message.contains(": unknown: "));
        one_line(&reasons.cloned().collect::<Vec<_>>().join("; "), 150)
    });
    section(&mut text, "faults", active().filter(|finding| !finding.run.faults.is_empty()), |finding| {
        one_line(&finding.run.faults.join("; "), 300)
    });
    section(&mut text, "missed errors", active().filter(|finding| !finding.missed.is_empty()), |finding| {
        finding.missed.join(" ")
    });
    let tiers: BTreeSet<&str> = active().map(|finding| finding.tier.as_str()).collect();
    text.push_str("\ntier   active     pass        %   missed spurious  unknown   faults   seconds\n");
    for tier in &tiers {
        tier_line(&mut text, tier, active().filter(|finding| finding.tier == *tier));
    }
    if tiers.len() != 1 {
        tier_line(&mut text, "all", active());
    }
    text
}

fn section<'a>(
    text: &mut String,
    title: &str,
    findings: impl Iterator<Item = &'a Finding>,
    detail: impl Fn(&Finding) -> String,
) {
    let findings: Vec<&Finding> = findings.collect();
    let _ = writeln!(text, "\n{title}: {} files", findings.len());
    for finding in findings {
        let _ = writeln!(text, "    {} ({}): {}", finding.name, finding.tier, detail(finding));
    }
}

fn tier_line<'a>(text: &mut String, tier: &str, findings: impl Iterator<Item = &'a Finding>) {
    let findings: Vec<&Finding> = findings.collect();
    let count = |test: &dyn Fn(&Finding) -> bool| findings.iter().filter(|finding| test(finding)).count();
    let passed = count(&|finding| finding.verdict != Verdict::Fail);
    let percent = 100.0 * passed as f64 / findings.len().max(1) as f64;
    let seconds: f64 = findings.iter().map(|finding| finding.run.time.as_secs_f64()).sum();
    let _ = writeln!(
        text,
        "{tier:4} {:>8} {passed:>8} {percent:>8.1} {:>8} {:>8} {:>8} {:>8} {seconds:>9.1}",
        findings.len(),
        count(&|finding| !finding.missed.is_empty()),
        count(&|finding| !finding.spurious().is_empty()),
        count(&Finding::has_unknown),
        count(&|finding| !finding.run.faults.is_empty()),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, verdict: &str, got: &str) -> StoredRow {
        let (name, verdict, got) = (name.to_string(), verdict.to_string(), got.to_string());
        StoredRow { name, tier: "T1".to_string(), verdict, got, seconds: 0.5 }
    }

    #[test]
    fn a_table_can_be_read_back() {
        let finding = Finding {
            name: "a.vpr".to_string(),
            tier: "T1".to_string(),
            verdict: Verdict::Fail,
            expected: Vec::new(),
            disagreements: vec!["additional 1:a:b".to_string()],
            missed: Vec::new(),
            run: Run { outputs: vec![Output { line: Some(1), id: "a:b".to_string() }], ..Run::default() },
        };
        let text = table(&[finding]);
        assert_eq!(failing(&text), BTreeSet::from(["a.vpr".to_string()]));
        assert_eq!(read_table(&text)[0].got, "1:a:b");
    }

    #[test]
    fn comparing_runs_shows_what_moves() {
        let tables = [
            ("one".to_string(), vec![row("a", "pass", ""), row("b", "pass", "")]),
            ("two".to_string(), vec![row("a", "pass", ""), row("b", "fail", "3:x:y")]),
        ];
        let text = compare(&tables);
        assert!(text.starts_with("b\n    one: pass  (0.50 s)\n    two: fail 3:x:y (0.50 s)\n"), "{text}");
        assert!(text.ends_with("same\t1\nmoved\t1\n"), "{text}");
    }
}
