//! What leaves the loaded state, before it is stored: the model's successors, each with the moves of the automaton.

use store::StateId;
use transition::compiled::Divergence;
use transition::model;
use verdict::Reason;

use super::{Acceptance, INVALID_END_STATE, ModelProduct, fault_kind};
use crate::product::{Expansion, Fault, Halt, Marks};

/// What leaves the loaded state.
pub(super) enum Made {
    /// No edge.
    Nothing,
    /// The run has ended: it stays where it is.
    Loop(Marks),
    /// The successors, which have no words in front; `own`: the marks of all of them.
    Steps { own: u64 },
    /// Each successor, or the state itself where the run has ended, with each move of the automaton.
    Moves { stutters: bool },
    /// The automaton's moves depend on a proposition that has no value.
    Undecided { proposition: usize, fault: model::Fault },
}

impl ModelProduct {
    /// Computes what leaves the loaded state, and what is wrong with it.
    /// `state` is its number, if it is stored.
    #[inline]
    pub(super) fn make(&mut self, state: Option<StateId>, out: &mut Expansion) -> Result<Made, Halt> {
        self.inside.clear();
        if self.options.open {
            self.generate_open()?;
        } else {
            self.generate()?;
        }
        self.report_faults(out);
        if self.options.weak_fairness
            && self.system.process_count(&self.state) > (u64::BITS - self.own_sets) as usize
        {
            let message = format!("weak fairness is limited to {} processes", u64::BITS - self.own_sets);
            return Err(Halt(Reason::Unsupported(message)));
        }
        if let Some(found) = self.successors.diverges {
            let mut met = self.met();
            let before = met.divergence;
            met.divergence = Divergence::or_sequence(before, Some(found));
            if met.divergence != before {
                met.diverges_at = state;
            }
        }
        let is_endless = self.successors.diverges.is_some() && !self.options.open;
        let stutters = self.options.stutter && self.comes_to_a_stop();
        if self.prefix == 0 {
            let own = match self.options.acceptance {
                Acceptance::Locations if is_endless => return Err(not_opened()),
                Acceptance::Locations if self.system.is_accepting(&self.state) => 1,
                _ => 0,
            };
            let stay = || Made::Loop(Marks(own | self.all_fair()));
            return Ok(if stutters { stay() } else { Made::Steps { own } });
        }
        let at = self.front[0];
        out.accepting_sink = self.sinks.get(at as usize) == Some(&true);
        if let Some((proposition, fault)) = self.automaton_moves(at) {
            return Ok(Made::Undecided { proposition, fault });
        }
        if self.matching.is_empty() {
            return Ok(Made::Nothing);
        }
        if is_endless {
            return Err(not_opened());
        }
        Ok(Made::Moves { stutters })
    }

    /// Does every run end in the loaded state? Nothing can move, or whatever does has no meaning: a run that
    /// ends with an error is a run as far as it went.
    fn comes_to_a_stop(&self) -> bool {
        self.control().is_none() && self.successors.is_empty() && self.successors.diverges.is_none()
    }

    fn report_faults(&mut self, out: &mut Expansion) {
        if !self.successors.faults.is_empty() {
            out.faults.extend(
                self.successors
                    .faults
                    .iter()
                    .map(|fault| Fault { kind: fault_kind(fault.fault), edge: None }),
            );
        }
        if !self.options.check_end_states || !self.successors.deadlock {
            return;
        }
        let is_valid = self.successors.valid_end
            && (!self.options.strict_ends
                || self
                    .system
                    .snapshot(&self.state)
                    .channels
                    .iter()
                    .all(|channel| channel.messages.is_empty()));
        if !is_valid {
            out.faults.push(Fault { kind: INVALID_END_STATE, edge: None });
        }
    }

    /// Puts the vectors of all edges one after another.
    pub(super) fn collect_vectors(&mut self, stutters: bool) {
        let hidden = self.system.hidden_words();
        self.vectors.clear();
        let count = if stutters { 1 } else { self.successors.len() };
        for index in 0..count {
            let words = if stutters { &self.state[..] } else { self.successors.vector(index) };
            if self.prefix == 0 {
                self.vectors.extend_from_slice(&words[hidden..]);
            }
            for (target, _) in &self.matching {
                self.vectors.extend([*target, 0]);
                self.vectors.extend_from_slice(&words[hidden..]);
            }
        }
        for inside in &self.inside {
            for (target, _) in &self.matching {
                self.vectors.extend([*target, u32::from(inside.pid) + 1]);
                self.vectors.extend_from_slice(&inside.words[hidden..]);
            }
        }
    }
}

/// Whoever runs the search asks for [`ModelProduct::divergence`] and opens the sequence.
fn not_opened() -> Halt {
    Halt(Reason::Unsupported("an atomic sequence may run for ever".to_string()))
}
