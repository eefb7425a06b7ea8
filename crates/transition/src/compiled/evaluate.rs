//! Values of compiled expressions on a packed state.

use super::Patience;
use super::layout::Cell;
use super::program::{ChannelOperand, CodeId, IndexValue, Op, Program, Query, Register, Target, Test, Value};
use super::shape::{ChannelPosition, Shape, Shapes};
use crate::limits;
use crate::model::{Binary, Fault, Scope, Unary};

/// What an expression reads: a state, and the process whose local slots are meant.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) words: &'a [u32],
    pub(super) shape: &'a Shape,
    pub(super) pid: usize,
    /// First word of the process's frame.
    pub(super) base: usize,
    pub(super) timeout: bool,
    /// The pid that a `run` gives.
    pub(super) run_result: i32,
}

impl<'a> View<'a> {
    #[inline]
    pub(super) fn of(words: &'a [u32], shape: &'a Shape, pid: usize, timeout: bool) -> View<'a> {
        let base = shape.frames[pid] as usize;
        View { words, shape, pid, base, timeout, run_result: shape.count() as i32 }
    }

    /// A view that belongs to no process; local slots must not be read through it.
    pub(super) fn of_nobody(words: &'a [u32], shape: &'a Shape, timeout: bool) -> View<'a> {
        View { words, shape, pid: usize::MAX, base: 0, timeout, run_result: shape.count() as i32 }
    }
}

/// A resolved channel.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Channel {
    pub(super) number: u32,
    pub(super) word: usize,
    pub(super) layout: u32,
}

/// Evaluates; holds the registers.
pub(super) struct Evaluator<'a> {
    pub(super) program: &'a Program,
    pub(super) shapes: &'a Shapes,
    pub(super) registers: &'a mut [i32],
    /// How many `enabled` and blocks we are inside of.
    pub(super) depth: u32,
    /// Asked now and then where something takes long.
    pub(super) patience: Option<&'a Patience>,
}

impl<'a> Evaluator<'a> {
    #[inline]
    pub(super) fn value(&mut self, view: &View<'_>, value: &Value) -> Result<i32, Fault> {
        Ok(match *value {
            Value::Constant(constant) => constant,
            Value::Global(cell) => cell.read(view.words, 0),
            Value::Local(cell) => cell.read(view.words, view.base),
            Value::GlobalPlus(cell, constant) => cell.read(view.words, 0).wrapping_add(constant),
            Value::LocalPlus(cell, constant) => cell.read(view.words, view.base).wrapping_add(constant),
            Value::Code(code) => self.run(view, code)?,
        })
    }

    #[inline]
    pub(super) fn holds(&mut self, view: &View<'_>, test: &Test) -> Result<bool, Fault> {
        Ok(match test {
            Test::Always => true,
            Test::Never => false,
            Test::GlobalConstant { operator, cell, right } => {
                compare(*operator, cell.read(view.words, 0), *right)
            }
            Test::LocalConstant { operator, cell, right } => {
                compare(*operator, cell.read(view.words, view.base), *right)
            }
            Test::Compare { operator, left, right } => {
                let left = self.value(view, left)?;
                compare(*operator, left, self.value(view, right)?)
            }
            Test::Code(code) => self.run(view, *code)? != 0,
        })
    }

    /// Where a store goes: the cell, and the word it is relative to.
    #[inline]
    pub(super) fn target(&mut self, view: &View<'_>, target: &Target) -> Result<(Cell, usize), Fault> {
        let (scope, slot) = match *target {
            Target::Global(cell) => return Ok((cell, 0)),
            Target::Local(cell) => return Ok((cell, view.base)),
            Target::Indexed { scope, slot, value, length, stride } => {
                let value = match value {
                    IndexValue::Constant(constant) => constant,
                    IndexValue::Global(cell) => cell.read(view.words, 0),
                    IndexValue::Local(cell) => cell.read(view.words, view.base),
                };
                (scope, slot + checked_index(value, length)? * stride)
            }
            Target::Computed { scope, slot, index, .. } => (scope, slot + self.run(view, index)? as u32),
        };
        Ok(match scope {
            Scope::Global => (self.program.global_cells[slot as usize], 0),
            Scope::Local => {
                let kind = view.shape.kinds[view.pid] as usize;
                (self.program.processes[kind].cells[slot as usize], view.base)
            }
        })
    }

    #[inline]
    pub(super) fn channel(&mut self, view: &View<'_>, channel: &ChannelOperand) -> Result<Channel, Fault> {
        match channel {
            ChannelOperand::Global { number, position } => {
                Ok(Channel { number: *number, word: position.word as usize, layout: position.layout })
            }
            ChannelOperand::Local { index, position } => Ok(Channel {
                number: view.shape.channels_below[view.pid] + index + 1,
                word: view.base + position.word as usize,
                layout: position.layout,
            }),
            ChannelOperand::Number(value) => {
                let number = self.value(view, value)?;
                numbered(view.shape, number)
            }
        }
    }

    #[inline]
    fn put(&mut self, register: Register, value: i32) {
        self.registers[register as usize] = value;
    }

    #[inline]
    fn get(&self, register: Register) -> i32 {
        self.registers[register as usize]
    }

    pub(super) fn run(&mut self, view: &View<'_>, start: CodeId) -> Result<i32, Fault> {
        let program = self.program;
        let mut at = start.0 as usize;
        loop {
            match program.code[at] {
                Op::Constant { to, value } => self.put(to, value),
                Op::LoadGlobal { to, cell } => self.put(to, cell.read(view.words, 0)),
                Op::LoadLocal { to, cell } => self.put(to, cell.read(view.words, view.base)),
                Op::Index { to, from, length, stride, first } => {
                    let index = checked_index(self.get(from), length)?;
                    let before = if first { 0 } else { self.get(to) };
                    self.put(to, before + (index * stride) as i32);
                }
                Op::LoadGlobalAt { to, slot, index, .. } => {
                    let cell = program.global_cells[slot as usize + self.get(index) as usize];
                    self.put(to, cell.read(view.words, 0));
                }
                Op::LoadLocalAt { to, kind, slot, index, .. } => {
                    let cells = &program.processes[kind as usize].cells;
                    let cell = cells[slot as usize + self.get(index) as usize];
                    self.put(to, cell.read(view.words, view.base));
                }
                Op::Unary { operator, to, from } => {
                    let value = self.get(from);
                    let result = match operator {
                        Unary::Negate => value.wrapping_neg(),
                        Unary::Not => i32::from(value == 0),
                        Unary::Complement => !value,
                    };
                    self.put(to, result);
                }
                Op::Binary { operator, to, left, right } => {
                    let result = apply(operator, self.get(left), self.get(right))?;
                    self.put(to, result);
                }
                Op::BinaryConstant { operator, to, left, right } => {
                    let result = apply(operator, self.get(left), right)?;
                    self.put(to, result);
                }
                Op::CompareGlobal { operator, to, cell, right } => {
                    self.put(to, i32::from(compare(operator, cell.read(view.words, 0), right)));
                }
                Op::CompareLocal { operator, to, cell, right } => {
                    self.put(to, i32::from(compare(operator, cell.read(view.words, view.base), right)));
                }
                Op::Truth { to, from } => self.put(to, i32::from(self.get(from) != 0)),
                Op::Jump { target } => {
                    at = target as usize;
                    continue;
                }
                Op::JumpIfZero { from, target } => {
                    if self.get(from) == 0 {
                        at = target as usize;
                        continue;
                    }
                }
                Op::JumpIfNotZero { from, target } => {
                    if self.get(from) != 0 {
                        at = target as usize;
                        continue;
                    }
                }
                Op::QueryGlobal { query, to, word, layout } => {
                    self.put(to, self.query(view, query, word as usize, layout));
                }
                Op::QueryLocal { query, to, word, layout } => {
                    self.put(to, self.query(view, query, view.base + word as usize, layout));
                }
                Op::Return { from } => return Ok(self.get(from)),
                other => self.rare(view, other)?,
            }
            at += 1;
        }
    }

    /// The instructions that few models use, out of the hot loop's way.
    #[cold]
    fn rare(&mut self, view: &View<'_>, op: Op) -> Result<(), Fault> {
        let program = self.program;
        match op {
            Op::Pid { to } => self.put(to, view.pid as i32),
            Op::ProcessCount { to } => self.put(to, view.shape.count() as i32),
            Op::Last { to } => self.put(to, i32::from(program.last(view.words))),
            Op::Timeout { to } => self.put(to, i32::from(view.timeout)),
            Op::RunResult { to } => self.put(to, view.run_result),
            Op::NonProgress { to } => {
                let progress = (0..view.shape.count()).any(|pid| self.location(view, pid).is_progress);
                self.put(to, i32::from(!progress));
            }
            Op::QueryNumber { query, to, channel } => {
                let channel = numbered(view.shape, self.get(channel))?;
                self.put(to, self.query(view, query, channel.word, channel.layout));
            }
            Op::HasMessage { to, channel } => {
                let channel = numbered(view.shape, self.get(channel))?;
                let count = program.channels[channel.layout as usize].count(view.words, channel.word);
                self.put(to, i32::from(count > 0));
            }
            Op::MessageField { to, channel, field } => {
                let channel = numbered(view.shape, self.get(channel))?;
                let layout = &program.channels[channel.layout as usize];
                if field as usize >= layout.fields.len() {
                    return Err(Fault::ReceiveTooLong);
                }
                self.put(to, layout.field(view.words, channel.word, field as usize, 0));
            }
            Op::Poll { to, channel, poll } => {
                let channel = numbered(view.shape, self.get(channel))?;
                let poll = &program.polls[poll as usize];
                let layout = &program.channels[channel.layout as usize];
                if poll.fields.len() > layout.fields.len() {
                    return Err(Fault::ReceiveTooLong);
                }
                let count = layout.count(view.words, channel.word);
                let candidates = if poll.random { count } else { count.min(1) };
                let found = (0..candidates).any(|position| {
                    poll.fields.iter().enumerate().all(|(field, wanted)| {
                        wanted.is_none_or(|wanted| {
                            layout.field(view.words, channel.word, field, position) == self.get(wanted)
                        })
                    })
                });
                self.put(to, i32::from(found));
            }
            Op::Enabled { to, pid } => {
                let pid = existing(view.shape, self.get(pid)).filter(|pid| *pid != view.pid);
                let enabled = match pid {
                    Some(pid) if self.depth < limits::ENABLED_DEPTH => {
                        let mut registers = vec![0; self.registers.len()];
                        let (shapes, depth) = (self.shapes, self.depth + 1);
                        Evaluator { program, shapes, registers: &mut registers, depth, patience: None }
                            .is_enabled(&View::of(view.words, view.shape, pid, view.timeout))
                    }
                    _ => false,
                };
                self.put(to, i32::from(enabled));
            }
            Op::ProgramCounter { to, pid } => {
                let location =
                    existing(view.shape, self.get(pid)).map_or(0, |pid| self.location_number(view, pid));
                self.put(to, location as i32);
            }
            Op::Priority { to, pid } => {
                let priority = existing(view.shape, self.get(pid)).map_or(0, |pid| self.priority(view, pid));
                self.put(to, priority);
            }
            Op::FirstOfType { to, kind } => {
                let first = view.shape.kinds.iter().position(|other| *other == kind);
                self.put(to, first.map_or(-1, |pid| pid as i32));
            }
            Op::RemoteAt { to, pid, remote } => {
                let remote = &program.remotes_at[remote as usize];
                let there = existing(view.shape, self.get(pid))
                    .filter(|pid| view.shape.kinds[*pid] == remote.kind)
                    .is_some_and(|pid| remote.included[self.location_number(view, pid) as usize]);
                self.put(to, i32::from(there));
            }
            Op::RemoteLoad { to, pid, index, remote } => {
                let remote = &program.remotes_load[remote as usize];
                let value = existing(view.shape, self.get(pid))
                    .filter(|pid| view.shape.kinds[*pid] == remote.kind)
                    .map_or(0, |pid| {
                        let index = if remote.indexed { self.get(index) as usize } else { 0 };
                        let cell =
                            program.processes[remote.kind as usize].cells[remote.slot as usize + index];
                        cell.read(view.words, view.shape.frames[pid] as usize)
                    });
                self.put(to, value);
            }
            _ => {}
        }
        Ok(())
    }

    #[inline]
    fn query(&self, view: &View<'_>, query: Query, word: usize, layout: u32) -> i32 {
        let layout = &self.program.channels[layout as usize];
        let count = layout.count(view.words, word);
        // A handshake channel holds nothing between steps, so it is never full.
        let full = layout.capacity > 0 && count >= layout.capacity;
        match query {
            Query::Length => count as i32,
            Query::Empty => i32::from(count == 0),
            Query::NotEmpty => i32::from(count != 0),
            Query::Full => i32::from(full),
            Query::NotFull => i32::from(!full),
        }
    }

    #[inline]
    pub(super) fn location_number(&self, view: &View<'_>, pid: usize) -> u32 {
        let process = &self.program.processes[view.shape.kinds[pid] as usize];
        view.words[view.shape.frames[pid] as usize] & process.location_mask
    }

    #[inline]
    pub(super) fn location(&self, view: &View<'_>, pid: usize) -> &'a super::program::Location {
        let process = &self.program.processes[view.shape.kinds[pid] as usize];
        let number = view.words[view.shape.frames[pid] as usize] & process.location_mask;
        &process.locations[number as usize]
    }

    pub(super) fn priority(&self, view: &View<'_>, pid: usize) -> i32 {
        let process = &self.program.processes[view.shape.kinds[pid] as usize];
        match process.priority_cell {
            Some(cell) => cell.read(view.words, view.shape.frames[pid] as usize),
            None => i32::from(process.priority),
        }
    }
}

/// The channel with this number.
#[inline]
pub(super) fn numbered(shape: &Shape, number: i32) -> Result<Channel, Fault> {
    let position: Option<&ChannelPosition> =
        usize::try_from(number).ok().and_then(|n| n.checked_sub(1)).and_then(|n| shape.channels.get(n));
    match position {
        Some(position) => {
            Ok(Channel { number: number as u32, word: position.word as usize, layout: position.layout })
        }
        None => Err(Fault::NoSuchChannel),
    }
}

fn existing(shape: &Shape, pid: i32) -> Option<usize> {
    usize::try_from(pid).ok().filter(|pid| *pid < shape.count())
}

#[inline]
fn checked_index(value: i32, length: u32) -> Result<u32, Fault> {
    if (value as u32) < length { Ok(value as u32) } else { Err(Fault::IndexOutOfRange) }
}

#[inline]
pub(super) fn compare(operator: Binary, left: i32, right: i32) -> bool {
    match operator {
        Binary::Equal => left == right,
        Binary::NotEqual => left != right,
        Binary::Less => left < right,
        Binary::LessEqual => left <= right,
        Binary::Greater => left > right,
        _ => left >= right,
    }
}

#[inline]
pub(super) fn apply(operator: Binary, left: i32, right: i32) -> Result<i32, Fault> {
    Ok(match operator {
        Binary::Add => left.wrapping_add(right),
        Binary::Subtract => left.wrapping_sub(right),
        Binary::Multiply => left.wrapping_mul(right),
        Binary::Divide => {
            if right == 0 {
                return Err(Fault::DivisionByZero);
            }
            left.wrapping_div(right)
        }
        Binary::Remainder => {
            if right == 0 {
                return Err(Fault::DivisionByZero);
            }
            left.wrapping_rem(right)
        }
        Binary::BitAnd => left & right,
        Binary::BitOr => left | right,
        Binary::BitXor => left ^ right,
        Binary::ShiftLeft => left.wrapping_shl(right as u32),
        Binary::ShiftRight => left.wrapping_shr(right as u32),
        Binary::And => i32::from(left != 0 && right != 0),
        Binary::Or => i32::from(left != 0 || right != 0),
        comparison => i32::from(compare(comparison, left, right)),
    })
}
