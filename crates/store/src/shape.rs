//! The shape of the tree that a state vector is folded into.
//!
//! Up to four neighbouring words are a leaf, and the number of leaves is a power of two, so that the tree is
//! a perfect one: both halves of a vector weigh the same, which keeps the number of distinct nodes near the
//! root small, and the nodes are numbered like a heap: 1 is the root, `2i` and `2i + 1` are the children of
//! `i`, and the leaves come last. Sets of positions are bit sets of 64-bit blocks.

#[derive(Clone, Debug)]
pub(crate) struct Shape {
    width: usize,
    leaves: usize,
    leaf_words: usize,
    /// For each leaf the set of positions from it up to the root, as a row of blocks.
    paths: Vec<u64>,
    blocks: usize,
}

impl Shape {
    pub(crate) fn new(width: usize) -> Self {
        let width = width.max(1);
        // The halves of a short vector are worth a node of their own: as leaves they would be most of what there is to store.
        let most = if width <= 8 { 2 } else { 4 };
        let leaves = width.div_ceil(most).next_power_of_two().max(2);
        let blocks = (2 * leaves).div_ceil(64);
        let mut paths = vec![0; leaves * blocks];
        for (leaf, path) in paths.chunks_exact_mut(blocks).enumerate() {
            let mut position = leaves + leaf;
            while position > 0 {
                path[position / 64] |= 1 << (position % 64);
                position /= 2;
            }
        }
        Shape { width, leaves, leaf_words: width.div_ceil(leaves), paths, blocks }
    }

    /// How many words a vector has.
    #[inline]
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// One more than the highest position.
    #[inline]
    pub(crate) fn positions(&self) -> usize {
        2 * self.leaves
    }

    /// How many blocks a set of positions has.
    #[inline]
    pub(crate) fn blocks(&self) -> usize {
        self.blocks
    }

    #[inline]
    pub(crate) fn is_leaf(&self, position: usize) -> bool {
        position >= self.leaves
    }

    /// The leaves among the positions of a block.
    #[inline]
    pub(crate) fn leaves_in(&self, block: usize) -> u64 {
        match (self.leaves / 64).cmp(&block) {
            std::cmp::Ordering::Less => u64::MAX,
            std::cmp::Ordering::Equal => u64::MAX << (self.leaves % 64),
            std::cmp::Ordering::Greater => 0,
        }
    }

    /// The positions of a block between root and leaves.
    #[inline]
    pub(crate) fn inner_in(&self, block: usize) -> u64 {
        !self.leaves_in(block) & if block == 0 { !3 } else { u64::MAX }
    }

    /// The words of a leaf, which the last leaves may lack.
    #[inline]
    pub(crate) fn words_of(&self, leaf: usize) -> std::ops::Range<usize> {
        let first = ((leaf - self.leaves) * self.leaf_words).min(self.width);
        first..(first + self.leaf_words).min(self.width)
    }

    /// A leaf of a vector.
    #[inline]
    pub(crate) fn leaf(&self, position: usize, words: &[u32]) -> u128 {
        match words[self.words_of(position)] {
            [first, second, third, fourth] => join(first, second) | join(third, fourth) << 64,
            [first, second, third] => join(first, second) | u128::from(third) << 64,
            [first, second] => join(first, second),
            [first] => u128::from(first),
            _ => 0,
        }
    }

    /// The set of all positions.
    pub(crate) fn all(&self, positions: &mut [u64]) {
        positions.fill(0);
        for path in self.paths.chunks_exact(self.blocks) {
            for (block, path) in positions.iter_mut().zip(path) {
                *block |= path;
            }
        }
    }

    /// The set of positions at which two vectors differ.
    #[inline]
    pub(crate) fn changed(&self, old: &[u32], new: &[u32], positions: &mut [u64]) {
        match self.leaf_words {
            4 => self.changed_with::<4>(old, new, positions),
            3 => self.changed_with::<3>(old, new, positions),
            2 => self.changed_with::<2>(old, new, positions),
            _ => self.changed_with::<1>(old, new, positions),
        }
    }

    #[inline]
    fn changed_with<const N: usize>(&self, old: &[u32], new: &[u32], positions: &mut [u64]) {
        positions.fill(0);
        let (old_leaves, old_rest) = old.as_chunks::<N>();
        let (new_leaves, new_rest) = new.as_chunks::<N>();
        // Sixty-four leaves at a time, without a branch that depends on the words.
        for (group, (old, new)) in old_leaves.chunks(64).zip(new_leaves.chunks(64)).enumerate() {
            let mut leaves = 0_u64;
            for (leaf, (old, new)) in old.iter().zip(new).enumerate() {
                let mut difference = 0;
                for word in 0..N {
                    difference |= old[word] ^ new[word];
                }
                leaves |= u64::from(difference != 0) << leaf;
            }
            while leaves != 0 {
                self.add_path(64 * group + leaves.trailing_zeros() as usize, positions);
                leaves &= leaves - 1;
            }
        }
        if old_rest != new_rest {
            self.add_path(old_leaves.len(), positions);
        }
    }

    #[inline]
    fn add_path(&self, leaf: usize, positions: &mut [u64]) {
        let path = &self.paths[leaf * self.blocks..][..self.blocks];
        for (block, path) in positions.iter_mut().zip(path) {
            *block |= path;
        }
    }
}

#[inline]
fn join(low: u32, high: u32) -> u128 {
    u128::from(u64::from(low) | u64::from(high) << 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_word_changes_the_path_from_its_leaf_to_the_root() {
        for width in 1..300 {
            let shape = Shape::new(width);
            let old = vec![0; width];
            let mut all = vec![0; shape.blocks()];
            shape.all(&mut all);
            let mut words = 0;
            for leaf in shape.positions() / 2..shape.positions() {
                assert!(shape.is_leaf(leaf));
                assert!(shape.leaves_in(leaf / 64) >> (leaf % 64) & 1 == 1);
                assert!(shape.inner_in(leaf / 64) >> (leaf % 64) & 1 == 0);
                for word in shape.words_of(leaf) {
                    assert_eq!(word, words);
                    words += 1;
                    let mut new = old.clone();
                    new[word] = 1;
                    let mut changed = vec![0; shape.blocks()];
                    shape.changed(&old, &new, &mut changed);
                    let mut position = leaf;
                    let mut length = 0;
                    while position > 0 {
                        assert!(changed[position / 64] >> (position % 64) & 1 == 1);
                        position /= 2;
                        length += 1;
                    }
                    assert_eq!(changed.iter().map(|block| block.count_ones()).sum::<u32>(), length);
                    assert!(changed.iter().zip(&all).all(|(some, all)| some & !all == 0));
                }
            }
            assert_eq!(words, width);
        }
    }
}
