//! Statements: which module lowers which kind, and the simple ones.

use silver::syntax::tree as s;
use source::Span;

use super::models::ActionBlock;
use super::origin::Role;
use super::scope::{ResultPlace, Scope};
use crate::codes;
use crate::resolve::{CallTarget, NameTarget, Selection, Subscript, Type};
use crate::syntax::tree::{
    Branch, Declarator, Expression, ExpressionKind, Statement, StatementKind, UnaryOperator,
};

impl<'t> Scope<'_, 't> {
    pub(super) fn statements(&mut self, statements: &'t [Statement]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    /// Statements behind which the method ends: a `return` at the end needs no jump.
    pub(super) fn statements_in_tail_position(&mut self, statements: &'t [Statement]) {
        let Some((last, before)) = statements.split_last() else { return };
        self.statements(before);
        self.statement_in_tail_position(last);
    }

    fn statement_in_tail_position(&mut self, statement: &'t Statement) {
        match &statement.kind {
            StatementKind::Return(value) => self.return_value(value.as_ref(), statement.span),
            StatementKind::Block(block) => {
                let body =
                    self.block(statement.span, |scope| scope.statements_in_tail_position(&block.statements));
                self.emit_kind(statement.span, s::StatementKind::Block(body));
            }
            StatementKind::If { condition, then, otherwise } => {
                self.branch(condition, then, otherwise.as_deref(), statement.span, true);
            }
            _ => self.statement(statement),
        }
    }

    pub(super) fn statement(&mut self, statement: &'t Statement) {
        let place = statement.span;
        match &statement.kind {
            StatementKind::Block(block) => {
                let body = self.block(place, |scope| scope.statements(&block.statements));
                self.emit_kind(place, s::StatementKind::Block(body));
            }
            StatementKind::Local { declarators, .. } => {
                for declarator in declarators {
                    self.declare_variable(declarator, place);
                }
            }
            StatementKind::Assign { target, value } => self.assignment(target, value, place),
            StatementKind::Increment(target) => self.step(target, s::BinaryOperator::Add, place),
            StatementKind::Decrement(target) => self.step(target, s::BinaryOperator::Subtract, place),
            StatementKind::Evaluate(expression) => self.evaluate(expression, place),
            StatementKind::Return(value) => {
                self.return_value(value.as_ref(), place);
                self.go_to_end(place);
            }
            StatementKind::If { condition, then, otherwise } => {
                self.branch(condition, then, otherwise.as_deref(), place, false);
            }
            StatementKind::While { contract, condition, body } => {
                self.while_loop(contract, condition, body, statement);
            }
            StatementKind::For { contract, initial, condition, update, body } => {
                self.for_loop(contract, initial, condition.as_ref(), update, body, statement);
            }
            StatementKind::RangedFor { contract, variable, body } => {
                self.ranged_for(contract, variable, body, statement);
            }
            StatementKind::Goto(_) => match self.label_of(statement.id) {
                Some(label) => {
                    let name = self.at(place).name(&label);
                    self.emit_kind(place, s::StatementKind::Goto(name));
                }
                None => {
                    self.unsupported(place, "a jump to this label");
                }
            },
            StatementKind::Label(_) => {
                if let Some(label) = self.member.labels.get(&statement.id).cloned() {
                    let name = self.at(place).name(&label);
                    self.emit_kind(place, s::StatementKind::Label { name, invariants: Vec::new() });
                }
            }
            StatementKind::Lock(object) => self.lock(object, place),
            StatementKind::Unlock(object) => self.unlock(object, place),
            StatementKind::Wait(object) => self.wait(object, place),
            StatementKind::Notify(object) => self.notify(object, place),
            StatementKind::Commit(object) => self.commit(object, place),
            StatementKind::Fork(object) => self.fork(object, place),
            StatementKind::Join(object) => self.join(object, place),
            StatementKind::Par(region) => self.par(region, statement),
            StatementKind::Barrier { contract, proof, .. } => {
                self.barrier(contract, proof.as_ref(), statement);
            }
            StatementKind::Invariant { resource, body, .. } => self.invariant(resource, body, statement),
            StatementKind::Atomic { body, .. } => self.atomic(body, statement),
            StatementKind::Vector { variable, body } => self.vector(variable, body, statement),
            StatementKind::Send { distance, resource, .. } => self.send(distance, resource, statement),
            StatementKind::Receive { .. } => self.receive(statement),
            StatementKind::Fold(target) => self.fold(target, place),
            StatementKind::Unfold(target) => self.unfold(target, place),
            StatementKind::Assert(assertion) => self.assert_written(assertion, place),
            StatementKind::Assume(assertion) | StatementKind::Inhale(assertion) => {
                let assertion = self.assertion(assertion);
                self.emit_kind(place, s::StatementKind::Inhale(assertion));
            }
            StatementKind::Exhale(assertion) => {
                let assertion = self.assertion(assertion);
                self.exhale_as(Role::Base("exhaleFailed"), assertion, place);
            }
            StatementKind::Refute(assertion) => {
                let assertion = self.assertion(assertion);
                let assertion = self.as_fact(assertion);
                let kind = s::StatementKind::Refute(assertion);
                let statement = self.at(place).statement_as(Role::Code("refuteFailed"), kind);
                self.emit(statement);
            }
            StatementKind::Question(assertion) => {
                let assertion = self.assertion(assertion);
                let kind = s::StatementKind::Question(assertion);
                let statement = self.at(place).statement_as(Role::Base("assertFailed"), kind);
                self.emit(statement);
            }
            StatementKind::Prove { claim, proof } => self.prove(claim, proof, place),
            StatementKind::Obtain { claim } => self.obtain(claim, place),
            StatementKind::Reveal { hides, .. } => {
                let functions = self.resolution.revealed.get(&statement.id).into_iter().flatten();
                self.path.revealed.extend(functions.map(|function| (*function, !hides)));
            }
            StatementKind::Calc { steps, result } => self.calculate(steps, result, place),
            StatementKind::Package { wand, proof } => self.package(wand, proof, place),
            StatementKind::Apply(wand) => self.apply(wand, place),
            StatementKind::Extract(inner) => self.extract(inner, statement),
            StatementKind::Frame { contract, body } => self.frame(contract, body, statement),
            StatementKind::Ghost(inner) => self.statement(inner),
            StatementKind::Action { model, amount, process, action, body } => {
                let block = ActionBlock { model, amount, rest: process, action, body: body.as_deref() };
                self.action_block(&block, place);
            }
        }
    }

    fn assert_written(&mut self, assertion: &'t Expression, place: Span) {
        // What the assertion changes happens before it is checked. Nothing says which part of an assertion about
        // permissions would see the change.
        let has_effects = self.has_effects(assertion);
        if has_effects && self.type_of(assertion) == Type::Resource {
            let message = "an assertion about permissions cannot change the state";
            let help = "do it in a statement before, and keep the result in a variable";
            self.error("impureCall", assertion.span, message, help);
            return;
        }
        let assertion = match has_effects {
            true => self.expression(assertion),
            false => self.assertion(assertion),
        };
        self.assert_as(Role::Base("assertFailed"), assertion, place);
    }

    pub(super) fn exhale_as(&mut self, role: Role, assertion: s::Expression, place: Span) {
        let statement = self.at(place).statement_as(role, s::StatementKind::Exhale(assertion));
        self.emit(statement);
    }

    pub(super) fn inhale(&mut self, assertion: s::Expression, place: Span) {
        self.emit_kind(place, s::StatementKind::Inhale(assertion));
    }

    fn declare_variable(&mut self, declarator: &'t Declarator, place: Span) {
        if self.resolution.addressed.contains(&declarator.id) {
            let value = declarator.value.as_ref().map(|value| self.expression(value));
            self.declare_cell(declarator.id, &declarator.name.text, value, place);
            return;
        }
        let ty = self.variable_type(declarator.id);
        let silver_type = self.ty(&ty, place);
        let call = declarator.value.as_ref().filter(|value| self.is_method_call(value));
        if let Some(value) = call {
            let name = self.member.names.fresh(&declarator.name.text);
            self.declare_local(&name, silver_type, None, place);
            let target = self.at(place).variable(&name);
            self.call_into(value, target);
            self.declare_as(declarator, name);
            return;
        }
        let value = declarator.value.as_ref().map(|value| self.expression(value));
        let is_arbitrary = value.is_none();
        let name = self.local(&declarator.name.text, silver_type, value, place);
        if is_arbitrary {
            let variable = self.at(place).variable(&name);
            if let Some(fact) = self.type_fact(&variable, &ty, place) {
                self.inhale(fact, place);
            }
        }
        self.declare_as(declarator, name);
    }

    fn declare_as(&mut self, declarator: &'t Declarator, name: std::sync::Arc<str>) {
        self.bind(declarator.id, &name, &declarator.name.text);
    }

    /// Whether the value is a call whose result can be put where it belongs without a detour.
    fn is_method_call(&self, value: &Expression) -> bool {
        if self.converted_type(value) != self.type_of(value) {
            return false;
        }
        match (&*value.kind, self.resolution.calls.get(&value.id)) {
            (ExpressionKind::Call(_), Some(CallTarget::Routine(target))) => self.is_impure(target.routine),
            _ => false,
        }
    }

    fn call_into(&mut self, value: &'t Expression, target: s::Expression) {
        if let (ExpressionKind::Call(call), Some(CallTarget::Routine(routine))) =
            (&*value.kind, self.resolution.calls.get(&value.id))
            && let Some(declared) = self.resolution.items.routines.get(&routine.routine).copied()
        {
            self.method_call(call, routine, declared, Some(target), value);
        }
    }

    fn assignment(&mut self, target: &'t Expression, value: &'t Expression, place: Span) {
        if let (ExpressionKind::Name(_), Some(NameTarget::Variable(id))) =
            (&*target.kind, self.resolution.names.get(&target.id))
            && !self.resolution.addressed.contains(id)
            && self.is_method_call(value)
        {
            let target = self.variable(*id, target.span);
            self.call_into(value, target);
            return;
        }
        if self.is_final_field(target) || !(self.has_effects(target) || self.has_effects(value)) {
            let value = self.expression(value);
            self.assign_to(target, value, place);
            return;
        }
        // The object and the index are evaluated before the value, which may change what they are made of.
        let location = self.assignable(target);
        let location = location.map(|location| match self.has_effects(value) {
            true => self.kept_location(location, target),
            false => location,
        });
        let value = self.expression(value);
        if let Some(location) = location {
            self.assign(location, value, place);
        }
    }

    fn is_final_field(&self, target: &Expression) -> bool {
        let field = match (self.resolution.names.get(&target.id), self.resolution.selections.get(&target.id))
        {
            (Some(NameTarget::Field(id)), _) | (_, Some(Selection::Field(id))) => id,
            _ => return false,
        };
        self.resolution.items.finals.contains(field)
    }

    /// The location with its object, or its array and index, kept in variables.
    fn kept_location(&mut self, location: s::Expression, target: &'t Expression) -> s::Expression {
        let span = location.span;
        let s::ExpressionKind::Field(object, field) = *location.kind else { return location };
        let place = target.span;
        let object = match (*object.kind, &*target.kind) {
            (s::ExpressionKind::Call(name, arguments, ty), ExpressionKind::Index(base, index)) => {
                let types = [self.type_of(base), self.type_of(index)];
                let kept = arguments
                    .into_iter()
                    .zip(types)
                    .map(|(argument, ty)| self.keep(argument, &ty, "operand", place))
                    .collect();
                s::Expression::new(s::ExpressionKind::Call(name, kept, ty), object.span)
            }
            (kind, _) => {
                let object = s::Expression::new(kind, object.span);
                self.keep(object, &Type::Ref, "object", place)
            }
        };
        s::Expression::new(s::ExpressionKind::Field(object, field), span)
    }

    /// Assigns to a local, a field, or an element.
    pub(super) fn assign_to(&mut self, target: &'t Expression, value: s::Expression, place: Span) {
        let field = match &*target.kind {
            ExpressionKind::Name(_) => match self.resolution.names.get(&target.id) {
                Some(NameTarget::Field(id)) => Some((*id, None)),
                _ => None,
            },
            ExpressionKind::Field(object, _) => match self.resolution.selections.get(&target.id) {
                Some(Selection::Field(id)) => Some((*id, Some(object))),
                _ => None,
            },
            _ => None,
        };
        if let Some((id, object)) = field
            && self.resolution.items.finals.contains(&id)
        {
            let arguments = match object {
                Some(object) => self.class_arguments_of(object),
                None => self.own_class_arguments(id),
            };
            self.assign_final(id, arguments, object, value, place);
            return;
        }
        if let Some(target) = self.assignable(target) {
            self.assign(target, value, place);
        }
    }

    /// The target of an assignment.
    fn assignable(&mut self, target: &'t Expression) -> Option<s::Expression> {
        let role = Role::Location("assignFieldFailed");
        let place = target.span;
        match &*target.kind {
            ExpressionKind::Name(_) => match self.resolution.names.get(&target.id) {
                Some(NameTarget::Variable(id)) => return Some(self.variable(*id, place)),
                Some(NameTarget::Field(id)) => {
                    let this = self.this(place);
                    let class_arguments = self.own_class_arguments(*id);
                    return Some(self.field_location(*id, class_arguments, this, role, place));
                }
                Some(NameTarget::StaticField(id)) => return Some(self.static_field(*id, role, place)),
                _ => {}
            },
            ExpressionKind::Field(object, _) => match self.resolution.selections.get(&target.id) {
                Some(Selection::Field(id)) => {
                    let class_arguments = self.class_arguments_of(object);
                    let object = self.expression(object);
                    return Some(self.field_location(*id, class_arguments, object, role, place));
                }
                Some(Selection::StaticField(id)) => return Some(self.static_field(*id, role, place)),
                Some(Selection::ModelField(id)) => {
                    let id = *id;
                    self.check_model_write(target, place);
                    let object = self.expression(object);
                    return Some(self.model_field(id, object, role, place));
                }
                _ => {}
            },
            ExpressionKind::Index(base, index) => match self.resolution.subscripts.get(&target.id) {
                Some(Subscript::Array) => return Some(self.array_location(base, index, role, target)),
                Some(Subscript::Pointer) => {
                    return Some(self.pointer_location(base, Some(index), role, target));
                }
                _ => {}
            },
            ExpressionKind::Unary(UnaryOperator::Dereference, pointer) => {
                return Some(self.pointer_location(pointer, None, role, target));
            }
            _ => {}
        }
        self.unsupported(place, "an assignment to this");
        None
    }

    fn step(&mut self, target: &'t Expression, operator: s::BinaryOperator, place: Span) {
        let ty = self.type_of(target);
        let is_rational = super::values::types::is_rational(&ty);
        // What the location is made of is evaluated once.
        let location = match self.has_effects(target) {
            true => self.assignable(target).map(|location| self.kept_location(location, target)),
            false => None,
        };
        let value = match &location {
            Some(location) => location.clone(),
            None => self.expression(target),
        };
        let mut build = self.at(place);
        let one = if is_rational { build.write() } else { build.int(1) };
        let mut value = build.binary(operator, value, one);
        if is_rational {
            value = self.convert(value, &Type::Rational, &ty, target);
        }
        match location {
            Some(location) => self.assign(location, value, place),
            None => self.assign_to(target, value, place),
        }
    }

    /// An expression as a statement: a call for what it does, or anything else for its checks.
    fn evaluate(&mut self, expression: &'t Expression, place: Span) {
        if self.has_effects(expression) {
            self.expression(expression);
            return;
        }
        let ty = self.converted_type(expression);
        if ty == Type::Resource {
            let message = "this is an assertion, and nothing is said to be done with it";
            self.error(
                "resolutionError:type",
                place,
                message,
                "write `assert`, `inhale` or `exhale` in front",
            );
            return;
        }
        let value = self.expression(expression);
        if ty != Type::Void {
            let ty = self.ty(&ty, place);
            self.local("evaluated", ty, Some(value), place);
        }
    }

    fn return_value(&mut self, value: Option<&'t Expression>, place: Span) {
        let Some(value) = value else { return };
        let ResultPlace::Variable(name) = self.bindings.result.clone() else {
            self.evaluate(value, place);
            return;
        };
        let target = self.at(place).variable(&name);
        if self.is_method_call(value) {
            self.call_into(value, target);
            return;
        }
        let value = self.expression(value);
        self.assign(target, value, place);
    }

    fn go_to_end(&mut self, place: Span) {
        match &mut self.path.exit {
            Some(exit) => {
                exit.used = true;
                let label = exit.label.clone();
                let name = self.at(place).name(&label);
                self.emit_kind(place, s::StatementKind::Goto(name));
            }
            None if self.path.in_action => {
                let message = "this `return` leaves an action block";
                self.error(codes::ACTION_LEFT, place, message, codes::ACTION_ENDS);
            }
            None => {
                let message = "there is no `return` out of this block";
                self.error("resolutionError:return", place, message, "let the block end instead");
            }
        }
    }

    fn branch(
        &mut self,
        condition: &'t Branch,
        then: &'t Statement,
        otherwise: Option<&'t Statement>,
        place: Span,
        in_tail_position: bool,
    ) {
        let condition = match condition {
            Branch::Condition(condition) => self.expression(condition),
            Branch::Arbitrary(span) => self.arbitrary(*span),
        };
        let side = |scope: &mut Self, statement: &'t Statement| {
            scope.block(statement.span, |scope| match &statement.kind {
                StatementKind::Block(block) if in_tail_position => {
                    scope.statements_in_tail_position(&block.statements);
                }
                StatementKind::Block(block) => scope.statements(&block.statements),
                _ if in_tail_position => scope.statement_in_tail_position(statement),
                _ => scope.statement(statement),
            })
        };
        let then = side(self, then);
        let otherwise = otherwise.map(|statement| s::Otherwise::Block(side(self, statement)));
        self.emit_kind(place, s::StatementKind::If { condition, then, otherwise });
    }

    /// A boolean of which nothing is known.
    pub(super) fn arbitrary(&mut self, place: Span) -> s::Expression {
        let ty = self.ty(&Type::Boolean, place);
        let name = self.local("any", ty, None, place);
        let mut build = self.at(place);
        let span = build.node(Role::Hidden);
        s::Expression::new(s::ExpressionKind::Name(s::Name { text: name, span }), span)
    }
}
