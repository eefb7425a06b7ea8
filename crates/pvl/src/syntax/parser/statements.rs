//! Statements and blocks.

use parse::{Expected, Failing, Reader};
use source::Diagnostic;

use super::super::token::{Symbol, TokenKind};
use super::super::tree::{
    Block, Branch, Contract, Declarator, Expression, ExpressionKind, Statement, StatementKind,
};
use super::super::words;
use super::{Parsed, Parser};
use crate::codes;

impl Parser<'_> {
    /// `{ … }`. Statements that cannot be read are reported and left out.
    pub(super) fn block(&mut self) -> Parsed<Block> {
        self.nested(|parser| {
            let start = parser.start();
            let opening = parser.token();
            if !parser.at(Symbol::LeftBrace) {
                return parser.fail(Symbol::LeftBrace);
            }
            parser.advance();
            let statements = parser.statements();
            if parser.at(Symbol::RightBrace) {
                parser.advance();
            } else if !parser.given_up() && !parser.unwinding {
                let span = parser.span();
                let error = Diagnostic::error(codes::PARSE, span, "expected `}` before this")
                    .label(opening.span, "this block is not closed")
                    .help("close the block with `}`");
                parser.report(error);
            }
            Ok(Block { statements, span: parser.span_from(start) })
        })
    }

    /// Statements up to a closing brace, the end, or something that can only be a declaration.
    fn statements(&mut self) -> Vec<Statement> {
        let mut statements = Vec::new();
        while !self.at(Symbol::RightBrace) && !self.at_end() && !self.given_up() {
            if self.at_word("class") && self.is_name(self.peek(1)) {
                break;
            }
            if self.at_word("spec_ignore") && self.skip_ignored() {
                continue;
            }
            let from = self.position();
            let statement = self.statement();
            if let Err(failure) = statement {
                self.report_failure(failure);
                if !self.unwinding {
                    self.skip_statement(from);
                    if self.position() == from {
                        self.advance();
                    }
                }
            } else {
                statements.extend(statement);
            }
            if self.unwinding {
                break;
            }
        }
        statements
    }

    /// Where a statement should start but a method or another member does: the blocks around are not closed.
    fn at_member(&self) -> bool {
        match self.word() {
            "pure" | "inline" | "thread_local" | "static" => true,
            "opaque" => self.is_modifier(self.peek(1)),
            "constructor" | "run" => {
                !self.is_old() && (self.peek_at(1, Symbol::LeftParen) || self.peek_at(1, Symbol::LeftBrace))
            }
            "resource" | "lemma" | "predicate" => self.peek_at(2, Symbol::LeftParen),
            _ => {
                let behind = self.scan_type(self.position(), 0).filter(|_| self.at_local_declaration());
                let next = behind.and_then(|index| self.tokens().get(index + 1));
                next.is_some_and(|token| token.kind == TokenKind::Symbol(Symbol::LeftParen))
            }
        }
    }

    /// Ends all blocks around a member that starts at the token with this index.
    fn unwind<T>(&mut self, member: usize) -> Parsed<T> {
        self.reset(member);
        self.unwinding = true;
        self.error(
            self.span(),
            "expected `}` before this",
            "a method cannot stand inside of another; close the blocks above with `}`",
        )
    }

    /// `spec_ignore { … spec_ignore }`, with the braces either way round.
    fn skip_ignored(&mut self) -> bool {
        let is_brace = |token: super::Token| {
            matches!(token.kind, TokenKind::Symbol(Symbol::LeftBrace | Symbol::RightBrace))
        };
        if !is_brace(self.peek(1)) {
            return false;
        }
        let start = self.token();
        self.skip(2);
        while !self.at_end() {
            if self.at_word("spec_ignore") && is_brace(self.peek(1)) {
                self.skip(2);
                return true;
            }
            self.advance();
        }
        let error = Diagnostic::error(codes::PARSE, start.span, "this `spec_ignore` has no end")
            .help("write `spec_ignore }` behind what is to be ignored");
        self.report(error);
        true
    }

    pub(super) fn statement(&mut self) -> Parsed<Statement> {
        self.nested(|parser| {
            let start = parser.start();
            let kind = parser.statement_kind()?;
            Ok(Statement { id: parser.id(), kind, span: parser.span_from(start) })
        })
    }

    fn statement_kind(&mut self) -> Parsed<StatementKind> {
        if self.at(Symbol::LeftBrace) {
            if self.is_old() && self.touches(1, Symbol::Star) {
                return self.hoare_assertion();
            }
            return Ok(StatementKind::Block(self.block()?));
        }
        if self.at(Symbol::Semicolon) {
            return self.error(
                self.span(),
                "there is no statement in front of this `;`",
                "an empty statement is written `{}`",
            );
        }
        if self.at_clause() {
            return self.contracted();
        }
        if let Some(kind) = self.keyword_statement()? {
            return Ok(kind);
        }
        if self.at_member() {
            return self.unwind(self.position());
        }
        let kind = self.simple_statement()?;
        self.semicolon()?;
        Ok(kind)
    }

    /// What a contract stands in front of.
    fn contracted(&mut self) -> Parsed<StatementKind> {
        let start = self.start();
        let from = self.position();
        let reported = self.reading.messages.mark();
        let contract = self.contract();
        match self.word() {
            "while" => self.while_loop(contract),
            "for" => self.for_loop(contract),
            "par" if self.is_old() => self.old_par(contract),
            _ if self.at_member() => {
                // The clauses are read once more, in front of their member.
                self.reading.messages.forget_since(reported);
                self.unwind(from)
            }
            _ => {
                let span = self.span_from(start);
                self.error(
                    span,
                    "this contract is not followed by a loop",
                    "clauses stand in front of `while` and `for`, and behind `par`, `barrier` and `frame`",
                )
            }
        }
    }

    fn while_loop(&mut self, contract: Contract) -> Parsed<StatementKind> {
        self.advance();
        let condition = self.parenthesised()?;
        let body = self.body()?;
        Ok(StatementKind::While { contract, condition, body })
    }

    fn for_loop(&mut self, contract: Contract) -> Parsed<StatementKind> {
        self.advance();
        self.expect(Symbol::LeftParen)?;
        if let Some(variable) = self.range_variable_if_any()? {
            self.expect(Symbol::RightParen)?;
            let body = self.body()?;
            return Ok(StatementKind::RangedFor { contract, variable, body });
        }
        let initial = self.simple_statements(Symbol::Semicolon)?;
        if !self.at(Symbol::Semicolon) {
            return self.fail(Expected::from(Symbol::Semicolon).with("and the condition of the loop"));
        }
        self.advance();
        let condition = if self.at(Symbol::Semicolon) { None } else { Some(self.expression()?) };
        if !self.at(Symbol::Semicolon) {
            return self.fail(Expected::from(Symbol::Semicolon).with("and the update of the loop"));
        }
        self.advance();
        let update = self.simple_statements(Symbol::RightParen)?;
        self.expect(Symbol::RightParen)?;
        let body = self.body()?;
        Ok(StatementKind::For { contract, initial, condition, update, body })
    }

    /// Simple statements with commas between them, up to a symbol.
    fn simple_statements(&mut self, end: Symbol) -> Parsed<Vec<Statement>> {
        let mut statements = Vec::new();
        if self.at(end) {
            return Ok(statements);
        }
        loop {
            let start = self.start();
            let kind = self.simple_statement()?;
            statements.push(Statement { id: self.id(), kind, span: self.span_from(start) });
            if !self.eat(Symbol::Comma) {
                return Ok(statements);
            }
        }
    }

    pub(super) fn body(&mut self) -> Parsed<Box<Statement>> {
        Ok(Box::new(self.statement()?))
    }

    /// A declaration, an assignment, `x++`, or an expression; without its semicolon.
    pub(super) fn simple_statement(&mut self) -> Parsed<StatementKind> {
        if self.at_local_declaration() {
            return self.local_declaration();
        }
        let starts_with_type = words::SIMPLE_TYPES.contains(&self.word())
            || words::GENERIC_TYPES.contains(&self.word()) && self.is_name(self.peek(1));
        if starts_with_type && !self.is_name(self.token()) {
            // It starts with a type; the error is about what follows.
            return self.local_declaration();
        }
        if self.is_name(self.token())
            && matches!(self.peek(1).kind, TokenKind::Symbol(Symbol::PlusPlus | Symbol::MinusMinus))
            && !self.starts_operand(self.peek(2))
        {
            let start = self.start();
            let name = self.name()?;
            let target = self.finish(start, ExpressionKind::Name(name))?;
            let increment = self.advance().kind == TokenKind::Symbol(Symbol::PlusPlus);
            return Ok(if increment {
                StatementKind::Increment(target)
            } else {
                StatementKind::Decrement(target)
            });
        }
        let target = self.expression()?;
        match self.token().kind {
            TokenKind::Symbol(Symbol::Assign) => {
                self.advance();
                let value = self.expression()?;
                Ok(StatementKind::Assign { target, value })
            }
            TokenKind::Symbol(Symbol::PlusPlus) => {
                self.advance();
                Ok(StatementKind::Increment(target))
            }
            TokenKind::Symbol(Symbol::MinusMinus) => {
                self.advance();
                Ok(StatementKind::Decrement(target))
            }
            TokenKind::Symbol(Symbol::Colon) if self.peek_at(1, Symbol::Assign) => {
                let span = self.span().to(self.peek(1).span);
                self.error(
                    span,
                    "expected `=`, found `:=`",
                    "assignment is written `=`; `:=` belongs to choreographies, which are not supported yet",
                )
            }
            _ => Ok(StatementKind::Evaluate(target)),
        }
    }

    fn local_declaration(&mut self) -> Parsed<StatementKind> {
        let ty = self.ty()?;
        let mut declarators = Vec::new();
        loop {
            let name = self.name_for("the name of a variable")?;
            let value = if self.eat(Symbol::Assign) { Some(self.expression()?) } else { None };
            declarators.push(Declarator { id: self.id(), name, value });
            if !self.eat(Symbol::Comma) {
                return Ok(StatementKind::Local { ty, declarators });
            }
        }
    }

    /// Statements that start with a keyword of their own.
    fn keyword_statement(&mut self) -> Parsed<Option<StatementKind>> {
        let word = self.word();
        if word.is_empty() || (self.is_old() && self.is_name(self.token()) && self.old_uses_as_name()) {
            return Ok(None);
        }
        if word == "assert" {
            self.advance();
            return self.asserted().map(Some);
        }
        if let Some(make) = with_operand(word) {
            self.advance();
            // No expression begins like this, so what was read before is read as before.
            let is_question = word == "assume" && self.eat(Symbol::Question);
            let make = if is_question { StatementKind::Question } else { make };
            let operand = self.expression()?;
            self.semicolon()?;
            return Ok(Some(make(operand)));
        }
        let kind = match word {
            "return" => {
                self.advance();
                // A line that starts with something new is not the value.
                let value = if self.at(Symbol::Semicolon) || self.at(Symbol::RightBrace) {
                    None
                } else {
                    Some(self.expression()?)
                };
                self.semicolon()?;
                StatementKind::Return(value)
            }
            "if" => self.conditional_statement()?,
            "while" => self.while_loop(Contract::default())?,
            "for" => self.for_loop(Contract::default())?,
            "goto" => {
                self.advance();
                let label = self.name_for("the name of a label")?;
                self.semicolon()?;
                StatementKind::Goto(label)
            }
            "label" => {
                self.advance();
                let label = self.name_for("the name of a label")?;
                self.semicolon()?;
                StatementKind::Label(label)
            }
            "package" => {
                self.advance();
                let wand = self.expression()?;
                StatementKind::Package { wand, proof: self.body()? }
            }
            "extract" => {
                self.advance();
                StatementKind::Extract(self.body()?)
            }
            "frame" => {
                self.advance();
                let contract = self.contract();
                StatementKind::Frame { contract, body: self.body()? }
            }
            "ghost" => {
                self.advance();
                StatementKind::Ghost(self.body()?)
            }
            "action" => self.action()?,
            "reveal" | "hide" if self.names_functions() => self.revealing()?,
            "calc" if self.peek_at(1, Symbol::LeftBrace) => self.calculation()?,
            "obtain" => match self.obtain()? {
                Some(kind) => kind,
                None => return Ok(None),
            },
            "open" | "close" | "witness" | "transfer" | "csl_subject"
                if self.starts_operand(self.peek(1)) && !self.peek_at(1, Symbol::LeftParen) =>
            {
                return self.unsupported(self.span(), &format!("the statement `{word}` is"));
            }
            "communicate" | "channel_invariant" => {
                let span = self.span();
                return self.unsupported(span, &format!("`{word}` belongs to choreographies, which are"));
            }
            "else" => {
                return self.error(
                    self.span(),
                    "this `else` has no `if`",
                    "`else` follows directly behind the statement of an `if`; put it in one block `{ … }`",
                );
            }
            "break" | "continue" | "switch" | "do" | "try" | "throw" if !self.looks_like_name_use() => {
                return self.error(
                    self.span(),
                    format!("there is no `{word}` in PVL"),
                    "use `if`, `while`, `goto` and `label`",
                );
            }
            _ => {
                if self.is_old()
                    && let Some(kind) = self.old_statement()?
                {
                    return Ok(Some(kind));
                }
                return self.region_statement();
            }
        };
        Ok(Some(kind))
    }

    /// Whether the word at the current token is used as a variable or function.
    fn looks_like_name_use(&self) -> bool {
        matches!(self.text_of(self.peek(1)), "=" | "." | "(" | "[" | "++" | "--")
    }

    fn conditional_statement(&mut self) -> Parsed<StatementKind> {
        self.advance();
        self.expect(Symbol::LeftParen)?;
        let condition = if self.at(Symbol::Star) && self.peek_at(1, Symbol::RightParen) {
            let span = self.span();
            self.advance();
            Branch::Arbitrary(span)
        } else {
            Branch::Condition(self.expression()?)
        };
        self.expect(Symbol::RightParen)?;
        let then = self.body()?;
        let otherwise = if self.eat_word("else") { Some(self.body()?) } else { None };
        Ok(StatementKind::If { condition, then, otherwise })
    }

    /// `action(model, amount, process, action) s` or `;`
    fn action(&mut self) -> Parsed<StatementKind> {
        self.advance();
        self.expect(Symbol::LeftParen)?;
        let model = self.expression()?;
        self.expect(Symbol::Comma)?;
        let amount = self.expression()?;
        self.expect(Symbol::Comma)?;
        let process = self.expression()?;
        self.expect(Symbol::Comma)?;
        let action = self.expression()?;
        // The old dialect can repeat what the contract of the action says about fields.
        while self.is_old() && self.eat(Symbol::Comma) {
            self.expression()?;
        }
        self.expect(Symbol::RightParen)?;
        let body = if self.eat(Symbol::Semicolon) { None } else { Some(self.body()?) };
        Ok(StatementKind::Action { model, amount, process, action, body })
    }
}

/// The statement that is a keyword and one operand.
fn with_operand(keyword: &str) -> Option<fn(Expression) -> StatementKind> {
    Some(match keyword {
        "lock" => StatementKind::Lock,
        "unlock" => StatementKind::Unlock,
        "wait" => StatementKind::Wait,
        "notify" => StatementKind::Notify,
        "commit" => StatementKind::Commit,
        "fork" => StatementKind::Fork,
        "join" => StatementKind::Join,
        "fold" => StatementKind::Fold,
        "unfold" => StatementKind::Unfold,
        "assume" => StatementKind::Assume,
        "inhale" => StatementKind::Inhale,
        "exhale" => StatementKind::Exhale,
        "refute" => StatementKind::Refute,
        "apply" => StatementKind::Apply,
        _ => return None,
    })
}
