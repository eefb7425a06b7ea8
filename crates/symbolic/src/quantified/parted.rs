//! Chunks that were held together until one of them was given away.
//!
//! Two chunks agree on the values of the locations that both hold, and no more than the full permission to a location is held
//! by all of them. This is only said where a step fails without it; by then, the chunk that the value is known of may be gone,
//! and what is left of the other is known nothing about. So the state remembers which chunks were held together.

use std::rc::Rc;

use rustc_hash::FxHashSet;
use smt::Term;

use crate::engine::Engine;
use crate::heap::{Chunk, Heap, QuantifiedChunk, Resource};
use crate::limits;
use crate::state::State;

/// Remembers which chunks a step separated from others.
pub(crate) fn remember_parted(before: &Heap, state: &mut State) {
    for resource in before.resources() {
        if let Resource::Wand(_) = resource {
            continue;
        }
        let (held, left) = (before.of(resource), state.heap.of(resource));
        if Rc::ptr_eq(&held, &left) || held.len() < 2 {
            continue;
        }
        if loses_some(&held, &left) {
            let parted = Rc::make_mut(&mut state.parted);
            if parted.len() == limits::PARTINGS {
                parted.remove(0);
            }
            parted.push((resource, held));
        }
    }
}

/// Whether of some chunk less is left than was held.
fn loses_some(held: &[Chunk], left: &[Chunk]) -> bool {
    let is_left = |chunk: &Chunk| {
        left.iter().any(|other| match (chunk, other) {
            (Chunk::Basic(chunk), Chunk::Basic(other)) => {
                chunk.arguments == other.arguments && chunk.permission == other.permission
            }
            (Chunk::Quantified(chunk), Chunk::Quantified(other)) => {
                Rc::ptr_eq(chunk, other) || chunk == other
            }
            _ => false,
        })
    };
    !held.iter().all(is_left)
}

/// The heaps that were parted, each with the chunks of one resource.
pub(crate) fn parted_heaps(state: &State) -> Vec<Heap> {
    let parted = state.parted.iter();
    parted
        .map(|(resource, chunks)| {
            let mut heap = Heap::default();
            heap.set(*resource, chunks.to_vec());
            heap
        })
        .collect()
}

fn quantified(chunks: &[Chunk]) -> impl Iterator<Item = &Rc<QuantifiedChunk>> {
    chunks.iter().filter_map(|chunk| match chunk {
        Chunk::Quantified(chunk) => Some(chunk),
        Chunk::Basic(_) => None,
    })
}

impl<'p> Engine<'p> {
    /// Says that chunks agreed while they were held together, where one of them is still there.
    pub(crate) fn assume_about_parted(&mut self, state: &State) {
        let mut told: FxHashSet<(Term, Term)> = FxHashSet::default();
        for (resource, chunks) in state.parted.iter() {
            let here = state.heap.of(*resource);
            let is_here = |chunk: &QuantifiedChunk| quantified(&here).any(|other| other.map == chunk.map);
            for (index, right) in quantified(chunks).enumerate() {
                for left in quantified(chunks).take(index) {
                    if is_here(left) != is_here(right) && told.insert((left.map, right.map)) {
                        self.assume_agreement(*resource, left, right);
                    }
                }
            }
        }
    }
}
