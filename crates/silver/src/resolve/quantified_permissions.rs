//! Brings impure quantifiers into the one shape that the engine knows: `forall xs :: condition ==> resource`.
//!
//! Conjunctions become several quantifiers; implications, conditionals and nested quantifiers move into the
//! condition; a `let` is kept around the condition and replaced by its value in the resource. An inhale-exhale
//! assertion inside becomes one around the result.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use source::Span;

use super::checker::Checker;
use crate::limits;
use crate::typed::{
    BinaryOperator, Expression, ExpressionKind, ExpressionRef, LocalId, Trigger, Type,
    contains_inhale_exhale, is_pure, substitute, transplant, when_exhaling, when_inhaling,
};

/// A quantifier under construction; without a condition it is `true`.
struct Quantifier {
    variables: Arc<[LocalId]>,
    triggers: Arc<[Trigger]>,
    condition: Option<ExpressionRef>,
    body: ExpressionRef,
    /// The place of the implication, if there is one.
    implication: Span,
}

impl Checker {
    pub(super) fn desugar_quantified_permission(
        &mut self,
        variables: Arc<[LocalId]>,
        triggers: Arc<[Trigger]>,
        body: ExpressionRef,
        span: Span,
    ) -> ExpressionRef {
        let mut pieces = Vec::new();
        if contains_inhale_exhale(&body) {
            let truth = Expression::boolean(true, span);
            for (half, is_inhale) in [(when_inhaling(&body), true), (when_exhaling(&body), false)] {
                for piece in pieces_of(variables.clone(), triggers.clone(), half, span) {
                    let kind = if is_inhale {
                        ExpressionKind::InhaleExhale { inhale: piece, exhale: truth.clone() }
                    } else {
                        ExpressionKind::InhaleExhale { inhale: truth.clone(), exhale: piece }
                    };
                    pieces.push(Expression::new(kind, Type::Bool, span));
                }
            }
        } else {
            pieces = pieces_of(variables, triggers, body, span);
        }
        // Each further quantifier binds variables of its own.
        for piece in pieces.iter_mut().skip(1) {
            let from = self.member.locals.clone();
            *piece = transplant(piece, &from, &mut self.member.locals, &FxHashMap::default());
        }
        let mut result = pieces.pop().unwrap_or_else(|| Expression::boolean(true, span));
        while let Some(piece) = pieces.pop() {
            result = Expression::formula(BinaryOperator::And, piece, result, span);
        }
        result
    }
}

fn pieces_of(
    variables: Arc<[LocalId]>,
    triggers: Arc<[Trigger]>,
    body: ExpressionRef,
    span: Span,
) -> Vec<ExpressionRef> {
    let mut pieces = Vec::new();
    split(open(variables, triggers, body), &mut pieces);
    pieces.into_iter().map(|piece| close(piece, span)).collect()
}

/// Reads the implication off a quantifier's body.
fn open(variables: Arc<[LocalId]>, triggers: Arc<[Trigger]>, body: ExpressionRef) -> Quantifier {
    match &body.kind {
        ExpressionKind::Binary(BinaryOperator::Implies, left, right) => Quantifier {
            variables,
            triggers,
            condition: Some(left.clone()),
            implication: body.span,
            body: right.clone(),
        },
        _ => Quantifier { variables, triggers, condition: None, implication: body.span, body },
    }
}

fn close(piece: Quantifier, span: Span) -> ExpressionRef {
    let Quantifier { variables, triggers, condition, body, implication } = piece;
    let body = match condition {
        Some(condition) => Expression::formula(BinaryOperator::Implies, condition, body, implication),
        None => body,
    };
    Expression::new(ExpressionKind::Forall { variables, triggers, body }, Type::Bool, span)
}

fn conjoin(left: Option<&ExpressionRef>, right: ExpressionRef) -> ExpressionRef {
    match left {
        None => right,
        Some(left) => Expression::formula(BinaryOperator::And, left.clone(), right, left.span),
    }
}

fn split(piece: Quantifier, pieces: &mut Vec<Quantifier>) {
    if is_pure(&piece.body) || pieces.len() >= limits::PERMISSION_PIECES {
        pieces.push(piece);
        return;
    }
    let Quantifier { variables, triggers, condition, body, .. } = &piece;
    let with = |condition: Option<ExpressionRef>, new_body: &ExpressionRef| Quantifier {
        variables: variables.clone(),
        triggers: triggers.clone(),
        condition,
        body: new_body.clone(),
        implication: body.span,
    };
    match &body.kind {
        ExpressionKind::Binary(BinaryOperator::And, left, right) => {
            split(with(condition.clone(), left), pieces);
            split(with(condition.clone(), right), pieces);
        }
        ExpressionKind::Binary(BinaryOperator::Implies, left, right) => {
            split(with(Some(conjoin(condition.as_ref(), left.clone())), right), pieces);
        }
        ExpressionKind::Conditional { condition: choice, then, otherwise } => {
            let negated = Expression::not(choice.clone(), choice.span);
            split(with(Some(conjoin(condition.as_ref(), choice.clone())), then), pieces);
            split(with(Some(conjoin(condition.as_ref(), negated)), otherwise), pieces);
        }
        ExpressionKind::Forall { variables: inner_variables, triggers: inner_triggers, body: inner_body } => {
            let inner = open(inner_variables.clone(), inner_triggers.clone(), inner_body.clone());
            let condition = match inner.condition {
                Some(inner_condition) => Some(conjoin(condition.as_ref(), inner_condition)),
                None => condition.clone(),
            };
            split(
                Quantifier {
                    variables: variables.iter().chain(inner_variables.iter()).copied().collect(),
                    triggers: combine(triggers, inner_triggers),
                    condition,
                    body: inner.body,
                    implication: body.span,
                },
                pieces,
            );
        }
        ExpressionKind::Let { variable, value, body: inner } => {
            let mut inner_pieces = Vec::new();
            split(open(variables.clone(), triggers.clone(), inner.clone()), &mut inner_pieces);
            let replacement: FxHashMap<LocalId, ExpressionRef> =
                [(*variable, value.clone())].into_iter().collect();
            let bind = |formula: ExpressionRef| {
                let kind = ExpressionKind::Let { variable: *variable, value: value.clone(), body: formula };
                Expression::new(kind, Type::Bool, body.span)
            };
            for inner_piece in inner_pieces {
                // The `let` stays around the condition, so that its value is checked even where it is not used.
                let inner_condition =
                    inner_piece.condition.clone().unwrap_or_else(|| Expression::boolean(true, body.span));
                let piece = if is_pure(&inner_piece.body) {
                    let formula = Expression::formula(
                        BinaryOperator::Implies,
                        inner_condition,
                        inner_piece.body.clone(),
                        body.span,
                    );
                    Quantifier { condition: condition.clone(), body: bind(formula), ..inner_piece }
                } else {
                    let triggers = inner_piece.triggers.iter().map(|trigger| Trigger {
                        expressions: trigger
                            .expressions
                            .iter()
                            .map(|e| substitute(e, &replacement))
                            .collect(),
                        span: trigger.span,
                    });
                    Quantifier {
                        triggers: triggers.collect(),
                        condition: Some(conjoin(condition.as_ref(), bind(inner_condition))),
                        body: substitute(&inner_piece.body, &replacement),
                        ..inner_piece
                    }
                };
                pieces.push(piece);
            }
        }
        _ => pieces.push(piece),
    }
}

/// Every outer trigger with every inner one. Without outer or inner triggers the engine chooses.
fn combine(outer: &[Trigger], inner: &[Trigger]) -> Arc<[Trigger]> {
    let pairs = outer.iter().flat_map(|a| inner.iter().map(move |b| (a, b)));
    pairs
        .map(|(a, b)| Trigger {
            expressions: a.expressions.iter().chain(b.expressions.iter()).cloned().collect(),
            span: a.span,
        })
        .collect()
}
