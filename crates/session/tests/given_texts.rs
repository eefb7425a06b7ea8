//! What is trusted is decided by where a text comes from, not by what it is called.

use session::{ProgramOptions, ProgramText, Registry, VerifyOptions};
use verdict::{ProofReport, Silent};

fn verify(name: &str, text: &str) -> ProofReport {
    let language = Registry::standard().language_of_program(text).expect("there are languages");
    let text = ProgramText { name: name.to_string(), text: text.into(), language };
    let loaded = session::load_program(&[text], &ProgramOptions::default());
    let loaded = loaded.unwrap_or_else(|failure| panic!("{:?} {:?}", failure.message, failure.diagnostics));
    let solver = session::find_solver(None).unwrap_or_else(|error| panic!("{error}"));
    let report = session::verify(&loaded, &VerifyOptions::new(solver), &Silent);
    report.unwrap_or_else(|failure| panic!("{:?}", failure.message))
}

/// Files of the library are called `<decreases/int.vpr>`, and so may files of anybody be.
#[test]
fn a_name_hides_no_assumption() {
    let axiom = "domain D { function d(): Int axiom { d() > 0 } } method m() { assert d() > 0 }";
    let function = "function f(): Int ensures result > 0 method m() { assert f() > 0 }";
    let class = "class C { ensures \\result > 0; int n(); void m() { int x = n(); assert x > 0; } }";
    for text in [axiom, function, class] {
        for name in ["a", "<a>", "<decreases/int.vpr>"] {
            let report = verify(name, text);
            assert_eq!(report.assumptions().len(), 1, "{name}: {:?}", report.assumptions());
        }
    }
}

/// The library itself is part of the language.
#[test]
fn the_library_is_no_assumption() {
    let text = "import <decreases/int.vpr> function f(n: Int): Int decreases n { n <= 0 ? 0 : f(n - 1) }";
    assert!(verify("a", text).assumptions().is_empty());
}
