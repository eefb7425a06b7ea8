//! Tokens, the same for the preprocessor and the parser.
//!
//! SPIN's lexer depends on the place: `[]`, `<>`, `<->`, `/\` and `\/` are operators in a formula and
//! nothing elsewhere. Here the scanner cuts them into their parts and [`Token::spaced`] lets the formula
//! parser put them together again.

use std::sync::Arc;

use parse::Spelled;
use source::Span;

#[derive(Clone, PartialEq, Debug)]
pub struct Token {
    pub kind: TokenKind,
    /// In the original text; what a macro produced points at the use of the macro.
    pub span: Span,
    /// A line break stands before the token: SPIN may read it as a semicolon.
    pub newline: bool,
    /// A line break inside a comment or a continuation stands before the token. Compilers differ in
    /// whether SPIN gets to see it; it separates statements but does not end an expression.
    pub soft_newline: bool,
    /// White space or a comment stands before the token.
    pub spaced: bool,
    /// A name that must not be expanded again: it was met inside the expansion of the same macro.
    pub painted: bool,
    /// Came into an inline's body as an actual parameter.
    pub argument: bool,
}

#[derive(Clone, PartialEq, Debug)]
pub enum TokenKind {
    Name(Arc<str>),
    /// A digit and the letters and digits that follow it.
    Number(Arc<str>),
    /// The text between the quotes, escapes as written.
    Text(Arc<str>),
    /// A character constant by its value.
    Character(i32),
    Punct(Punct),
    /// `#` and `##` matter to the preprocessor only.
    Hash,
    HashHash,
    /// What is no token of the language.
    Bad(Bad),
    /// End of a line, only between the scanner and the preprocessor.
    LineEnd,
    End,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bad {
    Character(char),
    UnterminatedText,
    UnterminatedComment,
}

parse::symbols! {
    pub enum Punct {
        LeftParen "(", RightParen ")", LeftBracket "[", RightBracket "]", LeftBrace "{", RightBrace "}",
        Semicolon ";", Comma ",", Colon ":", ColonColon "::", Dot ".", DotDot "..", At "@", Dollar "$",
        Assign "=", Equal "==", NotEqual "!=", Less "<", LessEqual "<=", Greater ">", GreaterEqual ">=",
        ShiftLeft "<<", ShiftRight ">>", Plus "+", PlusPlus "++", Minus "-", MinusMinus "--", Arrow "->",
        Star "*", Slash "/", Percent "%", And "&", AndAnd "&&", Or "|", OrOr "||", Xor "^", Tilde "~",
        Not "!", NotNot "!!", Query "?", QueryQuery "??", Backslash "\\",
    }
}

impl parse::Token for Token {
    type Symbol = Punct;

    fn span(&self) -> Span {
        self.span
    }

    fn symbol(&self) -> Option<Punct> {
        match self.kind {
            TokenKind::Punct(punct) => Some(punct),
            _ => None,
        }
    }

    fn is_end(&self) -> bool {
        self.kind == TokenKind::End
    }

    fn end_at(span: Span) -> Token {
        Token::new(TokenKind::End, span)
    }
}

impl Token {
    pub fn new(kind: TokenKind, span: Span) -> Token {
        Token {
            kind,
            span,
            newline: false,
            soft_newline: false,
            spaced: false,
            painted: false,
            argument: false,
        }
    }

    pub fn is(&self, punct: Punct) -> bool {
        self.kind == TokenKind::Punct(punct)
    }

    pub fn name(&self) -> Option<&Arc<str>> {
        match &self.kind {
            TokenKind::Name(name) => Some(name),
            _ => None,
        }
    }

    pub fn is_name(&self, text: &str) -> bool {
        self.name().is_some_and(|name| **name == *text)
    }
}

impl TokenKind {
    /// The token as one would write it.
    pub fn spelling(&self) -> String {
        match self {
            TokenKind::Name(text) | TokenKind::Number(text) => text.to_string(),
            TokenKind::Text(text) => format!("\"{text}\""),
            TokenKind::Character(value) => character_spelling(*value),
            TokenKind::Punct(punct) => punct.spelling().to_string(),
            TokenKind::Hash => "#".to_string(),
            TokenKind::HashHash => "##".to_string(),
            TokenKind::Bad(Bad::Character(character)) => character.to_string(),
            TokenKind::Bad(Bad::UnterminatedText) => "\"".to_string(),
            TokenKind::Bad(Bad::UnterminatedComment) => "/*".to_string(),
            TokenKind::LineEnd | TokenKind::End => String::new(),
        }
    }

    /// The token for a message.
    pub fn describe(&self) -> String {
        match self {
            TokenKind::End => "the end of the text".to_string(),
            TokenKind::LineEnd => "the end of the line".to_string(),
            TokenKind::Bad(Bad::UnterminatedText) => "a string without its closing quote".to_string(),
            TokenKind::Bad(Bad::UnterminatedComment) => "a comment without its end".to_string(),
            other => format!("`{}`", other.spelling()),
        }
    }
}

fn character_spelling(value: i32) -> String {
    match u8::try_from(value).map(char::from) {
        Ok('\n') => "'\\n'".to_string(),
        Ok('\t') => "'\\t'".to_string(),
        Ok('\r') => "'\\r'".to_string(),
        Ok('\u{c}') => "'\\f'".to_string(),
        Ok(character @ ('\'' | '\\')) => format!("'\\{character}'"),
        Ok(character) => format!("'{character}'"),
        Err(_) => value.to_string(),
    }
}
