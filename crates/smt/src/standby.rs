//! Solver processes that were started before anybody needs them.
//!
//! A solver needs some milliseconds before it reads its first command, which is long for a small proof. Processes
//! that wait here have been told nothing but the preamble, so a session that takes one is like one that started its
//! own.

use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use crate::patience::Patience;
use crate::process::{Process, SENTINELS};
use crate::solver::{Manner, SolverError, SolverKind, SolverOptions};

/// Processes of one solver, ready to be asked. See [`crate::SessionOptions::standby`].
pub struct Standby {
    options: SolverOptions,
    profiling: bool,
    /// How many should be ready.
    wanted: AtomicUsize,
    ready: Mutex<Vec<Process>>,
    /// Threads that start processes.
    helpers: Mutex<Vec<JoinHandle<()>>>,
    /// A process never said anything: the next one would not either.
    is_mute: AtomicBool,
}

impl Standby {
    /// None are started before [`Standby::fill`] is called.
    pub fn new(options: &SolverOptions, profile: bool) -> Standby {
        Standby {
            options: options.clone(),
            profiling: profile && options.kind == SolverKind::Z3,
            wanted: AtomicUsize::new(0),
            ready: Mutex::default(),
            helpers: Mutex::default(),
            is_mute: AtomicBool::new(false),
        }
    }

    /// Whether the program has turned out not to answer at all.
    pub(crate) fn is_mute(&self) -> bool {
        self.is_mute.load(Ordering::Relaxed)
    }

    pub(crate) fn set_mute(&self) {
        self.is_mute.store(true, Ordering::Relaxed);
    }

    /// From the next time on that a process is taken, so many should wait.
    pub fn want(&self, count: usize) {
        self.wanted.store(count, Ordering::Relaxed);
    }

    /// Starts what is missing, in the background. What cannot be started is noticed by who needs it.
    pub fn fill(self: &Arc<Self>) {
        if self.is_filled() {
            return;
        }
        let standby = self.clone();
        let fill = move || {
            while !standby.is_filled() {
                let Ok(process) = launch(&standby.options, standby.profiling, Manner::Usual) else {
                    return;
                };
                standby.lock().push(process);
            }
        };
        if let Ok(helper) = std::thread::Builder::new().name("standby".to_owned()).spawn(fill) {
            let mut helpers = self.helpers.lock().unwrap_or_else(PoisonError::into_inner);
            helpers.retain(|helper| !helper.is_finished());
            helpers.push(helper);
        }
    }

    /// Ends the processes that nobody took; none is started afterwards.
    pub fn close(&self) {
        self.want(0);
        let helpers = std::mem::take(&mut *self.helpers.lock().unwrap_or_else(PoisonError::into_inner));
        for helper in helpers {
            let _ = helper.join();
        }
        self.lock().clear();
    }

    /// A process for a session with these options, if there is one.
    pub(crate) fn take(self: &Arc<Self>, options: &SolverOptions, profiling: bool) -> Option<Process> {
        if *options != self.options || profiling != self.profiling {
            return None;
        }
        let process = self.lock().pop();
        self.fill();
        process
    }

    fn is_filled(&self) -> bool {
        self.lock().len() >= self.wanted.load(Ordering::Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Process>> {
        self.ready.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A new process that has been told the preamble, and to say a word when it has read it.
pub(crate) fn launch(
    options: &SolverOptions,
    profiling: bool,
    manner: Manner,
) -> Result<Process, SolverError> {
    let mut command = Command::new(&options.path);
    command.args(options.arguments());
    let mut process = Process::start(command)
        .map_err(|error| SolverError::Start(options.path.clone(), error.to_string()))?;
    // A solver that does not listen is noticed when it does not answer.
    let greeting = format!("{}(echo \"{}ready\")\n", options.preamble(profiling, manner), SENTINELS[0]);
    let _ = process.write(&greeting, &mut Patience::default(), &AtomicBool::new(false));
    Ok(process)
}
