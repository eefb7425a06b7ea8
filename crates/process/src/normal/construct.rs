//! The laws, one constructor for each operator. Each holds for every process, whatever the data are; each may assume that
//! its operands are normal forms.

use std::collections::BTreeSet;

use num_bigint::BigInt;
use num_traits::{One, ToPrimitive, Zero};
use source::Span;

use super::{Algebra, BOUND_VARIABLES, Bound, Counted, Limit, Normal, NormalKind};
use crate::expression::{Binary, Expression, ExpressionKind};
use crate::limits;
use crate::model::{ActionId, ProcessId, VariableId};
use crate::simplify::{
    and, at_most, conjuncts, difference, integer, less, not, plus, truth, truth_of, variable,
};
use crate::substitute::{Substitution, occurs};
use crate::types::Type;
use crate::value::Value;

impl Algebra<'_> {
    /// Where what nobody has written is said to stand.
    pub(crate) fn nowhere(&self) -> Span {
        self.model.span
    }

    /// ε
    pub fn empty(&mut self) -> Result<Normal, Limit> {
        self.intern(NormalKind::Empty)
    }

    /// δ
    pub fn deadlock(&mut self) -> Result<Normal, Limit> {
        self.intern(NormalKind::Deadlock)
    }

    /// An action.
    pub fn action(&mut self, action: ActionId, arguments: &[Expression]) -> Result<Normal, Limit> {
        self.intern(NormalKind::Action(action, arguments.into()))
    }

    /// A declared process.
    pub fn call(&mut self, process: ProcessId, arguments: &[Expression]) -> Result<Normal, Limit> {
        self.intern(NormalKind::Call(process, arguments.into()))
    }

    /// A term that only the language knows.
    pub fn foreign(&mut self, number: u32) -> Result<Normal, Limit> {
        self.intern(NormalKind::Foreign(number))
    }

    /// P·Q: units, δ·P = δ, (P·Q)·R = P·(Q·R), (P+Q)·R = P·R+Q·R, and the same for conditions and sums.
    pub fn sequence(&mut self, first: Normal, second: Normal) -> Result<Normal, Limit> {
        if *self.kind(second) == NormalKind::Empty {
            return Ok(first);
        }
        if let Some(known) = self.sequences.get(&(first, second)) {
            return Ok(*known);
        }
        // The parts of a long sequence are looked at in a loop; what they end with is put before `second` first.
        let mut spine = Vec::new();
        let mut last = first;
        while let NormalKind::Sequence(head, rest) = *self.kind(last) {
            spine.push(head);
            last = rest;
        }
        let mut result = self.sequence_of_last(last, second)?;
        for head in spine.into_iter().rev() {
            result = self.intern_sequence(head, result)?;
        }
        self.sequences.insert((first, second), result);
        Ok(result)
    }

    /// The first is no choice, sum, condition, ε or δ: it stands before another already.
    fn intern_sequence(&mut self, first: Normal, second: Normal) -> Result<Normal, Limit> {
        match self.kind(second) {
            NormalKind::Empty => Ok(first),
            _ => self.intern(NormalKind::Sequence(first, second)),
        }
    }

    fn sequence_of_last(&mut self, first: Normal, second: Normal) -> Result<Normal, Limit> {
        match self.kind(first).clone() {
            NormalKind::Empty => Ok(second),
            NormalKind::Deadlock => Ok(first),
            NormalKind::Choice(alternatives) => {
                let mut all = Vec::with_capacity(alternatives.len());
                for alternative in alternatives.iter() {
                    all.push(self.sequence(*alternative, second)?);
                }
                self.choice(all)
            }
            NormalKind::Conditional(condition, yes, no) => {
                let yes = self.sequence(yes, second)?;
                let no = self.sequence(no, second)?;
                self.conditional(&condition, yes, no)
            }
            NormalKind::Sum(bound, condition, body) => {
                let (fresh, condition, body) = self.open(&bound, &condition, body)?;
                let body = self.sequence(body, second)?;
                self.sum(&fresh, &condition, body)
            }
            _ => self.intern_sequence(first, second),
        }
    }

    /// P+Q+…: order and repetition make no difference, δ is the unit, and ε adds nothing to what may end.
    pub fn choice(&mut self, alternatives: Vec<Normal>) -> Result<Normal, Limit> {
        let mut all = BTreeSet::new();
        for alternative in alternatives {
            match self.kind(alternative) {
                NormalKind::Deadlock => {}
                NormalKind::Choice(inner) => all.extend(inner.iter().copied()),
                _ => {
                    all.insert(alternative);
                }
            }
        }
        if all.len() > limits::SUMMANDS {
            return Err(Limit::Work);
        }
        let empty = self.empty()?;
        if all.contains(&empty) && all.iter().any(|part| *part != empty && self.surely_ends(*part)) {
            all.remove(&empty);
        }
        let mut all = all.into_iter();
        match (all.next(), all.next()) {
            (None, _) => self.deadlock(),
            (Some(only), None) => Ok(only),
            (Some(first), Some(second)) => {
                let all: Vec<Normal> = [first, second].into_iter().chain(all).collect();
                self.intern(NormalKind::Choice(all.into()))
            }
        }
    }

    /// Whether a normal form may end whatever the data are, as far as that is seen without unfolding anything.
    pub(crate) fn surely_ends(&self, normal: Normal) -> bool {
        self.entry(normal).surely_ends
    }

    /// P‖Q‖…: order makes no difference, equal components are counted, ε is the unit. What a component ends in δ the whole
    /// ends in: P·δ‖Q = (P‖Q)·δ, of which P‖δ = P·δ is a case.
    pub fn parallel(&mut self, components: Vec<(Normal, u32)>) -> Result<Normal, Limit> {
        let mut all = Counted::new();
        let mut stuck = false;
        for (component, count) in components {
            if count == 0 {
                continue;
            }
            let (component, ends_stuck) = self.without_last_deadlock(component)?;
            stuck |= ends_stuck;
            match self.kind(component).clone() {
                NormalKind::Empty => {}
                NormalKind::Parallel(inner) => {
                    for (part, times) in inner.iter() {
                        add_counted(&mut all, *part, times.checked_mul(count).ok_or(Limit::Work)?)?;
                    }
                }
                _ => add_counted(&mut all, component, count)?,
            }
        }
        let result = match all.iter().next() {
            None => self.empty()?,
            Some((only, 1)) if all.len() == 1 => *only,
            Some(_) => {
                let all: Vec<(Normal, u32)> = all.into_iter().collect();
                self.intern(NormalKind::Parallel(all.into()))?
            }
        };
        if !stuck {
            return Ok(result);
        }
        let deadlock = self.deadlock()?;
        self.sequence(result, deadlock)
    }

    /// P for P·δ and ε for δ, and whether it was that.
    fn without_last_deadlock(&mut self, normal: Normal) -> Result<(Normal, bool), Limit> {
        let mut spine = Vec::new();
        let mut last = normal;
        while let NormalKind::Sequence(head, rest) = *self.kind(last) {
            spine.push(head);
            last = rest;
        }
        if *self.kind(last) != NormalKind::Deadlock {
            return Ok((normal, false));
        }
        let mut result = self.empty()?;
        for head in spine.into_iter().rev() {
            result = self.intern_sequence(head, result)?;
        }
        Ok((result, true))
    }

    /// P if the condition is true, else Q.
    pub fn conditional(&mut self, condition: &Expression, yes: Normal, no: Normal) -> Result<Normal, Limit> {
        match truth_of(condition) {
            Some(true) => return Ok(yes),
            Some(false) => return Ok(no),
            None if yes == no => return Ok(yes),
            None => {}
        }
        // Of a condition and its negation, the one that is not written as a negation is kept.
        if let ExpressionKind::Unary(_, positive) = condition.kind() {
            return self.conditional(&positive.clone(), no, yes);
        }
        if let ExpressionKind::Binary(Binary::AtMost, ..) = condition.kind() {
            return self.conditional(&not(condition), no, yes);
        }
        self.intern(NormalKind::Conditional(condition.clone(), yes, no))
    }

    /// P*: δ* = ε* = ε, (P*)* = P*, (P+ε)* = P*, (P*+Q)* = (P+Q)*.
    pub fn iteration(&mut self, body: Normal) -> Result<Normal, Limit> {
        let body = match self.kind(body).clone() {
            NormalKind::Empty | NormalKind::Deadlock => return self.empty(),
            NormalKind::Iteration(_) => return Ok(body),
            NormalKind::Choice(alternatives) => {
                let empty = self.empty()?;
                let mut all = Vec::with_capacity(alternatives.len());
                for alternative in alternatives.iter().filter(|part| **part != empty) {
                    match self.kind(*alternative) {
                        NormalKind::Iteration(inner) => all.push(*inner),
                        _ => all.push(*alternative),
                    }
                }
                self.choice(all)?
            }
            _ => body,
        };
        match self.kind(body) {
            NormalKind::Iteration(_) => Ok(body),
            NormalKind::Empty => Ok(body),
            _ => self.intern(NormalKind::Iteration(body)),
        }
    }

    /// Σ over a variable that is free in condition and body: over no value, one value, +, and conditions.
    pub fn sum(&mut self, bound: &Bound, condition: &Expression, body: Normal) -> Result<Normal, Limit> {
        if truth_of(condition) == Some(false) || *self.kind(body) == NormalKind::Deadlock {
            return self.deadlock();
        }
        if let Some((value, rest)) = one_point(bound.variable, condition) {
            let mut substitution = Substitution::new();
            substitution.set(bound.variable, value);
            let condition = substitution.apply(&rest);
            let body = self.substitute(body, &substitution)?;
            let deadlock = self.deadlock()?;
            return self.conditional(&condition, body, deadlock);
        }
        let in_body = self.free_variables(body).binary_search(&bound.variable).is_ok();
        if !in_body && !occurs(bound.variable, condition) && has_values(&bound.ty) {
            let deadlock = self.deadlock()?;
            return self.conditional(condition, body, deadlock);
        }
        if let Some(values) = values_of(bound, condition) {
            let mut all = Vec::with_capacity(values.len());
            for value in values {
                let mut substitution = Substitution::new();
                substitution.set(bound.variable, value);
                let condition = substitution.apply(condition);
                let body = self.substitute(body, &substitution)?;
                let deadlock = self.deadlock()?;
                all.push(self.conditional(&condition, body, deadlock)?);
            }
            return self.choice(all);
        }
        match self.kind(body).clone() {
            NormalKind::Choice(alternatives) => {
                let mut all = Vec::with_capacity(alternatives.len());
                for alternative in alternatives.iter() {
                    all.push(self.sum(bound, condition, *alternative)?);
                }
                self.choice(all)
            }
            NormalKind::Conditional(inner, yes, no) => {
                let yes = self.sum(bound, &and(condition, &inner), yes)?;
                let no = self.sum(bound, &and(condition, &not(&inner)), no)?;
                self.choice(vec![yes, no])
            }
            _ => self.intern_sum(bound, condition, body),
        }
    }

    fn intern_sum(&mut self, bound: &Bound, condition: &Expression, body: Normal) -> Result<Normal, Limit> {
        let (bound, substitution) = self.close(bound, body);
        let condition = substitution.apply(condition);
        let body = self.rename(body, &substitution)?;
        self.intern(NormalKind::Sum(bound, condition, body))
    }

    /// P for all integers of a range, side by side; the variable is free in the body. Ranges of known bounds are written
    /// out, those of known length over a body that is the same for all are counted.
    pub fn family(
        &mut self,
        bound: &Bound,
        from: &Expression,
        to: &Expression,
        body: Normal,
    ) -> Result<Normal, Limit> {
        let in_body = self.free_variables(body).binary_search(&bound.variable).is_ok();
        if let Some(length) = difference(to, from) {
            if length <= BigInt::zero() {
                return self.empty();
            }
            if !in_body {
                let count = length.to_u32().ok_or(Limit::Work)?;
                return self.parallel(vec![(body, count)]);
            }
            if let Some(length) = length.to_u64().filter(|length| *length <= limits::WRITTEN_OUT) {
                let mut all = Vec::new();
                for offset in 0..length {
                    let mut substitution = Substitution::new();
                    substitution.set(bound.variable, plus(from, &BigInt::from(offset)));
                    all.push((self.substitute(body, &substitution)?, 1));
                }
                return self.parallel(all);
            }
        }
        match self.kind(body) {
            NormalKind::Empty => Ok(body),
            NormalKind::Deadlock => {
                let empty = self.empty()?;
                self.conditional(&less(from, to), body, empty)
            }
            _ => {
                let (bound, substitution) = self.close(bound, body);
                let body = self.rename(body, &substitution)?;
                self.intern(NormalKind::Family(bound, from.clone(), to.clone(), body))
            }
        }
    }

    /// The number that a variable has when it is bound around this body, and how to put it there.
    fn close(&self, bound: &Bound, body: Normal) -> (Bound, Substitution) {
        let closed = VariableId(BOUND_VARIABLES + self.entry(body).height);
        let mut substitution = Substitution::new();
        substitution.set(bound.variable, variable(closed, bound.ty.clone(), self.nowhere()));
        (Bound { variable: closed, ..bound.clone() }, substitution)
    }

    /// What stands under a binder, with a fresh variable in the place of the bound one.
    pub fn open(
        &mut self,
        bound: &Bound,
        condition: &Expression,
        body: Normal,
    ) -> Result<(Bound, Expression, Normal), Limit> {
        let fresh = self.fresh_variable();
        let mut substitution = Substitution::new();
        substitution.set(bound.variable, variable(fresh, bound.ty.clone(), self.nowhere()));
        let body = self.rename(body, &substitution)?;
        Ok((Bound { variable: fresh, ..bound.clone() }, substitution.apply(condition), body))
    }
}

fn add_counted(all: &mut Counted, component: Normal, count: u32) -> Result<(), Limit> {
    let known = all.entry(component).or_insert(0);
    *known = known.checked_add(count).ok_or(Limit::Work)?;
    Ok(())
}

/// The one value that a condition leaves a variable, and what else it says.
pub(crate) fn one_point(wanted: VariableId, condition: &Expression) -> Option<(Expression, Expression)> {
    let parts = conjuncts(condition);
    for (place, part) in parts.iter().enumerate() {
        let ExpressionKind::Binary(Binary::Equal, left, right) = part.kind() else { continue };
        for (side, value) in [(left, right), (right, left)] {
            if *side.kind() == ExpressionKind::Variable(wanted) && !occurs(wanted, value) {
                let others = parts.iter().enumerate().filter(|(other, _)| *other != place);
                let start = truth(true, condition.span());
                let rest = others.fold(start, |rest, (_, other)| and(&rest, other));
                return Some((value.clone(), rest));
            }
        }
    }
    bounds_of(wanted, &parts).and_then(|(from, to)| {
        let only = difference(&to, &from)?.is_one();
        only.then(|| (from, condition.clone()))
    })
}

/// The first `from <= x` and `x < to` in a condition.
fn bounds_of(wanted: VariableId, parts: &[Expression]) -> Option<(Expression, Expression)> {
    let mut from = None;
    let mut to = None;
    for part in parts {
        match part.kind() {
            ExpressionKind::Binary(Binary::AtMost, left, right)
                if *right.kind() == ExpressionKind::Variable(wanted) && !occurs(wanted, left) =>
            {
                from.get_or_insert_with(|| left.clone());
            }
            ExpressionKind::Binary(Binary::Less, left, right)
                if *left.kind() == ExpressionKind::Variable(wanted) && !occurs(wanted, right) =>
            {
                to.get_or_insert_with(|| right.clone());
            }
            _ => {}
        }
    }
    match (from, to) {
        (Some(from), Some(to)) if *from.ty() == Type::Integer => Some((from, to)),
        _ => None,
    }
}

/// `from <= x && x < to`
pub(crate) fn in_range(wanted: &Expression, from: &Expression, to: &Expression) -> Expression {
    and(&at_most(from, wanted), &less(wanted, to))
}

/// All values that a condition leaves a variable or its type has, where these are few and known.
fn values_of(bound: &Bound, condition: &Expression) -> Option<Vec<Expression>> {
    if bound.ty == Type::Boolean {
        return Some([false, true].map(|value| truth(value, condition.span())).into());
    }
    let (from, to) = bounds_of(bound.variable, &conjuncts(condition))?;
    let ExpressionKind::Literal(Value::Integer(first)) = from.kind() else { return None };
    let length = difference(&to, &from)?.max(BigInt::zero());
    let length = length.to_u64().filter(|length| *length <= limits::WRITTEN_OUT)?;
    Some((0..length).map(|offset| integer(first + offset, from.span())).collect())
}

/// Whether there surely is a value of a type.
pub(crate) fn has_values(ty: &Type) -> bool {
    match ty {
        Type::Boolean
        | Type::Integer
        | Type::Rational
        | Type::Character
        | Type::Text
        | Type::Enumeration(_)
        | Type::Sequence(_)
        | Type::Set(_)
        | Type::Bag(_)
        | Type::Map(..)
        | Type::Option(_) => true,
        Type::Pair(first, second) => has_values(first) && has_values(second),
        Type::Either(first, second) => has_values(first) || has_values(second),
        Type::Data(..) | Type::Opaque(_) => false,
    }
}
