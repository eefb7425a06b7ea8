//! The tree of a model as it was written, after preprocessing and with inline calls replaced by their text.
//!
//! Inlines are text in Promela: what a parameter stands for decides how the body parses. The parser
//! therefore substitutes tokens at the call, as SPIN does, and the tree holds the result as an
//! [`StmtKind::Inline`] with the block inside. Nothing here is checked against declarations.

use std::sync::Arc;

use source::Span;

pub use crate::resolve::program::{BinaryOp, Probe, ProcessKind, TemporalBinary, TemporalUnary, UnaryOp};

/// An identifier and its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    pub text: Arc<str>,
    pub span: Span,
}

#[derive(Clone, Default, Debug)]
pub struct Module {
    pub units: Vec<Unit>,
    /// `ltl` blocks; SPIN reads them after everything else wherever they stand.
    pub formulas: Vec<Ltl>,
    /// Inline calls, in the order in which they were met.
    pub calls: Vec<Call>,
}

/// An inline call that was expanded.
#[derive(Clone, Debug)]
pub struct Call {
    pub name: Name,
    pub span: Span,
    /// The call this one was found in, as an index into [`Module::calls`].
    pub parent: Option<u32>,
}

#[derive(Clone, Debug)]
pub enum Unit {
    Process(Box<Process>),
    Typedef(Typedef),
    Mtype(MtypeDecl),
    Variables(VarDecl),
}

#[derive(Clone, Debug)]
pub struct Process {
    pub kind: ProcessKind,
    /// A made-up name (`never_0`) where none was written.
    pub name: Name,
    pub deterministic: bool,
    pub active: Active,
    pub parameters: Vec<VarDecl>,
    pub priority: Option<Expr>,
    pub provided: Option<Expr>,
    pub body: Block,
}

#[derive(Clone, Debug)]
pub enum Active {
    No,
    One,
    Count(Expr),
}

#[derive(Clone, Debug)]
pub struct Typedef {
    pub name: Name,
    pub fields: Vec<VarDecl>,
}

/// `mtype:name = { … }`
#[derive(Clone, Debug)]
pub struct MtypeDecl {
    pub subtype: Option<Name>,
    pub names: Vec<Name>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct VarDecl {
    pub visibility: Option<(Visibility, Span)>,
    pub ty: TypeName,
    pub variables: Vec<Declarator>,
}

pub use crate::resolve::program::Visibility;

#[derive(Clone, Debug)]
pub struct TypeName {
    pub kind: TypeNameKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum TypeNameKind {
    Bit,
    Bool,
    Byte,
    Pid,
    Short,
    Int,
    Unsigned,
    Chan,
    Mtype(Option<Name>),
    User(Name),
    /// After a syntax error that has been reported.
    Error,
}

#[derive(Clone, Debug)]
pub struct Declarator {
    pub name: Name,
    /// `: 5`
    pub width: Option<(i32, Span)>,
    /// `[n]`
    pub length: Option<Expr>,
    pub initial: Option<Initial>,
}

#[derive(Clone, Debug)]
pub enum Initial {
    Value(Expr),
    List(Vec<Expr>, Span),
    Channel { capacity: Expr, fields: Vec<TypeName>, span: Span },
}

/// Statements between braces, which are a scope, or an option of a selection, which is none.
#[derive(Clone, Debug)]
pub struct Block {
    pub steps: Vec<Step>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Step {
    Declare(VarDecl),
    Mtype(MtypeDecl),
    /// `xr` (true) and `xs` claims.
    Exclusive {
        receive: bool,
        channels: Vec<Reference>,
        span: Span,
    },
    Stmt(Stmt),
}

#[derive(Clone, Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
    /// Index into [`Module::calls`] of the innermost inline call the statement comes from.
    pub call: Option<u32>,
}

#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `name: statement`; a label before a closing brace carries a `skip`.
    Label {
        name: Name,
        stmt: Box<Stmt>,
    },
    Assign {
        target: Reference,
        value: Expr,
    },
    Increment(Reference),
    Decrement(Reference),
    /// `return e` inside `target = f(…)`.
    Return {
        target: Reference,
        value: Expr,
    },
    Expr(Expr),
    Else,
    Send {
        channel: Reference,
        sorted: bool,
        arguments: Vec<Expr>,
    },
    Receive {
        channel: Reference,
        random: bool,
        peek: bool,
        arguments: Vec<Argument>,
    },
    Assert(Expr),
    Printf {
        format: Arc<str>,
        arguments: Vec<Expr>,
    },
    Printm(Expr),
    SetPriority(Box<(Expr, Expr)>),
    Goto(Name),
    Break,
    If(Vec<Block>),
    Do(Vec<Block>),
    For {
        header: Box<For>,
        body: Block,
    },
    Select(Box<Select>),
    Atomic(Block),
    DStep(Block),
    Block(Block),
    Inline {
        call: u32,
        body: Block,
    },
    Unless {
        main: Box<Stmt>,
        escape: Box<Stmt>,
    },
    /// After a syntax error that has been reported.
    Error,
}

#[derive(Clone, Debug)]
pub enum For {
    Range { variable: Reference, from: Expr, to: Expr },
    In { variable: Reference, container: Reference },
}

/// `select (target : from .. to)`
#[derive(Clone, Debug)]
pub struct Select {
    pub target: Reference,
    pub from: Expr,
    pub to: Expr,
    /// SPIN's lexer expands the statement: plain name, literal bounds, outside an inline.
    pub textual: bool,
}

#[derive(Clone, Debug)]
pub enum Argument {
    Reference(Reference),
    Eval(Expr),
    Constant(Expr),
}

/// `a[i].b.c[j]`
#[derive(Clone, Debug)]
pub struct Reference {
    pub parts: Vec<Part>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Part {
    pub name: Name,
    pub index: Option<Box<Expr>>,
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
    /// Levels of nodes below, see `limits::EXPRESSION_HEIGHT`.
    pub height: u32,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    Number(i32),
    /// A name that was declared as an `mtype` constant before. SPIN passes the number to an inline, so
    /// that its subtype is not checked there.
    Constant {
        name: Name,
        checked: bool,
    },
    Reference(Reference),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    Run {
        process: Name,
        arguments: Vec<Expr>,
        priority: Option<Box<Expr>>,
    },
    Length(Reference),
    Probe(Probe, Reference),
    Poll {
        channel: Reference,
        random: bool,
        arguments: Vec<Argument>,
    },
    Enabled(Box<Expr>),
    PcValue(Box<Expr>),
    GetPriority(Box<Expr>),
    Timeout,
    NonProgress,
    RemoteLabel {
        process: Name,
        pid: Option<Box<Expr>>,
        label: Name,
    },
    RemoteVariable {
        process: Name,
        pid: Option<Box<Expr>>,
        variable: Part,
    },
    /// Only in formulas.
    TemporalUnary(TemporalUnary, Box<Expr>),
    /// Only in formulas.
    TemporalBinary(TemporalBinary, Box<Expr>, Box<Expr>),
    /// After a syntax error that has been reported.
    Error,
}

impl Expr {
    pub fn new(kind: ExprKind, span: Span) -> Expr {
        let height = kind.children_height().saturating_add(1);
        Expr { kind, span, height }
    }
}

impl ExprKind {
    fn children_height(&self) -> u32 {
        match self {
            ExprKind::Number(_)
            | ExprKind::Constant { .. }
            | ExprKind::Timeout
            | ExprKind::NonProgress
            | ExprKind::Error => 0,
            ExprKind::Reference(reference) | ExprKind::Length(reference) | ExprKind::Probe(_, reference) => {
                reference.height()
            }
            ExprKind::Unary(_, inner)
            | ExprKind::Enabled(inner)
            | ExprKind::PcValue(inner)
            | ExprKind::GetPriority(inner)
            | ExprKind::TemporalUnary(_, inner) => inner.height,
            ExprKind::Binary(_, left, right) | ExprKind::TemporalBinary(_, left, right) => {
                left.height.max(right.height)
            }
            ExprKind::Conditional(test, yes, no) => test.height.max(yes.height).max(no.height),
            ExprKind::Run { arguments, .. } => arguments.iter().map(|e| e.height).max().unwrap_or(0),
            ExprKind::Poll { channel, arguments, .. } => {
                arguments.iter().map(Argument::height).max().unwrap_or(0).max(channel.height())
            }
            ExprKind::RemoteLabel { pid, .. } => pid.as_ref().map_or(0, |e| e.height),
            ExprKind::RemoteVariable { pid, variable, .. } => {
                pid.as_ref().map_or(0, |e| e.height).max(variable.height())
            }
        }
    }
}

impl Reference {
    pub fn height(&self) -> u32 {
        self.parts.iter().map(Part::height).max().unwrap_or(0)
    }
}

impl Part {
    fn height(&self) -> u32 {
        self.index.as_ref().map_or(0, |e| e.height)
    }
}

impl Argument {
    fn height(&self) -> u32 {
        match self {
            Argument::Reference(reference) => reference.height(),
            Argument::Eval(expr) | Argument::Constant(expr) => expr.height,
        }
    }
}

#[derive(Clone, Debug)]
pub struct Ltl {
    pub name: Name,
    pub formula: Expr,
}
