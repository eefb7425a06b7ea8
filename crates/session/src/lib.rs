//! A run: which files, which properties, which limits.
//!
//! The only room that opens files. It reads a model, makes a job of each property, runs the jobs on as many
//! workers as it was given, and hands back a report; or it reads a program and has its members proved. It prints
//! nothing.
#![forbid(unsafe_code)]

mod answers;
mod ask;
mod batch;
mod cache;
mod check;
mod checkpoint;
mod estimate;
mod files;
mod footing;
mod history;
mod memory;
mod near_names;
mod processor;
mod programs;
mod recorder;
mod registry;
mod selection;
mod shares;
mod simulate;
mod solver;
mod stability;
mod teller;
mod verify;

pub use answers::{AnswerCache, CacheSize};
pub use ask::{AskRequest, Asked, ask};
pub use batch::{
    CheckListener, CheckedModels, Proved, ProvedPrograms, VerifyListener, VerifyRequest, check_files,
    verify_files,
};
pub use check::{CheckOptions, Checked, Failure, MOST_WORKERS, check, check_in};
pub use checkpoint::CheckpointOptions;
pub use estimate::{MemberWork, WorkState, time_left};
pub use files::{
    Disk, Loaded, STANDARD_INPUT, flat_name, is_standard_input, load_model, read_text, write_text,
};
pub use history::History;
pub use memory::peak_memory_bytes;
pub use model::{
    Choice, LanguageOption, LoadOptions, Lossy, PartialOrder, Reductions, Simulation, StoreKind,
};
pub use programs::{
    ProgramText, is_one_program, load as load_program, print_program, programs_of, read_program,
};
pub use registry::{FileKind, ProgramLanguage, Registry, UseOf};
pub use search::Algorithm;
pub use selection::{PropertySelection, formulas_in};
pub use silver::port::{Features, LoadOptions as ProgramOptions};
pub use simulate::{NoRun, Simulator};
pub use solver::{find_solver, logs_in};
pub use symbolic::VerifyOptions;
pub use verify::{LoadedProgram, print_typed, verify, verify_with_history};
