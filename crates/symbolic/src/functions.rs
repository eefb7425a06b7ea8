//! Heap-dependent functions: their symbols, their applications, their verification and their axioms.
//!
//! A function `f` has four symbols over the snapshot of its precondition and its arguments: `f` itself, `f%limited`,
//! which is equal but does not unfold further, `f%stateless` over the arguments alone, which says that `f` was applied
//! somewhere, and `f%precondition`, without which no axiom says anything. Snapshots do not depend on the branch taken,
//! so the definition is simply the value of the body in a state that was produced from the snapshot.

mod depth;

use rustc_hash::{FxHashMap, FxHashSet};
use silver::typed::{Expression, ExpressionRef, FunctionId, FunctionOrigin};
use smt::{Bound, Function, Term};

pub(crate) use depth::{Knowledge, REVEALED, UNROLLED, deepest};

use crate::blame::{Blame, ErrorKind};
use crate::encode::Encoder;
use crate::encode::names::FunctionVariant;
use crate::engine::{Engine, Outcome};
use crate::produce::{Manner, Source};
use crate::quantifier::Opened;
use crate::state::{State, Store};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Symbols {
    pub full: Function,
    pub limited: Function,
    pub stateless: Function,
    pub precondition: Function,
    /// How deep an application is unrolled, where failures are looked at.
    pub depth: Function,
    /// Whether the first argument is a snapshot.
    pub takes_snapshot: bool,
}

/// Symbols of the functions that a job has met.
#[derive(Clone, Debug, Default)]
pub(crate) struct FunctionTable {
    symbols: FxHashMap<FunctionId, Symbols>,
}

impl FunctionTable {
    /// Symbols are made on first use: a sort that the job does not need would bring its axioms along.
    pub(crate) fn get(&mut self, encoder: &mut Encoder<'_>, id: FunctionId) -> Symbols {
        *self.symbols.entry(id).or_insert_with(|| {
            let function = encoder.program().function(id);
            let takes_snapshot =
                function.preconditions.iter().any(|precondition| !silver::typed::is_pure(precondition));
            Symbols {
                full: encoder.function_symbol(id, FunctionVariant::Full),
                limited: encoder.function_symbol(id, FunctionVariant::Limited),
                stateless: encoder.function_symbol(id, FunctionVariant::Stateless),
                precondition: encoder.function_symbol(id, FunctionVariant::Precondition),
                depth: encoder.function_symbol(id, FunctionVariant::Depth),
                takes_snapshot,
            }
        })
    }

    /// The variant of a function's symbol that is used in patterns.
    pub(crate) fn limited(&self, full: Function) -> Option<Function> {
        self.symbols.values().find(|symbols| symbols.full == full).map(|symbols| symbols.limited)
    }
}

/// A contract that is well formed.
struct Checked {
    /// Stand for the parameters.
    opened: Opened,
    /// Before the precondition was assumed.
    start: crate::path::Mark,
    /// One for each case of the precondition that had to be looked at by itself.
    states: Vec<State>,
}

impl<'p> Engine<'p> {
    pub(crate) fn apply_function(
        &mut self,
        state: &mut State,
        function: FunctionId,
        arguments: &[Term],
        application: &Expression,
    ) -> Outcome<Term> {
        let declared = self.run.program.function(function);
        let symbols = self.member.functions.get(&mut self.encoder, function);
        let error = match declared.origin {
            FunctionOrigin::Source => ErrorKind::ApplicationPrecondition,
            FunctionOrigin::PredicateInstance(_) => ErrorKind::PredicateInstance,
        };
        let blame = Blame::new(error, application.span);
        let applied_before =
            if self.around.in_trigger { self.snapshot_in_body(state, function, arguments) } else { None };
        let snapshot = if declared.preconditions.is_empty() {
            self.encoder.unit()
        } else if let Some(snapshot) = applied_before {
            snapshot
        } else {
            let mut inner = State {
                store: self.formals(function, arguments),
                heap: state.readable().clone(),
                ..State::default()
            };
            let unchecked = self.around.trusted;
            let manner = Manner {
                read_only: unchecked || !self.run.settings.respect_function_permission_amounts,
                unchecked,
                ..self.plainly()
            };
            let trusted = !self.run.untrusted.functions.contains(&function)
                && !declared.preconditions.iter().any(silver::typed::contains_inhale_exhale);
            self.with_locals(&declared.locals, |engine| {
                engine.trusting_if(trusted, |engine| {
                    engine.consume_all(&mut inner, &declared.preconditions, manner, |_| blame)
                })
            })?
        };
        let mut all = arguments.to_vec();
        if symbols.takes_snapshot {
            all.insert(0, snapshot);
            self.remember_snapshot(state, function, arguments, snapshot);
        }
        if !self.around.in_trigger {
            let allowed = self.encoder.terms.apply(symbols.precondition, &all);
            self.assume(allowed);
        }
        let is_opaque = declared.annotations.has("opaque") && application.annotation("reveal").is_none();
        let symbol = if self.around.in_trigger || is_opaque || self.member.recursive.contains(&function) {
            symbols.limited
        } else {
            symbols.full
        };
        Ok(self.encoder.terms.apply(symbol, &all))
    }

    /// Notes the snapshot of an application inside of a quantifier, for the quantifier's patterns.
    fn remember_snapshot(&mut self, state: &State, function: FunctionId, arguments: &[Term], snapshot: Term) {
        if !self.around.in_trigger && !self.around.quantified.is_empty() {
            let key = (function, self.as_in_patterns(arguments));
            self.member.quantified.snapshots_taken.insert(key, (state.readable().clone(), snapshot));
        }
    }

    /// The snapshot with which the quantifier's body has applied a function to the same arguments in the same heap. What
    /// a pattern would find by itself can be written in another way, and would then match nothing.
    fn snapshot_in_body(&self, state: &State, function: FunctionId, arguments: &[Term]) -> Option<Term> {
        let key = (function, arguments.to_vec());
        let (heap, snapshot) = self.member.quantified.snapshots_taken.get(&key)?;
        heap.is_same(state.readable()).then_some(*snapshot)
    }

    fn formals(&self, function: FunctionId, arguments: &[Term]) -> Store {
        let mut store = Store::default();
        for (formal, argument) in self.run.program.function(function).formals.iter().zip(arguments) {
            store.set(*formal, *argument);
        }
        store
    }

    /// Checks a function's contract and body. Others may know of it what is proved.
    pub(crate) fn check_function(&mut self, function: FunctionId, known: &mut Knowledge) -> Outcome<()> {
        let declared = self.run.program.function(function);
        let symbols = self.member.functions.get(&mut self.encoder, function);
        // Functions that call each other may use each other's contracts.
        let group = self.member.recursive.clone();
        for other in group.iter().copied() {
            if other != function {
                let mut contract = Vec::new();
                let locals = &self.run.program.function(other).locals;
                let mark = self.path.mark();
                // What is wrong with the other contract is reported with the other function.
                let _ = self.with_locals(locals, |engine| engine.check_contract(other, &mut contract));
                self.path.rewind(&mark);
                self.add_axioms(&contract);
            }
        }
        self.foresee_definitions();
        let Checked { opened, start, states } = self.check_contract(function, &mut known.axioms)?;
        let all = opened.constants.clone();
        if declared.preconditions.is_empty() {
            // For applications in places where no precondition is checked; not of use for the function itself.
            let limited = self.encoder.terms.apply(symbols.limited, &all);
            let allowed = self.encoder.terms.apply(symbols.precondition, &all);
            let name = self.encoder.name_function_axiom(function, "total");
            known.axioms.push(self.close_axiom(&opened, &[vec![limited]], allowed, &name));
        }
        let Some(body) = &declared.body else { return Ok(()) };
        if !self.member.recursive.is_empty() {
            // Induction: inner applications may use the contract.
            let contract = known.axioms.clone();
            self.add_axioms(&contract);
        }
        for state in states {
            let state = self.resume(state);
            self.attempt(state, &mut |engine, state| {
                engine.check_body(function, &opened, &start, state, body, known)?;
                Ok(Vec::new())
            })?;
        }
        Ok(())
    }

    /// Checks that the contract is well formed; gives the states in which the precondition holds.
    fn check_contract(&mut self, function: FunctionId, axioms: &mut Vec<Term>) -> Outcome<Checked> {
        let declared = self.run.program.function(function);
        let symbols = self.member.functions.get(&mut self.encoder, function);
        let mut state = State::default();
        let formals = declared.formals.clone();
        let mut opened = self.open(&mut state, &formals);
        let mut source = Source::Fresh;
        if symbols.takes_snapshot {
            let sort = self.encoder.snap_sort();
            let snapshot = self.open_sorts("s", &[sort]);
            source = Source::Given(snapshot.constants[0]);
            opened.constants.insert(0, snapshot.constants[0]);
            opened.variables.insert(0, snapshot.variables[0]);
        }
        self.around.quantified = opened.constants.clone();
        self.around.parameters = self.around.quantified.len();
        let all = opened.constants.clone();
        let limited = self.encoder.terms.apply(symbols.limited, &all);
        let allowed = self.encoder.terms.apply(symbols.precondition, &all);

        // What holds between the symbols, whether or not the function is right.
        let full = self.encoder.terms.apply(symbols.full, &all);
        let equal = self.encoder.terms.equal(limited, full);
        let name = self.encoder.name_function_axiom(function, "limited");
        axioms.push(self.close_axiom(&opened, &[vec![full]], equal, &name));
        let plain = if symbols.takes_snapshot { &all[1..] } else { &all[..] };
        let stateless = self.encoder.terms.apply(symbols.stateless, plain);
        let name = self.encoder.name_function_axiom(function, "stateless");
        axioms.push(self.close_axiom(&opened, &[vec![limited]], stateless, &name));
        axioms.extend(self.comparison_of_snapshots(function, &symbols, &opened));

        let contract_blame = |assertion: &ExpressionRef| Blame::new(ErrorKind::NotWellFormed, assertion.span);
        let start = self.path.mark();
        let states = self.attempt(state, &mut |engine, mut state| {
            engine.produce_all(&mut state, &declared.preconditions, source, contract_blame)?;
            Ok(vec![engine.suspend(state)])
        })?;
        let name = self.encoder.name_function_axiom(function, "postcondition");
        for state in &states {
            let mut state = self.resume(state.clone());
            let before = self.path.mark();
            state.result = Some(limited);
            self.attempt(state, &mut |engine, mut state| {
                let mark = engine.path.mark();
                let mut promised = Vec::new();
                for postcondition in &declared.postconditions {
                    let inhaled = silver::typed::when_inhaling(postcondition);
                    let blame = contract_blame(postcondition);
                    let value = engine.evaluate(&mut state, &inhaled, &blame)?;
                    engine.assume(value);
                    promised.push(value);
                }
                let facts = engine.defining_facts(&mark, promised);
                let body = engine.encoder.terms.all(facts);
                let guarded = engine.under_case(&start, allowed, body);
                axioms.push(engine.close_axiom(&opened, &[vec![limited]], guarded, &name));
                Ok(Vec::new())
            })?;
            self.path.rewind(&before);
        }
        Ok(Checked { opened, start, states })
    }

    /// What was found on the current path, where the function may be applied and the cases hold that the path is about.
    fn under_case(&mut self, start: &crate::path::Mark, allowed: Term, found: Term) -> Term {
        let mut premise = allowed;
        for (condition, taken) in self.path.choices_since(start) {
            let condition = if taken { condition } else { self.encoder.terms.not(condition) };
            premise = self.encoder.terms.and(premise, condition);
        }
        self.encoder.terms.implies(premise, found)
    }

    /// Checks that the body is well defined and establishes the postcondition; adds the definition to what is known.
    fn check_body(
        &mut self,
        function: FunctionId,
        opened: &Opened,
        start: &crate::path::Mark,
        mut state: State,
        body: &ExpressionRef,
        known: &mut Knowledge,
    ) -> Outcome<()> {
        let declared = self.run.program.function(function);
        let symbols = self.member.functions.get(&mut self.encoder, function);
        let all = opened.constants.clone();
        let mark = self.path.mark();
        let blame = Blame::new(ErrorKind::FunctionNotWellFormed, declared.span);
        let (value, unfolded) = self.noting_unfolded(|engine| engine.evaluate(&mut state, body, &blame));
        let value = value?;
        let full = self.encoder.terms.apply(symbols.full, &all);
        let defined = self.encoder.binary(silver::typed::BinaryOperator::Equal, full, value);
        let facts = self.defining_facts(&mark, vec![defined]);
        let unrolled = self.unrolled(function, opened, start, defined);
        // The value itself, not the application: what is to be proved must not follow from the contract's axiom.
        state.result = Some(value);
        if let Some(scene) = &mut self.attempt.scene {
            scene.state.result = Some(value);
        }
        self.mention(value);
        for postcondition in &declared.postconditions {
            let exhaled = silver::typed::when_exhaling(postcondition);
            let blame = Blame::new(ErrorKind::Postcondition, postcondition.span);
            let mut exhaling = state.clone();
            self.trusting_to_consume(&declared.postconditions, |engine| {
                engine.consume(&mut exhaling, &exhaled, &blame)
            })?;
        }
        let body = self.encoder.terms.all(facts);
        let allowed = self.encoder.terms.apply(symbols.precondition, &all);
        let guarded = self.under_case(start, allowed, body);
        let plain = if symbols.takes_snapshot { &all[1..] } else { &all[..] };
        let stateless = self.encoder.terms.apply(symbols.stateless, plain);
        let mut triggers = vec![vec![full]];
        let is_endless = symbols.takes_snapshot && self.recurs_with(all[0], value);
        for trigger in unfolded {
            if !declared.annotations.has("opaque")
                && !is_endless
                && opened.covers(self, &[trigger, stateless])
            {
                triggers.push(vec![stateless, trigger]);
            }
        }
        let name = self.encoder.name_function_axiom(function, "definition");
        known.axioms.push(self.close_axiom(opened, &triggers, guarded, &name));
        known.steps.extend(self.step(function, opened, guarded));
        known
            .unrolled
            .extend(unrolled.or_else(|| self.short_range(function, opened, guarded)).into_iter().flatten());
        Ok(())
    }

    /// Whether a function whose definition is being built is applied to this snapshot: an instance that is unfolded for
    /// one application is then unfolded for the next, without end.
    fn recurs_with(&mut self, snapshot: Term, value: Term) -> bool {
        let group = self.member.recursive.clone();
        let limited: Vec<Function> = group
            .iter()
            .map(|function| self.member.functions.get(&mut self.encoder, *function).limited)
            .collect();
        let terms = &self.encoder.terms;
        terms.reachable(&[value]).into_iter().any(|term| {
            terms.as_application(term).is_some_and(|(function, arguments)| {
                limited.contains(&function) && arguments.first() == Some(&snapshot)
            })
        })
    }

    /// The terms, together with those facts since the mark that say what fresh symbols in them mean or that a function
    /// may be applied. What else is assumed there, the bodies of predicates for example, is not part of a definition:
    /// its quantifiers would be instantiated wherever the function is applied.
    fn defining_facts(&mut self, mark: &crate::path::Mark, terms: Vec<Term>) -> Vec<Term> {
        let allowed: Vec<Function> =
            self.member.functions.symbols.values().map(|symbols| symbols.precondition).collect();
        let mut found = terms;
        let table = &self.encoder.terms;
        let parameters: Vec<Function> = self
            .around
            .quantified
            .iter()
            .filter_map(|parameter| table.as_application(*parameter).map(|(function, _)| function))
            .collect();
        let is_new = |function: &Function| table.is_fresh(*function) && !parameters.contains(function);
        let mut needed: FxHashSet<Function> = self.symbols(&found).into_iter().filter(is_new).collect();
        let mut open: Vec<(Term, FxHashSet<Function>, bool)> = Vec::new();
        for fact in self.path.since(mark) {
            if !self.path.is_lemma(fact) && !found.contains(&fact) {
                let symbols = self.symbols(&[fact]);
                let allows = allowed.iter().any(|function| symbols.contains(function));
                let new = symbols.into_iter().filter(is_new).collect();
                open.push((fact, new, allows));
            }
        }
        loop {
            let count = found.len();
            open.retain(|(fact, symbols, allows)| {
                let is_wanted = *allows || symbols.iter().any(|symbol| needed.contains(symbol));
                if is_wanted {
                    needed.extend(symbols.iter().copied());
                    found.push(*fact);
                }
                !is_wanted
            });
            if found.len() == count {
                break;
            }
        }
        found
    }

    fn symbols(&self, terms: &[Term]) -> FxHashSet<Function> {
        let table = &self.encoder.terms;
        let symbols = table.reachable(terms).into_iter().filter_map(|term| table.as_application(term));
        symbols.map(|(function, _)| function).collect()
    }

    pub(crate) fn close_axiom(
        &mut self,
        opened: &Opened,
        triggers: &[Vec<Term>],
        body: Term,
        name: &str,
    ) -> Term {
        let triggers: Vec<Vec<Term>> = triggers
            .iter()
            .map(|trigger| trigger.iter().map(|term| opened.close(self, *term)).collect())
            .collect();
        let body = opened.close(self, body);
        let variables: Vec<Bound> = opened.variables.clone();
        self.encoder.terms.forall(&variables, &triggers, body, name)
    }
}

impl Opened {
    /// Whether the terms together mention every constant.
    pub(crate) fn covers(&self, engine: &Engine<'_>, terms: &[Term]) -> bool {
        self.constants.iter().all(|constant| {
            terms.iter().any(|term| crate::quantifier::mentions(&engine.encoder.terms, *term, &[*constant]))
        })
    }
}
