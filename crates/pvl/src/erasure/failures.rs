//! Operations of the program that fail for some values: which values they are may not depend on ghost code.
//!
//! With the ghost code, the proof shows that none of them fails. Without it, a divisor, an index or a receiver that came
//! from ghost code may be another one, so that the program fails where the proved one did not. The same holds for
//! operations that are executed because of a ghost value. A parallel block is such an operation, too: its bounds
//! decide which threads there are.
//!
//! Three things are only warned about, because programs for VerCors do them: looking something up in a sequence or another
//! collection that ghost code made, which they keep in variables and parameters that nothing marks as ghost; reading what
//! an object or array has where a variable declared as ghost is named for it, as for stores; and passing ghost values to
//! routines without a body, which are lemmas in disguise.

use source::{Severity, Span};

use super::flow::{Flow, Here};
use super::summary::{Behaviour, Origin, Taint};
use crate::resolve::{Member, NameTarget, Subscript};
use crate::syntax::tree::{Builtin, Contract, Expression, ExpressionKind, Parameter};

pub(super) const DIVISION: &str = "a division is by zero";
pub(super) const INDEX: &str = "an index is inside of the bounds";
pub(super) const RECEIVER: &str = "an object is `null`";
pub(super) const POINTER: &str = "a pointer can be followed";
const SIZE: &str = "an array can have this size";
const EXPONENT: &str = "an exponent is negative";
const VALUE: &str = "there is such a value";
const COLLECTION: &str = "a sequence, map or option has such a value";
const THREADS: &str = "threads run here, and how many,";
const GHOST_OBJECT: &str = "something that only ghost code knows has such a value";
const PRECONDITION: &str = "what this needs is true";

fn severity(what: &str) -> Severity {
    match what {
        COLLECTION | GHOST_OBJECT | PRECONDITION => Severity::Warning,
        _ => Severity::Error,
    }
}

/// In which way a member of a built-in type fails.
fn of_member(member: Member) -> Option<&'static str> {
    use Member::*;
    match member {
        ArrayLength => Some(RECEIVER),
        SeqRemoveAt | SeqUpdate | SeqHead | SeqTail | MapGet | MapRemove | OptionGet | EitherLeft
        | EitherRight => Some(COLLECTION),
        Size | IsEmpty | SeqConcat | SeqPrepend | SeqDrop | SeqTake | SeqSlice | SeqContains
        | SetIntersect | SetUnion | SetDifference | SetContains | SetSubset | SetStrictSubset | BagSum
        | BagIntersect | BagDifference | BagCount | BagSubset | BagStrictSubset | MapKeys | MapValues
        | MapItems | MapAdd | MapEquals | MapDisjoint | OptionGetOrElse | OptionIsEmpty | TupleFirst
        | TupleSecond | EitherIsLeft | EitherIsRight | ToFloat32 | ToFloat64 => None,
    }
}

/// In which way a built-in function fails.
pub(super) fn of_builtin(builtin: Builtin) -> Option<&'static str> {
    match builtin {
        Builtin::EuclideanDiv | Builtin::EuclideanMod => Some(DIVISION),
        Builtin::Pow => Some(EXPONENT),
        Builtin::Choose | Builtin::ChooseFresh => Some(VALUE),
        Builtin::Values
        | Builtin::NdIndex
        | Builtin::VectorSum
        | Builtin::VectorCompare
        | Builtin::VectorRepeat
        | Builtin::MatrixSum
        | Builtin::MatrixCompare
        | Builtin::MatrixRepeat => Some(INDEX),
        Builtin::PointerLength | Builtin::PointerBlockLength | Builtin::PointerBlockOffset => Some(POINTER),
        _ => None,
    }
}

/// A number that is written out and is not 0.
fn is_other_than_zero(expression: &Expression) -> bool {
    matches!(&*expression.kind, ExpressionKind::Int(digits) if digits.bytes().any(|digit| digit != b'0'))
}

impl Flow<'_, '_> {
    /// A member of a value of a built-in type.
    pub(super) fn selected(
        &mut self,
        whole: &Expression,
        member: Member,
        object: &Taint,
        arguments: &Taint,
        here: &Here,
    ) {
        match of_member(member) {
            Some(COLLECTION) => self.looked_up_in_collection(whole, object, arguments, false, here),
            Some(what) => self.may_fail(what, whole.span, object, here),
            None => {}
        }
    }

    /// An operation of the program that fails or not, depending on these values.
    pub(super) fn may_fail(&mut self, what: &'static str, span: Span, operands: &Taint, here: &Here) {
        let taint = operands.clone().joined(&self.control(here));
        let what = match what {
            INDEX | RECEIVER if here.under_ghost_names && !operands.is_ghost() => GHOST_OBJECT,
            _ => what,
        };
        self.fails_by(what, span, &taint, here);
    }

    fn fails_by(&mut self, what: &'static str, span: Span, taint: &Taint, here: &Here) {
        if here.ghost || here.for_proof {
            return;
        }
        self.fails(&Behaviour { what, span }, taint);
        if taint.is_ghost() && !self.in_function {
            let message = format!("whether {what} depends on ghost code");
            let help = "compute it in the program, or do this in ghost code, if only the proof needs it";
            self.find(severity(what), span, &message, help, Some(taint));
        }
    }

    /// A value is looked up in an array or a collection.
    pub(super) fn looked_up(&mut self, whole: &Expression, base: &Taint, index: &Taint, here: &Here) {
        let ExpressionKind::Index(object, at) = &*whole.kind else { return };
        match self.resolution.subscripts.get(&whole.id) {
            Some(Subscript::Array | Subscript::Pointer) => {
                let what = if self.names_ghost(object) { GHOST_OBJECT } else { INDEX };
                self.may_fail(what, whole.span, base, here);
                self.may_fail(INDEX, whole.span, index, &Here { control: Taint::default(), ..here.clone() });
            }
            _ => self.looked_up_in_collection(whole, base, index, self.names_ghost(at), here),
        }
    }

    /// What depends on the collection itself is warned about, also if it decides whether this is executed.
    pub(super) fn looked_up_in_collection(
        &mut self,
        whole: &Expression,
        base: &Taint,
        index: &Taint,
        names_ghost: bool,
        here: &Here,
    ) {
        let others = index.clone().joined(&self.control(here));
        let others = others.0.into_iter().filter(|(origin, _)| !base.0.contains_key(origin));
        let others = Taint(others.collect());
        if self.is_changed_by_ghost_code(whole, base) {
            self.fails_by(VALUE, whole.span, &base.clone().joined(&others), here);
        } else if base.is_ghost() || names_ghost {
            self.fails_by(COLLECTION, whole.span, &base.clone().joined(&others), here);
        } else {
            self.fails_by(VALUE, whole.span, &others, here);
            self.fails_by(COLLECTION, whole.span, base, here);
        }
    }

    /// Whether the collection is in a variable of the program that a ghost statement changes.
    fn is_changed_by_ghost_code(&self, whole: &Expression, base: &Taint) -> bool {
        let mut collection = None;
        whole.kind.for_each_child(&mut |child| collection = collection.or(Some(child)));
        let Some(NameTarget::Variable(id)) = collection.and_then(|it| self.resolution.names.get(&it.id))
        else {
            return false;
        };
        base.is_ghost() && self.changed_by_ghost.contains(id) && !self.ghost_variables.contains(id)
    }

    pub(super) fn divided(&mut self, whole: &Expression, divisor: &Expression, taint: &Taint, here: &Here) {
        if !is_other_than_zero(divisor) {
            self.may_fail(DIVISION, whole.span, taint, here);
        }
    }

    pub(super) fn raised(&mut self, whole: &Expression, exponent: &Expression, taint: &Taint, here: &Here) {
        if !matches!(&*exponent.kind, ExpressionKind::Int(_)) {
            self.may_fail(EXPONENT, whole.span, taint, here);
        }
    }

    /// Access to what an object has; there is always a `this`.
    pub(super) fn accessed(&mut self, whole: Span, object: &Expression, taint: &Taint, here: &Here) {
        if !matches!(&*object.kind, ExpressionKind::This) {
            let what = if self.names_ghost(object) { GHOST_OBJECT } else { RECEIVER };
            self.may_fail(what, whole, taint, here);
        }
    }

    pub(super) fn array_created(&mut self, whole: Span, dimensions: &Taint, here: &Here) {
        self.may_fail(SIZE, whole, dimensions, here);
    }

    /// A parallel block, or a loop with a contract for its iterations, with what its bounds depend on.
    pub(super) fn threads_run(&mut self, span: Span, bounds: &Taint, here: &Here) {
        self.may_fail(THREADS, span, bounds, here);
    }

    /// A routine without a body may do anything if its precondition is not true, so it counts as something that fails.
    pub(super) fn opaque_may_fail(&mut self, contract: &Contract, parameters: &[Parameter], place: Span) {
        let has_precondition =
            contract.preconditions().next().is_some() || contract.everywhere().next().is_some();
        if has_precondition && !self.in_ghost_routine {
            let mut values = Taint::default();
            for parameter in parameters {
                values.join(&Taint::of(Origin::Parameter(parameter.id)));
            }
            self.fails(&Behaviour { what: PRECONDITION, span: place }, &values);
        }
    }

    /// Keeps for callers what a failure depends on. Ghost values in a method have been reported in the method itself;
    /// those in a function matter only where the program calls it.
    fn fails(&mut self, behaviour: &Behaviour, taint: &Taint) {
        let kept = taint.0.iter();
        let kept = kept.filter(|(origin, _)| self.in_function || !matches!(origin, Origin::Ghost(_)));
        let kept = Taint(kept.map(|(origin, via)| (*origin, via.clone())).collect());
        self.add_failure(behaviour, &kept);
    }

    /// What is called may fail, depending on what it is given and on whether it is called.
    pub(super) fn callee_may_fail(
        &mut self,
        behaviour: &Behaviour,
        seen: &Taint,
        names_ghost: bool,
        span: Span,
        here: &Here,
    ) {
        if here.ghost || here.for_proof {
            return;
        }
        let control = self.control(here);
        self.fails(behaviour, &seen.clone().joined(&control));
        if self.in_function {
            return;
        }
        let help = "compute it in the program, or call this in ghost code, if only the proof needs it";
        let severity = match behaviour.what {
            VALUE if names_ghost => Severity::Warning,
            what => severity(what),
        };
        if seen.is_ghost() {
            let message = format!("whether {} depends on a ghost value that is passed here", behaviour.what);
            self.find_with(severity, span, &message, help, Some(seen), Some(behaviour.span));
        } else if control.is_ghost() {
            let message =
                format!("ghost code decides whether this is called, and so whether {}", behaviour.what);
            self.find_with(severity, span, &message, help, Some(&control), Some(behaviour.span));
        }
    }
}
