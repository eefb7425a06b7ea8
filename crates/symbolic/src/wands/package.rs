//! Packaging a wand.
//!
//! The proof is run for an arbitrary snapshot of the left-hand side, on all its paths; each ends by consuming the
//! right-hand side. A path that turns out to be impossible ends as well: it says that the wand cannot be applied under
//! its conditions, but what it took is part of the footprint. Together the ends define the wand's snapshot. If they
//! leave different heaps around, execution goes on for each of them.

use std::rc::Rc;

use rustc_hash::FxHashSet;
use silver::typed::{Block, Wand};
use smt::{Function, Node, Term};
use source::Span;
use verdict::Reason;

use super::apply::Definition;
use crate::attempt::After;
use crate::blame::{Blame, ErrorKind, Stop};
use crate::control::ControlFlow;
use crate::engine::{Engine, Outcome};
use crate::heap::{Chunk, Heap, Resource};
use crate::path::Mark;
use crate::produce::Source;
use crate::quantified::remember_parted;
use crate::quantifier::{Opened, mentions};
use crate::state::State;

/// Where a path through the proof ended.
struct End {
    /// The conditions of the path's branches.
    guard: Term,
    facts: Vec<Term>,
    /// The heaps around, innermost first.
    heaps: Rc<Vec<Heap>>,
    /// The snapshot of the right-hand side.
    right: Term,
}

/// A package statement.
#[derive(Clone, Copy)]
struct Package<'p> {
    wand: &'p Wand,
    proof: &'p Block,
    blame: Blame,
}

impl<'p> Engine<'p> {
    pub(crate) fn package(
        &mut self,
        state: State,
        wand: &'p Wand,
        proof: &'p Block,
        span: Span,
    ) -> Outcome<Vec<State>> {
        let package = Package { wand, proof, blame: Blame::new(ErrorKind::Package, span) };
        let mut location = None;
        let After { states, has_split } = self.attempt_in_cases(state, &mut |engine, mut state| {
            location = Some(engine.evaluate_wand(&mut state, wand, &package.blame)?);
            Ok(vec![engine.suspend(state)])
        })?;
        let mut packaged = Vec::new();
        for state in states {
            let mut state = self.resume(state);
            if self.is_dead() {
                packaged.push(self.suspend(state));
                continue;
            }
            let (resource, arguments) = match &location {
                Some(location) if !has_split => location.clone(),
                _ => self.trusting(|engine| engine.evaluate_wand(&mut state, wand, &package.blame))?,
            };
            packaged.extend(self.package_at(state, package, resource, &arguments)?);
        }
        Ok(packaged)
    }

    fn package_at(
        &mut self,
        state: State,
        package: Package<'p>,
        resource: Resource,
        arguments: &[Term],
    ) -> Outcome<Vec<State>> {
        let outer = self.path.tip().clone();
        let sort = self.encoder.snap_sort();
        let left = self.fresh("lhs", sort);
        self.path.open_section();
        let outcome = self.with_left(left, |engine| engine.run_proof(&state, package, left));
        self.path.move_to(outer);
        let ends = outcome?;
        if ends.is_empty() {
            let what = "the proof of a wand has no end".to_string();
            return Err(Stop::Unknown(Reason::Unsupported(what)));
        }
        let own = self.define(&ends, left);
        if self.is_unsettled(&state, &ends, left) {
            self.mark_unsettled(resource);
            self.member.packaging.prophecies.push(left);
        }
        let mut left_behind = self.leave(&state, ends, resource, arguments, own);
        if !self.is_packaging() {
            left_behind.iter_mut().for_each(|after| remember_parted(&state.heap, after));
        }
        Ok(left_behind)
    }

    /// Runs the proof for a snapshot of the left-hand side.
    fn run_proof(&mut self, around: &State, package: Package<'p>, left: Term) -> Outcome<Vec<End>> {
        let mark = self.path.mark();
        let hypothetical = State {
            heap: Heap::default(),
            reading: None,
            reserve: Rc::default(),
            transferred: Rc::default(),
            right: None,
            ..around.clone()
        };
        let manner = self.plainly();
        let starts = self.attempt(hypothetical, &mut |engine, mut state| {
            engine.produce(&mut state, &package.wand.left, Source::Given(left), manner, &package.blame)?;
            if engine.is_infeasible() {
                engine.learn_never();
            }
            Ok(vec![engine.suspend(state)])
        })?;
        let flow = self.flow_of_proof(package.proof)?;
        let mut reserve = vec![around.heap.clone()];
        reserve.extend(around.reserve.iter().cloned());
        let reserve = Rc::new(reserve);
        let mut ends = Vec::new();
        for start in starts {
            let mut start = self.resume(start);
            start.wand_left = Some(start.heap.clone());
            start.reserve = reserve.clone();
            let labels = start.labels.clone();
            self.execute_body(&flow, start, &mut |engine, mut state| {
                state.labels = labels.clone();
                engine.finish_proof(state, package, &mark, &mut ends)
            })?;
        }
        Ok(ends)
    }

    fn flow_of_proof(&self, proof: &'p Block) -> Outcome<ControlFlow<'p>> {
        let unsupported = |what: String| Stop::Unknown(Reason::Unsupported(what));
        let Some(method) = self.member.packaging.method else {
            return Err(unsupported("a package outside of a method".to_string()));
        };
        let flow = ControlFlow::of_proof(self.run.program, method, proof)
            .map_err(|error| unsupported(silver::port::render::jump_words(&error.jump).0))?;
        if flow.loops.is_empty() {
            Ok(flow)
        } else {
            // What a loop takes from the heaps around, it would take in each iteration.
            Err(unsupported("a loop in the proof of a wand".to_string()))
        }
    }

    /// Consumes the right-hand side at the end of a path through the proof.
    fn finish_proof(
        &mut self,
        state: State,
        package: Package<'p>,
        mark: &Mark,
        ends: &mut Vec<End>,
    ) -> Outcome<()> {
        let states = self.attempt(state, &mut |engine, mut state| {
            let manner = engine.plainly();
            state.right = Some(engine.consume_as(&mut state, &package.wand.right, manner, &package.blame)?);
            Ok(vec![engine.suspend(state)])
        })?;
        for state in states {
            let state = self.resume(state);
            let mut guard = self.encoder.terms.true_();
            for (condition, taken) in self.path.choices_since(mark) {
                let condition = if taken { condition } else { self.encoder.terms.not(condition) };
                guard = self.encoder.terms.and(guard, condition);
            }
            let facts = self.path.since(mark);
            let facts = facts.into_iter().filter(|fact| !self.path.is_lemma(*fact)).collect();
            let right = match state.right {
                Some(right) => right,
                None => self.encoder.unit(),
            };
            ends.push(End { guard, facts, heaps: state.reserve.clone(), right });
        }
        Ok(())
    }

    /// A snapshot for the wand, with everything that is known of it.
    fn define(&mut self, ends: &[End], left: Term) -> Term {
        let sort = self.encoder.snap_sort();
        let own = self.fresh("wand", sort);
        let variable = self.encoder.terms.fresh_bound("lhs", sort);
        let opened = Opened { constants: vec![left], variables: vec![variable] };

        // The guards are exclusive, and one of them holds.
        let mut right = match ends.last() {
            Some(end) => end.right,
            None => self.encoder.unit(),
        };
        for end in ends.iter().rev().skip(1) {
            right = self.encoder.terms.if_then_else(end.guard, end.right, right);
        }
        let closed = opened.close(self, right);
        let bound = self.encoder.terms.bound(variable);
        let application = self.apply_term(own, bound);
        let equal = self.encoder.terms.equal(application, closed);
        let fact = self.encoder.terms.forall(&[variable], &[vec![application]], equal, "wand.definition");
        self.assume_meaning(fact);

        let applied = self.applied_term(own, bound);
        for end in ends {
            let facts = self.facts_about(end.right, &end.facts, left);
            let facts = self.encoder.terms.all(facts);
            let facts = self.encoder.terms.implies(end.guard, facts);
            let closed = opened.close(self, facts);
            let body = self.encoder.terms.implies(applied, closed);
            let fact = self.encoder.terms.forall(&[variable], &[vec![applied]], body, "wand.facts");
            self.assume(fact);
            // What only fixes the meaning of symbols, or speaks about the heaps around, holds whatever becomes of
            // the wand.
            let depth = self.around.lefts.len();
            for fact in &end.facts {
                let stays = self.member.packaging.meanings.contains(fact)
                    || self.member.packaging.around.get(fact).is_some_and(|needed| *needed <= depth);
                if stays {
                    let conditional = self.encoder.terms.implies(end.guard, *fact);
                    self.assume_like(*fact, conditional);
                }
            }
        }
        self.remember(own, variable, closed);
        own
    }

    /// Notes the definition of a wand's snapshot for use where it is applied.
    fn remember(&mut self, own: Term, left: smt::Bound, right: Term) {
        let Some((symbol, arguments)) = self.encoder.terms.as_application(own) else { return };
        let arguments = arguments.to_vec();
        let mut formals = Vec::new();
        let mut replacements = rustc_hash::FxHashMap::default();
        for argument in arguments {
            let sort = self.encoder.terms.sort_of(argument);
            let formal = self.encoder.terms.fresh_bound("around", sort);
            replacements.insert(argument, self.encoder.terms.bound(formal));
            formals.push(formal);
        }
        let right = self.encoder.terms.substitute(right, &replacements);
        self.member.packaging.definitions.insert(symbol, Definition { formals, left, right });
    }

    /// Facts that say something about the new symbols in a snapshot.
    fn facts_about(&self, snapshot: Term, facts: &[Term], left: Term) -> Vec<Term> {
        let mut known = FxHashSet::default();
        self.new_symbols(snapshot, left, &mut known);
        let mut symbols: Vec<Option<FxHashSet<Function>>> = facts
            .iter()
            .map(|fact| {
                let mut symbols = FxHashSet::default();
                self.new_symbols(*fact, left, &mut symbols);
                Some(symbols)
            })
            .collect();
        let mut relevant = vec![false; facts.len()];
        loop {
            let mut changed = false;
            for (index, own) in symbols.iter_mut().enumerate() {
                if own.as_ref().is_some_and(|own| own.iter().any(|symbol| known.contains(symbol))) {
                    known.extend(own.take().unwrap_or_default());
                    relevant[index] = true;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        facts.iter().zip(relevant).filter(|(_, relevant)| *relevant).map(|(fact, _)| *fact).collect()
    }

    /// Symbols in a term that were introduced in the package, for the snapshot of its left-hand side.
    fn new_symbols(&self, term: Term, left: Term, symbols: &mut FxHashSet<Function>) {
        let terms = &self.encoder.terms;
        let Some((first, _)) = terms.as_application(left) else { return };
        for part in terms.reachable(&[term]) {
            let Node::Apply(symbol, _) = terms.node(part) else { continue };
            let is_new = symbol.index() > first.index() && terms.is_fresh(*symbol)
                || self.is_of_family(*symbol) && mentions(terms, part, &[left]);
            if is_new {
                symbols.insert(*symbol);
            }
        }
    }

    /// Whether it depends on the left-hand side what is taken.
    fn is_unsettled(&self, around: &State, ends: &[End], left: Term) -> bool {
        let terms = &self.encoder.terms;
        let depends = |term: Term| mentions(terms, term, &[left]);
        let before: Vec<&Heap> = std::iter::once(&around.heap).chain(around.reserve.iter()).collect();
        let differ = ends.windows(2).any(|pair| !same_heaps(&pair[0].heaps, &pair[1].heaps));
        if differ && ends.iter().any(|end| depends(end.guard)) {
            return true;
        }
        ends.iter().flat_map(|end| end.heaps.iter().zip(&before)).any(|(after, before)| {
            !after.is_same(before)
                && after.iter().any(|(_, chunk)| match chunk {
                    Chunk::Basic(basic) => depends(basic.permission),
                    Chunk::Quantified(quantified) => {
                        depends(quantified.shape.permission) || depends(quantified.shape.condition)
                    }
                })
        })
    }

    /// The states after the package: one for each way in which the heaps around may have changed.
    fn leave(
        &mut self,
        around: &State,
        ends: Vec<End>,
        resource: Resource,
        arguments: &[Term],
        own: Term,
    ) -> Vec<State> {
        let mut groups: Vec<(Term, Rc<Vec<Heap>>)> = Vec::new();
        for end in ends {
            match groups.iter_mut().find(|(_, heaps)| same_heaps(heaps, &end.heaps)) {
                Some((guard, _)) => *guard = self.encoder.terms.or(*guard, end.guard),
                None => groups.push((end.guard, end.heaps)),
            }
        }
        let is_single = groups.len() == 1;
        let origin = self.path.tip().clone();
        let mut states = Vec::new();
        for (guard, heaps) in groups {
            if !is_single {
                self.path.move_to(origin.clone());
                self.path.push_case(guard, true);
                self.assume(guard);
                if self.is_infeasible() {
                    self.learn_never();
                    if !self.is_packaging() {
                        continue;
                    }
                }
            }
            let mut heaps = heaps.iter().cloned();
            let mut state = around.clone();
            state.heap = heaps.next().unwrap_or_default();
            state.reserve = if around.reserve.is_empty() { Rc::default() } else { Rc::new(heaps.collect()) };
            let one = self.encoder.terms.one();
            let manner = self.plainly();
            self.produce_location(&mut state, resource, arguments, one, Source::Given(own), manner);
            states.push(self.suspend(state));
        }
        states
    }
}

fn same_heaps(left: &[Heap], right: &[Heap]) -> bool {
    left.len() == right.len() && left.iter().zip(right).all(|(left, right)| left.is_same(right))
}
