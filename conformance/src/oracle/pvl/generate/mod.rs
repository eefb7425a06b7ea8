//! Random programs with contracts: shapes that are true by construction, with details left to chance.
//!
//! Where a fact is a number that only a run can tell, a hole stands for it; the program is run and the hole filled
//! with what was seen. Then most programs are changed a little somewhere, so that many are wrong in one place. A third
//! has threads. Every program has a `main` without parameters, so that it can be run as a whole.

mod arrays;
mod features;
mod ghost;
mod heap;
mod iterations;
mod objects;
mod pointers;
mod probes;
mod threads;
mod tricks;
mod values;
mod writer;

use super::examine::{is_program, mine};
use super::perturb::perturb;
use testing::Random;
pub(super) use writer::FIRST_HOLE;
use writer::Writer;

type Shape = fn(&mut Writer<'_>);

/// Shapes by name and how often they are taken.
const SEQUENTIAL: &[(&str, usize, Shape)] = &[
    ("methods", 5, heap::methods),
    ("lists", 3, heap::lists),
    ("auto values", 2, heap::auto_values),
    ("functions", 2, heap::functions),
    ("finals", 2, heap::finals),
    ("loops", 4, arrays::loops),
    ("sums", 3, arrays::sums),
    ("matrices", 1, arrays::matrices),
    ("pointers", 4, pointers::locals),
    ("addresses of fields", 2, pointers::fields),
    ("collections", 3, values::collections),
    ("given", 3, ghost::given),
    ("influence", 3, ghost::influence),
    ("lemmas", 2, ghost::lemmas),
    ("bounds", 4, iterations::bounds),
    ("messages of iterations", 2, iterations::messages),
    ("states", 3, features::states),
    ("wands", 2, features::wands),
    ("fractions", 2, features::fractions),
    ("types", 2, features::types),
    ("probes of operators", 9, probes::operators),
    ("probes of loops", 7, probes::loops),
    ("probes of contracts", 9, probes::contracts),
];

const THREADS: &[(&str, usize, Shape)] = &[
    ("par", 4, threads::par),
    ("regions", 2, threads::regions),
    ("atomic", 5, threads::atomic),
    ("barrier", 5, threads::barrier),
    ("fork", 4, objects::fork_join),
    ("locks", 4, objects::locks),
    ("kept locks", 3, objects::kept_locks),
    ("tokens", 4, objects::tokens),
    ("messages of threads", 3, threads::messages),
    ("everywhere", 2, features::everywhere),
    ("nested", 2, features::nested),
    ("unframed", 5, tricks::unframed),
    ("divergence", 5, tricks::divergence),
    ("locals in barriers", 4, tricks::barrier_locals),
    ("probes of steps", 14, probes::steps),
];

/// The names of all shapes.
pub fn shapes() -> Vec<&'static str> {
    SEQUENTIAL.iter().chain(THREADS).map(|shape| shape.0).collect()
}

/// A program of one shape, as it was meant.
pub fn plain(shape: &str, random: &mut Random) -> String {
    let found = SEQUENTIAL.iter().chain(THREADS).find(|it| it.0 == shape);
    let mut writer = Writer::new(random);
    writer.wild = false;
    if let Some((_, _, write)) = found {
        write(&mut writer);
    }
    mine(&writer.finish())
}

/// A program; the same source of numbers gives the same program.
pub(super) fn program(random: &mut Random) -> String {
    let shapes = if random.chance(2, 5) { THREADS } else { SEQUENTIAL };
    let weights: Vec<usize> = shapes.iter().map(|shape| shape.1).collect();
    let shape = shapes[random.weighted(&weights)].2;
    let mut writer = Writer::new(random);
    shape(&mut writer);
    let text = writer.finish();
    let changes = random.weighted(&[3, 4, 2, 1]);
    if random.chance(1, 3) {
        mine(&perturbed(random, text, changes))
    } else {
        perturbed(random, mine(&text), changes)
    }
}

/// With this many changes that leave something to be run.
fn perturbed(random: &mut Random, mut text: String, changes: usize) -> String {
    for _ in 0..changes {
        let found = (0..6).map(|_| perturb(random, &text)).find(|changed| is_program(changed));
        text = found.unwrap_or(text);
    }
    text
}
