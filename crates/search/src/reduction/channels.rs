//! What a process does with channels, as far as others may move past it.
//!
//! A send and a receive on a buffered channel are independent where both are executable: a receiver who waits for a message
//! does not care what happens before it comes. But a process may also do something *because* a transfer is not
//! possible: it takes the `else` beside it, stays out of the escape of an `unless`, takes a later option of a `d_step` or
//! fails in one, or loses the control that its atomic sequence gave it. Such a process looks at the channel, and whoever
//! changes it must not be followed alone. The same goes for `nempty` and `nfull` where they are more than the whole
//! of a condition.

use transition::model::{Action, Expr, Initialiser, LocationId, Model, ProcessType, Scope};
use transition::reduction::{ChannelSlots, ChannelUse};

use super::access::{SlotRange, actions, each_expr, each_expr_of_action, each_write, range};

/// What a process type does with channels.
pub(super) fn channel_use(model: &Model, process: &ProcessType) -> ChannelUse {
    let mut found = ChannelUse::default();
    let slots = |channel: &Expr| channel_slots(model, process, channel);
    let notices = noticing_locations(process);
    for (location, notices) in process.locations.iter().zip(notices) {
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
                // Being not empty is the receiver's affair, being not full the sender's.
                Action::Condition(Expr::NotEmpty(channel)) if !notices => {
                    found.receives.push(slots(channel));
                    each_expr(channel, &mut |part| look(part, &mut found, &slots));
                    continue;
                }
                Action::Condition(Expr::NotFull(channel)) if !notices => {
                    found.sends.push(slots(channel));
                    each_expr(channel, &mut |part| look(part, &mut found, &slots));
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
fn noticing_locations(process: &ProcessType) -> Vec<bool> {
    let mut notices = vec![process.deterministic; process.locations.len()];
    for (number, location) in process.locations.iter().enumerate() {
        for edge in &location.edges {
            let is_else = matches!(edge.actions.first(), Some(Action::Else));
            notices[number] |= is_else || edge.escape != 0;
            // Whoever cannot go on loses control.
            if edge.atomic {
                notices[edge.target.0 as usize] = true;
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
fn enter_block(process: &ProcessType, entry: LocationId, exit: LocationId, notices: &mut [bool]) {
    let mut seen = vec![false; notices.len()];
    let mut pending = vec![entry];
    while let Some(at) = pending.pop() {
        if at == exit || std::mem::replace(&mut seen[at.0 as usize], true) {
            continue;
        }
        notices[at.0 as usize] = true;
        pending.extend(process.location(at).edges.iter().map(|edge| edge.target));
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
