//! Jumps between loops.

use expect_test::expect;

use super::check;

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
