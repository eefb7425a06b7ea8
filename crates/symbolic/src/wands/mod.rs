//! Magic wands: what identifies one, how it is packaged, and what applying it gives.
//!
//! `A --* B` is a resource that, together with `A`, can be exchanged for `B`, once. Packaging it produces `A` into a
//! heap of its own, runs the proof there and consumes `B`; what is missing is taken from the heaps around, which lose
//! it: the footprint. The snapshot of a wand is a function from snapshots of `A` to snapshots of `B`
//! (`wand.apply`), so values survive the exchange.
//!
//! Inside of a package the snapshot of `A` is a constant that stands for whatever the wand will be applied to.
//! Everything that becomes new there depends on it, and afterwards the function is defined for all snapshots. Facts
//! from inside hold only if the wand is applied (`A` may never hold), so they are kept under `wand.applied`. What is
//! left outside may depend on the constant too, namely when it depends on values of `A` how much is taken; then the
//! constant is a prophecy of the snapshot that the wand will be applied to, as in Viper, which the program must not see:
//! `observed.rs`. See Schwerhoff and Summers,
//! Lightweight support for magic wands in an automatic verifier, ECOOP 2015.

mod apply;
mod identity;
mod observed;
mod package;
mod transfer;

use rustc_hash::{FxHashMap, FxHashSet};
use silver::typed::MethodId;
use smt::{Function, Term};

use crate::engine::Engine;
use crate::heap::{Heap, WandShapeId};

pub(crate) use identity::WandTable;

use apply::Definition;

/// What the engine of a member knows about its wands.
#[derive(Default)]
pub(crate) struct Packaging {
    /// The member, whose labels may occur in proofs.
    pub method: Option<MethodId>,
    /// What packaged wands map snapshots to, by the symbol of the wand's own snapshot.
    definitions: FxHashMap<Function, Definition>,
    /// Shapes of wands for which it depends on the left-hand side how much they hold.
    unsettled: FxHashSet<WandShapeId>,
    /// Snapshots of left-hand sides that amounts outside of packages depend on.
    prophecies: Vec<Term>,
    /// Heaps that wands refer to by `old`; a heap's place is its identity.
    heaps: Vec<Heap>,
    /// Facts that only fix the meaning of new symbols, and hold whether or not a wand is ever applied.
    meanings: FxHashSet<Term>,
    /// Facts about the heaps around a package, and inside of how many packages they hold.
    around: FxHashMap<Term, usize>,
}

impl<'p> Engine<'p> {
    /// Whether the current path is inside the proof of a wand.
    pub(crate) fn is_packaging(&self) -> bool {
        !self.around.lefts.is_empty()
    }

    /// Assumes what became of a fact when the scope ended that it was assumed in.
    pub(crate) fn assume_like(&mut self, original: Term, fact: Term) {
        if self.member.packaging.meanings.contains(&original) {
            self.member.packaging.meanings.insert(fact);
        }
        if let Some(depth) = self.member.packaging.around.get(&original).copied() {
            self.member.packaging.around.insert(fact, depth);
        }
        self.assume(fact);
    }

    /// Assumes a fact that only fixes the meaning of a new symbol.
    pub(crate) fn assume_meaning(&mut self, fact: Term) {
        if self.is_packaging() {
            self.member.packaging.meanings.insert(fact);
        }
        self.assume(fact);
    }
}
