//! What is said about failures: messages, places, missing permissions, branches and values, as people see them.

#[path = "../support/mod.rs"]
mod support;

use expect_test::{Expect, expect};
use symbolic::VerifyOptions;

use support::{load_text, options, verify};

fn check_with(text: &str, options: &VerifyOptions, expected: Expect) {
    let loaded = load_text(text);
    let report = verify(&loaded, options);
    expected.assert_eq(&report::failures_text(&loaded.sources, &report, false));
}

fn check(text: &str, expected: Expect) {
    check_with(text, &VerifyOptions { all_errors: true, ..options() }, expected);
}

#[test]
fn a_false_assertion_has_values_for_variables() {
    check(
        "method m(a: Int, b: Bool, x: Ref, y: Ref) requires x != null && y == x {
    var c: Int := a + 1
    if (b) {
        assert c == a + 1 && a != 4
    }
}",
        expect![[r#"
            error[assert.failed:assertion.false]: the assertion might not hold: it may be false
             --> test.vpr:4:16
              |
            3 |     if (b) {
              |         - this holds on the way
            4 |         assert c == a + 1 && a != 4
              |                ^^^^^^^^^^^^^^------
              |                              |
              |                              this might be false
              |
              = note: it fails for
                        a = 4
                        b = true
                        x = Ref#1
                        y = Ref#1
                        c = 5

        "#]],
    );
}

#[test]
fn missing_permission_is_named_with_what_is_held() {
    check(
        "field f: Int
method m(x: Ref, y: Ref)
    requires acc(x.f, 1/2) && x.f == 2 && y != null
{
    x.f := 3
}
method n(x: Ref, y: Ref)
    requires acc(x.f) && x.f == 2 && y != null
{
    assert y.f == 4
}",
        expect![[r#"
            error[assignment.failed:insufficient.permission]: the assignment might fail: there may be too little permission
             --> test.vpr:5:5
              |
            5 |     x.f := 3
              |     ---^^^^^
              |     |
              |     needs write permission to `x.f`, holds 1/2
              |
              = note: it fails for
                        x         = Ref#1
                        y         = Ref#2
                        x.f       = 2
                        perm(x.f) = 1/2
              = help: to assign to a field, `write` permission to it must be held: ask for it in the precondition or in the invariant of the loop around, or unfold the predicate that contains it

            error[assert.failed:insufficient.permission]: the assertion might not hold: there may be too little permission
              --> test.vpr:10:12
               |
            10 |     assert y.f == 4
               |            ---^^^^^
               |            |
               |            needs some permission to `y.f`, holds none
               |
               = note: it fails for
                         x         = Ref#1
                         y         = Ref#2
                         x.f       = 2
                         perm(y.f) = none
               = help: to read a location, some permission to it must be held: ask for it before, or unfold the predicate that contains it

            error[assert.failed:assertion.false]: the assertion might not hold: it may be false
              --> test.vpr:10:12
               |
            10 |     assert y.f == 4
               |            ^^^^^^^^ this might be false
               |
               = note: it fails for
                         x   = Ref#1
                         y   = Ref#1
                         x.f = 2

        "#]],
    );
}

#[test]
fn a_call_points_at_the_precondition() {
    check(
        "field value: Int
field next: Ref
method callee(this: Ref, n: Int)
    requires acc(this.value)
    requires n > 0 && this.value != n
method caller(cell: Ref)
    requires acc(cell.next) && acc(cell.next.value, 1/3) && cell.next != cell && cell.next.value == 7
{
    callee(cell.next, 1)
}
method other(cell: Ref)
    requires acc(cell.value)
{
    cell.value := cell.value + 1
    callee(cell, 3)
}",
        expect![[r#"
            error[call.precondition:insufficient.permission]: the precondition of the call might not hold: there may be too little permission
             --> test.vpr:9:5
              |
            4 |     requires acc(this.value)
              |              --------------- asked for by the precondition: needs write permission to `cell.next.value`, holds 1/3
            ...
            9 |     callee(cell.next, 1)
              |     ^^^^^^^^^^^^^^^^^^^^
              |
              = note: it fails for
                        cell                  = Ref#1
                        cell.next             = Ref#2
                        cell.next.value       = 7
                        perm(cell.next.value) = 1/3

            error[call.precondition:assertion.false]: the precondition of the call might not hold: it may be false
              --> test.vpr:15:5
               |
             5 |     requires n > 0 && this.value != n
               |                       --------------- asked for by the precondition: this might be false
            ...
            15 |     callee(cell, 3)
               |     ^^^^^^^^^^^^^^^
               |
               = note: it fails for
                         cell            = Ref#1
                         cell.value      = 3
                         old(cell.value) = 2

        "#]],
    );
}

#[test]
fn a_fold_points_into_the_predicate() {
    check(
        "field left: Int
field right: Int
predicate sorted(this: Ref) { acc(this.left) && acc(this.right) && this.left <= this.right }
method m(p: Ref) requires acc(p.left) && acc(p.right) && p.left == 3 && p.right >= 2 {
    fold sorted(p)
}
method n(p: Ref) requires p != null {
    unfold sorted(p)
}",
        expect![[r#"
            error[fold.failed:assertion.false]: the fold might fail: it may be false
             --> test.vpr:5:5
              |
            3 | predicate sorted(this: Ref) { acc(this.left) && acc(this.right) && this.left <= this.right }
              |                                                                    ----------------------- asked for by the body of the predicate: this might be false
            4 | method m(p: Ref) requires acc(p.left) && acc(p.right) && p.left == 3 && p.right >= 2 {
            5 |     fold sorted(p)
              |     ^^^^^^^^^^^^^^
              |
              = note: it fails for
                        p       = Ref#1
                        p.left  = 3
                        p.right = 2

            error[unfold.failed:insufficient.permission]: the unfold might fail: there may be too little permission
             --> test.vpr:8:5
              |
            8 |     unfold sorted(p)
              |     ^^^^^^^---------
              |            |
              |            needs write permission to `sorted(p)`, holds none
              |
              = note: it fails for
                        p               = Ref#1
                        perm(sorted(p)) = none
              = help: an instance has to be held before it is unfolded: fold it before, or ask for it in the precondition

        "#]],
    );
}

#[test]
fn loops() {
    check(
        "field f: Int
method m(x: Ref, n: Int) requires acc(x.f) && x.f == 5 && n == 20 {
    var i: Int := 0
    x.f := 0
    while (i < n)
        invariant acc(x.f) && x.f == i
        invariant i <= 10
    {
        x.f := x.f + 1
        i := i + 1
    }
}",
        expect![[r#"
            error[invariant.not.preserved:assertion.false]: the loop invariant might not be preserved: it may be false
             --> test.vpr:7:19
              |
            5 |     while (i < n)
              |            ----- this holds on the way
            6 |         invariant acc(x.f) && x.f == i
            7 |         invariant i <= 10
              |                   ^^^^^^^ this might be false
              |
              = note: it fails for
                        x        = Ref#1
                        n        = 20
                        i        = 11
                        x.f      = 11
                        old(x.f) = 5
              = help: the body of a loop starts from the invariants and the loop condition alone: what else it relies on has to be an invariant, too

        "#]],
    );
}

#[test]
fn quantified_permissions() {
    check(
        "field val: Int
domain Array { function loc(a: Array, i: Int): Ref function len(a: Array): Int
    function first(r: Ref): Array function second(r: Ref): Int
    axiom { forall a: Array, i: Int :: {loc(a, i)} first(loc(a, i)) == a && second(loc(a, i)) == i }
    axiom { forall a: Array :: {len(a)} len(a) >= 0 }
}
method m(a: Array, n: Int)
    requires n == 3
    requires forall i: Int :: {loc(a, i)} 0 <= i && i < n ==> acc(loc(a, i).val)
{
    loc(a, n - 1).val := 4
    exhale forall i: Int :: {loc(a, i)} 0 <= i && i <= n ==> acc(loc(a, i).val)
}",
        expect![[r#"
            error[exhale.failed:insufficient.permission]: the exhale might fail: there may be too little permission
              --> test.vpr:12:12
               |
            12 |     exhale forall i: Int :: {loc(a, i)} 0 <= i && i <= n ==> acc(loc(a, i).val)
               |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ needs write permission to `loc(a, i).val`, holds none
               |
               = note: it fails for
                         i                   = 3
                         a                   = Array#1
                         n                   = 3
                         loc(a, n - 1).val   = 4
                         perm(loc(a, i).val) = none

        "#]],
    );
}

#[test]
fn collections_and_functions() {
    check(
        "function size(s: Seq[Int]): Int { |s| }
method m(s: Seq[Int], k: Int)
    requires |s| == 2 && s[0] == 5 && k == 2
{
    assert s[1] != 6
}
method l(s: Seq[Int], k: Int)
    requires |s| == 1 && s[0] == 5 && k == 2
{
    assert size(s) == 3
    assert s[k] == 3
}
method n(t: Set[Int], k: Int, table: Map[Int, Int])
    requires k in t && |t| == 1 && k == 9
    requires k in table && |table| == 1 && table[k] == 7
{
    assert table[k] == 8
}",
        expect![[r#"
            error[assert.failed:assertion.false]: the assertion might not hold: it may be false
             --> test.vpr:5:12
              |
            5 |     assert s[1] != 6
              |            ^^^^^^^^^ this might be false
              |
              = note: it fails for
                        |s|  = 2
                        s[0] = 5
                        s[1] = 6
                        k    = 2

            error[assert.failed:assertion.false]: the assertion might not hold: it may be false
              --> test.vpr:10:12
               |
            10 |     assert size(s) == 3
               |            ^^^^^^^^^^^^ this might be false
               |
               = note: it fails for
                         |s|     = 1
                         s[0]    = 5
                         k       = 2
                         size(s) = 1

            error[assert.failed:assertion.false]: the assertion might not hold: it may be false
              --> test.vpr:17:12
               |
            17 |     assert table[k] == 8
               |            ^^^^^^^^^^^^^ this might be false
               |
               = note: it fails for
                         |t|        = 1
                         k in t     = true
                         k          = 9
                         |table|    = 1
                         k in table = true
                         table[k]   = 7

        "#]],
    );
}

#[test]
fn old_values() {
    check(
        "field f: Int
method m(x: Ref)
    requires acc(x.f) && x.f == 3
    ensures acc(x.f) && x.f == old(x.f)
{
    x.f := x.f + 1
}",
        expect![[r#"
            error[postcondition.violated:assertion.false]: the postcondition might not hold: it may be false
             --> test.vpr:4:13
              |
            4 |     ensures acc(x.f) && x.f == old(x.f)
              |             ^^^^^^^^^^^^---------------
              |                         |
              |                         this might be false
              |
              = note: it fails for
                        x        = Ref#1
                        x.f      = 4
                        old(x.f) = 3

        "#]],
    );
}

#[test]
fn functions() {
    check(
        "field f: Int
function wrong(n: Int): Int
    requires n >= 0
    ensures result > n
{ n == 8 ? 8 : n + 1 }
function reads(x: Ref): Int requires x != null { x.f }
method m(n: Int) requires n == 4 { assert wrong(n - 5) > 0 }",
        expect![[r#"
            error[postcondition.violated:assertion.false]: the postcondition might not hold: it may be false
             --> test.vpr:4:13
              |
            4 |     ensures result > n
              |             ^^^^^^^^^^ this might be false
              |
              = note: it fails for
                        n      = 8
                        result = 8

            error[function.not.wellformed:insufficient.permission]: the function might not be well formed: there may be too little permission
             --> test.vpr:6:1
              |
            6 | function reads(x: Ref): Int requires x != null { x.f }
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^---^^
              |                                                  |
              |                                                  needs some permission to `x.f`, holds none
              |
              = note: it fails for
                        x         = Ref#1
                        perm(x.f) = none
              = help: a function reads what its precondition gives permission to; inside a predicate, it is read by `unfolding … in …`

            error[application.precondition:assertion.false]: the precondition of the function application might not hold: it may be false
             --> test.vpr:7:43
              |
            3 |     requires n >= 0
              |              ------ asked for by the precondition: this might be false
            ...
            7 | method m(n: Int) requires n == 4 { assert wrong(n - 5) > 0 }
              |                                           ^^^^^^^^^^^^
              |
              = note: it fails for
                        n = 4

        "#]],
    );
}

#[test]
fn no_values_where_nobody_wants_them() {
    check_with(
        "method m(a: Int) { assert a != 2 }",
        &VerifyOptions { counterexamples: false, ..options() },
        expect![[r#"
            error[assert.failed:assertion.false]: the assertion might not hold: it may be false
             --> test.vpr:1:27
              |
            1 | method m(a: Int) { assert a != 2 }
              |                           ^^^^^^ this might be false

        "#]],
    );
}

#[test]
fn what_is_said_of_maps_fits_the_map() {
    check(
        "method few(x: Int, m: Map[Int, Int]) requires m == Map(1 := 7) {
    assert x == 1
}
method key(x: Int, m: Map[Int, Int]) requires x in domain(m) && x == 3 {
    assert m[x] != 4
}",
        expect![[r#"
            error[assert.failed:assertion.false]: the assertion might not hold: it may be false
             --> test.vpr:2:12
              |
            2 |     assert x == 1
              |            ^^^^^^ this might be false
              |
              = note: it fails for
                        x      = 0
                        x in m = false

            error[assert.failed:assertion.false]: the assertion might not hold: it may be false
             --> test.vpr:5:12
              |
            5 |     assert m[x] != 4
              |            ^^^^^^^^^ this might be false
              |
              = note: it fails for
                        x      = 3
                        x in m = true
                        m[x]   = 4

        "#]],
    );
}
