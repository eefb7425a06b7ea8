//! What a name, `this`, `\result` and `\old` stand for where they are written.

use source::Diagnostic;

use super::checker::Checker;
use super::{NameTarget, Type};
use crate::codes;
use crate::syntax::tree::{Expression, Name};
use crate::syntax::words;

impl<'tree> Checker<'tree> {
    pub(super) fn this(&mut self, expression: &Expression) -> Type {
        if self.context.constructor_precondition {
            self.error(
                codes::THIS_IN_CONSTRUCTOR_PRECONDITION,
                expression.span,
                "the object does not exist yet in the precondition of its constructor",
                "speak about the parameters, or about the object in `ensures`",
            );
        } else if !self.context.has_this {
            self.error(
                codes::NO_THIS,
                expression.span,
                "there is no `this` here",
                "`this` belongs to the members of a class that are not `static`",
            );
            return Type::Unknown;
        }
        self.own_type()
    }

    pub(super) fn result(&mut self, expression: &Expression) -> Type {
        match &self.context.result {
            Some(ty) if self.context.result_allowed => {
                let ty = ty.clone();
                if ty == Type::Void {
                    self.error(
                        codes::RESULT,
                        expression.span,
                        "there is no result: the method returns `void`",
                        "remove `\\result`, or give the method another type",
                    );
                    return Type::Unknown;
                }
                ty
            }
            _ => {
                self.error(
                    codes::RESULT,
                    expression.span,
                    "`\\result` is only known in the postcondition",
                    "use it in `ensures`",
                );
                Type::Unknown
            }
        }
    }

    pub(super) fn old(&mut self, expression: &Expression, label: Option<&Name>) {
        let Some(label) = label else {
            if !self.context.old_allowed {
                self.error(
                    codes::OLD,
                    expression.span,
                    "there is no earlier state that `\\old` could speak about",
                    "`\\old` stands in postconditions, in loop invariants and in bodies of methods",
                );
            }
            return;
        };
        match self.around.labels.get(&label.text) {
            Some(statement) => {
                self.resolution.labels.insert(expression.id, *statement);
            }
            None => self.error(
                codes::NO_SUCH_NAME,
                label.span,
                format!("there is no label `{}`", label.text),
                "name the state with `label name;` in the same method",
            ),
        }
    }

    pub(super) fn name(&mut self, expression: &'tree Expression, name: &Name) -> Type {
        if let Some(variable) = self.variable(&name.text) {
            self.resolution.names.insert(expression.id, NameTarget::Variable(variable.id));
            return self.type_of_variable(variable.id);
        }
        if let Some(owner) = self.context.owner
            && let Some(field) =
                self.names.fields.get(&owner).and_then(|fields| fields.get(&name.text)).copied()
        {
            return self.own_field(expression, name, field);
        }
        if let Some(model) = self.context.model_fields
            && let Some(field) = self.names.fields.get(&model).and_then(|it| it.get(&name.text)).copied()
        {
            self.resolution.names.insert(expression.id, NameTarget::ModelField(field));
            return self.type_of_variable(field);
        }
        if let Some(id) = self.names.types.get(&name.text).copied() {
            self.resolution.names.insert(expression.id, NameTarget::TypeName(id));
            self.error(
                codes::TYPE,
                name.span,
                format!("`{}` is a type and has no value", name.text),
                "a type can stand in front of a dot, as in `Type.member`",
            );
            return Type::Unknown;
        }
        self.no_such_name(name);
        Type::Unknown
    }

    pub(super) fn own_field(
        &mut self,
        expression: &Expression,
        name: &Name,
        field: crate::syntax::tree::NodeId,
    ) -> Type {
        let target = if self.context.in_model {
            NameTarget::ModelField(field)
        } else if self.resolution.items.statics.contains(&field) {
            NameTarget::StaticField(field)
        } else {
            if self.context.constructor_precondition {
                self.error(
                    codes::THIS_IN_CONSTRUCTOR_PRECONDITION,
                    name.span,
                    format!(
                        "the field `{}` does not exist yet in the precondition of the constructor",
                        name.text
                    ),
                    "speak about the parameters, or about the object in `ensures`",
                );
            } else if !self.context.has_this {
                self.error(
                    codes::NO_THIS,
                    name.span,
                    format!("the field `{}` belongs to an object, and there is none here", name.text),
                    "select it from an object, or remove `static`",
                );
            }
            NameTarget::Field(field)
        };
        self.resolution.names.insert(expression.id, target);
        self.type_of_variable(field)
    }

    pub(super) fn no_such_name(&mut self, name: &Name) {
        let visible = self.visible_names();
        let mut error = Diagnostic::error(
            codes::NO_SUCH_NAME,
            name.span,
            format!("there is no variable or field `{}` here", name.text),
        );
        let help = match &*name.text {
            "result" => Some("the result of a method is written `\\result`".to_string()),
            "True" | "False" => Some("write `true` and `false`".to_string()),
            "length" => Some("select it from an array: `a.length`".to_string()),
            text => words::closest(text, visible.iter().map(|name| &**name))
                .map(|meant| format!("did you mean `{meant}`?")),
        };
        if let Some(help) = help {
            error = error.help(help);
        }
        self.report(error);
    }
}
