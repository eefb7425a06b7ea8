//! Statements and blocks.

use parse::{Expected, Failing, Reader};

use super::super::token::{Symbol, TokenKind};
use super::super::tree::{
    Block, Decreases, Define, DefineBody, Expression, ExpressionKind, Measure, Name, Otherwise,
    Specification, SpecificationKind, Statement, StatementKind,
};
use super::{Parsed, Parser};

impl Parser<'_> {
    /// `{ statement;? … }`; inside a macro body no macro may be defined.
    pub(super) fn block(&mut self, allow_define: bool) -> Parsed<Block> {
        self.nested(|parser| {
            let start = parser.start();
            parser.expect(Symbol::LeftBrace)?;
            let mut statements = Vec::new();
            while !parser.at(Symbol::RightBrace) {
                statements.push(parser.statement(allow_define)?);
                parser.eat(Symbol::Semicolon);
            }
            parser.advance();
            Ok(Block { statements, span: Some(parser.span_from(start)) })
        })
    }

    fn statement(&mut self, allow_define: bool) -> Parsed<Statement> {
        let start = self.start();
        let kind = match self.token().kind {
            TokenKind::Symbol(Symbol::At) => {
                let annotation = self.annotation()?;
                let inner = self.nested(|parser| parser.statement(true))?;
                StatementKind::Annotated(annotation, Box::new(inner))
            }
            TokenKind::Symbol(Symbol::LeftBrace) => StatementKind::Block(self.block(allow_define)?),
            TokenKind::Word => match self.keyword_statement(allow_define)? {
                Some(kind) => kind,
                None => self.assignment()?,
            },
            TokenKind::Symbol(Symbol::LeftParen) => self.assignment()?,
            _ => return self.fail(Expected::from("a statement").or(Symbol::RightBrace)),
        };
        Ok(Statement { kind, span: self.span_from(start) })
    }

    fn keyword_statement(&mut self, allow_define: bool) -> Parsed<Option<StatementKind>> {
        let token = self.token();
        let keyword = self.text_of(token);
        let prefix: Option<fn(Expression) -> StatementKind> = match keyword {
            "assert" => Some(StatementKind::Assert),
            "assume" => Some(StatementKind::Assume),
            "inhale" => Some(StatementKind::Inhale),
            "exhale" => Some(StatementKind::Exhale),
            "refute" => Some(StatementKind::Refute),
            _ => None,
        };
        let may_ask = keyword == "assume";
        if let Some(prefix) = prefix {
            self.advance();
            // No expression begins like this, so what was read before is read as before.
            let asks = may_ask && self.eat(Symbol::Question);
            let prefix = if asks { StatementKind::Question } else { prefix };
            return self.expression().map(|expression| Some(prefix(expression)));
        }
        let kind = match keyword {
            "fold" => {
                self.advance();
                StatementKind::Fold(self.predicate_access()?)
            }
            "unfold" => {
                self.advance();
                StatementKind::Unfold(self.predicate_access()?)
            }
            "unreachable" => {
                self.advance();
                StatementKind::Unreachable
            }
            "var" => {
                self.advance();
                let bindings = self.bindings()?;
                let value = if self.eat(Symbol::Assign) { Some(self.expression()?) } else { None };
                StatementKind::Variables { bindings, value }
            }
            "if" => self.conditional_statement()?,
            "while" => {
                self.advance();
                let condition = self.parenthesised()?;
                let invariants = self.specifications("invariant")?;
                StatementKind::While { condition, invariants, body: self.block(true)? }
            }
            "label" => {
                self.advance();
                let name = self.name()?;
                StatementKind::Label { name, invariants: self.specifications("invariant")? }
            }
            "goto" => {
                self.advance();
                StatementKind::Goto(self.name()?)
            }
            "package" => {
                self.advance();
                let wand = self.nested(|parser| parser.wand(false))?;
                let proof = if self.at(Symbol::LeftBrace) { Some(self.block(true)?) } else { None };
                StatementKind::Package { wand, proof }
            }
            "apply" => {
                self.advance();
                StatementKind::Apply(self.nested(|parser| parser.wand(false))?)
            }
            "quasihavoc" => {
                self.advance();
                let (condition, resource) = self.havocked()?;
                StatementKind::Quasihavoc { condition, resource }
            }
            "quasihavocall" => {
                self.advance();
                let bindings = self.bindings()?;
                self.expect(Symbol::ColonColon)?;
                let (condition, resource) = self.havocked()?;
                StatementKind::QuasihavocAll { bindings, condition, resource }
            }
            "define" if allow_define => StatementKind::Define(Box::new(self.define()?)),
            "define" => {
                let failure = self.fail("a statement: no macro can be defined inside a macro");
                self.advance();
                return failure;
            }
            _ => return Ok(None),
        };
        Ok(Some(kind))
    }

    /// `condition ==> resource` or `resource`.
    fn havocked(&mut self) -> Parsed<(Option<Expression>, Expression)> {
        let position = self.position();
        let condition = self.nested(|parser| parser.wand(false))?;
        if self.eat(Symbol::Implies) {
            return Ok((Some(condition), self.expression()?));
        }
        self.reset(position);
        Ok((None, self.expression()?))
    }

    fn conditional_statement(&mut self) -> Parsed<StatementKind> {
        self.advance();
        let condition = self.parenthesised()?;
        let then = self.block(true)?;
        let start = self.start();
        let otherwise = match self.word() {
            "elseif" => {
                let kind = self.nested(Parser::conditional_statement)?;
                Some(Otherwise::If(Box::new(Statement { kind, span: self.span_from(start) })))
            }
            "else" => {
                self.advance();
                Some(Otherwise::Block(self.block(true)?))
            }
            _ => None,
        };
        Ok(StatementKind::If { condition, then, otherwise })
    }

    /// `targets := value`, a call, or the name of a macro.
    fn assignment(&mut self) -> Parsed<StatementKind> {
        let mut targets = vec![self.assignment_target()?];
        while self.eat(Symbol::Comma) {
            targets.push(self.assignment_target()?);
        }
        if self.eat(Symbol::Assign) {
            return Ok(StatementKind::Assign { targets, value: self.expression()? });
        }
        match (targets.pop(), targets.is_empty()) {
            (Some(value), true) if !matches!(*value.kind, ExpressionKind::Field(..)) => {
                Ok(StatementKind::Assign { targets, value })
            }
            _ => self.fail(Symbol::Assign),
        }
    }

    fn assignment_target(&mut self) -> Parsed<Expression> {
        if !self.at_name() && !self.at(Symbol::LeftParen) && !matches!(self.word(), "old" | "null" | "result")
        {
            return self.fail(Expected::from("a statement").or(Symbol::RightBrace));
        }
        let position = self.position();
        let target = self.nested(|parser| parser.suffixed(false))?;
        match &*target.kind {
            ExpressionKind::Field(..) | ExpressionKind::Call(_, _, None) | ExpressionKind::Name(_) => {
                Ok(target)
            }
            _ => {
                self.reset(position);
                self.fail("a variable, a field access or a call")
            }
        }
    }

    pub(super) fn define(&mut self) -> Parsed<Define> {
        let start = self.start();
        self.expect_word("define")?;
        let name = self.name()?;
        let parameters = if self.at(Symbol::LeftParen) { self.macro_parameters() } else { None };
        let body = if self.at(Symbol::LeftBrace) {
            DefineBody::Statements(self.block(false)?)
        } else {
            DefineBody::Expression(self.expression()?)
        };
        Ok(Define { name, parameters, body, span: self.span_from(start) })
    }

    /// `(a, b)` if that is what follows; otherwise the parenthesis belongs to the body.
    fn macro_parameters(&mut self) -> Option<Vec<Name>> {
        let position = self.position();
        match self.parens(Parser::name) {
            Ok(parameters) => Some(parameters),
            Err(_) => {
                self.reset(position);
                None
            }
        }
    }

    /// Clauses that start with `keyword` or `decreases`, each with an optional semicolon.
    pub(super) fn specifications(&mut self, keyword: &str) -> Parsed<Vec<Specification>> {
        let mut specifications = Vec::new();
        loop {
            let start = self.start();
            let kind = if self.eat_word(keyword) {
                SpecificationKind::Assertion(self.expression()?)
            } else if self.eat_word("decreases") {
                SpecificationKind::Decreases(self.decreases()?)
            } else {
                return Ok(specifications);
            };
            specifications.push(Specification { kind, span: self.span_from(start) });
            self.eat(Symbol::Semicolon);
        }
    }

    fn decreases(&mut self) -> Parsed<Decreases> {
        let start = self.start();
        if self.eat(Symbol::Star) {
            let span = self.span_from(start);
            return Ok(Decreases { measure: Measure::Star, condition: None, span });
        }
        let measure = if self.eat_word("_") {
            Measure::Wildcard
        } else {
            let mut expressions = Vec::new();
            let position = self.position();
            if self.at(Symbol::At) {
                // The annotation may as well belong to the next member.
                match self.expression() {
                    Ok(expression) => expressions.push(expression),
                    Err(_) => self.reset(position),
                }
            } else if self.starts_expression() {
                expressions.push(self.expression()?);
            }
            if !expressions.is_empty() {
                while self.eat(Symbol::Comma) {
                    expressions.push(self.expression()?);
                }
            }
            Measure::Tuple(expressions)
        };
        let condition = if self.eat_word("if") { Some(self.expression()?) } else { None };
        let span = self.span_from(start);
        Ok(Decreases { measure, condition, span })
    }

    /// Whether the current token can begin an expression; clauses of a contract cannot.
    fn starts_expression(&self) -> bool {
        match self.token().kind {
            TokenKind::Integer => true,
            TokenKind::Symbol(symbol) => matches!(
                symbol,
                Symbol::LeftParen
                    | Symbol::LeftBracket
                    | Symbol::Bar
                    | Symbol::Minus
                    | Symbol::Not
                    | Symbol::Hash
            ),
            TokenKind::Word => {
                const ATOM_KEYWORDS: &[&str] = &[
                    "true",
                    "false",
                    "null",
                    "old",
                    "result",
                    "acc",
                    "none",
                    "wildcard",
                    "write",
                    "epsilon",
                    "perm",
                    "let",
                    "forall",
                    "exists",
                    "forperm",
                    "unfolding",
                    "applying",
                    "asserting",
                    "Set",
                    "Seq",
                    "Multiset",
                    "Map",
                    "range",
                ];
                let is_map_domain =
                    self.at_word("domain") && self.peek(1).kind == TokenKind::Symbol(Symbol::LeftParen);
                self.at_name() || is_map_domain || ATOM_KEYWORDS.contains(&self.word())
            }
            _ => false,
        }
    }
}
