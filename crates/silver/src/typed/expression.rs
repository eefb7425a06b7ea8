//! Expressions and assertions, one tree for both.
//!
//! A bound variable's id is not bound again inside its scope, and no other variable has it, so substitution cannot
//! capture. A generated check may repeat an expression together with the ids that it binds. `span` is the place that
//! errors about the node are reported at; inside an expanded macro that is the macro's use.

use std::sync::Arc;

use source::Span;

use super::{Annotations, DomainFunctionId, FieldId, FunctionId, LabelId, LocalId, PredicateId, Type};

pub type ExpressionRef = Arc<Expression>;

#[derive(Clone, Debug)]
pub struct Expression {
    pub kind: ExpressionKind,
    pub ty: Type,
    pub span: Span,
    /// For example `weight` on a quantifier, `reveal` on a function application.
    pub annotations: Option<Arc<Annotations>>,
}

#[derive(Clone, Debug)]
pub enum ExpressionKind {
    Bool(bool),
    /// Decimal digits without sign or leading zeros; Silver integers are unbounded.
    Int(Arc<str>),
    Null,
    /// `write`
    FullPermission,
    /// `none`
    NoPermission,
    Wildcard,
    Epsilon,
    Local(LocalId),
    /// `result` in a postcondition of a function.
    Result,

    Unary(UnaryOperator, ExpressionRef),
    Binary(BinaryOperator, ExpressionRef, ExpressionRef),
    Conditional {
        condition: ExpressionRef,
        then: ExpressionRef,
        otherwise: ExpressionRef,
    },

    FieldAccess {
        receiver: ExpressionRef,
        field: FieldId,
    },
    FunctionApplication {
        function: FunctionId,
        arguments: Arc<[ExpressionRef]>,
    },
    /// `type_arguments` instantiate the parameters of the function's domain, in their order.
    DomainApplication {
        function: DomainFunctionId,
        type_arguments: Arc<[Type]>,
        arguments: Arc<[ExpressionRef]>,
    },

    /// `acc(x.f, p)`; without an amount the permission is `write`.
    FieldPermission {
        receiver: ExpressionRef,
        field: FieldId,
        amount: Option<ExpressionRef>,
    },
    /// `acc(P(…), p)` or `P(…)`.
    PredicatePermission(PredicateAccess),
    Wand(Wand),
    /// A predicate or wand as such, not as an assertion; occurs in triggers only.
    ResourceTerm(Resource),
    CurrentPermission(Resource),

    Unfolding {
        access: PredicateAccess,
        body: ExpressionRef,
    },
    Applying {
        wand: Wand,
        body: ExpressionRef,
    },
    Asserting {
        assertion: ExpressionRef,
        body: ExpressionRef,
    },

    Old(ExpressionRef),
    LabelledOld {
        label: LabelReference,
        body: ExpressionRef,
    },
    Let {
        variable: LocalId,
        value: ExpressionRef,
        body: ExpressionRef,
    },
    Forall {
        variables: Arc<[LocalId]>,
        triggers: Arc<[Trigger]>,
        body: ExpressionRef,
    },
    Exists {
        variables: Arc<[LocalId]>,
        triggers: Arc<[Trigger]>,
        body: ExpressionRef,
    },
    ForPerm {
        variables: Arc<[LocalId]>,
        resource: Resource,
        body: ExpressionRef,
    },
    InhaleExhale {
        inhale: ExpressionRef,
        exhale: ExpressionRef,
    },

    /// Elements in order; empty literals have their element type in the node's type.
    SeqLiteral(Arc<[ExpressionRef]>),
    SetLiteral(Arc<[ExpressionRef]>),
    MultisetLiteral(Arc<[ExpressionRef]>),
    MapLiteral(Arc<[MapEntry]>),
    /// `base[index := value]` of sequences.
    SeqUpdate {
        base: ExpressionRef,
        index: ExpressionRef,
        value: ExpressionRef,
    },
    MapUpdate {
        base: ExpressionRef,
        key: ExpressionRef,
        value: ExpressionRef,
    },
}

#[derive(Clone, Debug)]
pub struct MapEntry {
    pub key: ExpressionRef,
    pub value: ExpressionRef,
}

#[derive(Clone, Debug)]
pub struct PredicateAccess {
    pub predicate: PredicateId,
    pub arguments: Arc<[ExpressionRef]>,
    /// `None` is `write`.
    pub amount: Option<ExpressionRef>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Wand {
    pub left: ExpressionRef,
    pub right: ExpressionRef,
    pub span: Span,
}

/// Something that permission is held to.
#[derive(Clone, Debug)]
pub enum Resource {
    Field { receiver: ExpressionRef, field: FieldId, span: Span },
    Predicate { predicate: PredicateId, arguments: Arc<[ExpressionRef]>, span: Span },
    Wand(Wand),
}

impl Resource {
    /// What an expression names, if it names something that permission is held to.
    pub(crate) fn named_by(expression: &Expression) -> Option<Resource> {
        match &expression.kind {
            ExpressionKind::FieldAccess { receiver, field } => {
                Some(Resource::Field { receiver: receiver.clone(), field: *field, span: expression.span })
            }
            ExpressionKind::PredicatePermission(access) => Some(Resource::Predicate {
                predicate: access.predicate,
                arguments: access.arguments.clone(),
                span: expression.span,
            }),
            ExpressionKind::Wand(wand) => Some(Resource::Wand(wand.clone())),
            _ => None,
        }
    }
}

/// One set of patterns of a quantifier.
#[derive(Clone, Debug)]
pub struct Trigger {
    pub expressions: Arc<[ExpressionRef]>,
    pub span: Span,
}

/// The state that a labelled `old` refers to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LabelReference {
    Label(LabelId),
    /// `old[lhs](…)`: the state in which a wand's left-hand side holds.
    WandLeft,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOperator {
    Not,
    IntNegate,
    PermNegate,
    SeqLength,
    SetCardinality,
    MultisetCardinality,
    MapCardinality,
    MapDomain,
    MapRange,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOperator {
    And,
    Or,
    Implies,
    /// Also `<==>`.
    Equal,
    NotEqual,
    IntAdd,
    IntSubtract,
    IntMultiply,
    /// Euclidean, as SMT-LIB `div`.
    IntDivide,
    /// Euclidean, as SMT-LIB `mod`.
    IntModulo,
    IntLess,
    IntLessEqual,
    IntGreater,
    IntGreaterEqual,
    PermAdd,
    PermSubtract,
    PermMultiply,
    /// Integer on the left, permission on the right, whatever the source order was.
    IntPermMultiply,
    /// Permission divided by an integer.
    PermIntDivide,
    PermPermDivide,
    /// `n/m` of integers as a permission amount.
    Fraction,
    PermLess,
    PermLessEqual,
    PermGreater,
    PermGreaterEqual,
    /// `[low..high)`
    SeqRange,
    SeqAppend,
    /// Element on the left.
    SeqContains,
    SeqIndex,
    /// `s[..n]`
    SeqTake,
    /// `s[n..]`
    SeqDrop,
    SetUnion,
    SetIntersection,
    SetDifference,
    SetSubset,
    /// Element on the left.
    SetContains,
    MultisetUnion,
    MultisetIntersection,
    MultisetDifference,
    MultisetSubset,
    /// Element on the left; the result is the number of occurrences.
    MultisetCount,
    MapLookup,
    /// Key on the left.
    MapContains,
}

impl Expression {
    pub fn new(kind: ExpressionKind, ty: Type, span: Span) -> ExpressionRef {
        Arc::new(Expression { kind, ty, span, annotations: None })
    }

    pub fn boolean(value: bool, span: Span) -> ExpressionRef {
        Expression::new(ExpressionKind::Bool(value), Type::Bool, span)
    }

    pub fn local(local: LocalId, ty: Type, span: Span) -> ExpressionRef {
        Expression::new(ExpressionKind::Local(local), ty, span)
    }

    pub fn not(operand: ExpressionRef, span: Span) -> ExpressionRef {
        Expression::new(ExpressionKind::Unary(UnaryOperator::Not, operand), Type::Bool, span)
    }

    /// A binary operation whose result is `Bool`.
    pub fn formula(
        operator: BinaryOperator,
        left: ExpressionRef,
        right: ExpressionRef,
        span: Span,
    ) -> ExpressionRef {
        Expression::new(ExpressionKind::Binary(operator, left, right), Type::Bool, span)
    }

    /// The same node with another kind.
    pub fn with_kind(&self, kind: ExpressionKind) -> ExpressionRef {
        Arc::new(Expression {
            kind,
            ty: self.ty.clone(),
            span: self.span,
            annotations: self.annotations.clone(),
        })
    }

    pub fn annotation(&self, key: &str) -> Option<&[String]> {
        self.annotations.as_ref().and_then(|annotations| annotations.get(key))
    }

    pub fn is_true(&self) -> bool {
        matches!(self.kind, ExpressionKind::Bool(true))
    }

    pub fn is_false(&self) -> bool {
        matches!(self.kind, ExpressionKind::Bool(false))
    }
}

impl Resource {
    pub fn span(&self) -> Span {
        match self {
            Resource::Field { span, .. } | Resource::Predicate { span, .. } => *span,
            Resource::Wand(wand) => wand.span,
        }
    }
}
