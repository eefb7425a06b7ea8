//! Consuming quantified permissions.
//!
//! In order: one chunk whose shape matches and that has everything; several chunks whose shapes match; all chunks, with
//! inverse functions. What is left of a chunk is again a chunk of its shape.

use std::rc::Rc;

use silver::typed::ExpressionRef;
use smt::Term;

use super::{Request, matching};
use crate::blame::{Blame, Reason};
use crate::encode::names;
use crate::engine::{Engine, Outcome};
use crate::heap::{BasicChunk, Chunk, Heap, QuantifiedChunk};
use crate::produce::Manner;
use crate::state::State;

/// How a chunk's locations and those of a request correspond.
pub(super) enum Correspondence {
    /// The request's variables that a basic chunk is for.
    Basic { chunk: BasicChunk, backward: Vec<Term> },
    Quantified {
        chunk: Rc<QuantifiedChunk>,
        /// The chunk's variables, over the request's variables.
        forward: Vec<Term>,
        /// The request's variables, over the chunk's variables.
        backward: Vec<Term>,
    },
}

/// Which chunks have what is asked for.
pub(super) enum Plan {
    One(usize),
    /// Those that correspond.
    Several,
    All,
}

impl<'p> Engine<'p> {
    pub(crate) fn consume_quantified(
        &mut self,
        state: &mut State,
        assertion: &ExpressionRef,
        manner: Manner,
        blame: &Blame,
    ) -> Outcome<Term> {
        let manner = Manner { read_only: manner.read_only || !self.member.amounts_matter, ..manner };
        let Some(request) = self.request(state, assertion, None, manner, blame)? else {
            return Ok(self.encoder.unit());
        };
        if !self.around.trusted {
            self.check_injective(&request, Reason::NotInjective, blame)?;
        }
        if manner.read_only {
            let heap = state.readable().clone();
            return self.read_quantified(&heap, &request, manner.unchecked, blame);
        }
        if !state.reserve.is_empty() {
            return self.take_quantified_in_package(state, &request, manner, blame);
        }
        let mut heap = state.heap.clone();
        let snapshot = self.take_quantified(&mut heap, &request, manner, blame)?;
        state.heap = heap;
        Ok(snapshot)
    }

    /// Takes what is asked for out of a heap; gives its snapshot.
    pub(crate) fn take_quantified(
        &mut self,
        heap: &mut Heap,
        request: &Request,
        manner: Manner,
        blame: &Blame,
    ) -> Outcome<Term> {
        let resource = request.resource;
        let chunks = heap.of(resource);
        if let Some(scale) = manner.scale {
            self.must_have_common_share(request, &chunks, scale, blame)?;
        }
        let matches = self.correspondences(request, &chunks);
        let (rest, used) = match self.plan(request, &matches) {
            Plan::One(index) => self.take_from_one(request, &chunks, &matches, index),
            Plan::Several => self.take_from_several(request, &chunks, &matches),
            Plan::All => self.take_traced(request, &chunks, blame)?,
        };
        heap.set(resource, rest);
        if manner.discards_snapshot {
            return Ok(self.encoder.unit());
        }
        Ok(self.footprint(request, &used))
    }

    /// Permission to every location is held, whatever the amount; gives the snapshot.
    fn read_quantified(
        &mut self,
        heap: &Heap,
        request: &Request,
        unchecked: bool,
        blame: &Blame,
    ) -> Outcome<Term> {
        let chunks = heap.of(request.resource);
        if unchecked && chunks.len() == 1 {
            return Ok(self.footprint(request, &chunks));
        }
        let matches = self.correspondences(request, &chunks);
        let one = self.inside(request, |engine| {
            engine.find_one(request, &matches, |engine, chunk, forward| {
                chunk.shape.is_held_at(&mut engine.encoder.terms, forward, &request.arguments)
            })
        });
        if let Some(index) = one {
            return Ok(self.footprint(request, &chunks[index..=index]));
        }
        if !unchecked {
            self.define_all(&chunks);
            let total = self.total(request, &chunks);
            let enough = self.positive(total);
            self.must_inside(request, &chunks, (total, enough), blame)?;
        }
        Ok(self.footprint(request, &chunks))
    }

    /// The snapshot of a request whose values the chunks have.
    fn footprint(&mut self, request: &Request, used: &[Chunk]) -> Term {
        let resource = request.resource;
        if let Some(only) = self.only_quantified(used)
            && only.is_whole
            && self.is_all_of(request, &only.clone())
        {
            return self.whole_snapshot(resource, &only.clone());
        }
        let source = self.summary(resource, used, &request.arguments);
        self.snapshot_of(request, source)
    }

    /// Whether a request is literally for all locations of a chunk.
    fn is_all_of(&mut self, request: &Request, chunk: &QuantifiedChunk) -> bool {
        let terms = &mut self.encoder.terms;
        let Some(backward) = matching::match_all(
            terms,
            &request.shape.variables,
            &request.shape.arguments,
            &chunk.shape.arguments,
        ) else {
            return false;
        };
        let asked = request.shape.is_held_at(terms, &backward, &chunk.shape.arguments);
        let held = self.shape_domain(&chunk.shape);
        let (asked, held) = (self.conjuncts(asked), self.conjuncts(held));
        asked.iter().all(|part| held.contains(part)) && held.iter().all(|part| asked.contains(part))
    }

    // ---- finding chunks ----

    pub(super) fn correspondences(
        &mut self,
        request: &Request,
        chunks: &[Chunk],
    ) -> Vec<Option<Correspondence>> {
        let shape = &request.shape;
        let terms = &mut self.encoder.terms;
        chunks
            .iter()
            .map(|chunk| match chunk {
                Chunk::Basic(basic) => {
                    let backward = shape.instance(terms, &basic.arguments)?;
                    Some(Correspondence::Basic { chunk: basic.clone(), backward })
                }
                Chunk::Quantified(quantified) => {
                    let forward = quantified.shape.instance(terms, &shape.arguments)?;
                    let backward = shape.instance(terms, &quantified.shape.arguments)?;
                    Some(Correspondence::Quantified { chunk: quantified.clone(), forward, backward })
                }
            })
            .collect()
    }

    /// Over the request's constants.
    fn opened(&mut self, request: &Request, term: Term) -> Term {
        let replacements: Vec<_> =
            request.shape.variables.iter().copied().zip(request.constants.iter().copied()).collect();
        self.encoder.terms.substitute_bound(term, &replacements)
    }

    pub(super) fn plan(&mut self, request: &Request, matches: &[Option<Correspondence>]) -> Plan {
        if matches.iter().all(Option::is_none) {
            return Plan::All;
        }
        self.inside(request, |engine| {
            let one = engine.find_one(request, matches, |engine, chunk, forward| {
                let terms = &mut engine.encoder.terms;
                let condition = chunk.shape.condition_at(terms, forward, &request.arguments);
                let permission = chunk.shape.permission_at(terms, forward, &request.arguments);
                let enough = engine.is_enough(request, permission);
                engine.encoder.terms.and(condition, enough)
            });
            if let Some(index) = one {
                return Plan::One(index);
            }
            if matches.iter().flatten().count() < 2 {
                return Plan::All;
            }
            let mut total = engine.encoder.terms.zero();
            for found in matches.iter().flatten() {
                let held = engine.held_here(request, found);
                let held = engine.opened(request, held);
                total = engine.encoder.terms.add(total, held);
            }
            let enough = engine.is_enough(request, total);
            if engine.confirm(enough) { Plan::Several } else { Plan::All }
        })
    }

    /// The first quantified chunk of which a goal holds: literally, else by a quick question.
    fn find_one(
        &mut self,
        request: &Request,
        matches: &[Option<Correspondence>],
        goal: impl Fn(&mut Self, &QuantifiedChunk, &[Term]) -> Term,
    ) -> Option<usize> {
        let mut goals = Vec::new();
        for (index, found) in matches.iter().enumerate() {
            let Some(Correspondence::Quantified { chunk, forward, .. }) = found else { continue };
            let forward: Vec<Term> = forward.iter().map(|value| self.opened(request, *value)).collect();
            goals.push((index, goal(self, chunk, &forward)));
        }
        for (index, goal) in &goals {
            if self.knows_all(*goal) {
                return Some(*index);
            }
        }
        goals.into_iter().find(|(_, goal)| self.confirm(*goal)).map(|(index, _)| index)
    }

    pub(super) fn is_enough(&mut self, request: &Request, held: Term) -> Term {
        if request.is_wildcard {
            self.positive(held)
        } else {
            self.encoder.terms.less_equal(request.amount, held)
        }
    }

    /// What a chunk holds for the request's variables, at least; over these variables.
    fn held_here(&mut self, request: &Request, found: &Correspondence) -> Term {
        match found {
            Correspondence::Basic { chunk, backward } => {
                let variables = self.bound_terms(&request.shape.variables);
                let here = self.same_location(&variables, backward);
                let zero = self.encoder.terms.zero();
                self.encoder.terms.if_then_else(here, chunk.permission, zero)
            }
            Correspondence::Quantified { chunk, forward, .. } => {
                chunk.shape.amount_at(&mut self.encoder.terms, forward, &request.shape.arguments)
            }
        }
    }

    // ---- taking ----

    pub(super) fn take_from_one(
        &mut self,
        request: &Request,
        chunks: &[Chunk],
        matches: &[Option<Correspondence>],
        index: usize,
    ) -> (Vec<Chunk>, Vec<Chunk>) {
        let mut rest = chunks.to_vec();
        let used = vec![chunks[index].clone()];
        let Some(Correspondence::Quantified { chunk, forward, backward }) = &matches[index] else {
            return (rest, used);
        };
        let place = &chunk.shape.arguments;
        let terms = &mut self.encoder.terms;
        let asked = request.shape.condition_at(terms, backward, place);
        let amount = request.shape.permission_at(terms, backward, place);
        if request.is_wildcard {
            let held = chunk.shape.permission_at(terms, forward, &request.shape.arguments);
            self.constrain_wildcards(request, held);
        }
        let (condition, permission) = if amount == chunk.shape.permission && !request.is_wildcard {
            let held = self.conjuncts(chunk.shape.condition);
            if self.conjuncts(asked).iter().all(|part| held.contains(part)) {
                rest.remove(index);
                return (rest, used);
            }
            let terms = &mut self.encoder.terms;
            let not_asked = terms.not(asked);
            (terms.and(chunk.shape.condition, not_asked), chunk.shape.permission)
        } else {
            let terms = &mut self.encoder.terms;
            let zero = terms.zero();
            let taken = terms.if_then_else(asked, amount, zero);
            (chunk.shape.condition, terms.subtract(chunk.shape.permission, taken))
        };
        let left = self.left_of(chunk, condition, permission, &[]);
        if !request.is_wildcard && self.encoder.terms.is_true(request.guard) && self.is_empty(&left) {
            rest.remove(index);
        } else {
            rest[index] = Chunk::Quantified(Rc::new(left));
        }
        (rest, used)
    }

    fn take_from_several(
        &mut self,
        request: &Request,
        chunks: &[Chunk],
        matches: &[Option<Correspondence>],
    ) -> (Vec<Chunk>, Vec<Chunk>) {
        let mut needed = request.shape.permission;
        if request.is_wildcard {
            let mut total = self.encoder.terms.zero();
            for found in matches.iter().flatten() {
                let held = self.held_here(request, found);
                total = self.encoder.terms.add(total, held);
            }
            self.constrain_wildcards(request, total);
        }
        let mut rest = Vec::new();
        let mut used = Vec::new();
        for (chunk, found) in chunks.iter().zip(matches) {
            let Some(found) = found else {
                rest.push(chunk.clone());
                continue;
            };
            used.push(chunk.clone());
            let held = self.held_here(request, found);
            let taken = self.encoder.terms.minimum(held, needed);
            needed = self.encoder.terms.subtract(needed, taken);
            let (Correspondence::Basic { backward, .. } | Correspondence::Quantified { backward, .. }) =
                found;
            let replacements: Vec<_> =
                request.shape.variables.iter().copied().zip(backward.iter().copied()).collect();
            let terms = &mut self.encoder.terms;
            let asked = terms.substitute_bound(request.shape.condition, &replacements);
            let taken = terms.substitute_bound(taken, &replacements);
            let zero = terms.zero();
            let taken = terms.if_then_else(asked, taken, zero);
            match found {
                Correspondence::Basic { chunk, .. } => {
                    rest.extend(self.left_of_basic(chunk, taken, request));
                }
                Correspondence::Quantified { chunk, .. } => {
                    let permission = terms.subtract(chunk.shape.permission, taken);
                    let left = self.left_of(chunk, chunk.shape.condition, permission, &[]);
                    let is_gone = !request.is_wildcard
                        && self.encoder.terms.is_true(request.guard)
                        && self.is_empty(&left);
                    if !is_gone {
                        rest.push(Chunk::Quantified(Rc::new(left)));
                    }
                }
            }
        }
        (rest, used)
    }

    /// Amounts that are taken as wildcards are less than what is held, over the request's variables.
    pub(super) fn constrain_wildcards(&mut self, request: &Request, held: Term) {
        let shape = &request.shape;
        let domain = self.shape_domain(shape);
        let some = self.positive(held);
        let terms = &mut self.encoder.terms;
        let less = terms.less(shape.permission, held);
        let premise = terms.and(domain, some);
        let body = terms.implies(premise, less);
        let mut triggers = shape.triggers.to_vec();
        let own = crate::encode::valid_triggers(terms, &shape.variables, &[vec![shape.permission]]);
        triggers.extend(own);
        let fact = terms.forall(&shape.variables, &triggers, body, names::WILDCARD);
        self.assume_meaning(fact);
    }

    /// A chunk of the same shape after something was taken.
    pub(super) fn left_of(
        &mut self,
        chunk: &QuantifiedChunk,
        condition: Term,
        permission: Term,
        definitions: &[Term],
    ) -> QuantifiedChunk {
        let mut left = chunk.clone();
        left.shape.condition = condition;
        left.shape.permission = permission;
        left.is_whole = false;
        if !definitions.is_empty() {
            let mut all = chunk.definitions.to_vec();
            all.extend(definitions.iter().filter(|definition| !chunk.definitions.contains(definition)));
            left.definitions = Rc::from(all);
        }
        left
    }

    pub(super) fn left_of_basic(
        &mut self,
        chunk: &BasicChunk,
        taken: Term,
        request: &Request,
    ) -> Option<Chunk> {
        let permission = self.encoder.terms.subtract(chunk.permission, taken);
        let permission = self.simplify_kept(permission);
        let zero = self.encoder.terms.zero();
        if permission == zero {
            return None;
        }
        if !request.is_wildcard && self.encoder.terms.is_true(request.guard) {
            let gone = self.encoder.terms.less_equal(permission, zero);
            if self.check(gone) {
                return None;
            }
        }
        Some(Chunk::Basic(BasicChunk { permission, ..chunk.clone() }))
    }

    /// Whether a chunk holds nothing, as far as a quick question about its variables tells.
    pub(super) fn is_empty(&mut self, chunk: &QuantifiedChunk) -> bool {
        let sorts: Vec<_> =
            chunk.shape.variables.iter().map(|variable| self.encoder.terms.bound_sort(*variable)).collect();
        let opened = self.open_sorts("left", &sorts);
        let terms = &mut self.encoder.terms;
        let location = chunk.shape.arguments_at(terms, &opened.constants);
        let held = chunk.shape.is_held_at(terms, &opened.constants, &location);
        let none = terms.not(held);
        self.check(none)
    }
}
