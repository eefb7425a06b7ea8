//! A record of a session that a solver can run again, with the answers as comments.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use crate::solver::SolverError;

pub(crate) struct Log(BufWriter<File>);

impl Log {
    pub(crate) fn create(path: &Path) -> Result<Log, SolverError> {
        File::create(path)
            .map(|file| Log(BufWriter::new(file)))
            .map_err(|error| SolverError::Log(path.to_owned(), error.to_string()))
    }

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
