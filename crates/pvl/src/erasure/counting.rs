//! Loops that count to a bound and so need no measure to be seen to end.
//!
//! The condition is `k < bound` (or `<=`, `>`, `>=`), where `k` is a local variable that every iteration moves towards the
//! bound by a constant step and nothing else changes, and the bound reads neither the heap nor anything that the
//! loop assigns. That what is inside of the loop ends is another question.

use crate::resolve::{Member, NameTarget, Operation, Resolution, Selection, Type};
use crate::syntax::tree::{
    BinaryOperator, Block, Expression, ExpressionKind, NodeId, Statement, StatementKind, UnaryOperator,
};

/// Whether a loop with this condition, body and update counts to a bound.
pub(super) fn counts(
    resolution: &Resolution<'_>,
    condition: &Expression,
    body: &Statement,
    update: &[Statement],
) -> bool {
    let ExpressionKind::Binary(operator, left, right) = &*condition.kind else { return false };
    let is_integer = matches!(resolution.operations.get(&condition.id), Some(Operation::Numbers(Type::Int)));
    let (small, large) = match operator {
        BinaryOperator::Less | BinaryOperator::LessEqual => (left, right),
        BinaryOperator::Greater | BinaryOperator::GreaterEqual => (right, left),
        _ => return false,
    };
    let search = Search { resolution, assigned: assigned(resolution, body, update) };
    let goes = |counter: &Expression, bound: &Expression, up: bool| {
        search.variable(counter).is_some_and(|counter| {
            search.is_fixed(bound)
                && search.assigned.iter().filter(|id| **id == counter).count() == 1
                && steps(body).chain(update).any(|step| search.moves(step, counter, up))
        })
    };
    // With a jump, an iteration may leave out the step.
    let has_jumps = std::iter::once(body).chain(update).any(jumps);
    is_integer && !has_jumps && (goes(small, large, true) || goes(large, small, false))
}

/// What every iteration executes.
fn steps(body: &Statement) -> Box<dyn Iterator<Item = &Statement> + '_> {
    match &body.kind {
        StatementKind::Block(Block { statements, .. }) => Box::new(statements.iter()),
        _ => Box::new(std::iter::once(body)),
    }
}

struct Search<'a, 'tree> {
    resolution: &'a Resolution<'tree>,
    /// The variable of every assignment in the loop.
    assigned: Vec<NodeId>,
}

impl Search<'_, '_> {
    /// A local variable that no pointer points to.
    fn variable(&self, expression: &Expression) -> Option<NodeId> {
        match (&*expression.kind, self.resolution.names.get(&expression.id)) {
            (ExpressionKind::Name(_), Some(NameTarget::Variable(id))) => {
                (!self.resolution.addressed.contains(id)).then_some(*id)
            }
            _ => None,
        }
    }

    /// Whether it has the same value in every iteration.
    fn is_fixed(&self, expression: &Expression) -> bool {
        use ExpressionKind::*;
        let here = match &*expression.kind {
            Name(_) => {
                return self.variable(expression).is_some_and(|id| !self.assigned.contains(&id));
            }
            Int(_) | Size(_) | Unary(UnaryOperator::Negate, _) => true,
            Binary(..) => {
                matches!(self.resolution.operations.get(&expression.id), Some(Operation::Numbers(Type::Int)))
            }
            Field(..) => matches!(
                self.resolution.selections.get(&expression.id),
                Some(Selection::Member(Member::ArrayLength | Member::Size))
            ),
            _ => false,
        };
        let mut fixed = here;
        expression.kind.for_each_child(&mut |child| fixed = fixed && self.is_fixed(child));
        fixed
    }

    /// Whether the statement moves the counter in this direction.
    fn moves(&self, step: &Statement, counter: NodeId, up: bool) -> bool {
        match &step.kind {
            StatementKind::Increment(target) => up && self.variable(target) == Some(counter),
            StatementKind::Decrement(target) => !up && self.variable(target) == Some(counter),
            StatementKind::Assign { target, value } if self.variable(target) == Some(counter) => {
                let ExpressionKind::Binary(operator, left, right) = &*value.kind else { return false };
                let is_step = matches!(&*right.kind, ExpressionKind::Int(digits) if digits.bytes().any(|it| it != b'0'));
                let towards =
                    if up { *operator == BinaryOperator::Add } else { *operator == BinaryOperator::Subtract };
                towards && is_step && self.variable(left) == Some(counter)
            }
            _ => false,
        }
    }
}

/// Whether there is a `goto` inside.
fn jumps(statement: &Statement) -> bool {
    let mut found = matches!(statement.kind, StatementKind::Goto(_));
    statement.kind.for_each_child(&mut |child| found = found || jumps(child));
    found
}

/// Every assignment and declaration in a loop, in ghost code and results of calls as well.
fn assigned(resolution: &Resolution<'_>, body: &Statement, update: &[Statement]) -> Vec<NodeId> {
    let mut found = Vec::new();
    let mut work: Vec<&Statement> = std::iter::once(body).chain(update).collect();
    while let Some(statement) = work.pop() {
        let mut add = |target: &Expression| {
            if let Some(NameTarget::Variable(id)) = resolution.names.get(&target.id) {
                found.push(*id);
            }
        };
        match &statement.kind {
            StatementKind::Assign { target, .. }
            | StatementKind::Increment(target)
            | StatementKind::Decrement(target) => add(target),
            StatementKind::Local { declarators, .. } => {
                found.extend(declarators.iter().map(|declarator| declarator.id));
            }
            _ => {}
        }
        let mut expressions = Vec::new();
        statement.kind.for_each_expression(&mut |expression| expressions.push(expression));
        while let Some(expression) = expressions.pop() {
            let yields = match &*expression.kind {
                ExpressionKind::Call(call) => &call.yields[..],
                ExpressionKind::New { yields, .. } => &yields[..],
                _ => &[],
            };
            for result in yields {
                if let Some(NameTarget::Variable(id)) = resolution.names.get(&result.target.id) {
                    found.push(*id);
                }
            }
            work.extend(expression.kind.ghost_statements());
            expression.kind.for_each_child(&mut |child| expressions.push(child));
        }
        statement.kind.for_each_child(&mut |child| work.push(child));
    }
    found
}
