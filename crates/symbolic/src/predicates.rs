//! Predicates: well-formed bodies, fold, unfold, and unfolding inside expressions.

use silver::typed::{ExpressionRef, PredicateAccess, PredicateId};
use smt::{Sort, Term};

use crate::blame::{Blame, ErrorKind, Reason};
use crate::consume::{Demand, mentions_wildcard};
use crate::engine::{Engine, Outcome};
use crate::heap::{Chunk, Resource};
use crate::limits;
use crate::produce::{Manner, Source};
use crate::state::State;

impl<'p> Engine<'p> {
    /// The body of a predicate says what it needs before it reads it.
    pub(crate) fn check_predicate(&mut self, predicate: PredicateId) -> Outcome<()> {
        let declared = self.run.program.predicate(predicate);
        let Some(body) = &declared.body else { return Ok(()) };
        let mut initial = State::default();
        for formal in &declared.formals {
            self.havoc_local(&mut initial, *formal);
        }
        let blame = Blame::new(ErrorKind::PredicateNotWellFormed, declared.span);
        self.attempt(initial, &mut |engine, mut state| {
            let manner = engine.plainly();
            engine.produce(&mut state, body, Source::Fresh, manner, &blame)?;
            Ok(Vec::new())
        })?;
        Ok(())
    }

    /// Says that an instance was opened or closed here: definitions of functions over it apply.
    pub(crate) fn predicate_trigger(
        &mut self,
        predicate: PredicateId,
        snapshot: Term,
        arguments: &[Term],
    ) -> Term {
        let name = format!("{}%trigger", self.run.program.predicate(predicate).name);
        let terms = &mut self.encoder.terms;
        let mut all = vec![snapshot];
        all.extend_from_slice(arguments);
        let sorts: Vec<Sort> = all.iter().map(|term| terms.sort_of(*term)).collect();
        let bool_sort = terms.bool_sort();
        let function = terms.function(&name, &sorts, bool_sort);
        terms.apply(function, &all)
    }

    /// A state in which a predicate's body is produced or consumed: own variables, the heap of another state.
    fn body_state(&self, state: &State, predicate: PredicateId, arguments: &[Term]) -> State {
        let mut body_state = State { store: crate::state::Store::default(), result: None, ..state.clone() };
        for (formal, argument) in self.run.program.predicate(predicate).formals.iter().zip(arguments) {
            body_state.store.set(*formal, *argument);
        }
        body_state
    }

    /// The amount of a fold, unfold or unfolding, which must be positive.
    fn positive_amount(
        &mut self,
        state: &mut State,
        access: &PredicateAccess,
        blame: &Blame,
    ) -> Outcome<(Term, bool)> {
        let Some(amount) = &access.amount else { return Ok((self.encoder.terms.one(), false)) };
        let value = self.evaluate(state, amount, blame)?;
        if !self.around.trusted {
            let positive = self.positive(value);
            self.must(positive, blame, Reason::PermissionNotPositive, amount.span)?;
        }
        Ok((value, mentions_wildcard(amount)))
    }

    pub(crate) fn fold(&mut self, state: &mut State, access: &PredicateAccess, blame: &Blame) -> Outcome<()> {
        let arguments = self.evaluate_all(state, &access.arguments, blame)?;
        let (amount, is_wildcard) = self.positive_amount(state, access, blame)?;
        let predicate = access.predicate;
        let declared = self.run.program.predicate(predicate);
        let Some(body) = &declared.body else {
            return self.fail_unless_dead(blame, Reason::Unsupported, access.span);
        };
        let mut inner = self.body_state(state, predicate, &arguments);
        let manner = Manner { scale: Some(amount), wildcard_scale: is_wildcard, ..self.plainly() };
        let trusted = !self.run.untrusted.predicates.contains(&predicate)
            && !silver::typed::contains_inhale_exhale(body);
        let snapshot = self.with_locals(&declared.locals, |engine| {
            engine.trusting_if(trusted, |engine| engine.consume_as(&mut inner, body, manner, blame))
        })?;
        state.heap = inner.heap;
        state.reserve = inner.reserve;
        let trigger = self.predicate_trigger(predicate, snapshot, &arguments);
        self.assume(trigger);
        let manner = self.plainly();
        let resource = Resource::Predicate(predicate);
        self.produce_location(state, resource, &arguments, amount, Source::Given(snapshot), manner);
        Ok(())
    }

    pub(crate) fn unfold(
        &mut self,
        state: &mut State,
        access: &PredicateAccess,
        blame: &Blame,
    ) -> Outcome<()> {
        let arguments = self.evaluate_all(state, &access.arguments, blame)?;
        let (amount, is_wildcard) = self.positive_amount(state, access, blame)?;
        let demand = self.demand(Resource::Predicate(access.predicate), &arguments, amount);
        let snapshot = self.take(state, Demand { is_wildcard, ..demand }, blame, access.span)?;
        self.produce_body(state, access.predicate, &arguments, amount, snapshot, blame)
    }

    /// Produces a predicate's body with the values of its snapshot.
    pub(crate) fn produce_body(
        &mut self,
        state: &mut State,
        predicate: PredicateId,
        arguments: &[Term],
        amount: Term,
        snapshot: Term,
        blame: &Blame,
    ) -> Outcome<()> {
        let declared = self.run.program.predicate(predicate);
        let Some(body) = &declared.body else {
            return self.fail_unless_dead(blame, Reason::Unsupported, declared.span);
        };
        // Of use here, but not where a function's definition is used: it would unfold without end.
        let trigger = self.predicate_trigger(predicate, snapshot, arguments);
        self.learn(trigger);
        let mut inner = self.body_state(state, predicate, arguments);
        inner.reading = None;
        let manner = self.scaled(amount);
        let trusted = !self.run.untrusted.predicates.contains(&predicate);
        let own = self.with_locals(&declared.locals, |engine| {
            engine.trusting_if(trusted, |engine| {
                engine.produce(&mut inner, body, Source::Given(snapshot), manner, blame)
            })
        })?;
        // The snapshot is one that folding gives: it has nothing where the body has nothing.
        let is_folded = self.encoder.terms.equal(snapshot, own);
        self.learn(is_folded);
        state.heap = inner.heap;
        Ok(())
    }

    pub(crate) fn evaluate_unfolding(
        &mut self,
        state: &mut State,
        access: &PredicateAccess,
        body: &ExpressionRef,
        blame: &Blame,
    ) -> Outcome<Term> {
        if self.around.opening.iter().filter(|open| **open == access.predicate).count()
            > limits::NESTED_UNFOLDINGS
        {
            // Bodies that unfold the predicate again are followed once; nothing is known of deeper values.
            let sort = self.encoder.sort(&body.ty);
            return Ok(self.fresh("deeper", sort));
        }
        let arguments = self.evaluate_all(state, &access.arguments, blame)?;
        let (amount, is_wildcard) = self.positive_amount(state, access, blame)?;
        let mut inner = state.clone();
        inner.heap = state.readable().clone();
        inner.reading = None;
        inner.reserve = std::rc::Rc::default();
        let resource = Resource::Predicate(access.predicate);
        let snapshot = if !self.member.amounts_matter {
            let heap = inner.heap.clone();
            self.lookup(&heap, resource, &arguments, !self.around.trusted, blame, access.span)?
        } else if self.around.trusted {
            // The permission is known to be there; its amount only matters for `perm` in the body.
            let heap = inner.heap.clone();
            let snapshot = self.lookup(&heap, resource, &arguments, false, blame, access.span)?;
            self.drop_location(&mut inner, self.demand(resource, &arguments, amount));
            snapshot
        } else {
            let demand = Demand { is_wildcard, ..self.demand(resource, &arguments, amount) };
            self.take(&mut inner, demand, blame, access.span)?
        };
        self.with_local_heap(|engine| {
            let opening = [&engine.around.opening[..], &[access.predicate]].concat();
            engine.with(
                |around| &mut around.opening,
                opening,
                |engine| {
                    engine.produce_body(&mut inner, access.predicate, &arguments, amount, snapshot, blame)
                },
            )?;
            if engine.is_recursive(body) {
                // Where the instance is open anyway, the function's definition unfolds one step further.
                let trigger = engine.predicate_trigger(access.predicate, snapshot, &arguments);
                engine.member.unfolded.push(trigger);
            }
            engine.evaluate(&mut inner, body, blame)
        })
    }

    /// Works on the body of a function; gives the instances that were unfolded for applications of the function itself.
    pub(crate) fn noting_unfolded<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> (T, Vec<Term>) {
        let outer = std::mem::take(&mut self.member.unfolded);
        let result = work(self);
        (result, std::mem::replace(&mut self.member.unfolded, outer))
    }

    /// Whether an expression applies a function whose definition is being built.
    fn is_recursive(&self, body: &ExpressionRef) -> bool {
        let mut found = false;
        silver::typed::visit_expression(body, &mut |node| {
            if let silver::typed::ExpressionKind::FunctionApplication { function, .. } = &node.kind {
                found |= self.member.recursive.contains(function);
            }
            !found
        });
        found
    }

    /// Removes an amount from a chunk that is written the same way, without any check.
    fn drop_location(&mut self, state: &mut State, demand: Demand<'_>) {
        let chunks = state.heap.of(demand.resource);
        let is_it =
            |chunk: &Chunk| matches!(chunk, Chunk::Basic(basic) if *basic.arguments == *demand.location);
        if let Some(index) = chunks.iter().position(is_it) {
            let rest = self.without(&chunks, index, demand);
            state.heap.set(demand.resource, rest);
        }
    }
}
