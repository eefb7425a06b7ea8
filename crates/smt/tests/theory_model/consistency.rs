//! No solver refutes the axioms, and none goes on about them forever.
//!
//! Axioms are only looked at where their triggers find something, so they are given terms: every function applied to
//! constants, and every function applied to all of these.

use smt::{Answer, Budget, Session, SolverError, SolverKind, SolverOptions, Sort, Term};

use crate::support::find_solver;
use crate::vocabulary::{Setting, applications, collection_sorts, settings};

/// Units of work; for Z3 about three seconds.
const BUDGET: u64 = 30_000_000;

fn solvers() -> Vec<SolverOptions> {
    let first = find_solver(None).unwrap_or_else(|error| panic!("{error}"));
    let mut solvers = vec![first];
    match find_solver(Some("cvc5")) {
        Ok(other) if other.kind != solvers[0].kind => solvers.push(other),
        Ok(_) | Err(SolverError::NotFound(_)) => {}
        Err(error) => panic!("{error}"),
    }
    solvers
}

/// Asserts the axioms and that the terms have values.
fn check(setting: &mut Setting, witnesses: &[Term], solver: &SolverOptions) -> Answer {
    let mut session = Session::start(solver, None).unwrap_or_else(|error| panic!("{error}"));
    let axioms = setting.theories.take_axioms(&mut setting.terms);
    for axiom in setting.axioms.iter().chain(&axioms) {
        session.assert(&setting.terms, *axiom);
    }
    setting.axioms.extend(axioms);
    for witness in witnesses {
        let sort = setting.terms.sort_of(*witness);
        let value = setting.terms.fresh_constant("value", sort);
        let named = setting.terms.equal(value, *witness);
        session.assert(&setting.terms, named);
    }
    session.check(&Budget::resources(BUDGET))
}

fn expect_no_refutation(setting: &mut Setting, witnesses: &[Term]) {
    for solver in solvers() {
        let answer = check(setting, witnesses, &solver);
        assert!(!answer.is_unsat(), "the axioms are contradictory");
        // What cvc5 does beside matching triggers may take long.
        assert!(solver.kind != SolverKind::Z3 || answer.is_considered(), "{answer:?}");
    }
}

#[test]
fn axioms_are_not_refuted() {
    for mut setting in settings() {
        let witnesses = setting.witnesses.clone();
        expect_no_refutation(&mut setting, &witnesses);
    }
}

/// The terms of a sort among the given ones.
fn of_sort(setting: &Setting, sort: Sort) -> Vec<Term> {
    setting.witnesses.iter().copied().filter(|term| setting.terms.sort_of(*term) == sort).collect()
}

#[test]
fn axioms_are_not_refuted_by_nested_applications() {
    for mut setting in settings() {
        let [element, value] = setting.elements;
        let int = setting.terms.int_sort();
        let collections = collection_sorts(&mut setting.terms, &mut setting.theories, element, value);
        let pools = collections.map(|sort| of_sort(&setting, sort));
        let (elements, values, integers) =
            (of_sort(&setting, element), of_sort(&setting, value), of_sort(&setting, int));
        let mut nested = setting.witnesses.clone();
        let rounds = pools.iter().map(Vec::len).max().unwrap_or(0);
        for round in 0..rounds {
            let pick = |pool: &[Term]| pool[round % pool.len()];
            let pairs =
                [0, 1, 2, 3].map(|kind| (pick(&pools[kind]), pools[kind][(round + 1) % pools[kind].len()]));
            let (e, v, i) = (pick(&elements), pick(&values), pick(&integers));
            nested.extend(applications(&mut setting.terms, &mut setting.theories, pairs, e, v, i));
        }
        expect_no_refutation(&mut setting, &nested);
    }
}
