//! Where to go on after an error.

use parse::Reader;

use super::super::token::{Symbol, TokenKind};
use super::Parser;

impl Parser<'_> {
    /// Skips to the end of the statement that started at `from` and could not be read: behind its semicolon or
    /// block, or in front of the brace that closes the block around it, or of a line that is not indented more.
    pub(super) fn skip_statement(&mut self, from: usize) {
        self.skip(from, self.open_braces(from));
    }

    /// The same for a member of a class or a declaration of a program.
    pub(super) fn skip_member(&mut self, from: usize) {
        if self.skip(from, 0) {
            self.eat(Symbol::Semicolon);
        }
    }

    /// Skips what started at `from`, with so many braces open; whether it ended with a block.
    fn skip(&mut self, from: usize, mut open: usize) -> bool {
        let mut parentheses = 0_usize;
        while !self.at_end() {
            match self.token().kind {
                TokenKind::Symbol(Symbol::LeftParen) => parentheses += 1,
                TokenKind::Symbol(Symbol::RightParen) => parentheses = parentheses.saturating_sub(1),
                TokenKind::Symbol(Symbol::Semicolon) if open == 0 && parentheses == 0 => {
                    self.advance();
                    return false;
                }
                TokenKind::Symbol(Symbol::LeftBrace) | TokenKind::TriggerOpen => open += 1,
                TokenKind::Symbol(Symbol::RightBrace) if open == 0 => return false,
                TokenKind::Symbol(Symbol::RightBrace) => {
                    open -= 1;
                    if open == 0 && !self.closes_expression() {
                        self.advance();
                        return true;
                    }
                }
                TokenKind::Symbol(Symbol::TriggerClose) => open = open.saturating_sub(1),
                _ if open == 0 && self.starts_line_outside(from) => return false,
                TokenKind::Word
                    if self.position() > from && self.token().first_of_line && self.at_word("class") =>
                {
                    return false;
                }
                _ => {}
            }
            self.advance();
        }
        false
    }

    /// How many braces since `from` are still open.
    fn open_braces(&self, from: usize) -> usize {
        let mut open = 0_usize;
        for token in self.tokens().iter().take(self.position()).skip(from) {
            match token.kind {
                TokenKind::Symbol(Symbol::LeftBrace) | TokenKind::TriggerOpen => open += 1,
                TokenKind::Symbol(Symbol::RightBrace | Symbol::TriggerClose) => open = open.saturating_sub(1),
                _ => {}
            }
        }
        open
    }

    /// Whether the current token starts a line that is not indented more than the token at `from`.
    fn starts_line_outside(&self, from: usize) -> bool {
        self.position() > from
            && self.token().first_of_line
            && self.column(self.position()) <= self.column(from)
    }

    /// How far from the start of its line a token stands.
    pub(super) fn column(&self, index: usize) -> usize {
        let start = self.tokens().get(index).map_or(self.text.len(), |token| token.span.start as usize);
        let line = self.text.get(..start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
        start - line
    }

    /// Whether the brace at the current token closes a literal rather than a block: an expression goes on behind it.
    fn closes_expression(&self) -> bool {
        matches!(
            self.peek(1).kind,
            TokenKind::Symbol(
                Symbol::RightParen
                    | Symbol::Semicolon
                    | Symbol::Comma
                    | Symbol::Plus
                    | Symbol::Equal
                    | Symbol::NotEqual
                    | Symbol::AndAnd
                    | Symbol::OrOr
                    | Symbol::RightBracket
                    | Symbol::StarStar
            )
        )
    }

    /// Skips from an opening brace to behind the brace that closes it; stays if there is none here.
    pub(super) fn skip_block(&mut self) {
        if !self.at(Symbol::LeftBrace) {
            return;
        }
        let mut open = 0_usize;
        while !self.at_end() {
            match self.advance().kind {
                TokenKind::Symbol(Symbol::LeftBrace) => open += 1,
                TokenKind::Symbol(Symbol::RightBrace) => {
                    open -= 1;
                    if open == 0 {
                        return;
                    }
                }
                _ => {}
            }
        }
    }
}
