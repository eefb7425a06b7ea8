//! Expressions: operators by precedence, prefixes and postfixes.
//!
//! Levels, from loose to tight: conditional, implication and wand, or, and, equality, comparison, `in`, sum,
//! product, power, sequence building, prefix, postfix. The old dialect has `&&`, `||` and `**` on one level and
//! groups implications to the left. A long chain of one level is read in a loop and does not nest the parser.

use parse::{Expected, Failing, Reader};
use source::Diagnostic;

use super::super::token::{Symbol, TokenKind};
use super::super::tree::{
    BinaryOperator, Call, Expression, ExpressionKind, GivenArgument, Name, UnaryOperator, YieldsResult,
};
use super::{Parsed, Parser};
use crate::codes;

/// How tight a binary operator binds, and whether it groups to the right.
fn level(operator: BinaryOperator, old: bool) -> (u8, bool) {
    use BinaryOperator::*;
    match operator {
        Implies | Wand => (1, !old),
        Or => (2, false),
        And | Star => (if old { 2 } else { 3 }, false),
        Equal | NotEqual => (4, false),
        Less | LessEqual | Greater | GreaterEqual => (5, false),
        In => (6, false),
        Add | Subtract => (7, false),
        Multiply | Divide | Modulo | FractionDivide => (8, false),
        Power => (9, false),
        Prepend => (10, true),
        Append => (10, false),
    }
}

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Parsed<Expression> {
        self.nested(|parser| {
            let start = parser.start();
            // The first versions could put a label in front of any expression.
            if parser.is_old() && parser.at_name() && parser.peek_at(1, Symbol::Colon) {
                parser.skip(2);
            }
            let before = if parser.at_word("with") {
                parser.advance();
                Some(Box::new(parser.statement()?))
            } else {
                None
            };
            let mut value = parser.conditional()?;
            if parser.is_old() {
                value = parser.old_ghost_blocks(value)?;
            } else if parser.at_word("with") && parser.peek_at(1, Symbol::LeftBrace) {
                let span = parser.span();
                let error = Diagnostic::error(
                    codes::PARSE,
                    span,
                    "`with { … }` behind a call is the old way to pass ghost arguments",
                )
                .help(
                    "write `given { name = value }` and `yields { target = name }`; VerCors 1.x wrote it like \
                     this (`--dialect 1`)",
                );
                parser.report(error);
                value = parser.old_ghost_blocks(value)?;
            }
            let after = if !parser.is_old() && parser.at_word("then") {
                parser.advance();
                Some(Box::new(parser.statement()?))
            } else {
                None
            };
            if before.is_none() && after.is_none() {
                return Ok(value);
            }
            parser.finish(start, ExpressionKind::With { before, value, after })
        })
    }

    /// `c ? a : b`, where the last part may be a conditional again.
    fn conditional(&mut self) -> Parsed<Expression> {
        let mut parts = Vec::new();
        let mut start = self.start();
        let mut last = self.binary(0)?;
        while self.at(Symbol::Question) {
            self.advance();
            let then = self.nested(|parser| parser.binary(0))?;
            if !self.at(Symbol::Colon) {
                return self.fail(Expected::from(Symbol::Colon).with("and the other case"));
            }
            self.advance();
            parts.push((start, last, then));
            start = self.start();
            last = self.binary(0)?;
        }
        for (start, condition, then) in parts.into_iter().rev() {
            last = self.finish(start, ExpressionKind::Conditional(condition, then, last))?;
        }
        Ok(last)
    }

    /// An expression of operators that bind at least as tight as `least`.
    pub(super) fn binary(&mut self, least: u8) -> Parsed<Expression> {
        let start = self.start();
        let mut left = self.unary()?;
        let mut loosest_grouped = None;
        while let Some((operator, tokens)) = self.binary_operator() {
            let (level, to_right) = level(operator, self.is_old());
            if level < least {
                break;
            }
            let at = self.token();
            self.skip(tokens);
            if operator == BinaryOperator::Append && self.at_plain_parenthesis() {
                left = self.append_parenthesised(start, left)?;
                continue;
            }
            let right = self.nested(|parser| parser.binary(if to_right { level } else { level + 1 }))?;
            if self.is_old() && (level == 1 || level == 2) {
                self.warn_regrouped(&mut loosest_grouped, operator, at);
            }
            left = self.finish(start, ExpressionKind::Binary(operator, left, right))?;
        }
        Ok(left)
    }

    /// In the old dialect chains group differently than in the new one; says so once for a chain.
    fn warn_regrouped(
        &mut self,
        seen: &mut Option<BinaryOperator>,
        operator: BinaryOperator,
        token: super::Token,
    ) {
        use BinaryOperator::*;
        let is_or = |operator: BinaryOperator| operator == Or;
        let regrouped = match (*seen, operator) {
            (Some(Implies | Wand), Implies | Wand) => true,
            (Some(Or), And | Star) => true,
            (Some(before), _) if is_or(before) != is_or(operator) => false,
            _ => false,
        };
        if regrouped {
            let warning = Diagnostic::warning(
                codes::SUSPICIOUS,
                token.span,
                "this chain of operators groups from left to right in VerCors 1.x, and differently in 2.x",
            )
            .help("put parentheses around the parts that belong together");
            self.report(warning);
        }
        *seen = Some(operator);
    }

    /// The operator at the current token and how many tokens it takes.
    fn binary_operator(&self) -> Option<(BinaryOperator, usize)> {
        use BinaryOperator::*;
        let operator = match self.token().kind {
            TokenKind::Symbol(symbol) => match symbol {
                Symbol::Implies => Implies,
                Symbol::Wand => Wand,
                Symbol::OrOr => Or,
                Symbol::AndAnd => And,
                Symbol::StarStar => Star,
                Symbol::Equal => Equal,
                Symbol::NotEqual => NotEqual,
                Symbol::LessEqual => LessEqual,
                Symbol::GreaterEqual => GreaterEqual,
                // `p <-> q` between formulas.
                Symbol::Less if self.touches(1, Symbol::Arrow) => return None,
                Symbol::Less => Less,
                Symbol::Greater => Greater,
                Symbol::Plus => Add,
                Symbol::Minus => Subtract,
                // The end of `{* … *}`.
                Symbol::Star if self.is_old() && self.touches(1, Symbol::RightBrace) => return None,
                Symbol::Star => Multiply,
                Symbol::Slash => Divide,
                Symbol::Percent => Modulo,
                Symbol::Backslash => FractionDivide,
                Symbol::Power => Power,
                Symbol::ColonColon => Prepend,
                // `x++` at the end of a statement is not an operator.
                Symbol::PlusPlus if self.starts_operand(self.peek(1)) => Append,
                _ => return None,
            },
            TokenKind::Word if self.at_word("in") => In,
            TokenKind::Command if self.at_command("in") || self.at_command("memberof") => In,
            _ => return None,
        };
        Some((operator, 1))
    }

    /// Whether a token can be the first of an operand without prefix operators.
    pub(super) fn starts_operand(&self, token: super::Token) -> bool {
        match token.kind {
            TokenKind::Word => !matches!(
                self.text_of(token),
                "in" | "then" | "with" | "given" | "yields" | "else" | "and" | "to" | "from"
            ),
            TokenKind::Command => !matches!(self.command_of(token), "in" | "memberof" | "smtlib" | "boogie"),
            TokenKind::Symbol(symbol) => {
                matches!(symbol, Symbol::LeftParen | Symbol::LeftBracket | Symbol::LeftBrace | Symbol::Bar)
            }
            TokenKind::Unknown | TokenKind::End => false,
            _ => true,
        }
    }

    /// A parenthesis that opens an expression or a pair, not a binder.
    fn at_plain_parenthesis(&self) -> bool {
        self.at(Symbol::LeftParen)
            && self.peek(1).kind != TokenKind::Command
            && !(self.is_name(self.peek(1)) && self.peek_at(2, Symbol::Not))
    }

    /// `m ++ (key, value)` or `xs ++ (e)`, behind the operator.
    fn append_parenthesised(&mut self, start: u32, left: Expression) -> Parsed<Expression> {
        let parenthesis = self.start();
        self.expect(Symbol::LeftParen)?;
        let first = self.expression()?;
        if self.eat(Symbol::Comma) {
            let value = self.expression()?;
            self.expect(Symbol::RightParen)?;
            return self.finish(start, ExpressionKind::MapInsert(left, first, value));
        }
        self.expect(Symbol::RightParen)?;
        let right = self.postfix(parenthesis, first)?;
        self.finish(start, ExpressionKind::Binary(BinaryOperator::Append, left, right))
    }

    pub(super) fn unary(&mut self) -> Parsed<Expression> {
        let start = self.start();
        let operator = match self.token().kind {
            TokenKind::Symbol(Symbol::Not) => UnaryOperator::Not,
            TokenKind::Symbol(Symbol::Minus) => UnaryOperator::Negate,
            TokenKind::Symbol(Symbol::Star) => UnaryOperator::Dereference,
            TokenKind::Symbol(Symbol::Ampersand) => UnaryOperator::AddressOf,
            TokenKind::Symbol(Symbol::StarStar) => {
                let inner = self.nested(|parser| {
                    parser.advance();
                    parser.unary()
                })?;
                let once =
                    self.finish(start + 1, ExpressionKind::Unary(UnaryOperator::Dereference, inner))?;
                return self.finish(start, ExpressionKind::Unary(UnaryOperator::Dereference, once));
            }
            TokenKind::Symbol(Symbol::MinusMinus) => {
                let inner = self.nested(|parser| {
                    parser.advance();
                    parser.unary()
                })?;
                let once = self.finish(start + 1, ExpressionKind::Unary(UnaryOperator::Negate, inner))?;
                return self.finish(start, ExpressionKind::Unary(UnaryOperator::Negate, once));
            }
            TokenKind::Symbol(Symbol::LeftBracket) => {
                let scale = self.nested(Parser::bracketed)?;
                return self.postfix(start, scale);
            }
            TokenKind::Word if self.at_word("unfolding") => return self.unfolding("in"),
            TokenKind::Command if matches!(self.command(), "unfolding" | "Unfolding") => {
                return self.unfolding("\\in");
            }
            TokenKind::Word if self.at_word("new") => {
                let created = self.creation()?;
                return self.postfix(start, created);
            }
            _ => {
                let primary = self.primary()?;
                return self.postfix(start, primary);
            }
        };
        self.advance();
        let operand = self.nested(Parser::unary)?;
        self.finish(start, ExpressionKind::Unary(operator, operand))
    }

    /// `unfolding p in e`, in either spelling.
    fn unfolding(&mut self, separator: &'static str) -> Parsed<Expression> {
        let start = self.start();
        self.advance();
        self.nested(|parser| {
            let target = parser.unary()?;
            if !(parser.eat_word("in") || parser.eat_command("in")) {
                return parser.fail(Expected::word(separator).with("and an expression"));
            }
            let body = parser.conditional()?;
            parser.finish(start, ExpressionKind::Unfolding(target, body))
        })
    }

    /// Everything that can follow an operand.
    pub(super) fn postfix(&mut self, start: u32, mut base: Expression) -> Parsed<Expression> {
        loop {
            let kind = match self.token().kind {
                TokenKind::Symbol(Symbol::Dot) => {
                    self.advance();
                    let name = self.member_name()?;
                    if self.at_call() {
                        ExpressionKind::Call(self.call(Some(base), name)?)
                    } else {
                        ExpressionKind::Field(base, name)
                    }
                }
                TokenKind::Symbol(Symbol::QuestionDot) => {
                    self.advance();
                    let name = self.member_name()?;
                    let arguments = self.arguments()?;
                    ExpressionKind::CoalescingCall { receiver: base, name, arguments }
                }
                // The old dialect's `e->p(…)`.
                TokenKind::Symbol(Symbol::Arrow)
                    if self.is_old() && self.is_name(self.peek(1)) && self.peek_at(2, Symbol::LeftParen) =>
                {
                    self.advance();
                    let name = self.name()?;
                    let arguments = self.arguments()?;
                    ExpressionKind::CoalescingCall { receiver: base, name, arguments }
                }
                TokenKind::Symbol(Symbol::LeftBracket) => self.subscript(base)?,
                _ => return Ok(base),
            };
            base = self.finish(start, kind)?;
        }
    }

    /// A name behind a dot, where words that are keywords elsewhere can stand.
    fn member_name(&mut self) -> Parsed<Name> {
        let token = self.token();
        let allowed = matches!(self.word_of(token), "set" | "bag" | "seq" | "create" | "choose" | "run");
        if allowed {
            self.advance();
            return Ok(Name { text: self.text_of(token).into(), span: token.span });
        }
        self.name_for("the name of a member")
    }

    fn subscript(&mut self, base: Expression) -> Parsed<ExpressionKind> {
        self.advance();
        self.nested(|parser| {
            if parser.eat(Symbol::DotDot) {
                let high = parser.expression()?;
                parser.expect(Symbol::RightBracket)?;
                return Ok(ExpressionKind::Slice(base, None, Some(high)));
            }
            if parser.at(Symbol::Star) && parser.peek_at(1, Symbol::RightBracket) {
                let start = parser.start();
                parser.advance();
                let any = parser.finish(start, ExpressionKind::AnyIndex)?;
                parser.advance();
                return Ok(ExpressionKind::Index(base, any));
            }
            let index = parser.expression()?;
            let kind = if parser.eat(Symbol::DotDot) {
                let high = if parser.at(Symbol::RightBracket) { None } else { Some(parser.expression()?) };
                ExpressionKind::Slice(base, Some(index), high)
            } else if parser.eat(Symbol::Arrow) {
                let value = parser.expression()?;
                ExpressionKind::Update(base, index, value)
            } else {
                ExpressionKind::Index(base, index)
            };
            if !parser.at(Symbol::RightBracket) {
                return parser.fail(Symbol::RightBracket);
            }
            parser.advance();
            Ok(kind)
        })
    }

    /// Whether arguments follow a name, perhaps behind type arguments.
    pub(super) fn at_call(&self) -> bool {
        if self.at(Symbol::LeftParen) {
            return true;
        }
        self.scan_type_arguments(self.position(), 0)
            .and_then(|behind| self.tokens().get(behind))
            .is_some_and(|token| token.kind == TokenKind::Symbol(Symbol::LeftParen))
    }

    pub(super) fn arguments(&mut self) -> Parsed<Vec<Expression>> {
        self.parens(Parser::expression)
    }

    pub(super) fn call(&mut self, receiver: Option<Expression>, name: Name) -> Parsed<Call> {
        let type_arguments = self.type_arguments()?;
        let arguments = self.arguments()?;
        let given = self.given()?;
        let yields = self.yields()?;
        Ok(Call { revealed: None, receiver, name, type_arguments, arguments, given, yields })
    }

    /// `given { x = e, … }` behind a call, or nothing.
    pub(super) fn given(&mut self) -> Parsed<Vec<GivenArgument>> {
        if !(self.at_word("given") && self.peek_at(1, Symbol::LeftBrace)) {
            return Ok(Vec::new());
        }
        self.advance();
        self.list(Symbol::LeftBrace, Symbol::RightBrace, |parser| {
            let name = parser.name_for("the name of a ghost parameter")?;
            parser.expect(Symbol::Assign)?;
            Ok(GivenArgument { name, value: parser.expression()? })
        })
    }

    /// `yields { x = r, … }` behind a call, or nothing.
    pub(super) fn yields(&mut self) -> Parsed<Vec<YieldsResult>> {
        if !(self.at_word("yields") && self.peek_at(1, Symbol::LeftBrace)) {
            return Ok(Vec::new());
        }
        self.advance();
        self.list(Symbol::LeftBrace, Symbol::RightBrace, |parser| {
            let start = parser.start();
            let target = parser.name_for("the variable that receives a ghost result")?;
            let target = parser.finish(start, ExpressionKind::Name(target))?;
            parser.expect(Symbol::Assign)?;
            Ok(YieldsResult { target, name: parser.name_for("the name of a ghost result")? })
        })
    }
}
