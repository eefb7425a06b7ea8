//! One function: bytecode into Cranelift's intermediate form.

use super::Tables;
use super::arithmetic::condition_code;
use super::support::{buffered, can_decide, entry_edges};
use crate::compiled::layout::Cell;
use crate::compiled::program::{
    CodeId, Edge, Effect, First, IndexValue, Op, Program, Query, Target, Test, Value as Operand,
};
use crate::model::{Binary, Scope, Unary};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, Function, InstBuilder, MemFlagsData, Type, Value, types};
use cranelift_codegen::isa::TargetFrontendConfig;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Variable};

pub(super) struct Maker<'f> {
    pub(super) builder: FunctionBuilder<'f>,
    pub(super) program: &'f Program,
    tables: &'f Tables,
    kind: usize,
    pointer: Type,
    pub(super) words: Value,
    pub(super) frame: Value,
    facts: Value,
    /// The shape's channels.
    pub(super) channels: Value,
    /// Where to go when the bytecode must take over.
    pub(super) give_up: Block,
    registers: Vec<Option<Variable>>,
}

/// Every access is within checked bounds and cannot trap; not all are aligned.
pub(super) fn plain() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

impl<'f> Maker<'f> {
    pub(super) fn new(
        function: &'f mut Function,
        scratch: &'f mut FunctionBuilderContext,
        program: &'f Program,
        tables: &'f Tables,
        kind: usize,
        pointer: Type,
    ) -> Maker<'f> {
        let mut builder = FunctionBuilder::new(function, scratch);
        let entry = builder.create_block();
        builder.append_block_params_for_function_params(entry);
        builder.switch_to_block(entry);
        let parameters = builder.block_params(entry).to_vec();
        let give_up = builder.create_block();
        Maker {
            builder,
            program,
            tables,
            kind,
            pointer,
            words: parameters[0],
            frame: parameters[1],
            facts: parameters[2],
            channels: parameters[3],
            give_up,
            registers: vec![None; usize::from(program.registers) + 1],
        }
    }

    pub(super) fn finish(mut self, target: TargetFrontendConfig) {
        self.builder.seal_all_blocks();
        self.builder.finalize(target);
    }

    /// The body of a guard function: every edge sets its bit, or the bit that asks the bytecode.
    pub(super) fn guards(&mut self, edges: &[Edge]) {
        let mask = self.builder.declare_var(types::I64);
        let zero = self.builder.ins().iconst(types::I64, 0);
        self.builder.def_var(mask, zero);
        for (number, edge) in edges.iter().enumerate() {
            let (yes, ask) = (1_i64 << number, 1_i64 << (number + 32));
            if !can_decide(self.program, edge) {
                self.set_bits(mask, ask);
                continue;
            }
            let next = self.builder.create_block();
            let set = self.builder.create_block();
            let asking = self.builder.create_block();
            self.give_up = asking;
            self.decide(edge, set, next);
            self.builder.switch_to_block(set);
            self.set_bits(mask, yes);
            self.builder.ins().jump(next, &[]);
            self.builder.switch_to_block(asking);
            self.builder.set_cold_block(asking);
            self.set_bits(mask, ask);
            self.builder.ins().jump(next, &[]);
            self.builder.switch_to_block(next);
        }
        let result = self.builder.use_var(mask);
        self.builder.ins().return_(&[result]);
    }

    fn set_bits(&mut self, mask: Variable, bits: i64) {
        let before = self.builder.use_var(mask);
        let bits = self.builder.ins().iconst(types::I64, bits);
        let after = self.builder.ins().bor(before, bits);
        self.builder.def_var(mask, after);
    }

    /// Jumps to `yes` or `no`.
    fn decide(&mut self, edge: &Edge, yes: Block, no: Block) {
        match &edge.first {
            First::Test(test) => self.branch(test, yes, no),
            First::Else => {
                self.builder.ins().jump(yes, &[]);
            }
            First::End => {
                // The youngest: pid + 1 is the number of processes.
                let pid = self.fact(0, 0xff);
                let count = self.fact(8, 0x1ff);
                let next = self.add_constant(pid, 1);
                let condition = self.builder.ins().icmp(IntCC::Equal, next, count);
                self.builder.ins().brif(condition, yes, &[], no, &[]);
            }
            First::Send(send) => self.decide_send(*send, yes, no),
            First::Receive(receive) => self.decide_receive(*receive, yes, no),
            First::Block(block) => {
                for edge in entry_edges(self.program, *block) {
                    let next = self.builder.create_block();
                    self.decide(edge, yes, next);
                    self.builder.switch_to_block(next);
                }
                self.builder.ins().jump(no, &[]);
            }
        }
    }

    pub(super) fn fact(&mut self, shift: i64, mask: i64) -> Value {
        let shift = self.constant(shift as i32);
        let shifted = self.builder.ins().ushr(self.facts, shift);
        let mask = self.constant(mask as i32);
        self.builder.ins().band(shifted, mask)
    }

    pub(super) fn constant(&mut self, value: i32) -> Value {
        self.builder.ins().iconst(types::I32, i64::from(value))
    }

    fn add_constant(&mut self, value: Value, constant: i32) -> Value {
        let constant = self.constant(constant);
        self.builder.ins().iadd(value, constant)
    }

    pub(super) fn word_constant(&mut self, value: i64) -> Value {
        self.builder.ins().iconst(self.pointer, value)
    }

    /// Goes on where the condition is not 0, gives up otherwise.
    pub(super) fn require(&mut self, condition: Value) {
        let go_on = self.builder.create_block();
        self.builder.ins().brif(condition, go_on, &[], self.give_up, &[]);
        self.builder.switch_to_block(go_on);
    }

    fn branch(&mut self, test: &Test, yes: Block, no: Block) {
        let condition = match test {
            Test::Always => {
                self.builder.ins().jump(yes, &[]);
                return;
            }
            Test::Never => {
                self.builder.ins().jump(no, &[]);
                return;
            }
            Test::GlobalConstant { operator, cell, right } => {
                let left = self.load(self.words, *cell);
                self.compare_constant(*operator, left, *right)
            }
            Test::LocalConstant { operator, cell, right } => {
                let left = self.load(self.frame, *cell);
                self.compare_constant(*operator, left, *right)
            }
            Test::Compare { operator, left, right } => {
                let left = self.operand(left);
                let right = self.operand(right);
                self.builder.ins().icmp(condition_code(*operator), left, right)
            }
            Test::Code(code) => self.code(*code),
        };
        self.builder.ins().brif(condition, yes, &[], no, &[]);
    }

    pub(super) fn compare_constant(&mut self, operator: Binary, left: Value, right: i32) -> Value {
        let right = self.constant(right);
        self.builder.ins().icmp(condition_code(operator), left, right)
    }

    /// The value of a cell, `base` being the state or the frame.
    fn load(&mut self, base: Value, cell: Cell) -> Value {
        self.load_at(base, byte_offset(cell), cell)
    }

    pub(super) fn load_at(&mut self, address: Value, offset: i32, cell: Cell) -> Value {
        let instructions = self.builder.ins();
        match (cell.storage, cell.signed) {
            (8, false) => instructions.uload8(types::I32, plain(), address, offset),
            (8, true) => instructions.sload8(types::I32, plain(), address, offset),
            (16, false) => instructions.uload16(types::I32, plain(), address, offset),
            (16, true) => instructions.sload16(types::I32, plain(), address, offset),
            _ => instructions.load(types::I32, plain(), address, offset),
        }
    }

    /// Stores a value, cut to the cell's bits.
    pub(super) fn store_at(&mut self, address: Value, offset: i32, cell: Cell, value: Value) {
        let value = self.cut(cell, value);
        let instructions = self.builder.ins();
        match cell.storage {
            8 => instructions.istore8(plain(), value, address, offset),
            16 => instructions.istore16(plain(), value, address, offset),
            _ => instructions.store(plain(), value, address, offset),
        };
    }

    /// What the cell keeps, as far as storing does not cut anyway.
    fn cut(&mut self, cell: Cell, value: Value) -> Value {
        if cell.bits == cell.storage {
            return value;
        }
        let unused = self.constant(32 - i32::from(cell.bits));
        let lifted = self.builder.ins().ishl(value, unused);
        if cell.signed {
            self.builder.ins().sshr(lifted, unused)
        } else {
            self.builder.ins().ushr(lifted, unused)
        }
    }

    pub(super) fn operand(&mut self, operand: &Operand) -> Value {
        match *operand {
            Operand::Constant(value) => self.constant(value),
            Operand::Global(cell) => self.load(self.words, cell),
            Operand::Local(cell) => self.load(self.frame, cell),
            Operand::GlobalPlus(cell, constant) => {
                let value = self.load(self.words, cell);
                self.add_constant(value, constant)
            }
            Operand::LocalPlus(cell, constant) => {
                let value = self.load(self.frame, cell);
                self.add_constant(value, constant)
            }
            Operand::Code(code) => self.code(code),
        }
    }

    fn scope(&self, scope: Scope) -> Value {
        match scope {
            Scope::Global => self.words,
            Scope::Local => self.frame,
        }
    }

    /// The address of a slot that was reached by an index, already checked.
    fn indexed(&mut self, scope: Scope, slot: u32, index: Value, even: bool) -> (Value, Cell) {
        let (cells, table) = match scope {
            Scope::Global => (&self.program.global_cells, &self.tables.globals),
            Scope::Local => (&self.program.processes[self.kind].cells, &self.tables.locals[self.kind]),
        };
        let cell = cells[slot as usize];
        let table = table.as_ptr() as i64;
        let base = self.scope(scope);
        let index = self.builder.ins().uextend(self.pointer, index);
        let address = if even {
            let size = self.word_constant(i64::from(cell.storage / 8));
            let distance = self.builder.ins().imul(index, size);
            let start = self.builder.ins().iadd(base, distance);
            let offset = self.word_constant(i64::from(byte_offset(cell)));
            self.builder.ins().iadd(start, offset)
        } else {
            let table = self.word_constant(table + 4 * i64::from(slot));
            let size = self.word_constant(4);
            let distance = self.builder.ins().imul(index, size);
            let entry = self.builder.ins().iadd(table, distance);
            let offset = self.builder.ins().load(types::I32, plain(), entry, 0);
            let offset = self.builder.ins().uextend(self.pointer, offset);
            self.builder.ins().iadd(base, offset)
        };
        (address, cell)
    }

    /// `index · stride` where the index is in range; gives up otherwise.
    fn checked_index(&mut self, index: Value, length: u32, stride: u32) -> Value {
        let limit = self.constant(length as i32);
        let inside = self.builder.ins().icmp(IntCC::UnsignedLessThan, index, limit);
        self.require(inside);
        if stride == 1 {
            return index;
        }
        let stride = self.constant(stride as i32);
        self.builder.ins().imul(index, stride)
    }

    pub(super) fn store(&mut self, target: &Target, value: Value) {
        match *target {
            Target::Global(cell) => self.store_at(self.words, byte_offset(cell), cell, value),
            Target::Local(cell) => self.store_at(self.frame, byte_offset(cell), cell, value),
            Target::Indexed { scope, slot, value: index, length, stride } => {
                let index = match index {
                    IndexValue::Constant(constant) => self.constant(constant),
                    IndexValue::Global(cell) => self.load(self.words, cell),
                    IndexValue::Local(cell) => self.load(self.frame, cell),
                };
                let distance = self.checked_index(index, length, stride);
                let (address, cell) = self.indexed(scope, slot, distance, false);
                self.store_at(address, 0, cell, value);
            }
            Target::Computed { scope, slot, index, even } => {
                let distance = self.code(index);
                let (address, cell) = self.indexed(scope, slot, distance, even);
                self.store_at(address, 0, cell, value);
            }
        }
    }

    fn register(&mut self, register: u16) -> Variable {
        if let Some(variable) = self.registers[usize::from(register)] {
            return variable;
        }
        let variable = self.builder.declare_var(types::I32);
        self.registers[usize::from(register)] = Some(variable);
        variable
    }

    fn get(&mut self, register: u16) -> Value {
        let variable = self.register(register);
        self.builder.use_var(variable)
    }

    fn put(&mut self, register: u16, value: Value) {
        let variable = self.register(register);
        self.builder.def_var(variable, value);
    }

    fn put_condition(&mut self, register: u16, condition: Value) {
        let value = self.builder.ins().uextend(types::I32, condition);
        self.put(register, value);
    }

    /// The value of an expression; all its instructions are known to be supported.
    fn code(&mut self, start: CodeId) -> Value {
        let program = self.program;
        let end = code_end(program, start);
        let range = start.0 as usize..end;
        let mut labels: Vec<Option<Block>> = vec![None; range.len() + 1];
        for op in &program.code[range.clone()] {
            if let Op::Jump { target } | Op::JumpIfZero { target, .. } | Op::JumpIfNotZero { target, .. } = op
            {
                let label = *target as usize - range.start;
                if labels[label].is_none() {
                    labels[label] = Some(self.builder.create_block());
                }
            }
        }
        for at in range.clone() {
            if let Some(label) = labels[at - range.start] {
                self.builder.ins().jump(label, &[]);
                self.builder.switch_to_block(label);
            }
            let label = |target: u32| labels[target as usize - range.start];
            match program.code[at] {
                Op::Jump { target } => {
                    if let Some(label) = label(target) {
                        self.builder.ins().jump(label, &[]);
                    }
                    let unreachable = self.builder.create_block();
                    self.builder.switch_to_block(unreachable);
                }
                Op::JumpIfZero { from, target } => {
                    if let Some(label) = label(target) {
                        let next = self.builder.create_block();
                        let value = self.get(from);
                        self.builder.ins().brif(value, next, &[], label, &[]);
                        self.builder.switch_to_block(next);
                    }
                }
                Op::JumpIfNotZero { from, target } => {
                    if let Some(label) = label(target) {
                        let next = self.builder.create_block();
                        let value = self.get(from);
                        self.builder.ins().brif(value, label, &[], next, &[]);
                        self.builder.switch_to_block(next);
                    }
                }
                Op::Return { from } => return self.get(from),
                op => self.op(op),
            }
        }
        self.constant(0)
    }

    fn op(&mut self, op: Op) {
        match op {
            Op::Constant { to, value } => {
                let value = self.constant(value);
                self.put(to, value);
            }
            Op::LoadGlobal { to, cell } => {
                let value = self.load(self.words, cell);
                self.put(to, value);
            }
            Op::LoadLocal { to, cell } => {
                let value = self.load(self.frame, cell);
                self.put(to, value);
            }
            Op::Index { to, from, length, stride, first } => {
                let index = self.get(from);
                let mut distance = self.checked_index(index, length, stride);
                if !first {
                    let before = self.get(to);
                    distance = self.builder.ins().iadd(before, distance);
                }
                self.put(to, distance);
            }
            Op::LoadGlobalAt { to, slot, index, even } => {
                let index = self.get(index);
                let (address, cell) = self.indexed(Scope::Global, slot, index, even);
                let value = self.load_at(address, 0, cell);
                self.put(to, value);
            }
            Op::LoadLocalAt { to, slot, index, even, .. } => {
                let index = self.get(index);
                let (address, cell) = self.indexed(Scope::Local, slot, index, even);
                let value = self.load_at(address, 0, cell);
                self.put(to, value);
            }
            Op::Unary { operator, to, from } => {
                let value = self.get(from);
                let result = match operator {
                    Unary::Negate => self.builder.ins().ineg(value),
                    Unary::Complement => self.builder.ins().bnot(value),
                    Unary::Not => {
                        let is_zero = self.compare_constant(Binary::Equal, value, 0);
                        self.builder.ins().uextend(types::I32, is_zero)
                    }
                };
                self.put(to, result);
            }
            Op::Binary { operator, to, left, right } => {
                let (left, right) = (self.get(left), self.get(right));
                let result = self.binary(operator, left, right, None);
                self.put(to, result);
            }
            Op::BinaryConstant { operator, to, left, right } => {
                let left = self.get(left);
                let known = Some(right);
                let right = self.constant(right);
                let result = self.binary(operator, left, right, known);
                self.put(to, result);
            }
            Op::CompareGlobal { operator, to, cell, right } => {
                let left = self.load(self.words, cell);
                let condition = self.compare_constant(operator, left, right);
                self.put_condition(to, condition);
            }
            Op::CompareLocal { operator, to, cell, right } => {
                let left = self.load(self.frame, cell);
                let condition = self.compare_constant(operator, left, right);
                self.put_condition(to, condition);
            }
            Op::Truth { to, from } => {
                let value = self.get(from);
                let condition = self.compare_constant(Binary::NotEqual, value, 0);
                self.put_condition(to, condition);
            }
            Op::Pid { to } => {
                let value = self.fact(0, 0xff);
                self.put(to, value);
            }
            Op::ProcessCount { to } => {
                let value = self.fact(8, 0x1ff);
                self.put(to, value);
            }
            Op::Timeout { to } => {
                let value = self.fact(17, 1);
                self.put(to, value);
            }
            Op::QueryGlobal { query, to, word, layout } => self.query(query, to, self.words, word, layout),
            Op::QueryLocal { query, to, word, layout } => self.query(query, to, self.frame, word, layout),
            Op::QueryNumber { query, to, channel } => {
                let number = self.get(channel);
                let (count, capacity) = self.count_of_number(number);
                self.answer(query, to, count, capacity);
            }
            Op::HasMessage { to, channel } => {
                let number = self.get(channel);
                let (count, capacity) = self.count_of_number(number);
                self.answer(Query::NotEmpty, to, count, capacity);
            }
            Op::MessageField { to, channel, field } => {
                let number = self.get(channel);
                let result = self.register(to);
                let done = self.builder.create_block();
                let program = self.program;
                let layouts = buffered(program, |layout| layout.fields.len() > field as usize);
                self.for_number(number, &layouts, |maker, address, layout| {
                    let layout = &program.channels[layout as usize];
                    let cell = layout.fields[field as usize];
                    let offset = layout.first_byte as i32 + byte_offset(cell);
                    let value = maker.load_at(address, offset, cell);
                    maker.builder.def_var(result, value);
                    maker.builder.ins().jump(done, &[]);
                });
                self.builder.switch_to_block(done);
            }
            // The fields were compared one by one before.
            Op::Poll { to, .. } => {
                let value = self.constant(1);
                self.put(to, value);
            }
            _ => {}
        }
    }

    /// What is asked about a channel with this many messages.
    fn answer(&mut self, query: Query, to: u16, count: Value, capacity: Value) {
        let zero = self.constant(0);
        let (code, against) = match query {
            Query::Length => {
                self.put(to, count);
                return;
            }
            Query::Empty => (IntCC::Equal, zero),
            Query::NotEmpty => (IntCC::NotEqual, zero),
            Query::Full => (IntCC::UnsignedGreaterThanOrEqual, capacity),
            Query::NotFull => (IntCC::UnsignedLessThan, capacity),
        };
        let condition = self.builder.ins().icmp(code, count, against);
        self.put_condition(to, condition);
    }

    /// The address of the entry for a layout in the table of capacities.
    pub(super) fn capacities(&mut self) -> Value {
        let table = self.tables.capacities.as_ptr() as i64;
        self.word_constant(table)
    }

    fn query(&mut self, query: Query, to: u16, base: Value, word: u32, layout: u32) {
        // A handshake channel holds nothing between steps, so it is never full.
        let capacity = self.program.channels[layout as usize].capacity.max(1);
        let count = self.count(base, word, layout);
        let capacity = self.constant(capacity as i32);
        self.answer(query, to, count, capacity);
    }

    /// The body of an effect function.
    pub(super) fn effects(&mut self, edge: &Edge) {
        let program = self.program;
        match edge.first {
            First::Send(send) => self.send(send),
            First::Receive(receive) => self.receive(receive),
            _ => {}
        }
        for effect in &program.effects[edge.effects.start as usize..edge.effects.end as usize] {
            match effect {
                Effect::Store { target, value } => {
                    let value = self.operand(value);
                    self.store(target, value);
                }
                Effect::Assert(test) => {
                    let holds = self.builder.create_block();
                    let give_up = self.give_up;
                    self.branch(test, holds, give_up);
                    self.builder.switch_to_block(holds);
                }
                _ => {}
            }
        }
        let storage = if program.processes[self.kind].location_mask > 0xff { 16 } else { 8 };
        let cell = Cell { word: 0, shift: 0, storage, bits: storage, signed: false };
        let location = self.constant(edge.target as i32);
        self.store_at(self.frame, 0, cell, location);
        let fine = self.constant(0);
        self.builder.ins().return_(&[fine]);
        self.builder.switch_to_block(self.give_up);
        self.builder.set_cold_block(self.give_up);
        let trouble = self.constant(1);
        self.builder.ins().return_(&[trouble]);
    }
}

fn byte_offset(cell: Cell) -> i32 {
    (cell.word * 4 + u32::from(cell.shift / 8)) as i32
}

/// The position behind the expression's [`Op::Return`].
pub(super) fn code_end(program: &Program, start: CodeId) -> usize {
    let start = start.0 as usize;
    let length = program.code[start..].iter().position(|op| matches!(op, Op::Return { .. }));
    length.map_or(program.code.len(), |length| start + length + 1)
}
