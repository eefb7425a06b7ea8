//! What the proof of a program may assume about terms: ground equations, each under conditions on data and on terms that
//! only the language knows.
//!
//! Equations are between terms as they are written, so that whoever states them needs no normal forms. `T == a(e)·P + T`
//! says that `a(e)·P` is a summand of `T`, `T == T1 + T` that `T1` is an alternative of it, `T == T + ε` that it may end. Each
//! equation is true for all values of its variables for which its conditions are: it is an implication that may be assumed
//! anywhere.

use super::matching::{Effort, Matching, matches};
use crate::expression::{Binder, Expression, ExpressionKind, Quantifier};
use crate::head::{Guard, Head, Summand};
use crate::model::ActionId;
use crate::normal::{Algebra, Limit, Normal, NormalKind};
use crate::simplify::{all, build, conjuncts, not, or, truth, truth_of};
use crate::term::{Term, TermKind};
use crate::types::Type;

/// Two terms that are bisimilar where all conditions are true and all pairs of terms are.
#[derive(Clone, Debug)]
pub struct Equation {
    /// Conditions on data; none is known to be true or false on sight.
    pub conditions: Vec<Expression>,
    /// Pairs of terms that have to be equal, one of each known only to the language.
    pub terms: Vec<(Term, Term)>,
    /// The one term.
    pub left: Term,
    /// The other.
    pub right: Term,
}

/// What is needed for a match.
struct Needs {
    conditions: Vec<Expression>,
    terms: Vec<(Normal, Normal)>,
}

impl Algebra<'_> {
    /// Equations `held == a(e)·then + held`: under which conditions the action, followed by `then`, is a summand. Those
    /// with fewer conditions come first. Summands that lie behind more than a few calls may be missed.
    pub fn step_equations(
        &mut self,
        held: &Term,
        action: ActionId,
        arguments: &[Expression],
        then: &Term,
    ) -> Result<Vec<Equation>, Limit> {
        let from = self.normalise(held)?;
        let wanted = self.normalise(then)?;
        let head = self.head_as_far_as_it_goes(from)?;
        let span = held.span();
        let first = Term::new(TermKind::Action(action, arguments.to_vec()), span);
        let step = Term::new(TermKind::Sequence(first, then.clone()), span);
        let right = Term::new(TermKind::Choice(step, held.clone()), span);
        let mut found = Vec::new();
        for summand in head.summands.iter().filter(|summand| summand.action == action) {
            for needs in self.needs_of_step(summand, arguments, wanted)? {
                found.push(self.equation(needs, held, &right)?);
            }
        }
        Ok(in_order(found))
    }

    /// Equations `held == chosen + held`: under which conditions one may go on with `chosen` instead.
    pub fn choice_equations(&mut self, held: &Term, chosen: &Term) -> Result<Vec<Equation>, Limit> {
        let from = self.normalise(held)?;
        let wanted = self.normalise(chosen)?;
        let right = Term::new(TermKind::Choice(chosen.clone(), held.clone()), held.span());
        let mut found = Vec::new();
        let mut alternatives = vec![from];
        for place in 0..MOST_ALTERNATIVES {
            let Some(next) = alternatives.get(place).copied() else { break };
            match self.kind(next).clone() {
                NormalKind::Choice(parts) => alternatives.extend(parts.iter()),
                NormalKind::Call(process, arguments) if place < MOST_UNFOLDED => {
                    alternatives.push(self.unfold(process, &arguments)?);
                }
                _ => {}
            }
        }
        for alternative in alternatives {
            for needs in self.needs_of_match(alternative, wanted)? {
                found.push(self.equation(needs, held, &right)?);
            }
        }
        if let Some(needs) = self.needs_of_inclusion(from, wanted)? {
            found.push(self.equation(needs, held, &right)?);
        }
        Ok(in_order(found))
    }

    /// Equations `first == second`, as far as both match part by part.
    pub fn equations(&mut self, first: &Term, second: &Term) -> Result<Vec<Equation>, Limit> {
        let one = self.normalise(first)?;
        let other = self.normalise(second)?;
        let mut found = Vec::new();
        for needs in self.needs_of_match(one, other)? {
            found.push(self.equation(needs, first, second)?);
        }
        Ok(in_order(found))
    }

    /// `held == held + ε`, under the condition that it may end; nothing if it never may, or if a term that only the
    /// language knows decides.
    pub fn end_equation(&mut self, held: &Term) -> Result<Option<Equation>, Limit> {
        let from = self.normalise(held)?;
        let Some(condition) = self.termination_condition(from)? else { return Ok(None) };
        if truth_of(&condition) == Some(false) {
            return Ok(None);
        }
        let empty = Term::new(TermKind::Empty, held.span());
        let right = Term::new(TermKind::Choice(held.clone(), empty), held.span());
        let needs = Needs { conditions: known_apart(vec![condition]), terms: Vec::new() };
        self.equation(needs, held, &right).map(Some)
    }

    /// `held == hnf(held)`: the sum of what it does first, and ε where it may end. Nothing if a term that only the language
    /// knows comes first.
    pub fn head_equation(&mut self, held: &Term) -> Result<Option<Equation>, Limit> {
        let from = self.normalise(held)?;
        let head = self.head(from)?;
        if !head.opaque.is_empty() {
            return Ok(None);
        }
        let mut parts = Vec::new();
        for summand in &head.summands {
            match self.summand_term(summand)? {
                Some(part) => parts.push(part),
                None => return Ok(None),
            }
        }
        let empty = self.empty()?;
        for guard in &head.termination {
            if !guard.foreign_ends.is_empty() {
                return Ok(None);
            }
            parts.push(self.guarded(guard, empty)?);
        }
        let sum = self.choice(parts)?;
        let right = self.term(sum)?;
        self.equation(Needs { conditions: Vec::new(), terms: Vec::new() }, held, &right).map(Some)
    }

    fn equation(&mut self, needs: Needs, left: &Term, right: &Term) -> Result<Equation, Limit> {
        let mut terms = Vec::with_capacity(needs.terms.len());
        for (one, other) in needs.terms {
            terms.push((self.term(one)?, self.term(other)?));
        }
        Ok(Equation { conditions: needs.conditions, terms, left: left.clone(), right: right.clone() })
    }

    fn needs_of_step(
        &mut self,
        summand: &Summand,
        arguments: &[Expression],
        wanted: Normal,
    ) -> Result<Vec<Needs>, Limit> {
        if !summand.guard.foreign_ends.is_empty() {
            return Ok(Vec::new());
        }
        let (guard, renaming) = self.refreshed(&summand.guard);
        let rest = self.substitute(summand.rest, &renaming)?;
        let open = guard.binders.iter().map(|bound| bound.variable);
        let mut start = Matching::new(open).with_foreign();
        for (one, other) in summand.arguments.iter().zip(arguments) {
            start.expression(&renaming.apply(one), other);
        }
        let mut found = Vec::new();
        for way in matches(self, start, rest, wanted, &mut Effort::new())? {
            // A bound variable that nothing gives a value to could be anything that its condition allows.
            if !way.is_complete() {
                continue;
            }
            let Some(mut conditions) = way.conditions() else { continue };
            conditions.push(way.values.apply(&guard.condition));
            if conditions.iter().any(|condition| truth_of(condition) == Some(false)) {
                continue;
            }
            let terms = self.with_values(&way)?;
            found.push(Needs { conditions: known_apart(conditions), terms });
        }
        Ok(found)
    }

    /// The pairs of terms of a match, with the values that it gives to variables.
    fn with_values(&mut self, way: &Matching) -> Result<Vec<(Normal, Normal)>, Limit> {
        let mut terms = Vec::new();
        for (one, other) in way.terms.iter().flatten() {
            terms.push((self.substitute(*one, &way.values)?, *other));
        }
        Ok(terms)
    }

    fn needs_of_match(&mut self, first: Normal, second: Normal) -> Result<Vec<Needs>, Limit> {
        let start = Matching::new([]).with_foreign();
        let mut found = Vec::new();
        for way in matches(self, start, first, second, &mut Effort::new())? {
            if let Some(conditions) = way.conditions() {
                let terms = self.with_values(&way)?;
                found.push(Needs { conditions: known_apart(conditions), terms });
            }
        }
        Ok(found)
    }

    /// Conditions under which all that the second does first the first does as well, and it may end where that may.
    fn needs_of_inclusion(&mut self, first: Normal, second: Normal) -> Result<Option<Needs>, Limit> {
        let held = self.head_as_far_as_it_goes(first)?;
        let chosen = match self.head(second) {
            Ok(head) if head.opaque.is_empty() => head,
            _ => return Ok(None),
        };
        let span = self.nowhere();
        let mut conditions = Vec::new();
        for summand in &chosen.summands {
            let (guard, renaming) = self.refreshed(&summand.guard);
            let arguments = renaming.apply_all(&summand.arguments);
            let rest = self.substitute(summand.rest, &renaming)?;
            let mut any = not(&guard.condition);
            for answer in held.summands.iter().filter(|answer| answer.action == summand.action) {
                for needs in self.needs_of_step(answer, &arguments, rest)? {
                    if needs.terms.is_empty() {
                        any = or(&any, &all(&needs.conditions, span));
                    }
                }
            }
            conditions.push(for_all(&guard, any));
        }
        for guard in &chosen.termination {
            let (guard, _) = self.refreshed(guard);
            let answers = held.termination.iter().filter_map(Guard::as_condition);
            let any = answers.fold(not(&guard.condition), |any, next| or(&any, &next));
            if !guard.foreign_ends.is_empty() {
                return Ok(None);
            }
            conditions.push(for_all(&guard, any));
        }
        if conditions.iter().any(|condition| truth_of(condition) == Some(false)) {
            return Ok(None);
        }
        Ok(Some(Needs { conditions: known_apart(conditions), terms: Vec::new() }))
    }

    /// A head without what lies behind too many calls: everything in it is true, some summands may be missing.
    fn head_as_far_as_it_goes(&mut self, normal: Normal) -> Result<Head, Limit> {
        match self.head(normal) {
            Ok(head) => Ok((*head).clone()),
            Err(Limit::Unguarded(_)) => self.partial_head(normal),
            Err(limit) => Err(limit),
        }
    }
}

/// Alternatives of a term, and processes among them that are unfolded, that are compared with one that is wanted.
const MOST_ALTERNATIVES: usize = 256;
const MOST_UNFOLDED: usize = 16;

/// The condition for all values of what a guard binds.
fn for_all(guard: &Guard, condition: Expression) -> Expression {
    if guard.binders.is_empty() || truth_of(&condition).is_some() {
        return condition;
    }
    let binders = guard.binders.iter().map(|bound| Binder {
        variable: bound.variable,
        name: bound.name.clone(),
        ty: bound.ty.clone(),
        range: None,
    });
    let span = condition.span();
    let kind = ExpressionKind::Quantified(Quantifier::All, binders.collect(), truth(true, span), condition);
    build(kind, Type::Boolean, span)
}

/// The parts of conditions that are not known to be true, each once.
fn known_apart(conditions: Vec<Expression>) -> Vec<Expression> {
    let mut kept: Vec<Expression> = Vec::new();
    for condition in conditions.iter().flat_map(conjuncts) {
        if truth_of(&condition) != Some(true) && !kept.contains(&condition) {
            kept.push(condition);
        }
    }
    kept
}

/// Each equation once, those that need less first.
fn in_order(mut found: Vec<Equation>) -> Vec<Equation> {
    found.sort_by_key(|equation| (equation.terms.len(), equation.conditions.len()));
    let mut kept: Vec<Equation> = Vec::new();
    for equation in found {
        let same =
            |other: &Equation| other.conditions == equation.conditions && other.terms == equation.terms;
        if !kept.iter().any(same) {
            kept.push(equation);
        }
    }
    kept
}
