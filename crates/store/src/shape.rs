//! The shape of the tree that a state vector is folded into.
//!
//! Pairs of neighbouring words are the lowest nodes; above them the tree is as balanced as the number of
//! pairs allows, which keeps both the paths and, for vectors of loosely coupled halves, the upper levels
//! short. Nodes are numbered by height, so children come before parents and the root comes last.

#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pairs: usize,
    /// The children of the inner nodes, which are numbered from `pairs` on.
    children: Vec<[u32; 2]>,
    /// For each pair the set of nodes from it up to the root, as a bit set of `blocks` words.
    paths: Vec<u64>,
    blocks: usize,
}

impl Shape {
    pub(crate) fn new(words: usize) -> Self {
        let pairs = words.div_ceil(2).max(1);
        let mut unordered: Vec<Draft> = (0..pairs).map(|_| Draft { height: 0, children: [0, 0] }).collect();
        draft(&mut unordered, 0, pairs);

        // A stable sort by height keeps the pairs in front and in their order.
        let mut order: Vec<usize> = (0..unordered.len()).collect();
        order.sort_by_key(|&node| unordered[node].height);
        let mut number = vec![0_u32; unordered.len()];
        for (new, &old) in order.iter().enumerate() {
            number[old] = new as u32;
        }
        let children: Vec<[u32; 2]> =
            order[pairs..].iter().map(|&old| unordered[old].children.map(|child| number[child])).collect();

        let nodes = unordered.len();
        let blocks = nodes.div_ceil(64);
        let mut parent = vec![None; nodes];
        for (inner, pair) in children.iter().enumerate() {
            for &child in pair {
                parent[child as usize] = Some(pairs + inner);
            }
        }
        let mut paths = vec![0_u64; pairs * blocks];
        for (pair, path) in paths.chunks_exact_mut(blocks).enumerate() {
            let mut node = Some(pair);
            while let Some(number) = node {
                path[number / 64] |= 1 << (number % 64);
                node = parent[number];
            }
        }
        Shape { pairs, children, paths, blocks }
    }

    #[inline]
    pub(crate) fn pairs(&self) -> usize {
        self.pairs
    }

    #[inline]
    pub(crate) fn root(&self) -> usize {
        2 * self.pairs - 2
    }

    /// How many nodes the tree has, the root included.
    #[inline]
    pub(crate) fn nodes(&self) -> usize {
        2 * self.pairs - 1
    }

    /// How many 64-bit words a set of nodes takes.
    #[inline]
    pub(crate) fn blocks(&self) -> usize {
        self.blocks
    }

    /// The two children of a node that is not a pair.
    #[inline]
    pub(crate) fn children(&self, node: usize) -> [usize; 2] {
        self.children[node - self.pairs].map(|child| child as usize)
    }

    /// The nodes from a pair up to the root, both included.
    #[inline]
    pub(crate) fn path(&self, pair: usize) -> &[u64] {
        &self.paths[pair * self.blocks..(pair + 1) * self.blocks]
    }
}

struct Draft {
    height: u32,
    children: [usize; 2],
}

/// Drafts the tree over a range of pairs; it recurses as deep as the logarithm of their number.
fn draft(nodes: &mut Vec<Draft>, from: usize, to: usize) -> usize {
    if to - from == 1 {
        return from;
    }
    let middle = from + (to - from).div_ceil(2);
    let children = [draft(nodes, from, middle), draft(nodes, middle, to)];
    let height = 1 + children.iter().map(|&child| nodes[child].height).max().unwrap_or(0);
    nodes.push(Draft { height, children });
    nodes.len() - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_come_before_their_parents_and_the_root_is_last() {
        for words in 1..300 {
            let shape = Shape::new(words);
            let mut seen = vec![false; shape.nodes()];
            for node in shape.pairs()..shape.nodes() {
                for child in shape.children(node) {
                    assert!(child < node);
                    assert!(!seen[child], "two parents");
                    seen[child] = true;
                }
            }
            assert_eq!(seen.iter().filter(|&&has_parent| !has_parent).count(), 1);
            assert!(!seen[shape.root()]);
        }
    }

    #[test]
    fn paths_are_as_short_as_a_balanced_tree_allows() {
        let shape = Shape::new(60);
        for pair in 0..shape.pairs() {
            let length: u32 = shape.path(pair).iter().map(|block| block.count_ones()).sum();
            assert!((5..=6).contains(&length));
        }
    }
}
