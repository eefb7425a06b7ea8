//! Who is to blame when an obligation fails: the error that is reported, its place, and the reason.
//!
//! An obligation arises inside some construct (an assert, a call, a fold); the construct gives the error id and the
//! place, the obligation itself gives the reason, as Viper's errors do.

use source::Span;
use verdict::{Failure, Note, Reason as UnknownReason};

/// The construct on whose behalf something is evaluated, produced or consumed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blame {
    /// For example `assert.failed`.
    pub error: &'static str,
    pub span: Span,
    /// What stands for [`Reason::AssertionFalse`] here; generated checks have reasons of their own.
    pub false_reason: &'static str,
}

impl Blame {
    pub(crate) fn new(error: &'static str, span: Span) -> Blame {
        Blame { error, span, false_reason: "assertion.false" }
    }
}

/// Why an obligation fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reason {
    AssertionFalse,
    InsufficientPermission,
    NegativePermission,
    PermissionNotPositive,
    DivisionByZero,
    WandNotFound,
    NotInjective,
    QuasihavocNotInjective,
    LabelNotReached,
    IndexNegative,
    IndexTooLarge,
    KeyNotContained,
    Unsupported,
}

impl Reason {
    pub(crate) fn id(self, blame: &Blame) -> &'static str {
        match self {
            Reason::AssertionFalse => blame.false_reason,
            Reason::InsufficientPermission => "insufficient.permission",
            Reason::NegativePermission => "negative.permission",
            Reason::PermissionNotPositive => "permission.not.positive",
            Reason::DivisionByZero => "division.by.zero",
            Reason::WandNotFound => "wand.not.found",
            Reason::NotInjective => "qp.not.injective",
            Reason::QuasihavocNotInjective => "quasihavocall.not.injective",
            Reason::LabelNotReached => "labelled.state.not.reached",
            Reason::IndexNegative => "seq.index.negative",
            Reason::IndexTooLarge => "seq.index.length",
            Reason::KeyNotContained => "map.key.contains",
            Reason::Unsupported => "feature.unsupported",
        }
    }

    fn sentence(self) -> &'static str {
        match self {
            Reason::AssertionFalse => "it may be false",
            Reason::InsufficientPermission => "there may be too little permission",
            Reason::NegativePermission => "a permission amount may be negative",
            Reason::PermissionNotPositive => "the permission amount may not be positive",
            Reason::DivisionByZero => "a divisor may be zero",
            Reason::WandNotFound => "the magic wand may not be held",
            Reason::NotInjective => "the quantified receiver may not be injective",
            Reason::QuasihavocNotInjective => "the receiver of the quasihavocall may not be injective",
            Reason::LabelNotReached => "the label may not have been reached",
            Reason::IndexNegative => "an index may be negative",
            Reason::IndexTooLarge => "an index may be beyond the end of the sequence",
            Reason::KeyNotContained => "a key may not be in the map",
            Reason::Unsupported => "the construct is not supported",
        }
    }
}

/// What the construct was doing, for the beginning of the message.
fn activity(error: &str) -> &'static str {
    match error {
        "assert.failed" => "the assertion might not hold",
        "inhale.failed" => "the inhaled assertion might not be well defined",
        "exhale.failed" => "the exhale might fail",
        "assignment.failed" => "the assignment might fail",
        "call.failed" => "the call might fail",
        "call.precondition" => "the precondition of the call might not hold",
        "application.precondition" => "the precondition of the function application might not hold",
        "fold.failed" => "the fold might fail",
        "unfold.failed" => "the unfold might fail",
        "package.failed" => "the package might fail",
        "apply.failed" => "the apply might fail",
        "if.failed" => "the condition might not be well defined",
        "while.failed" => "the loop condition might not be well defined",
        "not.wellformed" => "the contract might not be well formed",
        "function.not.wellformed" => "the function might not be well formed",
        "predicate.not.wellformed" => "the predicate might not be well formed",
        "wand.not.wellformed" => "the magic wand might not be well formed",
        "postcondition.violated" => "the postcondition might not hold",
        "invariant.not.established" => "the loop invariant might not hold on entry",
        "invariant.not.preserved" => "the loop invariant might not be preserved",
        "termination.failed" => "termination might not be proved",
        "refute.failed" => "the refuted assertion holds",
        "quasihavoc.failed" => "the quasihavoc might fail",
        _ => "the obligation might not hold",
    }
}

/// Why the work on a path ends early.
#[derive(Clone, Debug)]
pub(crate) enum Stop {
    Failed(Box<Failure>),
    /// A limit, a dead solver, or something that is not supported.
    Unknown(UnknownReason),
}

/// The failure of one obligation; `part` is the place of what is to blame inside the construct.
pub(crate) fn failure(blame: &Blame, reason: Reason, part: Span, detail: Option<String>) -> Failure {
    let mut notes = Vec::new();
    let text = detail.unwrap_or_else(|| reason.sentence().to_string());
    notes.push(Note { span: Some(part), text });
    Failure {
        code: format!("{}:{}", blame.error, reason.id(blame)),
        span: blame.span,
        message: format!("{}: {}", activity(blame.error), reason.sentence()),
        notes,
        counterexample: None,
    }
}
