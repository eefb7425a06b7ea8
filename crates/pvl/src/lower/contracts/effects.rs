//! Expressions of program code that change the state: calls of methods, `new`, and ghost statements.
//!
//! Silver has no such expressions, so they become statements in front. What is evaluated before them and could see
//! a difference is kept in a variable first, and what is evaluated only sometimes becomes a branch.

use silver::syntax::tree as s;

use crate::lower::scope::{Mode, Scope};
use crate::resolve::{CallTarget, ModelOperation, Operation, Type};
use crate::syntax::tree::{BinaryOperator, Builtin, Expression, ExpressionKind, NodeId, Routine};

impl<'t> Scope<'_, 't> {
    /// Whether evaluating the expression needs statements.
    pub(crate) fn has_effects(&self, expression: &Expression) -> bool {
        let direct = match &*expression.kind {
            ExpressionKind::New { .. } | ExpressionKind::NewArray { .. } => true,
            ExpressionKind::With { .. } => true,
            ExpressionKind::Builtin(Builtin::ChooseFresh, _) => true,
            ExpressionKind::Call(_) => match self.resolution.calls.get(&expression.id) {
                Some(CallTarget::Routine(call)) => self.is_impure(call.routine),
                Some(CallTarget::ModelOperation(operation)) => {
                    !matches!(operation, ModelOperation::State | ModelOperation::AbstractState)
                }
                _ => false,
            },
            ExpressionKind::Binary(..) => match self.resolution.operations.get(&expression.id) {
                Some(Operation::Declared { routine, .. }) => self.is_impure(*routine),
                _ => false,
            },
            _ => false,
        };
        if direct {
            return true;
        }
        let mut found = false;
        expression.kind.for_each_child(&mut |child| found = found || self.has_effects(child));
        found
    }

    /// Whether the routine is called by a statement.
    pub(crate) fn is_impure(&self, routine: NodeId) -> bool {
        match self.resolution.items.routines.get(&routine) {
            Some(Routine::Method(method)) => method.modifiers.pure.is_none(),
            Some(Routine::Lemma(_)) => true,
            _ => false,
        }
    }

    /// Evaluates from left to right. A value that a later effect could change is kept in a variable.
    pub(crate) fn operands(&mut self, expressions: &[&'t Expression]) -> Vec<s::Expression> {
        let last_effect = match self.spec.mode {
            Mode::Code => expressions.iter().rposition(|expression| self.has_effects(expression)),
            Mode::Specification => None,
        };
        let mut values = Vec::with_capacity(expressions.len());
        for (index, expression) in expressions.iter().enumerate() {
            let mut value = self.expression(expression);
            if last_effect.is_some_and(|last| index < last) {
                let ty = self.converted_type(expression);
                value = self.keep(value, &ty, "operand", expression.span);
            }
            values.push(value);
        }
        values
    }

    /// `left && right`, `left || right` or `left ==> right` where the right side changes the state.
    pub(crate) fn short_circuit_code(
        &mut self,
        operator: BinaryOperator,
        left: &'t Expression,
        right: &'t Expression,
        expression: &'t Expression,
    ) -> s::Expression {
        let place = expression.span;
        let left = self.expression(left);
        let ty = self.ty(&Type::Boolean, place);
        let name = self.local("condition", ty, Some(left), place);
        let evaluated = self.block(place, |scope| {
            let right = scope.expression(right);
            let target = scope.at(place).variable(&name);
            scope.assign(target, right, place);
        });
        let mut build = self.at(place);
        let condition = build.variable(&name);
        match operator {
            BinaryOperator::And | BinaryOperator::Star => {
                let kind = s::StatementKind::If { condition, then: evaluated, otherwise: None };
                self.emit_kind(place, kind);
            }
            BinaryOperator::Or => {
                let condition = build.not(condition);
                let kind = s::StatementKind::If { condition, then: evaluated, otherwise: None };
                self.emit_kind(place, kind);
            }
            _ => {
                let target = build.variable(&name);
                let truth = build.bool(true);
                let statement =
                    build.statement(s::StatementKind::Assign { targets: vec![target], value: truth });
                let otherwise = Some(s::Otherwise::Block(build.block(vec![statement])));
                self.emit_kind(place, s::StatementKind::If { condition, then: evaluated, otherwise });
            }
        }
        self.at(place).variable(&name)
    }

    /// `condition ? then : otherwise` where a branch changes the state.
    pub(crate) fn conditional_code(
        &mut self,
        condition: &'t Expression,
        then: &'t Expression,
        otherwise: &'t Expression,
        expression: &'t Expression,
    ) -> s::Expression {
        let place = expression.span;
        let condition = self.expression(condition);
        let ty = self.type_of(expression);
        let ty = self.ty(&ty, place);
        let name = self.local("choice", ty, None, place);
        let branch = |scope: &mut Self, value: &'t Expression| {
            scope.block(place, |scope| {
                let value = scope.expression(value);
                let target = scope.at(place).variable(&name);
                scope.assign(target, value, place);
            })
        };
        let then = branch(self, then);
        let otherwise = Some(s::Otherwise::Block(branch(self, otherwise)));
        self.emit_kind(place, s::StatementKind::If { condition, then, otherwise });
        self.at(place).variable(&name)
    }
}
