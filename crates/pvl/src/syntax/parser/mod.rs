//! Recursive-descent parser with recovery at declarations, members, clauses and statements.
//!
//! A rule that fails says so with one diagnostic; the list that called it drops the item, looks for the start of the
//! next one and goes on. A missing semicolon in front of a new line is reported and otherwise ignored. Nesting is
//! bounded by [`limits::NESTING`] and the height of an expression by [`limits::DEPTH`], so no pass can run out of stack.

mod contracts;
mod declarations;
mod expressions;
mod formulas;
mod hints;
mod literals;
mod members;
mod models;
mod old_dialect;
mod primaries;
mod proofs;
mod recovery;
mod regions;
mod statements;
mod types;

use parse::{Cursor, Expected, Failing, Reader, Reading};
use source::{Diagnostic, FileId, Span};

use super::token::{Bracket, Symbol, Token, TokenKind, Tokens, tokenize};
use super::tree::{Dialect, Expectation, Expression, ExpressionKind, Name, NodeId, Program, TypeParameter};
use super::words;
use crate::{codes, limits};

pub use formulas::{read_condition, read_formula, read_process, read_range};

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
    let mut parser = Parser::new(file, text, tokens, options);
    if parser.is_old() {
        parser.ghost_results = parser.names_of_ghost_results();
    }
    let declarations = parser.program();
    let expectations = parser.expectations(brackets);
    (Program { dialect: options.dialect, declarations, expectations }, parser.reading.messages.into_list())
}

/// What was wrong where parsing stopped.
struct Failure(Box<Diagnostic>);

type Parsed<T> = Result<T, Failure>;

struct Parser<'a> {
    file: FileId,
    text: &'a str,
    reading: Reading<Token>,
    next_id: u32,
    dialect: Dialect,
    /// The class whose members are being read.
    class_name: Option<std::sync::Arc<str>>,
    /// A member of a class was found inside of a body: all blocks up to the class are taken as closed.
    unwinding: bool,
    /// In the old dialect, names that are declared with `yields` and never with `given`.
    ghost_results: Vec<&'a str>,
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
        self.failure(&expected.into())
    }
}

impl<'a> Parser<'a> {
    /// A parser before the first token of a text.
    fn new(file: FileId, text: &'a str, tokens: Vec<Token>, options: Options) -> Parser<'a> {
        let cursor = Cursor::new(tokens, Span::new(file, 0, 0));
        Parser {
            file,
            text,
            reading: Reading::new(cursor, limits::NESTING, limits::ERRORS),
            next_id: 0,
            dialect: options.dialect,
            class_name: None,
            unwinding: false,
            ghost_results: Vec::new(),
        }
    }

    /// The token before the current one, or the current one at the start.
    fn previous(&self) -> Token {
        self.reading.cursor.previous().copied().unwrap_or(self.token())
    }

    fn text_of(&self, token: Token) -> &'a str {
        parse::text_at(self.text, token.span)
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

    fn id(&mut self) -> NodeId {
        let index = self.next_id;
        self.next_id = self.next_id.saturating_add(1);
        NodeId { file: self.file, index }
    }

    fn is_old(&self) -> bool {
        self.dialect == Dialect::Old
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

    fn at_command(&self, command: &str) -> bool {
        self.command() == command
    }

    fn eat_command(&mut self, command: &str) -> bool {
        let found = self.at_command(command);
        if found {
            self.advance();
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
    fn name_for(&mut self, what: &'static str) -> Parsed<Name> {
        if !self.at_name() {
            return self.fail(Expected::name(what));
        }
        let token = self.advance();
        let text = self.text_of(token);
        let text = if token.kind == TokenKind::Escaped { text.trim_matches('`') } else { text };
        Ok(Name { text: text.into(), span: token.span })
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
        self.within(rule, |parser| parser.too_deep(&format!("nested deeper than {} levels", limits::NESTING)))
    }

    fn too_deep<T>(&self, message: &str) -> Parsed<T> {
        let error = Diagnostic::error(codes::PARSE, self.span(), message)
            .help("name parts of it, with a function, a predicate or a local variable");
        Err(Failure(Box::new(error)))
    }

    fn finish(&mut self, start: u32, kind: ExpressionKind) -> Parsed<Expression> {
        let id = self.id();
        let expression = Expression::new(id, kind, self.span_from(start));
        if expression.depth as usize > limits::DEPTH {
            return self.too_deep(&format!("an expression is more than {} operators deep", limits::DEPTH));
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
        self.reading.messages.report(diagnostic);
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
