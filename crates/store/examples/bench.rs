//! Measures the tree store on two state spaces shaped like Promela models: a mutual exclusion algorithm with
//! vectors of 12 words, and a ring of processes with channels with vectors of 60 words.
//!
//! The space is explored once to log every expanded state with its successors; the log is then played into a
//! fresh store, which alone is timed. `cargo run --release -p probity-store --example bench [million states] [repetitions]`
#![allow(clippy::print_stdout)]

use std::time::{Duration, Instant};

use store::{Expanded, StateId, TreeStore};

/// Time that this thread had on a processor, where the system tells; the time of day otherwise.
fn now(origin: Instant) -> Duration {
    std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|line| line.split(' ').next()?.parse().ok())
        .map_or_else(|| origin.elapsed(), Duration::from_nanos)
}

trait Model {
    const WIDTH: usize;
    fn initial(&self) -> Vec<u32>;
    fn successors(&self, state: &[u32], out: &mut Vec<u32>);
}

/// Peterson's algorithm for five processes, each step of the waiting loop being a transition.
struct Peterson;

const PROCESSES: usize = 5;

impl Model for Peterson {
    // Two words per process (place; level and loop counter), one word per array of globals, with the number
    // of processes in the critical section on top of the first.
    const WIDTH: usize = 12;

    fn initial(&self) -> Vec<u32> {
        vec![0; 12]
    }

    fn successors(&self, state: &[u32], out: &mut Vec<u32>) {
        for process in 0..PROCESSES {
            let place = state[2 * process] & 0xFF;
            let (level, other) = (state[2 * process + 1] & 0xFF, state[2 * process + 1] >> 8);
            let nibble = |word: usize, index: usize| (state[word] >> (4 * index)) & 0xF;
            let set = |words: &mut [u32], word: usize, index: usize, value: u32| {
                words[word] = words[word] & !(0xF << (4 * index)) | value << (4 * index);
            };
            let from = out.len();
            out.extend_from_slice(state);
            let next = &mut out[from..];
            match place {
                0 => {
                    next[2 * process + 1] = 1;
                    next[2 * process] = 1;
                }
                1 => {
                    set(next, 10, process, level);
                    next[2 * process] = 2;
                }
                2 => {
                    set(next, 11, level as usize, process as u32 + 1);
                    next[2 * process] = 3;
                    next[2 * process + 1] = level;
                }
                3 => {
                    // Look at one process after another; pass when none is as far, or somebody came later.
                    let blocked = other as usize != process && nibble(10, other as usize) >= level;
                    if nibble(11, level as usize) != process as u32 + 1
                        || other as usize == PROCESSES - 1 && !blocked
                    {
                        next[2 * process + 1] = (level + 1) | (other << 8);
                        next[2 * process] = if level + 1 == PROCESSES as u32 { 4 } else { 1 };
                    } else if blocked {
                        next[2 * process + 1] = level;
                        if other == 0 {
                            out.truncate(from);
                        }
                    } else {
                        next[2 * process + 1] = level | (other + 1) << 8;
                    }
                }
                4 => {
                    next[10] += 1 << 24;
                    next[2 * process] = 5;
                }
                5 => {
                    next[10] -= 1 << 24;
                    next[2 * process] = 6;
                }
                _ => {
                    set(next, 10, process, 0);
                    next[2 * process] = 0;
                }
            }
        }
    }
}

/// Five processes in a ring; each channel holds four messages of two fields.
struct Ring;

const RING: usize = 5;

impl Model for Ring {
    // Six words per process and six per channel.
    const WIDTH: usize = 60;

    fn initial(&self) -> Vec<u32> {
        let mut words = vec![0; 60];
        for process in 0..RING {
            words[6 * process + 1] = process as u32 * 3 % 5 + 1;
        }
        words
    }

    fn successors(&self, state: &[u32], out: &mut Vec<u32>) {
        for process in 0..RING {
            let own = 6 * process;
            let channel_out = 30 + 6 * process;
            let channel_in = 30 + 6 * ((process + RING - 1) % RING);
            let place = state[own];
            // Send, where there is room.
            if place < 3 && state[channel_out] < 4 {
                let from = out.len();
                out.extend_from_slice(state);
                let next = &mut out[from..];
                next[own] = place + 1;
                let slot = channel_out + 1 + state[channel_out] as usize;
                next[slot] = (state[own + 1] << 8) | (place + 1);
                next[channel_out] += 1;
            }
            // Receive, where there is a message.
            if place > 0 && state[channel_in] > 0 {
                let from = out.len();
                out.extend_from_slice(state);
                let next = &mut out[from..];
                let message = state[channel_in + 1];
                let count = state[channel_in] as usize;
                for slot in 1..count {
                    next[channel_in + slot] = state[channel_in + slot + 1];
                }
                next[channel_in + count] = 0;
                next[channel_in] -= 1;
                next[own + 2] = message >> 8;
                if message >> 8 > state[own + 1] {
                    next[own + 1] = message >> 8;
                    next[own] = 1;
                } else {
                    next[own + 3] = (state[own + 3] + (message & 0xFF)) % 3;
                }
            }
            if place == 3 {
                let from = out.len();
                out.extend_from_slice(state);
                out[from + own] = 4;
            }
        }
    }
}

struct Log {
    /// For each expanded state its number and how many successors follow.
    expansions: Vec<(u32, u32)>,
    vectors: Vec<u32>,
}

fn explore<M: Model>(model: &M, most: usize) -> Log {
    let mut store = TreeStore::new(M::WIDTH);
    let mut log = Log { expansions: Vec::new(), vectors: Vec::new() };
    store.insert(&model.initial()).expect("memory");
    let mut base = Expanded::new();
    let mut stack = vec![(0_u32, 1_u32)];
    let mut inserted = Vec::new();
    while let Some((next, end)) = stack.last_mut() {
        if next == end {
            stack.pop();
            continue;
        }
        let state = *next;
        *next += 1;
        let known = store.len() as u32;
        if known as usize >= most {
            break;
        }
        store.load(StateId(state), &mut base);
        let from = log.vectors.len();
        model.successors(base.words(), &mut log.vectors);
        inserted.clear();
        store.insert_batch(&base, &log.vectors[from..], &mut inserted).expect("memory");
        log.expansions.push((state, inserted.len() as u32));
        stack.push((known, store.len() as u32));
    }
    log
}

fn play<M: Model>(name: &str, model: &M, log: &Log, batched: bool) {
    let origin = Instant::now();
    let start = now(origin);
    let mut store = TreeStore::new(M::WIDTH);
    store.insert(&model.initial()).expect("memory");
    let mut base = Expanded::new();
    let mut inserted = Vec::new();
    let mut rest = &log.vectors[..];
    let mut new = 0_usize;
    for &(state, count) in &log.expansions {
        store.load(StateId(state), &mut base);
        let (vectors, after) = rest.split_at(count as usize * M::WIDTH);
        rest = after;
        if batched {
            inserted.clear();
            store.insert_batch(&base, vectors, &mut inserted).expect("memory");
            new += inserted.iter().filter(|insertion| insertion.is_new).count();
        } else {
            for words in vectors.chunks_exact(M::WIDTH) {
                new += usize::from(store.insert_near(&base, words).expect("memory").is_new);
            }
        }
    }
    let time = now(origin) - start;
    let insertions = log.vectors.len() / M::WIDTH;
    assert_eq!(new + 1, store.len());
    println!(
        "{name} {}: {} states, {insertions} insertions, {:.0} ns per insertion, {:.0} ns per state, \
         {:.2} bytes per state, {:?} shared nodes",
        if batched { "batched" } else { "singly" },
        store.len(),
        time.as_nanos() as f64 / insertions as f64,
        time.as_nanos() as f64 / log.expansions.len() as f64,
        store.memory_bytes() as f64 / store.len() as f64,
        store.shared_nodes(),
    );
}

/// Only reads: every state in the order of its first expansion.
fn read<M: Model>(name: &str, model: &M, log: &Log) {
    let mut store = TreeStore::new(M::WIDTH);
    store.insert(&model.initial()).expect("memory");
    for words in log.vectors.chunks_exact(M::WIDTH) {
        store.insert(words).expect("memory");
    }
    let mut base = Expanded::new();
    let origin = Instant::now();
    let start = now(origin);
    let mut sum = 0_u32;
    for &(state, _) in &log.expansions {
        store.load(StateId(state), &mut base);
        sum = sum.wrapping_add(base.words()[0]);
    }
    let time = now(origin) - start;
    println!(
        "{name} reading: {:.0} ns per state ({sum})",
        time.as_nanos() as f64 / log.expansions.len() as f64
    );
}

fn measure<M: Model>(name: &str, model: &M, most: usize, repetitions: usize) {
    let log = explore(model, most);
    for _ in 0..repetitions {
        play(name, model, &log, false);
        play(name, model, &log, true);
        read(name, model, &log);
    }
}

fn main() {
    let millions = std::env::args().nth(1).and_then(|word| word.parse::<f64>().ok()).unwrap_or(4.0);
    let repetitions = std::env::args().nth(2).and_then(|word| word.parse().ok()).unwrap_or(3);
    let most = (millions * 1e6) as usize;
    measure("12 words", &Peterson, most, repetitions);
    measure("60 words", &Ring, most / 2, repetitions);
}
