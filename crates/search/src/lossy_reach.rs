//! Reachability with a store that may forget: for faults, and for the accepting sinks of terminal automata.
//!
//! A [`LossySet`] says of a state whether it was met before, and now and then says so of one that was not; what lies behind
//! that is not searched. It cannot give states back, so vectors lie on the stack: those of the path, from which a
//! counterexample is made, and those that wait. A search that finds nothing has not shown that there is nothing: its verdict is
//! never *holds*.
//!
//! Workers share the set and give each other what waits lowest on their stacks, with the path that leads there. The order is
//! that of [`crate::reach_dfs`].

use std::collections::VecDeque;

use store::{Forgotten, Lossy, LossySet, StateHash};
use verdict::{Reason, Verdict};

use crate::control::Control;
use crate::faults::{FaultLog, FaultPolicy};
use crate::outcome::{Outcome, conclude};
use crate::path::along;
use crate::product::{Expansion, Fault, FaultKind, Halt, Shared, StateId};
use crate::reach_dfs::{ReachOptions, collect_faults};
use crate::team::{Team, together};
use crate::terminal::complete;
use crate::work::{Pool, Taken};

/// A product whose states can be handled as what they are made of.
pub trait Vectors: Shared {
    /// The vectors where runs begin.
    fn first_vectors(&mut self) -> Result<Vec<Vec<u32>>, Halt>;

    /// Computes the vectors that a state leads to, one after another in `reached.words`; faults and whether it is an
    /// accepting sink come in `out`, whose edges are of no meaning.
    fn expand_vector(
        &mut self,
        vector: &[u32],
        reached: &mut Reached,
        out: &mut Expansion,
    ) -> Result<(), Halt>;

    /// Stores a vector after all, for a counterexample.
    fn keep_vector(&mut self, vector: &[u32]) -> Result<StateId, Halt>;
}

/// Vectors, each of `width` words.
#[derive(Clone, Debug, Default)]
pub struct Reached {
    /// The words of all of them.
    pub words: Vec<u32>,
    /// How many words each has.
    pub width: usize,
}

/// What a store that may forget was, and what it is to be expected to have forgotten.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lost {
    /// Of which kind.
    pub kind: Lossy,
    /// How much.
    pub forgotten: Forgotten,
}

type Vector = Box<[u32]>;

/// A state that waits, and how many states its path has.
struct Waiting {
    depth: usize,
    vector: Vector,
}

/// States that one worker gives to another, with the path to them.
struct Piece {
    path: Vec<Vector>,
    states: Vec<Vector>,
}

/// How many states a worker gives at once.
const STATES_GIVEN: usize = 64;

/// The way to the first fault of a kind, and how many there are.
struct Met {
    kind: FaultKind,
    count: u64,
    fault: Fault,
    path: Vec<Vector>,
}

/// Explores a product with a store that may forget.
pub fn lossy_reach<P: Vectors>(
    product: &mut P,
    options: ReachOptions,
    control: &mut Control<'_>,
    workers: usize,
    kind: Lossy,
) -> (Outcome, Option<Lost>) {
    let limit = control.limits().max_memory_bytes.map_or(usize::MAX, |bytes| bytes as usize);
    let set = match LossySet::new(kind, limit) {
        Ok(set) => set,
        Err(full) => {
            let outcome = conclude(product, control, 0, FaultLog::default(), Err(full.into()));
            return (outcome, None);
        }
    };
    let mut met = Vec::new();
    let ended = explore(product, options, control, workers, &set, &mut met);
    let outcome = finish(product, control, &set, met, ended);
    let outcome = if options.accepting_sinks { complete(product, control, outcome) } else { outcome };
    (outcome, Some(Lost { kind, forgotten: set.forgotten() }))
}

fn explore<P: Vectors>(
    product: &mut P,
    options: ReachOptions,
    control: &mut Control<'_>,
    workers: usize,
    set: &LossySet,
    met: &mut Vec<Met>,
) -> Result<(), Halt> {
    let mut states = Vec::new();
    for vector in product.first_vectors()? {
        if set.insert(StateHash::of(&vector))? {
            states.push(trimmed(&vector));
        }
    }
    control.start(product)?;
    let pool = Pool::new(vec![Piece { path: Vec::new(), states }]);
    let work = |_: usize, team: &Team, view: &mut P, control: &mut Control<'_>, met: &mut Vec<Met>| {
        search(view, control, options, team, &pool, set, met)
    };
    let (all, ended) = together(product, control, workers, work, Vec::new);
    for other in all.into_iter().flatten() {
        match met.iter_mut().find(|known| known.kind == other.kind) {
            Some(known) => {
                known.count += other.count;
                if other.path.len() < known.path.len() {
                    (known.path, known.fault) = (other.path, other.fault);
                }
            }
            None => met.push(other),
        }
    }
    ended
}

/// Makes an outcome whose counterexamples are paths of stored states.
fn finish<P: Vectors>(
    product: &mut P,
    control: &mut Control<'_>,
    set: &LossySet,
    met: Vec<Met>,
    ended: Result<(), Halt>,
) -> Outcome {
    let mut faults = FaultLog::default();
    let mut lost = None;
    for Met { count, fault, path, .. } in met {
        let kept: Result<Vec<StateId>, Halt> =
            path.iter().map(|vector| product.keep_vector(vector)).collect();
        match kept.and_then(|states| along(product, &states, None).map(|_| states)) {
            Ok(states) => {
                let steps = states.len() as u64 - 1 + u64::from(fault.edge.is_some());
                faults.record_many(fault, count, steps, states);
            }
            Err(halt) => lost = Some(halt),
        }
    }
    let ended = lost.map_or(ended, Err);
    let mut outcome = conclude(product, control, set.memory_bytes(), faults, ended.map(|()| None));
    outcome.statistics.states = set.stored() as u64;
    if outcome.verdict == Verdict::Holds {
        outcome.verdict = Verdict::Unknown(Reason::NothingFound(String::new()));
    }
    outcome
}

/// A vector without the zero words at its end, which are added again where it is used.
fn trimmed(words: &[u32]) -> Vector {
    let used = words.iter().rposition(|word| *word != 0).map_or(0, |last| last + 1);
    words[..used].into()
}

fn search<P: Vectors>(
    view: &mut P,
    control: &mut Control<'_>,
    options: ReachOptions,
    team: &Team,
    pool: &Pool<Piece>,
    set: &LossySet,
    met: &mut Vec<Met>,
) -> Result<(), Halt> {
    let (mut out, mut reached) = (Expansion::new(), Reached::default());
    let mut path: Vec<Vector> = Vec::new();
    let mut waiting: VecDeque<Waiting> = VecDeque::new();
    // The words that wait, for the clock.
    let mut words = 0_usize;
    pool.join();
    loop {
        let Some(Waiting { depth, vector }) = waiting.pop_back() else {
            match pool.take(team, || control.wait(view))? {
                Taken::Piece(piece) => {
                    path = piece.path;
                    let depth = path.len();
                    words = piece.states.iter().map(|vector| vector.len()).sum();
                    waiting.extend(piece.states.into_iter().map(|vector| Waiting { depth, vector }));
                }
                Taken::Nothing => return Ok(()),
            }
            continue;
        };
        words -= vector.len();
        path.truncate(depth);
        view.expand_vector(&vector, &mut reached, &mut out)?;
        path.push(vector);
        collect_faults(&mut out, options);
        for &fault in &out.faults {
            record(met, fault, &path);
        }
        if !out.faults.is_empty() && options.faults != FaultPolicy::CountAll {
            team.finish();
            return Ok(());
        }
        let edges = reached.words.len() / reached.width.max(1);
        // The first edge is to be taken first, so it comes to lie on top.
        for vector in reached.words.chunks_exact(reached.width.max(1)).rev() {
            if set.insert(StateHash::of(vector))? {
                let vector = trimmed(vector);
                words += vector.len();
                waiting.push_back(Waiting { depth: path.len(), vector });
            }
        }
        let bytes = words * 4 + waiting.capacity() * size_of::<Waiting>();
        control.count_expansion(set, path.len(), edges as u64, || bytes)?;
        if pool.is_wanted() && waiting.len() > 1 {
            let piece = give(&path, &mut waiting);
            words -= piece.states.iter().map(|vector| vector.len()).sum::<usize>();
            pool.put([piece]);
        }
    }
}

fn record(met: &mut Vec<Met>, fault: Fault, path: &[Vector]) {
    match met.iter_mut().find(|known| known.kind == fault.kind) {
        Some(known) => {
            known.count += 1;
            if path.len() < known.path.len() {
                (known.path, known.fault) = (path.to_vec(), fault);
            }
        }
        None => met.push(Met { kind: fault.kind, count: 1, fault, path: path.to_vec() }),
    }
}

/// Takes states that wait lowest, up to half of all, that have the same path.
fn give(path: &[Vector], waiting: &mut VecDeque<Waiting>) -> Piece {
    let depth = waiting.front().map_or(0, |first| first.depth);
    let most = (waiting.len() / 2).min(STATES_GIVEN);
    let mut states = Vec::new();
    while states.len() < most && waiting.front().is_some_and(|first| first.depth == depth) {
        states.extend(waiting.pop_front().map(|first| first.vector));
    }
    Piece { path: path[..depth].to_vec(), states }
}
