//! Tokens of both dialects.
//!
//! SPIN's operands are Promela expressions, which stay opaque here: the lexer delivers their pieces and the
//! parser glues them together again. In Spot's dialect `F`, `G` and `X` are operators even when a name follows
//! without a space, as in `GFp0`, and so are `U`, `R`, `V`, `W`, `M` right behind an operand, as in `aUb`.

use source::{Diagnostic, FileId, Span};

use super::Dialect;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    True,
    False,
    Not,
    And,
    Or,
    Xor,
    Implies,
    Equivalent,
    Next,
    Eventually,
    Always,
    Until,
    Release,
    WeakUntil,
    StrongRelease,
    OpenParenthesis,
    CloseParenthesis,
    OpenBracket,
    CloseBracket,
    /// A name.
    Word,
    Number,
    /// Text in quotes or braces, without them.
    Quoted(String),
    /// A piece of a Promela expression that connects operands, such as `==` or `+`.
    Connector,
    /// A piece of a Promela expression that continues an operand, such as `.` or `@`.
    Suffix,
    End,
}

#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Longest first where one spelling begins another.
const SYMBOLS: &[(&str, Kind)] = &[
    ("<-->", Kind::Equivalent),
    ("<->", Kind::Equivalent),
    ("<=>", Kind::Equivalent),
    ("-->", Kind::Implies),
    ("->", Kind::Implies),
    ("=>", Kind::Implies),
    ("[]", Kind::Always),
    ("<>", Kind::Eventually),
    ("()", Kind::Next),
    ("&&", Kind::And),
    ("||", Kind::Or),
    ("/\\", Kind::And),
    ("\\/", Kind::Or),
];

const PROMELA_PIECES: &[(&str, Kind)] = &[
    ("==", Kind::Connector),
    ("!=", Kind::Connector),
    ("<=", Kind::Connector),
    (">=", Kind::Connector),
    ("<<", Kind::Connector),
    (">>", Kind::Connector),
    ("??", Kind::Suffix),
    ("<", Kind::Connector),
    (">", Kind::Connector),
    ("+", Kind::Connector),
    ("-", Kind::Connector),
    ("*", Kind::Connector),
    ("/", Kind::Connector),
    ("%", Kind::Connector),
    ("&", Kind::Connector),
    ("|", Kind::Connector),
    ("^", Kind::Connector),
    ("~", Kind::Connector),
    (".", Kind::Suffix),
    ("@", Kind::Suffix),
    (":", Kind::Suffix),
    ("?", Kind::Suffix),
    (",", Kind::Connector),
];

const SPOT_PIECES: &[(&str, Kind)] = &[
    ("&", Kind::And),
    ("|", Kind::Or),
    ("+", Kind::Or),
    ("^", Kind::Xor),
    ("..", Kind::Suffix),
    (":", Kind::Suffix),
    ("=", Kind::Connector),
];

fn spin_word(word: &str) -> Kind {
    match word {
        "true" => Kind::True,
        "false" => Kind::False,
        "not" => Kind::Not,
        "and" => Kind::And,
        "or" => Kind::Or,
        "X" | "next" => Kind::Next,
        "U" | "until" | "stronguntil" => Kind::Until,
        "V" | "release" => Kind::Release,
        "W" | "weakuntil" => Kind::WeakUntil,
        "always" => Kind::Always,
        "eventually" => Kind::Eventually,
        "implies" => Kind::Implies,
        "equivalent" => Kind::Equivalent,
        _ => Kind::Word,
    }
}

fn spot_word(word: &str) -> Kind {
    match word {
        "true" => Kind::True,
        "false" => Kind::False,
        "xor" => Kind::Xor,
        "and" => Kind::And,
        "or" => Kind::Or,
        "not" => Kind::Not,
        "U" => Kind::Until,
        "R" | "V" => Kind::Release,
        "W" => Kind::WeakUntil,
        "M" => Kind::StrongRelease,
        _ => Kind::Word,
    }
}

/// The kind of token a bare name would be read as; the printer quotes a name where this is not a word.
pub(super) fn kind_of_name(name: &str, dialect: Dialect) -> Kind {
    let mut characters = name.chars();
    let Some(first) = characters.next() else { return Kind::Number };
    let inner = |c: char| c.is_ascii_alphanumeric() || c == '_' || (dialect == Dialect::Spot && c == '.');
    if !(first.is_ascii_alphabetic() || first == '_') || !characters.all(inner) {
        return Kind::Number;
    }
    match dialect {
        Dialect::Spin => spin_word(name),
        Dialect::Spot if unary_letter(name).is_some() => Kind::Next,
        Dialect::Spot => spot_word(name),
    }
}

/// The operator that a Spot word begins with: `F`, `G` or `X` unless a digit follows.
fn unary_letter(word: &str) -> Option<Kind> {
    let kind = match word.as_bytes().first()? {
        b'F' => Kind::Eventually,
        b'G' => Kind::Always,
        b'X' => Kind::Next,
        _ => return None,
    };
    if word.as_bytes().get(1).is_some_and(u8::is_ascii_digit) { None } else { Some(kind) }
}

pub(super) fn tokenise(file: FileId, text: &str, dialect: Dialect) -> (Vec<Token>, Vec<Diagnostic>) {
    let mut lexer = Lexer { file, text, dialect, at: 0, tokens: Vec::new(), diagnostics: Vec::new() };
    lexer.run();
    (lexer.tokens, lexer.diagnostics)
}

struct Lexer<'t> {
    file: FileId,
    text: &'t str,
    dialect: Dialect,
    at: usize,
    tokens: Vec<Token>,
    diagnostics: Vec<Diagnostic>,
}

impl Lexer<'_> {
    fn run(&mut self) {
        while let Some(character) = self.text[self.at..].chars().next() {
            let start = self.at;
            let rest = &self.text[start..];
            match character {
                c if c.is_whitespace() => self.at += c.len_utf8(),
                '(' if rest.starts_with("()") && self.dialect == Dialect::Spot => self.push(Kind::Next, 2),
                '(' => self.push(Kind::OpenParenthesis, 1),
                ')' => self.push(Kind::CloseParenthesis, 1),
                '"' => self.quoted(),
                '{' => self.braced(),
                c if c.is_ascii_digit() => self.number(),
                c if c.is_ascii_alphabetic() || c == '_' => self.word(),
                _ => self.symbol(character),
            }
            debug_assert!(self.at > start);
        }
        self.tokens.push(Token { kind: Kind::End, start: self.text.len(), end: self.text.len() });
    }

    fn push(&mut self, kind: Kind, length: usize) {
        self.tokens.push(Token { kind, start: self.at, end: self.at + length });
        self.at += length;
    }

    fn symbol(&mut self, character: char) {
        let rest = &self.text[self.at..];
        let spin = self.dialect == Dialect::Spin;
        // `[` after a name is an index, even if `]` follows at once.
        for (spelling, kind) in SYMBOLS {
            if rest.starts_with(spelling)
                && !(spin && matches!(*spelling, "=>" | "()" | "<=>" | "-->" | "<-->"))
            {
                return self.push(kind.clone(), spelling.len());
            }
        }
        let pieces = if spin { PROMELA_PIECES } else { SPOT_PIECES };
        for (spelling, kind) in pieces {
            if rest.starts_with(spelling) {
                return self.push(kind.clone(), spelling.len());
            }
        }
        match character {
            '!' => self.push(Kind::Not, 1),
            '[' => self.push(Kind::OpenBracket, 1),
            ']' => self.push(Kind::CloseBracket, 1),
            _ => {
                let span = Span::new(self.file, self.at, self.at + character.len_utf8());
                self.at += character.len_utf8();
                let message =
                    format!("the character `{}` means nothing in a formula", character.escape_debug());
                let help = "operands other than names are written in quotes or in braces: {x == 2}";
                self.diagnostics.push(Diagnostic::error("ltl.unknown-character", span, message).help(help));
            }
        }
    }

    fn number(&mut self) {
        let rest = &self.text[self.at..];
        let length = rest.bytes().take_while(u8::is_ascii_digit).count();
        self.push(Kind::Number, length);
    }

    fn word(&mut self) {
        let rest = &self.text[self.at..];
        let spot = self.dialect == Dialect::Spot;
        if spot && self.behind_operand() && rest.starts_with(['U', 'R', 'V', 'W', 'M']) {
            return self.push(spot_word(&rest[..1]), 1);
        }
        if spot && let Some(kind) = unary_letter(rest) {
            return self.push(kind, 1);
        }
        let bytes = rest.as_bytes();
        let inner = |i: usize| match bytes[i] {
            // A dot is part of a Spot name unless it begins the `..` of a range.
            b'.' => spot && bytes.get(i + 1) != Some(&b'.') && bytes[i - 1] != b'.',
            b => b.is_ascii_alphanumeric() || b == b'_',
        };
        let length = 1 + (1..bytes.len()).take_while(|i| inner(*i)).count();
        let word = &rest[..length];
        let kind = if spot { spot_word(word) } else { spin_word(word) };
        self.push(kind, length);
    }

    fn behind_operand(&self) -> bool {
        let operand_ends = |token: &Token| {
            matches!(
                token.kind,
                Kind::Word
                    | Kind::Number
                    | Kind::Quoted(_)
                    | Kind::True
                    | Kind::False
                    | Kind::CloseParenthesis
            )
        };
        self.tokens.last().is_some_and(operand_ends)
    }

    fn quoted(&mut self) {
        let start = self.at;
        let mut content = String::new();
        let mut characters = self.text[start + 1..].char_indices();
        while let Some((offset, character)) = characters.next() {
            match character {
                '"' => {
                    self.at = start + 1 + offset + 1;
                    self.tokens.push(Token { kind: Kind::Quoted(content), start, end: self.at });
                    return;
                }
                '\\' => content.extend(characters.next().map(|(_, escaped)| escaped)),
                _ => content.push(character),
            }
        }
        self.unterminated(start, '"', content);
    }

    fn braced(&mut self) {
        let start = self.at;
        let mut open = 0usize;
        for (offset, character) in self.text[start..].char_indices() {
            match character {
                '{' => open += 1,
                '}' => open -= 1,
                _ => {}
            }
            if open == 0 {
                let content = self.text[start + 1..start + offset].trim().to_owned();
                self.at = start + offset + 1;
                self.tokens.push(Token { kind: Kind::Quoted(content), start, end: self.at });
                return;
            }
        }
        let content = self.text[start + 1..].trim().to_owned();
        self.unterminated(start, '}', content);
    }

    fn unterminated(&mut self, start: usize, missing: char, content: String) {
        self.at = self.text.len();
        self.tokens.push(Token { kind: Kind::Quoted(content), start, end: self.at });
        let span = Span::new(self.file, start, start + 1);
        let message = format!("this operand is never closed: `{missing}` is missing");
        let help = format!("close it with `{missing}`");
        self.diagnostics.push(Diagnostic::error("ltl.unterminated-operand", span, message).help(help));
    }
}
