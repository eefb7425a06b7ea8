//! Steps of a proof: `assert e by { … }`, `obtain T x with e;`, `calc { … }`, and which functions are known: `reveal f(x)`,
//! `reveal f;`, `hide f;`.
//!
//! These words are words only where they stand here; elsewhere they are names as before.

use parse::{Expected, Failing, Reader};
use source::Diagnostic;

use super::super::token::{Symbol, TokenKind};
use super::super::tree::{
    BinaryOperator, CalcStep, Expression, ExpressionKind, QuantifierKind, Statement, StatementKind,
};
use super::{Failure, Parsed, Parser};
use crate::codes;

/// A value of a calculation, by the position of its first token: it is read once for each place that it has in a claim.
#[derive(Clone, Copy)]
struct Value {
    position: usize,
    start: u32,
}

impl Parser<'_> {
    /// Behind `assert`.
    pub(super) fn asserted(&mut self) -> Parsed<StatementKind> {
        let claim = self.expression()?;
        if !(self.at_word("by") && self.peek_at(1, Symbol::LeftBrace)) {
            self.semicolon()?;
            return Ok(StatementKind::Assert(claim));
        }
        self.advance();
        Ok(StatementKind::Prove { claim, proof: Box::new(self.ghost_block()?) })
    }

    /// A block as ghost code.
    fn ghost_block(&mut self) -> Parsed<Statement> {
        let start = self.start();
        let block = self.body()?;
        Ok(Statement { id: self.id(), kind: StatementKind::Ghost(block), span: self.span_from(start) })
    }

    /// `obtain T x, U y with e;`, or nothing if the word is a name here.
    pub(super) fn obtain(&mut self) -> Parsed<Option<StatementKind>> {
        let (position, mark, start) = (self.position(), self.reading.messages.mark(), self.start());
        self.advance();
        let first = self.binding().ok().filter(|_| self.at_word("with") || self.at(Symbol::Comma));
        let Some(first) = first else {
            self.reading.messages.forget_since(mark);
            self.reset(position);
            return Ok(None);
        };
        let mut bindings = vec![first];
        while self.eat(Symbol::Comma) {
            bindings.push(self.binding()?);
        }
        if !self.eat_word("with") {
            return self.fail(Expected::word("with").with("and what holds of the values"));
        }
        let body = self.expression()?;
        let kind =
            ExpressionKind::Quantifier { kind: QuantifierKind::Exists, bindings, condition: None, body };
        let claim = self.finish(start, kind)?;
        self.semicolon()?;
        Ok(Some(StatementKind::Obtain { claim }))
    }

    /// Whether a call follows the word at the current token.
    pub(super) fn is_revealed_call(&self) -> bool {
        let next = self.peek(1);
        (self.is_name(next) || self.word_of(next) == "this") && !next.first_of_line
    }

    /// `reveal f(x)`
    pub(super) fn revealed_call(&mut self) -> Parsed<Expression> {
        let span = self.span();
        self.advance();
        let start = self.start();
        let operand = self.primary()?;
        let mut operand = self.postfix(start, operand)?;
        let ExpressionKind::Call(call) = &mut *operand.kind else {
            return self.error(span, "only a call can be revealed", "write `reveal f(…)`");
        };
        call.revealed = Some(span);
        Ok(operand)
    }

    /// Whether names and a semicolon follow the word at the current token.
    pub(super) fn names_functions(&self) -> bool {
        let is_end = self.peek_at(2, Symbol::Semicolon) || self.peek_at(2, Symbol::Comma);
        self.is_name(self.peek(1)) && is_end
    }

    /// `reveal f, g;` or `hide f;`
    pub(super) fn revealing(&mut self) -> Parsed<StatementKind> {
        let hides = self.at_word("hide");
        self.advance();
        let names = self.names()?;
        self.semicolon()?;
        Ok(StatementKind::Reveal { names, hides })
    }

    /// `calc { a; == { … } b; <= c; }`
    pub(super) fn calculation(&mut self) -> Parsed<StatementKind> {
        self.advance();
        self.expect(Symbol::LeftBrace)?;
        let first = self.calculated()?;
        let (mut last, mut steps) = (first, Vec::new());
        let mut relation = BinaryOperator::Equal;
        loop {
            let span = self.span();
            let own = self.relation()?;
            let Some(both) = together(relation, own) else {
                let error = Diagnostic::error(
                    codes::CALCULATION,
                    span,
                    "this relation does not go together with the ones before",
                )
                .help(
                    "a calculation goes up (`<`, `<=`), down (`>`, `>=`) or on (`==>`), with `==` in between",
                );
                return Err(Failure(Box::new(error)));
            };
            relation = both;
            let proof = if self.at_hint() { Some(self.ghost_block()?) } else { None };
            let next = self.calculated()?;
            steps.push(CalcStep { claim: self.claim(own, last, next)?, proof });
            last = next;
            if self.eat(Symbol::RightBrace) {
                break;
            }
        }
        Ok(StatementKind::Calc { steps, result: self.claim(relation, first, last)? })
    }

    /// One value of a calculation, which is looked at and left for its claims.
    fn calculated(&mut self) -> Parsed<Value> {
        let value = Value { position: self.position(), start: self.start() };
        self.expression()?;
        self.semicolon()?;
        Ok(value)
    }

    fn claim(&mut self, relation: BinaryOperator, left: Value, right: Value) -> Parsed<Expression> {
        let here = self.position();
        self.reset(left.position);
        let first = self.expression()?;
        self.reset(right.position);
        let second = self.expression()?;
        let claim = self.finish(left.start, ExpressionKind::Binary(relation, first, second));
        self.reset(here);
        claim
    }

    fn relation(&mut self) -> Parsed<BinaryOperator> {
        let relation = match self.token().kind {
            TokenKind::Symbol(Symbol::Equal) => BinaryOperator::Equal,
            TokenKind::Symbol(Symbol::Less) => BinaryOperator::Less,
            TokenKind::Symbol(Symbol::LessEqual) => BinaryOperator::LessEqual,
            TokenKind::Symbol(Symbol::Greater) => BinaryOperator::Greater,
            TokenKind::Symbol(Symbol::GreaterEqual) => BinaryOperator::GreaterEqual,
            TokenKind::Symbol(Symbol::Implies) => BinaryOperator::Implies,
            _ => {
                let expected = Expected::from(Symbol::Equal).or(Symbol::LessEqual).or(Symbol::Implies);
                return self.fail(expected.with("or another relation to the next value of the calculation"));
            }
        };
        self.advance();
        Ok(relation)
    }

    /// Whether braces hold statements: a set has elements and no semicolon.
    fn at_hint(&self) -> bool {
        if !self.at(Symbol::LeftBrace) {
            return false;
        }
        let (mut depth, mut ahead) = (0_usize, 0);
        loop {
            match self.peek(ahead).kind {
                TokenKind::Symbol(Symbol::LeftBrace) => depth += 1,
                TokenKind::Symbol(Symbol::RightBrace) if depth == 1 => return ahead == 1,
                TokenKind::Symbol(Symbol::RightBrace) => depth -= 1,
                TokenKind::Symbol(Symbol::Semicolon) => return true,
                TokenKind::End => return false,
                _ => {}
            }
            ahead += 1;
        }
    }
}

/// What follows from two relations, one after the other; nothing if they lead into different directions.
fn together(one: BinaryOperator, other: BinaryOperator) -> Option<BinaryOperator> {
    use BinaryOperator::{Equal, Greater, GreaterEqual, Less, LessEqual};
    match (one, other) {
        (Equal, any) | (any, Equal) => Some(any),
        (one, other) if one == other => Some(one),
        (Less | LessEqual, Less | LessEqual) => Some(Less),
        (Greater | GreaterEqual, Greater | GreaterEqual) => Some(Greater),
        _ => None,
    }
}
