//! Formats: HOA, never claims, Graphviz, SVG.

use expect_test::{Expect, expect};
use source::FileId;
use temporal::{
    AcceptanceKind, Automaton, Dialect, FormulaStore, parse, read_hoa, read_never_claim, translate,
    write_dot, write_hoa, write_never_claim, write_svg,
};

fn automaton(text: &str, kind: AcceptanceKind) -> Automaton {
    let mut store = FormulaStore::new();
    let (formula, diagnostics) = parse(&mut store, FileId(0), text, Dialect::Spot);
    assert!(diagnostics.is_empty());
    translate(&mut store, formula, kind).unwrap()
}

#[test]
fn hoa_of_a_response_property() {
    expect![[r#"
        HOA: v1
        name: "G (p -> F q)"
        States: 2
        Start: 0
        AP: 2 "p" "q"
        acc-name: Buchi
        Acceptance: 1 Inf(0)
        properties: trans-labels explicit-labels trans-acc complete deterministic
        --BODY--
        State: 0
        [!0 | 1] 0 {0}
        [0&!1] 1
        State: 1
        [1] 0 {0}
        [!1] 1
        --END--
    "#]]
    .assert_eq(&write_hoa(&automaton("G(p -> F q)", AcceptanceKind::Tgba)));
    expect![[r#"
        HOA: v1
        name: "G F p & G F q"
        States: 1
        Start: 0
        AP: 2 "p" "q"
        acc-name: generalized-Buchi 2
        Acceptance: 2 Inf(0)&Inf(1)
        properties: trans-labels explicit-labels trans-acc complete deterministic
        --BODY--
        State: 0
        [!0&!1] 0
        [!0&1] 0 {0}
        [0&!1] 0 {1}
        [0&1] 0 {0 1}
        --END--
    "#]]
    .assert_eq(&write_hoa(&automaton("GF p & GF q", AcceptanceKind::Tgba)));
    expect![[r#"
        HOA: v1
        name: "G F p & G F q"
        States: 3
        Start: 0
        AP: 2 "p" "q"
        acc-name: Buchi
        Acceptance: 1 Inf(0)
        properties: trans-labels explicit-labels state-acc complete deterministic
        --BODY--
        State: 0
        [!0] 0
        [0&1] 1
        [0&!1] 2
        State: 1 {0}
        [!0] 0
        [0&1] 1
        [0&!1] 2
        State: 2
        [1] 1
        [!1] 2
        --END--
    "#]]
    .assert_eq(&write_hoa(&automaton("GF p & GF q", AcceptanceKind::Sba)));
    expect![[r#"
        HOA: v1
        name: "0"
        States: 1
        Start: 0
        AP: 0
        acc-name: all
        Acceptance: 0 t
        properties: trans-labels explicit-labels state-acc deterministic very-weak terminal weak
        --BODY--
        State: 0
        --END--
    "#]]
    .assert_eq(&write_hoa(&automaton("p & !p", AcceptanceKind::Tgba)));
    expect![[r#"
        HOA: v1
        name: "1"
        States: 1
        Start: 0
        AP: 0
        acc-name: Buchi
        Acceptance: 1 Inf(0)
        properties: trans-labels explicit-labels state-acc complete deterministic very-weak terminal weak
        --BODY--
        State: 0 {0}
        [t] 0
        --END--
    "#]]
    .assert_eq(&write_hoa(&automaton("1", AcceptanceKind::Sba)));
}

#[test]
fn never_claim_of_a_negated_response_property() {
    expect![[r#"
        never {    /* !G (p -> F "x == 2") */
        T0_init:
          if
          :: (true) -> goto T0_init
          :: (p && !(x == 2)) -> goto accept_S1
          fi;
        accept_S1:
          if
          :: (!(x == 2)) -> goto accept_S1
          fi;
        }
    "#]]
    .assert_eq(&write_never_claim(&automaton("!G(p -> F \"x == 2\")", AcceptanceKind::Tgba)).unwrap());
    expect![[r#"
        never {    /* F p */
        T0_init:
          if
          :: (!p) -> goto T0_init
          :: (p) -> goto accept_all
          fi;
        accept_all:
          skip
        }
    "#]]
    .assert_eq(&write_never_claim(&automaton("F p", AcceptanceKind::Sba)).unwrap());
    expect![[r#"
        never {    /* 0 */
        T0_init:
          if
          :: (false) -> goto T0_init
          fi;
        }
    "#]]
    .assert_eq(&write_never_claim(&automaton("0", AcceptanceKind::Sba)).unwrap());
}

#[test]
fn graphviz_of_a_response_property() {
    expect![[r#"
        digraph automaton {
          rankdir=LR
          node [shape=circle]
          label="G (p -> F q)"
          labelloc=t
          start [shape=point, width=0]
          start -> 0
          0
          0 -> 0 [label="!p | q\n{0}"]
          0 -> 1 [label="p & !q"]
          1
          1 -> 0 [label="q\n{0}"]
          1 -> 1 [label="!q"]
        }
    "#]]
    .assert_eq(&write_dot(&automaton("G(p -> F q)", AcceptanceKind::Tgba)));
}

#[test]
fn svg_is_well_formed_enough_to_name_every_state() {
    for kind in [AcceptanceKind::Tgba, AcceptanceKind::Sba] {
        let automaton = automaton("G(p -> F (q & \"x < 2\"))", kind);
        let svg = write_svg(&automaton).unwrap();
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
        assert!(svg.contains("x &lt; 2") && !svg.contains("x < 2"));
        for state in 0..automaton.states.len() {
            assert!(svg.contains(&format!(">{state}</text>")));
        }
    }
}

fn check_hoa(text: &str, expected: Expect) {
    let (automaton, diagnostics) = read_hoa(FileId(0), text);
    let mut shown = automaton.map_or(String::new(), |automaton| write_hoa(&automaton));
    for diagnostic in diagnostics {
        let help = diagnostic.help.clone().unwrap_or_default();
        shown.push_str(&format!("{}: {} ({help})\n", diagnostic.code, diagnostic.message));
    }
    expected.assert_eq(&shown);
}

#[test]
fn hoa_reader_understands_aliases_state_labels_and_several_starts() {
    check_hoa(
        r#"HOA: v1 /* a comment /* nested */ */
        name: "mine" tool: "other" "1.0"
        States: 3 Start: 0 Start: 1
        AP: 2 "a" "b"
        Alias: @x 0 & !1
        acc-name: Buchi
        Acceptance: 1 Inf(0)
        properties: state-acc
        --BODY--
        State: [@x] 0 "first" {0} 1
        State: 1 [t] 2 [0 | 1] 1
        State: 2 {0} [!(0 & 1)] 2
        --END--"#,
        expect![[r#"
            HOA: v1
            name: "mine"
            States: 4
            Start: 3
            AP: 2 "a" "b"
            acc-name: Buchi
            Acceptance: 1 Inf(0)
            properties: trans-labels explicit-labels state-acc very-weak weak
            --BODY--
            State: 0 {0}
            [0&!1] 1
            State: 1
            [0 | 1] 1
            [t] 2
            State: 2 {0}
            [!0 | !1] 2
            State: 3
            [0 | 1] 1
            [t] 2
            --END--
        "#]],
    );
}

#[test]
fn hoa_reader_understands_implicit_labels() {
    check_hoa(
        "HOA: v1 States: 1 Start: 0 AP: 1 \"a\" Acceptance: 2 Inf(0) | Inf(!1) --BODY-- State: 0 0 {0} 0 {1} --END--",
        expect![[r#"
            HOA: v1
            States: 1
            Start: 0
            AP: 1 "a"
            acc-name: Buchi
            Acceptance: 1 Inf(0)
            properties: trans-labels explicit-labels trans-acc complete deterministic
            --BODY--
            State: 0
            [0] 0
            [!0] 0 {0}
            --END--
        "#]],
    );
}

#[test]
fn hoa_reader_names_what_it_cannot_use() {
    let with = |acceptance: &str, body: &str| {
        format!("HOA: v1 States: 1 Start: 0 AP: 1 \"a\" {acceptance} --BODY-- {body} --END--")
    };
    check_hoa(
        &with("acc-name: co-Buchi Acceptance: 1 Fin(0)", "State: 0 [t] 0"),
        expect![[r#"
        hoa.unsupported-acceptance: acceptance by co-Buchi is not supported (Büchi, generalised Büchi and other positive combinations of Inf are; convert the automaton first, for instance with `autfilt --tgba`)
    "#]],
    );
    check_hoa(
        &with("acc-name: parity min even 2 Acceptance: 2 Inf(0) | Fin(1)", "State: 0"),
        expect![[r#"
        hoa.unsupported-acceptance: acceptance by parity min even 2 is not supported (Büchi, generalised Büchi and other positive combinations of Inf are; convert the automaton first, for instance with `autfilt --tgba`)
    "#]],
    );
    check_hoa(
        &with("Acceptance: 1 Inf(0)", "State: 0 [t] 0&0 [3] 0 {7} [@y] 5"),
        expect![[r#"
        hoa.alternating: alternating automata are not supported (only nondeterministic automata are read)
        hoa.unknown-proposition: there is no proposition 3 (1 propositions are announced, counted from 0)
        hoa.unknown-set: there is no acceptance set 7 (1 sets are announced, counted from 0)
        hoa.unknown-state: there is no state 5 (states are numbered below 1)
        hoa.unknown-alias: the alias @y is not defined (define it with `Alias:` in the header)
    "#]],
    );
    check_hoa(
        &with("", "State: 0"),
        expect![[r#"
        hoa.no-acceptance: the header says nothing about acceptance (add for instance `Acceptance: 1 Inf(0)`)
    "#]],
    );
    check_hoa(
        &with("Acceptance: 1 Inf(0) Fancy: 1", "State: 0 0"),
        expect![[r#"
        hoa.unknown-header: the header item `Fancy:` is not known (it may change the meaning of the automaton)
        hoa.implicit-labels: 1 edges of this state have no label (without labels a state has one edge for each letter, in order)
    "#]],
    );
    check_hoa(
        "never { }",
        expect![[r#"
        hoa.not-hoa: this is not an automaton in the HOA format (the first line of an automaton in this format is `HOA: v1`)
    "#]],
    );
    check_hoa(
        "HOA: v2 --BODY-- --END--",
        expect![[r#"
        hoa.version: only version 1 of the format is known (convert it to `HOA: v1`)
        hoa.no-acceptance: the header says nothing about acceptance (add for instance `Acceptance: 1 Inf(0)`)
    "#]],
    );
}

#[test]
fn spins_own_claims_are_read() {
    let text = "never  {    /* !([] (p -> <> q)) */
T0_init:
	do
	:: (! ((q)) && (p)) -> goto accept_S4
	:: (1) -> goto T0_init
	od;
accept_S4:
	do
	:: (! ((q))) -> goto accept_S4
	od;
}
";
    let (automaton, diagnostics) = read_never_claim(FileId(0), text);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    expect![[r#"
        HOA: v1
        States: 2
        Start: 0
        AP: 2 "q" "p"
        acc-name: Buchi
        Acceptance: 1 Inf(0)
        properties: trans-labels explicit-labels state-acc very-weak weak
        --BODY--
        State: 0
        [t] 0
        [!0&1] 1
        State: 1 {0}
        [!0] 1
        --END--
    "#]]
    .assert_eq(&write_hoa(&automaton.unwrap()));
    let text = "never { T0_init: do :: atomic { ((p)) -> assert(!((p))) } :: (1) -> goto T0_init od; accept_all: skip }";
    let (automaton, diagnostics) = read_never_claim(FileId(0), text);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    expect![[r#"
        HOA: v1
        States: 2
        Start: 0
        AP: 1 "p"
        acc-name: Buchi
        Acceptance: 1 Inf(0)
        properties: trans-labels explicit-labels state-acc complete very-weak terminal weak
        --BODY--
        State: 0
        [t] 0
        [0] 1
        State: 1 {0}
        [t] 1
        --END--
    "#]]
    .assert_eq(&write_hoa(&automaton.unwrap()));
}

#[test]
fn claims_that_do_more_are_refused_with_a_reason() {
    for (text, code) in [
        ("never { T0: if :: x = 2 -> goto T0 fi }", "ltl.unknown-character"),
        ("never { T0: if :: else -> goto T0 fi }", "never.unsupported"),
        ("never { T0: if :: p -> goto T1 fi }", "never.unknown-label"),
        ("never { ", "never.syntax"),
        ("proctype", "never.not-a-claim"),
        ("never { a: if :: [] p -> goto a fi }", "never.temporal-guard"),
    ] {
        let (automaton, diagnostics) = read_never_claim(FileId(0), text);
        assert!(automaton.is_none());
        assert!(diagnostics.iter().any(|d| d.code == code), "{text} {diagnostics:?}");
    }
}
