//! Test annotations of Viper's suites: comments that say which errors the next line of code must have.
//!
//! `//:: ExpectedOutput(id)` and its like are collected until a line comes that is not a comment; that line, blank or
//! not, is what they speak about. Annotations that no line follows are dropped, as the suite's own reader drops them.

/// What an annotation says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Expected,
    /// An error that a tool reports though it should not.
    Unexpected,
    /// An expected error that a tool does not report.
    Missing,
    IgnoreOthers,
    IgnoreFile,
    IgnoreFileList,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Annotation {
    pub kind: Kind,
    /// `key[:value]` of an error.
    pub key: String,
    pub value: Option<String>,
    /// The tool that the annotation is about; `None` speaks to all.
    pub project: Option<String>,
    pub issue: Option<u32>,
    /// The line that it speaks about, counted from 1.
    pub line: u32,
}

/// The annotations of a file, and the lines that look like annotations but are none.
#[derive(Clone, Default, Debug)]
pub struct Annotations {
    pub all: Vec<Annotation>,
    pub malformed: Vec<u32>,
}

pub fn parse(text: &str) -> Annotations {
    let mut result = Annotations::default();
    let mut pending: Vec<Annotation> = Vec::new();
    let mut collecting = false;
    let trimmed = text.trim_end_matches('\n');
    for (index, raw) in trimmed.split('\n').enumerate() {
        let number = index as u32 + 1;
        let line = raw.trim_matches(|c: char| c <= ' ');
        if let Some(rest) = line.strip_prefix("//::") {
            match rest.strip_prefix(' ').map(parse_one) {
                Some(Some(annotation)) => pending.push(annotation),
                _ => result.malformed.push(number),
            }
            collecting = collecting || rest.starts_with(' ');
        } else if line.starts_with("//") {
            // Other comments do not end the group.
        } else if collecting {
            for mut annotation in pending.drain(..) {
                annotation.line = number;
                result.all.push(annotation);
            }
            collecting = false;
        }
    }
    result
}

fn parse_one(text: &str) -> Option<Annotation> {
    if text == "IgnoreOthers" {
        return Some(annotation(Kind::IgnoreOthers, ""));
    }
    let inner = text.strip_suffix(')')?;
    let (name, arguments) = inner.split_once('(')?;
    match name {
        "ExpectedOutput" => Some(annotation(Kind::Expected, arguments)),
        "UnexpectedOutput" | "MissingOutput" => {
            let (id, place) = arguments.rsplit_once(", ")?;
            let kind = if name == "MissingOutput" { Kind::Missing } else { Kind::Unexpected };
            let (project, issue) = project_and_issue(place)?;
            Some(Annotation { project: Some(project), issue: Some(issue), ..annotation(kind, id) })
        }
        "IgnoreFile" | "IgnoreFileList" => {
            let kind = if name == "IgnoreFile" { Kind::IgnoreFile } else { Kind::IgnoreFileList };
            let (project, issue) = project_and_issue(arguments)?;
            Some(Annotation { project: Some(project), issue: Some(issue), ..annotation(kind, "") })
        }
        _ => None,
    }
}

fn annotation(kind: Kind, id: &str) -> Annotation {
    let (key, value) = match id.split_once(':') {
        Some((key, value)) => (key.to_string(), Some(value.to_string())),
        None => (id.to_string(), None),
    };
    Annotation { kind, key, value, project: None, issue: None, line: 0 }
}

/// `/project/issue/number/`
fn project_and_issue(place: &str) -> Option<(String, u32)> {
    let inner = place.strip_prefix('/')?.strip_suffix('/')?;
    let (project, issue) = inner.split_once("/issue/")?;
    Some((project.to_string(), issue.parse().ok()?))
}

impl Annotation {
    pub fn id(&self) -> String {
        match &self.value {
            Some(value) => format!("{}:{value}", self.key),
            None => self.key.clone(),
        }
    }

    /// Whether an error id, `key` or `key:reason`, is what the annotation speaks about.
    pub fn matches(&self, full: &str) -> bool {
        match full.split_once(':') {
            None => self.key == full && self.value.is_none(),
            Some((key, rest)) => {
                let reason = rest.split(':').next().unwrap_or(rest);
                self.key == key && self.value.as_deref().is_none_or(|value| value == reason)
            }
        }
    }

    /// Whether the annotation speaks about one of the projects, or about no project in particular.
    pub fn concerns(&self, projects: &[&str]) -> bool {
        let Some(annotated) = &self.project else { return true };
        projects.iter().any(|project| project_matches(annotated, project))
    }
}

/// `annotated` is one of the parts that `project` has between dashes, whatever the case.
fn project_matches(annotated: &str, project: &str) -> bool {
    let (annotated, project) = (annotated.to_ascii_lowercase(), project.to_ascii_lowercase());
    project == annotated
        || project.starts_with(&format!("{annotated}-"))
        || project.ends_with(&format!("-{annotated}"))
        || project.contains(&format!("-{annotated}-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annotations_speak_about_the_next_line_of_code() {
        let text = "//:: ExpectedOutput(assert.failed:assertion.false)\n// a comment\n//:: MissingOutput(a, /silicon/issue/34/)\nx\n";
        let annotations = parse(text);
        assert_eq!(annotations.all.len(), 2);
        assert!(annotations.all.iter().all(|annotation| annotation.line == 4));
        assert_eq!(annotations.all[1].issue, Some(34));
        assert!(annotations.malformed.is_empty());
    }

    #[test]
    fn a_blank_line_is_a_line_of_code() {
        let annotations = parse("//:: ExpectedOutput(parser.error)\n\nx");
        assert_eq!(annotations.all[0].line, 2);
    }

    #[test]
    fn what_cannot_be_read_is_reported() {
        assert_eq!(parse("//::ExpectedOutput(x)\n//:: Expected(x)\ny").malformed, [1, 2]);
    }

    #[test]
    fn an_annotation_without_reason_matches_every_reason() {
        let annotation = &parse("//:: ExpectedOutput(assert.failed)\nx").all[0];
        assert!(annotation.matches("assert.failed:insufficient.permission"));
        assert!(!annotation.matches("exhale.failed:insufficient.permission"));
    }
}
