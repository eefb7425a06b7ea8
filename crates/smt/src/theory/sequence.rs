//! Terms of sequences.

use crate::node::{Sort, Term};
use crate::terms::Terms;

use super::Theories;
use super::symbol::Symbol::{
    SeqAppend, SeqContains, SeqContainsTrigger, SeqDrop, SeqEmpty, SeqIndex, SeqLength, SeqRange,
    SeqSingleton, SeqTake, SeqUpdate,
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
