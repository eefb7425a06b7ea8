//! What `e.name` selects: a field, a constant, or a property of a value.

use std::sync::Arc;

use super::builtins::member_of;
use super::checker::Checker;
use super::{Selection, Type};
use crate::codes;
use crate::syntax::tree::{Expression, Name, NodeId};

impl<'tree> Checker<'tree> {
    /// `e.name` without arguments.
    pub(super) fn selection(
        &mut self,
        expression: &'tree Expression,
        object: &'tree Expression,
        name: &'tree Name,
    ) -> Type {
        if let Some(id) = self.type_receiver(object) {
            return self.selection_from_type(expression, object, name, id);
        }
        let ty = self.infer(object, None);
        let (selection, value) = match &ty {
            Type::Class(id, _) | Type::Model(id) => {
                let Some(field) = self.names.fields.get(id).and_then(|it| it.get(&name.text)).copied() else {
                    self.no_such_field(name, &ty);
                    return Type::Unknown;
                };
                let value = self.type_of_variable(field).substitute(&self.class_environment(&ty));
                let selection = if matches!(ty, Type::Model(_)) {
                    Selection::ModelField(field)
                } else if self.resolution.items.statics.contains(&field) {
                    Selection::StaticField(field)
                } else {
                    Selection::Field(field)
                };
                (selection, value)
            }
            Type::Unknown => return Type::Unknown,
            _ => match member_of(&ty, &name.text) {
                Some(found) if found.arguments.is_empty() => (Selection::Member(found.member), found.value),
                Some(found) => {
                    let plural = if found.arguments.len() == 1 { "" } else { "s" };
                    self.error(
                        codes::ARGUMENTS,
                        name.span,
                        format!("`{}` takes {} argument{plural}", name.text, found.arguments.len()),
                        format!("write `.{}(…)`", name.text),
                    );
                    return Type::Unknown;
                }
                None => {
                    if ty == Type::Null {
                        self.unexpected(object, &ty, "an object");
                    } else {
                        self.no_such_member(name, &ty);
                    }
                    return Type::Unknown;
                }
            },
        };
        self.resolution.selections.insert(expression.id, selection);
        value
    }

    fn no_such_field(&mut self, name: &Name, ty: &Type) {
        let is_routine = match ty {
            Type::Class(id, _) => !self.class_candidates(*id, &name.text).is_empty(),
            _ => false,
        };
        if is_routine {
            self.error(
                codes::NO_SUCH_NAME,
                name.span,
                format!("`{}` is not a field", name.text),
                format!("it is called with `.{}(…)`", name.text),
            );
            return;
        }
        self.no_such_member(name, ty);
    }

    /// `Enum.constant` or `Class.field`
    fn selection_from_type(
        &mut self,
        expression: &Expression,
        object: &Expression,
        name: &Name,
        id: NodeId,
    ) -> Type {
        if self.resolution.items.enums.contains_key(&id) {
            match self.names.constants.get(&id).and_then(|it| it.get(&name.text)).copied() {
                Some(constant) => {
                    self.resolution.selections.insert(expression.id, Selection::EnumConstant(constant));
                }
                None => self.no_such_member(name, &Type::Enum(id)),
            }
            return Type::Enum(id);
        }
        let field = self.names.fields.get(&id).and_then(|it| it.get(&name.text)).copied();
        match field {
            Some(field) if self.resolution.items.statics.contains(&field) => {
                self.resolution.selections.insert(expression.id, Selection::StaticField(field));
                self.type_of_variable(field)
            }
            Some(_) => {
                self.error(
                    codes::NO_THIS,
                    object.span,
                    format!("the field `{}` belongs to an object and not to the class", name.text),
                    "select it from an object, or mark it `static`",
                );
                Type::Unknown
            }
            None => {
                self.no_such_member(name, &Type::Class(id, Arc::from([])));
                Type::Unknown
            }
        }
    }
}
