//! Walking over what actions read and write.

pub(super) use transition::model::walk::{each_expr, each_expr_of_action, each_expr_of_process, each_index};
use transition::model::{Action, Edge, Expr, Model, Pattern, Place, ProcessType, RunUse, Scope};

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
