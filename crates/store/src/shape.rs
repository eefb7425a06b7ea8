//! The shape of the tree that a state vector is folded into.
//!
//! Up to four neighbouring words are a leaf, and the number of leaves is a power of two, so that the tree is
//! a perfect one: both halves of a vector weigh the same, which keeps the number of distinct nodes near the
//! root small, and the nodes are numbered like a heap: 1 is the root, `2i` and `2i + 1` are the children of
//! `i`, and the leaves come last.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    width: usize,
    leaves: usize,
    leaf_words: usize,
}

impl Shape {
    pub(crate) fn new(width: usize) -> Self {
        let width = width.max(1);
        let leaves = width.div_ceil(4).next_power_of_two().max(2);
        Shape { width, leaves, leaf_words: width.div_ceil(leaves) }
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

    #[inline]
    pub(crate) fn is_leaf(&self, position: usize) -> bool {
        position >= self.leaves
    }

    /// The position of the leaf that has this word.
    #[inline]
    pub(crate) fn leaf_of(&self, word: usize) -> usize {
        self.leaves
            + match self.leaf_words {
                4 => word / 4,
                3 => word / 3,
                2 => word / 2,
                _ => word,
            }
    }

    /// The words of a leaf, which the last leaves may lack.
    #[inline]
    pub(crate) fn words_of(&self, leaf: usize) -> std::ops::Range<usize> {
        let first = ((leaf - self.leaves) * self.leaf_words).min(self.width);
        first..(first + self.leaf_words).min(self.width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_in_the_leaf_that_has_it() {
        for width in 1..300 {
            let shape = Shape::new(width);
            let mut words = 0;
            for leaf in (0..shape.positions()).filter(|&position| shape.is_leaf(position)) {
                for word in shape.words_of(leaf) {
                    assert_eq!(word, words);
                    assert_eq!(shape.leaf_of(word), leaf);
                    words += 1;
                }
                assert!(shape.words_of(leaf).len() <= 4);
            }
            assert_eq!(words, width);
        }
    }
}
