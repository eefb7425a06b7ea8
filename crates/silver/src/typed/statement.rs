//! Statements of method bodies and of wand proof scripts.

use std::sync::Arc;

use source::Span;

use super::{
    Annotations, Blame, ExpressionRef, FieldId, LabelId, LocalId, MethodId, PredicateAccess, Resource, Wand,
};

#[derive(Clone, Debug)]
pub struct Statement {
    pub kind: StatementKind,
    pub span: Span,
    pub annotations: Option<Arc<Annotations>>,
}

/// A scope: its variables have an arbitrary value when it is entered.
#[derive(Clone, Default, Debug)]
pub struct Block {
    pub locals: Vec<LocalId>,
    pub statements: Vec<Statement>,
    /// From brace to brace; `None` for a block that was not written.
    pub span: Option<Span>,
}

#[derive(Clone, Debug)]
pub enum StatementKind {
    Assign {
        target: LocalId,
        value: ExpressionRef,
    },
    /// `target_span` is the place of `receiver.field`.
    FieldAssign {
        receiver: ExpressionRef,
        field: FieldId,
        target_span: Span,
        value: ExpressionRef,
    },
    /// `new(*)` lists all fields of the program.
    New {
        target: LocalId,
        fields: Arc<[FieldId]>,
        /// How many variables are declared in front of it: others may become any object later, this one, too.
        declared: usize,
    },
    Call {
        method: MethodId,
        arguments: Arc<[ExpressionRef]>,
        targets: Arc<[LocalId]>,
    },
    Inhale(ExpressionRef),
    Exhale(ExpressionRef),
    /// With a blame where the check was generated, see [`Blame`].
    Assert {
        assertion: ExpressionRef,
        blame: Option<Blame>,
    },
    /// Holds if some execution that reaches it violates the assertion; an execution goes on as if the statement
    /// were absent. Otherwise the error is `refute.failed:refutation.true` at the place of the assertion.
    ///
    /// What was written holds only where such an execution is known. What is added as a precaution, because a proof
    /// should not be empty, fails only where it is known that there is none.
    Refute {
        assertion: ExpressionRef,
        is_precaution: bool,
    },
    /// What is known of an assertion here is told. An execution goes on as if the statement were absent, and no verdict
    /// depends on it.
    Question(ExpressionRef),
    Fold(PredicateAccess),
    Unfold(PredicateAccess),
    Package {
        wand: Wand,
        proof: Block,
    },
    Apply(Wand),
    Quasihavoc {
        condition: Option<ExpressionRef>,
        resource: Resource,
    },
    QuasihavocAll {
        variables: Arc<[LocalId]>,
        condition: Option<ExpressionRef>,
        resource: Resource,
    },
    If {
        condition: ExpressionRef,
        then: Block,
        otherwise: Block,
    },
    While {
        condition: ExpressionRef,
        invariants: Vec<ExpressionRef>,
        body: Block,
    },
    Label {
        label: LabelId,
        invariants: Vec<ExpressionRef>,
    },
    Goto(LabelId),
    Block(Block),
}

impl Statement {
    pub fn new(kind: StatementKind, span: Span) -> Statement {
        Statement { kind, span, annotations: None }
    }
}

impl Block {
    pub fn of(statements: Vec<Statement>) -> Block {
        Block { statements, ..Block::default() }
    }

    pub fn is_empty(&self) -> bool {
        self.statements.is_empty()
    }
}
