//! Diagnostics with the lines they are about.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use serde_json::{Value, json};
use source::{Diagnostic, Severity, SourceMap, Span};

/// Renders diagnostics one after another, in colour if asked.
pub fn render_diagnostics(sources: &SourceMap, diagnostics: &[Diagnostic], colour: bool) -> String {
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    let mut text = String::new();
    for diagnostic in diagnostics {
        text.push_str(&render(sources, diagnostic, &renderer));
        text.push_str("\n\n");
    }
    text
}

fn render(sources: &SourceMap, diagnostic: &Diagnostic, renderer: &Renderer) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(diagnostic.message.as_str()).id(diagnostic.code);
    let mut group = Group::with_title(title);
    let mut files: Vec<source::FileId> = Vec::new();
    for label in &diagnostic.labels {
        if !files.contains(&label.span.file) {
            files.push(label.span.file);
        }
    }
    for file in files {
        let source = sources.file(file);
        let mut snippet = Snippet::source(&*source.text).path(source.name.as_str());
        for (index, label) in
            diagnostic.labels.iter().enumerate().filter(|(_, label)| label.span.file == file)
        {
            let kind = if index == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
            snippet =
                snippet.annotation(kind.span(range(&source.text, label.span)).label(label.text.as_str()));
        }
        group = group.element(snippet);
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    renderer.render(&[group])
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
