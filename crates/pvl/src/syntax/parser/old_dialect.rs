//! What VerCors 1.x wrote differently, read into the nodes of the new dialect.

use parse::{Expected, Failing, Reader};
use source::Diagnostic;

use super::super::token::{Symbol, TokenKind};
use super::super::tree::{
    Call, Contract, Expression, ExpressionKind, GivenArgument, Name, ParBlock, ParRegion, ParRegionKind,
    Statement, StatementKind, YieldsResult,
};
use super::{Parsed, Parser};
use crate::codes;

/// Ghost statements of models: the keyword, and the least and greatest number of operands.
const MODEL_STATEMENTS: &[(&str, usize, usize)] =
    &[("create", 1, 2), ("destroy", 1, 2), ("split", 5, 5), ("merge", 5, 5), ("choose", 4, 4)];

impl<'a> Parser<'a> {
    /// Names that clauses declare with `yields` and none declares with `given`.
    pub(super) fn names_of_ghost_results(&self) -> Vec<&'a str> {
        let declared = |keyword: &str| -> Vec<&'a str> {
            let clauses =
                (0..self.tokens().len()).filter(|index| self.word_of(self.tokens()[*index]) == keyword);
            clauses
                .filter_map(|index| self.tokens().get(self.scan_type(index + 1, 0)?))
                .map(|token| self.word_of(*token))
                .collect()
        };
        let given = declared("given");
        declared("yields").into_iter().filter(|name| !name.is_empty() && !given.contains(name)).collect()
    }

    /// Whether a word that opens a statement is a name here, which the old dialect allows for some.
    pub(super) fn old_uses_as_name(&self) -> bool {
        let next = self.text_of(self.peek(1));
        if self.word() == "action" && next == "(" {
            return false;
        }
        matches!(next, "=" | "." | "(" | "[" | "++" | "--" | ";" | ")" | ",") && !self.starts_wide_operand()
    }

    /// `assert (…)`, `fold [1]p(…)`: words behind which a parenthesis or bracket is the operand.
    fn starts_wide_operand(&self) -> bool {
        matches!(
            self.word(),
            "assert"
                | "assume"
                | "inhale"
                | "exhale"
                | "refute"
                | "fold"
                | "unfold"
                | "package"
                | "apply"
                | "use"
                | "open"
                | "close"
        ) && matches!(self.text_of(self.peek(1)), "(" | "[")
    }

    /// `e with { x = a; } then { b = y; }`: ghost arguments and results.
    pub(super) fn old_ghost_blocks(&mut self, mut value: Expression) -> Parsed<Expression> {
        loop {
            let start = value.span.start;
            let is_with = match self.word() {
                "with" => true,
                "then" => false,
                _ => return Ok(value),
            };
            self.advance();
            let block = self.block_statement()?;
            let is_call = matches!(&*value.kind, ExpressionKind::Call(_) | ExpressionKind::New { .. });
            let arguments = if is_call { assignments(&block) } else { None };
            let is_plain = |source: &Expression| is_with || matches!(&*source.kind, ExpressionKind::Name(_));
            let arguments = arguments.filter(|pairs| pairs.iter().all(|(_, source)| is_plain(source)));
            let Some(arguments) = arguments else {
                let (before, after) = if is_with { (Some(block), None) } else { (None, Some(block)) };
                value = self.finish(start, ExpressionKind::With { before, value, after })?;
                continue;
            };
            let (given, yields) = match &mut *value.kind {
                ExpressionKind::Call(call) => (&mut call.given, &mut call.yields),
                ExpressionKind::New { given, yields, .. } => (given, yields),
                _ => return Ok(value),
            };
            for (target, source) in arguments {
                if is_with {
                    let ExpressionKind::Name(name) = &*target.kind else { continue };
                    // A block in front was also used for results.
                    let is_result = self.ghost_results.contains(&&*name.text);
                    if is_result && matches!(&*source.kind, ExpressionKind::Name(_)) {
                        yields.push(YieldsResult { target: source, name: name.clone() });
                    } else {
                        given.push(GivenArgument { name: name.clone(), value: source });
                    }
                } else if let ExpressionKind::Name(name) = &*source.kind {
                    yields.push(YieldsResult { target, name: name.clone() });
                }
            }
            value = self.finish(start, *value.kind)?;
        }
    }

    /// `Future(m, q, P)`, `Hist(m, q, P)` and `AbstractState(m, e)`.
    pub(super) fn old_model_assertion(&mut self, word: &str) -> Parsed<Option<ExpressionKind>> {
        let (member, count) = match word {
            "Future" | "Hist" => ("state", 3),
            "AbstractState" => ("abstractState", 2),
            _ => return Ok(None),
        };
        let token = self.advance();
        let mut arguments = self.nested(Parser::arguments)?;
        if arguments.len() != count {
            let message = format!("`{word}` takes {count} arguments, not {}", arguments.len());
            return Err(super::Failure(Box::new(Diagnostic::error(codes::PARSE, token.span, message))));
        }
        let receiver = arguments.remove(0);
        Ok(Some(member_call(receiver, member, token.span, arguments)))
    }

    /// Statements that only the old dialect has.
    pub(super) fn old_statement(&mut self) -> Parsed<Option<StatementKind>> {
        let word = self.word();
        if word == "use" || word == "apply" {
            self.advance();
            let wand = self.expression()?;
            self.semicolon()?;
            return Ok(Some(StatementKind::Apply(wand)));
        }
        if word == "create" && self.peek_at(1, Symbol::LeftBrace) {
            return self.old_package().map(Some);
        }
        let Some((keyword, least, most)) = MODEL_STATEMENTS.iter().copied().find(|entry| entry.0 == word)
        else {
            return Ok(None);
        };
        let start = self.start();
        let token = self.advance();
        let mut operands = vec![self.expression()?];
        while self.eat(Symbol::Comma) {
            operands.push(self.expression()?);
        }
        if operands.len() < least || operands.len() > most {
            let message = format!("`{keyword}` takes {most} operands, not {}", operands.len());
            let span = self.span_from(start);
            return Err(super::Failure(Box::new(Diagnostic::error(codes::PARSE, span, message))));
        }
        let receiver = operands.remove(0);
        let kind = member_call(receiver, keyword, token.span, operands);
        let call = self.finish(start, kind)?;
        self.semicolon()?;
        Ok(Some(StatementKind::Evaluate(call)))
    }

    /// `create { proof; qed A -* B; }`
    fn old_package(&mut self) -> Parsed<StatementKind> {
        self.advance();
        let start = self.start();
        self.expect(Symbol::LeftBrace)?;
        let mut statements = Vec::new();
        while !self.at_word("qed") {
            if self.at(Symbol::RightBrace) || self.at_end() {
                return self.fail(Expected::word("qed").with("and the wand that was created"));
            }
            statements.push(self.statement()?);
        }
        self.advance();
        let wand = self.expression()?;
        self.semicolon()?;
        self.expect(Symbol::RightBrace)?;
        let span = self.span_from(start);
        let kind = StatementKind::Block(super::super::tree::Block { statements, span });
        let proof = Box::new(Statement { id: self.id(), kind, span });
        Ok(StatementKind::Package { wand, proof })
    }

    /// `{* e *}`: an assertion in the style of Hoare.
    pub(super) fn hoare_assertion(&mut self) -> Parsed<StatementKind> {
        self.skip(2);
        let assertion = self.expression()?;
        self.expect(Symbol::Star)?;
        self.expect(Symbol::RightBrace)?;
        Ok(StatementKind::Assert(assertion))
    }

    /// `par a (int i = 0 .. n) contract { … } and b () contract { … }`
    pub(super) fn old_par(&mut self, contract: Contract) -> Parsed<StatementKind> {
        let start = self.start();
        self.advance();
        let mut outer = Some(contract);
        let mut blocks = Vec::new();
        loop {
            let block_start = self.start();
            let name = if self.at_name() { Some(self.name()?) } else { None };
            let variables = if self.at(Symbol::LeftParen) && self.peek_at(1, Symbol::Semicolon) {
                let span = self.peek(1).span;
                return self.unsupported(span, "par blocks that wait for others are");
            } else {
                self.par_variables()?
            };
            let mut contract = outer.take().unwrap_or_default();
            contract.clauses.extend(self.contract().clauses);
            let body = self.block_statement()?;
            let kind = ParRegionKind::Block(ParBlock { name, variables, contract, body });
            blocks.push(ParRegion { id: self.id(), kind, span: self.span_from(block_start) });
            if !self.eat_word("and") {
                return Ok(self.regions_to_statement(start, blocks));
            }
        }
    }

    /// Whether a constructor named like its class starts here.
    pub(super) fn at_old_constructor(&self) -> bool {
        self.token().kind == TokenKind::Word
            && self.class_name.as_deref() == Some(self.word())
            && self.peek_at(1, Symbol::LeftParen)
    }
}

fn member_call(
    receiver: Expression,
    member: &str,
    span: source::Span,
    arguments: Vec<Expression>,
) -> ExpressionKind {
    ExpressionKind::Call(Call {
        revealed: None,
        receiver: Some(receiver),
        name: Name { text: member.into(), span },
        type_arguments: Vec::new(),
        arguments,
        given: Vec::new(),
        yields: Vec::new(),
    })
}

/// Targets and values if a block holds nothing but assignments to names.
fn assignments(block: &Statement) -> Option<Vec<(Expression, Expression)>> {
    let StatementKind::Block(block) = &block.kind else { return None };
    block
        .statements
        .iter()
        .map(|statement| match &statement.kind {
            StatementKind::Assign { target, value } if matches!(&*target.kind, ExpressionKind::Name(_)) => {
                Some((target.clone(), value.clone()))
            }
            _ => None,
        })
        .collect()
}
