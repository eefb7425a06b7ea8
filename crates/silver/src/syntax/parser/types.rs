//! Types and typed bindings.

use parse::{Failing, Reader};
use source::Span;

use super::super::token::{Symbol, TokenKind};
use super::super::tree::{Binding, Type, TypeKind};
use super::{Parsed, Parser};

impl Parser<'_> {
    pub(super) fn ty(&mut self) -> Parsed<Type> {
        self.nested(Parser::ty_unbounded)
    }

    fn ty_unbounded(&mut self) -> Parsed<Type> {
        let start = self.start();
        let kind = match self.word() {
            "Int" => self.keyword_type(TypeKind::Int),
            "Bool" => self.keyword_type(TypeKind::Bool),
            "Perm" => self.keyword_type(TypeKind::Perm),
            "Ref" => self.keyword_type(TypeKind::Ref),
            "Rational" => {
                let span = self.span();
                self.warn(span, "`Rational` is deprecated", "write `Perm`");
                self.keyword_type(TypeKind::Rational)
            }
            "Seq" => TypeKind::Seq(self.element_type()?),
            "Set" => TypeKind::Set(self.element_type()?),
            "Multiset" => TypeKind::Multiset(self.element_type()?),
            "Map" => {
                self.advance();
                let (key, value) = self.pair_of_types()?;
                TypeKind::Map(Box::new(key), Box::new(value))
            }
            _ if self.at_name() => {
                let name = self.name()?;
                if self.at(Symbol::LeftBracket) {
                    let arguments = self.list(Symbol::LeftBracket, Symbol::RightBracket, Parser::ty)?;
                    TypeKind::Named(name, Some(arguments))
                } else if self.at_call_parenthesis() {
                    TypeKind::Macro(name, self.parens(Parser::expression)?)
                } else {
                    TypeKind::Named(name, None)
                }
            }
            _ => return self.fail("a type"),
        };
        Ok(Type { kind, span: self.span_from(start) })
    }

    fn keyword_type(&mut self, kind: TypeKind) -> TypeKind {
        self.advance();
        kind
    }

    fn element_type(&mut self) -> Parsed<Box<Type>> {
        self.advance();
        self.bracketed_type().map(Box::new)
    }

    pub(super) fn bracketed_type(&mut self) -> Parsed<Type> {
        self.expect(Symbol::LeftBracket)?;
        let ty = self.ty()?;
        self.expect(Symbol::RightBracket)?;
        Ok(ty)
    }

    /// `[K, V]`
    pub(super) fn pair_of_types(&mut self) -> Parsed<(Type, Type)> {
        self.expect(Symbol::LeftBracket)?;
        let key = self.ty()?;
        self.expect(Symbol::Comma)?;
        let value = self.ty()?;
        self.expect(Symbol::RightBracket)?;
        Ok((key, value))
    }

    /// `name: type`
    pub(super) fn binding(&mut self) -> Parsed<Binding> {
        let name = self.name()?;
        self.expect(Symbol::Colon)?;
        Ok(Binding { name, ty: self.ty()? })
    }

    /// One or more bindings separated by commas.
    pub(super) fn bindings(&mut self) -> Parsed<Vec<Binding>> {
        let mut bindings = vec![self.binding()?];
        while self.eat(Symbol::Comma) {
            bindings.push(self.binding()?);
        }
        Ok(bindings)
    }

    /// The variables of a `forperm`, behind which its resource stands in brackets that could be type arguments.
    pub(super) fn bindings_before_resource(&mut self) -> Parsed<Vec<Binding>> {
        let mut bindings = Vec::new();
        loop {
            let name = self.name()?;
            self.expect(Symbol::Colon)?;
            let start = self.start();
            let ty = if self.at_name() && self.is_resource_next() {
                let kind = TypeKind::Named(self.name()?, None);
                Type { kind, span: self.span_from(start) }
            } else {
                self.ty()?
            };
            bindings.push(Binding { name, ty });
            if !self.eat(Symbol::Comma) {
                return Ok(bindings);
            }
        }
    }

    /// Whether the brackets behind the current token are the last thing before `::`.
    fn is_resource_next(&mut self) -> bool {
        let mut open = 0_usize;
        for ahead in 1.. {
            match self.peek(ahead).kind {
                TokenKind::Symbol(Symbol::LeftBracket) => open += 1,
                TokenKind::Symbol(Symbol::RightBracket) => {
                    open = open.saturating_sub(1);
                    if open == 0 {
                        return self.peek(ahead + 1).kind == TokenKind::Symbol(Symbol::ColonColon);
                    }
                }
                TokenKind::End => return false,
                _ if open == 0 => return false,
                _ => {}
            }
        }
        false
    }

    /// Whether the current `(` belongs to the callee before it: only blanks may lie between them.
    pub(super) fn at_call_parenthesis(&mut self) -> bool {
        let token = self.token();
        let is_call = token.kind == TokenKind::Symbol(Symbol::LeftParen) && token.only_blanks_before;
        let callee = self.reading.cursor.behind();
        if is_call && callee.end < token.span.start {
            let span = Span { end: token.span.start, ..callee };
            self.warn(span, "blanks between a callee and `(` are deprecated", "remove them");
        }
        is_call
    }
}
