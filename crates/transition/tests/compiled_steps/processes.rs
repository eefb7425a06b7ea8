//! Processes: creation and end, `timeout`, `provided`, priorities, deterministic blocks.

use std::collections::BTreeSet;

use transition::model::{
    Action, Binary, DeterministicBlock, Expr, Fault, LocationId, Pattern, ProcessTypeId, Provided, RunAction,
    RunUse, Scalar,
};

use crate::support::*;
use crate::*;

fn run(kind: u32, arguments: Vec<Expr>) -> Action {
    let then = RunUse::Condition(Expr::RunResult);
    Action::Run(Box::new(RunAction { process: ProcessTypeId(kind), arguments, priority: None, then }))
}

#[test]
fn processes_come_with_arguments_and_channels_and_go_youngest_first() {
    // Child(byte a): own channel of capacity 1; sends a + 1 to it; leaves.
    let own = local(1, Scalar::BYTE);
    let sum = binary(Binary::Add, load(local(0, Scalar::BYTE)), number(1));
    let mut child = process(
        "Child",
        vec![slot("a", Scalar::BYTE), slot("q", Scalar::BYTE)],
        vec![at(vec![edge(send(own.clone(), vec![sum]), 1)])],
    );
    child.parameters = 1;
    child.initialisers = vec![channel(own, 1, &[Scalar::BYTE])];
    let then = RunUse::Assign(byte(0), Expr::RunResult);
    let second = Action::Run(Box::new(RunAction {
        process: ProcessTypeId(1),
        arguments: vec![number(258)],
        priority: None,
        then,
    }));
    let parent = process(
        "Parent",
        vec![],
        vec![at(vec![edge(run(1, vec![number(6)]), 1)]), at(vec![edge(second, 2)])],
    );
    let mut model = model(bytes(1), vec![parent, child]);
    model.active = vec![ProcessTypeId(0)];
    let states = reachable(&model);
    let full = states.iter().find(|state| state.channels.iter().all(|c| c.messages.len() == 1));
    assert!(full.is_some());
    let both = states
        .iter()
        .find(|state| state.channels.len() == 2 && state.channels.iter().all(|c| !c.messages.is_empty()))
        .expect("both children have sent");
    assert_eq!(both.channels[0].messages, vec![vec![7]]);
    assert_eq!(both.channels[1].messages, vec![vec![3]]);
    assert_eq!(both.processes[2].locals, vec![2, 2]);
    // The first child may be gone before the second comes; its pid is given again.
    assert_eq!(values_of(&model, 0), BTreeSet::from([0, 1, 2]));
    assert!(states.iter().any(|state| state.processes.is_empty()));
}

#[test]
fn vectors_grow_where_more_processes_come_than_guessed() {
    // P runs itself until there are 20.
    let few = Action::Condition(binary(Binary::Less, Expr::ProcessCount, number(20)));
    let p = process(
        "P",
        vec![slot("a", Scalar::INT)],
        vec![at(vec![edge(few, 1)]), at(vec![edge(run(0, vec![]), 2)])],
    );
    let model = model(vec![], vec![p]);
    let counts: BTreeSet<usize> = reachable(&model).iter().map(|state| state.processes.len()).collect();
    assert_eq!(counts.last(), Some(&20));
}

#[test]
fn the_256th_process_is_a_fault() {
    let p = process("P", vec![], vec![at(vec![atomic(run(1, vec![]), 0)])]);
    let idle = process("Q", vec![], vec![at(vec![])]);
    let mut model = model(vec![], vec![p, idle]);
    model.active = vec![ProcessTypeId(0)];
    assert!(explore(&model).faults.contains(&Fault::TooManyProcesses));
}

#[test]
fn timeout_is_true_only_where_nothing_else_can_move() {
    let p = vec![at(vec![edge(Action::Condition(Expr::Timeout), 1)]), at(vec![edge(set(X, 1), 2)])];
    let q = vec![at(vec![edge(set(1, 1), 1)]), at(vec![edge(when(X, 1), 2)])];
    let mut model = model(bytes(2), vec![process("P", vec![], p), process("Q", vec![], q)]);
    model.uses_timeout = true;
    let pairs: BTreeSet<(i32, i32)> =
        reachable(&model).iter().map(|state| (state.globals[0], state.globals[1])).collect();
    assert_eq!(pairs, BTreeSet::from([(0, 0), (0, 1), (1, 1)]));
}

#[test]
fn a_process_moves_only_where_it_is_provided() {
    let mut p = process("P", vec![], vec![at(vec![edge(set(1, 1), 1)])]);
    p.provided = Some(Provided { condition: equal(load(byte(X)), number(1)), text: "x == 1".to_string() });
    let q = process("Q", vec![], vec![at(vec![edge(set(X, 1), 1)])]);
    let model = model(bytes(2), vec![p, q]);
    let pairs: BTreeSet<(i32, i32)> =
        reachable(&model).iter().map(|state| (state.globals[0], state.globals[1])).collect();
    assert_eq!(pairs, BTreeSet::from([(0, 0), (1, 0), (1, 1)]));
}

#[test]
fn only_the_highest_priority_that_can_move_does() {
    let mut low = process("L", vec![], vec![at(vec![edge(set(X, 1), 1)])]);
    low.priority = 1;
    let mut high = process("H", vec![], vec![at(vec![edge(set(1, 1), 1)]), at(vec![edge(when(X, 1), 2)])]);
    high.priority = 5;
    let mut model = model(bytes(2), vec![low, high]);
    model.uses_priorities = true;
    let pairs: BTreeSet<(i32, i32)> =
        reachable(&model).iter().map(|state| (state.globals[0], state.globals[1])).collect();
    assert_eq!(pairs, BTreeSet::from([(0, 0), (0, 1), (1, 1)]));
}

#[test]
fn set_priority_lets_another_go_first() {
    let lower_self = Action::SetPriority(Expr::Pid, number(1));
    let mut p = process("P", vec![], vec![at(vec![edge(lower_self, 1)]), at(vec![edge(set(X, 1), 2)])]);
    p.priority = 9;
    let mut q = process("Q", vec![], vec![at(vec![edge(set(1, 1), 1)])]);
    q.priority = 5;
    let mut model = model(bytes(2), vec![p, q]);
    model.uses_priorities = true;
    let pairs: BTreeSet<(i32, i32)> =
        reachable(&model).iter().map(|state| (state.globals[0], state.globals[1])).collect();
    assert_eq!(pairs, BTreeSet::from([(0, 0), (0, 1), (1, 1)]));
}

fn block(entry: u32, exit: u32) -> Action {
    Action::Block(Box::new(DeterministicBlock { entry: LocationId(entry), exit: LocationId(exit) }))
}

#[test]
fn a_deterministic_block_takes_the_first_way_and_is_one_step() {
    let locations = vec![
        at(vec![edge(block(1, 4), 4)]),
        at(vec![edge(when(X, 5), 2), edge(set(X, 1), 2), edge(set(X, 9), 2)]),
        at(vec![
            edge(Action::Condition(binary(Binary::Less, load(byte(X)), number(4))), 3),
            edge(Action::Else, 4),
        ]),
        at(vec![edge(increment(X), 2)]),
    ];
    let model = model(bytes(1), vec![process("P", vec![], locations)]);
    assert_eq!(values_of(&model, 0), BTreeSet::from([0, 4]));
    assert_eq!(explore(&model), found(3, 2, 0));
}

#[test]
fn a_deterministic_block_must_not_block_or_run_for_ever() {
    let blocks =
        vec![at(vec![edge(block(1, 3), 3)]), at(vec![edge(Action::Skip, 2)]), at(vec![edge(when(X, 7), 3)])];
    let loops = vec![at(vec![edge(block(1, 2), 2)]), at(vec![edge(Action::Skip, 1)])];
    for (locations, fault) in [(blocks, Fault::BlockInStep), (loops, Fault::StepDoesNotEnd)] {
        let model = model(bytes(1), vec![process("P", vec![], locations)]);
        assert_eq!(explore(&model), transition_found(1, 0, fault));
    }
}

#[test]
fn a_deterministic_block_may_begin_with_a_handshake_receive() {
    let mut model = model(
        vec![slot("q", Scalar::BYTE), slot("x", Scalar::BYTE)],
        vec![
            process("S", vec![], vec![at(vec![edge(send(byte(0), vec![number(3)]), 1)])]),
            process(
                "R",
                vec![],
                vec![
                    at(vec![edge(block(1, 3), 3)]),
                    at(vec![edge(receive(byte(0), vec![Pattern::Store(byte(1))]), 2)]),
                    at(vec![edge(increment(1), 3)]),
                ],
            ),
        ],
    );
    model.initialisers = vec![channel(byte(0), 0, &[Scalar::BYTE])];
    assert_eq!(values_of(&model, 1), BTreeSet::from([0, 4]));
    assert_eq!(explore(&model), found(4, 3, 0));
}
