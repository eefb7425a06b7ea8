//! Quantifiers inside of terms, each body under the check that it is defined.
//!
//! That a term is defined is known before the term is evaluated. For a quantifier inside of it that is another quantifier,
//! which the solver would have to look at for a value that nothing mentions yet. So the body says it again, for its own
//! value; where the whole term is defined that changes nothing.

use silver::syntax::rewrite::Rewrite;
use silver::syntax::tree as s;

use super::{Refusal, Walk};

struct Guarding<'g, 'w> {
    walk: &'g mut Walk<'w>,
}

impl Rewrite for Guarding<'_, '_> {
    type Error = Refusal;

    fn expression(&mut self, expression: &s::Expression) -> Result<s::Expression, Refusal> {
        use s::ExpressionKind::{Exists, Forall};
        let rewritten = self.walk_expression(expression)?;
        let (Forall { body, .. } | Exists { body, .. }) = &*expression.kind else { return Ok(rewritten) };
        let Some(check) = self.walk.check_of(body)? else { return Ok(rewritten) };
        let mut build = self.walk.at();
        let kind = match *rewritten.kind {
            Forall { bindings, triggers, body } => {
                Forall { bindings, triggers, body: build.implies(check, body) }
            }
            Exists { bindings, triggers, body } => {
                Exists { bindings, triggers, body: build.and(check, body) }
            }
            other => other,
        };
        Ok(s::Expression::new(kind, rewritten.span))
    }
}

impl Walk<'_> {
    /// The term with a check in each quantifier.
    pub(crate) fn guarded(&mut self, term: &s::Expression) -> Result<s::Expression, Refusal> {
        Guarding { walk: self }.expression(term)
    }

    /// That a term is defined, if there is anything to check; what it has to read is not kept.
    fn check_of(&mut self, term: &s::Expression) -> Result<Option<s::Expression>, Refusal> {
        let mut walk = Walk::new(self.declarations, self.names, self.origins, self.place);
        walk.term(term)?;
        Ok(walk.close(0))
    }
}
