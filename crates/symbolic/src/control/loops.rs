//! The loops of a graph, and what each edge does to them.
//!
//! In a reducible graph the target of every retreating edge dominates its source, and the natural loop of the target is
//! what reaches one of these sources without passing the target (Hecht and Ullman, "Flow Graph Reducibility", 1972).
//! A loop as the engine sees it may be larger, see [`close`], but it too is dominated by its head and contains, with a
//! block other than the head, all predecessors of the block. Hence two loops that share a block are nested, and the
//! outer one has the earlier head.

use rustc_hash::{FxHashMap, FxHashSet};
use silver::typed::{LocalId, Statement, StatementKind, visit_statements};

use super::build::{Draft, Exit, Target};
use super::dominators::Dominators;
use super::graph::Graph;
use super::{
    BasicBlock, BlockId, ControlError, ControlFlow, Edge, EdgeKind, Instruction, Loop, LoopId, LoopOrigin,
    Terminator, UnusedInvariants, check, irreducible, simplify,
};

pub(super) fn analyse(draft: Draft<'_>) -> Result<ControlFlow<'_>, ControlError> {
    let graph = Graph::of(&draft);
    let dominators = Dominators::of(&graph.predecessors);
    let mut back_sources: Vec<Vec<usize>> = vec![Vec::new(); graph.order.len()];
    for (source, targets) in graph.successors.iter().enumerate() {
        for &target in targets.iter().filter(|target| **target <= source) {
            if !dominators.dominates(target, source) || graph.node(target).head.is_none() {
                return Err(irreducible::explain(&graph, source, target));
            }
            back_sources[target].push(source);
        }
    }
    let mut loops = graph.find_loops(&dominators, &back_sources);
    let mut innermost: Vec<Option<LoopId>> = vec![None; graph.order.len()];
    for (index, found) in loops.iter_mut().enumerate() {
        found.parent = innermost[found.head.index()];
        // Outer loops come first, so the last one that claims a block is the innermost.
        found.blocks.iter().for_each(|block| innermost[block.index()] = Some(LoopId(index as u32)));
    }
    let flow = graph.assemble(loops, innermost);
    let flow = simplify::simplify(flow);
    debug_assert_eq!(check::check_graph(&flow), None);
    Ok(flow)
}

impl<'p> Graph<'_, 'p> {
    /// All loops, ordered by their heads; `parent` is not yet known.
    fn find_loops(&self, dominators: &Dominators, back_sources: &[Vec<usize>]) -> Vec<Loop<'p>> {
        let mut written = self.blocks_of_whiles(dominators);
        let mut bodies: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        let mut loops = Vec::new();
        // Inner loops have later heads and are found first.
        for head in (0..self.order.len()).rev() {
            let Some(found) = self.node(head).head else { continue };
            let is_while = matches!(found.origin, LoopOrigin::While { .. });
            let sources = &back_sources[head];
            if sources.is_empty() && !is_while {
                continue;
            }
            let nothing = FxHashMap::default();
            let natural = self.close(head, sources.clone(), &nothing);
            let mut seeds = sources.clone();
            seeds.append(&mut written[head]);
            let body = self.close(head, seeds, &bodies);
            loops.push(Loop {
                head: BlockId(head as u32),
                origin: found.origin,
                invariants: found.invariants,
                span: found.span,
                assigned: if sources.is_empty() { Vec::new() } else { self.assigned(head, &natural) },
                blocks: body.iter().map(|block| BlockId(*block as u32)).collect(),
                parent: None,
                repeats: !sources.is_empty(),
            });
            bodies.insert(head, body);
        }
        loops.reverse();
        loops
    }

    /// For the head of each `while`: what is written inside it and cannot be reached but through the head.
    fn blocks_of_whiles(&self, dominators: &Dominators) -> Vec<Vec<usize>> {
        let mut written = vec![Vec::new(); self.order.len()];
        for index in 0..self.order.len() {
            let mut around = self.node(index).inside;
            while let Some(inside) = around {
                let found = &self.draft.whiles[inside];
                let head = self.position[found.head];
                if head != usize::MAX && dominators.dominates(head, index) {
                    written[head].push(index);
                }
                around = found.parent;
            }
        }
        written
    }

    /// The head, the seeds, and all that reaches a seed without passing the head; with the head of another loop, that
    /// whole loop. In ascending order.
    fn close(&self, head: usize, seeds: Vec<usize>, bodies: &FxHashMap<usize, Vec<usize>>) -> Vec<usize> {
        let mut body = vec![head];
        let mut seen = FxHashSet::from_iter([head]);
        let mut stack = seeds;
        while let Some(block) = stack.pop() {
            if !seen.insert(block) {
                continue;
            }
            body.push(block);
            stack.extend(&self.predecessors[block]);
            stack.extend(bodies.get(&block).into_iter().flatten());
        }
        body.sort_unstable();
        body
    }

    /// Variables that may change between two visits of the head and matter there.
    fn assigned(&self, head: usize, natural: &[usize]) -> Vec<LocalId> {
        let scopes = &self.draft.scopes;
        let around: FxHashSet<usize> =
            std::iter::successors(self.node(head).scope, |scope| scopes[*scope].parent).collect();
        // Arbitrary again before they are used again.
        let entered_anew: FxHashSet<LocalId> = scopes
            .iter()
            .enumerate()
            .filter(|(index, scope)| !scope.jumped_into && !around.contains(index))
            .flat_map(|(_, scope)| scope.locals.iter().copied())
            .collect();
        let mut locals = Vec::new();
        for block in natural {
            for instruction in &self.node(*block).instructions {
                match instruction {
                    Instruction::Statement(statement) => assigned_by(statement, &mut locals),
                    Instruction::EnterScope(scope) => locals.extend(scope.iter().copied()),
                    Instruction::Label(_) => {}
                }
            }
        }
        locals.retain(|local| !entered_anew.contains(local));
        locals.sort_unstable();
        locals.dedup();
        locals
    }

    fn assemble(&self, loops: Vec<Loop<'p>>, innermost: Vec<Option<LoopId>>) -> ControlFlow<'p> {
        let mut heads: Vec<Option<LoopId>> = vec![None; self.order.len()];
        let mut depth = Vec::new();
        for (index, found) in loops.iter().enumerate() {
            heads[found.head.index()] = Some(LoopId(index as u32));
            depth.push(found.parent.map_or(1, |parent: LoopId| depth[parent.index()] + 1));
        }
        let nesting = Nesting { loops: &loops, depth, innermost: &innermost, heads: &heads };
        let edge = |source: usize, target: Target<'p>| nesting.edge(source, self.position[target.node]);
        let mut blocks = Vec::new();
        let mut unused_invariants = Vec::new();
        for index in 0..self.order.len() {
            let node = self.node(index);
            let terminator = match &node.exit {
                Exit::Goto(target) => Terminator::Goto(edge(index, *target)),
                Exit::Branch { condition, of, then, otherwise } => Terminator::Branch {
                    condition,
                    of: *of,
                    then: edge(index, *then),
                    otherwise: edge(index, *otherwise),
                },
                Exit::Return => Terminator::Return,
            };
            if let Some(head) = node.head
                && let LoopOrigin::Label(label) = head.origin
                && !head.invariants.is_empty()
                && heads[index].is_none()
            {
                unused_invariants.push(UnusedInvariants { label, span: head.span });
            }
            blocks.push(BasicBlock {
                instructions: node.instructions.clone(),
                terminator,
                heads: heads[index],
                innermost: innermost[index],
            });
        }
        ControlFlow { blocks, loops, unused_invariants }
    }
}

/// Which loop is inside which.
struct Nesting<'a, 'p> {
    loops: &'a [Loop<'p>],
    /// Of each loop; 1 is outermost.
    depth: Vec<usize>,
    innermost: &'a [Option<LoopId>],
    heads: &'a [Option<LoopId>],
}

impl Nesting<'_, '_> {
    fn depth(&self, position: Option<LoopId>) -> usize {
        position.map_or(0, |id| self.depth[id.index()])
    }

    fn parent(&self, position: Option<LoopId>) -> Option<LoopId> {
        position.and_then(|id| self.loops[id.index()].parent)
    }

    fn edge(&self, source: usize, target: usize) -> Edge {
        let mut here = self.innermost[source];
        let mut there = self.innermost[target];
        let mut leaves = Vec::new();
        while here != there {
            if self.depth(there) > self.depth(here) {
                there = self.parent(there);
            } else {
                leaves.extend(here);
                here = self.parent(here);
            }
        }
        // `here` is now the innermost loop around both ends.
        let kind = match self.heads[target] {
            Some(entered) if here == Some(entered) => EdgeKind::Back(entered),
            Some(entered) => EdgeKind::Enter(entered),
            None => EdgeKind::Plain,
        };
        Edge { target: BlockId(target as u32), kind, leaves }
    }
}

/// Adds the variables that a statement gives a new value. The proof of a wand can do so by a call.
fn assigned_by(statement: &Statement, locals: &mut Vec<LocalId>) {
    match &statement.kind {
        StatementKind::Assign { target, .. } | StatementKind::New { target, .. } => locals.push(*target),
        StatementKind::Call { targets, .. } => locals.extend(targets.iter().copied()),
        StatementKind::Package { proof, .. } => {
            let mut own = proof.locals.clone();
            let mut assigned = Vec::new();
            visit_statements(proof, &mut |inner| match &inner.kind {
                StatementKind::Package { proof: block, .. }
                | StatementKind::Block(block)
                | StatementKind::While { body: block, .. } => own.extend(&block.locals),
                StatementKind::If { then, otherwise, .. } => {
                    own.extend(then.locals.iter().chain(&otherwise.locals));
                }
                _ => assigned_by(inner, &mut assigned),
            });
            locals.extend(assigned.iter().filter(|local| !own.contains(local)));
        }
        _ => {}
    }
}
