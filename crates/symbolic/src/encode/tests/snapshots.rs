//! Snapshots: the rewrites and the axioms behind them.

use expect_test::expect;
use silver::typed::{Program, Type};

use super::encoder;
use super::text::lines;

#[test]
fn pairing_and_projections_undo_each_other() {
    let program = Program::default();
    let mut encoder = encoder(&program);
    let sort = encoder.snap_sort();
    let (s, t) = (encoder.terms.fresh_constant("s", sort), encoder.terms.fresh_constant("t", sort));
    let pair = encoder.combine(s, t);
    assert_eq!(encoder.first(pair), s);
    assert_eq!(encoder.second(pair), t);
    let (first, second) = (encoder.first(s), encoder.second(s));
    assert_eq!(encoder.combine(first, second), s);
    let other = encoder.second(t);
    assert_ne!(encoder.combine(first, other), s);
    assert_ne!(encoder.combine(second, first), s);
}

#[test]
fn unwrapping_undoes_wrapping_at_the_same_sort_only() {
    let program = Program::default();
    let mut encoder = encoder(&program);
    let (int, bool) = (encoder.terms.int_sort(), encoder.terms.bool_sort());
    let seven = encoder.terms.int(7);
    let wrapped = encoder.wrap(seven);
    assert_eq!(encoder.unwrap(wrapped, int), seven);
    let confused = encoder.unwrap(wrapped, bool);
    assert_eq!(encoder.terms.sort_of(confused), bool);
    let sort = encoder.snap_sort();
    let snapshot = encoder.terms.fresh_constant("s", sort);
    assert_eq!(encoder.wrap(snapshot), snapshot);
    assert_eq!(encoder.unwrap(snapshot, sort), snapshot);
    let value = encoder.unwrap(snapshot, int);
    assert_ne!(encoder.wrap(value), snapshot);
}

#[test]
fn axioms_are_handed_out_once_and_for_sorts_in_use() {
    let program = Program::default();
    let mut encoder = encoder(&program);
    let null = encoder.null();
    encoder.wrap(null);
    let axioms = encoder.take_axioms();
    expect![[r#"
        (forall [$Snap.halves_of_pair] left#0:$Snap right#1:$Snap {($Snap.combine left#0 right#1)} (And (Equal left#0 ($Snap.first ($Snap.combine left#0 right#1))) (Equal right#1 ($Snap.second ($Snap.combine left#0 right#1)))))
        (forall [$Snap.pair_of_halves] whole#2:$Snap {($Snap.first whole#2)} {($Snap.second whole#2)} (Equal whole#2 ($Snap.combine ($Snap.first whole#2) ($Snap.second whole#2))))
        (forall [$Snap.wrap<$Ref>.unwrap_wrap] value#3:$Ref {($Snap.wrap<$Ref> value#3)} (Equal value#3 ($Snap.unwrap<$Ref> ($Snap.wrap<$Ref> value#3))))
    "#]].assert_eq(&lines(&encoder.terms, &axioms));
    assert!(encoder.take_axioms().is_empty());
    let perm = encoder.sort(&Type::Perm);
    let unit = encoder.unit();
    encoder.unwrap(unit, perm);
    let axioms = encoder.take_axioms();
    expect![[r#"
        (forall [$Snap.wrap<Real>.unwrap_wrap] value#4:Real {($Snap.wrap<Real> value#4)} (Equal value#4 ($Snap.unwrap<Real> ($Snap.wrap<Real> value#4))))
    "#]].assert_eq(&lines(&encoder.terms, &axioms));
}
