//! Runs every program below `tests/corpus` through the front end and compares its messages with the file.
//!
//! `//:: code` speaks about the next line that is not a comment; a warning is `//:: warning code`. Files below a
//! folder `old` are read in the old dialect, and those below `lowered` go on to the lowering. A file without errors must
//! print and parse back into the same tree. The whole messages are in a file `name.messages` beside it if there are any;
//! `PROBITY_BLESS=1` writes these.

mod common;

use std::fmt::Write as _;
use std::path::Path;

use common::shape;
use libtest_mimic::{Arguments, Failed, Trial};
use pvl::syntax::tree::Dialect;
use pvl::syntax::{Options, parse};
use source::{Diagnostic, Severity, SourceMap};
use testing::files_below;

fn main() {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let trials = files_below(&root, &["pvl"])
        .into_iter()
        .map(|path| {
            let name = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
            Trial::test(name, move || run(&path))
        })
        .collect();
    libtest_mimic::run(&arguments, trials).exit();
}

/// Lines and codes of expected messages, those of warnings with the word in front.
fn expectations(text: &str) -> Vec<(u32, String)> {
    let mut pending: Vec<String> = Vec::new();
    let mut expected = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if let Some(code) = line.strip_prefix("//:: ") {
            pending.push(code.to_string());
        } else if !line.starts_with("//") {
            expected.extend(pending.drain(..).map(|code| (index as u32 + 1, code)));
        }
    }
    expected.sort();
    expected
}

fn key(map: &SourceMap, diagnostic: &Diagnostic) -> (u32, String) {
    let line = diagnostic.span().map_or(0, |span| map.place(span).line);
    match diagnostic.severity {
        Severity::Error => (line, diagnostic.code.to_string()),
        Severity::Warning => (line, format!("warning {}", diagnostic.code)),
    }
}

/// A message as the file of messages has it.
fn render(map: &SourceMap, diagnostic: &Diagnostic) -> String {
    let mut text = String::new();
    for (index, label) in diagnostic.labels.iter().enumerate() {
        let place = map.place(label.span);
        let quoted = map.text(label.span).lines().next().unwrap_or("");
        if index == 0 {
            let (_, code) = key(map, diagnostic);
            let _ = writeln!(text, "{}:{}: {code}: {}", place.line, place.column, diagnostic.message);
            let _ = writeln!(text, "    at `{quoted}` {}", label.text);
        } else {
            let _ = writeln!(text, "    {}:{}: `{quoted}` {}", place.line, place.column, label.text);
        }
    }
    if let Some(help) = &diagnostic.help {
        let _ = writeln!(text, "    help: {help}");
    }
    text
}

fn run(path: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let is_old = path.components().any(|part| part.as_os_str() == "old");
    let dialect = if is_old { Dialect::Old } else { Dialect::New };
    let mut map = SourceMap::default();
    let file = map.add(path.display().to_string(), text.as_str());
    let (program, mut diagnostics) = parse(file, &text, Options { dialect });
    if !diagnostics.iter().any(Diagnostic::is_error) {
        let (resolution, found) = pvl::resolve::resolve(&program);
        diagnostics.extend(found);
        if dialect == Dialect::New {
            let printed = pvl::syntax::print(&program);
            let (again, errors) = parse(file, &printed, Options { dialect });
            if let Some(error) = errors.iter().find(|it| it.is_error()) {
                return Err(format!("printed text does not parse: {}\n{printed}", error.message).into());
            }
            if shape(&program) != shape(&again) {
                return Err(format!("printed text is another tree:\n{printed}").into());
            }
        }
        let goes_on = path.components().any(|part| part.as_os_str() == "lowered");
        if goes_on && !diagnostics.iter().any(Diagnostic::is_error) {
            let lowered = pvl::lower::lower(&resolution, &mut map);
            diagnostics.extend(lowered.diagnostics);
            if !diagnostics.iter().any(Diagnostic::is_error) {
                let silver = silver::resolve_tree(&mut map, lowered.program, &silver::Options::default());
                if let Some(error) = silver.diagnostics.iter().find(|it| it.is_error()) {
                    return Err(format!("Silver refuses it: {}", error.message).into());
                }
            }
        }
    }
    let mut found: Vec<(u32, String)> = diagnostics.iter().map(|it| key(&map, it)).collect();
    found.sort();
    let messages: String = diagnostics.iter().map(|it| render(&map, it)).collect();
    let expected = expectations(&text);
    if found != expected {
        let without = |these: &[(u32, String)], others: &[(u32, String)]| -> String {
            let count =
                |list: &[(u32, String)], item: &(u32, String)| list.iter().filter(|it| *it == item).count();
            let lines = these.iter().filter(|item| count(these, item) > count(others, item));
            lines.map(|(line, code)| format!("    {line}: {code}\n")).collect()
        };
        let missing = without(&expected, &found);
        let unexpected = without(&found, &expected);
        return Err(format!("missing:\n{missing}unexpected:\n{unexpected}all messages:\n{messages}").into());
    }
    let beside = path.with_extension("messages");
    if std::env::var_os("PROBITY_BLESS").is_some() {
        if messages.is_empty() {
            let _ = std::fs::remove_file(&beside);
        } else {
            std::fs::write(&beside, &messages)?;
        }
        return Ok(());
    }
    let kept = std::fs::read_to_string(&beside).unwrap_or_default();
    if kept != messages {
        return Err(format!("the messages have changed:\n{messages}\n--- but were\n{kept}").into());
    }
    Ok(())
}
