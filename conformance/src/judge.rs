//! Compares the errors that a run gave with those that the annotations of its file ask for.

use crate::annotations::{Annotation, Annotations, Kind};

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
                    && (annotation.kind == Kind::IgnoreOthers || annotation.matches(&output.id))
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
    fn an_excused_error_may_be_reported_in_lenient_mode_only() {
        let annotations = parse("//:: ExpectedOutput(a:b)\n//:: MissingOutput(a:b, /silicon/issue/34/)\nx");
        assert_eq!(judge(&annotations, &[], Mode::Strict).0, Verdict::Pass);
        assert_eq!(judge(&annotations, &[output(3, "a:b")], Mode::Strict).0, Verdict::Fail);
        assert_eq!(judge(&annotations, &[output(3, "a:b")], Mode::Lenient).0, Verdict::Pass);
        assert_eq!(judge(&annotations, &[], Mode::Lenient).0, Verdict::Pass);
        assert_eq!(judge(&annotations, &[], Mode::Ideal).0, Verdict::Fail);
    }
}
