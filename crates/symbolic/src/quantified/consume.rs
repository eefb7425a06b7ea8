//! Consuming quantified permissions.
//!
//! In order: one chunk whose shape matches and that has everything; several chunks whose shapes match; all chunks, with
//! inverse functions. What is left of a chunk is again a chunk of its shape.

use std::rc::Rc;

use silver::typed::ExpressionRef;
use smt::Term;

use super::{Request, matching};
use crate::blame::{Blame, Reason};
use crate::engine::{Engine, Outcome};
use crate::heap::{BasicChunk, Chunk, Heap, QuantifiedChunk, Resource};
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
        let Some(request) = self.request(state, assertion, None, manner, blame)? else {
            return Ok(self.encoder.unit());
        };
        if !self.trusted {
            self.check_injective(&request, Reason::NotInjective, blame)?;
        }
        if manner.read_only || !self.amounts_matter {
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
        let matches = self.correspondences(request, &chunks);
        let (rest, used) = match self.plan(request, &matches) {
            Plan::One(index) => self.take_from_one(request, &chunks, &matches, index),
            Plan::Several => self.take_from_several(request, &chunks, &matches),
            Plan::All => self.take_from_everywhere(request, &chunks, blame)?,
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
            self.must_inside(request, &chunks, enough, blame)?;
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

    /// Takes from every chunk in turn as much as it has, by inverse functions.
    fn take_from_everywhere(
        &mut self,
        request: &Request,
        chunks: &[Chunk],
        blame: &Blame,
    ) -> Outcome<(Vec<Chunk>, Vec<Chunk>)> {
        let resource = request.resource;
        let inverse = self.invert(resource, &request.shape);
        self.define_all(chunks);
        for definition in inverse.definitions.iter() {
            self.assume(*definition);
        }
        let total = self.total(request, chunks);
        let enough = self.is_enough(request, total);
        self.must_inside(request, chunks, enough, blame)?;
        if request.is_wildcard {
            let closed = self.closed(request, total);
            self.constrain_wildcards(request, closed);
        }
        // From here on over the location.
        let location = self.bound_terms(&request.shape.formals);
        let terms = &mut self.encoder.terms;
        let asked = request.shape.condition_at(terms, &inverse.values, &location);
        let amount = request.shape.permission_at(terms, &inverse.values, &location);
        let inside = terms.and(inverse.image, asked);
        let zero = terms.zero();
        let mut needed = terms.if_then_else(inside, amount, zero);
        let mut rest = Vec::new();
        let mut used = Vec::new();
        for chunk in chunks {
            if self.is_untouched(request, chunk) {
                rest.push(chunk.clone());
                continue;
            }
            used.push(chunk.clone());
            match chunk {
                Chunk::Basic(basic) => {
                    let replacements: Vec<_> =
                        request.shape.formals.iter().copied().zip(basic.arguments.iter().copied()).collect();
                    let needed_here = self.encoder.terms.substitute_bound(needed, &replacements);
                    let taken = self.encoder.terms.minimum(basic.permission, needed_here);
                    rest.extend(self.left_of_basic(basic, taken, request));
                    let here = self.same_location(&location, &basic.arguments);
                    let terms = &mut self.encoder.terms;
                    let taken = terms.if_then_else(here, taken, zero);
                    needed = terms.subtract(needed, taken);
                }
                Chunk::Quantified(quantified) => {
                    let terms = &mut self.encoder.terms;
                    let taken = terms.minimum(quantified.shape.permission, needed);
                    let permission = terms.subtract(quantified.shape.permission, taken);
                    let condition = quantified.shape.condition;
                    let left = self.left_of(quantified, condition, permission, &inverse.definitions);
                    let is_gone = !request.is_wildcard
                        && self.encoder.terms.is_true(request.guard)
                        && self.is_empty_at_location(&left);
                    if !is_gone {
                        rest.push(Chunk::Quantified(Rc::new(left)));
                    }
                    let held = self.permission_of(quantified, &location);
                    let taken = self.encoder.terms.minimum(held, needed);
                    needed = self.encoder.terms.subtract(needed, taken);
                }
            }
        }
        Ok((rest, used))
    }

    /// What all chunks hold to the request's location, over its constants.
    pub(super) fn total(&mut self, request: &Request, chunks: &[Chunk]) -> Term {
        let mut total = self.encoder.terms.zero();
        for chunk in chunks {
            let held = self.chunk_permission(chunk, &request.arguments);
            total = self.encoder.terms.add(total, held);
        }
        total
    }

    pub(super) fn define_all(&mut self, chunks: &[Chunk]) {
        for chunk in chunks {
            if let Chunk::Quantified(quantified) = chunk {
                self.assume_definitions(quantified);
            }
        }
    }

    /// Patterns may need the values to find out about the permission.
    fn mention_locations(&mut self, request: &Request, chunks: &[Chunk]) {
        if self.is_in_patterns(request.resource) {
            let map = self.summary(request.resource, chunks, &request.arguments);
            let value = self.map_lookup(request.resource, map, &request.arguments);
            self.mention(value);
        }
    }

    fn must_inside(&mut self, request: &Request, chunks: &[Chunk], goal: Term, blame: &Blame) -> Outcome<()> {
        let reason = match request.resource {
            Resource::Wand(_) => Reason::WandNotFound,
            _ => Reason::InsufficientPermission,
        };
        self.inside(request, |engine| {
            engine.mention_locations(request, chunks);
            engine.must_with(goal, blame, reason, request.span, |_| {
                Some("permission to some of these locations may be missing".to_string())
            })
        })
    }

    fn closed(&mut self, request: &Request, term: Term) -> Term {
        let variables = self.bound_terms(&request.shape.variables);
        let replacements = request.constants.iter().copied().zip(variables).collect();
        self.encoder.terms.substitute(term, &replacements)
    }

    /// Amounts that are taken as wildcards are less than what is held, over the request's variables.
    fn constrain_wildcards(&mut self, request: &Request, held: Term) {
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
        let fact = terms.forall(&shape.variables, &triggers, body, "qp-wildcard");
        self.assume_meaning(fact);
    }

    /// Whether nothing of the request can come from a chunk, as far as a quick question tells.
    pub(super) fn is_untouched(&mut self, request: &Request, chunk: &Chunk) -> bool {
        let held = self.chunk_permission(chunk, &request.arguments);
        if self.encoder.terms.zero() == held {
            return true;
        }
        let zero = self.encoder.terms.zero();
        let none = self.encoder.terms.less_equal(held, zero);
        self.inside(request, |engine| engine.check(none))
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

    fn left_of_basic(&mut self, chunk: &BasicChunk, taken: Term, request: &Request) -> Option<Chunk> {
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
    fn is_empty(&mut self, chunk: &QuantifiedChunk) -> bool {
        let sorts: Vec<_> =
            chunk.shape.variables.iter().map(|variable| self.encoder.terms.bound_sort(*variable)).collect();
        let opened = self.open_sorts("left", &sorts);
        let terms = &mut self.encoder.terms;
        let location = chunk.shape.arguments_at(terms, &opened.constants);
        let held = chunk.shape.is_held_at(terms, &opened.constants, &location);
        let none = terms.not(held);
        self.check(none)
    }

    /// The same by a question about its locations.
    fn is_empty_at_location(&mut self, chunk: &QuantifiedChunk) -> bool {
        let sorts: Vec<_> =
            chunk.shape.formals.iter().map(|formal| self.encoder.terms.bound_sort(*formal)).collect();
        let opened = self.open_sorts("left", &sorts);
        let held = self.is_held_in(chunk, &opened.constants);
        let none = self.encoder.terms.not(held);
        self.check(none)
    }
}
