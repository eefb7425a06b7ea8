//! A record of a session that a solver can run again, with the answers as comments.
//!
//! Nothing here opens a file: whoever wants records gives [`Logs`], which know where each goes.

use std::fmt;
use std::io::Write;
use std::sync::Arc;

use crate::solver::SolverError;

type Open = dyn Fn(&str) -> Result<Box<dyn Write + Send>, SolverError> + Send + Sync;

/// Where records of sessions go: something to write into for each name.
#[derive(Clone)]
pub struct Logs(Arc<Open>);

impl Logs {
    /// Records go where this says. Should it buffer, it is flushed whenever the solver has answered.
    pub fn new(
        open: impl Fn(&str) -> Result<Box<dyn Write + Send>, SolverError> + Send + Sync + 'static,
    ) -> Logs {
        Logs(Arc::new(open))
    }

    /// Where the record of the session of this name goes.
    pub fn open(&self, name: &str) -> Result<Box<dyn Write + Send>, SolverError> {
        (self.0)(name)
    }
}

impl fmt::Debug for Logs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Logs")
    }
}

pub(crate) struct Log(pub(crate) Box<dyn Write + Send>);

impl Log {
    // A log that cannot be written is no reason to stop proving.

    pub(crate) fn commands(&mut self, text: &str) {
        let _ = self.0.write_all(text.as_bytes());
    }

    /// What the solver said, or what happened to it. Written through, as somebody may be watching.
    pub(crate) fn remarks<'a>(&mut self, lines: impl IntoIterator<Item = &'a str>) {
        for line in lines.into_iter().flat_map(str::lines) {
            let _ = writeln!(self.0, "; {line}");
        }
        let _ = self.0.flush();
    }
}
