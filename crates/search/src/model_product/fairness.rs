//! The marks of weak fairness: one acceptance set for each process, met by a step where the process moved, could not move, or
//! does not exist.

use std::ops::Range;

use transition::compiled::{PidSet, Successors};

use super::ModelProduct;

impl ModelProduct {
    /// The marks of a run that ended, or in which nobody else can move.
    #[inline]
    pub(super) fn all_fair(&self) -> u64 {
        if self.options.weak_fairness { u64::MAX.checked_shl(self.own_sets).unwrap_or(0) } else { 0 }
    }

    /// The marks of fairness on a step: whoever moved, could not move, or does not exist.
    #[inline]
    pub(super) fn fairness_marks(&self, successors: &Successors, index: usize) -> u64 {
        if !self.options.weak_fairness {
            return 0;
        }
        fairness_marks(self.own_sets..u64::BITS, &self.successors.executable, successors, index)
    }
}

/// Of a step: one bit for each process that takes part in it, or could not move before it.
pub(super) fn fairness_marks(
    bits: Range<u32>,
    executable: &PidSet,
    successors: &Successors,
    index: usize,
) -> u64 {
    let mut marks = 0;
    for (bit, pid) in bits.zip(0_u8..) {
        if successors.took_part(index, pid) || !executable.contains(pid) {
            marks |= 1 << bit;
        }
    }
    marks
}
