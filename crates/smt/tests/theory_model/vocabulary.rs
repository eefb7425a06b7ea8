//! Every function of the theories, used once for each of several element sorts.

use smt::{Sort, Term, Terms, Theories};

/// A table with theories in which everything is in use.
pub(crate) struct Setting {
    pub(crate) terms: Terms,
    pub(crate) theories: Theories,
    /// The sorts of elements and of the values of maps.
    pub(crate) elements: [Sort; 2],
    /// Constants, and an application of every function to them.
    pub(crate) witnesses: Vec<Term>,
    pub(crate) axioms: Vec<Term>,
}

/// Applies every function to the given sequences, sets, multisets and maps.
pub(crate) fn applications(
    terms: &mut Terms,
    theories: &mut Theories,
    collections: [(Term, Term); 4],
    element: Term,
    value: Term,
    integer: Term,
) -> Vec<Term> {
    let (t, x, e, v, i) = (terms, theories, element, value, integer);
    let [(s, other_s), (a, other_a), (m, other_m), (f, other_f)] = collections;
    vec![
        x.seq_singleton(t, e),
        x.seq_append(t, s, other_s),
        x.seq_length(t, s),
        x.seq_index(t, s, i),
        x.seq_update(t, s, i, e),
        x.seq_take(t, s, i),
        x.seq_drop(t, s, i),
        x.seq_contains(t, s, e),
        x.seq_contains_trigger(t, s, e),
        x.seq_range(t, i, i),
        x.equal(t, s, other_s),
        x.set_singleton(t, e),
        x.set_add(t, a, e),
        x.set_union(t, a, other_a),
        x.set_intersection(t, a, other_a),
        x.set_difference(t, a, other_a),
        x.set_subset(t, a, other_a),
        x.set_contains(t, a, e),
        x.set_cardinality(t, a),
        x.equal(t, a, other_a),
        x.multiset_singleton(t, e),
        x.multiset_add(t, m, e),
        x.multiset_union(t, m, other_m),
        x.multiset_intersection(t, m, other_m),
        x.multiset_difference(t, m, other_m),
        x.multiset_subset(t, m, other_m),
        x.multiset_count(t, m, e),
        x.multiset_cardinality(t, m),
        x.equal(t, m, other_m),
        x.map_update(t, f, e, v),
        x.map_lookup(t, f, e),
        x.map_contains(t, f, e),
        x.map_domain(t, f),
        x.map_range(t, f),
        x.map_cardinality(t, f),
        x.equal(t, f, other_f),
    ]
}

/// The sorts of sequences, sets, multisets and maps.
pub(crate) fn collection_sorts(
    terms: &mut Terms,
    theories: &mut Theories,
    element: Sort,
    value: Sort,
) -> [Sort; 4] {
    [
        theories.seq_sort(terms, element),
        theories.set_sort(terms, element),
        theories.multiset_sort(terms, element),
        theories.map_sort(terms, element, value),
    ]
}

fn setting(choose: fn(&mut Terms, &mut Theories) -> (Sort, Sort)) -> Setting {
    let (mut terms, mut theories) = (Terms::new(), Theories::new());
    let (element, value) = choose(&mut terms, &mut theories);
    let int = terms.int_sort();
    let (e, v, i) = (terms.constant("e", element), terms.constant("v", value), terms.constant("i", int));
    let mut number = 0;
    let collections = collection_sorts(&mut terms, &mut theories, element, value).map(|sort| {
        number += 1;
        (terms.constant(&format!("left{number}"), sort), terms.constant(&format!("right{number}"), sort))
    });
    let mut witnesses = vec![
        e,
        v,
        i,
        theories.seq_empty(&mut terms, element),
        theories.set_empty(&mut terms, element),
        theories.multiset_empty(&mut terms, element),
        theories.map_empty(&mut terms, element, value),
    ];
    witnesses.extend(applications(&mut terms, &mut theories, collections, e, v, i));
    let axioms = theories.take_axioms(&mut terms);
    Setting { terms, theories, elements: [element, value], witnesses, axioms }
}

/// Plain elements, integers, truth values and nested collections.
pub(crate) fn settings() -> Vec<Setting> {
    vec![
        setting(|terms, _| (terms.uninterpreted_sort("E"), terms.uninterpreted_sort("F"))),
        setting(|terms, _| (terms.int_sort(), terms.bool_sort())),
        setting(|terms, _| (terms.bool_sort(), terms.int_sort())),
        setting(|terms, theories| {
            let int = terms.int_sort();
            (theories.seq_sort(terms, int), theories.map_sort(terms, int, int))
        }),
        setting(|terms, theories| {
            let atom = terms.uninterpreted_sort("E");
            (theories.set_sort(terms, atom), theories.multiset_sort(terms, atom))
        }),
    ]
}
