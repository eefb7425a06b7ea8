//! Viper's intermediate language Silver: from text to a typed program.
//!
//! `syntax` reads and prints text, `resolve` gives names and types their meaning and removes macros, imports and
//! plugins, `typed` is the result that the deductive engine works on. Errors in the input are
//! [`source::Diagnostic`]s under the ids of Viper's test suite (`parser.error`, `typechecker.error`,
//! `consistency.error`).
//!
//! ```
//! use silver::{Options, resolve};
//! use source::{NoFiles, SourceMap};
//!
//! let mut map = SourceMap::default();
//! let file = map.add("swap.vpr", "field f: Int method m(x: Ref) requires acc(x.f) { x.f := x.f + 1 }");
//! let resolved = resolve(&mut map, file, &NoFiles, &Options::default());
//! assert!(resolved.diagnostics.is_empty());
//! assert_eq!(resolved.program.map(|program| program.methods.len()), Some(1));
//! ```
#![forbid(unsafe_code)]

use std::cell::Cell;
use std::sync::Mutex;

pub mod codes;
pub mod limits;
pub mod port;
mod resolve;
pub mod syntax;
pub mod typed;

pub use resolve::{Options, Resolved, resolve, resolve_tree};

/// Runs a recursive walk over a bounded but possibly deep tree on a stack that is large enough for it.
///
/// Where no thread with such a stack can be started, the walk runs on the caller's stack; a walk inside of another
/// shares its stack.
pub fn with_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    thread_local!(static HAS_LARGE_STACK: Cell<bool> = const { Cell::new(false) });
    if HAS_LARGE_STACK.get() {
        return work();
    }
    let slot = Mutex::new(Some(work));
    let run = || {
        HAS_LARGE_STACK.set(true);
        let work = slot.lock().ok().and_then(|mut slot| slot.take());
        let result = work.map(|work| work());
        HAS_LARGE_STACK.set(false);
        result
    };
    let result = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(limits::STACK_SIZE).spawn_scoped(scope, run);
        match thread.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(value)) => value,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(_) => None,
        }
    });
    match result.or_else(run) {
        Some(value) => value,
        // The work is taken once: by the thread, or here.
        None => std::panic::resume_unwind(Box::new("the work was taken twice")),
    }
}
