//! `refute` of resources: Silver refutes facts, so permissions become facts about the amounts that are held.
//!
//! `Perm(l, p)` becomes `perm(l) >= p`. Two permissions to one location are then counted one by one, so the fact is
//! weaker than the resource: if it does not hold, the resource is not there either. A resource is thereby never
//! refuted that is there.

use silver::syntax::tree as s;

use crate::lower::scope::Scope;

impl Scope<'_, '_> {
    /// The assertion with amounts that are held in the place of permissions.
    pub(crate) fn as_fact(&mut self, assertion: s::Expression) -> s::Expression {
        use s::BinaryOperator::{And, Implies, Wand};
        use s::ExpressionKind::*;
        if !has_permissions(&assertion) {
            return assertion;
        }
        let span = assertion.span;
        let place = self.lowering.origins.place(span);
        if let Binary(Wand, ..) = &*assertion.kind {
            let mut build = self.at(place);
            let held = build.expression(CurrentPermission(assertion));
            let write = build.write();
            return build.at_most(write, held);
        }
        let kind = match *assertion.kind {
            Access(location, amount) => {
                let mut build = self.at(place);
                let amount = amount.unwrap_or_else(|| build.write());
                let is_some = matches!(*amount.kind, Wildcard);
                let held = build.expression(CurrentPermission(location));
                let none = build.no_permission();
                return if is_some { build.less(none, held) } else { build.at_most(amount, held) };
            }
            Binary(And, left, right) => Binary(And, self.as_fact(left), self.as_fact(right)),
            Binary(Implies, left, right) => Binary(Implies, left, self.as_fact(right)),
            Conditional(condition, then, otherwise) => {
                Conditional(condition, self.as_fact(then), self.as_fact(otherwise))
            }
            Forall { bindings, triggers, body } => Forall { bindings, triggers, body: self.as_fact(body) },
            Let { name, value, body } => Let { name, value, body: self.as_fact(body) },
            Unfolding(predicate, body) => Unfolding(predicate, self.as_fact(body)),
            InhaleExhale(_, exhaled) => return self.as_fact(exhaled),
            other => other,
        };
        s::Expression::new(kind, span)
    }
}

/// Whether permission is asked for somewhere inside.
fn has_permissions(assertion: &s::Expression) -> bool {
    use s::ExpressionKind::{Access, Binary, CurrentPermission, InhaleExhale, Unfolding};
    match &*assertion.kind {
        Access(..) | InhaleExhale(..) | Binary(s::BinaryOperator::Wand, ..) => return true,
        CurrentPermission(_) => return false,
        // The predicate is not asked for by the whole.
        Unfolding(_, body) => return has_permissions(body),
        _ => {}
    }
    let mut found = false;
    assertion.kind.for_each_child(&mut |child| found = found || has_permissions(child));
    found
}
