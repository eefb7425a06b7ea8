//! The control-flow graphs of small methods.

mod entries;
mod jumps;
mod loops;
mod random;
mod render;
mod suite;
#[path = "../support/mod.rs"]
mod support;

use expect_test::{Expect, expect};
use silver::typed::{MethodId, StatementKind, visit_statements};
use symbolic::control::ControlFlow;

use self::render::parse;

/// The graph of the method `m`.
fn check(text: &str, expected: Expect) {
    let text = parse(text);
    let index = text.program.methods.iter().position(|method| method.name == "m").unwrap_or(0);
    let method = MethodId(index as u32);
    expected.assert_eq(&text.render(ControlFlow::of(&text.program, method), method));
}

#[test]
fn straight_code_is_one_block() {
    check(
        "field f: Int
        method m(x: Ref) requires acc(x.f) { var a: Int := 1
          x.f := a
          label l
          assert old[l](x.f) == 1 { var b: Int
            b := 2 } }",
        expect![[r#"
            b0:
              arbitrary a
              var a: Int := 1
              x.f := a
              label l
              assert old[l](x.f) == 1
              arbitrary b
              b := 2
              return
        "#]],
    );
}

#[test]
fn an_abstract_method_has_an_empty_body() {
    check(
        "method m()",
        expect![[r#"
        b0:
          return
    "#]],
    );
}

#[test]
fn branches_meet_again() {
    check(
        "method m(c: Bool, d: Bool) returns (r: Int) {
          if (c) { r := 1 } elseif (d) { r := 2 }
          r := r + 1
          if (d) { }
        }",
        expect![[r#"
            b0:
              if c: go b1; else go b2
            b1:
              r := 1
              go b4
            b2:
              if d: go b3; else go b4
            b3:
              r := 2
              go b4
            b4:
              r := r + 1
              if d: go b5; else go b5
            b5:
              return
        "#]],
    );
}

#[test]
fn a_while_loop_has_a_head_of_its_own() {
    check(
        "field f: Int
        method call() returns (a: Int, b: Int)
        method m(x: Ref) returns (r: Int, s: Ref, t: Int) {
          var unchanged: Int
          while (r < 10)
            invariant acc(x.f)
            invariant r <= 10
          {
            var inner: Int
            inner, t := call()
            s := new()
            r := r + inner + unchanged
          }
          assert r >= 10
        }",
        expect![[r#"
            L0: while (r < 10): b1 b2; assigned r, s, t; invariant acc(x.f); invariant r <= 10
            b0:
              arbitrary unchanged
              enter L0, go b1
            b1: head of L0
              while r < 10: go b2; else leave L0, go b3
            b2:
              arbitrary inner
              inner, t := call()
              s := new()
              r := r + inner + unchanged
              back to L0, go b1
            b3:
              assert r >= 10
              return
        "#]],
    );
}

#[test]
fn what_follows_a_jump_is_gone() {
    check(
        "method m(n: Int) returns (r: Int) {
          goto end
          r := n
          while (true) { r := 1 }
          label end
        }",
        expect![[r#"
            b0:
              label end
              return
        "#]],
    );
}

#[test]
fn a_backward_jump_makes_its_label_a_head() {
    check(
        "method m() returns (i: Int) {
          label start
            invariant i >= 0
          i := i + 1
          { var declared_inside: Int
            declared_inside := i
            if (declared_inside < 5) { goto start } }
          assert i >= 5
        }",
        expect![[r#"
            L0: label start: b1; assigned i; invariant i >= 0
            b0:
              enter L0, go b1
            b1: head of L0
              label start
              i := i + 1
              arbitrary declared_inside
              declared_inside := i
              if declared_inside < 5: back to L0, go b1; else leave L0, go b2
            b2:
              assert i >= 5
              return
        "#]],
    );
}

#[test]
fn a_label_that_is_no_head_has_no_use_for_invariants() {
    check(
        "method m() returns (i: Int) {
          label once invariant i == 0
          i := 1
          goto dead_end
          label dead invariant i == 2
          label dead_end invariant i == 1
        }",
        expect![[r#"
            unused invariants at once
            unused invariants at dead_end
            b0:
              label once
              i := 1
              label dead_end
              return
        "#]],
    );
}

#[test]
fn jumps_to_one_label_make_one_loop() {
    check(
        "method m() returns (i: Int, j: Int) {
          label top invariant true
          if (i < 3) { i := i + 1
            goto top }
          if (j < 3) { j := j + 1
            goto top }
        }",
        expect![[r#"
            L0: label top: b1 b2 b3 b4; assigned i, j; invariant true
            b0:
              enter L0, go b1
            b1: head of L0
              label top
              if i < 3: go b2; else go b3
            b2:
              i := i + 1
              back to L0, go b1
            b3:
              if j < 3: go b4; else leave L0, go b5
            b4:
              j := j + 1
              back to L0, go b1
            b5:
              return
        "#]],
    );
}

#[test]
fn a_label_before_a_while_is_the_head_of_another_loop() {
    check(
        "method m(c: Bool, d: Bool) returns (i: Int) {
          label again
          while (c) invariant i > 0 {
            if (d) { goto again }
            i := i + 1
          }
        }",
        expect![[r#"
            L0: label again: b1 b2 b3 b4; assigned i
            L1: while (c): b2 b3 b4; inside L0; assigned i; invariant i > 0
            b0:
              enter L0, go b1
            b1: head of L0
              label again
              enter L1, go b2
            b2: head of L1
              while c: go b3; else leave L1, leave L0, go b5
            b3:
              if d: leave L1, back to L0, go b1; else go b4
            b4:
              i := i + 1
              back to L1, go b2
            b5:
              return
        "#]],
    );
}

#[test]
fn a_scope_that_is_jumped_into_keeps_its_values() {
    check(
        "method m(c: Bool) {
          { var x: Int
            x := 5
            label inside
            x := x + 1 }
          if (c) { goto inside }
        }",
        expect![[r#"
            L0: label inside: b1; assigned x
            b0:
              arbitrary x
              arbitrary x
              x := 5
              enter L0, go b1
            b1: head of L0
              label inside
              x := x + 1
              if c: back to L0, go b1; else leave L0, go b2
            b2:
              return
        "#]],
    );
}

#[test]
fn the_proof_of_a_wand_has_a_graph_of_its_own() {
    let text = parse(
        "field f: Int
        method lemma() returns (r: Int)
        method m(x: Ref, c: Bool) {
          var z: Int
          while (c) {
            package acc(x.f) --* acc(x.f) {
              var y: Int
              z := lemma()
              if (c) { y := 1
                goto end }
              y := 2
              label end
            }
          }
        }",
    );
    let method = MethodId(1);
    let mut proof = None;
    let Some(body) = &text.program.method(method).body else { panic!("no body") };
    visit_statements(body, &mut |statement| {
        if let StatementKind::Package { proof: found, .. } = &statement.kind {
            proof = Some(found);
        }
    });
    let Some(proof) = proof else { panic!("no proof") };
    expect![[r#"
        b0:
          arbitrary y
          z := lemma()
          if c: go b1; else go b2
        b1:
          y := 1
          go b3
        b2:
          y := 2
          go b3
        b3:
          label end
          return
    "#]]
    .assert_eq(&text.render(ControlFlow::of_proof(&text.program, method, proof), method));
    expect![[r#"
        L0: while (c): b1 b2; assigned z
        b0:
          arbitrary z
          enter L0, go b1
        b1: head of L0
          while c: go b2; else leave L0, go b3
        b2:
          package acc(x.f) --* acc(x.f) { var y: Int z := lemma() if (c) { y := 1 goto end } y := 2 label end }
          back to L0, go b1
        b3:
          return
    "#]].assert_eq(&text.render(ControlFlow::of(&text.program, method), method));
}

#[test]
fn a_jump_into_the_proof_of_a_wand_is_an_error() {
    check(
        "field f: Int
        method m(x: Ref) {
          goto inside
          package acc(x.f) --* acc(x.f) { label inside }
        }",
        expect![[r#"
            line 3: the jump to `inside` crosses the border of a wand's proof
        "#]],
    );
}

/// Neither the number of statements nor their nesting is on the machine's stack.
#[test]
fn long_and_deep_bodies_are_no_problem() {
    let jumps = "r := r + 1 if (r == 7) { goto end }\n".repeat(20_000);
    let depth = 150;
    let (open, close) = ("while (r < 9) { if (r == 1) {\n".repeat(depth), "} }\n".repeat(depth));
    let text = parse(&format!("method m() returns (r: Int) {{ {jumps} {open} goto end {close} label end }}"));
    let flow = match ControlFlow::of(&text.program, MethodId(0)) {
        Ok(flow) => flow,
        Err(error) => panic!("{error:?}"),
    };
    assert_eq!(flow.loops.len(), depth);
    let most =
        flow.blocks.iter().flat_map(|block| block.terminator.edges()).map(|edge| edge.leaves.len()).max();
    assert_eq!(most, Some(depth));
}
