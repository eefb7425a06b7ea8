//! Finite maps.
//!
//! A map is its domain, which is a set, and the value of each key in it.

use crate::node::{Sort, Term};
use crate::terms::Terms;

use super::Theories;
use super::axiom::{Axiom, Scope};
use super::symbol::Symbol::{
    MapCardinality, MapDiffer, MapDomain, MapEmpty, MapEqual, MapKey, MapLookup, MapRange, MapUpdate, SetAdd,
    SetCardinality, SetContains, SetEmpty,
};

impl Theories {
    pub fn map_empty(&mut self, terms: &mut Terms, key: Sort, value: Sort) -> Term {
        let sort = self.map_sort(terms, key, value);
        self.call(terms, sort, MapEmpty, &[])
    }

    /// The map of the given keys to the given values, the later ones winning.
    pub fn map_literal(&mut self, terms: &mut Terms, key: Sort, value: Sort, pairs: &[(Term, Term)]) -> Term {
        let mut map = self.map_empty(terms, key, value);
        for (key, value) in pairs {
            map = self.map_update(terms, map, *key, *value);
        }
        map
    }

    pub fn map_update(&mut self, terms: &mut Terms, map: Term, key: Term, value: Term) -> Term {
        let sort = terms.sort_of(map);
        self.call(terms, sort, MapUpdate, &[map, key, value])
    }

    pub fn map_lookup(&mut self, terms: &mut Terms, map: Term, key: Term) -> Term {
        let sort = terms.sort_of(map);
        self.call(terms, sort, MapLookup, &[map, key])
    }

    /// Whether the key is in the domain.
    pub fn map_contains(&mut self, terms: &mut Terms, map: Term, key: Term) -> Term {
        let domain = self.map_domain(terms, map);
        self.set_contains(terms, domain, key)
    }

    pub fn map_domain(&mut self, terms: &mut Terms, map: Term) -> Term {
        let sort = terms.sort_of(map);
        self.call(terms, sort, MapDomain, &[map])
    }

    pub fn map_range(&mut self, terms: &mut Terms, map: Term) -> Term {
        let sort = terms.sort_of(map);
        self.call(terms, sort, MapRange, &[map])
    }

    pub fn map_cardinality(&mut self, terms: &mut Terms, map: Term) -> Term {
        let sort = terms.sort_of(map);
        if self.is_call(terms, sort, MapEmpty, map) {
            return terms.int(0);
        }
        self.call(terms, sort, MapCardinality, &[map])
    }
}

impl Scope<'_> {
    fn domain(&self, map: Term) -> Term {
        self.call(MapDomain, [map])
    }

    fn lookup(&self, map: Term, key: Term) -> Term {
        self.call(MapLookup, [map, key])
    }

    fn has_key(&self, map: Term, key: Term) -> Term {
        self.call_of(self.collection.key_set, SetContains, [self.domain(map), key])
    }

    fn has_value(&self, map: Term, value: Term) -> Term {
        let range = self.call(MapRange, [map]);
        self.call_of(self.collection.value_set, SetContains, [range, value])
    }

    fn entries(&self, map: Term) -> Term {
        self.call(MapCardinality, [map])
    }
}

pub(crate) const AXIOMS: &[Axiom] = &[
    // ---- empty ----
    Axiom {
        law: "empty.domain",
        needs: &[MapEmpty],
        build: |x| {
            let empty = x.call_of(x.collection.key_set, SetEmpty, []);
            x.same(x.domain(x.call(MapEmpty, [])), empty)
        },
    },
    Axiom {
        law: "empty.range",
        needs: &[MapEmpty, MapRange],
        build: |x| {
            let empty = x.call_of(x.collection.value_set, SetEmpty, []);
            x.same(x.call(MapRange, [x.call(MapEmpty, [])]), empty)
        },
    },
    // ---- update ----
    Axiom {
        law: "update.entry",
        needs: &[MapUpdate],
        build: |x| {
            let (m, k, v) = (x.own("m"), x.element("k"), x.value("v"));
            let updated = x.call(MapUpdate, [m, k, v]);
            let entry = x.and([x.has_key(updated, k), x.same(x.lookup(updated, k), v)]);
            x.forall([m, k, v], &[&[updated]], entry)
        },
    },
    Axiom {
        law: "update.domain",
        needs: &[MapUpdate, MapDomain],
        build: |x| {
            let (m, k, v, l) = (x.own("m"), x.element("k"), x.value("v"), x.element("l"));
            let updated = x.call(MapUpdate, [m, k, v]);
            let has = x.has_key(updated, l);
            x.forall(
                [m, k, v, l],
                &[&[has], &[x.has_key(m, l), updated]],
                x.same(has, x.or([x.same(k, l), x.has_key(m, l)])),
            )
        },
    },
    Axiom {
        law: "update.lookup",
        needs: &[MapUpdate, MapLookup],
        build: |x| {
            let (m, k, v, l) = (x.own("m"), x.element("k"), x.value("v"), x.element("l"));
            let updated = x.call(MapUpdate, [m, k, v]);
            let at = x.lookup(updated, l);
            let there = x.implies(x.same(k, l), x.same(at, v));
            let elsewhere =
                x.implies(x.and([x.not(x.same(k, l)), x.has_key(m, l)]), x.same(at, x.lookup(m, l)));
            x.forall([m, k, v, l], &[&[at], &[x.lookup(m, l), updated]], x.and([there, elsewhere]))
        },
    },
    // ---- range ----
    Axiom {
        law: "range.key",
        needs: &[MapRange],
        build: |x| {
            let (m, v) = (x.own("m"), x.value("v"));
            let key = x.call(MapKey, [m, v]);
            let leads = x.and([x.has_key(m, key), x.same(x.lookup(m, key), v)]);
            x.forall([m, v], &[&[x.has_value(m, v)]], x.implies(x.has_value(m, v), leads))
        },
    },
    Axiom {
        law: "range.lookup",
        needs: &[MapRange, MapLookup],
        build: |x| {
            let (m, k) = (x.own("m"), x.element("k"));
            let at = x.lookup(m, k);
            let range = x.call(MapRange, [m]);
            x.forall([m, k], &[&[at, range]], x.implies(x.has_key(m, k), x.has_value(m, at)))
        },
    },
    // From a key alone follows no member of the range: where two maps have one domain, keys of one would give values
    // of the other, these give keys again, and so on.
    Axiom {
        law: "range.empty",
        needs: &[MapRange, MapDomain],
        build: |x| {
            let (m, k) = (x.own("m"), x.element("k"));
            let range = x.call(MapRange, [m]);
            let empty = x.call_of(x.collection.value_set, SetEmpty, []);
            let some = x.not(x.same(range, empty));
            x.forall([m, k], &[&[x.has_key(m, k)]], x.implies(x.has_key(m, k), some))
        },
    },
    // ---- equality ----
    Axiom {
        law: "equal",
        needs: &[MapEqual],
        build: |x| {
            let (a, b) = (x.own("a"), x.own("b"));
            let equal = x.call(MapEqual, [a, b]);
            let key = x.call(MapDiffer, [a, b]);
            let (left, right) = (x.has_key(a, key), x.has_key(b, key));
            let lookup = x.not(x.equal(x.lookup(a, key), x.lookup(b, key)));
            let different = x.or([x.not(x.same(left, right)), x.and([left, lookup])]);
            let same = x.implies(equal, x.same(a, b));
            x.forall([a, b], &[&[equal]], x.and([same, x.or([equal, different])]))
        },
    },
    // ---- cardinality ----
    Axiom {
        law: "cardinality.domain",
        needs: &[MapCardinality],
        build: |x| {
            let m = x.own("m");
            let keys = x.call_of(x.collection.key_set, SetCardinality, [x.domain(m)]);
            x.forall([m], &[&[x.entries(m)]], x.same(x.entries(m), keys))
        },
    },
    Axiom {
        law: "domain.cardinality",
        needs: &[MapDomain, SetCardinality],
        build: |x| {
            let m = x.own("m");
            let keys = x.call_of(x.collection.key_set, SetCardinality, [x.domain(m)]);
            x.forall([m], &[&[keys]], x.same(x.entries(m), keys))
        },
    },
    Axiom {
        law: "range.cardinality",
        needs: &[MapRange, MapUpdate],
        build: |x| {
            let (m, k, v) = (x.own("m"), x.element("k"), x.value("v"));
            let (set, updated) = (x.collection.value_set, x.call(MapUpdate, [m, k, v]));
            let size = x.call_of(set, SetCardinality, [x.call(MapRange, [updated])]);
            let larger = x.call_of(set, SetAdd, [x.call(MapRange, [m]), v]);
            let new = x.same(size, x.call_of(set, SetCardinality, [larger]));
            x.forall([m, k, v], &[&[size]], x.or([x.has_key(m, k), new]))
        },
    },
    Axiom {
        law: "cardinality.zero",
        needs: &[MapCardinality],
        build: |x| {
            let m = x.own("m");
            let empty = x.same(m, x.call(MapEmpty, []));
            x.forall([m], &[&[x.entries(m)]], x.same(x.same(x.entries(m), x.int(0)), empty))
        },
    },
    Axiom {
        law: "update.cardinality",
        needs: &[MapUpdate, MapCardinality],
        build: |x| {
            let (m, k, v) = (x.own("m"), x.element("k"), x.value("v"));
            let updated = x.call(MapUpdate, [m, k, v]);
            let (after, before) = (x.entries(updated), x.entries(m));
            let known = x.implies(x.has_key(m, k), x.same(after, before));
            let new = x.or([x.has_key(m, k), x.same(after, x.add(before, x.int(1)))]);
            x.forall([m, k, v], &[&[after], &[before, updated]], x.and([known, new]))
        },
    },
];
