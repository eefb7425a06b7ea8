//! Formulas in the notation of the command line, for languages that have none of their own.

use model::{AtomId, Ltl, read_ltl};
use source::{Diagnostic, FileId, Span};

fn read(text: &str) -> Result<Ltl, Vec<Diagnostic>> {
    let place = Span::new(FileId(3), 10, 10 + text.len());
    read_ltl(place, text, &mut |name| match name.as_bytes() {
        [letter @ b'a'..=b'z'] => Ok(AtomId(u32::from(letter - b'a'))),
        _ => Err(Diagnostic::error("test.atom", place, format!("no condition `{name}`"))),
    })
}

fn atom(number: u32) -> Box<Ltl> {
    Box::new(Ltl::Atom(AtomId(number)))
}

#[test]
fn operators_are_read() {
    let cases = [
        ("true", Ltl::Constant(true)),
        ("a U b", Ltl::Until(atom(0), atom(1))),
        ("a V b", Ltl::Release(atom(0), atom(1))),
        ("a W b", Ltl::WeakUntil(atom(0), atom(1))),
        ("[] a", Ltl::Always(atom(0))),
        ("<> a", Ltl::Eventually(atom(0))),
        ("X a", Ltl::Next(atom(0))),
        ("!a", Ltl::Not(atom(0))),
        ("a -> b", Ltl::Implies(atom(0), atom(1))),
        ("a <-> b", Ltl::Equivalent(atom(0), atom(1))),
        ("a && b", Ltl::And(atom(0), atom(1))),
        ("a || b", Ltl::Or(atom(0), atom(1))),
        ("[] <> {c}", Ltl::Always(Box::new(Ltl::Eventually(atom(2))))),
    ];
    for (text, expected) in cases {
        assert_eq!(read(text), Ok(expected), "{text}");
    }
}

#[test]
fn errors_are_at_the_place_of_the_text() {
    let Err(diagnostics) = read("[] (a") else { panic!("a parenthesis is missing") };
    assert_eq!(diagnostics[0].span().map(|span| (span.file, span.start)), Some((FileId(3), 13)));
    let Err(diagnostics) = read("a && {no such} && what") else { panic!("there are unknown conditions") };
    assert_eq!(diagnostics.len(), 2);
    assert_eq!(diagnostics[0].message, "no condition `no such`");
}
