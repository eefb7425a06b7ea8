//! Recursive-descent parser with recovery at members.
//!
//! It accepts what Viper's parser accepts and reports where that one reports: parsing a member stops at its first
//! error, the next member is looked for behind it. Nesting is bounded by [`MAX_NESTING`] and the height of an
//! expression by [`crate::typed::MAX_DEPTH`], so neither the parser nor a later pass can run out of stack.

mod expressions;
mod members;
mod statements;
mod types;

use std::sync::Arc;

use source::{Diagnostic, FileId, Span};

use super::token::{KEYWORDS, Symbol, Token, TokenKind, tokenize};
use super::tree::{Name, Program};
use crate::codes;

/// How deep parentheses, blocks and prefix operators may be nested.
pub const MAX_NESTING: usize = 500;

/// Parses one file. The program holds the members that could be read, also where there are errors; the messages can
/// be warnings only.
pub fn parse(file: FileId, text: &str) -> (Program, Vec<Diagnostic>) {
    crate::with_large_stack(|| parse_here(file, text))
}

/// Parses on the stack of the caller, which must be large.
pub(crate) fn parse_here(file: FileId, text: &str) -> (Program, Vec<Diagnostic>) {
    let mut parser =
        Parser { file, text, tokens: tokenize(text), position: 0, nesting: 0, diagnostics: Vec::new() };
    let members = parser.members();
    (Program { members }, parser.diagnostics)
}

/// Where parsing stopped and what was wrong there.
struct Failure {
    span: Span,
    message: String,
}

type Parsed<T> = Result<T, Failure>;

struct Parser<'a> {
    file: FileId,
    text: &'a str,
    tokens: Vec<Token>,
    position: usize,
    nesting: usize,
    diagnostics: Vec<Diagnostic>,
}

impl Parser<'_> {
    fn token(&self) -> Token {
        self.tokens[self.position.min(self.tokens.len() - 1)]
    }

    fn peek(&self, ahead: usize) -> Token {
        self.tokens[(self.position + ahead).min(self.tokens.len() - 1)]
    }

    fn text_of(&self, token: Token) -> &str {
        &self.text[token.start..token.end]
    }

    /// The text of the current token if it is a word, else the empty string.
    fn word(&self) -> &str {
        let token = self.token();
        if token.kind == TokenKind::Word { self.text_of(token) } else { "" }
    }

    fn advance(&mut self) -> Token {
        let token = self.token();
        if token.kind != TokenKind::End {
            self.position += 1;
        }
        token
    }

    fn start(&self) -> usize {
        self.token().start
    }

    /// From a start to the end of the token before the current one.
    fn span_from(&self, start: usize) -> Span {
        let end = if self.position == 0 { start } else { self.tokens[self.position - 1].end };
        Span::new(self.file, start, end.max(start))
    }

    fn token_span(&self, token: Token) -> Span {
        Span::new(self.file, token.start, token.end)
    }

    fn fail<T>(&self, expected: &str) -> Parsed<T> {
        let token = self.token();
        let found = match token.kind {
            TokenKind::End => "the end of the file".to_string(),
            TokenKind::Unknown if self.text_of(token).starts_with("/*") => {
                "a comment without end".to_string()
            }
            TokenKind::Unknown if self.text_of(token) == "\"" => "a string without end".to_string(),
            _ => format!("`{}`", self.text_of(token)),
        };
        Err(Failure { span: self.token_span(token), message: format!("expected {expected}, found {found}") })
    }

    fn at(&self, symbol: Symbol) -> bool {
        self.token().kind == TokenKind::Symbol(symbol)
    }

    fn eat(&mut self, symbol: Symbol) -> bool {
        let found = self.at(symbol);
        if found {
            self.position += 1;
        }
        found
    }

    fn expect(&mut self, symbol: Symbol) -> Parsed<Token> {
        if self.at(symbol) { Ok(self.advance()) } else { self.fail(&format!("`{}`", symbol.text())) }
    }

    fn at_word(&self, word: &str) -> bool {
        self.word() == word
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.position += 1;
        }
        found
    }

    fn expect_word(&mut self, word: &str) -> Parsed<Token> {
        if self.at_word(word) { Ok(self.advance()) } else { self.fail(&format!("`{word}`")) }
    }

    fn at_name(&self) -> bool {
        let word = self.word();
        !word.is_empty() && !KEYWORDS.contains(&word)
    }

    fn name(&mut self) -> Parsed<Name> {
        if !self.at_name() {
            return self.fail("an identifier");
        }
        let token = self.advance();
        Ok(Name { text: self.text_of(token).into(), span: self.token_span(token) })
    }

    /// A string literal without its quotes.
    fn string(&mut self) -> Parsed<Arc<str>> {
        if self.token().kind != TokenKind::Text {
            return self.fail("a string");
        }
        let token = self.advance();
        Ok(self.text[token.start + 1..token.end - 1].into())
    }

    /// `open item, item close`, possibly empty.
    fn list<T>(
        &mut self,
        open: Symbol,
        close: Symbol,
        mut item: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        self.expect(open)?;
        let mut items = Vec::new();
        if self.eat(close) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if !self.eat(Symbol::Comma) {
                break;
            }
        }
        self.expect(close)?;
        Ok(items)
    }

    fn parens<T>(&mut self, item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        self.list(Symbol::LeftParen, Symbol::RightParen, item)
    }

    /// Runs a rule one level deeper.
    fn nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.nesting >= MAX_NESTING {
            let message = format!("nested deeper than {MAX_NESTING} levels");
            return Err(Failure { span: self.token_span(self.token()), message });
        }
        self.nesting += 1;
        let result = rule(self);
        self.nesting -= 1;
        result
    }

    fn warn(&mut self, span: Span, message: &str, help: &str) {
        let warning = Diagnostic::warning(codes::PARSER_WARNING, span, message).help(help);
        // A rule that is read again after looking ahead warns only once.
        if !self.diagnostics.contains(&warning) {
            self.diagnostics.push(warning);
        }
    }

    fn report(&mut self, failure: Failure) {
        self.diagnostics.push(
            Diagnostic::error(codes::PARSER, failure.span, failure.message)
                .help("the member that this is in was skipped; errors inside it may be hidden"),
        );
    }
}
