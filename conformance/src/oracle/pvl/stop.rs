//! Why an evaluation ends without a value.

use source::Span;

pub(super) type Result<T> = std::result::Result<T, Stop>;

#[derive(Clone, PartialEq, Debug)]
pub(super) enum Stop {
    /// The run is wrong here.
    Fail(Failure),
    /// The interpreter does not know the value: nothing is claimed about it.
    Unknown(String),
    /// An assumption is false: this is not a run.
    Pruned,
}

/// What went wrong in a run, and where.
#[derive(Clone, PartialEq, Debug)]
pub struct Failure {
    pub code: &'static str,
    pub place: Option<Span>,
    pub detail: String,
}

impl Stop {
    pub(super) fn unknown(what: impl Into<String>) -> Stop {
        Stop::Unknown(what.into())
    }

    pub(super) fn fail(code: &'static str) -> Stop {
        Stop::Fail(Failure { code, place: None, detail: String::new() })
    }

    /// The failure gets a place, unless it has one.
    pub(super) fn at(mut self, span: Span) -> Stop {
        if let Stop::Fail(failure) = &mut self
            && failure.place.is_none()
        {
            failure.place = Some(span);
        }
        self
    }
}
