//! `create`, `split`, `merge`, `choose` and `destroy` (VMCAI 2020, figures 4 and 5).
//!
//! The promise of a model, made by `create` and kept by `destroy`, are cells for the values of its fields when it is
//! destroyed and a flag for whether it ever is. That a model that ends keeps the contract of its process is assumed of
//! these; nothing follows of a model that does not end.
//!
//! A step needs a part of the model whose term allows it. Which one that is, is found among all that are held: a term T
//! allows the alternative A exactly if T = A + T.

use silver::syntax::tree as s;
use source::Span;

use super::contracts::{FieldValues, ModelView};
use super::fields::{Token, tokens};
use super::obligations::has_contract;
use crate::lower::origin::Role;
use crate::lower::prelude::Theory;
use crate::lower::scope::{Mode, Scope};
use crate::resolve::{CallTarget, ModelOperation, Type};
use crate::syntax::tree::{Call, Expression, ExpressionKind, NodeId, PermissionKind, Process};

/// What a `create` is about.
struct Made<'m, 't> {
    model: NodeId,
    /// The process or action that is followed.
    target: NodeId,
    declared: &'t Process,
    arguments: &'m [s::Expression],
    object: &'m s::Expression,
    fields: &'m [NodeId],
}

impl<'t> Scope<'_, 't> {
    /// A resource or a step of a model.
    pub(crate) fn model_operation(
        &mut self,
        operation: ModelOperation,
        call: &'t Call,
        expression: &'t Expression,
    ) -> s::Expression {
        let place = expression.span;
        match operation {
            ModelOperation::State => return self.state(call, place),
            ModelOperation::AbstractState => return self.abstract_state(call, place),
            _ => {}
        }
        if self.spec.mode == Mode::Specification {
            let message = format!("`{}` changes the state of a model and cannot stand here", call.name.text);
            self.error("impureCall", place, message, "do it in a statement");
            return self.at(place).bool(true);
        }
        let Some(model) = call.receiver.as_ref().and_then(|receiver| self.model_of(receiver)) else {
            return self.unsupported(place, "a step of something that is no model");
        };
        match (operation, &call.arguments[..]) {
            (ModelOperation::Create, [process]) => self.create_step(model, call, process, place),
            (ModelOperation::Destroy, []) => self.destroy_step(model, call, place),
            (ModelOperation::Split | ModelOperation::Merge, [..]) => {
                self.split_or_merge(operation, call, place)
            }
            (ModelOperation::Choose, [share, from, to]) => self.choose_step(call, [share, from, to], place),
            _ => {
                self.unsupported(place, "a history");
            }
        }
        self.at(place).bool(true)
    }

    /// The object of a step, kept.
    pub(super) fn step_object(&mut self, object: &'t Expression) -> s::Expression {
        let ty = self.type_of(object);
        let place = object.span;
        let object = self.expression(object);
        self.keep(object, &ty, "model", place)
    }

    /// A declared action or process that is called, with its arguments kept.
    pub(super) fn called_process(
        &mut self,
        expression: &'t Expression,
    ) -> Option<(NodeId, &'t Process, bool, Vec<s::Expression>)> {
        let ExpressionKind::Call(call) = &*expression.kind else { return None };
        let Some(CallTarget::Process(id)) = self.resolution.calls.get(&expression.id) else { return None };
        let (declared, is_action) = self.lowering.process_declaration(*id)?;
        let mut arguments = Vec::new();
        for argument in &call.arguments {
            let ty = self.converted_type(argument);
            let value = self.expression(argument);
            arguments.push(self.keep(value, &ty, "argument", argument.span));
        }
        Some((*id, declared, is_action, arguments))
    }

    fn create_step(&mut self, model: NodeId, call: &'t Call, process: &'t Expression, place: Span) {
        let Some(receiver) = &call.receiver else { return };
        let is_of_model = |id: &NodeId| self.resolution.items.owners.get(id) == Some(&model);
        let target = match self.resolution.calls.get(&process.id) {
            Some(CallTarget::Process(id)) if is_of_model(id) => *id,
            _ => {
                let message = "a model follows a process or an action that is declared in it";
                let help = "declare a process of this term in the model, with a contract, and name it here";
                self.error("createUndeclared", process.span, message, help);
                return;
            }
        };
        self.lowering.note_created(model, target, place);
        let fields = self.lowering.model_fields(model);
        if fields.is_empty() {
            let message = "this model has no fields, so that there is nothing that could follow it";
            self.error(
                "modelWithoutFields",
                receiver.span,
                message,
                "declare what the program changes as its fields",
            );
            return;
        }
        self.check_receivers(receiver, &[process]);
        let object = self.step_object(receiver);
        let Some((_, declared, is_action, arguments)) = self.called_process(process) else { return };
        let held = self.full_access(&object, &fields, tokens(PermissionKind::Perm), true, place);
        self.assert_as(Role::Code("createPermission"), held, place);
        let heap = FieldValues::Heap(object.clone());
        let view = ModelView { now: heap.clone(), start: None, object: None };
        let requires: Vec<&Expression> = declared.contract.preconditions().collect();
        for (_, clause) in self.model_clauses(declared, &arguments, requires, view) {
            self.assert_as(Role::Code("createPre"), clause, place);
        }
        let given = self.full_access(&object, &fields, tokens(PermissionKind::Perm), false, place);
        self.exhale_as(Role::Code("createPermission"), given, place);
        let bound = self.full_access(&object, &fields, &[Token::Bound], false, place);
        self.inhale(bound, place);
        for cell in self.promise_cells(model) {
            let access = self.cell_access(&object, &cell, place);
            self.inhale(access, place);
        }
        let made = Made { model, target, declared, arguments: &arguments, object: &object, fields: &fields };
        if is_action {
            self.promise_of_action(&made, heap, place);
        } else if has_contract(declared) {
            self.promise_of_process(&made, place);
        }
        let term = self.expression(process);
        let share = self.at(place).write();
        let state = self.whole_state(object, share, term, place);
        self.inhale(state, place);
    }

    /// An action keeps its contract by definition, and leaves other fields as they are.
    fn promise_of_action(&mut self, made: &Made<'_, 't>, heap: FieldValues, place: Span) {
        let Made { model, target, declared, arguments, object, fields } = *made;
        let ends = self.lowering.model_ends(model);
        let view = ModelView { now: FieldValues::Final(object.clone()), start: Some(heap), object: None };
        let ensures: Vec<&Expression> = declared.contract.postconditions().collect();
        let clauses = self.model_clauses(declared, arguments, ensures, view);
        let mut promises: Vec<s::Expression> = clauses.into_iter().map(|(_, clause)| clause).collect();
        let modified = self.lowering.footprint(target).modified;
        for field in fields.iter().filter(|field| !modified.contains(field)) {
            let now = self.model_field(*field, object.clone(), Role::Plain, place);
            let cell = self.lowering.model_final(*field);
            let mut build = self.at(place);
            let end = build.field(Role::Plain, object.clone(), &cell);
            promises.push(build.equal(end, now));
        }
        for promise in promises {
            let mut build = self.at(place);
            let ends = build.field(Role::Plain, object.clone(), &ends);
            let promise = build.implies(ends, promise);
            self.inhale(promise, place);
        }
    }

    /// The contract of a process says what the values at the end are, if there is an end.
    fn promise_of_process(&mut self, made: &Made<'_, 't>, place: Span) {
        let Made { model, target, arguments, object, fields, .. } = *made;
        let ends = self.lowering.model_ends(model);
        let mut all = vec![self.at(place).field(Role::Plain, object.clone(), &ends)];
        all.extend(arguments.iter().cloned());
        for field in fields {
            all.push(self.model_field(*field, object.clone(), Role::Plain, place));
        }
        let mut targets = Vec::new();
        for field in fields {
            let ty = self.resolution.variables.get(field).cloned().unwrap_or(Type::Unknown);
            let ty = self.ty(&ty, place);
            let name = self.local("value_at_end", ty, None, place);
            targets.push(self.at(place).variable(&name));
        }
        let method = self.lowering.contract_method(target);
        let mut build = self.at(place);
        let call = build.call(&method, all);
        self.emit_kind(place, s::StatementKind::Assign { targets: targets.clone(), value: call });
        for (field, value) in fields.iter().zip(targets) {
            let cell = self.lowering.model_final(*field);
            let mut build = self.at(place);
            let end = build.field(Role::Plain, object.clone(), &cell);
            let same = build.equal(end, value);
            self.inhale(same, place);
        }
    }

    pub(super) fn cell_access(
        &mut self,
        object: &s::Expression,
        cell: &std::sync::Arc<str>,
        place: Span,
    ) -> s::Expression {
        let mut build = self.at(place);
        let location = build.field(Role::Plain, object.clone(), cell);
        let write = build.write();
        build.access(location, write)
    }

    fn destroy_step(&mut self, model: NodeId, call: &'t Call, place: Span) {
        let Some(receiver) = &call.receiver else { return };
        let object = self.step_object(receiver);
        let fields = self.lowering.model_fields(model);
        let held = self.full_access(&object, &fields, &[Token::Bound], true, place);
        self.assert_as(Role::Code("destroyPermission"), held, place);
        let share = self.at(place).write();
        let empty = self.at(place).call("process_empty", Vec::new());
        self.lowering.need(Theory::Process);
        // The shortest term that may end here is ε.
        let mut build = self.at(place);
        let twice = build.call("process_choice", vec![empty.clone(), empty.clone()]);
        let idempotent = build.equal(twice, empty.clone());
        self.inhale(idempotent, place);
        self.take_state_with(&object, &share, &empty, "destroyUnfinished", place);
        let mut finals = Vec::new();
        for field in &fields {
            let ty = self.resolution.variables.get(field).cloned().unwrap_or(Type::Unknown);
            let ty = self.ty(&ty, place);
            let cell = self.lowering.model_final(*field);
            let value = self.at(place).field(Role::Location("destroyPromise"), object.clone(), &cell);
            let name = self.local("value_at_end", ty, Some(value), place);
            finals.push((*field, name));
        }
        let ends = self.lowering.model_ends(model);
        let mut build = self.at(place);
        let ends = build.field(Role::Location("destroyPromise"), object.clone(), &ends);
        self.inhale(ends, place);
        for cell in self.promise_cells(model) {
            let access = self.cell_access(&object, &cell, place);
            self.exhale_as(Role::Code("destroyPromise"), access, place);
        }
        for (field, name) in finals {
            let now = self.model_field(field, object.clone(), Role::Plain, place);
            let mut build = self.at(place);
            let value = build.variable(&name);
            let same = build.equal(now, value);
            self.inhale(same, place);
        }
        let bound = self.full_access(&object, &fields, &[Token::Bound], false, place);
        self.exhale_as(Role::Code("destroyPermission"), bound, place);
        let free = self.full_access(&object, &fields, tokens(PermissionKind::Perm), false, place);
        self.inhale(free, place);
    }

    /// Takes a part of the model whose term has this alternative.
    pub(super) fn take_state_with(
        &mut self,
        object: &s::Expression,
        share: &s::Expression,
        alternative: &s::Expression,
        code: &'static str,
        place: Span,
    ) {
        let process = self.ty(&Type::Process, place);
        let bound = self.member.names.fresh("term");
        let term = self.at(place).variable(&bound);
        let instance = self.state_instance(object.clone(), share.clone(), term.clone(), place);
        let mut build = self.at(place);
        let with = build.call("process_choice", vec![alternative.clone(), term.clone()]);
        let allows = build.equal(with, term);
        let not = build.not(allows);
        let binding = build.binding(&bound, process.clone());
        let none = build.expression(s::ExpressionKind::ForPerm {
            bindings: vec![binding],
            resource: instance,
            body: not,
        });
        let some = build.not(none);
        self.assert_as(Role::Code(code), some, place);
        let held = self.local("held_term", process, None, place);
        let held = self.at(place).variable(&held);
        let instance = self.state_instance(object.clone(), share.clone(), held.clone(), place);
        let mut build = self.at(place);
        let amount = build.expression(s::ExpressionKind::CurrentPermission(instance));
        let nothing = build.no_permission();
        let is_held = build.less(nothing, amount);
        let with = build.call("process_choice", vec![alternative.clone(), held.clone()]);
        let allows = build.equal(with, held.clone());
        let known = build.and(is_held, allows);
        self.inhale(known, place);
        let whole = self.whole_state(object.clone(), share.clone(), held, place);
        self.exhale_as(Role::Code(code), whole, place);
    }

    fn split_or_merge(&mut self, operation: ModelOperation, call: &'t Call, place: Span) {
        let (Some(receiver), [first_share, first, second_share, second]) =
            (&call.receiver, &call.arguments[..])
        else {
            return;
        };
        self.check_receivers(receiver, &[first, second]);
        let object = self.step_object(receiver);
        let mut shares = Vec::new();
        for share in [first_share, second_share] {
            let ty = self.converted_type(share);
            let value = self.expression(share);
            let value = self.keep(value, &ty, "share", share.span);
            let mut build = self.at(share.span);
            let none = build.no_permission();
            let positive = build.less(none, value.clone());
            let code = if operation == ModelOperation::Split { "splitShare" } else { "mergeShare" };
            self.assert_as(Role::Code(code), positive, share.span);
            shares.push(value);
        }
        let whole = self.parallel_term(first, second, place);
        let (first, second) = (self.expression(first), self.expression(second));
        let mut build = self.at(place);
        let sum = build.binary(s::BinaryOperator::Add, shares[0].clone(), shares[1].clone());
        let whole = self.whole_state(object.clone(), sum, whole, place);
        let first = self.whole_state(object.clone(), shares[0].clone(), first, place);
        let second = self.whole_state(object, shares[1].clone(), second, place);
        let parts = self.at(place).and(first, second);
        let (taken, given, code) = match operation {
            ModelOperation::Split => (whole, parts, "splitFailed"),
            _ => (parts, whole, "mergeFailed"),
        };
        self.exhale_as(Role::Code(code), taken, place);
        self.inhale(given, place);
    }

    fn choose_step(&mut self, call: &'t Call, [share, from, to]: [&'t Expression; 3], place: Span) {
        let Some(receiver) = &call.receiver else { return };
        self.check_receivers(receiver, &[from, to]);
        let object = self.step_object(receiver);
        let ty = self.converted_type(share);
        let share_place = share.span;
        let share = self.expression(share);
        let share = self.keep(share, &ty, "share", share_place);
        let (from, to) = (self.expression(from), self.expression(to));
        let held = self.whole_state(object.clone(), share.clone(), from.clone(), place);
        self.exhale_as(Role::Code("chooseState"), held, place);
        let mut build = self.at(place);
        let with = build.call("process_choice", vec![to.clone(), from.clone()]);
        let allows = build.equal(with, from);
        self.assert_as(Role::Code("chooseFailed"), allows, place);
        let chosen = self.whole_state(object, share, to, place);
        self.inhale(chosen, place);
    }
}
