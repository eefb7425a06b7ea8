//! Help with products: what follows for `i * n` from the bounds of `i`.
//!
//! Solvers rarely find by themselves that `i < m` gives `i * n + n <= m * n`, which is what elements such as `a[i * n + j]`
//! are about. Where a thread or a round of a loop starts, this is said of the products that occur in its text. What is
//! said is a theorem of arithmetic, with all its conditions, so nothing is assumed.

use std::sync::Arc;

use silver::syntax::tree as s;
use source::Span;

use crate::limits;
use crate::lower::scope::{Scope, Variable};
use crate::resolve::{NameTarget, Type};
use crate::syntax::tree::{BinaryOperator, Contract, Expression, ExpressionKind, NodeId, Statement};

/// What a variable is multiplied by: other variables.
type Multiplier = Vec<NodeId>;

impl<'t> Scope<'_, 't> {
    /// What a variable is multiplied by in a contract and a body.
    pub(crate) fn multipliers(
        &self,
        variable: NodeId,
        contract: &'t Contract,
        body: &'t Statement,
    ) -> Vec<Multiplier> {
        let mut found = Vec::new();
        contract.for_each_expression(&mut |expression| self.multipliers_in(expression, variable, &mut found));
        self.multipliers_in_statement(body, variable, &mut found);
        found.truncate(limits::PRODUCTS);
        found
    }

    fn multipliers_in_statement(
        &self,
        statement: &'t Statement,
        variable: NodeId,
        found: &mut Vec<Multiplier>,
    ) {
        let mut expressions = Vec::new();
        statement.kind.for_each_expression(&mut |expression| expressions.push(expression));
        expressions.into_iter().for_each(|expression| self.multipliers_in(expression, variable, found));
        let mut children = Vec::new();
        statement.kind.for_each_child(&mut |child| children.push(child));
        children.into_iter().for_each(|child| self.multipliers_in_statement(child, variable, found));
    }

    fn multipliers_in(&self, expression: &Expression, variable: NodeId, found: &mut Vec<Multiplier>) {
        if let ExpressionKind::Binary(BinaryOperator::Multiply, ..) = &*expression.kind {
            let mut factors = Vec::new();
            product(expression, &mut factors);
            let (with, without): (Vec<_>, Vec<_>) =
                factors.into_iter().partition(|factor| self.mentions(factor, &[variable]));
            let others: Option<Multiplier> = without
                .iter()
                .filter(|factor| !matches!(*factor.kind, ExpressionKind::Int(_)))
                .map(|factor| self.number_outside(factor))
                .collect();
            if with.len() == 1
                && let Some(mut others) = others
                && !others.is_empty()
            {
                others.sort_unstable();
                if !found.contains(&others) {
                    found.push(others);
                }
            }
        }
        expression.kind.for_each_child(&mut |child| self.multipliers_in(child, variable, found));
    }

    /// A variable that is known here.
    fn number_outside(&self, factor: &Expression) -> Option<NodeId> {
        let NameTarget::Variable(id) = self.resolution.names.get(&factor.id)? else { return None };
        let is_known = matches!(self.bindings.variables.get(id), Some(Variable::Named(_)));
        (is_known && self.variable_type(*id) == Type::Int).then_some(*id)
    }

    /// Says what the bounds of a variable mean for its products.
    pub(crate) fn say_products(
        &mut self,
        name: &Arc<str>,
        low: &s::Expression,
        high: &s::Expression,
        multipliers: &[Multiplier],
        place: Span,
    ) {
        for multiplier in multipliers {
            let factors: Vec<s::Expression> = multiplier.iter().map(|id| self.variable(*id, place)).collect();
            let mut build = self.at(place);
            let Some(factor) = factors
                .into_iter()
                .reduce(|left, right| build.binary(s::BinaryOperator::Multiply, left, right))
            else {
                continue;
            };
            let variable = build.variable(name);
            let inside = build.within(low.clone(), variable.clone(), high.clone());
            let zero = build.int(0);
            let positive = build.at_most(zero, factor.clone());
            let condition = build.and(inside, positive);
            let times = |build: &mut crate::lower::build::Build<'_>, value: &s::Expression| {
                build.binary(s::BinaryOperator::Multiply, value.clone(), factor.clone())
            };
            let first = times(&mut build, low);
            let own = times(&mut build, &variable);
            let end = times(&mut build, high);
            let next = build.binary(s::BinaryOperator::Add, own.clone(), factor.clone());
            let lower = build.at_most(first, own);
            let upper = build.at_most(next, end);
            let both = build.and(lower, upper);
            let theorem = build.implies(condition, both);
            self.inhale(theorem, place);
        }
    }
}

/// The factors of a product.
fn product<'e>(expression: &'e Expression, factors: &mut Vec<&'e Expression>) {
    match &*expression.kind {
        ExpressionKind::Binary(BinaryOperator::Multiply, left, right) => {
            product(left, factors);
            product(right, factors);
        }
        _ => factors.push(expression),
    }
}
