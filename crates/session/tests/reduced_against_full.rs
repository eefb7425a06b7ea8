//! Random models with random formulas: every partial-order reduction gives the answers of the full search.
//!
//! The models are made of what a reduction looks at: private and shared variables, channels with one reader and one
//! writer and with several, conditions that join private parts with the state of channels, atomic sequences and
//! deterministic steps with channel operations in them, escapes, `else`, `timeout`, processes that create others.

use std::path::{Path, PathBuf};

use search::Algorithm;
use session::{CheckOptions, PartialOrder, PropertySelection, Reductions};
use testing::Random;
use verdict::{Coverage, Limits, Reason, Silent, Verdict};

/// Where a statement stands. `process` decides which channels it uses.
#[derive(Clone, Copy)]
struct Place {
    process: usize,
    depth: u32,
    in_loop: bool,
    in_step: bool,
}

const PRIVATE: &[&str] =
    &["t = 1 - t", "t = 0", "t = 1", "u = t", "u = (u + 1) % 3", "skip", "own = 1 - own", "u = own"];
const SHARED: &[&str] = &[
    "x = 1 - x",
    "y = 1 - y",
    "x = t",
    "y = u",
    "x = 1",
    "y = 0",
    "x == 1",
    "y == 0",
    "z = u",
    "z == 1",
    "x = z",
];
const ASSERTIONS: &[&str] =
    &["assert(t < 2)", "assert(u < 2)", "assert(x + y < 2)", "assert(x == 0 || u == 0)"];
/// The first process sends to `c0` and `c1` alone and receives from `c3` alone; the others are at the other ends.
const FIRST: &[&str] = &["c0!t", "c0!1", "c1!t", "c1!0", "c2!t", "c3?t", "c3?u", "nfull(c0) && u == 0"];
const OTHERS: &[&str] =
    &["c0?t", "c0?u", "c0?1", "c1?t", "c1?u", "c2?u", "c3!t", "c3!1", "nempty(c1) && t == 0"];
const CHANNELS: &[&str] = &[
    "c2!t",
    "c2?u",
    "h!1",
    "h?t",
    "c0?[1] -> skip",
    "len(c1) < 1",
    "nempty(c0)",
    "nfull(c1)",
    "empty(c2)",
    "t == 0 && nempty(c0)",
    "nfull(c0) && u == 0",
    "nempty(c1) || t == 1",
    "nempty(c0) && nfull(c1)",
    "timeout",
];
const GUARDS: &[&str] =
    &["", "", "t == 0 -> ", "u == 1 -> ", "x == 1 -> ", "nempty(c0) -> ", "nfull(c1) && t == 0 -> "];

fn simple(random: &mut Random, place: Place) -> String {
    let texts = match random.below(100) {
        0..12 if place.in_loop => return "break".to_string(),
        0..50 => PRIVATE,
        50..62 if !place.in_step && place.process == 0 => FIRST,
        50..62 if !place.in_step => OTHERS,
        62..66 if !place.in_step => CHANNELS,
        70..74 => ASSERTIONS,
        _ => SHARED,
    };
    random.word(texts).replace("own", &format!("own{}", place.process))
}

fn statement(random: &mut Random, place: Place) -> String {
    if place.depth == 0 {
        return simple(random, place);
    }
    let inner = Place { depth: place.depth - 1, ..place };
    match random.below(12) {
        0 | 1 => format!("do {} od", options(random, Place { in_loop: true, ..inner })),
        2 => format!("if {} fi", options(random, inner)),
        3 | 4 if !place.in_step => format!("atomic {{ {} }}", sequence(random, inner)),
        5 => format!("d_step {{ {} }}", sequence(random, Place { in_loop: false, in_step: true, ..inner })),
        6 if !place.in_step && random.chance(1, 2) => {
            let escape = random.word(&["t == 1", "x == 1", "c0?t", "nempty(c1)"]);
            format!("{{ {} }} unless {{ {escape} }}", sequence(random, inner))
        }
        _ => simple(random, place),
    }
}

fn options(random: &mut Random, place: Place) -> String {
    let mut texts = Vec::new();
    for _ in 0..=random.below(3) {
        texts.push(format!(":: {}{}", random.word(GUARDS), sequence(random, place)));
    }
    if random.chance(1, 3) {
        let leaves = place.in_loop && random.chance(1, 2);
        texts.push(if leaves { ":: else -> break" } else { ":: else" }.to_string());
    }
    texts.join(" ")
}

fn sequence(random: &mut Random, place: Place) -> String {
    (0..=random.below(3)).map(|_| statement(random, place)).collect::<Vec<_>>().join("; ")
}

fn formula(random: &mut Random, depth: u32) -> String {
    if depth == 0 {
        return random.word(&["(x == 1)", "(y == 1)", "(x == 0)", "(y == 0)", "(z == 1)"]).to_string();
    }
    let (left, right) = (formula(random, depth - 1), formula(random, depth - 1));
    match random.below(8) {
        0 => format!("[] ({left})"),
        1 => format!("<> ({left})"),
        2 => format!("(({left}) U ({right}))"),
        3 => format!("(({left}) -> ({right}))"),
        4 => format!("(({left}) && ({right}))"),
        5 => format!("!({left})"),
        6 => format!("[] <> ({left})"),
        _ => format!("<> [] ({left})"),
    }
}

fn model(random: &mut Random) -> String {
    let mut text = format!(
        "bit x, y; byte z; bit own0, own1, own2, own3;\n\
         chan c0 = [{}] of {{ bit }}; chan c1 = [1] of {{ bit }}; chan c2 = [2] of {{ bit }};\n\
         chan c3 = [1] of {{ bit }}; chan h = [0] of {{ bit }};\n",
        1 + random.below(2)
    );
    let creates = random.chance(1, 5);
    if creates {
        let place = Place { process: 3, depth: 1, in_loop: false, in_step: false };
        text.push_str(&format!("proctype W(bit a) {{ bit t; byte u; {} }}\n", sequence(random, place)));
    }
    for process in 0..2 + usize::from(random.chance(1, 3)) {
        let place = Place { process, depth: 3, in_loop: false, in_step: false };
        let mut body = sequence(random, place);
        if random.chance(1, 3) {
            let label = random.word(&["progress", "accept", "end"]);
            body = format!("{label}{process}: {body}");
        }
        if random.chance(1, 2) {
            body = format!("do :: {body} od");
        }
        if creates && random.chance(1, 2) {
            body = format!("run W(0); {body}");
        }
        text.push_str(&format!("active proctype A{process}() {{ bit t; byte u; {body} }}\n"));
    }
    for number in 0..4 {
        let depth = 1 + random.below(3) as u32;
        text.push_str(&format!("ltl f{number} {{ {} }}\n", formula(random, depth)));
    }
    text
}

/// What is asked besides the formulas of the model.
#[derive(Clone, Copy, Debug)]
struct Asked {
    partial_order: PartialOrder,
    optimise: bool,
    algorithm: Option<Algorithm>,
    shortest: bool,
    progress: bool,
    coverage: bool,
}

/// Larger models are left out: they would be most of the work.
const MOST_STATES: u64 = 5_000;

/// Verdicts by property, and what was executed.
type Found = (Vec<(String, Verdict)>, Option<Coverage>);

fn check(path: &Path, asked: Asked) -> Result<Found, String> {
    let options = CheckOptions {
        selection: PropertySelection { progress: asked.progress, ..PropertySelection::default() },
        algorithm: asked.algorithm,
        reductions: Reductions { partial_order: asked.partial_order, optimise: asked.optimise },
        all_errors: true,
        coverage: asked.coverage,
        shortest: asked.shortest,
        limits: Limits { max_states: Some(MOST_STATES), ..Limits::default() },
        ..CheckOptions::default()
    };
    let checked = session::check(path, &options, &mut Silent).map_err(|failure| {
        format!(
            "{:?} {:?}",
            failure.message,
            failure.diagnostics.iter().map(|d| &d.message).collect::<Vec<_>>()
        )
    })?;
    let reports = checked.report.properties.into_iter().map(|property| (property.name, property.verdict));
    Ok((reports.collect(), checked.report.coverage))
}

/// Compares the reductions with the full search; false where the model is not read or too large.
fn agrees(path: &Path, text: &str, number: u64) -> bool {
    if let Err(error) = std::fs::write(path, text) {
        panic!("the model cannot be written: {error}");
    }
    let full = Asked {
        partial_order: PartialOrder::Off,
        optimise: true,
        algorithm: None,
        shortest: false,
        progress: number.is_multiple_of(3),
        coverage: number.is_multiple_of(5),
    };
    let Ok((expected, coverage)) = check(path, full) else { return false };
    if expected.iter().any(|(_, verdict)| matches!(verdict, Verdict::Unknown(Reason::StateLimit))) {
        return false;
    }
    let algorithms = [Algorithm::NestedDfs, Algorithm::SetBasedScc, Algorithm::WeakDfs, Algorithm::Bfs];
    let inside = Asked { partial_order: PartialOrder::Inside, ..full };
    let ways = [
        inside,
        Asked { algorithm: Some(algorithms[(number % 4) as usize]), ..inside },
        Asked { optimise: false, ..inside },
        Asked { shortest: true, ..inside },
        Asked { partial_order: PartialOrder::Sticky, ..full },
    ];
    for way in ways {
        let (found, executed) = match check(path, way) {
            Ok(found) => found,
            Err(error) => panic!("{way:?}: {error}\n{text}"),
        };
        assert_eq!(expected, found, "{way:?}\n{text}");
        assert_eq!(coverage, executed, "{way:?}\n{text}");
    }
    true
}

#[test]
fn reductions_agree_with_the_full_search() {
    let is_long = std::env::var_os("PROBITY_SLOW_TESTS").is_some();
    let models = if is_long { 3_000 } else { 40 };
    let seed = std::env::var("PROBITY_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(1_u64);
    let mut random = Random::new(seed);
    let path: PathBuf = std::env::temp_dir().join(format!("probity-reduced-{}.pml", std::process::id()));
    let mut compared = 0;
    for number in 0..models {
        compared += u64::from(agrees(&path, &model(&mut random), number));
    }
    let _ = std::fs::remove_file(&path);
    assert!(compared * 2 > models, "only {compared} of {models} models were compared");
}
