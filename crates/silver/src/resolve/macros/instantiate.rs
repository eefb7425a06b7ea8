//! Makes the expansion of one use of a macro from the macro's body.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use source::Span;

use super::expand::Expander;
use super::{Expanded, Stop};
use crate::limits;
use crate::syntax::rewrite::Rewrite;
use crate::syntax::tree::{Expression, ExpressionKind, Name, Statement, StatementKind};

/// Copies a macro body: parameters become arguments, introduced names are renamed where they clash, and every
/// node is at the place of the use.
pub(super) struct Instantiator<'b, 'a> {
    pub(super) expander: &'b mut Expander<'a>,
    pub(super) arguments: FxHashMap<Arc<str>, &'b Expression>,
    pub(super) renamed: FxHashMap<Arc<str>, Arc<str>>,
    /// Parameters that a binder of the body hides, with marks where scopes begin.
    pub(super) bound: Vec<Arc<str>>,
    pub(super) marks: Vec<usize>,
    pub(super) span: Span,
    pub(super) copying_argument: bool,
}

impl Instantiator<'_, '_> {
    fn argument(&self, name: &str) -> Option<&Expression> {
        if self.copying_argument || self.bound.iter().any(|bound| **bound == *name) {
            return None;
        }
        self.arguments.get(name).copied()
    }

    fn count(&mut self) -> Expanded<()> {
        if *self.expander.budget == 0 {
            let message = format!("macros expand to more than {} nodes", limits::EXPANDED_NODES);
            return Err(Stop { span: self.span, message });
        }
        *self.expander.budget -= 1;
        Ok(())
    }
}

impl Rewrite for Instantiator<'_, '_> {
    type Error = Stop;

    fn span(&mut self, _span: Span) -> Span {
        self.span
    }

    fn enter_scope(&mut self) {
        self.marks.push(self.bound.len());
    }

    fn leave_scope(&mut self) {
        if let Some(mark) = self.marks.pop() {
            self.bound.truncate(mark);
        }
    }

    fn definition(&mut self, name: &Name) -> Expanded<Name> {
        let span = self.span;
        if self.copying_argument {
            return Ok(Name { text: name.text.clone(), span });
        }
        self.bound.push(name.text.clone());
        let text = if self.expander.is_taken(&name.text) {
            let fresh = self.expander.fresh(&name.text);
            self.renamed.insert(name.text.clone(), fresh.clone());
            fresh
        } else {
            name.text.clone()
        };
        if let Some(scope) = self.expander.scopes.last_mut() {
            scope.insert(text.clone());
        }
        Ok(Name { text, span })
    }

    fn reference(&mut self, name: &Name) -> Expanded<Name> {
        let span = self.span;
        if let Some(argument) = self.argument(&name.text) {
            return match &*argument.kind {
                ExpressionKind::Name(replacement) => Ok(Name { text: replacement.text.clone(), span }),
                _ => Err(Stop {
                    span,
                    message: format!(
                        "an expression cannot be put where `{}` stands: a name is needed",
                        name.text
                    ),
                }),
            };
        }
        let renamed = if self.copying_argument { None } else { self.renamed.get(&name.text) };
        Ok(Name { text: renamed.unwrap_or(&name.text).clone(), span })
    }

    fn statement(&mut self, statement: &Statement) -> Expanded<Statement> {
        self.count()?;
        // A label may be named by a parameter; then it is not the body that introduces the name.
        if let StatementKind::Label { name, invariants } = &statement.kind
            && self.argument(&name.text).is_some()
        {
            let name = self.reference(name)?;
            let kind = StatementKind::Label { name, invariants: self.specifications(invariants)? };
            return Ok(Statement { kind, span: self.span });
        }
        self.walk_statement(statement)
    }

    fn expression(&mut self, expression: &Expression) -> Expanded<Expression> {
        self.count()?;
        if let ExpressionKind::Name(name) = &*expression.kind
            && let Some(argument) = self.argument(&name.text)
        {
            let argument = argument.clone();
            self.copying_argument = true;
            let copy = self.expression(&argument);
            self.copying_argument = false;
            return copy;
        }
        self.walk_expression(expression)
    }
}
