//! Both notations: what is read, how it is grouped, and what is said about mistakes.

use expect_test::{Expect, expect};
use source::FileId;
use temporal::{Dialect, FormulaStore, display, parse, simplify};

/// Reads in one dialect and shows the result in Spot's notation, then the diagnostics.
fn check(dialect: Dialect, text: &str, expected: Expect) {
    let mut store = FormulaStore::new();
    let (formula, diagnostics) = parse(&mut store, FileId(0), text, dialect);
    let mut shown = display(&store, formula, Dialect::Spot).to_string();
    for diagnostic in diagnostics {
        let span = diagnostic.span().unwrap();
        shown.push_str(&format!(
            "\n{}..{} {}: {} ({})",
            span.start,
            span.end,
            diagnostic.code,
            diagnostic.message,
            diagnostic.help.unwrap_or_default()
        ));
    }
    expected.assert_eq(&shown);
}

#[test]
fn spin_associates_to_the_left() {
    check(Dialect::Spin, "a U b U c", expect!["(a U b) U c"]);
    check(Dialect::Spin, "a -> b -> c", expect!["(a -> b) -> c"]);
    check(Dialect::Spin, "a V b W c", expect!["(a R b) W c"]);
}

#[test]
fn spot_associates_to_the_right() {
    check(Dialect::Spot, "a U b U c", expect!["a U (b U c)"]);
    check(Dialect::Spot, "a -> b <-> c", expect!["a -> (b <-> c)"]);
    check(Dialect::Spot, "a M b R c", expect!["a M (b R c)"]);
}

#[test]
fn unary_operators_bind_strongest() {
    check(Dialect::Spin, "[] p U q && <> r", expect!["(G p U q) & F r"]);
    check(Dialect::Spot, "!F a U G b | X c & d -> e", expect!["((!F a U G b) | (X c & d)) -> e"]);
    check(Dialect::Spot, "a ^ b | c xor d & e", expect!["(a xor (b | c)) xor (d & e)"]);
}

#[test]
fn words_stand_for_operators_in_spin() {
    check(
        Dialect::Spin,
        "always (p implies eventually q) and not (a stronguntil b) or (c weakuntil d release next e)",
        expect!["(G (p -> F q) & !(a U b)) | ((c W d) R X e)"],
    );
}

#[test]
fn spin_operands_are_expressions() {
    check(
        Dialect::Spin,
        "[] (x == 2 -> <> (y + 1) * 3 >= len(q))",
        expect![[r#"G ("x == 2" -> F "(y + 1) * 3 >= len(q)")"#]],
    );
    check(
        Dialect::Spin,
        "<> (state[1].flag != 0 && P[2]@critical) U {a && b}",
        expect![[r#"F ("state[1].flag != 0" & "P[2]@critical") U "a && b""#]],
    );
    check(Dialect::Spin, "[] !(x<3) \\/ p /\\ 1", expect![[r#"G !"x<3" | p"#]]);
    check(Dialect::Spin, "[] (((p)))", expect!["G p"]);
}

/// The formula of a text with an error is not to be used: warnings in front of the error must not crowd it out.
#[test]
fn warnings_hide_no_errors() {
    let warned = vec!["! x == 2"; 50].join(" && ");
    let errors = |text: &str| {
        let (_, diagnostics) = parse(&mut FormulaStore::new(), FileId(0), text, Dialect::Spin);
        assert!(diagnostics.len() <= 40);
        diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).count()
    };
    assert_eq!(errors(&warned), 0);
    assert_ne!(errors(&format!("{warned} && (a U")), 0);
    assert_ne!(errors(&format!("{warned} && a b")), 0);
}

#[test]
fn a_unary_operator_before_a_comparison_is_pointed_out() {
    check(
        Dialect::Spin,
        "! x == 2",
        expect![[r#"
        !"x == 2"
        2..8 ltl.unary-before-expression: the unary operator is applied to this whole expression (put parentheses around the expression to say so)"#]],
    );
}

#[test]
fn spot_reads_bounded_operators() {
    check(Dialect::Spot, "X[3]a", expect!["X X X a"]);
    check(Dialect::Spot, "F[1..3] a & G[2:3] b", expect!["X (a | X (a | X a)) & X X (b & X b)"]);
    check(Dialect::Spot, "F[2..] a | X[!] b", expect!["X X F a | X b"]);
    check(
        Dialect::Spot,
        "F[x] a",
        expect![[r#"
        F a
        1..4 ltl.bad-bounds: these bounds have no meaning here (write X[2], F[1..3], F[2..], G[0..4])"#]],
    );
}

#[test]
fn spot_reads_operators_without_spaces() {
    check(Dialect::Spot, "GFp0 -> FGp1", expect!["G F p0 -> F G p1"]);
    check(Dialect::Spot, "p=1UXq=0", expect!["p U X !q"]);
    check(Dialect::Spot, "[]<>()a", expect!["G F X a"]);
}

#[test]
fn names_that_need_it_are_quoted() {
    check(
        Dialect::Spot,
        "G \"x == \\\"y\\\"\" U {z > 1} & \"U\"",
        expect![[r#"(G "x == \"y\"" U "z > 1") & "U""#]],
    );
    let mut store = FormulaStore::new();
    let (formula, _) = parse(&mut store, FileId(0), "F \"x == 2\" & \"U\" & \"a}b\"", Dialect::Spot);
    expect![[r#"<> {x == 2} && {U} && "a}b""#]]
        .assert_eq(&display(&store, formula, Dialect::Spin).to_string());
}

#[test]
fn several_mistakes_are_reported_at_once() {
    check(
        Dialect::Spot,
        "(a & ) | b c & (d U $",
        expect![[r#"
        a | b
        5..6 ltl.missing-operand: a formula is missing before `)` (an operand is a name, `true`, `false`, a formula in parentheses or an expression in braces)
        11..12 ltl.missing-operator: an operator is missing before `c` (join two formulas with an operator such as `&&`, `||`, `->` or `U`)
        15..16 ltl.unmatched-parenthesis: this `(` is never closed (add the missing `)`)
        20..21 ltl.unknown-character: the character `$` means nothing in a formula (operands other than names are written in quotes or in braces: {x == 2})
        21..21 ltl.missing-operand: a formula is missing before the end (an operand is a name, `true`, `false`, a formula in parentheses or an expression in braces)"#]],
    );
    check(
        Dialect::Spin,
        "G F p",
        expect![[r#"
        "G"
        2..3 ltl.missing-operator: an operator is missing before `F` (SPIN writes `<>` for F, `[]` for G and `V` for R; or read the formula in Spot's dialect)"#]],
    );
    check(
        Dialect::Spin,
        "",
        expect![[r#"
        1
        0..0 ltl.missing-operand: a formula is missing before the end (an operand is a name, `true`, `false`, a formula in parentheses or an expression in braces)"#]],
    );
    check(
        Dialect::Spot,
        "a)",
        expect![[r#"
        a
        1..2 ltl.unmatched-parenthesis: this `)` closes nothing (remove it or add the `(` it belongs to)"#]],
    );
    check(
        Dialect::Spot,
        "\"never closed",
        expect![[r#"
        "never closed"
        0..1 ltl.unterminated-operand: this operand is never closed: `"` is missing (close it with `"`)"#]],
    );
    check(
        Dialect::Spot,
        "{}",
        expect![[r#"
        1
        0..2 ltl.empty-operand: this operand is empty (write a name or an expression)"#]],
    );
}

#[test]
fn deep_nesting_is_refused_without_deep_recursion() {
    let help = "split the property into several smaller ones";
    for text in
        ["(".repeat(100_000), "a U b U ".repeat(100_000), "!(".repeat(50_000), "a->b->".repeat(100_000)]
    {
        for dialect in [Dialect::Spin, Dialect::Spot] {
            let mut store = FormulaStore::new();
            let (_, diagnostics) = parse(&mut store, FileId(0), &text, dialect);
            assert!(diagnostics.iter().any(|d| d.code == "ltl.too-deep" && d.help.as_deref() == Some(help)));
        }
    }
    // A long row of prefix operators is deep as well, but for those that cancel out.
    let mut store = FormulaStore::new();
    let (_, diagnostics) = parse(&mut store, FileId(0), &("X ".repeat(100_000) + "a"), Dialect::Spot);
    assert!(diagnostics.iter().any(|d| d.code == "ltl.too-deep"));
}

fn check_simplified(text: &str, expected: Expect) {
    let mut store = FormulaStore::new();
    let (formula, _) = parse(&mut store, FileId(0), text, Dialect::Spot);
    let simple = simplify(&mut store, formula);
    expected.assert_eq(&display(&store, simple, Dialect::Spot).to_string());
}

#[test]
fn simplification_rewrites_as_the_literature_says() {
    check_simplified("F(a U b)", expect!["F b"]);
    check_simplified("G(a R b)", expect!["G b"]);
    check_simplified("F X a", expect!["X F a"]);
    check_simplified("FG(a & X b)", expect!["F G (a & b)"]);
    check_simplified("GF a | GF b", expect!["G F (a | b)"]);
    check_simplified("FG a & FG b", expect!["F G (a & b)"]);
    check_simplified("a U (a & b)", expect!["b M a"]);
    check_simplified("a U (b | G a)", expect!["a W b"]);
    check_simplified("(a U b) | (a U c)", expect!["a U (b | c)"]);
    check_simplified("(a U b) & (c U b)", expect!["(a & c) U b"]);
    check_simplified("G a | (a U b)", expect!["a W b"]);
    check_simplified("a & X G a", expect!["G a"]);
    check_simplified("b | (a & X(a U b))", expect!["a U b"]);
    check_simplified("X a & X b", expect!["X (a & b)"]);
    check_simplified("X G F a", expect!["G F a"]);
    check_simplified("(a U b) U b", expect!["a U b"]);
    check_simplified("a | (!a & b)", expect!["a | b"]);
    check_simplified("G(p -> q) & p & F p", expect!["p & G (q | !p)"]);
    check_simplified("!(F F p <-> F p)", expect!["0"]);
    check_simplified("G(p0 & XF(p1 & XF(p2 & XF p3)))", expect!["G p0 & G F p1 & G F p2 & G F p3"]);
}
