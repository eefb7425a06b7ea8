//! The control-flow graphs of small methods.

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
fn continue_goes_back_and_break_leaves() {
    check(
        "method m(c: Bool, d: Bool) returns (i: Int) {
          while (c) {
            if (i == 1) { goto continue }
            if (i == 2) { i := 7
              goto break }
            i := 3
            label continue
            i := 4
          }
          i := 5
          label break
          i := 6
        }",
        expect![[r#"
            L0: while (c): b1 b2 b3 b4 b5 b6; assigned i
            b0:
              enter L0, go b1
            b1: head of L0
              while c: go b2; else leave L0, go b7
            b2:
              if i == 1: go b6; else go b3
            b3:
              if i == 2: go b4; else go b5
            b4:
              i := 7
              leave L0, go b8
            b5:
              i := 3
              go b6
            b6:
              label continue
              i := 4
              back to L0, go b1
            b7:
              i := 5
              go b8
            b8:
              label break
              i := 6
              return
        "#]],
    );
}

#[test]
fn a_variable_that_changes_only_on_the_way_out_is_not_assigned_by_the_loop() {
    check(
        "method m(c: Bool) returns (i: Int, j: Int) {
          while (c) {
            if (i == 2) { j := 7
              goto break }
            i := 3
          }
          label break
        }",
        expect![[r#"
            L0: while (c): b1 b2 b3 b4; assigned i
            b0:
              enter L0, go b1
            b1: head of L0
              while c: go b2; else leave L0, go b5
            b2:
              if i == 2: go b3; else go b4
            b3:
              j := 7
              leave L0, go b5
            b4:
              i := 3
              back to L0, go b1
            b5:
              label break
              return
        "#]],
    );
}

#[test]
fn a_jump_may_leave_several_loops() {
    check(
        "method m(a: Bool, b: Bool, c: Bool) returns (r: Int) {
          while (a) {
            if (b) {
              while (b) {
                label inner
                r := r + 1
                if (c) { goto end }
                if (r == 1) { goto inner }
                if (r == 2) { goto next }
              }
            }
            label next
          }
          label end
        }",
        expect![[r#"
            L0: while (a): b1 b2 b3 b4 b5 b6 b7; assigned r
            L1: while (b): b3 b4 b5 b6; inside L0; assigned r
            L2: label inner: b4 b5; inside L1; assigned r
            b0:
              enter L0, go b1
            b1: head of L0
              while a: go b2; else leave L0, go b8
            b2:
              if b: enter L1, go b3; else go b7
            b3: head of L1
              while b: enter L2, go b4; else leave L1, go b7
            b4: head of L2
              label inner
              r := r + 1
              if c: leave L2, leave L1, leave L0, go b8; else go b5
            b5:
              if r == 1: back to L2, go b4; else leave L2, go b6
            b6:
              if r == 2: leave L1, go b7; else back to L1, go b3
            b7:
              label next
              back to L0, go b1
            b8:
              label end
              return
        "#]],
    );
}

#[test]
fn a_jump_from_an_inner_loop_to_an_outer_head_leaves_and_goes_back() {
    check(
        "method m(a: Bool, b: Bool) returns (r: Int) {
          label outer invariant r >= 0
          while (a) {
            if (b) { goto outer }
            r := r + 1
          }
        }",
        expect![[r#"
            L0: label outer: b1 b2 b3 b4; assigned r; invariant r >= 0
            L1: while (a): b2 b3 b4; inside L0; assigned r
            b0:
              enter L0, go b1
            b1: head of L0
              label outer
              enter L1, go b2
            b2: head of L1
              while a: go b3; else leave L1, leave L0, go b5
            b3:
              if b: leave L1, back to L0, go b1; else go b4
            b4:
              r := r + 1
              back to L1, go b2
            b5:
              return
        "#]],
    );
}

#[test]
fn a_jump_may_leave_one_loop_and_enter_another() {
    check(
        "method m(a: Bool, b: Bool) returns (r: Int) {
          while (a) {
            if (b) { goto second }
          }
          label second invariant r >= 0
          r := r + 1
          if (r < 3) { goto second }
        }",
        expect![[r#"
            L0: while (a): b1 b2
            L1: label second: b3; assigned r; invariant r >= 0
            b0:
              enter L0, go b1
            b1: head of L0
              while a: go b2; else leave L0, enter L1, go b3
            b2:
              if b: leave L0, enter L1, go b3; else back to L0, go b1
            b3: head of L1
              label second
              r := r + 1
              if r < 3: back to L1, go b3; else leave L1, go b4
            b4:
              return
        "#]],
    );
}

#[test]
fn a_while_is_a_loop_even_if_its_body_never_comes_back() {
    check(
        "method m() returns (b: Bool) {
          while (b) invariant true {
            b := !b
            goto end
            b := false
          }
          assert false
          label end
        }",
        expect![[r#"
            L0: while (b): b1 b2; never repeats; invariant true
            b0:
              enter L0, go b1
            b1: head of L0
              while b: go b2; else leave L0, go b3
            b2:
              b := !b
              leave L0, go b4
            b3:
              assert false
              go b4
            b4:
              label end
              return
        "#]],
    );
}

#[test]
fn an_endless_loop_has_no_end() {
    check(
        "method m() { label l goto l }",
        expect![[r#"
        L0: label l: b1
        b0:
          enter L0, go b1
        b1: head of L0
          label l
          back to L0, go b1
    "#]],
    );
    check(
        "method m() { while (true) { } }",
        expect![[r#"
        L0: while (true): b1
        b0:
          enter L0, go b1
        b1: head of L0
          while true: back to L0, go b1; else leave L0, go b2
        b2:
          return
    "#]],
    );
}

#[test]
fn a_loop_includes_the_ways_out_of_loops_inside_it() {
    check(
        "method m(a: Bool, b: Bool) returns (r: Int) {
          label outer invariant r > 0
          while (a) {
            if (b) { r := 1
              goto out }
          }
          if (b) { goto outer }
          label out
        }",
        expect![[r#"
            L0: label outer: b1 b2 b3 b4 b5; invariant r > 0
            L1: while (a): b2 b3 b4; inside L0
            b0:
              enter L0, go b1
            b1: head of L0
              label outer
              enter L1, go b2
            b2: head of L1
              while a: go b3; else leave L1, go b5
            b3:
              if b: go b4; else back to L1, go b2
            b4:
              r := 1
              leave L1, leave L0, go b6
            b5:
              if b: back to L0, go b1; else leave L0, go b6
            b6:
              label out
              return
        "#]],
    );
}

#[test]
fn a_while_includes_what_leads_back_into_it() {
    check(
        "method m(a: Bool, b: Bool) returns (r: Int) {
          while (a) {
            r := 1
            goto away
            label back
            r := 2
          }
          goto end
          label away
          r := 3
          goto back
          label end
        }",
        expect![[r#"
            L0: while (a): b1 b2; assigned r
            b0:
              enter L0, go b1
            b1: head of L0
              while a: go b2; else leave L0, go b3
            b2:
              r := 1
              label away
              r := 3
              label back
              r := 2
              back to L0, go b1
            b3:
              label end
              return
        "#]],
    );
}

#[test]
fn loops_nest_in_branches_and_in_each_other() {
    check(
        "method m(a: Bool, b: Bool, c: Bool) returns (r: Int) {
          while (a) invariant r > 1 {
            var x: Int
            x := 1
            if (b) {
              while (c) invariant r > 2 { var y: Int
                x := 2
                y := 3 }
            } else { r := 4 }
          }
        }",
        expect![[r#"
            L0: while (a): b1 b2 b3 b4 b5; assigned r; invariant r > 1
            L1: while (c): b3 b4; inside L0; assigned x; invariant r > 2
            b0:
              enter L0, go b1
            b1: head of L0
              while a: go b2; else leave L0, go b6
            b2:
              arbitrary x
              x := 1
              if b: enter L1, go b3; else go b5
            b3: head of L1
              while c: go b4; else leave L1, back to L0, go b1
            b4:
              arbitrary y
              x := 2
              y := 3
              back to L1, go b3
            b5:
              r := 4
              back to L0, go b1
            b6:
              return
        "#]],
    );
}

#[test]
fn the_middle_of_a_cycle_is_no_second_entry() {
    check(
        "method m(c: Bool) returns (r: Int) {
          goto middle
          label top
          r := 1
          label middle invariant r == 1
          r := 2
          if (c) { goto top }
        }",
        expect![[r#"
            L0: label middle: b1 b2; assigned r; invariant r == 1
            b0:
              enter L0, go b1
            b1: head of L0
              label middle
              r := 2
              if c: go b2; else leave L0, go b3
            b2:
              label top
              r := 1
              back to L0, go b1
            b3:
              return
        "#]],
    );
}

#[test]
fn a_cycle_with_two_entries_is_an_error() {
    check(
        "method m(c: Bool) returns (r: Int) {
          if (c) { goto middle }
          label top
          r := 1
          label middle
          if (r > 0) { goto top }
        }",
        expect![[r#"
            line 2: the jump to `middle` makes a loop that can be entered at two places
              line 3: the loop can also be entered here
        "#]],
    );
}

#[test]
fn a_second_way_into_a_while_is_an_error() {
    check(
        "method m(c: Bool) returns (r: Int) {
          if (c) { goto inside }
          while (r > 0) {
            r := 1
            label inside
            r := 2
          }
        }",
        expect![[r#"
            line 2: the jump to `inside` makes a loop that can be entered at two places
              line 3: the loop can also be entered here
        "#]],
    );
}

#[test]
fn a_jump_from_behind_a_while_into_it_makes_the_loop_longer() {
    check(
        "method m(c: Bool) returns (r: Int) {
          while (r > 0) {
            r := 1
            label inside
            r := 2
          }
          if (c) { goto inside }
        }",
        expect![[r#"
            L0: while (r > 0): b1 b2 b3 b4; assigned r
            b0:
              enter L0, go b1
            b1: head of L0
              while r > 0: go b2; else go b3
            b2:
              r := 1
              go b4
            b3:
              if c: go b4; else leave L0, go b5
            b4:
              label inside
              r := 2
              back to L0, go b1
            b5:
              return
        "#]],
    );
}

#[test]
fn a_while_that_never_repeats_can_be_jumped_into() {
    check(
        "method m(c: Bool, b: Bool) returns (r: Int) {
          if (b) { goto inside }
          while (c) {
            r := 1
            label inside
            r := 2
            goto out
          }
          r := 3
          label out
        }",
        expect![[r#"
            L0: while (c): b1 b2; never repeats
            b0:
              if b: go b3; else enter L0, go b1
            b1: head of L0
              while c: go b2; else leave L0, go b4
            b2:
              r := 1
              leave L0, go b3
            b3:
              label inside
              r := 2
              go b5
            b4:
              r := 3
              go b5
            b5:
              label out
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
