//! Diagnostics with the lines they are about.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use serde_json::{Value, json};
use source::{Diagnostic, Severity, SourceMap, Span};

/// Renders diagnostics one after another, in colour if asked.
pub fn render_diagnostics(sources: &SourceMap, diagnostics: &[Diagnostic], colour: bool) -> String {
    let mut text = String::new();
    for diagnostic in diagnostics {
        let message = Message {
            severity: diagnostic.severity,
            code: diagnostic.code,
            text: &diagnostic.message,
            labels: diagnostic.labels.iter().map(|label| (label.span, label.text.as_str())).collect(),
            notes: Vec::new(),
            help: diagnostic.help.as_deref(),
        };
        text.push_str(&render_message(sources, &message, colour));
    }
    text
}

/// What is shown of a diagnostic or of a failed proof.
pub(crate) struct Message<'a> {
    pub(crate) severity: Severity,
    pub(crate) code: &'a str,
    pub(crate) text: &'a str,
    /// The first is the place that the message is about.
    pub(crate) labels: Vec<(Span, &'a str)>,
    pub(crate) notes: Vec<String>,
    pub(crate) help: Option<&'a str>,
}

/// A message and an empty line.
pub(crate) fn render_message(sources: &SourceMap, message: &Message<'_>, colour: bool) -> String {
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    let level = match message.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut group = Group::with_title(level.primary_title(message.text).id(message.code));
    let mut files: Vec<source::FileId> = Vec::new();
    for (span, _) in &message.labels {
        if !files.contains(&span.file) {
            files.push(span.file);
        }
    }
    for file in files {
        let source = sources.file(file);
        let mut snippet = Snippet::source(&*source.text).path(source.name.as_str());
        for (index, (span, text)) in
            message.labels.iter().enumerate().filter(|(_, (span, _))| span.file == file)
        {
            let kind = if index == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
            snippet = snippet.annotation(kind.span(range(&source.text, *span)).label(*text));
        }
        group = group.element(snippet);
    }
    for note in &message.notes {
        group = group.element(Level::NOTE.message(note.as_str()));
    }
    if let Some(help) = message.help {
        group = group.element(Level::HELP.message(help));
    }
    let mut text = renderer.render(&[group]);
    text.push_str("\n\n");
    text
}

/// The bytes of a span, moved to character borders inside the text.
fn range(text: &str, span: Span) -> std::ops::Range<usize> {
    let border = |mut at: usize| {
        at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let (start, end) = (border(span.start as usize), border(span.end as usize));
    start..end.max(start)
}

/// Diagnostics as JSON objects.
pub fn diagnostics_json(sources: &SourceMap, diagnostics: &[Diagnostic]) -> Vec<Value> {
    diagnostics
        .iter()
        .map(|diagnostic| {
            let place = diagnostic.span().map(|span| (sources.file(span.file).name.clone(), sources.place(span)));
            json!({
                "severity": match diagnostic.severity { Severity::Error => "error", Severity::Warning => "warning" },
                "code": diagnostic.code,
                "message": diagnostic.message,
                "help": diagnostic.help,
                "file": place.as_ref().map(|(file, _)| file.clone()),
                "line": place.as_ref().map(|(_, place)| place.line),
                "column": place.as_ref().map(|(_, place)| place.column),
            })
        })
        .collect()
}
