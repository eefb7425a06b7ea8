//! Whether proofs come out the same whatever the solver's luck is: several runs of one program, compared member by member.

use source::Span;

use crate::{MemberKind, Verdict};

/// What further runs of a program said, with other seeds and with its declarations in other orders.
#[derive(Clone, Debug, Default)]
pub struct Stability {
    /// How many runs there were beside the first.
    pub runs: u32,
    /// How many members were compared.
    pub compared: usize,
    /// The members that had other verdicts, or cost much more in one run than in another, in the order of the source.
    pub varying: Vec<Varying>,
}

/// A member that depends on luck.
#[derive(Clone, Debug)]
pub struct Varying {
    pub kind: MemberKind,
    pub name: String,
    pub span: Span,
    /// Its verdicts, that of the first run first.
    pub verdicts: Vec<Verdict>,
    /// The least and the most that a run cost, in the solver's unit of work.
    pub resources: (u64, u64),
}

impl Varying {
    /// Whether its verdict is not always the same.
    pub fn flips(&self) -> bool {
        self.verdicts.windows(2).any(|pair| pair[0].word() != pair[1].word())
    }
}
