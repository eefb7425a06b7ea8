//! Expressions, from program code to assertions and process terms.

use std::sync::Arc;

use source::Span;

use super::{Name, NodeId, Parameter, Statement, Type};

#[derive(Clone, Debug)]
pub struct Expression {
    pub id: NodeId,
    pub kind: Box<ExpressionKind>,
    pub span: Span,
    /// Height of the tree, so that no pass meets one that is too deep for it.
    pub depth: u32,
}

#[derive(Clone, Debug)]
pub enum ExpressionKind {
    Int(Arc<str>),
    /// Digits as written, without the `f` of a `float32`.
    Float {
        text: Arc<str>,
        single: bool,
    },
    Char(char),
    /// With its escapes replaced.
    String(Arc<str>),
    Bool(bool),
    Null,
    This,
    Result,
    /// `none`
    NoPermission,
    /// `write`
    WritePermission,
    /// `read`
    ReadPermission,
    /// `None`
    NoneOption,
    /// `empty`
    EmptyProcess,
    /// `\delta`: neither goes on nor ends
    StuckProcess,
    /// `*` as an index: all elements.
    AnyIndex,
    CurrentThread,
    LocalThreadId,
    GlobalThreadId,
    Name(Name),

    Unary(UnaryOperator, Expression),
    Binary(BinaryOperator, Expression, Expression),
    Conditional(Expression, Expression, Expression),
    /// `[factor]resource`
    Scale(Expression, Expression),
    /// `m ++ (key, value)`
    MapInsert(Expression, Expression, Expression),

    Field(Expression, Name),
    Call(Call),
    /// `A<T>.f(…)`; without type arguments it is read as a call with the receiver `A`.
    AdtCall {
        adt: Name,
        type_arguments: Vec<Type>,
        function: Name,
        arguments: Vec<Expression>,
    },
    /// `receiver?.p(…)`: `p` if the receiver is not null.
    CoalescingCall {
        receiver: Expression,
        name: Name,
        arguments: Vec<Expression>,
    },
    New {
        class: Name,
        type_arguments: Vec<Type>,
        arguments: Vec<Expression>,
        given: Vec<GivenArgument>,
        yields: Vec<YieldsResult>,
    },
    NewArray {
        element: Type,
        dimensions: Vec<Expression>,
    },
    Index(Expression, Expression),
    Slice(Expression, Option<Expression>, Option<Expression>),
    /// `xs[i -> v]`
    Update(Expression, Expression, Expression),
    /// `|xs|`
    Size(Expression),
    /// Ghost statements around the evaluation of a value: `with s e then t`.
    With {
        before: Option<Box<Statement>>,
        value: Expression,
        after: Option<Box<Statement>>,
    },

    Permission {
        kind: PermissionKind,
        location: Expression,
        amount: Expression,
    },
    Value(Expression),
    AutoValue(Expression),
    PointsTo {
        location: Expression,
        amount: Expression,
        value: Expression,
    },
    /// `perm(location)`
    CurrentPermission(Expression),
    Builtin(Builtin, Vec<Expression>),
    /// `\nd_partial_index(indices; dimensions)`
    PartialIndex(Vec<Expression>, Vec<Expression>),

    Quantifier {
        kind: QuantifierKind,
        bindings: Vec<Binding>,
        condition: Option<Expression>,
        body: Expression,
    },
    Let {
        binding: Parameter,
        value: Expression,
        body: Expression,
    },
    /// `(\forperm T x \in x.f; e)`
    ForPerm {
        bindings: Vec<Parameter>,
        location: Expression,
        body: Expression,
    },
    /// `(\forpermwithvalue any x; e)`
    ForPermWithValue {
        id: NodeId,
        name: Name,
        body: Expression,
    },
    /// `{: e :}`
    Trigger(TriggerGroup, Expression),
    Old(Option<Name>, Expression),
    Unfolding(Expression, Expression),
    TypeOf(Expression),
    /// `\type(T)`
    TypeValue(Type),

    Collection {
        kind: CollectionKind,
        /// Written for `seq<T>{…}` and `[t: T]`.
        element: Option<Type>,
        elements: Vec<Expression>,
    },
    Map {
        key: Type,
        value: Type,
        entries: Vec<(Expression, Expression)>,
    },
    Tuple {
        first_type: Type,
        second_type: Type,
        first: Expression,
        second: Expression,
    },
    /// `set<T>{ value | selectors; condition }`
    Comprehension {
        element: Type,
        value: Expression,
        selectors: Vec<Selector>,
        condition: Expression,
    },
    /// `[low .. high]`
    RangeSeq(Expression, Expression),
    /// `{low .. high}`
    RangeSet(Expression, Expression),
    /// `(x ! i, j)`: x does not depend on these; only in rewrite rules.
    IndependentOf(Name, Vec<Name>),
}

/// `receiver.name<T>(arguments) given { … } yields { … }`
#[derive(Clone, Debug)]
pub struct Call {
    /// The place of a `reveal` in front of it.
    pub revealed: Option<Span>,
    pub receiver: Option<Expression>,
    pub name: Name,
    pub type_arguments: Vec<Type>,
    pub arguments: Vec<Expression>,
    pub given: Vec<GivenArgument>,
    pub yields: Vec<YieldsResult>,
}

/// `name = value` behind `given`
#[derive(Clone, Debug)]
pub struct GivenArgument {
    pub name: Name,
    pub value: Expression,
}

/// `target = name` behind `yields`
#[derive(Clone, Debug)]
pub struct YieldsResult {
    /// A local, or a field of `this`.
    pub target: Expression,
    pub name: Name,
}

/// `T x` or `T x = low .. high` of a quantifier, the upper bound excluded.
#[derive(Clone, Debug)]
pub struct Binding {
    pub id: NodeId,
    pub ty: Type,
    pub name: Name,
    pub range: Option<(Expression, Expression)>,
    pub span: Span,
}

/// `T x`, or `T x <- source`, of a set comprehension.
#[derive(Clone, Debug)]
pub struct Selector {
    pub id: NodeId,
    pub ty: Type,
    pub name: Name,
    pub source: Option<Expression>,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PermissionKind {
    Perm,
    /// `HPerm`: the field is under control of a model.
    History,
    /// `APerm`: inside of an action.
    Action,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum QuantifierKind {
    Forall,
    /// `\forall*`
    Starall,
    Exists,
    /// `(\sum int i; condition; value)`; of processes a choice of one of them.
    Sum,
    /// `(\count int i; condition; fact)`: how many there are.
    Count,
    /// `(\par int i = a .. b; process)`: side by side.
    Parallel,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TriggerGroup {
    /// `{: e :}`
    Default,
    /// `{:n: e :}`
    Numbered(u32),
    /// `{:<: e :}`, with as many levels outwards as there are signs, and the group of that quantifier.
    Outer { levels: u32, group: u32 },
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CollectionKind {
    Seq,
    Set,
    Bag,
    Vector,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOperator {
    Not,
    Negate,
    /// `*p`
    Dereference,
    /// `&x`
    AddressOf,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOperator {
    Implies,
    /// `-*`
    Wand,
    /// On processes: in parallel.
    Or,
    And,
    /// `**`
    Star,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    /// `in` and `\in`
    In,
    /// On processes: choice.
    Add,
    Subtract,
    /// On processes: sequence.
    Multiply,
    Divide,
    Modulo,
    /// `\`, a fraction
    FractionDivide,
    /// `^^`
    Power,
    /// `x :: xs`
    Prepend,
    /// `xs ++ x`
    Append,
}

/// Functions with a fixed name and number of arguments, written `name(…)`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Builtin {
    /// `\array(a, n)`
    Array,
    /// `\matrix(m, r, c)`
    Matrix,
    /// `\values(a, i, j)`
    Values,
    Pointer,
    PointerIndex,
    PointerLength,
    PointerBlockLength,
    PointerBlockOffset,
    /// `ArrayPerm(a, first, step, count, amount)`
    ArrayPermission,
    PolarityDependent,
    EuclideanDiv,
    EuclideanMod,
    Pow,
    IsInt,
    Choose,
    ChooseFresh,
    /// Any even number of arguments.
    NdIndex,
    /// Any number of arguments.
    NdLength,
    SharedMemSize,
    /// `\sum(r, v)`, and its relatives for vectors and matrices
    VectorSum,
    VectorCompare,
    VectorRepeat,
    MatrixSum,
    MatrixCompare,
    MatrixRepeat,
    Held,
    Committed,
    Idle,
    Running,
    /// `Some(x)`
    Some,
    Left,
    Right,
    /// `\iter(process)`: any number of times.
    Iterate,
}

impl Expression {
    /// The parts of a universal fact: variables, condition and body.
    pub fn as_universal(&self) -> Option<(&[Binding], Option<&Expression>, &Expression)> {
        match &*self.kind {
            ExpressionKind::Quantifier { kind: QuantifierKind::Forall, bindings, condition, body } => {
                Some((bindings, condition.as_ref(), body))
            }
            _ => None,
        }
    }

    pub fn new(id: NodeId, kind: ExpressionKind, span: Span) -> Expression {
        let mut below = 0;
        kind.for_each_child(&mut |child| below = below.max(child.depth));
        Expression { id, kind: Box::new(kind), span, depth: below + 1 }
    }
}

impl UnaryOperator {
    pub fn text(self) -> &'static str {
        match self {
            UnaryOperator::Not => "!",
            UnaryOperator::Negate => "-",
            UnaryOperator::Dereference => "*",
            UnaryOperator::AddressOf => "&",
        }
    }
}

impl BinaryOperator {
    pub fn text(self) -> &'static str {
        match self {
            BinaryOperator::Implies => "==>",
            BinaryOperator::Wand => "-*",
            BinaryOperator::Or => "||",
            BinaryOperator::And => "&&",
            BinaryOperator::Star => "**",
            BinaryOperator::Equal => "==",
            BinaryOperator::NotEqual => "!=",
            BinaryOperator::Less => "<",
            BinaryOperator::LessEqual => "<=",
            BinaryOperator::Greater => ">",
            BinaryOperator::GreaterEqual => ">=",
            BinaryOperator::In => "in",
            BinaryOperator::Add => "+",
            BinaryOperator::Subtract => "-",
            BinaryOperator::Multiply => "*",
            BinaryOperator::Divide => "/",
            BinaryOperator::Modulo => "%",
            BinaryOperator::FractionDivide => "\\",
            BinaryOperator::Power => "^^",
            BinaryOperator::Prepend => "::",
            BinaryOperator::Append => "++",
        }
    }
}

impl QuantifierKind {
    pub fn text(self) -> &'static str {
        match self {
            QuantifierKind::Forall => "\\forall",
            QuantifierKind::Starall => "\\forall*",
            QuantifierKind::Exists => "\\exists",
            QuantifierKind::Sum => "\\sum",
            QuantifierKind::Count => "\\count",
            QuantifierKind::Parallel => "\\par",
        }
    }
}

impl PermissionKind {
    pub fn text(self) -> &'static str {
        match self {
            PermissionKind::Perm => "Perm",
            PermissionKind::History => "HPerm",
            PermissionKind::Action => "APerm",
        }
    }
}

impl CollectionKind {
    pub fn text(self) -> &'static str {
        match self {
            CollectionKind::Seq => "seq",
            CollectionKind::Set => "set",
            CollectionKind::Bag => "bag",
            CollectionKind::Vector => "vector",
        }
    }
}

impl Builtin {
    /// Every function with its name and the least and greatest number of arguments.
    pub const ALL: &[(Builtin, &str, usize, usize)] = &[
        (Builtin::Array, "\\array", 2, 2),
        (Builtin::Matrix, "\\matrix", 3, 3),
        (Builtin::Values, "\\values", 3, 3),
        (Builtin::Pointer, "\\pointer", 3, 3),
        (Builtin::PointerIndex, "\\pointer_index", 3, 3),
        (Builtin::PointerLength, "\\pointer_length", 1, 1),
        (Builtin::PointerBlockLength, "\\pointer_block_length", 1, 1),
        (Builtin::PointerBlockOffset, "\\pointer_block_offset", 1, 1),
        (Builtin::ArrayPermission, "ArrayPerm", 5, 5),
        (Builtin::PolarityDependent, "\\polarity_dependent", 2, 2),
        (Builtin::EuclideanDiv, "\\euclidean_div", 2, 2),
        (Builtin::EuclideanMod, "\\euclidean_mod", 2, 2),
        (Builtin::Pow, "\\pow", 2, 2),
        (Builtin::IsInt, "\\is_int", 1, 1),
        (Builtin::Choose, "\\choose", 1, 1),
        (Builtin::ChooseFresh, "\\choose_fresh", 1, 1),
        (Builtin::NdIndex, "\\nd_index", 2, usize::MAX),
        (Builtin::NdLength, "\\nd_length", 1, usize::MAX),
        (Builtin::SharedMemSize, "\\shared_mem_size", 1, 1),
        (Builtin::VectorSum, "\\sum", 2, 2),
        (Builtin::VectorCompare, "\\vcmp", 2, 2),
        (Builtin::VectorRepeat, "\\vrep", 1, 1),
        (Builtin::MatrixSum, "\\msum", 2, 2),
        (Builtin::MatrixCompare, "\\mcmp", 2, 2),
        (Builtin::MatrixRepeat, "\\mrep", 1, 1),
        (Builtin::Held, "held", 1, 1),
        (Builtin::Committed, "committed", 1, 1),
        (Builtin::Idle, "idle", 1, 1),
        (Builtin::Running, "running", 1, 1),
        (Builtin::Some, "Some", 1, 1),
        (Builtin::Left, "Left", 1, 1),
        (Builtin::Right, "Right", 1, 1),
        (Builtin::Iterate, "\\iter", 1, 1),
    ];

    pub fn text(self) -> &'static str {
        Builtin::ALL.iter().find(|entry| entry.0 == self).map_or("", |entry| entry.1)
    }
}
