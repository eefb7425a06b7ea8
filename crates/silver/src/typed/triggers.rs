//! Triggers for quantifiers that were written without.
//!
//! Candidates are the applications in the body that mention quantified variables; interpreted subterms, which the
//! solver cannot match, are replaced by further variables. A trigger is a set of candidates that covers all quantified
//! variables, has no candidate inside another, and is not subsumed by a larger one. This is the procedure of Viper's
//! trigger generator (after Dafny), so that quantifiers are instantiated for the same terms.

use rustc_hash::FxHashMap;

use super::{
    BinaryOperator, Expression, ExpressionKind, ExpressionRef, Local, LocalId, LocalKind, Trigger,
    UnaryOperator, is_pure, map_children, structurally_equal, substitute, visit_expression,
};
use crate::limits;

/// Triggers, and variables that have to be quantified as well for them.
#[derive(Clone, Default, Debug)]
pub struct InferredTriggers {
    pub triggers: Vec<Trigger>,
    pub extra_variables: Vec<LocalId>,
}

#[derive(Clone)]
struct Candidate {
    term: ExpressionRef,
    covered: Vec<LocalId>,
    extra: Vec<LocalId>,
}

struct TriggerSet {
    terms: Vec<ExpressionRef>,
    extra: Vec<LocalId>,
}

/// Triggers for `forall variables :: body` or `exists`; `None` if there is no set of terms that covers the variables.
///
/// With `allow_sums`, `+` and `-` on integers may occur in terms; who builds the quantifier makes variables of them. New variables are added to
/// `locals`; an impure body gets none, since a quantified permission cannot have more variables than it was given.
pub fn infer_triggers(
    variables: &[LocalId],
    body: &ExpressionRef,
    locals: &mut Vec<Local>,
    allow_sums: bool,
) -> Option<InferredTriggers> {
    let mut bound = Vec::new();
    visit_expression(body, &mut |node| {
        if let ExpressionKind::Forall { variables, .. }
        | ExpressionKind::Exists { variables, .. }
        | ExpressionKind::ForPerm { variables, .. } = &node.kind
        {
            bound.extend(variables.iter().copied());
        }
        true
    });
    let relevant = relevant_variables(variables, &bound, body);
    let mut search = Search { bound, relevant, locals, allow_sums, steps: 0 };
    let candidates = search.candidates(body);
    let mut sets = Vec::new();
    search.cover(variables.to_vec(), &candidates, &mut Vec::new(), &mut Vec::new(), &mut sets);
    let sets = without_redundancy(sets);
    let is_simple = |set: &&TriggerSet| set.extra.is_empty();
    let chosen: Vec<&TriggerSet> = if sets.iter().any(|set| set.extra.is_empty()) {
        sets.iter().filter(is_simple).collect()
    } else if is_pure(body) {
        // The fewest further variables; sets that share them belong together.
        let first = sets.iter().min_by_key(|set| set.extra.len())?;
        sets.iter().filter(|set| set.extra == first.extra).collect()
    } else {
        return None;
    };
    let extra_variables = chosen.first()?.extra.clone();
    let triggers = chosen
        .into_iter()
        .map(|set| Trigger { expressions: set.terms.clone().into(), span: body.span })
        .collect();
    Some(InferredTriggers { triggers, extra_variables })
}

/// A variable bound by `let` to something with a relevant variable is relevant too.
fn relevant_variables(variables: &[LocalId], bound: &[LocalId], body: &ExpressionRef) -> Vec<LocalId> {
    let mut relevant = variables.to_vec();
    visit_expression(body, &mut |node| {
        if let ExpressionKind::Let { variable, value, body } = &node.kind {
            let in_value = |wanted: &LocalId| mentions(value, *wanted);
            let is_relevant =
                mentions(body, *variable) && relevant.iter().any(in_value) && !bound.iter().any(in_value);
            if is_relevant && !relevant.contains(variable) {
                relevant.push(*variable);
            }
        }
        true
    });
    relevant
}

fn mentions(expression: &ExpressionRef, variable: LocalId) -> bool {
    let mut found = false;
    visit_expression(expression, &mut |node| {
        found |= matches!(node.kind, ExpressionKind::Local(local) if local == variable);
        !found
    });
    found
}

struct Search<'a> {
    /// Variables of quantifiers inside the body.
    bound: Vec<LocalId>,
    relevant: Vec<LocalId>,
    locals: &'a mut Vec<Local>,
    allow_sums: bool,
    steps: usize,
}

impl Search<'_> {
    /// All candidates of an expression, those of subexpressions first.
    fn candidates(&mut self, node: &ExpressionRef) -> Vec<Candidate> {
        let mut found = Vec::new();
        node.for_each_child(&mut |child| found.extend(self.candidates(child)));
        if is_possible_trigger(node) {
            found.extend(self.candidate(node));
            return found;
        }
        match &node.kind {
            ExpressionKind::Old(_) => {
                found.into_iter().map(|candidate| candidate.wrap(ExpressionKind::Old)).collect()
            }
            ExpressionKind::LabelledOld { label, .. } => {
                let wrap = |body| ExpressionKind::LabelledOld { label: *label, body };
                found.into_iter().map(|candidate| candidate.wrap(wrap)).collect()
            }
            ExpressionKind::Let { variable, value, body } => {
                let is_used = mentions(body, *variable);
                if is_used && self.is_forbidden(value) {
                    return Vec::new();
                }
                let replacement: FxHashMap<LocalId, ExpressionRef> =
                    [(*variable, value.clone())].into_iter().collect();
                let through: Vec<LocalId> = self
                    .relevant
                    .iter()
                    .copied()
                    .filter(|wanted| is_used && mentions(value, *wanted))
                    .collect();
                for candidate in &mut found {
                    candidate.term = substitute(&candidate.term, &replacement);
                    candidate.covered.retain(|covered| covered != variable);
                    candidate.covered.extend(&through);
                }
                found
            }
            _ => found,
        }
    }

    /// The term with interpreted subterms replaced, if it then mentions a relevant variable and no bound one.
    fn candidate(&mut self, node: &ExpressionRef) -> Option<Candidate> {
        let mut extra = Vec::new();
        let term = match &node.kind {
            ExpressionKind::Old(_) | ExpressionKind::LabelledOld { .. } => map_children(node, &mut |inner| {
                map_children(inner, &mut |argument| self.matchable(argument, &mut extra))
            }),
            _ => map_children(node, &mut |argument| self.matchable(argument, &mut extra)),
        };
        let mut covered = Vec::new();
        let mut is_closed = true;
        visit_expression(&term, &mut |inner| {
            if let ExpressionKind::Local(local) = &inner.kind {
                is_closed &= !self.bound.contains(local);
                if self.relevant.contains(local) && !covered.contains(local) {
                    covered.push(*local);
                }
            }
            true
        });
        (is_closed && !covered.is_empty()).then_some(Candidate { term, covered, extra })
    }

    fn matchable(&mut self, argument: &ExpressionRef, extra: &mut Vec<LocalId>) -> ExpressionRef {
        if !self.is_forbidden(argument) {
            return map_children(argument, &mut |child| self.matchable(child, extra));
        }
        let local = LocalId(self.locals.len() as u32);
        let (ty, span) = (argument.ty.clone(), argument.span);
        self.locals.push(Local { name: "fresh".into(), ty: ty.clone(), span, kind: LocalKind::Generated });
        extra.push(local);
        Expression::local(local, ty, span)
    }

    fn is_forbidden(&self, node: &Expression) -> bool {
        let is_sum = matches!(
            node.kind,
            ExpressionKind::Binary(BinaryOperator::IntAdd | BinaryOperator::IntSubtract, ..)
                | ExpressionKind::Unary(UnaryOperator::IntNegate, _)
        );
        is_forbidden_in_trigger(node) && !(self.allow_sums && is_sum)
    }

    /// All ways to choose candidates, in order, that cover the variables.
    fn cover(
        &mut self,
        needed: Vec<LocalId>,
        candidates: &[Candidate],
        chosen: &mut Vec<ExpressionRef>,
        extra: &mut Vec<LocalId>,
        sets: &mut Vec<TriggerSet>,
    ) {
        self.steps += 1;
        if self.steps > limits::TRIGGER_STEPS {
            return;
        }
        if needed.is_empty() {
            sets.push(TriggerSet { terms: chosen.clone(), extra: extra.clone() });
            return;
        }
        let Some((first, rest)) = candidates.split_first() else { return };
        let still: Vec<LocalId> =
            needed.iter().copied().filter(|variable| !first.covered.contains(variable)).collect();
        let useful: Vec<Candidate> = rest
            .iter()
            .filter(|candidate| candidate.covered.iter().any(|variable| still.contains(variable)))
            .cloned()
            .collect();
        chosen.push(first.term.clone());
        let mark = extra.len();
        let fresh: Vec<LocalId> =
            first.extra.iter().copied().filter(|local| !extra.contains(local)).collect();
        extra.extend(fresh);
        self.cover(still, &useful, chosen, extra, sets);
        chosen.pop();
        extra.truncate(mark);
        self.cover(needed, rest, chosen, extra, sets);
    }
}

impl Candidate {
    fn wrap(self, kind: impl Fn(ExpressionRef) -> ExpressionKind) -> Candidate {
        let (ty, span) = (self.term.ty.clone(), self.term.span);
        Candidate { term: Expression::new(kind(self.term.clone()), ty, span), ..self }
    }
}

/// Drops sets with a term inside another, repeated sets, and sets whose terms all occur inside terms of another.
fn without_redundancy(sets: Vec<TriggerSet>) -> Vec<TriggerSet> {
    let mut kept: Vec<TriggerSet> = Vec::new();
    for set in sets {
        let is_redundant =
            set.terms.iter().any(|outer| set.terms.iter().any(|inner| is_inside(inner, outer)));
        if !is_redundant && !kept.iter().any(|other| is_same(other, &set)) {
            kept.push(set);
        }
    }
    let is_subsumed = |index: usize| {
        kept.iter().enumerate().any(|(other_index, other)| {
            let set = &kept[index];
            let same_variables = set.extra.len() == other.extra.len()
                && set.extra.iter().all(|variable| other.extra.contains(variable));
            other_index != index
                && same_variables
                && set.terms.iter().all(|term| other.terms.iter().any(|outer| is_inside(term, outer)))
        })
    };
    let subsumed: Vec<bool> = (0..kept.len()).map(is_subsumed).collect();
    kept.into_iter().zip(subsumed).filter(|(_, subsumed)| !subsumed).map(|(set, _)| set).collect()
}

fn is_same(left: &TriggerSet, right: &TriggerSet) -> bool {
    left.extra == right.extra
        && left.terms.len() == right.terms.len()
        && left.terms.iter().zip(&right.terms).all(|(a, b)| structurally_equal(a, b))
}

/// Whether a term occurs properly inside another.
fn is_inside(inner: &ExpressionRef, outer: &ExpressionRef) -> bool {
    let mut found = false;
    let mut is_root = true;
    visit_expression(outer, &mut |node| {
        if !is_root {
            found = found || structurally_equal(node, inner);
        }
        is_root = false;
        !found
    });
    found
}

/// Applications that the solver can match, possibly in an old state.
fn is_possible_trigger(node: &Expression) -> bool {
    match &node.kind {
        ExpressionKind::Old(body) | ExpressionKind::LabelledOld { body, .. } => is_application(body),
        _ => is_application(node),
    }
}

fn is_application(node: &Expression) -> bool {
    match &node.kind {
        ExpressionKind::FunctionApplication { .. }
        | ExpressionKind::DomainApplication { .. }
        | ExpressionKind::SeqLiteral(_)
        | ExpressionKind::SetLiteral(_)
        | ExpressionKind::MultisetLiteral(_)
        | ExpressionKind::MapLiteral(_)
        | ExpressionKind::SeqUpdate { .. }
        | ExpressionKind::MapUpdate { .. } => true,
        ExpressionKind::Unary(operator, _) => !is_interpreted(*operator),
        ExpressionKind::Binary(operator, ..) => is_collection_operator(*operator),
        _ => false,
    }
}

fn is_interpreted(operator: UnaryOperator) -> bool {
    matches!(operator, UnaryOperator::Not | UnaryOperator::IntNegate | UnaryOperator::PermNegate)
}

/// Interpreted symbols cannot occur in patterns.
pub fn is_forbidden_in_trigger(node: &Expression) -> bool {
    match &node.kind {
        ExpressionKind::Conditional { .. } => true,
        ExpressionKind::Unary(operator, _) => is_interpreted(*operator),
        ExpressionKind::Binary(operator, ..) => !is_collection_operator(*operator),
        _ => false,
    }
}

/// Operators of sequences, sets, multisets and maps, which are functions to the solver.
pub fn is_collection_operator(operator: BinaryOperator) -> bool {
    use BinaryOperator::*;
    matches!(
        operator,
        SeqRange
            | SeqAppend
            | SeqContains
            | SeqIndex
            | SeqTake
            | SeqDrop
            | SetUnion
            | SetIntersection
            | SetDifference
            | SetSubset
            | SetContains
            | MultisetUnion
            | MultisetIntersection
            | MultisetDifference
            | MultisetSubset
            | MultisetCount
            | MapLookup
            | MapContains
    )
}
