//! Formulas about the runs of a model, and texts that are given beside a program: conditions, processes and ranges.
//!
//! Operators of formulas, from loose to tight: `<->`, `->`, `||`, `&&`, then `U`, `W` and `R`, then prefixes. What is
//! between them is an expression as tight as a comparison; what stands in parentheses is an expression if it reads as
//! one, and else a formula.

use parse::{Expected, Failing, Reader};
use source::{Diagnostic, FileId};

use super::super::token::{Symbol, TokenKind, Tokens, tokenize};
use super::super::tree::{Expression, Formula, FormulaKind, NamedFormula, Range, RangeKind, Temporal};
use super::{Options, Parsed, Parser};
use crate::limits;

/// The level of comparisons: looser operators are those of formulas.
const COMPARISON: u8 = 4;

/// A formula that is given beside the program.
pub fn read_formula(file: FileId, text: &str, options: Options) -> Result<Formula, Diagnostic> {
    read(file, text, options, |parser| parser.formula(0))
}

/// A condition that is given beside the program.
pub fn read_condition(file: FileId, text: &str, options: Options) -> Result<Expression, Diagnostic> {
    read(file, text, options, |parser| parser.expression())
}

/// A process with its arguments that is given beside the program.
pub fn read_process(file: FileId, text: &str, options: Options) -> Result<Expression, Diagnostic> {
    read(file, text, options, |parser| parser.expression())
}

/// `name in range` that is given beside the program.
pub fn read_range(file: FileId, text: &str, options: Options) -> Result<Range, Diagnostic> {
    read(file, text, options, |parser| parser.named_range())
}

/// Reads a whole text with one rule.
fn read<T: Send>(
    file: FileId,
    text: &str,
    options: Options,
    rule: impl FnOnce(&mut Parser<'_>) -> Parsed<T> + Send,
) -> Result<T, Diagnostic> {
    silver::with_large_stack(|| {
        let Tokens { tokens, .. } = tokenize(file, text);
        let mut parser = Parser::new(file, text, tokens, options);
        let read = rule(&mut parser)
            .and_then(|read| if parser.at_end() { Ok(read) } else { parser.fail("the end of the text") });
        let reported = parser.reading.messages.into_list().into_iter().find(Diagnostic::is_error);
        match (read, reported) {
            (Ok(read), None) => Ok(read),
            (_, Some(error)) => Err(error),
            (Err(failure), None) => Err(*failure.0),
        }
    })
}

/// The operators of two operands and how tight they bind.
const OPERATORS: [(Temporal, u8); 7] = [
    (Temporal::Equivalent, 0),
    (Temporal::Implies, 1),
    (Temporal::Or, 2),
    (Temporal::And, 3),
    (Temporal::Until, 4),
    (Temporal::WeakUntil, 4),
    (Temporal::Release, 4),
];

impl Parser<'_> {
    /// `ltl name { formula }`
    pub(super) fn named_formula(&mut self) -> Parsed<NamedFormula> {
        self.advance();
        let name = self.name_for("the name of the formula")?;
        self.expect(Symbol::LeftBrace)?;
        let formula = self.formula(0)?;
        self.expect(Symbol::RightBrace)?;
        self.eat(Symbol::Semicolon);
        Ok(NamedFormula { name, formula })
    }

    /// A formula of operators that bind at least as tight as `least`.
    fn formula(&mut self, least: u8) -> Parsed<Formula> {
        let start = self.start();
        let mut left = self.formula_operand()?;
        while let Some((operator, tokens)) = self.formula_operator() {
            let level = OPERATORS.iter().find(|(known, _)| *known == operator).map_or(0, |(_, level)| *level);
            if level < least {
                break;
            }
            self.skip(tokens);
            // Implications and untils group to the right.
            let to_right = matches!(level, 1 | 4);
            let right = self.nested(|parser| parser.formula(if to_right { level } else { level + 1 }))?;
            left = self.finish_formula(start, FormulaKind::Binary(operator, left, right))?;
        }
        Ok(left)
    }

    /// The operator in front, and how many tokens it is.
    fn formula_operator(&self) -> Option<(Temporal, usize)> {
        let token = self.token();
        Some(match token.kind {
            TokenKind::Symbol(Symbol::AndAnd) => (Temporal::And, 1),
            TokenKind::Symbol(Symbol::OrOr) => (Temporal::Or, 1),
            TokenKind::Symbol(Symbol::Arrow | Symbol::Implies) => (Temporal::Implies, 1),
            TokenKind::Symbol(Symbol::Less) if self.touches(1, Symbol::Arrow) => (Temporal::Equivalent, 2),
            TokenKind::Word => match self.word() {
                "U" => (Temporal::Until, 1),
                "W" => (Temporal::WeakUntil, 1),
                "R" | "V" => (Temporal::Release, 1),
                _ => return None,
            },
            _ => return None,
        })
    }

    fn formula_operand(&mut self) -> Parsed<Formula> {
        let start = self.start();
        let prefix = match self.token().kind {
            TokenKind::Symbol(Symbol::Not) => Some((Temporal::Not, 1)),
            TokenKind::Symbol(Symbol::LeftBracket) if self.touches(1, Symbol::RightBracket) => {
                Some((Temporal::Always, 2))
            }
            TokenKind::Symbol(Symbol::Less) if self.touches(1, Symbol::Greater) => {
                Some((Temporal::Eventually, 2))
            }
            TokenKind::Word if self.at_word("X") => Some((Temporal::Next, 1)),
            _ => None,
        };
        if let Some((operator, tokens)) = prefix {
            self.skip(tokens);
            let operand = self.nested(Parser::formula_operand)?;
            return self.finish_formula(start, FormulaKind::Unary(operator, operand));
        }
        match self.command() {
            "ended" => {
                self.advance();
                return self.finish_formula(start, FormulaKind::Ended);
            }
            "did" => {
                self.advance();
                return self.did(start);
            }
            _ => {}
        }
        let position = self.position();
        let mark = self.reading.messages.mark();
        match self.nested(|parser| parser.binary(COMPARISON)) {
            Ok(condition) if self.ends_operand() => {
                self.finish_formula(start, FormulaKind::Condition(condition))
            }
            _ if self
                .tokens()
                .get(position)
                .is_some_and(|token| token.kind == TokenKind::Symbol(Symbol::LeftParen)) =>
            {
                self.reset(position);
                self.reading.messages.forget_since(mark);
                self.advance();
                let inner = self.nested(|parser| parser.formula(0))?;
                self.expect(Symbol::RightParen)?;
                Ok(inner)
            }
            Ok(_) => self.fail("an operator of formulas"),
            Err(failure) => Err(failure),
        }
    }

    /// Whether what follows cannot belong to the operand.
    fn ends_operand(&self) -> bool {
        self.at_end()
            || self.at(Symbol::RightParen)
            || self.at(Symbol::RightBrace)
            || self.formula_operator().is_some()
    }

    /// Behind `\did`: `(a)` or `(a(e))`.
    fn did(&mut self, start: u32) -> Parsed<Formula> {
        self.expect(Symbol::LeftParen)?;
        let action = self.name_for("the name of an action")?;
        let arguments = if self.at(Symbol::LeftParen) { Some(self.nested(Parser::arguments)?) } else { None };
        self.expect(Symbol::RightParen)?;
        self.finish_formula(start, FormulaKind::Did { action, arguments })
    }

    fn finish_formula(&mut self, start: u32, kind: FormulaKind) -> Parsed<Formula> {
        let id = self.id();
        let formula = Formula::new(id, kind, self.span_from(start));
        if formula.depth as usize > limits::DEPTH {
            return self.too_deep(&format!("a formula is more than {} operators deep", limits::DEPTH));
        }
        Ok(formula)
    }

    /// `name in range`
    fn named_range(&mut self) -> Parsed<Range> {
        let start = self.start();
        let name = self.name_for("a name")?;
        if !(self.eat_word("in") || self.eat_command("in")) {
            return self.fail(Expected::word("in").with("and a range"));
        }
        let kind = self.range()?;
        Ok(Range { id: self.id(), name, kind, span: self.span_from(start) })
    }

    fn range(&mut self) -> Parsed<RangeKind> {
        self.nested(|parser| {
            if parser.at_word("permutations") && parser.peek_at(1, Symbol::LeftParen) {
                parser.skip(2);
                let inner = parser.range()?;
                parser.expect(Symbol::RightParen)?;
                return Ok(RangeKind::Permutations(Box::new(inner)));
            }
            if parser.at_word("sequences") && parser.peek_at(1, Symbol::LeftParen) {
                parser.skip(2);
                let length = parser.expression()?;
                parser.expect(Symbol::Comma)?;
                let inner = parser.range()?;
                parser.expect(Symbol::RightParen)?;
                return Ok(RangeKind::Sequences(length, Box::new(inner)));
            }
            if parser.at(Symbol::LeftBrace) {
                let position = parser.position();
                let listed = parser.list(Symbol::LeftBrace, Symbol::RightBrace, Parser::expression);
                if let Ok(listed) = listed
                    && !parser.at(Symbol::DotDot)
                {
                    return Ok(RangeKind::Listed(listed));
                }
                parser.reset(position);
            }
            let low = parser.expression()?;
            if !parser.at(Symbol::DotDot) {
                return parser.fail(Expected::from(Symbol::DotDot).with("and the upper bound"));
            }
            parser.advance();
            Ok(RangeKind::Interval(low, parser.expression()?))
        })
    }
}
