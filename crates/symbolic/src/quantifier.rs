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
            let declared = &self.locals[local.index()];
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
        let outer = self.path.open_scope();
        let depth = self.quantified.len();
        self.quantified.extend(opened.constants.iter().copied());
        let result = work(self);
        self.quantified.truncate(depth);
        let facts = self.path.close_scope(&outer);
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
                general.push(*fact);
            } else {
                self.assume(*fact);
            }
        }
        for fact in general {
            let body = opened.close(self, fact);
            let closed = self.encoder.terms.forall(&opened.variables, triggers, body, name);
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
        let opened = self.open(state, variables);
        let outer = self.path.open_scope();
        let depth = self.quantified.len();
        self.quantified.extend(opened.constants.iter().copied());
        let value = self.evaluate(state, body, blame);
        let patterns = match &value {
            Ok(_) => self.evaluate_triggers(state, triggers, body, variables, blame),
            Err(_) => Vec::new(),
        };
        self.quantified.truncate(depth);
        let facts = self.path.close_scope(&outer);
        let value = value?;
        let name = format!("q@{}", expression.span.start);
        let closed: Vec<Vec<Term>> = patterns
            .iter()
            .map(|pattern| pattern.iter().map(|term| opened.close(self, *term)).collect())
            .collect();
        self.keep_for_all(&opened, &closed, &format!("{name}-aux"), &facts);
        let body = opened.close(self, value);
        let weight = expression
            .annotation("weight")
            .and_then(|values| values.first())
            .and_then(|value| value.parse().ok());
        Ok(self.encoder.terms.quantify(kind, &opened.variables, &closed, body, &name, weight))
    }

    /// The patterns of a quantifier, as terms over the opened constants. Patterns are not checked: where one has no
    /// meaning, it only selects fewer instances.
    pub(crate) fn evaluate_triggers(
        &mut self,
        state: &mut State,
        triggers: &[Trigger],
        body: &ExpressionRef,
        variables: &[LocalId],
        blame: &Blame,
    ) -> Vec<Vec<Term>> {
        let inferred;
        let triggers = if triggers.is_empty() {
            let mut locals = self.locals.to_vec();
            inferred = silver::typed::infer_triggers(variables, body, &mut locals, false)
                .map(|inferred| inferred.triggers)
                .unwrap_or_default();
            &inferred[..]
        } else {
            triggers
        };
        let trusted = std::mem::replace(&mut self.trusted, true);
        let in_trigger = std::mem::replace(&mut self.in_trigger, true);
        let mut patterns = Vec::new();
        for trigger in triggers.iter() {
            let mut scratch = state.clone();
            let outer = self.path.open_scope();
            let terms: Outcome<Vec<Term>> = trigger
                .expressions
                .iter()
                .map(|expression| self.evaluate(&mut scratch, expression, blame))
                .collect();
            // Definitions of what the pattern mentions are kept; they are facts like those of the body.
            let facts = self.path.close_scope(&outer);
            for fact in facts {
                self.assume(fact);
            }
            if let Ok(terms) = terms
                && terms.iter().all(|term| crate::encode::is_pattern(&self.encoder.terms, *term))
            {
                patterns.push(terms);
            }
        }
        self.trusted = trusted;
        self.in_trigger = in_trigger;
        patterns
    }
}
