//! A final field is assigned at most once on every path through a constructor.
//!
//! Its value is a constant of the object: a second assignment would contradict the first one. The check follows the
//! structure of the body; where control flow is not structured (loops, threads, `goto`) no final field is assigned.

use rustc_hash::FxHashMap;
use source::{Diagnostic, Span};

use super::{NameTarget, Resolution, Selection};
use crate::codes;
use crate::syntax::tree::{Block, Expression, ExpressionKind, NodeId, Statement, StatementKind};

/// Fields that may have been assigned, and where.
type Assigned = FxHashMap<NodeId, Span>;

struct Finals<'a, 'tree> {
    resolution: &'a Resolution<'tree>,
    errors: Vec<Diagnostic>,
    /// Inside of something that may run several times or in between.
    repeated: Option<Span>,
}

pub(super) fn check(resolution: &Resolution<'_>, body: &Block) -> Vec<Diagnostic> {
    let mut finals = Finals { resolution, errors: Vec::new(), repeated: None };
    if let Some(jump) = find_goto(&body.statements) {
        finals.repeated = Some(jump);
    }
    finals.statements(&body.statements, &mut Assigned::default());
    finals.errors
}

fn find_goto(statements: &[Statement]) -> Option<Span> {
    let mut work: Vec<&Statement> = statements.iter().rev().collect();
    while let Some(statement) = work.pop() {
        if matches!(statement.kind, StatementKind::Goto(_)) {
            return Some(statement.span);
        }
        statement.kind.for_each_child(&mut |child| work.push(child));
    }
    None
}

impl Finals<'_, '_> {
    fn statements(&mut self, statements: &[Statement], assigned: &mut Assigned) {
        for statement in statements {
            self.statement(statement, assigned);
        }
    }

    fn statement(&mut self, statement: &Statement, assigned: &mut Assigned) {
        statement.kind.for_each_expression(&mut |expression| self.expression(expression, assigned));
        match &statement.kind {
            StatementKind::Assign { target, .. }
            | StatementKind::Increment(target)
            | StatementKind::Decrement(target) => self.assignment(target, assigned),
            StatementKind::If { then, otherwise, .. } => {
                let mut other = assigned.clone();
                self.statement(then, assigned);
                if let Some(otherwise) = otherwise {
                    self.statement(otherwise, &mut other);
                }
                for (field, span) in other {
                    assigned.entry(field).or_insert(span);
                }
            }
            StatementKind::While { .. }
            | StatementKind::For { .. }
            | StatementKind::RangedFor { .. }
            | StatementKind::Par(_)
            | StatementKind::Vector { .. } => {
                let before = self.repeated.replace(statement.span);
                statement.kind.for_each_child(&mut |child| self.statement(child, assigned));
                self.repeated = before;
            }
            kind => kind.for_each_child(&mut |child| self.statement(child, assigned)),
        }
    }

    /// Ghost statements and ghost results inside of an expression.
    fn expression(&mut self, expression: &Expression, assigned: &mut Assigned) {
        for statement in expression.kind.ghost_statements() {
            self.statement(statement, assigned);
        }
        let yields = match &*expression.kind {
            ExpressionKind::Call(call) => &call.yields[..],
            ExpressionKind::New { yields, .. } => &yields[..],
            _ => &[],
        };
        for result in yields {
            self.assignment(&result.target, assigned);
        }
        expression.kind.for_each_child(&mut |child| self.expression(child, assigned));
    }

    fn assignment(&mut self, target: &Expression, assigned: &mut Assigned) {
        // A field of another object is an error of its own.
        if let ExpressionKind::Field(object, _) = &*target.kind
            && !matches!(*object.kind, ExpressionKind::This)
        {
            return;
        }
        let field = match (self.resolution.names.get(&target.id), self.resolution.selections.get(&target.id))
        {
            (Some(NameTarget::Field(field)), _) | (_, Some(Selection::Field(field))) => *field,
            _ => return,
        };
        if !self.resolution.items.finals.contains(&field) {
            return;
        }
        if let Some(around) = self.repeated {
            self.errors.push(
                Diagnostic::error(
                    codes::FINAL_ASSIGNMENT,
                    target.span,
                    "a final field is assigned where this can happen more than once",
                )
                .label(around, "because of this")
                .help("a final field gets its value once; compute it first and assign it in the end"),
            );
            return;
        }
        if let Some(before) = assigned.insert(field, target.span) {
            self.errors.push(
                Diagnostic::error(codes::FINAL_ASSIGNMENT, target.span, "a final field is assigned twice")
                    .label(before, "it got its value here")
                    .help("a final field gets its value once; make it an ordinary field to change it"),
            );
        }
    }
}
