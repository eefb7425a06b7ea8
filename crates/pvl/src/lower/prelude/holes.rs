//! The holes of a template, and what fills them.
//!
//! A template is Silver that can be parsed as it stands: its holes are names with a `$`. What fills them are names and
//! trees, never text, so that no value can make an instance ill-formed. What fills a hole stands where the hole stands:
//! a remark at the end of a line of the template holds for it too.

use std::convert::Infallible;
use std::sync::Arc;

use silver::syntax::rewrite::Rewrite;
use silver::syntax::tree as s;
use source::Span;

/// What stands for a hole.
#[derive(Clone, Debug)]
pub(crate) enum Fill {
    /// `$hole` in a name, or as a name: of a field, a function or a type.
    Name(Arc<str>),
    /// `$hole` as an expression.
    Value(s::Expression),
    /// `$hole(left, right)`
    Operator(s::BinaryOperator),
    /// `$hole` as a type.
    Type(s::Type),
}

impl Fill {
    /// A text that is the same for fills that mean the same.
    pub(super) fn text(&self) -> String {
        match self {
            Fill::Name(name) => name.to_string(),
            Fill::Value(value) => silver::syntax::print_expression(value),
            Fill::Operator(operator) => operator.text().to_string(),
            Fill::Type(ty) => silver::syntax::print_type(ty),
        }
    }
}

/// A template with its holes filled.
pub(super) fn filled(members: &[s::Member], fills: &[(&str, Fill)]) -> Vec<s::Member> {
    members.iter().map(|member| Filling { fills }.member(member)).collect()
}

/// Whether a name has holes.
pub(super) fn has_holes(name: &str) -> bool {
    name.contains('$')
}

struct Filling<'f> {
    fills: &'f [(&'f str, Fill)],
}

impl Filling<'_> {
    fn get(&self, name: &str) -> Option<&Fill> {
        let hole = name.strip_prefix('$')?;
        self.fills.iter().find(|(known, _)| *known == hole).map(|(_, fill)| fill)
    }

    fn name(&self, name: &s::Name) -> s::Name {
        if !has_holes(&name.text) {
            return name.clone();
        }
        let mut text = name.text.to_string();
        for (hole, fill) in self.fills {
            if let Fill::Name(name) = fill {
                text = text.replace(&format!("${hole}"), name);
            }
        }
        debug_assert!(!has_holes(&text), "nothing fills a hole of `{text}`");
        s::Name { text: text.into(), span: name.span }
    }

    fn member(&mut self, member: &s::Member) -> s::Member {
        use s::MemberKind::*;
        let kind = match &member.kind {
            Fields(bindings) => Fields(always(self.bindings(bindings))),
            Method(method) => Method(always(self.method(method))),
            Function(function) => Function(always(self.function(function))),
            Predicate(predicate) => Predicate(always(self.predicate(predicate))),
            Domain(domain) => Domain(always(self.domain(domain))),
            // No template has these; a test looks.
            kind @ (Import(_) | Define(_) | Adt(_)) => kind.clone(),
        };
        s::Member { annotations: member.annotations.clone(), kind, span: member.span, head: member.head }
    }
}

impl Rewrite for Filling<'_> {
    type Error = Infallible;

    fn reference(&mut self, name: &s::Name) -> Result<s::Name, Infallible> {
        Ok(self.name(name))
    }

    fn definition(&mut self, name: &s::Name) -> Result<s::Name, Infallible> {
        Ok(self.name(name))
    }

    fn expression(&mut self, expression: &s::Expression) -> Result<s::Expression, Infallible> {
        match &*expression.kind {
            s::ExpressionKind::Name(name) => {
                if let Some(Fill::Value(value)) = self.get(&name.text) {
                    return Standing(expression.span).expression(value);
                }
            }
            s::ExpressionKind::Call(name, arguments, None) => {
                if let (Some(Fill::Operator(operator)), [left, right]) = (self.get(&name.text), &**arguments)
                {
                    let operator = *operator;
                    let (left, right) = (self.expression(left)?, self.expression(right)?);
                    let kind = s::ExpressionKind::Binary(operator, left, right);
                    return Ok(s::Expression::new(kind, expression.span));
                }
            }
            _ => {}
        }
        self.walk_expression(expression)
    }

    fn ty(&mut self, ty: &s::Type) -> Result<s::Type, Infallible> {
        match &ty.kind {
            s::TypeKind::Named(name, None) => match self.get(&name.text) {
                Some(Fill::Type(filling)) => Standing(ty.span).ty(filling),
                _ => self.walk_type(ty),
            },
            _ => self.walk_type(ty),
        }
    }
}

/// The same tree at another place.
struct Standing(Span);

impl Rewrite for Standing {
    type Error = Infallible;

    fn span(&mut self, _: Span) -> Span {
        self.0
    }
}

fn always<T>(result: Result<T, Infallible>) -> T {
    match result {
        Ok(value) => value,
        Err(never) => match never {},
    }
}
