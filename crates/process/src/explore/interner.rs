//! Numbers for things that are equal, for one explorer.

use std::hash::{BuildHasher, BuildHasherDefault, Hash};

use hashbrown::HashTable;
use rustc_hash::FxHasher;

/// Gives equal things equal numbers, in the order in which they come.
pub(super) struct Interner<T> {
    items: Vec<T>,
    numbers: HashTable<u32>,
}

fn hash<T: Hash>(item: &T) -> u64 {
    BuildHasherDefault::<FxHasher>::default().hash_one(item)
}

impl<T: Hash + Eq> Interner<T> {
    pub(super) fn new() -> Interner<T> {
        Interner { items: Vec::new(), numbers: HashTable::new() }
    }

    pub(super) fn intern(&mut self, item: T) -> u32 {
        let hashed = hash(&item);
        let items = &self.items;
        if let Some(number) = self.numbers.find(hashed, |number| items[*number as usize] == item) {
            return *number;
        }
        let number = self.items.len() as u32;
        self.items.push(item);
        let items = &self.items;
        self.numbers.insert_unique(hashed, number, |number| hash(&items[*number as usize]));
        number
    }

    pub(super) fn get(&self, number: u32) -> &T {
        &self.items[number as usize]
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.items.capacity() * size_of::<T>() + self.numbers.capacity() * 5
    }
}
