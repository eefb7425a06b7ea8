//! Matching one normal form with another part by part. Variables of the pattern may be given values; what has to be true of
//! the data for the parts to be the same is collected, not decided.
//!
//! Each way to match is kept, up to a bound: who asks knows which conditions follow. That parts match under conditions is
//! always enough for equality, never necessary.

use std::collections::BTreeSet;

use crate::expression::{Expression, ExpressionKind};
use crate::limits;
use crate::model::VariableId;
use crate::normal::{Algebra, Bound, Limit, Normal, NormalKind};
use crate::simplify::{at_most, equal, not, plus, truth_of, variable, variable_and_number};
use crate::substitute::{Substitution, free_variables};

/// One way, so far, in which a pattern matches.
#[derive(Clone, Debug, Default)]
pub(crate) struct Matching {
    /// Variables of the pattern that may be given values.
    open: BTreeSet<VariableId>,
    /// The values that they have.
    pub(crate) values: Substitution,
    /// Pairs that have to be equal, those of the pattern first.
    equations: Vec<(Expression, Expression)>,
    /// Conditions of the pattern, and of the other side.
    pattern_conditions: Vec<Expression>,
    conditions: Vec<Expression>,
    /// Variables that stand for what a binder around both sides binds, and cannot be spoken about outside of it.
    inside: BTreeSet<VariableId>,
    /// Terms that have to be equal and that only the language can compare; no part of it if it is not there.
    pub(crate) terms: Option<Vec<(Normal, Normal)>>,
}

/// The operands of two expressions, pair by pair, if both are the same operation.
fn operands<'e>(one: &'e Expression, other: &'e Expression) -> Option<Vec<(&'e Expression, &'e Expression)>> {
    let (left, right): (Vec<&Expression>, Vec<&Expression>) = match (one.kind(), other.kind()) {
        (ExpressionKind::Unary(operator, operand), ExpressionKind::Unary(same, other))
            if operator == same =>
        {
            (vec![operand], vec![other])
        }
        (ExpressionKind::Binary(operator, a, b), ExpressionKind::Binary(same, c, d)) if operator == same => {
            (vec![a, b], vec![c, d])
        }
        (ExpressionKind::Call(function, arguments), ExpressionKind::Call(same, others))
            if function == same =>
        {
            (arguments.iter().collect(), others.iter().collect())
        }
        (ExpressionKind::Builtin(builtin, arguments), ExpressionKind::Builtin(same, others))
            if builtin == same =>
        {
            (arguments.iter().collect(), others.iter().collect())
        }
        _ => return None,
    };
    let is_same = left.len() == right.len() && left.iter().zip(&right).all(|(a, b)| a.ty() == b.ty());
    is_same.then(|| left.into_iter().zip(right).collect())
}

impl Matching {
    /// Nothing has been matched yet; these variables of the pattern may be given values.
    pub(crate) fn new(open: impl IntoIterator<Item = VariableId>) -> Matching {
        Matching { open: open.into_iter().collect(), ..Matching::default() }
    }

    /// Leaves equality of terms that only the language knows to who asks.
    pub(crate) fn with_foreign(mut self) -> Matching {
        self.terms = Some(Vec::new());
        self
    }

    /// Whether all variables of the pattern have values.
    pub(crate) fn is_complete(&self) -> bool {
        self.open.iter().all(|variable| self.values.get(*variable).is_some())
    }

    /// What has to be true for the match to be one; nothing if it cannot be.
    pub(crate) fn conditions(&self) -> Option<Vec<Expression>> {
        let pairs = self.equations.iter().map(|(one, other)| equal(&self.values.apply(one), other));
        let pattern = self.pattern_conditions.iter().map(|condition| self.values.apply(condition));
        let mut all: Vec<Expression> = Vec::new();
        for condition in pairs.chain(pattern).chain(self.conditions.iter().cloned()) {
            match truth_of(&condition) {
                Some(true) => {}
                Some(false) => return None,
                // What a binder binds cannot be spoken about outside of it.
                None if self.mentions_inside(&condition) => return None,
                None if all.contains(&condition) => {}
                None => all.push(condition),
            }
        }
        Some(all)
    }

    /// How many conditions there are beyond those of another match that this goes on from; nothing if one cannot be. What
    /// was there before is not looked at again, which would cost the square of the number of parts.
    fn added_to(&self, before: &Matching) -> Option<usize> {
        let pairs = self.equations.iter().skip(before.equations.len());
        let pairs = pairs.map(|(one, other)| equal(&self.values.apply(one), other));
        let pattern = self.pattern_conditions.iter().skip(before.pattern_conditions.len());
        let pattern = pattern.map(|condition| self.values.apply(condition));
        let target = self.conditions.iter().skip(before.conditions.len()).cloned();
        let terms = |way: &Matching| way.terms.as_ref().map_or(0, Vec::len);
        let mut added = terms(self) - terms(before);
        for condition in pairs.chain(pattern).chain(target) {
            match truth_of(&condition) {
                Some(true) => {}
                Some(false) => return None,
                None => added += 1,
            }
        }
        Some(added)
    }

    /// Lets two expressions be equal, which may give a variable of the pattern its value.
    pub(crate) fn expression(&mut self, pattern: &Expression, target: &Expression) {
        if let ExpressionKind::Variable(variable) = pattern.kind()
            && self.may_bind(*variable, target)
        {
            self.values.set(*variable, target.clone());
            return;
        }
        if *pattern.ty() == crate::types::Type::Integer
            && let Some((variable, number)) = variable_and_number(pattern)
            && self.may_bind(variable, target)
        {
            self.values.set(variable, plus(target, &-number));
            return;
        }
        // Where a variable still has no value, it may get one from the operands: equal operands have equal results.
        if self.is_open(pattern)
            && let Some(pairs) = operands(pattern, target)
        {
            pairs.into_iter().for_each(|(pattern, target)| self.expression(pattern, target));
            return;
        }
        self.equations.push((pattern.clone(), target.clone()));
    }

    /// Whether a variable occurs that may be given a value and has none.
    fn is_open(&self, pattern: &Expression) -> bool {
        let mut found = BTreeSet::new();
        free_variables(pattern, &mut found);
        found.iter().any(|variable| self.open.contains(variable) && self.values.get(*variable).is_none())
    }

    fn may_bind(&self, variable: VariableId, target: &Expression) -> bool {
        self.open.contains(&variable) && self.values.get(variable).is_none() && !self.mentions_inside(target)
    }

    fn mentions_inside(&self, expression: &Expression) -> bool {
        let mut found = BTreeSet::new();
        free_variables(expression, &mut found);
        !found.is_disjoint(&self.inside)
    }

    fn expressions(mut self, pattern: &[Expression], target: &[Expression]) -> Vec<Matching> {
        if pattern.len() != target.len() {
            return Vec::new();
        }
        for (one, other) in pattern.iter().zip(target) {
            self.expression(one, other);
        }
        vec![self]
    }
}

/// What may still be spent on a match.
pub(crate) struct Effort {
    steps: usize,
    unfoldings: u32,
}

impl Effort {
    /// Enough for terms that people write.
    pub(crate) fn new() -> Effort {
        Effort { steps: limits::MATCHED_PARTS, unfoldings: limits::MATCHED_UNFOLDINGS }
    }

    /// At most so many parts, and nothing unfolded if that is said.
    pub(crate) fn of(steps: usize, unfolds: bool) -> Effort {
        Effort { steps, unfoldings: if unfolds { limits::MATCHED_UNFOLDINGS } else { 0 } }
    }

    /// How many parts may still be looked at.
    pub(crate) fn left(&self) -> usize {
        self.steps
    }
}

/// All ways in which a pattern matches that are found within the effort.
pub(crate) fn matches(
    algebra: &mut Algebra<'_>,
    start: Matching,
    pattern: Normal,
    target: Normal,
    effort: &mut Effort,
) -> Result<Vec<Matching>, Limit> {
    if effort.steps == 0 {
        return Ok(Vec::new());
    }
    effort.steps -= 1;
    let is_open = algebra.free_variables(pattern).iter().any(|variable| start.open.contains(variable));
    if pattern == target && !is_open {
        return Ok(vec![start]);
    }
    let mut found = same_shape(algebra, &start, pattern, target, effort)?;
    found.retain(|way| way.added_to(&start).is_some());
    if found.iter().any(|way| way.added_to(&start) == Some(0)) {
        return Ok(found);
    }
    let others = other_shapes(algebra, &start, pattern, target, effort)?;
    found.extend(others.into_iter().filter(|way| way.added_to(&start).is_some()));
    found.truncate(limits::MATCHED_WAYS);
    Ok(found)
}

fn same_shape(
    algebra: &mut Algebra<'_>,
    start: &Matching,
    pattern: Normal,
    target: Normal,
    effort: &mut Effort,
) -> Result<Vec<Matching>, Limit> {
    match (algebra.kind(pattern).clone(), algebra.kind(target).clone()) {
        (NormalKind::Action(one, some), NormalKind::Action(other, others)) if one == other => {
            Ok(start.clone().expressions(&some, &others))
        }
        (NormalKind::Call(one, some), NormalKind::Call(other, others)) if one == other => {
            Ok(start.clone().expressions(&some, &others))
        }
        (NormalKind::Sequence(..), NormalKind::Sequence(..)) => {
            let mut ways = vec![start.clone()];
            let (mut one, mut other) = (pattern, target);
            loop {
                match (algebra.kind(one).clone(), algebra.kind(other).clone()) {
                    (NormalKind::Sequence(head, rest), NormalKind::Sequence(other_head, other_rest)) => {
                        ways = extend(algebra, ways, head, other_head, effort)?;
                        (one, other) = (rest, other_rest);
                    }
                    _ => return extend(algebra, ways, one, other, effort),
                }
                if ways.is_empty() {
                    return Ok(ways);
                }
            }
        }
        (NormalKind::Choice(some), NormalKind::Choice(others)) => {
            let (some, others) = without_common(algebra, start, some.to_vec(), others.to_vec());
            pairings(algebra, start, some, others, effort)
        }
        (NormalKind::Parallel(some), NormalKind::Parallel(others)) => {
            let (Some(some), Some(others)) = (written_out(&some), written_out(&others)) else {
                return Ok(Vec::new());
            };
            let (before, total) = (some.len(), others.len());
            let (some, others) = without_common(algebra, start, some, others);
            if some.len() == others.len() {
                let ways = pairings(algebra, start, some.clone(), others.clone(), effort)?;
                if !ways.is_empty() {
                    return Ok(ways);
                }
            }
            if some.len() == before && others.len() == total {
                return Ok(Vec::new());
            }
            let one = algebra.parallel(some.into_iter().map(|part| (part, 1)).collect())?;
            let other = algebra.parallel(others.into_iter().map(|part| (part, 1)).collect())?;
            matches(algebra, start.clone(), one, other, effort)
        }
        (NormalKind::Conditional(one, yes, no), NormalKind::Conditional(other, other_yes, other_no)) => {
            let mut way = start.clone();
            way.equations.push((one, other));
            let ways = matches(algebra, way, yes, other_yes, effort)?;
            extend(algebra, ways, no, other_no, effort)
        }
        (NormalKind::Iteration(one), NormalKind::Iteration(other)) => {
            matches(algebra, start.clone(), one, other, effort)
        }
        (NormalKind::Sum(bound, one, body), NormalKind::Sum(other_bound, other, other_body))
            if bound.ty == other_bound.ty =>
        {
            let (mut way, [one, other], [body, other_body]) =
                under_one_binder(algebra, start, [(&bound, &one, body), (&other_bound, &other, other_body)])?;
            way.equations.push((one, other));
            matches(algebra, way, body, other_body, effort)
        }
        (
            NormalKind::Family(bound, from, to, body),
            NormalKind::Family(other_bound, first, last, members),
        ) => {
            let (mut way, _, [body, members]) =
                under_one_binder(algebra, start, [(&bound, &from, body), (&other_bound, &first, members)])?;
            way.expression(&from, &first);
            way.expression(&to, &last);
            matches(algebra, way, body, members, effort)
        }
        _ => Ok(Vec::new()),
    }
}

/// What stands under two binders, with the same fresh variable in the place of both bound ones.
fn under_one_binder(
    algebra: &mut Algebra<'_>,
    start: &Matching,
    [one, other]: [(&Bound, &Expression, Normal); 2],
) -> Result<(Matching, [Expression; 2], [Normal; 2]), Limit> {
    let (fresh, condition, body) = algebra.open(one.0, one.1, one.2)?;
    let mut same = Substitution::new();
    same.set(other.0.variable, variable(fresh.variable, fresh.ty.clone(), algebra.nowhere()));
    let other_condition = same.apply(other.1);
    let other_body = algebra.rename(other.2, &same)?;
    let mut way = start.clone();
    way.inside.insert(fresh.variable);
    Ok((way, [condition, other_condition], [body, other_body]))
}

/// A condition is taken to be true or false, a process is unfolded, a family is cut where the other side has a cut, and
/// what only the language knows is left to it.
fn other_shapes(
    algebra: &mut Algebra<'_>,
    start: &Matching,
    pattern: Normal,
    target: Normal,
    effort: &mut Effort,
) -> Result<Vec<Matching>, Limit> {
    let mut found = Vec::new();
    if let NormalKind::Conditional(condition, yes, no) = algebra.kind(pattern).clone() {
        for (condition, branch) in [(condition.clone(), yes), (not(&condition), no)] {
            let mut way = start.clone();
            way.pattern_conditions.push(condition);
            found.extend(matches(algebra, way, branch, target, effort)?);
        }
        return Ok(found);
    }
    if let NormalKind::Conditional(condition, yes, no) = algebra.kind(target).clone() {
        for (condition, branch) in [(condition.clone(), yes), (not(&condition), no)] {
            let mut way = start.clone();
            way.conditions.push(condition);
            found.extend(matches(algebra, way, pattern, branch, effort)?);
        }
        return Ok(found);
    }
    if let NormalKind::Family(_, from, to, _) = algebra.kind(pattern).clone() {
        let (ways, conditions) = cut_family(algebra, pattern, target)?;
        if let Some(cut) = ways {
            let mut way = start.clone();
            way.pattern_conditions.extend(conditions);
            found.extend(matches(algebra, way, cut, target, effort)?);
        }
        // A family without members is ε.
        let empty = algebra.empty()?;
        if target == empty {
            let mut way = start.clone();
            way.pattern_conditions.push(at_most(&to, &from));
            found.push(way);
        }
    }
    if let NormalKind::Family(..) = algebra.kind(target) {
        let (ways, conditions) = cut_family(algebra, target, pattern)?;
        if let Some(cut) = ways {
            let mut way = start.clone();
            way.conditions.extend(conditions);
            found.extend(matches(algebra, way, pattern, cut, effort)?);
        }
    }
    if effort.unfoldings > 0 {
        effort.unfoldings -= 1;
        if let Some(unfolded) = unfolded_first(algebra, pattern)? {
            found.extend(matches(algebra, start.clone(), unfolded, target, effort)?);
        }
        if let Some(unfolded) = unfolded_first(algebra, target)? {
            found.extend(matches(algebra, start.clone(), pattern, unfolded, effort)?);
        }
        effort.unfoldings += 1;
    }
    let is_foreign = |normal| matches!(algebra.kind(normal), NormalKind::Foreign(_));
    if found.is_empty()
        && (is_foreign(pattern) || is_foreign(target))
        && let Some(mut terms) = start.terms.clone()
    {
        terms.push((pattern, target));
        found.push(Matching { terms: Some(terms), ..start.clone() });
    }
    Ok(found)
}

/// The process that comes first, unfolded.
fn unfolded_first(algebra: &mut Algebra<'_>, normal: Normal) -> Result<Option<Normal>, Limit> {
    match algebra.kind(normal).clone() {
        NormalKind::Call(process, arguments) => algebra.unfold(process, &arguments).map(Some),
        NormalKind::Sequence(first, rest) => match algebra.kind(first).clone() {
            NormalKind::Call(process, arguments) => {
                let first = algebra.unfold(process, &arguments)?;
                algebra.sequence(first, rest).map(Some)
            }
            _ => Ok(None),
        },
        _ => Ok(None),
    }
}

/// A family in two or three pieces, cut at the bounds of a family of the same members on the other side, and where the
/// cuts have to be.
fn cut_family(
    algebra: &mut Algebra<'_>,
    family: Normal,
    other: Normal,
) -> Result<(Option<Normal>, Vec<Expression>), Limit> {
    let NormalKind::Family(bound, from, to, body) = algebra.kind(family).clone() else {
        return Ok((None, Vec::new()));
    };
    let components = match algebra.kind(other).clone() {
        NormalKind::Parallel(components) => components,
        _ => return Ok((None, Vec::new())),
    };
    for (component, _) in components.iter() {
        let NormalKind::Family(_, first, last, members) = algebra.kind(*component).clone() else { continue };
        if members != body || (first == from && last == to) {
            continue;
        }
        let always = crate::simplify::truth(true, from.span());
        let (index, _, member) = algebra.open(&bound, &always, body)?;
        let before = algebra.family(&index, &from, &first, member)?;
        let middle = algebra.family(&index, &first, &last, member)?;
        let after = algebra.family(&index, &last, &to, member)?;
        let cut = algebra.parallel(vec![(before, 1), (middle, 1), (after, 1)])?;
        let conditions = vec![at_most(&from, &first), at_most(&first, &last), at_most(&last, &to)];
        return Ok((Some(cut), conditions));
    }
    Ok((None, Vec::new()))
}

fn extend(
    algebra: &mut Algebra<'_>,
    ways: Vec<Matching>,
    pattern: Normal,
    target: Normal,
    effort: &mut Effort,
) -> Result<Vec<Matching>, Limit> {
    let mut all = Vec::new();
    for way in ways {
        all.extend(matches(algebra, way, pattern, target, effort)?);
        if all.len() >= limits::MATCHED_WAYS {
            all.truncate(limits::MATCHED_WAYS);
            break;
        }
    }
    Ok(all)
}

/// Every part of the one side beside a part of its own on the other.
fn pairings(
    algebra: &mut Algebra<'_>,
    start: &Matching,
    mut pattern: Vec<Normal>,
    target: Vec<Normal>,
    effort: &mut Effort,
) -> Result<Vec<Matching>, Limit> {
    if pattern.len() != target.len() || pattern.len() > limits::MATCHED_COMPONENTS {
        return Ok(Vec::new());
    }
    let Some(first) = pattern.pop() else { return Ok(vec![start.clone()]) };
    let mut all = Vec::new();
    for place in 0..target.len() {
        if target[..place].contains(&target[place]) {
            continue;
        }
        let mut others = target.clone();
        let partner = others.swap_remove(place);
        for way in matches(algebra, start.clone(), first, partner, effort)? {
            all.extend(pairings(algebra, &way, pattern.clone(), others.clone(), effort)?);
            if all.len() >= limits::MATCHED_WAYS {
                return Ok(all);
            }
        }
    }
    Ok(all)
}

/// Components one by one, if they are few.
fn written_out(components: &[(Normal, u32)]) -> Option<Vec<Normal>> {
    let total: u64 = components.iter().map(|(_, count)| u64::from(*count)).sum();
    if total > limits::WRITTEN_OUT {
        return None;
    }
    let each = components.iter().flat_map(|(part, count)| std::iter::repeat_n(*part, *count as usize));
    Some(each.collect())
}

/// Both lists without what is in both and has no variable that may be given a value.
fn without_common(
    algebra: &Algebra<'_>,
    start: &Matching,
    mut pattern: Vec<Normal>,
    mut target: Vec<Normal>,
) -> (Vec<Normal>, Vec<Normal>) {
    pattern.retain(|part| {
        let is_open = algebra.free_variables(*part).iter().any(|variable| start.open.contains(variable));
        match target.iter().position(|other| other == part) {
            Some(place) if !is_open => {
                target.remove(place);
                false
            }
            _ => true,
        }
    });
    (pattern, target)
}
