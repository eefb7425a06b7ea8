//! The control-flow graph of a method body, with its loops.
//!
//! Blocks are straight-line code, numbered in reverse postorder from the entry; unreachable code is gone. Every cycle
//! goes through a loop head: the condition of a `while`, or a label that is the target of a backward jump. Loops are
//! disjoint or nested and are entered at their heads only, so the engine can keep one frame heap per loop that a path
//! is in: an edge says which frames are taken back before the target is reached, and whether the target is a loop head
//! whose invariants are due. A graph with a cycle that can be entered at two places has no such heads and is an error.
//!
//! What belongs to a loop, as far as frames are concerned, is everything that can get back to its head, and for a
//! `while` also what is written between its braces, even if it only leaves; a loop inside a loop belongs to it whole.
//! `while` is a loop even if its body never comes back. A label with invariants that is not a loop head is a plain
//! label and its invariants mean nothing, as in Viper; [`ControlFlow::unused_invariants`] lists these.

mod build;
mod check;
mod dominators;
mod error;
mod graph;
mod irreducible;
mod loops;
mod simplify;

use silver::typed::{Block, ExpressionRef, LabelId, LocalId, MethodId, Program, Statement};
use source::Span;
use verdict::failure::ErrorKind;

pub use self::check::check_graph;
pub use self::error::ControlError;

/// A block of one graph.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct BlockId(pub u32);

/// A loop of one graph.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct LoopId(pub u32);

impl BlockId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl LoopId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The graph of a body; the entry is block 0 and has no incoming edge.
#[derive(Clone, Debug)]
pub struct ControlFlow<'p> {
    /// In reverse postorder: only a back edge leads to a block that does not come later.
    pub blocks: Vec<BasicBlock<'p>>,
    /// In the order of their heads, so an outer loop comes before the loops inside it.
    pub loops: Vec<Loop<'p>>,
    /// Reachable labels that have invariants but are not the head of a loop.
    pub unused_invariants: Vec<UnusedInvariants>,
}

#[derive(Clone, Debug)]
pub struct BasicBlock<'p> {
    pub instructions: Vec<Instruction<'p>>,
    pub terminator: Terminator<'p>,
    /// The loop that this block is the head of.
    pub heads: Option<LoopId>,
    /// The innermost loop that the block is in; for a head its own loop.
    pub innermost: Option<LoopId>,
}

#[derive(Clone, Copy, Debug)]
pub enum Instruction<'p> {
    /// Not a label and not a statement that moves control. The proof of a `package` is still inside it.
    Statement(&'p Statement),
    /// From here on `old[label]` is the present heap.
    Label(LabelId),
    /// The variables become arbitrary.
    EnterScope(&'p [LocalId]),
}

#[derive(Clone, Debug)]
pub enum Terminator<'p> {
    Goto(Edge),
    /// Both edges may lead to the same block.
    Branch {
        condition: &'p ExpressionRef,
        of: BranchOf,
        then: Edge,
        otherwise: Edge,
    },
    /// The end of the body; never inside a loop.
    Return,
}

/// Which statement a condition belongs to, and so how its failure is reported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BranchOf {
    If,
    While,
    /// The first way if the condition is known to hold, else the second, whatever the condition is: a choice of ghost code
    /// that is right on either way. See [`WHERE_KNOWN`].
    WhereKnown,
}

/// The annotation of an `if` whose way the proof chooses. It has a meaning only in programs that another language was put
/// into: in one that somebody has written it would hide what fails on the other way.
pub const WHERE_KNOWN: &str = "where_known";

impl BranchOf {
    /// The error if the condition cannot be evaluated.
    pub fn error(self) -> ErrorKind {
        match self {
            BranchOf::If | BranchOf::WhereKnown => ErrorKind::If,
            BranchOf::While => ErrorKind::While,
        }
    }
}

/// A way from one block to another. First the loops in `leaves` are left, then `kind` applies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    pub target: BlockId,
    pub kind: EdgeKind,
    /// Loops that the source is in and the target is not, innermost first.
    pub leaves: Vec<LoopId>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EdgeKind {
    Plain,
    /// To the head of a loop that the source is not in.
    Enter(LoopId),
    /// To the head of a loop that the source is in.
    Back(LoopId),
}

#[derive(Clone, Debug)]
pub struct Loop<'p> {
    pub head: BlockId,
    pub origin: LoopOrigin<'p>,
    pub invariants: &'p [ExpressionRef],
    /// The place of the `while` or `label`.
    pub span: Span,
    /// Variables whose value at the head may differ between iterations, in the order of their ids. Variables of
    /// scopes that are entered anew in each iteration are not among them, nor is a variable that is assigned only
    /// on the way out.
    pub assigned: Vec<LocalId>,
    /// In ascending order, the head first.
    pub blocks: Vec<BlockId>,
    /// The innermost loop around this one.
    pub parent: Option<LoopId>,
    /// Whether some path from the head comes back to it.
    pub repeats: bool,
}

#[derive(Clone, Copy, Debug)]
pub enum LoopOrigin<'p> {
    /// The head's terminator is the branch on this condition.
    While { condition: &'p ExpressionRef },
    /// The head begins with the label.
    Label(LabelId),
}

#[derive(Clone, Copy, Debug)]
pub struct UnusedInvariants {
    pub label: LabelId,
    pub span: Span,
}

impl<'p> ControlFlow<'p> {
    /// The graph of a method; an abstract method has an empty body.
    pub fn of(program: &'p Program, method: MethodId) -> Result<ControlFlow<'p>, ControlError> {
        let method = program.method(method);
        let names = method.labels.iter().map(|label| label.name.as_str()).collect();
        loops::analyse(build::build(method.body.as_ref(), names, method.span)?)
    }

    /// The graph of the proof of a `package` in the body of a method. Jumps may not cross its border.
    pub fn of_proof(
        program: &'p Program,
        method: MethodId,
        proof: &'p Block,
    ) -> Result<ControlFlow<'p>, ControlError> {
        let method = program.method(method);
        let names = method.labels.iter().map(|label| label.name.as_str()).collect();
        loops::analyse(build::build(Some(proof), names, method.span)?)
    }

    pub fn block(&self, id: BlockId) -> &BasicBlock<'p> {
        &self.blocks[id.index()]
    }

    pub fn get_loop(&self, id: LoopId) -> &Loop<'p> {
        &self.loops[id.index()]
    }

    /// The loops that a block is in, innermost first.
    pub fn loops_around(&self, block: BlockId) -> impl Iterator<Item = LoopId> + '_ {
        std::iter::successors(self.block(block).innermost, |id| self.get_loop(*id).parent)
    }
}

impl Terminator<'_> {
    /// The outgoing edges, `then` before `otherwise`.
    pub fn edges(&self) -> impl Iterator<Item = &Edge> {
        let (first, second) = match self {
            Terminator::Goto(edge) => (Some(edge), None),
            Terminator::Branch { then, otherwise, .. } => (Some(then), Some(otherwise)),
            Terminator::Return => (None, None),
        };
        first.into_iter().chain(second)
    }

    fn edges_mut(&mut self) -> impl Iterator<Item = &mut Edge> {
        let (first, second) = match self {
            Terminator::Goto(edge) => (Some(edge), None),
            Terminator::Branch { then, otherwise, .. } => (Some(then), Some(otherwise)),
            Terminator::Return => (None, None),
        };
        first.into_iter().chain(second)
    }
}
