//! A run: which files, which properties, which limits.
//!
//! The only room that opens files. It reads a model, makes a job of each property, runs the jobs on as many
//! workers as it was given, and hands back a report; or it reads a program and has its members proved. It prints
//! nothing.
#![forbid(unsafe_code)]

mod check;
mod claim;
mod claim_variables;
mod counterexample;
mod coverage;
mod estimate;
mod files;
mod footing;
mod formula;
mod goal;
mod history;
mod job;
mod near_names;
mod programs;
mod recorder;
mod reports;
mod shares;
mod shorten;
mod simulate;
mod teller;
mod verify;

pub use check::{CheckOptions, Checked, Failure, check};
pub use estimate::{MemberWork, WorkState, time_left};
pub use files::{LoadOptions, Loaded, STANDARD_INPUT, is_standard_input, load_model, read_text};
pub use history::History;
pub use job::{PropertySelection, Reductions};
pub use programs::{
    Language, ProgramOptions, ProgramText, load as load_program, print_lowered, print_program, read_program,
};
pub use pvl::syntax::tree::Dialect;
pub use simulate::{Choice, Simulator};
pub use verify::{LoadedProgram, print_typed, verify, verify_with_history};
