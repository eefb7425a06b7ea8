//! Statements of parallel programs: par regions, barriers, invariants, atomic blocks, messages between iterations.

use parse::{Expected, Failing, Reader};

use super::super::token::{Symbol, TokenKind};
use super::super::tree::{
    Contract, ExpressionKind, ParBlock, ParRegion, ParRegionKind, RangeVariable, Statement, StatementKind,
};
use super::{Parsed, Parser};

impl Parser<'_> {
    pub(super) fn region_statement(&mut self) -> Parsed<Option<StatementKind>> {
        let kind = match self.word() {
            "par" if self.is_old() => self.old_par(Contract::default())?,
            "par" | "parallel" | "sequential" => StatementKind::Par(self.region()?),
            "barrier" => self.barrier()?,
            "invariant" => self.invariant()?,
            "atomic" => {
                self.advance();
                let invariants = if self.peek_at(1, Symbol::RightParen) {
                    return self.error(
                        self.span(),
                        "this `atomic` opens no invariant",
                        "name at least one invariant: `atomic(inv) { … }`",
                    );
                } else {
                    self.parens(Parser::name)?
                };
                StatementKind::Atomic { invariants, body: self.body()? }
            }
            "vec" => {
                self.advance();
                self.expect(Symbol::LeftParen)?;
                let variable = self.range_variable()?;
                self.expect(Symbol::RightParen)?;
                StatementKind::Vector { variable, body: self.block()? }
            }
            "send" => self.send()?,
            "recv" => self.receive()?,
            _ => return Ok(None),
        };
        Ok(Some(kind))
    }

    fn region(&mut self) -> Parsed<ParRegion> {
        self.nested(|parser| {
            let start = parser.start();
            let kind = match parser.word() {
                word @ ("parallel" | "sequential") => {
                    parser.advance();
                    parser.expect(Symbol::LeftBrace)?;
                    let mut regions = Vec::new();
                    while !parser.eat(Symbol::RightBrace) {
                        if !matches!(parser.word(), "par" | "parallel" | "sequential") {
                            return parser.fail(
                                Expected::words(["par", "parallel", "sequential"]).or(Symbol::RightBrace),
                            );
                        }
                        regions.push(parser.region()?);
                    }
                    if word == "parallel" {
                        ParRegionKind::Parallel(regions)
                    } else {
                        ParRegionKind::Sequential(regions)
                    }
                }
                _ => {
                    parser.advance();
                    ParRegionKind::Block(parser.par_block()?)
                }
            };
            Ok(ParRegion { id: parser.id(), kind, span: parser.span_from(start) })
        })
    }

    /// `name? (variables)? contract s`, behind `par`.
    fn par_block(&mut self) -> Parsed<ParBlock> {
        let name = if self.at_name() { Some(self.name()?) } else { None };
        let variables = self.par_variables()?;
        let contract = self.contract();
        let body = self.body()?;
        if self.at_word("and") {
            return self.error(
                self.span(),
                "`and` does not join par blocks",
                "write `parallel { par … par … }`; VerCors 1.x wrote it like this (`--dialect 1`)",
            );
        }
        Ok(ParBlock { name, variables, contract, body })
    }

    pub(super) fn par_variables(&mut self) -> Parsed<Vec<RangeVariable>> {
        if !self.at(Symbol::LeftParen) {
            return Ok(Vec::new());
        }
        self.parens(Parser::range_variable)
    }

    /// `int i = low .. high`
    pub(super) fn range_variable(&mut self) -> Parsed<RangeVariable> {
        let start = self.start();
        let ty = self.ty()?;
        let name = self.name_for("the name of a variable")?;
        if !self.at(Symbol::Assign) {
            return self.fail(Expected::from(Symbol::Assign).with("and a range `low .. high`"));
        }
        self.advance();
        let low = self.expression()?;
        if !self.at(Symbol::DotDot) {
            return self.fail(Expected::from(Symbol::DotDot).with("and the upper bound"));
        }
        self.advance();
        let high = self.expression()?;
        Ok(RangeVariable { id: self.id(), ty, name, low, high, span: self.span_from(start) })
    }

    /// A range variable, if the parenthesis around it holds one: there is a `..` before the next semicolon.
    pub(super) fn range_variable_if_any(&mut self) -> Parsed<Option<RangeVariable>> {
        let mut open = 0_usize;
        for token in &self.tokens()[self.position()..] {
            match token.kind {
                TokenKind::Symbol(Symbol::LeftParen | Symbol::LeftBracket | Symbol::LeftBrace) => open += 1,
                TokenKind::Symbol(Symbol::RightParen | Symbol::RightBracket | Symbol::RightBrace) => {
                    if open == 0 {
                        return Ok(None);
                    }
                    open -= 1;
                }
                TokenKind::Symbol(Symbol::Semicolon) | TokenKind::End if open == 0 => return Ok(None),
                TokenKind::Symbol(Symbol::DotDot) if open == 0 => return self.range_variable().map(Some),
                TokenKind::End => return Ok(None),
                _ => {}
            }
        }
        Ok(None)
    }

    fn barrier(&mut self) -> Parsed<StatementKind> {
        self.advance();
        self.expect(Symbol::LeftParen)?;
        let block = self.name_for("the name of a par block")?;
        let invariants = if self.eat(Symbol::Semicolon) { self.names()? } else { Vec::new() };
        self.expect(Symbol::RightParen)?;
        if self.eat(Symbol::LeftBrace) {
            let contract = self.contract();
            if !self.at(Symbol::RightBrace) {
                return self
                    .fail(Expected::from("a clause of the barrier's contract").or(Symbol::RightBrace));
            }
            self.advance();
            return Ok(StatementKind::Barrier { block, invariants, contract, proof: None });
        }
        let contract = self.contract();
        let proof = Some(self.block()?);
        Ok(StatementKind::Barrier { block, invariants, contract, proof })
    }

    fn invariant(&mut self) -> Parsed<StatementKind> {
        self.advance();
        let name = self.name_for("the name of the invariant")?;
        let resource = self.parenthesised()?;
        Ok(StatementKind::Invariant { name, resource, body: self.block()? })
    }

    fn send(&mut self) -> Parsed<StatementKind> {
        self.advance();
        if self.is_old() {
            let resource = self.expression()?;
            if !self.eat_word("to") {
                return self.fail(Expected::word("to").with("and a label"));
            }
            let label = self.name_for("the name of a label")?;
            self.expect(Symbol::Comma)?;
            let distance = self.expression()?;
            self.semicolon()?;
            return Ok(StatementKind::Send { label, distance, resource });
        }
        let label = self.name_for("a name for what is sent, as in `send a, 1: …`")?;
        self.expect(Symbol::Comma)?;
        let start = self.start();
        if self.token().kind != TokenKind::Integer {
            return self.fail("the distance, a number");
        }
        let distance = self.advance();
        let distance = self.finish(start, ExpressionKind::Int(self.text_of(distance).into()))?;
        self.expect(Symbol::Colon)?;
        let resource = self.expression()?;
        self.semicolon()?;
        Ok(StatementKind::Send { label, distance, resource })
    }

    fn receive(&mut self) -> Parsed<StatementKind> {
        self.advance();
        if self.is_old() {
            let resource = self.expression()?;
            if !self.eat_word("from") {
                return self.fail(Expected::word("from").with("and a label"));
            }
            let label = self.name_for("the name of a label")?;
            self.expect(Symbol::Comma)?;
            let distance = self.expression()?;
            self.semicolon()?;
            return Ok(StatementKind::Receive { label, repeated: Some((resource, distance)) });
        }
        let label = self.name_for("the name of what was sent")?;
        self.semicolon()?;
        Ok(StatementKind::Receive { label, repeated: None })
    }

    /// A par statement of one or several blocks that run together.
    pub(super) fn regions_to_statement(&mut self, start: u32, mut blocks: Vec<ParRegion>) -> StatementKind {
        if blocks.len() == 1
            && let Some(only) = blocks.pop()
        {
            return StatementKind::Par(only);
        }
        let span = self.span_from(start);
        StatementKind::Par(ParRegion { id: self.id(), kind: ParRegionKind::Parallel(blocks), span })
    }

    /// A statement that is a block.
    pub(super) fn block_statement(&mut self) -> Parsed<Box<Statement>> {
        let start = self.start();
        let block = self.block()?;
        let kind = StatementKind::Block(block);
        Ok(Box::new(Statement { id: self.id(), kind, span: self.span_from(start) }))
    }
}
