//! What identifies a wand: its shape, and the values of the subexpressions that are fixed when it is created.

use silver::typed::{Program, Wand};
use smt::Term;
use verdict::Reason;

use crate::blame::{Blame, Stop};
use crate::dependencies::{WandArgument, WandShapeId, WandShapes, wand_arguments};
use crate::engine::{Engine, Outcome};
use crate::heap::{Heap, Resource};
use crate::state::State;

/// The shapes of all wands of a program; the same for all its members.
#[derive(Clone, Debug)]
pub(crate) struct WandTable {
    shapes: WandShapes,
}

impl WandTable {
    pub(crate) fn new(shapes: WandShapes) -> WandTable {
        WandTable { shapes }
    }

    pub(crate) fn find(&self, program: &Program, wand: &Wand) -> Option<WandShapeId> {
        self.shapes.find(program, wand)
    }
}

impl<'p> Engine<'p> {
    /// The shape of a wand and the values that fix it here.
    pub(crate) fn evaluate_wand(
        &mut self,
        state: &mut State,
        wand: &Wand,
        blame: &Blame,
    ) -> Outcome<(Resource, Vec<Term>)> {
        let Some(shape) = self.run.wands.find(self.run.program, wand) else {
            let what = "a magic wand that the program does not contain as it is written".to_string();
            return Err(Stop::Unknown(Reason::Unsupported(what)));
        };
        let mut values = Vec::new();
        for argument in wand_arguments(self.run.program, wand) {
            let value = match argument {
                WandArgument::Value(expression) => self.evaluate(state, &expression, blame)?,
                WandArgument::OldHeap => self.heap_identity(state.old.as_ref()),
                WandArgument::LabelHeap(label) => self.heap_identity(state.labels.get(&label)),
            };
            values.push(value);
        }
        Ok((Resource::Wand(shape), values))
    }

    /// A number for a heap: wands that read different heaps by `old` are different.
    fn heap_identity(&mut self, heap: Option<&Heap>) -> Term {
        let heap = heap.cloned().unwrap_or_default();
        let heaps = &mut self.member.packaging.heaps;
        let index = heaps.iter().position(|known| known.is_same(&heap)).unwrap_or_else(|| {
            heaps.push(heap);
            heaps.len() - 1
        });
        self.encoder.terms.int(index as u64)
    }
}
