//! An open-addressing index from hashes to dense numbers.
//!
//! A slot is 32 bits: the number plus one in the low bits, and as many bits of the hash as are left above
//! it, so that nearly every probe of a wrong entry is refused without a look at the entry itself. Slots come
//! in lines of sixteen, one cache line each; a probe starts at a slot chosen by the hash, walks around its
//! line and only then goes on to the next (Laarman, van de Pol, Weber, FMCAD 2010). The index can be thrown
//! away and rebuilt from the entries, so growing never holds two of them.

use crate::StoreFull;

const LINE: usize = 16;
#[derive(Clone, Debug)]
#[repr(align(64))]
struct Line([u32; LINE]);

#[derive(Clone, Debug)]
pub(crate) struct Index {
    lines: Vec<Line>,
    /// Entries that fit before growth.
    capacity: usize,
    len: usize,
    /// Of a hundred slots, how many may be taken before the index grows.
    full_percent: usize,
    /// The bits of a slot that hold the number plus one; the others hold the tag.
    number_mask: u32,
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
        Index { lines: Vec::new(), capacity: 0, len: 0, full_percent, number_mask: 0 }
    }

    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.len >= self.capacity
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.lines.capacity() * size_of::<Line>()
    }

    /// How many lines the index has after growing, for this many entries at least.
    fn next_lines(&self) -> usize {
        (self.lines.len() + self.lines.len() / 2).max(8)
    }

    /// The bytes of the index after its next growth.
    pub(crate) fn next_bytes(&self) -> usize {
        self.next_lines() * size_of::<Line>()
    }

    #[inline]
    fn start(&self, hash: u64) -> Place {
        let line = ((u128::from(hash) * self.lines.len() as u128) >> 64) as usize;
        Place { line, slot: hash as usize & (LINE - 1) }
    }

    /// The tag of a hash, in the bits where a slot has it.
    #[inline]
    fn tag(&self, hash: u64) -> u32 {
        ((hash >> 4) as u32) & !self.number_mask
    }

    /// The number in the first slot that a probe looks at, when its tag fits: a guess, right in most cases
    /// where the entry exists. Guesses for several hashes do not depend on each other, so the processor
    /// waits for all their cache lines at once.
    #[inline]
    pub(crate) fn guess(&self, hash: u64) -> Option<u32> {
        let place = self.start(hash);
        let slot = self.lines[place.line].0[place.slot];
        let number = slot & self.number_mask;
        (number != 0 && slot & !self.number_mask == self.tag(hash)).then(|| number - 1)
    }

    /// Looks for an entry with this hash that `is_it` recognises. The index must not be empty of slots.
    #[inline]
    pub(crate) fn probe(&self, hash: u64, mut is_it: impl FnMut(u32) -> bool) -> Probe {
        let mut place = self.start(hash);
        let tag = self.tag(hash);
        loop {
            let line = &self.lines[place.line].0;
            for step in 0..LINE {
                let slot_number = (place.slot + step) & (LINE - 1);
                let slot = line[slot_number];
                if slot == 0 {
                    return Probe::Vacant(Place { line: place.line, slot: slot_number });
                }
                if slot & !self.number_mask == tag && is_it((slot & self.number_mask) - 1) {
                    return Probe::Found((slot & self.number_mask) - 1);
                }
            }
            place.line += 1;
            if place.line == self.lines.len() {
                place.line = 0;
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
        self.number_mask = u32::MAX >> (self.capacity as u32).leading_zeros();
        for (number, hash) in hashes.enumerate() {
            if let Probe::Vacant(place) = self.probe(hash, |_| false) {
                self.fill(place, hash, number as u32);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::Key;

    /// The mean number of slots that a search for an entry looks at, at the fullest.
    fn mean_probes(hashes: &[u64]) -> f64 {
        let mut index = Index::new(85);
        while index.capacity < hashes.len() {
            index.rebuild(std::iter::empty()).expect("memory");
        }
        // Fill up to the brim, whatever the number of hashes is.
        let lines = (hashes.len() * 100 / 85).div_ceil(LINE);
        index.lines.truncate(lines);
        for (number, &hash) in hashes.iter().enumerate() {
            if let Probe::Vacant(place) = index.probe(hash, |_| false) {
                index.fill(place, hash, number as u32);
            }
        }
        let mut looks = 0;
        for (number, &hash) in hashes.iter().enumerate() {
            let mut place = index.start(hash);
            let mut step = 0;
            while index.lines[place.line].0[(place.slot + step) % LINE] & index.number_mask != number as u32 + 1 {
                step += 1;
                if step == LINE {
                    step = 0;
                    place.line = (place.line + 1) % index.lines.len();
                }
                looks += 1;
            }
            looks += 1;
        }
        looks as f64 / hashes.len() as f64
    }

    #[test]
    fn hashes_of_typical_nodes_spread_evenly() {
        let count = 200_000_u64;
        let grids: [(&str, fn(u64) -> u64); 5] = [
            ("square", |n| n % 447 | (n / 447) << 32),
            ("diagonal", |n| n | n << 32),
            ("one half", |n| n << 32 | 7),
            ("other half", |n| n | 7 << 32),
            ("bytes", |n| (n % 6) << 8 | (n / 6 % 50) << 24 | (n / 300) << 40),
        ];
        for (name, node) in grids {
            let hashes: Vec<u64> = (0..count).map(|n| node(n).hash()).collect();
            let leaves: Vec<u64> = (0..count).map(|n| u128::from(node(n)).hash()).collect();
            let high: Vec<u64> = (0..count).map(|n| (u128::from(node(n)) << 64 | 5).hash()).collect();
            for (part, hashes) in [("node", hashes), ("leaf", leaves), ("high leaf", high)] {
                let mean = mean_probes(&hashes);
                assert!(mean < 5.0, "{name} {part}: {mean}");
            }
        }
    }
}
