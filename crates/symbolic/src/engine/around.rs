//! What is around the current point: modes that a part of an expression or assertion is worked on in.
//!
//! A mode is set for as long as some work takes and is what it was afterwards, however the work ends: everything here
//! goes through [`Engine::with`].

use std::rc::Rc;

use silver::typed::{ExpressionRef, Local, PredicateId, contains_inhale_exhale};
use smt::{Sort, Term};

use super::{Engine, Outcome};
use crate::path::PathRef;
use crate::quantifier::mentions;

#[derive(Default)]
pub(crate) struct Around {
    /// Variables of the member whose text it is, for sorts and names.
    pub locals: Rc<Vec<Local>>,
    /// Constants that stand for variables of the quantifiers around; whatever is fresh there depends on them.
    pub quantified: Vec<Term>,
    /// How many of `quantified` are parameters of a function and not variables of a quantifier.
    pub parameters: usize,
    /// Snapshots of the left-hand sides of the wands that are being packaged, outermost first.
    pub lefts: Vec<Term>,
    /// Contracts that were checked where they are declared are not checked again where they are used.
    pub trusted: bool,
    /// Patterns of quantifiers are being evaluated.
    pub in_trigger: bool,
    /// Predicates whose bodies are being produced for an `unfolding`.
    pub opening: Vec<PredicateId>,
    /// Conditional parts of assertions that are produced or consumed under a guard.
    pub guarded: u32,
    /// How many `unfolding`, `applying` and `asserting` have heaps of their own.
    pub local_heaps: u32,
}

impl Around {
    /// The constants that stand for variables of quantifiers.
    pub(crate) fn variables(&self) -> &[Term] {
        &self.quantified[self.parameters.min(self.quantified.len())..]
    }
}

impl<'p> Engine<'p> {
    /// Works with one mode changed.
    pub(crate) fn with<V, T>(
        &mut self,
        mode: fn(&mut Around) -> &mut V,
        value: V,
        work: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let outer = std::mem::replace(mode(&mut self.around), value);
        let result = work(self);
        *mode(&mut self.around) = outer;
        result
    }

    /// Works with the variables of another member.
    pub(crate) fn with_locals<T>(&mut self, locals: &[Local], work: impl FnOnce(&mut Self) -> T) -> T {
        self.with(|around| &mut around.locals, Rc::new(locals.to_vec()), work)
    }

    /// Works on expressions that were found to be well defined where they were declared.
    pub(crate) fn trusting<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        self.trusting_if(true, work)
    }

    /// As [`Engine::trusting`], for assertions that are consumed. Where what is inhaled differs from what is exhaled,
    /// only what is inhaled was checked where it was declared.
    pub(crate) fn trusting_to_consume<T>(
        &mut self,
        assertions: &[ExpressionRef],
        work: impl FnOnce(&mut Self) -> T,
    ) -> T {
        self.trusting_if(!assertions.iter().any(contains_inhale_exhale), work)
    }

    /// The same, if they really were.
    pub(crate) fn trusting_if<T>(&mut self, trusted: bool, work: impl FnOnce(&mut Self) -> T) -> T {
        self.with(|around| &mut around.trusted, trusted || self.around.trusted, work)
    }

    /// Works with a heap that exists only here.
    pub(crate) fn with_local_heap<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        self.with(|around| &mut around.local_heaps, self.around.local_heaps + 1, work)
    }

    /// Works for the left-hand side of a wand that is packaged.
    pub(crate) fn with_left<T>(&mut self, left: Term, work: impl FnOnce(&mut Self) -> T) -> T {
        let lefts = [&self.around.lefts[..], &[left]].concat();
        self.with(|around| &mut around.lefts, lefts, work)
    }

    /// Works in a scope of the path for arbitrary values of constants; gives what was found out there.
    pub(crate) fn for_arbitrary<T>(
        &mut self,
        constants: &[Term],
        work: impl FnOnce(&mut Self) -> T,
    ) -> (T, Vec<Term>) {
        let outer = self.path.open_scope();
        let quantified = [&self.around.quantified[..], constants].concat();
        let result = self.with(|around| &mut around.quantified, quantified, work);
        (result, self.path.close_scope(&outer))
    }

    /// Works under a condition; what is learned holds afterwards under the condition.
    pub(crate) fn under<T>(
        &mut self,
        condition: Term,
        work: impl FnOnce(&mut Self) -> Outcome<T>,
    ) -> Outcome<T> {
        if self.knows(condition) {
            return work(self);
        }
        let outer: PathRef = self.path.open_scope();
        self.assume(condition);
        let result = work(self);
        let facts = self.path.close_scope(&outer);
        for fact in facts {
            let conditional = self.encoder.terms.implies(condition, fact);
            if self.path.is_lemma(fact) {
                self.learn(conditional);
            } else {
                self.assume_like(fact, conditional);
            }
        }
        result
    }

    /// As [`Engine::under`], for a conditional part of an assertion: what it leaves in the heap holds only there.
    pub(crate) fn guarded_by<T>(
        &mut self,
        condition: Term,
        work: impl FnOnce(&mut Self) -> Outcome<T>,
    ) -> Outcome<T> {
        let depth = self.around.guarded + 1;
        self.with(|around| &mut around.guarded, depth, |engine| engine.under(condition, work))
    }

    // ---- fresh symbols ----

    /// What new symbols depend on: the snapshots of the left-hand sides that wands are being packaged for, and the
    /// variables of the quantifiers around.
    pub(crate) fn surroundings(&self) -> Vec<Term> {
        self.around.lefts.iter().chain(&self.around.quantified).copied().collect()
    }

    /// A new symbol that depends on everything around that is not fixed.
    pub(crate) fn fresh(&mut self, name: &str, sort: Sort) -> Term {
        let arguments = self.surroundings();
        self.fresh_over(name, sort, &arguments)
    }

    /// A new symbol over the given terms.
    pub(crate) fn fresh_over(&mut self, name: &str, sort: Sort, arguments: &[Term]) -> Term {
        let terms = &mut self.encoder.terms;
        let sorts: Vec<Sort> = arguments.iter().map(|argument| terms.sort_of(*argument)).collect();
        let function = terms.fresh_function(name, &sorts, sort);
        terms.apply(function, arguments)
    }

    /// Whether a location depends on a variable of a quantifier around the current point.
    pub(crate) fn varies(&self, location: &[Term]) -> bool {
        let variables = self.around.variables();
        !variables.is_empty() && location.iter().any(|term| mentions(&self.encoder.terms, *term, variables))
    }
}
