//! Random programs with contracts: shapes that are true by construction, with details left to chance.
//!
//! Where a fact is a number that only a run can tell, a hole stands for it; the program is run and the hole filled
//! with what was seen. Then most programs are changed a little somewhere, so that many are wrong in one place. A third
//! has threads. Every program has a `main` without parameters, so that it can be run as a whole.

mod arrays;
mod ghost;
mod heap;
mod iterations;
mod pointers;
mod threads;
mod values;
mod writer;

use super::examine::mine;
use super::perturb::perturb;
use crate::oracle::random::Random;
pub(super) use writer::FIRST_HOLE;
use writer::Writer;

type Shape = fn(&mut Writer<'_>);

/// Shapes and how often they are taken.
const SEQUENTIAL: &[(usize, Shape)] = &[
    (5, heap::methods),
    (3, heap::lists),
    (2, heap::auto_values),
    (2, heap::functions),
    (2, heap::finals_and_statics),
    (4, arrays::loops),
    (3, arrays::sums),
    (2, arrays::matrices),
    (4, pointers::locals),
    (2, pointers::fields),
    (3, values::collections),
    (3, ghost::given),
    (3, ghost::influence),
    (2, ghost::lemmas),
    (4, iterations::bounds),
    (2, iterations::messages),
];

const THREADS: &[(usize, Shape)] = &[
    (4, threads::par),
    (2, threads::regions),
    (5, threads::atomic),
    (5, threads::barrier),
    (4, threads::fork_join),
    (4, threads::locks),
    (3, threads::kept_locks),
    (3, threads::messages),
];

/// A program; the same source of numbers gives the same program.
pub(super) fn program(random: &mut Random) -> String {
    let shapes = if random.chance(2, 5) { THREADS } else { SEQUENTIAL };
    let weights: Vec<usize> = shapes.iter().map(|shape| shape.0).collect();
    let shape = shapes[random.weighted(&weights)].1;
    let mut writer = Writer::new(random);
    shape(&mut writer);
    let mut text = writer.finish();
    let changes = random.weighted(&[3, 4, 2, 1]);
    let early = random.chance(1, 3);
    for _ in 0..changes {
        if early {
            text = perturb(random, &text);
        }
    }
    text = mine(&text);
    for _ in 0..changes {
        if !early {
            text = perturb(random, &text);
        }
    }
    text
}
