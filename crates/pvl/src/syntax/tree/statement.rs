//! Statements.

use source::Span;

use super::{Contract, Expression, Name, NodeId, Type};

/// `{ … }`
#[derive(Clone, Debug)]
pub struct Block {
    pub statements: Vec<Statement>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Statement {
    pub id: NodeId,
    pub kind: StatementKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum StatementKind {
    Block(Block),
    /// `T x = e, y;`
    Local {
        ty: Type,
        declarators: Vec<Declarator>,
    },
    Assign {
        target: Expression,
        value: Expression,
    },
    /// `x++`
    Increment(Expression),
    /// `x--`
    Decrement(Expression),
    /// A call for what it does, or any other expression for its checks.
    Evaluate(Expression),
    Return(Option<Expression>),
    If {
        condition: Branch,
        then: Box<Statement>,
        otherwise: Option<Box<Statement>>,
    },
    While {
        contract: Contract,
        condition: Expression,
        body: Box<Statement>,
    },
    For {
        contract: Contract,
        initial: Vec<Statement>,
        condition: Option<Expression>,
        update: Vec<Statement>,
        body: Box<Statement>,
    },
    /// `for (int i = a .. b) s`
    RangedFor {
        contract: Contract,
        variable: RangeVariable,
        body: Box<Statement>,
    },
    Goto(Name),
    Label(Name),

    Lock(Expression),
    Unlock(Expression),
    Wait(Expression),
    Notify(Expression),
    Commit(Expression),
    Fork(Expression),
    Join(Expression),

    Par(ParRegion),
    /// `barrier(block; invariants) { contract }` or `barrier(block; invariants) contract { proof }`
    Barrier {
        block: Name,
        invariants: Vec<Name>,
        contract: Contract,
        proof: Option<Block>,
    },
    /// `invariant name(resource) { … }`
    Invariant {
        name: Name,
        resource: Expression,
        body: Block,
    },
    Atomic {
        invariants: Vec<Name>,
        body: Box<Statement>,
    },
    /// `vec (int i = a .. b) { … }`
    Vector {
        variable: RangeVariable,
        body: Block,
    },
    /// `send label, distance: resource;`
    Send {
        label: Name,
        distance: Expression,
        resource: Expression,
    },
    /// `recv label;`; the old dialect repeats resource and distance.
    Receive {
        label: Name,
        repeated: Option<(Expression, Expression)>,
    },

    /// The target is `p(…)`, `[f]p(…)`, `Perm(p(…), f)` or `Value(p(…))`.
    Fold(Expression),
    Unfold(Expression),
    Assert(Expression),
    Assume(Expression),
    Inhale(Expression),
    Exhale(Expression),
    Refute(Expression),
    /// `assume? e`: whether it follows here is told, and no verdict depends on it.
    Question(Expression),
    /// `assert claim by s`; the proof is ghost code, and what it learns ends with it.
    Prove {
        claim: Expression,
        proof: Box<Statement>,
    },
    /// `obtain T x with e;`; the claim says that there are such values.
    Obtain {
        claim: Expression,
    },
    /// `calc { a; == { … } b; <= c; }`; what the steps learn ends with them.
    Calc {
        steps: Vec<CalcStep>,
        /// How the first and the last value are related.
        result: Expression,
    },
    /// `reveal f, g;` or `hide f;`: whether the proofs of the block know what functions are, from here on.
    Reveal {
        names: Vec<Name>,
        hides: bool,
    },
    Package {
        wand: Expression,
        proof: Box<Statement>,
    },
    Apply(Expression),
    Extract(Box<Statement>),
    Frame {
        contract: Contract,
        body: Box<Statement>,
    },
    Ghost(Box<Statement>),
    /// `action(model, amount, process, action) s` or `;`
    Action {
        model: Expression,
        amount: Expression,
        process: Expression,
        action: Expression,
        body: Option<Box<Statement>>,
    },
}

/// One of the variables of a declaration of locals.
#[derive(Clone, Debug)]
pub struct Declarator {
    pub id: NodeId,
    pub name: Name,
    pub value: Option<Expression>,
}

/// A comparison of two neighbours in a calculation, and ghost code that proves it.
#[derive(Clone, Debug)]
pub struct CalcStep {
    pub claim: Expression,
    pub proof: Option<Statement>,
}

#[derive(Clone, Debug)]
pub enum Branch {
    Condition(Expression),
    /// `if (*)`
    Arbitrary(Span),
}

/// `int i = low .. high`, the upper bound excluded except in a ranged `for`'s invariant.
#[derive(Clone, Debug)]
pub struct RangeVariable {
    pub id: NodeId,
    pub ty: Type,
    pub name: Name,
    pub low: Expression,
    pub high: Expression,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct ParRegion {
    pub id: NodeId,
    pub kind: ParRegionKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ParRegionKind {
    Parallel(Vec<ParRegion>),
    Sequential(Vec<ParRegion>),
    Block(ParBlock),
}

#[derive(Clone, Debug)]
pub struct ParBlock {
    pub name: Option<Name>,
    pub variables: Vec<RangeVariable>,
    pub contract: Contract,
    pub body: Box<Statement>,
}
