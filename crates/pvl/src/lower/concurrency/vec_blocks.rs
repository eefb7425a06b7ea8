//! `vec`: a loop whose iterations run in step, one statement after the other for all of them.
//!
//! A statement assigns one element per iteration. All iterations read what was there before the statement, so its
//! effect is one quantified update; that no two of them write the same element follows from holding write permission
//! for all.

use silver::syntax::tree as s;

use crate::lower::origin::Role;
use crate::lower::scope::{Scope, Variable};
use crate::resolve::{Subscript, Type};
use crate::syntax::tree::{Block, Expression, ExpressionKind, RangeVariable, Statement, StatementKind};

impl<'t> Scope<'_, 't> {
    pub(crate) fn vector(&mut self, variable: &'t RangeVariable, body: &'t Block, statement: &'t Statement) {
        let place = statement.span;
        let whole = self.block(place, |scope| {
            let low = scope.expression(&variable.low);
            let low = scope.keep(low, &Type::Int, "low", place);
            let high = scope.expression(&variable.high);
            let high = scope.keep(high, &Type::Int, "high", place);
            for statement in &body.statements {
                match &statement.kind {
                    StatementKind::Assign { target, value } => {
                        scope.vector_assignment(variable, &low, &high, target, value, statement);
                    }
                    _ => {
                        scope.unsupported(statement.span, "other than assignments in a vectorised loop");
                    }
                }
            }
        });
        self.emit_kind(place, s::StatementKind::Block(whole));
    }

    fn vector_assignment(
        &mut self,
        variable: &'t RangeVariable,
        low: &s::Expression,
        high: &s::Expression,
        target: &'t Expression,
        value: &'t Expression,
        statement: &'t Statement,
    ) {
        let place = statement.span;
        let is_element =
            matches!(self.resolution.subscripts.get(&target.id), Some(Subscript::Array | Subscript::Pointer));
        let ExpressionKind::Index(base, index) = &*target.kind else {
            self.unsupported(target.span, "an assignment of other than an element in a vectorised loop");
            return;
        };
        if !is_element {
            self.unsupported(target.span, "an assignment of other than an element in a vectorised loop");
            return;
        }
        let name = self.member.names.fresh(&variable.name.text);
        let iteration = Variable::Named(name.clone());
        let (location, value) = self.with_variable(variable.id, iteration, |scope| {
            scope.specification(|scope| {
                let role = Role::Location("assignFieldFailed");
                (scope.array_location(base, index, role, target), scope.expression(value))
            })
        });
        let label = self.member.names.fresh("before");
        let mut build = self.at(place);
        let quantified = |build: &mut crate::lower::build::Build<'_>, body: s::Expression| {
            let int = build.ty(s::TypeKind::Int);
            let binding = build.binding(&name, int);
            let it = build.variable(&name);
            let range = build.within(low.clone(), it, high.clone());
            let body = build.implies(range, body);
            build.forall(vec![binding], Vec::new(), body)
        };
        let label_name = build.name(&label);
        let mark =
            build.statement(s::StatementKind::Label { name: label_name.clone(), invariants: Vec::new() });
        // The value is well defined for every iteration.
        let same = build.equal(value.clone(), value.clone());
        let defined = quantified(&mut build, same);
        let defined = build.statement(s::StatementKind::Assert(defined));
        let write = build.write();
        let access = build.access(location.clone(), write);
        let access = quantified(&mut build, access);
        let kind = s::StatementKind::Exhale(access.clone());
        let taken = build.statement_as(Role::Code("assignFieldFailed"), kind);
        let given = build.statement(s::StatementKind::Inhale(access));
        let before = build.expression(s::ExpressionKind::Old(Some(label_name), value));
        let equal = build.equal(location, before);
        let known = quantified(&mut build, equal);
        let known = build.statement(s::StatementKind::Inhale(known));
        for statement in [mark, defined, taken, given, known] {
            self.emit(statement);
        }
    }
}
