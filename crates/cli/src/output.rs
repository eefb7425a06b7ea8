//! Where words go: standard output and standard error.

use std::io::{ErrorKind, IsTerminal, Write};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use source::{Diagnostic, SourceMap};
use verdict::{Observer, Progress};

/// Why standard output could not be written, the first time that it could not.
static LOST: OnceLock<String> = OnceLock::new();

/// Writes to standard output; a reader who has gone away is no error of ours.
pub(crate) fn out(text: &str) {
    let mut stream = std::io::stdout().lock();
    let written = stream.write_all(text.as_bytes()).and_then(|()| stream.flush());
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            let _ = LOST.set(error.to_string());
        }
        _ => {}
    }
}

/// Says that what was found could not be written, if so.
pub(crate) fn say_what_is_lost() -> bool {
    let Some(reason) = LOST.get() else { return false };
    err(&format!("probity: standard output is incomplete: {reason}\n"));
    true
}

pub(crate) fn err(text: &str) {
    let mut stream = std::io::stderr().lock();
    let _ = stream.write_all(text.as_bytes());
    let _ = stream.flush();
}

pub(crate) fn diagnostics(sources: &SourceMap, diagnostics: &[Diagnostic]) {
    let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    err(&report::render_diagnostics(sources, diagnostics, colour));
}

/// A progress line on a terminal, rewritten a few times a second; nothing where standard error is piped.
pub(crate) struct Terminal {
    shown: Option<Instant>,
    active: bool,
}

impl Terminal {
    pub(crate) fn new() -> Terminal {
        Terminal { shown: None, active: std::io::stderr().is_terminal() }
    }

    pub(crate) fn clear(&mut self) {
        if self.active && self.shown.is_some() {
            err("\r\x1b[K");
        }
    }
}

impl Observer for Terminal {
    fn observe(&mut self, progress: &Progress) {
        let due = self.shown.is_none_or(|shown| shown.elapsed() > Duration::from_millis(250));
        if self.active && due && progress.time > Duration::from_millis(500) {
            self.shown = Some(Instant::now());
            err(&format!("\r\x1b[K{}", report::progress_line(progress)));
        }
    }
}
