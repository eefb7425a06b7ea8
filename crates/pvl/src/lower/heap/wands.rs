//! Magic wands: `-*`, `package` and `apply`.

use silver::syntax::tree as s;
use source::Span;

use crate::lower::origin::Role;
use crate::lower::scope::Scope;
use crate::syntax::tree::{Expression, Statement};

impl<'t> Scope<'_, 't> {
    pub(crate) fn wand(
        &mut self,
        left: &'t Expression,
        right: &'t Expression,
        expression: &'t Expression,
    ) -> s::Expression {
        if self.member.is_definition {
            return self.unsupported(
                expression.span,
                "a magic wand in a predicate or in the contract of a function",
            );
        }
        if !self.spec.factors.is_empty() {
            return self.unsupported(expression.span, "a fraction of a magic wand");
        }
        let left = self.assertion(left);
        let right = self.assertion(right);
        self.at(expression.span).binary(s::BinaryOperator::Wand, left, right)
    }

    pub(crate) fn package(&mut self, wand: &'t Expression, proof: &'t Statement, place: Span) {
        let wand = self.assertion(wand);
        let proof = self.block(place, |scope| scope.loop_body(proof));
        let kind = s::StatementKind::Package { wand, proof: Some(proof) };
        let statement = self.at(place).statement_as(Role::Base("packageFailed"), kind);
        self.emit(statement);
    }

    pub(crate) fn apply(&mut self, wand: &'t Expression, place: Span) {
        let wand = self.assertion(wand);
        let kind = s::StatementKind::Apply(wand);
        let statement = self.at(place).statement_as(Role::Base("applyFailed"), kind);
        self.emit(statement);
    }
}
