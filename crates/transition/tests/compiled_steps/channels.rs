//! Channels: handshakes, queues, sorted sends, random receives.

use std::collections::BTreeSet;

use transition::compiled::{Successors, System};
use transition::model::{Action, Fault, Pattern, Scalar};

use crate::support::*;
use crate::*;

#[test]
fn a_handshake_is_one_step_of_two() {
    let mut model = model(
        vec![slot("q", Scalar::BYTE), slot("x", Scalar::BYTE)],
        vec![
            process("S", vec![], vec![at(vec![edge(send(byte(0), vec![number(300)]), 1)])]),
            process("R", vec![], vec![at(vec![edge(receive(byte(0), vec![Pattern::Store(byte(1))]), 1)])]),
        ],
    );
    model.initialisers = vec![channel(byte(0), 0, &[Scalar::BYTE])];
    // Handshake, R leaves, S leaves.
    assert_eq!(explore(&model), found(4, 3, 0));
    assert_eq!(values_of(&model, 1), BTreeSet::from([0, 44]));
}

#[test]
fn a_handshake_needs_a_matching_receiver() {
    let mut model = model(
        vec![slot("q", Scalar::BYTE)],
        vec![
            process("S", vec![], vec![at(vec![edge(send(byte(0), vec![number(1)]), 1)])]),
            process("R", vec![], vec![at(vec![edge(receive(byte(0), vec![Pattern::Match(number(2))]), 1)])]),
        ],
    );
    model.initialisers = vec![channel(byte(0), 0, &[Scalar::BYTE])];
    assert_eq!(explore(&model), found(1, 0, 1));
}

#[test]
fn a_completed_handshake_counts_for_the_senders_else_only() {
    let mut model = model(
        vec![slot("q", Scalar::BYTE), slot("s", Scalar::BYTE), slot("r", Scalar::BYTE)],
        vec![
            process(
                "S",
                vec![],
                vec![
                    at(vec![edge(send(byte(0), vec![number(1)]), 1), edge(Action::Else, 2)]),
                    at(vec![edge(set(1, 1), 3)]),
                    at(vec![edge(set(1, 2), 3)]),
                ],
            ),
            process(
                "R",
                vec![],
                vec![
                    at(vec![edge(receive(byte(0), vec![Pattern::Any]), 1), edge(Action::Else, 2)]),
                    at(vec![edge(set(2, 1), 3)]),
                    at(vec![edge(set(2, 2), 3)]),
                ],
            ),
        ],
    );
    model.initialisers = vec![channel(byte(0), 0, &[Scalar::BYTE])];
    let pairs: BTreeSet<(i32, i32)> =
        reachable(&model).iter().map(|state| (state.globals[1], state.globals[2])).collect();
    // R may pass by its else while S still offers; S then has no partner and takes its own.
    assert_eq!(pairs, BTreeSet::from([(0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (2, 0), (2, 2)]));
}

#[test]
fn the_receivers_flag_decides_exclusive_control_after_a_handshake() {
    let build = |sender_atomic: bool, receiver_atomic: bool| {
        let mut first = edge(send(byte(0), vec![]), 1);
        first.atomic = sender_atomic;
        let mut accept = edge(receive(byte(0), vec![]), 1);
        accept.atomic = receiver_atomic;
        let mut model = model(
            vec![slot("q", Scalar::BYTE), slot("x", Scalar::BYTE)],
            vec![
                process("S", vec![], vec![at(vec![first]), at(vec![edge(set(1, 1), 2)])]),
                process("R", vec![], vec![at(vec![accept]), at(vec![edge(set(1, 2), 2)])]),
            ],
        );
        model.initialisers = vec![channel(byte(0), 0, &[])];
        let mut system = System::new(&model).expect("compiles");
        let initial = system.initial().expect("initial");
        let mut out = Successors::new();
        system.successors(&initial, None, &mut out);
        assert_eq!(out.len(), 1);
        let vector = out.vector(0).to_vec();
        system.snapshot(&vector).globals[1]
    };
    assert_eq!(build(true, false), 0);
    assert_eq!(build(false, true), 2);
    assert_eq!(build(true, true), 2);
}

#[test]
fn channels_are_queues_and_unused_room_is_zero() {
    // Send 1, 2, 3 into a queue of three, take them out again; the last state equals the first but for
    // where the process is.
    let fields = [Scalar::BYTE, Scalar::SHORT];
    let put = |value: i32, target: u32| edge(send(byte(0), vec![number(value), number(-value)]), target);
    let take = |value: i32, target: u32| {
        let patterns = vec![Pattern::Match(number(value)), Pattern::Match(number(-value))];
        edge(receive(byte(0), patterns), target)
    };
    let locations = vec![
        at(vec![put(1, 1)]),
        at(vec![put(2, 2)]),
        at(vec![put(3, 3)]),
        at(vec![take(1, 4)]),
        at(vec![take(2, 5)]),
        at(vec![take(3, 0)]),
    ];
    let mut model = model(vec![slot("q", Scalar::BYTE)], vec![process("P", vec![], locations)]);
    model.initialisers = vec![channel(byte(0), 3, &fields)];
    assert_eq!(explore(&model), found(6, 6, 0));
}

#[test]
fn every_message_size_keeps_its_order() {
    let sizes: [&[Scalar]; 6] = [
        &[Scalar::BYTE],
        &[Scalar::BYTE, Scalar::BIT],
        &[Scalar::SHORT],
        &[Scalar::BYTE, Scalar::BYTE, Scalar::BYTE],
        &[Scalar::INT, Scalar::BYTE],
        &[Scalar::INT, Scalar::INT, Scalar::SHORT],
    ];
    for fields in sizes {
        for capacity in [1, 3, 5, 8] {
            let width = fields.len();
            let message = |value: i32| vec![number(value); width];
            let mut locations = Vec::new();
            for i in 0..capacity {
                let value = if fields.contains(&Scalar::BIT) { i % 2 } else { i + 1 };
                locations.push(at(vec![edge(send(byte(0), message(value)), i as u32 + 1)]));
            }
            for i in 0..capacity {
                let value = if fields.contains(&Scalar::BIT) { i % 2 } else { i + 1 };
                let patterns = message(value).into_iter().map(Pattern::Match).collect();
                let target = (capacity + i + 1) % (2 * capacity);
                locations.push(at(vec![edge(receive(byte(0), patterns), target as u32)]));
            }
            let mut model = model(vec![slot("q", Scalar::BYTE)], vec![process("P", vec![], locations)]);
            model.initialisers = vec![channel(byte(0), capacity as u32, fields)];
            let count = 2 * capacity as usize;
            assert_eq!(explore(&model), found(count, count, 0), "{fields:?} × {capacity}");
        }
    }
}

#[test]
fn sorted_send_and_random_receive() {
    let sorted = |value: i32| Action::Send {
        channel: Box::new(load(byte(0))),
        arguments: vec![number(value), number(9 - value)],
        sorted: true,
    };
    let pick = Action::Receive {
        channel: Box::new(load(byte(0))),
        patterns: vec![Pattern::Match(number(3)), Pattern::Store(byte(1))],
        random: true,
        keep: false,
    };
    let peek = Action::Receive {
        channel: Box::new(load(byte(0))),
        patterns: vec![Pattern::Store(byte(2)), Pattern::Any],
        random: false,
        keep: true,
    };
    let locations = vec![
        at(vec![edge(sorted(5), 1)]),
        at(vec![edge(sorted(3), 2)]),
        at(vec![edge(sorted(4), 3)]),
        at(vec![edge(pick, 4)]),
        at(vec![edge(peek, 5)]),
    ];
    let mut model = model(
        vec![slot("q", Scalar::BYTE), slot("x", Scalar::BYTE), slot("y", Scalar::BYTE)],
        vec![process("P", vec![], locations)],
    );
    model.initialisers = vec![channel(byte(0), 3, &[Scalar::BYTE, Scalar::BYTE])];
    let states = reachable(&model);
    assert_eq!(states[3].channels[0].messages, vec![vec![3, 6], vec![4, 5], vec![5, 4]]);
    let last = states.last().expect("some state");
    assert_eq!(last.channels[0].messages, vec![vec![4, 5], vec![5, 4]]);
    assert_eq!(last.globals[1..], [6, 4]);
}

#[test]
fn match_is_evaluated_before_anything_is_stored() {
    // q?x,eval(x): the second field is compared with the old x.
    let patterns = vec![Pattern::Store(byte(1)), Pattern::Match(load(byte(1)))];
    let locations = vec![
        at(vec![edge(send(byte(0), vec![number(5), number(0)]), 1)]),
        at(vec![edge(receive(byte(0), patterns), 2)]),
    ];
    let mut model =
        model(vec![slot("q", Scalar::BYTE), slot("x", Scalar::BYTE)], vec![process("P", vec![], locations)]);
    model.initialisers = vec![channel(byte(0), 1, &[Scalar::BYTE, Scalar::BYTE])];
    assert_eq!(values_of(&model, 1), BTreeSet::from([0, 5]));
}

#[test]
fn no_such_channel() {
    let locations = vec![at(vec![edge(send(byte(0), vec![number(5)]), 1)])];
    let model = model(vec![slot("q", Scalar::BYTE)], vec![process("P", vec![], locations)]);
    assert_eq!(explore(&model), transition_found(1, 0, Fault::NoSuchChannel));
}
