//! How values are written: literals as they are, elements of other sorts by numbers in order of appearance.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;
use silver::typed::FieldId;
use smt::{BigRational, ModelValue, Sort, SortKind, Term};
use verdict::Counterexample;

use super::naming::{Names, place};
use super::{Item, Model, Questions};
use crate::engine::Engine;
use crate::heap::Resource;

/// More than anybody reads.
const MAX_VALUES: usize = 40;

/// A model and the names of its elements.
pub(super) struct Shown {
    model: Model,
    null: Term,
    /// Numbers of elements, by sort and the solver's name.
    numbers: FxHashMap<(String, String), usize>,
    /// How many elements of a sort have a number.
    counts: FxHashMap<String, usize>,
    /// Constants of domains, by sort and the solver's name.
    constants: FxHashMap<(Sort, String), String>,
    /// How the source would write elements, by sort and the solver's name.
    paths: FxHashMap<(Sort, String), String>,
}

/// A permission amount as the source would write it.
pub(super) fn amount(value: &BigRational) -> String {
    let text = value.to_string();
    match text.as_str() {
        "0" => "none".to_string(),
        "1" => "write".to_string(),
        _ => text,
    }
}

impl Shown {
    pub(super) fn new(model: Model, null: Term) -> Shown {
        Shown {
            model,
            null,
            numbers: FxHashMap::default(),
            counts: FxHashMap::default(),
            constants: FxHashMap::default(),
            paths: FxHashMap::default(),
        }
    }

    /// What is worth telling, in order.
    pub(super) fn counterexample(
        &mut self,
        engine: &Engine<'_>,
        names: &Names,
        questions: &Questions,
    ) -> Counterexample {
        self.find_paths(engine, questions);
        let mut values: Vec<(String, String)> = Vec::new();
        let mut bound = 0;
        let mut fields: Vec<(String, String)> = Vec::new();
        let mut current: FxHashMap<(String, FieldId), String> = FxHashMap::default();
        // What is reached by fewer steps comes first.
        let append = |values: &mut Vec<(String, String)>, fields: &mut Vec<(String, String)>| {
            fields.sort_by_key(|(name, _)| name.matches('.').count());
            values.append(fields);
        };
        for item in &questions.items {
            if !matches!(item, Item::Field { is_old: false, .. }) {
                append(&mut values, &mut fields);
            }
            let entry = match item {
                Item::Constant { .. } => None,
                Item::Bound { name, term } | Item::Value { name, term } => {
                    self.value(engine, *term).map(|value| (name.clone(), value))
                }
                Item::Element { name, term, index, length } => match self.model.get(*length) {
                    Some(ModelValue::Int(length)) if *length > (*index).into() => {
                        self.value(engine, *term).map(|value| (name.clone(), value))
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
                    let name = format!("{receiver}.{}", engine.program.field(*field).name);
                    if *is_old {
                        let is_same = current.get(&key).is_some_and(|now| *now == value);
                        (!is_same).then(|| (format!("old({name})"), value))
                    } else {
                        // Otherwise another part of the permission to the same location was shown.
                        if let Entry::Vacant(place) = current.entry(key) {
                            place.insert(value.clone());
                            fields.push((name, value));
                        }
                        None
                    }
                }
                Item::Held { resource, location, amount } => {
                    let place = names
                        .location(engine, *resource, location)
                        .or_else(|| self.location(engine, names, *resource, location));
                    let held = self.amount(*amount);
                    place.zip(held).map(|(place, held)| (format!("perm({place})"), held))
                }
            };
            values.extend(entry.filter(|(name, _)| values.iter().all(|(other, _)| other != name)));
            if matches!(item, Item::Bound { .. }) {
                bound = values.len();
            }
        }
        append(&mut values, &mut fields);
        values.truncate(MAX_VALUES);
        Counterexample { values, bound }
    }

    /// A permission amount, if the model has it.
    pub(super) fn amount(&self, term: Term) -> Option<String> {
        match self.model.get(term) {
            Some(ModelValue::Real(value)) => Some(amount(value)),
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
    ) -> Option<String> {
        let parts: Option<Vec<String>> =
            location.iter().map(|term| self.receiver(engine, names, *term)).collect();
        place(engine, resource, &parts?)
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
            self.paths.insert(null, "null".to_string());
        }
        for item in &questions.items {
            if let Item::Constant { name, term } = item
                && let Some(element) = self.element(engine, *term)
            {
                self.constants.entry(element).or_insert_with(|| name.clone());
            }
            if let Item::Bound { name, term } | Item::Value { name, term } = item
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
                    let path = format!("{path}.{}", engine.program.field(*field).name);
                    self.paths.insert(value, path);
                }
            }
        }
    }

    /// What to call an object before a dot.
    fn receiver(&mut self, engine: &Engine<'_>, names: &Names, term: Term) -> Option<String> {
        let element = self.element(engine, term);
        if let Some(path) = element.and_then(|element| self.paths.get(&element)) {
            return Some(path.clone());
        }
        names.of(engine, term).or_else(|| self.value(engine, term))
    }

    /// A value as text.
    fn value(&mut self, engine: &Engine<'_>, term: Term) -> Option<String> {
        let sort = engine.encoder.terms.sort_of(term);
        match self.model.get(term)? {
            ModelValue::Bool(value) => Some(value.to_string()),
            ModelValue::Int(value) => Some(value.to_string()),
            ModelValue::Real(value) => Some(amount(value)),
            ModelValue::Element(element) => {
                let element = element.clone();
                if self.model.get(self.null) == Some(&ModelValue::Element(element.clone()))
                    && engine.encoder.terms.sort_of(self.null) == sort
                {
                    return Some("null".to_string());
                }
                if let Some(constant) = self.constants.get(&(sort, element.clone())) {
                    return Some(constant.clone());
                }
                let SortKind::Uninterpreted(name) = engine.encoder.terms.sort_kind(sort) else {
                    return Some(element);
                };
                let stem = name.trim_start_matches('$').split('<').next().unwrap_or(name).to_string();
                let count = self.counts.entry(stem.clone()).or_default();
                let number = *self.numbers.entry((name.to_string(), element)).or_insert_with(|| {
                    *count += 1;
                    *count
                });
                Some(format!("{stem}#{number}"))
            }
            ModelValue::Unknown => None,
        }
    }
}
