//! Pure quantifiers: the body is evaluated once for constants that stand for the variables, then closed over them.

use silver::typed::{ExpressionKind, ExpressionRef, LocalId, Trigger};
use smt::{Bound, QuantifierKind, Sort, Term};

use crate::blame::Blame;
use crate::engine::{Engine, Outcome};
use crate::state::State;

/// Constants that stand for bound variables while a body is evaluated, and the variables that replace them.
#[derive(Clone, Debug)]
pub(crate) struct Opened {
    pub constants: Vec<Term>,
    pub variables: Vec<Bound>,
}

/// A quantifier as it is written.
#[derive(Clone, Copy)]
pub(crate) struct Quantifier<'e> {
    pub variables: &'e [LocalId],
    pub triggers: &'e [Trigger],
    pub body: &'e ExpressionRef,
}

/// The body of a quantifier for constants.
pub(crate) struct Instance {
    pub opened: Opened,
    /// The patterns, over the variables.
    pub triggers: Vec<Vec<Term>>,
    /// What was found out about the constants.
    pub facts: Vec<Term>,
    /// Of the body.
    pub value: Term,
}

impl Opened {
    /// Puts the variables in the place of the constants.
    pub(crate) fn close(&self, engine: &mut Engine<'_>, term: Term) -> Term {
        let replacements = self
            .constants
            .iter()
            .zip(&self.variables)
            .map(|(constant, variable)| (*constant, engine.encoder.terms.bound(*variable)))
            .collect();
        engine.encoder.terms.substitute(term, &replacements)
    }

    /// Whether a term speaks about one of the constants.
    pub(crate) fn occurs_in(&self, engine: &Engine<'_>, term: Term) -> bool {
        mentions(&engine.encoder.terms, term, &self.constants)
    }
}

/// Whether one of the constants occurs in the term.
pub(crate) fn mentions(terms: &smt::Terms, term: Term, constants: &[Term]) -> bool {
    let mut seen = rustc_hash::FxHashSet::default();
    let mut stack = vec![term];
    let oldest = constants.iter().min();
    while let Some(term) = stack.pop() {
        if constants.contains(&term) {
            return true;
        }
        // A term is younger than its parts.
        if oldest.is_some_and(|oldest| term < *oldest) || !seen.insert(term) {
            continue;
        }
        terms.for_each_child(term, &mut |child| stack.push(child));
    }
    false
}

impl<'p> Engine<'p> {
    /// Gives bound variables of the program fresh constants as values.
    pub(crate) fn open(&mut self, state: &mut State, variables: &[LocalId]) -> Opened {
        let mut opened = Opened { constants: Vec::new(), variables: Vec::new() };
        for local in variables {
            let declared = &self.around.locals[local.index()];
            let (name, ty) = (declared.name.clone(), declared.ty.clone());
            let sort = self.encoder.sort(&ty);
            let constant = self.encoder.terms.fresh_constant(&name, sort);
            let variable = self.encoder.terms.fresh_bound(&name, sort);
            state.store.set(*local, constant);
            opened.constants.push(constant);
            opened.variables.push(variable);
        }
        opened
    }

    /// The same for locations of a resource, which have no variables in the program.
    pub(crate) fn open_sorts(&mut self, name: &str, sorts: &[Sort]) -> Opened {
        let terms = &mut self.encoder.terms;
        let constants = sorts.iter().map(|sort| terms.fresh_constant(name, *sort)).collect();
        let variables = sorts.iter().map(|sort| terms.fresh_bound(name, *sort)).collect();
        Opened { constants, variables }
    }

    /// Works for arbitrary values of the opened constants; what is learned holds afterwards for all of them.
    pub(crate) fn for_all<T>(
        &mut self,
        opened: &Opened,
        triggers: &[Vec<Term>],
        name: &str,
        work: impl FnOnce(&mut Self) -> Outcome<T>,
    ) -> Outcome<T> {
        let (result, facts) = self.for_arbitrary(&opened.constants, work);
        self.keep_for_all(opened, triggers, name, &facts);
        result
    }

    pub(crate) fn keep_for_all(
        &mut self,
        opened: &Opened,
        triggers: &[Vec<Term>],
        name: &str,
        facts: &[Term],
    ) {
        let mut general = Vec::new();
        for fact in facts {
            if opened.occurs_in(self, *fact) {
                // A fact that follows from the others needs no quantifier.
                if !self.path.is_lemma(*fact) {
                    general.push(*fact);
                }
            } else {
                self.assume(*fact);
            }
        }
        for fact in general {
            let body = opened.close(self, fact);
            let kind = QuantifierKind::Forall;
            let terms = &mut self.encoder.terms;
            let closed = crate::encode::quantify(terms, kind, &opened.variables, triggers, body, name, None);
            self.assume_like(fact, closed);
        }
    }

    pub(crate) fn evaluate_quantifier(
        &mut self,
        state: &mut State,
        expression: &ExpressionRef,
        blame: &Blame,
    ) -> Outcome<Term> {
        let (kind, variables, triggers, body) = match &expression.kind {
            ExpressionKind::Forall { variables, triggers, body } => {
                (QuantifierKind::Forall, variables, triggers, body)
            }
            ExpressionKind::Exists { variables, triggers, body } => {
                (QuantifierKind::Exists, variables, triggers, body)
            }
            _ => return Ok(self.encoder.terms.true_()),
        };
        let quantifier = Quantifier { variables, triggers, body };
        let Instance { opened, triggers, facts, value } =
            self.instantiate(state, quantifier, blame, |engine, state| engine.evaluate(state, body, blame))?;
        let name = self.encoder.name_quantifier(expression.span);
        let facts_name = self.encoder.name_quantifier_facts(expression.span);
        self.keep_for_all(&opened, &triggers, &facts_name, &facts);
        let body = opened.close(self, value);
        let weight = crate::encode::quantifier_weight(expression);
        let terms = &mut self.encoder.terms;
        Ok(crate::encode::quantify(terms, kind, &opened.variables, &triggers, body, &name, weight))
    }

    /// Works on the body of a quantifier for constants in the place of its variables, and finds its patterns.
    pub(crate) fn instantiate(
        &mut self,
        state: &mut State,
        quantifier: Quantifier<'_>,
        blame: &Blame,
        work: impl FnOnce(&mut Self, &mut State) -> Outcome<Term>,
    ) -> Outcome<Instance> {
        let Quantifier { variables, triggers, body } = quantifier;
        let mut opened = self.open(state, variables);
        let (done, facts) = self.for_arbitrary(&opened.constants.clone(), |engine| {
            let value = work(engine, state)?;
            Ok((value, engine.evaluate_triggers(state, &mut opened, triggers, body, variables, blame)))
        });
        let (value, triggers) = done?;
        Ok(Instance { opened, triggers, facts, value })
    }

    /// The patterns of a quantifier, over its variables; inferred ones where none are written or none is usable. What
    /// inferred patterns need in addition is opened, too.
    pub(crate) fn evaluate_triggers(
        &mut self,
        state: &mut State,
        opened: &mut Opened,
        triggers: &[Trigger],
        body: &ExpressionRef,
        variables: &[LocalId],
        blame: &Blame,
    ) -> Vec<Vec<Term>> {
        let usable = self.evaluate_patterns(state, opened, triggers, blame);
        if !usable.is_empty() {
            return usable;
        }
        let mut locals = self.around.locals.to_vec();
        let inferred = silver::typed::infer_triggers(variables, body, &mut locals, false)
            .or_else(|| silver::typed::infer_triggers(variables, body, &mut locals, true));
        let Some(inferred) = inferred else { return Vec::new() };
        self.with_locals(&locals, |engine| {
            let further = engine.open(state, &inferred.extra_variables);
            opened.constants.extend(further.constants);
            opened.variables.extend(further.variables);
            engine.evaluate_patterns(state, opened, &inferred.triggers, blame)
        })
    }

    /// Patterns are not checked: where one has no meaning, it only selects fewer instances. What would hold if it had
    /// one is therefore forgotten.
    fn evaluate_patterns(
        &mut self,
        state: &State,
        opened: &Opened,
        triggers: &[Trigger],
        blame: &Blame,
    ) -> Vec<Vec<Term>> {
        let mut patterns: Vec<Vec<Term>> = Vec::new();
        let outer = self.path.open_scope();
        self.with(
            |around| &mut around.in_trigger,
            true,
            |engine| {
                for trigger in triggers {
                    let mut scratch = state.clone();
                    let terms = engine
                        .trusting(|engine| engine.evaluate_all(&mut scratch, &trigger.expressions, blame));
                    if let Ok(terms) = terms {
                        let closed = terms.into_iter().map(|term| {
                            let pattern = engine.encoder.pattern(term);
                            opened.close(engine, pattern)
                        });
                        patterns.push(closed.collect());
                    }
                }
            },
        );
        self.path.close_scope(&outer);
        crate::encode::valid_triggers(&self.encoder.terms, &opened.variables, &patterns)
    }
}
