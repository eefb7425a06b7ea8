//! Consuming (exhaling) an assertion: its formulas are proved, its permissions leave the heap.
//!
//! Values are read from the heap as it was when consuming began; `perm` sees what is left. Permissions are taken
//! greedily: from a chunk that is written the same way, else from one that is provably the same location, else from
//! all that may be.

use silver::typed::{
    BinaryOperator, ExpressionKind, ExpressionRef, contains_inhale_exhale, is_pure, visit_expression,
    when_exhaling,
};
use smt::Term;
use source::Span;

use crate::blame::{Blame, Missing, Reason, Shortage};
use crate::engine::{Engine, Outcome};
use crate::heap::{BasicChunk, Chunk, Resource};
use crate::produce::Manner;
use crate::state::State;

/// Permission to one location that is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Demand<'a> {
    pub resource: Resource,
    pub location: &'a [Term],
    pub amount: Term,
    /// Some of what is held will do: the amount can be made as small as needed.
    pub is_wildcard: bool,
    /// The conditions inside the assertion that lead to it.
    pub guard: Term,
}

impl<'p> Engine<'p> {
    /// A demand that is no part of an assertion.
    pub(crate) fn demand<'a>(&self, resource: Resource, location: &'a [Term], amount: Term) -> Demand<'a> {
        Demand { resource, location, amount, is_wildcard: false, guard: self.encoder.terms.true_() }
    }

    /// Consumes one assertion whose snapshot is not needed.
    pub(crate) fn consume(
        &mut self,
        state: &mut State,
        assertion: &ExpressionRef,
        blame: &Blame,
    ) -> Outcome<Term> {
        let manner = Manner { discards_snapshot: true, ..self.plainly() };
        self.consume_as(state, assertion, manner, blame)
    }

    pub(crate) fn consume_as(
        &mut self,
        state: &mut State,
        assertion: &ExpressionRef,
        manner: Manner,
        blame: &Blame,
    ) -> Outcome<Term> {
        state.with_values_from_before(|state| {
            if contains_inhale_exhale(assertion) {
                self.consume_part(state, &when_exhaling(assertion), manner, blame)
            } else {
                self.consume_part(state, assertion, manner, blame)
            }
        })
    }

    /// Consumes several assertions as their conjunction, with the snapshot structure of `produce_all`.
    pub(crate) fn consume_all(
        &mut self,
        state: &mut State,
        assertions: &[ExpressionRef],
        manner: Manner,
        blame: impl Fn(&ExpressionRef) -> Blame,
    ) -> Outcome<Term> {
        let mut snapshots = Vec::new();
        state.with_values_from_before(|state| {
            for assertion in assertions {
                let snapshot = self.consume_as(state, assertion, manner, &blame(assertion))?;
                if !is_pure(assertion) {
                    snapshots.push(snapshot);
                }
            }
            Ok(())
        })?;
        let Some(mut snapshot) = snapshots.pop() else { return Ok(self.encoder.unit()) };
        for first in snapshots.into_iter().rev() {
            snapshot = self.encoder.combine(first, snapshot);
        }
        Ok(snapshot)
    }

    fn consume_part(
        &mut self,
        state: &mut State,
        assertion: &ExpressionRef,
        manner: Manner,
        blame: &Blame,
    ) -> Outcome<Term> {
        use ExpressionKind as E;
        self.go_on()?;
        if self.is_dead() {
            return Ok(self.encoder.unit());
        }
        match &assertion.kind {
            E::Binary(BinaryOperator::And, left, right) => {
                let first = self.consume_part(state, left, manner, blame)?;
                let second = self.consume_part(state, right, manner, blame)?;
                Ok(match (is_pure(left), is_pure(right)) {
                    (false, false) => self.encoder.combine(first, second),
                    (true, _) => second,
                    (false, true) => first,
                })
            }
            _ if is_pure(assertion) && manner.unchecked => Ok(self.encoder.unit()),
            _ if is_pure(assertion) => {
                self.prove_formula(state, assertion, blame)?;
                Ok(self.encoder.unit())
            }
            E::Binary(BinaryOperator::Implies, condition, body) => {
                let condition = self.evaluate(state, condition, blame)?;
                let snapshot = self.in_case(condition, manner, |engine, manner| {
                    engine.consume_part(state, body, manner, blame)
                })?;
                let unit = self.encoder.unit();
                Ok(self.encoder.terms.if_then_else(condition, snapshot, unit))
            }
            E::Conditional { condition, then, otherwise } => {
                let condition = self.evaluate(state, condition, blame)?;
                let negated = self.encoder.terms.not(condition);
                let first = self.in_case(condition, manner, |engine, manner| {
                    engine.consume_part(state, then, manner, blame)
                })?;
                let second = self.in_case(negated, manner, |engine, manner| {
                    engine.consume_part(state, otherwise, manner, blame)
                })?;
                Ok(self.encoder.terms.if_then_else(condition, first, second))
            }
            E::Let { variable, value, body } => {
                let value = self.evaluate(state, value, blame)?;
                state.store.set(*variable, value);
                self.consume_part(state, body, manner, blame)
            }
            E::FieldPermission { receiver, field, amount } => {
                let receiver = self.evaluate(state, receiver, blame)?;
                let location = (Resource::Field(*field), vec![receiver]);
                self.consume_location(state, location, amount.as_ref(), manner, blame, assertion.span)
            }
            E::PredicatePermission(access) => {
                let arguments = self.evaluate_all(state, &access.arguments, blame)?;
                let location = (Resource::Predicate(access.predicate), arguments);
                self.consume_location(state, location, access.amount.as_ref(), manner, blame, assertion.span)
            }
            E::Wand(wand) => {
                let location = self.evaluate_wand(state, wand, blame)?;
                self.consume_location(state, location, None, manner, blame, assertion.span)
            }
            E::Forall { .. } => self.consume_quantified(state, assertion, manner, blame),
            E::InhaleExhale { exhale, .. } => self.consume_part(state, exhale, manner, blame),
            _ => {
                self.fail_unless_dead(blame, Reason::Unsupported, assertion.span)?;
                Ok(self.encoder.unit())
            }
        }
    }

    fn consume_location(
        &mut self,
        state: &mut State,
        (resource, location): (Resource, Vec<Term>),
        amount: Option<&ExpressionRef>,
        manner: Manner,
        blame: &Blame,
        part: Span,
    ) -> Outcome<Term> {
        let manner = Manner { read_only: manner.read_only || !self.member.amounts_matter, ..manner };
        let is_wildcard = manner.wildcard_scale || amount.is_some_and(mentions_wildcard);
        let amount = self.amount(state, amount, manner, blame)?;
        let positive = self.positive(amount);
        let unit = self.encoder.unit();
        if let Some(false) = self.is_positive(amount) {
            return Ok(unit);
        }
        let snapshot = if manner.read_only {
            let heap = state.readable().clone();
            self.under(positive, |engine| {
                engine.lookup(&heap, resource, &location, !manner.unchecked, blame, part)
            })?
        } else {
            let demand = Demand { resource, location: &location, amount, is_wildcard, guard: manner.guard };
            self.take(state, demand, blame, part)?
        };
        if self.knows(positive) {
            return Ok(snapshot);
        }
        Ok(self.encoder.terms.if_then_else(positive, snapshot, unit))
    }

    /// Takes permission to one location; gives the location's snapshot.
    pub(crate) fn take(
        &mut self,
        state: &mut State,
        demand: Demand<'_>,
        blame: &Blame,
        part: Span,
    ) -> Outcome<Term> {
        if !state.reserve.is_empty() {
            return self.take_in_package(state, demand, blame, part);
        }
        if let Some(snapshot) = self.take_enough(state, demand) {
            return Ok(snapshot);
        }
        self.take_from_all(state, demand, blame, part)
    }

    /// Takes from one chunk that is this location and has enough.
    pub(crate) fn take_enough(&mut self, state: &mut State, demand: Demand<'_>) -> Option<Term> {
        let chunks = state.heap.of(demand.resource);
        for literally in [true, false] {
            if let Some((index, snapshot)) = self.find_enough(&chunks, demand, literally) {
                let rest = self.without(&chunks, index, demand);
                state.heap.set(demand.resource, rest);
                return Some(snapshot);
            }
            if literally && let Some(snapshot) = self.take_by_shape(&mut state.heap, demand) {
                return Some(snapshot);
            }
        }
        self.take_by_tracing(&mut state.heap, demand)
    }

    /// Whether what is held is as much as is asked for.
    pub(crate) fn meets(&mut self, demand: Demand<'_>, held: Term) -> Term {
        if demand.is_wildcard {
            self.positive(held)
        } else {
            self.encoder.terms.less_equal(demand.amount, held)
        }
    }

    /// A basic chunk that is this location, literally or provably, and has enough.
    pub(crate) fn find_enough(
        &mut self,
        chunks: &[Chunk],
        demand: Demand<'_>,
        literally: bool,
    ) -> Option<(usize, Term)> {
        for (index, chunk) in chunks.iter().enumerate() {
            let Chunk::Basic(basic) = chunk else { continue };
            if (*basic.arguments == *demand.location) != literally {
                continue;
            }
            if !literally {
                if self.varies(demand.location) {
                    continue;
                }
                let same = self.same_location(&basic.arguments, demand.location);
                if !self.check(same) {
                    continue;
                }
            }
            let held = self.simplify(basic.permission);
            let enough = self.meets(demand, held);
            if self.check(enough) {
                if demand.is_wildcard {
                    self.constrain_wildcard(demand.amount, held);
                }
                return Some((index, basic.snapshot));
            }
        }
        None
    }

    /// What is taken as a wildcard is less than what is held.
    pub(crate) fn constrain_wildcard(&mut self, amount: Term, held: Term) {
        let (positive, some) = (self.positive(amount), self.positive(held));
        let less = self.encoder.terms.less(amount, held);
        let premise = self.encoder.terms.and(positive, some);
        let fact = self.encoder.terms.implies(premise, less);
        self.assume_meaning(fact);
    }

    /// The chunks after the demand was met by one of them.
    pub(crate) fn without(&mut self, chunks: &[Chunk], index: usize, demand: Demand<'_>) -> Vec<Chunk> {
        let mut rest = chunks.to_vec();
        let Chunk::Basic(basic) = &chunks[index] else { return rest };
        let zero = self.encoder.terms.zero();
        let taken = self.encoder.terms.if_then_else(demand.guard, demand.amount, zero);
        let held = self.simplify_kept(basic.permission);
        let left = self.encoder.terms.subtract(held, taken);
        let left = self.simplify_kept(left);
        let is_gone = left == zero
            || self.encoder.terms.is_true(demand.guard) && {
                let gone = self.encoder.terms.less_equal(left, zero);
                self.encoder.terms.as_real(held).is_none() && self.check(gone)
            };
        if is_gone {
            rest.remove(index);
        } else {
            rest[index] = Chunk::Basic(BasicChunk { permission: left, ..basic.clone() });
        }
        rest
    }

    /// Takes from every chunk that may be the location, as much as it has.
    fn take_from_all(
        &mut self,
        state: &mut State,
        demand: Demand<'_>,
        blame: &Blame,
        part: Span,
    ) -> Outcome<Term> {
        let Demand { resource, location, amount, is_wildcard, guard } = demand;
        let heap = state.heap.clone();
        let chunks = heap.of(resource);
        let total = self.held(&heap, resource, location);
        let enough = if is_wildcard {
            let needed = self.positive(amount);
            let held = self.positive(total);
            self.encoder.terms.implies(needed, held)
        } else {
            self.encoder.terms.less_equal(amount, total)
        };
        let reason = match resource {
            Resource::Wand(_) => Reason::WandNotFound,
            _ => Reason::InsufficientPermission,
        };
        self.must_with(enough, blame, reason, part, |_| {
            let needed = (!is_wildcard).then_some(amount);
            Missing::Permission(Shortage { resource, location: location.to_vec(), needed, held: total })
        })?;
        if is_wildcard {
            self.constrain_wildcard(amount, total);
        }
        let snapshot = self.summarised(&chunks, resource, location);
        let zero = self.encoder.terms.zero();
        let mut needed = self.encoder.terms.if_then_else(guard, amount, zero);
        let mut rest = Vec::new();
        for chunk in chunks.iter() {
            let held = self.chunk_permission(chunk, location);
            let held = self.simplify_kept(held);
            let taken = self.encoder.terms.minimum(held, needed);
            needed = self.encoder.terms.subtract(needed, taken);
            match chunk {
                Chunk::Basic(basic) => {
                    let permission = self.encoder.terms.subtract(basic.permission, taken);
                    if permission != zero {
                        rest.push(Chunk::Basic(BasicChunk { permission, ..basic.clone() }));
                    }
                }
                Chunk::Quantified(quantified) => {
                    let is_untouched = taken == zero || {
                        let none = self.encoder.terms.less_equal(held, zero);
                        self.check(none)
                    };
                    rest.push(match is_untouched {
                        true => chunk.clone(),
                        false => self.left_at(quantified, location, taken),
                    });
                }
            }
        }
        state.heap.set(resource, rest);
        Ok(snapshot)
    }
}

pub(crate) fn mentions_wildcard(amount: &ExpressionRef) -> bool {
    let mut found = false;
    visit_expression(amount, &mut |node| {
        found |= matches!(node.kind, ExpressionKind::Wildcard);
        !found
    });
    found
}
