//! What a term does first, and whether it may end.

use process::{Algebra, Binder, Limit, Model, Term, TermKind, Type, VariableId};

use crate::build::{
    act, alt, call, deadlock, empty, foreign, int, less, model, par, process, seq, star, sub, term, var, when,
};

fn summands(model: &Model, term: &Term) -> usize {
    let mut algebra = Algebra::new(model);
    let normal = algebra.normalise(term).expect("small");
    algebra.head(normal).expect("guarded").summands.len()
}

/// `P(n) = 0 < n ? a * P(n - 1) : empty` and `Q(n) = 0 < n ? a || Q(n - 1) : empty`.
fn recursive() -> Model {
    let smaller = |process| call(process, vec![sub(var(0), int(1))]);
    let body = |inside: Term| when(less(int(0), var(0)), inside, empty());
    model(
        0,
        vec![],
        vec![
            process(vec![0], vec![], vec![], body(seq(act(0, vec![]), smaller(0)))),
            process(vec![1], vec![], vec![], {
                let smaller = call(1, vec![sub(var(1), int(1))]);
                when(less(int(0), var(1)), par(act(0, vec![]), smaller), empty())
            }),
            process(vec![], vec![], vec![], alt(call(2, vec![]), act(0, vec![]))),
        ],
    )
}

#[test]
fn components_move_one_at_a_time() {
    let model = model(0, vec![], vec![]);
    let (a, b) = (act(0, vec![]), act(1, vec![]));
    assert_eq!(summands(&model, &par(a.clone(), b.clone())), 2);
    assert_eq!(summands(&model, &par(a.clone(), a.clone())), 1, "equal components are one");
    assert_eq!(summands(&model, &seq(star(a.clone()), b.clone())), 2, "what may end lets the next begin");
    assert_eq!(summands(&model, &seq(alt(a, empty()), alt(b, deadlock()))), 2);
}

#[test]
fn conditions_stay_with_summands() {
    let model = recursive();
    let mut algebra = Algebra::new(&model);
    let normal = algebra.normalise(&call(0, vec![var(9)])).expect("small");
    let head = algebra.head(normal).expect("guarded");
    assert_eq!(head.summands.len(), 1);
    assert!(!head.summands[0].guard.is_true());
    assert_eq!(head.termination.len(), 1);
    assert!(!head.termination[0].is_true());
}

#[test]
fn recursion_without_guard_is_found() {
    let model = recursive();
    let mut algebra = Algebra::new(&model);
    let unguarded = algebra.normalise(&call(2, vec![])).expect("small");
    assert_eq!(algebra.head(unguarded).err(), Some(Limit::Unguarded(process::ProcessId(2))));
    let unknown = algebra.normalise(&call(1, vec![var(9)])).expect("small");
    assert!(matches!(algebra.head(unknown), Err(Limit::Unguarded(_))));
    let partial = algebra.partial_head(unknown).expect("what is near");
    assert!(!partial.summands.is_empty());
    let known = algebra.normalise(&call(1, vec![int(5)])).expect("small");
    assert_eq!(algebra.head(known).expect("its data shrink").summands.len(), 5, "one for each that may move");
}

#[test]
fn termination_needs_no_head() {
    let model = recursive();
    let mut algebra = Algebra::new(&model);
    let mut ends = |term: Term| {
        let normal = algebra.normalise(&term).expect("small");
        algebra.termination(normal).map(|guards| guards.iter().any(process::Guard::is_true))
    };
    let a = || act(0, vec![]);
    assert_eq!(ends(star(a())), Ok(true));
    assert_eq!(ends(alt(a(), empty())), Ok(true));
    assert_eq!(ends(a()), Ok(false));
    assert_eq!(ends(par(star(a()), call(2, vec![]))), Ok(false), "the least solution, without unfolding");
}

#[test]
fn a_family_moves_at_a_bound_index() {
    let model = model(0, vec![], vec![]);
    let mut algebra = Algebra::new(&model);
    let binder = Binder {
        variable: VariableId(5),
        name: "i".into(),
        ty: Type::Integer,
        range: Some((int(0), var(0))),
    };
    let family = term(TermKind::Family(binder, seq(act(3, vec![var(5)]), act(1, vec![]))));
    let normal = algebra.normalise(&family).expect("small");
    let head = algebra.head(normal).expect("one member moves");
    assert_eq!(head.summands.len(), 1);
    assert_eq!(head.summands[0].guard.binders.len(), 1);
    assert_eq!(head.termination.len(), 1, "where it is empty");
}

#[test]
fn a_foreign_term_hides_what_comes_after_it() {
    let model = model(0, vec![], vec![]);
    let mut algebra = Algebra::new(&model);
    let normal = algebra.normalise(&par(seq(foreign(0), act(0, vec![])), act(1, vec![]))).expect("small");
    let head = algebra.head(normal).expect("one is opaque");
    assert_eq!(head.opaque.len(), 1);
    assert_eq!(
        head.summands.len(),
        2,
        "the other component, and what follows where the foreign term may end"
    );
    assert_eq!(head.summands.iter().filter(|summand| summand.guard.foreign_ends.is_empty()).count(), 1);
}
