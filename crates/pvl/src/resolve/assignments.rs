//! What may be assigned: variables and fields that the place can write.

use source::Diagnostic;

use super::checker::{Checker, WallKind};
use super::{NameTarget, Selection, Subscript};
use crate::codes;
use crate::syntax::tree::{Expression, ExpressionKind, Name, UnaryOperator};

impl<'tree> Checker<'tree> {
    /// Whether something can stand on the left of `=`.
    pub(super) fn check_assignable(&mut self, target: &'tree Expression) {
        match &*target.kind {
            ExpressionKind::Name(name) => {
                if let Some(NameTarget::Variable(_)) = self.resolution.names.get(&target.id) {
                    self.check_variable_write(name);
                    return;
                }
                if self.resolution.names.contains_key(&target.id) {
                    self.check_field_write(target, None);
                }
            }
            ExpressionKind::Field(object, name) => match self.resolution.selections.get(&target.id) {
                Some(Selection::Member(_) | Selection::EnumConstant(_)) => self.error(
                    codes::NOT_A_LOCATION,
                    target.span,
                    format!("`{}` cannot be assigned", name.text),
                    "only variables, fields and elements of arrays can be assigned",
                ),
                Some(_) => self.check_field_write(target, Some(object)),
                None => {}
            },
            ExpressionKind::Index(..) => {
                if let Some(Subscript::Seq | Subscript::Map | Subscript::Vector | Subscript::String) =
                    self.resolution.subscripts.get(&target.id)
                {
                    self.error(
                        codes::NOT_A_LOCATION,
                        target.span,
                        "an element of a sequence or map cannot be assigned",
                        "they are values; assign the whole: `xs = xs[i -> v]`",
                    )
                }
            }
            ExpressionKind::Unary(UnaryOperator::Dereference, _) => {}
            _ => self.error(
                codes::NOT_A_LOCATION,
                target.span,
                "this cannot be assigned",
                "only variables, fields and elements of arrays can be assigned",
            ),
        }
    }

    pub(super) fn check_variable_write(&mut self, name: &Name) {
        let Some(variable) = self.variable(&name.text) else { return };
        if variable.fixed {
            let error = Diagnostic::error(
                codes::OUT_OF_WRITE_SCOPE,
                name.span,
                format!("`{}` is bound by its range and cannot be assigned", name.text),
            )
            .label(variable.span, "bound here");
            self.report(error);
            return;
        }
        let Some(wall) = self.wall_before(&name.text) else { return };
        let (code, message, help) = match wall.kind {
            WallKind::ParBlock => (
                codes::OUT_OF_WRITE_SCOPE,
                format!(
                    "`{}` belongs to the thread outside of the par block and cannot be assigned in it",
                    name.text
                ),
                "threads share fields and arrays, with permissions; locals are only read",
            ),
            WallKind::Proof => (
                codes::OUT_OF_WRITE_SCOPE,
                format!("`{}` is declared outside of the proof, which changes nothing", name.text),
                "use a variable of the proof",
            ),
            WallKind::IterationContract => (
                codes::LOOP_VARIABLE,
                format!("`{}` is declared outside of the loop, whose iterations are independent", name.text),
                "declare it inside of the loop, or prove the loop with `loop_invariant`",
            ),
        };
        let error = Diagnostic::error(code, name.span, message)
            .label(variable.span, "declared here")
            .label(wall.span, "outside of this")
            .help(help);
        self.report(error);
    }

    pub(super) fn check_field_write(&mut self, target: &Expression, object: Option<&Expression>) {
        if self.final_field(target).is_none() {
            return;
        }
        let on_this = object.is_none_or(|object| matches!(&*object.kind, ExpressionKind::This));
        if self.context.in_constructor && on_this {
            return;
        }
        self.error(
            codes::FINAL_ASSIGNMENT,
            target.span,
            "a final field is assigned outside of its constructor",
            "a final field gets its value once, in the constructor of its class",
        );
    }
}
