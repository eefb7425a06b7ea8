//! SPIN's never claims, out and in.

mod reader;
mod writer;

pub use reader::read_never_claim;
pub use writer::write_never_claim;
