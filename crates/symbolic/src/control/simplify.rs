//! Removes blocks that only pass control on, and joins blocks that always follow each other.
//!
//! Loops are known already, so nothing here changes what an edge enters or leaves: the edges that are joined are
//! traversed together in any case.

use super::{BasicBlock, BlockId, ControlFlow, Edge, EdgeKind, Terminator};

pub(super) fn simplify(mut flow: ControlFlow<'_>) -> ControlFlow<'_> {
    skip_empty_blocks(&mut flow.blocks);
    let keep = join_chains(&mut flow.blocks);
    renumber(flow, &keep)
}

/// Leads edges past empty blocks.
fn skip_empty_blocks(blocks: &mut [BasicBlock<'_>]) {
    // The blocks after a block that is not passed by a back edge come later, so they have been dealt with.
    for index in (0..blocks.len()).rev() {
        let mut terminator = std::mem::replace(&mut blocks[index].terminator, Terminator::Return);
        for edge in terminator.edges_mut() {
            let next = &blocks[edge.target.index()];
            if next.heads.is_none()
                && next.instructions.is_empty()
                && let Terminator::Goto(onward) = &next.terminator
            {
                edge.leaves.extend(&onward.leaves);
                (edge.target, edge.kind) = (onward.target, onward.kind);
            }
        }
        blocks[index].terminator = terminator;
    }
}

/// Moves the contents of a block to the end of its only predecessor, where that has no other successor. Returns which
/// blocks are left.
fn join_chains(blocks: &mut [BasicBlock<'_>]) -> Vec<bool> {
    // Only what is still reachable counts as a predecessor.
    let mut incoming = vec![0usize; blocks.len()];
    incoming[0] = 1;
    for index in 0..blocks.len() {
        if incoming[index] > 0 {
            blocks[index].terminator.edges().for_each(|edge| incoming[edge.target.index()] += 1);
        }
    }
    let mut keep: Vec<bool> = incoming.iter().map(|count| *count > 0).collect();
    for index in 0..blocks.len() {
        if !keep[index] {
            continue;
        }
        while let Terminator::Goto(Edge { target, kind: EdgeKind::Plain, leaves }) = &blocks[index].terminator
            && leaves.is_empty()
            && incoming[target.index()] == 1
        {
            let target = target.index();
            keep[target] = false;
            let mut moved = std::mem::take(&mut blocks[target].instructions);
            let terminator = std::mem::replace(&mut blocks[target].terminator, Terminator::Return);
            blocks[index].instructions.append(&mut moved);
            blocks[index].terminator = terminator;
        }
    }
    keep
}

fn renumber<'p>(flow: ControlFlow<'p>, keep: &[bool]) -> ControlFlow<'p> {
    let ControlFlow { blocks, mut loops, unused_invariants } = flow;
    let mut next = 0;
    let mut number = Vec::new();
    for kept in keep {
        number.push(BlockId(next));
        next += u32::from(*kept);
    }
    let mut kept = Vec::new();
    for (mut block, _) in blocks.into_iter().zip(keep).filter(|(_, kept)| **kept) {
        for edge in block.terminator.edges_mut() {
            edge.target = number[edge.target.index()];
        }
        kept.push(block);
    }
    for found in &mut loops {
        found.head = number[found.head.index()];
        found.blocks.retain(|block| keep[block.index()]);
        found.blocks.iter_mut().for_each(|block| *block = number[block.index()]);
    }
    ControlFlow { blocks: kept, loops, unused_invariants }
}
