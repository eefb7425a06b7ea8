//! What a search is to find, and how it is asked for it.

use search::{Question, Strength};
use temporal::Automaton;

use crate::options::SearchOptions;

/// What a search is to find.
#[derive(Clone, Copy)]
pub(crate) enum Sought<'a> {
    /// States and steps that are wrong.
    Faults,
    /// Runs that visit accepting places again and again.
    AcceptingLocations,
    /// Runs that the automaton accepts. Where runs that end are not continued, one may end in an accepting sink, and
    /// then there is no infinite run to accept.
    Runs { automaton: &'a Automaton, continues_runs: bool },
}

impl Sought<'_> {
    pub(crate) fn question(self, options: &SearchOptions) -> Question {
        match self {
            Sought::Faults => Question::Faults { shortest: options.shortest },
            Sought::AcceptingLocations => {
                let sets = if options.weak_fairness { 64 } else { 1 };
                Question::Acceptance { strength: Strength::General, sets }
            }
            Sought::Runs { .. } if options.weak_fairness => {
                Question::Acceptance { strength: Strength::General, sets: 64 }
            }
            Sought::Runs { automaton, continues_runs } => {
                let class = temporal::classify(automaton);
                let strength = match (class.terminal, class.weak) {
                    (true, _) => Strength::Terminal,
                    (false, true) => Strength::Weak,
                    (false, false) => Strength::General,
                };
                let strength = if continues_runs { strength } else { strength.max(Strength::Weak) };
                Question::Acceptance { strength, sets: automaton.sets }
            }
        }
    }
}
