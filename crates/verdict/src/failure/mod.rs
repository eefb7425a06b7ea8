//! What a failure of a proof is, as data: what fails and why, where, what is missing, on which way, and for which values.
//!
//! The engine reports this and writes no sentence about the program; places are those of the Silver program, terms are
//! as it could write them. A language maps both into its own terms and renders them as a [`crate::FailureReport`].

mod kinds;
mod term;

use num_rational::BigRational;
use source::Span;

pub use kinds::{ErrorKind, ReasonKind};
pub use term::{Operator, Shown};

use crate::{MemberReport, ProofObserver, ProofReport};

/// What the engine says about one member.
pub type Finding = MemberReport<Failure, Goal>;
/// What the engine says about a program.
pub type Findings = ProofReport<Failure, Goal>;
/// Is told how the engine gets on.
pub type FindingObserver<'o> = dyn ProofObserver<Failure, Goal> + 'o;

/// A refuted obligation.
#[derive(Clone, Debug)]
pub struct Failure {
    pub kind: ErrorKind,
    pub reason: ReasonKind,
    /// The statement, contract or member that failed.
    pub construct: Span,
    /// What is to blame inside of it, or where it is declared what the construct has to fulfil.
    pub part: Span,
    pub detail: Detail,
    /// The branches that lead there, in order.
    pub branches: Vec<BranchTaken>,
    /// For which it fails, in the order in which people want to read them.
    pub values: Vec<Value>,
    /// What was compared to show that something ends, where this is known to fail.
    pub measures: Vec<Measure>,
    /// Instances of predicates that were held where the step began, as far as they have a name.
    pub held: Vec<Shown>,
}

impl Failure {
    pub fn new(kind: ErrorKind, reason: ReasonKind, construct: Span, part: Span) -> Failure {
        Failure {
            kind,
            reason,
            construct,
            part,
            detail: Detail::None,
            branches: Vec::new(),
            values: Vec::new(),
            measures: Vec::new(),
            held: Vec::new(),
        }
    }

    /// Error and reason as Viper names them.
    pub fn code(&self) -> String {
        code(self.kind, self.reason)
    }

    /// Whether some permission is missing that would allow to read a location.
    pub fn is_reading(&self) -> bool {
        matches!(&self.detail, Detail::Shortage(Shortage { needed: Needed::Some, .. }))
    }

    /// Whether the part to blame stands outside of the construct.
    pub fn is_part_elsewhere(&self) -> bool {
        let (part, whole) = (self.part, self.construct);
        part.file != whole.file || part.end <= whole.start || whole.end <= part.start
    }

    /// The location that there is too little permission to, where it has a name.
    pub fn location(&self) -> Option<&Shown> {
        match &self.detail {
            Detail::Shortage(shortage) => shortage.location.as_ref(),
            _ => None,
        }
    }
}

fn code(kind: ErrorKind, reason: ReasonKind) -> String {
    format!("{}:{}", kind.id(), reason.id())
}

/// What is known beyond the reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Detail {
    None,
    Shortage(Shortage),
    /// Infinitely many locations are to get a share each, and none is known that is small enough.
    NoCommonShare,
    Jump(Jump),
}

/// Too little permission.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shortage {
    pub resource: ResourceKind,
    /// Where it has a name.
    pub location: Option<Shown>,
    pub needed: Needed,
    /// Where it is known.
    pub held: Option<BigRational>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ResourceKind {
    Field,
    Predicate,
    Wand,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Needed {
    /// Whatever is more than none.
    Some,
    Amount(BigRational),
    /// An amount that is not known.
    Unknown,
}

/// A jump that there is no rule for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Jump {
    /// Into or out of the proof of a wand.
    AcrossProof { label: String },
    /// It makes a loop that can be entered at two places; the other one where it is known.
    IntoLoop { label: Option<String>, other: Option<Span> },
}

/// A condition on the way to a failure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BranchTaken {
    pub condition: Span,
    /// Whether it holds.
    pub holds: bool,
}

/// A term of the program and what it is in a counterexample.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Value {
    pub term: Shown,
    pub value: Shown,
    pub origin: Origin,
}

/// What a value is the value of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// A variable of a quantifier; hides others of the same name.
    Bound,
    Variable,
    /// A size or an element of a variable's value.
    Part,
    /// A field of an object.
    Location,
    /// A function of other values.
    Application,
    /// How much permission is held.
    Permission,
}

/// What has to hold so that something ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Measure {
    Decreasing { smaller: Shown, larger: Shown },
    Bounded(Shown),
}

/// Something that is being proved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Goal {
    /// What its failure would be called.
    pub kind: ErrorKind,
    pub reason: ReasonKind,
    pub construct: Span,
    pub part: Span,
}

impl Goal {
    /// Error and reason as Viper names them.
    pub fn code(&self) -> String {
        code(self.kind, self.reason)
    }
}
