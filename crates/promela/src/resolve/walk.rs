//! Visiting every statement and expression of a tree.

use super::program::{Expr, ExprKind, Match, Place, Stmt, StmtKind, Target};

/// Calls back for every statement, outer before inner.
pub(super) fn statements(sequence: &mut [Stmt], visit: &mut dyn FnMut(&mut Stmt)) {
    for stmt in sequence {
        visit(stmt);
        match &mut stmt.kind {
            StmtKind::If(options) | StmtKind::Do(options) => {
                for option in options {
                    statements(option, visit);
                }
            }
            StmtKind::Atomic(inner) | StmtKind::DStep(inner) | StmtKind::Block(inner) => {
                statements(inner, visit)
            }
            StmtKind::Unless { main, escape } => {
                statements(main, visit);
                statements(escape, visit);
            }
            _ => {}
        }
    }
}

/// Calls back for every expression of the statements, inner before outer.
pub(super) fn expressions(sequence: &mut [Stmt], visit: &mut dyn FnMut(&mut Expr)) {
    statements(sequence, &mut |stmt| match &mut stmt.kind {
        StmtKind::Assign { target, value, .. } => {
            if let Target::Place(place) = target {
                places(place, visit);
            }
            expression(value, visit);
        }
        StmtKind::Condition(expr) | StmtKind::Assert(expr) | StmtKind::Printm(expr) => {
            expression(expr, visit)
        }
        StmtKind::Send { channel, arguments, .. } => {
            places(channel, visit);
            for argument in arguments {
                expression(argument, visit);
            }
        }
        StmtKind::Receive { channel, arguments, .. } => {
            places(channel, visit);
            matches(arguments, visit);
        }
        StmtKind::Printf { arguments, .. } => {
            for argument in arguments {
                expression(argument, visit);
            }
        }
        StmtKind::SetPriority { pid, priority } => {
            expression(pid, visit);
            expression(priority, visit);
        }
        _ => {}
    });
}

fn matches(arguments: &mut [Match], visit: &mut dyn FnMut(&mut Expr)) {
    for argument in arguments {
        match argument {
            Match::Store(place) => places(place, visit),
            Match::Equal(expr) => expression(expr, visit),
            Match::Discard => {}
        }
    }
}

fn places(place: &mut Place, visit: &mut dyn FnMut(&mut Expr)) {
    if let Some(index) = &mut place.index {
        expression(index, visit);
    }
    for access in &mut place.fields {
        if let Some(index) = &mut access.index {
            expression(index, visit);
        }
    }
}

/// Calls back for an expression and everything in it, inner before outer.
pub(super) fn expression(expr: &mut Expr, visit: &mut dyn FnMut(&mut Expr)) {
    match &mut expr.kind {
        ExprKind::Read(place) | ExprKind::Length(place) | ExprKind::Probe(_, place) => places(place, visit),
        ExprKind::Unary(_, inner)
        | ExprKind::Enabled(inner)
        | ExprKind::PcValue(inner)
        | ExprKind::GetPriority(inner) => expression(inner, visit),
        ExprKind::Binary(_, left, right) => {
            expression(left, visit);
            expression(right, visit);
        }
        ExprKind::Conditional(test, yes, no) => {
            expression(test, visit);
            expression(yes, visit);
            expression(no, visit);
        }
        ExprKind::Run { arguments, .. } => {
            for argument in arguments {
                expression(argument, visit);
            }
        }
        ExprKind::Poll { channel, arguments, .. } => {
            places(channel, visit);
            matches(arguments, visit);
        }
        ExprKind::RemoteLabel { pid, .. } => {
            if let Some(pid) = pid {
                expression(pid, visit);
            }
        }
        ExprKind::RemoteVariable { pid, place, .. } => {
            if let Some(pid) = pid {
                expression(pid, visit);
            }
            places(place, visit);
        }
        ExprKind::Constant(_)
        | ExprKind::Mtype(..)
        | ExprKind::Pid
        | ExprKind::ProcessCount
        | ExprKind::Last
        | ExprKind::Priority
        | ExprKind::Timeout
        | ExprKind::NonProgress
        | ExprKind::Discard => {}
    }
    visit(expr);
}
