//! Which search answers which question, and why.

use verdict::Reason;

use crate::cndfs::cndfs;
use crate::control::Control;
use crate::faults::{FaultLog, FaultPolicy};
use crate::levels::levels;
use crate::lowe::lowe;
use crate::ndfs::ndfs;
use crate::outcome::{Outcome, conclude};
use crate::pndfs::pndfs;
use crate::product::{Halt, Marks, Product, Shared};
use crate::reach_bfs::reach_bfs;
use crate::reach_dfs::{ReachOptions, reach_dfs};
use crate::renault::renault;
use crate::set_based_scc::set_based_scc;
use crate::steal::steal;
use crate::swarm::swarm;
use crate::terminal::{complete, terminal_bfs, terminal_dfs};
use crate::ufscc::ufscc;
use crate::weak_dfs::weak_dfs;

/// How simple an automaton is; each strength includes the ones before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strength {
    /// Accepting means to be in a sink from which everything is accepted.
    Terminal,
    /// Within each strongly connected component all edges bear all marks, or none bears any.
    Weak,
    /// Anything.
    General,
}

/// What a search is to find out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Whether a fault can be reached.
    Faults {
        /// Whether the path to it is to be a shortest one.
        shortest: bool,
    },
    /// Whether there is an accepting run.
    Acceptance {
        /// The strength of the automaton.
        strength: Strength,
        /// The number of acceptance sets, those of fairness included. With such sets the strength is
        /// general, whatever the automaton's own is.
        sets: u32,
    },
}

/// The searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// Reachability, depth first.
    Dfs,
    /// Reachability, breadth first.
    Bfs,
    /// One depth-first search for weak automata.
    WeakDfs,
    /// Nested depth-first search.
    NestedDfs,
    /// Strongly connected components in a union-find.
    SetBasedScc,
    /// Reachability by several workers, depth first.
    Steal,
    /// Reachability by several workers, level by level.
    Levels,
    /// Nested depth-first search by several workers.
    Cndfs,
    /// Strongly connected components by several workers, who share the work inside of them.
    Ufscc,
    /// Strongly connected components by several workers, who share what they find out.
    Renault,
    /// Nested depth-first search by several workers, who share what is red.
    Pndfs,
    /// Nested depth-first search by several workers, each for itself.
    Swarm,
    /// Strongly connected components by several workers, each state explored by one.
    Lowe,
}

impl Algorithm {
    /// All searches.
    pub const ALL: [Algorithm; 13] = [
        Algorithm::Dfs,
        Algorithm::Bfs,
        Algorithm::WeakDfs,
        Algorithm::NestedDfs,
        Algorithm::SetBasedScc,
        Algorithm::Steal,
        Algorithm::Levels,
        Algorithm::Cndfs,
        Algorithm::Ufscc,
        Algorithm::Renault,
        Algorithm::Pndfs,
        Algorithm::Swarm,
        Algorithm::Lowe,
    ];

    /// The name by which users ask for it.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Dfs => "dfs",
            Algorithm::Bfs => "bfs",
            Algorithm::WeakDfs => "weak",
            Algorithm::NestedDfs => "ndfs",
            Algorithm::SetBasedScc => "scc",
            Algorithm::Steal => "steal",
            Algorithm::Levels => "levels",
            Algorithm::Cndfs => "cndfs",
            Algorithm::Ufscc => "ufscc",
            Algorithm::Renault => "renault",
            Algorithm::Pndfs => "pndfs",
            Algorithm::Swarm => "swarm",
            Algorithm::Lowe => "lowe",
        }
    }

    /// The search with this name.
    pub fn from_name(name: &str) -> Option<Algorithm> {
        Algorithm::ALL.into_iter().find(|algorithm| algorithm.name() == name)
    }

    /// Whether several workers can share one such search.
    pub fn is_shared(self) -> bool {
        match self {
            Algorithm::Dfs
            | Algorithm::Bfs
            | Algorithm::WeakDfs
            | Algorithm::NestedDfs
            | Algorithm::SetBasedScc => false,
            Algorithm::Steal
            | Algorithm::Levels
            | Algorithm::Cndfs
            | Algorithm::Ufscc
            | Algorithm::Renault
            | Algorithm::Pndfs
            | Algorithm::Swarm
            | Algorithm::Lowe => true,
        }
    }

    /// Why this search cannot answer a question; nothing when it can.
    pub fn objection(self, question: Question) -> Option<&'static str> {
        match (self, question) {
            (_, Question::Acceptance { sets, .. }) if sets > Marks::MAXIMUM => {
                Some("no search takes more than 64 acceptance sets")
            }
            (
                Algorithm::Dfs | Algorithm::Bfs | Algorithm::Steal | Algorithm::Levels,
                Question::Acceptance { strength, .. },
            ) => (strength != Strength::Terminal)
                .then_some("reachability finds accepting runs of terminal automata only"),
            (Algorithm::WeakDfs, Question::Acceptance { strength, .. }) => (strength > Strength::Weak)
                .then_some("one depth-first search finds accepting runs of weak automata only"),
            (
                Algorithm::NestedDfs | Algorithm::Cndfs | Algorithm::Pndfs | Algorithm::Swarm,
                Question::Acceptance { sets, .. },
            ) => (sets > 1).then_some("nested depth-first search takes one acceptance set only"),
            (Algorithm::Dfs | Algorithm::Steal, Question::Faults { shortest: true }) => {
                Some("a depth-first search does not find shortest paths")
            }
            (
                Algorithm::Dfs | Algorithm::Bfs | Algorithm::Steal | Algorithm::Levels,
                Question::Faults { .. },
            )
            | (
                Algorithm::SetBasedScc | Algorithm::Ufscc | Algorithm::Renault | Algorithm::Lowe,
                Question::Acceptance { .. },
            ) => None,
            (_, Question::Faults { .. }) => Some("a search for accepting runs is not needed to find faults"),
        }
    }
}

/// A search and the sentence that says why it was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The search.
    pub algorithm: Algorithm,
    /// Why this one.
    pub why: &'static str,
}

/// Chooses a search for a question and a number of workers.
pub fn choose(question: Question, workers: usize) -> Choice {
    let (algorithm, why) = match question {
        Question::Faults { shortest: true } if workers > 1 => {
            (Algorithm::Levels, "several workers find the shortest path to a fault level by level")
        }
        Question::Faults { shortest: false } if workers > 1 => {
            (Algorithm::Steal, "reachability is enough for faults, and several workers share it")
        }
        Question::Acceptance { strength: Strength::Terminal, .. } if workers > 1 => (
            Algorithm::Steal,
            "the automaton is terminal: reaching an accepting sink refutes the property, and several workers look for one",
        ),
        Question::Faults { shortest: true } => {
            (Algorithm::Bfs, "a breadth-first search finds the shortest path to a fault")
        }
        Question::Faults { shortest: false } => {
            (Algorithm::Dfs, "reachability is enough for faults, and depth first needs the least memory")
        }
        Question::Acceptance { strength: Strength::Terminal, .. } => {
            (Algorithm::Dfs, "the automaton is terminal: reaching an accepting sink refutes the property")
        }
        Question::Acceptance { .. } if workers > 1 => (
            Algorithm::Ufscc,
            "several workers share the work inside of a component, and any acceptance is taken as it is",
        ),
        Question::Acceptance { strength: Strength::Weak, .. } => {
            (Algorithm::WeakDfs, "the automaton is weak: one depth-first search sees every accepting cycle")
        }
        Question::Acceptance { strength: Strength::General, sets: 0 | 1 } => (
            Algorithm::SetBasedScc,
            "the automaton is neither terminal nor weak, and this search looks at every edge once",
        ),
        Question::Acceptance { strength: Strength::General, .. } => {
            (Algorithm::SetBasedScc, "this search takes several acceptance sets as they are")
        }
    };
    Choice { algorithm, why }
}

/// Runs a search on a product. A search that objects to the question (see [`Algorithm::objection`]) must not
/// be asked it: reachability would take a general automaton for a terminal one.
pub fn run<P: Product>(
    algorithm: Algorithm,
    question: Question,
    product: &mut P,
    policy: FaultPolicy,
    control: &mut Control<'_>,
) -> Outcome {
    let options = ReachOptions { faults: policy, accepting_sinks: false };
    match (algorithm, question) {
        (Algorithm::Bfs | Algorithm::Levels, Question::Faults { .. }) => reach_bfs(product, options, control),
        (_, Question::Faults { .. }) => reach_dfs(product, options, control),
        (Algorithm::Dfs | Algorithm::Steal, Question::Acceptance { .. }) => {
            terminal_dfs(product, policy, control)
        }
        (Algorithm::Bfs | Algorithm::Levels, Question::Acceptance { .. }) => {
            terminal_bfs(product, policy, control)
        }
        (Algorithm::WeakDfs, Question::Acceptance { .. }) => weak_dfs(product, policy, control),
        (
            Algorithm::NestedDfs | Algorithm::Cndfs | Algorithm::Pndfs | Algorithm::Swarm,
            Question::Acceptance { .. },
        ) => ndfs(product, policy, control),
        (
            Algorithm::SetBasedScc | Algorithm::Ufscc | Algorithm::Renault | Algorithm::Lowe,
            Question::Acceptance { .. },
        ) => set_based_scc(product, policy, control),
    }
}

/// Runs a search with several workers, where the search is one that they can share. With one worker a shared search is the
/// sequential one that it comes from.
pub fn run_shared<P: Shared>(
    algorithm: Algorithm,
    question: Question,
    product: &mut P,
    policy: FaultPolicy,
    control: &mut Control<'_>,
    workers: usize,
) -> Outcome {
    let workers = if algorithm.is_shared() { workers.max(1) } else { 1 };
    // What is discovered need not be numbered in one piece where a search is kept or was taken up: then one worker reaches
    // states as several do.
    let is_reachability =
        matches!(algorithm, Algorithm::Dfs | Algorithm::Bfs | Algorithm::Steal | Algorithm::Levels);
    if control.resumed().is_some_and(|saved| saved.is_reachability != is_reachability) {
        let sentence = "a search for states cannot be taken up by one for cycles, nor the other way round";
        let halt = Halt(Reason::Unsupported(sentence.to_owned()));
        return conclude(product, control, 0, FaultLog::default(), Err(halt));
    }
    if workers == 1 && !(is_reachability && control.kept().is_some()) {
        return run(algorithm, question, product, policy, control);
    }
    match algorithm {
        Algorithm::Cndfs => return cndfs(product, policy, control, workers),
        Algorithm::Ufscc => return ufscc(product, policy, control, workers),
        Algorithm::Renault => return renault(product, policy, control, workers),
        Algorithm::Pndfs => return pndfs(product, policy, control, workers),
        Algorithm::Swarm => return swarm(product, policy, control, workers),
        Algorithm::Lowe => return lowe(product, policy, control, workers),
        _ => {}
    }
    let accepting_sinks = matches!(question, Question::Acceptance { .. });
    let options = ReachOptions { faults: policy, accepting_sinks };
    let outcome = match algorithm {
        Algorithm::Levels | Algorithm::Bfs => levels(product, options, control, workers),
        _ => steal(product, options, control, workers),
    };
    if accepting_sinks { complete(product, control, outcome) } else { outcome }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_search_objects_to_a_question_it_was_chosen_for() {
        let mut questions = vec![Question::Faults { shortest: false }, Question::Faults { shortest: true }];
        for strength in [Strength::Terminal, Strength::Weak, Strength::General] {
            questions.extend([0, 1, 2, 40].map(|sets| Question::Acceptance { strength, sets }));
        }
        for question in questions {
            for workers in [1, 2] {
                assert_eq!(choose(question, workers).algorithm.objection(question), None);
            }
        }
    }

    #[test]
    fn names_lead_back_to_their_searches() {
        for algorithm in Algorithm::ALL {
            assert_eq!(Algorithm::from_name(algorithm.name()), Some(algorithm));
        }
    }
}
