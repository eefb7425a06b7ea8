//! What a failure of Silver means in PVL.
//!
//! The engine reports an error, a reason, the node that failed and the part of it that is to blame. Codes are those of
//! VerCors: a failed contract has the code of its kind and the reason behind a colon, a failed check of an operation
//! has a code of its own.

use std::fmt;

use source::Span;
use verdict::failure::{ErrorKind, ReasonKind};

use super::concurrency::self_framing::NOT_FRAMED;
use super::contracts::loops::CHANGING_BOUND;
use super::origin::{Origins, Role};

/// A failure in terms of PVL.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explanation {
    pub code: Code,
    /// Where the failure is reported.
    pub span: Span,
    /// What inside of it is to blame.
    pub part: Option<Span>,
}

/// What a failure is called: `perm`, or `assertFailed:false` for a contract.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Code {
    pub base: &'static str,
    pub reason: Option<&'static str>,
}

impl Code {
    /// A code without a reason.
    pub const fn plain(base: &'static str) -> Code {
        Code { base, reason: None }
    }

    fn because(base: &'static str, reason: ReasonKind) -> Code {
        let reason = match reason {
            ReasonKind::AssertionFalse => FALSE,
            ReasonKind::InsufficientPermission | ReasonKind::WandNotFound => PERM,
            ReasonKind::NegativePermission | ReasonKind::PermissionNotPositive => NEGATIVE,
            other => other.id(),
        };
        Code { base, reason: Some(reason) }
    }

    /// Whether this is a contract that fails for want of permission.
    pub fn lacks_permission(&self) -> bool {
        self.reason == Some(PERM)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.base)?;
        self.reason.map_or(Ok(()), |reason| write!(f, ":{reason}"))
    }
}

const FALSE: &str = "false";
const PERM: &str = "perm";
const NEGATIVE: &str = "negativePermValue";

impl Origins {
    /// Explains a failure at a node, of which `part` is to blame.
    pub fn explain(
        &self,
        error: ErrorKind,
        reason: ReasonKind,
        node: Span,
        part: Option<Span>,
    ) -> Explanation {
        let origin = self.statement(node);
        let part_origin = part.and_then(|part| self.get(part));
        let place = origin.map_or(node, |origin| origin.span);
        let part_place = part_origin.filter(|_| part.is_some_and(|part| self.is_own(part)));
        let part_place = part_place.map(|origin| origin.span);
        let role = origin.map_or(Role::Plain, |origin| origin.role);
        let part_role = part_origin.map_or(Role::Plain, |origin| origin.role);
        let part_region = part.and_then(|part| self.region(part));
        let region = self.region(node);
        let (code, span) =
            self.code(Found { error, reason, role, region, part_role, part_region, place, part_place });
        Explanation { code, span, part: part_place }
    }

    /// What a check of the language makes sure of, if a node is one.
    pub fn check(&self, node: Span) -> Option<&'static str> {
        let origin = self.get(node).filter(|_| !self.is_own(node))?;
        let Role::Code(code) = origin.role else { return None };
        Some(match code {
            "arrayNull" => "the array is not null",
            "arrayBounds" => "the index is inside of the array",
            "arraySize" => "the size of the new array is not negative",
            "ptrNull" => "the pointer is not null",
            "ptrBlock" => "the pointer lies inside of its block",
            "optNone" => "the option is not empty",
            "left" | "right" => "the value is on this side",
            "mapKey" => "the key is in the map",
            "setEmpty" => "the set is not empty",
            "ratFrac" | "ratZfrac" | "zfracFrac" => "the value is a fraction",
            "valuesPerm" => "there is permission to read these elements",
            "negativeExponent" => "the exponent is not negative",
            "divByZero" => "no divisor is zero",
            "stepNotPositive" => "the step is positive",
            "vectorLength" => "the vectors have the same length",
            "indexNegative" | "indexExceedsLength" => "the indices are inside of the vector",
            _ => "the bounds are in order",
        })
    }

    /// What is to be proved of a construct that the engine knows by another name, or of a clause in it.
    pub fn obligation(&self, construct: Span, clause: Span) -> Option<&'static str> {
        let role = self.statement(construct).map(|origin| origin.role);
        let code = match (role, self.region(clause)) {
            (Some(Role::Base(code) | Role::Code(code)), _) => code,
            (_, Some(Role::Base(code) | Role::Code(code))) => code,
            _ => return None,
        };
        Some(match code {
            "framePre" => "the precondition of the frame holds",
            "framePost" => "the postcondition of the frame holds",
            "parPreFailed" => "the threads get what they require",
            "parPostFailed" => "the thread leaves what it ensures",
            "notEstablished" => "what is given up here holds",
            "notMaintained" => "the invariant is maintained",
            "inconsistent" => "what threads take away from the barrier is brought there",
            "barrierInvariant" => "the barrier restores the invariant",
            "sendFailed" => "what is sent is there",
            "recvFailed" => "the iteration before has sent this",
            "forkPre" => "the thread gets what it requires",
            "running" => "the thread is not running",
            "idle" => "the thread is running",
            "invariantFailed" => "the lock invariant holds when the lock is released",
            "commitFailed" => "the lock invariant holds when it is committed",
            "heldFailed" => "the lock is held",
            "lockNotCommitted" => "the lock has been committed",
            "lockNull" | "forkNull" | "joinNull" | "invocationObjectNull" => "the object is not null",
            "unsatisfiable" => "the precondition does not contradict itself",
            "refuteFailed" => "what is to be refuted does not follow",
            "decreasesFailed" | "loopDecreasesFailed" => "the measure decreases",
            "modelWrite" => "the field of the model may be written here",
            "modelReceiver" => "the term is one of this model",
            "createPermission" | "createPre" => "the model can be created",
            "actionNotOffered" => "a part of the model offers the action",
            "actionPermission" | "actionRead" | "actionPre" => "the action can be entered",
            "actionPost" | "actionEnd" | "actionReadChanged" => "the action keeps its contract",
            "splitFailed" | "splitShare" => "the part of the model can be split",
            "mergeFailed" | "mergeShare" => "the parts of the model can be merged",
            "chooseState" | "chooseFailed" => "the alternative can be chosen",
            "destroyPermission" | "destroyUnfinished" | "destroyPromise" => "the model can be destroyed",
            _ => return None,
        })
    }

    fn code(&self, found: Found) -> (Code, Span) {
        let Found { error, reason, role, region, part_role, part_region, place, part_place } = found;
        let inner = part_place.unwrap_or(place);
        // Checks of operations, wherever they stand.
        let operation = match reason {
            ReasonKind::DivisionByZero => Some("divByZero"),
            ReasonKind::IndexNegative => Some("indexNegative"),
            ReasonKind::IndexTooLarge => Some("indexExceedsLength"),
            ReasonKind::KeyNotContained => Some("mapKey"),
            ReasonKind::LabelNotReached => Some("notReached"),
            ReasonKind::NotInjective => Some(match (part_role, part_region) {
                (_, Some(Role::Quantified(code))) => code,
                (Role::Quantified(code), _) => code,
                _ => "notInjective",
            }),
            _ => None,
        };
        if let Some(code) = operation {
            return (Code::plain(code), inner);
        }
        let is_permission = reason == ReasonKind::InsufficientPermission;
        let is_negative =
            matches!(reason, ReasonKind::NegativePermission | ReasonKind::PermissionNotPositive);
        let is_call = matches!(error, ErrorKind::CallPrecondition | ErrorKind::ApplicationPrecondition);
        // That permission is missing is here a property of the construct, not of the place that is read.
        if is_permission
            && let (Some(Role::Code(code @ (NOT_FRAMED | CHANGING_BOUND))), _)
            | (_, Some(Role::Code(code @ (NOT_FRAMED | CHANGING_BOUND)))) = (region, part_region)
        {
            return (Code::plain(code), if is_call { place } else { inner });
        }
        if is_permission && let Role::Location(code) = part_role {
            return (Code::plain(code), inner);
        }
        if error == ErrorKind::Termination || reason.is_about_measure() {
            let code = match (role, part_role, part_region) {
                (Role::Code("loopDecreasesFailed"), _, _)
                | (_, Role::Code("loopDecreasesFailed"), _)
                | (_, _, Some(Role::Code("loopDecreasesFailed"))) => "loopDecreasesFailed",
                _ => "decreasesFailed",
            };
            return (Code::plain(code), place);
        }
        if let Role::Code(code) = part_role {
            return (Code::plain(code), place);
        }
        if let Some(Role::Code(code)) = part_region
            && is_call
        {
            return (Code::plain(code), place);
        }
        if let Role::Code(code) = role {
            return (Code::plain(code), place);
        }
        let is_everywhere = part_region == Some(Role::Everywhere);
        let base = match (error, role) {
            (_, Role::Base(base)) => base,
            _ if is_call && is_everywhere => "contextPreFailed",
            _ if is_call => "preFailed",
            (ErrorKind::Postcondition, _) if matches!(part_region, Some(Role::Base(_))) => {
                match part_region {
                    Some(Role::Base(base)) => base,
                    _ => "postFailed",
                }
            }
            (ErrorKind::Postcondition, _) if is_everywhere => "contextPostFailed",
            (ErrorKind::Postcondition, _) => "postFailed",
            (ErrorKind::InvariantNotEstablished, Role::Invariant { established, .. }) => established,
            (ErrorKind::InvariantNotPreserved, Role::Invariant { preserved, .. }) => preserved,
            (ErrorKind::InvariantNotEstablished | ErrorKind::InvariantNotPreserved, _) => {
                match (part_region, error == ErrorKind::InvariantNotEstablished) {
                    (Some(Role::Invariant { established, .. }), true) => established,
                    (Some(Role::Invariant { preserved, .. }), false) => preserved,
                    (_, true) => "invariantNotEstablished",
                    (_, false) => "notMaintained",
                }
            }
            (ErrorKind::Assert, _) => "assertFailed",
            (ErrorKind::Exhale, _) => "exhaleFailed",
            (ErrorKind::Fold, _) => "foldFailed",
            (ErrorKind::Unfold, _) => "unfoldFailed",
            (ErrorKind::Package, _) => "packageFailed",
            (ErrorKind::Apply, _) => "applyFailed",
            // Nobody wrote it: it is there to find out whether the place is reached.
            (ErrorKind::Refute, _) => return (Code::plain("unreachable"), place),
            // Everything else is about something that is read where it may not be.
            _ if is_permission => return (Code::plain("perm"), inner),
            _ if is_negative => return (Code::plain(NEGATIVE), inner),
            _ => "notWellFormed",
        };
        (Code::because(base, reason), place)
    }
}

/// What is known about a failure.
struct Found {
    error: ErrorKind,
    reason: ReasonKind,
    role: Role,
    /// What the nodes around the one that failed are there for.
    region: Option<Role>,
    part_role: Role,
    part_region: Option<Role>,
    place: Span,
    part_place: Option<Span>,
}

impl Code {
    /// A sentence: what might not hold, and why.
    pub fn sentence(self) -> String {
        let what = match self.base {
            "assertFailed" => "the assertion may not hold",
            "exhaleFailed" => "the exhaled resource may not be there",
            "preFailed" => "the precondition of the call may not hold",
            "postFailed" => "the postcondition may not hold",
            "contextPreFailed" => {
                "the `context_everywhere` of the called method may not hold before the call"
            }
            "contextPostFailed" => "`context_everywhere` may not hold at the end",
            "invariantNotEstablished" => "the loop invariant may not hold on entry",
            "notMaintained" => "the invariant may not be maintained",
            "notEstablished" => "what is given up here may not hold",
            NOT_FRAMED => {
                "this is given up here and taken elsewhere, and may read what it does not hold permission to"
            }
            CHANGING_BOUND => "this bound is read again later, and what runs in between may change it",
            "foldFailed" => "the body of the predicate may not hold",
            "unreachable" => "no execution reaches this place, so that nothing is proved here",
            "negativePermValue" => "the amount of permission may be negative",
            "notWellFormed" => "this may have no meaning",
            "unfoldFailed" => "the predicate to be unfolded may not be held",
            "packageFailed" => "the magic wand may not be provable",
            "applyFailed" => "the magic wand may not be applicable",
            "sendFailed" => "what is sent may not be there",
            "recvFailed" => "the iteration before may not have sent this",
            "framePre" => "the precondition of the frame may not hold",
            "framePost" => "the postcondition of the frame may not hold",
            "parPreFailed" => "the threads may not get what they require",
            "parPostFailed" => "a thread may not leave what it ensures",
            "barrierInvariant" => "the barrier may not restore an invariant",
            "inconsistent" => "what threads bring to the barrier may not be what they take away",
            "forkPre" => "the thread may not get what it requires",
            "joinPre" => "the thread may not be joinable",
            "invariantFailed" => "the lock invariant may not hold when the lock is released",
            "heldFailed" => "the lock may not be held",
            "commitFailed" => "the lock invariant may not hold when it is committed",
            "perm" => "there may be too little permission to read this",
            "assignFieldFailed" => "there may be too little permission to write this",
            "arrayNull" => "the array may be null",
            "arrayBounds" => "the index may be outside of the array",
            "arrayPerm" => "there may be too little permission to read this element",
            "arraySize" => "the size of the new array may be negative",
            "ptrNull" => "the pointer may be null",
            "ptrBlock" => "the pointer may lie outside of its block",
            "ptrPerm" => "there may be too little permission to read through this pointer",
            "indexNegative" => "the index may be negative",
            "indexExceedsLength" => "the index may be beyond the end of the sequence",
            "divByZero" => "the divisor may be zero",
            "notInjective" => "different values of the quantifier's variables may name the same location",
            "parNotInjective" => "different threads may own the same location",
            "optNone" => "the option may be empty",
            "left" => "the value may be a left one",
            "right" => "the value may be a right one",
            "mapKey" => "the key may not be in the map",
            "setEmpty" => "the set may be empty",
            "lockNull" => "the object to be locked may be null",
            "lockNotCommitted" => "the lock may not have been committed",
            "forkNull" => "the thread to be forked may be null",
            "joinNull" => "the thread to be joined may be null",
            "running" => "the thread may be running already",
            "idle" => "the thread may not be running",
            "decreasesFailed" => "the measure may not decrease, or may not stay above its bound",
            "loopDecreasesFailed" => {
                "the measure of the loop may not decrease, or may not stay above its bound"
            }
            "refuteFailed" => "what is to be refuted holds",
            "unsatisfiable" => "the precondition contradicts itself, so this can never be called",
            "scaleNeg" => "the factor may be negative",
            "ratFrac" => "the value may not be a fraction above 0 and up to 1",
            "ratZfrac" => "the value may not be a fraction from 0 to 1",
            "zfracFrac" => "the fraction may be 0",
            "invocationObjectNull" => "the object of the call may be null",
            "notReached" => "the label may not have been reached",
            "fromNeg" => "the start of the range may be negative",
            "fromCrossesTo" => "the start of the range may lie behind its end",
            "toLength" => "the end of the range may lie behind the end of the array",
            "valuesPerm" => "there may be too little permission to read these elements",
            "finalFieldAssigned" => "the final field may have a value already",
            "negativeExponent" => "the exponent may be negative",
            "stepNotPositive" => "the step may not be positive",
            "vectorLength" => "the vectors may have different lengths",
            "autoValueLeak" => "permission of an `AutoValue` may leak",
            "modelWrite" => {
                "a field of a model may be written here although the model is active: only actions that modify it may"
            }
            "modelReceiver" => "what the term names may be of another object than the one it is for",
            "createPermission" => "`create` may lack `Perm(…, write)` to a field of the model",
            "createPre" => "what the process requires may not hold where the model is created",
            "actionNotOffered" => {
                "no part of the model that is held may offer this action with what is left behind it"
            }
            "actionPermission" => "the action may lack `HPerm(…, write)` to a field that it modifies",
            "actionRead" => "the action may lack `HPerm` to a field that it reads",
            "actionPre" => "what the action requires may not hold on entry",
            "actionPost" => "what the action ensures may not hold at its end",
            "actionEnd" => "permission to a field of the action may be missing at its end",
            "actionReadChanged" => "a field that the action only reads may have changed during it",
            "splitShare" | "mergeShare" => "the share may not be positive",
            "splitFailed" => "the part of the model that is split here may not be held",
            "mergeFailed" => "the parts of the model that are merged here may not be held",
            "chooseState" => "the part of the model that is chosen from may not be held",
            "chooseFailed" => "what is chosen may be none of the alternatives",
            "destroyPermission" => "`destroy` may lack `HPerm(…, write)` to a field of the model",
            "destroyUnfinished" => "no part that is the whole model and may end here may be held",
            "destroyPromise" => "the promise of the model may not be held",
            "contractEnd" => "a run of the process may end where this is not true",
            "contractBeyond" => "runs of the process may get further than they are followed",
            "contractSwap" => "actions side by side may not commute",
            "contractUnproved" => "nothing shows yet that the contract of the process holds",
            _ => "this may not hold",
        };
        let why = match self.reason {
            Some(FALSE) => ": it may be false",
            Some(PERM) => ": there may be too little permission",
            Some(NEGATIVE) => ": an amount of permission may be negative",
            _ => "",
        };
        format!("{what}{why}")
    }
}
