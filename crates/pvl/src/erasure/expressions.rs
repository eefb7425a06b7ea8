//! What the value of an expression depends on: everything that is read in it.

use super::failures;
use super::flow::{Flow, Here};
use super::places::Location;
use super::summary::{Origin, Taint};
use crate::resolve::{NameTarget, Operation, Selection, Subscript, Type};
use crate::syntax::tree::{BinaryOperator, Builtin as Function, Expression, ExpressionKind, UnaryOperator};

impl Flow<'_, '_> {
    /// Walks through an expression that is evaluated here. Effects inside of it happen.
    pub(super) fn expression(&mut self, expression: &Expression, here: &Here) -> Taint {
        use ExpressionKind::*;
        match &*expression.kind {
            Name(_) => self.named(expression),
            This => Taint::of(Origin::This(self.routine)),
            Field(object, _) => self.selection(expression, object, here),
            Index(base, index) => {
                let taint = self.expression(base, here);
                let index_taint = self.expression(index, here);
                self.looked_up(expression, &taint, &index_taint, here);
                let taint = taint.joined(&index_taint);
                match self.element(expression) {
                    Some(location) => taint.joined(&self.read_heap(&location)),
                    None => taint,
                }
            }
            Unary(UnaryOperator::Dereference, pointer) => {
                let taint = self.expression(pointer, here);
                self.may_fail(failures::POINTER, expression.span, &taint, here);
                taint.joined(&self.read_heap(&Location::Target(self.type_of(expression))))
            }
            Unary(UnaryOperator::AddressOf, operand) => {
                let taint = self.address(operand, here);
                self.may_fail(failures::POINTER, expression.span, &taint, here);
                taint
            }
            Call(_) | CoalescingCall { .. } | New { .. } => self.call_expression(expression, here),
            NewArray { dimensions, .. } => {
                self.allocation(expression, here);
                let sizes = dimensions.iter();
                let taint =
                    sizes.fold(Taint::default(), |taint, it| taint.joined(&self.expression(it, here)));
                self.array_created(expression.span, &taint, here);
                taint
            }
            With { before, value, after } => {
                if let Some(before) = before {
                    self.ghost_statement(before, here);
                }
                let taint = self.expression(value, here);
                if let Some(after) = after {
                    self.ghost_statement(after, here);
                }
                taint
            }
            Conditional(condition, then, otherwise) => {
                let taint = self.expression(condition, here);
                let inside = here.under(&taint);
                let taint = taint.joined(&self.expression(then, &inside));
                taint.joined(&self.expression(otherwise, &inside))
            }
            Binary(operator, left, right) => self.binary(expression, *operator, left, right, here),
            Let { binding, value, body } => {
                let value_taint = self.expression(value, here);
                self.names.insert(binding.id, binding.name.text.clone());
                self.set_variable(binding.id, &value_taint, value.span);
                self.expression(body, here)
            }
            Quantifier { bindings, .. } => {
                for binding in bindings {
                    self.names.insert(binding.id, binding.name.text.clone());
                }
                self.children(expression, here)
            }
            CurrentPermission(_) | ForPerm { .. } | ForPermWithValue { .. } => {
                let source = "amounts of permission are known to the proof only";
                self.children(expression, here).joined(&self.source(expression.span, source.to_string()))
            }
            Builtin(builtin @ (Function::Committed | Function::PolarityDependent), _) => {
                let source = format!("what `{}` says is known to the proof only", builtin.text());
                self.children(expression, here).joined(&self.source(expression.span, source))
            }
            Builtin(Function::Values, arguments) => {
                let mut taint = self.children(expression, here);
                self.may_fail(failures::INDEX, expression.span, &taint, here);
                if let Some(Type::Array(element)) = arguments.first().map(|array| self.type_of(array)) {
                    let group = self.group_of(&arguments[0]);
                    taint.join(&self.read_heap(&Location::Element((*element).clone(), group)));
                }
                taint
            }
            Builtin(builtin, _) => {
                let taint = self.children(expression, here);
                if let Some(what) = failures::of_builtin(*builtin) {
                    self.may_fail(what, expression.span, &taint, here);
                }
                taint
            }
            Update(collection, index, value) => {
                let taint = self.expression(collection, here);
                let index_taint = self.expression(index, here);
                let names_ghost = self.names_ghost(index);
                self.looked_up_in_collection(expression, &taint, &index_taint, names_ghost, here);
                taint.joined(&index_taint).joined(&self.expression(value, here))
            }
            _ => self.children(expression, here),
        }
    }

    fn named(&mut self, name: &Expression) -> Taint {
        match self.resolution.names.get(&name.id) {
            Some(NameTarget::Variable(id)) => self.read_variable(*id),
            Some(NameTarget::Field(id)) => {
                let object = Taint::of(Origin::This(self.routine));
                self.read_field(*id).joined(&object)
            }
            Some(NameTarget::StaticField(id)) => self.read_field(*id),
            _ => Taint::default(),
        }
    }

    fn selection(&mut self, expression: &Expression, object: &Expression, here: &Here) -> Taint {
        match self.resolution.selections.get(&expression.id) {
            Some(Selection::Field(id)) => {
                let taint = self.expression(object, here);
                self.accessed(expression.span, object, &taint, here);
                self.read_field(*id).joined(&taint)
            }
            Some(Selection::StaticField(id)) => self.read_field(*id),
            Some(Selection::EnumConstant(_)) => Taint::default(),
            selection => {
                let taint = self.expression(object, here);
                if let Some(Selection::Member(member)) = selection {
                    self.selected(expression, *member, &taint, &Taint::default(), here);
                }
                taint
            }
        }
    }

    fn binary(
        &mut self,
        expression: &Expression,
        operator: BinaryOperator,
        left: &Expression,
        right: &Expression,
        here: &Here,
    ) -> Taint {
        use BinaryOperator::*;
        let taint = self.expression(left, here);
        // The right side may not be evaluated at all.
        let right_taint = match operator {
            And | Or | Implies | Star => self.expression(right, &here.under(&taint)),
            _ => self.expression(right, here),
        };
        if let Some(Operation::Declared { routine, on_right }) =
            self.resolution.operations.get(&expression.id)
        {
            let (this, argument) = if *on_right { (right_taint, taint) } else { (taint, right_taint) };
            return self.operator_call(expression, *routine, this, argument, here);
        }
        match operator {
            Divide | Modulo | FractionDivide => self.divided(expression, right, &right_taint, here),
            Power => self.raised(expression, right, &right_taint, here),
            _ => {}
        }
        taint.joined(&right_taint)
    }

    fn children(&mut self, expression: &Expression, here: &Here) -> Taint {
        let mut children = Vec::new();
        expression.kind.for_each_child(&mut |child| children.push(child));
        children
            .into_iter()
            .fold(Taint::default(), |taint, child| taint.joined(&self.expression(child, here)))
    }

    pub(super) fn type_of(&self, expression: &Expression) -> Type {
        self.resolution.expressions.get(&expression.id).cloned().unwrap_or(Type::Unknown)
    }

    /// The location that `a[i]` or `p[i]` names.
    pub(super) fn element(&mut self, expression: &Expression) -> Option<Location> {
        let ExpressionKind::Index(base, _) = &*expression.kind else { return None };
        match self.resolution.subscripts.get(&expression.id) {
            Some(Subscript::Array) => Some(Location::Element(self.type_of(expression), self.group_of(base))),
            Some(Subscript::Pointer) => Some(Location::Target(self.type_of(expression))),
            _ => None,
        }
    }

    /// Which location it is, not what it holds. Whether there is one is the caller's business.
    pub(super) fn address(&mut self, operand: &Expression, here: &Here) -> Taint {
        match &*operand.kind {
            ExpressionKind::Name(_) => match self.resolution.names.get(&operand.id) {
                Some(NameTarget::Field(_)) => Taint::of(Origin::This(self.routine)),
                _ => Taint::default(),
            },
            ExpressionKind::Field(object, _) => match self.resolution.selections.get(&operand.id) {
                Some(Selection::Field(_)) => self.expression(object, here),
                _ => Taint::default(),
            },
            ExpressionKind::Index(base, index) => {
                let taint = self.expression(base, here);
                taint.joined(&self.expression(index, here))
            }
            ExpressionKind::Unary(UnaryOperator::Dereference, pointer) => self.expression(pointer, here),
            _ => self.expression(operand, here),
        }
    }
}
