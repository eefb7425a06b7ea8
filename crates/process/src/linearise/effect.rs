//! What an action makes of the fields, said explicitly: the store between two swapped actions has to be named.
//!
//! The explicit form is only a proposal. It is asserted to satisfy the effect wherever it is used, so one that is wrong proves
//! nothing.

use std::collections::{BTreeMap, BTreeSet};

use crate::expression::{Binary, Builtin, Expression, ExpressionKind, Moment};
use crate::model::{Action, ActionId, FieldId, Model};
use crate::simplify::{conjuncts, integer, minus};
use crate::substitute::{Substitution, fields_read};
use crate::types::Type;

/// Who knows what an action makes of the fields that it modifies.
pub trait Effects {
    /// For each modified field an expression over parameters and fields at the start; nothing where the effect leaves a
    /// choice or is not understood.
    fn explicit(&self, model: &Model, action: ActionId) -> Option<Vec<(FieldId, Expression)>>;
}

/// Reads equations off the effect: `x == e`, an element `x[i] == e`, and these with `x` or `x[i]` inside of a concatenation.
#[derive(Clone, Copy, Default, Debug)]
pub struct StatedEffects;

impl Effects for StatedEffects {
    fn explicit(&self, model: &Model, action: ActionId) -> Option<Vec<(FieldId, Expression)>> {
        let action = &model.actions[action.0 as usize];
        let equations: Vec<(Expression, Expression)> =
            action.ensures.iter().flat_map(conjuncts).flat_map(|part| solved(&part)).collect();
        let mut known: BTreeMap<FieldId, Expression> = BTreeMap::new();
        // One field may be said in terms of another, so this goes on as long as something is found.
        loop {
            let before = known.len();
            for field in &action.modifies {
                if !known.contains_key(field)
                    && let Some(value) = value_of(model, action, *field, &equations, &known)
                {
                    known.insert(*field, value);
                }
            }
            if known.len() == before {
                break;
            }
        }
        action.modifies.iter().map(|field| Some((*field, known.get(field)?.clone()))).collect()
    }
}

fn value_of(
    model: &Model,
    action: &Action,
    field: FieldId,
    equations: &[(Expression, Expression)],
    known: &BTreeMap<FieldId, Expression>,
) -> Option<Expression> {
    let ty = &model.fields[field.0 as usize].ty;
    let old = Expression::new(ExpressionKind::Field(field, Moment::Start), ty.clone(), action.span);
    let whole = |left: &Expression| *left.kind() == ExpressionKind::Field(field, Moment::Now);
    for (left, right) in equations.iter().filter(|(left, _)| whole(left)) {
        debug_assert_eq!(left.ty(), right.ty());
        if let Some(value) = at_start(model, action, right, known) {
            return Some(value);
        }
    }
    // Elements that are said one by one; the others stay.
    let mut changed = None;
    for (left, right) in equations {
        let ExpressionKind::Builtin(Builtin::At, operands) = left.kind() else { continue };
        let [collection, index] = &operands[..] else { continue };
        if !whole(collection) {
            continue;
        }
        let index = at_start(model, action, index, known)?;
        let value = at_start(model, action, right, known)?;
        let before = changed.unwrap_or_else(|| old.clone());
        let kind = ExpressionKind::Builtin(Builtin::Updated, vec![before, index, value]);
        changed = Some(Expression::new(kind, ty.clone(), action.span));
    }
    changed
}

/// The expression over fields at the start only; nothing if it speaks about a field at the end that is not known yet.
fn at_start(
    model: &Model,
    action: &Action,
    expression: &Expression,
    known: &BTreeMap<FieldId, Expression>,
) -> Option<Expression> {
    let mut read = BTreeSet::new();
    fields_read(expression, &mut read);
    let mut substitution = Substitution::new();
    for (field, moment) in read {
        if moment == Moment::Start {
            continue;
        }
        let ty = model.fields[field.0 as usize].ty.clone();
        let old = || Expression::new(ExpressionKind::Field(field, Moment::Start), ty, expression.span());
        let value = match known.get(&field) {
            Some(value) => value.clone(),
            None if action.modifies.contains(&field) => return None,
            None => old(),
        };
        substitution.set_field(field, Moment::Now, value);
    }
    Some(substitution.apply(expression))
}

/// An equation, read in both directions and with concatenations turned around.
fn solved(condition: &Expression) -> Vec<(Expression, Expression)> {
    let ExpressionKind::Binary(Binary::Equal, left, right) = condition.kind() else {
        return match condition.kind() {
            ExpressionKind::Field(..) => vec![(condition.clone(), truth_at(condition, true))],
            ExpressionKind::Unary(_, operand) if matches!(operand.kind(), ExpressionKind::Field(..)) => {
                vec![(operand.clone(), truth_at(condition, false))]
            }
            _ => Vec::new(),
        };
    };
    let mut found = vec![(left.clone(), right.clone()), (right.clone(), left.clone())];
    for (one, other) in [(left, right), (right, left)] {
        let ExpressionKind::Builtin(Builtin::Concatenate, parts) = one.kind() else { continue };
        let [front, back] = &parts[..] else { continue };
        let of = |builtin, operands: Vec<Expression>, ty: &Type| {
            Expression::new(ExpressionKind::Builtin(builtin, operands), ty.clone(), condition.span())
        };
        let size = |sequence: &Expression| of(Builtin::Size, vec![sequence.clone()], &Type::Integer);
        let known_size = |sequence: &Expression| match sequence.kind() {
            ExpressionKind::Builtin(Builtin::SequenceOf, elements) => {
                integer(elements.len().into(), condition.span())
            }
            _ => size(sequence),
        };
        let dropped = of(Builtin::Drop, vec![other.clone(), known_size(front)], other.ty());
        found.push((back.clone(), dropped));
        let kept = minus(&size(other), &known_size(back));
        found.push((front.clone(), of(Builtin::Take, vec![other.clone(), kept], other.ty())));
    }
    found
}

fn truth_at(condition: &Expression, value: bool) -> Expression {
    crate::simplify::truth(value, condition.span())
}
