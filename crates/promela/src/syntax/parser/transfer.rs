//! Statements that start with a variable: assignments, sends and receives; and conditions.

use parse::Reader;
use source::{Diagnostic, Span};

use super::super::token::{Punct, TokenKind};
use super::super::tree::{Argument, Expr, ExprKind, Reference, StmtKind};
use super::{Parser, is_keyword};

impl Parser {
    #[inline(never)]
    pub(super) fn simple_statement(&mut self, start: Span) -> Option<StmtKind> {
        let plain = self.word().is_some_and(|word| {
            !is_keyword(word) && !self.names.constants.contains(word) && !self.names.processes.contains(word)
        });
        if !plain || self.ahead(1).is(Punct::At) {
            return self.condition(start, None);
        }
        if self.ahead(1).is(Punct::LeftParen) && !self.ahead(1).newline {
            let word = self.word().unwrap_or_default();
            let diagnostic = Diagnostic::error(
                "name.inline.unknown",
                start,
                format!("no inline `{word}` is defined before this place"),
            )
            .help("define an inline before its use; a process is started with `run`");
            self.report(diagnostic);
            return None;
        }
        let reference = self.reference()?;
        match self.peek() {
            TokenKind::Punct(Punct::Assign) => {
                self.event_only(start);
                self.bump();
                self.assignment(start, reference)
            }
            TokenKind::Punct(Punct::PlusPlus) => {
                self.event_only(start);
                self.bump();
                Some(StmtKind::Increment(reference))
            }
            TokenKind::Punct(Punct::MinusMinus) => {
                self.event_only(start);
                self.bump();
                Some(StmtKind::Decrement(reference))
            }
            TokenKind::Punct(Punct::Not) => {
                self.bump();
                self.send(reference, false)
            }
            TokenKind::Punct(Punct::NotNot) => {
                self.event_only(start);
                self.bump();
                self.send(reference, true)
            }
            TokenKind::Punct(operator @ (Punct::Query | Punct::QueryQuery))
                if !self.ahead(1).is(Punct::LeftBracket) =>
            {
                let random = *operator == Punct::QueryQuery;
                self.bump();
                let peek = self.at(Punct::Less);
                if random || peek {
                    self.event_only(start);
                }
                self.receive(reference, random, peek)
            }
            _ => self.condition(start, Some(reference)),
        }
    }

    #[inline(never)]
    fn condition(&mut self, start: Span, first: Option<Reference>) -> Option<StmtKind> {
        self.event_only(start);
        let expr = match first {
            None => self.expression()?,
            Some(reference) => {
                let left = self.after_reference(reference)?;
                self.expression_after(left)?
            }
        };
        Some(StmtKind::Expr(expr))
    }

    #[inline(never)]
    fn assignment(&mut self, start: Span, target: Reference) -> Option<StmtKind> {
        if self.at_inline_call() {
            let call = self.inline_call(start, Some(target))?;
            return Some(call.kind);
        }
        let value = self.expression()?;
        Some(StmtKind::Assign { target, value })
    }

    /// `a, b` or `a(b, c)`.
    #[inline(never)]
    fn send(&mut self, channel: Reference, sorted: bool) -> Option<StmtKind> {
        let mut arguments = vec![self.expression()?];
        if self.at(Punct::LeftParen) {
            self.open_paren()?;
            loop {
                arguments.push(self.expression()?);
                if !self.eat(Punct::Comma) {
                    break;
                }
            }
            self.close_paren()?;
        } else {
            while self.eat(Punct::Comma) {
                arguments.push(self.expression()?);
            }
        }
        Some(StmtKind::Send { channel, sorted, arguments })
    }

    #[inline(never)]
    fn receive(&mut self, channel: Reference, random: bool, peek: bool) -> Option<StmtKind> {
        if peek {
            self.expect(Punct::Less)?;
        }
        let mut arguments = Vec::new();
        self.receive_arguments(&mut arguments)?;
        if peek {
            self.expect(Punct::Greater)?;
        }
        Some(StmtKind::Receive { channel, random, peek, arguments })
    }

    /// `a, b`, `a(b, c)` or `(a, b)`, as a receive and a poll have them.
    pub(super) fn receive_arguments(&mut self, into: &mut Vec<Argument>) -> Option<()> {
        if self.at(Punct::LeftParen) {
            self.open_paren()?;
            self.nested(|parser| parser.receive_arguments(into))?;
            return self.close_paren();
        }
        loop {
            let argument = self.receive_argument()?;
            into.push(argument);
            if self.at(Punct::LeftParen) {
                self.open_paren()?;
                self.nested(|parser| parser.receive_arguments(into))?;
                return self.close_paren();
            }
            if !self.eat(Punct::Comma) {
                return Some(());
            }
        }
    }

    #[inline(never)]
    fn receive_argument(&mut self) -> Option<Argument> {
        let start = self.span();
        if self.eat_word("eval") {
            self.open_paren()?;
            let expr = self.expression()?;
            self.close_paren()?;
            return Some(Argument::Eval(expr));
        }
        if self.eat(Punct::Minus) {
            let value = self.number("a number")?;
            let expr = Expr::new(ExprKind::Number(value.wrapping_neg()), self.since(start));
            return Some(Argument::Constant(expr));
        }
        let variable = match self.peek() {
            TokenKind::Name(word) => !self.names.constants.contains(word) && !is_keyword(word),
            _ => false,
        };
        if variable {
            return Some(Argument::Reference(self.reference()?));
        }
        Some(Argument::Constant(self.literal("a variable, a constant or `eval(…)`")?))
    }
}
