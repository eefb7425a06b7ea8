//! Runs every file below `tests/corpus` through the front end and compares its errors with the file's annotations.
//!
//! `//:: ExpectedOutput(id)` speaks about the next line that is not a comment. A file without errors must print and
//! parse back, its typed form must keep its invariants and print as Silver that resolves to the same, and if there is
//! a file `name.typed` beside it, that is the printed typed form; `PROBITY_BLESS=1` writes these.

use std::path::Path;

use libtest_mimic::{Arguments, Failed, Trial};
use silver::Options;
use source::{NoFiles, SourceMap};
use testing::{Disk, files_below};

fn main() {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let trials = files_below(&root, &["vpr"])
        .into_iter()
        .map(|path| {
            let name = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
            Trial::test(name, move || run(&path))
        })
        .collect();
    libtest_mimic::run(&arguments, trials).exit();
}

/// Line and id of each expected error.
fn expectations(text: &str) -> Vec<(u32, String)> {
    let mut pending = Vec::new();
    let mut expected = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if let Some(id) = line.strip_prefix("//:: ExpectedOutput(").and_then(|rest| rest.strip_suffix(')')) {
            pending.push(id.to_string());
        } else if !line.starts_with("//") {
            expected.extend(pending.drain(..).map(|id| (index as u32 + 1, id)));
        }
    }
    expected
}

fn run(path: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let options = Options { smoke_detection: text.starts_with("//# smoke"), ..Options::default() };
    let mut map = SourceMap::default();
    let file = map.add(path.to_string_lossy(), text.as_str());
    let resolved = silver::resolve(&mut map, file, &Disk, &options);
    let mut found = Vec::new();
    let mut messages = String::new();
    for diagnostic in resolved.diagnostics.iter().filter(|diagnostic| diagnostic.is_error()) {
        let line = diagnostic.span().map_or(0, |span| map.place(span).line);
        messages.push_str(&format!("  {line}: {}: {}\n", diagnostic.code, diagnostic.message));
        found.push((line, diagnostic.code.to_string()));
    }
    let mut expected = expectations(&text);
    expected.sort();
    found.sort();
    found.dedup();
    if expected != found {
        return Err(format!("expected {expected:?}, found:\n{messages}").into());
    }
    if !expected.iter().any(|(_, id)| id == "parser.error") {
        round_trip(&text)?;
    }
    match resolved.program {
        Some(program) => silver::with_large_stack(|| check_typed(path, &program)),
        None => Ok(()),
    }
}

fn round_trip(text: &str) -> Result<(), Failed> {
    let file = source::FileId(0);
    let once = silver::syntax::print(&silver::syntax::parse(file, text).0);
    let (again, errors) = silver::syntax::parse(file, &once);
    if let Some(error) = errors.iter().find(|diagnostic| diagnostic.is_error()) {
        return Err(format!("the printed text does not parse: {}\n{once}", error.message).into());
    }
    if silver::syntax::print(&again) != once {
        return Err(format!("printing twice gives different texts:\n{once}").into());
    }
    Ok(())
}

fn check_typed(path: &Path, program: &silver::typed::Program) -> Result<(), Failed> {
    let problems = silver::typed::check_program(program);
    if !problems.is_empty() {
        return Err(problems.join("\n").into());
    }
    let text = silver::typed::print(program);
    let mut map = SourceMap::default();
    let file = map.add("printed", text.as_str());
    let again = silver::resolve(&mut map, file, &NoFiles, &Options::default());
    let Some(again) = again.program else {
        let messages: Vec<&str> =
            again.diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
        return Err(format!("the typed form does not resolve: {}\n{text}", messages.join("; ")).into());
    };
    let again = silver::typed::print(&again);
    if again != text {
        return Err(format!("the typed form changes:\n{text}\n---\n{again}").into());
    }
    let snapshot = path.with_extension("typed");
    if !snapshot.exists() {
        return Ok(());
    }
    if std::env::var_os("PROBITY_BLESS").is_some() {
        std::fs::write(&snapshot, &text)?;
    }
    let wanted = std::fs::read_to_string(&snapshot)?;
    if wanted == text { Ok(()) } else { Err(format!("the typed form is now:\n{text}").into()) }
}
