//! VerCors' own examples, from a checkout given by `PROBITY_VERCORS`: all of them can be read.

mod common;

use std::path::{Path, PathBuf};

use common::shape;
use pvl::syntax::tree::Dialect;
use pvl::syntax::{Options, parse};
use source::{Diagnostic, SourceMap};
use testing::files_below;

fn checkout() -> Option<PathBuf> {
    std::env::var_os("PROBITY_VERCORS").map(PathBuf::from)
}

/// The name and the text of a file.
fn read(path: &Path) -> (String, String) {
    let bytes = std::fs::read(path).unwrap_or_default();
    (path.display().to_string(), String::from_utf8_lossy(&bytes).into_owned())
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
    let files = files_below(&root.join("examples"), &["pvl"]);
    assert!(!files.is_empty(), "there are no examples below {}", root.display());
    // Written for versions before 1.0, or never accepted by any.
    let unreadable = ["chalice/predicates.pvl", "chalice/witness.pvl", "822/ParallelGCD.pvl"];
    let mut failed = Vec::new();
    for path in files.iter().filter(|path| !unreadable.iter().any(|name| path.ends_with(name))) {
        let (name, text) = read(path);
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

/// Examples that need another one beside them.
const TOGETHER: &[(&str, &[&str])] = &[
    ("concepts/counter", &["permissions.pvl"]),
    ("concepts/forkjoin/OwickiGries.pvl", &["Worker.pvl"]),
    ("concepts/forkjoin/Worker.pvl", &["OwickiGries.pvl"]),
    ("concepts/waitnotify", &["Queue.pvl", "Worker.pvl"]),
    ("publications/2020/permutations", &["permutation.pvl"]),
];

/// The errors of names and types, and their codes.
fn resolved(texts: &[(String, String)], dialect: Dialect) -> Vec<(&'static str, String)> {
    let mut map = SourceMap::default();
    let files: Vec<_> = texts.iter().map(|(name, text)| map.add(name.as_str(), text.as_str())).collect();
    let (program, errors) = pvl::syntax::parse_files(&map, &files, Options { dialect });
    if errors.iter().any(Diagnostic::is_error) {
        return Vec::new();
    }
    let (_, diagnostics) = pvl::resolve::resolve(&program);
    diagnostics.iter().filter(|it| it.is_error()).map(|it| (it.code, describe(&map, it))).collect()
}

#[test]
fn names_and_types_of_all_examples_resolve() {
    let Some(root) = checkout() else { return };
    let files = files_below(&root.join("examples"), &["pvl"]);
    let mut failed = Vec::new();
    // The last one uses resources as values, which is an experiment of VerCors.
    let skipped = |path: &Path| {
        let name = path.display().to_string().to_lowercase();
        ["archive", "veymont", "resourcevalues"].iter().any(|part| name.contains(part))
    };
    for path in files.iter().filter(|path| !skipped(path)) {
        let name = path.display().to_string();
        let mut paths = vec![path.clone()];
        for (_, others) in TOGETHER.iter().filter(|(part, _)| name.contains(part)) {
            let siblings = others.iter().map(|other| path.with_file_name(other));
            paths.extend(siblings.filter(|other| other != path));
        }
        let texts: Vec<(String, String)> = paths.iter().map(|path| read(path)).collect();
        let errors = resolved(&texts, dialect_of(path));
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
    /// The code after `error withCode`, if there is one.
    wants_error: Option<String>,
}

fn snippets(root: &Path) -> Vec<Snippet> {
    let mut found = Vec::new();
    for path in files_below(&root.join("test/main/vct/test/integration"), &["scala"]) {
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
                wants_error: header
                    .split_once("should error withCode \"")
                    .and_then(|(_, code)| code.split_once('"'))
                    .map(|(code, _)| code.to_string()),
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
        let wants_parse_error = snippet.wants_error.as_deref() == Some("parseError");
        if errors.is_empty() == wants_parse_error {
            failed.push(format!("{}\n{}", snippet.name, errors.join("\n")));
        }
    }
    assert!(failed.is_empty(), "{} of {}\n{}", failed.len(), snippets.len(), failed.join("\n"));
}

#[test]
fn names_and_types_of_all_snippets_resolve() {
    let Some(root) = checkout() else { return };
    let mut failed = Vec::new();
    for snippet in snippets(&root) {
        let wanted = snippet.wants_error.as_deref().filter(|code| *code != "parseError");
        if snippet.text.contains("choreography") || snippet.wants_error.as_deref() == Some("parseError") {
            continue;
        }
        let errors = resolved(&[(snippet.name.clone(), snippet.text)], Dialect::New);
        let as_wanted = match wanted {
            Some(code) => !errors.is_empty() && errors.iter().all(|(found, _)| *found == code),
            None => errors.is_empty(),
        };
        if !as_wanted {
            let lines: Vec<String> = errors.into_iter().map(|(_, line)| line).collect();
            failed.push(format!("{} wants {wanted:?}\n{}", snippet.name, lines.join("\n")));
        }
    }
    assert!(failed.is_empty(), "{}\n{}", failed.len(), failed.join("\n"));
}

#[test]
fn printed_examples_parse_into_the_same_tree() {
    let Some(root) = checkout() else { return };
    let mut texts: Vec<(String, String)> = Vec::new();
    for path in files_below(&root.join("examples"), &["pvl"]) {
        if dialect_of(&path) == Dialect::New {
            texts.push(read(&path));
        }
    }
    texts.extend(snippets(&root).into_iter().map(|snippet| (snippet.name, snippet.text)));
    for (name, text) in texts {
        let (tree, errors) = parse(source::FileId(0), &text, Options::default());
        if errors.iter().any(Diagnostic::is_error) {
            continue;
        }
        let printed = pvl::syntax::print(&tree);
        let (again, errors) = parse(source::FileId(0), &printed, Options::default());
        let errors: Vec<&str> =
            errors.iter().filter(|it| it.is_error()).map(|it| it.message.as_str()).collect();
        assert!(errors.is_empty(), "{name}: {errors:?}\n{printed}");
        assert!(shape(&tree) == shape(&again), "{name} becomes another tree:\n{printed}");
    }
}

/// Programs for VerCors 1.x, from the files given by `PROBITY_OLD_PVL`, separated like a search path.
#[test]
fn programs_of_the_old_dialect_resolve() {
    let Some(paths) = std::env::var_os("PROBITY_OLD_PVL") else { return };
    for path in std::env::split_paths(&paths) {
        let (name, text) = read(&path);
        assert!(!text.is_empty(), "{name} cannot be read");
        let found = errors(&name, &text, Dialect::Old);
        assert!(found.is_empty(), "{name}\n{}", found.join("\n"));
        let found: Vec<String> =
            resolved(&[(name.clone(), text)], Dialect::Old).into_iter().map(|(_, line)| line).collect();
        assert!(found.is_empty(), "{name}\n{}", found.join("\n"));
    }
}
