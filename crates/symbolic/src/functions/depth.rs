//! Recursive functions in their whole depth.
//!
//! Others know a recursive function by its definition, which is unfolded once where the function is applied and no
//! further: that is what keeps a solver from going on without end. What is not proved with that much may follow from
//! more steps, and a value that contradicts the second step is no counterexample. So there are two further things that
//! are only looked at before a goal is said to fail (`prover/unrolled.rs`):
//!
//! - the definition once more, for every application that an unfolded definition leads to;
//! - the same together with the claim that no chain of applications is longer than [`deepest`]: each application has a
//!   depth, which is less than that of the one whose body it is in. A model of this is one in which every function has
//!   the value that its definition gives it. See Suter, Köksal, Kuncak, "Satisfiability modulo recursive programs", 2011.
//!
//! The second one is there for opaque functions, too. Nothing is proved by it, so that they stay opaque; but a value that
//! their definition does not give them is no counterexample.

use rustc_hash::FxHashMap;
use silver::typed::{BinaryOperator, FunctionId};
use smt::{Function, Term, Terms};

use super::Checked;
use crate::blame::{Blame, ErrorKind};
use crate::engine::{Engine, Outcome};
use crate::path::Mark;
use crate::quantifier::Opened;

/// The part of a function's axioms that bounds its chains of applications.
pub(crate) const UNROLLED: &str = "unrolled";

/// The same of an opaque function.
pub(crate) const REVEALED: &str = "revealed";

/// What others may know of a function.
#[derive(Debug, Default)]
pub(crate) struct Knowledge {
    pub axioms: Vec<Term>,
    /// Of a recursive function: its definition for every application that there is. A goal that is open is asked again
    /// with it, before its failure is looked at.
    pub steps: Vec<Term>,
    /// Of a recursive or opaque function: the same, and that there are only so many steps. Only failures are looked at
    /// with these.
    pub unrolled: Vec<Term>,
}

impl Knowledge {
    /// In this order.
    pub(crate) fn all(&self) -> Vec<Term> {
        self.axioms.iter().chain(&self.steps).chain(&self.unrolled).copied().collect()
    }
}

/// How many applications a chain may have of which all are looked at, and how many steps a range.
pub(crate) fn deepest(terms: &mut Terms) -> Term {
    let int = terms.int_sort();
    terms.constant("$deepest", int)
}

impl<'p> Engine<'p> {
    /// Before functions that are recursive together are checked: what their bodies say, for failures in them. What they
    /// are found to be is only known afterwards; by then it is said that something fails.
    pub(super) fn foresee_definitions(&mut self) {
        let group = self.member.recursive.clone();
        for function in group.iter().copied() {
            let locals = &self.run.program.function(function).locals;
            let mark = self.path.mark();
            // What is wrong with it is found when it is checked.
            let _ = self
                .with_locals(locals, |engine| engine.trusting(|engine| engine.foresee_definition(function)));
            self.path.rewind(&mark);
        }
    }

    fn foresee_definition(&mut self, function: FunctionId) -> Outcome<()> {
        let declared = self.run.program.function(function);
        let Some(body) = &declared.body else { return Ok(()) };
        let symbols = self.member.functions.get(&mut self.encoder, function);
        let Checked { opened, start, states } = self.check_contract(function, &mut Vec::new())?;
        for state in states {
            let state = self.resume(state);
            self.attempt(state, &mut |engine, mut state| {
                let blame = Blame::new(ErrorKind::FunctionNotWellFormed, declared.span);
                let value = engine.evaluate(&mut state, body, &blame)?;
                let full = engine.encoder.terms.apply(symbols.full, &opened.constants);
                let defined = engine.encoder.binary(BinaryOperator::Equal, full, value);
                let found = engine.unrolled(function, &opened, &start, defined);
                let found: Vec<Term> = found.into_iter().flatten().collect();
                engine.prover.add_unrolled(&found);
                Ok(Vec::new())
            })?;
        }
        Ok(())
    }

    /// The definition, `body`, for applications that are not to be unfolded by the usual one.
    pub(super) fn step(&mut self, function: FunctionId, opened: &Opened, body: Term) -> Option<Term> {
        if !self.is_unrolled(function) || self.is_opaque(function) {
            return None;
        }
        let symbols = self.member.functions.get(&mut self.encoder, function);
        let limited = self.encoder.terms.apply(symbols.limited, &opened.constants);
        let name = self.encoder.name_function_axiom(function, "step");
        Some(self.close_axiom(opened, &[vec![limited]], body, &name))
    }

    /// That every application has a depth, and is defined by applications with lesser ones. All that was assumed since the
    /// start of the function is said as well: what predicates promise that the body unfolds, for example.
    pub(super) fn unrolled(
        &mut self,
        function: FunctionId,
        opened: &Opened,
        start: &Mark,
        defined: Term,
    ) -> Option<Vec<Term>> {
        if !self.is_unrolled(function) {
            return None;
        }
        let all = &opened.constants;
        let symbols = self.member.functions.get(&mut self.encoder, function);
        let facts: Vec<Term> = self.path.since(start);
        let mut facts: Vec<Term> = facts.into_iter().filter(|fact| !self.path.is_lemma(*fact)).collect();
        facts.push(defined);
        let depths: FxHashMap<Function, Function> = self
            .member
            .recursive
            .clone()
            .iter()
            .map(|other| self.member.functions.get(&mut self.encoder, *other))
            .map(|other| (other.precondition, other.depth))
            .collect();
        let terms = &mut self.encoder.terms;
        let own = terms.apply(symbols.depth, all);
        // It is assumed of each application, under the conditions on the way to it, that it is allowed.
        let mut deeper: FxHashMap<Term, Term> = FxHashMap::default();
        for part in terms.reachable(&facts) {
            if let Some((symbol, arguments)) = terms.as_application(part)
                && let Some(depth) = depths.get(&symbol)
            {
                let arguments = arguments.to_vec();
                let depth = terms.apply(*depth, &arguments);
                let is_less = terms.less(depth, own);
                deeper.insert(part, terms.and(part, is_less));
            }
        }
        let mut said: Vec<Term> = facts.into_iter().map(|fact| terms.substitute(fact, &deeper)).collect();
        let zero = terms.int(0);
        let deepest = deepest(terms);
        said.push(terms.less_equal(zero, own));
        said.push(terms.less_equal(own, deepest));
        let said = terms.all(said);
        let limited = terms.apply(symbols.limited, all);
        let allowed = terms.apply(symbols.precondition, all);
        let guarded = self.under_case(start, allowed, said);
        let part = if self.is_opaque(function) { REVEALED } else { UNROLLED };
        let name = self.encoder.name_function_axiom(function, part);
        Some(vec![self.close_axiom(opened, &[vec![limited]], guarded, &name)])
    }

    /// Whether there is more to know of a function than what a proof has. Those over ranges have their own way.
    fn is_unrolled(&self, function: FunctionId) -> bool {
        let annotations = &self.run.program.function(function).annotations;
        (!self.member.recursive.is_empty() || annotations.has("opaque")) && !annotations.has("range")
    }

    /// Whether proofs are not to look into a function unless they say so.
    fn is_opaque(&self, function: FunctionId) -> bool {
        self.run.program.function(function).annotations.has("opaque")
    }

    /// For a function that is recursive over a range, as its annotation `@range("low", "high")` or `@range("count")`
    /// says: that the range is short wherever the function is applied, and then all of its steps.
    pub(super) fn short_range(
        &mut self,
        function: FunctionId,
        opened: &Opened,
        body: Term,
    ) -> Option<Vec<Term>> {
        let declared = self.run.program.function(function);
        let bounds = declared.annotations.get("range")?;
        let symbols = self.member.functions.get(&mut self.encoder, function);
        let all = opened.constants.clone();
        let arguments = &all[usize::from(symbols.takes_snapshot)..];
        let int = self.encoder.terms.int_sort();
        let bound = |engine: &Self, name: &String| {
            let mut formals = declared.formals.iter().zip(arguments);
            let named = formals.find(|(formal, _)| *declared.locals[formal.index()].name == **name);
            named.map(|(_, argument)| *argument).filter(|it| engine.encoder.terms.sort_of(*it) == int)
        };
        let length = match bounds {
            [high] => bound(self, high)?,
            [low, high] => {
                let (low, high) = (bound(self, low)?, bound(self, high)?);
                self.encoder.terms.subtract(high, low)
            }
            _ => return None,
        };
        let terms = &mut self.encoder.terms;
        let longest = deepest(terms);
        let is_short = terms.less_equal(length, longest);
        let step = terms.implies(is_short, body);
        let limited = terms.apply(symbols.limited, &all);
        let axioms = [("short", is_short), ("range", step)].map(|(what, fact)| {
            let name = self.encoder.name_function_axiom(function, what);
            self.close_axiom(opened, &[vec![limited]], fact, &name)
        });
        Some(axioms.to_vec())
    }
}
