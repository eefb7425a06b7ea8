//! What the proof of a program may assume about terms.

use process::{ActionId, Algebra, Binder, Model, Term, TermKind, Type, VariableId};

use crate::build::{
    act, alt, call, empty, eq, foreign, int, less, model, par, process, seq, star, sub, term, var, when,
};

/// 0: `Session(n) = 0 < n ? acquire * release * Session(n - 1) : empty`. 1: `Q(n) = 0 < n ? decr || Q(n - 1) : empty`.
/// 2: `R(v) = (\sum int x; 0 < x; recv(x) * S(v + x))`. 3: `S(v) = put(v)`.
fn models() -> Model {
    let sum = |variable: u32, condition, body| {
        let binder =
            Binder { variable: VariableId(variable), name: "x".into(), ty: Type::Integer, range: None };
        term(TermKind::Sum(binder, condition, body))
    };
    model(
        0,
        vec![],
        vec![
            process(vec![0], vec![], vec![], {
                let again = call(0, vec![sub(var(0), int(1))]);
                when(less(int(0), var(0)), seq(act(0, vec![]), seq(act(1, vec![]), again)), empty())
            }),
            process(vec![1], vec![], vec![], {
                let again = call(1, vec![sub(var(1), int(1))]);
                when(less(int(0), var(1)), par(act(2, vec![]), again), empty())
            }),
            process(vec![2], vec![], vec![], {
                let rest = call(3, vec![crate::build::add(var(2), var(3))]);
                sum(3, less(int(0), var(3)), seq(act(4, vec![var(3)]), rest))
            }),
            process(vec![4], vec![], vec![], act(3, vec![var(4)])),
        ],
    )
}

fn steps(held: &Term, action: u32, arguments: Vec<process::Expression>, then: &Term) -> Vec<usize> {
    let model = models();
    let mut algebra = Algebra::new(&model);
    let found = algebra.step_equations(held, ActionId(action), &arguments, then).expect("small");
    for equation in &found {
        assert_eq!(equation.left, *held);
        let TermKind::Choice(_, same) = equation.right.kind() else { panic!("a choice") };
        assert_eq!(same, held);
    }
    found.iter().map(|equation| equation.conditions.len() + equation.terms.len()).collect()
}

#[test]
fn a_step_out_of_a_call_needs_its_condition() {
    let session = call(0, vec![var(9)]);
    let rest = seq(act(1, vec![]), call(0, vec![sub(var(9), int(1))]));
    assert_eq!(steps(&session, 0, vec![], &rest), [1]);
    assert_eq!(steps(&session, 1, vec![], &rest), [] as [usize; 0], "release is not offered");
    assert_eq!(steps(&session, 0, vec![], &call(0, vec![var(9)])), [] as [usize; 0], "the rest is another");
}

#[test]
fn a_step_of_one_component_leaves_the_others() {
    let held = par(call(0, vec![int(2)]), act(2, vec![]));
    assert_eq!(steps(&held, 2, vec![], &call(0, vec![int(2)])), [0]);
    assert_eq!(
        steps(&held, 0, vec![], &par(act(2, vec![]), seq(act(1, vec![]), call(0, vec![int(1)])))),
        [0]
    );
}

#[test]
fn a_step_into_a_sum_gives_its_value() {
    let held = call(2, vec![var(8)]);
    let rest = call(3, vec![crate::build::add(var(8), var(9))]);
    assert_eq!(steps(&held, 4, vec![var(9)], &rest), [1], "only that the value is positive");
    assert_eq!(steps(&held, 4, vec![int(5)], &call(3, vec![crate::build::add(var(8), int(5))])), [0]);
    assert_eq!(steps(&held, 4, vec![int(-5)], &call(3, vec![sub(var(8), int(5))])), [] as [usize; 0]);
}

#[test]
fn a_step_under_unguarded_recursion() {
    let held = call(1, vec![var(9)]);
    let found = steps(&held, 2, vec![], &call(1, vec![sub(var(9), int(1))]));
    assert_eq!(found.first(), Some(&1));
}

#[test]
fn a_rest_that_only_the_language_knows_is_left_to_it() {
    let held = seq(act(0, vec![]), foreign(7));
    assert_eq!(steps(&held, 0, vec![], &foreign(7)), [0]);
    assert_eq!(steps(&held, 0, vec![], &act(1, vec![])), [1], "the language has to know that they are equal");
}

#[test]
fn choices_and_equalities_have_their_conditions() {
    let model = models();
    let mut algebra = Algebra::new(&model);
    let (a, b) = (act(0, vec![]), act(1, vec![]));
    let either = alt(a.clone(), seq(b.clone(), a.clone()));
    let chosen = algebra.choice_equations(&either, &seq(b.clone(), a.clone())).expect("small");
    assert!(chosen.first().is_some_and(|found| found.conditions.is_empty() && found.terms.is_empty()));
    assert!(algebra.choice_equations(&either, &b).expect("small").is_empty());
    let whole = call(1, vec![var(9)]);
    let spawned = par(act(2, vec![]), call(1, vec![sub(var(9), int(1))]));
    let equal = algebra.equations(&whole, &spawned).expect("small");
    assert_eq!(equal.first().map(|found| found.conditions.clone()), Some(vec![less(int(0), var(9))]));
    let other = algebra.equations(&call(1, vec![var(9)]), &call(1, vec![var(8)])).expect("small");
    assert_eq!(other.first().map(|found| found.conditions.clone()), Some(vec![eq(var(9), var(8))]));
}

#[test]
fn what_may_end_says_so() {
    let model = models();
    let mut algebra = Algebra::new(&model);
    let mut conditions = |term: &Term| {
        let found = algebra.end_equation(term).expect("small");
        found.map(|equation| equation.conditions.len())
    };
    assert_eq!(conditions(&star(act(0, vec![]))), Some(0));
    assert_eq!(conditions(&alt(act(0, vec![]), empty())), Some(0));
    assert_eq!(conditions(&act(0, vec![])), None);
    assert_eq!(conditions(&call(0, vec![var(9)])), Some(1));
    let equation = algebra.head_equation(&call(0, vec![var(9)])).expect("small").expect("no foreign term");
    assert!(matches!(equation.right.kind(), TermKind::Choice(..)));
}

#[test]
fn a_family_is_cut_where_the_other_side_is() {
    let model = models();
    let mut algebra = Algebra::new(&model);
    let family = |from, to| {
        let range = Some((from, to));
        let binder = Binder { variable: VariableId(40), name: "i".into(), ty: Type::Integer, range };
        term(TermKind::Family(binder, act(4, vec![var(40)])))
    };
    let whole = family(int(0), var(9));
    let member = act(4, vec![var(8)]);
    let cut =
        par(family(int(0), var(8)), par(member.clone(), family(crate::build::add(var(8), int(1)), var(9))));
    let found = algebra.equations(&whole, &cut).expect("small");
    let conditions = &found.first().expect("they are equal where the cut is inside").conditions;
    assert!((2..=3).contains(&conditions.len()), "{conditions:?}");
    let others = par(family(int(0), var(8)), family(crate::build::add(var(8), int(1)), var(9)));
    let step = algebra.step_equations(&whole, ActionId(4), &[var(8)], &others).expect("small");
    assert_eq!(step.first().map(|found| found.conditions.len()), Some(2), "the index is inside");
}
