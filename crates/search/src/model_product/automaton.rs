//! How the automaton of a property moves beside the model, and where it accepts whatever follows.

use temporal::Automaton;
use transition::model;

use super::{Acceptance, ModelProduct};
use crate::limits;

impl ModelProduct {
    /// The automaton's moves in the loaded state: target and marks. There are none where they depend on a
    /// proposition without a value, which is given then.
    pub(super) fn automaton_moves(&mut self, at: u32) -> Option<(usize, model::Fault)> {
        self.matching.clear();
        let Acceptance::Automaton { automaton, propositions } = &self.options.acceptance else {
            let own = u64::from(
                matches!(self.options.acceptance, Acceptance::Locations)
                    && self.system.is_accepting(&self.state),
            );
            self.matching.push((0, own));
            return None;
        };
        let mut letter = 0_u64;
        let mut missing = Vec::new();
        for (bit, proposition) in propositions.iter().enumerate() {
            match self.system.holds(&self.state, *proposition) {
                Ok(holds) => letter |= u64::from(holds) << bit,
                Err(fault) => missing.push((bit, fault)),
            }
        }
        let moves =
            |letter: u64| automaton.successors(at, letter).map(|edge| (edge.target, u64::from(edge.marks.0)));
        self.matching.extend(moves(letter));
        let (proposition, fault) = missing.first().copied()?;
        // Each choice of the missing values is a letter; the moves are known if they are the same for all.
        let letters = 1_u64 << missing.len().min(limits::MISSING_VALUES);
        let with = |choice: u64| {
            let chosen = missing.iter().enumerate().filter(|(at, _)| choice >> at & 1 == 1);
            chosen.fold(letter, |letter, (_, (bit, _))| letter | 1 << bit)
        };
        let matters = missing.len() > limits::MISSING_VALUES
            || (1..letters).any(|choice| !moves(with(choice)).eq(self.matching.iter().copied()));
        if matters {
            self.matching.clear();
        }
        matters.then_some((proposition, fault))
    }
}

/// States of the automaton that accept everything: a loop under every letter that bears all marks.
pub fn accepting_sinks(automaton: &Automaton) -> Vec<bool> {
    let all = temporal::Marks::all(automaton.sets);
    (0..automaton.states.len() as u32)
        .map(|state| {
            let edges = automaton.edges(state);
            edges
                .iter()
                .any(|edge| edge.target == state && edge.label.is_anything() && edge.marks.includes(all))
        })
        .collect()
}
