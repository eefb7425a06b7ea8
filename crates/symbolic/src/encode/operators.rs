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

    /// `Seq(…)`, `Set(…)` or `Multiset(…)` of the given type, which is that of the collection.
    pub(crate) fn collection_literal(&mut self, ty: &Type, elements: &[Term]) -> Term {
        let (Type::Seq(element) | Type::Set(element) | Type::Multiset(element)) = ty else {
            debug_assert!(false, "no collection type: {ty:?}");
            return self.terms.int(0);
        };
        let element = self.sort(element);
        let (terms, theories) = (&mut self.terms, &mut self.theories);
        match ty {
            Type::Set(_) => theories.set_literal(terms, element, elements),
            Type::Multiset(_) => theories.multiset_literal(terms, element, elements),
            _ => theories.seq_literal(terms, element, elements),
        }
    }

    /// `Map(k := v, …)` of the given type; a later entry hides an earlier one with the same key.
    pub(crate) fn map_literal(&mut self, ty: &Type, entries: &[(Term, Term)]) -> Term {
        let Type::Map(key, value) = ty else {
            debug_assert!(false, "no map type: {ty:?}");
            return self.terms.int(0);
        };
        let key = self.sort(key);
        let value = self.sort(value);
        self.theories.map_literal(&mut self.terms, key, value, entries)
    }

    pub(crate) fn seq_update(&mut self, base: Term, index: Term, value: Term) -> Term {
        self.theories.seq_update(&mut self.terms, base, index, value)
    }

    pub(crate) fn map_update(&mut self, base: Term, key: Term, value: Term) -> Term {
        self.theories.map_update(&mut self.terms, base, key, value)
    }
}
