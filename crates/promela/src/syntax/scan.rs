//! Text into tokens: white space, comments and line continuations go, places stay exact.
//!
//! Any text has tokens: what does not belong to the language becomes a [`TokenKind::Bad`], which is an
//! error only where it is read, so that text skipped by `#if` or embedded C may hold anything.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use source::{Diagnostic, FileId, Span};

use super::token::{Bad, Punct, Token, TokenKind};
use crate::limits;

/// Cuts a file into tokens; lines end with [`TokenKind::LineEnd`], the whole with [`TokenKind::End`].
pub(super) fn scan(file: FileId, text: &str) -> (Vec<Token>, Vec<Diagnostic>) {
    let mut scanner = Scanner {
        file,
        text,
        bytes: text.as_bytes(),
        pos: 0,
        spaced: false,
        newline: true,
        soft_newline: false,
        tokens: Vec::new(),
        diagnostics: Vec::new(),
        names: FxHashMap::default(),
    };
    scanner.run();
    (scanner.tokens, scanner.diagnostics)
}

struct Scanner<'a> {
    file: FileId,
    text: &'a str,
    bytes: &'a [u8],
    pos: usize,
    spaced: bool,
    newline: bool,
    soft_newline: bool,
    tokens: Vec<Token>,
    diagnostics: Vec<Diagnostic>,
    names: FxHashMap<String, Arc<str>>,
}

impl Scanner<'_> {
    fn run(&mut self) {
        loop {
            self.skip_continuations();
            let Some(byte) = self.peek() else { break };
            if self.tokens.len() >= limits::TOKENS {
                let span = Span::new(self.file, self.pos, self.pos);
                self.diagnostics.push(too_large(span));
                break;
            }
            match byte {
                b'\n' => {
                    let start = self.pos;
                    self.bump();
                    self.push(TokenKind::LineEnd, start);
                    self.newline = true;
                    self.spaced = true;
                }
                // SPIN drops null characters.
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c | 0 => {
                    self.bump();
                    self.spaced = true;
                }
                b'/' if self.peek_at(1) == Some(b'/') => {
                    while self.peek().is_some_and(|byte| byte != b'\n') {
                        self.bump();
                    }
                    self.spaced = true;
                }
                b'/' if self.peek_at(1) == Some(b'*') => self.comment(),
                b'"' => self.string(),
                b'\'' => self.character(),
                b'0'..=b'9' => self.word(true),
                b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.word(false),
                _ => self.punct(),
            }
        }
        let end = self.bytes.len();
        if self.tokens.last().is_some_and(|token| token.kind != TokenKind::LineEnd) {
            self.push(TokenKind::LineEnd, end);
        }
        self.push(TokenKind::End, end);
    }

    fn comment(&mut self) {
        let start = self.pos;
        self.bump();
        self.bump();
        loop {
            match self.peek() {
                None => {
                    let span = Span::new(self.file, start, (start + 2).min(self.bytes.len()));
                    self.diagnostics.push(
                        Diagnostic::error("scan.comment.unterminated", span, "this comment has no end")
                            .help("close it with `*/`"),
                    );
                    break;
                }
                Some(b'*') if self.peek_at(1) == Some(b'/') => {
                    self.bump();
                    self.bump();
                    break;
                }
                Some(byte) => {
                    self.soft_newline |= byte == b'\n';
                    self.bump();
                }
            }
        }
        self.spaced = true;
    }

    fn string(&mut self) {
        let start = self.pos;
        self.bump();
        let mut content = String::new();
        let kind = loop {
            match self.peek() {
                None | Some(b'\n') => break TokenKind::Bad(Bad::UnterminatedText),
                Some(b'"') => {
                    self.bump();
                    break TokenKind::Text(content.into());
                }
                Some(b'\\') => {
                    content.push('\\');
                    self.bump();
                    if self.peek().is_some_and(|byte| byte != b'\n') {
                        self.take_char(&mut content);
                    }
                }
                Some(_) => self.take_char(&mut content),
            }
        };
        self.push(kind, start);
    }

    /// `'c'` or `'\c'`; any other apostrophe is no token.
    fn character(&mut self) {
        let start = self.pos;
        self.bump();
        let mut content = String::new();
        let escaped = self.peek() == Some(b'\\');
        if escaped {
            self.bump();
        }
        if self.peek().is_some_and(|byte| byte != b'\n') {
            self.take_char(&mut content);
        }
        let Some(character) = content.chars().next().filter(|_| self.peek() == Some(b'\'')) else {
            self.pos = start;
            self.bump();
            self.push(TokenKind::Bad(Bad::Character('\'')), start);
            return;
        };
        self.bump();
        let character = match character {
            'n' if escaped => '\n',
            'r' if escaped => '\r',
            't' if escaped => '\t',
            'f' if escaped => '\u{c}',
            other => other,
        };
        self.push(TokenKind::Character(character as i32), start);
    }

    fn word(&mut self, number: bool) {
        let start = self.pos;
        let mut content = String::new();
        while let Some(byte) = self.peek().filter(|byte| byte.is_ascii_alphanumeric() || *byte == b'_') {
            content.push(char::from(byte));
            self.bump();
        }
        let text = match self.names.get(&content) {
            Some(text) => text.clone(),
            None => {
                let text: Arc<str> = content.as_str().into();
                self.names.insert(content, text.clone());
                text
            }
        };
        self.push(if number { TokenKind::Number(text) } else { TokenKind::Name(text) }, start);
    }

    fn punct(&mut self) {
        use Punct::*;
        let start = self.pos;
        let Some(character) = self.text.get(self.pos..).and_then(|rest| rest.chars().next()) else {
            self.bump();
            return;
        };
        self.pos += character.len_utf8();
        self.skip_continuations();
        let kind = match character {
            '(' => TokenKind::Punct(LeftParen),
            ')' => TokenKind::Punct(RightParen),
            '[' => TokenKind::Punct(LeftBracket),
            ']' => TokenKind::Punct(RightBracket),
            '{' => TokenKind::Punct(LeftBrace),
            '}' => TokenKind::Punct(RightBrace),
            ';' => TokenKind::Punct(Semicolon),
            ',' => TokenKind::Punct(Comma),
            '@' => TokenKind::Punct(At),
            '$' => TokenKind::Punct(Dollar),
            '~' => TokenKind::Punct(Tilde),
            '^' => TokenKind::Punct(Xor),
            '*' => TokenKind::Punct(Star),
            '/' => TokenKind::Punct(Slash),
            '%' => TokenKind::Punct(Percent),
            '\\' => TokenKind::Punct(Backslash),
            ':' => self.follow(Colon, &[(b':', ColonColon)]),
            '.' => self.follow(Dot, &[(b'.', DotDot)]),
            '=' => self.follow(Assign, &[(b'=', Equal)]),
            '!' => self.follow(Not, &[(b'=', NotEqual), (b'!', NotNot)]),
            '<' => self.follow(Less, &[(b'<', ShiftLeft), (b'=', LessEqual)]),
            '>' => self.follow(Greater, &[(b'>', ShiftRight), (b'=', GreaterEqual)]),
            '+' => self.follow(Plus, &[(b'+', PlusPlus)]),
            // SPIN reads `-->` as `->`.
            '-' if self.peek() == Some(b'-') && self.peek_at(1) == Some(b'>') => {
                self.bump();
                self.bump();
                TokenKind::Punct(Arrow)
            }
            '-' => self.follow(Minus, &[(b'>', Arrow), (b'-', MinusMinus)]),
            '&' => self.follow(And, &[(b'&', AndAnd)]),
            '|' => self.follow(Or, &[(b'|', OrOr)]),
            '?' => self.follow(Query, &[(b'?', QueryQuery)]),
            '#' if self.peek() == Some(b'#') => {
                self.bump();
                TokenKind::HashHash
            }
            '#' => TokenKind::Hash,
            other => TokenKind::Bad(Bad::Character(other)),
        };
        self.push(kind, start);
    }

    fn follow(&mut self, single: Punct, pairs: &[(u8, Punct)]) -> TokenKind {
        for (byte, pair) in pairs {
            if self.peek() == Some(*byte) {
                self.bump();
                return TokenKind::Punct(*pair);
            }
        }
        TokenKind::Punct(single)
    }

    fn push(&mut self, kind: TokenKind, start: usize) {
        let span = Span::new(self.file, start, self.pos.max(start));
        let mut token = Token::new(kind, span);
        token.newline = self.newline;
        token.soft_newline = self.soft_newline;
        token.spaced = self.spaced;
        self.newline = false;
        self.soft_newline = false;
        self.spaced = false;
        self.tokens.push(token);
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.pos).copied()
    }

    fn peek_at(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.pos + ahead).copied()
    }

    fn bump(&mut self) {
        self.pos = (self.pos + 1).min(self.bytes.len());
        self.skip_continuations();
    }

    fn take_char(&mut self, into: &mut String) {
        match self.text.get(self.pos..).and_then(|rest| rest.chars().next()) {
            Some(character) => {
                into.push(character);
                self.pos += character.len_utf8();
                self.skip_continuations();
            }
            None => self.bump(),
        }
    }

    /// A backslash at the end of a line joins it to the next.
    fn skip_continuations(&mut self) {
        while self.peek() == Some(b'\\') {
            match (self.peek_at(1), self.peek_at(2)) {
                (Some(b'\n'), _) => self.pos += 2,
                (Some(b'\r'), Some(b'\n')) => self.pos += 3,
                _ => break,
            }
            self.soft_newline = true;
        }
    }
}

pub(super) fn too_large(span: Span) -> Diagnostic {
    Diagnostic::error("scan.too.large", span, format!("the model has more than {} tokens", limits::TOKENS))
        .help("the limit counts what macros and inlines produce; shorten the model or split a macro")
}
