//! Scores the translation against the sizes that another translator reached.
//!
//! `score SIZES.tsv` prints, per formula set, the total number of states beside the reference, the worst
//! formulas and the slowest one; a file without tabs is a list of formulas without reference. `score --words N SIZES.tsv` compares, per set, at least N random lassos with the
//! direct evaluation of the formulas. `score --random N` does so for N random formulas over two atoms and all
//! short lassos.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Instant;

use temporal::{AcceptanceKind, Dialect, Formula, FormulaStore, Lasso, accepts, evaluate, parse, translate};

struct Row {
    set: String,
    formula: String,
    negated: bool,
    reference: [u64; 2],
}

fn rows(text: &str) -> Vec<Row> {
    if !text.contains('\t') {
        let formulas = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
        let row = |formula: &str| Row {
            set: "formulas".to_owned(),
            negated: false,
            formula: formula.to_owned(),
            reference: [0, 0],
        };
        return formulas.map(row).collect();
    }
    let header: Vec<&str> = text.lines().next().unwrap_or("").split('\t').collect();
    let column = |name: &str| header.iter().position(|field| *field == name);
    let columns =
        ["set", "negated", "formula", "tgba_states", "B_states"].map(|name| column(name).unwrap_or(0));
    let read = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let field = |index: usize| fields.get(columns[index]).copied().unwrap_or("");
        Row {
            set: field(0).to_owned(),
            negated: field(1) == "1",
            formula: field(2).to_owned(),
            reference: [field(3), field(4)].map(|number| number.parse().unwrap_or(0)),
        }
    };
    text.lines().skip(1).filter(|line| !line.trim().is_empty()).map(read).collect()
}

/// Reads a row's formula; `and-fg(n)` stands for the conjunction of `F G p_i` for `i` up to `n`.
fn formula(store: &mut FormulaStore, row: &Row) -> Option<Formula> {
    let count = row.formula.strip_prefix("and-fg(").and_then(|rest| rest.strip_suffix(')'));
    let text = match count.and_then(|count| count.parse::<u32>().ok()) {
        Some(count) => (1..=count).map(|i| format!("FGp{i}")).collect::<Vec<_>>().join(" & "),
        None => row.formula.clone(),
    };
    let (formula, diagnostics) = parse(store, source::FileId(0), &text, Dialect::Spot);
    for diagnostic in &diagnostics {
        println!("{text}: {}", diagnostic.message);
    }
    if diagnostics.iter().any(|diagnostic| diagnostic.is_error()) {
        return None;
    }
    Some(if row.negated { store.not(formula) } else { formula })
}

fn main() -> ExitCode {
    let mut words = 0;
    let mut verbose = false;
    let mut path = None;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--words" => words = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(100_000),
            "--random" => {
                let count = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(10_000);
                return compare_random(count);
            }
            "--all" => verbose = true,
            _ => path = Some(argument),
        }
    }
    let Some(path) = path else {
        eprintln!("usage: score [--all] [--words N] SIZES.tsv");
        return ExitCode::from(3);
    };
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("{path}: {error}");
            return ExitCode::from(3);
        }
    };
    let rows = rows(&text);
    if words > 0 { compare_words(&rows, words) } else { compare_sizes(&rows, verbose) }
}

fn compare_sizes(rows: &[Row], verbose: bool) -> ExitCode {
    let mut totals: BTreeMap<String, [u64; 5]> = BTreeMap::new();
    let mut offenders: Vec<(i64, String)> = Vec::new();
    let mut slowest = (0.0, String::new());
    let mut all_seconds = 0.0;
    for row in rows {
        let mut store = FormulaStore::new();
        let Some(formula) = formula(&mut store, row) else { continue };
        let name = format!("{}{} {}", row.set, if row.negated { " neg" } else { "" }, row.formula);
        let mut sizes = [0, 0];
        if verbose {
            eprintln!("{name}");
        }
        for (index, kind) in [AcceptanceKind::Tgba, AcceptanceKind::Sba].into_iter().enumerate() {
            let start = Instant::now();
            match translate(&mut store, formula, kind) {
                Ok(automaton) => sizes[index] = automaton.states.len() as u64,
                Err(error) => println!("{name}: {error:?}"),
            }
            let seconds = start.elapsed().as_secs_f64();
            all_seconds += seconds;
            if seconds > slowest.0 {
                slowest = (seconds, name.clone());
            }
        }
        let key = format!("{}{}", row.set, if row.negated { " negated" } else { "" });
        for key in [key, "zz total".to_owned()] {
            let total = totals.entry(key).or_default();
            total[0] += 1;
            total[1] += sizes[0];
            total[2] += row.reference[0];
            total[3] += sizes[1];
            total[4] += row.reference[1];
        }
        let worse = (sizes[0] as i64 - row.reference[0] as i64) + (sizes[1] as i64 - row.reference[1] as i64);
        if worse != 0 || verbose {
            let text = format!(
                "TGBA {} ({}), BA {} ({})  {name}",
                sizes[0], row.reference[0], sizes[1], row.reference[1]
            );
            offenders.push((worse, text));
        }
    }
    println!("{:<24} {:>8} {:>6} {:>6} {:>6} {:>6}", "set", "formulas", "TGBA", "ref", "BA", "ref");
    for (key, t) in &totals {
        println!(
            "{:<24} {:>8} {:>6} {:>6} {:>6} {:>6}",
            key.trim_start_matches("zz "),
            t[0],
            t[1],
            t[2],
            t[3],
            t[4]
        );
    }
    println!("total {all_seconds:.3} s, slowest {:.3} s: {}", slowest.0, slowest.1);
    offenders.sort_by_key(|(worse, _)| -worse);
    let shown = if verbose { offenders.len() } else { 40 };
    for (worse, text) in offenders.iter().take(shown).filter(|(worse, _)| verbose || *worse > 0) {
        println!("{worse:+} {text}");
    }
    ExitCode::SUCCESS
}

/// A small generator (xorshift), so that the words are the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

fn compare_words(rows: &[Row], words: u64) -> ExitCode {
    let mut sets: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        sets.entry(&row.set).or_default().push(row);
    }
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut disagreements = 0;
    for (set, rows) in sets {
        let per_formula = words.div_ceil(rows.len() as u64);
        let (mut tried, mut satisfied) = (0u64, 0u64);
        for row in rows {
            let mut store = FormulaStore::new();
            let Some(formula) = formula(&mut store, row) else { continue };
            let kinds =
                [AcceptanceKind::Tgba, AcceptanceKind::Sgba, AcceptanceKind::Tba, AcceptanceKind::Sba];
            let automata: Vec<_> =
                kinds.iter().filter_map(|kind| translate(&mut store, formula, *kind).ok()).collect();
            let atoms = store.propositions().len() as u32;
            let places: Vec<u32> = store.atoms(formula).iter().map(|atom| atom.0).collect();
            for _ in 0..per_formula {
                let word = random_word(&mut random, atoms);
                let expected = evaluate(&store, formula, &word);
                tried += 1;
                satisfied += expected as u64;
                for automaton in &automata {
                    if accepts(automaton, &projected(&word, &places)) != expected {
                        disagreements += 1;
                        println!("{set} {} {:?}: {word:?} expected {expected}", row.formula, automaton.kind);
                    }
                }
            }
        }
        println!("{set}: {tried} words, {satisfied} of them satisfy their formula");
    }
    println!("{disagreements} disagreements");
    if disagreements == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn random_formula(random: &mut Random, store: &mut FormulaStore, size: u64) -> Formula {
    if size <= 1 {
        let atom = store.atom(temporal::Atom((random.next() % 2) as u32));
        return if random.next().is_multiple_of(3) { store.not(atom) } else { atom };
    }
    let choice = random.next() % 14;
    if choice < 5 {
        let a = random_formula(random, store, size - 1);
        return match choice {
            0 => store.not(a),
            1 | 2 => store.next(a),
            3 => store.eventually(a),
            _ => store.always(a),
        };
    }
    let left = 1 + random.next() % (size - 1).max(1);
    let a = random_formula(random, store, left);
    let b = random_formula(random, store, (size - 1).saturating_sub(left).max(1));
    match choice {
        5 | 6 => store.and([a, b]),
        7 | 8 => store.or([a, b]),
        9 => store.until(a, b),
        10 => store.release(a, b),
        11 => store.weak_until(a, b),
        12 => store.strong_release(a, b),
        _ => store.equivalent(a, b),
    }
}

fn compare_random(count: u64) -> ExitCode {
    let words: Vec<Lasso> = [0usize, 1, 2]
        .into_iter()
        .flat_map(|stem| [1usize, 2, 3].into_iter().map(move |cycle| (stem, cycle)))
        .flat_map(|(stem, cycle)| {
            (0..1u64 << (2 * (stem + cycle))).map(move |code| {
                let letter = |index: usize| code >> (2 * index) & 3;
                Lasso {
                    stem: (0..stem).map(letter).collect(),
                    cycle: (stem..stem + cycle).map(letter).collect(),
                }
            })
        })
        .collect();
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    let (mut disagreements, mut states, mut slowest) = (0u64, 0usize, (0.0, String::new()));
    for round in 0..count {
        let mut store = FormulaStore::with_propositions(["a", "b"]);
        let formula = random_formula(&mut random, &mut store, 4 + round % 16);
        let text = temporal::display(&store, formula, Dialect::Spot).to_string();
        let places: Vec<u32> = store.atoms(formula).iter().map(|atom| atom.0).collect();
        let expected: Vec<bool> = words.iter().map(|word| evaluate(&store, formula, word)).collect();
        for kind in [AcceptanceKind::Tgba, AcceptanceKind::Sgba, AcceptanceKind::Tba, AcceptanceKind::Sba] {
            let start = Instant::now();
            let Ok(automaton) = translate(&mut store, formula, kind) else {
                println!("{text}: no automaton");
                continue;
            };
            let seconds = start.elapsed().as_secs_f64();
            if seconds > slowest.0 {
                slowest = (seconds, text.clone());
            }
            states += automaton.states.len();
            for (word, expected) in words.iter().zip(&expected) {
                if accepts(&automaton, &projected(word, &places)) != *expected {
                    disagreements += 1;
                    println!("{text} {kind:?}: {word:?} expected {expected}");
                    break;
                }
            }
        }
    }
    println!(
        "{count} formulas, {} words each, {states} states in all, {disagreements} disagreements",
        words.len()
    );
    println!("slowest {:.3} s: {}", slowest.0, slowest.1);
    if disagreements == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The word as an automaton reads it whose propositions are the atoms at the given places.
fn projected(word: &Lasso, places: &[u32]) -> Lasso {
    let letter = |letter: &u64| {
        places.iter().enumerate().fold(0, |mask, (bit, place)| mask | (letter >> place & 1) << bit)
    };
    Lasso { stem: word.stem.iter().map(letter).collect(), cycle: word.cycle.iter().map(letter).collect() }
}

/// Letters are biased per word, so that rare events and long constancy both happen.
fn random_word(random: &mut Random, atoms: u32) -> Lasso {
    let mask = if atoms >= 64 { u64::MAX } else { (1 << atoms) - 1 };
    let bias = random.next() % 5;
    let mut previous = random.next() & mask;
    let mut letter = |random: &mut Random| {
        let (a, b) = (random.next(), random.next());
        previous = match bias {
            0 => a,
            1 => a & b,
            2 => a | b,
            3 => previous ^ (a & b & random.next()),
            _ => previous ^ (1 << (a % 64)),
        } & mask;
        previous
    };
    let stem = random.next() % 6;
    let cycle = 1 + random.next() % 5;
    Lasso {
        stem: (0..stem).map(|_| letter(random)).collect(),
        cycle: (0..cycle).map(|_| letter(random)).collect(),
    }
}
