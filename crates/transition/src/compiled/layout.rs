//! Where each slot, location and channel stands in a packed state.
//!
//! A state is a sequence of 32-bit words: the hidden slots first (they are not compared), then one header
//! word, the global slots and the contents of the global channels, then one frame per process in order of
//! pid. A frame opens with its location number and holds the process's slots and channel contents. Every
//! slot takes 1, 2 or 4 bytes and never crosses a word, so reading one is a load and two shifts. Slots of
//! one size stand together in the order of their numbers, so arrays are evenly spaced. Global slots have a word each where there
//! are few of them: what stands beside each other in the text seldom changes together, and a store keeps words together that do.

use crate::model::{ChannelType, Scalar};

/// The place of one scalar, relative to the start of the vector or of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Cell {
    pub(super) word: u32,
    /// Position of the lowest bit in the word.
    pub(super) shift: u8,
    /// Bits of storage: 8, 16 or 32.
    pub(super) storage: u8,
    /// Bits of the value.
    pub(super) bits: u8,
    pub(super) signed: bool,
}

impl Cell {
    fn at_byte(byte: u32, scalar: Scalar) -> Cell {
        Cell {
            word: byte / 4,
            shift: (byte % 4 * 8) as u8,
            storage: storage_bits(scalar),
            bits: scalar.bits.clamp(1, 32),
            signed: scalar.signed,
        }
    }

    #[inline]
    pub(super) fn read(self, words: &[u32], base: usize) -> i32 {
        let word = words[base + self.word as usize];
        let lifted = word << (32 - self.shift - self.storage);
        let drop = 32 - self.storage;
        if self.signed { lifted as i32 >> drop } else { (lifted >> drop) as i32 }
    }

    #[inline]
    pub(super) fn write(self, words: &mut [u32], base: usize, value: i32) {
        let unused = 32 - self.bits;
        let cut =
            if self.signed { (value << unused >> unused) as u32 } else { (value as u32) << unused >> unused };
        let mask = u32::MAX >> (32 - self.storage);
        let word = &mut words[base + self.word as usize];
        *word = *word & !(mask << self.shift) | ((cut & mask) << self.shift);
    }

    /// The same cell, `words` further on.
    pub(super) fn moved(self, words: u32) -> Cell {
        Cell { word: self.word + words, ..self }
    }
}

/// The value that a cell of this kind keeps of `value`.
#[inline]
pub(super) fn cut(bits: u8, signed: bool, value: i32) -> i32 {
    let unused = 32 - bits;
    if signed { value << unused >> unused } else { ((value as u32) << unused >> unused) as i32 }
}

fn storage_bits(scalar: Scalar) -> u8 {
    match scalar.bits {
        0..=8 => 8,
        9..=16 => 16,
        _ => 32,
    }
}

/// Hands out bytes of a frame, small scalars first so that they share words.
pub(super) struct Allocator {
    next_byte: u32,
}

impl Allocator {
    pub(super) fn new(reserved_bytes: u32) -> Allocator {
        Allocator { next_byte: reserved_bytes }
    }

    /// Places slots of the given scalars; the answer is parallel to them.
    pub(super) fn place(&mut self, scalars: &[Scalar]) -> Vec<Cell> {
        let mut cells = vec![Cell::at_byte(0, Scalar::BYTE); scalars.len()];
        for storage in [8u8, 16, 32] {
            let bytes = u32::from(storage / 8);
            for (cell, scalar) in cells.iter_mut().zip(scalars).filter(|(_, s)| storage_bits(**s) == storage)
            {
                self.next_byte = self.next_byte.next_multiple_of(bytes);
                *cell = Cell::at_byte(self.next_byte, *scalar);
                self.next_byte += bytes;
            }
        }
        cells
    }

    /// As [`Allocator::place`], with a word of its own for each of those that are marked.
    pub(super) fn place_apart(&mut self, scalars: &[Scalar], is_apart: &[bool]) -> Vec<Cell> {
        let (mut apart, mut others) = (Vec::new(), Vec::new());
        for (scalar, is_apart) in scalars.iter().zip(is_apart) {
            if *is_apart {
                self.next_byte = self.next_byte.next_multiple_of(4);
                apart.push(Cell::at_byte(self.next_byte, *scalar));
                self.next_byte += 4;
            } else {
                others.push(*scalar);
            }
        }
        let (mut apart, mut others) = (apart.into_iter(), self.place(&others).into_iter());
        is_apart.iter().filter_map(|is_apart| if *is_apart { apart.next() } else { others.next() }).collect()
    }

    /// Whole words used so far.
    pub(super) fn words(&self) -> u32 {
        self.next_byte.div_ceil(4)
    }
}

/// How the messages of a channel are packed: the number of messages, then the messages, the oldest first.
/// Everything behind the last message is zero.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct ChannelLayout {
    pub(super) capacity: u32,
    /// Bits of the message count, at the start of the first word.
    pub(super) count_bits: u8,
    /// Offset of the first message in bytes: 1, 2 or 4.
    pub(super) first_byte: u32,
    /// 1, 2, or a multiple of 4.
    pub(super) message_bytes: u32,
    /// Relative to a message's first byte, which counts as byte 0 of a word.
    pub(super) fields: Vec<Cell>,
    pub(super) words: u32,
}

impl ChannelLayout {
    pub(super) fn new(channel: &ChannelType) -> ChannelLayout {
        let mut allocator = Allocator::new(0);
        let fields = allocator.place(&channel.fields);
        let message_bytes = match allocator.next_byte {
            0 | 1 => 1,
            2 => 2,
            more => more.next_multiple_of(4),
        };
        let count_bits = if channel.capacity < 256 { 8 } else { 16 };
        let first_byte = message_bytes.min(4).max(u32::from(count_bits / 8));
        let bytes = u64::from(first_byte) + u64::from(channel.capacity) * u64::from(message_bytes);
        let words = if channel.capacity == 0 { 0 } else { bytes.div_ceil(4).min(u64::from(u32::MAX)) as u32 };
        ChannelLayout { capacity: channel.capacity, count_bits, first_byte, message_bytes, fields, words }
    }

    #[inline]
    pub(super) fn count(&self, words: &[u32], base: usize) -> u32 {
        if self.capacity == 0 {
            return 0;
        }
        words[base] & (u32::MAX >> (32 - self.count_bits))
    }

    #[inline]
    fn add_to_count(&self, words: &mut [u32], base: usize, difference: u32) {
        words[base] = words[base].wrapping_add(difference);
    }

    #[inline]
    fn field_cell(&self, field: usize, position: u32) -> Cell {
        let cell = self.fields[field];
        let byte = self.first_byte + position * self.message_bytes;
        let bit = u32::from(cell.shift) + byte % 4 * 8;
        Cell { word: cell.word + byte / 4 + bit / 32, shift: (bit % 32) as u8, ..cell }
    }

    #[inline]
    pub(super) fn field(&self, words: &[u32], base: usize, field: usize, position: u32) -> i32 {
        self.field_cell(field, position).read(words, base)
    }

    #[inline]
    pub(super) fn set_field(&self, words: &mut [u32], base: usize, field: usize, position: u32, value: i32) {
        self.field_cell(field, position).write(words, base, value);
    }

    /// Appends a message; the caller has checked that there is room.
    #[inline]
    pub(super) fn append(&self, words: &mut [u32], base: usize, message: &[i32]) {
        let position = self.count(words, base);
        for (field, value) in message.iter().enumerate().take(self.fields.len()) {
            self.set_field(words, base, field, position, *value);
        }
        self.add_to_count(words, base, 1);
    }

    /// Inserts a message before the first that is larger.
    pub(super) fn insert_sorted(&self, words: &mut [u32], base: usize, message: &[i32]) {
        let count = self.count(words, base);
        let is_larger = |words: &[u32], position: u32| {
            let held = (0..self.fields.len()).map(|field| self.field(words, base, field, position));
            held.gt(message.iter().copied())
        };
        let at = (0..count).find(|position| is_larger(words, *position)).unwrap_or(count);
        for position in (at..count).rev() {
            for field in 0..self.fields.len() {
                let value = self.field(words, base, field, position);
                self.set_field(words, base, field, position + 1, value);
            }
        }
        for (field, value) in message.iter().enumerate().take(self.fields.len()) {
            self.set_field(words, base, field, at, *value);
        }
        self.add_to_count(words, base, 1);
    }

    /// Removes the message at `position`; later ones move down.
    ///
    /// Bytes behind the last message are zero and the region is whole words, so moving everything from the
    /// message's end to the region's end down by one message is enough.
    pub(super) fn remove(&self, words: &mut [u32], base: usize, position: u32) {
        let region = &mut words[base..base + self.words as usize];
        let start = self.first_byte + position * self.message_bytes;
        let first = (start / 4) as usize;
        if self.message_bytes >= 4 {
            let step = (self.message_bytes / 4) as usize;
            region.copy_within(first + step.., first);
            let end = region.len() - step;
            region[end..].fill(0);
        } else {
            let by = self.message_bytes * 8;
            let kept = start % 4 * 8;
            for at in first..region.len() {
                let next = region.get(at + 1).copied().unwrap_or(0);
                let moved = region[at] >> by | next << (32 - by);
                let keep_mask = if at == first { (1u32 << kept) - 1 } else { 0 };
                region[at] = region[at] & keep_mask | moved & !keep_mask;
            }
        }
        let difference = 1u32.wrapping_neg();
        self.add_to_count(words, base, difference);
    }
}
