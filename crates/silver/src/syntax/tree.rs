//! The parse tree: what was written, before names and types mean anything.
//!
//! Parentheses are not kept; the printer puts them where precedence asks for them. The span of an expression
//! starts where Viper's does, because tests and tools compare lines.

use std::sync::Arc;

use source::Span;

/// An identifier at a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    pub text: Arc<str>,
    pub span: Span,
}

#[derive(Clone, Default, Debug)]
pub struct Program {
    pub members: Vec<Member>,
}

#[derive(Clone, Debug)]
pub struct Member {
    pub annotations: Vec<Annotation>,
    pub kind: MemberKind,
    /// From the first annotation or the keyword to the end.
    pub span: Span,
    /// The part of it in front of contract and body.
    pub head: Span,
}

#[derive(Clone, Debug)]
pub enum MemberKind {
    Import(Import),
    Define(Define),
    Fields(Vec<Binding>),
    Method(Method),
    Function(Function),
    Predicate(Predicate),
    Domain(Domain),
    Adt(Adt),
}

/// `@key("value", …)`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Annotation {
    pub key: Arc<str>,
    pub values: Vec<Arc<str>>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Import {
    pub path: Arc<str>,
    /// `"…"`, relative to the importing file; otherwise `<…>`, from the standard library.
    pub local: bool,
}

#[derive(Clone, Debug)]
pub struct Define {
    pub name: Name,
    pub parameters: Option<Vec<Name>>,
    pub body: DefineBody,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum DefineBody {
    Statements(Block),
    Expression(Expression),
}

/// `name: type`
#[derive(Clone, Debug)]
pub struct Binding {
    pub name: Name,
    pub ty: Type,
}

#[derive(Clone, Debug)]
pub struct Method {
    pub name: Name,
    pub formals: Vec<Binding>,
    pub returns: Vec<Binding>,
    pub preconditions: Vec<Specification>,
    pub postconditions: Vec<Specification>,
    pub body: Option<Block>,
}

#[derive(Clone, Debug)]
pub struct Function {
    pub name: Name,
    pub formals: Vec<Binding>,
    pub result: Type,
    pub preconditions: Vec<Specification>,
    pub postconditions: Vec<Specification>,
    pub body: Option<Expression>,
}

#[derive(Clone, Debug)]
pub struct Predicate {
    pub name: Name,
    pub formals: Vec<Binding>,
    pub body: Option<Expression>,
}

#[derive(Clone, Debug)]
pub struct Domain {
    pub name: Name,
    /// `None` without brackets.
    pub parameters: Option<Vec<Name>>,
    pub interpretations: Option<Vec<(Arc<str>, Arc<str>)>>,
    pub functions: Vec<DomainFunction>,
    pub axioms: Vec<Axiom>,
}

#[derive(Clone, Debug)]
pub struct DomainFunction {
    pub annotations: Vec<Annotation>,
    pub unique: bool,
    pub name: Name,
    pub formals: Vec<(Option<Name>, Type)>,
    pub result: Type,
    pub interpretation: Option<Arc<str>>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Axiom {
    pub annotations: Vec<Annotation>,
    pub name: Option<Name>,
    pub body: Expression,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Adt {
    pub name: Name,
    pub parameters: Option<Vec<Name>>,
    pub constructors: Vec<Constructor>,
    pub derives: Option<Vec<Derivation>>,
}

#[derive(Clone, Debug)]
pub struct Constructor {
    pub annotations: Vec<Annotation>,
    pub name: Name,
    pub fields: Vec<Binding>,
    pub span: Span,
}

/// `contains[T] without a, b`
#[derive(Clone, Debug)]
pub struct Derivation {
    pub name: Name,
    pub parameter: Option<Type>,
    pub without: Vec<Name>,
    pub span: Span,
}

/// A clause of a contract or a loop.
#[derive(Clone, Debug)]
pub struct Specification {
    pub kind: SpecificationKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum SpecificationKind {
    /// `requires`, `ensures` or `invariant`, by the list that it is in.
    Assertion(Expression),
    Decreases(Decreases),
}

#[derive(Clone, Debug)]
pub struct Decreases {
    pub measure: Measure,
    pub condition: Option<Expression>,
    /// The place of the measure and condition, without the keyword.
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Measure {
    Tuple(Vec<Expression>),
    /// `_`
    Wildcard,
    /// `*`
    Star,
}

#[derive(Clone, Debug)]
pub struct Type {
    pub kind: TypeKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum TypeKind {
    Int,
    Bool,
    Perm,
    Ref,
    Rational,
    Seq(Box<Type>),
    Set(Box<Type>),
    Multiset(Box<Type>),
    Map(Box<Type>, Box<Type>),
    /// A domain, an ADT or a type variable; `None` without brackets.
    Named(Name, Option<Vec<Type>>),
    /// `name(…)`, which only a macro could give a meaning.
    Macro(Name, Vec<Expression>),
}

#[derive(Clone, Default, Debug)]
pub struct Block {
    pub statements: Vec<Statement>,
    /// `None` for a block that was not written.
    pub span: Option<Span>,
}

#[derive(Clone, Debug)]
pub struct Statement {
    pub kind: StatementKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum StatementKind {
    Annotated(Annotation, Box<Statement>),
    Block(Block),
    Variables {
        bindings: Vec<Binding>,
        value: Option<Expression>,
    },
    /// `targets := value`; without `:=` the value alone: a call or a macro.
    Assign {
        targets: Vec<Expression>,
        value: Expression,
    },
    Assert(Expression),
    Assume(Expression),
    Inhale(Expression),
    Exhale(Expression),
    Refute(Expression),
    /// `assume? e`: whether it follows here is told, and no verdict depends on it.
    Question(Expression),
    /// As `Refute`, from nobody's text: a language that is put into Silver adds it as a precaution. It fails only where
    /// the assertion is proved.
    Precaution(Expression),
    Unreachable,
    Fold(Expression),
    Unfold(Expression),
    If {
        condition: Expression,
        then: Block,
        otherwise: Option<Otherwise>,
    },
    While {
        condition: Expression,
        invariants: Vec<Specification>,
        body: Block,
    },
    Label {
        name: Name,
        invariants: Vec<Specification>,
    },
    Goto(Name),
    Package {
        wand: Expression,
        proof: Option<Block>,
    },
    Apply(Expression),
    Quasihavoc {
        condition: Option<Expression>,
        resource: Expression,
    },
    QuasihavocAll {
        bindings: Vec<Binding>,
        condition: Option<Expression>,
        resource: Expression,
    },
    Define(Box<Define>),
    /// The expansion of a statement macro; it opens no scope.
    Expansion(Vec<Statement>),
}

#[derive(Clone, Debug)]
pub enum Otherwise {
    /// `elseif`
    If(Box<Statement>),
    /// `else`
    Block(Block),
}

#[derive(Clone, Debug)]
pub struct Expression {
    pub kind: Box<ExpressionKind>,
    pub span: Span,
    /// Height of the tree, so that no pass meets one that is too deep for it.
    pub depth: u32,
}

#[derive(Clone, Debug)]
pub enum ExpressionKind {
    Int(Arc<str>),
    Bool(bool),
    Null,
    Result,
    NoPermission,
    FullPermission,
    Wildcard,
    Epsilon,
    Name(Name),
    Unary(UnaryOperator, Expression),
    Binary(BinaryOperator, Expression, Expression),
    /// `a < b <= c`: at least two comparisons.
    Chain(Expression, Vec<(BinaryOperator, Expression)>),
    Conditional(Expression, Expression, Expression),
    Field(Expression, Name),
    /// A function, domain function, predicate, method, constructor or macro; with a type if written `(f(x): T)`.
    Call(Name, Vec<Expression>, Option<Type>),
    /// `#P(…)`
    PredicateInstance(Name, Vec<Expression>),
    Access(Expression, Option<Expression>),
    CurrentPermission(Expression),
    Forall {
        bindings: Vec<Binding>,
        triggers: Vec<Trigger>,
        body: Expression,
    },
    Exists {
        bindings: Vec<Binding>,
        triggers: Vec<Trigger>,
        body: Expression,
    },
    ForPerm {
        bindings: Vec<Binding>,
        resource: Expression,
        body: Expression,
    },
    Let {
        name: Name,
        value: Expression,
        body: Expression,
    },
    Unfolding(Expression, Expression),
    Applying(Expression, Expression),
    Asserting(Expression, Expression),
    /// With the label of `old[label](…)`; `lhs` is a label like any other here.
    Old(Option<Name>, Expression),
    InhaleExhale(Expression, Expression),
    /// `[low..high)`
    Range(Expression, Expression),
    Index(Expression, Expression),
    Slice(Expression, Option<Expression>, Option<Expression>),
    Update(Expression, Expression, Expression),
    Size(Expression),
    Collection(CollectionKind, Option<Type>, Vec<Expression>),
    Map(Option<(Type, Type)>, Vec<(Expression, Expression)>),
    MapDomain(Expression),
    MapRange(Expression),
    New(NewFields),
    Annotated(Annotation, Expression),
}

#[derive(Clone, Debug)]
pub struct Trigger {
    pub expressions: Vec<Expression>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum NewFields {
    All,
    Listed(Vec<Name>),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CollectionKind {
    Seq,
    Set,
    Multiset,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOperator {
    Negate,
    Not,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOperator {
    Iff,
    Implies,
    Wand,
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    In,
    Add,
    Subtract,
    Append,
    Union,
    Intersection,
    SetMinus,
    Subset,
    Multiply,
    Divide,
    IntDivide,
    Modulo,
}

impl BinaryOperator {
    pub fn text(self) -> &'static str {
        match self {
            BinaryOperator::Iff => "<==>",
            BinaryOperator::Implies => "==>",
            BinaryOperator::Wand => "--*",
            BinaryOperator::Or => "||",
            BinaryOperator::And => "&&",
            BinaryOperator::Equal => "==",
            BinaryOperator::NotEqual => "!=",
            BinaryOperator::Less => "<",
            BinaryOperator::LessEqual => "<=",
            BinaryOperator::Greater => ">",
            BinaryOperator::GreaterEqual => ">=",
            BinaryOperator::In => "in",
            BinaryOperator::Add => "+",
            BinaryOperator::Subtract => "-",
            BinaryOperator::Append => "++",
            BinaryOperator::Union => "union",
            BinaryOperator::Intersection => "intersection",
            BinaryOperator::SetMinus => "setminus",
            BinaryOperator::Subset => "subset",
            BinaryOperator::Multiply => "*",
            BinaryOperator::Divide => "/",
            BinaryOperator::IntDivide => "\\",
            BinaryOperator::Modulo => "%",
        }
    }
}

impl Expression {
    pub fn new(kind: ExpressionKind, span: Span) -> Expression {
        let mut below = 0;
        kind.for_each_child(&mut |child| below = below.max(child.depth));
        Expression { kind: Box::new(kind), span, depth: below + 1 }
    }
}

impl ExpressionKind {
    /// Calls `f` on every direct subexpression in source order.
    pub fn for_each_child<'a>(&'a self, f: &mut dyn FnMut(&'a Expression)) {
        use ExpressionKind::*;
        match self {
            Int(_) | Bool(_) | Null | Result | NoPermission | FullPermission | Wildcard | Epsilon
            | Name(_) | New(_) => {}
            Unary(_, e)
            | Field(e, _)
            | CurrentPermission(e)
            | Old(_, e)
            | Size(e)
            | MapDomain(e)
            | MapRange(e) => f(e),
            Annotated(_, e) => f(e),
            Binary(_, a, b) | InhaleExhale(a, b) | Range(a, b) | Index(a, b) => {
                f(a);
                f(b);
            }
            Unfolding(a, b) | Applying(a, b) | Asserting(a, b) => {
                f(a);
                f(b);
            }
            Chain(first, rest) => {
                f(first);
                rest.iter().for_each(|(_, e)| f(e));
            }
            Conditional(a, b, c) | Update(a, b, c) => {
                f(a);
                f(b);
                f(c);
            }
            Call(_, arguments, _) | PredicateInstance(_, arguments) | Collection(_, _, arguments) => {
                arguments.iter().for_each(f);
            }
            Access(location, amount) => {
                f(location);
                amount.iter().for_each(f);
            }
            Forall { triggers, body, .. } | Exists { triggers, body, .. } => {
                triggers.iter().flat_map(|trigger| &trigger.expressions).for_each(&mut *f);
                f(body);
            }
            ForPerm { resource, body, .. } => {
                f(resource);
                f(body);
            }
            Let { value, body, .. } => {
                f(value);
                f(body);
            }
            Slice(base, low, high) => {
                f(base);
                low.iter().for_each(&mut *f);
                high.iter().for_each(f);
            }
            Map(_, entries) => {
                for (key, value) in entries {
                    f(key);
                    f(value);
                }
            }
        }
    }
}

impl CollectionKind {
    pub fn text(self) -> &'static str {
        match self {
            CollectionKind::Seq => "Seq",
            CollectionKind::Set => "Set",
            CollectionKind::Multiset => "Multiset",
        }
    }
}
