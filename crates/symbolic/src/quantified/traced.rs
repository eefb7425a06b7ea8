//! Consuming quantified permissions whose shape no chunk has: locations are traced back by inverse functions.
//!
//! First a chunk is looked for that has everything, then few that have it together, those first that are written with
//! the same constants; then all. What is not needed stays as it is, so that chunks do not get more complicated because
//! something else was taken.

use std::rc::Rc;

use rustc_hash::FxHashSet;
use smt::{Node, Term};

use super::Request;
use crate::blame::{Blame, Missing, Reason, Shortage};
use crate::engine::{Engine, Outcome};
use crate::heap::{Chunk, Inverse, QuantifiedChunk, Resource};
use crate::limits;

impl<'p> Engine<'p> {
    /// Takes from chunks, one after the other, as much as is needed; gives what is left and what was used.
    pub(super) fn take_traced(
        &mut self,
        request: &Request,
        chunks: &[Chunk],
        blame: &Blame,
    ) -> Outcome<(Vec<Chunk>, Vec<Chunk>)> {
        let chosen = match self.enough_of(request, chunks) {
            Some(chosen) => chosen,
            None => {
                self.define_all(chunks);
                let total = self.total(request, chunks);
                let enough = self.is_enough(request, total);
                self.must_inside(request, chunks, (total, enough), blame)?;
                (0..chunks.len()).filter(|index| !self.is_untouched(request, &chunks[*index])).collect()
            }
        };
        let used: Vec<Chunk> = chosen.iter().map(|index| chunks[*index].clone()).collect();
        self.define_all(&used);
        let inverse = self.invert(request.resource, &request.shape);
        for definition in inverse.definitions.iter() {
            self.assume(*definition);
        }
        if request.is_wildcard {
            let total = self.total(request, &used);
            let closed = self.closed(request, total);
            self.constrain_wildcards(request, closed);
        }
        let rest = match (&chosen[..], &used[..]) {
            ([index], [Chunk::Quantified(only)]) => {
                let left = self.left_after_all(request, &inverse, only);
                let mut rest = chunks.to_vec();
                match left {
                    Some(left) => rest[*index] = left,
                    None => drop(rest.remove(*index)),
                }
                rest
            }
            _ => self.left_after_parts(request, &inverse, chunks, &chosen),
        };
        Ok((rest, used))
    }

    /// Some of the chunks that have all that is asked for, as far as quick questions tell; in the heap's order.
    fn enough_of(&mut self, request: &Request, chunks: &[Chunk]) -> Option<Vec<usize>> {
        let order = self.by_relevance(&request.arguments, chunks);
        let relevant = order.iter().filter(|(_, shared)| *shared > 0).count();
        let order: Vec<usize> = order.into_iter().map(|(index, _)| index).collect();
        for index in order.iter().take(relevant.max(limits::STRANGERS)) {
            let only = std::slice::from_ref(&chunks[*index]);
            if matches!(only, [Chunk::Quantified(_)]) && self.is_enough_held(request, only) {
                return Some(vec![*index]);
            }
        }
        let mut size = 2;
        while size < order.len() {
            let mut chosen = order[..size].to_vec();
            chosen.sort_unstable();
            let some: Vec<Chunk> = chosen.iter().map(|index| chunks[*index].clone()).collect();
            if self.is_enough_held(request, &some) {
                return Some(chosen);
            }
            size *= 2;
        }
        None
    }

    fn is_enough_held(&mut self, request: &Request, chunks: &[Chunk]) -> bool {
        self.define_all(chunks);
        let total = self.total(request, chunks);
        let enough = self.is_enough(request, total);
        self.inside(request, |engine| {
            engine.mention_locations(request, chunks);
            engine.check(enough)
        })
    }

    /// Chunks and how many constants they share with a location, most first.
    pub(super) fn by_relevance(&self, location: &[Term], chunks: &[Chunk]) -> Vec<(usize, usize)> {
        let wanted = self.constants(location);
        let mut order: Vec<(usize, usize)> = chunks
            .iter()
            .enumerate()
            .map(|(index, chunk)| {
                let own = match chunk {
                    Chunk::Basic(basic) => self.constants(&basic.arguments),
                    Chunk::Quantified(quantified) => self.constants(&quantified.shape.arguments),
                };
                (index, own.intersection(&wanted).count())
            })
            .collect();
        order.sort_by_key(|(_, shared)| std::cmp::Reverse(*shared));
        order
    }

    fn constants(&self, roots: &[Term]) -> FxHashSet<Term> {
        let terms = &self.encoder.terms;
        let is_constant =
            |term: &Term| matches!(terms.node(*term), Node::Apply(_, arguments) if arguments.is_empty());
        terms.reachable(roots).into_iter().filter(is_constant).collect()
    }

    /// Whether a location is asked for and how much of it, over the location.
    fn asked_at(&mut self, request: &Request, inverse: &Inverse) -> (Term, Term) {
        let location = self.bound_terms(&request.shape.formals);
        let terms = &mut self.encoder.terms;
        let condition = request.shape.condition_at(terms, &inverse.values, &location);
        let amount = request.shape.permission_at(terms, &inverse.values, &location);
        (terms.and(inverse.image, condition), amount)
    }

    /// What is left of the only chunk that something is taken from; it has all that is asked for.
    fn left_after_all(
        &mut self,
        request: &Request,
        inverse: &Inverse,
        chunk: &QuantifiedChunk,
    ) -> Option<Chunk> {
        let (asked, amount) = self.asked_at(request, inverse);
        let shape = &chunk.shape;
        let terms = &mut self.encoder.terms;
        let (condition, permission) = if amount == shape.permission && !request.is_wildcard {
            let not_asked = terms.not(asked);
            (terms.and(shape.condition, not_asked), shape.permission)
        } else {
            let zero = terms.zero();
            let taken = terms.if_then_else(asked, amount, zero);
            (shape.condition, terms.subtract(shape.permission, taken))
        };
        let left = self.left_of(chunk, condition, permission, &inverse.definitions);
        self.unless_empty(request, left)
    }

    /// What is left of the chunks, of which several give as much as they have until there is enough.
    fn left_after_parts(
        &mut self,
        request: &Request,
        inverse: &Inverse,
        chunks: &[Chunk],
        chosen: &[usize],
    ) -> Vec<Chunk> {
        let location = self.bound_terms(&request.shape.formals);
        let (asked, amount) = self.asked_at(request, inverse);
        let zero = self.encoder.terms.zero();
        let mut needed = self.encoder.terms.if_then_else(asked, amount, zero);
        let mut rest = Vec::new();
        for (index, chunk) in chunks.iter().enumerate() {
            if !chosen.contains(&index) {
                rest.push(chunk.clone());
                continue;
            }
            match chunk {
                Chunk::Basic(basic) => {
                    let needed_here = request.shape.at(&mut self.encoder.terms, needed, &basic.arguments);
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
                    rest.extend(self.unless_empty(request, left));
                    let held = self.permission_of(quantified, &location);
                    let taken = self.encoder.terms.minimum(held, needed);
                    needed = self.encoder.terms.subtract(needed, taken);
                }
            }
        }
        rest
    }

    /// A chunk, unless a quick question tells that it holds nothing any more.
    fn unless_empty(&mut self, request: &Request, left: QuantifiedChunk) -> Option<Chunk> {
        let is_gone = !request.is_wildcard
            && self.encoder.terms.is_true(request.guard)
            && (self.is_empty(&left) || self.is_empty_at_location(&left));
        (!is_gone).then(|| Chunk::Quantified(Rc::new(left)))
    }

    /// What chunks hold to the request's location, over its constants.
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

    /// What is held to each location is enough.
    pub(super) fn must_inside(
        &mut self,
        request: &Request,
        chunks: &[Chunk],
        (held, enough): (Term, Term),
        blame: &Blame,
    ) -> Outcome<()> {
        let resource = request.resource;
        let reason = match resource {
            Resource::Wand(_) => Reason::WandNotFound,
            _ => Reason::InsufficientPermission,
        };
        self.inside(request, |engine| {
            engine.mention_locations(request, chunks);
            engine.must_with(enough, blame, reason, request.span, |_| {
                let needed = (!request.is_wildcard).then_some(request.amount);
                Missing::Permission(Shortage { resource, location: request.arguments.clone(), needed, held })
            })
        })
    }

    fn closed(&mut self, request: &Request, term: Term) -> Term {
        let variables = self.bound_terms(&request.shape.variables);
        let replacements = request.constants.iter().copied().zip(variables).collect();
        self.encoder.terms.substitute(term, &replacements)
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

    /// Whether a chunk holds nothing, as far as a quick question about its locations tells.
    fn is_empty_at_location(&mut self, chunk: &QuantifiedChunk) -> bool {
        let sorts: Vec<_> =
            chunk.shape.formals.iter().map(|formal| self.encoder.terms.bound_sort(*formal)).collect();
        let opened = self.open_sorts("left", &sorts);
        let held = self.is_held_in(chunk, &opened.constants);
        let none = self.encoder.terms.not(held);
        self.check(none)
    }

    /// The quantified chunk that provably holds a location, among those that share constants with it.
    pub(super) fn find_traced(
        &mut self,
        chunks: &[Chunk],
        location: &[Term],
        goal: impl Fn(&mut Self, &QuantifiedChunk) -> Term,
    ) -> Option<usize> {
        for (index, shared) in self.by_relevance(location, chunks) {
            if shared == 0 {
                break;
            }
            let Chunk::Quantified(chunk) = &chunks[index] else { continue };
            self.assume_definitions(chunk);
            let goal = goal(self, chunk);
            if self.confirm(goal) {
                return Some(index);
            }
        }
        None
    }
}
