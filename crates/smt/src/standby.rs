//! Solver processes that were started before anybody needs them.
//!
//! A solver needs some milliseconds before it reads its first command, which is long for a small proof. Processes
//! that wait here have been told nothing but the preamble, so a session that takes one is like one that started its
//! own.

use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::process::Process;
use crate::solver::{SolverError, SolverKind, SolverOptions};

/// Processes of one solver, ready to be asked. See [`crate::SessionOptions::standby`].
pub struct Standby {
    options: SolverOptions,
    profiling: bool,
    /// How many should be ready.
    wanted: AtomicUsize,
    ready: Mutex<Vec<Process>>,
}

impl Standby {
    /// None are started before [`Standby::keep`] is called.
    pub fn new(options: &SolverOptions, profile: bool) -> Standby {
        Standby {
            options: options.clone(),
            profiling: profile && options.kind == SolverKind::Z3,
            wanted: AtomicUsize::new(0),
            ready: Mutex::default(),
        }
    }

    /// From now on, so many processes wait. What cannot be started now is noticed by who needs it.
    pub fn keep(&self, count: usize) {
        self.wanted.store(count, Ordering::Relaxed);
        self.fill();
    }

    /// A process for a session with these options, if there is one.
    pub(crate) fn take(&self, options: &SolverOptions, profiling: bool) -> Option<Process> {
        if *options != self.options || profiling != self.profiling {
            return None;
        }
        let process = self.lock().pop();
        self.fill();
        process
    }

    fn fill(&self) {
        let missing = |ready: &Vec<Process>| ready.len() < self.wanted.load(Ordering::Relaxed);
        while missing(&self.lock()) {
            let Ok(process) = launch(&self.options, self.profiling) else { return };
            self.lock().push(process);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Process>> {
        self.ready.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A new process that has been told the preamble.
pub(crate) fn launch(options: &SolverOptions, profiling: bool) -> Result<Process, SolverError> {
    let mut command = Command::new(&options.path);
    command.args(options.arguments());
    let mut process = Process::start(command)
        .map_err(|error| SolverError::Start(options.path.clone(), error.to_string()))?;
    // A solver that does not listen is noticed when it does not answer.
    let _ = process.write(&options.preamble(profiling), None, &AtomicBool::new(false));
    Ok(process)
}
