//! Recursive-descent parser with recovery at declarations, members, clauses and statements.
//!
//! A rule that fails says so with one diagnostic; the list that called it drops the item, looks for the start of the
//! next one and goes on. A missing semicolon in front of a new line is reported and otherwise ignored. Nesting is
//! bounded by [`MAX_NESTING`] and the height of an expression by [`MAX_DEPTH`], so no pass can run out of stack.

mod contracts;
mod declarations;
mod expressions;
mod hints;
mod literals;
mod members;
mod models;
mod old_dialect;
mod primaries;
mod recovery;
mod regions;
mod statements;
mod types;

use source::{Diagnostic, FileId, Severity, Span};

use super::token::{Bracket, Symbol, Token, TokenKind, Tokens, tokenize};
use super::tree::{Dialect, Expectation, Expression, ExpressionKind, Name, NodeId, Program, TypeParameter};
use super::words;
use crate::codes;

/// How deep parentheses, blocks and prefix operators may be nested.
pub const MAX_NESTING: usize = 500;
/// How high the tree of an expression may be.
pub const MAX_DEPTH: usize = 2000;
/// After so many errors the rest of a file is not read.
const MAX_ERRORS: usize = 100;

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Options {
    pub dialect: Dialect,
}

/// Parses one file. The program holds what could be read, also where there are errors; the messages can be warnings
/// only.
pub fn parse(file: FileId, text: &str, options: Options) -> (Program, Vec<Diagnostic>) {
    silver::with_large_stack(|| {
        let (program, mut diagnostics) = parse_here(file, text, options);
        if options.dialect == Dialect::New && diagnostics.iter().any(Diagnostic::is_error) {
            let (_, old) = parse_here(file, text, Options { dialect: Dialect::Old });
            let errors = |list: &[Diagnostic]| list.iter().filter(|it| it.is_error()).count();
            if errors(&old) == 0 {
                let first = diagnostics.iter().find_map(Diagnostic::span);
                diagnostics.push(suggest_old_dialect(first.unwrap_or(Span::new(file, 0, 0))));
            }
        }
        (program, diagnostics)
    })
}

fn suggest_old_dialect(place: Span) -> Diagnostic {
    Diagnostic::warning(codes::DIALECT, place, "this file reads without errors as a program for VerCors 1.x")
        .help("to verify it as it is, add `--dialect 1`")
}

fn parse_here(file: FileId, text: &str, options: Options) -> (Program, Vec<Diagnostic>) {
    // Places are 32 bits wide; a larger text would be given wrong ones.
    if text.len() > u32::MAX as usize / 2 {
        let error = Diagnostic::error(codes::PARSE, Span::new(file, 0, 0), "the file is larger than 2 GiB");
        return (Program::default(), vec![error]);
    }
    let Tokens { tokens, brackets } = tokenize(file, text);
    let mut parser = Parser {
        file,
        text,
        tokens,
        position: 0,
        nesting: 0,
        next_id: 0,
        dialect: options.dialect,
        class_name: None,
        errors: 0,
        diagnostics: Vec::new(),
        unwinding: false,
        ghost_results: Vec::new(),
    };
    if parser.is_old() {
        parser.ghost_results = parser.names_of_ghost_results();
    }
    let declarations = parser.program();
    let expectations = parser.expectations(brackets);
    (Program { dialect: options.dialect, declarations, expectations }, parser.diagnostics)
}

/// What was wrong where parsing stopped.
struct Failure(Box<Diagnostic>);

type Parsed<T> = Result<T, Failure>;

struct Parser<'a> {
    file: FileId,
    text: &'a str,
    tokens: Vec<Token>,
    position: usize,
    nesting: usize,
    next_id: u32,
    dialect: Dialect,
    /// The class whose members are being read.
    class_name: Option<std::sync::Arc<str>>,
    errors: usize,
    diagnostics: Vec<Diagnostic>,
    /// A member of a class was found inside of a body: all blocks up to the class are taken as closed.
    unwinding: bool,
    /// In the old dialect, names that are declared with `yields` and never with `given`.
    ghost_results: Vec<&'a str>,
}

impl<'a> Parser<'a> {
    fn token(&self) -> Token {
        self.tokens[self.position.min(self.tokens.len() - 1)]
    }

    fn peek(&self, ahead: usize) -> Token {
        self.tokens[(self.position + ahead).min(self.tokens.len() - 1)]
    }

    /// The token before the current one, or the current one at the start.
    fn previous(&self) -> Token {
        self.tokens[self.position.saturating_sub(1).min(self.tokens.len() - 1)]
    }

    fn text_of(&self, token: Token) -> &'a str {
        self.text.get(token.start..token.end).unwrap_or("")
    }

    fn word_of(&self, token: Token) -> &'a str {
        if token.kind == TokenKind::Word { self.text_of(token) } else { "" }
    }

    /// The text of the current token if it is a word, else the empty string.
    fn word(&self) -> &'a str {
        self.word_of(self.token())
    }

    fn peek_word(&self, ahead: usize) -> &'a str {
        self.word_of(self.peek(ahead))
    }

    /// The current token if it is a command, without its backslash.
    fn command(&self) -> &'a str {
        self.command_of(self.token())
    }

    fn command_of(&self, token: Token) -> &'a str {
        if token.kind != TokenKind::Command {
            return "";
        }
        match self.text_of(token) {
            "∀" => "forall",
            "∃" => "exists",
            text => text.trim_start_matches('\\'),
        }
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
        let end = if self.position == 0 { start } else { self.previous().end };
        Span::new(self.file, start, end.max(start))
    }

    fn token_span(&self, token: Token) -> Span {
        Span::new(self.file, token.start, token.end)
    }

    /// The place just behind the previous token.
    fn behind(&self) -> Span {
        let end = self.previous().end;
        Span::new(self.file, end, end)
    }

    fn id(&mut self) -> NodeId {
        let index = self.next_id;
        self.next_id = self.next_id.saturating_add(1);
        NodeId { file: self.file, index }
    }

    fn is_old(&self) -> bool {
        self.dialect == Dialect::Old
    }

    fn at(&self, symbol: Symbol) -> bool {
        self.token().kind == TokenKind::Symbol(symbol)
    }

    fn peek_at(&self, ahead: usize, symbol: Symbol) -> bool {
        self.peek(ahead).kind == TokenKind::Symbol(symbol)
    }

    fn at_end(&self) -> bool {
        self.token().kind == TokenKind::End
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

    fn at_command(&self, command: &str) -> bool {
        self.command() == command
    }

    fn eat_command(&mut self, command: &str) -> bool {
        let found = self.at_command(command);
        if found {
            self.position += 1;
        }
        found
    }

    fn is_name(&self, token: Token) -> bool {
        match token.kind {
            TokenKind::Word => !words::is_reserved(self.text_of(token), self.dialect),
            TokenKind::Escaped => true,
            _ => false,
        }
    }

    fn at_name(&self) -> bool {
        self.is_name(self.token())
    }

    fn name(&mut self) -> Parsed<Name> {
        self.name_for("a name")
    }

    /// A name, or an error that says what it was needed for.
    fn name_for(&mut self, what: &str) -> Parsed<Name> {
        if !self.at_name() {
            return self.fail(what);
        }
        let token = self.advance();
        let text = self.text_of(token);
        let text = if token.kind == TokenKind::Escaped { text.trim_matches('`') } else { text };
        Ok(Name { text: text.into(), span: self.token_span(token) })
    }

    fn names(&mut self) -> Parsed<Vec<Name>> {
        let mut names = vec![self.name()?];
        while self.eat(Symbol::Comma) {
            names.push(self.name()?);
        }
        Ok(names)
    }

    /// `<T, U>` behind a declared name, or nothing.
    fn type_parameters(&mut self) -> Parsed<Vec<TypeParameter>> {
        if !self.at(Symbol::Less) {
            return Ok(Vec::new());
        }
        self.list(Symbol::Less, Symbol::Greater, |parser| {
            Ok(TypeParameter { id: parser.id(), name: parser.name_for("the name of a type parameter")? })
        })
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
        if !self.at(close) {
            return self.fail(&format!("`,` or `{}`", close.text()));
        }
        self.advance();
        Ok(items)
    }

    fn parens<T>(&mut self, item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        self.list(Symbol::LeftParen, Symbol::RightParen, item)
    }

    /// `(expression)`
    fn parenthesised(&mut self) -> Parsed<Expression> {
        self.expect(Symbol::LeftParen)?;
        let expression = self.expression()?;
        self.expect(Symbol::RightParen)?;
        Ok(expression)
    }

    /// Runs a rule one level deeper.
    fn nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.nesting >= MAX_NESTING {
            return self.too_deep(&format!("nested deeper than {MAX_NESTING} levels"));
        }
        self.nesting += 1;
        let result = rule(self);
        self.nesting -= 1;
        result
    }

    fn too_deep<T>(&self, message: &str) -> Parsed<T> {
        let span = self.token_span(self.token());
        let error = Diagnostic::error(codes::PARSE, span, message)
            .help("name parts of it, with a function, a predicate or a local variable");
        Err(Failure(Box::new(error)))
    }

    fn finish(&mut self, start: usize, kind: ExpressionKind) -> Parsed<Expression> {
        let id = self.id();
        let expression = Expression::new(id, kind, self.span_from(start));
        if expression.depth as usize > MAX_DEPTH {
            return self.too_deep(&format!("an expression is more than {MAX_DEPTH} operators deep"));
        }
        Ok(expression)
    }

    fn error<T>(&self, span: Span, message: impl Into<String>, help: impl Into<String>) -> Parsed<T> {
        Err(Failure(Box::new(Diagnostic::error(codes::PARSE, span, message).help(help))))
    }

    fn unsupported<T>(&self, span: Span, construct: &str) -> Parsed<T> {
        Err(Failure(Box::new(unsupported(span, construct))))
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if diagnostic.severity == Severity::Error {
            self.errors += 1;
            if self.errors > MAX_ERRORS {
                return;
            }
        }
        self.diagnostics.push(diagnostic);
    }

    /// Whether there were so many errors that reading on helps nobody.
    fn given_up(&self) -> bool {
        self.errors >= MAX_ERRORS
    }

    fn report_failure(&mut self, failure: Failure) {
        self.report(*failure.0);
    }

    /// Pairs the brackets of expected failures; they nest.
    fn expectations(&mut self, brackets: Vec<Bracket>) -> Vec<Expectation> {
        let mut expectations: Vec<Expectation> = Vec::new();
        let mut open = Vec::new();
        for bracket in brackets {
            match bracket {
                Bracket::Expect { code, span } => {
                    open.push(expectations.len());
                    expectations.push(Expectation { code, span, opening: span });
                }
                Bracket::End { span } => match open.pop() {
                    Some(index) => expectations[index].span = expectations[index].opening.to(span),
                    None => self.report(
                        Diagnostic::error(codes::PARSE, span, "`[/end]` without a `[/expect …]` before it")
                            .help("remove it, or write `[/expect code]` where the region starts"),
                    ),
                },
            }
        }
        for index in open {
            self.report(
                Diagnostic::error(
                    codes::PARSE,
                    expectations[index].opening,
                    "this expected failure has no end",
                )
                .help("write `[/end]` behind the part of the program that should fail"),
            );
        }
        expectations
    }
}

fn unsupported(span: Span, construct: &str) -> Diagnostic {
    Diagnostic::error(codes::UNSUPPORTED, span, format!("{construct} not supported yet"))
}
