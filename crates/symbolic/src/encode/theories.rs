//! Stands in for the axiomatised theories until the solver crate has them: symbols without axioms.

use rustc_hash::FxHashMap;
use smt::{Sort, SortKind, Term, Terms};

#[derive(Clone, Default)]
pub(crate) struct Theories {
    parts: FxHashMap<Sort, Vec<Sort>>,
}

impl Theories {
    fn collection(&mut self, t: &mut Terms, name: &str, parts: &[Sort]) -> Sort {
        let names: Vec<String> = parts.iter().map(|part| super::names::sort_name(t, *part)).collect();
        let sort = t.uninterpreted_sort(&format!("{name}<{}>", names.join(",")));
        self.parts.insert(sort, parts.to_vec());
        sort
    }
    fn apply(&mut self, t: &mut Terms, name: &str, arguments: &[Term], result: Sort) -> Term {
        let sorts: Vec<Sort> = arguments.iter().map(|a| t.sort_of(*a)).collect();
        let mut owner = result;
        for sort in sorts.iter().rev() {
            if matches!(t.sort_kind(*sort), SortKind::Uninterpreted(_)) && self.parts.contains_key(sort) {
                owner = *sort;
            }
        }
        let name = format!("{name}${}", super::names::sort_name(t, owner));
        let function = t.function(&name, &sorts, result);
        t.apply(function, arguments)
    }
    pub(crate) fn equal(&mut self, t: &mut Terms, a: Term, b: Term) -> Term {
        t.equal(a, b)
    }
    pub(crate) fn take_axioms(&mut self, _: &mut Terms) -> Vec<Term> {
        Vec::new()
    }
    pub(crate) fn seq_sort(&mut self, t: &mut Terms, e: Sort) -> Sort {
        self.collection(t, "Seq", &[e])
    }
    pub(crate) fn seq_empty(&mut self, t: &mut Terms, e: Sort) -> Term {
        let s = self.seq_sort(t, e);
        self.apply(t, "seq_empty", &[], s)
    }
    pub(crate) fn seq_singleton(&mut self, t: &mut Terms, e: Term) -> Term {
        let s = t.sort_of(e);
        let s = self.seq_sort(t, s);
        self.apply(t, "seq_singleton", &[e], s)
    }
    pub(crate) fn set_sort(&mut self, t: &mut Terms, e: Sort) -> Sort {
        self.collection(t, "Set", &[e])
    }
    pub(crate) fn set_empty(&mut self, t: &mut Terms, e: Sort) -> Term {
        let s = self.set_sort(t, e);
        self.apply(t, "set_empty", &[], s)
    }
    pub(crate) fn set_singleton(&mut self, t: &mut Terms, e: Term) -> Term {
        let s = t.sort_of(e);
        let s = self.set_sort(t, s);
        self.apply(t, "set_singleton", &[e], s)
    }
    pub(crate) fn multiset_sort(&mut self, t: &mut Terms, e: Sort) -> Sort {
        self.collection(t, "Multiset", &[e])
    }
    pub(crate) fn multiset_empty(&mut self, t: &mut Terms, e: Sort) -> Term {
        let s = self.multiset_sort(t, e);
        self.apply(t, "multiset_empty", &[], s)
    }
    pub(crate) fn multiset_singleton(&mut self, t: &mut Terms, e: Term) -> Term {
        let s = t.sort_of(e);
        let s = self.multiset_sort(t, s);
        self.apply(t, "multiset_singleton", &[e], s)
    }
    pub(crate) fn map_sort(&mut self, t: &mut Terms, k: Sort, v: Sort) -> Sort {
        self.collection(t, "Map", &[k, v])
    }
    pub(crate) fn map_empty(&mut self, t: &mut Terms, k: Sort, v: Sort) -> Term {
        let s = self.map_sort(t, k, v);
        self.apply(t, "map_empty", &[], s)
    }
    pub(crate) fn seq_range(&mut self, t: &mut Terms, a: Term, b: Term) -> Term {
        let s = t.int_sort();
        let s = self.seq_sort(t, s);
        self.apply(t, "seq_range", &[a, b], s)
    }
    pub(crate) fn seq_append(&mut self, t: &mut Terms, a: Term, b: Term) -> Term {
        let s = t.sort_of(a);
        self.apply(t, "seq_append", &[a, b], s)
    }
    pub(crate) fn seq_take(&mut self, t: &mut Terms, a: Term, b: Term) -> Term {
        let s = t.sort_of(a);
        self.apply(t, "seq_take", &[a, b], s)
    }
    pub(crate) fn seq_drop(&mut self, t: &mut Terms, a: Term, b: Term) -> Term {
        let s = t.sort_of(a);
        self.apply(t, "seq_drop", &[a, b], s)
    }
    pub(crate) fn set_union(&mut self, t: &mut Terms, a: Term, b: Term) -> Term {
        let s = t.sort_of(a);
        self.apply(t, "set_union", &[a, b], s)
    }
    pub(crate) fn set_intersection(&mut self, t: &mut Terms, a: Term, b: Term) -> Term {
        let s = t.sort_of(a);
        self.apply(t, "set_intersection", &[a, b], s)
    }
    pub(crate) fn set_difference(&mut self, t: &mut Terms, a: Term, b: Term) -> Term {
        let s = t.sort_of(a);
        self.apply(t, "set_difference", &[a, b], s)
    }
    pub(crate) fn multiset_union(&mut self, t: &mut Terms, a: Term, b: Term) -> Term {
        let s = t.sort_of(a);
        self.apply(t, "multiset_union", &[a, b], s)
    }
    pub(crate) fn multiset_intersection(&mut self, t: &mut Terms, a: Term, b: Term) -> Term {
        let s = t.sort_of(a);
        self.apply(t, "multiset_intersection", &[a, b], s)
    }
    pub(crate) fn multiset_difference(&mut self, t: &mut Terms, a: Term, b: Term) -> Term {
        let s = t.sort_of(a);
        self.apply(t, "multiset_difference", &[a, b], s)
    }
    pub(crate) fn set_subset(&mut self, t: &mut Terms, a: Term, b: Term) -> Term {
        let s = t.bool_sort();
        self.apply(t, "set_subset", &[a, b], s)
    }
    pub(crate) fn multiset_subset(&mut self, t: &mut Terms, a: Term, b: Term) -> Term {
        let s = t.bool_sort();
        self.apply(t, "multiset_subset", &[a, b], s)
    }
    pub(crate) fn seq_contains(&mut self, t: &mut Terms, a: Term, b: Term) -> Term {
        let s = t.bool_sort();
        self.apply(t, "seq_contains", &[a, b], s)
    }
    pub(crate) fn set_contains(&mut self, t: &mut Terms, a: Term, b: Term) -> Term {
        let s = t.bool_sort();
        self.apply(t, "set_contains", &[a, b], s)
    }
    pub(crate) fn map_contains(&mut self, t: &mut Terms, a: Term, b: Term) -> Term {
        let s = t.bool_sort();
        self.apply(t, "map_contains", &[a, b], s)
    }
    pub(crate) fn multiset_count(&mut self, t: &mut Terms, a: Term, b: Term) -> Term {
        let s = t.int_sort();
        self.apply(t, "multiset_count", &[a, b], s)
    }
    pub(crate) fn seq_index(&mut self, t: &mut Terms, a: Term, b: Term) -> Term {
        let s = self.parts[&t.sort_of(a)][0];
        self.apply(t, "seq_index", &[a, b], s)
    }
    pub(crate) fn map_lookup(&mut self, t: &mut Terms, a: Term, b: Term) -> Term {
        let s = self.parts[&t.sort_of(a)][1];
        self.apply(t, "map_lookup", &[a, b], s)
    }
    pub(crate) fn seq_update(&mut self, t: &mut Terms, a: Term, b: Term, c: Term) -> Term {
        let s = t.sort_of(a);
        self.apply(t, "seq_update", &[a, b, c], s)
    }
    pub(crate) fn map_update(&mut self, t: &mut Terms, a: Term, b: Term, c: Term) -> Term {
        let s = t.sort_of(a);
        self.apply(t, "map_update", &[a, b, c], s)
    }
    pub(crate) fn seq_length(&mut self, t: &mut Terms, a: Term) -> Term {
        let s = t.int_sort();
        self.apply(t, "seq_length", &[a], s)
    }
    pub(crate) fn set_cardinality(&mut self, t: &mut Terms, a: Term) -> Term {
        let s = t.int_sort();
        self.apply(t, "set_cardinality", &[a], s)
    }
    pub(crate) fn multiset_cardinality(&mut self, t: &mut Terms, a: Term) -> Term {
        let s = t.int_sort();
        self.apply(t, "multiset_cardinality", &[a], s)
    }
    pub(crate) fn map_cardinality(&mut self, t: &mut Terms, a: Term) -> Term {
        let s = t.int_sort();
        self.apply(t, "map_cardinality", &[a], s)
    }
    pub(crate) fn map_domain(&mut self, t: &mut Terms, a: Term) -> Term {
        let s = self.parts[&t.sort_of(a)][0];
        let s = self.set_sort(t, s);
        self.apply(t, "map_domain", &[a], s)
    }
    pub(crate) fn map_range(&mut self, t: &mut Terms, a: Term) -> Term {
        let s = self.parts[&t.sort_of(a)][1];
        let s = self.set_sort(t, s);
        self.apply(t, "map_range", &[a], s)
    }
}
