//! Who is to blame when an obligation fails: the error that is reported, its place, and the reason.
//!
//! An obligation arises inside some construct (an assert, a call, a fold); the construct gives the error id and the
//! place, the obligation itself gives the reason, as Viper's errors do.

use smt::Term;
use source::Span;
use verdict::{Failure, Note, Obligation, Reason as UnknownReason};

use crate::heap::Resource;

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

    /// What is wrong with the part that is pointed at.
    fn sentence_about_part(self) -> &'static str {
        match self {
            Reason::AssertionFalse => "this might be false",
            Reason::DivisionByZero => "this might be zero",
            Reason::NegativePermission => "this might be negative",
            Reason::PermissionNotPositive => "this might not be positive",
            Reason::IndexNegative => "this might be negative",
            Reason::IndexTooLarge => "this might not be less than the length",
            Reason::KeyNotContained => "this might not be a key of the map",
            Reason::NotInjective | Reason::QuasihavocNotInjective => {
                "two different values might name the same location"
            }
            _ => self.sentence(),
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

/// What exactly is missing.
#[derive(Clone, Debug)]
pub(crate) enum Detail {
    /// The reason says it all.
    None,
    Text(String),
    Shortage(Shortage),
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

/// What is said about a construct.
struct Words {
    /// The beginning of a message.
    doubt: &'static str,
    /// What is to be proved.
    obligation: &'static str,
}

fn words(error: &str) -> Words {
    let (doubt, obligation) = match error {
        "assert.failed" => ("the assertion might not hold", "the assertion holds"),
        "inhale.failed" => {
            ("the inhaled assertion might not be well defined", "the inhaled assertion is well defined")
        }
        "exhale.failed" => ("the exhale might fail", "the exhaled assertion holds"),
        "assignment.failed" => ("the assignment might fail", "the assignment can be done"),
        "call.failed" => ("the call might fail", "the arguments of the call are well defined"),
        "call.precondition" => {
            ("the precondition of the call might not hold", "the precondition of the call holds")
        }
        "application.precondition" => (
            "the precondition of the function application might not hold",
            "the precondition of the function application holds",
        ),
        "predicateinstance.no.access" => {
            ("the predicate instance might not be held", "the predicate instance is held")
        }
        "fold.failed" => ("the fold might fail", "the body of the folded predicate holds"),
        "unfold.failed" => ("the unfold might fail", "the unfolded predicate is held"),
        "package.failed" => ("the package might fail", "the right-hand side of the packaged wand holds"),
        "apply.failed" => ("the apply might fail", "the applied wand and its left-hand side are held"),
        "if.failed" => ("the condition might not be well defined", "the condition is well defined"),
        "while.failed" => {
            ("the loop condition might not be well defined", "the loop condition is well defined")
        }
        "not.wellformed" => ("the contract might not be well formed", "the contract is well formed"),
        "function.not.wellformed" => ("the function might not be well formed", "the function is well formed"),
        "predicate.not.wellformed" => {
            ("the predicate might not be well formed", "the predicate is well formed")
        }
        "wand.not.wellformed" => ("the magic wand might not be well formed", "the magic wand is well formed"),
        "postcondition.violated" => ("the postcondition might not hold", "the postcondition holds"),
        "invariant.not.established" => {
            ("the loop invariant might not hold on entry", "the loop invariant holds on entry")
        }
        "invariant.not.preserved" => {
            ("the loop invariant might not be preserved", "the loop invariant is preserved")
        }
        "termination.failed" => ("termination might not be proved", "the measure decreases"),
        "refute.failed" => ("the refuted assertion holds", "the assertion can be refuted"),
        "quasihavoc.failed" | "quasihavocall.failed" => {
            ("the quasihavoc might fail", "the quasihavoc is well defined")
        }
        _ => ("the obligation might not hold", "the obligation holds"),
    };
    Words { doubt, obligation }
}

/// Why the work on a path ends early.
#[derive(Clone, Debug)]
pub(crate) enum Stop {
    Failed(Box<Failure>),
    /// A limit, a dead solver, or something that is not supported.
    Unknown(UnknownReason),
}

impl Blame {
    /// What is to be proved about a part of the construct.
    pub(crate) fn obligation(&self, reason: Reason, part: Span) -> Obligation {
        let text = words(self.error).obligation.to_string();
        let code = Some(self.code(reason));
        let construct = self.span;
        match clause(self.error) {
            Some(_) => Obligation { span: self.span, clause: Some(part), construct, text, code },
            None => Obligation { span: part, clause: None, construct, text, code },
        }
    }

    /// Error and reason, as a failure names them.
    fn code(&self, reason: Reason) -> String {
        format!("{}:{}", self.error, reason.id(self))
    }
}

/// The failure of one obligation; `part` is the place of what is to blame inside the construct, or where it was
/// declared what the construct has to fulfil.
pub(crate) fn failure(blame: &Blame, reason: Reason, part: Span, detail: Option<String>) -> Failure {
    let is_elsewhere =
        part.file != blame.span.file || part.end <= blame.span.start || blame.span.end <= part.start;
    let mut text = detail.unwrap_or_else(|| reason.sentence_about_part().to_string());
    if is_elsewhere && let Some(clause) = clause(blame.error) {
        text = format!("asked for by {clause}: {text}");
    }
    Failure {
        code: blame.code(reason),
        span: blame.span,
        message: format!("{}: {}", words(blame.error).doubt, reason.sentence()),
        notes: vec![Note { span: Some(part), text }],
        help: None,
        counterexample: None,
    }
}

/// Where what has to be fulfilled is declared.
fn clause(error: &str) -> Option<&'static str> {
    match error {
        "call.precondition" | "application.precondition" => Some("the precondition"),
        "fold.failed" => Some("the body of the predicate"),
        _ => None,
    }
}

/// The branches that lead to a failure, the last ones if there are many.
pub(crate) fn branch_notes(branches: &[(Term, Span, bool)]) -> Vec<Note> {
    const SHOWN: usize = 8;
    let skipped = branches.len().saturating_sub(SHOWN);
    let mut notes: Vec<Note> = branches[skipped..]
        .iter()
        .map(|(_, span, taken)| {
            let text = if *taken { "this holds on the way" } else { "this is false on the way" };
            Note { span: Some(*span), text: text.to_string() }
        })
        .collect();
    if skipped > 0 {
        let text = format!("{skipped} branches before these lead there");
        notes.push(Note { span: None, text });
    }
    notes
}

/// What is often the remedy.
pub(crate) fn next_step(blame: &Blame, reason: Reason, is_reading: bool) -> Option<String> {
    use Reason as R;
    let text = match (blame.error, reason) {
        ("assignment.failed", R::InsufficientPermission) if !is_reading => {
            "to assign to a field, `write` permission to it must be held: ask for it in the precondition or in the \
             invariant of the loop around, or unfold the predicate that contains it"
        }
        ("invariant.not.preserved", R::AssertionFalse) => {
            "the body of a loop starts from the invariants and the loop condition alone: what else it relies on has to \
             be an invariant, too"
        }
        ("invariant.not.preserved", R::InsufficientPermission) if !is_reading => {
            "at its end, the body of a loop has to give back all permissions that the invariant asks for"
        }
        ("invariant.not.established", R::InsufficientPermission) => {
            "the permissions of the invariant have to be held before the loop"
        }
        ("postcondition.violated", R::InsufficientPermission) if !is_reading => {
            "what the postcondition promises has to be held at the end: predicates must be folded again, and after \
             a loop only its invariant is known"
        }
        ("fold.failed", R::InsufficientPermission) => {
            "all permissions in the body of a predicate have to be held before it is folded"
        }
        ("unfold.failed", R::InsufficientPermission) => {
            "an instance has to be held before it is unfolded: fold it before, or ask for it in the precondition"
        }
        ("not.wellformed" | "predicate.not.wellformed", R::InsufficientPermission) => {
            "an assertion has to ask for a permission before it reads the location: write `acc(x.f) && x.f > 0`, in \
             this order"
        }
        ("function.not.wellformed", R::InsufficientPermission) => {
            "a function reads what its precondition gives permission to; inside a predicate, it is read by `unfolding \
             … in …`"
        }
        ("application.precondition", R::InsufficientPermission) => {
            "a function needs some permission to what it reads; if that is inside a predicate, apply the function by \
             `unfolding … in …`"
        }
        (_, R::WandNotFound) => {
            "a wand is found by its text and the values in it: it has to be packaged, or asked for, as it is written here"
        }
        (_, R::NotInjective) => {
            "different values have to name different locations; a precondition or an axiom can say so"
        }
        ("termination.failed", R::AssertionFalse) => {
            "the measure has to be smaller in every recursive call and every round of a loop, and must not decrease for \
             ever"
        }
        (_, R::InsufficientPermission) if is_reading => {
            "to read a location, some permission to it must be held: ask for it before, or unfold the predicate that \
             contains it"
        }
        _ => return None,
    };
    Some(text.to_string())
}
