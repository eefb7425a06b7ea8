//! The statements that come out of a model are SPIN's: what `spin -a` and `pan -d` show for the same text.

use std::fmt::Write;

use expect_test::{Expect, expect};
use promela::Options;
use promela::resolve::Program;
use promela::resolve::program::{ProcessId, Stmt, StmtKind};
use source::{SourceMap, Texts};

fn program(text: &'static str) -> (Program, SourceMap) {
    let mut map = SourceMap::default();
    let (program, diagnostics) =
        promela::load("model.pml", &Texts::default().with("model.pml", text), &Options::default(), &mut map);
    let messages: Vec<_> = diagnostics.iter().map(|d| (d.code, d.message.clone())).collect();
    (program.unwrap_or_else(|| panic!("{messages:?}")), map)
}

fn outline(program: &Program, process: ProcessId, statements: &[Stmt], depth: usize, into: &mut String) {
    let indent = "  ".repeat(depth);
    for stmt in statements {
        let labels = stmt.labels.iter().map(|id| &program.process(process).labels[id.0 as usize].name);
        let labels: String = labels.map(|name| format!("{name}: ")).collect();
        writeln!(into, "{indent}{labels}{}", program.show_stmt(process, stmt)).unwrap();
        match &stmt.kind {
            StmtKind::If(options) | StmtKind::Do(options) => {
                for option in options {
                    writeln!(into, "{indent}::").unwrap();
                    outline(program, process, option, depth + 1, into);
                }
            }
            StmtKind::Atomic(inner) | StmtKind::DStep(inner) | StmtKind::Block(inner) => {
                outline(program, process, inner, depth + 1, into);
            }
            StmtKind::Unless { main, escape } => {
                outline(program, process, main, depth + 1, into);
                writeln!(into, "{indent}escape").unwrap();
                outline(program, process, escape, depth + 1, into);
            }
            _ => {}
        }
    }
}

fn check(text: &'static str, expected: Expect) {
    let (program, _) = program(text);
    let mut result = String::new();
    for id in program.process_ids() {
        outline(&program, id, &program.process(id).body, 0, &mut result);
    }
    for formula in &program.formulas {
        writeln!(result, "{}: {}", formula.name, program.show_temporal(&formula.formula)).unwrap();
    }
    expected.assert_eq(&result);
}

#[test]
fn for_over_a_range_puts_its_start_before_the_labelled_loop() {
    check(
        "byte i, a[3]; init { L: for (i : 1 .. 3) { a[0] = i; break } }",
        expect![[r#"
            i = 1
            L: do
            ::
              i <= 3
              a[0] = i
              break
              i = i + 1
            ::
              else
              break
        "#]],
    );
}

#[test]
fn for_over_an_array_counts_to_its_last_element() {
    check(
        "byte i, a[3]; init { for (i in a) { skip } }",
        expect![[r#"
        i = 0
        do
        ::
          i <= 2
          skip
          i = i + 1
        ::
          else
          break
    "#]],
    );
}

#[test]
fn for_over_a_channel_rotates_it_once() {
    check(
        "typedef M { byte a; bit b }; chan q = [2] of { M }; init { M m; for (m in q) { m.a++ } }",
        expect![[r#"
            _f0r_t3mp_1 = 0
            do
            ::
              _f0r_t3mp_1 < len(q)
              q?m.a,m.b
              q!m.a,m.b
              m.a++
              _f0r_t3mp_1 = _f0r_t3mp_1 + 1
            ::
              else
              break
        "#]],
    );
}

#[test]
fn select_with_literal_bounds_is_an_if() {
    check(
        "byte i; init { L: select (i : 1 .. 3) }",
        expect![[r#"
        L: if
        ::
          i = 1
        ::
          i = 2
        ::
          i = 3
    "#]],
    );
}

#[test]
fn select_over_many_literals_is_a_loop_written_out() {
    check(
        "byte i; init { L: select (i : 1 .. 40) }",
        expect![[r#"
            L: i = 1
            do
            ::
              i < 40
              i = i + 1
            ::
              break
        "#]],
    );
}

#[test]
fn select_with_other_bounds_or_an_underscore_climbs() {
    check(
        "byte i, i_; init { select (i : 0 .. i + 1); select (i_ : 1 .. 2) }",
        expect![[r#"
        i = 0
        do
        ::
          break
        ::
          i < i + 1
          i = i + 1
        i_ = 1
        do
        ::
          break
        ::
          i_ < 2
          i_ = i_ + 1
    "#]],
    );
}

#[test]
fn inlines_are_text() {
    check(
        "byte x;
         inline set(v, e) { v = e * 2 }
         inline get(e) { return e + 1 }
         init { set(x, 1 + 2); x = get(x); if :: x = get(0) :: else fi }",
        expect![[r#"
            { }
              x = 1 + 2 * 2
            { }
              x = x + 1
            if
            ::
              { }
                x = 0 + 1
            ::
              else
        "#]],
    );
}

#[test]
fn select_in_an_inline_climbs() {
    check(
        "byte x; inline pick(v) { select (v : 1 .. 2) } init { pick(x) }",
        expect![[r#"
        { }
          x = 1
          do
          ::
            break
          ::
            x < 2
            x = x + 1
    "#]],
    );
}

#[test]
fn late_declarations_are_steps() {
    check(
        "typedef S { byte f }; init { byte a = 1; a = 2; byte b; byte c = a; byte d[2]; S s; { byte e } }",
        expect![[r#"
            a = 2
            b = 0
            c = a
            d[0] = 0
            declaration of s
            { }
              e = 0
        "#]],
    );
}

#[test]
fn else_moves_to_the_end_and_repeated_skips_go() {
    check(
        "byte x; init { if :: else -> x = 1; skip; skip; printf(\"a\"); skip; x = 2 :: x > 1 -> skip; skip fi; skip; skip }",
        expect![[r#"
            if
            ::
              x > 1
              skip
              skip
            ::
              else
              x = 1
              skip
              printf("a")
              x = 2
            skip
            skip
        "#]],
    );
}

#[test]
fn labels_of_jumps_stand_on_a_skip_if_they_mean_something() {
    check(
        "init { do :: skip; progress: L: goto M :: skip; K: break od; M: end: }",
        expect![[r#"
        do
        ::
          skip
          progress: L: skip
          goto M
        ::
          skip
          K: break
        M: end: skip
    "#]],
    );
}

#[test]
fn the_label_of_a_block_moves_around_its_unless() {
    check(
        "byte x; init { L: { x = 1; goto L } unless { x == 3 -> x = 2 }; x = 1 unless x == 2 }",
        expect![[r#"
            L: { }
              unless
                x = 1
                goto L
              escape
                x == 3
                x = 2
            unless
              x = 1
            escape
              x == 2
        "#]],
    );
}

#[test]
fn a_label_met_in_two_expansions_is_two_labels() {
    let (program, _) = program("inline f() { skip; L: skip; goto L } init { f(); f() }");
    let mut targets = Vec::new();
    for block in &program.process(ProcessId(0)).body {
        let StmtKind::Block(inner) = &block.kind else { continue };
        let StmtKind::Goto(label) = inner[2].kind else { continue };
        targets.push(program.process(ProcessId(0)).labels[label.0 as usize].target == inner[1].id);
    }
    assert_eq!(targets, [true, true]);
}

#[test]
fn structures_are_flattened_in_messages_and_parameters() {
    check(
        "typedef I { byte a[2] }; typedef M { I i; bit f }; typedef P { byte x; byte y };
         chan q = [1] of { M, byte }; M ms[2]; P g;
         proctype R(P p; byte k) { q?ms[k].i.a[0], _, _, 3 }
         init { q!ms[1], 3; q?[ms[0], eval(ms[0].f)]; run R(g, 1) }",
        expect![[r#"
            q?ms[k].i.a[0],_,_,3
            q!ms[1].i.a[0],ms[1].i.a[1],ms[1].f,3
            q?[ms[0].i.a[0],ms[0].i.a[1],ms[0].f,eval(ms[0].f)]
            run R(g.x,g.y,1)
        "#]],
    );
}

#[test]
fn expressions_print_with_the_parentheses_they_need() {
    check(
        "int x, y; byte a[3]; chan q = [1] of { byte };
         init {
            x = (x + y) * 2 - (x - y - 1) - (x - (y - 1)); x = -(-3) - -x; x = !(x && y) || ~x & 3;
            x = (x > 1 -> a[x + 1] : -y); x = 1 << 2 + 3; (x == 1) == (y < 2);
            q!!x + 1; q??<eval(x + 1)>; q?[_] && nempty(q); assert(len(q) > 0); printf(\"%d\\n\", x)
         }",
        expect![[r#"
            x = (x + y) * 2 - (x - y - 1) - (x - (y - 1))
            x = 3 - -x
            x = !(x && y) || ~x & 3
            x = (x > 1 -> a[x + 1] : -y)
            x = 1 << 2 + 3
            x == 1 == y < 2
            q!!x + 1
            q??<eval(x + 1)>
            q?[_] && nempty(q)
            assert(len(q) > 0)
            printf("%d\n", x)
        "#]],
    );
}

#[test]
fn formulas_associate_as_in_spin() {
    check(
        "byte a, b, c; init { a = 1 }
         ltl p { a U b U c -> a <-> b || c && !a U b }
         ltl q { [] (a -> <> (b == 1 W c)) V X (a + 1 > 2) }
         ltl r { [] a && b }
         ltl { true U !false }",
        expect![[r#"
            a = 1
            p: a U b U c -> a <-> b || c && !a U b
            q: [] (a -> <> ((b == 1) W c)) V X (a + 1 > 2)
            r: [] a && b
            ltl_0: true U !false
        "#]],
    );
}

#[test]
fn mtype_lists_are_numbered_from_their_end() {
    let (program, _) = program("mtype = { a, b }; mtype = { c, d }; mtype:k = { e, f }; init { skip }");
    let numbers = |list: usize| program.mtypes[list].names.clone();
    assert_eq!(numbers(0), ["b", "a", "d", "c"]);
    assert_eq!(numbers(1), ["f", "e"]);
}

#[test]
fn a_formula_beside_the_model_knows_its_names_and_macros() {
    let (program, mut map) = program(
        "#define p (x == red)
         mtype = { red }; mtype x; byte U1;
         active proctype P() { byte l; here: x = red }",
    );
    let mut ask = |text: &str| {
        let (formula, diagnostics) = promela::formula(text, &program, &mut map);
        match formula {
            Some(formula) => program.show_temporal(&formula),
            None => diagnostics.iter().map(|d| d.code).collect::<Vec<_>>().join(" "),
        }
    };
    assert_eq!(ask("[] (p -> <> P@here)"), "[] ((x == red) -> <> P@here)");
    assert_eq!(ask("!P[0]:l U U1"), "!(P[0]:l) U U1");
    assert_eq!(ask("<> nowhere"), "name.undeclared");
    assert_eq!(ask("<> P@nowhere"), "label.undefined");
    assert_eq!(ask("<> ("), "parse.unexpected");
    assert_eq!(ask(""), "parse.unexpected");
    assert_eq!(ask("p }"), "parse.unexpected");
}

#[test]
fn labels_named_from_outside_are_marked() {
    let (mut program, mut map) = program(
        "active proctype P() { a: skip; b: goto a; c: skip } active proctype Q() { P@a } ltl { [] !P@b }",
    );
    let remote =
        |program: &Program| -> Vec<bool> { program.processes[0].labels.iter().map(|l| l.remote).collect() };
    assert_eq!(remote(&program), [true, true, false]);
    let (formula, _) = promela::formula("<> P[0]@c", &program, &mut map);
    program.mark_remote_labels(&formula.unwrap());
    assert_eq!(remote(&program), [true, true, true]);
}

#[test]
fn statements_know_their_text_and_the_inline_they_come_from() {
    let (program, map) = program(
        "#define TWICE(e) e; e
inline set(v) { v = 1; twice(v) }
inline twice(w) { w = w * 2 }
byte x;
init { L: x = 2 -> TWICE(x++); set(x) }",
    );
    let mut lines = Vec::new();
    fn visit(statements: &[Stmt], program: &Program, map: &SourceMap, lines: &mut Vec<String>) {
        for stmt in statements {
            if let StmtKind::Block(inner) = &stmt.kind {
                visit(inner, program, map, lines);
                continue;
            }
            let mut calls = String::new();
            let mut at = stmt.expansion;
            while let Some(id) = at {
                let expansion = &program.expansions[id.0 as usize];
                calls += &format!(" in {} ({})", expansion.name, map.text(expansion.call));
                at = expansion.parent;
            }
            lines.push(format!("{}{calls}", map.text(stmt.span)));
        }
    }
    visit(&program.process(ProcessId(0)).body, &program, &map, &mut lines);
    expect![[r#"
        x = 2
        x++
        x++
        v = 1 in set (set(x))
        w = w * 2 in twice (twice(v)) in set (set(x))"#]]
    .assert_eq(&lines.join("\n"));
}
