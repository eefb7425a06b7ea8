//! The shape of the tree that a state vector is folded into.
//!
//! Up to four words are a leaf, and the number of leaves is a power of two, so that the tree is
//! a perfect one: both halves of a vector weigh the same, which keeps the number of distinct nodes near the
//! root small, and the nodes are numbered like a heap: 1 is the root, `2i` and `2i + 1` are the children of
//! `i`, and the leaves come last. Sets of positions are bit sets of 64-bit blocks.
//!
//! Which words make up a leaf is a matter of choice ([`Order`]): a tree has few distinct nodes where words that change together
//! are near each other in it.

use crate::concurrent::unequal;

/// Which words of a vector are near each other.
#[derive(Clone, Debug, Default)]
pub struct Order {
    /// Words that change, such that what changes together is close. All others are spread evenly among them.
    changing: Vec<u32>,
}

impl Order {
    /// The order in which these words come first; words named twice count once.
    pub fn new(changing: Vec<u32>) -> Order {
        Order { changing }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Shape {
    width: usize,
    leaves: usize,
    order: Order,
    /// The words of all leaves, one leaf after another.
    words: Vec<u32>,
    /// Where those of each leaf begin, and where the last ones end.
    starts: Vec<u32>,
    /// For each word the set of positions from its leaf up to the root, as a row of blocks.
    paths: Vec<u64>,
    blocks: usize,
    /// The positions of the leaves, and those between root and leaves, by block.
    kinds: Vec<Kinds>,
}

/// What the positions of a block are.
#[derive(Clone, Copy, Debug)]
struct Kinds {
    leaves: u64,
    inner: u64,
}

/// The words of each leaf: those that change in their order, the others evenly among them.
fn distribute(width: usize, leaves: usize, order: &Order) -> Vec<Vec<u32>> {
    let mut is_known = vec![false; width];
    let mut changing: Vec<u32> = Vec::new();
    for &word in &order.changing {
        if is_known.get(word as usize) == Some(&false) {
            is_known[word as usize] = true;
            changing.push(word);
        }
    }
    let mut resting = (0..width as u32).filter(|word| !is_known[*word as usize]);
    let share = |count: usize, leaf: usize| leaf * count / leaves..(leaf + 1) * count / leaves;
    let mut distributed: Vec<Vec<u32>> =
        (0..leaves).map(|leaf| changing[share(changing.len(), leaf)].to_vec()).collect();
    // Neighbours stay together: one leaf after another is filled, first to its share and then to what it has room for.
    let room = width.div_ceil(leaves);
    for evenly in [true, false] {
        for (leaf, words) in distributed.iter_mut().enumerate() {
            let most = if evenly { share(width, leaf).len() } else { room };
            words.extend(resting.by_ref().take(most.saturating_sub(words.len())));
        }
    }
    distributed
}

impl Kinds {
    /// Those of a block in a tree with so many leaves.
    fn of(leaves: usize, block: usize) -> Kinds {
        let leaves = match (leaves / 64).cmp(&block) {
            std::cmp::Ordering::Less => u64::MAX,
            std::cmp::Ordering::Equal => u64::MAX << (leaves % 64),
            std::cmp::Ordering::Greater => 0,
        };
        // The root is neither, and no position is zero.
        Kinds { leaves, inner: !leaves & if block == 0 { !3 } else { u64::MAX } }
    }
}

impl Shape {
    pub(crate) fn new(width: usize, order: Order) -> Self {
        let width = width.max(1);
        // The halves of a short vector are worth a node of their own: as leaves they would be most of what there is to store.
        let most = if width <= 8 { 2 } else { LEAF_WORDS };
        let leaves = width.div_ceil(most).next_power_of_two().max(2);
        let blocks = (2 * leaves).div_ceil(64);
        let mut paths = vec![0; width * blocks];
        let (mut words, mut starts) = (Vec::with_capacity(width), vec![0]);
        for (leaf, of_leaf) in distribute(width, leaves, &order).into_iter().enumerate() {
            for word in of_leaf {
                words.push(word);
                let path = &mut paths[word as usize * blocks..][..blocks];
                let mut position = leaves + leaf;
                while position > 0 {
                    path[position / 64] |= 1 << (position % 64);
                    position /= 2;
                }
            }
            starts.push(words.len() as u32);
        }
        let kinds = (0..blocks).map(|block| Kinds::of(leaves, block)).collect();
        Shape { width, leaves, order, words, starts, paths, blocks, kinds }
    }

    /// A shape for longer vectors, with the same words near each other.
    pub(crate) fn widened(&self, width: usize) -> Self {
        Shape::new(width, self.order.clone())
    }

    /// The words that were said to change, in their order.
    pub(crate) fn changing(&self) -> &[u32] {
        &self.order.changing
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
        self.kinds[block].leaves
    }

    /// The positions of a block between root and leaves.
    #[inline]
    pub(crate) fn inner_in(&self, block: usize) -> u64 {
        self.kinds[block].inner
    }

    /// The words of a leaf.
    #[inline]
    pub(crate) fn words_of(&self, leaf: usize) -> &[u32] {
        let leaf = leaf - self.leaves;
        &self.words[self.starts[leaf] as usize..self.starts[leaf + 1] as usize]
    }

    /// A leaf of a vector.
    #[inline]
    pub(crate) fn leaf(&self, position: usize, words: &[u32]) -> u128 {
        let word = |word: u32| words[word as usize];
        match *self.words_of(position) {
            [a, b, c, d] => join(word(a), word(b)) | join(word(c), word(d)) << 64,
            [a, b, c] => join(word(a), word(b)) | u128::from(word(c)) << 64,
            [a, b] => join(word(a), word(b)),
            [a] => u128::from(word(a)),
            _ => 0,
        }
    }

    /// The set of all positions.
    pub(crate) fn all(&self, positions: &mut [u64]) {
        positions.fill(0);
        for position in 1..2 * self.leaves {
            positions[position / 64] |= 1 << (position % 64);
        }
    }

    /// The set of positions at which two vectors differ, for shapes of one block.
    #[inline]
    pub(crate) fn changed_in_one_block(&self, old: &[u32], new: &[u32]) -> u64 {
        let mut set = 0;
        differing(old, new, |word| set |= self.paths.get(word).copied().unwrap_or(0));
        set
    }

    /// The set of positions at which two vectors differ.
    pub(crate) fn changed(&self, old: &[u32], new: &[u32], positions: &mut [u64]) {
        positions.fill(0);
        differing(old, new, |word| {
            let path = &self.paths[word * self.blocks..][..self.blocks];
            for (block, path) in positions.iter_mut().zip(path) {
                *block |= path;
            }
        });
    }
}

/// The most words that a leaf has room for.
const LEAF_WORDS: usize = 4;

/// Calls `each` with every word in which two vectors of one length differ, some of them twice. Words are compared four at a time,
/// and branched upon where there is a difference only; the last four overlap with others where that is needed.
#[inline]
fn differing(old: &[u32], new: &[u32], mut each: impl FnMut(usize)) {
    let mut compare = |first: usize, old: &[u32; 4], new: &[u32; 4]| {
        let mut words = unequal(old, new);
        while words != 0 {
            each(first + words.trailing_zeros() as usize);
            words &= words - 1;
        }
    };
    let (mut first, mut old_rest, mut new_rest) = (0, old, new);
    while let (Some((old_words, old_more)), Some((new_words, new_more))) =
        (old_rest.split_first_chunk::<4>(), new_rest.split_first_chunk::<4>())
    {
        compare(first, old_words, new_words);
        (first, old_rest, new_rest) = (first + 4, old_more, new_more);
    }
    if old_rest.is_empty() {
        return;
    }
    match (old.last_chunk::<4>(), new.last_chunk::<4>()) {
        (Some(old_words), Some(new_words)) => compare(old.len() - 4, old_words, new_words),
        _ => (0..old.len()).filter(|&word| old[word] != new[word]).for_each(each),
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
            let changing = (0..width as u32 / 2).map(|word| word * 7 % (width as u32 + 3)).collect();
            let shape = Shape::new(width, Order::new(changing));
            let old = vec![0; width];
            let mut all = vec![0; shape.blocks()];
            shape.all(&mut all);
            let mut words = vec![0; width];
            for leaf in shape.positions() / 2..shape.positions() {
                assert!(shape.is_leaf(leaf));
                assert!(shape.leaves_in(leaf / 64) >> (leaf % 64) & 1 == 1);
                assert!(shape.inner_in(leaf / 64) >> (leaf % 64) & 1 == 0);
                assert!(shape.words_of(leaf).len() <= LEAF_WORDS);
                for (place, &word) in shape.words_of(leaf).iter().enumerate() {
                    words[word as usize] += 1;
                    let mut new = old.clone();
                    new[word as usize] = 1;
                    assert_eq!(shape.leaf(leaf, &new), 1 << (32 * place));
                    let mut changed = vec![0; shape.blocks()];
                    shape.changed(&old, &new, &mut changed);
                    if let [changed] = changed[..] {
                        assert_eq!(shape.changed_in_one_block(&old, &new), changed);
                    }
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
            assert_eq!(words, vec![1; width], "every word is in one leaf");
        }
    }

    #[test]
    fn words_that_change_are_spread_over_both_halves() {
        let shape = Shape::new(18, Order::new((0..18).rev().collect()));
        let half =
            |leaves: std::ops::Range<usize>| leaves.map(|leaf| shape.words_of(leaf).len()).sum::<usize>();
        assert_eq!((half(8..12), half(12..16)), (9, 9));
        assert_eq!(shape.words_of(8)[0], 17);
    }
}
