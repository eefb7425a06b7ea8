//! What is held: permissions to fields, folded predicate instances with what is inside them, wands with their
//! footprints.
//!
//! Values are not here: a heap has one value for each location, however many shares of it are held and wherever they
//! are folded away. Taking a share of an instance takes that share of everything inside.

use std::collections::BTreeMap;
use std::rc::Rc;

use num_traits::Zero;
use silver::typed::{FieldId, PredicateId};

use super::value::{Amount, Object, Value, none};
use super::wands::Package;

pub(super) type Location = (Object, FieldId);
pub(super) type InstanceKey = (PredicateId, Vec<Value>);

#[derive(Clone, Default, Debug)]
pub(super) struct Mask {
    pub(super) fields: BTreeMap<Location, Amount>,
    pub(super) instances: BTreeMap<InstanceKey, Instance>,
    pub(super) wands: Vec<WandChunk>,
}

#[derive(Clone, Debug)]
pub(super) struct Instance {
    pub(super) amount: Amount,
    pub(super) inside: Mask,
    /// Tells apart what an abstract predicate may have inside at different times.
    pub(super) version: u32,
}

#[derive(Clone, Debug)]
pub(super) struct WandChunk {
    pub(super) key: String,
    /// `None` if the wand was inhaled, so that nobody knows its footprint.
    pub(super) package: Option<Rc<Package>>,
    pub(super) footprint: Mask,
}

impl Mask {
    pub(super) fn of_field(&self, location: Location) -> Amount {
        self.fields.get(&location).cloned().unwrap_or_else(none)
    }

    pub(super) fn of_instance(&self, key: &InstanceKey) -> Amount {
        self.instances.get(key).map_or_else(none, |instance| instance.amount.clone())
    }

    /// All shares of a location, the folded ones too.
    pub(super) fn total(&self, location: Location) -> Amount {
        let mut sum = self.of_field(location);
        for instance in self.instances.values() {
            sum += instance.inside.total(location);
        }
        for wand in &self.wands {
            sum += wand.footprint.total(location);
        }
        sum
    }

    pub(super) fn total_instance(&self, key: &InstanceKey) -> Option<&Instance> {
        self.instances.get(key).or_else(|| {
            let inside = self.instances.values().map(|instance| &instance.inside);
            let footprints = self.wands.iter().map(|wand| &wand.footprint);
            inside.chain(footprints).find_map(|mask| mask.total_instance(key))
        })
    }

    pub(super) fn add_field(&mut self, location: Location, amount: Amount) {
        if !amount.is_zero() {
            *self.fields.entry(location).or_insert_with(none) += amount;
        }
    }

    pub(super) fn add_instance(&mut self, key: InstanceKey, instance: Instance) {
        if instance.amount.is_zero() {
            return;
        }
        match self.instances.get_mut(&key) {
            Some(held) => {
                held.amount += instance.amount;
                held.inside.add(instance.inside);
            }
            None => {
                self.instances.insert(key, instance);
            }
        }
    }

    pub(super) fn add(&mut self, other: Mask) {
        for (location, amount) in other.fields {
            self.add_field(location, amount);
        }
        for (key, instance) in other.instances {
            self.add_instance(key, instance);
        }
        self.wands.extend(other.wands);
    }

    /// Takes at most this much; gives what was taken.
    pub(super) fn take_field(&mut self, location: Location, amount: &Amount) -> Amount {
        let Some(held) = self.fields.get_mut(&location) else { return none() };
        let taken = if *amount < *held { amount.clone() } else { held.clone() };
        *held -= &taken;
        if held.is_zero() {
            self.fields.remove(&location);
        }
        taken
    }

    /// Takes at most this much of an instance, with that share of what is inside.
    pub(super) fn take_instance(&mut self, key: &InstanceKey, amount: &Amount) -> Option<Instance> {
        let held = self.instances.get_mut(key)?;
        if *amount >= held.amount {
            return self.instances.remove(key);
        }
        let share = amount / &held.amount;
        let inside = held.inside.split(&share);
        held.amount -= amount;
        Some(Instance { amount: amount.clone(), inside, version: held.version })
    }

    /// Takes a share of everything.
    fn split(&mut self, share: &Amount) -> Mask {
        let mut taken = Mask::default();
        for (location, amount) in &mut self.fields {
            let part = &*amount * share;
            *amount -= &part;
            taken.add_field(*location, part);
        }
        for (key, instance) in &mut self.instances {
            let part = &instance.amount * share;
            instance.amount -= &part;
            let inside = instance.inside.split(share);
            taken.add_instance(key.clone(), Instance { amount: part, inside, version: instance.version });
        }
        // A wand is one thing; whoever holds most of the instance around it has it.
        taken
    }

    /// Everything multiplied.
    pub(super) fn scaled(&self, factor: &Amount) -> Mask {
        let mut result = Mask::default();
        for (location, amount) in &self.fields {
            result.add_field(*location, amount * factor);
        }
        for (key, instance) in &self.instances {
            let inside = instance.inside.scaled(factor);
            let amount = &instance.amount * factor;
            result.add_instance(key.clone(), Instance { amount, inside, version: instance.version });
        }
        result.wands = self.wands.clone();
        result
    }

    /// The locations of which anything is held, folded or not.
    pub(super) fn locations(&self, found: &mut Vec<Location>) {
        found.extend(self.fields.keys().copied());
        for instance in self.instances.values() {
            instance.inside.locations(found);
        }
        for wand in &self.wands {
            wand.footprint.locations(found);
        }
    }

    pub(super) fn holds_too_much(&self) -> bool {
        self.fields.values().any(|amount| *amount > super::value::write())
    }
}
