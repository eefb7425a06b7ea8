//! Recursive-descent parser with recovery at members.
//!
//! It accepts what Viper's parser accepts and reports where that one reports: parsing a member stops at its first
//! error, the next member is looked for behind it. Nesting is bounded by [`limits::NESTING`] and the height of
//! an expression by [`limits::DEPTH`], so neither the parser nor a later pass can run out of stack.

mod expressions;
mod members;
mod statements;
mod types;

use std::sync::Arc;

use parse::{Cursor, Expected, Failing, Reader, Reading};
use source::{Diagnostic, FileId, Span};

use super::token::{KEYWORDS, Symbol, Token, TokenKind, tokenize};
use super::tree::{Name, Program};
use crate::{codes, limits};

/// Parses one file. The program holds the members that could be read, also where there are errors; the messages can
/// be warnings only.
pub fn parse(file: FileId, text: &str) -> (Program, Vec<Diagnostic>) {
    crate::with_large_stack(|| parse_here(file, text))
}

/// Parses on the stack of the caller, which must be large.
pub(crate) fn parse_here(file: FileId, text: &str) -> (Program, Vec<Diagnostic>) {
    let cursor = Cursor::new(tokenize(file, text), Span::new(file, 0, 0));
    let mut parser = Parser { file, text, reading: Reading::new(cursor, limits::NESTING, limits::ERRORS) };
    let members = parser.members();
    (Program { members }, parser.reading.messages.into_list())
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
    reading: Reading<Token>,
}

impl Reader for Parser<'_> {
    type Token = Token;

    fn reading(&self) -> &Reading<Token> {
        &self.reading
    }

    fn reading_mut(&mut self) -> &mut Reading<Token> {
        &mut self.reading
    }
}

impl Failing for Parser<'_> {
    type Failure = Failure;

    const COMMA: Symbol = Symbol::Comma;

    fn fail<T>(&self, expected: impl Into<Expected>) -> Parsed<T> {
        let token = self.token();
        let found = match token.kind {
            TokenKind::End => "the end of the file".to_string(),
            TokenKind::Unknown if self.text_of(token).starts_with("/*") => {
                "a comment without end".to_string()
            }
            TokenKind::Unknown if self.text_of(token) == "\"" => "a string without end".to_string(),
            _ => format!("`{}`", self.text_of(token)),
        };
        let message = format!("expected {}, found {found}", expected.into());
        Err(Failure { span: token.span, message })
    }
}

impl Parser<'_> {
    fn text_of(&self, token: Token) -> &str {
        parse::text_at(self.text, token.span)
    }

    /// The text of the current token if it is a word, else the empty string.
    fn word(&self) -> &str {
        let token = self.token();
        if token.kind == TokenKind::Word { self.text_of(token) } else { "" }
    }

    fn at_word(&self, word: &str) -> bool {
        self.word() == word
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.advance();
        }
        found
    }

    fn expect_word(&mut self, word: &'static str) -> Parsed<()> {
        if self.eat_word(word) { Ok(()) } else { self.fail(Expected::word(word)) }
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
        Ok(Name { text: self.text_of(token).into(), span: token.span })
    }

    /// A string literal without its quotes.
    fn string(&mut self) -> Parsed<Arc<str>> {
        if self.token().kind != TokenKind::Text {
            return self.fail("a string");
        }
        let token = self.advance();
        let quoted = self.text_of(token);
        Ok(quoted.get(1..quoted.len() - 1).unwrap_or("").into())
    }

    fn parens<T>(&mut self, item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        self.list(Symbol::LeftParen, Symbol::RightParen, item)
    }

    /// Runs a rule one level deeper.
    fn nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.within(rule, |parser| {
            let message = format!("nested deeper than {} levels", limits::NESTING);
            Err(Failure { span: parser.span(), message })
        })
    }

    fn warn(&mut self, span: Span, message: &str, help: &str) {
        let warning = Diagnostic::warning(codes::PARSER_WARNING, span, message).help(help);
        self.reading.messages.report(warning);
    }

    fn report(&mut self, failure: Failure) {
        self.reading.messages.report(
            Diagnostic::error(codes::PARSER, failure.span, failure.message)
                .help("the member that this is in was skipped; errors inside it may be hidden"),
        );
    }
}
