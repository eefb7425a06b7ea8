//! What is said to a person about their input: a stable code, a sentence, places, and what to do next.

use crate::Span;

/// How bad something is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// Something that is probably not meant.
    Warning,
    /// Something that nothing can be made of.
    Error,
}

/// A place with a remark on it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// The remark, which may be empty.
    pub text: String,
}

/// One message. The first label is the place the message is about; the others explain it.
///
/// `code` is stable across releases: scripts and tests match on it, so it is never reworded or reused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// What it is, for machines.
    pub code: &'static str,
    /// What it is, for people.
    pub message: String,
    /// Where it is.
    pub labels: Vec<Label>,
    /// What to do next.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error, code, span, message)
    }

    /// A warning at a place.
    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Warning, code, span, message)
    }

    fn new(severity: Severity, code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        let labels = vec![Label { span, text: String::new() }];
        Diagnostic { severity, code, message: message.into(), labels, help: None }
    }

    /// Says more at the main place.
    pub fn at(mut self, text: impl Into<String>) -> Diagnostic {
        if let Some(label) = self.labels.first_mut() {
            label.text = text.into();
        }
        self
    }

    /// Points at a further place.
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Says what to do next.
    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.help = Some(text.into());
        self
    }

    /// Whether nothing can be made of the text.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// The place that the message is about.
    pub fn span(&self) -> Option<Span> {
        self.labels.first().map(|label| label.span)
    }
}
