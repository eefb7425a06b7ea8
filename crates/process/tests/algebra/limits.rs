//! Terms that nobody writes: answered or refused, without a hang and without an overflow.

use process::{Algebra, Binder, Limit, OnSight, TermKind, Type, VariableId};

use crate::build::{
    act, add, alt, call, empty, int, less, model, par, process, seq, star, sub, term, var, when,
};

#[test]
fn chains_may_be_long() {
    let model = model(0, vec![], vec![]);
    let mut algebra = Algebra::new(&model);
    for (left, right) in [(true, false), (false, true)] {
        let mut chain = act(0, vec![]);
        for _ in 0..100_000 {
            chain = if left { seq(chain, act(1, vec![])) } else { seq(act(1, vec![]), chain) };
        }
        let normal = algebra.normalise(&chain).expect("only long");
        assert_eq!(algebra.head(normal).expect("an action").summands.len(), 1);
        let longer = algebra.normalise(&seq(chain, star(act(2, vec![])))).expect("only long");
        assert_ne!(normal, longer);
        assert!(left != right);
    }
}

#[test]
fn nesting_is_bounded() {
    let model = model(0, vec![], vec![]);
    let mut algebra = Algebra::new(&model);
    let mut deep = act(0, vec![]);
    for level in 0..100_000 {
        deep = if level % 2 == 0 { star(seq(act(1, vec![]), deep)) } else { alt(act(2, vec![]), deep) };
    }
    assert_eq!(algebra.normalise(&deep), Err(Limit::TermSize));
    let mut argument = var(0);
    for _ in 0..5_000 {
        argument = add(argument.clone(), var(1));
    }
    assert_eq!(algebra.normalise(&act(3, vec![argument])), Err(Limit::ExpressionSize));
}

#[test]
fn shared_terms_stay_shared() {
    let model = model(0, vec![], vec![]);
    let mut algebra = Algebra::new(&model);
    // Two to the power of forty, written out: refused before it is read.
    let mut shared = act(0, vec![]);
    for _ in 0..40 {
        shared = alt(seq(act(1, vec![]), shared.clone()), seq(act(2, vec![]), shared));
    }
    assert_eq!(algebra.normalise(&shared), Err(Limit::TermSize));
    // Forty choices one after the other: right distribution shares what follows.
    let choices = (0..40).map(|_| alt(act(1, vec![]), alt(act(2, vec![]), empty())));
    let choices = choices.reduce(seq).expect("there are some");
    let normal = algebra.normalise(&choices).expect("shared");
    let again = algebra.normalise(&seq(choices, act(3, vec![int(1)]))).expect("shared");
    assert_ne!(normal, again);
    assert!(algebra.forms() < 4_000, "{} normal forms", algebra.forms());
}

#[test]
fn binders_may_be_nested() {
    let model = model(0, vec![], vec![]);
    let mut algebra = Algebra::new(&model);
    let nested = |first: u32| {
        let mut body = act(0, (0..60).map(|place| var(first + place)).collect());
        for place in 0..60 {
            let variable = VariableId(first + place);
            let binder = Binder { variable, name: "x".into(), ty: Type::Integer, range: None };
            body = term(TermKind::Sum(binder, less(int(0), var(first + place)), body));
        }
        body
    };
    let one = algebra.normalise(&nested(100)).expect("sixty deep");
    let other = algebra.normalise(&nested(300)).expect("sixty deep");
    assert_eq!(one, other, "names make no difference");
}

#[test]
fn products_and_growing_recursion_are_refused() {
    let model = model(
        0,
        vec![],
        vec![
            process(vec![0], vec![], vec![], seq(act(3, vec![var(0)]), call(0, vec![add(var(0), var(0))]))),
            process(vec![], vec![], vec![], seq(act(0, vec![]), par(call(1, vec![]), call(1, vec![])))),
            process(vec![1], vec![], vec![], {
                let two = alt(call(2, vec![sub(var(1), int(1))]), call(2, vec![sub(var(1), int(2))]));
                when(less(int(0), var(1)), two, act(0, vec![]))
            }),
        ],
    );
    let mut algebra = Algebra::new(&model);
    let mut unknown = |one, other| {
        let found = algebra.equal_terms(&one, &other, &[], &mut OnSight);
        assert!(!found.is_equal() && !found.is_different(), "{found:?}");
    };
    unknown(call(0, vec![var(9)]), call(0, vec![var(8)]));
    unknown(call(1, vec![]), par(call(1, vec![]), call(1, vec![])));
    unknown(call(2, vec![var(9)]), act(0, vec![]));
    let wide = (0..24).map(|number| seq(act(number, vec![]), act(number + 30, vec![]))).reduce(par);
    let wide = wide.expect("there are some");
    let other = alt(wide.clone(), seq(act(60, vec![]), empty()));
    assert!(!algebra.equal_terms(&wide, &other, &[], &mut OnSight).is_equal());
}
