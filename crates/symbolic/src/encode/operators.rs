//! Operators and literals of Silver on terms.
//!
//! Operands have the sorts that the type checker ensured. Permission amounts are reals.

use silver::typed::{BinaryOperator, Type, UnaryOperator};
use smt::{BigInt, Term};

use super::Encoder;

impl Encoder<'_> {
    pub(crate) fn unary(&mut self, operator: UnaryOperator, operand: Term) -> Term {
        let (terms, theories) = (&mut self.terms, &mut self.theories);
        match operator {
            UnaryOperator::Not => terms.not(operand),
            UnaryOperator::IntNegate | UnaryOperator::PermNegate => terms.negate(operand),
            UnaryOperator::SeqLength => theories.seq_length(terms, operand),
            UnaryOperator::SetCardinality => theories.set_cardinality(terms, operand),
            UnaryOperator::MultisetCardinality => theories.multiset_cardinality(terms, operand),
            UnaryOperator::MapCardinality => theories.map_cardinality(terms, operand),
            UnaryOperator::MapDomain => theories.map_domain(terms, operand),
            UnaryOperator::MapRange => theories.map_range(terms, operand),
        }
    }

    pub(crate) fn binary(&mut self, operator: BinaryOperator, left: Term, right: Term) -> Term {
        use BinaryOperator::*;
        let (terms, theories) = (&mut self.terms, &mut self.theories);
        match operator {
            And => terms.and(left, right),
            Or => terms.or(left, right),
            Implies => terms.implies(left, right),
            Equal => theories.equal(terms, left, right),
            NotEqual => {
                let equal = theories.equal(terms, left, right);
                terms.not(equal)
            }
            IntAdd | PermAdd => terms.add(left, right),
            IntSubtract | PermSubtract => terms.subtract(left, right),
            IntMultiply | PermMultiply => terms.multiply(left, right),
            IntDivide => terms.int_divide(left, right),
            IntModulo => terms.int_modulo(left, right),
            IntLess | PermLess => terms.less(left, right),
            IntLessEqual | PermLessEqual => terms.less_equal(left, right),
            IntGreater | PermGreater => terms.greater(left, right),
            IntGreaterEqual | PermGreaterEqual => terms.greater_equal(left, right),
            IntPermMultiply => {
                let factor = terms.int_to_real(left);
                terms.multiply(factor, right)
            }
            PermIntDivide => {
                let divisor = terms.int_to_real(right);
                terms.real_divide(left, divisor)
            }
            PermPermDivide => terms.real_divide(left, right),
            Fraction => {
                let dividend = terms.int_to_real(left);
                let divisor = terms.int_to_real(right);
                terms.real_divide(dividend, divisor)
            }
            SeqRange => theories.seq_range(terms, left, right),
            SeqAppend => theories.seq_append(terms, left, right),
            SeqContains => theories.seq_contains(terms, right, left),
            SeqIndex => theories.seq_index(terms, left, right),
            SeqTake => theories.seq_take(terms, left, right),
            SeqDrop => theories.seq_drop(terms, left, right),
            SetUnion => theories.set_union(terms, left, right),
            SetIntersection => theories.set_intersection(terms, left, right),
            SetDifference => theories.set_difference(terms, left, right),
            SetSubset => theories.set_subset(terms, left, right),
            SetContains => theories.set_contains(terms, right, left),
            MultisetUnion => theories.multiset_union(terms, left, right),
            MultisetIntersection => theories.multiset_intersection(terms, left, right),
            MultisetDifference => theories.multiset_difference(terms, left, right),
            MultisetSubset => theories.multiset_subset(terms, left, right),
            MultisetCount => theories.multiset_count(terms, right, left),
            MapLookup => theories.map_lookup(terms, left, right),
            MapContains => theories.map_contains(terms, right, left),
        }
    }

    /// An integer literal by its decimal digits.
    pub(crate) fn int_literal(&mut self, digits: &str) -> Term {
        let value = digits.parse::<BigInt>();
        debug_assert!(value.is_ok(), "digits of an integer: {digits}");
        self.terms.int(value.unwrap_or_default())
    }

    /// `Seq(…)` of the given type, which is that of the sequence.
    pub(crate) fn seq_literal(&mut self, ty: &Type, elements: &[Term]) -> Term {
        let empty = self.empty(ty);
        self.fold_literal(empty, elements, |encoder, sequence, element| {
            let (terms, theories) = (&mut encoder.terms, &mut encoder.theories);
            let single = theories.seq_singleton(terms, element);
            match sequence {
                Some(sequence) => theories.seq_append(terms, sequence, single),
                None => single,
            }
        })
    }

    pub(crate) fn set_literal(&mut self, ty: &Type, elements: &[Term]) -> Term {
        let empty = self.empty(ty);
        self.fold_literal(empty, elements, |encoder, set, element| {
            let (terms, theories) = (&mut encoder.terms, &mut encoder.theories);
            let single = theories.set_singleton(terms, element);
            match set {
                Some(set) => theories.set_union(terms, set, single),
                None => single,
            }
        })
    }

    pub(crate) fn multiset_literal(&mut self, ty: &Type, elements: &[Term]) -> Term {
        let empty = self.empty(ty);
        self.fold_literal(empty, elements, |encoder, multiset, element| {
            let (terms, theories) = (&mut encoder.terms, &mut encoder.theories);
            let single = theories.multiset_singleton(terms, element);
            match multiset {
                Some(multiset) => theories.multiset_union(terms, multiset, single),
                None => single,
            }
        })
    }

    /// `Map(k := v, …)`; a later entry hides an earlier one with the same key.
    pub(crate) fn map_literal(&mut self, ty: &Type, entries: &[(Term, Term)]) -> Term {
        let mut map = self.empty(ty);
        for (key, value) in entries {
            map = self.map_update(map, *key, *value);
        }
        map
    }

    pub(crate) fn seq_update(&mut self, base: Term, index: Term, value: Term) -> Term {
        self.theories.seq_update(&mut self.terms, base, index, value)
    }

    pub(crate) fn map_update(&mut self, base: Term, key: Term, value: Term) -> Term {
        self.theories.map_update(&mut self.terms, base, key, value)
    }

    /// The empty collection of a collection type.
    pub(crate) fn empty(&mut self, ty: &Type) -> Term {
        match ty {
            Type::Seq(element) => {
                let element = self.sort(element);
                self.theories.seq_empty(&mut self.terms, element)
            }
            Type::Set(element) => {
                let element = self.sort(element);
                self.theories.set_empty(&mut self.terms, element)
            }
            Type::Multiset(element) => {
                let element = self.sort(element);
                self.theories.multiset_empty(&mut self.terms, element)
            }
            Type::Map(key, value) => {
                let key = self.sort(key);
                let value = self.sort(value);
                self.theories.map_empty(&mut self.terms, key, value)
            }
            _ => {
                debug_assert!(false, "no collection type: {ty:?}");
                self.terms.int(0)
            }
        }
    }

    fn fold_literal(
        &mut self,
        empty: Term,
        elements: &[Term],
        add: impl Fn(&mut Self, Option<Term>, Term) -> Term,
    ) -> Term {
        let mut collection = None;
        for element in elements {
            collection = Some(add(self, collection, *element));
        }
        collection.unwrap_or(empty)
    }
}
