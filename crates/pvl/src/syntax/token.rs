//! Splits a text into tokens and collects the brackets of expected failures.
//!
//! A word behind a backslash is one token only if it is a known command such as `\forall`; otherwise the backslash
//! is the operator of fractions, as in `p\q`. Expected failures, `[/expect code]` and `[/end]`, are no tokens: they
//! stand between any two of them, plain or wrapped in a comment of their own.

use parse::Spelled;
use source::{FileId, Span};

/// What a token is; identifiers and keywords are told apart by their text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TokenKind {
    Word,
    /// An identifier between back-ticks.
    Escaped,
    /// A known word with its backslash, as `\old`.
    Command,
    Integer,
    Float,
    /// With its `f`.
    SingleFloat,
    /// With its quotes.
    Character,
    /// With its quotes.
    Text,
    /// `{:`, `{:1:` or `{:<:`
    TriggerOpen,
    Symbol(Symbol),
    /// A character that starts no token, or an unfinished comment, string or identifier.
    Unknown,
    End,
}

parse::symbols! {
    pub(crate) enum Symbol {
        Implies "==>",
        Equal "==",
        NotEqual "!=",
        LessEqual "<=",
        GreaterEqual ">=",
        AndAnd "&&",
        OrOr "||",
        PlusPlus "++",
        MinusMinus "--",
        ColonColon "::",
        DotDot "..",
        QuestionDot "?.",
        StarStar "**",
        Wand "-*",
        Arrow "->",
        Power "^^",
        TriggerClose ":}",
        Assign "=",
        Less "<",
        Greater ">",
        Bar "|",
        Plus "+",
        Minus "-",
        Star "*",
        Slash "/",
        Backslash "\\",
        Percent "%",
        Colon ":",
        Dot ".",
        Question "?",
        Comma ",",
        Semicolon ";",
        LeftParen "(",
        RightParen ")",
        LeftBracket "[",
        RightBracket "]",
        LeftBrace "{",
        RightBrace "}",
        Not "!",
        Ampersand "&",
    }
}

/// Words that are commands behind a backslash. `\forall*` is two tokens that touch.
pub(crate) const COMMANDS: &[&str] = &[
    "forall",
    "exists",
    "let",
    "forperm",
    "forpermwithvalue",
    "sum",
    "count",
    "old",
    "result",
    "in",
    "memberof",
    "unfolding",
    "Unfolding",
    "typeof",
    "type",
    "length",
    "array",
    "matrix",
    "values",
    "pointer",
    "pointer_index",
    "pointer_length",
    "pointer_block_length",
    "pointer_block_offset",
    "polarity_dependent",
    "euclidean_div",
    "euclidean_mod",
    "pow",
    "is_int",
    "choose",
    "choose_fresh",
    "nd_index",
    "nd_partial_index",
    "nd_length",
    "shared_mem_size",
    "vcmp",
    "vrep",
    "msum",
    "mcmp",
    "mrep",
    "ltid",
    "gtid",
    "current_thread",
    "smtlib",
    "boogie",
    "owner",
    "endpoint",
    "chor",
    "sender",
    "receiver",
    "msg",
    "delta",
    "iter",
    "par",
    "did",
    "ended",
];

#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Span,
    /// A line break lies between the previous token and this one.
    pub(crate) first_of_line: bool,
}

impl parse::Token for Token {
    type Symbol = Symbol;

    fn span(&self) -> Span {
        self.span
    }

    fn symbol(&self) -> Option<Symbol> {
        match self.kind {
            TokenKind::Symbol(symbol) => Some(symbol),
            _ => None,
        }
    }

    fn is_end(&self) -> bool {
        self.kind == TokenKind::End
    }

    fn end_at(span: Span) -> Token {
        Token { kind: TokenKind::End, span, first_of_line: false }
    }
}

/// An opening or closing bracket of an expected failure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Bracket {
    Expect { code: std::sync::Arc<str>, span: Span },
    End { span: Span },
}

#[derive(Debug)]
pub(crate) struct Tokens {
    /// The last one is [`TokenKind::End`].
    pub(crate) tokens: Vec<Token>,
    pub(crate) brackets: Vec<Bracket>,
}

/// Splits the whole text.
pub(crate) fn tokenize(file: FileId, text: &str) -> Tokens {
    let mut lexer = Lexer { file, text, offset: 0, brackets: Vec::new() };
    let mut tokens = Vec::with_capacity(text.len() / 4 + 1);
    loop {
        let first_of_line = lexer.skip_trivia();
        let start = lexer.offset;
        let kind = lexer.next_kind();
        tokens.push(Token { kind, span: Span::new(file, start, lexer.offset), first_of_line });
        if kind == TokenKind::End {
            return Tokens { tokens, brackets: lexer.brackets };
        }
    }
}

struct Lexer<'a> {
    file: FileId,
    text: &'a str,
    offset: usize,
    brackets: Vec<Bracket>,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.offset..).unwrap_or("")
    }

    /// Skips white space, comments and brackets; says whether there was a line break.
    fn skip_trivia(&mut self) -> bool {
        let mut line_break = self.offset == 0;
        loop {
            let rest = self.rest();
            let Some(first) = rest.bytes().next() else { return line_break };
            match first {
                b' ' | b'\t' | b'\r' | 0x0C => self.offset += 1,
                b'\n' => {
                    line_break = true;
                    self.offset += 1;
                }
                b'/' if rest.starts_with("//") => {
                    self.offset += rest.find('\n').unwrap_or(rest.len());
                }
                b'/' if rest.starts_with("/*") => {
                    if self.bracket() {
                        continue;
                    }
                    // An unfinished comment is left to be reported as an unknown token.
                    let Some(length) = rest[2..].find("*/") else { return line_break };
                    line_break |= rest[2..2 + length].contains('\n');
                    self.offset += length + 4;
                }
                b'[' if rest.starts_with("[/") => {
                    if !self.bracket() {
                        return line_break;
                    }
                }
                // Text between two signs on one line was once typeset.
                b'#' => match rest[1..].find(['#', '\n', '\r']) {
                    Some(length) if rest.as_bytes()[length + 1] == b'#' => self.offset += length + 2,
                    _ => return line_break,
                },
                _ => {
                    // A byte order mark, wherever it stands, is no text.
                    if rest.starts_with('\u{FEFF}') {
                        self.offset += '\u{FEFF}'.len_utf8();
                        continue;
                    }
                    return line_break;
                }
            }
        }
    }

    /// `[/expect code]` or `[/end]`, with or without a comment around it.
    fn bracket(&mut self) -> bool {
        let start = self.offset;
        let rest = self.rest();
        let inner = rest.strip_prefix("/*").unwrap_or(rest);
        let mut length = rest.len() - inner.len();
        let code = if inner.starts_with("[/end]") {
            length += "[/end]".len();
            None
        } else if let Some(code) = inner.strip_prefix("[/expect ") {
            let Some(end) = code.find(|c: char| !c.is_ascii_alphabetic() && c != ':') else { return false };
            if end == 0 || !code[end..].starts_with(']') {
                return false;
            }
            length += "[/expect ".len() + end + 1;
            Some(&code[..end])
        } else {
            return false;
        };
        if rest[length..].starts_with("*/") {
            length += 2;
        }
        self.offset += length;
        let span = Span::new(self.file, start, self.offset);
        self.brackets.push(match code {
            Some(code) => Bracket::Expect { code: code.into(), span },
            None => Bracket::End { span },
        });
        true
    }

    fn next_kind(&mut self) -> TokenKind {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return TokenKind::End };
        match first {
            _ if is_identifier_start(first) => {
                self.offset += word_length(rest);
                TokenKind::Word
            }
            _ if first.is_ascii_digit() => self.number(rest),
            '`' => self.delimited(rest, "`", TokenKind::Escaped),
            '"' => match string_length(rest) {
                Some(length) => {
                    self.offset += length;
                    TokenKind::Text
                }
                None => {
                    self.offset += 1;
                    TokenKind::Unknown
                }
            },
            '\'' => self.character(rest),
            '\\' => {
                let length = word_length(&rest[1..]);
                if COMMANDS.contains(&&rest[1..1 + length]) {
                    self.offset += 1 + length;
                    TokenKind::Command
                } else {
                    self.offset += 1;
                    TokenKind::Symbol(Symbol::Backslash)
                }
            }
            '∀' | '∃' => {
                self.offset += first.len_utf8();
                TokenKind::Command
            }
            '{' if rest.starts_with("{:") => {
                let group = &rest[2..];
                let levels = group.bytes().take_while(|byte| *byte == b'<').count();
                let digits = group[levels..].bytes().take_while(u8::is_ascii_digit).count();
                let colon = group[levels + digits..].starts_with(':');
                self.offset += if colon { 2 + levels + digits + 1 } else { 2 };
                TokenKind::TriggerOpen
            }
            _ if rest.starts_with("/*") => {
                self.offset = self.text.len();
                TokenKind::Unknown
            }
            _ => match Symbol::at_start_of(rest) {
                Some(symbol) => {
                    self.offset += symbol.spelling().len();
                    TokenKind::Symbol(symbol)
                }
                None => {
                    self.offset += first.len_utf8();
                    TokenKind::Unknown
                }
            },
        }
    }

    fn number(&mut self, rest: &str) -> TokenKind {
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let whole = digits(rest);
        let behind = &rest[whole..];
        let fraction = behind.strip_prefix('.').map_or(0, digits);
        if fraction == 0 {
            self.offset += whole;
            return TokenKind::Integer;
        }
        let length = whole + 1 + fraction;
        if rest[length..].starts_with('f') {
            self.offset += length + 1;
            return TokenKind::SingleFloat;
        }
        self.offset += length;
        TokenKind::Float
    }

    /// A token up to the next delimiter, which is not empty.
    fn delimited(&mut self, rest: &str, delimiter: &str, kind: TokenKind) -> TokenKind {
        match rest[1..].find(delimiter) {
            Some(length) if length > 0 => {
                self.offset += length + 2;
                kind
            }
            _ => {
                self.offset += 1;
                TokenKind::Unknown
            }
        }
    }

    /// `'c'` or `'\c'`.
    fn character(&mut self, rest: &str) -> TokenKind {
        let mut characters = rest[1..].chars();
        let mut length = 1;
        if let Some(first) = characters.next() {
            length += first.len_utf8();
            if first == '\\' {
                length += characters.next().map_or(0, char::len_utf8);
            }
            if characters.next() == Some('\'') && first != '\'' && first != '\n' {
                self.offset += length + 1;
                return TokenKind::Character;
            }
        }
        self.offset += 1;
        TokenKind::Unknown
    }
}

/// The length of a string with its quotes, `None` if it does not end.
fn string_length(rest: &str) -> Option<usize> {
    let mut escaped = false;
    for (index, byte) in rest.bytes().enumerate().skip(1) {
        match byte {
            b'\\' if !escaped => escaped = true,
            b'"' if !escaped => return Some(index + 1),
            _ => escaped = false,
        }
    }
    None
}

fn word_length(text: &str) -> usize {
    if !text.starts_with(is_identifier_start) {
        return 0;
    }
    text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count()
}

fn is_identifier_start(character: char) -> bool {
    character.is_ascii_alphabetic() || character == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        let tokens = tokenize(FileId(0), text).tokens;
        tokens.iter().filter(|t| t.kind != TokenKind::End).map(|t| parse::text_at(text, t.span)).collect()
    }

    #[test]
    fn a_backslash_is_a_command_or_a_fraction() {
        assert_eq!(
            texts("1\\2 p\\q \\old(x) \\oldest"),
            ["1", "\\", "2", "p", "\\", "q", "\\old", "(", "x", ")", "\\", "oldest"]
        );
    }

    #[test]
    fn numbers_end_before_a_range() {
        assert_eq!(texts("0..n 1.5 1.5f 2.x"), ["0", "..", "n", "1.5", "1.5f", "2", ".", "x"]);
    }

    #[test]
    fn triggers_carry_their_group() {
        assert_eq!(
            texts("{: a :} {:1: b :} {:<: c :} {x:y}"),
            ["{:", "a", ":}", "{:1:", "b", ":}", "{:<:", "c", ":}", "{", "x", ":", "y", "}"]
        );
    }

    #[test]
    fn expected_failures_are_no_tokens() {
        let lexed = tokenize(FileId(0), "/*[/expect postFailed:false]*/ a [/end] // [/expect b]\n[x]");
        assert_eq!(lexed.tokens.len(), 5);
        assert_eq!(lexed.brackets.len(), 2);
        assert!(matches!(&lexed.brackets[0], Bracket::Expect { code, .. } if &**code == "postFailed:false"));
    }

    #[test]
    fn text_between_number_signs_is_skipped() {
        assert_eq!(texts("a # $x$ # b"), ["a", "b"]);
        assert_eq!(texts("a # b"), ["a", "#", "b"]);
    }
}
