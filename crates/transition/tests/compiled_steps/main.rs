//! The rules of the model, one by one, on models built by hand; every expectation is worked out on paper.

mod channels;
mod processes;
#[path = "../support/mod.rs"]
mod support;

use std::collections::BTreeSet;
use support::*;
use transition::compiled::{Successors, System};
use transition::model::{Action, Binary, Expr, Fault, LocationId, Model, ProcessTypeId, Scalar};

const X: u32 = 0;

fn byte(slot: u32) -> transition::model::Place {
    global(slot, Scalar::BYTE)
}

fn set(slot: u32, value: i32) -> Action {
    Action::Assign(byte(slot), number(value))
}

fn increment(slot: u32) -> Action {
    Action::Assign(byte(slot), binary(Binary::Add, load(byte(slot)), number(1)))
}

fn when(slot: u32, value: i32) -> Action {
    Action::Condition(equal(load(byte(slot)), number(value)))
}

fn bytes(count: u32) -> Vec<transition::model::Slot> {
    (0..count).map(|i| slot(&format!("x{i}"), Scalar::BYTE)).collect()
}

fn values_of(model: &Model, slot: usize) -> BTreeSet<i32> {
    reachable(model).iter().map(|state| state.globals[slot]).collect()
}

#[test]
fn a_process_steps_and_leaves() {
    let model = model(bytes(1), vec![process("P", vec![], vec![at(vec![edge(set(X, 1), 1)])])]);
    assert_eq!(explore(&model), found(3, 2, 0));
}

#[test]
fn only_the_youngest_process_leaves() {
    let one = || process("P", vec![], vec![at(vec![edge(Action::Skip, 1)])]);
    let model = model(vec![], vec![one(), one()]);
    assert_eq!(explore(&model), found(7, 8, 0));
}

#[test]
fn values_are_cut_when_stored() {
    let scalars = [
        (Scalar::BIT, 3, 1),
        (Scalar::BYTE, 257, 1),
        (Scalar::BYTE, -1, 255),
        (Scalar::SHORT, 40000, -25536),
        (Scalar::INT, i32::MIN, i32::MIN),
        (Scalar { bits: 3, signed: false }, 9, 1),
        (Scalar { bits: 17, signed: false }, -1, 0x1ffff),
        (Scalar { bits: 5, signed: true }, 17, -15),
    ];
    let globals = scalars.iter().map(|(scalar, ..)| slot("x", *scalar)).collect();
    let actions = scalars
        .iter()
        .enumerate()
        .map(|(i, (scalar, value, _))| Action::Assign(global(i as u32, *scalar), number(*value)))
        .collect();
    let model = model(globals, vec![process("P", vec![], vec![at(vec![merged(actions, 1)])])]);
    let last = reachable(&model).pop().expect("some state");
    assert_eq!(last.globals, scalars.iter().map(|(_, _, kept)| *kept).collect::<Vec<_>>());
}

#[test]
fn a_failed_assertion_is_reported_and_the_step_happens() {
    let assertion = Action::Assert(number(0));
    let model = model(vec![], vec![process("P", vec![], vec![at(vec![edge(assertion, 1)])])]);
    let expected = transition_found(3, 2, Fault::Assertion);
    assert_eq!(explore(&model), expected);
}

fn transition_found(states: usize, transitions: usize, fault: Fault) -> Found {
    Found { faults: BTreeSet::from([fault]), ..found(states, transitions, 0) }
}

#[test]
fn other_faults_leave_no_successor() {
    let zero = binary(Binary::Divide, number(1), load(byte(X)));
    let divides = Action::Assign(byte(X), zero);
    let missing = element(byte(0), number(2), 2);
    let out_of_range = Action::Condition(load(missing.clone()));
    for (action, fault) in [(divides, Fault::DivisionByZero), (out_of_range, Fault::IndexOutOfRange)] {
        let model = model(bytes(2), vec![process("P", vec![], vec![at(vec![edge(action, 1)])])]);
        assert_eq!(explore(&model), transition_found(1, 0, fault));
    }
    // An assignment outside of an array stores nothing, and the run goes on.
    let model = model(
        bytes(2),
        vec![process("P", vec![], vec![at(vec![edge(Action::Assign(missing, number(1)), 1)])])],
    );
    assert_eq!(explore(&model), transition_found(3, 2, Fault::IndexOutOfRange));
}

#[test]
fn arrays_are_addressed_by_index() {
    // a[i] = i + 1 for i in 0..3, with i in x3 behind the array.
    let index = || load(byte(3));
    let locations = vec![
        at(vec![edge(Action::Condition(binary(Binary::Less, index(), number(3))), 1), edge(Action::Else, 3)]),
        at(vec![edge(
            Action::Assign(element(byte(0), index(), 3), binary(Binary::Add, index(), number(1))),
            2,
        )]),
        at(vec![edge(increment(3), 0)]),
    ];
    let model = model(bytes(4), vec![process("P", vec![], locations)]);
    let last = reachable(&model).pop().expect("some state");
    assert_eq!(last.globals, vec![1, 2, 3, 3]);
}

#[test]
fn else_needs_that_no_earlier_edge_was_executable() {
    let choice = |start: i32| {
        let locations = vec![
            at(vec![edge(set(X, start), 1)]),
            at(vec![edge(when(X, 1), 2), edge(Action::Else, 3)]),
            at(vec![edge(set(1, 1), 4)]),
            at(vec![edge(set(1, 2), 4)]),
        ];
        model(bytes(2), vec![process("P", vec![], locations)])
    };
    assert_eq!(values_of(&choice(1), 1), BTreeSet::from([0, 1]));
    assert_eq!(values_of(&choice(0), 1), BTreeSet::from([0, 2]));
}

#[test]
fn an_escape_preempts_what_follows_it() {
    // Escapes stand first; while x0 is 0 the body runs, afterwards only the escape can.
    let locations = vec![
        at(vec![escape(1, edge(when(X, 1), 2)), edge(set(X, 1), 1)]),
        at(vec![escape(1, edge(when(X, 1), 2)), edge(set(1, 7), 2)]),
    ];
    let model = model(bytes(2), vec![process("P", vec![], locations)]);
    assert_eq!(values_of(&model, 1), BTreeSet::from([0]));
}

#[test]
fn edges_of_one_escape_group_are_alternatives() {
    let locations = vec![at(vec![
        escape(1, edge(set(X, 1), 1)),
        escape(1, edge(set(X, 2), 1)),
        escape(2, edge(set(X, 3), 1)),
        edge(set(X, 4), 1),
    ])];
    let model = model(bytes(1), vec![process("P", vec![], locations)]);
    assert_eq!(values_of(&model, 0), BTreeSet::from([0, 1, 2]));
}

#[test]
fn exclusive_control_hides_the_states_inside() {
    let locations = vec![
        at(vec![atomic(set(X, 1), 1), atomic(set(X, 2), 1)]),
        at(vec![atomic(Action::Skip, 2)]),
        at(vec![edge(increment(X), 3)]),
    ];
    let watcher = process("Q", vec![], vec![at(vec![edge(when(X, 1), 1)])]);
    let model = model(bytes(1), vec![process("P", vec![], locations), watcher]);
    assert_eq!(values_of(&model, 0), BTreeSet::from([0, 2, 3]));
}

#[test]
fn exclusive_control_is_lost_where_the_process_blocks() {
    // P: atomic { x0 = 1; (x1 == 1); x0 = 2 }, Q: x1 = 1 when x0 is 1.
    let p =
        vec![at(vec![atomic(set(X, 1), 1)]), at(vec![atomic(when(1, 1), 2)]), at(vec![edge(set(X, 2), 3)])];
    let q = vec![at(vec![edge(when(X, 1), 1)]), at(vec![edge(set(1, 1), 2)])];
    let model = model(bytes(2), vec![process("P", vec![], p), process("Q", vec![], q)]);
    // P blocks; Q passes its guard; Q sets x1; P finishes (and may be overtaken by Q leaving); both leave.
    assert_eq!(values_of(&model, 0), BTreeSet::from([0, 1, 2]));
    assert_eq!(explore(&model).deadlocks, 0);
}

#[test]
fn a_loop_under_exclusive_control_ends_the_expansion() {
    let flip = Action::Assign(byte(X), binary(Binary::Subtract, number(1), load(byte(X))));
    let model = model(bytes(1), vec![process("P", vec![], vec![at(vec![atomic(flip, 0)])])]);
    assert_eq!(explore(&model), found(1, 0, 0));
}

#[test]
fn branching_under_exclusive_control_does_not_explode() {
    // Forty times a choice between two ways to do nothing: 2^40 paths, few states.
    let mut locations: Vec<_> =
        (0..40).map(|i| at(vec![atomic(Action::Skip, i + 1), atomic(when(X, 0), i + 1)])).collect();
    locations.push(at(vec![edge(set(X, 1), 41)]));
    let model = model(bytes(1), vec![process("P", vec![], locations)]);
    assert_eq!(explore(&model).states, 3);
}

#[test]
fn two_executable_edges_of_a_deterministic_process_are_a_fault() {
    let mut p = process("P", vec![], vec![at(vec![edge(set(X, 1), 1), edge(set(X, 2), 1)])]);
    p.deterministic = true;
    let model = model(bytes(1), vec![p]);
    assert!(explore(&model).faults.contains(&Fault::NotDeterministic));
}

#[test]
fn resets_and_merged_actions_happen_in_one_step() {
    let mut step = merged(vec![set(X, 4), increment(X), Action::Assert(equal(load(byte(X)), number(5)))], 1);
    step.resets = vec![byte(1)];
    let mut model = model(bytes(2), vec![process("P", vec![], vec![at(vec![step])])]);
    model.initialisers = vec![transition::model::Initialiser::Value(byte(1), number(8))];
    let pairs: BTreeSet<(i32, i32)> =
        reachable(&model).iter().map(|state| (state.globals[0], state.globals[1])).collect();
    assert_eq!(pairs, BTreeSet::from([(0, 8), (5, 0)]));
    assert!(explore(&model).faults.is_empty());
}

#[test]
fn the_last_mover_is_part_of_the_state_where_it_is_read() {
    let stay = || process("P", vec![], vec![at(vec![edge(Action::Skip, 0)])]);
    let mut model = model(vec![], vec![stay(), stay()]);
    assert_eq!(explore(&model), found(1, 2, 0));
    model.uses_last = true;
    assert_eq!(explore(&model), found(2, 4, 0));
}

#[test]
fn hidden_slots_are_carried_but_not_compared() {
    let mut globals = bytes(2);
    globals[0].hidden = true;
    let locations = vec![
        at(vec![edge(set(0, 1), 1), edge(set(0, 2), 1)]),
        at(vec![edge(Action::Assign(byte(1), load(byte(0))), 2)]),
    ];
    let model = model(globals, vec![process("P", vec![], locations)]);
    // Of the two first steps only one is new; the value it gave is the one that is read.
    assert_eq!(explore(&model).states, 4);
    assert_eq!(values_of(&model, 1), BTreeSet::from([0, 1]));
}

#[test]
fn micro_steps_lead_to_a_successor_and_to_a_fault() {
    let locations = vec![
        at(vec![atomic(set(X, 1), 1), atomic(set(X, 2), 1)]),
        at(vec![atomic(Action::Assert(equal(load(byte(X)), number(1))), 2)]),
        at(vec![edge(increment(X), 3)]),
    ];
    let model = model(bytes(1), vec![process("P", vec![], locations)]);
    let mut system = System::new(&model).expect("compiles");
    let initial = system.initial().expect("initial");
    let mut out = Successors::new();
    system.successors(&initial, None, &mut out);
    assert_eq!(out.len(), 2);
    for index in 0..2 {
        let vector = out.vector(index).to_vec();
        let chosen = system.snapshot(&vector).globals[0] - 2;
        let steps = system.record(&initial, &vector).expect("a successor");
        let edges: Vec<_> = steps.iter().map(|s| (s.mover.location.0, s.mover.edge)).collect();
        assert_eq!(edges, vec![(0, chosen as u32), (1, 0), (2, 0)]);
    }
    assert_eq!(out.faults.len(), 1);
    let steps = system.record_fault(&initial, None, 0).expect("a fault");
    let edges: Vec<_> = steps.iter().map(|s| (s.mover.location.0, s.mover.edge)).collect();
    assert_eq!(edges, vec![(0, 1), (1, 0)]);
}

#[test]
fn propositions_read_globals_and_other_processes() {
    let mut p = process("P", vec![slot("a", Scalar::SHORT)], vec![at(vec![edge(set(X, 1), 1)])]);
    p.initialisers = vec![transition::model::Initialiser::Value(local(0, Scalar::SHORT), number(-3))];
    p.locations[0].is_progress = true;
    let model = model(bytes(1), vec![p]);
    let mut system = System::new(&model).expect("compiles");
    let kind = ProcessTypeId(0);
    let remote = |pid: i32| Expr::RemoteLoad {
        process: kind,
        pid: Box::new(number(pid)),
        place: Box::new(local(0, Scalar::SHORT)),
    };
    let here = Expr::RemoteAt {
        process: kind,
        pid: Box::new(Expr::FirstOfType(kind)),
        locations: vec![LocationId(0)],
    };
    let atoms = [
        equal(load(byte(X)), number(1)),
        equal(remote(0), number(-3)),
        equal(remote(1), number(0)),
        here,
        Expr::NonProgress,
        Expr::Enabled(Box::new(number(0))),
        equal(Expr::ProgramCounter(Box::new(number(0))), number(0)),
    ];
    let ids: Vec<_> = atoms.iter().map(|atom| system.compile_proposition(atom).expect("compiles")).collect();
    let initial = system.initial().expect("initial");
    let mut truths = |state: &[u32]| -> Vec<bool> {
        ids.iter().map(|id| system.holds(state, *id).expect("no fault")).collect()
    };
    // `enabled` of the process that looks is false, and nobody looks as process 0.
    assert_eq!(truths(&initial), vec![false, true, true, true, false, true, true]);
}
