//! Viper's intermediate language Silver: from text to a typed program.
//!
//! `syntax` reads and prints text, `resolve` gives names and types their meaning and removes macros, imports and
//! plugins, `typed` is the result that the deductive engine works on. Errors in the input are
//! [`source::Diagnostic`]s under the ids of Viper's test suite (`parser.error`, `typechecker.error`,
//! `consistency.error`).
#![forbid(unsafe_code)]

pub mod codes;
mod resolve;
pub mod syntax;
pub mod typed;

pub use resolve::{Loader, NoFiles, Options, Resolved, resolve};

/// Runs a recursive walk over a bounded but possibly deep tree on a stack that is large enough for it.
pub fn with_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    const STACK_SIZE: usize = 256 << 20;
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().stack_size(STACK_SIZE);
        match builder.spawn_scoped(scope, work) {
            Ok(handle) => match handle.join() {
                Ok(value) => value,
                Err(panic) => std::panic::resume_unwind(panic),
            },
            Err(error) => std::panic::resume_unwind(Box::new(error)),
        }
    })
}
