//! Walking over the expressions of actions, to look at them or to change them.
//!
//! Both walks visit a whole before its parts; blocks are locations of their own and are not entered.

use super::{Action, Expr, Initialiser, Pattern, Place, ProcessType, RunUse};

/// The two walks differ in nothing but whether what is visited can be changed.
macro_rules! walk {
    ([$($mutable:tt)?] $iter:ident $expr:ident $place:ident $pattern:ident $action:ident $process:ident) => {
        /// Calls `visit` for an expression and all its parts.
        pub fn $expr(expr: &$($mutable)? Expr, visit: &mut dyn FnMut(&$($mutable)? Expr)) {
            visit(expr);
            match expr {
                Expr::Load(place) => $place(place, visit),
                Expr::Unary(_, operand)
                | Expr::Length(operand)
                | Expr::Empty(operand)
                | Expr::NotEmpty(operand)
                | Expr::Full(operand)
                | Expr::NotFull(operand)
                | Expr::Enabled(operand)
                | Expr::ProgramCounter(operand)
                | Expr::Priority(operand) => $expr(operand, visit),
                Expr::Binary(_, left, right) => {
                    $expr(left, visit);
                    $expr(right, visit);
                }
                Expr::Conditional(parts) => {
                    $expr(&$($mutable)? parts.0, visit);
                    $expr(&$($mutable)? parts.1, visit);
                    $expr(&$($mutable)? parts.2, visit);
                }
                Expr::Poll { channel, patterns, .. } => {
                    $expr(channel, visit);
                    patterns.$iter().for_each(|pattern| $pattern(pattern, visit));
                }
                Expr::RemoteAt { pid, .. } => $expr(pid, visit),
                Expr::RemoteLoad { pid, place, .. } => {
                    $expr(pid, visit);
                    $place(place, visit);
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

        /// The same for the indices of a place.
        pub fn $place(place: &$($mutable)? Place, visit: &mut dyn FnMut(&$($mutable)? Expr)) {
            place.indices.$iter().for_each(|index| $expr(&$($mutable)? index.value, visit));
        }

        fn $pattern(pattern: &$($mutable)? Pattern, visit: &mut dyn FnMut(&$($mutable)? Expr)) {
            match pattern {
                Pattern::Any => {}
                Pattern::Match(expr) => $expr(expr, visit),
                Pattern::Store(place) => $place(place, visit),
            }
        }

        /// The same for all expressions of an action.
        pub fn $action(action: &$($mutable)? Action, visit: &mut dyn FnMut(&$($mutable)? Expr)) {
            match action {
                Action::Skip | Action::Else | Action::End | Action::Block(_) => {}
                Action::Condition(expr) | Action::Assert(expr) => $expr(expr, visit),
                Action::Assign(place, expr) => {
                    $place(place, visit);
                    $expr(expr, visit);
                }
                Action::Print { arguments, .. } => arguments.$iter().for_each(|expr| $expr(expr, visit)),
                Action::Send { channel, arguments, .. } => {
                    $expr(channel, visit);
                    arguments.$iter().for_each(|expr| $expr(expr, visit));
                }
                Action::Receive { channel, patterns, .. } => {
                    $expr(channel, visit);
                    patterns.$iter().for_each(|pattern| $pattern(pattern, visit));
                }
                Action::Run(run) => {
                    run.arguments.$iter().for_each(|expr| $expr(expr, visit));
                    run.priority.$iter().for_each(|expr| $expr(expr, visit));
                    match &$($mutable)? run.then {
                        RunUse::Condition(expr) => $expr(expr, visit),
                        RunUse::Assign(place, expr) => {
                            $place(place, visit);
                            $expr(expr, visit);
                        }
                    }
                }
                Action::SetPriority(pid, priority) => {
                    $expr(pid, visit);
                    $expr(priority, visit);
                }
            }
        }

        /// The same for all expressions of a process: its condition, its first values, its actions, and the places that
        /// are reset behind them.
        pub fn $process(process: &$($mutable)? ProcessType, visit: &mut dyn FnMut(&$($mutable)? Expr)) {
            process.provided.$iter().for_each(|provided| $expr(&$($mutable)? provided.condition, visit));
            for initialiser in &$($mutable)? process.initialisers {
                match initialiser {
                    Initialiser::Value(place, expr) => {
                        $place(place, visit);
                        $expr(expr, visit);
                    }
                    Initialiser::Channel(place, _) => $place(place, visit),
                }
            }
            for edge in process.locations.$iter().flat_map(|location| &$($mutable)? location.edges) {
                edge.actions.$iter().for_each(|action| $action(action, visit));
                edge.resets.$iter().for_each(|place| $place(place, visit));
            }
        }
    };
}

walk!([] iter each_expr each_index each_of_pattern each_expr_of_action each_expr_of_process);
walk!([mut] iter_mut change_expr change_index change_pattern change_action change_process);
