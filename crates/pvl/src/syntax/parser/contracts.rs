//! Contracts: clauses in front of declarations, loops, par blocks, barriers and frames.

use parse::{Failing, Reader};

use super::super::token::{Symbol, TokenKind};
use super::super::tree::{Clause, ClauseKind, Contract, Expression, Measure};
use super::super::words;
use super::{Parsed, Parser};

impl Parser<'_> {
    /// As many clauses as there are. One that cannot be read is reported and left out.
    pub(super) fn contract(&mut self) -> Contract {
        let mut clauses = Vec::new();
        while self.at_clause() && !self.given_up() {
            let from = self.position();
            match self.clause() {
                Ok(clause) => clauses.push(clause),
                Err(failure) => {
                    self.report_failure(failure);
                    self.skip_clause(from);
                }
            }
        }
        Contract { clauses }
    }

    pub(super) fn at_clause(&self) -> bool {
        let word = self.word();
        if words::CLAUSES.contains(&word) {
            // The old dialect has clauses that can also be names.
            return words::is_reserved(word, self.dialect)
                || !matches!(
                    self.text_of(self.peek(1)),
                    "=" | "." | "(" | "[" | ";" | "++" | "--" | ")" | ","
                )
                || word == "signals"
                || word == "decreases";
        }
        // In the new dialect this is an error that says so.
        word == "invariant" && !self.at_invariant_statement()
    }

    /// `invariant name(…) {`, as opposed to the old clause `invariant e;`.
    pub(super) fn at_invariant_statement(&self) -> bool {
        if !(self.at_word("invariant") && self.is_name(self.peek(1)) && self.peek_at(2, Symbol::LeftParen)) {
            return false;
        }
        let mut open = 0_usize;
        for index in self.position() + 2..self.tokens().len() {
            let token = self.tokens()[index];
            match self.text_of(token) {
                "(" => open += 1,
                ")" => {
                    open -= 1;
                    if open == 0 {
                        let next = self.tokens().get(index + 1).map(|token| self.text_of(*token));
                        return next == Some("{");
                    }
                }
                ";" if open == 0 => return false,
                _ => {}
            }
        }
        false
    }

    fn clause(&mut self) -> Parsed<Clause> {
        let start = self.start();
        let keyword = self.word();
        self.advance();
        let kind = match keyword {
            "requires" => ClauseKind::Requires(self.expression()?),
            "ensures" => ClauseKind::Ensures(self.expression()?),
            "context" => ClauseKind::Context(self.expression()?),
            "context_everywhere" => ClauseKind::ContextEverywhere(self.expression()?),
            "loop_invariant" => ClauseKind::LoopInvariant(self.expression()?),
            "lock_invariant" => ClauseKind::LockInvariant(self.expression()?),
            "kernel_invariant" => ClauseKind::KernelInvariant(self.expression()?),
            "invariant" => {
                let e = self.expression()?;
                if !self.is_old() {
                    let span = self.span_from(start);
                    return self.error(
                        span,
                        "`invariant` is not a clause",
                        "write `loop_invariant` at a loop, `context_everywhere` at a method, `lock_invariant` at \
                         a class; VerCors 1.x had this clause (`--dialect 1`)",
                    );
                }
                ClauseKind::ContextEverywhere(e)
            }
            "given" => ClauseKind::Given(self.parameter()?),
            "yields" => ClauseKind::Yields(self.parameter()?),
            "signals" => {
                self.expect(Symbol::LeftParen)?;
                let ty = self.ty()?;
                let name = self.name()?;
                self.expect(Symbol::RightParen)?;
                ClauseKind::Signals { ty, name, condition: self.expression()? }
            }
            "decreases" => ClauseKind::Decreases(self.measure()?),
            "modifies" => ClauseKind::Modifies(self.names()?),
            _ => ClauseKind::Accessible(self.names()?),
        };
        self.semicolon()?;
        Ok(Clause { id: self.id(), kind, span: self.span_from(start) })
    }

    fn measure(&mut self) -> Parsed<Measure> {
        if self.eat_word("assume") {
            return Ok(Measure::Assume);
        }
        let mut measures: Vec<Expression> = Vec::new();
        if !self.at(Symbol::Semicolon) {
            measures.push(self.expression()?);
            while self.eat(Symbol::Comma) {
                measures.push(self.expression()?);
            }
        }
        Ok(Measure::Tuple(measures))
    }

    /// To behind the semicolon of a clause that started at `from` if another clause or line follows, or to the
    /// next line that is not indented more than it.
    fn skip_clause(&mut self, from: usize) {
        let mut open = 0_i32;
        for index in from..self.position() {
            open += self.parenthesis_at(index);
        }
        while !self.at_end() {
            if self.position() > from
                && self.token().first_of_line
                && self.column(self.position()) <= self.column(from)
            {
                return;
            }
            if self.at(Symbol::RightBrace) && self.token().first_of_line {
                return;
            }
            open += self.parenthesis_at(self.position());
            let ends = self.advance().kind == TokenKind::Symbol(Symbol::Semicolon) && open <= 0;
            if ends && (self.token().first_of_line || self.at_clause()) {
                return;
            }
        }
    }

    fn parenthesis_at(&self, index: usize) -> i32 {
        match self.tokens().get(index).map(|token| token.kind) {
            Some(TokenKind::Symbol(Symbol::LeftParen)) => 1,
            Some(TokenKind::Symbol(Symbol::RightParen)) => -1,
            _ => 0,
        }
    }
}
