//! Expressions into code.
//!
//! Registers are used as a stack: an expression compiled at register `to` leaves its value there and uses
//! only registers from `to` on. Simple expressions become a [`Value`] or [`Test`] without code.

use super::build_error::BuildError;
use super::program::{
    ChannelOperand, CodeId, IndexValue, Op, Poll, Query, Register, RemoteAt, RemoteLoad, Target, Test, Value,
};
use super::translate::Translator;
use crate::limits;
use crate::model::{Binary, Expr, Index, Pattern, Place, ProcessTypeId, Scope, Unary};

impl Translator<'_> {
    pub(super) fn value(&mut self, expr: &Expr) -> Result<Value, BuildError> {
        if let Some(value) = self.simple(expr)? {
            return Ok(value);
        }
        if let Expr::Binary(operator @ (Binary::Add | Binary::Subtract), left, right) = expr
            && let (Some(left), Some(constant)) = (self.simple(left)?, fold(right))
        {
            let constant = if *operator == Binary::Add { constant } else { constant.wrapping_neg() };
            match left {
                Value::Global(cell) => return Ok(Value::GlobalPlus(cell, constant)),
                Value::Local(cell) => return Ok(Value::LocalPlus(cell, constant)),
                _ => {}
            }
        }
        Ok(Value::Code(self.code(expr)?))
    }

    pub(super) fn test(&mut self, expr: &Expr) -> Result<Test, BuildError> {
        if let Some(constant) = fold(expr) {
            return Ok(if constant != 0 { Test::Always } else { Test::Never });
        }
        let compared = match expr {
            Expr::Load(_) => self.simple(expr)?.map(|left| (Binary::NotEqual, left, Value::Constant(0))),
            Expr::Unary(Unary::Not, operand) if matches!(**operand, Expr::Load(_)) => {
                self.simple(operand)?.map(|left| (Binary::Equal, left, Value::Constant(0)))
            }
            Expr::Binary(operator, left, right) if is_comparison(*operator) => {
                match (self.simple(left)?, self.simple(right)?) {
                    (Some(left), Some(right)) => Some((*operator, left, right)),
                    _ => None,
                }
            }
            _ => None,
        };
        Ok(match compared {
            Some((operator, Value::Global(cell), Value::Constant(right))) => {
                Test::GlobalConstant { operator, cell, right }
            }
            Some((operator, Value::Local(cell), Value::Constant(right))) => {
                Test::LocalConstant { operator, cell, right }
            }
            Some((operator, left, right)) => Test::Compare { operator, left, right },
            None => Test::Code(self.code(expr)?),
        })
    }

    /// A constant or a slot without indices.
    fn simple(&mut self, expr: &Expr) -> Result<Option<Value>, BuildError> {
        if let Some(constant) = fold(expr) {
            return Ok(Some(Value::Constant(constant)));
        }
        match expr {
            Expr::Load(place) if place.indices.iter().all(|index| fold(&index.value).is_some()) => {
                match self.constant_slot(place)? {
                    Some(slot) => Ok(Some(match place.scope {
                        Scope::Global => Value::Global(self.cell(place.scope, slot)?),
                        Scope::Local => Value::Local(self.cell(place.scope, slot)?),
                    })),
                    None => Ok(None),
                }
            }
            _ => Ok(None),
        }
    }

    /// The slot of a place whose indices are all constant and in range.
    fn constant_slot(&self, place: &Place) -> Result<Option<u32>, BuildError> {
        let mut slot = place.slot;
        for index in &place.indices {
            match fold(&index.value).and_then(|value| u32::try_from(value).ok()) {
                Some(value) if value < index.length => {
                    slot = slot
                        .checked_add(value.checked_mul(index.stride).ok_or(BuildError::BadSlot)?)
                        .ok_or(BuildError::BadSlot)?;
                }
                _ => return Ok(None),
            }
        }
        Ok(Some(slot))
    }

    pub(super) fn target(&mut self, place: &Place) -> Result<Target, BuildError> {
        self.check_place(place)?;
        if let Some(slot) = self.constant_slot(place)? {
            let cell = self.cell(place.scope, slot)?;
            return Ok(match place.scope {
                Scope::Global => Target::Global(cell),
                Scope::Local => Target::Local(cell),
            });
        }
        if let [Index { value, length, stride }] = place.indices.as_slice() {
            let value = match self.simple(value)? {
                Some(Value::Constant(constant)) => Some(IndexValue::Constant(constant)),
                Some(Value::Global(cell)) => Some(IndexValue::Global(cell)),
                Some(Value::Local(cell)) => Some(IndexValue::Local(cell)),
                _ => None,
            };
            if let Some(value) = value {
                let (scope, slot) = (place.scope, place.slot);
                return Ok(Target::Indexed { scope, slot, value, length: *length, stride: *stride });
            }
        }
        let start = self.program.code.len() as u32;
        self.indices(place, 0, 0)?;
        self.emit(Op::Return { from: 0 });
        let even = self.is_even(place)?;
        Ok(Target::Computed { scope: place.scope, slot: place.slot, index: CodeId(start), even })
    }

    /// A channel, resolved as far as can be known now.
    pub(super) fn channel(&mut self, channel: &Expr) -> Result<ChannelOperand, BuildError> {
        match self.fixed_channel(channel)? {
            Some(operand) => Ok(operand),
            None => Ok(ChannelOperand::Number(self.value(channel)?)),
        }
    }

    /// A channel that is named by a slot which never changes.
    fn fixed_channel(&self, channel: &Expr) -> Result<Option<ChannelOperand>, BuildError> {
        if let Expr::Load(place) = channel
            && let Some(slot) = self.constant_slot(place)?
        {
            match place.scope {
                Scope::Global => {
                    if let Some(Some(index)) = self.fixed_global_channels.get(slot as usize) {
                        let position = self.program.global_channels[*index as usize];
                        return Ok(Some(ChannelOperand::Global { number: index + 1, position }));
                    }
                }
                Scope::Local => {
                    if let Some(frame) = &self.frame
                        && let Some(Some(index)) = frame.fixed_channels.get(slot as usize)
                    {
                        let position = frame.channels[*index as usize];
                        return Ok(Some(ChannelOperand::Local { index: *index, position }));
                    }
                }
            }
        }
        Ok(None)
    }

    pub(super) fn code(&mut self, expr: &Expr) -> Result<CodeId, BuildError> {
        let start = self.program.code.len() as u32;
        self.expression(expr, 0, 0)?;
        self.emit(Op::Return { from: 0 });
        Ok(CodeId(start))
    }

    fn emit(&mut self, op: Op) -> usize {
        self.program.code.push(op);
        self.program.code.len() - 1
    }

    fn here(&self) -> u32 {
        self.program.code.len() as u32
    }

    fn patch(&mut self, at: usize) {
        let here = self.here();
        match &mut self.program.code[at] {
            Op::Jump { target } | Op::JumpIfZero { target, .. } | Op::JumpIfNotZero { target, .. } => {
                *target = here;
            }
            _ => {}
        }
    }

    fn use_register(&mut self, register: Register) {
        self.program.registers = self.program.registers.max(register + 1);
    }

    fn expression(&mut self, expr: &Expr, to: Register, depth: u32) -> Result<(), BuildError> {
        if depth > limits::EXPRESSION_NESTING {
            return Err(BuildError::TooDeep);
        }
        self.use_register(to + 2);
        if let Some(value) = fold(expr) {
            self.emit(Op::Constant { to, value });
            return Ok(());
        }
        match expr {
            Expr::Constant(value) => {
                self.emit(Op::Constant { to, value: *value });
            }
            Expr::Load(place) => self.load(place, to, depth)?,
            Expr::Unary(operator, operand) => {
                self.expression(operand, to, depth + 1)?;
                self.emit(Op::Unary { operator: *operator, to, from: to });
            }
            Expr::Binary(..) => self.binary(expr, to, depth)?,
            Expr::Conditional(parts) => {
                self.expression(&parts.0, to, depth + 1)?;
                let to_else = self.emit(Op::JumpIfZero { from: to, target: 0 });
                self.expression(&parts.1, to, depth + 1)?;
                let to_end = self.emit(Op::Jump { target: 0 });
                self.patch(to_else);
                self.expression(&parts.2, to, depth + 1)?;
                self.patch(to_end);
            }
            Expr::Pid => {
                self.emit(Op::Pid { to });
            }
            Expr::ProcessCount => {
                self.emit(Op::ProcessCount { to });
            }
            Expr::Last => {
                self.emit(Op::Last { to });
            }
            Expr::Timeout => {
                self.emit(Op::Timeout { to });
            }
            Expr::NonProgress => {
                self.emit(Op::NonProgress { to });
            }
            Expr::RunResult => {
                self.emit(Op::RunResult { to });
            }
            Expr::Length(channel) => self.query(Query::Length, channel, to, depth)?,
            Expr::Empty(channel) => self.query(Query::Empty, channel, to, depth)?,
            Expr::NotEmpty(channel) => self.query(Query::NotEmpty, channel, to, depth)?,
            Expr::Full(channel) => self.query(Query::Full, channel, to, depth)?,
            Expr::NotFull(channel) => self.query(Query::NotFull, channel, to, depth)?,
            Expr::Poll { channel, patterns, random } => self.poll(channel, patterns, *random, to, depth)?,
            Expr::Enabled(pid) => {
                self.expression(pid, to, depth + 1)?;
                self.emit(Op::Enabled { to, pid: to });
            }
            Expr::ProgramCounter(pid) => {
                self.expression(pid, to, depth + 1)?;
                self.emit(Op::ProgramCounter { to, pid: to });
            }
            Expr::Priority(pid) => {
                self.expression(pid, to, depth + 1)?;
                self.emit(Op::Priority { to, pid: to });
            }
            Expr::FirstOfType(kind) => {
                self.emit(Op::FirstOfType { to, kind: kind.0 });
            }
            Expr::RemoteAt { process, pid, locations } => {
                let count = self.locations_of(*process)?;
                let mut included = vec![false; count];
                for location in locations {
                    *included.get_mut(location.0 as usize).ok_or(BuildError::BadLocation)? = true;
                }
                self.expression(pid, to, depth + 1)?;
                let remote = self.program.remotes_at.len() as u32;
                self.program.remotes_at.push(RemoteAt { kind: process.0, included });
                self.emit(Op::RemoteAt { to, pid: to, remote });
            }
            Expr::RemoteLoad { process, pid, place } => self.remote_load(*process, pid, place, to, depth)?,
        }
        Ok(())
    }

    fn load(&mut self, place: &Place, to: Register, depth: u32) -> Result<(), BuildError> {
        self.check_place(place)?;
        if let Some(slot) = self.constant_slot(place)? {
            let cell = self.cell(place.scope, slot)?;
            self.emit(match place.scope {
                Scope::Global => Op::LoadGlobal { to, cell },
                Scope::Local => Op::LoadLocal { to, cell },
            });
            return Ok(());
        }
        self.indices(place, to, depth)?;
        let slot = place.slot;
        let even = self.is_even(place)?;
        match place.scope {
            Scope::Global => self.emit(Op::LoadGlobalAt { to, slot, index: to, even }),
            Scope::Local => {
                let kind = self.frame.as_ref().ok_or(BuildError::NoProcess)?.kind;
                self.emit(Op::LoadLocalAt { to, kind, slot, index: to, even })
            }
        };
        Ok(())
    }

    /// The sum of the indices, checked, into `to`.
    fn indices(&mut self, place: &Place, to: Register, depth: u32) -> Result<(), BuildError> {
        self.use_register(to + 2);
        for (position, index) in place.indices.iter().enumerate() {
            let first = position == 0;
            let from = if first { to } else { to + 1 };
            self.expression(&index.value, from, depth + 1)?;
            let (length, stride) = (index.length, index.stride);
            self.emit(Op::Index { to, from, length, stride, first });
        }
        if place.indices.is_empty() {
            self.emit(Op::Constant { to, value: 0 });
        }
        Ok(())
    }

    /// Walks a chain of operators to the left with a loop, so that its length costs no stack.
    fn binary(&mut self, expr: &Expr, to: Register, depth: u32) -> Result<(), BuildError> {
        let mut chain = Vec::new();
        let mut left = expr;
        while let Expr::Binary(operator, inner, right) = left
            && fold(left).is_none()
        {
            chain.push((*operator, right, inner));
            left = inner;
        }
        let mut started = false;
        for (operator, right, inner) in chain.into_iter().rev() {
            if !started {
                started = true;
                if is_comparison(operator)
                    && let (Expr::Load(place), Some(right)) = (&**inner, fold(right))
                {
                    self.check_place(place)?;
                    if let Some(slot) = self.constant_slot(place)? {
                        let cell = self.cell(place.scope, slot)?;
                        self.emit(match place.scope {
                            Scope::Global => Op::CompareGlobal { operator, to, cell, right },
                            Scope::Local => Op::CompareLocal { operator, to, cell, right },
                        });
                        continue;
                    }
                }
                self.expression(inner, to, depth + 1)?;
            }
            if matches!(operator, Binary::And | Binary::Or) {
                if !is_truth_value(inner) {
                    self.emit(Op::Truth { to, from: to });
                }
                let target = 0;
                let skip = self.emit(match operator {
                    Binary::And => Op::JumpIfZero { from: to, target },
                    _ => Op::JumpIfNotZero { from: to, target },
                });
                self.expression(right, to, depth + 1)?;
                if !is_truth_value(right) {
                    self.emit(Op::Truth { to, from: to });
                }
                self.patch(skip);
            } else if let Some(right) = fold(right) {
                self.emit(Op::BinaryConstant { operator, to, left: to, right });
            } else {
                self.expression(right, to + 1, depth + 1)?;
                self.emit(Op::Binary { operator, to, left: to, right: to + 1 });
            }
        }
        Ok(())
    }

    fn query(&mut self, query: Query, channel: &Expr, to: Register, depth: u32) -> Result<(), BuildError> {
        match self.fixed_channel(channel)? {
            Some(ChannelOperand::Global { position, .. }) => {
                self.emit(Op::QueryGlobal { query, to, word: position.word, layout: position.layout });
            }
            Some(ChannelOperand::Local { position, .. }) => {
                self.emit(Op::QueryLocal { query, to, word: position.word, layout: position.layout });
            }
            _ => {
                self.expression(channel, to, depth + 1)?;
                self.emit(Op::QueryNumber { query, to, channel: to });
            }
        }
        Ok(())
    }

    fn poll(
        &mut self,
        channel: &Expr,
        patterns: &[Pattern],
        random: bool,
        to: Register,
        depth: u32,
    ) -> Result<(), BuildError> {
        self.expression(channel, to, depth + 1)?;
        let mut register = to + 1;
        self.use_register(register);
        self.emit(Op::HasMessage { to: register, channel: to });
        let no_message = self.emit(Op::JumpIfZero { from: register, target: 0 });
        let mut fields = Vec::with_capacity(patterns.len());
        let mut mismatches = vec![no_message];
        for (field, pattern) in patterns.iter().enumerate() {
            fields.push(match pattern {
                // The first message is compared field by field, so that a later value is not even
                // evaluated where an earlier one differs; a random poll needs all values at once.
                Pattern::Match(expr) if !random => {
                    self.use_register(register + 1);
                    self.expression(expr, register, depth + 1)?;
                    self.emit(Op::MessageField { to: register + 1, channel: to, field: field as u32 });
                    let operator = Binary::Equal;
                    self.emit(Op::Binary { operator, to: register, left: register, right: register + 1 });
                    mismatches.push(self.emit(Op::JumpIfZero { from: register, target: 0 }));
                    None
                }
                Pattern::Match(expr) => {
                    self.expression(expr, register, depth + 1)?;
                    register += 1;
                    Some(register - 1)
                }
                Pattern::Any | Pattern::Store(_) => None,
            });
        }
        let poll = self.program.polls.len() as u32;
        self.program.polls.push(Poll { fields, random });
        self.emit(Op::Poll { to, channel: to, poll });
        let end = self.emit(Op::Jump { target: 0 });
        for mismatch in mismatches {
            self.patch(mismatch);
        }
        self.emit(Op::Constant { to, value: 0 });
        self.patch(end);
        Ok(())
    }

    fn remote_load(
        &mut self,
        process: ProcessTypeId,
        pid: &Expr,
        place: &Place,
        to: Register,
        depth: u32,
    ) -> Result<(), BuildError> {
        self.check_remote_place(process, place)?;
        self.expression(pid, to, depth + 1)?;
        let indexed = !place.indices.is_empty();
        if indexed {
            self.indices(place, to + 1, depth)?;
        }
        let remote = self.program.remotes_load.len() as u32;
        self.program.remotes_load.push(RemoteLoad { kind: process.0, slot: place.slot, indexed });
        self.emit(Op::RemoteLoad { to, pid: to, index: to + 1, remote });
        Ok(())
    }
}

pub(super) fn is_comparison(operator: Binary) -> bool {
    use Binary::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    matches!(operator, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual)
}

/// Is the value always 0 or 1?
fn is_truth_value(expr: &Expr) -> bool {
    match expr {
        Expr::Binary(operator, ..) => {
            is_comparison(*operator) || matches!(operator, Binary::And | Binary::Or)
        }
        Expr::Unary(operator, _) => *operator == Unary::Not,
        Expr::Timeout | Expr::NonProgress | Expr::Empty(_) | Expr::NotEmpty(_) | Expr::Full(_) => true,
        Expr::NotFull(_) | Expr::Poll { .. } | Expr::Enabled(_) | Expr::RemoteAt { .. } => true,
        _ => false,
    }
}

/// The value of an expression of constants, two levels deep; `None` where it could fault.
pub(super) fn fold(expr: &Expr) -> Option<i32> {
    let constant = |expr: &Expr| match expr {
        Expr::Constant(value) => Some(*value),
        Expr::Unary(Unary::Negate, operand) => match **operand {
            Expr::Constant(value) => Some(value.wrapping_neg()),
            _ => None,
        },
        _ => None,
    };
    match expr {
        Expr::Binary(operator, left, right) => {
            super::evaluate::apply(*operator, constant(left)?, constant(right)?).ok()
        }
        _ => constant(expr),
    }
}
