//! Mutated programs must not make the front end panic, hang or overflow its stack.
//!
//! Every text is parsed; what has no errors is printed and parsed again, and goes on to names and types, to the
//! lowering, and to the front end of Silver, which must accept what the lowering made. By default a fixed number of
//! mutations of the corpus. `PROBITY_FUZZ_FOLDERS` (separated by `:`) and `PROBITY_FUZZ_SECONDS` make it a longer run
//! over other files; `PROBITY_FUZZ_SEED` repeats one, `PROBITY_FUZZ_FROM` starts there. `PROBITY_FUZZ_KEEP` names a
//! folder for texts that show faults, which then do not end the run; `progress` in it says how far a run got.

mod common;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use pvl::syntax::tree::Dialect;
use pvl::syntax::{Options, parse};
use source::{Diagnostic, SourceMap};
use testing::{Random, files_below};

const SPICE: &[&str] = &[
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "<",
    ">",
    "Perm(",
    "Value(",
    "(\\forall int i; ",
    "(\\forall* int i = 0 .. 3; ",
    "\\old(",
    "\\result",
    "==>",
    "-*",
    "**",
    "&&",
    "?",
    ":",
    "::",
    "=",
    "==",
    "..",
    "|",
    "{:",
    ":}",
    "?.",
    "->",
    "<-",
    "[1\\2]",
    "unfolding p() in ",
    "(\\let int x = 1; ",
    "seq<int>{",
    "map<int, int>{",
    "new C(",
    "new int[3]",
    "set<int>{ x | int x <- ",
    "given { x = 1 }",
    "yields { x = y }",
    "with { } ",
    "requires true; ",
    "ensures true; ",
    "context_everywhere true; ",
    "loop_invariant true; ",
    "decreases 1; ",
    "given int g; ",
    "yields int y; ",
    "label l; ",
    "goto l; ",
    "par (int i = 0 .. 3) { } ",
    "invariant inv(true) { } ",
    "atomic(inv) { } ",
    "barrier(b) { } ",
    "lock this; ",
    "fork this; ",
    "package true -* true { } ",
    "if (*) { } else ",
    "while (true) ",
    "for (int i = 0 .. 3) ",
    "vec (int i = 0 .. 3) { } ",
    "ghost ",
    "pure ",
    "inline ",
    "static ",
    "final ",
    "resource p() = true; ",
    "lemma l() { } ",
    "run { } ",
    "constructor() { } ",
    "class C<T> { } ",
    "enum E { A } ",
    "adt A { } ",
    "model M { } ",
    "choreography X() { } ",
    "0",
    "1.5",
    "'c'",
    "\"text\"",
    "null",
    "this",
    "-",
    "!",
    "++",
    "+",
    "*",
    "&",
    "\\",
    "/*",
    "*/",
    "//",
    "\n",
    "\r\n",
    "#",
    "`",
    "é",
    "∀",
    "[/expect assertFailed:false]",
    "[/end]",
    "$",
    "_",
    "(\\sum int i; ",
    "\\array(",
    "frac",
    "process",
    "empty",
];

/// Pieces of a text that mutations move around: words, numbers, blanks and single characters.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = if is_word(first) || first == '\\' {
            rest[first.len_utf8()..]
                .find(|c: char| !is_word(c))
                .map_or(rest.len(), |end| end + first.len_utf8())
        } else {
            first.len_utf8()
        };
        pieces.push(&rest[..length]);
        rest = &rest[length..];
    }
    pieces
}

/// What one piece can be replaced by so that the text probably still parses.
fn class(piece: &str) -> u8 {
    let first = piece.chars().next().unwrap_or(' ');
    match first {
        '0'..='9' => 0,
        'A'..='Z' => 1,
        'a'..='z' | '_' => 2,
        '\\' => 3,
        '+' | '-' | '*' | '/' | '%' | '<' | '>' => 4,
        '(' | ')' | '{' | '}' | '[' | ']' => 5,
        _ if first.is_whitespace() => 6,
        _ => 7,
    }
}

fn mutate(text: &[&'static str], other: &[&'static str], random: &mut Random) -> String {
    let mut parts: Vec<&'static str> = text.to_vec();
    for _ in 0..1 + random.below(4) {
        if parts.is_empty() {
            return String::new();
        }
        let at = random.below(parts.len());
        match random.below(18) {
            0 => {
                parts.remove(at);
            }
            1 => parts[at] = parts[random.below(parts.len())],
            2 => parts.insert(at, SPICE[random.below(SPICE.len())]),
            3 => {
                let end = (at + random.below(30)).min(parts.len());
                let piece = parts[at..end].to_vec();
                parts.splice(at..at, piece);
            }
            4 => {
                let end = (at + random.below(20)).min(parts.len());
                parts.drain(at..end);
            }
            5 | 6 => {
                let from = random.below(other.len());
                let to = (from + random.below(40)).min(other.len());
                parts.splice(at..at, other[from..to].iter().copied());
            }
            7 if random.below(8) == 0 => {
                let spice = SPICE[random.below(SPICE.len())];
                parts.splice(at..at, std::iter::repeat_n(spice, 1 + random.below(700)));
            }
            8 if random.below(4) == 0 => parts.truncate(at),
            9 => {
                let with = random.below(parts.len());
                parts.swap(at, with);
            }
            // A piece for another of its kind, from this text or the other.
            kind => {
                let (mut at, mut tries) = (at, 0);
                while matches!(class(parts[at]), 5 | 6) && tries < 8 {
                    at = random.below(parts.len());
                    tries += 1;
                }
                let from = if kind < 16 || other.is_empty() { &parts[..] } else { other };
                for _ in 0..12 {
                    let found = from[random.below(from.len())];
                    if class(found) == class(parts[at]) && found != parts[at] {
                        parts[at] = found;
                        break;
                    }
                }
            }
        }
    }
    let text = parts.concat();
    if random.below(12) != 0 {
        return text;
    }
    let mut bytes = text.into_bytes();
    for _ in 0..1 + random.below(6) {
        if bytes.is_empty() {
            break;
        }
        let at = random.below(bytes.len());
        match random.below(3) {
            0 => bytes[at] = random.next() as u8,
            1 => bytes.insert(at, random.next() as u8),
            _ => {
                bytes.remove(at);
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// How far a text gets.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Parsed,
    Resolved,
    Lowered,
    Silver,
}

fn is_error(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(Diagnostic::is_error)
}

/// Everything that the front end does with a text.
fn exercise(text: &str, dialect: Dialect) -> Stage {
    let mut map = SourceMap::default();
    let file = map.add("fuzz.pvl", text);
    let (program, errors) = parse(file, text, Options { dialect });
    for label in errors.iter().flat_map(|error| &error.labels) {
        map.text(label.span);
    }
    if is_error(&errors) {
        return Stage::Parsed;
    }
    if dialect == Dialect::New {
        let printed = pvl::syntax::print(&program);
        let (_, errors) = parse(file, &printed, Options { dialect });
        // Printing adds parentheses, which may exceed the bound on nesting if the text was close to it.
        let is_too_deep = errors.iter().any(|error| error.message.starts_with("nested deeper"));
        let fault = errors.iter().find(|error| error.is_error() && !is_too_deep);
        let fault = fault.map_or("", |error| error.message.as_str());
        assert!(fault.is_empty(), "printed text does not parse: {fault}\n{printed}");
    }
    let (resolution, errors) = pvl::resolve::resolve(&program);
    for label in errors.iter().flat_map(|error| &error.labels) {
        map.text(label.span);
    }
    if is_error(&errors) {
        return Stage::Parsed;
    }
    let lowered = pvl::lower::lower(&resolution, &mut map);
    if is_error(&lowered.diagnostics) {
        return Stage::Resolved;
    }
    let printed = silver::with_large_stack(|| silver::syntax::print(&lowered.program));
    let resolved = silver::resolve_tree(&mut map, lowered.program, &silver::Options::default());
    // What is inconsistent was so in the program, such as a trigger that does not mention a variable.
    let is_fault = |error: &&Diagnostic| error.is_error() && error.code != silver::codes::CONSISTENCY;
    if let Some(error) = resolved.diagnostics.iter().find(is_fault) {
        let place = error.span().map(|span| lowered.origins.place(span));
        let at = place.map_or("", |place| map.text(place));
        panic!(
            "Silver refuses what the lowering made: {} [{}] at `{at}`\n{printed}",
            error.message, error.code
        );
    }
    if resolved.program.is_some() { Stage::Silver } else { Stage::Lowered }
}

/// Ends the process when one text takes too long, after saying which.
fn watch(round: &'static AtomicU64) {
    std::thread::spawn(move || {
        let mut last = (round.load(Ordering::Relaxed), Instant::now());
        loop {
            std::thread::sleep(Duration::from_secs(1));
            let now = round.load(Ordering::Relaxed);
            if now != last.0 {
                last = (now, Instant::now());
            } else if last.1.elapsed() > Duration::from_secs(120) {
                say(&format!("seed {now} does not end\n"));
                std::process::abort();
            }
        }
    });
}

fn say(text: &str) {
    std::io::Write::write_all(&mut std::io::stderr(), text.as_bytes()).unwrap_or_default();
}

static ROUND: AtomicU64 = AtomicU64::new(0);

#[test]
fn mutated_programs_are_survived() {
    silver::with_large_stack(run);
}

fn run() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let folders = match std::env::var("PROBITY_FUZZ_FOLDERS") {
        Ok(folders) => folders.split(':').map(PathBuf::from).collect(),
        Err(_) => vec![corpus],
    };
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let seconds = number("PROBITY_FUZZ_SECONDS");
    let seed = number("PROBITY_FUZZ_SEED");
    let keep = std::env::var_os("PROBITY_FUZZ_KEEP").map(PathBuf::from);
    let mut faults: Vec<String> = Vec::new();
    let mut kinds: std::collections::BTreeMap<String, u64> = std::collections::BTreeMap::new();
    // The texts live as long as the test.
    let texts: Vec<Vec<&'static str>> = folders
        .iter()
        .flat_map(|folder| files_below(folder, &["pvl"]))
        .filter_map(|path| std::fs::read(path).ok())
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .filter(|text| text.len() < 20_000)
        .map(|text| pieces(Box::leak(text.into_boxed_str())))
        .collect();
    assert!(!texts.is_empty());
    watch(&ROUND);
    let start = Instant::now();
    let mut slowest = (Duration::ZERO, 0);
    let mut stages = [0_u64; 4];
    let mut runs = 0_u64;
    let first = seed.or(number("PROBITY_FUZZ_FROM")).unwrap_or(1);
    for round in first.. {
        ROUND.store(round, Ordering::Relaxed);
        let mut random = Random::new(round);
        // Short texts are quicker, and more of their mutations are programs.
        let first_choice = &texts[random.below(texts.len())];
        let second_choice = &texts[random.below(texts.len())];
        let shorter = if first_choice.len() < second_choice.len() { first_choice } else { second_choice };
        let third_choice = &texts[random.below(texts.len())];
        let text = if third_choice.len() < shorter.len() { third_choice } else { shorter };
        let other = &texts[random.below(texts.len())];
        let mutated = mutate(text, other, &mut random);
        let dialect = if random.below(10) == 0 { Dialect::Old } else { Dialect::New };
        let begin = Instant::now();
        match std::panic::catch_unwind(|| exercise(&mutated, dialect)) {
            Ok(stage) => stages[stage as usize] += 1,
            Err(panic) => {
                let message = panic.downcast_ref::<String>().cloned().unwrap_or_default();
                let folder = keep.clone().unwrap_or_else(std::env::temp_dir);
                let path = folder.join(format!("fuzz-{round}.pvl"));
                let summary: String = message.lines().next().unwrap_or("").chars().take(300).collect();
                let report = format!("seed {round} in {dialect:?}: {summary}");
                if keep.is_none() {
                    let _ = std::fs::write(&path, &mutated);
                    panic!("{report}\nthe text is in {}", path.display());
                }
                // The same fault shows again and again; the first texts are enough.
                let kind = summary.split('`').next().unwrap_or("").to_string();
                let seen = kinds.entry(kind).or_default();
                *seen += 1;
                if *seen <= 3 {
                    let _ = std::fs::write(&path, &mutated);
                    faults.push(report);
                }
            }
        }
        let time = begin.elapsed();
        if time > slowest.0 {
            slowest = (time, round);
        }
        assert!(time < Duration::from_secs(60), "seed {round} takes {time:?}");
        runs += 1;
        if runs.is_multiple_of(10_000)
            && let Some(folder) = &keep
        {
            let reports = faults.join("\n");
            let text = format!("from {first} to {round}: {stages:?} {slowest:?}\n{kinds:#?}\n{reports}\n");
            let _ = std::fs::write(folder.join("progress"), text);
        }
        let done = match seconds {
            Some(seconds) => start.elapsed() > Duration::from_secs(seconds),
            None => runs >= 1500,
        };
        if done || seed.is_some() {
            break;
        }
    }
    // Shown with `--no-capture`, so that a long run can say what it did.
    let [parsed, resolved, lowered, silver] = stages;
    say(&format!(
        "{runs} programs: {parsed} with errors, {resolved} that cannot be lowered, {lowered} lowered, {silver} \
         accepted by Silver; slowest {:?} (seed {})\n",
        slowest.0, slowest.1
    ));
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
