//! Terms that laws make the same, and terms that no law may make the same.

use process::{Algebra, Binder, Expression, Term, TermKind, Type, VariableId};

use crate::build::{
    act, add, alt, at_most, deadlock, empty, eq, int, less, model, par, seq, star, term, var, when,
};

fn a() -> Term {
    act(0, vec![])
}

fn b() -> Term {
    act(1, vec![])
}

fn c() -> Term {
    act(2, vec![])
}

fn binder(variable: u32, range: Option<(Expression, Expression)>) -> Binder {
    Binder { variable: VariableId(variable), name: "x".into(), ty: Type::Integer, range }
}

fn sum(variable: u32, condition: Expression, body: Term) -> Term {
    term(TermKind::Sum(binder(variable, None), condition, body))
}

fn family(variable: u32, from: Expression, to: Expression, body: Term) -> Term {
    term(TermKind::Family(binder(variable, Some((from, to))), body))
}

fn same(one: Term, other: Term) -> bool {
    let model = model(0, vec![], vec![]);
    let mut algebra = Algebra::new(&model);
    algebra.normalise(&one) == algebra.normalise(&other)
}

#[test]
fn laws_make_terms_the_same() {
    let any = || alt(a(), seq(b(), c()));
    let pairs = [
        (seq(empty(), any()), any()),
        (seq(any(), empty()), any()),
        (seq(deadlock(), any()), deadlock()),
        (seq(seq(a(), b()), c()), seq(a(), seq(b(), c()))),
        (seq(alt(a(), b()), c()), alt(seq(b(), c()), seq(a(), c()))),
        (alt(any(), alt(a(), deadlock())), any()),
        (par(a(), par(b(), empty())), par(b(), a())),
        (par(any(), deadlock()), seq(any(), deadlock())),
        (par(par(a(), deadlock()), b()), par(a(), par(b(), deadlock()))),
        (star(deadlock()), empty()),
        (star(star(alt(a(), empty()))), star(a())),
        (star(alt(star(a()), b())), star(alt(b(), a()))),
        (alt(star(a()), empty()), star(a())),
        (when(less(int(0), int(1)), a(), b()), a()),
        (when(less(int(0), var(0)), a(), b()), when(at_most(var(0), int(0)), b(), a())),
        (sum(5, eq(var(5), var(0)), act(3, vec![var(5)])), act(3, vec![var(0)])),
        (
            sum(5, less(int(0), var(5)), act(3, vec![var(5)])),
            sum(6, less(int(0), var(6)), act(3, vec![var(6)])),
        ),
        (
            seq(sum(5, less(int(0), var(5)), act(3, vec![var(5)])), a()),
            sum(5, less(int(0), var(5)), seq(act(3, vec![var(5)]), a())),
        ),
        (
            sum(5, less(int(0), var(5)), alt(a(), act(3, vec![var(5)]))),
            alt(sum(6, less(int(0), var(6)), act(3, vec![var(6)])), sum(7, less(int(0), var(7)), a())),
        ),
        (family(5, int(0), int(2), act(3, vec![var(5)])), par(act(3, vec![int(1)]), act(3, vec![int(0)]))),
        (family(5, var(0), add(var(0), int(1)), act(3, vec![var(5)])), act(3, vec![var(0)])),
        (family(5, var(0), var(0), a()), empty()),
    ];
    for (place, (one, other)) in pairs.into_iter().enumerate() {
        assert!(same(one, other), "the laws of pair {place}");
    }
}

#[test]
fn what_is_not_equal_is_not_made_the_same() {
    let pairs = [
        (seq(a(), alt(b(), c())), alt(seq(a(), b()), seq(a(), c()))),
        (seq(a(), deadlock()), deadlock()),
        (seq(a(), b()), seq(b(), a())),
        (par(a(), a()), a()),
        (alt(a(), empty()), a()),
        (star(a()), alt(a(), empty())),
        (sum(5, less(var(5), var(0)), a()), a()),
        (
            sum(5, less(int(0), var(5)), act(3, vec![var(5)])),
            sum(5, less(int(1), var(5)), act(3, vec![var(5)])),
        ),
        (
            sum(5, less(int(0), var(5)), sum(6, less(var(5), var(6)), act(4, vec![var(5), var(6)]))),
            sum(5, less(int(0), var(5)), sum(6, less(var(5), var(6)), act(4, vec![var(6), var(5)]))),
        ),
    ];
    for (place, (one, other)) in pairs.into_iter().enumerate() {
        assert!(!same(one, other), "the terms of pair {place}");
    }
}

#[test]
fn equal_components_are_counted() {
    let model = model(0, vec![], vec![]);
    let mut algebra = Algebra::new(&model);
    let many = family(5, int(0), int(1_000_000), a());
    let many = algebra.normalise(&many).expect("a count");
    let head = algebra.head(many).expect("one summand");
    assert_eq!((head.summands.len(), head.termination.len()), (1, 0));
    assert!(algebra.forms() < 16, "{} normal forms", algebra.forms());
}

/// Work is counted in normal forms: a shuffle of known components costs none but the shuffle itself.
#[test]
fn shuffles_of_a_parallel_composition_are_one_normal_form() {
    let model = model(0, vec![], vec![]);
    let mut algebra = Algebra::new(&model);
    let component = |number: u32| seq(act(number, vec![]), act(number + 12, vec![]));
    let first = (0..12).map(component).reduce(par).expect("there are some");
    let shuffled = [7, 2, 11, 0, 5, 9, 1, 10, 3, 8, 6, 4].into_iter().map(component);
    let second = shuffled.reduce(|one, other| par(other, one)).expect("there are some");
    let first = algebra.normalise(&first).expect("small");
    let before = algebra.forms();
    let second = algebra.normalise(&second).expect("small");
    assert_eq!(first, second);
    assert_eq!(algebra.forms(), before, "nothing new is built for the second");
    assert!(before < 64, "{before} normal forms");
}
