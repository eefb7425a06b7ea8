//! Taking permission while a wand is packaged: what the heap of the proof lacks is taken from the heaps around it,
//! innermost first.
//!
//! What is taken joins the heap of the proof, so that it can be read there, and is then consumed as usual. It is part
//! of the wand's footprint from then on, even if the proof does not pass it on.

use std::rc::Rc;

use smt::Term;
use source::Span;

use crate::blame::Blame;
use crate::consume::Demand;
use crate::engine::{Engine, Outcome};
use crate::heap::{BasicChunk, Chunk, Heap, Resource};
use crate::state::State;

impl<'p> Engine<'p> {
    /// Stands in for [`Engine::take`] inside of a package.
    pub(crate) fn take_in_package(
        &mut self,
        state: &mut State,
        demand: Demand<'_>,
        blame: &Blame,
        part: Span,
    ) -> Outcome<Term> {
        if let Some(snapshot) = self.take_enough(state, demand) {
            return Ok(snapshot);
        }
        self.transfer(state, demand);
        if self.is_dead() {
            return Ok(self.encoder.unit());
        }
        state.with(|state| &mut state.reserve, Rc::default(), |state| self.take(state, demand, blame, part))
    }

    /// Brings what is missing from the heaps around, as far as they have it.
    fn transfer(&mut self, state: &mut State, demand: Demand<'_>) {
        let heap = state.heap.clone();
        let held = self.held(&heap, demand.resource, demand.location);
        let held = self.simplify(held);
        let is_named =
            |chunk: &Chunk| matches!(chunk, Chunk::Basic(basic) if *basic.arguments == *demand.location);
        let is_plain = held == self.encoder.terms.zero()
            && state.reserve.iter().any(|heap| heap.of(demand.resource).iter().any(is_named));
        if !is_plain {
            for index in 0..state.reserve.len() {
                let heap = state.reserve[index].clone();
                self.assume_about_reserve(&heap, index, demand.resource);
            }
        }
        let mut missing = if demand.is_wildcard {
            let some = self.positive(held);
            if self.check(some) {
                return;
            }
            demand.amount
        } else if self.is_better_around(state, demand, held) {
            demand.amount
        } else {
            self.shortage(demand.amount, held)
        };
        let mut reserve = state.reserve.to_vec();
        let mut received: Vec<(usize, BasicChunk)> = Vec::new();
        for (index, around) in reserve.iter_mut().enumerate() {
            if self.is_none(missing) {
                break;
            }
            let moved = self.take_from_reserve(around, demand, &mut missing);
            if moved.is_empty() {
                continue;
            }
            let had_some = !state.readable().of(demand.resource).is_empty();
            for chunk in moved {
                self.relate(demand.resource, &received, &chunk);
                self.receive(state, demand.resource, Chunk::Basic(chunk.clone()));
                received.push((index, chunk));
            }
            // What the left-hand side gives may contradict what is around: then the wand can never be applied.
            if had_some && self.is_infeasible() {
                self.learn_never();
                break;
            }
        }
        state.reserve = Rc::new(reserve);
    }

    /// Whether a heap around surely has all of it, and the heap of the proof has it only if locations happen to be the
    /// same. Then values are known only for what is around.
    fn is_better_around(&mut self, state: &State, demand: Demand<'_>, held: Term) -> bool {
        if held == self.encoder.terms.zero() {
            return false;
        }
        for chunk in state.heap.of(demand.resource).iter() {
            let Chunk::Basic(basic) = chunk else { return false };
            let same = self.same_location(&basic.arguments, demand.location);
            if self.check(same) {
                return false;
            }
        }
        let heaps = state.reserve.clone();
        heaps.iter().any(|heap| {
            let chunks = heap.of(demand.resource);
            [true, false].into_iter().any(|literally| self.find_enough(&chunks, demand, literally).is_some())
        })
    }

    /// Says what follows from the chunks of a heap around being held at the same time. That holds outside as well.
    pub(crate) fn assume_about_reserve(&mut self, heap: &Heap, index: usize, resource: Resource) {
        if let Resource::Wand(_) = resource {
            return;
        }
        let depth = self.around.lefts.len().saturating_sub(1 + index);
        let chunks = heap.of(resource);
        for (place, chunk) in chunks.iter().enumerate() {
            let Chunk::Basic(basic) = chunk else { continue };
            for (other_place, other) in chunks.iter().enumerate() {
                // Each pair once.
                if other_place == place || matches!(other, Chunk::Basic(_)) && other_place > place {
                    continue;
                }
                for fact in self.facts_about_pair(resource, basic, other) {
                    self.member.packaging.around.insert(fact, depth);
                    self.assume(fact);
                }
            }
        }
    }

    /// What is taken from a heap further out becomes part of the footprints of all packages in between, so there it
    /// agrees with what is taken from their own heaps.
    fn relate(&mut self, resource: Resource, received: &[(usize, BasicChunk)], chunk: &BasicChunk) {
        if let Resource::Wand(_) = resource {
            return;
        }
        for (index, other) in received {
            let inside = self.around.lefts.len().saturating_sub(1 + index);
            if inside == 0 {
                continue;
            }
            let both = [self.positive(other.permission), self.positive(chunk.permission)];
            let both = self.encoder.terms.all(both);
            let equal = self.encoder.terms.equal(other.snapshot, chunk.snapshot);
            let fact = self.encoder.terms.implies(both, equal);
            self.member.packaging.around.insert(fact, inside);
            self.assume(fact);
        }
    }

    fn is_none(&mut self, missing: Term) -> bool {
        let zero = self.encoder.terms.zero();
        let nothing = self.encoder.terms.less_equal(missing, zero);
        missing == zero || self.check(nothing)
    }

    /// What is needed beyond what is held.
    fn shortage(&mut self, amount: Term, held: Term) -> Term {
        let zero = self.encoder.terms.zero();
        if held == zero {
            return amount;
        }
        let difference = self.encoder.terms.subtract(amount, held);
        let difference = self.simplify(difference);
        let not_negative = self.encoder.terms.less_equal(held, amount);
        if self.check(not_negative) {
            return difference;
        }
        self.encoder.terms.if_then_else(not_negative, difference, zero)
    }

    /// Takes from the chunks of one heap: from those that are provably the location, then from all that may be.
    fn take_from_reserve(
        &mut self,
        heap: &mut Heap,
        demand: Demand<'_>,
        missing: &mut Term,
    ) -> Vec<BasicChunk> {
        let mut chunks = heap.of(demand.resource).to_vec();
        let mut moved = Vec::new();
        let mut settled = vec![false; chunks.len()];
        for literally in [true, false] {
            for (index, chunk) in chunks.iter_mut().enumerate() {
                let Chunk::Basic(basic) = &*chunk else { continue };
                if settled[index] || (*basic.arguments == *demand.location) != literally {
                    continue;
                }
                if !literally {
                    let same = self.same_location(&basic.arguments, demand.location);
                    if !self.check(same) {
                        continue;
                    }
                }
                settled[index] = true;
                let held = self.simplify(basic.permission);
                let snapshot = basic.snapshot;
                let taken = self.share(held, demand, missing);
                *chunk = self.reduce(chunk, demand, taken);
                moved.push((taken, snapshot));
                if self.is_none(*missing) {
                    break;
                }
            }
        }
        if !self.is_none(*missing) {
            for (index, chunk) in chunks.iter_mut().enumerate() {
                if settled[index] {
                    continue;
                }
                let held = self.chunk_permission(chunk, demand.location);
                let held = self.simplify(held);
                if self.is_none(held) {
                    continue;
                }
                let snapshot = self.chunk_snapshot(chunk, demand.resource, demand.location);
                let taken = self.share(held, demand, missing);
                *chunk = self.reduce(chunk, demand, taken);
                moved.push((taken, snapshot));
            }
        }
        let zero = self.encoder.terms.zero();
        chunks.retain(|chunk| !matches!(chunk, Chunk::Basic(basic) if basic.permission == zero));
        if !moved.is_empty() {
            heap.set(demand.resource, chunks);
        }
        let mut given = Vec::new();
        for (taken, snapshot) in moved {
            let permission = self.encoder.terms.if_then_else(demand.guard, taken, zero);
            if permission != zero {
                given.push(BasicChunk { arguments: Rc::from(demand.location), permission, snapshot });
            }
        }
        given
    }

    /// How much of what is held goes to meet the demand.
    fn share(&mut self, held: Term, demand: Demand<'_>, missing: &mut Term) -> Term {
        if demand.is_wildcard {
            // Some of it, whatever that is.
            let part = self.fresh_share(held);
            let some = self.positive(held);
            let less = self.encoder.terms.less(part, held);
            let bounded = self.encoder.terms.implies(some, less);
            self.assume_meaning(bounded);
            if self.check(some) {
                *missing = self.encoder.terms.zero();
                return part;
            }
            let zero = self.encoder.terms.zero();
            return self.encoder.terms.if_then_else(some, part, zero);
        }
        let enough = self.encoder.terms.less_equal(*missing, held);
        if self.check(enough) {
            return std::mem::replace(missing, self.encoder.terms.zero());
        }
        let exhausted = self.encoder.terms.less_equal(held, *missing);
        let taken = if self.check(exhausted) { held } else { self.encoder.terms.minimum(held, *missing) };
        let rest = self.encoder.terms.subtract(*missing, taken);
        *missing = self.simplify(rest);
        taken
    }

    /// A wildcard that is to be less than what is held. It can be chosen for all left-hand sides at once that this
    /// does not depend on.
    fn fresh_share(&mut self, held: Term) -> Term {
        let sort = self.encoder.terms.real_sort();
        let lefts = self.lefts_in(held);
        let part = self.with(|around| &mut around.lefts, lefts, |engine| engine.fresh("wildcard", sort));
        let zero = self.encoder.terms.zero();
        let positive = self.encoder.terms.less(zero, part);
        self.assume_meaning(positive);
        part
    }

    /// The left-hand sides of packages around whose snapshots a term mentions.
    pub(crate) fn lefts_in(&self, term: Term) -> Vec<Term> {
        let is_in = |left: &Term| crate::quantifier::mentions(&self.encoder.terms, term, &[*left]);
        self.around.lefts.iter().copied().filter(is_in).collect()
    }

    /// A chunk after some permission to one location was taken from it.
    fn reduce(&mut self, chunk: &Chunk, demand: Demand<'_>, taken: Term) -> Chunk {
        let zero = self.encoder.terms.zero();
        let taken = self.encoder.terms.if_then_else(demand.guard, taken, zero);
        match chunk {
            Chunk::Basic(basic) => {
                // Not simplified: outside of the package less is known.
                let permission = self.encoder.terms.subtract(basic.permission, taken);
                Chunk::Basic(BasicChunk { permission, ..basic.clone() })
            }
            Chunk::Quantified(quantified) => self.left_at(quantified, demand.location, taken),
        }
    }

    /// The snapshot that a chunk gives a location, if it holds it.
    pub(crate) fn chunk_snapshot(&mut self, chunk: &Chunk, resource: Resource, location: &[Term]) -> Term {
        match chunk {
            Chunk::Basic(basic) => basic.snapshot,
            Chunk::Quantified(quantified) => {
                let value = self.map_lookup(resource, quantified.map, location);
                self.value_snapshot(value)
            }
        }
    }

    /// Puts what was taken from the heaps around into the heap of the proof.
    pub(crate) fn receive(&mut self, state: &mut State, resource: Resource, chunk: Chunk) {
        self.agree(&state.readable().clone(), resource, &chunk);
        let new = [(resource, chunk)];
        state.heap = self.with_transferred(&state.heap, &new);
        if let Some(reading) = state.reading.take() {
            state.reading = Some(self.with_transferred(&reading, &new));
        }
        Rc::make_mut(&mut state.transferred).extend(new);
    }

    /// Assumes what follows from adding a chunk to a heap: it has the value that other chunks give to its location, and
    /// together they are at most a full permission.
    fn agree(&mut self, heap: &Heap, resource: Resource, chunk: &Chunk) {
        if let Resource::Wand(_) = resource {
            return;
        }
        for other in heap.of(resource).iter() {
            let facts = match (chunk, other) {
                // Found out when it matters.
                (Chunk::Basic(_), Chunk::Basic(_)) => continue,
                (Chunk::Basic(basic), quantified) | (quantified, Chunk::Basic(basic)) => {
                    self.facts_about_pair(resource, basic, quantified)
                }
                (Chunk::Quantified(left), Chunk::Quantified(right)) => {
                    self.facts_about_quantified_pair(resource, left, right)
                }
            };
            for fact in facts {
                self.assume(fact);
            }
        }
    }

    /// An assertion was checked by consuming it in `attempt`: what that took from the heaps around stays in the heap
    /// of the proof.
    pub(crate) fn keep_transferred(&mut self, state: &mut State, attempt: &State) {
        if state.reserve.is_empty() {
            return;
        }
        let new = &attempt.transferred[state.transferred.len()..];
        state.heap = self.with_transferred(&state.heap, new);
        state.reserve = attempt.reserve.clone();
        state.transferred = attempt.transferred.clone();
    }

    /// A heap together with what was taken from elsewhere.
    pub(crate) fn with_transferred(&mut self, heap: &Heap, transferred: &[(Resource, Chunk)]) -> Heap {
        let mut heap = heap.clone();
        for (resource, chunk) in transferred {
            match chunk {
                Chunk::Basic(basic) => self.add_chunk(&mut heap, *resource, basic.clone()),
                quantified @ Chunk::Quantified(_) => heap.add(*resource, quantified.clone()),
            }
        }
        heap
    }

    /// The snapshot of the first chunk that holds a location. Two instances of one wand may have different
    /// snapshots, so nothing is learned about the others.
    pub(crate) fn first_held(&mut self, chunks: &[Chunk], resource: Resource, location: &[Term]) -> Term {
        let mut snapshot = None;
        for chunk in chunks.iter().rev() {
            let own = self.chunk_snapshot(chunk, resource, location);
            snapshot = Some(match snapshot {
                None => own,
                Some(otherwise) => {
                    let held = self.chunk_permission(chunk, location);
                    let some = self.positive(held);
                    self.encoder.terms.if_then_else(some, own, otherwise)
                }
            });
        }
        snapshot.unwrap_or_else(|| self.encoder.unit())
    }
}
