//! Sets of states that may take a state for one that they know: a few bits a state, and nothing to read back.
//!
//! *Hash compaction* (Wolper, Leroy, CAV 1993; Stern, Dill, CHARME 1995) keeps a number of `bits` bits for each state, so
//! two states are confused when their numbers are equal. *Bitstate* hashing (Holzmann 1988) keeps a field of bits, of which
//! each state sets [`PROBES`]; a state whose bits are all set is taken for known. States are confused in one direction only: one
//! that is new may be taken for known, never the other way round. How often that is to be expected is computed from what was
//! stored, under the assumption that the hash function behaves as if it were random.
//!
//! Several workers insert at once. Those that insert the same state take the same lock, one of many.

use crate::StoreFull;
use crate::concurrent::SideTable;
use crate::sync::{AtomicU64, AtomicUsize, Mutex, Ordering, lock};

/// Bits of the field that a state sets.
pub const PROBES: u32 = 3;

/// How a set may forget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lossy {
    /// A number of so many bits for each state, from [`Lossy::FEWEST_BITS`] to 64.
    HashCompact {
        /// How many.
        bits: u32,
    },
    /// A field of so many bytes, at most [`Lossy::MOST_BYTES`].
    Bitstate {
        /// How many.
        bytes: u64,
    },
}

impl Lossy {
    /// Fewer bits would confuse even small models.
    pub const FEWEST_BITS: u32 = 24;

    /// A larger field cannot be addressed.
    pub const MOST_BYTES: u64 = 1 << 34;
}

/// How much a set is to be expected to have forgotten.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Forgotten {
    /// The probability that at least one state was taken for another.
    Probability(f64),
    /// How many states were taken for known ones, and which part of the states met is stored.
    Omissions {
        /// The expected number.
        expected: f64,
        /// Stored states as a part of those and the omitted ones.
        coverage: f64,
    },
}

/// A set of states; see the module's description.
pub struct LossySet {
    kind: Lossy,
    stored: AtomicUsize,
    /// The bytes held, and how many there may be.
    held: AtomicUsize,
    limit: usize,
    parts: Vec<Mutex<Part>>,
    field: SideTable<AtomicU64>,
}

/// The parts, each with a lock, by the highest bits of a hash.
const PART_BITS: u32 = 8;

/// The numbers of one part, as bytes in an open table: zero is an empty place.
#[derive(Default)]
struct Part {
    bytes: Vec<u8>,
    places: usize,
    taken: usize,
    has_zero: bool,
}

/// Of a state: two hashes that have nothing to do with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateHash(u64, u64);

impl StateHash {
    /// The hashes of a vector. Zero words at its end do not count, so a vector that gets wider keeps them.
    pub fn of(words: &[u32]) -> StateHash {
        let used = words.iter().rposition(|word| *word != 0).map_or(0, |last| last + 1);
        let (mut one, mut other) = (0x243F_6A88_85A3_08D3_u64, 0x1319_8A2E_0370_7344_u64);
        for pair in words[..used].chunks(2) {
            let word = u64::from(pair[0]) | u64::from(pair.get(1).copied().unwrap_or(0)) << 32;
            one = mix(one ^ word, 0x9E37_79B9_7F4A_7C15).wrapping_add(one.rotate_left(29));
            other = mix(other.wrapping_add(word), 0xD6E8_FEB8_6659_FD93) ^ other.rotate_left(41);
        }
        let end = used as u64;
        StateHash(mix(one ^ end, 0xA076_1D64_78BD_642F), mix(other ^ end, 0xE703_7ED1_A0B4_28DB))
    }
}

/// A bijection of 64-bit numbers, so that nothing is confused before the last bits are cut off: xorshift and
/// multiplication by odd numbers, twice.
fn mix(value: u64, key: u64) -> u64 {
    let mut value = value ^ key;
    value = (value ^ (value >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    value = (value ^ (value >> 29)).wrapping_mul(0x9FB2_1C65_1E98_DF25);
    value ^ (value >> 32)
}

impl LossySet {
    /// An empty set that may hold so many bytes.
    pub fn new(kind: Lossy, limit: usize) -> Result<Self, StoreFull> {
        let held = match kind {
            Lossy::HashCompact { .. } => 0,
            Lossy::Bitstate { bytes } => usize::try_from(bytes).map_err(|_| StoreFull::OutOfMemory)?,
        };
        if held > limit {
            return Err(StoreFull::MemoryLimit);
        }
        Ok(LossySet {
            kind,
            stored: AtomicUsize::new(0),
            held: AtomicUsize::new(held),
            limit,
            parts: (0..1 << PART_BITS).map(|_| Mutex::default()).collect(),
            field: SideTable::new(),
        })
    }

    /// What kind it is.
    pub fn kind(&self) -> Lossy {
        self.kind
    }

    /// How many states were new.
    pub fn stored(&self) -> usize {
        self.stored.load(Ordering::Relaxed)
    }

    /// The bytes held.
    pub fn memory_bytes(&self) -> usize {
        self.held.load(Ordering::Relaxed)
    }

    /// Inserts a state; says whether it is new.
    pub fn insert(&self, hash: StateHash) -> Result<bool, StoreFull> {
        let is_new = match self.kind {
            Lossy::HashCompact { bits } => self.insert_number(hash.0 >> (64 - bits), bits),
            Lossy::Bitstate { bytes } => self.insert_bits(hash, bytes),
        }?;
        self.stored.fetch_add(usize::from(is_new), Ordering::Relaxed);
        Ok(is_new)
    }

    /// The highest bits of a number choose the part, the rest is kept there.
    fn insert_number(&self, number: u64, bits: u32) -> Result<bool, StoreFull> {
        let rest_bits = bits - PART_BITS;
        let width = rest_bits.div_ceil(8) as usize;
        let rest = number & (u64::MAX >> (64 - rest_bits));
        let mut part = lock(&self.parts[(number >> rest_bits) as usize]);
        if rest == 0 {
            return Ok(!std::mem::replace(&mut part.has_zero, true));
        }
        if (part.taken + 1) * 8 > part.places * 7 {
            self.grow(&mut part, width)?;
        }
        Ok(part.insert(rest, width))
    }

    fn grow(&self, part: &mut Part, width: usize) -> Result<(), StoreFull> {
        let places = (part.places * 3 / 2).max(64);
        let (before, after) = (part.bytes.len(), places * width);
        let held = self.held.fetch_add(after, Ordering::Relaxed) + after;
        let mut grown = Part { places, has_zero: part.has_zero, ..Part::default() };
        if held > self.limit || grown.bytes.try_reserve_exact(after).is_err() {
            self.held.fetch_sub(after, Ordering::Relaxed);
            return Err(if held > self.limit { StoreFull::MemoryLimit } else { StoreFull::OutOfMemory });
        }
        grown.bytes.resize(after, 0);
        for place in part.bytes.chunks_exact(width) {
            let rest = read(place);
            if rest != 0 {
                grown.insert(rest, width);
            }
        }
        *part = grown;
        self.held.fetch_sub(before, Ordering::Relaxed);
        Ok(())
    }

    fn insert_bits(&self, hash: StateHash, bytes: u64) -> Result<bool, StoreFull> {
        let bits = bytes.max(8) * 8;
        let guard = lock(&self.parts[(hash.0 >> (64 - PART_BITS)) as usize]);
        let mut is_new = false;
        let mut position = hash.0;
        for _ in 0..PROBES {
            let bit = ((u128::from(position) * u128::from(bits)) >> 64) as u64;
            let word = self.field.at((bit / 64) as u32)?;
            let mask = 1_u64 << (bit % 64);
            if word.load(Ordering::Relaxed) & mask == 0 {
                is_new |= word.fetch_or(mask, Ordering::Relaxed) & mask == 0;
            }
            position = position.wrapping_add(hash.1 | 1);
        }
        drop(guard);
        Ok(is_new)
    }

    /// How much it is to be expected to have forgotten so far.
    pub fn forgotten(&self) -> Forgotten {
        let stored = self.stored() as f64;
        match self.kind {
            Lossy::HashCompact { bits } => {
                let pairs = stored * (stored - 1.0).max(0.0) / 2.0;
                Forgotten::Probability(-(-pairs / 2_f64.powi(bits as i32)).exp_m1())
            }
            Lossy::Bitstate { bytes } => {
                let expected = expected_omissions(stored, bytes.max(8) as f64 * 8.0);
                let met = stored + expected;
                let coverage = if met > 0.0 { stored / met } else { 1.0 };
                Forgotten::Omissions { expected, coverage }
            }
        }
    }
}

/// The sum over all stored states of the probability that the bits of one more were all set when there were `i` of them:
/// (1 - e^(-k i / m))^k, by Simpson's rule.
fn expected_omissions(stored: f64, bits: f64) -> f64 {
    const STEPS: u32 = 1_000;
    let probes = f64::from(PROBES);
    let confused = |known: f64| (-(-probes * known / bits).exp_m1()).powi(PROBES as i32);
    let step = stored / f64::from(STEPS);
    let weight = |number: u32| match number {
        0 | STEPS => 1.0,
        number if number % 2 == 1 => 4.0,
        _ => 2.0,
    };
    let sum: f64 = (0..=STEPS).map(|number| weight(number) * confused(f64::from(number) * step)).sum();
    sum * step / 3.0
}

fn read(place: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    bytes[..place.len()].copy_from_slice(place);
    u64::from_le_bytes(bytes)
}

impl Part {
    /// Inserts a number that is not zero; there must be an empty place.
    fn insert(&mut self, rest: u64, width: usize) -> bool {
        let mut place = ((u128::from(mix(rest, 0)) * self.places as u128) >> 64) as usize;
        loop {
            let bytes = &mut self.bytes[place * width..][..width];
            match read(bytes) {
                0 => {
                    bytes.copy_from_slice(&rest.to_le_bytes()[..width]);
                    self.taken += 1;
                    return true;
                }
                known if known == rest => return false,
                _ => place = (place + 1) % self.places,
            }
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn state(number: u32) -> StateHash {
        StateHash::of(&[number, number / 3, 7, 0, 0])
    }

    #[test]
    fn zero_words_at_the_end_do_not_count() {
        assert_eq!(StateHash::of(&[5, 0, 1]), StateHash::of(&[5, 0, 1, 0, 0, 0]));
        assert_ne!(StateHash::of(&[5, 0, 1]), StateHash::of(&[5, 0, 1, 0, 1]));
        assert_ne!(StateHash::of(&[]), StateHash::of(&[1]));
    }

    #[test]
    fn with_enough_bits_nothing_is_forgotten() {
        let kinds = [
            Lossy::HashCompact { bits: 64 },
            Lossy::HashCompact { bits: 56 },
            Lossy::Bitstate { bytes: 64 << 20 },
        ];
        for kind in kinds {
            let set = LossySet::new(kind, usize::MAX).expect("memory");
            let new: usize = std::thread::scope(|scope| {
                let work =
                    || (0..100_000).filter(|number| set.insert(state(*number)).expect("memory")).count();
                let handles: Vec<_> = (0..3).map(|_| scope.spawn(work)).collect();
                handles.into_iter().map(|handle| handle.join().expect("no panic")).sum()
            });
            assert_eq!((new, set.stored()), (100_000, 100_000), "{kind:?}");
        }
    }

    /// What is said to be forgotten is what is forgotten, on average.
    #[test]
    fn the_estimates_are_right() {
        // 2^15 states of 2^24 numbers: 31.98 pairs are confused on average.
        let set = LossySet::new(Lossy::HashCompact { bits: 24 }, usize::MAX).expect("memory");
        let new = (0..1 << 15).filter(|number| set.insert(state(*number)).expect("memory")).count();
        let confused = (1 << 15) - new;
        assert!((10..=60).contains(&confused), "{confused}");
        let Forgotten::Probability(probability) = set.forgotten() else { panic!("of another kind") };
        assert!(probability > 0.999);
        let set = LossySet::new(Lossy::Bitstate { bytes: 1 << 16 }, usize::MAX).expect("memory");
        let new = (0..200_000).filter(|number| set.insert(state(*number)).expect("memory")).count();
        let confused = (200_000 - new) as f64;
        let Forgotten::Omissions { expected, coverage } = set.forgotten() else { panic!("of another kind") };
        assert!(expected > 0.5 * confused && expected < 1.5 * confused, "{expected} of {confused}");
        assert!((coverage - new as f64 / (new as f64 + expected)).abs() < 1e-9);
        let small = LossySet::new(Lossy::HashCompact { bits: 40 }, usize::MAX).expect("memory");
        for number in 0..100_000 {
            small.insert(state(number)).expect("memory");
        }
        // n^2 / 2^(b + 1), for n = 10^5 and b = 40.
        let Forgotten::Probability(probability) = small.forgotten() else { panic!("of another kind") };
        assert!((probability - 0.004537).abs() < 0.00005, "{probability}");
    }

    #[test]
    fn a_set_keeps_to_its_limit() {
        assert_eq!(LossySet::new(Lossy::Bitstate { bytes: 100 }, 99).err(), Some(StoreFull::MemoryLimit));
        let set = LossySet::new(Lossy::HashCompact { bits: 64 }, 400_000).expect("memory");
        let ended = (0..1_000_000).find_map(|number| set.insert(state(number)).err());
        assert_eq!(ended, Some(StoreFull::MemoryLimit));
        assert!(set.memory_bytes() <= 400_000 && set.stored() > 20_000, "{}", set.stored());
    }
}
