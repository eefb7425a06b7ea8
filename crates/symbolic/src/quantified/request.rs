//! A quantified permission with its parts evaluated, for constants in the place of its variables.

use std::rc::Rc;

use silver::typed::{ExpressionKind, ExpressionRef, LocalId, Resource as Location};
use smt::{Bound, Term};
use source::Span;

use crate::blame::{Blame, Reason};
use crate::consume::mentions_wildcard;
use crate::encode::names;
use crate::engine::{Engine, Outcome};
use crate::heap::{QuantifiedShape, Resource};
use crate::produce::Manner;
use crate::quantifier::Opened;
use crate::state::State;

#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub resource: Resource,
    /// Stand for the variables; nothing but `facts` speaks about them.
    pub constants: Vec<Term>,
    /// Everything over the constants; the guard of the assertion is part of the condition.
    pub condition: Term,
    pub arguments: Vec<Term>,
    pub amount: Term,
    pub is_wildcard: bool,
    /// The amounts of infinitely many locations are to be scaled by one wildcard.
    pub needs_common_share: bool,
    /// What evaluating found out about the constants.
    pub facts: Vec<Term>,
    /// The same over the shape's variables.
    pub shape: QuantifiedShape,
    /// The conditions inside the assertion that lead to the permission.
    pub guard: Term,
    pub span: Span,
}

/// What is evaluated under the variables.
struct Evaluated {
    resource: Resource,
    condition: Term,
    arguments: Vec<Term>,
    amount: Term,
    triggers: Vec<Vec<Term>>,
}

impl<'p> Engine<'p> {
    /// Evaluates a quantified permission. That amounts are not negative is checked, injectivity is not. Where patterns
    /// read the locations themselves, they read the map, if there is one.
    pub(super) fn request(
        &mut self,
        state: &mut State,
        assertion: &ExpressionRef,
        map: Option<Term>,
        manner: Manner,
        blame: &Blame,
    ) -> Outcome<Option<Request>> {
        let (Some(permission), ExpressionKind::Forall { body, .. }) =
            (assertion.as_quantified_permission(), &assertion.kind)
        else {
            self.fail_unless_dead(blame, Reason::Unsupported, assertion.span)?;
            return Ok(None);
        };
        let amount = match &permission.assertion.kind {
            ExpressionKind::FieldPermission { amount, .. } => amount.clone(),
            ExpressionKind::PredicatePermission(access) => access.amount.clone(),
            _ => None,
        };
        let location = match &permission.assertion.kind {
            ExpressionKind::FieldPermission { receiver, field, .. } => {
                Location::Field { receiver: receiver.clone(), field: *field, span: permission.assertion.span }
            }
            ExpressionKind::PredicatePermission(access) => Location::Predicate {
                predicate: access.predicate,
                arguments: access.arguments.clone(),
                span: access.span,
            },
            ExpressionKind::Wand(wand) => Location::Wand(wand.clone()),
            _ => {
                self.fail_unless_dead(blame, Reason::Unsupported, assertion.span)?;
                return Ok(None);
            }
        };
        let is_wildcard = manner.wildcard_scale || amount.as_ref().is_some_and(mentions_wildcard);
        let needs_common_share = manner.wildcard_scale
            && !amount.as_ref().is_some_and(mentions_wildcard)
            && !self.is_finite(&permission);
        let mut opened = self.open_shape(state, permission.variables);
        let variables = permission.variables;
        let (evaluated, facts) = self.for_arbitrary(&opened.constants.clone(), |engine| {
            let mut evaluated = engine.evaluate_parts(
                state,
                permission.condition,
                &location,
                amount.as_ref(),
                manner,
                blame,
            )?;
            // Patterns read what the permission reads where its condition holds.
            evaluated.triggers = engine.under(evaluated.condition, |engine| {
                Ok(engine.evaluate_triggers(state, &mut opened, permission.triggers, body, variables, blame))
            })?;
            Ok(evaluated)
        });
        let mut evaluated = evaluated?;
        if let Some(map) = map {
            self.read_from(map, &mut evaluated, &opened);
        }
        let facts: Vec<Term> = facts.into_iter().filter(|fact| !self.path.is_lemma(*fact)).collect();
        let request =
            self.close_request(evaluated, &opened, facts, is_wildcard, manner.guard, assertion.span);
        Ok(Some(Request { needs_common_share, ..request }))
    }

    /// Lets patterns read the locations from a map. Where the location itself is a pattern, nothing need be read. A
    /// location that is written in another way cannot be known to be one of these; it is the pattern then, too.
    fn read_from(&mut self, map: Term, evaluated: &mut Evaluated, opened: &Opened) {
        if !self.is_in_patterns(evaluated.resource) {
            return;
        }
        let location: Vec<Term> =
            evaluated.arguments.iter().map(|argument| opened.close(self, *argument)).collect();
        let location = self.as_in_patterns(&location);
        let read = self.map_lookup(evaluated.resource, map, &location);
        let Some((lookup, _)) = self.encoder.terms.as_application(read) else { return };
        for pattern in evaluated.triggers.iter_mut().flatten() {
            let terms = &mut self.encoder.terms;
            let place = match terms.as_application(*pattern) {
                Some((function, &[_, place])) if function == lookup => Some(place),
                _ => None,
            };
            let is_usable = |terms: &smt::Terms, place: Term| {
                !crate::encode::valid_triggers(terms, &opened.variables, &[vec![place]]).is_empty()
            };
            if let Some(place) = place
                && is_usable(terms, place)
            {
                *pattern = place;
                continue;
            }
            let is_here = |term: &Term| {
                terms
                    .as_application(*term)
                    .is_some_and(|(function, arguments)| function == lookup && arguments[1..] == *location)
            };
            let reads: Vec<Term> = terms.reachable(&[*pattern]).into_iter().filter(is_here).collect();
            let replacements = reads.into_iter().map(|old| (old, read)).collect();
            *pattern = terms.substitute(*pattern, &replacements);
        }
    }

    /// Opens the variables of a quantified permission; equal permissions close over the same variables.
    pub(super) fn open_shape(&mut self, state: &mut State, variables: &[LocalId]) -> Opened {
        let mut opened = self.open(state, variables);
        let sorts: Vec<_> =
            opened.constants.iter().map(|constant| self.encoder.terms.sort_of(*constant)).collect();
        opened.variables = self.shape_variables(&sorts).to_vec();
        opened
    }

    fn evaluate_parts(
        &mut self,
        state: &mut State,
        condition: Option<&ExpressionRef>,
        location: &Location,
        amount: Option<&ExpressionRef>,
        manner: Manner,
        blame: &Blame,
    ) -> Outcome<Evaluated> {
        let condition = match condition {
            Some(condition) => self.evaluate(state, condition, blame)?,
            None => self.encoder.terms.true_(),
        };
        let (resource, arguments, amount) = self.under(condition, |engine| {
            let (resource, arguments) = engine.evaluate_location(state, location, blame)?;
            let amount = engine.amount(state, amount, manner, blame)?;
            Ok((resource, arguments, amount))
        })?;
        Ok(Evaluated { resource, condition, arguments, amount, triggers: Vec::new() })
    }

    fn close_request(
        &mut self,
        evaluated: Evaluated,
        opened: &Opened,
        facts: Vec<Term>,
        is_wildcard: bool,
        guard: Term,
        span: Span,
    ) -> Request {
        let Evaluated { resource, condition, arguments, amount, mut triggers } = evaluated;
        let condition = self.encoder.terms.and(guard, condition);
        let formals = self.location_variables(&arguments);
        let closed: Vec<Term> = arguments.iter().map(|argument| opened.close(self, *argument)).collect();
        if triggers.is_empty() {
            triggers = crate::encode::valid_triggers(
                &self.encoder.terms,
                &opened.variables,
                std::slice::from_ref(&closed),
            );
        }
        let shape = QuantifiedShape {
            variables: Rc::from(&opened.variables[..opened.constants.len()]),
            formals,
            condition: opened.close(self, condition),
            arguments: Rc::from(closed),
            permission: opened.close(self, amount),
            triggers: Rc::from(triggers),
        };
        self.keep_facts(opened, &shape, &facts);
        Request {
            resource,
            constants: opened.constants.clone(),
            condition,
            arguments,
            amount,
            is_wildcard,
            needs_common_share: false,
            facts,
            shape,
            guard,
            span,
        }
    }

    /// Keeps what was found out about the constants for all values of the variables.
    fn keep_facts(&mut self, opened: &Opened, shape: &QuantifiedShape, facts: &[Term]) {
        for fact in facts {
            if !opened.occurs_in(self, *fact) {
                self.assume(*fact);
                continue;
            }
            let body = opened.close(self, *fact);
            // What is said of a symbol that is new for each value is wanted wherever the symbol is.
            let mut triggers = shape.triggers.to_vec();
            triggers.extend(self.new_symbol(body, &opened.variables).map(|symbol| vec![symbol]));
            let fact = self.encoder.terms.forall(&opened.variables, &triggers, body, names::AUXILIARY);
            self.assume(fact);
        }
    }

    /// `w` if the fact, apart from premises, is `0 < w` for an application to all of the variables.
    fn new_symbol(&self, fact: Term, variables: &[Bound]) -> Option<Term> {
        let terms = &self.encoder.terms;
        let conclusion = match terms.as_operation(fact) {
            Some((smt::Operator::Implies, [_, conclusion])) => *conclusion,
            _ => fact,
        };
        match terms.as_operation(conclusion) {
            Some((smt::Operator::Less, [_, symbol]))
                if terms.as_application(*symbol).is_some()
                    && variables.iter().all(|variable| terms.free_variables(*symbol).contains(variable)) =>
            {
                Some(*symbol)
            }
            _ => None,
        }
    }

    /// Works for arbitrary values of the variables that the permission is asked for. What is assumed there is
    /// forgotten afterwards.
    pub(super) fn inside<T>(&mut self, request: &Request, work: impl FnOnce(&mut Self) -> T) -> T {
        let (result, _) = self.for_arbitrary(&request.constants, |engine| {
            for fact in &request.facts {
                engine.assume(*fact);
            }
            engine.assume(request.condition);
            let positive = engine.positive(request.amount);
            engine.assume(positive);
            work(engine)
        });
        result
    }

    /// Different values of the variables have different locations.
    pub(super) fn check_injective(
        &mut self,
        request: &Request,
        reason: Reason,
        blame: &Blame,
    ) -> Outcome<()> {
        if self.direct_arguments(&request.shape).iter().all(Option::is_some) {
            return Ok(());
        }
        let others: Vec<Term> = request
            .constants
            .iter()
            .map(|constant| {
                let sort = self.encoder.terms.sort_of(*constant);
                self.encoder.terms.fresh_constant("other", sort)
            })
            .collect();
        let replacements = request.constants.iter().copied().zip(others.iter().copied()).collect();
        let renamed = |engine: &mut Self, term: Term| engine.encoder.terms.substitute(term, &replacements);
        let arguments: Vec<Term> =
            request.arguments.iter().map(|argument| renamed(self, *argument)).collect();
        let amount = renamed(self, request.amount);
        let positive = self.positive(amount);
        let mut facts: Vec<Term> = request.facts.iter().map(|fact| renamed(self, *fact)).collect();
        facts.extend([renamed(self, request.condition), positive]);
        facts.push(self.same_location(&request.arguments, &arguments));
        let goal: Vec<Term> = request
            .constants
            .iter()
            .zip(&others)
            .map(|(one, other)| self.same_location(&[*one], &[*other]))
            .collect();
        let goal = self.encoder.terms.all(goal);
        self.inside(request, |engine| {
            for fact in facts {
                engine.assume(fact);
            }
            engine.must(goal, blame, reason, request.span)
        })
    }
}
