//! Walking over what actions read and write.

use transition::model::{Action, Edge, Expr, Initialiser, Model, Pattern, Place, ProcessType, RunUse, Scope};

/// A range of slots, both ends included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct SlotRange {
    pub(super) scope: Scope,
    pub(super) first: u32,
    pub(super) last: u32,
}

/// All slots that a place can mean, whatever its indices are.
pub(super) fn range(place: &Place) -> SlotRange {
    let reach: u32 = place.indices.iter().map(|index| index.length.saturating_sub(1) * index.stride).sum();
    SlotRange { scope: place.scope, first: place.slot, last: place.slot + reach }
}

/// Calls `visit` for an expression and all its parts.
pub(super) fn each_expr(expr: &Expr, visit: &mut dyn FnMut(&Expr)) {
    visit(expr);
    match expr {
        Expr::Load(place) => each_index(place, visit),
        Expr::Unary(_, operand)
        | Expr::Length(operand)
        | Expr::Empty(operand)
        | Expr::NotEmpty(operand)
        | Expr::Full(operand)
        | Expr::NotFull(operand)
        | Expr::Enabled(operand)
        | Expr::ProgramCounter(operand)
        | Expr::Priority(operand) => each_expr(operand, visit),
        Expr::Binary(_, left, right) => {
            each_expr(left, visit);
            each_expr(right, visit);
        }
        Expr::Conditional(parts) => {
            each_expr(&parts.0, visit);
            each_expr(&parts.1, visit);
            each_expr(&parts.2, visit);
        }
        Expr::Poll { channel, patterns, .. } => {
            each_expr(channel, visit);
            patterns.iter().for_each(|pattern| each_in_pattern(pattern, visit));
        }
        Expr::RemoteAt { pid, .. } => each_expr(pid, visit),
        Expr::RemoteLoad { pid, place, .. } => {
            each_expr(pid, visit);
            each_index(place, visit);
        }
        Expr::Constant(_)
        | Expr::Pid
        | Expr::ProcessCount
        | Expr::Last
        | Expr::Timeout
        | Expr::NonProgress
        | Expr::FirstOfType(_)
        | Expr::RunResult => {}
    }
}

pub(super) fn each_index(place: &Place, visit: &mut dyn FnMut(&Expr)) {
    place.indices.iter().for_each(|index| each_expr(&index.value, visit));
}

fn each_in_pattern(pattern: &Pattern, visit: &mut dyn FnMut(&Expr)) {
    match pattern {
        Pattern::Any => {}
        Pattern::Match(expr) => each_expr(expr, visit),
        Pattern::Store(place) => each_index(place, visit),
    }
}

/// Calls `visit` for every expression of an action and all its parts; blocks are locations of their own.
pub(super) fn each_expr_of_action(action: &Action, visit: &mut dyn FnMut(&Expr)) {
    match action {
        Action::Skip | Action::Else | Action::End | Action::Block(_) => {}
        Action::Condition(expr) | Action::Assert(expr) => each_expr(expr, visit),
        Action::Assign(place, expr) => {
            each_index(place, visit);
            each_expr(expr, visit);
        }
        Action::Print { arguments, .. } => arguments.iter().for_each(|expr| each_expr(expr, visit)),
        Action::Send { channel, arguments, .. } => {
            each_expr(channel, visit);
            arguments.iter().for_each(|expr| each_expr(expr, visit));
        }
        Action::Receive { channel, patterns, .. } => {
            each_expr(channel, visit);
            patterns.iter().for_each(|pattern| each_in_pattern(pattern, visit));
        }
        Action::Run(run) => {
            run.arguments.iter().for_each(|expr| each_expr(expr, visit));
            run.priority.iter().for_each(|expr| each_expr(expr, visit));
            match &run.then {
                RunUse::Condition(expr) => each_expr(expr, visit),
                RunUse::Assign(place, expr) => {
                    each_index(place, visit);
                    each_expr(expr, visit);
                }
            }
        }
        Action::SetPriority(pid, priority) => {
            each_expr(pid, visit);
            each_expr(priority, visit);
        }
    }
}

/// Calls `visit` for every place an action writes.
pub(super) fn each_write<'a>(action: &'a Action, visit: &mut dyn FnMut(&'a Place)) {
    match action {
        Action::Assign(place, _) => visit(place),
        Action::Receive { patterns, .. } => {
            for pattern in patterns {
                if let Pattern::Store(place) = pattern {
                    visit(place);
                }
            }
        }
        Action::Run(run) => {
            if let RunUse::Assign(place, _) = &run.then {
                visit(place);
            }
        }
        _ => {}
    }
}

pub(super) fn edges(process: &ProcessType) -> impl Iterator<Item = &Edge> {
    process.locations.iter().flat_map(|location| &location.edges)
}

pub(super) fn actions(process: &ProcessType) -> impl Iterator<Item = &Action> {
    edges(process).flat_map(|edge| &edge.actions)
}

/// Calls `visit` for every expression of the processes (claims and traces left aside).
pub(super) fn each_expr_of_model(model: &Model, visit: &mut dyn FnMut(&Expr)) {
    for process in &model.processes {
        each_expr_of_process(process, visit);
    }
}

pub(super) fn each_expr_of_process(process: &ProcessType, visit: &mut dyn FnMut(&Expr)) {
    process.provided.iter().for_each(|expr| each_expr(expr, visit));
    for initialiser in &process.initialisers {
        if let Initialiser::Value(_, expr) = initialiser {
            each_expr(expr, visit);
        }
    }
    for action in actions(process) {
        each_expr_of_action(action, visit);
    }
}
