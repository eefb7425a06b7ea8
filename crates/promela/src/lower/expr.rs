//! Expressions of the program become expressions of the model.

use transition::model::{self, Pattern, ProcessTypeId, Unary};

use super::Lowering;
use crate::resolve::program::{
    BinaryOp, Expr, ExprKind, LabelId, Match, Place, Probe, ProcessId, ProcessKind, UnaryOp,
};

impl Lowering<'_> {
    pub(super) fn expr(&mut self, expr: &Expr) -> model::Expr {
        use model::Expr as E;
        match &expr.kind {
            ExprKind::Constant(value) | ExprKind::Mtype(_, value) => E::Constant(*value),
            ExprKind::Read(place) => E::Load(Box::new(self.place(place))),
            // Only in a trace, where an argument that is no constant matches anything.
            ExprKind::Discard => E::RunResult,
            ExprKind::Pid => E::Pid,
            ExprKind::ProcessCount => E::ProcessCount,
            ExprKind::Last => {
                self.uses_last = true;
                E::Last
            }
            ExprKind::Priority => E::Priority(Box::new(E::Pid)),
            ExprKind::Unary(operator, operand) => {
                let operand = self.expr(operand);
                let operator = match operator {
                    UnaryOp::Not => Unary::Not,
                    UnaryOp::Negate => Unary::Negate,
                    UnaryOp::Complement => Unary::Complement,
                };
                fold_unary(operator, operand)
            }
            ExprKind::Binary(operator, left, right) => {
                E::Binary(binary(*operator), Box::new(self.expr(left)), Box::new(self.expr(right)))
            }
            ExprKind::Conditional(condition, yes, no) => {
                E::Conditional(Box::new((self.expr(condition), self.expr(yes), self.expr(no))))
            }
            // A `run` is taken out by the action it stands in; its value is known before it happens.
            ExprKind::Run { .. } => E::RunResult,
            ExprKind::Length(channel) => E::Length(self.channel(channel)),
            ExprKind::Probe(probe, channel) => {
                let channel = self.channel(channel);
                match probe {
                    Probe::Full => E::Full(channel),
                    Probe::NotFull => E::NotFull(channel),
                    Probe::Empty => E::Empty(channel),
                    Probe::NotEmpty => E::NotEmpty(channel),
                }
            }
            ExprKind::Poll { channel, random, arguments } => {
                let patterns = arguments.iter().map(|argument| self.poll_pattern(argument)).collect();
                E::Poll { channel: self.channel(channel), patterns, random: *random }
            }
            ExprKind::Enabled(pid) => E::Enabled(Box::new(self.expr(pid))),
            ExprKind::PcValue(pid) => E::ProgramCounter(Box::new(self.expr(pid))),
            ExprKind::GetPriority(pid) => E::Priority(Box::new(self.expr(pid))),
            ExprKind::Timeout => {
                self.uses_timeout = true;
                E::Timeout
            }
            ExprKind::NonProgress => E::NonProgress,
            ExprKind::RemoteLabel { process, pid, label } => {
                let pid = self.remote_pid(*process, pid.as_deref());
                let locations = self.label_location(*process, *label).into_iter().collect();
                E::RemoteAt { process: self.process_type(*process), pid: Box::new(pid), locations }
            }
            ExprKind::RemoteVariable { process, pid, place } => {
                let pid = self.remote_pid(*process, pid.as_deref());
                let place = Box::new(self.place(place));
                E::RemoteLoad { process: self.process_type(*process), pid: Box::new(pid), place }
            }
        }
    }

    pub(super) fn place(&mut self, place: &Place) -> model::Place {
        let slots = std::rc::Rc::clone(&self.slots);
        slots.place(place, &mut |index| self.expr(index))
    }

    pub(super) fn channel(&mut self, place: &Place) -> model::Channel {
        Box::new(model::Expr::Load(Box::new(self.place(place))))
    }

    /// A receive's field.
    pub(super) fn pattern(&mut self, argument: &Match) -> Pattern {
        match argument {
            Match::Store(place) => Pattern::Store(self.place(place)),
            Match::Discard => Pattern::Any,
            Match::Equal(expr) => Pattern::Match(self.expr(expr)),
        }
    }

    /// A poll stores nothing: a variable matches anything.
    fn poll_pattern(&mut self, argument: &Match) -> Pattern {
        match argument {
            Match::Store(_) | Match::Discard => Pattern::Any,
            Match::Equal(expr) => Pattern::Match(self.expr(expr)),
        }
    }

    fn remote_pid(&mut self, process: ProcessId, pid: Option<&Expr>) -> model::Expr {
        match pid {
            Some(pid) => self.expr(pid),
            None => model::Expr::FirstOfType(self.process_type(process)),
        }
    }

    /// The model's number of a process type; claims and traces are not among them, and no expression
    /// can name one.
    pub(super) fn process_type(&self, process: ProcessId) -> ProcessTypeId {
        let before = &self.program.processes[..process.0 as usize];
        let count =
            before.iter().filter(|p| matches!(p.kind, ProcessKind::Proctype | ProcessKind::Init)).count();
        ProcessTypeId(count as u32)
    }

    fn label_location(&self, process: ProcessId, label: LabelId) -> Option<model::LocationId> {
        self.label_locations.get(process.0 as usize)?.get(label.0 as usize).copied().flatten()
    }
}

fn fold_unary(operator: Unary, operand: model::Expr) -> model::Expr {
    match (operator, operand) {
        (Unary::Negate, model::Expr::Constant(value)) => model::Expr::Constant(value.wrapping_neg()),
        (Unary::Complement, model::Expr::Constant(value)) => model::Expr::Constant(!value),
        (operator, operand) => model::Expr::Unary(operator, Box::new(operand)),
    }
}

fn binary(operator: BinaryOp) -> model::Binary {
    match operator {
        BinaryOp::Add => model::Binary::Add,
        BinaryOp::Subtract => model::Binary::Subtract,
        BinaryOp::Multiply => model::Binary::Multiply,
        BinaryOp::Divide => model::Binary::Divide,
        BinaryOp::Remainder => model::Binary::Remainder,
        BinaryOp::BitAnd => model::Binary::BitAnd,
        BinaryOp::BitXor => model::Binary::BitXor,
        BinaryOp::BitOr => model::Binary::BitOr,
        BinaryOp::ShiftLeft => model::Binary::ShiftLeft,
        BinaryOp::ShiftRight => model::Binary::ShiftRight,
        BinaryOp::Less => model::Binary::Less,
        BinaryOp::LessEqual => model::Binary::LessEqual,
        BinaryOp::Greater => model::Binary::Greater,
        BinaryOp::GreaterEqual => model::Binary::GreaterEqual,
        BinaryOp::Equal => model::Binary::Equal,
        BinaryOp::NotEqual => model::Binary::NotEqual,
        BinaryOp::And => model::Binary::And,
        BinaryOp::Or => model::Binary::Or,
    }
}
