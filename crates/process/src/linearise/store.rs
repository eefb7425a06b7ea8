//! Values of all fields at some point of a run.

use crate::expression::{Expression, Moment};
use crate::model::{FieldId, Parameter};
use crate::substitute::Substitution;

/// The value of each field, by its place.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Store {
    pub(super) values: Vec<Expression>,
}

impl Store {
    /// An expression of a contract that goes from this store to another.
    pub(super) fn at_both(&self, expression: &Expression, later: &Store) -> Expression {
        self.substitution(later).apply(expression)
    }

    /// Expressions of a contract from this store to another, with these arguments.
    pub(super) fn contract(
        &self,
        expressions: &[Expression],
        later: &Store,
        parameters: &[Parameter],
        arguments: &[Expression],
    ) -> Vec<Expression> {
        let mut substitution = self.substitution(later);
        for (parameter, argument) in parameters.iter().zip(arguments) {
            substitution.set(parameter.variable, argument.clone());
        }
        substitution.apply_all(expressions)
    }

    fn substitution(&self, later: &Store) -> Substitution {
        let mut substitution = Substitution::new();
        for (place, (before, after)) in self.values.iter().zip(&later.values).enumerate() {
            let field = FieldId(place as u32);
            substitution.set_field(field, Moment::Start, before.clone());
            substitution.set_field(field, Moment::Now, after.clone());
        }
        substitution
    }
}
