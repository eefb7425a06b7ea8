//! Final fields: constants of an object that its constructor sets.
//!
//! The value is a function of the object, and the assignment is an assumption about it. That is sound if the
//! assignment happens at most once for each object, which a flag checks, and before anything could have been known
//! about the value, which a walk over the constructor checks.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use silver::syntax::tree as s;
use source::Span;

use crate::lower::origin::Role;
use crate::lower::scope::{Scope, Variable};
use crate::resolve::{CallTarget, NameTarget, Selection, Type};
use crate::syntax::tree::{
    Block, Contract, Expression, ExpressionKind, NodeId, Parameter, Routine, Statement, StatementKind,
};

/// What a constructor has before its object.
struct Known<'a> {
    /// The fields that it has to set.
    finals: &'a [NodeId],
    /// They are objects that were there before.
    parameters: &'a [NodeId],
}

impl<'t> Scope<'_, 't> {
    /// A flag for each final field: whether it has its value.
    pub(crate) fn final_flags(&mut self, finals: &[NodeId], place: Span) {
        for field in finals {
            let name = self.lowering.declared_name(*field);
            let ty = self.ty(&Type::Boolean, place);
            let value = self.at(place).bool(false);
            let flag = self.local(&format!("{name}_is_set"), ty, Some(value), place);
            // The field's id is not that of a variable, so the entry is free.
            self.bindings.variables.insert(*field, Variable::Named(flag));
        }
    }

    /// `this.f = value` for a final field.
    pub(crate) fn assign_final(
        &mut self,
        field: NodeId,
        class_arguments: Vec<Type>,
        object: Option<&'t Expression>,
        value: s::Expression,
        place: Span,
    ) {
        let is_this = object.is_none_or(|object| matches!(*object.kind, ExpressionKind::This));
        let flag: Option<Arc<str>> = match self.bindings.variables.get(&field) {
            Some(Variable::Named(flag)) if is_this => Some(flag.clone()),
            _ => None,
        };
        let Some(flag) = flag else {
            let message = "a final field can only be assigned to `this` in a constructor";
            self.error(
                "finalFieldAssign",
                place,
                message,
                "leave out `final`, or assign it in the constructor",
            );
            return;
        };
        let mut build = self.at(place);
        let is_set = build.variable(&flag);
        let unset = build.not(is_set);
        let kind = s::StatementKind::Assert(unset);
        let check = build.statement_as(Role::Code("finalFieldAssigned"), kind);
        let is_set = build.variable(&flag);
        let truth = build.bool(true);
        let set = build.statement(s::StatementKind::Assign { targets: vec![is_set], value: truth });
        self.emit(check);
        self.emit(set);
        let function = self.field(field, class_arguments);
        let this = self.this(place);
        let mut build = self.at(place);
        let read = build.call(&function, vec![this]);
        let equal = build.equal(read, value);
        self.emit_kind(place, s::StatementKind::Inhale(equal));
    }

    /// Reports assignments of final fields behind a use of the object.
    pub(crate) fn check_final_assignments(
        &mut self,
        finals: &[NodeId],
        parameters: &'t [Parameter],
        body: &'t Block,
    ) {
        if finals.is_empty() {
            return;
        }
        let parameters: Vec<NodeId> = parameters.iter().map(|parameter| parameter.id).collect();
        let known = Known { finals, parameters: &parameters };
        let mut used = false;
        for statement in &body.statements {
            self.check_final_assignment(&known, statement, &mut used);
        }
    }

    fn check_final_assignment(&mut self, known: &Known<'_>, statement: &'t Statement, used: &mut bool) {
        let finals = known.finals;
        if let StatementKind::Assign { target, value } = &statement.kind
            && let Some(field) = self.assigned_field(target)
        {
            *used = *used || self.uses_object_made(known, value);
            if finals.contains(&field) && *used {
                self.late(statement.span);
            }
            return;
        }
        // A ghost result that is assigned comes from a call, which is behind a use as every other statement is.
        let mut late = Vec::new();
        statement.kind.for_each_expression(&mut |expression| {
            *used = *used || self.uses_object_made(known, expression);
            self.assigned_results(finals, expression, &mut late);
        });
        for place in late.into_iter().filter(|_| *used) {
            self.late(place);
        }
        let is_loop = matches!(
            statement.kind,
            StatementKind::While { .. } | StatementKind::For { .. } | StatementKind::RangedFor { .. }
        );
        let mut children = Vec::new();
        statement.kind.for_each_child(&mut |child| children.push(child));
        for child in children {
            self.check_final_assignment(known, child, used);
        }
        *used = *used || is_loop;
    }

    /// Reports reads of final fields in earlier states of their constructor, in which they had no value yet.
    pub(crate) fn check_final_reads(&mut self, finals: &[NodeId], contract: &'t Contract, body: &'t Block) {
        if finals.is_empty() {
            return;
        }
        let mut expressions = Vec::new();
        contract.for_each_expression(&mut |expression| expressions.push(expression));
        let mut statements: Vec<&Statement> = body.statements.iter().collect();
        let mut found = Vec::new();
        loop {
            if let Some(expression) = expressions.pop() {
                if let ExpressionKind::Old(_, inner) = &*expression.kind
                    && self.reads_final(finals, inner, &mut FxHashSet::default())
                {
                    found.push(expression.span);
                }
                statements.extend(expression.kind.ghost_statements());
                expression.kind.for_each_child(&mut |child| expressions.push(child));
            } else if let Some(statement) = statements.pop() {
                statement.kind.for_each_expression(&mut |expression| expressions.push(expression));
                statement.kind.for_each_child(&mut |child| statements.push(child));
            } else {
                break;
            }
        }
        for place in found {
            let message =
                "this reads a final field in an earlier state of its constructor, where it may have no value";
            self.error("finalFieldLate", place, message, "read it outside of `\\old`: it does not change");
        }
    }

    /// Whether the value depends on one of these fields, whoever's it is, also through functions and predicates.
    fn reads_final(&self, finals: &[NodeId], expression: &Expression, seen: &mut FxHashSet<NodeId>) -> bool {
        let field = match self.resolution.names.get(&expression.id) {
            Some(NameTarget::Field(field)) => Some(*field),
            _ => match self.resolution.selections.get(&expression.id) {
                Some(Selection::Field(field)) => Some(*field),
                _ => None,
            },
        };
        let mut found = field.is_some_and(|field| finals.contains(&field));
        if let Some(CallTarget::Routine(call)) = self.resolution.calls.get(&expression.id)
            && seen.insert(call.routine)
        {
            let mut parts = Vec::new();
            match self.resolution.items.routines.get(&call.routine) {
                Some(Routine::Function(function)) => parts.extend(&function.body),
                Some(Routine::Predicate(predicate)) => parts.extend(&predicate.body),
                Some(Routine::Method(method)) => {
                    let mut statements: Vec<&Statement> =
                        method.body.iter().flat_map(|body| &body.statements).collect();
                    while let Some(statement) = statements.pop() {
                        statement.kind.for_each_expression(&mut |part| parts.push(part));
                        statement.kind.for_each_child(&mut |child| statements.push(child));
                    }
                }
                _ => {}
            };
            found = found || parts.into_iter().any(|part| self.reads_final(finals, part, seen));
        }
        expression.kind.for_each_child(&mut |child| found = found || self.reads_final(finals, child, seen));
        found
    }

    fn late(&mut self, place: Span) {
        let message = "the object is used before this final field has its value";
        self.error("finalFieldLate", place, message, "assign final fields first");
    }

    /// Places where a ghost result becomes the value of a final field.
    fn assigned_results(&self, finals: &[NodeId], expression: &Expression, found: &mut Vec<Span>) {
        let yields = match &*expression.kind {
            ExpressionKind::Call(call) => &call.yields[..],
            ExpressionKind::New { yields, .. } => &yields[..],
            _ => &[],
        };
        for result in yields {
            if self.assigned_field(&result.target).is_some_and(|field| finals.contains(&field)) {
                found.push(result.target.span);
            }
        }
        expression.kind.for_each_child(&mut |child| self.assigned_results(finals, child, found));
    }

    /// The field of `this` that a target names.
    fn assigned_field(&self, target: &Expression) -> Option<NodeId> {
        match &*target.kind {
            ExpressionKind::Name(_) => match self.resolution.names.get(&target.id) {
                Some(NameTarget::Field(field)) => Some(*field),
                _ => None,
            },
            ExpressionKind::Field(object, _) if matches!(*object.kind, ExpressionKind::This) => {
                match self.resolution.selections.get(&target.id) {
                    Some(Selection::Field(field)) => Some(*field),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Whether the value could depend on the object or pass it on.
    ///
    /// An object that is being made has no other name than `this` until `this` is used, but variables of quantifiers stand for
    /// all objects, and variables without a value for any: what is read of others than the parameters may be read of it.
    fn uses_object_made(&self, known: &Known<'_>, expression: &Expression) -> bool {
        self.uses_this(expression)
            || self.reads_final(known.finals, expression, &mut FxHashSet::default())
                && self.names_any_object(known, expression, &mut FxHashSet::default())
    }

    /// Whether there are variables that can be any object.
    fn names_any_object(
        &self,
        known: &Known<'_>,
        expression: &Expression,
        seen: &mut FxHashSet<NodeId>,
    ) -> bool {
        let is_bound = matches!(
            &*expression.kind,
            ExpressionKind::Quantifier { .. }
                | ExpressionKind::ForPerm { .. }
                | ExpressionKind::ForPermWithValue { .. }
                | ExpressionKind::Comprehension { .. }
        );
        // Inside of a function that is called, variables are its parameters.
        let is_local = seen.is_empty()
            && matches!(
                self.resolution.names.get(&expression.id),
                Some(NameTarget::Variable(id)) if !known.parameters.contains(id)
            );
        let mut found = is_bound || is_local;
        if let Some(CallTarget::Routine(call)) = self.resolution.calls.get(&expression.id)
            && seen.insert(call.routine)
        {
            let body = match self.resolution.items.routines.get(&call.routine) {
                Some(Routine::Function(function)) => function.body.as_ref(),
                Some(Routine::Predicate(predicate)) => predicate.body.as_ref(),
                // A body of statements is not looked at.
                _ => return true,
            };
            found = found || body.is_some_and(|body| self.names_any_object(known, body, seen));
            seen.remove(&call.routine);
        }
        expression
            .kind
            .for_each_child(&mut |child| found = found || self.names_any_object(known, child, seen));
        found
    }

    /// Whether the value could depend on `this` or pass it on.
    fn uses_this(&self, expression: &Expression) -> bool {
        // Ghost statements inside of it may do so before the value is there.
        if expression.kind.ghost_statements().next().is_some() {
            return true;
        }
        let direct = match &*expression.kind {
            ExpressionKind::This => true,
            ExpressionKind::Name(_) => {
                matches!(self.resolution.names.get(&expression.id), Some(NameTarget::Field(_)))
            }
            ExpressionKind::Call(_) => match self.resolution.calls.get(&expression.id) {
                Some(CallTarget::Routine(call)) => call.receiver == crate::resolve::Receiver::ImplicitThis,
                _ => false,
            },
            _ => false,
        };
        let mut found = direct;
        expression.kind.for_each_child(&mut |child| found = found || self.uses_this(child));
        found
    }
}
