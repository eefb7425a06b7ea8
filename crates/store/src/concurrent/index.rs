//! An index from hashes to numbers that grows while workers insert.
//!
//! A slot is 32 bits: the number plus one in the low bits, and as many bits of the hash as are left above it, so that
//! nearly every wrong entry is refused without a look at the entry itself. Slots come in lines, one cache line each,
//! which are compared as a whole. A line is filled from its first slot on, and when it is full the next one is taken
//! (Laarman, van de Pol, Weber, FMCAD 2010, walk the line in the same way).
//!
//! **Insertion.** What a number stands for is written first; then number and tag are published by one exchange of the first
//! slot that was seen empty. All before it were seen filled, which is final, and none behind it is filled, since that needs
//! a look at this one: so nobody has inserted the same elsewhere. Whoever loses looks at the line again. Nobody waits.
//!
//! **Growth.** The highest bits of a hash choose a segment, and segments grow alone. The empty slots of the old lines are
//! frozen, one by one, so that late insertions fail, and the entries are copied into new lines, which take the place of the
//! old ones when they are complete. Whoever needs the new lines helps: copying an entry twice does no harm, since a number
//! is found again, so a worker that was put to sleep in the middle holds up nobody. Searching the old lines meanwhile is
//! right as far as it finds something. Old lines are freed when every worker has come past a safe point
//! ([`crate::safe_points`]). Never are there two copies of more than one segment for each worker that grows one.

use std::ops::Range;

use super::line::{FROZEN, LINE, Line, Look};
use super::memory::Memory;
use crate::StoreFull;
use crate::budget::Budget;
use crate::sync::{AtomicU32, AtomicU64, Mutex, Ordering, lock, yield_now};

/// How many of the highest bits of a hash choose a segment: the more there are, the less memory is held twice.
pub(crate) const SEGMENT_BITS: u32 = if cfg!(loom) { 0 } else { 6 };
pub(crate) const SEGMENTS: usize = 1 << SEGMENT_BITS;

/// Lines that a worker copies before it looks whether there is something left to copy.
const PORTION: usize = if cfg!(loom) { 1 } else { 64 };

/// The bits of a word that hold an address of a line.
const ADDRESS: u64 = 0xFFFF_FFFF_FFC0;

/// Lines of a segment, as one word: the address in the middle, the size class from bit 48, and from bit 58 how many bits of
/// a slot hold the number. Zero: there are none yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Lines(u64);

impl Lines {
    #[inline]
    fn class(self) -> u32 {
        (self.0 >> 48) as u32 & 0x3FF
    }

    /// How many lines there are.
    #[inline]
    fn len(self) -> usize {
        len_of(self.class())
    }

    #[inline]
    fn number_bits(self) -> u64 {
        self.0 >> 58
    }

    /// The bits of a slot that hold the tag; the others hold the number plus one.
    #[inline]
    fn tag_mask(self) -> u32 {
        (u64::MAX << self.number_bits()) as u32
    }

    #[inline]
    fn first(self) -> *const Line {
        std::ptr::with_exposed_provenance((self.0 & ADDRESS) as usize)
    }

    #[inline]
    fn line(&self, position: usize) -> &Line {
        debug_assert!(position < self.len());
        // SAFETY: the address is that of `len` lines, and whoever holds this value has not come past a safe point since it
        // read it from the index, so they are not freed.
        #[allow(unsafe_code)]
        unsafe {
            &*self.first().add(position)
        }
    }

    /// Where a probe for a hash begins.
    #[inline]
    fn home(self, hash: u64) -> usize {
        ((u128::from(hash << SEGMENT_BITS) * self.len() as u128) >> 64) as usize
    }
}

/// How many lines there are in a class: its low five bits are a fraction, those above an exponent.
#[inline]
fn len_of(class: u32) -> usize {
    if cfg!(loom) { 1 + class as usize } else { (32 | (class as usize & 31)) << (class >> 5) >> 4 }
}

/// How many classes lines of a class grow by: 32 are twice as many lines. As long as there are few, what counts is how often
/// entries are moved; later, how much of the lines is in use.
fn step(class: u32) -> u32 {
    match len_of(class) {
        _ if cfg!(loom) => 1,
        lines if lines < FEW_LINES => 32,
        lines if lines < MANY_LINES => 24,
        _ => 16,
    }
}

/// With less than this a segment doubles when it grows.
const FEW_LINES: usize = 256;

/// From this on it grows by the least: as many entries as all segments have then are moved seldom enough.
const MANY_LINES: usize = 2048;

/// The first class of a segment. Segments fill up evenly, so they begin with different sizes: then some of them grow at any
/// time, in place of all at once, and the index as a whole is always equally full.
fn first_class(segment: usize) -> u32 {
    if cfg!(loom) { 0 } else { segment as u32 % 32 }
}

/// Lines that are out of use; freed when dropped.
pub(crate) struct Retired {
    _lines: Memory<Line>,
    pub(crate) bytes: usize,
}

#[derive(Debug)]
pub(crate) struct Index {
    /// The lines of each segment.
    lines: [AtomicU64; SEGMENTS],
    /// The lines that are to take their place; the same ones while a segment does not grow. A word never comes again, since
    /// classes and bits only rise: whoever comes late finds another one.
    next: [AtomicU64; SEGMENTS],
    /// How many portions of old lines somebody has begun to copy, and how many are copied; see [`Index::claim`].
    begun: [AtomicU64; SEGMENTS],
    copied: [AtomicU64; SEGMENTS],
    /// Who owns the lines.
    owned: Mutex<Vec<Memory<Line>>>,
    /// The slots that workers have filled or set aside for themselves.
    taken: [AtomicU32; SEGMENTS],
    /// Of a hundred slots, how many may be taken before a segment grows.
    full_percent: usize,
}

/// Where a probe ended.
pub(crate) enum Probe {
    Found(u32),
    /// The entry is absent; this slot is the place for it.
    Vacant(Place),
    /// The entry may be in new lines; these are old.
    Moved(Stale),
}

#[derive(Clone, Copy)]
pub(crate) struct Place {
    lines: Lines,
    line: usize,
    slot: usize,
}

/// Where a probe begins, as long as the lines are these.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Start {
    lines: Lines,
    home: usize,
}

/// The lines of a segment that must grow, or have grown.
#[derive(Clone, Copy)]
pub(crate) struct Stale {
    segment: usize,
    lines: Lines,
}

#[inline]
fn segment_of(hash: u64) -> usize {
    if SEGMENT_BITS == 0 { 0 } else { (hash >> (64 - SEGMENT_BITS)) as usize }
}

impl Index {
    pub(crate) fn new(full_percent: usize) -> Self {
        Index {
            lines: std::array::from_fn(|_| AtomicU64::new(0)),
            next: std::array::from_fn(|_| AtomicU64::new(0)),
            begun: std::array::from_fn(|_| AtomicU64::new(0)),
            copied: std::array::from_fn(|_| AtomicU64::new(0)),
            owned: Mutex::new(Vec::new()),
            taken: std::array::from_fn(|_| AtomicU32::new(0)),
            full_percent,
        }
    }

    /// Where a probe for a hash begins. The line there is fetched, so that the processor waits for several of them at once.
    #[inline]
    pub(crate) fn start(&self, hash: u64) -> Start {
        let lines = Lines(self.lines[segment_of(hash)].load(Ordering::Acquire));
        let start = Start { lines, home: if lines.0 == 0 { 0 } else { lines.home(hash) } };
        #[cfg(all(target_arch = "x86_64", not(loom)))]
        // SAFETY: a prefetch reads nothing that can be observed, whatever the address.
        #[allow(unsafe_code)]
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(lines.first().wrapping_add(start.home).cast());
        }
        start
    }

    /// Looks for an entry with this hash that `is_it` recognises. `start` is what [`Index::start`] has said of it since the last
    /// safe point: it may be out of date.
    #[inline]
    pub(crate) fn probe(&self, hash: u64, start: Start, mut is_it: impl FnMut(u32) -> bool) -> Probe {
        let segment = segment_of(hash);
        let lines = Lines(self.lines[segment].load(Ordering::Acquire));
        if lines.0 == 0 {
            return Probe::Moved(Stale { segment, lines });
        }
        let home = if lines == start.lines { start.home } else { lines.home(hash) };
        let (mask, len) = (lines.tag_mask(), lines.len());
        let tag = hash as u32 & mask;
        let mut line = home;
        loop {
            let slots = lines.line(line);
            let Look { mut matches, empty } = slots.look(tag, mask);
            while matches != 0 {
                let slot = slots.slot(matches.trailing_zeros() as usize);
                matches &= matches - 1;
                // Without a tag to compare, empty slots match as well; a tag of ones matches frozen ones.
                let number = (slot & !mask).wrapping_sub(1);
                if slot != 0 && slot != FROZEN && is_it(number) {
                    return Probe::Found(number);
                }
            }
            if empty != 0 {
                return Probe::Vacant(Place { lines, line, slot: empty.trailing_zeros() as usize });
            }
            if slots.is_frozen() {
                return Probe::Moved(Stale { segment, lines });
            }
            line += 1;
            if line == len {
                line = 0;
            }
            if line == home {
                // Every slot is taken: workers have set aside more than there is.
                return Probe::Moved(Stale { segment, lines });
            }
        }
    }

    /// Publishes a number in the slot that a probe with this hash found vacant. False: it is taken meanwhile, or the number
    /// has too many bits; probe again, or let the lines grow.
    #[inline]
    pub(crate) fn publish(&self, place: Place, hash: u64, number: u32, alone: bool) -> bool {
        let mask = place.lines.tag_mask();
        let value = hash as u32 & mask | (number + 1);
        place.lines.line(place.line).fill(place.slot, value, alone).is_ok()
    }

    /// Whether a number fits into a slot at a place.
    #[inline]
    pub(crate) fn fits(&self, place: Place, number: u32) -> bool {
        // One less than all ones, which with a tag of ones would be the mark of a frozen slot.
        number + 1 < !place.lines.tag_mask()
    }

    /// The lines of a place, to be made larger.
    pub(crate) fn stale(&self, place: Place, hash: u64) -> Stale {
        Stale { segment: segment_of(hash), lines: place.lines }
    }

    fn capacity(&self, lines: Lines) -> usize {
        (lines.len() * LINE * self.full_percent / 100).max(1)
    }

    /// Sets some slots aside for a worker, at a place of the segment for a hash: how many, or that the lines must grow first.
    #[cold]
    pub(crate) fn set_aside(&self, place: Place, hash: u64) -> Result<u32, Stale> {
        let segment = segment_of(hash);
        let capacity = self.capacity(place.lines);
        let portion = (capacity / 64).clamp(1, 4096) as u32;
        let before = self.taken[segment].fetch_add(portion, Ordering::Relaxed);
        if before as usize + portion as usize <= capacity {
            return Ok(portion);
        }
        self.taken[segment].fetch_sub(portion, Ordering::Relaxed);
        Err(Stale { segment, lines: place.lines })
    }

    /// Puts larger lines in the place of old ones, or helps whoever does. Entries are hashed anew by `hash_of`, after
    /// `prefetch` has announced some of them. `numbers` is one more than the highest number given out. What is out of use
    /// comes back, for the one who took it out.
    #[cold]
    pub(crate) fn grow(
        &self,
        stale: Stale,
        numbers: u32,
        alone: bool,
        budget: &Budget,
        hash_of: impl Fn(u32) -> u64,
        prefetch: impl Fn(u32),
    ) -> Result<Option<Retired>, StoreFull> {
        let Stale { segment, lines: old } = stale;
        let Some(new) = self.successor(stale, numbers, budget)? else { return Ok(None) };
        if old.0 != 0 {
            let portions = old.len().div_ceil(PORTION) as u32;
            let copy = |portion: u32| {
                let lines = portion as usize * PORTION..(portion as usize + 1) * PORTION;
                copy_lines(old, new, lines.start..lines.end.min(old.len()), alone, &hash_of, &prefetch);
            };
            loop {
                match claim(&self.begun[segment], new) {
                    Claim::Over => return Ok(None),
                    Claim::Portion(portion) if portion < portions => {
                        copy(portion);
                        claim(&self.copied[segment], new);
                    }
                    Claim::Portion(_) => break,
                }
            }
            // Whoever has begun the last portions is about to be done with them, or sleeps.
            let is_copied = || count(&self.copied[segment], new).is_none_or(|copied| copied >= portions);
            for _ in 0..PATIENCE {
                if is_copied() {
                    break;
                }
                yield_now();
            }
            if !is_copied() {
                (0..portions).for_each(copy);
            }
        }
        let swapped = self.lines[segment].compare_exchange(old.0, new.0, Ordering::AcqRel, Ordering::Acquire);
        if swapped.is_err() || old.0 == 0 {
            return Ok(None);
        }
        let mut owned = lock(&self.owned);
        let position = owned.iter().position(|lines| lines.first().cast_const() == old.first());
        Ok(position.map(|position| Retired { _lines: owned.swap_remove(position), bytes: bytes_of(old) }))
    }

    /// The lines that are to take the place of old ones, made here unless somebody has made them; none where that is over.
    fn successor(&self, stale: Stale, numbers: u32, budget: &Budget) -> Result<Option<Lines>, StoreFull> {
        let Stale { segment, lines: old } = stale;
        let known = Lines(self.next[segment].load(Ordering::Acquire));
        if known != old {
            return Ok((Lines(self.lines[segment].load(Ordering::Acquire)) == old).then_some(known));
        }
        // A bit more than is needed now: numbers grow until the next time.
        let bits = (32 - numbers.leading_zeros() + 1).clamp(4, 32);
        let is_full = old.0 == 0
            || self.taken[segment].load(Ordering::Relaxed) as usize + self.capacity(old) / 32
                >= self.capacity(old)
            || u64::from(bits) <= old.number_bits();
        let class = if old.0 == 0 {
            first_class(segment)
        } else {
            old.class() + if is_full { step(old.class()) } else { 0 }
        };
        let bytes = len_of(class) * size_of::<Line>();
        budget.take(bytes)?;
        let memory = match Memory::<Line>::new(len_of(class)) {
            Ok(memory) => memory,
            Err(full) => {
                budget.give_back(bytes);
                return Err(full);
            }
        };
        let address = memory.first().expose_provenance() as u64;
        debug_assert_eq!(address & !ADDRESS, 0);
        let new = Lines(address | u64::from(class) << 48 | u64::from(bits) << 58);
        // Owned before anybody can take it out of use.
        let mut owned = lock(&self.owned);
        match self.next[segment].compare_exchange(old.0, new.0, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => {
                owned.push(memory);
                Ok(Some(new))
            }
            Err(other) => {
                budget.give_back(bytes);
                drop(owned);
                Ok((Lines(self.lines[segment].load(Ordering::Acquire)) == old).then_some(Lines(other)))
            }
        }
    }
}

fn bytes_of(lines: Lines) -> usize {
    lines.len() * size_of::<Line>()
}

/// How often a worker lets others go on before it does their work.
const PATIENCE: usize = if cfg!(loom) { 0 } else { 64 };

enum Claim {
    Portion(u32),
    /// Later lines are being made already.
    Over,
}

/// Which growth a count belongs to: class and bits of the new lines, which only rise, above 32 bits.
fn growth(new: Lines) -> u64 {
    (u64::from(new.class()) << 6 | new.number_bits()) << 32
}

/// Counts one more for a growth. A count of an earlier one is none of this.
fn claim(counter: &AtomicU64, new: Lines) -> Claim {
    let growth = growth(new);
    let mut seen = counter.load(Ordering::Acquire);
    loop {
        let portion = match (seen & !u64::from(u32::MAX)).cmp(&growth) {
            std::cmp::Ordering::Less => 0,
            std::cmp::Ordering::Equal => seen as u32,
            std::cmp::Ordering::Greater => return Claim::Over,
        };
        let more = growth | u64::from(portion + 1);
        match counter.compare_exchange(seen, more, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => return Claim::Portion(portion),
            Err(other) => seen = other,
        }
    }
}

/// How far a growth has come; none where it is over.
fn count(counter: &AtomicU64, new: Lines) -> Option<u32> {
    let seen = counter.load(Ordering::Acquire);
    match (seen & !u64::from(u32::MAX)).cmp(&growth(new)) {
        std::cmp::Ordering::Less => Some(0),
        std::cmp::Ordering::Equal => Some(seen as u32),
        std::cmp::Ordering::Greater => None,
    }
}

/// Freezes what is empty in some old lines, and copies what is not.
fn copy_lines(
    old: Lines,
    new: Lines,
    lines: Range<usize>,
    alone: bool,
    hash_of: &impl Fn(u32) -> u64,
    prefetch: &impl Fn(u32),
) {
    let mask = old.tag_mask();
    let announce = |line: usize| {
        if line < lines.end {
            for slot in
                (0..LINE).map(|slot| old.line(line).slot(slot)).filter(|&slot| slot != 0 && slot != FROZEN)
            {
                prefetch((slot & !mask) - 1);
            }
        }
    };
    announce(lines.start);
    for line in lines.clone() {
        announce(line + 1);
        let slots = old.line(line);
        for position in 0..LINE {
            let mut slot = slots.slot(position);
            if slot == 0 && !alone {
                slot = slots.fill(position, FROZEN, false).err().unwrap_or(FROZEN);
            }
            if slot != 0 && slot != FROZEN {
                let number = (slot & !mask) - 1;
                copy_entry(new, hash_of(number), number, alone);
            }
        }
    }
}

/// Puts a number into new lines, unless it is there.
fn copy_entry(new: Lines, hash: u64, number: u32, alone: bool) {
    let mask = new.tag_mask();
    let value = hash as u32 & mask | (number + 1);
    let mut line = new.home(hash);
    loop {
        let slots = new.line(line);
        if alone {
            // Nothing is copied twice then.
            if let Some(slot) = slots.first_empty() {
                let _ = slots.fill(slot, value, true);
                return;
            }
        } else {
            let look = slots.look(value, u32::MAX);
            if look.matches != 0 {
                return;
            }
            if look.empty != 0 {
                if slots.fill(look.empty.trailing_zeros() as usize, value, false).is_ok() {
                    return;
                }
                continue;
            }
        }
        line += 1;
        if line == new.len() {
            line = 0;
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::hash::Key;
    use crate::tree::ROOTS_FULL_PERCENT;

    /// The share of entries that are not in the line where a probe for them begins, in an index that is as full as the
    /// roots' may be, and how full it was.
    fn overflowing(hashes: &[u64]) -> (f64, f64) {
        let index = Index::new(ROOTS_FULL_PERCENT);
        let budget = Budget::new();
        let mut credit = [0; SEGMENTS];
        let mut overflowing = 0;
        let mut in_segment = 0;
        for (number, &hash) in hashes.iter().enumerate() {
            // All in one segment.
            let hash = hash >> SEGMENT_BITS;
            loop {
                let grow = |stale| {
                    let hash_of = |number: u32| hashes[number as usize] >> SEGMENT_BITS;
                    index.grow(stale, number as u32, true, &budget, hash_of, |_| ()).expect("memory")
                };
                match index.probe(hash, index.start(hash), |_| false) {
                    Probe::Found(_) => panic!("found what is not there"),
                    Probe::Moved(stale) => drop(grow(stale)),
                    Probe::Vacant(place) if !index.fits(place, number as u32) => {
                        drop(grow(index.stale(place, hash)))
                    }
                    Probe::Vacant(place) if credit[0] == 0 => match index.set_aside(place, hash) {
                        Ok(more) => credit[0] = more,
                        Err(stale) => {
                            overflowing = 0;
                            in_segment = 0;
                            drop(grow(stale));
                        }
                    },
                    Probe::Vacant(place) => {
                        overflowing += usize::from(place.line != place.lines.home(hash));
                        in_segment += 1;
                        assert!(index.publish(place, hash, number as u32, true));
                        credit[0] -= 1;
                        break;
                    }
                }
            }
        }
        let lines = Lines(index.lines[0].load(Ordering::Relaxed));
        (overflowing as f64 / in_segment as f64, hashes.len() as f64 / (lines.len() * LINE) as f64)
    }

    #[test]
    fn hashes_of_typical_nodes_spread_evenly() {
        let count = 175_000_u64;
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
                let (share, full) = overflowing(&hashes);
                assert!(full > 0.8 && full < 0.92, "{name} {part}: {full}");
                assert!(share < 0.3, "{name} {part}: {share}");
                let tags: std::collections::HashSet<u32> =
                    hashes.iter().map(|&hash| hash as u32 >> 18).collect();
                assert!(tags.len() > 16_000, "{name} {part}: {} tags", tags.len());
            }
        }
    }
}
