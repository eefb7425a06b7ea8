//! Tokens of the HOA format with their places.

use source::{Diagnostic, FileId, Span};

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A word followed by a colon.
    Header(String),
    Word(String),
    Alias(String),
    Text(String),
    Number(u64),
    Symbol(char),
    Body,
    End,
    Abort,
    EndOfFile,
}

#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) span: Span,
}

pub(super) fn tokenise(file: FileId, text: &str) -> (Vec<Token>, Vec<Diagnostic>) {
    let mut lexer = Lexer { file, text, at: 0, tokens: Vec::new(), diagnostics: Vec::new() };
    while lexer.at < text.len() {
        lexer.token();
    }
    lexer.push(Kind::EndOfFile, text.len());
    (lexer.tokens, lexer.diagnostics)
}

struct Lexer<'t> {
    file: FileId,
    text: &'t str,
    at: usize,
    tokens: Vec<Token>,
    diagnostics: Vec<Diagnostic>,
}

impl Lexer<'_> {
    fn push(&mut self, kind: Kind, end: usize) {
        self.tokens.push(Token { kind, span: Span::new(self.file, self.at, end) });
        self.at = end;
    }

    fn token(&mut self) {
        let rest = &self.text[self.at..];
        let Some(first) = rest.chars().next() else { return };
        for (spelling, kind) in [("--BODY--", Kind::Body), ("--END--", Kind::End), ("--ABORT--", Kind::Abort)]
        {
            if rest.starts_with(spelling) {
                return self.push(kind, self.at + spelling.len());
            }
        }
        let word = |from: usize| {
            let inner = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
            from + rest[from..].chars().take_while(|c| inner(*c)).count()
        };
        match first {
            c if c.is_whitespace() => self.at += c.len_utf8(),
            '/' if rest.starts_with("/*") => self.comment(),
            '"' => self.quoted(),
            '@' => {
                let end = word(1);
                self.push(Kind::Alias(rest[1..end].to_owned()), self.at + end);
            }
            c if c.is_ascii_digit() => {
                let end = rest.bytes().take_while(u8::is_ascii_digit).count();
                let value = rest[..end].parse().unwrap_or(u64::MAX);
                self.push(Kind::Number(value), self.at + end);
            }
            c if c.is_ascii_alphabetic() || c == '_' => {
                let end = word(0);
                let name = rest[..end].to_owned();
                if rest[end..].starts_with(':') {
                    self.push(Kind::Header(name), self.at + end + 1);
                } else {
                    self.push(Kind::Word(name), self.at + end);
                }
            }
            '[' | ']' | '{' | '}' | '(' | ')' | '!' | '&' | '|' => {
                self.push(Kind::Symbol(first), self.at + 1)
            }
            _ => {
                let end = self.at + first.len_utf8();
                let message = format!("the character `{}` is not part of the format", first.escape_debug());
                let span = Span::new(self.file, self.at, end);
                self.diagnostics.push(
                    Diagnostic::error("hoa.unknown-character", span, message)
                        .help("texts with other characters are written in double quotes"),
                );
                self.at = end;
            }
        }
    }

    fn comment(&mut self) {
        let start = self.at;
        let mut open = 0u32;
        let bytes = self.text.as_bytes();
        while self.at < bytes.len() {
            if bytes[self.at..].starts_with(b"/*") {
                open += 1;
                self.at += 2;
            } else if bytes[self.at..].starts_with(b"*/") {
                open -= 1;
                self.at += 2;
                if open == 0 {
                    return;
                }
            } else {
                self.at += 1;
            }
        }
        let span = Span::new(self.file, start, start + 2);
        let diagnostic = Diagnostic::error("hoa.unterminated-comment", span, "this comment is never closed");
        self.diagnostics.push(diagnostic.help("close it with `*/`"));
    }

    fn quoted(&mut self) {
        let start = self.at;
        let mut content = String::new();
        let mut characters = self.text[start + 1..].char_indices();
        while let Some((offset, character)) = characters.next() {
            match character {
                '"' => return self.push(Kind::Text(content), start + 1 + offset + 1),
                '\\' => content.extend(characters.next().map(|(_, escaped)| escaped)),
                _ => content.push(character),
            }
        }
        let span = Span::new(self.file, start, start + 1);
        let diagnostic = Diagnostic::error("hoa.unterminated-text", span, "this text is never closed");
        self.diagnostics.push(diagnostic.help("close it with a double quote"));
        self.push(Kind::Text(content), self.text.len());
    }
}
