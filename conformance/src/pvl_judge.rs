//! Compares what was said about a PVL program with what VerCors' test expects.
//!
//! Regions of expected failures are applied by the tool under test: what remains are failures that nobody expects,
//! `notTripped` for an expected failure that did not come, and `trippedTwice`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::judge::Output;
use crate::pvl_argued::{Argument, argue};
use crate::pvl_cases::{Case, Expected, Region};
use crate::run::Run;

/// How an answer relates to the expectation, from the best to the worst.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Class {
    Agrees,
    /// The test says nothing about the program, and the answer is the one that is argued for in its place.
    Argued,
    /// Nothing is expected, and this is what was said.
    Untested,
    /// Refused because of a construct that the message names.
    Unsupported,
    /// No verdict: a limit was reached.
    Unknown,
    /// Refused, though the program is fine.
    Rejected,
    /// Something else is reported in place of what is expected.
    WrongCode,
    /// A failure is reported that is none.
    Spurious,
    /// The tool itself broke.
    Fault,
    /// A failure that is expected is not reported. This must never happen.
    Missed,
}

pub const CLASSES: [Class; 10] = [
    Class::Agrees,
    Class::Argued,
    Class::Untested,
    Class::Unsupported,
    Class::Unknown,
    Class::Rejected,
    Class::WrongCode,
    Class::Spurious,
    Class::Fault,
    Class::Missed,
];

impl Class {
    pub const fn text(self) -> &'static str {
        match self {
            Class::Agrees => "agrees",
            Class::Argued => "agrees (argued)",
            Class::Untested => "untested",
            Class::Unsupported => "unsupported",
            Class::Unknown => "unknown",
            Class::Rejected => "rejected",
            Class::WrongCode => "wrong code",
            Class::Spurious => "spurious",
            Class::Fault => "fault",
            Class::Missed => "MISSED",
        }
    }

    /// Whether the answer is as it should be.
    pub fn is_agreement(self) -> bool {
        matches!(self, Class::Agrees | Class::Argued)
    }
}

const UNSUPPORTED: &str = "unsupported";
const NOT_TRIPPED: &str = "notTripped";
const TRIPPED_TWICE: &str = "trippedTwice";
/// The engine has nothing left to try.
pub(crate) const GAVE_UP: &str = "gaveUp";
/// There is no verdict because there is none on another member.
pub(crate) const RESTS_ON: &str = "restsOn";
const NO_VERDICT: &[&str] = &["unknown", "timeout", GAVE_UP, RESTS_ON];

/// A case with what came of it.
#[derive(Debug)]
pub struct PvlFinding {
    pub case: Case,
    pub class: Class,
    pub run: Run,
}

impl PvlFinding {
    pub fn new(case: Case, run: Run) -> PvlFinding {
        let class = judge(&case, &run);
        PvlFinding { case, class, run }
    }

    pub fn line(&self) -> String {
        let seconds = self.run.time.as_secs_f64();
        let mut line =
            format!("{}\t{seconds:.2}s\t{}\texpected {}", self.class.text(), self.case.name, self.expected());
        let got = self.got();
        if !got.is_empty() {
            let _ = write!(line, ", got {got}");
        }
        for fault in &self.run.faults {
            let fault: String =
                fault.chars().map(|c| if c.is_control() { ' ' } else { c }).take(300).collect();
            let _ = write!(line, "  FAULT {fault}");
        }
        line
    }

    fn expected(&self) -> String {
        match &self.case.expected {
            Expected::Pass if self.case.regions.is_empty() => "pass".to_string(),
            Expected::Pass => {
                let codes: Vec<&str> = self.case.regions.iter().map(|region| region.code.as_str()).collect();
                format!("pass with {}", codes.join(" "))
            }
            Expected::Fail(code) => format!("fail {code}"),
            Expected::Error(codes) => format!("error {}", codes.join(" ")),
            Expected::Cancelled(construct) => format!("cancelled {construct}"),
            Expected::Untested => "nothing".to_string(),
        }
    }

    fn got(&self) -> String {
        let text = |output: &Output| {
            format!("{}:{}", output.line.map_or_else(|| "?".to_string(), |line| line.to_string()), output.id)
        };
        let mut got: Vec<String> = self.run.outputs.iter().map(text).collect();
        got.dedup();
        got.join(" ")
    }
}

/// Relates what was said to what is expected.
pub fn judge(case: &Case, run: &Run) -> Class {
    let is_refused = !run.outputs.is_empty() && run.members.is_empty();
    let is_silent = run.outputs.is_empty();
    let is_undecided = run.outputs.iter().any(|output| NO_VERDICT.contains(&output.id.as_str()));
    if !run.faults.is_empty() || run.outputs.iter().any(|output| output.id == "crash") {
        return Class::Fault;
    }
    if case.expected == Expected::Untested {
        return Class::Untested;
    }
    match argue(&case.name, run) {
        Some(Argument::Agrees) => return Class::Argued,
        Some(Argument::Misses) => return Class::Missed,
        None => {}
    }
    if is_refused && matches!(case.expected, Expected::Cancelled(_)) {
        return Class::Agrees;
    }
    if is_refused && run.outputs.iter().all(|output| output.id == UNSUPPORTED) {
        return Class::Unsupported;
    }
    match &case.expected {
        Expected::Error(codes) => {
            let has = |code: &String| run.outputs.iter().any(|output| output.id == *code);
            if is_silent {
                Class::Missed
            } else if is_refused
                && codes.iter().all(has)
                && run.outputs.iter().all(|it| codes.contains(&it.id))
            {
                Class::Agrees
            } else if is_undecided {
                Class::Unknown
            } else {
                Class::WrongCode
            }
        }
        Expected::Fail(_) if is_silent => Class::Missed,
        _ if is_refused => Class::Rejected,
        Expected::Fail(code) => {
            if run.outputs.iter().all(|output| output.id == *code) {
                Class::Agrees
            } else if is_undecided {
                Class::Unknown
            } else {
                Class::WrongCode
            }
        }
        Expected::Pass | Expected::Cancelled(_) | Expected::Untested => {
            judge_regions(case, run, is_undecided)
        }
    }
}

/// A program that is to pass, apart from the failures that its own text expects.
fn judge_regions(case: &Case, run: &Run, is_undecided: bool) -> Class {
    if run.outputs.is_empty() {
        return Class::Agrees;
    }
    let outputs: Vec<&Output> = run
        .outputs
        .iter()
        .filter(|output| !is_behind(case, run, output) && !is_given_up_as_expected(case, output))
        .collect();
    if outputs.is_empty() {
        return Class::Agrees;
    }
    let (absent, others): (Vec<&Output>, Vec<&Output>) =
        outputs.into_iter().partition(|output| output.id == NOT_TRIPPED);
    if absent.is_empty() && others.is_empty() {
        return Class::Agrees;
    }
    // In the place of an expected failure something else was found: the region begins where the complaint is.
    let is_replaced = |complaint: &&Output| {
        let region = case.regions.iter().find(|region| Some(region.lines.0) == complaint.line);
        let is_inside = |line: u32| region.is_some_and(|it| it.lines.0 <= line && line <= it.lines.1);
        others.iter().any(|output| output.line.is_some_and(is_inside))
    };
    if !absent.iter().all(is_replaced) {
        return if is_undecided { Class::Unknown } else { Class::Missed };
    }
    if is_undecided {
        Class::Unknown
    } else if absent.is_empty() && others.iter().any(|output| output.id != TRIPPED_TWICE) {
        Class::Spurious
    } else {
        Class::WrongCode
    }
}

/// Whether the engine gave up, with nothing left to try, on what is expected to fail: VerCors says that it does not prove it,
/// not that it is false. A limit that was reached never agrees.
fn is_given_up_as_expected(case: &Case, output: &Output) -> bool {
    let line = output.line.filter(|_| output.id == GAVE_UP);
    line.is_some_and(|line| {
        case.regions.iter().any(|region| region.lines.0 <= line && line <= region.lines.1)
    })
}

/// Whether VerCors, which looks at a member only up to its first failure, need not have seen this one: something that
/// is expected did fail in its member.
fn is_behind(case: &Case, run: &Run, output: &Output) -> bool {
    let is_complaint = [NOT_TRIPPED, TRIPPED_TWICE].contains(&output.id.as_str());
    let is_open = NO_VERDICT.contains(&output.id.as_str());
    if is_complaint || is_open {
        return false;
    }
    let Some(line) = output.line else { return false };
    let absent = |first: u32| run.outputs.iter().any(|it| it.id == NOT_TRIPPED && it.line == Some(first));
    let mut lines = run.members.iter().filter_map(|member| member.lines);
    lines.any(|(first, last)| {
        let is_inside = |region: &Region| region.lines.0 <= last && first <= region.lines.1;
        let mut regions = case.regions.iter().filter(|region| is_inside(region));
        first <= line && line <= last && regions.any(|region| !absent(region.lines.0))
    })
}

const HEADER: &str = "case\ttest\tclass\texpected\tgot\tseconds\tmessage";

/// One line per case, separated by tabs.
pub fn table(findings: &[PvlFinding]) -> String {
    let mut table = format!("{HEADER}\n");
    for finding in findings {
        let message = finding.run.faults.first().or(finding.run.messages.first());
        let message: String = message.map_or("", String::as_str).replace(['\t', '\n'], " ");
        let _ = writeln!(
            table,
            "{}\t{}\t{}\t{}\t{}\t{:.3}\t{message}",
            finding.case.name,
            finding.case.test,
            finding.class.text(),
            finding.expected(),
            finding.got(),
            finding.run.time.as_secs_f64(),
        );
    }
    table
}

const AGREEMENTS: [&str; 2] = [Class::Agrees.text(), Class::Argued.text()];

/// The names of the cases that did not agree in an earlier run, by its table.
pub fn disagreeing(table: &str) -> Vec<String> {
    let cells = |line: &str| -> Option<(String, String)> {
        let mut cells = line.split('\t');
        let name = cells.next()?.to_string();
        Some((name, cells.nth(1)?.to_string()))
    };
    let rows = table.lines().skip(1).filter_map(cells);
    rows.filter(|(_, class)| !AGREEMENTS.contains(&class.as_str())).map(|(name, _)| name).collect()
}

/// How many tests, files and snippets there are of each class. A file counts as what is worst about it.
pub fn summary(findings: &[PvlFinding]) -> String {
    let mut files: BTreeMap<&str, Class> = BTreeMap::new();
    for finding in findings.iter().filter(|finding| !finding.case.is_snippet) {
        for file in &finding.case.files {
            let class = files.entry(file).or_insert(finding.class);
            *class = (*class).max(finding.class);
        }
    }
    let tests: Vec<Class> = findings.iter().map(|finding| finding.class).collect();
    let files: Vec<Class> = files.into_values().collect();
    let snippets: Vec<Class> =
        findings.iter().filter(|finding| finding.case.is_snippet).map(|finding| finding.class).collect();
    let mut text = format!("{:<16}{:>7}{:>7}{:>10}\n", "", "tests", "files", "snippets");
    let count = |classes: &[Class], class: Class| classes.iter().filter(|it| **it == class).count();
    for class in CLASSES {
        let counts = [&tests, &files, &snippets].map(|classes| count(classes, class));
        if counts[0] > 0 || class == Class::Missed {
            let _ = writeln!(text, "{:<16}{:>7}{:>7}{:>10}", class.text(), counts[0], counts[1], counts[2]);
        }
    }
    let _ = writeln!(text, "{:<16}{:>7}{:>7}{:>10}", "all", tests.len(), files.len(), snippets.len());
    let seconds: f64 = findings.iter().map(|finding| finding.run.time.as_secs_f64()).sum();
    let judged: Vec<Class> =
        files.iter().chain(&snippets).copied().filter(|class| *class != Class::Untested).collect();
    let argued = count(&judged, Class::Argued);
    let agreed = count(&judged, Class::Agrees) + argued;
    let percent = 100.0 * agreed as f64 / judged.len().max(1) as f64;
    let _ = writeln!(
        text,
        "{agreed} of {} files and snippets agree, {argued} of them as argued: {percent:.1} %, {seconds:.1} s in all",
        judged.len()
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Member;

    fn case(expected: Expected, regions: &[(&str, u32, u32)]) -> Case {
        Case {
            name: "a.pvl".to_string(),
            test: "S:1".to_string(),
            files: vec!["a.pvl".to_string()],
            is_snippet: false,
            expected,
            regions: regions
                .iter()
                .map(|(code, first, last)| Region { code: (*code).to_string(), lines: (*first, *last) })
                .collect(),
            flags: Vec::new(),
            is_choreography: false,
            note: String::new(),
        }
    }

    fn outputs(outputs: &[(u32, &str)]) -> Vec<Output> {
        outputs.iter().map(|(line, id)| Output { line: Some(*line), id: (*id).to_string() }).collect()
    }

    fn refused(errors: &[(u32, &str)]) -> Run {
        Run { outputs: outputs(errors), ..Run::default() }
    }

    fn verified(failures: &[(u32, &str)]) -> Run {
        let verdict = verdict::Verdict::Holds;
        let members = vec![Member { name: "m".to_string(), lines: None, verdict }];
        Run { outputs: outputs(failures), members, ..Run::default() }
    }

    #[test]
    fn a_program_that_passes() {
        let pass = case(Expected::Pass, &[("assertFailed:false", 3, 5)]);
        assert_eq!(judge(&pass, &verified(&[])), Class::Agrees);
        assert_eq!(judge(&pass, &verified(&[(9, "perm")])), Class::Spurious);
        assert_eq!(judge(&pass, &verified(&[(9, "unknown")])), Class::Unknown);
        assert_eq!(judge(&pass, &refused(&[(9, "parseError")])), Class::Rejected);
        assert_eq!(judge(&pass, &refused(&[(9, "unsupported")])), Class::Unsupported);
    }

    #[test]
    fn an_expected_failure_that_does_not_come_is_missed() {
        let pass = case(Expected::Pass, &[("assertFailed:false", 3, 5)]);
        assert_eq!(judge(&pass, &verified(&[(3, "notTripped")])), Class::Missed);
        assert_eq!(judge(&pass, &verified(&[(3, "notTripped"), (4, "perm")])), Class::WrongCode);
        assert_eq!(judge(&pass, &verified(&[(3, "notTripped"), (9, "perm")])), Class::Missed);
        assert_eq!(judge(&pass, &verified(&[(3, "trippedTwice")])), Class::WrongCode);
        let fail = case(Expected::Fail("perm".to_string()), &[]);
        assert_eq!(judge(&fail, &verified(&[])), Class::Missed);
        assert_eq!(judge(&fail, &verified(&[(4, "perm")])), Class::Agrees);
        assert_eq!(judge(&fail, &verified(&[(4, "perm"), (5, "divByZero")])), Class::WrongCode);
        let error = case(Expected::Error(vec!["parseError".to_string()]), &[]);
        assert_eq!(judge(&error, &verified(&[])), Class::Missed);
        assert_eq!(judge(&error, &verified(&[(4, "parseError")])), Class::WrongCode);
        assert_eq!(judge(&error, &refused(&[(4, "parseError"), (5, "parseError")])), Class::Agrees);
        assert_eq!(judge(&error, &refused(&[(4, "resolutionError:type")])), Class::WrongCode);
    }

    #[test]
    fn behind_an_expected_failure_vercors_does_not_look() {
        let pass = case(Expected::Pass, &[("assertFailed:false", 3, 5)]);
        let around = |failures: &[(u32, &str)]| {
            let mut run = verified(failures);
            run.members[0].lines = Some((2, 9));
            run
        };
        assert_eq!(judge(&pass, &around(&[(8, "perm")])), Class::Agrees);
        assert_eq!(judge(&pass, &around(&[(12, "perm")])), Class::Spurious);
        assert_eq!(judge(&pass, &around(&[(8, "unknown")])), Class::Unknown);
        assert_eq!(judge(&pass, &around(&[(4, "unknown")])), Class::Unknown);
        assert_eq!(judge(&pass, &around(&[(4, "gaveUp")])), Class::Agrees);
        assert_eq!(judge(&pass, &around(&[(8, "gaveUp")])), Class::Unknown);
        assert_eq!(judge(&pass, &around(&[(3, "trippedTwice")])), Class::WrongCode);
        assert_eq!(judge(&pass, &around(&[(3, "notTripped"), (8, "perm")])), Class::Missed);
        assert_eq!(judge(&case(Expected::Pass, &[]), &around(&[(8, "perm")])), Class::Spurious);
    }

    #[test]
    fn what_vercors_refuses_may_be_refused() {
        let cancelled = case(Expected::Cancelled("Models".to_string()), &[]);
        assert_eq!(judge(&cancelled, &refused(&[(1, "unsupported")])), Class::Agrees);
        assert_eq!(judge(&cancelled, &verified(&[])), Class::Agrees);
        assert_eq!(judge(&cancelled, &verified(&[(1, "perm")])), Class::Spurious);
    }

    #[test]
    fn a_file_is_as_bad_as_its_worst_test() {
        let good = PvlFinding::new(case(Expected::Pass, &[]), verified(&[]));
        let bad = PvlFinding::new(case(Expected::Pass, &[]), verified(&[(1, "perm")]));
        let text = summary(&[good, bad]);
        assert!(text.contains("0 of 1 files and snippets agree, 0 of them as argued"), "{text}");
        let findings = [PvlFinding::new(case(Expected::Pass, &[]), verified(&[(1, "perm")]))];
        assert_eq!(disagreeing(&table(&findings)), ["a.pvl"]);
    }
}
