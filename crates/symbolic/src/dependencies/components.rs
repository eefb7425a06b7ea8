//! Strongly connected components: Tarjan's algorithm ("Depth-First Search and Linear Graph Algorithms", 1972), with the
//! depth-first search on an explicit stack.

/// The components of a graph, each after all components that its members lead to; members in ascending order.
pub(super) fn components(successors: &[Vec<usize>]) -> Vec<Vec<usize>> {
    const UNSEEN: usize = usize::MAX;
    let mut number = vec![UNSEEN; successors.len()];
    let mut lowest = vec![UNSEEN; successors.len()];
    let mut is_open = vec![false; successors.len()];
    let mut open = Vec::new();
    let mut found = Vec::new();
    let mut count = 0;
    // A node and how many of its successors have been looked at.
    let mut search: Vec<(usize, usize)> = Vec::new();
    for root in 0..successors.len() {
        if number[root] != UNSEEN {
            continue;
        }
        search.push((root, 0));
        while let Some(&mut (node, ref mut done)) = search.last_mut() {
            if *done == 0 {
                (number[node], lowest[node]) = (count, count);
                count += 1;
                open.push(node);
                is_open[node] = true;
            }
            if let Some(&target) = successors[node].get(*done) {
                *done += 1;
                if number[target] == UNSEEN {
                    search.push((target, 0));
                } else if is_open[target] {
                    lowest[node] = lowest[node].min(number[target]);
                }
                continue;
            }
            search.pop();
            if let Some((parent, _)) = search.last() {
                lowest[*parent] = lowest[*parent].min(lowest[node]);
            }
            if lowest[node] == number[node] {
                let start = open.iter().rposition(|member| *member == node).unwrap_or(0);
                let mut members: Vec<usize> = open.drain(start..).collect();
                members.iter().for_each(|member| is_open[*member] = false);
                members.sort_unstable();
                found.push(members);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn reach(successors: &[Vec<usize>], from: usize) -> Vec<bool> {
        let mut seen = vec![false; successors.len()];
        let mut stack = vec![from];
        while let Some(node) = stack.pop() {
            if !std::mem::replace(&mut seen[node], true) {
                stack.extend(&successors[node]);
            }
        }
        seen
    }

    proptest! {
        #[test]
        fn a_component_is_what_reaches_each_other_and_comes_after_what_it_leads_to(
            edges in proptest::collection::vec(proptest::collection::vec(0usize..10, 0..4), 10)
        ) {
            let components = components(&edges);
            let mut position = vec![usize::MAX; edges.len()];
            for (index, members) in components.iter().enumerate() {
                members.iter().for_each(|member| position[*member] = index);
            }
            let reached: Vec<Vec<bool>> = (0..edges.len()).map(|node| reach(&edges, node)).collect();
            for left in 0..edges.len() {
                for right in 0..edges.len() {
                    let together = reached[left][right] && reached[right][left];
                    prop_assert_eq!(together, position[left] == position[right]);
                    prop_assert!(!reached[left][right] || position[right] <= position[left]);
                }
            }
        }
    }

    #[test]
    fn a_long_chain_does_not_overflow_the_stack() {
        let count = 200_000;
        let edges: Vec<Vec<usize>> = (0..count).map(|node| vec![(node + 1) % count]).collect();
        assert_eq!(components(&edges).len(), 1);
        let edges: Vec<Vec<usize>> =
            (0..count).map(|node| if node > 0 { vec![node - 1] } else { vec![] }).collect();
        assert_eq!(components(&edges).len(), count);
    }
}
