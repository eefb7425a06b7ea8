//! VerCors' own examples, from a checkout given by `PROBITY_VERCORS`: all of them can be read.

use std::path::{Path, PathBuf};

use pvl::syntax::tree::Dialect;
use pvl::syntax::{Options, parse};
use source::{Diagnostic, SourceMap};

fn checkout() -> Option<PathBuf> {
    std::env::var_os("PROBITY_VERCORS").map(PathBuf::from)
}

fn files_below(root: &Path, extension: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

fn describe(map: &SourceMap, diagnostic: &Diagnostic) -> String {
    let place = diagnostic.span().map(|span| map.place(span));
    let place = place.map_or(String::new(), |place| format!("{}:{}", place.line, place.column));
    let help = diagnostic.help.as_deref().unwrap_or("");
    format!("  {place} {:?} {}: {} [{help}]", diagnostic.severity, diagnostic.code, diagnostic.message)
}

/// Files that only the old dialect can read.
fn dialect_of(path: &Path) -> Dialect {
    const OLD: &[&str] = &[
        "archive/chalice/",
        "archive/hoaresyntax/",
        "archive/known-problems/822/TestHist.pvl",
        "archive/known-problems/822/elect.pvl",
        "archive/known-problems/no-issue/verifythis/2017/submission/VerCors_challenge4.pvl",
        "archive/known-problems/no-issue/verifythis/2021/TeamBlue/Challenge2.pvl",
    ];
    let name = path.display().to_string();
    if OLD.iter().any(|part| name.contains(part)) { Dialect::Old } else { Dialect::New }
}

/// The errors of a text, without those about choreographies.
fn errors(name: &str, text: &str, dialect: Dialect) -> Vec<String> {
    let mut map = SourceMap::default();
    let file = map.add(name, text);
    let (_, diagnostics) = parse(file, text, Options { dialect });
    let counts = |it: &&Diagnostic| it.is_error() && !it.message.contains("choreograph");
    diagnostics.iter().filter(counts).map(|it| describe(&map, it)).collect()
}

#[test]
fn all_examples_parse() {
    let Some(root) = checkout() else { return };
    let files = files_below(&root.join("examples"), "pvl");
    assert!(!files.is_empty(), "there are no examples below {}", root.display());
    // Written for versions before 1.0, or never accepted by any.
    let unreadable = ["chalice/predicates.pvl", "chalice/witness.pvl", "822/ParallelGCD.pvl"];
    let mut failed = Vec::new();
    for path in files.iter().filter(|path| !unreadable.iter().any(|name| path.ends_with(name))) {
        let text = String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned();
        let name = path.display().to_string();
        let errors = errors(&name, &text, dialect_of(path));
        if !errors.is_empty() {
            failed.push(format!("{name}\n{}", errors.join("\n")));
        }
    }
    assert!(failed.is_empty(), "{} of {}\n{}", failed.len(), files.len(), failed.join("\n"));
}

/// Examples that VerCors rejects before it verifies anything, and the code of the error.
const REJECTED: &[(&str, &str)] = &[
    ("concepts/autovalue/combination.pvl", "combinedAutoValue"),
    ("concepts/basic/pure.pvl", "curThreadScope"),
    ("concepts/basic/seq-immutable.pvl", "notALocation"),
    ("concepts/basic/BadType.pvl", "resolutionError:type"),
    ("concepts/forkjoin/TestFork.pvl", "runnableMethodMissing"),
    ("concepts/parallel/ParBothWrite.pvl", "resolutionError:outOfWriteScope"),
    ("concepts/parallel/ParIterWrite.pvl", "resolutionError:outOfWriteScope"),
    ("concepts/parallel/ParNestedInvariantWrite.pvl", "resolutionError:outOfWriteScope"),
    ("concepts/predicates/MutuallyRecursiveInlinePredicates.pvl", "cyclicInline"),
    ("concepts/predicates/RecursiveInlinePredicate.pvl", "cyclicInline"),
];

/// The errors of names and types, and their codes.
fn resolved(name: &str, text: &str, dialect: Dialect) -> Vec<(&'static str, String)> {
    let mut map = SourceMap::default();
    let file = map.add(name, text);
    let (program, errors) = parse(file, text, Options { dialect });
    if errors.iter().any(Diagnostic::is_error) {
        return Vec::new();
    }
    let (_, diagnostics) = pvl::resolve::resolve(&program);
    diagnostics.iter().filter(|it| it.is_error()).map(|it| (it.code, describe(&map, it))).collect()
}

#[test]
fn names_and_types_of_all_examples_resolve() {
    let Some(root) = checkout() else { return };
    let files = files_below(&root.join("examples"), "pvl");
    let mut failed = Vec::new();
    for path in files.iter().filter(|path| !path.display().to_string().contains("archive")) {
        let text = String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned();
        let name = path.display().to_string();
        let errors = resolved(&name, &text, dialect_of(path));
        let wanted = REJECTED.iter().find(|(file, _)| path.ends_with(file)).map(|(_, code)| *code);
        let as_wanted = match wanted {
            Some(code) => !errors.is_empty() && errors.iter().all(|(found, _)| *found == code),
            None => errors.is_empty(),
        };
        if !as_wanted {
            let lines: Vec<String> = errors.into_iter().map(|(_, line)| line).collect();
            failed.push(format!("{name} wants {wanted:?}\n{}", lines.join("\n")));
        }
    }
    assert!(failed.is_empty(), "{} of {}\n{}", failed.len(), files.len(), failed.join("\n"));
}

/// A program inside of a Scala test, with the line that it starts on and what the test says about it.
struct Snippet {
    name: String,
    text: String,
    wants_parse_error: bool,
}

fn snippets(root: &Path) -> Vec<Snippet> {
    let mut found = Vec::new();
    for path in files_below(&root.join("test/main/vct/test/integration"), "scala") {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let mut from = 0;
        while let Some(at) = text[from..].find(" pvl").map(|at| from + at) {
            from = at + 4;
            // Inside of a description it is followed by the end of that.
            if !text[from..].starts_with(char::is_whitespace) {
                continue;
            }
            let behind = text[from..].trim_start();
            let start = text.len() - behind.len();
            let quote = if behind.starts_with("\"\"\"") { "\"\"\"" } else { "\"" };
            if !behind.starts_with(quote) {
                continue;
            }
            let Some(length) = behind[quote.len()..].find(quote) else { continue };
            let inner = &behind[quote.len()..quote.len() + length];
            from = start + length + 2 * quote.len();
            let header = &text[text[..at].rfind("vercors should").unwrap_or(0)..at];
            found.push(Snippet {
                name: format!("{}:{}", path.display(), text[..at].lines().count()),
                text: inner.to_string(),
                wants_parse_error: header.contains("parseError"),
            });
        }
    }
    found
}

#[test]
fn all_snippets_parse() {
    let Some(root) = checkout() else { return };
    let snippets = snippets(&root);
    assert!(snippets.len() > 50, "only {} snippets were found", snippets.len());
    let mut failed = Vec::new();
    for snippet in &snippets {
        let errors = errors(&snippet.name, &snippet.text, Dialect::New);
        if errors.is_empty() == snippet.wants_parse_error {
            failed.push(format!("{}\n{}", snippet.name, errors.join("\n")));
        }
    }
    assert!(failed.is_empty(), "{} of {}\n{}", failed.len(), snippets.len(), failed.join("\n"));
}

/// Programs for VerCors 1.x, from the files given by `PROBITY_OLD_PVL`, separated like a search path.
#[test]
fn programs_of_the_old_dialect_parse() {
    let Some(paths) = std::env::var_os("PROBITY_OLD_PVL") else { return };
    for path in std::env::split_paths(&paths) {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let name = path.display().to_string();
        assert!(!text.is_empty(), "{name} cannot be read");
        let errors = errors(&name, &text, Dialect::Old);
        assert!(errors.is_empty(), "{name}\n{}", errors.join("\n"));
    }
}
