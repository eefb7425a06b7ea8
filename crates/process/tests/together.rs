//! Several explorers of one model at once: they number the same terms and values at the same time, and must find the states and
//! steps that one finds, each once.
//!
//! Threads take turns that a seed decides (`store::schedule`), so that they stop between any two steps on what they share; an
//! order of turns that shows a fault comes again with its seed.
#![cfg(debug_assertions)]

#[path = "support/data.rs"]
mod data;
#[path = "support/random.rs"]
mod random;
#[allow(dead_code)]
#[path = "bisimilarity/shape.rs"]
mod shape;
#[allow(dead_code)]
#[path = "support/terms.rs"]
mod terms;

use std::collections::{BTreeSet, HashSet};

use process::{Explorer, Model, Question, Successor};
use store::schedule::in_turns;
use store::sync::{Mutex, lock, scope, spawn, yield_now};

use crate::data::random_model;

/// What several work on.
#[derive(Default)]
struct Work {
    waiting: Vec<Vec<u32>>,
    seen: HashSet<Vec<u32>>,
    transitions: usize,
    ends: usize,
    /// Workers that have a state in hand.
    busy: usize,
    refused: bool,
}

/// What is found: states, transitions, ends, and the different states as people read them; none where there are too many.
type Found = Option<(usize, usize, usize, BTreeSet<String>)>;

const STATES: usize = 300;

fn explore(explorer: &mut Explorer<'_>, work: &Mutex<Work>) {
    let mut successors: Vec<Successor> = Vec::new();
    loop {
        let state = {
            let mut work = lock(work);
            match work.waiting.pop() {
                Some(state) => {
                    work.busy += 1;
                    Some(state)
                }
                None if work.busy == 0 => return,
                None => None,
            }
        };
        let Some(state) = state else {
            yield_now();
            continue;
        };
        let found = explorer.successors(&state, &mut successors).and_then(|()| explorer.may_end(&state));
        let mut work = lock(work);
        work.busy -= 1;
        let Ok(may_end) = found else {
            work.refused = true;
            work.waiting.clear();
            continue;
        };
        work.transitions += successors.len();
        work.ends += usize::from(may_end);
        for successor in &successors {
            if work.seen.insert(successor.words.clone()) {
                work.waiting.push(successor.words.clone());
            }
        }
        if work.seen.len() > STATES {
            work.refused = true;
            work.waiting.clear();
        }
    }
}

fn explored(model: &Model, question: &Question, workers: usize) -> Found {
    let mut first = Explorer::new(model, &[], question).expect("the store is determined");
    let work = Mutex::new(Work::default());
    match first.initial() {
        Ok(states) => {
            let mut work = lock(&work);
            work.seen.extend(states.iter().cloned());
            work.waiting = states;
        }
        Err(_) => return None,
    }
    let others: Vec<Explorer<'_>> = (1..workers).map(|_| first.another()).collect();
    scope(|scope| {
        let handles: Vec<_> = others
            .into_iter()
            .map(|mut other| {
                let work = &work;
                spawn(scope, move || explore(&mut other, work))
            })
            .collect();
        explore(&mut first, &work);
        for handle in handles {
            while !handle.is_finished() {
                yield_now();
            }
            handle.join().expect("no panic");
        }
    });
    let work = lock(&work);
    if work.refused {
        return None;
    }
    let mut shown = BTreeSet::new();
    for state in &work.seen {
        // Parts stand in the order of their numbers, which is another one each time.
        let mut term: Vec<char> = first.term(state).chars().collect();
        term.sort_unstable();
        shown.insert(format!("{:?} {}", first.fields(state), term.iter().collect::<String>()));
    }
    Some((work.seen.len(), work.transitions, work.ends, shown))
}

fn agree(seeds: u64, workers: &[usize], turns: Option<u64>) {
    let (mut cases, mut states) = (0, 0);
    for seed in 0..seeds {
        let (name, (model, question)) = random_model(seed);
        let Some(expected) = explored(&model, &question, 1) else { continue };
        cases += 1;
        states += expected.0;
        for workers in workers {
            for turn in 0..turns.unwrap_or(1) {
                let found = match turns {
                    Some(_) => in_turns(seed * 64 + turn, || explored(&model, &question, *workers)).0,
                    None => explored(&model, &question, *workers),
                };
                let counts = |found: &Found| found.as_ref().map(|it| (it.0, it.1, it.2));
                let wanted = Some((expected.0, expected.1, expected.2));
                assert_eq!(counts(&found), wanted, "{workers} workers, seed {seed}, turn {turn}: {name}");
                assert_eq!(
                    found.map(|it| it.3).as_ref(),
                    Some(&expected.3),
                    "seed {seed}, turn {turn}: {name}"
                );
            }
        }
    }
    assert!(cases > seeds / 4 && states > 20 * cases as usize, "{cases} cases, {states} states");
}

#[test]
fn several_explorers_find_what_one_finds() {
    agree(1_000, &[2, 4, 8], None);
}

#[test]
fn several_explorers_find_what_one_finds_in_every_order_of_steps() {
    agree(250, &[2, 3], Some(3));
}
