//! Sessions with real solvers: the one that `PROBITY_Z3` names, and `z3` and `cvc5` where they are on the search
//! path.

mod support;

use std::time::Duration;

use smt::{
    Answer, BigInt, BigRational, Budget, ModelValue, Session, SessionOptions, SolverKind, SolverOptions,
    Term, Terms, UnknownReason,
};
use support::find_solver;

const FREELY: Budget = Budget::UNLIMITED;
const INCOMPLETE: Answer = Answer::Unknown(UnknownReason::Incomplete);

fn solvers() -> Vec<SolverOptions> {
    let mut solvers: Vec<SolverOptions> = Vec::new();
    for name in [None, Some("z3"), Some("cvc5")] {
        match find_solver(name) {
            Ok(solver) if solvers.iter().all(|known| known.path != solver.path) => solvers.push(solver),
            Ok(_) => {}
            Err(error) => assert!(name.is_some(), "{error}"),
        }
    }
    solvers
}

fn with_each_solver(test: impl Fn(Session, &mut Terms)) {
    for solver in solvers() {
        test(Session::start(&solver, None).unwrap(), &mut Terms::new());
    }
}

fn with_z3(test: impl Fn(&SolverOptions, &mut Terms)) {
    for solver in solvers().into_iter().filter(|solver| solver.kind == SolverKind::Z3) {
        test(&solver, &mut Terms::new());
    }
}

/// `0 < x` and `x < 1`.
fn contradiction(terms: &mut Terms) -> (Term, Term) {
    let x = terms.constant("x", terms.int_sort());
    let (zero, one) = (terms.int(0), terms.int(1));
    (terms.less(zero, x), terms.less(x, one))
}

/// A sum of three cubes that nobody has found yet.
fn hard_equation(terms: &mut Terms) -> Term {
    let int = terms.int_sort();
    let mut sum = terms.int(0);
    for name in ["a", "b", "c"] {
        let number = terms.constant(name, int);
        let square = terms.multiply(number, number);
        let cube = terms.multiply(square, number);
        sum = terms.add(sum, cube);
    }
    let target = terms.int(114);
    terms.equal(sum, target)
}

#[test]
fn a_session_can_move_to_another_thread() {
    with_each_solver(|mut session, terms| {
        let (positive, small) = contradiction(terms);
        session.assert(terms, positive);
        let goal = terms.not(small);
        let answer = std::thread::scope(|scope| {
            scope.spawn(move || session.prove(terms, goal, &FREELY)).join().unwrap()
        });
        assert_eq!(answer, Answer::Unsat);
    });
}

#[test]
fn what_follows_is_proved_and_nothing_else() {
    with_each_solver(|mut session, terms| {
        let (positive, small) = contradiction(terms);
        session.assert(terms, positive);
        let goal = terms.not(small);
        assert_eq!(session.prove(terms, goal, &FREELY), Answer::Unsat);
        assert_eq!(session.prove(terms, small, &FREELY), Answer::Sat);
        assert_eq!(session.prove(terms, terms.true_(), &FREELY), Answer::Unsat);
        assert_eq!(session.prove(terms, terms.false_(), &FREELY), Answer::Sat);
        assert_eq!((session.depth(), session.statistics().queries), (0, 3));
    });
}

#[test]
fn frames_come_and_go() {
    with_each_solver(|mut session, terms| {
        let (positive, small) = contradiction(terms);
        session.push();
        session.assert(terms, positive);
        session.push();
        session.assert(terms, small);
        assert_eq!(session.check(&FREELY), Answer::Unsat);
        session.pop(1);
        assert_eq!(session.check(&FREELY), Answer::Sat);
        // Never sent, so never taken back.
        session.push();
        session.push();
        session.assert(terms, small);
        session.pop(2);
        assert_eq!(session.check(&FREELY), Answer::Sat);
        // Sent in part.
        session.push();
        session.assert(terms, small);
        assert_eq!(session.check(&FREELY), Answer::Unsat);
        session.push();
        session.pop(3);
        session.assert(terms, small);
        assert_eq!(session.check(&FREELY), Answer::Sat);
        assert_eq!(session.depth(), 0);
    });
}

#[test]
fn a_restart_forgets_nothing() {
    with_each_solver(|mut session, terms| {
        let (positive, small) = contradiction(terms);
        session.assert(terms, positive);
        session.push();
        session.assert(terms, small);
        assert_eq!(session.check(&FREELY), Answer::Unsat);
        session.restart().unwrap();
        assert_eq!(session.check(&FREELY), Answer::Unsat);
        session.restart().unwrap();
        session.pop(1);
        assert_eq!(session.check(&FREELY), Answer::Sat);
    });
}

#[test]
fn a_wall_limit_kills_and_the_next_question_is_answered() {
    with_each_solver(|mut session, terms| {
        let (positive, small) = contradiction(terms);
        session.assert(terms, positive);
        let equation = hard_equation(terms);
        session.push();
        session.assert(terms, equation);
        let answer = session.check(&Budget::wall(Duration::from_millis(200)));
        assert_eq!(answer, Answer::Unknown(UnknownReason::Timeout));
        session.pop(1);
        assert_eq!(session.check(&FREELY), Answer::Sat);
        session.assert(terms, small);
        assert_eq!(session.check(&FREELY), Answer::Unsat);
        assert_eq!(session.statistics().restarts, 1);
    });
}

#[test]
fn a_resource_limit_is_for_one_question() {
    with_each_solver(|mut session, terms| {
        let (positive, small) = contradiction(terms);
        let equation = hard_equation(terms);
        session.assert(terms, positive);
        let budget = Budget::resources(200_000);
        for _ in 0..10 {
            session.push();
            session.assert(terms, equation);
            assert_eq!(session.check(&budget), Answer::Unknown(UnknownReason::ResourceLimit));
            session.pop(1);
            session.push();
            let goal = terms.not(small);
            assert_eq!(session.prove(terms, goal, &budget), Answer::Unsat);
        }
        assert_eq!(session.statistics().restarts, 0);
    });
}

#[test]
fn resources_are_counted() {
    with_z3(|solver, terms| {
        let mut session = Session::start(solver, None).unwrap();
        let equation = hard_equation(terms);
        session.assert(terms, equation);
        session.check(&Budget::resources(100_000));
        let spent = session.statistics().resources;
        assert!((50_000..1_000_000).contains(&spent), "{spent}");
    });
}

/// `p(i)` implies `p(f(i))`.
fn chain(terms: &mut Terms) -> Term {
    let int = terms.int_sort();
    let p = terms.function("p", &[int], terms.bool_sort());
    let f = terms.function("f", &[int], int);
    let i = terms.fresh_bound("i", int);
    let variable = terms.bound(i);
    let next = terms.apply(f, &[variable]);
    let (here, there) = (terms.apply(p, &[variable]), terms.apply(p, &[next]));
    let body = terms.implies(here, there);
    terms.forall(&[i], &[vec![here, next]], body, "chain of p: 1")
}

/// `p(i)` implies `p(left(i))` and `p(right(i))`: every instance asks for two more.
fn endless_tree(terms: &mut Terms) -> Term {
    let int = terms.int_sort();
    let p = terms.function("p", &[int], terms.bool_sort());
    let i = terms.fresh_bound("i", int);
    let variable = terms.bound(i);
    let here = terms.apply(p, &[variable]);
    let both = ["left", "right"].map(|name| {
        let branch = terms.function(name, &[int], int);
        let next = terms.apply(branch, &[variable]);
        terms.apply(p, &[next])
    });
    let both = terms.all(both);
    let body = terms.implies(here, both);
    terms.forall(&[i], &[vec![here]], body, "endless")
}

#[test]
fn quantifiers_are_instantiated_by_their_triggers() {
    with_each_solver(|mut session, terms| {
        let chain = chain(terms);
        session.assert(terms, chain);
        let int = terms.int_sort();
        let (p, f) = (terms.find_function("p").unwrap(), terms.find_function("f").unwrap());
        let mut value = terms.constant("start", int);
        let premise = terms.apply(p, &[value]);
        session.assert(terms, premise);
        for _ in 0..5 {
            value = terms.apply(f, &[value]);
        }
        let goal = terms.apply(p, &[value]);
        assert_eq!(session.prove(terms, goal, &FREELY), Answer::Unsat);
        let other = terms.constant("other", int);
        let goal = terms.apply(p, &[other]);
        assert_eq!(session.prove(terms, goal, &FREELY), INCOMPLETE);
    });
}

#[test]
fn values_of_a_countermodel() {
    with_each_solver(|mut session, terms| {
        let (int, real) = (terms.int_sort(), terms.real_sort());
        let reference = terms.uninterpreted_sort("Ref");
        let chain = chain(terms);
        session.assert(terms, chain);
        let (x, r) = (terms.constant("x", int), terms.constant("r", real));
        let (a, b) = (terms.constant("a", reference), terms.constant("b", reference));
        let (minus_seven, third) = (terms.int(-7), terms.real(BigRational::new((-1).into(), 3.into())));
        let facts = [terms.equal(x, minus_seven), terms.equal(r, third), terms.equal(a, b)];
        for fact in facts {
            session.assert(terms, fact);
        }
        let one = terms.int(1);
        let sum = terms.add(x, one);
        let goal = terms.equal(sum, one);
        let same = terms.equal(a, b);
        let never = terms.constant("never", int);
        let wanted = [sum, r, a, b, same, goal, never];
        let (answer, values) = session.prove_with_model(terms, goal, &FREELY, &wanted);
        assert_eq!(answer, INCOMPLETE);
        let values = values.unwrap();
        assert_eq!(values[0], ModelValue::Int(BigInt::from(-6)));
        assert_eq!(values[1], ModelValue::Real(BigRational::new((-1).into(), 3.into())));
        assert!(matches!(&values[2], ModelValue::Element(_)));
        assert_eq!(values[2], values[3]);
        assert_eq!(values[4..6], [ModelValue::Bool(true), ModelValue::Bool(false)]);
        assert!(matches!(&values[6], ModelValue::Int(_)));
        assert_eq!(session.depth(), 0);
        let goal = terms.not(goal);
        assert_eq!(session.prove_with_model(terms, goal, &FREELY, &wanted), (Answer::Unsat, None));
    });
}

#[test]
fn no_value_for_one_term_does_not_spoil_the_others() {
    with_z3(|solver, terms| {
        let mut session = Session::start(solver, None).unwrap();
        let (positive, small) = contradiction(terms);
        let chain = chain(terms);
        let (_, values) = session.prove_with_model(terms, positive, &FREELY, &[chain, small]);
        assert_eq!(values.unwrap()[1], ModelValue::Bool(true));
        assert_eq!(session.statistics().restarts, 0);
    });
}

#[test]
fn one_name_in_two_tables_is_two_symbols() {
    with_each_solver(|mut session, terms| {
        let mut other = Terms::new();
        let x = terms.constant("x", terms.int_sort());
        let zero = terms.int(0);
        let fact = terms.equal(x, zero);
        session.assert(terms, fact);
        let sort = other.uninterpreted_sort("Ref");
        let (x, y) = (other.constant("x", sort), other.constant("y", sort));
        let fact = other.equal(x, y);
        session.assert(&other, fact);
        assert_eq!(session.prove(&other, fact, &FREELY), Answer::Unsat);
        let p = other.constant("x@1", other.bool_sort());
        assert_eq!(session.prove(&other, p, &FREELY), Answer::Sat);
        let fact = terms.less(zero, zero);
        assert_eq!(session.prove(terms, fact, &FREELY), Answer::Sat);
    });
}

#[test]
fn an_error_of_the_solver_is_told_and_survived() {
    with_each_solver(|mut session, terms| {
        let (positive, small) = contradiction(terms);
        session.assert(terms, positive);
        let int = terms.int_sort();
        let unheard_of = terms.native_function("unheard_of", &[int], terms.bool_sort());
        let one = terms.int(1);
        let odd = terms.apply(unheard_of, &[one]);
        let answer = session.prove(terms, odd, &FREELY);
        // Some solvers end themselves after an error.
        let message = match &answer {
            Answer::Unknown(UnknownReason::Error(message) | UnknownReason::Died(message)) => message,
            _ => panic!("{answer:?}"),
        };
        assert!(message.contains("unheard_of"), "{message}");
        let goal = terms.not(small);
        assert_eq!(session.prove(terms, goal, &FREELY), Answer::Unsat);
    });
}

#[test]
fn long_scripts_are_taken_in_while_others_work() {
    with_each_solver(|mut session, terms| {
        let int = terms.int_sort();
        let p = terms.function("p", &[int], terms.bool_sort());
        for _ in 0..3 {
            for _ in 0..1000 {
                let value = terms.fresh_constant("value", int);
                let fact = terms.apply(p, &[value]);
                session.assert(terms, fact);
            }
            session.send();
        }
        let first = terms.constant("value@1", int);
        let last = terms.constant("value@3000", int);
        let goals = [terms.apply(p, &[first]), terms.apply(p, &[last])];
        let goal = terms.all(goals);
        assert_eq!(session.prove(terms, goal, &FREELY), Answer::Unsat);
    });
}

#[test]
fn deep_terms_do_no_harm() {
    with_each_solver(|mut session, terms| {
        let int = terms.int_sort();
        let f = terms.function("f", &[int], int);
        let mut deep = terms.constant("a", int);
        let (positive, small) = contradiction(terms);
        for _ in 0..100_000 {
            deep = terms.apply(f, &[deep]);
        }
        let zero = terms.int(0);
        let fact = terms.equal(deep, zero);
        session.assert(terms, positive);
        session.push();
        session.assert(terms, fact);
        // It may be too much for the solver, which must not be the end.
        let answer = session.prove(terms, fact, &Budget::wall(Duration::from_millis(500)));
        assert!(matches!(answer, Answer::Unsat | Answer::Unknown(_)), "{answer:?}");
        session.pop(1);
        let goal = terms.not(small);
        assert_eq!(session.prove(terms, goal, &FREELY), Answer::Unsat);
    });
}

#[test]
fn instances_are_counted_by_name() {
    with_z3(|solver, terms| {
        let settings = SessionOptions { profile: true, ..SessionOptions::default() };
        let mut session = Session::start_with(solver, settings).unwrap();
        let chain = chain(terms);
        session.assert(terms, chain);
        let int = terms.int_sort();
        let (p, f) = (terms.find_function("p").unwrap(), terms.find_function("f").unwrap());
        let start = terms.constant("start", int);
        let premise = terms.apply(p, &[start]);
        let step = terms.apply(f, &[start]);
        let goal = terms.apply(p, &[step]);
        session.push();
        session.assert(terms, premise);
        assert_eq!(session.prove(terms, goal, &Budget::wall(Duration::from_secs(5))), Answer::Unsat);
        // A solver that stops at a limit still tells what it counted.
        let endless = endless_tree(terms);
        session.push();
        session.assert(terms, endless);
        let answer = session.check(&Budget::wall(Duration::from_millis(300)));
        assert_eq!(answer, Answer::Unknown(UnknownReason::Timeout));
        session.pop(1);
        let profile = session.profile();
        let names: Vec<&str> = profile.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["endless", "chain of p: 1"]);
        assert!(profile[0].1 > 100, "{profile:?}");
        assert_eq!(session.prove(terms, goal, &FREELY), Answer::Unsat);
    });
}

#[test]
fn a_log_can_be_run_again() {
    for (number, solver) in solvers().iter().enumerate() {
        let mut terms = Terms::new();
        let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("session-{number}.smt2"));
        let mut session =
            Session::start(solver, Some(Box::new(std::fs::File::create(&path).unwrap()))).unwrap();
        let (positive, small) = contradiction(&mut terms);
        session.remark("a contradiction");
        session.assert(&terms, positive);
        session.push();
        let goal = terms.not(small);
        session.prove(&terms, goal, &FREELY);
        session.restart().unwrap();
        session.prove(&terms, small, &FREELY);
        drop(session);
        let log = std::fs::read_to_string(&path).unwrap();
        let arguments: &[&str] = match solver.kind {
            SolverKind::Z3 => &["-smt2"],
            SolverKind::Cvc5 => &["--incremental"],
        };
        let output = std::process::Command::new(&solver.path).args(arguments).arg(&path).output().unwrap();
        let is_answer = |line: &&str| ["sat", "unsat", "unknown"].contains(line);
        let again: Vec<String> = String::from_utf8_lossy(&output.stdout)
            .lines()
            .filter(is_answer)
            .map(|line| format!("; {line}"))
            .collect();
        let logged: Vec<&str> = log.lines().filter(|line| ["; sat", "; unsat"].contains(line)).collect();
        assert_eq!(logged, ["; unsat", "; sat"]);
        assert_eq!(again, logged, "{log}");
        assert!(log.contains("; a contradiction"));
    }
}

#[test]
fn any_seed_proves_the_same() {
    for mut solver in solvers() {
        for seed in [0, 1, u32::MAX] {
            solver.seed = seed;
            let mut terms = Terms::new();
            let mut session = Session::start(&solver, None).unwrap();
            let (positive, small) = contradiction(&mut terms);
            session.assert(&terms, positive);
            session.assert(&terms, small);
            assert_eq!(session.check(&FREELY), Answer::Unsat);
        }
    }
}
