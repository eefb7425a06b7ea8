//! Budgets of the searches that nobody asked for by name: all of them, in one table.

use std::time::Duration;

/// Sizes of values that are tried to refute a contract, one after the other: integers from minus to plus the size,
/// collections of so many elements.
pub(crate) const SMALL_SIZES: [u32; 4] = [1, 2, 3, 4];

/// Sizes on which formulas are looked at that programs inherit. Nothing is wrong where these hold, so nobody waits for more.
pub(crate) const INHERITED_SIZES: [u32; 3] = [1, 2, 3];

/// States of each of these searches. More refute a few contracts more, and cost time where there is nothing to refute.
pub(crate) const SMALL_STATES: u64 = 10_000;

/// Nobody waits longer for an answer that may not come; the bound on states is reached before.
pub(crate) const SMALL_TIME: Duration = Duration::from_secs(10);
pub(crate) const SMALL_MEMORY: u64 = 256 << 20;

/// States that are looked at, for each of these sizes, to see that some run of a process ends.
pub(crate) const END_STATES: usize = 2_000;
pub(crate) const END_SIZES: [u32; 3] = [1, 2, 3];

/// Nobody waits longer for a warning; the bound on states is reached before.
pub(crate) const END_TIME: Duration = Duration::from_secs(10);

/// Instances whose first steps a simulation offers at once; more are no help to anybody who chooses.
pub(crate) const PLAYED_INSTANCES: usize = 10_000;

/// Elements of sequences in states of processes that are stored one by one: longer ones make every state long.
pub(crate) const WRITTEN_OUT: usize = 64;
