//! An automaton beside a model: how it moves in a state of the model, and where it accepts whatever follows.

use search::{Edge, Expansion, Halt, Marks, accepting_sinks};
use store::Inserted;
use temporal::Automaton;
use verdict::Reason;

use crate::port::AtomId;

/// An automaton and what its propositions mean.
#[derive(Clone)]
pub(crate) struct Watched<'m> {
    pub(crate) automaton: &'m Automaton,
    /// The condition that each proposition is.
    pub(crate) atoms: Vec<AtomId>,
    sinks: Vec<bool>,
}

/// A move of the automaton: its next state, and the acceptance sets that the edge is in.
pub(crate) type Move = (u32, Marks);

impl<'m> Watched<'m> {
    pub(crate) fn new(automaton: &'m Automaton, atoms: Vec<AtomId>) -> Watched<'m> {
        Watched { automaton, atoms, sinks: accepting_sinks(automaton) }
    }

    /// Does the automaton accept from this state on, whatever follows?
    pub(crate) fn is_sink(&self, at: u32) -> bool {
        self.sinks.get(at as usize) == Some(&true)
    }

    /// The moves from a state; `holds` says which conditions hold in the state of the model.
    pub(crate) fn moves(
        &self,
        at: u32,
        mut holds: impl FnMut(usize, AtomId) -> Result<bool, String>,
    ) -> Result<Vec<Move>, Halt> {
        let mut letter = 0_u64;
        for (bit, atom) in self.atoms.iter().enumerate() {
            letter |= u64::from(holds(bit, *atom).map_err(unanswered)?) << bit;
        }
        let edges = self.automaton.successors(at, letter);
        Ok(edges.map(|edge| (edge.target, Marks(u64::from(edge.marks.0)))).collect())
    }
}

/// The one move there is without an automaton.
pub(crate) const UNWATCHED: Move = (0, Marks::NONE);

/// The edges of an expansion: for each state of the model that was stored, one for each move, in this order.
pub(crate) fn add_edges(inserted: &[Inserted], moves: &[Move], out: &mut Expansion) {
    let marks = moves.iter().map(|(_, marks)| *marks).cycle();
    let edges = inserted.iter().zip(marks);
    let edge = |(inserted, marks): (&Inserted, Marks)| Edge {
        target: inserted.state,
        marks,
        is_new: inserted.is_new,
    };
    out.edges.extend(edges.map(edge));
}

/// The model cannot say how it goes on.
pub(crate) fn unanswered(sentence: String) -> Halt {
    Halt(Reason::Unsupported(sentence))
}
