//! Stores that may forget states: which searches can use one, and what is said of what they did not find.

use search::{Algorithm, Lost, Question, Strength};
use store::{Forgotten, Lossy, PROBES};
use verdict::{LossyStore, Reason};

use crate::drive::Searchable;
use crate::options::SearchOptions;

pub(crate) const NO_SUCH_SEARCH: &str =
    "models of this kind are searched with `--store exact` only: their states cannot be kept as hashes";

/// Why a search cannot be made with such a store.
pub(crate) fn refusal(
    search: &impl Searchable,
    kind: Lossy,
    (algorithm, question): (Algorithm, Question),
    options: &SearchOptions,
) -> Option<String> {
    let name = match kind {
        Lossy::HashCompact { .. } => "hash-compact",
        Lossy::Bitstate { .. } => "bitstate",
    };
    if !search.has_lossy_search() {
        return Some(NO_SUCH_SEARCH.to_string());
    }
    if options.coverage {
        return Some(format!(
            "`--coverage` looks through all stored states, which `--store {name}` does not give back; use `--store exact`"
        ));
    }
    if options.shortest {
        return Some(format!(
            "`--shortest` needs every state that was met, and `--store {name}` does not give them back; use `--store exact`"
        ));
    }
    let is_reachability = match question {
        Question::Faults { .. } => true,
        Question::Acceptance { strength, .. } => strength == Strength::Terminal,
    };
    // What was asked for counts, not what would be taken in its place.
    let algorithm = options.algorithm.unwrap_or(algorithm);
    if is_reachability && matches!(algorithm, Algorithm::Dfs | Algorithm::Steal) {
        return None;
    }
    Some(format!(
        "`{}` cannot use `--store {name}`: it keeps marks for states, or comes back to them, by numbers that such a store does \
         not give. Reachability (`dfs`, `steal`) can, for assertions, end states, and formulas whose automaton is terminal; \
         `--safety` leaves the rest aside",
        algorithm.name()
    ))
}

/// What is reported of such a store.
pub(crate) fn report(lost: Lost) -> LossyStore {
    match (lost.kind, lost.forgotten) {
        (Lossy::HashCompact { bits }, Forgotten::Probability(omission_probability)) => {
            LossyStore::HashCompact { bits, omission_probability }
        }
        (Lossy::Bitstate { bytes }, Forgotten::Omissions { expected, coverage }) => LossyStore::Bitstate {
            bytes,
            probes: PROBES,
            expected_omissions: expected,
            expected_coverage: coverage,
        },
        // The two go together; if they did not, everything may be lost.
        (Lossy::HashCompact { bits }, Forgotten::Omissions { .. }) => {
            LossyStore::HashCompact { bits, omission_probability: 1.0 }
        }
        (Lossy::Bitstate { bytes }, Forgotten::Probability(_)) => LossyStore::Bitstate {
            bytes,
            probes: PROBES,
            expected_omissions: f64::INFINITY,
            expected_coverage: 0.0,
        },
    }
}

/// What is said where nothing was found.
pub(crate) fn nothing_found(lost: Lost) -> Reason {
    Reason::NothingFound(match report(lost) {
        LossyStore::HashCompact { bits, omission_probability } => format!(
            "states were told apart by {bits} bits: that one was taken for another has a probability of about {}",
            number(omission_probability)
        ),
        LossyStore::Bitstate { probes, expected_omissions, expected_coverage, .. } => format!(
            "about {} states were taken for known ones ({:.4} % of those met are stored, {probes} bits each); what lies behind \
             them was not seen and is not counted",
            number(expected_omissions),
            // Never rounded up to all.
            (expected_coverage * 1e6).floor() / 1e4
        ),
    })
}

/// A number of any size in few signs.
fn number(value: f64) -> String {
    match value {
        0.0 => "0".to_string(),
        value if (0.001..1_000.0).contains(&value) => format!("{value:.3}"),
        value if (1_000.0..1e9).contains(&value) => format!("{value:.0}"),
        value => format!("{value:.1e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_forgotten_is_said_in_words() {
        let hashes =
            Lost { kind: Lossy::HashCompact { bits: 64 }, forgotten: Forgotten::Probability(2.7e-8) };
        assert_eq!(
            nothing_found(hashes).to_string(),
            "states were told apart by 64 bits: that one was taken for another has a probability of about 2.7e-8"
        );
        let forgotten = Forgotten::Omissions { expected: 12.0, coverage: 0.999_999_9 };
        let bits = Lost { kind: Lossy::Bitstate { bytes: 1 << 20 }, forgotten };
        assert_eq!(
            nothing_found(bits).to_string(),
            "about 12.000 states were taken for known ones (99.9999 % of those met are stored, 3 bits each); what lies behind \
             them was not seen and is not counted"
        );
    }
}
