//! Threads, par blocks, locks, invariants and messages: proofs of one thread at a time, and the conditions under which that is
//! enough.

pub(crate) mod all_threads;
pub(crate) mod committed;
pub(crate) mod current_thread;
pub(crate) mod divergence;
pub(crate) mod frames;
pub(crate) mod invariants;
pub(crate) mod locks;
pub(crate) mod old_locks;
pub(crate) mod par;
pub(crate) mod self_framing;
pub(crate) mod send_receive;
pub(crate) mod thread_values;
pub(crate) mod threads;
pub(crate) mod vec_blocks;
