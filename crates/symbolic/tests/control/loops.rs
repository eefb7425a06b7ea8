//! Loops, and what belongs to them.

use expect_test::expect;

use super::check;

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
