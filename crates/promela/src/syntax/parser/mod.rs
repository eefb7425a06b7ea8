//! The parser: recursive descent over preprocessed tokens, with recovery at statements and units.
//!
//! SPIN's lexer knows which names are types, processes, inlines and symbolic constants by the time it
//! reads a token, and reads some line breaks as semicolons. Both live in [`Parser`]: the names declared so
//! far, and [`Parser::peek`], which shows a semicolon where SPIN would insert one. A parse function
//! returns none after it has reported an error; steps and units recover.

mod declaration;
mod expression;
mod formula;
mod inline;
mod statement;
mod transfer;
mod unit;

use std::sync::Arc;

use parse::{Cursor, Expected, Reader, Reading};
use rustc_hash::{FxHashMap, FxHashSet};
use source::{Diagnostic, FileId, Span};

use super::scan::too_large;
use super::token::{Bad, Punct, Token, TokenKind};
use super::tree::{Expr, Module, Name, Reference};
use crate::limits;
use inline::Inline;

pub use formula::parse_formula;

/// Parses a whole model.
pub fn parse(tokens: Vec<Token>) -> (Module, Vec<Diagnostic>) {
    let mut parser = Parser::new(tokens);
    parser.units();
    (parser.module, parser.reading.messages.into_list())
}

/// The kinds of names that change how text parses.
#[derive(Clone, Default, Debug)]
pub struct Names {
    pub types: FxHashSet<Arc<str>>,
    pub processes: FxHashSet<Arc<str>>,
    pub constants: FxHashSet<Arc<str>>,
}

struct Parser {
    /// Once it has given up, everything looks like the end of the text.
    reading: Reading<Token>,
    /// What the last token was, for inserted semicolons.
    previous: Previous,
    /// Open parentheses: no semicolon is inserted inside.
    parens: u32,
    /// Inside a body or a typedef, where semicolons are inserted.
    in_sequence: bool,
    /// Inside a formula, where `->` is implication and `U`, `[]` … are operators.
    in_formula: bool,
    /// Inside a trace, where only events may stand.
    in_trace: bool,
    names: Names,
    inlines: FxHashMap<Arc<str>, Arc<Inline>>,
    /// The inline calls being expanded, innermost last.
    stack: Vec<Expanding>,
    /// Tokens that inline expansion may still produce.
    budget: usize,
    module: Module,
    /// Formulas read so far; they are parsed last.
    deferred: Vec<(Name, Vec<Token>)>,
    nameless_formulas: u32,
}

struct Expanding {
    name: Arc<str>,
    call: u32,
    /// What `return` assigns to.
    target: Option<Reference>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Previous {
    /// A line break after it is no semicolon.
    Other,
    /// A line break after it may be a semicolon.
    Ending,
    Brace,
    Else,
}

static SEMICOLON: TokenKind = TokenKind::Punct(Punct::Semicolon);
static END: TokenKind = TokenKind::End;

impl Reader for Parser {
    type Token = Token;

    fn reading(&self) -> &Reading<Token> {
        &self.reading
    }

    fn reading_mut(&mut self) -> &mut Reading<Token> {
        &mut self.reading
    }

    fn symbol(&self) -> Option<Punct> {
        match self.peek() {
            TokenKind::Punct(punct) => Some(*punct),
            _ => None,
        }
    }

    fn at_end(&self) -> bool {
        *self.peek() == TokenKind::End
    }

    fn bump(&mut self) {
        if self.given_up() {
            return;
        }
        if self.implied_semicolon() {
            self.previous = Previous::Other;
            return;
        }
        self.previous = self.classify(self.token());
        self.reading.cursor.advance();
    }
}

impl Parser {
    fn new(tokens: Vec<Token>) -> Parser {
        let first = tokens.first().map_or(Span::new(FileId(0), 0, 0), |token| token.span);
        Parser {
            reading: Reading::new(Cursor::new(tokens, first), limits::NESTING, limits::ERRORS),
            previous: Previous::Other,
            parens: 0,
            in_sequence: false,
            in_formula: false,
            in_trace: false,
            names: Names::default(),
            inlines: FxHashMap::default(),
            stack: Vec::new(),
            budget: limits::TOKENS,
            module: Module::default(),
            deferred: Vec::new(),
            nameless_formulas: 0,
        }
    }

    // ---- tokens ----

    /// The next token of the text, whatever SPIN inserts before it.
    fn token(&self) -> &Token {
        self.reading.cursor.token()
    }

    fn ahead(&self, distance: usize) -> &Token {
        self.reading.cursor.ahead(distance)
    }

    /// Where the last token stands that was read.
    fn previous_span(&self) -> Span {
        self.reading.cursor.previous_span()
    }

    fn implied_semicolon(&self) -> bool {
        let token = self.token();
        self.in_sequence
            && self.parens == 0
            && token.newline
            && token.kind != TokenKind::End
            && match self.previous {
                Previous::Other => false,
                Previous::Ending | Previous::Else => true,
                // SPIN looks for the first letter of `unless` only.
                Previous::Brace => !token.name().is_some_and(|name| name.starts_with('u')),
            }
    }

    /// The next token, or a semicolon where SPIN inserts one.
    fn peek(&self) -> &TokenKind {
        if self.given_up() {
            &END
        } else if self.implied_semicolon() {
            &SEMICOLON
        } else {
            &self.token().kind
        }
    }

    /// The next token if it is a name or keyword.
    fn word(&self) -> Option<&str> {
        match self.peek() {
            TokenKind::Name(name) => Some(name),
            _ => None,
        }
    }

    fn at_word(&self, word: &str) -> bool {
        self.word() == Some(word)
    }

    fn classify(&self, token: &Token) -> Previous {
        match &token.kind {
            TokenKind::Punct(Punct::RightBrace) => Previous::Brace,
            TokenKind::Punct(
                Punct::RightParen | Punct::RightBracket | Punct::PlusPlus | Punct::MinusMinus,
            )
            | TokenKind::Number(_)
            | TokenKind::Character(_) => Previous::Ending,
            TokenKind::Name(name) => match &**name {
                "else" => Previous::Else,
                "od" | "fi" | "break" | "true" | "false" | "skip" | "timeout" => Previous::Ending,
                other if is_keyword(other) => Previous::Other,
                other
                    if self.names.types.contains(other)
                        || self.names.processes.contains(other)
                        || self.inlines.contains_key(other) =>
                {
                    Previous::Other
                }
                _ => Previous::Ending,
            },
            _ => Previous::Other,
        }
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, punct: Punct) -> Option<()> {
        if self.eat(punct) {
            return Some(());
        }
        self.unexpected(punct)
    }

    /// Inside parentheses line breaks mean nothing.
    fn open_paren(&mut self) -> Option<()> {
        self.expect(Punct::LeftParen)?;
        self.parens += 1;
        Some(())
    }

    fn close_paren(&mut self) -> Option<()> {
        if !self.at(Punct::RightParen) {
            return self.unexpected(Punct::RightParen);
        }
        self.parens = self.parens.saturating_sub(1);
        // The parenthesis itself is not preceded by a semicolon: SPIN has read it inside.
        self.previous = Previous::Ending;
        self.reading.cursor.advance();
        Some(())
    }

    // ---- names ----

    /// A name that is no keyword.
    #[inline(never)]
    fn name(&mut self, what: &'static str) -> Option<Name> {
        let span = self.span();
        match self.peek() {
            TokenKind::Name(text) if self.is_keyword_here(text) => {
                let text = text.clone();
                self.report(
                    Diagnostic::error(
                        "parse.keyword",
                        span,
                        format!("`{text}` is a keyword, but {what} is wanted here"),
                    )
                    .help("choose another name"),
                );
                None
            }
            TokenKind::Name(text) => {
                let name = Name { text: text.clone(), span };
                self.bump();
                Some(name)
            }
            _ => self.unexpected(Expected::name(what)),
        }
    }

    fn is_keyword_here(&self, text: &str) -> bool {
        is_keyword(text) || (self.in_formula && formula::is_operator_word(text))
    }

    /// A name for something new: not one that already has a meaning in the lexer.
    fn new_name(&mut self, what: &'static str) -> Option<Name> {
        let name = self.name(what)?;
        let kind = if self.names.constants.contains(&name.text) {
            "a symbolic constant"
        } else if self.names.types.contains(&name.text) {
            "a type"
        } else if self.names.processes.contains(&name.text) {
            "a process"
        } else if self.inlines.contains_key(&name.text) {
            "an inline"
        } else {
            return Some(name);
        };
        self.report(
            Diagnostic::error(
                "name.redeclared",
                name.span,
                format!("`{}` is already the name of {kind}", name.text),
            )
            .help("choose another name"),
        );
        Some(name)
    }

    // ---- errors ----

    #[inline(never)]
    fn report(&mut self, diagnostic: Diagnostic) {
        // A faulty inline complains at its first call only.
        if !self.reading.messages.said(diagnostic.code, diagnostic.span()) {
            let diagnostic = self.in_call(diagnostic);
            self.reading.messages.report(diagnostic);
        }
    }

    /// Reports what makes reading on impossible.
    fn give_up(&mut self, error: Diagnostic) {
        let error = self.in_call(error);
        self.reading.messages.stop(error);
    }

    /// With the call of the inline that is being expanded.
    fn in_call(&self, diagnostic: Diagnostic) -> Diagnostic {
        match self.stack.last().and_then(|top| self.module.calls.get(top.call as usize)) {
            Some(call) if diagnostic.span() != Some(call.span) => {
                diagnostic.label(call.span, format!("in this call of inline `{}`", call.name.text))
            }
            _ => diagnostic,
        }
    }

    #[inline(never)]
    fn unexpected<T>(&mut self, wanted: impl Into<Expected>) -> Option<T> {
        let wanted = wanted.into();
        let found = self.peek().clone();
        let (span, code) = match &found {
            TokenKind::Bad(Bad::UnterminatedText) => (self.span(), "scan.string.unterminated"),
            TokenKind::Bad(Bad::Character(_)) => (self.span(), "scan.character"),
            // An inserted semicolon stands at the end of the line before.
            TokenKind::Punct(Punct::Semicolon) if !self.token().is(Punct::Semicolon) => {
                (self.previous_span(), "parse.unexpected")
            }
            _ => (self.span(), "parse.unexpected"),
        };
        let mut diagnostic = match found {
            TokenKind::Bad(Bad::UnterminatedText) => {
                Diagnostic::error(code, span, "this string has no end").help("close it with `\"`")
            }
            TokenKind::Bad(Bad::Character(character)) => {
                Diagnostic::error(code, span, format!("`{character}` is no part of Promela"))
                    .help("remove the character")
            }
            _ if span == self.previous_span() => {
                Diagnostic::error(code, span, format!("{wanted} expected before the end of the line"))
                    .help("a line break ends the statement here; join the lines")
            }
            found => Diagnostic::error(code, span, format!("{wanted} expected, found {}", found.describe()))
                .help(format!("put {wanted} here")),
        };
        if let Some(label) = diagnostic.labels.first_mut() {
            label.text = format!("{wanted} expected");
        }
        self.report(diagnostic);
        None
    }

    /// Runs a part that may nest, and gives up where the nesting is too deep.
    fn nested<T>(&mut self, part: impl FnOnce(&mut Parser) -> Option<T>) -> Option<T> {
        self.within(part, |parser| {
            let error = Diagnostic::error(
                "parse.nesting",
                parser.span(),
                format!("more than {} levels of nesting", limits::NESTING),
            );
            parser.give_up(error.help("split the text into inlines, processes or named conditions"));
            None
        })
    }

    /// Refuses an expression whose tree has become too high.
    fn bounded(&mut self, expr: Expr) -> Option<Expr> {
        if expr.height <= limits::EXPRESSION_HEIGHT {
            return Some(expr);
        }
        self.give_up(
            Diagnostic::error(
                "parse.expression.height",
                expr.span,
                format!("an expression of more than {} steps", limits::EXPRESSION_HEIGHT),
            )
            .help("put parentheses around parts of it"),
        );
        None
    }

    fn spend(&mut self, amount: usize, span: Span) -> Option<()> {
        self.budget = self.budget.saturating_sub(amount);
        if self.budget == 0 {
            self.give_up(too_large(span));
            return None;
        }
        Some(())
    }

    /// From the start of something to the last token read.
    fn since(&self, start: Span) -> Span {
        start.to(self.previous_span())
    }

    /// The inline call being expanded, as an index into the module's calls.
    fn call(&self) -> Option<u32> {
        self.stack.last().map(|top| top.call)
    }
}

/// The reserved words of SPIN 6.5 (`in` is one only in the head of a `for`).
pub(super) fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "active"
            | "assert"
            | "atomic"
            | "bit"
            | "bool"
            | "break"
            | "byte"
            | "c_code"
            | "c_decl"
            | "c_expr"
            | "c_state"
            | "c_track"
            | "D_proctype"
            | "do"
            | "chan"
            | "else"
            | "empty"
            | "enabled"
            | "eval"
            | "false"
            | "fi"
            | "for"
            | "full"
            | "get_priority"
            | "goto"
            | "hidden"
            | "if"
            | "init"
            | "inline"
            | "int"
            | "len"
            | "local"
            | "ltl"
            | "mtype"
            | "nempty"
            | "never"
            | "nfull"
            | "notrace"
            | "np_"
            | "od"
            | "of"
            | "pc_value"
            | "pid"
            | "printf"
            | "printm"
            | "priority"
            | "proctype"
            | "provided"
            | "return"
            | "run"
            | "d_step"
            | "select"
            | "set_priority"
            | "short"
            | "skip"
            | "timeout"
            | "trace"
            | "true"
            | "show"
            | "typedef"
            | "unless"
            | "unsigned"
            | "xr"
            | "xs"
    )
}
