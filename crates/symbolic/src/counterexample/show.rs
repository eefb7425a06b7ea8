//! What values are: literals as they are, elements of other sorts by numbers in order of appearance.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;
use silver::typed::FieldId;
use smt::{BigRational, CollectionKind, ModelValue, Sort, Term};
use verdict::failure::{Origin, Shown, Value};

use super::naming::{Names, place};
use super::{Item, Model, Questions};
use crate::encode::Encoder;
use crate::engine::Engine;
use crate::heap::Resource;
use crate::limits;

/// A model and the names of its elements.
pub(super) struct Interpretation {
    model: Model,
    null: Term,
    /// Numbers of elements, by sort and the solver's name.
    numbers: FxHashMap<(Sort, String), usize>,
    /// How many elements of a sort have a number.
    counts: FxHashMap<String, usize>,
    /// Constants of domains, by sort and the solver's name.
    constants: FxHashMap<(Sort, String), Shown>,
    /// How the source would write elements, by sort and the solver's name.
    paths: FxHashMap<(Sort, String), Shown>,
}

impl Interpretation {
    pub(super) fn new(model: Model, null: Term) -> Interpretation {
        Interpretation {
            model,
            null,
            numbers: FxHashMap::default(),
            counts: FxHashMap::default(),
            constants: FxHashMap::default(),
            paths: FxHashMap::default(),
        }
    }

    /// What is worth telling, in order.
    pub(super) fn values(&mut self, engine: &Engine<'_>, names: &Names, questions: &Questions) -> Vec<Value> {
        self.find_paths(engine, questions);
        let mut values: Vec<Value> = Vec::new();
        let mut fields: Vec<Value> = Vec::new();
        let mut current: FxHashMap<(Shown, FieldId), Shown> = FxHashMap::default();
        // What is reached by fewer steps comes first.
        let append = |values: &mut Vec<Value>, fields: &mut Vec<Value>| {
            fields.sort_by_key(|field| field.term.steps());
            values.append(fields);
        };
        for item in &questions.items {
            if !matches!(item, Item::Field { is_old: false, .. }) {
                append(&mut values, &mut fields);
            }
            let entry = match item {
                Item::Constant { .. } => None,
                Item::Bound { name, term } => {
                    self.value(engine, *term).map(|value| (name.clone(), value, Origin::Bound))
                }
                Item::Value { name, term, origin } => {
                    self.value(engine, *term).map(|value| (name.clone(), value, *origin))
                }
                Item::Element { name, term, index, length } => match self.model.get(*length) {
                    Some(ModelValue::Int(length)) if *length > (*index).into() => {
                        self.value(engine, *term).map(|value| (name.clone(), value, Origin::Part))
                    }
                    _ => None,
                },
                Item::Field { receiver, field, value, permission, is_old } => {
                    if !self.is_held(*permission) {
                        continue;
                    }
                    let Some(receiver) = self.receiver(engine, names, *receiver) else { continue };
                    let Some(value) = self.value(engine, *value) else { continue };
                    let key = (receiver.clone(), *field);
                    let term = receiver.field(&*engine.run.program.field(*field).name);
                    if *is_old {
                        let is_same = current.get(&key).is_some_and(|now| *now == value);
                        (!is_same).then(|| (term.old(), value, Origin::Location))
                    } else {
                        // Otherwise another part of the permission to the same location was shown.
                        if let Entry::Vacant(place) = current.entry(key) {
                            place.insert(value.clone());
                            fields.push(Value { term, value, origin: Origin::Location });
                        }
                        None
                    }
                }
                Item::Held { resource, location, amount } => {
                    let place = names
                        .location(engine, *resource, location)
                        .or_else(|| self.location(engine, names, *resource, location));
                    let held = self.amount(*amount).map(Shown::Amount);
                    place
                        .zip(held)
                        .map(|(place, held)| (Shown::Permission(Box::new(place)), held, Origin::Permission))
                }
            };
            let entry = entry.map(|(term, value, origin)| Value { term, value, origin });
            values.extend(entry.filter(|entry| values.iter().all(|other| other.term != entry.term)));
        }
        append(&mut values, &mut fields);
        values.truncate(limits::SHOWN_VALUES);
        values
    }

    /// A permission amount, if the model has it.
    pub(super) fn amount(&self, term: Term) -> Option<BigRational> {
        match self.model.get(term) {
            Some(ModelValue::Real(value)) => Some(value.clone()),
            _ => None,
        }
    }

    /// A location by the objects that its parts are in the model.
    pub(super) fn location(
        &mut self,
        engine: &Engine<'_>,
        names: &Names,
        resource: Resource,
        location: &[Term],
    ) -> Option<Shown> {
        let parts: Option<Vec<Shown>> =
            location.iter().map(|term| self.receiver(engine, names, *term)).collect();
        place(engine, resource, parts?)
    }

    fn is_held(&self, permission: Term) -> bool {
        match self.model.get(permission) {
            Some(ModelValue::Real(amount)) => *amount > BigRational::from_integer(0.into()),
            _ => false,
        }
    }

    fn element(&self, engine: &Engine<'_>, term: Term) -> Option<(Sort, String)> {
        match self.model.get(term)? {
            ModelValue::Element(element) => Some((engine.encoder.terms.sort_of(term), element.clone())),
            _ => None,
        }
    }

    /// Names the objects of the model: by variables, then by fields of objects that have a name.
    fn find_paths(&mut self, engine: &Engine<'_>, questions: &Questions) {
        if let Some(null) = self.element(engine, self.null) {
            self.paths.insert(null, Shown::Null);
        }
        for item in &questions.items {
            if let Item::Constant { name, term } = item
                && let Some(element) = self.element(engine, *term)
            {
                self.constants.entry(element).or_insert_with(|| name.clone());
            }
            if let Item::Bound { name, term } | Item::Value { name, term, .. } = item
                && let Some(element) = self.element(engine, *term)
            {
                self.paths.entry(element).or_insert_with(|| name.clone());
            }
        }
        for _ in 0..3 {
            for item in &questions.items {
                if let Item::Field { receiver, field, value, permission, is_old: false } = item
                    && self.is_held(*permission)
                    && let Some(receiver) = self.element(engine, *receiver)
                    && let Some(value) = self.element(engine, *value)
                    && !self.paths.contains_key(&value)
                    && let Some(path) = self.paths.get(&receiver)
                {
                    let path = path.clone().field(&*engine.run.program.field(*field).name);
                    self.paths.insert(value, path);
                }
            }
        }
    }

    /// What to call an object before a dot.
    fn receiver(&mut self, engine: &Engine<'_>, names: &Names, term: Term) -> Option<Shown> {
        let element = self.element(engine, term);
        if let Some(path) = element.and_then(|element| self.paths.get(&element)) {
            return Some(path.clone());
        }
        names.of(engine, term).or_else(|| self.value(engine, term))
    }

    /// A value, if the model has it.
    fn value(&mut self, engine: &Engine<'_>, term: Term) -> Option<Shown> {
        let sort = engine.encoder.terms.sort_of(term);
        match self.model.get(term)? {
            ModelValue::Bool(value) => Some(Shown::Bool(*value)),
            ModelValue::Int(value) => Some(Shown::Int(value.clone())),
            ModelValue::Real(value) => Some(Shown::Amount(value.clone())),
            ModelValue::Element(element) => {
                let element = element.clone();
                if self.model.get(self.null) == Some(&ModelValue::Element(element.clone()))
                    && engine.encoder.terms.sort_of(self.null) == sort
                {
                    return Some(Shown::Null);
                }
                if let Some(constant) = self.constants.get(&(sort, element.clone())) {
                    return Some(constant.clone());
                }
                let Encoder { terms, theories, meanings, .. } = &engine.encoder;
                let collection = theories.kind_of(sort).map(CollectionKind::name);
                let stem = meanings.sort(terms, sort).or(collection).unwrap_or("value").to_string();
                let count = self.counts.entry(stem.clone()).or_default();
                let number = *self.numbers.entry((sort, element)).or_insert_with(|| {
                    *count += 1;
                    *count
                });
                Some(Shown::Element { sort: stem, number })
            }
            ModelValue::Unknown => None,
        }
    }
}
