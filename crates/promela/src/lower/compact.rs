//! Numbers the locations that control can reach from 0, so that a location fits into few bits.

use transition::model::walk::{change_expr, change_index, change_process};
use transition::model::{Action, Expr, Initialiser, LocationId, Model, ProcessType};

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
    for initialiser in &mut model.initialisers {
        match initialiser {
            Initialiser::Value(place, expr) => {
                change_index(place, visit);
                change_expr(expr, visit);
            }
            Initialiser::Channel(place, _) => change_index(place, visit),
        }
    }
    let claims = model.claims.iter_mut().map(|claim| &mut claim.process);
    let trace = model.trace.iter_mut().map(|trace| &mut trace.process);
    for process in model.processes.iter_mut().chain(claims).chain(trace) {
        change_process(process, visit);
    }
}
