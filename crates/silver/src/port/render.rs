//! Silver's renderer: what a failure of a Silver program is called, and the sentences about it.

use num_rational::BigRational;
use source::Span;
use verdict::failure::{
    BranchTaken, Detail, ErrorKind, Failure, Goal, Jump, Needed, ReasonKind, ResourceKind, Shortage, Shown,
};
use verdict::{Counterexample, FailureReport, Note, Obligation};

/// Branches before the last ones are only counted.
const MAX_BRANCHES: usize = 8;

/// A failure as people read it.
pub fn failure(failure: &Failure) -> FailureReport {
    if let Detail::Jump(jump) = &failure.detail {
        return unsupported_jump(failure, jump);
    }
    let values = failure.values.iter().map(|value| (term(&value.term), term(&value.value))).collect();
    let mut notes = vec![Note { span: Some(failure.part), text: about_part(failure) }];
    notes.extend(branch_notes(&failure.branches));
    FailureReport {
        code: failure.code(),
        span: failure.construct,
        message: format!("{}: {}", words(failure.kind).doubt, reason(failure.reason)),
        notes,
        help: remedy(failure).map(|remedy| remedy.text().to_string()),
        counterexample: Some(Counterexample { values }).filter(|found| !found.values.is_empty()),
        run: None,
    }
}

/// An obligation as people read it.
pub fn obligation(goal: &Goal) -> Obligation {
    let (construct, part) = (goal.construct, goal.part);
    let (span, clause) =
        if goal.kind.has_clause_elsewhere() { (construct, Some(part)) } else { (part, None) };
    let text = words(goal.kind).obligation.to_string();
    Obligation { span, clause, construct, text, code: Some(goal.code()) }
}

/// What is said about a construct.
struct Words {
    /// The beginning of a message.
    doubt: &'static str,
    /// What is to be proved.
    obligation: &'static str,
}

fn words(kind: ErrorKind) -> Words {
    let (doubt, obligation) = match kind {
        ErrorKind::Assert => ("the assertion might not hold", "the assertion holds"),
        ErrorKind::Inhale => {
            ("the inhaled assertion might not be well defined", "the inhaled assertion is well defined")
        }
        ErrorKind::Exhale => ("the exhale might fail", "the exhaled assertion holds"),
        ErrorKind::Assignment => ("the assignment might fail", "the assignment can be done"),
        ErrorKind::Call => ("the call might fail", "the arguments of the call are well defined"),
        ErrorKind::CallPrecondition => {
            ("the precondition of the call might not hold", "the precondition of the call holds")
        }
        ErrorKind::ApplicationPrecondition => (
            "the precondition of the function application might not hold",
            "the precondition of the function application holds",
        ),
        ErrorKind::PredicateInstance => {
            ("the predicate instance might not be held", "the predicate instance is held")
        }
        ErrorKind::Fold => ("the fold might fail", "the body of the folded predicate holds"),
        ErrorKind::Unfold => ("the unfold might fail", "the unfolded predicate is held"),
        ErrorKind::Package => ("the package might fail", "the right-hand side of the packaged wand holds"),
        ErrorKind::Apply => ("the apply might fail", "the applied wand and its left-hand side are held"),
        ErrorKind::If => ("the condition might not be well defined", "the condition is well defined"),
        ErrorKind::While => {
            ("the loop condition might not be well defined", "the loop condition is well defined")
        }
        ErrorKind::NotWellFormed => ("the contract might not be well formed", "the contract is well formed"),
        ErrorKind::FunctionNotWellFormed => {
            ("the function might not be well formed", "the function is well formed")
        }
        ErrorKind::PredicateNotWellFormed => {
            ("the predicate might not be well formed", "the predicate is well formed")
        }
        ErrorKind::WandNotWellFormed => {
            ("the magic wand might not be well formed", "the magic wand is well formed")
        }
        ErrorKind::Postcondition => ("the postcondition might not hold", "the postcondition holds"),
        ErrorKind::InvariantNotEstablished => {
            ("the loop invariant might not hold on entry", "the loop invariant holds on entry")
        }
        ErrorKind::InvariantNotPreserved => {
            ("the loop invariant might not be preserved", "the loop invariant is preserved")
        }
        ErrorKind::Termination => ("termination might not be proved", "the measure decreases"),
        ErrorKind::Refute => ("the assertion is not refuted", "the assertion can be refuted"),
        ErrorKind::Quasihavoc | ErrorKind::Quasihavocall => {
            ("the quasihavoc might fail", "the quasihavoc is well defined")
        }
        ErrorKind::Internal => ("the obligation might not hold", "the obligation holds"),
    };
    Words { doubt, obligation }
}

fn reason(reason: ReasonKind) -> &'static str {
    match reason {
        ReasonKind::InsufficientPermission => "there may be too little permission",
        ReasonKind::NegativePermission => "a permission amount may be negative",
        ReasonKind::PermissionNotPositive => "the permission amount may not be positive",
        ReasonKind::DivisionByZero => "a divisor may be zero",
        ReasonKind::WandNotFound => "the magic wand may not be held",
        ReasonKind::NotInjective => "the quantified receiver may not be injective",
        ReasonKind::QuasihavocNotInjective => "the receiver of the quasihavocall may not be injective",
        ReasonKind::LabelNotReached => "the label may not have been reached",
        ReasonKind::IndexNegative => "an index may be negative",
        ReasonKind::IndexTooLarge => "an index may be beyond the end of the sequence",
        ReasonKind::KeyNotContained => "a key may not be in the map",
        ReasonKind::Unsupported => "the construct is not supported",
        ReasonKind::RefutationTrue => "it holds whenever this point is reached",
        ReasonKind::AssertionFalse
        | ReasonKind::TupleFalse
        | ReasonKind::TupleConditionFalse
        | ReasonKind::TerminationConditionFalse => "it may be false",
    }
}

/// What is wrong with the part that is pointed at.
fn about_part(failure: &Failure) -> String {
    let text = match &failure.detail {
        Detail::Shortage(missing) => shortage(missing),
        Detail::NoCommonShare => NO_COMMON_SHARE.to_string(),
        Detail::None | Detail::Jump(_) => match failure.reason {
            ReasonKind::DivisionByZero => "this might be zero",
            ReasonKind::NegativePermission | ReasonKind::IndexNegative => "this might be negative",
            ReasonKind::PermissionNotPositive => "this might not be positive",
            ReasonKind::IndexTooLarge => "this might not be less than the length",
            ReasonKind::KeyNotContained => "this might not be a key of the map",
            ReasonKind::NotInjective | ReasonKind::QuasihavocNotInjective => {
                "two different values might name the same location"
            }
            ReasonKind::RefutationTrue => "this is true here",
            other if other.is_false_condition() => "this might be false",
            other => reason(other),
        }
        .to_string(),
    };
    match clause(failure.kind).filter(|_| failure.is_part_elsewhere()) {
        Some(clause) => format!("asked for by {clause}: {text}"),
        None => text,
    }
}

/// The note for a failure where infinitely many locations are to get a share each.
pub const NO_COMMON_SHARE: &str =
    "no positive share is known that is small enough for all of these infinitely many locations";

/// Where what has to be fulfilled is declared.
fn clause(kind: ErrorKind) -> Option<&'static str> {
    match kind {
        ErrorKind::CallPrecondition | ErrorKind::ApplicationPrecondition => Some("the precondition"),
        ErrorKind::Fold => Some("the body of the predicate"),
        _ => None,
    }
}

fn shortage(missing: &Shortage) -> String {
    shortage_in(missing, missing.location.as_ref().map(term).as_deref(), &amount)
}

/// What is missing, with the location and amounts as a language writes them.
pub fn shortage_in(
    missing: &Shortage,
    location: Option<&str>,
    amount: &dyn Fn(&BigRational) -> String,
) -> String {
    let held = missing.held.as_ref();
    if missing.resource == ResourceKind::Wand {
        return match held {
            Some(held) if *held == BigRational::from_integer(0.into()) => {
                "needs this magic wand, holds none like it".to_string()
            }
            _ => "needs this magic wand, which may not be held".to_string(),
        };
    }
    let place = location.map_or_else(|| "here".to_string(), |place| format!("to `{place}`"));
    let needs = match &missing.needed {
        Needed::Some => format!("needs some permission {place}"),
        Needed::Amount(needed) if is_more_than_all(needed) => {
            format!("needs {} times the whole permission {place}", amount(needed))
        }
        Needed::Amount(needed) => format!("needs {} permission {place}", amount(needed)),
        Needed::Unknown => format!("may need more permission {place} than is held"),
    };
    match held {
        Some(held) => format!("{needs}, holds {}", amount(held)),
        None if missing.needed == Needed::Unknown => needs,
        None => format!("{needs}, which may not be held"),
    }
}

/// Whether an amount is a whole number above one.
fn is_more_than_all(amount: &BigRational) -> bool {
    amount.is_integer() && *amount > BigRational::from_integer(1.into())
}

/// The branches that lead to a failure, the last ones if there are many.
pub fn branch_notes(branches: &[BranchTaken]) -> Vec<Note> {
    let skipped = branches.len().saturating_sub(MAX_BRANCHES);
    let mut notes: Vec<Note> = branches[skipped..].iter().map(branch_note).collect();
    if skipped > 0 {
        let text = format!("{skipped} branches before these lead there");
        notes.push(Note { span: None, text });
    }
    notes
}

fn branch_note(branch: &BranchTaken) -> Note {
    let text = if branch.holds { "this holds on the way" } else { "this is false on the way" };
    Note { span: Some(branch.condition), text: text.to_string() }
}

/// What is often the remedy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Remedy {
    /// Hold `write` to assign.
    HoldWrite,
    /// Say more in the invariant.
    StrengthenInvariant,
    /// End the body with what the invariant asks for.
    GiveBackInvariant,
    /// Hold before the loop what the invariant asks for.
    HoldInvariantBefore,
    /// Hold at the end what the postcondition promises.
    HoldPostconditionAtEnd,
    /// Hold what the predicate stands for.
    HoldBodyBeforeFold,
    /// Hold the predicate.
    HoldBeforeUnfold,
    /// Ask for permission before what reads.
    AskBeforeReading,
    /// Ask for permission in the precondition of the function.
    AskInFunction,
    /// Hold, or unfold, what the precondition of the function asks for.
    UnfoldForFunction,
    /// Write the wand the same way.
    WriteSameWand,
    /// Say that no two receivers are the same.
    SayInjective,
    /// Make the measure smaller.
    MakeMeasureSmaller,
    /// Hold some permission to read.
    HoldSome,
}

/// What can be done about a failure, where that is known.
pub fn remedy(failure: &Failure) -> Option<Remedy> {
    use ErrorKind as E;
    use ReasonKind as R;
    let is_reading = failure.is_reading();
    Some(match (failure.kind, failure.reason) {
        (E::Assignment, R::InsufficientPermission) if !is_reading => Remedy::HoldWrite,
        (E::InvariantNotPreserved, R::AssertionFalse) => Remedy::StrengthenInvariant,
        (E::InvariantNotPreserved, R::InsufficientPermission) if !is_reading => Remedy::GiveBackInvariant,
        (E::InvariantNotEstablished, R::InsufficientPermission) => Remedy::HoldInvariantBefore,
        (E::Postcondition, R::InsufficientPermission) if !is_reading => Remedy::HoldPostconditionAtEnd,
        (E::Fold, R::InsufficientPermission) => Remedy::HoldBodyBeforeFold,
        (E::Unfold, R::InsufficientPermission) => Remedy::HoldBeforeUnfold,
        (E::NotWellFormed | E::PredicateNotWellFormed, R::InsufficientPermission) => Remedy::AskBeforeReading,
        (E::FunctionNotWellFormed, R::InsufficientPermission) => Remedy::AskInFunction,
        (E::ApplicationPrecondition, R::InsufficientPermission) => Remedy::UnfoldForFunction,
        (_, R::WandNotFound) => Remedy::WriteSameWand,
        (_, R::NotInjective) => Remedy::SayInjective,
        (E::Termination, reason) if reason.is_false_condition() => Remedy::MakeMeasureSmaller,
        (_, R::InsufficientPermission) if is_reading => Remedy::HoldSome,
        _ => return None,
    })
}

impl Remedy {
    /// The remedy in words.
    pub fn text(self) -> &'static str {
        match self {
            Remedy::HoldWrite => {
                "to assign to a field, `write` permission to it must be held: ask for it in the precondition or in the \
                 invariant of the loop around, or unfold the predicate that contains it"
            }
            Remedy::StrengthenInvariant => {
                "the body of a loop starts from the invariants and the loop condition alone: what else it relies on has to \
                 be an invariant, too"
            }
            Remedy::GiveBackInvariant => {
                "at its end, the body of a loop has to give back all permissions that the invariant asks for"
            }
            Remedy::HoldInvariantBefore => "the permissions of the invariant have to be held before the loop",
            Remedy::HoldPostconditionAtEnd => {
                "what the postcondition promises has to be held at the end: predicates must be folded again, and after \
                 a loop only its invariant is known"
            }
            Remedy::HoldBodyBeforeFold => {
                "all permissions in the body of a predicate have to be held before it is folded"
            }
            Remedy::HoldBeforeUnfold => {
                "an instance has to be held before it is unfolded: fold it before, or ask for it in the precondition"
            }
            Remedy::AskBeforeReading => {
                "an assertion has to ask for a permission before it reads the location: write `acc(x.f) && x.f > 0`, in \
                 this order"
            }
            Remedy::AskInFunction => {
                "a function reads what its precondition gives permission to; inside a predicate, it is read by `unfolding \
                 … in …`"
            }
            Remedy::UnfoldForFunction => {
                "a function needs some permission to what it reads; if that is inside a predicate, apply the function by \
                 `unfolding … in …`"
            }
            Remedy::WriteSameWand => {
                "a wand is found by its text and the values in it: it has to be packaged, or asked for, as it is written here"
            }
            Remedy::SayInjective => {
                "different values have to name different locations; a precondition or an axiom can say so"
            }
            Remedy::MakeMeasureSmaller => {
                "the measure has to be smaller in every recursive call and every round of a loop, and must not decrease for \
                 ever"
            }
            Remedy::HoldSome => {
                "to read a location, some permission to it must be held: ask for it before, or unfold the predicate that \
                 contains it"
            }
        }
    }
}

fn unsupported_jump(failure: &Failure, jump: &Jump) -> FailureReport {
    let (message, notes) = jump_words(jump);
    let code = failure.code();
    FailureReport {
        code,
        span: failure.construct,
        message,
        notes,
        help: None,
        counterexample: None,
        run: None,
    }
}

/// What is wrong with a jump, and what can be done.
pub fn jump_words(jump: &Jump) -> (String, Vec<Note>) {
    let note = |span: Option<Span>, text: &str| Note { span, text: text.to_string() };
    match jump {
        Jump::AcrossProof { label } => {
            let help = "jump only to labels of the same proof or outside all proofs of the same method";
            (format!("the jump to `{label}` crosses the border of a wand's proof"), vec![note(None, help)])
        }
        Jump::IntoLoop { label, other } => {
            let label = label.as_deref().unwrap_or("a label");
            let message = format!("the jump to `{label}` makes a loop that can be entered at two places");
            let mut notes: Vec<Note> = Vec::new();
            notes.extend(other.map(|span| note(Some(span), "the loop can also be entered here")));
            let help = "let all ways into the loop lead to one label, and give that label the invariants";
            notes.push(note(None, help));
            (message, notes)
        }
    }
}

/// A term as Silver writes it.
pub fn term(shown: &Shown) -> String {
    match shown {
        Shown::Variable(name) => name.clone(),
        Shown::Result => "result".to_string(),
        Shown::Null => "null".to_string(),
        Shown::Bool(value) => value.to_string(),
        Shown::Int(value) => value.to_string(),
        Shown::Amount(value) => amount(value),
        Shown::Element { sort, number } => format!("{sort}#{number}"),
        Shown::Field(of, name) | Shown::Selection(of, name) => format!("{}.{name}", operand(of)),
        Shown::Apply(name, arguments) => {
            format!("{name}({})", arguments.iter().map(term).collect::<Vec<_>>().join(", "))
        }
        Shown::Old(of) => format!("old({})", term(of)),
        Shown::Permission(of) => format!("perm({})", term(of)),
        Shown::Size(of) => format!("|{}|", term(of)),
        Shown::Index(of, at) => format!("{}[{}]", operand(of), term(at)),
        Shown::In(element, of) => format!("{} in {}", operand(element), operand(of)),
        Shown::Operation(operator, left, right) => {
            format!("{} {} {}", operand(left), operator.text(), operand(right))
        }
    }
}

fn operand(shown: &Shown) -> String {
    match shown {
        Shown::Operation(..) | Shown::In(..) => format!("({})", term(shown)),
        _ => term(shown),
    }
}

/// A permission amount as the source would write it.
pub fn amount(value: &BigRational) -> String {
    let text = value.to_string();
    match text.as_str() {
        "0" => "none".to_string(),
        "1" => "write".to_string(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use source::FileId;

    use super::*;

    /// A combination without words of its own has a plain sentence.
    #[test]
    fn every_failure_has_words() {
        let missing = |needed, held| {
            let shortage = Shortage { resource: ResourceKind::Field, location: None, needed, held };
            Detail::Shortage(shortage)
        };
        let details = [
            Detail::None,
            Detail::NoCommonShare,
            missing(Needed::Some, None),
            missing(Needed::Unknown, None),
            missing(Needed::Amount(BigRational::from_integer(2.into())), None),
            Detail::Jump(Jump::IntoLoop { label: None, other: None }),
        ];
        let (whole, part) = (Span::new(FileId(0), 0, 9), Span::new(FileId(0), 3, 5));
        for kind in ErrorKind::ALL {
            for reason in ReasonKind::ALL {
                for detail in &details {
                    let known = Failure { detail: detail.clone(), ..Failure::new(kind, reason, whole, part) };
                    let report = failure(&known);
                    assert_eq!(report.code, format!("{}:{}", kind.id(), reason.id()));
                    assert!(!report.message.is_empty() && !report.message.ends_with([':', ' ']));
                    assert!(!report.notes.is_empty(), "{}", report.code);
                    assert!(report.notes.iter().all(|note| !note.text.is_empty()), "{}", report.code);
                }
                assert!(!obligation(&Goal { kind, reason, construct: whole, part }).text.is_empty());
            }
        }
    }
}
