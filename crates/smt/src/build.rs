//! Constructors that simplify: what is decided by looking at the operands is decided here.
//!
//! Every rule is an equivalence of the logic, with integer division and modulo left alone when the divisor is zero.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};

use crate::node::{Node, Operator, Term};
use crate::terms::Terms;

impl Terms {
    // ---- propositional ----

    pub fn not(&mut self, term: Term) -> Term {
        if self.is_true(term) {
            return self.false_();
        }
        if self.is_false(term) {
            return self.true_();
        }
        match self.as_operation(term) {
            Some((Operator::Not, [inner])) => *inner,
            Some((Operator::Less, [left, right])) => {
                let (left, right) = (*left, *right);
                self.less_equal(right, left)
            }
            Some((Operator::LessEqual, [left, right])) => {
                let (left, right) = (*left, *right);
                self.less(right, left)
            }
            _ => self.operation(Operator::Not, &[term], self.bool_sort()),
        }
    }

    fn is_negation(&self, left: Term, right: Term) -> bool {
        matches!(self.as_operation(left), Some((Operator::Not, [inner])) if *inner == right)
            || matches!(self.as_operation(right), Some((Operator::Not, [inner])) if *inner == left)
    }

    pub fn and(&mut self, left: Term, right: Term) -> Term {
        self.all([left, right])
    }

    pub fn or(&mut self, left: Term, right: Term) -> Term {
        self.any([left, right])
    }

    /// The conjunction; nested conjunctions are flattened, repetitions dropped.
    pub fn all(&mut self, terms: impl IntoIterator<Item = Term>) -> Term {
        self.junction(Operator::And, terms)
    }

    /// The disjunction; nested disjunctions are flattened, repetitions dropped.
    pub fn any(&mut self, terms: impl IntoIterator<Item = Term>) -> Term {
        self.junction(Operator::Or, terms)
    }

    fn junction(&mut self, operator: Operator, terms: impl IntoIterator<Item = Term>) -> Term {
        let neutral = self.boolean(operator == Operator::And);
        let absorbing = self.boolean(operator != Operator::And);
        let mut operands: Vec<Term> = Vec::new();
        for term in terms {
            let parts: Vec<Term> = match self.as_operation(term) {
                Some((inner, parts)) if inner == operator => parts.to_vec(),
                _ => vec![term],
            };
            for part in parts {
                if part == absorbing {
                    return absorbing;
                }
                if part == neutral || operands.contains(&part) {
                    continue;
                }
                if operands.len() < 16 && operands.iter().any(|operand| self.is_negation(*operand, part)) {
                    return absorbing;
                }
                operands.push(part);
            }
        }
        match operands[..] {
            [] => neutral,
            [single] => single,
            _ => self.operation(operator, &operands, self.bool_sort()),
        }
    }

    pub fn implies(&mut self, left: Term, right: Term) -> Term {
        if self.is_true(left) || self.is_true(right) {
            return right;
        }
        if self.is_false(left) || left == right {
            return self.true_();
        }
        if self.is_false(right) {
            return self.not(left);
        }
        if let Some((Operator::Implies, [middle, end])) = self.as_operation(right) {
            let (middle, end) = (*middle, *end);
            let both = self.and(left, middle);
            return self.implies(both, end);
        }
        if let Some((Operator::And, parts)) = self.as_operation(left)
            && parts.contains(&right)
        {
            return self.true_();
        }
        self.operation(Operator::Implies, &[left, right], self.bool_sort())
    }

    pub fn if_then_else(&mut self, condition: Term, then: Term, otherwise: Term) -> Term {
        if self.is_true(condition) || then == otherwise {
            return then;
        }
        if self.is_false(condition) {
            return otherwise;
        }
        if let Some((Operator::Not, [inner])) = self.as_operation(condition) {
            let inner = *inner;
            return self.if_then_else(inner, otherwise, then);
        }
        if self.is_true(then) && self.is_false(otherwise) {
            return condition;
        }
        if self.is_false(then) && self.is_true(otherwise) {
            return self.not(condition);
        }
        if self.sort_of(then) == self.bool_sort() {
            if self.is_true(then) {
                return self.or(condition, otherwise);
            }
            if self.is_false(otherwise) {
                return self.and(condition, then);
            }
            if self.is_false(then) {
                let negated = self.not(condition);
                return self.and(negated, otherwise);
            }
            if self.is_true(otherwise) {
                return self.implies(condition, then);
            }
        }
        // A choice repeated below itself is already made.
        let then = match self.as_operation(then) {
            Some((Operator::IfThenElse, [inner, taken, _])) if *inner == condition => *taken,
            _ => then,
        };
        let otherwise = match self.as_operation(otherwise) {
            Some((Operator::IfThenElse, [inner, _, taken])) if *inner == condition => *taken,
            _ => otherwise,
        };
        if then == otherwise {
            return then;
        }
        let sort = self.sort_of(then);
        self.operation(Operator::IfThenElse, &[condition, then, otherwise], sort)
    }

    // ---- equality ----

    pub fn equal(&mut self, left: Term, right: Term) -> Term {
        debug_assert_eq!(self.sort_of(left), self.sort_of(right), "an equation between two sorts");
        if left == right {
            return self.true_();
        }
        if self.are_distinct_literals(left, right) {
            return self.false_();
        }
        if self.sort_of(left) == self.bool_sort() {
            for (one, other) in [(left, right), (right, left)] {
                if self.is_true(one) {
                    return other;
                }
                if self.is_false(one) {
                    return self.not(other);
                }
            }
        }
        let (first, second) = if left <= right { (left, right) } else { (right, left) };
        self.operation(Operator::Equal, &[first, second], self.bool_sort())
    }

    pub fn not_equal(&mut self, left: Term, right: Term) -> Term {
        let equal = self.equal(left, right);
        self.not(equal)
    }

    fn are_distinct_literals(&self, left: Term, right: Term) -> bool {
        left != right
            && matches!(
                (self.node(left), self.node(right)),
                (Node::Int(_), Node::Int(_))
                    | (Node::Real(_), Node::Real(_))
                    | (Node::Bool(_), Node::Bool(_))
            )
    }

    // ---- arithmetic ----

    pub fn zero(&mut self) -> Term {
        self.real(BigRational::zero())
    }

    pub fn one(&mut self) -> Term {
        self.real(BigRational::one())
    }

    fn is_zero(&self, term: Term) -> bool {
        match self.node(term) {
            Node::Int(value) => value.is_zero(),
            Node::Real(value) => value.is_zero(),
            _ => false,
        }
    }

    fn is_one(&self, term: Term) -> bool {
        match self.node(term) {
            Node::Int(value) => value.is_one(),
            Node::Real(value) => value.is_one(),
            _ => false,
        }
    }

    /// Computes on two literals of one sort.
    fn fold(
        &mut self,
        left: Term,
        right: Term,
        on_int: impl Fn(&BigInt, &BigInt) -> BigInt,
        on_real: impl Fn(&BigRational, &BigRational) -> BigRational,
    ) -> Option<Term> {
        match (self.node(left), self.node(right)) {
            (Node::Int(left), Node::Int(right)) => {
                let value = on_int(left, right);
                Some(self.int(value))
            }
            (Node::Real(left), Node::Real(right)) => {
                let value = on_real(left, right);
                Some(self.real(value))
            }
            _ => None,
        }
    }

    pub fn add(&mut self, left: Term, right: Term) -> Term {
        if self.is_zero(left) {
            return right;
        }
        if self.is_zero(right) {
            return left;
        }
        if let Some(folded) = self.fold(left, right, |a, b| a + b, |a, b| a + b) {
            return folded;
        }
        if let Some((Operator::Subtract, [start, removed])) = self.as_operation(left)
            && *removed == right
        {
            return *start;
        }
        let sort = self.sort_of(left);
        self.operation(Operator::Add, &[left, right], sort)
    }

    pub fn subtract(&mut self, left: Term, right: Term) -> Term {
        if self.is_zero(right) {
            return left;
        }
        if left == right {
            return if self.sort_of(left) == self.int_sort() { self.int(0) } else { self.zero() };
        }
        if let Some(folded) = self.fold(left, right, |a, b| a - b, |a, b| a - b) {
            return folded;
        }
        if let Some((Operator::Add, [first, second])) = self.as_operation(left) {
            let (first, second) = (*first, *second);
            if second == right {
                return first;
            }
            if first == right {
                return second;
            }
        }
        let sort = self.sort_of(left);
        self.operation(Operator::Subtract, &[left, right], sort)
    }

    pub fn negate(&mut self, term: Term) -> Term {
        let zero = if self.sort_of(term) == self.int_sort() { self.int(0) } else { self.zero() };
        self.subtract(zero, term)
    }

    pub fn multiply(&mut self, left: Term, right: Term) -> Term {
        if self.is_zero(left) || self.is_one(right) {
            return left;
        }
        if self.is_zero(right) || self.is_one(left) {
            return right;
        }
        if let Some(folded) = self.fold(left, right, |a, b| a * b, |a, b| a * b) {
            return folded;
        }
        let sort = self.sort_of(left);
        self.operation(Operator::Multiply, &[left, right], sort)
    }

    pub fn int_divide(&mut self, left: Term, right: Term) -> Term {
        if self.is_one(right) {
            return left;
        }
        if let (Some(dividend), Some(divisor)) = (self.as_int(left), self.as_int(right))
            && !divisor.is_zero()
        {
            let quotient = euclidean(dividend, divisor).0;
            return self.int(quotient);
        }
        self.operation(Operator::IntDivide, &[left, right], self.int_sort())
    }

    pub fn int_modulo(&mut self, left: Term, right: Term) -> Term {
        if let (Some(dividend), Some(divisor)) = (self.as_int(left), self.as_int(right))
            && !divisor.is_zero()
        {
            let remainder = euclidean(dividend, divisor).1;
            return self.int(remainder);
        }
        self.operation(Operator::IntModulo, &[left, right], self.int_sort())
    }

    pub fn real_divide(&mut self, left: Term, right: Term) -> Term {
        if self.is_one(right) {
            return left;
        }
        if let (Some(dividend), Some(divisor)) = (self.as_real(left), self.as_real(right))
            && !divisor.is_zero()
        {
            let quotient = dividend / divisor;
            return self.real(quotient);
        }
        self.operation(Operator::RealDivide, &[left, right], self.real_sort())
    }

    pub fn int_to_real(&mut self, term: Term) -> Term {
        if let Some(value) = self.as_int(term) {
            let value = BigRational::from_integer(value.clone());
            return self.real(value);
        }
        self.operation(Operator::IntToReal, &[term], self.real_sort())
    }

    pub fn less(&mut self, left: Term, right: Term) -> Term {
        if left == right {
            return self.false_();
        }
        if let Some(order) = self.compare_literals(left, right) {
            return self.boolean(order.is_lt());
        }
        self.operation(Operator::Less, &[left, right], self.bool_sort())
    }

    pub fn less_equal(&mut self, left: Term, right: Term) -> Term {
        if left == right {
            return self.true_();
        }
        if let Some(order) = self.compare_literals(left, right) {
            return self.boolean(order.is_le());
        }
        self.operation(Operator::LessEqual, &[left, right], self.bool_sort())
    }

    pub fn greater(&mut self, left: Term, right: Term) -> Term {
        self.less(right, left)
    }

    pub fn greater_equal(&mut self, left: Term, right: Term) -> Term {
        self.less_equal(right, left)
    }

    pub fn minimum(&mut self, left: Term, right: Term) -> Term {
        let ordered = self.less_equal(left, right);
        self.if_then_else(ordered, left, right)
    }

    fn compare_literals(&self, left: Term, right: Term) -> Option<std::cmp::Ordering> {
        match (self.node(left), self.node(right)) {
            (Node::Int(left), Node::Int(right)) => Some(left.cmp(right)),
            (Node::Real(left), Node::Real(right)) => Some(left.cmp(right)),
            _ => None,
        }
    }
}

/// Quotient and remainder with a remainder that is never negative; the divisor is not zero.
fn euclidean(dividend: &BigInt, divisor: &BigInt) -> (BigInt, BigInt) {
    let (quotient, remainder) = (dividend / divisor, dividend % divisor);
    if remainder >= BigInt::zero() {
        (quotient, remainder)
    } else if *divisor > BigInt::zero() {
        (quotient - 1, remainder + divisor)
    } else {
        (quotient + 1, remainder - divisor)
    }
}
