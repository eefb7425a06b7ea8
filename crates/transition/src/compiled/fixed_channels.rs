//! Which slots name the same channel for ever: they get a channel when their scope is created, and nothing
//! stores to them. Operations through them need not look the channel up.

use crate::model::{Action, Edge, Initialiser, Model, Pattern, Place, ProcessType, RunUse, Scope};

/// By slot: the index of the channel among those of the scope.
pub(super) type FixedChannels = Vec<Option<u32>>;

/// For the globals, and for each process type.
pub(super) fn fixed_channels(model: &Model) -> (FixedChannels, Vec<FixedChannels>) {
    let mut globals = opened(&model.initialisers, model.globals.len(), Scope::Global);
    let mut locals: Vec<FixedChannels> = model
        .processes
        .iter()
        .map(|process| {
            let mut own = opened(&process.initialisers, process.locals.len(), Scope::Local);
            own.iter_mut().take(process.parameters as usize).for_each(|slot| *slot = None);
            own
        })
        .collect();
    let mut none = Vec::new();
    forget_initialised(&model.initialisers, Scope::Global, &mut globals, &mut none);
    for (process, own) in model.processes.iter().zip(&mut locals) {
        forget_stored(process, &mut globals, own);
    }
    (globals, locals)
}

fn opened(initialisers: &[Initialiser], slots: usize, scope: Scope) -> FixedChannels {
    let mut found = vec![None; slots];
    let channels = initialisers.iter().filter_map(|initialiser| match initialiser {
        Initialiser::Channel(place, _) => Some(place),
        Initialiser::Value(..) => None,
    });
    for (index, place) in channels.enumerate() {
        if let Some(slot) = found.get_mut(place.slot as usize)
            && place.scope == scope
            && place.indices.is_empty()
        {
            *slot = Some(index as u32);
        }
    }
    found
}

fn forget_initialised(
    initialisers: &[Initialiser],
    scope: Scope,
    globals: &mut FixedChannels,
    own: &mut FixedChannels,
) {
    for initialiser in initialisers {
        match initialiser {
            Initialiser::Value(place, _) => forget(place, globals, own),
            Initialiser::Channel(place, _) => {
                if place.scope != scope || !place.indices.is_empty() {
                    forget(place, globals, own);
                }
            }
        }
    }
}

fn forget_stored(process: &ProcessType, globals: &mut FixedChannels, own: &mut FixedChannels) {
    forget_initialised(&process.initialisers, Scope::Local, globals, own);
    for edge in process.locations.iter().flat_map(|location| &location.edges) {
        for place in stored_places(edge) {
            forget(place, globals, own);
        }
    }
}

fn stored_places(edge: &Edge) -> impl Iterator<Item = &Place> {
    let by_actions = edge.actions.iter().flat_map(|action| {
        let places: Vec<&Place> = match action {
            Action::Assign(place, _) => vec![place],
            Action::Receive { patterns, .. } => patterns
                .iter()
                .filter_map(|pattern| match pattern {
                    Pattern::Store(place) => Some(place),
                    Pattern::Any | Pattern::Match(_) => None,
                })
                .collect(),
            Action::Run(run) => match &run.then {
                RunUse::Assign(place, _) => vec![place],
                RunUse::Condition(_) => Vec::new(),
            },
            _ => Vec::new(),
        };
        places
    });
    by_actions.chain(&edge.resets)
}

/// Every slot from the place's first to its last possible one.
fn forget(place: &Place, globals: &mut FixedChannels, own: &mut FixedChannels) {
    let reach: u64 =
        place.indices.iter().map(|i| u64::from(i.length.saturating_sub(1)) * u64::from(i.stride)).sum();
    let slots = match place.scope {
        Scope::Global => globals,
        Scope::Local => own,
    };
    let first = (place.slot as usize).min(slots.len());
    let last = usize::try_from(u64::from(place.slot) + reach + 1).unwrap_or(usize::MAX).min(slots.len());
    slots[first..last.max(first)].iter_mut().for_each(|slot| *slot = None);
}
