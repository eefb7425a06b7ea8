//! Finite multisets.
//!
//! A multiset is known by how often it contains each value. Only the counting laws that need no case split relate
//! cardinalities.

use crate::node::{Sort, Term};
use crate::terms::Terms;

use super::Theories;
use super::axiom::{Axiom, Scope};
use super::symbol::Symbol::{
    MultisetAdd, MultisetCardinality, MultisetCount, MultisetDiffer, MultisetDifference, MultisetEmpty,
    MultisetEqual, MultisetExcess, MultisetIntersection, MultisetSingleton, MultisetSome, MultisetSubset,
    MultisetUnion,
};

impl Theories {
    pub fn multiset_empty(&mut self, terms: &mut Terms, element: Sort) -> Term {
        let sort = self.multiset_sort(terms, element);
        self.call(terms, sort, MultisetEmpty, &[])
    }

    pub fn multiset_singleton(&mut self, terms: &mut Terms, element: Term) -> Term {
        let sort = terms.sort_of(element);
        let sort = self.multiset_sort(terms, sort);
        self.call(terms, sort, MultisetSingleton, &[element])
    }

    /// The multiset with one more occurrence of the element.
    pub fn multiset_add(&mut self, terms: &mut Terms, multiset: Term, element: Term) -> Term {
        let sort = terms.sort_of(multiset);
        if self.is_call(terms, sort, MultisetEmpty, multiset) {
            return self.multiset_singleton(terms, element);
        }
        self.call(terms, sort, MultisetAdd, &[multiset, element])
    }

    /// The multiset of the given elements, whose sort is given for the case that there are none.
    pub fn multiset_literal(&mut self, terms: &mut Terms, element: Sort, elements: &[Term]) -> Term {
        let mut multiset = self.multiset_empty(terms, element);
        for element in elements {
            multiset = self.multiset_add(terms, multiset, *element);
        }
        multiset
    }

    /// Occurrences add up.
    pub fn multiset_union(&mut self, terms: &mut Terms, left: Term, right: Term) -> Term {
        let sort = terms.sort_of(left);
        if self.is_call(terms, sort, MultisetEmpty, left) {
            return right;
        }
        if self.is_call(terms, sort, MultisetEmpty, right) {
            return left;
        }
        self.call(terms, sort, MultisetUnion, &[left, right])
    }

    pub fn multiset_intersection(&mut self, terms: &mut Terms, left: Term, right: Term) -> Term {
        let sort = terms.sort_of(left);
        self.call(terms, sort, MultisetIntersection, &[left, right])
    }

    pub fn multiset_difference(&mut self, terms: &mut Terms, left: Term, right: Term) -> Term {
        let sort = terms.sort_of(left);
        if self.is_call(terms, sort, MultisetEmpty, right) {
            return left;
        }
        self.call(terms, sort, MultisetDifference, &[left, right])
    }

    pub fn multiset_subset(&mut self, terms: &mut Terms, left: Term, right: Term) -> Term {
        let sort = terms.sort_of(left);
        self.call(terms, sort, MultisetSubset, &[left, right])
    }

    /// How often the element occurs.
    pub fn multiset_count(&mut self, terms: &mut Terms, multiset: Term, element: Term) -> Term {
        let sort = terms.sort_of(multiset);
        self.call(terms, sort, MultisetCount, &[multiset, element])
    }

    pub fn multiset_cardinality(&mut self, terms: &mut Terms, multiset: Term) -> Term {
        let sort = terms.sort_of(multiset);
        if self.is_call(terms, sort, MultisetEmpty, multiset) {
            return terms.int(0);
        }
        self.call(terms, sort, MultisetCardinality, &[multiset])
    }
}

impl Scope<'_> {
    fn count(&self, multiset: Term, element: Term) -> Term {
        self.call(MultisetCount, [multiset, element])
    }

    fn total(&self, multiset: Term) -> Term {
        self.call(MultisetCardinality, [multiset])
    }
}

pub(crate) const AXIOMS: &[Axiom] = &[
    // ---- a law that terms are built by, for terms that axioms build ----
    Axiom {
        law: "union.empty",
        needs: &[MultisetUnion, MultisetEmpty],
        build: |x| {
            let (a, empty) = (x.own("a"), x.call(MultisetEmpty, []));
            let (left, right) = (x.call(MultisetUnion, [empty, a]), x.call(MultisetUnion, [a, empty]));
            x.forall([a], &[&[left], &[right]], x.and([x.same(left, a), x.same(right, a)]))
        },
    },
    // ---- how often ----
    Axiom {
        law: "count.nonnegative",
        needs: &[MultisetCount],
        build: |x| {
            let (m, e) = (x.own("m"), x.element("e"));
            x.forall([m, e], &[&[x.count(m, e)]], x.less_equal(x.int(0), x.count(m, e)))
        },
    },
    Axiom {
        law: "empty.count",
        needs: &[MultisetEmpty, MultisetCount],
        build: |x| {
            let e = x.element("e");
            let count = x.count(x.call(MultisetEmpty, []), e);
            x.forall([e], &[&[count]], x.same(count, x.int(0)))
        },
    },
    Axiom {
        law: "singleton.member",
        needs: &[MultisetSingleton],
        build: |x| {
            let e = x.element("e");
            let single = x.call(MultisetSingleton, [e]);
            x.forall([e], &[&[single]], x.same(x.count(single, e), x.int(1)))
        },
    },
    Axiom {
        law: "singleton.count",
        needs: &[MultisetSingleton, MultisetCount],
        build: |x| {
            let (e, f) = (x.element("e"), x.element("f"));
            let count = x.count(x.call(MultisetSingleton, [e]), f);
            x.forall([e, f], &[&[count]], x.same(count, x.choose(x.same(e, f), x.int(1), x.int(0))))
        },
    },
    Axiom {
        law: "add.member",
        needs: &[MultisetAdd],
        build: |x| {
            let (m, e) = (x.own("m"), x.element("e"));
            let larger = x.call(MultisetAdd, [m, e]);
            let more = x.same(x.count(larger, e), x.add(x.count(m, e), x.int(1)));
            x.forall([m, e], &[&[larger]], more)
        },
    },
    Axiom {
        law: "add.count",
        needs: &[MultisetAdd, MultisetCount],
        build: |x| {
            let (m, e, f) = (x.own("m"), x.element("e"), x.element("f"));
            let larger = x.call(MultisetAdd, [m, e]);
            let (count, before) = (x.count(larger, f), x.count(m, f));
            let more = x.choose(x.same(e, f), x.add(before, x.int(1)), before);
            x.forall([m, e, f], &[&[count], &[before, larger]], x.same(count, more))
        },
    },
    Axiom {
        law: "union.count",
        needs: &[MultisetUnion, MultisetCount],
        build: |x| {
            let (a, b, e) = (x.own("a"), x.own("b"), x.element("e"));
            let union = x.call(MultisetUnion, [a, b]);
            let (left, right) = (x.count(a, e), x.count(b, e));
            x.forall(
                [a, b, e],
                &[&[x.count(union, e)], &[left, union], &[right, union]],
                x.same(x.count(union, e), x.add(left, right)),
            )
        },
    },
    Axiom {
        law: "intersection.count",
        needs: &[MultisetIntersection, MultisetCount],
        build: |x| {
            let (a, b, e) = (x.own("a"), x.own("b"), x.element("e"));
            let common = x.call(MultisetIntersection, [a, b]);
            let (left, right) = (x.count(a, e), x.count(b, e));
            let smaller = x.choose(x.less_equal(left, right), left, right);
            x.forall(
                [a, b, e],
                &[&[x.count(common, e)], &[left, common], &[right, common]],
                x.same(x.count(common, e), smaller),
            )
        },
    },
    Axiom {
        law: "difference.count",
        needs: &[MultisetDifference, MultisetCount],
        build: |x| {
            let (a, b, e) = (x.own("a"), x.own("b"), x.element("e"));
            let rest = x.call(MultisetDifference, [a, b]);
            let (left, right) = (x.count(a, e), x.count(b, e));
            let clipped = x.choose(x.less_equal(left, right), x.int(0), x.subtract(left, right));
            x.forall(
                [a, b, e],
                &[&[x.count(rest, e)], &[left, rest], &[right, rest]],
                x.same(x.count(rest, e), clipped),
            )
        },
    },
    // ---- laws that shorten nested operations ----
    Axiom {
        law: "intersection.absorb",
        needs: &[MultisetIntersection],
        build: |x| {
            let (a, b) = (x.own("a"), x.own("b"));
            let common = x.call(MultisetIntersection, [a, b]);
            let left = x.call(MultisetIntersection, [a, common]);
            let right = x.call(MultisetIntersection, [common, b]);
            let laws = x.and([x.same(left, common), x.same(right, common)]);
            x.forall([a, b], &[&[left], &[right]], laws)
        },
    },
    // ---- subset ----
    Axiom {
        law: "subset.count",
        needs: &[MultisetSubset, MultisetCount],
        build: |x| {
            let (a, b, e) = (x.own("a"), x.own("b"), x.element("e"));
            let subset = x.call(MultisetSubset, [a, b]);
            let (left, right) = (x.count(a, e), x.count(b, e));
            x.forall(
                [a, b, e],
                &[&[subset, left], &[subset, right]],
                x.implies(subset, x.less_equal(left, right)),
            )
        },
    },
    Axiom {
        law: "subset.excess",
        needs: &[MultisetSubset],
        build: |x| {
            let (a, b) = (x.own("a"), x.own("b"));
            let subset = x.call(MultisetSubset, [a, b]);
            let excess = x.call(MultisetExcess, [a, b]);
            let beyond = x.less(x.count(b, excess), x.count(a, excess));
            x.forall([a, b], &[&[subset]], x.or([subset, beyond]))
        },
    },
    // ---- equality ----
    Axiom {
        law: "equal",
        needs: &[MultisetEqual],
        build: |x| {
            let (a, b) = (x.own("a"), x.own("b"));
            let equal = x.call(MultisetEqual, [a, b]);
            let differ = x.call(MultisetDiffer, [a, b]);
            let same = x.implies(equal, x.same(a, b));
            let different = x.not(x.same(x.count(a, differ), x.count(b, differ)));
            x.forall([a, b], &[&[equal]], x.and([same, x.or([equal, different])]))
        },
    },
    // ---- cardinality ----
    Axiom {
        law: "cardinality.nonnegative",
        needs: &[MultisetCardinality],
        build: |x| {
            let m = x.own("m");
            x.forall([m], &[&[x.total(m)]], x.less_equal(x.int(0), x.total(m)))
        },
    },
    Axiom {
        law: "cardinality.zero",
        needs: &[MultisetCardinality],
        build: |x| {
            let m = x.own("m");
            let empty = x.same(m, x.call(MultisetEmpty, []));
            let none = x.same(x.total(m), x.int(0));
            let some = x.less(x.int(0), x.count(m, x.call(MultisetSome, [m])));
            x.forall([m], &[&[x.total(m)]], x.and([x.same(none, empty), x.or([none, some])]))
        },
    },
    Axiom {
        law: "singleton.cardinality",
        needs: &[MultisetCardinality, MultisetSingleton],
        build: |x| {
            let e = x.element("e");
            let total = x.total(x.call(MultisetSingleton, [e]));
            x.forall([e], &[&[total]], x.same(total, x.int(1)))
        },
    },
    Axiom {
        law: "add.cardinality",
        needs: &[MultisetCardinality, MultisetAdd],
        build: |x| {
            let (m, e) = (x.own("m"), x.element("e"));
            let larger = x.call(MultisetAdd, [m, e]);
            x.forall(
                [m, e],
                &[&[x.total(larger)], &[x.total(m), larger]],
                x.same(x.total(larger), x.add(x.total(m), x.int(1))),
            )
        },
    },
    Axiom {
        law: "union.cardinality",
        needs: &[MultisetCardinality, MultisetUnion],
        build: |x| {
            let (a, b) = (x.own("a"), x.own("b"));
            let union = x.call(MultisetUnion, [a, b]);
            let (left, right) = (x.total(a), x.total(b));
            x.forall(
                [a, b],
                &[&[x.total(union)], &[left, union], &[right, union]],
                x.same(x.total(union), x.add(left, right)),
            )
        },
    },
    Axiom {
        law: "difference.cardinality",
        needs: &[MultisetCardinality, MultisetDifference],
        build: |x| {
            let (a, b) = (x.own("a"), x.own("b"));
            let rest = x.total(x.call(MultisetDifference, [a, b]));
            let other = x.total(x.call(MultisetDifference, [b, a]));
            let common = x.total(x.call(MultisetIntersection, [a, b]));
            let left = x.same(x.add(rest, common), x.total(a));
            let right = x.same(x.add(other, common), x.total(b));
            x.forall([a, b], &[&[rest]], x.and([left, right]))
        },
    },
    Axiom {
        law: "intersection.cardinality",
        needs: &[MultisetCardinality, MultisetIntersection],
        build: |x| {
            let (a, b) = (x.own("a"), x.own("b"));
            let common = x.total(x.call(MultisetIntersection, [a, b]));
            let rest = x.total(x.call(MultisetDifference, [a, b]));
            let other = x.total(x.call(MultisetDifference, [b, a]));
            let left = x.same(x.add(rest, common), x.total(a));
            let right = x.same(x.add(other, common), x.total(b));
            x.forall([a, b], &[&[common]], x.and([left, right]))
        },
    },
];
