//! Types, and looking ahead over them.
//!
//! A statement that starts with a type and one that starts with an expression look alike; `scan_type` tells them
//! apart on tokens, without building anything.

use parse::{Failing, Reader};

use super::super::token::{Symbol, TokenKind};
use super::super::tree::{Parameter, Type, TypeKind};
use super::super::words;
use super::{Parsed, Parser};
use crate::limits;

impl Parser<'_> {
    pub(super) fn ty(&mut self) -> Parsed<Type> {
        let start = self.start();
        let mut ty = self.element_type()?;
        while self.at(Symbol::LeftBracket) {
            self.advance();
            if !self.at(Symbol::RightBracket) {
                // `T[n]` says the length, which has no effect.
                self.expression()?;
            }
            self.expect(Symbol::RightBracket)?;
            ty = Type { id: self.id(), kind: TypeKind::Array(Box::new(ty)), span: self.span_from(start) };
        }
        Ok(ty)
    }

    /// A type that is not an array.
    pub(super) fn element_type(&mut self) -> Parsed<Type> {
        let start = self.start();
        let word = self.word();
        let kind = if words::SIMPLE_TYPES.contains(&word) {
            self.advance();
            simple_type(word)
        } else if words::GENERIC_TYPES.contains(&word) && self.peek_at(1, Symbol::Less) {
            self.advance();
            self.generic_type(word)?
        } else if self.at_name() {
            let name = self.name()?;
            TypeKind::Named(name, self.type_arguments()?)
        } else if words::GENERIC_TYPES.contains(&word) {
            let span = self.span();
            let arguments = if matches!(word, "map" | "tuple" | "either") { "A, B" } else { "T" };
            return self.error(
                span,
                format!("`{word}` needs the types of what it holds"),
                format!("write `{word}<{arguments}>`"),
            );
        } else {
            return self.fail("a type");
        };
        Ok(Type { id: self.id(), kind, span: self.span_from(start) })
    }

    fn generic_type(&mut self, word: &str) -> Parsed<TypeKind> {
        self.expect(Symbol::Less)?;
        let first = Box::new(self.nested(Parser::ty)?);
        let kind = match word {
            "seq" => TypeKind::Seq(first),
            "set" => TypeKind::Set(first),
            "bag" => TypeKind::Bag(first),
            "option" => TypeKind::Option(first),
            "pointer" => TypeKind::Pointer(first),
            "type" => TypeKind::TypeValue(first),
            "vector" => {
                self.expect(Symbol::Comma)?;
                if self.token().kind != TokenKind::Integer {
                    return self.fail("the length of the vector, a number");
                }
                let length = self.advance();
                TypeKind::Vector(first, self.text_of(length).into())
            }
            _ => {
                self.expect(Symbol::Comma)?;
                let second = Box::new(self.nested(Parser::ty)?);
                match word {
                    "map" => TypeKind::Map(first, second),
                    "tuple" => TypeKind::Tuple(first, second),
                    _ => TypeKind::Either(first, second),
                }
            }
        };
        self.expect(Symbol::Greater)?;
        Ok(kind)
    }

    /// `<T, U>` or nothing.
    pub(super) fn type_arguments(&mut self) -> Parsed<Vec<Type>> {
        if !self.at(Symbol::Less) {
            return Ok(Vec::new());
        }
        self.list(Symbol::Less, Symbol::Greater, |parser| parser.nested(Parser::ty))
    }

    /// `T x`
    pub(super) fn parameter(&mut self) -> Parsed<Parameter> {
        let start = self.start();
        let ty = self.ty()?;
        let name = self.name_for("the name of a parameter")?;
        Ok(Parameter { id: self.id(), ty, name, span: self.span_from(start) })
    }

    pub(super) fn parameters(&mut self) -> Parsed<Vec<Parameter>> {
        self.parens(Parser::parameter)
    }

    /// Whether a declaration of a local starts here: a type and a name, and nothing that makes it something else.
    pub(super) fn at_local_declaration(&self) -> bool {
        let Some(behind) = self.scan_type(self.position(), 0) else { return false };
        let Some(name) = self.tokens().get(behind) else { return false };
        if self.is_name(*name) {
            return true;
        }
        // `int class = 3` is a declaration with an impossible name.
        let is_keyword = name.kind == TokenKind::Word && !name.first_of_line;
        let next = self.tokens().get(behind + 1).map(|token| token.kind);
        is_keyword && next == Some(TokenKind::Symbol(Symbol::Assign))
    }

    fn kind_at(&self, index: usize) -> TokenKind {
        self.tokens().get(index).map_or(TokenKind::End, |token| token.kind)
    }

    fn is_symbol(&self, index: usize, symbol: Symbol) -> bool {
        self.kind_at(index) == TokenKind::Symbol(symbol)
    }

    /// The index behind a type that starts at `index`, if there is one.
    pub(super) fn scan_type(&self, index: usize, depth: usize) -> Option<usize> {
        if depth > limits::NESTING {
            return None;
        }
        let token = *self.tokens().get(index)?;
        let word = self.word_of(token);
        let mut next = index + 1;
        if words::SIMPLE_TYPES.contains(&word) {
        } else if words::GENERIC_TYPES.contains(&word) && self.is_symbol(next, Symbol::Less) {
            next = self.scan_type_arguments(next, depth)?;
        } else if self.is_name(token) {
            if self.is_symbol(next, Symbol::Less) {
                next = self.scan_type_arguments(next, depth)?;
            }
        } else {
            return None;
        }
        while self.is_symbol(next, Symbol::LeftBracket) {
            next = self.scan_brackets(next)?;
        }
        Some(next)
    }

    /// The index behind `<T, 4, U>` that starts at `index`, if that is what stands there.
    pub(super) fn scan_type_arguments(&self, index: usize, depth: usize) -> Option<usize> {
        if !self.is_symbol(index, Symbol::Less) {
            return None;
        }
        let mut next = index + 1;
        loop {
            next = if self.kind_at(next) == TokenKind::Integer {
                next + 1
            } else {
                self.scan_type(next, depth + 1)?
            };
            match self.kind_at(next) {
                TokenKind::Symbol(Symbol::Comma) => next += 1,
                TokenKind::Symbol(Symbol::Greater) => return Some(next + 1),
                _ => return None,
            }
        }
    }

    /// The index behind the bracket that closes the one at `index`, inside of one statement.
    pub(super) fn scan_brackets(&self, index: usize) -> Option<usize> {
        let mut open = 0_usize;
        for next in index..self.tokens().len() {
            match self.kind_at(next) {
                TokenKind::Symbol(Symbol::LeftBracket) => open += 1,
                TokenKind::Symbol(Symbol::RightBracket) => {
                    open -= 1;
                    if open == 0 {
                        return Some(next + 1);
                    }
                }
                TokenKind::Symbol(Symbol::Semicolon) | TokenKind::End => return None,
                _ => {}
            }
        }
        None
    }
}

fn simple_type(word: &str) -> TypeKind {
    match word {
        "int" => TypeKind::Int,
        "boolean" | "bool" => TypeKind::Boolean,
        "char" => TypeKind::Char,
        "string" => TypeKind::String,
        "void" => TypeKind::Void,
        "float32" => TypeKind::Float32,
        "float64" => TypeKind::Float64,
        "frac" => TypeKind::Fraction,
        "zfrac" => TypeKind::ZeroFraction,
        "rational" => TypeKind::Rational,
        "resource" => TypeKind::Resource,
        "process" => TypeKind::Process,
        "ref" => TypeKind::Ref,
        "any" => TypeKind::Any,
        _ => TypeKind::Nothing,
    }
}
