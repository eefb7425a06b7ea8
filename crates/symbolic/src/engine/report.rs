//! What is told about a member: while it is looked at, and in the end.

use verdict::Answered;
use verdict::failure::{Failure, Goal};

use crate::execute::Refutations;

pub(crate) struct Report<'p> {
    /// Told what is being proved.
    pub announce: Box<dyn Fn(&Goal) + 'p>,
    /// Failures that did not end the work.
    pub failures: Vec<Failure>,
    pub refutations: Refutations,
    /// What was asked, in the order in which it was come to.
    pub answers: Vec<Answered<Failure>>,
    /// Whether the contract of the method has been looked at, so that others can rely on its meaning.
    pub contract_checked: bool,
    /// Paths through bodies that came to an end.
    pub paths: u64,
}

impl<'p> Report<'p> {
    pub(crate) fn new(announce: Box<dyn Fn(&Goal) + 'p>) -> Report<'p> {
        Report {
            announce,
            failures: Vec::new(),
            refutations: Refutations::default(),
            answers: Vec::new(),
            contract_checked: false,
            paths: 0,
        }
    }
}
