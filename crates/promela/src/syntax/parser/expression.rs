//! Expressions, by precedence climbing; in a formula the temporal operators are operators among others.
//!
//! The levels are those of SPIN's grammar. All binary operators associate to the left, and the prefix
//! operators, the temporal ones included, bind tighter than any binary one.

use parse::Reader;
use source::{Diagnostic, Span};

use super::super::token::{Punct, TokenKind};
use super::super::tree::{
    BinaryOp, Expr, ExprKind, Part, Probe, Reference, TemporalBinary, TemporalUnary, UnaryOp,
};
use super::Parser;

#[derive(Clone, Copy)]
enum Operator {
    Binary(BinaryOp),
    Temporal(TemporalBinary),
}

impl Parser {
    pub(super) fn expression(&mut self) -> Option<Expr> {
        let left = self.unary()?;
        self.expression_after(left)
    }

    /// The rest of an expression whose first operand has been read.
    pub(super) fn expression_after(&mut self, left: Expr) -> Option<Expr> {
        self.binary(left, 0)
    }

    fn binary(&mut self, mut left: Expr, minimum: u8) -> Option<Expr> {
        while let Some((operator, level, length)) = self.binary_operator() {
            if level < minimum {
                break;
            }
            for _ in 0..length {
                self.bump();
            }
            let right = self.nested(|parser| {
                let operand = parser.unary()?;
                parser.binary(operand, level + 1)
            })?;
            let span = left.span.to(right.span);
            let (left_box, right_box) = (Box::new(left), Box::new(right));
            let kind = match operator {
                Operator::Binary(operator) => ExprKind::Binary(operator, left_box, right_box),
                Operator::Temporal(operator) => ExprKind::TemporalBinary(operator, left_box, right_box),
            };
            left = self.bounded(Expr::new(kind, span))?;
        }
        Some(left)
    }

    /// The operator at hand, its level and the number of its tokens.
    #[inline(never)]
    fn binary_operator(&self) -> Option<(Operator, u8, usize)> {
        use BinaryOp::*;
        if self.in_formula
            && let Some((operator, level, length)) = self.temporal_operator()
        {
            return Some((Operator::Temporal(operator), level, length));
        }
        let TokenKind::Punct(punct) = self.peek() else { return None };
        let (operator, level, length) = match punct {
            Punct::OrOr => (Or, 2, 1),
            Punct::AndAnd => (And, 3, 1),
            Punct::Backslash if self.in_formula && self.joined(Punct::Slash) => (Or, 2, 2),
            Punct::Slash if self.in_formula && self.joined(Punct::Backslash) => (And, 3, 2),
            Punct::Or => (BitOr, 5, 1),
            Punct::Xor => (BitXor, 6, 1),
            Punct::And => (BitAnd, 7, 1),
            Punct::Equal => (Equal, 8, 1),
            Punct::NotEqual => (NotEqual, 8, 1),
            Punct::Less => (Less, 9, 1),
            Punct::LessEqual => (LessEqual, 9, 1),
            // The end of `q?<…>` is never reached with an open operand, so this is a comparison.
            Punct::Greater => (Greater, 9, 1),
            Punct::GreaterEqual => (GreaterEqual, 9, 1),
            Punct::ShiftLeft => (ShiftLeft, 10, 1),
            Punct::ShiftRight => (ShiftRight, 10, 1),
            Punct::Plus => (Add, 11, 1),
            Punct::Minus => (Subtract, 11, 1),
            Punct::Star => (Multiply, 12, 1),
            Punct::Slash => (Divide, 12, 1),
            Punct::Percent => (Remainder, 12, 1),
            _ => return None,
        };
        Some((Operator::Binary(operator), level, length))
    }

    fn temporal_operator(&self) -> Option<(TemporalBinary, u8, usize)> {
        Some(match self.peek() {
            TokenKind::Punct(Punct::Arrow) => (TemporalBinary::Implies, 1, 1),
            TokenKind::Punct(Punct::Less) if self.joined(Punct::Arrow) => (TemporalBinary::Equivalent, 1, 2),
            TokenKind::Name(word) => match &**word {
                "implies" => (TemporalBinary::Implies, 1, 1),
                "equivalent" => (TemporalBinary::Equivalent, 1, 1),
                "U" | "until" | "stronguntil" => (TemporalBinary::Until, 4, 1),
                "W" | "weakuntil" => (TemporalBinary::WeakUntil, 4, 1),
                "V" | "release" => (TemporalBinary::Release, 4, 1),
                _ => return None,
            },
            _ => return None,
        })
    }

    /// Whether the token after the next follows it without space.
    fn joined(&self, punct: Punct) -> bool {
        let next = self.ahead(1);
        next.is(punct) && !next.spaced
    }

    fn unary(&mut self) -> Option<Expr> {
        let start = self.span();
        let mut operators: Vec<(Prefix, Span)> = Vec::new();
        loop {
            let span = self.span();
            let (prefix, length) = match self.peek() {
                TokenKind::Punct(Punct::Not) => (Prefix::Unary(UnaryOp::Not), 1),
                TokenKind::Punct(Punct::NotNot) if self.in_formula => {
                    operators.push((Prefix::Unary(UnaryOp::Not), span));
                    (Prefix::Unary(UnaryOp::Not), 1)
                }
                TokenKind::Punct(Punct::Minus) => (Prefix::Unary(UnaryOp::Negate), 1),
                TokenKind::Punct(Punct::Tilde) => (Prefix::Unary(UnaryOp::Complement), 1),
                TokenKind::Punct(Punct::LeftBracket)
                    if self.in_formula && self.ahead(1).is(Punct::RightBracket) =>
                {
                    (Prefix::Temporal(TemporalUnary::Always), 2)
                }
                TokenKind::Punct(Punct::Less) if self.in_formula && self.joined(Punct::Greater) => {
                    (Prefix::Temporal(TemporalUnary::Eventually), 2)
                }
                TokenKind::Name(word) if self.in_formula => match &**word {
                    "always" => (Prefix::Temporal(TemporalUnary::Always), 1),
                    "eventually" => (Prefix::Temporal(TemporalUnary::Eventually), 1),
                    "next" | "X" => (Prefix::Temporal(TemporalUnary::Next), 1),
                    _ => break,
                },
                _ => break,
            };
            for _ in 0..length {
                self.bump();
            }
            operators.push((prefix, span));
        }
        let mut expr = self.nested(Parser::primary)?;
        for (prefix, span) in operators.into_iter().rev() {
            let span = span.to(expr.span);
            let kind = match prefix {
                // A negative number is one, so that `-1` prints and folds as such.
                Prefix::Unary(UnaryOp::Negate) if matches!(expr.kind, ExprKind::Number(_)) => {
                    let ExprKind::Number(value) = expr.kind else { return None };
                    ExprKind::Number(value.wrapping_neg())
                }
                Prefix::Unary(operator) => ExprKind::Unary(operator, Box::new(expr)),
                Prefix::Temporal(operator) => ExprKind::TemporalUnary(operator, Box::new(expr)),
            };
            expr = self.bounded(Expr::new(kind, span))?;
        }
        expr.span = start.to(expr.span);
        Some(expr)
    }

    fn primary(&mut self) -> Option<Expr> {
        let start = self.span();
        let word = match self.peek() {
            TokenKind::Punct(Punct::LeftParen) => return self.parenthesis(),
            TokenKind::Number(_) | TokenKind::Character(_) => {
                let value = self.number("an expression")?;
                return Some(Expr::new(ExprKind::Number(value), start));
            }
            TokenKind::Name(word) => word.clone(),
            _ => return self.unexpected("an expression"),
        };
        let kind = match &*word {
            "true" | "skip" | "false" => {
                self.bump();
                ExprKind::Number(i32::from(&*word != "false"))
            }
            "timeout" => {
                self.bump();
                ExprKind::Timeout
            }
            "np_" => {
                self.bump();
                ExprKind::NonProgress
            }
            "run" => return self.run(),
            "len" => ExprKind::Length(self.channel_operand()?),
            "full" => ExprKind::Probe(Probe::Full, self.channel_operand()?),
            "nfull" => ExprKind::Probe(Probe::NotFull, self.channel_operand()?),
            "empty" => ExprKind::Probe(Probe::Empty, self.channel_operand()?),
            "nempty" => ExprKind::Probe(Probe::NotEmpty, self.channel_operand()?),
            "enabled" => ExprKind::Enabled(Box::new(self.operand()?)),
            "pc_value" => ExprKind::PcValue(Box::new(self.operand()?)),
            "get_priority" => ExprKind::GetPriority(Box::new(self.operand()?)),
            "c_expr" => {
                self.embedded_c();
                self.previous = super::Previous::Ending;
                ExprKind::Error
            }
            word if self.is_keyword_here(word) => return self.unexpected("an expression"),
            word if self.names.constants.contains(word) => return self.literal("an expression"),
            word if self.names.processes.contains(word) || self.ahead(1).is(Punct::At) => {
                return self.remote();
            }
            word if self.inlines.contains_key(word) && self.ahead(1).is(Punct::LeftParen) => {
                self.report(
                    Diagnostic::error(
                        "inline.expression",
                        start,
                        format!("inline `{word}` is used inside an expression"),
                    )
                    .help("call it as a statement of its own, or write `x = f(…)`"),
                );
                return None;
            }
            _ => {
                let reference = self.reference()?;
                return self.after_reference(reference);
            }
        };
        self.bounded(Expr::new(kind, self.since(start)))
    }

    /// `(e)` or `(c -> a : b)`.
    #[inline(never)]
    fn parenthesis(&mut self) -> Option<Expr> {
        let start = self.span();
        self.open_paren()?;
        let first = self.expression()?;
        if self.at(Punct::Arrow) {
            self.bump();
            let yes = self.expression()?;
            self.expect(Punct::Colon)?;
            let no = self.expression()?;
            self.close_paren()?;
            let kind = ExprKind::Conditional(Box::new(first), Box::new(yes), Box::new(no));
            return self.bounded(Expr::new(kind, self.since(start)));
        }
        self.close_paren()?;
        Some(Expr { span: self.since(start), ..first })
    }

    #[inline(never)]
    fn run(&mut self) -> Option<Expr> {
        let start = self.span();
        self.bump();
        let process = self.name("the name of a proctype")?;
        self.open_paren()?;
        let mut arguments = Vec::new();
        if !self.at(Punct::RightParen) {
            loop {
                arguments.push(self.expression()?);
                if !self.eat(Punct::Comma) {
                    break;
                }
            }
        }
        self.close_paren()?;
        let priority = self.opt_priority()?.map(Box::new);
        let kind = ExprKind::Run { process, arguments, priority };
        self.bounded(Expr::new(kind, self.since(start)))
    }

    #[inline(never)]
    fn operand(&mut self) -> Option<Expr> {
        self.bump();
        self.open_paren()?;
        let expr = self.expression()?;
        self.close_paren()?;
        Some(expr)
    }

    #[inline(never)]
    fn channel_operand(&mut self) -> Option<Reference> {
        self.bump();
        self.open_paren()?;
        let channel = self.reference()?;
        self.close_paren()?;
        Some(channel)
    }

    /// `P[e]@L`, `P@L`, `P[e]:v`, `P:v`
    #[inline(never)]
    fn remote(&mut self) -> Option<Expr> {
        let start = self.span();
        let process = self.name("a process")?;
        let mut pid = None;
        if self.eat(Punct::LeftBracket) {
            pid = Some(Box::new(self.expression()?));
            self.expect(Punct::RightBracket)?;
        }
        let kind = if self.eat(Punct::At) {
            ExprKind::RemoteLabel { process, pid, label: self.name("a label")? }
        } else if self.eat(Punct::Colon) {
            ExprKind::RemoteVariable { process, pid, variable: self.part()? }
        } else {
            return self.unexpected([Punct::At, Punct::Colon]);
        };
        self.bounded(Expr::new(kind, self.since(start)))
    }

    /// What may follow a reference inside an expression: a poll, or `@` and `:` of a process declared later.
    #[inline(never)]
    pub(super) fn after_reference(&mut self, mut reference: Reference) -> Option<Expr> {
        let span = reference.span;
        let random = self.at(Punct::QueryQuery);
        if (random || self.at(Punct::Query)) && self.ahead(1).is(Punct::LeftBracket) {
            self.bump();
            self.bump();
            let mut arguments = Vec::new();
            self.receive_arguments(&mut arguments)?;
            self.expect(Punct::RightBracket)?;
            let kind = ExprKind::Poll { channel: reference, random, arguments };
            return self.bounded(Expr::new(kind, self.since(span)));
        }
        if self.at(Punct::At) && reference.parts.len() == 1 {
            self.bump();
            let part = reference.parts.remove(0);
            let kind =
                ExprKind::RemoteLabel { process: part.name, pid: part.index, label: self.name("a label")? };
            return self.bounded(Expr::new(kind, self.since(span)));
        }
        self.bounded(Expr::new(ExprKind::Reference(reference), span))
    }

    #[inline(never)]
    pub(super) fn reference(&mut self) -> Option<Reference> {
        let start = self.span();
        let mut parts = vec![self.part()?];
        while self.eat(Punct::Dot) {
            parts.push(self.part()?);
        }
        Some(Reference { parts, span: self.since(start) })
    }

    #[inline(never)]
    fn part(&mut self) -> Option<Part> {
        let name = self.name("a variable")?;
        let mut index = None;
        let empty = self.in_formula && self.ahead(1).is(Punct::RightBracket);
        if !empty && self.eat(Punct::LeftBracket) {
            index = Some(Box::new(self.nested(Parser::expression)?));
            self.expect(Punct::RightBracket)?;
        }
        Some(Part { name, index })
    }
}

#[derive(Clone, Copy)]
enum Prefix {
    Unary(UnaryOp),
    Temporal(TemporalUnary),
}
