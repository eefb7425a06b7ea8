//! Maps from locations to values, one family of symbols for each resource.
//!
//! Maps are snapshots. `lookup` gives the value at a location (of a field's sort, else a snapshot), `update` changes it
//! at one location. A *canonical* map is the snapshot of a consumed permission: it has a domain, and is determined by
//! the domain and the values there, so that equal footprints have equal snapshots (`compared.rs` says which of them
//! the solver looks at). Other maps have no domain that matters. Consistent: think of a map as a total function with a domain, canonical if it is some fixed value outside.

use smt::{Function, Sort, Term};

use crate::encode::meaning::Meaning;
use crate::engine::Engine;
use crate::heap::Resource;

#[derive(Clone, Debug)]
pub(super) struct MapSymbols {
    lookup: Function,
    update: Function,
    domain: Function,
    canonical: Function,
}

impl<'p> Engine<'p> {
    /// What to call a resource in the names of symbols.
    pub(super) fn resource_name(&self, resource: Resource) -> String {
        match resource {
            Resource::Field(field) => format!("field {}", self.run.program.field(field).name),
            Resource::Predicate(predicate) => {
                format!("predicate {}", self.run.program.predicate(predicate).name)
            }
            Resource::Wand(wand) => format!("wand {}", wand.0),
        }
    }

    /// The sort of the values that maps of the resource have.
    pub(super) fn value_sort(&mut self, resource: Resource) -> Sort {
        match resource {
            Resource::Field(field) => {
                let ty = &self.run.program.field(field).ty;
                self.encoder.sort(ty)
            }
            Resource::Predicate(_) | Resource::Wand(_) => self.encoder.snap_sort(),
        }
    }

    fn maps(&mut self, resource: Resource, location: &[Term]) -> MapSymbols {
        if let Some(symbols) = self.member.quantified.maps.get(&resource) {
            return symbols.clone();
        }
        let name = self.resource_name(resource);
        let value = self.value_sort(resource);
        let map = self.encoder.snap_sort();
        let terms = &mut self.encoder.terms;
        let places: Vec<Sort> = location.iter().map(|part| terms.sort_of(*part)).collect();
        let mut sorts = vec![map];
        sorts.extend_from_slice(&places);
        let bool_sort = terms.bool_sort();
        let lookup_name = format!("$map.lookup<{name}>");
        let lookup = terms.function(&lookup_name, &sorts, value);
        let domain = terms.function(&format!("$map.domain<{name}>"), &sorts, bool_sort);
        let canonical = terms.function(&format!("$map.canonical<{name}>"), &[map], bool_sort);
        sorts.push(value);
        let update = terms.function(&format!("$map.update<{name}>"), &sorts, map);
        if let Resource::Field(field) = resource {
            self.encoder.meanings.add_symbol(&lookup_name, Meaning::Field(field));
        }
        let symbols = MapSymbols { lookup, update, domain, canonical };
        self.member.quantified.maps.insert(resource, symbols.clone());
        let axioms = [
            self.comparison_of_pairs(),
            self.extensionality(resource, &name, &symbols, &places),
            self.updated_value(&name, &symbols, &places, value),
            self.other_value(resource, &name, &symbols, &places, value),
        ];
        self.add_axioms(&axioms);
        symbols
    }

    /// Canonical maps with the same domain and the same values there are the same.
    fn extensionality(
        &mut self,
        resource: Resource,
        name: &str,
        symbols: &MapSymbols,
        places: &[Sort],
    ) -> Term {
        let compared = self.compared_symbol();
        // The symbols of wands are over snapshots, and nobody compares those.
        let are_all_compared = self.member.quantified.has_wands;
        let sort = self.encoder.snap_sort();
        let law = self.encoder.name_locations(format!("$map.extensionality<{name}>"));
        let terms = &mut self.encoder.terms;
        let variables = [terms.fresh_bound("left", sort), terms.fresh_bound("right", sort)];
        let maps = variables.map(|variable| terms.bound(variable));
        let [left, right] = maps;
        // A place where two maps differ, if there is one.
        let place: Vec<Term> = places
            .iter()
            .enumerate()
            .map(|(index, place)| {
                let difference =
                    terms.function(&format!("$map.difference{index}<{name}>"), &[sort, sort], *place);
                terms.apply(difference, &maps)
            })
            .collect();
        let mut at = |map: Term, function: Function| {
            let mut arguments = vec![map];
            arguments.extend_from_slice(&place);
            terms.apply(function, &arguments)
        };
        let (left_domain, right_domain) = (at(left, symbols.domain), at(right, symbols.domain));
        let (left_value, right_value) = (at(left, symbols.lookup), at(right, symbols.lookup));
        let same_domain = terms.equal(left_domain, right_domain);
        let same_value = terms.equal(left_value, right_value);
        let same_value = terms.implies(left_domain, same_value);
        let left_canonical = terms.apply(symbols.canonical, &[left]);
        let right_canonical = terms.apply(symbols.canonical, &[right]);
        let premise = terms.all([left_canonical, right_canonical, same_domain, same_value]);
        let equal = terms.equal(left, right);
        let mut body = terms.implies(premise, equal);
        if !matches!(resource, Resource::Field(_)) {
            // The values are snapshots themselves.
            let values = terms.apply(compared, &[left_value, right_value]);
            body = terms.and(body, values);
        }
        let mut trigger = vec![left_canonical, right_canonical];
        if !are_all_compared {
            trigger.insert(0, terms.apply(compared, &maps));
        }
        terms.forall(&variables, &[trigger], body, &law)
    }

    fn updated_value(&mut self, name: &str, symbols: &MapSymbols, places: &[Sort], value: Sort) -> Term {
        let map = self.encoder.snap_sort();
        let law = self.encoder.name_locations(format!("$map.updated<{name}>"));
        let terms = &mut self.encoder.terms;
        let mut variables = vec![terms.fresh_bound("map", map)];
        variables.extend(places.iter().map(|place| terms.fresh_bound("place", *place)));
        variables.push(terms.fresh_bound("value", value));
        let arguments: Vec<Term> = variables.iter().map(|variable| terms.bound(*variable)).collect();
        let updated = terms.apply(symbols.update, &arguments);
        let mut read = arguments.clone();
        read[0] = updated;
        let expected = read.pop().unwrap_or(updated);
        let found = terms.apply(symbols.lookup, &read);
        let body = terms.equal(found, expected);
        terms.forall(&variables, &[vec![updated]], body, &law)
    }

    fn other_value(
        &mut self,
        resource: Resource,
        name: &str,
        symbols: &MapSymbols,
        places: &[Sort],
        value: Sort,
    ) -> Term {
        let is_in_patterns = self.is_in_patterns(resource);
        let map_sort = self.encoder.snap_sort();
        let law = self.encoder.name_locations(format!("$map.other<{name}>"));
        let terms = &mut self.encoder.terms;
        let map_variable = terms.fresh_bound("map", map_sort);
        let value_variable = terms.fresh_bound("value", value);
        let changed_variables: Vec<_> =
            places.iter().map(|place| terms.fresh_bound("place", *place)).collect();
        let other_variables: Vec<_> = places.iter().map(|place| terms.fresh_bound("other", *place)).collect();
        let map = terms.bound(map_variable);
        let value = terms.bound(value_variable);
        let changed: Vec<Term> = changed_variables.iter().map(|variable| terms.bound(*variable)).collect();
        let other: Vec<Term> = other_variables.iter().map(|variable| terms.bound(*variable)).collect();
        let updated = {
            let mut arguments = vec![map];
            arguments.extend_from_slice(&changed);
            arguments.push(value);
            terms.apply(symbols.update, &arguments)
        };
        let mut at = |map: Term| {
            let mut arguments = vec![map];
            arguments.extend_from_slice(&other);
            terms.apply(symbols.lookup, &arguments)
        };
        let (after, before) = (at(updated), at(map));
        let equal = terms.equal(after, before);
        let here: Vec<Term> =
            changed.iter().zip(&other).map(|(changed, other)| terms.equal(*changed, *other)).collect();
        let here = terms.all(here);
        let body = terms.or(here, equal);
        let mut variables = vec![map_variable, value_variable];
        variables.extend(changed_variables);
        variables.extend(other_variables);
        let mut triggers = vec![vec![after]];
        if is_in_patterns {
            triggers.push(vec![updated, before]);
        }
        terms.forall(&variables, &triggers, body, &law)
    }

    /// The value of a map at a location.
    pub(crate) fn map_lookup(&mut self, resource: Resource, map: Term, location: &[Term]) -> Term {
        let symbols = self.maps(resource, location);
        if let Some((function, arguments)) = self.encoder.terms.as_application(map)
            && function == symbols.update
            && arguments[1..arguments.len() - 1] == *location
        {
            return arguments[arguments.len() - 1];
        }
        self.map_read(resource, map, location)
    }

    /// As [`Engine::map_lookup`], even where the map shows its value.
    pub(super) fn map_read(&mut self, resource: Resource, map: Term, location: &[Term]) -> Term {
        let symbols = self.maps(resource, location);
        let mut arguments = vec![map];
        arguments.extend_from_slice(location);
        self.encoder.terms.apply(symbols.lookup, &arguments)
    }

    /// A map that has another value at one location.
    pub(super) fn map_update(
        &mut self,
        resource: Resource,
        map: Term,
        location: &[Term],
        value: Term,
    ) -> Term {
        let symbols = self.maps(resource, location);
        // Writing the same location again forgets the first value.
        let base = match self.encoder.terms.as_application(map) {
            Some((function, arguments))
                if function == symbols.update && arguments[1..arguments.len() - 1] == *location =>
            {
                arguments[0]
            }
            _ => map,
        };
        let mut arguments = vec![base];
        arguments.extend_from_slice(location);
        arguments.push(value);
        self.encoder.terms.apply(symbols.update, &arguments)
    }

    pub(super) fn map_domain(&mut self, resource: Resource, map: Term, location: &[Term]) -> Term {
        let symbols = self.maps(resource, location);
        let mut arguments = vec![map];
        arguments.extend_from_slice(location);
        self.encoder.terms.apply(symbols.domain, &arguments)
    }

    pub(super) fn map_is_canonical(&mut self, resource: Resource, map: Term, location: &[Term]) -> Term {
        let symbols = self.maps(resource, location);
        self.encoder.terms.apply(symbols.canonical, &[map])
    }

    /// What a map has at a location, as a snapshot.
    pub(crate) fn value_snapshot(&mut self, value: Term) -> Term {
        self.encoder.wrap(value)
    }

    /// A snapshot of one location as the value of maps.
    pub(super) fn snapshot_value(&mut self, resource: Resource, snapshot: Term) -> Term {
        let sort = self.value_sort(resource);
        self.encoder.unwrap(snapshot, sort)
    }
}
