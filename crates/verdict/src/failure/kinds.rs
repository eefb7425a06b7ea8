//! What can fail, and why: Viper's names of errors and reasons, as far as there are such failures here.

/// The construct that failed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ErrorKind {
    Assert,
    Inhale,
    Exhale,
    Assignment,
    /// The arguments of a call.
    Call,
    CallPrecondition,
    ApplicationPrecondition,
    /// An instance of a predicate that is a measure of termination.
    PredicateInstance,
    Fold,
    Unfold,
    Package,
    Apply,
    If,
    While,
    /// A contract or an invariant.
    NotWellFormed,
    FunctionNotWellFormed,
    PredicateNotWellFormed,
    WandNotWellFormed,
    Postcondition,
    InvariantNotEstablished,
    InvariantNotPreserved,
    Termination,
    Refute,
    Quasihavoc,
    Quasihavocall,
    /// A body that there is no rule for.
    Internal,
}

impl ErrorKind {
    pub const ALL: [ErrorKind; 26] = [
        ErrorKind::Assert,
        ErrorKind::Inhale,
        ErrorKind::Exhale,
        ErrorKind::Assignment,
        ErrorKind::Call,
        ErrorKind::CallPrecondition,
        ErrorKind::ApplicationPrecondition,
        ErrorKind::PredicateInstance,
        ErrorKind::Fold,
        ErrorKind::Unfold,
        ErrorKind::Package,
        ErrorKind::Apply,
        ErrorKind::If,
        ErrorKind::While,
        ErrorKind::NotWellFormed,
        ErrorKind::FunctionNotWellFormed,
        ErrorKind::PredicateNotWellFormed,
        ErrorKind::WandNotWellFormed,
        ErrorKind::Postcondition,
        ErrorKind::InvariantNotEstablished,
        ErrorKind::InvariantNotPreserved,
        ErrorKind::Termination,
        ErrorKind::Refute,
        ErrorKind::Quasihavoc,
        ErrorKind::Quasihavocall,
        ErrorKind::Internal,
    ];

    /// As Viper calls it.
    pub fn id(self) -> &'static str {
        match self {
            ErrorKind::Assert => "assert.failed",
            ErrorKind::Inhale => "inhale.failed",
            ErrorKind::Exhale => "exhale.failed",
            ErrorKind::Assignment => "assignment.failed",
            ErrorKind::Call => "call.failed",
            ErrorKind::CallPrecondition => "call.precondition",
            ErrorKind::ApplicationPrecondition => "application.precondition",
            ErrorKind::PredicateInstance => "predicateinstance.no.access",
            ErrorKind::Fold => "fold.failed",
            ErrorKind::Unfold => "unfold.failed",
            ErrorKind::Package => "package.failed",
            ErrorKind::Apply => "apply.failed",
            ErrorKind::If => "if.failed",
            ErrorKind::While => "while.failed",
            ErrorKind::NotWellFormed => "not.wellformed",
            ErrorKind::FunctionNotWellFormed => "function.not.wellformed",
            ErrorKind::PredicateNotWellFormed => "predicate.not.wellformed",
            ErrorKind::WandNotWellFormed => "wand.not.wellformed",
            ErrorKind::Postcondition => "postcondition.violated",
            ErrorKind::InvariantNotEstablished => "invariant.not.established",
            ErrorKind::InvariantNotPreserved => "invariant.not.preserved",
            ErrorKind::Termination => "termination.failed",
            ErrorKind::Refute => "refute.failed",
            ErrorKind::Quasihavoc => "quasihavoc.failed",
            ErrorKind::Quasihavocall => "quasihavocall.failed",
            ErrorKind::Internal => "internal",
        }
    }

    /// Whether the member has no meaning if this fails, so that nothing may be concluded from it.
    pub fn is_about_meaning(self) -> bool {
        matches!(
            self,
            ErrorKind::NotWellFormed
                | ErrorKind::FunctionNotWellFormed
                | ErrorKind::PredicateNotWellFormed
                | ErrorKind::WandNotWellFormed
        )
    }

    /// Whether what has to hold is declared elsewhere, and the part to blame is there.
    pub fn has_clause_elsewhere(self) -> bool {
        matches!(self, ErrorKind::CallPrecondition | ErrorKind::ApplicationPrecondition | ErrorKind::Fold)
    }
}

/// Why it failed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ReasonKind {
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
    /// What is to be refuted holds.
    RefutationTrue,
    /// A measure does not decrease, or is not bounded.
    TupleFalse,
    /// The condition of a measure does not hold where it has to.
    TupleConditionFalse,
    /// What is called has no measure for this case.
    TerminationConditionFalse,
}

impl ReasonKind {
    pub const ALL: [ReasonKind; 17] = [
        ReasonKind::AssertionFalse,
        ReasonKind::InsufficientPermission,
        ReasonKind::NegativePermission,
        ReasonKind::PermissionNotPositive,
        ReasonKind::DivisionByZero,
        ReasonKind::WandNotFound,
        ReasonKind::NotInjective,
        ReasonKind::QuasihavocNotInjective,
        ReasonKind::LabelNotReached,
        ReasonKind::IndexNegative,
        ReasonKind::IndexTooLarge,
        ReasonKind::KeyNotContained,
        ReasonKind::Unsupported,
        ReasonKind::RefutationTrue,
        ReasonKind::TupleFalse,
        ReasonKind::TupleConditionFalse,
        ReasonKind::TerminationConditionFalse,
    ];

    /// As Viper calls it.
    pub fn id(self) -> &'static str {
        match self {
            ReasonKind::AssertionFalse => "assertion.false",
            ReasonKind::InsufficientPermission => "insufficient.permission",
            ReasonKind::NegativePermission => "negative.permission",
            ReasonKind::PermissionNotPositive => "permission.not.positive",
            ReasonKind::DivisionByZero => "division.by.zero",
            ReasonKind::WandNotFound => "wand.not.found",
            ReasonKind::NotInjective => "qp.not.injective",
            ReasonKind::QuasihavocNotInjective => "quasihavocall.not.injective",
            ReasonKind::LabelNotReached => "labelled.state.not.reached",
            ReasonKind::IndexNegative => "seq.index.negative",
            ReasonKind::IndexTooLarge => "seq.index.length",
            ReasonKind::KeyNotContained => "map.key.contains",
            ReasonKind::Unsupported => "feature.unsupported",
            ReasonKind::RefutationTrue => "refutation.true",
            ReasonKind::TupleFalse => "tuple.false",
            ReasonKind::TupleConditionFalse => "tuple.condition.false",
            ReasonKind::TerminationConditionFalse => "termination.condition.false",
        }
    }

    /// Whether a condition is false, as an assertion or in place of one.
    pub fn is_false_condition(self) -> bool {
        matches!(self, ReasonKind::AssertionFalse | ReasonKind::RefutationTrue) || self.is_about_measure()
    }

    /// Whether it is about what shows that something ends.
    pub fn is_about_measure(self) -> bool {
        matches!(
            self,
            ReasonKind::TupleFalse | ReasonKind::TupleConditionFalse | ReasonKind::TerminationConditionFalse
        )
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_kind_is_listed_once_under_a_name_of_its_own() {
        let errors: BTreeSet<&str> = ErrorKind::ALL.iter().map(|kind| kind.id()).collect();
        assert_eq!(errors.len(), ErrorKind::ALL.len());
        let reasons: BTreeSet<&str> = ReasonKind::ALL.iter().map(|kind| kind.id()).collect();
        assert_eq!(reasons.len(), ReasonKind::ALL.len());
        let is_about_meaning = |kind: &&ErrorKind| kind.id().ends_with("not.wellformed");
        for kind in ErrorKind::ALL.iter().filter(is_about_meaning) {
            assert!(kind.is_about_meaning(), "{}", kind.id());
        }
    }
}
