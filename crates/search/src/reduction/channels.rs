//! What a process does with channels, as far as others may move past it.
//!
//! A send and a receive on a buffered channel are independent where both are executable: a receiver who waits for a message
//! does not care what happens before it comes. But a process may also do something *because* a transfer is not
//! possible: it takes the `else` beside it, stays out of the escape of an `unless`, takes a later option of a `d_step` or
//! fails in one, or loses the control that its atomic sequence gave it. Such a process looks at the channel, and a process that
//! changes it must not be followed alone. The same goes for `nempty` and `nfull` where they are more than what a
//! condition waits for.

use transition::model::{Action, Binary, Expr, Initialiser, LocationId, Model, ProcessType, Scope};
use transition::reduction::{ChannelSlots, ChannelUse};

use super::access::{SlotRange, actions, each_expr, each_expr_of_action, each_write, range};

/// Does a process do something because a transfer is not possible at a location?
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Notices {
    No,
    /// It loses the control that an atomic sequence gave it.
    LossOfControl,
    /// It takes another way.
    Always,
}

/// What a process type does with channels. `stops` gives for a location in the middle of an atomic sequence the channels
/// that must be lines so that nobody can tell whether control is lost there; none where it can be told in any case.
pub(super) fn channel_use(
    model: &Model,
    process: &ProcessType,
    noticing: &[Notices],
    stops: &dyn Fn(LocationId) -> Option<Vec<Expr>>,
) -> ChannelUse {
    let mut found = ChannelUse::default();
    let slots = |channel: &Expr| channel_slots(model, process, channel);
    for ((location, notices), at) in process.locations.iter().zip(noticing).zip(0..) {
        let mut notices = *notices != Notices::No;
        if noticing[at as usize] == Notices::LossOfControl
            && let Some(channels) = stops(LocationId(at))
        {
            notices = false;
            if !channels.is_empty() {
                found.middles.push(channels.iter().map(slots).collect());
            }
        }
        for action in location.edges.iter().flat_map(|edge| &edge.actions) {
            match action {
                Action::Send { channel, sorted, .. } => {
                    if *sorted {
                        found.sorted_sends.push(slots(channel));
                    }
                    found.sends.push(slots(channel));
                    found.looks.extend(notices.then(|| slots(channel)));
                }
                Action::Receive { channel, .. } => {
                    found.receives.push(slots(channel));
                    found.looks.extend(notices.then(|| slots(channel)));
                }
                Action::Condition(expr) if !notices => {
                    waits(expr, &mut found, &slots);
                    continue;
                }
                _ => {}
            }
            each_expr_of_action(action, &mut |part| look(part, &mut found, &slots));
        }
    }
    let initial = process.initialisers.iter().filter_map(|initialiser| match initialiser {
        Initialiser::Value(_, expr) => Some(expr),
        Initialiser::Channel(..) => None,
    });
    for expr in process.provided.iter().map(|provided| &provided.condition).chain(initial) {
        each_expr(expr, &mut |part| look(part, &mut found, &slots));
    }
    for list in [&mut found.receives, &mut found.sends, &mut found.sorted_sends, &mut found.looks] {
        list.dedup();
    }
    found
}

/// A process that waits for a condition. `nempty` counts as a receive and `nfull` as a send, as long
/// as more messages, or more room, can only make the condition true.
fn waits(expr: &Expr, found: &mut ChannelUse, slots: &impl Fn(&Expr) -> ChannelSlots) {
    // Conjunctions are chains to the left as long as the text is.
    let mut pending = vec![expr];
    while let Some(expr) = pending.pop() {
        let channel = match expr {
            Expr::Binary(Binary::And | Binary::Or, left, right) => {
                pending.extend([&**left, &**right]);
                continue;
            }
            Expr::NotEmpty(channel) => {
                found.receives.push(slots(channel));
                channel
            }
            Expr::NotFull(channel) => {
                found.sends.push(slots(channel));
                channel
            }
            other => {
                each_expr(other, &mut |part| look(part, found, slots));
                continue;
            }
        };
        each_expr(channel, &mut |part| look(part, found, slots));
    }
}

fn look(part: &Expr, found: &mut ChannelUse, slots: &impl Fn(&Expr) -> ChannelSlots) {
    match part {
        Expr::NotEmpty(channel)
        | Expr::NotFull(channel)
        | Expr::Length(channel)
        | Expr::Empty(channel)
        | Expr::Full(channel)
        | Expr::Poll { channel, .. } => found.looks.push(slots(channel)),
        _ => {}
    }
}

/// Where a process does something because a transfer is not possible.
pub(super) fn noticing_locations(process: &ProcessType) -> Vec<Notices> {
    let everywhere = if process.deterministic { Notices::Always } else { Notices::No };
    let mut notices = vec![everywhere; process.locations.len()];
    for edge in process.locations.iter().flat_map(|location| &location.edges) {
        let at = &mut notices[edge.target.0 as usize];
        if edge.atomic && *at == Notices::No {
            *at = Notices::LossOfControl;
        }
    }
    for (number, location) in process.locations.iter().enumerate() {
        for edge in &location.edges {
            if matches!(edge.actions.first(), Some(Action::Else)) || edge.escape != 0 {
                notices[number] = Notices::Always;
            }
            for action in &edge.actions {
                if let Action::Block(block) = action {
                    enter_block(process, block.entry, block.exit, &mut notices);
                }
            }
        }
    }
    notices
}

/// Inside of a block the first executable edge is taken, and it is an error if there is none.
fn enter_block(process: &ProcessType, entry: LocationId, exit: LocationId, notices: &mut [Notices]) {
    let mut seen = vec![false; notices.len()];
    let mut pending = vec![entry];
    while let Some(at) = pending.pop() {
        if at == exit || std::mem::replace(&mut seen[at.0 as usize], true) {
            continue;
        }
        notices[at.0 as usize] = Notices::Always;
        pending.extend(process.location(at).edges.iter().map(|edge| edge.target));
    }
}

/// Does a channel expression mean the same channel as long as the process lives?
pub(super) fn is_fixed(model: &Model, process: &ProcessType, channel: &Expr) -> bool {
    match channel_slots(model, process, channel) {
        ChannelSlots::Global { first, last } | ChannelSlots::Local { first, last } => first == last,
        ChannelSlots::Any => false,
    }
}

/// The slots that a channel expression reads, if they keep the value they got at creation.
fn channel_slots(model: &Model, process: &ProcessType, channel: &Expr) -> ChannelSlots {
    let Expr::Load(place) = channel else { return ChannelSlots::Any };
    let SlotRange { scope, first, last } = range(place);
    let writers: Box<dyn Iterator<Item = &Action>> = match scope {
        Scope::Global => Box::new(model.processes.iter().flat_map(actions)),
        Scope::Local => Box::new(actions(process)),
    };
    let mut changes = false;
    for action in writers {
        each_write(action, &mut |written| {
            let other = range(written);
            changes |= other.scope == scope && other.first <= last && first <= other.last;
        });
    }
    match (changes, scope) {
        (true, _) => ChannelSlots::Any,
        (false, Scope::Global) => ChannelSlots::Global { first, last },
        (false, Scope::Local) => ChannelSlots::Local { first, last },
    }
}
