//! The resolved program: what a Promela model means before it becomes control-flow automata.
//!
//! Every name is an id, every type and constant is known, inlines are expanded, and `for`, `select`,
//! `++`, `--`, `return` and declarations that stand after the first statement have become the statements
//! that SPIN 6.5 generates for them, in SPIN's order: the statement structure here is the one whose states
//! SPIN counts. Structures in messages and in parameter lists are flattened to scalars.
//!
//! All ids are dense indices into the vectors of [`Program`] or [`Process`]. Trees have bounded height
//! (see `limits`), so a consumer may walk them recursively.

use source::Span;

use crate::syntax::Macros;

/// Index into [`Program::variables`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct VarId(pub u32);

/// Index into [`Program::processes`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ProcessId(pub u32);

/// Index into [`Program::structures`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct StructureId(pub u32);

/// Index into [`Program::mtypes`]; `MtypeId(0)` is the list without a name and always exists.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct MtypeId(pub u32);

/// Index into [`Process::labels`] of the process that declares the label.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct LabelId(pub u32);

/// Number of a statement, unique in the program, smaller than [`Program::statement_count`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct StmtId(pub u32);

/// Index into [`Program::expansions`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ExpansionId(pub u32);

/// A whole model without errors.
#[derive(Clone, Debug)]
pub struct Program {
    /// All variables: globals and the locals of every process, in order of declaration.
    pub variables: Vec<Variable>,
    /// The globals among them, in order of declaration.
    pub globals: Vec<VarId>,
    pub structures: Vec<Structure>,
    pub mtypes: Vec<Mtype>,
    /// Proctypes, `init`, claims and traces, in textual order (the order in which initial pids are given).
    pub processes: Vec<Process>,
    /// The `ltl` blocks in textual order.
    pub formulas: Vec<Formula>,
    /// Calls of inlines, for telling where a statement comes from.
    pub expansions: Vec<Expansion>,
    pub statement_count: u32,
    /// The macros defined at the end of the text: formulas given later may use them.
    pub macros: Macros,
    /// Messages that are sent to full channels are lost. Nothing in a text says so: it is up to the caller.
    pub loses_messages: bool,
}

/// The types of values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scalar {
    Bit,
    /// Same values as `bit`; kept apart for printing only.
    Bool,
    Byte,
    /// Same values as `byte`; kept apart for printing only.
    Pid,
    Short,
    Int,
    /// `unsigned x : width`, width 1 to 31.
    Unsigned(u8),
    /// A symbolic constant of one list, stored in a byte; 0 is no constant.
    Mtype(MtypeId),
    /// The number of a channel, 0 is none, stored in a byte.
    Chan,
}

impl Scalar {
    /// Bits of storage; values are truncated to them on assignment.
    pub fn width(self) -> u8 {
        match self {
            Scalar::Bit | Scalar::Bool => 1,
            Scalar::Byte | Scalar::Pid | Scalar::Mtype(_) | Scalar::Chan => 8,
            Scalar::Short => 16,
            Scalar::Int => 32,
            Scalar::Unsigned(width) => width,
        }
    }

    pub fn is_signed(self) -> bool {
        matches!(self, Scalar::Short | Scalar::Int)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    Scalar(Scalar),
    Structure(StructureId),
}

/// A `typedef`.
#[derive(Clone, Debug)]
pub struct Structure {
    pub name: String,
    pub span: Span,
    pub fields: Vec<Field>,
}

#[derive(Clone, Debug)]
pub struct Field {
    pub name: String,
    pub span: Span,
    pub ty: Type,
    /// Number of elements of an array.
    pub length: Option<u32>,
    pub initial: Initial,
}

/// A list of symbolic constants; the number of a constant is its place in `names` plus one.
#[derive(Clone, Debug)]
pub struct Mtype {
    /// The name of a subtype (`mtype:name`), none for the plain list.
    pub name: Option<String>,
    pub names: Vec<String>,
}

impl Mtype {
    /// The name of a value.
    pub fn constant(&self, value: i32) -> Option<&str> {
        let index = usize::try_from(value).ok()?.checked_sub(1)?;
        self.names.get(index).map(String::as_str)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner {
    Global,
    Local(ProcessId),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Visibility {
    Normal,
    /// Not part of the state.
    Hidden,
    /// Shown in message sequence charts.
    Show,
    /// A global that only one process uses, by the author's word.
    Local,
}

#[derive(Clone, Debug)]
pub struct Variable {
    pub name: String,
    pub span: Span,
    pub owner: Owner,
    pub ty: Type,
    /// Number of elements of an array (`x[1]` is an array of one).
    pub length: Option<u32>,
    /// The value at creation of the system (globals) or of the process (locals). Where a declaration
    /// stands after the first statement of its body this is [`Initial::Zero`] and the declaration is a step
    /// of the body: an assignment of the initialiser or of 0 (`AssignForm::Declaration`).
    pub initial: Initial,
    pub visibility: Visibility,
    /// Whether this is a formal parameter.
    pub parameter: bool,
    /// Whether the declaration stands before the first statement of its body (globals: always).
    pub leading: bool,
    /// The counter that `for (m in q)` needs; the user did not write it.
    pub generated: bool,
}

/// How a variable or field starts.
#[derive(Clone, Debug)]
pub enum Initial {
    /// All zero; a structure's fields start as the fields say.
    Zero,
    /// Every element gets the value; evaluated at creation.
    Value(Expr),
    /// Elements one by one; the last value goes to the rest of a longer array, as in SPIN.
    List(Vec<i32>),
    /// Every element gets a new channel of its own.
    Channel(ChannelType),
}

/// `[capacity] of { fields }`, structures flattened.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ChannelType {
    /// 0 is a rendezvous port.
    pub capacity: u32,
    pub fields: Vec<Scalar>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProcessKind {
    Proctype,
    Init,
    Never,
    Trace,
    NoTrace,
}

/// A process type: a `proctype`, `init`, a claim or a trace.
#[derive(Clone, Debug)]
pub struct Process {
    pub name: String,
    /// Where the name (or the keyword of a nameless one) stands.
    pub span: Span,
    pub kind: ProcessKind,
    /// `D_proctype`.
    pub deterministic: bool,
    /// Instances that exist from the start: `active [n]`, 1 for `init`, 0 for claims and traces.
    pub active: u32,
    /// Priority of the initial instances, 1 unless given.
    pub priority: u8,
    /// Whether a priority was written.
    pub has_priority: bool,
    pub provided: Option<Expr>,
    /// One scalar place per argument of `run`, structures flattened.
    pub parameters: Vec<Place>,
    /// Parameters, then locals, all blocks included, in order of declaration.
    pub variables: Vec<VarId>,
    /// Whether the last initial value in the text is more than a constant or a local variable. SPIN does not make
    /// a `run` of such a process part of a longer step.
    pub computes_initial: bool,
    pub labels: Vec<Label>,
    /// `xr` and `xs` assertions.
    pub exclusive: Vec<Exclusive>,
    pub body: Vec<Stmt>,
    /// Where the closing brace stands: the place of the end state.
    pub end: Span,
}

#[derive(Clone, Debug)]
pub struct Label {
    pub name: String,
    pub span: Span,
    /// The statement that carries it.
    pub target: StmtId,
    /// Whether a remote reference names it. SPIN turns a labelled `goto` that is referred to remotely
    /// into a `skip` followed by the `goto`, so that the state exists.
    pub remote: bool,
}

impl Label {
    pub fn is_accept(&self) -> bool {
        self.name.starts_with("accept")
    }

    pub fn is_end(&self) -> bool {
        self.name.starts_with("end")
    }

    pub fn is_progress(&self) -> bool {
        self.name.starts_with("progress")
    }
}

/// The promise that only this process receives from (`xr`) or sends to (`xs`) a channel.
#[derive(Clone, Debug)]
pub struct Exclusive {
    pub channel: Place,
    pub receive: bool,
    pub span: Span,
}

/// One expansion of an inline.
#[derive(Clone, Debug)]
pub struct Expansion {
    pub name: String,
    pub call: Span,
    /// The expansion that contains the call.
    pub parent: Option<ExpansionId>,
}

#[derive(Clone, Debug)]
pub struct Stmt {
    pub id: StmtId,
    /// The text of the statement; for a generated one, of what it was generated from. Statements of an
    /// inline point into the inline's definition.
    pub span: Span,
    /// The labels on the statement, in source order.
    pub labels: Vec<LabelId>,
    /// The innermost inline call the statement comes from.
    pub expansion: Option<ExpansionId>,
    pub kind: StmtKind,
}

#[derive(Clone, Debug)]
pub enum StmtKind {
    Assign {
        target: Target,
        value: Expr,
        form: AssignForm,
    },
    /// Executable when not zero. A `run` statement is a condition too; `skip` is the condition 1.
    Condition(Expr),
    /// Normally the first statement of an option, and then the option is the last of its `if` or `do`.
    Else,
    Send {
        channel: Place,
        /// `!!`
        sorted: bool,
        /// Flattened; as many as were written, which may differ from the channel's number of fields.
        arguments: Vec<Expr>,
    },
    Receive {
        channel: Place,
        /// `??`
        random: bool,
        /// `<…>`: the message stays in the channel.
        peek: bool,
        arguments: Vec<Match>,
    },
    Assert(Expr),
    Printf {
        /// The text between the quotes, escapes not yet interpreted.
        format: String,
        arguments: Vec<Expr>,
    },
    Printm(Expr),
    SetPriority {
        pid: Expr,
        priority: Expr,
    },
    /// Not a step. A `goto` that carries an accept, end or progress label is preceded by a generated
    /// `skip` which carries the labels instead, as in SPIN; this has been done already.
    Goto(LabelId),
    /// A structure that is declared after the first statement of its body. The step does nothing, but unlike a
    /// `skip` it can be a part of a longer one, as the assignments that other declarations are there.
    Declare(VarId),
    /// Leaves the `do` with this id, which encloses the statement. Not a step.
    Break(StmtId),
    /// At least one option, none of them empty.
    If(Vec<Vec<Stmt>>),
    Do(Vec<Vec<Stmt>>),
    Atomic(Vec<Stmt>),
    DStep(Vec<Stmt>),
    Block(Vec<Stmt>),
    Unless {
        main: Vec<Stmt>,
        escape: Vec<Stmt>,
    },
}

/// How an assignment was written; matters for printing only.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AssignForm {
    Plain,
    Increment,
    Decrement,
    /// A declaration after the first statement of its body: its initialiser, or 0 where it has none.
    /// Of an array SPIN assigns element 0 only; of a structure nothing ([`StmtKind::Declare`]).
    Declaration,
    Return,
}

/// What an assignment may change.
#[derive(Clone, Debug)]
pub enum Target {
    Place(Place),
    /// `_`: the value is dropped.
    Discard,
    /// `_priority` of the executing process.
    Priority,
}

/// One argument of a receive or a poll.
#[derive(Clone, Debug)]
pub enum Match {
    /// Receives the field (in a poll: matches anything).
    Store(Place),
    /// `_`
    Discard,
    /// A constant or `eval(…)`: the field must be equal.
    Equal(Expr),
}

/// A reference to one scalar.
#[derive(Clone, Debug)]
pub struct Place {
    pub var: VarId,
    /// Present exactly where the variable is an array.
    pub index: Option<Box<Expr>>,
    /// Through structures, outermost first.
    pub fields: Vec<FieldAccess>,
    /// The type of what is reached.
    pub ty: Scalar,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct FieldAccess {
    /// Index into [`Structure::fields`] of the structure reached so far.
    pub field: u32,
    /// Present exactly where the field is an array.
    pub index: Option<Box<Expr>>,
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub span: Span,
    pub kind: ExprKind,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    Constant(i32),
    /// A symbolic constant with its number.
    Mtype(MtypeId, i32),
    Read(Place),
    /// `_pid`
    Pid,
    /// `_nr_pr`
    ProcessCount,
    /// `_last`
    Last,
    /// `_priority`
    Priority,
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `(c -> a : b)`
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    Run {
        process: ProcessId,
        /// As many as [`Process::parameters`].
        arguments: Vec<Expr>,
        /// None: 1.
        priority: Option<u8>,
    },
    /// `len(q)`
    Length(Place),
    Probe(Probe, Place),
    /// `q?[…]`, `q??[…]`
    Poll {
        channel: Place,
        random: bool,
        arguments: Vec<Match>,
    },
    Enabled(Box<Expr>),
    PcValue(Box<Expr>),
    GetPriority(Box<Expr>),
    Timeout,
    /// `np_`
    NonProgress,
    /// `_` among the arguments of a send in a trace: matches anything.
    Discard,
    /// `P[pid]@label`, `P@label`: 1 if the process is there.
    RemoteLabel {
        process: ProcessId,
        pid: Option<Box<Expr>>,
        label: LabelId,
    },
    /// `P[pid]:x`, `P:x`; `place` is a place among the locals of `process`.
    RemoteVariable {
        process: ProcessId,
        pid: Option<Box<Expr>>,
        place: Place,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    /// `!`
    Not,
    /// `-`
    Negate,
    /// `~`
    Complement,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    BitAnd,
    BitXor,
    BitOr,
    ShiftLeft,
    ShiftRight,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    And,
    Or,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Probe {
    Full,
    NotFull,
    Empty,
    NotEmpty,
}

/// A named formula of the model.
#[derive(Clone, Debug)]
pub struct Formula {
    /// `ltl_0`, `ltl_1`, … where the author gave none.
    pub name: String,
    pub span: Span,
    pub formula: Temporal,
}

/// A formula of linear temporal logic over expressions of the model. Conjunction, disjunction, negation
/// and the constants are always nodes of this tree, so that an atom has no Boolean operator on top.
#[derive(Clone, Debug)]
pub struct Temporal {
    pub span: Span,
    pub kind: TemporalKind,
}

#[derive(Clone, Debug)]
pub enum TemporalKind {
    Constant(bool),
    Atom(Expr),
    Unary(TemporalUnary, Box<Temporal>),
    Binary(TemporalBinary, Box<Temporal>, Box<Temporal>),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TemporalUnary {
    Not,
    Next,
    Always,
    Eventually,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TemporalBinary {
    And,
    Or,
    Implies,
    Equivalent,
    Until,
    WeakUntil,
    /// SPIN's `V`: dual of until.
    Release,
}

impl Program {
    pub fn variable(&self, id: VarId) -> &Variable {
        &self.variables[id.0 as usize]
    }

    pub fn process(&self, id: ProcessId) -> &Process {
        &self.processes[id.0 as usize]
    }

    pub fn structure(&self, id: StructureId) -> &Structure {
        &self.structures[id.0 as usize]
    }

    pub fn mtype(&self, id: MtypeId) -> &Mtype {
        &self.mtypes[id.0 as usize]
    }

    pub fn process_ids(&self) -> impl Iterator<Item = ProcessId> + use<> {
        (0..self.processes.len() as u32).map(ProcessId)
    }
}
