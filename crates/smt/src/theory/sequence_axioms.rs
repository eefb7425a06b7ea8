//! Finite sequences.
//!
//! A sequence is its length and what it holds at each index. Every operation is characterised by both, with triggers
//! in two directions: from an index into the result to the index into the operand, and back where the operand's
//! element is what a proof speaks about. Operations on operations (dropping from an append and the like) have rules
//! of their own, because a solver would find these equations only by asking for them.

use crate::node::Term;

use super::axiom::{Axiom, Scope};
use super::symbol::Symbol::{
    IndexMinus, IndexPlus, SeqAppend, SeqContains, SeqContainsTrigger, SeqDiffer, SeqDrop, SeqEmpty,
    SeqEqual, SeqIndex, SeqLength, SeqPosition, SeqRange, SeqSingleton, SeqTake, SeqUpdate,
};

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

    /// What the left operand holds, the append holds at the same index.
    fn left_of_append(&self, left: Term, right: Term, index: Term) -> Term {
        let kept = self.same(self.index(self.append(left, right), index), self.index(left, index));
        self.implies(self.in_range(index, left), kept)
    }

    /// What an updated sequence holds at an index.
    fn at_update(&self, sequence: Term, place: Term, element: Term, index: Term) -> Term {
        let at = self.index(self.update(sequence, place, element), index);
        let there = self.implies(self.same(place, index), self.same(at, element));
        let elsewhere =
            self.implies(self.not(self.same(place, index)), self.same(at, self.index(sequence, index)));
        let inside = self.and([self.in_range(place, sequence), self.in_range(index, sequence)]);
        self.implies(inside, self.and([there, elsewhere]))
    }

    /// What the beginning of a sequence holds, it holds at the same index.
    fn at_take(&self, sequence: Term, count: Term, index: Term) -> Term {
        let kept = self.same(self.index(self.take(sequence, count), index), self.index(sequence, index));
        let inside = self.and([self.in_range(index, sequence), self.less(index, count)]);
        self.implies(inside, kept)
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
        law: "length.nonnegative",
        needs: &[SeqLength],
        build: |x| {
            let s = x.own("s");
            x.forall([s], &[&[x.length(s)]], x.less_equal(x.int(0), x.length(s)))
        },
    },
    Axiom {
        law: "empty.length",
        needs: &[SeqEmpty],
        build: |x| x.same(x.length(x.call(SeqEmpty, [])), x.int(0)),
    },
    Axiom {
        law: "length.zero",
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
        law: "singleton",
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
        law: "append.length",
        needs: &[SeqAppend, SeqLength],
        build: |x| {
            let (a, b) = (x.own("a"), x.own("b"));
            let both = x.append(a, b);
            let sum = x.same(x.length(both), x.add(x.length(a), x.length(b)));
            // What is equal to an append says something of its parts if their lengths are spoken of.
            x.forall([a, b], &[&[x.length(both)], &[x.length(a), both], &[x.length(b), both]], sum)
        },
    },
    Axiom {
        law: "append.empty",
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
        law: "append.index.left",
        needs: &[SeqAppend, SeqIndex],
        build: |x| {
            let (a, b, i) = (x.own("a"), x.own("b"), x.integer("i"));
            x.forall([a, b, i], &[&[x.index(x.append(a, b), i)]], x.left_of_append(a, b, i))
        },
    },
    Axiom {
        law: "append.index.keep",
        needs: &[SeqAppend, SeqIndex],
        build: |x| {
            let (a, b, i) = (x.own("a"), x.own("b"), x.integer("i"));
            x.ascending([a, b, i], &[&[x.index(a, i), x.append(a, b)]], x.left_of_append(a, b, i))
        },
    },
    Axiom {
        law: "append.index.right",
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
        law: "append.index.shift",
        needs: &[SeqAppend, SeqIndex],
        build: |x| {
            let (a, b, j) = (x.own("a"), x.own("b"), x.integer("j"));
            let both = x.append(a, b);
            let (i, back) = x.shifted_up(j, x.length(a));
            let moved = x.same(x.index(both, i), x.index(b, j));
            x.ascending(
                [a, b, j],
                &[&[x.index(b, j), both]],
                x.implies(x.and([x.less(x.int(0), x.length(a)), x.in_range(j, b)]), x.and([back, moved])),
            )
        },
    },
    // ---- update ----
    Axiom {
        law: "update.length",
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
        law: "update.index",
        needs: &[SeqUpdate, SeqIndex],
        build: |x| {
            let (s, i, e, j) = (x.own("s"), x.integer("i"), x.element("e"), x.integer("j"));
            let at = x.index(x.update(s, i, e), j);
            x.forall([s, i, e, j], &[&[at]], x.at_update(s, i, e, j))
        },
    },
    Axiom {
        law: "update.index.keep",
        needs: &[SeqUpdate, SeqIndex],
        build: |x| {
            let (s, i, e, j) = (x.own("s"), x.integer("i"), x.element("e"), x.integer("j"));
            x.ascending([s, i, e, j], &[&[x.index(s, j), x.update(s, i, e)]], x.at_update(s, i, e, j))
        },
    },
    // ---- take ----
    Axiom {
        law: "take.length",
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
        law: "take.index",
        needs: &[SeqTake, SeqIndex],
        build: |x| {
            let (s, n, i) = (x.own("s"), x.integer("n"), x.integer("i"));
            x.forall([s, n, i], &[&[x.index(x.take(s, n), i)]], x.at_take(s, n, i))
        },
    },
    Axiom {
        law: "take.index.keep",
        needs: &[SeqTake, SeqIndex],
        build: |x| {
            let (s, n, i) = (x.own("s"), x.integer("n"), x.integer("i"));
            x.ascending([s, n, i], &[&[x.index(s, i), x.take(s, n)]], x.at_take(s, n, i))
        },
    },
    Axiom {
        law: "take.whole",
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
        law: "drop.length",
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
        law: "drop.index",
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
        law: "drop.index.shift",
        needs: &[SeqDrop, SeqIndex],
        build: |x| {
            let (s, n, i) = (x.own("s"), x.integer("n"), x.integer("i"));
            let rest = x.drop(s, n);
            let (j, back) = x.shifted_down(i, n);
            let moved = x.same(x.index(rest, j), x.index(s, i));
            let positive = x.less(x.int(0), n);
            let inside = x.within(n, i, x.length(s));
            x.ascending(
                [s, n, i],
                &[&[x.index(s, i), rest]],
                x.implies(x.and([positive, inside]), x.and([back, moved])),
            )
        },
    },
    Axiom {
        law: "drop.whole",
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
        law: "append.take",
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
        law: "append.drop",
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
        law: "update.take",
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
        law: "update.drop",
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
        law: "contains.position",
        needs: &[SeqContains],
        build: |x| {
            let (s, e) = (x.own("s"), x.element("e"));
            let position = x.call(SeqPosition, [s, e]);
            let found = x.and([x.in_range(position, s), x.same(x.index(s, position), e)]);
            x.forall([s, e], &[&[x.holds(s, e)]], x.implies(x.holds(s, e), found))
        },
    },
    Axiom {
        law: "contains.index",
        needs: &[SeqContains, SeqIndex],
        build: |x| {
            let (s, e, i) = (x.own("s"), x.element("e"), x.integer("i"));
            let found = x.and([x.in_range(i, s), x.same(x.index(s, i), e)]);
            x.forall([s, e, i], &[&[x.holds(s, e), x.index(s, i)]], x.implies(found, x.holds(s, e)))
        },
    },
    Axiom {
        law: "contains.trigger",
        needs: &[SeqContainsTrigger, SeqIndex],
        build: |x| {
            let (s, i) = (x.own("s"), x.integer("i"));
            let marked = x.call(SeqContainsTrigger, [s, x.index(s, i)]);
            x.forall([s, i], &[&[x.index(s, i)]], x.implies(x.in_range(i, s), marked))
        },
    },
    Axiom {
        law: "contains.marked",
        needs: &[SeqContainsTrigger, SeqContains],
        build: |x| {
            let (s, e) = (x.own("s"), x.element("e"));
            x.forall([s, e], &[&[x.holds(s, e)]], x.call(SeqContainsTrigger, [s, e]))
        },
    },
    Axiom {
        law: "singleton.contains",
        needs: &[SeqContains, SeqSingleton],
        build: |x| {
            let (e, f) = (x.element("e"), x.element("f"));
            let holds = x.holds(x.call(SeqSingleton, [e]), f);
            x.forall([e, f], &[&[holds]], x.same(holds, x.same(e, f)))
        },
    },
    // ---- ranges of integers ----
    Axiom {
        law: "range.length",
        needs: &[SeqRange],
        build: |x| {
            let (low, high) = (x.integer("low"), x.integer("high"));
            let range = x.call(SeqRange, [low, high]);
            let length = x.length(range);
            let proper = x.implies(x.less(low, high), x.same(length, x.subtract(high, low)));
            let empty = x.implies(x.less_equal(high, low), x.same(length, x.int(0)));
            x.forall([low, high], &[&[range]], x.and([proper, empty]))
        },
    },
    Axiom {
        law: "range.index",
        needs: &[SeqRange, SeqIndex],
        build: |x| {
            let (low, high, i) = (x.integer("low"), x.integer("high"), x.integer("i"));
            let at = x.index(x.call(SeqRange, [low, high]), i);
            let inside = x.within(x.int(0), i, x.subtract(high, low));
            x.forall([low, high, i], &[&[at]], x.implies(inside, x.same(at, x.add(low, i))))
        },
    },
    // So that equal ranges are known to begin with the same number.
    Axiom {
        law: "range.first",
        needs: &[SeqRange],
        build: |x| {
            let (low, high) = (x.integer("low"), x.integer("high"));
            let range = x.call(SeqRange, [low, high]);
            let first = x.same(x.index(range, x.int(0)), low);
            x.forall([low, high], &[&[range]], x.implies(x.less(low, high), first))
        },
    },
    Axiom {
        law: "range.contains",
        needs: &[SeqRange, SeqContains],
        build: |x| {
            let (low, high, i) = (x.integer("low"), x.integer("high"), x.integer("i"));
            let holds = x.holds(x.call(SeqRange, [low, high]), i);
            x.forall([low, high, i], &[&[holds]], x.same(holds, x.within(low, i, high)))
        },
    },
    // ---- equality ----
    Axiom {
        law: "equal",
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
        law: "index.plus",
        needs: &[IndexPlus],
        build: |x| {
            let (i, j) = (x.integer("i"), x.integer("j"));
            x.forall([i, j], &[&[x.plus(i, j)]], x.same(x.plus(i, j), x.add(i, j)))
        },
    },
    Axiom {
        law: "index.minus",
        needs: &[IndexMinus],
        build: |x| {
            let (i, j) = (x.integer("i"), x.integer("j"));
            x.forall([i, j], &[&[x.minus(i, j)]], x.same(x.minus(i, j), x.subtract(i, j)))
        },
    },
];
