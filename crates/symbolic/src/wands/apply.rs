//! Applying a wand, as a statement and inside of expressions.

use std::rc::Rc;

use silver::typed::{ExpressionRef, Wand};
use smt::{Bound, Function, Operator, Term};

use crate::blame::Blame;
use crate::engine::{Engine, Outcome};
use crate::heap::Resource;
use crate::produce::Source;
use crate::state::State;

/// What a packaged wand maps snapshots of its left-hand side to.
#[derive(Clone, Debug)]
pub(super) struct Definition {
    /// In place of the snapshots that the wand's own symbol depends on.
    pub formals: Vec<Bound>,
    pub left: Bound,
    pub right: Term,
}

impl<'p> Engine<'p> {
    fn apply_symbol(&mut self) -> Function {
        let sort = self.encoder.snap_sort();
        self.encoder.terms.function("wand.apply", &[sort, sort], sort)
    }

    /// The snapshot of the right-hand side, as an application of the wand's snapshot.
    pub(super) fn apply_term(&mut self, wand: Term, left: Term) -> Term {
        let symbol = self.apply_symbol();
        self.encoder.terms.apply(symbol, &[wand, left])
    }

    /// Says that the wand was applied to the snapshot.
    pub(super) fn applied_term(&mut self, wand: Term, left: Term) -> Term {
        let (sort, bool_sort) = (self.encoder.snap_sort(), self.encoder.terms.bool_sort());
        let symbol = self.encoder.terms.function("wand.applied", &[sort, sort], bool_sort);
        self.encoder.terms.apply(symbol, &[wand, left])
    }

    /// The snapshot of the right-hand side, with the definition of the wand put in its place where it is known.
    fn right_snapshot(&mut self, wand: Term, left: Term) -> Term {
        if let Some((Operator::IfThenElse, &[condition, then, otherwise])) =
            self.encoder.terms.as_operation(wand)
        {
            let then = self.right_snapshot(then, left);
            let otherwise = self.right_snapshot(otherwise, left);
            return self.encoder.terms.if_then_else(condition, then, otherwise);
        }
        let known = self.encoder.terms.as_application(wand).and_then(|(symbol, arguments)| {
            self.member
                .packaging
                .definitions
                .get(&symbol)
                .map(|definition| (definition.clone(), arguments.to_vec()))
        });
        let Some((definition, arguments)) = known else { return self.apply_term(wand, left) };
        let mut replacements = Vec::new();
        for (formal, argument) in definition.formals.iter().zip(arguments) {
            replacements.push((self.encoder.terms.bound(*formal), argument));
        }
        replacements.push((self.encoder.terms.bound(definition.left), left));
        self.encoder.instantiate(definition.right, &replacements)
    }

    pub(crate) fn apply_wand(&mut self, state: &mut State, wand: &Wand, blame: &Blame) -> Outcome<()> {
        let (resource, arguments) = self.evaluate_wand(state, wand, blame)?;
        let one = self.encoder.terms.one();
        let own = self.take(state, self.demand(resource, &arguments, one), blame, wand.span)?;
        let manner = self.plainly();
        let before = state.heap.clone();
        let transferred = state.transferred.len();
        let left = self.consume_as(state, &wand.left, manner, blame)?;
        let before = self.with_transferred(&before, &state.transferred.clone()[transferred..]);
        let right = self.right_snapshot(own, left);
        let applied = self.applied_term(own, left);
        self.assume(applied);
        state.with(
            |state| &mut state.wand_left,
            Some(before),
            |state| self.produce(state, &wand.right, Source::Given(right), manner, blame),
        )?;
        Ok(())
    }

    pub(crate) fn evaluate_applying(
        &mut self,
        state: &mut State,
        wand: &Wand,
        body: &ExpressionRef,
        blame: &Blame,
    ) -> Outcome<Term> {
        let mut inner = State {
            heap: state.readable().clone(),
            reading: None,
            reserve: Rc::default(),
            transferred: Rc::default(),
            ..state.clone()
        };
        let outer = self.path.open_section();
        let value = self.with_local_heap(|engine| {
            engine.apply_wand(&mut inner, wand, blame)?;
            engine.evaluate(&mut inner, body, blame)
        });
        let facts = self.path.close_scope(&outer);
        // If it depends on the left-hand side how much the wand holds, then what is held besides is right only for
        // the one time that the wand is really applied.
        let shape = self.run.wands.find(self.run.program, wand);
        if !shape.is_some_and(|shape| self.member.packaging.unsettled.contains(&shape)) {
            for fact in facts {
                if self.path.is_lemma(fact) {
                    self.learn(fact);
                } else {
                    self.assume(fact);
                }
            }
        }
        value
    }

    /// Whether a wand of this resource may hold more or less than another that is written the same way.
    pub(super) fn mark_unsettled(&mut self, resource: Resource) {
        if let Resource::Wand(shape) = resource {
            self.member.packaging.unsettled.insert(shape);
        }
    }
}
