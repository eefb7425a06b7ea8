//! Two terms follow each other step by step; data are asked about.
//!
//! For every summand of the one there must be, whatever the values are, a summand of the other with the same action, equal
//! arguments and an equal rest. A pair that comes back after at least one step is taken to be equal (coinduction): the pairs
//! that are compared, with all values that their assumptions allow, are a bisimulation up to bisimilarity if nothing fails.
//! Nothing is concluded from a pair that is only supposed to be equal except that the pairs before it are.

use std::collections::{BTreeSet, HashMap};

use super::matching::{Effort, Matching, matches};
use super::{Difference, Distinction, Doubt, Entailment, Equality, Step};
use crate::expression::Expression;
use crate::head::{Frame, Guard, Head, Opaque, Summand};
use crate::limits;
use crate::normal::{Algebra, Bound, Limit, Normal, has_values};
use crate::oracle::{Answer, Oracle};
use crate::simplify::{all, not, or, truth, truth_of};

/// What is known about two terms, by following them.
pub(super) fn compare(
    algebra: &mut Algebra<'_>,
    [first, second]: [Normal; 2],
    assumptions: &[Expression],
    oracle: &mut dyn Oracle,
    pairs: usize,
) -> Equality {
    let most_forms = algebra.forms() + limits::COMPARED_FORMS;
    let mut game = Game {
        algebra,
        oracle,
        suppositions: Vec::new(),
        known: HashMap::new(),
        pairs,
        parts: limits::GAME_PARTS,
        most_forms,
        doubt: Doubt::default(),
    };
    match game.pair(first, second, assumptions) {
        Ok(Outcome::Equal { .. }) => Equality::Equal,
        Ok(Outcome::Different { difference, .. }) => Equality::Different(difference),
        Ok(Outcome::Unknown) => Equality::Unknown(game.doubt),
        Err(limit) => Equality::Unknown(Doubt { limit: Some(limit), ..game.doubt }),
    }
}

#[derive(Clone, Debug)]
enum Outcome {
    /// Equal, if the suppositions from this one on are true.
    Equal {
        rests_on: usize,
    },
    /// Different for some values; for all that the assumptions allow, if `everywhere`.
    Different {
        difference: Difference,
        everywhere: bool,
    },
    Unknown,
}

const NOTHING: usize = usize::MAX;

/// A pair that is taken to be equal, for all values of its variables for which the assumptions are true.
struct Supposition {
    first: Normal,
    second: Normal,
    assumptions: Vec<Expression>,
}

/// What the other side can answer a step with.
struct Candidate {
    /// Where it is an answer.
    condition: Expression,
    rest: Normal,
    /// Whether its bound variables have the only values with which it can be one.
    forced: bool,
}

struct Game<'g, 'm> {
    algebra: &'g mut Algebra<'m>,
    oracle: &'g mut dyn Oracle,
    suppositions: Vec<Supposition>,
    /// Pairs about which everything is known, whatever is supposed.
    known: HashMap<(Normal, Normal, Vec<Expression>), Outcome>,
    /// Pairs that may still be compared, and parts of terms that may be matched for that.
    pairs: usize,
    parts: usize,
    most_forms: usize,
    doubt: Doubt,
}

impl Game<'_, '_> {
    fn pair(&mut self, first: Normal, second: Normal, assumptions: &[Expression]) -> Result<Outcome, Limit> {
        if first == second {
            return Ok(Outcome::Equal { rests_on: NOTHING });
        }
        let key = (first, second, assumptions.to_vec());
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        if self.pairs == 0
            || self.suppositions.len() >= limits::COMPARED_DEPTH
            || self.algebra.forms() > self.most_forms
        {
            self.doubt.limit.get_or_insert(Limit::Work);
            return Ok(Outcome::Unknown);
        }
        self.pairs -= 1;
        if self.matches_as_it_is(first, second, assumptions)? {
            let equal = Outcome::Equal { rests_on: NOTHING };
            self.known.insert(key, equal.clone());
            return Ok(equal);
        }
        if let Some(place) = self.is_supposed(first, second, assumptions)? {
            return Ok(Outcome::Equal { rests_on: place });
        }
        let heads = self.algebra.head(first).and_then(|head| Ok((head, self.algebra.head(second)?)));
        let (first_head, second_head) = match heads {
            Ok(heads) => heads,
            // What a term does first was not found; others may still be told apart.
            Err(limit) => {
                self.doubt.limit.get_or_insert(limit);
                return Ok(Outcome::Unknown);
            }
        };
        let place = self.suppositions.len();
        self.suppositions.push(Supposition { first, second, assumptions: assumptions.to_vec() });
        let outcome = self.heads(&first_head, &second_head, assumptions);
        self.suppositions.truncate(place);
        let outcome = match outcome? {
            // What rests on itself alone rests on nothing.
            Outcome::Equal { rests_on } if rests_on >= place => Outcome::Equal { rests_on: NOTHING },
            other => other,
        };
        match outcome {
            Outcome::Equal { rests_on: NOTHING } | Outcome::Different { .. } => {
                self.known.insert(key, outcome.clone());
            }
            _ => {}
        }
        Ok(outcome)
    }

    fn entails(&mut self, assumptions: &[Expression], condition: &Expression) -> Answer {
        match truth_of(condition) {
            Some(true) => Answer::Yes,
            _ => self.oracle.entails(assumptions, condition),
        }
    }

    /// Ways in which a pattern matches; what that costs is counted.
    fn matches(
        &mut self,
        start: Matching,
        pattern: Normal,
        target: Normal,
        most: usize,
        unfolds: bool,
    ) -> Result<Vec<Matching>, Limit> {
        let granted = most.min(self.parts);
        let mut effort = Effort::of(granted, unfolds);
        let found = matches(self.algebra, start, pattern, target, &mut effort);
        self.parts -= granted - effort.left();
        found
    }

    /// Whether the parts of both terms are equal under the assumptions.
    fn matches_as_it_is(
        &mut self,
        first: Normal,
        second: Normal,
        assumptions: &[Expression],
    ) -> Result<bool, Limit> {
        let ways = self.matches(Matching::new([]), first, second, limits::GAME_MATCH, true)?;
        for way in ways {
            let Some(conditions) = way.conditions() else { continue };
            let condition = all(&conditions, self.algebra.nowhere());
            if self.entails(assumptions, &condition) == Answer::Yes {
                return Ok(true);
            }
            self.doubt.needed.push(Entailment { assumptions: assumptions.to_vec(), condition });
        }
        Ok(false)
    }

    /// The supposition that a pair is an instance of.
    fn is_supposed(
        &mut self,
        first: Normal,
        second: Normal,
        assumptions: &[Expression],
    ) -> Result<Option<usize>, Limit> {
        for place in (0..self.suppositions.len()).rev() {
            let supposed = &self.suppositions[place];
            let (one, other, needed) = (supposed.first, supposed.second, supposed.assumptions.clone());
            let mut open: BTreeSet<_> = self.algebra.free_variables(one).iter().copied().collect();
            open.extend(self.algebra.free_variables(other));
            let start = Matching::new(open);
            for way in self.matches(start, one, first, limits::MATCHED_INSTANCE, false)? {
                for way in self.matches(way, other, second, limits::MATCHED_INSTANCE, false)? {
                    let Some(mut conditions) = way.conditions() else { continue };
                    conditions.extend(needed.iter().map(|assumption| way.values.apply(assumption)));
                    let condition = all(&conditions, self.algebra.nowhere());
                    if self.entails(assumptions, &condition) == Answer::Yes {
                        return Ok(Some(place));
                    }
                }
            }
        }
        Ok(None)
    }

    fn heads(&mut self, first: &Head, second: &Head, assumptions: &[Expression]) -> Result<Outcome, Limit> {
        let mut result = Outcome::Equal { rests_on: NOTHING };
        for (is_first, one, other) in [(true, first, second), (false, second, first)] {
            let ends = self.ends_like(is_first, one, other, assumptions);
            if !joined(&mut result, ends) {
                return Ok(result);
            }
        }
        for (is_first, one, other) in [(true, first, second), (false, second, first)] {
            for summand in &one.summands {
                let answered = self.summand(is_first, summand, other, assumptions)?;
                if !joined(&mut result, answered) {
                    return Ok(result);
                }
            }
            for opaque in &one.opaque {
                if !self.opaque(opaque, other, assumptions)? {
                    self.doubt.foreign = true;
                    joined(&mut result, Outcome::Unknown);
                }
            }
        }
        Ok(result)
    }

    /// Where the one may end, the other may.
    fn ends_like(&mut self, is_first: bool, one: &Head, other: &Head, assumptions: &[Expression]) -> Outcome {
        let mut result = Outcome::Equal { rests_on: NOTHING };
        let span = self.algebra.nowhere();
        for guard in &one.termination {
            let (guard, _) = self.algebra.refreshed(guard);
            let mut target = truth(false, span);
            let mut left_out = !guard.foreign_ends.is_empty();
            for answer in &other.termination {
                let plain = Guard { foreign_ends: BTreeSet::new(), ..answer.clone() };
                match plain.as_condition() {
                    Some(condition) if answer.foreign_ends.is_subset(&guard.foreign_ends) => {
                        target = or(&target, &condition);
                    }
                    _ => left_out = true,
                }
            }
            let inside = with(assumptions, &guard.condition);
            match self.entails(&inside, &target) {
                Answer::Yes => {}
                Answer::No if !left_out => {
                    let everywhere = self.entails(assumptions, &guard.condition) == Answer::Yes
                        && self.entails(assumptions, &not(&target)) == Answer::Yes;
                    let what = Distinction::Ends { first: is_first };
                    let difference = Difference { after: Vec::new(), what };
                    joined(&mut result, Outcome::Different { difference, everywhere });
                }
                _ => {
                    self.doubt.foreign |= left_out;
                    self.doubt.needed.push(Entailment { assumptions: inside, condition: target });
                    joined(&mut result, Outcome::Unknown);
                }
            }
        }
        result
    }

    /// Whether the other has an answer to a summand for all values.
    fn summand(
        &mut self,
        is_first: bool,
        summand: &Summand,
        other: &Head,
        assumptions: &[Expression],
    ) -> Result<Outcome, Limit> {
        let (guard, renaming) = self.algebra.refreshed(&summand.guard);
        if self.entails(assumptions, &not(&guard.condition)) == Answer::Yes {
            return Ok(Outcome::Equal { rests_on: NOTHING });
        }
        let arguments = renaming.apply_all(&summand.arguments);
        let rest = self.algebra.substitute(summand.rest, &renaming)?;
        let inside = with(assumptions, &guard.condition);
        let step = Step { action: summand.action, arguments };
        let mut covered = truth(false, self.algebra.nowhere());
        let mut rests_on = NOTHING;
        // What a difference needs to be one: no answer for any value, or all but one so.
        let mut is_answered_never = guard.foreign_ends.is_empty();
        let mut differences: Vec<(Difference, bool)> = Vec::new();
        for answer in other.summands.iter().filter(|answer| answer.action == step.action) {
            let Some(candidate) = self.candidate(answer, &step, rest)? else { continue };
            if !answer.guard.foreign_ends.is_subset(&guard.foreign_ends) {
                is_answered_never = false;
                self.doubt.foreign = true;
                continue;
            }
            let is_certain = self.entails(&inside, &candidate.condition) == Answer::Yes;
            if !is_certain
                && candidate.forced
                && self.entails(&inside, &not(&candidate.condition)) == Answer::Yes
            {
                continue;
            }
            let there = if is_certain { inside.clone() } else { with(&inside, &candidate.condition) };
            let pair = if is_first { (rest, candidate.rest) } else { (candidate.rest, rest) };
            match self.pair(pair.0, pair.1, &there)? {
                Outcome::Equal { rests_on: place } => {
                    rests_on = rests_on.min(place);
                    if is_certain {
                        return Ok(Outcome::Equal { rests_on });
                    }
                    covered = or(&covered, &candidate.condition);
                    is_answered_never = false;
                }
                Outcome::Different { difference, everywhere } if candidate.forced => {
                    differences.push((difference, everywhere));
                }
                _ => is_answered_never = false,
            }
        }
        if self.entails(&inside, &covered) == Answer::Yes {
            return Ok(Outcome::Equal { rests_on });
        }
        if is_answered_never
            && !other.opaque.iter().any(|opaque| !opaque.guard.is_false())
            && let Some(outcome) = self.told_apart(is_first, &step, &guard, differences, assumptions)
        {
            return Ok(outcome);
        }
        if truth_of(&covered) != Some(false) {
            self.doubt.needed.push(Entailment { assumptions: inside, condition: covered });
        }
        Ok(Outcome::Unknown)
    }

    /// How a summand that no candidate answers tells both terms apart, if it can be taken.
    fn told_apart(
        &mut self,
        is_first: bool,
        step: &Step,
        guard: &Guard,
        mut differences: Vec<(Difference, bool)>,
        assumptions: &[Expression],
    ) -> Option<Outcome> {
        let somewhere = differences.iter().filter(|(_, everywhere)| !everywhere).count();
        if somewhere > 1 || self.entails(assumptions, &not(&guard.condition)) != Answer::No {
            return None;
        }
        let everywhere = somewhere == 0 && self.entails(assumptions, &guard.condition) == Answer::Yes;
        let place = differences.iter().position(|(_, everywhere)| !everywhere).unwrap_or(0);
        let difference = if differences.is_empty() {
            let what = Distinction::Does { first: is_first, step: step.clone() };
            Difference { after: Vec::new(), what }
        } else {
            let (mut difference, _) = differences.swap_remove(place);
            difference.after.insert(0, step.clone());
            difference
        };
        Some(Outcome::Different { difference, everywhere })
    }

    /// A summand of the other side as an answer to a step; nothing if it never is one.
    fn candidate(&mut self, answer: &Summand, step: &Step, rest: Normal) -> Result<Option<Candidate>, Limit> {
        let (guard, renaming) = self.algebra.refreshed(&answer.guard);
        let answered = self.algebra.substitute(answer.rest, &renaming)?;
        let mut way = Matching::new(guard.binders.iter().map(|bound| bound.variable));
        for (one, other) in answer.arguments.iter().zip(&step.arguments) {
            way.expression(&renaming.apply(one), other);
        }
        let forced = way.is_complete();
        let Some(mut conditions) = way.conditions() else { return Ok(None) };
        if !forced {
            // Arguments do not say which values are meant; what is left to do may.
            let ways = self.matches(way.clone(), answered, rest, limits::GAME_MATCH, false)?;
            if let Some(better) = ways.into_iter().find(Matching::is_complete) {
                conditions = better.conditions().unwrap_or_default();
                way = better;
            }
        }
        conditions.push(way.values.apply(&guard.condition));
        let is_any = |bound: &Bound| way.values.get(bound.variable).is_some() || has_values(&bound.ty);
        if !guard.binders.iter().all(is_any) {
            conditions.push(truth(false, self.algebra.nowhere()));
        }
        let condition = all(&conditions, self.algebra.nowhere());
        if truth_of(&condition) == Some(false) && forced {
            return Ok(None);
        }
        let rest = self.algebra.substitute(answered, &way.values)?;
        // Bound variables without a value stand for any, so nothing is true of them but what is true of all.
        Ok(Some(Candidate { condition, rest, forced }))
    }

    /// Whether the other has the same foreign term, in equal surroundings. What is supposed does not count here: the
    /// surroundings are looked at before any step has been taken.
    fn opaque(&mut self, opaque: &Opaque, other: &Head, assumptions: &[Expression]) -> Result<bool, Limit> {
        if !opaque.guard.binders.is_empty() {
            return Ok(false);
        }
        let inside = with(assumptions, &opaque.guard.condition);
        if self.entails(assumptions, &not(&opaque.guard.condition)) == Answer::Yes {
            return Ok(true);
        }
        for answer in &other.opaque {
            let alike = answer.foreign == opaque.foreign
                && answer.around.len() == opaque.around.len()
                && answer.guard.binders.is_empty()
                && answer.guard.foreign_ends.is_subset(&opaque.guard.foreign_ends);
            if !alike || self.entails(&inside, &answer.guard.condition) != Answer::Yes {
                continue;
            }
            let suppositions = std::mem::take(&mut self.suppositions);
            let mut is_same = true;
            for (one, other) in opaque.around.iter().zip(&answer.around) {
                is_same = is_same
                    && match (one, other) {
                        (Frame::Before(one), Frame::Before(other))
                        | (Frame::Beside(one), Frame::Beside(other)) => {
                            matches!(self.pair(*one, *other, &inside)?, Outcome::Equal { .. })
                        }
                        _ => false,
                    };
            }
            self.suppositions = suppositions;
            if is_same {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The assumptions and one more.
fn with(assumptions: &[Expression], condition: &Expression) -> Vec<Expression> {
    let mut more = assumptions.to_vec();
    if truth_of(condition) != Some(true) && !more.contains(condition) {
        more.push(condition.clone());
    }
    more
}

/// Lets one more outcome count; false if nothing that follows can change the result.
fn joined(result: &mut Outcome, next: Outcome) -> bool {
    match (&mut *result, next) {
        (_, different @ Outcome::Different { .. }) => {
            *result = different;
            return false;
        }
        (Outcome::Equal { rests_on }, Outcome::Equal { rests_on: other }) => {
            *rests_on = (*rests_on).min(other);
        }
        (Outcome::Equal { .. }, Outcome::Unknown) => *result = Outcome::Unknown,
        _ => {}
    }
    true
}
