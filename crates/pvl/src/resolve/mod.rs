//! Names and types: tables that say what each node of the tree means.

mod resolution;
mod types;

pub use resolution::{
    CallTarget, Creation, GhostArguments, Items, Member, ModelOperation, NameTarget, Operation, Receiver,
    Resolution, RoutineCall, Selection, Subscript,
};
pub use types::Type;
