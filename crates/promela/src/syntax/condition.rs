//! The expressions of `#if` and `#elif`: 64-bit integers, `defined`, unknown names are 0.

use source::{Diagnostic, Span};

use super::preprocess::Preprocessor;
use super::token::{Punct, Token, TokenKind};
use crate::limits;

impl Preprocessor<'_> {
    /// Whether the expression of a directive is not zero; a malformed one is reported and counts as zero.
    pub(super) fn evaluate(&mut self, span: Span, line: &[Token]) -> bool {
        let mut tokens = Vec::with_capacity(line.len());
        let mut at = 0;
        while let Some(token) = line.get(at) {
            at += 1;
            if !token.is_name("defined") {
                tokens.push(token.clone());
                continue;
            }
            let name = match line.get(at) {
                Some(next) if next.is(Punct::LeftParen) => {
                    let name = line.get(at + 1).and_then(Token::name);
                    let closed = line.get(at + 2).is_some_and(|token| token.is(Punct::RightParen));
                    at += 3;
                    name.filter(|_| closed)
                }
                Some(next) => {
                    at += 1;
                    next.name()
                }
                None => None,
            };
            let Some(name) = name else {
                self.condition_error(token.span, "`defined` wants a name");
                return false;
            };
            let value = if self.macros.is_defined(name) { "1" } else { "0" };
            tokens.push(Token::new(TokenKind::Number(value.into()), token.span));
        }
        let tokens = self.expand_list(tokens);
        let mut evaluation = Evaluation { tokens: &tokens, at: 0, depth: 0, end: span };
        let value = evaluation.ternary();
        match value {
            Ok(value) if evaluation.at == tokens.len() => value != 0,
            Ok(_) => {
                let place = tokens.get(evaluation.at).map_or(span, |token| token.span);
                self.condition_error(place, "the condition should end here");
                false
            }
            Err((place, message)) => {
                self.condition_error(place, message);
                false
            }
        }
    }

    fn condition_error(&mut self, span: Span, message: &str) {
        self.report(
            Diagnostic::error("preprocess.condition", span, message)
                .help("a condition is an integer expression over numbers, macros and `defined(NAME)`"),
        );
    }
}

struct Evaluation<'a> {
    tokens: &'a [Token],
    at: usize,
    depth: usize,
    end: Span,
}

type Value = Result<i64, (Span, &'static str)>;

impl Evaluation<'_> {
    fn punct(&self) -> Option<Punct> {
        match self.tokens.get(self.at).map(|token| &token.kind) {
            Some(TokenKind::Punct(punct)) => Some(*punct),
            _ => None,
        }
    }

    fn span(&self) -> Span {
        self.tokens.get(self.at).map_or(self.end, |token| token.span)
    }

    fn ternary(&mut self) -> Value {
        self.depth += 1;
        if self.depth > limits::NESTING {
            return Err((self.span(), "the condition is nested too deeply"));
        }
        let condition = self.binary(0)?;
        let value = if self.punct() == Some(Punct::Query) {
            self.at += 1;
            let yes = self.ternary()?;
            if self.punct() != Some(Punct::Colon) {
                return Err((self.span(), "`:` expected"));
            }
            self.at += 1;
            let no = self.ternary()?;
            if condition != 0 { yes } else { no }
        } else {
            condition
        };
        self.depth -= 1;
        Ok(value)
    }

    fn binary(&mut self, minimum: u8) -> Value {
        let mut left = self.unary()?;
        while let Some((operator, level)) = self.punct().and_then(|punct| Some((punct, level(punct)?))) {
            if level < minimum {
                break;
            }
            let span = self.span();
            self.at += 1;
            let right = self.binary(level + 1);
            // `0 && 1 / 0` is fine.
            let skipped = matches!((operator, left != 0), (Punct::AndAnd, false) | (Punct::OrOr, true));
            let right = match right {
                Err((place, "division by zero")) if skipped => {
                    let _ = place;
                    0
                }
                other => other?,
            };
            left = match apply(operator, left, right) {
                Some(value) => value,
                None => return Err((span, "division by zero")),
            };
        }
        Ok(left)
    }

    fn unary(&mut self) -> Value {
        self.depth += 1;
        if self.depth > limits::NESTING {
            return Err((self.span(), "the condition is nested too deeply"));
        }
        let span = self.span();
        let kind = self.tokens.get(self.at).map(|token| &token.kind);
        self.at += 1;
        let value = match kind {
            Some(TokenKind::Number(text)) => number(text).ok_or((span, "this is no integer"))?,
            Some(TokenKind::Character(value)) => i64::from(*value),
            Some(TokenKind::Name(_)) => 0,
            Some(TokenKind::Punct(Punct::LeftParen)) => {
                let value = self.ternary()?;
                if self.punct() != Some(Punct::RightParen) {
                    return Err((self.span(), "`)` expected"));
                }
                self.at += 1;
                value
            }
            Some(TokenKind::Punct(Punct::Not)) => i64::from(self.unary()? == 0),
            Some(TokenKind::Punct(Punct::NotNot)) => i64::from(self.unary()? != 0),
            Some(TokenKind::Punct(Punct::Minus)) => self.unary()?.wrapping_neg(),
            Some(TokenKind::Punct(Punct::Plus | Punct::PlusPlus | Punct::MinusMinus)) => self.unary()?,
            Some(TokenKind::Punct(Punct::Tilde)) => !self.unary()?,
            _ => return Err((span, "a value is missing here")),
        };
        self.depth -= 1;
        Ok(value)
    }
}

fn level(punct: Punct) -> Option<u8> {
    Some(match punct {
        Punct::OrOr => 1,
        Punct::AndAnd => 2,
        Punct::Or => 3,
        Punct::Xor => 4,
        Punct::And => 5,
        Punct::Equal | Punct::NotEqual => 6,
        Punct::Less | Punct::LessEqual | Punct::Greater | Punct::GreaterEqual => 7,
        Punct::ShiftLeft | Punct::ShiftRight => 8,
        Punct::Plus | Punct::Minus => 9,
        Punct::Star | Punct::Slash | Punct::Percent => 10,
        _ => return None,
    })
}

fn apply(operator: Punct, left: i64, right: i64) -> Option<i64> {
    Some(match operator {
        Punct::OrOr => i64::from(left != 0 || right != 0),
        Punct::AndAnd => i64::from(left != 0 && right != 0),
        Punct::Or => left | right,
        Punct::Xor => left ^ right,
        Punct::And => left & right,
        Punct::Equal => i64::from(left == right),
        Punct::NotEqual => i64::from(left != right),
        Punct::Less => i64::from(left < right),
        Punct::LessEqual => i64::from(left <= right),
        Punct::Greater => i64::from(left > right),
        Punct::GreaterEqual => i64::from(left >= right),
        Punct::ShiftLeft => left.wrapping_shl(right as u32),
        Punct::ShiftRight => left.wrapping_shr(right as u32),
        Punct::Plus => left.wrapping_add(right),
        Punct::Minus => left.wrapping_sub(right),
        Punct::Star => left.wrapping_mul(right),
        Punct::Slash if right != 0 => left.wrapping_div(right),
        Punct::Percent if right != 0 => left.wrapping_rem(right),
        _ => return None,
    })
}

/// A C integer: decimal, octal or hexadecimal, with suffixes.
fn number(text: &str) -> Option<i64> {
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    let (digits, radix) = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hexadecimal) => (hexadecimal, 16),
        None if digits.len() > 1 && digits.starts_with('0') => (&digits[1..], 8),
        None => (digits, 10),
    };
    u64::from_str_radix(digits, radix).ok().map(|value| value as i64)
}
