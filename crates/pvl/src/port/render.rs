//! PVL's renderer: the sentences about a failure, from what is known about it and from what stands at its place.

use silver::port::render::{NO_COMMON_SHARE, Remedy, branch_notes, jump_words, shortage_in};
use source::{SourceMap, Span};
use verdict::failure::{Detail, ErrorKind, ReasonKind};
use verdict::{Counterexample, FailureReport, Note};

use super::problem::Problem;
use super::reasons::Subject;
use super::term::amount;
use crate::syntax::tree::Program;

/// A failure as people read it.
pub(super) fn failure(problem: &Problem<'_>, tree: &Program, sources: &SourceMap) -> FailureReport {
    let subject = Subject { problem, tree, sources };
    let location = location(problem, sources);
    let mut notes = Vec::new();
    match subject.reason() {
        Some(text) => notes.push(Note { span: Some(problem.span), text }),
        None if is_said_by_code(problem) => {}
        None => notes.extend(about_part(problem, location.as_deref())),
    }
    if let Detail::Jump(jump) = problem.detail {
        notes.extend(jump_words(jump).1);
    }
    notes.extend(branch_notes(&problem.branches));
    if let Some((callee, name)) = &problem.callee {
        notes.push(Note { span: None, text: callee.sentence(name) });
    }
    notes.extend(about_models(problem));
    let values = &problem.values.pairs;
    let values = values.iter().map(|(term, value)| (term.to_string(), value.to_string())).collect();
    FailureReport {
        code: problem.code.to_string(),
        span: problem.span,
        message: problem.code.sentence(),
        notes,
        help: help(problem, &subject, location.as_deref()),
        counterexample: Some(Counterexample { values }).filter(|found| !found.values.is_empty()),
        run: None,
    }
}

/// What is written at a place, if that is a single line.
pub(super) fn line(sources: &SourceMap, span: Span) -> Option<&str> {
    Some(sources.text(span)).filter(|text| text.lines().nth(1).is_none())
}

/// The location that there is too little permission to. If it was generated, the text at its place is shown instead.
fn location(problem: &Problem<'_>, sources: &SourceMap) -> Option<String> {
    let location = problem.location.as_ref()?;
    let instead = line(sources, problem.part.unwrap_or(problem.span)).filter(|_| location.is_hidden);
    Some(instead.map_or_else(|| location.term.to_string(), str::to_string))
}

/// What is wrong with the part that is to blame.
fn about_part(problem: &Problem<'_>, location: Option<&str>) -> Option<Note> {
    if problem.is_part_hidden {
        return None;
    }
    let text = match problem.detail {
        Detail::Shortage(missing) => shortage_in(missing, location, &amount),
        Detail::NoCommonShare => NO_COMMON_SHARE.to_string(),
        Detail::Jump(_) => return None,
        Detail::None => {
            // The condition of a check of the language was generated; the code says what it is.
            if problem.part.is_none() && problem.reason.is_false_condition() {
                return None;
            }
            about_reason(problem.reason).to_string()
        }
    };
    let text = match clause(problem).filter(|_| problem.is_part_elsewhere) {
        Some(clause) => format!("asked for by {clause}: {text}"),
        None => text,
    };
    Some(Note { span: problem.part, text })
}

/// Which parts of models are held where a step of one fails, and what they can do first.
fn about_models(problem: &Problem<'_>) -> Vec<Note> {
    let is_step = problem.code.reason.is_none()
        && matches!(
            problem.code.base,
            "actionNotOffered"
                | "destroyUnfinished"
                | "splitFailed"
                | "mergeFailed"
                | "chooseState"
                | "chooseFailed"
        );
    if !is_step && !problem.wants_part {
        return Vec::new();
    }
    let note = |text: String| Note { span: None, text };
    let mut notes = Vec::new();
    for held in &problem.held {
        let mut offers: Vec<String> = Vec::new();
        for offer in &held.offers {
            let what = match &offer.action {
                Some(action) => format!("`{action}`"),
                None => "its end".to_string(),
            };
            let text = match &offer.condition {
                Some(condition) => format!("{what} if `{condition}`"),
                None => what,
            };
            if !offers.contains(&text) {
                offers.push(text);
            }
        }
        let offered = match offers.is_empty() {
            true => String::new(),
            false => format!(", which offers {}", offers.join(", ")),
        };
        let text = format!("held is `{}`{offered}", held.part);
        if notes.iter().all(|other: &Note| other.text != text) {
            notes.push(note(text));
        }
    }
    notes
}

fn about_reason(reason: ReasonKind) -> &'static str {
    match reason {
        ReasonKind::AssertionFalse
        | ReasonKind::RefutationTrue
        | ReasonKind::TupleFalse
        | ReasonKind::TupleConditionFalse
        | ReasonKind::TerminationConditionFalse => "this may be false",
        ReasonKind::DivisionByZero => "this may be zero",
        ReasonKind::NegativePermission | ReasonKind::IndexNegative => "this may be negative",
        ReasonKind::PermissionNotPositive => "this may not be positive",
        ReasonKind::IndexTooLarge => "this may not be less than the length",
        ReasonKind::KeyNotContained => "this may not be a key of the map",
        ReasonKind::NotInjective | ReasonKind::QuasihavocNotInjective => {
            "two different values may name the same location"
        }
        ReasonKind::InsufficientPermission => "there may be too little permission",
        ReasonKind::WandNotFound => "the magic wand may not be held",
        ReasonKind::LabelNotReached => "the label may not have been reached",
        ReasonKind::Unsupported => "the construct is not supported",
    }
}

/// Where what has to be fulfilled is declared.
fn clause(problem: &Problem<'_>) -> Option<&'static str> {
    match (problem.kind, problem.code.base) {
        (ErrorKind::CallPrecondition | ErrorKind::ApplicationPrecondition, _) => Some("the precondition"),
        (ErrorKind::Fold, "invariantFailed" | "commitFailed") => Some("the lock invariant"),
        (ErrorKind::Fold, _) => Some("the body of the predicate"),
        _ => None,
    }
}

/// Whether the part that fails was generated, so that the code says all there is to say.
fn is_said_by_code(problem: &Problem<'_>) -> bool {
    problem.code.reason.is_none()
        && matches!(
            problem.code.base,
            "refuteFailed"
                | "unsatisfiable"
                | "unreachable"
                | "lockNotCommitted"
                | "running"
                | "idle"
                | "invocationObjectNull"
                | "lockNull"
                | "forkNull"
                | "joinNull"
                | "decreasesFailed"
                | "loopDecreasesFailed"
                | "negativePermValue"
                | "actionNotOffered"
                | "actionPermission"
                | "actionRead"
                | "actionEnd"
                | "actionReadChanged"
                | "createPermission"
                | "destroyPermission"
                | "destroyUnfinished"
                | "destroyPromise"
                | "splitFailed"
                | "mergeFailed"
                | "chooseState"
                | "chooseFailed"
                | "modelWrite"
        )
}

/// What can be done. The engine knows more than the code where a contract reads what it has not asked for.
fn help(problem: &Problem<'_>, subject: &Subject<'_>, location: Option<&str>) -> Option<String> {
    let location = location.filter(|_| !problem.is_part_hidden);
    let remedy = problem.remedy.filter(|_| !is_said_by_code(problem));
    let is_reading = problem.code.reason.is_none()
        && matches!(problem.code.base, "perm" | "arrayPerm" | "valuesPerm" | "ptrPerm");
    match remedy {
        Some(remedy) if is_reading && !matches!(remedy, Remedy::HoldSome | Remedy::HoldWrite) => {
            Some(remedy_text(remedy).to_string())
        }
        remedy => {
            subject.next_step(location).or_else(|| remedy.map(|remedy| remedy_text(remedy).to_string()))
        }
    }
}

/// What often helps, in words of PVL.
fn remedy_text(remedy: Remedy) -> &'static str {
    match remedy {
        Remedy::AskBeforeReading => {
            "an assertion has to ask for a permission before it reads the location: write \
             `Perm(x.f, 1\\2) ** x.f > 0`, in this order"
        }
        other => other.text(),
    }
}
