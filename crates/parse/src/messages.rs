//! What was wrong in a text: bounded in number and without repetitions.

use source::{Diagnostic, Span};

/// Errors and warnings in the order they were found, so many of each at most.
///
/// The two are counted apart: however many warnings there are, an error is kept, and only errors make a parser give
/// up. A text that is not read to its end therefore always has an error.
#[derive(Clone, Debug)]
pub struct Messages {
    list: Vec<Diagnostic>,
    limit: usize,
    errors: usize,
    stopped: bool,
}

/// How much had been said at some point.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    length: usize,
    errors: usize,
}

impl Messages {
    /// No messages yet, and at most so many errors and so many warnings.
    pub fn new(limit: usize) -> Messages {
        Messages { list: Vec::new(), limit, errors: 0, stopped: false }
    }

    /// Adds a message, unless the same was said before, there are too many of its kind, or the parser gave up.
    pub fn report(&mut self, message: Diagnostic) {
        if self.given_up() {
            return;
        }
        let is_error = message.is_error();
        if !is_error && self.list.len() - self.errors >= self.limit {
            return;
        }
        // A rule that is read again after looking ahead says what it said.
        if self.list.contains(&message) {
            return;
        }
        self.errors += usize::from(is_error);
        self.list.push(message);
    }

    /// Whether something with this code was said about this place.
    pub fn said(&self, code: &str, place: Option<Span>) -> bool {
        self.list.iter().any(|old| old.code == code && old.span() == place)
    }

    /// Whether something with this code was said about any place.
    pub fn has_code(&self, code: &str) -> bool {
        self.list.iter().any(|old| old.code == code)
    }

    /// Whether there were so many errors, or one so bad, that reading on helps nobody.
    #[inline]
    pub fn given_up(&self) -> bool {
        self.stopped || self.errors >= self.limit
    }

    /// Adds an error behind which nothing can be read, and gives up.
    pub fn stop(&mut self, error: Diagnostic) {
        self.report(error);
        self.stopped = true;
    }

    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    pub fn mark(&self) -> Mark {
        Mark { length: self.list.len(), errors: self.errors }
    }

    /// Forgets what was said since a mark, where a rule is read again in another way.
    pub fn forget_since(&mut self, mark: Mark) {
        self.list.truncate(mark.length);
        self.errors = mark.errors;
    }

    pub fn into_list(self) -> Vec<Diagnostic> {
        self.list
    }
}

/// A list of messages that was collected without a bound, cut to so many errors and so many warnings.
pub fn bounded(list: Vec<Diagnostic>, limit: usize) -> Vec<Diagnostic> {
    let mut messages = Messages::new(limit);
    for message in list {
        messages.report(message);
    }
    messages.into_list()
}
