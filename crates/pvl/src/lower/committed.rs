//! `committed(o)` may only be promised and asked for, never be denied or decided upon.
//!
//! It is a function of the object that does not change, so it also holds before the commit. Nothing can go wrong as
//! long as no proof can split on whether it holds: then it is known only behind a commit.

use source::{Diagnostic, Span};

use super::Lowering;
use crate::syntax::tree::{
    BinaryOperator, Block, Builtin, ClassMemberKind, Contract, DeclarationKind, Expression, ExpressionKind,
    Statement, StatementKind,
};

impl Lowering<'_> {
    pub(super) fn check_committed(&mut self) {
        let mut found = Vec::new();
        for declaration in &self.resolution.items.declarations {
            match &declaration.kind {
                DeclarationKind::Class(class) => {
                    contract(&class.contract, &mut found);
                    for member in &class.members {
                        check_member(&member.kind, &mut found);
                    }
                }
                DeclarationKind::Method(it) => routine(&it.contract, it.body.as_ref(), &mut found),
                DeclarationKind::Lemma(it) => routine(&it.contract, it.body.as_ref(), &mut found),
                DeclarationKind::Function(it) => {
                    contract(&it.contract, &mut found);
                    it.body.iter().for_each(|body| expression(body, false, &mut found));
                }
                DeclarationKind::Predicate(it) => {
                    it.body.iter().for_each(|body| expression(body, true, &mut found));
                }
                _ => {}
            }
        }
        for span in found {
            let message = "`committed` can only be promised and asked for, not be denied or decided upon";
            let diagnostic = Diagnostic::error("committedScope", span, message);
            let help = "use it as a conjunct of a contract, an invariant or an assertion";
            self.diagnostics.push(diagnostic.help(help));
        }
    }
}

fn check_member(member: &ClassMemberKind, found: &mut Vec<Span>) {
    match member {
        ClassMemberKind::Fields(_) => {}
        ClassMemberKind::Constructor(it) => routine(&it.contract, it.body.as_ref(), found),
        ClassMemberKind::Run(it) => routine(&it.contract, it.body.as_ref(), found),
        ClassMemberKind::Method(it) => routine(&it.contract, it.body.as_ref(), found),
        ClassMemberKind::Lemma(it) => routine(&it.contract, it.body.as_ref(), found),
        ClassMemberKind::Function(it) => {
            contract(&it.contract, found);
            it.body.iter().for_each(|body| expression(body, false, found));
        }
        ClassMemberKind::Predicate(it) => {
            it.body.iter().for_each(|body| expression(body, true, found));
        }
    }
}

fn routine(clauses: &Contract, body: Option<&Block>, found: &mut Vec<Span>) {
    contract(clauses, found);
    for statement_ in body.iter().flat_map(|body| &body.statements) {
        statement(statement_, found);
    }
}

fn contract(contract: &Contract, found: &mut Vec<Span>) {
    contract.for_each_expression(&mut |clause| expression(clause, true, found));
}

fn statement(it: &Statement, found: &mut Vec<Span>) {
    use StatementKind::*;
    match &it.kind {
        Assert(e) | Assume(e) | Inhale(e) | Exhale(e) | Invariant { resource: e, .. } => {
            expression(e, true, found);
        }
        Send { distance, resource, .. } => {
            expression(distance, false, found);
            expression(resource, true, found);
        }
        While { contract: clauses, condition, .. } => {
            contract(clauses, found);
            expression(condition, false, found);
        }
        For { contract: clauses, condition, .. } => {
            contract(clauses, found);
            condition.iter().for_each(|condition| expression(condition, false, found));
        }
        RangedFor { contract: clauses, .. }
        | Barrier { contract: clauses, .. }
        | Frame { contract: clauses, .. } => {
            contract(clauses, found);
        }
        Par(_) => it.kind.for_each_expression(&mut |e| expression(e, true, found)),
        _ => it.kind.for_each_expression(&mut |e| expression(e, false, found)),
    }
    it.kind.for_each_child(&mut |child| statement(child, found));
}

fn expression(it: &Expression, allowed: bool, found: &mut Vec<Span>) {
    use BinaryOperator::{And, Implies, Star};
    match &*it.kind {
        ExpressionKind::Builtin(Builtin::Committed, arguments) => {
            if !allowed {
                found.push(it.span);
            }
            arguments.iter().for_each(|argument| expression(argument, false, found));
        }
        ExpressionKind::Binary(And | Star, left, right) => {
            expression(left, allowed, found);
            expression(right, allowed, found);
        }
        ExpressionKind::Binary(Implies, left, right) => {
            expression(left, false, found);
            expression(right, allowed, found);
        }
        ExpressionKind::Conditional(condition, then, otherwise) => {
            expression(condition, false, found);
            expression(then, allowed, found);
            expression(otherwise, allowed, found);
        }
        ExpressionKind::Quantifier { bindings, condition, body, kind } => {
            let _ = bindings;
            condition.iter().for_each(|condition| expression(condition, false, found));
            let is_universal = matches!(
                kind,
                crate::syntax::tree::QuantifierKind::Forall | crate::syntax::tree::QuantifierKind::Starall
            );
            expression(body, allowed && is_universal, found);
        }
        ExpressionKind::Let { value, body, .. } => {
            expression(value, false, found);
            expression(body, allowed, found);
        }
        ExpressionKind::Scale(factor, body) => {
            expression(factor, false, found);
            expression(body, allowed, found);
        }
        ExpressionKind::Unfolding(predicate, body) => {
            expression(predicate, false, found);
            expression(body, allowed, found);
        }
        ExpressionKind::Trigger(_, body) => expression(body, allowed, found),
        other => other.for_each_child(&mut |child| expression(child, false, found)),
    }
}
