//! Typed expressions over the fields of a model and the parameters of its members.
//!
//! Names are resolved: a variable is a number that is used for no other variable of the model, so substitution cannot
//! capture. Expressions are shared and never change; spans do not count when they are compared.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use source::Span;

use crate::model::{FieldId, FunctionId, VariableId};
use crate::types::Type;
use crate::value::Value;

/// An expression with its type and its place.
#[derive(Clone, Debug)]
pub struct Expression {
    node: Arc<Node>,
}

#[derive(Debug)]
struct Node {
    kind: ExpressionKind,
    ty: Type,
    span: Span,
    size: u64,
    depth: u32,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ExpressionKind {
    /// A value.
    Literal(Value),
    /// A parameter, or a variable that a binder around it binds.
    Variable(VariableId),
    /// A field of the model, before or after what the contract speaks about.
    Field(FieldId, Moment),
    /// What only the language that the model stands in can read, by its number there.
    Foreign(u32),
    /// An operator of one operand.
    Unary(Unary, Expression),
    /// An operator of two operands.
    Binary(Binary, Expression, Expression),
    /// `c ? a : b`
    Conditional(Expression, Expression, Expression),
    /// The value of the second in which the variable is that of the first.
    Let(VariableId, Expression, Expression),
    /// A pure function of the model's language with a definition in the model.
    Call(FunctionId, Vec<Expression>),
    /// An operation on collections, options, pairs and data types.
    Builtin(Builtin, Vec<Expression>),
    /// A statement about, or a number computed from, all values of some variables.
    Quantified(Quantifier, Vec<Binder>, Expression, Expression),
}

/// When a field is read: in an `ensures`, `\old(x)` is read at the start and `x` at the end; everywhere else there is
/// only one moment, [`Moment::Now`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Moment {
    /// When the contract's subject begins.
    Start,
    /// At the moment that the clause speaks about.
    Now,
}

/// A bound variable: its type, and its bounds where they are written (`int i = from..to`, the end excluded).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Binder {
    /// The variable.
    pub variable: VariableId,
    /// Its name, for messages.
    pub name: Arc<str>,
    /// Its type.
    pub ty: Type,
    /// First value, and the value after the last.
    pub range: Option<(Expression, Expression)>,
}

/// What is said of all values for which the condition (the first expression) is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantifier {
    /// The body is true for all of them.
    All,
    /// The body is true for one of them.
    Some,
    /// The sum of the bodies.
    Sum,
    /// The set of the bodies.
    SetOf,
}

/// Operators of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unary {
    /// `!b`
    Not,
    /// `-i`
    Negate,
}

/// Operators of two operands. Division and remainder of integers are undefined where the divisor is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    /// `&&`, whose right side is only evaluated where the left one is true.
    And,
    /// `||`, whose right side is only evaluated where the left one is false.
    Or,
    /// `==>`, whose right side is only evaluated where the left one is true.
    Implies,
    /// `==`
    Equal,
    /// `!=`
    Unequal,
    /// `<` on numbers
    Less,
    /// `<=` on numbers
    AtMost,
    /// `+` on numbers
    Add,
    /// `-` on numbers
    Subtract,
    /// `*` on numbers
    Multiply,
    /// `/` rounded as the language does, or of rational numbers
    Divide,
    /// `%` with the sign that the language gives it
    Remainder,
    /// Euclidean division, rounded so that the remainder is not negative
    DivideEuclidean,
    /// The remainder of Euclidean division
    RemainderEuclidean,
}

/// Operations on collections, options, pairs and data types. The comment names the operands in order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Builtin {
    /// The elements, in order.
    SequenceOf,
    /// The elements.
    SetOf,
    /// The elements, each as often as it is written.
    BagOf,
    /// Keys and values in turn.
    MapOf,
    /// Integers from the first up to, not including, the second, as a sequence.
    RangeSequence,
    /// The same as a set.
    RangeSet,
    /// Size of a collection.
    Size,
    /// A sequence and an index, or a map and a key; undefined outside.
    At,
    /// A sequence, an index and a value, or a map, a key and a value.
    Updated,
    /// Two sequences one after the other.
    Concatenate,
    /// A sequence and a number of elements that are kept from the front.
    Take,
    /// A sequence and a number of elements that are left out at the front.
    Drop,
    /// A sequence and the index of the element that is left out.
    RemovedAt,
    /// An element and a collection (how often, for a bag).
    Contains,
    /// Two sets or bags.
    Union,
    /// Two sets or bags.
    Intersection,
    /// Two sets or bags.
    Difference,
    /// Two sets or bags, the first in the second.
    Subset,
    /// Two sets or bags, the first in the second and different from it.
    ProperSubset,
    /// The keys of a map, as a set.
    Keys,
    /// The values of a map, as a set.
    Values,
    /// The pairs of a map, as a set.
    Items,
    /// A map and a key that is left out.
    RemovedKey,
    /// Two maps without a common key.
    DisjointUnion,
    /// The optional value that has this.
    Present,
    /// The optional value that has none.
    Absent,
    /// The value of an option; undefined where there is none.
    Get,
    /// The value of an option, or else the second.
    GetOr,
    /// Two values.
    Pair,
    /// The first of a pair.
    First,
    /// The second of a pair.
    Second,
    /// A value in the first alternative.
    Left,
    /// A value in the second alternative.
    Right,
    /// Whether it is the first alternative.
    IsLeft,
    /// The value of the first alternative; undefined in the second.
    GetLeft,
    /// The value of the second alternative; undefined in the first.
    GetRight,
    /// A constructor of a data type, by its number, with its arguments.
    Construct(u32),
    /// Whether the value is built by this constructor.
    IsBuilt(u32),
    /// An argument of a constructor; undefined for values of others.
    Argument(u32, u32),
    /// An integer as a rational number.
    ToRational,
}

impl Expression {
    /// An expression at its place.
    pub fn new(kind: ExpressionKind, ty: Type, span: Span) -> Expression {
        let (mut size, mut depth) = (1_u64, 0);
        kind.for_each_part(&mut |part| {
            size = size.saturating_add(part.node.size);
            depth = depth.max(part.node.depth);
        });
        Expression { node: Arc::new(Node { kind, ty, span, size, depth: depth.saturating_add(1) }) }
    }

    /// How many nodes it has when it is written out, what is shared as often as it is used.
    pub fn size(&self) -> u64 {
        self.node.size
    }

    /// How deep it is nested.
    pub fn depth(&self) -> u32 {
        self.node.depth
    }

    /// What it is.
    pub fn kind(&self) -> &ExpressionKind {
        &self.node.kind
    }

    /// The type of its value.
    pub fn ty(&self) -> &Type {
        &self.node.ty
    }

    /// Where it is written.
    pub fn span(&self) -> Span {
        self.node.span
    }
}

impl ExpressionKind {
    /// Calls `visit` with each expression that this is directly made of, the bounds of binders among them.
    pub fn for_each_part(&self, visit: &mut dyn FnMut(&Expression)) {
        match self {
            ExpressionKind::Literal(_)
            | ExpressionKind::Variable(_)
            | ExpressionKind::Field(..)
            | ExpressionKind::Foreign(_) => {}
            ExpressionKind::Unary(_, operand) => visit(operand),
            ExpressionKind::Binary(_, left, right) | ExpressionKind::Let(_, left, right) => {
                visit(left);
                visit(right);
            }
            ExpressionKind::Conditional(condition, yes, no) => {
                visit(condition);
                visit(yes);
                visit(no);
            }
            ExpressionKind::Call(_, arguments) | ExpressionKind::Builtin(_, arguments) => {
                arguments.iter().for_each(visit);
            }
            ExpressionKind::Quantified(_, binders, condition, body) => {
                for (from, to) in binders.iter().filter_map(|binder| binder.range.as_ref()) {
                    visit(from);
                    visit(to);
                }
                visit(condition);
                visit(body);
            }
        }
    }
}

impl PartialEq for Expression {
    fn eq(&self, other: &Expression) -> bool {
        Arc::ptr_eq(&self.node, &other.node)
            || (self.node.kind == other.node.kind && self.node.ty == other.node.ty)
    }
}

impl Eq for Expression {}

impl Hash for Expression {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.node.kind.hash(state);
    }
}
