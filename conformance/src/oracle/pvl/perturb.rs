//! Small changes of a text: a number, an operator, a name, a clause, a part of a conjunction, a statement.

use testing::Random;

/// The program with one change; as it is if there is no place for the one that was chosen.
pub(super) fn perturb(random: &mut Random, text: &str) -> String {
    for _ in 0..8 {
        let changed = match random.weighted(&[4, 4, 3, 3, 4, 3, 2, 2]) {
            0 => number(random, text),
            1 => operator(random, text),
            2 => line(random, text, is_clause, Change::Drop),
            3 => line(random, text, is_simple, Change::Drop),
            4 => conjunct(random, text),
            5 => name(random, text),
            6 => line(random, text, is_simple, Change::Twice),
            _ => line(random, text, is_simple, Change::Move),
        };
        if let Some(changed) = changed {
            return changed;
        }
    }
    text.to_string()
}

enum Change {
    Drop,
    Twice,
    Move,
}

fn is_clause(line: &str) -> bool {
    const WORDS: &[&str] = &["requires ", "ensures ", "context ", "loop_invariant ", "decreases "];
    WORDS.iter().any(|word| line.starts_with(word)) && line.ends_with(';')
}

fn is_simple(line: &str) -> bool {
    line.ends_with(';') && !line.contains(['{', '}']) && !is_clause(line)
}

fn line(random: &mut Random, text: &str, fits: fn(&str) -> bool, change: Change) -> Option<String> {
    let mut lines: Vec<&str> = text.lines().collect();
    let places: Vec<usize> = (0..lines.len()).filter(|at| fits(lines[*at].trim())).collect();
    let at = *random.pick(&places)?;
    match change {
        Change::Drop => {
            lines.remove(at);
        }
        Change::Twice => lines.insert(at, lines[at]),
        Change::Move => {
            let to = *random.pick(&places)?;
            let moved = lines.remove(at);
            lines.insert(to.min(lines.len()), moved);
        }
    }
    Some(lines.join("\n") + "\n")
}

/// Words, numbers and signs with their places.
fn tokens(text: &str) -> Vec<(usize, &str)> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    let mut rest = 0;
    while let Some(first) = text[rest..].chars().next() {
        let end = if is_word(first) {
            text[rest..].find(|c| !is_word(c)).map_or(text.len(), |length| rest + length)
        } else {
            let two = text.get(rest..rest + 2).unwrap_or("");
            let is_pair = ["==", "!=", "<=", ">=", "&&", "||", "**", "++", ".."].contains(&two);
            let is_arrow = ["->", "-*"].contains(&two) || text[rest..].starts_with("==>");
            let length = if text[rest..].starts_with("==>") { 3 } else { 2 };
            if is_pair || is_arrow { rest + length } else { rest + first.len_utf8() }
        };
        if !first.is_whitespace() {
            found.push((rest, &text[rest..end]));
        }
        rest = end;
    }
    found
}

fn replace(text: &str, at: usize, old: &str, new: &str) -> String {
    [&text[..at], new, &text[at + old.len()..]].concat()
}

fn number(random: &mut Random, text: &str) -> Option<String> {
    let all = tokens(text);
    let numbers: Vec<&(usize, &str)> =
        all.iter().filter(|token| token.1.chars().all(|c| c.is_ascii_digit())).collect();
    let (at, old) = **random.pick(&numbers)?;
    let value: i64 = old.parse().ok()?;
    let new = if value > 0 && random.chance(1, 2) { value - 1 } else { value + 1 };
    Some(replace(text, at, old, &new.to_string()))
}

fn operator(random: &mut Random, text: &str) -> Option<String> {
    const CHANGES: &[(&str, &[&str])] = &[
        ("+", &["-"]),
        ("-", &["+"]),
        ("<", &["<=", ">"]),
        ("<=", &["<", "=="]),
        (">", &[">=", "<"]),
        (">=", &[">", "=="]),
        ("==", &["!=", "<=", ">="]),
        ("!=", &["=="]),
        ("==>", &["==", "&&"]),
        ("&&", &["||"]),
        ("write", &["1\\2", "read", "none", "2"]),
        ("read", &["write"]),
        ("context", &["requires", "ensures"]),
        ("requires", &["ensures", "context"]),
        ("ensures", &["context"]),
        ("Perm", &["Value"]),
        ("join", &["fork"]),
        ("lock", &["unlock"]),
        ("unfold", &["fold"]),
        ("true", &["false"]),
        ("atomic", &["atomic"]),
    ];
    let all = tokens(text);
    let places: Vec<&(usize, &str)> =
        all.iter().filter(|token| CHANGES.iter().any(|change| change.0 == token.1)).collect();
    let (at, old) = **random.pick(&places)?;
    let news = CHANGES.iter().find(|change| change.0 == old)?.1;
    Some(replace(text, at, old, random.pick(news)?))
}

/// Leaves out one part of a conjunction.
fn conjunct(random: &mut Random, text: &str) -> Option<String> {
    let places: Vec<usize> = text.match_indices(" ** ").map(|found| found.0).collect();
    let at = *random.pick(&places)?;
    if random.chance(1, 2) {
        let rest = &text[at + 4..];
        let end = rest.find(" ** ").into_iter().chain(rest.find(';')).chain(rest.find(") {")).min()?;
        Some([&text[..at], &rest[end..]].concat())
    } else {
        let front = &text[..at];
        let starts = [" ** ", "requires ", "ensures ", "context ", "invariant ", "s(", ": "];
        let start = starts.iter().filter_map(|it| front.rfind(it).map(|at| at + it.len())).max()?;
        Some([&text[..start], &text[at + 4..]].concat())
    }
}

/// Replaces a name by another one that occurs.
fn name(random: &mut Random, text: &str) -> Option<String> {
    const KEYWORDS: &[&str] = &[
        "class",
        "int",
        "void",
        "main",
        "new",
        "if",
        "else",
        "while",
        "for",
        "return",
        "par",
        "barrier",
        "atomic",
        "invariant",
        "requires",
        "ensures",
        "context",
        "loop_invariant",
        "decreases",
        "assert",
        "fork",
        "join",
        "lock",
        "unlock",
        "ghost",
        "pointer",
        "seq",
        "set",
        "bag",
        "map",
        "final",
        "resource",
        "pure",
        "constructor",
        "run",
        "committed",
        "idle",
        "send",
        "recv",
        "given",
        "yields",
        "with",
        "then",
        "true",
        "false",
        "null",
        "result",
        "old",
        "forall",
        "exists",
        "sum",
        "count",
        "array",
        "Perm",
        "Value",
        "AutoValue",
        "write",
        "read",
        "unfolding",
        "in",
        "this",
        "length",
        "fold",
        "unfold",
        "lemma",
        "parallel",
        "sequential",
        "commit",
        "wait",
        "notify",
        "lock_invariant",
        "boolean",
        "inline",
        "frac",
        "tuple",
        "matrix",
        "none",
    ];
    let all = tokens(text);
    let names: Vec<&(usize, &str)> = all
        .iter()
        .filter(|token| {
            token.1.starts_with(|c: char| c.is_ascii_lowercase() || c == '_') && !KEYWORDS.contains(&token.1)
        })
        .collect();
    let (at, old) = **random.pick(&names)?;
    let (_, new) = **random.pick(&names)?;
    (old != new).then(|| replace(text, at, old, new))
}
