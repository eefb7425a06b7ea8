//! Who is to blame when an obligation fails: the error that is reported, its place, and the reason.
//!
//! An obligation arises inside some construct (an assert, a call, a fold); the construct gives the error and the
//! place, the obligation itself gives the reason, as Viper's errors do. What is said about it is decided elsewhere:
//! failures leave this crate as data.

use smt::Term;
use source::Span;
use verdict::Reason as UnknownReason;
pub(crate) use verdict::failure::{ErrorKind, ReasonKind as Reason};
use verdict::failure::{Failure, Goal};

use crate::heap::Resource;

/// The construct on whose behalf something is evaluated, produced or consumed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blame {
    pub error: ErrorKind,
    pub span: Span,
    /// What stands for [`Reason::AssertionFalse`] here; generated checks have reasons of their own.
    pub false_reason: Reason,
}

impl Blame {
    pub(crate) fn new(error: ErrorKind, span: Span) -> Blame {
        Blame { error, span, false_reason: Reason::AssertionFalse }
    }

    fn reason(&self, reason: Reason) -> Reason {
        match reason {
            Reason::AssertionFalse => self.false_reason,
            other => other,
        }
    }

    /// What is to be proved about a part of the construct.
    pub(crate) fn goal(&self, reason: Reason, part: Span) -> Goal {
        Goal { kind: self.error, reason: self.reason(reason), construct: self.span, part }
    }

    /// The failure of one obligation; `part` is the place of what is to blame inside the construct, or where it was
    /// declared what the construct has to fulfil.
    pub(crate) fn failure(&self, reason: Reason, part: Span) -> Failure {
        Failure::new(self.error, self.reason(reason), self.span, part)
    }
}

/// What exactly is missing.
#[derive(Clone, Debug)]
pub(crate) enum Missing {
    /// The reason says it all.
    Nothing,
    /// A share that is small enough for infinitely many locations.
    CommonShare,
    Permission(Shortage),
}

/// Too little permission to a location.
#[derive(Clone, Debug)]
pub(crate) struct Shortage {
    pub resource: Resource,
    pub location: Vec<Term>,
    /// Absent where some permission will do.
    pub needed: Option<Term>,
    pub held: Term,
}

/// Why the work on a path ends early.
#[derive(Clone, Debug)]
pub(crate) enum Stop {
    Failed(Box<Failure>),
    /// A limit, a dead solver, or something that is not supported.
    Unknown(UnknownReason),
}
