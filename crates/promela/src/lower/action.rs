//! Statements become actions.

use transition::model::{self, Action, RunAction, RunUse};

use super::Lowering;
use crate::resolve::program::{Expr, ExprKind, Stmt, StmtKind, Target, VarId};

impl Lowering<'_> {
    pub(super) fn action(&mut self, statement: &Stmt) -> Action {
        match &statement.kind {
            StmtKind::Assign { target, value, .. } => match target {
                Target::Place(place) => {
                    let place = self.place(place);
                    match self.run(value) {
                        Some(run) => {
                            let then = RunUse::Assign(place, self.expr(value));
                            Action::Run(Box::new(RunAction { then, ..run }))
                        }
                        None => Action::Assign(place, self.expr(value)),
                    }
                }
                Target::Discard => match self.run(value) {
                    Some(run) => Action::Run(Box::new(run)),
                    None => Action::Skip,
                },
                Target::Priority => {
                    self.uses_priorities = true;
                    Action::SetPriority(model::Expr::Pid, self.expr(value))
                }
            },
            StmtKind::Condition(_) if statement.is_skip() => Action::Skip,
            StmtKind::Condition(expr) => match self.run(expr) {
                Some(run) => {
                    let then = match expr.kind {
                        ExprKind::Run { .. } => RunUse::Condition(model::Expr::Constant(1)),
                        _ => RunUse::Condition(self.expr(expr)),
                    };
                    Action::Run(Box::new(RunAction { then, ..run }))
                }
                None => Action::Condition(self.expr(expr)),
            },
            StmtKind::Else => Action::Else,
            StmtKind::Send { channel, sorted, arguments } => Action::Send {
                channel: self.channel(channel),
                arguments: arguments.iter().map(|argument| self.expr(argument)).collect(),
                sorted: *sorted,
            },
            StmtKind::Receive { channel, random, peek, arguments } => Action::Receive {
                channel: self.channel(channel),
                patterns: arguments.iter().map(|argument| self.pattern(argument)).collect(),
                random: *random,
                keep: *peek,
            },
            StmtKind::Assert(expr) => Action::Assert(self.expr(expr)),
            StmtKind::Printf { format, arguments } => Action::Print {
                format: format.clone(),
                arguments: arguments.iter().map(|argument| self.expr(argument)).collect(),
            },
            StmtKind::Printm(expr) => {
                Action::Print { format: "%e".to_string(), arguments: vec![self.expr(expr)] }
            }
            StmtKind::SetPriority { pid, priority } => {
                self.uses_priorities = true;
                Action::SetPriority(self.expr(pid), self.expr(priority))
            }
            // Compound statements have elements of their own.
            _ => Action::Skip,
        }
    }

    /// The `run` in an expression, if there is one; resolution allows at most one.
    fn run(&mut self, expr: &Expr) -> Option<RunAction> {
        let ExprKind::Run { process, arguments, priority } = &find_run(expr)?.kind else { return None };
        if priority.is_some() {
            self.uses_priorities = true;
        }
        Some(RunAction {
            process: self.process_type(*process),
            arguments: arguments.iter().map(|argument| self.expr(argument)).collect(),
            // Without one of its own, a process that is run has the lowest priority, whatever its type says.
            priority: Some(model::Expr::Constant(i32::from(priority.unwrap_or(1)))),
            then: RunUse::Condition(model::Expr::Constant(1)),
        })
    }

    /// The slot of a scalar variable.
    pub(super) fn variable_place(&mut self, variable: VarId) -> model::Place {
        self.slots.scalar_place(variable)
    }
}

fn find_run(expr: &Expr) -> Option<&Expr> {
    match &expr.kind {
        ExprKind::Run { .. } => Some(expr),
        ExprKind::Unary(_, operand) => find_run(operand),
        ExprKind::Binary(_, left, right) => find_run(left).or_else(|| find_run(right)),
        ExprKind::Conditional(condition, yes, no) => {
            find_run(condition).or_else(|| find_run(yes)).or_else(|| find_run(no))
        }
        _ => None,
    }
}
