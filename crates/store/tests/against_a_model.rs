//! The store behaves as a map from vectors to the order of their first insertion.

use std::collections::HashMap;

use proptest::prelude::*;
use store::{Expanded, Inserted, StateId, TreeStore};

#[derive(Clone, Debug)]
enum Step {
    /// Insert a vector made from scratch out of these words, repeated.
    Fresh(Vec<u32>),
    /// Load a stored state, change words at places, insert near it.
    Near { state: usize, changes: Vec<(usize, u32)> },
    /// Load a stored state and insert several neighbours at once; a change counts for all that follow it.
    Batch { state: usize, changes: Vec<(usize, u32)> },
    /// Insert near a base that was loaded long ago, possibly before the width grew.
    Stale { changes: Vec<(usize, u32)> },
    /// Make the vectors longer.
    Grow(usize),
}

fn word() -> impl Strategy<Value = u32> {
    prop_oneof![4 => 0..4_u32, 1 => any::<u32>(), 1 => Just(u32::MAX)]
}

fn step() -> impl Strategy<Value = Step> {
    let changes =
        || prop::collection::vec((any::<prop::sample::Index>().prop_map(|i| i.index(1 << 16)), word()), 0..5);
    prop_oneof![
        2 => prop::collection::vec(word(), 1..6).prop_map(Step::Fresh),
        6 => (any::<usize>(), changes()).prop_map(|(state, changes)| Step::Near { state, changes }),
        6 => (any::<usize>(), changes()).prop_map(|(state, changes)| Step::Batch { state, changes }),
        2 => changes().prop_map(|changes| Step::Stale { changes }),
        1 => (1..20_usize).prop_map(Step::Grow),
    ]
}

#[derive(Default)]
struct Model {
    numbers: HashMap<Vec<u32>, u32>,
    vectors: Vec<Vec<u32>>,
}

impl Model {
    fn insert(&mut self, words: &[u32]) -> Inserted {
        let next = self.vectors.len() as u32;
        let number = *self.numbers.entry(words.to_vec()).or_insert(next);
        if number == next {
            self.vectors.push(words.to_vec());
        }
        Inserted { state: StateId(number), is_new: number == next }
    }

    fn grow(&mut self, width: usize) {
        for vector in &mut self.vectors {
            vector.resize(width, 0);
        }
        self.numbers = self.vectors.iter().cloned().zip(0..).collect();
    }
}

fn run(width: usize, steps: &[Step]) {
    let mut store = TreeStore::new(width);
    let mut model = Model::default();
    let mut base = Expanded::new();
    let mut stale = Expanded::new();
    let zero = vec![0; store.width()];
    assert_eq!(store.insert(&zero).expect("memory"), model.insert(&zero));
    store.load(StateId(0), &mut stale);
    for step in steps {
        match step {
            Step::Fresh(seed) => {
                let words: Vec<u32> = seed.iter().copied().cycle().take(store.width()).collect();
                assert_eq!(store.insert(&words).expect("memory"), model.insert(&words));
            }
            Step::Near { state, changes } => {
                let state = state % store.len();
                store.load(StateId(state as u32), &mut base);
                assert_eq!(base.words(), model.vectors[state]);
                let mut words = base.words().to_vec();
                for (place, word) in changes {
                    let place = place % words.len();
                    words[place] = *word;
                }
                assert_eq!(store.insert_near(&base, &words).expect("memory"), model.insert(&words));
            }
            Step::Batch { state, changes } => {
                let state = state % store.len();
                store.load(StateId(state as u32), &mut base);
                let mut words = base.words().to_vec();
                let mut vectors = Vec::new();
                let mut expected = Vec::new();
                for (place, word) in changes {
                    let place = place % words.len();
                    words[place] = *word;
                    vectors.extend_from_slice(&words);
                    expected.push(model.insert(&words));
                }
                let mut inserted = Vec::new();
                store.insert_batch(&base, &vectors, &mut inserted).expect("memory");
                assert_eq!(inserted, expected);
            }
            Step::Stale { changes } => {
                let mut words = stale.words().to_vec();
                words.resize(store.width(), 0);
                for (place, word) in changes {
                    let place = place % words.len();
                    words[place] = *word;
                }
                assert_eq!(store.insert_near(&stale, &words).expect("memory"), model.insert(&words));
            }
            Step::Grow(more) => {
                let wider = store.width() + more;
                if wider < 150 {
                    store.grow_width(wider).expect("memory");
                    model.grow(store.width());
                }
            }
        }
    }
    assert_eq!(store.len(), model.vectors.len());
    for (number, vector) in model.vectors.iter().enumerate() {
        store.load(StateId(number as u32), &mut base);
        assert_eq!(base.words(), vector);
        let mut alone = Expanded::new();
        store.load(StateId(number as u32), &mut alone);
        assert_eq!(alone.words(), vector);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]
    #[test]
    fn any_sequence_of_operations_agrees_with_a_map(
        width in 1..140_usize,
        steps in prop::collection::vec(step(), 0..80),
    ) {
        run(width, &steps);
    }
}

/// Enough states to grow every table several times, with the counters in different corners of the vector.
#[test]
fn many_states_keep_their_names_while_the_tables_grow() {
    let mut store = TreeStore::new(12);
    let mut words = vec![0; 12];
    let count = 300_000_u32;
    for number in 0..count {
        words[0] = number % 97;
        words[5] = number / 97 % 89;
        words[11] = number / (97 * 89);
        let inserted = store.insert(&words).expect("memory");
        assert_eq!(inserted, Inserted { state: StateId(number), is_new: true });
    }
    let mut expanded = Expanded::new();
    for number in (0..count).rev() {
        store.load(StateId(number), &mut expanded);
        assert_eq!(expanded.words()[5], number / 97 % 89);
        let inserted = store.insert(expanded.words()).expect("memory");
        assert_eq!(inserted, Inserted { state: StateId(number), is_new: false });
    }
    assert!(store.memory_bytes() < 20 * count as usize);
}

#[test]
fn a_memory_limit_refuses_states_and_keeps_the_old_ones() {
    let mut store = TreeStore::new(4);
    store.set_memory_limit(2_000_000);
    let mut stored = 0_u32;
    let error = loop {
        match store.insert(&[stored, stored ^ 5, 7, stored / 3]) {
            Ok(_) => stored += 1,
            Err(error) => break error,
        }
    };
    assert_eq!(error, store::StoreFull::MemoryLimit);
    assert!(store.memory_bytes() <= 2_000_000);
    assert_eq!(store.len(), stored as usize);
    let mut expanded = Expanded::new();
    store.load(StateId(stored - 1), &mut expanded);
    assert_eq!(expanded.words()[0], stored - 1);
    assert_eq!(store.grow_width(8), Err(store::StoreFull::MemoryLimit));
    assert_eq!(store.width(), 4);
}
