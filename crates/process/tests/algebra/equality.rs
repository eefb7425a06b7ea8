//! Equality with data, recursion and foreign terms.

use process::{Algebra, Binder, Distinction, Equality, Model, OnSight, Term, TermKind, Type, VariableId};

use crate::build::{
    act, add, alt, call, deadlock, empty, foreign, int, less, model, par, process, seq, star, sub, term, var,
    when,
};

/// 0: `P(n) = 0 < n ? a * b * P(n - 1) : empty`. 1: the same, said otherwise. 2: with the last `b` left out.
/// 3: `C() = a * b * C()`. 4: `D() = a * b * a * b * D()`. 5: `Q(n) = 0 < n ? a || Q(n - 1) : empty`.
fn models() -> Model {
    let a = || act(0, vec![]);
    let b = || act(1, vec![]);
    let less_by = |parameter, number| sub(var(parameter), int(number));
    model(
        0,
        vec![],
        vec![
            process(vec![0], vec![], vec![], {
                let again = call(0, vec![less_by(0, 1)]);
                when(less(int(0), var(0)), seq(a(), seq(b(), again)), empty())
            }),
            process(vec![1], vec![], vec![], {
                let again = call(1, vec![less_by(1, 1)]);
                let step = seq(alt(a(), deadlock()), seq(seq(b(), alt(again.clone(), again)), empty()));
                when(less(int(0), var(1)), step, empty())
            }),
            process(vec![2], vec![], vec![], {
                let again = seq(b(), call(2, vec![less_by(2, 1)]));
                let last = when(less(int(1), var(2)), again, empty());
                when(less(int(0), var(2)), seq(a(), last), empty())
            }),
            process(vec![], vec![], vec![], seq(a(), seq(b(), call(3, vec![])))),
            process(vec![], vec![], vec![], seq(a(), seq(b(), seq(a(), seq(b(), call(4, vec![])))))),
            process(vec![5], vec![], vec![], {
                let again = call(5, vec![less_by(5, 1)]);
                when(less(int(0), var(5)), par(a(), again), empty())
            }),
        ],
    )
}

fn compared(one: &Term, other: &Term) -> Equality {
    let model = models();
    Algebra::new(&model).equal_terms(one, other, &[], &mut OnSight)
}

#[test]
fn recursion_is_compared_by_coinduction() {
    assert!(compared(&call(3, vec![]), &call(4, vec![])).is_equal());
    assert!(compared(&call(0, vec![var(9)]), &call(1, vec![var(9)])).is_equal(), "for all n");
    assert!(!compared(&call(0, vec![var(9)]), &call(2, vec![var(9)])).is_equal());
    assert!(!compared(&call(0, vec![var(9)]), &call(1, vec![var(8)])).is_equal(), "n and m");
    assert!(compared(&call(0, vec![int(4)]), &call(2, vec![int(4)])).is_different());
}

#[test]
fn what_is_assumed_counts() {
    let model = models();
    let mut algebra = Algebra::new(&model);
    let spawned = par(act(0, vec![]), call(5, vec![sub(var(9), int(1))]));
    let whole = call(5, vec![var(9)]);
    let positive = less(int(0), var(9));
    assert!(algebra.equal_terms(&whole, &spawned, &[positive], &mut OnSight).is_equal());
    let Equality::Unknown(doubt) = algebra.equal_terms(&whole, &spawned, &[], &mut OnSight) else {
        panic!("nothing is known about n");
    };
    assert!(!doubt.needed.is_empty(), "it says what it needed");
}

#[test]
fn arguments_that_are_equal_on_sight() {
    let one = call(0, vec![sub(add(var(9), int(2)), int(1))]);
    assert!(compared(&one, &call(0, vec![add(int(1), var(9))])).is_equal());
}

/// A process that binds a variable is unfolded under a binder: both variables stay apart.
#[test]
fn binders_do_not_capture() {
    let sum = |variable: u32, body: Term| {
        let variable = VariableId(variable);
        let binder = Binder { variable, name: "x".into(), ty: Type::Integer, range: None };
        term(TermKind::Sum(binder, less(int(0), var(variable.0)), body))
    };
    let model = model(
        0,
        vec![],
        vec![
            process(vec![0], vec![], vec![], sum(1, act(4, vec![var(0), var(1)]))),
            process(vec![2], vec![], vec![], sum(3, act(4, vec![var(3), var(3)]))),
            process(vec![4], vec![], vec![], sum(8, act(4, vec![var(4), var(8)]))),
        ],
    );
    let mut algebra = Algebra::new(&model);
    let called = sum(5, call(0, vec![var(5)]));
    let mut equal = |other: Term| algebra.equal_terms(&called, &other, &[], &mut OnSight).is_equal();
    assert!(equal(sum(6, sum(7, act(4, vec![var(6), var(7)])))));
    assert!(!equal(sum(6, sum(7, act(4, vec![var(7), var(7)])))));
    assert!(!equal(sum(6, sum(7, act(4, vec![var(6), var(6)])))));
    assert!(!equal(sum(6, act(4, vec![var(6), var(6)]))));
    assert!(!equal(sum(6, call(1, vec![var(6)]))));
    assert!(equal(sum(6, call(2, vec![var(6)]))));
}

#[test]
fn differences_are_explained() {
    let a = || act(0, vec![]);
    let late = seq(a(), alt(act(1, vec![]), act(2, vec![])));
    let early = alt(seq(a(), act(1, vec![])), seq(a(), act(2, vec![])));
    let Equality::Different(difference) = compared(&late, &early) else { panic!("left distribution") };
    assert_eq!(difference.after.len(), 1);
    assert!(matches!(difference.what, Distinction::Does { .. }));
    let Equality::Different(difference) = compared(&seq(a(), star(a())), &seq(a(), a())) else {
        panic!("one may end")
    };
    assert!(matches!(difference.what, Distinction::Ends { first: true }));
}

#[test]
fn foreign_terms_are_equal_to_themselves() {
    let (p, q) = (|| foreign(0), || foreign(1));
    let a = || act(0, vec![]);
    assert!(compared(&par(p(), seq(q(), a())), &par(seq(q(), a()), p())).is_equal());
    assert!(compared(&seq(alt(p(), q()), a()), &alt(seq(q(), a()), seq(p(), a()))).is_equal());
    assert!(compared(&par(p(), star(star(a()))), &par(alt(star(a()), empty()), p())).is_equal());
    assert!(!compared(&p(), &q()).is_equal());
    assert!(!compared(&p(), &alt(p(), empty())).is_equal(), "it may not be able to end");
    assert!(!compared(&seq(p(), q()), &seq(q(), p())).is_equal());
    assert!(matches!(compared(&p(), &a()), Equality::Unknown(_)), "the variable may be just that");
}
