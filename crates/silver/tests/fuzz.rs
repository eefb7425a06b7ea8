//! Mutated programs must not make the front end panic, hang or overflow its stack.
//!
//! By default a fixed number of mutations of the corpus. `PROBITY_FUZZ_FOLDER` and `PROBITY_FUZZ_SECONDS` make it a
//! longer run over other files; `PROBITY_FUZZ_SEED` repeats one.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use silver::Options;
use source::{NoFiles, SourceMap};
use testing::{Random, files_below};

const SPICE: &[&str] = &[
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "acc(",
    "forall x: Int :: ",
    "old(",
    "==>",
    "--*",
    "&&",
    "?",
    ":",
    ":=",
    "..",
    "|",
    "@a(\"b\")",
    "#P(x)",
    "decreases ",
    "define M(x) x",
    "M(M(x))",
    "let x == (1) in ",
    "unfolding P(x) in ",
    "Seq(",
    "Map(",
    "new(*)",
    "label l",
    "goto l",
    "package ",
    "0",
    "-",
    "!",
    "result",
    "wildcard",
    "1/2",
    "/*",
    "*/",
    "\"",
    "//",
    "adt A { B() }",
    "domain D[T] { function f(T): D[T] }",
    "import <decreases/all.vpr>",
    "é",
    "\r\n",
    "$",
    "_",
];

/// Pieces of a text that mutations move around: words, numbers, blanks and single characters.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
        let length = if is_word(first) {
            rest.find(|c: char| !is_word(c)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        pieces.push(&rest[..length]);
        rest = &rest[length..];
    }
    pieces
}

fn mutate(text: &str, other: &str, random: &mut Random) -> String {
    let mut parts: Vec<String> = pieces(text).into_iter().map(str::to_string).collect();
    for _ in 0..1 + random.below(4) {
        if parts.is_empty() {
            return String::new();
        }
        let at = random.below(parts.len());
        match random.below(9) {
            0 => {
                parts.remove(at);
            }
            1 => {
                let copy = parts[random.below(parts.len())].clone();
                parts[at] = copy;
            }
            2 => parts.insert(at, SPICE[random.below(SPICE.len())].to_string()),
            3 => {
                let end = (at + random.below(30)).min(parts.len());
                let piece: Vec<String> = parts[at..end].to_vec();
                parts.splice(at..at, piece);
            }
            4 => {
                let end = (at + random.below(20)).min(parts.len());
                parts.drain(at..end);
            }
            5 => {
                let foreign = pieces(other);
                let from = random.below(foreign.len());
                let to = (from + random.below(40)).min(foreign.len());
                parts.splice(at..at, foreign[from..to].iter().map(ToString::to_string));
            }
            6 => {
                let spice = SPICE[random.below(SPICE.len())].repeat(1 + random.below(600));
                parts.insert(at, spice);
            }
            7 => parts.truncate(at),
            _ => {
                let with = random.below(parts.len());
                parts.swap(at, with);
            }
        }
    }
    parts.concat()
}

/// Everything that the front end does with a text.
fn exercise(text: &str) {
    let mut map = SourceMap::default();
    let file = map.add("fuzz.vpr", text);
    let (tree, errors) = silver::syntax::parse(file, text);
    if !errors.iter().any(source::Diagnostic::is_error) {
        let printed = silver::with_large_stack(|| silver::syntax::print(&tree));
        let (_, errors) = silver::syntax::parse(file, &printed);
        // Printing adds parentheses, which may exceed the bound on nesting if the text was close to it.
        let is_fault =
            |error: &&source::Diagnostic| error.is_error() && !error.message.starts_with("nested deeper");
        let fault = errors.iter().find(is_fault).map_or("", |error| error.message.as_str());
        assert!(fault.is_empty(), "printed text does not parse: {fault}\n{printed}");
    }
    let resolved = silver::resolve(&mut map, file, &NoFiles, &Options::default());
    if let Some(program) = resolved.program {
        let problems = silver::with_large_stack(|| silver::typed::check_program(&program));
        assert!(problems.is_empty(), "{}", problems.join("\n"));
    }
}

#[test]
fn mutated_programs_are_survived() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let folder = std::env::var_os("PROBITY_FUZZ_FOLDER").map_or(corpus, PathBuf::from);
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let seconds = number("PROBITY_FUZZ_SECONDS");
    let seed = number("PROBITY_FUZZ_SEED");
    let texts: Vec<String> = files_below(&folder, &["vpr"])
        .iter()
        .filter_map(|path| std::fs::read(path).ok())
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .collect();
    assert!(!texts.is_empty());
    let start = Instant::now();
    let mut slowest = (Duration::ZERO, 0);
    let mut runs = 0_u64;
    for round in seed.unwrap_or(1).. {
        let mut random = Random::new(round);
        random.next();
        let text = &texts[random.below(texts.len())];
        let other = &texts[random.below(texts.len())];
        let mutated = mutate(text, other, &mut random);
        let begin = Instant::now();
        if let Err(panic) = std::panic::catch_unwind(|| exercise(&mutated)) {
            let folder = std::env::temp_dir().join("probity-fuzz.vpr");
            let _ = std::fs::write(&folder, &mutated);
            let message = panic.downcast_ref::<String>().cloned().unwrap_or_default();
            panic!("seed {round} panics: {message}\nthe text is in {}", folder.display());
        }
        let time = begin.elapsed();
        if time > slowest.0 {
            slowest = (time, round);
        }
        assert!(time < Duration::from_secs(20), "seed {round} takes {time:?}");
        runs += 1;
        let done = match seconds {
            Some(seconds) => start.elapsed() > Duration::from_secs(seconds),
            None => runs >= 1500,
        };
        if done || seed.is_some() {
            break;
        }
    }
    // Shown with `--no-capture`, so that a long run can say what it did.
    let report = format!("{runs} programs, slowest {:?} (seed {})", slowest.0, slowest.1);
    std::io::Write::write_all(&mut std::io::stderr(), report.as_bytes()).unwrap_or_default();
}
