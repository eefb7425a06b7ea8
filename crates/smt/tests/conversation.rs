//! Sessions with a real solver. `PROBITY_Z3` names it; without it, `z3` or `cvc5` on the search path is used.

use std::time::Duration;

use smt::{Answer, Budget, Session, SolverOptions, Terms, UnknownReason, find_solver};

fn solver() -> SolverOptions {
    find_solver(None).unwrap_or_else(|error| panic!("{error}"))
}

fn session() -> Session {
    Session::start(&solver(), None).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn proves_what_follows_and_nothing_else() {
    let mut terms = Terms::new();
    let mut session = session();
    let int = terms.int_sort();
    let (x, y) = (terms.constant("x", int), terms.constant("y", int));
    let premise = terms.less(x, y);
    session.assert(&terms, premise);
    let goal = terms.less_equal(x, y);
    assert_eq!(session.prove(&terms, goal, &Budget::UNLIMITED), Answer::Unsat);
    let goal = terms.less_equal(y, x);
    assert_eq!(session.prove(&terms, goal, &Budget::UNLIMITED), Answer::Sat);
    assert_eq!(session.depth(), 0);
    assert_eq!(session.statistics().queries, 2);
}

#[test]
fn frames_come_and_go() {
    let mut terms = Terms::new();
    let mut session = session();
    let int = terms.int_sort();
    let x = terms.constant("x", int);
    let (zero, one) = (terms.int(0), terms.int(1));
    let positive = terms.less(zero, x);
    let small = terms.less(x, one);
    session.push();
    session.assert(&terms, positive);
    session.push();
    session.assert(&terms, small);
    assert_eq!(session.check(&terms, &Budget::UNLIMITED), Answer::Unsat);
    session.pop(1);
    assert_eq!(session.check(&terms, &Budget::UNLIMITED), Answer::Sat);
    // Never sent, so never taken back.
    session.push();
    session.push();
    session.assert(&terms, small);
    session.pop(2);
    assert_eq!(session.check(&terms, &Budget::UNLIMITED), Answer::Sat);
    session.pop(1);
    session.assert(&terms, small);
    assert_eq!(session.check(&terms, &Budget::UNLIMITED), Answer::Sat);
    assert_eq!(session.depth(), 0);
}

#[test]
fn a_restart_forgets_nothing() {
    let mut terms = Terms::new();
    let mut session = session();
    let int = terms.int_sort();
    let x = terms.constant("x", int);
    let (zero, one) = (terms.int(0), terms.int(1));
    let positive = terms.less(zero, x);
    let small = terms.less(x, one);
    session.assert(&terms, positive);
    session.push();
    session.assert(&terms, small);
    assert_eq!(session.check(&terms, &Budget::UNLIMITED), Answer::Unsat);
    session.restart().unwrap();
    assert_eq!(session.check(&terms, &Budget::UNLIMITED), Answer::Unsat);
    session.pop(1);
    assert_eq!(session.check(&terms, &Budget::UNLIMITED), Answer::Sat);
}

#[test]
fn a_wall_limit_kills_and_the_next_question_is_answered() {
    let mut terms = Terms::new();
    let mut session = session();
    let int = terms.int_sort();
    let numbers: Vec<_> = (0..6).map(|i| terms.constant(&format!("n{i}"), int)).collect();
    session.push();
    // A sum of cubes that nobody knows quickly.
    let mut sum = terms.int(0);
    for n in &numbers[..3] {
        let square = terms.multiply(*n, *n);
        let cube = terms.multiply(square, *n);
        sum = terms.add(sum, cube);
    }
    let hard = terms.int(114);
    let equation = terms.equal(sum, hard);
    session.assert(&terms, equation);
    let answer = session.check(&terms, &Budget::wall(Duration::from_millis(300)));
    assert_eq!(answer, Answer::Unknown(UnknownReason::Timeout));
    session.pop(1);
    assert_eq!(session.check(&terms, &Budget::UNLIMITED), Answer::Sat);
    assert_eq!(session.statistics().restarts, 1);
}
