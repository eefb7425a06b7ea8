//! Checks what the engine relies on in a graph. A violation is a fault of the construction, never of the input.

use super::{BlockId, ControlFlow, EdgeKind, LoopId, Terminator};

/// The first rule that the graph breaks.
pub fn check_graph(flow: &ControlFlow<'_>) -> Option<String> {
    for (index, found) in flow.loops.iter().enumerate() {
        let id = LoopId(index as u32);
        if found.blocks.first() != Some(&found.head) || flow.block(found.head).heads != Some(id) {
            return Some(format!("{id:?} does not begin with its head"));
        }
        if let Some(parent) = found.parent
            && (parent >= id || !found.blocks.iter().all(|block| is_in(flow, parent, *block)))
        {
            return Some(format!("{id:?} is not inside the loop around it"));
        }
        if let Some(block) =
            found.blocks.iter().find(|block| !flow.loops_around(**block).any(|near| near == id))
        {
            return Some(format!("{block:?} does not know that it is in {id:?}"));
        }
    }
    for (index, block) in flow.blocks.iter().enumerate() {
        let source = BlockId(index as u32);
        if let Some(outside) = flow.loops_around(source).find(|id| !is_in(flow, *id, source)) {
            return Some(format!("{outside:?} does not know that {source:?} is in it"));
        }
        if matches!(block.terminator, Terminator::Return) && block.innermost.is_some() {
            return Some(format!("{source:?} ends the body inside a loop"));
        }
        for edge in block.terminator.edges() {
            let around = |block| flow.loops_around(block).collect::<Vec<_>>();
            let (here, there) = (around(source), around(edge.target));
            let mut after = here.clone();
            after.retain(|id| !edge.leaves.contains(id));
            let left = &here[..edge.leaves.len().min(here.len())];
            let expected = match edge.kind {
                EdgeKind::Plain => there.clone(),
                EdgeKind::Back(_) if flow.block(edge.target).heads == there.first().copied() => there.clone(),
                EdgeKind::Enter(_) if flow.block(edge.target).heads == there.first().copied() => {
                    there[1..].to_vec()
                }
                _ => return Some(format!("an edge of {source:?} has the wrong kind")),
            };
            if left != edge.leaves || after != expected {
                return Some(format!("an edge of {source:?} leaves the wrong loops"));
            }
            if matches!(edge.kind, EdgeKind::Back(_)) != (edge.target <= source) {
                return Some(format!("an edge of {source:?} goes back, or is said to, but not both"));
            }
        }
    }
    None
}

fn is_in(flow: &ControlFlow<'_>, id: LoopId, block: BlockId) -> bool {
    flow.get_loop(id).blocks.binary_search(&block).is_ok()
}
