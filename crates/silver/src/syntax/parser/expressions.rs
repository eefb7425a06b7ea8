//! Expressions, from the conditional down to atoms.
//!
//! Operators of one level that associate to the right are collected in a loop and folded, so a long conjunction
//! does not nest the parser. `bracketed` says that a rule reads the first operand behind an opening parenthesis:
//! only there may a call carry its type, as in `(f(x): T)`.

use parse::{Expected, Failing, Reader};
use source::Span;

use super::super::token::{Symbol, Token, TokenKind};
use super::super::tree::{
    Annotation, BinaryOperator, CollectionKind, Expression, ExpressionKind, NewFields, Trigger, UnaryOperator,
};
use super::{Failure, Parsed, Parser};
use crate::limits;

type Level<'a> = fn(&mut Parser<'a>, bool) -> Parsed<Expression>;

impl<'a> Parser<'a> {
    pub(super) fn expression(&mut self) -> Parsed<Expression> {
        self.nested(|parser| parser.conditional(false))
    }

    fn node(&self, kind: ExpressionKind, span: Span) -> Parsed<Expression> {
        let expression = Expression::new(kind, span);
        if expression.depth as usize > limits::DEPTH {
            let message = format!("this expression is more than {} operators deep", limits::DEPTH);
            return Err(Failure { span, message });
        }
        Ok(expression)
    }

    /// A node from `start` to the last token read.
    fn finish(&self, start: u32, kind: ExpressionKind) -> Parsed<Expression> {
        self.node(kind, self.span_from(start))
    }

    /// `c ? a : b`; a chain in the last place is read in a loop, so that it does not nest the parser.
    fn conditional(&mut self, bracketed: bool) -> Parsed<Expression> {
        let mut branches = Vec::new();
        let mut start = self.start();
        let mut last = self.equivalence(bracketed)?;
        while self.eat(Symbol::Question) {
            let then = self.nested(|parser| parser.conditional(false))?;
            self.expect(Symbol::Colon)?;
            branches.push((start, last, then));
            start = self.start();
            last = self.equivalence(false)?;
        }
        let end = self.span_from(start).end;
        while let Some((start, condition, then)) = branches.pop() {
            let span = Span { file: self.file, start, end };
            last = self.node(ExpressionKind::Conditional(condition, then, last), span)?;
        }
        Ok(last)
    }

    fn right_associative(
        &mut self,
        bracketed: bool,
        operand: Level<'a>,
        operator: impl Fn(Symbol) -> Option<BinaryOperator>,
    ) -> Parsed<Expression> {
        let start = self.start();
        let first = operand(self, bracketed)?;
        let mut operands = vec![(start, first)];
        let mut operators = Vec::new();
        while let TokenKind::Symbol(symbol) = self.token().kind {
            let Some(operator) = operator(symbol) else { break };
            self.advance();
            let start = self.start();
            operators.push(operator);
            operands.push((start, operand(self, false)?));
        }
        let end = self.span_from(start).end;
        let Some((_, mut result)) = operands.pop() else { return self.fail("an expression") };
        while let (Some((start, left)), Some(operator)) = (operands.pop(), operators.pop()) {
            let span = Span { file: self.file, start, end };
            result = self.node(ExpressionKind::Binary(operator, left, result), span)?;
        }
        Ok(result)
    }

    fn equivalence(&mut self, bracketed: bool) -> Parsed<Expression> {
        self.right_associative(bracketed, Parser::implication, |symbol| {
            (symbol == Symbol::Iff).then_some(BinaryOperator::Iff)
        })
    }

    fn implication(&mut self, bracketed: bool) -> Parsed<Expression> {
        self.right_associative(bracketed, Parser::wand, |symbol| {
            (symbol == Symbol::Implies).then_some(BinaryOperator::Implies)
        })
    }

    /// `left --* right`, where `right` is a whole expression.
    pub(super) fn wand(&mut self, bracketed: bool) -> Parsed<Expression> {
        let start = self.start();
        let left = self.disjunction(bracketed)?;
        if !self.eat(Symbol::Wand) {
            return Ok(left);
        }
        let right = self.expression()?;
        self.finish(start, ExpressionKind::Binary(BinaryOperator::Wand, left, right))
    }

    fn disjunction(&mut self, bracketed: bool) -> Parsed<Expression> {
        self.right_associative(bracketed, Parser::conjunction, |symbol| {
            (symbol == Symbol::OrOr).then_some(BinaryOperator::Or)
        })
    }

    fn conjunction(&mut self, bracketed: bool) -> Parsed<Expression> {
        self.right_associative(bracketed, Parser::equality, |symbol| {
            (symbol == Symbol::AndAnd).then_some(BinaryOperator::And)
        })
    }

    fn equality(&mut self, bracketed: bool) -> Parsed<Expression> {
        self.right_associative(bracketed, Parser::comparison, |symbol| match symbol {
            Symbol::Equal => Some(BinaryOperator::Equal),
            Symbol::NotEqual => Some(BinaryOperator::NotEqual),
            _ => None,
        })
    }

    fn comparison(&mut self, bracketed: bool) -> Parsed<Expression> {
        let first = self.sum(bracketed)?;
        let mut rest = Vec::new();
        while let Some(operator) = self.comparison_operator() {
            self.advance();
            rest.push((operator, self.sum(false)?));
        }
        let span = self.span_from(first.span.start);
        let kind = match rest.len() {
            0 => return Ok(first),
            1 => match rest.pop() {
                Some((operator, right)) => ExpressionKind::Binary(operator, first, right),
                None => return Ok(first),
            },
            _ => ExpressionKind::Chain(first, rest),
        };
        self.node(kind, span)
    }

    fn comparison_operator(&self) -> Option<BinaryOperator> {
        match self.token().kind {
            TokenKind::Symbol(Symbol::LessEqual) => Some(BinaryOperator::LessEqual),
            TokenKind::Symbol(Symbol::GreaterEqual) => Some(BinaryOperator::GreaterEqual),
            TokenKind::Symbol(Symbol::Less) => Some(BinaryOperator::Less),
            TokenKind::Symbol(Symbol::Greater) => Some(BinaryOperator::Greater),
            TokenKind::Word if self.at_word("in") => Some(BinaryOperator::In),
            _ => None,
        }
    }

    fn sum(&mut self, bracketed: bool) -> Parsed<Expression> {
        let mut left = self.term(bracketed)?;
        loop {
            let operator = match self.token().kind {
                TokenKind::Symbol(Symbol::Append) => BinaryOperator::Append,
                TokenKind::Symbol(Symbol::Plus) => BinaryOperator::Add,
                TokenKind::Symbol(Symbol::Minus) => BinaryOperator::Subtract,
                TokenKind::Word => match self.word() {
                    "union" => BinaryOperator::Union,
                    "intersection" => BinaryOperator::Intersection,
                    "setminus" => BinaryOperator::SetMinus,
                    "subset" => BinaryOperator::Subset,
                    _ => return Ok(left),
                },
                _ => return Ok(left),
            };
            self.advance();
            let right = self.term(false)?;
            let start = left.span.start;
            left = self.finish(start, ExpressionKind::Binary(operator, left, right))?;
        }
    }

    fn term(&mut self, bracketed: bool) -> Parsed<Expression> {
        let mut left = self.suffixed(bracketed)?;
        loop {
            let operator = match self.token().kind {
                TokenKind::Symbol(Symbol::Star) => BinaryOperator::Multiply,
                TokenKind::Symbol(Symbol::Slash) => BinaryOperator::Divide,
                TokenKind::Symbol(Symbol::Backslash) => BinaryOperator::IntDivide,
                TokenKind::Symbol(Symbol::Percent) => BinaryOperator::Modulo,
                _ => return Ok(left),
            };
            self.advance();
            let right = self.suffixed(false)?;
            let start = left.span.start;
            left = self.finish(start, ExpressionKind::Binary(operator, left, right))?;
        }
    }

    pub(super) fn suffixed(&mut self, bracketed: bool) -> Parsed<Expression> {
        let mut base = self.atom_or_parenthesised(bracketed)?;
        loop {
            let start = base.span.start;
            let kind = if self.eat(Symbol::Dot) {
                ExpressionKind::Field(base, self.name()?)
            } else if self.eat(Symbol::LeftBracket) {
                let kind = self.index(base)?;
                self.expect(Symbol::RightBracket)?;
                kind
            } else {
                return Ok(base);
            };
            base = self.finish(start, kind)?;
        }
    }

    /// What stands between the brackets behind `base`.
    fn index(&mut self, base: Expression) -> Parsed<ExpressionKind> {
        if self.eat(Symbol::DotDot) {
            let high = self.expression()?;
            return Ok(ExpressionKind::Slice(base, None, Some(high)));
        }
        let first = self.expression()?;
        if self.eat(Symbol::Assign) {
            let value = self.expression()?;
            return Ok(ExpressionKind::Update(base, first, value));
        }
        if self.eat(Symbol::DotDot) {
            let high = if self.at(Symbol::RightBracket) { None } else { Some(self.expression()?) };
            return Ok(ExpressionKind::Slice(base, Some(first), high));
        }
        Ok(ExpressionKind::Index(base, first))
    }

    fn atom_or_parenthesised(&mut self, bracketed: bool) -> Parsed<Expression> {
        if !self.eat(Symbol::LeftParen) {
            return self.nested(|parser| parser.atom(bracketed));
        }
        let inner = self.nested(|parser| parser.conditional(true))?;
        self.expect(Symbol::RightParen)?;
        Ok(inner)
    }

    fn atom(&mut self, bracketed: bool) -> Parsed<Expression> {
        let start = self.start();
        match self.token().kind {
            TokenKind::Integer => {
                let token = self.advance();
                let digits = self.text_of(token).trim_start_matches('0');
                let digits = if digits.is_empty() { "0" } else { digits };
                let kind = ExpressionKind::Int(digits.into());
                self.finish(start, kind)
            }
            TokenKind::Symbol(Symbol::Minus) => self.unary(UnaryOperator::Negate),
            TokenKind::Symbol(Symbol::Not) => self.unary(UnaryOperator::Not),
            TokenKind::Symbol(Symbol::At) => {
                let annotation = self.annotation()?;
                let inner = self.atom_or_parenthesised(false)?;
                self.finish(start, ExpressionKind::Annotated(annotation, inner))
            }
            TokenKind::Symbol(Symbol::Hash) => {
                self.advance();
                let name = self.name()?;
                let arguments = self.parens(Parser::expression)?;
                self.finish(start, ExpressionKind::PredicateInstance(name, arguments))
            }
            TokenKind::Symbol(Symbol::OrOr) => {
                // Two sizes begin here: `||s| > 0 ? t : u|`.
                let token = self.token();
                let middle = token.span.start + 1;
                let bar = |span| Token { kind: TokenKind::Symbol(Symbol::Bar), span, ..token };
                let first = bar(Span { end: middle, ..token.span });
                self.reading.cursor.split(first, bar(Span { start: middle, ..token.span }));
                self.atom(bracketed)
            }
            TokenKind::Symbol(Symbol::Bar) => {
                self.advance();
                let inner = self.expression()?;
                self.expect(Symbol::Bar)?;
                self.finish(start, ExpressionKind::Size(inner))
            }
            TokenKind::Symbol(Symbol::LeftBracket) => self.bracket_atom(),
            TokenKind::Word if self.at_name() => self.name_or_call(bracketed),
            TokenKind::Word => self.keyword_atom(),
            _ => self.fail("an expression"),
        }
    }

    fn unary(&mut self, operator: UnaryOperator) -> Parsed<Expression> {
        let start = self.start();
        self.advance();
        let operand = self.suffixed(false)?;
        self.finish(start, ExpressionKind::Unary(operator, operand))
    }

    /// `[inhale, exhale]` or `[low..high)`.
    fn bracket_atom(&mut self) -> Parsed<Expression> {
        let start = self.start();
        self.advance();
        let first = self.expression()?;
        if self.eat(Symbol::Comma) {
            let second = self.expression()?;
            self.expect(Symbol::RightBracket)?;
            return self.finish(start, ExpressionKind::InhaleExhale(first, second));
        }
        if !self.eat(Symbol::DotDot) {
            return self.fail([Symbol::Comma, Symbol::DotDot]);
        }
        let second = self.expression()?;
        self.expect(Symbol::RightParen)?;
        self.finish(start, ExpressionKind::Range(first, second))
    }

    fn name_or_call(&mut self, bracketed: bool) -> Parsed<Expression> {
        let start = self.start();
        let name = self.name()?;
        if !self.at_call_parenthesis() {
            return self.finish(start, ExpressionKind::Name(name));
        }
        let arguments = self.parens(Parser::expression)?;
        let ty = if bracketed && self.eat(Symbol::Colon) { Some(self.ty()?) } else { None };
        self.finish(start, ExpressionKind::Call(name, arguments, ty))
    }

    /// `P(…)` or `f(…)` without a type.
    pub(super) fn call(&mut self) -> Parsed<Expression> {
        let start = self.start();
        let name = self.name()?;
        if !self.at_call_parenthesis() {
            return self.fail(Symbol::LeftParen);
        }
        let arguments = self.parens(Parser::expression)?;
        self.finish(start, ExpressionKind::Call(name, arguments, None))
    }

    fn keyword_atom(&mut self) -> Parsed<Expression> {
        let start = self.start();
        let token = self.token();
        let simple = match self.text_of(token) {
            "true" => Some(ExpressionKind::Bool(true)),
            "false" => Some(ExpressionKind::Bool(false)),
            "null" => Some(ExpressionKind::Null),
            "result" => Some(ExpressionKind::Result),
            "none" => Some(ExpressionKind::NoPermission),
            "write" => Some(ExpressionKind::FullPermission),
            "wildcard" => Some(ExpressionKind::Wildcard),
            "epsilon" => Some(ExpressionKind::Epsilon),
            _ => None,
        };
        if let Some(kind) = simple {
            self.advance();
            return self.finish(start, kind);
        }
        let kind = match self.text_of(token) {
            "old" => self.old()?,
            "acc" => return self.access(),
            "perm" => {
                self.advance();
                self.expect(Symbol::LeftParen)?;
                let resource = self.resource()?;
                self.expect(Symbol::RightParen)?;
                ExpressionKind::CurrentPermission(resource)
            }
            "let" => {
                self.advance();
                let name = self.name()?;
                self.expect(Symbol::Equal)?;
                let value = self.parenthesised()?;
                self.expect_word("in")?;
                ExpressionKind::Let { name, value, body: self.expression()? }
            }
            "forall" => {
                let (bindings, triggers, body) = self.quantifier()?;
                ExpressionKind::Forall { bindings, triggers, body }
            }
            "exists" => {
                let (bindings, triggers, body) = self.quantifier()?;
                ExpressionKind::Exists { bindings, triggers, body }
            }
            "forperm" => {
                self.advance();
                let bindings = self.bindings_before_resource()?;
                self.expect(Symbol::LeftBracket)?;
                let resource = self.resource()?;
                self.expect(Symbol::RightBracket)?;
                self.expect(Symbol::ColonColon)?;
                ExpressionKind::ForPerm { bindings, resource, body: self.expression()? }
            }
            "unfolding" => {
                self.advance();
                let access = self.predicate_access()?;
                self.expect_word("in")?;
                ExpressionKind::Unfolding(access, self.expression()?)
            }
            "applying" => {
                self.advance();
                self.expect(Symbol::LeftParen)?;
                let wand = self.nested(|parser| parser.wand(false))?;
                self.expect(Symbol::RightParen)?;
                self.expect_word("in")?;
                ExpressionKind::Applying(wand, self.expression()?)
            }
            "asserting" => {
                self.advance();
                let assertion = self.parenthesised()?;
                self.expect_word("in")?;
                ExpressionKind::Asserting(assertion, self.expression()?)
            }
            "Seq" => self.collection(CollectionKind::Seq)?,
            "Set" => self.collection(CollectionKind::Set)?,
            "Multiset" => self.collection(CollectionKind::Multiset)?,
            "Map" => self.map()?,
            "domain" => {
                self.advance();
                ExpressionKind::MapDomain(self.parenthesised()?)
            }
            "range" => {
                self.advance();
                ExpressionKind::MapRange(self.parenthesised()?)
            }
            "new" => {
                self.advance();
                ExpressionKind::New(self.new_fields()?)
            }
            _ => return self.fail("an expression"),
        };
        self.finish(start, kind)
    }

    pub(super) fn parenthesised(&mut self) -> Parsed<Expression> {
        self.expect(Symbol::LeftParen)?;
        let inner = self.expression()?;
        self.expect(Symbol::RightParen)?;
        Ok(inner)
    }

    fn old(&mut self) -> Parsed<ExpressionKind> {
        self.advance();
        let mut label = None;
        if self.eat(Symbol::LeftBracket) {
            let token = self.token();
            label = Some(if self.eat_word("lhs") {
                super::Name { text: "lhs".into(), span: token.span }
            } else {
                self.name()?
            });
            self.expect(Symbol::RightBracket)?;
        }
        Ok(ExpressionKind::Old(label, self.parenthesised()?))
    }

    fn access(&mut self) -> Parsed<Expression> {
        let start = self.start();
        self.expect_word("acc")?;
        self.expect(Symbol::LeftParen)?;
        let location = self.location()?;
        let amount = if self.eat(Symbol::Comma) { Some(self.expression()?) } else { None };
        self.expect(Symbol::RightParen)?;
        self.finish(start, ExpressionKind::Access(location, amount))
    }

    /// A field access or a call.
    fn location(&mut self) -> Parsed<Expression> {
        let position = self.position();
        let location = self.nested(|parser| parser.suffixed(false))?;
        match &*location.kind {
            ExpressionKind::Field(..) | ExpressionKind::Call(_, _, None) => Ok(location),
            _ => {
                self.reset(position);
                self.fail("a field access or a predicate")
            }
        }
    }

    /// A field access, a predicate or a wand.
    fn resource(&mut self) -> Parsed<Expression> {
        let position = self.position();
        let resource = self.nested(|parser| parser.wand(false))?;
        match &*resource.kind {
            ExpressionKind::Field(..)
            | ExpressionKind::Call(_, _, None)
            | ExpressionKind::Binary(BinaryOperator::Wand, _, _) => Ok(resource),
            _ => {
                self.reset(position);
                self.fail("a field access, a predicate or a wand")
            }
        }
    }

    /// `acc(P(…), p)` or `P(…)`, as `fold` and its like take it.
    pub(super) fn predicate_access(&mut self) -> Parsed<Expression> {
        if self.at_word("acc") { self.access() } else { self.call() }
    }

    fn quantifier(&mut self) -> Parsed<(Vec<super::super::tree::Binding>, Vec<Trigger>, Expression)> {
        self.advance();
        let bindings = self.bindings()?;
        self.expect(Symbol::ColonColon)?;
        let mut triggers = Vec::new();
        while self.at(Symbol::LeftBrace) {
            let start = self.start();
            let expressions = self.list(Symbol::LeftBrace, Symbol::RightBrace, Parser::expression)?;
            triggers.push(Trigger { expressions, span: self.span_from(start) });
        }
        Ok((bindings, triggers, self.expression()?))
    }

    fn collection(&mut self, kind: CollectionKind) -> Parsed<ExpressionKind> {
        self.advance();
        let ty = if self.at(Symbol::LeftBracket) { Some(self.bracketed_type()?) } else { None };
        let position = self.position();
        let elements = self.parens(Parser::expression)?;
        if ty.is_some() && !elements.is_empty() {
            self.reset(position + 1);
            return self.fail(
                Expected::from(Symbol::RightParen)
                    .with("(only an empty literal has its element type written)"),
            );
        }
        Ok(ExpressionKind::Collection(kind, ty, elements))
    }

    fn map(&mut self) -> Parsed<ExpressionKind> {
        self.advance();
        let ty = if self.at(Symbol::LeftBracket) { Some(self.pair_of_types()?) } else { None };
        let position = self.position();
        let entries = self.parens(|parser| {
            let key = parser.expression()?;
            parser.expect(Symbol::Assign)?;
            Ok((key, parser.expression()?))
        })?;
        if ty.is_some() && !entries.is_empty() {
            self.reset(position + 1);
            return self.fail(
                Expected::from(Symbol::RightParen).with("(only an empty literal has its types written)"),
            );
        }
        Ok(ExpressionKind::Map(ty, entries))
    }

    fn new_fields(&mut self) -> Parsed<NewFields> {
        if self.peek(1).kind == TokenKind::Symbol(Symbol::Star) {
            self.expect(Symbol::LeftParen)?;
            self.advance();
            self.expect(Symbol::RightParen)?;
            return Ok(NewFields::All);
        }
        Ok(NewFields::Listed(self.parens(Parser::name)?))
    }

    /// `@key.part("value", …)`
    pub(super) fn annotation(&mut self) -> Parsed<Annotation> {
        let start = self.start();
        self.expect(Symbol::At)?;
        let mut key = String::new();
        loop {
            if self.token().kind != TokenKind::Word {
                return self.fail("the name of an annotation");
            }
            let token = self.advance();
            key.push_str(self.text_of(token));
            if !self.at(Symbol::Dot) {
                break;
            }
            self.advance();
            key.push('.');
        }
        let values = self.parens(Parser::string)?;
        Ok(Annotation { key: key.as_str().into(), values, span: self.span_from(start) })
    }
}
