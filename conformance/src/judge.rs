//! Compares the errors that a run gave with those that the annotations of its file ask for.

use crate::annotations::{Annotation, Annotations, Kind};
use crate::run::{Member, Run};

/// How annotations that excuse particular tools are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Mode {
    /// As Silicon's own test run reads them.
    Strict,
    /// As if no tool had ever been excused.
    Ideal,
    /// What is excused for Silicon or Carbon may be reported or not.
    Lenient,
}

/// An error of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    pub line: Option<u32>,
    /// `error` or `error:reason`.
    pub id: String,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Verdict {
    Pass,
    /// As expected, with a known deviation.
    Deviates,
    Ignored,
    Fail,
}

impl Verdict {
    pub fn text(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Deviates => "deviates",
            Verdict::Ignored => "ignored",
            Verdict::Fail => "fail",
        }
    }
}

/// What is reported of a member without a verdict: this, or this and the code of the obligation that is open.
pub const UNKNOWN: &str = "unknown";
pub const OPEN: &str = "unknown:";

/// The code of an obligation that was given up.
pub fn open_code(id: &str) -> Option<&str> {
    id.strip_prefix(OPEN)
}

/// Whether an output is what an annotation speaks about. An obligation that was given up is reported under the code of its
/// failure: Viper reports what it cannot prove as an error, whether it is false or not, so both say the same. Ideally,
/// what is expected is refuted.
fn fulfils(annotation: &Annotation, id: &str, mode: Mode) -> bool {
    annotation.matches(id)
        || mode != Mode::Ideal && open_code(id).is_some_and(|code| annotation.matches(code))
}

const PROJECTS: &[&str] = &["Silver", "Silicon"];
/// Fewer errors per member than others report is Silicon's documented choice, not a deviation.
const ONE_ERROR_PER_MEMBER: u32 = 34;
const STATIC_IDS: &[&str] = &["parser.error", "parser.warning", "typechecker.error", "consistency.error"];

/// Keeps what the front end alone can fulfil.
pub fn static_part(annotations: &Annotations) -> Annotations {
    let is_static = |annotation: &Annotation| match annotation.kind {
        Kind::Expected | Kind::Unexpected | Kind::Missing => STATIC_IDS.contains(&annotation.key.as_str()),
        Kind::IgnoreOthers | Kind::IgnoreFile | Kind::IgnoreFileList => true,
    };
    let all = annotations.all.iter().filter(|annotation| is_static(annotation)).cloned().collect();
    Annotations { all, malformed: annotations.malformed.clone() }
}

/// Whether some annotation asks for an error of the front end.
pub fn expects_static_error(annotations: &Annotations) -> bool {
    static_part(annotations).all.iter().any(|annotation| annotation.kind == Kind::Expected)
}

pub fn is_ignored(annotations: &Annotations, mode: Mode) -> bool {
    mode != Mode::Ideal
        && annotations.all.iter().any(|annotation| match annotation.kind {
            Kind::IgnoreFileList => true,
            Kind::IgnoreFile => annotation.concerns(PROJECTS),
            _ => false,
        })
}

/// The errors that Silicon reports and the run does not, though it calls the member verified in which they are. This
/// is what must never happen, whatever the mode.
pub fn missed(annotations: &Annotations, run: &Run) -> Vec<String> {
    let is_expected = |annotation: &&Annotation| {
        annotation.kind == Kind::Expected
            && !annotations.all.iter().any(|other| {
                other.kind == Kind::Missing
                    && other.concerns(PROJECTS)
                    && (other.line, &other.key, &other.value)
                        == (annotation.line, &annotation.key, &annotation.value)
            })
    };
    let is_reported = |annotation: &Annotation| {
        run.outputs
            .iter()
            .any(|output| output.line == Some(annotation.line) && annotation.matches(&output.id))
    };
    let is_verified = |line: u32| {
        let here =
            |member: &&Member| member.lines.is_some_and(|(first, last)| (first..=last).contains(&line));
        let mut around: Vec<&Member> = run.members.iter().filter(here).collect();
        if around.is_empty() {
            // An error outside of all members is in an imported file, if anywhere.
            around = run.members.iter().collect();
        }
        let is_static = run.members.is_empty() && !run.outputs.is_empty();
        !is_static && around.iter().all(|member| member.verdict == verdict::Verdict::Holds)
    };
    annotations
        .all
        .iter()
        .filter(is_expected)
        .filter(|annotation| !is_reported(annotation) && is_verified(annotation.line))
        .map(|annotation| format!("{}:{}", annotation.line, annotation.id()))
        .collect()
}

/// The verdict and what speaks against a pass.
pub fn judge(annotations: &Annotations, outputs: &[Output], mode: Mode) -> (Verdict, Vec<String>) {
    if is_ignored(annotations, mode) {
        return (Verdict::Ignored, Vec::new());
    }
    let relevant: Vec<&Annotation> = annotations
        .all
        .iter()
        .filter(|annotation| match annotation.kind {
            Kind::Expected | Kind::IgnoreOthers => true,
            Kind::Unexpected | Kind::Missing => match mode {
                Mode::Strict => annotation.concerns(PROJECTS),
                Mode::Lenient => true,
                Mode::Ideal => false,
            },
            Kind::IgnoreFile | Kind::IgnoreFileList => false,
        })
        .collect();
    let mut messages: Vec<String> =
        annotations.malformed.iter().map(|line| format!("line {line} is not an annotation")).collect();
    let mut fulfilled = vec![false; relevant.len()];
    for output in outputs {
        let candidates: Vec<usize> = (0..relevant.len())
            .filter(|index| {
                let annotation = relevant[*index];
                Some(annotation.line) == output.line
                    && (annotation.kind == Kind::IgnoreOthers || fulfils(annotation, &output.id, mode))
            })
            .collect();
        let place = output.line.map_or_else(|| "?".to_string(), |line| line.to_string());
        if candidates.is_empty() {
            messages.push(format!("additional {place}:{}", output.id));
            continue;
        }
        if mode == Mode::Strict && candidates.iter().any(|index| relevant[*index].kind == Kind::Missing) {
            messages.push(format!("missing but present {place}:{}", output.id));
            continue;
        }
        let found = candidates
            .iter()
            .find(|index| matches!(relevant[**index].kind, Kind::Expected | Kind::Unexpected));
        if let Some(index) = found {
            fulfilled[*index] = true;
        }
    }
    for (annotation, done) in relevant.iter().zip(&fulfilled) {
        if *done {
            continue;
        }
        match annotation.kind {
            Kind::Expected => {
                let excused = relevant.iter().any(|other| {
                    other.kind == Kind::Missing
                        && (other.line, &other.key, &other.value)
                            == (annotation.line, &annotation.key, &annotation.value)
                });
                if !excused {
                    messages.push(format!("absent {}:{}", annotation.line, annotation.id()));
                }
            }
            Kind::Unexpected if mode == Mode::Strict => {
                messages.push(format!("no longer reported {}:{}", annotation.line, annotation.id()));
            }
            _ => {}
        }
    }
    if !messages.is_empty() {
        return (Verdict::Fail, messages);
    }
    let deviates = mode == Mode::Strict
        && relevant.iter().any(|annotation| {
            annotation.kind == Kind::Unexpected
                || annotation.kind == Kind::Missing && annotation.issue != Some(ONE_ERROR_PER_MEMBER)
        });
    (if deviates { Verdict::Deviates } else { Verdict::Pass }, messages)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::annotations::parse;

    fn output(line: u32, id: &str) -> Output {
        Output { line: Some(line), id: id.to_string() }
    }

    #[test]
    fn one_annotation_absorbs_equal_errors_of_its_line() {
        let annotations = parse("//:: ExpectedOutput(typechecker.error)\nx");
        let outputs = [output(2, "typechecker.error"), output(2, "typechecker.error")];
        assert_eq!(judge(&annotations, &outputs, Mode::Strict).0, Verdict::Pass);
        assert_eq!(judge(&annotations, &[], Mode::Strict).0, Verdict::Fail);
        assert_eq!(judge(&annotations, &[output(3, "typechecker.error")], Mode::Strict).1.len(), 2);
    }

    #[test]
    fn an_error_is_missed_where_its_member_is_called_verified() {
        let member =
            |name: &str, lines, verdict| Member { name: name.to_string(), lines: Some(lines), verdict };
        let run = |verdict| Run {
            outputs: vec![output(2, "a:b")],
            members: vec![member("f", (1, 2), verdict::Verdict::Violated), member("g", (3, 9), verdict)],
            ..Run::default()
        };
        let annotations = parse("//:: ExpectedOutput(a:b)\nx\ny\n//:: ExpectedOutput(c:d)\nz");
        let unknown = verdict::Verdict::Unknown(verdict::Reason::Timeout);
        assert_eq!(missed(&annotations, &run(verdict::Verdict::Holds)), ["5:c:d"]);
        assert!(missed(&annotations, &run(verdict::Verdict::Violated)).is_empty());
        assert!(missed(&annotations, &run(unknown)).is_empty());
        assert_eq!(missed(&annotations, &Run::default()), ["2:a:b", "5:c:d"]);
        let ill_typed = Run { outputs: vec![output(7, "typechecker.error")], ..Run::default() };
        assert!(missed(&annotations, &ill_typed).is_empty());
        let excused = parse("//:: ExpectedOutput(a:b)\n//:: MissingOutput(a:b, /silicon/issue/34/)\nx");
        assert!(missed(&excused, &Run::default()).is_empty());
        let carbon = parse("//:: ExpectedOutput(a:b)\n//:: MissingOutput(a:b, /carbon/issue/34/)\nx");
        assert_eq!(missed(&carbon, &Run::default()), ["3:a:b"]);
    }

    #[test]
    fn an_open_obligation_is_the_error_that_its_failure_would_be() {
        let annotations = parse("//:: ExpectedOutput(a:b)\nx");
        let open = [output(2, "unknown:a:b")];
        assert_eq!(judge(&annotations, &open, Mode::Strict).0, Verdict::Pass);
        assert_eq!(judge(&annotations, &open, Mode::Lenient).0, Verdict::Pass);
        assert_eq!(judge(&annotations, &open, Mode::Ideal).0, Verdict::Fail);
        // Elsewhere, of another kind, or at a limit: no agreement.
        for other in [output(3, "unknown:a:b"), output(2, "unknown:a:c"), output(2, "unknown")] {
            assert_eq!(judge(&annotations, &[other], Mode::Lenient).0, Verdict::Fail);
        }
        // Where nobody expects an error, something that is not proved is still a disagreement.
        assert_eq!(judge(&parse("x"), &open, Mode::Lenient).0, Verdict::Fail);
        let unknown = parse("//:: ExpectedOutput(unknown)\nx");
        assert_eq!(judge(&unknown, &open, Mode::Ideal).0, Verdict::Pass);
    }

    #[test]
    fn an_excused_error_may_be_reported_in_lenient_mode_only() {
        let annotations = parse("//:: ExpectedOutput(a:b)\n//:: MissingOutput(a:b, /silicon/issue/34/)\nx");
        assert_eq!(judge(&annotations, &[], Mode::Strict).0, Verdict::Pass);
        assert_eq!(judge(&annotations, &[output(3, "a:b")], Mode::Strict).0, Verdict::Fail);
        assert_eq!(judge(&annotations, &[output(3, "a:b")], Mode::Lenient).0, Verdict::Pass);
        assert_eq!(judge(&annotations, &[], Mode::Lenient).0, Verdict::Pass);
        assert_eq!(judge(&annotations, &[], Mode::Ideal).0, Verdict::Fail);
    }
}
