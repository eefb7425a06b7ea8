//! Ways into loops.

use expect_test::expect;

use super::check;

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
