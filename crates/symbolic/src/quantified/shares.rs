//! One share of many locations: folding a predicate with the amount `wildcard` takes the same share of everything that
//! its body says.
//!
//! Of finitely many locations there is always a share small enough. Of infinitely many there need not be one: what is
//! held may get arbitrarily small from location to location, and then no positive share is below all of it. So a bound
//! that holds for all of them has to be found. A `wildcard` that is written in a quantified permission is another for each
//! location and needs none of this.

use silver::typed::{BinaryOperator, Expression, ExpressionKind, ExpressionRef, LocalId};
use silver::typed::{QuantifiedPermission, Type, free_variables, structurally_equal};
use smt::{Sort, Term};

use super::Request;
use crate::blame::{Blame, Missing, Reason, Stop};
use crate::engine::{Engine, Outcome};
use crate::heap::Chunk;
use crate::limits;
use crate::prover::Proof;

impl<'p> Engine<'p> {
    /// Some share of all that is asked for is held. The scale stands for the share, about which nothing is known but
    /// upper bounds.
    pub(super) fn must_have_common_share(
        &mut self,
        request: &Request,
        chunks: &[Chunk],
        scale: Term,
        blame: &Blame,
    ) -> Outcome<()> {
        if !request.needs_common_share || self.is_dead() {
            return Ok(());
        }
        self.define_all(chunks);
        let held = self.total(request, chunks);
        let candidates: Vec<(Term, Term, Term)> = self
            .candidates(chunks, scale)
            .into_iter()
            .map(|bound| {
                let replacement = [(scale, bound)].into_iter().collect();
                let terms = &mut self.encoder.terms;
                let amount = terms.substitute(request.amount, &replacement);
                let enough = terms.less_equal(amount, held);
                (bound, self.positive(bound), enough)
            })
            .collect();
        for (bound, positive, enough) in &candidates {
            if self.check(*positive) && self.inside(request, |engine| engine.check(*enough)) {
                self.bound_share(scale, *bound);
                return Ok(());
            }
        }
        // Quick questions decide no failure that counts.
        let asked_again = if self.attempt.is_last { candidates } else { Vec::new() };
        let mut given_up = None;
        for (bound, positive, enough) in asked_again {
            let proof = match self.prove(positive) {
                Proof::Proved => self.inside(request, |engine| engine.prove(enough)),
                open => open,
            };
            match proof {
                Proof::Proved => {
                    self.bound_share(scale, bound);
                    return Ok(());
                }
                Proof::Unknown(reason) => given_up = Some(reason),
                Proof::Open | Proof::Doubtful => {}
            }
        }
        if let Some(reason) = given_up {
            return Err(Stop::Unknown(reason));
        }
        let never = self.encoder.terms.false_();
        let reason = Reason::InsufficientPermission;
        self.must_with(never, blame, reason, request.span, |_| Missing::CommonShare)
    }

    /// The share is below a bound; what is left of the bound may bound the next share.
    fn bound_share(&mut self, scale: Term, bound: Term) {
        let terms = &mut self.encoder.terms;
        let below = terms.less(scale, bound);
        let left = terms.subtract(bound, scale);
        self.assume_meaning(below);
        if !self.member.quantified.common_shares.contains(&left) {
            self.member.quantified.common_shares.push(left);
        }
    }

    /// Whether a quantified permission is about finitely many locations.
    pub(super) fn is_finite(&self, permission: &QuantifiedPermission<'_>) -> bool {
        let ty = |variable: &LocalId| (*variable, &self.around.locals[variable.index()].ty);
        let variables: Vec<(LocalId, &Type)> = permission.variables.iter().map(ty).collect();
        let location = match &permission.assertion.kind {
            ExpressionKind::FieldPermission { receiver, .. } => vec![receiver.clone()],
            ExpressionKind::PredicatePermission(access) => access.arguments.to_vec(),
            _ => Vec::new(),
        };
        is_finite(&variables, permission.condition, &location)
    }

    /// Amounts that may be a bound: everything, what is left of earlier ones, and what chunks hold of every location.
    fn candidates(&mut self, chunks: &[Chunk], scale: Term) -> Vec<Term> {
        let amounts: Vec<Term> = chunks
            .iter()
            .map(|chunk| match chunk {
                Chunk::Basic(basic) => basic.permission,
                Chunk::Quantified(quantified) => quantified.shape.permission,
            })
            .collect();
        let real: Sort = self.encoder.terms.real_sort();
        let (zero, one) = (self.encoder.terms.zero(), self.encoder.terms.one());
        let mut found = vec![one];
        let mut parts = self.encoder.terms.reachable(&amounts);
        // Larger terms say more.
        parts.sort_unstable_by(|left, right| right.cmp(left));
        let terms = &self.encoder.terms;
        for candidate in self.member.quantified.common_shares.iter().copied().rev().chain(parts) {
            let is_usable = terms.sort_of(candidate) == real
                && candidate != zero
                && !found.contains(&candidate)
                && terms.free_variables(candidate).is_empty()
                && !crate::quantifier::mentions(terms, candidate, &[scale]);
            if is_usable {
                found.push(candidate);
            }
            if found.len() == limits::SHARE_CANDIDATES {
                break;
            }
        }
        found
    }
}

/// Whether a condition allows finitely many values of the variables only, or finitely many of one of the expressions,
/// which differ for different values of the variables. `false` says nothing.
fn is_finite(
    variables: &[(LocalId, &Type)],
    condition: Option<&ExpressionRef>,
    injective: &[ExpressionRef],
) -> bool {
    let mut parts = Vec::new();
    if let Some(condition) = condition {
        conjuncts(condition, &mut parts);
    }
    let mut open: Vec<LocalId> =
        variables.iter().filter(|(_, ty)| **ty != Type::Bool).map(|(variable, _)| *variable).collect();
    let locations = |open: &[LocalId]| {
        !injective.is_empty()
            && injective.iter().all(|expression| {
                let is_member = |part: &&ExpressionRef| {
                    is_member(part, open, |member| structurally_equal(member, expression))
                };
                is_fixed(expression, open) || parts.iter().any(is_member)
            })
    };
    loop {
        if open.is_empty() || locations(&open) {
            return true;
        }
        // What limits a variable may depend on others that are limited.
        let limited = open.iter().position(|variable| is_limited(*variable, &parts, &open));
        match limited {
            Some(index) => drop(open.remove(index)),
            None => return false,
        }
    }
}

fn conjuncts<'e>(condition: &'e ExpressionRef, parts: &mut Vec<&'e ExpressionRef>) {
    match &condition.kind {
        ExpressionKind::Binary(BinaryOperator::And, left, right) => {
            conjuncts(left, parts);
            conjuncts(right, parts);
        }
        _ => parts.push(condition),
    }
}

fn is_fixed(expression: &ExpressionRef, open: &[LocalId]) -> bool {
    let free = free_variables(expression);
    !open.iter().any(|variable| free.contains(variable))
}

fn is_variable(expression: &Expression, variable: LocalId) -> bool {
    matches!(expression.kind, ExpressionKind::Local(local) if local == variable)
}

/// Collections are finite.
fn is_member(part: &ExpressionRef, open: &[LocalId], wanted: impl Fn(&ExpressionRef) -> bool) -> bool {
    use BinaryOperator::{IntGreater, IntLess, MapContains, MultisetCount, SeqContains, SetContains};
    let (member, collection) = match &part.kind {
        ExpressionKind::Binary(SeqContains | SetContains | MapContains, member, collection) => {
            (member, collection)
        }
        ExpressionKind::Binary(IntGreater, count, bound) | ExpressionKind::Binary(IntLess, bound, count) => {
            match (&count.kind, &bound.kind) {
                (ExpressionKind::Binary(MultisetCount, member, collection), ExpressionKind::Int(zero))
                    if &**zero == "0" =>
                {
                    (member, collection)
                }
                _ => return false,
            }
        }
        _ => return false,
    };
    wanted(member) && is_fixed(collection, open)
}

/// Whether a variable is one of finitely many values: of a collection, of an interval of integers, a single one.
fn is_limited(variable: LocalId, parts: &[&ExpressionRef], open: &[LocalId]) -> bool {
    use BinaryOperator::{Equal, IntGreater, IntGreaterEqual, IntLess, IntLessEqual};
    let (mut below, mut above) = (false, false);
    for part in parts {
        if is_member(part, open, |member| is_variable(member, variable)) {
            return true;
        }
        let ExpressionKind::Binary(operator, left, right) = &part.kind else { continue };
        let is_left = is_variable(left, variable) && is_fixed(right, open);
        let is_right = is_variable(right, variable) && is_fixed(left, open);
        match operator {
            Equal if is_left || is_right => return true,
            IntLess | IntLessEqual => {
                above |= is_left;
                below |= is_right;
            }
            IntGreater | IntGreaterEqual => {
                below |= is_left;
                above |= is_right;
            }
            _ => {}
        }
    }
    below && above
}
