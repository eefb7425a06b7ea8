//! Every way in which an atomic sequence can end, checked with and without merging.
//!
//! Merging moves the places where control rests, most of all at the ends of atomic sequences, and what it
//! does there must be undone exactly when a run is replayed. So each kind of statement is put last in a
//! sequence, behind several beginnings, in every context, and in front of every continuation. All ways of
//! checking must agree on every property, and none may end in an internal error.

use std::path::{Path, PathBuf};

use session::{CheckOptions, PartialOrder, Reductions};
use verdict::{Limits, Reason, Silent, Verdict};

/// What a sequence begins with.
const BEGINNINGS: &[&str] = &["", "g = 1; ", "l = 1; ", "g == 0 -> l = 0; ", "d_step { l = 1; g = l }; "];

/// What it ends with. `out` is a label behind the context.
const ENDINGS: &[&str] = &[
    "skip",
    "true",
    "l == 0",
    "false",
    "g = 1",
    "g++",
    "l = 1",
    "assert(g < 2)",
    "printf(\"end\\n\")",
    "if :: true fi",
    "if :: g = 1 fi",
    "if :: true -> g = 1 :: true -> g = 2 fi",
    "if :: l -> skip :: else fi",
    "if :: g == 0 -> l = 1 :: g == 1 fi",
    "if :: if :: true fi fi",
    "do :: break od",
    "do :: true -> break od",
    "do :: l < 2 -> l++ :: else -> break od",
    "do :: l < 2 -> l++ :: else -> goto out od",
    "goto out",
    "if :: goto out fi",
    "if :: true -> goto out :: skip fi",
    "if :: g -> goto out :: else fi",
    "c!1",
    "c?l",
    "c?1",
    "c??1",
    "c?<l>",
    "r!1",
    "r?l",
    "run C()",
    "l = run C()",
    "d_step { skip }",
    "d_step { g = 1; g = 0 }",
    "d_step { if :: true fi }",
    "{ skip }",
    "{ g = 1; if :: true fi }",
    "atomic { skip }",
    "atomic { if :: true fi }",
    "{ skip } unless { false }",
    "{ g = 1 } unless { g == 2 }",
    "{ l == 0 } unless { g == 1 -> skip }",
    "for (l : 1 .. 2) { g = l }",
    "select (l : 1 .. 2)",
    "timeout",
];

/// Endings that leave a loop around the sequence.
const BREAKS: &[&str] =
    &["break", "if :: true -> break fi", "if :: g -> break :: else fi", "if :: break :: skip fi"];

/// Where the sequence stands: `S`. The second list is for those that leave a loop.
const CONTEXTS: &[&str] = &[
    "S",
    "S; S",
    "{ S }",
    "if :: S fi",
    "if :: S :: g = 3 fi",
    "if :: g == 0 -> S :: else -> skip fi",
    "do :: S; break od",
    "do :: S :: break od",
    "do :: S; if :: g == 2 -> break :: else -> break fi od",
    "{ S } unless { g == 3 }",
    "{ g == 3 } unless { S }",
    "atomic { S; l = 0 }",
    "atomic { g = 0; S }",
    "goto in; in: S",
];
const LOOPS: &[&str] = &[
    "do :: S od",
    "do :: S :: g == 3 -> break od",
    "do :: g < 2 -> S od",
    "do :: if :: S fi od",
    "do :: { S } unless { g == 3 } od",
    "do :: do :: S od; break od",
];

/// What comes behind.
const CONTINUATIONS: &[&str] = &["", "; g = 0", "; l = 0", "; assert(g != 1)", "; d_step { g = 0 }"];
const TARGETS: &[&str] = &["; out: skip", "; out: g = 0", "; l = 0; out: if :: true fi"];

const PROPERTIES: &str =
    "ltl never_one { [] (g != 1) } ltl some_two { <> (g == 2) } ltl rests { <> [] (g == 0) }";

/// Models that create processes without end are left out.
const MOST_STATES: u64 = 1000;

fn options(partial_order: PartialOrder, optimise: bool) -> CheckOptions {
    CheckOptions {
        reductions: Reductions { partial_order, optimise },
        all_errors: true,
        limits: Limits { max_states: Some(MOST_STATES), ..Limits::default() },
        ..CheckOptions::default()
    }
}

/// Each property with its verdict; an error where the model cannot be read or has too many states.
fn verdicts(path: &Path, options: &CheckOptions) -> Result<Vec<(String, &'static str)>, String> {
    let checked = session::check(path, options, &mut Silent).map_err(|failure| {
        let texts: Vec<String> = failure.diagnostics.iter().map(|d| d.message.clone()).collect();
        format!("{texts:?} {:?}", failure.message)
    })?;
    let mut found = Vec::new();
    for property in checked.report.properties {
        let word = match property.verdict {
            Verdict::Holds => "holds",
            Verdict::Violated => "violated",
            Verdict::Unknown(Reason::StateLimit) => return Err("too many states".to_string()),
            Verdict::Unknown(reason) => panic!("`{}` is unknown: {reason}\n{}", property.name, text_of(path)),
        };
        found.push((property.name, word));
    }
    Ok(found)
}

fn text_of(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

/// Checks the model in all ways; false where it cannot be read.
fn agrees(path: &Path, text: &str) -> bool {
    if let Err(error) = std::fs::write(path, text) {
        panic!("the model cannot be written: {error}");
    }
    let Ok(plain) = verdicts(path, &options(PartialOrder::Off, false)) else { return false };
    for (partial_order, optimise) in [
        (PartialOrder::Inside, true),
        (PartialOrder::Off, true),
        (PartialOrder::Inside, false),
        (PartialOrder::Sticky, true),
    ] {
        let found = verdicts(path, &options(partial_order, optimise));
        assert_eq!(
            Ok(&plain),
            found.as_ref(),
            "partial order {partial_order:?}, merging {optimise}, against neither:\n{text}"
        );
    }
    true
}

fn model(sequence: &str, context: &str, continuation: &str, others: &str) -> String {
    let body = context.replace('S', sequence);
    format!(
        "byte g; chan c = [1] of {{ byte }}; chan r = [0] of {{ byte }};\n\
         proctype C() {{ skip }}\n\
         active proctype A() {{ byte l; {body}{continuation} }}\n\
         {others}\n{PROPERTIES}\n"
    )
}

/// One in `stride` of all models, from `from` on; how many were read.
fn walk(kind: &str, from: usize, stride: usize) -> (usize, usize) {
    let path: PathBuf =
        std::env::temp_dir().join(format!("probity-endings-{kind}-{from}-{}.pml", std::process::id()));
    let others = [
        "active proctype B() { false }",
        "active proctype B() { r!1 }",
        "active proctype B() { byte k; atomic { r?k; k = 0 }; g = 3 }",
    ];
    let (mut number, mut read, mut tried) = (0, 0, 0);
    let mut each = |ending: &str, contexts: &[&str]| {
        let continuations =
            if ending.contains("out") { TARGETS.to_vec() } else { [CONTINUATIONS, &TARGETS[..1]].concat() };
        for beginning in BEGINNINGS {
            for context in contexts {
                for continuation in &continuations {
                    for other in others {
                        number += 1;
                        if number % stride != from {
                            continue;
                        }
                        let sequence = format!("{kind} {{ {beginning}{ending} }}");
                        tried += 1;
                        let text = model(&sequence, context, continuation, other);
                        read += usize::from(agrees(&path, &text));
                    }
                }
            }
        }
    };
    for ending in ENDINGS {
        each(ending, CONTEXTS);
    }
    for ending in BREAKS {
        each(ending, LOOPS);
    }
    let _ = std::fs::remove_file(&path);
    (read, tried)
}

/// All models are many: a prime stride takes a different part of every combination, and
/// `PROBITY_SLOW_TESTS` takes them all. In halves, so that they run side by side.
fn half(kind: &str, half: usize, stride: usize) {
    let all = std::env::var_os("PROBITY_SLOW_TESTS").is_some();
    let (from, stride) = if all { (half, 2) } else { (half * (stride / 2), stride) };
    let (read, tried) = walk(kind, from, stride);
    assert!(tried > 100 && read * 2 > tried, "only {read} of {tried} models could be read");
}

#[test]
fn atomic_sequences_end_the_same_with_and_without_merging() {
    half("atomic", 0, 89);
}

#[test]
fn more_atomic_sequences_end_the_same_with_and_without_merging() {
    half("atomic", 1, 89);
}

#[test]
fn deterministic_steps_end_the_same_with_and_without_merging() {
    half("d_step", 0, 251);
}

#[test]
fn more_deterministic_steps_end_the_same_with_and_without_merging() {
    half("d_step", 1, 251);
}
