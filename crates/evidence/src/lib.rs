//! Independent checks of what the searches claim.
//!
//! A violation is believed only after its run was replayed, step by step, by the reference interpreter on
//! the model without any reduction, and after the property was evaluated on the run directly. Nothing here
//! uses the searches' code; what does not replay is an error of the tool, never of the model.
#![forbid(unsafe_code)]

mod describe;
mod explain;
mod prefix;
mod processes;
mod replay;
mod snapshot;
mod verify;

pub use describe::Names;
pub use explain::{expected_events, explain_event, explain_fault, waiting};
pub use prefix::{Refuted, accepted_by, accepted_prefix, refuted_by, refuted_formula};
pub use processes::ProcessRun;
pub use replay::{
    Goal, GoalSide, GoalStatement, Replayed, replay_endless, replay_lasso, replay_path, replay_to_rest,
};
pub use snapshot::snapshot;
pub use verify::{Claimed, Witness, verify};
