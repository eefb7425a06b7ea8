//! Formulas of linear temporal logic: `ltl` blocks, and texts given beside a model.

use parse::{Cursor, Reader};
use source::{Diagnostic, Span};

use super::super::token::{Punct, Token, TokenKind};
use super::super::tree::{Expr, Ltl};
use super::{Names, Parser};

/// Parses a formula given outside the model, knowing the model's names.
pub fn parse_formula(tokens: Vec<Token>, names: Names) -> (Option<Expr>, Vec<Diagnostic>) {
    let mut parser = Parser::new(tokens);
    parser.names = names;
    let formula = parser.formula();
    let formula = formula.filter(|_| !parser.reading.messages.has_errors());
    (formula, parser.reading.messages.into_list())
}

pub(super) fn is_operator_word(word: &str) -> bool {
    matches!(
        word,
        "U" | "V"
            | "W"
            | "X"
            | "always"
            | "eventually"
            | "until"
            | "stronguntil"
            | "weakuntil"
            | "release"
            | "next"
            | "implies"
            | "equivalent"
    )
}

impl Parser {
    /// Reads a formula up to the end of the tokens.
    fn formula(&mut self) -> Option<Expr> {
        self.in_formula = true;
        self.in_sequence = false;
        self.parens = 0;
        let formula = self.expression();
        let formula = match formula {
            Some(formula) => {
                while self.eat(Punct::Semicolon) {}
                if self.at_end() {
                    Some(formula)
                } else {
                    self.unexpected("an operator or the end of the formula")
                }
            }
            None => None,
        };
        self.in_formula = false;
        formula
    }

    /// The `ltl` blocks, which may use every name of the model.
    pub(super) fn deferred_formulas(&mut self) {
        for (name, mut tokens) in std::mem::take(&mut self.deferred) {
            tokens.remove(0);
            let end = tokens.pop().map_or(name.span, |token| token.span);
            tokens.push(Token::new(TokenKind::End, Span { end: end.start, ..end }));
            self.reading.cursor = Cursor::new(tokens, name.span);
            if let Some(formula) = self.formula() {
                self.module.formulas.push(Ltl { name, formula });
            }
        }
    }
}
