//! Mutated models, options and formulas must not make reading, evaluating, solving or exploring panic, hang or overflow.
//!
//! Each input is a model with what is asked of it: texts of `--process`, `--for`, `--where` and `--ltl`, all of them mutated.
//! What reads is explored for a few states, and every process is tried with small values. By default a fixed number of
//! inputs; `PROBITY_FUZZ_SECONDS` makes it a longer run, `PROBITY_FUZZ_SEED` another one.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use process::{Explorer, ProcessId, Question, Successor};
use pvl::models::{Request, read};
use pvl::syntax::tree::Dialect;
use source::SourceMap;
use testing::{Random, files_below};

const INPUTS: u64 = 1_500;
/// States that are looked at of each process.
const STATES: usize = 40;
/// An input that takes longer hangs.
const LONG: Duration = Duration::from_secs(60);
/// As much as the first thread of a program has.
const STACK: usize = 8 << 20;

/// Parts of models and of options.
const SPICE: &[&str] = &[
    "\\delta",
    "\\iter(",
    "(\\sum int x; true; ",
    "(\\sum int x = 0 .. 3; ",
    "(\\par int i = 0 .. n; ",
    "empty",
    " || ",
    " + ",
    " * ",
    " ? ",
    " : ",
    "\\old(",
    "\\did(",
    "\\ended",
    "[] ",
    "<> ",
    " U ",
    " W ",
    " X ",
    " -> ",
    "!",
    "0",
    "1",
    "-1",
    "2147483648",
    "9223372036854775807",
    "340282366920938463463374607431768211456",
    "n",
    "x",
    "vs",
    "xs",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "|",
    "..",
    "seq<int>{",
    "set<int>{1, 2}",
    "map<int, int>{}",
    "Some(1)",
    "None",
    "(\\forall int i; ",
    "(\\exists int i; ",
    "permutations(0..4)",
    "sequences(2, 0..3)",
    "permutations(0..40)",
    "0..1000000000",
    "{1, 2}",
    " in ",
    " && ",
    " == ",
    " != ",
    " < ",
    " / ",
    " % ",
    "requires true;",
    "ensures x == 1;",
    "ensures true;",
    "modifies x;",
    "accessible x;",
    "decreases n;",
    "action a(int n);",
    "process Q(int n) = ",
    "ltl f { ",
    "int y;",
    "seq<seq<int>> c;",
    "tuple<int, int> t;",
    "option<int> o;",
    "bag<int> b;",
    "map<int, int> m;",
    "Two(n, k)",
    "P(1)",
    "max(",
    "pure int f(int n) = 0 < n ? f(n - 1) + f(n - 1) : 1;",
    "f(100)",
    "xs[0]",
    "xs.head",
    "xs.tail",
    "|xs|",
];

/// Changes a text in a few places: bytes go, come twice, or make room for parts of models.
fn mutate(random: &mut Random, text: &str, most: usize) -> String {
    let mut text = text.to_string();
    for _ in 0..random.below(most + 1) {
        let mut places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        places.push(text.len());
        let from = places[random.below(places.len())];
        let until =
            places[(places.partition_point(|at| *at <= from) + random.below(12)).min(places.len() - 1)];
        let until = until.max(from);
        match random.below(4) {
            0 => text.replace_range(from..until, ""),
            1 => text.insert_str(from, SPICE[random.below(SPICE.len())]),
            2 => text.replace_range(from..until, SPICE[random.below(SPICE.len())]),
            _ => {
                let part = text[from..until].to_string();
                text.insert_str(places[random.below(places.len())], &part);
            }
        }
    }
    text
}

/// Models with something that can be asked of them.
const ASKED: &[(&str, &[&str])] = &[
    ("ParElect(vs)", &["n in 1..4", "vs in permutations(0..n)"]),
    ("Two(n, k)", &["n in 0..3", "k in 0..3"]),
    ("OG(n)", &["n in 0..3", "x in 0..2"]),
    ("All(n)", &["n in {2}"]),
    ("P(xs)", &["xs in sequences(2, 0..3)"]),
];

/// Looks at a few states; what cannot be explored says why.
fn walk(explorer: &mut Explorer<'_>) -> Result<(), String> {
    let mut work = explorer.initial()?;
    work.truncate(STATES);
    let mut successors: Vec<Successor> = Vec::new();
    let mut looked = 0;
    while let Some(state) = work.pop() {
        looked += 1;
        if looked > STATES {
            break;
        }
        explorer.successors(&state, &mut successors)?;
        for successor in &successors {
            explorer.text(&successor.step);
        }
        if explorer.may_end(&state)? {
            explorer.failing(&state)?;
        }
        explorer.term(&state);
        explorer.blocked(&state);
        work.extend(successors.drain(..).map(|successor| successor.words));
    }
    Ok(())
}

/// One input; how many processes were explored.
fn try_input(text: &str, request: &Request, formula: &str) -> usize {
    let mut map = SourceMap::default();
    let file = map.add("model.pvl", text);
    let Ok(reading) = read(&mut map, file, Dialect::New, request) else { return 0 };
    let _ = reading.formula(&mut map, formula);
    let (model, foreign) = (&reading.converted.model, &reading.converted.foreign);
    let mut explored = 0;
    if let Ok(mut explorer) = Explorer::new(model, foreign, &reading.question) {
        explored += usize::from(walk(&mut explorer).is_ok());
    }
    for process in 0..model.processes.len() {
        let question = Question::small(model, ProcessId(process as u32), 1);
        if let Ok(mut explorer) = Explorer::new(model, foreign, &question) {
            explored += usize::from(walk(&mut explorer).is_ok());
        }
    }
    explored
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn mutated_models_and_options_end() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut seeds: Vec<String> = Vec::new();
    for folder in ["examples/models", "tests/corpus/pvl/models", "bench/processes"] {
        for path in files_below(&root.join(folder), &["pvl"]) {
            seeds.extend(std::fs::read_to_string(path).ok());
        }
    }
    assert!(seeds.len() > 5, "there are models to begin with");
    let seconds = number("PROBITY_FUZZ_SECONDS");
    let mut random = Random::new(number("PROBITY_FUZZ_SEED").unwrap_or(7));
    let explored = AtomicU64::new(0);
    let begin = Instant::now();
    let mut inputs = 0;
    loop {
        let is_over = match seconds {
            Some(seconds) => begin.elapsed() >= Duration::from_secs(seconds),
            None => inputs >= INPUTS,
        };
        if is_over {
            break;
        }
        inputs += 1;
        let seed = &seeds[random.below(seeds.len())];
        let most = [0, 1, 3, 8][random.below(4)];
        let text = mutate(&mut random, seed, most);
        let (process, ranges) = ASKED[random.below(ASKED.len())];
        let most = [0, 0, 1, 3][random.below(4)];
        let request = Request {
            process: Some(mutate(&mut random, process, most)),
            ranges: ranges.iter().map(|range| mutate(&mut random, range, most)).collect(),
            conditions: if most > 1 { vec![mutate(&mut random, "n < 2", most)] } else { Vec::new() },
        };
        let formula = mutate(&mut random, "[] (x <= 1 -> <> \\did(a(1)) U \\ended)", most + 1);
        let started = Instant::now();
        std::thread::scope(|scope| {
            let work = || {
                let found = try_input(&text, &request, &formula);
                explored.fetch_add(found as u64, Ordering::Relaxed);
            };
            let spawned = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
            let joined = spawned.map(|thread| thread.join());
            assert!(matches!(joined, Ok(Ok(()))), "a panic with {request:?}, {formula:?} and\n{text}");
        });
        assert!(started.elapsed() < LONG, "it hangs with {request:?}, {formula:?} and\n{text}");
    }
    let explored = explored.into_inner();
    // Not every model has a process of the names that are asked for.
    assert!(explored > inputs / 30, "only {explored} of {inputs} inputs got as far as exploration");
}
