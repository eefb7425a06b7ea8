//! Finite paths and lassos through a product, as steps over numbered edges.

use verdict::Reason;

use crate::product::{Expansion, Halt, Marks, Product, StateId};

/// One step over one edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Where it begins.
    pub source: StateId,
    /// Which of the edges in the expansion of `source` it takes.
    pub edge: u32,
    /// Where it ends.
    pub target: StateId,
    /// The marks of the edge.
    pub marks: Marks,
}

/// A finite path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// Where it begins.
    pub start: StateId,
    /// Each step begins where the one before it ends.
    pub steps: Vec<Step>,
}

impl Path {
    /// Where it ends.
    pub fn end(&self) -> StateId {
        self.steps.last().map_or(self.start, |step| step.target)
    }
}

/// A path into a cycle: the finite form of an infinite run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso {
    /// From an initial state to the first state of the cycle.
    pub stem: Path,
    /// From the end of the stem back to it; never empty.
    pub cycle: Vec<Step>,
}

/// What a refutation looks like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Counterexample {
    /// A path to a fault; when the fault is on an edge, that edge is the last step.
    Path(Path),
    /// An accepting run.
    Lasso(Lasso),
}

/// The path through the given states, over the first edge that fits each pair, and then over the edge with
/// the number `last`, if given. The states must not be empty.
pub(crate) fn along<P: Product>(
    product: &mut P,
    states: &[StateId],
    last: Option<u32>,
) -> Result<Path, Halt> {
    let mut out = Expansion::new();
    let mut steps = Vec::with_capacity(states.len());
    for pair in states.windows(2) {
        product.expand(pair[0], &mut out)?;
        let found = out.edges.iter().enumerate().find(|(_, edge)| edge.target == pair[1]);
        let (number, edge) = found.ok_or_else(not_a_function)?;
        steps.push(Step { source: pair[0], edge: number as u32, target: pair[1], marks: edge.marks });
    }
    let (Some(&start), Some(&end)) = (states.first(), states.last()) else {
        return Err(not_a_function());
    };
    if let Some(number) = last {
        product.expand(end, &mut out)?;
        let edge = out.edges.get(number as usize).ok_or_else(not_a_function)?;
        steps.push(Step { source: end, edge: number, target: edge.target, marks: edge.marks });
    }
    Ok(Path { start, steps })
}

pub(crate) fn not_a_function() -> Halt {
    Halt(Reason::Internal("expanding a state twice gave different edges".to_owned()))
}
