//! Operands: literals, names, calls, parentheses, and the keywords and commands of specifications.

use parse::{Expected, Failing, Reader};
use source::Span;

use super::super::token::{Symbol, Token, TokenKind};
use super::super::tree::{
    Binding, Builtin, Expression, ExpressionKind, Name, Parameter, PermissionKind, QuantifierKind,
};
use super::super::words;
use super::{Parsed, Parser};

impl Parser<'_> {
    pub(super) fn primary(&mut self) -> Parsed<Expression> {
        let start = self.start();
        let token = self.token();
        let kind = match token.kind {
            TokenKind::Integer => {
                self.advance();
                ExpressionKind::Int(self.text_of(token).into())
            }
            TokenKind::Float | TokenKind::SingleFloat => {
                self.advance();
                let single = token.kind == TokenKind::SingleFloat;
                ExpressionKind::Float { text: self.text_of(token).trim_end_matches('f').into(), single }
            }
            TokenKind::Character | TokenKind::Text => self.text_literal()?,
            TokenKind::Command => return self.command_primary(),
            TokenKind::Word => return self.word_primary(),
            TokenKind::Escaped => return self.name_or_call(),
            TokenKind::TriggerOpen => self.trigger()?,
            TokenKind::Symbol(Symbol::LeftParen) => return self.nested(Parser::parenthesis),
            TokenKind::Symbol(Symbol::LeftBrace) => return self.nested(|parser| parser.braced(false)),
            TokenKind::Symbol(Symbol::Bar) => {
                self.advance();
                let inner = self.nested(Parser::expression)?;
                if !self.at(Symbol::Bar) {
                    return self.fail(Expected::from(Symbol::Bar).with("that ends the size"));
                }
                self.advance();
                ExpressionKind::Size(inner)
            }
            // `||xs[i]| + 1|` starts with two bars that touch.
            TokenKind::Symbol(Symbol::OrOr) => {
                self.split_bars();
                return self.primary();
            }
            _ => return self.fail("an expression"),
        };
        self.finish(start, kind)
    }

    /// Makes two tokens of `||` at the current one.
    fn split_bars(&mut self) {
        let token = self.token();
        let middle = token.span.start + 1;
        let bar = |span| Token { kind: TokenKind::Symbol(Symbol::Bar), span, first_of_line: false };
        let first = Token { first_of_line: token.first_of_line, ..bar(Span { end: middle, ..token.span }) };
        self.reading.cursor.split(first, bar(Span { start: middle, ..token.span }));
    }

    /// What starts with a parenthesis: a binder, or an expression in parentheses.
    fn parenthesis(&mut self) -> Parsed<Expression> {
        let start = self.start();
        let command = self.command_of(self.peek(1));
        let quantifier = match command {
            "forall" if self.touches(2, Symbol::Star) => Some(QuantifierKind::Starall),
            // `\forall**` cannot be meant otherwise either.
            "forall" => Some(QuantifierKind::Forall),
            "exists" => Some(QuantifierKind::Exists),
            "sum" if !self.peek_at(2, Symbol::LeftParen) => Some(QuantifierKind::Sum),
            "count" => Some(QuantifierKind::Count),
            "par" => Some(QuantifierKind::Parallel),
            _ => None,
        };
        if let Some(kind) = quantifier {
            self.skip(if kind == QuantifierKind::Starall { 3 } else { 2 });
            return self.quantifier(start, kind);
        }
        match command {
            "let" => {
                self.skip(2);
                return self.let_in(start);
            }
            "forperm" => {
                self.skip(2);
                let mut bindings = vec![self.parameter()?];
                while self.eat(Symbol::Comma) {
                    bindings.push(self.parameter()?);
                }
                if !(self.eat_command("in") || self.eat_word("in")) {
                    return self.fail(Expected::word("\\in").with("and a location"));
                }
                let location = self.expression()?;
                self.expect(Symbol::Semicolon)?;
                let body = self.expression()?;
                self.expect(Symbol::RightParen)?;
                return self.finish(start, ExpressionKind::ForPerm { bindings, location, body });
            }
            "forpermwithvalue" => {
                self.skip(2);
                if !self.eat_word("any") {
                    return self.fail(Expected::word("any").with("and a name"));
                }
                let name = self.name()?;
                let id = self.id();
                self.expect(Symbol::Semicolon)?;
                let body = self.expression()?;
                self.expect(Symbol::RightParen)?;
                return self.finish(start, ExpressionKind::ForPermWithValue { id, name, body });
            }
            "endpoint" | "chor" => {
                self.advance();
                let span = self.span();
                return self.unsupported(span, "expressions of choreographies are");
            }
            _ => {}
        }
        if self.peek_at(1, Symbol::Backslash) && self.peek_at(2, Symbol::LeftBracket) {
            self.advance();
            let span = self.span();
            return self.unsupported(span, "expressions of choreographies are");
        }
        if self.is_name(self.peek(1)) && self.peek_at(2, Symbol::Not) && self.is_name(self.peek(3)) {
            self.advance();
            let name = self.name()?;
            self.advance();
            let others = self.names()?;
            self.expect(Symbol::RightParen)?;
            return self.finish(start, ExpressionKind::IndependentOf(name, others));
        }
        self.advance();
        let inner = self.expression()?;
        if self.at(Symbol::RightParen) {
            self.advance();
            return Ok(inner);
        }
        self.fail(Symbol::RightParen)
    }

    /// Behind the symbol of a quantifier.
    fn quantifier(&mut self, start: u32, kind: QuantifierKind) -> Parsed<Expression> {
        let mut bindings = vec![self.binding()?];
        while self.eat(Symbol::Comma) {
            bindings.push(self.binding()?);
        }
        if !self.at(Symbol::Semicolon) {
            return self
                .fail(Expected::from(Symbol::Semicolon).with("behind the variables of the quantifier"));
        }
        self.advance();
        let first = self.expression()?;
        let (condition, body) =
            if self.eat(Symbol::Semicolon) { (Some(first), self.expression()?) } else { (None, first) };
        self.expect(Symbol::RightParen)?;
        self.finish(start, ExpressionKind::Quantifier { kind, bindings, condition, body })
    }

    /// `T x` or `T x = low .. high`
    pub(super) fn binding(&mut self) -> Parsed<Binding> {
        let start = self.start();
        let ty = self.ty()?;
        let name = self.name_for("the name of a variable")?;
        let range = if self.eat(Symbol::Assign) {
            let low = self.expression()?;
            if !self.at(Symbol::DotDot) {
                return self.fail(Expected::from(Symbol::DotDot).with("and the upper bound"));
            }
            self.advance();
            Some((low, self.expression()?))
        } else {
            None
        };
        Ok(Binding { id: self.id(), ty, name, range, span: self.span_from(start) })
    }

    fn let_in(&mut self, start: u32) -> Parsed<Expression> {
        let binding = self.parameter()?;
        self.expect(Symbol::Assign)?;
        let value = self.expression()?;
        self.expect(Symbol::Semicolon)?;
        let body = self.expression()?;
        self.expect(Symbol::RightParen)?;
        self.finish(start, ExpressionKind::Let { binding, value, body })
    }

    /// What starts with a backslash.
    fn command_primary(&mut self) -> Parsed<Expression> {
        let start = self.start();
        let token = self.token();
        let command = self.command();
        let text = self.text_of(token);
        let kind = match command {
            "result" => {
                self.advance();
                ExpressionKind::Result
            }
            "delta" => {
                self.advance();
                ExpressionKind::StuckProcess
            }
            "current_thread" => {
                self.advance();
                ExpressionKind::CurrentThread
            }
            "ltid" => {
                self.advance();
                ExpressionKind::LocalThreadId
            }
            "gtid" => {
                self.advance();
                ExpressionKind::GlobalThreadId
            }
            "old" => {
                self.advance();
                let label = if self.eat(Symbol::LeftBracket) {
                    let name = self.name_for("the name of a label")?;
                    self.expect(Symbol::RightBracket)?;
                    Some(name)
                } else {
                    None
                };
                ExpressionKind::Old(label, self.nested(Parser::parenthesised)?)
            }
            "typeof" => {
                self.advance();
                ExpressionKind::TypeOf(self.nested(Parser::parenthesised)?)
            }
            "type" => {
                self.advance();
                self.expect(Symbol::LeftParen)?;
                let ty = self.ty()?;
                self.expect(Symbol::RightParen)?;
                ExpressionKind::TypeValue(ty)
            }
            "length" => {
                self.advance();
                let array = self.nested(Parser::parenthesised)?;
                ExpressionKind::Field(array, Name { text: "length".into(), span: token.span })
            }
            "nd_partial_index" => {
                self.advance();
                self.expect(Symbol::LeftParen)?;
                let indices = self.comma_separated()?;
                self.expect(Symbol::Semicolon)?;
                let dimensions = self.comma_separated()?;
                self.expect(Symbol::RightParen)?;
                ExpressionKind::PartialIndex(indices, dimensions)
            }
            "sender" | "receiver" | "msg" | "endpoint" | "chor" => {
                return self
                    .unsupported(token.span, &format!("`{text}` belongs to choreographies, which are"));
            }
            "owner" => return self.unsupported(token.span, "`\\owner` is"),
            "did" | "ended" => {
                return self.error(
                    token.span,
                    format!("`{text}` speaks about a run and stands only in formulas"),
                    "use it in `ltl name { … }` of a model, or with `--ltl`",
                );
            }
            "forall" | "exists" | "let" | "forperm" | "forpermwithvalue" | "count" | "par" => {
                return self.error(
                    token.span,
                    format!("`{text}` must stand in parentheses"),
                    format!("write `({text} … )`"),
                );
            }
            _ => match Builtin::ALL.iter().find(|entry| entry.1.strip_prefix('\\') == Some(command)) {
                Some(entry) => {
                    self.advance();
                    self.builtin(*entry)?
                }
                None => return self.fail("an expression"),
            },
        };
        self.finish(start, kind)
    }

    fn comma_separated(&mut self) -> Parsed<Vec<Expression>> {
        let mut items = vec![self.expression()?];
        while self.eat(Symbol::Comma) {
            items.push(self.expression()?);
        }
        Ok(items)
    }

    /// The arguments of a built-in function, as many as it takes.
    fn builtin(&mut self, entry: (Builtin, &str, usize, usize)) -> Parsed<ExpressionKind> {
        let (builtin, name, least, most) = entry;
        let start = self.start();
        let arguments = self.nested(Parser::arguments)?;
        if arguments.len() < least || arguments.len() > most {
            let wanted = match (least, most) {
                (1, 1) => "one argument".to_string(),
                (least, most) if least == most => format!("{least} arguments"),
                (least, _) => format!("at least {least} arguments"),
            };
            let span = self.span_from(start);
            let message = format!("`{name}` takes {wanted}, not {}", arguments.len());
            return Err(super::Failure(Box::new(source::Diagnostic::error(
                crate::codes::PARSE,
                span,
                message,
            ))));
        }
        Ok(ExpressionKind::Builtin(builtin, arguments))
    }

    /// What starts with a word: a keyword of expressions, a literal of a collection, a name or a call.
    fn word_primary(&mut self) -> Parsed<Expression> {
        let start = self.start();
        let token = self.token();
        let word = self.word();
        let simple = match word {
            "true" => Some(ExpressionKind::Bool(true)),
            "false" => Some(ExpressionKind::Bool(false)),
            "null" => Some(ExpressionKind::Null),
            "this" => Some(ExpressionKind::This),
            "none" => Some(ExpressionKind::NoPermission),
            "write" => Some(ExpressionKind::WritePermission),
            "read" => Some(ExpressionKind::ReadPermission),
            "None" => Some(ExpressionKind::NoneOption),
            "empty" => Some(ExpressionKind::EmptyProcess),
            "current_thread" if self.is_old() => Some(ExpressionKind::CurrentThread),
            _ => None,
        };
        // The old dialect lets some of these be names of functions.
        let is_call = self.is_old() && self.peek_at(1, Symbol::LeftParen);
        if let (Some(kind), false) = (simple, is_call) {
            self.advance();
            return self.finish(start, kind);
        }
        if word == "reveal" && self.is_revealed_call() {
            return self.revealed_call();
        }
        if word == "b" && self.touches(1, Symbol::LeftBrace) {
            self.advance();
            return self.nested(|parser| parser.braced(true));
        }
        if words::GENERIC_TYPES.contains(&word)
            && self.peek_at(1, Symbol::Less)
            && let Some(literal) = self.typed_literal()?
        {
            return Ok(literal);
        }
        if self.peek_at(1, Symbol::LeftParen)
            && let Some(kind) = self.keyword_call(word)?
        {
            return self.finish(start, kind);
        }
        if word == "Perm" && self.peek_at(1, Symbol::LeftBracket) {
            let span = token.span;
            return self.unsupported(span, "`Perm[…](…)` belongs to choreographies, which are");
        }
        if self.at_name() {
            return self.name_or_call();
        }
        self.fail("an expression")
    }

    /// `Perm(…)` and other keywords with arguments.
    fn keyword_call(&mut self, word: &str) -> Parsed<Option<ExpressionKind>> {
        let permission = match word {
            "Perm" => Some(PermissionKind::Perm),
            "HPerm" => Some(PermissionKind::History),
            "APerm" => Some(PermissionKind::Action),
            _ => None,
        };
        if let Some(kind) = permission {
            self.skip(2);
            let location = self.nested(Parser::expression)?;
            self.expect(Symbol::Comma)?;
            let amount = self.nested(Parser::expression)?;
            self.expect(Symbol::RightParen)?;
            return Ok(Some(ExpressionKind::Permission { kind, location, amount }));
        }
        let unary: Option<fn(Expression) -> ExpressionKind> = match word {
            "Value" => Some(ExpressionKind::Value),
            "AutoValue" => Some(ExpressionKind::AutoValue),
            "perm" => Some(ExpressionKind::CurrentPermission),
            _ => None,
        };
        if let Some(unary) = unary {
            self.advance();
            return Ok(Some(unary(self.nested(Parser::parenthesised)?)));
        }
        if word == "PointsTo" {
            self.skip(2);
            let location = self.nested(Parser::expression)?;
            self.expect(Symbol::Comma)?;
            let amount = self.nested(Parser::expression)?;
            self.expect(Symbol::Comma)?;
            let value = self.nested(Parser::expression)?;
            self.expect(Symbol::RightParen)?;
            return Ok(Some(ExpressionKind::PointsTo { location, amount, value }));
        }
        if matches!(word, "Reducible" | "Contribution" | "AddsTo") {
            let span = self.span();
            return self.unsupported(span, &format!("`{word}` is"));
        }
        if let Some(entry) = Builtin::ALL.iter().find(|entry| entry.1 == word) {
            self.advance();
            return self.builtin(*entry).map(Some);
        }
        if self.is_old() {
            return self.old_model_assertion(word);
        }
        Ok(None)
    }

    /// A name, `f(…)`, `f<T>(…)` or `A<T>.f(…)`.
    fn name_or_call(&mut self) -> Parsed<Expression> {
        let start = self.start();
        if !self.at_name() {
            return self.fail("an expression");
        }
        let name = self.name()?;
        if self.at_call() {
            let call = self.nested(|parser| parser.call(None, name))?;
            return self.finish(start, ExpressionKind::Call(call));
        }
        if let Some(behind) = self.scan_type_arguments(self.position(), 0) {
            let symbol = |index: usize, symbol: Symbol| {
                self.tokens().get(index).is_some_and(|token| token.kind == TokenKind::Symbol(symbol))
            };
            let is_name = self.tokens().get(behind + 1).is_some_and(|token| self.is_name(*token));
            if symbol(behind, Symbol::Dot) && is_name && symbol(behind + 2, Symbol::LeftParen) {
                let type_arguments = self.type_arguments()?;
                self.advance();
                let function = self.name()?;
                let arguments = self.nested(Parser::arguments)?;
                let kind = ExpressionKind::AdtCall { adt: name, type_arguments, function, arguments };
                return self.finish(start, kind);
            }
        }
        self.finish(start, ExpressionKind::Name(name))
    }

    /// `new C(…)` or `new T[n]`
    pub(super) fn creation(&mut self) -> Parsed<Expression> {
        let start = self.start();
        self.advance();
        let element = self.element_type()?;
        if self.at(Symbol::LeftBracket) {
            let mut dimensions = Vec::new();
            while self.eat(Symbol::LeftBracket) {
                dimensions.push(self.nested(Parser::expression)?);
                self.expect(Symbol::RightBracket)?;
            }
            return self.finish(start, ExpressionKind::NewArray { element, dimensions });
        }
        let super::super::tree::TypeKind::Named(class, type_arguments) = element.kind else {
            return self.fail(Expected::from(Symbol::LeftBracket).with("and the length of an array"));
        };
        if !self.at(Symbol::LeftParen) {
            return self.fail(
                Expected::from(Symbol::LeftParen)
                    .with("and the arguments of the constructor")
                    .or(Expected::from(Symbol::LeftBracket).with("and the length of an array")),
            );
        }
        let arguments = self.nested(Parser::arguments)?;
        let given = self.given()?;
        let yields = self.yields()?;
        self.finish(start, ExpressionKind::New { class, type_arguments, arguments, given, yields })
    }

    /// `T x` without more, for selectors and the like.
    pub(super) fn typed_name(&mut self) -> Parsed<Parameter> {
        self.parameter()
    }
}
