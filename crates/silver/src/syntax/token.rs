//! Splits a text into tokens.
//!
//! Viper's parser works on characters; the differences that a program can observe are kept: a keyword must not be
//! followed by an identifier character, blanks between a callee and `(` matter (see [`Token::only_blanks_before`]),
//! and integers end where their digits end. White space and comments separate tokens and are otherwise ignored.

use parse::Spelled;
use source::{FileId, Span};

/// What a token is; identifiers and keywords are told apart by their text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TokenKind {
    Word,
    Integer,
    /// With its quotes.
    Text,
    Symbol(Symbol),
    /// A character that starts no token, or an unfinished comment or string.
    Unknown,
    End,
}

parse::symbols! {
    pub(crate) enum Symbol {
        Iff "<==>",
        Wand "--*",
        Implies "==>",
        Equal "==",
        NotEqual "!=",
        LessEqual "<=",
        GreaterEqual ">=",
        AndAnd "&&",
        OrOr "||",
        Append "++",
        Assign ":=",
        ColonColon "::",
        DotDot "..",
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
        At "@",
        Hash "#",
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Span,
    /// Nothing but blanks (no line break, tab or comment) lies between the previous token and this one.
    pub(crate) only_blanks_before: bool,
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
        Token { kind: TokenKind::End, span, only_blanks_before: false }
    }
}

/// Words that cannot name anything.
pub(crate) const KEYWORDS: &[&str] = &[
    "result",
    "Int",
    "Perm",
    "Bool",
    "Ref",
    "Rational",
    "true",
    "false",
    "null",
    "import",
    "method",
    "function",
    "predicate",
    "domain",
    "axiom",
    "var",
    "returns",
    "field",
    "define",
    "interpretation",
    "requires",
    "ensures",
    "invariant",
    "fold",
    "unfold",
    "inhale",
    "exhale",
    "new",
    "assert",
    "assume",
    "package",
    "apply",
    "quasihavoc",
    "quasihavocall",
    "while",
    "if",
    "elseif",
    "else",
    "goto",
    "label",
    "Seq",
    "Set",
    "Multiset",
    "union",
    "intersection",
    "setminus",
    "subset",
    "Map",
    "range",
    "unfolding",
    "in",
    "applying",
    "asserting",
    "old",
    "lhs",
    "let",
    "forall",
    "exists",
    "forperm",
    "acc",
    "wildcard",
    "write",
    "none",
    "epsilon",
    "perm",
    "unique",
    "decreases",
    "adt",
    "derives",
    "without",
    "refute",
    "unreachable",
];

/// Whether the word cannot name anything.
pub fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word)
}

/// Splits the whole text; the last token is [`TokenKind::End`].
pub(crate) fn tokenize(file: FileId, text: &str) -> Vec<Token> {
    let mut lexer = Lexer { text, offset: 0 };
    let mut tokens = Vec::with_capacity(text.len() / 4 + 1);
    loop {
        let only_blanks_before = lexer.skip_trivia();
        let start = lexer.offset;
        let kind = lexer.next_kind();
        tokens.push(Token { kind, span: Span::new(file, start, lexer.offset), only_blanks_before });
        if kind == TokenKind::End {
            return tokens;
        }
    }
}

struct Lexer<'a> {
    text: &'a str,
    offset: usize,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.offset..).unwrap_or("")
    }

    /// Skips white space and comments; says whether all of it was blanks.
    fn skip_trivia(&mut self) -> bool {
        let mut only_blanks = true;
        loop {
            let rest = self.rest();
            let Some(first) = rest.bytes().next() else { return only_blanks };
            match first {
                b' ' => self.offset += 1,
                b'\t' | b'\n' | b'\r' => {
                    only_blanks = false;
                    self.offset += 1;
                }
                b'/' if rest.starts_with("//") => {
                    only_blanks = false;
                    self.offset += rest.find('\n').unwrap_or(rest.len());
                }
                b'/' if rest.starts_with("/*") => {
                    // An unfinished comment is left to be reported as an unknown token.
                    let Some(length) = rest[2..].find("*/") else { return only_blanks };
                    only_blanks = false;
                    self.offset += length + 4;
                }
                _ => return only_blanks,
            }
        }
    }

    fn next_kind(&mut self) -> TokenKind {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return TokenKind::End };
        if is_identifier_start(first) {
            self.offset += rest.bytes().take_while(|byte| is_identifier_byte(*byte)).count();
            return TokenKind::Word;
        }
        if first.is_ascii_digit() {
            self.offset += rest.bytes().take_while(u8::is_ascii_digit).count();
            return TokenKind::Integer;
        }
        if first == '"' {
            return match rest[1..].find('"') {
                Some(length) => {
                    self.offset += length + 2;
                    TokenKind::Text
                }
                None => {
                    self.offset += 1;
                    TokenKind::Unknown
                }
            };
        }
        if rest.starts_with("/*") {
            self.offset = self.text.len();
            return TokenKind::Unknown;
        }
        match Symbol::at_start_of(rest) {
            Some(symbol) => {
                self.offset += symbol.spelling().len();
                TokenKind::Symbol(symbol)
            }
            None => {
                self.offset += first.len_utf8();
                TokenKind::Unknown
            }
        }
    }
}

fn is_identifier_start(character: char) -> bool {
    character.is_ascii_alphabetic() || character == '$' || character == '_'
}

fn is_identifier_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'$' || byte == b'_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        tokenize(FileId(0), text)
            .iter()
            .filter(|token| token.kind != TokenKind::End)
            .map(|t| parse::text_at(text, t.span))
            .collect()
    }

    #[test]
    fn the_longest_symbol_wins() {
        assert_eq!(texts("a<==>b--*c-- 1==>d"), ["a", "<==>", "b", "--*", "c", "-", "-", "1", "==>", "d"]);
        assert_eq!(texts("s[1..n]"), ["s", "[", "1", "..", "n", "]"]);
    }

    #[test]
    fn comments_separate_tokens() {
        assert_eq!(texts("a/* x */b // c\nd"), ["a", "b", "d"]);
        assert_eq!(texts("a /* never closed"), ["a", "/* never closed"]);
    }

    #[test]
    fn blanks_before_a_token_are_remembered() {
        let tokens = tokenize(FileId(0), "f (x) g\n(y)");
        assert!(tokens[1].only_blanks_before);
        assert!(!tokens[5].only_blanks_before);
    }
}
