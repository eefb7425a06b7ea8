//! What is said about calls of things that do not exist or do not fit.

use source::Diagnostic;

use super::Type;
use super::builtins::old_function;
use super::checker::Checker;
use crate::codes;
use crate::syntax::tree::{Call, Name, NodeId};
use crate::syntax::words;

impl Checker<'_> {
    pub(super) fn no_such_routine(&mut self, name: &Name) {
        let mut known: Vec<&str> = self.names.routines.keys().map(|it| &**it).collect();
        if let Some(routines) = self.context.owner.and_then(|owner| self.names.class_routines.get(&owner)) {
            known.extend(routines.keys().map(|it| &**it));
        }
        known.sort_unstable();
        let meant = words::closest(&name.text, known).map(str::to_string);
        let old = old_function(&name.text);
        let mut error = Diagnostic::error(
            codes::NO_SUCH_NAME,
            name.span,
            format!("there is no method, function or predicate `{}` here", name.text),
        );
        error = match (&*name.text, meant, old) {
            ("old" | "forall" | "exists" | "result" | "typeof", ..) => {
                error.help(format!("it is written `\\{}`, with a backslash", name.text))
            }
            ("Array" | "array" | "values" | "matrix", ..) => {
                error.help(format!("it is written `\\{}`, with a backslash", name.text.to_lowercase()))
            }
            (_, Some(meant), _) => error.help(format!("did you mean `{meant}`?")),
            (_, None, Some(member)) => error.help(format!(
                "it is a member: `x.{member}`; VerCors 1.x wrote it like this (`--dialect 1`)"
            )),
            _ => error,
        };
        self.report(error);
    }

    pub(super) fn no_such_member(&mut self, name: &Name, ty: &Type) {
        if ty.is_unknown() {
            return;
        }
        let mut known: Vec<&str> = Vec::new();
        if let Type::Class(id, _) | Type::Model(id) = ty {
            known.extend(self.names.class_routines.get(id).into_iter().flatten().map(|(name, _)| &**name));
            known.extend(self.names.fields.get(id).into_iter().flatten().map(|(name, _)| &**name));
        }
        known.sort_unstable();
        let meant = words::closest(&name.text, known).map(str::to_string);
        let message = format!("`{}` has no member `{}`", self.show(ty), name.text);
        let mut error = Diagnostic::error(codes::NO_SUCH_NAME, name.span, message);
        error = match (ty, &*name.text, meant) {
            (_, _, Some(meant)) => error.help(format!("did you mean `{meant}`?")),
            (Type::Seq(_) | Type::Set(_) | Type::Bag(_) | Type::Map(..), "length", _) => {
                error.help("its size is `|xs|`")
            }
            (Type::Array(_), "size", _) => error.help("its length is `a.length`"),
            _ => error,
        };
        self.report(error);
    }

    pub(super) fn wrong_number(
        &mut self,
        name: &Name,
        candidates: &[NodeId],
        found: usize,
        found_types: usize,
    ) {
        let signature = self.signature(candidates[0]);
        let (what, expected, found) = if signature.parameters.len() == found {
            ("type argument", signature.type_parameters.len(), found_types)
        } else {
            ("argument", signature.parameters.len(), found)
        };
        let plural = if expected == 1 { "" } else { "s" };
        let message = format!("`{}` takes {expected} {what}{plural}, but {found} are given", name.text);
        let mut error = Diagnostic::error(codes::ARGUMENTS, name.span, message);
        if let Some(declared) = self.resolution.items.routines.get(&candidates[0]) {
            error = error.label(declared.name().span, "declared here");
        }
        self.report(error);
    }

    pub(super) fn no_overload(&mut self, call: &Call, types: &[Type]) {
        let shown: Vec<String> = types.iter().map(|ty| self.show(ty)).collect();
        self.report(Diagnostic::error(
            codes::ARGUMENTS,
            call.name.span,
            format!("no `{}` takes arguments of the types ({})", call.name.text, shown.join(", ")),
        ));
    }
}
