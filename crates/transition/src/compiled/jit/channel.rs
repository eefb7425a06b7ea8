//! Sends and receives on channels whose place is known.

use super::function::{Maker, plain};
use super::support::{Fields, layouts};
use crate::compiled::layout::Cell;
use crate::compiled::program::{ChannelOperand, Field};
use crate::compiled::shape::ChannelPosition;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};

impl Maker<'_> {
    /// Calls `body` for every layout that the channel can have, with the address of its first word. Each
    /// body ends by going somewhere; where no layout fits, the bytecode takes over. `handshakes`: layouts
    /// without room count too.
    fn for_channel(
        &mut self,
        channel: &ChannelOperand,
        fields: Fields,
        handshakes: bool,
        mut body: impl FnMut(&mut Self, Value, u32),
    ) {
        let layouts = layouts(self.program, channel, fields, handshakes);
        let (base, position) = match channel {
            ChannelOperand::Global { position, .. } => (self.words, *position),
            ChannelOperand::Local { position, .. } => (self.frame, *position),
            ChannelOperand::Number(value) => {
                let number = self.operand(value);
                self.for_number(number, &layouts, body);
                return;
            }
        };
        let offset = self.word_constant(4 * i64::from(position.word));
        let address = self.builder.ins().iadd(base, offset);
        body(self, address, position.layout);
    }

    pub(super) fn for_number(
        &mut self,
        number: Value,
        layouts: &[u32],
        mut body: impl FnMut(&mut Self, Value, u32),
    ) {
        let (address, layout) = self.position(number);
        for candidate in layouts {
            let wanted = self.constant(*candidate as i32);
            let same = self.builder.ins().icmp(IntCC::Equal, layout, wanted);
            let this = self.builder.create_block();
            let next = self.builder.create_block();
            self.builder.ins().brif(same, this, &[], next, &[]);
            self.builder.switch_to_block(this);
            body(self, address, *candidate);
            self.builder.switch_to_block(next);
        }
        let give_up = self.give_up;
        self.builder.ins().jump(give_up, &[]);
    }

    /// The address and the layout of the channel with this number; gives up where there is none.
    fn position(&mut self, number: Value) -> (Value, Value) {
        let one = self.constant(1);
        let index = self.builder.ins().isub(number, one);
        let count = self.fact(18, 0x1ff);
        let exists = self.builder.ins().icmp(IntCC::UnsignedLessThan, index, count);
        self.require(exists);
        let index = self.builder.ins().uextend(types::I64, index);
        let size = self.word_constant(size_of::<ChannelPosition>() as i64);
        let distance = self.builder.ins().imul(index, size);
        let entry = self.builder.ins().iadd(self.channels, distance);
        let word_at = std::mem::offset_of!(ChannelPosition, word) as i32;
        let layout_at = std::mem::offset_of!(ChannelPosition, layout) as i32;
        let word = self.builder.ins().load(types::I32, plain(), entry, word_at);
        let layout = self.builder.ins().load(types::I32, plain(), entry, layout_at);
        let word = self.builder.ins().uextend(types::I64, word);
        let four = self.word_constant(4);
        let distance = self.builder.ins().imul(word, four);
        (self.builder.ins().iadd(self.words, distance), layout)
    }

    /// The number of messages and the capacity; gives up on handshake channels, which have no place.
    pub(super) fn count_of_number(&mut self, number: Value) -> (Value, Value) {
        let (address, layout) = self.position(number);
        let layout = self.builder.ins().uextend(types::I64, layout);
        let four = self.word_constant(4);
        let distance = self.builder.ins().imul(layout, four);
        let table = self.capacities();
        let entry = self.builder.ins().iadd(table, distance);
        let capacity = self.builder.ins().load(types::I32, plain(), entry, 0);
        self.require(capacity);
        (self.load_at(address, 0, count_cell(8)), capacity)
    }

    /// The number of messages; `word` is where the channel begins.
    pub(super) fn count(&mut self, base: Value, word: u32, layout: u32) -> Value {
        let layout = &self.program.channels[layout as usize];
        if layout.capacity == 0 {
            return self.constant(0);
        }
        self.load_at(base, 4 * word as i32, count_cell(layout.count_bits))
    }

    pub(super) fn has_room(&mut self, channel: Value, layout: u32) -> Value {
        let count = self.count(channel, 0, layout);
        let capacity = self.constant(self.program.channels[layout as usize].capacity as i32);
        self.builder.ins().icmp(IntCC::UnsignedLessThan, count, capacity)
    }

    pub(super) fn decide_send(&mut self, send: u32, yes: Block, no: Block) {
        let send = &self.program.sends[send as usize];
        self.for_channel(
            &send.channel,
            Fields::Exactly(send.arguments.len()),
            false,
            |maker, channel, layout| {
                let room = maker.has_room(channel, layout);
                maker.builder.ins().brif(room, yes, &[], no, &[]);
            },
        );
    }

    pub(super) fn decide_receive(&mut self, receive: u32, yes: Block, no: Block) {
        let receive = &self.program.receives[receive as usize];
        self.for_channel(
            &receive.channel,
            Fields::AtLeast(receive.fields.len()),
            true,
            |maker, channel, layout| {
                // In a handshake the sender moves; alone, the receiver cannot.
                if maker.program.channels[layout as usize].capacity == 0 {
                    maker.builder.ins().jump(no, &[]);
                    return;
                }
                let count = maker.count(channel, 0, layout);
                let go_on = maker.builder.create_block();
                maker.builder.ins().brif(count, go_on, &[], no, &[]);
                maker.builder.switch_to_block(go_on);
                let layout = &maker.program.channels[layout as usize];
                for (number, field) in receive.fields.iter().enumerate() {
                    if let Field::Match(wanted) = field {
                        let cell = layout.fields[number];
                        let held =
                            maker.load_at(channel, layout.first_byte as i32 + field_offset(cell), cell);
                        let wanted = maker.operand(wanted);
                        let same = maker.builder.ins().icmp(IntCC::Equal, held, wanted);
                        let go_on = maker.builder.create_block();
                        maker.builder.ins().brif(same, go_on, &[], no, &[]);
                        maker.builder.switch_to_block(go_on);
                    }
                }
                maker.builder.ins().jump(yes, &[]);
            },
        );
    }

    /// Appends a message.
    pub(super) fn send(&mut self, send: u32) {
        let send = &self.program.sends[send as usize];
        let values: Vec<Value> = send.arguments.iter().map(|argument| self.operand(argument)).collect();
        let done = self.builder.create_block();
        self.for_channel(&send.channel, Fields::Exactly(values.len()), false, |maker, channel, number| {
            let layout = &maker.program.channels[number as usize];
            // The guard has said so already; checked again because an address depends on it.
            let room = maker.has_room(channel, number);
            maker.require(room);
            let count = maker.count(channel, 0, number);
            let wide = maker.builder.ins().uextend(types::I64, count);
            let size = maker.word_constant(i64::from(layout.message_bytes));
            let distance = maker.builder.ins().imul(wide, size);
            let message = maker.builder.ins().iadd(channel, distance);
            for (value, cell) in values.iter().zip(&layout.fields) {
                maker.store_at(message, layout.first_byte as i32 + field_offset(*cell), *cell, *value);
            }
            maker.add_to_count(channel, layout.count_bits, count, 1);
            maker.builder.ins().jump(done, &[]);
        });
        self.builder.switch_to_block(done);
    }

    /// Takes the first message (or only looks at it) and stores its fields.
    pub(super) fn receive(&mut self, receive: u32) {
        let receive = &self.program.receives[receive as usize];
        let done = self.builder.create_block();
        self.for_channel(
            &receive.channel,
            Fields::AtLeast(receive.fields.len()),
            false,
            |maker, channel, number| {
                let layout = &maker.program.channels[number as usize];
                let mut stores = Vec::new();
                for (number, field) in receive.fields.iter().enumerate() {
                    if let Field::Store(target) = field {
                        let cell = layout.fields[number];
                        let value =
                            maker.load_at(channel, layout.first_byte as i32 + field_offset(cell), cell);
                        stores.push((target, value));
                    }
                }
                if !receive.keep {
                    let count = maker.count(channel, 0, number);
                    maker.require(count);
                    let first = layout.first_byte as i32;
                    let size = layout.message_bytes as i32;
                    let last = first + size * (layout.capacity as i32 - 1);
                    maker.move_down(channel, first, last, size);
                    maker.clear(channel, last, last + size);
                    maker.add_to_count(channel, layout.count_bits, count, -1);
                }
                for (target, value) in stores {
                    maker.store(target, value);
                }
                maker.builder.ins().jump(done, &[]);
            },
        );
        self.builder.switch_to_block(done);
    }

    fn add_to_count(&mut self, channel: Value, bits: u8, count: Value, difference: i32) {
        let difference = self.constant(difference);
        let count = self.builder.ins().iadd(count, difference);
        self.store_at(channel, 0, count_cell(bits), count);
    }

    /// Moves the bytes behind each position in `from..to` down by `size`, in rising order: a chunk is read
    /// before anything it overlaps is written.
    fn move_down(&mut self, channel: Value, from: i32, to: i32, size: i32) {
        let mut at = from;
        while at < to {
            let chunk = chunk(to - at);
            let value = self.builder.ins().load(chunk, plain(), channel, at + size);
            self.builder.ins().store(plain(), value, channel, at);
            at += chunk.bytes() as i32;
        }
    }

    fn clear(&mut self, channel: Value, from: i32, to: i32) {
        let mut at = from;
        while at < to {
            let chunk = chunk(to - at);
            let zero = self.builder.ins().iconst(chunk, 0);
            self.builder.ins().store(plain(), zero, channel, at);
            at += chunk.bytes() as i32;
        }
    }
}

fn chunk(bytes: i32) -> types::Type {
    match bytes {
        8.. => types::I64,
        4..8 => types::I32,
        2..4 => types::I16,
        _ => types::I8,
    }
}

fn count_cell(bits: u8) -> Cell {
    Cell { word: 0, shift: 0, storage: bits, bits, signed: false }
}

/// Relative to the message's first byte.
fn field_offset(cell: Cell) -> i32 {
    (cell.word * 4 + u32::from(cell.shift / 8)) as i32
}
