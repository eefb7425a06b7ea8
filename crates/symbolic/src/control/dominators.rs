//! Reverse postorder and dominators of a graph.
//!
//! Dominators by the iteration of Cooper, Harvey and Kennedy ("A Simple, Fast Dominance Algorithm", 2001) over blocks
//! in reverse postorder; questions are answered by the numbering of a walk over the dominator tree.

/// The nodes that can be reached from node 0, each before its successors except along retreating edges. A node's
/// first successor comes before its second wherever the graph leaves a choice.
pub(super) fn reverse_postorder(successors: &[Vec<usize>]) -> Vec<usize> {
    let mut seen = vec![false; successors.len()];
    let mut order = Vec::new();
    // A node and how many of its successors have been looked at, from the last.
    let mut stack = vec![(0, 0)];
    seen[0] = true;
    while let Some((node, done)) = stack.last_mut() {
        let targets = &successors[*node];
        if *done == targets.len() {
            order.push(*node);
            stack.pop();
            continue;
        }
        *done += 1;
        let target = targets[targets.len() - *done];
        if !std::mem::replace(&mut seen[target], true) {
            stack.push((target, 0));
        }
    }
    order.reverse();
    order
}

/// The dominator of each node; nodes are numbered in reverse postorder, all reachable.
pub(super) struct Dominators {
    /// When the walk over the dominator tree enters a node and when it has left it.
    entered: Vec<usize>,
    left: Vec<usize>,
}

impl Dominators {
    pub(super) fn of(predecessors: &[Vec<usize>]) -> Dominators {
        let immediate = immediate_dominators(predecessors);
        let count = immediate.len();
        // A node's dominator has a smaller number, so sizes of subtrees can be summed from the end.
        let mut size = vec![1; count];
        for node in (1..count).rev() {
            size[immediate[node]] += size[node];
        }
        let mut entered = vec![0; count];
        let mut next = vec![1; count];
        for node in 1..count {
            let parent = immediate[node];
            entered[node] = next[parent];
            next[parent] += size[node];
            next[node] = entered[node] + 1;
        }
        let left = entered.iter().zip(&size).map(|(entered, size)| entered + size).collect();
        Dominators { entered, left }
    }

    /// Whether every path from the entry to `below` goes through `above`; a node dominates itself.
    pub(super) fn dominates(&self, above: usize, below: usize) -> bool {
        self.entered[above] <= self.entered[below] && self.entered[below] < self.left[above]
    }
}

fn immediate_dominators(predecessors: &[Vec<usize>]) -> Vec<usize> {
    const UNKNOWN: usize = usize::MAX;
    // Descending: neighbours are met first, so that many jumps to one late label cost one walk in all.
    let mut predecessors = predecessors.to_vec();
    predecessors.iter_mut().for_each(|list| list.sort_unstable_by(|left, right| right.cmp(left)));
    let mut immediate = vec![UNKNOWN; predecessors.len()];
    immediate[0] = 0;
    let mut changed = true;
    while changed {
        changed = false;
        for node in 1..predecessors.len() {
            let known = predecessors[node].iter().copied().filter(|source| immediate[*source] != UNKNOWN);
            let meet = known.reduce(|mut left, mut right| {
                while left != right {
                    while left > right {
                        left = immediate[left];
                    }
                    while right > left {
                        right = immediate[right];
                    }
                }
                left
            });
            if let Some(meet) = meet
                && immediate[node] != meet
            {
                immediate[node] = meet;
                changed = true;
            }
        }
    }
    immediate
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn reachable_without(successors: &[Vec<usize>], removed: Option<usize>) -> Vec<bool> {
        let mut seen = vec![false; successors.len()];
        let mut stack = if removed == Some(0) { Vec::new() } else { vec![0] };
        while let Some(node) = stack.pop() {
            if Some(node) != removed && !std::mem::replace(&mut seen[node], true) {
                stack.extend(&successors[node]);
            }
        }
        seen
    }

    proptest! {
        #[test]
        fn a_node_dominates_what_cannot_be_reached_without_it(
            edges in proptest::collection::vec(proptest::collection::vec(0usize..12, 0..3), 12)
        ) {
            let order = reverse_postorder(&edges);
            let reached = reachable_without(&edges, None);
            prop_assert_eq!(order.len(), reached.iter().filter(|seen| **seen).count());
            let mut position = vec![0; edges.len()];
            for (index, node) in order.iter().enumerate() {
                position[*node] = index;
            }
            let mut predecessors = vec![Vec::new(); order.len()];
            for (index, node) in order.iter().enumerate() {
                edges[*node].iter().for_each(|target| predecessors[position[*target]].push(index));
            }
            let dominators = Dominators::of(&predecessors);
            for (above, node) in order.iter().enumerate() {
                let still = reachable_without(&edges, Some(*node));
                for (below, other) in order.iter().enumerate() {
                    prop_assert_eq!(dominators.dominates(above, below), !still[*other]);
                }
            }
        }
    }
}
