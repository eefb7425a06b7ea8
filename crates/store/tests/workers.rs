//! Several workers at one store: each vector has one name, exactly one insertion gives it, and it reads back as it was.

use std::collections::HashMap;
use std::sync::Barrier;

use store::{Expanded, Inserted, StateId, TreeStore};

/// The vector that a number stands for, in the first eight words; what follows is zero.
fn vector(number: u32, width: usize) -> Vec<u32> {
    let mut words = vec![0; width];
    words[0] = number % 61;
    words[3] = number / 61 % 53;
    words[5] = number / (61 * 53);
    words[7] = number.wrapping_mul(0x9E37_79B9) >> 27;
    words
}

/// Has so many workers insert the vectors of all numbers, each in an order of its own, and gives what each was told.
fn insert_all(store: &mut TreeStore, workers: u32, count: u32, wider: bool) -> Vec<Vec<Inserted>> {
    let views: Vec<TreeStore> = (0..workers).map(|_| store.another().expect("room for workers")).collect();
    let barrier = Barrier::new(workers as usize);
    std::thread::scope(|scope| {
        let handles: Vec<_> = views
            .into_iter()
            .zip(0..)
            .map(|(mut view, worker)| {
                let barrier = &barrier;
                scope.spawn(move || {
                    let mut told = vec![Inserted { state: StateId(u32::MAX), is_new: false }; count as usize];
                    let mut base = Expanded::new();
                    let mut batch = Vec::new();
                    let step = [1, 7, 11, 13, 17, 19, 23, 29][worker as usize % 8];
                    barrier.wait();
                    for begin in (0..count).step_by(4) {
                        let numbers: Vec<u32> = (begin..(begin + 4).min(count))
                            .map(|at| (at * step + worker * 977) % count)
                            .collect();
                        if wider && begin % 4_000 == 1_000 * (worker % 4) {
                            view.grow_width(view.width() + 3).expect("memory");
                        }
                        batch.clear();
                        let vectors: Vec<u32> =
                            numbers.iter().flat_map(|&number| vector(number, view.width())).collect();
                        view.insert_batch(&base, &vectors, &mut batch).expect("memory");
                        for (&number, &inserted) in numbers.iter().zip(&batch) {
                            if told[number as usize].state.0 == u32::MAX {
                                told[number as usize] = inserted;
                            } else {
                                assert!(!inserted.is_new);
                            }
                        }
                        view.load(batch[0].state, &mut base);
                        assert_eq!(base.words(), vector(numbers[0], view.width()));
                    }
                    while view.len() < count as usize {
                        view.pass_safe_point();
                        std::thread::yield_now();
                    }
                    told
                })
            })
            .collect();
        // Nobody may wait for the one that stands aside.
        while !handles.iter().all(|handle| handle.is_finished()) {
            store.pass_safe_point();
            std::thread::sleep(std::time::Duration::from_micros(200));
        }
        handles.into_iter().map(|handle| handle.join().expect("no panic")).collect()
    })
}

fn check(workers: u32, count: u32, wider: bool) {
    let mut store = TreeStore::new(8);
    let told = insert_all(&mut store, workers, count, wider);
    assert_eq!(store.len(), count as usize);
    assert_eq!(store.states().count(), count as usize);
    let mut names: HashMap<StateId, u32> = HashMap::new();
    for number in 0..count {
        let all = told.iter().map(|told| told[number as usize]);
        let state = all.clone().next().expect("a worker").state;
        assert!(all.clone().all(|inserted| inserted.state == state), "{number} has two names");
        assert_eq!(all.filter(|inserted| inserted.is_new).count(), 1, "{number} is new to one");
        assert_eq!(names.insert(state, number), None, "{number} shares a name");
        assert!(state.index() < store.bound());
    }
    let mut expanded = Expanded::new();
    for state in store.states() {
        store.load(state, &mut expanded);
        assert_eq!(expanded.words(), vector(names[&state], store.width()));
    }
    let again = store.insert(&vector(0, store.width())).expect("memory");
    assert!(!again.is_new);
}

#[test]
fn workers_give_one_name_to_each_vector() {
    for workers in [2, 4, 8, 16] {
        check(workers, 120_000, false);
    }
}

#[test]
fn vectors_become_wider_while_workers_insert() {
    for workers in [1, 2, 4, 8] {
        check(workers, 12_000, true);
    }
}

#[test]
fn names_that_a_worker_left_over_are_used() {
    let mut store = TreeStore::new(8);
    let mut first = store.another().expect("room");
    let one = first.insert(&vector(1, 8)).expect("memory").state;
    drop(first);
    let mut second = store.another().expect("room");
    let two = second.insert(&vector(2, 8)).expect("memory").state;
    assert_eq!(two.0, one.0 + 1);
    drop(second);
    assert_eq!(store.states().collect::<Vec<_>>(), [one, two]);
}

#[test]
fn there_is_an_end_to_workers() {
    let mut store = TreeStore::new(8);
    let mut views = Vec::new();
    let error = loop {
        match store.another() {
            Ok(view) => views.push(view),
            Err(error) => break error,
        }
    };
    assert_eq!(error, store::StoreFull::Workers);
    assert!(views.len() >= 64);
    drop(views);
    assert!(store.another().is_ok());
}
