//! Literals: characters, strings, collections, ranges, triggers, and the scaling that looks like a sequence.

use parse::{Expected, Failing, Reader};

use super::super::token::{Symbol, TokenKind};
use super::super::tree::{CollectionKind, Expression, ExpressionKind, Selector, TriggerGroup};
use super::{Parsed, Parser};

impl Parser<'_> {
    /// A character or a string, with its escapes replaced.
    pub(super) fn text_literal(&mut self) -> Parsed<ExpressionKind> {
        let token = self.token();
        let quoted = self.text_of(token);
        let inner = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or("");
        let Some(text) = unescape(inner) else {
            return self.error(
                token.span,
                "this text has an escape that does not exist",
                "escapes are `\\t`, `\\n`, `\\r`, `\\\"`, `\\'`, `\\\\` and `\\uXXXX`",
            );
        };
        self.advance();
        if token.kind == TokenKind::Text {
            return Ok(ExpressionKind::String(text.into()));
        }
        Ok(ExpressionKind::Char(text.chars().next().unwrap_or('\0')))
    }

    /// `{: e :}` with its group.
    pub(super) fn trigger(&mut self) -> Parsed<ExpressionKind> {
        let token = self.advance();
        let text = self.text_of(token).trim_start_matches("{:").trim_end_matches(':');
        let levels = text.bytes().filter(|byte| *byte == b'<').count() as u32;
        let number = text.trim_start_matches('<');
        let group = if number.is_empty() {
            0
        } else {
            match number.parse::<u32>() {
                Ok(number) => number,
                Err(_) => {
                    return self.error(
                        token.span,
                        "the number of this trigger group is too large",
                        "groups are told apart by small numbers",
                    );
                }
            }
        };
        let group = match (levels, number.is_empty()) {
            (0, true) => TriggerGroup::Default,
            (0, false) => TriggerGroup::Numbered(group),
            (levels, _) => TriggerGroup::Outer { levels, group },
        };
        let inner = self.nested(Parser::expression)?;
        if !self.at(Symbol::TriggerClose) {
            return self.fail(Expected::from(Symbol::TriggerClose).with("that ends the trigger"));
        }
        self.advance();
        Ok(ExpressionKind::Trigger(group, inner))
    }

    /// `[t: T]`, `[a .. b]`, `[a, b]` or `[f]resource`.
    pub(super) fn bracketed(&mut self) -> Parsed<Expression> {
        let start = self.start();
        self.advance();
        if self.at_word("t") && self.peek_at(1, Symbol::Colon) {
            self.skip(2);
            let element = Some(self.ty()?);
            self.expect(Symbol::RightBracket)?;
            let kind = CollectionKind::Seq;
            return self.finish(start, ExpressionKind::Collection { kind, element, elements: Vec::new() });
        }
        if self.at(Symbol::RightBracket) {
            return self.error(
                self.span(),
                "an empty sequence needs its type",
                "write `[t: int]` or `seq<int>{}`",
            );
        }
        let first = self.expression()?;
        if self.eat(Symbol::DotDot) {
            let high = self.expression()?;
            self.expect(Symbol::RightBracket)?;
            return self.finish(start, ExpressionKind::RangeSeq(first, high));
        }
        if self.at(Symbol::RightBracket) && self.scales() {
            self.advance();
            let resource = self.unary()?;
            return self.finish(start, ExpressionKind::Scale(first, resource));
        }
        let elements = self.rest_of_list(first, Symbol::RightBracket)?;
        let kind = CollectionKind::Seq;
        self.finish(start, ExpressionKind::Collection { kind, element: None, elements })
    }

    /// Whether the bracket at the current token ends a factor rather than a sequence: an operand follows.
    fn scales(&self) -> bool {
        let mut next = self.position() + 1;
        while self
            .tokens()
            .get(next)
            .is_some_and(|token| token.kind == TokenKind::Symbol(Symbol::LeftBracket))
        {
            match self.scan_brackets(next) {
                Some(behind) => next = behind,
                None => return false,
            }
        }
        self.tokens().get(next).is_some_and(|token| {
            self.starts_operand(*token)
                && !matches!(
                    token.kind,
                    TokenKind::Symbol(Symbol::Bar | Symbol::LeftBrace)
                        | TokenKind::Integer
                        | TokenKind::Float
                )
        })
    }

    /// Items behind the first one, up to the closing symbol.
    fn rest_of_list(&mut self, first: Expression, close: Symbol) -> Parsed<Vec<Expression>> {
        let mut elements = vec![first];
        while self.eat(Symbol::Comma) {
            elements.push(self.expression()?);
        }
        if !self.at(close) {
            return self.fail([Symbol::Comma, close]);
        }
        self.advance();
        Ok(elements)
    }

    /// `{t: T}`, `{a .. b}` or `{a, b}`; a bag if `b` stood in front.
    pub(super) fn braced(&mut self, bag: bool) -> Parsed<Expression> {
        let start = if bag { self.previous().span.start } else { self.start() };
        self.advance();
        let kind = if bag { CollectionKind::Bag } else { CollectionKind::Set };
        if self.at_word("t") && self.peek_at(1, Symbol::Colon) {
            self.skip(2);
            let element = Some(self.ty()?);
            self.expect(Symbol::RightBrace)?;
            return self.finish(start, ExpressionKind::Collection { kind, element, elements: Vec::new() });
        }
        if self.at(Symbol::RightBrace) {
            return self.error(
                self.span(),
                format!("an empty {} needs its type", kind.text()),
                format!("write `{}<int>{{}}`", kind.text()),
            );
        }
        let first = self.expression()?;
        if !bag && self.eat(Symbol::DotDot) {
            let high = self.expression()?;
            self.expect(Symbol::RightBrace)?;
            return self.finish(start, ExpressionKind::RangeSet(first, high));
        }
        let elements = self.rest_of_list(first, Symbol::RightBrace)?;
        self.finish(start, ExpressionKind::Collection { kind, element: None, elements })
    }

    /// `seq<T>{…}` and its relatives; nothing if it is not followed by a brace.
    pub(super) fn typed_literal(&mut self) -> Parsed<Option<Expression>> {
        let start = self.start();
        let word = self.word();
        let Some(behind) = self.scan_type_arguments(self.position() + 1, 0) else { return Ok(None) };
        if self.tokens().get(behind).is_none_or(|token| token.kind != TokenKind::Symbol(Symbol::LeftBrace)) {
            return Ok(None);
        }
        self.skip(2);
        let first = self.ty()?;
        let second = if self.eat(Symbol::Comma) {
            if word == "vector" { self.expression().map(|_| None)? } else { Some(self.ty()?) }
        } else {
            None
        };
        self.expect(Symbol::Greater)?;
        let kind = self.nested(|parser| match (word, second) {
            ("set", None) => parser.set_literal(first),
            ("seq" | "bag" | "vector", None) => {
                let kind = match word {
                    "seq" => CollectionKind::Seq,
                    "bag" => CollectionKind::Bag,
                    _ => CollectionKind::Vector,
                };
                let elements = parser.list(Symbol::LeftBrace, Symbol::RightBrace, Parser::expression)?;
                Ok(ExpressionKind::Collection { kind, element: Some(first), elements })
            }
            ("map", Some(value)) => {
                let entries = parser.list(Symbol::LeftBrace, Symbol::RightBrace, |parser| {
                    let key = parser.expression()?;
                    if !parser.at(Symbol::Arrow) {
                        return parser.fail(Expected::from(Symbol::Arrow).with("and the value of the key"));
                    }
                    parser.advance();
                    Ok((key, parser.expression()?))
                })?;
                Ok(ExpressionKind::Map { key: first, value, entries })
            }
            ("tuple", Some(second_type)) => {
                parser.expect(Symbol::LeftBrace)?;
                let value = parser.expression()?;
                parser.expect(Symbol::Comma)?;
                let second = parser.expression()?;
                parser.expect(Symbol::RightBrace)?;
                Ok(ExpressionKind::Tuple { first_type: first, second_type, first: value, second })
            }
            _ => {
                let span = parser.span_from(start);
                parser.error(
                    span,
                    format!("there is no literal of the type `{word}` with these type arguments"),
                    "options are `Some(x)` and `None`, the two cases of `either` are `Left(x)` and `Right(x)`",
                )
            }
        })?;
        self.finish(start, kind).map(Some)
    }

    /// `{ a, b }` or `{ e | T x <- s, …; condition }` behind `set<T>`.
    fn set_literal(&mut self, element: super::super::tree::Type) -> Parsed<ExpressionKind> {
        self.expect(Symbol::LeftBrace)?;
        let kind = CollectionKind::Set;
        if self.eat(Symbol::RightBrace) {
            return Ok(ExpressionKind::Collection { kind, element: Some(element), elements: Vec::new() });
        }
        let first = self.expression()?;
        if !self.eat(Symbol::Bar) {
            let elements = self.rest_of_list(first, Symbol::RightBrace)?;
            return Ok(ExpressionKind::Collection { kind, element: Some(element), elements });
        }
        let mut selectors = Vec::new();
        loop {
            let start = self.start();
            let variable = self.typed_name()?;
            let source = if self.at(Symbol::Less) && self.touches(1, Symbol::Minus) {
                self.skip(2);
                Some(self.unary()?)
            } else {
                None
            };
            let span = self.span_from(start);
            selectors.push(Selector { id: variable.id, ty: variable.ty, name: variable.name, source, span });
            if !self.eat(Symbol::Comma) {
                break;
            }
        }
        self.expect(Symbol::Semicolon)?;
        let condition = self.expression()?;
        self.expect(Symbol::RightBrace)?;
        Ok(ExpressionKind::Comprehension { element, value: first, selectors, condition })
    }
}

/// Replaces escapes; `None` if one does not exist.
fn unescape(text: &str) -> Option<String> {
    let mut result = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            result.push(character);
            continue;
        }
        match characters.next()? {
            't' => result.push('\t'),
            'n' => result.push('\n'),
            'r' => result.push('\r'),
            '0' => result.push('\0'),
            quoted @ ('"' | '\'' | '\\') => result.push(quoted),
            'u' => {
                let mut code = 0;
                for _ in 0..4 {
                    code = code * 16 + characters.next()?.to_digit(16)?;
                }
                // Halves of pairs have no character of their own.
                result.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            _ => return None,
        }
    }
    Some(result)
}
