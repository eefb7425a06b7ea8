//! Finds uses of macros in a member and puts their expansions there.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use source::Span;

use super::instantiate::Instantiator;
use super::{CALL_AS_TARGET, Expanded, Stop, find_macro};
use crate::limits;
use crate::syntax::rewrite::Rewrite;
use crate::syntax::tree::{
    BinaryOperator, Define, DefineBody, Expression, ExpressionKind, Name, Statement, StatementKind, Type,
    TypeKind,
};

/// What a piece of syntax is in the place where it stands.
#[derive(Clone, Copy, PartialEq)]
enum Position {
    Statement,
    Expression,
    Type,
    Identifier,
}

impl Position {
    fn text(self) -> &'static str {
        match self {
            Position::Statement => "statement",
            Position::Expression => "expression",
            Position::Type => "type",
            Position::Identifier => "identifier",
        }
    }
}

pub(super) struct Expander<'a> {
    pub(super) macros: &'a [&'a Define],
    pub(super) globals: &'a FxHashSet<Arc<str>>,
    /// All names that the member introduces.
    pub(super) declared: FxHashSet<Arc<str>>,
    /// Names that earlier expansions introduced, by open scope.
    pub(super) scopes: Vec<FxHashSet<Arc<str>>>,
    pub(super) counters: FxHashMap<Arc<str>, usize>,
    pub(super) budget: &'a mut usize,
    pub(super) depth: usize,
    /// How deep the walk is, through expansions too.
    pub(super) walk_depth: usize,
}

impl<'a> Expander<'a> {
    pub(super) fn is_taken(&self, name: &str) -> bool {
        self.globals.contains(name)
            || self.declared.contains(name)
            || self.scopes.iter().any(|scope| scope.contains(name))
    }

    pub(super) fn fresh(&mut self, name: &Arc<str>) -> Arc<str> {
        let mut number = self.counters.get(name).map_or(0, |last| last + 1);
        let fresh = loop {
            let candidate: Arc<str> = format!("{name}${number}").into();
            if !self.is_taken(&candidate) {
                break candidate;
            }
            number += 1;
        };
        self.counters.insert(name.clone(), number);
        fresh
    }

    /// Checks a use against its definition.
    fn check_use(
        define: &Define,
        arguments: Option<&[Expression]>,
        position: Position,
        span: Span,
    ) -> Expanded<()> {
        let name = &define.name.text;
        match (&define.parameters, arguments) {
            (Some(_), None) => {
                let message = format!("macro `{name}` has parameters, but is used without arguments");
                return Err(Stop { span, message });
            }
            (Some(parameters), Some(arguments)) if parameters.len() != arguments.len() => {
                let message =
                    format!("macro `{name}` has {} parameters, not {}", parameters.len(), arguments.len());
                return Err(Stop { span, message });
            }
            _ => {}
        }
        let body = match &define.body {
            DefineBody::Statements(_) => Position::Statement,
            DefineBody::Expression(_) => Position::Expression,
        };
        if body != position {
            let message = format!("{} macro `{name}` is used as {}", body.text(), position.text());
            return Err(Stop { span, message });
        }
        Ok(())
    }

    fn instantiator<'b>(
        &'b mut self,
        define: &'b Define,
        arguments: &'b [Expression],
        span: Span,
    ) -> Instantiator<'b, 'a> {
        let parameters = define.parameters.iter().flatten().map(|name| name.text.clone());
        Instantiator {
            expander: self,
            arguments: parameters.zip(arguments).collect(),
            renamed: FxHashMap::default(),
            bound: Vec::new(),
            marks: Vec::new(),
            span,
            copying_argument: false,
        }
    }

    fn expand_expression(
        &mut self,
        define: &Define,
        arguments: Option<&[Expression]>,
        span: Span,
    ) -> Expanded<Expression> {
        Expander::check_use(define, arguments, Position::Expression, span)?;
        let DefineBody::Expression(body) = &define.body else {
            return Err(Stop { span, message: "a statement macro is used as expression".to_string() });
        };
        let expanded = self.instantiator(define, arguments.unwrap_or(&[]), span).expression(body)?;
        if expanded.depth as usize > limits::DEPTH {
            return Err(Stop {
                span,
                message: format!("the expansion is more than {} operators deep", limits::DEPTH),
            });
        }
        self.deeper(span, |expander| expander.expression(&expanded))
    }

    fn deeper<T>(&mut self, span: Span, step: impl FnOnce(&mut Self) -> Expanded<T>) -> Expanded<T> {
        if self.depth >= limits::EXPANSION_DEPTH {
            return Err(Stop { span, message: "macros are nested too deeply".to_string() });
        }
        self.depth += 1;
        let result = step(self);
        self.depth -= 1;
        result
    }

    /// The macro and arguments of a call that uses one.
    fn used_macro<'b>(&self, kind: &'b ExpressionKind) -> Option<(&'a Define, Option<&'b [Expression]>)> {
        match kind {
            ExpressionKind::Name(name) => find_macro(self.macros, &name.text).map(|define| (define, None)),
            ExpressionKind::Call(name, arguments, None) => {
                let define = find_macro(self.macros, &name.text)?;
                define.parameters.is_some().then_some((define, Some(arguments.as_slice())))
            }
            _ => None,
        }
    }
}

impl Rewrite for Expander<'_> {
    type Error = Stop;

    fn enter_scope(&mut self) {
        self.scopes.push(FxHashSet::default());
    }

    fn leave_scope(&mut self) {
        self.scopes.pop();
    }

    fn reference(&mut self, name: &Name) -> Expanded<Name> {
        if let Some(define) = find_macro(self.macros, &name.text) {
            Expander::check_use(define, None, Position::Identifier, name.span)?;
        }
        Ok(name.clone())
    }

    fn ty(&mut self, ty: &Type) -> Expanded<Type> {
        match &ty.kind {
            TypeKind::Named(name, None) => {
                if let Some(define) = find_macro(self.macros, &name.text) {
                    Expander::check_use(define, None, Position::Type, ty.span)?;
                }
            }
            TypeKind::Macro(name, arguments) => {
                let Some(define) = find_macro(self.macros, &name.text) else {
                    return Err(Stop {
                        span: ty.span,
                        message: format!("there is no macro `{}`", name.text),
                    });
                };
                Expander::check_use(define, Some(arguments), Position::Type, ty.span)?;
            }
            _ => {}
        }
        self.walk_type(ty)
    }

    fn expression(&mut self, expression: &Expression) -> Expanded<Expression> {
        self.walk_depth += 1;
        if self.walk_depth > limits::EXPANSION_WALK {
            return Err(Stop { span: expression.span, message: "macros are nested too deeply".to_string() });
        }
        let expanded = match self.used_macro(&expression.kind) {
            Some((define, arguments)) => self.expand_expression(define, arguments, expression.span)?,
            None => self.walk_expression(expression)?,
        };
        self.walk_depth -= 1;
        if expanded.depth as usize > limits::DEPTH {
            let message = format!("the expansion is more than {} operators deep", limits::DEPTH);
            return Err(Stop { span: expression.span, message });
        }
        Ok(expanded)
    }

    fn location(&mut self, expression: &Expression) -> Expanded<Expression> {
        let result = self.expression(expression)?;
        let was_macro = self.used_macro(&expression.kind).is_some();
        let is_location = matches!(
            &*result.kind,
            ExpressionKind::Field(..)
                | ExpressionKind::Call(..)
                | ExpressionKind::Access(..)
                | ExpressionKind::Binary(BinaryOperator::Wand, ..)
        );
        if was_macro && !is_location {
            let message =
                "the macro stands for something else than a location, which is needed here".to_string();
            return Err(Stop { span: expression.span, message });
        }
        Ok(result)
    }

    fn statement(&mut self, statement: &Statement) -> Expanded<Statement> {
        let span = statement.span;
        if self.scopes.len() > limits::EXPANDED_SCOPES {
            return Err(Stop { span, message: "macros make blocks that are nested too deeply".to_string() });
        }
        match &statement.kind {
            StatementKind::Define(_) => Ok(Statement { kind: StatementKind::Expansion(Vec::new()), span }),
            StatementKind::Assign { targets, value } if targets.is_empty() => {
                let Some((define, arguments)) = self.used_macro(&value.kind) else {
                    return self.walk_statement(statement);
                };
                Expander::check_use(define, arguments, Position::Statement, span)?;
                let DefineBody::Statements(body) = &define.body else {
                    return Err(Stop {
                        span,
                        message: "an expression macro is used as statement".to_string(),
                    });
                };
                let expanded =
                    self.instantiator(define, arguments.unwrap_or(&[]), span).statements(&body.statements)?;
                let statements = self.deeper(span, |expander| expander.statements(&expanded))?;
                Ok(Statement { kind: StatementKind::Expansion(statements), span })
            }
            StatementKind::Assign { targets, .. } => {
                for target in targets {
                    if !matches!(&*target.kind, ExpressionKind::Call(..)) {
                        continue;
                    }
                    let Some((define, arguments)) = self.used_macro(&target.kind) else {
                        return Err(Stop { span: target.span, message: CALL_AS_TARGET.to_string() });
                    };
                    let expanded = self.expand_expression(define, arguments, target.span)?;
                    if !matches!(&*expanded.kind, ExpressionKind::Name(_) | ExpressionKind::Field(..)) {
                        let message =
                            "the macro does not stand for something that can be assigned".to_string();
                        return Err(Stop { span: target.span, message });
                    }
                }
                self.walk_statement(statement)
            }
            _ => self.walk_statement(statement),
        }
    }
}
