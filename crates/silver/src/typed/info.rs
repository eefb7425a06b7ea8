//! What travels with nodes without being part of their meaning: annotations and the blame of generated checks.

use source::Span;
use verdict::failure::{ErrorKind, ReasonKind};

/// `@key("value", …)` annotations of a node, in source order; equal keys are merged.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Annotations {
    entries: Vec<(String, Vec<String>)>,
}

impl Annotations {
    pub fn add(&mut self, key: &str, values: impl IntoIterator<Item = String>) {
        match self.entries.iter_mut().find(|(name, _)| name == key) {
            Some((_, existing)) => existing.extend(values),
            None => self.entries.push((key.to_string(), values.into_iter().collect())),
        }
    }

    /// The values given for a key, `None` where the annotation is absent.
    pub fn get(&self, key: &str) -> Option<&[String]> {
        self.entries.iter().find(|(name, _)| name == key).map(|(_, values)| values.as_slice())
    }

    pub fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.entries.iter().map(|(key, values)| (key.as_str(), values.as_slice()))
    }
}

/// How the failure of a generated `assert` is reported: under another id, at another place.
///
/// A failure with reason `assertion.false` becomes `error:reason` at `span`; any other reason (for example
/// `insufficient.permission` while the assertion is evaluated) keeps its id under `error`, at `span`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Blame {
    pub error: ErrorKind,
    pub reason: ReasonKind,
    pub span: Span,
}
