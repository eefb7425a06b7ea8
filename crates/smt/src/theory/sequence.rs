//! Finite sequences.
//!
//! A sequence is its length and what it holds at each index. Every operation is characterised by both, with triggers
//! in two directions: from an index into the result to the index into the operand, and back where the operand's
//! element is what a proof speaks about. Operations on operations (dropping from an append and the like) have rules
//! of their own, because a solver would find these equations only by asking for them.

use crate::node::{Sort, Term};
use crate::terms::Terms;

use super::Theories;
use super::axiom::{Axiom, Scope};
use super::symbol::Symbol::{
    IndexMinus, IndexPlus, SeqAppend, SeqContains, SeqContainsTrigger, SeqDiffer, SeqDrop, SeqEmpty,
    SeqEqual, SeqIndex, SeqLength, SeqPosition, SeqRange, SeqSingleton, SeqTake, SeqUpdate,
};

impl Theories {
    pub fn seq_empty(&mut self, terms: &mut Terms, element: Sort) -> Term {
        let sort = self.seq_sort(terms, element);
        self.call(terms, sort, SeqEmpty, &[])
    }

    pub fn seq_singleton(&mut self, terms: &mut Terms, element: Term) -> Term {
        let sort = terms.sort_of(element);
        let sort = self.seq_sort(terms, sort);
        self.call(terms, sort, SeqSingleton, &[element])
    }

    /// The sequence of the given elements, whose sort is given for the case that there are none.
    pub fn seq_literal(&mut self, terms: &mut Terms, element: Sort, elements: &[Term]) -> Term {
        let mut sequence = self.seq_empty(terms, element);
        for element in elements {
            let last = self.seq_singleton(terms, *element);
            sequence = self.seq_append(terms, sequence, last);
        }
        sequence
    }

    pub fn seq_append(&mut self, terms: &mut Terms, left: Term, right: Term) -> Term {
        let sort = terms.sort_of(left);
        if self.is_call(terms, sort, SeqEmpty, left) {
            return right;
        }
        if self.is_call(terms, sort, SeqEmpty, right) {
            return left;
        }
        self.call(terms, sort, SeqAppend, &[left, right])
    }

    pub fn seq_length(&mut self, terms: &mut Terms, sequence: Term) -> Term {
        let sort = terms.sort_of(sequence);
        if self.is_call(terms, sort, SeqEmpty, sequence) {
            return terms.int(0);
        }
        if self.is_call(terms, sort, SeqSingleton, sequence) {
            return terms.int(1);
        }
        self.call(terms, sort, SeqLength, &[sequence])
    }

    pub fn seq_index(&mut self, terms: &mut Terms, sequence: Term, index: Term) -> Term {
        let sort = terms.sort_of(sequence);
        self.call(terms, sort, SeqIndex, &[sequence, index])
    }

    pub fn seq_update(&mut self, terms: &mut Terms, sequence: Term, index: Term, element: Term) -> Term {
        let sort = terms.sort_of(sequence);
        self.call(terms, sort, SeqUpdate, &[sequence, index, element])
    }

    /// The first `count` elements: all if there are fewer, none if the count is negative.
    pub fn seq_take(&mut self, terms: &mut Terms, sequence: Term, count: Term) -> Term {
        let sort = terms.sort_of(sequence);
        if terms.as_int(count).is_some_and(|count| count.sign() != num_bigint::Sign::Plus) {
            return self.call(terms, sort, SeqEmpty, &[]);
        }
        let whole = self.arguments_of(terms, sort, SeqLength, count).is_some_and(|of| of[0] == sequence);
        if whole || self.is_call(terms, sort, SeqEmpty, sequence) {
            return sequence;
        }
        self.call(terms, sort, SeqTake, &[sequence, count])
    }

    /// All but the first `count` elements: none if there are fewer, all if the count is negative.
    pub fn seq_drop(&mut self, terms: &mut Terms, sequence: Term, count: Term) -> Term {
        let sort = terms.sort_of(sequence);
        if terms.as_int(count).is_some_and(|count| count.sign() != num_bigint::Sign::Plus)
            || self.is_call(terms, sort, SeqEmpty, sequence)
        {
            return sequence;
        }
        if self.arguments_of(terms, sort, SeqLength, count).is_some_and(|of| of[0] == sequence) {
            return self.call(terms, sort, SeqEmpty, &[]);
        }
        self.call(terms, sort, SeqDrop, &[sequence, count])
    }

    pub fn seq_contains(&mut self, terms: &mut Terms, sequence: Term, element: Term) -> Term {
        let sort = terms.sort_of(sequence);
        if self.is_call(terms, sort, SeqEmpty, sequence) {
            return terms.false_();
        }
        self.call(terms, sort, SeqContains, &[sequence, element])
    }

    /// What a trigger has in the place of [`Theories::seq_contains`]: it also matches elements that are read by index.
    pub fn seq_contains_trigger(&mut self, terms: &mut Terms, sequence: Term, element: Term) -> Term {
        let sort = terms.sort_of(sequence);
        self.call(terms, sort, SeqContainsTrigger, &[sequence, element])
    }

    /// The integers from `low` up to but without `high`.
    pub fn seq_range(&mut self, terms: &mut Terms, low: Term, high: Term) -> Term {
        let element = terms.int_sort();
        let sort = self.seq_sort(terms, element);
        self.call(terms, sort, SeqRange, &[low, high])
    }
}

impl Scope<'_> {
    fn length(&self, sequence: Term) -> Term {
        self.call(SeqLength, [sequence])
    }

    fn index(&self, sequence: Term, index: Term) -> Term {
        self.call(SeqIndex, [sequence, index])
    }

    fn append(&self, left: Term, right: Term) -> Term {
        self.call(SeqAppend, [left, right])
    }

    fn update(&self, sequence: Term, index: Term, element: Term) -> Term {
        self.call(SeqUpdate, [sequence, index, element])
    }

    fn take(&self, sequence: Term, count: Term) -> Term {
        self.call(SeqTake, [sequence, count])
    }

    fn drop(&self, sequence: Term, count: Term) -> Term {
        self.call(SeqDrop, [sequence, count])
    }

    fn holds(&self, sequence: Term, element: Term) -> Term {
        self.call(SeqContains, [sequence, element])
    }

    fn plus(&self, left: Term, right: Term) -> Term {
        self.call(IndexPlus, [left, right])
    }

    fn minus(&self, left: Term, right: Term) -> Term {
        self.call(IndexMinus, [left, right])
    }

    /// `0 <= index < |sequence|`.
    fn in_range(&self, index: Term, sequence: Term) -> Term {
        self.within(self.int(0), index, self.length(sequence))
    }

    /// The two halves of an instance with an index `to` that was computed as `from` shifted by `by`, in a form that
    /// ends there: shifting back gives `from` itself.
    fn shifted_up(&self, from: Term, by: Term) -> (Term, Term) {
        let to = self.plus(from, by);
        (to, self.same(self.minus(to, by), from))
    }

    fn shifted_down(&self, from: Term, by: Term) -> (Term, Term) {
        let to = self.minus(from, by);
        (to, self.same(self.plus(to, by), from))
    }
}

pub(crate) const AXIOMS: &[Axiom] = &[
    // ---- length ----
    Axiom {
        name: "seq.length.nonnegative",
        needs: &[SeqLength],
        build: |x| {
            let s = x.own("s");
            x.forall([s], &[&[x.length(s)]], x.less_equal(x.int(0), x.length(s)))
        },
    },
    Axiom {
        name: "seq.empty.length",
        needs: &[SeqEmpty],
        build: |x| x.same(x.length(x.call(SeqEmpty, [])), x.int(0)),
    },
    Axiom {
        name: "seq.length.zero",
        needs: &[SeqLength],
        build: |x| {
            let s = x.own("s");
            let none = x.same(x.length(s), x.int(0));
            let empty = x.same(s, x.call(SeqEmpty, []));
            x.forall([s], &[&[x.length(s)]], x.implies(none, empty))
        },
    },
    // ---- singleton ----
    Axiom {
        name: "seq.singleton",
        needs: &[SeqSingleton],
        build: |x| {
            let e = x.element("e");
            let single = x.call(SeqSingleton, [e]);
            let one = x.same(x.length(single), x.int(1));
            let first = x.same(x.index(single, x.int(0)), e);
            x.forall([e], &[&[single]], x.and([one, first]))
        },
    },
    // ---- append ----
    Axiom {
        name: "seq.append.length",
        needs: &[SeqAppend, SeqLength],
        build: |x| {
            let (a, b) = (x.own("a"), x.own("b"));
            let both = x.append(a, b);
            let sum = x.same(x.length(both), x.add(x.length(a), x.length(b)));
            x.forall([a, b], &[&[x.length(both)]], sum)
        },
    },
    Axiom {
        name: "seq.append.empty",
        needs: &[SeqAppend],
        build: |x| {
            let (a, b) = (x.own("a"), x.own("b"));
            let both = x.append(a, b);
            let zero = x.int(0);
            let left = x.implies(x.same(x.length(a), zero), x.same(both, b));
            let right = x.implies(x.same(x.length(b), zero), x.same(both, a));
            x.forall([a, b], &[&[both]], x.and([left, right]))
        },
    },
    Axiom {
        name: "seq.append.index.left",
        needs: &[SeqAppend, SeqIndex],
        build: |x| {
            let (a, b, i) = (x.own("a"), x.own("b"), x.integer("i"));
            let both = x.append(a, b);
            let kept = x.same(x.index(both, i), x.index(a, i));
            x.forall(
                [a, b, i],
                &[&[x.index(both, i)], &[x.index(a, i), both]],
                x.implies(x.in_range(i, a), kept),
            )
        },
    },
    Axiom {
        name: "seq.append.index.right",
        needs: &[SeqAppend, SeqIndex],
        build: |x| {
            let (a, b, i) = (x.own("a"), x.own("b"), x.integer("i"));
            let both = x.append(a, b);
            let (j, back) = x.shifted_down(i, x.length(a));
            let moved = x.same(x.index(both, i), x.index(b, j));
            let some = x.less(x.int(0), x.length(a));
            let beyond = x.and([some, x.within(x.length(a), i, x.length(both))]);
            x.forall([a, b, i], &[&[x.index(both, i)]], x.implies(beyond, x.and([back, moved])))
        },
    },
    Axiom {
        name: "seq.append.index.shift",
        needs: &[SeqAppend, SeqIndex],
        build: |x| {
            let (a, b, j) = (x.own("a"), x.own("b"), x.integer("j"));
            let both = x.append(a, b);
            let (i, back) = x.shifted_up(j, x.length(a));
            let moved = x.same(x.index(both, i), x.index(b, j));
            x.forall(
                [a, b, j],
                &[&[x.index(b, j), both]],
                x.implies(x.and([x.less(x.int(0), x.length(a)), x.in_range(j, b)]), x.and([back, moved])),
            )
        },
    },
    // ---- update ----
    Axiom {
        name: "seq.update.length",
        needs: &[SeqUpdate, SeqLength],
        build: |x| {
            let (s, i, e) = (x.own("s"), x.integer("i"), x.element("e"));
            let updated = x.update(s, i, e);
            let same = x.same(x.length(updated), x.length(s));
            x.forall(
                [s, i, e],
                &[&[x.length(updated)], &[x.length(s), updated]],
                x.implies(x.in_range(i, s), same),
            )
        },
    },
    Axiom {
        name: "seq.update.index",
        needs: &[SeqUpdate, SeqIndex],
        build: |x| {
            let (s, i, e, j) = (x.own("s"), x.integer("i"), x.element("e"), x.integer("j"));
            let updated = x.update(s, i, e);
            let at = x.index(updated, j);
            let there = x.implies(x.same(i, j), x.same(at, e));
            let elsewhere = x.implies(x.not(x.same(i, j)), x.same(at, x.index(s, j)));
            x.forall(
                [s, i, e, j],
                &[&[at], &[x.index(s, j), updated]],
                x.implies(x.and([x.in_range(i, s), x.in_range(j, s)]), x.and([there, elsewhere])),
            )
        },
    },
    // ---- take ----
    Axiom {
        name: "seq.take.length",
        needs: &[SeqTake, SeqLength],
        build: |x| {
            let (s, n) = (x.own("s"), x.integer("n"));
            let taken = x.take(s, n);
            let (zero, all) = (x.int(0), x.length(s));
            let inside = x.and([x.less_equal(zero, n), x.less_equal(n, all)]);
            let exact = x.implies(inside, x.same(x.length(taken), n));
            let over = x.implies(x.less(all, n), x.same(x.length(taken), all));
            let under = x.implies(x.less(n, zero), x.same(x.length(taken), zero));
            x.forall([s, n], &[&[x.length(taken)], &[taken, all]], x.and([exact, over, under]))
        },
    },
    Axiom {
        name: "seq.take.index",
        needs: &[SeqTake, SeqIndex],
        build: |x| {
            let (s, n, i) = (x.own("s"), x.integer("n"), x.integer("i"));
            let taken = x.take(s, n);
            let kept = x.same(x.index(taken, i), x.index(s, i));
            let inside = x.and([x.in_range(i, s), x.less(i, n)]);
            x.forall([s, n, i], &[&[x.index(taken, i)], &[x.index(s, i), taken]], x.implies(inside, kept))
        },
    },
    Axiom {
        name: "seq.take.whole",
        needs: &[SeqTake],
        build: |x| {
            let (s, n) = (x.own("s"), x.integer("n"));
            let taken = x.take(s, n);
            let all = x.implies(x.less_equal(x.length(s), n), x.same(taken, s));
            let none = x.implies(x.less_equal(n, x.int(0)), x.same(taken, x.call(SeqEmpty, [])));
            x.forall([s, n], &[&[taken]], x.and([all, none]))
        },
    },
    // ---- drop ----
    Axiom {
        name: "seq.drop.length",
        needs: &[SeqDrop, SeqLength],
        build: |x| {
            let (s, n) = (x.own("s"), x.integer("n"));
            let rest = x.drop(s, n);
            let (zero, all) = (x.int(0), x.length(s));
            let inside = x.and([x.less_equal(zero, n), x.less_equal(n, all)]);
            let exact = x.implies(inside, x.same(x.length(rest), x.subtract(all, n)));
            let over = x.implies(x.less(all, n), x.same(x.length(rest), zero));
            let under = x.implies(x.less(n, zero), x.same(x.length(rest), all));
            x.forall([s, n], &[&[x.length(rest)], &[rest, all]], x.and([exact, over, under]))
        },
    },
    Axiom {
        name: "seq.drop.index",
        needs: &[SeqDrop, SeqIndex],
        build: |x| {
            let (s, n, j) = (x.own("s"), x.integer("n"), x.integer("j"));
            let rest = x.drop(s, n);
            let (i, back) = x.shifted_up(j, n);
            let moved = x.same(x.index(rest, j), x.index(s, i));
            let positive = x.less(x.int(0), n);
            let inside = x.within(x.int(0), j, x.subtract(x.length(s), n));
            x.forall(
                [s, n, j],
                &[&[x.index(rest, j)]],
                x.implies(x.and([positive, inside]), x.and([back, moved])),
            )
        },
    },
    Axiom {
        name: "seq.drop.shift",
        needs: &[SeqDrop, SeqIndex],
        build: |x| {
            let (s, n, i) = (x.own("s"), x.integer("n"), x.integer("i"));
            let rest = x.drop(s, n);
            let (j, back) = x.shifted_down(i, n);
            let moved = x.same(x.index(rest, j), x.index(s, i));
            let positive = x.less(x.int(0), n);
            let inside = x.within(n, i, x.length(s));
            x.forall(
                [s, n, i],
                &[&[x.index(s, i), rest]],
                x.implies(x.and([positive, inside]), x.and([back, moved])),
            )
        },
    },
    Axiom {
        name: "seq.drop.whole",
        needs: &[SeqDrop],
        build: |x| {
            let (s, n) = (x.own("s"), x.integer("n"));
            let rest = x.drop(s, n);
            let all = x.implies(x.less_equal(n, x.int(0)), x.same(rest, s));
            let none = x.implies(x.less_equal(x.length(s), n), x.same(rest, x.call(SeqEmpty, [])));
            x.forall([s, n], &[&[rest]], x.and([all, none]))
        },
    },
    // ---- parts of an append ----
    Axiom {
        name: "seq.append.take",
        needs: &[SeqTake, SeqAppend],
        build: |x| {
            let (a, b, n) = (x.own("a"), x.own("b"), x.integer("n"));
            let taken = x.take(x.append(a, b), n);
            let (zero, split) = (x.int(0), x.length(a));
            let early = x.and([x.less(zero, n), x.less_equal(n, split)]);
            let late = x.and([x.less(zero, n), x.less(split, n), x.less(n, x.add(split, x.length(b)))]);
            let (m, back) = x.shifted_down(n, split);
            let of_left = x.implies(early, x.same(taken, x.take(a, n)));
            let of_both = x.same(taken, x.append(a, x.take(b, m)));
            x.forall([a, b, n], &[&[taken]], x.and([of_left, x.implies(late, x.and([back, of_both]))]))
        },
    },
    Axiom {
        name: "seq.append.drop",
        needs: &[SeqDrop, SeqAppend],
        build: |x| {
            let (a, b, n) = (x.own("a"), x.own("b"), x.integer("n"));
            let rest = x.drop(x.append(a, b), n);
            let (zero, split) = (x.int(0), x.length(a));
            let early = x.and([x.less(zero, n), x.less_equal(n, split)]);
            let late = x.and([x.less(zero, n), x.less(split, n)]);
            let (m, back) = x.shifted_down(n, split);
            let of_both = x.implies(early, x.same(rest, x.append(x.drop(a, n), b)));
            let of_right = x.same(rest, x.drop(b, m));
            x.forall([a, b, n], &[&[rest]], x.and([of_both, x.implies(late, x.and([back, of_right]))]))
        },
    },
    // ---- parts of an update ----
    Axiom {
        name: "seq.update.take",
        needs: &[SeqTake, SeqUpdate],
        build: |x| {
            let (s, i, e, n) = (x.own("s"), x.integer("i"), x.element("e"), x.integer("n"));
            let taken = x.take(x.update(s, i, e), n);
            let before = x.implies(x.less_equal(n, i), x.same(taken, x.take(s, n)));
            let after = x.implies(x.less(i, n), x.same(taken, x.update(x.take(s, n), i, e)));
            x.forall([s, i, e, n], &[&[taken]], x.implies(x.in_range(i, s), x.and([before, after])))
        },
    },
    Axiom {
        name: "seq.update.drop",
        needs: &[SeqDrop, SeqUpdate],
        build: |x| {
            let (s, i, e, n) = (x.own("s"), x.integer("i"), x.element("e"), x.integer("n"));
            let rest = x.drop(x.update(s, i, e), n);
            let (j, back) = x.shifted_down(i, n);
            let before = x.implies(x.less(i, n), x.same(rest, x.drop(s, n)));
            let inside = x.and([x.less(x.int(0), n), x.less_equal(n, i)]);
            let after = x.and([back, x.same(rest, x.update(x.drop(s, n), j, e))]);
            x.forall(
                [s, i, e, n],
                &[&[rest]],
                x.implies(x.in_range(i, s), x.and([before, x.implies(inside, after)])),
            )
        },
    },
    // ---- contains ----
    Axiom {
        name: "seq.contains.position",
        needs: &[SeqContains],
        build: |x| {
            let (s, e) = (x.own("s"), x.element("e"));
            let position = x.call(SeqPosition, [s, e]);
            let found = x.and([x.in_range(position, s), x.same(x.index(s, position), e)]);
            x.forall([s, e], &[&[x.holds(s, e)]], x.implies(x.holds(s, e), found))
        },
    },
    Axiom {
        name: "seq.contains.index",
        needs: &[SeqContains, SeqIndex],
        build: |x| {
            let (s, e, i) = (x.own("s"), x.element("e"), x.integer("i"));
            let found = x.and([x.in_range(i, s), x.same(x.index(s, i), e)]);
            x.forall([s, e, i], &[&[x.holds(s, e), x.index(s, i)]], x.implies(found, x.holds(s, e)))
        },
    },
    Axiom {
        name: "seq.contains.trigger",
        needs: &[SeqContainsTrigger, SeqIndex],
        build: |x| {
            let (s, i) = (x.own("s"), x.integer("i"));
            let marked = x.call(SeqContainsTrigger, [s, x.index(s, i)]);
            x.forall([s, i], &[&[x.index(s, i)]], x.implies(x.in_range(i, s), marked))
        },
    },
    Axiom {
        name: "seq.contains.marked",
        needs: &[SeqContainsTrigger, SeqContains],
        build: |x| {
            let (s, e) = (x.own("s"), x.element("e"));
            x.forall([s, e], &[&[x.holds(s, e)]], x.call(SeqContainsTrigger, [s, e]))
        },
    },
    Axiom {
        name: "seq.singleton.contains",
        needs: &[SeqContains, SeqSingleton],
        build: |x| {
            let (e, f) = (x.element("e"), x.element("f"));
            let holds = x.holds(x.call(SeqSingleton, [e]), f);
            x.forall([e, f], &[&[holds]], x.same(holds, x.same(e, f)))
        },
    },
    // ---- ranges of integers ----
    Axiom {
        name: "seq.range.length",
        needs: &[SeqRange, SeqLength],
        build: |x| {
            let (low, high) = (x.integer("low"), x.integer("high"));
            let length = x.length(x.call(SeqRange, [low, high]));
            let proper = x.implies(x.less(low, high), x.same(length, x.subtract(high, low)));
            let empty = x.implies(x.less_equal(high, low), x.same(length, x.int(0)));
            x.forall([low, high], &[&[length]], x.and([proper, empty]))
        },
    },
    Axiom {
        name: "seq.range.index",
        needs: &[SeqRange, SeqIndex],
        build: |x| {
            let (low, high, i) = (x.integer("low"), x.integer("high"), x.integer("i"));
            let at = x.index(x.call(SeqRange, [low, high]), i);
            let inside = x.within(x.int(0), i, x.subtract(high, low));
            x.forall([low, high, i], &[&[at]], x.implies(inside, x.same(at, x.add(low, i))))
        },
    },
    Axiom {
        name: "seq.range.contains",
        needs: &[SeqRange, SeqContains],
        build: |x| {
            let (low, high, i) = (x.integer("low"), x.integer("high"), x.integer("i"));
            let holds = x.holds(x.call(SeqRange, [low, high]), i);
            x.forall([low, high, i], &[&[holds]], x.same(holds, x.within(low, i, high)))
        },
    },
    // ---- equality ----
    Axiom {
        name: "seq.equal",
        needs: &[SeqEqual],
        build: |x| {
            let (a, b) = (x.own("a"), x.own("b"));
            let equal = x.call(SeqEqual, [a, b]);
            let at = x.call(SeqDiffer, [a, b]);
            let longer = x.not(x.same(x.length(a), x.length(b)));
            let differ = x.and([x.in_range(at, a), x.not(x.equal(x.index(a, at), x.index(b, at)))]);
            let same = x.implies(equal, x.same(a, b));
            let different = x.implies(x.not(equal), x.or([longer, differ]));
            x.forall([a, b], &[&[equal]], x.and([same, different]))
        },
    },
    // ---- shifting indices ----
    Axiom {
        name: "seq.index.plus",
        needs: &[IndexPlus],
        build: |x| {
            let (i, j) = (x.integer("i"), x.integer("j"));
            x.forall([i, j], &[&[x.plus(i, j)]], x.same(x.plus(i, j), x.add(i, j)))
        },
    },
    Axiom {
        name: "seq.index.minus",
        needs: &[IndexMinus],
        build: |x| {
            let (i, j) = (x.integer("i"), x.integer("j"));
            x.forall([i, j], &[&[x.minus(i, j)]], x.same(x.minus(i, j), x.subtract(i, j)))
        },
    },
];
