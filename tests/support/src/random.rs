//! A small source of numbers: the same seed gives the same numbers on every machine.
//!
//! SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014). Nothing here needs more.

#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    pub fn new(seed: u64) -> Random {
        Random { state: seed.wrapping_mul(0x2545_F491_4F6C_DD1D) ^ 0x6A09_E667_F3BC_C908 }
    }

    /// A source of its own for the n-th of many things, so that each can be made again without the others.
    pub fn nth(seed: u64, index: u64) -> Random {
        let mut random = Random::new(seed);
        let base = random.next();
        Random::new(base ^ index.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    #[expect(clippy::should_implement_trait, reason = "numbers have no end")]
    pub fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below the bound; 0 if there is none.
    pub fn below(&mut self, bound: usize) -> usize {
        if bound == 0 { 0 } else { (self.next() % bound as u64) as usize }
    }

    /// A number between two, both possible.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1).max(1) as usize) as i64
    }

    /// True in `of` out of `out_of` cases.
    pub fn chance(&mut self, of: usize, out_of: usize) -> bool {
        self.below(out_of) < of
    }

    /// One of the items; `None` of none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }

    /// One of the texts, or nothing.
    pub fn word(&mut self, words: &[&'static str]) -> &'static str {
        self.pick(words).copied().unwrap_or("")
    }

    /// An index, by weights.
    pub fn weighted(&mut self, weights: &[usize]) -> usize {
        let mut left = self.below(weights.iter().sum());
        for (index, weight) in weights.iter().enumerate() {
            if left < *weight {
                return index;
            }
            left -= weight;
        }
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_numbers() {
        let numbers = |seed| {
            let mut random = Random::nth(seed, 7);
            (0..8).map(|_| random.below(100)).collect::<Vec<_>>()
        };
        assert_eq!(numbers(1), numbers(1));
        assert_ne!(numbers(1), numbers(2));
    }

    #[test]
    fn bounds_are_kept() {
        let mut random = Random::new(3);
        for _ in 0..1000 {
            assert!((-2..=4).contains(&random.between(-2, 4)));
            assert!(random.weighted(&[0, 1, 0, 2]) % 2 == 1);
        }
    }
}
