//! Functions whose definitions proofs know only where they are revealed.

use super::checker::Checker;
use crate::codes;
use crate::syntax::tree::{Name, NodeId, Routine};
use source::Span;

impl<'tree> Checker<'tree> {
    pub(super) fn is_opaque(&self, routine: NodeId) -> bool {
        let declared = self.resolution.items.routines.get(&routine);
        declared.and_then(|it| it.modifiers()).is_some_and(|modifiers| modifiers.opaque.is_some())
    }

    /// Whether the routine is a function with a definition that proofs can use.
    fn is_defined(&self, routine: NodeId) -> bool {
        match self.resolution.items.routines.get(&routine) {
            Some(Routine::Function(function)) => {
                function.body.is_some() && function.modifiers.inline.is_none()
            }
            Some(Routine::Method(method)) => {
                method.body.is_some() && method.modifiers.pure.is_some() && method.modifiers.inline.is_none()
            }
            _ => false,
        }
    }

    pub(super) fn not_opaque(&mut self, name: &Name, span: Span) {
        let message = format!("`{}` is not opaque, so its definition is known everywhere", name.text);
        let help = "declare it `opaque pure`, or leave `reveal` out";
        self.error(codes::NOT_OPAQUE, span, message, help);
    }

    /// `reveal f, g;` or `hide f;`
    pub(super) fn revealing(&mut self, statement: NodeId, names: &'tree [Name], hides: bool) {
        let mut all = Vec::new();
        for name in names {
            let candidates = self.plain_candidates(&name.text);
            let (defined, _): (Vec<NodeId>, Vec<NodeId>) =
                candidates.iter().partition(|routine| self.is_defined(**routine));
            if candidates.is_empty() {
                self.no_such_routine(name);
            } else if defined.is_empty() {
                self.error(
                    codes::NOT_OPAQUE,
                    name.span,
                    format!("`{}` has no definition that proofs could use", name.text),
                    "only pure functions with a body that are not `inline` are revealed and hidden",
                );
            } else if !hides && !defined.iter().any(|routine| self.is_opaque(*routine)) {
                self.not_opaque(name, name.span);
            }
            all.extend(defined);
        }
        if hides {
            self.resolution.hidden.extend(&all);
        }
        self.resolution.revealed.insert(statement, all);
    }
}
