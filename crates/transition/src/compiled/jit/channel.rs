//! Sends and receives on channels whose place is known.

use super::function::{Maker, plain};
use crate::compiled::layout::Cell;
use crate::compiled::program::{ChannelOperand, Field, Program, Send};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};

/// Has the message no more fields than the channel?
pub(super) fn fits(program: &Program, send: &Send) -> bool {
    match send.channel {
        ChannelOperand::Global { position, .. } | ChannelOperand::Local { position, .. } => {
            send.arguments.len() <= program.channels[position.layout as usize].fields.len()
        }
        ChannelOperand::Number(_) => false,
    }
}

impl Maker<'_> {
    /// The address of the channel's first word, and its layout.
    pub(super) fn fixed_channel(&mut self, channel: &ChannelOperand) -> (Value, u32) {
        let (base, position) = match channel {
            ChannelOperand::Global { position, .. } => (self.words, *position),
            ChannelOperand::Local { position, .. } => (self.frame, *position),
            // Refused by `can_use`.
            ChannelOperand::Number(_) => return (self.words, 0),
        };
        let offset = self.word_constant(4 * i64::from(position.word));
        (self.builder.ins().iadd(base, offset), position.layout)
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

    pub(super) fn decide_receive(&mut self, receive: u32, yes: Block, no: Block) {
        let receive = &self.program.receives[receive as usize];
        let (channel, layout) = self.fixed_channel(&receive.channel);
        let count = self.count(channel, 0, layout);
        let go_on = self.builder.create_block();
        self.builder.ins().brif(count, go_on, &[], no, &[]);
        self.builder.switch_to_block(go_on);
        let layout = &self.program.channels[layout as usize];
        for (number, field) in receive.fields.iter().enumerate() {
            if let Field::Match(wanted) = field {
                let cell = layout.fields[number];
                let held = self.load_at(channel, layout.first_byte as i32 + field_offset(cell), cell);
                let wanted = self.operand(wanted);
                let same = self.builder.ins().icmp(IntCC::Equal, held, wanted);
                let go_on = self.builder.create_block();
                self.builder.ins().brif(same, go_on, &[], no, &[]);
                self.builder.switch_to_block(go_on);
            }
        }
        self.builder.ins().jump(yes, &[]);
    }

    /// Appends a message.
    pub(super) fn send(&mut self, send: u32) {
        let send = &self.program.sends[send as usize];
        let (channel, number) = self.fixed_channel(&send.channel);
        let layout = &self.program.channels[number as usize];
        let values: Vec<Value> = send.arguments.iter().map(|argument| self.operand(argument)).collect();
        // The guard has said so already; checked again because an address depends on it.
        let room = self.has_room(channel, number);
        self.require(room);
        let count = self.count(channel, 0, number);
        let wide = self.builder.ins().uextend(types::I64, count);
        let size = self.word_constant(i64::from(layout.message_bytes));
        let distance = self.builder.ins().imul(wide, size);
        let message = self.builder.ins().iadd(channel, distance);
        for (value, cell) in values.into_iter().zip(&layout.fields) {
            self.store_at(message, layout.first_byte as i32 + field_offset(*cell), *cell, value);
        }
        self.add_to_count(channel, layout.count_bits, count, 1);
    }

    /// Takes the first message (or only looks at it) and stores its fields.
    pub(super) fn receive(&mut self, receive: u32) {
        let receive = &self.program.receives[receive as usize];
        let (channel, number) = self.fixed_channel(&receive.channel);
        let layout = &self.program.channels[number as usize];
        let mut stores = Vec::new();
        for (number, field) in receive.fields.iter().enumerate() {
            if let Field::Store(target) = field {
                let cell = layout.fields[number];
                let value = self.load_at(channel, layout.first_byte as i32 + field_offset(cell), cell);
                stores.push((target, value));
            }
        }
        if !receive.keep {
            let count = self.count(channel, 0, number);
            self.require(count);
            let first = layout.first_byte as i32;
            let size = layout.message_bytes as i32;
            let last = first + size * (layout.capacity as i32 - 1);
            self.move_down(channel, first, last, size);
            self.clear(channel, last, last + size);
            self.add_to_count(channel, layout.count_bits, count, -1);
        }
        for (target, value) in stores {
            self.store(target, value);
        }
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
