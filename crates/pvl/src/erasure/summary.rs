//! Taints, and what callers need to know about a routine.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use source::Span;

use super::places::{Location, Place};
use crate::syntax::tree::NodeId;

/// Where a value comes from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Origin {
    /// The source of ghost values with this number.
    Ghost(u32),
    /// What the caller passes for a parameter of the routine.
    Parameter(NodeId),
    /// The object that the routine is called on.
    This(NodeId),
}

/// All that a value may depend on, each with the place that it was last read from.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Taint(pub(super) BTreeMap<Origin, Option<Place>>);

impl Taint {
    pub(super) fn of(origin: Origin) -> Taint {
        Taint(BTreeMap::from([(origin, None)]))
    }

    /// Adds what is not there; whether anything was added.
    pub(super) fn join(&mut self, other: &Taint) -> bool {
        let before = self.0.len();
        for (origin, via) in &other.0 {
            self.0.entry(*origin).or_insert_with(|| via.clone());
        }
        self.0.len() > before
    }

    pub(super) fn joined(mut self, other: &Taint) -> Taint {
        self.join(other);
        self
    }

    /// The first ghost source in it and the place that it was read from.
    pub(super) fn ghost(&self) -> Option<(u32, Option<&Place>)> {
        self.0.iter().find_map(|(origin, via)| match origin {
            Origin::Ghost(source) => Some((*source, via.as_ref())),
            _ => None,
        })
    }

    pub(super) fn is_ghost(&self) -> bool {
        self.ghost().is_some()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The same values, read from this place.
    pub(super) fn through(&self, place: &Place) -> Taint {
        Taint(self.0.keys().map(|origin| (*origin, Some(place.clone()))).collect())
    }

    /// What the routine's caller sees: its own values for what it passes.
    pub(super) fn seen_by_caller(&self, arguments: &FxHashMap<NodeId, Taint>, this: &Taint) -> Taint {
        let mut seen = Taint::default();
        for (origin, via) in &self.0 {
            match origin {
                Origin::Ghost(_) => {
                    seen.0.entry(*origin).or_insert_with(|| via.clone());
                }
                Origin::Parameter(id) => {
                    if let Some(argument) = arguments.get(id) {
                        seen.join(argument);
                    }
                }
                Origin::This(_) => {
                    seen.join(this);
                }
            }
        }
        seen
    }
}

/// What a routine does to its caller.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Summary {
    pub(super) result: Taint,
    /// Locations it may change, and what their values depend on.
    pub(super) writes: Vec<(Location, Taint)>,
    /// What decides whether it ends, where no measure shows that it does.
    pub(super) end: Taint,
    /// Behaviour that the routine's caller decides on.
    pub(super) decides: Vec<(Behaviour, Taint)>,
    /// Operations in it that fail for some values, one of each kind, and which values these are.
    pub(super) fails: Vec<(Behaviour, Taint)>,
    /// Something in it that starts threads or waits for them.
    pub(super) behaviour: Option<Behaviour>,
}

/// Something that others notice when it happens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Behaviour {
    /// In words: *a lock is taken*.
    pub(super) what: &'static str,
    pub(super) span: Span,
}

impl Summary {
    pub(super) fn write(&mut self, location: &Location, taint: &Taint) {
        match self.writes.iter_mut().find(|(other, _)| other == location) {
            Some((_, known)) => {
                known.join(taint);
            }
            None => self.writes.push((location.clone(), taint.clone())),
        }
    }

    pub(super) fn decide(&mut self, behaviour: &Behaviour, taint: &Taint) {
        match self.decides.iter_mut().find(|(other, _)| other == behaviour) {
            Some((_, known)) => {
                known.join(taint);
            }
            None => self.decides.push((behaviour.clone(), taint.clone())),
        }
    }
}
