//! Snapshots: the values of the heap that an assertion describes, as trees of one sort.
//!
//! Pairing is onto: every snapshot is the pair of its halves, as for a bijection between a set and its square. Values
//! of other sorts are wrapped; unwrapping undoes wrapping, but not the other way round, because no sort has as many
//! elements as all of them together. Both facts are rewrites here and axioms for the solver.

use rustc_hash::FxHashMap;
use smt::{Function, Sort, Term, Terms};
use verdict::QuantifierRole;

use super::meaning::Meanings;
use super::{Encoder, names};

#[derive(Clone)]
pub(super) struct Snapshots {
    sort: Sort,
    combine: Function,
    first: Function,
    second: Function,
    /// Sorts whose values have been wrapped or unwrapped, in order of first use.
    wrapped: Vec<Wrapper>,
    /// How many wrappers have had their axiom handed out; `None` before the axioms of pairing were.
    wrappers_done: Option<usize>,
}

#[derive(Clone, Copy)]
struct Wrapper {
    sort: Sort,
    wrap: Function,
    unwrap: Function,
}

impl Snapshots {
    pub(super) fn new(terms: &mut Terms) -> Snapshots {
        let sort = terms.uninterpreted_sort(names::SNAPSHOT_SORT);
        Snapshots {
            sort,
            combine: terms.function(names::SNAPSHOT_COMBINE, &[sort, sort], sort),
            first: terms.function(names::SNAPSHOT_FIRST, &[sort], sort),
            second: terms.function(names::SNAPSHOT_SECOND, &[sort], sort),
            wrapped: Vec::new(),
            wrappers_done: None,
        }
    }

    fn wrapper(&mut self, terms: &mut Terms, sort: Sort) -> Wrapper {
        if let Some(wrapper) = self.wrapped.iter().find(|wrapper| wrapper.sort == sort) {
            return *wrapper;
        }
        let (wrap, unwrap) = (names::wrapper(terms, sort), names::unwrapper(terms, sort));
        let wrapper = Wrapper {
            sort,
            wrap: terms.function(&wrap, &[sort], self.sort),
            unwrap: terms.function(&unwrap, &[self.sort], sort),
        };
        self.wrapped.push(wrapper);
        wrapper
    }

    pub(super) fn take_axioms(&mut self, terms: &mut Terms, meanings: &mut Meanings, axioms: &mut Vec<Term>) {
        let done = match self.wrappers_done {
            Some(done) => done,
            None => {
                axioms.extend(self.pairing_axioms(terms));
                0
            }
        };
        for wrapper in &self.wrapped[done..] {
            axioms.push(wrapper.axiom(terms, meanings));
        }
        self.wrappers_done = Some(self.wrapped.len());
    }

    fn pairing_axioms(&self, terms: &mut Terms) -> [Term; 2] {
        let left_variable = terms.fresh_bound("left", self.sort);
        let right_variable = terms.fresh_bound("right", self.sort);
        let (left, right) = (terms.bound(left_variable), terms.bound(right_variable));
        let pair = terms.apply(self.combine, &[left, right]);
        let (first, second) = (terms.apply(self.first, &[pair]), terms.apply(self.second, &[pair]));
        let is_left = terms.equal(first, left);
        let is_right = terms.equal(second, right);
        let body = terms.and(is_left, is_right);
        let halves =
            terms.forall(&[left_variable, right_variable], &[vec![pair]], body, names::HALVES_OF_PAIR);

        let variable = terms.fresh_bound("whole", self.sort);
        let whole = terms.bound(variable);
        let (first, second) = (terms.apply(self.first, &[whole]), terms.apply(self.second, &[whole]));
        let pair = terms.apply(self.combine, &[first, second]);
        let body = terms.equal(pair, whole);
        let pairs = terms.forall(&[variable], &[vec![first], vec![second]], body, names::PAIR_OF_HALVES);
        [halves, pairs]
    }
}

impl Wrapper {
    fn axiom(&self, terms: &mut Terms, meanings: &mut Meanings) -> Term {
        let variable = terms.fresh_bound("value", self.sort);
        let value = terms.bound(variable);
        let wrapped = terms.apply(self.wrap, &[value]);
        let unwrapped = terms.apply(self.unwrap, &[wrapped]);
        let body = terms.equal(unwrapped, value);
        let name = format!("{}.unwrap_wrap", terms.function_name(self.wrap));
        meanings.add_quantifier(&name, QuantifierRole::Locations(name.clone()), None);
        terms.forall(&[variable], &[vec![wrapped]], body, &name)
    }
}

impl Encoder<'_> {
    pub(crate) fn snap_sort(&self) -> Sort {
        self.snapshots.sort
    }

    /// The snapshot of an assertion that speaks of no location.
    pub(crate) fn unit(&mut self) -> Term {
        self.terms.constant(names::SNAPSHOT_UNIT, self.snapshots.sort)
    }

    pub(crate) fn combine(&mut self, left: Term, right: Term) -> Term {
        let Snapshots { first, second, combine, .. } = self.snapshots;
        if let (Some((of_left, [whole])), Some((of_right, [other]))) =
            (self.terms.as_application(left), self.terms.as_application(right))
            && (of_left, of_right) == (first, second)
            && whole == other
        {
            return *whole;
        }
        self.terms.apply(combine, &[left, right])
    }

    pub(crate) fn first(&mut self, snapshot: Term) -> Term {
        match self.terms.as_application(snapshot) {
            Some((function, [left, _])) if function == self.snapshots.combine => *left,
            _ => self.terms.apply(self.snapshots.first, &[snapshot]),
        }
    }

    pub(crate) fn second(&mut self, snapshot: Term) -> Term {
        match self.terms.as_application(snapshot) {
            Some((function, [_, right])) if function == self.snapshots.combine => *right,
            _ => self.terms.apply(self.snapshots.second, &[snapshot]),
        }
    }

    /// Replaces terms by terms, and reads what is then known of the structure of snapshots.
    pub(crate) fn instantiate(&mut self, root: Term, replacements: &[(Term, Term)]) -> Term {
        let mut images: FxHashMap<Term, Term> = replacements.iter().copied().collect();
        for term in self.terms.reachable(&[root]) {
            if images.contains_key(&term) {
                continue;
            }
            let Some((function, [operand])) = self.terms.as_application(term) else { continue };
            let Some(image) = images.get(operand).copied() else { continue };
            let selected = if function == self.snapshots.first {
                self.first(image)
            } else if function == self.snapshots.second {
                self.second(image)
            } else if self.snapshots.wrapped.iter().any(|wrapper| wrapper.unwrap == function) {
                let sort = self.terms.sort_of(term);
                self.unwrap(image, sort)
            } else {
                continue;
            };
            images.insert(term, selected);
        }
        self.terms.substitute(root, &images)
    }

    /// A value as a snapshot; a snapshot is its own.
    pub(crate) fn wrap(&mut self, value: Term) -> Term {
        let sort = self.terms.sort_of(value);
        if sort == self.snapshots.sort {
            return value;
        }
        let wrapper = self.snapshots.wrapper(&mut self.terms, sort);
        self.terms.apply(wrapper.wrap, &[value])
    }

    /// The value of the given sort that a snapshot wraps.
    pub(crate) fn unwrap(&mut self, snapshot: Term, sort: Sort) -> Term {
        if sort == self.snapshots.sort {
            return snapshot;
        }
        let wrapper = self.snapshots.wrapper(&mut self.terms, sort);
        match self.terms.as_application(snapshot) {
            Some((function, [value])) if function == wrapper.wrap => *value,
            _ => self.terms.apply(wrapper.unwrap, &[snapshot]),
        }
    }
}
