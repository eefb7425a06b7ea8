//! Finite sets.
//!
//! A set is known by what it contains; cardinality is tied to the operations by the usual counting laws.

use crate::node::{Sort, Term};
use crate::terms::Terms;

use super::Theories;
use super::axiom::{Axiom, Scope};
use super::symbol::Symbol::{
    SetAdd, SetCardinality, SetContains, SetDiffer, SetDifference, SetEmpty, SetEqual, SetExcess,
    SetIntersection, SetSingleton, SetSome, SetSubset, SetUnion,
};

impl Theories {
    pub fn set_empty(&mut self, terms: &mut Terms, element: Sort) -> Term {
        let sort = self.set_sort(terms, element);
        self.call(terms, sort, SetEmpty, &[])
    }

    pub fn set_singleton(&mut self, terms: &mut Terms, element: Term) -> Term {
        let sort = terms.sort_of(element);
        let sort = self.set_sort(terms, sort);
        self.call(terms, sort, SetSingleton, &[element])
    }

    /// The set with one more element.
    pub fn set_add(&mut self, terms: &mut Terms, set: Term, element: Term) -> Term {
        let sort = terms.sort_of(set);
        if self.is_call(terms, sort, SetEmpty, set) {
            return self.set_singleton(terms, element);
        }
        self.call(terms, sort, SetAdd, &[set, element])
    }

    /// The set of the given elements, whose sort is given for the case that there are none.
    pub fn set_literal(&mut self, terms: &mut Terms, element: Sort, elements: &[Term]) -> Term {
        let mut set = self.set_empty(terms, element);
        for element in elements {
            set = self.set_add(terms, set, *element);
        }
        set
    }

    pub fn set_union(&mut self, terms: &mut Terms, left: Term, right: Term) -> Term {
        let sort = terms.sort_of(left);
        if self.is_call(terms, sort, SetEmpty, left) {
            return right;
        }
        if self.is_call(terms, sort, SetEmpty, right) {
            return left;
        }
        self.call(terms, sort, SetUnion, &[left, right])
    }

    pub fn set_intersection(&mut self, terms: &mut Terms, left: Term, right: Term) -> Term {
        let sort = terms.sort_of(left);
        self.call(terms, sort, SetIntersection, &[left, right])
    }

    pub fn set_difference(&mut self, terms: &mut Terms, left: Term, right: Term) -> Term {
        let sort = terms.sort_of(left);
        if self.is_call(terms, sort, SetEmpty, right) {
            return left;
        }
        self.call(terms, sort, SetDifference, &[left, right])
    }

    pub fn set_subset(&mut self, terms: &mut Terms, left: Term, right: Term) -> Term {
        let sort = terms.sort_of(left);
        self.call(terms, sort, SetSubset, &[left, right])
    }

    pub fn set_contains(&mut self, terms: &mut Terms, set: Term, element: Term) -> Term {
        let sort = terms.sort_of(set);
        self.call(terms, sort, SetContains, &[set, element])
    }

    pub fn set_cardinality(&mut self, terms: &mut Terms, set: Term) -> Term {
        let sort = terms.sort_of(set);
        if self.is_call(terms, sort, SetEmpty, set) {
            return terms.int(0);
        }
        self.call(terms, sort, SetCardinality, &[set])
    }
}

impl Scope<'_> {
    fn member(&self, element: Term, set: Term) -> Term {
        self.call(SetContains, [set, element])
    }

    fn size(&self, set: Term) -> Term {
        self.call(SetCardinality, [set])
    }

    /// The cardinality of the set with the element.
    fn size_with(&self, set: Term, element: Term) -> Term {
        let size = self.size(set);
        self.choose(self.member(element, set), size, self.add(size, self.int(1)))
    }

    /// The cardinality of the set without the element.
    fn size_without(&self, set: Term, element: Term) -> Term {
        let size = self.size(set);
        self.choose(self.member(element, set), self.subtract(size, self.int(1)), size)
    }
}

pub(crate) const AXIOMS: &[Axiom] = &[
    // ---- membership ----
    Axiom {
        law: "empty.contains",
        needs: &[SetEmpty, SetContains],
        build: |x| {
            let e = x.element("e");
            let member = x.member(e, x.call(SetEmpty, []));
            x.forall([e], &[&[member]], x.not(member))
        },
    },
    Axiom {
        law: "singleton.member",
        needs: &[SetSingleton],
        build: |x| {
            let e = x.element("e");
            let single = x.call(SetSingleton, [e]);
            x.forall([e], &[&[single]], x.member(e, single))
        },
    },
    Axiom {
        law: "singleton.contains",
        needs: &[SetSingleton, SetContains],
        build: |x| {
            let (e, f) = (x.element("e"), x.element("f"));
            let member = x.member(f, x.call(SetSingleton, [e]));
            x.forall([e, f], &[&[member]], x.same(member, x.same(e, f)))
        },
    },
    Axiom {
        law: "add.member",
        needs: &[SetAdd],
        build: |x| {
            let (s, e) = (x.own("s"), x.element("e"));
            let larger = x.call(SetAdd, [s, e]);
            x.forall([s, e], &[&[larger]], x.member(e, larger))
        },
    },
    Axiom {
        law: "add.contains",
        needs: &[SetAdd, SetContains],
        build: |x| {
            let (s, e, f) = (x.own("s"), x.element("e"), x.element("f"));
            let member = x.member(f, x.call(SetAdd, [s, e]));
            let either = x.or([x.same(e, f), x.member(f, s)]);
            x.forall([s, e, f], &[&[member]], x.same(member, either))
        },
    },
    Axiom {
        law: "add.kept",
        needs: &[SetAdd, SetContains],
        build: |x| {
            let (s, e, f) = (x.own("s"), x.element("e"), x.element("f"));
            let larger = x.call(SetAdd, [s, e]);
            let kept = x.member(f, s);
            x.forall([s, e, f], &[&[kept, larger]], x.implies(kept, x.member(f, larger)))
        },
    },
    Axiom {
        law: "union.contains",
        needs: &[SetUnion, SetContains],
        build: |x| {
            let (a, b, e) = (x.own("a"), x.own("b"), x.element("e"));
            let member = x.member(e, x.call(SetUnion, [a, b]));
            let either = x.or([x.member(e, a), x.member(e, b)]);
            x.forall([a, b, e], &[&[member]], x.same(member, either))
        },
    },
    Axiom {
        law: "union.left",
        needs: &[SetUnion, SetContains],
        build: |x| {
            let (a, b, e) = (x.own("a"), x.own("b"), x.element("e"));
            let union = x.call(SetUnion, [a, b]);
            let part = x.member(e, a);
            x.forall([a, b, e], &[&[part, union]], x.implies(part, x.member(e, union)))
        },
    },
    Axiom {
        law: "union.right",
        needs: &[SetUnion, SetContains],
        build: |x| {
            let (a, b, e) = (x.own("a"), x.own("b"), x.element("e"));
            let union = x.call(SetUnion, [a, b]);
            let part = x.member(e, b);
            x.forall([a, b, e], &[&[part, union]], x.implies(part, x.member(e, union)))
        },
    },
    Axiom {
        law: "intersection.contains",
        needs: &[SetIntersection, SetContains],
        build: |x| {
            let (a, b, e) = (x.own("a"), x.own("b"), x.element("e"));
            let common = x.call(SetIntersection, [a, b]);
            let member = x.member(e, common);
            let (left, right) = (x.member(e, a), x.member(e, b));
            x.forall(
                [a, b, e],
                &[&[member], &[left, common], &[right, common]],
                x.same(member, x.and([left, right])),
            )
        },
    },
    Axiom {
        law: "difference.contains",
        needs: &[SetDifference, SetContains],
        build: |x| {
            let (a, b, e) = (x.own("a"), x.own("b"), x.element("e"));
            let rest = x.call(SetDifference, [a, b]);
            let member = x.member(e, rest);
            let (left, right) = (x.member(e, a), x.member(e, b));
            x.forall([a, b, e], &[&[member], &[left, rest]], x.same(member, x.and([left, x.not(right)])))
        },
    },
    Axiom {
        law: "difference.removed",
        needs: &[SetDifference, SetContains],
        build: |x| {
            let (a, b, e) = (x.own("a"), x.own("b"), x.element("e"));
            let rest = x.call(SetDifference, [a, b]);
            let removed = x.member(e, b);
            x.forall([a, b, e], &[&[removed, rest]], x.implies(removed, x.not(x.member(e, rest))))
        },
    },
    // ---- laws that terms are built by, for terms that axioms build ----
    Axiom {
        law: "union.empty",
        needs: &[SetUnion, SetEmpty],
        build: |x| {
            let (a, empty) = (x.own("a"), x.call(SetEmpty, []));
            let (left, right) = (x.call(SetUnion, [empty, a]), x.call(SetUnion, [a, empty]));
            x.forall([a], &[&[left], &[right]], x.and([x.same(left, a), x.same(right, a)]))
        },
    },
    Axiom {
        law: "difference.empty",
        needs: &[SetDifference, SetEmpty],
        build: |x| {
            let a = x.own("a");
            let rest = x.call(SetDifference, [a, x.call(SetEmpty, [])]);
            x.forall([a], &[&[rest]], x.same(rest, a))
        },
    },
    // ---- laws that shorten nested operations ----
    Axiom {
        law: "union.absorb",
        needs: &[SetUnion],
        build: |x| {
            let (a, b) = (x.own("a"), x.own("b"));
            let union = x.call(SetUnion, [a, b]);
            let (left, right) = (x.call(SetUnion, [a, union]), x.call(SetUnion, [union, b]));
            let laws = x.and([x.same(left, union), x.same(right, union)]);
            x.forall([a, b], &[&[left], &[right]], laws)
        },
    },
    Axiom {
        law: "intersection.absorb",
        needs: &[SetIntersection],
        build: |x| {
            let (a, b) = (x.own("a"), x.own("b"));
            let common = x.call(SetIntersection, [a, b]);
            let (left, right) = (x.call(SetIntersection, [a, common]), x.call(SetIntersection, [common, b]));
            let laws = x.and([x.same(left, common), x.same(right, common)]);
            x.forall([a, b], &[&[left], &[right]], laws)
        },
    },
    // ---- subset ----
    Axiom {
        law: "subset.contains",
        needs: &[SetSubset, SetContains],
        build: |x| {
            let (a, b, e) = (x.own("a"), x.own("b"), x.element("e"));
            let subset = x.call(SetSubset, [a, b]);
            let (left, right) = (x.member(e, a), x.member(e, b));
            x.forall([a, b, e], &[&[subset, left], &[subset, right]], x.implies(x.and([subset, left]), right))
        },
    },
    Axiom {
        law: "subset.excess",
        needs: &[SetSubset],
        build: |x| {
            let (a, b) = (x.own("a"), x.own("b"));
            let subset = x.call(SetSubset, [a, b]);
            let excess = x.call(SetExcess, [a, b]);
            let beyond = x.and([x.member(excess, a), x.not(x.member(excess, b))]);
            x.forall([a, b], &[&[subset]], x.or([subset, beyond]))
        },
    },
    // ---- equality ----
    Axiom {
        law: "equal",
        needs: &[SetEqual],
        build: |x| {
            let (a, b) = (x.own("a"), x.own("b"));
            let equal = x.call(SetEqual, [a, b]);
            let differ = x.call(SetDiffer, [a, b]);
            let same = x.implies(equal, x.same(a, b));
            let different = x.not(x.same(x.member(differ, a), x.member(differ, b)));
            x.forall([a, b], &[&[equal]], x.and([same, x.or([equal, different])]))
        },
    },
    // ---- cardinality ----
    Axiom {
        law: "cardinality.nonnegative",
        needs: &[SetCardinality],
        build: |x| {
            let s = x.own("s");
            x.forall([s], &[&[x.size(s)]], x.less_equal(x.int(0), x.size(s)))
        },
    },
    Axiom {
        law: "cardinality.zero",
        needs: &[SetCardinality],
        build: |x| {
            let s = x.own("s");
            let empty = x.same(s, x.call(SetEmpty, []));
            let none = x.same(x.size(s), x.int(0));
            let some = x.member(x.call(SetSome, [s]), s);
            x.forall([s], &[&[x.size(s)]], x.and([x.same(none, empty), x.or([none, some])]))
        },
    },
    Axiom {
        law: "singleton.cardinality",
        needs: &[SetCardinality, SetSingleton],
        build: |x| {
            let e = x.element("e");
            let size = x.size(x.call(SetSingleton, [e]));
            x.forall([e], &[&[size]], x.same(size, x.int(1)))
        },
    },
    Axiom {
        law: "add.cardinality",
        needs: &[SetCardinality, SetAdd],
        build: |x| {
            let (s, e) = (x.own("s"), x.element("e"));
            let size = x.size(x.call(SetAdd, [s, e]));
            x.forall([s, e], &[&[size]], x.same(size, x.size_with(s, e)))
        },
    },
    Axiom {
        law: "union.cardinality",
        needs: &[SetCardinality, SetUnion],
        build: |x| {
            let (a, b) = (x.own("a"), x.own("b"));
            let (union, common) = (x.size(x.call(SetUnion, [a, b])), x.size(x.call(SetIntersection, [a, b])));
            x.forall([a, b], &[&[union]], x.same(x.add(union, common), x.add(x.size(a), x.size(b))))
        },
    },
    Axiom {
        law: "intersection.cardinality",
        needs: &[SetCardinality, SetIntersection],
        build: |x| {
            let (a, b) = (x.own("a"), x.own("b"));
            let (union, common) = (x.size(x.call(SetUnion, [a, b])), x.size(x.call(SetIntersection, [a, b])));
            x.forall([a, b], &[&[common]], x.same(x.add(union, common), x.add(x.size(a), x.size(b))))
        },
    },
    Axiom {
        law: "difference.cardinality",
        needs: &[SetCardinality, SetDifference],
        build: |x| {
            let (a, b) = (x.own("a"), x.own("b"));
            let rest = x.size(x.call(SetDifference, [a, b]));
            let other = x.size(x.call(SetDifference, [b, a]));
            let common = x.size(x.call(SetIntersection, [a, b]));
            let left = x.same(x.add(rest, common), x.size(a));
            let right = x.same(x.add(other, common), x.size(b));
            x.forall([a, b], &[&[rest]], x.and([left, right]))
        },
    },
    // ---- cardinality of operations with a few known elements ----
    Axiom {
        law: "union.singleton.cardinality",
        needs: &[SetCardinality, SetUnion, SetSingleton],
        build: |x| {
            let (a, e) = (x.own("a"), x.element("e"));
            let single = x.call(SetSingleton, [e]);
            let (left, right) =
                (x.size(x.call(SetUnion, [single, a])), x.size(x.call(SetUnion, [a, single])));
            let size = x.size_with(a, e);
            x.forall([a, e], &[&[left], &[right]], x.and([x.same(left, size), x.same(right, size)]))
        },
    },
    Axiom {
        law: "union.add.cardinality",
        needs: &[SetCardinality, SetUnion, SetAdd],
        build: |x| {
            let (a, b, e) = (x.own("a"), x.own("b"), x.element("e"));
            let size = x.size(x.call(SetUnion, [a, x.call(SetAdd, [b, e])]));
            let with = x.size_with(x.call(SetUnion, [a, b]), e);
            x.forall([a, b, e], &[&[size]], x.same(size, with))
        },
    },
    Axiom {
        law: "add.union.cardinality",
        needs: &[SetCardinality, SetUnion, SetAdd],
        build: |x| {
            let (a, b, e) = (x.own("a"), x.own("b"), x.element("e"));
            let size = x.size(x.call(SetUnion, [x.call(SetAdd, [a, e]), b]));
            let with = x.size_with(x.call(SetUnion, [a, b]), e);
            x.forall([a, b, e], &[&[size]], x.same(size, with))
        },
    },
    Axiom {
        law: "difference.singleton.cardinality",
        needs: &[SetCardinality, SetDifference, SetSingleton],
        build: |x| {
            let (a, e) = (x.own("a"), x.element("e"));
            let size = x.size(x.call(SetDifference, [a, x.call(SetSingleton, [e])]));
            x.forall([a, e], &[&[size]], x.same(size, x.size_without(a, e)))
        },
    },
    Axiom {
        law: "difference.add.cardinality",
        needs: &[SetCardinality, SetDifference, SetAdd],
        build: |x| {
            let (a, b, e) = (x.own("a"), x.own("b"), x.element("e"));
            let size = x.size(x.call(SetDifference, [a, x.call(SetAdd, [b, e])]));
            let without = x.size_without(x.call(SetDifference, [a, b]), e);
            x.forall([a, b, e], &[&[size]], x.same(size, without))
        },
    },
];
