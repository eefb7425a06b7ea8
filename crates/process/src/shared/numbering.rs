//! Numbers for things that are equal, the same for all who ask.

use std::hash::{BuildHasher, BuildHasherDefault, Hash};

use hashbrown::HashTable;
use rustc_hash::FxHasher;
use store::sync::{AtomicU32, Mutex, MutexGuard, Ordering, lock};

use super::shelf::Shelf;

/// Who asks for different things mostly takes different locks.
const SHARDS: usize = 16;

/// Numbers by the hashes of what they stand for.
pub(crate) struct Index {
    shards: [Mutex<HashTable<u32>>; SHARDS],
}

impl Index {
    pub(crate) fn new() -> Index {
        Index { shards: std::array::from_fn(|_| Mutex::new(HashTable::new())) }
    }

    /// The numbers among which that of something with this hash is; nobody else gives it one meanwhile.
    pub(crate) fn locked(&self, hashed: u64) -> MutexGuard<'_, HashTable<u32>> {
        lock(&self.shards[(hashed >> 20) as usize % SHARDS])
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.shards.iter().map(|shard| lock(shard).capacity() * (size_of::<u32>() + 1)).sum()
    }
}

/// Gives equal things equal numbers, in the order in which they come.
pub(crate) struct Numbering<T> {
    items: Shelf<T>,
    given: AtomicU32,
    index: Index,
}

fn hash<K: Hash>(key: &K) -> u64 {
    BuildHasherDefault::<FxHasher>::default().hash_one(key)
}

impl<T> Numbering<T> {
    pub(crate) fn new() -> Numbering<T> {
        Numbering { items: Shelf::new(), given: AtomicU32::new(0), index: Index::new() }
    }

    /// What has a number; none where nobody has given it.
    #[inline]
    pub(crate) fn get(&self, number: u32) -> Option<&T> {
        self.items.get(number)
    }

    /// The number of an item, which is one by its `key`; where it has none, it gets one, and `note` is told.
    pub(crate) fn number<K: Hash + Eq>(
        &self,
        recent: &mut Recent,
        item: T,
        key: impl Fn(&T) -> &K,
        note: impl FnOnce(&T),
    ) -> u32 {
        let hashed = hash(key(&item));
        let is_it = |number: u32| self.get(number).is_some_and(|known| key(known) == key(&item));
        if let Some(number) = recent.find(hashed, is_it) {
            return number;
        }
        let mut numbers = self.index.locked(hashed);
        let known = numbers.find(hashed, |number| is_it(*number)).copied();
        let number = known.unwrap_or_else(|| {
            note(&item);
            let number = self.given.fetch_add(1, Ordering::Relaxed);
            self.items.put(number, item);
            numbers.insert_unique(hashed, number, |number| {
                self.get(*number).map_or(0, |known| hash(key(known)))
            });
            number
        });
        drop(numbers);
        recent.put(hashed, number);
        number
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.items.memory_bytes() + self.index.memory_bytes()
    }
}

/// What one explorer asked for last, so that it need not take a lock to ask again.
pub(crate) struct Recent {
    /// The upper half of a hash, and a number plus one; zero where there is nothing.
    slots: Vec<u64>,
    used: usize,
}

const FIRST_SLOTS: usize = 1 << 8;
const MOST_SLOTS: usize = 1 << 16;

impl Recent {
    pub(crate) fn new() -> Recent {
        Recent { slots: Vec::new(), used: 0 }
    }

    #[inline]
    pub(crate) fn find(&self, hashed: u64, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        let slot = *self.slots.get(hashed as usize & self.slots.len().wrapping_sub(1))?;
        let number = (slot as u32).checked_sub(1)?;
        (slot >> 32 == hashed >> 32 && is_it(number)).then_some(number)
    }

    pub(crate) fn put(&mut self, hashed: u64, number: u32) {
        if self.used >= self.slots.len() / 2 && self.slots.len() < MOST_SLOTS {
            // What was there is asked for again.
            self.slots = vec![0; (self.slots.len() * 4).clamp(FIRST_SLOTS, MOST_SLOTS)];
            self.used = 0;
        }
        let mask = self.slots.len() - 1;
        let slot = &mut self.slots[hashed as usize & mask];
        self.used += usize::from(*slot == 0);
        *slot = hashed >> 32 << 32 | u64::from(number.wrapping_add(1));
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.slots.capacity() * size_of::<u64>()
    }
}
