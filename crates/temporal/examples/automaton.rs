//! Prints the automaton of a formula: `automaton FORMULA [hoa|never|dot|svg|sizes] [tgba|sgba|tba|sba] [spin|spot]`.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::process::ExitCode;

use temporal::{
    AcceptanceKind, Dialect, FormulaStore, classify, display, formula_stutter_invariance, parse, simplify,
    translate, write_dot, write_hoa, write_never_claim, write_svg,
};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(text) = arguments.first() else {
        eprintln!("usage: automaton FORMULA [hoa|never|dot|svg|sizes] [tgba|sgba|tba|sba] [spin|spot]");
        return ExitCode::from(3);
    };
    let has = |word: &str| arguments[1..].iter().any(|argument| argument == word);
    let dialect = if has("spin") { Dialect::Spin } else { Dialect::Spot };
    let kind = match () {
        () if has("sgba") => AcceptanceKind::Sgba,
        () if has("tba") => AcceptanceKind::Tba,
        () if has("sba") || has("never") => AcceptanceKind::Sba,
        () => AcceptanceKind::Tgba,
    };
    let mut store = FormulaStore::new();
    let (formula, diagnostics) = parse(&mut store, source::FileId(0), text, dialect);
    for diagnostic in &diagnostics {
        eprintln!("{}: {}", diagnostic.code, diagnostic.message);
    }
    if diagnostics.iter().any(|diagnostic| diagnostic.is_error()) {
        return ExitCode::from(3);
    }
    let automaton = match translate(&mut store, formula, kind) {
        Ok(automaton) => automaton,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    if has("never") {
        print!("{}", write_never_claim(&automaton).unwrap_or_default());
    } else if has("dot") {
        print!("{}", write_dot(&automaton));
    } else if has("svg") {
        print!("{}", write_svg(&automaton).unwrap_or_default());
    } else if has("sizes") {
        let simple = simplify(&mut store, formula);
        println!("{}", display(&store, simple, dialect));
        println!("{:#?}", classify(&automaton));
        println!("{:?}", formula_stutter_invariance(&mut store, formula));
    } else {
        print!("{}", write_hoa(&automaton));
    }
    ExitCode::SUCCESS
}
