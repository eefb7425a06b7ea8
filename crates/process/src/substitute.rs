//! Putting expressions in the place of variables. Variables that are bound inside an expression have numbers that occur
//! nowhere else, so nothing is captured.

use std::collections::{BTreeMap, BTreeSet};

use crate::expression::{Binder, Expression, ExpressionKind, Moment};
use crate::model::{FieldId, Parameter, VariableId};
use crate::simplify::build;

/// What variables, and fields at their moments, stand for.
#[derive(Clone, Debug, Default)]
pub struct Substitution {
    variables: BTreeMap<VariableId, Expression>,
    fields: BTreeMap<(FieldId, Moment), Expression>,
    foreign: BTreeMap<u32, Expression>,
}

impl Substitution {
    /// Nothing stands for anything else.
    pub fn new() -> Substitution {
        Substitution::default()
    }

    /// The arguments in the place of the parameters.
    pub fn of_parameters(parameters: &[Parameter], arguments: &[Expression]) -> Substitution {
        let mut substitution = Substitution::new();
        for (parameter, argument) in parameters.iter().zip(arguments) {
            substitution.set(parameter.variable, argument.clone());
        }
        substitution
    }

    /// Lets a variable stand for an expression.
    pub fn set(&mut self, variable: VariableId, expression: Expression) {
        self.variables.insert(variable, expression);
    }

    /// Lets a field, at a moment, stand for an expression.
    pub fn set_field(&mut self, field: FieldId, moment: Moment, expression: Expression) {
        self.fields.insert((field, moment), expression);
    }

    /// Lets what only the language knows stand for an expression.
    pub fn set_foreign(&mut self, number: u32, expression: Expression) {
        self.foreign.insert(number, expression);
    }

    /// What a variable stands for, if that is something else.
    pub fn get(&self, variable: VariableId) -> Option<&Expression> {
        self.variables.get(&variable)
    }

    /// The variables that stand for something else, in order.
    pub fn variables(&self) -> impl Iterator<Item = VariableId> {
        self.variables.keys().copied()
    }

    /// The expression with everything replaced and folded. The depth of the recursion is that of the expression, which
    /// whoever reads models bounds.
    pub fn apply(&self, expression: &Expression) -> Expression {
        let kind = match expression.kind() {
            ExpressionKind::Variable(variable) => {
                return self.variables.get(variable).unwrap_or(expression).clone();
            }
            ExpressionKind::Field(field, moment) => {
                return self.fields.get(&(*field, *moment)).unwrap_or(expression).clone();
            }
            ExpressionKind::Foreign(number) => {
                return self.foreign.get(number).unwrap_or(expression).clone();
            }
            ExpressionKind::Literal(_) => return expression.clone(),
            ExpressionKind::Unary(operator, operand) => ExpressionKind::Unary(*operator, self.apply(operand)),
            ExpressionKind::Binary(operator, left, right) => {
                ExpressionKind::Binary(*operator, self.apply(left), self.apply(right))
            }
            ExpressionKind::Conditional(condition, yes, no) => {
                ExpressionKind::Conditional(self.apply(condition), self.apply(yes), self.apply(no))
            }
            ExpressionKind::Let(variable, value, body) => {
                ExpressionKind::Let(*variable, self.apply(value), self.apply(body))
            }
            ExpressionKind::Call(function, arguments) => {
                ExpressionKind::Call(*function, self.apply_all(arguments))
            }
            ExpressionKind::Builtin(builtin, arguments) => {
                ExpressionKind::Builtin(builtin.clone(), self.apply_all(arguments))
            }
            ExpressionKind::Quantified(quantifier, binders, condition, body) => {
                let binders = binders.iter().map(|binder| self.apply_to_binder(binder)).collect();
                ExpressionKind::Quantified(*quantifier, binders, self.apply(condition), self.apply(body))
            }
        };
        build(kind, expression.ty().clone(), expression.span())
    }

    /// The same for each of many.
    pub fn apply_all(&self, expressions: &[Expression]) -> Vec<Expression> {
        expressions.iter().map(|expression| self.apply(expression)).collect()
    }

    pub(crate) fn apply_to_binder(&self, binder: &Binder) -> Binder {
        let range = binder.range.as_ref().map(|(from, to)| (self.apply(from), self.apply(to)));
        Binder { range, ..binder.clone() }
    }
}

/// Adds the variables that occur in an expression and are not bound in it.
pub(crate) fn free_variables(expression: &Expression, found: &mut BTreeSet<VariableId>) {
    match expression.kind() {
        ExpressionKind::Variable(variable) => {
            found.insert(*variable);
        }
        ExpressionKind::Let(variable, value, body) => {
            let mut inside = BTreeSet::new();
            free_variables(body, &mut inside);
            inside.remove(variable);
            found.extend(inside);
            free_variables(value, found);
        }
        ExpressionKind::Quantified(_, binders, ..) => {
            let mut inside = BTreeSet::new();
            expression.kind().for_each_part(&mut |part| free_variables(part, &mut inside));
            for binder in binders {
                inside.remove(&binder.variable);
            }
            found.extend(inside);
        }
        kind => kind.for_each_part(&mut |part| free_variables(part, found)),
    }
}

/// Whether a variable occurs in an expression and is not bound in it.
pub(crate) fn occurs(variable: VariableId, expression: &Expression) -> bool {
    let mut found = BTreeSet::new();
    free_variables(expression, &mut found);
    found.contains(&variable)
}

/// Adds the fields that an expression reads, with their moments.
pub(crate) fn fields_read(expression: &Expression, found: &mut BTreeSet<(FieldId, Moment)>) {
    if let ExpressionKind::Field(field, moment) = expression.kind() {
        found.insert((*field, *moment));
    }
    expression.kind().for_each_part(&mut |part| fields_read(part, found));
}
