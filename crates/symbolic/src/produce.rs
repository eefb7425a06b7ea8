//! Producing (inhaling) an assertion: its permissions join the heap, its formulas the path.
//!
//! Snapshots follow the syntax of the assertion: a pure part has none, a conjunction of two impure parts is a pair, a
//! conditional part has the snapshot of the branch that is taken, so that equal footprints have equal snapshots
//! whatever was known when they were produced.

use std::rc::Rc;

use silver::typed::{BinaryOperator, ExpressionKind, ExpressionRef, is_pure};
use smt::Term;

use crate::blame::{Blame, Reason};
use crate::engine::{Engine, Outcome};
use crate::heap::{BasicChunk, Chunk, Heap, Resource};
use crate::state::State;

/// Where the values of what is produced come from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source {
    /// Nothing is known about them.
    Fresh,
    /// A snapshot.
    Given(Term),
}

/// How an assertion is produced or consumed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manner {
    /// The conditions inside the assertion that lead to the part.
    pub guard: Term,
    /// What amounts are multiplied with, inside of predicates that are held in part.
    pub scale: Option<Term>,
    /// Permission is needed, but amounts do not matter and nothing is taken.
    pub read_only: bool,
    /// The assertion is known to hold; only its snapshot is wanted.
    pub unchecked: bool,
    /// The scale is a wildcard: what is consumed may be made as small as needed.
    pub wildcard_scale: bool,
    /// The snapshot of what is consumed is not needed.
    pub discards_snapshot: bool,
}

impl Source {
    pub(crate) fn first(self, engine: &mut Engine<'_>) -> Source {
        match self {
            Source::Fresh => Source::Fresh,
            Source::Given(snapshot) => Source::Given(engine.encoder.first(snapshot)),
        }
    }

    pub(crate) fn second(self, engine: &mut Engine<'_>) -> Source {
        match self {
            Source::Fresh => Source::Fresh,
            Source::Given(snapshot) => Source::Given(engine.encoder.second(snapshot)),
        }
    }
}

impl<'p> Engine<'p> {
    pub(crate) fn plainly(&self) -> Manner {
        Manner {
            guard: self.encoder.terms.true_(),
            scale: None,
            read_only: false,
            unchecked: false,
            wildcard_scale: false,
            discards_snapshot: false,
        }
    }

    pub(crate) fn scaled(&self, scale: Term) -> Manner {
        Manner { scale: Some(scale), ..self.plainly() }
    }

    /// Produces several assertions as their conjunction; gives the snapshot.
    pub(crate) fn produce_all(
        &mut self,
        state: &mut State,
        assertions: &[ExpressionRef],
        source: Source,
        blame: impl Fn(&ExpressionRef) -> Blame,
    ) -> Outcome<Term> {
        let manner = self.plainly();
        let (last, init) = match assertions.iter().rposition(|assertion| !is_pure(assertion)) {
            Some(last) => (last, &assertions[..last]),
            None => (0, &assertions[..0]),
        };
        // A right-nested conjunction, as one would write it.
        let mut source = source;
        let mut snapshots = Vec::new();
        for assertion in init {
            if is_pure(assertion) {
                self.produce(state, assertion, Source::Fresh, manner, &blame(assertion))?;
            } else {
                let first = source.first(self);
                source = source.second(self);
                snapshots.push(self.produce(state, assertion, first, manner, &blame(assertion))?);
            }
        }
        let mut snapshot = self.encoder.unit();
        for (index, assertion) in assertions[last..].iter().enumerate() {
            let own = self.produce(state, assertion, source, manner, &blame(assertion))?;
            if index == 0 && !is_pure(assertion) {
                snapshot = own;
            }
        }
        for first in snapshots.into_iter().rev() {
            snapshot = self.encoder.combine(first, snapshot);
        }
        Ok(snapshot)
    }

    pub(crate) fn produce(
        &mut self,
        state: &mut State,
        assertion: &ExpressionRef,
        source: Source,
        manner: Manner,
        blame: &Blame,
    ) -> Outcome<Term> {
        if silver::typed::contains_inhale_exhale(assertion) {
            let assertion = silver::typed::when_inhaling(assertion);
            return self.produce_part(state, &assertion, source, manner, blame);
        }
        self.produce_part(state, assertion, source, manner, blame)
    }

    fn produce_part(
        &mut self,
        state: &mut State,
        assertion: &ExpressionRef,
        source: Source,
        manner: Manner,
        blame: &Blame,
    ) -> Outcome<Term> {
        use ExpressionKind as E;
        self.go_on()?;
        if self.is_dead() {
            return Ok(self.encoder.unit());
        }
        match &assertion.kind {
            E::Binary(BinaryOperator::And, left, right) => match (is_pure(left), is_pure(right)) {
                (false, false) => {
                    let (first, second) = (source.first(self), source.second(self));
                    let first = self.produce_part(state, left, first, manner, blame)?;
                    let second = self.produce_part(state, right, second, manner, blame)?;
                    Ok(self.encoder.combine(first, second))
                }
                (left_pure, _) => {
                    let first = self.produce_part(state, left, source, manner, blame)?;
                    let second = self.produce_part(state, right, source, manner, blame)?;
                    Ok(if left_pure { second } else { first })
                }
            },
            _ if is_pure(assertion) => {
                let fact = self.evaluate(state, assertion, blame)?;
                self.assume(fact);
                Ok(self.encoder.unit())
            }
            E::Binary(BinaryOperator::Implies, condition, body) => {
                let condition = self.evaluate(state, condition, blame)?;
                let snapshot = self.in_case(condition, manner, |engine, manner| {
                    engine.produce_part(state, body, source, manner, blame)
                })?;
                let unit = self.encoder.unit();
                Ok(self.encoder.terms.if_then_else(condition, snapshot, unit))
            }
            E::Conditional { condition, then, otherwise } => {
                let condition = self.evaluate(state, condition, blame)?;
                let negated = self.encoder.terms.not(condition);
                let first = self.in_case(condition, manner, |engine, manner| {
                    engine.produce_part(state, then, source, manner, blame)
                })?;
                let second = self.in_case(negated, manner, |engine, manner| {
                    engine.produce_part(state, otherwise, source, manner, blame)
                })?;
                Ok(self.encoder.terms.if_then_else(condition, first, second))
            }
            E::Let { variable, value, body } => {
                let value = self.evaluate(state, value, blame)?;
                state.store.set(*variable, value);
                self.produce_part(state, body, source, manner, blame)
            }
            E::FieldPermission { receiver, field, amount } => {
                let receiver = self.evaluate(state, receiver, blame)?;
                let amount = self.amount(state, amount.as_ref(), manner, blame)?;
                let resource = Resource::Field(*field);
                Ok(self.produce_location(state, resource, &[receiver], amount, source, manner))
            }
            E::PredicatePermission(access) => {
                let arguments = self.evaluate_all(state, &access.arguments, blame)?;
                let amount = self.amount(state, access.amount.as_ref(), manner, blame)?;
                let resource = Resource::Predicate(access.predicate);
                Ok(self.produce_location(state, resource, &arguments, amount, source, manner))
            }
            E::Wand(wand) => {
                let (resource, arguments) = self.evaluate_wand(state, wand, blame)?;
                let amount = manner.scale.unwrap_or_else(|| self.encoder.terms.one());
                Ok(self.produce_location(state, resource, &arguments, amount, source, manner))
            }
            E::Forall { .. } => self.produce_quantified(state, assertion, source, manner, blame),
            E::InhaleExhale { inhale, .. } => self.produce_part(state, inhale, source, manner, blame),
            _ => {
                self.fail_unless_dead(blame, Reason::Unsupported, assertion.span)?;
                Ok(self.encoder.unit())
            }
        }
    }

    /// Works on a conditional part of an assertion; gives its snapshot where the condition holds.
    pub(crate) fn in_case(
        &mut self,
        condition: Term,
        manner: Manner,
        work: impl FnOnce(&mut Self, Manner) -> Outcome<Term>,
    ) -> Outcome<Term> {
        match self.decide(condition) {
            Some(false) => Ok(self.encoder.unit()),
            Some(true) => work(self, manner),
            None => {
                let guard = self.encoder.terms.and(manner.guard, condition);
                self.guarded_by(condition, |engine| work(engine, Manner { guard, ..manner }))
            }
        }
    }

    /// A permission amount as written, multiplied by the scale; checked not to be negative.
    pub(crate) fn amount(
        &mut self,
        state: &mut State,
        amount: Option<&ExpressionRef>,
        manner: Manner,
        blame: &Blame,
    ) -> Outcome<Term> {
        let value = match amount {
            None => self.encoder.terms.one(),
            // Where only reading matters, one amount is as good as another; one that is no unknown keeps the snapshots of
            // all applications of a function to the same values the same. Nothing is produced like that: amounts tell locations apart.
            Some(amount) if manner.read_only && matches!(amount.kind, ExpressionKind::Wildcard) => {
                self.encoder.terms.one()
            }
            Some(amount) => {
                let value = self.evaluate(state, amount, blame)?;
                if !self.around.trusted {
                    let zero = self.encoder.terms.zero();
                    let goal = self.encoder.terms.less_equal(zero, value);
                    self.must(goal, blame, Reason::NegativePermission, amount.span)?;
                }
                value
            }
        };
        Ok(match manner.scale {
            None => value,
            Some(scale) => self.scale(value, scale),
        })
    }

    /// The product of two amounts that are not negative. Positivity is said as well: solvers are weak at products.
    pub(crate) fn scale(&mut self, value: Term, scale: Term) -> Term {
        let product = self.encoder.terms.multiply(value, scale);
        if product != value && product != scale && self.encoder.terms.as_real(product).is_none() {
            let both_positive = [self.positive(value), self.positive(scale)];
            let premise = self.encoder.terms.all(both_positive);
            let positive = self.positive(product);
            let fact = self.encoder.terms.equal(premise, positive);
            self.assume(fact);
        }
        product
    }

    /// Adds permission to one location.
    pub(crate) fn produce_location(
        &mut self,
        state: &mut State,
        resource: Resource,
        location: &[Term],
        amount: Term,
        source: Source,
        manner: Manner,
    ) -> Term {
        let snapshot = match source {
            Source::Given(snapshot) => snapshot,
            Source::Fresh => self.fresh_snapshot(resource),
        };
        let positive = self.positive(amount);
        if let Resource::Field(field) = resource {
            // The snapshot of a field is a value; said so that equal values make equal snapshots.
            let sort = self.encoder.sort(&self.run.program.field(field).ty);
            let value = self.encoder.unwrap(snapshot, sort);
            let wrapped = self.encoder.wrap(value);
            let is_value = self.encoder.terms.equal(snapshot, wrapped);
            let fact = self.encoder.terms.implies(positive, is_value);
            self.assume(fact);
            let null = self.encoder.null();
            let not_null = self.encoder.terms.not_equal(location[0], null);
            let fact = self.encoder.terms.implies(positive, not_null);
            self.assume(fact);
            if self.member.amounts_matter {
                let one = self.encoder.terms.one();
                let bounded = self.encoder.terms.less_equal(amount, one);
                self.assume(bounded);
            }
        }
        let zero = self.encoder.terms.zero();
        let permission = self.encoder.terms.if_then_else(manner.guard, amount, zero);
        let permission = self.simplify_kept(permission);
        let chunk = BasicChunk { arguments: Rc::from(location), permission, snapshot };
        self.add_chunk(&mut state.heap, resource, chunk);
        if self.knows(positive) {
            snapshot
        } else {
            let unit = self.encoder.unit();
            self.encoder.terms.if_then_else(positive, snapshot, unit)
        }
    }

    /// A snapshot that nothing is known about.
    pub(crate) fn fresh_snapshot(&mut self, resource: Resource) -> Term {
        match resource {
            Resource::Field(field) => {
                let declared = self.run.program.field(field);
                let sort = self.encoder.sort(&declared.ty);
                let value = self.fresh(&declared.name, sort);
                self.encoder.wrap(value)
            }
            Resource::Predicate(predicate) => {
                let sort = self.encoder.snap_sort();
                self.fresh(&self.run.program.predicate(predicate).name, sort)
            }
            Resource::Wand(_) => {
                let sort = self.encoder.snap_sort();
                self.fresh("wand", sort)
            }
        }
    }

    /// Puts a chunk into a heap, joined with a chunk that is written the same way.
    pub(crate) fn add_chunk(&mut self, heap: &mut Heap, resource: Resource, chunk: BasicChunk) {
        if self.encoder.terms.zero() == chunk.permission {
            return;
        }
        let chunks = heap.of(resource);
        let same = chunks
            .iter()
            .position(|other| matches!(other, Chunk::Basic(basic) if *basic.arguments == *chunk.arguments))
            // Instances of a wand may have been packaged with different values.
            .filter(|_| !matches!(resource, Resource::Wand(_)));
        let Some(index) = same else {
            if self.attempt.thorough && !matches!(resource, Resource::Wand(_)) {
                for other in chunks.iter() {
                    for fact in self.facts_about_pair(resource, &chunk, other) {
                        self.assume(fact);
                    }
                }
            }
            heap.add(resource, Chunk::Basic(chunk));
            return;
        };
        let Chunk::Basic(other) = &chunks[index] else { return };
        let merged = self.merge(resource, other, &chunk);
        let mut chunks = chunks.to_vec();
        chunks[index] = Chunk::Basic(merged);
        heap.set(resource, chunks);
    }

    /// One chunk for two that hold the same location.
    pub(crate) fn merge(&mut self, resource: Resource, left: &BasicChunk, right: &BasicChunk) -> BasicChunk {
        let permission = self.encoder.terms.add(left.permission, right.permission);
        if let Resource::Field(_) = resource
            && self.member.amounts_matter
        {
            let one = self.encoder.terms.one();
            let bounded = self.encoder.terms.less_equal(permission, one);
            self.assume(bounded);
        }
        let (left_held, right_held) = (self.positive(left.permission), self.positive(right.permission));
        let both = self.encoder.terms.and(left_held, right_held);
        let equal = self.encoder.terms.equal(left.snapshot, right.snapshot);
        let fact = self.encoder.terms.implies(both, equal);
        self.assume(fact);
        let snapshot = if self.around.guarded == 0 && self.knows(left_held) {
            left.snapshot
        } else if self.around.guarded == 0 && self.knows(right_held) {
            right.snapshot
        } else {
            self.encoder.terms.if_then_else(left_held, left.snapshot, right.snapshot)
        };
        BasicChunk { arguments: left.arguments.clone(), permission, snapshot }
    }
}
