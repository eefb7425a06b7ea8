//! Assertions that are kept as values of type `resource`.
//!
//! They are used somewhere else and later, so they cannot speak about the method around them.

use super::checker::{Checker, ThreadPlace};
use crate::codes;
use crate::syntax::tree::{Expression, ExpressionKind};

impl<'tree> Checker<'tree> {
    /// An assertion that becomes a value.
    pub(super) fn keep_resource(&mut self, assertion: &'tree Expression) {
        if !self.type_variables.is_empty() {
            self.error(
                codes::UNSUPPORTED,
                assertion.span,
                "resources cannot be kept where there are type parameters",
                "keep it in a method without type parameters, of a class without them, and pass the value",
            );
            return;
        }
        self.forbid_state_of_method(assertion);
        self.forbid_held_amounts(assertion);
        self.resolution.kept_resources.push(assertion);
    }

    fn forbid_state_of_method(&mut self, part: &'tree Expression) {
        let what = match &*part.kind {
            ExpressionKind::Old(..) => Some("an earlier state"),
            ExpressionKind::Result => Some("the result"),
            _ => None,
        };
        if let Some(what) = what {
            self.error(
                codes::TYPE,
                part.span,
                format!("a resource that is kept cannot speak about {what} of the method around it"),
                "keep the value that is meant in a variable first",
            );
            return;
        }
        if let ExpressionKind::CurrentThread = &*part.kind {
            let help = ThreadPlace::Shared.help();
            self.error(
                codes::THREAD_SCOPE,
                part.span,
                "there is no current thread in a resource that is kept",
                help,
            );
        }
        // A part that is a value is evaluated where it is used, as everything else is.
        part.kind.for_each_child(&mut |child| self.forbid_state_of_method(child));
    }
}
