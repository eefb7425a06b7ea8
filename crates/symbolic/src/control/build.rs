//! From the statements of a body to a graph of blocks, before anything is known about its loops.
//!
//! Each label and each `while` condition starts a block of its own. A variable keeps its value when control leaves its
//! scope, and has it again if a jump comes back into the middle of the scope. Such a scope may be reached without
//! having been entered, so its variables are made arbitrary at the start of the body as well.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;
use silver::typed::{Block, ExpressionRef, LabelId, LocalId, Statement, StatementKind};
use source::Span;
use verdict::failure;

use super::{BranchOf, ControlError, Instruction, LoopOrigin, WHERE_KNOWN};

/// The graph as it was written; nodes that nothing leads to are still in it.
pub(super) struct Draft<'p> {
    /// The place of the method.
    pub(super) span: Span,
    pub(super) nodes: Vec<Node<'p>>,
    pub(super) scopes: Vec<Scope<'p>>,
    pub(super) whiles: Vec<While>,
}

pub(super) struct Node<'p> {
    pub(super) instructions: Vec<Instruction<'p>>,
    pub(super) exit: Exit<'p>,
    /// Present where a backward jump to the node makes a loop.
    pub(super) head: Option<Head<'p>>,
    /// The innermost `while` around the node, its own for a condition.
    pub(super) inside: Option<usize>,
    /// The innermost scope around the node.
    pub(super) scope: Option<usize>,
}

pub(super) enum Exit<'p> {
    Goto(Target<'p>),
    Branch { condition: &'p ExpressionRef, of: BranchOf, then: Target<'p>, otherwise: Target<'p> },
    Return,
}

#[derive(Clone, Copy)]
pub(super) struct Target<'p> {
    pub(super) node: usize,
    /// The `goto` that leads there, if it is not just the next statement.
    pub(super) jump: Option<Jump<'p>>,
}

#[derive(Clone, Copy)]
pub(super) struct Jump<'p> {
    pub(super) label: &'p str,
    pub(super) span: Span,
}

#[derive(Clone, Copy)]
pub(super) struct Head<'p> {
    pub(super) origin: LoopOrigin<'p>,
    pub(super) invariants: &'p [ExpressionRef],
    pub(super) span: Span,
}

pub(super) struct Scope<'p> {
    pub(super) locals: &'p [LocalId],
    pub(super) parent: Option<usize>,
    /// Whether some jump leads into the scope from outside.
    pub(super) jumped_into: bool,
}

pub(super) struct While {
    pub(super) head: usize,
    pub(super) parent: Option<usize>,
}

impl<'p> Exit<'p> {
    pub(super) fn targets(&self) -> impl Iterator<Item = Target<'p>> {
        let (first, second) = match self {
            Exit::Goto(target) => (Some(*target), None),
            Exit::Branch { then, otherwise, .. } => (Some(*then), Some(*otherwise)),
            Exit::Return => (None, None),
        };
        first.into_iter().chain(second)
    }
}

/// What is left to do, the next on top: nesting is on this stack and not on the machine's.
enum Work<'p> {
    Statements(&'p [Statement]),
    Block(&'p Block),
    CloseScope,
    CloseWhile,
    /// End the current node with a way to another.
    Continue(usize),
    Begin(usize),
}

struct Builder<'p> {
    names: Vec<&'p str>,
    draft: Draft<'p>,
    current: usize,
    scope: Option<usize>,
    inside: Option<usize>,
    labels: BTreeMap<LabelId, usize>,
    /// Labels that have been reached, as opposed to jumped to.
    placed: FxHashSet<LabelId>,
    jumps: Vec<PendingJump>,
}

struct PendingJump {
    label: LabelId,
    span: Span,
    scope: Option<usize>,
}

/// `names` are the names of the method's labels, `span` is the method's place.
pub(super) fn build<'p>(
    body: Option<&'p Block>,
    names: Vec<&'p str>,
    span: Span,
) -> Result<Draft<'p>, ControlError> {
    let draft = Draft { span, nodes: Vec::new(), scopes: Vec::new(), whiles: Vec::new() };
    let mut builder = Builder {
        names,
        draft,
        current: 0,
        scope: None,
        inside: None,
        labels: BTreeMap::new(),
        placed: FxHashSet::default(),
        jumps: Vec::new(),
    };
    builder.current = builder.node();
    let mut work: Vec<Work<'p>> = body.map(Work::Block).into_iter().collect();
    while let Some(next) = work.pop() {
        builder.step(next, &mut work);
    }
    builder.check_jumps()?;
    let mut draft = builder.draft;
    let open = draft.scopes.iter().filter(|scope| scope.jumped_into && !scope.locals.is_empty());
    let open: Vec<Instruction<'p>> = open.map(|scope| Instruction::EnterScope(scope.locals)).collect();
    draft.nodes[0].instructions.splice(0..0, open);
    Ok(draft)
}

impl<'p> Builder<'p> {
    /// A new node at this point of the text; without further notice the body ends there.
    fn node(&mut self) -> usize {
        self.draft.nodes.push(Node {
            instructions: Vec::new(),
            exit: Exit::Return,
            head: None,
            inside: self.inside,
            scope: self.scope,
        });
        self.draft.nodes.len() - 1
    }

    fn step(&mut self, next: Work<'p>, work: &mut Vec<Work<'p>>) {
        match next {
            Work::Block(block) => {
                self.draft.scopes.push(Scope {
                    locals: &block.locals,
                    parent: self.scope,
                    jumped_into: false,
                });
                self.scope = Some(self.draft.scopes.len() - 1);
                if !block.locals.is_empty() {
                    self.emit(Instruction::EnterScope(&block.locals));
                }
                work.push(Work::CloseScope);
                work.push(Work::Statements(&block.statements));
            }
            Work::CloseScope => {
                self.scope = self.scope.and_then(|scope| self.draft.scopes[scope].parent);
            }
            Work::CloseWhile => {
                self.inside = self.inside.and_then(|index| self.draft.whiles[index].parent);
            }
            Work::Continue(node) => self.leave(Exit::Goto(Target { node, jump: None })),
            Work::Begin(node) => self.current = node,
            Work::Statements(statements) => {
                for (index, statement) in statements.iter().enumerate() {
                    let depth = work.len();
                    self.statement(statement, work);
                    if work.len() > depth {
                        // What the statement left to do comes before the statements after it.
                        work.insert(depth, Work::Statements(&statements[index + 1..]));
                        return;
                    }
                }
            }
        }
    }

    fn emit(&mut self, instruction: Instruction<'p>) {
        self.draft.nodes[self.current].instructions.push(instruction);
    }

    fn leave(&mut self, exit: Exit<'p>) {
        self.draft.nodes[self.current].exit = exit;
    }

    fn statement(&mut self, statement: &'p Statement, work: &mut Vec<Work<'p>>) {
        match &statement.kind {
            StatementKind::If { condition, then, otherwise } => {
                let (then_node, else_node, after) = (self.node(), self.node(), self.node());
                self.leave(Exit::Branch {
                    condition,
                    of: match &statement.annotations {
                        Some(annotations) if annotations.has(WHERE_KNOWN) => BranchOf::WhereKnown,
                        _ => BranchOf::If,
                    },
                    then: Target { node: then_node, jump: None },
                    otherwise: Target { node: else_node, jump: None },
                });
                work.push(Work::Begin(after));
                for (node, block) in [(else_node, otherwise), (then_node, then)] {
                    work.push(Work::Continue(after));
                    work.push(Work::Block(block));
                    work.push(Work::Begin(node));
                }
            }
            StatementKind::While { condition, invariants, body } => {
                let after = self.node();
                let index = self.draft.whiles.len();
                let outer = self.inside.replace(index);
                let (head, first) = (self.node(), self.node());
                self.draft.whiles.push(While { head, parent: outer });
                self.leave(Exit::Goto(Target { node: head, jump: None }));
                self.draft.nodes[head].exit = Exit::Branch {
                    condition,
                    of: BranchOf::While,
                    then: Target { node: first, jump: None },
                    otherwise: Target { node: after, jump: None },
                };
                let origin = LoopOrigin::While { condition };
                self.draft.nodes[head].head = Some(Head { origin, invariants, span: statement.span });
                work.push(Work::Begin(after));
                work.push(Work::CloseWhile);
                work.push(Work::Continue(head));
                work.push(Work::Block(body));
                work.push(Work::Begin(first));
            }
            StatementKind::Label { label, invariants } => {
                let node = self.label_node(*label);
                self.leave(Exit::Goto(Target { node, jump: None }));
                self.placed.insert(*label);
                let origin = LoopOrigin::Label(*label);
                let (inside, scope) = (self.inside, self.scope);
                let target = &mut self.draft.nodes[node];
                (target.inside, target.scope) = (inside, scope);
                target.head = Some(Head { origin, invariants, span: statement.span });
                self.current = node;
                self.emit(Instruction::Label(*label));
            }
            StatementKind::Goto(label) => {
                let node = self.label_node(*label);
                self.jumps.push(PendingJump { label: *label, span: statement.span, scope: self.scope });
                let jump = Some(Jump { label: self.names[label.index()], span: statement.span });
                self.leave(Exit::Goto(Target { node, jump }));
                // Nothing leads to what follows, unless it is labelled.
                self.current = self.node();
            }
            StatementKind::Block(block) => work.push(Work::Block(block)),
            _ => self.emit(Instruction::Statement(statement)),
        }
    }

    fn label_node(&mut self, label: LabelId) -> usize {
        if let Some(node) = self.labels.get(&label) {
            return *node;
        }
        let node = self.node();
        self.labels.insert(label, node);
        node
    }

    /// Every jump has a target in this body; marks the scopes that jumps lead into.
    fn check_jumps(&mut self) -> Result<(), ControlError> {
        for jump in &self.jumps {
            if !self.placed.contains(&jump.label) {
                let label = self.names[jump.label.index()].to_string();
                return Err(ControlError { span: jump.span, jump: failure::Jump::AcrossProof { label } });
            }
            let around: FxHashSet<usize> =
                std::iter::successors(jump.scope, |scope| self.draft.scopes[*scope].parent).collect();
            let mut scope = self.draft.nodes[self.labels[&jump.label]].scope;
            while let Some(index) = scope.filter(|index| !around.contains(index)) {
                self.draft.scopes[index].jumped_into = true;
                scope = self.draft.scopes[index].parent;
            }
        }
        Ok(())
    }
}
