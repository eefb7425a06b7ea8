//! Equality of terms against bisimilarity of transition systems, which code of its own builds and compares.
//!
//! Terms without recursion are finite here, so both must agree. With guarded recursion nothing may be called equal that eight
//! steps tell apart. `PROBITY_SLOW_TESTS` takes ten times as many pairs.

mod graphs;
mod laws;
#[path = "../support/random.rs"]
mod random;
mod shape;
#[path = "../support/steps.rs"]
mod steps;
#[path = "../support/terms.rs"]
mod terms;

use process::{Algebra, OnSight};

use crate::graphs::{Bisimilarity, bisimilar, same_for};
use crate::laws::rewritten;
use crate::random::Random;
use crate::shape::Shape;
use crate::terms::{Definitions, T, model, term};

/// The same tenth of all pairs by default.
fn pairs(all: u64) -> u64 {
    if std::env::var_os("PROBITY_SLOW_TESTS").is_some() { all } else { all / 10 }
}

fn pair(random: &mut Random, shape: &Shape, definitions: &Definitions) -> (T, T) {
    let first = shape.term(random, 4);
    with_partner(random, first, shape, definitions)
}

/// The term beside one that laws make of it, or beside another.
fn with_partner(random: &mut Random, first: T, shape: &Shape, definitions: &Definitions) -> (T, T) {
    let second = if random.below(2) == 0 {
        let times = 1 + random.below(8);
        (0..times).fold(first.clone(), |term, _| rewritten(random, &term, shape, definitions))
    } else {
        shape.term(random, 4)
    };
    (first, second)
}

#[test]
fn equality_without_recursion_is_bisimilarity() {
    let (mut equal, mut different, mut too_large) = (0, 0, 0);
    for seed in 0..pairs(20_000) {
        let mut random = Random::new(seed);
        let shape = Shape { calls: 0, rich: random.below(2) == 0 };
        let (first, second) = pair(&mut random, &shape, &Definitions::default());
        let expected = match bisimilar(&first, &second, &Definitions::default()) {
            Bisimilarity::Same => true,
            Bisimilarity::Different => false,
            Bisimilarity::TooLarge => {
                too_large += 1;
                continue;
            }
        };
        let model = model(&Definitions::default());
        let mut algebra = Algebra::new(&model);
        let found = algebra.equal_terms(&term(&first), &term(&second), &[], &mut OnSight);
        assert_eq!(found.is_equal(), expected, "seed {seed}: {first} and {second}: {found:?}");
        assert_eq!(found.is_different(), !expected, "seed {seed}: {first} and {second}: {found:?}");
        if expected { equal += 1 } else { different += 1 }
    }
    let wanted = pairs(20_000) / 4;
    assert!(
        equal > wanted && different > wanted,
        "{equal} equal, {different} different, {too_large} too large"
    );
}

#[test]
fn equal_with_recursion_is_never_told_apart_by_eight_steps() {
    let (mut equal, mut different, mut unknown, mut too_large) = (0, 0, 0, 0);
    for seed in 0..pairs(12_000) {
        let mut random = Random::new(seed);
        let definitions = Definitions::random(&mut random);
        let shape = Shape { calls: definitions.bodies.len(), rich: random.below(3) == 0 };
        let (first, second) = pair(&mut random, &shape, &definitions);
        let Some(same) = same_for(8, &first, &second, &definitions) else {
            too_large += 1;
            continue;
        };
        let model = model(&definitions);
        let mut algebra = Algebra::new(&model);
        let found = algebra.equal_terms(&term(&first), &term(&second), &[], &mut OnSight);
        assert!(same || !found.is_equal(), "seed {seed}: {first} and {second} with {definitions}: {found:?}");
        if found.is_equal() {
            equal += 1;
        } else if found.is_different() {
            different += 1;
        } else {
            unknown += 1;
        }
    }
    let all = equal + different + unknown;
    assert!(
        all > pairs(10_000) && equal > all / 4 && different > all / 8,
        "{equal} equal, {different} different, {unknown} unknown, {too_large} too large"
    );
}

/// Terms over a variable: nothing is equal that is not so for all its values, and laws make nothing different.
#[test]
fn equal_for_all_values_is_equal_for_each() {
    let (mut equal, mut different, mut unknown, mut too_large) = (0, 0, 0, 0);
    for seed in 0..pairs(4_000) {
        let mut random = Random::new(seed);
        let definitions =
            if random.below(2) == 0 { Definitions::random(&mut random) } else { Definitions::default() };
        let shape = Shape { calls: definitions.bodies.len(), rich: true };
        let first = shape.term_over_a_variable(&mut random, 3);
        let (first, second) = if random.below(3) == 0 {
            (first, shape.term_over_a_variable(&mut random, 2))
        } else {
            with_partner(&mut random, first, &shape, &definitions)
        };
        let instances =
            (-1..4).map(|value| same_for(6, &first.with(0, value), &second.with(0, value), &definitions));
        let Some(instances) = instances.collect::<Option<Vec<bool>>>() else {
            too_large += 1;
            continue;
        };
        let model = model(&definitions);
        let mut algebra = Algebra::new(&model);
        let found = algebra.equal_terms(&term(&first), &term(&second), &[], &mut OnSight);
        assert!(
            !found.is_equal() || !instances.contains(&false),
            "seed {seed}: {first} and {second} with {definitions} are {instances:?}"
        );
        if found.is_equal() {
            equal += 1;
        } else if found.is_different() {
            different += 1;
        } else {
            unknown += 1;
        }
    }
    let all = equal + different + unknown;
    assert!(
        equal > all / 4 && different > all / 20 && too_large < all / 4,
        "{equal} equal, {different} different, {unknown} unknown, {too_large} too large"
    );
}
