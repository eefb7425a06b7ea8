//! Numbers the locations that control can reach from 0, so that a location fits into few bits.

use transition::model::{
    Action, Edge, Expr, Index, Initialiser, LocationId, Model, Pattern, Place, ProcessType, RunUse,
};

use super::Lowered;
use crate::resolve::program::ProcessKind;

/// New numbers by old number; `None` where control never comes.
type Renumbering = Vec<Option<LocationId>>;

pub(super) fn compact(lowered: &mut Lowered<'_>) {
    let model = &mut lowered.model;
    let renumberings: Vec<Renumbering> = model.processes.iter().map(renumbering).collect();
    let claims: Vec<Renumbering> = model.claims.iter().map(|claim| renumbering(&claim.process)).collect();
    let trace = model.trace.as_ref().map(|trace| renumbering(&trace.process));
    for (process, numbers) in model.processes.iter_mut().zip(&renumberings) {
        renumber(process, numbers);
    }
    for (claim, numbers) in model.claims.iter_mut().zip(&claims) {
        renumber(&mut claim.process, numbers);
    }
    if let (Some(trace), Some(numbers)) = (&mut model.trace, &trace) {
        renumber(&mut trace.process, numbers);
    }
    // Remote references name locations of other processes: once all are renumbered, they follow.
    let mut remap = |expr: &mut Expr| remap_references(expr, &renumberings);
    for_each_expr(model, &mut remap);
    let program = lowered.lowering.program;
    let mut system = renumberings.iter();
    let (mut claims, trace) = (claims.iter(), trace.as_ref());
    for (process, labels) in program.processes.iter().zip(&mut lowered.lowering.label_locations) {
        let numbers = match process.kind {
            ProcessKind::Proctype | ProcessKind::Init => system.next(),
            ProcessKind::Never => claims.next(),
            ProcessKind::Trace | ProcessKind::NoTrace => trace,
        };
        for label in labels.iter_mut() {
            *label = label.and_then(|old| numbers.and_then(|numbers| numbers[old.0 as usize]));
        }
    }
}

fn renumbering(process: &ProcessType) -> Renumbering {
    let mut numbers = vec![None; process.locations.len()];
    let mut pending = vec![process.start];
    let mut count = 0;
    while let Some(at) = pending.pop() {
        if numbers[at.0 as usize].is_some() {
            continue;
        }
        numbers[at.0 as usize] = Some(LocationId(count));
        count += 1;
        // Reversed, so that numbers follow the order of the source.
        for edge in process.location(at).edges.iter().rev() {
            pending.push(edge.target);
            for action in &edge.actions {
                if let Action::Block(block) = action {
                    pending.push(block.exit);
                    pending.push(block.entry);
                }
            }
        }
    }
    numbers
}

fn renumber(process: &mut ProcessType, numbers: &Renumbering) {
    let new = |old: LocationId| numbers[old.0 as usize].unwrap_or(LocationId(0));
    let mut order: Vec<(LocationId, usize)> =
        numbers.iter().enumerate().filter_map(|(old, new)| new.map(|new| (new, old))).collect();
    order.sort_unstable();
    let mut old: Vec<Option<_>> = std::mem::take(&mut process.locations).into_iter().map(Some).collect();
    process.locations = order.into_iter().filter_map(|(_, at)| old[at].take()).collect();
    process.start = new(process.start);
    for location in &mut process.locations {
        for edge in &mut location.edges {
            edge.target = new(edge.target);
            for action in &mut edge.actions {
                if let Action::Block(block) = action {
                    block.entry = new(block.entry);
                    block.exit = new(block.exit);
                }
            }
        }
    }
}

fn remap_references(expr: &mut Expr, renumberings: &[Renumbering]) {
    if let Expr::RemoteAt { process, locations, .. } = expr {
        let numbers = &renumberings[process.0 as usize];
        *locations = locations.iter().filter_map(|old| numbers[old.0 as usize]).collect();
    }
}

fn for_each_expr(model: &mut Model, visit: &mut dyn FnMut(&mut Expr)) {
    model.initialisers.iter_mut().for_each(|initialiser| in_initialiser(initialiser, visit));
    let claims = model.claims.iter_mut().map(|claim| &mut claim.process);
    let trace = model.trace.iter_mut().map(|trace| &mut trace.process);
    for process in model.processes.iter_mut().chain(claims).chain(trace) {
        process.initialisers.iter_mut().for_each(|initialiser| in_initialiser(initialiser, visit));
        process.provided.iter_mut().for_each(|expr| in_expr(expr, visit));
        for edge in process.locations.iter_mut().flat_map(|location| &mut location.edges) {
            in_edge(edge, visit);
        }
    }
}

fn in_initialiser(initialiser: &mut Initialiser, visit: &mut dyn FnMut(&mut Expr)) {
    match initialiser {
        Initialiser::Value(place, expr) => {
            in_place(place, visit);
            in_expr(expr, visit);
        }
        Initialiser::Channel(place, _) => in_place(place, visit),
    }
}

fn in_edge(edge: &mut Edge, visit: &mut dyn FnMut(&mut Expr)) {
    for action in &mut edge.actions {
        match action {
            Action::Skip | Action::Else | Action::End | Action::Block(_) => {}
            Action::Condition(expr) | Action::Assert(expr) => in_expr(expr, visit),
            Action::Assign(place, expr) => {
                in_place(place, visit);
                in_expr(expr, visit);
            }
            Action::Print { arguments, .. } => arguments.iter_mut().for_each(|expr| in_expr(expr, visit)),
            Action::Send { channel, arguments, .. } => {
                in_expr(channel, visit);
                arguments.iter_mut().for_each(|expr| in_expr(expr, visit));
            }
            Action::Receive { channel, patterns, .. } => {
                in_expr(channel, visit);
                patterns.iter_mut().for_each(|pattern| in_pattern(pattern, visit));
            }
            Action::Run(run) => {
                run.arguments.iter_mut().for_each(|expr| in_expr(expr, visit));
                run.priority.iter_mut().for_each(|expr| in_expr(expr, visit));
                match &mut run.then {
                    RunUse::Condition(expr) => in_expr(expr, visit),
                    RunUse::Assign(place, expr) => {
                        in_place(place, visit);
                        in_expr(expr, visit);
                    }
                }
            }
            Action::SetPriority(pid, priority) => {
                in_expr(pid, visit);
                in_expr(priority, visit);
            }
        }
    }
    edge.resets.iter_mut().for_each(|place| in_place(place, visit));
}

fn in_place(place: &mut Place, visit: &mut dyn FnMut(&mut Expr)) {
    place.indices.iter_mut().for_each(|Index { value, .. }| in_expr(value, visit));
}

fn in_pattern(pattern: &mut Pattern, visit: &mut dyn FnMut(&mut Expr)) {
    match pattern {
        Pattern::Any => {}
        Pattern::Match(expr) => in_expr(expr, visit),
        Pattern::Store(place) => in_place(place, visit),
    }
}

fn in_expr(expr: &mut Expr, visit: &mut dyn FnMut(&mut Expr)) {
    visit(expr);
    match expr {
        Expr::Load(place) => in_place(place, visit),
        Expr::Unary(_, operand)
        | Expr::Length(operand)
        | Expr::Empty(operand)
        | Expr::NotEmpty(operand)
        | Expr::Full(operand)
        | Expr::NotFull(operand)
        | Expr::Enabled(operand)
        | Expr::ProgramCounter(operand)
        | Expr::Priority(operand) => in_expr(operand, visit),
        Expr::Binary(_, left, right) => {
            in_expr(left, visit);
            in_expr(right, visit);
        }
        Expr::Conditional(parts) => {
            in_expr(&mut parts.0, visit);
            in_expr(&mut parts.1, visit);
            in_expr(&mut parts.2, visit);
        }
        Expr::Poll { channel, patterns, .. } => {
            in_expr(channel, visit);
            patterns.iter_mut().for_each(|pattern| in_pattern(pattern, visit));
        }
        Expr::RemoteAt { pid, .. } => in_expr(pid, visit),
        Expr::RemoteLoad { pid, place, .. } => {
            in_expr(pid, visit);
            in_place(place, visit);
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
