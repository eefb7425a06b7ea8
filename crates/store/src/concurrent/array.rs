//! An array of nodes that workers append to and read at the same time.
//!
//! Numbers are given out in blocks, which belong to one worker each, and the nodes of a block lie together in memory that is
//! there before the block is given out. A pair of numbers takes as many bits as its halves need: every block has a form, which
//! says how many bits that is, and begins with the widest that was needed so far. When a worker is to write a node that does
//! not fit, it makes a copy of its block in a wider form, and later readers take that; the old one stays, for those who are
//! about to read it. That happens a few dozen times in a whole search, since numbers grow by one bit as often as they double.
//!
//! Whoever has a number reads its node without asking anybody. Nodes of a block share words, but only the block's owner writes
//! them, and leaves the bits of published nodes as they are.

use std::marker::PhantomData;
use std::ops::Range;

use super::memory::{Memory, Zeroed};
use crate::budget::Budget;
use crate::hash::{Form, Key};
use crate::sync::{AtomicU32, AtomicU64, Mutex, Ordering, lock};
use crate::{StateId, StoreFull};

/// Numbers that a worker takes at once. They are few enough that the tail of a last block costs nothing.
pub(crate) const BLOCK: u32 = if cfg!(loom) { 2 } else { 1 << 10 };

/// The words of a region that a worker cuts blocks from: the least and the most.
const LEAST_REGION: usize = if cfg!(loom) { 5 } else { 1 << 13 };
const LARGEST_REGION: usize = if cfg!(loom) { 5 } else { 1 << 22 };

/// How many blocks have their entries together, and how many such pages there can be.
const PAGE: usize = if cfg!(loom) { 8 } else { 1 << 11 };
const PAGES: usize = if cfg!(loom) { 1 } else { 1 << 11 };

/// The bits of an entry that hold the address of a block; its form lies above.
const ADDRESS: u64 = 0xFFFF_FFFF_FFFF;

// SAFETY: zero bytes are the number zero, which needs no drop.
#[cfg(not(loom))]
#[allow(unsafe_code)]
unsafe impl Zeroed for AtomicU64 {}
// SAFETY: it is made by its own constructor.
#[cfg(loom)]
#[allow(unsafe_code)]
unsafe impl Zeroed for AtomicU64 {
    fn zeroed() -> Self {
        AtomicU64::new(0)
    }
}

pub(crate) struct Array<K> {
    /// Where the entries of some blocks are, as addresses; zero where there are none yet. Once set they stay. An entry is a
    /// block's address and form, or zero.
    pages: Box<[AtomicU64]>,
    /// Who owns the entries, and the words of the blocks.
    owned: Mutex<Vec<Memory<AtomicU64>>>,
    /// The first number that was not given out.
    given: AtomicU32,
    /// The form of the next block: a guess, which need not be up to date.
    form: AtomicU32,
    keys: PhantomData<K>,
}

/// Words that a worker has for its next blocks, as addresses: nobody else knows them.
#[derive(Debug, Default)]
pub(crate) struct Room {
    next: usize,
    end: usize,
}

/// Where the nodes of a block are, and in which form.
#[derive(Clone, Copy)]
struct Block(u64);

impl Block {
    fn new(address: usize, form: Form) -> Self {
        Block(address as u64 & ADDRESS | u64::from(form.0) << 48)
    }

    #[inline]
    fn form(self) -> Form {
        Form((self.0 >> 48) as u16)
    }

    #[inline]
    fn first(self) -> *const AtomicU64 {
        std::ptr::with_exposed_provenance((self.0 & ADDRESS) as usize)
    }

    /// The words of the node at a position: the last two may hold nothing of it.
    #[inline]
    fn words<K: Key>(&self, position: usize) -> (&[AtomicU64; 2], u32) {
        let bit = position * K::bits(self.form());
        // SAFETY: a block has room for `BLOCK` nodes of its form and one word more, and lives as long as the array.
        #[allow(unsafe_code)]
        let words = unsafe { &*self.first().add(bit / 64).cast::<[AtomicU64; 2]>() };
        (words, bit as u32 % 64)
    }

    #[inline]
    fn read<K: Key>(&self, position: usize) -> K {
        let (words, shift) = self.words::<K>(position);
        K::read(words, shift, self.form())
    }

    #[inline]
    fn write<K: Key>(&self, position: usize, node: K) {
        let (words, shift) = self.words::<K>(position);
        node.write(words, shift, self.form());
    }
}

impl<K> std::fmt::Debug for Array<K> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "an array of {} numbers", self.given.load(Ordering::Relaxed))
    }
}

/// The words that a block of a form takes. One more is read behind the last block of a region.
fn words_of<K: Key>(form: Form) -> usize {
    (BLOCK as usize * K::bits(form)).div_ceil(64).max(1)
}

impl<K: Key> Array<K> {
    pub(crate) fn new() -> Self {
        Array {
            pages: (0..PAGES).map(|_| AtomicU64::new(0)).collect(),
            owned: Mutex::new(Vec::new()),
            given: AtomicU32::new(0),
            form: AtomicU32::new(0),
            keys: PhantomData,
        }
    }

    /// The entry of the block of a number; none where its page is not there.
    #[inline]
    fn entry(&self, number: u32) -> Option<&AtomicU64> {
        let block = (number / BLOCK) as usize;
        let address = self.pages[block / PAGE % PAGES].load(Ordering::Acquire) as usize;
        if address == 0 {
            return None;
        }
        let page = std::ptr::with_exposed_provenance::<AtomicU64>(address);
        // SAFETY: a page has `PAGE` entries and lives as long as the array.
        #[allow(unsafe_code)]
        unsafe {
            Some(&*page.add(block % PAGE))
        }
    }

    /// The same, with the page made where it is not there. Whoever waits for the lock waits for one allocation.
    fn make_entry(&self, number: u32, budget: &Budget) -> Result<&AtomicU64, StoreFull> {
        if let Some(entry) = self.entry(number) {
            return Ok(entry);
        }
        let mut owned = lock(&self.owned);
        let address = &self.pages[number as usize / BLOCK as usize / PAGE % PAGES];
        if address.load(Ordering::Acquire) == 0 {
            budget.take(PAGE * 8)?;
            let memory = Memory::<AtomicU64>::new(PAGE).inspect_err(|_| budget.give_back(PAGE * 8))?;
            address.store(memory.first().expose_provenance() as u64, Ordering::Release);
            owned.push(memory);
        }
        drop(owned);
        self.entry(number).ok_or(StoreFull::OutOfMemory)
    }

    /// The block of a number that was given out, and its position in there.
    #[inline]
    fn block(&self, number: u32) -> (Block, usize) {
        let entry = self.entry(number).map_or(0, |entry| entry.load(Ordering::Acquire));
        assert!(entry != 0, "a number that was not given out");
        (Block(entry), (number % BLOCK) as usize)
    }

    /// The node with a number that was published.
    #[inline]
    pub(crate) fn get(&self, number: u32) -> K {
        let (block, position) = self.block(number);
        block.read(position)
    }

    /// Writes the node with a number of the caller's own block, before it is published.
    #[inline]
    pub(crate) fn set(
        &self,
        number: u32,
        node: K,
        room: &mut Room,
        budget: &Budget,
    ) -> Result<(), StoreFull> {
        let (mut block, position) = self.block(number);
        if !node.fits(block.form()) {
            block = self.reform(number, node.form().join(block.form()), room, budget)?;
        }
        block.write(position, node);
        Ok(())
    }

    /// Fetches a node into the cache.
    #[inline]
    pub(crate) fn prefetch(&self, number: u32) {
        #[cfg(all(target_arch = "x86_64", not(loom)))]
        // SAFETY: a prefetch reads nothing that can be observed, whatever the address.
        #[allow(unsafe_code)]
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let (block, position) = self.block(number);
            let bit = position * K::bits(block.form());
            _mm_prefetch::<_MM_HINT_T0>(block.first().wrapping_add(bit / 64).cast());
        }
        #[cfg(not(all(target_arch = "x86_64", not(loom))))]
        let _ = number;
    }

    /// One more than the highest number that was given out.
    #[inline]
    pub(crate) fn given(&self) -> u32 {
        self.given.load(Ordering::Relaxed)
    }

    /// The numbers below this one count as given out. Nobody else may use the array.
    pub(crate) fn give_out_to(&self, end: u32, room: &mut Room, budget: &Budget) -> Result<(), StoreFull> {
        while self.given() < end {
            self.next_block(room, budget)?;
        }
        Ok(())
    }

    /// Takes a block of numbers.
    #[cold]
    pub(crate) fn next_block(&self, room: &mut Room, budget: &Budget) -> Result<Range<u32>, StoreFull> {
        if self.given() >= StateId::LAST.0 - 80 * BLOCK {
            return Err(StoreFull::Names);
        }
        let form = Form(self.form.load(Ordering::Relaxed) as u16);
        let block = self.cut(form, room, budget)?;
        // Where there is no memory after this, the numbers are lost, which matters to nobody.
        let first = self.given.fetch_add(BLOCK, Ordering::Relaxed);
        self.make_entry(first, budget)?.store(block.0, Ordering::Release);
        Ok(first..first + BLOCK)
    }

    /// Gives the caller's own block a wider form.
    #[cold]
    fn reform(&self, number: u32, form: Form, room: &mut Room, budget: &Budget) -> Result<Block, StoreFull> {
        // What another worker learns meanwhile may be lost here; its next block is widened again.
        let guess = form.join(Form(self.form.load(Ordering::Relaxed) as u16));
        self.form.store(u32::from(guess.0), Ordering::Relaxed);
        let (old, _) = self.block(number);
        let new = self.cut(guess, room, budget)?;
        for position in 0..BLOCK as usize {
            new.write::<K>(position, old.read(position));
        }
        // Whoever learns of a node that is written later finds it: the entry comes before its publication.
        self.make_entry(number, budget)?.store(new.0, Ordering::Release);
        Ok(new)
    }

    /// Words for a block, from the caller's own room. When that is used up, a region is allocated: whoever waits for the lock
    /// waits for one allocation of memory that is not touched.
    fn cut(&self, form: Form, room: &mut Room, budget: &Budget) -> Result<Block, StoreFull> {
        let words = words_of::<K>(form);
        budget.take(words * 8)?;
        if room.end - room.next < words * size_of::<AtomicU64>() {
            let whole = (self.given() / BLOCK) as usize * words / 8;
            let region = whole.clamp(LEAST_REGION, LARGEST_REGION).max(words);
            let memory = Memory::<AtomicU64>::new(region + 1).inspect_err(|_| budget.give_back(words * 8))?;
            room.next = memory.first().expose_provenance();
            room.end = room.next + region * size_of::<AtomicU64>();
            lock(&self.owned).push(memory);
        }
        let block = Block::new(room.next, form);
        room.next += words * size_of::<AtomicU64>();
        Ok(block)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn nodes_stay_what_they_are_while_blocks_become_wider() {
        let array = Array::<u64>::new();
        let (budget, mut room) = (Budget::new(), Room::default());
        let node = |number: u32| match number % 3 {
            _ if number == 77_777 => u64::MAX,
            0 => u64::from(number),
            1 => u64::from(number) << 32,
            _ => u64::from(number / 7) << 32 | u64::from(number),
        };
        for _ in 0..100 {
            for number in array.next_block(&mut room, &budget).expect("memory") {
                array.set(number, u64::from(number % 2), &mut room, &budget).expect("memory");
                array.set(number, node(number), &mut room, &budget).expect("memory");
                assert_eq!(array.get(number), node(number));
                assert_eq!(array.get(number / 2), node(number / 2));
            }
        }
        assert!((0..100 * BLOCK).all(|number| array.get(number) == node(number)));
    }

    #[test]
    fn a_pair_takes_the_bits_of_its_halves() {
        let array = Array::<u64>::new();
        let (budget, mut room) = (Budget::new(), Room::default());
        for _ in 0..1000 {
            for number in array.next_block(&mut room, &budget).expect("memory") {
                let node = u64::from(number % 1000) << 32 | u64::from(number % 30);
                array.set(number, node, &mut room, &budget).expect("memory");
            }
        }
        // Ten bits and five; narrow blocks of the beginning and their copies come to little.
        let bytes = 1000 * BLOCK as usize * 15 / 8;
        assert!((bytes - bytes / 50..bytes + bytes / 50).contains(&budget.held()), "{}", budget.held());
    }

    #[test]
    fn wide_nodes_have_their_words() {
        let array = Array::<u128>::new();
        let (budget, mut room) = (Budget::new(), Room::default());
        for _ in 0..100 {
            for number in array.next_block(&mut room, &budget).expect("memory") {
                array.set(number, u128::from(number) << 60, &mut room, &budget).expect("memory");
            }
        }
        assert!((0..100 * BLOCK).all(|number| array.get(number) == u128::from(number) << 60));
        assert_eq!(budget.held(), 100 * BLOCK as usize * 16 + PAGE * 8);
    }
}
