//! What a conversation with the solver costs beside the solver's own work.
//!
//! `cargo run --release -p probity-smt --example roundtrips [solver]`
#![allow(clippy::print_stdout)]

use std::time::{Duration, Instant};

use smt::{Answer, Budget, Session, Terms, recognise};

fn report(what: &str, time: Duration, count: u32) {
    println!("{what:48} {:9.1} µs", time.as_secs_f64() * 1e6 / f64::from(count));
}

fn main() -> Result<(), smt::SolverError> {
    let solver = recognise(std::env::args().nth(1).as_deref().unwrap_or("z3").as_ref())?;
    println!("{}", smt::solver_version(&solver.path)?);

    let start = Instant::now();
    for _ in 0..20 {
        Session::start(&solver, None)?;
    }
    report("start, no question", start.elapsed(), 20);

    let mut terms = Terms::new();
    let int = terms.int_sort();
    let start = Instant::now();
    for _ in 0..20 {
        let mut session = Session::start(&solver, None)?;
        let (x, y) = (terms.constant("x", int), terms.constant("y", int));
        let premise = terms.less(x, y);
        session.assert(&terms, premise);
        let goal = terms.less_equal(x, y);
        assert_eq!(session.prove(&terms, goal, &Budget::UNLIMITED), Answer::Unsat);
    }
    report("start and a first proof", start.elapsed(), 20);

    let rounds = 2000;
    for (what, budget) in [
        ("push, assert, prove, pop", Budget::UNLIMITED),
        ("the same with a resource limit", Budget::resources(100_000)),
        ("the same with a wall limit", Budget::wall(Duration::from_secs(10))),
    ] {
        let mut session = Session::start(&solver, None)?;
        let x = terms.constant("x", int);
        session.push();
        let warm = terms.equal(x, x);
        session.assert(&terms, warm);
        session.check(&budget);
        let start = Instant::now();
        for round in 0..rounds {
            session.push();
            let (low, high) = (terms.int(round), terms.int(round + 1));
            let premise = terms.less(high, x);
            session.assert(&terms, premise);
            let goal = terms.less(low, x);
            assert_eq!(session.prove(&terms, goal, &budget), Answer::Unsat);
            session.pop(1);
        }
        report(what, start.elapsed(), rounds);
    }

    // Forty frames with ten fresh facts each, as a path through a method has.
    let mut session = Session::start(&solver, None)?;
    let function = terms.function("f", &[int, int], int);
    let mut value = terms.constant("start", int);
    let start = Instant::now();
    for _ in 0..40 {
        session.push();
        for _ in 0..10 {
            let fresh = terms.fresh_constant("v", int);
            let applied = terms.apply(function, &[fresh, value]);
            let fact = terms.less(applied, fresh);
            session.assert(&terms, fact);
            let goal = terms.less_equal(applied, fresh);
            assert_eq!(session.prove(&terms, goal, &Budget::resources(100_000)), Answer::Unsat);
            value = applied;
        }
    }
    report("a proof on a growing stack with growing terms", start.elapsed(), 400);
    println!("{:?}", session.statistics());
    Ok(())
}
