//! Lemmas are proofs: they change nothing, call only what changes nothing, and end.
//!
//! That a measure decreases is proved with the rest of the program; here it must only be there, for every loop of a
//! lemma and for every lemma that can call itself.

use rustc_hash::{FxHashMap, FxHashSet};
use source::{Diagnostic, Span};

use super::inlining::block_calls;
use super::{CallTarget, NameTarget, Resolution};
use crate::codes;
use crate::syntax::tree::{
    Contract, Expression, ExpressionKind, Lemma, NodeId, Routine, Statement, StatementKind,
};

pub(super) fn check(resolution: &Resolution<'_>, order: &[NodeId]) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    let lemmas: Vec<(NodeId, &Lemma)> = order
        .iter()
        .filter_map(|id| match resolution.items.routines.get(id) {
            Some(Routine::Lemma(lemma)) => Some((*id, *lemma)),
            _ => None,
        })
        .collect();
    let mut edges: FxHashMap<NodeId, Vec<NodeId>> = FxHashMap::default();
    for (id, lemma) in &lemmas {
        if let Some(body) = &lemma.body {
            edges.insert(*id, block_calls(resolution, body));
        }
    }
    for (id, lemma) in &lemmas {
        let Some(body) = &lemma.body else { continue };
        let mut proof = Proof { resolution, name: &lemma.name.text, errors: &mut errors };
        for statement in &body.statements {
            proof.statement(statement);
        }
        if lemma.contract.measure().is_none() && reaches(*id, &edges) {
            errors.push(
                Diagnostic::error(
                    codes::MISSING_MEASURE,
                    lemma.name.span,
                    format!("the lemma `{}` uses itself but has no measure", lemma.name.text),
                )
                .help("add `decreases e;`: a proof that uses itself must do so for something smaller"),
            );
        }
    }
    errors
}

/// Whether a lemma can get back to itself.
fn reaches(start: NodeId, edges: &FxHashMap<NodeId, Vec<NodeId>>) -> bool {
    let mut seen = FxHashSet::default();
    let mut work = vec![start];
    while let Some(id) = work.pop() {
        for next in edges.get(&id).into_iter().flatten() {
            if *next == start {
                return true;
            }
            if seen.insert(*next) {
                work.push(*next);
            }
        }
    }
    false
}

struct Proof<'a, 'tree> {
    resolution: &'a Resolution<'tree>,
    name: &'a str,
    errors: &'a mut Vec<Diagnostic>,
}

impl Proof<'_, '_> {
    fn forbid(&mut self, span: Span, what: &str) {
        self.errors.push(
            Diagnostic::error(
                codes::LEMMA,
                span,
                format!("{what} in the lemma `{}`, which is a proof and cannot change anything", self.name),
            )
            .help("use local variables, assertions, `fold`, `unfold`, loops with measures and other lemmas"),
        );
    }

    fn measure(&mut self, contract: &Contract, span: Span) {
        if contract.measure().is_none() {
            self.errors.push(
                Diagnostic::error(
                    codes::MISSING_MEASURE,
                    span,
                    format!("this loop of the lemma `{}` has no measure", self.name),
                )
                .help("add `decreases e;`: a proof by a loop that does not end proves nothing"),
            );
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Assign { target, .. }
            | StatementKind::Increment(target)
            | StatementKind::Decrement(target) => {
                if !self.is_local(target) {
                    self.forbid(target.span, "something on the heap is assigned");
                }
            }
            StatementKind::While { contract, .. } | StatementKind::For { contract, .. } => {
                self.measure(contract, first_line(statement, contract));
            }
            StatementKind::Goto(_) => self.errors.push(
                Diagnostic::error(
                    codes::LEMMA,
                    statement.span,
                    format!("a `goto` in the lemma `{}`: that it ends cannot be shown", self.name),
                )
                .help("use a loop with `decreases`"),
            ),
            StatementKind::Lock(_)
            | StatementKind::Unlock(_)
            | StatementKind::Wait(_)
            | StatementKind::Notify(_)
            | StatementKind::Commit(_) => self.forbid(statement.span, "a lock is used"),
            StatementKind::Fork(_) | StatementKind::Join(_) => {
                self.forbid(statement.span, "a thread is started or awaited");
            }
            StatementKind::Par(_)
            | StatementKind::Barrier { .. }
            | StatementKind::Invariant { .. }
            | StatementKind::Atomic { .. }
            | StatementKind::Vector { .. }
            | StatementKind::Send { .. }
            | StatementKind::Receive { .. } => self.forbid(statement.span, "threads are used"),
            StatementKind::Action { .. } => self.forbid(statement.span, "an action of a model happens"),
            StatementKind::Inhale(_) | StatementKind::Exhale(_) => {
                self.forbid(statement.span, "permissions appear or disappear");
            }
            StatementKind::Assume(_) => self.errors.push(
                Diagnostic::warning(
                    codes::LEMMA,
                    statement.span,
                    format!("the proof of the lemma `{}` assumes something without proof", self.name),
                )
                .help("prove it with `assert`, or pass it on as a precondition"),
            ),
            _ => {}
        }
        statement.kind.for_each_expression(&mut |expression| self.expression(expression));
        statement.kind.for_each_child(&mut |child| self.statement(child));
    }

    fn is_local(&self, target: &Expression) -> bool {
        matches!(&*target.kind, ExpressionKind::Name(_))
            && matches!(self.resolution.names.get(&target.id), Some(NameTarget::Variable(_)) | None)
    }

    fn expression(&mut self, expression: &Expression) {
        let mut work = vec![expression];
        while let Some(expression) = work.pop() {
            match (&*expression.kind, self.resolution.calls.get(&expression.id)) {
                (ExpressionKind::New { .. } | ExpressionKind::NewArray { .. }, _) => {
                    self.forbid(expression.span, "an object is created");
                }
                (_, Some(CallTarget::Routine(call))) => {
                    if let Some(Routine::Method(method)) = self.resolution.items.routines.get(&call.routine)
                        && method.modifiers.pure.is_none()
                    {
                        self.forbid(
                            expression.span,
                            &format!("the method `{}` is called", method.name.name.text),
                        );
                    }
                }
                (_, Some(CallTarget::ModelOperation(_))) if !is_assertion(self.resolution, expression) => {
                    self.forbid(expression.span, "the state of a model changes");
                }
                _ => {}
            }
            expression.kind.for_each_child(&mut |child| work.push(child));
        }
    }
}

fn is_assertion(resolution: &Resolution<'_>, expression: &Expression) -> bool {
    resolution.expressions.get(&expression.id) == Some(&super::Type::Resource)
}

/// The place of a loop without its body: its first line is enough.
fn first_line(statement: &Statement, contract: &Contract) -> Span {
    let start = contract.clauses.last().map_or(statement.span.start, |clause| clause.span.end);
    let mut end = statement.span.end;
    statement.kind.for_each_child(&mut |child| end = end.min(child.span.start.max(start)));
    Span { start: start.min(end), end, ..statement.span }
}
