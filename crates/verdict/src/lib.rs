//! What every job returns, and what it tells while it works.
//!
//! A [`Verdict`] says whether the question was answered and how; [`Statistics`] say at what cost; [`Limits`]
//! bound a run, and a run that meets one answers [`Verdict::Unknown`], never [`Verdict::Holds`]. All of it
//! is plain data: nothing here prints, and an [`Observer`] decides what becomes of a [`Progress`] event.
#![forbid(unsafe_code)]

mod check;
mod coverage;
pub mod failure;
mod limits;
mod progress;
mod proof;
mod stability;
mod statistics;
mod trace;

pub use check::{Carried, CheckReport, Instance, Instances, LossyStore, PropertyKind, PropertyReport};
pub use coverage::{Coverage, ProcessCoverage, Unexecuted};
pub use limits::Limits;
pub use progress::{Observer, Progress, Silent};
pub use proof::{
    Answer, Answered, Assumption, Counterexample, Creation, FailureReport, How, Inherited, InheritedProperty,
    MemberKind, MemberReport, Note, Obligation, ProofCost, ProofObserver, ProofReport, QuantifierCount,
    QuantifierRole,
};
pub use stability::{Stability, Varying};
pub use statistics::Statistics;
pub use trace::{Cause, Change, Message, Passage, ProcessSnapshot, Snapshot, Trace, TraceStep, Waiting};

/// The answer to one question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The property holds: everything that could refute it was looked at.
    Holds,
    /// The property is refuted; the counterexample travels beside the verdict.
    Violated,
    /// The question was not answered.
    Unknown(Reason),
}

impl Verdict {
    /// Several questions as one: a violation decides, then a missing answer, and only all together hold.
    pub fn and(self, other: Verdict) -> Verdict {
        match (self, other) {
            (Verdict::Violated, _) | (_, Verdict::Violated) => Verdict::Violated,
            (Verdict::Unknown(Reason::NothingFound(_)), Verdict::Unknown(reason)) => Verdict::Unknown(reason),
            (Verdict::Unknown(reason), _) | (_, Verdict::Unknown(reason)) => Verdict::Unknown(reason),
            (Verdict::Holds, Verdict::Holds) => Verdict::Holds,
        }
    }

    /// The word for the verdict in reports.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Violated => "violated",
            Verdict::Unknown(Reason::NothingFound(_)) => "no violation found",
            Verdict::Unknown(_) => "unknown",
        }
    }
}

/// Why a question was not answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// More states than [`Limits::max_states`].
    StateLimit,
    /// More memory than [`Limits::max_memory_bytes`].
    MemoryLimit,
    /// [`Limits::deadline`] has passed.
    Timeout,
    /// [`Limits::interrupt`] was set.
    Interrupted,
    /// The system gave no more memory.
    OutOfMemory,
    /// More states than can be numbered.
    TooManyStates,
    /// The answer rests on members that are not proved: their kinds and names.
    RestsOn(Vec<(MemberKind, String)>),
    /// No violation was found, by a search that may have overlooked one: its store may forget states. The sentence says how
    /// much is to be expected to be forgotten.
    NothingFound(String),
    /// The method has nothing left to try; the sentence says on what it gave up.
    GaveUp(String),
    /// What was asked is outside of what the chosen method can answer; the sentence says why.
    Unsupported(String),
    /// The tool contradicted itself; the sentence says where. Never a statement about the input.
    Internal(String),
}

impl std::fmt::Display for Reason {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Reason::RestsOn(members) => return write_members(formatter, members),
            Reason::StateLimit => "the limit on states is reached",
            Reason::MemoryLimit => "the limit on memory is reached",
            Reason::Timeout => "the time is over",
            Reason::Interrupted => "interrupted",
            Reason::OutOfMemory => "the system has no memory left",
            Reason::TooManyStates => "there are more states than can be numbered",
            Reason::NothingFound(sentence)
            | Reason::GaveUp(sentence)
            | Reason::Unsupported(sentence)
            | Reason::Internal(sentence) => sentence,
        })
    }
}

/// Names the first members, and says how many more there are.
fn write_members(
    formatter: &mut std::fmt::Formatter<'_>,
    members: &[(MemberKind, String)],
) -> std::fmt::Result {
    const SHOWN: usize = 3;
    formatter.write_str("it rests on ")?;
    let left = members.len().saturating_sub(SHOWN);
    for (index, (kind, name)) in members.iter().take(SHOWN).enumerate() {
        let is_last = left == 0 && index + 1 == members.len();
        formatter.write_str(match index {
            0 => "",
            _ if is_last => " and ",
            _ => ", ",
        })?;
        write!(formatter, "the {} `{name}`", kind.word())?;
    }
    if left > 0 {
        write!(formatter, " and {left} more")?;
    }
    formatter.write_str(if members.len() == 1 { ", which is not proved" } else { ", which are not proved" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_answer_rests_on_is_named() {
        let rests = |count: usize| {
            let names = ["f", "g", "h", "i", "j"].iter().take(count);
            let members = names.map(|name| (MemberKind::Function, (*name).to_string())).collect();
            Reason::RestsOn(members).to_string()
        };
        assert_eq!(rests(1), "it rests on the function `f`, which is not proved");
        assert_eq!(rests(2), "it rests on the function `f` and the function `g`, which are not proved");
        assert_eq!(
            rests(5),
            "it rests on the function `f`, the function `g`, the function `h` and 2 more, which are not proved"
        );
    }

    #[test]
    fn together_only_answers_that_all_hold_hold() {
        let unknown = || Verdict::Unknown(Reason::Timeout);
        assert_eq!(Verdict::Holds.and(Verdict::Holds), Verdict::Holds);
        assert_eq!(Verdict::Holds.and(unknown()), unknown());
        assert_eq!(unknown().and(Verdict::Violated), Verdict::Violated);
        assert_eq!(Verdict::Violated.and(Verdict::Holds), Verdict::Violated);
        let nothing_found = || Verdict::Unknown(Reason::NothingFound(String::new()));
        assert_eq!(Verdict::Holds.and(nothing_found()), nothing_found());
        assert_eq!(nothing_found().and(unknown()), unknown());
        assert_eq!(unknown().and(nothing_found()), unknown());
        assert_eq!(nothing_found().word(), "no violation found");
    }
}
