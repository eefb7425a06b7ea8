//! Words with a meaning of their own, and which of them cannot be names.

use super::tree::Dialect;

/// Words that cannot name anything in either dialect.
const RESERVED: &[&str] = &[
    "if",
    "else",
    "while",
    "for",
    "return",
    "goto",
    "this",
    "null",
    "true",
    "false",
    "new",
    "in",
    "unfolding",
    "class",
    "barrier",
    "atomic",
    "invariant",
    "par",
    "vec",
    "lock",
    "unlock",
    "wait",
    "notify",
    "fork",
    "join",
    "int",
    "boolean",
    "void",
    "seq",
    "set",
    "bag",
    "static",
    "requires",
    "ensures",
    "context",
    "context_everywhere",
    "loop_invariant",
    "kernel_invariant",
    "given",
    "yields",
    "pure",
    "inline",
    "thread_local",
    "resource",
    "with",
    "then",
    "Perm",
    "Value",
    "PointsTo",
    "HPerm",
    "APerm",
];

/// Words that further cannot name anything in the new dialect.
const RESERVED_NEW: &[&str] = &[
    "char",
    "string",
    "float32",
    "float64",
    "bool",
    "frac",
    "zfrac",
    "rational",
    "process",
    "ref",
    "any",
    "nothing",
    "map",
    "option",
    "either",
    "tuple",
    "pointer",
    "vector",
    "enum",
    "adt",
    "axiom",
    "model",
    "prover_type",
    "prover_function",
    "choreography",
    "vesuv_entry",
    "constructor",
    "run",
    "final",
    "parallel",
    "sequential",
    "assert",
    "assume",
    "inhale",
    "exhale",
    "refute",
    "fold",
    "unfold",
    "package",
    "apply",
    "label",
    "commit",
    "send",
    "recv",
    "ghost",
    "extract",
    "frame",
    "action",
    "modifies",
    "accessible",
    "signals",
    "lock_invariant",
    "decreases",
    "held",
    "committed",
    "idle",
    "running",
    "perm",
    "AutoValue",
    "Some",
    "Left",
    "Right",
    "None",
    "none",
    "read",
    "write",
    "empty",
    "communicate",
    "channel_invariant",
    "endpoint",
    "spec_ignore",
];

/// Words that open a clause of a contract.
pub(crate) const CLAUSES: &[&str] = &[
    "requires",
    "ensures",
    "context",
    "context_everywhere",
    "loop_invariant",
    "lock_invariant",
    "kernel_invariant",
    "given",
    "yields",
    "signals",
    "decreases",
    "modifies",
    "accessible",
];

/// Words that open a statement and nothing else.
pub(crate) const STATEMENTS: &[&str] = &[
    "if",
    "while",
    "for",
    "return",
    "goto",
    "label",
    "barrier",
    "atomic",
    "par",
    "parallel",
    "sequential",
    "vec",
    "lock",
    "unlock",
    "wait",
    "notify",
    "commit",
    "fork",
    "join",
    "fold",
    "unfold",
    "assert",
    "assume",
    "inhale",
    "exhale",
    "refute",
    "package",
    "apply",
    "extract",
    "frame",
    "ghost",
    "send",
    "recv",
    "action",
];

/// Words that open a declaration and nothing else.
pub(crate) const DECLARATIONS: &[&str] = &[
    "class",
    "enum",
    "adt",
    "model",
    "axiom",
    "prover_type",
    "prover_function",
    "choreography",
    "vesuv_entry",
    "constructor",
    "pure",
    "static",
    "inline",
    "thread_local",
    "resource",
];

/// Built-in types that are one word.
pub(crate) const SIMPLE_TYPES: &[&str] = &[
    "int", "boolean", "bool", "char", "string", "void", "float32", "float64", "frac", "zfrac", "rational",
    "resource", "process", "ref", "any", "nothing",
];

/// Built-in types with arguments.
pub(crate) const GENERIC_TYPES: &[&str] =
    &["seq", "set", "bag", "option", "map", "tuple", "either", "pointer", "type", "vector"];

/// Clauses that the new dialect has added or that the old one may use as names.
pub(crate) fn is_reserved(word: &str, dialect: Dialect) -> bool {
    RESERVED.contains(&word) || (dialect == Dialect::New && RESERVED_NEW.contains(&word))
}

/// The word of a list that a misspelt one was likely meant to be.
pub(crate) fn closest<'words>(
    word: &str,
    candidates: impl IntoIterator<Item = &'words str>,
) -> Option<&'words str> {
    let allowed = match word.len() {
        0..=2 => return None,
        3..=5 => 1,
        _ => 2,
    };
    candidates
        .into_iter()
        .filter(|candidate| candidate.len().abs_diff(word.len()) <= allowed && *candidate != word)
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// How many insertions, removals, replacements and swaps of neighbours make one word of the other.
fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    // Names that long are never close to a keyword, and the table would be large.
    if a.len() > 64 || b.len() > 64 {
        return usize::MAX;
    }
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let mut best = replaced.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    best = best.min(rows[i - 2][j - 2] + 1);
                }
                best
            };
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_words_find_their_neighbour() {
        assert_eq!(closest("require", CLAUSES.iter().copied()), Some("requires"));
        assert_eq!(closest("esnures", CLAUSES.iter().copied()), Some("ensures"));
        assert_eq!(closest("banana", CLAUSES.iter().copied()), None);
    }
}
