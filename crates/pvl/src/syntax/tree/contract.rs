//! Contracts: the clauses in front of a declaration, loop, par block, barrier or frame.

use source::Span;

use super::{Expression, Name, NodeId, Parameter, Type};

/// Clauses in the order in which they were written.
#[derive(Clone, Default, Debug)]
pub struct Contract {
    pub clauses: Vec<Clause>,
}

#[derive(Clone, Debug)]
pub struct Clause {
    pub id: NodeId,
    pub kind: ClauseKind,
    /// From the keyword to the semicolon.
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ClauseKind {
    Requires(Expression),
    Ensures(Expression),
    /// `requires` and `ensures`
    Context(Expression),
    ContextEverywhere(Expression),
    LoopInvariant(Expression),
    LockInvariant(Expression),
    KernelInvariant(Expression),
    Given(Parameter),
    Yields(Parameter),
    Signals {
        ty: Type,
        name: Name,
        condition: Expression,
    },
    Decreases(Measure),
    Modifies(Vec<Name>),
    Accessible(Vec<Name>),
}

#[derive(Clone, Debug)]
pub enum Measure {
    /// Lexicographic; empty for `decreases;`, which says that there is no recursion.
    Tuple(Vec<Expression>),
    /// `decreases assume;`
    Assume,
}

impl ClauseKind {
    /// The keyword that opens the clause.
    pub fn keyword(&self) -> &'static str {
        match self {
            ClauseKind::Requires(_) => "requires",
            ClauseKind::Ensures(_) => "ensures",
            ClauseKind::Context(_) => "context",
            ClauseKind::ContextEverywhere(_) => "context_everywhere",
            ClauseKind::LoopInvariant(_) => "loop_invariant",
            ClauseKind::LockInvariant(_) => "lock_invariant",
            ClauseKind::KernelInvariant(_) => "kernel_invariant",
            ClauseKind::Given(_) => "given",
            ClauseKind::Yields(_) => "yields",
            ClauseKind::Signals { .. } => "signals",
            ClauseKind::Decreases(_) => "decreases",
            ClauseKind::Modifies(_) => "modifies",
            ClauseKind::Accessible(_) => "accessible",
        }
    }
}

impl Contract {
    pub fn is_empty(&self) -> bool {
        self.clauses.is_empty()
    }

    /// Assertions of `requires` and `context`, in order.
    pub fn preconditions(&self) -> impl Iterator<Item = &Expression> {
        self.clauses.iter().filter_map(|clause| match &clause.kind {
            ClauseKind::Requires(e) | ClauseKind::Context(e) => Some(e),
            _ => None,
        })
    }

    /// Assertions of `ensures` and `context`, in order.
    pub fn postconditions(&self) -> impl Iterator<Item = &Expression> {
        self.clauses.iter().filter_map(|clause| match &clause.kind {
            ClauseKind::Ensures(e) | ClauseKind::Context(e) => Some(e),
            _ => None,
        })
    }

    pub fn everywhere(&self) -> impl Iterator<Item = &Expression> {
        self.clauses.iter().filter_map(|clause| match &clause.kind {
            ClauseKind::ContextEverywhere(e) => Some(e),
            _ => None,
        })
    }

    pub fn loop_invariants(&self) -> impl Iterator<Item = &Expression> {
        self.clauses.iter().filter_map(|clause| match &clause.kind {
            ClauseKind::LoopInvariant(e) => Some(e),
            _ => None,
        })
    }

    pub fn lock_invariants(&self) -> impl Iterator<Item = &Expression> {
        self.clauses.iter().filter_map(|clause| match &clause.kind {
            ClauseKind::LockInvariant(e) => Some(e),
            _ => None,
        })
    }

    pub fn given(&self) -> impl Iterator<Item = &Parameter> {
        self.clauses.iter().filter_map(|clause| match &clause.kind {
            ClauseKind::Given(parameter) => Some(parameter),
            _ => None,
        })
    }

    pub fn yields(&self) -> impl Iterator<Item = &Parameter> {
        self.clauses.iter().filter_map(|clause| match &clause.kind {
            ClauseKind::Yields(parameter) => Some(parameter),
            _ => None,
        })
    }

    /// The first measure and the place of its clause.
    pub fn measure(&self) -> Option<(&Measure, Span)> {
        self.clauses.iter().find_map(|clause| match &clause.kind {
            ClauseKind::Decreases(measure) => Some((measure, clause.span)),
            _ => None,
        })
    }

    /// Whether a loop with this contract is proved iteration by iteration, like a par block.
    pub fn is_iteration_contract(&self) -> bool {
        self.loop_invariants().next().is_none()
            && (self.preconditions().next().is_some()
                || self.postconditions().next().is_some()
                || self.everywhere().next().is_some())
    }
}
