//! An index from hashes to dense numbers.
//!
//! A slot is 32 bits: the number plus one in the low bits, and as many bits of the hash as are left above
//! it, so that nearly every wrong entry is refused without a look at the entry itself. Slots come in lines of
//! sixteen, one cache line each, which are compared as a whole, without a branch per slot. A line is filled
//! from its first slot on, and when it is full the next one is taken (Laarman, van de Pol, Weber, FMCAD 2010,
//! walk the line in the same way). The index can be thrown away and rebuilt from the entries, so growing
//! never holds two of them.

use crate::StoreFull;
use crate::line::{LINE, Line};

#[derive(Clone, Debug)]
pub(crate) struct Index {
    lines: Vec<Line>,
    /// Entries that fit before growth.
    capacity: usize,
    len: usize,
    /// Of a hundred slots, how many may be taken before the index grows.
    full_percent: usize,
    /// The bits of a slot that hold the tag; the others hold the number plus one.
    tag_mask: u32,
}

/// Where a probe ended.
pub(crate) enum Probe {
    Found(u32),
    /// The entry is absent; this slot is the place for it.
    Vacant(Place),
}

#[derive(Clone, Copy)]
pub(crate) struct Place {
    line: usize,
    slot: usize,
}

impl Index {
    pub(crate) fn new(full_percent: usize) -> Self {
        Index { lines: Vec::new(), capacity: 0, len: 0, full_percent, tag_mask: 0 }
    }

    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.len >= self.capacity
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.lines.capacity() * size_of::<Line>()
    }

    /// How many lines the index has after growing.
    fn next_lines(&self) -> usize {
        (self.lines.len() + self.lines.len() / 3).max(8)
    }

    /// The bytes of the index after its next growth.
    pub(crate) fn next_bytes(&self) -> usize {
        self.next_lines() * size_of::<Line>()
    }

    #[inline]
    fn line(&self, hash: u64) -> usize {
        ((u128::from(hash) * self.lines.len() as u128) >> 64) as usize
    }

    /// The tag of a hash, in the bits where a slot has it.
    #[inline]
    fn tag(&self, hash: u64) -> u32 {
        hash as u32 & self.tag_mask
    }

    /// Reads a word of the line where a probe for this hash will begin, and makes nothing of it. The reads
    /// for several hashes do not depend on each other, so the processor waits for all of them at once.
    #[inline]
    pub(crate) fn touch(&self, hash: u64) {
        if let Some(line) = self.lines.get(self.line(hash)) {
            std::hint::black_box(line.0[0]);
        }
    }

    /// Looks for an entry with this hash that `is_it` recognises. The index must have a free slot.
    #[inline]
    pub(crate) fn probe(&self, hash: u64, mut is_it: impl FnMut(u32) -> bool) -> Probe {
        let mut line = self.line(hash);
        let tag = self.tag(hash);
        loop {
            let slots = &self.lines[line];
            let mut matches = slots.matches(tag, self.tag_mask);
            while matches != 0 {
                let slot = slots.0[matches.trailing_zeros() as usize % LINE];
                matches &= matches - 1;
                // Without a tag to compare, empty slots match as well.
                let number = (slot & !self.tag_mask).wrapping_sub(1);
                if slot != 0 && is_it(number) {
                    return Probe::Found(number);
                }
            }
            if slots.0[LINE - 1] == 0 {
                return Probe::Vacant(Place { line, slot: slots.taken() });
            }
            line += 1;
            if line == self.lines.len() {
                line = 0;
            }
        }
    }

    /// Fills the slot that a probe with this hash found vacant. The index must not be full.
    #[inline]
    pub(crate) fn fill(&mut self, place: Place, hash: u64, number: u32) {
        let tag = self.tag(hash);
        self.lines[place.line].0[place.slot] = tag | (number + 1);
        self.len += 1;
    }

    /// Grows and takes in the entries anew, given their hashes in the order of their numbers.
    pub(crate) fn rebuild(&mut self, hashes: impl Iterator<Item = u64>) -> Result<(), StoreFull> {
        let lines = self.next_lines();
        self.lines = Vec::new();
        self.lines.try_reserve_exact(lines).map_err(|_| StoreFull::OutOfMemory)?;
        self.lines.resize(lines, Line([0; LINE]));
        self.capacity = (lines * LINE * self.full_percent / 100).min(u32::MAX as usize - 1);
        self.len = 0;
        // The largest value to be held is `capacity` itself: numbers end below it and one is added.
        self.tag_mask = !(u32::MAX >> (self.capacity as u32).leading_zeros());
        for (number, hash) in hashes.enumerate() {
            let mut line = self.line(hash);
            while self.lines[line].0[LINE - 1] != 0 {
                line = (line + 1) % lines;
            }
            let slot = self.lines[line].taken();
            self.fill(Place { line, slot }, hash, number as u32);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::Key;
    use crate::tree::ROOTS_FULL_PERCENT;

    /// The share of entries that are not in the line where a probe for them begins, in an index that is as
    /// full as the roots' may be.
    fn overflowing(hashes: &[u64]) -> f64 {
        let mut index = Index::new(ROOTS_FULL_PERCENT);
        while index.capacity < hashes.len() {
            index.rebuild(std::iter::empty()).expect("memory");
        }
        index.lines.truncate((hashes.len() * 100 / ROOTS_FULL_PERCENT).div_ceil(LINE));
        let mut overflowing = 0;
        for (number, &hash) in hashes.iter().enumerate() {
            let Probe::Vacant(place) = index.probe(hash, |_| false) else {
                panic!("found what is not there")
            };
            overflowing += usize::from(place.line != index.line(hash));
            index.fill(place, hash, number as u32);
        }
        overflowing as f64 / hashes.len() as f64
    }

    #[test]
    fn hashes_of_typical_nodes_spread_evenly() {
        let count = 200_000_u64;
        type Grid = fn(u64) -> u64;
        let grids: [(&str, Grid); 5] = [
            ("square", |n| (n % 447) | ((n / 447) << 32)),
            ("diagonal", |n| n | (n << 32)),
            ("one half", |n| (n << 32) | 7),
            ("other half", |n| n | (7 << 32)),
            ("bytes", |n| ((n % 6) << 8) | ((n / 6 % 50) << 24) | ((n / 300) << 40)),
        ];
        for (name, node) in grids {
            let nodes: Vec<u64> = (0..count).map(|n| node(n).hash()).collect();
            let low: Vec<u64> = (0..count).map(|n| u128::from(node(n)).hash()).collect();
            let high: Vec<u64> = (0..count).map(|n| (u128::from(node(n)) << 64 | 5).hash()).collect();
            for (part, hashes) in [("node", nodes), ("low half", low), ("high half", high)] {
                let share = overflowing(&hashes);
                assert!(share < 0.2, "{name} {part}: {share}");
                let tags: std::collections::HashSet<u32> =
                    hashes.iter().map(|&hash| hash as u32 >> 18).collect();
                assert!(tags.len() > 16_000, "{name} {part}: {} tags", tags.len());
            }
        }
    }
}
