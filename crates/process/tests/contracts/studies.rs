//! Models that people write: which of their contracts are proved, and by which way.

use process::{
    ActionId, Binary, Binder, Expression, Model, ProcessId, Refusal, StatedEffects, Strategy, TermKind, Type,
    VariableId, contract_proof,
};

use crate::build::{
    act, action, add, at_most, binary, call, empty, eq, int, less, model, now, old, par, process, seq, sub,
    term, var, when,
};
use crate::prove::{Outcome, attempts_over};

/// The ways that prove the contract of a process, integers being tried in a range.
fn ways(model: &Model, process: u32, domain: std::ops::Range<i64>) -> Vec<Strategy> {
    let proof = contract_proof(model, ProcessId(process), &StatedEffects);
    let outcomes = attempts_over(&proof, domain);
    let valid = proof.ways.iter().zip(outcomes).filter(|(_, outcome)| *outcome == Outcome::Valid);
    valid.map(|(way, _)| way.strategy).collect()
}

/// `x == \old(x) + 1`
fn increment() -> process::Action {
    action(vec![], vec![eq(now(0), add(old(0), int(1)))], vec![0])
}

#[test]
fn increments_by_recursion_commute() {
    let body =
        || when(less(int(0), var(0)), par(act(0, vec![]), call(0, vec![sub(var(0), int(1))])), empty());
    let right =
        process(vec![0], vec![at_most(int(0), var(0))], vec![eq(now(0), add(old(0), var(0)))], body());
    let found = ways(&model(1, vec![increment()], vec![right]), 0, -2..4);
    assert!(found.contains(&Strategy::Commutation(0)), "{found:?}");
    let wrong =
        process(vec![0], vec![at_most(int(0), var(0))], vec![eq(now(0), add(old(0), int(1)))], body());
    assert_eq!(ways(&model(1, vec![increment()], vec![wrong]), 0, -2..4), []);
}

#[test]
fn a_family_of_increments_commutes() {
    let binder = |from: i64| Binder {
        variable: VariableId(9),
        name: "i".into(),
        ty: Type::Integer,
        range: Some((int(from), var(0))),
    };
    let claim = |more: i64| eq(now(0), add(old(0), add(var(0), int(more))));
    let family = |more: i64| {
        let body = term(TermKind::Family(binder(0), act(0, vec![])));
        let requires = vec![at_most(int(0), var(0))];
        model(1, vec![increment()], vec![process(vec![0], requires, vec![claim(more)], body)])
    };
    assert!(ways(&family(0), 0, -2..4).contains(&Strategy::Commutation(0)));
    assert_eq!(ways(&family(1), 0, -2..4), []);
}

#[test]
fn two_that_do_not_commute_are_expanded() {
    // incr(3) || mult(3): both orders, of which one is left out in the wrong claim.
    let tripled = action(vec![], vec![eq(now(0), binary(Binary::Multiply, old(0), int(3)))], vec![0]);
    let added = action(vec![], vec![eq(now(0), add(old(0), int(3)))], vec![0]);
    let first = eq(now(0), binary(Binary::Multiply, add(old(0), int(3)), int(3)));
    let second = eq(now(0), add(binary(Binary::Multiply, old(0), int(3)), int(3)));
    let both = binary(Binary::Or, first.clone(), second);
    let study = |claim: Expression| {
        let body = par(act(0, vec![]), act(1, vec![]));
        model(1, vec![added.clone(), tripled.clone()], vec![process(vec![], vec![], vec![claim], body)])
    };
    let found = ways(&study(both), 0, -4..20);
    assert_eq!(found, [2, 4, 6].map(Strategy::Expansion), "the orders of both are different");
    assert_eq!(ways(&study(first), 0, -4..20), []);
}

#[test]
fn what_is_left_is_folded_into_a_declared_process() {
    // Two clients of a lock: x is taken, y counts who is inside.
    let acquire = action(
        vec![eq(now(0), int(0))],
        vec![eq(now(0), int(1)), eq(now(1), add(old(1), int(1)))],
        vec![0, 1],
    );
    let release = action(vec![], vec![eq(now(0), int(0)), eq(now(1), sub(old(1), int(1)))], vec![0, 1]);
    let session = || {
        let again = call(0, vec![sub(var(0), int(1))]);
        let body = when(less(int(0), var(0)), seq(act(0, vec![]), seq(act(1, vec![]), again)), empty());
        process(vec![0], vec![], vec![], body)
    };
    let free = |inside: i64| vec![eq(now(0), int(0)), eq(now(1), int(inside))];
    let two = |inside: i64| {
        let mut requires = free(0);
        requires.extend([at_most(int(0), var(1)), at_most(int(0), var(2))]);
        process(vec![1, 2], requires, free(inside), par(call(0, vec![var(1)]), call(0, vec![var(2)])))
    };
    let study = |inside: i64| model(2, vec![acquire.clone(), release.clone()], vec![session(), two(inside)]);
    let found = ways(&study(0), 1, -1..3);
    assert!(found.contains(&Strategy::Expansion(2)), "{found:?}");
    assert_eq!(ways(&study(1), 1, -1..3), []);
}

#[test]
fn commutation_has_a_direction() {
    // get || put on an empty buffer ends; get * put does not, so it would satisfy anything.
    let get = action(vec![less(int(0), now(0))], vec![eq(now(0), sub(old(0), int(1)))], vec![0]);
    let put = action(vec![], vec![eq(now(0), add(old(0), int(1)))], vec![0]);
    let study = |claim: Expression| {
        let body = par(act(0, vec![]), act(1, vec![]));
        let requires = vec![eq(now(0), int(0))];
        model(1, vec![get.clone(), put.clone()], vec![process(vec![], requires, vec![claim], body)])
    };
    assert_eq!(ways(&study(eq(now(0), int(7))), 0, -2..8), []);
    let found = ways(&study(eq(now(0), int(0))), 0, -2..8);
    let commuted = found.iter().filter(|way| matches!(way, Strategy::Commutation(_))).count();
    assert_eq!(commuted, 1, "put * get, not get * put: {found:?}");
}

#[test]
fn an_effect_with_several_solutions_is_not_swapped() {
    let grow = action(vec![], vec![less(old(0), now(0))], vec![0]);
    let body = par(act(0, vec![]), act(1, vec![]));
    let claim = less(old(0), now(0));
    let study = model(1, vec![grow, increment()], vec![process(vec![], vec![], vec![claim], body)]);
    let proof = contract_proof(&study, ProcessId(0), &StatedEffects);
    let refused = proof.refused.iter().any(|(_, why)| *why == Refusal::NoExplicitEffect(ActionId(0)));
    assert!(refused, "{:?}", proof.refused);
    assert!(ways(&study, 0, -3..6).contains(&Strategy::Expansion(2)));
}

#[test]
fn a_contract_of_what_never_ends_is_true() {
    let never = model(
        1,
        vec![increment()],
        vec![process(vec![], vec![], vec![eq(int(0), int(1))], seq(act(0, vec![]), call(0, vec![])))],
    );
    assert_eq!(ways(&never, 0, -2..4), [Strategy::Sequential]);
}
