//! The reachable part of a draft as plain numbers, for the algorithms on graphs.

use super::build::{Draft, Jump, Node};
use super::dominators::reverse_postorder;

/// Numbers are positions in reverse postorder.
pub(super) struct Graph<'d, 'p> {
    pub(super) draft: &'d Draft<'p>,
    /// The node at each position.
    pub(super) order: Vec<usize>,
    /// The position of each node; `usize::MAX` where it cannot be reached.
    pub(super) position: Vec<usize>,
    pub(super) successors: Vec<Vec<usize>>,
    pub(super) predecessors: Vec<Vec<usize>>,
}

impl<'d, 'p> Graph<'d, 'p> {
    pub(super) fn of(draft: &'d Draft<'p>) -> Graph<'d, 'p> {
        let targets = |node: usize| draft.nodes[node].exit.targets().map(|target| target.node);
        let all: Vec<Vec<usize>> = (0..draft.nodes.len()).map(|node| targets(node).collect()).collect();
        let order = reverse_postorder(&all);
        let mut position = vec![usize::MAX; all.len()];
        order.iter().enumerate().for_each(|(index, node)| position[*node] = index);
        let mut successors = Vec::new();
        let mut predecessors = vec![Vec::new(); order.len()];
        for (index, node) in order.iter().enumerate() {
            let targets: Vec<usize> = all[*node].iter().map(|target| position[*target]).collect();
            targets.iter().for_each(|target| predecessors[*target].push(index));
            successors.push(targets);
        }
        Graph { draft, order, position, successors, predecessors }
    }

    pub(super) fn node(&self, index: usize) -> &'d Node<'p> {
        &self.draft.nodes[self.order[index]]
    }

    /// The `goto` that an edge comes from.
    pub(super) fn jump(&self, source: usize, target: usize) -> Option<Jump<'p>> {
        let mut targets = self.node(source).exit.targets();
        targets.find(|found| self.position[found.node] == target).and_then(|found| found.jump)
    }
}
